/* fix_assignment_type: an undecided assignment becomes what its context demands. What was decided otherwise is
 * an error; a clocked block with the attribute check_assignment = false may hold both kinds. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"

static size_t fix(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_module module, int64_t *fixed) {
    if (weir_rtl_kind_of(design, stmt) != WEIR_RTL_STMT_ASSIGN) return 0;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    const weir_rtl_timing expected = weir_rtl_timing_in(design, info.block);
    if (info.timing == WEIR_RTL_UNDECIDED) {
        weir_rtl_set_timing(design, stmt, expected);
        weir_rtl_touch(design, WEIR_RTL_ITEM(stmt));
        ++*fixed;
        return 0;
    }
    if (weir_rtl_timing_fits(design, info.block, info.timing)) return 0;
    weir_text target = {NULL, 0, 0};
    weir_rtl_print_written(design, info.target, &target);
    weir_error(weir_location_of_stmt(design, stmt), "assignment to '%s' in module '%s' is %s, expected %s here",
               target.data, weir_module_name_of(design, module), weir_rtl_timing_name(info.timing),
               weir_rtl_timing_name(expected));
    weir_text_free(&target);
    return 1;
}

static size_t fix_module(weir_rtl_design *design, weir_rtl_module module, int64_t *fixed) {
    size_t wrong = 0;
    weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body);
    for (; s.id != 0; s = weir_rtl_next(design, s))
        for (weir_rtl_stmt inner = s; inner.id != 0; inner = weir_rtl_inside(design, inner, s))
            wrong += fix(design, inner, module, fixed);
    return wrong;
}

bool weir_pass_fix_assignment_type(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    size_t count, wrong = 0;
    int64_t fixed = 0;
    (void)pass;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) wrong += fix_module(design, modules[i], &fixed);
    const bool fine = modules != NULL && wrong == 0;
    if (fixed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "assignments decided", fixed);
    free(modules);
    return fine;
}
