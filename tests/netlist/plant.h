/* Faults planted in the netlist that Yosys wrote (write_json), one at a time, the same for the same seed. */
#ifndef TEST_NETLIST_PLANT_H
#define TEST_NETLIST_PLANT_H

#include <jansson.h>

#include "dataflow/cost/device.h"

typedef enum plant_kind {
    PLANT_TABLE,    /* a bit of a lookup table */
    PLANT_WIRES,    /* two inputs of cells swapped */
    PLANT_ENABLE,   /* a flip-flop without its enable */
    PLANT_RESET,    /* a flip-flop with the other value after reset */
    PLANT_CARRY,    /* a carry that does not come in */
    PLANT_CONTENTS, /* a bit of a memory */
    PLANT_ACCESS,   /* an enable of a memory or multiplier */
    PLANT_KINDS
} plant_kind;

extern const char *const plant_names[PLANT_KINDS];

/* Changes the module's cells at a place that the number chooses. What was done, heap memory; NULL: there is no such
 * place. */
char *plant(json_t *cells, const weir_device *device, plant_kind kind, uint64_t number);

#endif
