/* realize_fsm: processes in place of each state machine. The state is an enum `<machine>_state` in `<machine>_current`;
 * an always block takes `<machine>_next` or, on reset, the start; a combinational block says what is next, another one
 * gives the outputs (in a Mealy machine the same one, because they depend on the path). A code that is no state leads
 * to the start and shows what the start shows, of a Mealy machine on the transition without a condition. */
#include <stdlib.h>

#include "passes/rtl/rtl.h"
#include "rtlir/core/fsm.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"

enum { MOST_TRANSITIONS = 900 };

typedef struct machine {
    weir_rtl_design *design;
    weir_rtl_fsm fsm;
    weir_rtl_fsm_info info;
    weir_rtl_expr current, next;
    bool is_full; /* every code is a state */
} machine;

/* ---- pieces ---- */

static void comment(machine *m, weir_rtl_stmt stmt, const char *what) {
    char *text = weir_format("%s: %s", m->info.name, what);
    weir_rtl_set_comment(m->design, WEIR_RTL_ITEM(stmt), text);
    free(text);
}

static bool gives_outputs(const machine *m, weir_rtl_block block) {
    weir_rtl_stmt s = block.id != 0 ? weir_rtl_first(m->design, block) : (weir_rtl_stmt){0};
    while (s.id != 0 && weir_rtl_get_stmt(m->design, s).kind != WEIR_RTL_STMT_ASSIGN) s = weir_rtl_next(m->design, s);
    return s.id != 0;
}

/* The assignments of one block at the end of another one. */
static void put_outputs(machine *m, weir_rtl_block from, weir_rtl_block to) {
    if (from.id == 0) return;
    for (weir_rtl_stmt s = weir_rtl_first(m->design, from); s.id != 0; s = weir_rtl_next(m->design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, s);
        if (info.kind != WEIR_RTL_STMT_ASSIGN) continue;
        const weir_rtl_stmt copy = weir_rtl_set(m->design, to, info.target, info.value);
        weir_rtl_copy_item(m->design, WEIR_RTL_ITEM(s), WEIR_RTL_ITEM(copy));
    }
}

/* The defaults of the inner machines around a state, outer ones first. Depth is bounded by the IR. */
static void put_inner_defaults(machine *m, weir_rtl_fsm fsm, weir_rtl_block to) {
    if (fsm.id == m->fsm.id) return;
    put_inner_defaults(m, weir_rtl_get_fsm(m->design, fsm).parent, to);
    put_outputs(m, weir_rtl_fsm_body(m->design, fsm), to);
}

static bool has_inner_defaults(const machine *m, weir_rtl_fsm fsm) {
    while (fsm.id != m->fsm.id && !gives_outputs(m, weir_rtl_fsm_body(m->design, fsm)))
        fsm = weir_rtl_get_fsm(m->design, fsm).parent;
    return fsm.id != m->fsm.id;
}

/* What a state gives on top of the outermost machine's defaults. */
static void put_state(machine *m, weir_rtl_state state, weir_rtl_block to) {
    put_inner_defaults(m, weir_rtl_get_state(m->design, state).fsm, to);
    put_outputs(m, weir_rtl_state_body(m->design, state), to);
}

static bool state_gives_outputs(const machine *m, weir_rtl_state state) {
    return has_inner_defaults(m, weir_rtl_get_state(m->design, state).fsm) ||
           gives_outputs(m, weir_rtl_state_body(m->design, state));
}

/* What is made comes from where that is which it is made for. */
static void from(const machine *m, weir_rtl_stmt cause, weir_rtl_stmt made) {
    weir_rtl_copy_location(m->design, WEIR_RTL_ITEM(cause), WEIR_RTL_ITEM(made));
    weir_rtl_touch(m->design, WEIR_RTL_ITEM(made));
}

static void go_to(machine *m, weir_rtl_block block, weir_rtl_state state, weir_rtl_stmt cause) {
    from(m, cause, weir_rtl_set(m->design, block, m->next, weir_rtl_state_value(m->design, state)));
}

/* The item of a case for a state, which looks like it. */
static weir_rtl_block add_item(machine *m, weir_rtl_stmt choice, weir_rtl_state state) {
    const weir_rtl_block item = weir_rtl_add_case_item(m->design, choice, weir_rtl_state_value(m->design, state));
    weir_rtl_copy_item(m->design, WEIR_RTL_ITEM(weir_rtl_get_state(m->design, state).stmt),
                       WEIR_RTL_ITEM(weir_rtl_owner(m->design, item)));
    return item;
}

/* ---- the register ---- */

static void add_register(machine *m) {
    weir_rtl_design *d = m->design;
    const weir_rtl_fsm_info *info = &m->info;
    weir_rtl_expr reset = weir_rtl_read(d, info->reset);
    const weir_rtl_block body = weir_rtl_add_always(d, info->module, info->edge, info->clock);
    if (weir_rtl_get_var(d, info->reset).kind == WEIR_RTL_ASYNC_RESET)
        weir_rtl_add_event(d, body, info->is_low ? WEIR_RTL_NEGEDGE : WEIR_RTL_POSEDGE, info->reset);
    if (info->is_low) reset = weir_rtl_unary(d, WEIR_RTL_LOGICAL_NOT, reset);
    const weir_rtl_stmt branch = weir_rtl_add_if(d, body, reset);
    from(m, info->stmt, branch);
    from(m, info->stmt,
         weir_rtl_set_next(d, weir_rtl_then(d, branch), m->current, weir_rtl_state_value(d, info->start)));
    from(m, info->stmt, weir_rtl_set_next(d, weir_rtl_else(d, branch), m->current, m->next));
    weir_rtl_copy_item(d, WEIR_RTL_ITEM(info->stmt), WEIR_RTL_ITEM(weir_rtl_owner(d, body)));
    weir_rtl_move_stmt(d, weir_rtl_owner(d, body), weir_rtl_get_module(d, info->module).body, info->stmt);
}

/* ---- what is next ---- */

/* The transitions of a state as a chain of ifs; of a Mealy machine with their outputs. */
static void put_transitions(machine *m, weir_rtl_state state, weir_rtl_block block) {
    bool any = false;
    weir_rtl_stmt chain = {0};
    for (weir_rtl_stmt s = weir_rtl_first(m->design, weir_rtl_state_body(m->design, state)); s.id != 0;
         s = weir_rtl_next(m->design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, s);
        if (info.kind != WEIR_RTL_STMT_TRANSITION) continue;
        weir_rtl_block here = chain.id != 0 ? weir_rtl_else(m->design, chain) : block;
        any = true;
        if (info.value.id != 0) {
            chain = weir_rtl_add_if(m->design, here, info.value);
            weir_rtl_copy_item(m->design, WEIR_RTL_ITEM(s), WEIR_RTL_ITEM(chain));
            here = weir_rtl_then(m->design, chain);
        }
        go_to(m, here, info.state, s);
        put_outputs(m, info.body, here);
        if (info.value.id == 0) return;
    }
    if (!any) go_to(m, block, state, weir_rtl_get_state(m->design, state).stmt);
}

/* The transition that is taken when no other one is; none: the state may stay. */
static weir_rtl_stmt last_resort(const machine *m, weir_rtl_state state) {
    weir_rtl_stmt s = weir_rtl_first(m->design, weir_rtl_state_body(m->design, state));
    for (; s.id != 0; s = weir_rtl_next(m->design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, s);
        if (info.kind == WEIR_RTL_STMT_TRANSITION && info.value.id == 0) break;
    }
    return s;
}

static void put_lost(machine *m, weir_rtl_stmt choice) {
    const weir_rtl_block item = weir_rtl_add_default(m->design, choice);
    from(m, m->info.stmt, weir_rtl_owner(m->design, item));
    go_to(m, item, m->info.start, m->info.stmt);
    if (!m->info.is_mealy) return;
    const weir_rtl_stmt last = last_resort(m, m->info.start);
    put_state(m, m->info.start, item);
    if (last.id != 0) put_outputs(m, weir_rtl_get_stmt(m->design, last).body, item);
}

static void add_next(machine *m) {
    weir_rtl_design *d = m->design;
    const weir_rtl_block body = weir_rtl_add_combinational(d, m->info.module);
    from(m, m->info.stmt, weir_rtl_set(d, body, m->next, m->current));
    if (m->info.is_mealy) put_outputs(m, weir_rtl_fsm_body(d, m->fsm), body);
    const weir_rtl_stmt choice = weir_rtl_add_case(d, body, m->current);
    from(m, m->info.stmt, choice);
    for (weir_rtl_state s = weir_rtl_first_state(d, m->fsm); s.id != 0; s = weir_rtl_next_state(d, m->fsm, s)) {
        const weir_rtl_block item = add_item(m, choice, s);
        if (m->info.is_mealy) put_state(m, s, item);
        put_transitions(m, s, item);
    }
    if (!m->is_full) put_lost(m, choice);
    const weir_rtl_stmt made = weir_rtl_owner(d, body);
    from(m, m->info.stmt, made);
    comment(m, made, m->info.is_mealy ? "next state and outputs" : "next state");
    weir_rtl_move_stmt(d, made, weir_rtl_get_module(d, m->info.module).body, m->info.stmt);
}

/* ---- outputs of a Moore machine ---- */

/* States that give nothing have what is assigned above the case, unless a code that is no state would have it too. */
static void put_outputs_case(machine *m, weir_rtl_block body) {
    weir_rtl_design *d = m->design;
    const bool shows_start = !m->is_full && state_gives_outputs(m, m->info.start);
    bool skipped = false, any = false;
    weir_rtl_state s = weir_rtl_first_state(d, m->fsm);
    for (; s.id != 0; s = weir_rtl_next_state(d, m->fsm, s)) {
        if (state_gives_outputs(m, s)) any = true;
        else skipped = true;
    }
    if (!any) return;
    const weir_rtl_stmt choice = weir_rtl_add_case(d, body, m->current);
    from(m, m->info.stmt, choice);
    for (s = weir_rtl_first_state(d, m->fsm); s.id != 0; s = weir_rtl_next_state(d, m->fsm, s))
        if (shows_start || state_gives_outputs(m, s)) put_state(m, s, add_item(m, choice, s));
    if (!skipped && m->is_full) return;
    const weir_rtl_block rest = weir_rtl_add_default(d, choice);
    from(m, m->info.stmt, weir_rtl_owner(d, rest));
    if (shows_start) put_state(m, m->info.start, rest);
}

static bool has_outputs(const machine *m) {
    if (gives_outputs(m, weir_rtl_fsm_body(m->design, m->fsm))) return true;
    weir_rtl_state s = weir_rtl_first_state(m->design, m->fsm);
    while (s.id != 0 && !state_gives_outputs(m, s)) s = weir_rtl_next_state(m->design, m->fsm, s);
    return s.id != 0;
}

static void add_outputs(machine *m) {
    weir_rtl_design *d = m->design;
    if (m->info.is_mealy || !has_outputs(m)) return;
    const weir_rtl_block body = weir_rtl_add_combinational(d, m->info.module);
    put_outputs(m, weir_rtl_fsm_body(d, m->fsm), body);
    put_outputs_case(m, body);
    const weir_rtl_stmt made = weir_rtl_owner(d, body);
    from(m, m->info.stmt, made);
    comment(m, made, "outputs");
    weir_rtl_move_stmt(d, made, weir_rtl_get_module(d, m->info.module).body, m->info.stmt);
}

/* ---- machines ---- */

/* The ifs of a state's transitions nest, and the IR limits that. */
static bool has_few_transitions(weir_rtl_design *design, weir_rtl_fsm fsm) {
    bool fine = true;
    for (weir_rtl_state s = weir_rtl_first_state(design, fsm); s.id != 0; s = weir_rtl_next_state(design, fsm, s)) {
        const weir_rtl_state_info state = weir_rtl_get_state(design, s);
        size_t count = 0;
        for (weir_rtl_stmt t = weir_rtl_first(design, weir_rtl_state_body(design, s)); t.id != 0;
             t = weir_rtl_next(design, t))
            count += weir_rtl_get_stmt(design, t).kind == WEIR_RTL_STMT_TRANSITION;
        if (count <= MOST_TRANSITIONS) continue;
        weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(state.stmt)).location,
                   "state '%s' of state machine '%s' has %zu transitions, expected at most %d", state.name,
                   weir_rtl_get_fsm(design, fsm).name, count, MOST_TRANSITIONS);
        fine = false;
    }
    return fine;
}

static bool realize(weir_rtl_design *design, weir_rtl_fsm fsm) {
    machine m = {.design = design, .fsm = fsm};
    if (!weir_rtl_check_fsm(design, fsm) || !has_few_transitions(design, fsm)) return false;
    const weir_rtl_var current = weir_rtl_current_state(design, fsm);
    m.info = weir_rtl_get_fsm(design, fsm);
    char *name = weir_format("%s_next", m.info.name);
    const weir_rtl_type type = weir_rtl_get_var(design, current).type;
    const weir_rtl_type_info enumeration = weir_rtl_get_type(design, type);
    m.current = weir_rtl_read(design, current);
    m.next =
        weir_rtl_read(design, weir_rtl_add_typed(design, m.info.module, weir_rtl_free_name(design, m.info.module, name),
                                                 type, WEIR_RTL_INTERNAL));
    m.is_full = enumeration.count == UINT64_C(1) << enumeration.width;
    free(name);
    add_register(&m);
    add_next(&m);
    add_outputs(&m);
    weir_rtl_remove_stmt(design, m.info.stmt);
    return true;
}

/* How many were realized; `fine` becomes false when one was not. */
static size_t realize_module(weir_rtl_design *design, weir_rtl_module module, bool *fine) {
    size_t count = 0;
    weir_rtl_stmt next;
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0; s = next) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        next = weir_rtl_next(design, s);
        if (info.kind != WEIR_RTL_STMT_FSM) continue;
        if (realize(design, info.fsm)) count++;
        else *fine = false;
    }
    return count;
}

bool weir_pass_realize_fsm(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, machines = 0;
    const size_t errors = weir_rtl_errors(design);
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; i < count; i++) machines += realize_module(design, modules[i], &fine);
    free(modules);
    if (fine && machines == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "machines", (int64_t)machines);
    return fine && weir_rtl_errors(design) == errors;
}
