#include "dataflow/depthwise.h"

#include <assert.h>

static int64_t channels_of(const weir_graph *graph, weir_value value) {
    assert(weir_value_type(graph, value)->shape.rank > 0);
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    return shape->dim[shape->rank - 1];
}

int64_t weir_depthwise_groups(const weir_graph *graph, weir_node linear) {
    assert(weir_node_op(graph, linear) == WEIR_OP_LINEAR);
    const int64_t groups = weir_node_int(graph, linear, "group", 1);
    const int64_t outputs = weir_value_type(graph, weir_node_input(graph, linear, 1))->shape.dim[0];
    return groups > 1 && outputs == groups ? groups : 0;
}

/* The window that gives a node its elements, if no other node reads it. */
static weir_node window_before(const weir_graph *graph, weir_node node) {
    const weir_value x = weir_node_input(graph, node, 0);
    const weir_node window = weir_value_producer(graph, x);
    return window.id != 0 && weir_node_op(graph, window) == WEIR_OP_WINDOW && weir_value_use_count(graph, x) == 1 &&
                   !weir_value_is_output(graph, x)
               ? window
               : WEIR_NO_NODE;
}

size_t weir_depthwise_windows(const weir_graph *graph, weir_node linear, weir_node windows[2]) {
    const int64_t groups = weir_depthwise_groups(graph, linear);
    size_t count = 0;
    if (groups == 0) return 0;
    for (weir_node at = window_before(graph, linear); at.id != 0 && count < 2; at = window_before(graph, at))
        windows[count++] = at;
    return count > 0 && channels_of(graph, weir_node_input(graph, windows[count - 1], 0)) == groups ? count : 0;
}

bool weir_depthwise_interleaves(const weir_graph *graph, weir_node linear) {
    const int64_t groups = weir_depthwise_groups(graph, linear);
    const int64_t elements = weir_value_type(graph, weir_node_input(graph, linear, 1))->shape.dim[1];
    weir_node windows[2];
    return groups > 0 && (elements == 1 || weir_depthwise_windows(graph, linear, windows) > 0);
}

bool weir_depthwise_has_window(const weir_graph *graph, weir_node window) {
    const weir_value y = weir_node_output(graph, window, 0);
    const weir_node user = weir_value_use_count(graph, y) == 1 ? weir_value_use(graph, y, 0).node : WEIR_NO_NODE;
    weir_node windows[2];
    return user.id != 0 && weir_node_op(graph, user) == WEIR_OP_LINEAR &&
           weir_depthwise_windows(graph, user, windows) > 0 && windows[0].id == window.id;
}
