/* Statements. The blocks of a process nest at most RTL_MAX_DEPTH deep. */
#include "rtlir/core/stmt.h"

#include <string.h>

#include "rtlir/core/private.h"

uint32_t rtl_new_block(weir_rtl_design *design, uint32_t module, uint32_t owner) {
    assert(owner < design->stmt_count);
    uint32_t id = RTL_APPEND(design, block);
    rtl_block *block = &design->block[id];
    block->module = module;
    block->owner = owner;
    if (owner) block->depth = design->block[design->stmt[owner].block].depth + 1;
    return id;
}

void rtl_link_stmt(weir_rtl_design *design, uint32_t stmt, uint32_t block, uint32_t before) {
    assert(stmt > 0 && stmt < design->stmt_count && block < design->block_count);
    assert(before == 0 || design->stmt[before].block == block);
    rtl_stmt *record = &design->stmt[stmt];
    rtl_block *owner = &design->block[block];
    record->block = block;
    record->next = before;
    record->previous = before ? design->stmt[before].previous : owner->last;
    if (record->previous) design->stmt[record->previous].next = stmt;
    else owner->first = stmt;
    if (before) design->stmt[before].previous = stmt;
    else owner->last = stmt;
}

void rtl_unlink_stmt(weir_rtl_design *design, uint32_t stmt) {
    assert(stmt > 0 && stmt < design->stmt_count && design->stmt[stmt].block != 0);
    rtl_stmt *record = &design->stmt[stmt];
    rtl_block *owner = &design->block[record->block];
    for (rtl_cursor *c = design->cursor; c; c = c->outer) {
        if (c->current != stmt) continue;
        c->current = record->previous;
        c->is_gone = true;
    }
    if (record->previous) design->stmt[record->previous].next = record->next;
    else owner->first = record->next;
    if (record->next) design->stmt[record->next].previous = record->previous;
    else owner->last = record->previous;
    record->block = record->next = record->previous = 0;
}

uint32_t rtl_new_stmt(weir_rtl_design *design, uint32_t block, weir_rtl_stmt_kind kind) {
    assert(block > 0 && block < design->block_count && kind != WEIR_RTL_STMT_NONE);
    uint32_t id = RTL_APPEND(design, stmt);
    design->stmt[id].common = rtl_common_now(design);
    design->stmt[id].kind = kind;
    rtl_link_stmt(design, id, block, 0);
    return id;
}

uint32_t *rtl_stmt_slot(const weir_rtl_design *design, uint32_t stmt, size_t index) {
    assert(stmt < design->stmt_count);
    rtl_stmt *record = &design->stmt[stmt];
    rtl_assertion *assertion = &design->assertion[record->kind == WEIR_RTL_STMT_ASSERT ? record->a : 0];
    uint32_t *const parts[3] = {&assertion->disable, &assertion->antecedent, &assertion->consequent};
    switch (record->kind) {
    case WEIR_RTL_STMT_ASSIGN: return index == 0 ? &record->a : index == 1 ? &record->b : NULL;
    case WEIR_RTL_STMT_IF:
    case WEIR_RTL_STMT_CASE:
    case WEIR_RTL_STMT_CASE_ITEM:
    case WEIR_RTL_STMT_TRANSITION:
    case WEIR_RTL_STMT_RETURN: return index == 0 ? &record->a : NULL;
    case WEIR_RTL_STMT_ASSERT: return index < 3 ? parts[index] : NULL;
    default: return NULL;
    }
}

uint32_t rtl_root_stmt(const weir_rtl_design *design, uint32_t stmt) {
    assert(stmt > 0 && stmt < design->stmt_count);
    for (uint32_t owner; (owner = design->block[design->stmt[stmt].block].owner) != 0;) stmt = owner;
    return stmt;
}

/* ---- the module's body ---- */

uint32_t rtl_fit_value(weir_rtl_design *design, uint32_t module, weir_rtl_expr target, weir_rtl_expr value) {
    assert(module < design->module_count);
    const rtl_expr *to = rtl_expr_at(design, target.id);
    const rtl_expr *from = rtl_expr_at(design, value.id);
    if (design->type[rtl_type_of(design, target.id)].kind == WEIR_RTL_TYPE_MEMORY ||
        design->type[rtl_type_of(design, value.id)].kind == WEIR_RTL_TYPE_MEMORY) {
        rtl_error(design, design->location, "'%s' = '%s': memories are assigned one element at a time",
                  rtl_describe(design, target.id), rtl_describe(design, value.id));
        return 0;
    }
    if (!weir_rtl_is_target(design, target)) {
        rtl_error(design, design->location, "'%s' cannot be assigned to", rtl_describe(design, target.id));
        return 0;
    }
    if (to->module != module || (from->module && from->module != module)) {
        rtl_error(design, design->location,
                  "assignment of '%s' to '%s' in module '%s' names variables of another module",
                  rtl_describe(design, value.id), rtl_describe(design, target.id), design->module[module].name);
        return 0;
    }
    if (to->width != from->width) {
        rtl_error(design, design->location, "'%s' has %u bits and cannot take '%s', which has %u",
                  rtl_describe(design, target.id), (unsigned)to->width, rtl_describe(design, value.id),
                  (unsigned)from->width);
        return 0;
    }
    if (to->is_signed != from->is_signed && from->kind != WEIR_RTL_EXPR_CONSTANT) {
        rtl_error(design, design->location, "'%s' is %s and cannot take '%s', which is %s",
                  rtl_describe(design, target.id), to->is_signed ? "signed" : "unsigned",
                  rtl_describe(design, value.id), from->is_signed ? "signed" : "unsigned");
        return 0;
    }
    if (to->carries != WEIR_RTL_DATA && to->carries != WEIR_RTL_CLOCK_ENABLE && to->carries != from->carries &&
        from->kind != WEIR_RTL_EXPR_CONSTANT) {
        rtl_error(design, design->location,
                  "'%s' is a clock or reset and cannot take '%s', which is another kind of signal",
                  rtl_describe(design, target.id), rtl_describe(design, value.id));
        return 0;
    }
    return to->is_signed ? weir_rtl_as_signed(design, value).id : weir_rtl_as_unsigned(design, value).id;
}

bool rtl_in_own_module(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    if (!design->module[module].is_external) return true;
    rtl_error(design, design->location, "the external module '%s' takes no statements", design->module[module].name);
    return false;
}

static weir_rtl_stmt new_assign(weir_rtl_design *design, uint32_t block, uint32_t target, uint32_t value,
                                weir_rtl_timing timing) {
    uint32_t id = rtl_new_stmt(design, block, WEIR_RTL_STMT_ASSIGN);
    design->stmt[id].timing = timing;
    design->stmt[id].a = target;
    design->stmt[id].b = value;
    return (weir_rtl_stmt){id};
}

weir_rtl_stmt weir_rtl_assign(weir_rtl_design *design, weir_rtl_module module, weir_rtl_expr target,
                              weir_rtl_expr value) {
    weir_rtl_block body = {module.id ? rtl_module_at(design, module.id)->body : 0};
    return weir_rtl_add_assign(design, body, target, value, WEIR_RTL_CONTINUOUS);
}

weir_rtl_stmt weir_rtl_add_comment(weir_rtl_design *design, weir_rtl_module module, const char *text) {
    weir_rtl_stmt none = {0};
    if (!module.id || !rtl_in_own_module(design, module.id)) return none;
    weir_rtl_stmt stmt = {rtl_new_stmt(design, rtl_module_at(design, module.id)->body, WEIR_RTL_STMT_COMMENT)};
    weir_rtl_set_comment(design, WEIR_RTL_ITEM(stmt), text);
    return stmt;
}

static weir_rtl_block add_process(weir_rtl_design *design, weir_rtl_module module, weir_rtl_stmt_kind kind) {
    weir_rtl_block none = {0};
    if (!module.id || !rtl_in_own_module(design, module.id)) return none;
    uint32_t stmt = rtl_new_stmt(design, rtl_module_at(design, module.id)->body, kind);
    uint32_t body = rtl_new_block(design, module.id, stmt);
    design->stmt[stmt].body = body;
    return (weir_rtl_block){body};
}

weir_rtl_block weir_rtl_add_always(weir_rtl_design *design, weir_rtl_module module, weir_rtl_edge edge,
                                   weir_rtl_var clock) {
    weir_rtl_block none = {0};
    if (!clock.id) return none;
    weir_rtl_block body = add_process(design, module, WEIR_RTL_STMT_ALWAYS);
    weir_rtl_add_event(design, body, edge, clock);
    return body;
}

weir_rtl_block weir_rtl_add_combinational(weir_rtl_design *design, weir_rtl_module module) {
    return add_process(design, module, WEIR_RTL_STMT_COMBINATIONAL);
}

weir_rtl_block weir_rtl_add_latch(weir_rtl_design *design, weir_rtl_module module) {
    return add_process(design, module, WEIR_RTL_STMT_LATCH);
}

weir_rtl_block weir_rtl_add_final(weir_rtl_design *design, weir_rtl_module module) {
    return add_process(design, module, WEIR_RTL_STMT_FINAL);
}

weir_rtl_block weir_rtl_add_initial(weir_rtl_design *design, weir_rtl_module module) {
    return add_process(design, module, WEIR_RTL_STMT_INITIAL);
}

void weir_rtl_add_event(weir_rtl_design *design, weir_rtl_block always, weir_rtl_edge edge, weir_rtl_var var) {
    if (!always.id || !var.id) return;
    const rtl_block *block = rtl_block_at(design, always.id);
    const rtl_var *trigger = rtl_var_at(design, var.id);
    uint32_t owner = block->owner;
    if (!owner || design->stmt[owner].kind != WEIR_RTL_STMT_ALWAYS) {
        rtl_error(design, design->location, "an edge of '%s' needs the body of an always block", trigger->name);
        return;
    }
    if (trigger->module != block->module ||
        (trigger->kind != WEIR_RTL_CLOCK && trigger->kind != WEIR_RTL_ASYNC_RESET)) {
        rtl_error(design, design->location, "an always block of module '%s' cannot wait for '%s', which is not a %s",
                  design->module[block->module].name, trigger->name,
                  trigger->module == block->module ? "clock or asynchronous reset" : "variable of it");
        return;
    }
    uint32_t id = RTL_APPEND(design, event);
    design->event[id].edge = edge;
    design->event[id].var = var.id;
    uint32_t *link = &design->stmt[owner].a;
    while (*link) link = &design->event[*link].next;
    *link = id;
}

/* ---- inside processes ---- */

bool rtl_make_registers(weir_rtl_design *design, uint32_t target) {
    assert(target < design->expr_count);
    const rtl_expr *expr = &design->expr[target];
    if (expr->kind == WEIR_RTL_EXPR_CONCAT) {
        for (uint32_t i = 0; i < expr->b; i++)
            if (!rtl_make_registers(design, design->operand[expr->a + i])) return false;
        return true;
    }
    if (expr->kind == WEIR_RTL_EXPR_PORT) return true; /* the wire that takes its place will do */
    if (expr->kind != WEIR_RTL_EXPR_VAR) return rtl_make_registers(design, expr->a);
    rtl_var *var = rtl_var_of(design, expr);
    if (var->direction == WEIR_RTL_OUTPUT || var->is_undecided) var->is_register = true;
    if (!var->is_register)
        rtl_error(design, design->location, "'%s' in module '%s' is a wire; a process assigns registers only",
                  var->name, design->module[var->module].name);
    return var->is_register;
}

/* Registers of library modules are what their file says. */
void rtl_infer_registers(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    const rtl_module *record = &design->module[module];
    if (record->is_external) return;
    for (uint32_t v = record->first_var; v; v = design->var[v].next) {
        rtl_var *var = &design->var[v];
        if (var->is_undecided || var->direction == WEIR_RTL_OUTPUT) var->is_register = false;
    }
    for (uint32_t s = design->block[record->body].first; s; s = design->stmt[s].next) {
        bool is_loop = design->stmt[s].kind == WEIR_RTL_STMT_FOR;
        for (uint32_t i = rtl_walk_next(design, s, s); i; i = rtl_walk_next(design, i, s)) {
            const rtl_stmt *stmt = &design->stmt[i];
            if (stmt->kind == WEIR_RTL_STMT_ASSIGN && (!is_loop || rtl_process_of(design, stmt->block)))
                rtl_make_registers(design, stmt->a);
        }
    }
}

uint32_t rtl_process_of(const weir_rtl_design *design, uint32_t block) {
    assert(block < design->block_count);
    uint32_t owner = design->block[block].owner;
    while (owner && !rtl_is_process(design->stmt[owner].kind)) owner = design->block[design->stmt[owner].block].owner;
    return owner;
}

bool rtl_in_process(weir_rtl_design *design, uint32_t block) {
    assert(block < design->block_count);
    uint32_t owner = design->block[block].owner;
    weir_rtl_stmt_kind kind = owner ? design->stmt[owner].kind : WEIR_RTL_STMT_NONE;
    if (kind == WEIR_RTL_STMT_FOR && !rtl_process_of(design, block)) kind = WEIR_RTL_STMT_NONE;
    if (kind == WEIR_RTL_STMT_NONE || kind == WEIR_RTL_STMT_CASE || rtl_is_machine(kind))
        rtl_error(design, design->location, "this statement belongs in a process or a branch of one");
    else if (design->block[block].depth > RTL_MAX_DEPTH)
        rtl_error(design, design->location, "blocks nest deeper than %d", RTL_MAX_DEPTH);
    else return true;
    return false;
}

/* May the block hold assignments that a process makes? */
static bool takes_sets(weir_rtl_design *design, uint32_t block) {
    assert(block < design->block_count);
    uint32_t owner = design->block[block].owner;
    return (owner && rtl_is_machine(design->stmt[owner].kind)) || rtl_in_process(design, block);
}

static bool takes_both(const weir_rtl_design *design, uint32_t always) {
    return !weir_rtl_attribute_flag(design, WEIR_RTL_ITEM((weir_rtl_stmt){always}), "check_assignment", true);
}

weir_rtl_timing weir_rtl_timing_in(const weir_rtl_design *design, weir_rtl_block block) {
    uint32_t owner = rtl_process_of(design, block.id);
    if (!owner) return WEIR_RTL_CONTINUOUS;
    bool is_clocked = design->stmt[owner].kind == WEIR_RTL_STMT_ALWAYS && !takes_both(design, owner);
    return is_clocked ? WEIR_RTL_NONBLOCKING : WEIR_RTL_BLOCKING;
}

bool weir_rtl_timing_fits(const weir_rtl_design *design, weir_rtl_block block, weir_rtl_timing timing) {
    weir_rtl_timing expected = weir_rtl_timing_in(design, block);
    return timing == expected || timing == WEIR_RTL_UNDECIDED ||
           (timing == WEIR_RTL_NONBLOCKING && expected == WEIR_RTL_BLOCKING &&
            design->stmt[rtl_process_of(design, block.id)].kind == WEIR_RTL_STMT_ALWAYS);
}

const char *weir_rtl_timing_name(weir_rtl_timing timing) {
    assert(timing >= WEIR_RTL_CONTINUOUS && timing <= WEIR_RTL_UNDECIDED);
    static const char *const names[] = {"continuous", "blocking", "nonblocking", "undecided"};
    return names[timing];
}

static bool check_timing(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target, weir_rtl_timing timing) {
    if (weir_rtl_timing_fits(design, block, timing)) return true;
    uint32_t owner = rtl_process_of(design, block.id);
    rtl_error(design, design->location, "assignment to '%s' is %s, expected %s in %s", rtl_describe(design, target.id),
              weir_rtl_timing_name(timing), weir_rtl_timing_name(weir_rtl_timing_in(design, block)),
              !owner                                             ? "the body of a module"
              : design->stmt[owner].kind == WEIR_RTL_STMT_ALWAYS ? "a clocked block"
                                                                 : "an initial or combinational block");
    return false;
}

bool rtl_check_floating(weir_rtl_design *design, weir_location location, uint32_t block, uint32_t target,
                        uint32_t value) {
    assert(target < design->expr_count);
    assert(value < design->expr_count);
    const bool is_body = rtl_process_of(design, block) == 0;
    if (!design->expr[value].floats || (is_body && weir_rtl_takes_floating(design, (weir_rtl_expr){target})))
        return true;
    const char *to = rtl_describe(design, target), *from = rtl_describe(design, value);
    if (!is_body)
        rtl_error(
            design, location,
            "a process cannot assign '%s' to '%s': a tri-state driver is a continuous assignment; compute condition "
            "and value in the process, and 'assign %s = CONDITION ? VALUE : 'z' outside of it",
            from, to, to);
    else
        rtl_error(design, location, "'%s' cannot take '%s', which may be high impedance: %s", to, from,
                  design->expr[target].kind == WEIR_RTL_EXPR_PORT
                      ? "assign that to a wire, and the wire to the port"
                      : "declare it as 'inout' or, inside of the module, as 'wire'");
    return false;
}

weir_rtl_stmt weir_rtl_add_assign(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target,
                                  weir_rtl_expr value, weir_rtl_timing timing) {
    weir_rtl_stmt none = {0};
    if (!block.id || !target.id || !value.id) return none;
    uint32_t module = rtl_block_at(design, block.id)->module;
    bool is_body = rtl_process_of(design, block.id) == 0;
    if (!rtl_in_own_module(design, module) || (!is_body && !takes_sets(design, block.id))) return none;
    if (!check_timing(design, block, target, timing)) return none;
    uint32_t fitted = rtl_fit_value(design, module, target, value);
    if (fitted && !rtl_check_floating(design, design->location, block.id, target.id, value.id)) return none;
    if (!fitted || (!is_body && !rtl_make_registers(design, target.id))) return none;
    return new_assign(design, block.id, target.id, fitted, timing);
}

static weir_rtl_stmt add_set(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target, weir_rtl_expr value,
                             weir_rtl_timing timing) {
    weir_rtl_stmt none = {0};
    if (!block.id || !target.id || !value.id || !takes_sets(design, block.id)) return none;
    return weir_rtl_add_assign(design, block, target, value, timing);
}

weir_rtl_stmt weir_rtl_set(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target, weir_rtl_expr value) {
    return add_set(design, block, target, value, WEIR_RTL_BLOCKING);
}

weir_rtl_stmt weir_rtl_set_next(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target,
                                weir_rtl_expr value) {
    return add_set(design, block, target, value, WEIR_RTL_NONBLOCKING);
}

static weir_rtl_stmt add_branch(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr value,
                                weir_rtl_stmt_kind kind) {
    weir_rtl_stmt none = {0};
    if (!block.id || !value.id || !rtl_in_process(design, block.id)) return none;
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    uint32_t module = rtl_block_at(design, block.id)->module;
    if (expr->module && expr->module != module) {
        rtl_error(design, design->location, "condition '%s' in module '%s' names variables of another module",
                  rtl_describe(design, value.id), design->module[module].name);
        return none;
    }
    if (kind == WEIR_RTL_STMT_IF && expr->width != 1) {
        rtl_error(design, design->location, "condition '%s' has %u bits, expected 1", rtl_describe(design, value.id),
                  (unsigned)expr->width);
        return none;
    }
    uint32_t id = rtl_new_stmt(design, block.id, kind);
    uint32_t body = rtl_new_block(design, module, id);
    design->stmt[id].a = value.id;
    design->stmt[id].body = body;
    return (weir_rtl_stmt){id};
}

weir_rtl_stmt weir_rtl_add_if(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr condition) {
    return add_branch(design, block, condition, WEIR_RTL_STMT_IF);
}

weir_rtl_block weir_rtl_then(weir_rtl_design *design, weir_rtl_stmt branch) {
    return (weir_rtl_block){branch.id ? rtl_stmt_at(design, branch.id)->body : 0};
}

weir_rtl_block weir_rtl_else(weir_rtl_design *design, weir_rtl_stmt branch) {
    weir_rtl_block none = {0};
    if (!branch.id) return none;
    if (rtl_stmt_at(design, branch.id)->kind != WEIR_RTL_STMT_IF) {
        rtl_error(design, design->location, "only an if has an else");
        return none;
    }
    if (!rtl_stmt_at(design, branch.id)->other) {
        uint32_t other = rtl_new_block(design, design->block[rtl_stmt_at(design, branch.id)->block].module, branch.id);
        rtl_stmt_at(design, branch.id)->other = other;
    }
    return (weir_rtl_block){rtl_stmt_at(design, branch.id)->other};
}

weir_rtl_stmt weir_rtl_add_case(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr value) {
    return add_branch(design, block, value, WEIR_RTL_STMT_CASE);
}

static weir_rtl_block add_item(weir_rtl_design *design, weir_rtl_stmt branch, uint32_t label) {
    uint32_t list = rtl_stmt_at(design, branch.id)->body;
    uint32_t item = rtl_new_stmt(design, list, WEIR_RTL_STMT_CASE_ITEM);
    uint32_t body = rtl_new_block(design, design->block[list].module, item);
    design->stmt[item].a = label;
    design->stmt[item].body = body;
    return (weir_rtl_block){body};
}

weir_rtl_block weir_rtl_add_case_item(weir_rtl_design *design, weir_rtl_stmt branch, weir_rtl_expr label) {
    weir_rtl_block none = {0};
    if (!branch.id || !label.id) return none;
    const rtl_stmt *stmt = rtl_stmt_at(design, branch.id);
    const rtl_expr *value = &design->expr[stmt->a];
    const rtl_expr *expr = rtl_expr_at(design, label.id);
    if (stmt->kind != WEIR_RTL_STMT_CASE || expr->kind != WEIR_RTL_EXPR_CONSTANT || expr->width != value->width ||
        expr->is_signed != value->is_signed) {
        rtl_error(design, design->location, "case label '%s' has %u bits, expected a constant like '%s' with %u",
                  rtl_describe(design, label.id), (unsigned)expr->width, rtl_describe(design, stmt->a),
                  (unsigned)value->width);
        return none;
    }
    return add_item(design, branch, label.id);
}

weir_rtl_block weir_rtl_add_default(weir_rtl_design *design, weir_rtl_stmt branch) {
    weir_rtl_block none = {0};
    if (!branch.id) return none;
    if (rtl_stmt_at(design, branch.id)->kind != WEIR_RTL_STMT_CASE) {
        rtl_error(design, design->location, "only a case has a default");
        return none;
    }
    return add_item(design, branch, 0);
}

/* ---- loops and assertions ---- */

weir_rtl_block rtl_add_for(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator,
                           const rtl_size bound[3]) {
    weir_rtl_block none = {0};
    if (!block.id || !iterator.id) return none;
    uint32_t module = rtl_block_at(design, block.id)->module;
    bool in_body = !rtl_process_of(design, block.id);
    if (!rtl_in_own_module(design, module) || (!in_body && !rtl_in_process(design, block.id))) return none;
    if (rtl_block_at(design, block.id)->depth > RTL_MAX_DEPTH) {
        rtl_error(design, design->location, "blocks nest deeper than %d", RTL_MAX_DEPTH);
        return none;
    }
    const rtl_var *var = rtl_var_at(design, iterator.id);
    bool fits = bound[2].number != 0;
    for (int i = 0; i < 3; i++) {
        uint32_t own = rtl_formula_module(design, bound[i].formula);
        fits = fits && bound[i].number >= INT32_MIN && bound[i].number <= INT32_MAX && (!own || own == module);
    }
    if (!var->is_iterator || var->module != module || !fits) {
        rtl_error(design, design->location,
                  "a loop needs an iterator of its module and 32-bit bounds with a step, not '%s'", var->name);
        return none;
    }
    uint32_t loop = RTL_APPEND(design, loop);
    design->loop[loop] = (rtl_loop){iterator.id,
                                    bound[0].number,
                                    bound[1].number,
                                    bound[2].number,
                                    {bound[0].formula, bound[1].formula, bound[2].formula}};
    if (bound[0].formula || bound[1].formula || bound[2].formula) design->module[module].is_parametrised = true;
    uint32_t stmt = rtl_new_stmt(design, block.id, WEIR_RTL_STMT_FOR);
    uint32_t body = rtl_new_block(design, module, stmt);
    design->stmt[stmt].a = loop;
    design->stmt[stmt].body = body;
    return (weir_rtl_block){body};
}

weir_rtl_block weir_rtl_add_for(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator, int64_t start,
                                int64_t end, int64_t step) {
    const rtl_size bound[3] = {{.number = start}, {.number = end}, {.number = step}};
    return rtl_add_for(design, block, iterator, bound);
}

weir_rtl_stmt weir_rtl_add_break(weir_rtl_design *design, weir_rtl_block block) {
    weir_rtl_stmt none = {0};
    if (!block.id || !rtl_in_process(design, block.id)) return none;
    uint32_t owner = rtl_block_at(design, block.id)->owner;
    while (owner && design->stmt[owner].kind != WEIR_RTL_STMT_FOR)
        owner = design->block[design->stmt[owner].block].owner;
    if (!owner || !rtl_process_of(design, design->stmt[owner].block)) {
        rtl_error(design, design->location, "a break belongs in a loop of a process");
        return none;
    }
    return (weir_rtl_stmt){rtl_new_stmt(design, block.id, WEIR_RTL_STMT_BREAK)};
}

static bool is_condition(weir_rtl_design *design, uint32_t module, weir_rtl_expr value) {
    assert(module < design->module_count);
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    if (expr->width == 1 && (!expr->module || expr->module == module)) return true;
    rtl_error(design, design->location, "condition '%s' has %u bits, expected 1 of module '%s'",
              rtl_describe(design, value.id), (unsigned)expr->width, design->module[module].name);
    return false;
}

static bool is_clock_of(const weir_rtl_design *design, uint32_t module, weir_rtl_var var) {
    return rtl_var_at(design, var.id)->module == module && rtl_var_at(design, var.id)->kind == WEIR_RTL_CLOCK;
}

static weir_rtl_stmt new_assertion(weir_rtl_design *design, uint32_t block, const weir_rtl_property *property,
                                   bool is_property) {
    uint32_t id = RTL_APPEND(design, assertion);
    design->assertion[id] =
        (rtl_assertion){.kind = property->kind,
                        .edge = property->edge,
                        .is_property = is_property,
                        .clock = property->clock.id,
                        .disable = property->disable.id,
                        .antecedent = property->antecedent.id,
                        .consequent = property->consequent.id,
                        .low = property->low,
                        .high = property->high,
                        .message = property->message ? weir_strings_intern(design->strings, property->message) : NULL,
                        .call = property->call ? weir_strings_intern(design->strings, property->call) : NULL};
    uint32_t stmt = rtl_new_stmt(design, block, WEIR_RTL_STMT_ASSERT);
    design->stmt[stmt].a = id;
    return (weir_rtl_stmt){stmt};
}

weir_rtl_stmt weir_rtl_add_assertion(weir_rtl_design *design, weir_rtl_block block, weir_rtl_assertion kind,
                                     weir_rtl_expr condition, const char *message) {
    weir_rtl_stmt none = {0};
    if (!block.id || !condition.id || !rtl_in_process(design, block.id)) return none;
    if (!is_condition(design, rtl_block_at(design, block.id)->module, condition)) return none;
    weir_rtl_property property = {.kind = kind, .consequent = condition, .message = message};
    return new_assertion(design, block.id, &property, false);
}

weir_rtl_stmt weir_rtl_add_property(weir_rtl_design *design, weir_rtl_module module,
                                    const weir_rtl_property *property) {
    weir_rtl_stmt none = {0};
    if (!module.id || !property->consequent.id || !rtl_in_own_module(design, module.id)) return none;
    if ((property->clock.id && !is_clock_of(design, module.id, property->clock)) || property->high < property->low) {
        rtl_error(design, design->location, "a property needs a clock of its module and cycles low <= high");
        return none;
    }
    if (!is_condition(design, module.id, property->consequent) ||
        (property->antecedent.id && !is_condition(design, module.id, property->antecedent)) ||
        (property->disable.id && !is_condition(design, module.id, property->disable)))
        return none;
    return new_assertion(design, rtl_module_at(design, module.id)->body, property, true);
}

weir_rtl_property weir_rtl_get_property(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    const rtl_assertion *assertion = rtl_assertion_of(design, rtl_stmt_at(design, stmt.id));
    return (weir_rtl_property){.kind = assertion->kind,
                               .edge = assertion->edge,
                               .clock = {assertion->clock},
                               .disable = {assertion->disable},
                               .antecedent = {assertion->antecedent},
                               .consequent = {assertion->consequent},
                               .low = assertion->low,
                               .high = assertion->high,
                               .message = assertion->message,
                               .call = assertion->call};
}

/* ---- reading back ---- */

weir_rtl_stmt_info weir_rtl_get_stmt(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    const rtl_stmt *record = rtl_stmt_at(design, stmt.id);
    const weir_rtl_stmt_kind kind = record->kind;
    const rtl_loop *loop = &design->loop[kind == WEIR_RTL_STMT_FOR ? record->a : 0];
    const bool has_value = kind == WEIR_RTL_STMT_RETURN || kind == WEIR_RTL_STMT_IF || kind == WEIR_RTL_STMT_CASE ||
                           kind == WEIR_RTL_STMT_CASE_ITEM || kind == WEIR_RTL_STMT_TRANSITION;
    return (weir_rtl_stmt_info){.kind = kind,
                                .block = {record->block},
                                .timing = record->timing,
                                .target = {kind == WEIR_RTL_STMT_ASSIGN ? record->a : 0},
                                .value = {kind == WEIR_RTL_STMT_ASSIGN ? record->b
                                          : has_value                  ? record->a
                                                                       : 0},
                                .instance = {kind == WEIR_RTL_STMT_INSTANCE ? record->a : 0},
                                .function = {kind == WEIR_RTL_STMT_FUNCTION ? record->a : 0},
                                .fsm = {kind == WEIR_RTL_STMT_FSM ? record->a : 0},
                                .state = {kind == WEIR_RTL_STMT_STATE        ? record->a
                                          : kind == WEIR_RTL_STMT_TRANSITION ? record->b
                                                                             : 0},
                                .iterator = {loop->iterator},
                                .start = loop->start,
                                .end = loop->end,
                                .step = loop->step,
                                .start_formula = {loop->formula[0]},
                                .end_formula = {loop->formula[1]},
                                .step_formula = {loop->formula[2]},
                                .body = {record->body},
                                .other = {record->other}};
}

weir_rtl_stmt weir_rtl_first(const weir_rtl_design *design, weir_rtl_block block) {
    return (weir_rtl_stmt){rtl_block_at(design, block.id)->first};
}

weir_rtl_stmt weir_rtl_next(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    return (weir_rtl_stmt){rtl_stmt_at(design, stmt.id)->next};
}

weir_rtl_stmt weir_rtl_last(const weir_rtl_design *design, weir_rtl_block block) {
    return (weir_rtl_stmt){rtl_block_at(design, block.id)->last};
}

weir_rtl_stmt weir_rtl_previous(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    return (weir_rtl_stmt){rtl_stmt_at(design, stmt.id)->previous};
}

weir_rtl_stmt weir_rtl_inside(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_stmt root) {
    return (weir_rtl_stmt){rtl_walk_next(design, stmt.id, root.id)};
}

weir_rtl_stmt_kind weir_rtl_kind_of(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    return rtl_stmt_at(design, stmt.id)->kind;
}

weir_rtl_stmt weir_rtl_first_part(const weir_rtl_design *design, weir_rtl_module module) {
    return (weir_rtl_stmt){design->block[rtl_module_at(design, module.id)->body].first};
}

weir_rtl_stmt weir_rtl_next_part(const weir_rtl_design *design, weir_rtl_stmt part) {
    const rtl_stmt *stmt = rtl_stmt_at(design, part.id);
    uint32_t next = stmt->kind == WEIR_RTL_STMT_FOR ? design->block[stmt->body].first : 0;
    for (uint32_t owner = part.id; !next && owner; owner = design->block[stmt->block].owner) {
        stmt = &design->stmt[owner];
        next = stmt->next;
    }
    return (weir_rtl_stmt){next};
}

size_t weir_rtl_event_count(const weir_rtl_design *design, weir_rtl_stmt always) {
    size_t count = 0;
    if (rtl_stmt_at(design, always.id)->kind != WEIR_RTL_STMT_ALWAYS) return 0;
    for (uint32_t e = rtl_stmt_at(design, always.id)->a; e; e = design->event[e].next) count++;
    return count;
}

weir_rtl_event weir_rtl_event_at(const weir_rtl_design *design, weir_rtl_stmt always, size_t index) {
    assert(index < weir_rtl_event_count(design, always));
    uint32_t e = rtl_stmt_at(design, always.id)->a;
    while (index-- > 0) e = design->event[e].next;
    return (weir_rtl_event){design->event[e].edge, {design->event[e].var}};
}

weir_rtl_stmt weir_rtl_owner(const weir_rtl_design *design, weir_rtl_block block) {
    return (weir_rtl_stmt){rtl_block_at(design, block.id)->owner};
}

weir_rtl_module weir_rtl_block_module(const weir_rtl_design *design, weir_rtl_block block) {
    return (weir_rtl_module){rtl_block_at(design, block.id)->module};
}

uint32_t rtl_walk_next(const weir_rtl_design *design, uint32_t stmt, uint32_t root) {
    assert(stmt > 0 && stmt < design->stmt_count && root < design->stmt_count);
    const rtl_stmt *record = &design->stmt[stmt];
    uint32_t down = design->block[record->body].first;
    if (!down) down = design->block[record->other].first;
    while (!down && stmt != root) {
        record = &design->stmt[stmt];
        if (record->next) return record->next;
        uint32_t owner = design->block[record->block].owner;
        const rtl_stmt *above = &design->stmt[owner];
        if (record->block == above->body) down = design->block[above->other].first;
        stmt = owner;
    }
    return down;
}
