#include "passes/graph/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

bool weir_rewrite_is_fixed(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    for (; maker.id != 0 && weir_trait_is_quantizer(weir_node_op(graph, maker));
         maker = weir_value_producer(graph, value))
        value = weir_node_input(graph, maker, 0);
    return weir_value_constant(graph, value) != NULL;
}

bool weir_rewrite_may(const weir_graph *graph, weir_node node) {
    return weir_node_info(graph, node)->class != WEIR_CLASS_STREAM &&
           !weir_node_metadata_of(graph, node)->hardware.assigned && !weir_layout_is_changed(graph, node);
}

void weir_rewrite_replace(weir_rewrite *rewrite, weir_value old, weir_value with) {
    weir_graph *graph = rewrite->graph;
    if (!weir_type_equal(weir_value_type(graph, old), weir_value_type(graph, with))) rewrite->is_stale = true;
    weir_value_replace(graph, old, with);
}

void weir_rewrite_remove(weir_rewrite *rewrite, weir_node node) {
    weir_graph *graph = rewrite->graph;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id == 0) continue;
        weir_node_set_input(graph, node, i, WEIR_NO_VALUE);
        if (weir_value_constant(graph, input) != NULL && weir_value_use_count(graph, input) == 0 &&
            !weir_value_is_output(graph, input))
            weir_graph_remove_value(graph, input);
    }
    weir_graph_remove_node(graph, node);
    rewrite->count++;
}

static char *name_for(const weir_rewrite *rewrite, const char *suffix) {
    return weir_format("%s_%s", weir_node_name(rewrite->graph, rewrite->at), suffix);
}

weir_value weir_rewrite_start(weir_rewrite *rewrite, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count) {
    weir_graph *graph = rewrite->graph;
    char *name = name_for(rewrite, suffix);
    const weir_node node = weir_graph_add_node(graph, op, name, inputs, count, 1, rewrite->at);
    free(name);
    weir_node_set_location(graph, node, weir_node_location(graph, rewrite->at));
    return weir_node_output(graph, node, 0);
}

void weir_rewrite_set_int(weir_rewrite *rewrite, weir_value value, const char *name, int64_t number) {
    weir_node_set_int(rewrite->graph, weir_value_producer(rewrite->graph, value), name, number);
}

void weir_rewrite_copy_attributes(weir_rewrite *rewrite, weir_value value, weir_node from) {
    weir_node_copy_attributes(rewrite->graph, weir_value_producer(rewrite->graph, value), rewrite->graph, from);
}

weir_value weir_rewrite_infer(weir_rewrite *rewrite, weir_value value) {
    if (!weir_infer_node(rewrite->graph, weir_value_producer(rewrite->graph, value))) rewrite->is_stale = true;
    return value;
}

weir_value weir_rewrite_node(weir_rewrite *rewrite, weir_op op, const char *suffix, const weir_value *inputs,
                             size_t count) {
    return weir_rewrite_infer(rewrite, weir_rewrite_start(rewrite, op, suffix, inputs, count));
}

weir_value weir_rewrite_constant(weir_rewrite *rewrite, const char *suffix, weir_array *array) {
    char *name = name_for(rewrite, suffix);
    const weir_value value = weir_graph_add_constant(rewrite->graph, name, array);
    free(name);
    weir_array_free(array);
    return value;
}

weir_value weir_rewrite_number(weir_rewrite *rewrite, const char *suffix, weir_dtype dtype, double number) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, number);
    return weir_rewrite_constant(rewrite, suffix, array);
}

weir_value weir_rewrite_integers(weir_rewrite *rewrite, const char *suffix, const int64_t *values, size_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)count}});
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, values[i]);
    return weir_rewrite_constant(rewrite, suffix, array);
}

weir_value weir_rewrite_quant(weir_rewrite *rewrite, weir_value value, weir_value scale, double zero, int bits,
                              bool is_signed) {
    const weir_value inputs[4] = {value, scale, weir_rewrite_number(rewrite, "zero_point", WEIR_FLOAT32, zero),
                                  weir_rewrite_number(rewrite, "bits", WEIR_FLOAT32, bits)};
    const weir_value made = weir_rewrite_start(rewrite, WEIR_OP_QUANT, "quantized", inputs, 4);
    weir_rewrite_set_int(rewrite, made, "signed", is_signed);
    weir_rewrite_set_int(rewrite, made, "narrow", 0);
    weir_node_set_string(rewrite->graph, weir_value_producer(rewrite->graph, made), "rounding_mode", "ROUND");
    return weir_rewrite_infer(rewrite, made);
}

weir_value weir_rewrite_reshape(weir_rewrite *rewrite, const char *suffix, weir_value value, const weir_shape *shape) {
    weir_graph *graph = rewrite->graph;
    const weir_array *constant = weir_value_constant(graph, value);
    bool any_zero = false;
    if (weir_shape_equal(&weir_value_type(graph, value)->shape, shape)) return value;
    if (constant != NULL) {
        weir_array *array = weir_array_copy(constant);
        array->shape = *shape;
        return weir_rewrite_constant(rewrite, suffix, array);
    }
    for (int i = 0; i < shape->rank; i++) any_zero = any_zero || shape->dim[i] == 0;
    const weir_value wanted = weir_rewrite_integers(rewrite, "shape", shape->dim, (size_t)shape->rank);
    const weir_value made = weir_rewrite_start(rewrite, WEIR_OP_RESHAPE, suffix, (weir_value[]){value, wanted}, 2);
    if (any_zero) weir_rewrite_set_int(rewrite, made, "allowzero", 1); /* else a 0 copies a dimension */
    return weir_rewrite_infer(rewrite, made);
}

weir_value weir_rewrite_transpose(weir_rewrite *rewrite, const char *suffix, weir_value value, const int64_t *perm) {
    const int rank = weir_value_type(rewrite->graph, value)->shape.rank;
    bool moves = false;
    for (int i = 0; i < rank; i++) moves = moves || perm[i] != i;
    if (!moves) return value;
    const weir_value made = weir_rewrite_start(rewrite, WEIR_OP_TRANSPOSE, suffix, &value, 1);
    weir_node_set_ints(rewrite->graph, weir_value_producer(rewrite->graph, made), "perm", perm, (size_t)rank);
    return weir_rewrite_infer(rewrite, made);
}

void weir_rewrite_become(weir_rewrite *rewrite, weir_value value) {
    weir_graph *graph = rewrite->graph;
    const weir_value output = weir_node_output(graph, rewrite->at, 0);
    const char *node_name = weir_node_name(graph, rewrite->at), *output_name = weir_value_name(graph, output);
    weir_rewrite_replace(rewrite, output, value);
    weir_rewrite_remove(rewrite, rewrite->at);
    weir_node_rename(graph, weir_value_producer(graph, value), node_name, "");
    weir_value_set_name(graph, value, output_name);
}

static bool same_attribute(const weir_attribute *a, const weir_attribute *b) {
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->count != b->count) return false;
    switch (a->kind) {
    case WEIR_ATTRIBUTE_INT: return a->as.i == b->as.i;
    case WEIR_ATTRIBUTE_FLOAT: return memcmp(&a->as.f, &b->as.f, sizeof a->as.f) == 0;
    case WEIR_ATTRIBUTE_STRING: return strcmp(a->as.s, b->as.s) == 0;
    case WEIR_ATTRIBUTE_INTS:
        return a->count == 0 || memcmp(a->as.ints, b->as.ints, a->count * sizeof *a->as.ints) == 0;
    case WEIR_ATTRIBUTE_FLOATS:
        return a->count == 0 || memcmp(a->as.floats, b->as.floats, a->count * sizeof *a->as.floats) == 0;
    }
    weir_unreachable("a kind of attributes");
}

bool weir_rewrite_same_attributes(const weir_graph *graph, weir_node a, weir_node b) {
    if (weir_node_attribute_count(graph, a) != weir_node_attribute_count(graph, b)) return false;
    for (size_t i = 0; i < weir_node_attribute_count(graph, a); i++)
        if (!same_attribute(weir_node_attribute_at(graph, a, i), weir_node_attribute_at(graph, b, i))) return false;
    return true;
}

static bool is_given(const weir_graph *graph, weir_value value) { return weir_value_producer(graph, value).id == 0; }

bool weir_rewrite_is_parameter(const weir_graph *graph, weir_value value) {
    for (int depth = 0; depth < 4; depth++) {
        const weir_node producer = weir_value_producer(graph, value);
        if (producer.id == 0) return true;
        const weir_op kind = weir_trait_kind(graph, producer);
        const bool is_product = kind == WEIR_OP_MUL || kind == WEIR_OP_DIV;
        if (!is_product && kind != WEIR_OP_RESHAPE) return false;
        if (is_product && !is_given(graph, weir_node_input(graph, producer, 1))) return false;
        value = weir_node_input(graph, producer, 0);
    }
    return false;
}

bool weir_rewrite_finish(weir_rewrite *rewrite) {
    if (!rewrite->is_stale) return true;
    rewrite->is_stale = false;
    return weir_infer_graph(rewrite->graph);
}

/* A constant that is compared by content. */
const weir_array *weir_rewrite_small_constant(const weir_graph *graph, weir_value value) {
    const weir_array *constant = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (constant == NULL) return NULL;
    const bool is_shape = constant->dtype == WEIR_INT64 && constant->shape.rank <= 1;
    return constant->count == 1 || (is_shape && constant->count <= WEIR_MAX_RANK) ? constant : NULL;
}

static bool same_bits(const weir_array *a, const weir_array *b) {
    return a->dtype == b->dtype && weir_shape_equal(&a->shape, &b->shape) &&
           memcmp(a->data, b->data, a->count * weir_dtype_size(a->dtype)) == 0;
}

static bool same_value(const weir_graph *graph, weir_value a, weir_value b) {
    if (a.id == b.id) return true;
    const weir_array *x = weir_rewrite_small_constant(graph, a), *y = weir_rewrite_small_constant(graph, b);
    return x != NULL && y != NULL && same_bits(x, y) &&
           weir_type_equal(weir_value_type(graph, a), weir_value_type(graph, b));
}

bool weir_rewrite_same_node(const weir_graph *graph, weir_node a, weir_node b) {
    if (weir_node_op(graph, a) != weir_node_op(graph, b) || weir_node_op(graph, a) == WEIR_OP_STATE ||
        weir_node_input_count(graph, a) != weir_node_input_count(graph, b) ||
        weir_node_output_count(graph, a) != weir_node_output_count(graph, b) ||
        !weir_rewrite_same_attributes(graph, a, b))
        return false;
    for (size_t i = 0; i < weir_node_input_count(graph, a); i++)
        if (!same_value(graph, weir_node_input(graph, a, i), weir_node_input(graph, b, i))) return false;
    for (size_t i = 0; i < weir_node_output_count(graph, a); i++)
        if (!weir_type_equal(weir_value_type(graph, weir_node_output(graph, a, i)),
                             weir_value_type(graph, weir_node_output(graph, b, i))))
            return false;
    return true;
}
