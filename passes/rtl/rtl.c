#include "passes/rtl/rtl.h"

#include <stdlib.h>

weir_rtl_module weir_hardware_top(const weir_pass_context *context, const weir_rtl_design *design) {
    return weir_rtl_find_top(design, weir_module_string(weir_pass_module_of(context), "hardware.top", ""));
}

weir_rtl_module *weir_hardware_modules(const weir_pass_context *context, weir_rtl_design *design, weir_rtl_order order,
                                       size_t *count) {
    size_t all = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, weir_hardware_top(context, design), order, &all);
    *count = 0;
    for (size_t i = 0; modules != NULL && i < all; i++)
        if (!weir_rtl_get_module(design, modules[i]).is_external) modules[(*count)++] = modules[i];
    return modules;
}
