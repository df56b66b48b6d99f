/* Conversion between the dialects of quantized ONNX: the converted graph computes the same, at ties and clip bounds
 * too, and what has no form is refused by name. The expected results are those of the graph before. */
#include <math.h>
#include <stdio.h>

#include "frontend/import/onnx.h"
#include "passes/interface/form.h"
#include "test_digits.h"
#include "test_passes_support.h"

static size_t differences(const weir_array *a, const weir_array *b) {
    size_t count = 0;
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const double one = weir_array_get(a, i), other = weir_array_get(b, i);
        count += one != other && !(isnan(one) && isnan(other));
    }
    return count;
}

/* --- trained networks --- */

/* Quantized operators add before they scale, float ones after, so at most a few elements lie on the other side of a
 * tie (spec of the digits models: 4 of 100,000). */
static void digits_models_in_every_form(void **state) {
    static const char *const models[] = {"mlp_float",         "mlp_qdq",          "mlp_qoperator",
                                         "mlp_qlinearmatmul", "mlp_residual_qdq", "mlp_residual_qdq_relu",
                                         "mlp_qonnx_w4a4"};
    (void)state;
    char *data_path = digits_path("digits_test.npz");
    weir_array *data = weir_array_read(data_path, "x");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char *file = weir_format("%s.onnx", models[i]), *path = digits_path(file);
        weir_graph *graph = weir_onnx_import(path, NULL);
        weir_array *expected = run_all(graph, data);
        for (int form = WEIR_FORM_QDQ; form <= WEIR_FORM_QONNX; form++) {
            weir_graph *formed = weir_form_convert(graph, (weir_form)form, 0);
            assert_non_null(formed);
            assert_true(weir_graph_verify(formed));
            const bool qonnx = form == WEIR_FORM_QONNX;
            const weir_op gone[] = {WEIR_OP_QLINEAR_MATMUL, WEIR_OP_QGEMM,
                                    qonnx ? WEIR_OP_DEQUANTIZE_LINEAR : WEIR_OP_QUANT,
                                    qonnx ? WEIR_OP_QUANTIZE_LINEAR : WEIR_OP_BIPOLAR_QUANT};
            for (size_t j = 0; j < 4; j++) assert_int_equal(count_op(formed, gone[j]), 0);
            assert_string_equal(weir_graph_output_name(formed, 0), weir_graph_output_name(graph, 0));
            weir_array *found = run_all(formed, data);
            assert_true(differences(found, expected) <= 1);
            weir_array_free(found);
            weir_graph_free(formed);
        }
        weir_array_free(expected);
        weir_graph_free(graph);
        free(path);
        free(file);
    }
    weir_array_free(data);
    free(data_path);
}

/* --- quantizers by themselves --- */

enum { ROWS = 3, COLUMNS = 701 };

static weir_value add_input(weir_graph *graph, const char *name, weir_dtype dtype) {
    weir_type type = {.dtype = dtype, .shape = {2, {ROWS, COLUMNS}}, .quant = {.axis = -1}};
    if (dtype != WEIR_FLOAT32) {
        type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
        type.has_range = true;
        weir_quant_limits(&type.quant, &type.low, &type.high);
    }
    return weir_graph_add_input(graph, name, &type);
}

/* A parameter: one number, or a list of three. */
static weir_value add_parameter(weir_graph *graph, weir_dtype dtype, int count, double a, double b, double c) {
    const double values[] = {a, b, c};
    weir_array *array = weir_array_new(dtype, &(weir_shape){count > 1, {count}});
    for (int i = 0; i < count; i++) weir_array_set(array, (size_t)i, values[i]);
    weir_value value = weir_graph_add_constant(graph, "p", array);
    weir_array_free(array);
    return value;
}

static weir_value add_node(weir_graph *graph, weir_op op, weir_value a, weir_value b, weir_value c, weir_value d) {
    const weir_value inputs[] = {a, b, c, d};
    const size_t count = d.id != 0 ? 4 : c.id != 0 ? 3 : b.id != 0 ? 2 : 1;
    weir_node node = weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
    if (count == 3 && weir_value_type(graph, b)->shape.rank == 1) weir_node_set_int(graph, node, "axis", 0);
    if (op == WEIR_OP_QUANT) {
        weir_node_set_int(graph, node, "signed", 0);
        weir_node_set_int(graph, node, "narrow", 0);
    }
    assert_true(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

/* Multiples of 1/16 from far below to far above, a row like the other. */
static weir_array *sixteenths(void) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {ROWS, COLUMNS}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, ((double)(i % COLUMNS) - COLUMNS / 2) / 16);
    return array;
}

/* x through QuantizeLinear and DequantizeLinear with one zero point, or with three. */
static weir_graph *make_linear(weir_dtype dtype, int count, double z0, double z1, double z2) {
    weir_graph *graph = weir_graph_new("g");
    weir_value scale = add_parameter(graph, WEIR_FLOAT32, count, 0.125, 0.125, 0.25);
    weir_value zero = add_parameter(graph, dtype, count, z0, z1, z2);
    weir_value q =
        add_node(graph, WEIR_OP_QUANTIZE_LINEAR, add_input(graph, "x", WEIR_FLOAT32), scale, zero, WEIR_NO_VALUE);
    weir_graph_add_output(graph, "y", add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, q, scale, zero, WEIR_NO_VALUE));
    return graph;
}

static weir_graph *make_quant(double bits, double zero, bool is_signed, bool narrow) {
    weir_graph *graph = weir_graph_new("g");
    weir_value scale = add_parameter(graph, WEIR_FLOAT32, 1, 0.125, 0, 0);
    weir_value z = add_parameter(graph, WEIR_FLOAT32, 1, zero, 0, 0),
               b = add_parameter(graph, WEIR_FLOAT32, 1, bits, 0, 0);
    weir_value y = add_node(graph, WEIR_OP_QUANT, add_input(graph, "x", WEIR_FLOAT32), scale, z, b);
    weir_node_set_int(graph, weir_value_producer(graph, y), "signed", is_signed);
    weir_node_set_int(graph, weir_value_producer(graph, y), "narrow", narrow);
    weir_graph_add_output(graph, "y", y);
    return graph;
}

/* Results that the graphs do not have in common, of inputs half of which are ties. */
static size_t differences_of(const weir_graph *graph, const weir_graph *other) {
    weir_array *data = sixteenths(), *expected = run_all(graph, data), *found = run_all(other, data);
    const size_t count = differences(expected, found);
    weir_array_free(found);
    weir_array_free(expected);
    weir_array_free(data);
    return count;
}

/* Both conversions must keep the side on which each tie falls, whatever the zero point. */
static void expect_same(weir_graph *graph, weir_form form) {
    weir_graph *formed = weir_form_convert(graph, form, 0);
    assert_non_null(formed);
    assert_true(weir_graph_verify(formed));
    assert_int_equal(differences_of(graph, formed), 0);
    weir_graph_free(formed);
    weir_graph_free(graph);
}

static void ties_stay_in_qonnx(void **state) {
    static const double zeros[] = {0, 1, 2, 77, 128, 255};
    (void)state;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        expect_same(make_linear(WEIR_UINT8, 1, zeros[i], 0, 0), WEIR_FORM_QONNX);
    for (int zero = -128; zero <= 127; zero += 51) expect_same(make_linear(WEIR_INT8, 1, zero, 0, 0), WEIR_FORM_QONNX);
    expect_same(make_linear(WEIR_UINT8, 3, 0, 128, 200), WEIR_FORM_QONNX);
    /* An odd zero point is what makes the difference: the plain translation would fail. */
    weir_graph *graph = make_linear(WEIR_UINT8, 1, 77, 0, 0), *formed = weir_form_convert(graph, WEIR_FORM_QONNX, 0);
    assert_int_equal(count_op(formed, WEIR_OP_CLIP), 1);
    weir_graph *naive = make_quant(8, 77, false, false);
    assert_true(differences_of(graph, naive) > 50);
    weir_graph_free(naive);
    weir_graph_free(formed);
    weir_graph_free(graph);
}

static void ties_stay_in_qdq(void **state) {
    static const double widths[] = {1, 2, 4, 7, 8, 12};
    static const double zeros[] = {0, 2, 6};
    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (size_t j = 0; j < sizeof zeros / sizeof *zeros; j++) {
            for (int kind = 0; kind < 4; kind++) {
                if (widths[i] < 4 && (zeros[j] > 0 || kind > 1)) continue; /* outside of the codes */
                if (widths[i] == 1 && kind & 1) continue;                  /* a sign */
                expect_same(make_quant(widths[i], zeros[j], kind & 1, kind & 2), WEIR_FORM_QDQ);
            }
        }
    }
}

/* --- number formats --- */

/* Data, or (is_constant) a constant that is added to it, in a format. */
static weir_graph *make_number(const char *format, int axis, bool is_constant) {
    weir_graph *graph = weir_graph_new("g");
    const weir_value x = add_input(graph, "x", WEIR_FLOAT32);
    weir_value value = x;
    if (is_constant) {
        weir_array *data = sixteenths();
        for (size_t i = 0; i < data->count; i++) weir_array_set(data, i, sin((double)i) * exp(cos((double)i / 7) * 6));
        for (size_t i = 0; i < 64; i++) weir_array_set(data, i, 0);
        value = weir_graph_add_constant(graph, "w", data);
        weir_array_free(data);
    }
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_FAKE_QUANTIZE, "n", &value, 1, 1, WEIR_NO_NODE);
    weir_node_set_string(graph, node, "format", format);
    weir_node_set_int(graph, node, "axis", axis);
    assert_true(weir_infer_node(graph, node));
    value = weir_node_output(graph, node, 0);
    if (is_constant) value = add_node(graph, WEIR_OP_ADD, x, value, WEIR_NO_VALUE, WEIR_NO_VALUE);
    weir_graph_add_output(graph, "y", value);
    return graph;
}

static void expect_number(const char *format, int axis, bool is_constant, weir_form form, weir_op op) {
    weir_graph *graph = make_number(format, axis, is_constant), *formed = weir_form_convert(graph, form, 0);
    if (formed == NULL) print_message("%s\n", format);
    assert_non_null(formed);
    assert_int_equal(count_op(formed, WEIR_OP_FAKE_QUANTIZE), 0);
    assert_int_equal(count_op(formed, op), 1);
    if (differences_of(graph, formed) > 0) print_message("%s\n", format);
    assert_int_equal(differences_of(graph, formed), 0);
    weir_graph_free(formed);
    weir_graph_free(graph);
}

/* Any minifloat is a FloatQuant; those without codes for infinity and NaN are ONNX's, at any bias; blocks of constants
 * have scales. */
static void number_formats_have_forms(void **state) {
    static const char *const floats[] = {"minifloat_ieee width=8 exponent_width=4 exponent_bias=7",
                                         "minifloat_ieee width=8 exponent_width=5",
                                         "minifloat_ieee width=4 exponent_width=2 exponent_bias=3",
                                         "minifloat_ieee width=8 exponent_width=4 exponent_bias=12"};
    static const char *const others[] = {
        "minifloat_ieee width=6 exponent_width=3", "minifloat_denorm width=8 exponent_width=4",
        "minifloat_denorm width=5 exponent_width=2 exponent_bias=1", "minifloat_ieee width=16 exponent_width=8"};
    static const char *const blocks[] = {"mxfp",
                                         "mxfp exponent_width=5 frac_width=2 block_size=16",
                                         "mxfp exponent_width=2 frac_width=1 block_size=-1",
                                         "mxfp exponent_width=0 frac_width=6 block_size=7",
                                         "nvfp4",
                                         "mxint width=8",
                                         "mxint width=4 block_size=5",
                                         "mxint width=2 block_size=2",
                                         "mxint_hardware width=6 exponent_width=6",
                                         "block_fp width=12 block_size=32",
                                         "block_minifloat width=8 exponent_width=4 block_size=9"};
    (void)state;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        expect_number(floats[i], 0, false, WEIR_FORM_NATIVE, WEIR_OP_FLOAT_QUANT);
        expect_number(floats[i], 0, false, WEIR_FORM_QDQ, WEIR_OP_QUANTIZE_LINEAR);
        expect_number(floats[i], 1, true, WEIR_FORM_QDQ, WEIR_OP_DEQUANTIZE_LINEAR);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect_number(others[i], 0, i % 2 == 0, WEIR_FORM_QONNX, WEIR_OP_FLOAT_QUANT);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int axis = 0; axis < 2; axis++)
            expect_number(blocks[i], axis, true, axis == 0 ? WEIR_FORM_NATIVE : WEIR_FORM_QDQ,
                          WEIR_OP_DEQUANTIZE_LINEAR);
}

/* Floats of 8 and 4 bits as FloatQuant, and back. */
static void small_floats_are_float_quant(void **state) {
    static const char *const types[] = {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float4e2m1"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        weir_graph *graph = weir_graph_new("g");
        const int count = i % 3 == 0 ? 3 : 1;
        const weir_value scale = add_parameter(graph, WEIR_FLOAT32, count, 0.002, 0.03, 0.7);
        const weir_value inputs[] = {add_input(graph, "x", WEIR_FLOAT32), scale};
        weir_node node = weir_graph_add_node(graph, WEIR_OP_QUANTIZE_LINEAR, "q", inputs, 2, 1, WEIR_NO_NODE);
        weir_node_set_string(graph, node, "output_dtype", types[i / 2]);
        weir_node_set_int(graph, node, "saturate", i % 2);
        if (count > 1) weir_node_set_int(graph, node, "axis", 0);
        assert_true(weir_infer_node(graph, node));
        const weir_value codes[] = {weir_node_output(graph, node, 0), scale};
        node = weir_graph_add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, "d", codes, 2, 1, WEIR_NO_NODE);
        if (count > 1) weir_node_set_int(graph, node, "axis", 0);
        assert_true(weir_infer_node(graph, node));
        weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
        weir_graph *formed = weir_form_convert(graph, WEIR_FORM_QONNX, 0), *back;
        assert_non_null(formed);
        assert_int_equal(count_op(formed, WEIR_OP_FLOAT_QUANT), 1);
        assert_int_equal(count_op(formed, WEIR_OP_QUANTIZE_LINEAR), 0);
        assert_int_equal(differences_of(graph, formed), 0);
        assert_non_null(back = weir_form_convert(formed, WEIR_FORM_QDQ, 0));
        assert_int_equal(count_op(back, WEIR_OP_FLOAT_QUANT), 0);
        assert_int_equal(differences_of(graph, back), 0);
        weir_graph_free(back);
        weir_graph_free(formed);
        weir_graph_free(graph);
    }
}

/* Constant codes take the narrowest type that the opset asked for has. */
static void few_bits_are_packed(void **state) {
    static const struct {
        double bits;
        int64_t opset;
        const char *type;
    } cases[] = {{4, 0, "int8"},  {4, 20, "int8"}, {4, 21, "int4"}, {3, 25, "int4"},
                 {2, 21, "int4"}, {2, 25, "int2"}, {5, 25, "int8"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *graph = make_quant(cases[i].bits, 0, true, false);
        weir_node quant = weir_graph_first(graph);
        weir_array *data = sixteenths();
        weir_node_set_input(graph, quant, 0, weir_graph_add_constant(graph, "w", data));
        weir_array_free(data);
        weir_graph *formed = weir_form_convert(graph, WEIR_FORM_QDQ, cases[i].opset);
        assert_non_null(formed);
        const weir_value codes = weir_node_input(formed, weir_graph_first(formed), 0);
        assert_string_equal(weir_dtype_name(weir_value_type(formed, codes)->dtype), cases[i].type);
        assert_int_equal(differences_of(graph, formed), 0);
        weir_graph_free(formed);
        weir_graph_free(graph);
    }
}

/* --- what is refused --- */

/* The graph has no such form, and the message says that. Takes over the graph. */
static void expect_refused(weir_graph *graph, weir_form form, const char *text) {
    weir_text_free(&test_messages);
    weir_text_add(&test_messages, "");
    assert_null(weir_form_convert(graph, form, 0));
    if (strstr(test_messages.data, text) == NULL) print_message("%s", test_messages.data);
    assert_non_null(strstr(test_messages.data, text));
    weir_graph_free(graph);
}

static void what_has_no_form_is_named(void **state) {
    (void)state;
    expect_refused(make_number("mxfp", 1, false), WEIR_FORM_NATIVE,
                   "node 'n': 'mxfp' cannot be exported: its scales depend on the data");
    expect_refused(make_number("mxfp", 1, true), WEIR_FORM_QONNX, "'mxfp' cannot be exported: QONNX has no form of it");
    expect_refused(make_number("mxfp exponent_width=3 frac_width=2", 1, true), WEIR_FORM_QDQ,
                   "'mxfp exponent_width=3 frac_width=2' cannot be exported: no element type of ONNX has its codes");
    expect_refused(
        make_number("minifloat_ieee width=6 exponent_width=3", 1, false), WEIR_FORM_QDQ,
        "'minifloat_ieee width=6 exponent_width=3' cannot be exported: no element type of ONNX has its codes");
    expect_refused(make_number("log", 1, true), WEIR_FORM_NATIVE,
                   "'log' cannot be exported: no element type of ONNX has its codes");
    expect_refused(make_number("minifloat_ieee width=8 exponent_width=4 exponent_bias=200", 1, false), WEIR_FORM_QDQ,
                   "its scales are beyond float32's");
    expect_refused(make_quant(1, 0, true, false), WEIR_FORM_QDQ, "cannot produce only -1 and +1");
    expect_refused(make_quant(1, 2, true, false), WEIR_FORM_QDQ, "codes of -1 and +1 with a zero point");
    expect_refused(make_linear(WEIR_UINT8, 3, 0, 1, 2), WEIR_FORM_QONNX, "odd zero points per channel");
    weir_graph *graph = make_quant(8, 0, true, false);
    weir_node_set_string(graph, weir_graph_last(graph), "rounding_mode", "FLOOR");
    expect_refused(graph, WEIR_FORM_QDQ, "node 'n' (qonnx.custom_op.general.Quant): its rounding mode is FLOOR");
    expect_refused(make_quant(20, 0, true, false), WEIR_FORM_QDQ, "fit no element type of QuantizeLinear");
    expect_refused(make_quant(4, 5, false, false), WEIR_FORM_QDQ, "its zero point is odd");
    expect_refused(make_quant(7.5, 0, true, false), WEIR_FORM_QDQ, "its bit width is 7.5");
    graph = weir_graph_new("g");
    weir_value x = add_input(graph, "x", WEIR_FLOAT32), one = add_parameter(graph, WEIR_FLOAT32, 1, 1, 0, 0);
    weir_graph_add_output(graph, "y", add_node(graph, WEIR_OP_BIPOLAR_QUANT, x, one, WEIR_NO_VALUE, WEIR_NO_VALUE));
    expect_refused(graph, WEIR_FORM_QDQ, "QuantizeLinear cannot produce only -1 and +1");
    graph = weir_graph_new("g");
    weir_value codes = add_input(graph, "codes", WEIR_INT8);
    one = add_parameter(graph, WEIR_FLOAT32, 1, 1, 0, 0);
    weir_graph_add_output(graph, "y",
                          add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, codes, one, WEIR_NO_VALUE, WEIR_NO_VALUE));
    expect_refused(graph, WEIR_FORM_QONNX, "its codes 'codes' are an input of the graph");
    graph = weir_graph_new("g");
    codes = add_input(graph, "codes", WEIR_INT8);
    weir_graph_add_output(graph, "y",
                          add_node(graph, WEIR_OP_MAXIMUM, codes, WEIR_NO_VALUE, WEIR_NO_VALUE, WEIR_NO_VALUE));
    expect_refused(graph, WEIR_FORM_QONNX, "node 'n' (weir.Maximum): integer operators cannot be expressed in QONNX");
}

/* Codes that go elsewhere, and scales that are computed. */
static void codes_and_computed_scales(void **state) {
    (void)state;
    weir_graph *graph = make_linear(WEIR_UINT8, 1, 0, 0, 0);
    weir_graph_add_output(graph, "codes", weir_node_output(graph, weir_graph_first(graph), 0));
    expect_refused(graph, WEIR_FORM_QONNX, "nodes other than DequantizeLinear use its codes");
    graph = weir_graph_new("g");
    weir_type scalar = {.dtype = WEIR_FLOAT32, .quant = {.axis = -1}};
    weir_value x = add_input(graph, "x", WEIR_FLOAT32), scale = weir_graph_add_input(graph, "s", &scalar);
    weir_value zero = add_parameter(graph, WEIR_UINT8, 1, 0, 0, 0);
    weir_value q = add_node(graph, WEIR_OP_QUANTIZE_LINEAR, x, scale, zero, WEIR_NO_VALUE);
    weir_graph_add_output(graph, "y", add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, q, scale, zero, WEIR_NO_VALUE));
    expect_refused(graph, WEIR_FORM_QONNX, "its scale 's' must be constant");
    graph = weir_graph_new("g");
    q = add_node(graph, WEIR_OP_QUANTIZE_LINEAR, add_input(graph, "x", WEIR_FLOAT32),
                 add_parameter(graph, WEIR_FLOAT32, 1, 1, 0, 0), add_parameter(graph, WEIR_UINT8, 1, 0, 0, 0),
                 WEIR_NO_VALUE);
    weir_value other = add_parameter(graph, WEIR_FLOAT32, 1, 2, 0, 0);
    zero = add_parameter(graph, WEIR_UINT8, 1, 0, 0, 0);
    weir_graph_add_output(graph, "y", add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, q, other, zero, WEIR_NO_VALUE));
    expect_refused(graph, WEIR_FORM_QONNX, "reads the codes of node 'n' with another scale or zero point");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(digits_models_in_every_form), TEST(ties_stay_in_qonnx),           TEST(ties_stay_in_qdq),
        TEST(number_formats_have_forms),   TEST(small_floats_are_float_quant), TEST(few_bits_are_packed),
        TEST(what_has_no_form_is_named),   TEST(codes_and_computed_scales),
    };
    return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
