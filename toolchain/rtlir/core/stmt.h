/* Statements of the hardware IR: continuous assignments and processes in a module's body, assignments and branches in
 * a process. Widths and signs of both sides of an assignment must agree, except that a constant takes the sign of its
 * target. */
#ifndef WEIR_RTLIR_STMT_H
#define WEIR_RTLIR_STMT_H

#include "rtlir/core/expr.h"

typedef enum weir_rtl_stmt_kind {
    WEIR_RTL_STMT_NONE,
    WEIR_RTL_STMT_ASSIGN,
    WEIR_RTL_STMT_INSTANCE,
    WEIR_RTL_STMT_COMMENT, /* a comment of its own, with a blank line above */
    WEIR_RTL_STMT_ALWAYS,  /* at the edges of its events */
    WEIR_RTL_STMT_COMBINATIONAL,
    WEIR_RTL_STMT_LATCH, /* level-sensitive */
    WEIR_RTL_STMT_INITIAL,
    WEIR_RTL_STMT_FINAL,    /* when simulation ends */
    WEIR_RTL_STMT_FUNCTION, /* function.h */
    WEIR_RTL_STMT_IF,
    WEIR_RTL_STMT_CASE,
    WEIR_RTL_STMT_CASE_ITEM,
    WEIR_RTL_STMT_FOR, /* in a module's body: its content, once for each value of the iterator */
    WEIR_RTL_STMT_BREAK,
    WEIR_RTL_STMT_RETURN,
    WEIR_RTL_STMT_ASSERT,
    WEIR_RTL_STMT_FSM, /* fsm.h: a machine, in a module's body or in another one */
    WEIR_RTL_STMT_STATE,
    WEIR_RTL_STMT_TRANSITION
} weir_rtl_stmt_kind;

typedef enum weir_rtl_timing {
    WEIR_RTL_CONTINUOUS, /* in a module's body */
    WEIR_RTL_BLOCKING,   /* in combinational and initial blocks */
    WEIR_RTL_NONBLOCKING,
    WEIR_RTL_UNDECIDED /* anywhere, until a pass says what it is */
} weir_rtl_timing;
typedef enum weir_rtl_edge { WEIR_RTL_POSEDGE, WEIR_RTL_NEGEDGE } weir_rtl_edge;

weir_rtl_stmt weir_rtl_assign(weir_rtl_design *design, weir_rtl_module module, weir_rtl_expr target,
                              weir_rtl_expr value);
/* In any block: a module's body, or inside a process. */
weir_rtl_stmt weir_rtl_add_assign(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target,
                                  weir_rtl_expr value, weir_rtl_timing timing);
weir_rtl_stmt weir_rtl_add_comment(weir_rtl_design *design, weir_rtl_module module, const char *text);

/* What an assignment in the block has to be: continuous, blocking or nonblocking. A clocked block with the attribute
 * check_assignment = false takes both of the latter: what is undecided there becomes blocking. */
weir_rtl_timing weir_rtl_timing_in(const weir_rtl_design *design, weir_rtl_block block);
/* Is that what the assignment is, or is it undecided? */
bool weir_rtl_timing_fits(const weir_rtl_design *design, weir_rtl_block block, weir_rtl_timing timing);
const char *weir_rtl_timing_name(weir_rtl_timing timing);

/* Processes; each returns its body. */
weir_rtl_block weir_rtl_add_always(weir_rtl_design *design, weir_rtl_module module, weir_rtl_edge edge,
                                   weir_rtl_var clock);
weir_rtl_block weir_rtl_add_combinational(weir_rtl_design *design, weir_rtl_module module);
weir_rtl_block weir_rtl_add_initial(weir_rtl_design *design, weir_rtl_module module);
weir_rtl_block weir_rtl_add_latch(weir_rtl_design *design, weir_rtl_module module);
weir_rtl_block weir_rtl_add_final(weir_rtl_design *design, weir_rtl_module module);
/* One more event of an always block, such as an asynchronous reset. */
void weir_rtl_add_event(weir_rtl_design *design, weir_rtl_block always, weir_rtl_edge edge, weir_rtl_var var);

/* Inside a process: `target = value;` and `target <= value;`. */
weir_rtl_stmt weir_rtl_set(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target, weir_rtl_expr value);
weir_rtl_stmt weir_rtl_set_next(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr target,
                                weir_rtl_expr value);
weir_rtl_stmt weir_rtl_add_if(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr condition);
weir_rtl_block weir_rtl_then(weir_rtl_design *design, weir_rtl_stmt branch);
weir_rtl_block weir_rtl_else(weir_rtl_design *design, weir_rtl_stmt branch);
weir_rtl_stmt weir_rtl_add_case(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr value);
/* A label is a constant of the case value's width and sign. The default is printed last. */
weir_rtl_block weir_rtl_add_case_item(weir_rtl_design *design, weir_rtl_stmt branch, weir_rtl_expr label);
weir_rtl_block weir_rtl_add_default(weir_rtl_design *design, weir_rtl_stmt branch);

/* The iterator takes start, start + step, ... as long as it is below `end` (above it when step is negative). A block of
 * a process, or a module's body: then the loop is unrolled in space and may hold assignments, processes, loops and
 * instances that are moved there. An iterator serves one loop. */
weir_rtl_block weir_rtl_add_for(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator, int64_t start,
                                int64_t end, int64_t step);
/* Ends the innermost loop of a process around it. */
weir_rtl_stmt weir_rtl_add_break(weir_rtl_design *design, weir_rtl_block block);

/* Assertions about values: one bit that must be 1 (or be assumed so, or become so at least once) whenever the statement
 * is reached in a process, or at every edge of a clock: there optionally only when `antecedent` was 1 low to high
 * cycles before, and not while `disable` is 1. The message is copied, NULL for none. */
typedef enum weir_rtl_assertion { WEIR_RTL_ASSERT, WEIR_RTL_ASSUME, WEIR_RTL_COVER } weir_rtl_assertion;
typedef struct weir_rtl_property {
    weir_rtl_assertion kind;
    weir_rtl_edge edge;
    weir_rtl_var clock; /* none in a process; of a property: until infer_property_clocking has run */
    weir_rtl_expr disable, antecedent, consequent;
    uint32_t low, high; /* cycles */
    const char *message;
    const char *call; /* in SystemVerilog a failure calls this DPI function with its scope and the message; or NULL */
} weir_rtl_property;
weir_rtl_stmt weir_rtl_add_assertion(weir_rtl_design *design, weir_rtl_block block, weir_rtl_assertion kind,
                                     weir_rtl_expr condition, const char *message);
weir_rtl_stmt weir_rtl_add_property(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_property *property);
weir_rtl_property weir_rtl_get_property(const weir_rtl_design *design, weir_rtl_stmt stmt);

/* Reading back. */
typedef struct weir_rtl_stmt_info {
    weir_rtl_stmt_kind kind;
    weir_rtl_block block;       /* that it is in; none when it was removed */
    weir_rtl_timing timing;     /* assign */
    weir_rtl_expr target;       /* assign */
    weir_rtl_expr value;        /* assign, return: the value; if, case: the condition; case item: the label or none;
                                 * transition: the condition or none */
    weir_rtl_instance instance; /* instance */
    weir_rtl_function function; /* function */
    weir_rtl_fsm fsm;           /* machine */
    weir_rtl_state state;       /* state: itself; transition: where it leads */
    weir_rtl_var iterator;      /* for */
    int64_t start, end, step;   /* for */
    weir_rtl_formula start_formula, end_formula, step_formula; /* formula.h; none: these are numbers */
    weir_rtl_block body, other; /* processes, case, items: body; if: then and else (none when there is no else) */
} weir_rtl_stmt_info;
weir_rtl_stmt_info weir_rtl_get_stmt(const weir_rtl_design *design, weir_rtl_stmt stmt);
weir_rtl_stmt_kind weir_rtl_kind_of(const weir_rtl_design *design, weir_rtl_stmt stmt);
weir_rtl_stmt weir_rtl_first(const weir_rtl_design *design, weir_rtl_block block); /* none: empty */
weir_rtl_stmt weir_rtl_next(const weir_rtl_design *design, weir_rtl_stmt stmt);    /* none: the last one */
weir_rtl_stmt weir_rtl_last(const weir_rtl_design *design, weir_rtl_block block);
weir_rtl_stmt weir_rtl_previous(const weir_rtl_design *design, weir_rtl_stmt stmt);
/* The statement after this one inside `root`, outer ones first; none at the end. Starts with root itself. */
weir_rtl_stmt weir_rtl_inside(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_stmt root);
/* The statements of a module's body and of the loops there, in order; a loop before what it holds. None at the end. */
weir_rtl_stmt weir_rtl_first_part(const weir_rtl_design *design, weir_rtl_module module);
weir_rtl_stmt weir_rtl_next_part(const weir_rtl_design *design, weir_rtl_stmt part);
typedef struct weir_rtl_event {
    weir_rtl_edge edge;
    weir_rtl_var var;
} weir_rtl_event;
size_t weir_rtl_event_count(const weir_rtl_design *design, weir_rtl_stmt always);
weir_rtl_event weir_rtl_event_at(const weir_rtl_design *design, weir_rtl_stmt always, size_t index);
/* The statement that the block belongs to; none for a module's body. */
weir_rtl_stmt weir_rtl_owner(const weir_rtl_design *design, weir_rtl_block block);
weir_rtl_module weir_rtl_block_module(const weir_rtl_design *design, weir_rtl_block block);

#endif
