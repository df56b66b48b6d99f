/* Groups of instances and of their parents. */
#ifndef WEIR_RTLIR_GROUP_PLAN_PRIVATE_H
#define WEIR_RTLIR_GROUP_PLAN_PRIVATE_H

#include "rtlir/analysis/group_plan.h"
#include "rtlir/core/private.h"

/* The group of the parent that the instance connects to this group of its module, field by field; 0: not to one. */
uint32_t rtl_group_connected(const weir_rtl_design *design, const rtl_instance *instance, const rtl_group *group);

#endif
