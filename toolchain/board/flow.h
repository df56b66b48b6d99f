/* From a netlist of a board's top to its bitstream: each family's tools and the files between them. */
#ifndef WEIR_BOARD_FLOW_H
#define WEIR_BOARD_FLOW_H

#include "board/board.h"
#include "synth/program.h"

typedef struct weir_board_flow weir_board_flow;

/* NULL after a reported error: no free tools place on the device. */
const weir_board_flow *weir_board_flow_of(const weir_board *board);
/* A file's name, without folders. */
const char *weir_board_flow_placed(const weir_board_flow *flow);
/* NAME.bin, NAME.bit, NAME.fs: heap memory. */
char *weir_board_flow_bitstream(const weir_board_flow *flow, const weir_board *board);
/* All options of nextpnr but the netlist, the report, the clock and the seed; NULL at the end. Heap memory, one
 * allocation. */
const char **weir_board_flow_options(const weir_board_flow *flow, const weir_board *board, size_t *count);

/* "icepack"; NULL: there is none for the device. */
const char *weir_board_flow_packer_name(const weir_device *device);
/* The packer on PATH; a report and false when it is missing. */
bool weir_board_flow_packer(const weir_board_flow *flow, weir_program *packer);
/* Packs FOLDER/PLACED into FOLDER/BITSTREAM, of so many bytes. WEIR_EXIT_FINE, or WEIR_EXIT_TOOL after a reported
 * error. */
int weir_board_flow_pack(const weir_board_flow *flow, const weir_board *board, const weir_program *packer,
                         const char *folder, size_t *bytes);

#endif
