/* The host's share of a model: head and tail as graphs of their own give, around the hardware, what all of it gives;
 * what stands in the middle, and convolutions anywhere, are refused by name. */
#include "test_passes_analysis.h"

#include "dataflow/component.h"
#include "dataflow/host.h"
#include "dataflow/host_graph.h"
#include "dataflow/schedule/stream.h"
#include "test_passes_lowering.h"

static size_t differing(const weir_array *a, const weir_array *b) {
    size_t count = 0;
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) count += weir_array_get(a, i) != weir_array_get(b, i);
    return count;
}

/* One frame through all of the graph, and through head and tail with the codes, and what passes by the hardware,
 * between them. */
static void compare(const weir_graph *whole, const weir_graph *head, const weir_graph *tail) {
    size_t inputs, outputs, carried;
    weir_value *in = weir_stream_inputs(whole, &inputs), *out = weir_stream_outputs(whole, &outputs);
    weir_value *by = weir_stream_carried(whole, &carried);
    assert_int_equal(weir_graph_output_count(head), inputs + carried);
    assert_int_equal(weir_graph_input_count(tail), outputs + carried);
    weir_executor *all = weir_executor_new(whole), *first = weir_executor_new(head), *last = weir_executor_new(tail);
    assert_true(all != NULL && first != NULL && last != NULL);
    weir_array *x = weir_array_new(WEIR_FLOAT32, &weir_value_type(whole, weir_graph_input(whole, 0))->shape);
    for (size_t i = 0; i < x->count; i++) weir_array_set(x, i, (double)random_int(-400, 400) / 100);
    const weir_array *frame[1] = {x}, *codes[4];
    assert_true(weir_executor_run(all, frame) && weir_executor_run(first, frame));
    for (size_t i = 0; i < inputs; i++)
        assert_int_equal(
            differing(weir_executor_value(first, weir_graph_output(head, i)), weir_executor_value(all, in[i])), 0);
    for (size_t i = 0; i < outputs; i++) codes[i] = weir_executor_value(all, out[i]);
    for (size_t i = 0; i < carried; i++)
        codes[outputs + i] = weir_executor_value(first, weir_graph_output(head, inputs + i));
    assert_true(weir_executor_run(last, codes));
    for (size_t i = 0; i < weir_graph_output_count(whole); i++)
        assert_int_equal(differing(weir_executor_value(last, weir_graph_output(tail, i)),
                                   weir_executor_value(all, weir_graph_output(whole, i))),
                         0);
    weir_array_free(x);
    weir_executor_free(all);
    weir_executor_free(first);
    weir_executor_free(last);
    free(in);
    free(out);
    free(by);
}

static void compare_parts(const weir_graph *integer) {
    weir_graph *head = weir_host_graph_head(integer), *tail = weir_host_graph_tail(integer);
    if (!weir_graph_verify(head) || !weir_graph_verify(tail)) fail_msg("%s", test_messages.data);
    for (int frame = 0; frame < 10; frame++) compare(integer, head, tail);
    weir_graph_free(head);
    weir_graph_free(tail);
}

static size_t count_part(const weir_graph *graph, weir_host part) {
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        count += weir_host_of(graph, node) == part && weir_host_computes(graph, node);
    return count;
}

static void head_and_tail_are_graphs(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t head, tail; /* nodes, conversions not counted */
    } cases[] = {{"head_and_tail", 3, 4}, {"softmax_tail", 1, 3}, {"ternary_falling", 0, 1}, {"bipolar_falling", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *model = import_model("affine", cases[i].name), *integer = weir_lower_integer(model);
        if (integer == NULL) fail_msg("%s", test_messages.data);
        weir_component_mark_host(integer);
        assert_true(weir_host_graph_check(integer));
        assert_int_equal(count_part(integer, WEIR_HOST_HEAD), cases[i].head);
        assert_int_equal(count_part(integer, WEIR_HOST_TAIL), cases[i].tail);
        compare_parts(integer);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
}

static weir_type code_type(int64_t columns) {
    static const double one = 1;
    static const int64_t none = 0;
    weir_type type = {.dtype = WEIR_INT8, .shape = {2, {1, columns}}, .has_range = true, .low = -128, .high = 127};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                              .is_signed = true,
                              .width = 8,
                              .rounding = WEIR_ROUND_HALF_EVEN,
                              .axis = -1,
                              .count = 1,
                              .scale = &one,
                              .zero_point = &none};
    return type;
}

static weir_value encode(weir_graph *g, const char *name, weir_value x) {
    weir_node node = put(g, WEIR_OP_ENCODE, name, 1, &x);
    const weir_type type = code_type(4);
    weir_value_set_type(g, weir_node_output(g, node, 0), &type);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* Graphs that lower_integer never makes: someone else's, or a fault. */
static void what_cannot_be_parted(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("integer");
    weir_value x = add_real_input(g, "x", 1, 4);
    weir_value y = ADD(g, WEIR_OP_SIGMOID, "sigmoid", ADD(g, WEIR_OP_DECODE, "d", encode(g, "e", x)));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_DECODE, "d2", encode(g, "e2", y)));
    weir_component_mark_host(g);
    assert_false(weir_host_graph_check(g));
    assert_error("node 'sigmoid' (Sigmoid): is between quantized operators, but only the host computes it");
    weir_graph_free(g);
}

/* Inputs and what the head computes meet results of the hardware, or are outputs as they are. */
static void what_passes_by_the_hardware(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("integer");
    weir_value x = add_real_input(g, "x", 1, 4), r = ADD(g, WEIR_OP_RELU, "relu", x);
    weir_value y = ADD(g, WEIR_OP_DECODE, "d", encode(g, "e", r));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MUL, "times", ADD(g, WEIR_OP_ADD, "both", y, x), r));
    weir_graph_add_output(g, "z", ADD(g, WEIR_OP_NEG, "neg", x));
    weir_graph_add_output(g, "r", r);
    weir_component_mark_host(g);
    assert_true(weir_host_graph_check(g));
    assert_int_equal(count_part(g, WEIR_HOST_HEAD), 2);
    assert_int_equal(count_part(g, WEIR_HOST_TAIL), 2);
    size_t count;
    weir_value *carried = weir_stream_carried(g, &count);
    assert_int_equal(count, 3);
    assert_string_equal(weir_value_name(g, carried[0]), "x");
    free(carried);
    compare_parts(g);
    weir_graph_free(g);
}

static void refused(weir_graph *model, const char *text) {
    assert_null(weir_lower_integer(model));
    assert_error(text);
    weir_graph_free(model);
    test_setup(NULL);
}

static weir_value layer(weir_graph *g, weir_value x, int64_t inputs) {
    static const double ones[16] = {1, 2, 3, -1, -2, -3, 1, 2, 3, 0, 1, 2, -1, 0, 1, 2};
    const double unit = 0.25;
    weir_value w = add_constant(g, "w", WEIR_INT8, 2, inputs, 4, ones), s = add_scalar(g, "s", WEIR_FLOAT32, unit);
    weir_value z = add_scalar(g, "z", WEIR_INT8, 0);
    return ADD(g, WEIR_OP_MATMUL, "layer", x, ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "wd", w, s, z));
}

/* Each between two dense layers; the first of several names itself. */
static void the_host_in_the_middle(void **state) {
    (void)state;
    static const weir_op ops[] = {WEIR_OP_LOG_SOFTMAX, WEIR_OP_HARDMAX};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "q", add_real_input(g, "x", 1, 4), 0.5, WEIR_INT8, 0);
        weir_value y = ADD(g, WEIR_OP_TANH, "second", ADD(g, ops[i], "middle", layer(g, x, 4)));
        weir_graph_add_output(g, "y", layer(g, add_qdq(g, "q2", y, 0.0078125, WEIR_UINT8, 0), 4));
        char *text = weir_format("node 'middle' (%s): is between quantized operators", weir_op_get(ops[i])->name);
        refused(g, text);
        free(text);
    }
}

static weir_value dense(weir_graph *g, weir_value x, int64_t inputs, int64_t outputs) {
    weir_array *codes = weir_array_new(WEIR_INT8, &(weir_shape){2, {inputs, outputs}});
    for (size_t i = 0; i < codes->count; i++) weir_array_set(codes, i, (double)(i % 5) - 2);
    weir_value w = weir_graph_add_constant(g, "w", codes), s = add_scalar(g, "s", WEIR_FLOAT32, 0.25);
    weir_array_free(codes);
    return ADD(g, WEIR_OP_MATMUL, "dense", x,
               ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "wd", w, s, add_scalar(g, "z", WEIR_INT8, 0)));
}

/* Detectors end with the mean of a Softmax, as a layer: the host's, when it has a hundredth of the products, which are
 * 4 of 404 here and then 4 of 396, where both are hardware. */
static void a_small_layer_behind_the_host(void **state) {
    (void)state;
    for (int64_t inputs = 100; inputs >= 98; inputs -= 2) {
        weir_graph *g = weir_graph_new("model");
        weir_value x = add_qdq(g, "q", add_real_input(g, "x", 1, inputs), 0.5, WEIR_INT8, 0);
        weir_value soft = ADD(g, WEIR_OP_SOFTMAX, "soft", dense(g, x, inputs, 4));
        weir_graph_add_output(g, "y", dense(g, add_qdq(g, "q2", soft, 0.0078125, WEIR_UINT8, 0), 4, 1));
        weir_graph *integer = weir_lower_integer(g);
        if (integer == NULL) fail_msg("%s", test_messages.data);
        weir_component_mark_host(integer);
        const weir_node last = find_op(integer, WEIR_OP_MATMUL);
        assert_int_equal(last.id != 0, inputs == 100);
        assert_int_equal(find_op(integer, WEIR_OP_SOFTMAX_INTEGER).id != 0, inputs < 100);
        if (inputs == 100) assert_int_equal(weir_host_of(integer, last), WEIR_HOST_TAIL);
        weir_graph_free(integer);
        weir_graph_free(g);
    }
}

/* In front of the quantizers and behind them alike. */
static void convolutions(void **state) {
    (void)state;
    static const double off_any_grid[4] = {1, 0.1234567, 0.7071068, 0.3141593};
    for (int behind = 0; behind < 2; behind++) {
        weir_graph *g = weir_graph_new("model");
        weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 1, 2, 2}}, .quant = {.axis = -1}};
        weir_value x = weir_graph_add_input(g, "x", &type);
        weir_array *kernel = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {1, 1, 2, 2}});
        for (size_t i = 0; i < kernel->count; i++) weir_array_set(kernel, i, off_any_grid[i]);
        weir_value w = weir_graph_add_constant(g, "k", kernel);
        weir_array_free(kernel);
        if (behind) x = add_qdq(g, "q", x, 0.5, WEIR_INT8, 0);
        weir_value y = ADD(g, WEIR_OP_CONV, "conv", x, w);
        weir_graph_add_output(g, "y", behind ? y : add_qdq(g, "q", y, 0.5, WEIR_INT8, 0));
        refused(g, behind ? "node 'conv' (Conv): its weights are real numbers without a quantizer"
                          : "node 'conv' (Conv): its input is real and has no quantizer: tensor 'x'");
    }
}

/* A byte that is converted and scaled first: the host does that, and gives codes. */
static void integers_that_come_in(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value x = add_codes_input(g, "x", WEIR_UINT8, 1, 4, 0, 255);
    weir_node cast = put(g, WEIR_OP_CAST, "cast", 1, &x);
    weir_node_set_string(g, cast, "to", "float32");
    const bool known = weir_infer_node(g, cast);
    if (!known) fail_msg("%s", test_messages.data);
    weir_value y = ADD(g, WEIR_OP_DIV, "div", weir_node_output(g, cast, 0), add_scalar(g, "c", WEIR_FLOAT32, 255));
    weir_graph_add_output(g, "y", layer(g, add_qdq(g, "q", y, 0.0078125, WEIR_UINT8, 0), 4));
    weir_graph *integer = weir_lower_integer(g);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_component_mark_host(integer);
    assert_int_equal(count_part(integer, WEIR_HOST_HEAD), 2);
    size_t count;
    weir_value *inputs = weir_stream_inputs(integer, &count);
    assert_int_equal(count, 1);
    assert_int_equal(weir_node_op(integer, weir_value_producer(integer, inputs[0])), WEIR_OP_ENCODE);
    free(inputs);
    weir_graph_free(integer);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(head_and_tail_are_graphs),     TEST(what_cannot_be_parted), TEST(what_passes_by_the_hardware),
        TEST(the_host_in_the_middle),       TEST(convolutions),          TEST(integers_that_come_in),
        TEST(a_small_layer_behind_the_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
