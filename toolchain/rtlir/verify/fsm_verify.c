/* Rules of machines: transitions lead to states of the machine, every output has a value in every state. Bits of
 * outputs are numbered, and each state's are a set. Linear in statements, and in states times bits of outputs. */
#include <stdlib.h>

#include "rtlir/analysis/bit_range_private.h"
#include "rtlir/core/private.h"
#include "rtlir/verify/verify_private.h"

typedef struct output {
    uint32_t var, first, width; /* its bits start at number `first` */
} output;

typedef struct machine {
    weir_rtl_design *design;
    uint32_t fsm; /* outermost */
    output *output;
    size_t outputs, output_capacity;
    rtl_labels known; /* outputs by variable, and instance for a port of one */
    uint32_t bits;
    size_t words;
    uint64_t *all, *have, *given, *taken; /* sets of bits */
    bool fine;
} machine;

static weir_location location_of(const machine *m, uint32_t stmt) {
    assert(stmt < m->design->stmt_count);
    return rtl_location_of(m->design, &m->design->stmt[stmt].common);
}

static const char *name_of(const machine *m, uint32_t state) {
    return weir_rtl_state_name(m->design, (weir_rtl_state){state}, '.');
}

/* ---- bits ---- */

static void add_output(machine *m, uint32_t expr) {
    const rtl_expr *base = &m->design->expr[rtl_locate(m->design, expr).base];
    bool is_port = base->kind == WEIR_RTL_EXPR_PORT;
    uint32_t var = is_port ? base->b : base->a;
    rtl_label label = {m->design->var[var].name, is_port ? RTL_FSM_SCOPE | base->a : var, (uint32_t)m->outputs};
    if (rtl_labels_find(&m->known, label.scope, label.name)) return;
    rtl_labels_set(&m->known, &label);
    m->output = weir_grow(m->output, &m->output_capacity, m->outputs + 1, sizeof *m->output);
    m->output[m->outputs++] = (output){var, m->bits, base->width};
    m->bits += base->width;
}

/* Bits that take hardware to know are the machine's, but no state is sure to give them. */
static void mark_output(machine *m, uint32_t expr, uint64_t *set) {
    rtl_bit_range bits = rtl_locate(m->design, expr);
    const rtl_expr *base = &m->design->expr[bits.base];
    bool is_port = base->kind == WEIR_RTL_EXPR_PORT;
    const char *name = m->design->var[is_port ? base->b : base->a].name;
    const rtl_label *label = rtl_labels_find(&m->known, is_port ? RTL_FSM_SCOPE | base->a : base->a, name);
    if (bits.is_computed && set != m->all) return;
    uint32_t low = m->output[label->number].first + bits.low;
    for (uint32_t bit = low; bit < low + bits.width; bit++) set[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* What to do with the parts of an assignment's target. */
static void each_part(machine *m, uint32_t target, uint64_t *set) {
    assert(target < m->design->expr_count);
    const rtl_expr *e = &m->design->expr[target];
    if (e->kind != WEIR_RTL_EXPR_CONCAT) {
        if (set) mark_output(m, target, set);
        else add_output(m, target);
        return;
    }
    for (uint32_t i = 0; i < e->b; i++) each_part(m, m->design->operand[e->a + i], set); /* RTL_MAX_DEPTH bounds it */
}

/* The block's own assignments, without those nested deeper. */
static void mark_block(machine *m, uint32_t block, uint64_t *set) {
    assert(block < m->design->block_count);
    for (uint32_t s = m->design->block[block].first; s; s = m->design->stmt[s].next)
        if (m->design->stmt[s].kind == WEIR_RTL_STMT_ASSIGN) each_part(m, m->design->stmt[s].a, set);
}

/* ---- states ---- */

/* Adds what every path through the transitions gives, when one of them is always taken. */
static void mark_transitions(machine *m, uint32_t body) {
    const weir_rtl_design *design = m->design;
    uint32_t s = design->block[body].first;
    memset(m->given, 0xff, m->words * sizeof *m->given);
    for (; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind != WEIR_RTL_STMT_TRANSITION) continue;
        memset(m->taken, 0, m->words * sizeof *m->taken);
        if (design->stmt[s].body) mark_block(m, design->stmt[s].body, m->taken);
        for (size_t w = 0; w < m->words; w++) m->given[w] &= m->taken[w];
        if (!design->stmt[s].a) break;
    }
    for (size_t w = 0; s && w < m->words; w++) m->have[w] |= m->given[w];
}

static void check_state(machine *m, uint32_t state) {
    const weir_rtl_design *design = m->design;
    uint32_t stmt = design->state[state].stmt;
    mark_block(m, design->stmt[stmt].body, m->have);
    if (design->fsm[m->fsm].is_mealy) mark_transitions(m, design->stmt[stmt].body);
    for (size_t i = 0; i < m->outputs; i++) {
        uint32_t bit = m->output[i].first;
        uint32_t end = bit + m->output[i].width;
        while (bit < end && !(m->all[bit / 64] & ~m->have[bit / 64] & UINT64_C(1) << bit % 64)) bit++;
        if (bit == end) continue;
        rtl_error(m->design, location_of(m, stmt),
                  "state '%s' of state machine '%s' %s '%s' a value, and it has no default", name_of(m, state),
                  design->fsm[m->fsm].name, design->fsm[m->fsm].is_mealy ? "does not always give" : "does not give",
                  design->var[m->output[i].var].name);
        m->fine = false;
    }
}

/* One machine's own states, on top of the defaults of all machines around them. */
static void check_states(machine *m, uint32_t fsm) {
    const weir_rtl_design *design = m->design;
    uint64_t *defaults = weir_calloc(m->words + 1, sizeof *defaults);
    for (uint32_t f = fsm; f; f = design->fsm[f].parent)
        mark_block(m, design->stmt[design->fsm[f].stmt].body, defaults);
    uint32_t s = design->block[design->stmt[design->fsm[fsm].stmt].body].first;
    for (; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind != WEIR_RTL_STMT_STATE) continue;
        memcpy(m->have, defaults, m->words * sizeof *m->have);
        check_state(m, design->stmt[s].a);
    }
    free(defaults);
}

/* ---- transitions ---- */

static void check_transition(machine *m, uint32_t stmt, uint32_t from) {
    const weir_rtl_design *design = m->design;
    const rtl_state *to = &design->state[design->stmt[stmt].b];
    bool is_inside = !to->is_removed && rtl_outermost(design, to->fsm) == m->fsm;
    if (is_inside) return;
    rtl_error(m->design, location_of(m, stmt), "state '%s' of state machine '%s' leads to '%s', which is %s",
              name_of(m, from), design->fsm[m->fsm].name, to->name, to->is_removed ? "removed" : "in another machine");
    m->fine = false;
}

static void check_stmt(machine *m, uint32_t stmt, uint32_t *state) {
    assert(stmt < m->design->stmt_count);
    const rtl_stmt *record = &m->design->stmt[stmt];
    if (record->kind == WEIR_RTL_STMT_STATE) *state = record->a;
    if (record->kind == WEIR_RTL_STMT_TRANSITION) check_transition(m, stmt, *state);
    if (record->kind != WEIR_RTL_STMT_ASSIGN) return;
    each_part(m, record->a, NULL);
    bool in_transition = m->design->stmt[m->design->block[record->block].owner].kind == WEIR_RTL_STMT_TRANSITION;
    if (!in_transition || m->design->fsm[m->fsm].is_mealy) return;
    rtl_error(m->design, location_of(m, stmt),
              "state machine '%s' is a Moore machine: '%s' belongs in a state, not in a transition",
              m->design->fsm[m->fsm].name, rtl_describe(m->design, record->a));
    m->fine = false;
}

/* Transitions that are never taken, states that are never reached. */
static void warn(machine *m) {
    const weir_rtl_design *design = m->design;
    const char *name = design->fsm[m->fsm].name;
    uint32_t start = rtl_start_of(design, m->fsm);
    rtl_labels reached = {0};
    uint32_t *waiting = NULL;
    size_t count = 0, capacity = 0;
    waiting = weir_grow(waiting, &capacity, 1, sizeof *waiting);
    waiting[count++] = start;
    rtl_label first = {.name = name, .scope = start};
    rtl_labels_set(&reached, &first);
    while (count > 0) {
        uint32_t stmt = design->state[waiting[--count]].stmt;
        bool is_over = false;
        for (uint32_t s = design->block[design->stmt[stmt].body].first; s; s = design->stmt[s].next) {
            if (design->stmt[s].kind != WEIR_RTL_STMT_TRANSITION) continue;
            if (is_over) weir_warning(location_of(m, s), "this transition of state machine '%s' is never taken", name);
            is_over = is_over || !design->stmt[s].a;
            rtl_label next = {.name = name, .scope = design->stmt[s].b};
            if (rtl_labels_find(&reached, next.scope, name)) continue;
            rtl_labels_set(&reached, &next);
            waiting = weir_grow(waiting, &capacity, count + 1, sizeof *waiting);
            waiting[count++] = next.scope;
        }
    }
    weir_rtl_fsm fsm = {m->fsm};
    for (weir_rtl_state s = weir_rtl_first_state(design, fsm); s.id; s = weir_rtl_next_state(design, fsm, s))
        if (!rtl_labels_find(&reached, s.id, name))
            weir_warning(location_of(m, design->state[s.id].stmt), "state '%s' of state machine '%s' is never reached",
                         name_of(m, s.id), name);
    free(waiting);
    rtl_labels_free(&reached);
}

/* ---- machines ---- */

static void check_outputs(machine *m) {
    m->words = (m->bits + 63) / 64;
    uint64_t *sets = weir_calloc(4 * m->words + 1, sizeof *sets);
    m->all = sets;
    m->have = sets + m->words;
    m->given = sets + 2 * m->words;
    m->taken = sets + 3 * m->words;
    uint32_t root = m->design->fsm[m->fsm].stmt;
    for (uint32_t s = root; s; s = rtl_walk_next(m->design, s, root))
        if (m->design->stmt[s].kind == WEIR_RTL_STMT_ASSIGN) each_part(m, m->design->stmt[s].a, m->all);
    for (uint32_t s = root; s; s = rtl_walk_next(m->design, s, root))
        if (m->design->stmt[s].kind == WEIR_RTL_STMT_FSM) check_states(m, m->design->stmt[s].a);
    free(sets);
}

bool weir_rtl_check_fsm(weir_rtl_design *design, weir_rtl_fsm handle) {
    uint32_t fsm = handle.id;
    machine m = {.design = design, .fsm = fsm, .fine = true};
    const rtl_fsm *record = &design->fsm[fsm];
    if (!rtl_start_of(design, fsm)) {
        rtl_error(design, location_of(&m, record->stmt), "state machine '%s' of module '%s' has no states",
                  record->name, design->module[record->module].name);
        return false;
    }
    if (record->current && !rtl_states_are_members(design, fsm, design->var[record->current].type)) {
        rtl_error(design, location_of(&m, record->stmt), "the states of state machine '%s' are not those of '%s'",
                  record->name, design->var[record->current].name);
        m.fine = false;
    }
    uint32_t state = 0;
    for (uint32_t s = record->stmt; s; s = rtl_walk_next(design, s, record->stmt)) check_stmt(&m, s, &state);
    check_outputs(&m);
    if (m.fine && !record->is_warned) warn(&m);
    design->fsm[fsm].is_warned = design->fsm[fsm].is_warned || m.fine;
    free(m.output);
    rtl_labels_free(&m.known);
    return m.fine;
}

bool rtl_verify_machines(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    bool fine = true;
    for (uint32_t s = design->block[design->module[module].body].first; s; s = design->stmt[s].next)
        if (design->stmt[s].kind == WEIR_RTL_STMT_FSM)
            fine = weir_rtl_check_fsm(design, (weir_rtl_fsm){design->stmt[s].a}) && fine;
    return fine;
}
