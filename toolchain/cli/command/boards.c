#include <stdio.h>
#include <stdlib.h>

#include "board/board.h"
#include "cli/cli.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char help_text[] =
    "Without BOARD: one line per board. BOARD is one of these names, or the path of a board.yaml of your own, or of its folder; those in\n"
    "boards (share/weir/boards of an installation) are examples, boards/README.md explains the keys.\n";

static void add_json(json_t *value, weir_text *text) {
    char *lines = weir_cli_json(value);
    weir_text_add(text, lines);
    free(lines);
}

static int show(const char *name, bool json, weir_text *text) {
    int status;
    weir_board *board = weir_board_read(name, &status);
    if (board == NULL) return status;
    if (json) add_json(weir_board_json(board), text);
    else weir_board_print(board, text);
    weir_board_free(board);
    return WEIR_EXIT_FINE;
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
    const weir_cli_option options[] = {{"json", 'j', WEIR_CLI_FLAG, &json, NULL, "print JSON"}, {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("boards", options, help_text, argc, argv, 0, 1, &count);
    if (status >= 0) return status;
    weir_text text = {NULL, 0, 0};
    status = count == 1 ? show(argv[1], json, &text) : list(json, &text);
    if (text.size > 0) fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return status;
}
