/* What nextpnr-ice40 cannot route in netlists for iCE40. */
#ifndef WEIR_SYNTH_ICE40_H
#define WEIR_SYNTH_ICE40_H

#include <jansson.h>

/* Removes nets that go to two inputs of one lookup table from the netlist that Yosys wrote as JSON: nextpnr-ice40 (0.4)
 * may route both through one wire before the table, which it then moves from one to the other endlessly, with either of
 * its routers. Yosys leaves such tables where a number is added to its double: beyond the sign the same bit is added to
 * itself. An input of a table by itself is dropped; one that is in a carry chain, whose carry cell has the same inputs,
 * comes through a lookup table of its own. The function is the same; a second run changes nothing. */
void weir_ice40_mend(json_t *netlist);

#endif
