/* remove_empty_block: branches, loops and processes that hold nothing go, from the inside out. An if with only an else
 * takes the opposite condition. An empty item of a case stays where a default would run in its place; one with the
 * label of an earlier one goes, with a warning. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "support/memory/arena.h"

typedef struct sweep {
    weir_rtl_design *design;
    bool inverts;
    size_t removed, inverted;
} sweep;

static bool is_empty(const weir_rtl_design *design, weir_rtl_block block) {
    return block.id == 0 || weir_rtl_first(design, block).id == 0;
}

static void remove_stmt(sweep *s, weir_rtl_stmt stmt) {
    weir_rtl_remove_stmt(s->design, stmt);
    s->removed++;
}

static weir_rtl_expr opposite(weir_rtl_design *design, weir_rtl_expr condition) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, condition);
    if (info.kind == WEIR_RTL_EXPR_UNARY && (info.op == WEIR_RTL_NOT || info.op == WEIR_RTL_LOGICAL_NOT))
        return weir_rtl_operand(design, condition, 0);
    if (info.carries != WEIR_RTL_DATA) condition = weir_rtl_as(design, condition, WEIR_RTL_DATA);
    return weir_rtl_unary(design, WEIR_RTL_NOT, condition);
}

static void sweep_if(sweep *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    weir_rtl_design *design = s->design;
    const bool no_then = is_empty(design, info->body), no_else = is_empty(design, info->other);
    if (no_then && no_else) {
        remove_stmt(s, stmt);
    } else if (no_else && info->other.id != 0) {
        weir_rtl_remove_else(design, stmt);
        s->removed++;
    } else if (no_then && s->inverts) {
        weir_rtl_set_value(design, stmt, opposite(design, info->value));
        weir_rtl_move_stmts(design, info->other, info->body, (weir_rtl_stmt){0});
        weir_rtl_remove_else(design, stmt);
        weir_rtl_touch(design, WEIR_RTL_ITEM(stmt));
        s->inverted++;
    }
}

/* Items that are never reached, because an earlier one has their label, go in any case: an empty one hides what
 * follows. */
static void remove_repeated(sweep *s, weir_rtl_expr value, const weir_stmt_list *items) {
    size_t distinct;
    weir_rtl_expr *label = weir_malloc((items->count + 1) * sizeof *label);
    for (size_t i = 0; i < items->count; i++) label[i] = weir_rtl_get_stmt(s->design, items->stmt[i]).value;
    bool *repeated = weir_find_repeated(s->design, label, items->count, &distinct);
    for (size_t i = 0; i < items->count; i++) {
        if (!repeated[i]) continue;
        weir_warn_dropped(s->design, items->stmt[i], value, label[i]);
        remove_stmt(s, items->stmt[i]);
    }
    free(repeated);
    free(label);
}

static void sweep_case(sweep *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    weir_rtl_design *design = s->design;
    weir_stmt_list items = {NULL, 0, 0};
    bool any_empty = false, any_full = false, full_default = false;
    for (weir_rtl_stmt i = weir_rtl_first(design, info->body); i.id != 0; i = weir_rtl_next(design, i)) {
        const weir_rtl_stmt_info item = weir_rtl_get_stmt(design, i);
        const bool no_body = is_empty(design, item.body);
        weir_stmt_list_add(&items, i);
        any_empty = any_empty || no_body;
        any_full = any_full || !no_body;
        full_default = full_default || (item.value.id == 0 && !no_body);
    }
    if (!any_full) {
        remove_stmt(s, stmt);
    } else {
        remove_repeated(s, info->value, &items);
    }
    if (any_full && any_empty && !full_default) {
        for (size_t i = 0; i < items.count; i++) {
            const weir_rtl_stmt_info item = weir_rtl_get_stmt(design, items.stmt[i]);
            if (item.block.id != 0 && is_empty(design, item.body)) remove_stmt(s, items.stmt[i]);
        }
        if (is_empty(design, info->body)) remove_stmt(s, stmt);
    }
    weir_stmt_list_free(&items);
}

static void sweep_stmt(sweep *s, weir_rtl_stmt stmt) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, stmt);
    if (info.block.id == 0 || info.body.id == 0 || weir_is_kept(s->design, WEIR_RTL_ITEM(stmt))) return;
    switch (info.kind) {
    case WEIR_RTL_STMT_IF: sweep_if(s, stmt, &info); break;
    case WEIR_RTL_STMT_CASE: sweep_case(s, stmt, &info); break;
    case WEIR_RTL_STMT_CASE_ITEM:
    case WEIR_RTL_STMT_FUNCTION: break;
    default:
        if (is_empty(s->design, info.body)) remove_stmt(s, stmt);
        break;
    }
}

bool weir_pass_remove_empty_block(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    size_t count = 0;
    sweep s = {.design = design, .inverts = weir_pass_bool(pass, "invert")};
    weir_stmt_list list = {NULL, 0, 0};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        weir_list_inner(design, modules[i], &list);
        while (list.count > 0) sweep_stmt(&s, list.stmt[--list.count]);
    }
    if (s.removed == 0 && s.inverted == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "blocks removed", (int64_t)s.removed);
    weir_pass_count(context, "conditions inverted", (int64_t)s.inverted);
    weir_stmt_list_free(&list);
    free(modules);
    return modules != NULL;
}
