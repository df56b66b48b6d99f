#include "frontend/import/onnx_normal.h"

#include <string.h>

#include "frontend/import/onnx_part.h"
#include "support/memory/arena.h"

#define PART WEIR_ONNX_PART

/* --- GroupNormalization --- */

static weir_value all_equal(const weir_onnx_form *form, const char *part, weir_dtype dtype, int64_t count,
                            double value) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) weir_array_set(array, (size_t)i, value);
    return weir_onnx_form_constant(form, part, array);
}

/* A parameter of each channel beside the dimensions behind it. */
static weir_value by_channel(const weir_onnx_form *form, const char *part, weir_value parameter, int rank) {
    weir_shape shape = {.rank = rank - 1};
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = 1;
    shape.dim[0] = weir_onnx_part_shape(form, parameter)->dim[0];
    const weir_array *constant = parameter.id == 0 ? NULL : weir_value_constant(form->graph, parameter);
    if (constant == NULL) return weir_onnx_part_reshape(form, part, parameter, &shape);
    weir_array *array = weir_array_copy(constant);
    array->shape = shape;
    return weir_onnx_form_constant(form, part, array);
}

/* Scales and biases are the groups' until opset 21, the channels' from then on. */
bool weir_onnx_normal_group_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_shape s = *weir_onnx_part_shape(form, inputs[0]);
    const weir_dtype dtype = weir_onnx_part_dtype(form, inputs[0]);
    const int64_t groups = weir_onnx_part_int(form, "num_groups", 0);
    const bool by_group = form->opsets->version[WEIR_ONNX_DOMAIN_ONNX] < 21;
    if (s.rank < 3) return weir_onnx_part_fail(form, "expected an input of 3 dimensions or more");
    if (s.dim[1] % groups != 0)
        return weir_onnx_part_fail(form, "its %lld channels are not a multiple of 'num_groups', %lld",
                                   (long long)s.dim[1], (long long)groups);
    for (size_t i = 1; i < 3; i++) {
        const weir_shape *parameter = weir_onnx_part_shape(form, inputs[i]);
        if (parameter->rank != 1 || parameter->dim[0] != (by_group ? groups : s.dim[1]))
            return weir_onnx_part_fail(form, "input %zu must be a vector of %lld, one a %s", i,
                                       (long long)(by_group ? groups : s.dim[1]), by_group ? "group" : "channel");
    }
    weir_shape together = {3, {s.dim[0], groups, s.dim[1] / groups}};
    for (int i = 2; i < s.rank; i++) together.dim[2] *= s.dim[i];
    inputs[0] = weir_onnx_part_reshape(form, "groups", inputs[0], &together);
    form->shape = s;
    if (!by_group) {
        form->operand[0] = by_channel(form, "scales", inputs[1], s.rank);
        form->operand[1] = by_channel(form, "biases", inputs[2], s.rank);
        inputs[1] = all_equal(form, "ones", dtype, groups, 1);
        inputs[2] = all_equal(form, "zeros", dtype, groups, 0);
    }
    *count = 3;
    return inputs[0].id != 0;
}

weir_value weir_onnx_normal_group_finish(weir_onnx_form *form, weir_value value) {
    if (!weir_shape_equal(weir_onnx_part_shape(form, value), &form->shape)) weir_onnx_part_named(form, value, "normal");
    value = weir_onnx_part_reshape(form, "apart", value, &form->shape);
    if (form->operand[0].id == 0) return value;
    return PART(ADD, "shifted", PART(MUL, "scaled", value, form->operand[0]), form->operand[1]);
}

/* --- LRN --- */

/* Means of the squares of `size` neighbouring channels; absent ones are 0. */
static weir_value neighbours(const weir_onnx_form *form, weir_value x) {
    const weir_shape s = *weir_onnx_part_shape(form, x);
    const int64_t size = weir_onnx_part_int(form, "size", 1), before = (size - 1) / 2;
    weir_shape column = {4, {s.dim[0], 1, s.dim[1], 1}};
    for (int i = 2; i < s.rank; i++) column.dim[3] *= s.dim[i];
    const weir_value squares = PART(MUL, "squares", x, x),
                     columns = weir_onnx_part_reshape(form, "columns", squares, &column),
                     means = weir_onnx_part_add(form, WEIR_OP_AVERAGE_POOL, "means", &columns, 1);
    const weir_node pool = weir_value_producer(form->graph, means);
    weir_node_set_ints(form->graph, pool, "kernel_shape", (const int64_t[]){size, 1}, 2);
    weir_node_set_ints(form->graph, pool, "pads", (const int64_t[]){before, 0, size - 1 - before, 0}, 4);
    weir_node_set_int(form->graph, pool, "count_include_pad", 1);
    return weir_onnx_part_reshape(form, "neighbours", weir_onnx_part_infer(form, means), &s);
}

/* x / (bias + alpha * means)^beta */
bool weir_onnx_normal_local_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (weir_onnx_part_shape(form, inputs[0])->rank < 3)
        return weir_onnx_part_fail(form, "expected an input of 3 dimensions or more");
    const weir_dtype dtype = weir_onnx_part_dtype(form, inputs[0]);
    const weir_value alpha = weir_onnx_part_number(form, "alpha", dtype,
                                                   weir_onnx_part_float(form, "alpha", (double)1e-4F)),
                     beta = weir_onnx_part_number(form, "beta", dtype, weir_onnx_part_float(form, "beta", 0.75)),
                     bias = weir_onnx_part_number(form, "bias", dtype, weir_onnx_part_float(form, "bias", 1)),
                     scaled = PART(MUL, "scaled", neighbours(form, inputs[0]), alpha),
                     sum = PART(ADD, "biased", scaled, bias);
    inputs[1] = PART(POW, "power", sum, beta);
    *count = 2;
    return inputs[1].id != 0;
}

/* --- behind a sum --- */

static weir_value input(const weir_value *inputs, size_t count, size_t i) {
    return i < count ? inputs[i] : WEIR_NO_VALUE;
}

/* Only the result, and the sum where the file has it. */
static bool only_sum(weir_onnx_form *form, size_t index, weir_value sum) {
    for (size_t i = 1; i < form->proto->n_output && i <= WEIR_ONNX_FORM_OUTPUTS; i++) {
        if (i == index) form->more[i - 1] = sum;
        const weir_onnx_definition *d =
            *form->proto->output[i] == '\0' ? NULL : weir_onnx_scope_find(form->scope, form->proto->output[i]);
        if (i != index && d != NULL && d->is_used)
            return weir_onnx_part_fail(form, "output %zu ('%.100s') is used, expected outputs 0 and %zu alone", i,
                                       form->proto->output[i], index);
    }
    return true;
}

/* Unlike the operators that they become, ONNX Runtime's have a smaller epsilon where the file says none. */
void weir_onnx_normal_runtime_attributes(const weir_onnx_form *form, weir_node node) {
    if (weir_onnx_part_attribute(form, "epsilon") == NULL)
        weir_node_set_float(form->graph, node, "epsilon", (double)1e-12F);
}

/* input, skip, gamma: the sum with a bias, gamma, and beta where there is one. */
static bool skip(weir_onnx_form *form, weir_value *inputs, size_t *count, weir_value beta, weir_value bias) {
    weir_value sum = PART(ADD, "skipped", inputs[0], inputs[1]);
    if (bias.id != 0) sum = PART(ADD, "biased", sum, bias);
    inputs[0] = sum;
    inputs[1] = inputs[2];
    inputs[2] = beta;
    *count = beta.id == 0 ? 2 : 3;
    form->outputs = 1;
    return sum.id != 0 && only_sum(form, 3, sum);
}

bool weir_onnx_normal_skip_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return skip(form, inputs, count, input(inputs, *count, 3), input(inputs, *count, 4));
}

bool weir_onnx_normal_skip_rms_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return skip(form, inputs, count, WEIR_NO_VALUE, input(inputs, *count, 3));
}

/* ids, segments, embeddings of words, positions and segments, gamma, beta, mask, positions. */
bool weir_onnx_normal_embed_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_shape ids = *weir_onnx_part_shape(form, inputs[0]);
    const weir_value segment = input(inputs, *count, 1), word = input(inputs, *count, 2),
                     place = input(inputs, *count, 3), of_segment = input(inputs, *count, 4),
                     gamma = input(inputs, *count, 5), beta = input(inputs, *count, 6), at = input(inputs, *count, 8);
    if (ids.rank != 2 || word.id == 0 || place.id == 0 || gamma.id == 0 || beta.id == 0 ||
        (segment.id == 0) != (of_segment.id == 0))
        return weir_onnx_part_fail(form, "expected a matrix of words, embeddings of words and positions, gamma and "
                                         "beta, and segments with their embedding");
    weir_value sum = PART(GATHER, "words", word, inputs[0]);
    const weir_value positions =
        at.id != 0 ? PART(GATHER, "places", place, at) : weir_onnx_part_slice(form, "places", place, 0, 0, ids.dim[1]);
    sum = PART(ADD, "placed", sum, positions);
    if (segment.id != 0) sum = PART(ADD, "embedding", sum, PART(GATHER, "segments", of_segment, segment));
    inputs[0] = sum;
    inputs[1] = gamma;
    inputs[2] = beta;
    *count = 3;
    form->outputs = 1;
    return sum.id != 0 && only_sum(form, 2, sum);
}
