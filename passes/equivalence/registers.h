/* What the proof of equivalence needs to know of a design: is it clocked by one edge, and which registers does it
 * hold. */
#ifndef WEIR_PASSES_EQUIVALENCE_REGISTERS_H
#define WEIR_PASSES_EQUIVALENCE_REGISTERS_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

/* Is every process below top clocked by the same edge of the same input of top, through connections that pass nothing
 * but that clock? A design without clocked processes is, too. False: `why` says what is not. O(design). */
bool weir_rtl_has_one_clock(weir_rtl_design *design, weir_rtl_module top, weir_text *why);

/* Variables assigned in clocked processes and latches, as paths of instances "u_a.u_b.r" (an element of a memory:
 * "u_a.m[3]"), sorted; those inside loops are left out. */
typedef struct weir_rtl_register_list {
    struct weir_rtl_register {
        char *path;
        uint32_t width;
    } * entry;
    size_t count, capacity;
} weir_rtl_register_list;

/* Stops at `limit` registers. */
void weir_rtl_list_registers(weir_rtl_design *design, weir_rtl_module top, size_t limit, weir_rtl_register_list *list);
/* Adds the first thing below top that makes unknown bits of known ones, or starts with them: a register with neither a
 * reset nor an initial value, a division whose divisor may be zero, an index that may be out of range. Names of modules
 * are shown without their first `prefix` characters. O(design). */
void weir_rtl_find_unknown(weir_rtl_design *design, weir_rtl_module top, size_t prefix, weir_text *why);
void weir_rtl_free_registers(weir_rtl_register_list *list);

#endif
