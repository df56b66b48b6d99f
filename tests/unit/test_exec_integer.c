/* The integer operators and the executor: every operator against its definition written out again, proven ranges
 * reached and never left, batches and their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/arithmetic.h"
#include "exec/exec.h"
#include "ir/infer.h"
#include "support/process.h"

static uint64_t seed = 0x853c49e6748fea9bu;

static uint64_t random_bits(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1du;
}

static int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % ((uint64_t)(high - low) + 1));
}

static weir_shape shape_of(int64_t a, int64_t b) {
    const int64_t dims[] = {a, b};
    return weir_shape_of(2, dims);
}

/* An array of random codes. */
static weir_array *random_codes(weir_dtype dtype, int64_t rows, int64_t columns, int64_t low, int64_t high) {
    const weir_shape shape = shape_of(rows, columns);
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(low, high));
    return array;
}

static weir_value add_codes_input(weir_graph *graph, const char *name, const weir_array *like, int64_t low,
                                  int64_t high) {
    weir_type type = {.dtype = like->dtype, .shape = like->shape, .has_range = true, .low = low, .high = high};
    type.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .is_signed = low < 0, .width = weir_bits_for(low, high), .axis = -1};
    return weir_graph_add_input(graph, name, &type);
}

static weir_value add_ints(weir_graph *graph, const char *name, const int64_t *values, int64_t count) {
    const weir_shape shape = weir_shape_of(1, &count);
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    memcpy(array->data, values, (size_t)count * sizeof *values);
    const weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

static weir_node add(weir_graph *graph, weir_op op, weir_value a, weir_value b, weir_value c) {
    const weir_value inputs[] = {a, b, c};
    const size_t count = c.id != 0 ? 3 : b.id != 0 ? 2 : 1;
    return weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
}

/* Infers the node, makes its output the graph's, runs the graph and checks the proven range. */
static const weir_array *run(weir_graph *graph, weir_node node, const weir_array *input, weir_executor **executor) {
    const weir_value y = weir_node_output(graph, node, 0);
    assert_true(weir_infer_graph(graph));
    weir_graph_add_output(graph, "y", y);
    *executor = weir_executor_new(graph);
    assert_non_null(*executor);
    assert_true(weir_executor_run(*executor, &input));
    const weir_array *found = weir_executor_value(*executor, y);
    const weir_type *type = weir_value_type(graph, y);
    assert_int_equal(found->dtype, type->dtype);
    for (size_t i = 0; type->has_range && i < found->count; i++)
        assert_in_range(weir_array_get_int(found, i) - type->low, 0, type->high - type->low);
    return found;
}

static void linear_is_a_matrix_product(void **state) {
    (void)state;
    static const weir_dtype dtypes[] = {WEIR_INT8,  WEIR_UINT8,  WEIR_INT16, WEIR_UINT16,
                                        WEIR_INT32, WEIR_UINT32, WEIR_INT64};
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 64, 64}, {3, 65, 70}, {2, 1100, 130}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int64_t low, high;
            weir_dtype_limits(dtypes[d], &low, &high);
            if (low < -5000) low = -5000;
            if (high > 5000) high = 5000;
            const int64_t rows = sizes[s][0], inner = sizes[s][1], columns = sizes[s][2];
            weir_array *x = random_codes(dtypes[d], rows, inner, low, high);
            weir_array *w = random_codes(dtypes[(d + 3) % 7], columns, inner, 0, 100);
            weir_graph *graph = weir_graph_new("g");
            const weir_value vx = add_codes_input(graph, "x", x, low, high);
            const weir_node node =
                add(graph, WEIR_OP_LINEAR, vx, weir_graph_add_constant(graph, "w", w), WEIR_NO_VALUE);
            weir_executor *executor;
            const weir_array *y = run(graph, node, x, &executor);
            for (int64_t r = 0; r < rows; r++) {
                for (int64_t n = 0; n < columns; n++) {
                    int64_t sum = 0;
                    for (int64_t k = 0; k < inner; k++)
                        sum += weir_array_get_int(x, (size_t)(r * inner + k)) *
                               weir_array_get_int(w, (size_t)(n * inner + k));
                    assert_int_equal(weir_array_get_int(y, (size_t)(r * columns + n)), sum);
                }
            }
            weir_executor_free(executor);
            weir_graph_free(graph);
            weir_array_free(w);
            weir_array_free(x);
        }
    }
}

/* The inputs that drive one channel to an end of its range really reach it, and no other channel passes it. */
static void linear_range_is_reached(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        const int64_t low = random_int(-128, 20), high = random_int(low, 127);
        weir_array *w = random_codes(WEIR_INT8, 5, 9, -128, 127);
        weir_array *x = random_codes(WEIR_INT8, 10, 9, low, high);
        for (size_t i = 0; i < x->count; i++) {
            const size_t end = i / 9;
            const bool up = (weir_array_get_int(w, end / 2 * 9 + i % 9) > 0) == (end % 2 == 1);
            weir_array_set_int(x, i, up ? high : low);
        }
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, low, high);
        const weir_node node = add(graph, WEIR_OP_LINEAR, vx, weir_graph_add_constant(graph, "w", w), WEIR_NO_VALUE);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (size_t n = 0; n < 5; n++) {
            int64_t sum_low, sum_high;
            weir_infer_linear_range(w, n, low, high, &sum_low, &sum_high);
            assert_int_equal(weir_array_get_int(y, 2 * n * 5 + n), sum_low);
            assert_int_equal(weir_array_get_int(y, (2 * n + 1) * 5 + n), sum_high);
            least = sum_low < least ? sum_low : least;
            most = sum_high > most ? sum_high : most;
        }
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, 0));
        assert_int_equal(type->low, least);
        assert_int_equal(type->high, most);
        assert_int_equal(type->quant.width, weir_bits_for(least, most));
        assert_int_equal(type->quant.is_signed, least < 0);
        weir_executor_free(executor);
        weir_graph_free(graph);
        weir_array_free(x);
        weir_array_free(w);
    }
}

static void sum_weighs_and_broadcasts_constants(void **state) {
    (void)state;
    weir_array *x = random_codes(WEIR_UINT8, 6, 40, 0, 255);
    weir_array *row = random_codes(WEIR_INT8, 1, 40, -128, 127), *column = random_codes(WEIR_INT16, 6, 1, -300, 300);
    const weir_array *const constants[] = {row, column};
    for (int i = 0; i < 2; i++) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, 0, 255);
        const weir_value c = weir_graph_add_constant(graph, "c", constants[i]);
        const weir_node node = add(graph, WEIR_OP_SUM, vx, c, WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "ca", 3);
        weir_node_set_int(graph, node, "cb", -5);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        for (size_t at = 0; at < y->count; at++) {
            const int64_t other = weir_array_get_int(constants[i], i == 0 ? at % 40 : at / 40);
            assert_int_equal(weir_array_get_int(y, at), 3 * weir_array_get_int(x, at) - 5 * other);
        }
        weir_executor_free(executor);
        weir_graph_free(graph);
    }
    weir_array_free(column);
    weir_array_free(row);
    weir_array_free(x);
}

/* Codes -2000..1999 in rows of 4 channels. */
static weir_array *ramp(void) {
    const weir_shape shape = shape_of(1000, 4);
    weir_array *x = weir_array_new(WEIR_INT16, &shape);
    for (size_t i = 0; i < x->count; i++) weir_array_set_int(x, i, (int64_t)i - 2000);
    return x;
}

static void set_output_quant(weir_graph *graph, weir_node node, const weir_quant *quant) {
    const weir_type type = {.quant = *quant};
    weir_value_set_type(graph, weir_node_output(graph, node, 0), &type);
}

static void casts_apply_their_contract_by_channel(void **state) {
    (void)state;
    const int64_t adds[] = {1, -7, 100, 0}, factors[] = {3, 5000, 77, 1 << 20}, one = 9;
    weir_array *x = ramp();
    for (int which = 0; which < 4; which++) {
        static const weir_op ops[] = {WEIR_OP_CAST, WEIR_OP_CAST, WEIR_OP_SCALE, WEIR_OP_SCALE_FLOAT};
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        const weir_value a = add_ints(graph, "a", which == 3 ? &one : adds, which == 3 ? 1 : 4);
        const weir_value m = add_ints(graph, "m", factors, 4);
        const bool cast = ops[which] == WEIR_OP_CAST;
        const weir_node node =
            add(graph, ops[which], vx, cast ? (which == 0 ? a : WEIR_NO_VALUE) : m, cast ? WEIR_NO_VALUE : a);
        weir_node_set_int(graph, node, "shift", 6);
        weir_node_set_int(graph, node, "left", 2);
        weir_node_set_int(graph, node, "zero", 11);
        weir_node_set_string(graph, node, "rounding", which == 0 ? "half-even" : "ceil");
        weir_node_set_int(graph, node, "low", -30);
        weir_node_set_int(graph, node, "high", which == 1 ? 99 : 127);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        assert_int_equal(y->dtype, WEIR_INT8);
        for (size_t i = 0; i < y->count; i++) {
            const int64_t code = weir_array_get_int(x, i), channel = (int64_t)i % 4;
            int64_t expected;
            switch (which) {
            case 0: expected = weir_cast(code, adds[channel], 2, 6, WEIR_ROUND_HALF_EVEN, -30, 127); break;
            case 1: expected = weir_cast(code, 0, 2, 6, WEIR_ROUND_CEIL, -30, 99); break;
            case 2: expected = weir_requantize_scale(code, factors[channel], adds[channel], 6, -30, 127); break;
            default: expected = weir_requantize_scale_float(code, factors[channel], 9, 6, 11, -30, 127); break;
            }
            assert_int_equal(weir_array_get_int(y, i), expected);
        }
        weir_executor_free(executor);
        weir_graph_free(graph);
    }
    weir_array_free(x);
}

static void thresholds_count(void **state) {
    (void)state;
    weir_array *x = ramp();
    weir_array *t = random_codes(WEIR_INT64, 4, 15, -2100, 2100);
    for (size_t i = 0; i < t->count; i++) /* ascending by insertion */
        for (size_t j = i; j % 15 != 0 && weir_array_get_int(t, j) < weir_array_get_int(t, j - 1); j--) {
            const int64_t swap = weir_array_get_int(t, j);
            weir_array_set_int(t, j, weir_array_get_int(t, j - 1));
            weir_array_set_int(t, j - 1, swap);
        }
    weir_array_set_int(t, 7, weir_array_get_int(t, 6)); /* a double step */
    for (int direction = -1; direction <= 1; direction += 2) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        const weir_node node = add(graph, WEIR_OP_THRESHOLD, vx, weir_graph_add_constant(graph, "t", t), WEIR_NO_VALUE);
        weir_node_set_int(graph, node, "base", -4);
        weir_node_set_int(graph, node, "step", direction);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        for (size_t i = 0; i < y->count; i++) {
            int64_t count = 0;
            for (size_t j = 0; j < 15; j++) count += weir_array_get_int(t, i % 4 * 15 + j) <= weir_array_get_int(x, i);
            assert_int_equal(weir_array_get_int(y, i), -4 + direction * count);
        }
        weir_executor_free(executor);
        weir_graph_free(graph);
    }
    weir_array_free(t);
    weir_array_free(x);
}

static void requantize_follows_contract_and_channel(void **state) {
    (void)state;
    const double in_scales[] = {0.01f, 0.5, 0.0375f, 3e-4f}, out_scale = 0.1f;
    const int64_t in_zeros[] = {-100, 3, 0, 900}, out_zero = 5;
    const double offsets[] = {0.25, -1, 0, 7.125};
    weir_array *x = ramp();
    for (int real = 0; real < 2; real++) {
        weir_graph *graph = weir_graph_new("g");
        weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
        weir_type from = *weir_value_type(graph, vx);
        from.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                                  .is_signed = true,
                                  .width = 12,
                                  .axis = 1,
                                  .count = 4,
                                  .scale = in_scales,
                                  .zero_point = in_zeros};
        weir_value_set_type(graph, vx, &from);
        const int64_t four = 4;
        const weir_shape shape = weir_shape_of(1, &four);
        weir_array *offset = weir_array_new(WEIR_FLOAT64, &shape);
        memcpy(offset->data, offsets, sizeof offsets);
        const weir_value vo = weir_graph_add_constant(graph, "offset", offset);
        const weir_node node = add(graph, WEIR_OP_REQUANTIZE, vx, real ? vo : WEIR_NO_VALUE, WEIR_NO_VALUE);
        const weir_quant to = {.format = WEIR_FORMAT_INTEGER,
                               .width = 8,
                               .axis = -1,
                               .count = 1,
                               .scale = &out_scale,
                               .zero_point = &out_zero,
                               .rounding = WEIR_ROUND_HALF_UP};
        set_output_quant(graph, node, &to);
        weir_node_set_string(graph, node, "contract", real ? "real" : "onnxruntime");
        weir_node_set_int(graph, node, "low", 5); /* a folded Relu */
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        assert_int_equal(y->dtype, WEIR_UINT8);
        for (size_t i = 0; i < y->count; i++) {
            const size_t c = i % 4;
            const int64_t code = weir_array_get_int(x, i) - in_zeros[c];
            const float multiplier = (float)in_scales[c] / (float)out_scale;
            double v = real ? floor(((double)code * in_scales[c] + offsets[c]) / out_scale + 5 + 0.5)
                            : (double)rintf((float)code * multiplier) + 5;
            v = v < 5 ? 5 : v > 255 ? 255 : v;
            assert_int_equal(weir_array_get_int(y, i), (int64_t)v);
        }
        weir_executor_free(executor);
        weir_array_free(offset);
        weir_graph_free(graph);
    }
    weir_array_free(x);
}

static void maximum_and_streams_keep_values(void **state) {
    (void)state;
    weir_array *x = ramp();
    weir_graph *graph = weir_graph_new("g");
    const weir_value vx = add_codes_input(graph, "x", x, -2000, 1999);
    const weir_node fork = weir_graph_add_node(graph, WEIR_OP_FORK, "f", &vx, 1, 2, WEIR_NO_NODE);
    const weir_node fifo = add(graph, WEIR_OP_FIFO, weir_node_output(graph, fork, 1), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node lanes = add(graph, WEIR_OP_LANES, weir_node_output(graph, fifo, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node slice =
        add(graph, WEIR_OP_REGISTER_SLICE, weir_node_output(graph, lanes, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    const weir_node node = add(graph, WEIR_OP_MAXIMUM, weir_node_output(graph, slice, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_node_set_int(graph, node, "zero", -17);
    weir_executor *executor;
    const weir_array *y = run(graph, node, x, &executor);
    for (size_t i = 0; i < y->count; i++) {
        const int64_t code = weir_array_get_int(x, i);
        assert_int_equal(weir_array_get_int(y, i), code < -17 ? -17 : code);
    }
    assert_true(weir_array_equal(weir_executor_value(executor, weir_node_output(graph, fork, 0)), x));
    assert_int_equal(weir_value_type(graph, weir_node_output(graph, node, 0))->low, -17);
    weir_executor_free(executor);
    weir_graph_free(graph);
    weir_array_free(x);
}

/* Encode, three Linear and Requantize, Decode: 10,000 frames of 64-64-32-10 take a fraction of a second. */
static void lowered_network_is_fast(void **state) {
    (void)state;
    static const int64_t sizes[] = {64, 64, 32, 10};
    static const double scale = 0.05;
    const weir_quant quant = {
        .format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1, .count = 1, .scale = &scale};
    const weir_type real = {.dtype = WEIR_FLOAT32, .shape = shape_of(1, 64), .quant = {.axis = -1}};
    weir_graph *graph = weir_graph_new("g");
    weir_node node = add(graph, WEIR_OP_ENCODE, weir_graph_add_input(graph, "x", &real), WEIR_NO_VALUE, WEIR_NO_VALUE);
    set_output_quant(graph, node, &quant);
    for (int layer = 0; layer < 3; layer++) {
        weir_array *w = random_codes(WEIR_INT8, sizes[layer + 1], sizes[layer], -128, 127);
        const weir_value vw = weir_graph_add_constant(graph, "w", w);
        node = add(graph, WEIR_OP_LINEAR, weir_node_output(graph, node, 0), vw, WEIR_NO_VALUE);
        node = add(graph, WEIR_OP_REQUANTIZE, weir_node_output(graph, node, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
        set_output_quant(graph, node, &quant);
        weir_array_free(w);
    }
    node = add(graph, WEIR_OP_DECODE, weir_node_output(graph, node, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
    assert_true(weir_infer_graph(graph));
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    weir_executor *executor = weir_executor_new(graph);
    weir_array *x = random_codes(WEIR_INT8, 10000, 64, -128, 127);
    const double start = weir_seconds();
    weir_array *y = weir_executor_run_all(executor, x, 0, 0);
    const double seconds = weir_seconds() - start;
    printf("  10000 frames in %.3f s\n", seconds);
    assert_int_equal(y->shape.dim[0], 10000);
    assert_true(seconds < 10);
    weir_array_free(y);
    weir_array_free(x);
    weir_executor_free(executor);
    weir_graph_free(graph);
}

/* Encode and Decode by both contracts (0.35f / 0.1f is 3.5 in float32 and below it in float64), and binary codes. */
static void codes_and_reals_convert(void **state) {
    (void)state;
    const double scale = 0.1f, offset[] = {0.5, -0.25};
    const int64_t zero = 3;
    const weir_shape shape = shape_of(1, 4);
    const weir_type real = {.dtype = WEIR_FLOAT32, .shape = shape, .quant = {.axis = -1}};
    weir_array *x = weir_array_new(WEIR_FLOAT32, &shape);
    const float values[] = {-1, 0, 0.35f, 100};
    memcpy(x->data, values, sizeof values);
    for (int which = 0; which < 3; which++) {
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = weir_graph_add_input(graph, "x", &real);
        const weir_node encode = add(graph, WEIR_OP_ENCODE, vx, WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_quant quant = {.format = which == 2 ? WEIR_FORMAT_BINARY : WEIR_FORMAT_INTEGER,
                            .is_signed = true,
                            .width = which == 2 ? 1 : 8,
                            .axis = -1,
                            .count = 1,
                            .scale = &scale,
                            .zero_point = &zero,
                            .rounding = WEIR_ROUND_FLOOR};
        if (which == 2) quant.zero_point = NULL;
        set_output_quant(graph, encode, &quant);
        weir_node_set_string(graph, encode, "contract", which == 1 ? "real" : "onnxruntime");
        const weir_node decode =
            add(graph, WEIR_OP_DECODE, weir_node_output(graph, encode, 0), WEIR_NO_VALUE, WEIR_NO_VALUE);
        weir_node_set_string(graph, decode, "contract", which == 1 ? "real" : "onnxruntime");
        if (which == 1) weir_node_set_floats(graph, decode, "offset", offset, 1);
        weir_executor *executor;
        const weir_array *y = run(graph, decode, x, &executor);
        const weir_array *codes = weir_executor_value(executor, weir_node_output(graph, encode, 0));
        static const int64_t expected[3][4] = {{-7, 3, 7, 127}, {-7, 3, 6, 127}, {-1, 1, 1, 1}};
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(weir_array_get_int(codes, i), expected[which][i]);
            const int64_t code = expected[which][i] - (which == 2 ? 0 : 3);
            const float plain = (float)code * (float)scale;
            const float moved = (float)((double)code * scale + 0.5);
            assert_true(((const float *)y->data)[i] == (which == 1 ? moved : plain));
        }
        weir_executor_free(executor);
        weir_graph_free(graph);
    }
    weir_array_free(x);
}

typedef struct caught {
    size_t count;
    char text[256];
} caught;

static void catch_diagnostic(void *user, const weir_diagnostic *diagnostic) {
    caught *to = user;
    if (diagnostic->severity != WEIR_SEVERITY_ERROR) return;
    to->count++;
    strncpy(to->text, diagnostic->text, sizeof to->text - 1);
}

static weir_graph *doubler(weir_dtype dtype, int64_t rows) {
    const weir_shape shape = shape_of(rows, 4);
    weir_graph *graph = weir_graph_new("g");
    weir_type type = {.dtype = dtype, .shape = shape, .quant = {.axis = -1}};
    if (!weir_dtype_is_float(dtype)) {
        type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1};
        type.has_range = true;
        type.high = 15;
    }
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    const weir_node node = add(graph, WEIR_OP_ADD, x, x, WEIR_NO_VALUE);
    assert_true(weir_infer_graph(graph));
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    return graph;
}

static void batches_are_cut_into_frames(void **state) {
    (void)state;
    const int64_t dims[] = {6, 2, 2};
    const weir_shape shape = weir_shape_of(3, dims);
    weir_array *data = weir_array_new(WEIR_INT64, &shape);
    for (size_t i = 0; i < data->count; i++) weir_array_set_int(data, i, (int64_t)i % 16);
    static const weir_dtype dtypes[] = {WEIR_FLOAT32, WEIR_UINT8};
    for (int i = 0; i < 4; i++) {
        weir_graph *graph = doubler(dtypes[i % 2], i < 2 ? 1 : 2);
        weir_executor *executor = weir_executor_new(graph);
        assert_int_equal(weir_executor_frames(graph, data), i < 2 ? 6 : 3);
        weir_array *y = weir_executor_run_all(executor, data, 0, 0);
        assert_non_null(y);
        assert_int_equal(y->shape.rank, i < 2 ? 2 : 3);
        assert_int_equal(y->shape.dim[0], i < 2 ? 6 : 3);
        for (size_t j = 0; j < data->count; j++) assert_int_equal(weir_array_get_int(y, j), 2 * (j % 16));
        weir_array *frame = weir_executor_frame(graph, data, 2);
        assert_int_equal(weir_array_get_int(frame, 1), i < 2 ? 9 : 1);
        assert_int_equal(frame->dtype, dtypes[i % 2]);
        weir_array_free(frame);
        weir_array_free(y);
        y = weir_executor_run_all(executor, data, 2, 0);
        assert_int_equal(y->shape.dim[0], 2);
        assert_int_equal(weir_array_get_int(y, y->count - 1), i < 2 ? 14 : 30);
        weir_array_free(y);
        y = weir_executor_run_all(executor, data, 100, 0);
        assert_int_equal(y->shape.dim[0], i < 2 ? 6 : 3);
        weir_array_free(y);
        weir_executor_free(executor);
        weir_graph_free(graph);
    }
    weir_array_free(data);
}

/* Each wrong call is reported once, with both sides of the disagreement. */
static void wrong_data_is_refused(void **state) {
    (void)state;
    caught log = {0};
    weir_diag_set_handler(catch_diagnostic, &log);
    weir_graph *graph = doubler(WEIR_UINT8, 1);
    weir_executor *executor = weir_executor_new(graph);
    const weir_shape short_shape = shape_of(10, 3), fine_shape = shape_of(2, 4);
    weir_array *narrow = weir_array_new(WEIR_UINT8, &short_shape), *real = weir_array_new(WEIR_FLOAT32, &fine_shape);
    assert_int_equal(weir_executor_frames(graph, narrow), -1);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.text, "[1,4]"));
    assert_non_null(strstr(log.text, "[10,3]"));
    assert_null(weir_executor_run_all(executor, narrow, 0, 0));
    weir_graph *pairs = doubler(WEIR_FLOAT32, 3); /* frames of [3,4] */
    const weir_shape odd_shape = shape_of(8, 3);  /* the elements of two frames, but no whole number of batches */
    weir_array *odd = weir_array_new(WEIR_FLOAT32, &odd_shape);
    assert_int_equal(weir_executor_frames(pairs, odd), -1);
    weir_array_free(odd);
    weir_graph_free(pairs);
    log.count = 2;
    assert_false(weir_executor_run(executor, (const weir_array *const *)&narrow));
    assert_int_equal(log.count, 3);
    weir_array_set(real, 5, 1.5);
    assert_null(weir_executor_run_all(executor, real, 0, 0));
    assert_non_null(strstr(log.text, "1.5"));
    weir_array_set(real, 5, 300);
    assert_null(weir_executor_frame(graph, real, 1));
    weir_array_set(real, 5, 16); /* fits uint8, but not the proven range */
    assert_null(weir_executor_run_all(executor, real, 0, 0));
    assert_non_null(strstr(log.text, "[0, 15]"));
    weir_array_set(real, 5, 15);
    weir_array *y = weir_executor_run_all(executor, real, 0, 0);
    assert_non_null(y);
    assert_null(weir_executor_frame(graph, real, 2));
    weir_array_free(y);
    weir_array_free(real);
    weir_array_free(narrow);
    weir_executor_free(executor);
    weir_graph_free(graph);
    weir_diag_set_handler(NULL, NULL);
    weir_diag_reset();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_a_matrix_product),
        cmocka_unit_test(linear_range_is_reached),
        cmocka_unit_test(sum_weighs_and_broadcasts_constants),
        cmocka_unit_test(casts_apply_their_contract_by_channel),
        cmocka_unit_test(thresholds_count),
        cmocka_unit_test(requantize_follows_contract_and_channel),
        cmocka_unit_test(maximum_and_streams_keep_values),
        cmocka_unit_test(lowered_network_is_fast),
        cmocka_unit_test(codes_and_reals_convert),
        cmocka_unit_test(batches_are_cut_into_frames),
        cmocka_unit_test(wrong_data_is_refused),
    };
    return cmocka_run_group_tests_name("exec integer", tests, NULL, NULL);
}
