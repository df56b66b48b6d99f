/* How the pass manager handles designs of the hardware IR: the text form as their text, their own verifier. */
#include "pass/core/module.h"

#include "rtlir/core/formula.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/snapshot.h"
#include "rtlir/edit/specialize.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"

static weir_rtl_module top_of(const weir_module *module) {
    return weir_rtl_find_top(weir_module_design(module), weir_module_string(module, "hardware.top", ""));
}

static void print(const weir_module *module, weir_text *text) { weir_rtl_print_text(weir_module_design(module), text); }

static bool verify(const weir_module *module) {
    if (top_of(module).id == 0) {
        weir_error(WEIR_NOWHERE, "the design of module '%s' has no top module '%s'", weir_module_name(module),
                   weir_module_string(module, "hardware.top", ""));
        return false;
    }
    return weir_rtl_verify_form(weir_module_design(module), top_of(module));
}

static weir_rtl_design *with_values(const weir_module *module) {
    weir_rtl_design *design = weir_module_design(module);
    if (!weir_rtl_find_parametrised(design, top_of(module)).id) return design;
    weir_rtl_design *copy = weir_rtl_snapshot(design);
    if (weir_rtl_specialize(copy, top_of(module)).id) return copy;
    weir_rtl_design_free(copy);
    return NULL;
}

static void enter(const weir_module *module, const char *pass) { weir_rtl_set_pass(weir_module_design(module), pass); }

void weir_module_set_rtl(weir_module *module, weir_rtl_design *design, const char *top) {
    static const weir_module_design_calls calls = {
        .print = print, .verify = verify, .enter = enter, .release = weir_rtl_design_free, .with_values = with_values};
    weir_module_set_string(module, "hardware.top", top);
    weir_module_set_design(module, design, &calls);
}
