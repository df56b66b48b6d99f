#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plugins.h"
#include "cli/simulate.h"
#include "cosim/cosim.h"
#include "ir/print.h"
#include "support/file.h"
#include "support/folder.h"
#include "support/scratch.h"

static const char help_text[] =
    "DIR is a folder that 'weir compile' wrote. The outputs are compared with the bit-exact reference. OUT.npy gets the only\n"
    "output as the model declares it, a row per frame, OUT.npz all by name, from the last simulator that ran.\n"
    "--netlist simulates a synthesized design instead of DIR/rtl: what Yosys wrote with write_verilog, memories included;\n"
    "--cells gives the models of its cells (for iCE40, the file ice40/cells_sim.v that comes with Yosys).\n";

/* A netlist has no taps, and its cells' models are for Icarus. */
static int check_netlist(const weir_simulate *simulate) {
    if (simulate->netlist == NULL && simulate->cells != NULL) return weir_cli_misuse("sim", "--cells needs --netlist");
    if (simulate->netlist == NULL) return -1;
    if (strcmp(simulate->simulator, "icarus") != 0) return weir_cli_misuse("sim", "--netlist needs --simulator icarus");
    if (simulate->debug_frames > 0) return weir_cli_misuse("sim", "--netlist cannot be combined with --debug-frames");
    return -1;
}

/* What a run needs of the compiled folder: nobody may change it meanwhile. */
typedef struct reading {
    const char *folder, *work;
    weir_graph *hardware;
} reading;

static int read_folder(void *user) {
    reading *r = user;
    char *path = weir_path_join(r->folder, "hardware.weir");
    weir_graph_free(r->hardware);
    r->hardware = weir_graph_load(path);
    bool fine = r->hardware != NULL;
    free(path);
    if (!fine) weir_note("expected '%s' to be a folder that 'weir compile' wrote", r->folder);
    fine = fine && weir_cosim_copy(r->folder, r->work);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int simulate_in(weir_scratch *scratch, weir_simulate *simulate, const char *folder) {
    reading r = {folder, weir_scratch_path(scratch), NULL};
    int status = weir_folder_read(folder, read_folder, &r);
    simulate->work = r.work;
    json_t *report = NULL;
    if (status == WEIR_EXIT_FINE)
        status = weir_simulate_folder(simulate, folder, NULL, NULL, r.hardware, folder, &report);
    if (!weir_simulate_write(simulate, report)) status = WEIR_EXIT_INPUT;
    json_decref(report);
    weir_graph_free(r.hardware);
    return status;
}

typedef struct request {
    weir_plugins plugins;
    weir_simulate simulate;
    const char *folder;
} request;

static int simulate_scratch(void *user) {
    request *r = user;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "sim-", NULL);
    int status = scratch == NULL ? WEIR_EXIT_INPUT : simulate_in(scratch, &r->simulate, r->folder);
    weir_scratch_free(scratch);
    return status;
}

int weir_command_sim(int argc, char **argv) {
    request r = {.simulate = WEIR_SIMULATE_DEFAULTS};
    r.simulate.debug_frames = 0;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &r.simulate.results, "OUT", "write the model's outputs, .npy or .npz"},
        {"netlist", 0, WEIR_CLI_STRING, &r.simulate.netlist, "FILE",
         "simulate this netlist instead of DIR/rtl; needs --simulator icarus"},
        {"cells", 0, WEIR_CLI_STRING, &r.simulate.cells, "FILE", "Verilog models of the netlist's cells"},
        WEIR_SIMULATE_OPTIONS(r.simulate),
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("sim", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && r.simulate.data.count == 0) status = weir_cli_misuse("sim", "--data FILE is missing");
    if (status < 0) status = check_netlist(&r.simulate);
    r.folder = argv[1];
    if (status < 0) status = weir_plugins_guard(&r.plugins, simulate_scratch, &r);
    weir_cli_list_free(&r.plugins.files);
    weir_cli_list_free(&r.simulate.data);
    return status;
}
