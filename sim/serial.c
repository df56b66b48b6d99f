/* The process and the map: what harness/weir_serial.c is told, and how far its time may go. A semaphore each way: `go`
 * for a later `until`, `stopped` when it is reached; each answers one of the other, so that the two never run at once
 * in the coupled mode. */
#include "sim/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sim/backend.h"
#include "sim/harness/weir_serial_private.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

enum { TICK_NANOSECONDS = 100000000 };

struct weir_sim_serial {
    weir_scratch *scratch;
    char *map_path, *log_path;
    weir_serial_map *map;
    pid_t process;
    char *failure; /* why it has ended */
};

/* ---- the map ---- */

static weir_serial_damage damage(const weir_sim_damage *given) {
    return (weir_serial_damage){given->lost, given->changed, given->doubled, given->seed, given->is_silent};
}

static bool make_map(weir_sim_serial *serial, const weir_sim_serial_options *options) {
    const int file = open(serial->map_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *map = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof *serial->map) == 0)
        map = mmap(NULL, sizeof *serial->map, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int saved = errno;
    if (file >= 0) close(file);
    if (map == MAP_FAILED) {
        weir_error(weir_at(serial->map_path, 0), "cannot make a map: %s", strerror(saved));
        return false;
    }
    weir_serial_map *m = serial->map = map;
    m->size = sizeof *m;
    m->parent = getpid();
    m->clock_hz = options->clock_hz;
    m->baud_ratio = options->baud_ratio > 0 ? options->baud_ratio : 1;
    m->delay = options->delay;
    m->is_free = options->is_free;
    m->is_low = options->is_low;
    m->to_board = damage(&options->to_board);
    m->to_host = damage(&options->to_host);
    m->unplug_at = options->unplug_at;
    m->away = options->away;
    m->reset_at = options->reset_at;
    sem_init(&m->go, 1, 0);
    sem_init(&m->stopped, 1, 0);
    return true;
}

/* ---- the process ---- */

static char *read_log(const weir_sim_serial *serial) {
    size_t size = 0;
    char *log = weir_file_read_quietly(serial->log_path, &size);
    return log ? log : weir_copy_string("");
}

/* Until it has stopped. False when it has ended, or after so many seconds (0: none). */
static bool await(const weir_sim_serial *serial, double seconds) {
    const double begin = weir_seconds();
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (sem_timedwait(&serial->map->stopped, &until) == 0) return serial->map->failure[0] == '\0';
        if (errno == EINTR) continue;
        if (weir_process_has_ended(serial->process)) return false;
        if (seconds > 0 && weir_seconds() - begin > seconds) return false;
    }
}

static void explain(weir_sim_serial *serial) {
    if (serial->failure) return;
    char *log = read_log(serial);
    const char *own = serial->map->failure;
    serial->failure = own[0] ? weir_format("the simulator ended: %s", own)
                             : weir_format("the simulator ended; its messages:\n%s", log[0] ? log : "(none)");
    free(log);
}

/* Verilator and Icarus only warn when a memory file is missing or too short. */
static const char *missing_memory(char *log) {
    for (char *line = log, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        if (strstr(line, "readmem")) return line;
    }
    return NULL;
}

static bool spawn(weir_sim_serial *serial, const weir_sim_artifact *artifact, const weir_sim_serial_options *options) {
    char *command[WEIR_SIM_MAX_ARGUMENTS + 1] = {0};
    char *option = weir_format("+weir_serial=%s", serial->map_path);
    const weir_sim_run run = {.folder = options->folder};
    const size_t count = weir_sim_command(artifact, &run, option, command);
    const weir_process process = {.arguments = (const char *const *)command, .folder = options->folder};
    weir_text why = {0};
    serial->process = weir_process_start(&process, serial->log_path, &why);
    if (serial->process < 0) weir_error(WEIR_NOWHERE, "cannot simulate: %s", why.data);
    for (size_t i = 0; i < count; i++) free(command[i]);
    free(option);
    weir_text_free(&why);
    return serial->process > 0;
}

/* It is there, and has what it needs. */
static int check_start(weir_sim_serial *serial, double seconds) {
    if (!await(serial, seconds)) {
        explain(serial);
        weir_error(WEIR_NOWHERE, "cannot simulate: %s", serial->failure);
        return WEIR_EXIT_TOOL;
    }
    char *log = read_log(serial);
    const char *missing = missing_memory(log);
    if (missing) {
        weir_error(WEIR_NOWHERE, "the design has not read a memory file: %s", missing);
        weir_note("it would run with wrong parameters");
    }
    free(log);
    return missing ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
}

weir_sim_serial *weir_sim_serial_start(const weir_sim_artifact *artifact, const weir_sim_serial_options *options,
                                       int *status) {
    weir_sim_serial *serial = weir_calloc(1, sizeof *serial);
    *status = WEIR_EXIT_INPUT;
    serial->process = -1;
    serial->scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX);
    if (serial->scratch) {
        serial->map_path = weir_path_join(weir_scratch_path(serial->scratch), "serial.map");
        serial->log_path = weir_path_join(weir_scratch_path(serial->scratch), "serial.log");
        if (make_map(serial, options)) {
            *status = WEIR_EXIT_TOOL;
            if (spawn(serial, artifact, options)) *status = check_start(serial, options->seconds);
        }
    }
    if (*status == WEIR_EXIT_FINE) return serial;
    weir_sim_serial_stop(serial);
    return NULL;
}

void weir_sim_serial_stop(weir_sim_serial *serial) {
    int status;
    if (serial == NULL) return;
    if (serial->process > 0) weir_process_stop(serial->process, &status);
    if (serial->map) {
        sem_destroy(&serial->map->go);
        sem_destroy(&serial->map->stopped);
        munmap(serial->map, sizeof *serial->map);
    }
    weir_scratch_free(serial->scratch);
    free(serial->map_path);
    free(serial->log_path);
    free(serial->failure);
    free(serial);
}

/* ---- its time and its bytes ---- */

const char *weir_sim_serial_tty(const weir_sim_serial *serial) { return serial->map->tty[0] ? serial->map->tty : NULL; }

unsigned weir_sim_serial_ttys(const weir_sim_serial *serial) { return serial->map->ttys; }

uint64_t weir_sim_serial_now(const weir_sim_serial *serial) { return serial->map->now; }

bool weir_sim_serial_wait(weir_sim_serial *serial, uint64_t until, const char **why) {
    weir_serial_map *map = serial->map;
    if (!serial->failure && !map->is_free) {
        map->until = until;
        sem_post(&map->go);
        if (!await(serial, 0)) explain(serial);
    }
    *why = serial->failure;
    return serial->failure == NULL;
}

void weir_sim_serial_wrote(weir_sim_serial *serial, uint64_t bytes) { serial->map->written += bytes; }

uint64_t weir_sim_serial_waiting(const weir_sim_serial *serial) { return serial->map->written - serial->map->taken; }

uint64_t weir_sim_serial_delivered(const weir_sim_serial *serial) { return serial->map->delivered; }

void weir_sim_serial_reset(weir_sim_serial *serial) { serial->map->is_to_reset = 1; }

weir_sim_serial_counts weir_sim_serial_count(const weir_sim_serial *serial) {
    const weir_serial_map *map = serial->map;
    return (weir_sim_serial_counts){map->sent,    map->received, map->framing,         map->unknown,
                                    map->overrun, map->resets,   (long)serial->process};
}
