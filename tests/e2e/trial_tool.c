/* Tries what a board would be programmed with, as 'weir board build' does before it is done.
 *   trial_tool FOLDER netlist FILE.v
 *   trial_tool FOLDER bitstream FILE.bin [decoded.v]
 *   trial_tool FOLDER bitstream_of decoded.v
 * FOLDER is built; FILE may be another than it has, with a fault. With decoded.v only that is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/decode.h"
#include "board/session.h"
#include "board/trial.h"
#include "board/wrap.h"
#include "ir/graph/print.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "synth/netlist/simulate.h"

static int try(const char *folder, const char *what, const char *verilog, const char *work) {
    char *design = weir_path_join(folder, WEIR_BOARD_DESIGN), *hardware = weir_path_join(design, "hardware.weir");
    char *cache = weir_sim_cache(NULL);
    weir_board_manifest manifest;
    weir_board_design streams;
    weir_program yosys;
    json_t *result = NULL;
    int status = WEIR_EXIT_INPUT;
    weir_graph *graph = weir_graph_load(hardware);
    if (weir_board_manifest_read(folder, &manifest) && weir_board_design_read(design, &streams) && graph != NULL &&
        weir_program_yosys(NULL, cache, &yosys)) {
        weir_board *board = weir_board_read(manifest.board, &status);
        char *models = weir_synth_cells(board->device, &yosys);
        const weir_trial trial = {.what = what,
                                  .verilog = verilog,
                                  .cells = 2000,
                                  .models = models,
                                  .board = board,
                                  .hardware = graph,
                                  .manifest = &manifest,
                                  .bytes_in = weir_board_frame_bytes(streams.input, streams.inputs),
                                  .bytes_out = weir_board_frame_bytes(streams.output, streams.outputs),
                                  .folder = work,
                                  .cache = cache};
        status = weir_trial_run(&trial, &result);
        char *text = json_dumps(result, JSON_PRESERVE_ORDER);
        puts(text == NULL ? "" : text);
        free(text);
        json_decref(result);
        free(models);
        weir_board_free(board);
        weir_program_free(&yosys);
    }
    return status;
}

/* Exit status; what there is to say is on stdout. */
static int decode(const char *folder, const char *bitstream, const char *work, const char *verilog) {
    weir_board_manifest manifest;
    int status = WEIR_EXIT_INPUT;
    if (!weir_board_manifest_read(folder, &manifest)) return status;
    weir_board *board = weir_board_read(manifest.board, &status);
    if (board == NULL) return status;
    const json_t *used = json_object_get(json_object_get(manifest.report, "resources"), "multipliers");
    const weir_cost cost = {.multipliers = json_integer_value(json_object_get(used, "used"))};
    char *why_not = NULL;
    status = weir_board_decode(board, &cost, bitstream, work, verilog, 0, &why_not);
    if (why_not != NULL) {
        puts(why_not);
        return WEIR_EXIT_TOOL;
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) return WEIR_EXIT_USAGE;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "trial-");
    const char *work = weir_scratch_path(scratch);
    const bool is_packed = strcmp(argv[2], "bitstream") == 0;
    char *decoded = weir_path_join(work, "decoded.v");
    const char *verilog = argc > 4 ? argv[4] : is_packed ? decoded : argv[3];
    int status = is_packed ? decode(argv[1], argv[3], work, verilog) : WEIR_EXIT_FINE;
    if (status == WEIR_EXIT_FINE && argc == 4)
        status = try(argv[1], strncmp(argv[2], "bitstream", 9) == 0 ? "bitstream" : "netlist", verilog, work);
    free(decoded);
    weir_scratch_free(scratch);
    return status;
}
