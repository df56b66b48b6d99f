/* zero_out_stubs: every output of a stub becomes zero, and the stub a module like others. A stub has ports and nothing
 * else. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"

static size_t report_content(weir_rtl_design *design, weir_rtl_module module) {
    size_t found = 0;
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    for (weir_rtl_var v = weir_rtl_first_var(design, module); v.id != 0; v = weir_rtl_next_var(design, v)) {
        const weir_rtl_var_info var = weir_rtl_get_var(design, v);
        if (var.direction != WEIR_RTL_INTERNAL) continue;
        weir_error(weir_location_of_var(design, v), "stub '%s' has the variable '%s', expected ports only", info.name,
                   var.name);
        found++;
    }
    for (weir_rtl_stmt s = weir_rtl_first(design, info.body); s.id != 0; s = weir_rtl_next(design, s)) {
        weir_error(weir_location_of_stmt(design, s), "stub '%s' has a statement, expected ports only", info.name);
        found++;
    }
    return found;
}

/* Returns how many outputs there are. */
static int64_t zero_outputs(weir_rtl_design *design, weir_rtl_module module) {
    int64_t outputs = 0;
    const size_t count = weir_rtl_get_module(design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, module, i);
        const weir_rtl_var_info info = weir_rtl_get_var(design, port);
        if (info.direction != WEIR_RTL_OUTPUT) continue;
        const weir_rtl_expr output = weir_rtl_read(design, port);
        weir_rtl_assign(design, module, output, weir_hardware_zero_like(design, output));
        outputs++;
    }
    weir_rtl_set_stub(design, module, false);
    weir_rtl_touch(design, WEIR_RTL_ITEM(module));
    return outputs;
}

bool weir_pass_zero_out_stubs(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    size_t count, wrong = 0;
    int64_t stubs = 0, outputs = 0;
    (void)pass;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++)
        if (weir_rtl_get_module(design, modules[i]).is_stub) wrong += report_content(design, modules[i]);
    for (size_t i = 0; modules != NULL && wrong == 0 && i < count; i++) {
        if (!weir_rtl_get_module(design, modules[i]).is_stub) continue;
        outputs += zero_outputs(design, modules[i]);
        stubs++;
    }
    if (stubs == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "stubs", stubs);
    weir_pass_count(context, "outputs", outputs);
    const bool fine = modules != NULL && wrong == 0;
    free(modules);
    return fine;
}
