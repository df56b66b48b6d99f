#include "passes/rtl/debug/debug_condition.h"

#include <string.h>

#include "rtlir/analysis/uses.h"
#include "rtlir/core/expr.h"
#include "rtlir/core/type.h"

enum { MOST_BITS = 62, SIGNAL_BITS = 32, MOST_CHOICES = 32, MOST_TEXT = 4000 };

typedef struct writer {
    const weir_rtl_design *design;
    weir_text *text;
    size_t start;
} writer;

/* Is it another number with other parameters, by its width or by which bits it is? Then it cannot be said once for all
 * instances; what only computes with parameters can. */
static bool is_open(const weir_rtl_expr_info *info) {
    const bool is_part = info->kind >= WEIR_RTL_EXPR_SLICE && info->kind <= WEIR_RTL_EXPR_FIELD;
    return info->formula.id != 0 || info->low_formula.id != 0 || info->repeat_formula.id != 0 ||
           (info->kind == WEIR_RTL_EXPR_CONSTANT && info->parameter.id != 0) || (is_part && info->has_parameter);
}

/* Writes bits of an expression as an unsigned number, in parentheses unless it is a name or a number. Recursion is
 * bounded by the depth of expressions. */
static bool put_bits(writer *w, weir_rtl_expr expr, uint32_t low, uint32_t width);

static uint64_t power(uint32_t bits) { return UINT64_C(1) << bits; }

static bool put(writer *w, const char *string) {
    weir_text_add(w->text, string);
    return w->text->size - w->start < MOST_TEXT;
}

static bool put_number(writer *w, uint64_t value) {
    weir_text_format(w->text, "%llu", (unsigned long long)value);
    return true;
}

static bool put_whole(writer *w, weir_rtl_expr expr) { return put_bits(w, expr, 0, weir_rtl_width(w->design, expr)); }

/* ---- variables and constants ---- */

static bool put_signal(writer *w, const char *name, uint32_t all, bool is_signed, uint32_t low, uint32_t width) {
    const bool is_plain = low == 0 && width == all && !is_signed && all < SIGNAL_BITS;
    if (low + width > SIGNAL_BITS) return false;
    if (is_plain) return put(w, name);
    put(w, low > 0 ? "((" : "(");
    put(w, name);
    put(w, " & ");
    put_number(w, power(low + width) - 1);
    if (low > 0) {
        put(w, ") / ");
        put_number(w, power(low));
    }
    return put(w, ")");
}

static bool put_var(writer *w, weir_rtl_var var, uint32_t low, uint32_t width) {
    const weir_rtl_var_info info = weir_rtl_get_var(w->design, var);
    const bool is_memory = info.type.id != 0 && weir_rtl_get_type(w->design, info.type).kind == WEIR_RTL_TYPE_MEMORY;
    if (info.is_iterator || info.is_path || info.function.id != 0 || is_memory || info.formula.id != 0) return false;
    return put_signal(w, info.name, info.width, info.is_signed, low, width);
}

/* A parameter is what it is, unless an instance sets it: the debugger looks names up among signals only. */
static bool put_parameter(writer *w, weir_rtl_parameter parameter, uint32_t low, uint32_t width) {
    const weir_rtl_parameter_info info = weir_rtl_get_parameter(w->design, parameter);
    bool is_set = !info.has_integer;
    for (weir_rtl_module m = weir_rtl_first_module(w->design); m.id != 0 && !is_set;
         m = weir_rtl_next_module(w->design, m))
        for (size_t i = 0; i < weir_rtl_get_module(w->design, m).instance_count && !is_set; i++) {
            const weir_rtl_instance instance = weir_rtl_instance_at(w->design, m, i);
            is_set = weir_rtl_get_instance(w->design, instance).module.id == info.module.id &&
                     weir_rtl_override_of(w->design, instance, parameter).is_set;
        }
    return !is_set && put_number(w, ((uint64_t)info.integer & UINT32_MAX) >> low & (power(width) - 1));
}

static bool put_constant(writer *w, const weir_rtl_expr_info *info, uint32_t low, uint32_t width) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++) value |= (info->words[(low + i) / 64] >> (low + i) % 64 & 1) << i;
    return put_number(w, value);
}

/* ---- what is made of several values ---- */

/* {a, b, ...} or {n{a}}: the sum of the parts, each shifted to its position. */
static bool put_list(writer *w, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    const size_t count = info->kind == WEIR_RTL_EXPR_REPEAT ? info->repeat : info->operand_count;
    uint32_t above = info->width;
    put(w, "(");
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_expr part = weir_rtl_operand(w->design, expr, info->kind == WEIR_RTL_EXPR_REPEAT ? 0 : i);
        above -= weir_rtl_width(w->design, part);
        if (i > 0) put(w, " + ");
        if (!put_whole(w, part)) return false;
        if (above > 0) {
            put(w, " * ");
            put_number(w, power(above));
        }
    }
    return put(w, ")");
}

/* A sum over what `choice` can be, of which one counts: ((choice == 0) * ... + (choice == 1) * ...). */
typedef bool put_choice(writer *w, weir_rtl_expr expr, uint32_t index, const void *user);

static bool put_choices(writer *w, weir_rtl_expr expr, weir_rtl_expr choice, uint32_t count, put_choice *one,
                        const void *user) {
    const uint32_t width = weir_rtl_width(w->design, choice);
    if (width < 32 && count > power(width)) count = (uint32_t)power(width);
    if (count > MOST_CHOICES) return false;
    put(w, "(");
    for (uint32_t i = 0; i < count; i++) {
        put(w, i > 0 ? " + (" : "(");
        if (!put_whole(w, choice)) return false;
        put(w, " == ");
        put_number(w, i);
        put(w, ") * ");
        if (!one(w, expr, i, user)) return false;
    }
    return put(w, ")");
}

typedef struct bit_range {
    uint32_t low, width;
} bit_range;

/* The bits of a part whose index is this: of what it is a part of. */
static bool put_indexed(writer *w, weir_rtl_expr expr, uint32_t index, const void *user) {
    const bit_range *range = user;
    const weir_rtl_expr_info info = weir_rtl_get_expr(w->design, expr);
    const uint32_t scale = info.kind == WEIR_RTL_EXPR_ELEMENT ? info.width : 1;
    const weir_rtl_expr whole = weir_rtl_operand(w->design, expr, 0);
    const uint32_t low = index * scale + range->low, all = weir_rtl_width(w->design, whole);
    if (low >= all) return put_number(w, 0);
    return put_bits(w, whole, low, low + range->width > all ? all - low : range->width);
}

static bool put_part(writer *w, weir_rtl_expr expr, const weir_rtl_expr_info *info, uint32_t low, uint32_t width) {
    const weir_rtl_bits bits = weir_rtl_bits_of(w->design, expr);
    if (info->kind == WEIR_RTL_EXPR_SLICE) {
        return put_bits(w, weir_rtl_operand(w->design, expr, 0), info->low + low, width);
    }
    if (!bits.is_computed) return put_bits(w, bits.base, bits.low + low, width);
    const weir_rtl_expr whole = weir_rtl_operand(w->design, expr, 0);
    const weir_rtl_type type = weir_rtl_type_of(w->design, whole);
    const bit_range range = {low, width};
    if (info->kind == WEIR_RTL_EXPR_FIELD) { /* of an element that is computed */
        const weir_rtl_type_info record = weir_rtl_get_type(w->design, type);
        for (uint32_t i = 0; i < record.count; i++) {
            const weir_rtl_field_info field = weir_rtl_field_at(w->design, type, i);
            if (strcmp(field.name, info->field) == 0) return put_bits(w, whole, field.low + low, width);
        }
        return false;
    }
    const bool is_element = info->kind == WEIR_RTL_EXPR_ELEMENT;
    if (is_element && weir_rtl_get_type(w->design, type).kind == WEIR_RTL_TYPE_MEMORY) return false;
    const uint32_t count = is_element ? weir_rtl_get_type(w->design, type).count : weir_rtl_width(w->design, whole);
    return put_choices(w, expr, weir_rtl_operand(w->design, expr, 1), count, put_indexed, &range);
}

/* ---- operators ---- */

/* The value of a number of two's complement. */
static bool put_signed(writer *w, weir_rtl_expr expr) {
    const uint32_t width = weir_rtl_width(w->design, expr);
    put(w, "((");
    if (!put_whole(w, expr)) return false;
    put(w, " ^ ");
    put_number(w, power(width - 1));
    put(w, ") - ");
    put_number(w, power(width - 1));
    return put(w, ")");
}

static bool put_number_of(writer *w, weir_rtl_expr expr, bool is_signed) {
    return is_signed ? put_signed(w, expr) : put_whole(w, expr);
}

static bool put_mask(writer *w, uint32_t width) {
    put(w, " & ");
    put_number(w, power(width) - 1);
    return put(w, ")");
}

/* The number of ones, whose lowest bit is their parity. */
static bool put_parity(writer *w, weir_rtl_expr value) {
    const uint32_t width = weir_rtl_width(w->design, value);
    put(w, "((");
    for (uint32_t i = 0; i < width; i++) {
        if (i > 0) put(w, " + ");
        if (!put_bits(w, value, i, 1)) return false;
    }
    put(w, ")");
    return put_mask(w, 1);
}

static bool put_unary(writer *w, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    const weir_rtl_expr value = weir_rtl_operand(w->design, expr, 0);
    const uint32_t width = weir_rtl_width(w->design, value);
    if (width > MOST_BITS - 1) return false;
    switch (info->op) {
    case WEIR_RTL_PLUS: return put_whole(w, value);
    case WEIR_RTL_NOT:
    case WEIR_RTL_NEGATE:
        put(w, info->op == WEIR_RTL_NEGATE ? "((" : "(");
        put_number(w, info->op == WEIR_RTL_NEGATE ? power(width) : power(width) - 1);
        put(w, " - ");
        if (!put_whole(w, value)) return false;
        put(w, ")");
        return info->op == WEIR_RTL_NOT || put_mask(w, width);
    case WEIR_RTL_REDUCE_XOR: return put_parity(w, value);
    default: break;
    }
    put(w, "(");
    if (!put_whole(w, value)) return false;
    put(w, info->op == WEIR_RTL_REDUCE_OR ? " != " : " == ");
    put_number(w, info->op == WEIR_RTL_REDUCE_AND ? power(width) - 1 : 0);
    return put(w, ")");
}

/* a op b, cut to the width of the result. */
static bool put_sum(writer *w, weir_rtl_expr a, const char *op, weir_rtl_expr b) {
    const uint32_t width = weir_rtl_width(w->design, a);
    put(w, "((");
    if (!put_whole(w, a) || !put(w, op) || !put_whole(w, b)) return false;
    put(w, ")");
    return put_mask(w, width);
}

static bool put_plain(writer *w, weir_rtl_expr a, const char *op, weir_rtl_expr b, bool is_signed) {
    put(w, "(");
    return put_number_of(w, a, is_signed) && put(w, op) && put_number_of(w, b, is_signed) && put(w, ")");
}

/* Division by zero gives unknown bits, which are no condition: 0. */
static bool put_quotient(writer *w, weir_rtl_expr a, const char *op, weir_rtl_expr b, bool is_signed) {
    const uint32_t width = weir_rtl_width(w->design, a);
    put(w, "((");
    if (!put_whole(w, b)) return false;
    put(w, " != 0) * ((");
    if (!put_number_of(w, a, is_signed)) return false;
    put(w, op);
    put(w, "(");
    if (!put_number_of(w, b, is_signed)) return false;
    put(w, " + (");
    if (!put_whole(w, b)) return false;
    put(w, " == 0)))");
    put_mask(w, width);
    return put(w, ")");
}

/* The left operand shifted by a number of bits. */
static bool put_shifted(writer *w, weir_rtl_expr expr, uint32_t shift, const void *user) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(w->design, expr);
    const weir_rtl_expr value = weir_rtl_operand(w->design, expr, 0);
    const bool fills = info.op == WEIR_RTL_SHIFT_RIGHT_ARITHMETIC && info.is_signed;
    const uint32_t width = info.width, left = shift < width ? width - shift : 0;
    (void)user;
    put(w, "(");
    if (left == 0) put_number(w, 0);
    else if (!put_bits(w, value, info.op == WEIR_RTL_SHIFT_LEFT ? 0 : shift, left)) return false;
    if (info.op == WEIR_RTL_SHIFT_LEFT && left > 0) {
        put(w, " * ");
        put_number(w, power(shift));
    }
    if (fills) {
        put(w, " + ");
        if (!put_bits(w, value, width - 1, 1)) return false;
        put(w, " * ");
        put_number(w, power(width) - power(left));
    }
    return put(w, ")");
}

/* By more bits than the value has, only the sign is left. */
static bool put_shift(writer *w, weir_rtl_expr expr) {
    const weir_rtl_expr by = weir_rtl_operand(w->design, expr, 1);
    const weir_rtl_expr_info info = weir_rtl_get_expr(w->design, by), whole = weir_rtl_get_expr(w->design, expr);
    const uint32_t count = whole.width;
    if (info.kind == WEIR_RTL_EXPR_CONSTANT) {
        const uint64_t shift = info.width > 64 || info.words[0] > count ? count : info.words[0];
        return put_shifted(w, expr, (uint32_t)shift, NULL);
    }
    put(w, "(");
    if (!put_choices(w, expr, by, count, put_shifted, NULL)) return false;
    if (info.width >= 32 || power(info.width) > count) {
        put(w, " + (");
        if (!put_whole(w, by)) return false;
        put(w, " >= ");
        put_number(w, count);
        put(w, ") * ");
        if (!put_shifted(w, expr, count, NULL)) return false;
    }
    return put(w, ")");
}

static bool put_binary(writer *w, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    static const char *const texts[WEIR_RTL_OPERATOR_COUNT] = {
        [WEIR_RTL_ADD] = " + ",         [WEIR_RTL_SUBTRACT] = " - ",   [WEIR_RTL_MULTIPLY] = " * ",
        [WEIR_RTL_DIVIDE] = " / ",      [WEIR_RTL_MODULO] = " % ",     [WEIR_RTL_LESS] = " < ",
        [WEIR_RTL_LESS_EQUAL] = " <= ", [WEIR_RTL_GREATER] = " > ",    [WEIR_RTL_GREATER_EQUAL] = " >= ",
        [WEIR_RTL_EQUAL] = " == ",      [WEIR_RTL_NOT_EQUAL] = " != ", [WEIR_RTL_AND] = " & ",
        [WEIR_RTL_XOR] = " ^ ",         [WEIR_RTL_OR] = " | ",         [WEIR_RTL_LOGICAL_AND] = " && ",
        [WEIR_RTL_LOGICAL_OR] = " || "};
    const weir_rtl_expr a = weir_rtl_operand(w->design, expr, 0), b = weir_rtl_operand(w->design, expr, 1);
    const uint32_t width = weir_rtl_width(w->design, a);
    const bool is_signed = weir_rtl_get_expr(w->design, a).is_signed;
    switch (info->op) {
    case WEIR_RTL_SHIFT_LEFT:
    case WEIR_RTL_SHIFT_RIGHT:
    case WEIR_RTL_SHIFT_RIGHT_ARITHMETIC: return width < MOST_BITS && put_shift(w, expr);
    case WEIR_RTL_MULTIPLY: return width <= MOST_BITS / 2 && put_sum(w, a, texts[info->op], b);
    case WEIR_RTL_ADD:
    case WEIR_RTL_SUBTRACT: return width < MOST_BITS && put_sum(w, a, texts[info->op], b);
    case WEIR_RTL_DIVIDE:
    case WEIR_RTL_MODULO: return width < MOST_BITS && put_quotient(w, a, texts[info->op], b, is_signed);
    case WEIR_RTL_LESS:
    case WEIR_RTL_LESS_EQUAL:
    case WEIR_RTL_GREATER:
    case WEIR_RTL_GREATER_EQUAL: return width < MOST_BITS && put_plain(w, a, texts[info->op], b, is_signed);
    default: return texts[info->op] != NULL && put_plain(w, a, texts[info->op], b, false);
    }
}

static bool put_conditional(writer *w, weir_rtl_expr expr) {
    const weir_rtl_expr condition = weir_rtl_operand(w->design, expr, 0);
    put(w, "((");
    if (!put_whole(w, condition)) return false;
    put(w, " != 0) * ");
    if (!put_whole(w, weir_rtl_operand(w->design, expr, 1))) return false;
    put(w, " + (");
    if (!put_whole(w, condition)) return false;
    put(w, " == 0) * ");
    return put_whole(w, weir_rtl_operand(w->design, expr, 2)) && put(w, ")");
}

/* ---- expressions ---- */

static bool put_expr(writer *w, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    switch (info->kind) {
    case WEIR_RTL_EXPR_CONCAT:
    case WEIR_RTL_EXPR_REPEAT: return put_list(w, expr, info);
    case WEIR_RTL_EXPR_UNARY: return put_unary(w, expr, info);
    case WEIR_RTL_EXPR_BINARY: return put_binary(w, expr, info);
    case WEIR_RTL_EXPR_CONDITIONAL: return put_conditional(w, expr);
    default: return false;
    }
}

static bool put_bits(writer *w, weir_rtl_expr expr, uint32_t low, uint32_t width) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(w->design, expr);
    if (width > MOST_BITS || w->text->size - w->start >= MOST_TEXT || is_open(&info)) return false;
    switch (info.kind) {
    case WEIR_RTL_EXPR_CONSTANT: return put_constant(w, &info, low, width);
    case WEIR_RTL_EXPR_VAR: return put_var(w, info.var, low, width);
    case WEIR_RTL_EXPR_PARAMETER: return put_parameter(w, info.parameter, low, width);
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT:
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD: return put_part(w, expr, &info, low, width);
    case WEIR_RTL_EXPR_CAST: return put_bits(w, weir_rtl_operand(w->design, expr, 0), low, width);
    default: break;
    }
    if (info.width > MOST_BITS) return false;
    if (low == 0 && width == info.width) return put_expr(w, expr, &info);
    put(w, "((");
    if (!put_expr(w, expr, &info)) return false;
    put(w, " / ");
    put_number(w, power(low));
    put(w, ")");
    return put_mask(w, width);
}

bool weir_debug_value(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text) {
    writer w = {.design = design, .text = text, .start = text->size};
    weir_text_add(text, "");
    if (put_whole(&w, expr)) return true;
    text->size = w.start;
    text->data[text->size] = '\0';
    return false;
}
