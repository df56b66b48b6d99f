/* Coverage of benches: the files of Verilator's coverage that points leave ({coverage}), kept with the results and
 * merged over all points. */
#ifndef WEIR_REGRESS_COVERAGE_H
#define WEIR_REGRESS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/memory/hash.h"

enum { WEIR_COVERAGE_KINDS = 4 };

/* How many places there are, and how many were reached, by kind: line, branch, toggle, user. */
typedef struct weir_coverage {
    size_t files; /* points that left one; 0: there is none */
    size_t found[WEIR_COVERAGE_KINDS], reached[WEIR_COVERAGE_KINDS];
} weir_coverage;

const char *weir_coverage_kind(size_t kind);
/* Merges the files of these points into RUN/coverage.dat, counts added. False after a reported error. */
bool weir_coverage_merge(const char *run, const weir_hash *key, size_t count, weir_coverage *coverage);

#endif
