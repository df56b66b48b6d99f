/* Quantized additions: the Sum and Threshold that the lowering makes, on every pair of codes, against ONNX's definition
 * in float32, y = clip(round_half_even((sa (a - za) + sb (b - zb)) / sy) + zy), each operation rounded; where the
 * errors of float32 leave no integers that do, against its exact rational value. */
#include "test_passes_support.h"

#include <math.h>

__extension__ typedef __int128 wide;

typedef struct addition {
    double scale[3]; /* a, b, y: float32 numbers */
    int64_t zero[3];
    weir_dtype dtype[3];
    bool relu;
} addition;

/* scale * 2^60, exact for float32 numbers of [2^-30, 2^20]. */
static wide whole(double scale) {
    int exponent;
    double mantissa = frexp(scale, &exponent);
    return (wide)ldexp(mantissa, 24) << (exponent + 36);
}

static int64_t rounded(const addition *c, wide code) {
    int64_t low, high;
    weir_dtype_limits(c->dtype[2], &low, &high);
    code += c->zero[2];
    if (c->relu && code < c->zero[2]) code = c->zero[2];
    return code < low ? low : code > high ? high : (int64_t)code;
}

static int64_t in_float32(const addition *c, int64_t a, int64_t b) {
    const float x = (float)(a - c->zero[0]) * (float)c->scale[0], y = (float)(b - c->zero[1]) * (float)c->scale[1];
    return rounded(c, (wide)rintf((x + y) / (float)c->scale[2]));
}

static int64_t exactly(const addition *c, int64_t a, int64_t b) {
    wide top = whole(c->scale[0]) * (a - c->zero[0]) + whole(c->scale[1]) * (b - c->zero[1]),
         bottom = whole(c->scale[2]);
    wide floor = top / bottom - (top % bottom < 0), rest = top - floor * bottom;
    if (2 * rest > bottom || (2 * rest == bottom && floor % 2 != 0)) floor++;
    return rounded(c, floor);
}

static weir_graph *build(const addition *c) {
    weir_graph *graph = weir_graph_new("model");
    weir_value x[2];
    for (size_t i = 0; i < 2; i++)
        x[i] = add_qdq(graph, "q", add_real_input(graph, i == 0 ? "a" : "b", 1, 4), c->scale[i], c->dtype[i],
                       (double)c->zero[i]);
    weir_value sum = ADD(graph, WEIR_OP_ADD, "add", x[0], x[1]);
    if (c->relu) sum = ADD(graph, WEIR_OP_RELU, "relu", sum);
    weir_value s = add_scalar(graph, "s", WEIR_FLOAT32, c->scale[2]),
               z = add_scalar(graph, "z", c->dtype[2], (double)c->zero[2]);
    weir_graph_add_output(graph, "y", ADD(graph, WEIR_OP_QUANTIZE_LINEAR, "quantize", sum, s, z));
    return graph;
}

/* Pairs of codes that the hardware adds in another way than `expected`. */
static int differences(const addition *c, const weir_graph *integer,
                       int64_t (*expected)(const addition *, int64_t, int64_t)) {
    weir_node sum = find_op(integer, WEIR_OP_SUM), threshold = find_op(integer, WEIR_OP_THRESHOLD);
    int64_t ca = weir_node_int(integer, sum, "ca", 0), cb = weir_node_int(integer, sum, "cb", 0);
    int64_t base = weir_node_int(integer, threshold, "base", 0);
    const weir_array *steps = weir_value_constant(integer, weir_node_input(integer, threshold, 1));
    assert_int_equal(weir_node_int(integer, threshold, "step", 1), 1);
    int64_t low[2], high[2], count = (int64_t)steps->count;
    int differ = 0;
    for (size_t i = 0; i < 2; i++) weir_dtype_limits(c->dtype[i], &low[i], &high[i]);
    for (int64_t i = 1; i < count; i++)
        assert_true(weir_array_get_int(steps, (size_t)i) >= weir_array_get_int(steps, (size_t)i - 1));
    for (int64_t a = low[0]; a <= high[0]; a++) {
        for (int64_t b = low[1]; b <= high[1]; b++) {
            const int64_t at = expected(c, a, b) - base, value = ca * a + cb * b;
            assert_in_range(at, 0, count);
            const bool above = at == 0 || weir_array_get_int(steps, (size_t)at - 1) <= value;
            const bool below = at == count || weir_array_get_int(steps, (size_t)at) > value;
            differ += !above || !below;
        }
    }
    return differ;
}

/* Is it the sum of float32? Else it is the exact one. */
static bool check(const addition *c) {
    weir_graph *model = build(c), *integer = weir_lower_integer(model);
    weir_graph_free(model);
    assert_non_null(integer);
    assert_true(weir_graph_verify(integer));
    const bool is_float = differences(c, integer, in_float32) == 0;
    if (!is_float && differences(c, integer, exactly) != 0)
        fail_msg("neither sum: scales %.9g %.9g %.9g zeros %d %d %d", c->scale[0], c->scale[1], c->scale[2],
                 (int)c->zero[0], (int)c->zero[1], (int)c->zero[2]);
    weir_graph_free(integer);
    return is_float;
}

static void random_types(addition *c) {
    for (size_t i = 0; i < 3; i++) {
        int64_t low, high;
        c->dtype[i] = random_int(0, 1) == 0 ? WEIR_UINT8 : WEIR_INT8;
        weir_dtype_limits(c->dtype[i], &low, &high);
        c->zero[i] = random_int(0, 2) == 0 ? 0 : random_int(low, high);
    }
    c->relu = random_int(0, 2) == 0;
}

static void random_scales(void **state) {
    (void)state;
    int exact = 0;
    for (int round = 0; round < 40; round++) {
        addition c;
        random_types(&c);
        for (size_t i = 0; i < 3; i++)
            c.scale[i] = (double)(float)ldexp((double)random_int(1 << 23, (1 << 24) - 1), -(int)random_int(27, 30));
        c.scale[2] *= 2;
        exact += !check(&c);
    }
    assert_int_equal(exact, 0);
}

static void equal_scales_take_equal_weights(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        addition c;
        random_types(&c);
        c.scale[0] = c.scale[1] = (double)(float)ldexp((double)random_int(1 << 23, (1 << 24) - 1), -28);
        c.scale[2] = round % 2 == 0 ? c.scale[0] : (double)(float)(c.scale[0] * 1.7);
        assert_true(check(&c));
    }
    addition c = {{0.125, 0.125, 0.25}, {3, 250, 128}, {WEIR_UINT8, WEIR_UINT8, WEIR_UINT8}, false};
    weir_graph *model = build(&c), *integer = weir_lower_integer(model);
    weir_node sum = find_op(integer, WEIR_OP_SUM);
    assert_int_equal(weir_node_int(integer, sum, "ca", 0), 1);
    assert_int_equal(weir_node_int(integer, sum, "cb", 0), 1);
    weir_graph_free(model);
    weir_graph_free(integer);
}

/* Scales of few bits: every other pair lies on a tie, which goes to the even number before the zero point is added. */
static void ties_go_to_even(void **state) {
    (void)state;
    int exact = 0;
    for (int round = 0; round < 60; round++) {
        addition c;
        random_types(&c);
        c.scale[0] = ldexp((double)random_int(1, 3), -4);
        c.scale[1] = ldexp((double)random_int(1, 3), -4);
        c.scale[2] = ldexp((double)random_int(1, 3), -3);
        c.zero[2] |= round % 2;
        exact += !check(&c);
    }
    assert_int_equal(exact, 0);
}

/* Scales as people write them: ties but for what float32 rounds, of which no integers tell apart all, so that most sums
 * are exact: only ratios within 2^-25 of the scales' will do. */
static void near_ties_are_told_apart(void **state) {
    (void)state;
    int exact = 0;
    for (int round = 0; round < 60; round++) {
        addition c;
        random_types(&c);
        for (size_t i = 0; i < 3; i++) c.scale[i] = (float)random_int(1, 20) / (i == 2 ? 50.0f : 100.0f);
        exact += !check(&c);
    }
    assert_in_range(exact, 1, 59);
}

/* Twice as many as the codes order all pairs, whatever the scales; steps that a multiplier gives may take a few times
 * that. */
static void coefficients_stay_small(void **state) {
    (void)state;
    static const double scales[][3] = {
        {0.05f, 0.06f, 0.08f}, {1e-9, 1e9, 1e8}, {0.1f, 0.3f, 0x1p90}, {0x1.000002p-3, 0x1p-3, 0.25}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const addition c = {.scale = {scales[i][0], scales[i][1], scales[i][2]},
                            .zero = {3, 250, 128},
                            .dtype = {WEIR_UINT8, WEIR_UINT8, WEIR_UINT8}};
        weir_graph *model = build(&c), *integer = weir_lower_integer(model);
        assert_non_null(integer);
        weir_node sum = find_op(integer, WEIR_OP_SUM);
        assert_in_range(weir_node_int(integer, sum, "ca", 0), 1, 16 * 256);
        assert_in_range(weir_node_int(integer, sum, "cb", 0), 1, 16 * 256);
        weir_graph_free(model);
        weir_graph_free(integer);
    }
}

/* Codes of which there is no table: the sum is the exact one, in multiples of what both scales are multiples of. */
static void wide_sums_are_exact(void **state) {
    (void)state;
    for (int round = 0; round < 40; round++) {
        addition c = {.dtype = {WEIR_INT16, WEIR_UINT16, WEIR_INT16}};
        for (size_t i = 0; i < 3; i++) {
            c.zero[i] = random_int(0, 30000);
            c.scale[i] = (double)(float)ldexp((double)random_int(1 << 23, (1 << 24) - 1), -(int)random_int(33, 38));
        }
        if (round % 4 == 0) {
            c.scale[0] = ldexp((double)random_int(1 << 20, 1 << 21), -34);
            c.scale[1] = 0.75 * c.scale[0];
        }
        weir_graph *model = build(&c), *integer = weir_lower_integer(model);
        weir_node sum = find_op(integer, WEIR_OP_SUM);
        const weir_quant *quant = &weir_value_type(integer, weir_node_output(integer, sum, 0))->quant;
        const double unit = weir_quant_scale(quant, 0);
        const int64_t ca = weir_node_int(integer, sum, "ca", 0), cb = weir_node_int(integer, sum, "cb", 0);
        assert_true(unit * (double)ca == c.scale[0] && unit * (double)cb == c.scale[1]);
        assert_int_equal(weir_quant_zero(quant, 0), ca * c.zero[0] + cb * c.zero[1]);
        if (round % 4 == 0) assert_true(ca == 4 && cb == 3);
        weir_graph_free(model);
        weir_graph_free(integer);
    }
}

/* In fixed point: the code of the exact sum, but for ties that are nearer than its last digit. */
static void scales_far_apart_are_added_in_fixed_point(void **state) {
    (void)state;
    enum { ROUNDS = 2000 };
    addition c = {{0.1f, 0.0001f, 0.1f}, {0, 0, 0}, {WEIR_UINT16, WEIR_UINT16, WEIR_UINT8}, false};
    weir_graph *model = build(&c), *integer = weir_lower_integer(model);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    assert_int_equal(count_op(integer, WEIR_OP_SCALE), 2);
    weir_executor *executor = weir_executor_new(integer);
    weir_array *x[2] = {weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 4}}),
                        weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 4}})};
    for (int round = 0; round < ROUNDS; round++) {
        int64_t code[2][4];
        for (size_t i = 0; i < 4; i++) {
            code[0][i] = random_int(0, 300);
            code[1][i] = random_int(0, 65535);
            for (size_t k = 0; k < 2; k++) weir_array_set(x[k], i, (double)code[k][i] * c.scale[k]);
        }
        const weir_array *inputs[2] = {x[0], x[1]};
        assert_true(weir_executor_run(executor, inputs));
        const weir_array *y = weir_executor_value(executor, weir_graph_output(integer, 0));
        for (size_t i = 0; i < 4; i++) {
            const double steps = ((double)code[0][i] * c.scale[0] + (double)code[1][i] * c.scale[1]) / c.scale[2];
            const bool near = fabs(steps - floor(steps) - 0.5) < 0x1p-18;
            assert_true(near || weir_array_get_int(y, i) == exactly(&c, code[0][i], code[1][i]));
        }
    }
    for (size_t k = 0; k < 2; k++) weir_array_free(x[k]);
    weir_executor_free(executor);
    weir_graph_free(model);
    weir_graph_free(integer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(random_scales),
        TEST(wide_sums_are_exact),
        TEST(equal_scales_take_equal_weights),
        TEST(ties_go_to_even),
        TEST(near_ties_are_told_apart),
        TEST(coefficients_stay_small),
        TEST(scales_far_apart_are_added_in_fixed_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
