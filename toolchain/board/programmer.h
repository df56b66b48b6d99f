/* The program that puts a bitstream into a board: is it there, does it know the board, what does its failure mean, and
 * where is the board's port afterwards. */
#ifndef WEIR_PROGRAMMER_H
#define WEIR_PROGRAMMER_H

#include "board/board.h"
#include "board/trouble.h"

/* Seconds: for an answer; for programming, a slow flash included; for the port to come back. */
enum { WEIR_PROGRAMMER_ANSWER = 10, WEIR_PROGRAMMER_SECONDS = 180, WEIR_PROGRAMMER_RETURN = 15 };

/* What a program prints when it is called with this option alone; heap memory. NULL and the trouble: it is missing,
 * fails or does not end. `remedy`: where it comes from. */
char *weir_programmer_ask(const char *program, const char *option, const char *remedy, weir_trouble *trouble);

/* Is the board's programmer there, and not too old to know the board? *version is the line in which it says its
 * version, heap memory, also when it is too old; NULL: it has none. */
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
