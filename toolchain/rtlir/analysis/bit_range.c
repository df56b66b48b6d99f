/* The bits of a variable or a port that a part of it is. */
#include "rtlir/analysis/bit_range_private.h"

#include "support/text/unreachable.h"

static int64_t cut(uint64_t value, uint32_t width, bool is_signed) {
    uint32_t above = 64 - width;
    if (above == 0) return (int64_t)value;
    value <<= above;
    return is_signed ? (int64_t)value >> above : (int64_t)(value >> above);
}

static bool compute(weir_rtl_operator op, int64_t a, int64_t b, int64_t *value) {
    switch (op) {
    case WEIR_RTL_PLUS: *value = a; return true;
    case WEIR_RTL_NEGATE: *value = (int64_t)(0 - (uint64_t)a); return true;
    case WEIR_RTL_NOT: *value = ~a; return true;
    case WEIR_RTL_ADD: *value = (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case WEIR_RTL_SUBTRACT: *value = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case WEIR_RTL_MULTIPLY: *value = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    case WEIR_RTL_AND: *value = a & b; return true;
    case WEIR_RTL_OR: *value = a | b; return true;
    case WEIR_RTL_XOR: *value = a ^ b; return true;
    case WEIR_RTL_SHIFT_LEFT: *value = b < 64 ? (int64_t)((uint64_t)a << b) : 0; return b >= 0;
    default: return false;
    }
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
bool rtl_index_value(const weir_rtl_design *design, const rtl_unroll *unroll, uint32_t expr, int64_t *value) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    int64_t a = 0, b = 0;
    if (e->width > 64) return false;
    switch (e->kind) {
    case WEIR_RTL_EXPR_PARAMETER: /* by default: other values are looked at in specialised modules */
        *value = design->parameter[e->a].value.integer;
        return true;
    case WEIR_RTL_EXPR_CONSTANT: *value = cut(rtl_words_of(design, e)[0], e->width, e->is_signed); return true;
    case WEIR_RTL_EXPR_VAR:
        for (size_t i = unroll ? unroll->depth : 0; i-- > 0;) {
            if (unroll->turn[i].iterator != e->a) continue;
            *value = unroll->turn[i].value;
            return unroll->turn[i].is_known;
        }
        return false;
    case WEIR_RTL_EXPR_SLICE:
        if (!rtl_index_value(design, unroll, e->a, &a) || e->b >= 64) return false;
        *value = cut((uint64_t)a >> e->b, e->width, false);
        return true;
    case WEIR_RTL_EXPR_CAST:
        if (!rtl_index_value(design, unroll, e->a, &a)) return false;
        *value = cut((uint64_t)a, e->width, e->is_signed);
        return true;
    case WEIR_RTL_EXPR_UNARY:
    case WEIR_RTL_EXPR_BINARY:
        if (!rtl_index_value(design, unroll, e->a, &a)) return false;
        if (e->kind == WEIR_RTL_EXPR_BINARY && !rtl_index_value(design, unroll, e->b, &b)) return false;
        if (!compute(e->op, a, b, value)) return false;
        *value = cut((uint64_t)*value, e->width, e->is_signed);
        return true;
    default: return false;
    }
}

/* One step outwards: from bits of a part to bits of what it is a part of. */
static void step_out(const weir_rtl_design *design, const rtl_unroll *unroll, const rtl_expr *e, rtl_bit_range *range) {
    const rtl_expr *whole = &design->expr[e->a];
    int64_t index = 0, low = 0;
    bool is_known = true;
    switch (e->kind) {
    case WEIR_RTL_EXPR_SLICE: low = e->b; break;
    case WEIR_RTL_EXPR_FIELD:
        low =
            design->type[rtl_type_of(design, e->a)].width - design->field[e->b].above - design->field[e->b].shape.width;
        break;
    case WEIR_RTL_EXPR_SELECT:
        is_known = rtl_index_value(design, unroll, e->b, &index);
        low = index;
        break;
    case WEIR_RTL_EXPR_ELEMENT:
        if (design->type[rtl_type_of(design, e->a)].kind == WEIR_RTL_TYPE_MEMORY) {
            range->low = 0;
            range->width = whole->width;
            range->is_computed = true;
            return;
        }
        is_known = rtl_index_value(design, unroll, e->b, &index) && index < INT32_MAX && index > INT32_MIN;
        low = is_known ? index * (int64_t)e->width : 0;
        break;
    default: weir_unreachable("an expression that is not part of another");
    }
    if (!is_known) {
        range->low = 0;
        range->width = whole->width;
        range->is_computed = true;
        return;
    }
    int64_t from = low + range->low, end = from + range->width;
    if (from < 0) from = 0;
    if (end > whole->width) end = whole->width;
    range->low = from < end ? (uint32_t)from : 0;
    range->width = from < end ? (uint32_t)(end - from) : 0; /* an iterator that runs too far names nothing */
}

static rtl_bit_range locate(const weir_rtl_design *design, const rtl_unroll *unroll, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    rtl_bit_range range = {.base = expr, .width = e->width};
    while (rtl_is_part(e->kind)) {
        step_out(design, unroll, e, &range);
        range.base = e->a;
        e = &design->expr[e->a];
    }
    return range;
}

rtl_bit_range rtl_locate(const weir_rtl_design *design, uint32_t expr) { return locate(design, NULL, expr); }

rtl_bit_range rtl_locate_now(const rtl_unroll *unroll, uint32_t expr) { return locate(unroll->design, unroll, expr); }
