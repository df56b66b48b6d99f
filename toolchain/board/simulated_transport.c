#include "board/simulated_transport.h"

#include <stdlib.h>
#include <string.h>

#include "board/manifest.h"
#include "board/pins.h"
#include "support/file/file.h"
#include "support/file/tree.h"

#include "support/memory/arena.h"
#include "wire/port.h"

typedef struct file_list {
    char **item;
    size_t count, capacity;
} file_list;

typedef struct model_search {
    const char *folder;
    file_list *files;
} model_search;

static bool add_model(void *user, const char *path) {
    const model_search *search = user;
    file_list *files = search->files;
    const size_t size = strlen(path);
    if (size < 3 || strcmp(path + size - 2, ".v") != 0) return true;
    files->item = weir_grow(files->item, &files->capacity, files->count + 1, sizeof *files->item);
    files->item[files->count++] = weir_path_join(search->folder, path);
    return true;
}

enum { PS_PER_US = 1000000, US_FOR_THE_PTY = 2000000 };

typedef struct way {
    weir_sim_serial *line;
    weir_transport port; /* the tty, whose time is this machine's */
    unsigned ttys;       /* there were when it was opened */
    uint64_t received;   /* bytes */
} way;

static uint64_t now(void *user) {
    const way *w = user;
    return weir_sim_serial_now(w->line) / PS_PER_US;
}

static bool is_gone(const way *w) {
    return weir_sim_serial_tty(w->line) == NULL || weir_sim_serial_ttys(w->line) != w->ttys;
}

/* Takes what is there; what the simulator has delivered comes through the pty in no time of the board's. */
static int take(way *w, uint8_t *data, size_t size, weir_failure *why) {
    const bool due = weir_sim_serial_delivered(w->line) > w->received;
    const uint64_t until = due ? w->port.now(w->port.user) + US_FOR_THE_PTY : 0;
    const int count = w->port.read(w->port.user, data, size, until, why);
    if (count > 0) w->received += (uint64_t)count;
    return count;
}

static int read_bytes(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    way *w = user;
    const char *reason;
    while (true) {
        if (is_gone(w)) {
            weir_failure_set(why, WEIR_WIRE_GONE, "the tty of the simulated board is gone");
            return -1;
        }
        const int count = take(w, data, size, why);
        if (count != 0 || now(w) >= until) return count;
        if (!weir_sim_serial_wait(w->line, until * PS_PER_US, &reason)) {
            weir_failure_set(why, WEIR_WIRE_GONE, "the simulator ended: %s", reason);
            return -1;
        }
    }
}

static int write_bytes(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    way *w = user;
    const int count = w->port.write(w->port.user, data, size, why);
    if (count > 0) weir_sim_serial_wrote(w->line, (uint64_t)count);
    return count;
}

static weir_wire_error set_baud(void *user, unsigned baud, weir_failure *why) {
    way *w = user;
    return w->port.set_baud(w->port.user, baud, why);
}

static void close_way(void *user) {
    way *w = user;
    w->port.close(w->port.user);
    free(w);
}

weir_wire_error weir_simulated_transport_open(weir_transport *transport, weir_board_sim *sim, unsigned baud,
                                              weir_failure *why) {
    weir_sim_serial *line = weir_board_sim_line(sim);
    const char *tty = weir_sim_serial_tty(line);
    if (tty == NULL) return weir_failure_set(why, WEIR_WIRE_GONE, "the tty of the simulated board is gone");
    way *w = weir_calloc(1, sizeof *w);
    w->line = line;
    w->ttys = weir_sim_serial_ttys(line);
    const weir_wire_error error = weir_port_open(&w->port, tty, baud, NULL, NULL, why);
    if (error != WEIR_WIRE_OK) {
        free(w);
        return error;
    }
    *transport = (weir_transport){w, read_bytes, write_bytes, now, set_baud, close_way};
    return WEIR_WIRE_OK;
}

weir_board_sim *weir_simulated_start(const char *folder, const weir_board *board, weir_simulator simulator,
                                     const weir_sim_serial_options *line, int *status) {
    const weir_board_pin *pressed = weir_board_button(board);
    const weir_board_sim_input button = {"button", pressed != NULL && pressed->active == WEIR_BOARD_LOW};
    char *data = weir_data_folder(), *sources = weir_path_join(folder, WEIR_BOARD_SOURCES);
    char *models = data == NULL ? NULL : weir_path_join(data, "boards/cells/pll");
    weir_board_sim_options options = {
        .folder = sources, .inputs = &button, .input_count = pressed != NULL, .simulator = simulator, .line = *line};
    file_list files = {NULL, 0, 0};
    *status = WEIR_EXIT_INPUT;
    weir_board_sim *sim = NULL;
    if (models != NULL && weir_tree_walk(models, add_model, &(model_search){models, &files})) {
        options.files = (const char *const *)files.item;
        options.file_count = files.count;
        sim = weir_board_sim_start(&options, status);
    }
    for (size_t i = 0; i < files.count; i++) free(files.item[i]);
    free(files.item);
    free(models);
    free(sources);
    free(data);
    return sim;
}
