/* Checks of a whole design below a top module. */
#ifndef WEIR_RTLIR_VERIFY_H
#define WEIR_RTLIR_VERIFY_H

#include "rtlir/analysis/uses.h"

/* True when building reported no errors and every module below top is sound: its form holds, and what is checked below.
 * Everything found is reported at the location of its item. Cost: linear in modules, instances, statements (those in
 * loops once an iteration) and bits. */
bool weir_rtl_verify(weir_rtl_design *design, weir_rtl_module top);

/* Only what every pass may rely on, whatever state the design is in: building reported no errors, no module contains
 * itself, nothing that was removed is named, everything is where it may be. */
bool weir_rtl_verify_form(weir_rtl_design *design, weir_rtl_module top);

/* Every input of every instance is connected, every output too or left open explicitly, unless assignments wire the
 * instance; every connection has the port's width under the instance's overrides; every bit that an output, an instance
 * or a statement reads is driven; no loop runs beyond what an index in it names. */
bool weir_rtl_check_connections(weir_rtl_design *design, weir_rtl_module top);
/* No bit has two drivers. */
bool weir_rtl_check_drivers(weir_rtl_design *design, weir_rtl_module top);

/* What the printer relies on, below top; each reports what is not so.
 * Names: no two modules share one. File names: none differ in case only, either. Instances: none is wired by
 * assignments, no statement names a port of one. Machines: there are none. */
bool weir_rtl_check_names(weir_rtl_design *design, weir_rtl_module top);
bool weir_rtl_check_file_names(weir_rtl_design *design, weir_rtl_module top);
bool weir_rtl_check_instances(weir_rtl_design *design, weir_rtl_module top);
bool weir_rtl_check_machines(weir_rtl_design *design, weir_rtl_module top);
/* Properties name their clocks. */
bool weir_rtl_check_properties(weir_rtl_design *design, weir_rtl_module top);

/* No function of the module calls itself, through others either. */
bool weir_rtl_check_recursion(weir_rtl_design *design, weir_rtl_module module);
/* No loop runs beyond what an index in it names: iteration by iteration, where nothing that is known there keeps it
 * from running. Loops of more than 65,536 iterations are not looked at, those with a break from 1,024 on. */
bool weir_rtl_check_bounds(weir_rtl_design *design, weir_rtl_module module);

/* Bits of a module's variables and of its wired instances' ports that are read, or leave it, and have no driver. */
typedef struct weir_rtl_gap {
    weir_rtl_net net;
    uint32_t low, width;
} weir_rtl_gap;
typedef struct weir_rtl_gaps weir_rtl_gaps;
weir_rtl_gaps *weir_rtl_gaps_new(weir_rtl_design *design);
void weir_rtl_gaps_free(weir_rtl_gaps *gaps);
/* By net, from the lowest bit on; until the next module is asked for. */
const weir_rtl_gap *weir_rtl_gaps_of(weir_rtl_gaps *gaps, weir_rtl_module module, size_t *count);

#endif
