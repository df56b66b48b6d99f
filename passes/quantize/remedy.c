#include "passes/quantize/remedy.h"

#include <stdlib.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/number/number.h"
#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/unreachable.h"

void weir_remedy_operator(weir_op op) {
    const weir_trait_task task = weir_trait_of(op)->task;
    if (weir_trait_of(op)->kind == WEIR_OP_SOFTMAX)
        weir_note("between layers it needs a quantizer before and after it; after the last layer it runs on the host");
    else if (task == WEIR_TASK_SOFTMAX)
        weir_note(
            "between layers it has no hardware; after the last layer it runs on the host: compile the parts before "
            "and after it as two models");
    else
        weir_note(
            "no pass can replace it; weir eval --engine float runs it; passes/lower/README.md lists what can be lowered");
}

static weir_number integers(int width) {
    weir_number number = weir_number_new(WEIR_NUMBER_INTEGER);
    weir_number_set(&number, WEIR_KEY_WIDTH, width);
    return number;
}

static int setting(const weir_graph *model, weir_node node, size_t index) {
    return (int)weir_array_get_int(weir_value_constant(model, weir_node_input(model, node, index)), 0);
}

/* The format of the node's result where it has no hardware, in heap memory, and the nearest that has; NULL: it has. */
static char *format_without_hardware(const weir_graph *model, weir_node node, weir_number *near) {
    const weir_op kind = weir_trait_kind(model, node);
    if (kind == WEIR_OP_FLOAT_QUANT) {
        const int exponent = setting(model, node, 2), mantissa = setting(model, node, 3);
        *near = integers(exponent + mantissa + 1);
        return weir_format("a float with %d bits of exponent, %d of mantissa and bias %d", exponent, mantissa,
                           setting(model, node, 4));
    }
    if (kind == WEIR_OP_QUANTIZE_LINEAR || kind == WEIR_OP_DEQUANTIZE_LINEAR) {
        const weir_value codes =
            kind == WEIR_OP_QUANTIZE_LINEAR ? weir_node_output(model, node, 0) : weir_node_input(model, node, 0);
        const weir_dtype dtype = weir_value_type(model, codes)->dtype;
        const int64_t block = weir_node_int(model, node, "block_size", 0);
        *near = weir_number_new(WEIR_NUMBER_AFFINE);
        weir_number_set(near, WEIR_KEY_WIDTH, weir_dtype_bits(dtype));
        if (block != 0)
            return weir_format("%s with a scale for %lld elements", weir_dtype_name(dtype), (long long)block);
        return weir_dtype_is_float(dtype) ? weir_format("%s", weir_dtype_name(dtype)) : NULL;
    }
    if (kind != WEIR_OP_FAKE_QUANTIZE) return NULL;
    weir_number number;
    const char *format = weir_node_string(model, node, "format", "");
    if (!weir_number_parse(format, &number)) weir_unreachable("a format that inference refuses");
    *near = weir_number_nearest_hardware(&number);
    return weir_format("'%s'", format);
}

/* Reports quantizers that measure each input; false then. */
static bool has_fixed_scales(const weir_graph *model) {
    bool fine = true;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        if (weir_trait_kind(model, node) != WEIR_OP_DYNAMIC_QUANTIZE_LINEAR) continue;
        weir_error(
            weir_node_location(model, node),
            "node '%s' (DynamicQuantizeLinear): its scales are computed from each input, hardware needs fixed ones",
            weir_node_name(model, node));
        fine = false;
    }
    if (!fine) weir_note(WEIR_DYNAMIC_REMEDY);
    return fine;
}

bool weir_remedy_formats(const weir_graph *model) {
    bool fine = true, configured = true;
    if (!has_fixed_scales(model)) return false;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        if (*weir_node_string(model, node, "calibrator", "") != '\0') {
            weir_error(weir_node_location(model, node), "node '%s' has no range: run tensorrt_calibrate",
                       weir_node_name(model, node));
            return false;
        }
        weir_number near;
        char *format = format_without_hardware(model, node, &near);
        if (format == NULL) continue;
        char *text = weir_number_print(&near);
        weir_error(weir_node_location(model, node),
                   "node '%s': %s has no hardware here; the nearest format that has is '%s'",
                   weir_node_name(model, node), format, text);
        free(text);
        free(format);
        configured &= weir_trait_kind(model, node) == WEIR_OP_FAKE_QUANTIZE;
        fine = false;
    }
    if (!fine && configured)
        weir_note("--target hardware takes the nearest ones; weir eval --engine float runs the model as it is");
    else if (!fine) weir_note("weir eval --engine float runs the model as it is");
    return fine;
}

bool weir_remedy_has_quantizers(const weir_graph *model) {
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        const weir_op op = weir_node_op(model, node);
        const weir_trait_task task = weir_trait_of(op)->task;
        if (weir_trait_is_quantizer(op) || task == WEIR_TASK_CODE_LAYER || task == WEIR_TASK_CODE_OPERATOR) return true;
    }
    return false;
}

/* Operators through which the codes of a quantizer pass. */
static bool keeps_codes(weir_op op) {
    const weir_trait *trait = weir_trait_of(op);
    return weir_index_map_exists(op) || trait->kind == WEIR_OP_RELU ||
           (trait->task == WEIR_TASK_EXTREME && trait->is_exact);
}

bool weir_remedy_is_quantized(const weir_graph *model, weir_value value) {
    weir_node producer = weir_value_producer(model, value);
    while (producer.id != 0 && keeps_codes(weir_node_op(model, producer)))
        producer = weir_value_producer(model, weir_node_input(model, producer, 0));
    return producer.id != 0 && weir_trait_is_quantizer(weir_node_op(model, producer));
}

/* Where a value's numbers come from. */
typedef enum origin { OF_CONSTANTS, OF_REALS, OF_CODES } origin;

typedef struct flow {
    const weir_graph *model;
    origin *of;    /* by value id */
    bool *leads;   /* by value id: to a quantizer or a layer */
    bool *chooses; /* by value id: a truth value that chooses among what quantizers made */
} flow;

static bool is_quantizer_or_layer(weir_op op) {
    return weir_trait_is_quantizer(op) || weir_trait_of(op)->task == WEIR_TASK_LAYER ||
           weir_trait_of(op)->task == WEIR_TASK_CODE_LAYER || weir_trait_of(op)->task == WEIR_TASK_CODE_OPERATOR;
}

static origin origin_of(const flow *f, weir_node node) {
    origin most = OF_CONSTANTS;
    for (size_t i = 0; i < weir_node_input_count(f->model, node); i++) {
        const weir_value input = weir_node_input(f->model, node, i);
        if (input.id != 0 && f->of[input.id] > most) most = f->of[input.id];
    }
    return most != OF_CONSTANTS && weir_trait_is_quantizer(weir_node_op(f->model, node)) ? OF_CODES : most;
}

static flow flow_of(const weir_graph *model) {
    const size_t limit = weir_graph_value_limit(model);
    flow f = {model, weir_calloc(limit, sizeof *f.of), weir_calloc(limit, sizeof *f.leads),
              weir_calloc(limit, sizeof *f.chooses)};
    for (size_t i = 0; i < weir_graph_input_count(model); i++) f.of[weir_graph_input(model, i).id] = OF_REALS;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        const origin made = origin_of(&f, node);
        for (size_t i = 0; i < weir_node_output_count(model, node); i++)
            f.of[weir_node_output(model, node, i).id] = made;
    }
    for (weir_node node = weir_graph_last(model); node.id != 0; node = weir_node_previous(model, node)) {
        bool leads = is_quantizer_or_layer(weir_node_op(model, node)), chooses = false;
        for (size_t i = 0; i < weir_node_output_count(model, node); i++) {
            const weir_value output = weir_node_output(model, node, i);
            leads |= f.leads[output.id];
            chooses |= f.of[output.id] == OF_CODES || f.chooses[output.id];
        }
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value input = weir_node_input(model, node, i);
            f.leads[input.id] |= leads;
            f.chooses[input.id] |= chooses && input.id != 0 && weir_value_type(model, input)->dtype == WEIR_BOOL;
        }
    }
    return f;
}

/* Is it the mean, or a normalization, of what a normalization made, which has codes only where a quantizer takes it? */
static bool averages_normalized(const flow *f, weir_node node, weir_value value) {
    weir_node maker = weir_value_producer(f->model, value);
    while (maker.id != 0 && weir_index_map_exists(weir_node_op(f->model, maker)))
        maker = weir_value_producer(f->model, weir_node_input(f->model, maker, 0));
    const weir_trait_task task = weir_trait_of(weir_node_op(f->model, node))->task;
    return (task == WEIR_TASK_MEAN || task == WEIR_TASK_NORMALIZATION) && maker.id != 0 &&
           weir_trait_of(weir_node_op(f->model, maker))->task == WEIR_TASK_NORMALIZATION &&
           f->of[value.id] == OF_CODES && f->leads[value.id];
}

static bool is_unquantized(const flow *f, weir_node node, size_t index) {
    const weir_value value = weir_node_input(f->model, node, index), result = weir_node_output(f->model, node, 0);
    const weir_op op = weir_node_op(f->model, node);
    if (value.id == 0) return false;
    if (averages_normalized(f, node, value)) return true;
    if (weir_trait_of(op)->kind == WEIR_OP_SOFTMAX && f->of[value.id] == OF_CODES)
        return f->leads[result.id] && !weir_remedy_is_quantized(f->model, value);
    if (weir_trait_of(op)->task == WEIR_TASK_LAYER) return index < 2 && !weir_remedy_is_quantized(f->model, value);
    return f->of[value.id] == OF_REALS && (f->of[result.id] == OF_CODES || f->chooses[result.id]) &&
           f->leads[result.id] && !is_quantizer_or_layer(op) &&
           weir_dtype_is_float(weir_value_type(f->model, value)->dtype);
}

bool weir_remedy_each_unquantized(const weir_graph *model, weir_remedy_take *take, void *user) {
    const flow f = flow_of(model);
    bool found = false;
    for (weir_node node = weir_graph_first(model); !found && node.id != 0; node = weir_node_next(model, node)) {
        for (uint32_t i = 0; !found && i < weir_node_input_count(model, node); i++)
            found = is_unquantized(&f, node, i) && take(user, (weir_use){node, i});
    }
    free(f.of);
    free(f.leads);
    free(f.chooses);
    return found;
}

static bool take_first(void *user, weir_use use) {
    *(weir_use *)user = use;
    return true;
}

bool weir_remedy_unquantized(const weir_graph *model, weir_use *use) {
    return weir_remedy_each_unquantized(model, take_first, use);
}

bool weir_remedy_completes(const weir_graph *model) {
    weir_use use;
    return weir_remedy_has_quantizers(model) && weir_remedy_unquantized(model, &use);
}
