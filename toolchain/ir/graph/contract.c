#include <assert.h>
#include <string.h>

#include "ir/graph/graph.h"

static const char *const contracts[] = {[WEIR_GRAPH_MODEL] = "model", [WEIR_GRAPH_ONNXRUNTIME] = "onnxruntime"};

const char *weir_graph_contract_name(weir_graph_contract contract) {
    assert((size_t)contract < sizeof contracts / sizeof *contracts);
    return contracts[contract];
}

bool weir_graph_contract_parse(const char *name, weir_graph_contract *contract) {
    for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++) {
        if (strcmp(contracts[i], name) != 0) continue;
        *contract = (weir_graph_contract)i;
        return true;
    }
    return false;
}
