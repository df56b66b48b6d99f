#include "passes/quantize/function.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "support/memory/arena.h"

/* Roots that are looked at together, and nodes of a function. */
enum { MOST_ROOTS = 8, MOST_NODES = 64 };

/* Are the elements of the result functions of those at their places, or in another shape themselves? */
bool weir_function_takes(weir_op op) {
    return (weir_op_get(op)->class == WEIR_CLASS_TENSOR && weir_index_map_reshapes(op)) ||
           weir_trait_of(op)->element != WEIR_ELEMENT_NONE;
}

/* --- where it starts --- */

static bool is_constant(const weir_lowering *l, weir_value value) {
    return weir_expression_has_data(weir_lower_expression(l, value));
}

static bool has_codes(const weir_expression *x) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    return kind == WEIR_EXPRESSION_CODES || kind == WEIR_EXPRESSION_OFFSET;
}

typedef struct roots {
    weir_value item[MOST_ROOTS];
    size_t count, nodes;
} roots;

static bool add_root(roots *r, weir_value value) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->item[i].id == value.id) return true;
    }
    if (r->count == MOST_ROOTS) return false;
    r->item[r->count++] = value;
    return true;
}

static size_t element_count(const weir_graph *graph, weir_value value) {
    size_t count = 1;
    weir_shape_count(&weir_value_type(graph, value)->shape, &count);
    return count;
}

/* Is element i of the result computed from element i of each operand that is not constant? Not where a Transpose moves
 * them, or an operand is broadcast: x + Transpose(x) is no function of x's elements. */
static bool is_by_element(const weir_lowering *l, weir_node node) {
    const size_t count = element_count(l->from, weir_node_output(l->from, node, 0));
    if (weir_trait_of(weir_node_op(l->from, node))->order == WEIR_ORDER_TRANSPOSE) {
        int order[WEIR_MAX_RANK];
        weir_layout_permutation(l->from, node, order);
        return weir_layout_keeps_memory(&weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape, order);
    }
    bool all = true;
    for (size_t i = 0; all && i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        all = input.id == 0 || is_constant(l, input) || element_count(l->from, input) == count;
    }
    return all;
}

static bool collect(const weir_lowering *l, weir_value value, roots *r);

/* The roots of a node's operands; false: it is no element-wise operation on such. */
static bool collect_operands(const weir_lowering *l, weir_value value, roots *r) {
    const weir_node node = weir_value_producer(l->from, value);
    const weir_op op = node.id == 0 ? WEIR_OP_NONE : weir_node_op(l->from, node);
    if (!weir_function_takes(op) || !is_by_element(l, node) || ++r->nodes > MOST_NODES) return false;
    const size_t count = weir_index_map_reshapes(op) ? 1 : weir_node_input_count(l->from, node);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id != 0 && !collect(l, input, r)) return false;
    }
    return true;
}

static bool collect(const weir_lowering *l, weir_value value, roots *r) {
    if (is_constant(l, value)) return true;
    return has_codes(weir_lower_expression(l, value)) ? add_root(r, value) : collect_operands(l, value, r);
}

/* Constants that are a stream (weir_lower_beside). */
static bool is_made_of_constants(const weir_lowering *l, weir_value value) {
    const weir_node node = weir_value_producer(l->from, value);
    bool all = true;
    for (size_t i = 0; node.id != 0 && all && i < weir_node_input_count(l->from, node); i++)
        all = is_constant(l, weir_node_input(l->from, node, i));
    return node.id == 0 ? weir_value_constant(l->from, value) != NULL : all;
}

/* Codes that are themselves made of codes element by element are looked through, the latest first, until one is
 * left. */
weir_value weir_function_root(const weir_lowering *l, weir_value value) {
    roots r = {.count = 0};
    bool fine = collect_operands(l, value, &r);
    while (fine && r.count > 1) {
        size_t latest = 0;
        for (size_t i = 1; i < r.count; i++) {
            if (l->of[r.item[i].id].position > l->of[r.item[latest].id].position) latest = i;
        }
        const weir_value last = r.item[latest];
        r.item[latest] = r.item[--r.count];
        fine = !is_made_of_constants(l, last) && collect_operands(l, last, &r);
    }
    return fine && r.count == 1 ? r.item[0] : WEIR_NO_VALUE;
}

/* --- the function by channel --- */

/* A constant operand: one element, as the model has it, or one a channel. */
typedef struct parameter {
    weir_node node;
    size_t index;
    const weir_array *data;
} parameter;

struct weir_function {
    weir_lowering *l;
    weir_value value, root;
    const weir_expression *x; /* the root, whose codes may be rows */
    parameter *parameter;
    size_t parameter_count, parameter_capacity;
    weir_node visited[MOST_NODES];
    size_t visited_count;
    size_t channels, rows;
    uint32_t *row, *sample; /* row of each channel, a channel of each row */
    bool is_monotone;
    weir_graph *graph; /* computes all rows at `points` points each */
    weir_executor *executor;
    weir_array *input[WEIR_FUNCTION_LEAVES];
    size_t inputs; /* of the graph: 1, or one a read of the root */
    size_t points;
};

static void add_parameter(weir_function *f, weir_node node, size_t index, const weir_array *data) {
    f->parameter = weir_grow(f->parameter, &f->parameter_capacity, f->parameter_count + 1, sizeof *f->parameter);
    f->parameter[f->parameter_count++] = (parameter){node, index, data};
    for (size_t i = 0; i < data->count; i++) f->is_monotone &= isfinite(weir_array_get(data, i));
    if (data->count > 1) f->channels = data->count;
}

/* A constant that broadcasts: by channel of the root's codes, which become rows, in which its elements take turns,
 * where they do not along the channels. */
static bool add_by_channel(weir_function *f, weir_node node, size_t index, const weir_array *data) {
    weir_lowering *l = f->l;
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (weir_expression_leaf(f->x)->map == NULL) f->x = weir_lower_spread(l, node, f->x, data, shape);
    data = weir_lower_by_channel(l, node, weir_expression_codes_of(f->x), data, shape);
    if (data != NULL) add_parameter(f, node, index, data);
    return data != NULL;
}

/* Normalizations are a product and a sum; bounds, scales and zero points one number; the rest broadcasts. */
static bool read_parameters(weir_function *f, weir_node node) {
    weir_lowering *l = f->l;
    const weir_op op = weir_node_op(l->from, node), kind = weir_trait_of(op)->kind;
    if (kind == WEIR_OP_BATCH_NORMALIZATION) {
        const weir_array *factor, *term;
        return weir_lower_normalization(l, node, &factor, &term) && add_by_channel(f, node, 1, factor) &&
               add_by_channel(f, node, 2, term);
    }
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id == 0 || !is_constant(l, input)) continue;
        const weir_array *data = weir_lower_constant(l, input);
        if (data == NULL) return weir_lower_fail(l, node, "input %zu is not constant", i);
        if (data->count > 1) {
            if (kind == WEIR_OP_CLIP || weir_trait_is_quantizer(op))
                return weir_lower_fail(l, node, "input %zu has %zu elements, expected one", i, data->count);
            if (!add_by_channel(f, node, i, data)) return false;
        } else {
            add_parameter(f, node, i, data);
        }
        for (size_t k = 0; k < data->count; k++) {
            if (kind == WEIR_OP_DIV) f->is_monotone &= weir_array_get(data, k) != 0;
            if (kind == WEIR_OP_PRELU) f->is_monotone &= weir_array_get(data, k) >= 0;
        }
    }
    return true;
}

/* The constant power of a Pow; 0: it is no such. */
static double power_of(const weir_function *f, weir_node node) {
    if (weir_trait_kind(f->l->from, node) != WEIR_OP_POW || !is_constant(f->l, weir_node_input(f->l->from, node, 1)))
        return 0;
    const weir_array *power = weir_lower_constant(f->l, weir_node_input(f->l->from, node, 1));
    return power == NULL || power->count != 1 ? 0 : weir_array_get(power, 0);
}

/* One operand that is not constant, which is not a divisor. */
static bool is_monotone(const weir_function *f, weir_node node) {
    const weir_graph *from = f->l->from;
    const weir_dtype to = weir_value_type(from, weir_node_output(from, node, 0))->dtype;
    const bool keeps = weir_dtype_is_float(to) || to == WEIR_INT64; /* which floats beyond are the ends of */
    if ((weir_trait_kind(from, node) == WEIR_OP_CAST && keeps) || power_of(f, node) == 3) return true;
    if (weir_trait_kind(from, node) == WEIR_OP_SHRINK) { /* falls where it is cut off by less than it is shifted */
        const double bias = weir_node_float(from, node, "bias", 0);
        return bias >= 0 && bias <= weir_node_float(from, node, "lambd", 0.5);
    }
    size_t computed = 0;
    for (size_t i = 0; i < weir_node_input_count(from, node); i++) {
        const weir_value input = weir_node_input(from, node, i);
        computed += input.id != 0 && !is_constant(f->l, input);
    }
    for (size_t i = 0; i < weir_node_attribute_count(from, node); i++) {
        const weir_attribute *attribute = weir_node_attribute_at(from, node, i);
        if (attribute->kind == WEIR_ATTRIBUTE_FLOAT && !(attribute->as.f >= 0)) return false;
    }
    const weir_op op = weir_node_op(from, node);
    const bool divides = weir_trait_of(op)->kind == WEIR_OP_DIV && !is_constant(f->l, weir_node_input(from, node, 1));
    return weir_index_map_reshapes(op) ||
           (weir_trait_of(op)->element >= WEIR_ELEMENT_MONOTONE && computed == 1 && !divides);
}

/* Reads what the value is computed from, each node once. */
static bool visit(weir_function *f, weir_value value) {
    const weir_lowering *l = f->l;
    if (value.id == f->root.id || is_constant(l, value)) return true;
    const weir_node node = weir_value_producer(l->from, value);
    for (size_t i = 0; i < f->visited_count; i++) {
        if (f->visited[i].id == node.id) return true;
    }
    assert(f->visited_count < MOST_NODES);
    f->visited[f->visited_count++] = node;
    if (value.id != f->value.id) f->l->of[value.id].is_inside = true;
    f->is_monotone &= is_monotone(f, node);
    if (weir_index_map_reshapes(weir_node_op(l->from, node))) return visit(f, weir_node_input(l->from, node, 0));
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id != 0 && !visit(f, input)) return false;
    }
    return read_parameters(f, node);
}

weir_value weir_function_codes(const weir_function *f) { return weir_expression_codes_of(f->x); }

static const weir_type *codes_type(const weir_function *f) { return weir_value_type(f->l->to, weir_function_codes(f)); }

/* The model's elements are codes, not the numbers that they stand for. */
static bool takes_codes(const weir_function *f) {
    return !weir_dtype_is_float(weir_value_type(f->l->from, f->root)->dtype) && !weir_expression_leaf(f->x)->centered;
}

static double offset_of(const weir_function *f, size_t channel) {
    uint32_t count;
    const double *number = weir_expression_numbers(f->x, &count);
    return number == NULL ? 0 : number[count == 1 ? 0 : channel];
}

int64_t weir_function_zero(const weir_function *f, size_t channel) {
    return weir_quant_zero(&codes_type(f)->quant, (int64_t)channel);
}

static bool same_function(const weir_function *f, size_t a, size_t b) {
    const weir_quant *quant = &codes_type(f)->quant;
    bool same = weir_quant_scale(quant, (int64_t)a) == weir_quant_scale(quant, (int64_t)b) &&
                offset_of(f, a) == offset_of(f, b) &&
                (!takes_codes(f) || weir_function_zero(f, a) == weir_function_zero(f, b));
    for (size_t i = 0; same && i < f->parameter_count; i++) {
        const weir_array *data = f->parameter[i].data;
        const size_t size = weir_dtype_size(data->dtype);
        same = data->count == 1 || memcmp((char *)data->data + a * size, (char *)data->data + b * size, size) == 0;
    }
    return same;
}

static void find_rows(weir_function *f) {
    const weir_type *codes = codes_type(f);
    uint32_t offsets;
    weir_expression_numbers(f->x, &offsets);
    if (codes->quant.count > 1 || offsets > 1) f->channels = 2;
    if (f->channels > 1) f->channels = (size_t)codes->shape.dim[codes->shape.rank - 1];
    f->row = weir_calloc(f->channels, sizeof *f->row);
    f->sample = weir_calloc(f->channels, sizeof *f->sample);
    bool one_zero = true;
    for (size_t c = 0; c < f->channels; c++) {
        size_t row = 0;
        while (row < f->rows && !same_function(f, f->sample[row], c)) row++;
        if (row == f->rows) f->sample[f->rows++] = (uint32_t)c;
        f->row[c] = (uint32_t)row;
        one_zero &= weir_function_zero(f, c) == weir_function_zero(f, 0);
    }
    if (f->rows == 1 && one_zero) f->channels = 1;
}

weir_function *weir_function_new(weir_lowering *l, weir_value value, weir_value root) {
    weir_function *f = weir_calloc(1, sizeof *f);
    const weir_expression *x = weir_lower_expression(l, root);
    bool fine = true;
    for (const weir_expression *before = NULL; fine && before != x; x = f->x) {
        before = x; /* rows are longer each time that it becomes another one */
        free(f->parameter);
        *f = (weir_function){.l = l, .value = value, .root = root, .x = x, .channels = 1, .is_monotone = true};
        fine = visit(f, value);
    }
    if (fine) {
        find_rows(f);
        return f;
    }
    weir_function_free(f);
    return NULL;
}

/* --- evaluation --- */

static void close_graph(weir_function *f) {
    weir_executor_free(f->executor);
    weir_graph_free(f->graph);
    for (size_t i = 0; i < f->inputs; i++) weir_array_free(f->input[i]);
    f->executor = NULL;
    f->graph = NULL;
    f->inputs = 0;
}

void weir_function_free(weir_function *f) {
    if (f == NULL) return;
    close_graph(f);
    free(f->parameter);
    free(f->row);
    free(f->sample);
    free(f);
}

size_t weir_function_channels(const weir_function *f) { return f->channels; }
size_t weir_function_rows(const weir_function *f) { return f->rows; }
size_t weir_function_row(const weir_function *f, size_t channel) { return f->row[channel]; }
bool weir_function_is_monotone(const weir_function *f) { return f->is_monotone; }

/* A parameter by row: [rows, 1]; one element keeps its shape unless that would add dimensions to the result. */
static weir_value add_constant(const weir_function *f, const parameter *p) {
    weir_shape shape = p->data->shape;
    if (p->data->count > 1) shape = (weir_shape){2, {(int64_t)f->rows, 1}};
    else if (shape.rank > 1) shape = (weir_shape){0, {0}};
    const size_t size = weir_dtype_size(p->data->dtype);
    weir_array *array = weir_array_new(p->data->dtype, &shape);
    for (size_t i = 0; i < array->count; i++) {
        const size_t from = p->data->count > 1 ? f->sample[i] : 0;
        memcpy((char *)array->data + i * size, (const char *)p->data->data + from * size, size);
    }
    const weir_value value = weir_graph_add_constant(f->graph, "constant", array);
    weir_array_free(array);
    return value;
}

static weir_value parameter_of(const weir_function *f, weir_node node, size_t index) {
    for (size_t i = 0; i < f->parameter_count; i++) {
        const parameter *p = &f->parameter[i];
        if (p->node.id == node.id && p->index == index) return add_constant(f, p);
    }
    return WEIR_NO_VALUE;
}

/* A node of the model with other operands; quantizers have one scale, whose axis means nothing. */
static weir_value add_node(const weir_function *f, weir_op op, weir_node like, const weir_value *inputs, size_t count) {
    const weir_node node = weir_graph_add_node(f->graph, op, "operation", inputs, count, 1, WEIR_NO_NODE);
    if (op == weir_node_op(f->l->from, like)) weir_node_copy_attributes(f->graph, node, f->l->from, like);
    if (weir_node_attribute(f->graph, node, "axis") != NULL) weir_node_set_int(f->graph, node, "axis", 0);
    const bool fine = weir_infer_node(f->graph, node);
    return fine ? weir_node_output(f->graph, node, 0) : WEIR_NO_VALUE;
}

static weir_value add_number(const weir_function *f, double number) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){0, {0}});
    weir_array_set(array, 0, number);
    const weir_value value = weir_graph_add_constant(f->graph, "number", array);
    weir_array_free(array);
    return value;
}

/* Is it x * g(x) of a gate g that rises? */
static bool is_gated(const weir_function *f, weir_node node) {
    const weir_op kind = weir_trait_kind(f->l->from, node);
    const bool exact = strcmp(weir_node_string(f->l->from, node, "approximate", "none"), "none") == 0;
    return kind == WEIR_OP_HARD_SWISH || kind == WEIR_OP_SWISH || (kind == WEIR_OP_GELU && exact) ||
           power_of(f, node) == 2;
}

/* x * g(y), as near to the operator's own number as float32 is. */
static weir_value add_gated(const weir_function *f, weir_node node, weir_value x, weir_value y) {
    const weir_op kind = weir_trait_kind(f->l->from, node);
    weir_value in[2] = {y, WEIR_NO_VALUE};
    if (power_of(f, node) == 2) return add_node(f, WEIR_OP_MUL, node, (weir_value[]){x, y}, 2);
    if (kind == WEIR_OP_HARD_SWISH) {
        in[0] = add_node(f, WEIR_OP_HARD_SIGMOID, node, in, 1);
        const weir_node gate = weir_value_producer(f->graph, in[0]);
        weir_node_set_float(f->graph, gate, "alpha", 1.0 / 6);
        weir_node_set_float(f->graph, gate, "beta", 0.5);
    } else if (kind == WEIR_OP_SWISH) {
        in[1] = add_number(f, weir_node_float(f->l->from, node, "alpha", 1));
        in[0] = add_node(f, WEIR_OP_MUL, node, in, 2);
        in[0] = add_node(f, WEIR_OP_SIGMOID, node, in, 1);
    } else {
        in[1] = add_number(f, sqrt(0.5));
        in[0] = add_node(f, WEIR_OP_MUL, node, in, 2);
        in[0] = add_node(f, WEIR_OP_ERF, node, in, 1);
        in[1] = add_number(f, 1);
        in[0] = add_node(f, WEIR_OP_ADD, node, in, 2);
        in[1] = add_number(f, 0.5);
        in[0] = add_node(f, WEIR_OP_MUL, node, in, 2);
    }
    return add_node(f, WEIR_OP_MUL, node, (weir_value[]){x, in[0]}, 2);
}

/* The value in the function's graph; made[i] is that of visited[i]. `leaf`: the next read of the root, where they are
 * apart; else NULL. None after a reported error. */
static weir_value copy(const weir_function *f, weir_value value, weir_value *made, size_t *leaf) {
    const weir_graph *from = f->l->from;
    if (value.id == f->root.id) return weir_graph_input(f->graph, leaf == NULL ? 0 : (*leaf)++);
    const weir_node node = weir_value_producer(from, value);
    size_t at = 0;
    while (f->visited[at].id != node.id) at++;
    if (made[at].id != 0 && leaf == NULL) return made[at];
    const weir_op op = weir_node_op(from, node);
    if (weir_index_map_reshapes(op)) return copy(f, weir_node_input(from, node, 0), made, leaf);
    if (leaf != NULL && is_gated(f, node)) {
        const weir_value x = copy(f, weir_node_input(from, node, 0), made, leaf);
        return add_gated(f, node, x, copy(f, weir_node_input(from, node, 0), made, leaf));
    }
    const bool normalizes = weir_trait_of(op)->kind == WEIR_OP_BATCH_NORMALIZATION;
    const size_t count = weir_node_input_count(from, node);
    weir_value *inputs = weir_calloc(count + 2, sizeof *inputs);
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(from, node, i);
        if (input.id == 0 || (normalizes && i > 0)) continue;
        inputs[i] = is_constant(f->l, input) ? parameter_of(f, node, i) : copy(f, input, made, leaf);
        fine &= inputs[i].id != 0;
    }
    if (fine && normalizes) {
        inputs[1] = parameter_of(f, node, 1);
        inputs[0] = add_node(f, WEIR_OP_MUL, node, inputs, 2);
        inputs[1] = parameter_of(f, node, 2);
        made[at] = add_node(f, WEIR_OP_ADD, node, inputs, 2);
    } else if (fine) {
        made[at] = add_node(f, op, node, inputs, count);
    }
    free(inputs);
    return made[at];
}

static void open_graph(weir_function *f, size_t points, size_t inputs) {
    close_graph(f);
    f->points = points;
    f->graph = weir_graph_new("function");
    weir_type type = *weir_value_type(f->l->from, f->root);
    type.shape = (weir_shape){2, {(int64_t)f->rows, (int64_t)points}};
    type.has_range = false;
    type.layout[0] = '\0';
    for (f->inputs = 0; f->inputs < inputs; f->inputs++) {
        weir_graph_add_input(f->graph, "x", &type);
        f->input[f->inputs] = weir_array_new(type.dtype, &type.shape);
    }
    weir_value made[MOST_NODES] = {{0}};
    size_t leaf = 0;
    const weir_value result = copy(f, f->value, made, inputs > 1 ? &leaf : NULL);
    assert(result.id != 0); /* inferred before, for the model's shapes */
    weir_graph_add_output(f->graph, "y", result);
    f->executor = weir_executor_new(f->graph);
    assert(f->executor != NULL);
}

/* What the model's element is where the code less its zero point is `point`. */
static void set_input(weir_function *f, weir_array *input, size_t i, size_t channel, int64_t point) {
    const double real = (double)point * weir_quant_scale(&codes_type(f)->quant, (int64_t)channel);
    if (takes_codes(f)) weir_array_set_int(input, i, point + weir_function_zero(f, channel));
    else if (!weir_dtype_is_float(input->dtype)) weir_array_set_int(input, i, point);
    else if (weir_expression_kind_of(f->x) != WEIR_EXPRESSION_OFFSET) weir_array_set(input, i, real);
    else weir_array_set(input, i, (double)((float)real + (float)offset_of(f, channel)));
}

static void run(weir_function *f, const int64_t *points, size_t count, size_t inputs, double *results) {
    const size_t all = f->rows * count;
    if (f->executor == NULL || f->points != count || f->inputs != inputs) open_graph(f, count, inputs);
    for (size_t leaf = 0; leaf < inputs; leaf++)
        for (size_t i = 0; i < all; i++) set_input(f, f->input[leaf], i, f->sample[i / count], points[leaf * all + i]);
    const bool fine = weir_executor_run(f->executor, (const weir_array *const *)f->input);
    assert(fine);
    (void)fine;
    const weir_array *result = weir_executor_value(f->executor, weir_graph_output(f->graph, 0));
    for (size_t i = 0; i < all; i++) results[i] = weir_array_get(result, i);
}

void weir_function_run(weir_function *f, const int64_t *points, size_t count, double *results) {
    run(f, points, count, 1, results);
}

void weir_function_run_apart(weir_function *f, const int64_t *points, size_t count, double *results) {
    run(f, points, count, weir_function_leaves(f), results);
}

/* More than there may be: an operation on the way does not rise or fall in each operand. */
static size_t count_leaves(const weir_function *f, weir_value value) {
    const weir_graph *from = f->l->from;
    if (is_constant(f->l, value)) return 0;
    if (value.id == f->root.id) return 1;
    const weir_node node = weir_value_producer(from, value);
    const weir_op op = weir_node_op(from, node);
    if (weir_index_map_reshapes(op)) return count_leaves(f, weir_node_input(from, node, 0));
    if (is_gated(f, node)) return 2 * count_leaves(f, weir_node_input(from, node, 0));
    size_t leaves = 0, computed = 0;
    for (size_t i = 0; i < weir_node_input_count(from, node) && leaves <= WEIR_FUNCTION_LEAVES; i++) {
        const weir_value input = weir_node_input(from, node, i);
        const size_t here = input.id == 0 ? 0 : count_leaves(f, input);
        leaves += here;
        computed += here > 0;
    }
    const bool of_two = weir_trait_of(op)->element == WEIR_ELEMENT_STEP && weir_trait_of(op)->kind != WEIR_OP_DIV;
    return (computed == 2 && of_two) || is_monotone(f, node) ? leaves : WEIR_FUNCTION_LEAVES + 1;
}

size_t weir_function_leaves(const weir_function *f) {
    const size_t leaves = count_leaves(f, f->value);
    bool fine = leaves <= WEIR_FUNCTION_LEAVES;
    for (size_t i = 0; i < f->parameter_count; i++) {
        const weir_op kind = weir_trait_kind(f->l->from, f->parameter[i].node);
        for (size_t k = 0; fine && k < f->parameter[i].data->count; k++) {
            const double number = weir_array_get(f->parameter[i].data, k);
            fine = isfinite(number) && (kind != WEIR_OP_DIV || number != 0) && (kind != WEIR_OP_PRELU || number >= 0);
        }
    }
    return fine ? leaves : 0;
}
