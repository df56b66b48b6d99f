/* Parameter memories of a running board: reads them back and compares them with the compiled ones; tests and writes
 * them if they are writable. */
#ifndef WEIR_BOARD_PARAMETERS_H
#define WEIR_BOARD_PARAMETERS_H

#include "graph/manifest.h"
#include "wire/memory.h"

typedef struct weir_parameters_options {
    const weir_board_manifest *manifest;
    const char *sources; /* folder of the memory files */
    bool loads;          /* they are written; else only read */
    bool marches; /* and tried before with patterns, in which each bit changes both ways while no two words are alike */
    bool is_known;  /* their initial contents are this model's */
    uint64_t limit; /* limit in microseconds for one pass over a memory */
} weir_parameters_options;

typedef struct weir_parameters {
    size_t memories; /* that were right */
    uint64_t bytes;  /* of all */
    bool differs;
    char *expected, *found; /* of the first that differs: memory, layer, what it should hold and holds; heap */
} weir_parameters;

/* OK, and `differs` where a memory is wrong: then its board is nobody's model any more if it was written. Free the
 * result in any case. */
weir_wire_error weir_parameters_run(weir_wire *wire, const weir_parameters_options *options,
                                    weir_parameters *parameters, weir_failure *why);
void weir_parameters_free(weir_parameters *parameters);

#endif
