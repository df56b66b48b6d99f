/* Synthesizes a compiled folder, simulates its netlist, places it, and reports: `weir synth` and
 * `weir check --device`. */
#ifndef WEIR_SYNTH_SYNTH_H
#define WEIR_SYNTH_SYNTH_H

#include <jansson.h>

#include "dataflow/cost/cost.h"
#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"
#include "support/text/text.h"
#include "synth/netlist/path.h"
#include "synth/netlist/prove.h"
#include "synth/netlist/simulate.h"
#include "synth/place.h"
#include "synth/yosys.h"

typedef enum weir_synth_placing {
    WEIR_SYNTH_UNPLACED,
    WEIR_SYNTH_PLACED_IF_FOUND,
    WEIR_SYNTH_PLACED
} weir_synth_placing;

typedef struct weir_synth_options {
    const weir_device *device;
    const weir_graph *hardware; /* of the folder */
    const char *folder;         /* a private copy of the compiled one; files are written there */
    const char *top;            /* module */
    weir_synth_placing placing;
    const char *yosys;  /* as in weir_program_yosys */
    const char *placer; /* as in weir_place_job */
    int64_t seeds;
    int64_t clock_mhz; /* the goal; 0: that of the hardware, else of the device */
    int64_t seconds;   /* limit for Yosys and for each placement; 0: none */
    bool simulate;
    const char *data; /* as in weir_synth_simulate_job */
    int64_t frames;
    bool prove;                            /* also a large netlist; small ones are proved whenever they are simulated */
    const weir_place_elsewhere *elsewhere; /* as in weir_place_job */
} weir_synth_options;

/* Valid as long as device and hardware are. */
typedef struct weir_synth {
    const weir_device *device;
    const char *placer;
    const weir_graph *hardware;
    char *top;
    int64_t clock_mhz, interval;
    weir_program yosys, nextpnr; /* nextpnr's name is NULL when it was not used */
    weir_synth_netlist netlist;
    weir_cost cost; /* of the netlist */
    weir_cost_report estimate;
    weir_placements placements;
    size_t ports;   /* bits, without the clock */
    weir_cost pins; /* cells between them and the pins */
    bool has_path;  /* the next holds */
    weir_synth_path path;
    bool is_simulated; /* or said why not */
    weir_synth_check simulation;
    bool is_proved; /* or said why not, or what is different */
    weir_synth_check proof;
} weir_synth;

/* Exit status; *synth is valid in any case and holds what was done. Free it with weir_synth_free. */
int weir_synth_run(const weir_synth_options *options, weir_synth **synth);
void weir_synth_free(weir_synth *synth);
/* Compares Yosys' counts with the device: an error, or a warning unless it must fit, for each resource that is
 * exceeded. */
bool weir_synth_fits(const weir_cost *cost, const weir_device *device, bool must);
/* Of the best placement; NULL: not placed. */
const weir_placement *weir_synth_best(const weir_synth *synth);
/* Frames a second at the placed clock; 0: not placed. */
double weir_synth_inferences(const weir_synth *synth);
/* For users. */
void weir_synth_print(const weir_synth *synth, weir_text *text);
/* Warns of a missed clock goal, with the critical path. */
void weir_synth_warn(const weir_synth *synth);
/* A new object; README.md has the schema. */
json_t *weir_synth_json(const weir_synth *synth);
/* Netlist, the report (weir_synth_json) and messages of the tools as files of the folder. False after a reported
 * error. */
bool weir_synth_write(const weir_synth *synth, const json_t *report, const char *folder);

#endif
