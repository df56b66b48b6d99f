/* What the tests of passes share: random numbers, diagnostics kept as text, graphs built by hand. */
#ifndef WEIR_TEST_PASSES_SUPPORT_H
#define WEIR_TEST_PASSES_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/messages.h"
#include "exec/exec.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "support/text/text.h"

static uint64_t test_state = 0x2545F4914F6CDD1Du;

static inline uint64_t random_bits(void) { return weir_random_next(&test_state); }

static inline int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % ((uint64_t)(high - low) + 1));
}

static weir_text test_messages;

static inline int test_setup(void **state) {
    (void)state;
    weir_text_free(&test_messages);
    weir_text_add(&test_messages, "");
    weir_diag_set_handler(keep_message, &test_messages);
    return 0;
}

static inline int test_teardown(void **state) {
    (void)state;
    weir_text_free(&test_messages);
    weir_diag_set_handler(NULL, NULL);
    return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, test_setup, test_teardown)

/* Exactly one error, with this text in it. */
static inline void assert_error(const char *text) {
    if (strstr(test_messages.data, text) == NULL) fail_msg("expected '%s', found '%s'", text, test_messages.data);
    assert_int_equal(weir_diag_errors(), 1);
}

/* --- graphs --- */
static inline weir_value add_constant(weir_graph *graph, const char *name, weir_dtype dtype, int rank, int64_t rows,
                                      int64_t columns, const double *values) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){rank, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, values[i]);
    weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

static inline weir_value add_scalar(weir_graph *graph, const char *name, weir_dtype dtype, double value) {
    return add_constant(graph, name, dtype, 0, 0, 0, &value);
}

static inline weir_value add_real_input(weir_graph *graph, const char *name, int64_t rows, int64_t columns) {
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {rows, columns}}, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, name, &type);
}

static inline weir_value add_codes_input(weir_graph *graph, const char *name, weir_dtype dtype, int64_t rows,
                                         int64_t columns, int64_t low, int64_t high) {
    weir_type type = {.dtype = dtype, .shape = {2, {rows, columns}}, .has_range = true, .low = low, .high = high};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                              .is_signed = weir_dtype_is_signed(dtype),
                              .width = (int)weir_dtype_size(dtype) * 8,
                              .rounding = WEIR_ROUND_HALF_EVEN,
                              .axis = -1};
    return weir_graph_add_input(graph, name, &type);
}

/* A node at the end without inference. */
static inline weir_node put(weir_graph *graph, weir_op op, const char *name, size_t count, const weir_value *inputs) {
    return weir_graph_add_node(graph, op, name, inputs, count, 1, WEIR_NO_NODE);
}

/* A node at the end, inferred; its output. */
#define ADD(graph, op, name, ...)                                                                                      \
    add_value(graph, op, name, sizeof((weir_value[]){__VA_ARGS__}) / sizeof(weir_value), (weir_value[]){__VA_ARGS__})
static inline weir_value add_value(weir_graph *graph, weir_op op, const char *name, size_t count,
                                   const weir_value *inputs) {
    weir_node node = put(graph, op, name, count, inputs);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

/* A product with weights [outputs, inputs]. */
static inline weir_value add_gemm(weir_graph *graph, const char *name, weir_value x, weir_value w) {
    weir_node node = put(graph, WEIR_OP_GEMM, name, 2, (weir_value[]){x, w});
    weir_node_set_int(graph, node, "transB", 1);
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

/* QuantizeLinear and DequantizeLinear with one scale. */
static inline weir_value add_qdq(weir_graph *graph, const char *name, weir_value x, double scale, weir_dtype dtype,
                                 double zero) {
    weir_value s = add_scalar(graph, "s", WEIR_FLOAT32, scale), z = add_scalar(graph, "z", dtype, zero);
    weir_value codes = ADD(graph, WEIR_OP_QUANTIZE_LINEAR, name, x, s, z);
    return ADD(graph, WEIR_OP_DEQUANTIZE_LINEAR, "dq", codes, s, z);
}

static inline weir_node find_op(const weir_graph *graph, weir_op op) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (weir_node_op(graph, node) == op) return node;
    return WEIR_NO_NODE;
}

/* The text form; heap memory. */
static inline char *graph_text(const weir_graph *graph) {
    weir_text text = {NULL, 0, 0};
    weir_graph_print(graph, &text);
    return text.data;
}

static inline size_t count_op(const weir_graph *graph, weir_op op) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += weir_node_op(graph, node) == op;
    return count;
}

#endif
