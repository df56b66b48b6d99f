#include <stdio.h>
#include <stdlib.h>

#include "board/attached.h"
#include "board/doctor.h"
#include "cli/cli.h"
#include "support/text/diag.h"

static const char help_text[] =
    "Examines this machine without changing it: programs with their versions, the board's USB device and serial "
    "port, who may open\n"
    "them, and peculiarities of the board. Each problem is followed by the line that fixes it.\n"
    "NAME is one that 'weir boards' lists, or the path of your own; PORT selects one of several, by USB serial or "
    "tty, or is the\n"
    "tty of the adapter of a board without a UART. Without --board: all known boards.\n"
    "Exit status 0: nothing is missing; 4: a program is missing, too old or does not run; 5: the board, its port, or "
    "a\n"
    "permission is missing.\n";

static int examine(const weir_board *board, const char *which, const char *json) {
    weir_doctor *doctor = weir_doctor_examine(board, which);
    if (doctor == NULL) return WEIR_EXIT_INPUT;
    weir_text text = {NULL, 0, 0};
    weir_doctor_print(doctor, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    int status = weir_doctor_status(doctor);
    if (json != NULL && !weir_cli_write_json(json, weir_doctor_json(doctor))) status = WEIR_EXIT_INPUT;
    weir_doctor_free(doctor);
    return status;
}

int weir_command_doctor(int argc, char **argv) {
    const char *board_name = NULL, *json = NULL, *which = NULL;
    const weir_cli_option options[] = {
        {"board", 'b', WEIR_CLI_STRING, &board_name, "NAME[@PORT]", "check what this board needs"},
        {"json", 'j', WEIR_CLI_STRING, &json, "FILE", "write the findings as JSON, with all USB devices and ports"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("doctor", options, help_text, argc, argv, 0, 0, &count);
    if (status >= 0) return status;
    weir_board *board = NULL;
    if (board_name != NULL) {
        char *name = weir_attached_split(board_name, &which);
        board = weir_board_read(name, &status);
        free(name);
        if (board == NULL) return status;
    }
    status = examine(board, which, json);
    weir_board_free(board);
    return status;
}
