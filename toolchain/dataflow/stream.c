#include "dataflow/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/mase.h"
#include "support/arena.h"
#include "support/diag.h"

static const char *module_of(weir_op op) {
    switch (op) {
    case WEIR_OP_LINEAR: return "weir_mvu";
    case WEIR_OP_SUM: return "weir_add";
    case WEIR_OP_CAST: return "weir_cast";
    case WEIR_OP_SCALE: return "weir_requantize";
    case WEIR_OP_SCALE_FLOAT: return "weir_requantize_float";
    case WEIR_OP_THRESHOLD: return "weir_threshold";
    case WEIR_OP_MAXIMUM: return "weir_relu";
    case WEIR_OP_FORK: return "weir_fork";
    case WEIR_OP_FIFO: return "weir_fifo";
    case WEIR_OP_LANES: return "weir_lane_converter";
    case WEIR_OP_REGISTER_SLICE: return "weir_register_slice";
    default: return NULL;
    }
}

/* Does the node take a constant under one of MASE's argument names? */
static bool takes_constant(const weir_graph *graph, weir_node node, const char *name) {
    weir_value value = weir_mase_find(graph, node, name);
    return value.id != 0 && weir_mase_constant(graph, value) != NULL;
}

const char *weir_component_module(const weir_graph *graph, weir_node node) {
    weir_op op = weir_node_op(graph, node);
    switch (op) {
    case WEIR_OP_GEMM:
    case WEIR_OP_QGEMM:
    case WEIR_OP_MATMUL:
    case WEIR_OP_MATMUL_INTEGER:
    case WEIR_OP_QLINEAR_MATMUL: return takes_constant(graph, node, "weight") ? module_of(WEIR_OP_LINEAR) : NULL;
    case WEIR_OP_QLINEAR_ADD:
        return weir_mase_constant(graph, weir_node_input(graph, node, 0)) != NULL ||
                       weir_mase_constant(graph, weir_node_input(graph, node, 3)) != NULL
                   ? NULL
                   : module_of(WEIR_OP_SUM);
    case WEIR_OP_ADD: /* of a constant: part of the requantizer */
        return takes_constant(graph, node, "data_in_0") || takes_constant(graph, node, "data_in_1")
                   ? NULL
                   : module_of(WEIR_OP_SUM);
    case WEIR_OP_RELU: return module_of(WEIR_OP_MAXIMUM);
    default: return module_of(op);
    }
}

weir_role weir_stream_role(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    if (hardware->module != NULL) return WEIR_ROLE_COMPONENT;
    return hardware->is_implicit ? WEIR_ROLE_IMPLICIT : WEIR_ROLE_HOST;
}

static bool fail(const weir_graph *graph, weir_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const weir_graph *graph, weir_node node, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    weir_error(weir_node_location(graph, node), "node '%s' (%s): %s", weir_node_name(graph, node),
               weir_node_info(graph, node)->full_name, text);
    return false;
}

/* What the components ask of their parameters beyond what type inference checks. */
static bool fits_component(const weir_graph *graph, weir_node node) {
    static const char *const words[] = {"low", "high", "zero", "base", "step"};
    weir_op op = weir_node_op(graph, node);
    if (op != WEIR_OP_CAST && op != WEIR_OP_SCALE && op != WEIR_OP_SCALE_FLOAT && op != WEIR_OP_THRESHOLD &&
        op != WEIR_OP_MAXIMUM)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int64_t value = weir_node_int(graph, node, words[i], 0);
        if (value != (int32_t)value)
            return fail(graph, node, "hardware needs '%s' within 32 bits, found %lld", words[i], (long long)value);
    }
    if (op == WEIR_OP_CAST && strcmp(weir_node_string(graph, node, "rounding", "floor"), "half-to-zero") == 0)
        return fail(graph, node, "hardware has no rounding half-to-zero");
    if (op != WEIR_OP_SCALE && op != WEIR_OP_SCALE_FLOAT) return true;
    int64_t least = weir_value_type(graph, weir_node_input(graph, node, 1))->low;
    if (least < 0) return fail(graph, node, "hardware needs multipliers of 0 or more, found %lld", (long long)least);
    if (op == WEIR_OP_SCALE_FLOAT && weir_node_int(graph, node, "shift", 0) < 2)
        return fail(graph, node, "hardware needs a shift of 2 or more");
    return true;
}

bool weir_component_assign(weir_graph *graph) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        weir_op op = weir_node_op(graph, node);
        bool real = weir_value_type(graph, weir_node_output(graph, node, 0))->quant.format == WEIR_FORMAT_FLOAT;
        hardware->placed = true;
        hardware->module = module_of(op);
        hardware->is_implicit = !real && (op == WEIR_OP_RESHAPE || op == WEIR_OP_FLATTEN || op == WEIR_OP_IDENTITY ||
                                          op == WEIR_OP_RELABEL);
        if (hardware->module != NULL) fine &= fits_component(graph, node);
        if (hardware->module != NULL || hardware->is_implicit || real || op == WEIR_OP_ENCODE || op == WEIR_OP_DECODE)
            continue;
        weir_error(weir_node_location(graph, node), "node '%s': no component computes %s", weir_node_name(graph, node),
                   weir_node_info(graph, node)->full_name);
        fine = false;
    }
    return fine;
}

weir_value weir_stream_source(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_IMPLICIT) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return value;
}

size_t weir_stream_count(const weir_graph *graph, weir_node node) {
    return weir_node_op(graph, node) == WEIR_OP_SUM ? 2 : 1;
}

bool weir_stream_is_input(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0) return weir_node_op(graph, producer) == WEIR_OP_ENCODE;
    return weir_value_constant(graph, value) == NULL &&
           weir_value_type(graph, value)->quant.format != WEIR_FORMAT_FLOAT;
}

int64_t weir_stream_elements(const weir_graph *graph, weir_value value) {
    size_t count = 1;
    weir_shape_count(&weir_value_type(graph, value)->shape, &count);
    return (int64_t)count;
}

int64_t weir_stream_beats(const weir_graph *graph, weir_value value, int64_t lanes) {
    return weir_ceil_divide(weir_stream_elements(graph, value), lanes);
}

int64_t weir_stream_lanes(const weir_graph *graph, weir_value value) {
    value = weir_stream_source(graph, value);
    weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_COMPONENT)
        return weir_node_metadata_of(graph, producer)->hardware.out_lanes;
    /* A hardware input has one user, a component or names for the stream before it. */
    while (weir_value_use_count(graph, value) > 0) {
        weir_node user = weir_value_use(graph, value, 0).node;
        weir_role role = weir_stream_role(graph, user);
        if (role == WEIR_ROLE_COMPONENT) return weir_node_metadata_of(graph, user)->hardware.in_lanes;
        if (role == WEIR_ROLE_HOST) break;
        value = weir_node_output(graph, user, 0);
    }
    return 1;
}

/* The value whose computation fixed the width. */
static weir_value computed(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && (weir_stream_role(graph, producer) == WEIR_ROLE_IMPLICIT ||
                                weir_node_op(graph, producer) == WEIR_OP_MAXIMUM ||
                                weir_node_info(graph, producer)->class == WEIR_CLASS_STREAM)) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return value;
}

int weir_stream_width(const weir_graph *graph, weir_value value, bool *is_signed) {
    value = computed(graph, value);
    const weir_type *type = weir_value_type(graph, value);
    weir_node producer = weir_value_producer(graph, value);
    weir_op op = producer.id == 0 ? WEIR_OP_NONE : weir_node_op(graph, producer);
    int64_t low = type->low, high = type->high;
    if (!type->has_range) weir_quant_limits(&type->quant, &low, &high);
    if ((op == WEIR_OP_LINEAR || op == WEIR_OP_SUM) && low >= 0) low = -1;
    *is_signed = low < 0;
    return weir_bits_for(low, high);
}

bool weir_stream_rounds_sum(const weir_graph *graph, weir_node node) {
    enum { EXACT_SUM = 25 }; /* bits, sign included: rtl/cast/weir_requantize_float.v */
    bool is_signed;
    int x = weir_stream_width(graph, weir_node_input(graph, node, 0), &is_signed) + !is_signed;
    const weir_type *add = weir_value_type(graph, weir_node_input(graph, node, 2));
    int a = weir_bits_for(add->low < 0 ? add->low : -1, add->high);
    return (x > a ? x : a) + 1 > EXACT_SUM;
}

weir_tap *weir_stream_taps(const weir_graph *graph, size_t *count) {
    weir_tap *taps = NULL;
    size_t capacity = 0;
    *count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
            taps = weir_grow(taps, &capacity, *count + 1, sizeof *taps);
            taps[(*count)++] = (weir_tap){node, (uint32_t)i};
        }
    }
    return taps;
}

weir_value *weir_stream_inputs(const weir_graph *graph, size_t *count) {
    weir_value *values = weir_calloc(weir_graph_value_limit(graph), sizeof *values);
    *count = 0;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_value value = weir_graph_input(graph, i);
        if (weir_stream_is_input(graph, value)) values[(*count)++] = value;
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) == WEIR_OP_ENCODE) values[(*count)++] = weir_node_output(graph, node, 0);
    }
    return values;
}

typedef struct value_set {
    weir_value *values; /* in the order added */
    bool *has;          /* by handle */
    size_t count;
} value_set;

static void add_once(value_set *set, weir_value value) {
    if (!set->has[value.id]) set->values[set->count++] = value;
    set->has[value.id] = true;
}

weir_value *weir_stream_outputs(const weir_graph *graph, size_t *count) {
    const size_t limit = weir_graph_value_limit(graph);
    value_set set = {weir_calloc(limit, sizeof *set.values), weir_calloc(limit, sizeof *set.has), 0};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) == WEIR_OP_DECODE)
            add_once(&set, weir_stream_source(graph, weir_node_input(graph, node, 0)));
    }
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_value value = weir_graph_output(graph, i);
        if (weir_value_type(graph, value)->quant.format == WEIR_FORMAT_FLOAT) continue;
        weir_node producer = weir_value_producer(graph, value);
        if (producer.id != 0 && weir_node_op(graph, producer) == WEIR_OP_DECODE) continue;
        add_once(&set, weir_stream_source(graph, value));
    }
    free(set.has);
    *count = set.count;
    return set.values;
}

bool weir_stream_linear(const weir_graph *graph, weir_node node, int64_t *rows, int64_t *inputs, int64_t *outputs) {
    if (weir_node_op(graph, node) != WEIR_OP_LINEAR) return false;
    const weir_shape *weights = &weir_value_type(graph, weir_node_input(graph, node, 1))->shape;
    *outputs = weights->dim[0];
    *inputs = weights->dim[1];
    *rows = weir_stream_elements(graph, weir_node_output(graph, node, 0)) / *outputs;
    return true;
}

int64_t weir_stream_interval(const weir_graph *graph) {
    int64_t interval = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        if (hardware->interval > interval) interval = hardware->interval;
    }
    return interval;
}
