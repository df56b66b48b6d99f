/* GNU make's jobserver: what runs beside the first job takes a token from make, so that all of make's jobs together are
 * as many as its -j allows. */
#ifndef WEIR_REGRESS_JOBSERVER_H
#define WEIR_REGRESS_JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct weir_jobserver {
    int read, write; /* -1: none */
    char *token;     /* those that are taken */
    size_t count, capacity;
} weir_jobserver;

/* Of $MAKEFLAGS; without one nothing is ever taken. */
weir_jobserver weir_jobserver_open(void);
bool weir_jobserver_is_there(const weir_jobserver *server);
/* Takes a token, unless there is none now. */
bool weir_jobserver_take(weir_jobserver *server);
void weir_jobserver_give(weir_jobserver *server);
/* Gives all back. */
void weir_jobserver_close(weir_jobserver *server);

#endif
