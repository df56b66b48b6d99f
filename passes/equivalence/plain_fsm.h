/* State machines made printable in the plainest form, for plain.h. */
#ifndef WEIR_PASSES_EQUIVALENCE_PLAIN_FSM_H
#define WEIR_PASSES_EQUIVALENCE_PLAIN_FSM_H

#include "rtlir/core/fsm.h"

/* Processes instead of every machine of the module: a chain of ifs over the states, transitions as ifs that exclude
 * each other. False after a reported error, or with a reason in `why`: more states than ifs can nest. */
bool weir_rtl_make_plain_machines(weir_rtl_design *design, weir_rtl_module module, weir_text *why);

#endif
