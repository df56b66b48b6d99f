#include "passes/rtl/rtl.h"

#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "support/memory/arena.h"

weir_rtl_module weir_hardware_top_of(const weir_module *module) {
    return weir_rtl_find_top(weir_module_design(module), weir_module_string(module, "hardware.top", ""));
}

weir_rtl_module weir_hardware_top(const weir_pass_context *context) {
    return weir_hardware_top_of(weir_pass_module_of(context));
}

weir_rtl_module *weir_hardware_modules(const weir_pass_context *context, weir_rtl_design *design, weir_rtl_order order,
                                       size_t *count) {
    size_t all = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, weir_hardware_top(context), order, &all);
    *count = 0;
    for (size_t i = 0; modules != NULL && i < all; i++)
        if (!weir_rtl_get_module(design, modules[i]).is_external) modules[(*count)++] = modules[i];
    return modules;
}

weir_rtl_expr weir_hardware_zero(weir_rtl_design *design, uint32_t width) {
    uint64_t *words = weir_calloc((width + 63) / 64, sizeof *words);
    const weir_rtl_expr zero = weir_rtl_constant_words(design, width, false, words);
    free(words);
    return zero;
}

weir_rtl_expr weir_hardware_zero_like(weir_rtl_design *design, weir_rtl_expr like) {
    if (weir_rtl_get_expr(design, like).formula.id == 0)
        return weir_hardware_zero(design, weir_rtl_width(design, like));
    return weir_rtl_constant_by(design, weir_rtl_width_formula(design, like), 0);
}
