#include <string.h>

#include "cli/board_make.h"
#include "cli/board_patch.h"
#include "cli/board_run.h"
#include "cli/cli.h"
#include "cli/page.h"

static const char help_text[] =
    "'weir board build MODEL -o DIR --board B' compiles the model for the board's device, minus the board's own "
    "logic, joins PLL,\n"
    "reset, UART link and accelerator, places them at the highest clock that they meet, and packs the bitstream. "
    "MODEL may be a\n"
    "folder that 'weir compile' wrote. DIR gets design/ (the compiled folder), rtl/ (all sources of the bitstream), "
    "constraints,\n"
    "the placed design, the bitstream and board.json, which 'weir run' and 'weir bringup' read.\n"
    "With --patchable the hardware takes any weights, biases, scales and an output's zero point of the model's "
    "types: 'weir board\n"
    "weights DIR NEW' puts those of NEW, the same network trained further, into DIR's bitstream without placement; "
    "if that fails,\n"
    "DIR does not change. With --loadable they can go over the link, too: 'weir board weights DIR NEW --load' writes "
    "them into a\n"
    "board that runs DIR's bitstream, and 'weir board weights DIR --load' writes those of DIR, which a board loses "
    "on a restart.\n"
    "With --data, frames follow.\n"
    "Exit status 1: it does not fit, or no placement meets the clock; 4: a program is missing or failed.\n";

/* 'build MODEL'. */
static int build(weir_board_make *make, const char *html, char **argv) {
    int status = weir_board_make_check(make);
    make->model = argv[2];
    if (status < 0) status = weir_board_make_run(make);
    return status == WEIR_EXIT_FINE && html != NULL ? weir_page_of_folders(html, &make->folder, 1) : status;
}

/* 'weights DIR [NEW]'. */
static int change_weights(const weir_board_make *make, weir_board_run *run, size_t count, char **argv) {
    const char *option = weir_board_make_shaping(make);
    if (option != NULL)
        return weir_cli_misuse("board", "'%s' is already built: --%s would have no effect", argv[2], option);
    const int status = run->loads ? weir_board_run_check(run) : -1;
    if (status >= 0) return status;
    if (run->data.count > 0) run->rungs |= WEIR_BOARD_RUN_FRAMES;
    weir_board_patching patching = {.job = make->job,
                                    .folder = argv[2],
                                    .model = count > 2 ? argv[3] : NULL,
                                    .json = make->json,
                                    .seconds = make->seconds,
                                    .load = run->loads ? run : NULL};
    return weir_board_patching_run(&patching);
}

/* What only --load asks for. */
static const char *loading(const weir_board_run *run) {
    return run->sim                 ? "sim"
           : run->port != NULL      ? "port"
           : run->simulator != NULL ? "simulator"
           : run->data.count > 0    ? "data"
                                    : NULL;
}

static int check(const weir_board_run *run, const char *action, size_t count) {
    const bool builds = strcmp(action, "build") == 0;
    if (!builds && strcmp(action, "weights") != 0)
        return weir_cli_misuse("board", "unknown action '%s', expected build or weights", action);
    if (builds && count != 2) return weir_cli_misuse("board", "'build' takes one MODEL");
    if (builds && run->loads) return weir_cli_misuse("board", "--load is for 'weights'");
    if (!builds && count != 3 && !(count == 2 && run->loads))
        return weir_cli_misuse("board", "'weights' takes DIR and NEW");
    if (!run->loads && loading(run) != NULL) return weir_cli_misuse("board", "--%s needs --load", loading(run));
    return -1;
}

int weir_command_board(int argc, char **argv) {
    weir_board_make make = WEIR_BOARD_MAKE_DEFAULTS("board");
    const char *html = NULL;
    weir_board_run run = WEIR_BOARD_RUN_DEFAULTS("board", 1u << WEIR_RUNG_PARAMETERS);
    const weir_cli_option options[] = {
        WEIR_BOARD_MAKE_OPTIONS(make, "folder to write, required"),
        {"sources", 0, WEIR_CLI_FLAG, &make.sources_only, NULL,
         "no bitstream, only what 'weir bringup --sim' simulates"},
        {"load", 0, WEIR_CLI_FLAG, &run.loads, NULL, "write the parameters into a running board, over the link"},
        {"port", 0, WEIR_CLI_STRING, &run.port, "TTY", "its serial port (found by its USB id)"},
        {"sim", 0, WEIR_CLI_FLAG, &run.sim, NULL, "a simulated board, which starts with the parameters of DIR"},
        {"simulator", 0, WEIR_CLI_STRING, &run.simulator, "NAME", "verilator or icarus, for --sim (verilator)"},
        WEIR_DATA_OPTION(run.data, "frames to run after loading"),
        {"json", 'j', WEIR_CLI_STRING, &make.json, "FILE", "write the report as JSON"},
        WEIR_HTML_OPTION(html),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("board", options, help_text, argc, argv, 2, 3, &count);
    if (status < 0) status = check(&run, argv[1], count);
    if (status < 0 && html != NULL && strcmp(argv[1], "build") != 0)
        status = weir_cli_misuse("board", "--html is for 'build'");
    if (status < 0)
        status = strcmp(argv[1], "build") == 0 ? build(&make, html, argv) : change_weights(&make, &run, count, argv);
    weir_board_make_free(&make);
    weir_board_run_free(&run);
    return status;
}
