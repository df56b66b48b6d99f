#include "passes/equivalence/plain_fsm.h"

#include "passes/rtl/rtl.h"
#include "rtlir/core/formula.h"
#include "rtlir/core/type.h"
#include "rtlir/edit/mutate.h"

enum { MOST_STATES = 900 };

typedef struct plain {
    weir_rtl_design *design;
    weir_rtl_fsm fsm;
    weir_rtl_fsm_info info;
    weir_rtl_expr current, next;
    weir_rtl_block body;
} plain;

static bool is_assign(const plain *p, weir_rtl_stmt stmt, weir_rtl_stmt_info *info) {
    *info = weir_rtl_get_stmt(p->design, stmt);
    return info->kind == WEIR_RTL_STMT_ASSIGN;
}

static void put(plain *p, weir_rtl_block from, weir_rtl_block to) {
    weir_rtl_stmt_info info;
    if (from.id == 0) return;
    for (weir_rtl_stmt s = weir_rtl_first(p->design, from); s.id != 0; s = weir_rtl_next(p->design, s))
        if (is_assign(p, s, &info)) weir_rtl_set(p->design, to, info.target, info.value);
}

/* Zero for whatever is given anywhere, so that nothing keeps its value; every state gives it a value after that. */
static void put_zeros(plain *p, weir_rtl_block from) {
    weir_rtl_stmt_info info;
    if (from.id == 0) return;
    for (weir_rtl_stmt s = weir_rtl_first(p->design, from); s.id != 0; s = weir_rtl_next(p->design, s)) {
        if (is_assign(p, s, &info))
            weir_rtl_set(p->design, p->body, info.target, weir_hardware_zero_like(p->design, info.target));
        else put_zeros(p, info.body); /* depth is bounded by the IR */
    }
}

/* Nothing is said about a machine before its reset: in an unknown state, whatever it gives is unknown too, while an
 * else would be taken. Both sides of `!=` are the state, so to logic this is a zero. */
static void put_unknown(plain *p, weir_rtl_block from) {
    weir_rtl_stmt_info info;
    if (from.id == 0) return;
    for (weir_rtl_stmt s = weir_rtl_first(p->design, from); s.id != 0; s = weir_rtl_next(p->design, s)) {
        if (is_assign(p, s, &info)) {
            const weir_rtl_expr unknown = weir_rtl_binary(p->design, WEIR_RTL_NOT_EQUAL, p->current, p->current);
            const weir_rtl_formula width = weir_rtl_width_formula(p->design, info.target);
            weir_rtl_expr mask = weir_rtl_repeat_by(p->design, width, unknown);
            if (weir_rtl_get_expr(p->design, info.target).is_signed) mask = weir_rtl_as_signed(p->design, mask);
            weir_rtl_set(p->design, p->body, info.target, weir_rtl_binary(p->design, WEIR_RTL_XOR, info.target, mask));
        } else {
            put_unknown(p, info.body); /* depth is bounded by the IR */
        }
    }
}

/* Defaults of the machines around the state, then what it gives itself. */
static void put_state(plain *p, weir_rtl_fsm fsm, weir_rtl_block to) {
    if (fsm.id == p->fsm.id) return;
    put_state(p, weir_rtl_get_fsm(p->design, fsm).parent, to);
    put(p, weir_rtl_fsm_body(p->design, fsm), to);
}

static weir_rtl_expr both(plain *p, weir_rtl_expr a, weir_rtl_expr b) {
    return a.id == 0 || b.id == 0 ? (weir_rtl_expr){a.id + b.id}
                                  : weir_rtl_binary(p->design, WEIR_RTL_LOGICAL_AND, a, b);
}

/* Each branch under "this condition and none before"; in a code that is no state only the one without a condition. */
static void put_ways(plain *p, weir_rtl_state state, bool is_lost, weir_rtl_block to) {
    weir_rtl_expr none_before = {0};
    weir_rtl_stmt s = weir_rtl_first(p->design, weir_rtl_state_body(p->design, state));
    for (; s.id != 0; s = weir_rtl_next(p->design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(p->design, s);
        if (info.kind != WEIR_RTL_STMT_TRANSITION || (is_lost && info.value.id != 0)) continue;
        const weir_rtl_expr when = both(p, none_before, info.value);
        weir_rtl_block branch = to;
        if (when.id != 0) branch = weir_rtl_then(p->design, weir_rtl_add_if(p->design, to, when));
        if (!is_lost) weir_rtl_set(p->design, branch, p->next, weir_rtl_state_value(p->design, info.state));
        put(p, info.body, branch);
        if (info.value.id == 0) return;
        none_before = both(p, none_before, weir_rtl_unary(p->design, WEIR_RTL_LOGICAL_NOT, info.value));
    }
}

static void put_all(plain *p, weir_rtl_state state, bool is_lost, weir_rtl_block to) {
    put_state(p, weir_rtl_get_state(p->design, state).fsm, to);
    put(p, weir_rtl_state_body(p->design, state), to);
    if (is_lost) weir_rtl_set(p->design, to, p->next, weir_rtl_state_value(p->design, state));
    put_ways(p, state, is_lost, to);
}

/* if (in the first state) ... else if (in the second one) ... else: no state at all. */
static void put_states(plain *p) {
    weir_rtl_block here = p->body;
    weir_rtl_state s = weir_rtl_first_state(p->design, p->fsm);
    for (; s.id != 0; s = weir_rtl_next_state(p->design, p->fsm, s)) {
        const weir_rtl_stmt branch = weir_rtl_add_if(p->design, here, weir_rtl_in_state(p->design, s));
        put_all(p, s, false, weir_rtl_then(p->design, branch));
        here = weir_rtl_else(p->design, branch);
    }
    put_all(p, p->info.start, true, here);
}

static void put_register(plain *p) {
    weir_rtl_design *d = p->design;
    const weir_rtl_block body = weir_rtl_add_always(d, p->info.module, p->info.edge, p->info.clock);
    weir_rtl_expr start = weir_rtl_state_value(d, p->info.start), reset = weir_rtl_read(d, p->info.reset);
    if (weir_rtl_get_var(d, p->info.reset).kind == WEIR_RTL_ASYNC_RESET)
        weir_rtl_add_event(d, body, p->info.is_low ? WEIR_RTL_NEGEDGE : WEIR_RTL_POSEDGE, p->info.reset);
    /* The reset first when it is high, last when it is low. */
    const weir_rtl_stmt branch = weir_rtl_add_if(d, body, reset);
    weir_rtl_set_next(d, weir_rtl_then(d, branch), p->current, p->info.is_low ? p->next : start);
    weir_rtl_set_next(d, weir_rtl_else(d, branch), p->current, p->info.is_low ? start : p->next);
}

static void make_plain(weir_rtl_design *design, weir_rtl_fsm fsm) {
    plain p = {.design = design, .fsm = fsm};
    const weir_rtl_var current = weir_rtl_current_state(design, fsm);
    if (current.id == 0) return;
    p.info = weir_rtl_get_fsm(design, fsm);
    p.current = weir_rtl_read(design, current);
    p.next = weir_rtl_read(design, weir_rtl_add_typed(design, p.info.module,
                                                      weir_rtl_free_name(design, p.info.module, "plain_next"),
                                                      weir_rtl_get_var(design, current).type, WEIR_RTL_INTERNAL));
    p.body = weir_rtl_add_combinational(design, p.info.module);
    put_zeros(&p, weir_rtl_fsm_body(design, fsm));
    weir_rtl_set(design, p.body, p.next, p.current);
    put(&p, weir_rtl_fsm_body(design, fsm), p.body);
    put_states(&p);
    put_unknown(&p, weir_rtl_fsm_body(design, fsm));
    put_register(&p);
    weir_rtl_remove_stmt(design, p.info.stmt);
}

static bool has_few_states(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_text *why) {
    size_t count = 0;
    for (weir_rtl_state s = weir_rtl_first_state(design, fsm); s.id != 0; s = weir_rtl_next_state(design, fsm, s))
        count++;
    if (count <= MOST_STATES) return true;
    weir_text_format(why, "state machine '%s' has %zu states", weir_rtl_get_fsm(design, fsm).name, count);
    return false;
}

bool weir_rtl_make_plain_machines(weir_rtl_design *design, weir_rtl_module module, weir_text *why) {
    const size_t errors = weir_rtl_errors(design);
    weir_rtl_stmt next;
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0; s = next) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        next = weir_rtl_next(design, s);
        if (info.kind != WEIR_RTL_STMT_FSM) continue;
        if (!has_few_states(design, info.fsm, why)) return false;
        make_plain(design, info.fsm);
    }
    return weir_rtl_errors(design) == errors;
}
