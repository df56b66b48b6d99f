/* Forms of operators that lowering does not know, written in those that it knows. Sums are exact in integers, so that all keep the results.
 *   A quantizer of data with a scale a channel   a quotient by the scales, the quantizer with a scale of 1, a product with them
 *   Gemm with transA or a computed B             Transposes of its operands and MatMul, alpha and beta times C
 *   MatMul of constant matrices by data          the Transpose of the product of the transposed operands
 *   MatMul of data by a constant vector          by a matrix of one column
 * O(size). */
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"

#define NODE(op, suffix, ...) WEIR_REWRITE_NODE(r, WEIR_OP_##op, suffix, __VA_ARGS__)

static weir_value input_of(const weir_rewrite *r, size_t index) { return weir_node_input(r->graph, r->at, index); }

static const weir_shape *shape_of(const weir_rewrite *r, weir_value value) {
    return &weir_value_type(r->graph, value)->shape;
}

/* Is it a constant, also behind quantizers and in another shape? All else that depends on constants only is folded. */
static bool is_fixed(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    for (; maker.id != 0; maker = weir_value_producer(graph, value)) {
        const weir_op op = weir_node_op(graph, maker), kind = weir_trait_of(op)->kind;
        if (!weir_trait_is_quantizer(op) && kind != WEIR_OP_TRANSPOSE && kind != WEIR_OP_RESHAPE) return false;
        value = weir_node_input(graph, maker, 0);
    }
    return weir_value_constant(graph, value) != NULL;
}

/* --- quantizers --- */

static const weir_array *scales_of(const weir_rewrite *r) {
    const weir_op kind = weir_trait_kind(r->graph, r->at);
    const bool quantizes = kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT;
    return quantizes ? weir_value_constant(r->graph, input_of(r, 1)) : NULL;
}

static bool has_scales(const weir_rewrite *r) {
    const weir_array *scale = scales_of(r);
    return scale != NULL && scale->count > 1 && !is_fixed(r->graph, input_of(r, 0));
}

static void part_scales(weir_rewrite *r) {
    const weir_op op = weir_node_op(r->graph, r->at), kind = weir_trait_of(op)->kind;
    const weir_value scales = input_of(r, 1), one = weir_rewrite_number(r, "one", WEIR_FLOAT32, 1);
    const weir_value x = kind == WEIR_OP_QUANT ? NODE(DIV, "scaled", input_of(r, 0), scales) : input_of(r, 0);
    const weir_value inputs[4] = {x, one, input_of(r, 2), input_of(r, 3)};
    const weir_value codes = weir_rewrite_start(r, op, "codes", inputs, weir_node_input_count(r->graph, r->at));
    weir_rewrite_copy_attributes(r, codes, r->at);
    weir_rewrite_become(r, NODE(MUL, "real", weir_rewrite_infer(r, codes), scales));
}

/* --- products --- */

static weir_value transposed(weir_rewrite *r, const char *suffix, weir_value value) {
    const int rank = shape_of(r, value)->rank;
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < rank; i++) perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    const weir_value made = weir_rewrite_start(r, WEIR_OP_TRANSPOSE, suffix, &value, 1);
    weir_node_set_ints(r->graph, weir_value_producer(r->graph, made), "perm", perm, (size_t)rank);
    return weir_rewrite_infer(r, made);
}

/* Of two matrices; weights are the second operand, so that one that is the first is turned. */
static weir_value product_of(weir_rewrite *r, weir_value a, weir_value b) {
    if (!is_fixed(r->graph, a)) return NODE(MATMUL, "product", a, b);
    const weir_value x = transposed(r, "columns", b), w = transposed(r, "weights", a);
    return transposed(r, "turned", NODE(MATMUL, "product", x, w));
}

static bool is_gemm_of_two(const weir_rewrite *r) {
    return weir_trait_kind(r->graph, r->at) == WEIR_OP_GEMM &&
           (weir_node_int(r->graph, r->at, "transA", 0) != 0 || !is_fixed(r->graph, input_of(r, 1)));
}

static weir_value times(weir_rewrite *r, const char *suffix, const char *factor, weir_value value) {
    const double by = weir_node_float(r->graph, r->at, factor, 1);
    return by == 1 ? value : NODE(MUL, suffix, value, weir_rewrite_number(r, factor, WEIR_FLOAT32, by));
}

static void part_gemm(weir_rewrite *r) {
    weir_value a = input_of(r, 0), b = input_of(r, 1), c = input_of(r, 2);
    if (weir_node_int(r->graph, r->at, "transA", 0) != 0) a = transposed(r, "a", a);
    if (weir_node_int(r->graph, r->at, "transB", 0) != 0) b = transposed(r, "b", b);
    const weir_value product = times(r, "scaled", "alpha", product_of(r, a, b));
    weir_rewrite_become(r, c.id == 0 ? product : NODE(ADD, "sum", product, times(r, "addend", "beta", c)));
}

static bool is_by_constant(const weir_rewrite *r, size_t index) {
    return weir_trait_kind(r->graph, r->at) == WEIR_OP_MATMUL && is_fixed(r->graph, input_of(r, index)) &&
           !is_fixed(r->graph, input_of(r, 1 - index));
}

static bool are_matrices(const weir_rewrite *r) {
    return shape_of(r, input_of(r, 0))->rank >= 2 && shape_of(r, input_of(r, 1))->rank >= 2;
}

static void widen_vector(weir_rewrite *r) {
    const weir_shape matrix = {2, {shape_of(r, input_of(r, 1))->dim[0], 1}};
    const weir_value w = weir_rewrite_reshape(r, "matrix", input_of(r, 1), &matrix);
    weir_rewrite_become(r, weir_rewrite_reshape(r, "vector", NODE(MATMUL, "product", input_of(r, 0), w),
                                                shape_of(r, weir_node_output(r->graph, r->at, 0))));
}

bool weir_lower_forms(weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        r.at = node;
        if (has_scales(&r)) part_scales(&r);
        else if (is_gemm_of_two(&r)) part_gemm(&r);
        else if (is_by_constant(&r, 0) && are_matrices(&r))
            weir_rewrite_become(&r, product_of(&r, input_of(&r, 0), input_of(&r, 1)));
        else if (is_by_constant(&r, 1) && shape_of(&r, input_of(&r, 1))->rank == 1) widen_vector(&r);
    }
    return weir_rewrite_finish(&r);
}
