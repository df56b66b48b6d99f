/* quantize: a float model ("model") gets a quantized twin ("quantized") by inserting quantizers, from the ranges that
 * calibration data shows.
 *   int8   as ONNX Runtime's static quantization does it: uint8 activations with a zero point (range of the
 *          calibration, zero included), int8 weights, symmetric with a scale an output channel, int32 biases at scale
 *          input * weight; QuantizeLinear and DequantizeLinear nodes
 *   fixed  MASE's fixed point: code = floor(x * 2^frac), saturated, and of constants, where it costs nothing, the
 *          nearest code (half to even) unless asked otherwise; QONNX Quant nodes with a power of two as scale
 * A model with quantizers of its own keeps them, and its layers get the int8 ones that they lack (complete.c). Else
 * quantized are the inputs of every Gemm, MatMul and Conv with constant weights, those weights (of a MatMul on either
 * side), constant addends after them, inputs of pools, both operands of additions and subtractions, and between what
 * must be hardware what a function starts from, what moves, and sums that meet a constant. Results of the last layer
 * stay accumulators, but sums are quantized. */
#include <stdlib.h>

#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/fold_affine.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/mask.h"
#include "passes/quantize/quantize_numbers.h"
#include "passes/quantize/quantizer.h"
#include "passes/quantize/quotient.h"
#include "passes/quantize/remedy.h"
#include "passes/quantize/round_weights.h"

/* A model with quantizers of its own that is complete, or that the scheme does not complete. */
static bool refuse_quantized(const weir_graph *model) {
    const weir_location whole = weir_at(weir_graph_source(model), 0);
    weir_use use;
    if (weir_remedy_unquantized(model, &use)) {
        weir_error(whole,
                   "the model is only partly quantized: tensor '%s', an input of node '%s' (%s), has no "
                   "quantizer",
                   weir_value_name(model, weir_node_input(model, use.node, use.index)), weir_node_name(model, use.node),
                   weir_node_info(model, use.node)->full_name);
        weir_note("--quantize int8 --calibration DATA completes it");
    } else {
        weir_error(whole, "the model already has quantizers");
        weir_note("drop --quantize");
    }
    return false;
}

/* Reports the node that cannot be quantized; returns false. */
static bool refuse(const weir_graph *model, weir_node node) {
    const weir_op op = weir_node_op(model, node);
    if (weir_trait_is_quantizer(op)) return refuse_quantized(model);
    weir_error(weir_node_location(model, node), "node '%s' (%s): quantize does not support this operator",
               weir_node_name(model, node), weir_node_info(model, node)->full_name);
    weir_remedy_operator(op);
    return false;
}

/* Is the node hardware wherever it stands: a layer, what is quantized always, or what the host does not compute? */
static bool is_hardware(const weir_quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node), kind = weir_trait_of(op)->kind;
    if (q->everywhere || weir_trait_of(op)->task == WEIR_TASK_LAYER || weir_quantizer_is_pool(op) ||
        !weir_trait_of(op)->is_for_host)
        return true;
    return (kind == WEIR_OP_ADD || kind == WEIR_OP_SUB) &&
           weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 0)) &&
           weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 1));
}

/* Marks what depends on hardware; true: there is more than before. What an Update takes its State gives. */
static bool mark_after(weir_quantizer *q) {
    const weir_graph *model = q->graph;
    bool more = false;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        bool is = is_hardware(q, node);
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value input = weir_node_input(model, node, i);
            is |= input.id != 0 && weir_quantizer_value(q, input)->after;
        }
        const weir_node update =
            weir_node_op(model, node) == WEIR_OP_STATE ? weir_recurrence_update(model, node) : WEIR_NO_NODE;
        if (update.id != 0) is |= weir_quantizer_value(q, weir_node_input(model, update, 0))->after;
        for (size_t i = 0; i < weir_node_output_count(model, node); i++) {
            weir_quantized_value *own = weir_quantizer_value(q, weir_node_output(model, node, i));
            more |= is && !own->after;
            own->after = is;
        }
    }
    return more;
}

/* The same of what hardware depends on. */
static bool mark_before(weir_quantizer *q) {
    const weir_graph *model = q->graph;
    bool more = false;
    for (weir_node node = weir_graph_last(model); node.id != 0; node = weir_node_previous(model, node)) {
        bool is = is_hardware(q, node);
        for (size_t i = 0; i < weir_node_output_count(model, node); i++)
            is |= weir_quantizer_value(q, weir_node_output(model, node, i))->before;
        if (weir_node_op(model, node) == WEIR_OP_UPDATE)
            is |= weir_quantizer_value(q, weir_node_input(model, node, 1))->before;
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value input = weir_node_input(model, node, i);
            if (input.id == 0 || weir_recurrence_names_state(model, node, i)) continue;
            more |= is && !weir_quantizer_value(q, input)->before;
            weir_quantizer_value(q, input)->before |= is;
        }
    }
    return more;
}

/* Values that hardware depends on (`before`) or that depend on it (`after`). */
static void mark_hardware(weir_quantizer *q) {
    const weir_graph *model = q->graph;
    bool any = false;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node))
        any |= is_hardware(q, node);
    q->everywhere = !any;
    while (mark_after(q)) continue;
    for (size_t i = 0; q->everywhere && i < weir_graph_output_count(model); i++)
        weir_quantizer_value(q, weir_graph_output(model, i))->before = true;
    while (mark_before(q)) continue;
}

/* Before the first layer and after the last the host computes what it can; between layers there is hardware. */
static bool can_quantize(const weir_quantizer *q) {
    const weir_graph *model = q->graph;
    bool fine = true;
    for (weir_node node = weir_graph_first(model); fine && node.id != 0; node = weir_node_next(model, node)) {
        const weir_op op = weir_node_op(model, node);
        const weir_value result = weir_node_output(model, node, 0);
        const bool host = weir_trait_of(op)->is_for_host && !weir_quantizer_is_between(q, result);
        fine = !weir_trait_is_quantizer(op) && /* lower_integer says what else it asks */
               (weir_lower_integer_takes(op) == WEIR_LOWERED_HARDWARE || host ||
                weir_trait_of(op)->task == WEIR_TASK_SOFTMAX);
        if (!fine) refuse(model, node);
    }
    return fine;
}

/* Options that the scheme, or the configuration, would ignore are not taken. */
static bool check_options(const weir_pass *pass) {
    static const char *const of_fixed[] = {"data_in_width",     "data_in_frac_width", "weight_width",
                                           "weight_frac_width", "bias_width",         "bias_frac_width",
                                           "constant_rounding", "fraction_rule"};
    const bool has_config = *weir_pass_string(pass, "config") != '\0';
    const size_t count = sizeof of_fixed / sizeof *of_fixed - has_config; /* whose rule a configuration has, too */
    bool fine = true;
    if (has_config && weir_pass_is_set(pass, "scheme")) {
        weir_error(WEIR_NOWHERE, "quantize: 'config' replaces 'scheme', expected only one of them");
        fine = false;
    }
    if (!has_config && weir_pass_is_set(pass, "target")) {
        weir_error(WEIR_NOWHERE, "quantize: 'target' requires a 'config'");
        fine = false;
    }
    if (has_config && (weir_pass_is_set(pass, "calibrator") || weir_pass_is_set(pass, "percentile"))) {
        weir_error(WEIR_NOWHERE, "quantize: 'config' has calibrators of its own, expected 'calibrator' there");
        fine = false;
    }
    for (size_t i = 0; (has_config || weir_pass_choice(pass, "scheme") != 1) && i < count; i++) {
        if (!weir_pass_is_set(pass, of_fixed[i])) continue;
        weir_error(WEIR_NOWHERE, "quantize: '%s' requires scheme=fixed, found %s", of_fixed[i],
                   has_config ? "a configuration" : weir_pass_string(pass, "scheme"));
        fine = false;
    }
    return fine;
}

static bool quantize_graph(weir_quantizer *q, weir_pass_context *context) {
    bool fine = weir_quantizer_calibrate(q, weir_pass_string(q->pass, "calibration"));
    if (q->partial) return fine && weir_quantizer_complete(q);
    for (weir_node node = weir_graph_first(q->graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(q->graph, node);
        if (node.id >= q->node_limit) continue; /* a quantizer that was put before a later node */
        fine = weir_quantizer_node(q, node);
        weir_pass_count(context, "nodes seen", 1);
    }
    fine = fine && weir_quantizer_outputs(q);
    weir_eliminate_dead_code(q->graph);
    return fine;
}

/* Multiplies a constant input of the Gemm by its attribute, which becomes 1. */
static void fold_factor(weir_graph *graph, weir_node node, const char *attribute, uint32_t index) {
    const double factor = weir_node_float(graph, node, attribute, 1);
    const bool is_given = index < weir_node_input_count(graph, node);
    const weir_value value = is_given ? weir_node_input(graph, node, index) : WEIR_NO_VALUE;
    const weir_array *old = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (factor == 1 || (value.id != 0 && old == NULL)) return;
    if (old != NULL) {
        weir_array *scaled = weir_array_copy(old);
        for (size_t i = 0; i < scaled->count; i++) weir_array_set(scaled, i, factor * weir_array_get(old, i));
        weir_node_set_input(graph, node, index, weir_graph_add_constant(graph, weir_value_name(graph, value), scaled));
        weir_array_free(scaled);
    }
    weir_node_set_float(graph, node, attribute, 1);
}

/* A layer has no factors besides its scales. */
static void fold_factors(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_trait_kind(graph, node) != WEIR_OP_GEMM) continue;
        fold_factor(graph, node, "alpha", 1);
        fold_factor(graph, node, "beta", 2);
    }
}

/* A quantizer then absorbs what follows a layer in one scale and one bias a channel. */
static bool fold(weir_graph *graph) {
    weir_rewrite rewrite = {.graph = graph};
    fold_factors(graph);
    weir_fold_affine(&rewrite);
    weir_eliminate_dead_code(graph);
    if (weir_rewrite_finish(&rewrite)) return true;
    weir_graph_free(graph);
    return false;
}

static bool keep_graph(weir_module *module, weir_graph *graph, bool fine) {
    if (!fine) {
        weir_graph_free(graph);
        return false;
    }
    weir_graph_set_name(graph, "quantized");
    weir_module_add_graph(module, graph);
    return true;
}

/* By a scheme. */
static bool quantize_by_scheme(weir_quantizer *q, weir_pass_context *context, weir_module *module) {
    q->keeps_histograms = q->calibrator.id != WEIR_CALIBRATOR_MAX;
    mark_hardware(q);
    weir_quantizer_widen(q);
    return keep_graph(module, q->graph, q->partial || can_quantize(q)) && quantize_graph(q, context);
}

/* Layers whose weights get scales of their own are watched, where their codes are chosen by data. */
static void watch_layers(weir_quantizer *q, weir_plan *plan) {
    if (!weir_plan_uses(plan, WEIR_NUMBER_AFFINE) || weir_pass_choice(q->pass, "weight_rounding") == 0) return;
    q->inputs = weir_layer_inputs_new(q->graph);
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node)) {
        const weir_plan_entry *entry = weir_plan_find(plan, q->graph, node);
        if (entry != NULL && entry->is_quantized && entry->has[WEIR_PLAN_WEIGHT] &&
            entry->number[WEIR_PLAN_WEIGHT].id == WEIR_NUMBER_AFFINE)
            weir_layer_inputs_add(q->inputs, node);
    }
}

static bool is_depthwise(const weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return weir_trait_kind(graph, node) == WEIR_OP_CONV && weir_node_int(graph, node, "group", 1) == x->dim[1];
}

static bool has_channels(const weir_plan_entry *entry, weir_plan_role role) {
    const weir_number *n = &entry->number[role];
    return entry->is_quantized && entry->has[role] && n->id == WEIR_NUMBER_AFFINE &&
           weir_number_get(n, WEIR_KEY_CHANNEL) != 0;
}

static void watch_data(const weir_quantizer *q, weir_value data) {
    weir_quantized_value *own = weir_quantizer_value(q, data);
    if (own->channel != NULL) return;
    own->channels = (size_t)weir_value_type(q->graph, data)->shape.dim[1];
    own->channel = weir_calloc(own->channels, sizeof *own->channel);
}

/* Data that is to have a scale a channel is watched by channel. False after reported errors: what sums over channels
 * needs one scale. */
static bool watch_channels(const weir_quantizer *q, weir_plan *plan) {
    bool fine = true;
    for (weir_node node = weir_graph_first(q->graph); node.id != 0; node = weir_node_next(q->graph, node)) {
        const weir_plan_entry *entry = weir_plan_find(plan, q->graph, node);
        if (entry == NULL || !weir_quantize_numbers_takes(q->graph, node, entry)) continue;
        const bool is_read = has_channels(entry, WEIR_PLAN_DATA_IN),
                   is_written = has_channels(entry, WEIR_PLAN_DATA_OUT);
        if (is_written || (is_read && !is_depthwise(q->graph, node))) {
            weir_error(weir_node_location(q->graph, node), "node '%s' (%s): '%s: 1' needs a depthwise convolution%s",
                       weir_node_name(q->graph, node), weir_node_info(q->graph, node)->full_name,
                       is_written ? "data_out_channel" : "data_in_channel", is_written ? " that reads the result" : "");
            fine = false;
        } else if (is_read) {
            watch_data(q, weir_node_input(q->graph, node, 0));
        }
    }
    if (!fine)
        weir_note("other nodes combine channels, which needs one scale: give 'data_in_channel: 1' to depthwise "
                  "convolutions by their names ('by: name')");
    return fine;
}

static void free_values(const weir_quantizer *q) {
    for (uint32_t id = 1; weir_side_has(&q->values, id); id++) {
        weir_quantized_value *own = weir_quantizer_value(q, (weir_value){id});
        for (size_t c = 0; c < own->channels; c++) free(own->channel[c].histogram);
        free(own->channel);
        free(own->histogram);
    }
}

/* By a configuration. */
static bool quantize_by_plan(weir_quantizer *q, weir_plan *plan, weir_module *module) {
    const char *calibration = weir_pass_string(q->pass, "calibration");
    bool fine = true;
    for (weir_node node = weir_graph_first(q->graph); fine && node.id != 0; node = weir_node_next(q->graph, node))
        if (weir_trait_is_quantizer(weir_node_op(q->graph, node))) fine = refuse_quantized(q->graph);
    if (!keep_graph(module, q->graph, fine)) return false;
    q->keeps_histograms = weir_plan_needs_histograms(plan);
    if (!watch_channels(q, plan)) return false;
    watch_layers(q, plan);
    fine = ((*calibration == '\0' && !weir_plan_needs_ranges(plan)) || weir_quantizer_calibrate(q, calibration)) &&
           weir_quantize_numbers(q, plan);
    weir_layer_inputs_free(q->inputs);
    return fine;
}

bool weir_pass_quantize(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const char *config = weir_pass_string(pass, "config");
    weir_plan *plan = NULL;
    weir_calibrator calibrator;
    if (!check_options(pass) || !weir_calibrator_of_pass(pass, &calibrator) ||
        (*config != '\0' && (plan = weir_plan_read(config)) == NULL))
        return false;
    weir_graph *graph = weir_tidy(weir_module_find_graph(module, "model"));
    weir_quantizer q = {
        .graph = graph, .pass = pass, .calibrator = calibrator, .fixed = weir_pass_choice(pass, "scheme") == 1};
    size_t fused;
    bool fine = graph != NULL && weir_fuse_normalizations(graph, false, &fused) && weir_lower_weights(graph) &&
                weir_mask_split(graph);
    if (fine) {
        /* of which some lack those that this scheme makes */
        q.partial = plan == NULL && !q.fixed && weir_remedy_completes(graph);
        fine = q.partial || (weir_quotient_split(graph) && fold(graph));
    }
    if (fine) {
        q.node_limit = weir_graph_node_limit(graph);
        q.values = weir_side_new(sizeof(weir_quantized_value), weir_graph_value_limit(graph));
        fine = plan != NULL ? quantize_by_plan(&q, plan, module) : quantize_by_scheme(&q, context, module);
        free_values(&q);
        weir_side_free(&q.values);
    }
    weir_plan_free(plan);
    return fine;
}
