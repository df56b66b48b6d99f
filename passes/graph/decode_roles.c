/* Each operator's rule says where time is in its result, from where it is in its inputs. Attention is what compares
 * steps: the product of two values over time has a row of scores a step, over all steps of the other value, which is
 * remembered. A mask or nothing else says that later ones do not count. */
#include "passes/graph/decode_roles.h"

#include <assert.h>
#include <math.h>

#include "ir/shape/geometry.h"
#include "ir/trait/trait.h"

typedef weir_decode_role role;

typedef struct finder {
    const weir_graph *graph;
    weir_decode_plan *plan;
    size_t capacity;
    weir_node node;
} finder;

static const role NONE = {WEIR_NO_AXIS, WEIR_NO_AXIS, false, 0, 0, 1};
/* Numbers before a softmax below which nothing is left of a share in float32. */
static const double FAR_BELOW = -64;

static bool leaves_out(double number) { return number <= FAR_BELOW; }

/* Has the step axis each step once, and nothing else? */
static bool is_plain(role r) { return r.zeros == 0 && r.behind == 0 && r.blocks == 1; }

static bool has_time(role r) { return r.step != WEIR_NO_AXIS || r.key != WEIR_NO_AXIS; }

static role role_of(const finder *f, size_t input) {
    const weir_value value = weir_node_input(f->graph, f->node, input);
    return value.id == 0 ? NONE : f->plan->role[value.id];
}

static const weir_shape *shape_of(const finder *f, size_t input) {
    return &weir_value_type(f->graph, weir_node_input(f->graph, f->node, input))->shape;
}

static const weir_shape *result_of(const finder *f) {
    return &weir_value_type(f->graph, weir_node_output(f->graph, f->node, 0))->shape;
}

static void add_edit(finder *f, weir_decode_change change, size_t input, int axis, int key) {
    assert(f->plan->count < f->capacity);
    f->plan->edit[f->plan->count++] = (weir_decode_edit){change, f->node, input, axis, key, 0};
}

static int moved(int axis, int by) { return axis == WEIR_NO_AXIS ? axis : axis + by; }

/* --- rules: NULL, or why it cannot go step by step --- */

typedef const char *rule(finder *f, role *out);

static const char *const only_first = "its parameters depend on the data";

static const char *only_data(const finder *f) {
    for (size_t i = 1; i < weir_node_input_count(f->graph, f->node); i++)
        if (has_time(role_of(f, i))) return only_first;
    return NULL;
}

/* The number of entries that a constant operand has along an axis of the result. */
static int64_t entries(const finder *f, size_t input, int axis) {
    const weir_shape *shape = shape_of(f, input);
    const int own = axis == WEIR_NO_AXIS ? WEIR_NO_AXIS : axis - (result_of(f)->rank - shape->rank);
    return own < 0 ? 1 : shape->dim[own];
}

static const char *take_fixed(finder *f, size_t input, role out) {
    const bool by_step = entries(f, input, out.step) != 1, by_key = entries(f, input, out.key) != 1;
    const int before = result_of(f)->rank - shape_of(f, input)->rank;
    if (!by_step && !by_key) return NULL;
    if (!is_plain(out)) return "it uses another value for each step, and for more than steps";
    if (weir_value_constant(f->graph, weir_node_input(f->graph, f->node, input)) == NULL)
        return "it uses another value for each step, which is computed";
    if (!by_step) return "it has a number for each step that is remembered";
    add_edit(f, by_key ? WEIR_DECODE_MASK : WEIR_DECODE_ROW, input, out.step - before, moved(out.key, -before));
    return NULL;
}

/* The other operand of a choice: one number, which leaves out what it stands for? */
static bool is_far_below(const weir_graph *graph, weir_value value) {
    const weir_array *number = value.id == 0 ? NULL : weir_value_constant(graph, value);
    return number != NULL && number->count == 1 && leaves_out(weir_array_get(number, 0));
}

bool weir_decode_read_mask(const weir_graph *graph, const weir_decode_edit *edit, weir_decode_mask *mask) {
    const weir_array *numbers = weir_value_constant(graph, weir_node_input(graph, edit->node, edit->input));
    *mask = (weir_decode_mask){.numbers = numbers, .step = edit->axis, .key = edit->key};
    if (weir_trait_kind(graph, edit->node) != WEIR_OP_WHERE) return true;
    mask->is_choice = edit->input == 0;
    mask->is_inverse = mask->is_choice && is_far_below(graph, weir_node_input(graph, edit->node, 1));
    return mask->is_choice && (mask->is_inverse || is_far_below(graph, weir_node_input(graph, edit->node, 2)));
}

double weir_decode_mask_at(const weir_decode_mask *mask, size_t element) {
    const double number = weir_array_get(mask->numbers, element);
    if (!mask->is_choice) return leaves_out(number) ? -INFINITY : number;
    return (number != 0) != mask->is_inverse ? 0 : -INFINITY;
}

/* The index of an element along a dimension. */
static int64_t index_along(const weir_shape *shape, size_t element, int axis) {
    for (int i = shape->rank - 1; i > axis; i--) element /= (size_t)shape->dim[i];
    return (int64_t)(element % (size_t)shape->dim[axis]);
}

bool weir_decode_leaves_later_out(const weir_decode_mask *mask, int64_t steps) {
    const weir_shape *shape = &mask->numbers->shape;
    assert(shape->dim[mask->step] == steps && shape->dim[mask->key] == steps);
    bool all = true;
    for (size_t i = 0; all && i < mask->numbers->count; i++)
        all = index_along(shape, i, mask->key) <= index_along(shape, i, mask->step) ||
              isinf(weir_decode_mask_at(mask, i));
    return all;
}

/* Is it a sum with a mask, or a choice by one? A mask of another operator leaves out nothing. */
static bool takes_masks(const finder *f) {
    const weir_op kind = weir_trait_kind(f->graph, f->node);
    return kind == WEIR_OP_ADD || kind == WEIR_OP_WHERE;
}

/* Are their steps at the same places? */
static bool is_alike(role a, role b) {
    return a.step == b.step && a.key == b.key && a.zeros == b.zeros && a.behind == b.behind && a.blocks == b.blocks;
}

static const char *elementwise(finder *f, role *out) {
    const int rank = result_of(f)->rank;
    const size_t count = weir_node_input_count(f->graph, f->node), edits = f->plan->count;
    for (size_t i = 0; i < count; i++) {
        const role r = role_of(f, i);
        const int by = r.key == WEIR_NO_AXIS ? 0 : rank - shape_of(f, i)->rank;
        if (r.key == WEIR_NO_AXIS) continue;
        const role here = {moved(r.step, by), r.key + by, r.masked || out->masked, r.zeros, r.behind, r.blocks};
        if (has_time(*out) && !is_alike(here, *out)) return "it mixes scores of other steps";
        *out = here;
    }
    for (size_t i = 0; i < count; i++) {
        const role r = role_of(f, i);
        if (r.key != WEIR_NO_AXIS || r.step == WEIR_NO_AXIS) continue;
        const int step = r.step + rank - shape_of(f, i)->rank;
        role here = r;
        here.step = step;
        here.key = out->key;
        if (step == out->key && is_plain(r)) add_edit(f, WEIR_DECODE_REMEMBER, i, WEIR_NO_AXIS, WEIR_NO_AXIS);
        else if (!has_time(*out)) *out = here;
        else if (!is_alike(here, *out)) return "it compares steps with each other";
    }
    for (size_t i = 0; i < count; i++) {
        if (weir_node_input(f->graph, f->node, i).id == 0 || has_time(role_of(f, i))) continue;
        const char *why = take_fixed(f, i, *out);
        if (why != NULL) return why;
    }
    for (size_t e = edits; e < f->plan->count; e++) {
        if (f->plan->edit[e].change != WEIR_DECODE_MASK) continue;
        if (!takes_masks(f)) return "it uses another value for each two steps";
        weir_decode_mask mask;
        if (!weir_decode_read_mask(f->graph, &f->plan->edit[e], &mask)) return "it chooses between numbers and scores";
        out->masked |= weir_decode_leaves_later_out(&mask, f->plan->steps);
    }
    return NULL;
}

/* Batches of matrices, whose first dimensions are those of the result's last ones before the matrices. */
static const char *matmul(finder *f, role *out) {
    const role a = role_of(f, 0), b = role_of(f, 1);
    const int ra = shape_of(f, 0)->rank, rb = shape_of(f, 1)->rank, rank = result_of(f)->rank;
    if (ra < 2 || rb < 2) return "it multiplies a vector";
    if (a.zeros + a.behind > 0 || !is_plain(b)) return "it multiplies more than steps";
    out->blocks = a.blocks;
    const bool a_scores = a.key != WEIR_NO_AXIS && a.step != WEIR_NO_AXIS;
    if (b.key != WEIR_NO_AXIS && b.step != WEIR_NO_AXIS) return "scores come second";
    if (a_scores) {
        if (a.step != ra - 2 || a.key != ra - 1 || b.step != rb - 2) return "it sums over steps";
        if (!a.masked) return "nothing leaves later steps out";
        add_edit(f, WEIR_DECODE_REMEMBER, 1, WEIR_NO_AXIS, WEIR_NO_AXIS);
        out->step = rank - 2;
        return NULL;
    }
    if (a.key != WEIR_NO_AXIS || b.key != WEIR_NO_AXIS) return "it multiplies what is remembered";
    if (a.step == ra - 1 || b.step == rb - 2) return "it sums over all steps";
    if (a.step == ra - 2 && b.step == rb - 1) {
        add_edit(f, WEIR_DECODE_REMEMBER, 1, WEIR_NO_AXIS, WEIR_NO_AXIS);
        out->step = rank - 2;
        out->key = rank - 1;
        return NULL;
    }
    if (a.step != WEIR_NO_AXIS && b.step != WEIR_NO_AXIS) return "it multiplies steps";
    out->step = a.step != WEIR_NO_AXIS ? a.step + rank - ra : b.step + rank - rb;
    const size_t fixed = a.step != WEIR_NO_AXIS ? 1 : 0;
    const bool of_batch = out->step < rank - 2;
    return of_batch && entries(f, fixed, out->step) != 1 ? "its weights differ from step to step" : NULL;
}

static const char *gemm(finder *f, role *out) {
    const role x = role_of(f, 0);
    const weir_value bias = weir_node_input(f->graph, f->node, 2);
    if (only_data(f) != NULL) return only_first;
    if (!is_plain(x)) return "it multiplies more than steps";
    if (x.key != WEIR_NO_AXIS || x.step != (weir_node_int(f->graph, f->node, "transA", 0) != 0))
        return "it sums over all steps";
    out->step = 0;
    return bias.id == 0 ? NULL : take_fixed(f, 2, *out);
}

static int axis_of(const finder *f, int64_t otherwise) {
    const int64_t axis = weir_node_int(f->graph, f->node, "axis", otherwise);
    return (int)(axis < 0 ? axis + shape_of(f, 0)->rank : axis);
}

static const char *softmax(finder *f, role *out) {
    const int axis = axis_of(f, -1);
    *out = role_of(f, 0);
    if (axis == out->step) return "it works across the steps";
    if (out->key != WEIR_NO_AXIS && (axis != out->key || !out->masked)) return "nothing leaves later steps out";
    return NULL;
}

static const char *along(finder *f, role *out) {
    *out = role_of(f, 0);
    if (axis_of(f, 0) == out->step || axis_of(f, 0) == out->key) return "it works across the steps";
    return only_data(f);
}

static const char *position(finder *f, role *out) {
    const char *why = along(f, out);
    const int axis = axis_of(f, 0);
    if (why != NULL || weir_node_int(f->graph, f->node, "keepdims", 1) != 0) return why;
    out->step -= out->step > axis;
    out->key -= out->key > axis;
    return NULL;
}

static const char *normalization(finder *f, role *out) {
    *out = role_of(f, 0);
    const weir_op kind = weir_trait_kind(f->graph, f->node);
    if (kind != WEIR_OP_LAYER_NORMALIZATION && kind != WEIR_OP_RMS_NORMALIZATION) return "it works across the steps";
    return out->step >= axis_of(f, -1) || out->key >= axis_of(f, -1) ? "it works across the steps" : only_data(f);
}

static const char *reduction(finder *f, role *out) {
    bool reduced[WEIR_MAX_RANK] = {false};
    const role x = *out = role_of(f, 0);
    if (!weir_geometry_reduced(f->graph, f->node, reduced)) return "its axes are not known";
    if (x.step != WEIR_NO_AXIS && reduced[x.step]) return "it works across the steps";
    if (x.key != WEIR_NO_AXIS && reduced[x.key]) {
        if (!x.masked) return "nothing leaves later steps out";
        out->key = WEIR_NO_AXIS;
        out->masked = false;
    }
    if (weir_node_int(f->graph, f->node, "keepdims", 1) != 0) return NULL;
    for (int i = 0; i < shape_of(f, 0)->rank; i++) {
        out->step -= i < x.step && reduced[i];
        out->key -= out->key != WEIR_NO_AXIS && i < x.key && reduced[i];
    }
    return NULL;
}

static const char *transpose(finder *f, role *out) {
    const weir_attribute *perm = weir_node_attribute(f->graph, f->node, "perm");
    const role x = *out = role_of(f, 0);
    const int rank = shape_of(f, 0)->rank;
    for (int i = 0; i < rank; i++) {
        const int from = perm == NULL ? rank - 1 - i : (int)perm->as.ints[i];
        if (from == x.step) out->step = i;
        if (from == x.key) out->key = i;
    }
    return NULL;
}

/* The axis with all entries of `axis`, in blocks of which each has them once: as many elements are in front. */
static bool find_axis(const weir_shape *from, int axis, int64_t in, const weir_shape *to, int *found, int64_t *blocks) {
    const int64_t entries = from->dim[axis] / in;
    int64_t before = in, here = 1;
    for (int i = 0; i < axis; i++) before *= from->dim[i];
    for (int i = 0; i < to->rank && here <= before; i++) {
        *blocks = before / here;
        *found = i;
        if (before % here == 0 && to->dim[i] == *blocks * entries) return true;
        here *= to->dim[i];
    }
    return false;
}

static const char *view(finder *f, role *out) {
    const role x = *out = role_of(f, 0);
    int64_t keys = 1;
    if (x.step != WEIR_NO_AXIS && !find_axis(shape_of(f, 0), x.step, x.blocks, result_of(f), &out->step, &out->blocks))
        return "it joins steps with another dimension";
    if (x.key != WEIR_NO_AXIS && (!find_axis(shape_of(f, 0), x.key, 1, result_of(f), &out->key, &keys) || keys != 1))
        return "it joins steps with another dimension";
    if (out->blocks > 1 && x.zeros + x.behind > 0) return "it joins steps with another dimension";
    return only_data(f);
}

static const char *expand(finder *f, role *out) {
    const int by = result_of(f)->rank - shape_of(f, 0)->rank;
    *out = role_of(f, 0);
    out->step = moved(out->step, by);
    out->key = moved(out->key, by);
    return only_data(f);
}

/* One scale, or some along another axis. */
static const char *quantizer(finder *f, role *out) {
    size_t count = 1;
    *out = role_of(f, 0);
    weir_shape_count(shape_of(f, 1), &count);
    const int axis = axis_of(f, 1);
    if (weir_node_int(f->graph, f->node, "block_size", 0) != 0) return "it has scales for each step";
    return count > 1 && (axis == out->step || axis == out->key) ? "it has a scale for each step" : only_data(f);
}

static const char *concat(finder *f, role *out) {
    for (size_t i = 0; i < weir_node_input_count(f->graph, f->node); i++) {
        const role x = role_of(f, i);
        if (!has_time(x)) continue;
        const bool masked = out->masked || x.masked;
        if (has_time(*out) && !is_alike(x, *out)) return "it joins steps with something else";
        *out = x;
        out->masked = masked;
    }
    const int axis = axis_of(f, 0);
    if (axis == out->step || axis == out->key) return "it adds steps";
    for (size_t i = 0; i < weir_node_input_count(f->graph, f->node); i++) {
        if (has_time(role_of(f, i))) continue;
        const char *why = take_fixed(f, i, *out);
        if (why != NULL) return why;
        if (f->plan->count > 0 && f->plan->edit[f->plan->count - 1].change == WEIR_DECODE_MASK)
            return "it uses another value for each two steps";
    }
    return NULL;
}

static bool takes_all(const weir_slice *s, int axis, int64_t steps) {
    return axis == WEIR_NO_AXIS || (s->start[axis] == 0 && s->step[axis] == 1 && s->count[axis] == steps);
}

static const char *slice(finder *f, role *out) {
    weir_slice s;
    *out = role_of(f, 0);
    if (!weir_geometry_slice(f->graph, f->node, &s)) return "its positions are not known";
    if (!takes_all(&s, out->key, f->plan->steps)) return "it picks steps";
    if (out->step == WEIR_NO_AXIS || takes_all(&s, out->step, shape_of(f, 0)->dim[out->step])) return only_data(f);
    const bool is_last = s.start[out->step] == out->zeros + f->plan->steps - 1 && s.count[out->step] == 1,
               is_all = s.start[out->step] == out->zeros && s.count[out->step] == f->plan->steps;
    if ((!is_last && !is_all) || s.step[out->step] != 1 || out->blocks > 1) return "it picks steps";
    out->zeros = out->behind = 0;
    for (int i = 0; i < shape_of(f, 0)->rank; i++)
        if (i != out->step && !takes_all(&s, i, shape_of(f, 0)->dim[i])) return "it picks steps and more";
    add_edit(f, WEIR_DECODE_LAST, 0, out->step, WEIR_NO_AXIS);
    return only_data(f);
}

static bool adds_zeros(const finder *f, const weir_padding *p) {
    const weir_value fill = weir_node_input(f->graph, f->node, 2);
    const weir_array *number = fill.id == 0 ? NULL : weir_value_constant(f->graph, fill);
    return p->mode == WEIR_PAD_CONSTANT && (fill.id == 0 || (number != NULL && weir_array_get(number, 0) == 0));
}

/* Zeros in front of the steps are what a convolution remembers first. */
static const char *pad(finder *f, role *out) {
    weir_padding p;
    *out = role_of(f, 0);
    if (!weir_geometry_padding(f->graph, f->node, &p)) return "its pads are not known";
    const weir_shape *shape = shape_of(f, 0);
    const int axis = out->step;
    int64_t behind[WEIR_MAX_RANK] = {0};
    for (int i = 0; i < shape->rank; i++) {
        behind[i] = p.out[i] - p.begin[i] - shape->dim[i];
        if (i == out->key && (p.begin[i] != 0 || behind[i] != 0)) return "it adds steps";
    }
    if (axis == WEIR_NO_AXIS || (p.begin[axis] == 0 && behind[axis] == 0)) return only_data(f);
    for (int i = 0; i < shape->rank; i++)
        if (i != axis && (p.begin[i] != 0 || behind[i] != 0)) return "it adds steps and more";
    if (!adds_zeros(f, &p) || p.begin[axis] < 0 || behind[axis] < 0 || out->blocks > 1) return "it adds steps";
    out->zeros += p.begin[axis];
    out->behind += behind[axis];
    add_edit(f, WEIR_DECODE_LAST, 0, axis, WEIR_NO_AXIS);
    return only_data(f);
}

/* Over time the lines that it reads stay; a line of the result is that of the last step among them. */
static const char *convolution(finder *f, role *out) {
    const role x = *out = role_of(f, 0);
    const weir_shape *shape = shape_of(f, 0), *weights = shape_of(f, 1);
    const int spatial = x.step - 2;
    weir_window window;
    if (x.key != WEIR_NO_AXIS || x.step == 1 || x.blocks > 1) return "it sums over steps";
    if (x.step == 0) return only_data(f);
    if (!weir_geometry_window(f->graph, f->node, shape, weights->dim + 2, &window)) return "its window is not known";
    const int64_t lines = (window.kernel[spatial] - 1) * window.dilation[spatial] + 1,
                  zeros = x.zeros + window.begin[spatial];
    if (window.stride[spatial] != 1) return "it takes several steps at a time";
    if (zeros != lines - 1) return zeros < lines - 1 ? "it reads later steps" : "it gives more steps than it takes";
    out->zeros = 0;
    out->behind += window.end[spatial];
    if (lines > 1) {
        add_edit(f, WEIR_DECODE_LINES, 0, x.step, WEIR_NO_AXIS);
        f->plan->edit[f->plan->count - 1].lines = lines;
    }
    return only_data(f);
}

/* The State of a loop over all steps gives one a step. */
static const char *state(finder *f, role *out) {
    if (weir_node_int(f->graph, f->node, "kept", 0) != 0 ||
        weir_node_int(f->graph, f->node, "steps", 1) != f->plan->steps)
        return NULL;
    out->step = 0;
    add_edit(f, WEIR_DECODE_STATE, 0, 0, WEIR_NO_AXIS);
    return NULL;
}

static const char *update(finder *f, role *out) {
    *out = role_of(f, 0);
    return is_alike(*out, role_of(f, 1)) && is_plain(*out) ? NULL : "its loop is not over time";
}

/* A table that each step looks into, or the same entries of each step. */
static const char *gather(finder *f, role *out) {
    const role table = role_of(f, 0), at = role_of(f, 1);
    const int axis = axis_of(f, 0), rank = shape_of(f, 1)->rank;
    if (has_time(table) && has_time(at)) return "it picks steps by what it computes";
    if (has_time(at)) {
        *out = at;
        out->step = moved(at.step, axis);
        out->key = moved(at.key, axis);
        return NULL;
    }
    const weir_array *index = weir_value_constant(f->graph, weir_node_input(f->graph, f->node, 1));
    if (axis == table.step) {
        const int64_t one = index != NULL && index->count == 1 ? weir_array_get_int(index, 0) : 0;
        if (table.key != WEIR_NO_AXIS || !is_plain(table) || index == NULL || index->count != 1 ||
            (one != -1 && one != f->plan->steps - 1))
            return "it picks steps";
        add_edit(f, WEIR_DECODE_LAST, 1, axis, WEIR_NO_AXIS);
        if (rank > 0) out->step = axis;
        return NULL;
    }
    if (axis == table.key) return "it picks steps";
    *out = table;
    out->step += table.step > axis ? rank - 1 : 0;
    out->key += table.key > axis ? rank - 1 : 0;
    return NULL;
}

/* Scales and offsets of the second dimension. */
static const char *channels(finder *f, role *out) {
    *out = role_of(f, 0);
    return out->step == 1 || out->key == 1 ? "it has a scale for each step" : only_data(f);
}

static const char *unknown(finder *f, role *out) {
    (void)f;
    (void)out;
    return "nobody has said how it goes one step at a time";
}

static rule *rule_of_kind(weir_op op, weir_op kind) {
    if (op == WEIR_OP_STATE) return state;
    if (op == WEIR_OP_UPDATE) return update;
    if (kind == WEIR_OP_MATMUL) return matmul;
    if (kind == WEIR_OP_GEMM) return gemm;
    if (kind == WEIR_OP_CONV) return convolution;
    if (kind == WEIR_OP_BATCH_NORMALIZATION) return channels;
    if (kind == WEIR_OP_CONCAT) return concat;
    if (kind == WEIR_OP_EXPAND) return expand;
    return kind == WEIR_OP_GATHER ? gather : NULL;
}

static rule *rule_of(const finder *f) {
    const weir_trait *trait = weir_trait_of(weir_node_op(f->graph, f->node));
    rule *own = rule_of_kind(weir_node_op(f->graph, f->node), trait->kind);
    if (own != NULL) return own;
    if (trait->task == WEIR_TASK_NORMALIZATION) return normalization;
    switch (trait->order) {
    case WEIR_ORDER_ELEMENTWISE: return elementwise;
    case WEIR_ORDER_QUANTIZE: return quantizer;
    case WEIR_ORDER_AXIS: return trait->task == WEIR_TASK_SOFTMAX ? softmax : along;
    case WEIR_ORDER_POSITION: return position;
    case WEIR_ORDER_REDUCE: return reduction;
    case WEIR_ORDER_SLICE: return slice;
    case WEIR_ORDER_PAD: return pad;
    case WEIR_ORDER_TRANSPOSE: return transpose;
    case WEIR_ORDER_RESHAPE: return view;
    case WEIR_ORDER_OTHER:
    case WEIR_ORDER_FREE:
    case WEIR_ORDER_SHAPE:
    case WEIR_ORDER_CHANNELS:
    case WEIR_ORDER_NORMALIZE:
    case WEIR_ORDER_THRESHOLDS:
    case WEIR_ORDER_PRODUCT: break;
    }
    return unknown;
}

/* --- the graph --- */

static bool visit(finder *f) {
    bool time = false;
    role out = NONE;
    for (size_t i = 0; i < weir_node_input_count(f->graph, f->node); i++) time |= has_time(role_of(f, i));
    time |= weir_node_op(f->graph, f->node) == WEIR_OP_STATE;
    const char *why = time ? rule_of(f)(f, &out) : NULL;
    for (size_t i = 0; i < weir_node_output_count(f->graph, f->node); i++)
        f->plan->role[weir_node_output(f->graph, f->node, i).id] = out;
    if (why == NULL) return true;
    weir_node_fail(f->graph, f->node, "one step at a time: %s", why);
    weir_note(
        "a network decodes step by step if each result depends on steps up to its own: by attention with a causal "
        "mask, convolutions that are padded in front, recurrent layers, and what each step computes alone");
    return false;
}

static size_t most_edits(const weir_graph *graph) {
    size_t most = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        most += weir_node_input_count(graph, node) + 1;
    return most;
}

bool weir_decode_find_roles(const weir_graph *graph, weir_value input, int axis, weir_arena *arena,
                            weir_decode_plan *plan) {
    const weir_shape *shape = &weir_value_type(graph, input)->shape;
    assert(axis >= 0 && axis < shape->rank);
    finder f = {.graph = graph, .plan = plan, .capacity = most_edits(graph)};
    *plan = (weir_decode_plan){.steps = shape->dim[axis]};
    plan->role = weir_arena_array(arena, weir_graph_value_limit(graph), sizeof *plan->role);
    plan->edit = weir_arena_array(arena, f.capacity, sizeof *plan->edit);
    for (uint32_t id = 0; id < weir_graph_value_limit(graph); id++) plan->role[id] = NONE;
    plan->role[input.id].step = axis;
    bool fine = true;
    for (f.node = weir_graph_first(graph); fine && f.node.id != 0; f.node = weir_node_next(graph, f.node))
        fine = visit(&f);
    return fine;
}
