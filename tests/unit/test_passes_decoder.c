/* The decoder graph, which makes a model's results of the hardware's codes: nodes come over whole, each once. */
#include "test_passes_support.h"

#include "cosim/reference.h"
#include "dataflow/host_graph.h"

/* Attributes of every kind, five inputs, several outputs, and a value with two users. */
static void nodes_behind_the_hardware(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("hardware");
    weir_value codes = add_codes_input(g, "x", WEIR_INT8, 1, 4, -8, 7);
    const double scale = 0.5, ones[4] = {1, 1, 1, 1};
    const int64_t zero = 0;
    weir_type type = *weir_value_type(g, codes);
    type.quant.count = 1;
    type.quant.scale = &scale;
    type.quant.zero_point = &zero;
    weir_value_set_type(g, codes, &type);
    weir_value real = ADD(g, WEIR_OP_DECODE, "decode", codes);
    weir_node leaky = put(g, WEIR_OP_LEAKY_RELU, "leaky", 1, &real);
    weir_node_set_float(g, leaky, "alpha", 0.25);
    assert_true(weir_infer_node(g, leaky));
    weir_value c = add_constant(g, "c", WEIR_FLOAT32, 1, 4, 0, ones);
    weir_value normal = ADD(g, WEIR_OP_BATCH_NORMALIZATION, "bn", weir_node_output(g, leaky, 0), c, c, c, c);
    weir_value both = ADD(g, WEIR_OP_ADD, "both", normal, normal);
    weir_node turned = put(g, WEIR_OP_TRANSPOSE, "turned", 1, &both);
    weir_node_set_ints(g, turned, "perm", (const int64_t[]){1, 0}, 2);
    assert_true(weir_infer_node(g, turned));
    weir_value whole = weir_node_output(g, turned, 0);
    weir_node split = weir_graph_add_node(g, WEIR_OP_SPLIT, "split", &whole, 1, 2, WEIR_NO_NODE);
    assert_true(weir_infer_node(g, split));
    weir_graph_add_output(g, "second", weir_node_output(g, split, 1));
    weir_graph_add_output(g, "first", weir_node_output(g, split, 0));
    weir_graph_add_output(g, "all", whole);

    weir_graph *decoder = weir_host_graph_tail(g);
    if (!weir_graph_verify(decoder)) fail_msg("%s", test_messages.data);
    assert_int_equal(weir_graph_node_count(decoder), 6);
    assert_true(weir_node_float(decoder, find_op(decoder, WEIR_OP_LEAKY_RELU), "alpha", 0) == 0.25);
    assert_non_null(weir_node_attribute(decoder, find_op(decoder, WEIR_OP_TRANSPOSE), "perm"));
    assert_int_equal(weir_value_producer_output(decoder, weir_graph_output(decoder, 0)), 1);
    assert_int_equal(weir_value_producer_output(decoder, weir_graph_output(decoder, 1)), 0);
    weir_graph_free(decoder);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(nodes_behind_the_hardware)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
