#include "case.h"

#include <stdio.h>
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/stream.h"
#include "ir/infer.h"
#include "ir/verify.h"
#include "support/arena.h"

uint64_t op_bits(op_case *c) {
    uint64_t z = (c->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t op_range(op_case *c, int64_t low, int64_t high) {
    return low + (int64_t)(op_bits(c) % ((uint64_t)(high - low) + 1));
}

bool op_chance(op_case *c, int percent) { return op_range(c, 0, 99) < percent; }

int64_t op_number(op_case *c, int bits, bool is_signed) {
    int64_t size = op_range(c, 0, bits), number = op_range(c, 0, ((int64_t)1 << size) - 1);
    return is_signed && op_chance(c, 50) ? -number : number;
}

int64_t op_divisor(op_case *c, int64_t of) {
    int64_t divisor;
    do divisor = op_range(c, 1, of);
    while (of % divisor != 0);
    return divisor;
}

static void check(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "the test built a wrong graph: %s\n", what);
    abort();
}

weir_value op_input(op_case *c, int64_t rows, int64_t channels, int width, bool is_signed) {
    weir_quant quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = is_signed, .width = width, .axis = -1};
    weir_quant_limits(&quant, &c->low, &c->high);
    if (op_chance(c, 30)) { /* a proven range that is no power of two */
        int64_t a = op_range(c, c->low, c->high), b = op_range(c, c->low, c->high);
        c->low = a < b ? a : b;
        c->high = a < b ? b : a;
    }
    weir_type type = {.dtype = weir_dtype_for(is_signed ? -((int64_t)1 << (width - 1)) : 0, c->high),
                      .shape = rows == 1 ? (weir_shape){2, {1, channels}} : (weir_shape){3, {1, rows, channels}},
                      .quant = quant,
                      .has_range = true,
                      .low = c->low,
                      .high = c->high};
    return weir_graph_add_input(c->graph, "x", &type);
}

void op_make_data(op_case *c, int64_t frames) {
    size_t inputs = weir_graph_input_count(c->graph);
    c->data = weir_calloc(inputs, sizeof(weir_array *));
    for (size_t input = 0; input < inputs; input++) {
        weir_value value = weir_graph_input(c->graph, input);
        const weir_type *type = weir_value_type(c->graph, value);
        weir_array *data =
            weir_array_new(WEIR_INT64, &(weir_shape){2, {frames, weir_stream_elements(c->graph, value)}});
        for (size_t i = 0; i < data->count; i++) {
            int64_t choice = op_range(c, 0, 7);
            weir_array_set_int(data, i,
                               choice == 0   ? type->low
                               : choice == 1 ? type->high
                                             : op_range(c, type->low, type->high));
        }
        c->data[input] = data;
    }
}

void op_free_data(op_case *c) {
    for (size_t i = 0; c->data != NULL && i < weir_graph_input_count(c->graph); i++) weir_array_free(c->data[i]);
    free(c->data);
    c->data = NULL;
}

weir_value op_ints(op_case *c, const char *name, int64_t rows, int64_t columns, const int64_t *values) {
    weir_array *array =
        weir_array_new(WEIR_INT64, columns == 0 ? &(weir_shape){1, {rows}} : &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, values[i]);
    weir_value value = weir_graph_add_constant(c->graph, name, array);
    weir_array_free(array);
    return value;
}

weir_node op_node(op_case *c, weir_op op, const char *name, const weir_value *inputs, size_t count, size_t outputs) {
    return weir_graph_add_node(c->graph, op, name, inputs, count, outputs, WEIR_NO_NODE);
}

void op_place(op_case *c, weir_node node, int64_t in_lanes, int64_t out_lanes, int64_t digit) {
    check(weir_infer_node(c->graph, node), weir_node_name(c->graph, node));
    check(weir_component_assign(c->graph), "no component");
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    hardware->in_lanes = in_lanes;
    hardware->out_lanes = out_lanes;
    hardware->digit = digit;
    hardware->interval = 1;
    hardware->storage = (weir_storage)op_range(c, WEIR_STORAGE_AUTO, WEIR_STORAGE_LOGIC);
}

void op_clip(op_case *c, weir_node node, int bits) {
    bool is_signed = op_chance(c, 50);
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0, high = low + ((int64_t)1 << bits) - 1;
    if (op_chance(c, 40)) low = op_range(c, low, high);
    if (op_chance(c, 40)) high = op_range(c, low, high);
    weir_node_set_int(c->graph, node, "low", low);
    weir_node_set_int(c->graph, node, "high", high);
}

int64_t op_lanes(op_case *c, int64_t rows, int64_t channels, int64_t parameters) {
    return rows > 1 && parameters > 1 ? op_divisor(c, channels) : op_range(c, 1, channels);
}

void op_finish(op_case *c, weir_value output) {
    weir_graph_add_output(c->graph, "y", output);
    check(weir_graph_verify(c->graph), "the verifier");
}
