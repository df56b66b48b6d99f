/* Whose rounding a run follows, and how many outputs the other contract would change. */
#ifndef WEIR_CLI_CONTRACT_H
#define WEIR_CLI_CONTRACT_H

#include "cli/job.h"
#include "ir/graph/graph.h"

/* What `eval` and `check` print about the data's outputs: "contract model; of 640 outputs 3 differ by the contract
 * onnxruntime". Nothing where the contracts are the same, because no operator of the model is a kernel on codes. */
typedef struct weir_contract_other {
    weir_graph_contract own, other;
    int64_t changed, outputs; /* outputs 0: there is nothing to say */
} weir_contract_other;

/* `before`: the model as it was before the job ran on `module`, which was lowered; it is taken over. Where the other
 * contract's lowering is refused there is nothing to say. */
weir_contract_other weir_contract_compare(const weir_job *job, const weir_module *module, weir_graph *before,
                                          const weir_cli_list *data, int64_t threads);
/* Heap memory; NULL: there is nothing to say. */
char *weir_contract_text(const weir_contract_other *result);

#endif
