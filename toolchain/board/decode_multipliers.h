/* Adds UP5K's multipliers to the output of icebox_vlog, which omits them. */
#ifndef WEIR_BOARD_DECODE_MULTIPLIERS_H
#define WEIR_BOARD_DECODE_MULTIPLIERS_H

#include "support/text/text.h"

/* Appends `verilog`, which icebox_vlog wrote with comments (no -s) of the configuration `asc`, with an SB_MAC16 for
 * each multiplier whose results are used. NULL, or why it cannot: `decoded` is then useless. */
const char *weir_decode_multipliers(const char *verilog, const char *asc, weir_text *decoded);

#endif
