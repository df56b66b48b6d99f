/* prune: a constant mask before the weights of each linear layer and convolution. Weights come in units that stay or
 * go together: elements, outputs, blocks of input channels at one place of the kernel, or, of N:M, elements that
 * compete in groups. A unit's score is the mean magnitude of its elements, or a random number; the least go, by place
 * where they are equal. O(n log n). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"
#include "passes/setting.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "support/text/suggest.h"

typedef struct choice {
    bool is_global, is_random, is_channel;
    int64_t keep, of;  /* N:M; `of` 0: no */
    int64_t block;     /* 1: elements */
    double sparsity;   /* of nodes that are not named */
    const json_t *own; /* by node, or NULL */
    uint64_t random;
} choice;

/* A layer's weights, and what becomes of each. */
typedef struct layer {
    weir_node node;
    const weir_array *weights;
    weir_array *mask;
    size_t outputs, channels, places; /* of the kernel */
    size_t output_step, channel_step; /* a place's is 1 */
} layer;

typedef struct unit {
    size_t layer, first, count, step; /* elements first, first + step, ... ; count 0: a whole output */
    double score;
    size_t order;
} unit;

/* --- options --- */

static bool refuse(const char *key, const char *expected) {
    weir_error(WEIR_NOWHERE, "prune: 'weight' has another '%s' than expected: %s", key, expected);
    return false;
}

/* Is the key's value that word? `preset`: what is true without the key. */
static bool says(const json_t *weight, const char *key, const char *word, bool preset) {
    const json_t *value = json_object_get(weight, key);
    return value == NULL ? preset : json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static bool is_share(const json_t *value) {
    return json_is_number(value) && json_number_value(value) >= 0 && json_number_value(value) <= 1;
}

static bool read_sparsity(const json_t *value, choice *c) {
    const char *name;
    json_t *share;
    const char *const expected = "a share from 0 to 1, or a mapping of nodes to shares";
    if (value == NULL) return true;
    c->sparsity = json_number_value(value);
    if (is_share(value)) return true;
    if (!json_is_object(value)) return refuse("sparsity", expected);
    json_object_foreach((json_t *)(uintptr_t)value, name, share) {
        if (!is_share(share)) return refuse("sparsity", expected);
    }
    c->own = value;
    c->sparsity = json_number_value(json_object_get(value, "default"));
    return true;
}

static bool read_granularity(const json_t *weight, choice *c) {
    char *end;
    const char *text = json_string_value(json_object_get(weight, "granularity"));
    c->block = 1;
    c->is_channel = says(weight, "granularity", "channel", false);
    if (c->is_channel || says(weight, "granularity", "elementwise", true)) return true;
    if (text == NULL) return refuse("granularity", "elementwise, channel, block:N, or N:M such as 2:4");
    if (strncmp(text, "block:", 6) == 0) {
        c->block = strtol(text + 6, &end, 10);
        return (*end == '\0' && c->block > 0) || refuse("granularity", "block:N, N from 1 on");
    }
    c->keep = strtol(text, &end, 10);
    if (*end == ':') c->of = strtol(end + 1, &end, 10);
    if (c->of > 0 && c->keep >= 0 && c->keep <= c->of && *end == '\0') return true;
    return refuse("granularity", "elementwise, channel, block:N, or N:M such as 2:4");
}

static bool read_weight(const json_t *weight, choice *c) {
    static const char *const keys[] = {"sparsity", "method", "granularity", "scope", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)weight, key, value) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], key) != 0) i++;
        if (keys[i] != NULL) continue;
        weir_error(WEIR_NOWHERE, "prune: 'weight' has no key '%s'", key);
        weir_suggest_note(key, keys);
        return false;
    }
    c->is_random = says(weight, "method", "random", true);
    c->is_global = says(weight, "scope", "global", false);
    if (!c->is_random && !says(weight, "method", "l1-norm", false)) return refuse("method", "random or l1-norm");
    if (!c->is_global && !says(weight, "scope", "local", true)) return refuse("scope", "local or global");
    if (!read_sparsity(json_object_get(weight, "sparsity"), c) || !read_granularity(weight, c)) return false;
    const double share = c->of > 0 ? 1 - (double)c->keep / (double)c->of : c->sparsity;
    if (c->of > 0 && c->is_global) return refuse("scope", "local, as N:M is");
    if (c->of > 0 && json_object_get(weight, "sparsity") != NULL &&
        (c->own != NULL || fabs(c->sparsity - share) > 1e-9))
        return refuse("sparsity", "none beside N:M, which says it");
    return (c->own == NULL || !c->is_global) || refuse("sparsity", "one share where the scope is global");
}

/* --- layers --- */

static bool describe(const weir_graph *graph, weir_node node, layer *l) {
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_value value = weir_node_input(graph, node, 1);
    const weir_array *w = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (!weir_sparsity_applies(graph, node) || w == NULL || w->count == 0 || !weir_dtype_is_float(w->dtype))
        return false;
    *l = (layer){.node = node, .weights = w};
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

/* Element i of the unit. */
static size_t element_of(const layer *l, const unit *u, size_t i) {
    if (u->count > 0) return u->first + i * u->step;
    return u->first + i / l->places * l->channel_step + i % l->places;
}

static size_t size_of(const layer *l, const unit *u) { return u->count > 0 ? u->count : l->channels * l->places; }

static void score(const layer *l, unit *u, choice *c) {
    const size_t size = size_of(l, u);
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += fabs(weir_array_get(l->weights, element_of(l, u, i)));
    u->score = c->is_random ? (double)(weir_random_next(&c->random) >> 11) : sum / (double)size;
}

typedef struct units {
    unit *item;
    size_t count, capacity;
} units;

static void add_unit(units *all, unit u) {
    all->item = weir_grow(all->item, &all->capacity, all->count + 1, sizeof *all->item);
    u.order = all->count;
    all->item[all->count++] = u;
}

/* The units of a layer, in the order of their places. */
static void add_units(const layer *l, size_t index, choice *c, units *all) {
    const size_t block = c->of > 0 ? 1 : (size_t)c->block;
    for (size_t o = 0; o < l->outputs; o++) {
        if (c->is_channel) {
            unit u = {.layer = index, .first = o * l->output_step};
            score(l, &u, c);
            add_unit(all, u);
            continue;
        }
        for (size_t p = 0; p < l->places; p++) {
            for (size_t k = 0; k < l->channels; k += block) {
                const size_t left = l->channels - k;
                unit u = {index,
                          o * l->output_step + k * l->channel_step + p,
                          left < block ? left : block,
                          l->channel_step,
                          0,
                          0};
                score(l, &u, c);
                add_unit(all, u);
            }
        }
    }
}

static int by_score(const void *a, const void *b) {
    const unit *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void drop(layer *layers, const unit *u) {
    layer *l = &layers[u->layer];
    for (size_t i = 0; i < size_of(l, u); i++) weir_array_set_int(l->mask, element_of(l, u, i), 0);
}

/* The least of the units, as many elements as the share says. */
static void drop_share(layer *layers, unit *item, size_t count, double share) {
    double total = 0, gone = 0;
    for (size_t i = 0; i < count; i++) total += (double)size_of(&layers[item[i].layer], &item[i]);
    qsort(item, count, sizeof *item, by_score);
    for (size_t i = 0; i < count; i++) {
        const double size = (double)size_of(&layers[item[i].layer], &item[i]);
        if (gone + size / 2 > share * total || share == 0) break;
        drop(layers, &item[i]);
        gone += size;
    }
}

/* Of each M successive input channels all but N. */
static void drop_groups(layer *layers, unit *item, size_t count, const choice *c) {
    const size_t of = (size_t)c->of, channels = layers[item[0].layer].channels;
    for (size_t first = 0; first < count;) {
        const size_t left = channels - first % channels, size = left < of ? left : of, keep = (size_t)c->keep;
        qsort(item + first, size, sizeof *item, by_score);
        for (size_t i = 0; i + keep < size; i++) drop(layers, &item[first + i]);
        first += size;
    }
}

static double share_of(const weir_graph *graph, const layer *l, const choice *c) {
    const json_t *own = c->own == NULL ? NULL : json_object_get(c->own, weir_node_name(graph, l->node));
    return own == NULL ? c->sparsity : json_number_value(own);
}

static void prune(const weir_graph *graph, layer *layers, size_t count, choice *c) {
    units all = {0};
    for (size_t i = 0; i < count; i++) {
        const size_t first = all.count;
        add_units(&layers[i], i, c, &all);
        if (c->of > 0) drop_groups(layers, all.item + first, all.count - first, c);
        else if (!c->is_global) drop_share(layers, all.item + first, all.count - first, share_of(graph, &layers[i], c));
    }
    if (c->is_global && c->of == 0) drop_share(layers, all.item, all.count, c->sparsity);
    free(all.item);
}

/* --- the graph --- */

static bool put_mask(weir_graph *graph, const layer *l, weir_pass_context *context) {
    size_t kept = 0;
    for (size_t i = 0; i < l->mask->count; i++) kept += weir_array_get_int(l->mask, i) != 0;
    const char *layer_name = weir_node_name(graph, l->node);
    char *name = weir_format("%s_mask", layer_name);
    const weir_value inputs[2] = {weir_node_input(graph, l->node, 1), weir_graph_add_constant(graph, name, l->mask)};
    const weir_node mask = weir_graph_add_node(graph, WEIR_OP_MASK, name, inputs, 2, 1, l->node);
    free(name);
    weir_node_set_location(graph, mask, weir_node_location(graph, l->node));
    json_object_set_new(weir_pass_record(context), layer_name,
                        json_pack("{s:I, s:I, s:f}", "weights", (json_int_t)l->mask->count, "kept", (json_int_t)kept,
                                  "sparsity", 1 - (double)kept / (double)l->mask->count));
    if (kept == 0) weir_warning(weir_node_location(graph, l->node), "node '%s' keeps no weight", layer_name);
    if (!weir_infer_node(graph, mask)) return false;
    weir_node_set_input(graph, l->node, 1, weir_node_output(graph, mask, 0));
    weir_pass_count(context, "weights pruned", (int64_t)(l->mask->count - kept));
    return true;
}

/* Names in the mapping of shares that no layer has. */
static bool check_names(const weir_graph *graph, const layer *layers, size_t count, const choice *c) {
    const char *name;
    json_t *share;
    json_object_foreach((json_t *)(uintptr_t)c->own, name, share) {
        const char **known = weir_calloc(count + 1, sizeof *known);
        bool is_known = strcmp(name, "default") == 0;
        for (size_t i = 0; i < count; i++) {
            known[i] = weir_node_name(graph, layers[i].node);
            is_known |= strcmp(known[i], name) == 0;
        }
        if (!is_known) {
            weir_error(WEIR_NOWHERE, "prune: no layer with constant weights is called '%s'", name);
            weir_suggest_note(name, known);
        }
        free(known);
        if (!is_known) return false;
    }
    return true;
}

static bool prune_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph, const json_t *weight) {
    choice c = {.random = (uint64_t)weir_pass_int(pass, "seed")};
    layer *layers = NULL;
    size_t count = 0, capacity = 0;
    if (!read_weight(weight, &c)) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        layer l;
        if (!describe(graph, node, &l)) continue;
        l.mask = weir_array_new(WEIR_UINT8, &l.weights->shape);
        for (size_t i = 0; i < l.mask->count; i++) weir_array_set_int(l.mask, i, 1);
        layers = weir_grow(layers, &capacity, count + 1, sizeof *layers);
        layers[count++] = l;
    }
    bool fine = c.own == NULL || check_names(graph, layers, count, &c);
    if (fine && count == 0)
        weir_warning(weir_at(weir_graph_source(graph), 0), "no layer with float weights: nothing to prune");
    if (fine) prune(graph, layers, count, &c);
    for (size_t i = 0; i < count; i++) {
        fine = fine && put_mask(graph, &layers[i], context);
        weir_array_free(layers[i].mask);
    }
    free(layers);
    return fine;
}

bool weir_pass_prune(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass *own = weir_setting_read(pass, context);
    json_t *weight = own == NULL ? NULL : weir_setting_mapping(own, "weight");
    const bool fine = weight != NULL && prune_graph(own, context, graph, weight);
    json_decref(weight);
    weir_pass_free(own);
    return fine;
}
