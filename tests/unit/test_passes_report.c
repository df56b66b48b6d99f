/* The report passes. The published example's tables are those of MASE's documentation, cell for cell, with functions as
 * Python shows them less the address. */
#include <stdio.h>

#include "test_passes_support.h"

#include "passes/mase/report.h"
#include "support/file/file.h"
#include "test_pass_bench.h"
#include "test_passes_mlp.h"

/* Runs a pipeline on the graph, which it takes; what the passes printed. */
static weir_text run(weir_graph *graph, const char *pipeline) {
    pass_bench b = pass_bench_of_weir(module_of_graph(graph));
    if (!pass_bench_run(&b, pipeline)) fail_msg("%s", test_messages.data);
    weir_text printed = *weir_pass_output(b.context);
    *weir_pass_output(b.context) = (weir_text){NULL, 0, 0};
    weir_module_free(b.module);
    pass_bench_stop(&b);
    return printed;
}

/* The text with runs of blanks as one and rules as "|---|---|", so that tables compare whatever their widths. */
static void squeeze(weir_text *text) {
    size_t size = 0;
    for (size_t i = 0; i < text->size; i++) {
        char c = text->data[i];
        if (c == ' ' && size > 0 && text->data[size - 1] == ' ') continue;
        if (c == '-' && size > 2 && strncmp(text->data + size - 3, "---", 3) == 0) continue;
        text->data[size++] = c;
    }
    text->data[size] = '\0';
    text->size = size;
}

static void assert_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) fail_msg("expected '%s' in\n%s", part, text);
}

static void published_example_report_graph(void **state) {
    (void)state;
    weir_text text = run(import_mlp(), "report_graph");
    squeeze(&text);
    assert_has(text.data, "Graph Summary\n"
                          "| opcode | name | target | args | kwargs |\n"
                          "|---|---|---|---|---|\n"
                          "| placeholder | x | x | () | {} |\n"
                          "| call_function | flatten | <built-in flatten> | (x,) | {'start_dim': 1, 'end_dim': -1} |\n"
                          "| call_module | fc1 | fc1 | (flatten,) | {} |\n"
                          "| call_function | relu | <function relu> | (fc1,) | {'inplace': False} |\n"
                          "| call_module | fc2 | fc2 | (relu,) | {} |\n"
                          "| call_function | relu_1 | <function relu> | (fc2,) | {'inplace': False} |\n"
                          "| call_module | fc3 | fc3 | (relu_1,) | {} |\n"
                          "| output | output | output | (fc3,) | {} |\n\n"
                          "Graph Syntax\n");
    assert_has(text.data, "Graph Overview\n"
                          "Network overview: {'placeholder': 1, 'get_attr': 0, 'call_function': 3, 'call_method': 0, "
                          "'call_module': 3, 'output': 1}\n"
                          "Layer types: ['linear', 'linear', 'linear']\n");
    weir_text_free(&text);
}

static void published_example_report_node_type(void **state) {
    (void)state;
    weir_text text = run(import_mlp(), "report_node_type");
    squeeze(&text);
    assert_string_equal(text.data, "| Node name | Fx Node op | Mase type | Mase op | Value type |\n"
                                   "|---|---|---|---|---|\n"
                                   "| x | placeholder | placeholder | placeholder | NA |\n"
                                   "| flatten | call_function | implicit_func | flatten | float |\n"
                                   "| fc1 | call_module | module_related_func | linear | float |\n"
                                   "| relu | call_function | module_related_func | relu | float |\n"
                                   "| fc2 | call_module | module_related_func | linear | float |\n"
                                   "| relu_1 | call_function | module_related_func | relu | float |\n"
                                   "| fc3 | call_module | module_related_func | linear | float |\n"
                                   "| output | output | output | output | NA |\n");
    weir_text_free(&text);
}

static void published_example_report_node_shape(void **state) {
    (void)state;
    weir_text text = run(import_mlp(), "report_node_shape");
    assert_has(text.data, "x:\n  in:\n  out: data_out_0 = [1, 28, 28]\n");
    assert_has(text.data, "flatten:\n  in: data_in_0 = [1, 28, 28], start_dim = {'type': 'int', 'precision': None, "
                          "'shape': [1], 'torch_dtype': None, 'value': 1}, end_dim = ");
    assert_has(text.data, "fc2:\n  in: data_in_0 = [1, 784], weight = [3136, 784], bias = [1, 3136]\n"
                          "  out: data_out_0 = [1, 3136]\n");
    assert_has(text.data, "relu_1:\n  in: data_in_0 = [1, 3136], inplace = False\n");
    weir_text_free(&text);
}

/* MASE's report_graph fails on a graph without its metadata; its own documentation shows such a call. */
static void report_graph_works_without_init_metadata(void **state) {
    (void)state;
    weir_text without = run(import_mlp(), "report_graph");
    weir_text with = run(import_mlp(), "init_metadata,report_graph");
    assert_string_equal(without.data, with.data);
    weir_text_free(&without);
    weir_text_free(&with);
}

/* Constants that stand alone, several results, an input with a node's name, several outputs. */
static weir_graph *make_odd(void) {
    weir_graph *g = weir_graph_new("odd");
    weir_value x = add_codes_input(g, "sum", WEIR_INT8, 1, 4, -8, 7);
    weir_value c = add_constant(g, "c", WEIR_INT8, 2, 1, 4, (const double[]){1, 2, 3, 4});
    weir_node fork = weir_graph_add_node(g, WEIR_OP_FORK, "fork", &x, 1, 2, WEIR_NO_NODE);
    assert_true(weir_infer_node(g, fork));
    weir_value sum = ADD(g, WEIR_OP_SUM, "sum", weir_node_output(g, fork, 1), weir_node_output(g, fork, 0));
    weir_value output = ADD(g, WEIR_OP_SUM, "output", sum, c);
    weir_graph_add_output(g, "a", sum);
    weir_graph_add_output(g, "b", output);
    return g;
}

static void syntax_of_odd_graphs(void **state) {
    (void)state;
    weir_text text = run(make_odd(), "report_graph");
    assert_has(text.data,
               "graph():\n"
               "    %sum_1 : [num_users=1] = placeholder[target=sum_1]\n"
               "    %fork : [num_users=1] = call_function[target=weir.df_split](args = (%sum_1,), kwargs = {})\n"
               "    %sum : [num_users=2] = call_function[target=weir.add](args = (%fork[1], %fork), kwargs = {})\n"
               "    %c : [num_users=1] = get_attr[target=c]\n"
               "    %output : [num_users=1] = call_function[target=weir.add](args = (%sum, %c), kwargs = {})\n"
               "    return (sum, output)\n");
    squeeze(&text);
    assert_has(text.data, "| output | output_1 | output_1 | ((sum, output),) | {} |");
    weir_text_free(&text);
}

static void report_graph_writes_a_file(void **state) {
    (void)state;
    size_t size;
    weir_text printed = run(make_odd(), "report_graph");
    weir_text nothing = run(make_odd(), "report_graph{file_name=\"report.txt\"}");
    char *written = weir_file_read("report.txt", &size);
    assert_int_equal(nothing.size, 0);
    assert_non_null(written);
    assert_int_equal(size, printed.size);
    assert_memory_equal(written, printed.data, size);
    free(written);
    remove("report.txt");
    weir_text_free(&nothing);
    weir_text_free(&printed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(published_example_report_graph),
        TEST(published_example_report_node_type),
        TEST(published_example_report_node_shape),
        TEST(report_graph_works_without_init_metadata),
        TEST(syntax_of_odd_graphs),
        TEST(report_graph_writes_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
