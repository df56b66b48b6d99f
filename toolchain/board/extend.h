/* Adds ports and statements to the top module of a compiled design, which is text that Weir has printed. */
#ifndef WEIR_BOARD_EXTEND_H
#define WEIR_BOARD_EXTEND_H

#include <stdbool.h>

/* In the file: `ports`, lines that each end with a comma, before its first port; `statements`, lines, behind its last
 * statement. False after a reported error. */
bool weir_board_extend(const char *path, const char *top, const char *ports, const char *statements);

#endif
