/* Properties of branches: full cases, and conditions that are resets. */
#include "rtlir/analysis/branch.h"

#include <stdlib.h>

#include "rtlir/core/private.h"

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and takes repeated ones away; returns how many are left. */
static size_t sort_values(uint64_t *values, size_t count) {
    size_t kept = 0;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1]) values[kept++] = values[i];
    return kept;
}

/* Is the value of every member among the sorted labels? */
static bool has_members(const weir_rtl_design *design, const rtl_type *type, const uint64_t *labels, size_t count) {
    uint64_t *values = weir_malloc((type->count + (size_t)1) * sizeof *values);
    size_t members = 0, found = 0;
    for (uint32_t f = type->first; f; f = design->field[f].next) values[members++] = design->field[f].value;
    members = sort_values(values, members);
    for (size_t i = 0; i < count && found < members; i++) found += labels[i] == values[found];
    free(values);
    return members > 0 && found == members;
}

bool weir_rtl_case_is_full(const weir_rtl_design *design, weir_rtl_stmt branch) {
    const rtl_stmt *stmt = &design->stmt[branch.id];
    const rtl_type *type = &design->type[rtl_type_of(design, stmt->a)];
    uint32_t width = design->expr[stmt->a].width;
    size_t count = 0;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next, count++)
        if (!design->stmt[i].a) return true;
    bool is_enum = type->kind == WEIR_RTL_TYPE_ENUM;
    if (width > 64 || (!is_enum && (width > 32 || count < UINT64_C(1) << width))) return false;
    uint64_t *labels = weir_malloc((count + 1) * sizeof *labels);
    count = 0;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next)
        labels[count++] = design->word[design->expr[design->stmt[i].a].a];
    count = sort_values(labels, count);
    bool full = (width <= 32 && count == UINT64_C(1) << width) || (is_enum && has_members(design, type, labels, count));
    free(labels);
    return full;
}

/* The operand of a negation, or of a comparison with a constant bit, 0 for others; *is_high says which way round. */
static uint32_t inner_test(const weir_rtl_design *design, const rtl_expr *e, bool *is_high) {
    if (e->kind == WEIR_RTL_EXPR_CAST) return e->a;
    if (e->kind == WEIR_RTL_EXPR_UNARY && (e->op == WEIR_RTL_NOT || e->op == WEIR_RTL_LOGICAL_NOT)) {
        *is_high = !*is_high;
        return e->a;
    }
    if (e->kind != WEIR_RTL_EXPR_BINARY || (e->op != WEIR_RTL_EQUAL && e->op != WEIR_RTL_NOT_EQUAL)) return 0;
    const rtl_expr *other = &design->expr[e->b];
    if (other->kind != WEIR_RTL_EXPR_CONSTANT || other->width != 1) return 0;
    if ((rtl_words_of(design, other)[0] == 1) != (e->op == WEIR_RTL_EQUAL)) *is_high = !*is_high;
    return e->a;
}

weir_rtl_reset_test weir_rtl_tested_reset(const weir_rtl_design *design, weir_rtl_expr condition) {
    weir_rtl_reset_test test = {.is_high = true};
    uint32_t expr = condition.id;
    while (expr && design->expr[expr].kind != WEIR_RTL_EXPR_VAR)
        expr = inner_test(design, &design->expr[expr], &test.is_high);
    if (!expr) return test;
    weir_rtl_kind kind = rtl_var_of(design, &design->expr[expr])->kind;
    if (kind == WEIR_RTL_RESET || kind == WEIR_RTL_ASYNC_RESET) test.reset.id = design->expr[expr].a;
    return test;
}

weir_rtl_stmt weir_rtl_first_effect(const weir_rtl_design *design, weir_rtl_block block) {
    uint32_t s = design->block[block.id].first;
    while (s && (design->stmt[s].kind == WEIR_RTL_STMT_COMMENT || design->stmt[s].kind == WEIR_RTL_STMT_ASSERT))
        s = design->stmt[s].next;
    return (weir_rtl_stmt){s};
}
