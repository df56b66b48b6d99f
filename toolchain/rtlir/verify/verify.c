/* The checks of modules below a top: their form (verify_form.c), their bits (drivers.c). */
#include "rtlir/verify/verify.h"

#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/snapshot.h"
#include "rtlir/edit/specialize.h"
#include "rtlir/verify/verify_private.h"

/* Checks forms and bits of all modules below top; false when anything was reported. */
static bool check(weir_rtl_design *design, weir_rtl_module top, bool checks_form, unsigned bits) {
    size_t count = 0;
    size_t errors = design->errors;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    uint32_t *seen = checks_form ? weir_calloc(design->expr_count, sizeof *seen) : NULL;
    rtl_nets *nets = bits ? rtl_nets_new(design, bits) : NULL;
    for (size_t i = 0; modules && i < count; i++) {
        if (design->module[modules[i].id].is_external) continue;
        bool has_form = !checks_form || rtl_verify_form(design, modules[i].id, seen);
        if (has_form && (bits & RTL_CHECK_CONNECTIONS)) weir_rtl_check_bounds(design, modules[i]);
        if (has_form && bits) rtl_nets_check(nets, modules[i].id);
    }
    bool sound = modules && design->errors == errors;
    rtl_nets_free(nets);
    free(seen);
    free(modules);
    return sound;
}

/* Modules with formulas are looked at with each set of values that instances give them, in a copy of the design. */
static bool check_each(weir_rtl_design *design, weir_rtl_module top, bool checks_form, unsigned bits) {
    if (!weir_rtl_find_parametrised(design, top).id) return check(design, top, checks_form, bits);
    if (checks_form && !check(design, top, true, 0)) return false;
    weir_rtl_design *copy = weir_rtl_snapshot(design);
    const weir_rtl_module own = weir_rtl_specialize(copy, top);
    const bool fine = own.id && (!bits || check(copy, own, false, bits));
    design->errors = copy->errors;
    weir_rtl_design_free(copy);
    return fine;
}

bool weir_rtl_verify(weir_rtl_design *design, weir_rtl_module top) {
    return check_each(design, top, true, RTL_CHECK_DRIVERS | RTL_CHECK_CONNECTIONS) && design->errors == 0;
}

bool weir_rtl_verify_form(weir_rtl_design *design, weir_rtl_module top) {
    return check_each(design, top, true, 0) && design->errors == 0;
}

bool weir_rtl_check_connections(weir_rtl_design *design, weir_rtl_module top) {
    return check_each(design, top, false, RTL_CHECK_CONNECTIONS);
}

bool weir_rtl_check_drivers(weir_rtl_design *design, weir_rtl_module top) {
    return check_each(design, top, false, RTL_CHECK_DRIVERS);
}
