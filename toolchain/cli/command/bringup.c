#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "cli/board_make.h"
#include "cli/board_run.h"
#include "graph/manifest.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

static const char help_text[] =
    "Builds MODEL for the board like 'weir board build', or takes a folder that this wrote; programs the board, "
    "finds it again, and\n"
    "tests it rung by rung: port, baud, identity, clock, echo, registers, one frame, all frames of --data, and with "
    "--benchmark\n"
    "frames that the chip makes, at its full speed. The first red rung ends it and says what was expected, what "
    "came, likely\n"
    "causes, and what to do next. If a frame is wrong, a debug build of the design (DIR-debug) is loaded to find the "
    "layer.\n"
    "--sim simulates the board.\n"
    "Exit status 3: bits differ; 4: a program is missing or failed; 5: another rung is red.\n";

static bool is_built(const char *path) {
    char *file = weir_path_join(path, WEIR_BOARD_MANIFEST);
    const bool found = weir_file_exists(file);
    free(file);
    return found;
}

/* Of the model's and the board's name, in the present folder. Heap memory. */
static char *default_folder(const char *model, const char *board) {
    char *path = weir_copy_string(model);
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/';) path[--end] = '\0';
    const char *name = weir_path_name(path), *dot = strrchr(name, '.');
    const int length = (int)(dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name));
    char *folder = weir_format("%.*s-%s", length, name, weir_path_name(board));
    free(path);
    return folder;
}

/* A folder that is built already: what would be ignored is refused. -1: nothing would. */
static int check_built(const weir_board_make *make, const char *folder) {
    const char *option = weir_board_make_first_option(make);
    if (option != NULL)
        return weir_cli_misuse("bringup",
                               "'%s' is already built: --%s would have no effect; build it again from the model",
                               folder, option);
    weir_board_manifest manifest;
    int status = weir_board_manifest_read(folder, &manifest) ? -1 : WEIR_EXIT_INPUT;
    if (status < 0 && make->board_name != NULL && strcmp(make->board_name, manifest.board) != 0)
        status = weir_cli_misuse("bringup", "'%s' was built for board '%s', not for '%s'", folder, manifest.board,
                                 make->board_name);
    weir_board_manifest_free(&manifest);
    return status;
}

int weir_command_bringup(int argc, char **argv) {
    weir_board_make make = WEIR_BOARD_MAKE_DEFAULTS("bringup");
    weir_board_run run = WEIR_BOARD_RUN_DEFAULTS("bringup", WEIR_BOARD_RUN_ALL);
    const weir_cli_option options[] = {
        WEIR_BOARD_MAKE_OPTIONS(make, "folder to write (MODEL-BOARD)"),
        {"flash", 0, WEIR_CLI_FLAG, &run.flash, NULL, "program the board's flash, not its configuration memory"},
        WEIR_BOARD_RUN_OPTIONS(run),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("bringup", options, help_text, argc, argv, 1, 1, &count);
    char *name = status < 0 && make.board_name != NULL ? weir_attached_split(make.board_name, &run.which) : NULL;
    if (name != NULL) make.board_name = name;
    if (status < 0) status = weir_board_run_check(&run);
    run.program = true;
    const bool built = status < 0 && is_built(argv[1]);
    if (built) status = check_built(&make, argv[1]);
    char *data = weir_cli_list_join(&run.data);
    char *folder = status < 0 && !built && make.folder == NULL && make.board_name != NULL
                       ? default_folder(argv[1], make.board_name)
                       : NULL;
    if (folder != NULL) make.folder = folder;
    make.sources_only = run.sim;
    if (status < 0 && !built) status = weir_board_make_check(&make);
    if (status < 0) {
        make.model = argv[1];
        make.data = data;
        run.folder = built ? argv[1] : make.folder;
        status = built ? WEIR_EXIT_FINE : weir_board_make_run(&make);
        if (status == WEIR_EXIT_FINE) status = weir_board_run_folder(&run);
    }
    free(folder);
    free(data);
    free(name);
    weir_board_make_free(&make);
    weir_board_run_free(&run);
    return status;
}
