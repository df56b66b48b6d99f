/* Rows stay apart when, for every node that an output depends on, element (i, ...) of the result depends on elements
 * (i, ...) of the inputs that have rows and on inputs that have none. Each operator's rule says when that is so; what
 * has no rule is taken to mix them. The graph for one row is inferred anew, and every shape must be the old one with
 * one row. */
#include "ir/trait/batch.h"

#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/number/number.h"
#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

/* A graph with which of its values have rows. */
typedef struct finder {
    const weir_graph *graph;
    int64_t count;
    bool *has_rows, *is_live; /* by value */
} finder;

static const weir_type *input_type(const finder *f, weir_node node, size_t index) {
    const weir_value value = weir_node_input(f->graph, node, index);
    return value.id == 0 ? NULL : weir_value_type(f->graph, value);
}

static bool rows_in(const finder *f, weir_node node, size_t index) {
    return f->has_rows[weir_node_input(f->graph, node, index).id];
}

/* No input from `first` on has rows. */
static bool rest_is_fixed(const finder *f, weir_node node, size_t first) {
    for (size_t i = first; i < weir_node_input_count(f->graph, node); i++)
        if (rows_in(f, node, i)) return false;
    return true;
}

static int axis_of(const finder *f, weir_node node, int64_t otherwise) {
    const int64_t axis = weir_node_int(f->graph, node, "axis", otherwise);
    return (int)(axis < 0 ? axis + input_type(f, node, 0)->shape.rank : axis);
}

/* --- rules: NULL, or what mixes rows --- */

typedef const char *rule(const finder *f, weir_node node);

static const char *only_data(const finder *f, weir_node node) {
    int order[WEIR_MAX_RANK];
    if (weir_layout_is_changed(f->graph, node) && (!weir_layout_order(f->graph, node, order) || order[0] != 0))
        return "its rows are not the first dimension";
    return rows_in(f, node, 0) && rest_is_fixed(f, node, 1) ? NULL : "its parameters depend on the data";
}

static const char *only_first(const finder *f, weir_node node) {
    return rows_in(f, node, 0) ? NULL : "it has rows in another input alone";
}

/* What elements share is measured on elements of one row. */
static const char *number(const finder *f, weir_node node) {
    weir_number n;
    const int rank = input_type(f, node, 0)->shape.rank;
    const bool flattens = weir_node_int(f->graph, node, "flattens", 0) != 0;
    const char *const mixes = "elements of several rows share an exponent or a scale";
    if (!weir_number_parse(weir_node_string(f->graph, node, "format", ""), &n)) return mixes;
    if (!weir_number_measures(&n)) return only_data(f, node);
    switch (weir_number_group_of(n.id)) {
    case WEIR_GROUP_WHOLE:
    case WEIR_GROUP_OUTPUTS: return mixes;
    case WEIR_GROUP_FIRST:
    case WEIR_GROUP_LAST: return rank < 2 ? mixes : only_data(f, node);
    case WEIR_GROUP_BLOCKS:
        return axis_of(f, node, 0) == 0 || flattens || n.id == WEIR_NUMBER_NVFP4 ? mixes : only_data(f, node);
    }
    weir_unreachable("no group");
}

/* All elements have one scale. */
static const char *whole(const finder *f, weir_node node) {
    (void)f;
    (void)node;
    return "elements of several rows share a scale";
}

/* An operand without rows must not have something for each of them. */
static const char *broadcast(const finder *f, weir_node node) {
    const int rank = weir_value_type(f->graph, weir_node_output(f->graph, node, 0))->shape.rank;
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++) {
        const weir_type *type = input_type(f, node, i);
        if (type == NULL) continue;
        const bool all = type->shape.rank == rank;
        if (rows_in(f, node, i) && !all) return "it uses rows as another dimension";
        if (!rows_in(f, node, i) && all && rank > 0 && type->shape.dim[0] != 1)
            return "an operand differs from row to row";
    }
    return NULL;
}

static bool has_many(const weir_type *type) {
    size_t count;
    return type != NULL && weir_shape_count(&type->shape, &count) && count > 1;
}

static bool has_many_rows(const weir_type *type) { return type->shape.rank > 1 && type->shape.dim[0] > 1; }

static const char *quantizer(const finder *f, weir_node node) {
    const bool has_blocks = weir_node_int(f->graph, node, "block_size", 0) != 0; /* scales have all dimensions */
    if (has_blocks || (has_many(input_type(f, node, 1)) && axis_of(f, node, 1) == 0))
        return "it has a scale for each row";
    return only_data(f, node);
}

static const char *thresholds(const finder *f, weir_node node) {
    return weir_layout_channel_axis(f->graph, node) == 0 ? "it has thresholds for each row" : only_data(f, node);
}

/* The product of rows with a matrix that has none; batches of matrices with one matrix a row are kept apart too. */
static const char *product(const finder *f, weir_node node, size_t b) {
    const weir_type *x = input_type(f, node, 0), *w = input_type(f, node, b);
    if (!rows_in(f, node, 0) || x->shape.rank < 2) return "it sums over rows";
    if (rows_in(f, node, b)) return x->shape.rank > 2 && w->shape.rank == x->shape.rank ? NULL : "it multiplies rows";
    return w->shape.rank <= 2 || w->shape.dim[0] == 1 ? NULL : "its weights differ from row to row";
}

static const char *matmul(const finder *f, weir_node node) { return product(f, node, 1); }

static const char *quantized_product(const finder *f, weir_node node) {
    return has_many(input_type(f, node, 2)) ? "it has a zero point for each row" : product(f, node, 1);
}

static const char *qlinear_matmul(const finder *f, weir_node node) { return product(f, node, 3); }

static const char *gemm_with(const finder *f, weir_node node, size_t bias) {
    const weir_type *c = input_type(f, node, bias);
    if (weir_node_int(f->graph, node, "transA", 0) != 0) return "it transposes the rows";
    if (c != NULL && c->shape.rank == 2 && c->shape.dim[0] != 1) return "its bias differs from row to row";
    return only_data(f, node);
}

static const char *gemm(const finder *f, weir_node node) { return gemm_with(f, node, 2); }
static const char *qgemm(const finder *f, weir_node node) { return gemm_with(f, node, 6); }

static const char *across(const finder *f, weir_node node, int64_t otherwise) {
    return axis_of(f, node, otherwise) == 0 ? "it works across the rows" : only_data(f, node);
}

/* Along the axis of the attribute, without it the first one; or the last one. */
static const char *other_axis(const finder *f, weir_node node) { return across(f, node, 0); }
static const char *last_axis(const finder *f, weir_node node) { return across(f, node, -1); }

static const char *layer_normalization(const finder *f, weir_node node) {
    const char *reason = last_axis(f, node);
    return reason != NULL ? reason : broadcast(f, node);
}

static const char *concat(const finder *f, weir_node node) {
    if (axis_of(f, node, 0) == 0) return "it adds rows";
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++)
        if (!rows_in(f, node, i)) return "an operand differs from row to row";
    return NULL;
}

static const char *reduction(const finder *f, weir_node node) {
    bool reduced[WEIR_MAX_RANK] = {false};
    if (!weir_geometry_reduced(f->graph, node, reduced)) return "its axes are not known";
    return reduced[0] ? "it works across the rows" : only_data(f, node);
}

static const char *slice(const finder *f, weir_node node) {
    weir_slice s;
    if (!weir_geometry_slice(f->graph, node, &s)) return "its positions are not known";
    return s.start[0] == 0 && s.step[0] == 1 && s.count[0] == f->count ? only_data(f, node) : "it picks rows";
}

static const char *transpose(const finder *f, weir_node node) {
    const weir_attribute *perm = weir_node_attribute(f->graph, node, "perm");
    return perm != NULL && perm->as.ints[0] == 0 ? only_data(f, node) : "it moves the rows to another dimension";
}

/* Elements keep their order, so rows stay rows where there are as many. */
static const char *view(const finder *f, weir_node node) {
    const weir_shape *shape = &weir_value_type(f->graph, weir_node_output(f->graph, node, 0))->shape;
    return shape->rank > 0 && shape->dim[0] == f->count ? only_data(f, node) : "it joins or splits rows";
}

static const char *expand(const finder *f, weir_node node) {
    const int rank = weir_value_type(f->graph, weir_node_output(f->graph, node, 0))->shape.rank;
    return rank == input_type(f, node, 0)->shape.rank ? view(f, node) : "it moves the rows to another dimension";
}

static const char *pad(const finder *f, weir_node node) {
    weir_padding padding;
    if (!weir_geometry_padding(f->graph, node, &padding)) return "its pads are not known";
    return padding.begin[0] == 0 && padding.out[0] == f->count ? only_data(f, node) : "it adds rows";
}

/* By scales or by sizes, of all axes or of those that it names. */
static const char *resize(const finder *f, weir_node node) {
    weir_resizing resizing;
    if (!weir_geometry_resizing(f->graph, node, &resizing)) return "its sizes are not known";
    return resizing.out[0] == f->count && resizing.scale[0] == 1 ? only_data(f, node) : "it repeats rows";
}

/* A dense layer of the last dimension. */
static const char *linear(const finder *f, weir_node node) {
    return input_type(f, node, 0)->shape.rank > 1 ? only_data(f, node) : "it sums over rows";
}

/* Any order of all elements; where there is one row, the order of its own. */
static const char *reorder(const finder *f, weir_node node) {
    return f->count == 1 ? view(f, node) : "it may move elements to other rows";
}

/* A table that each row looks into on its own, or elements of each row. */
static const char *gather(const finder *f, weir_node node) {
    const bool is_table = !rows_in(f, node, 0) && rows_in(f, node, 1) && axis_of(f, node, 0) == 0;
    return is_table ? NULL : other_axis(f, node);
}

/* One element of a list for each row, which is a row of its own once the node is a Gather. */
static const char *features(const finder *f, weir_node node) {
    const bool is_list = weir_value_constant(f->graph, weir_node_input(f->graph, node, 0)) != NULL &&
                         !has_many_rows(input_type(f, node, 0));
    return f->count == 1 && is_list && !has_many(input_type(f, node, 1)) ? NULL : "it may use all of them";
}

static const char *unknown(const finder *f, weir_node node) {
    (void)f;
    (void)node;
    return "it may use all of them";
}

static rule *const rules[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = unknown,
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define BATCH(rule) rule,
#include "ir/graph/op.def"
};

static const char *mixes(const finder *f, weir_node node) {
    const weir_op op = weir_node_op(f->graph, node);
    if (op >= WEIR_OP_COUNT && weir_operator_of(op)->keeps_rows) return NULL;
    return (op < WEIR_OP_COUNT ? rules[op] : unknown)(f, node);
}

/* --- the graph --- */

static void find_live(finder *f) {
    const weir_graph *graph = f->graph;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) f->is_live[weir_graph_output(graph, i).id] = true;
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) {
        bool live = false;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
            live = live || f->is_live[weir_node_output(graph, node, i).id];
        for (size_t i = 0; live && i < weir_node_input_count(graph, node); i++)
            f->is_live[weir_node_input(graph, node, i).id] = true;
    }
}

/* The first dimension that all inputs have in common; 1: none. A vector is one sample. */
static int64_t common_rows(const weir_graph *graph) {
    int64_t rows = 0;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_shape *shape = &weir_value_type(graph, weir_graph_input(graph, i))->shape;
        if (shape->rank < 2 || (rows != 0 && shape->dim[0] != rows)) return 1;
        rows = shape->dim[0];
    }
    return rows < 1 ? 1 : rows;
}

/* Checks one node; false when it mixes rows. */
static bool visit(finder *f, weir_node node, weir_batch *result) {
    bool rows = false, live = false;
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++) rows = rows || rows_in(f, node, i);
    for (size_t i = 0; i < weir_node_output_count(f->graph, node); i++)
        live = live || f->is_live[weir_node_output(f->graph, node, i).id];
    result->why = rows && live ? mixes(f, node) : NULL;
    if (result->why != NULL) result->mixed = node;
    for (size_t i = 0; i < weir_node_output_count(f->graph, node); i++)
        f->has_rows[weir_node_output(f->graph, node, i).id] = rows && live;
    return result->why == NULL;
}

static finder new_finder(const weir_graph *graph, int64_t count) {
    const uint32_t limit = weir_graph_value_limit(graph);
    return (finder){graph, count, weir_calloc(limit, sizeof(bool)), weir_calloc(limit, sizeof(bool))};
}

static void free_finder(finder *f) {
    free(f->has_rows);
    free(f->is_live);
}

/* Where rows, which inputs have, all if NULL, are mixed; the finder gets what has them. */
static weir_batch find_rows(finder *f, const bool *has_rows) {
    const weir_graph *graph = f->graph;
    weir_batch result = {.count = f->count, .mixed = WEIR_NO_NODE};
    find_live(f);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++)
        f->has_rows[weir_graph_input(graph, i).id] = has_rows == NULL || has_rows[i];
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node))
        fine = visit(f, node, &result);
    for (size_t i = 0; fine && i < weir_graph_output_count(graph); i++) {
        fine = f->has_rows[weir_graph_output(graph, i).id];
        if (!fine) result.why = "an output does not depend on the inputs";
    }
    return result;
}

weir_batch weir_batch_find(const weir_graph *graph) {
    finder f = new_finder(graph, common_rows(graph));
    const weir_batch result = f.count == 1 ? (weir_batch){.count = 1, .mixed = WEIR_NO_NODE} : find_rows(&f, NULL);
    free_finder(&f);
    return result;
}

weir_batch weir_batch_find_rows(const weir_graph *graph, int64_t count, const bool *has_rows) {
    finder f = new_finder(graph, count);
    const weir_batch result = find_rows(&f, has_rows);
    free_finder(&f);
    return result;
}

/* --- one row --- */

/* A Reshape or Expand to a shape that names the rows gets one that names one. */
static void rewrite_shape(weir_graph *graph, weir_node node, int64_t count) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_RESHAPE && kind != WEIR_OP_EXPAND) return;
    const weir_value wanted = weir_node_input(graph, node, 1);
    const weir_array *shape = weir_value_constant(graph, wanted);
    if (shape == NULL || shape->count == 0 || weir_array_get_int(shape, 0) != count) return;
    weir_array *one = weir_array_copy(shape);
    weir_array_set_int(one, 0, 1);
    weir_node_set_input(graph, node, 1, weir_graph_add_constant(graph, weir_value_name(graph, wanted), one));
    weir_array_free(one);
}

/* Is the shape the old one, or that with one row? */
static bool follows(const weir_graph *graph, const weir_graph *row, weir_value value, int64_t count) {
    weir_shape shape = weir_value_type(graph, value)->shape;
    if (!weir_value_exists(row, value)) return false;
    const weir_shape *now = &weir_value_type(row, value)->shape;
    if (weir_shape_equal(&shape, now)) return true;
    if (shape.rank == 0 || shape.dim[0] != count) return false;
    shape.dim[0] = 1;
    return weir_shape_equal(&shape, now);
}

weir_graph *weir_batch_split(const weir_graph *graph, int64_t count) {
    return weir_batch_split_rows(graph, count, NULL);
}

weir_graph *weir_batch_split_rows(const weir_graph *graph, int64_t count, const bool *has_rows) {
    weir_graph *row = weir_graph_copy(graph);
    for (size_t i = 0; i < weir_graph_input_count(row); i++) {
        if (has_rows != NULL && !has_rows[i]) continue;
        weir_type type = *weir_value_type(row, weir_graph_input(row, i));
        type.shape.dim[0] = 1;
        weir_value_set_type(row, weir_graph_input(row, i), &type);
    }
    for (weir_node node = weir_graph_first(row); node.id != 0; node = weir_node_next(row, node))
        rewrite_shape(row, node, count);
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_infer_graph(row);
    weir_diag_release(log);
    weir_diag_log_free(log);
    for (uint32_t id = 1; fine && id < weir_graph_value_limit(graph); id++) {
        const weir_value value = {id};
        fine = !weir_value_exists(graph, value) || follows(graph, row, value, count);
    }
    if (fine) return row;
    weir_graph_free(row);
    return NULL;
}

/* --- an open batch --- */

static bool is_unused(const weir_graph *graph, weir_value value) {
    return weir_value_use_count(graph, value) == 0 && !weir_value_is_output(graph, value);
}

/* Input `index` of the node becomes a constant with these numbers, of the type that it has; the old one goes where
 * nothing uses it. */
static void set_numbers(weir_graph *graph, weir_node node, size_t index, const int64_t *number, size_t count) {
    const weir_value old = weir_node_input(graph, node, index);
    weir_array *array = weir_array_new(weir_value_type(graph, old)->dtype, &(weir_shape){1, {(int64_t)count}});
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, number[i]);
    const weir_value made = weir_graph_add_constant(graph, weir_value_name(graph, old), array);
    weir_array_free(array);
    weir_node_set_input(graph, node, index, made);
    if (!is_unused(graph, old)) return;
    char *name = weir_copy_string(weir_value_name(graph, old));
    weir_graph_remove_value(graph, old);
    weir_value_set_name(graph, made, name);
    free(name);
}

/* The numbers of a constant input; false where it is none. */
static bool read_numbers(const weir_graph *graph, weir_node node, size_t index, int64_t *number, size_t *count) {
    const weir_value value = weir_node_input(graph, node, index);
    const weir_array *array = value.id == 0 ? NULL : weir_value_constant(graph, value);
    *count = array == NULL || array->count > WEIR_MAX_RANK ? 0 : array->count;
    for (size_t i = 0; i < *count; i++) number[i] = weir_array_get_int(array, i);
    return *count > 0;
}

/* A Reshape to one row: as many as there are. Where 0 does not say that, -1 does, and what was -1 is a number. */
static void open_reshape(weir_graph *graph, weir_node node) {
    int64_t number[WEIR_MAX_RANK];
    size_t count;
    if (!read_numbers(graph, node, 1, number, &count) || number[0] != 1) return;
    const bool zero_is_size = weir_node_int(graph, node, "allowzero", 0) != 0;
    const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    for (size_t i = 1; zero_is_size && i < count; i++) number[i] = shape->dim[i];
    number[0] = zero_is_size ? -1 : 0;
    set_numbers(graph, node, 1, number, count);
}

/* A Slice that takes the only row takes all. */
static void open_slice(weir_graph *graph, weir_node node) {
    int64_t start[WEIR_MAX_RANK], end[WEIR_MAX_RANK], axis[WEIR_MAX_RANK], low, high;
    size_t count, axes;
    const int rank = weir_value_type(graph, weir_node_input(graph, node, 0))->shape.rank;
    const bool named = read_numbers(graph, node, 3, axis, &axes);
    if (!read_numbers(graph, node, 1, start, &count) || !read_numbers(graph, node, 2, end, &count)) return;
    for (size_t i = 0; i < count; i++) {
        if (named ? axis[i] != 0 && axis[i] != -rank : i != 0) continue;
        weir_dtype_limits(weir_value_type(graph, weir_node_input(graph, node, 2))->dtype, &low, &high);
        start[i] = 0;
        end[i] = high;
        set_numbers(graph, node, 1, start, count);
        set_numbers(graph, node, 2, end, count);
    }
}

/* By how much the axis grows; 0: float32 has no such number. */
static float growth(int64_t from, int64_t to) {
    const float times = from > 0 ? (float)((double)to / (double)from) : 0;
    return (double)times * (double)from == (double)to ? times : 0;
}

/* A Resize to sizes by as much, where float32 has all ratios: files have had scales since before opset 18's `axes`,
 * which ONNX Runtime 1.32's optimizer does not move quantizers over. */
static bool open_by_scales(weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    const weir_shape *y = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {x->rank}});
    bool whole = true;
    for (int i = 0; i < x->rank; i++) {
        const float times = growth(x->dim[i], y->dim[i]);
        weir_array_set(scales, (size_t)i, times);
        whole &= times > 0;
    }
    if (whole) {
        const weir_value old = weir_node_input(graph, node, 3);
        weir_node_set_input(graph, node, 2, weir_graph_add_constant(graph, "scales", scales));
        weir_node_set_input(graph, node, 3, WEIR_NO_VALUE);
        weir_node_remove_attribute(graph, node, "axes");
        if (is_unused(graph, old)) weir_graph_remove_value(graph, old);
    }
    weir_array_free(scales);
    return whole;
}

/* A Resize to sizes, one of which is the rows: to the others. */
static void open_resize(weir_graph *graph, weir_node node) {
    int64_t size[WEIR_MAX_RANK], axis[WEIR_MAX_RANK];
    size_t count, kept = 0;
    const weir_attribute *given = weir_node_attribute(graph, node, "axes");
    const int rank = weir_value_type(graph, weir_node_input(graph, node, 0))->shape.rank;
    if (!read_numbers(graph, node, 3, size, &count)) return;
    for (size_t i = 0; i < count; i++) {
        const int64_t own = given == NULL ? (int64_t)i : given->as.ints[i];
        if (own == 0 || own == -rank) continue;
        size[kept] = size[i];
        axis[kept++] = own;
    }
    if (kept == count || kept == 0 || open_by_scales(graph, node)) return;
    set_numbers(graph, node, 3, size, kept);
    weir_node_set_ints(graph, node, "axes", axis, kept);
}

/* An ArrayFeatureExtractor has what it finds for the rows beside each other; a Gather of the list below each other. */
static void open_features(weir_graph *graph, weir_node node) {
    const weir_value table = weir_node_input(graph, node, 0), old = weir_node_output(graph, node, 0);
    weir_array *list = weir_array_copy(weir_value_constant(graph, table));
    list->shape = (weir_shape){1, {(int64_t)list->count}};
    const weir_value labels = weir_graph_add_constant(graph, weir_value_name(graph, table), list);
    weir_array_free(list);
    weir_array *column = weir_array_new(WEIR_INT64, &(weir_shape){1, {2}});
    weir_array_set_int(column, 0, -1);
    weir_array_set_int(column, 1, 1);
    const weir_value shape = weir_graph_add_constant(graph, "column", column);
    weir_array_free(column);
    const weir_value places[] = {weir_node_input(graph, node, 1), shape};
    const weir_node reshape = weir_graph_add_node(graph, WEIR_OP_RESHAPE, "column", places, 2, 1, node);
    const weir_value found[] = {labels, weir_node_output(graph, reshape, 0)};
    const weir_node gather = weir_graph_add_node(graph, WEIR_OP_GATHER, "labels", found, 2, 1, node);
    weir_infer_node(graph, reshape);
    weir_infer_node(graph, gather);
    weir_value_replace(graph, old, weir_node_output(graph, gather, 0));
    weir_graph_remove_node(graph, node);
    if (is_unused(graph, table)) weir_graph_remove_value(graph, table);
}

static void open_node(weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind == WEIR_OP_RESHAPE) open_reshape(graph, node);
    if (kind == WEIR_OP_SLICE) open_slice(graph, node);
    if (kind == WEIR_OP_RESIZE) open_resize(graph, node);
    if (kind == WEIR_OP_ARRAY_FEATURE_EXTRACTOR) open_features(graph, node);
}

/* Infers the node for two rows; of this IR's own operators, whose attributes may say shapes, the rules know that rows
 * stay. */
static bool infer_two(const finder *f, weir_graph *two, weir_node node) {
    const bool own = strcmp(weir_node_info(two, node)->domain, "weir") == 0;
    bool fine = own || weir_infer_node(two, node);
    for (size_t i = 0; fine && i < weir_node_output_count(two, node); i++) {
        const weir_value value = weir_node_output(two, node, i);
        weir_type expected = *weir_value_type(f->graph, value);
        expected.shape.dim[0] = 2;
        if (own) weir_value_set_type(two, value, &expected);
        fine = weir_shape_equal(&weir_value_type(two, value)->shape, &expected.shape);
    }
    return fine;
}

/* The first node whose results, inferred for two rows, are not as they are with one row more. */
static weir_node find_stuck(const finder *f) {
    weir_graph *two = weir_graph_copy(f->graph);
    weir_node stuck = WEIR_NO_NODE;
    for (size_t i = 0; i < weir_graph_input_count(two); i++) {
        weir_type type = *weir_value_type(two, weir_graph_input(two, i));
        type.shape.dim[0] = 2;
        weir_value_set_type(two, weir_graph_input(two, i), &type);
    }
    weir_diag_log *log = weir_diag_capture();
    for (weir_node node = weir_graph_first(two); stuck.id == 0 && node.id != 0; node = weir_node_next(two, node))
        if (f->has_rows[weir_node_output(two, node, 0).id] && !infer_two(f, two, node)) stuck = node;
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_graph_free(two);
    return stuck;
}

/* The graph with every node that has rows in its form for any number of them. */
static weir_graph *opened(const finder *f) {
    weir_graph *graph = weir_graph_copy(f->graph);
    weir_node next;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (f->has_rows[weir_node_output(graph, node, 0).id]) open_node(graph, node);
    }
    return graph;
}

weir_batch_open weir_batch_open_of(const weir_graph *graph) {
    finder closed = new_finder(graph, 1);
    weir_batch_open open = {.mixed = find_rows(&closed, NULL)};
    open.graph = open.mixed.why == NULL ? opened(&closed) : NULL;
    free_finder(&closed);
    if (open.graph == NULL) return open;
    finder f = new_finder(open.graph, 1);
    open.mixed = find_rows(&f, NULL);
    if (open.mixed.why == NULL) open.mixed.mixed = find_stuck(&f);
    if (open.mixed.mixed.id != 0 && open.mixed.why == NULL) open.mixed.why = "its shape is that of one frame";
    open.has_rows = f.has_rows;
    open.is_live = f.is_live;
    if (open.mixed.why == NULL) return open;
    const weir_batch mixed = open.mixed;
    weir_batch_open_free(&open);
    return (weir_batch_open){.mixed = mixed};
}

void weir_batch_open_free(weir_batch_open *open) {
    weir_graph_free(open->graph);
    free(open->has_rows);
    free(open->is_live);
}
