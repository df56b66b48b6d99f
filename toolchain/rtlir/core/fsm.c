/* Building and reading state machines. */
#include "rtlir/core/fsm.h"

#include <stdlib.h>

#include "rtlir/core/private.h"

uint32_t rtl_outermost(const weir_rtl_design *design, uint32_t fsm) {
    assert(fsm > 0 && fsm < design->fsm_count);
    while (design->fsm[fsm].parent) fsm = design->fsm[fsm].parent;
    return fsm;
}

/* ---- machines ---- */

uint32_t rtl_new_fsm(weir_rtl_design *design, uint32_t block, const rtl_fsm *model) {
    assert(block < design->block_count);
    uint32_t scope = model->parent ? RTL_FSM_SCOPE | model->parent : model->module;
    const char *own = rtl_new_name(design, scope, "state machine", model->name);
    if (!own) return 0;
    if (design->block[block].depth >= RTL_MAX_DEPTH - 2) {
        rtl_error(design, design->location, "blocks nest deeper than %d", RTL_MAX_DEPTH);
        return 0;
    }
    uint32_t id = RTL_APPEND(design, fsm);
    uint32_t stmt = rtl_new_stmt(design, block, WEIR_RTL_STMT_FSM);
    uint32_t body = rtl_new_block(design, model->module, stmt);
    design->stmt[stmt].a = id;
    design->stmt[stmt].body = body;
    design->fsm[id] = *model;
    design->fsm[id].name = own;
    design->fsm[id].stmt = stmt;
    rtl_names_add(design, (rtl_name){RTL_NAME_FSM, id});
    return id;
}

weir_rtl_fsm weir_rtl_add_fsm(weir_rtl_design *design, weir_rtl_module module, const char *name, weir_rtl_edge edge,
                              weir_rtl_var clock, weir_rtl_var reset) {
    weir_rtl_fsm none = {0};
    if (!module.id || !clock.id || !reset.id || !rtl_in_own_module(design, module.id)) return none;
    const rtl_var *c = rtl_var_at(design, clock.id);
    const rtl_var *r = rtl_var_at(design, reset.id);
    bool is_reset = r->kind == WEIR_RTL_RESET || r->kind == WEIR_RTL_ASYNC_RESET;
    if (c->module != module.id || c->kind != WEIR_RTL_CLOCK || r->module != module.id || !is_reset) {
        rtl_error(design, design->location,
                  "state machine '%s' needs a clock and a reset of module '%s', not '%s' and '%s'", name,
                  rtl_module_at(design, module.id)->name, c->name, r->name);
        return none;
    }
    rtl_fsm model = {.name = name, .module = module.id, .edge = edge, .clock = clock.id, .reset = reset.id};
    return (weir_rtl_fsm){rtl_new_fsm(design, rtl_module_at(design, module.id)->body, &model)};
}

weir_rtl_fsm weir_rtl_add_child_fsm(weir_rtl_design *design, weir_rtl_fsm fsm, const char *name) {
    if (!fsm.id) return fsm;
    rtl_fsm model = {.name = name, .module = rtl_fsm_at(design, fsm.id)->module, .parent = fsm.id};
    return (weir_rtl_fsm){rtl_new_fsm(design, weir_rtl_fsm_body(design, fsm).id, &model)};
}

void weir_rtl_set_reset_low(weir_rtl_design *design, weir_rtl_fsm fsm, bool is_low) {
    if (fsm.id) design->fsm[rtl_outermost(design, fsm.id)].is_low = is_low;
}

void weir_rtl_set_mealy(weir_rtl_design *design, weir_rtl_fsm fsm, bool is_mealy) {
    if (fsm.id) design->fsm[rtl_outermost(design, fsm.id)].is_mealy = is_mealy;
}

/* ---- states and transitions ---- */

uint32_t rtl_new_state(weir_rtl_design *design, uint32_t fsm, const char *name) {
    assert(fsm > 0 && fsm < design->fsm_count);
    const char *own = rtl_new_name(design, RTL_FSM_SCOPE | fsm, "state", name);
    if (!own) return 0;
    uint32_t id = RTL_APPEND(design, state);
    uint32_t stmt = rtl_new_stmt(design, design->stmt[design->fsm[fsm].stmt].body, WEIR_RTL_STMT_STATE);
    uint32_t body = rtl_new_block(design, design->fsm[fsm].module, stmt);
    design->stmt[stmt].a = id;
    design->stmt[stmt].body = body;
    design->state[id] = (rtl_state){.name = own, .fsm = fsm, .stmt = stmt};
    rtl_names_add(design, (rtl_name){RTL_NAME_STATE, id});
    return id;
}

weir_rtl_state weir_rtl_add_state(weir_rtl_design *design, weir_rtl_fsm fsm, const char *name) {
    weir_rtl_state none = {0};
    if (!fsm.id) return none;
    const rtl_fsm *outermost = &design->fsm[rtl_outermost(design, fsm.id)];
    if (outermost->current) {
        rtl_error(design, design->location,
                  "state machine '%s' cannot get a state '%s' after '%s' was made for its states", outermost->name,
                  name, design->var[outermost->current].name);
        return none;
    }
    return (weir_rtl_state){rtl_new_state(design, fsm.id, name)};
}

void weir_rtl_set_start(weir_rtl_design *design, weir_rtl_state state) {
    if (state.id) design->fsm[rtl_outermost(design, rtl_state_at(design, state.id)->fsm)].start = state.id;
}

static weir_rtl_stmt new_transition(weir_rtl_design *design, weir_rtl_state from, uint32_t condition,
                                    weir_rtl_state to) {
    weir_rtl_stmt none = {0};
    if (!from.id || !to.id) return none;
    const rtl_state *here = rtl_state_at(design, from.id);
    const rtl_state *there = rtl_state_at(design, to.id);
    if (rtl_outermost(design, here->fsm) != rtl_outermost(design, there->fsm)) {
        rtl_error(design, design->location,
                  "state '%s' of state machine '%s' leads to '%s', which is in another machine", here->name,
                  design->fsm[here->fsm].name, there->name);
        return none;
    }
    uint32_t stmt = rtl_new_stmt(design, design->stmt[here->stmt].body, WEIR_RTL_STMT_TRANSITION);
    design->stmt[stmt].a = condition;
    design->stmt[stmt].b = to.id;
    return (weir_rtl_stmt){stmt};
}

weir_rtl_stmt weir_rtl_add_transition(weir_rtl_design *design, weir_rtl_state from, weir_rtl_expr condition,
                                      weir_rtl_state to) {
    weir_rtl_stmt none = {0};
    if (!from.id || !condition.id) return none;
    uint32_t module = design->fsm[rtl_state_at(design, from.id)->fsm].module;
    const rtl_expr *expr = rtl_expr_at(design, condition.id);
    if (expr->width != 1 || (expr->module && expr->module != module)) {
        rtl_error(design, design->location, "condition '%s' has %u bits, expected 1 of module '%s'",
                  rtl_describe(design, condition.id), (unsigned)expr->width, design->module[module].name);
        return none;
    }
    return new_transition(design, from, condition.id, to);
}

weir_rtl_stmt weir_rtl_add_default_transition(weir_rtl_design *design, weir_rtl_state from, weir_rtl_state to) {
    return new_transition(design, from, 0, to);
}

void weir_rtl_set_destination(weir_rtl_design *design, weir_rtl_stmt transition, weir_rtl_state to) {
    if (transition.id && to.id && rtl_stmt_at(design, transition.id)->kind == WEIR_RTL_STMT_TRANSITION)
        rtl_stmt_at(design, transition.id)->b = to.id;
}

weir_rtl_block weir_rtl_fsm_body(const weir_rtl_design *design, weir_rtl_fsm fsm) {
    return (weir_rtl_block){design->stmt[rtl_fsm_at(design, fsm.id)->stmt].body};
}

weir_rtl_block weir_rtl_state_body(const weir_rtl_design *design, weir_rtl_state state) {
    return (weir_rtl_block){design->stmt[rtl_state_at(design, state.id)->stmt].body};
}

weir_rtl_block weir_rtl_transition_body(weir_rtl_design *design, weir_rtl_stmt transition) {
    weir_rtl_block none = {0};
    if (!transition.id || rtl_stmt_at(design, transition.id)->kind != WEIR_RTL_STMT_TRANSITION) return none;
    if (!rtl_stmt_at(design, transition.id)->body) {
        uint32_t body =
            rtl_new_block(design, design->block[rtl_stmt_at(design, transition.id)->block].module, transition.id);
        rtl_stmt_at(design, transition.id)->body = body;
    }
    return (weir_rtl_block){rtl_stmt_at(design, transition.id)->body};
}

/* ---- the variable that holds the state ---- */

bool rtl_states_are_members(const weir_rtl_design *design, uint32_t fsm, uint32_t type) {
    assert(fsm < design->fsm_count && type < design->type_count);
    uint32_t f = design->type[type].kind == WEIR_RTL_TYPE_ENUM ? design->type[type].first : 0;
    weir_rtl_state s = weir_rtl_first_state(design, (weir_rtl_fsm){fsm});
    uint64_t value = 0;
    for (; s.id && f; f = design->field[f].next, value++) {
        if (design->field[f].name != weir_rtl_state_name(design, s, '_') || design->field[f].value != value)
            return false;
        s = weir_rtl_next_state(design, (weir_rtl_fsm){fsm}, s);
    }
    return !s.id && !f && value > 0;
}

/* A name for the type that is free, or that of a type with these very members. */
static const char *type_name(weir_rtl_design *design, uint32_t fsm, weir_rtl_type *known) {
    assert(fsm < design->fsm_count);
    const rtl_fsm *record = &design->fsm[fsm];
    const char *names[2] = {
        weir_arena_format(design->arena, "%s_state", record->name),
        weir_arena_format(design->arena, "%s_%s_state", design->module[record->module].name, record->name)};
    const char *name = names[0];
    const char *counted = weir_strings_intern(design->strings, names[1]);
    const rtl_label *counter = rtl_labels_find(&design->counters, RTL_TYPE_SCOPE, counted);
    rtl_label next = {.name = counted, .scope = RTL_TYPE_SCOPE, .number = counter ? counter->number : 0};
    for (int i = 1;; i++) {
        *known = weir_rtl_find_type(design, name);
        if (!known->id || rtl_states_are_members(design, fsm, known->id)) break;
        name = i < 2 ? names[i] : weir_arena_format(design->arena, "%s_%u", names[1], (unsigned)next.number++);
    }
    rtl_labels_set(&design->counters, &next);
    return name;
}

static uint32_t count_states(const weir_rtl_design *design, weir_rtl_fsm fsm) {
    uint32_t count = 0;
    weir_rtl_state s = weir_rtl_first_state(design, fsm);
    for (; s.id; s = weir_rtl_next_state(design, fsm, s)) count++;
    return count;
}

weir_rtl_var weir_rtl_current_state(weir_rtl_design *design, weir_rtl_fsm fsm) {
    weir_rtl_var none = {0};
    if (!fsm.id) return none;
    weir_rtl_fsm outermost = {rtl_outermost(design, fsm.id)};
    const rtl_fsm *record = rtl_fsm_at(design, outermost.id);
    if (record->current) return (weir_rtl_var){record->current};
    uint32_t count = count_states(design, outermost);
    if (count == 0) {
        rtl_error(design, rtl_location_of(design, &design->stmt[record->stmt].common),
                  "state machine '%s' of module '%s' has no states", record->name, design->module[record->module].name);
        return none;
    }
    weir_rtl_type type = {0};
    const char *name = type_name(design, outermost.id, &type);
    if (!type.id) {
        type = weir_rtl_add_enum(design, name, rtl_index_bits(count));
        uint64_t value = 0;
        weir_rtl_state s = weir_rtl_first_state(design, outermost);
        for (; s.id; s = weir_rtl_next_state(design, outermost, s))
            weir_rtl_add_member(design, type, weir_rtl_state_name(design, s, '_'), value++);
    }
    weir_rtl_module module = {record->module};
    char *wanted = weir_format("%s_current", record->name);
    weir_rtl_var var =
        weir_rtl_add_typed(design, module, weir_rtl_free_name(design, module, wanted), type, WEIR_RTL_INTERNAL);
    free(wanted);
    if (!var.id || !rtl_bind_current(design, outermost.id, var.id)) return none;
    return var;
}

bool rtl_bind_current(weir_rtl_design *design, uint32_t outermost, uint32_t var) {
    assert(rtl_outermost(design, outermost) == outermost && var < design->var_count);
    const rtl_fsm *fsm = &design->fsm[outermost];
    weir_rtl_expr target = weir_rtl_read(design, (weir_rtl_var){var});
    bool fits = design->var[var].module == fsm->module && weir_rtl_is_target(design, target) &&
                rtl_states_are_members(design, outermost, design->var[var].type);
    if (!fits)
        rtl_error(design, design->location,
                  "'%s' cannot hold the state of '%s': it must be assignable and its type have the states as members",
                  design->var[var].name, fsm->name);
    if (!fits || !rtl_make_registers(design, target.id)) return false;
    design->fsm[outermost].current = var;
    return true;
}

weir_rtl_expr weir_rtl_state_value(weir_rtl_design *design, weir_rtl_state state) {
    weir_rtl_expr none = {0};
    if (!state.id) return none;
    weir_rtl_var current = weir_rtl_current_state(design, (weir_rtl_fsm){rtl_state_at(design, state.id)->fsm});
    if (!current.id) return none;
    return weir_rtl_member(design, (weir_rtl_type){rtl_var_at(design, current.id)->type},
                           weir_rtl_state_name(design, state, '_'));
}

weir_rtl_expr weir_rtl_in_state(weir_rtl_design *design, weir_rtl_state state) {
    weir_rtl_expr value = weir_rtl_state_value(design, state);
    if (!value.id) return value;
    weir_rtl_fsm fsm = {rtl_state_at(design, state.id)->fsm};
    return weir_rtl_binary(design, WEIR_RTL_EQUAL, weir_rtl_read(design, weir_rtl_current_state(design, fsm)), value);
}

/* ---- reading back ---- */

uint32_t rtl_start_of(const weir_rtl_design *design, uint32_t outermost) {
    assert(outermost < design->fsm_count);
    uint32_t start = design->fsm[outermost].start;
    bool is_there = start && !design->state[start].is_removed;
    return is_there ? start : weir_rtl_first_state(design, (weir_rtl_fsm){outermost}).id;
}

weir_rtl_fsm_info weir_rtl_get_fsm(const weir_rtl_design *design, weir_rtl_fsm fsm) {
    const rtl_fsm *own = rtl_fsm_at(design, fsm.id);
    uint32_t outermost = rtl_outermost(design, fsm.id);
    const rtl_fsm *top = &design->fsm[outermost];
    return (weir_rtl_fsm_info){.name = own->name,
                               .module = {own->module},
                               .stmt = {own->stmt},
                               .parent = {own->parent},
                               .outermost = {outermost},
                               .edge = top->edge,
                               .clock = {top->clock},
                               .reset = {top->reset},
                               .current = {top->current},
                               .start = {rtl_start_of(design, outermost)},
                               .is_low = top->is_low,
                               .is_mealy = top->is_mealy};
}

weir_rtl_state_info weir_rtl_get_state(const weir_rtl_design *design, weir_rtl_state state) {
    const rtl_state *record = rtl_state_at(design, state.id);
    return (weir_rtl_state_info){record->name, {record->fsm}, {record->stmt}};
}

const char *weir_rtl_state_name(const weir_rtl_design *design, weir_rtl_state state, char joint) {
    const rtl_state *record = rtl_state_at(design, state.id);
    weir_text text = {0};
    const char *name = record->name;
    for (uint32_t fsm = record->fsm; design->fsm[fsm].parent; fsm = design->fsm[fsm].parent) {
        text.size = 0;
        weir_text_format(&text, "%s%c%s", design->fsm[fsm].name, joint, name);
        name = weir_strings_intern(design->strings, text.data);
    }
    weir_text_free(&text);
    return name;
}

static uint32_t find(const weir_rtl_design *design, uint32_t scope, const char *name, rtl_name_kind kind) {
    rtl_name entry = rtl_names_find(design, scope, weir_strings_intern(design->strings, name));
    return entry.kind == kind ? entry.id : 0;
}

weir_rtl_fsm weir_rtl_find_fsm(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    return (weir_rtl_fsm){module.id ? find(design, module.id, name, RTL_NAME_FSM) : 0};
}

weir_rtl_fsm weir_rtl_find_child_fsm(const weir_rtl_design *design, weir_rtl_fsm fsm, const char *name) {
    return (weir_rtl_fsm){fsm.id ? find(design, RTL_FSM_SCOPE | fsm.id, name, RTL_NAME_FSM) : 0};
}

weir_rtl_state weir_rtl_find_state(const weir_rtl_design *design, weir_rtl_fsm fsm, const char *name) {
    return (weir_rtl_state){fsm.id ? find(design, RTL_FSM_SCOPE | fsm.id, name, RTL_NAME_STATE) : 0};
}

/* The next state after a statement of the machine, which is `root`. */
static weir_rtl_state state_after(const weir_rtl_design *design, uint32_t stmt, uint32_t root) {
    assert(stmt < design->stmt_count);
    do stmt = rtl_walk_next(design, stmt, root);
    while (stmt && design->stmt[stmt].kind != WEIR_RTL_STMT_STATE);
    return (weir_rtl_state){stmt ? design->stmt[stmt].a : 0};
}

weir_rtl_state weir_rtl_first_state(const weir_rtl_design *design, weir_rtl_fsm fsm) {
    return state_after(design, rtl_fsm_at(design, fsm.id)->stmt, rtl_fsm_at(design, fsm.id)->stmt);
}

weir_rtl_state weir_rtl_next_state(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_rtl_state state) {
    return state_after(design, rtl_state_at(design, state.id)->stmt, rtl_fsm_at(design, fsm.id)->stmt);
}
