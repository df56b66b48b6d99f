/* What this machine lacks for a board: programs with their versions, USB devices, permissions, serial ports, and the
 * board's quirks; for each fault the one line that fixes it. Nothing is opened or changed. */
#ifndef WEIR_DOCTOR_H
#define WEIR_DOCTOR_H

#include <jansson.h>

#include "board/board.h"
#include "support/text/text.h"

typedef enum weir_doctor_state {
    WEIR_DOCTOR_FINE,
    WEIR_DOCTOR_NOTE, /* worth knowing; nothing fails for it */
    WEIR_DOCTOR_WRONG
} weir_doctor_state;

typedef struct weir_doctor_check {
    const char *topic;  /* "program", "device", "port", "quirk" */
    const char *what;   /* "yosys", "ttyUSB1" */
    const char *found;  /* "Yosys 0.23 (git sha1 7ce5011c24b)", "missing" */
    const char *remedy; /* NULL: there is nothing to do */
    weir_doctor_state state;
} weir_doctor_check;

typedef struct weir_doctor weir_doctor;

/* Of one board, or without one of all programs that some known board needs, and of the known boards that are attached,
 * which then need theirs. `which`: as weir_attached_device takes it. NULL after a reported error. */
weir_doctor *weir_doctor_examine(const weir_board *board, const char *which);
void weir_doctor_free(weir_doctor *doctor);
size_t weir_doctor_count(const weir_doctor *doctor);
const weir_doctor_check *weir_doctor_at(const weir_doctor *doctor, size_t index);
/* WEIR_EXIT_FINE: nothing is missing; WEIR_EXIT_TOOL: a program is missing, too old or does not run; WEIR_EXIT_BOARD:
 * something else is wrong. */
int weir_doctor_status(const weir_doctor *doctor);
/* For users; for programs, the USB devices and ports of this machine included. */
void weir_doctor_print(const weir_doctor *doctor, weir_text *text);
json_t *weir_doctor_json(const weir_doctor *doctor);

#endif
