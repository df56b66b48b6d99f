/* realize_requantize: each form is chosen where it is meant to be, and whatever is chosen equals the contract on every
 * input of every channel. */
#include "test_passes_support.h"

#include <math.h>

#include "quant/contract.h"

enum { MAX_CHANNELS = 4 };

typedef struct problem {
    int64_t low, high; /* accumulators */
    size_t channels;
    double scale[MAX_CHANNELS], to_scale;
    int64_t zero[MAX_CHANNELS], to_zero;
    const double *offset; /* NULL: none */
    int width;
    bool is_signed, binary;
    weir_rounding rounding;
    const char *contract, *steps; /* NULL: none; one constant a step that takes one */
    float constant;
    int64_t samples; /* random accumulators; 0: all of them */
} problem;

/* Rows of the input hold every accumulator, in all channels. */
static weir_graph *build(const problem *p) {
    weir_graph *graph = weir_graph_new("g");
    int64_t rows = p->samples > 0 ? p->samples : p->high - p->low + 1, columns = (int64_t)p->channels;
    weir_type type = {
        .dtype = WEIR_INT64, .shape = {2, {rows, columns}}, .has_range = true, .low = p->low, .high = p->high};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                              .is_signed = true,
                              .width = 62,
                              .axis = p->channels > 1 ? 1 : -1,
                              .count = (uint32_t)p->channels,
                              .scale = p->scale,
                              .zero_point = p->zero};
    weir_value inputs[3] = {weir_graph_add_input(graph, "x", &type), WEIR_NO_VALUE};
    size_t count = p->offset == NULL ? 1 : 2;
    const bool takes_constant = p->steps != NULL && strcmp(p->steps, "Identity") != 0;
    const double constant = (double)p->constant;
    if (takes_constant) inputs[(count = 3) - 1] = add_constant(graph, "constant", WEIR_FLOAT32, 1, 1, 0, &constant);
    if (p->offset != NULL) inputs[1] = add_constant(graph, "offset", WEIR_FLOAT64, 1, columns, 0, p->offset);
    weir_node node = put(graph, WEIR_OP_REQUANTIZE, "requantize", count, inputs);
    if (p->steps != NULL) weir_node_set_string(graph, node, "steps", p->steps);
    weir_type out = {.dtype = WEIR_INT8, .shape = type.shape};
    out.quant = (weir_quant){.format = p->binary ? WEIR_FORMAT_BINARY : WEIR_FORMAT_INTEGER,
                             .is_signed = p->is_signed || p->binary,
                             .width = p->binary ? 2 : p->width,
                             .rounding = p->rounding,
                             .axis = -1,
                             .count = 1,
                             .scale = &p->to_scale,
                             .zero_point = &p->to_zero};
    weir_value_set_type(graph, weir_node_output(graph, node, 0), &out);
    weir_node_set_string(graph, node, "arithmetic", p->contract);
    assert_true(weir_infer_node(graph, node));
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    return graph;
}

static weir_array *all_inputs(const problem *p) {
    int64_t rows = p->samples > 0 ? p->samples : p->high - p->low + 1;
    weir_array *x = weir_array_new(WEIR_INT64, &(weir_shape){2, {rows, (int64_t)p->channels}});
    for (size_t i = 0; i < x->count; i++)
        weir_array_set_int(x, i, p->samples > 0 ? random_int(p->low, p->high) : p->low + (int64_t)(i / p->channels));
    return x;
}

/* Realizes and compares; the operator that was chosen, and one that was put before it. */
static weir_op realize_with(const problem *p, weir_requantize_form form, weir_op *put_before) {
    weir_graph *graph = build(p), *hardware = weir_graph_copy(graph);
    assert_true(weir_realize_requantize(hardware, form));
    assert_true(weir_graph_verify(hardware));
    weir_array *x = all_inputs(p);
    const weir_array *inputs[1] = {x};
    weir_executor *executor = weir_executor_new(hardware);
    assert_true(weir_executor_run(executor, inputs));
    const weir_array *y = weir_executor_value(executor, weir_graph_output(hardware, 0));
    weir_requantizer contract;
    assert_true(weir_requantizer_of(graph, find_op(graph, WEIR_OP_REQUANTIZE), &contract));
    for (size_t i = 0; i < x->count; i++) {
        int64_t channel = (int64_t)(i % p->channels);
        assert_int_equal(weir_array_get_int(y, i),
                         weir_requantizer_apply(&contract, channel, weir_array_get_int(x, i)));
    }
    const weir_node made = weir_value_producer(hardware, weir_graph_output(hardware, 0));
    weir_op op = weir_node_op(hardware, made);
    assert_string_equal(weir_node_name(hardware, made), "requantize");
    const weir_node before = weir_value_producer(hardware, weir_node_input(hardware, made, 0));
    *put_before = before.id == 0 ? WEIR_OP_NONE : weir_node_op(hardware, before);
    const weir_node table = find_op(hardware, WEIR_OP_LOOKUP);
    if (table.id != 0) { /* what its component takes */
        const weir_type *of = weir_value_type(hardware, weir_node_input(hardware, table, 0));
        assert_true(of->low >= 0 ? of->high < 1 << 16 : of->low >= -(1 << 15) && of->high < 1 << 15);
    }
    weir_executor_free(executor);
    weir_array_free(x);
    weir_graph_free(graph);
    weir_graph_free(hardware);
    return op;
}

static weir_op realize(const problem *p, weir_requantize_form form) {
    weir_op put_before;
    const weir_op op = realize_with(p, form, &put_before);
    assert_true(put_before == WEIR_OP_NONE || put_before == WEIR_OP_CAST_CODES);
    return op;
}

static problem usual(void) {
    return (problem){.low = -3000,
                     .high = 3000,
                     .channels = 1,
                     .scale = {0.0123},
                     .to_scale = 0.31,
                     .to_zero = 3,
                     .width = 8,
                     .is_signed = true,
                     .rounding = WEIR_ROUND_HALF_EVEN,
                     .contract = "qlinear"};
}

static void powers_of_two_are_casts(void **state) {
    (void)state;
    for (int rounding = WEIR_ROUND_FLOOR; rounding <= WEIR_ROUND_AWAY; rounding++) {
        for (int exponent = -7; exponent <= 1; exponent++) {
            problem p = usual();
            p.scale[0] = ldexp(0.25, exponent);
            p.to_scale = 0.25;
            p.rounding = (weir_rounding)rounding;
            p.to_zero = exponent > 0 ? 4 : 0;
            p.zero[0] = random_int(-50, 50);
            p.contract = "quant";
            assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_CAST_CODES);
        }
    }
    problem p = usual();
    p.scale[0] = 0.125;
    p.to_scale = 1;
    p.to_zero = 8;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_CAST_CODES);
}

/* A rounding that Cast has no hardware for is found another way. */
static void other_roundings_are_found(void **state) {
    (void)state;
    problem p = usual();
    p.scale[0] = 0.125;
    p.to_scale = 1;
    p.to_zero = 0;
    p.rounding = WEIR_ROUND_HALF_TO_ZERO;
    p.contract = "quant";
    realize(&p, WEIR_REQUANTIZE_AUTO);
}

static void few_codes_are_thresholds(void **state) {
    (void)state;
    problem p = usual();
    p.width = 2;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_THRESHOLD);
    p = usual();
    p.binary = true;
    p.to_zero = 0;
    p.contract = "quant";
    for (size_t c = 0; c < MAX_CHANNELS; c++) p.zero[c] = random_int(-2000, 2000), p.scale[c] = 0.5;
    p.channels = MAX_CHANNELS;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_THRESHOLD);
}

static void others_are_scales(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        problem p = usual();
        p.channels = round % 2 == 0 ? 1 : MAX_CHANNELS;
        for (size_t c = 0; c < p.channels; c++) {
            p.scale[c] = (double)(float)ldexp((double)random_int(1 << 23, (1 << 24) - 1), -30);
            p.zero[c] = random_int(-1000, 1000);
        }
        p.is_signed = random_int(0, 1) == 1;
        p.to_zero = random_int(0, 127);
        assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE);
    }
}

static void forms_can_be_asked_for(void **state) {
    (void)state;
    problem p = usual();
    p.channels = 2;
    p.scale[1] = 0.0321;
    p.zero[1] = -77;
    for (size_t c = 0; c < 2; c++) p.scale[c] = (double)(float)p.scale[c];
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_SCALE), WEIR_OP_SCALE);
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_FLOAT), WEIR_OP_SCALE_FLOAT);
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_THRESHOLD), WEIR_OP_THRESHOLD);
    p.contract = "quant"; /* no float32 arithmetic: the table */
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_FLOAT), WEIR_OP_THRESHOLD);
}

/* Ties go to even: up from odd codes, down from even ones, and no straight line does both. An odd zero point takes
 * the shift's own half-even rounding away, too. */
static void ties_take_the_float_form(void **state) {
    (void)state;
    problem p = usual();
    p.to_zero = 0;
    p.to_scale = 1;
    p.scale[0] = 0.375;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
    p.channels = 2;
    p.scale[1] = 0.015625 * 5;
    p.zero[1] = 1234;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
    p.contract = "quant";
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_THRESHOLD);
    p = usual();
    p.scale[0] = 0.125;
    p.to_scale = 1;
    p.to_zero = 7;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
}

/* A table, where it is small: not of many codes, nor of few steps. */
static void ties_of_few_codes_take_a_table(void **state) {
    (void)state;
    problem p = usual();
    p.low = -128;
    p.high = 127;
    p.to_zero = 0;
    p.to_scale = 1;
    p.scale[0] = 0.375;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_LOOKUP);
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_FLOAT), WEIR_OP_SCALE_FLOAT);
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_THRESHOLD), WEIR_OP_THRESHOLD);
    p.scale[0] = 0.09375;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
    p.scale[0] = 0.375;
    p.channels = 2;
    p.scale[1] = 0.015625 * 15;
    p.zero[1] = 12;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_LOOKUP);
    p.high = 128;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
    p.contract = "quant";
    p.scale[0] = p.scale[1] = 0.75;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_LOOKUP);
    p.high = 896;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_THRESHOLD);
}

/* The component shifts by two bits at least and rounds within 2^22 codes of the zero point. */
static void the_float_form_stays_in_its_hardware(void **state) {
    (void)state;
    static const double ratios[] = {0.5, 1, 1.5, 2, 0.75, 3};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        problem p = usual();
        p.scale[0] = ratios[i];
        p.to_scale = 1;
        weir_graph *graph = build(&p);
        assert_true(weir_realize_requantize(graph, WEIR_REQUANTIZE_FLOAT));
        weir_node node = weir_graph_first(graph);
        assert_int_equal(weir_node_op(graph, node), WEIR_OP_SCALE_FLOAT);
        assert_true(weir_node_int(graph, node, "shift", 0) >= 2);
        weir_graph_free(graph);
        realize(&p, WEIR_REQUANTIZE_FLOAT);
    }
    problem p = usual();
    p.scale[0] = 8000;
    p.to_scale = 1;
    p.width = 25;
    weir_graph *graph = build(&p);
    assert_true(weir_realize_requantize(graph, WEIR_REQUANTIZE_FLOAT) || weir_diag_errors() == 1);
    assert_int_equal(count_op(graph, WEIR_OP_SCALE_FLOAT), 0);
    weir_graph_free(graph);
}

static void offsets_are_kept(void **state) {
    (void)state;
    static const double offset[2] = {1.37, -20.123};
    problem p = usual();
    p.channels = 2;
    p.scale[1] = 0.02;
    p.offset = offset;
    p.contract = "quant";
    realize(&p, WEIR_REQUANTIZE_AUTO);
    realize(&p, WEIR_REQUANTIZE_THRESHOLD);
}

static void random_problems(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        problem p = usual();
        p.low = random_int(-2000, 100);
        p.high = p.low + random_int(0, 3000);
        p.channels = (size_t)random_int(1, MAX_CHANNELS);
        bool real = random_int(0, 1) == 0;
        p.contract = real ? "quant" : "qlinear";
        if (real) p.rounding = (weir_rounding)random_int(0, WEIR_ROUND_COUNT - 1);
        p.width = (int)random_int(1, 8);
        p.is_signed = p.width > 1 && random_int(0, 1) == 0;
        int exponent = (int)random_int(-10, 0);
        bool power = random_int(0, 2) == 0;
        for (size_t c = 0; c < p.channels; c++) {
            p.zero[c] = random_int(-3000, 3000);
            p.scale[c] = power ? ldexp(1, exponent) : (double)(float)((double)random_int(1, 1000000) * 1e-8);
        }
        p.to_scale = power ? ldexp(1, (int)random_int(-2, 4)) : (double)(float)((double)random_int(1, 1000) * 1e-3);
        p.to_zero = p.width == 1 ? 0 : random_int(0, 1 << (p.width - 2));
        realize(&p, (weir_requantize_form)random_int(WEIR_REQUANTIZE_AUTO, WEIR_REQUANTIZE_THRESHOLD));
    }
}

/* 16-bit codes: the float32 form whatever the sums' width, a shift for powers of two, else a multiplier. */
/* Channels that nearly died in training: one code, of the clip or between, or a few, next to channels with all of them.
 * Their multipliers are too far from the others' for the hardware's width, and others do the same. */
static void flat_channels_do_not_spoil_the_others(void **state) {
    (void)state;
    size_t floats = 0;
    enum { TRIALS = 60 };
    for (int trial = 0; trial < TRIALS; trial++) {
        problem p = usual();
        p.low = -30000;
        p.high = 30000;
        p.channels = 4;
        p.is_signed = false;
        p.to_zero = random_int(0, 255);
        p.to_scale = (double)((float)random_int(100, 999) / 1000);
        p.scale[0] = (double)((float)random_int(500, 1500) / 1e6f);
        p.scale[1] = (double)((float)random_int(500, 1500) / 1e5f);
        for (size_t c = 2; c < 4; c++) {
            const double code = (double)random_int(-40, 300); /* of a sum of 0, before the clip */
            p.scale[c] = (double)(float)ldexp((double)random_int(100, 199) * p.to_scale, (int)random_int(-58, -21));
            const double zero = (code - (double)p.to_zero + (trial % 2 == 0 ? 0 : 0.5)) * p.to_scale / p.scale[c];
            p.zero[c] = -(int64_t)fmax(-0x1p50, fmin(0x1p50, zero));
        }
        floats += realize(&p, WEIR_REQUANTIZE_FLOAT) == WEIR_OP_SCALE_FLOAT;
    }
    if (floats < TRIALS * 3 / 4) fail_msg("%zu of %d fit the float form", floats, TRIALS);
}

/* Steps that each round in float32 have no multiplication, and their tables are large: that is said, with what to do
 * about it. */
static void large_tables_are_told(void **state) {
    (void)state;
    enum { CHANNELS = 64, BITS = 20 };
    weir_graph *g = weir_graph_new("g");
    double scale[CHANNELS], factor[CHANNELS], term[CHANNELS];
    for (size_t c = 0; c < CHANNELS; c++) {
        scale[c] = (double)((float)random_int(500, 1500) / 1e6f);
        factor[c] = (double)((float)random_int(500, 1500) / 1e3f);
        term[c] = (double)((float)random_int(-1500, 1500) / 1e1f);
    }
    weir_type type = {
        .dtype = WEIR_INT64, .shape = {2, {1, CHANNELS}}, .has_range = true, .low = -(1 << BITS), .high = 1 << BITS};
    type.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 62, .axis = 1, .count = CHANNELS, .scale = scale};
    const weir_value inputs[4] = {weir_graph_add_input(g, "x", &type), WEIR_NO_VALUE,
                                  add_constant(g, "factor", WEIR_FLOAT32, 1, CHANNELS, 0, factor),
                                  add_constant(g, "term", WEIR_FLOAT32, 1, CHANNELS, 0, term)};
    weir_node node = put(g, WEIR_OP_REQUANTIZE, "requantize", 4, inputs);
    const double to = 2;
    const int64_t zero = 128;
    weir_type out = {.dtype = WEIR_UINT8, .shape = type.shape};
    out.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1, .count = 1, .scale = &to, .zero_point = &zero};
    weir_value_set_type(g, weir_node_output(g, node, 0), &out);
    weir_node_set_string(g, node, "arithmetic", "qlinear");
    weir_node_set_string(g, node, "steps", "Mul Add");
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
    assert_true(weir_realize_requantize(g, WEIR_REQUANTIZE_AUTO));
    assert_int_equal(weir_node_op(g, weir_graph_first(g)), WEIR_OP_THRESHOLD);
    if (strstr(test_messages.data, "warning: node 'requantize': no multiplication is exact; its table has ") == NULL ||
        strstr(test_messages.data, "note: each of 'Mul Add' rounds in float32: fold them into the layer") == NULL)
        fail_msg("'%s'", test_messages.data);
    weir_graph_free(g);
}

static void wide_codes_have_multipliers(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        problem p = usual();
        p.samples = 4000;
        p.channels = (size_t)random_int(1, MAX_CHANNELS);
        int bits = (int)random_int(20, 45);
        p.low = -((int64_t)1 << bits);
        p.high = ((int64_t)1 << bits) - random_int(1, 1000);
        p.width = 16;
        p.is_signed = random_int(0, 1);
        p.to_zero = random_int(0, 30000);
        p.to_scale = 1;
        for (size_t c = 0; c < p.channels; c++) {
            p.zero[c] = random_int(-3000, 3000);
            p.scale[c] = (double)(float)ldexp((double)random_int(600000, 1000000), -bits - 4);
        }
        assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_SCALE_FLOAT);
        p.contract = "quant";
        p.to_scale = bits < 30 ? 1 : 0.5;
        for (size_t c = 0; bits >= 30 && c < p.channels; c++) p.scale[c] = ldexp(1, 14 - bits);
        for (size_t c = 0; bits < 30 && c < p.channels; c++) p.scale[c] = p.scale[0];
        p.rounding = (weir_rounding)random_int(0, WEIR_ROUND_CEIL);
        /* toward zero, no multiplication is right on both sides */
        if (bits < 30 && p.rounding == WEIR_ROUND_TRUNCATE) p.rounding = WEIR_ROUND_FLOOR;
        assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), bits < 30 ? WEIR_OP_SCALE : WEIR_OP_CAST_CODES);
    }
}

/* Codes up to 32 bits behind powers of two; nothing that would need a table for them. */
static void wider_codes_need_powers_of_two(void **state) {
    (void)state;
    problem p = usual();
    p.samples = 1000;
    p.low = -((int64_t)1 << 40);
    p.high = (int64_t)1 << 40;
    p.width = 32;
    p.contract = "quant";
    p.scale[0] = ldexp(1, -9);
    p.to_scale = 0.5;
    assert_int_equal(realize(&p, WEIR_REQUANTIZE_AUTO), WEIR_OP_CAST_CODES);
    for (int width = 17; width <= 32; width += 5) {
        p.width = width;
        p.to_scale = 0.3;
        test_setup(NULL);
        weir_graph *graph = build(&p);
        assert_false(weir_realize_requantize(graph, WEIR_REQUANTIZE_AUTO));
        assert_error("no component is exact for its ");
        assert_non_null(strstr(test_messages.data, "more than 16 bits need scales that are powers of two"));
        weir_graph_free(graph);
    }
}

/* Codes of 16 bits, signed or not, between random scales. */
static problem codes_of_16_bits(void) {
    problem p = usual();
    const bool is_signed = random_int(0, 1) == 0;
    p.low = is_signed ? -32768 : 0;
    p.high = p.low + 65535;
    p.width = 16;
    p.is_signed = is_signed;
    p.zero[0] = random_int(0, 1) == 0 ? 0 : random_int(p.low, p.high);
    p.to_zero = random_int(0, 1) == 0 ? 0 : random_int(p.low, p.high);
    p.scale[0] = (double)((float)random_int(100000, 999999) * 1e-9f);
    p.to_scale = (double)((float)p.scale[0] * (float)random_int(70, 250) / 100);
    p.steps = "Identity";
    return p;
}

/* Two roundings to float32 are products where no multiplication is exact, on every code; nothing needs a table. */
static void codes_quantized_again_have_products(void **state) {
    (void)state;
    size_t scales = 0, products = 0, singles = 0;
    for (int round = 0; round < 40; round++) {
        problem p = codes_of_16_bits();
        p.contract = round % 4 == 3 ? "quant" : "qlinear";
        if (round % 4 == 3) p.to_zero = 0; /* which it adds in float32, a rounding more */
        if (round % 8 == 0) p.scale[0] = ldexp(1, -11);
        weir_op before;
        const weir_op op = realize_with(&p, WEIR_REQUANTIZE_AUTO, &before);
        scales += op == WEIR_OP_SCALE;
        products += op == WEIR_OP_SCALE_FLOAT && before == WEIR_OP_SCALE;
        singles += op == WEIR_OP_SCALE_FLOAT && before == WEIR_OP_NONE;
        if (op == WEIR_OP_SCALE_FLOAT && round % 8 == 0) assert_int_equal(before, WEIR_OP_NONE);
    }
    if (scales + products + singles < 40 || products < 4 || singles < 1)
        fail_msg("of 40 %zu scales, %zu products, %zu float32 products", scales, products, singles);
}

/* Each channel has its own scale, mantissa and zero point. */
static void channels_have_products_of_their_own(void **state) {
    (void)state;
    size_t products = 0;
    for (int round = 0; round < 10; round++) {
        problem p = codes_of_16_bits();
        p.channels = 2;
        p.scale[1] = (double)((float)p.scale[0] * 1.37f);
        p.zero[0] = random_int(p.low, p.high);
        p.zero[1] = random_int(p.low, p.high);
        weir_op before;
        const weir_op op = realize_with(&p, WEIR_REQUANTIZE_AUTO, &before);
        products += op == WEIR_OP_SCALE_FLOAT && before == WEIR_OP_SCALE;
    }
    if (products < 3) fail_msg("of 10 %zu products", products);
}

/* One more rounding is more than two products have: each is judged on every code, none is taken. A multiplication that
 * is near remains, with a table of the codes that are one more, whatever range they have (realize_with looks at what
 * the table takes). */
static void sums_of_16_bit_codes_have_tables(void **state) {
    (void)state;
    size_t tables = 0;
    for (int round = 0; round < 20; round++) {
        problem p = codes_of_16_bits();
        p.channels = round % 5 == 4 ? 2 : 1;
        p.low = -32767 - round % 2;
        p.high = p.low + 65535;
        p.is_signed = true;
        p.zero[0] = random_int(p.low, p.high);
        p.scale[1] = p.scale[0] * 0.75;
        p.to_zero = random_int(-32768, 32767);
        p.steps = "Add";
        p.constant = (float)p.scale[0] * (float)random_int(1, 9999);
        weir_op before;
        const weir_op op = realize_with(&p, WEIR_REQUANTIZE_AUTO, &before);
        assert_int_not_equal(op, WEIR_OP_LOOKUP);
        tables += op == WEIR_OP_CAST_CODES && before == WEIR_OP_SUM;
    }
    if (tables < 2) fail_msg("of 20 %zu tables", tables);
}

/* Few codes have a table, which is smaller than products. */
static void few_codes_of_many_bits_have_tables(void **state) {
    (void)state;
    problem p = codes_of_16_bits();
    p.low = 1000;
    p.high = 1000 + 4095;
    p.zero[0] = 0;
    p.to_zero = 0;
    p.is_signed = false;
    p.scale[0] = (double)3.4567e-4f;
    p.to_scale = (double)2.3e-5f;
    p.steps = "Identity";
    const weir_op op = realize(&p, WEIR_REQUANTIZE_AUTO);
    assert_true(op == WEIR_OP_LOOKUP || op == WEIR_OP_SCALE);
}

/* Parameters that no component takes are errors before any Verilog is written. */
static void components_have_limits(void **state) {
    (void)state;
    static const struct {
        weir_op op;
        const char *name;
        int64_t value;
        const char *error;
    } cases[] = {
        {WEIR_OP_CAST_CODES, "high", 4294967295,
         "node 'n' (hardware for the node of this line): its numbers reach from -8 to 4294967295, but hardware has 32 bits for them"},
        {WEIR_OP_THRESHOLD, "base", -2147483649, "hardware needs 'base' within 32 bits, found -2147483649"},
        {WEIR_OP_SCALE, "multiplier", -3, "node 'n' (weir.Scale): hardware needs multipliers of 0 or more, found -3"},
        {WEIR_OP_SCALE_FLOAT, "shift", 1, "hardware needs a shift of 2 or more"},
        {WEIR_OP_CAST_CODES, "low", -2, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_graph *graph = weir_graph_new("hardware");
        double parameter = cases[i].value == -3 ? -3 : 3;
        bool scale = cases[i].op == WEIR_OP_SCALE || cases[i].op == WEIR_OP_SCALE_FLOAT;
        weir_value in[3] = {add_codes_input(graph, "x", WEIR_INT8, 1, 4, -8, 7),
                            cases[i].op == WEIR_OP_THRESHOLD
                                ? add_constant(graph, "t", WEIR_INT64, 2, 1, 1, &parameter)
                                : add_constant(graph, "p", WEIR_INT64, 1, 1, 0, &parameter),
                            add_constant(graph, "a", WEIR_INT64, 1, 1, 0, &parameter)};
        weir_node node = put(graph, cases[i].op, "n", scale ? 3 : 2, in);
        if (cases[i].value > 0)
            weir_node_set_location(graph, node, weir_at("model.onnx", 3)); /* no word of ours then */
        weir_node_set_int(graph, node, "low", -8);
        weir_node_set_int(graph, node, "high", 7);
        weir_node_set_int(graph, node, cases[i].name, cases[i].value);
        assert_true(weir_infer_node(graph, node));
        assert_int_equal(weir_choose_folding(graph, 1, 0, NULL), cases[i].error == NULL);
        if (cases[i].error != NULL) assert_error(cases[i].error);
        weir_graph_free(graph);
    }
}

/* Without a range there is no proof. */
static void ranges_are_needed(void **state) {
    (void)state;
    problem p = usual();
    weir_graph *graph = build(&p);
    weir_value x = weir_graph_input(graph, 0);
    weir_type type = *weir_value_type(graph, x);
    type.has_range = false;
    weir_value_set_type(graph, x, &type);
    assert_false(weir_realize_requantize(graph, WEIR_REQUANTIZE_AUTO));
    assert_error("node 'requantize' (weir.Requantize): its input has no proven range");
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(powers_of_two_are_casts),
        TEST(other_roundings_are_found),
        TEST(few_codes_are_thresholds),
        TEST(others_are_scales),
        TEST(forms_can_be_asked_for),
        TEST(ties_take_the_float_form),
        TEST(ties_of_few_codes_take_a_table),
        TEST(the_float_form_stays_in_its_hardware),
        TEST(offsets_are_kept),
        TEST(random_problems),
        TEST(flat_channels_do_not_spoil_the_others),
        TEST(large_tables_are_told),
        TEST(wide_codes_have_multipliers),
        TEST(wider_codes_need_powers_of_two),
        TEST(codes_quantized_again_have_products),
        TEST(channels_have_products_of_their_own),
        TEST(sums_of_16_bit_codes_have_tables),
        TEST(few_codes_of_many_bits_have_tables),
        TEST(components_have_limits),
        TEST(ranges_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
