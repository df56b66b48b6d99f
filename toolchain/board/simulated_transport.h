/* A simulated board as a transport of the wire: bytes go through its tty, time is the board's. */
#ifndef WEIR_BOARD_SIMULATED_TRANSPORT_H
#define WEIR_BOARD_SIMULATED_TRANSPORT_H

#include "board/board.h"
#include "board/simulated.h"
#include "wire/transport.h"

/* A built folder's board in the simulator: its sources, models of its PLL, its button at rest. NULL after a reported
 * error. */
weir_board_sim *weir_simulated_start(const char *folder, const weir_board *board, weir_simulator simulator,
                                     const weir_sim_serial_options *line, int *status);

/* The same for any Verilog: `options` without inputs and models, which are the board's. */
weir_board_sim *weir_simulated_start_with(const weir_board_sim_options *options, const weir_board *board, int *status);

/* Opens the tty at `baud`; GONE when it is unplugged, then or later, or the simulator has ended. The board outlives the
 * transport. */
weir_wire_error weir_simulated_transport_open(weir_transport *transport, weir_board_sim *sim, unsigned baud,
                                              weir_failure *why);

#endif
