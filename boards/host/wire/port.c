#define _GNU_SOURCE /* ppoll */
#include "wire/port.h"

/* The kernel's struct termios2, for rates that are not in POSIX's list; <termios.h> cannot be had beside it. */
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct tty {
    int file;
    char path[256];
} tty;

static uint64_t port_now(void *user) {
    (void)user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static int fail(const tty *port, const char *what, weir_failure *why) {
    const int error = errno;
    const bool is_gone = error == EIO || error == ENXIO || error == ENODEV || error == EBADF;
    weir_failure_set(why, is_gone ? WEIR_WIRE_GONE : WEIR_WIRE_SYSTEM, "%s: %s: %s", port->path, what, strerror(error));
    return -1;
}

static int port_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    const tty *port = user;
    const uint64_t time = port_now(user), wait = until > time ? until - time : 0;
    struct pollfd poll = {port->file, POLLIN, 0};
    struct timespec left = {(time_t)(wait / 1000000), (long)(wait % 1000000) * 1000};
    if (wait > 0) {
        const int ready = ppoll(&poll, 1, &left, NULL);
        if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
        if (ready < 0) return fail(port, "poll", why);
    }
    const ssize_t count = read(port->file, data, size);
    if (count > 0) return (int)count;
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (!(poll.revents & (POLLHUP | POLLERR))) return 0;
        errno = EIO;
    }
    if (count == 0) errno = EIO; /* hung up */
    return fail(port, "read", why);
}

static int port_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    const tty *port = user;
    const ssize_t count = write(port->file, data, size);
    if (count >= 0) return (int)count;
    if (errno == EAGAIN || errno == EINTR) return 0;
    return fail(port, "write", why);
}

static weir_wire_error port_set_baud(void *user, unsigned baud, weir_failure *why) {
    const tty *port = user;
    struct termios2 settings;
    if (baud == 0) return weir_failure_set(why, WEIR_WIRE_BAUD, "%s: 0 is not a baud", port->path);
    if (ioctl(port->file, TCGETS2, &settings) != 0) {
        fail(port, "settings", why);
        return why->error;
    }
    settings.c_iflag = IGNBRK;
    settings.c_oflag = settings.c_lflag = 0;
    settings.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
    settings.c_ispeed = settings.c_ospeed = baud;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (ioctl(port->file, TCSETS2, &settings) != 0) {
        if (errno == EINVAL)
            return weir_failure_set(why, WEIR_WIRE_BAUD, "%s: the driver refuses %u baud", port->path, baud);
        fail(port, "settings", why);
        return why->error;
    }
    /* A chip makes the nearest rate that it can; a UART bears 2 %. */
    if (ioctl(port->file, TCGETS2, &settings) == 0 &&
        (settings.c_ospeed < baud - baud / 50 || settings.c_ospeed > baud + baud / 50))
        return weir_failure_set(why, WEIR_WIRE_BAUD, "%s: the port makes %u baud of %u", port->path, settings.c_ospeed,
                                baud);
    ioctl(port->file, TCFLSH, TCIFLUSH);
    return WEIR_WIRE_OK;
}

static void port_close(void *user) {
    tty *port = user;
    ioctl(port->file, TIOCNXCL);
    close(port->file);
    free(port);
}

static weir_wire_error fail_open(const char *path, weir_failure *why) {
    switch (errno) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
    case ENOTDIR: return weir_failure_set(why, WEIR_WIRE_NOT_FOUND, "%s: no such port", path);
    case EACCES:
    case EPERM:
        return weir_failure_set(why, WEIR_WIRE_NOT_ALLOWED,
                                "%s: no permission; on Debian, members of the group dialout have it", path);
    case EBUSY:
        return weir_failure_set(why, WEIR_WIRE_IN_USE, "%s: another process has it; 'fuser %s' says which", path, path);
    default: return weir_failure_set(why, WEIR_WIRE_SYSTEM, "%s: %s", path, strerror(errno));
    }
}

/* Alone: TIOCEXCL stops who opens it later, flock who opened it before and asked (as this does); root is stopped by the
 * second alone. */
static weir_wire_error take(const tty *port, weir_failure *why) {
    if (!isatty(port->file)) return weir_failure_set(why, WEIR_WIRE_NOT_A_PORT, "%s is not a serial port", port->path);
    if (flock(port->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) errno = EBUSY;
        return fail_open(port->path, why);
    }
    if (ioctl(port->file, TIOCEXCL) != 0) return fail_open(port->path, why);
    return WEIR_WIRE_OK;
}

static bool lower_latency(int file) {
    struct serial_struct serial;
    if (ioctl(file, TIOCGSERIAL, &serial) != 0) return false;
    serial.flags |= (int)ASYNC_LOW_LATENCY;
    return ioctl(file, TIOCSSERIAL, &serial) == 0;
}

/* Behind links (/dev/serial/by-id) the port's name is that of the device. */
static int read_latency_timer(const char *path, const char *sys) {
    char *real = realpath(path, NULL), name[512], text[16] = "";
    if (real == NULL) return -1;
    const char *slash = strrchr(real, '/');
    snprintf(name, sizeof name, "%s/class/tty/%s/device/latency_timer", sys, slash == NULL ? real : slash + 1);
    free(real);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    const int timer = size > 0 ? atoi(text) : 0;
    return timer > 0 && timer < 256 ? timer : -1;
}

weir_wire_error weir_port_open(weir_transport *transport, const char *path, unsigned baud, const char *sys,
                               weir_port_facts *facts, weir_failure *why) {
    weir_failure own;
    if (why == NULL) why = &own;
    const int file = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return fail_open(path, why);
    tty *made = calloc(1, sizeof *made);
    if (made == NULL) {
        close(file);
        return weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for a port");
    }
    made->file = file;
    snprintf(made->path, sizeof made->path, "%s", path);
    weir_wire_error error = take(made, why);
    if (error == WEIR_WIRE_OK) error = port_set_baud(made, baud, why);
    if (error != WEIR_WIRE_OK) {
        close(file);
        free(made);
        return error;
    }
    const bool is_low = lower_latency(file);
    struct termios2 settings;
    if (facts != NULL) {
        const bool is_known = ioctl(file, TCGETS2, &settings) == 0;
        *facts = (weir_port_facts){is_known ? settings.c_ospeed : baud, is_low,
                                   read_latency_timer(path, sys == NULL ? "/sys" : sys)};
    }
    *transport = (weir_transport){made, port_read, port_write, port_now, port_set_baud, port_close};
    return WEIR_WIRE_OK;
}

bool weir_port_advice(const weir_port_facts *facts, const char *path, char *text, size_t size) {
    if (facts->latency_timer <= 1) return false;
    const char *slash = strrchr(path, '/');
    snprintf(text, size,
             "%s holds the last bytes for %d ms: keep frames in flight, or, as root: echo 1 > "
             "/sys/bus/usb-serial/devices/%s/latency_timer",
             path, facts->latency_timer, slash == NULL ? path : slash + 1);
    return true;
}
