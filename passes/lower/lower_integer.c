/* lower_integer: from the quantized graph ("quantized", else "model": quantizers in any ONNX dialect) to the integer
 * graph ("integer"), in which every operator between Encode and Decode works on integer codes with exact semantics.
 * Each value of the model becomes an expression (expression.h); the table at the end has one rule per operator. Linear
 * in the graph. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/analysis/compare_lowered.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/function.h"
#include "passes/quantize/quotient.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { MOST_CODE_BITS = 16 };

/* --- linear algebra --- */

/* Of what is left of it (lower_forms.c). */
static bool lower_gemm(weir_lowering *l, weir_node node) {
    assert(weir_node_int(l->from, node, "transA", 0) == 0 && weir_node_float(l->from, node, "alpha", 1) == 1);
    return weir_lower_linear(l, node, weir_lower_input(l, node, 0), weir_lower_input(l, node, 1),
                             weir_node_int(l->from, node, "transB", 0) != 0, weir_lower_input(l, node, 2));
}

static bool lower_conv(weir_lowering *l, weir_node node) {
    return weir_lower_conv(l, node, weir_lower_input(l, node, 0), weir_lower_input(l, node, 1),
                           weir_lower_input(l, node, 2));
}

static bool lower_add(weir_lowering *l, weir_node node) {
    const weir_expression *a = weir_lower_input(l, node, 0), *b = weir_lower_input(l, node, 1);
    if (weir_expression_has_data(a) != weir_expression_has_data(b)) return weir_lower_affine(l, node);
    return weir_lower_is_function(l, node) && !weir_lower_joins_carried(l, node) ? weir_lower_function(l, node)
                                                                                 : weir_lower_add(l, node, a, b);
}

static bool lower_mul(weir_lowering *l, weir_node node) {
    const weir_expression *a = weir_lower_input(l, node, 0), *b = weir_lower_input(l, node, 1);
    if (weir_expression_has_codes(a) && weir_expression_has_codes(b) && !weir_lower_is_function(l, node))
        return weir_lower_multiply(l, node, a, b);
    if (weir_expression_is_hardware(a) && weir_expression_is_hardware(b) && weir_lower_joins_carried(l, node))
        return weir_lower_multiply(l, node, a, b);
    return weir_lower_affine(l, node);
}

static bool lower_clip(weir_lowering *l, weir_node node) {
    return weir_lower_clipped_quotient(l, node) || weir_lower_affine(l, node);
}

static bool lower_relu(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION) return weir_lower_function(l, node);
    if (!weir_expression_has_codes(x)) return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    weir_lower_set(l, node, weir_expression_relu(weir_graph_arena(l->to), x));
    return true;
}

static bool lower_mean_pool(weir_lowering *l, weir_node node) {
    return weir_lower_mean_pool(l, node, weir_lower_input(l, node, 0));
}

static bool with_quantizer(weir_lowering *l, weir_node node, weir_lower_rule_before *rule) {
    weir_quant quant;
    return weir_lower_read_consumer(l, node, &quant) && rule(l, node, quant.count == 1 ? &quant : NULL);
}

static bool lower_transpose(weir_lowering *l, weir_node node) {
    return weir_lower_transposes(l, node) ? with_quantizer(l, node, weir_lower_move) : weir_lower_shape(l, node);
}

static bool lower_identity(weir_lowering *l, weir_node node) {
    weir_lower_set(l, node, weir_lower_input(l, node, 0));
    return true;
}

static bool none(weir_lowering *l, weir_node node) {
    (void)l;
    (void)node;
    weir_unreachable("the rule of an operator that has none");
}

/* One of them, or none. */
typedef struct row {
    weir_lower_rule *rule;
    weir_lower_rule_before *before;
} row;

static const row rows[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = {none, NULL},
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define LOWER(rule) {rule, NULL},
#define LOWER_BEFORE(rule) {NULL, rule},
#include "ir/graph/op.def"
};

static weir_lower_rule *own_rule_of(weir_op op) {
    weir_lower_rule *rule = op < WEIR_OP_COUNT ? rows[op].rule : weir_operator_of(op)->lower;
    return rule == none ? NULL : rule;
}

static bool lower_before(weir_lowering *l, weir_node node) {
    return with_quantizer(l, node, rows[weir_node_op(l->from, node)].before);
}

/* NULL: it has none. */
static weir_lower_rule *rule_of(weir_op op) {
    return op < WEIR_OP_COUNT && rows[op].before != NULL ? lower_before : own_rule_of(op);
}

weir_lowered weir_lower_integer_takes(weir_op op) {
    if (weir_fold_constants_removes(op) || weir_simplify_expressions_removes(op)) return WEIR_LOWERED_BEFORE;
    if (rule_of(op) != NULL) return WEIR_LOWERED_HARDWARE;
    return weir_trait_of(op)->is_for_host ? WEIR_LOWERED_HOST : WEIR_LOWERED_REFUSED;
}

/* --- the pass --- */

/* Sums become codes by real arithmetic where one quantizer of the model is defined so, or the model computes with whole
 * numbers. */
static weir_contract contract_of(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_lower_is_whole(weir_node_op(graph, node)) || weir_lower_is_quotient(graph, node))
            return WEIR_CONTRACT_REAL;
        if (weir_trait_is_quantizer(weir_node_op(graph, node)) && weir_lower_is_real(weir_node_op(graph, node)))
            return WEIR_CONTRACT_REAL;
    }
    return WEIR_CONTRACT_ONNXRUNTIME;
}

/* Does a conversion to real numbers take the value, or a Gather as positions, as it is or in another shape? What such
 * integers mean is the host's. */
static bool is_converted(const weir_lowering *l, weir_value value) {
    for (size_t i = 0; i < weir_value_use_count(l->from, value); i++) {
        const weir_use use = weir_value_use(l->from, value, i);
        const weir_op op = weir_node_op(l->from, use.node), kind = weir_trait_of(op)->kind;
        const bool shape = rule_of(op) == weir_lower_shape || rule_of(op) == lower_identity;
        if (kind == WEIR_OP_CAST || (kind == WEIR_OP_GATHER && use.index == 1) ||
            (shape && is_converted(l, weir_node_output(l->from, use.node, 0))))
            return true;
    }
    return false;
}

static void number_nodes(weir_lowering *l) {
    uint32_t position = 0;
    for (weir_node node = weir_graph_first(l->from); node.id != 0; node = weir_node_next(l->from, node)) {
        position++;
        for (size_t i = 0; i < weir_node_output_count(l->from, node); i++)
            l->of[weir_node_output(l->from, node, i).id].position = position;
    }
}

static void lower_values(weir_lowering *l) {
    weir_arena *arena = weir_graph_arena(l->to);
    for (size_t i = 0; i < weir_graph_input_count(l->from); i++) {
        weir_value input = weir_graph_input(l->from, i);
        weir_type type = *weir_value_type(l->from, input);
        bool real = type.quant.format == WEIR_FORMAT_FLOAT || is_converted(l, input);
        if (!real && !type.has_range) {
            weir_quant_limits(&type.quant, &type.low, &type.high);
            type.has_range = true;
        }
        weir_value value = weir_graph_add_input(l->to, weir_value_name(l->from, input), &type);
        weir_lower_become(l, input,
                          real ? weir_expression_real(arena, value, NULL) : weir_expression_codes(arena, value));
    }
    for (uint32_t id = 1; id < weir_graph_value_limit(l->from); id++) {
        weir_value value = {id};
        if (!weir_value_exists(l->from, value) || weir_value_constant(l->from, value) == NULL) continue;
        weir_lower_become(l, value, weir_expression_constant(arena, weir_value_constant(l->from, value)));
        weir_lower_whole_weights(l, value);
    }
}

/* Why no hardware computes the node, as errors that are kept. */
static weir_diag_log *refuse(weir_lowering *l, weir_node node) {
    weir_diag_log *log = weir_diag_capture();
    weir_lower_fail(l, node,
                    "is between quantized operators, but only the host computes it, before the first "
                    "quantizer or after the last");
    weir_remedy_operator(weir_node_op(l->from, node));
    weir_diag_release(log);
    return log;
}

/* A quantizer of what the host computes after the hardware is the host's, too, and before it what makes numbers of its
 * codes. */
static bool quantizes_on_host(const weir_lowering *l, weir_node node) {
    const weir_expression_kind kind = weir_expression_kind_of(weir_lower_input(l, node, 0));
    return kind == WEIR_EXPRESSION_HOST ||
           (kind == WEIR_EXPRESSION_REAL && weir_trait_kind(l->from, node) == WEIR_OP_DEQUANTIZE_LINEAR);
}

/* May the host compute this one? A layer is hardware's work: one without quantizers is an oversight, and not the
 * host's. But a small one behind what only the host computes is a part of that (the mean of a Softmax at the end of
 * detectors), and QONNX leaves out the quantizer of an input that its first layer takes as it is. */
static bool is_host_work(const weir_lowering *l, weir_node node) {
    const weir_op op = weir_node_op(l->from, node);
    if (weir_trait_of(op)->task != WEIR_TASK_LAYER) return weir_trait_of(op)->is_for_host;
    const weir_expression_kind kind = weir_expression_kind_of(weir_lower_input(l, node, 0));
    if (kind == WEIR_EXPRESSION_HOST) return weir_lower_is_small(l->from, node);
    return weir_trait_of(op)->is_for_host && l->contract == WEIR_CONTRACT_REAL && kind == WEIR_EXPRESSION_REAL &&
           weir_expression_has_data(weir_lower_input(l, node, 1));
}

/* Has each result of the node elements, so that a frame of it is a stream? */
static bool has_elements(const weir_lowering *l, weir_node node) {
    bool all = true;
    for (size_t i = 0; i < weir_node_output_count(l->from, node); i++) {
        size_t count = 1;
        const weir_value result = weir_node_output(l->from, node, i);
        all &= !weir_value_exists(l->from, result) ||
               !weir_shape_count(&weir_value_type(l->from, result)->shape, &count) || count > 0;
    }
    return all;
}

/* How far its results may be from the exact ones is known. */
static void keep_rounding(weir_lowering *l, weir_node node) {
    for (size_t i = 0; l->rounding > 0 && i < weir_node_output_count(l->from, node); i++) {
        const weir_value value = weir_node_output(l->from, node, i);
        const weir_expression *x = weir_lower_expression(l, value);
        if (weir_expression_source(x) != WEIR_EXPRESSION_CODES) continue;
        weir_leaf leaf = *weir_expression_leaf(x);
        leaf.rounding = l->rounding;
        l->of[value.id].expression = weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf);
    }
}

/* Of a node whose work is done: the input that is computed. */
static bool pass_on(weir_lowering *l, weir_node node) {
    size_t index = 0;
    while (!weir_expression_has_codes(weir_lower_input(l, node, index))) index++;
    weir_lower_set(l, node, weir_lower_input(l, node, index));
    return true;
}

/* The node as hardware; else, where the host may compute it, there, and the reason is kept. */
static bool lower_node(weir_lowering *l, weir_node node) {
    const weir_op op = weir_node_op(l->from, node);
    weir_lower_rule *rule = rule_of(op);
    if (!has_elements(l, node))
        return weir_lower_fail(l, node, "its result has no elements: there is nothing to compute");
    if (l->of[weir_node_output(l->from, node, 0).id].is_done) return pass_on(l, node);
    weir_diag_log *log = NULL;
    bool fine = false;
    if (rule != NULL) {
        log = weir_diag_capture();
        l->rounding = 0;
        fine = weir_lower_mask(l, node) || weir_lower_beside(l, node, rule);
        if (fine) keep_rounding(l, node);
        weir_diag_release(log);
    }
    const bool host = is_host_work(l, node) && (!weir_trait_is_quantizer(op) || quantizes_on_host(l, node));
    if (!fine && host) return weir_lower_on_host(l, node, log != NULL ? log : refuse(l, node));
    const weir_diag_log *cause = NULL;
    for (size_t i = 0; !fine && rule != NULL && i < weir_node_input_count(l->from, node); i++) {
        const weir_expression *x = weir_lower_input(l, node, i);
        if (cause == NULL && weir_expression_kind_of(x) == WEIR_EXPRESSION_HOST) cause = weir_expression_cause(x);
    }
    if (rule != NULL) {
        weir_diag_replay(cause != NULL ? cause : log);
        weir_diag_log_free(log);
    } else {
        weir_lower_fail(l, node, "has no lowering to integers");
        weir_remedy_operator(op);
    }
    return fine;
}

static void free_lowering(weir_lowering *l) {
    for (size_t i = 0; i < l->log_count; i++) weir_diag_log_free(l->log[i]);
    free(l->log);
    free(l->infinite);
    free(l->of);
}

/* The integer graph of a prepared model and which of its values stand for which. NULL after a reported error, of the
 * node at place `*failed`, from 1 on. */
static weir_graph *lower_model(const weir_graph *model, bool carries, weir_counterparts **counterparts,
                               size_t *failed) {
    weir_graph *to = weir_graph_new("integer");
    weir_lowering l = {
        .from = model, .to = to, .contract = contract_of(model), .carries = carries, .affine = weir_lower_affine};
    l.of = weir_calloc(weir_graph_value_limit(model), sizeof *l.of);
    weir_graph_set_source(to, weir_graph_source(model));
    const weir_word_list classes = weir_graph_classes(model);
    weir_graph_set_contract(to, weir_graph_contract_of(model));
    weir_graph_set_batch(to, weir_graph_batch(model));
    weir_graph_set_classes(to, &classes);
    number_nodes(&l);
    lower_values(&l);
    bool fine = true;
    *failed = 0;
    for (weir_node node = weir_graph_first(model); fine && node.id != 0; node = weir_node_next(model, node)) {
        ++*failed;
        fine = lower_node(&l, node);
    }
    for (size_t i = 0; fine && i < weir_graph_output_count(model); i++) {
        const weir_value result = weir_lower_result(&l, i);
        fine = result.id != 0;
        if (fine) weir_graph_add_output(to, weir_graph_output_name(model, i), result);
    }
    weir_eliminate_dead_code(to); /* nodes of rules that failed halfway, and nodes that functions replaced */
    fine = fine && weir_layout_refresh(to);
    if (fine) *counterparts = weir_lower_counterparts(&l);
    free_lowering(&l);
    if (fine) return to;
    weir_graph_free(to);
    return NULL;
}

/* With values carried where there is no other lowering; of two refusals the one is told that comes later in the model,
 * which knows more. */
weir_graph *weir_lower_prepared(const weir_graph *model, weir_counterparts **counterparts) {
    size_t failed[2];
    weir_diag_log *log[2] = {weir_diag_capture(), NULL};
    weir_graph *made = lower_model(model, false, counterparts, &failed[0]);
    weir_diag_release(log[0]);
    bool second = false;
    if (made == NULL) {
        log[1] = weir_diag_capture();
        made = lower_model(model, true, counterparts, &failed[1]);
        weir_diag_release(log[1]);
        second = made != NULL || failed[1] >= failed[0];
    }
    weir_diag_replay(log[second]);
    for (int i = 0; i < 2; i++)
        if (log[i] != NULL) weir_diag_log_free(log[i]);
    return made;
}

weir_graph *weir_lower_prepare(const weir_graph *model, bool *reordered) {
    if (!weir_remedy_formats(model)) return NULL;
    weir_graph *graph = weir_tidy(model);
    size_t fused;
    *reordered = false;
    if (graph == NULL ||
        (weir_fuse_normalizations(graph, true, &fused) && weir_lower_weights(graph) && weir_lower_forms(graph) &&
         weir_quotient_split(graph) && weir_convert_layout(graph, reordered)))
        return graph;
    weir_graph_free(graph);
    return NULL;
}

weir_graph *weir_lower_integer(const weir_graph *model) {
    weir_counterparts *counterparts = NULL;
    bool reordered;
    weir_graph *prepared = weir_lower_prepare(model, &reordered),
               *integer = prepared == NULL ? NULL : weir_lower_prepared(prepared, &counterparts);
    const bool fine = integer != NULL && weir_compare_lowered(&(weir_lowered_graphs){model, prepared, integer, NULL,
                                                                                     reordered, counterparts},
                                                              &(weir_lowered_effort){.seed = 1, .data = ""});
    weir_counterparts_free(counterparts);
    weir_graph_free(prepared);
    if (fine) return integer;
    weir_graph_free(integer);
    return NULL;
}

const weir_graph *weir_lower_source(const weir_module *module) {
    const weir_graph *quantized = weir_module_find_graph(module, "quantized");
    return quantized != NULL ? quantized : weir_module_find_graph(module, "model");
}

/* Is the node a value that no quantizer takes and that is not exact (lower_carry.c): a fixed point number, or a table
 * of such? */
static bool is_fixed_point(const weir_graph *integer, weir_node node) {
    const weir_op op = weir_node_op(integer, node);
    const weir_type *type = weir_value_type(integer, weir_node_output(integer, node, 0));
    return op == WEIR_OP_SCALE || (op == WEIR_OP_LOOKUP && weir_bits_for(type->low, type->high) > MOST_CODE_BITS);
}

/* How many there are; who asked for codes shall know of them. */
static int64_t tell_fixed_point(const weir_graph *integer) {
    int64_t count = 0;
    weir_node first = WEIR_NO_NODE;
    for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node)) {
        if (!is_fixed_point(integer, node)) continue;
        if (count++ == 0) first = node;
    }
    if (count > 0)
        weir_note(
            "values without a quantizer are fixed-point numbers (%lld), finer than float32 near the largest of their "
            "tensor; the first is that of node '%s'",
            (long long)count, weir_node_name(integer, first));
    return count;
}

bool weir_pass_lower_integer(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    weir_graph *integer = weir_lower_integer(weir_lower_source(module));
    if (integer == NULL) return false;
    weir_pass_count(context, "nodes made", (int64_t)weir_graph_node_count(integer));
    const int64_t numbers = tell_fixed_point(integer);
    if (numbers > 0) weir_pass_count(context, "values in fixed point", numbers);
    weir_module_add_graph(module, integer);
    return true;
}
