#include "board/simulated_transport.h"

#include <stdlib.h>

#include "board/pins.h"
#include "graph/manifest.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "wire/port.h"

#define PICOSECONDS UINT64_C(1000000) /* of a microsecond, the transport's unit */
enum {
    BUFFER = 4096,
    PATIENCE = 60000000 /* microseconds of the processor's clock for what is in the kernel's buffers */
};

typedef struct connection {
    weir_sim_serial *line;
    weir_transport port;
    unsigned tty;  /* which one it is */
    uint64_t read; /* bytes of it */
} connection;

static bool is_there(const connection *c, weir_failure *why) {
    if (weir_sim_serial_ttys(c->line) == c->tty && weir_sim_serial_tty(c->line)) return true;
    weir_failure_set(why, WEIR_WIRE_GONE, "the simulated board was unplugged");
    return false;
}

static uint64_t now_of(void *user) {
    const connection *c = user;
    return weir_sim_serial_now(c->line) / PICOSECONDS;
}

/* The tty failed: where the simulator ended, that is why. */
static void blame(connection *c, weir_failure *why) {
    const char *reason;
    if (!weir_sim_serial_wait(c->line, weir_sim_serial_now(c->line) + 1, &reason))
        weir_failure_set(why, WEIR_WIRE_GONE, "%s", reason);
}

/* Bytes that the simulator has given to the tty; they may still be on their way through the kernel. */
static int read_there(connection *c, uint8_t *data, size_t size, uint64_t there, weir_failure *why) {
    const int got = c->port.read(c->port.user, data, there < size ? (size_t)there : size,
                                 c->port.now(c->port.user) + PATIENCE, why);
    if (got == 0) {
        weir_failure_set(why, WEIR_WIRE_SYSTEM, "bytes of the simulated board are lost in its tty");
        return -1;
    }
    if (got > 0) c->read += (uint64_t)got;
    else blame(c, why);
    return got;
}

static int read_line(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    connection *c = user;
    const char *reason;
    for (;;) {
        if (!is_there(c, why)) return -1;
        const uint64_t there = weir_sim_serial_delivered(c->line) - c->read;
        if (there || size == 0) return size ? read_there(c, data, size, there, why) : 0;
        if (now_of(c) >= until) return 0;
        if (!weir_sim_serial_wait(c->line, until * PICOSECONDS, &reason)) {
            weir_failure_set(why, WEIR_WIRE_GONE, "%s", reason);
            return -1;
        }
    }
}

static int write_line(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    connection *c = user;
    if (!is_there(c, why)) return -1;
    const uint64_t waiting = weir_sim_serial_waiting(c->line), room = waiting < BUFFER ? BUFFER - waiting : 0;
    const int put = room ? c->port.write(c->port.user, data, room < size ? (size_t)room : size, why) : 0;
    if (put > 0) weir_sim_serial_wrote(c->line, (uint64_t)put);
    if (put < 0) blame(c, why);
    return put;
}

static void drop(connection *c) {
    uint8_t bytes[BUFFER];
    weir_failure ignored;
    while (is_there(c, &ignored)) {
        const uint64_t there = weir_sim_serial_delivered(c->line) - c->read;
        if (there == 0 || read_there(c, bytes, sizeof bytes, there, &ignored) < 0) return;
    }
}

static weir_wire_error set_baud_of_line(void *user, unsigned baud, weir_failure *why) {
    connection *c = user;
    if (!is_there(c, why)) return WEIR_WIRE_GONE;
    drop(c);
    return c->port.set_baud(c->port.user, baud, why);
}

static void close_line(void *user) {
    connection *c = user;
    drop(c);
    c->port.close(c->port.user);
    free(c);
}

weir_wire_error weir_simulated_transport_open(weir_transport *transport, weir_board_sim *sim, unsigned baud,
                                              weir_failure *why) {
    weir_sim_serial *line = weir_board_sim_line(sim);
    const char *tty = weir_sim_serial_tty(line);
    if (tty == NULL) return weir_failure_set(why, WEIR_WIRE_GONE, "the simulated board is unplugged");
    connection *c = weir_calloc(1, sizeof *c);
    c->line = line;
    c->tty = weir_sim_serial_ttys(line);
    c->read = weir_sim_serial_delivered(line);
    const weir_wire_error error = weir_port_open(&c->port, tty, baud, NULL, NULL, why);
    if (error != WEIR_WIRE_OK) {
        free(c);
        return error;
    }
    *transport = (weir_transport){c, read_line, write_line, now_of, set_baud_of_line, close_line};
    return WEIR_WIRE_OK;
}

weir_board_sim *weir_simulated_start_with(const weir_board_sim_options *options, const weir_board *board, int *status) {
    const weir_board_pin *pressed = weir_board_button(board);
    const weir_board_sim_input button = {"button", pressed != NULL && pressed->active == WEIR_BOARD_LOW};
    char *data = weir_data_folder(), *models = data == NULL ? NULL : weir_path_join(data, "boards/cells/pll");
    weir_board_sim_options of_board = *options;
    of_board.models = models;
    of_board.clocks_plls = true;
    of_board.inputs = &button;
    of_board.input_count = pressed != NULL;
    *status = WEIR_EXIT_INPUT;
    weir_board_sim *sim = models == NULL ? NULL : weir_board_sim_start(&of_board, status);
    free(models);
    free(data);
    return sim;
}

weir_board_sim *weir_simulated_start(const char *folder, const weir_board *board, weir_simulator simulator,
                                     const weir_sim_serial_options *line, int *status) {
    char *sources = weir_path_join(folder, WEIR_BOARD_SOURCES);
    const weir_board_sim_options options = {.folder = sources, .simulator = simulator, .line = *line};
    weir_board_sim *sim = weir_simulated_start_with(&options, board, status);
    free(sources);
    return sim;
}
