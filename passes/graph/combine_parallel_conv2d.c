/* Convolutions of one tensor with equal attributes and window become one with the weights of all, and a Slice for each.
 * The elementwise operators that follow are merged as well, as long as all branches go on alike: the same operator with
 * the same attributes, each the only user of the one before, other operands with all channels and otherwise equal
 * shapes. Groups of fewer than `min_branches` convolutions stay.
 *
 * The combined nodes take the place of the first convolution, so other operands must be made before it. O(size), and
 * one comparison a convolution for every different window and set of attributes on its input. */
#include <stdlib.h>

#include "ir/graph/side.h"
#include "ir/trait/trait.h"
#include "passes/graph/fusion.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* Convolutions that can be one, and how far each branch was followed: its last node. */
typedef struct branches {
    weir_node *head, *last;
    size_t count, capacity;
} branches;

typedef struct about {
    uint32_t position; /* in execution order */
    bool is_done;      /* a convolution that was looked at */
} about;

typedef struct combiner {
    weir_rewrite rewrite;
    weir_side nodes; /* about */
    size_t least;
} combiner;

static about *known(const combiner *c, weir_node node) { return weir_side_at(&c->nodes, node.id); }

static weir_value input_of(const combiner *c, weir_node node, size_t index) {
    return weir_node_input(c->rewrite.graph, node, index);
}

static const weir_shape *shape_of(const combiner *c, weir_value value) {
    return &weir_value_type(c->rewrite.graph, value)->shape;
}

static weir_value result_of(const combiner *c, weir_node node) { return weir_node_output(c->rewrite.graph, node, 0); }

/* Is the value made before the node? What this pass made counts as made after it. */
static bool comes_before(const combiner *c, weir_value value, weir_node node) {
    const weir_node producer = weir_value_producer(c->rewrite.graph, value);
    return producer.id == 0 ||
           (weir_side_has(&c->nodes, producer.id) && known(c, producer)->position < known(c, node)->position);
}

/* --- which convolutions --- */

static bool is_conv2d(const combiner *c, weir_node node) {
    const weir_graph *graph = c->rewrite.graph;
    const weir_value bias = input_of(c, node, 2);
    return weir_trait_kind(graph, node) == WEIR_OP_CONV && weir_rewrite_may(graph, node) &&
           weir_node_int(graph, node, "group", 1) == 1 && shape_of(c, input_of(c, node, 1))->rank == 4 &&
           weir_rewrite_is_parameter(graph, input_of(c, node, 1)) &&
           (bias.id == 0 || weir_rewrite_is_parameter(graph, bias));
}

static bool is_same_window(const combiner *c, weir_node first, weir_node other) {
    const weir_shape *a = shape_of(c, input_of(c, first, 1)), *b = shape_of(c, input_of(c, other, 1));
    return a->dim[2] == b->dim[2] && a->dim[3] == b->dim[3] &&
           (input_of(c, first, 2).id == 0) == (input_of(c, other, 2).id == 0) &&
           weir_rewrite_same_attributes(c->rewrite.graph, first, other) &&
           comes_before(c, input_of(c, other, 1), first) &&
           (input_of(c, other, 2).id == 0 || comes_before(c, input_of(c, other, 2), first));
}

/* All convolutions of the first one's input that are like it, in execution order: earlier passes may have left the uses
 * in another one. */
static void find_branches(combiner *c, weir_node first, branches *found) {
    const weir_graph *graph = c->rewrite.graph;
    const weir_value x = input_of(c, first, 0);
    found->count = 0;
    for (size_t i = 0; i < weir_value_use_count(graph, x); i++) {
        const weir_use use = weir_value_use(graph, x, i);
        if (use.index != 0 || !weir_side_has(&c->nodes, use.node.id) || known(c, use.node)->is_done ||
            !is_conv2d(c, use.node) || known(c, use.node)->position < known(c, first)->position ||
            !is_same_window(c, first, use.node))
            continue;
        size_t capacity = found->capacity;
        found->head = weir_grow(found->head, &capacity, found->count + 1, sizeof *found->head);
        found->last = weir_grow(found->last, &found->capacity, found->count + 1, sizeof *found->last);
        size_t at = found->count++;
        for (; at > 0 && known(c, found->head[at - 1])->position > known(c, use.node)->position; at--)
            found->head[at] = found->last[at] = found->head[at - 1];
        found->head[at] = found->last[at] = use.node;
        known(c, use.node)->is_done = true;
    }
}

/* --- what follows --- */

/* The only user of the branch's result, when it is elementwise; none otherwise. */
static weir_use follower(const combiner *c, weir_node last) {
    const weir_graph *graph = c->rewrite.graph;
    const weir_value y = result_of(c, last);
    if (weir_value_use_count(graph, y) != 1 || weir_value_is_output(graph, y)) return (weir_use){WEIR_NO_NODE, 0};
    const weir_use use = weir_value_use(graph, y, 0);
    const bool fits = weir_fusion_pattern_of(weir_node_op(graph, use.node)) <= WEIR_PATTERN_BROADCAST &&
                      weir_rewrite_may(graph, use.node) && weir_node_output_count(graph, use.node) == 1 &&
                      shape_of(c, result_of(c, use.node))->rank == 4;
    return fits ? use : (weir_use){WEIR_NO_NODE, 0};
}

/* Axis of the operand that counts channels, -1 when it has none: only what has them can be concatenated. */
static int channel_axis(const combiner *c, weir_node node, size_t index) {
    const weir_shape *operand = shape_of(c, input_of(c, node, index)), *y = shape_of(c, result_of(c, node));
    const int axis = operand->rank - 3;
    return axis >= 0 && operand->dim[axis] == y->dim[1] ? axis : -1;
}

/* Can operand `index` of both nodes be concatenated? */
static bool is_like(const combiner *c, weir_node head, weir_node a, weir_node b, size_t index) {
    const weir_value x = input_of(c, a, index), z = input_of(c, b, index);
    if (x.id == 0 || z.id == 0) return x.id == z.id;
    const weir_shape *left = shape_of(c, x), *right = shape_of(c, z);
    const int axis = channel_axis(c, a, index);
    if (axis < 0 || axis != channel_axis(c, b, index) || left->rank != right->rank || !comes_before(c, x, head) ||
        !comes_before(c, z, head) ||
        weir_value_type(c->rewrite.graph, x)->dtype != weir_value_type(c->rewrite.graph, z)->dtype)
        return false;
    for (int i = 0; i < left->rank; i++)
        if (i != axis && left->dim[i] != right->dim[i]) return false;
    return true;
}

/* Can the followers of all branches become one? The first one's goes to *next. */
static bool can_follow(const combiner *c, const branches *b, weir_use *next) {
    const weir_graph *graph = c->rewrite.graph;
    *next = follower(c, b->last[0]);
    for (size_t i = 0; i < b->count; i++) {
        const weir_use use = follower(c, b->last[i]);
        if (use.node.id == 0 || use.index != next->index ||
            weir_node_op(graph, use.node) != weir_node_op(graph, next->node) ||
            weir_node_input_count(graph, use.node) != weir_node_input_count(graph, next->node) ||
            !weir_rewrite_same_attributes(graph, use.node, next->node))
            return false;
        const weir_shape *before = shape_of(c, result_of(c, b->last[i]));
        if (!weir_shape_equal(before, shape_of(c, result_of(c, use.node)))) return false;
        for (size_t k = 0; k < weir_node_input_count(graph, use.node); k++)
            if (k != use.index && !is_like(c, b->head[0], next->node, use.node, k)) return false;
    }
    return true;
}

/* --- combining --- */

/* Input `index` of the last node of every branch, one after the other. */
static weir_value concatenate(combiner *c, const branches *b, size_t index, int axis) {
    weir_value *parts = weir_calloc(b->count, sizeof *parts);
    for (size_t i = 0; i < b->count; i++) parts[i] = input_of(c, b->last[i], index);
    const weir_value all = weir_rewrite_start(&c->rewrite, WEIR_OP_CONCAT, "combined", parts, b->count);
    free(parts);
    weir_rewrite_set_int(&c->rewrite, all, "axis", axis);
    return weir_rewrite_infer(&c->rewrite, all);
}

/* The last nodes of all branches as one; `x` stands for input `index`. */
static weir_value combine(combiner *c, const branches *b, size_t index, weir_value x) {
    const weir_graph *graph = c->rewrite.graph;
    const weir_node like = b->last[0];
    const size_t count = weir_node_input_count(graph, like);
    weir_value *inputs = weir_calloc(count, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = input_of(c, like, i);
        if (i == index) inputs[i] = x;
        else if (input.id != 0)
            inputs[i] = concatenate(c, b, i, like.id == b->head[0].id ? 0 : channel_axis(c, like, i));
    }
    const weir_value y = weir_rewrite_start(&c->rewrite, weir_node_op(graph, like), "combined", inputs, count);
    free(inputs);
    weir_rewrite_copy_attributes(&c->rewrite, y, like);
    return weir_rewrite_infer(&c->rewrite, y);
}

/* Every branch's last result becomes its channels of `y`. */
static void slice_branches(combiner *c, const branches *b, weir_value y) {
    weir_graph *graph = c->rewrite.graph;
    const weir_value axis = weir_rewrite_integers(&c->rewrite, "axis", (const int64_t[]){1}, 1);
    int64_t first = 0;
    for (size_t i = 0; i < b->count; i++) {
        const int64_t end = first + shape_of(c, result_of(c, b->last[i]))->dim[1];
        const weir_node old = b->last[i];
        const weir_value from = weir_rewrite_integers(&c->rewrite, "start", &first, 1);
        const weir_value to = weir_rewrite_integers(&c->rewrite, "end", &end, 1);
        const weir_value part = WEIR_REWRITE_NODE(&c->rewrite, WEIR_OP_SLICE, "part", y, from, to, axis);
        const char *name = weir_value_name(graph, result_of(c, old));
        weir_rewrite_replace(&c->rewrite, result_of(c, old), part);
        weir_value_set_name(graph, result_of(c, old), "replaced");
        weir_value_set_name(graph, part, name);
        first = end;
    }
}

static void combine_branches(combiner *c, branches *b) {
    weir_use next;
    c->rewrite.at = b->head[0];
    weir_value y = combine(c, b, 0, input_of(c, b->head[0], 0));
    while (can_follow(c, b, &next)) {
        for (size_t i = 0; i < b->count; i++) b->last[i] = follower(c, b->last[i]).node;
        y = combine(c, b, next.index, y);
    }
    slice_branches(c, b, y);
    c->rewrite.count += b->count;
}

bool weir_pass_combine_parallel_conv2d(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    combiner c = {.rewrite = {.graph = graph}, .nodes = weir_side_new(sizeof(about), weir_graph_node_limit(graph))};
    branches found = {0};
    uint32_t position = 0;
    c.least = (size_t)weir_pass_int(pass, "min_branches");
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        known(&c, node)->position = ++position;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_side_has(&c.nodes, node.id) || known(&c, node)->is_done || !is_conv2d(&c, node)) continue;
        find_branches(&c, node, &found);
        if (found.count >= c.least) combine_branches(&c, &found);
    }
    weir_pass_count(context, "convolutions combined", (int64_t)c.rewrite.count);
    if (c.rewrite.count == 0) weir_pass_unchanged(context);
    else weir_eliminate_dead_code(graph);
    free(found.head);
    free(found.last);
    weir_side_free(&c.nodes);
    return weir_rewrite_finish(&c.rewrite);
}
