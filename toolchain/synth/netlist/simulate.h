/* A netlist against the reference, with the harness that the Verilog is simulated with. */
#ifndef WEIR_SYNTH_SIMULATE_H
#define WEIR_SYNTH_SIMULATE_H

#include "ir/graph/graph.h"
#include "synth/netlist/check.h"
#include "synth/yosys.h"

typedef struct weir_synth_simulate_job {
    const weir_graph *hardware;
    const char *folder; /* a copy of the compiled one that is not shared */
    const char *data;   /* as weir_frames_read takes it; NULL: seeded random inputs */
    int64_t frames;     /* 0: those of the data, of random ones a few, but no more than take some minutes */
    const char *cache;
} weir_synth_simulate_job;

/* The file of Verilog models of the device's cells: Weir's own of the family in boards/cells, else those that come with
 * Yosys. Heap memory, NULL: there are none, or that Yosys is not there. */
char *weir_synth_cells(const weir_device *device, const weir_program *yosys);

/* A file in the folder with seeded random frames for each input of the graph, as weir_frames_read takes it. Heap
 * memory, NULL after a reported error. */
char *weir_synth_random_frames(const weir_graph *hardware, const char *folder, int64_t frames);

/* Frames through the netlist in Icarus, with the models of its cells. WEIR_EXIT_FINE, also when there is a reason not
 * to; the reference disagrees: WEIR_EXIT_MISMATCH; or WEIR_EXIT_TOOL or WEIR_EXIT_INPUT after a reported error. */
int weir_synth_simulate(const weir_synth_simulate_job *job, const weir_synth_netlist *netlist,
                        const weir_device *device, const weir_program *yosys, weir_synth_check *simulation);

#endif
