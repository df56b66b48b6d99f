#include <string.h>

#include "cli/board_make.h"
#include "cli/board_patch.h"
#include "cli/cli.h"

static const char help_text[] =
    "'weir board build MODEL -o DIR --board B' compiles the model for the board's device, less what the board's own logic takes,\n"
    "puts PLL, reset, UART link and accelerator together, places it at the highest clock that it keeps, and packs the bitstream.\n"
    "MODEL may be a folder that 'weir compile' wrote. DIR gets design/ (the compiled folder), rtl/ (all sources of the bitstream),\n"
    "constraints, the placed design, the bitstream and board.json, which 'weir run' and 'weir bringup' read.\n"
    "With --patchable the hardware takes any weights, biases, scales and an output's zero point of the model's types: 'weir board weights DIR NEW' puts those of\n"
    "NEW, the same network trained on, into DIR's bitstream without placement. It is DIR's that becomes NEW's, or stays as it was.\n"
    "Exit status 1: it does not fit, or no placement keeps the clock; 4: a program is missing or failed.\n";

/* 'build MODEL'. */
static int build(weir_board_make *make, char **argv) {
    const int status = weir_board_make_check(make);
    make->model = argv[2];
    return status < 0 ? weir_board_make_run(make) : status;
}

/* 'weights DIR NEW'. */
static int change_weights(const weir_board_make *make, char **argv) {
    const char *given = weir_board_make_shaping(make);
    if (given != NULL)
        return weir_cli_misuse("board", "'%s' is built already: --%s would change nothing", argv[2], given);
    weir_board_patching patching = {
        .job = make->job, .folder = argv[2], .model = argv[3], .json = make->json, .seconds = make->seconds};
    return weir_board_patching_run(&patching);
}

int weir_command_board(int argc, char **argv) {
    weir_board_make make = WEIR_BOARD_MAKE_DEFAULTS("board");
    const weir_cli_option options[] = {
        WEIR_BOARD_MAKE_OPTIONS(make, "folder to write, required"),
        {"sources", 0, WEIR_CLI_FLAG, &make.sources_only, NULL, "no bitstream: what 'weir bringup --sim' simulates"},
        {"json", 'j', WEIR_CLI_STRING, &make.json, "FILE", "write the report as JSON"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("board", options, help_text, argc, argv, 2, 3, &count);
    const bool builds = status < 0 && strcmp(argv[1], "build") == 0,
               patches = status < 0 && strcmp(argv[1], "weights") == 0;
    if (status < 0 && !builds && !patches)
        status = weir_cli_misuse("board", "unknown action '%s', expected build or weights", argv[1]);
    if (status < 0 && count != (builds ? 2 : 3))
        status = weir_cli_misuse("board", builds ? "'build' takes one MODEL" : "'weights' takes DIR and NEW");
    if (status < 0) status = builds ? build(&make, argv) : change_weights(&make, argv);
    weir_board_make_free(&make);
    return status;
}
