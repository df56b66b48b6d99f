/* check_active_high: a reset is used as it is declared (the attribute active_high = true or false of its port), or else
 * as it is used first: with one edge, with tests of one polarity, with instances that agree, and either at its edge or
 * at that of a clock. Modules come children first, so that what instances do with their resets is known. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/branch.h"
#include "support/memory/arena.h"

/* What is known of a reset; the statements say where from, none: not yet. */
typedef struct reset_use {
    weir_rtl_stmt polarity, timing;
    bool is_high, is_declared, is_synchronous;
} reset_use;

typedef struct resets {
    weir_rtl_design *design;
    weir_rtl_module module;
    reset_use *use; /* by variable */
    size_t found;
} resets;

static const char *active(bool is_high) { return is_high ? "high" : "low"; }

/* Is the polarity of a reset certain? */
static bool find_polarity(const resets *r, weir_rtl_var var, bool *is_high) {
    const weir_rtl_item port = WEIR_RTL_ITEM(var);
    const bool is_declared = weir_rtl_has_attribute(r->design, port, "active_high");
    *is_high = is_declared ? weir_rtl_attribute_flag(r->design, port, "active_high", true) : r->use[var.id].is_high;
    return is_declared || r->use[var.id].polarity.id != 0;
}

static void see_polarity(resets *r, weir_rtl_var var, bool is_high, weir_rtl_stmt stmt, const char *how) {
    reset_use *use = &r->use[var.id];
    if (use->polarity.id == 0) {
        bool declared;
        use->is_declared = find_polarity(r, var, &declared);
        use->is_high = use->is_declared ? declared : is_high;
        use->polarity = stmt;
    }
    if (use->is_high == is_high) return;
    weir_error(weir_location_of_stmt(r->design, stmt),
               "reset '%s' of module '%s' is %s as active %s, expected active %s",
               weir_rtl_get_var(r->design, var).name, weir_module_name_of(r->design, r->module), how, active(is_high),
               active(use->is_high));
    if (use->is_declared)
        weir_note_at(weir_location_of_var(r->design, var), "it is declared active %s", active(use->is_high));
    else weir_note_at(weir_location_of_stmt(r->design, use->polarity), "it is used as active %s", active(use->is_high));
    r->found++;
}

static void see_timing(resets *r, weir_rtl_var var, bool is_synchronous, weir_rtl_stmt stmt) {
    reset_use *use = &r->use[var.id];
    if (use->timing.id == 0) {
        use->timing = stmt;
        use->is_synchronous = is_synchronous;
    }
    if (use->is_synchronous == is_synchronous) return;
    weir_error(weir_location_of_stmt(r->design, stmt),
               "reset '%s' of module '%s' is used %ssynchronously, expected it to be used %ssynchronously, as before",
               weir_rtl_get_var(r->design, var).name, weir_module_name_of(r->design, r->module),
               is_synchronous ? "" : "a", is_synchronous ? "a" : "");
    weir_note_at(weir_location_of_stmt(r->design, use->timing), "it is used %ssynchronously",
                 is_synchronous ? "a" : "");
    r->found++;
}

static bool waits_for(const weir_rtl_design *design, weir_rtl_stmt always, weir_rtl_var var) {
    bool waits = false;
    for (size_t i = 0; i < weir_rtl_event_count(design, always); i++)
        waits = waits || weir_rtl_event_at(design, always, i).var.id == var.id;
    return waits;
}

static void check_block(resets *r, weir_rtl_stmt always) {
    weir_rtl_design *design = r->design;
    for (size_t i = 0; i < weir_rtl_event_count(design, always); i++) {
        const weir_rtl_event event = weir_rtl_event_at(design, always, i);
        if (weir_rtl_get_var(design, event.var).kind != WEIR_RTL_ASYNC_RESET) continue;
        see_polarity(r, event.var, event.edge == WEIR_RTL_POSEDGE, always, "waited for");
        see_timing(r, event.var, false, always);
    }
    weir_rtl_stmt s = weir_rtl_inside(design, always, always);
    for (; s.id != 0; s = weir_rtl_inside(design, s, always)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        if (info.kind != WEIR_RTL_STMT_IF) continue;
        const weir_rtl_reset_test test = weir_rtl_tested_reset(design, info.value);
        if (test.reset.id == 0) continue;
        see_polarity(r, test.reset, test.is_high, s, "tested");
        if (!waits_for(design, always, test.reset)) see_timing(r, test.reset, true, s);
    }
}

/* ---- resets of instances ---- */

/* The port takes the value, which may be a reset of this module or the opposite of one. */
static void see_port(resets *r, weir_rtl_var port, weir_rtl_expr value, weir_rtl_stmt stmt) {
    bool is_high;
    const weir_rtl_kind kind = weir_rtl_get_var(r->design, port).kind;
    if ((kind != WEIR_RTL_RESET && kind != WEIR_RTL_ASYNC_RESET) || !find_polarity(r, port, &is_high)) return;
    const weir_rtl_reset_test test = weir_rtl_tested_reset(r->design, value);
    if (test.reset.id != 0) see_polarity(r, test.reset, test.is_high == is_high, stmt, "connected to an instance");
}

static void check_instance(resets *r, weir_rtl_stmt stmt) {
    const weir_rtl_instance instance = weir_rtl_get_stmt(r->design, stmt).instance;
    const weir_rtl_module module = weir_rtl_get_instance(r->design, instance).module;
    const size_t count = weir_rtl_get_module(r->design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_expr value = weir_rtl_connection_at(r->design, instance, i);
        if (value.id != 0) see_port(r, weir_rtl_port_at(r->design, module, i), value, stmt);
    }
}

static void check_assign(resets *r, weir_rtl_stmt stmt) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(r->design, stmt);
    const weir_rtl_expr_info target = weir_rtl_get_expr(r->design, info.target);
    if (target.kind == WEIR_RTL_EXPR_PORT) see_port(r, target.var, info.value, stmt);
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    resets *r = user;
    r->module = module;
    r->found = 0;
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id != 0; s = weir_rtl_next_part(design, s))
        switch (weir_rtl_kind_of(design, s)) {
        case WEIR_RTL_STMT_ALWAYS: check_block(r, s); break;
        case WEIR_RTL_STMT_INSTANCE: check_instance(r, s); break;
        case WEIR_RTL_STMT_ASSIGN: check_assign(r, s); break;
        default: break;
        }
    return r->found;
}

bool weir_pass_check_active_high(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    resets r = {.design = design};
    (void)pass;
    r.use = weir_calloc(weir_rtl_id_limit(design, WEIR_RTL_ITEM_VAR), sizeof *r.use);
    const bool fine = weir_check_modules(context, design, check_module, &r);
    free(r.use);
    return fine;
}
