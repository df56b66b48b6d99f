/* extract_register_names: variables that clocked processes assign, one `MODULE.NAME` a line, modules from the top down,
 * variables in the order of their declaration; the same as a list in the record. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "passes/rtl/inner.h"
#include "passes/rtl/numbers.h"

static void mark(weir_rtl_net net, weir_rtl_stmt stmt, void *is_register) {
    (void)stmt;
    if (net.instance.id == 0) *weir_numbers_at(is_register, net.var.id) = 1;
}

static void mark_module(const weir_rtl_design *design, weir_rtl_module module, weir_stmt_list *list,
                        weir_numbers *is_register) {
    bool is_clocked = false;
    weir_list_inner(design, module, list);
    for (size_t i = 0; i < list->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, list->stmt[i]);
        if (weir_is_process(info.kind)) is_clocked = info.kind == WEIR_RTL_STMT_ALWAYS;
        else if (info.kind == WEIR_RTL_STMT_ASSIGN && is_clocked && info.timing != WEIR_RTL_CONTINUOUS)
            weir_visit_parts(design, info.target, list->stmt[i], mark, is_register);
    }
}

bool weir_pass_extract_register_names(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, registers = 0;
    weir_stmt_list list = {NULL, 0, 0};
    weir_numbers is_register = {NULL, 0};
    json_t *names = json_array();
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_PARENTS_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        const char *module = weir_rtl_get_module(design, modules[i]).name;
        mark_module(design, modules[i], &list, &is_register);
        for (weir_rtl_var v = weir_rtl_first_var(design, modules[i]); v.id != 0; v = weir_rtl_next_var(design, v)) {
            if (*weir_numbers_at(&is_register, v.id) == 0) continue;
            char *name = weir_format("%s.%s", module, weir_rtl_get_var(design, v).name);
            weir_text_format(weir_pass_output(context), "%s\n", name);
            json_array_append_new(names, json_string(name));
            free(name);
            registers++;
        }
    }
    json_object_set_new(weir_pass_record(context), "registers", names);
    weir_pass_unchanged(context);
    weir_pass_count(context, "registers", (int64_t)registers);
    weir_stmt_list_free(&list);
    weir_numbers_free(&is_register);
    free(modules);
    return modules != NULL;
}
