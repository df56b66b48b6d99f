/* The verifier. Modules are walked with an explicit stack; in each module, sets of driven and read bits are filled by
 * one walk over its statements and then compared. */
#include "rtlir/verify.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/internal.h"
#include "rtlir/visitor.h"

/* ---- drivers and readers of one module's bits ---- */

/* A variable of the module, or a port of an instance that is wired by assignments. */
typedef struct net_record {
    uint32_t var, instance, width;
    size_t first_word; /* its bits start at a word of their own */
    uint32_t head;     /* first driver */
    uint32_t reader;   /* the statement that reads it first */
} net_record;

/* Something that drives a range of a net's bits. */
typedef struct driver {
    uint32_t net, low, width, stmt; /* the statement of the module's body */
    uint32_t next;                  /* the net's next driver */
} driver;

/* The nets of one module, with sets of driven and of read bits. */
typedef struct nets {
    weir_rtl_design *design;
    uint32_t module;
    net_record *net;
    size_t net_count, net_capacity, words;
    uint32_t
        *position;  /* net by variable id, and by instance id that of slot 0; reused over modules: only entries of */
    uint32_t *base; /* this module count */
    uint64_t *driven, *read;
    driver *drivers;
    size_t driver_count, driver_capacity;
    uint32_t *seen; /* by expression id: the statement that was last counted as reading it */
    uint32_t *stack;
    size_t stack_capacity;
} nets;

/* Sets bits [low, low + width) and returns whether any of them was set before. */
static bool mark(uint64_t *words, uint32_t low, uint32_t width) {
    bool taken = false;
    while (width > 0) {
        uint32_t shift = low % 64;
        uint32_t take = 64 - shift < width ? 64 - shift : width;
        uint64_t mask = (UINT64_MAX >> (64 - take)) << shift;
        taken = taken || (words[low / 64] & mask);
        words[low / 64] |= mask;
        low += take;
        width -= take;
    }
    return taken;
}

static const char *stmt_name(const weir_rtl_design *design, uint32_t stmt, weir_text *text) {
    const rtl_stmt *s = &design->stmt[stmt];
    text->size = 0;
    switch (s->kind) {
    case WEIR_RTL_STMT_INSTANCE: weir_text_format(text, "instance '%s'", design->instance[s->a].name); break;
    case WEIR_RTL_STMT_ASSIGN: weir_text_add(text, "an assignment"); break;
    case WEIR_RTL_STMT_INITIAL: weir_text_add(text, "an initial block"); break;
    case WEIR_RTL_STMT_FOR: weir_text_add(text, "a loop"); break;
    case WEIR_RTL_STMT_ASSERT: weir_text_add(text, "an assertion"); break;
    case WEIR_RTL_STMT_FSM: weir_text_format(text, "state machine '%s'", design->fsm[s->a].name); break;
    default: weir_text_add(text, "an always block"); break;
    }
    return text->data;
}

static const char *range_name(const weir_rtl_design *design, const net_record *net, uint32_t low, uint32_t width,
                              weir_text *text) {
    text->size = 0;
    weir_text_char(text, '\'');
    if (net->instance) weir_text_format(text, "%s.", design->instance[net->instance].name);
    weir_text_add(text, design->var[net->var].name);
    if (net->width > 1 && width == 1) weir_text_format(text, "[%u]", (unsigned)low);
    else if (net->width > 1) weir_text_format(text, "[%u:%u]", (unsigned)(low + width - 1), (unsigned)low);
    weir_text_char(text, '\'');
    return text->data;
}

static weir_location place_of(const weir_rtl_design *design, uint32_t stmt) {
    const rtl_stmt *s = &design->stmt[stmt];
    return s->kind == WEIR_RTL_STMT_INSTANCE ? rtl_place_of(design, &design->instance[s->a].common)
                                             : rtl_place_of(design, &s->common);
}

static void report_conflict(nets *n, const driver *old, uint32_t low, uint32_t width, uint32_t stmt) {
    weir_text names[3] = {{0}, {0}, {0}};
    uint32_t from = low > old->low ? low : old->low;
    uint32_t end = low + width < old->low + old->width ? low + width : old->low + old->width;
    rtl_error(n->design, place_of(n->design, stmt), "%s in module '%s' has two drivers: %s and %s",
              range_name(n->design, &n->net[old->net], from, end - from, &names[0]), n->design->module[n->module].name,
              stmt_name(n->design, old->stmt, &names[1]), stmt_name(n->design, stmt, &names[2]));
    for (int i = 0; i < 3; i++) weir_text_free(&names[i]);
}

/* Does driver d stand against another one? A process drives a bit as often as it likes, and an initial block only gives
 * the first value of what a process drives. */
static bool conflicts(const weir_rtl_design *design, const driver *d, uint32_t low, uint32_t width, uint32_t stmt) {
    bool overlaps = low < d->low + d->width && d->low < low + width;
    bool same_process = d->stmt == stmt && design->stmt[stmt].kind != WEIR_RTL_STMT_ASSIGN &&
                        design->stmt[stmt].kind != WEIR_RTL_STMT_INSTANCE;
    weir_rtl_stmt_kind a = design->stmt[d->stmt].kind;
    weir_rtl_stmt_kind b = design->stmt[stmt].kind;
    bool initial_a = a == WEIR_RTL_STMT_INITIAL && rtl_is_process(b) && b != WEIR_RTL_STMT_INITIAL;
    bool initial_b = b == WEIR_RTL_STMT_INITIAL && rtl_is_process(a) && a != WEIR_RTL_STMT_INITIAL;
    return overlaps && !same_process && !initial_a && !initial_b;
}

static void drive(nets *n, uint32_t at, uint32_t low, uint32_t width, uint32_t stmt) {
    net_record *net = &n->net[at];
    bool taken = mark(n->driven + net->first_word, low, width);
    for (uint32_t d = taken ? net->head : 0; d; d = n->drivers[d].next) {
        const driver *old = &n->drivers[d];
        if (old->stmt == stmt && old->low <= low && low + width <= old->low + old->width &&
            !conflicts(n->design, old, low, width, stmt))
            return; /* a process that sets the same bits again */
        if (conflicts(n->design, old, low, width, stmt)) {
            report_conflict(n, old, low, width, stmt);
            return;
        }
    }
    n->drivers = weir_grow(n->drivers, &n->driver_capacity, n->driver_count + 1, sizeof *n->drivers);
    n->drivers[n->driver_count] = (driver){at, low, width, stmt, net->head};
    net->head = (uint32_t)n->driver_count++;
}

/* The net of an expression that is a variable or a port. */
static uint32_t net_of(const nets *n, uint32_t expr) {
    const rtl_expr *e = &n->design->expr[expr];
    if (e->kind == WEIR_RTL_EXPR_VAR) return n->position[e->a];
    return n->base[e->a] + n->design->var[e->b].slot;
}

static void push(nets *n, size_t *depth, uint32_t expr) {
    n->stack = weir_grow(n->stack, &n->stack_capacity, *depth + 1, sizeof *n->stack);
    n->stack[(*depth)++] = expr;
}

static void read_bits(nets *n, uint32_t at, uint32_t low, uint32_t width, uint32_t stmt) {
    mark(n->read + n->net[at].first_word, low, width);
    if (!n->net[at].reader) n->net[at].reader = stmt;
}

/* The computed indices of a part, which are read. */
static void push_indices(nets *n, size_t *depth, uint32_t id) {
    for (const rtl_expr *e = &n->design->expr[id]; rtl_is_part(e->kind); e = &n->design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) push(n, depth, e->b);
}

static bool is_own(const nets *n, uint32_t base) {
    const rtl_expr *e = &n->design->expr[base];
    return e->kind != WEIR_RTL_EXPR_VAR || !n->design->var[e->a].function;
}

/* Marks what an expression reads, working on the stack above `depth`. Shared parts are looked at once a statement. */
static void read_expr(nets *n, size_t depth, uint32_t expr, uint32_t stmt) {
    const weir_rtl_design *design = n->design;
    size_t floor = depth;
    push(n, &depth, expr);
    while (depth > floor) {
        uint32_t id = n->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (n->seen[id] == stmt) continue;
        n->seen[id] = stmt;
        if (rtl_has_parts(e->kind) || rtl_is_part(e->kind)) {
            rtl_place place = rtl_locate(design, id);
            if (is_own(n, place.base)) read_bits(n, net_of(n, place.base), place.low, place.width, stmt);
            push_indices(n, &depth, id);
            continue;
        }
        for (size_t i = weir_rtl_get_expr(design, (weir_rtl_expr){id}).operand_count; i-- > 0;)
            push(n, &depth, weir_rtl_operand(design, (weir_rtl_expr){id}, i).id);
    }
}

/* Marks what an assignment to the expression drives; computed indices are read. */
static void drive_expr(nets *n, uint32_t expr, uint32_t stmt) {
    const weir_rtl_design *design = n->design;
    size_t depth = 0;
    push(n, &depth, expr);
    while (depth > 0) {
        uint32_t id = n->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (e->kind == WEIR_RTL_EXPR_CONCAT) {
            for (uint32_t i = 0; i < e->b; i++) push(n, &depth, design->operand[e->a + i]);
            continue;
        }
        rtl_place place = rtl_locate(design, id);
        drive(n, net_of(n, place.base), place.low, place.width, stmt);
        for (; rtl_is_part(e->kind); e = &design->expr[e->a])
            if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) read_expr(n, depth, e->b, stmt);
    }
}

/* ---- statements ---- */

static void check_width(nets *n, const rtl_instance *instance, const rtl_var *port, uint32_t id, uint32_t expr,
                        const rtl_value *parameters) {
    weir_rtl_design *design = n->design;
    const char *problem = NULL;
    uint32_t width = rtl_port_width(design, id, parameters, &problem);
    if (problem)
        rtl_error(design, rtl_place_of(design, &instance->common),
                  "port '%s' of instance '%s' (module '%s') has no width: %s", port->name, instance->name,
                  design->module[instance->module].name, problem);
    else if (width != design->expr[expr].width)
        rtl_error(design, rtl_place_of(design, &instance->common),
                  "port '%s' of instance '%s' (module '%s') has %u bits and is connected to '%s', which has %u",
                  port->name, instance->name, design->module[instance->module].name, (unsigned)width,
                  rtl_describe(design, expr), (unsigned)design->expr[expr].width);
}

/* A port that assignments wire: the instance drives it or reads it as if it were a variable. */
static void wire_port(nets *n, uint32_t stmt, const rtl_var *port) {
    uint32_t at = n->base[n->design->stmt[stmt].a] + port->slot;
    uint32_t width = n->net[at].width;
    if (port->direction == WEIR_RTL_OUTPUT) drive(n, at, 0, width, stmt);
    else if (port->direction == WEIR_RTL_INPUT) read_bits(n, at, 0, width, stmt);
    else mark(n->driven + n->net[at].first_word, 0, width);
}

static void visit_instance(nets *n, uint32_t stmt) {
    weir_rtl_design *design = n->design;
    const rtl_instance *instance = &design->instance[design->stmt[stmt].a];
    const rtl_ids *ports = &design->module[instance->module].ports;
    rtl_value *parameters = rtl_evaluate_parameters(design, instance->module, instance);
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (instance->is_wired && expr == 0) {
            wire_port(n, stmt, port);
            continue;
        }
        if (expr == 0)
            rtl_error(design, rtl_place_of(design, &instance->common),
                      "%s '%s' of instance '%s' (module '%s') is not connected%s",
                      port->direction == WEIR_RTL_INPUT ? "input" : "output", port->name, instance->name,
                      design->module[instance->module].name,
                      port->direction == WEIR_RTL_INPUT ? "" : " and not left open");
        if (expr == 0 || expr == RTL_OPEN) continue;
        check_width(n, instance, port, ports->id[i], expr, parameters);
        if (port->direction == WEIR_RTL_OUTPUT) drive_expr(n, expr, stmt);
        else if (port->direction == WEIR_RTL_INPUT) read_expr(n, 0, expr, stmt);
    }
    free(parameters);
}

static void visit_machine(nets *n, const rtl_fsm *fsm, uint32_t root) {
    if (fsm->parent) return;
    read_bits(n, n->position[fsm->clock], 0, 1, root);
    read_bits(n, n->position[fsm->reset], 0, 1, root);
    if (fsm->current) drive(n, n->position[fsm->current], 0, n->design->var[fsm->current].width, root);
}

static void visit_stmt(nets *n, uint32_t id, uint32_t root) {
    const weir_rtl_design *design = n->design;
    const rtl_stmt *stmt = &design->stmt[id];
    switch (stmt->kind) {
    case WEIR_RTL_STMT_INSTANCE: visit_instance(n, id); break;
    case WEIR_RTL_STMT_ASSIGN:
        drive_expr(n, stmt->a, root);
        read_expr(n, 0, stmt->b, root);
        break;
    case WEIR_RTL_STMT_ALWAYS:
        for (uint32_t e = stmt->a; e; e = design->event[e].next)
            read_bits(n, n->position[design->event[e].var], 0, 1, root);
        break;
    case WEIR_RTL_STMT_FSM: visit_machine(n, &design->fsm[stmt->a], root); break;
    case WEIR_RTL_STMT_FOR: {
        uint32_t at = n->position[design->loop[stmt->a].iterator];
        if (n->net[at].head)
            rtl_error(n->design, rtl_place_of(design, &stmt->common), "iterator '%s' of module '%s' serves two loops",
                      design->var[design->loop[stmt->a].iterator].name, design->module[n->module].name);
        else drive(n, at, 0, 32, id);
        break;
    }
    default:
        if (stmt->kind == WEIR_RTL_STMT_ASSERT && design->assertion[stmt->a].clock)
            read_bits(n, n->position[design->assertion[stmt->a].clock], 0, 1, root);
        for (size_t i = 0; rtl_stmt_slot(design, id, i); i++)
            if (*rtl_stmt_slot(design, id, i)) read_expr(n, 0, *rtl_stmt_slot(design, id, i), root);
        break;
    }
}

/* Processes are walked with everything in them; what a function contains is its own (verify_form.c). */
static void visit_body(nets *n) {
    const weir_rtl_design *design = n->design;
    for (uint32_t s = design->block[design->module[n->module].body].first; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION) continue;
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) visit_stmt(n, i, s);
    }
}

/* ---- undriven bits ---- */

static void report_undriven(nets *n, const net_record *net, uint32_t low, uint32_t width) {
    weir_text range = {0};
    weir_text reader = {0};
    weir_rtl_design *design = n->design;
    const char *module = design->module[n->module].name;
    weir_location place =
        rtl_place_of(design, net->instance ? &design->instance[net->instance].common : &design->var[net->var].common);
    range_name(design, net, low, width, &range);
    if (net->reader)
        rtl_error(design, place, "%s in module '%s' has no driver and is read by %s", range.data, module,
                  stmt_name(design, net->reader, &reader));
    else rtl_error(design, place, "output %s of module '%s' has no driver", range.data, module);
    weir_text_free(&range);
    weir_text_free(&reader);
}

/* The first run of bits of a net that are read, or leave the module, and have no driver. */
static void check_driven(nets *n, const net_record *net) {
    const uint64_t *driven = n->driven + net->first_word;
    const uint64_t *read = n->read + net->first_word;
    uint32_t low = 0;
    while (low < net->width && !(read[low / 64] & ~driven[low / 64])) low = (low / 64 + 1) * 64;
    while (low < net->width && !(read[low / 64] & ~driven[low / 64] & UINT64_C(1) << low % 64)) low++;
    if (low >= net->width) return;
    uint32_t end = low;
    while (end < net->width && (read[end / 64] & ~driven[end / 64] & UINT64_C(1) << end % 64)) end++;
    report_undriven(n, net, low, end - low);
}

static void add_net(nets *n, uint32_t var, uint32_t instance, uint32_t width) {
    n->net = weir_grow(n->net, &n->net_capacity, n->net_count + 1, sizeof *n->net);
    n->net[n->net_count++] = (net_record){.var = var, .instance = instance, .width = width, .first_word = n->words};
    n->words += (width + 63) / 64;
}

/* Nets of the ports of an instance, by slot; ports that were removed have no bits. */
static void add_port_nets(nets *n, uint32_t id) {
    const weir_rtl_design *design = n->design;
    const rtl_module *module = &design->module[design->instance[id].module];
    size_t base = n->net_count;
    n->base[id] = (uint32_t)base;
    for (uint32_t i = 0; i < module->port_slots; i++) add_net(n, 0, id, 0);
    rtl_value *parameters = rtl_evaluate_parameters(design, design->instance[id].module, &design->instance[id]);
    for (size_t i = 0; i < module->ports.count; i++) {
        const char *problem = NULL;
        net_record *net = &n->net[base + design->var[module->ports.id[i]].slot];
        net->var = module->ports.id[i];
        net->width = rtl_port_width(design, net->var, parameters, &problem);
        net->first_word = n->words;
        n->words += (net->width + 63) / 64;
    }
    free(parameters);
}

static void verify_module(nets *n) {
    weir_rtl_design *design = n->design;
    const rtl_module *module = &design->module[n->module];
    n->net_count = n->words = 0;
    for (uint32_t v = module->first_var; v; v = design->var[v].next) {
        n->position[v] = (uint32_t)n->net_count;
        add_net(n, v, 0, design->var[v].width);
    }
    for (size_t i = 0; i < module->instances.count; i++)
        if (design->instance[module->instances.id[i]].is_wired) add_port_nets(n, module->instances.id[i]);
    n->driven = weir_calloc(n->words + 1, sizeof *n->driven);
    n->read = weir_calloc(n->words + 1, sizeof *n->read);
    n->driver_count = 1; /* 0 ends a list */
    for (uint32_t v = module->first_var; v; v = design->var[v].next) {
        const rtl_var *var = &design->var[v];
        size_t word = n->net[n->position[v]].first_word;
        if (var->direction == WEIR_RTL_INPUT || var->direction == WEIR_RTL_INOUT || var->is_path)
            mark(n->driven + word, 0, var->width);
        else if (var->direction == WEIR_RTL_OUTPUT && !module->is_stub) mark(n->read + word, 0, var->width);
    }
    visit_body(n);
    for (size_t i = 0; i < n->net_count; i++) check_driven(n, &n->net[i]);
    free(n->driven);
    free(n->read);
}

bool weir_rtl_verify(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    if (!modules) return false;
    nets n = {.design = design};
    n.position = weir_calloc(design->var_count, sizeof *n.position);
    n.base = weir_calloc(design->instance_count, sizeof *n.base);
    n.seen = weir_calloc(design->expr_count, sizeof *n.seen);
    uint32_t *seen = weir_calloc(design->expr_count, sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        n.module = modules[i].id;
        if (design->module[n.module].is_external) continue;
        if (rtl_verify_form(design, n.module, seen)) verify_module(&n);
    }
    free(n.position);
    free(n.base);
    free(n.net);
    free(n.seen);
    free(seen);
    free(n.stack);
    free(n.drivers);
    free(modules);
    return design->errors == 0;
}

bool weir_rtl_verify_form(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    uint32_t *seen = weir_calloc(design->expr_count, sizeof *seen);
    for (size_t i = 0; modules && i < count; i++)
        if (!design->module[modules[i].id].is_external) rtl_verify_form(design, modules[i].id, seen);
    bool sound = modules && design->errors == 0;
    free(seen);
    free(modules);
    return sound;
}
