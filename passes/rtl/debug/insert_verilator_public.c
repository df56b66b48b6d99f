/* insert_verilator_public: the attribute `public` of a variable (alone, or "flat", "flat_rd", "flat_rw") or a module
 * becomes `verilator_public`, which the printer writes as the comment that Verilator looks for. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/rtl.h"

/* 1: changed, 0: not marked, -1: an error was reported. */
static int mark(weir_rtl_design *design, weir_rtl_item item, const char *what, const char *name) {
    if (!weir_rtl_has_attribute(design, item, "public")) return 0;
    const char *how = weir_rtl_attribute_string(design, item, "public");
    const bool is_var = item.kind == WEIR_RTL_ITEM_VAR;
    if (how != NULL &&
        !(is_var && (strcmp(how, "flat") == 0 || strcmp(how, "flat_rd") == 0 || strcmp(how, "flat_rw") == 0))) {
        weir_error(weir_rtl_get_item(design, item).location,
                   "attribute 'public' of %s '%s': expected no value%s, found '%s'", what, name,
                   is_var ? ", 'flat', 'flat_rd' or 'flat_rw'" : "", how);
        return -1;
    }
    if (how != NULL) weir_rtl_set_attribute_string(design, item, "verilator_public", how);
    else weir_rtl_set_attribute(design, item, "verilator_public");
    weir_rtl_remove_attribute(design, item, "public");
    return 1;
}

bool weir_pass_insert_verilator_public(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, marked = 0, wrong = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        int done = mark(design, WEIR_RTL_ITEM(modules[i]), "module", weir_rtl_get_module(design, modules[i]).name);
        for (weir_rtl_var v = weir_rtl_first_var(design, modules[i]);; v = weir_rtl_next_var(design, v)) {
            marked += done > 0;
            wrong += done < 0;
            if (v.id == 0) break;
            const char *name = weir_rtl_get_var(design, v).name;
            done = mark(design, WEIR_RTL_ITEM(v), "variable", name);
        }
    }
    if (marked == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "items", (int64_t)marked);
    free(modules);
    return modules != NULL && wrong == 0;
}
