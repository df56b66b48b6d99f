/* Copies of statements and of whole modules. Blocks that are still to be copied wait on a list, so that nesting costs
 * no recursion. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/edit/rewrite_private.h"

typedef struct pair {
    uint32_t from, to;
} pair;

typedef struct copier {
    weir_rtl_design *design;
    weir_rtl_rewriter *rewriter;
    pair *waiting; /* blocks */
    size_t count, capacity;
    rtl_ids machines; /* outermost ones that were made */
} copier;

static void wait_block(copier *c, uint32_t from, uint32_t to) {
    if (!from) return;
    c->waiting = weir_grow(c->waiting, &c->capacity, c->count + 1, sizeof *c->waiting);
    c->waiting[c->count++] = (pair){from, to};
}

static weir_rtl_expr rewritten(copier *c, uint32_t expr) {
    return weir_rtl_rewrite_expr(c->rewriter, (weir_rtl_expr){expr});
}

/* The override of the copy: what stands for a parameter of the parent is a number or a formula. */
static bool copy_override(copier *c, const rtl_value *from, rtl_value *to) {
    rtl_substitution *s = rtl_rewriter_substitution(c->rewriter);
    int64_t number;
    *to = *from;
    if (from->kind == RTL_VALUE_FORMULA && s) {
        to->formula = rtl_substitute(s, from->formula);
        if (!to->formula) return false;
        if (rtl_formula_number(c->design, to->formula, &number))
            *to = (rtl_value){.kind = RTL_VALUE_INTEGER, .integer = number};
    } else if (from->kind == RTL_VALUE_EXPR) {
        to->expr = rewritten(c, from->expr).id;
        if (!to->expr) return false;
        const bool is_alias = c->design->expr[from->expr].kind == WEIR_RTL_EXPR_PARAMETER;
        if (is_alias && c->design->expr[to->expr].kind == WEIR_RTL_EXPR_CONSTANT) *to = rtl_plain_value(c->design, to);
    }
    return true;
}

/* Before anything names a port of the copy, whose width they may decide. A specialised module takes none. */
static bool copy_overrides(copier *c, uint32_t id, uint32_t copy) {
    assert(id < c->design->instance_count);
    assert(copy < c->design->instance_count);
    const rtl_instance from = c->design->instance[id];
    const uint32_t count = from.module == c->design->instance[copy].module ? from.override_count : 0;
    rtl_value *override = weir_arena_array(c->design->arena, count + 1, sizeof *override);
    for (uint32_t i = 0; i < count; i++)
        if (!copy_override(c, &from.override[i], &override[i])) return false;
    c->design->instance[copy].override = override;
    c->design->instance[copy].override_count = count;
    return true;
}

/* The copy of an instance, without connections; a name that is taken is replaced by a free one. */
static bool make_instance(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_module parent = {design->block[block].module};
    uint32_t other = rtl_mapped_module(c->rewriter, id);
    weir_rtl_module module = {other ? other : design->instance[id].module};
    const char *name = weir_rtl_free_name(design, parent, design->instance[id].name);
    weir_rtl_instance copy = weir_rtl_add_instance(design, parent, module, name);
    if (!copy.id) return false;
    weir_rtl_set_wired(design, copy, design->instance[id].is_wired);
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_instance){id}), WEIR_RTL_ITEM(copy));
    if (!copy_overrides(c, id, copy.id)) return false;
    return weir_rtl_map_instance(c->rewriter, (weir_rtl_instance){id}, copy);
}

/* Connections by slot, or by name when the copy is of another module. */
static bool copy_connections(copier *c, const rtl_instance *from, const rtl_instance *to, uint32_t *connection) {
    weir_rtl_design *design = c->design;
    const rtl_ids *ports = &design->module[from->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t slot = port->slot, old = slot < from->connection_count ? from->connection[slot] : 0;
        if (!old) continue;
        if (from->module != to->module) slot = design->var[rtl_names_find(design, to->module, port->name).id].slot;
        connection[slot] = old == RTL_OPEN ? old : rewritten(c, old).id;
        if (!connection[slot]) return false;
    }
    return true;
}

/* Puts the copy that was made at the end of the block, and connects it. */
static weir_rtl_stmt place_instance(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_stmt none = {0};
    const uint32_t copy = rtl_mapped_instance(c->rewriter, id);
    const rtl_instance from = design->instance[id], to = design->instance[copy];
    const uint32_t ports = design->module[to.module].port_slots;
    uint32_t *connection = weir_arena_array(design->arena, ports + 1, sizeof *connection);
    if (!copy_connections(c, &from, &to, connection)) return none;
    rtl_instance *made = &design->instance[copy];
    made->connection = connection;
    made->connection_count = from.connection_count ? ports : 0;
    weir_rtl_stmt stmt = {to.stmt};
    return weir_rtl_move_stmt(design, stmt, (weir_rtl_block){block}, none) ? stmt : none;
}

/* The copy of a function, without its body, at the end of the module's body. */
static bool make_function(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    weir_rtl_module module = {design->block[block].module};
    weir_rtl_function old = {id};
    const rtl_function *from = &design->function[id];
    weir_rtl_function copy = weir_rtl_add_function(design, module, weir_rtl_free_name(design, module, from->name),
                                                   from->width, from->is_signed);
    if (!copy.id) return false;
    for (size_t i = 0; i < design->function[id].arguments.count; i++) {
        weir_rtl_var_info info = weir_rtl_get_var(design, weir_rtl_argument_at(design, old, i));
        weir_rtl_var var = weir_rtl_add_argument(design, copy, info.name, info.width, info.is_signed);
        weir_rtl_map_var(c->rewriter, weir_rtl_argument_at(design, old, i), weir_rtl_read(design, var));
    }
    for (size_t i = 0; i < design->function[id].locals.count; i++) {
        weir_rtl_var_info info = weir_rtl_get_var(design, weir_rtl_local_var_at(design, old, i));
        weir_rtl_var var = weir_rtl_add_local_var(design, copy, info.name, info.width, info.is_signed);
        weir_rtl_map_var(c->rewriter, weir_rtl_local_var_at(design, old, i), weir_rtl_read(design, var));
    }
    rtl_map_function(c->rewriter, id, copy.id);
    return true;
}

static weir_rtl_stmt place_function(copier *c, uint32_t id, uint32_t block) {
    assert(id < c->design->function_count);
    weir_rtl_stmt none = {0};
    weir_rtl_stmt stmt = {c->design->function[rtl_mapped_function(c->rewriter, id)].stmt};
    if (!weir_rtl_move_stmt(c->design, stmt, (weir_rtl_block){block}, none)) return none;
    wait_block(c, c->design->stmt[c->design->function[id].stmt].body, c->design->stmt[stmt.id].body);
    return stmt;
}

/* The variable that stands for another one; 0 after an error. */
static uint32_t mapped_var(copier *c, uint32_t var) {
    weir_rtl_expr value = rewritten(c, weir_rtl_read(c->design, (weir_rtl_var){var}).id);
    if (value.id && c->design->expr[value.id].kind == WEIR_RTL_EXPR_VAR) return c->design->expr[value.id].a;
    if (value.id)
        rtl_error(c->design, c->design->location, "'%s' is used where a variable is needed",
                  rtl_describe(c->design, value.id));
    return 0;
}

/* A machine and its states get copies at once; where transitions lead is said when all are there. */
static weir_rtl_stmt copy_machine(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    rtl_fsm model = design->fsm[id];
    weir_rtl_stmt none = {0};
    const rtl_stmt *owner = &design->stmt[design->block[block].owner];
    if (owner->kind != WEIR_RTL_STMT_NONE && owner->kind != WEIR_RTL_STMT_FSM) {
        rtl_error(design, design->location, "state machine '%s' cannot be copied into a block", model.name);
        return none;
    }
    model.module = design->block[block].module;
    model.parent = owner->kind == WEIR_RTL_STMT_FSM ? owner->a : 0;
    if (!model.parent) model.name = weir_rtl_free_name(design, (weir_rtl_module){model.module}, model.name);
    uint32_t *const var[3] = {&model.clock, &model.reset, &model.current};
    for (int i = 0; i < 3; i++)
        if (*var[i] && !(*var[i] = mapped_var(c, *var[i]))) return none;
    uint32_t copy = rtl_new_fsm(design, block, &model);
    if (copy && !model.parent) rtl_ids_add(&c->machines, copy);
    return (weir_rtl_stmt){design->fsm[copy].stmt};
}

static weir_rtl_stmt copy_state(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    uint32_t fsm = design->stmt[design->block[block].owner].a;
    uint32_t copy = rtl_new_state(design, fsm, design->state[id].name);
    rtl_map_state(c->rewriter, id, copy);
    return (weir_rtl_stmt){design->state[copy].stmt};
}

/* The copies of the states that transitions lead to. */
static void lead_machines(copier *c) {
    for (size_t i = 0; i < c->machines.count; i++) {
        rtl_fsm *fsm = &c->design->fsm[c->machines.id[i]];
        fsm->start = rtl_mapped_state(c->rewriter, fsm->start);
        for (uint32_t s = fsm->stmt; s; s = rtl_walk_next(c->design, s, fsm->stmt)) {
            rtl_stmt *stmt = &c->design->stmt[s];
            uint32_t to = stmt->kind == WEIR_RTL_STMT_TRANSITION ? rtl_mapped_state(c->rewriter, stmt->b) : 0;
            if (to) stmt->b = to;
        }
    }
}

static weir_rtl_item item_of(const rtl_stmt *stmt, uint32_t id) {
    if (stmt->kind == WEIR_RTL_STMT_INSTANCE) return WEIR_RTL_ITEM((weir_rtl_instance){stmt->a});
    return WEIR_RTL_ITEM((weir_rtl_stmt){id});
}

/* Conditions and labels are checked where they are built; with other parameters their widths may be others. */
static bool fits(copier *c, const rtl_stmt *from, uint32_t copy, uint32_t value) {
    const weir_rtl_design *design = c->design;
    if (!rtl_rewriter_substitution(c->rewriter) || !value) return true;
    uint32_t expected = 1;
    uint32_t owner = design->block[design->stmt[copy].block].owner;
    if (from->kind == WEIR_RTL_STMT_CASE) return true;
    if (from->kind == WEIR_RTL_STMT_CASE_ITEM) expected = design->expr[design->stmt[owner].a].width;
    if (from->kind == WEIR_RTL_STMT_RETURN)
        expected = design->function[design->stmt[rtl_process_of(design, design->stmt[copy].block)].a].width;
    if (design->expr[value].width == expected) return true;
    rtl_error(c->design, design->location, "'%s' has %u bits, expected %u", rtl_describe(c->design, value),
              (unsigned)design->expr[value].width, (unsigned)expected);
    return false;
}

/* What a loop or an assertion has besides its expressions: a record of its own, with what stands for its variables. */
static bool copy_payload(copier *c, const rtl_stmt *from, uint32_t copy) {
    weir_rtl_design *design = c->design;
    if (from->kind == WEIR_RTL_STMT_FOR) {
        rtl_loop loop = *rtl_loop_of(design, from);
        int64_t *const bound[3] = {&loop.start, &loop.end, &loop.step};
        loop.iterator = mapped_var(c, loop.iterator);
        for (int i = 0; i < 3; i++) {
            rtl_size size = rtl_rewritten_size(c->rewriter, *bound[i], loop.formula[i]);
            *bound[i] = size.number;
            loop.formula[i] = size.formula;
            if (size.formula) design->module[design->block[design->stmt[copy].block].module].is_parametrised = true;
        }
        if (loop.step == 0) rtl_error(design, design->location, "a loop has the step 0");
        uint32_t id = RTL_APPEND(design, loop);
        design->loop[id] = loop;
        design->stmt[copy].a = id;
        return loop.iterator != 0 && loop.step != 0;
    }
    if (from->kind != WEIR_RTL_STMT_ASSERT) return true;
    rtl_assertion assertion = *rtl_assertion_of(design, from);
    if (assertion.clock && !(assertion.clock = mapped_var(c, assertion.clock))) return false;
    uint32_t id = RTL_APPEND(design, assertion);
    design->assertion[id] = assertion;
    design->stmt[copy].a = id;
    for (size_t i = 0; rtl_stmt_slot(design, copy, i); i++) {
        uint32_t old = *rtl_stmt_slot(design, copy, i);
        uint32_t value = rewritten(c, old).id;
        if ((old && !value) || !fits(c, from, copy, value)) return false;
        *rtl_stmt_slot(design, copy, i) = value;
    }
    return true;
}

static bool copy_events(copier *c, uint32_t from, uint32_t to) {
    assert(from < c->design->stmt_count);
    assert(to < c->design->stmt_count);
    weir_rtl_block body = {c->design->stmt[to].body};
    for (uint32_t e = c->design->stmt[from].a; e; e = c->design->event[e].next) {
        weir_rtl_event event = {c->design->event[e].edge, {mapped_var(c, c->design->event[e].var)}};
        if (!event.var.id) return false;
        weir_rtl_add_event(c->design, body, event.edge, event.var);
    }
    return true;
}

/* An assignment keeps its timing where it fits: a body's continuous ones may end up in a process or the other way. */
static weir_rtl_stmt copy_assign(copier *c, const rtl_stmt *from, uint32_t block) {
    weir_rtl_expr target = rewritten(c, from->a);
    weir_rtl_expr value = rewritten(c, from->b);
    weir_rtl_stmt copy = weir_rtl_add_assign(c->design, (weir_rtl_block){block}, target, value, WEIR_RTL_UNDECIDED);
    weir_rtl_set_timing(c->design, copy, from->timing);
    return copy;
}

static bool copy_stmt(copier *c, uint32_t id, uint32_t block) {
    weir_rtl_design *design = c->design;
    const rtl_stmt from = design->stmt[id]; /* the table grows */
    if (rtl_rewriter_substitution(c->rewriter))
        design->location = rtl_location_of(design, rtl_common_of(design, item_of(&from, id)));
    weir_rtl_stmt copy = {0};
    if (from.kind == WEIR_RTL_STMT_ASSIGN) copy = copy_assign(c, &from, block);
    else if (from.kind == WEIR_RTL_STMT_INSTANCE) copy = place_instance(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_FUNCTION) copy = place_function(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_FSM) copy = copy_machine(c, from.a, block);
    else if (from.kind == WEIR_RTL_STMT_STATE) copy = copy_state(c, from.a, block);
    else {
        copy.id = rtl_new_stmt(design, block, from.kind);
        bool has_value = from.kind == WEIR_RTL_STMT_IF || from.kind == WEIR_RTL_STMT_CASE ||
                         from.kind == WEIR_RTL_STMT_CASE_ITEM || from.kind == WEIR_RTL_STMT_RETURN ||
                         from.kind == WEIR_RTL_STMT_TRANSITION;
        uint32_t value = has_value && from.a ? rewritten(c, from.a).id : 0;
        if (has_value && ((from.a && !value) || !fits(c, &from, copy.id, value))) return false;
        uint32_t body = from.body ? rtl_new_block(design, design->block[block].module, copy.id) : 0;
        uint32_t other = from.other ? rtl_new_block(design, design->block[block].module, copy.id) : 0;
        design->stmt[copy.id].a = value;
        design->stmt[copy.id].b = from.kind == WEIR_RTL_STMT_TRANSITION ? from.b : 0;
        if (!copy_payload(c, &from, copy.id)) return false;
        design->stmt[copy.id].body = body;
        design->stmt[copy.id].other = other;
        if (from.kind == WEIR_RTL_STMT_ALWAYS && !copy_events(c, id, copy.id)) return false;
        wait_block(c, from.body, body);
        wait_block(c, from.other, other);
    }
    if (!copy.id) return false;
    if (from.kind == WEIR_RTL_STMT_FSM || from.kind == WEIR_RTL_STMT_STATE)
        wait_block(c, from.body, design->stmt[copy.id].body);
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_stmt){id}), WEIR_RTL_ITEM(copy));
    return true;
}

static bool copy_block(copier *c, uint32_t from, uint32_t to) {
    assert(from < c->design->block_count);
    for (uint32_t s = c->design->block[from].first; s; s = c->design->stmt[s].next)
        if (!copy_stmt(c, s, to)) return false;
    return true;
}

bool weir_rtl_copy_stmts(weir_rtl_rewriter *rewriter, weir_rtl_block from, weir_rtl_block to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    if (!from.id || !to.id) return false;
    copier c = {.design = design, .rewriter = rewriter};
    bool fine = true;
    /* Instances and functions exist before anything that is wired to their ports or calls them. */
    for (uint32_t s = design->block[from.id].first; fine && s; s = design->stmt[s].next) {
        for (uint32_t i = s; fine && i; i = rtl_walk_next(design, i, s)) {
            if (design->stmt[i].kind == WEIR_RTL_STMT_INSTANCE) fine = make_instance(&c, design->stmt[i].a, to.id);
            if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) fine = make_function(&c, design->stmt[i].a, to.id);
        }
    }
    fine = fine && copy_block(&c, from.id, to.id);
    while (fine && c.count > 0) {
        pair next = c.waiting[--c.count];
        fine = copy_block(&c, next.from, next.to);
    }
    if (fine) lead_machines(&c);
    free(c.machines.id);
    free(c.waiting);
    return fine;
}

/* ---- modules ---- */

/* Parameters of the copy stand for those of the original in its formulas. */
static bool copy_parameters(weir_rtl_rewriter *rewriter, uint32_t from, uint32_t to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    rtl_substitution *s = rtl_rewriter_substitution(rewriter);
    for (size_t i = 0; i < design->module[from].parameters.count; i++) {
        weir_rtl_parameter old = {design->module[from].parameters.id[i]};
        const rtl_parameter p = design->parameter[old.id];
        const bool is_value = design->formula[p.formula].kind == RTL_FORMULA_VALUE;
        const uint32_t formula = is_value ? p.formula : rtl_substitute(s, p.formula);
        weir_rtl_parameter copy = {rtl_new_parameter(design, to, p.name, formula, p.is_local)};
        if (!copy.id) return false;
        design->parameter[copy.id].is_bounded = p.is_bounded;
        design->parameter[copy.id].low = p.low;
        design->parameter[copy.id].high = p.high;
        s->value[p.slot] = rtl_of_parameter(design, copy.id);
        weir_rtl_copy_item(design, WEIR_RTL_ITEM(old), WEIR_RTL_ITEM(copy));
        const rtl_value *value = &design->parameter[copy.id].value;
        bool is_read = value->kind == RTL_VALUE_INTEGER && value->integer >= INT32_MIN && value->integer <= INT32_MAX;
        if (is_read && !weir_rtl_map_parameter(rewriter, old, weir_rtl_read_parameter(design, copy))) return false;
    }
    return true;
}

/* Numbers stand for the parameters. */
static bool replace_parameters(weir_rtl_rewriter *rewriter, uint32_t from) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    const rtl_substitution *s = rtl_rewriter_substitution(rewriter);
    for (size_t i = 0; i < design->module[from].parameters.count; i++) {
        weir_rtl_parameter old = {design->module[from].parameters.id[i]};
        int64_t value;
        if (!rtl_formula_number(design, s->value[design->parameter[old.id].slot], &value)) continue;
        if (value < INT32_MIN || value > INT32_MAX) continue;
        if (!weir_rtl_map_parameter(rewriter, old, weir_rtl_constant_signed(design, 32, value))) return false;
    }
    return true;
}

/* An array with formulas as another one. */
static uint32_t copy_type(weir_rtl_rewriter *rewriter, uint32_t type) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    if (!rtl_type_has_formula(design, type)) return type;
    const rtl_type record = design->type[type];
    weir_rtl_shape element = record.element;
    if (element.type.id) {
        element.type.id = copy_type(rewriter, element.type.id);
        if (!element.type.id) return 0;
    } else {
        const rtl_size width = rtl_rewritten_size(rewriter, element.width, element.formula.id);
        element.width = width.number >= 1 && width.number <= WEIR_RTL_MAX_WIDTH ? (uint32_t)width.number : 0;
        element.formula.id = width.formula;
    }
    return rtl_new_array(design, record.kind, rtl_rewritten_size(rewriter, record.count, record.count_formula), element)
        .id;
}

static bool copy_var(weir_rtl_rewriter *rewriter, uint32_t v, uint32_t to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    rtl_var model = design->var[v];
    const rtl_size width = rtl_rewritten_size(rewriter, model.width, model.formula);
    design->location = rtl_location_of(design, &model.common);
    model.read = model.group = 0;
    model.width = width.number >= 1 && width.number <= WEIR_RTL_MAX_WIDTH ? (uint32_t)width.number : 0;
    model.formula = width.formula;
    if (model.type && !(model.type = copy_type(rewriter, model.type))) return false;
    const weir_rtl_var copy = rtl_add_var(design, (weir_rtl_module){to}, &model);
    if (!copy.id) return false;
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_var){v}), WEIR_RTL_ITEM(copy));
    rtl_map_var(rewriter, v, weir_rtl_read(design, copy).id);
    return true;
}

bool rtl_copy_module(weir_rtl_rewriter *rewriter, uint32_t from, uint32_t to) {
    weir_rtl_design *design = rtl_rewriter_design(rewriter);
    const weir_location location = design->location;
    rtl_substitution own = {.design = design, .module = from, .slots = design->module[from].parameter_slots};
    const bool keeps = !rtl_rewriter_substitution(rewriter);
    bool fine = true;
    if (keeps) {
        own.value = weir_calloc(own.slots + 1, sizeof *own.value);
        rtl_rewriter_substitute(rewriter, &own);
        fine = copy_parameters(rewriter, from, to);
        if (!own.slots) rtl_rewriter_substitute(rewriter, NULL);
    } else {
        fine = replace_parameters(rewriter, from);
    }
    for (uint32_t v = design->module[from].first_var; fine && v; v = design->var[v].next)
        fine = copy_var(rewriter, v, to);
    if (fine) rtl_copy_groups(design, from, to);
    fine = fine && weir_rtl_copy_stmts(rewriter, (weir_rtl_block){design->module[from].body},
                                       (weir_rtl_block){design->module[to].body});
    if (keeps) rtl_rewriter_substitute(rewriter, NULL);
    rtl_substitution_end(&own);
    design->location = location;
    return fine;
}

weir_rtl_module weir_rtl_clone_module(weir_rtl_design *design, weir_rtl_module module) {
    weir_rtl_module none = {0};
    if (!module.id) return none;
    if (design->module[module.id].is_external) {
        rtl_error(design, design->location, "the external module '%s' cannot be cloned",
                  design->module[module.id].name);
        return none;
    }
    weir_rtl_module clone = weir_rtl_add_generator(design, design->module[module.id].name);
    weir_rtl_rewriter *rewriter = weir_rtl_rewriter_new(design);
    design->module[clone.id].is_stub = design->module[module.id].is_stub;
    weir_rtl_copy_item(design, WEIR_RTL_ITEM(module), WEIR_RTL_ITEM(clone));
    bool fine = rtl_copy_module(rewriter, module.id, clone.id);
    weir_rtl_rewriter_free(rewriter);
    return fine ? clone : none;
}
