/* check_non_synthesizable_content: what only a simulator runs: initial and final blocks, names of signals inside
 * instances. Assertions are not hardware either, but the printer keeps them from synthesis. */
#include "passes/rtl/checks/check.h"

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    const char *name = weir_module_name_of(design, module);
    size_t found = 0;
    (void)user;
    for (weir_rtl_var v = weir_rtl_first_var(design, module); v.id != 0; v = weir_rtl_next_var(design, v)) {
        const weir_rtl_var_info info = weir_rtl_get_var(design, v);
        if (!info.is_path) continue;
        weir_error(weir_location_of_var(design, v),
                   "module '%s' reads '%s' inside an instance, which is not synthesizable", name, info.name);
        found++;
    }
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id != 0; s = weir_rtl_next_part(design, s)) {
        const weir_rtl_stmt_kind kind = weir_rtl_kind_of(design, s);
        if (kind != WEIR_RTL_STMT_INITIAL && kind != WEIR_RTL_STMT_FINAL) continue;
        weir_error(weir_location_of_stmt(design, s), "module '%s' has %s block, which is not synthesizable", name,
                   kind == WEIR_RTL_STMT_FINAL ? "a final" : "an initial");
        found++;
    }
    return found;
}

bool weir_pass_check_non_synthesizable_content(const weir_pass *pass, weir_pass_context *context,
                                               weir_rtl_design *design) {
    (void)pass;
    return weir_check_modules(context, design, check_module, NULL);
}
