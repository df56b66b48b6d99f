/* check_unreachable: warns of what a condition written as a constant leaves out: the branch of an if that is never
 * taken, and the items of a case over a constant that have other labels. What depends on a parameter is no constant.
 * Cost: linear. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/checks/check.h"
#include "passes/rtl/inner.h"

typedef enum verdict { UNKNOWN, NEVER, ALWAYS } verdict;

static verdict of_bit(bool bit) { return bit ? ALWAYS : NEVER; }

static bool is_literal(const weir_rtl_expr_info *info) {
    return info->kind == WEIR_RTL_EXPR_CONSTANT && !info->has_parameter && info->formula.id == 0;
}

static verdict known_bit(const weir_rtl_design *design, weir_rtl_expr condition);

/* Either operand may decide it: `dominant` does, whatever the other one is. */
static verdict known_pair(const weir_rtl_design *design, weir_rtl_expr condition, verdict dominant) {
    const verdict left = known_bit(design, weir_rtl_operand(design, condition, 0));
    const verdict right = known_bit(design, weir_rtl_operand(design, condition, 1));
    if (left == dominant || right == dominant) return dominant;
    return left == right ? left : UNKNOWN;
}

static verdict known_equality(const weir_rtl_design *design, weir_rtl_expr condition) {
    const weir_rtl_expr left = weir_rtl_operand(design, condition, 0), right = weir_rtl_operand(design, condition, 1);
    const weir_rtl_expr_info a = weir_rtl_get_expr(design, left), b = weir_rtl_get_expr(design, right);
    if (!is_literal(&a) || !is_literal(&b)) return UNKNOWN;
    return of_bit(memcmp(a.words, b.words, (a.width + 63) / 64 * sizeof *a.words) == 0);
}

static verdict opposite(verdict v) { return v == UNKNOWN ? UNKNOWN : of_bit(v == NEVER); }

/* What one bit is, whatever the variables are. Recursion is bounded by the depth of expressions. */
static verdict known_bit(const weir_rtl_design *design, weir_rtl_expr condition) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, condition);
    if (info.width != 1) return UNKNOWN;
    if (is_literal(&info)) return of_bit(info.words[0] & 1);
    if (info.kind == WEIR_RTL_EXPR_CAST) return known_bit(design, weir_rtl_operand(design, condition, 0));
    const bool is_unary = info.kind == WEIR_RTL_EXPR_UNARY;
    if (!is_unary && info.kind != WEIR_RTL_EXPR_BINARY) return UNKNOWN;
    switch (info.op) {
    case WEIR_RTL_NOT:
    case WEIR_RTL_LOGICAL_NOT: return opposite(known_bit(design, weir_rtl_operand(design, condition, 0)));
    case WEIR_RTL_AND:
    case WEIR_RTL_LOGICAL_AND: return known_pair(design, condition, NEVER);
    case WEIR_RTL_OR:
    case WEIR_RTL_LOGICAL_OR: return known_pair(design, condition, ALWAYS);
    case WEIR_RTL_EQUAL: return known_equality(design, condition);
    case WEIR_RTL_NOT_EQUAL: return opposite(known_equality(design, condition));
    default: return UNKNOWN;
    }
}

/* An empty block leaves nothing out. */
static bool is_empty(const weir_rtl_design *design, weir_rtl_block block) {
    return block.id == 0 || weir_rtl_first(design, block).id == 0;
}

static void warn(const weir_rtl_design *design, weir_rtl_stmt at, const char *what, weir_rtl_expr value,
                 const char *why) {
    weir_text text = {NULL, 0, 0};
    weir_rtl_print_written(design, value, &text);
    weir_warning(weir_location_of_stmt(design, at), "%s is never reached: %s '%s'", what, why, text.data);
    weir_text_free(&text);
}

static void check_if(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    const verdict v = known_bit(design, info->value);
    if (v == NEVER && !is_empty(design, info->body))
        warn(design, stmt, "what is inside", info->value, "the condition is always 0,");
    if (v == ALWAYS && !is_empty(design, info->other))
        warn(design, weir_rtl_first(design, info->other), "this", info->value, "the condition is always 1,");
}

/* Of labels that repeat an earlier one remove_empty_block says so. */
static void check_case(const weir_rtl_design *design, const weir_rtl_stmt_info *info) {
    const weir_rtl_expr_info value = weir_rtl_get_expr(design, info->value);
    weir_rtl_stmt fallback = {0};
    bool is_met = false;
    if (!is_literal(&value)) return;
    for (weir_rtl_stmt i = weir_rtl_first(design, info->body); i.id != 0; i = weir_rtl_next(design, i)) {
        const weir_rtl_stmt_info item = weir_rtl_get_stmt(design, i);
        if (item.value.id == 0) {
            fallback = i;
            continue;
        }
        const bool is_it = memcmp(weir_rtl_get_expr(design, item.value).words, value.words,
                                  (value.width + 63) / 64 * sizeof *value.words) == 0;
        is_met = is_met || is_it;
        if (!is_it && !is_empty(design, item.body))
            warn(design, i, "this item", info->value, "the value of the case is always");
    }
    if (is_met && fallback.id != 0 && !is_empty(design, weir_rtl_get_stmt(design, fallback).body))
        warn(design, fallback, "this default", info->value, "the value of the case is always");
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    (void)user;
    for (weir_rtl_stmt p = weir_rtl_first_part(design, module); p.id != 0; p = weir_rtl_next_part(design, p)) {
        if (weir_rtl_kind_of(design, p) == WEIR_RTL_STMT_FOR) continue; /* what it holds are parts too */
        for (weir_rtl_stmt s = weir_rtl_inside(design, p, p); s.id != 0; s = weir_rtl_inside(design, s, p)) {
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
            if (info.kind == WEIR_RTL_STMT_IF) check_if(design, s, &info);
            if (info.kind == WEIR_RTL_STMT_CASE) check_case(design, &info);
        }
    }
    return 0;
}

bool weir_pass_check_unreachable(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return weir_check_modules(context, design, check_module, NULL);
}
