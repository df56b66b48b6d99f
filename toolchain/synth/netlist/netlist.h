/* What is done to a netlist between Yosys and nextpnr, on the JSON that Yosys writes (write_json). */
#ifndef WEIR_SYNTH_NETLIST_H
#define WEIR_SYNTH_NETLIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataflow/cost/device.h"

/* Registers of the fabric that went into the registers of blocks, in bits of the blocks: a flip-flop that several
 * multipliers read counts once for each. */
typedef struct weir_netlist_absorbed {
    int64_t multiplier_bits, memory_bits;
    int64_t input_bits, pipeline_bits, output_bits; /* the multiplier bits by stage */
    int64_t multipliers, memories;                  /* cells that there are */
    int64_t inputs, pipelines, outputs, reads;      /* cells that got such a register, read ports that got theirs */
    int64_t flip_flops;                             /* that are gone from the fabric */
} weir_netlist_absorbed;

/* Moves registers of the fabric into the multiplier and memory cells next to them, where the device's profile says
 * that these have registers and Yosys leaves them unused: MULT18X18D and DP16KD of ECP5. The netlist computes the same
 * from the same initial state; a second run changes nothing. Registers move inside a module, so flatten first. Stages
 * go as follows: a register after a memory is the memory's; one after a product is its output register, and with a
 * second one after it, the first is the pipeline register; those of both operands are the input registers, and a
 * flip-flop that others read as well stays for these, and constants of an operand go into its register too. A register
 * moves whole: one clock, one enable, no set or reset, 0 at first. False after a reported error, the netlist then half
 * changed: a cell with a parameter that is not known. */
bool weir_netlist_absorb(json_t *netlist, const weir_device *device, weir_netlist_absorbed *count);

/* Where Yosys has flattened, it leaves cells that say so ($scopeinfo), since its 0.37: no hardware, and older placers
 * do not know them. NULL: nothing. */
void weir_netlist_drop_scopes(json_t *netlist);

#endif
