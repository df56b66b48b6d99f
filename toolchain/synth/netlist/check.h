/* What came of a check of a netlist: a simulation or a proof. */
#ifndef WEIR_SYNTH_CHECK_H
#define WEIR_SYNTH_CHECK_H

#include <jansson.h>

typedef struct weir_synth_check {
    char *why_not;  /* it was not made; NULL: it was */
    json_t *result; /* README.md has the fields */
} weir_synth_check;

/* A new reference: the result, or {"why_not": ...}. */
json_t *weir_synth_check_json(const weir_synth_check *check);
void weir_synth_check_free(weir_synth_check *check);

#endif
