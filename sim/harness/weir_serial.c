/* The C side of weir_sim_serial, one source for every simulator: a bridge between the wire of the bench and a
 * pseudo-terminal, as the USB chip of a board is one. It is called once a byte, and once a bit time while there is none
 * to send. +weir_serial=FILE names the map (weir_serial_private.h) by which the process that started the simulator sets
 * it up and grants it time.
 *
 * Time. In the coupled mode it passes only while the host waits for it: the board stops when it has given bytes to the
 * host, and when `until` is reached. What the host computes takes no time, so nothing depends on how fast or busy the
 * machine is. Bytes pass through the kernel's buffers in their own time; `written` and `delivered` say how many are to
 * be waited for. In the free mode time passes while bytes are under way and QUIET behind the last; then the process
 * sleeps until the host writes, with a BREATH of time now and then.
 *
 * As chips do, bytes from the board are handed over when CHUNK have come or the wire was silent for two bytes.
 *
 * A reset starts the program anew in the same process, so that the board is as after its configuration; the tty and the
 * time stay. */
#define _GNU_SOURCE /* ptsname_r, ppoll */
#include "weir_serial_private.h"

#include <asm/termbits.h> /* struct termios2, which <termios.h> has not */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <vpi_user.h>

void weir_serial_event(int kind, int data, int64_t time, int64_t *answer);

enum { EVENT_START, EVENT_NEXT, EVENT_BIT_TIME, EVENT_RECEIVED };
#define ANSWER_SEND (UINT64_C(1) << 48)
#define ANSWER_LOW (UINT64_C(2) << 48)
#define ANSWER_END (UINT64_C(3) << 48)

enum {
    BUFFER = 4096,  /* bytes of the chip, as FTDI's driver has */
    CHUNK = 62,     /* bytes of a USB packet */
    LOOKS = 16,     /* events between two looks at the tty in the free mode */
    WATCH = 100000, /* microseconds between looks whether the parent lives */
    NAP = 20,
    LONG_NAP = 1000,    /* milliseconds */
    FASTEST = 100000000 /* baud */
};
#define QUIET UINT64_C(20000000000) /* ps */
#define BREATH UINT64_C(1000000000) /* ps */
#define NOT_YET UINT64_MAX

static struct {
    weir_serial_map *map;
    weir_serial_chip *chip;
    uint64_t offset;   /* ps that passed before the last reset */
    uint64_t bit_time; /* ps */
    unsigned baud;
    bool is_ready; /* the host knows that the board is there */
    bool is_again; /* the byte that was sent last is sent once more */
    unsigned char sent;
    uint64_t awake; /* free mode: runs up to there */
    unsigned looks;
    int nap; /* milliseconds */
} line = {.bit_time = 1000000, .nap = NAP};

/* Reports to the process that started this, which finds the text in the map, or on stderr. The process ends. */
static _Noreturn void fail(const char *what) {
    fprintf(stderr, "weir serial: error: %s: %s\n", what, strerror(errno));
    if (line.map) {
        snprintf(line.map->failure, sizeof line.map->failure, "%s: %s", what, strerror(errno));
        sem_post(&line.map->stopped);
    }
    fflush(NULL);
    _exit(1);
}

static uint32_t count(const weir_serial_ring *r) { return r->end - r->first; }

static uint32_t place(uint32_t counted) { return counted & (WEIR_SERIAL_RING - 1); }

static void add(weir_serial_ring *r, unsigned char byte, uint64_t due) {
    r->byte[place(r->end)] = byte;
    r->due[place(r->end++)] = due;
}

static bool is_due(const weir_serial_ring *r, uint32_t at, uint64_t now) {
    return at != r->end && r->due[place(at)] <= now;
}

/* ---- the parent ---- */

static void watch(int number) {
    (void)number;
    if (line.map && getppid() != (pid_t)line.map->parent) _exit(1);
}

static void set_watch(long microseconds) {
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = watch;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* ---- the tty ---- */

/* A new pseudo-terminal, raw, of 115,200 baud until the host says otherwise. */
static void open_tty(char *name, size_t size) {
    struct termios2 settings;
    const int tty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (tty < 0 || grantpt(tty) || unlockpt(tty) || ptsname_r(tty, name, size)) fail("a pseudo-terminal");
    const int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || ioctl(slave, TCGETS2, &settings)) fail(name);
    settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
    settings.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
    settings.c_ispeed = settings.c_ospeed = 115200;
    if (ioctl(slave, TCSETS2, &settings)) fail(name);
    line.chip->tty = tty;
    line.chip->slave = slave;
    line.map->written = line.map->taken = line.map->delivered = 0;
    line.map->ttys++;
}

static void look_at_baud(void) {
    struct termios2 settings;
    if (ioctl(line.chip->tty, TCGETS2, &settings)) return;
    if (settings.c_ospeed == line.baud || settings.c_ospeed == 0 || settings.c_ospeed > FASTEST) return;
    line.baud = settings.c_ospeed;
    line.bit_time = (uint64_t)(1e12 / (line.baud * line.map->baud_ratio) + 0.5);
}

static bool is_plugged(void) { return line.map->tty[0] != '\0'; }

/* What the host wrote and there is room for. True when something came. */
static bool take(uint64_t now) {
    unsigned char bytes[BUFFER];
    const uint32_t room = BUFFER - count(&line.chip->to_board);
    const ssize_t got = is_plugged() && room ? read(line.chip->tty, bytes, room) : 0;
    for (ssize_t i = 0; i < got; i++) add(&line.chip->to_board, bytes[i], now + line.map->delay);
    if (got > 0) line.map->taken += (uint64_t)got;
    return got > 0;
}

/* All that the host has written, unless the chip's buffer is full. */
static void take_all(uint64_t now) {
    struct pollfd wait = {line.chip->tty, POLLIN, 0};
    while (is_plugged() && line.map->taken < line.map->written && count(&line.chip->to_board) < BUFFER) {
        if (!take(now)) poll(&wait, 1, 1);
    }
}

/* Hands over what came from the board, when it is time to. */
static void release(uint64_t now) {
    weir_serial_chip *chip = line.chip;
    weir_serial_ring *ring = &chip->to_host;
    if (ring->end - chip->released < CHUNK && now - chip->last < 20 * line.bit_time) return;
    for (; chip->released != ring->end; chip->released++) ring->due[place(chip->released)] = now + line.map->delay;
}

/* Gives the host what has come through. */
static void deliver(uint64_t now) {
    weir_serial_ring *ring = &line.chip->to_host;
    release(now);
    while (is_due(ring, ring->first, now)) {
        unsigned char bytes[CHUNK];
        size_t some = 0;
        for (; some < CHUNK && is_due(ring, ring->first + (uint32_t)some, now); some++)
            bytes[some] = ring->byte[place(ring->first + (uint32_t)some)];
        const ssize_t put = is_plugged() ? write(line.chip->tty, bytes, some) : 0;
        if (put <= 0) return;
        ring->first += (uint32_t)put;
        line.map->delivered += (uint64_t)put;
        line.chip->is_fresh = true;
    }
}

/* The tty goes, with the bytes in its chip; the next one is made first, so that it has another name. */
static void unplug(uint64_t now) {
    weir_serial_chip *chip = line.chip;
    const int tty = chip->tty, slave = chip->slave;
    line.map->unplug_at = 0;
    line.map->tty[0] = '\0';
    open_tty(chip->next_tty, sizeof chip->next_tty);
    close(slave);
    close(tty);
    chip->to_board.first = chip->to_board.end;
    chip->to_host.first = chip->released = chip->to_host.end;
    chip->back = now + line.map->away;
    chip->is_fresh = true;
}

static void plug_in(uint64_t now) {
    if (is_plugged() || now < line.chip->back) return;
    memcpy(line.map->tty, line.chip->next_tty, sizeof line.map->tty);
}

/* ---- time ---- */

static void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore)) {
        if (errno != EINTR) fail("waiting");
    }
}

/* What the simulator had to say of its start is in its log by then. */
static void tell_ready(void) {
    line.is_ready = true;
    fflush(NULL);
}

/* Stops until the host waits for a later time than this and has nothing to read. */
static void stop(uint64_t now) {
    if (!line.is_ready) tell_ready();
    do {
        line.chip->is_fresh = false;
        line.map->now = now;
        sem_post(&line.map->stopped);
        wait_for(&line.map->go);
        look_at_baud();
        take_all(now);
        deliver(now);
    } while (line.chip->is_fresh || now >= line.map->until);
}

/* Sleeps until the host writes, longer each time. */
static void nap(uint64_t now) {
    struct pollfd wait = {line.chip->tty, POLLIN, 0};
    struct timespec left = {line.nap / 1000, line.nap % 1000 * 1000000L};
    sigset_t none;
    sigemptyset(&none);
    sigaddset(&none, SIGALRM);
    for (int passed = 0; passed < line.nap;
         passed += WATCH / 1000) { /* the watch is held back: it would end the sleep */
        left = (struct timespec){0, 1000000L * (line.nap < WATCH / 1000 ? line.nap : WATCH / 1000)};
        if (ppoll(&wait, 1, &left, &none) > 0) {
            line.awake = now + QUIET;
            line.nap = NAP;
            return;
        }
        watch(SIGALRM);
    }
    line.awake = now + BREATH;
    line.nap = 2 * line.nap < LONG_NAP ? 2 * line.nap : LONG_NAP;
}

static void run_freely(uint64_t now) {
    line.map->now = now;
    if (!line.is_ready) {
        tell_ready();
        sem_post(&line.map->stopped);
    }
    if (line.chip->is_fresh || count(&line.chip->to_board)) {
        line.chip->is_fresh = false;
        line.awake = now + QUIET;
        line.nap = NAP;
    }
    if (now >= line.awake) nap(now);
    else if (++line.looks % LOOKS) return;
    look_at_baud();
    if (take(now)) line.awake = now + QUIET;
}

static void pace(uint64_t now) {
    plug_in(now);
    deliver(now);
    if (line.map->is_free) run_freely(now);
    else if (line.chip->is_fresh || now >= line.map->until) stop(now);
}

/* ---- the wire ---- */

static bool happens(uint32_t *random, double probability) {
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random * 0x1p-32 < probability;
}

/* The byte that arrives of this one; false when none does. `twice`: it arrives twice. */
static bool damage(const weir_serial_damage *faults, uint32_t *random, unsigned char *byte, bool *twice) {
    *twice = false;
    if (faults->silent) return false;
    const bool is_lost = happens(random, faults->lost), is_changed = happens(random, faults->changed);
    *twice = happens(random, faults->doubled);
    if (is_changed) *byte ^= (unsigned char)(1u << (*random & 7));
    return !is_lost;
}

static _Noreturn void restart(uint64_t now) {
    char *arguments[64], *text = NULL;
    size_t size = 0, some = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    for (; file && some < sizeof arguments / sizeof *arguments - 1 && getdelim(&text, &size, '\0', file) > 0;
         text = NULL)
        arguments[some++] = text;
    arguments[some] = NULL;
    set_watch(0);
    signal(SIGALRM, SIG_IGN);
    line.map->now = now;
    line.map->reset_at = 0;
    line.map->is_to_reset = 0;
    line.map->resets++;
    fcntl(line.chip->tty, F_SETFD, 0);
    fcntl(line.chip->slave, F_SETFD, 0);
    fflush(NULL);
    execv("/proc/self/exe", arguments);
    fail("a reset of the board");
}

static uint64_t send(unsigned char byte) {
    line.map->sent++;
    line.sent = byte;
    return ANSWER_SEND | (uint64_t)byte << 40 | line.bit_time;
}

/* What the wire to the board does next. */
static uint64_t next(uint64_t now) {
    weir_serial_map *map = line.map;
    pace(now);
    if (map->is_to_reset || (map->reset_at && map->sent >= map->reset_at)) restart(now);
    if (map->unplug_at && map->sent >= map->unplug_at) unplug(now);
    uint64_t wait = line.bit_time;
    if (!map->is_free && map->until > now && map->until - now < wait) wait = map->until - now;
    if (map->is_low) return ANSWER_LOW | wait;
    if (line.is_again) {
        line.is_again = false;
        return send(line.sent);
    }
    weir_serial_ring *ring = &line.chip->to_board;
    while (is_due(ring, ring->first, now)) {
        unsigned char byte = ring->byte[place(ring->first++)];
        if (damage(&map->to_board, &line.chip->random_to_board, &byte, &line.is_again)) return send(byte);
    }
    return wait;
}

static void receive(int data, uint64_t now) {
    unsigned char byte = (unsigned char)data;
    bool twice;
    line.map->received++;
    if (data & 1 << 8) line.map->framing++;
    if (data & 1 << 9) line.map->unknown++;
    line.chip->last = now;
    if (is_plugged() && damage(&line.map->to_host, &line.chip->random_to_host, &byte, &twice)) {
        for (int i = 0; i <= twice; i++) {
            if (count(&line.chip->to_host) < WEIR_SERIAL_RING) add(&line.chip->to_host, byte, NOT_YET);
            else line.map->overrun++;
        }
    }
    if (line.awake < now + QUIET) line.awake = now + QUIET;
    pace(now);
}

/* ---- the start ---- */

static const char *map_path(void) {
    static const char option[] = "+weir_serial=";
    s_vpi_vlog_info info;
    for (int i = 0; vpi_get_vlog_info(&info) && i < info.argc; i++) {
        if (!strncmp(info.argv[i], option, sizeof option - 1)) return info.argv[i] + sizeof option - 1;
    }
    return "weir_serial.map";
}

static uint64_t start(void) {
    const int file = open(map_path(), O_RDWR | O_CLOEXEC);
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *line.map, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) fail(map_path());
    close(file);
    line.map = map;
    errno = EINVAL;
    if (line.map->size != sizeof *line.map) fail("the map is of another version");
    set_watch(WATCH);
    watch(SIGALRM);
    line.chip = &line.map->chip;
    if (line.map->resets) {
        fcntl(line.chip->tty, F_SETFD, FD_CLOEXEC);
        fcntl(line.chip->slave, F_SETFD, FD_CLOEXEC);
        line.offset = line.map->now;
        line.is_ready = true;
    } else {
        line.chip->random_to_board = line.map->to_board.seed * 2654435761u | 1;
        line.chip->random_to_host = (line.map->to_host.seed ^ 0x5bd1e995u) * 2246822519u | 1;
        open_tty(line.map->tty, sizeof line.map->tty);
    }
    look_at_baud();
    return (uint64_t)(65536e12 / line.map->clock_hz + 0.5);
}

static uint64_t answer_of(int kind, int data, uint64_t now) {
    switch (kind) {
    case EVENT_START: return start();
    case EVENT_NEXT: return next(now);
    case EVENT_BIT_TIME: return line.bit_time;
    case EVENT_RECEIVED: receive(data, now); return 0;
    default: return ANSWER_END;
    }
}

void weir_serial_event(int kind, int data, int64_t time, int64_t *answer) {
    *answer = (int64_t)answer_of(kind, data, line.offset + (uint64_t)time);
}

/* ---- registration with a simulator that loads VPI modules (Verilator has the DPI import instead) ---- */

#ifdef WEIR_HARNESS_VPI
static int argument(vpiHandle arguments) {
    s_vpi_value value = {.format = vpiIntVal};
    vpi_get_value(vpi_scan(arguments), &value);
    return (int)value.value.integer;
}

/* A task that writes its last argument: a function of more than 32 bits would have to be known to iverilog. */
static PLI_INT32 call(PLI_BYTE8 *user) {
    s_vpi_time time = {.type = vpiSimTime};
    s_vpi_value value = {.format = vpiVectorVal};
    s_vpi_vecval words[2] = {{0}};
    int64_t answer;
    (void)user;
    vpiHandle arguments = vpi_iterate(vpiArgument, vpi_handle(vpiSysTfCall, NULL));
    const int kind = argument(arguments), data = argument(arguments);
    vpi_scan(arguments); /* the time, which is at hand */
    vpi_get_time(NULL, &time);
    weir_serial_event(kind, data, (int64_t)((uint64_t)time.high << 32 | time.low), &answer);
    words[0].aval = (PLI_INT32)answer;
    words[1].aval = (PLI_INT32)(answer >> 32);
    value.value.vector = words;
    vpi_put_value(vpi_scan(arguments), &value, NULL, vpiNoDelay);
    vpi_free_object(arguments);
    return 0;
}

static void registration(void) {
    static char name[] = "$weir_serial_event";
    s_vpi_systf_data task = {.type = vpiSysTask, .tfname = name, .calltf = call};
    vpi_register_systf(&task);
}

void (*vlog_startup_routines[])(void) = {registration, NULL};
#endif
