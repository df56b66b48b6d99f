#include "component/case.h"

#include <stdio.h>
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/schedule/stream.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

uint64_t case_bits(component_case *c) { return weir_random_next(&c->random); }

int64_t case_range(component_case *c, int64_t low, int64_t high) {
    return low + (int64_t)(case_bits(c) % ((uint64_t)(high - low) + 1));
}

bool case_chance(component_case *c, int percent) { return case_range(c, 0, 99) < percent; }

int64_t case_number(component_case *c, int bits, bool is_signed) {
    int64_t size = case_range(c, 0, bits), number = case_range(c, 0, ((int64_t)1 << size) - 1);
    return is_signed && case_chance(c, 50) ? -number : number;
}

int64_t case_divisor(component_case *c, int64_t of) {
    int64_t divisor;
    do divisor = case_range(c, 1, of);
    while (of % divisor != 0);
    return divisor;
}

static void check(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "the test built a wrong graph: %s\n", what);
    abort();
}

weir_value case_input(component_case *c, int64_t rows, int64_t channels, int width, bool is_signed) {
    weir_quant quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = is_signed, .width = width, .axis = -1};
    weir_quant_limits(&quant, &c->low, &c->high);
    const weir_dtype dtype = weir_dtype_for(c->low, c->high); /* the codes', whatever the range */
    if (case_chance(c, 30)) {                                 /* a proven range that is no power of two */
        int64_t a = case_range(c, c->low, c->high), b = case_range(c, c->low, c->high);
        c->low = a < b ? a : b;
        c->high = a < b ? b : a;
    }
    weir_type type = {.dtype = dtype,
                      .shape = rows == 1 ? (weir_shape){2, {1, channels}} : (weir_shape){3, {1, rows, channels}},
                      .quant = quant,
                      .has_range = true,
                      .low = c->low,
                      .high = c->high};
    return weir_graph_add_input(c->graph, "x", &type);
}

weir_value case_codes(component_case *c, int64_t rows, int64_t channels, int64_t least, int64_t most, int percent) {
    const bool is_signed = case_chance(c, percent);
    return case_input(c, rows, channels, (int)case_range(c, least, most), is_signed);
}

void case_make_data(component_case *c, int64_t frames) {
    size_t inputs = weir_graph_input_count(c->graph);
    c->data = weir_calloc(inputs, sizeof(weir_array *));
    for (size_t input = 0; input < inputs; input++) {
        weir_value value = weir_graph_input(c->graph, input);
        const weir_type *type = weir_value_type(c->graph, value);
        weir_array *data =
            weir_array_new(WEIR_INT64, &(weir_shape){2, {frames, weir_stream_elements(c->graph, value)}});
        for (size_t i = 0; i < data->count; i++) {
            int64_t choice = case_range(c, 0, 7);
            const int64_t code = choice == 0   ? type->low
                                 : choice == 1 ? type->high
                                               : case_range(c, type->low, type->high);
            const bool is_sign = type->quant.format == WEIR_FORMAT_BINARY;
            weir_array_set_int(data, i, is_sign ? (code < 0 ? -1 : 1) : code);
        }
        c->data[input] = data;
    }
}

void case_free_data(component_case *c) {
    for (size_t i = 0; c->data != NULL && i < weir_graph_input_count(c->graph); i++) weir_array_free(c->data[i]);
    free(c->data);
    c->data = NULL;
}

weir_value case_ints(component_case *c, const char *name, int64_t rows, int64_t columns, const int64_t *values) {
    weir_array *array =
        weir_array_new(WEIR_INT64, columns == 0 ? &(weir_shape){1, {rows}} : &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, values[i]);
    weir_value value = weir_graph_add_constant(c->graph, name, array);
    weir_array_free(array);
    return value;
}

weir_node case_node(component_case *c, weir_op op, const char *name, const weir_value *inputs, size_t count,
                    size_t outputs) {
    return weir_graph_add_node(c->graph, op, name, inputs, count, outputs, WEIR_NO_NODE);
}

void case_take_time(component_case *c, weir_node node) {
    const weir_component_rules *rules = weir_component_of(c->graph, node)->rules;
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware, derived;
    weir_graph_set_interval(c->graph, INT64_MAX / 4);
    hardware->interval = rules->timing(c->graph, node).interval;
    int64_t pace = weir_stream_interval(c->graph);
    do { /* the shortest, by and large, for which no more lanes are wanted */
        weir_graph_set_interval(c->graph, pace);
        derived = *hardware;
        if (rules->derive != NULL) rules->derive(c->graph, node, &derived);
        pace += weir_ceil_divide(pace, 64);
    } while (derived.in_lanes > hardware->in_lanes);
}

void case_place(component_case *c, weir_node node, int64_t in_lanes, int64_t out_lanes, int64_t digit) {
    check(weir_infer_node(c->graph, node), weir_node_name(c->graph, node));
    check(weir_component_assign(c->graph), "no component");
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    hardware->in_lanes = in_lanes;
    hardware->out_lanes = out_lanes;
    const weir_component_rules *rules = weir_component_of(c->graph, node)->rules;
    weir_component_setting_set_as(rules, hardware, WEIR_SETTING_PIECES, digit);
    if (rules->foldings == NULL) case_take_time(c, node);
    hardware->storage = (weir_storage)case_range(c, WEIR_STORAGE_AUTO, WEIR_STORAGE_LOGIC);
    const weir_component_setting *products = weir_component_setting_as(rules, WEIR_SETTING_PRODUCTS, 0);
    if (products != NULL)
        weir_component_setting_set(hardware, products, case_range(c, WEIR_STORAGE_AUTO, WEIR_STORAGE_LOGIC));
}

void case_hurry(component_case *c, weir_node node) {
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    int64_t pace = case_range(c, 1, hardware->interval);
    for (;; pace = hardware->interval) {
        weir_graph_set_interval(c->graph, pace);
        weir_component_of(c->graph, node)->rules->derive(c->graph, node, hardware);
        if (hardware->interval <= pace) break;
    }
    hardware->interval = weir_component_of(c->graph, node)->rules->timing(c->graph, node).interval;
}

void case_clip(component_case *c, weir_node node, int bits) {
    bool is_signed = case_chance(c, 50);
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0, high = low + ((int64_t)1 << bits) - 1;
    if (case_chance(c, 40)) low = case_range(c, low, high);
    if (case_chance(c, 40)) high = case_range(c, low, high);
    weir_node_set_int(c->graph, node, "low", low);
    weir_node_set_int(c->graph, node, "high", high);
}

int64_t case_lanes(component_case *c, int64_t rows, int64_t channels, int64_t parameters) {
    if (rows > 1 && case_chance(c, 25)) return channels * case_divisor(c, rows);
    return rows > 1 && parameters > 1 ? case_divisor(c, channels) : case_range(c, 1, channels);
}

void case_finish(component_case *c, weir_value output) {
    weir_graph_add_output(c->graph, "y", output);
    check(weir_graph_verify(c->graph), "the verifier");
}

weir_value case_result(const component_case *c, weir_node node) { return weir_node_output(c->graph, node, 0); }

int64_t case_rows(component_case *c) { return case_chance(c, 30) ? case_range(c, 2, 4) : 1; }

int64_t *case_numbers(component_case *c, int64_t count, int bits, bool is_signed) {
    int64_t *list = weir_malloc((size_t)count * sizeof *list);
    for (int64_t i = 0; i < count; i++) list[i] = case_number(c, bits, is_signed);
    return list;
}

int case_compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

weir_node case_cast(component_case *c, weir_value x, const char *name, int64_t rows, int64_t channels, int64_t lanes) {
    int64_t parameters = case_chance(c, 40)                                           ? 0
                         : case_chance(c, 50) && (rows == 1 || channels % lanes == 0) ? channels
                                                                                      : 1;
    weir_value inputs[2] = {x, WEIR_NO_VALUE};
    if (parameters > 0) {
        int64_t *add = case_numbers(c, parameters, (int)case_range(c, 1, 20), true);
        inputs[1] = case_ints(c, "add", parameters, 0, add);
        free(add);
    }
    weir_node node = case_node(c, WEIR_OP_CAST_CODES, name, inputs, parameters > 0 ? 2 : 1, 1);
    weir_node_set_int(c->graph, node, "shift", case_chance(c, 70) ? case_range(c, 0, 12) : 0);
    weir_node_set_int(c->graph, node, "left", case_chance(c, 40) ? case_range(c, 0, 8) : 0);
    weir_node_set_string(c->graph, node, "rounding",
                         weir_rounding_name((weir_rounding)case_range(c, WEIR_ROUND_FLOOR, WEIR_ROUND_AWAY)));
    case_clip(c, node, (int)case_range(c, 1, 20));
    case_place(c, node, lanes, lanes, 0);
    return node;
}

case_thresholds case_threshold(component_case *c, int64_t most_channels) {
    int64_t rows = case_rows(c), channels = case_range(c, 1, most_channels);
    int64_t parameters = case_chance(c, 50) ? channels : 1;
    int64_t count = case_chance(c, 70) ? case_range(c, 1, 8) : case_range(c, 9, 60);
    weir_value x = case_codes(c, rows, channels, 1, 20, 60);
    int64_t *step = weir_malloc((size_t)(parameters * count) * sizeof *step);
    int64_t margin = case_chance(c, 30) ? 100000 : 1;
    for (int64_t i = 0; i < parameters * count; i++) step[i] = case_range(c, c->low - margin, c->high + margin);
    for (int64_t p = 0; p < parameters; p++) qsort(step + p * count, (size_t)count, sizeof *step, case_compare);
    weir_value inputs[2] = {x, case_ints(c, "t", parameters, count, step)};
    free(step);
    weir_node node = case_node(c, WEIR_OP_THRESHOLD, "threshold", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "base", case_number(c, 10, true));
    weir_node_set_int(c->graph, node, "step", case_chance(c, 50) ? 1 : case_chance(c, 50) ? 2 : case_range(c, -5, 5));
    return (case_thresholds){node, case_lanes(c, rows, channels, parameters), count};
}

void case_set_window(component_case *c, weir_node node, int rank, const int64_t *kernel, const int64_t *strides,
                     const int64_t *dilations, const int64_t *pads) {
    weir_node_set_ints(c->graph, node, "kernel_shape", kernel, (size_t)rank);
    weir_node_set_ints(c->graph, node, "strides", strides, (size_t)rank);
    weir_node_set_ints(c->graph, node, "dilations", dilations, (size_t)rank);
    weir_node_set_ints(c->graph, node, "pads", pads, 2 * (size_t)rank);
}

void case_stream(component_case *c, weir_op op, int64_t depth) {
    int64_t channels = case_range(c, 1, 48), lanes = case_range(c, 1, channels < 8 ? channels : 8);
    weir_value x = case_codes(c, 1, channels, 1, 24, 50);
    weir_node node = case_node(c, op, "stream", &x, 1, 1);
    case_place(c, node, lanes, lanes, 0);
    if (op == WEIR_OP_FIFO)
        weir_settings_set(&weir_node_metadata(c->graph, node)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                          depth);
    case_finish(c, case_result(c, node));
    case_make_data(c, 2 * CASE_FRAMES);
}
