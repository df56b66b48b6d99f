/* remove_assertion: removes assertions, those in processes and those at the edges of clocks. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"

static size_t sweep(weir_rtl_design *design, weir_rtl_module module, weir_stmt_list *list) {
    size_t removed = 0;
    weir_list_inner(design, module, list);
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0;
         s = weir_rtl_next(design, s))
        if (weir_rtl_get_stmt(design, s).kind == WEIR_RTL_STMT_ASSERT) weir_stmt_list_add(list, s);
    for (size_t i = 0; i < list->count; i++) {
        if (weir_rtl_get_stmt(design, list->stmt[i]).kind != WEIR_RTL_STMT_ASSERT) continue;
        weir_rtl_remove_stmt(design, list->stmt[i]);
        removed++;
    }
    return removed;
}

bool weir_pass_remove_assertion(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, removed = 0;
    weir_stmt_list list = {NULL, 0, 0};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) removed += sweep(design, modules[i], &list);
    if (removed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "assertions removed", (int64_t)removed);
    weir_stmt_list_free(&list);
    free(modules);
    return modules != NULL;
}
