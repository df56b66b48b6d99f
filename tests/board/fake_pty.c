#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "fake_pty.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void need(bool holds, const char *what) {
    if (holds) return;
    perror(what);
    exit(1);
}

static void *run(void *user) {
    fake_pty *pty = user;
    while (!pty->ends) {
        struct pollfd poll_for = {pty->master, POLLIN, 0};
        uint8_t bytes[4096], wire[FAKE_WIRE];
        if (poll(&poll_for, 1, 1) > 0) {
            const ssize_t count = read(pty->master, bytes, sizeof bytes);
            for (ssize_t i = 0; i < count; i++) fake_board_byte(pty->board, bytes[i], now());
        }
        fake_board_work(pty->board, now());
        for (size_t size; (size = fake_board_send(pty->board, now(), wire)) > 0;) {
            for (size_t at = 0; at < size;) {
                const ssize_t count = write(pty->master, wire + at, size - at);
                need(count > 0, "write");
                at += (size_t)count;
            }
            fake_board_work(pty->board, now());
        }
    }
    return NULL;
}

void fake_pty_begin(fake_pty *pty, const fake_board_settings *settings) {
    pty->master = posix_openpt(O_RDWR | O_NOCTTY);
    need(pty->master >= 0 && grantpt(pty->master) == 0 && unlockpt(pty->master) == 0, "posix_openpt");
    snprintf(pty->path, sizeof pty->path, "%s", ptsname(pty->master));
    pty->slave = open(pty->path, O_RDWR | O_NOCTTY);
    need(pty->slave >= 0, pty->path);
    pty->board = fake_board_new(settings);
    pty->ends = false;
    need(pthread_create(&pty->thread, NULL, run, pty) == 0, "pthread_create");
}

void fake_pty_end(fake_pty *pty) {
    pty->ends = true;
    pthread_join(pty->thread, NULL);
    close(pty->master);
    close(pty->slave);
    fake_board_free(pty->board);
}
