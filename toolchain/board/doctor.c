#include "board/doctor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "board/flow.h"
#include "board/programmer.h"
#include "sim/cache.h"
#include "sim/driver.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/color.h"
#include "support/text/diag.h"
#include "synth/program.h"

struct weir_doctor {
    weir_doctor_check *check;
    size_t count, capacity;
    const char **broken; /* programmers */
    size_t broken_count, broken_capacity;
    int status;
    const weir_board *board; /* NULL: all */
    weir_ports *ports;
    char *cache;
    weir_arena *arena;
};

/* Programs and devices say what they like. */
static const char *copy(weir_doctor *d, const char *said) {
    weir_text text = {NULL, 0, 0};
    if (said == NULL) return NULL;
    weir_text_plain(&text, said, strlen(said));
    const char *line = weir_arena_copy_string(d->arena, text.size == 0 ? "" : text.data);
    weir_text_free(&text);
    return line;
}

static void add(weir_doctor *d, const char *topic, const char *what, const char *found, const char *remedy,
                weir_doctor_state state) {
    d->check = weir_grow(d->check, &d->capacity, d->count + 1, sizeof *d->check);
    d->check[d->count++] = (weir_doctor_check){topic, copy(d, what), copy(d, found), copy(d, remedy), state};
}

/* The first kind of trouble counts: programs come first. */
static void add_wrong(weir_doctor *d, const char *topic, const char *what, const char *found, const char *remedy,
                      int status) {
    assert(status != WEIR_EXIT_FINE && remedy != NULL && *remedy != '\0');
    add(d, topic, what, found, remedy, WEIR_DOCTOR_WRONG);
    if (d->status == WEIR_EXIT_FINE) d->status = status;
}

static void add_trouble(weir_doctor *d, const char *topic, const char *what, weir_trouble *trouble) {
    add_wrong(d, topic, what, trouble->text, trouble->remedy, trouble->status);
    weir_trouble_free(trouble);
}

/* --- programs --- */

static bool is_examined(const weir_doctor *d, const char *what) {
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->check[i].what, what) == 0) return true;
    return false;
}

static void add_program(weir_doctor *d, const char *what, const char *found, const char *remedy, bool fine,
                        bool is_needed) {
    if (fine) add(d, "program", what, found, NULL, WEIR_DOCTOR_FINE);
    else if (is_needed) add_wrong(d, "program", what, found, remedy, WEIR_EXIT_TOOL);
    else add(d, "program", what, found, remedy, WEIR_DOCTOR_NOTE);
}

static void add_broken(weir_doctor *d, const char *what, const weir_program *program, const weir_diag_log *log,
                       bool is_needed) {
    static const char before[] = "its messages:\n";
    const weir_diagnostic *last = weir_diag_log_at(log, weir_diag_log_count(log) - 1);
    const char *said = strncmp(last->text, before, strlen(before)) == 0 ? last->text + strlen(before) : "";
    char *found =
        weir_format("%s%s%.*s", weir_diag_log_error(log), *said == '\0' ? "" : ": ", (int)strcspn(said, "\r\n"), said);
    char *remedy = weir_format("install it again: '%s -V' has to print its version", program->name);
    add_program(d, what, found, remedy, false, is_needed);
    free(remedy);
    free(found);
}

/* What the flow itself would say of its program: `log` holds that. Of one that is missing its last note is the
 * remedy. */
static void add_flow(weir_doctor *d, const char *what, weir_program *program, weir_diag_log *log, bool is_needed) {
    const size_t count = weir_diag_log_count(log);
    const bool fine = weir_diag_log_error(log)[0] == '\0';
    assert(count > 0 || (fine && program->name != NULL));
    if (fine) add_program(d, what, program->version == NULL ? program->name : program->version, NULL, true, is_needed);
    else if (program->name != NULL) add_broken(d, what, program, log, is_needed);
    else add_program(d, what, "missing", weir_diag_log_at(log, count - 1)->text, false, is_needed);
    weir_diag_log_free(log);
    weir_program_free(program);
}

static void examine_yosys(weir_doctor *d, bool is_needed) {
    weir_program program;
    if (is_examined(d, "yosys")) return;
    weir_diag_log *log = weir_diag_capture();
    if (weir_program_yosys(NULL, d->cache, &program) && program.name == NULL) weir_program_report_yosys();
    weir_diag_release(log);
    add_flow(d, "yosys", &program, log, is_needed);
}

static void examine_placer(weir_doctor *d, const weir_device *device, bool is_needed) {
    weir_program program;
    const char *name = device->nextpnr.program; /* one name has several programs */
    char *what = strcmp(name, "nextpnr-himbaechel") != 0
                     ? weir_copy_string(name)
                     : weir_format("%s (%s)", name, weir_device_family_name((weir_device_family)device->family));
    if (!is_examined(d, what)) {
        weir_diag_log *log = weir_diag_capture();
        if (weir_program_nextpnr(device, d->cache, &program) && program.name == NULL)
            weir_program_report_nextpnr(device);
        weir_diag_release(log);
        add_flow(d, what, &program, log, is_needed);
    }
    free(what);
}

static void examine_packer(weir_doctor *d, const weir_device *device, bool is_needed) {
    weir_program program;
    const char *name = weir_board_flow_packer_name(device);
    if (name == NULL || is_examined(d, name)) return;
    weir_diag_log *log = weir_diag_capture();
    weir_program_packer(name, &program);
    weir_diag_release(log);
    add_flow(d, name, &program, log, is_needed);
}

/* One that does not run does so for no board, one that lacks this board may have all others. */
static void examine_programmer(weir_doctor *d, const weir_board *board, bool is_needed) {
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    const char *name = board->programmer.program;
    char *version;
    for (size_t i = 0; i < d->broken_count; i++)
        if (strcmp(d->broken[i], name) == 0) return;
    const bool fine = weir_programmer_check(board, &version, &trouble);
    if (!is_examined(d, name) || !fine)
        add_program(d, name,
                    !fine             ? trouble.text
                    : version != NULL ? version
                                      : "found",
                    trouble.remedy, fine, is_needed);
    if (!fine && version == NULL) {
        d->broken = weir_grow(d->broken, &d->broken_capacity, d->broken_count + 1, sizeof *d->broken);
        d->broken[d->broken_count++] = copy(d, name);
    }
    free(version);
    weir_trouble_free(&trouble);
}

/* One is enough, and a board needs none. */
static void examine_simulators(weir_doctor *d) {
    static const struct {
        const char *program, *option, *remedy;
    } simulators[] = {{"verilator", "--version", "sudo apt-get install verilator"},
                      {"iverilog", "-V", "sudo apt-get install iverilog"}};
    for (size_t i = 0; i < sizeof simulators / sizeof *simulators; i++) {
        weir_trouble trouble = {.status = WEIR_EXIT_FINE};
        char *text = weir_programmer_ask(simulators[i].program, simulators[i].option, simulators[i].remedy, &trouble);
        if (text != NULL) text[strcspn(text, "\r\n")] = '\0';
        add_program(d, simulators[i].program, text != NULL ? text : trouble.text, trouble.remedy, text != NULL, false);
        free(text);
        weir_trouble_free(&trouble);
    }
}

static void examine_programs(weir_doctor *d, const weir_board *board, bool is_needed) {
    examine_yosys(d, is_needed);
    if (board->device->nextpnr.program != NULL) examine_placer(d, board->device, is_needed);
    else if (!is_examined(d, board->device->name))
        add(d, "program", board->device->name, "no free program places on it", "its vendor's tools make the bitstream",
            WEIR_DOCTOR_NOTE);
    examine_packer(d, board->device, is_needed);
    examine_programmer(d, board, is_needed);
}

/* --- what is attached --- */

static void add_device(weir_doctor *d, const weir_board *board, const weir_usb *usb) {
    weir_text text = {NULL, 0, 0};
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    weir_text_format(&text, "USB %s at %s", usb->id, usb->place);
    if (usb->product != NULL) weir_text_format(&text, ", '%s'", usb->product);
    if (usb->serial != NULL) weir_text_format(&text, ", serial %s", usb->serial);
    add(d, "device", board->name, text.data, NULL, WEIR_DOCTOR_FINE);
    weir_text_free(&text);
    if (!weir_ports_may_program(usb, &trouble)) add_trouble(d, "device", "permission", &trouble);
}

static void add_latency(weir_doctor *d, const weir_port *port) {
    if (port->latency_timer <= 1) return;
    char *found = weir_format("latency timer %d ms: a frame alone waits that long, several in flight do not",
                              port->latency_timer);
    char *remedy = weir_format("echo 1 | sudo tee /sys/class/tty/%s/device/latency_timer", port->name);
    add(d, "port", port->name, found, remedy, WEIR_DOCTOR_NOTE);
    free(remedy);
    free(found);
}

static void add_port(weir_doctor *d, const weir_board *board, const char *which) {
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    const weir_port *port;
    if (!weir_attached_port(d->ports, board, which, &port, &trouble)) {
        add_trouble(d, "port", board->name, &trouble);
        return;
    }
    char *holder = weir_ports_holder(port->path);
    if (!weir_ports_may_open(port, &trouble)) {
        add_trouble(d, "port", port->name, &trouble);
    } else if (holder != NULL) {
        char *found = weir_format("%s is open in %s", port->path, holder), *remedy = weir_format("close %s", holder);
        add_wrong(d, "port", port->name, found, remedy, WEIR_EXIT_BOARD);
        free(remedy);
        free(found);
    } else {
        char *found = port->driver == NULL ? weir_format("%s", port->path)
                                           : weir_format("%s, driver %s", port->path, port->driver);
        add(d, "port", port->name, found, NULL, WEIR_DOCTOR_FINE);
        free(found);
    }
    add_latency(d, port);
    free(holder);
}

static void add_quirks(weir_doctor *d, const weir_board *board) {
    for (int q = 0; q < WEIR_BOARD_QUIRKS; q++)
        if (weir_board_has(board, (weir_board_quirk)q))
            add(d, "quirk", weir_board_quirk_word((weir_board_quirk)q), weir_board_quirk_what((weir_board_quirk)q),
                weir_board_quirk_remedy((weir_board_quirk)q), WEIR_DOCTOR_NOTE);
}

static void examine_board(weir_doctor *d, const weir_board *board, const char *which) {
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    const weir_usb *usb;
    examine_programs(d, board, true);
    examine_simulators(d);
    if (!weir_attached_device(d->ports, board, which, &usb, &trouble)) {
        add_trouble(d, "device", board->name, &trouble);
    } else {
        if (usb != NULL) add_device(d, board, usb);
        add_port(d, board, which);
    }
    add_quirks(d, board);
}

/* --- all boards --- */

/* The boards that there are, each of which may be any device of its USB id, unless the device bears the name of
 * another. */
typedef struct boards {
    weir_board **item;
    size_t count;
} boards;

static bool is_such(const boards *all, const weir_board *board, const weir_usb *usb) {
    if (!weir_attached_is_board(board, usb)) return false;
    for (size_t i = 0; board->usb.product == NULL && i < all->count; i++)
        if (all->item[i]->usb.product != NULL && weir_attached_is_board(all->item[i], usb)) return false;
    return true;
}

/* A device that several boards may be (a ULX3S does not say its size) is told of once, as the first. */
static void examine_attached(weir_doctor *d, const boards *all) {
    for (size_t i = 0; i < d->ports->usb_count; i++) {
        const weir_usb *usb = &d->ports->usb[i];
        for (size_t k = 0; k < all->count; k++) {
            const weir_board *board = all->item[k];
            if (!is_such(all, board, usb)) continue;
            add_device(d, board, usb);
            if (board->uart.adapter == WEIR_BOARD_ON_BOARD) add_port(d, board, usb->place);
            break;
        }
    }
    for (size_t i = 0; i < d->ports->port_count; i++) {
        const weir_port *port = &d->ports->port[i];
        const char *found = port->usb == NULL            ? "a UART of this machine"
                            : port->usb->product == NULL ? port->usb->id
                                                         : port->usb->product;
        if (!is_examined(d, port->name)) add(d, "port", port->name, found, NULL, WEIR_DOCTOR_FINE);
    }
}

static bool is_attached(const weir_doctor *d, const boards *all, const weir_board *board) {
    for (size_t i = 0; i < d->ports->usb_count; i++)
        if (is_such(all, board, &d->ports->usb[i])) return true;
    return false;
}

/* Those that are attached come first: what they need is then told of as needed. */
static void examine_boards(weir_doctor *d, const boards *all) {
    for (int needed = 1; needed >= 0; needed--)
        for (size_t i = 0; i < all->count; i++)
            if (is_attached(d, all, all->item[i]) == (needed == 1)) examine_programs(d, all->item[i], needed == 1);
    examine_simulators(d);
    examine_attached(d, all);
}

/* False after a reported error. */
static bool examine_all(weir_doctor *d) {
    size_t count;
    int status;
    char **names = weir_board_names(&count);
    if (names == NULL) return false;
    boards all = {weir_calloc(count + 1, sizeof *all.item), 0};
    while (all.count < count && (all.item[all.count] = weir_board_read(names[all.count], &status)) != NULL) all.count++;
    const bool fine = all.count == count;
    if (fine) examine_boards(d, &all);
    for (size_t i = 0; i < all.count; i++) weir_board_free(all.item[i]);
    free(all.item);
    free(names);
    return fine;
}

weir_doctor *weir_doctor_examine(const weir_board *board, const char *which) {
    char *cache = weir_sim_cache(NULL);
    if (cache == NULL) return NULL;
    weir_doctor *d = weir_calloc(1, sizeof *d);
    d->arena = weir_arena_new();
    d->board = board;
    d->cache = cache;
    d->ports = weir_ports_read();
    bool fine = true;
    if (board != NULL) examine_board(d, board, which);
    else fine = examine_all(d);
    if (fine) return d;
    weir_doctor_free(d);
    return NULL;
}

void weir_doctor_free(weir_doctor *d) {
    if (d == NULL) return;
    weir_ports_free(d->ports);
    weir_arena_free(d->arena);
    free(d->check);
    free(d->broken);
    free(d->cache);
    free(d);
}

size_t weir_doctor_count(const weir_doctor *d) { return d->count; }
const weir_doctor_check *weir_doctor_at(const weir_doctor *d, size_t index) {
    assert(index < d->count);
    return &d->check[index];
}
int weir_doctor_status(const weir_doctor *d) { return d->status; }

/* --- the report --- */

static const char *const states[] = {"ok", "note", "WRONG"};
static const weir_color colors[] = {WEIR_COLOR_GOOD, WEIR_COLOR_NOTE, WEIR_COLOR_BAD};

void weir_doctor_print(const weir_doctor *d, weir_text *text) {
    size_t wrong = 0;
    int width = 0;
    for (size_t i = 0; i < d->count; i++) {
        const int size = (int)strlen(d->check[i].what);
        width = size > width ? size : width;
    }
    for (size_t i = 0; i < d->count; i++) {
        const weir_doctor_check *c = &d->check[i];
        wrong += c->state == WEIR_DOCTOR_WRONG;
        weir_text_format(text, "  %s%-5s%s  %-7s  %-*s  %s\n", weir_color_begin(colors[c->state], stdout),
                         states[c->state], weir_color_end(colors[c->state], stdout), c->topic, width, c->what,
                         c->found);
        if (c->remedy != NULL) weir_text_format(text, "  %-5s  %-7s  %-*s  -> %s\n", "", "", width, "", c->remedy);
    }
    weir_text_add(text, d->board == NULL ? "boards" : d->board->name);
    if (wrong == 0) weir_text_add(text, d->board == NULL ? ": nothing is wrong\n" : ": all that it needs is present\n");
    else weir_text_format(text, ": %zu %s wrong\n", wrong, wrong == 1 ? "thing is" : "things are");
}

json_t *weir_doctor_json(const weir_doctor *d) {
    static const char *const words[] = {"fine", "note", "wrong"};
    json_t *checks = json_array(), *json = weir_ports_json(d->ports);
    for (size_t i = 0; i < d->count; i++) {
        const weir_doctor_check *c = &d->check[i];
        json_array_append_new(checks, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "topic", c->topic, "what", c->what,
                                                "state", words[c->state], "found", c->found, "remedy", c->remedy));
    }
    json_object_set_new(json, "schema", json_integer(1));
    json_object_set_new(json, "board", d->board == NULL ? json_null() : json_string(d->board->name));
    json_object_set_new(json, "status", json_integer(d->status));
    json_object_set_new(json, "checks", checks);
    return json;
}
