/* Cross-layer equalization (Nagel et al. 2019): where a layer's results reach one other layer alone, through what keeps
 * positive factors (Relu, LeakyRelu, PRelu, pools, a Flatten), the results' channels may be divided and the next
 * layer's weights multiplied by a number each. With r1 and r2 the largest magnitudes of a channel's weights in both
 * layers the number is the power of two next to sqrt(r1 / r2), so that both have about the same range and float32
 * results keep all their bits. Pairs are balanced again until nothing changes. O(sweeps * weights). */
#include <math.h>
#include <stdlib.h>

#include "exec/elementary.h"
#include "exec/kernel_common.h"
#include "ir/trait/trait.h"
#include "passes/graph/scale_axis.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

enum { SWEEPS = 20 };
static const double LOG_4 = 1.3862943611198906;

typedef struct pair {
    weir_node first, second;
    weir_scale_product of_first, of_second;
    size_t channels, block; /* inputs of the second layer for each channel */
} pair;

static const weir_array *constant_of(const weir_graph *graph, weir_node node, size_t index) {
    const weir_value value = weir_node_input(graph, node, index);
    const weir_array *array = value.id == 0 ? NULL : weir_value_constant(graph, value);
    return array != NULL && array->dtype == WEIR_FLOAT32 ? array : NULL;
}

/* Are weights and bias constants of this layer alone? */
static bool owns_parameters(const weir_graph *graph, weir_node node) {
    bool owns = constant_of(graph, node, 1) != NULL;
    for (size_t i = 1; owns && i < weir_node_input_count(graph, node) && i < 3; i++) {
        const weir_value value = weir_node_input(graph, node, i);
        owns = value.id == 0 || (constant_of(graph, node, i) != NULL && weir_value_use_count(graph, value) == 1);
    }
    return owns;
}

/* --- what lies between --- */

/* An operator of each channel alone. */
static bool keeps_factors(const weir_graph *graph, weir_use use, int axis) {
    const weir_shape *from = &weir_value_type(graph, weir_node_input(graph, use.node, 0))->shape;
    const weir_shape *to = &weir_value_type(graph, weir_node_output(graph, use.node, 0))->shape;
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, use.node))->task;
    const bool is_pool = task == WEIR_TASK_EXTREME || task == WEIR_TASK_MEAN;
    if (use.index != 0 || !weir_rewrite_may(graph, use.node) || weir_node_output_count(graph, use.node) != 1)
        return false;
    if (from->rank != to->rank || from->dim[axis] != to->dim[axis]) return false; /* a reduction of the channels */
    return is_pool || weir_scale_is_relu(graph, use.node) || weir_trait_kind(graph, use.node) == WEIR_OP_PRELU;
}

/* [N, C, ...] -> [N, C * ...]: how many elements a channel has; 0: another move. */
static size_t flattened(const weir_graph *graph, weir_node node, int axis) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_RESHAPE && kind != WEIR_OP_FLATTEN) return 0;
    const weir_shape *from = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    const weir_shape *to = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    if (axis != 1 || from->rank < 2 || to->rank != 2 || from->dim[0] != to->dim[0] || from->dim[1] == 0) return 0;
    return (size_t)(to->dim[1] / from->dim[1]);
}

/* The next layer, if only that one reads what the first gives. */
static bool find_second(const weir_graph *graph, pair *p) {
    weir_value value = weir_node_output(graph, p->first, 0);
    int axis = p->of_first.out_axis;
    p->block = 1;
    for (;;) {
        if (weir_value_use_count(graph, value) != 1 || weir_value_is_output(graph, value)) return false;
        const weir_use use = weir_value_use(graph, value, 0);
        size_t block;
        if (use.index == 0 && weir_scale_product_of(graph, use.node, &p->of_second)) {
            p->second = use.node;
            return p->of_second.in_axis == axis && p->of_second.weight_in_axis >= 0 && owns_parameters(graph, use.node);
        }
        if (p->block == 1 && (block = flattened(graph, use.node, axis)) > 0) p->block = block;
        else if (!keeps_factors(graph, use, axis) || p->block > 1) return false;
        value = weir_node_output(graph, use.node, 0);
    }
}

/* --- weights --- */

static weir_channels along(const weir_array *array, int axis) {
    return weir_channels_of(&array->shape, axis, (size_t)array->shape.dim[axis]);
}

static void widen(const weir_array *weights, int axis, size_t block, double *largest) {
    const weir_channels channels = along(weights, axis);
    for (size_t i = 0; i < weights->count; i++) {
        double *own = &largest[weir_channel(&channels, i) / block];
        *own = fmax(*own, fabs(weir_array_get(weights, i)));
    }
}

/* Elements of channels along the axis become so many times 2^(sign * exponent). */
static void scale(weir_array *array, int axis, size_t block, const int *exponent, int sign) {
    const weir_channels channels = along(array, axis);
    for (size_t i = 0; i < array->count; i++) {
        const int by = exponent[weir_channel(&channels, i) / block];
        weir_array_set(array, i, ldexp(weir_array_get(array, i), sign * by));
    }
}

/* The parameters of a layer while they change; NULL: it has none such, or they stay. */
typedef struct parameters {
    weir_array *weights, *bias;
    bool changed;
} parameters;

static parameters *own_of(parameters *all, const weir_graph *graph, weir_node node) {
    parameters *own = &all[node.id];
    const weir_array *bias = constant_of(graph, node, 2);
    if (own->weights != NULL) return own;
    own->weights = weir_array_copy(constant_of(graph, node, 1));
    own->bias = bias == NULL ? NULL : weir_array_copy(bias);
    return own;
}

/* A Gemm's bias may be one number for all channels, or rows: neither is scaled. */
static bool has_channels(const weir_graph *graph, const pair *p) {
    const weir_array *bias = constant_of(graph, p->first, 2);
    return bias == NULL ||
           (bias->count == p->channels && bias->shape.dim[bias->shape.rank - 1] == (int64_t)p->channels);
}

/* How many channels got another scale. */
static int64_t balance(const weir_graph *graph, const pair *p, parameters *all) {
    parameters *a = own_of(all, graph, p->first), *b = own_of(all, graph, p->second);
    double *first = weir_calloc(2 * p->channels, sizeof *first), *second = first + p->channels;
    int *exponent = weir_calloc(p->channels, sizeof *exponent);
    int64_t changed = 0;
    widen(a->weights, p->of_first.weight_out_axis, 1, first);
    widen(b->weights, p->of_second.weight_in_axis, p->block, second);
    for (size_t c = 0; c < p->channels; c++) {
        if (!(first[c] > 0 && second[c] > 0)) continue; /* a dead channel */
        exponent[c] = (int)nearbyint(weir_elementary_log(first[c] / second[c]) / LOG_4);
        changed += exponent[c] != 0;
    }
    if (changed > 0) {
        scale(a->weights, p->of_first.weight_out_axis, 1, exponent, -1);
        if (a->bias != NULL) scale(a->bias, a->bias->shape.rank - 1, 1, exponent, -1);
        scale(b->weights, p->of_second.weight_in_axis, p->block, exponent, 1);
        a->changed = b->changed = true;
    }
    free(exponent);
    free(first);
    return changed;
}

/* Layers get what changed. */
static void put_back(weir_rewrite *r, weir_node node, parameters *own) {
    r->at = node;
    if (own->changed) weir_node_set_input(r->graph, node, 1, weir_rewrite_constant(r, "weights", own->weights));
    else weir_array_free(own->weights);
    if (own->changed && own->bias != NULL)
        weir_node_set_input(r->graph, node, 2, weir_rewrite_constant(r, "bias", own->bias));
    else weir_array_free(own->bias);
}

/* Pairs in execution order; their number. */
static size_t find_pairs(const weir_graph *graph, pair *pairs) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        pair *p = &pairs[count];
        *p = (pair){.first = node};
        if (!weir_scale_product_of(graph, node, &p->of_first) || !owns_parameters(graph, node)) continue;
        p->channels = (size_t)weir_value_type(graph, weir_node_output(graph, node, 0))->shape.dim[p->of_first.out_axis];
        count += has_channels(graph, p) && find_second(graph, p);
    }
    return count;
}

bool weir_pass_equalize(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    const uint32_t limit = weir_graph_node_limit(graph);
    pair *pairs = weir_calloc(limit, sizeof *pairs);
    parameters *all = weir_calloc(limit, sizeof *all);
    const size_t count = find_pairs(graph, pairs);
    int64_t changed = 0, now = 1;
    (void)pass;
    for (int sweep = 0; sweep < SWEEPS && now > 0; sweep++) {
        now = 0;
        for (size_t i = 0; i < count; i++) now += balance(graph, &pairs[i], all);
        changed += now;
    }
    weir_rewrite r = {.graph = graph};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (all[node.id].weights != NULL) put_back(&r, node, &all[node.id]);
    free(all);
    free(pairs);
    weir_pass_count(context, "pairs of layers", (int64_t)count);
    weir_pass_count(context, "channels scaled", changed);
    if (changed == 0) weir_pass_unchanged(context);
    else weir_eliminate_dead_code(graph);
    return weir_rewrite_finish(&r);
}
