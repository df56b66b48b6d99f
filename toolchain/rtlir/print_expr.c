/* Text of expressions. A break mark stands where a line may be wrapped; statement printing turns marks into line ends
 * or drops them. */
#include <inttypes.h>
#include <string.h>

#include "rtlir/internal.h"
#include "rtlir/print.h"
#include "rtlir/printer.h"

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

/* Digits of bits [low, low + width), low being a multiple of 4. */
static void print_hex(const uint64_t *words, uint32_t low, uint32_t width, bool is_signed, weir_text *text) {
    weir_text_format(text, "%u'%sh", (unsigned)width, is_signed ? "s" : "");
    for (uint32_t digit = (width + 3) / 4; digit-- > 0;) {
        uint32_t bit = low + digit * 4;
        weir_text_char(text, "0123456789abcdef"[words[bit / 64] >> (bit % 64) & 15]);
    }
}

static bool is_zero(const uint64_t *words, uint32_t width) {
    for (uint32_t i = 0; i < (width + 63) / 64; i++)
        if (words[i]) return false;
    return true;
}

static void print_wide(const uint64_t *words, const rtl_expr *expr, weir_text *text) {
    if (is_zero(words, expr->width)) {
        weir_text_format(text, "%u'%sd0", (unsigned)expr->width, expr->is_signed ? "s" : "");
        return;
    }
    if (expr->width <= HEX_CHUNK) {
        print_hex(words, 0, expr->width, expr->is_signed, text);
        return;
    }
    weir_text_add(text, expr->is_signed ? "$signed({" : "{");
    uint32_t width = expr->width % HEX_CHUNK ? expr->width % HEX_CHUNK : HEX_CHUNK;
    for (uint32_t high = expr->width; high > 0; high -= width, width = HEX_CHUNK) {
        if (high != expr->width) {
            weir_text_char(text, ',');
            weir_text_char(text, RTL_BREAK);
        }
        print_hex(words, high - width, width, false, text);
        if (high == width) break;
    }
    weir_text_add(text, expr->is_signed ? "})" : "}");
}

/* Decimal where a person would read it as a number: up to 32 bits. */
static void print_constant(const weir_rtl_design *design, const rtl_expr *expr, weir_text *text) {
    const uint64_t *words = design->word + expr->a;
    unsigned width = (unsigned)expr->width;
    if (width > 32) {
        print_wide(words, expr, text);
    } else if (!expr->is_signed) {
        weir_text_format(text, width == 1 ? "%u'b%" PRIu64 : "%u'd%" PRIu64, width, words[0]);
    } else {
        uint64_t sign = UINT64_C(1) << (width - 1);
        if (words[0] == sign) print_hex(words, 0, width, true, text); /* its negation has no literal of this width */
        else if (words[0] & sign) weir_text_format(text, "-%u'sd%" PRIu64, width, 2 * sign - words[0]);
        else weir_text_format(text, "%u'sd%" PRIu64, width, words[0]);
    }
}

static bool prints_minus(const weir_rtl_design *design, const rtl_expr *expr) {
    if (expr->kind != WEIR_RTL_EXPR_CONSTANT || !expr->is_signed || expr->width > 32) return false;
    uint64_t sign = UINT64_C(1) << (expr->width - 1);
    return (design->word[expr->a] & sign) && design->word[expr->a] != sign;
}

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

static void print(const weir_rtl_design *design, uint32_t id, weir_text *text);

/* Operands keep their operators visible: parentheses unless the operand binds tighter than any operator, or chains the
 * same associative one on the left. */
static void print_operand(const weir_rtl_design *design, uint32_t id, const rtl_expr *parent, bool is_left,
                          weir_text *text) {
    const rtl_expr *expr = &design->expr[id];
    int precedence = precedence_of(design, expr);
    bool is_sum = rtl_operators[parent->op].precedence == rtl_operators[WEIR_RTL_ADD].precedence;
    bool chains = is_left && expr->kind == WEIR_RTL_EXPR_BINARY && parent->kind == WEIR_RTL_EXPR_BINARY &&
                  (expr->op == parent->op || is_sum) && precedence == rtl_operators[parent->op].precedence;
    bool bare = precedence > rtl_operators[WEIR_RTL_NOT].precedence || chains;
    if (expr->kind == WEIR_RTL_EXPR_UNARY && parent->kind == WEIR_RTL_EXPR_BINARY)
        bare = expr->op == WEIR_RTL_NOT || expr->op == WEIR_RTL_LOGICAL_NOT;
    if (!bare) weir_text_char(text, '(');
    print(design, id, text);
    if (!bare) weir_text_char(text, ')');
}

static void print_operands(const weir_rtl_design *design, const rtl_expr *expr, char open, char close,
                           weir_text *text) {
    weir_text_char(text, open);
    for (uint32_t i = 0; i < expr->b; i++) {
        if (i) {
            weir_text_char(text, ',');
            weir_text_char(text, RTL_BREAK);
        }
        print(design, design->operand[expr->a + i], text);
    }
    weir_text_char(text, close);
}

static void print_conditional(const weir_rtl_design *design, const rtl_expr *expr, weir_text *text) {
    const rtl_expr *condition = &design->expr[expr->a];
    bool bare = precedence_of(design, condition) > rtl_operators[WEIR_RTL_NOT].precedence;
    weir_text_add(text, bare ? "" : "(");
    print(design, expr->a, text);
    weir_text_add(text, bare ? " ?" : ") ?");
    weir_text_char(text, RTL_BREAK);
    bool nested = design->expr[expr->b].kind == WEIR_RTL_EXPR_CONDITIONAL;
    weir_text_add(text, nested ? "(" : "");
    print(design, expr->b, text);
    weir_text_add(text, nested ? ") :" : " :");
    weir_text_char(text, RTL_BREAK);
    print(design, expr->c, text);
}

static void print_part(const weir_rtl_design *design, const rtl_expr *expr, weir_text *text) {
    print(design, expr->a, text);
    if (expr->kind == WEIR_RTL_EXPR_SLICE) {
        if (expr->width == 1) weir_text_format(text, "[%u]", (unsigned)expr->b);
        else weir_text_format(text, "[%u:%u]", (unsigned)(expr->b + expr->width - 1), (unsigned)expr->b);
        return;
    }
    weir_text_char(text, '[');
    print(design, expr->b, text);
    if (expr->width > 1) weir_text_format(text, " +: %u", (unsigned)expr->width);
    weir_text_char(text, ']');
}

static void print_cast(const weir_rtl_design *design, const rtl_expr *expr, weir_text *text) {
    bool changes = design->expr[expr->a].is_signed != expr->is_signed;
    weir_text_add(text, !changes ? "" : expr->is_signed ? "$signed(" : "$unsigned(");
    print(design, expr->a, text);
    weir_text_add(text, changes ? ")" : "");
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static void print(const weir_rtl_design *design, uint32_t id, weir_text *text) {
    const rtl_expr *expr = &design->expr[id];
    switch (expr->kind) {
    case WEIR_RTL_EXPR_NONE: break;
    case WEIR_RTL_EXPR_CONSTANT: print_constant(design, expr, text); break;
    case WEIR_RTL_EXPR_VAR: weir_text_add(text, design->var[expr->a].name); break;
    case WEIR_RTL_EXPR_PORT:
        weir_text_format(text, "%s.%s", design->instance[expr->a].name, design->var[expr->b].name);
        break;
    case WEIR_RTL_EXPR_PARAMETER: weir_text_add(text, design->parameter[expr->a].name); break;
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT: print_part(design, expr, text); break;
    case WEIR_RTL_EXPR_ELEMENT:
        print(design, expr->a, text);
        weir_text_char(text, '[');
        print(design, expr->b, text);
        weir_text_char(text, ']');
        break;
    case WEIR_RTL_EXPR_FIELD:
        print(design, expr->a, text);
        weir_text_format(text, ".%s", design->field[expr->b].name);
        break;
    case WEIR_RTL_EXPR_CALL:
        weir_text_add(text, design->function[expr->c].name);
        print_operands(design, expr, '(', ')', text);
        break;
    case WEIR_RTL_EXPR_CONCAT: print_operands(design, expr, '{', '}', text); break;
    case WEIR_RTL_EXPR_REPEAT: {
        bool is_list = design->expr[expr->a].kind == WEIR_RTL_EXPR_CONCAT;
        weir_text_format(text, "{%u%s", (unsigned)expr->b, is_list ? "" : "{");
        print(design, expr->a, text);
        weir_text_add(text, is_list ? "}" : "}}");
        break;
    }
    case WEIR_RTL_EXPR_UNARY:
        weir_text_add(text, rtl_operators[expr->op].text);
        print_operand(design, expr->a, expr, false, text);
        break;
    case WEIR_RTL_EXPR_BINARY:
        print_operand(design, expr->a, expr, true, text);
        weir_text_format(text, " %s%c", rtl_operators[expr->op].text, RTL_BREAK);
        print_operand(design, expr->b, expr, false, text);
        break;
    case WEIR_RTL_EXPR_CONDITIONAL: print_conditional(design, expr, text); break;
    case WEIR_RTL_EXPR_CAST: print_cast(design, expr, text); break;
    }
}

void rtl_print_broken(const weir_rtl_design *design, uint32_t expr, weir_text *text) { print(design, expr, text); }

void weir_rtl_print_expr(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text) {
    size_t from = text->size;
    print(design, expr.id, text);
    for (size_t i = from; i < text->size; i++)
        if (text->data[i] == RTL_BREAK) text->data[i] = ' ';
}
