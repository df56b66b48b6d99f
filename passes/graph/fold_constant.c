/* Nodes whose inputs are all constants become constants, computed by the reference kernels, so results keep their bits.
 * Shape and Size need no constants, since shapes are known. What has no data as input is left alone: ConstantOfShape,
 * whose input is an attribute in fact. So are quantizers unless asked for: a QDQ model says by DequantizeLinear on a
 * constant how its weights are quantized; but what layers and operators of codes make of such alone is none.
 * O(size + work of the folded nodes). */
#include <stdlib.h>

#include "exec/evaluate.h"
#include "exec/kernel.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* Is the result that of the input's shape alone? */
static bool reads_shape(weir_op op) { return weir_trait_of(op)->order == WEIR_ORDER_SHAPE; }

bool weir_fold_constants_removes(weir_op op) { return reads_shape(op); }

/* All inputs that are given are constants, and there is one. */
static bool is_fixed(const weir_graph *graph, weir_node node, bool filled) {
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, node))->task;
    const bool quantized =
        filled && (task == WEIR_TASK_LAYER || task == WEIR_TASK_CODE_LAYER || task == WEIR_TASK_CODE_OPERATOR);
    bool any = false;
    if (reads_shape(weir_node_op(graph, node))) return true;
    if (weir_trait_kind(graph, node) == WEIR_OP_CONSTANT_OF_SHAPE && !filled) return false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id == 0) continue;
        if (quantized ? !weir_rewrite_is_fixed(graph, input) : weir_value_constant(graph, input) == NULL) return false;
        any = true;
    }
    return any;
}

static weir_array **evaluate(const weir_graph *graph, weir_node node);

/* What quantizers make of a constant, on the heap; NULL where no kernel computes it. */
static weir_array *quantized_of(const weir_graph *graph, weir_value value) {
    const weir_node maker = weir_value_producer(graph, value);
    weir_array **results = maker.id == 0 ? NULL : evaluate(graph, maker), *result = results == NULL ? NULL : results[0];
    free(results);
    return result;
}

/* The node's results on the heap, or NULL when no kernel computes it. */
static weir_array **evaluate(const weir_graph *graph, weir_node node) {
    const size_t given = weir_node_input_count(graph, node);
    const weir_array **inputs = weir_calloc(given + 1, sizeof *inputs);
    weir_array **made = weir_calloc(given + 1, sizeof *made);
    bool fine = true;
    for (size_t i = 0; i < given; i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id == 0) continue;
        inputs[i] = weir_value_constant(graph, input);
        if (inputs[i] != NULL || !weir_rewrite_is_fixed(graph, input)) continue; /* Shape takes any */
        inputs[i] = made[i] = quantized_of(graph, input);
        fine &= inputs[i] != NULL;
    }
    weir_array **results = fine ? weir_evaluate_node(graph, node, inputs) : NULL;
    for (size_t i = 0; i < given; i++) weir_array_free(made[i]);
    free(made);
    free(inputs);
    return results;
}

/* The output becomes a constant of its type and, once the node is gone, of its name. */
static weir_value replace_output(weir_rewrite *rewrite, weir_value output, const weir_array *result) {
    weir_graph *graph = rewrite->graph;
    const weir_value constant = weir_graph_add_constant(graph, weir_value_name(graph, output), result);
    weir_type type = *weir_value_type(graph, output);
    const weir_type *found = weir_value_type(graph, constant);
    type.has_range = found->has_range;
    type.low = found->low;
    type.high = found->high;
    weir_value_set_type(graph, constant, &type);
    weir_rewrite_replace(rewrite, output, constant);
    return constant;
}

static void fold(weir_rewrite *rewrite, weir_node node) {
    weir_graph *graph = rewrite->graph;
    const size_t outputs = weir_node_output_count(graph, node);
    weir_array **results = evaluate(graph, node);
    if (results == NULL) return;
    weir_value *constants = weir_calloc(outputs, sizeof *constants);
    const char **names = weir_calloc(outputs, sizeof *names);
    for (size_t i = 0; i < outputs; i++) {
        const weir_value output = weir_node_output(graph, node, i);
        names[i] = weir_value_name(graph, output);
        constants[i] = replace_output(rewrite, output, results[i]);
        weir_array_free(results[i]);
    }
    weir_rewrite_remove(rewrite, node);
    for (size_t i = 0; i < outputs; i++) {
        const bool used = weir_value_use_count(graph, constants[i]) > 0 || weir_value_is_output(graph, constants[i]);
        if (used) weir_value_set_name(graph, constants[i], names[i]);
        else weir_graph_remove_value(graph, constants[i]);
    }
    free(results);
    free(constants);
    free(names);
}

bool weir_fold_constants(weir_graph *graph, weir_fold what, size_t *count) {
    weir_rewrite rewrite = {.graph = graph};
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!weir_rewrite_may(graph, node) || !is_fixed(graph, node, what == WEIR_FOLD_FILLED)) continue;
        if (what == WEIR_FOLD_QUANTIZERS || !weir_trait_is_quantizer(weir_node_op(graph, node))) fold(&rewrite, node);
    }
    *count = rewrite.count;
    return weir_rewrite_finish(&rewrite);
}

bool weir_pass_fold_constant(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    size_t count;
    const bool fine =
        weir_fold_constants(graph, weir_pass_bool(pass, "fold_qnn") ? WEIR_FOLD_QUANTIZERS : WEIR_FOLD_AS_TVM, &count);
    weir_pass_count(context, "nodes folded", (int64_t)count);
    if (count == 0) weir_pass_unchanged(context);
    return fine;
}
