/* What depends on constants only, behind quantizers and further operators (weights that are turned, cut, joined,
 * clipped, scaled), becomes constant codes behind one quantizer, where it is whole multiples of one scale, or one an
 * index of an axis: its numbers stay, bit for bit. So do weights of layers that are numbers on such a grid without a
 * quantizer, in a model that has quantizers. What is on no grid becomes plain numbers where no layer needs its codes.
 * O(size + work of the nodes). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "exec/evaluate.h"
#include "exec/kernel.h"
#include "exec/kernel_common.h"
#include "ir/graph/side.h"
#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/remedy.h"

/* Codes have fewer bits than the numbers that stand for them; those of weights without quantizers are of 8 bits, less a
 * zero point. */
enum { MOST_CODE = 1 << 23, MOST_FOUND_CODE = 255 };

/* What is known of a value. Of one that depends on constants only, where a layer may have use for it: its data, and of
 * real numbers behind a quantizer the size of a step, element by element; 0: any. */
typedef struct fixed_value {
    const weir_array *data;
    weir_array *made, *step; /* on the heap; `made`: the data, where it is no constant of the graph */
    bool is_fixed;           /* it depends on constants only */
    bool is_needed;          /* so its data are */
    bool quantized;          /* behind a quantizer */
    bool plain;              /* constants, or what a quantizer makes of them */
    bool real;               /* behind a quantizer of QONNX */
} fixed_value;

typedef struct fixed_values {
    weir_graph *graph;
    weir_side of; /* fixed_value by value id */
} fixed_values;

/* The codes of numbers, and their scales along an axis; count 1: one scale. */
typedef struct grid {
    weir_array *codes; /* int64 */
    float *scale;
    size_t count;
    int axis;
    int64_t low, high;
} grid;

static fixed_value *known(const fixed_values *f, weir_value value) { return weir_side_at(&f->of, value.id); }

static bool is_quantizer(weir_op kind) { return kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT; }

/* --- steps --- */

static weir_array *spread(const weir_array *array, const weir_shape *shape) {
    const weir_broadcast from = weir_broadcast_of(&array->shape, shape);
    weir_array *made = weir_array_new(WEIR_FLOAT32, shape);
    for (size_t i = 0; i < made->count; i++)
        weir_array_set(made, i, fabs(weir_array_get(array, weir_broadcast_index(&from, i))));
    return made;
}

/* Scales along the axis of a DequantizeLinear. */
static weir_array *spread_along(const weir_array *scale, int64_t axis, const weir_shape *shape) {
    weir_shape wide = {.rank = shape->rank};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = 1;
    if (scale->count > 1) wide.dim[axis < 0 ? axis + shape->rank : axis] = (int64_t)scale->count;
    weir_array shaped = *scale;
    shaped.shape = wide;
    return spread(&shaped, shape);
}

/* Output `index` of the node of steps in place of those of its inputs that have some. */
static weir_array *moved_steps(const fixed_values *f, weir_node node, size_t index) {
    const size_t count = weir_node_input_count(f->graph, node);
    const weir_array **inputs = weir_calloc(count + 1, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id != 0) inputs[i] = known(f, input)->step != NULL ? known(f, input)->step : known(f, input)->data;
    }
    weir_array **results = weir_evaluate_node(f->graph, node, inputs), *result = NULL;
    for (size_t i = 0; results != NULL && i < weir_node_output_count(f->graph, node); i++) {
        if (i == index) result = spread(results[i], &results[i]->shape);
        weir_array_free(results[i]);
    }
    free(results);
    free(inputs);
    return result;
}

static weir_array *steps_of(const fixed_values *f, weir_node node, size_t index, const weir_shape *shape) {
    const weir_op op = weir_node_op(f->graph, node), kind = weir_trait_kind(f->graph, node);
    if (kind == WEIR_OP_DEQUANTIZE_LINEAR) {
        const weir_array *scale = known(f, weir_node_input(f->graph, node, 1))->data;
        return spread_along(scale, weir_node_int(f->graph, node, "axis", 1), shape);
    }
    if (is_quantizer(kind)) return spread(known(f, weir_node_input(f->graph, node, 1))->data, shape);
    const weir_array *first = NULL;
    size_t operands = 0;
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id == 0 || known(f, input)->step == NULL) continue;
        if (operands++ == 0) first = known(f, input)->step;
    }
    if (first == NULL) return NULL;
    const bool scales = (kind == WEIR_OP_MUL || kind == WEIR_OP_DIV) && operands == 1;
    if (weir_index_map_exists(op) || kind == WEIR_OP_CONCAT || scales) return moved_steps(f, node, index);
    return weir_trait_of(op)->order == WEIR_ORDER_ELEMENTWISE ? spread(first, shape)
                                                              : NULL; /* seen when it has codes */
}

/* --- values --- */

static void learn_constants(fixed_values *f) {
    for (uint32_t id = 1; id < weir_graph_value_limit(f->graph); id++) {
        const weir_value value = {id};
        const weir_array *data = weir_value_exists(f->graph, value) ? weir_value_constant(f->graph, value) : NULL;
        if (data != NULL) *known(f, value) = (fixed_value){.data = data, .is_fixed = true, .plain = true};
    }
}

/* Where all inputs of the node are fixed, its results are, too. */
static void learn_node(fixed_values *f, weir_node node) {
    const weir_op op = weir_node_op(f->graph, node), kind = weir_trait_kind(f->graph, node);
    fixed_value made = {
        .quantized = weir_trait_is_quantizer(op), .plain = weir_trait_is_quantizer(op), .real = is_quantizer(kind)};
    size_t given = 0;
    made.is_fixed = kind != WEIR_OP_CONSTANT_OF_SHAPE;
    for (size_t i = 0; made.is_fixed && i < weir_node_input_count(f->graph, node); i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id == 0) continue;
        const fixed_value *x = known(f, input);
        made.is_fixed = x->is_fixed;
        made.quantized |= x->quantized;
        made.plain &= x->plain;
        made.real |= x->real;
        given++;
    }
    if (!made.is_fixed || given == 0 || !weir_kernel_supports(f->graph, node)) return;
    for (size_t i = 0; i < weir_node_output_count(f->graph, node); i++)
        *known(f, weir_node_output(f->graph, node, i)) = made;
}

static bool gives_needed(const fixed_values *f, weir_node node) {
    bool needed = false;
    for (size_t i = 0; i < weir_node_output_count(f->graph, node); i++)
        needed |= known(f, weir_node_output(f->graph, node, i))->is_needed;
    return needed;
}

/* From the last node to the first: what a needed value is made of. */
static void need_inputs(fixed_values *f, weir_node node) {
    if (!gives_needed(f, node)) return;
    for (size_t i = 0; i < weir_node_input_count(f->graph, node); i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id != 0) known(f, input)->is_needed = true;
    }
}

/* The node's results and their steps. */
static void evaluate(fixed_values *f, weir_node node) {
    const size_t count = weir_node_input_count(f->graph, node);
    const weir_array **inputs = weir_calloc(count + 1, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_value input = weir_node_input(f->graph, node, i);
        if (input.id != 0) inputs[i] = known(f, input)->data;
    }
    weir_array **results = weir_evaluate_node(f->graph, node, inputs);
    assert(results != NULL);
    for (size_t i = 0; i < weir_node_output_count(f->graph, node); i++) {
        fixed_value *made = known(f, weir_node_output(f->graph, node, i));
        made->data = made->made = results[i];
        made->step = made->data->dtype == WEIR_FLOAT32 ? steps_of(f, node, i, &made->data->shape) : NULL;
    }
    free(results);
    free(inputs);
}

static void forget(fixed_values *f) {
    for (uint32_t id = 0; id < f->of.limit; id++) {
        const fixed_value *x = weir_side_at(&f->of, id);
        weir_array_free(x->made);
        weir_array_free(x->step);
    }
    weir_side_free(&f->of);
}

/* --- codes --- */

static size_t index_along(const weir_shape *shape, int axis, size_t element) {
    size_t inner = 1;
    if (axis < 0) return 0;
    for (int d = axis + 1; d < shape->rank; d++) inner *= (size_t)shape->dim[d];
    return element / inner % (size_t)shape->dim[axis];
}

/* The n-th element that has the index along the axis, of all where there is none. */
static size_t element_of(const weir_shape *shape, int axis, size_t index, size_t n) {
    size_t inner = 1;
    if (axis < 0) return n;
    for (int d = axis + 1; d < shape->rank; d++) inner *= (size_t)shape->dim[d];
    return (n / inner * (size_t)shape->dim[axis] + index) * inner + n % inner;
}

static grid grid_new(const weir_shape *shape, int axis) {
    const size_t count = axis < 0 ? 1 : (size_t)shape->dim[axis];
    return (grid){weir_array_new(WEIR_INT64, shape), weir_calloc(count, sizeof(float)), count, axis, 0, 0};
}

static void grid_free(grid *g) {
    weir_array_free(g->codes);
    free(g->scale);
}

/* Is the number the product of the scale and a code? */
static bool divide(float number, float scale, int64_t most, int64_t *code) {
    const double quotient = nearbyint((double)number / (double)scale);
    *code = (int64_t)quotient;
    return fabs(quotient) <= (double)most && (float)quotient * scale == number;
}

/* The codes of all by the grid's scales; false: one has none. */
static bool fill_codes(const weir_array *data, int64_t most, grid *g) {
    bool all = true;
    for (size_t i = 0; all && i < data->count; i++) {
        int64_t code;
        all = divide((float)weir_array_get(data, i), g->scale[index_along(&data->shape, g->axis, i)], most, &code);
        weir_array_set_int(g->codes, i, code);
        if (code < g->low) g->low = code;
        if (code > g->high) g->high = code;
    }
    return all;
}

/* One scale for each index of the axis, where the steps are such. */
static bool read_scales(const weir_array *step, grid *g) {
    for (size_t i = 0; i < step->count; i++) {
        const float s = (float)weir_array_get(step, i);
        float *scale = &g->scale[index_along(&step->shape, g->axis, i)];
        if (s == 0) continue;
        if (*scale != 0 && *scale != s) return false;
        *scale = s;
    }
    for (size_t i = 0; i < g->count; i++) {
        if (g->scale[i] == 0) g->scale[i] = 1;
        if (!isfinite(g->scale[i])) return false;
    }
    return true;
}

/* One scale, else one along some axis. */
static bool find_codes(const fixed_value *x, grid *g) {
    for (int axis = -1; axis < x->data->shape.rank; axis++) {
        *g = grid_new(&x->data->shape, axis);
        if (read_scales(x->step, g) && fill_codes(x->data, MOST_CODE, g)) return true;
        grid_free(g);
    }
    return false;
}

/* The coarsest scale of which all numbers with the index are multiples; false: there is none. */
static bool find_scale(const weir_array *data, const grid *g, size_t index, float *scale) {
    const size_t count = data->count / g->count;
    double largest = 0;
    for (size_t n = 0; n < count; n++)
        largest = fmax(largest, fabs(weir_array_get(data, element_of(&data->shape, g->axis, index, n))));
    *scale = 1;
    for (int most = 1; most <= MOST_FOUND_CODE && largest > 0; most++) {
        const float nearest = (float)(largest / most),
                    tries[3] = {nearest, nextafterf(nearest, 0), nextafterf(nearest, INFINITY)};
        for (int t = 0; t < 3; t++) {
            bool all = tries[t] > 0 && isfinite(tries[t]);
            for (size_t n = 0; all && n < count; n++) {
                int64_t code;
                const double number = weir_array_get(data, element_of(&data->shape, g->axis, index, n));
                all = divide((float)number, tries[t], MOST_FOUND_CODE, &code);
            }
            *scale = tries[t];
            if (all) return true;
        }
    }
    return largest == 0;
}

/* The same of weights without quantizers: one scale, else one an output. */
static bool find_grid(const weir_array *data, int axis, grid *g) {
    for (int round = 0; round < 2; round++) {
        *g = grid_new(&data->shape, round == 0 ? -1 : axis);
        bool all = true;
        for (size_t i = 0; all && i < g->count; i++) all = find_scale(data, g, i, &g->scale[i]);
        if (all && fill_codes(data, MOST_FOUND_CODE, g)) return true;
        grid_free(g);
    }
    return false;
}

/* --- in the graph --- */

static int bits_of(const grid *g) {
    int bits = 2;
    while (g->low < -((int64_t)1 << (bits - 1)) || g->high > ((int64_t)1 << (bits - 1)) - 1) bits++;
    return bits;
}

static weir_array *scales_of(const grid *g, int rank, bool broadcasts) {
    weir_shape shape = {.rank = g->axis < 0 ? 0 : broadcasts ? rank : 1};
    for (int d = 0; d < shape.rank; d++) shape.dim[d] = 1;
    if (g->axis >= 0) shape.dim[broadcasts ? g->axis : 0] = (int64_t)g->count;
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < g->count; i++) weir_array_set(scale, i, (double)g->scale[i]);
    return scale;
}

/* The grid's numbers behind a quantizer of the dialect. */
static weir_value add_quantizer(weir_rewrite *r, const fixed_value *x, const grid *g) {
    const weir_value scale = weir_rewrite_constant(r, "scale", scales_of(g, x->data->shape.rank, x->real));
    if (x->real) {
        const weir_value numbers = weir_rewrite_constant(r, "numbers", weir_array_copy(x->data));
        return weir_rewrite_quant(r, numbers, scale, 0, bits_of(g), true);
    }
    const bool small = g->low >= INT8_MIN && g->high <= INT8_MAX;
    const weir_value inputs[2] = {
        weir_rewrite_constant(r, "codes", weir_array_convert(g->codes, small ? WEIR_INT8 : WEIR_INT32)), scale};
    const weir_value made = weir_rewrite_start(r, WEIR_OP_DEQUANTIZE_LINEAR, "numbers", inputs, 2);
    weir_rewrite_set_int(r, made, "axis", g->axis < 0 ? 0 : g->axis);
    return weir_rewrite_infer(r, made);
}

/* The axis of a layer's weights that its outputs are along. */
static int output_axis(const weir_graph *graph, weir_node node, int rank) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind == WEIR_OP_MATMUL) return rank - 1;
    if (kind == WEIR_OP_GEMM) return weir_node_int(graph, node, "transB", 0) != 0 ? 0 : 1;
    return kind == WEIR_OP_CONV_TRANSPOSE ? 1 : 0;
}

/* Do lowering's rules take it as it is? */
static bool is_taken(const fixed_values *f, weir_value value) {
    const fixed_value *x = known(f, value);
    return !x->is_fixed || weir_value_type(f->graph, value)->dtype != WEIR_FLOAT32 || (x->quantized && x->plain);
}

static bool is_weights(const fixed_values *f, weir_node node, size_t index) {
    return weir_trait_of(weir_node_op(f->graph, node))->task == WEIR_TASK_LAYER && index < 2;
}

/* May the input become codes? Weights of layers alone are looked at where no quantizer says that they have some. */
static bool may_have_codes(const fixed_values *f, weir_node node, size_t index) {
    const weir_value input = weir_node_input(f->graph, node, index);
    return input.id != 0 && weir_side_has(&f->of, input.id) &&
           !known(f, weir_node_output(f->graph, node, 0))->is_fixed && !is_taken(f, input) &&
           (is_weights(f, node, index) || known(f, input)->quantized);
}

static bool has_codes(const fixed_values *f, weir_node node, size_t index, bool searches, grid *g) {
    const fixed_value *x = known(f, weir_node_input(f->graph, node, index));
    const bool weights = is_weights(f, node, index);
    if (x->step != NULL && find_codes(x, g)) return true;
    return weights && searches && find_grid(x->data, output_axis(f->graph, node, x->data->shape.rank), g);
}

static bool is_real(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (is_quantizer(weir_trait_kind(graph, node))) return true;
    return false;
}

/* Data of what a layer may have use for alone: those of large weights that are quantized as lowering takes them are as
 * large again. */
static void learn(fixed_values *f) {
    const weir_graph *graph = f->graph;
    learn_constants(f);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        learn_node(f, node);
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
            if (may_have_codes(f, node, i)) known(f, weir_node_input(graph, node, i))->is_needed = true;
    }
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node))
        need_inputs(f, node);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (gives_needed(f, node)) evaluate(f, node);
}

bool weir_lower_weights(weir_graph *graph) {
    if (!weir_remedy_has_quantizers(graph)) return true;
    fixed_values f = {graph, weir_side_new(sizeof(fixed_value), weir_graph_value_limit(graph))};
    weir_rewrite r = {.graph = graph};
    const bool searches = !is_real(graph); /* QONNX has numbers without a quantizer, as codes */
    learn(&f);
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        r.at = node;
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            if (!may_have_codes(&f, node, i)) continue;
            const fixed_value *x = known(&f, weir_node_input(graph, node, i));
            grid g;
            if (has_codes(&f, node, i, searches, &g)) {
                weir_node_set_input(graph, node, i, add_quantizer(&r, x, &g));
                grid_free(&g);
            } else if (!is_weights(&f, node, i)) { /* on no grid */
                weir_node_set_input(graph, node, i, weir_rewrite_constant(&r, "numbers", weir_array_copy(x->data)));
            }
        }
    }
    forget(&f);
    weir_eliminate_dead_code(graph);
    return weir_rewrite_finish(&r);
}
