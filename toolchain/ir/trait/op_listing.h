/* The operators of the graph IR as a page. */
#ifndef WEIR_IR_OP_LISTING_H
#define WEIR_IR_OP_LISTING_H

#include "support/text/text.h"

/* A Markdown table of all rows of op.def and of what was registered, each with MASE's operator; those with the same
 * inputs (MASE's names of them, optional ones in brackets), outputs, class and MASE type are in one row. */
void weir_op_listing(weir_text *text);

#endif
