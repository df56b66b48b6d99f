/* merge_if_block: in processes with the attribute `merge_if_block`, neighbouring ifs without else that compare one
 * value with constants become one: those with the same constant are put together, others nest as else, so that
 * transform_if_to_case can take them. Ifs whose bodies assign at once what the value reads end a run. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "support/memory/arena.h"

enum { LONGEST = 256 /* levels of else that a run makes, so that looking a constant up is cheap */ };

/* The ifs of a run with different constants, each in the else of the one before. */
typedef struct run {
    weir_rtl_stmt arm[LONGEST];
    weir_rtl_expr constant[LONGEST];
    size_t count;
    weir_rtl_expr value;
} run;

/* Does the expression read a variable that the target changes? */
static bool reads(const weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_expr target) {
    const weir_rtl_expr_info to = weir_rtl_get_expr(design, target);
    if (to.kind != WEIR_RTL_EXPR_CONCAT) return to.instance.id != 0 || weir_reads_var(design, expr, to.var);
    for (size_t i = 0; i < to.operand_count; i++)
        if (reads(design, expr, weir_rtl_operand(design, target, i))) return true;
    return false;
}

/* Does anything inside the branch change, while the process runs, what the value reads? */
static bool disturbs(const weir_rtl_design *design, weir_rtl_stmt branch, weir_rtl_expr value) {
    weir_stmt_list inner = {NULL, 0, 0};
    bool any = false;
    weir_list_inside(design, branch, &inner);
    for (size_t i = 0; i < inner.count && !any; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, inner.stmt[i]);
        any = info.kind == WEIR_RTL_STMT_ASSIGN && reads(design, value, info.target);
    }
    weir_stmt_list_free(&inner);
    return any;
}

/* The arm of the run with this constant; the number of arms when there is none. */
static size_t find_arm(const weir_rtl_design *design, const run *r, weir_rtl_expr constant) {
    size_t i = 0;
    while (i < r->count && !weir_same_expr(design, r->constant[i], constant)) i++;
    return i;
}

/* Takes an if into the run; false when it does not belong there. */
static bool join(weir_rtl_design *design, run *r, weir_rtl_stmt stmt, weir_equality equality) {
    if (r->count == 0 || !weir_same_expr(design, r->value, equality.value)) return false;
    const size_t at = find_arm(design, r, equality.constant);
    if (at == LONGEST) return false;
    const weir_rtl_stmt none = {0};
    if (at < r->count) {
        const weir_rtl_stmt first = weir_rtl_first(design, weir_rtl_then(design, stmt));
        const char *comment = weir_rtl_get_item(design, WEIR_RTL_ITEM(stmt)).comment;
        if (comment != NULL && first.id != 0 && weir_rtl_get_item(design, WEIR_RTL_ITEM(first)).comment == NULL)
            weir_rtl_set_comment(design, WEIR_RTL_ITEM(first), comment);
        weir_rtl_move_stmts(design, weir_rtl_then(design, stmt), weir_rtl_then(design, r->arm[at]), none);
        weir_rtl_touch(design, WEIR_RTL_ITEM(r->arm[at]));
        weir_rtl_remove_stmt(design, stmt);
        return true;
    }
    weir_rtl_move_stmt(design, stmt, weir_rtl_else(design, r->arm[at - 1]), none);
    weir_rtl_touch(design, WEIR_RTL_ITEM(stmt));
    r->arm[r->count] = stmt;
    r->constant[r->count++] = equality.constant;
    return true;
}

static size_t merge_block(weir_rtl_design *design, weir_rtl_block block, bool is_late, run *r) {
    size_t merged = 0;
    r->count = 0;
    for (weir_rtl_stmt s = weir_rtl_first(design, block), next; s.id != 0; s = next) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        const weir_rtl_item_info item = weir_rtl_get_item(design, WEIR_RTL_ITEM(s));
        const bool is_plain = info.kind == WEIR_RTL_STMT_IF && info.other.id == 0 && item.attribute_count == 0;
        const weir_equality equality = is_plain ? weir_equality_of(design, info.value) : (weir_equality){{0}, {0}};
        const bool is_disturbed = equality.value.id != 0 && !is_late && disturbs(design, s, equality.value);
        next = weir_rtl_next(design, s);
        if (equality.value.id != 0 && join(design, r, s, equality)) {
            merged++;
        } else if (equality.value.id != 0) {
            r->count = 1;
            r->arm[0] = s;
            r->constant[0] = equality.constant;
            r->value = equality.value;
        } else {
            r->count = 0;
        }
        if (is_disturbed) r->count = 0;
    }
    return merged;
}

/* The process that a statement of the list belongs to is the last one before it. */
static size_t merge_module(weir_rtl_design *design, const weir_stmt_list *list, run *r) {
    size_t merged = 0;
    bool is_marked = false, is_late = false;
    for (size_t i = 0; i < list->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, list->stmt[i]);
        if (weir_is_process(info.kind)) {
            is_marked = weir_rtl_has_attribute(design, WEIR_RTL_ITEM(list->stmt[i]), "merge_if_block");
            is_late = weir_rtl_timing_in(design, info.body) == WEIR_RTL_NONBLOCKING;
        }
        if (!is_marked || info.block.id == 0) continue;
        if (info.body.id != 0 && info.kind != WEIR_RTL_STMT_CASE) merged += merge_block(design, info.body, is_late, r);
        if (info.other.id != 0) merged += merge_block(design, info.other, is_late, r);
    }
    return merged;
}

bool weir_pass_merge_if_block(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, merged = 0;
    weir_stmt_list list = {NULL, 0, 0};
    run *r = weir_calloc(1, sizeof *r);
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        weir_list_inner(design, modules[i], &list);
        merged += merge_module(design, &list, r);
    }
    if (merged == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "branches merged", (int64_t)merged);
    weir_stmt_list_free(&list);
    free(r);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
