/* What passes over the content of modules share. */
#ifndef WEIR_PASSES_RTL_INNER_H
#define WEIR_PASSES_RTL_INNER_H

#include "rtlir/core/stmt.h"

typedef struct weir_stmt_list {
    weir_rtl_stmt *stmt; /* heap */
    size_t count, capacity;
} weir_stmt_list;
void weir_stmt_list_add(weir_stmt_list *list, weir_rtl_stmt stmt);
void weir_stmt_list_free(weir_stmt_list *list);

/* The processes, functions and loops in space of a module's body and all that is inside of them, outer ones before
 * inner ones; the list is emptied first. State machines have rules of their own and are left out. O(body + what is
 * inside). */
void weir_list_inner(const weir_rtl_design *design, weir_rtl_module module, weir_stmt_list *list);

/* The statements inside of one, in the same order; the list is emptied first. */
void weir_list_inside(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_stmt_list *list);

/* Is the statement a process or a function: something that is executed? */
bool weir_is_process(weir_rtl_stmt_kind kind);
/* The only statement of a block, none when there are none or several. */
weir_rtl_stmt weir_only_stmt(const weir_rtl_design *design, weir_rtl_block block);

/* Do both expressions say the same, wherever they are? O(the smaller one). */
bool weir_same_expr(const weir_rtl_design *design, weir_rtl_expr a, weir_rtl_expr b);

/* `value == constant` (or the sides exchanged), of something that is not constant itself. */
typedef struct weir_equality {
    weir_rtl_expr value, constant; /* none: it is something else */
} weir_equality;
weir_equality weir_equality_of(const weir_rtl_design *design, weir_rtl_expr condition);

/* Does the expression read the variable (in any part of it)? O(expression). */
bool weir_reads_var(const weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_var var);

/* Which of the constants, all of one width, say the same as an earlier one (none never does): heap memory, free() it;
 * *distinct counts the others. O(count * log(count)). */
bool *weir_find_repeated(const weir_rtl_design *design, const weir_rtl_expr *constants, size_t count, size_t *distinct);
/* Warns that an arm of a case or of a chain of ifs goes, because an earlier one has its constant; not of an empty
 * one. */
void weir_warn_dropped(const weir_rtl_design *design, weir_rtl_stmt arm, weir_rtl_expr value, weir_rtl_expr constant);

/* Marked to stay (attribute `keep`, or `public`: simulations look at it). */
bool weir_is_kept(const weir_rtl_design *design, weir_rtl_item item);

/* Variables and instances that must stay, under their names: kept ones, and those whose name is in some path of the
 * design (weir_rtl_add_path). Paths are looked for when the first one is asked about: O(variables). Zero at the start
 * except for the design. */
typedef struct weir_keeper {
    const weir_rtl_design *design;
    char **name; /* sorted */
    size_t count, capacity;
    bool is_known;
} weir_keeper;
bool weir_keeps(weir_keeper *keeper, weir_rtl_var var);
bool weir_keeps_instance(weir_keeper *keeper, weir_rtl_instance instance);
void weir_keeper_free(weir_keeper *keeper);

#endif
