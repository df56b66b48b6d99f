/* sort_stmts: the statements of a module's body by what they are, those of a kind in their order: functions,
 * assignments, loops in space, instances, latches, combinational processes, clocked ones, initial and final ones,
 * assertions. A comment goes with the statement below it. sort_initial_stmts: only initial and final processes move, to
 * the end. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"

enum { RANKS = 10 };

static int rank_of(weir_rtl_stmt_kind kind) {
    switch (kind) {
    case WEIR_RTL_STMT_FUNCTION: return 0;
    case WEIR_RTL_STMT_ASSIGN: return 1;
    case WEIR_RTL_STMT_FOR: return 2;
    case WEIR_RTL_STMT_INSTANCE: return 3;
    case WEIR_RTL_STMT_LATCH: return 4;
    case WEIR_RTL_STMT_COMBINATIONAL: return 5;
    case WEIR_RTL_STMT_ALWAYS: return 6;
    case WEIR_RTL_STMT_INITIAL: return 7;
    case WEIR_RTL_STMT_FINAL: return 8;
    default: return 9;
    }
}

static int rank_of_initial(weir_rtl_stmt_kind kind) {
    return kind == WEIR_RTL_STMT_INITIAL || kind == WEIR_RTL_STMT_FINAL;
}

/* The body cut into lists by rank. Is it out of order? */
static bool split(const weir_rtl_design *design, weir_rtl_block body, int (*rank)(weir_rtl_stmt_kind kind),
                  weir_stmt_list *lists) {
    weir_stmt_list comments = {NULL, 0, 0};
    int highest = 0;
    bool is_out_of_order = false;
    for (weir_rtl_stmt s = weir_rtl_first(design, body); s.id != 0; s = weir_rtl_next(design, s)) {
        const weir_rtl_stmt_kind kind = weir_rtl_get_stmt(design, s).kind;
        if (kind == WEIR_RTL_STMT_COMMENT) {
            weir_stmt_list_add(&comments, s);
            continue;
        }
        const int here = rank(kind);
        is_out_of_order = is_out_of_order || here < highest;
        highest = here > highest ? here : highest;
        for (size_t i = 0; i < comments.count; i++) weir_stmt_list_add(&lists[here], comments.stmt[i]);
        weir_stmt_list_add(&lists[here], s);
        comments.count = 0;
    }
    for (size_t i = 0; i < comments.count; i++) weir_stmt_list_add(&lists[RANKS - 1], comments.stmt[i]);
    weir_stmt_list_free(&comments);
    return is_out_of_order;
}

static bool sort_module(weir_rtl_design *design, weir_rtl_module module, int (*rank)(weir_rtl_stmt_kind kind),
                        weir_stmt_list *lists) {
    const weir_rtl_block body = weir_rtl_get_module(design, module).body;
    for (int r = 0; r < RANKS; r++) lists[r].count = 0;
    if (!split(design, body, rank, lists)) return false;
    for (int r = 0; r < RANKS; r++)
        for (size_t i = 0; i < lists[r].count; i++)
            weir_rtl_move_stmt(design, lists[r].stmt[i], body, (weir_rtl_stmt){0});
    return true;
}

static bool sort(weir_pass_context *context, weir_rtl_design *design, int (*rank)(weir_rtl_stmt_kind kind)) {
    size_t count = 0, sorted = 0;
    weir_stmt_list lists[RANKS] = {{NULL, 0, 0}};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) sorted += sort_module(design, modules[i], rank, lists);
    if (sorted == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "modules sorted", (int64_t)sorted);
    for (int r = 0; r < RANKS; r++) weir_stmt_list_free(&lists[r]);
    free(modules);
    return modules != NULL;
}

bool weir_pass_sort_stmts(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return sort(context, design, rank_of);
}

bool weir_pass_sort_initial_stmts(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return sort(context, design, rank_of_initial);
}
