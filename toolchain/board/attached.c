#include "board/attached.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

char *weir_attached_split(const char *argument, const char **which) {
    const char *at = strrchr(argument, '@');
    *which = at == NULL ? NULL : at + 1;
    return at == NULL ? weir_copy_string(argument) : weir_format("%.*s", (int)(at - argument), argument);
}

bool weir_attached_is_board(const weir_board *board, const weir_usb *usb) {
    if (board->usb.id == NULL || strcmp(board->usb.id, usb->id) != 0) return false;
    return board->usb.product == NULL || (usb->product != NULL && fnmatch(board->usb.product, usb->product, 0) == 0);
}

static bool is_name_of(const char *which, const char *name) { return name != NULL && strcmp(which, name) == 0; }

static bool is_port(const weir_port *port, const char *which) {
    return is_name_of(which, port->name) || is_name_of(which, port->path) ||
           (strncmp(which, "/dev/", 5) == 0 && is_name_of(which + 5, port->name));
}

static bool is_device(const weir_ports *ports, const weir_usb *usb, const char *which) {
    if (is_name_of(which, usb->serial) || is_name_of(which, usb->place)) return true;
    for (size_t i = 0; i < ports->port_count; i++)
        if (ports->port[i].usb == usb && is_port(&ports->port[i], which)) return true;
    return false;
}

const char *weir_attached_lasting(const weir_ports *ports, const weir_usb *usb) {
    size_t same = 0;
    assert(usb >= ports->usb && usb < ports->usb + ports->usb_count); /* of these */
    for (size_t i = 0; i < ports->usb_count; i++)
        same += usb->serial != NULL && is_name_of(usb->serial, ports->usb[i].serial);
    return same == 1 ? usb->serial : usb->place;
}

/* --- the device --- */

/* "D00123 (ttyUSB0, ttyUSB1)" */
static void add_device(const weir_ports *ports, const weir_usb *usb, weir_text *text) {
    const char *before = " (";
    weir_text_add(text, weir_attached_lasting(ports, usb));
    for (size_t i = 0; i < ports->port_count; i++) {
        if (ports->port[i].usb != usb) continue;
        weir_text_format(text, "%s%s", before, ports->port[i].name);
        before = ", ";
    }
    if (*before == ',') weir_text_char(text, ')');
}

typedef struct candidates {
    const weir_usb *first, *chosen;
    size_t count;  /* devices that are such boards */
    size_t others; /* that have the board's USB id, but are something else */
    const weir_usb *other;
    weir_text list;
} candidates;

static candidates look(const weir_ports *ports, const weir_board *board, const char *which) {
    candidates c = {.count = 0};
    for (size_t i = 0; i < ports->usb_count; i++) {
        const weir_usb *usb = &ports->usb[i];
        if (weir_attached_is_board(board, usb)) {
            if (c.count++ == 0) c.first = usb;
            else weir_text_add(&c.list, ", ");
            add_device(ports, usb, &c.list);
            if (which != NULL && is_device(ports, usb, which)) c.chosen = usb;
        } else if (strcmp(board->usb.id, usb->id) == 0) {
            c.other = usb;
            c.others++;
        }
    }
    return c;
}

static void say_none(const weir_board *board, const candidates *c, weir_trouble *trouble) {
    weir_text text = {NULL, 0, 0};
    assert(c->count == 0 && c->chosen == NULL);
    weir_text_format(&text, "no board '%s' is attached: no USB device %s", board->name, board->usb.id);
    if (board->usb.product != NULL) weir_text_format(&text, " '%s'", board->usb.product);
    if (c->other != NULL)
        weir_text_format(&text, ", but one that calls itself '%s'", c->other->product == NULL ? "" : c->other->product);
    char *remedy = weir_copy_string(c->other != NULL
                                        ? "if that is the board, set 'product' to that name in a board.yaml of your own"
                                    : weir_board_has(board, WEIR_BOARD_QUIRK_bootloader_button)
                                        ? weir_board_quirk_remedy(WEIR_BOARD_QUIRK_bootloader_button)
                                        : "plug it in, with a cable that carries data (many only charge)");
    weir_trouble_set(trouble, WEIR_EXIT_BOARD, text.data, remedy);
}

bool weir_attached_device(const weir_ports *ports, const weir_board *board, const char *which, const weir_usb **usb,
                          weir_trouble *trouble) {
    *usb = NULL;
    if (board->usb.id == NULL) return true;
    const bool is_adapter = board->uart.adapter == WEIR_BOARD_EXTERNAL; /* `which` may be its */
    candidates c = look(ports, board, which);
    *usb = c.chosen != NULL ? c.chosen : c.count == 1 && (which == NULL || is_adapter) ? c.first : NULL;
    if (*usb == NULL && c.count == 0) {
        say_none(board, &c, trouble);
    } else if (*usb == NULL) {
        char *text = which != NULL && !is_adapter
                         ? weir_format("no board '%s' is '%s': there is %s", board->name, which, c.list.data)
                         : weir_format("%zu boards '%s' are attached: %s", c.count, board->name, c.list.data);
        weir_trouble_set(trouble, WEIR_EXIT_BOARD, text,
                         weir_format("choose one: --board %s@%s", board->name, weir_attached_lasting(ports, c.first)));
    }
    weir_text_free(&c.list);
    return *usb != NULL;
}

/* --- the port --- */

/* The kernel module that makes ttys of such devices. */
static const char *module_of(const weir_usb *usb) {
    static const char *const modules[][2] = {{"0403:", "ftdi_sio"}, {"10c4:", "cp210x"}, {"1a86:", "ch341"}};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strncmp(usb->id, modules[i][0], strlen(modules[i][0])) == 0) return modules[i][1];
    return "cdc_acm";
}

static bool port_of_device(const weir_ports *ports, const weir_board *board, const weir_usb *usb,
                           const weir_port **port, weir_trouble *trouble) {
    for (size_t i = 0; i < ports->port_count && *port == NULL; i++) {
        const weir_port *p = &ports->port[i];
        if (p->usb == usb && (p->interface < 0 || p->interface == board->uart.interface)) *port = p;
    }
    if (*port != NULL) return true;
    weir_trouble_set(trouble, WEIR_EXIT_BOARD,
                     weir_format("board '%s' (%s) has no serial port: no driver is bound to its USB interface %lld",
                                 board->name, weir_attached_lasting(ports, usb), (long long)board->uart.interface),
                     weir_format("sudo modprobe %s, then unplug the board and plug it in again", module_of(usb)));
    return false;
}

static bool is_of_board(const weir_board *board, const weir_port *port) {
    return port->usb != NULL && weir_attached_is_board(board, port->usb);
}

/* Which adapter is wired to the board nobody can see: it has to be named. */
static bool port_of_adapter(const weir_ports *ports, const weir_board *board, const char *which, const weir_port **port,
                            weir_trouble *trouble) {
    weir_text there = {NULL, 0, 0};
    const char *first = NULL;
    for (size_t i = 0; i < ports->port_count; i++) {
        const weir_port *p = &ports->port[i];
        if (which != NULL && *port == NULL &&
            (is_port(p, which) || (p->usb != NULL && is_device(ports, p->usb, which))))
            *port = p;
        if (is_of_board(board, p)) continue;
        weir_text_format(&there, "%s%s", first == NULL ? "" : ", ", p->name);
        if (first == NULL) first = p->name;
    }
    if (*port == NULL) {
        char *text = which != NULL
                         ? weir_format("there is no port '%s'%s%s", which, first == NULL ? "" : ", but ",
                                       first == NULL ? "" : there.data)
                         : weir_format("board '%s' has no UART bridge, and which adapter is wired to it is not known",
                                       board->name);
        char *remedy = first == NULL ? weir_copy_string(weir_board_quirk_remedy(WEIR_BOARD_QUIRK_no_uart))
                                     : weir_format("name the adapter's port: --board %s@%s (there: %s)", board->name,
                                                   first, there.data);
        weir_trouble_set(trouble, WEIR_EXIT_BOARD, text, remedy);
    }
    weir_text_free(&there);
    return *port != NULL;
}

bool weir_attached_port(const weir_ports *ports, const weir_board *board, const char *which, const weir_port **port,
                        weir_trouble *trouble) {
    *port = NULL;
    if (board->uart.adapter == WEIR_BOARD_EXTERNAL || board->usb.id == NULL)
        return port_of_adapter(ports, board, which, port, trouble);
    const weir_usb *usb;
    return weir_attached_device(ports, board, which, &usb, trouble) && port_of_device(ports, board, usb, port, trouble);
}

/* --- after programming --- */

/* Now; NULL and the trouble: not yet. */
static char *find_now(const weir_board *board, const char *which, weir_trouble *trouble) {
    weir_ports *ports = weir_ports_read();
    const weir_port *port = NULL;
    const bool fine = weir_attached_port(ports, board, which, &port, trouble) && weir_ports_may_open(port, trouble);
    char *path = fine ? weir_copy_string(port->path) : NULL;
    weir_ports_free(ports);
    return path;
}

/* Found several times in a row: a port that is about to go is still there for a moment. */
char *weir_attached_wait(const weir_board *board, const char *which, double seconds, weir_trouble *trouble) {
    enum { STEP_NANOSECONDS = 100000000, STEPS = 3 };
    const double begin = weir_seconds();
    char *path = NULL;
    for (int steps = 0; steps < STEPS;) {
        char *now = find_now(board, which, trouble);
        steps = now == NULL ? 0 : path != NULL && strcmp(now, path) == 0 ? steps + 1 : 1;
        free(path);
        path = now;
        if (weir_seconds() - begin >= seconds) break;
        nanosleep(&(struct timespec){0, STEP_NANOSECONDS}, NULL);
    }
    if (path != NULL) weir_trouble_free(trouble);
    return path;
}
