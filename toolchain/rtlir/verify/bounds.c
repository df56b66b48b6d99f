/* Loops that run beyond what an index in them names: `for i < 5 { y[i] = ... }` of four elements. Every iteration is
 * looked at; what an if, a case or a conditional about iterators keeps from running there may name what it likes. */
#include <stdlib.h>

#include "rtlir/analysis/bit_range_private.h"
#include "rtlir/core/private.h"
#include "rtlir/verify/verify.h"

/* What is known of a condition in an iteration. */
typedef enum truth { UNKNOWN, FALSE, TRUE } truth;

/* Of a statement: not looked at, nothing in it has an index that moves, something has, it was reported. */
enum { NEW, STILL, MOVING, REPORTED };

typedef struct bounds {
    weir_rtl_design *design;
    rtl_unroll walk;
    unsigned char *state; /* by statement, from `first` on */
    uint32_t first;
    uint32_t *stack;
    size_t stack_capacity;
} bounds;

/* ---- what is known ---- */

static truth negate(truth value) { return value == UNKNOWN ? UNKNOWN : value == TRUE ? FALSE : TRUE; }

static truth compare(const bounds *b, const rtl_expr *e) {
    int64_t x = 0, y = 0;
    const rtl_expr *left = &b->design->expr[e->a];
    if (left->width >= 64 || !rtl_index_value(b->design, &b->walk, e->a, &x) ||
        !rtl_index_value(b->design, &b->walk, e->b, &y))
        return UNKNOWN;
    switch (e->op) {
    case WEIR_RTL_LESS: return x < y ? TRUE : FALSE;
    case WEIR_RTL_LESS_EQUAL: return x <= y ? TRUE : FALSE;
    case WEIR_RTL_GREATER: return x > y ? TRUE : FALSE;
    case WEIR_RTL_GREATER_EQUAL: return x >= y ? TRUE : FALSE;
    case WEIR_RTL_EQUAL: return x == y ? TRUE : FALSE;
    case WEIR_RTL_NOT_EQUAL: return x != y ? TRUE : FALSE;
    default: return UNKNOWN;
    }
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static truth truth_of(const bounds *b, uint32_t expr) {
    assert(expr < b->design->expr_count);
    const rtl_expr *e = &b->design->expr[expr];
    int64_t value = 0;
    if (e->kind == WEIR_RTL_EXPR_CAST) return truth_of(b, e->a);
    if (e->kind == WEIR_RTL_EXPR_UNARY && (e->op == WEIR_RTL_LOGICAL_NOT || (e->op == WEIR_RTL_NOT && e->width == 1)))
        return negate(truth_of(b, e->a));
    if (e->kind == WEIR_RTL_EXPR_BINARY && e->width == 1) {
        const bool is_and = e->op == WEIR_RTL_LOGICAL_AND || e->op == WEIR_RTL_AND;
        if (is_and || e->op == WEIR_RTL_LOGICAL_OR || e->op == WEIR_RTL_OR) {
            const truth x = truth_of(b, e->a), y = truth_of(b, e->b), rules = is_and ? FALSE : TRUE;
            return x == rules || y == rules ? rules : x == y ? x : UNKNOWN;
        }
        return compare(b, e);
    }
    if (!rtl_index_value(b->design, &b->walk, expr, &value)) return UNKNOWN;
    return value != 0 ? TRUE : FALSE;
}

/* Is the item of a case another one than that of the value? */
static bool is_other_item(const bounds *b, uint32_t choice, uint32_t item) {
    const weir_rtl_design *design = b->design;
    int64_t value = 0, label = 0;
    if (!rtl_index_value(design, &b->walk, design->stmt[choice].a, &value)) return false;
    if (design->stmt[item].a) return rtl_index_value(design, &b->walk, design->stmt[item].a, &label) && label != value;
    for (uint32_t i = design->block[design->stmt[choice].body].first; i; i = design->stmt[i].next)
        if (design->stmt[i].a && rtl_index_value(design, &b->walk, design->stmt[i].a, &label) && label == value)
            return true;
    return false;
}

/* Is it known that the statement runs in this iteration of the loop? */
static bool runs(const bounds *b, uint32_t stmt, uint32_t loop) {
    const weir_rtl_design *design = b->design;
    for (uint32_t inner = stmt, owner; (owner = design->block[design->stmt[inner].block].owner) != loop;
         inner = owner) {
        const rtl_stmt *around = &design->stmt[owner];
        if (around->kind != WEIR_RTL_STMT_IF) return false;
        if (truth_of(b, around->a) != (design->stmt[inner].block == around->body ? TRUE : FALSE)) return false;
    }
    return true;
}

/* Has the loop of the turn surely ended before this iteration is over: does a break or a return run in it, or in one
 * before? */
static bool has_ended(bounds *b, rtl_turn *turn) {
    const weir_rtl_design *design = b->design;
    const rtl_loop *loop = &design->loop[design->stmt[turn->stmt].a];
    const int64_t now = turn->value;
    bool ended = false;
    for (uint32_t s = rtl_walk_next(design, turn->stmt, turn->stmt); s && !ended;
         s = rtl_walk_next(design, s, turn->stmt)) {
        if (design->stmt[s].kind != WEIR_RTL_STMT_BREAK && design->stmt[s].kind != WEIR_RTL_STMT_RETURN) continue;
        for (turn->value = loop->start; !ended; turn->value += loop->step) {
            ended = runs(b, s, turn->stmt);
            if (turn->value == now) break;
        }
    }
    turn->value = now;
    return ended;
}

/* Does something around the statement keep it from running in this iteration? */
static bool is_passed_over(bounds *b, uint32_t stmt) {
    const weir_rtl_design *design = b->design;
    for (uint32_t inner = stmt, owner; (owner = design->block[design->stmt[inner].block].owner) != 0; inner = owner) {
        const rtl_stmt *around = &design->stmt[owner];
        if (around->kind == WEIR_RTL_STMT_IF) {
            const truth takes = truth_of(b, around->a);
            if (takes == UNKNOWN && design->expr[around->a].has_parameter) return true; /* an instance may say so */
            if (takes == (design->stmt[inner].block == around->body ? FALSE : TRUE)) return true;
        } else if (around->kind == WEIR_RTL_STMT_CASE && is_other_item(b, owner, inner)) {
            return true;
        }
    }
    for (size_t i = 0; i < b->walk.depth; i++)
        if (has_ended(b, &b->walk.turn[i])) return true;
    return false;
}

/* ---- indices ---- */

static void report(bounds *b, uint32_t part, int64_t index, int64_t last) {
    const weir_rtl_design *design = b->design;
    const rtl_stmt *stmt = &design->stmt[b->walk.stmt];
    weir_text turns = {0};
    for (size_t i = 0; i < b->walk.depth; i++)
        weir_text_format(&turns, "%s'%s' is %lld", i == 0 ? "" : " and ", design->var[b->walk.turn[i].iterator].name,
                         (long long)b->walk.turn[i].value);
    rtl_error(b->design,
              stmt->kind == WEIR_RTL_STMT_INSTANCE ? rtl_location_of(design, &design->instance[stmt->a].common)
                                                   : rtl_location_of(design, &stmt->common),
              "'%s' in module '%s' is out of range: the index is %lld when %s, expected 0 to %lld",
              rtl_describe(b->design, part), design->module[design->expr[part].module].name, (long long)index,
              turns.data, (long long)last);
    weir_text_free(&turns);
}

/* Looks at the index of a part; true when it moves with an iterator. */
static bool check_part(bounds *b, uint32_t id, bool *is_wrong) {
    const weir_rtl_design *design = b->design;
    const rtl_expr *e = &design->expr[id];
    int64_t index = 0;
    if (design->expr[e->b].kind == WEIR_RTL_EXPR_CONSTANT || !rtl_index_value(design, &b->walk, e->b, &index))
        return false;
    const int64_t last = e->kind == WEIR_RTL_EXPR_ELEMENT ? (int64_t)design->type[rtl_type_of(design, e->a)].count - 1
                                                          : (int64_t)design->expr[e->a].width - (int64_t)e->width;
    *is_wrong = (index < 0 || index > last) && !is_passed_over(b, b->walk.stmt);
    if (*is_wrong) report(b, id, index, last);
    return true;
}

/* The branches of a conditional that may be taken. */
static size_t push_conditional(bounds *b, const rtl_expr *e, size_t depth) {
    const truth takes = truth_of(b, e->a);
    b->stack[depth++] = e->a;
    if (takes == UNKNOWN && b->design->expr[e->a].has_parameter) return depth;
    if (takes != FALSE) b->stack[depth++] = e->b;
    if (takes != TRUE) b->stack[depth++] = e->c;
    return depth;
}

static void check_expr(bounds *b, uint32_t expr, unsigned char *state) {
    size_t depth = 0;
    if (!expr || expr == RTL_OPEN) return;
    b->stack = weir_grow(b->stack, &b->stack_capacity, 1, sizeof *b->stack);
    b->stack[depth++] = expr;
    while (depth > 0 && *state != REPORTED) {
        const weir_rtl_expr id = {b->stack[--depth]};
        const rtl_expr *e = &b->design->expr[id.id];
        bool is_wrong = false;
        const bool has_index = e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT;
        if (has_index && check_part(b, id.id, &is_wrong)) *state = is_wrong ? REPORTED : MOVING;
        size_t count = weir_rtl_get_expr(b->design, id).operand_count;
        b->stack = weir_grow(b->stack, &b->stack_capacity, depth + count + 3, sizeof *b->stack);
        if (e->kind == WEIR_RTL_EXPR_CONDITIONAL) {
            *state = *state == NEW ? MOVING : *state; /* another branch may be taken in the next iteration */
            depth = push_conditional(b, e, depth);
            continue;
        }
        while (count-- > 0) b->stack[depth++] = weir_rtl_operand(b->design, id, count).id;
    }
}

/* ---- statements ---- */

static void check_stmt(bounds *b) {
    const weir_rtl_design *design = b->design;
    const uint32_t stmt = b->walk.stmt;
    unsigned char *state = &b->state[stmt - b->first];
    if (b->walk.depth == 0 || *state == STILL || *state == REPORTED) return;
    for (size_t i = 0; rtl_stmt_slot(design, stmt, i); i++) check_expr(b, *rtl_stmt_slot(design, stmt, i), state);
    if (design->stmt[stmt].kind == WEIR_RTL_STMT_INSTANCE) {
        const rtl_instance *instance = &design->instance[design->stmt[stmt].a];
        for (uint32_t i = 0; i < instance->connection_count; i++) check_expr(b, instance->connection[i], state);
    }
    if (*state == NEW) *state = STILL;
}

/* The function's statements; the walk continues with what follows it. */
static void check_function(bounds *b, uint32_t function) {
    assert(function < b->design->stmt_count);
    const uint32_t first = b->design->block[b->design->stmt[function].body].first;
    if (!first) return;
    b->walk.design = b->design;
    b->walk.weight = 1;
    b->walk.depth = b->walk.body_depth = 0;
    for (b->walk.stmt = first; b->walk.stmt && rtl_root_stmt(b->design, b->walk.stmt) == function;
         rtl_unroll_next(&b->walk))
        check_stmt(b);
}

bool weir_rtl_check_bounds(weir_rtl_design *design, weir_rtl_module module) {
    const size_t errors = design->errors;
    const uint32_t body = design->module[module.id].body;
    bounds b = {.design = design, .first = UINT32_MAX};
    uint32_t last = 0;
    bool has_loop = false;
    for (uint32_t s = design->block[body].first; s; s = design->stmt[s].next)
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) {
            has_loop = has_loop || design->stmt[i].kind == WEIR_RTL_STMT_FOR;
            b.first = i < b.first ? i : b.first;
            last = i > last ? i : last;
        }
    if (!has_loop) return true;
    b.state = weir_calloc(last - b.first + 1, sizeof *b.state);
    rtl_unroll_start(&b.walk, design, module.id);
    for (; b.walk.stmt; rtl_unroll_next(&b.walk)) check_stmt(&b);
    for (uint32_t s = design->block[body].first; s; s = design->stmt[s].next)
        if (design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION) check_function(&b, s);
    rtl_unroll_end(&b.walk);
    free(b.state);
    free(b.stack);
    return design->errors == errors;
}
