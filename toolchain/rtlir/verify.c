/* The verifier. Modules are walked with an explicit stack; in each module, sets of driven and read bits are filled by
 * one walk over its statements and then compared. */
#include "rtlir/verify.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/internal.h"

/* ---- the modules below one ---- */

enum { UNSEEN, OPEN, DONE };

typedef struct visit {
    uint32_t module;
    size_t next; /* instance to look at */
} visit;

static void report_cycle(weir_rtl_design *design, const visit *stack, size_t depth, uint32_t module) {
    const rtl_module *parent = &design->module[stack[depth - 1].module];
    const rtl_instance *instance = &design->instance[parent->instances.id[stack[depth - 1].next - 1]];
    rtl_error(design, instance->common.place, "module '%s' contains itself through instance '%s' of module '%s'",
              design->module[module].name, instance->name, parent->name);
    size_t from = depth;
    while (from > 0 && stack[from - 1].module != module) from--;
    for (size_t i = from; i < depth; i++) weir_note("by way of module '%s'", design->module[stack[i].module].name);
}

weir_rtl_module *weir_rtl_modules_below(weir_rtl_design *design, weir_rtl_module top, size_t *count) {
    *count = 0;
    if (!top.id) return NULL;
    weir_rtl_module *order = weir_malloc(design->module_count * sizeof *order);
    unsigned char *state = weir_calloc(design->module_count, 1);
    visit *stack = weir_malloc(design->module_count * sizeof *stack);
    size_t depth = 0;
    bool sound = true;
    stack[depth++] = (visit){.module = top.id};
    state[top.id] = OPEN;
    while (depth > 0 && sound) {
        visit *v = &stack[depth - 1];
        const rtl_ids *instances = &design->module[v->module].instances;
        if (v->next == instances->count) {
            state[v->module] = DONE;
            order[(*count)++] = (weir_rtl_module){v->module};
            depth--;
            continue;
        }
        uint32_t child = design->instance[instances->id[v->next++]].module;
        if (state[child] == OPEN) {
            report_cycle(design, stack, depth, child);
            sound = false;
        } else if (state[child] == UNSEEN) {
            state[child] = OPEN;
            stack[depth++] = (visit){.module = child};
        }
    }
    free(stack);
    free(state);
    if (!sound) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- drivers and readers of one module's bits ---- */

/* Something that drives a range of a variable's bits. */
typedef struct driver {
    uint32_t var, low, width, stmt; /* the statement of the module's body */
    uint32_t next;                  /* the variable's next driver */
} driver;

/* Bit sets over all variables of a module; a variable's bits start at a word of their own. */
typedef struct nets {
    weir_rtl_design *design;
    uint32_t module;
    size_t *first_word; /* by the variable's position in the module */
    uint32_t *position; /* by variable id, reused over modules: only entries of this module count */
    uint32_t *head;     /* first driver, by position */
    uint64_t *driven, *read;
    uint32_t *reader; /* the statement that reads it first, by position */
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
    default: weir_text_add(text, "an always block"); break;
    }
    return text->data;
}

static const char *range_name(const rtl_var *var, uint32_t low, uint32_t width, weir_text *text) {
    text->size = 0;
    if (var->width == 1) weir_text_format(text, "'%s'", var->name);
    else if (width == 1) weir_text_format(text, "'%s[%u]'", var->name, (unsigned)low);
    else weir_text_format(text, "'%s[%u:%u]'", var->name, (unsigned)(low + width - 1), (unsigned)low);
    return text->data;
}

static weir_location place_of(const weir_rtl_design *design, uint32_t stmt) {
    const rtl_stmt *s = &design->stmt[stmt];
    return s->kind == WEIR_RTL_STMT_INSTANCE ? design->instance[s->a].common.place : s->common.place;
}

static void report_conflict(nets *n, const driver *old, uint32_t low, uint32_t width, uint32_t stmt) {
    weir_text names[3] = {{0}, {0}, {0}};
    uint32_t from = low > old->low ? low : old->low;
    uint32_t end = low + width < old->low + old->width ? low + width : old->low + old->width;
    rtl_error(n->design, place_of(n->design, stmt), "%s in module '%s' has two drivers: %s and %s",
              range_name(&n->design->var[old->var], from, end - from, &names[0]), n->design->module[n->module].name,
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
    bool initial_a = a == WEIR_RTL_STMT_INITIAL && (b == WEIR_RTL_STMT_ALWAYS || b == WEIR_RTL_STMT_COMBINATIONAL);
    bool initial_b = b == WEIR_RTL_STMT_INITIAL && (a == WEIR_RTL_STMT_ALWAYS || a == WEIR_RTL_STMT_COMBINATIONAL);
    return overlaps && !same_process && !initial_a && !initial_b;
}

static void drive(nets *n, uint32_t var, uint32_t low, uint32_t width, uint32_t stmt) {
    uint32_t position = n->position[var];
    bool taken = mark(n->driven + n->first_word[position], low, width);
    for (uint32_t d = taken ? n->head[position] : 0; d; d = n->drivers[d].next) {
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
    n->drivers[n->driver_count] = (driver){var, low, width, stmt, n->head[position]};
    n->head[position] = (uint32_t)n->driver_count++;
}

static void push(nets *n, size_t *depth, uint32_t expr) {
    n->stack = weir_grow(n->stack, &n->stack_capacity, *depth + 1, sizeof *n->stack);
    n->stack[(*depth)++] = expr;
}

static void read_bits(nets *n, uint32_t var, uint32_t low, uint32_t width, uint32_t stmt) {
    uint32_t position = n->position[var];
    mark(n->read + n->first_word[position], low, width);
    if (!n->reader[position]) n->reader[position] = stmt;
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
        switch (e->kind) {
        case WEIR_RTL_EXPR_VAR: read_bits(n, e->a, 0, e->width, stmt); break;
        case WEIR_RTL_EXPR_SLICE: read_bits(n, design->expr[e->a].a, e->b, e->width, stmt); break;
        case WEIR_RTL_EXPR_CONCAT:
            for (uint32_t i = 0; i < e->b; i++) push(n, &depth, design->operand[e->a + i]);
            break;
        case WEIR_RTL_EXPR_CONDITIONAL: push(n, &depth, e->c); /* fall through */
        case WEIR_RTL_EXPR_BINARY:
        case WEIR_RTL_EXPR_SELECT: push(n, &depth, e->b); /* fall through */
        case WEIR_RTL_EXPR_UNARY:
        case WEIR_RTL_EXPR_CAST:
        case WEIR_RTL_EXPR_REPEAT: push(n, &depth, e->a); break;
        case WEIR_RTL_EXPR_NONE:
        case WEIR_RTL_EXPR_CONSTANT:
        case WEIR_RTL_EXPR_PARAMETER: break;
        }
    }
}

/* Marks what an assignment to the expression drives; the base of a select is read. */
static void drive_expr(nets *n, uint32_t expr, uint32_t stmt) {
    const weir_rtl_design *design = n->design;
    size_t depth = 0;
    push(n, &depth, expr);
    while (depth > 0) {
        const rtl_expr *e = &design->expr[n->stack[--depth]];
        if (e->kind == WEIR_RTL_EXPR_VAR) {
            drive(n, e->a, 0, e->width, stmt);
        } else if (e->kind == WEIR_RTL_EXPR_SLICE) {
            drive(n, design->expr[e->a].a, e->b, e->width, stmt);
        } else if (e->kind == WEIR_RTL_EXPR_SELECT) {
            drive(n, design->expr[e->a].a, 0, design->expr[e->a].width, stmt);
            read_expr(n, depth, e->b, stmt);
        } else if (e->kind == WEIR_RTL_EXPR_CONCAT) {
            for (uint32_t i = 0; i < e->b; i++) push(n, &depth, design->operand[e->a + i]);
        }
    }
}

/* ---- statements ---- */

/* One process: its statements in order, nested blocks through their owner's links, so without recursion. */
static void visit_process(nets *n, uint32_t root) {
    const weir_rtl_design *design = n->design;
    for (uint32_t e = design->stmt[root].kind == WEIR_RTL_STMT_ALWAYS ? design->stmt[root].a : 0; e;
         e = design->event[e].next)
        read_bits(n, design->event[e].var, 0, 1, root);
    uint32_t s = design->block[design->stmt[root].body].first;
    while (s) {
        const rtl_stmt *stmt = &design->stmt[s];
        uint32_t down = 0;
        if (stmt->kind == WEIR_RTL_STMT_ASSIGN) {
            drive_expr(n, stmt->a, root);
            read_expr(n, 0, stmt->b, root);
        } else {
            if (stmt->a) read_expr(n, 0, stmt->a, root);
            down = design->block[stmt->body].first;
            if (!down && stmt->other) down = design->block[stmt->other].first;
        }
        uint32_t block = stmt->block;
        s = down ? down : stmt->next;
        while (!s && block != design->stmt[root].body) {
            uint32_t owner = design->block[block].owner;
            const rtl_stmt *above = &design->stmt[owner];
            s = block == above->body && above->other ? design->block[above->other].first : 0;
            if (!s) s = above->next;
            block = above->block;
        }
    }
}

static void check_width(nets *n, const rtl_instance *instance, const rtl_var *port, uint32_t id, uint32_t expr,
                        const rtl_value *parameters) {
    weir_rtl_design *design = n->design;
    const char *problem = NULL;
    uint32_t width = rtl_port_width(design, id, parameters, &problem);
    if (problem)
        rtl_error(design, instance->common.place, "port '%s' of instance '%s' (module '%s') has no width: %s",
                  port->name, instance->name, design->module[instance->module].name, problem);
    else if (width != design->expr[expr].width)
        rtl_error(design, instance->common.place,
                  "port '%s' of instance '%s' (module '%s') has %u bits and is connected to '%s', which has %u",
                  port->name, instance->name, design->module[instance->module].name, (unsigned)width,
                  rtl_describe(design, expr), (unsigned)design->expr[expr].width);
}

static void visit_instance(nets *n, uint32_t stmt) {
    weir_rtl_design *design = n->design;
    const rtl_instance *instance = &design->instance[design->stmt[stmt].a];
    const rtl_ids *ports = &design->module[instance->module].ports;
    rtl_value *parameters = rtl_evaluate_parameters(design, instance->module, instance);
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t expr = i < instance->connection_count ? instance->connection[i] : 0;
        if (expr == 0)
            rtl_error(design, instance->common.place, "%s '%s' of instance '%s' (module '%s') is not connected%s",
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

static void visit_body(nets *n) {
    const weir_rtl_design *design = n->design;
    for (uint32_t s = design->block[design->module[n->module].body].first; s; s = design->stmt[s].next) {
        const rtl_stmt *stmt = &design->stmt[s];
        switch (stmt->kind) {
        case WEIR_RTL_STMT_INSTANCE: visit_instance(n, s); break;
        case WEIR_RTL_STMT_ASSIGN:
            drive_expr(n, stmt->a, s);
            read_expr(n, 0, stmt->b, s);
            break;
        case WEIR_RTL_STMT_ALWAYS:
        case WEIR_RTL_STMT_COMBINATIONAL:
        case WEIR_RTL_STMT_INITIAL: visit_process(n, s); break;
        default: break;
        }
    }
}

/* ---- undriven bits ---- */

static void report_undriven(nets *n, const rtl_var *var, uint32_t position, uint32_t low, uint32_t width) {
    weir_text range = {0};
    weir_text reader = {0};
    const char *module = n->design->module[n->module].name;
    range_name(var, low, width, &range);
    if (n->reader[position])
        rtl_error(n->design, var->common.place, "%s in module '%s' has no driver and is read by %s", range.data, module,
                  stmt_name(n->design, n->reader[position], &reader));
    else rtl_error(n->design, var->common.place, "output %s of module '%s' has no driver", range.data, module);
    weir_text_free(&range);
    weir_text_free(&reader);
}

/* The first run of bits of a variable that are read, or leave the module, and have no driver. */
static void check_driven(nets *n, const rtl_var *var, uint32_t position) {
    const uint64_t *driven = n->driven + n->first_word[position];
    const uint64_t *read = n->read + n->first_word[position];
    uint32_t low = 0;
    while (low < var->width && !(read[low / 64] & ~driven[low / 64])) low = (low / 64 + 1) * 64;
    while (low < var->width && !(read[low / 64] & ~driven[low / 64] & UINT64_C(1) << low % 64)) low++;
    if (low >= var->width) return;
    uint32_t end = low;
    while (end < var->width && (read[end / 64] & ~driven[end / 64] & UINT64_C(1) << end % 64)) end++;
    report_undriven(n, var, position, low, end - low);
}

static void verify_module(nets *n) {
    weir_rtl_design *design = n->design;
    const rtl_ids *vars = &design->module[n->module].vars;
    size_t words = 0;
    n->first_word = weir_malloc((vars->count + 1) * sizeof *n->first_word);
    n->head = weir_calloc(vars->count + 1, sizeof *n->head);
    n->reader = weir_calloc(vars->count + 1, sizeof *n->reader);
    for (size_t i = 0; i < vars->count; i++) {
        n->position[vars->id[i]] = (uint32_t)i;
        n->first_word[i] = words;
        words += (design->var[vars->id[i]].width + 63) / 64;
    }
    n->driven = weir_calloc(words + 1, sizeof *n->driven);
    n->read = weir_calloc(words + 1, sizeof *n->read);
    n->driver_count = 1; /* 0 ends a list */
    for (size_t i = 0; i < vars->count; i++) {
        const rtl_var *var = &design->var[vars->id[i]];
        if (var->direction == WEIR_RTL_INPUT || var->direction == WEIR_RTL_INOUT || var->is_path)
            mark(n->driven + n->first_word[i], 0, var->width);
        else if (var->direction == WEIR_RTL_OUTPUT) mark(n->read + n->first_word[i], 0, var->width);
    }
    visit_body(n);
    for (size_t i = 0; i < vars->count; i++) check_driven(n, &design->var[vars->id[i]], (uint32_t)i);
    free(n->first_word);
    free(n->head);
    free(n->reader);
    free(n->driven);
    free(n->read);
}

bool weir_rtl_verify(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, &count);
    if (!modules) return false;
    nets n = {.design = design};
    n.position = weir_calloc(design->var_count, sizeof *n.position);
    n.seen = weir_calloc(design->expr_count, sizeof *n.seen);
    for (size_t i = 0; i < count; i++) {
        n.module = modules[i].id;
        if (!design->module[n.module].is_external) verify_module(&n);
    }
    free(n.position);
    free(n.seen);
    free(n.stack);
    free(n.drivers);
    free(modules);
    return design->errors == 0;
}
