/* Converts a bitstream back to Verilog, if there is a decoder: iCE40, with iceunpack and icebox_vlog of Project
 * IceStorm. */
#ifndef WEIR_BOARD_DECODE_H
#define WEIR_BOARD_DECODE_H

#include "board/board.h"
#include "dataflow/cost/cost.h"

/* Decodes the packed file `bitstream` of a design that takes `cost` into `verilog`, a file with the module
 * WEIR_BOARD_TOP and the ports that the board has, made of the cells of the family; other files go into `folder`.
 * WEIR_EXIT_FINE; *why_not, heap memory, is then NULL or says why there is no such file. WEIR_EXIT_TOOL or
 * WEIR_EXIT_INPUT after a reported error. */
int weir_board_decode(const weir_board *board, const weir_cost *cost, const char *bitstream, const char *folder,
                      const char *verilog, double seconds, char **why_not);

#endif
