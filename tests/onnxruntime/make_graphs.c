/* make_graphs FOLDER: graphs of integer operators as text IR, each with many nodes on one input, so that ONNX Runtime
 * can be asked about every rounding, contract and format. Parameters put ties and clip bounds in reach. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { CHANNELS = 16 };

static const weir_quant plain = {.axis = -1};

static uint64_t state = 1;

static int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(weir_random_next(&state) % ((uint64_t)(high - low) + 1));
}

/* --- building --- */

/* Codes of `width` bits with scale and zero point; `count` of them differ from each other a little. */
static weir_quant codes_quant(int width, bool is_signed, uint32_t count, double scale, int64_t zero) {
    static double scales[CHANNELS];
    static int64_t zeros[CHANNELS];
    for (uint32_t i = 0; i < count; i++) {
        scales[i] = (double)(float)(scale * (1 + (double)i / 8));
        zeros[i] = zero == 0 ? 0 : zero + (int64_t)(i % 3);
    }
    return (weir_quant){.format = WEIR_FORMAT_INTEGER,
                        .is_signed = is_signed,
                        .width = width,
                        .rounding = WEIR_ROUND_HALF_EVEN,
                        .axis = count > 1 ? 1 : -1,
                        .count = count,
                        .scale = scales,
                        .zero_point = zero == 0 ? NULL : zeros};
}

static weir_value add_real_input(weir_graph *graph) {
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {1, CHANNELS}}, .quant = plain};
    return weir_graph_add_input(graph, "x", &type);
}

/* Codes in [low, high]. */
static weir_value add_codes_input(weir_graph *graph, const char *name, int64_t low, int64_t high,
                                  const weir_quant *quant) {
    weir_type type = {.dtype = weir_dtype_for(low, high), .shape = {2, {1, CHANNELS}}, .has_range = true};
    type.quant = quant != NULL ? *quant : plain;
    type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.is_signed = low < 0;
    type.quant.width = weir_bits_for(low, high);
    type.low = low;
    type.high = high;
    return weir_graph_add_input(graph, name, &type);
}

/* Random whole numbers in [low, high] as a constant of the type. */
static weir_value add_constant(weir_graph *graph, weir_dtype dtype, int rank, int64_t rows, int64_t columns,
                               int64_t low, int64_t high) {
    weir_shape shape = {rank, {rank == 1 ? columns : rows, columns}};
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(low, high));
    weir_value value = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_node add_node(weir_graph *graph, weir_op op, const char *name, weir_value a, weir_value b, weir_value c) {
    const weir_value inputs[] = {a, b, c};
    return weir_graph_add_node(graph, op, name, inputs, c.id != 0 ? 3 : b.id != 0 ? 2 : 1, 1, WEIR_NO_NODE);
}

/* Gives the node's result the quantization (NULL: as inferred) and makes it an output. */
static weir_value finish(weir_graph *graph, weir_node node, const weir_quant *quant) {
    weir_value value = weir_node_output(graph, node, 0);
    if (quant != NULL) {
        weir_type type = *weir_value_type(graph, value);
        type.quant = *quant;
        weir_value_set_type(graph, value, &type);
    }
    if (!weir_infer_node(graph, node)) exit(1);
    weir_graph_add_output(graph, weir_value_name(graph, value), value);
    return value;
}

static void set_bounds(weir_graph *graph, weir_node node, int64_t low, int64_t high) {
    weir_node_set_int(graph, node, "low", low);
    weir_node_set_int(graph, node, "high", high);
}

static char *plain_name(const char *kind, const char *what) {
    char *name = weir_format("%s_%s", kind, what);
    for (char *c = name; *c != '\0'; c++) *c = *c == '-' ? '_' : *c;
    return name;
}

/* --- graphs --- */

static void make_casts(weir_graph *graph) {
    weir_value x = add_codes_input(graph, "x", -1000, 1000, NULL);
    for (int rounding = 0; rounding < WEIR_ROUND_COUNT; rounding++) {
        const char *word = weir_rounding_name((weir_rounding)rounding);
        for (int form = 0; form < 3; form++) {
            char *name = plain_name("cast", word);
            weir_value add = form == 0 ? WEIR_NO_VALUE : add_constant(graph, WEIR_INT64, 1, 1, CHANNELS, -50, 50);
            weir_node node = add_node(graph, WEIR_OP_CAST_CODES, name, x, add, WEIR_NO_VALUE);
            weir_node_set_string(graph, node, "rounding", word);
            weir_node_set_int(graph, node, "left", form);
            weir_node_set_int(graph, node, "shift", form == 2 ? 0 : 3 + form);
            set_bounds(graph, node, form == 2 ? -9000 : -100, form == 2 ? 9000 : 101);
            finish(graph, node, NULL);
            free(name);
        }
    }
}

static void make_scales(weir_graph *graph) {
    weir_value x = add_codes_input(graph, "x", -600000, 700000, NULL);
    for (int form = 0; form < 8; form++) {
        const bool is_float = form >= 3;
        const int bits =
            form >= 6 ? 29 + 11 * (form - 6) : 24; /* of multipliers: as many as float64 has for them, and more */
        const int64_t most = is_float || form == 2 ? (INT64_C(1) << bits) - 1 : 40000;
        weir_value factor =
            add_constant(graph, WEIR_INT64, 1, 1, form % 3 == 0 ? 1 : CHANNELS, form == 1 ? -most : 1, most);
        weir_value add = add_constant(graph, WEIR_INT64, 1, 1, form % 3 == 0 ? 1 : CHANNELS, -9000, 9000);
        weir_node node = add_node(graph, is_float ? WEIR_OP_SCALE_FLOAT : WEIR_OP_SCALE, "scale", x, factor, add);
        weir_node_set_int(graph, node, "shift", form == 2 ? 0 : is_float ? bits + 12 : 27);
        if (is_float) weir_node_set_int(graph, node, "zero", form == 3 ? 0 : 17 * form);
        set_bounds(graph, node, form == 2 ? -(INT64_C(1) << 40) : -120, form == 2 ? INT64_C(1) << 40 : 119);
        finish(graph, node, NULL);
    }
}

static int compare_whole(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void make_thresholds(weir_graph *graph) {
    weir_value x = add_codes_input(graph, "x", -100, 100, NULL);
    for (int form = 0; form < 4; form++) {
        const int64_t rows = form % 2 == 0 ? 1 : CHANNELS, count = form == 3 ? 1 : 15;
        weir_shape shape = {2, {rows, count}};
        weir_array *array = weir_array_new(WEIR_INT64, &shape);
        for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(-110, 110));
        for (int64_t row = 0; row < rows; row++)
            qsort((int64_t *)array->data + row * count, (size_t)count, sizeof(int64_t), compare_whole);
        weir_value constant = weir_graph_add_constant(graph, "t", array);
        weir_node node = add_node(graph, WEIR_OP_THRESHOLD, "threshold", x, constant, WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "base", form == 3 ? -1 : form);
        weir_node_set_int(graph, node, "step", form == 3 ? 2 : form == 2 ? -3 : 1);
        finish(graph, node, NULL);
        weir_array_free(array);
    }
}

static void make_lookups(weir_graph *graph) {
    weir_value x = add_codes_input(graph, "x", -100, 100, NULL);
    for (int form = 0; form < 3; form++) {
        const int64_t low = form == 2 ? -128 : -100, codes = form == 2 ? 256 : 201;
        weir_value table = add_constant(graph, WEIR_INT64, 2, form == 0 ? 1 : CHANNELS, codes, -(1 << 20), 1 << 20);
        weir_node node = add_node(graph, WEIR_OP_LOOKUP, "lookup", x, table, WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "low", low);
        finish(graph, node, NULL);
    }
}

static void make_sums(weir_graph *graph) {
    weir_value x = add_codes_input(graph, "x", -128, 127, NULL), y = add_codes_input(graph, "y", 0, 65535, NULL);
    weir_node sum = add_node(graph, WEIR_OP_SUM, "sum", x, y, WEIR_NO_VALUE);
    weir_node_set_int(graph, sum, "ca", 143243);
    weir_node_set_int(graph, sum, "cb", -665073);
    weir_value big = finish(graph, sum, NULL);
    finish(graph, add_node(graph, WEIR_OP_SUM, "plain", x, y, WEIR_NO_VALUE), NULL);
    weir_value constant = add_constant(graph, WEIR_INT32, 1, 1, CHANNELS, -90, 90);
    finish(graph, add_node(graph, WEIR_OP_SUM, "constant", x, constant, WEIR_NO_VALUE), NULL);
    weir_node maximum = add_node(graph, WEIR_OP_MAXIMUM, "maximum", big, WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_node_set_int(graph, maximum, "zero", -12345);
    finish(graph, maximum, NULL);
    weir_value weights = add_constant(graph, WEIR_INT8, 2, 5, CHANNELS, -128, 127);
    weir_value linear = finish(graph, add_node(graph, WEIR_OP_LINEAR, "linear", x, weights, WEIR_NO_VALUE), NULL);
    weights = add_constant(graph, WEIR_UINT16, 2, 7, 5, 0, 65535);
    finish(graph, add_node(graph, WEIR_OP_LINEAR, "wide", linear, weights, WEIR_NO_VALUE), NULL);
    for (int64_t interleave = 1; interleave <= 4; interleave *= 2) { /* 4 matrices [3, 4] */
        weights = add_constant(graph, WEIR_INT8, 2, 12, CHANNELS / 4, -128, 127);
        weir_node grouped = add_node(graph, WEIR_OP_LINEAR, "grouped", x, weights, WEIR_NO_VALUE);
        weir_node_set_int(graph, grouped, "group", 4);
        if (interleave > 1) weir_node_set_int(graph, grouped, "interleave", interleave);
        finish(graph, grouped, NULL);
    }
    weir_node fork = weir_graph_add_node(graph, WEIR_OP_FORK, "fork", &linear, 1, 2, WEIR_NO_NODE);
    finish(graph, fork, NULL);
    weir_value branch = weir_node_output(graph, fork, 1);
    static const weir_op streams[] = {WEIR_OP_FIFO, WEIR_OP_LANES, WEIR_OP_REGISTER_SLICE, WEIR_OP_FLATTEN};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        branch = finish(graph, add_node(graph, streams[i], "stream", branch, WEIR_NO_VALUE, WEIR_NO_VALUE), NULL);
}

/* Real offsets, quarters of them, so that sums lie on ties. */
static weir_value add_offset(weir_graph *graph, int64_t count) {
    weir_shape shape = {1, {count}};
    weir_array *array = weir_array_new(WEIR_FLOAT64, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)random_int(-40, 40) / 64);
    weir_value value = weir_graph_add_constant(graph, "o", array);
    weir_array_free(array);
    return value;
}

static void make_requantizes(weir_graph *graph, bool fine) {
    /* Fine: scales that are no powers of two; else products are exact and many are ties. */
    weir_quant from = codes_quant(16, true, fine ? CHANNELS : 1, fine ? 0.0123 : 1.0 / 64, 5);
    weir_value x = add_codes_input(graph, "x", -3000, 3000, &from);
    for (int rounding = 0; rounding < WEIR_ROUND_COUNT + 3; rounding++) {
        for (int offset = 0; offset < 3; offset++) {
            const bool real = rounding < WEIR_ROUND_COUNT;
            weir_quant to = codes_quant(fine ? 6 : 8, rounding % 2 == 0, 1, fine ? 0.37 : 1.0 / 8, rounding % 3 * 3);
            if (real) to.rounding = (weir_rounding)rounding;
            if (rounding == WEIR_ROUND_COUNT + 2)
                to.format = WEIR_FORMAT_BINARY, to.is_signed = true, to.zero_point = NULL;
            weir_value add = offset == 0 ? WEIR_NO_VALUE : add_offset(graph, offset == 1 ? 1 : CHANNELS);
            weir_node node = add_node(graph, WEIR_OP_REQUANTIZE, "requantize", x, add, WEIR_NO_VALUE);
            const bool binary = to.format == WEIR_FORMAT_BINARY;
            weir_node_set_string(graph, node, "arithmetic", real || binary ? "quant" : "qlinear");
            if (rounding % 4 == 1) set_bounds(graph, node, 3, 29);
            finish(graph, node, &to);
        }
    }
}

static void make_fine(weir_graph *graph) { make_requantizes(graph, true); }
static void make_ties(weir_graph *graph) { make_requantizes(graph, false); }

/* Sums whose means are quantized, and with operations before the quantizer: by each contract, on ties and elsewhere. */
static void make_means(weir_graph *graph) {
    static const char *const arithmetics[] = {"qlinear", "quant", "exact"};
    static const int64_t counts[] = {1, 6, 16, 49};
    for (int form = 0; form < 24; form++) {
        const bool fine = form % 2 != 0, steps = form >= 12;
        const int64_t count = counts[form / 3 % 4];
        weir_quant from = codes_quant(16, true, fine ? CHANNELS : 1, (fine ? 0.0123 : 1.0 / 64) / (double)count, 5);
        char *name = weir_format("x%d", form);
        weir_value x = add_codes_input(graph, name, -3000, 3000, &from), sign = WEIR_NO_VALUE;
        free(name);
        if (steps) sign = add_constant(graph, WEIR_FLOAT32, 1, 1, CHANNELS, -3, 4);
        weir_value inputs[] = {x, WEIR_NO_VALUE, sign};
        weir_node node = weir_graph_add_node(graph, WEIR_OP_REQUANTIZE, "mean", inputs, steps ? 3 : 1, 1, WEIR_NO_NODE);
        weir_node_set_string(graph, node, "arithmetic", arithmetics[form % 3]);
        weir_node_set_int(graph, node, "count", count);
        if (steps) weir_node_set_string(graph, node, "steps", "Mul Relu");
        const weir_quant to = codes_quant(8, true, 1, 1.0 / 64, 3);
        finish(graph, node, &to);
    }
}

/* Windows of sums: all of a dimension, overlapping, apart, beyond the edges. */
static void make_pools(weir_graph *graph) {
    static const struct {
        int64_t kernel[2], stride[2], dilation[2], pads[4], zero, common;
    } forms[] = {{{5, 6}, {5, 6}, {1, 1}, {0, 0, 0, 0}, 0, 0},    {{2, 3}, {2, 1}, {1, 1}, {0, 0, 0, 0}, -7, 0},
                 {{3, 2}, {1, 3}, {2, 2}, {2, 1, 3, 0}, 11, 0},   {{1, 6}, {2, 1}, {1, 1}, {0, 0, 0, 0}, 0, 0},
                 {{3, 1}, {2, 2}, {1, 1}, {1, 0, 2, 0}, -128, 0}, {{3, 2}, {1, 2}, {1, 1}, {1, 1, 1, 1}, 5, 12}};
    const weir_type type = {.dtype = WEIR_INT8,
                            .shape = {4, {1, 5, 6, 3}},
                            .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1},
                            .has_range = true,
                            .low = -128,
                            .high = 127};
    weir_value x = weir_graph_add_input(graph, "x", &type);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        weir_node node = add_node(graph, WEIR_OP_SUM_POOL, "pool", x, WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_node_set_ints(graph, node, "kernel_shape", forms[i].kernel, 2);
        weir_node_set_ints(graph, node, "strides", forms[i].stride, 2);
        weir_node_set_ints(graph, node, "dilations", forms[i].dilation, 2);
        weir_node_set_ints(graph, node, "pads", forms[i].pads, 4);
        weir_node_set_int(graph, node, "zero", forms[i].zero);
        weir_node_set_int(graph, node, "common", forms[i].common);
        weir_node_set_string(graph, node, "layout", "NHWC");
        finish(graph, node, NULL);
    }
}

/* Another order, and elements among fill values. */
static void make_reorders(weir_graph *graph) {
    static const int64_t shape[] = {4, 9}, sizes[] = {4, 3, 3}, strides[] = {3, -12, 1};
    static const int64_t wide[] = {5, 14}, rows[] = {12, 1}, begins[] = {1, 0}, ends[] = {4, 12};
    const weir_type type = {.dtype = WEIR_INT8,
                            .shape = {2, {3, 12}},
                            .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1},
                            .has_range = true,
                            .low = -128,
                            .high = 127};
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    weir_node node = add_node(graph, WEIR_OP_REORDER, "turned", x, WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_node_set_ints(graph, node, "shape", shape, 2);
    weir_node_set_ints(graph, node, "sizes", sizes, 3);
    weir_node_set_ints(graph, node, "strides", strides, 3);
    weir_node_set_int(graph, node, "start", 24);
    finish(graph, node, NULL);
    node = add_node(graph, WEIR_OP_REORDER, "among", x, WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_node_set_ints(graph, node, "shape", wide, 2);
    weir_node_set_ints(graph, node, "sizes", wide, 2);
    weir_node_set_ints(graph, node, "strides", rows, 2);
    weir_node_set_ints(graph, node, "begins", begins, 2);
    weir_node_set_ints(graph, node, "ends", ends, 2);
    weir_node_set_int(graph, node, "start", -12);
    weir_node_set_int(graph, node, "fill", -77);
    finish(graph, node, NULL);
}

/* Masks of every element and of channels, on reals and codes. */
static void make_masks(weir_graph *graph) {
    weir_value x = add_real_input(graph), y = add_codes_input(graph, "y", -128, 127, NULL);
    const weir_value values[] = {x, y};
    for (int form = 0; form < 4; form++) {
        weir_value mask =
            add_constant(graph, form % 2 == 0 ? WEIR_BOOL : WEIR_FLOAT32, 1 + form % 2, 1, CHANNELS, 0, 1);
        finish(graph, add_node(graph, WEIR_OP_MASK, "mask", values[form / 2], mask, WEIR_NO_VALUE), NULL);
    }
}

static void make_encodes(weir_graph *graph) {
    weir_value x = add_real_input(graph);
    static const struct {
        int width;
        bool is_signed;
        uint32_t count;
        double scale;
        int64_t zero;
    } forms[] = {{8, false, 1, 1.0 / 64, 0},         {8, true, 1, 1.0 / 64, -3},     {8, false, CHANNELS, 0.0137, 101},
                 {4, false, 1, 1.0 / 16, 5},         {5, true, 1, 0.0411, -3},       {16, true, 1, 1.0 / 8192, 7},
                 {12, false, CHANNELS, 0.00113, 90}, {24, true, 1, 1.0 / 1048576, 3}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (int rounding = -1; rounding < WEIR_ROUND_COUNT; rounding++) {
            weir_quant quant =
                codes_quant(forms[i].width, forms[i].is_signed, forms[i].count, forms[i].scale, forms[i].zero);
            if (rounding >= 0) quant.rounding = (weir_rounding)rounding;
            quant.saturation = i == 4 ? WEIR_SATURATE_SYMMETRIC : WEIR_SATURATE;
            weir_node node = add_node(graph, WEIR_OP_ENCODE, "encode", x, WEIR_NO_VALUE, WEIR_NO_VALUE);
            weir_node_set_string(graph, node, "arithmetic", rounding < 0 ? "qlinear" : "quant");
            finish(graph, node, &quant);
        }
    }
    weir_quant fixed = {.format = WEIR_FORMAT_FIXED, .is_signed = true, .width = 6, .frac = 4, .axis = -1};
    weir_quant binary = codes_quant(2, true, 1, 0.5, 0);
    binary.format = WEIR_FORMAT_BINARY;
    const weir_quant *others[] = {&fixed, &binary};
    for (int i = 0; i < 2; i++) {
        weir_node node = add_node(graph, WEIR_OP_ENCODE, "encode", x, WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_node_set_string(graph, node, "arithmetic", "quant");
        finish(graph, node, others[i]);
    }
}

static void make_decodes(weir_graph *graph) {
    weir_quant bytes = codes_quant(8, false, 1, 0.0123, 77);
    weir_value a = add_codes_input(graph, "a", 0, 255, &bytes);
    weir_quant sums = codes_quant(21, true, CHANNELS, 0.000347, -500);
    weir_value b = add_codes_input(graph, "b", -900000, 900000, &sums);
    weir_quant channels = codes_quant(8, true, CHANNELS, 0.0123, 9);
    weir_value c = add_codes_input(graph, "c", -128, 127, &channels);
    const weir_value values[] = {a, b, c};
    static double offsets[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) offsets[i] = (double)random_int(-999, 999) / 700;
    for (int form = 0; form < 9; form++) {
        weir_node node = add_node(graph, WEIR_OP_DECODE, "decode", values[form / 3], WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_node_set_string(graph, node, "arithmetic", form % 3 == 0 ? "qlinear" : "quant");
        if (form % 3 == 2) weir_node_set_floats(graph, node, "offset", offsets, form == 2 ? 1 : CHANNELS);
        finish(graph, node, NULL);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(weir_graph *graph);
    } graphs[] = {{"casts", make_casts},      {"scales", make_scales},   {"thresholds", make_thresholds},
                  {"lookups", make_lookups},  {"sums", make_sums},       {"fine", make_fine},
                  {"ties", make_ties},        {"encodes", make_encodes}, {"decodes", make_decodes},
                  {"masks", make_masks},      {"means", make_means},     {"pools", make_pools},
                  {"reorders", make_reorders}};
    if (argc != 2) return 2;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        weir_graph *graph = weir_graph_new(graphs[i].name);
        graphs[i].make(graph);
        char *path = weir_format("%s/%s.weir", argv[1], graphs[i].name);
        if (!weir_graph_verify(graph) || !weir_graph_save(graph, path)) return 1;
        free(path);
        weir_graph_free(graph);
    }
    return 0;
}
