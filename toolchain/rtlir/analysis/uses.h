/* Who drives and who reads the variables of one module, and the ports of its instances: a table that is built on demand
 * and says how things were then. Building is linear in the module; one table serves one module after the other. */
#ifndef WEIR_RTLIR_USES_H
#define WEIR_RTLIR_USES_H

#include "rtlir/core/stmt.h"

typedef struct weir_rtl_uses weir_rtl_uses;

/* A variable of the module, or a port of one of its instances. */
typedef struct weir_rtl_net {
    weir_rtl_var var;
    weir_rtl_instance instance; /* none: a variable of the module itself */
} weir_rtl_net;

typedef struct weir_rtl_use {
    /* the innermost statement: an assignment, an if, an instance, an always block (its events), ... */
    weir_rtl_stmt stmt;
    /* the variable or its part; none in events, for iterators and for the state of a machine */
    weir_rtl_expr expr;
    uint32_t low, width; /* the bits: all that it may be when they are computed */
    bool is_computed;    /* a select: which bits is only known in hardware */
    bool is_whole;       /* expr is all of one side of an assignment, or all of a connection */
    bool is_connection;  /* of an instance */
} weir_rtl_use;

weir_rtl_uses *weir_rtl_uses_new(weir_rtl_design *design);
void weir_rtl_uses_free(weir_rtl_uses *uses);
void weir_rtl_uses_build(weir_rtl_uses *uses, weir_rtl_module module);
/* Only the counts, in less than half of the time. */
void weir_rtl_uses_tally(weir_rtl_uses *uses, weir_rtl_module module);

static inline weir_rtl_net weir_rtl_net_of(weir_rtl_var var) {
    weir_rtl_net net = {var, {0}};
    return net;
}
/* The net that a variable, a port, a slice or a select stands for. */
weir_rtl_net weir_rtl_net_of_expr(const weir_rtl_design *design, weir_rtl_expr expr);

/* In the order of the statements. Connections to outputs of instances drive, those to inputs read; what an instance or
 * the world outside does with the net itself is not among them. */
size_t weir_rtl_driver_count(const weir_rtl_uses *uses, weir_rtl_net net);
weir_rtl_use weir_rtl_driver_at(const weir_rtl_uses *uses, weir_rtl_net net, size_t index);
size_t weir_rtl_reader_count(const weir_rtl_uses *uses, weir_rtl_net net);
weir_rtl_use weir_rtl_reader_at(const weir_rtl_uses *uses, weir_rtl_net net, size_t index);

/* Which bits of a variable, or of a port of an instance, a part of it is (itself: all of them). */
typedef struct weir_rtl_bits {
    weir_rtl_expr base;
    uint32_t low, width; /* all that it may be when it takes hardware to know, and in a memory */
    bool is_computed;
} weir_rtl_bits;
weir_rtl_bits weir_rtl_bits_of(const weir_rtl_design *design, weir_rtl_expr part);

#endif
