/* What is done to a netlist between Yosys and nextpnr, on the JSON that Yosys writes (write_json). */
#ifndef WEIR_SYNTH_NETLIST_H
#define WEIR_SYNTH_NETLIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataflow/device.h"

/* Registers of the fabric that went into the registers of blocks, in bits. */
typedef struct weir_netlist_absorbed {
    int64_t multiplier_bits, memory_bits;
} weir_netlist_absorbed;

/* Moves registers of the fabric into the multiplier and memory cells that they stand next to, where the device's profile says
 * that these have registers and Yosys leaves them unused. The netlist computes the same. False after a reported error. */
bool weir_netlist_absorb(json_t *netlist, const weir_device *device, weir_netlist_absorbed *count);

#endif
