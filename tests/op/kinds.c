/* One function a component of rtl/: random shapes, widths and parameters inside what the component's header allows. */
#include <math.h>
#include <stdlib.h>

#include "case.h"
#include "dataflow/stream.h"
#include "ir/loop.h"
#include "support/arena.h"

enum { FRAMES = 12 };

static weir_value result(const op_case *c, weir_node node) { return weir_node_output(c->graph, node, 0); }

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows of a frame: mostly one. */
static int64_t random_rows(op_case *c) { return op_chance(c, 30) ? op_range(c, 2, 4) : 1; }

static int64_t *numbers(op_case *c, int64_t count, int bits, bool is_signed) {
    int64_t *list = weir_malloc((size_t)count * sizeof *list);
    for (int64_t i = 0; i < count; i++) list[i] = op_number(c, bits, is_signed);
    return list;
}

static void build_linear(op_case *c) {
    int64_t rows = random_rows(c), k = op_range(c, 1, 40), n = op_range(c, 1, 12);
    weir_value x = op_input(c, rows, k, (int)op_range(c, 1, 16), op_chance(c, 50));
    int64_t *codes = numbers(c, n * k, (int)op_range(c, 1, 12), op_chance(c, 85));
    weir_value inputs[2] = {x, op_ints(c, "w", n, k, codes)};
    free(codes);
    weir_node node = op_node(c, WEIR_OP_LINEAR, "linear", inputs, 2, 1);
    int64_t simd = rows > 1 ? op_divisor(c, k) : op_range(c, 1, k);
    int64_t pe = rows > 1 ? op_divisor(c, n) : op_range(c, 1, n);
    op_place(c, node, simd, pe, 0);
    weir_meta_hardware *hardware = &weir_node_metadata(c->graph, node)->hardware;
    hardware->simd = simd;
    hardware->pe = pe;
    hardware->interval = rows * weir_ceil_divide(k, simd) * weir_ceil_divide(n, pe);
    hardware->operations = weir_loop_macs(c->graph, node);
    op_finish(c, result(c, node));
    op_make_data(c, FRAMES);
}

static weir_node add_cast(op_case *c, weir_value x, const char *name, int64_t rows, int64_t channels, int64_t lanes) {
    int64_t parameters = op_chance(c, 40) ? 0 : op_chance(c, 50) && (rows == 1 || channels % lanes == 0) ? channels : 1;
    weir_value inputs[2] = {x, WEIR_NO_VALUE};
    if (parameters > 0) {
        int64_t *add = numbers(c, parameters, (int)op_range(c, 1, 20), true);
        inputs[1] = op_ints(c, "add", parameters, 0, add);
        free(add);
    }
    weir_node node = op_node(c, WEIR_OP_CAST, name, inputs, parameters > 0 ? 2 : 1, 1);
    weir_node_set_int(c->graph, node, "shift", op_chance(c, 70) ? op_range(c, 0, 12) : 0);
    weir_node_set_int(c->graph, node, "left", op_chance(c, 40) ? op_range(c, 0, 8) : 0);
    weir_node_set_string(c->graph, node, "rounding",
                         weir_rounding_name((weir_rounding)op_range(c, WEIR_ROUND_FLOOR, WEIR_ROUND_AWAY)));
    op_clip(c, node, (int)op_range(c, 1, 20));
    op_place(c, node, lanes, lanes, 0);
    return node;
}

static void build_cast(op_case *c) {
    int64_t rows = random_rows(c), channels = op_range(c, 1, 24);
    weir_value x = op_input(c, rows, channels, (int)op_range(c, 1, 24), op_chance(c, 60));
    op_finish(c, result(c, add_cast(c, x, "cast", rows, channels, op_lanes(c, rows, channels, 1))));
    op_make_data(c, FRAMES);
}

/* A shift with which most results lie between the clip bounds. */
static int64_t useful_shift(op_case *c, int product_bits, int result_bits) {
    int64_t shift = product_bits - result_bits + op_range(c, -2, 2);
    return op_chance(c, 25) || shift < 0 ? op_range(c, 0, 30) : shift;
}

static void build_scale(op_case *c) {
    int64_t rows = random_rows(c), channels = op_range(c, 1, 20), parameters = op_chance(c, 50) ? channels : 1;
    int bits = (int)op_range(c, 1, 24), x_bits = (int)op_range(c, 1, 24), out_bits = (int)op_range(c, 1, 16);
    weir_value x = op_input(c, rows, channels, x_bits, op_chance(c, 60));
    int64_t *multiplier = numbers(c, parameters, bits, false);
    int64_t *add = numbers(c, parameters, (int)op_range(c, 1, x_bits + bits), true);
    if (op_chance(c, 80)) multiplier[0] |= (int64_t)1 << (bits - 1);
    weir_value inputs[3] = {x, op_ints(c, "m", parameters, 0, multiplier), op_ints(c, "a", parameters, 0, add)};
    free(multiplier);
    free(add);
    weir_node node = op_node(c, WEIR_OP_SCALE, "scale", inputs, 3, 1);
    weir_node_set_int(c->graph, node, "shift", useful_shift(c, x_bits + bits, out_bits));
    op_clip(c, node, out_bits);
    int64_t lanes = op_lanes(c, rows, channels, parameters);
    op_place(c, node, lanes, lanes, op_range(c, 1, bits + 1));
    op_finish(c, result(c, node));
    op_make_data(c, FRAMES);
}

/* Multipliers as the float32 numbers of a network are: a mantissa of up to 24 bits, all aligned to one shift. */
static int64_t float_multipliers(op_case *c, int64_t count, int64_t *multiplier) {
    int64_t shift = op_range(c, 20, 45), mantissa_bits = op_chance(c, 60) ? 24 : op_range(c, 1, 24);
    for (int64_t i = 0; i < count; i++) {
        int64_t mantissa = op_range(c, (int64_t)1 << (mantissa_bits - 1), ((int64_t)1 << mantissa_bits) - 1);
        multiplier[i] = mantissa << op_range(c, 0, 31 - mantissa_bits < 6 ? 31 - mantissa_bits : 6);
    }
    return shift;
}

/* Values whose product lies next to a tie. */
static void aim_at_ties(op_case *c, int64_t parameters, const int64_t *multiplier, const int64_t *add, int64_t shift) {
    for (size_t i = 0; i < c->data[0]->count; i++) {
        if (op_chance(c, 30)) continue;
        size_t channel = parameters == 1 ? 0 : i % (size_t)parameters;
        double tie = (double)op_number(c, 9, true) + 0.5;
        double x = nearbyint(tie * ldexp(1, (int)shift) / (double)multiplier[channel]) - (double)add[channel];
        x += (double)op_range(c, -1, 1);
        if (x >= (double)c->low && x <= (double)c->high) weir_array_set_int(c->data[0], i, (int64_t)x);
    }
}

static void build_scale_float(op_case *c) {
    int64_t rows = random_rows(c), channels = op_range(c, 1, 16), parameters = op_chance(c, 50) ? channels : 1;
    bool wide = op_chance(c, 40); /* sums of more than 24 bits are rounded themselves */
    weir_value x =
        op_input(c, rows, channels, (int)(wide ? op_range(c, 24, 44) : op_range(c, 2, 23)), op_chance(c, 70));
    int64_t *multiplier = weir_malloc((size_t)parameters * sizeof *multiplier);
    int64_t *add = numbers(c, parameters, (int)op_range(c, 1, wide ? 40 : 22), true);
    int64_t shift = float_multipliers(c, parameters, multiplier) + (wide ? op_range(c, 0, 16) : 0);
    weir_value inputs[3] = {x, op_ints(c, "m", parameters, 0, multiplier), op_ints(c, "a", parameters, 0, add)};
    weir_node node = op_node(c, WEIR_OP_SCALE_FLOAT, "scale", inputs, 3, 1);
    weir_node_set_int(c->graph, node, "shift", shift);
    weir_node_set_int(c->graph, node, "zero", op_number(c, 8, true));
    op_clip(c, node, (int)op_range(c, 1, 16));
    int64_t lanes = op_lanes(c, rows, channels, parameters);
    op_place(c, node, lanes, lanes, op_range(c, 1, 32));
    op_finish(c, result(c, node));
    op_make_data(c, 3 * FRAMES);
    aim_at_ties(c, parameters, multiplier, add, shift);
    free(multiplier);
    free(add);
}

static void build_threshold(op_case *c) {
    int64_t rows = random_rows(c), channels = op_range(c, 1, 16), parameters = op_chance(c, 50) ? channels : 1;
    int64_t count = op_chance(c, 70) ? op_range(c, 1, 8) : op_range(c, 9, 60);
    weir_value x = op_input(c, rows, channels, (int)op_range(c, 1, 20), op_chance(c, 60));
    int64_t *step = weir_malloc((size_t)(parameters * count) * sizeof *step);
    int64_t margin = op_chance(c, 30) ? 100000 : 1;
    for (int64_t i = 0; i < parameters * count; i++) step[i] = op_range(c, c->low - margin, c->high + margin);
    for (int64_t p = 0; p < parameters; p++) qsort(step + p * count, (size_t)count, sizeof *step, compare);
    weir_value inputs[2] = {x, op_ints(c, "t", parameters, count, step)};
    free(step);
    weir_node node = op_node(c, WEIR_OP_THRESHOLD, "threshold", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "base", op_number(c, 10, true));
    weir_node_set_int(c->graph, node, "step", op_chance(c, 50) ? 1 : op_chance(c, 50) ? 2 : op_range(c, -5, 5));
    int64_t lanes = op_lanes(c, rows, channels, parameters);
    op_place(c, node, lanes, lanes, op_range(c, 1, count));
    op_finish(c, result(c, node));
    op_make_data(c, FRAMES);
}

static void build_maximum(op_case *c) {
    int64_t channels = op_range(c, 1, 24), lanes = op_range(c, 1, channels);
    weir_value x = op_input(c, 1, channels, (int)op_range(c, 1, 24), op_chance(c, 70));
    weir_node node = op_node(c, WEIR_OP_MAXIMUM, "maximum", &x, 1, 1);
    weir_node_set_int(c->graph, node, "zero", op_chance(c, 40) ? 0 : op_range(c, c->low, c->high));
    op_place(c, node, lanes, lanes, 0);
    op_finish(c, result(c, node));
    op_make_data(c, FRAMES);
}

/* A branch of a fork: a few components that delay beats by different times. */
static weir_value add_branch(op_case *c, weir_value value, int64_t channels, int64_t lanes) {
    for (int64_t steps = op_range(c, 0, 2); steps > 0; steps--) {
        int64_t choice = op_range(c, 0, 2);
        weir_node node;
        if (choice == 0) {
            node = add_cast(c, value, "cast", 1, channels, lanes);
        } else {
            node = op_node(c, choice == 1 ? WEIR_OP_REGISTER_SLICE : WEIR_OP_FIFO, "wait", &value, 1, 1);
            op_place(c, node, lanes, lanes, 0);
            weir_node_metadata(c->graph, node)->hardware.depth = op_range(c, 2, 40);
        }
        value = result(c, node);
    }
    return value;
}

/* Fork into branches that meet again in a chain of sums. */
static void build_sum(op_case *c) {
    int64_t channels = op_range(c, 1, 16), lanes = op_range(c, 1, channels), branches = op_range(c, 2, 4);
    weir_value x = op_input(c, 1, channels, (int)op_range(c, 1, 16), op_chance(c, 50));
    weir_node fork = op_node(c, WEIR_OP_FORK, "fork", &x, 1, (size_t)branches);
    op_place(c, fork, lanes, lanes, 0);
    weir_value sum = add_branch(c, result(c, fork), channels, lanes);
    for (int64_t i = 1; i < branches; i++) {
        weir_value pair[2] = {sum, add_branch(c, weir_node_output(c->graph, fork, (size_t)i), channels, lanes)};
        weir_node node = op_node(c, WEIR_OP_SUM, "sum", pair, 2, 1);
        weir_node_set_int(c->graph, node, "ca", op_chance(c, 40) ? 1 : op_number(c, 10, true));
        weir_node_set_int(c->graph, node, "cb", op_chance(c, 40) ? 1 : op_number(c, 10, true));
        op_place(c, node, lanes, lanes, 0);
        sum = result(c, node);
    }
    op_finish(c, sum);
    op_make_data(c, FRAMES);
}

static void build_stream(op_case *c, weir_op op, int64_t depth) {
    int64_t channels = op_range(c, 1, 48), lanes = op_range(c, 1, channels < 8 ? channels : 8);
    weir_value x = op_input(c, 1, channels, (int)op_range(c, 1, 24), op_chance(c, 50));
    weir_node node = op_node(c, op, "stream", &x, 1, 1);
    op_place(c, node, lanes, lanes, 0);
    weir_node_metadata(c->graph, node)->hardware.depth = depth;
    op_finish(c, result(c, node));
    op_make_data(c, 2 * FRAMES);
}

static void build_fifo(op_case *c) {
    static const int64_t depths[] = {2, 3, 31, 32, 33, 34, 64, 65};
    int64_t depth = op_chance(c, 50) ? depths[op_range(c, 0, 7)] : op_range(c, 2, 100);
    build_stream(c, WEIR_OP_FIFO, depth);
}

static void build_register_slice(op_case *c) { build_stream(c, WEIR_OP_REGISTER_SLICE, 0); }

static void build_lanes(op_case *c) {
    static const int64_t pairs[][2] = {{5, 2}, {3, 7}, {1, 64}, {64, 1}, {4, 6}, {6, 4}, {8, 2}, {2, 8}, {7, 7}};
    int64_t choice = op_range(c, 0, 17), in, out;
    bool listed = choice < (int64_t)(sizeof pairs / sizeof *pairs);
    in = listed ? pairs[choice][0] : op_range(c, 1, 20);
    out = listed ? pairs[choice][1] : op_range(c, 1, 20);
    weir_value x = op_input(c, 1, op_range(c, 1, 100), (int)op_range(c, 1, 12), op_chance(c, 50));
    weir_node node = op_node(c, WEIR_OP_LANES, "lanes", &x, 1, 1);
    op_place(c, node, in, out, 0);
    op_finish(c, result(c, node));
    op_make_data(c, FRAMES);
}

const op_kind op_kinds[] = {
    {"linear", build_linear, "linear_weights"},
    {"sum", build_sum, NULL},
    {"cast", build_cast, NULL},
    {"scale", build_scale, "scale_scale"},
    {"scale_float", build_scale_float, "scale_scale"},
    {"threshold", build_threshold, "threshold_thresholds"},
    {"maximum", build_maximum, NULL},
    {"fifo", build_fifo, NULL},
    {"lanes", build_lanes, NULL},
    {"register_slice", build_register_slice, NULL},
    {"network", op_build_network, NULL},
    {NULL, NULL, NULL},
};
