#include "cli/board_run.h"
#include "cli/cli.h"

static const char help_text[] =
    "DIR is a folder that 'weir board build' wrote, whose bitstream runs on the board. Frames go over the wire, and "
    "the results\n"
    "are compared with the bit-exact reference. A board built with --benchmark also runs frames that it makes itself.\n"
    "Exit status 3: results differ; 5: the board answers wrongly.\n";

int weir_command_run(int argc, char **argv) {
    weir_board_run run = WEIR_BOARD_RUN_DEFAULTS("run", WEIR_BOARD_RUN_FRAMES);
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &run.results, "OUT", "write the model's outputs, .npy or .npz"},
        {"which", 0, WEIR_CLI_STRING, &run.which, "PORT",
         "which of several such boards: its USB serial, place or port"},
        WEIR_BOARD_RUN_OPTIONS(run),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("run", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0) status = weir_board_run_check(&run);
    if (status < 0) {
        run.folder = argv[1];
        status = weir_board_run_folder(&run);
    }
    weir_board_run_free(&run);
    return status;
}
