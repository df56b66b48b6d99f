/* A simulated board: a design with the top WEIR_SIMULATED_TOP in a simulator process, with its oscillator, and its UART
 * on a pseudo-terminal (sim/serial.h). */
#ifndef WEIR_BOARD_SIMULATED_H
#define WEIR_BOARD_SIMULATED_H

#include "sim/serial.h"

/* Its ports: `clk`, the oscillator; `rx`, `tx`, the UART; inputs that are named in the options; outputs. */
#define WEIR_SIMULATED_TOP "weir_board"

typedef struct weir_board_sim_input {
    const char *port;
    bool value;
} weir_board_sim_input;

typedef struct weir_board_sim_options {
    const char *folder; /* all .v files in it and below, but in folders 'tb', where a compiled design has its bench */
    const char *const *files; /* further Verilog */
    size_t file_count;
    const char
        *cells; /* a file of models of the device's cells, which gives way to modules of the others; NULL: none */
    const char *models;                 /* a folder with more of these; NULL: none */
    const weir_board_sim_input *inputs; /* buttons, at rest */
    size_t input_count;
    weir_simulator simulator;
    bool clocks_plls; /* nothing but PLLs takes `clk`, if there are any: it may rest between their measurements */
    uint64_t cycles;  /* about as many are to be simulated, 0: many */
    uint64_t boot;    /* ps until the board is spoken to, 0: what any PLL and reset take */
    double seconds;   /* that each tool may take, 0: no limit */
    const char *cache_folder;     /* NULL: weir_cache_folder() */
    weir_sim_serial_options line; /* with the clock; its `folder` has the memory files, NULL: `folder` */
} weir_board_sim_options;

typedef struct weir_board_sim weir_board_sim;

/* Builds it, or takes it from the cache, and starts it. NULL after a reported error; *status is then what a command
 * exits with. A missing memory file that the Verilog names is such an error, not a simulator warning. */
weir_board_sim *weir_board_sim_start(const weir_board_sim_options *options, int *status);
void weir_board_sim_stop(weir_board_sim *sim);

/* Its tty, time and counts; of the board. */
weir_sim_serial *weir_board_sim_line(weir_board_sim *sim);

#endif
