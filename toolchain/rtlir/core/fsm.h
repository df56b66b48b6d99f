/* Finite state machines. A machine is a statement of a module's body; its states, machines inside it and the values
 * that its outputs have by default are in it, transitions and outputs in its states. So it is walked, copied, rewritten
 * and removed as other statements are, until realize_fsm makes processes of it.
 *
 * What an output is: the target of an assignment (weir_rtl_set) in the body of the machine, a state or a transition. It
 * takes the value of the machine, or else that of the state, or else that of the transition that is taken: the
 * innermost one that gives one. In a Moore machine transitions give none. A machine inside another one shares its
 * clock, its reset and the register that holds the state; transitions lead from any state of an outermost machine to
 * any other one of it. */
#ifndef WEIR_RTLIR_FSM_H
#define WEIR_RTLIR_FSM_H

#include "rtlir/core/stmt.h"
#include "support/text/text.h"

/* A Moore machine, reset when the reset is 1: asynchronously when it is a WEIR_RTL_ASYNC_RESET, at the clock's edge
 * when it is a WEIR_RTL_RESET. */
weir_rtl_fsm weir_rtl_add_fsm(weir_rtl_design *design, weir_rtl_module module, const char *name, weir_rtl_edge edge,
                              weir_rtl_var clock, weir_rtl_var reset);
/* A machine inside another one. */
weir_rtl_fsm weir_rtl_add_child_fsm(weir_rtl_design *design, weir_rtl_fsm fsm, const char *name);
/* Of the outermost machine: reset when the reset is 0; outputs that depend on transitions. */
void weir_rtl_set_reset_low(weir_rtl_design *design, weir_rtl_fsm fsm, bool is_low);
void weir_rtl_set_mealy(weir_rtl_design *design, weir_rtl_fsm fsm, bool is_mealy);

/* Names of states differ inside one machine. */
weir_rtl_state weir_rtl_add_state(weir_rtl_design *design, weir_rtl_fsm fsm, const char *name);
/* Where the machine starts and what a reset leads to; without it the state that was added first. */
void weir_rtl_set_start(weir_rtl_design *design, weir_rtl_state state);

/* The first transition whose condition (one bit) is 1 is taken; one without a condition always. A state that has none
 * to take stays. */
weir_rtl_stmt weir_rtl_add_transition(weir_rtl_design *design, weir_rtl_state from, weir_rtl_expr condition,
                                      weir_rtl_state to);
weir_rtl_stmt weir_rtl_add_default_transition(weir_rtl_design *design, weir_rtl_state from, weir_rtl_state to);
/* Another target. */
void weir_rtl_set_destination(weir_rtl_design *design, weir_rtl_stmt transition, weir_rtl_state to);

/* Where outputs get their values. */
weir_rtl_block weir_rtl_fsm_body(const weir_rtl_design *design, weir_rtl_fsm fsm);
weir_rtl_block weir_rtl_state_body(const weir_rtl_design *design, weir_rtl_state state);
weir_rtl_block weir_rtl_transition_body(weir_rtl_design *design, weir_rtl_stmt transition);

/* The variable that holds the state of the outermost machine, for the rest of the module. Its type is an enum,
 * `<machine>_state`, with the states in their order, those of inner machines as `<inner>_<state>`. The first call makes
 * both, so that no state can be added any more. */
weir_rtl_var weir_rtl_current_state(weir_rtl_design *design, weir_rtl_fsm fsm);
/* The member of that enum; one bit: is the machine in the state? */
weir_rtl_expr weir_rtl_state_value(weir_rtl_design *design, weir_rtl_state state);
weir_rtl_expr weir_rtl_in_state(weir_rtl_design *design, weir_rtl_state state);

/* The rules of an outermost machine: it has states, transitions lead to them, and every output has a value in every
 * state (of a Mealy machine: on every path from every state). What cannot happen gets a warning, once. weir_rtl_verify
 * checks all machines of a module. */
bool weir_rtl_check_fsm(weir_rtl_design *design, weir_rtl_fsm fsm);

/* Reading back. */
typedef struct weir_rtl_fsm_info {
    const char *name;
    weir_rtl_module module;
    weir_rtl_stmt stmt;     /* its position among the statements */
    weir_rtl_fsm parent;    /* none: an outermost machine */
    weir_rtl_fsm outermost; /* what follows is that machine's */
    weir_rtl_edge edge;
    weir_rtl_var clock, reset;
    weir_rtl_var current; /* none before weir_rtl_current_state */
    weir_rtl_state start; /* none: there are no states */
    bool is_low, is_mealy;
} weir_rtl_fsm_info;
weir_rtl_fsm_info weir_rtl_get_fsm(const weir_rtl_design *design, weir_rtl_fsm fsm);
typedef struct weir_rtl_state_info {
    const char *name;
    weir_rtl_fsm fsm;
    weir_rtl_stmt stmt;
} weir_rtl_state_info;
weir_rtl_state_info weir_rtl_get_state(const weir_rtl_design *design, weir_rtl_state state);
/* The name with those of the inner machines around it before it; belongs to the design. */
const char *weir_rtl_state_name(const weir_rtl_design *design, weir_rtl_state state, char joint);
/* An outermost machine of the module; a machine or a state in a machine. None when absent. */
weir_rtl_fsm weir_rtl_find_fsm(const weir_rtl_design *design, weir_rtl_module module, const char *name);
weir_rtl_fsm weir_rtl_find_child_fsm(const weir_rtl_design *design, weir_rtl_fsm fsm, const char *name);
weir_rtl_state weir_rtl_find_state(const weir_rtl_design *design, weir_rtl_fsm fsm, const char *name);
/* The states of the machine and of those inside it, in their order. */
weir_rtl_state weir_rtl_first_state(const weir_rtl_design *design, weir_rtl_fsm fsm);
weir_rtl_state weir_rtl_next_state(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_rtl_state state);

/* A drawing of an outermost machine in Graphviz' language: states with the outputs that they give, the start with a
 * double line, transitions with their conditions and, after a slash, outputs; a box around each inner machine. */
void weir_rtl_fsm_dot(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_text *text);
/* Its outputs as comma-separated values: of a Moore machine a row for each state, of a Mealy machine a row for each
 * transition of each state; defaults filled in. An output that has no value has an empty cell. */
void weir_rtl_fsm_csv(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_text *text);

#endif
