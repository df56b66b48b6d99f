/* An input of a module that is passed down to the modules below it: a clock enable, a reset. */
#ifndef WEIR_PASSES_RTL_GLOBAL_INPUT_H
#define WEIR_PASSES_RTL_GLOBAL_INPUT_H

#include "passes/rtl/numbers.h"
#include "rtlir/core/stmt.h"

/* Does the module have something of its own that the input is for? */
typedef bool weir_global_input_wants(const weir_rtl_design *design, weir_rtl_module module);

typedef struct weir_global_input {
    weir_rtl_design *design;
    weir_rtl_module root;
    weir_rtl_var source; /* an input of the root */
    weir_global_input_wants *wants;
    weir_numbers input; /* result: by module id the variable of the input, 0 where it does not go */
    size_t ports;       /* result: that were added */
    size_t wires;       /* result: instances that were given another value */
    weir_numbers needs, is_new, wired, assigned; /* while it works */
} weir_global_input;

/* Modules that have the attribute `dont_touch` are left out with what is only below them. A module gets an input of the
 * source's name and kind unless it has one: a clock enable of any name, else an input of that name. Instances are given
 * that of the module around them, where they had no connection or what is constant (a parameter, an operation on
 * constants, a variable that is assigned one); in modules that the source does not reach, a
 * new input is given `idle`. Connections and assignments alike are looked at. False after a reported error.
 * O(design). */
bool weir_global_input_add(weir_global_input *global, uint64_t idle);
void weir_global_input_free(weir_global_input *global);

/* The attribute `dont_touch`. */
bool weir_is_untouched(const weir_rtl_design *design, weir_rtl_item item);

/* A clocked process of a module that the input goes to; false after a reported error. */
typedef bool weir_global_input_process(weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_var input, void *user);
/* Calls the function for every clocked process that may be touched, all of them even when some fail. */
bool weir_global_input_processes(weir_global_input *global, weir_global_input_process *function, void *user);

/* Where the clocked part of a process starts: its body, or after the if of each asynchronous reset; none without a
 * clocked part. *reset is the body of the first reset, none without one. False after a reported error: events and
 * ifs do not fit. */
bool weir_find_clocked_part(weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_block *reset,
                            weir_rtl_block *clocked);
/* Puts all of a block's statements into the then (or, with `into_else`, the else) of a new if in it. */
weir_rtl_stmt weir_wrap_in_if(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr condition, bool into_else);

#endif
