/* decode: a causal network over whole sequences becomes one that takes a step a frame and remembers the others in
 * States (ir/trait/recurrence.h): keys and values of attention, which steps are there, lines of convolutions, and
 * constants with an entry for each step. Each is a row that comes in at one end while the oldest leaves at the other.
 * O(size + constants). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/decode_roles.h"
#include "passes/graph/state_channels.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

typedef struct decoder {
    weir_graph *graph;
    weir_arena *arena;
    weir_decode_plan plan;
    weir_value *window; /* by value: all steps of it, or which there are for a mask; none: not yet, or all of them */
    weir_value *row;    /* by value: this step of the constant, or the numbers of a mask; none: not yet, or 0 */
    uint32_t limit;
    int64_t states;
    bool has_rows;  /* a constant has an entry for each step */
    bool has_codes; /* the model has quantizers */
    bool rings;
} decoder;

/* What is added to scores of steps that are not there: so far below them that a step of 8-bit codes leaves out, too. */
static const double STEP_BELOW = 4096, CODES_BELOW = 255, NOWHERE_NEAR = -4096 * 255.0;

static weir_shape with_dim(weir_shape shape, int axis, int64_t dim) {
    shape.dim[axis] = dim;
    return shape;
}

static weir_value constant_of(weir_graph *graph, const char *base, const char *suffix, weir_array *array) {
    char *name = weir_format("%s_%s", base, suffix);
    const weir_value made = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    free(name);
    return made;
}

static weir_value integers(weir_graph *graph, const char *base, const char *suffix, int64_t number) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {1}});
    weir_array_set_int(array, 0, number);
    return constant_of(graph, base, suffix, array);
}

static weir_value add_node(weir_graph *graph, weir_op op, const char *base, const char *suffix, const weir_value *input,
                           size_t count, weir_node before) {
    char *name = weir_format("%s_%s", base, suffix);
    const weir_node node = weir_graph_add_node(graph, op, name, input, count, 1, before);
    if (before.id != 0) weir_node_set_location(graph, node, weir_node_location(graph, before));
    free(name);
    return weir_node_output(graph, node, 0);
}

static weir_value add_slice(weir_graph *graph, const char *base, const char *suffix, weir_value value, int64_t begin,
                            int64_t end, int axis, weir_node before) {
    const weir_value input[] = {value, integers(graph, base, "begin", begin), integers(graph, base, "end", end),
                                integers(graph, base, "axis", axis)};
    return add_node(graph, WEIR_OP_SLICE, base, suffix, input, 4, before);
}

static weir_value add_concat(weir_graph *graph, const char *base, const char *suffix, weir_value first,
                             weir_value second, int axis, weir_node before) {
    const weir_value made = add_node(graph, WEIR_OP_CONCAT, base, suffix, (weir_value[]){first, second}, 2, before);
    weir_node_set_int(graph, weir_value_producer(graph, made), "axis", axis);
    return made;
}

/* A State that starts with the array, which is taken over. */
static weir_value add_state(decoder *d, const char *base, weir_array *start) {
    const weir_value first = constant_of(d->graph, base, "first", start),
                     held = add_node(d->graph, WEIR_OP_STATE, base, "kept", &first, 1, weir_graph_first(d->graph));
    const weir_node state = weir_value_producer(d->graph, held);
    weir_node_set_int(d->graph, state, "steps", 1);
    weir_node_set_int(d->graph, state, "kept", 1);
    d->states++;
    return held;
}

static void add_update(decoder *d, const char *base, weir_value next, weir_value held) {
    add_node(d->graph, WEIR_OP_UPDATE, base, "next", (weir_value[]){next, held}, 2, WEIR_NO_NODE);
}

/* What has quantized the value, whose elements have only been moved since; none: nothing has. */
static weir_node quantizer_of(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    while (maker.id != 0 && weir_trait_of(weir_node_op(graph, maker))->is_exact &&
           !weir_trait_is_quantizer(weir_node_op(graph, maker)))
        maker = weir_value_producer(graph, weir_node_input(graph, maker, 0));
    const bool is = maker.id != 0 && weir_trait_is_quantizer(weir_node_op(graph, maker)) &&
                    weir_dtype_is_float(weir_value_type(graph, value)->dtype);
    return is ? maker : WEIR_NO_NODE;
}

/* The value through a QuantizeLinear and a DequantizeLinear with that scale and zero point; `like`: whose attributes
 * both have, or none. */
static weir_value add_pair(weir_graph *graph, const char *base, weir_value value, weir_value scale, weir_value zero,
                           weir_node like, weir_node before) {
    const weir_op op[] = {WEIR_OP_QUANTIZE_LINEAR, WEIR_OP_DEQUANTIZE_LINEAR};
    for (int i = 0; i < 2; i++) {
        const weir_value input[] = {value, scale, zero};
        value = add_node(graph, op[i], base, i == 0 ? "codes" : "numbers", input, 3, before);
        if (like.id != 0) weir_node_copy_attributes(graph, weir_value_producer(graph, value), graph, like);
    }
    return value;
}

/* The same numbers, with that quantizer once more: a State's codes are those of what it gets. */
static weir_value quantized_as(decoder *d, const char *base, weir_node quantizer, weir_value value, weir_node before) {
    enum { MOST_INPUTS = 8 };
    weir_graph *graph = d->graph;
    weir_value input[MOST_INPUTS] = {value};
    const weir_op op = weir_node_op(graph, quantizer);
    const size_t count = weir_node_input_count(graph, quantizer);
    assert(count <= MOST_INPUTS);
    for (size_t i = 1; i < count; i++) input[i] = weir_node_input(graph, quantizer, i);
    if (weir_trait_of(op)->task == WEIR_TASK_DEQUANTIZER) {
        const weir_dtype dtype = weir_value_type(graph, weir_node_input(graph, quantizer, 0))->dtype;
        if (input[2].id == 0)
            input[2] = constant_of(graph, base, "zero", weir_array_new(dtype, &(weir_shape){.rank = 0}));
        return add_pair(graph, base, value, input[1], input[2], quantizer, before);
    }
    const weir_value made = add_node(graph, op, base, "codes", input, count, before);
    weir_node_copy_attributes(graph, weir_value_producer(graph, made), graph, quantizer);
    return made;
}

/* What a State remembers of a value: `steps` entries along the axis, with this one; the first ones are `first`. */
typedef struct lines {
    weir_dtype dtype;
    weir_shape shape; /* but along the axis */
    int axis;
    int64_t steps;
    double first;
} lines;

/* In a model with quantizers what is remembered has codes, too. */
static weir_value coded(decoder *d, const char *base, weir_value numbers, double step, double none, weir_dtype dtype,
                        weir_node before) {
    weir_graph *graph = d->graph;
    if (!d->has_codes) return numbers;
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = 0}),
               *zero = weir_array_new(dtype, &(weir_shape){.rank = 0});
    weir_array_set(scale, 0, step);
    weir_array_set(zero, 0, none);
    const weir_value by = constant_of(graph, base, "scale", scale), from = constant_of(graph, base, "zero", zero);
    return add_pair(graph, base, numbers, by, from, WEIR_NO_NODE, before);
}

/* All steps: those that a State remembers and this one, which are there from then on. */
static weir_value add_window(decoder *d, const char *base, const lines *l, weir_value now, weir_node before) {
    weir_graph *graph = d->graph;
    const weir_node quantizer = quantizer_of(graph, now);
    const weir_shape shape = with_dim(l->shape, l->axis, l->steps - 1);
    weir_array *start = weir_array_new(l->dtype, &shape);
    for (size_t i = 0; i < start->count; i++) weir_array_set(start, i, l->first);
    const weir_value held = add_state(d, base, start);
    weir_value all = add_concat(graph, base, "steps", held, now, l->axis, before);
    if (quantizer.id != 0) all = quantized_as(d, base, quantizer, all, before);
    weir_value next = add_slice(graph, base, "later", all, 1, l->steps, l->axis, before);
    if (quantizer.id != 0) next = quantized_as(d, base, quantizer, next, before);
    add_update(d, base, next, held);
    return all;
}

/* --- what is remembered of a value --- */

static weir_value window_of(decoder *d, weir_value value) {
    weir_value *known = &d->window[value.id];
    if (known->id != 0) return *known;
    weir_graph *graph = d->graph;
    const weir_type *type = weir_value_type(graph, value);
    const lines l = {type->dtype, type->shape, d->plan.role[value.id].step, d->plan.steps, 0};
    const weir_node producer = weir_value_producer(graph, value);
    const weir_node next = producer.id == 0 ? weir_graph_first(graph) : weir_node_next(graph, producer);
    *known = add_window(d, weir_value_name(graph, value), &l, value, next);
    return *known;
}

static bool is_number(const weir_graph *graph, weir_value value) {
    const weir_array *array = value.id == 0 ? NULL : weir_value_constant(graph, value);
    return array != NULL && array->count == 1;
}

/* Does it put the elements of each step elsewhere, or do the same to each of them? */
static bool treats_alike(const weir_graph *graph, weir_node node) {
    if (node.id == 0) return false;
    const weir_trait *trait = weir_trait_of(weir_node_op(graph, node));
    if (trait->kind == WEIR_OP_MUL || trait->kind == WEIR_OP_DIV)
        return is_number(graph, weir_node_input(graph, node, 1));
    return trait->order == WEIR_ORDER_TRANSPOSE || trait->order == WEIR_ORDER_RESHAPE || trait->kind == WEIR_OP_EXPAND;
}

/* The input becomes all steps; what treats elements alike does that for all of them: rows are remembered, whose time is
 * no column, and copies of heads are made of what is remembered. */
static void remember(decoder *d, const weir_decode_edit *edit) {
    weir_graph *graph = d->graph;
    weir_node reader = edit->node;
    size_t index = edit->input;
    weir_value value = weir_node_input(graph, reader, index);
    for (weir_node maker = weir_value_producer(graph, value);
         treats_alike(graph, maker) && weir_value_use_count(graph, value) == 1 && !weir_value_is_output(graph, value);
         maker = weir_value_producer(graph, value)) {
        weir_decode_role *role = &d->plan.role[value.id];
        *role = (weir_decode_role){WEIR_NO_AXIS, role->step, false, 0, 0, 1};
        reader = maker;
        index = 0;
        value = weir_node_input(graph, maker, 0);
    }
    weir_node_set_input(graph, reader, index, window_of(d, value));
}

/* --- constants --- */

static double largest(const weir_array *array) {
    double found = 0;
    for (size_t i = 0; i < array->count; i++) found = fmax(found, fabs(weir_array_get(array, i)));
    return found;
}

/* This step's entry: the first of those that a State turns round. */
static void take_row(decoder *d, const weir_decode_edit *edit) {
    weir_graph *graph = d->graph;
    const weir_value value = weir_node_input(graph, edit->node, edit->input);
    weir_value *known = &d->row[value.id];
    d->has_rows = true;
    if (known->id == 0) {
        const char *base = weir_value_name(graph, value);
        const weir_node before = edit->node;
        const weir_array *rows = weir_value_constant(graph, value);
        const double most = largest(rows), step = most > 0 ? most / INT16_MAX : 1;
        const weir_value held = add_state(d, base, weir_array_copy(rows)),
                         now = add_slice(graph, base, "now", held, 0, 1, edit->axis, before),
                         later = add_slice(graph, base, "later", held, 1, d->plan.steps, edit->axis, before),
                         turned = add_concat(graph, base, "turned", later, now, edit->axis, before);
        *known = coded(d, base, now, step, 0, WEIR_INT16, before);
        add_update(d, base, coded(d, base, turned, step, 0, WEIR_INT16, before), held);
    }
    weir_node_set_input(graph, edit->node, edit->input, *known);
}

static int64_t stride_of(const weir_shape *shape, int axis) {
    int64_t stride = 1;
    for (int i = axis + 1; i < shape->rank; i++) stride *= shape->dim[i];
    return stride;
}

/* Does the mask depend on how far two steps are apart alone, where neither is later? */
static bool depends_on_distance(const weir_decode_mask *mask, int64_t steps) {
    const weir_shape *shape = &mask->numbers->shape;
    const int64_t by_step = stride_of(shape, mask->step), by_key = stride_of(shape, mask->key);
    bool same = true;
    for (size_t i = 0; same && i < mask->numbers->count; i++) {
        const int64_t q = (int64_t)i / by_step % steps, k = (int64_t)i / by_key % steps;
        if (q == 0 || k == 0 || k > q) continue;
        same = weir_decode_mask_at(mask, i) == weir_decode_mask_at(mask, i - (size_t)by_step - (size_t)by_key);
    }
    return same;
}

/* How many of the last step's row are not left out: the latest ones; 0: others are. */
static int64_t count_reached(const weir_decode_mask *mask, int64_t steps) {
    const weir_shape *shape = &mask->numbers->shape;
    const int64_t by_step = stride_of(shape, mask->step), by_key = stride_of(shape, mask->key);
    int64_t first = steps, last_out = -1;
    for (size_t i = 0; i < mask->numbers->count; i++) {
        const int64_t k = (int64_t)i / by_key % steps;
        if ((int64_t)i / by_step % steps != steps - 1) continue;
        const bool out = isinf(weir_decode_mask_at(mask, i));
        if (out && k > last_out) last_out = k;
        if (!out && k < first) first = k;
    }
    return first > last_out ? steps - first : 0;
}

/* The numbers that it adds to what the last step's row has reached, over all steps; none: they are 0. */
static weir_value numbers_of(decoder *d, const weir_decode_mask *mask, const char *base) {
    const weir_shape *shape = &mask->numbers->shape, row = with_dim(*shape, mask->step, 1);
    const int64_t by_step = stride_of(shape, mask->step);
    weir_array *made = weir_array_new(WEIR_FLOAT32, &row);
    bool any = false;
    size_t to = 0;
    for (size_t i = 0; i < mask->numbers->count; i++) {
        if ((int64_t)i / by_step % d->plan.steps != d->plan.steps - 1) continue;
        const double number = weir_decode_mask_at(mask, i);
        weir_array_set(made, to++, isinf(number) ? 0 : number);
        any |= !isinf(number) && number != 0;
    }
    if (any) return constant_of(d->graph, base, "row", made);
    weir_array_free(made);
    return WEIR_NO_VALUE;
}

static weir_array *far_below(const weir_shape *shape) {
    weir_array *made = weir_array_new(WEIR_FLOAT32, shape);
    for (size_t i = 0; i < made->count; i++) weir_array_set(made, i, NOWHERE_NEAR);
    return made;
}

/* Which steps are there: 0, and far below of those before the first, and of those that are too long ago. */
static weir_value steps_there(decoder *d, const weir_decode_mask *mask, const char *base, int64_t reached,
                              weir_node before) {
    weir_shape shape = mask->numbers->shape;
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = 1;
    const weir_shape old = with_dim(shape, mask->key, d->plan.steps - reached);
    const weir_value there = constant_of(d->graph, base, "there", weir_array_new(WEIR_FLOAT32, &shape)),
                     now = coded(d, base, there, STEP_BELOW, CODES_BELOW, WEIR_UINT8, before);
    const lines l = {WEIR_FLOAT32, shape, mask->key, reached, NOWHERE_NEAR};
    const weir_value all = reached == 1 ? now : add_window(d, base, &l, now, before);
    if (reached == d->plan.steps) return all;
    return add_concat(d->graph, base, "reached", constant_of(d->graph, base, "old", far_below(&old)), all, mask->key,
                      before);
}

static weir_value add_sum(decoder *d, const weir_decode_edit *edit, const char *suffix, weir_value a, weir_value b) {
    if (b.id == 0) return a;
    return add_node(d->graph, WEIR_OP_ADD, weir_node_name(d->graph, edit->node), suffix, (weir_value[]){a, b}, 2,
                    edit->node);
}

/* The sum or choice becomes a sum with the numbers of a row, and with which steps are there. */
static bool take_mask(decoder *d, const weir_decode_edit *edit) {
    weir_graph *graph = d->graph;
    weir_decode_mask mask;
    weir_decode_read_mask(graph, edit, &mask);
    const bool masks = weir_decode_leaves_later_out(&mask, d->plan.steps);
    const int64_t reached = count_reached(&mask, d->plan.steps);
    if (!depends_on_distance(&mask, d->plan.steps) || reached == 0)
        return weir_node_fail(graph, edit->node, "one step at a time: its mask is another for each step");
    const weir_value value = weir_node_input(graph, edit->node, edit->input);
    const char *base = weir_value_name(graph, value);
    weir_value *there = &d->window[value.id], *row = &d->row[value.id];
    if (row->id == 0) *row = numbers_of(d, &mask, base);
    if (there->id == 0 && (masks || reached < d->plan.steps)) *there = steps_there(d, &mask, base, reached, edit->node);
    const size_t scores = !mask.is_choice ? 1 - edit->input : mask.is_inverse ? 2 : 1;
    weir_value sum = add_sum(d, edit, "numbers", weir_node_input(graph, edit->node, scores), *row);
    sum = add_sum(d, edit, "masked", sum, *there);
    weir_value_replace(graph, weir_node_output(graph, edit->node, 0), sum);
    weir_graph_remove_node(graph, edit->node);
    return true;
}

/* The lines that a convolution reads, this step's the last; it has no more padding over time. */
static void take_lines(decoder *d, const weir_decode_edit *edit) {
    weir_graph *graph = d->graph;
    const weir_value value = weir_node_input(graph, edit->node, 0);
    const weir_type *type = weir_value_type(graph, value);
    const weir_shape *weights = &weir_value_type(graph, weir_node_input(graph, edit->node, 1))->shape;
    const lines l = {type->dtype, type->shape, edit->axis, edit->lines, 0};
    weir_window window;
    int64_t pads[2 * WEIR_MAX_RANK];
    weir_geometry_window(graph, edit->node, &type->shape, weights->dim + 2, &window);
    for (int i = 0; i < window.rank; i++) {
        pads[i] = i == edit->axis - 2 ? 0 : window.begin[i];
        pads[window.rank + i] = i == edit->axis - 2 ? 0 : window.end[i];
    }
    weir_node_set_ints(graph, edit->node, "pads", pads, 2 * (size_t)window.rank);
    weir_node_remove_attribute(graph, edit->node, "auto_pad");
    const weir_value all = add_window(d, weir_node_name(graph, edit->node), &l, value, edit->node);
    weir_node_set_input(graph, edit->node, 0, all);
}

static void take_state(decoder *d, const weir_decode_edit *edit) {
    weir_node_set_int(d->graph, edit->node, "steps", 1);
    weir_node_set_int(d->graph, edit->node, "kept", 1);
    d->states++;
}

static void take_last(decoder *d, const weir_decode_edit *edit) {
    weir_graph *graph = d->graph;
    if (edit->input == 0) {
        const weir_value value = weir_node_input(graph, edit->node, 0);
        weir_value_replace(graph, weir_node_output(graph, edit->node, 0), value);
        weir_graph_remove_node(graph, edit->node);
        return;
    }
    const weir_value index = weir_node_input(graph, edit->node, edit->input);
    weir_array *zero = weir_array_new(WEIR_INT64, &weir_value_type(graph, index)->shape);
    weir_node_set_input(graph, edit->node, edit->input, constant_of(graph, weir_value_name(graph, index), "now", zero));
}

/* --- shapes --- */

/* A Reshape or Expand to a shape with all steps gets one with this step. */
static void set_shape(decoder *d, weir_node node) {
    weir_graph *graph = d->graph;
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_value result = weir_node_output(graph, node, 0);
    if ((kind != WEIR_OP_RESHAPE && kind != WEIR_OP_EXPAND) || result.id >= d->limit) return;
    const weir_decode_role role = d->plan.role[result.id];
    const weir_shape *shape = &weir_value_type(graph, result)->shape;
    if (role.step == WEIR_NO_AXIS && role.key == WEIR_NO_AXIS) return;
    weir_array *one = weir_array_new(WEIR_INT64, &(weir_shape){1, {shape->rank}});
    for (int i = 0; i < shape->rank; i++)
        weir_array_set_int(one, (size_t)i, i == role.step ? role.blocks : shape->dim[i]);
    const weir_value wanted = weir_node_input(graph, node, 1);
    weir_node_set_input(graph, node, 1, constant_of(graph, weir_value_name(graph, wanted), "now", one));
    weir_node_remove_attribute(graph, node, "allowzero");
}

/* Of the data, and the most that the States have room for; 0: any. */
static void set_sequence(weir_graph *graph, int64_t frames, int64_t longest) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE) continue;
        weir_node_set_int(graph, node, "sequence", frames);
        if (longest > 0) weir_node_set_int(graph, node, "longest", longest);
    }
}

static bool apply(decoder *d, weir_value input, int axis) {
    weir_graph *graph = d->graph;
    bool fine = true;
    for (size_t i = 0; fine && i < d->plan.count; i++) {
        const weir_decode_edit *edit = &d->plan.edit[i];
        switch (edit->change) {
        case WEIR_DECODE_REMEMBER: remember(d, edit); break;
        case WEIR_DECODE_ROW: take_row(d, edit); break;
        case WEIR_DECODE_MASK: fine = take_mask(d, edit); break;
        case WEIR_DECODE_LINES: take_lines(d, edit); break;
        case WEIR_DECODE_STATE: take_state(d, edit); break;
        case WEIR_DECODE_LAST: take_last(d, edit); break;
        }
    }
    if (!fine) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) set_shape(d, node);
    weir_type type = *weir_value_type(graph, input);
    type.shape.dim[axis] = 1;
    weir_value_set_type(graph, input, &type);
    return weir_infer_graph(graph);
}

/* --- the pass --- */

static weir_value find_input(const weir_graph *graph, const char *name) {
    const size_t count = weir_graph_input_count(graph);
    const char **names = weir_calloc(count + 1, sizeof *names);
    weir_value found = WEIR_NO_VALUE;
    for (size_t i = 0; i < count; i++) {
        names[i] = weir_value_name(graph, weir_graph_input(graph, i));
        if (strcmp(names[i], name) == 0) found = weir_graph_input(graph, i);
    }
    if (found.id == 0) {
        weir_error(WEIR_NOWHERE, "decode: the model has no input '%s'", name);
        weir_suggest_note(name, names);
    }
    free(names);
    return found;
}

/* INPUT=AXIS; false after an error. */
static bool read_input(const weir_graph *graph, const char *text, weir_value *input, int *axis) {
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    const long number = equals == NULL ? 0 : strtol(equals + 1, &end, 10);
    if (equals == NULL || equals == text || end == equals + 1 || *end != '\0') {
        weir_error(WEIR_NOWHERE, "decode '%s': expected INPUT=AXIS, an input and its axis of time, such as tokens=1",
                   text);
        return false;
    }
    char *name = weir_format("%.*s", (int)(equals - text), text);
    *input = find_input(graph, name);
    free(name);
    if (input->id == 0) return false;
    const weir_shape *shape = &weir_value_type(graph, *input)->shape;
    *axis = (int)(number < 0 ? number + shape->rank : number);
    if (*axis >= 0 && *axis < shape->rank && shape->dim[*axis] > 1) return true;
    char print[WEIR_SHAPE_TEXT];
    weir_error(WEIR_NOWHERE, "decode '%s': expected an axis with several steps, found %s", text,
               weir_shape_print(shape, print, sizeof print));
    weir_note("--shape INPUT=SIZES says how many steps there are at most where the model leaves that open");
    return false;
}

static bool check_outputs(const decoder *d) {
    for (size_t i = 0; i < weir_graph_output_count(d->graph); i++) {
        const weir_value value = weir_graph_output(d->graph, i);
        if (d->plan.role[value.id].step != WEIR_NO_AXIS || d->plan.role[value.id].key == WEIR_NO_AXIS) continue;
        weir_error(WEIR_NOWHERE, "decode: output '%s' has all steps", weir_graph_output_name(d->graph, i));
        return false;
    }
    return true;
}

bool weir_pass_decode(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_graph *graph = weir_module_find_graph(module, "model");
    decoder d = {
        .graph = graph, .arena = weir_arena_new(), .rings = strcmp(weir_pass_string(pass, "longer"), "ring") == 0};
    size_t folded, simplified;
    weir_value input;
    int axis;
    bool fine =
        weir_fold_constants(graph, WEIR_FOLD_FILLED, &folded) && weir_simplify_expressions(graph, true, &simplified);
    if (fine) weir_eliminate_dead_code(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        d.has_codes |= weir_trait_is_quantizer(weir_node_op(graph, node));
    fine = fine && read_input(graph, weir_pass_string(pass, "input"), &input, &axis) &&
           weir_decode_find_roles(graph, input, axis, d.arena, &d.plan) && check_outputs(&d);
    d.limit = weir_graph_value_limit(graph);
    d.window = weir_arena_array(d.arena, d.limit, sizeof *d.window);
    d.row = weir_arena_array(d.arena, d.limit, sizeof *d.row);
    fine = fine && apply(&d, input, axis) && weir_state_channels_innermost(graph);
    if (fine && d.rings && d.has_rows) {
        weir_error(WEIR_NOWHERE, "decode: the model has constants for %lld steps, of which none is left for later ones",
                   (long long)d.plan.steps);
        weir_note("without 'ring' a sequence may have so many steps");
        fine = false;
    }
    if (fine) {
        weir_eliminate_dead_code(graph);
        set_sequence(graph, d.plan.steps, d.rings ? 0 : d.plan.steps);
        weir_pass_count(context, "states", d.states);
    }
    weir_arena_free(d.arena);
    return fine;
}
