#include "common/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dataflow/component.h"
#include "ir/shape/infer.h"

int line_reach(const line *w) { return (w->kernel - 1) * w->dilation; }

int line_end(const line *w, int o) { return o * w->stride + line_reach(w) - w->begin; }

bool line_next(line *w, const line_limits *most) {
    for (;;) {
        if (w->out < w->in + w->begin + line_reach(w) && w->out < most->out) w->out++;
        else if (w->out = 1, ++w->begin <= line_reach(w)) continue;
        else if (w->begin = 0, ++w->in <= most->in) continue;
        else if (w->in = 1, ++w->dilation <= (w->kernel > 1 ? most->dilation : 1)) continue;
        else if (w->dilation = 1, ++w->stride <= most->stride) continue;
        else if (w->stride = 1, ++w->kernel > most->kernel) return false;
        const int seen = line_end(w, w->out - 1) + 1; /* pixels to the end of the last */
        if ((w->out - 1) * w->stride < w->in + w->begin && seen > w->in - w->stride) return true;
    }
}

void line_takes(const line *w, int64_t cycles, int64_t ideal) {
    if (cycles == ideal) return;
    fail_msg("in %d out %d kernel %d stride %d dilation %d begin %d: %lld cycles a line, not %lld", w->in, w->out,
             w->kernel, w->stride, w->dilation, w->begin, (long long)cycles, (long long)ideal);
}

weir_type line_type(weir_shape shape) {
    return (weir_type){.dtype = WEIR_INT8,
                       .shape = shape,
                       .has_range = true,
                       .low = -8,
                       .high = 7,
                       .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 4, .axis = -1}};
}

weir_graph *line_graph(weir_op op, const line *w, weir_node *node) {
    const int end = line_end(w, w->out - 1) + 1 - w->in;
    const weir_type type = line_type((weir_shape){3, {1, w->in, 1}});
    weir_graph *graph = weir_graph_new("line");
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    *node = weir_graph_add_node(graph, op, "slides", &x, 1, 1, WEIR_NO_NODE);
    weir_node_set_ints(graph, *node, "kernel_shape", (const int64_t[]){w->kernel}, 1);
    weir_node_set_ints(graph, *node, "strides", (const int64_t[]){w->stride}, 1);
    weir_node_set_ints(graph, *node, "dilations", (const int64_t[]){w->dilation}, 1);
    weir_node_set_ints(graph, *node, "pads", (const int64_t[]){w->begin, end > 0 ? end : 0}, 2);
    if (op == WEIR_OP_WINDOW) {
        weir_node_set_int(graph, *node, "group", 1);
        weir_node_set_int(graph, *node, "fill", 0);
    } else {
        weir_node_set_string(graph, *node, "layout", "NWC");
    }
    assert_true(weir_infer_node(graph, *node));
    assert_int_equal(weir_value_type(graph, weir_node_output(graph, *node, 0))->shape.dim[1], w->out);
    assert_true(weir_component_assign(graph));
    return graph;
}
