/* remove_unused_stmts: processes and loops of a module's body that hold nothing go. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"

static size_t sweep(weir_rtl_design *design, weir_rtl_module module) {
    size_t removed = 0;
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body), next; s.id != 0;
         s = next) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        next = weir_rtl_next(design, s);
        const bool is_loop_or_process = info.kind == WEIR_RTL_STMT_FOR || weir_is_process(info.kind);
        if (!is_loop_or_process || info.kind == WEIR_RTL_STMT_FUNCTION || weir_rtl_first(design, info.body).id != 0 ||
            weir_is_kept(design, WEIR_RTL_ITEM(s)))
            continue;
        weir_rtl_remove_stmt(design, s);
        removed++;
    }
    return removed;
}

bool weir_pass_remove_unused_stmts(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, removed = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) removed += sweep(design, modules[i]);
    if (removed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "statements removed", (int64_t)removed);
    free(modules);
    return modules != NULL;
}
