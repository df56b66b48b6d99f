/* The critical path in words of the design: which register of which node's component it leaves, and where it ends. */
#ifndef WEIR_SYNTH_PATH_H
#define WEIR_SYNTH_PATH_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"
#include "support/text/text.h"
#include "synth/yosys.h"

/* A place in the design. Strings are heap memory; NULL: unknown. */
typedef struct weir_synth_place {
    char *node;      /* of the hardware graph; NULL: outside of all */
    char *component; /* the module of rtl/ that the net is declared in */
    char *net;       /* inside of the node's instance: "u_shell.u_multiply.x_q[0]" */
} weir_synth_place;

typedef struct weir_synth_path {
    double delay_ns, logic_ns, routing_ns; /* logic: with clock-to-data and setup */
    size_t levels;                         /* cells between the two registers */
    weir_synth_place from, to;
} weir_synth_path;

/* The slowest path that nextpnr reports from a clock edge to one; false: it reports none. Free it in any case. */
bool weir_synth_path_read(const json_t *report, const weir_synth_netlist *netlist, const weir_graph *hardware,
                          const weir_device *device, weir_synth_path *path);
void weir_synth_path_free(weir_synth_path *path);
/* "fc2_requantize: weir_scale_multiply x_q[0] to weir_saturate m_data[3]". */
void weir_synth_path_print(const weir_synth_path *path, weir_text *text);
/* A new object. */
json_t *weir_synth_path_json(const weir_synth_path *path);

#endif
