/* Text of expressions. A break mark is put where a line may be wrapped; statement printing turns marks into line ends
 * or drops them. */
#include <inttypes.h>
#include <stdlib.h>

#include "rtlir/core/print_private.h"

enum { HEX_CHUNK = 256 /* bits of one literal of a wide constant */ };

void rtl_print_string(const char *string, weir_text *text) {
    weir_text_char(text, '"');
    for (const unsigned char *c = (const unsigned char *)string; *c; c++) {
        if (*c == '"' || *c == '\\') weir_text_format(text, "\\%c", *c);
        else if (*c == '\n') weir_text_add(text, "\\n");
        else if (*c < 0x20 || *c >= 0x7f) weir_text_format(text, "\\%03o", *c);
        else weir_text_char(text, (char)*c);
    }
    weir_text_char(text, '"');
}

void rtl_print_integer(int64_t value, weir_text *text) {
    if (value > -INT64_C(0x80000000) && value <= INT64_C(0x7fffffff)) weir_text_format(text, "%" PRId64, value);
    else if (value == INT64_MIN) weir_text_add(text, "64'sh8000000000000000");
    else weir_text_format(text, "%s64'sd%" PRId64, value < 0 ? "-" : "", value < 0 ? -value : value);
}

/* ---- constants ---- */

/* Digits of bits [low, low + width), low being a multiple of 4. */
static void print_hex(rtl_writer *w, const uint64_t *words, uint32_t low, uint32_t width, bool is_signed) {
    rtl_put_number(w, width);
    rtl_put(w, is_signed ? "'sh" : "'h");
    for (uint32_t digit = (width + 3) / 4; digit-- > 0;)
        rtl_put_char(w, rtl_digit(words, low + width, low / 4 + digit, RTL_BASE_HEX));
}

static bool is_zero(const uint64_t *words, uint32_t width) {
    for (uint32_t i = 0; i < (width + 63) / 64; i++)
        if (words[i]) return false;
    return true;
}

static void put_comma(rtl_writer *w) {
    rtl_put_char(w, ',');
    rtl_put_char(w, RTL_BREAK);
}

static void print_wide(rtl_writer *w, const uint64_t *words, const rtl_expr *expr) {
    if (expr->base == RTL_BASE_NONE && is_zero(words, expr->width)) {
        rtl_put_number(w, expr->width);
        rtl_put(w, expr->is_signed ? "'sd0" : "'d0");
        return;
    }
    if (expr->width <= HEX_CHUNK) {
        print_hex(w, words, 0, expr->width, expr->is_signed);
        return;
    }
    rtl_put(w, expr->is_signed ? "$signed({" : "{");
    uint32_t width = expr->width % HEX_CHUNK ? expr->width % HEX_CHUNK : HEX_CHUNK;
    for (uint32_t high = expr->width; high > 0; high -= width, width = HEX_CHUNK) {
        if (high != expr->width) put_comma(w);
        print_hex(w, words, high - width, width, false);
        if (high == width) break;
    }
    rtl_put(w, expr->is_signed ? "})" : "}");
}

/* Has it a value that its decimal digits say? A negative one has none, which the text form reads without a sign. */
static bool is_plain_decimal(const rtl_expr *expr, const uint64_t *words) {
    bool fits = true;
    for (uint32_t i = 1; i < (expr->width + 63) / 64; i++) fits = fits && words[i] == 0;
    return fits && !(expr->is_signed && words[(expr->width - 1) / 64] >> ((expr->width - 1) % 64) & 1);
}

void rtl_append_based(weir_text *text, const rtl_expr *expr, const uint64_t *words) {
    const bool is_decimal = expr->base == RTL_BASE_DECIMAL && is_plain_decimal(expr, words);
    const rtl_base base = expr->base == RTL_BASE_NONE || expr->base == RTL_BASE_DECIMAL ? RTL_BASE_HEX : expr->base;
    const uint32_t bits = (uint32_t)rtl_base_bits(base);
    rtl_append_string(text, expr->is_signed ? "'s" : "'");
    rtl_append_char(text, is_decimal ? 'd' : base == RTL_BASE_BINARY ? 'b' : base == RTL_BASE_OCTAL ? 'o' : 'h');
    if (is_decimal) {
        rtl_append_number(text, words[0]);
        return;
    }
    uint32_t digit = (expr->width + bits - 1) / bits;
    while (digit > 1 && rtl_digit(words, expr->width, digit - 1, base) == '0') digit--;
    while (digit-- > 0) rtl_append_char(text, rtl_digit(words, expr->width, digit, base));
}

/* Is it printed with the digits that it is written with? A bit is written as one; decimal ones of up to 32 bits have a
 * minus where they are negative. */
static bool is_in_digits(const weir_rtl_design *design, const rtl_expr *expr) {
    if (expr->base == RTL_BASE_NONE || expr->width == 1 || expr->width > HEX_CHUNK) return false;
    return expr->base != RTL_BASE_DECIMAL || (expr->width > 32 && is_plain_decimal(expr, rtl_words_of(design, expr)));
}

/* As it is written, else decimal where a person would read it as a number: up to 32 bits. */
static void print_literal(rtl_writer *w, const rtl_expr *expr) {
    const uint64_t *words = rtl_words_of(w->design, expr);
    uint64_t value = words[0];
    if (is_in_digits(w->design, expr)) {
        rtl_put_number(w, expr->width);
        rtl_append_based(w->text, expr, words);
        return;
    }
    if (expr->width > 32) {
        print_wide(w, words, expr);
        return;
    }
    uint64_t sign = UINT64_C(1) << (expr->width - 1);
    if (expr->is_signed && value == sign) { /* its negation has no literal of this width */
        print_hex(w, words, 0, expr->width, true);
        return;
    }
    bool is_negative = expr->is_signed && (value & sign);
    if (is_negative) rtl_put_char(w, '-');
    rtl_put_number(w, expr->width);
    rtl_put(w, expr->is_signed ? "'sd" : expr->width == 1 ? "'b" : "'d");
    rtl_put_number(w, is_negative ? 2 * sign - value : value);
}

/* Its name, or in a message the formula that a local parameter stands for which nobody wrote. */
static void print_parameter(rtl_writer *w, uint32_t id, bool is_operand) {
    assert(id < w->design->parameter_count);
    const rtl_parameter *parameter = &w->design->parameter[id];
    if (w->is_message && parameter->is_made) rtl_print_formula(w, parameter->formula, is_operand);
    else rtl_put(w, parameter->name);
}

/* WIDTH'dVALUE, WIDTH'(PARAMETER). */
static void print_written(rtl_writer *w, const rtl_expr *expr, rtl_size width) {
    rtl_print_size(w, width, true);
    if (expr->b) {
        rtl_put(w, "'(");
        print_parameter(w, expr->b, false);
        rtl_put_char(w, ')');
    } else rtl_append_based(w->text, expr, rtl_words_of(w->design, expr));
}

/* The low bits of a parameter, or a number with as many leading zeros as the width needs. */
static void print_sized(rtl_writer *w, const rtl_expr *expr) {
    const rtl_size width = {expr->width, expr->formula};
    const uint64_t value = rtl_words_of(w->design, expr)[0];
    uint32_t bits = 0;
    while (bits < 64 && value >> bits) bits++;
    if (w->is_message) {
        print_written(w, expr, width);
        return;
    }
    rtl_put(w, expr->is_signed ? "$signed(" : "");
    if (expr->b) {
        rtl_put(w, w->design->parameter[expr->b].name);
        rtl_print_bounds(w, (rtl_size){0}, width);
    } else if (bits == 0) {
        rtl_put_char(w, '{');
        rtl_print_size(w, width, true);
        rtl_put(w, "{1'b0}}");
    } else {
        rtl_put(w, "{{");
        rtl_print_size(w, rtl_size_apply(w->design, WEIR_RTL_SUBTRACT, width, (rtl_size){.number = bits}), true);
        rtl_put(w, "{1'b0}}, ");
        print_literal(w, &(rtl_expr){.kind = WEIR_RTL_EXPR_CONSTANT, .width = bits, .base = expr->base, .a = expr->a});
        rtl_put_char(w, '}');
    }
    rtl_put(w, expr->is_signed ? ")" : "");
}

/* The text form takes the width from the other branch. */
static void print_high_z(rtl_writer *w, const rtl_expr *expr) {
    const rtl_size width = {expr->width, expr->formula};
    if (w->is_message) {
        rtl_put(w, "'z");
        return;
    }
    if (expr->formula) rtl_put_char(w, '{');
    rtl_print_size(w, width, true);
    rtl_put(w, expr->formula ? "{1'bz}}" : "'bz");
}

/* A member of an enum by its name. */
static void print_constant(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr expr = w->design->expr[id];
    if (expr.formula || expr.b) {
        print_sized(w, &expr);
        return;
    }
    uint32_t field = rtl_member_of(w->design, id);
    if (field) rtl_print_member(w, field);
    else print_literal(w, &w->design->expr[id]);
}

static bool prints_minus(const weir_rtl_design *design, const rtl_expr *expr) {
    if (expr->kind != WEIR_RTL_EXPR_CONSTANT || !expr->is_signed || expr->width > 32) return false;
    if (expr->formula || expr->b || is_in_digits(design, expr)) return false;
    uint64_t sign = UINT64_C(1) << (expr->width - 1);
    return (rtl_words_of(design, expr)[0] & sign) && rtl_words_of(design, expr)[0] != sign;
}

/* ---- formulas ---- */

static bool is_operation(const weir_rtl_design *design, uint32_t formula) {
    assert(formula < design->formula_count);
    const rtl_formula *f = &design->formula[formula];
    return f->kind == RTL_FORMULA_UNARY || f->kind == RTL_FORMULA_BINARY || f->kind == RTL_FORMULA_CONDITIONAL ||
           (f->kind == RTL_FORMULA_VALUE && f->value.integer < 0);
}

/* Recursion is bounded by the depth of formulas. Sums and products of the left operand need no parentheses. */
void rtl_print_formula(rtl_writer *w, uint32_t formula, bool is_operand) {
    assert(formula < w->design->formula_count);
    const rtl_formula f = w->design->formula[formula];
    const bool has_bracket = is_operand && is_operation(w->design, formula);
    rtl_put(w, has_bracket ? "(" : "");
    switch (f.kind) {
    case RTL_FORMULA_VALUE:
        if (f.value.kind == RTL_VALUE_STRING) rtl_print_string(f.value.text, w->text);
        else rtl_print_integer(f.value.integer, w->text);
        break;
    case RTL_FORMULA_PARAMETER: print_parameter(w, f.a, is_operand); break;
    case RTL_FORMULA_CLOG2:
        rtl_put(w, w->is_message ? "clog2(" : "$clog2(");
        rtl_print_formula(w, f.a, false);
        rtl_put_char(w, ')');
        break;
    case RTL_FORMULA_UNARY:
        rtl_put(w, rtl_operators[f.op].text);
        rtl_print_formula(w, f.a, true);
        break;
    case RTL_FORMULA_BINARY: {
        const rtl_formula *left = &w->design->formula[f.a];
        const int own = rtl_operators[f.op].precedence;
        const bool is_plain = own >= rtl_operators[WEIR_RTL_ADD].precedence && left->kind == RTL_FORMULA_BINARY &&
                              rtl_operators[left->op].precedence >= own;
        rtl_print_formula(w, f.a, !is_plain);
        rtl_put(w, w->is_message ? " " : "");
        rtl_put(w, rtl_operators[f.op].text);
        rtl_put(w, w->is_message ? " " : "");
        const rtl_formula *right = &w->design->formula[f.b];
        const bool binds = right->kind == RTL_FORMULA_BINARY && right->op == WEIR_RTL_MULTIPLY &&
                           own == rtl_operators[WEIR_RTL_ADD].precedence;
        rtl_print_formula(w, f.b, !binds);
        break;
    }
    case RTL_FORMULA_CONDITIONAL:
        rtl_print_formula(w, f.a, true);
        rtl_put(w, w->is_message ? " ? " : "?");
        rtl_print_formula(w, f.b, true);
        rtl_put(w, w->is_message ? " : " : ":");
        rtl_print_formula(w, f.c, true);
        break;
    }
    rtl_put(w, has_bracket ? ")" : "");
}

void rtl_print_size(rtl_writer *w, rtl_size size, bool is_operand) {
    if (size.formula) rtl_print_formula(w, size.formula, is_operand);
    else if (size.number < 0 && is_operand) weir_text_format(w->text, "(%lld)", (long long)size.number);
    else weir_text_format(w->text, "%lld", (long long)size.number);
}

void rtl_print_bounds(rtl_writer *w, rtl_size low, rtl_size width) {
    weir_rtl_design *design = w->design;
    const rtl_size above = rtl_size_apply(design, WEIR_RTL_ADD, low, width);
    rtl_put_char(w, '[');
    rtl_print_size(w, rtl_size_apply(design, WEIR_RTL_SUBTRACT, above, (rtl_size){.number = 1}), false);
    rtl_put_char(w, ':');
    rtl_print_size(w, low, false);
    rtl_put_char(w, ']');
}

/* [high:low], or [low] where the width is the number 1. */
static void print_range_of(rtl_writer *w, rtl_size low, rtl_size width) {
    if (low.formula || width.formula) {
        if (width.formula || width.number != 1) {
            rtl_print_bounds(w, low, width);
            return;
        }
        rtl_put_char(w, '[');
        rtl_print_size(w, low, false);
        rtl_put_char(w, ']');
        return;
    }
    rtl_put_range(w, (uint64_t)(low.number + width.number - 1), (uint64_t)low.number);
}

/* ---- parts of variables ---- */

static void print(rtl_writer *w, uint32_t id);

static void print_base(rtl_writer *w, const rtl_expr *expr) {
    if (expr->kind == WEIR_RTL_EXPR_VAR) {
        rtl_put_var(w, expr->a);
        return;
    }
    rtl_put(w, w->design->instance[expr->a].name);
    rtl_put_char(w, '.');
    rtl_put(w, w->design->var[expr->b].name);
}

/* What a part is in a flat vector: constant and computed contributions to its lowest bit. Outer parts come first. */
typedef struct flat_index {
    uint32_t index;
    rtl_size size; /* of a term its scale, of an element of a memory how many there are */
} flat_index;
typedef struct flat_indices {
    flat_index *at;
    size_t count, capacity;
} flat_indices;
typedef struct flat {
    flat_indices memory; /* elements of unpacked dimensions, outermost last */
    flat_indices term;
    rtl_size low, width;
    bool is_part, is_signed;
} flat;

static void append(flat_indices *list, uint32_t index, rtl_size size) {
    list->at = weir_grow(list->at, &list->capacity, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (flat_index){index, size};
}

static void add_index(weir_rtl_design *design, const rtl_expr *e, flat *f) {
    const rtl_expr *index = &design->expr[e->b];
    const rtl_size one = {.number = 1}, width = {e->width, e->formula};
    const rtl_size scale = e->kind == WEIR_RTL_EXPR_ELEMENT ? width : one;
    const bool is_constant =
        e->kind == WEIR_RTL_EXPR_ELEMENT && index->kind == WEIR_RTL_EXPR_CONSTANT && !index->formula && !index->b;
    if (is_constant) {
        const rtl_size at = {.number = (int64_t)rtl_words_of(design, index)[0]};
        f->low = rtl_size_apply(design, WEIR_RTL_ADD, f->low, rtl_size_apply(design, WEIR_RTL_MULTIPLY, at, scale));
    } else {
        append(&f->term, e->b, scale);
    }
}

/* The caller frees the lists of *f. */
static const rtl_expr *flatten(weir_rtl_design *design, uint32_t id, flat *f) {
    assert(id < design->expr_count);
    const rtl_expr *e = &design->expr[id];
    *f = (flat){.width = {e->width, e->formula}, .is_signed = e->is_signed};
    for (; rtl_is_part(e->kind); e = &design->expr[e->a]) {
        const rtl_type *type = &design->type[rtl_type_of(design, e->a)];
        if (e->kind == WEIR_RTL_EXPR_ELEMENT && type->kind == WEIR_RTL_TYPE_MEMORY) {
            append(&f->memory, e->b, (rtl_size){type->count, type->count_formula});
            continue;
        }
        f->is_part = true;
        if (e->kind == WEIR_RTL_EXPR_SLICE)
            f->low = rtl_size_apply(design, WEIR_RTL_ADD, f->low, (rtl_size){e->b, e->c});
        else if (e->kind == WEIR_RTL_EXPR_FIELD)
            f->low.number += type->width - design->field[e->b].above - design->field[e->b].shape.width;
        else add_index(design, e, f);
    }
    return e;
}

/* An index as 32 bits, so that sums and products of indices neither overflow nor make a linter ask for widths. */
static void print_index32(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr *e = &w->design->expr[id];
    if (e->formula) {
        const rtl_size width = {e->width, e->formula};
        rtl_put(w, "{{");
        rtl_print_size(w, rtl_size_apply(w->design, WEIR_RTL_SUBTRACT, (rtl_size){.number = 32}, width), true);
        rtl_put(w, "{1'b0}}, ");
        print(w, id);
        rtl_put_char(w, '}');
        return;
    }
    if (e->width < 32) {
        rtl_put_char(w, '{');
        rtl_put_number(w, 32 - e->width);
        rtl_put(w, "'d0, ");
        print(w, id);
        rtl_put_char(w, '}');
        return;
    }
    bool bare = e->kind == WEIR_RTL_EXPR_VAR;
    if (!bare) rtl_put_char(w, '(');
    print(w, id);
    if (!bare) rtl_put_char(w, ')');
}

/* An index of one of `count` elements, with as many bits as that needs, or with 32. */
static void print_index(rtl_writer *w, uint32_t id, rtl_size elements) {
    assert(id < w->design->expr_count);
    const rtl_expr *e = &w->design->expr[id];
    const uint32_t count = (uint32_t)elements.number, bits = rtl_index_bits(count);
    if (elements.formula && e->kind == WEIR_RTL_EXPR_CONSTANT && !e->formula && !e->b && e->width <= 32) {
        rtl_put_number(w, rtl_words_of(w->design, e)[0]);
        return;
    }
    if (elements.formula || e->formula) {
        const uint32_t needed =
            elements.formula
                ? rtl_formula_apply(w->design, (rtl_formula){.kind = RTL_FORMULA_CLOG2, .a = elements.formula})
                : rtl_number(w->design, bits);
        const bool fits = rtl_same_size(w->design, rtl_size_of(w->design, needed), rtl_width_of(w->design, id));
        if (fits || w->design->expr[id].width >= 32) print(w, id);
        else print_index32(w, id);
        return;
    }
    if (e->width == bits || e->width >= 32 || e->kind == WEIR_RTL_EXPR_CONSTANT) {
        print(w, id);
    } else if (e->width < bits) {
        rtl_put_char(w, '{');
        rtl_put_number(w, bits - e->width);
        rtl_put(w, bits - e->width == 1 ? "'b0, " : "'d0, ");
        print(w, id);
        rtl_put_char(w, '}');
    } else {
        print_index32(w, id);
    }
}

static bool is_power(uint32_t value, uint32_t *shift) {
    *shift = 0;
    while (*shift < 31 && UINT32_C(1) << *shift < value) ++*shift;
    return UINT32_C(1) << *shift == value;
}

static void print_start(rtl_writer *w, const flat *f, rtl_size whole) {
    uint32_t shift = 0;
    const flat_index *term = f->term.at;
    const rtl_expr *index = &w->design->expr[term->index];
    const rtl_size scale = term->size;
    const bool is_alone = f->term.count == 1 && !f->low.formula && f->low.number == 0;
    if (is_alone && !scale.formula && scale.number == 1) {
        print_index(w, term->index, whole);
        return;
    }
    bool is_shift =
        is_alone && !scale.formula && !whole.formula && !index->formula && is_power((uint32_t)scale.number, &shift);
    if (is_shift && index->width + shift == rtl_index_bits((uint32_t)whole.number)) {
        rtl_put_char(w, '{');
        print(w, term->index);
        rtl_put(w, ", ");
        rtl_put_number(w, shift);
        rtl_put(w, shift == 1 ? "'b0}" : "'d0}");
        return;
    }
    for (size_t i = f->term.count; i-- > 0;) {
        print_index32(w, term[i].index);
        const rtl_size by = term[i].size;
        if (by.formula || by.number > 1) {
            rtl_put(w, by.formula ? " * " : " * 32'd");
            rtl_print_size(w, by, true);
        }
        if (i > 0) rtl_put(w, " + ");
    }
    if (f->low.formula || f->low.number) {
        rtl_put(w, f->low.formula ? " + " : " + 32'd");
        rtl_print_size(w, f->low, true);
    }
}

/* A part of a flat vector; a signed one is cast where it is read, because Verilog's parts are unsigned. */
static void print_flat(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    flat f;
    const rtl_expr *base = flatten(w->design, id, &f);
    const rtl_size whole = {base->width, base->formula};
    bool casts = f.is_part && f.is_signed && !w->is_target;
    bool is_target = w->is_target;
    if (casts) rtl_put(w, "$signed(");
    print_base(w, base);
    w->is_target = false; /* indices are read */
    for (size_t i = f.memory.count; i-- > 0;) {
        rtl_put_char(w, '[');
        print_index(w, f.memory.at[i].index, f.memory.at[i].size);
        rtl_put_char(w, ']');
    }
    if (f.term.count > 0) {
        rtl_put_char(w, '[');
        print_start(w, &f, whole);
        if (f.width.formula || f.width.number > 1 || w->design->expr[id].kind == WEIR_RTL_EXPR_SLICE) {
            rtl_put(w, " +: ");
            rtl_print_size(w, f.width, false);
        }
        rtl_put_char(w, ']');
    } else if (f.is_part && (f.low.formula || f.low.number > 0 || !rtl_same_size(w->design, f.width, whole))) {
        print_range_of(w, f.low, f.width);
    }
    free(f.memory.at);
    free(f.term.at);
    w->is_target = is_target;
    if (casts) rtl_put_char(w, ')');
}

/* A number without a width became as wide as an index has to be. */
static void print_written_index(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr *index = &w->design->expr[id];
    const bool is_number = index->kind == WEIR_RTL_EXPR_CONSTANT && !index->is_signed && index->width <= 64 &&
                           index->base == RTL_BASE_NONE && !index->formula && !index->b && !index->c;
    if (is_number) rtl_put_number(w, rtl_words_of(w->design, index)[0]);
    else print(w, id);
}

/* The part as SystemVerilog says it. */
static void print_native(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr *e = &w->design->expr[id];
    if (!rtl_is_part(e->kind)) {
        print_base(w, e);
        return;
    }
    print_native(w, e->a);
    bool is_target = w->is_target;
    w->is_target = false;
    if (e->kind == WEIR_RTL_EXPR_FIELD) {
        rtl_put_char(w, '.');
        rtl_put(w, w->design->field[e->b].name);
    } else if (e->kind == WEIR_RTL_EXPR_SLICE) {
        print_range_of(w, (rtl_size){e->b, e->c}, (rtl_size){e->width, e->formula});
    } else {
        const rtl_type *type = &w->design->type[rtl_type_of(w->design, e->a)];
        rtl_put_char(w, '[');
        if (w->is_message) print_written_index(w, e->b);
        else
            print_index(w, e->b,
                        e->kind == WEIR_RTL_EXPR_ELEMENT ? (rtl_size){type->count, type->count_formula}
                                                         : rtl_width_of(w->design, e->a));
        if (e->kind == WEIR_RTL_EXPR_SELECT && (e->width > 1 || e->formula)) {
            rtl_put(w, " +: ");
            rtl_print_size(w, (rtl_size){e->width, e->formula}, false);
        }
        rtl_put_char(w, ']');
    }
    w->is_target = is_target;
}

static void print_part(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr *e = &w->design->expr[id];
    if (!rtl_is_system(w) && !w->is_message) {
        print_flat(w, id);
        return;
    }
    bool casts = e->kind == WEIR_RTL_EXPR_ELEMENT && e->is_signed && !w->is_target && !w->is_message;
    if (casts) rtl_put(w, "$signed(");
    print_native(w, id);
    if (casts) rtl_put_char(w, ')');
}

/* ---- operators ---- */

static int precedence_of(const weir_rtl_design *design, const rtl_expr *expr) {
    enum { CONDITIONAL = 1, PRIMARY = 20 };
    switch (expr->kind) {
    case WEIR_RTL_EXPR_UNARY:
    case WEIR_RTL_EXPR_BINARY: return rtl_operators[expr->op].precedence;
    case WEIR_RTL_EXPR_CONDITIONAL: return CONDITIONAL;
    case WEIR_RTL_EXPR_CAST: /* a cast of the kind only prints as its operand */
        if (design->expr[expr->a].is_signed == expr->is_signed) return precedence_of(design, &design->expr[expr->a]);
        return PRIMARY;
    default: return prints_minus(design, expr) ? rtl_operators[WEIR_RTL_NEGATE].precedence : PRIMARY;
    }
}

/* Operands keep their operators visible: parentheses unless the operand binds tighter than any operator, or chains the
 * same associative one on the left. */
static void print_operand(rtl_writer *w, uint32_t id, const rtl_expr *parent, bool is_left) {
    assert(id < w->design->expr_count);
    const rtl_expr *expr = &w->design->expr[id];
    int precedence = precedence_of(w->design, expr);
    bool is_sum = rtl_operators[parent->op].precedence == rtl_operators[WEIR_RTL_ADD].precedence;
    bool chains = is_left && expr->kind == WEIR_RTL_EXPR_BINARY && parent->kind == WEIR_RTL_EXPR_BINARY &&
                  (expr->op == parent->op || is_sum) && precedence == rtl_operators[parent->op].precedence;
    bool bare = precedence > rtl_operators[WEIR_RTL_NOT].precedence || chains;
    if (expr->kind == WEIR_RTL_EXPR_UNARY && parent->kind == WEIR_RTL_EXPR_BINARY)
        bare = expr->op == WEIR_RTL_NOT || expr->op == WEIR_RTL_LOGICAL_NOT;
    if (!bare) rtl_put_char(w, '(');
    print(w, id);
    if (!bare) rtl_put_char(w, ')');
}

static void print_operands(rtl_writer *w, const rtl_expr *expr, char open, char close) {
    rtl_put_char(w, open);
    for (uint32_t i = 0; i < expr->b; i++) {
        if (i) put_comma(w);
        print(w, w->design->operand[expr->a + i]);
    }
    rtl_put_char(w, close);
}

static void print_conditional(rtl_writer *w, const rtl_expr *expr) {
    const rtl_expr *condition = &w->design->expr[expr->a];
    bool bare = precedence_of(w->design, condition) > rtl_operators[WEIR_RTL_NOT].precedence;
    rtl_put(w, bare ? "" : "(");
    print(w, expr->a);
    rtl_put(w, bare ? " ?" : ") ?");
    rtl_put_char(w, RTL_BREAK);
    bool nested = w->design->expr[expr->b].kind == WEIR_RTL_EXPR_CONDITIONAL;
    rtl_put(w, nested ? "(" : "");
    print(w, expr->b);
    rtl_put(w, nested ? ") :" : " :");
    rtl_put_char(w, RTL_BREAK);
    print(w, expr->c);
}

static void print_cast(rtl_writer *w, const rtl_expr *expr) {
    const rtl_expr *value = &w->design->expr[expr->a];
    bool changes = value->is_signed != expr->is_signed;
    if (changes && !expr->is_signed && rtl_is_part(value->kind)) { /* a part as such has no sign */
        rtl_print_target(w, expr->a);
        return;
    }
    rtl_put(w, !changes ? "" : expr->is_signed ? "$signed(" : "$unsigned(");
    print(w, expr->a);
    rtl_put(w, changes ? ")" : "");
}

static void print_repeat(rtl_writer *w, const rtl_expr *expr) {
    bool is_list = w->design->expr[expr->a].kind == WEIR_RTL_EXPR_CONCAT;
    rtl_put_char(w, '{');
    rtl_print_size(w, (rtl_size){expr->b, expr->c}, true);
    if (!is_list) rtl_put_char(w, '{');
    print(w, expr->a);
    rtl_put(w, is_list ? "}" : "}}");
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static void print(rtl_writer *w, uint32_t id) {
    assert(id < w->design->expr_count);
    const rtl_expr *expr = &w->design->expr[id];
    switch (expr->kind) {
    case WEIR_RTL_EXPR_NONE: break;
    case WEIR_RTL_EXPR_CONSTANT: print_constant(w, id); break;
    case WEIR_RTL_EXPR_VAR:
    case WEIR_RTL_EXPR_PORT: print_base(w, expr); break;
    case WEIR_RTL_EXPR_PARAMETER: rtl_put(w, w->design->parameter[expr->a].name); break;
    case WEIR_RTL_EXPR_HIGH_Z: print_high_z(w, expr); break;
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT:
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD: print_part(w, id); break;
    case WEIR_RTL_EXPR_CALL:
        rtl_put(w, w->design->function[expr->c].name);
        if (expr->b == 0 && !rtl_is_system(w)) rtl_put(w, "(1'b0)"); /* see print_no_arguments */
        else print_operands(w, expr, '(', ')');
        break;
    case WEIR_RTL_EXPR_CONCAT: print_operands(w, expr, '{', '}'); break;
    case WEIR_RTL_EXPR_REPEAT: print_repeat(w, expr); break;
    case WEIR_RTL_EXPR_UNARY:
        rtl_put(w, rtl_operators[expr->op].text);
        print_operand(w, expr->a, expr, false);
        break;
    case WEIR_RTL_EXPR_BINARY:
        print_operand(w, expr->a, expr, true);
        rtl_put_char(w, ' ');
        rtl_put(w, rtl_operators[expr->op].text);
        rtl_put_char(w, RTL_BREAK);
        print_operand(w, expr->b, expr, false);
        break;
    case WEIR_RTL_EXPR_CONDITIONAL: print_conditional(w, expr); break;
    case WEIR_RTL_EXPR_CAST: print_cast(w, expr); break;
    }
}

void rtl_print_broken(rtl_writer *w, uint32_t expr) { print(w, expr); }

void rtl_print_target(rtl_writer *w, uint32_t expr) {
    w->is_target = true;
    print(w, expr);
    w->is_target = false;
}

void rtl_print_value(rtl_writer *w, uint32_t type, uint32_t expr) {
    assert(type < w->design->type_count);
    const rtl_type *to = &w->design->type[type];
    bool casts = rtl_is_system(w) && to->kind == WEIR_RTL_TYPE_ENUM && rtl_type_of(w->design, expr) != type;
    if (casts) {
        rtl_put_type_name(w, type);
        rtl_put(w, "'(");
    }
    print(w, expr);
    if (casts) rtl_put_char(w, ')');
}

static void print_alone(const weir_rtl_design *design, weir_rtl_expr expr, bool is_message, weir_text *text) {
    rtl_writer w = {.text = text, .module = rtl_expr_at(design, expr.id)->module, .is_message = is_message};
    memcpy(&w.design, &design, sizeof design); /* printing an expression changes nothing */
    size_t from = text->size;
    print(&w, expr.id);
    for (size_t i = from; i < text->size; i++)
        if (text->data[i] == RTL_BREAK) text->data[i] = ' ';
    free(w.scopes.id);
}

void weir_rtl_print_expr(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text) {
    print_alone(design, expr, false, text);
}

void weir_rtl_print_written(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text) {
    print_alone(design, expr, true, text);
}

void rtl_put_range(rtl_writer *w, uint64_t high, uint64_t low) {
    rtl_put_char(w, '[');
    rtl_put_number(w, high);
    if (high != low) {
        rtl_put_char(w, ':');
        rtl_put_number(w, low);
    }
    rtl_put_char(w, ']');
}

const char *rtl_describe_parameter(weir_rtl_design *design, uint32_t parameter) {
    weir_text text = {0};
    rtl_writer w = {.design = design, .text = &text, .is_message = true};
    print_parameter(&w, parameter, false);
    const char *result = weir_arena_format(design->arena, "%s", text.data);
    weir_text_free(&text);
    return result;
}

const char *rtl_describe(weir_rtl_design *design, uint32_t expr) {
    enum { LONGEST = 60 };
    weir_text text = {0};
    weir_rtl_print_written(design, (weir_rtl_expr){expr}, &text);
    bool is_long = text.size > LONGEST;
    const char *result = weir_arena_format(design->arena, "%.*s%s", is_long ? LONGEST : (int)text.size,
                                           text.data ? text.data : "", is_long ? "..." : "");
    weir_text_free(&text);
    return result;
}

void rtl_print_type(rtl_writer *w, uint32_t type, rtl_size width, bool is_signed) {
    assert(type < w->design->type_count);
    const rtl_type *record = &w->design->type[type];
    if (rtl_is_system(w) && record->name) return; /* its name replaces the type */
    if (is_signed) rtl_put(w, " signed");
    if (rtl_is_system(w) && record->kind == WEIR_RTL_TYPE_ARRAY) {
        const weir_rtl_shape element = record->element; /* the table of formulas may grow, that of types does not */
        rtl_put_char(w, ' ');
        rtl_print_bounds(w, (rtl_size){0}, (rtl_size){record->count, record->count_formula});
        rtl_print_type(w, element.type.id, (rtl_size){element.width, element.formula.id}, false);
        return;
    }
    if (width.number < 2 && !width.formula) return;
    rtl_put_char(w, ' ');
    rtl_print_bounds(w, (rtl_size){0}, width);
}
