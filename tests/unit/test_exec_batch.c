/* The executor: lowered networks, batches and their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/integer_graph.h"
#include "support/process/process.h"
#include "support/process/seconds.h"

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

/* A depthwise convolution: x[frame, row, column, channel], weights [channel, kernel[0] * kernel[1]]. */
typedef struct depthwise {
    int64_t in[2], kernel[2], stride[2], dilation[2], begin[2], out[2], channels, fill;
    weir_array *x, *w;
} depthwise;

enum { FRAMES = 2 };

static depthwise random_depthwise(void) {
    depthwise d = {.channels = random_int(1, 40), .fill = random_int(0, 9)};
    for (int i = 0; i < 2; i++) {
        d.kernel[i] = random_int(1, 3);
        d.stride[i] = random_int(1, 2);
        d.dilation[i] = random_int(1, 2);
        d.begin[i] = random_int(0, d.kernel[i] - 1);
        d.in[i] = random_int((d.kernel[i] - 1) * d.dilation[i] + 1, 9);
        d.out[i] = (d.in[i] + 2 * d.begin[i] - (d.kernel[i] - 1) * d.dilation[i] - 1) / d.stride[i] + 1;
    }
    const bool is_signed = random_int(0, 1) == 1;
    const int64_t low = is_signed ? -128 : 0;
    d.x = random_codes(is_signed ? WEIR_INT8 : WEIR_UINT8, FRAMES, d.in[0] * d.in[1] * d.channels, low, low + 255);
    d.w = random_codes(random_int(0, 1) == 1 ? WEIR_INT8 : WEIR_UINT8, d.channels, d.kernel[0] * d.kernel[1], 0, 100);
    return d;
}

/* The sum at a position by its definition; a window's columns come before its rows. */
static int64_t sum_at(const depthwise *d, int64_t frame, int64_t row, int64_t column, int64_t channel) {
    int64_t sum = 0;
    for (int64_t k = 0; k < d->kernel[0] * d->kernel[1]; k++) {
        const int64_t at[] = {row * d->stride[0] + k % d->kernel[0] * d->dilation[0] - d->begin[0],
                              column * d->stride[1] + k / d->kernel[0] * d->dilation[1] - d->begin[1]};
        const bool inside = at[0] >= 0 && at[0] < d->in[0] && at[1] >= 0 && at[1] < d->in[1];
        const int64_t x = ((frame * d->in[0] + at[0]) * d->in[1] + at[1]) * d->channels + channel;
        sum += weir_array_get_int(d->w, (size_t)(channel * d->kernel[0] * d->kernel[1] + k)) *
               (inside ? weir_array_get_int(d->x, (size_t)x) : d->fill);
    }
    return sum;
}

/* How many sums are not those of the definition, of which the first is off by `planted`. `watched`: the graph has the
 * windows as an output too. */
static size_t wrong_sums(const depthwise *d, bool watched, int64_t planted) {
    weir_graph *graph = weir_graph_new("g");
    const int64_t dims[] = {1, d->in[0], d->in[1], d->channels};
    weir_array one = *d->x;
    one.shape = weir_shape_of(4, dims);
    const weir_value x =
        add_codes_input(graph, "x", &one, d->x->dtype == WEIR_INT8 ? -128 : 0, d->x->dtype == WEIR_INT8 ? 127 : 255);
    const weir_node window = add(graph, WEIR_OP_WINDOW, x, WEIR_NO_VALUE, WEIR_NO_VALUE);
    const int64_t pads[] = {d->begin[0], d->begin[1], d->begin[0], d->begin[1]};
    weir_node_set_ints(graph, window, "kernel_shape", d->kernel, 2);
    weir_node_set_ints(graph, window, "strides", d->stride, 2);
    weir_node_set_ints(graph, window, "dilations", d->dilation, 2);
    weir_node_set_ints(graph, window, "pads", pads, 4);
    weir_node_set_int(graph, window, "fill", d->fill);
    weir_node_set_int(graph, window, "group", d->channels);
    const weir_value w = weir_graph_add_constant(graph, "w", d->w);
    const weir_node linear = add(graph, WEIR_OP_LINEAR, weir_node_output(graph, window, 0), w, WEIR_NO_VALUE);
    weir_node_set_int(graph, linear, "group", d->channels);
    assert_true(weir_infer_graph(graph));
    weir_graph_add_output(graph, "y", weir_node_output(graph, linear, 0));
    if (watched) weir_graph_add_output(graph, "windows", weir_node_output(graph, window, 0));
    weir_executor *executor = weir_executor_new(graph);
    weir_array *results[2] = {NULL, NULL};
    const weir_array *data = d->x;
    assert_true(weir_executor_run_batch(executor, &data, 0, results));
    size_t wrong = 0, i = 0;
    for (int64_t frame = 0; frame < FRAMES; frame++)
        for (int64_t row = 0; row < d->out[0]; row++)
            for (int64_t column = 0; column < d->out[1]; column++)
                for (int64_t channel = 0; channel < d->channels; channel++, i++)
                    wrong += weir_array_get_int(results[0], i) !=
                             sum_at(d, frame, row, column, channel) + (i == 0 ? planted : 0);
    assert_int_equal(i, results[0]->count);
    weir_array_free(results[0]);
    if (watched) weir_array_free(results[1]);
    weir_executor_free(executor);
    weir_graph_free(graph);
    return wrong;
}

static void depthwise_convolutions_are_their_definition(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        depthwise d = random_depthwise();
        assert_int_equal(wrong_sums(&d, i % 3 == 0, 0), 0);
        assert_int_equal(wrong_sums(&d, false, 1), 1);
        weir_array_free(d.x);
        weir_array_free(d.w);
    }
}

/* Thresholds in any distance from each other: clusters, equal ones, one. */
static void thresholds_are_counted(void **state) {
    (void)state;
    enum { CODES = 6000 };
    for (int round = 0; round < 40; round++) {
        const int64_t count = round == 0 ? 1 : random_int(2, 300), span = INT64_C(1) << random_int(1, 29);
        weir_array *x = random_codes(WEIR_INT32, 1, CODES, -span, span),
                   *t = random_codes(WEIR_INT64, 1, count, -span / 2, span / 2);
        int64_t *threshold = t->data;
        for (int64_t i = 1; i < count / 2; i++) threshold[i] = threshold[0] + random_int(0, 3);
        for (int64_t i = 1; i < count; i++) { /* into order */
            for (int64_t k = i; k > 0 && threshold[k - 1] > threshold[k]; k--) {
                const int64_t larger = threshold[k - 1];
                threshold[k - 1] = threshold[k];
                threshold[k] = larger;
            }
        }
        for (int64_t i = 0; i < count; i++)
            weir_array_set_int(x, (size_t)i, threshold[i]); /* those that meet one exactly */
        weir_graph *graph = weir_graph_new("g");
        const weir_value vx = add_codes_input(graph, "x", x, -span - 3, span + 3),
                         vt = weir_graph_add_constant(graph, "t", t);
        const weir_node node = add(graph, WEIR_OP_THRESHOLD, vx, vt, WEIR_NO_VALUE);
        weir_executor *executor;
        const weir_array *y = run(graph, node, x, &executor);
        for (size_t i = 0; i < CODES; i++) {
            int64_t expected = 0;
            for (int64_t k = 0; k < count; k++) expected += threshold[k] <= weir_array_get_int(x, i);
            assert_int_equal(weir_array_get_int(y, i), expected);
        }
        weir_executor_free(executor);
        weir_graph_free(graph);
        weir_array_free(x);
        weir_array_free(t);
    }
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
        cmocka_unit_test(lowered_network_is_fast), cmocka_unit_test(depthwise_convolutions_are_their_definition),
        cmocka_unit_test(thresholds_are_counted),  cmocka_unit_test(batches_are_cut_into_frames),
        cmocka_unit_test(wrong_data_is_refused),
    };
    return cmocka_run_group_tests_name("exec batch", tests, NULL, NULL);
}
