#include "passes/quantize/quantize_numbers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "passes/quantize/round_weights.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* --- one quantizer --- */

/* What is quantized for which operand. */
typedef struct operand {
    weir_value value;
    weir_node node;   /* that it is an operand or the result of */
    weir_node before; /* where the quantizer goes; none: to the end */
    const char *base;
    int axis;   /* blocks run along it */
    int output; /* of constants, the axis of what each output has of its own */
    weir_calibrator calibrator;
} operand;

static weir_value finish(weir_quantizer *q, const operand *o, weir_node node) {
    weir_node_set_location(q->graph, node, weir_node_location(q->graph, o->node));
    return weir_infer_node(q->graph, node) ? weir_node_output(q->graph, node, 0) : WEIR_NO_VALUE;
}

static weir_node add(weir_quantizer *q, const operand *o, weir_op op, const char *suffix, const weir_value *inputs,
                     size_t count) {
    char *name = weir_format("%s_%s", o->base, suffix);
    const weir_node node = weir_graph_add_node(q->graph, op, name, inputs, count, 1, o->before);
    free(name);
    return node;
}

static weir_value add_scales(weir_quantizer *q, const operand *o, const char *suffix, const weir_array *scales) {
    char *name = weir_format("%s_%s", o->base, suffix);
    const weir_value value = weir_graph_add_constant(q->graph, name, scales);
    free(name);
    return value;
}

static weir_array *scalar(double value) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    weir_array_set(array, 0, value);
    return array;
}

static weir_value add_scalar(weir_quantizer *q, const operand *o, const char *suffix, double value) {
    weir_array *array = scalar(value);
    const weir_value result = add_scales(q, o, suffix, array);
    weir_array_free(array);
    return result;
}

/* Codes of a QONNX Quant. */
typedef struct codes {
    int width;
    bool is_signed, is_narrow, rounds_down;
    double zero; /* of constants also a half: codes then stand for odd numbers of half a step */
} codes;

/* Scales are one, or broadcast. */
static weir_value add_quant(weir_quantizer *q, const operand *o, codes c, const weir_array *scales) {
    const weir_value inputs[4] = {o->value, add_scales(q, o, "scale", scales), add_scalar(q, o, "zero_point", c.zero),
                                  add_scalar(q, o, "width", c.width)};
    const weir_node node = add(q, o, WEIR_OP_QUANT, "quant", inputs, 4);
    weir_node_set_int(q->graph, node, "signed", c.is_signed);
    weir_node_set_int(q->graph, node, "narrow", c.is_narrow);
    weir_node_set_string(q->graph, node, "rounding_mode", c.rounds_down ? "FLOOR" : "ROUND");
    return finish(q, o, node);
}

static weir_value add_fake(weir_quantizer *q, const operand *o, const weir_number *n) {
    const weir_node node = add(q, o, WEIR_OP_FAKE_QUANTIZE, "quant", &o->value, 1);
    char *text = weir_number_print(n);
    weir_node_set_string(q->graph, node, "format", text);
    free(text);
    if (weir_value_type(q->graph, o->value)->shape.rank > 0) weir_node_set_int(q->graph, node, "axis", o->axis);
    return finish(q, o, node);
}

static weir_value add_with(weir_quantizer *q, const operand *o, codes c, double scale) {
    weir_array *scales = scalar(scale);
    const weir_value result = add_quant(q, o, c, scales);
    weir_array_free(scales);
    return result;
}

static weir_value add_grid(weir_quantizer *q, const operand *o, const weir_number *n) {
    const bool rounds_down = weir_number_has(n, WEIR_KEY_FLOOR) && weir_number_get(n, WEIR_KEY_FLOOR) != 0;
    const codes c = {weir_number_get(n, WEIR_KEY_WIDTH), weir_number_get(n, WEIR_KEY_SIGNED) != 0, false, rounds_down,
                     0};
    return add_with(q, o, c, ldexp(1, -weir_number_get(n, WEIR_KEY_FRAC_WIDTH)));
}

/* A MultiThreshold, of formats whose values are a step apart: it counts where the next value begins. */
static weir_value add_thresholds(weir_quantizer *q, const operand *o, const weir_number *n,
                                 const weir_number_shared *shared) {
    enum { MOST = 8 };
    float threshold[MOST];
    int64_t low, high, steps = 0;
    weir_number_limits(n, &low, &high);
    for (int64_t code = low + 1; code <= high; code++)
        if (weir_number_decode(n, shared, code) > weir_number_decode(n, shared, code - 1)) {
            assert(steps < MOST);
            threshold[steps++] = weir_number_threshold(n, shared, code);
        }
    weir_array *thresholds = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, steps}});
    for (int64_t i = 0; i < steps; i++) weir_array_set(thresholds, (size_t)i, (double)threshold[i]);
    const weir_value inputs[2] = {o->value, add_scales(q, o, "thresholds", thresholds)};
    weir_array_free(thresholds);
    const double least = weir_number_decode(n, shared, low), most = weir_number_decode(n, shared, high);
    const weir_node node = add(q, o, WEIR_OP_MULTI_THRESHOLD, "quant", inputs, 2);
    weir_node_set_float(q->graph, node, "out_scale", (most - least) / (double)steps);
    weir_node_set_float(q->graph, node, "out_bias", least);
    return finish(q, o, node);
}

static weir_value add_sign(weir_quantizer *q, const operand *o) {
    const weir_value inputs[2] = {o->value, add_scalar(q, o, "scale", 1)};
    return finish(q, o, add(q, o, WEIR_OP_BIPOLAR_QUANT, "quant", inputs, 2));
}

/* Of smaller scales products are no normal float32 numbers; only channels that died in training have them. */
static const double LEAST_SCALE = 0x1p-60;

/* --- constants: what their elements share is known --- */

/* One number for each output, to broadcast over the others. */
static weir_array *new_scales(const weir_array *data, int output) {
    weir_shape shape = {.rank = data->shape.rank};
    for (int d = 0; d < shape.rank; d++) shape.dim[d] = d == output ? data->shape.dim[d] : 1;
    return weir_array_new(WEIR_FLOAT32, &shape);
}

/* What each output shares is measured, and the constant becomes what its elements stand for, each a code times so many
 * scales, so that thresholds are gone. The scale of zeros may be any. */
static weir_value add_measured(weir_quantizer *q, const operand *o, const weir_number *n, codes c, double step,
                               const weir_array *data) {
    const weir_by_output all = weir_by_output_of(&data->shape, o->output);
    weir_array *values = weir_array_new(WEIR_FLOAT32, &data->shape), *scales = new_scales(data, o->output);
    for (size_t output = 0; output < all.count; output++) {
        float *own = weir_by_output_elements(&all, output, data);
        const weir_number_shared shared = weir_number_measure(n, own, all.size, 0);
        weir_array_set(scales, output, shared.scale > 0 ? step * shared.scale : 1);
        for (size_t i = 0; i < all.size; i++)
            weir_array_set(values, weir_by_output_place(&all, output, i),
                           weir_number_decode(n, &shared, weir_number_encode(n, &shared, (double)own[i])));
        free(own);
    }
    operand baked = *o;
    baked.value = add_scales(q, o, "values", values);
    const weir_value result = add_quant(q, &baked, c, scales);
    weir_array_free(values);
    weir_array_free(scales);
    return result;
}

static weir_array *scales_of_outputs(const weir_number *n, const operand *o, const weir_array *data) {
    const int output = weir_number_get(n, WEIR_KEY_CHANNEL) == 0 ? -1 : o->output;
    const weir_by_output all = weir_by_output_of(&data->shape, output);
    weir_array *scales = new_scales(data, output);
    for (size_t k = 0; k < all.count; k++) {
        float *own = weir_by_output_elements(&all, k, data);
        const weir_range range = weir_calibrator_elements(&o->calibrator, n, own, all.size);
        const double scale = weir_number_affine(n, range.min, range.max).scale;
        weir_array_set(scales, k, scale > LEAST_SCALE ? scale : 1);
        free(own);
    }
    return scales;
}

/* The layer's bias, a float32 constant; NULL: it has none such. */
static const weir_array *bias_of(const weir_graph *graph, weir_node node) {
    const weir_value value = weir_node_input(graph, node, 2);
    const weir_array *bias = value.id == 0 ? NULL : weir_value_constant(graph, value);
    return bias != NULL && bias->dtype == WEIR_FLOAT32 ? bias : NULL;
}

static void change_bias(weir_quantizer *q, weir_node node, const double *change) {
    weir_array *bias = weir_array_copy(bias_of(q->graph, node));
    for (size_t o = 0; o < bias->count; o++) weir_array_set(bias, o, weir_array_get(bias, o) + change[o]);
    const char *name = weir_value_name(q->graph, weir_node_input(q->graph, node, 2));
    weir_node_set_input(q->graph, node, 2, weir_graph_add_constant(q->graph, name, bias));
    weir_array_free(bias);
}

/* The weights on their grids, by data. */
static weir_array *round_by_data(weir_quantizer *q, const operand *o, const weir_number *n, weir_array *scales) {
    const weir_array *bias = bias_of(q->graph, o->node);
    const size_t outputs = (size_t)weir_value_type(q->graph, o->value)->shape.dim[o->output];
    weir_weight_grid grid = {.scale = scales, .has_bias = bias != NULL && bias->count == outputs};
    grid.searches = o->calibrator.id == WEIR_CALIBRATOR_MSE && scales->count == outputs;
    weir_number_limits(n, &grid.low, &grid.high);
    double *change = weir_calloc(outputs, sizeof *change);
    weir_array *rounded = weir_round_weights(q->inputs, o->node, &grid, change);
    if (grid.has_bias) change_bias(q, o->node, change);
    free(change);
    return rounded;
}

/* Always symmetric: weights have no zero point. Of layers that were seen the error of the results counts. */
static weir_value add_affine_weights(weir_quantizer *q, const operand *o, weir_number n, const weir_array *data) {
    const bool is_seen = q->inputs != NULL && o->output >= 0 && weir_layer_inputs_has(q->inputs, o->node);
    operand whole = *o;
    if (is_seen && o->calibrator.id == WEIR_CALIBRATOR_MSE && weir_number_get(&n, WEIR_KEY_CHANNEL) != 0)
        whole.calibrator.id = WEIR_CALIBRATOR_MAX; /* of which parts are tried */
    weir_number_set(&n, WEIR_KEY_SYMMETRIC, 1);
    weir_array *scales = scales_of_outputs(&n, &whole, data),
               *rounded = is_seen ? round_by_data(q, o, &n, scales) : NULL;
    operand by_data = *o;
    if (rounded != NULL) by_data.value = add_scales(q, o, "rounded", rounded);
    const weir_value result =
        add_quant(q, &by_data, (codes){weir_number_get(&n, WEIR_KEY_WIDTH), true, true, false, 0}, scales);
    weir_array_free(scales);
    if (rounded != NULL) weir_array_free(rounded);
    return result;
}

static weir_value quantize_constant(weir_quantizer *q, const operand *o, weir_number n, const weir_array *data) {
    double largest = 0;
    for (size_t i = 0; i < data->count; i++) largest = fmax(largest, fabs(weir_array_get(data, i)));
    if (data->dtype == WEIR_FLOAT32 && n.id != WEIR_NUMBER_AFFINE && weir_number_needs_range(&n)) {
        const weir_range range = weir_calibrator_elements(&o->calibrator, &n, data->data, data->count);
        largest = fmax(fabs(range.min), fabs(range.max));
    }
    if (n.id == WEIR_NUMBER_INTEGER || n.id == WEIR_NUMBER_FIXED) {
        weir_number_choose(&n, largest, weir_pass_choice(q->pass, "fraction_rule") == 1);
        return add_grid(q, o, &n);
    }
    if (data->dtype != WEIR_FLOAT32) return add_fake(q, o, &n);
    switch (n.id) {
    case WEIR_NUMBER_AFFINE: return add_affine_weights(q, o, n, data);
    case WEIR_NUMBER_BINARY:
        if (weir_number_get(&n, WEIR_KEY_BIPOLAR) != 0) return add_sign(q, o);
        return add_measured(q, o, &n, (codes){1, false, false, false, 0}, 1, data);
    case WEIR_NUMBER_BINARY_RESIDUAL: {
        /* neighbours are two of the least level apart: four values around 0, or seven with it */
        const int levels = weir_number_get(&n, WEIR_KEY_LEVELS);
        const codes c = levels == 2 ? (codes){2, false, false, false, 1.5} : (codes){3, true, true, false, 0};
        return levels == 1 ? add_sign(q, o) : add_measured(q, o, &n, c, 2, data);
    }
    case WEIR_NUMBER_TERNARY: return add_measured(q, o, &n, (codes){2, true, true, false, 0}, 1, data);
    case WEIR_NUMBER_SCALE_INTEGER: {
        /* the rows of the last dimension must belong to one output each */
        const bool has_outputs = data->shape.rank == 2 && o->output == 0, is_whole = data->shape.rank < 2;
        if (!(has_outputs || is_whole) || weir_number_get(&n, WEIR_KEY_WIDTH) == 1) return add_fake(q, o, &n);
        const bool is_signed = weir_number_get(&n, WEIR_KEY_SIGNED) != 0;
        return add_measured(q, o, &n, (codes){weir_number_get(&n, WEIR_KEY_WIDTH), is_signed, is_signed, false, 0}, 1,
                            data);
    }
    case WEIR_NUMBER_FLEXROUND: {
        const weir_number_shared shared = weir_number_measure(&n, data->data, data->count, largest);
        return add_with(q, o, (codes){weir_number_get(&n, WEIR_KEY_WIDTH), true, false, false, 0},
                        shared.scale > 0 ? shared.scale : 1);
    }
    default: return add_fake(q, o, &n);
    }
}

/* --- data --- */

static weir_value add_affine_data(weir_quantizer *q, const operand *o, const weir_number *n, const weir_range *range) {
    const bool is_symmetric = weir_number_get(n, WEIR_KEY_SYMMETRIC) != 0;
    const weir_number_shared shared = weir_number_affine(n, range->min, range->max);
    const codes c = {weir_number_get(n, WEIR_KEY_WIDTH), is_symmetric, is_symmetric, false, (double)shared.zero};
    return add_with(q, o, c, shared.scale > LEAST_SCALE ? shared.scale : 1);
}

/* A scale a channel and one zero point, 0: codes have a sign unless no channel has negative numbers. Of a channel of
 * zeros any scale is right. */
static weir_value add_affine_channels(weir_quantizer *q, const operand *o, weir_number n,
                                      const weir_quantized_value *own) {
    const weir_shape *x = &weir_value_type(q->graph, o->value)->shape;
    bool is_signed = weir_number_get(&n, WEIR_KEY_SYMMETRIC) == 1;
    for (size_t c = 0; c < own->channels; c++) is_signed |= own->channel[c].range.min < 0;
    weir_number_set(&n, WEIR_KEY_SYMMETRIC, is_signed);
    weir_shape shape = {.rank = x->rank};
    for (int d = 0; d < x->rank; d++) shape.dim[d] = d == 1 ? x->dim[d] : 1;
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &shape);
    double largest = 0;
    for (size_t c = 0; c < own->channels; c++) {
        const weir_range r =
            weir_calibrator_range(&o->calibrator, &n, &own->channel[c].range, own->channel[c].histogram);
        weir_array_set(scales, c, weir_number_affine(&n, r.min, r.max).scale);
        largest = fmax(largest, weir_array_get(scales, c));
    }
    for (size_t c = 0; c < own->channels; c++)
        if (weir_array_get(scales, c) <= LEAST_SCALE) weir_array_set(scales, c, largest > LEAST_SCALE ? largest : 1);
    const weir_value made =
        add_quant(q, o, (codes){weir_number_get(&n, WEIR_KEY_WIDTH), is_signed, is_signed, false, 0}, scales);
    weir_array_free(scales);
    return made;
}

/* What elements share is a constant: that of the calibration data. */
static weir_value add_measured_data(weir_quantizer *q, const operand *o, const weir_number *n,
                                    const weir_quantized_value *own) {
    if (own->histogram == NULL) {
        weir_error(weir_node_location(q->graph, o->node), "node '%s': data as %s needs calibration data",
                   weir_node_name(q->graph, o->node), weir_number_name(n->id));
        weir_note("pass typical inputs with --calibration FILE");
        return WEIR_NO_VALUE;
    }
    weir_number_shared shared = weir_calibrator_shared(n, &own->range, own->histogram);
    if (!(shared.scale > LEAST_SCALE)) shared.scale = 1;
    return add_thresholds(q, o, n, &shared);
}

static weir_value quantize_data(weir_quantizer *q, const operand *o, weir_number n) {
    const weir_quantized_value *own = weir_quantizer_value(q, o->value);
    if (n.id == WEIR_NUMBER_AFFINE && weir_number_get(&n, WEIR_KEY_CHANNEL) != 0)
        return add_affine_channels(q, o, n, own);
    if (n.id == WEIR_NUMBER_AFFINE && weir_number_get(&n, WEIR_KEY_SYMMETRIC) == WEIR_NUMBER_CHOSEN)
        weir_number_set(&n, WEIR_KEY_SYMMETRIC, 0);
    const weir_range r = weir_calibrator_range(&o->calibrator, &n, &own->range, own->histogram);
    weir_number_choose(&n, fmax(fabs(r.min), fabs(r.max)), weir_pass_choice(q->pass, "fraction_rule") == 1);
    if (n.id == WEIR_NUMBER_AFFINE) return add_affine_data(q, o, &n, &r);
    if (n.id == WEIR_NUMBER_INTEGER || n.id == WEIR_NUMBER_FIXED) return add_grid(q, o, &n);
    if (n.id == WEIR_NUMBER_BINARY && weir_number_get(&n, WEIR_KEY_BIPOLAR) != 0) return add_sign(q, o);
    if (n.id == WEIR_NUMBER_BINARY_RESIDUAL) {
        const weir_number_shared shared = weir_number_measure(&n, NULL, 0, 0);
        return weir_number_get(&n, WEIR_KEY_LEVELS) == 1 ? add_sign(q, o) : add_thresholds(q, o, &n, &shared);
    }
    if (n.id == WEIR_NUMBER_BINARY || n.id == WEIR_NUMBER_TERNARY) return add_measured_data(q, o, &n, own);
    return add_fake(q, o, &n);
}

/* --- nodes --- */

/* Layers, normalizations and functions of elements; what moves elements or takes the largest keeps what comes. */
static bool is_quantizable(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    const weir_trait *trait = weir_trait_of(op);
    const weir_mase_type type = weir_mase_kind(op);
    const bool computes = trait->element != WEIR_ELEMENT_NONE && trait->task == WEIR_TASK_NONE &&
                          (type == WEIR_MASE_MODULE_RELATED_FUNC || type == WEIR_MASE_BUILTIN_FUNC);
    return computes || trait->task == WEIR_TASK_LAYER || trait->task == WEIR_TASK_NORMALIZATION;
}

/* The role of an input; WEIR_PLAN_ROLE_COUNT: it is none. Of a product the second operand is the weight. */
static weir_plan_role role_of(const weir_graph *graph, weir_node node, size_t index) {
    char name[WEIR_MASE_NAME_SIZE];
    const weir_mase_role role = weir_mase_input(graph, node, index, name);
    if (role == WEIR_MASE_PARAMETER) {
        if (strcmp(name, "weight") == 0) return WEIR_PLAN_WEIGHT;
        return strcmp(name, "bias") == 0 ? WEIR_PLAN_BIAS : WEIR_PLAN_ROLE_COUNT;
    }
    if (role != WEIR_MASE_DATA) return WEIR_PLAN_ROLE_COUNT;
    const bool is_product = weir_trait_kind(graph, node) == WEIR_OP_MATMUL;
    return is_product && index == 1 ? WEIR_PLAN_WEIGHT : WEIR_PLAN_DATA_IN;
}

/* Where the channels are: of weights those of the input, of data the second dimension, or the last of a product's. */
static void set_axes(const weir_graph *graph, operand *o, weir_plan_role role) {
    const weir_op kind = weir_trait_kind(graph, o->node);
    const int rank = weir_value_type(graph, o->value)->shape.rank;
    const bool turns = kind == WEIR_OP_GEMM && weir_node_int(graph, o->node, "transB", 0) != 0;
    o->output = -1;
    if (role == WEIR_PLAN_WEIGHT && (kind == WEIR_OP_CONV || turns)) {
        o->axis = 1;
        o->output = 0;
    } else if (role == WEIR_PLAN_WEIGHT) {
        o->axis = rank < 2 || kind == WEIR_OP_CONV_TRANSPOSE ? 0 : rank - 2;
        o->output = rank < 2 ? -1 : kind == WEIR_OP_CONV_TRANSPOSE ? 1 : rank - 1;
    } else {
        o->axis = rank < 2 || role == WEIR_PLAN_BIAS ? 0 : kind == WEIR_OP_MATMUL ? rank - 1 : 1;
    }
    if (o->axis >= rank && rank > 0) o->axis = rank - 1;
}

/* Of data FlexRound is a grid. With target=hardware the nearest format that has hardware is taken; of constants all
 * whose codes are integers have. */
static weir_number targeted(const weir_quantizer *q, weir_number n, bool is_constant) {
    const bool is_flexround = n.id == WEIR_NUMBER_FLEXROUND && !is_constant;
    const bool has = is_constant && weir_number_hardware_of(n.id) != WEIR_NUMBER_HARDWARE_NONE;
    return is_flexround || (weir_pass_choice(q->pass, "target") == 1 && !has) ? weir_number_nearest_hardware(&n) : n;
}

/* What another node's quantizer makes of the value, if it is the same one. */
static weir_value first_of_same(const weir_graph *graph, weir_value value, weir_value made) {
    const weir_node own = weir_value_producer(graph, made);
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_node other = weir_value_use(graph, value, i).node;
        if (other.id < own.id && weir_rewrite_same_node(graph, other, own)) return weir_node_output(graph, other, 0);
    }
    return made;
}

static bool quantize_input(weir_quantizer *q, weir_node node, size_t index, const weir_plan_entry *entry) {
    const weir_value value = weir_node_input(q->graph, node, index);
    const weir_plan_role role = value.id == 0 ? WEIR_PLAN_ROLE_COUNT : role_of(q->graph, node, index);
    if (role == WEIR_PLAN_ROLE_COUNT || !entry->has[role]) return true;
    if (!weir_dtype_is_float(weir_value_type(q->graph, value)->dtype)) return true;
    const weir_array *data = weir_value_constant(q->graph, value);
    if (data == NULL && !weir_quantizer_is_float(q, value))
        return true; /* of a quantizer: the result of another node */
    operand o = {value,
                 node,
                 node,
                 data != NULL ? weir_value_name(q->graph, value) : weir_node_name(q->graph, node),
                 0,
                 -1,
                 entry->calibrator[role]};
    char *base = data != NULL ? NULL : weir_format("%s_in%zu", weir_node_name(q->graph, node), index);
    if (base != NULL) o.base = base;
    set_axes(q->graph, &o, role);
    weir_number n = targeted(q, entry->number[role], data != NULL);
    if (data == NULL && role == WEIR_PLAN_WEIGHT && n.id == WEIR_NUMBER_AFFINE) /* a scale an output is for constants */
        weir_number_set(&n, WEIR_KEY_CHANNEL, 0);
    const weir_value made = data != NULL ? quantize_constant(q, &o, n, data) : quantize_data(q, &o, n);
    free(base);
    if (made.id == 0) return false;
    weir_node_set_input(q->graph, node, index, data != NULL ? made : first_of_same(q->graph, value, made));
    return true;
}

/* The scales of a QONNX Quant that gives an operand; NULL: it is none. */
static const weir_array *scales_of(const weir_graph *graph, weir_value value) {
    const weir_node quant = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
    if (quant.id == 0 || weir_trait_kind(graph, quant) != WEIR_OP_QUANT) return NULL;
    return weir_value_constant(graph, weir_node_input(graph, quant, 1));
}

/* A bias on the grid of the sums, input scale times weight scale, so that it is a whole number there; where that would
 * have more digits than a float32 number it stays. */
static bool quantize_bias(weir_quantizer *q, weir_node node) {
    enum { DIGITS = 24 };
    const weir_array *bias = bias_of(q->graph, node);
    if (bias == NULL) return true;
    const weir_value value = weir_node_input(q->graph, node, 2);
    const weir_array *data = scales_of(q->graph, weir_node_input(q->graph, node, 0));
    const weir_array *weights = scales_of(q->graph, weir_node_input(q->graph, node, 1));
    if (data == NULL || weights == NULL || bias->count % data->count != 0 ||
        (weights->count != 1 && weights->count != bias->count))
        return true;
    const size_t each = bias->count / data->count; /* outputs of a channel, or all */
    weir_shape shape = bias->shape;
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &shape);
    bool fits = true;
    for (size_t o = 0; o < bias->count; o++) {
        const double own = weir_array_get(weights, weights->count == 1 ? 0 : o);
        weir_array_set(scales, o, weir_array_get(data, o / each) * own);
        fits &= fabs(weir_array_get(bias, o)) < ldexp(weir_array_get(scales, o), DIGITS - 1);
    }
    const operand o = {
        .value = value, .node = node, .before = node, .base = weir_value_name(q->graph, value), .output = -1};
    const weir_value made = fits ? add_quant(q, &o, (codes){DIGITS, true, false, false, 0}, scales) : value;
    weir_array_free(scales);
    if (made.id != 0) weir_node_set_input(q->graph, node, 2, made);
    return made.id != 0;
}

/* All users of the result, and the output, take the quantized one. */
static bool quantize_output(weir_quantizer *q, weir_node node, const weir_plan_entry *entry) {
    const weir_value value = weir_node_output(q->graph, node, 0);
    if (!entry->has[WEIR_PLAN_DATA_OUT] || !weir_dtype_is_float(weir_value_type(q->graph, value)->dtype)) return true;
    char *base = weir_format("%s_out", weir_node_name(q->graph, node));
    operand o = {value, node, weir_node_next(q->graph, node), base, 0, -1, entry->calibrator[WEIR_PLAN_DATA_OUT]};
    const int rank = weir_value_type(q->graph, value)->shape.rank;
    o.axis = rank < 2 ? 0 : 1;
    const weir_value made = quantize_data(q, &o, targeted(q, entry->number[WEIR_PLAN_DATA_OUT], false));
    free(base);
    if (made.id == 0) return false;
    weir_value_replace(q->graph, value, made);
    weir_node_set_input(q->graph, weir_value_producer(q->graph, made), 0, value);
    return true;
}

static bool quantize_node(weir_quantizer *q, weir_node node, const weir_plan_entry *entry) {
    bool fine = true;
    for (size_t i = 0; fine && i < weir_node_input_count(q->graph, node); i++) fine = quantize_input(q, node, i, entry);
    const bool is_affine = entry->has[WEIR_PLAN_WEIGHT] && entry->number[WEIR_PLAN_WEIGHT].id == WEIR_NUMBER_AFFINE;
    if (fine && is_affine && !entry->has[WEIR_PLAN_BIAS]) fine = quantize_bias(q, node);
    return fine && quantize_output(q, node, entry);
}

/* A function of one operand? */
static bool is_unary(const weir_graph *graph, weir_node node) {
    size_t data = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
        data += role_of(graph, node, i) == WEIR_PLAN_DATA_IN && weir_node_input(graph, node, i).id != 0;
    return data == 1 && weir_trait_of(weir_node_op(graph, node))->element != WEIR_ELEMENT_NONE;
}

/* Why a node stays as it is; NULL: it is quantized. An activation computes on exact sums unless its own entry quantizes
 * them: one rounding less. */
static const char *reason_to_leave(const weir_graph *graph, weir_node node, const weir_plan_entry *entry) {
    if (entry == NULL) return "not configured";
    if (!entry->is_quantized) return "configured so";
    if (entry->selector == NULL && entry->number[WEIR_PLAN_DATA_IN].id == WEIR_NUMBER_AFFINE && is_unary(graph, node))
        return "of exact sums";
    return is_quantizable(graph, node) ? NULL : "no operands to quantize";
}

/* The nodes that stay real numbers, up to FIRST by name. */
typedef struct left {
    size_t count;
    weir_text names;
} left;

static void leave(left *l, const weir_graph *graph, weir_node node, const char *why) {
    enum { FIRST = 8 };
    if (l->count++ < FIRST)
        weir_text_format(&l->names, "%s%s (%s, %s)", l->count == 1 ? "" : ", ", weir_node_name(graph, node),
                         weir_node_info(graph, node)->full_name, why);
    else if (l->count == FIRST + 1) weir_text_add(&l->names, ", ...");
}

bool weir_quantize_numbers_takes(const weir_graph *graph, weir_node node, const weir_plan_entry *entry) {
    return reason_to_leave(graph, node, entry) == NULL;
}

bool weir_quantize_numbers(weir_quantizer *q, weir_plan *plan) {
    bool fine = true;
    size_t count = 0;
    left others = {0};
    for (weir_node node = weir_graph_first(q->graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(q->graph, node);
        if (node.id >= q->node_limit) continue; /* a quantizer that was put before a later node */
        const weir_plan_entry *entry = weir_plan_find(plan, q->graph, node);
        const char *why = reason_to_leave(q->graph, node, entry);
        if (why != NULL) {
            leave(&others, q->graph, node, why);
            continue;
        }
        fine = quantize_node(q, node, entry);
        count++;
    }
    if (fine) fine = weir_plan_check(plan, q->graph);
    if (fine && count == 0) {
        weir_error(weir_at(weir_graph_source(q->graph), 0), "the configuration quantizes no node of the model");
        fine = false;
    } else if (fine && others.count > 0) {
        weir_note("%zu node%s without quantizers of %s own: %s", others.count, others.count == 1 ? "" : "s",
                  others.count == 1 ? "its" : "their", others.names.data);
    }
    weir_text_free(&others.names);
    weir_eliminate_dead_code(q->graph);
    return fine;
}
