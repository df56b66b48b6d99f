/* What the parameters of a module have to be for its widths to be widths: at least one bit, slices inside of what they
 * are slices of, equal where operands and both sides of assignments must be. What holds whatever the parameters are,
 * within their bounds, is left out. Linear in the module. */
#include <stdlib.h>

#include "rtlir/core/private.h"
#include "rtlir/verify/requirements_private.h"

typedef struct collector {
    weir_rtl_design *design;
    rtl_requirement *list;
    size_t count, capacity;
    bool *seen; /* by expression */
    uint32_t *stack;
    size_t depth, stack_capacity;
} collector;

/* ---- proofs ---- */

typedef struct interval {
    int64_t low, high;
    bool is_known;
} interval;

static interval of_product(interval a, interval b) {
    const int64_t x[2] = {a.low, a.high}, y[2] = {b.low, b.high};
    interval result = {INT64_MAX, INT64_MIN, a.is_known && b.is_known};
    for (int i = 0; result.is_known && i < 4; i++) {
        int64_t value;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &value)) result.is_known = false;
        if (value < result.low) result.low = value;
        if (value > result.high) result.high = value;
    }
    return result;
}

static int64_t clog2(int64_t value) {
    int64_t bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < value) bits++;
    return bits;
}

/* The values that a formula may have within the bounds of the parameters. Recursion is bounded by its depth. */
static interval bounds_of(const weir_rtl_design *design, uint32_t formula) {
    assert(formula < design->formula_count);
    const rtl_formula *f = &design->formula[formula];
    const interval unknown = {0, 0, false};
    if (f->kind == RTL_FORMULA_VALUE) return (interval){f->value.integer, f->value.integer, f->has_number};
    if (f->kind == RTL_FORMULA_PARAMETER) {
        const rtl_parameter *p = &design->parameter[f->a];
        if (p->is_local && p->deep && p->deep != formula) return bounds_of(design, p->deep);
        return (interval){p->low, p->high, p->is_bounded};
    }
    interval a = bounds_of(design, f->a);
    if (!a.is_known) return unknown;
    if (f->kind == RTL_FORMULA_CLOG2) return (interval){clog2(a.low), clog2(a.high), a.low >= 0};
    if (f->kind != RTL_FORMULA_BINARY) return unknown;
    interval b = bounds_of(design, f->b);
    if (!b.is_known) return unknown;
    if (f->op == WEIR_RTL_MULTIPLY) return of_product(a, b);
    if (f->op == WEIR_RTL_DIVIDE && a.low >= 0 && b.low > 0) return (interval){a.low / b.high, a.high / b.low, true};
    if (f->op == WEIR_RTL_SUBTRACT) b = (interval){-b.high, -b.low, b.low > INT64_MIN};
    else if (f->op != WEIR_RTL_ADD) return unknown;
    if (!b.is_known || __builtin_add_overflow(a.low, b.low, &a.low) || __builtin_add_overflow(a.high, b.high, &a.high))
        return unknown;
    return a;
}

/* ---- requirements ---- */

static void require(collector *c, rtl_size size, bool is_zero) {
    const uint32_t formula = size.formula;
    int64_t number;
    if (!formula || rtl_formula_number(c->design, rtl_deep_formula(c->design, formula), &number)) return;
    const interval bounds = bounds_of(c->design, rtl_deep_formula(c->design, formula));
    if (!is_zero && bounds.is_known && bounds.low >= 0) return;
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].formula == formula && c->list[i].is_zero == is_zero) return;
    c->list = weir_grow(c->list, &c->capacity, c->count + 1, sizeof *c->list);
    c->list[c->count++] = (rtl_requirement){formula, is_zero};
}

static rtl_size minus(collector *c, rtl_size a, rtl_size b) {
    return rtl_size_apply(c->design, WEIR_RTL_SUBTRACT, a, b);
}

static void require_least(collector *c, rtl_size size, int64_t least) {
    require(c, minus(c, size, (rtl_size){.number = least}), false);
}

static void require_equal(collector *c, rtl_size a, rtl_size b) {
    if (!rtl_same_size(c->design, a, b)) require(c, minus(c, a, b), true);
}

static void require_type(collector *c, uint32_t type) {
    assert(type < c->design->type_count);
    for (; c->design->type[type].kind >= WEIR_RTL_TYPE_ARRAY; type = c->design->type[type].element.type.id) {
        const rtl_type *record = &c->design->type[type];
        const rtl_size count = {record->count, record->count_formula};
        const rtl_size width = {record->element.width, record->element.formula.id};
        require_least(c, count, 1);
        require_least(c, width, 1);
    }
}

static void require_constant(collector *c, const rtl_expr *e) {
    const rtl_size width = {e->width, e->formula};
    const uint64_t value = rtl_words_of(c->design, e)[0];
    int64_t bits = 1;
    if (e->b) {
        const rtl_formula shift = {.kind = RTL_FORMULA_BINARY,
                                   .op = WEIR_RTL_SHIFT_RIGHT,
                                   .a = rtl_of_parameter(c->design, e->b),
                                   .b = width.formula ? width.formula : rtl_number(c->design, width.number)};
        require(c, rtl_size_of(c->design, rtl_formula_apply(c->design, shift)), true);
        require(c, minus(c, (rtl_size){.number = 32}, width), false);
    }
    while (!e->b && bits < 64 && value >> bits) bits++;
    require_least(c, width, bits);
}

static void require_expr(collector *c, const rtl_expr *e) {
    const rtl_size width = {e->width, e->formula};
    switch (e->kind) {
    case WEIR_RTL_EXPR_CONSTANT:
        if (e->formula || e->b) require_constant(c, e);
        break;
    case WEIR_RTL_EXPR_SLICE: {
        const rtl_size low = {e->b, e->c};
        require_least(c, low, 0);
        require_least(c, width, 1);
        require_least(c, minus(c, minus(c, rtl_width_of(c->design, e->a), low), width), 0);
        break;
    }
    case WEIR_RTL_EXPR_SELECT:
        require_least(c, width, 1);
        require_least(c, minus(c, rtl_width_of(c->design, e->a), width), 0);
        break;
    case WEIR_RTL_EXPR_REPEAT: require_least(c, (rtl_size){e->b, e->c}, 1); break;
    case WEIR_RTL_EXPR_BINARY:
        if (rtl_operators[e->op].rule == RTL_SAME || rtl_operators[e->op].rule == RTL_COMPARE)
            require_equal(c, rtl_width_of(c->design, e->a), rtl_width_of(c->design, e->b));
        else if (rtl_operators[e->op].rule == RTL_LOGICAL) {
            require_equal(c, rtl_width_of(c->design, e->a), (rtl_size){.number = 1});
            require_equal(c, rtl_width_of(c->design, e->b), (rtl_size){.number = 1});
        }
        break;
    case WEIR_RTL_EXPR_CONDITIONAL:
        require_equal(c, rtl_width_of(c->design, e->a), (rtl_size){.number = 1});
        require_equal(c, rtl_width_of(c->design, e->b), rtl_width_of(c->design, e->c));
        break;
    default: break;
    }
}

static void push(collector *c, uint32_t expr) {
    if (!expr || expr == RTL_OPEN || c->seen[expr]) return;
    c->seen[expr] = true;
    c->stack = weir_grow(c->stack, &c->stack_capacity, c->depth + 1, sizeof *c->stack);
    c->stack[c->depth++] = expr;
}

static void require_tree(collector *c, uint32_t expr) {
    push(c, expr);
    while (c->depth > 0) {
        const weir_rtl_expr e = {c->stack[--c->depth]};
        const rtl_expr record = c->design->expr[e.id];
        if (!record.has_parameter) continue;
        require_expr(c, &record);
        const size_t count = weir_rtl_get_expr(c->design, e).operand_count;
        for (size_t i = 0; i < count; i++) push(c, weir_rtl_operand(c->design, e, i).id);
    }
}

static void require_instance(collector *c, uint32_t id) {
    const rtl_instance *instance = &c->design->instance[id];
    const rtl_ids *ports = &c->design->module[instance->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const uint32_t slot = c->design->var[ports->id[i]].slot;
        const uint32_t expr = slot < instance->connection_count ? instance->connection[slot] : 0;
        rtl_size width;
        if (!expr || expr == RTL_OPEN) continue;
        require_tree(c, expr);
        if (rtl_port_size(c->design, id, ports->id[i], &width)) require_equal(c, width, rtl_width_of(c->design, expr));
    }
}

static void require_stmt(collector *c, uint32_t id) {
    const weir_rtl_design *design = c->design;
    const rtl_stmt stmt = design->stmt[id];
    for (size_t i = 0; rtl_stmt_slot(design, id, i); i++) require_tree(c, *rtl_stmt_slot(design, id, i));
    if (stmt.kind == WEIR_RTL_STMT_ASSIGN) require_equal(c, rtl_width_of(design, stmt.a), rtl_width_of(design, stmt.b));
    if (stmt.kind == WEIR_RTL_STMT_IF) require_equal(c, rtl_width_of(design, stmt.a), (rtl_size){.number = 1});
    if (stmt.kind == WEIR_RTL_STMT_CASE_ITEM && stmt.a)
        require_equal(c, rtl_width_of(design, stmt.a),
                      rtl_width_of(design, design->stmt[design->block[stmt.block].owner].a));
    if (stmt.kind == WEIR_RTL_STMT_INSTANCE) require_instance(c, stmt.a);
}

rtl_requirement *rtl_requirements(weir_rtl_design *design, uint32_t module, size_t *count) {
    assert(module < design->module_count);
    collector c = {.design = design};
    const rtl_module *record = &design->module[module];
    *count = 0;
    if (!record->is_parametrised) return NULL;
    c.seen = weir_calloc(design->expr_count, sizeof *c.seen);
    for (uint32_t v = record->first_var; v; v = design->var[v].next) {
        require_least(&c, (rtl_size){design->var[v].width, design->var[v].formula}, 1);
        require_type(&c, design->var[v].type);
    }
    for (uint32_t s = design->block[record->body].first; s; s = design->stmt[s].next)
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) require_stmt(&c, i);
    free(c.seen);
    free(c.stack);
    *count = c.count;
    return c.list;
}
