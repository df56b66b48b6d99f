/* How the ports of instances are wired by assignments, before they have connections. */
#ifndef WEIR_PASSES_RTL_WIRING_H
#define WEIR_PASSES_RTL_WIRING_H

#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"

typedef enum weir_wiring_kind {
    WEIR_WIRING_CONNECTED, /* by a connection, or left open on purpose */
    WEIR_WIRING_NONE,      /* the input has no driver, the output no reader */
    WEIR_WIRING_DIRECT,    /* `stmt` says it all: `other` can become the connection */
    WEIR_WIRING_OTHER      /* needs a variable of its own */
} weir_wiring_kind;

typedef struct weir_wiring {
    weir_wiring_kind kind;
    weir_rtl_stmt stmt;
    weir_rtl_expr other;
} weir_wiring;

/* How a port of an instance in the module of the table is wired. Direct is: an input that one assignment, where the
 * instance is, drives as a whole, with a constant, a parameter, a variable of the module or a part of one, or a cast of
 * these; an output that only such an assignment reads, into a variable or a fixed part of one; an inout port with one
 * such assignment in either direction. An input that the module reads too is not. O(uses of the port). */
weir_wiring weir_wiring_of(weir_rtl_design *design, const weir_rtl_uses *uses, weir_rtl_instance instance,
                           weir_rtl_var port);

/* Is the instance in a loop, once for each value of an iterator? There no variable can replace a port. */
bool weir_wiring_in_loop(const weir_rtl_design *design, weir_rtl_instance instance);
/* Reports the error that the port of such an instance `is` something; false. */
bool weir_wiring_refuse_in_loop(const weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port,
                                const char *is);

/* A new variable of the parent, named INSTANCE_PORT or near that, like the port and from where the instance is. */
weir_rtl_expr weir_wiring_add_var(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port);
/* The value with the sign and the kind that an assignment to the target needs; connections carry any bits. */
weir_rtl_expr weir_wiring_fit(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr target);
/* Adds the current pass to the trails of all statements that drive or read the port. */
void weir_wiring_touch(weir_rtl_design *design, const weir_rtl_uses *uses, weir_rtl_instance instance,
                       weir_rtl_var port);

/* Does the module have an instance that is wired by assignments? O(instances). */
bool weir_wiring_any(const weir_rtl_design *design, weir_rtl_module module);

#endif
