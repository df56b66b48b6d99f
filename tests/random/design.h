/* Random hardware designs for tests of passes: a seed gives the same design on every machine. Two or three levels of
 * modules with expressions of all operators, assignments to parts, chains of wires, chains of ifs and cases, registers,
 * functions, loops, structs and arrays, dead and self-feeding logic, children that only pass through. */
#ifndef WEIR_TESTS_RANDOM_DESIGN_H
#define WEIR_TESTS_RANDOM_DESIGN_H

#include "generator.h"
#include "rtlir/core/rtl.h"

/* How the design says the same thing: as emitted (connections, assignments that are what they are, names of their own)
 * or as elaborated (instances wired by assignments, undecided assignments, modules that share names). */
typedef enum random_form { RANDOM_EMITTED, RANDOM_ELABORATED } random_form;

/* A design whose top is called "top" and has the inputs clk, rst, in_0... and the outputs out_0...; two with the same
 * source and other forms mean the same. A failure to build is a bug of this generator and aborts. */
weir_rtl_design *random_design(random_source *r, random_form form);

#endif
