/* How values flow through the statements of a module. */
#ifndef WEIR_RTLIR_FLOW_H
#define WEIR_RTLIR_FLOW_H

#include "rtlir/uses.h"

/* Has the case a default, or a label for every value? Members of an enum are all values that it has. O(n log n). */
bool weir_rtl_case_is_full(const weir_rtl_design *design, weir_rtl_stmt branch);

#endif
