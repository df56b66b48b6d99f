#include "synth/netlist/family.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "synth/netlist/gowin.h"
#include "synth/netlist/ice40.h"

static const weir_synth_family families[WEIR_DEVICE_FAMILIES] = {
    [WEIR_DEVICE_ICE40] = {.models = "ice40/cells_sim.v",
                           .blocks = "=SB_RAM40* =SB_SPRAM256KA =SB_MAC16",
                           .mend = weir_ice40_mend,
                           .mended = "2"},
    [WEIR_DEVICE_ECP5] = {.flat = true, .blocks = "=DP16KD =TRELLIS_DPR16X4 =MULT18X18D"},
    [WEIR_DEVICE_GOWIN] = {.no_pads = "-noiopads",
                           .map = "gowin_map.v",
                           .blocks = "=RAM16* =SP =SPX9 =SDP* =DPX9* =DPB =DP =MULT*",
                           .mend = weir_gowin_mend,
                           .mended = "2"},
    [WEIR_DEVICE_XILINX7] = {.no_pads = "-noiopad"},
    [WEIR_DEVICE_GATEMATE] = {.no_pads = "-noiopad",
                              .unmapped = "map_luts",
                              .unknown = "gatemate_yosys.v",
                              .models = "gatemate/cells_sim.v",
                              .blocks = "=CC_BRAM* =CC_MULT"},
};

const weir_synth_family *weir_synth_family_of(const weir_device *device) {
    assert((size_t)device->family < sizeof families / sizeof *families);
    return &families[device->family];
}

/* --- cells --- */

typedef enum resource { LUT, FLIP_FLOP, MULTIPLIER, HALF_MULTIPLIER, MEMORY } resource;

/* Cells whose name is `name`, or begins with it when it ends with a '*', take `count` of the resource. The first row
 * counts. */
typedef struct cell_row {
    int64_t family; /* weir_device_family */
    const char *name;
    resource resource;
    int64_t count;
} cell_row;

static const cell_row rows[] = {
    {WEIR_DEVICE_ICE40, "SB_LUT4", LUT, 1},
    {WEIR_DEVICE_ICE40, "SB_DFF*", FLIP_FLOP, 1},
    {WEIR_DEVICE_ICE40, "SB_MAC16", MULTIPLIER, 1},
    {WEIR_DEVICE_ICE40, "SB_RAM40_4K*", MEMORY, 1},
    {WEIR_DEVICE_ECP5, "LUT4", LUT, 1},
    {WEIR_DEVICE_ECP5, "CCU2C", LUT, 2},
    {WEIR_DEVICE_ECP5, "TRELLIS_DPR16X4", LUT, 4},
    {WEIR_DEVICE_ECP5, "TRELLIS_FF", FLIP_FLOP, 1},
    {WEIR_DEVICE_ECP5, "MULT18X18D", MULTIPLIER, 1},
    {WEIR_DEVICE_ECP5, "DP16KD", MEMORY, 1},
    {WEIR_DEVICE_ECP5, "PDPW16KD", MEMORY, 1},
    {WEIR_DEVICE_GOWIN, "LUT1", LUT, 1},
    {WEIR_DEVICE_GOWIN, "LUT2", LUT, 1},
    {WEIR_DEVICE_GOWIN, "LUT3", LUT, 1},
    {WEIR_DEVICE_GOWIN, "LUT4", LUT, 1},
    {WEIR_DEVICE_GOWIN, "ALU", LUT, 1},
    {WEIR_DEVICE_GOWIN, "RAM16*", LUT, 4},
    {WEIR_DEVICE_GOWIN, "DFF*", FLIP_FLOP, 1},
    {WEIR_DEVICE_GOWIN, "MULT9X9", HALF_MULTIPLIER, 1},
    {WEIR_DEVICE_GOWIN, "MULT18X18", MULTIPLIER, 1},
    {WEIR_DEVICE_GOWIN, "MULT36X36", MULTIPLIER, 4},
    {WEIR_DEVICE_GOWIN, "SP*", MEMORY, 1},
    {WEIR_DEVICE_GOWIN, "SDP*", MEMORY, 1},
    {WEIR_DEVICE_GOWIN, "DP*", MEMORY, 1},
    {WEIR_DEVICE_GOWIN, "pROM*", MEMORY, 1},
    {WEIR_DEVICE_XILINX7, "LUT*", LUT, 1},
    {WEIR_DEVICE_XILINX7, "INV", LUT, 1},
    {WEIR_DEVICE_XILINX7, "SRL*", LUT, 1},
    {WEIR_DEVICE_XILINX7, "RAM32M", LUT, 4},
    {WEIR_DEVICE_XILINX7, "RAM64M", LUT, 4},
    {WEIR_DEVICE_XILINX7, "RAM32X1D", LUT, 2},
    {WEIR_DEVICE_XILINX7, "RAM64X1D", LUT, 2},
    {WEIR_DEVICE_XILINX7, "RAM128X1D", LUT, 4},
    {WEIR_DEVICE_XILINX7, "FD*", FLIP_FLOP, 1},
    {WEIR_DEVICE_XILINX7, "DSP48E1", MULTIPLIER, 1},
    {WEIR_DEVICE_XILINX7, "RAMB18E1", MEMORY, 1},
    {WEIR_DEVICE_XILINX7, "RAMB36E1", MEMORY, 2},
    {WEIR_DEVICE_GATEMATE, "CC_LUT*", LUT, 1},
    {WEIR_DEVICE_GATEMATE, "CC_L2T*", LUT, 1},
    {WEIR_DEVICE_GATEMATE, "CC_MX*", LUT, 1},
    {WEIR_DEVICE_GATEMATE, "CC_ADDF", LUT, 1},
    {WEIR_DEVICE_GATEMATE, "CC_DFF", FLIP_FLOP, 1},
    {WEIR_DEVICE_GATEMATE, "CC_BRAM_20K", MEMORY, 1},
    {WEIR_DEVICE_GATEMATE, "CC_BRAM_40K", MEMORY, 2},
};

static const cell_row *row_of(const weir_device *device, const char *cell) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t size = strcspn(rows[i].name, "*");
        if (rows[i].family != device->family || strncmp(cell, rows[i].name, size) != 0) continue;
        if (rows[i].name[size] == '*' || cell[size] == '\0') return &rows[i];
    }
    return NULL;
}

static bool is_kind(const weir_device *device, const char *cell, resource kind) {
    const cell_row *row = row_of(device, cell);
    return row != NULL && row->resource == kind;
}

bool weir_synth_is_lut(const weir_device *device, const char *cell) { return is_kind(device, cell, LUT); }
bool weir_synth_is_flip_flop(const weir_device *device, const char *cell) { return is_kind(device, cell, FLIP_FLOP); }

/* --- flip-flops that take a logic cell by themselves --- */

/* By the number of a net's bit: how many inputs of cells it goes to, and whether a lookup table drives it. */
typedef struct bits {
    uint32_t *readers;
    bool *of_lut;
    size_t count, readers_capacity, lut_capacity;
} bits;

static void note_bit(bits *b, json_int_t bit, bool is_output, bool is_lut) {
    if (bit < 0) return;
    const size_t index = (size_t)bit;
    b->readers = weir_grow_zeroed(b->readers, &b->readers_capacity, index + 1, sizeof *b->readers);
    b->of_lut = weir_grow_zeroed(b->of_lut, &b->lut_capacity, index + 1, sizeof *b->of_lut);
    if (index >= b->count) b->count = index + 1;
    if (!is_output) b->readers[index]++;
    else if (is_lut) b->of_lut[index] = true;
}

static void note_cell(bits *b, const json_t *cell, bool is_lut) {
    const char *port;
    json_t *connection, *bit;
    size_t i;
    const json_t *directions = json_object_get(cell, "port_directions");
    json_object_foreach(json_object_get(cell, "connections"), port, connection) {
        const char *direction = json_string_value(json_object_get(directions, port));
        const bool is_output = direction != NULL && strcmp(direction, "output") == 0;
        json_array_foreach(connection, i, bit) {
            if (json_is_integer(bit)) note_bit(b, json_integer_value(bit), is_output, is_lut);
        }
    }
}

/* Flip-flops that share no logic cell with a lookup table, by part. */
static void count_lone(const json_t *cells, const weir_device *device, weir_synth_owner *owner, void *user,
                       weir_cost *cost, size_t count) {
    bits b = {NULL, NULL, 0, 0, 0};
    const char *name;
    json_t *cell;
    json_object_foreach((json_t *)(uintptr_t)cells, name, cell) {
        note_cell(&b, cell, weir_synth_is_lut(device, json_string_value(json_object_get(cell, "type"))));
    }
    json_object_foreach((json_t *)(uintptr_t)cells, name, cell) {
        if (!weir_synth_is_flip_flop(device, json_string_value(json_object_get(cell, "type")))) continue;
        const size_t part = owner(user, name);
        if (part >= count) continue;
        const json_t *bit = json_array_get(json_object_get(json_object_get(cell, "connections"), "D"), 0);
        const size_t index = json_is_integer(bit) ? (size_t)json_integer_value(bit) : SIZE_MAX;
        cost[part].luts += index >= b.count || !b.of_lut[index] || b.readers[index] > 1;
    }
    free(b.readers);
    free(b.of_lut);
}

/* --- counting --- */

static void add_to(weir_cost *cost, const weir_cost *other) {
    cost->luts += other->luts;
    cost->flip_flops += other->flip_flops;
    cost->multipliers += other->multipliers;
    cost->memory_blocks += other->memory_blocks;
}

static weir_cost cost_of(const weir_device *device, const char *cell) {
    const cell_row *row = row_of(device, cell);
    weir_cost cost = {0};
    if (row == NULL) return cost;
    if (row->resource == LUT) cost.luts = row->count;
    if (row->resource == FLIP_FLOP) cost.flip_flops = row->count;
    if (row->resource == MULTIPLIER) cost.multipliers = row->count;
    if (row->resource == MEMORY) cost.memory_blocks = row->count;
    return cost;
}

void weir_synth_count_by(const json_t *netlist, const char *module, const weir_device *device, weir_synth_owner *owner,
                         void *user, weir_cost *cost, size_t count) {
    const json_t *modules = json_object_get(netlist, "modules");
    json_t *cells = json_object_get(json_object_get(modules, module), "cells"), *cell;
    int64_t *halves = weir_calloc(count + 1, sizeof *halves);
    const char *name;
    json_object_foreach(cells, name, cell) {
        const size_t part = owner(user, name);
        if (part >= count) continue;
        const char *type = json_string_value(json_object_get(cell, "type"));
        const json_t *inner = json_object_get(modules, type);
        const bool is_design =
            inner != NULL && json_object_get(json_object_get(inner, "attributes"), "blackbox") == NULL;
        const weir_cost one = is_design ? weir_synth_count(netlist, type, device) : cost_of(device, type);
        add_to(&cost[part], &one);
        halves[part] += !is_design && is_kind(device, type, HALF_MULTIPLIER);
    }
    for (size_t i = 0; i < count; i++) cost[i].multipliers += (halves[i] + 1) / 2;
    if (device->logic_cell == WEIR_DEVICE_SHARED) count_lone(cells, device, owner, user, cost, count);
    free(halves);
}

/* 0: within the instance, NULL: all. */
static size_t within(void *user, const char *cell) {
    const char *const *instance = user;
    const size_t size = *instance == NULL ? 0 : strlen(*instance);
    const bool is_within =
        *instance == NULL || (strncmp(cell, *instance, size) == 0 && (cell[size] == '.' || cell[size] == '\0'));
    return is_within ? 0 : 1;
}

weir_cost weir_synth_count_within(const json_t *netlist, const char *module, const weir_device *device,
                                  const char *instance) {
    weir_cost total = {0};
    weir_synth_count_by(netlist, module, device, within, &instance, &total, 1);
    return total;
}

weir_cost weir_synth_count(const json_t *netlist, const char *module, const weir_device *device) {
    return weir_synth_count_within(netlist, module, device, NULL);
}
