/* How much of a netlist a simulation moves: a copy of it that keeps, at the first edges of its clock and then at some,
 * which of its nets have been 0 and which 1. */
#ifndef WEIR_SYNTH_COVERAGE_H
#define WEIR_SYNTH_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes `netlist`, Verilog as Yosys writes it with one net a line, to `to` with what watches the nets of its last
 * module but the clock. Whenever a frame has left, the copy writes `record`; it continues from a record that is there.
 * False after a reported error. */
bool weir_synth_watch(const char *netlist, const char *to, const char *record);

typedef struct weir_synth_coverage {
    size_t nets, toggled; /* single bits; those that were 0 and 1 */
    char *still;          /* names of the first nets that were not both, separated by blanks; heap memory */
} weir_synth_coverage;

/* The coverage of the netlist in a record; false: there is none, as no frame has left. Free `still`. */
bool weir_synth_coverage_read(const char *netlist, const char *record, weir_synth_coverage *coverage);

#endif
