#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/plugins.h"
#include "cli/simulate.h"
#include "cosim/cosim.h"
#include "dataflow/cost/device.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "synth/netlist/simulate.h"
#include "synth/program.h"

static const char help_text[] =
    "DIR is a folder that 'weir compile' wrote. The outputs are compared with the bit-exact reference. OUT.npy gets "
    "the only\n"
    "output as the model declares it, a row per frame, OUT.npz all by name, from the last simulator that ran.\n"
    "--netlist simulates a synthesized design, memories included, as Yosys' write_verilog wrote it, instead of "
    "DIR/rtl.\n"
    "Models of its cells are those of the device that DIR was compiled for, or --cells.\n";

/* A netlist has no taps. */
static int check_netlist(const weir_simulate *simulate) {
    if (simulate->netlist == NULL && simulate->cells != NULL) return weir_cli_misuse("sim", "--cells needs --netlist");
    if (simulate->netlist == NULL) return -1;
    if (simulate->debug_frames > 0) return weir_cli_misuse("sim", "--netlist cannot be combined with --debug-frames");
    return -1;
}

/* What a run needs of the compiled folder: it may not change meanwhile. */
typedef struct reading {
    const char *folder, *work;
    weir_graph *hardware;
} reading;

static int read_folder(void *user) {
    reading *r = user;
    char *path = weir_path_join(r->folder, "hardware.weir");
    weir_graph_free(r->hardware);
    r->hardware = weir_graph_load(path);
    bool fine = r->hardware != NULL && weir_folding_verify(r->hardware);
    free(path);
    if (!fine) weir_note("expected '%s' to be a folder that 'weir compile' wrote", r->folder);
    fine = fine && weir_cosim_copy(r->folder, r->work);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

/* Yosys has the models of some families. */
static int find_models(const weir_device *device, char **cells) {
    weir_program yosys = {.name = NULL};
    char *cache = weir_sim_cache(NULL);
    const bool fine = cache != NULL && weir_program_yosys(NULL, cache, &yosys);
    *cells = fine ? weir_synth_cells(device, &yosys) : NULL;
    if (fine && *cells == NULL) {
        weir_error(WEIR_NOWHERE, "found no models of the cells of %s", device->name);
        weir_note("--cells FILE gives them; those of iCE40 and Gowin come with Yosys");
    }
    weir_program_free(&yosys);
    free(cache);
    return *cells != NULL ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}

/* Of the device for which the folder was compiled. Exit status. */
static int choose_cells(const char *folder, const weir_graph *hardware, char **cells) {
    const char *name = weir_graph_device(hardware);
    weir_device *device = NULL;
    int status = WEIR_EXIT_USAGE;
    if (*name != '\0') status = weir_estimate_open(name, &device);
    else {
        weir_cli_misuse("sim", "--cells FILE is missing");
        weir_note("'%s' was compiled for no device, so the models of its cells are not known", folder);
    }
    if (status == WEIR_EXIT_FINE) status = find_models(device, cells);
    weir_device_free(device);
    return status;
}

static int simulate_in(weir_scratch *scratch, weir_simulate *simulate, const char *folder) {
    reading r = {folder, weir_scratch_path(scratch), NULL};
    int status = weir_folder_read(folder, read_folder, &r);
    simulate->work = r.work;
    json_t *report = NULL;
    char *cells = NULL;
    if (status == WEIR_EXIT_FINE && simulate->netlist != NULL && simulate->cells == NULL) {
        status = choose_cells(folder, r.hardware, &cells);
        simulate->cells = cells;
    }
    if (status == WEIR_EXIT_FINE)
        status = weir_simulate_folder(simulate, folder, NULL, NULL, NULL, r.hardware, folder, &report);
    if (simulate->netlist == NULL) weir_page_leave(folder, WEIR_PAGE_SIMULATION, r.hardware, report);
    if (!weir_simulate_write(simulate, folder, r.hardware, report)) status = WEIR_EXIT_INPUT;
    json_decref(report);
    weir_graph_free(r.hardware);
    free(cells);
    return status;
}

typedef struct request {
    weir_plugins plugins;
    weir_simulate simulate;
    const char *folder;
} request;

static int simulate_scratch(void *user) {
    request *r = user;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "sim-");
    int status = scratch == NULL ? WEIR_EXIT_INPUT : simulate_in(scratch, &r->simulate, r->folder);
    weir_scratch_free(scratch);
    return status;
}

/* None, but for a picture, which shows what components do in them. A netlist has no streams to look at. */
static void choose_debug_frames(weir_simulate *s) {
    if (s->debug_frames != WEIR_DEBUG_FRAMES_OPEN) return;
    s->debug_frames = s->picture != NULL && s->netlist == NULL ? WEIR_DEBUG_FRAMES : 0;
    if (s->debug_frames > 0)
        weir_note("up to %d debug frames are simulated for the activity in '%s'; --debug-frames N sets another number",
                  WEIR_DEBUG_FRAMES, s->picture);
}

enum { NO_THREADS = -1 }; /* the user has not said how many */

int weir_command_sim(int argc, char **argv) {
    request r = {.simulate = WEIR_SIMULATE_DEFAULTS};
    r.simulate.debug_frames = WEIR_DEBUG_FRAMES_OPEN;
    int64_t threads = NO_THREADS;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &r.simulate.results, "OUT", "write the model's outputs, .npy or .npz"},
        {"netlist", 0, WEIR_CLI_STRING, &r.simulate.netlist, "FILE", "simulate this netlist instead of DIR/rtl"},
        {"cells", 0, WEIR_CLI_STRING, &r.simulate.cells, "FILE", "Verilog models of its cells (of the device of DIR)"},
        WEIR_SIMULATE_OPTIONS(r.simulate),
        {"threads", 0, WEIR_CLI_INT, &threads, "N", "not here: a simulation runs its frames one after another"},
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("sim", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && r.simulate.data.count == 0) status = weir_cli_misuse("sim", "--data FILE is missing");
    if (status < 0 && threads != NO_THREADS)
        status = weir_cli_misuse(
            "sim",
            "a simulation runs its frames one after another: --threads is for check, eval and dse, whose engines and "
            "searches run in threads");
    if (status < 0) choose_debug_frames(&r.simulate);
    if (status < 0) status = check_netlist(&r.simulate);
    r.folder = argv[1];
    if (status < 0) status = weir_plugins_guard(&r.plugins, simulate_scratch, &r);
    weir_cli_list_free(&r.plugins.files);
    weir_cli_list_free(&r.simulate.data);
    return status;
}
