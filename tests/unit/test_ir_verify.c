/* What the verifier finds in the meaning of a graph: types against what inference makes of the inputs, attributes
 * against their table, data of constants, statistics, foldings; at the locations of a text; inside a pass. */
#include "test_passes_support.h"

#include "common/text_pair.h"
#include "frontend/import/onnx_table.h"
#include "ir/graph/print.h"
#include "pass/run/instrument.h"
#include "test_pass_bench.h"
#include "test_passes_mlp.h"

static void broken(weir_graph *g, const char *text) {
    test_setup(NULL);
    assert_false(weir_graph_verify(g));
    assert_error(text);
    weir_graph_free(g);
}

/* --- inside a pass --- */

/* The weights of fc3 on fc2. */
static bool exchange_weights(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    weir_node fc2 = weir_graph_find_node(graph, "fc2"), fc3 = weir_graph_find_node(graph, "fc3");
    weir_node_set_input(graph, fc2, 1, weir_node_input(graph, fc3, 1));
    return true;
}

static const weir_pass_info exchange = {.name = "exchange_weights",
                                        .kind = WEIR_PASS_GRAPH,
                                        .help = "puts one layer's weights on another",
                                        .run = {.graph = exchange_weights}};

static void another_layers_weights(void **state) {
    (void)state;
    pass_bench b = pass_bench_of(&exchange, 1, module_of_graph(import_mlp()));
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(b.context, verifier);
    assert_false(pass_bench_run(&b, "exchange_weights"));
    assert_error("mlp.onnx:4: error: node 'fc2' (Gemm): matrix product: shapes [1,784] and [10,3136] do not fit");
    assert_non_null(strstr(test_messages.data, "pass 'exchange_weights' left graph"));
    weir_pass_instrument_free(verifier);
    weir_module_free(b.module);
    pass_bench_stop(&b);
}

/* --- types --- */

static weir_graph *linear(const double *weights) {
    weir_graph *g = weir_graph_new("g");
    weir_value w = add_constant(g, "w", WEIR_INT8, 2, 2, 2, weights);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_LINEAR, "fc", add_codes_input(g, "x", WEIR_INT8, 1, 2, -8, 7), w));
    assert_true(weir_graph_verify(g));
    return g;
}

/* [[1, 2], [3, -4]] on [-8, 7]: [-24, 21] and [-52, 53]. */
static const double small[4] = {1, 2, 3, -4}, large[4] = {100, 2, 3, -4};

static void ranges_contain_the_inferred_one(void **state) {
    (void)state;
    weir_graph *g = linear(small);
    weir_value y = weir_graph_output(g, 0);
    weir_type type = *weir_value_type(g, y);
    assert_int_equal(type.low, -52);
    assert_int_equal(type.high, 53);
    type.low = -60;
    weir_value_set_type(g, y, &type);
    assert_true(weir_graph_verify(g));
    type.low = -51;
    weir_value_set_type(g, y, &type);
    broken(g,
           "node 'fc' (weir.Linear): the range of 'fc' is wrong: int8[1,2] integer s7 range=[-51,53], inference gives "
           "int8[1,2] integer s7 range=[-52,53]");
    g = linear(small);
    weir_node_set_input(g, weir_graph_find_node(g, "fc"), 1, add_constant(g, "w2", WEIR_INT8, 2, 2, 2, large));
    broken(g, "node 'fc' (weir.Linear): the element type of 'fc' is wrong: int8[1,2] integer s7 range=[-52,53]");
}

static void quantization_that_the_operator_determines(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        static const char *const texts[] = {"scale 0 of 'q' is 0.25, inference gives 0.5",
                                            "zero point 0 of 'q' is 1, inference gives 3",
                                            "the quantization of 'q' is wrong: uint8[1,2] integer u8 scale=0.5 zero=3"};
        weir_graph *g = weir_graph_new("g");
        weir_graph_add_output(g, "y", add_qdq(g, "q", add_real_input(g, "x", 1, 2), 0.5, WEIR_UINT8, 3));
        assert_true(weir_graph_verify(g));
        weir_value q = weir_graph_find_value(g, "q");
        weir_type type = *weir_value_type(g, q);
        const double scale = kind == 0 ? 0.25 : 0.5;
        const int64_t zero = kind == 1 ? 1 : 3;
        type.quant.scale = &scale;
        type.quant.zero_point = &zero;
        if (kind == 2) type.quant.rounding = WEIR_ROUND_FLOOR;
        weir_value_set_type(g, q, &type);
        broken(g, texts[kind]);
    }
}

/* Lowering reads codes as other numbers through a Relabel, which inference leaves alone. */
static void relabelled_codes(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 2, -8, 7);
    weir_node node = put(g, WEIR_OP_RELABEL, "label", 1, &x);
    assert_false(weir_infer_node(g, node));
    const double scale = 0.125;
    const int64_t zero = -3;
    weir_type type = *weir_value_type(g, x);
    type.quant.count = 1;
    type.quant.scale = &scale;
    type.quant.zero_point = &zero;
    weir_value_set_type(g, weir_node_output(g, node, 0), &type);
    assert_true(weir_infer_node(g, node) && weir_infer_graph(g) && weir_graph_verify(g));
    const weir_type *label = weir_value_type(g, weir_node_output(g, node, 0));
    assert_true(label->quant.scale[0] == 0.125 && label->quant.zero_point[0] == -3 && label->low == -8);
    weir_graph_free(g);
}

static void broken_weights(const weir_type *type, const char *said) {
    weir_graph *g = linear(small);
    weir_value_set_type(g, weir_graph_find_value(g, "w"), type);
    broken(g, said);
}

static void data_against_type(void **state) {
    (void)state;
    weir_graph *g = linear(small);
    weir_value w = weir_graph_find_value(g, "w");
    const weir_type weights = *weir_value_type(g, w); /* of numbers alone: it outlives the graph */
    weir_type type = weights;
    type.quant.width = 3;
    type.has_range = false;
    weir_value_set_type(g, w, &type);
    assert_true(weir_graph_verify(g)); /* -4 to 3 */
    weir_graph_free(g);
    type.quant.width = 2;
    broken_weights(&type, "value 'w': its data is in [-4,3], outside [-2,1]");
    type = weights;
    type.quant.width = 9;
    broken_weights(&type, "value 'w': codes of 9 bits (signed) do not fit int8");
    type = weights;
    type.shape.dim[0] = 1;
    broken_weights(&type, "value 'w': its data is int8[2,2]");
}

/* --- attributes --- */

static void attributes_against_their_table(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        static const char *const texts[] = {
            "node 'g' (Gemm): has no attribute 'transb'", "node 'g' (Gemm): attribute 'transB' must be 0 or 1",
            "node 'g' (Gemm): attribute 'alpha' must be a float", "node 'c' (Concat): attribute 'axis' is missing"};
        weir_graph *g = weir_graph_new("g");
        weir_value x = add_real_input(g, "x", 2, 2), y = ADD(g, WEIR_OP_GEMM, "g", x, x);
        weir_node node = weir_value_producer(g, y), concat = put(g, WEIR_OP_CONCAT, "c", 1, &x);
        weir_node_set_int(g, concat, "axis", 0);
        assert_true(weir_infer_node(g, concat) && weir_graph_verify(g));
        if (kind == 0) weir_node_set_int(g, node, "transb", 1);
        if (kind == 1) weir_node_set_int(g, node, "transB", 2);
        if (kind == 2) weir_node_set_int(g, node, "alpha", 1);
        if (kind == 3) weir_node_remove_attribute(g, concat, "axis");
        broken(g, texts[kind]);
        if (kind == 0) assert_non_null(strstr(test_messages.data, "did you mean 'transB'?"));
    }
}

/* Every attribute that the importer keeps is one that the verifier takes, of the same kind. */
static void attributes_of_the_importer(void **state) {
    (void)state;
    typedef const char *row[2]; /* name, kind */
    const row *const rows[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = (const row[]){__VA_ARGS__{NULL, NULL}},
#define ATTRIBUTE(name, kind, presence) {#name, #kind},
#include "ir/graph/op.def"
    };
    size_t kept = 0;
    for (const weir_onnx_rule *rule = NULL; (rule = weir_onnx_rule_next(rule)) != NULL;)
        for (const weir_onnx_attribute_rule *a = weir_onnx_attributes_of(rule->op, rule->composed); a->name != NULL;
             a++) {
            if (rule->composed && strcmp(a->only, rule->name) != 0) continue;
            if (rule->op == WEIR_OP_NONE || a->input != WEIR_ONNX_STAYS || a->kind >= WEIR_ONNX_REFUSED) continue;
            kept++;
            const char *kind = a->kind == WEIR_ONNX_NUMBER  ? "INT"
                               : a->kind == WEIR_ONNX_INT   ? a->low >= 0 && a->high == 1 ? "FLAG" : "INT"
                               : a->kind == WEIR_ONNX_FLOAT ? "FLOAT"
                               : a->kind == WEIR_ONNX_INTS || a->kind == WEIR_ONNX_PERMUTATION ? "INTS"
                               : a->kind == WEIR_ONNX_FLOATS                                   ? "FLOATS"
                                                                                               : "STRING";
            bool found = false;
            for (const row *r = rows[rule->op]; r != NULL && (*r)[0] != NULL && !found; r++)
                found = strcmp((*r)[0], a->name) == 0 && strcmp((*r)[1], kind) == 0;
            if (!found) fail_msg("%s has no row '%s' of kind %s", weir_op_get(rule->op)->full_name, a->name, kind);
        }
    assert_true(kept > 100);
}

/* --- metadata --- */

static void folding_against_shapes(void **state) {
    (void)state;
    static const char *const texts[] = {"hardware: simd is -1, expected 0 to",
                                        "hardware: in_lanes is 0, expected 1 to",
                                        "hardware: interval is 0, expected 1 to",
                                        "hardware: operations is 5, expected 4 to 4",
                                        "statistics: the least element is 2, the largest 1",
                                        "hardware: products is 3, expected 0 to 2"};
    for (int kind = -1; kind < 6; kind++) {
        weir_graph *g = linear(small);
        weir_metadata *metadata = weir_node_metadata(g, weir_graph_find_node(g, "fc"));
        weir_meta_hardware *h = &metadata->hardware;
        *h = (weir_meta_hardware){.assigned = true, .module = "weir_mvu"};
        weir_settings_set(&h->settings, "simd", WEIR_SETTINGS_BEFORE_LANES, kind == 0 ? -1 : 1);
        weir_settings_set(&h->settings, "products", WEIR_SETTINGS_STORAGE, kind == 5 ? 3 : 2);
        h->in_lanes = h->out_lanes = 1;
        h->interval = h->operations = 4;
        if (kind == 1) h->in_lanes = 0;
        if (kind == 2) h->interval = 0;
        if (kind == 3) h->operations = 5;
        if (kind == 4) metadata->software = (weir_meta_software){1, 2, 1};
        if (kind >= 0) broken(g, texts[kind]);
        else assert_true(weir_graph_verify(g));
        if (kind < 0) weir_graph_free(g);
    }
}

/* --- texts --- */

static void lines_of_a_text(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"input %x : float32[1,4]\nr: %r = Relu(%x) at \"m.onnx\":7\n    : float32[1,5]\noutput y = %r\n",
         "t.weir:4: error: node 'r' (Relu): the shape of 'r' is wrong: float32[1,5], inference gives float32[1,4]"},
        {"input %x : float32[1,4]\ninput %z : int8[4] integer s9\n",
         "t.weir:4: error: value 'z': codes of 9 bits (signed) do not fit int8"},
        {"input %x : float32[1,4]\nq: %q = Gelu(%x) {approximate = 1}\n    : float32[1,4]\n",
         "t.weir:4: error: node 'q' (Gelu): attribute 'approximate' must be a string"},
    };
    weir_archive archive;
    weir_archive_init(&archive);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = weir_format("weir 1\ngraph \"g\" from \"m.onnx\"\n%s", cases[i].text);
        test_setup(NULL);
        assert_null(weir_graph_parse(text, strlen(text), &archive, "t.weir"));
        assert_error(cases[i].expected);
        free(text);
    }
    /* An accepted text's nodes have the locations that the text gives. */
    static const char good[] = "weir 1\ngraph \"g\" from \"m.onnx\"\ninput %x : float32[1,4]\n"
                               "r: %r = Relu(%x) at \"m.onnx\":7\n    : float32[1,4]\noutput y = %r\n";
    weir_graph *graph = weir_graph_parse(good, sizeof good - 1, &archive, "t.weir");
    assert_non_null(graph);
    assert_int_equal(weir_node_location(graph, weir_graph_first(graph)).line, 7);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(another_layers_weights),
        TEST(ranges_contain_the_inferred_one),
        TEST(quantization_that_the_operator_determines),
        TEST(relabelled_codes),
        TEST(data_against_type),
        TEST(attributes_against_their_table),
        TEST(attributes_of_the_importer),
        TEST(folding_against_shapes),
        TEST(lines_of_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
