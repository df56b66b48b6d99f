/* Type inference: one rule per row of op.def, named weir_infer_<ROW> (a row without a rule does not link); what the
 * rules share; the walk over a graph. Rules check everything that the kernels and the hardware rely on: ranks, sizes,
 * element types, counts of per-channel parameters, attribute bounds. Cost: O(rank) a node, O(constant) where a range
 * depends on one. */
#include "ir/shape/infer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/shape/infer_rule.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

bool weir_rule_fail(const weir_graph *graph, weir_node node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir_node_vfail(graph, node, format, arguments);
    va_end(arguments);
    return false;
}

const weir_type *weir_rule_input(const weir_graph *graph, weir_node node, size_t index) {
    const weir_value value = weir_node_input(graph, node, index);
    return value.id == 0 ? NULL : weir_value_type(graph, value);
}

const weir_array *weir_rule_constant(const weir_graph *graph, weir_node node, size_t index) {
    const weir_value value = weir_node_input(graph, node, index);
    return value.id == 0 ? NULL : weir_value_constant(graph, value);
}

bool weir_rule_set_output(const weir_graph *graph, weir_node node, weir_inferred *to, size_t index,
                          const weir_type *type) {
    size_t count;
    if (!weir_shape_count(&type->shape, &count)) return weir_rule_fail(graph, node, "the output's shape is too large");
    to->type[index] = *type;
    return true;
}

bool weir_rule_set(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_type *type) {
    assert(type->shape.rank >= 0 && type->shape.rank <= WEIR_MAX_RANK);
    return weir_rule_set_output(graph, node, to, 0, type);
}

weir_type weir_rule_plain_type(weir_dtype dtype, const weir_shape *shape) {
    assert(dtype < WEIR_DTYPE_COUNT);
    weir_type type = {.dtype = dtype, .shape = *shape, .quant = {.axis = -1}};
    if (!weir_dtype_is_float(dtype)) {
        type.quant.format = WEIR_FORMAT_INTEGER;
        type.quant.is_signed = weir_dtype_is_signed(dtype);
        type.quant.width = weir_dtype_bits(dtype);
    }
    return type;
}

bool weir_rule_set_plain(const weir_graph *graph, weir_node node, weir_inferred *to, weir_dtype dtype,
                         const weir_shape *shape) {
    const weir_type type = weir_rule_plain_type(dtype, shape);
    return weir_rule_set(graph, node, to, &type);
}

size_t weir_rule_count(const weir_type *type) {
    size_t count = 0;
    return weir_shape_count(&type->shape, &count) ? count : 0;
}

bool weir_rule_broadcast(const weir_shape *a, const weir_shape *b, weir_shape *to) {
    to->rank = a->rank > b->rank ? a->rank : b->rank;
    for (int i = 1; i <= to->rank; i++) {
        const int64_t da = i <= a->rank ? a->dim[a->rank - i] : 1;
        const int64_t db = i <= b->rank ? b->dim[b->rank - i] : 1;
        if (da != db && da != 1 && db != 1) return false;
        to->dim[to->rank - i] = da == 1 ? db : da;
    }
    return true;
}

bool weir_rule_fail_shapes(const weir_graph *graph, weir_node node, const char *what, const weir_shape *a,
                           const weir_shape *b) {
    char first[96], second[96];
    return weir_rule_fail(graph, node, "%s: shapes %s and %s do not fit", what,
                          weir_shape_print(a, first, sizeof first), weir_shape_print(b, second, sizeof second));
}

bool weir_rule_fail_axis(const weir_graph *graph, weir_node node, int64_t axis, int rank) {
    if (rank == 0) return weir_rule_fail(graph, node, "axis %lld of a scalar, which has none", (long long)axis);
    return weir_rule_fail(graph, node, "axis %lld is outside [-%d, %d]", (long long)axis, rank, rank - 1);
}

bool weir_rule_fail_dtype(const weir_graph *graph, weir_node node, size_t index, const char *expected) {
    return weir_rule_fail(graph, node, "input %zu must be %s, is %s", index, expected,
                          weir_dtype_name(weir_rule_input(graph, node, index)->dtype));
}

bool weir_rule_is_word(const weir_graph *graph, weir_node node, const char *name, const char *const *words) {
    const char *word = weir_node_string(graph, node, name, words[0]);
    weir_text list = {0};
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) {
            weir_text_free(&list);
            return true;
        }
        weir_text_format(&list, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    weir_rule_fail(graph, node, "attribute '%s' is '%s', expected one of %s", name, word, list.data);
    weir_text_free(&list);
    return false;
}

bool weir_rule_axis(int64_t axis, int rank, int *normal) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    if (axis < -rank || axis >= rank) return false;
    *normal = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

bool weir_rule_axis_attribute(const weir_graph *graph, weir_node node, int64_t otherwise, int *axis) {
    const int64_t wanted = weir_node_int(graph, node, "axis", otherwise);
    const int rank = weir_rule_input(graph, node, 0)->shape.rank;
    return weir_rule_axis(wanted, rank, axis) || weir_rule_fail_axis(graph, node, wanted, rank);
}

bool weir_rule_same_dtype(const weir_graph *graph, weir_node node, size_t index) {
    const weir_type *type = weir_rule_input(graph, node, index);
    const weir_dtype wanted = weir_rule_input(graph, node, 0)->dtype;
    return type == NULL || type->dtype == wanted || weir_rule_fail_dtype(graph, node, index, weir_dtype_name(wanted));
}

bool weir_rule_same_numbers(const weir_graph *graph, weir_node node, size_t count) {
    if (weir_rule_input(graph, node, 0)->dtype == WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "a number");
    for (size_t i = 1; i < count; i++)
        if (!weir_rule_same_dtype(graph, node, i)) return false;
    return true;
}

bool weir_rule_float_input(const weir_graph *graph, weir_node node) {
    return weir_dtype_is_float(weir_rule_input(graph, node, 0)->dtype) ||
           weir_rule_fail_dtype(graph, node, 0, "a floating-point number");
}

bool weir_rule_broadcasts_to(const weir_graph *graph, weir_node node, size_t index, const weir_shape *shape) {
    const weir_type *type = weir_rule_input(graph, node, index);
    weir_shape result;
    if (type == NULL || (weir_rule_broadcast(&type->shape, shape, &result) && weir_shape_equal(&result, shape)))
        return true;
    return weir_rule_fail_shapes(graph, node, "broadcast to the output", &type->shape, shape);
}

/* ONNX takes int32 too for what Slice reads and for the axes of Pad. */
static bool is_index(const weir_graph *graph, weir_node node, size_t index, weir_dtype dtype) {
    const weir_trait_order order = weir_trait_of(weir_node_op(graph, node))->order;
    return dtype == WEIR_INT64 ||
           (dtype == WEIR_INT32 && (order == WEIR_ORDER_SLICE || (order == WEIR_ORDER_PAD && index == 3)));
}

bool weir_rule_integers(const weir_graph *graph, weir_node node, size_t index, const char *what, int limit,
                        int64_t *values, int *count) {
    const weir_array *array = weir_rule_constant(graph, node, index);
    *count = -1;
    if (weir_node_input(graph, node, index).id == 0) return true;
    if (array == NULL || !is_index(graph, node, index, array->dtype) || array->shape.rank > 1) {
        return weir_rule_fail(graph, node, "%s (input %zu) must be a constant vector of int64", what, index);
    }
    if (array->count > (size_t)limit) {
        return weir_rule_fail(graph, node, "%s (input %zu): %zu numbers, expected at most %d", what, index,
                              array->count, limit);
    }
    *count = (int)array->count;
    for (size_t i = 0; i < array->count; i++) values[i] = weir_array_get_int(array, i);
    return true;
}

bool weir_rule_axes(const weir_graph *graph, weir_node node, size_t index, int rank, bool *named, int *count) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    int64_t axes[WEIR_MAX_RANK];
    if (!weir_rule_integers(graph, node, index, "the axes", WEIR_MAX_RANK, axes, count)) return false;
    for (int i = 0; i < rank; i++) named[i] = false;
    for (int i = 0; i < *count; i++) {
        int axis;
        if (!weir_rule_axis(axes[i], rank, &axis)) return weir_rule_fail_axis(graph, node, axes[i], rank);
        if (named[axis]) return weir_rule_fail(graph, node, "axis %d is named twice", axis);
        named[axis] = true;
    }
    return true;
}

bool weir_rule_set_reshaped(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_shape *shape) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_shape from = type.shape;
    type.shape = *shape;
    if (type.quant.count > 1 && type.quant.axis >= 0 && type.quant.axis < from.rank) {
        int64_t before = 1, reached = 1;
        for (int i = 0; i < type.quant.axis; i++) before *= from.dim[i];
        int axis = 0;
        while (axis < shape->rank && (reached != before || shape->dim[axis] != from.dim[type.quant.axis])) {
            reached *= shape->dim[axis++];
        }
        if (axis == shape->rank) {
            type.quant = weir_rule_plain_type(type.dtype, shape).quant;
        } else {
            type.quant.axis = axis;
        }
    }
    return weir_rule_set(graph, node, to, &type);
}

weir_type weir_rule_moved_type(const weir_graph *graph, weir_node node, const weir_shape *shape) {
    weir_type type = *weir_rule_input(graph, node, 0);
    type.shape = *shape;
    if (type.quant.count > 1) type.quant = weir_rule_plain_type(type.dtype, shape).quant;
    return type;
}

bool weir_rule_is_integer(const weir_type *type) {
    return !weir_dtype_is_float(type->dtype) && type->dtype != WEIR_BOOL;
}

bool weir_rule_check_parameter(const weir_graph *graph, weir_node node, size_t index, int64_t count) {
    const weir_type *type = weir_rule_input(graph, node, index);
    char text[96];
    if (type == NULL || weir_rule_count(type) == 1 || (type->shape.rank == 1 && type->shape.dim[0] == count))
        return true;
    weir_shape_print(&type->shape, text, sizeof text);
    if (count == 1) return weir_rule_fail(graph, node, "input %zu must have one element, has shape %s", index, text);
    return weir_rule_fail(graph, node, "input %zu must have one element or shape [%lld], has shape %s", index,
                          (long long)count, text);
}

static weir_infer_rule *const rules[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define INFER(rule) weir_infer_##rule,
#include "ir/graph/op.def"
};

/* Rules rely on the required inputs being there. */
static bool check_arity(const weir_graph *graph, weir_node node) {
    const weir_op_info *info = weir_node_info(graph, node);
    const size_t count = weir_node_input_count(graph, node), outputs = weir_node_output_count(graph, node);
    if (info->inputs_max >= 0 && count > (size_t)info->inputs_max) {
        return weir_rule_fail(graph, node, "takes at most %d input%s, has %zu", info->inputs_max,
                              info->inputs_max == 1 ? "" : "s", count);
    }
    for (int i = 0; i < info->inputs_min; i++)
        if (weir_node_input(graph, node, (size_t)i).id == 0)
            return weir_rule_fail(graph, node, "input %d is missing", i);
    return (info->outputs < 0 ? outputs > 0 : outputs == (size_t)info->outputs) ||
           weir_rule_fail(graph, node, "has %zu outputs, expected %d%s", outputs, info->outputs < 0 ? 1 : info->outputs,
                          info->outputs < 0 ? " or more" : "");
}

/* Floats of at most 8 bits are codes: quantizers make and take them, a Cast converts them, moves move them. */
static bool check_small_floats(const weir_graph *graph, weir_node node) {
    const weir_trait *trait = weir_trait_of(weir_node_op(graph, node));
    const bool converts = trait->kind == WEIR_OP_QUANTIZE_LINEAR || trait->kind == WEIR_OP_DEQUANTIZE_LINEAR ||
                          trait->kind == WEIR_OP_CAST;
    if (converts || (trait->is_exact && trait->element == WEIR_ELEMENT_NONE && trait->task == WEIR_TASK_NONE))
        return true;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_type *type = weir_rule_input(graph, node, i);
        if (type != NULL && weir_dtype_is_small_float(type->dtype))
            return weir_rule_fail(graph, node, "input %zu is %s, which only a DequantizeLinear or a Cast converts", i,
                                  weir_dtype_name(type->dtype));
    }
    return true;
}

bool weir_infer_types(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_op op = weir_node_op(graph, node);
    weir_infer_rule *infer = op < WEIR_OP_COUNT ? rules[op] : weir_operator_of(op)->infer;
    if (!check_arity(graph, node) || !check_small_floats(graph, node)) return false;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        to->type[i] = *weir_value_type(graph, weir_node_output(graph, node, i));
    return infer(graph, node, to) && weir_layout_infer(graph, node, to->type);
}

bool weir_infer_node(weir_graph *graph, weir_node node) {
    weir_type few[4];
    const size_t outputs = weir_node_output_count(graph, node);
    weir_type *types = outputs <= sizeof few / sizeof *few ? few : weir_calloc(outputs, sizeof *types);
    weir_inferred to = {types, weir_graph_arena(graph)};
    const bool fine = weir_infer_types(graph, node, &to);
    for (size_t i = 0; fine && i < outputs; i++)
        weir_value_set_type(graph, weir_node_output(graph, node, i), &types[i]);
    if (types != few) free(types);
    return fine;
}

/* A node fed by one that failed is passed over: its complaint would only repeat the first. */
bool weir_infer_graph(weir_graph *graph) {
    bool *unknown = weir_calloc(weir_graph_value_limit(graph), sizeof *unknown);
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        bool known = true;
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
            known = known && !unknown[weir_node_input(graph, node, i).id];
        if (known && weir_infer_node(graph, node)) continue;
        fine = false;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
            unknown[weir_node_output(graph, node, i).id] = true;
    }
    free(unknown);
    return fine;
}
