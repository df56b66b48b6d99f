/* Files that points leave for their run ({coverage}, {result}), named by the point's key. */
#ifndef WEIR_REGRESS_KEPT_H
#define WEIR_REGRESS_KEPT_H

#include <stdbool.h>

#include "support/memory/hash.h"

typedef enum weir_kept_kind { WEIR_KEPT_COVERAGE, WEIR_KEPT_RESULT } weir_kept_kind;

/* The placeholder of a command that stands for the file: "{result}". */
const char *weir_kept_placeholder(weir_kept_kind kind);
/* Where a point writes it, in its own folder `work`. Heap memory. */
char *weir_kept_source(weir_kept_kind kind, const char *work);
/* Where the run has it: RUN/coverage/KEY.dat, RUN/result/KEY. Heap memory. */
char *weir_kept_path(weir_kept_kind kind, const char *run, const weir_hash *key);
/* Copies what the point has left in `work` to the run; false after a reported error. */
bool weir_kept_take(const char *run, const weir_hash *key, const char *work);

#endif
