/* A fake board at the master's end of a pseudo-terminal, in real time, run by a thread. */
#ifndef WEIR_FAKE_PTY_H
#define WEIR_FAKE_PTY_H

#include <pthread.h>
#include <stdatomic.h>

#include "fake_board.h"

typedef struct fake_pty {
    int master, slave; /* the slave stays open, so that hosts can come and go */
    char path[64];     /* of the slave */
    fake_board *board;
    pthread_t thread;
    atomic_bool ends;
} fake_pty;

void fake_pty_begin(fake_pty *pty, const fake_board_settings *settings);
/* The terminal disappears. */
void fake_pty_end(fake_pty *pty);

#endif
