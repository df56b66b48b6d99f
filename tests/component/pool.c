#include "component/pool.h"

#include <string.h>

#include "dataflow/component.h"

typedef struct window {
    int64_t kernel, stride, dilation, begin, end, in;
    bool ceil;
} window;

/* Does each window see an element? */
static bool sees(const window *w) {
    const int64_t reach = (w->kernel - 1) * w->dilation, slack = w->in + w->begin + w->end - reach - 1;
    int64_t out = (slack + (w->ceil ? w->stride - 1 : 0)) / w->stride + 1;
    if (w->ceil && (out - 1) * w->stride >= w->in + w->begin) out--;
    for (int64_t o = 0; o < out; o++) {
        bool any = false;
        for (int64_t k = 0; k < w->kernel; k++) {
            const int64_t at = o * w->stride + k * w->dilation - w->begin;
            any = any || (at >= 0 && at < w->in);
        }
        if (!any) return false;
    }
    return true;
}

static window random_window(component_case *c) {
    window w;
    if (case_chance(c, 15)) { /* all of a line */
        w.in = w.kernel = w.stride = case_range(c, 2, 40);
        return (window){w.kernel, w.stride, 1, 0, 0, w.in, false};
    }
    if (case_chance(c, 20)) { /* side by side, to the end of the line */
        w.kernel = case_range(c, 2, 3);
        return (window){w.kernel, w.kernel, 1, 0, 0, w.kernel * case_range(c, 1, 4), false};
    }
    if (case_chance(c, 30)) { /* padded, so that there are as many windows as elements */
        w.kernel = case_range(c, 2, 4);
        return (window){w.kernel, 1, 1, (w.kernel - 1) / 2, w.kernel / 2, case_range(c, 1, 6), false};
    }
    do {
        w.kernel = case_range(c, 1, case_chance(c, 70) ? 3 : 6);
        w.stride = case_range(c, 1, 4);
        w.dilation = case_chance(c, 70) ? 1 : case_range(c, 2, 3);
        const int64_t reach = (w.kernel - 1) * w.dilation;
        w.begin = case_chance(c, 50) ? 0 : case_range(c, 0, reach);
        w.end = case_chance(c, 50) ? 0 : case_range(c, 0, reach);
        w.in = case_range(c, 1, 9);
        w.ceil = case_chance(c, 40);
        if (w.in + w.begin + w.end <= reach) w.in = reach + 1;
    } while (!sees(&w));
    return w;
}

weir_node pool_add(component_case *c, weir_op op) {
    static const char *const layouts[] = {"NWC", "NHWC", "NDHWC"};
    const int rank = (int)case_range(c, 1, 3), along = (int)case_range(c, 0, rank - 1);
    const int64_t channels = case_range(c, 1, 8);
    const window w = random_window(c);
    int64_t ones[6] = {1, 1, 1, 1, 1, 1}, sizes[6];
    weir_value x = case_codes(c, 1, channels, 1, 12, 50);
    weir_type type = *weir_value_type(c->graph, x);
    type.shape = (weir_shape){rank + 2, {case_chance(c, 20) ? 2 : 1}};
    for (int i = 0; i < rank; i++) type.shape.dim[i + 1] = i == along ? w.in : case_range(c, 1, 6);
    type.shape.dim[rank + 1] = channels;
    weir_value_set_type(c->graph, x, &type);
    weir_node node = case_node(c, op, "pool", &x, 1, 1);
    memcpy(sizes, ones, sizeof sizes);
    sizes[along] = w.kernel;
    weir_node_set_ints(c->graph, node, "kernel_shape", sizes, (size_t)rank);
    sizes[along] = w.stride;
    weir_node_set_ints(c->graph, node, "strides", sizes, (size_t)rank);
    sizes[along] = w.dilation;
    weir_node_set_ints(c->graph, node, "dilations", sizes, (size_t)rank);
    memset(sizes, 0, sizeof sizes);
    sizes[along] = w.begin;
    sizes[along + rank] = w.end;
    weir_node_set_ints(c->graph, node, "pads", sizes, 2 * (size_t)rank);
    if (op == WEIR_OP_MAX_POOL) weir_node_set_int(c->graph, node, "ceil_mode", w.ceil);
    weir_node_set_string(c->graph, node, "layout", layouts[rank - 1]);
    return node;
}

void pool_finish(component_case *c, weir_node node) {
    const weir_shape *x = &weir_value_type(c->graph, weir_node_input(c->graph, node, 0))->shape;
    const int64_t lanes = case_divisor(c, x->dim[x->rank - 1]);
    case_place(c, node, lanes, lanes, 0);
    if (case_chance(c, 60)) case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}
