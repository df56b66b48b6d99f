/* The program that loads a bitstream into a board: its presence, whether it knows the board, the meaning of its
 * failures, and the board's port afterwards. */
#ifndef WEIR_PROGRAMMER_H
#define WEIR_PROGRAMMER_H

#include "board/board.h"
#include "board/trouble.h"

/* Seconds: for an answer; for programming, a slow flash included; for the port to come back. */
enum { WEIR_PROGRAMMER_ANSWER = 10, WEIR_PROGRAMMER_SECONDS = 180, WEIR_PROGRAMMER_RETURN = 15 };

/* A program's output with this single option; heap memory. NULL and the trouble: it is missing, fails or does not
 * terminate. `remedy`: how to install it. */
char *weir_programmer_ask(const char *program, const char *option, const char *remedy, weir_trouble *trouble);

/* Is the board's programmer installed, and new enough to know the board? *version is its version line, heap memory,
 * also when it is too old; NULL: it has none. */
bool weir_programmer_check(const weir_board *board, char **version, weir_trouble *trouble);

typedef struct weir_programmer_job {
    const weir_board *board;
    const char *which; /* as weir_attached_device takes it */
    weir_board_memory memory;
    const char *file; /* the bitstream */
    double seconds;   /* that programming may take */
    double wait;      /* and the port's return */
} weir_programmer_job;

/* Programs the board. The caller has closed its port, which may have another name afterwards: *port is its path then,
 * heap memory. `port` NULL: not waited for. False and the trouble, with the programmer's messages when it ran. */
bool weir_programmer_run(const weir_programmer_job *job, char **port, weir_trouble *trouble);

#endif
