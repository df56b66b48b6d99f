/* Yosys: the netlist of a compiled design, and of the cells between it and the pins during placement. Results are
 * cached, keyed by everything that they depend on. */
#ifndef WEIR_SYNTH_YOSYS_H
#define WEIR_SYNTH_YOSYS_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "synth/netlist/netlist.h"
#include "synth/program.h"

/* Files of a netlist's folder for its proof: the design before cells are mapped, and the netlist as Yosys wrote it. */
#define WEIR_SYNTH_UNMAPPED "unmapped.il"
#define WEIR_SYNTH_MAPPED "mapped.json"

typedef struct weir_synth_netlist {
    char *folder;  /* in the cache: netlist.json, netlist.v, yosys.log, and the files above */
    int held;      /* keeps it until the netlist is freed */
    json_t *json;  /* as Yosys wrote it, with registers absorbed */
    char *top;     /* the module */
    weir_hash key; /* of everything that it depends on */
    weir_netlist_absorbed absorbed;
    bool cached; /* Yosys was not started */
} weir_synth_netlist;

typedef struct weir_synth_request {
    const weir_program *yosys;
    const weir_device *device;
    const char *cache;
    const char *folder; /* FOLDER/rtl has the sources, and files are written there: a private copy */
    const char *top;    /* the module */
    bool pads; /* its ports are a board's pins, each with the pad that its family wants; else a part of a design */
} weir_synth_request;

/* WEIR_EXIT_FINE, or, after a reported error, WEIR_EXIT_TOOL or WEIR_EXIT_INPUT. Free the netlist in any case. */
int weir_yosys_netlist(const weir_synth_request *request, weir_synth_netlist *netlist);
size_t weir_synth_netlist_cells(const weir_synth_netlist *netlist);
void weir_synth_netlist_free(weir_synth_netlist *netlist);

/* Runs a script in a folder, where `log` is written. False after a reported error. */
bool weir_yosys_run(const weir_program *yosys, const char *folder, const char *log, const char *script);

/* The top module for placement: `weir_pins` has the design as u_design and three pins, because a design has more ports
 * than most packages have pins. A shift register drives the inputs, each output is registered, and a second chain
 * combines these registers: no path of the design ends at a pin or gets longer. NULL after a reported error. */
json_t *weir_yosys_pins(const weir_program *yosys, const weir_device *device, const char *cache,
                        const weir_synth_netlist *design);
#define WEIR_SYNTH_PINS "weir_pins"
#define WEIR_SYNTH_DESIGN "u_design"

/* Both in one netlist for nextpnr. A new object. */
json_t *weir_yosys_join(const weir_synth_netlist *design, const json_t *pins);

#endif
