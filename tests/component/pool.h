/* What the cases of max_pool and sum_pool share: windows of any size, stride, dilation and padding along one of one to
 * three dimensions, some of them all of a line. */
#ifndef TESTS_COMPONENT_POOL_H
#define TESTS_COMPONENT_POOL_H

#include "component/case.h"

/* A node on an input of the graph, without what only the operator has. */
weir_node pool_add(component_case *c, weir_op op);
/* Lanes, data and the rest, once the node has its attributes. */
void pool_finish(component_case *c, weir_node node);

#endif
