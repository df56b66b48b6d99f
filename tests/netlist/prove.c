/* prove DEVICE FOLDER TOP: what the proof of the mapping says of FOLDER's unmapped.il and mapped.json, as JSON in a
 * line. */
#include <stdio.h>
#include <stdlib.h>

#include "device_program.h"
#include "sim/driver.h"
#include "support/file/scratch.h"
#include "synth/netlist/prove.h"
#include "synth/netlist/simulate.h"

static int prove(const weir_device *device, char **argv) {
    weir_program yosys = {NULL, NULL, 0};
    char *cache = weir_sim_cache(NULL), *models = NULL;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "prove-");
    json_t *unmapped = NULL, *result = NULL;
    if (cache != NULL && scratch != NULL && weir_program_yosys(NULL, cache, &yosys) && yosys.name != NULL) {
        models = weir_synth_cells(device, &yosys);
        const weir_synth_prove_job job = {&yosys, device, models, argv[2], argv[3]};
        unmapped = weir_prove_unmapped(&job, weir_scratch_path(scratch));
        result = unmapped == NULL ? NULL : weir_prove_mapped(&job, unmapped, weir_scratch_path(scratch));
    }
    if (result != NULL && json_dumpf(result, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER) == 0) putchar('\n');
    const int status = result == NULL ? EXIT_FAILURE : EXIT_SUCCESS;
    json_decref(result);
    json_decref(unmapped);
    weir_program_free(&yosys);
    weir_scratch_free(scratch);
    free(models);
    free(cache);
    return status;
}

int main(int argc, char **argv) { return run_with_device(argc, argv, 3, "prove DEVICE FOLDER TOP", prove); }
