/* absorb DEVICE IN.json OUT.json: what 'weir synth' does to a netlist between Yosys and nextpnr, alone. Prints the
 * counts. */
#include <stdio.h>
#include <stdlib.h>

#include "device_program.h"
#include "synth/netlist/family.h"
#include "synth/netlist/netlist.h"

static int absorb(const weir_device *device, char **argv) {
    const char *from = argv[2], *to = argv[3];
    json_error_t error;
    json_t *netlist = json_load_file(from, 0, &error);
    weir_netlist_absorbed count = {0};
    bool fine = netlist != NULL;
    if (!fine) fprintf(stderr, "%s:%d: error: %s\n", from, error.line, error.text);
    const weir_synth_family *family = weir_synth_family_of(device);
    if (fine && family->mend != NULL) family->mend(netlist);
    fine = fine && weir_netlist_absorb(netlist, device, &count);
    fine = fine && json_dump_file(netlist, to, JSON_INDENT(1)) == 0;
    json_decref(netlist);
    if (fine) {
        printf(
            "inputs %lld (%lld bits) pipelines %lld (%lld) outputs %lld (%lld) of %lld multipliers; reads %lld (%lld) of %lld "
            "memories; %lld flip-flops fewer\n",
            (long long)count.inputs, (long long)count.input_bits, (long long)count.pipelines,
            (long long)count.pipeline_bits, (long long)count.outputs, (long long)count.output_bits,
            (long long)count.multipliers, (long long)count.reads, (long long)count.memory_bits,
            (long long)count.memories, (long long)count.flip_flops);
    }
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) { return run_with_device(argc, argv, 3, "absorb DEVICE IN.json OUT.json", absorb); }
