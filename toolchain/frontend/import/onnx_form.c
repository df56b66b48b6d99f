#include "frontend/import/onnx_form.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

char *weir_onnx_form_name(const weir_onnx_scope *scope, const char *base, const char *part) {
    char *name = weir_format("%s.%s", base, part);
    while (weir_onnx_scope_find(scope, name) != NULL) {
        char *longer = weir_format("%s_", name);
        free(name);
        name = longer;
    }
    return name;
}

static weir_op kind_of(const weir_onnx_form *form) { return weir_trait_of(form->rule->op)->kind; }

/* --- attributes that became inputs --- */

static weir_array *integers(const int64_t *values, size_t count) {
    const weir_shape shape = weir_shape_of(1, (const int64_t[]){(int64_t)count});
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, values[i]);
    return array;
}

/* A real number is of the type of the data that it meets. */
static weir_array *scalar(double value, weir_dtype dtype) {
    const weir_shape shape = {.rank = 0};
    weir_array *array = weir_array_new(weir_dtype_is_float(dtype) ? dtype : WEIR_FLOAT32, &shape);
    weir_array_set(array, 0, value);
    return array;
}

static weir_array *floats(const float *values, size_t count) {
    const weir_shape shape = weir_shape_of(1, (const int64_t[]){(int64_t)count});
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < count; i++) weir_array_set(array, i, (double)values[i]);
    return array;
}

static weir_array *array_of(const weir_onnx_form *form, const weir_onnx_attribute_rule *row,
                            const Onnx__AttributeProto *attribute, weir_dtype dtype) {
    switch (row->kind) {
    case WEIR_ONNX_FLOAT: return scalar((double)attribute->f, dtype);
    case WEIR_ONNX_FLOATS: return floats(attribute->floats, attribute->n_floats);
    case WEIR_ONNX_INT: return integers(&attribute->i, 1);
    case WEIR_ONNX_TENSOR: return weir_onnx_tensor_read(attribute->t, row->name, form->location, form->source);
    case WEIR_ONNX_INTS:
    case WEIR_ONNX_PERMUTATION: return integers(attribute->ints, attribute->n_ints);
    default: weir_unreachable("a kind of attributes that does not become an input");
    }
}

weir_value weir_onnx_form_constant(const weir_onnx_form *form, const char *part, weir_array *array) {
    char *name = weir_onnx_form_name(form->scope, form->name, part);
    const weir_value value = weir_graph_add_constant(form->graph, name, array);
    weir_array_free(array);
    free(name);
    return value;
}

/* The array, which is freed, as input `index`. */
static void put_constant(const weir_onnx_form *form, const char *part, weir_array *array, weir_value *inputs,
                         size_t *count, size_t index) {
    while (*count <= index) inputs[(*count)++] = WEIR_NO_VALUE;
    inputs[index] = weir_onnx_form_constant(form, part, array);
}

static bool move_attribute(const weir_onnx_form *form, const Onnx__AttributeProto *attribute, weir_value *inputs,
                           size_t *count) {
    const weir_onnx_attribute_rule *row = weir_onnx_schema_attribute_rule(form->rule, attribute->name, form->opsets);
    if (row == NULL || row->input <= 0) return true; /* NULL: of a registered operator, where all stay */
    weir_array *array = array_of(form, row, attribute, weir_value_type(form->graph, inputs[0])->dtype);
    if (array == NULL) return false;
    put_constant(form, row->name, array, inputs, count, (size_t)row->input);
    return true;
}

/* --- operators with a form of their own --- */

static const Onnx__AttributeProto *attribute_of(const weir_onnx_form *form, const char *name) {
    return weir_onnx_schema_attribute(form->proto, name);
}

static bool is_named(const weir_onnx_form *form, const char *name) { return strcmp(form->rule->name, name) == 0; }

/* Sizes of the parts are always written down. `num_outputs` makes equal parts but the last, which takes what is left;
 * without it the parts must be equal, which type inference checks. */
static bool form_split(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const Onnx__AttributeProto *number = attribute_of(form, "num_outputs"), *named = attribute_of(form, "axis");
    const weir_shape *shape = &weir_value_type(form->graph, inputs[0])->shape;
    const int64_t axis = named == NULL ? 0 : named->i < 0 ? named->i + shape->rank : named->i;
    const int64_t parts = (int64_t)form->outputs;
    if (number != NULL && (number->i != parts || *count > 1)) {
        weir_error(form->location, "node '%s' (Split): 'num_outputs' is %lld, but the node has %lld outputs%s",
                   form->name, (long long)number->i, (long long)parts, *count > 1 ? " and sizes" : "");
        return false;
    }
    if (*count < 2 && number == NULL && form->opsets->version[WEIR_ONNX_DOMAIN_ONNX] >= 18) {
        weir_error(form->location, "node '%s' (Split): expected sizes (input 1) or 'num_outputs'", form->name);
        return false;
    }
    if (*count > 1 || axis < 0 || axis >= shape->rank) return true;
    const int64_t dim = shape->dim[axis], size = (dim + parts - 1) / parts;
    if (number == NULL && dim % parts != 0) return true;
    int64_t *sizes = weir_calloc(form->outputs, sizeof *sizes);
    for (int64_t i = 0; i < parts; i++) sizes[i] = i < parts - 1 ? size : dim - size * (parts - 1);
    put_constant(form, "split", integers(sizes, form->outputs), inputs, count, 1);
    free(sizes);
    return true;
}

void weir_onnx_form_rename(weir_graph *graph, const weir_onnx_scope *scope, weir_value value, const char *base,
                           const char *part) {
    char *name = weir_onnx_form_name(scope, base, part);
    weir_value_set_name(graph, value, name);
    free(name);
}

/* A node that the file does not have, for the node that it has. */
static weir_node add_helper(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                            size_t count) {
    char *name = weir_format("%s_%s", form->name, suffix);
    const weir_node node = weir_graph_add_node(form->graph, op, name, inputs, count, 1, WEIR_NO_NODE);
    weir_node_set_location(form->graph, node, form->location);
    weir_onnx_form_rename(form->graph, form->scope, weir_node_output(form->graph, node, 0), form->name, suffix);
    free(name);
    return node;
}

enum { SOFTMAX_BY_AXIS = 13 };

weir_value weir_onnx_form_node(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                               size_t count) {
    return weir_node_output(form->graph, add_helper(form, op, suffix, inputs, count), 0);
}

/* Softmax and LogSoftmax before opset 13 treat their input as a matrix: rows are the dimensions before the axis,
 * columns all from it on. Along the last axis that is the later form; along another one a Reshape makes the matrix, and
 * another one restores the shape. */
static bool is_old_softmax(const weir_onnx_form *form) {
    if (kind_of(form) == WEIR_OP_QLINEAR_SOFTMAX) return attribute_of(form, "opset")->i < SOFTMAX_BY_AXIS;
    const weir_op op = form->rule->op;
    const bool is = weir_trait_of(op)->task == WEIR_TASK_SOFTMAX;
    return is && form->opsets->version[WEIR_ONNX_DOMAIN_ONNX] < SOFTMAX_BY_AXIS;
}

static int64_t old_softmax_axis(const weir_onnx_form *form, int rank) {
    const Onnx__AttributeProto *axis = attribute_of(form, "axis");
    if (axis == NULL && kind_of(form) == WEIR_OP_QLINEAR_SOFTMAX) return rank - 1; /* whatever Softmax's opset */
    return axis == NULL ? 1 : axis->i < 0 ? axis->i + rank : axis->i;
}

static bool form_softmax(weir_onnx_form *form, weir_value *inputs) {
    const int rank = weir_value_type(form->graph, inputs[0])->shape.rank;
    const int64_t axis = old_softmax_axis(form, rank);
    if (axis < 0 || axis >= rank - 1) return true; /* type inference checks the axis */
    const weir_node flatten = add_helper(form, WEIR_OP_FLATTEN, "rows", inputs, 1);
    weir_node_set_int(form->graph, flatten, "axis", axis);
    form->unflattened = inputs[0];
    inputs[0] = weir_node_output(form->graph, flatten, 0);
    return weir_infer_node(form->graph, flatten);
}

static void write_softmax_axis(const weir_onnx_form *form, weir_node node) {
    const int rank = weir_value_type(form->graph, weir_node_input(form->graph, node, 0))->shape.rank;
    weir_node_remove_attribute(form->graph, node, "axis"); /* the last one */
    if (form->unflattened.id == 0 && old_softmax_axis(form, rank) != rank - 1)
        weir_node_set_int(form->graph, node, "axis", old_softmax_axis(form, rank));
    if (kind_of(form) == WEIR_OP_QLINEAR_SOFTMAX) weir_node_set_int(form->graph, node, "opset", SOFTMAX_BY_AXIS);
}

/* What ONNX Runtime's optimizer makes of convolutions and pools of codes. Pools on codes have an attribute for it
 * themselves. */
static bool has_channels_innermost(const weir_onnx_form *form) {
    const Onnx__AttributeProto *flag = attribute_of(form, "channels_last");
    return kind_of(form) == WEIR_OP_QLINEAR_CONV ? flag != NULL && flag->i != 0 : is_named(form, "NhwcMaxPool");
}

static weir_value transpose(const weir_onnx_form *form, weir_value value, bool to_innermost) {
    const int rank = weir_value_type(form->graph, value)->shape.rank;
    int order[WEIR_MAX_RANK];
    int64_t perm[WEIR_MAX_RANK];
    weir_layout_channels_last(rank, order);
    for (int i = 0; i < rank; i++) perm[to_innermost ? i : order[i]] = to_innermost ? order[i] : i;
    const weir_node node =
        add_helper(form, WEIR_OP_TRANSPOSE, to_innermost ? "channels_last" : "channels_first", &value, 1);
    weir_node_set_ints(form->graph, node, "perm", perm, (size_t)rank);
    return weir_infer_node(form->graph, node) ? weir_node_output(form->graph, node, 0) : WEIR_NO_VALUE;
}

/* Until opset 10 the scales were the input that is the region of interest now. */
static void form_resize(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (*count == 2) {
        inputs[(*count)++] = inputs[1];
        inputs[1] = WEIR_NO_VALUE;
    }
    if (form->opsets->version[WEIR_ONNX_DOMAIN_ONNX] > 10 && *count > 1) inputs[1] = WEIR_NO_VALUE;
}

/* Before opset 7 an attribute says that operand 1 is broadcast, and another from which axis on its dimensions stand;
 * PRelu's slopes are those of the channels. As numpy has it dimensions stand at the end, so ones follow. */
static bool takes_axis(weir_op op) {
    const weir_op_info *info = weir_op_get(op);
    return weir_trait_of(op)->order == WEIR_ORDER_ELEMENTWISE && info->inputs_min == 2 && info->inputs_max == 2;
}

static bool align(const weir_onnx_form *form, weir_value *inputs, int64_t axis) {
    const weir_shape *to = &weir_value_type(form->graph, inputs[0])->shape;
    weir_shape shape = weir_value_type(form->graph, inputs[1])->shape;
    const int64_t left = to->rank - axis - shape.rank;
    weir_value operands[2] = {inputs[1]};
    size_t count = 1;
    if (axis < 0 || left <= 0) return true; /* type inference sees whether it fits */
    for (int64_t i = 0; i < left; i++) shape.dim[shape.rank++] = 1;
    put_constant(form, "shape", integers(shape.dim, (size_t)shape.rank), operands, &count, 1);
    const weir_node reshape = add_helper(form, WEIR_OP_RESHAPE, "aligned", operands, 2);
    inputs[1] = weir_node_output(form->graph, reshape, 0);
    return weir_infer_node(form->graph, reshape);
}

static bool form_broadcast(const weir_onnx_form *form, weir_value *inputs) {
    const weir_shape *a = &weir_value_type(form->graph, inputs[0])->shape;
    const weir_shape *b = &weir_value_type(form->graph, inputs[1])->shape;
    const Onnx__AttributeProto *broadcast = attribute_of(form, "broadcast"), *axis = attribute_of(form, "axis");
    if (kind_of(form) == WEIR_OP_PRELU) return b->rank != 1 || b->dim[0] == 1 || align(form, inputs, 1);
    if (broadcast != NULL && broadcast->i != 0)
        return axis == NULL || align(form, inputs, axis->i < 0 ? axis->i + a->rank : axis->i);
    if (weir_shape_equal(a, b)) return true;
    weir_error(form->location, "node '%s' (%s): its operands differ in shape, and attribute 'broadcast' is not 1",
               form->name, form->rule->name);
    return false;
}

/* Sum, of any number of operands: an Add of the last and of those before it. Added to -0, a number stays what it is. */
static bool form_sum(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (*count == 1)
        put_constant(form, "zero", scalar(-0.0, weir_value_type(form->graph, inputs[0])->dtype), inputs, count, 1);
    for (size_t i = 1; i + 1 < *count; i++) {
        char suffix[32];
        snprintf(suffix, sizeof suffix, "sum_%zu", i);
        const weir_node sum = add_helper(form, WEIR_OP_ADD, suffix, (const weir_value[2]){inputs[0], inputs[i]}, 2);
        if (!weir_infer_node(form->graph, sum)) return false;
        inputs[0] = weir_node_output(form->graph, sum, 0);
    }
    if (*count > 2) inputs[1] = inputs[*count - 1];
    *count = 2;
    return true;
}

/* Mean: a Div of the sum by how many they are. */
static bool form_mean(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const size_t operands = *count;
    if (operands > 1) {
        if (!form_sum(form, inputs, count)) return false;
        const weir_node sum = add_helper(form, WEIR_OP_ADD, "sum", inputs, 2);
        if (!weir_infer_node(form->graph, sum)) return false;
        inputs[0] = weir_node_output(form->graph, sum, 0);
    }
    *count = 1;
    put_constant(form, "count", scalar((double)operands, weir_value_type(form->graph, inputs[0])->dtype), inputs, count,
                 1);
    return true;
}

/* The largest element, along the axes of the sum; an infinite one is as good as the largest number. */
static weir_value largest(const weir_onnx_form *form, const char *part, const weir_value *inputs, size_t count,
                          int64_t keepdims) {
    const Onnx__AttributeProto *noop = attribute_of(form, "noop_with_empty_axes");
    const weir_node node = add_helper(form, WEIR_OP_REDUCE_MAX, part, inputs, count);
    weir_node_set_int(form->graph, node, "keepdims", keepdims);
    if (noop != NULL) weir_node_set_int(form->graph, node, "noop_with_empty_axes", noop->i);
    if (!weir_infer_node(form->graph, node)) return WEIR_NO_VALUE;
    const weir_dtype dtype = weir_value_type(form->graph, inputs[0])->dtype;
    char suffix[32];
    snprintf(suffix, sizeof suffix, "%s_finite", part);
    weir_value bounds[3] = {weir_node_output(form->graph, node, 0)};
    size_t bound_count = 1;
    const double most = dtype == WEIR_FLOAT64 ? DBL_MAX : (double)FLT_MAX;
    put_constant(form, part, scalar(-most, dtype), bounds, &bound_count, 1);
    put_constant(form, part, scalar(most, dtype), bounds, &bound_count, 2);
    const weir_node clip = add_helper(form, WEIR_OP_CLIP, suffix, bounds, 3);
    return weir_infer_node(form->graph, clip) ? weir_node_output(form->graph, clip, 0) : WEIR_NO_VALUE;
}

/* LogSumExp: exponentials of what is at most 0, so that none overflows; the largest element is added to their sum's
 * logarithm. */
static bool form_exponentials(weir_onnx_form *form, weir_value *inputs, size_t count) {
    const Onnx__AttributeProto *keepdims = attribute_of(form, "keepdims");
    const weir_value most = largest(form, "largest", inputs, count, 1);
    form->operand[0] = keepdims == NULL || keepdims->i != 0 ? most : largest(form, "offset", inputs, count, 0);
    if (most.id == 0 || form->operand[0].id == 0) return false;
    const weir_node less = add_helper(form, WEIR_OP_SUB, "less", (const weir_value[2]){inputs[0], most}, 2);
    if (!weir_infer_node(form->graph, less)) return false;
    inputs[0] = weir_node_output(form->graph, less, 0);
    const weir_node powers = add_helper(form, WEIR_OP_EXP, "exponentials", inputs, 1);
    inputs[0] = weir_node_output(form->graph, powers, 0);
    return weir_infer_node(form->graph, powers);
}

/* What a sum of squares, of magnitudes or of exponentials adds. */
static bool form_addends(weir_onnx_form *form, weir_value *inputs, size_t count) {
    if (is_named(form, "ReduceLogSumExp")) return form_exponentials(form, inputs, count);
    const bool squares = is_named(form, "ReduceL2") || is_named(form, "ReduceSumSquare");
    if (!squares && !is_named(form, "ReduceL1")) return true;
    const weir_value operands[2] = {inputs[0], inputs[0]};
    const weir_node node = squares ? add_helper(form, WEIR_OP_MUL, "squares", operands, 2)
                                   : add_helper(form, WEIR_OP_ABS, "magnitudes", operands, 1);
    inputs[0] = weir_node_output(form->graph, node, 0);
    return weir_infer_node(form->graph, node);
}

/* Operands that are codes become real numbers. */
static bool form_codes(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    size_t begin, end, result, made = 0;
    weir_onnx_schema_codes(form->rule, *count, &begin, &end, &result);
    form->quantizer[0] = inputs[result];
    form->quantizer[1] = inputs[result + 1];
    while (made < form->rule->codes->plain) {
        inputs[made] = inputs[begin - form->rule->codes->plain + made];
        made++;
    }
    for (size_t i = begin; i < end; i += 3) {
        char suffix[32];
        snprintf(suffix, sizeof suffix, "dequantize_%zu", made);
        const weir_node node = add_helper(form, WEIR_OP_DEQUANTIZE_LINEAR, suffix, inputs + i, 3);
        if (!weir_infer_node(form->graph, node)) return false;
        inputs[made++] = weir_node_output(form->graph, node, 0);
    }
    *count = made;
    return true;
}

/* RequantShift: a vector of factors or addends is one a channel, along axis 1. */
static bool form_channels(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    static const char *const parts[] = {NULL, "factors", "addends"};
    const int rank = weir_value_type(form->graph, inputs[0])->shape.rank;
    for (size_t i = 1; i < 3; i++) {
        const weir_array *given = weir_value_constant(form->graph, inputs[i]);
        if (given == NULL) {
            weir_error(form->location, "node '%s' (%s): its %s (input %zu) must be constant", form->name,
                       form->rule->name, parts[i], i);
            return false;
        }
        if (given->shape.rank != 1 || given->count == 1 || rank < 3) continue;
        weir_array *wide = weir_array_copy(given);
        while (wide->shape.rank < rank - 1) wide->shape.dim[wide->shape.rank++] = 1;
        put_constant(form, parts[i], wide, inputs, count, i);
    }
    return true;
}

/* --- DequantizeLinear --- */

/* The constant as a vector, as another input. */
static void flatten_constant(const weir_onnx_form *form, const char *part, weir_value *inputs, size_t *count,
                             size_t index) {
    weir_array *array = weir_array_copy(weir_value_constant(form->graph, inputs[index]));
    array->shape = (weir_shape){1, {(int64_t)array->count}};
    put_constant(form, part, array, inputs, count, index);
}

/* Whether `array` has a number a block of `size` elements along `axis` of `x`, and one an element along the others. */
static bool has_blocks(const weir_array *array, const weir_shape *x, int64_t axis, int64_t size) {
    bool fits = array != NULL && array->shape.rank == x->rank;
    for (int d = 0; fits && d < x->rank; d++)
        fits = array->shape.dim[d] == (d == axis ? (x->dim[d] + size - 1) / size : x->dim[d]);
    return fits;
}

/* The number of the block that element `i` of `x` is in. */
static double block_of(const weir_array *blocks, const weir_shape *x, int64_t axis, int64_t size, size_t i) {
    size_t index = 0, stride = 1;
    for (int d = x->rank - 1; d >= 0; d--) {
        const int64_t at = (int64_t)(i % (size_t)x->dim[d]);
        index += stride * (size_t)(d == axis ? at / size : at);
        stride *= (size_t)blocks->shape.dim[d];
        i /= (size_t)x->dim[d];
    }
    return weir_array_get(blocks, index);
}

/* Codes of several blocks along an axis, less their zero points, become numbers times a constant of their shape. */
static void spread_blocks(weir_onnx_form *form, weir_value *inputs, size_t *count, int64_t axis, int64_t size) {
    const weir_array *x = weir_value_constant(form->graph, inputs[0]);
    const weir_array *scale = weir_value_constant(form->graph, inputs[1]);
    const weir_array *zero = *count > 2 && inputs[2].id != 0 ? weir_value_constant(form->graph, inputs[2]) : NULL;
    weir_array *codes = weir_array_new(WEIR_INT32, &x->shape), *factors = weir_array_new(scale->dtype, &x->shape);
    for (size_t i = 0; i < x->count; i++) {
        const double offset = zero == NULL ? 0 : block_of(zero, &x->shape, axis, size, i);
        weir_array_set(codes, i, weir_array_get(x, i) - offset);
        weir_array_set(factors, i, block_of(scale, &x->shape, axis, size, i));
    }
    form->factors = weir_onnx_form_constant(form, "scales", factors);
    put_constant(form, "codes", codes, inputs, count, 0);
    put_constant(form, "unit", scalar(1, scale->dtype), inputs, count, 1);
    *count = 2;
    form->axis = 0;
}

/* Blocks that are all of an axis are scales along the other one; several a column of constant integers are a product of
 * constants. Others stay. */
static void form_blocks(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const Onnx__AttributeProto *size = attribute_of(form, "block_size"), *named = attribute_of(form, "axis");
    if (size == NULL || size->i == 0) return;
    const weir_shape *x = &weir_value_type(form->graph, inputs[0])->shape;
    const int64_t axis = named == NULL ? 1 : named->i < 0 ? named->i + x->rank : named->i;
    const weir_array *scale = weir_value_constant(form->graph, inputs[1]);
    const bool zero = *count > 2 && inputs[2].id != 0;
    const bool fits = size->i > 0 && axis >= 0 && axis < x->rank && has_blocks(scale, x, axis, size->i) &&
                      (!zero || has_blocks(weir_value_constant(form->graph, inputs[2]), x, axis, size->i));
    if (!fits) return; /* type inference checks the shapes */
    bool whole = size->i >= x->dim[axis];
    form->axis = axis == 0 ? x->rank - 1 : 0;
    for (int d = 0; whole && d < x->rank; d++) {
        if (d == axis || x->dim[d] == 1) continue;
        whole = x->dim[form->axis] == 1 || form->axis == d || form->axis == axis;
        form->axis = d;
    }
    const weir_array *codes = weir_value_constant(form->graph, inputs[0]);
    form->blocks = whole || (codes != NULL && !weir_dtype_is_float(codes->dtype));
    if (whole) {
        flatten_constant(form, "scale", inputs, count, 1);
        if (zero) flatten_constant(form, "zero_point", inputs, count, 2);
    } else if (form->blocks) {
        spread_blocks(form, inputs, count, axis, size->i);
    }
}

/* Scales that are powers of two of 8 bits become float32 numbers. */
static bool form_power_scales(const weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (inputs[1].id == 0 || weir_value_type(form->graph, inputs[1])->dtype != WEIR_FLOAT8E8M0) return true;
    const weir_array *scale = weir_value_constant(form->graph, inputs[1]);
    if (scale != NULL) {
        put_constant(form, "scale", weir_array_convert(scale, WEIR_FLOAT32), inputs, count, 1);
        return true;
    }
    const weir_node cast = add_helper(form, WEIR_OP_CAST, "scale", &inputs[1], 1);
    weir_node_set_string(form->graph, cast, "to", weir_dtype_name(WEIR_FLOAT32));
    inputs[1] = weir_node_output(form->graph, cast, 0);
    return weir_infer_node(form->graph, cast);
}

/* Negative scales are positive ones, and a product with a sign. */
static bool form_dequantize(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    form_blocks(form, inputs, count);
    if (form->factors.id != 0) return true;
    const Onnx__AttributeProto *named = attribute_of(form, "axis");
    const weir_array *scale = weir_value_constant(form->graph, inputs[1]);
    const int rank = weir_value_type(form->graph, inputs[0])->shape.rank;
    const int64_t given = form->blocks    ? form->axis
                          : named == NULL ? 1
                                          : named->i,
                  axis = given < 0 ? given + rank : given;
    bool negative = false;
    for (size_t i = 0; scale != NULL && i < scale->count; i++) negative |= weir_array_get(scale, i) < 0;
    if (!negative || scale->shape.rank > 1 || (scale->count > 1 && (axis < 0 || axis >= rank)))
        return true; /* type inference checks the axis */
    weir_shape wide = {.rank = scale->count > 1 ? rank : 0};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = d == axis ? (int64_t)scale->count : 1;
    weir_array *sign = weir_array_new(scale->dtype, &wide), *size = weir_array_copy(scale);
    for (size_t i = 0; i < scale->count; i++) {
        const double number = weir_array_get(scale, i);
        weir_array_set(sign, i, number < 0 ? -1 : 1);
        weir_array_set(size, i, number < 0 ? -number : number);
    }
    form->factors = weir_onnx_form_constant(form, "sign", sign);
    put_constant(form, "positive", size, inputs, count, 1);
    return true;
}

bool weir_onnx_form_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (form->rule->codes != NULL && !form_codes(form, inputs, count)) return false;
    for (size_t i = 0; i < form->proto->n_attribute; i++)
        if (!move_attribute(form, form->proto->attribute[i], inputs, count)) return false;
    if (has_channels_innermost(form)) {
        form->innermost = true;
        inputs[0] = transpose(form, inputs[0], false);
        return inputs[0].id != 0;
    }
    if (kind_of(form) == WEIR_OP_QUANTIZE_LINEAR) return form_power_scales(form, inputs, count);
    if (kind_of(form) == WEIR_OP_DEQUANTIZE_LINEAR)
        return form_power_scales(form, inputs, count) && form_dequantize(form, inputs, count);
    if (kind_of(form) == WEIR_OP_REQUANT_SHIFT) return form_channels(form, inputs, count);
    if (kind_of(form) == WEIR_OP_SPLIT) return form_split(form, inputs, count);
    if (form->rule->inputs_max < 0 && kind_of(form) == WEIR_OP_ADD && !form_sum(form, inputs, count)) return false;
    if (form->rule->inputs_max < 0 && kind_of(form) == WEIR_OP_DIV && !form_mean(form, inputs, count)) return false;
    if (!form_addends(form, inputs, *count)) return false;
    if (kind_of(form) == WEIR_OP_RESIZE) form_resize(form, inputs, count);
    if (form->opsets->version[WEIR_ONNX_DOMAIN_ONNX] < 7 && form->rule->inputs_max >= 0 && takes_axis(form->rule->op))
        return form_broadcast(form, inputs);
    return !is_old_softmax(form) || form_softmax(form, inputs);
}

/* --- the node in the graph --- */

/* A ConvTranspose's result is as long as its paddings say; what is longer still is padding of the output. */
static void write_output_padding(weir_graph *graph, weir_node node, const weir_window *w) {
    int64_t more[WEIR_MAX_RANK];
    for (int i = 0; i < w->rank; i++)
        more[i] = w->in[i] + w->begin[i] + w->end[i] - (w->out[i] - 1) * w->stride[i] -
                  (w->kernel[i] - 1) * w->dilation[i] - 1;
    weir_node_set_ints(graph, node, "output_padding", more, (size_t)w->rank);
    weir_node_remove_attribute(graph, node, "output_shape");
}

/* The kernel's size as the weights have it; NULL: a pool has none. */
static const int64_t *kernel_of(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_value weights = weir_node_input(graph, node, kind == WEIR_OP_QLINEAR_CONV ? 3 : 1);
    if (kind == WEIR_OP_QLINEAR_AVERAGE_POOL || weights.id == 0) return NULL;
    return weir_value_type(graph, weights)->shape.dim + 2;
}

/* Paddings are always numbers. */
static void write_pads(weir_graph *graph, weir_node node) {
    const bool transposed = weir_trait_kind(graph, node) == WEIR_OP_CONV_TRANSPOSE;
    int64_t pads[2 * WEIR_MAX_RANK];
    int order[WEIR_MAX_RANK];
    weir_window window = {.rank = 0};
    if (!weir_layout_order(graph, node, order)) return;
    const weir_shape x = weir_layout_to_onnx(&weir_value_type(graph, weir_node_input(graph, node, 0))->shape, order);
    if (!(transposed ? weir_geometry_transposed : weir_geometry_window)(graph, node, &x, kernel_of(graph, node),
                                                                        &window))
        return;
    for (int i = 0; i < window.rank; i++) {
        pads[i] = window.begin[i];
        pads[i + window.rank] = window.end[i];
    }
    weir_node_remove_attribute(graph, node, "auto_pad");
    weir_node_set_ints(graph, node, "pads", pads, 2 * (size_t)window.rank);
    if (transposed) write_output_padding(graph, node, &window);
}

/* The old Resize and Upsample had one mode. */
static void write_resizing(weir_graph *graph, weir_node node) {
    weir_node_set_string(graph, node, "coordinate_transformation_mode", "asymmetric");
    weir_node_set_string(graph, node, "nearest_mode", "floor");
}

void weir_onnx_form_attributes(const weir_onnx_form *form, weir_node node) {
    const int64_t version = form->opsets->version[WEIR_ONNX_DOMAIN_ONNX];
    if (kind_of(form) == WEIR_OP_RESIZE && version <= 10) write_resizing(form->graph, node);
    if (is_old_softmax(form)) write_softmax_axis(form, node);
    if (form->blocks) {
        weir_node_remove_attribute(form->graph, node, "block_size");
        weir_node_set_int(form->graph, node, "axis", form->axis);
    }
}

/* Input 0 had another shape in the file, and so has the output. */
static weir_value restore_shape(const weir_onnx_form *form, weir_value value) {
    const weir_shape *shape = &weir_value_type(form->graph, form->unflattened)->shape;
    weir_value inputs[2] = {value};
    size_t count = 1;
    weir_onnx_form_rename(form->graph, form->scope, value, form->name, "matrix");
    put_constant(form, "shape", integers(shape->dim, (size_t)shape->rank), inputs, &count, 1);
    const weir_node reshape = add_helper(form, WEIR_OP_RESHAPE, "restored", inputs, 2);
    weir_infer_node(form->graph, reshape);
    return weir_node_output(form->graph, reshape, 0);
}

/* The result as codes. */
static weir_value quantize(const weir_onnx_form *form, weir_value value) {
    const weir_value inputs[3] = {value, form->quantizer[0], form->quantizer[1]};
    weir_onnx_form_rename(form->graph, form->scope, value, form->name, "real");
    const weir_node node = add_helper(form, WEIR_OP_QUANTIZE_LINEAR, "quantize", inputs, 3);
    return weir_infer_node(form->graph, node) ? weir_node_output(form->graph, node, 0) : WEIR_NO_VALUE;
}

/* A function of the result. */
static weir_value apply(const weir_onnx_form *form, weir_op op, const char *part, weir_value value) {
    weir_onnx_form_rename(form->graph, form->scope, value, form->name, "sum");
    const weir_node node = add_helper(form, op, part, &value, 1);
    return weir_infer_node(form->graph, node) ? weir_node_output(form->graph, node, 0) : WEIR_NO_VALUE;
}

static weir_value add_offset(const weir_onnx_form *form, weir_value value) {
    if (value.id == 0) return value;
    const weir_node node = add_helper(form, WEIR_OP_ADD, "result", (const weir_value[2]){value, form->operand[0]}, 2);
    return weir_infer_node(form->graph, node) ? weir_node_output(form->graph, node, 0) : WEIR_NO_VALUE;
}

/* The numbers times the signs, or the sizes, of their scales. */
static weir_value apply_factors(const weir_onnx_form *form, weir_value value) {
    weir_onnx_form_rename(form->graph, form->scope, value, form->name, "size");
    const weir_node node = add_helper(form, WEIR_OP_MUL, "scaled", (const weir_value[2]){value, form->factors}, 2);
    return weir_infer_node(form->graph, node) ? weir_node_output(form->graph, node, 0) : WEIR_NO_VALUE;
}

weir_value weir_onnx_form_finish(const weir_onnx_form *form, weir_node node) {
    const weir_value value = weir_node_output(form->graph, node, 0);
    if (form->factors.id != 0) return apply_factors(form, value);
    if (form->rule->op < WEIR_OP_COUNT && (weir_node_attribute(form->graph, node, "auto_pad") != NULL ||
                                           weir_node_attribute(form->graph, node, "output_shape") != NULL))
        write_pads(form->graph, node);
    if (form->rule->codes != NULL) return quantize(form, value);
    if (is_named(form, "ReduceL2")) return apply(form, WEIR_OP_SQRT, "root", value);
    if (is_named(form, "ReduceLogSum")) return apply(form, WEIR_OP_LOG, "logarithm", value);
    if (is_named(form, "ReduceLogSumExp")) return add_offset(form, apply(form, WEIR_OP_LOG, "logarithm", value));
    if (form->innermost) {
        weir_onnx_form_rename(form->graph, form->scope, value, form->name, "result");
        return transpose(form, value, true);
    }
    return form->unflattened.id == 0 ? value : restore_shape(form, value);
}
