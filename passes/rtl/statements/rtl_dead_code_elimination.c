/* rtl_dead_code_elimination: keeps what leads to outputs of the top module, to assertions, to external modules and to
 * what is marked to stay, and removes the rest, whatever it reads: variables with their drivers, ports of modules below
 * the top, instances, functions that are never called, modules that lost all their instances. Marks run through the
 * hierarchy: an output counts when some instance of its module is read there, an input when something that counts reads
 * it. Modules with state machines or functions that assert are kept whole, and a design in which paths reach into
 * instances is left alone. Linear. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/numbers.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/function.h"
#include "support/memory/arena.h"

/* Marks, and what is noted meanwhile so that it need not be asked for again. */
enum {
    LIVE = 1,
    NAMED = 2,    /* a variable: by a statement that stays */
    EFFECT = 4,   /* a module: does more than drive its outputs */
    WHOLE = 8,    /* a module: nothing of it goes */
    BELOW = 16,   /* a module: below the top */
    FED = 32,     /* a variable: an input or inout port of a module */
    PLAIN = 64,   /* an assignment: its target is a variable, and nothing but that variable makes it stay */
    HOLDS = 128,  /* a statement: others are inside */
    PLACED = 256, /* a statement: an instance */
    SHARED = 512  /* a module: one that is not below the top has an instance of it */
};

/* One driver of a net: an assignment, or an instance through one of its outputs. */
typedef struct driver {
    weir_rtl_stmt stmt;
    weir_rtl_var port;
    uint32_t next;
} driver;

typedef struct marker {
    weir_rtl_design *design;
    weir_rtl_module top;
    weir_numbers var, stmt, instance, module, function; /* marks */
    weir_numbers drivers_of, port_base, drivers_of_port, port_seen, instance_of, next_instance;
    uint32_t ports; /* of instances, numbered so far */
    driver *driver;
    size_t driver_count, driver_capacity;
    weir_rtl_var *vars; /* still to look at */
    size_t var_count, var_capacity;
    weir_stmt_list stmts;
    uint32_t *outputs; /* drivers that are outputs of instances */
    size_t output_count, output_capacity;
    weir_rtl_expr *exprs;
    size_t expr_capacity;
    bool has_paths;
    size_t removed_vars, removed_stmts, removed_instances, removed_modules;
} marker;

/* ---- who drives what ---- */

static uint32_t port_number(marker *m, weir_rtl_instance instance, weir_rtl_var port) {
    return *weir_numbers_at(&m->port_base, instance.id) + weir_rtl_get_var(m->design, port).port;
}

/* True when the target is a variable and no part of one. */
static bool add_driver(marker *m, weir_rtl_expr target, weir_rtl_stmt stmt, weir_rtl_var port) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(m->design, target);
    for (size_t i = 0; info.kind == WEIR_RTL_EXPR_CONCAT && i < info.operand_count; i++)
        add_driver(m, weir_rtl_operand(m->design, target, i), stmt, port);
    if (info.kind == WEIR_RTL_EXPR_CONCAT) return false;
    uint32_t *first = info.instance.id != 0
                          ? weir_numbers_at(&m->drivers_of_port, port_number(m, info.instance, info.var))
                          : weir_numbers_at(&m->drivers_of, info.var.id);
    m->driver = weir_grow(m->driver, &m->driver_capacity, m->driver_count + 1, sizeof *m->driver);
    m->driver[m->driver_count] = (driver){stmt, port, *first};
    *first = (uint32_t)m->driver_count++;
    return info.kind == WEIR_RTL_EXPR_VAR;
}

/* Numbers the ports of an instance before anything names them. */
static void add_instance(marker *m, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(m->design, instance);
    *weir_numbers_at(&m->port_base, instance.id) = m->ports;
    m->ports += (uint32_t)weir_rtl_get_module(m->design, info.module).port_count;
    *weir_numbers_at(&m->next_instance, instance.id) = *weir_numbers_at(&m->instance_of, info.module.id);
    *weir_numbers_at(&m->instance_of, info.module.id) = instance.id;
}

static void add_connections(marker *m, weir_rtl_stmt stmt, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(m->design, instance);
    const size_t count = weir_rtl_get_module(m->design, info.module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(m->design, info.module, i);
        const weir_rtl_expr value = weir_rtl_connection_of(m->design, instance, port).value;
        if (value.id != 0 && weir_rtl_get_var(m->design, port).direction != WEIR_RTL_INPUT)
            add_driver(m, value, stmt, port);
    }
}

/* ---- marking ---- */

static void mark_var(marker *m, weir_rtl_var var) {
    uint32_t *mark = weir_numbers_at(&m->var, var.id);
    if (*mark & LIVE) return;
    *mark |= LIVE;
    m->vars = weir_grow(m->vars, &m->var_capacity, m->var_count + 1, sizeof *m->vars);
    m->vars[m->var_count++] = var;
}

static void mark_stmt(marker *m, weir_rtl_stmt stmt) {
    uint32_t *mark = weir_numbers_at(&m->stmt, stmt.id);
    if (*mark & LIVE) return;
    *mark |= LIVE;
    weir_stmt_list_add(&m->stmts, stmt);
}

/* Its ports are looked at later, so that chains of instances need no recursion. */
static void mark_instance(marker *m, weir_rtl_instance instance) {
    *weir_numbers_at(&m->instance, instance.id) |= LIVE;
    mark_stmt(m, weir_rtl_get_instance(m->design, instance).stmt);
}

static void mark_drivers(marker *m, uint32_t first) {
    for (uint32_t d = first; d != 0; d = m->driver[d].next) {
        const driver found = m->driver[d];
        mark_stmt(m, found.stmt);
        if (found.port.id == 0) continue;
        mark_instance(m, weir_rtl_get_stmt(m->design, found.stmt).instance);
        mark_var(m, found.port);
        m->outputs = weir_grow(m->outputs, &m->output_capacity, m->output_count + 1, sizeof *m->outputs);
        m->outputs[m->output_count++] = d;
    }
}

static void mark_function(marker *m, weir_rtl_function function);

/* A port of an instance that the module around it reads. */
static void mark_port(marker *m, weir_rtl_instance instance, weir_rtl_var port) {
    const uint32_t number = port_number(m, instance, port);
    uint32_t *seen = weir_numbers_at(&m->port_seen, number);
    if (*seen != 0) return;
    *seen = LIVE;
    mark_drivers(m, *weir_numbers_at(&m->drivers_of_port, number));
    if (weir_rtl_get_var(m->design, port).direction == WEIR_RTL_INPUT) return;
    mark_instance(m, instance);
    mark_var(m, port);
}

/* All that the expression reads. */
static void mark_expr(marker *m, weir_rtl_expr expr) {
    size_t depth = 0;
    for (weir_rtl_expr e = expr; e.id != 0;) {
        const weir_rtl_expr_info info = weir_rtl_get_expr(m->design, e);
        if (info.kind == WEIR_RTL_EXPR_VAR) mark_var(m, info.var);
        else if (info.kind == WEIR_RTL_EXPR_PORT) mark_port(m, info.instance, info.var);
        else if (info.kind == WEIR_RTL_EXPR_CALL) mark_function(m, info.function);
        if (depth + info.operand_count > m->expr_capacity)
            m->exprs = weir_grow(m->exprs, &m->expr_capacity, depth + info.operand_count, sizeof *m->exprs);
        for (size_t i = 0; i < info.operand_count; i++) m->exprs[depth++] = weir_rtl_operand(m->design, e, i);
        e = depth > 0 ? m->exprs[--depth] : (weir_rtl_expr){0};
    }
}

/* What stays assigned is named, and the indices of its parts are read. */
static void mark_target(marker *m, weir_rtl_expr target) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(m->design, target);
    if (info.kind == WEIR_RTL_EXPR_CONCAT) {
        for (size_t i = 0; i < info.operand_count; i++) mark_target(m, weir_rtl_operand(m->design, target, i));
        return;
    }
    if (info.instance.id == 0) *weir_numbers_at(&m->var, info.var.id) |= NAMED;
    for (size_t operands = info.operand_count; operands > 0;) {
        if (operands > 1) mark_expr(m, weir_rtl_operand(m->design, target, 1));
        target = weir_rtl_operand(m->design, target, 0);
        operands = weir_rtl_get_expr(m->design, target).operand_count;
    }
}

/* What an input or an inout port of an instance that stays is given. */
static void mark_connection(marker *m, weir_rtl_instance instance, weir_rtl_var port) {
    mark_expr(m, weir_rtl_connection_of(m->design, instance, port).value);
    mark_drivers(m, *weir_numbers_at(&m->drivers_of_port, port_number(m, instance, port)));
}

static void mark_function(marker *m, weir_rtl_function function) {
    if (*weir_numbers_at(&m->function, function.id) & LIVE) return;
    *weir_numbers_at(&m->function, function.id) |= LIVE;
    const weir_rtl_stmt stmt = weir_rtl_get_function(m->design, function).stmt;
    weir_stmt_list inside = {NULL, 0, 0};
    weir_list_inside(m->design, stmt, &inside);
    mark_stmt(m, stmt);
    for (size_t i = 0; i < inside.count; i++) mark_stmt(m, inside.stmt[i]);
    weir_stmt_list_free(&inside);
}

/* What ends a loop that stays early must stay. */
static void mark_breaks(marker *m, weir_rtl_stmt loop) {
    weir_stmt_list inside = {NULL, 0, 0};
    weir_list_inside(m->design, loop, &inside);
    for (size_t i = 0; i < inside.count; i++)
        if (weir_rtl_get_stmt(m->design, inside.stmt[i]).kind == WEIR_RTL_STMT_BREAK) mark_stmt(m, inside.stmt[i]);
    weir_stmt_list_free(&inside);
}

static void follow_instance(marker *m, weir_rtl_instance instance) {
    const weir_rtl_module child = weir_rtl_get_instance(m->design, instance).module;
    const weir_rtl_module_info info = weir_rtl_get_module(m->design, child);
    *weir_numbers_at(&m->instance, instance.id) |= LIVE;
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(m->design, child, i);
        const bool is_output = weir_rtl_get_var(m->design, port).direction == WEIR_RTL_OUTPUT;
        if (!is_output && (info.is_external || *weir_numbers_at(&m->var, port.id) & LIVE))
            mark_connection(m, instance, port);
    }
}

static void follow_output(marker *m, const driver *output) {
    const weir_rtl_instance instance = weir_rtl_get_stmt(m->design, output->stmt).instance;
    mark_target(m, weir_rtl_connection_of(m->design, instance, output->port).value);
}

static void follow_stmt(marker *m, weir_rtl_stmt stmt) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, stmt);
    const weir_rtl_stmt owner = weir_rtl_owner(m->design, info.block);
    if (owner.id != 0) mark_stmt(m, owner);
    mark_expr(m, info.value);
    if (info.kind == WEIR_RTL_STMT_ASSIGN) {
        if (!(*weir_numbers_at(&m->stmt, stmt.id) & PLAIN)) mark_target(m, info.target);
    } else if (info.kind == WEIR_RTL_STMT_INSTANCE) {
        follow_instance(m, info.instance);
    } else if (info.kind == WEIR_RTL_STMT_FUNCTION) {
        mark_function(m, info.function);
    } else if (info.kind == WEIR_RTL_STMT_FOR) {
        *weir_numbers_at(&m->var, info.iterator.id) |= NAMED;
        if (owner.id != 0) mark_breaks(m, stmt);
    } else if (info.kind == WEIR_RTL_STMT_ALWAYS) {
        const size_t events = weir_rtl_event_count(m->design, stmt);
        for (size_t i = 0; i < events; i++) mark_var(m, weir_rtl_event_at(m->design, stmt, i).var);
    } else if (info.kind == WEIR_RTL_STMT_ASSERT) {
        const weir_rtl_property property = weir_rtl_get_property(m->design, stmt);
        if (property.clock.id != 0) mark_var(m, property.clock);
        mark_expr(m, property.disable);
        mark_expr(m, property.antecedent);
        mark_expr(m, property.consequent);
    }
}

static void follow_var(marker *m, weir_rtl_var var) {
    mark_drivers(m, *weir_numbers_at(&m->drivers_of, var.id));
    if (!(*weir_numbers_at(&m->var, var.id) & FED)) return;
    const weir_rtl_module module = weir_rtl_get_var(m->design, var).module;
    for (uint32_t i = *weir_numbers_at(&m->instance_of, module.id); i != 0; i = *weir_numbers_at(&m->next_instance, i))
        if (*weir_numbers_at(&m->instance, i) & LIVE) mark_connection(m, (weir_rtl_instance){i}, var);
}

static void follow_all(marker *m) {
    while (m->stmts.count + m->var_count + m->output_count > 0) {
        if (m->output_count > 0) follow_output(m, &m->driver[m->outputs[--m->output_count]]);
        else if (m->stmts.count > 0) follow_stmt(m, m->stmts.stmt[--m->stmts.count]);
        else follow_var(m, m->vars[--m->var_count]);
    }
}

/* ---- where marks start ---- */

/* Ports and variables: outputs of the top, inout ports, what is marked to stay. */
static uint32_t start_vars(marker *m, weir_rtl_module module) {
    uint32_t effect = 0;
    for (weir_rtl_var v = weir_rtl_first_var(m->design, module); v.id != 0; v = weir_rtl_next_var(m->design, v)) {
        const weir_rtl_var_info info = weir_rtl_get_var(m->design, v);
        const bool stays = info.direction == WEIR_RTL_INOUT || weir_is_kept(m->design, WEIR_RTL_ITEM(v));
        m->has_paths = m->has_paths || info.is_path;
        if (stays) effect = EFFECT;
        if (info.direction == WEIR_RTL_INPUT || info.direction == WEIR_RTL_INOUT)
            *weir_numbers_at(&m->var, v.id) |= FED;
        if (stays || (module.id == m->top.id && info.direction != WEIR_RTL_INTERNAL)) mark_var(m, v);
    }
    return effect;
}

/* Notes what the statement drives, and marks it when it does more. */
static uint32_t start_stmt(marker *m, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    bool has_effect = info->kind == WEIR_RTL_STMT_ASSERT || weir_is_kept(m->design, WEIR_RTL_ITEM(stmt));
    uint32_t notes = info->body.id != 0 ? HOLDS : 0;
    if (info->kind == WEIR_RTL_STMT_ASSIGN) {
        if (add_driver(m, info->target, stmt, (weir_rtl_var){0}) && !has_effect) notes |= PLAIN;
    } else if (info->kind == WEIR_RTL_STMT_INSTANCE) {
        const uint32_t child = weir_rtl_get_instance(m->design, info->instance).module.id;
        has_effect = has_effect || *weir_numbers_at(&m->module, child) & EFFECT ||
                     weir_is_kept(m->design, WEIR_RTL_ITEM(info->instance));
        add_connections(m, stmt, info->instance);
        notes |= PLACED;
    }
    *weir_numbers_at(&m->stmt, stmt.id) |= notes;
    if (has_effect) mark_stmt(m, stmt);
    return (has_effect ? EFFECT : 0) | (info->kind == WEIR_RTL_STMT_FSM ? WHOLE : 0);
}

/* Everything that is executed in a process, or lies in a generate loop. What an assertion in a function is about
 * depends on who calls it, so all of the module stays. */
static uint32_t start_inside(marker *m, weir_rtl_stmt stmt, bool is_function, weir_stmt_list *list) {
    uint32_t effect = 0;
    weir_list_inside(m->design, stmt, list);
    for (size_t i = 0; i < list->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, list->stmt[i]);
        effect |= start_stmt(m, list->stmt[i], &info);
    }
    if (is_function && effect & EFFECT) effect |= WHOLE;
    return effect;
}

/* All that a module has stays, and all that its instances have to do with it. */
static void keep_module(marker *m, weir_rtl_module module, weir_stmt_list *list) {
    const weir_rtl_module_info info = weir_rtl_get_module(m->design, module);
    for (weir_rtl_var v = weir_rtl_first_var(m->design, module); v.id != 0; v = weir_rtl_next_var(m->design, v))
        mark_var(m, v);
    for (weir_rtl_stmt s = weir_rtl_first(m->design, info.body); s.id != 0; s = weir_rtl_next(m->design, s)) {
        mark_stmt(m, s);
        weir_list_inside(m->design, s, list);
        for (size_t i = 0; i < list->count; i++) mark_stmt(m, list->stmt[i]);
    }
    for (size_t i = 0; i < info.instance_count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(m->design, module, i);
        const weir_rtl_module child = weir_rtl_get_instance(m->design, instance).module;
        const size_t ports = weir_rtl_get_module(m->design, child).port_count;
        for (size_t p = 0; p < ports; p++) mark_port(m, instance, weir_rtl_port_at(m->design, child, p));
    }
}

static void share_children(marker *m, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(m->design, module).instance_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance u = weir_rtl_instance_at(m->design, module, i);
        *weir_numbers_at(&m->module, weir_rtl_get_instance(m->design, u).module.id) |= SHARED;
    }
}

/* What modules that are not below the top have instances of stays as it is, and all below it. */
static void start_shared(marker *m, const weir_rtl_module *modules, size_t count) {
    for (size_t i = 0; i < count; i++) *weir_numbers_at(&m->module, modules[i].id) |= BELOW;
    for (weir_rtl_module a = weir_rtl_first_module(m->design); a.id != 0; a = weir_rtl_next_module(m->design, a))
        if (!(*weir_numbers_at(&m->module, a.id) & BELOW)) share_children(m, a);
    for (size_t i = count; i-- > 0;)
        if (*weir_numbers_at(&m->module, modules[i].id) & SHARED) share_children(m, modules[i]);
}

/* Children come first, so it is known which of them do more than drive their outputs. */
static void start_module(marker *m, weir_rtl_module module, weir_stmt_list *list) {
    const weir_rtl_module_info info = weir_rtl_get_module(m->design, module);
    if (info.is_external) {
        *weir_numbers_at(&m->module, module.id) = EFFECT | BELOW;
        return;
    }
    const uint32_t shared = *weir_numbers_at(&m->module, module.id) & SHARED;
    const bool is_kept = info.is_stub || shared || weir_is_kept(m->design, WEIR_RTL_ITEM(module));
    uint32_t effect = shared | (is_kept ? EFFECT | WHOLE : 0);
    for (size_t i = 0; i < info.instance_count; i++) add_instance(m, weir_rtl_instance_at(m->design, module, i));
    effect |= start_vars(m, module);
    for (weir_rtl_stmt s = weir_rtl_first(m->design, info.body); s.id != 0; s = weir_rtl_next(m->design, s)) {
        const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(m->design, s);
        effect |= start_stmt(m, s, &stmt);
        if (stmt.body.id != 0) effect |= start_inside(m, s, stmt.kind == WEIR_RTL_STMT_FUNCTION, list);
    }
    *weir_numbers_at(&m->module, module.id) = effect | BELOW;
    if (effect & WHOLE) keep_module(m, module, list);
}

/* ---- removing ---- */

static void remove_stmt(marker *m, weir_rtl_stmt stmt) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, stmt);
    if (info.kind == WEIR_RTL_STMT_INSTANCE) m->removed_instances++;
    else m->removed_stmts++;
    weir_rtl_remove_stmt(m->design, stmt);
}

/* Outputs of instances that drive nothing that stays are left open. */
static void open_outputs(marker *m, weir_rtl_instance instance) {
    const weir_rtl_module module = weir_rtl_get_instance(m->design, instance).module;
    const size_t count = weir_rtl_get_module(m->design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(m->design, module, i);
        const weir_rtl_var_info info = weir_rtl_get_var(m->design, port);
        weir_rtl_expr value = weir_rtl_connection_of(m->design, instance, port).value;
        if (value.id == 0 || info.direction != WEIR_RTL_OUTPUT) continue;
        while (weir_rtl_get_expr(m->design, value).operand_count > 0) value = weir_rtl_operand(m->design, value, 0);
        const weir_rtl_expr_info net = weir_rtl_get_expr(m->design, value);
        if (net.instance.id != 0 || *weir_numbers_at(&m->var, net.var.id) & (LIVE | NAMED)) continue;
        weir_rtl_disconnect(m->design, instance, port);
        weir_rtl_leave_open(m->design, instance, info.name);
    }
}

static void sweep_stmt(marker *m, weir_rtl_stmt stmt) {
    const uint32_t mark = *weir_numbers_at(&m->stmt, stmt.id);
    if ((mark & LIVE) && !(mark & PLACED)) return;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, stmt);
    if (info.block.id == 0 || info.kind == WEIR_RTL_STMT_COMMENT || info.kind == WEIR_RTL_STMT_CASE_ITEM) return;
    if (mark & LIVE) open_outputs(m, info.instance);
    else remove_stmt(m, stmt);
}

static void sweep_port(marker *m, weir_rtl_module module, weir_rtl_var port) {
    if (*weir_numbers_at(&m->var, port.id) & (LIVE | NAMED)) return;
    for (uint32_t i = *weir_numbers_at(&m->instance_of, module.id); i != 0; i = *weir_numbers_at(&m->next_instance, i))
        weir_rtl_disconnect(m->design, (weir_rtl_instance){i}, port);
    weir_rtl_remove_var(m->design, port);
    m->removed_vars++;
}

static void sweep_var(marker *m, weir_rtl_var var) {
    if (*weir_numbers_at(&m->var, var.id) & (LIVE | NAMED)) return;
    weir_rtl_remove_var(m->design, var);
    m->removed_vars++;
}

/* From the back, where instances and ports go at once. */
static void sweep_module(marker *m, weir_rtl_module module, weir_stmt_list *list) {
    const weir_rtl_module_info info = weir_rtl_get_module(m->design, module);
    if (*weir_numbers_at(&m->module, module.id) & WHOLE || info.is_external) return;
    for (weir_rtl_stmt s = weir_rtl_last(m->design, info.body), previous; s.id != 0; s = previous) {
        const uint32_t mark = *weir_numbers_at(&m->stmt, s.id);
        previous = weir_rtl_previous(m->design, s);
        sweep_stmt(m, s);
        if (!(mark & LIVE) || !(mark & HOLDS)) continue;
        weir_list_inside(m->design, s, list);
        while (list->count > 0) sweep_stmt(m, list->stmt[--list->count]);
    }
    for (size_t i = info.port_count; i-- > 0;) sweep_port(m, module, weir_rtl_port_at(m->design, module, i));
    for (weir_rtl_var v = weir_rtl_first_var(m->design, module), next; v.id != 0; v = next) {
        next = weir_rtl_next_var(m->design, v);
        sweep_var(m, v);
    }
}

/* Modules that were below the top and have no instances any more. */
static void remove_modules(marker *m, const weir_rtl_module *before, size_t count) {
    size_t left = 0;
    weir_rtl_module *after = weir_rtl_modules_below(m->design, m->top, WEIR_RTL_CHILDREN_FIRST, &left);
    for (size_t i = 0; i < left; i++) *weir_numbers_at(&m->module, after[i].id) &= ~(uint32_t)BELOW;
    for (size_t i = 0; i < count; i++) {
        const uint32_t mark = *weir_numbers_at(&m->module, before[i].id);
        if (!(mark & BELOW) || mark & SHARED || weir_rtl_get_module(m->design, before[i]).is_external) continue;
        weir_rtl_remove_module(m->design, before[i]);
        m->removed_modules++;
    }
    free(after);
}

static void eliminate(marker *m, const weir_rtl_module *modules, size_t count) {
    weir_stmt_list list = {NULL, 0, 0};
    m->driver_count = 1; /* 0 ends a list */
    start_shared(m, modules, count);
    for (size_t i = 0; i < count; i++) start_module(m, modules[i], &list);
    if (!m->has_paths) {
        follow_all(m);
        for (size_t i = 0; i < count; i++) sweep_module(m, modules[i], &list);
        if (m->removed_instances > 0) remove_modules(m, modules, count);
    }
    weir_stmt_list_free(&list);
}

static void free_marker(marker *m) {
    weir_numbers *const tables[] = {&m->var,         &m->stmt,       &m->instance,        &m->module,
                                    &m->function,    &m->port_base,  &m->drivers_of_port, &m->port_seen,
                                    &m->instance_of, &m->drivers_of, &m->next_instance};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) weir_numbers_free(tables[i]);
    free(m->driver);
    free(m->vars);
    free(m->outputs);
    free(m->exprs);
    weir_stmt_list_free(&m->stmts);
}

bool weir_pass_rtl_dead_code_elimination(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    marker m = {.design = design, .top = weir_hardware_top(context)};
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, m.top, WEIR_RTL_CHILDREN_FIRST, &count);
    if (modules != NULL) eliminate(&m, modules, count);
    if (m.removed_vars + m.removed_stmts + m.removed_instances == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "variables removed", (int64_t)m.removed_vars);
    weir_pass_count(context, "statements removed", (int64_t)m.removed_stmts);
    weir_pass_count(context, "instances removed", (int64_t)m.removed_instances);
    weir_pass_count(context, "modules removed", (int64_t)m.removed_modules);
    free_marker(&m);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
