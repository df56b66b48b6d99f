#include "common/nest_execute.h"

#include <math.h>
#include <string.h>

#include "ir/trait/trait.h"

static bool takes_maximum(weir_op op) { return op == WEIR_OP_MAX_POOL || op == WEIR_OP_REDUCE_MAX; }

/* One iteration of the body. */
static void iterate(const weir_loop_nest *nest, weir_op op, const weir_array *const *data, const int64_t *at,
                    weir_array *const *result) {
    double in = 0, product = 1;
    bool found = false;
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        const weir_loop_operand *operand = &nest->operand[i];
        const int64_t element = weir_loop_element(operand, at);
        if (operand->is_output || operand->name == 'B') continue;
        const double v = element < 0 ? 0 : weir_array_get(data[operand->index], (size_t)element);
        found = found || element >= 0;
        product *= v;
        in += v; /* of moves, the one operand that is there; of Add, the sum */
    }
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        const weir_loop_operand *operand = &nest->operand[i];
        const int64_t element = operand->is_output ? weir_loop_element(operand, at) : -1;
        if (element < 0) continue;
        weir_array *y = result[operand->index];
        const double before = weir_array_get(y, (size_t)element);
        double now = nest->body == WEIR_LOOP_MULTIPLY_ACCUMULATE ? before + product : in;
        if (nest->body == WEIR_LOOP_REDUCE) {
            const bool is_maximum = takes_maximum(op);
            now = !found ? before : is_maximum ? fmax(before, in) : before + in;
        }
        weir_array_set(y, (size_t)element, now);
    }
}

/* Results start from the bias, from nothing, or from less than any number. */
static void start(const weir_loop_nest *nest, weir_op op, const weir_array *const *data, const int64_t *at,
                  weir_array *const *result) {
    const weir_loop_operand *bias = weir_loop_find_operand(nest, 'B');
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        const int64_t element = nest->operand[i].is_output ? weir_loop_element(&nest->operand[i], at) : -1;
        if (element < 0) continue;
        double v = takes_maximum(op) ? -HUGE_VAL : 0;
        if (bias != NULL) v = weir_array_get(data[bias->index], (size_t)weir_loop_element(bias, at));
        weir_array_set(result[nest->operand[i].index], (size_t)element, v);
    }
}

void execute_nest(const weir_loop_nest *nest, weir_op op, const weir_array *const *data, weir_array *const *result) {
    int64_t at[64] = {0};
    const int64_t total = weir_loop_iterations(nest);
    for (int pass = 0; pass < 2; pass++) {
        memset(at, 0, sizeof at);
        for (int64_t n = 0; n < total; n++) {
            if (pass == 0) start(nest, op, data, at, result);
            else iterate(nest, op, data, at, result);
            for (uint32_t i = nest->loop_count; i-- > 0;) {
                if (++at[i] < nest->loop[i].size) break;
                at[i] = 0;
            }
        }
    }
}

/* Data or a rule says where; or something is added that the nest does not state. */
static bool is_stated(const weir_loop_nest *nest) {
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        for (int k = 0; k < nest->operand[i].rank; k++) {
            if (nest->operand[i].axis[k].is_indirect) return false;
        }
    }
    return true;
}

bool nest_is_definition(const weir_graph *graph, weir_node node, const weir_loop_nest *nest) {
    const weir_op op = weir_node_op(graph, node);
    const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 0));
    if (!weir_dtype_is_float(type->dtype) || !is_stated(nest)) return false;
    switch (op) {
    case WEIR_OP_CONV:
    case WEIR_OP_MATMUL:
    case WEIR_OP_MAX_POOL:
    case WEIR_OP_REDUCE_MAX:
    case WEIR_OP_REDUCE_SUM:
    case WEIR_OP_ADD: return true;
    case WEIR_OP_GEMM:
        return weir_node_float(graph, node, "alpha", 1) == 1 && weir_node_float(graph, node, "beta", 1) == 1;
    default: break;
    }
    /* What a Pad puts around the data is none of it where input 2 says. */
    const bool fills = weir_trait_of(op)->order == WEIR_ORDER_PAD && weir_node_input_count(graph, node) >= 3;
    return nest->body == WEIR_LOOP_MOVE && !fills;
}
