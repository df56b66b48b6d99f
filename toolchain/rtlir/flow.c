#include "rtlir/flow.h"

#include <stdlib.h>

#include "rtlir/internal.h"

/* ---- cases ---- */

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
