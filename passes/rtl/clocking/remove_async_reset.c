/* remove_async_reset: processes wait for their clocks only, and what they test stays: their resets take effect at the
 * clock's edge, with the polarity that they had. Asynchronous resets become resets in all modules and interfaces,
 * except where they are still used asynchronously: in processes and modules with the attribute `dont_touch`, and in
 * external modules, with whatever leads there. Latches and assignments that read a reset follow it at once, as
 * before. */
#include <stdlib.h>

#include "passes/rtl/clocking/global_input.h"
#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/interface.h"

typedef struct removal {
    weir_rtl_design *design;
    bool *stays;     /* by variable: used asynchronously */
    bool is_growing; /* one more stays */
    size_t processes, resets;
    weir_numbers first_field, fields; /* by interface; that stay, by first_field + index */
} removal;

static weir_rtl_kind kind_of(const weir_rtl_design *design, weir_rtl_var var) {
    return weir_rtl_get_var(design, var).kind;
}

/* ---- what stays asynchronous ---- */

static void stay(removal *r, weir_rtl_var var) {
    if (kind_of(r->design, var) != WEIR_RTL_ASYNC_RESET || r->stays[var.id]) return;
    r->stays[var.id] = true;
    r->is_growing = true;
}

/* All asynchronous resets that the value is made of. Recursion is bounded by the depth of expressions. */
static void stay_sources(removal *r, weir_rtl_expr value) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(r->design, value);
    if (info.kind == WEIR_RTL_EXPR_VAR || info.kind == WEIR_RTL_EXPR_PORT) stay(r, info.var);
    for (size_t i = 0; i < info.operand_count; i++) stay_sources(r, weir_rtl_operand(r->design, value, i));
}

static bool is_staying(const removal *r, weir_rtl_expr expr) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(r->design, expr);
    return (info.kind == WEIR_RTL_EXPR_VAR || info.kind == WEIR_RTL_EXPR_PORT) && r->stays[info.var.id];
}

static void follow_instance(removal *r, weir_rtl_instance instance) {
    const weir_rtl_module child = weir_rtl_get_instance(r->design, instance).module;
    const size_t ports = weir_rtl_get_module(r->design, child).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(r->design, child, i);
        const weir_rtl_expr value = weir_rtl_connection_at(r->design, instance, i);
        const bool is_input = weir_rtl_get_var(r->design, port).direction == WEIR_RTL_INPUT;
        if (value.id == 0) continue;
        if (is_input && r->stays[port.id]) stay_sources(r, value);
        if (!is_input && is_staying(r, value)) stay(r, port);
    }
}

static void follow_stmt(removal *r, weir_rtl_stmt stmt) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(r->design, stmt);
    if (info.kind == WEIR_RTL_STMT_INSTANCE) follow_instance(r, info.instance);
    if (info.kind == WEIR_RTL_STMT_ASSIGN && is_staying(r, info.target)) stay_sources(r, info.value);
}

/* A field of an interface is of one kind in all groups. */
static void follow_groups(removal *r, weir_rtl_module module) {
    const size_t groups = weir_rtl_group_count(r->design, module);
    for (size_t g = 0; g < groups; g++) {
        const weir_rtl_group group = weir_rtl_group_at(r->design, module, g);
        const weir_rtl_interface interface = weir_rtl_get_group(r->design, group).interface;
        const uint32_t first = weir_numbers_get(&r->first_field, interface.id);
        const uint32_t count = weir_rtl_get_interface(r->design, interface).field_count;
        for (uint32_t f = 0; f < count; f++) {
            const weir_rtl_var var = weir_rtl_group_var_at(r->design, group, f);
            if (var.id == 0) continue;
            if (r->stays[var.id]) *weir_numbers_at(&r->fields, first + f) = 1;
            else if (weir_numbers_get(&r->fields, first + f) != 0) stay(r, var);
        }
    }
}

static void number_fields(removal *r) {
    uint32_t next = 0;
    weir_rtl_interface i = weir_rtl_first_interface(r->design);
    for (; i.id != 0; i = weir_rtl_next_interface(r->design, i)) {
        *weir_numbers_at(&r->first_field, i.id) = next;
        next += weir_rtl_get_interface(r->design, i).field_count;
    }
}

/* Ports of external modules; events of processes that must not be touched. */
static void find_users(removal *r, weir_rtl_module module, weir_stmt_list *list) {
    const weir_rtl_module_info info = weir_rtl_get_module(r->design, module);
    for (size_t i = 0; i < info.port_count && info.is_external; i++) stay(r, weir_rtl_port_at(r->design, module, i));
    if (info.is_external) return;
    weir_list_inner(r->design, module, list);
    for (size_t i = 0; i < list->count; i++) {
        if (!weir_is_untouched(r->design, WEIR_RTL_ITEM(module)) &&
            !weir_is_untouched(r->design, WEIR_RTL_ITEM(list->stmt[i])))
            continue;
        for (size_t e = weir_rtl_event_count(r->design, list->stmt[i]); e-- > 0;)
            stay(r, weir_rtl_event_at(r->design, list->stmt[i], e).var);
    }
}

/* Back from the users through connections, assignments and interfaces, until nothing is added. */
static void find_staying(removal *r, weir_stmt_list *list) {
    weir_rtl_module m = weir_rtl_first_module(r->design);
    for (; m.id != 0; m = weir_rtl_next_module(r->design, m)) find_users(r, m, list);
    while (r->is_growing) {
        r->is_growing = false;
        for (m = weir_rtl_first_module(r->design); m.id != 0; m = weir_rtl_next_module(r->design, m)) {
            follow_groups(r, m);
            if (weir_rtl_get_module(r->design, m).is_external) continue;
            for (weir_rtl_stmt s = weir_rtl_first_part(r->design, m); s.id != 0; s = weir_rtl_next_part(r->design, s))
                follow_stmt(r, s);
        }
    }
}

/* ---- processes ---- */

static bool tests(const weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_var reset) {
    weir_rtl_stmt s = weir_rtl_inside(design, process, process);
    for (; s.id != 0; s = weir_rtl_inside(design, s, process)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        if (info.kind == WEIR_RTL_STMT_IF && weir_reads_var(design, info.value, reset)) return true;
    }
    return false;
}

/* Is a clock among the events, where a reset is to go? */
static bool keeps_clock(weir_rtl_design *design, weir_rtl_module module, weir_rtl_stmt process) {
    const size_t events = weir_rtl_event_count(design, process);
    const weir_location location = weir_rtl_get_item(design, WEIR_RTL_ITEM(process)).location;
    const char *name = weir_rtl_get_module(design, module).name;
    bool has_clock = events == 0;
    for (size_t i = 0; i < events; i++)
        has_clock = has_clock || kind_of(design, weir_rtl_event_at(design, process, i).var) == WEIR_RTL_CLOCK;
    if (!has_clock) {
        weir_error(location, "a process of module '%s' waits for the reset '%s' and for no clock", name,
                   weir_rtl_get_var(design, weir_rtl_event_at(design, process, 0).var).name);
        return false;
    }
    for (size_t i = 0; i < events; i++) {
        const weir_rtl_var var = weir_rtl_event_at(design, process, i).var;
        if (kind_of(design, var) == WEIR_RTL_ASYNC_RESET && !tests(design, process, var))
            weir_warning(
                location,
                "a process of module '%s' waits for the reset '%s' and does not test it: no reset would be left", name,
                weir_rtl_get_var(design, var).name);
    }
    return true;
}

/* The events of a process that are clocks become all of them. */
static void clock_process(removal *r, weir_rtl_stmt process) {
    const size_t events = weir_rtl_event_count(r->design, process);
    weir_rtl_event *event = weir_calloc(events + 1, sizeof *event);
    size_t clocks = 0;
    for (size_t i = 0; i < events; i++) {
        event[clocks] = weir_rtl_event_at(r->design, process, i);
        if (kind_of(r->design, event[clocks].var) == WEIR_RTL_CLOCK) clocks++;
    }
    if (clocks < events) {
        weir_rtl_clear_events(r->design, process);
        for (size_t i = 0; i < clocks; i++)
            weir_rtl_add_event(r->design, weir_rtl_get_stmt(r->design, process).body, event[i].edge, event[i].var);
        weir_rtl_touch(r->design, WEIR_RTL_ITEM(process));
        r->processes++;
    }
    free(event);
}

/* Looks at (`is_check`) or changes the processes of a module; false after a reported error. */
static bool visit_processes(removal *r, weir_rtl_module module, weir_stmt_list *list, bool is_check) {
    bool fine = true;
    if (weir_is_untouched(r->design, WEIR_RTL_ITEM(module))) return true;
    weir_list_inner(r->design, module, list);
    for (size_t i = 0; i < list->count; i++) {
        if (weir_rtl_kind_of(r->design, list->stmt[i]) != WEIR_RTL_STMT_ALWAYS ||
            weir_is_untouched(r->design, WEIR_RTL_ITEM(list->stmt[i])))
            continue;
        if (is_check) fine = keeps_clock(r->design, module, list->stmt[i]) && fine;
        else clock_process(r, list->stmt[i]);
    }
    return fine;
}

/* ---- kinds ---- */

/* The value as what takes it: where one is a reset and the other one stayed an asynchronous one. None: it fits. */
static weir_rtl_expr fitted(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_kind kind) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, value);
    const bool is_reset = kind == WEIR_RTL_RESET || kind == WEIR_RTL_ASYNC_RESET;
    if (!is_reset || info.carries == kind || info.kind == WEIR_RTL_EXPR_CONSTANT) return (weir_rtl_expr){0};
    return weir_rtl_as(design, info.kind == WEIR_RTL_EXPR_CAST ? weir_rtl_operand(design, value, 0) : value, kind);
}

static void fit_instance(removal *r, weir_rtl_instance instance) {
    const weir_rtl_module child = weir_rtl_get_instance(r->design, instance).module;
    const size_t ports = weir_rtl_get_module(r->design, child).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(r->design, child, i);
        const weir_rtl_var_info info = weir_rtl_get_var(r->design, port);
        const weir_rtl_expr value = weir_rtl_connection_at(r->design, instance, i);
        const bool is_input = info.direction == WEIR_RTL_INPUT && value.id != 0;
        const weir_rtl_expr fits = is_input ? fitted(r->design, value, info.kind) : (weir_rtl_expr){0};
        if (fits.id == 0) continue;
        weir_rtl_disconnect(r->design, instance, port);
        weir_rtl_connect(r->design, instance, info.name, fits);
    }
}

static void fit_module(removal *r, weir_rtl_module module, weir_stmt_list *list) {
    weir_list_inner(r->design, module, list);
    for (weir_rtl_stmt s = weir_rtl_first_part(r->design, module); s.id != 0; s = weir_rtl_next_part(r->design, s))
        weir_stmt_list_add(list, s);
    for (size_t i = 0; i < list->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(r->design, list->stmt[i]);
        if (info.kind == WEIR_RTL_STMT_INSTANCE) fit_instance(r, info.instance);
        if (info.kind != WEIR_RTL_STMT_ASSIGN) continue;
        const weir_rtl_expr fits = fitted(r->design, info.value, weir_rtl_get_expr(r->design, info.target).carries);
        if (fits.id != 0) weir_rtl_set_value(r->design, list->stmt[i], fits);
    }
}

static void change_kinds(removal *r, weir_stmt_list *list) {
    weir_rtl_module m = weir_rtl_first_module(r->design);
    for (; m.id != 0; m = weir_rtl_next_module(r->design, m))
        for (weir_rtl_var v = weir_rtl_first_var(r->design, m); v.id != 0; v = weir_rtl_next_var(r->design, v)) {
            if (kind_of(r->design, v) != WEIR_RTL_ASYNC_RESET || r->stays[v.id]) continue;
            weir_rtl_touch(r->design, WEIR_RTL_ITEM(v));
            r->resets++;
        }
    weir_rtl_replace_kind(r->design, WEIR_RTL_ASYNC_RESET, WEIR_RTL_RESET, r->stays);
    for (m = weir_rtl_first_module(r->design); m.id != 0; m = weir_rtl_next_module(r->design, m))
        if (!weir_rtl_get_module(r->design, m).is_external) fit_module(r, m, list);
}

bool weir_pass_remove_async_reset(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    weir_stmt_list list = {NULL, 0, 0};
    removal r = {.design = design};
    bool fine = true;
    r.stays = weir_calloc(weir_rtl_id_limit(design, WEIR_RTL_ITEM_VAR), sizeof *r.stays);
    weir_rtl_module m = weir_rtl_first_module(design);
    for (; m.id != 0; m = weir_rtl_next_module(design, m)) fine = visit_processes(&r, m, &list, true) && fine;
    if (fine) {
        number_fields(&r);
        find_staying(&r, &list);
        for (m = weir_rtl_first_module(design); m.id != 0; m = weir_rtl_next_module(design, m))
            visit_processes(&r, m, &list, false);
        change_kinds(&r, &list);
    }
    if (r.processes + r.resets == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "processes", (int64_t)r.processes);
    weir_pass_count(context, "resets", (int64_t)r.resets);
    weir_stmt_list_free(&list);
    weir_numbers_free(&r.first_field);
    weir_numbers_free(&r.fields);
    free(r.stays);
    return fine;
}
