/* What the tools call things in each family of devices, and what its netlists need: the cells that Yosys maps to, and
 * how many of which resource of a profile one of them takes. The same counts that the estimates are fitted to
 * (dataflow/cost/cost.h, scripts/cost). */
#ifndef WEIR_SYNTH_FAMILY_H
#define WEIR_SYNTH_FAMILY_H

#include <jansson.h>
#include <stdbool.h>

#include "dataflow/cost/cost.h"
#include "dataflow/cost/device.h"

typedef struct weir_synth_family {
    const char *no_pads; /* option of Yosys: no pads around a part of a design; NULL: it makes none by itself */
    bool flat; /* modules that are kept for what Yosys makes wrong on iCE40 (rtl/linear/weir_mul.v) are flattened too */
    const char *map; /* file of boards/cells that maps to gates before Yosys' own maps do; NULL: none */
    /* label of Yosys' command before which it leaves multiplexers of words (opt_share); NULL: it does not */
    const char *unmapped;
    const char *unknown; /* file of boards/cells that declares cells that Yosys may not know; NULL: none */
    const char *models;  /* of the cells, complete, in Yosys' share folder; NULL: there are none for simulation */
    const char *blocks;  /* cells that remember words or multiply, as Yosys selects them: no logic to compare */
    void (*mend)(json_t *netlist); /* what Yosys leaves wrong in it, or nextpnr cannot take; NULL: nothing */
    const char *mended;            /* changes when the same netlist must be fixed in another way */
} weir_synth_family;

const weir_synth_family *weir_synth_family_of(const weir_device *device);

/* What the netlist's module takes, and what is in it as modules of their own. `netlist`: as Yosys' write_json gives
 * it. */
weir_cost weir_synth_count(const json_t *netlist, const char *module, const weir_device *device);
/* Adds what each cell takes to the part that owns it: the number that `owner` gives for the cell's name, `count` for
 * none. */
typedef size_t weir_synth_owner(void *user, const char *cell);
void weir_synth_count_by(const json_t *netlist, const char *module, const weir_device *device, weir_synth_owner *owner,
                         void *user, weir_cost *cost, size_t count);
/* Of that, what belongs to an instance of the module, flattened or not: Yosys names a cell after the instances that it
 * comes from, and one that ABC made after a cell beside it (autoname). At the edge a few cells may be counted to the
 * other side. */
weir_cost weir_synth_count_within(const json_t *netlist, const char *module, const weir_device *device,
                                  const char *instance);
/* Is it a lookup table, a flip-flop of the family? */
bool weir_synth_is_lut(const weir_device *device, const char *cell);
bool weir_synth_is_flip_flop(const weir_device *device, const char *cell);

#endif
