/* Functions that call themselves, through others too: hardware has no stack, and simulators of Verilog-2005 have one
 * copy of a function's variables. One walk over the calls of a module, without recursion; linear. */
#include <stdlib.h>

#include "rtlir/core/private.h"
#include "rtlir/verify/verify.h"

enum { UNSEEN, OPEN, TOLD /* open, and reported */, DONE };

/* A function on the path of the walk; what it calls starts at `first`, and ends where the next one's starts. */
typedef struct visit {
    uint32_t function;
    size_t first, next;
} visit;

typedef struct walk {
    weir_rtl_design *design;
    unsigned char *state; /* by function, from `first` on */
    uint32_t first;
    visit *path;
    size_t depth, path_capacity;
    uint32_t *call; /* functions that those on the path call */
    size_t calls, call_capacity;
    uint32_t *stack; /* of expressions */
    size_t stack_capacity;
} walk;

static void add_calls_of_expr(walk *w, uint32_t expr) {
    size_t depth = 0;
    w->stack = weir_grow(w->stack, &w->stack_capacity, 1, sizeof *w->stack);
    w->stack[depth++] = expr;
    while (depth > 0) {
        const weir_rtl_expr e = {w->stack[--depth]};
        const rtl_expr *record = &w->design->expr[e.id];
        if (record->kind == WEIR_RTL_EXPR_CALL) {
            w->call = weir_grow(w->call, &w->call_capacity, w->calls + 1, sizeof *w->call);
            w->call[w->calls++] = record->c;
        }
        size_t count = e.id ? weir_rtl_get_expr(w->design, e).operand_count : 0;
        w->stack = weir_grow(w->stack, &w->stack_capacity, depth + count, sizeof *w->stack);
        while (count-- > 0) w->stack[depth++] = weir_rtl_operand(w->design, e, count).id;
    }
}

static void enter(walk *w, uint32_t function) {
    assert(function < w->design->function_count);
    const uint32_t root = w->design->function[function].stmt;
    w->path = weir_grow(w->path, &w->path_capacity, w->depth + 1, sizeof *w->path);
    w->path[w->depth++] = (visit){.function = function, .first = w->calls, .next = w->calls};
    w->state[function - w->first] = OPEN;
    for (uint32_t s = root; s; s = rtl_walk_next(w->design, s, root))
        for (size_t i = 0; rtl_stmt_slot(w->design, s, i); i++) add_calls_of_expr(w, *rtl_stmt_slot(w->design, s, i));
}

static void report(const walk *w, uint32_t function) {
    weir_text cycle = {0};
    size_t from = w->depth;
    const weir_rtl_design *design = w->design;
    while (from > 0 && w->path[from - 1].function != function) from--;
    for (size_t i = from > 0 ? from - 1 : 0; i < w->depth; i++)
        weir_text_format(&cycle, "%s -> ", design->function[w->path[i].function].name);
    rtl_error(w->design, rtl_location_of(design, &design->stmt[design->function[function].stmt].common),
              "function '%s' of module '%s' calls itself: %s%s", design->function[function].name,
              design->module[design->function[function].module].name, cycle.data, design->function[function].name);
    weir_text_free(&cycle);
}

static void follow(walk *w, uint32_t function) {
    if (w->state[function - w->first] == UNSEEN) enter(w, function);
    while (w->depth > 0) {
        visit *v = &w->path[w->depth - 1];
        if (v->next == w->calls) {
            w->state[v->function - w->first] = DONE;
            w->calls = v->first;
            w->depth--;
            continue;
        }
        const uint32_t callee = w->call[v->next++];
        if (w->design->function[callee].is_removed) continue; /* reported as such */
        if (w->state[callee - w->first] == OPEN) {
            report(w, callee);
            w->state[callee - w->first] = TOLD;
        } else if (w->state[callee - w->first] == UNSEEN) {
            enter(w, callee);
        }
    }
}

bool weir_rtl_check_recursion(weir_rtl_design *design, weir_rtl_module module) {
    const size_t errors = design->errors;
    const uint32_t body = design->module[module.id].body;
    walk w = {.design = design, .first = UINT32_MAX};
    uint32_t last = 0;
    for (uint32_t s = design->block[body].first; s; s = design->stmt[s].next) {
        const uint32_t function = design->stmt[s].a;
        if (design->stmt[s].kind != WEIR_RTL_STMT_FUNCTION) continue;
        w.first = function < w.first ? function : w.first;
        last = function > last ? function : last;
    }
    if (last == 0) return true;
    w.state = weir_calloc(last - w.first + 1, sizeof *w.state);
    for (uint32_t s = design->block[body].first; s; s = design->stmt[s].next)
        if (design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION) follow(&w, design->stmt[s].a);
    free(w.state);
    free(w.path);
    free(w.call);
    free(w.stack);
    return design->errors == errors;
}
