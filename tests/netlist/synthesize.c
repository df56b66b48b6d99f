/* synthesize DEVICE FOLDER TOP: FOLDER/rtl as 'weir synth' synthesizes it, as FOLDER/netlist.v and
 * FOLDER/netlist.json. */
#include <stdio.h>
#include <stdlib.h>

#include "device_program.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "synth/program.h"
#include "synth/yosys.h"

static bool copy(const char *from_folder, const char *to_folder, const char *name) {
    char *from = weir_path_join(from_folder, name), *to = weir_path_join(to_folder, name);
    const bool fine = weir_file_copy(from, to);
    free(from);
    free(to);
    return fine;
}

static int synthesize(const weir_device *device, char **argv) {
    const char *folder = argv[2], *top = argv[3];
    weir_program yosys = {NULL, NULL, 0};
    char *cache = weir_sim_cache(NULL);
    weir_synth_netlist netlist = {.held = -1};
    int status = cache != NULL && weir_program_yosys(NULL, cache, &yosys) ? EXIT_SUCCESS : EXIT_FAILURE;
    const weir_synth_request request = {
        .yosys = &yosys, .device = device, .cache = cache, .folder = folder, .top = top};
    if (status == EXIT_SUCCESS) status = weir_yosys_netlist(&request, &netlist);
    if (status == EXIT_SUCCESS &&
        !(copy(netlist.folder, folder, "netlist.v") && copy(netlist.folder, folder, "netlist.json")))
        status = EXIT_FAILURE;
    weir_synth_netlist_free(&netlist);
    weir_program_free(&yosys);
    free(cache);
    return status;
}

int main(int argc, char **argv) { return run_with_device(argc, argv, 3, "synthesize DEVICE FOLDER TOP", synthesize); }
