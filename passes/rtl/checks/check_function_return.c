/* check_function_return: a function returns on every path, nothing follows a return or a break, and none
 * calls itself. The
 * statements of a function are looked at from the last one to the first, so what is inside a statement is known before
 * it; cost: linear. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/branch.h"
#include "rtlir/verify/verify.h"
#include "support/memory/arena.h"

/* What is certain of a block: control does not reach its end; it has returned by then. */
enum { LEAVES = 1, RETURNS = 2, BOTH = LEAVES | RETURNS, OTHER = 2 /* bits that an else is above */ };

typedef struct returning {
    weir_rtl_design *design;
    unsigned char *ends; /* by statement: what is certain of its block, and above that of its else */
    weir_rtl_stmt *order;
    size_t capacity;
} returning;

/* Every item of the case returns, or leaves. */
static unsigned items_end(const returning *r, weir_rtl_stmt branch) {
    unsigned ends = weir_rtl_case_is_full(r->design, branch) ? BOTH : 0;
    weir_rtl_stmt s = weir_rtl_first(r->design, weir_rtl_get_stmt(r->design, branch).body);
    for (; s.id != 0; s = weir_rtl_next(r->design, s)) ends &= r->ends[s.id];
    return ends;
}

static unsigned stmt_ends(const returning *r, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    const unsigned body = r->ends[stmt.id] & BOTH;
    switch (info->kind) {
    case WEIR_RTL_STMT_RETURN: return BOTH;
    case WEIR_RTL_STMT_BREAK: return LEAVES;
    case WEIR_RTL_STMT_IF: return body & (r->ends[stmt.id] >> OTHER);
    case WEIR_RTL_STMT_CASE: return items_end(r, stmt);
    case WEIR_RTL_STMT_FOR: {
        const bool runs = info->step > 0 ? info->start < info->end : info->start > info->end;
        return runs && (body & RETURNS) ? BOTH : 0;
    }
    default: return 0;
    }
}

/* Notes what the statement means for its block; returns 1 when something after it is never reached. */
static size_t note_ends(returning *r, weir_rtl_stmt stmt, const char *function) {
    weir_rtl_design *design = r->design;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (info.kind == WEIR_RTL_STMT_CASE_ITEM) return 0;
    const unsigned ends = stmt_ends(r, stmt, &info);
    const weir_rtl_stmt owner = weir_rtl_owner(design, info.block), next = weir_rtl_next(design, stmt);
    const bool is_other = weir_rtl_get_stmt(design, owner).other.id == info.block.id;
    r->ends[owner.id] |= (unsigned char)(ends << (is_other ? OTHER : 0));
    if (!(ends & LEAVES) || next.id == 0) return 0;
    weir_error(weir_location_of_stmt(design, next), "function '%s' never reaches this statement", function);
    weir_note_at(weir_location_of_stmt(design, stmt), "every path before it returns");
    return 1;
}

static size_t check_function(returning *r, weir_rtl_stmt stmt) {
    weir_rtl_design *design = r->design;
    const char *name = weir_rtl_get_function(design, weir_rtl_get_stmt(design, stmt).function).name;
    size_t count = 0, found = 0;
    weir_rtl_stmt s = weir_rtl_inside(design, stmt, stmt);
    for (; s.id != 0; s = weir_rtl_inside(design, s, stmt)) {
        r->order = weir_grow(r->order, &r->capacity, count + 1, sizeof *r->order);
        r->order[count++] = s;
    }
    while (count > 0) found += note_ends(r, r->order[--count], name);
    if (r->ends[stmt.id] & RETURNS) return found;
    weir_error(weir_location_of_stmt(design, stmt), "function '%s' does not always return a value", name);
    return found + 1;
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    size_t found = weir_rtl_check_recursion(design, module) ? 0 : 1;
    weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body);
    for (; s.id != 0; s = weir_rtl_next(design, s))
        if (weir_rtl_kind_of(design, s) == WEIR_RTL_STMT_FUNCTION) found += check_function(user, s);
    return found;
}

bool weir_pass_check_function_return(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    returning r = {.design = design,
                   .ends = weir_calloc(weir_rtl_id_limit(design, WEIR_RTL_ITEM_STMT), sizeof *r.ends)};
    (void)pass;
    const bool fine = weir_check_modules(context, design, check_module, &r);
    free(r.ends);
    free(r.order);
    return fine;
}
