#include <math.h>
#include <stdlib.h>

#include "cosim/frames.h"
#include "ir/shape/index_map.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/quantize/mask.h"
#include "passes/quantize/quantizer.h"
#include "passes/quantize/round_weights.h"
#include "support/memory/arena.h"

/* All numbers are finite. */
static void see_channels(weir_quantized_value *own, const weir_array *array) {
    const weir_by_output all = weir_by_output_of(&array->shape, 1);
    for (size_t c = 0; c < own->channels; c++) {
        weir_seen_channel *channel = &own->channel[c];
        if (channel->histogram == NULL) channel->histogram = weir_histogram_new();
        for (size_t i = 0; i < all.size; i++) {
            const double v = weir_array_get(array, weir_by_output_place(&all, c, i));
            weir_range_see(&channel->range, v);
            weir_histogram_see(channel->histogram, v);
        }
    }
}

/* Of a node's result the node's name and place are said, and of a mask's infinity what it is. */
static void report_infinite(const weir_quantizer *q, weir_value value, const weir_array *array, size_t bad) {
    const weir_node maker = weir_value_producer(q->graph, value);
    const double number = weir_array_get(array, bad);
    char *text = weir_format("calibration: frame %lld makes element %zu of '%s' %g, expected finite numbers",
                             (long long)q->frame, bad, weir_value_name(q->graph, value), number);
    if (maker.id == 0) weir_error(weir_at(weir_graph_source(q->graph), 0), "%s", text);
    else
        weir_error(weir_node_location(q->graph, maker), "node '%s' (%s): %s", weir_node_name(q->graph, maker),
                   weir_node_info(q->graph, maker)->full_name, text);
    free(text);
    if (maker.id != 0 && isinf(number) && number < 0)
        weir_note("-infinity, as masks of attention have it, is in no range: quantize the layers before and after the "
                  "Softmax as models of their own; weir eval --engine float runs the model as it is");
}

/* Has what masks the node's result on this frame other numbers than masks have? Noted for all frames. */
static bool masks(weir_quantizer *q, const weir_executor *executor, weir_node node) {
    weir_computed_mask mask;
    if (!weir_quantizer_masks(q, node, &mask)) return false;
    const weir_value other = weir_node_input(q->graph, node, mask.other);
    const weir_array *numbers = weir_executor_value(executor, other);
    const bool far = !mask.sum || (numbers != NULL && weir_mask_is_far(numbers));
    weir_quantizer_value(q, other)->is_numbers |= !far;
    return far;
}

/* Does a mask give the value, or is it one? What it leaves out is in no range, but for codes of a State. */
static bool is_masked(weir_quantizer *q, const weir_executor *executor, weir_value value) {
    const weir_node maker = weir_value_producer(q->graph, value);
    weir_mask mask;
    bool any = maker.id != 0 && (weir_mask_of(q->graph, maker, &mask) || masks(q, executor, maker));
    for (size_t i = 0; !any && i < weir_value_use_count(q->graph, value); i++) {
        const weir_use use = weir_value_use(q->graph, value, i);
        weir_computed_mask own;
        any = weir_quantizer_masks(q, use.node, &own) && own.other == use.index && masks(q, executor, use.node) &&
              !weir_mask_is_kept(q->graph, value);
    }
    return any;
}

/* -infinity that hardware does not compute: what it becomes is seen behind it. */
static bool is_on_host(const weir_quantizer *q, weir_value value, double number) {
    return isinf(number) && number < 0 && !weir_quantizer_value(q, value)->after;
}

static bool see_frame(void *user, const weir_executor *executor) {
    weir_quantizer *q = user;
    for (uint32_t id = 1; weir_side_has(&q->values, id); id++) {
        weir_value value = {id};
        if (!weir_value_exists(q->graph, value) || weir_value_constant(q->graph, value) != NULL) continue;
        const weir_array *array = weir_executor_value(executor, value);
        if (array == NULL || is_masked(q, executor, value)) continue;
        weir_quantized_value *own = weir_quantizer_value(q, value);
        size_t bad;
        for (size_t i = 0; own->is_sequence && i < array->count; i++)
            own->squares += weir_array_get(array, i) * weir_array_get(array, i);
        if (own->is_sequence) own->seen += (double)array->count;
        if (q->keeps_histograms && own->histogram == NULL) own->histogram = weir_histogram_new();
        if (weir_calibration_see(&own->range, own->histogram, array, &bad)) {
            if (own->channel != NULL) see_channels(own, array);
            continue;
        }
        if (is_on_host(q, value, weir_array_get(array, bad))) continue;
        report_infinite(q, value, array, bad);
        return false;
    }
    if (q->inputs != NULL) weir_layer_inputs_see(q->inputs, executor);
    q->frame++;
    return true;
}

static void keep_statistics(weir_quantizer *q, int64_t frames) {
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node)) {
        weir_value value = weir_node_output(q->graph, node, 0);
        const weir_range *r = &weir_quantizer_value(q, value)->range;
        size_t count = 1;
        weir_shape_count(&weir_value_type(q->graph, value)->shape, &count);
        if (r->seen)
            weir_node_metadata(q->graph, node)->software =
                (weir_meta_software){(uint64_t)frames * count, r->min, r->max};
    }
}

/* What a Pad fills in below its input is the least code where only MaxPools read it: they take anything else. */
static void leave_out_fill(weir_quantizer *q, weir_node pad) {
    const weir_value input = weir_node_input(q->graph, pad, 0), result = weir_node_output(q->graph, pad, 0);
    bool fine = !weir_value_is_output(q->graph, result) && weir_value_constant(q->graph, input) == NULL;
    for (size_t i = 0; fine && i < weir_value_use_count(q->graph, result); i++)
        fine = weir_trait_kind(q->graph, weir_value_use(q->graph, result, i).node) == WEIR_OP_MAX_POOL;
    if (!fine) return;
    weir_quantized_value *own = weir_quantizer_value(q, result), *inside = weir_quantizer_value(q, input);
    own->range.min = inside->range.min;
    if (own->histogram != NULL) *own->histogram = *inside->histogram;
}

/* What moves the value has its range too. */
static void spread_range(weir_quantizer *q, weir_value value) {
    const weir_quantized_value *from = weir_quantizer_value(q, value);
    for (size_t i = 0; i < weir_value_use_count(q->graph, value); i++) {
        const weir_use use = weir_value_use(q->graph, value, i);
        if (use.index != 0 || !weir_index_map_reshapes(weir_node_op(q->graph, use.node)) ||
            weir_node_op(q->graph, use.node) == WEIR_OP_UPDATE)
            continue;
        const weir_value moved = weir_node_output(q->graph, use.node, 0);
        weir_quantized_value *to = weir_quantizer_value(q, moved);
        to->range = from->range;
        if (to->histogram != NULL && from->histogram != NULL) *to->histogram = *from->histogram;
        spread_range(q, moved);
    }
}

/* A State, what it begins with and what its Update takes have one range, so one quantizer: no code changes from step to
 * step. */
static void join_state(weir_quantizer *q, weir_node state) {
    const weir_node update = weir_recurrence_update(q->graph, state);
    if (update.id == 0) return;
    const weir_value first = weir_node_input(q->graph, state, 0);
    const weir_array *initial = weir_value_constant(q->graph, first);
    weir_quantized_value *held = weir_quantizer_value(q, weir_node_output(q->graph, state, 0)),
                         *next = weir_quantizer_value(q, weir_node_input(q->graph, update, 0));
    for (size_t i = 0; initial != NULL && i < initial->count; i++)
        weir_range_see(&next->range, weir_array_get(initial, i));
    if (held->range.seen) weir_range_see(&next->range, held->range.min);
    if (held->range.seen) weir_range_see(&next->range, held->range.max);
    const weir_range *start = initial == NULL ? &weir_quantizer_value(q, first)->range : &held->range;
    if (start->seen) weir_range_see(&next->range, start->min);
    if (start->seen) weir_range_see(&next->range, start->max);
    held->range = next->range;
    if (held->histogram != NULL && next->histogram != NULL) *held->histogram = *next->histogram;
    spread_range(q, weir_node_output(q->graph, state, 0));
}

bool weir_quantizer_calibrate(weir_quantizer *q, const char *path) {
    if (*path == '\0') {
        weir_error(weir_at(weir_graph_source(q->graph), 0), "quantizing a float model needs calibration data");
        weir_note("pass typical inputs with --calibration FILE");
        return false;
    }
    int64_t frames = weir_frames_run(q->graph, path, weir_pass_int(q->pass, "frames"), see_frame, q);
    if (frames > 0) keep_statistics(q, frames);
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node))
        if (weir_trait_kind(q->graph, node) == WEIR_OP_PAD) leave_out_fill(q, node);
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node))
        if (weir_node_op(q->graph, node) == WEIR_OP_STATE) join_state(q, node);
    weir_quantizer_join_wide(q);
    return frames > 0;
}
