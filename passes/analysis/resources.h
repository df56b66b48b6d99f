/* What each component of the hardware graph is made of: widths, folding, memories, and how requantizers were realized. */
#ifndef WEIR_PASSES_RESOURCES_H
#define WEIR_PASSES_RESOURCES_H

#include "ir/graph.h"
#include "support/text.h"

/* A table, one line a component, and a line of totals. */
void weir_resources_print(const weir_graph *hardware, weir_text *text);

#endif
