/* Device profiles: the resources of an FPGA, read from boards/devices/NAME.yaml or a user's file. Costs (cost.h) and
 * reports read the profile and know no device by name. */
#ifndef WEIR_DATAFLOW_DEVICE_H
#define WEIR_DATAFLOW_DEVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/text/schema.h"
#include "support/text/text.h"

/* How Yosys maps logic: devices of a family cost alike. */
typedef enum weir_device_family {
    WEIR_DEVICE_ICE40,
    WEIR_DEVICE_ECP5,
    WEIR_DEVICE_GOWIN,
    WEIR_DEVICE_XILINX7,
    WEIR_DEVICE_GATEMATE,
    WEIR_DEVICE_FAMILIES
} weir_device_family;

/* "256x16": depth by width of a memory, or the operands of a multiplier. */
typedef struct weir_device_shape {
    int64_t x, y;
} weir_device_shape;

/* Kilohertz, both ends included. */
typedef struct weir_device_range {
    int64_t low, high;
} weir_device_range;

typedef struct weir_device_shapes {
    weir_device_shape *item;
    size_t count;
} weir_device_shapes;

typedef struct weir_device_memory {
    const char *cell; /* of Yosys: "SB_RAM40_4K" */
    int64_t kind;     /* weir_device_memory_kind */
    int64_t count, bits;
    weir_device_shapes shapes; /* depth x width */
    bool initialized;          /* may have contents after configuration */
    bool output_register;
    bool dual_port; /* two ports with separate read addresses, each at most half as wide as the widest shape */
} weir_device_memory;

typedef struct weir_device_memories {
    weir_device_memory *item;
    size_t count;
} weir_device_memories;

typedef enum weir_device_memory_kind {
    WEIR_DEVICE_BLOCK, /* what components use */
    WEIR_DEVICE_LARGE  /* one port, asked for by an attribute */
} weir_device_memory_kind;

/* Delays of the slowest paths in picoseconds, routing included: the start of a path (clock to output, and setup of the
 * register at its end) and what each element on it adds, in a module that is placed alone; and how the slowest path
 * changes in a design, whose wires are as long as it is large. Fitted to placements (scripts/cost, scripts/estimates).
 * All 0: not known. */
typedef struct weir_device_delays {
    int64_t flip_flop, memory, multiplier; /* blocks without their output registers */
    int64_t lut;                           /* and the wires before it */
    int64_t chain, carry;                  /* a carry chain, and each bit of it */
    int64_t fanout;                        /* each doubling of the cells that a signal goes to */
    int64_t kept;                          /* of a path in a design: percent of it in a module alone; 0: not known */
    int64_t doubling;                      /* and each doubling of the design's lookup tables */
} weir_device_delays;

/* Plain data; absent parts are zero. */
typedef struct weir_device {
    const char *path, *name, *title;
    int64_t family; /* weir_device_family */
    struct {
        const char *command;
        weir_schema_strings options;
    } yosys;
    struct {
        const char *program;
        weir_schema_strings options;
        /* of the package, for a clock, an input and an output, if nextpnr chooses none itself */
        weir_schema_strings pins;
    } nextpnr;
    struct {
        int64_t count, inputs;
        int64_t joined;    /* inputs of the widest LUT that Yosys combines; 0: it combines none */
        int64_t placeable; /* percent that nextpnr can place beside carry chains; 0: all */
    } luts;
    int64_t flip_flops;
    int64_t logic_cell; /* weir_device_logic_cell */
    struct {
        const char *cell;
        int64_t count;
        weir_device_shapes shapes;
        int64_t smallest_product; /* bits: Yosys builds smaller ones from lookup tables */
        int64_t accumulator;      /* bits */
        weir_schema_strings registers;
        bool absorbs_output; /* Yosys puts the register after a product into the block */
        bool not_inferred;   /* Yosys builds all products from lookup tables */
    } multipliers;
    weir_device_memories memories;
    struct {
        const char *cell;
        int64_t kbits, luts; /* of all; a cell */
        weir_device_shape shape;
    } distributed_ram;
    struct {
        int64_t networks, plls, oscillator_mhz;
        int64_t goal_mhz;  /* the default clock that hardware is built for */
        int64_t board_mhz; /* about the clock that boards/common reaches; 0: not measured */
    } clocks;
    struct {
        weir_device_range input, detector, vco, output; /* ranges of the parts of a PLL; all 0: not known */
    } pll;
    weir_device_delays delays;
    weir_schema_strings notes;
} weir_device;

typedef enum weir_device_logic_cell {
    WEIR_DEVICE_SEPARATE, /* lookup tables and flip-flops are used independently */
    WEIR_DEVICE_SHARED    /* a flip-flop without its own lookup table before it takes a cell by itself */
} weir_device_logic_cell;

/* The profile of a device that Weir knows, or of a file: a name with a '/' or that ends with ".yaml" is a path. NULL
 * after a reported error, with the nearest name for an unknown one; `status` is the exit status for it. */
weir_device *weir_device_read(const char *name_or_path, int *status);
/* The same for a name in a file: an unknown one is reported at its location. */
weir_device *weir_device_read_for(weir_location asker, const char *name_or_path, int *status);
void weir_device_free(weir_device *device);
/* The names that Weir knows, sorted: heap memory, one allocation. NULL after a reported error. */
char **weir_device_names(size_t *count);
const char *weir_device_family_name(weir_device_family family);
/* Lookup tables that a design can use: those that can be placed. */
int64_t weir_device_luts(const weir_device *device);
/* The memory blocks that components use; NULL: the device has none. */
const weir_device_memory *weir_device_block(const weir_device *device);
/* Has the multiplier such a register ("input", "pipeline", "output")? */
bool weir_device_multiplier_has(const weir_device *device, const char *stage);
/* Does `weir synth` move registers of the fabric into those that such a cell of the device has
 * (synth/netlist/netlist.h)? Yosys leaves them unused in ECP5. */
bool weir_device_absorbs(const weir_device *device, const char *cell);
/* Does the register after a product, those before it, or the one after the memory block's data go into the block, moved
 * by Yosys or `weir synth`? */
bool weir_device_multiplier_takes_output(const weir_device *device);
bool weir_device_multiplier_takes_operands(const weir_device *device);
bool weir_device_memory_takes_output(const weir_device *device);
/* Does Yosys make a lookup table of so many registers in a row, a bit? */
bool weir_device_shifts(const weir_device *device, int64_t registers);
/* A line a device; all of one; the same as an object, a new reference. */
void weir_device_print_list(weir_device *const *devices, size_t count, weir_text *text);
void weir_device_print(const weir_device *device, weir_text *text);
json_t *weir_device_json(const weir_device *device);

/* Blocks for a memory, and the rows of blocks that its words are in. */
int64_t weir_device_blocks(const weir_device *device, int64_t width, int64_t depth, int64_t *rows);
/* Blocks for a memory that two ports read, each in one row of blocks, so that no word is chosen; 0: blocks have one
 * port, or it takes rows. */
int64_t weir_device_dual_port_blocks(const weir_device *device, int64_t width, int64_t depth);
/* Words side by side in a line of a ROM in blocks, so that lines are not chosen among rows of blocks: as few blocks as
 * can be, then as few words; 1 if it is at most as deep as a block. */
int64_t weir_device_words_a_line(const weir_device *device, int64_t width, int64_t depth);

#endif
