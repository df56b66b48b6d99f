/* Also with a zero point that is not a code of the input, and with sums of fewer elements multiplied. */
#include "component/pool.h"
#include "ir/shape/geometry.h"

/* What the elements of all windows divide; 0: more than factors are tried for. */
static int64_t common_of(const component_case *c, weir_node node) {
    const weir_shape *x = &weir_value_type(c->graph, weir_node_input(c->graph, node, 0))->shape;
    weir_shape onnx = {x->rank, {x->dim[0], x->dim[x->rank - 1]}};
    weir_window w;
    int64_t common = 1, least, most;
    for (int i = 2; i < x->rank; i++) onnx.dim[i] = x->dim[i - 1];
    if (!weir_geometry_window(c->graph, node, &onnx, NULL, &w)) return 0;
    for (int i = 0; i < w.rank; i++) common *= weir_geometry_common(&w, i, 10000);
    weir_geometry_count_seen(&w, &least, &most);
    return common / least > 255 ? 0 : common;
}

static void build(component_case *c) {
    const weir_node node = pool_add(c, WEIR_OP_SUM_POOL);
    if (case_chance(c, 50)) weir_node_set_int(c->graph, node, "zero", case_range(c, -300, 300));
    if (case_chance(c, 50)) weir_node_set_int(c->graph, node, "common", common_of(c, node) * case_range(c, 1, 2));
    pool_finish(c, node);
}

const component_test component_test_sum_pool = {"sum_pool", build, NULL, false};
