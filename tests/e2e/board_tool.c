/* What of boards no command shows alone:
 *   board_tool find NAME[@WHICH]                              the place of its USB device, and the path of its port
 *   board_tool program NAME[@WHICH] sram|flash FILE SECONDS   the path of its port afterwards
 * Exit status: that of the trouble, whose text, programmer's messages and remedy are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "board/programmer.h"
#include "support/text/diag.h"

static int find(const weir_board *board, const char *which) {
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    weir_ports *ports = weir_ports_read();
    const weir_usb *usb = NULL;
    const weir_port *port = NULL;
    if (weir_attached_device(ports, board, which, &usb, &trouble) &&
        weir_attached_port(ports, board, which, &port, &trouble) && weir_ports_may_open(port, &trouble))
        printf("%s %s\n", usb == NULL ? "-" : usb->place, port->path);
    const int status = weir_trouble_report(&trouble);
    weir_trouble_free(&trouble);
    weir_ports_free(ports);
    return status;
}

static int program(const weir_board *board, const char *which, char **argument) {
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    const weir_programmer_job job = {.board = board,
                                     .which = which,
                                     .memory = strcmp(argument[0], "flash") == 0 ? WEIR_BOARD_FLASH : WEIR_BOARD_SRAM,
                                     .file = argument[1],
                                     .seconds = atof(argument[2]),
                                     .wait = 3};
    char *port = NULL;
    if (weir_programmer_run(&job, &port, &trouble)) printf("%s\n", port);
    const int status = weir_trouble_report(&trouble);
    weir_trouble_free(&trouble);
    free(port);
    return status;
}

int main(int argc, char **argv) {
    const bool is_find = argc == 3 && strcmp(argv[1], "find") == 0;
    if (!is_find && !(argc == 6 && strcmp(argv[1], "program") == 0)) return WEIR_EXIT_USAGE;
    const char *which;
    int status;
    char *name = weir_attached_split(argv[2], &which);
    weir_board *board = weir_board_read(name, &status);
    free(name);
    if (board == NULL) return status;
    status = is_find ? find(board, which) : program(board, which, argv + 3);
    weir_board_free(board);
    return status;
}
