/* Masks of what layers read. The largest magnitudes of a frame stay: those not below the least of the largest k, which
 * nodes of the graph find in each frame, or not below a threshold that all layers have in common, found once. A random
 * mask is drawn once, for an engine gives the same results for the same data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/prune/prune_choice.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

/* Scores that are kept to find a common threshold, at most. */
enum { MOST_SCORES = 1 << 25 };

/* What a layer reads, as [batch, ...]. A unit is an element, or all elements of an index along the axis. */
typedef struct site {
    weir_node node;
    const weir_shape *shape;
    int axis;
    size_t elements, units; /* of a frame */
} site;

typedef struct sites {
    weir_graph *graph;
    weir_prune_choice *choice;
    site *item;
    size_t count, capacity;
    float *score;
    size_t scores, score_capacity;
} sites;

static void add_site(sites *all, weir_node node) {
    const weir_value x = weir_node_input(all->graph, node, 0);
    const weir_type *type = weir_value_type(all->graph, x);
    if (weir_value_constant(all->graph, x) != NULL || !weir_dtype_is_float(type->dtype) || type->shape.rank < 2) return;
    const bool is_conv = weir_trait_kind(all->graph, node) == WEIR_OP_CONV;
    site s = {.node = node, .shape = &type->shape, .axis = is_conv ? 1 : type->shape.rank - 1, .elements = 1};
    for (int i = 1; i < type->shape.rank; i++) s.elements *= (size_t)type->shape.dim[i];
    s.units = all->choice->is_channel ? (size_t)type->shape.dim[s.axis] : s.elements;
    all->item = weir_grow(all->item, &all->capacity, all->count + 1, sizeof *all->item);
    all->item[all->count++] = s;
}

/* How many of so many units go. */
static size_t dropped_of(double share, size_t units) {
    const double count = floor(share * (double)units + 0.5);
    return count >= (double)units ? units : (size_t)count;
}

/* --- a threshold of all layers --- */

static void add_score(sites *all, double score) {
    all->score = weir_grow(all->score, &all->score_capacity, all->scores + 1, sizeof *all->score);
    all->score[all->scores++] = (float)score;
}

static void score_site(sites *all, const site *s, const weir_array *x) {
    size_t inner = 1;
    for (int i = s->axis + 1; i < s->shape->rank; i++) inner *= (size_t)s->shape->dim[i];
    if (!all->choice->is_channel) {
        for (size_t i = 0; i < x->count; i++) add_score(all, fabs(weir_array_get(x, i)));
        return;
    }
    const size_t channels = s->units, rows = x->count / s->elements;
    double *sum = weir_calloc(rows * channels, sizeof *sum);
    for (size_t i = 0; i < x->count; i++)
        sum[i / s->elements * channels + i / inner % channels] += fabs(weir_array_get(x, i));
    for (size_t i = 0; i < rows * channels; i++) add_score(all, sum[i] / (double)(s->elements / channels));
    free(sum);
}

static bool see_frame(void *user, const weir_executor *executor) {
    sites *all = user;
    for (size_t i = 0; i < all->count; i++)
        score_site(all, &all->item[i],
                   weir_executor_value(executor, weir_node_input(all->graph, all->item[i].node, 0)));
    return true;
}

static int by_size(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The least score that stays; infinite: none does. False after a reported error. */
static bool find_threshold(sites *all, const char *dummy_in, double *threshold) {
    size_t each = 1;
    for (size_t i = 0; i < all->count; i++) each += all->item[i].units;
    const int64_t frames = (int64_t)(MOST_SCORES / each) + 1;
    if (weir_frames_run(all->graph, dummy_in, frames, see_frame, all) < 0) return false;
    qsort(all->score, all->scores, sizeof *all->score, by_size);
    const size_t dropped = dropped_of(all->choice->sparsity, all->scores);
    *threshold = dropped < all->scores ? (double)all->score[dropped] : (double)INFINITY;
    return true;
}

/* --- masks --- */

/* A constant mask, which broadcasts. */
static weir_value constant_mask(weir_rewrite *r, const sites *all, const site *s, size_t dropped, uint64_t *random) {
    weir_shape shape = *s->shape;
    shape.dim[0] = 1;
    for (int i = 1; i < shape.rank; i++)
        if (dropped == s->units || (all->choice->is_channel && i != s->axis)) shape.dim[i] = 1;
    weir_array *mask = weir_array_new(WEIR_UINT8, &shape);
    for (size_t i = 0; i < mask->count; i++) {
        /* as many as are still to go of those that are still to come: each choice is equally likely */
        const size_t left = mask->count - i;
        const bool goes = dropped == s->units || weir_random_next(random) % left < dropped;
        weir_array_set_int(mask, i, !goes);
        dropped -= goes && dropped < s->units;
    }
    return weir_rewrite_constant(r, "data_mask", mask);
}

/* [batch, ...] of magnitudes, or of their means by channel. */
static weir_value scores_of(weir_rewrite *r, const sites *all, const site *s) {
    const weir_value size = WEIR_REWRITE_NODE(r, WEIR_OP_ABS, "magnitude", weir_node_input(r->graph, s->node, 0));
    int64_t axes[WEIR_MAX_RANK];
    size_t count = 0;
    for (int i = 1; i < s->shape->rank; i++)
        if (i != s->axis) axes[count++] = i;
    if (!all->choice->is_channel || count == 0) return size;
    return WEIR_REWRITE_NODE(r, WEIR_OP_REDUCE_MEAN, "score", size, weir_rewrite_integers(r, "axes", axes, count));
}

/* The least of the largest `kept` scores of a frame, as [batch, 1, ...]. */
static weir_value least_kept(weir_rewrite *r, const site *s, weir_value scores, size_t kept) {
    const weir_value flat = weir_rewrite_start(r, WEIR_OP_FLATTEN, "flat", &scores, 1);
    const weir_value inputs[2] = {weir_rewrite_infer(r, flat),
                                  weir_rewrite_integers(r, "k", (int64_t[]){(int64_t)kept}, 1)};
    char *name = weir_format("%s_largest", weir_node_name(r->graph, s->node));
    const weir_node largest = weir_graph_add_node(r->graph, WEIR_OP_TOP_K, name, inputs, 2, 2, s->node);
    free(name);
    weir_node_set_int(r->graph, largest, "axis", 1);
    weir_node_set_location(r->graph, largest, weir_node_location(r->graph, s->node));
    const weir_value values = weir_rewrite_infer(r, weir_node_output(r->graph, largest, 0));
    const weir_value least =
        WEIR_REWRITE_NODE(r, WEIR_OP_REDUCE_MIN, "least", values, weir_rewrite_integers(r, "axis", (int64_t[]){1}, 1));
    int64_t shape[WEIR_MAX_RANK] = {0, 1, 1, 1, 1, 1, 1, 1};
    if (s->shape->rank == 2) return least;
    return WEIR_REWRITE_NODE(r, WEIR_OP_RESHAPE, "threshold", least,
                             weir_rewrite_integers(r, "threshold_shape", shape, (size_t)s->shape->rank));
}

static void put_mask(weir_rewrite *r, sites *all, const site *s, double threshold, json_t *record) {
    const weir_value x = weir_node_input(r->graph, s->node, 0);
    const bool by_threshold = all->choice->is_global && !all->choice->is_random;
    const double share = weir_prune_share(r->graph, s->node, all->choice);
    const size_t dropped = by_threshold ? 0 : dropped_of(share, s->units);
    const bool all_go = by_threshold ? isinf(threshold) : dropped == s->units;
    json_t *own = json_object_get(record, weir_node_name(r->graph, s->node));
    if (own == NULL) json_object_set_new(record, weir_node_name(r->graph, s->node), own = json_object());
    if (by_threshold)
        json_object_set_new(own, "activation_threshold", isinf(threshold) ? json_null() : json_real(threshold));
    else json_object_set_new(own, "activation_sparsity", json_real((double)dropped / (double)s->units));
    if (dropped == 0 && !by_threshold) return;
    r->at = s->node;
    weir_value mask;
    if (all_go || all->choice->is_random) {
        mask = constant_mask(r, all, s, all_go ? s->units : dropped, &all->choice->random);
    } else {
        const weir_value scores = scores_of(r, all, s);
        const weir_value least = by_threshold ? weir_rewrite_number(r, "threshold", WEIR_FLOAT32, threshold)
                                              : least_kept(r, s, scores, s->units - dropped);
        mask = WEIR_REWRITE_NODE(r, WEIR_OP_GREATER_OR_EQUAL, "stays", scores, least);
    }
    weir_node_set_input(r->graph, s->node, 0, WEIR_REWRITE_NODE(r, WEIR_OP_MASK, "data_mask", x, mask));
}

bool weir_prune_activations(weir_graph *graph, weir_prune_choice *choice, const char *dummy_in, json_t *record) {
    sites all = {.graph = graph, .choice = choice};
    weir_rewrite rewrite = {.graph = graph};
    weir_node *nodes = NULL;
    size_t capacity = 0;
    double threshold = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (weir_sparsity_applies(graph, node)) add_site(&all, node);
    for (size_t i = 0; i < all.count; i++) {
        nodes = weir_grow(nodes, &capacity, i + 1, sizeof *nodes);
        nodes[i] = all.item[i].node;
    }
    bool fine = choice->own == NULL || weir_prune_knows(graph, nodes, all.count, choice);
    if (choice->is_global && choice->sparsity == 0) all.count = 0;
    if (fine && choice->is_global && !choice->is_random && all.count > 0)
        fine = find_threshold(&all, dummy_in, &threshold);
    for (size_t i = 0; fine && i < all.count; i++) put_mask(&rewrite, &all, &all.item[i], threshold, record);
    free(nodes);
    free(all.item);
    free(all.score);
    return fine && weir_rewrite_finish(&rewrite);
}
