/* Where products are formed: the device's multiplier blocks, or logic. */
#ifndef WEIR_DATAFLOW_PRODUCTS_H
#define WEIR_DATAFLOW_PRODUCTS_H

#include "ir/graph/graph.h"

/* Chooses where products are formed, for components that have this setting and keep up, in a folded graph with a
 * device: blocks left by the components that set the pace go where each saves the most lookup tables, as long as it
 * saves any. A folding file's settings stay. */
void weir_products_choose(weir_graph *graph);

#endif
