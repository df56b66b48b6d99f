/* Where products are formed: the device's multiplier blocks, or logic. */
#ifndef WEIR_DATAFLOW_PRODUCTS_H
#define WEIR_DATAFLOW_PRODUCTS_H

#include "ir/graph/graph.h"

/* Sets the setting of where products are formed of the components that have one and keep up, in a folded graph with a
 * device: blocks that the components that set the pace leave go where each saves the most lookup tables, as long as it
 * saves any. What a folding file has set stays. */
void weir_products_choose(weir_graph *graph);

#endif
