/* Removal takes records out of lists and names; the records themselves stay, so that handles stay valid. */
#include "rtlir/edit/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"

/* ---- statements ---- */

static void forget_instance(weir_rtl_design *design, uint32_t id) {
    assert(id < design->instance_count);
    rtl_instance *instance = &design->instance[id];
    if (instance->is_removed) return;
    rtl_names_remove(design, (rtl_name){RTL_NAME_INSTANCE, id});
    rtl_ids_remove(&design->module[instance->parent].instances, id);
    instance->is_removed = true;
}

static void forget_function(weir_rtl_design *design, uint32_t id) {
    assert(id < design->function_count);
    rtl_function *function = &design->function[id];
    if (!function->is_removed) rtl_names_remove(design, (rtl_name){RTL_NAME_FUNCTION, id});
    function->is_removed = true;
}

static void forget_fsm(weir_rtl_design *design, uint32_t id) {
    assert(id < design->fsm_count);
    if (!design->fsm[id].is_removed) rtl_names_remove(design, (rtl_name){RTL_NAME_FSM, id});
    design->fsm[id].is_removed = true;
}

static void forget_state(weir_rtl_design *design, uint32_t id) {
    assert(id < design->state_count);
    if (!design->state[id].is_removed) rtl_names_remove(design, (rtl_name){RTL_NAME_STATE, id});
    design->state[id].is_removed = true;
}

void weir_rtl_remove_stmt(weir_rtl_design *design, weir_rtl_stmt stmt) {
    if (!stmt.id || !design->stmt[stmt.id].block) return;
    for (uint32_t s = stmt.id; s; s = rtl_walk_next(design, s, stmt.id)) {
        uint32_t record = design->stmt[s].a;
        switch (design->stmt[s].kind) {
        case WEIR_RTL_STMT_INSTANCE: forget_instance(design, record); break;
        case WEIR_RTL_STMT_FUNCTION: forget_function(design, record); break;
        case WEIR_RTL_STMT_FSM: forget_fsm(design, record); break;
        case WEIR_RTL_STMT_STATE: forget_state(design, record); break;
        default: break;
        }
    }
    rtl_unlink_stmt(design, stmt.id);
}

/* May the block hold a statement of this kind? */
static bool fits_block(weir_rtl_design *design, uint32_t stmt, uint32_t block) {
    assert(stmt < design->stmt_count);
    assert(block < design->block_count);
    const rtl_stmt *record = &design->stmt[stmt];
    uint32_t owner = design->block[block].owner;
    bool in_items = owner && design->stmt[owner].kind == WEIR_RTL_STMT_CASE;
    bool in_machine = owner && rtl_is_machine(design->stmt[owner].kind);
    bool in_process = rtl_process_of(design, block) != 0 && !in_items && !in_machine;
    bool in_body = !in_process && !in_items && !in_machine;
    bool fits = false;
    switch (record->kind) {
    case WEIR_RTL_STMT_NONE: break;
    case WEIR_RTL_STMT_ASSIGN:
    case WEIR_RTL_STMT_COMMENT: fits = !in_items; break;
    case WEIR_RTL_STMT_FOR: fits = !in_items && !in_machine; break;
    case WEIR_RTL_STMT_CASE_ITEM: fits = in_items; break;
    case WEIR_RTL_STMT_IF:
    case WEIR_RTL_STMT_CASE:
    case WEIR_RTL_STMT_BREAK:
    case WEIR_RTL_STMT_RETURN: fits = in_process; break;
    case WEIR_RTL_STMT_ASSERT: fits = rtl_assertion_of(design, record)->is_property ? in_body : in_process; break;
    case WEIR_RTL_STMT_FUNCTION: fits = owner == 0; break;
    case WEIR_RTL_STMT_FSM: fits = rtl_fsm_of(design, record)->parent ? block == record->block : owner == 0; break;
    case WEIR_RTL_STMT_STATE: fits = block == record->block; break; /* its name belongs to its machine */
    case WEIR_RTL_STMT_TRANSITION: fits = owner && design->stmt[owner].kind == WEIR_RTL_STMT_STATE; break;
    case WEIR_RTL_STMT_INSTANCE:
    case WEIR_RTL_STMT_ALWAYS:
    case WEIR_RTL_STMT_COMBINATIONAL:
    case WEIR_RTL_STMT_LATCH:
    case WEIR_RTL_STMT_INITIAL:
    case WEIR_RTL_STMT_FINAL: fits = in_body; break;
    }
    if (!fits) rtl_error(design, design->location, "this statement cannot be moved into a block of another kind");
    return fits;
}

/* Levels of blocks below the statement; 0: none. */
static uint32_t levels_below(const weir_rtl_design *design, uint32_t stmt) {
    assert(stmt < design->stmt_count);
    uint32_t here = design->block[design->stmt[stmt].block].depth;
    uint32_t most = here;
    for (uint32_t s = stmt; s; s = rtl_walk_next(design, s, stmt)) {
        const rtl_stmt *record = &design->stmt[s];
        if (record->body && design->block[record->body].depth > most) most = design->block[record->body].depth;
        if (record->other && design->block[record->other].depth > most) most = design->block[record->other].depth;
    }
    return most - here;
}

static void relevel(weir_rtl_design *design, uint32_t stmt) {
    for (uint32_t s = stmt; s; s = rtl_walk_next(design, s, stmt)) {
        const rtl_stmt *record = &design->stmt[s];
        uint32_t depth = design->block[record->block].depth + 1;
        if (record->body) design->block[record->body].depth = depth;
        if (record->other) design->block[record->other].depth = depth;
    }
}

static bool is_inside(const weir_rtl_design *design, uint32_t block, uint32_t stmt) {
    assert(block < design->block_count);
    for (uint32_t owner = design->block[block].owner; owner; owner = design->block[design->stmt[owner].block].owner)
        if (owner == stmt) return true;
    return false;
}

bool weir_rtl_move_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_block block, weir_rtl_stmt before) {
    if (!stmt.id || !block.id || !design->stmt[stmt.id].block) return false;
    if (before.id == stmt.id) return true;
    const rtl_block *to = &design->block[block.id];
    uint32_t from = design->stmt[stmt.id].block;
    if (to->module != design->block[from].module || (before.id && design->stmt[before.id].block != block.id) ||
        is_inside(design, block.id, stmt.id)) {
        rtl_error(design, design->location,
                  "a statement can be moved only inside its module, before a statement of the block");
        return false;
    }
    if (!fits_block(design, stmt.id, block.id)) return false;
    bool relevels = to->depth != design->block[from].depth && (design->stmt[stmt.id].body != 0);
    if (relevels && to->depth + levels_below(design, stmt.id) > RTL_MAX_DEPTH) {
        rtl_error(design, design->location, "blocks nest deeper than %d", RTL_MAX_DEPTH);
        return false;
    }
    rtl_unlink_stmt(design, stmt.id);
    rtl_link_stmt(design, stmt.id, block.id, before.id);
    if (relevels) relevel(design, stmt.id);
    return true;
}

bool weir_rtl_replace_stmt(weir_rtl_design *design, weir_rtl_stmt old, weir_rtl_stmt other) {
    if (!old.id || !other.id) return false;
    weir_rtl_block block = {design->stmt[old.id].block};
    if (!weir_rtl_move_stmt(design, other, block, (weir_rtl_stmt){design->stmt[old.id].next})) return false;
    weir_rtl_remove_stmt(design, old);
    return true;
}

bool weir_rtl_move_stmts(weir_rtl_design *design, weir_rtl_block from, weir_rtl_block to, weir_rtl_stmt before) {
    bool fine = true;
    for (uint32_t s = design->block[from.id].first; fine && s;) {
        uint32_t next = design->stmt[s].next;
        fine = weir_rtl_move_stmt(design, (weir_rtl_stmt){s}, to, before);
        s = next;
    }
    return fine;
}

void weir_rtl_remove_else(weir_rtl_design *design, weir_rtl_stmt branch) {
    if (!branch.id || design->stmt[branch.id].kind != WEIR_RTL_STMT_IF) return;
    uint32_t other = design->stmt[branch.id].other;
    while (other && design->block[other].first)
        weir_rtl_remove_stmt(design, (weir_rtl_stmt){design->block[other].first});
    design->stmt[branch.id].other = 0;
}

void weir_rtl_set_timing(weir_rtl_design *design, weir_rtl_stmt assign, weir_rtl_timing timing) {
    if (assign.id && design->stmt[assign.id].kind == WEIR_RTL_STMT_ASSIGN) design->stmt[assign.id].timing = timing;
}

bool weir_rtl_set_target(weir_rtl_design *design, weir_rtl_stmt assign, weir_rtl_expr target) {
    if (!assign.id || !target.id || design->stmt[assign.id].kind != WEIR_RTL_STMT_ASSIGN) return false;
    const rtl_block *block = &design->block[design->stmt[assign.id].block];
    uint32_t value = rtl_fit_value(design, block->module, target, (weir_rtl_expr){design->stmt[assign.id].b});
    bool in_process = rtl_process_of(design, design->stmt[assign.id].block) != 0;
    if (!value || (in_process && !rtl_make_registers(design, target.id))) return false;
    design->stmt[assign.id].a = target.id;
    design->stmt[assign.id].b = value;
    return true;
}

bool weir_rtl_set_value(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_expr value) {
    if (!stmt.id || !value.id) return false;
    const rtl_stmt *record = &design->stmt[stmt.id];
    uint32_t module = design->block[record->block].module;
    if (record->kind == WEIR_RTL_STMT_ASSIGN) {
        uint32_t fitted = rtl_fit_value(design, module, (weir_rtl_expr){record->a}, value);
        if (fitted) design->stmt[stmt.id].b = fitted;
        return fitted != 0;
    }
    if (record->kind != WEIR_RTL_STMT_IF && record->kind != WEIR_RTL_STMT_CASE &&
        record->kind != WEIR_RTL_STMT_CASE_ITEM && record->kind != WEIR_RTL_STMT_RETURN &&
        (record->kind != WEIR_RTL_STMT_TRANSITION || !record->a))
        return false;
    const rtl_expr *old = &design->expr[record->a];
    const rtl_expr *expr = &design->expr[value.id];
    bool fits = expr->width == old->width && expr->is_signed == old->is_signed && expr->module != 0;
    if (record->kind == WEIR_RTL_STMT_CASE_ITEM) fits = fits || expr->kind == WEIR_RTL_EXPR_CONSTANT;
    else fits = (fits && expr->module == module) || (expr->module == 0 && expr->width == old->width);
    if (fits) design->stmt[stmt.id].a = value.id;
    else
        rtl_error(design, design->location, "'%s' cannot replace '%s'", rtl_describe(design, value.id),
                  rtl_describe(design, record->a));
    return fits;
}

bool weir_rtl_set_failure(weir_rtl_design *design, weir_rtl_stmt stmt, const char *message, const char *call) {
    if (!stmt.id || design->stmt[stmt.id].kind != WEIR_RTL_STMT_ASSERT) return false;
    if (call && !weir_rtl_name_is_legal(call)) {
        rtl_error(design, design->location, "an assertion cannot call '%s', which is not a legal name", call);
        return false;
    }
    rtl_assertion *assertion = rtl_assertion_of(design, &design->stmt[stmt.id]);
    assertion->message = message ? weir_strings_intern(design->strings, message) : NULL;
    assertion->call = call ? weir_strings_intern(design->strings, call) : NULL;
    return true;
}

void weir_rtl_set_property_clock(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_edge edge, weir_rtl_var clock) {
    if (!stmt.id || design->stmt[stmt.id].kind != WEIR_RTL_STMT_ASSERT) return;
    rtl_assertion *assertion = rtl_assertion_of(design, &design->stmt[stmt.id]);
    const rtl_var *var = &design->var[clock.id];
    const uint32_t module = design->block[design->stmt[stmt.id].block].module;
    if (!assertion->is_property || var->module != module || var->kind != WEIR_RTL_CLOCK) {
        rtl_error(design, design->location, "a property needs a clock of its module");
        return;
    }
    assertion->edge = edge;
    assertion->clock = clock.id;
}

void weir_rtl_clear_events(weir_rtl_design *design, weir_rtl_stmt always) {
    if (always.id && design->stmt[always.id].kind == WEIR_RTL_STMT_ALWAYS) design->stmt[always.id].a = 0;
}

/* ---- items ---- */

static void renumber_ports(weir_rtl_design *design, const rtl_module *module, size_t from) {
    for (size_t i = from; i < module->ports.count; i++) design->var[module->ports.id[i]].port = (uint32_t)i;
}

void weir_rtl_remove_var(weir_rtl_design *design, weir_rtl_var var) {
    if (!var.id || design->var[var.id].is_removed) return;
    rtl_var *record = &design->var[var.id];
    rtl_module *module = &design->module[record->module];
    if (!record->is_path) rtl_names_remove(design, (rtl_name){RTL_NAME_VAR, var.id});
    if (record->previous) design->var[record->previous].next = record->next;
    else module->first_var = record->next;
    if (record->next) design->var[record->next].previous = record->previous;
    else module->last_var = record->previous;
    module->var_count--;
    record->is_removed = true;
    rtl_leave_group(design, var.id);
    if (record->direction == WEIR_RTL_INTERNAL) return;
    rtl_ids_remove(&module->ports, var.id);
    renumber_ports(design, module, record->port);
}

void weir_rtl_move_port(weir_rtl_design *design, weir_rtl_var port, size_t index) {
    if (!port.id || design->var[port.id].direction == WEIR_RTL_INTERNAL) return;
    rtl_module *module = &design->module[design->var[port.id].module];
    if (index >= module->ports.count) return;
    rtl_ids_remove(&module->ports, port.id);
    memmove(module->ports.id + index + 1, module->ports.id + index,
            (module->ports.count - index) * sizeof *module->ports.id);
    module->ports.id[index] = port.id;
    module->ports.count++;
    renumber_ports(design, module, 0);
}

/* Fields of interfaces: each is what the variables of its groups are. */
static void replace_field_kinds(weir_rtl_design *design, weir_rtl_kind from, weir_rtl_kind to, const bool *stays) {
    for (uint32_t i = 1; i < design->interface_count; i++)
        for (uint32_t f = 0; f < design->interface[i].count; f++)
            if (design->interface[i].field[f].kind == from) design->interface[i].field[f].kind = to;
    for (uint32_t g = 1; g < design->group_count; g++) {
        const rtl_group *group = &design->group[g];
        const rtl_interface *interface = &design->interface[group->interface];
        for (uint32_t f = 0; f < interface->count && !group->is_removed; f++)
            if (group->var[f] && stays[group->var[f]]) interface->field[f].kind = design->var[group->var[f]].kind;
    }
}

void weir_rtl_replace_kind(weir_rtl_design *design, weir_rtl_kind from, weir_rtl_kind to, const bool *stays) {
    for (uint32_t v = 1; v < design->var_count; v++)
        if (design->var[v].kind == from && !stays[v]) design->var[v].kind = to;
    for (uint32_t e = 1; e < design->expr_count; e++) {
        rtl_expr *expr = &design->expr[e];
        if (expr->kind == WEIR_RTL_EXPR_VAR) expr->carries = rtl_var_of(design, expr)->kind;
        if (expr->kind == WEIR_RTL_EXPR_PORT) expr->carries = design->var[expr->b].kind;
    }
    replace_field_kinds(design, from, to, stays);
}

void weir_rtl_remove_parameter(weir_rtl_design *design, weir_rtl_parameter parameter) {
    if (!parameter.id || design->parameter[parameter.id].is_removed) return;
    rtl_parameter *record = &design->parameter[parameter.id];
    rtl_names_remove(design, (rtl_name){RTL_NAME_PARAMETER, parameter.id});
    rtl_ids_remove(&design->module[record->module].parameters, parameter.id);
    record->is_removed = true;
}

void weir_rtl_remove_instance(weir_rtl_design *design, weir_rtl_instance instance) {
    if (instance.id && !design->instance[instance.id].is_removed)
        weir_rtl_remove_stmt(design, (weir_rtl_stmt){design->instance[instance.id].stmt});
}

void weir_rtl_remove_module(weir_rtl_design *design, weir_rtl_module module) {
    if (!module.id || design->module[module.id].is_removed) return;
    rtl_unfile_module(design, module.id);
    design->module[module.id].is_removed = true;
    design->removed_modules++;
}

bool weir_rtl_rename(weir_rtl_design *design, weir_rtl_item item, const char *name) {
    if (!item.id) return false;
    uint32_t scope = 0;
    const char **field = NULL;
    const char *what = NULL;
    rtl_name entry = {.id = item.id};
    switch (item.kind) {
    case WEIR_RTL_ITEM_MODULE: entry.kind = RTL_NAME_MODULE, what = "module"; break;
    case WEIR_RTL_ITEM_VAR: entry.kind = RTL_NAME_VAR, what = "variable", scope = design->var[item.id].module; break;
    case WEIR_RTL_ITEM_PARAMETER:
        entry.kind = RTL_NAME_PARAMETER, what = "parameter", scope = design->parameter[item.id].module;
        break;
    case WEIR_RTL_ITEM_INSTANCE:
        entry.kind = RTL_NAME_INSTANCE, what = "instance", scope = design->instance[item.id].parent;
        break;
    case WEIR_RTL_ITEM_STMT: return false;
    }
    field = item.kind == WEIR_RTL_ITEM_MODULE      ? &design->module[item.id].name
            : item.kind == WEIR_RTL_ITEM_VAR       ? &design->var[item.id].name
            : item.kind == WEIR_RTL_ITEM_PARAMETER ? &design->parameter[item.id].name
                                                   : &design->instance[item.id].name;
    if (strcmp(*field, name) == 0) return true;
    const char *own = rtl_new_name(design, scope, what, name);
    if (!own) return false;
    if (item.kind == WEIR_RTL_ITEM_MODULE) rtl_unfile_module(design, item.id);
    else rtl_names_remove(design, entry);
    *field = own;
    if (item.kind == WEIR_RTL_ITEM_MODULE) rtl_file_module(design, item.id);
    else rtl_names_add(design, entry);
    return true;
}

/* ---- instances ---- */

void weir_rtl_set_wired(weir_rtl_design *design, weir_rtl_instance instance, bool is_wired) {
    if (instance.id) design->instance[instance.id].is_wired = is_wired;
}

void weir_rtl_disconnect(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port) {
    if (!instance.id || !port.id) return;
    rtl_instance *record = &design->instance[instance.id];
    if (design->var[port.id].slot < record->connection_count) record->connection[design->var[port.id].slot] = 0;
}

/* The port of the other module with the name of this one; 0 after an error. */
static uint32_t counterpart(weir_rtl_design *design, const rtl_instance *instance, uint32_t module, uint32_t port) {
    assert(module < design->module_count);
    assert(port < design->var_count);
    rtl_name entry = rtl_names_find(design, module, design->var[port].name);
    if (entry.kind == RTL_NAME_VAR && design->var[entry.id].direction == design->var[port].direction) return entry.id;
    rtl_error(design, design->location, "module '%s' has no port like '%s', which instance '%s' has",
              design->module[module].name, design->var[port].name, instance->name);
    return 0;
}

static bool take_connections(weir_rtl_design *design, const rtl_instance *instance, uint32_t module,
                             uint32_t *connection) {
    const rtl_ids *ports = &design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        uint32_t slot = design->var[ports->id[i]].slot;
        if (slot >= instance->connection_count || !instance->connection[slot]) continue;
        uint32_t port = counterpart(design, instance, module, ports->id[i]);
        if (!port) return false;
        connection[design->var[port].slot] = instance->connection[slot];
    }
    return true;
}

static bool take_overrides(weir_rtl_design *design, const rtl_instance *instance, uint32_t module,
                           rtl_value *override) {
    assert(module < design->module_count);
    const rtl_ids *parameters = &design->module[instance->module].parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const rtl_parameter *parameter = &design->parameter[parameters->id[i]];
        if (parameter->slot >= instance->override_count || !instance->override[parameter->slot].kind) continue;
        rtl_name entry = rtl_names_find(design, module, parameter->name);
        if (entry.kind != RTL_NAME_PARAMETER) {
            rtl_error(design, design->location, "module '%s' has no parameter '%s', which instance '%s' sets",
                      design->module[module].name, parameter->name, instance->name);
            return false;
        }
        override[design->parameter[entry.id].slot] = instance->override[parameter->slot];
    }
    return true;
}

/* What the instance will have once it is one of another module. */
typedef struct new_module {
    uint32_t module;
    uint32_t *connection;
    rtl_value *override;
} new_module;

static bool prepare_module(weir_rtl_design *design, const rtl_instance *instance, uint32_t module, new_module *to) {
    assert(module < design->module_count);
    to->module = module;
    to->connection = weir_arena_array(design->arena, design->module[module].port_slots, sizeof *to->connection);
    to->override = weir_arena_array(design->arena, design->module[module].parameter_slots, sizeof *to->override);
    return take_connections(design, instance, module, to->connection) &&
           take_overrides(design, instance, module, to->override);
}

/* Lets the expressions that read ports of the instances follow; to[position[instance] - 1] is where to. Nothing uses
 * those of removed ports any more. */
static bool move_ports(weir_rtl_design *design, const uint32_t *position, const new_module *to) {
    for (uint32_t e = 1; e < design->expr_count; e++) {
        rtl_expr *expr = &design->expr[e];
        if (expr->kind != WEIR_RTL_EXPR_PORT || !position[expr->a] || design->var[expr->b].is_removed) continue;
        uint32_t port = counterpart(design, &design->instance[expr->a], to[position[expr->a] - 1].module, expr->b);
        if (!port) return false;
        expr->b = port;
    }
    return true;
}

bool weir_rtl_set_instance_modules(weir_rtl_design *design, size_t count, const weir_rtl_instance *instances,
                                   const weir_rtl_module *modules) {
    new_module *to = weir_calloc(count, sizeof *to);
    uint32_t *position = weir_calloc(design->instance_count, sizeof *position);
    bool fine = true, wired = false;
    for (size_t i = 0; fine && i < count; i++) {
        const rtl_instance *instance = &design->instance[instances[i].id];
        fine = instances[i].id && modules[i].id && prepare_module(design, instance, modules[i].id, &to[i]);
        wired = wired || instance->is_wired || instance->is_named;
        position[instances[i].id] = (uint32_t)i + 1;
    }
    if (fine && wired) fine = move_ports(design, position, to);
    for (size_t i = 0; fine && i < count; i++) {
        rtl_instance *instance = &design->instance[instances[i].id];
        instance->connection = to[i].connection;
        instance->connection_count = design->module[to[i].module].port_slots;
        instance->override = to[i].override;
        instance->override_count = design->module[to[i].module].parameter_slots;
        instance->module = to[i].module;
    }
    free(position);
    free(to);
    return fine;
}

bool weir_rtl_set_instance_module(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_module module) {
    if (instance.id && design->instance[instance.id].module == module.id) return true;
    return weir_rtl_set_instance_modules(design, 1, &instance, &module);
}
