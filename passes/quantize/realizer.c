#include "passes/quantize/realizer.h"

#include <stdlib.h>

#include "support/memory/arena.h"

bool weir_realizer_fail(const weir_realizer *r, const char *what) {
    return weir_node_fail(r->graph, r->node, "%s", what);
}

int weir_realizer_bits(int64_t value) { return weir_bits_for(value < 0 ? value : 0, value < 0 ? 0 : value); }

weir_channel_function weir_realizer_function(const weir_realizer *r, size_t c) {
    weir_channel_function f = {.r = r, .channel = (int64_t)c};
    f.is_product = r->thresholds == NULL && weir_requantizer_is_product(&r->requantizer);
    if (f.is_product) f.product = weir_requantizer_product(&r->requantizer, f.channel);
    return f;
}

/* How many of the channel's thresholds the sum reaches. */
static size_t reached(const weir_channel_function *f, int64_t x) {
    const weir_array *thresholds = f->r->thresholds;
    const size_t count = (size_t)thresholds->shape.dim[1], row = thresholds->shape.dim[0] == 1 ? 0 : (size_t)f->channel;
    const int64_t *steps = (const int64_t *)thresholds->data + row * count;
    size_t below = 0;
    for (size_t end = count; below < end;) {
        size_t middle = below + (end - below) / 2;
        if (steps[middle] <= x) below = middle + 1;
        else end = middle;
    }
    return below;
}

void weir_realizer_specified(const void *user, const int64_t *x, size_t count, int64_t *code) {
    const weir_channel_function *f = user;
    const weir_realizer *r = f->r;
    if (r->thresholds != NULL) {
        for (size_t i = 0; i < count; i++) code[i] = (r->stride == 1 ? r->base : 0) + (int64_t)reached(f, x[i]);
        return;
    }
    if (f->is_product) weir_channel_product_apply_each(&f->product, x, count, code);
    for (size_t i = 0; !f->is_product && i < count; i++)
        code[i] = weir_requantizer_apply(&r->requantizer, f->channel, x[i]);
    for (size_t i = 0; r->stride != 1 && i < count; i++) code[i] = (code[i] - r->base) / r->stride;
}

/* Reads the node. Binary outputs are handled as step numbers 0, 1 with base -1 and stride 2. */
bool weir_realizer_read(weir_realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const weir_type *out = weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    size_t last = (size_t)in->shape.dim[in->shape.rank - 1];
    if (!in->has_range) return weir_realizer_fail(r, "its input has no proven range");
    r->stride = 1;
    r->channels = in->quant.count > 1 ? in->quant.count : 1;
    if (weir_node_op(r->graph, r->node) == WEIR_OP_THRESHOLD) {
        r->thresholds = weir_value_constant(r->graph, weir_node_input(r->graph, r->node, 1));
        r->base = weir_node_int(r->graph, r->node, "base", 0);
        r->stride = weir_node_int(r->graph, r->node, "step", 1);
        r->channels = (size_t)r->thresholds->shape.dim[0];
        int64_t steps = r->thresholds->shape.dim[1];
        r->low = r->stride == 1 ? r->base : 0;
        r->high = r->low + steps;
    } else {
        if (!weir_requantizer_of(r->graph, r->node, &r->requantizer))
            return weir_realizer_fail(r, "its contract is unknown");
        if (r->requantizer.offset != NULL && r->requantizer.offset->count > 1)
            r->channels = r->requantizer.offset->count;
        for (size_t i = 0; i < r->requantizer.step_count; i++) {
            const size_t channels = weir_step_channels(&r->requantizer.step[i]);
            if (channels > 1) r->channels = channels;
        }
        const weir_array *of_floor[2] = {r->requantizer.factor, r->requantizer.addend};
        for (size_t i = 0; i < 2; i++)
            if (of_floor[i] != NULL && of_floor[i]->count > 1) r->channels = of_floor[i]->count;
        r->low = r->requantizer.low;
        r->high = r->requantizer.high;
        if (out->quant.format == WEIR_FORMAT_BINARY) {
            r->base = -1;
            r->stride = 2;
            r->low = 0;
            r->high = 1;
        }
    }
    if (r->channels > 1 && r->channels != last) return weir_realizer_fail(r, "its parameters do not fit the last axis");
    return true;
}

bool weir_realizer_build(weir_realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    r->staircase = weir_calloc(r->channels, sizeof *r->staircase);
    for (size_t c = 0; c < r->channels; c++) {
        const weir_channel_function function = weir_realizer_function(r, c);
        if (!weir_staircase_build(&r->staircase[c], weir_realizer_specified, &function, in->low, in->high, r->low,
                                  r->high))
            return weir_realizer_fail(r, "its function is not monotonically increasing");
    }
    return true;
}
