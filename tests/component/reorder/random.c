/* The dimensions of a tensor in another order, each as it is, reversed, in part, or split into two; repetitions between
 * them. */
#include "component/case.h"
#include "ir/graph/types.h"

typedef struct nest {
    int loops;
    int64_t size[8], stride[8];
} nest;

static void add(nest *n, int64_t size, int64_t stride) {
    n->size[n->loops] = size;
    n->stride[n->loops++] = stride;
}

static void shuffle(component_case *c, nest *n, int first, int end) {
    for (int i = first; i < end; i++) {
        const int other = (int)case_range(c, first, end - 1);
        const int64_t size = n->size[i], stride = n->stride[i];
        n->size[i] = n->size[other];
        n->stride[i] = n->stride[other];
        n->size[other] = size;
        n->stride[other] = stride;
    }
}

static void build(component_case *c) {
    const int rank = (int)case_range(c, 1, 3);
    const int64_t run = case_range(c, 1, 4);
    weir_shape shape = {.rank = rank + 1};
    nest n = {.loops = 0};
    int64_t start = 0, stride = run, all = 1;
    shape.dim[rank] = run;
    for (int i = rank - 1; i >= 0; i--) {
        const int64_t size = case_range(c, 1, 6), even = size / 2 * 2;
        shape.dim[i] = size;
        if (case_chance(c, 20)) {
            add(&n, size, -stride);
            start += (size - 1) * stride;
        } else if (case_chance(c, 25) && even == size) {
            add(&n, 2, stride);
            add(&n, size / 2, 2 * stride);
        } else {
            add(&n, case_chance(c, 70) ? size : case_range(c, 1, size), stride);
        }
        stride *= size;
    }
    if (n.loops < 5 && case_chance(c, 50)) add(&n, case_range(c, 2, 3), 0);
    shuffle(c, &n, 0, n.loops);
    add(&n, run, 1);
    if (case_chance(c, 20)) shuffle(c, &n, 0, n.loops);
    for (int i = 0; i < n.loops; i++) all *= n.size[i];
    weir_value x = case_codes(c, 1, 1, 1, 10, 50);
    weir_type type = *weir_value_type(c->graph, x);
    type.shape = shape;
    weir_value_set_type(c->graph, x, &type);
    weir_node node = case_node(c, WEIR_OP_REORDER, "reorder", &x, 1, 1);
    weir_node_set_ints(c->graph, node, "shape", &all, 1);
    weir_node_set_ints(c->graph, node, "sizes", n.size, (size_t)n.loops);
    weir_node_set_ints(c->graph, node, "strides", n.stride, (size_t)n.loops);
    weir_node_set_int(c->graph, node, "start", start);
    const bool together = n.stride[n.loops - 1] == 1 && n.size[n.loops - 1] == run;
    const int64_t lanes = together ? case_divisor(c, run) : 1;
    case_place(c, node, lanes, lanes, 0);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_reorder = {"reorder", build, NULL, false};
