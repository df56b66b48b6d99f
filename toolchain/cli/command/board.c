#include <string.h>

#include "cli/board_make.h"
#include "cli/cli.h"

static const char help_text[] =
    "'weir board build MODEL -o DIR --board B' compiles the model for the board's device, less what the board's own logic takes,\n"
    "puts PLL, reset, UART link and accelerator together, places it at the highest clock that it keeps, and packs the bitstream.\n"
    "MODEL may be a folder that 'weir compile' wrote. DIR gets design/ (the compiled folder), rtl/ (all sources of the bitstream),\n"
    "constraints, the placed design, the bitstream and board.json, which 'weir run' and 'weir bringup' read.\n"
    "Exit status 1: it does not fit, or no placement keeps the clock; 4: a program is missing or failed.\n";

int weir_command_board(int argc, char **argv) {
    weir_board_make make = WEIR_BOARD_MAKE_DEFAULTS("board");
    const weir_cli_option options[] = {
        WEIR_BOARD_MAKE_OPTIONS(make, "folder to write, required"),
        {"sources", 0, WEIR_CLI_FLAG, &make.sources_only, NULL, "no bitstream: what 'weir bringup --sim' simulates"},
        {"json", 'j', WEIR_CLI_STRING, &make.json, "FILE", "write the report as JSON"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("board", options, help_text, argc, argv, 2, 2, &count);
    if (status < 0 && strcmp(argv[1], "build") != 0)
        status = weir_cli_misuse("board", "unknown action '%s', expected build", argv[1]);
    if (status < 0) status = weir_board_make_check(&make);
    if (status < 0) {
        make.model = argv[2];
        status = weir_board_make_run(&make);
    }
    weir_board_make_free(&make);
    return status;
}
