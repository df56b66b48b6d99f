/* For devices that no tool of the distribution places: scripts that make their bitstream elsewhere, from the folder
 * with sources and constraints. */
#ifndef WEIR_BOARD_PROJECT_H
#define WEIR_BOARD_PROJECT_H

#include "board/board.h"

/* Is the board's bitstream made that way? */
bool weir_board_has_project(const weir_board *board);
/* "NAME.bit": heap memory. */
char *weir_board_project_bitstream(const weir_board *board);
/* Writes FOLDER/vivado.tcl and FOLDER/openxc7.sh, which read FOLDER/rtl and the pins beside them and make NAME.bit
 * there. False after a reported error. */
bool weir_board_project_write(const weir_board *board, const char *folder);

#endif
