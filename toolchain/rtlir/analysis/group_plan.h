/* Which groups can be interfaces of SystemVerilog. */
#ifndef WEIR_RTLIR_GROUP_PLAN_H
#define WEIR_RTLIR_GROUP_PLAN_H

#include "rtlir/core/interface.h"

/* By id of the group, heap memory. Of all groups, or of marked ones. In the top, ports stay and are connected to an
 * interface. Instances must have connections. O(modules + instances * fields). */
weir_rtl_group_plan *weir_rtl_plan_groups(weir_rtl_design *design, weir_rtl_module top, bool marked);

#endif
