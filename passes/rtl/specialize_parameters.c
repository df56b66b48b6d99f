/* specialize_parameters: a module without parameters for each module with parameters and each set of values that its
 * instances give them (rtlir/formula.h). */
#include "passes/rtl/rtl.h"
#include "rtlir/formula.h"

static bool has_parameters(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    bool any = false;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, modules[i]);
        any = any || (!info.is_external && info.parameter_count > 0);
    }
    free(modules);
    return any;
}

bool weir_pass_specialize_parameters(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    const weir_rtl_module top = weir_hardware_top(context);
    const size_t before = weir_rtl_module_count(design), first = weir_rtl_id_limit(design, WEIR_RTL_ITEM_MODULE);
    if (!has_parameters(design, top)) {
        weir_pass_unchanged(context);
        return true;
    }
    const weir_rtl_module made = weir_rtl_specialize(design, top);
    if (made.id == 0) return false;
    const size_t added = weir_rtl_id_limit(design, WEIR_RTL_ITEM_MODULE) - first;
    weir_pass_count(context, "modules made", (int64_t)added);
    weir_pass_count(context, "modules removed", (int64_t)(before + added - weir_rtl_module_count(design)));
    return true;
}
