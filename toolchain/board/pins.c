/* Formats: .pcf Lattice's iCEcube2 user guide and nextpnr's docs/constraints, .lpf Lattice's Diamond help, .cst Gowin
 * SUG935, .ccf Cologne Chip UG1002, .xdc AMD UG903. */
#include "board/pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

/* --- ports --- */

static void add(weir_board_ports *ports, const char *name, const char *pin, const char *io, int64_t pull,
                bool is_output, int64_t hz) {
    weir_board_port *port = &ports->item[ports->count++];
    *port = (weir_board_port){.pin = pin, .io = io, .pull = pull, .is_output = is_output, .hz = hz};
    snprintf(port->name, sizeof port->name, "%s", name);
}

static void add_outputs(weir_board_ports *ports, const char *name, const weir_board_pin *pins, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *indexed = count == 1 ? weir_copy_string(name) : weir_format("%s[%zu]", name, i);
        add(ports, indexed, pins[i].pin, pins[i].io, WEIR_BOARD_PULL_NONE, true, 0);
        free(indexed);
    }
}

const weir_board_pin *weir_board_button(const weir_board *board) {
    if (board->reset.count > 0) return board->reset.item;
    return board->buttons.count > 0 ? board->buttons.item : NULL;
}

weir_board_ports weir_board_ports_of(const weir_board *board, size_t leds) {
    const size_t shown = leds < board->leds.count ? leds : board->leds.count;
    weir_board_ports ports = {weir_calloc(4 + shown + board->drive.count, sizeof *ports.item), 0};
    const weir_board_pin *button = weir_board_button(board);
    add(&ports, "clk", board->clock.pin, board->clock.io, WEIR_BOARD_PULL_NONE, false, board->clock.hz);
    add(&ports, "rx", board->uart.rx, board->uart.io, board->uart.pull, false, 0);
    add(&ports, "tx", board->uart.tx, board->uart.io, WEIR_BOARD_PULL_NONE, true, 0);
    add_outputs(&ports, "led", board->leds.item, shown);
    if (button != NULL) add(&ports, "button", button->pin, button->io, button->pull, false, 0);
    add_outputs(&ports, "drive", board->drive.item, board->drive.count);
    return ports;
}

/* --- formats --- */

static void add_megahertz(int64_t hz, weir_text *text) { weir_text_double(text, (double)hz / 1e6); }

static void pcf_port(const weir_board_port *port, weir_text *text) {
    weir_text_format(text, "set_io %s%s %s\n", port->pull == WEIR_BOARD_PULL_UP ? "-pullup yes " : "", port->name,
                     port->pin);
    if (port->hz == 0) return;
    weir_text_format(text, "set_frequency %s ", port->name);
    add_megahertz(port->hz, text);
    weir_text_char(text, '\n');
}

static void lpf_port(const weir_board_port *port, weir_text *text) {
    static const char *const pulls[] = {"NONE", "UP", "DOWN"};
    weir_text_format(text, "LOCATE COMP \"%s\" SITE \"%s\";\nIOBUF PORT \"%s\"", port->name, port->pin, port->name);
    if (port->io != NULL) weir_text_format(text, " IO_TYPE=%s", port->io);
    if (!port->is_output) weir_text_format(text, " PULLMODE=%s", pulls[port->pull]);
    weir_text_add(text, ";\n");
    if (port->hz == 0) return;
    weir_text_format(text, "FREQUENCY PORT \"%s\" ", port->name);
    add_megahertz(port->hz, text);
    weir_text_add(text, " MHZ;\n");
}

static void lpf_net(const weir_board_net_clock *clock, weir_text *text) {
    weir_text_format(text, "FREQUENCY NET \"%s\" ", clock->net);
    add_megahertz(clock->hz, text);
    weir_text_add(text, " MHZ;\n");
}

static void cst_port(const weir_board_port *port, weir_text *text) {
    static const char *const pulls[] = {"NONE", "UP", "DOWN"};
    weir_text_format(text, "IO_LOC \"%s\" %s;\nIO_PORT \"%s\"", port->name, port->pin, port->name);
    if (port->io != NULL) weir_text_format(text, " IO_TYPE=%s", port->io);
    weir_text_format(text, " PULL_MODE=%s;\n", pulls[port->pull]);
}

static void ccf_port(const weir_board_port *port, weir_text *text) {
    static const char *const pulls[] = {"", " | PULLUP=true", " | PULLDOWN=true"};
    weir_text_format(text, "Pin_%s \"%s\" Loc = \"%s\"%s;\n", port->is_output ? "out" : "in", port->name, port->pin,
                     pulls[port->pull]);
}

static void xdc_port(const weir_board_port *port, weir_text *text) {
    static const char *const pulls[] = {"", " PULLUP true", " PULLDOWN true"};
    weir_text_format(text, "set_property -dict {PACKAGE_PIN %s IOSTANDARD %s%s} [get_ports {%s}]\n", port->pin,
                     port->io == NULL ? "LVCMOS33" : port->io, pulls[port->pull], port->name);
    if (port->hz > 0) {
        weir_text_format(text, "create_clock -name %s -period ", port->name);
        weir_text_double(text, 1e9 / (double)port->hz);
        weir_text_format(text, " [get_ports {%s}]\n", port->name);
    } else {
        weir_text_format(text, "set_false_path -%s [get_ports {%s}]\n", port->is_output ? "to" : "from", port->name);
    }
}

static const struct {
    const char *file;
    const char *head; /* before the ports; NULL: nothing */
    void (*port)(const weir_board_port *port, weir_text *text);
    void (*net)(const weir_board_net_clock *clock, weir_text *text); /* NULL: the format has no clocks of nets */
} formats[WEIR_DEVICE_FAMILIES] = {
    [WEIR_DEVICE_ICE40] = {"pins.pcf", NULL, pcf_port, NULL},
    [WEIR_DEVICE_ECP5] = {"pins.lpf", "BLOCK ASYNCPATHS;\n", lpf_port, lpf_net},
    [WEIR_DEVICE_GOWIN] = {"pins.cst", NULL, cst_port, NULL},
    [WEIR_DEVICE_XILINX7] =
        {"pins.xdc", "set_property CFGBVS VCCO [current_design]\nset_property CONFIG_VOLTAGE 3.3 [current_design]\n",
         xdc_port, NULL},
    [WEIR_DEVICE_GATEMATE] = {"pins.ccf", NULL, ccf_port, NULL},
};

const char *weir_board_pins_file(const weir_board *board) { return formats[board->device->family].file; }

void weir_board_pins_print(const weir_board *board, const weir_board_ports *ports, const weir_board_net_clock *clocks,
                           size_t clocks_count, weir_text *text) {
    const int64_t family = board->device->family;
    if (formats[family].head != NULL) weir_text_add(text, formats[family].head);
    for (size_t i = 0; i < ports->count; i++) formats[family].port(&ports->item[i], text);
    for (size_t i = 0; i < clocks_count && formats[family].net != NULL; i++) formats[family].net(&clocks[i], text);
}
