/* transform_if_to_case: a chain `if (x == 1) ... else if (x == 2) ... else ...` of at least two arms about one value
 * becomes a case when it has a final else or its constants are all that there are. Of arms with the same constant the
 * first one counts. What follows the last arm about the value, whatever it is, is the default. Chains are taken from
 * the inside out, so that a default may hold a case of its own. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "support/memory/arena.h"

/* The arms of a chain, and what comes after them (none: nothing does). */
typedef struct chain {
    weir_stmt_list arms;
    weir_rtl_expr *constant; /* one an arm */
    size_t constant_capacity;
    weir_rtl_expr value;
    weir_rtl_block rest;
} chain;

/* The statement about the same value that is all of the else of this one; none when there is no such. */
static weir_rtl_stmt next_arm(const weir_rtl_design *design, const weir_rtl_stmt_info *info, weir_rtl_expr value) {
    const weir_rtl_stmt none = {0}, inner = weir_only_stmt(design, info->other);
    if (inner.id == 0) return none;
    const weir_rtl_stmt_info next = weir_rtl_get_stmt(design, inner);
    if (next.kind != WEIR_RTL_STMT_IF) return none;
    const weir_equality equality = weir_equality_of(design, next.value);
    return equality.value.id != 0 && weir_same_expr(design, equality.value, value) ? inner : none;
}

/* Is it an arm, but not the first one, of a chain? */
static bool is_inner_arm(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    const weir_rtl_stmt owner = weir_rtl_owner(design, info->block);
    const weir_rtl_stmt_info around = weir_rtl_get_stmt(design, owner);
    if (around.kind != WEIR_RTL_STMT_IF || around.other.id != info->block.id) return false;
    const weir_equality equality = weir_equality_of(design, around.value);
    return equality.value.id != 0 && next_arm(design, &around, equality.value).id == stmt.id;
}

/* The first branch in a process with an asynchronous reset says which events it is for. */
static bool is_reset(const weir_rtl_design *design, const weir_rtl_stmt_info *info) {
    const weir_rtl_stmt owner = weir_rtl_owner(design, info->block);
    return weir_rtl_event_count(design, owner) > 1;
}

static void follow(const weir_rtl_design *design, weir_rtl_stmt head, chain *c) {
    c->arms.count = 0;
    c->value = (weir_rtl_expr){0};
    for (weir_rtl_stmt arm = head; arm.id != 0;) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, arm);
        const weir_equality equality = weir_equality_of(design, info.value);
        if (equality.value.id == 0) return;
        c->value = equality.value;
        c->rest = info.other;
        c->constant = weir_grow(c->constant, &c->constant_capacity, c->arms.count + 1, sizeof *c->constant);
        c->constant[c->arms.count] = equality.constant;
        weir_stmt_list_add(&c->arms, arm);
        arm = next_arm(design, &info, c->value);
    }
}

static void add_arm(weir_rtl_design *design, weir_rtl_stmt branch, const chain *c, size_t index) {
    const weir_rtl_stmt arm = c->arms.stmt[index];
    const weir_rtl_block to = weir_rtl_add_case_item(design, branch, c->constant[index]);
    const weir_rtl_stmt item = weir_rtl_owner(design, to);
    if (index == 0) weir_rtl_copy_location(design, WEIR_RTL_ITEM(arm), WEIR_RTL_ITEM(item));
    else weir_rtl_copy_item(design, WEIR_RTL_ITEM(arm), WEIR_RTL_ITEM(item));
    weir_rtl_move_stmts(design, weir_rtl_then(design, arm), to, (weir_rtl_stmt){0});
}

static bool transform(weir_rtl_design *design, weir_rtl_stmt head, chain *c) {
    follow(design, head, c);
    if (c->arms.count < 2) return false;
    size_t distinct;
    bool *repeated = weir_find_repeated(design, c->constant, c->arms.count, &distinct);
    const uint32_t width = weir_rtl_width(design, c->value);
    const bool is_complete = c->rest.id != 0 || (width < 32 && distinct == (size_t)1 << width &&
                                                 !weir_rtl_get_expr(design, c->value).has_parameter);
    if (is_complete) {
        const weir_rtl_stmt branch = weir_rtl_add_case(design, weir_rtl_get_stmt(design, head).block, c->value);
        weir_rtl_move_stmt(design, branch, weir_rtl_get_stmt(design, head).block, head);
        weir_rtl_copy_item(design, WEIR_RTL_ITEM(head), WEIR_RTL_ITEM(branch));
        for (size_t i = 0; i < c->arms.count; i++) {
            if (repeated[i]) weir_warn_dropped(design, c->arms.stmt[i], c->value, c->constant[i]);
            else add_arm(design, branch, c, i);
        }
        if (c->rest.id != 0) {
            const weir_rtl_block to = weir_rtl_add_default(design, branch);
            const weir_rtl_stmt last = c->arms.stmt[c->arms.count - 1];
            weir_rtl_copy_location(design, WEIR_RTL_ITEM(last), weir_rtl_item_stmt(weir_rtl_owner(design, to)));
            weir_rtl_move_stmts(design, c->rest, to, (weir_rtl_stmt){0});
        }
        weir_rtl_remove_stmt(design, head);
    }
    free(repeated);
    return is_complete;
}

bool weir_pass_transform_if_to_case(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, made = 0;
    weir_stmt_list list = {NULL, 0, 0};
    chain c = {.constant = NULL};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        weir_list_inner(design, modules[i], &list);
        while (list.count > 0) {
            const weir_rtl_stmt stmt = list.stmt[--list.count];
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
            if (info.kind != WEIR_RTL_STMT_IF || is_reset(design, &info) || is_inner_arm(design, stmt, &info)) continue;
            made += transform(design, stmt, &c);
        }
    }
    if (made == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "chains", (int64_t)made);
    weir_stmt_list_free(&list);
    weir_stmt_list_free(&c.arms);
    free(c.constant);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
