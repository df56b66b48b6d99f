/* create_interface_instantiation: groups of ports and variables become interfaces with modports in SystemVerilog, as
 * far as instances connect them whole; Verilog-2005 stays flat. The pass marks the groups, and says of each one that
 * stays flat why: the printer does the rest. Passes that take groups apart come before it. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/group_plan.h"
#include "rtlir/core/interface.h"
#include "support/memory/arena.h"

static void report(weir_rtl_design *design, weir_rtl_group group, const weir_rtl_group_plan *plan) {
    const weir_rtl_group_info info = weir_rtl_get_group(design, group);
    weir_note_at(weir_rtl_get_item(design, WEIR_RTL_ITEM(info.module)).location,
                 "group '%s' of module '%s' stays flat: %s", info.name, weir_module_name_of(design, info.module),
                 plan->flat);
}

bool weir_pass_create_interface_instantiation(const weir_pass *pass, weir_pass_context *context,
                                              weir_rtl_design *design) {
    size_t count = 0, changes = 0;
    int64_t interfaces = 0;
    (void)pass;
    weir_rtl_group_plan *plan = weir_rtl_plan_groups(design, weir_hardware_top(context), false);
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < weir_rtl_group_count(design, modules[i]); k++) {
            const weir_rtl_group group = weir_rtl_group_at(design, modules[i], k);
            const bool fits = plan[group.id].flat == NULL;
            if (!fits) report(design, group, &plan[group.id]);
            if (fits != weir_rtl_get_group(design, group).is_interface) changes++;
            weir_rtl_mark_group(design, group, fits);
            interfaces += fits;
        }
    if (changes == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "interfaces", interfaces);
    const bool fine = modules != NULL;
    free(modules);
    free(plan);
    return fine;
}
