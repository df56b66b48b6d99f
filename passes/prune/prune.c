/* prune: a constant mask before the weights of each linear layer and convolution. Weights come in units that stay or
 * go together: elements, outputs, blocks of input channels at one place of the kernel, or, of N:M, elements that
 * compete in groups; or channels of several layers that can only go together. A unit's score is the mean magnitude of
 * its elements, or a random number; the least go, by place where they are equal. O(n log n). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"
#include "passes/prune/channels.h"
#include "passes/prune/prune_choice.h"
#include "passes/setting.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

/* A layer's weights, and what becomes of each. */
typedef struct layer {
    weir_node node;
    weir_use at; /* which input they are, perhaps of a quantizer before the layer */
    const weir_array *weights;
    weir_array *mask;
    size_t outputs, channels, places; /* of the kernel */
    size_t output_step, channel_step; /* a place's is 1 */
} layer;

/* Elements of a layer: first, first + step, ... ; count 0: a whole output. */
typedef struct part {
    size_t layer, first, count, step;
} part;

/* What stays or goes together; its parts are successive. */
typedef struct unit {
    size_t part, parts, elements;
    double score;
    size_t order;
} unit;

/* --- layers --- */

/* The input itself, or that of the quantizers that alone make it for the node. */
static weir_use behind_quantizers(const weir_graph *graph, weir_node node, uint32_t index) {
    weir_use use = {node, index};
    for (;;) {
        const weir_value value = weir_node_input(graph, use.node, use.index);
        const weir_node maker = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
        if (maker.id == 0 || !weir_trait_is_quantizer(weir_node_op(graph, maker)) ||
            weir_value_use_count(graph, value) > 1)
            return use;
        use = (weir_use){maker, 0};
    }
}

/* An earlier mask of the constant input goes, and a copy of it is the caller's; NULL: there is none. */
static weir_array *take_mask(weir_graph *graph, weir_node node, size_t index) {
    const weir_value value = weir_node_input(graph, node, index);
    const weir_node mask = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
    if (mask.id == 0 || weir_node_op(graph, mask) != WEIR_OP_MASK) return NULL;
    const weir_array *data = weir_value_constant(graph, weir_node_input(graph, mask, 0)),
                     *keep = weir_value_constant(graph, weir_node_input(graph, mask, 1));
    if (data == NULL || keep == NULL || !weir_shape_equal(&data->shape, &keep->shape)) return NULL;
    weir_array *taken = weir_array_new(WEIR_UINT8, &keep->shape);
    for (size_t i = 0; i < taken->count; i++) weir_array_set_int(taken, i, weir_array_get(keep, i) != 0);
    weir_node_set_input(graph, node, index, weir_node_input(graph, mask, 0));
    if (weir_value_use_count(graph, value) == 0 && !weir_value_is_output(graph, value))
        weir_graph_remove_node(graph, mask);
    return taken;
}

static bool describe(const weir_graph *graph, weir_node node, layer *l) {
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_use at = behind_quantizers(graph, node, 1);
    const weir_value value = weir_node_input(graph, at.node, at.index);
    const weir_array *w = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (!weir_sparsity_applies(graph, node) || w == NULL || w->count == 0 || !weir_dtype_is_float(w->dtype))
        return false;
    *l = (layer){.node = node, .at = at, .weights = w};
    if (kind == WEIR_OP_CONV) {
        l->outputs = (size_t)w->shape.dim[0];
        l->channels = (size_t)w->shape.dim[1];
        l->places = w->count / l->outputs / l->channels;
        l->output_step = l->channels * l->places;
        l->channel_step = l->places;
        return true;
    }
    if (w->shape.rank != 2) return false;
    const bool turned = kind == WEIR_OP_GEMM && weir_node_int(graph, node, "transB", 0) != 0;
    l->outputs = (size_t)w->shape.dim[turned ? 0 : 1];
    l->channels = (size_t)w->shape.dim[turned ? 1 : 0];
    l->places = 1;
    l->output_step = turned ? l->channels : 1;
    l->channel_step = turned ? 1 : l->outputs;
    return true;
}

static size_t element_of(const layer *l, const part *p, size_t i) {
    if (p->count > 0) return p->first + i * p->step;
    return p->first + i / l->places * l->channel_step + i % l->places;
}

static size_t size_of(const layer *l, const part *p) { return p->count > 0 ? p->count : l->channels * l->places; }

typedef struct units {
    layer *layers;
    part *part;
    unit *item;
    size_t parts, part_capacity, count, capacity;
} units;

static void add_part(units *all, part p) {
    all->part = weir_grow(all->part, &all->part_capacity, all->parts + 1, sizeof *all->part);
    all->part[all->parts++] = p;
}

/* Of the parts from `first` on. */
static void add_unit(units *all, size_t first, weir_prune_choice *c) {
    unit u = {.part = first, .parts = all->parts - first, .order = all->count};
    double sum = 0;
    for (size_t k = first; k < all->parts; k++) {
        const part *p = &all->part[k];
        const layer *l = &all->layers[p->layer];
        const size_t size = size_of(l, p);
        for (size_t i = 0; i < size; i++) {
            const size_t at = element_of(l, p, i);
            if (weir_array_get_int(l->mask, at) != 0) sum += fabs(weir_array_get(l->weights, at));
        }
        u.elements += size;
    }
    u.score = c->is_random ? (double)(weir_random_next(&c->random) >> 11) : sum / (double)u.elements;
    all->item = weir_grow(all->item, &all->capacity, all->count + 1, sizeof *all->item);
    all->item[all->count++] = u;
}

/* The units of a layer, in the order of their places. */
static void add_units(units *all, size_t index, weir_prune_choice *c) {
    const layer *l = &all->layers[index];
    const size_t block = c->of > 0 ? 1 : (size_t)c->block;
    for (size_t o = 0; o < l->outputs; o++) {
        if (c->is_channel) {
            add_part(all, (part){.layer = index, .first = o * l->output_step});
            add_unit(all, all->parts - 1, c);
            continue;
        }
        for (size_t p = 0; p < l->places; p++) {
            for (size_t k = 0; k < l->channels; k += block) {
                const size_t left = l->channels - k;
                add_part(all, (part){index, o * l->output_step + k * l->channel_step + p, left < block ? left : block,
                                     l->channel_step});
                add_unit(all, all->parts - 1, c);
            }
        }
    }
}

static int by_score(const void *a, const void *b) {
    const unit *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void drop(const units *all, const unit *u) {
    for (size_t k = u->part; k < u->part + u->parts; k++) {
        const layer *l = &all->layers[all->part[k].layer];
        for (size_t i = 0; i < size_of(l, &all->part[k]); i++)
            weir_array_set_int(l->mask, element_of(l, &all->part[k], i), 0);
    }
}

/* The least of the units from `first` on, as many elements as the share says. */
static void drop_share(const units *all, size_t first, double share) {
    double total = 0, gone = 0;
    for (size_t i = first; i < all->count; i++) total += (double)all->item[i].elements;
    qsort(all->item + first, all->count - first, sizeof *all->item, by_score);
    for (size_t i = first; i < all->count; i++) {
        const double size = (double)all->item[i].elements;
        if (gone + size / 2 > share * total || share == 0) break;
        drop(all, &all->item[i]);
        gone += size;
    }
}

/* Of each M successive input channels all but N. */
static void drop_groups(const units *all, size_t start, const weir_prune_choice *c) {
    const size_t of = (size_t)c->of, channels = all->layers[all->part[all->item[start].part].layer].channels;
    for (size_t first = start; first < all->count;) {
        const size_t left = channels - (first - start) % channels, size = left < of ? left : of, keep = (size_t)c->keep;
        qsort(all->item + first, size, sizeof *all->item, by_score);
        for (size_t i = 0; i + keep < size; i++) drop(all, &all->item[first + i]);
        first += size;
    }
}

/* --- channels that go together --- */

/* An output of a layer. */
typedef struct member {
    uint32_t class;
    size_t layer, output;
} member;

static int by_class(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return (x->output > y->output) - (x->output < y->output);
}

/* Of which classes are results of layers that get no mask? Heap memory, by class. */
static bool *find_others(const weir_graph *graph, const weir_channel_classes *channels, const layer *layers,
                         size_t count) {
    bool *others = weir_calloc(channels->count, sizeof *others);
    weir_channel_layer l;
    size_t at = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (at < count && layers[at].node.id == node.id) at++;
        else if (weir_channels_layer(channels, node, &l)) {
            const weir_channel_axis *axis = weir_channels_axis(channels, weir_node_output(graph, node, 0));
            for (uint32_t k = 0; k < (uint32_t)axis->count; k++)
                others[weir_channels_class(channels, axis->first + k)] = true;
        }
    }
    return others;
}

/* Outputs that may go, those of one class one after the other. */
static member *list_members(const weir_graph *graph, const layer *layers, size_t count, size_t *found) {
    weir_channel_classes *channels = weir_channels_new(graph);
    bool *others = find_others(graph, channels, layers, count);
    member *list = NULL;
    size_t capacity = 0;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_channel_axis *axis = weir_channels_axis(channels, weir_node_output(graph, layers[i].node, 0));
        for (uint32_t k = 0; k < (uint32_t)axis->count; k++) {
            const uint32_t class = weir_channels_class(channels, axis->first + k);
            if (channels->channel[class].is_pinned || others[class]) continue;
            list = weir_grow(list, &capacity, *found + 1, sizeof *list);
            list[(*found)++] = (member){class, i, k};
        }
    }
    if (list != NULL) qsort(list, *found, sizeof *list, by_class);
    free(others);
    weir_channels_free(channels);
    return list;
}

static size_t find_set(const size_t *set, size_t i) {
    while (set[i] != i) i = set[i];
    return i;
}

/* Entry i: the first of the layers that layer i shares classes with. Heap memory. */
static size_t *find_sets(const member *list, size_t found, size_t count) {
    size_t *set = weir_calloc(count + 1, sizeof *set);
    for (size_t i = 0; i < count; i++) set[i] = i;
    for (size_t i = 1; i < found; i++) {
        const size_t a = find_set(set, list[i - 1].layer), b = find_set(set, list[i].layer);
        if (list[i].class == list[i - 1].class) set[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t i = 0; i < count; i++) set[i] = find_set(set, i);
    return set;
}

/* The units of the layers of one set, or of all. */
static void add_classes(units *all, const member *list, size_t found, const size_t *set, size_t of,
                        weir_prune_choice *c) {
    for (size_t i = 0, end; i < found; i = end) {
        const size_t first = all->parts;
        for (end = i; end < found && list[end].class == list[i].class; end++) {
            const layer *l = &all->layers[list[end].layer];
            if (c->is_global || set[list[end].layer] == of)
                add_part(all, (part){.layer = list[end].layer, .first = list[end].output * l->output_step});
        }
        if (all->parts > first) add_unit(all, first, c);
    }
}

static bool prune_coupled(const weir_graph *graph, units *all, size_t count, weir_prune_choice *c) {
    size_t found;
    member *list = list_members(graph, all->layers, count, &found);
    size_t *set = find_sets(list, found, count);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        const layer *leader = &all->layers[set[i]];
        if (set[i] != i && !c->is_global &&
            weir_prune_share(graph, all->layers[i].node, c) != weir_prune_share(graph, leader->node, c)) {
            weir_error(weir_node_location(graph, all->layers[i].node),
                       "prune: channels of nodes '%s' and '%s' go together, expected the same sparsity for both",
                       weir_node_name(graph, leader->node), weir_node_name(graph, all->layers[i].node));
            fine = false;
        }
        if (set[i] != i || (c->is_global && i > 0)) continue;
        const size_t first = all->count;
        add_classes(all, list, found, set, i, c);
        drop_share(all, first, c->is_global ? c->sparsity : weir_prune_share(graph, leader->node, c));
    }
    free(list);
    free(set);
    return fine;
}

static bool prune(const weir_graph *graph, layer *layers, size_t count, weir_prune_choice *c) {
    units all = {.layers = layers};
    bool fine = true;
    for (size_t i = 0; !c->is_coupled && i < count; i++) {
        const size_t first = all.count;
        add_units(&all, i, c);
        if (c->of > 0) drop_groups(&all, first, c);
        else if (!c->is_global) drop_share(&all, first, weir_prune_share(graph, layers[i].node, c));
    }
    if (c->is_coupled) fine = prune_coupled(graph, &all, count, c);
    else if (c->is_global && c->of == 0) drop_share(&all, 0, c->sparsity);
    free(all.part);
    free(all.item);
    return fine;
}

/* --- the graph --- */

/* A Mask of the input before the node, called after a node with a suffix. */
static bool add_mask(weir_graph *graph, weir_node node, size_t index, const char *name, const weir_array *array) {
    const weir_value inputs[2] = {weir_node_input(graph, node, index), weir_graph_add_constant(graph, name, array)};
    const weir_node mask = weir_graph_add_node(graph, WEIR_OP_MASK, name, inputs, 2, 1, node);
    weir_node_set_location(graph, mask, weir_node_location(graph, node));
    if (!weir_infer_node(graph, mask)) return false;
    weir_node_set_input(graph, node, index, weir_node_output(graph, mask, 0));
    return true;
}

/* A Mask of a constant that has a number for each output, along its last axis or, of [outputs, 1, ...], its first. */
static bool mask_vector(weir_graph *graph, weir_node node, uint32_t index, const char *suffix, const bool *keep,
                        size_t outputs) {
    const weir_use at = behind_quantizers(graph, node, index);
    weir_array *mask = take_mask(graph, at.node, at.index);
    const weir_value value = weir_node_input(graph, at.node, at.index);
    const weir_array *old = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (old == NULL || old->count != outputs) {
        weir_array_free(mask);
        return true;
    }
    const bool is_first = mask == NULL;
    if (is_first) mask = weir_array_new(WEIR_UINT8, &old->shape);
    for (size_t i = 0; i < outputs; i++)
        weir_array_set_int(mask, i, keep[i] && (is_first || weir_array_get_int(mask, i) != 0));
    char *name = weir_format("%s_%s_mask", weir_node_name(graph, node), suffix);
    const bool fine = add_mask(graph, at.node, at.index, name, mask);
    free(name);
    weir_array_free(mask);
    return fine;
}

/* The layer's bias, and what is added to its results right behind it: sums with constants, normalizations. */
static bool mask_biases(weir_graph *graph, const layer *l, const bool *keep) {
    weir_value result = weir_node_output(graph, l->node, 0);
    bool fine = mask_vector(graph, l->node, 2, "bias", keep, l->outputs);
    while (fine && weir_value_use_count(graph, result) == 1 && !weir_value_is_output(graph, result)) {
        const weir_use use = weir_value_use(graph, result, 0);
        const weir_op kind = weir_trait_kind(graph, use.node);
        if (kind == WEIR_OP_BATCH_NORMALIZATION && use.index == 0) {
            fine = mask_vector(graph, use.node, 1, "scale", keep, l->outputs) &&
                   mask_vector(graph, use.node, 2, "bias", keep, l->outputs);
        } else if (kind == WEIR_OP_ADD || kind == WEIR_OP_SUB) {
            fine = mask_vector(graph, use.node, 1 - use.index, "bias", keep, l->outputs);
        } else break;
        result = weir_node_output(graph, use.node, 0);
    }
    return fine;
}

static size_t count_kept(const layer *l, size_t output) {
    const part whole = {.first = output * l->output_step};
    size_t kept = 0;
    for (size_t i = 0; i < size_of(l, &whole); i++) kept += weir_array_get_int(l->mask, element_of(l, &whole, i)) != 0;
    return kept;
}

static bool put_mask(weir_graph *graph, const layer *l, const weir_prune_choice *c, weir_pass_context *context) {
    size_t kept = 0, channels = 0;
    bool *keep = weir_calloc(l->outputs, sizeof *keep);
    for (size_t o = 0; o < l->outputs; o++) {
        const size_t here = count_kept(l, o);
        keep[o] = here > 0;
        channels += here > 0;
        kept += here;
    }
    const char *layer_name = weir_node_name(graph, l->node);
    char *name = weir_format("%s_mask", layer_name);
    bool fine = add_mask(graph, l->at.node, l->at.index, name, l->mask);
    free(name);
    json_object_set_new(weir_pass_record(context), layer_name,
                        json_pack("{s:I, s:I, s:f}", "weights", (json_int_t)l->mask->count, "kept", (json_int_t)kept,
                                  "sparsity", 1 - (double)kept / (double)l->mask->count));
    weir_pass_count(context, "weights pruned", (int64_t)(l->mask->count - kept));
    if (kept == 0 && c->is_channel) {
        weir_error(weir_node_location(graph, l->node),
                   "prune: node '%s' keeps none of its %zu channels, expected a smaller sparsity", layer_name,
                   l->outputs);
        fine = false;
    } else if (kept == 0) weir_warning(weir_node_location(graph, l->node), "node '%s' keeps no weight", layer_name);
    if (fine && c->takes_bias && channels < l->outputs) fine = mask_biases(graph, l, keep);
    free(keep);
    return fine;
}

static bool prune_weights(weir_graph *graph, weir_prune_choice *c, weir_pass_context *context) {
    layer *layers = NULL;
    weir_node *nodes = NULL;
    size_t count = 0, capacity = 0, node_capacity = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        layer l;
        const weir_use at = behind_quantizers(graph, node, 1);
        weir_array *earlier = weir_sparsity_applies(graph, node) ? take_mask(graph, at.node, at.index) : NULL;
        if (!describe(graph, node, &l)) {
            weir_array_free(earlier);
            continue;
        }
        l.mask = earlier != NULL ? earlier : weir_array_new(WEIR_UINT8, &l.weights->shape);
        for (size_t i = 0; earlier == NULL && i < l.mask->count; i++) weir_array_set_int(l.mask, i, 1);
        layers = weir_grow(layers, &capacity, count + 1, sizeof *layers);
        nodes = weir_grow(nodes, &node_capacity, count + 1, sizeof *nodes);
        nodes[count] = node;
        layers[count++] = l;
    }
    bool fine = c->own == NULL || weir_prune_knows(graph, nodes, count, c);
    if (fine && count == 0)
        weir_warning(weir_at(weir_graph_source(graph), 0), "no layer with float weights: nothing to prune");
    if (fine) fine = prune(graph, layers, count, c);
    for (size_t i = 0; i < count; i++) {
        fine = fine && put_mask(graph, &layers[i], c, context);
        weir_array_free(layers[i].mask);
    }
    free(layers);
    free(nodes);
    return fine;
}

/* Weights where nothing else is asked for, even if it is nothing. */
static bool prune_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph, const json_t *weight,
                        const json_t *activation) {
    const uint64_t seed = (uint64_t)weir_pass_int(pass, "seed");
    weir_prune_choice of_weights = {.random = seed}, of_data = {.random = seed};
    if (!weir_prune_read(weight, "weight", &of_weights) || !weir_prune_read(activation, "activation", &of_data))
        return false;
    const bool has_data = json_object_size(activation) > 0;
    if ((!has_data || json_object_size(weight) > 0) && !prune_weights(graph, &of_weights, context)) return false;
    return !has_data ||
           weir_prune_activations(graph, &of_data, weir_pass_string(pass, "dummy_in"), weir_pass_record(context));
}

bool weir_pass_prune(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass *own = weir_setting_read(pass, context);
    json_t *weight = own == NULL ? NULL : weir_setting_mapping(own, "weight");
    json_t *activation = weight == NULL ? NULL : weir_setting_mapping(own, "activation");
    const bool fine = activation != NULL && prune_graph(own, context, graph, weight, activation);
    json_decref(weight);
    json_decref(activation);
    weir_pass_free(own);
    return fine;
}
