/* Also with a zero point that is not a code of the input. */
#include "component/pool.h"

static void build(component_case *c) {
    const weir_node node = pool_add(c, WEIR_OP_SUM_POOL);
    if (case_chance(c, 50)) weir_node_set_int(c->graph, node, "zero", case_range(c, -300, 300));
    pool_finish(c, node);
}

const component_test component_test_sum_pool = {"sum_pool", build, NULL};
