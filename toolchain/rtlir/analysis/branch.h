/* Cases that are full, conditions that are resets. */
#ifndef WEIR_RTLIR_BRANCH_H
#define WEIR_RTLIR_BRANCH_H

#include "rtlir/core/stmt.h"

/* Has the case a default, or a label for every value? Members of an enum are all values that it has. O(n log n). */
bool weir_rtl_case_is_full(const weir_rtl_design *design, weir_rtl_stmt branch);

/* A condition that is a reset, or the opposite of one. None when it is something else. */
typedef struct weir_rtl_reset_test {
    weir_rtl_var reset;
    bool is_high; /* the condition holds when the reset is 1 */
} weir_rtl_reset_test;
weir_rtl_reset_test weir_rtl_tested_reset(const weir_rtl_design *design, weir_rtl_expr condition);
/* The first statement of a block that is neither an assertion nor a remark; none when there is none. */
weir_rtl_stmt weir_rtl_first_effect(const weir_rtl_design *design, weir_rtl_block block);

#endif
