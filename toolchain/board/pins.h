/* Constraint files: pins, I/O standards and clock frequencies of a board's top module. */
#ifndef WEIR_BOARD_PINS_H
#define WEIR_BOARD_PINS_H

#include "board/board.h"

typedef struct weir_board_port {
    char name[16];   /* of the top module, with its index where there are several: "led[1]", "led" */
    const char *pin; /* of the package */
    const char *io;  /* standard; NULL: the family has none */
    int64_t pull;    /* weir_board_pull */
    bool is_output;
    int64_t hz; /* of a clock; 0: the pin has no clock, so its timing is unknown */
} weir_board_port;

typedef struct weir_board_ports {
    weir_board_port *item;
    size_t count;
} weir_board_ports;

/* A clock inside: the net, as it is called in the netlist. */
typedef struct weir_board_net_clock {
    const char *net;
    int64_t hz;
} weir_board_net_clock;

/* The ports that a board's top module has: clk, rx, tx, led (the first `leds` of the board, or all), button
 * (weir_board_button), drive (each output that must be constant). Free item. */
weir_board_ports weir_board_ports_of(const weir_board *board, size_t leds);
/* The button that resets, else the first one; NULL: the board has none. */
const weir_board_pin *weir_board_button(const weir_board *board);
/* "pins.pcf", .lpf, .cst, .ccf, .xdc: what the family's placement tool reads. */
const char *weir_board_pins_file(const weir_board *board);
/* The content of that file. What a format cannot express (clocks of nets in .pcf, .cst and .ccf, asynchronous pins
 * except in .lpf and .xdc) is omitted. */
void weir_board_pins_print(const weir_board *board, const weir_board_ports *ports, const weir_board_net_clock *clocks,
                           size_t clocks_count, weir_text *text);

#endif
