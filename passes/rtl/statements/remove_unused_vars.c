/* remove_unused_vars: variables without drivers and readers go, and so does what carries nothing to nowhere: copies of
 * variables without drivers, as long as they are not read. A variable that is driven and not read is reported; dead
 * logic is the business of rtl_dead_code_elimination. Linear: a count of uses shows the modules where any variable has
 * no reader, and only those are looked at in full. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "support/memory/arena.h"

/* What is known of a variable of the module. */
typedef struct var_state {
    uint32_t drivers; /* that carry something */
    uint32_t readers;
    bool is_fixed; /* a port, or marked to stay */
} var_state;

typedef struct sweep {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_keeper keeper;
    var_state *state; /* by variable id */
    size_t state_capacity;
    weir_rtl_var *queue;
    size_t count, capacity;
    size_t removed;
} sweep;

static void push(sweep *s, weir_rtl_var var) {
    s->queue = weir_grow(s->queue, &s->capacity, s->count + 1, sizeof *s->queue);
    s->queue[s->count++] = var;
}

static bool is_fixed(sweep *s, weir_rtl_var var) {
    return weir_rtl_get_var(s->design, var).direction != WEIR_RTL_INTERNAL || weir_keeps(&s->keeper, var);
}

/* In a module's tally: does any variable that may go have no readers? */
static bool has_unread(sweep *s, weir_rtl_module module) {
    for (weir_rtl_var v = weir_rtl_first_var(s->design, module); v.id != 0; v = weir_rtl_next_var(s->design, v))
        if (weir_rtl_reader_count(s->uses, weir_rtl_net_of(v)) == 0 && !is_fixed(s, v)) return true;
    return false;
}

static void number_uses(sweep *s, weir_rtl_module module) {
    for (weir_rtl_var v = weir_rtl_first_var(s->design, module); v.id != 0; v = weir_rtl_next_var(s->design, v)) {
        const weir_rtl_var_info info = weir_rtl_get_var(s->design, v);
        s->state = weir_grow(s->state, &s->state_capacity, (size_t)v.id + 1, sizeof *s->state);
        var_state *state = &s->state[v.id];
        state->drivers = (uint32_t)weir_rtl_driver_count(s->uses, weir_rtl_net_of(v));
        state->readers = (uint32_t)weir_rtl_reader_count(s->uses, weir_rtl_net_of(v));
        state->is_fixed = is_fixed(s, v);
        if (info.is_path || info.direction == WEIR_RTL_INPUT || info.direction == WEIR_RTL_INOUT) state->drivers++;
    }
}

/* The variable that an assignment in a module's body copies to another one as a whole; none when it does more. */
static weir_rtl_var copied_to(const weir_rtl_design *design, weir_rtl_use use) {
    const weir_rtl_var none = {0};
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(design, use.stmt);
    if (!use.is_whole || stmt.kind != WEIR_RTL_STMT_ASSIGN || weir_rtl_owner(design, stmt.block).id != 0) return none;
    const weir_rtl_expr_info target = weir_rtl_get_expr(design, stmt.target);
    return target.kind != WEIR_RTL_EXPR_CONCAT && target.instance.id == 0 ? target.var : none;
}

/* It has no driver: copies of it have one driver less. */
static void spread_emptiness(sweep *s, weir_rtl_module module) {
    s->count = 0;
    for (weir_rtl_var v = weir_rtl_first_var(s->design, module); v.id != 0; v = weir_rtl_next_var(s->design, v))
        if (s->state[v.id].drivers == 0) push(s, v);
    while (s->count > 0) {
        const weir_rtl_net net = weir_rtl_net_of(s->queue[--s->count]);
        const size_t readers = weir_rtl_reader_count(s->uses, net);
        for (size_t i = 0; i < readers; i++) {
            const weir_rtl_var copy = copied_to(s->design, weir_rtl_reader_at(s->uses, net, i));
            if (copy.id != 0 && --s->state[copy.id].drivers == 0) push(s, copy);
        }
    }
}

static bool can_go(const var_state *state) { return state->drivers == 0 && state->readers == 0 && !state->is_fixed; }

/* Takes the variable away with the copies that lead to it; what they copied has one reader less. */
static void remove_var(sweep *s, weir_rtl_var var) {
    const weir_rtl_net net = weir_rtl_net_of(var);
    const size_t drivers = weir_rtl_driver_count(s->uses, net);
    for (size_t i = 0; i < drivers; i++) {
        const weir_rtl_stmt stmt = weir_rtl_driver_at(s->uses, net, i).stmt;
        const weir_rtl_var source = weir_rtl_net_of_expr(s->design, weir_rtl_get_stmt(s->design, stmt).value).var;
        weir_rtl_remove_stmt(s->design, stmt);
        s->state[source.id].readers--;
        if (can_go(&s->state[source.id])) push(s, source);
    }
    weir_rtl_remove_var(s->design, var);
    s->removed++;
}

static void report(const sweep *s, weir_rtl_var var) {
    const weir_rtl_var_info info = weir_rtl_get_var(s->design, var);
    if (!info.is_iterator)
        weir_warning(weir_rtl_get_item(s->design, WEIR_RTL_ITEM(var)).location,
                     "variable '%s' of module '%s' is driven but never read", info.name,
                     weir_rtl_get_module(s->design, info.module).name);
}

static void sweep_module(sweep *s, weir_rtl_module module) {
    weir_rtl_uses_tally(s->uses, module);
    if (!has_unread(s, module)) return;
    weir_rtl_uses_build(s->uses, module);
    number_uses(s, module);
    spread_emptiness(s, module);
    for (weir_rtl_var v = weir_rtl_first_var(s->design, module); v.id != 0; v = weir_rtl_next_var(s->design, v)) {
        const var_state *state = &s->state[v.id];
        if (state->readers == 0 && state->drivers > 0 && !state->is_fixed) report(s, v);
        else if (can_go(state)) push(s, v);
    }
    while (s->count > 0) remove_var(s, s->queue[--s->count]);
}

bool weir_pass_remove_unused_vars(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    sweep s = {.design = design, .uses = weir_rtl_uses_new(design), .keeper = {.design = design}};
    for (size_t i = 0; modules != NULL && i < count; i++) sweep_module(&s, modules[i]);
    if (s.removed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "variables removed", (int64_t)s.removed);
    weir_rtl_uses_free(s.uses);
    weir_keeper_free(&s.keeper);
    free(s.state);
    free(s.queue);
    free(modules);
    return modules != NULL;
}
