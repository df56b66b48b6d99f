#include <stdio.h>
#include <stdlib.h>

#include "board/board.h"
#include "board/clock.h"
#include "cli/cli.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char help_text[] =
    "Without BOARD: one line per board. BOARD is one of these names, or the path of a board.yaml of your own, or of "
    "its folder; those in\n"
    "boards (share/weir/boards of an installation) are examples, boards/README.md explains the keys. With --clock: "
    "how a PLL makes that clock of\n"
    "the board's, or the nearest one, and the next lower clock that can be made.\n";

static void add_json(json_t *value, weir_text *text) {
    char *lines = weir_cli_json(value);
    weir_text_add(text, lines);
    free(lines);
}

/* The clock nearest to the wanted one, and the next lower one. */
static int show_clock(const weir_board *board, int64_t wanted_hz, bool json, weir_text *text) {
    weir_clock clock, lower;
    if (!weir_clock_find(board->device, board->clock.hz, board->clock.pad, wanted_hz, &clock)) return WEIR_EXIT_INPUT;
    const bool has_lower = weir_clock_below(board->device, board->clock.hz, board->clock.pad, clock.hz, &lower);
    if (json) {
        add_json(json_pack("{s:o, s:o*}", "clock", weir_clock_json(&clock), "lower",
                           has_lower ? weir_clock_json(&lower) : NULL),
                 text);
        return WEIR_EXIT_FINE;
    }
    weir_clock_print(&clock, text);
    weir_text_add(text, has_lower ? "next lower: " : "none lower\n");
    if (has_lower) weir_clock_print(&lower, text);
    return WEIR_EXIT_FINE;
}

static int show(const char *name, bool json, int64_t wanted_hz, weir_text *text) {
    int status;
    weir_board *board = weir_board_read(name, &status);
    if (board == NULL) return status;
    status = WEIR_EXIT_FINE;
    if (wanted_hz > 0) status = show_clock(board, wanted_hz, json, text);
    else if (json) add_json(weir_board_json(board), text);
    else weir_board_print(board, text);
    weir_board_free(board);
    return status;
}

static void print_all(weir_board *const *boards, size_t count, bool json, weir_text *text) {
    if (!json) {
        weir_board_print_list(boards, count, text);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, weir_board_json(boards[i]));
    add_json(list, text);
}

/* All that can be read: errors tell of the others. */
static int list(bool json, weir_text *text) {
    size_t names_count, count = 0;
    int status;
    char **names = weir_board_names(&names_count);
    if (names == NULL) return WEIR_EXIT_INPUT;
    weir_board **boards = weir_calloc(names_count + 1, sizeof(*boards));
    for (size_t i = 0; i < names_count; i++) {
        boards[count] = weir_board_read(names[i], &status);
        count += boards[count] != NULL;
    }
    print_all(boards, count, json, text);
    for (size_t i = 0; i < count; i++) weir_board_free(boards[i]);
    free(boards);
    free(names);
    return count == names_count ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_command_boards(int argc, char **argv) {
    bool json = false;
    double mhz = 0;
    const weir_cli_option options[] = {{"clock", 0, WEIR_CLI_REAL, &mhz, "MHZ", "show how BOARD makes this clock"},
                                       {"json", 'j', WEIR_CLI_FLAG, &json, NULL, "print JSON"},
                                       {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("boards", options, help_text, argc, argv, 0, 1, &count);
    if (status >= 0) return status;
    if (count == 0 && mhz > 0) return weir_cli_misuse("boards", "BOARD is missing: --clock needs one");
    weir_text text = {NULL, 0, 0};
    status = count == 1 ? show(argv[1], json, (int64_t)(mhz * 1e6 + 0.5), &text) : list(json, &text);
    if (text.size > 0) fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return status;
}
