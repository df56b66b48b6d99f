/* remove_channels: a class of channels goes where no layer misses it: each reader's weights for it are zero, or what it
 * carries is a constant, which the reader's bias takes over. What is constant follows from layers whose weights are
 * zero, as masks leave them; its values are those of one run, and count as constant only where they are equal at all
 * elements of a channel, which padding may prevent. O(one frame + size of the weights). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/random_input.h"
#include "exec/exec.h"
#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "passes/prune/channels.h"
#include "support/memory/arena.h"

/* What is known of a channel. */
typedef struct state {
    bool is_masked;   /* a layer's, whose weights are zero */
    bool is_constant; /* all elements are `value` */
    double value;
    weir_node lost_at; /* where a constant met what is none, or became several; none: there is no such node */
} state;

/* What a layer's results lose with its inputs, by output; NULL: nothing. */
typedef struct correction {
    weir_node node;
    double *sum;
} correction;

typedef struct removal {
    weir_graph *graph;
    weir_channel_classes *channels;
    weir_executor *executor; /* after a run on one frame */
    weir_arena *arena;
    state *state;      /* by channel */
    const char **stay; /* by what stands for a class: why it does not go, NULL: it goes */
    correction *correction;
    size_t correction_count, correction_capacity;
} removal;

static const weir_shape *shape_of(const removal *r, weir_value value) {
    return &weir_value_type(r->graph, value)->shape;
}

static void keep(removal *r, uint32_t channel, const char *why) {
    const char **stay = &r->stay[weir_channels_class(r->channels, channel)];
    if (*stay == NULL) *stay = why;
}

static bool goes(const removal *r, uint32_t channel) {
    return r->stay[weir_channels_class(r->channels, channel)] == NULL;
}

static const char *name_of(const removal *r, weir_node node) {
    return weir_arena_format(r->arena, "'%s' (%s)", weir_node_name(r->graph, node),
                             weir_node_info(r->graph, node)->full_name);
}

/* --- weights --- */

/* Weights as rows and columns of `inner` elements each; a layer's groups have rows and inputs of their own. */
typedef struct weights {
    const weir_array *data;
    size_t out_step, in_step, inner;
    int64_t rows, row_group, in_group; /* outputs, and those and inputs of a group */
} weights;

static weights weights_of(const removal *r, weir_node node, const weir_channel_layer *layer) {
    const weir_array *data = weir_executor_value(r->executor, weir_node_input(r->graph, node, 1));
    const weir_shape *shape = &data->shape;
    weights w = {.data = data, .inner = 1, .rows = shape->dim[layer->weight_out]};
    for (int i = 2; i < shape->rank; i++) w.inner *= (size_t)shape->dim[i];
    const size_t outer = w.inner * (size_t)shape->dim[1];
    w.out_step = layer->weight_out == 0 ? outer : w.inner;
    w.in_step = layer->weight_in == 0 ? outer : w.inner;
    w.row_group = w.rows / layer->groups;
    w.in_group = layer->is_depthwise ? 1 : shape->dim[layer->weight_in];
    return w;
}

/* The sum of what output `o` multiplies input `k` of its group by; `any`: one of these weights is not zero. */
static double sum_weights(const weights *w, int64_t o, int64_t k, bool *any) {
    double sum = 0;
    for (size_t i = 0; i < w->inner; i++) {
        const double weight = weir_array_get(w->data, (size_t)o * w->out_step + (size_t)k * w->in_step + i);
        *any |= weight != 0;
        sum += weight;
    }
    return sum;
}

/* --- constants --- */

/* Are all elements of the channel one number? */
static bool is_uniform(const weir_array *data, int axis, int64_t channel, double *value) {
    size_t inner = 1;
    for (int i = axis + 1; i < data->shape.rank; i++) inner *= (size_t)data->shape.dim[i];
    const size_t step = inner * (size_t)data->shape.dim[axis];
    *value = weir_array_get(data, (size_t)channel * inner);
    for (size_t outer = (size_t)channel * inner; outer < data->count; outer += step)
        for (size_t i = 0; i < inner; i++)
            if (weir_array_get(data, outer + i) != *value) return false;
    return isfinite(*value);
}

/* Outputs without weights are masked, and those that only multiply constants are constant. */
static void find_masked(removal *r, weir_node node, const weir_channel_layer *layer) {
    const weights w = weights_of(r, node, layer);
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    const weir_channel_axis *to = weir_channels_axis(r->channels, weir_node_output(r->graph, node, 0));
    const bool is_known = from->count > 0 && from->axis == layer->in_axis && !layer->is_depthwise;
    for (int64_t o = 0; o < to->count; o++) {
        const int64_t first = o / w.row_group * w.in_group;
        state *s = &r->state[to->first + o];
        bool any = false, varies = false;
        for (int64_t k = 0; k < w.in_group; k++) {
            bool reads = false;
            sum_weights(&w, o, k, &reads);
            any |= reads;
            varies |= reads && !(is_known && r->state[from->first + first + k].is_constant);
        }
        s->is_masked = !any;
        s->is_constant |= !varies;
    }
}

/* Channels that the node's results have of it: constant where all that they depend on is, or a factor is zero. `tie`:
 * the first of the node's ties, of which there are `count`. */
static void combine(removal *r, weir_node node, const weir_channel_tie *tie, size_t count) {
    for (size_t i = 0; i < count; i++) r->state[tie[i].result].is_constant = true;
    for (size_t i = 0; i < count; i++) {
        const state *from = &r->state[tie[i].source];
        state *to = &r->state[tie[i].result];
        to->is_constant &= from->is_constant;
        if (from->lost_at.id != 0) to->lost_at = from->lost_at;
    }
    for (size_t i = 0; i < count; i++) {
        const state *from = &r->state[tie[i].source];
        state *to = &r->state[tie[i].result];
        if (from->is_constant && !to->is_constant && to->lost_at.id == 0) to->lost_at = node;
        if (weir_trait_kind(r->graph, node) == WEIR_OP_MUL && from->is_constant && from->value == 0)
            to->is_constant = true;
    }
}

static void find_constants(removal *r) {
    const weir_channel_classes *c = r->channels;
    size_t at = 0;
    for (weir_node node = weir_graph_first(r->graph); node.id != 0; node = weir_node_next(r->graph, node)) {
        const size_t first = at;
        weir_channel_layer layer;
        while (at < c->tie_count && c->tie[at].node.id == node.id) at++;
        combine(r, node, c->tie + first, at - first);
        if (weir_channels_layer(c, node, &layer)) find_masked(r, node, &layer);
        for (size_t i = 0; i < weir_node_output_count(r->graph, node); i++) {
            const weir_value result = weir_node_output(r->graph, node, i);
            const weir_channel_axis *axis = weir_channels_axis(c, result);
            for (int64_t k = 0; k < axis->count; k++) {
                state *s = &r->state[axis->first + k];
                if (!s->is_constant || is_uniform(weir_executor_value(r->executor, result), axis->axis, k, &s->value))
                    continue;
                s->is_constant = false;
                s->lost_at = node;
            }
        }
    }
    assert(at == c->tie_count);
}

/* One run, on any frame: what is constant does not depend on it. */
static bool run(removal *r) {
    const size_t count = weir_graph_input_count(r->graph);
    weir_archive frame;
    weir_archive_init(&frame);
    weir_random_frame(r->graph, 1, &frame);
    r->executor = weir_executor_new(r->graph);
    const bool fine = r->executor != NULL && weir_executor_run(r->executor, (const weir_array *const *)frame.array);
    assert(frame.count == count);
    weir_archive_free(&frame);
    return fine;
}

/* A Split that divides evenly says its sizes, which then may differ. */
static bool state_sizes(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        const size_t count = weir_node_output_count(graph, node);
        if (weir_trait_kind(graph, node) != WEIR_OP_SPLIT || weir_node_input(graph, node, 1).id != 0) continue;
        const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
        int64_t axis = weir_node_int(graph, node, "axis", 0);
        if (axis < 0) axis += shape->rank;
        weir_array *sizes = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)count}});
        for (size_t i = 0; i < count; i++)
            weir_array_set_int(sizes, i, weir_value_type(graph, weir_node_output(graph, node, i))->shape.dim[axis]);
        weir_rewrite rewrite = {.graph = graph, .at = node};
        const weir_value inputs[2] = {weir_node_input(graph, node, 0), weir_rewrite_constant(&rewrite, "sizes", sizes)};
        const char *name = weir_graph_intern(graph, weir_node_name(graph, node));
        const weir_node made = weir_graph_add_node(graph, weir_node_op(graph, node), name, inputs, 2, count, node);
        weir_node_set_location(graph, made, weir_node_location(graph, node));
        weir_node_copy_attributes(graph, made, graph, node);
        if (!weir_infer_node(graph, made)) return false;
        for (size_t i = 0; i < count; i++)
            weir_value_replace(graph, weir_node_output(graph, node, i), weir_node_output(graph, made, i));
        weir_graph_remove_node(graph, node);
        weir_node_rename(graph, made, name, "");
    }
    return true;
}

/* --- what goes --- */

/* Can a constant other than zero that the layer reads move into its bias? `why`: why not. */
static bool takes_constant(removal *r, weir_node node, const char **why) {
    const weir_op kind = weir_trait_kind(r->graph, node);
    const weir_value bias = weir_node_input(r->graph, node, 2);
    weir_window window;
    if (bias.id != 0 && weir_value_constant(r->graph, bias) == NULL) {
        *why = weir_arena_format(r->arena, "the bias of %s, which would take over its constant, is computed",
                                 name_of(r, node));
        return false;
    }
    if (kind == WEIR_OP_GEMM || kind == WEIR_OP_MATMUL) return true;
    *why = weir_arena_format(r->arena, "its constant is not zero, and %s has padding beside it", name_of(r, node));
    if (kind != WEIR_OP_CONV ||
        !weir_geometry_window(r->graph, node, shape_of(r, weir_node_input(r->graph, node, 0)),
                              shape_of(r, weir_node_input(r->graph, node, 1))->dim + 2, &window))
        return false;
    for (int i = 0; i < window.rank; i++)
        if (window.begin[i] != 0 || window.end[i] != 0) return false;
    return true;
}

/* Does an output that stays multiply input `k` by anything but zero? */
static bool is_read(const removal *r, weir_node node, const weir_channel_layer *layer, const weights *w, int64_t k) {
    const weir_channel_axis *to = weir_channels_axis(r->channels, weir_node_output(r->graph, node, 0));
    const int64_t group = layer->groups == 1 ? 0 : k / w->in_group;
    bool any = false;
    for (int64_t o = group * w->row_group; !any && o < (group + 1) * w->row_group; o++)
        if (!goes(r, to->first + (uint32_t)o)) sum_weights(w, o, k % w->in_group, &any);
    return any;
}

/* Channels of the layer's input that outputs of it need; true: one stays that would have gone. */
static bool find_needed(removal *r, weir_node node, const weir_channel_layer *layer) {
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    const weights w = weights_of(r, node, layer);
    const char *padded = NULL;
    const bool takes = takes_constant(r, node, &padded);
    bool changed = false;
    for (int64_t k = 0; k < from->count; k++) {
        const uint32_t channel = from->first + (uint32_t)k;
        const state *s = &r->state[channel];
        if (!goes(r, channel) || (s->is_constant && (s->value == 0 || takes)) || !is_read(r, node, layer, &w, k))
            continue;
        const char *why = padded;
        if (!s->is_constant && s->lost_at.id != 0)
            why = weir_arena_format(r->arena, "it is not constant behind %s", name_of(r, s->lost_at));
        else if (!s->is_constant) why = weir_arena_format(r->arena, "%s needs it", name_of(r, node));
        keep(r, channel, why);
        changed = true;
    }
    return changed;
}

/* A grouped layer loses as many of each group; true: something stays that would have gone. */
static bool even_out(removal *r, weir_node node, const weir_channel_axis *axis, int64_t groups) {
    const int64_t each = axis->count / groups;
    int64_t least = each;
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = 0;
        for (int64_t k = 0; k < each; k++) count += goes(r, axis->first + (uint32_t)(g * each + k));
        if (count < least) least = count;
    }
    bool changed = false;
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = 0;
        for (int64_t k = 0; k < each; k++) {
            const uint32_t channel = axis->first + (uint32_t)(g * each + k);
            if (!goes(r, channel) || ++count <= least) continue;
            keep(r, channel, weir_arena_format(r->arena, "the groups of %s would differ", name_of(r, node)));
            changed = true;
        }
    }
    return changed;
}

static bool even_out_layer(removal *r, weir_node node, int64_t groups) {
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    const bool changed =
        even_out(r, node, weir_channels_axis(r->channels, weir_node_output(r->graph, node, 0)), groups);
    return (from->count > 0 && even_out(r, node, from, groups)) || changed;
}

/* No value loses all of its channels; true: one stays that would have gone. */
static bool keep_one(removal *r) {
    bool changed = false;
    for (uint32_t id = 1; id < r->channels->axis.limit; id++) {
        const weir_channel_axis *axis = weir_channels_axis(r->channels, (weir_value){id});
        bool any = axis->count == 0;
        for (uint32_t k = 0; !any && k < (uint32_t)axis->count; k++) any = !goes(r, axis->first + k);
        if (any) continue;
        keep(r, axis->first, "it is the last one");
        changed = true;
    }
    return changed;
}

/* Both for all layers, the last one first. */
static bool find_all_needed(removal *r) {
    weir_channel_layer layer;
    bool changed = false;
    for (weir_node node = weir_graph_last(r->graph); node.id != 0; node = weir_node_previous(r->graph, node))
        if (weir_channels_layer(r->channels, node, &layer) && !layer.is_depthwise)
            changed |= find_needed(r, node, &layer);
    return changed;
}

static bool even_out_all(removal *r) {
    weir_channel_layer layer;
    bool changed = false;
    for (weir_node node = weir_graph_last(r->graph); node.id != 0; node = weir_node_previous(r->graph, node))
        if (weir_channels_layer(r->channels, node, &layer) && !layer.is_depthwise && layer.groups > 1)
            changed |= even_out_layer(r, node, layer.groups);
    return changed;
}

static void decide(removal *r) {
    const weir_channel_classes *c = r->channels;
    for (uint32_t i = 1; i < c->count; i++) {
        const weir_channel_node *class = &c->channel[i];
        if (class->parent != i || !class->is_pinned) continue;
        keep(r, i,
             class->pin.id == 0 ? "it leaves the graph"
                                : weir_arena_format(r->arena, "%s takes all channels", name_of(r, class->pin)));
    }
    while (find_all_needed(r) || even_out_all(r) || keep_one(r)) continue; /* what stays needs more */
}

/* --- the graph --- */

/* The positions of a value's channels that stay; NULL: all do. */
static const int64_t *kept_of(const removal *r, weir_value value, int64_t *count) {
    const weir_channel_axis *axis = weir_channels_axis(r->channels, value);
    int64_t *at = weir_arena_array(r->arena, (size_t)axis->count, sizeof *at);
    *count = 0;
    for (int64_t k = 0; k < axis->count; k++)
        if (!goes(r, axis->first + (uint32_t)k)) at[(*count)++] = k;
    return *count == axis->count ? NULL : at;
}

/* What the layer's constants amounted to, by output. */
static void correct(removal *r, weir_node node, const weir_channel_layer *layer) {
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    const weights w = weights_of(r, node, layer);
    const double scale = weir_node_float(r->graph, node, "alpha", 1);
    double *sum = NULL;
    for (int64_t k = 0; k < from->count; k++) {
        const state *s = &r->state[from->first + k];
        const int64_t group = layer->groups == 1 ? 0 : k / w.in_group;
        if (!goes(r, from->first + (uint32_t)k) || !s->is_constant || s->value == 0 || !is_read(r, node, layer, &w, k))
            continue;
        if (sum == NULL) sum = weir_arena_array(r->arena, (size_t)w.rows, sizeof *sum);
        for (int64_t o = group * w.row_group; o < (group + 1) * w.row_group; o++) {
            bool any = false;
            sum[o] += scale * s->value * sum_weights(&w, o, k % w.in_group, &any);
        }
    }
    if (sum == NULL) return;
    int64_t count;
    const int64_t *kept = kept_of(r, weir_node_output(r->graph, node, 0), &count);
    for (int64_t i = 0; kept != NULL && i < count; i++) sum[i] = sum[kept[i]];
    r->correction = weir_grow(r->correction, &r->correction_capacity, r->correction_count + 1, sizeof *r->correction);
    r->correction[r->correction_count++] = (correction){node, sum};
}

static void cut_layer(removal *r, weir_node node, const weir_channel_layer *layer) {
    const weir_value result = weir_node_output(r->graph, node, 0);
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    int64_t count;
    const int64_t *kept = kept_of(r, weir_node_input(r->graph, node, 0), &count);
    if (kept != NULL && layer->is_depthwise) {
        weir_node_set_int(r->graph, node, "group", count);
    } else if (kept != NULL && layer->groups > 1) {
        const int64_t each = from->count / layer->groups;
        int64_t *local = weir_arena_array(r->arena, (size_t)count, sizeof *local);
        for (int64_t i = 0; i < count; i++) local[i] = kept[i] % each;
        weir_channel_cut(
            r->graph, node, 1,
            (weir_channel_part){1, 0, shape_of(r, result)->dim[1] / layer->groups, count / layer->groups, local});
    } else if (kept != NULL) {
        weir_channel_cut(r->graph, node, 1,
                         (weir_channel_part){.axis = layer->weight_in, .count = count, .keep = kept});
    }
    kept = kept_of(r, result, &count);
    if (kept == NULL) return;
    weir_channel_cut(r->graph, node, 1, (weir_channel_part){.axis = layer->weight_out, .count = count, .keep = kept});
    const weir_value bias = weir_node_input(r->graph, node, 2);
    const int last = bias.id == 0 ? -1 : shape_of(r, bias)->rank - 1;
    if (last >= 0 && shape_of(r, bias)->dim[last] == shape_of(r, result)->dim[layer->out_axis])
        weir_channel_cut(r->graph, node, 2, (weir_channel_part){.axis = last, .count = count, .keep = kept});
}

/* Parameters of one number a channel. */
static void cut_vectors(removal *r, weir_node node, int64_t count, const int64_t *kept) {
    for (size_t i = 1; i < weir_node_input_count(r->graph, node); i++)
        if (weir_node_input(r->graph, node, i).id != 0)
            weir_channel_cut(r->graph, node, i, (weir_channel_part){.axis = 0, .count = count, .keep = kept});
}

/* A number of an input that states sizes or positions. */
static void set_number(removal *r, weir_node node, size_t input, size_t at, int64_t number) {
    const weir_array *old = weir_value_constant(r->graph, weir_node_input(r->graph, node, input));
    if (weir_array_get_int(old, at) == number) return;
    weir_array *array = weir_array_copy(old);
    weir_array_set_int(array, at, number);
    weir_channel_set_constant(r->graph, node, input, array);
}

static void cut_slice(removal *r, weir_node node) {
    const weir_channel_axis *from = weir_channels_axis(r->channels, weir_node_input(r->graph, node, 0));
    const weir_value axes = weir_node_input(r->graph, node, 3);
    const int rank = shape_of(r, weir_node_input(r->graph, node, 0))->rank;
    const weir_array *starts = weir_value_constant(r->graph, weir_node_input(r->graph, node, 1));
    weir_slice slice;
    const bool known = weir_geometry_slice(r->graph, node, &slice);
    assert(known);
    (void)known;
    int64_t start = 0, count = 0;
    for (int64_t k = 0; k < slice.start[from->axis] + slice.count[from->axis]; k++) {
        const bool stays = !goes(r, from->first + (uint32_t)k);
        if (k < slice.start[from->axis]) start += stays;
        else count += stays;
    }
    for (size_t i = starts->count; i-- > 0;) {
        int64_t axis = axes.id == 0 ? (int64_t)i : weir_array_get_int(weir_value_constant(r->graph, axes), i);
        if ((axis < 0 ? axis + rank : axis) != from->axis) continue;
        set_number(r, node, 1, i, start);
        set_number(r, node, 2, i, start + count);
        return;
    }
}

static void cut_split(removal *r, weir_node node) {
    const weir_value x = weir_node_input(r->graph, node, 0);
    const int rank = shape_of(r, x)->rank;
    const int64_t axis = weir_node_int(r->graph, node, "axis", 0);
    if ((axis < 0 ? axis + rank : axis) != weir_channels_axis(r->channels, x)->axis) return;
    for (size_t i = 0; i < weir_node_output_count(r->graph, node); i++) {
        int64_t count;
        kept_of(r, weir_node_output(r->graph, node, i), &count);
        set_number(r, node, 1, i, count);
    }
}

static void cut_reshape(removal *r, weir_node node, int64_t count) {
    const weir_value x = weir_node_input(r->graph, node, 0), result = weir_node_output(r->graph, node, 0);
    const weir_channel_axis *axis = weir_channels_axis(r->channels, result);
    const weir_array *stated = weir_value_constant(r->graph, weir_node_input(r->graph, node, 1));
    weir_array *array = weir_array_copy(stated);
    for (size_t i = 0; i < array->count; i++) {
        const int64_t old = weir_array_get_int(stated, i), size = shape_of(r, result)->dim[i];
        /* a copied dimension may be one whose channels go, and the other way round */
        if (old == 0 && i < (size_t)shape_of(r, x)->rank) weir_array_set_int(array, i, size);
        if (old != -1 && (int)i == axis->axis) weir_array_set_int(array, i, count);
    }
    weir_channel_set_constant(r->graph, node, 1, array);
}

/* Changes what the node has by channel; its result loses some. */
static void cut_node(removal *r, weir_node node) {
    const weir_value result = weir_node_output(r->graph, node, 0);
    const weir_op kind = weir_trait_kind(r->graph, node);
    weir_channel_layer layer;
    int64_t count;
    if (weir_channels_layer(r->channels, node, &layer)) {
        correct(r, node, &layer);
        cut_layer(r, node, &layer);
        return;
    }
    if (kind == WEIR_OP_SPLIT && kept_of(r, weir_node_input(r->graph, node, 0), &count) != NULL) {
        cut_split(r, node);
        return;
    }
    if (kind == WEIR_OP_SLICE && kept_of(r, weir_node_input(r->graph, node, 0), &count) != NULL) {
        cut_slice(r, node);
        return;
    }
    const int64_t *kept = kept_of(r, result, &count);
    const weir_trait_order order = weir_trait_of(weir_node_op(r->graph, node))->order;
    if (kept == NULL || weir_node_output_count(r->graph, node) != 1) return;
    if (kind == WEIR_OP_RESHAPE) cut_reshape(r, node, count);
    else if (kind == WEIR_OP_RESIZE && weir_node_input(r->graph, node, 3).id != 0)
        set_number(r, node, 3, (size_t)weir_channels_axis(r->channels, result)->axis, count);
    else if (order == WEIR_ORDER_NORMALIZE) cut_vectors(r, node, count, kept);
    else if (order == WEIR_ORDER_ELEMENTWISE || order == WEIR_ORDER_QUANTIZE) {
        const weir_channel_part part = {
            .axis = weir_channels_axis(r->channels, result)->axis, .count = count, .keep = kept};
        weir_channel_cut_inputs(r->graph, node, part, &r->channels->fixed);
    }
}

/* The layer's results become larger by so much: in its bias, behind a MatMul in an Add. */
static void add_correction(removal *r, const correction *c, weir_rewrite *rewrite) {
    const weir_value result = weir_node_output(r->graph, c->node, 0), old = weir_node_input(r->graph, c->node, 2);
    const weir_op op = weir_node_op(r->graph, c->node), kind = weir_trait_kind(r->graph, c->node);
    const int axis = kind == WEIR_OP_CONV ? 1 : shape_of(r, result)->rank - 1;
    const int64_t count = shape_of(r, result)->dim[axis];
    const weir_array *bias = old.id == 0 ? NULL : weir_value_constant(r->graph, old);
    const double beta = kind == WEIR_OP_GEMM ? weir_node_float(r->graph, c->node, "beta", 1) : 1;
    weir_array *sum = weir_array_new(weir_value_type(r->graph, result)->dtype, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) {
        const size_t own = bias == NULL || bias->count == 1 ? 0 : (size_t)i;
        weir_array_set(sum, (size_t)i, c->sum[i] + (bias == NULL ? 0 : beta * weir_array_get(bias, own)));
    }
    rewrite->at = c->node;
    const weir_value term = weir_rewrite_constant(rewrite, "bias", sum);
    const weir_value inputs[3] = {weir_node_input(r->graph, c->node, 0), weir_node_input(r->graph, c->node, 1), term};
    const weir_value made = weir_rewrite_start(rewrite, op, "biased", inputs, kind == WEIR_OP_MATMUL ? 2 : 3);
    weir_rewrite_copy_attributes(rewrite, made, c->node);
    if (beta != 1) weir_node_set_float(r->graph, weir_value_producer(r->graph, made), "beta", 1);
    weir_value end = weir_rewrite_infer(rewrite, made);
    if (kind == WEIR_OP_MATMUL) end = WEIR_REWRITE_NODE(rewrite, WEIR_OP_ADD, "sum", made, term);
    weir_rewrite_replace(rewrite, result, end);
    weir_rewrite_become(rewrite, made);
}

/* What became of the layer's channels, and a warning where masked ones stay. */
static void report(const removal *r, weir_node node, weir_pass_context *context) {
    const weir_channel_axis *axis = weir_channels_axis(r->channels, weir_node_output(r->graph, node, 0));
    json_int_t removed = 0, masked = 0;
    const char *why = NULL;
    for (uint32_t k = 0; k < (uint32_t)axis->count; k++) {
        const char *stay = r->stay[weir_channels_class(r->channels, axis->first + k)];
        removed += stay == NULL;
        if (stay == NULL || !r->state[axis->first + k].is_masked) continue;
        masked++;
        if (why == NULL) why = stay;
    }
    json_t *record =
        json_pack("{s:I, s:I, s:I}", "channels", (json_int_t)axis->count, "removed", removed, "masked", masked);
    if (why != NULL) json_object_set_new(record, "reason", json_string(why));
    json_object_set_new(weir_pass_record(context), weir_node_name(r->graph, node), record);
    weir_pass_count(context, "channels removed", removed);
    if (why != NULL)
        weir_warning(weir_node_location(r->graph, node), "node '%s' keeps %lld masked channel%s: %s",
                     weir_node_name(r->graph, node), (long long)masked, masked == 1 ? "" : "s", why);
}

static bool change(removal *r, weir_pass_context *context) {
    weir_channel_layer layer;
    weir_rewrite rewrite = {.graph = r->graph};
    for (weir_node node = weir_graph_first(r->graph); node.id != 0; node = weir_node_next(r->graph, node))
        if (weir_channels_layer(r->channels, node, &layer)) report(r, node, context);
    for (weir_node node = weir_graph_first(r->graph); node.id != 0; node = weir_node_next(r->graph, node))
        cut_node(r, node);
    if (!weir_infer_graph(r->graph)) return false;
    for (size_t i = 0; i < r->correction_count; i++) add_correction(r, &r->correction[i], &rewrite);
    weir_eliminate_dead_code(r->graph);
    return weir_rewrite_finish(&rewrite);
}

static bool remove_from(removal *r, weir_pass_context *context) {
    r->channels = weir_channels_new(r->graph);
    r->state = weir_arena_array(r->arena, r->channels->count, sizeof *r->state);
    r->stay = weir_arena_array(r->arena, r->channels->count, sizeof *r->stay);
    bool fine = run(r);
    if (fine) {
        find_constants(r);
        decide(r);
        fine = change(r, context);
    }
    weir_executor_free(r->executor);
    weir_channels_free(r->channels);
    return fine;
}

bool weir_pass_remove_channels(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    removal r = {.graph = graph, .arena = weir_arena_new()};
    weir_eliminate_dead_code(graph); /* which reads channels, too */
    const bool fine = state_sizes(graph) && remove_from(&r, context);
    free(r.correction);
    weir_arena_free(r.arena);
    return fine;
}
