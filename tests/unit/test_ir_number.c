/* Number formats: against values that NumPy and ml_dtypes computed (scripts/models/number_formats.py), and what must
 * hold of each code. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "ir/number/number.h"
#include "support/memory/arena.h"

static const weir_array *find_entry(const weir_archive *archive, const char *key, size_t number) {
    char *name = weir_format("%s%zu", key, number);
    const weir_array *array = weir_archive_find(archive, name);
    assert_non_null(array);
    free(name);
    return array;
}

/* True when the results are those of `wanted`; else says where not, unless a difference is what is looked for. */
static bool gives(const char *text, weir_number_layout layout, const weir_array *x, const weir_array *wanted,
                  bool loud) {
    weir_number n;
    if (!weir_number_parse(text, &n)) fail_msg("'%s' is not read", text);
    weir_array *y = weir_array_new(WEIR_FLOAT32, &x->shape);
    weir_number_quantize(&n, layout, x, y);
    bool same = true;
    for (size_t i = 0; same && i < y->count; i++) {
        const float have = ((const float *)y->data)[i], want = ((const float *)wanted->data)[i];
        same = have == want;
        if (!same && loud)
            fail_msg("%s, axis %d: element %zu, %.9g: expected %.9g, found %.9g", text, layout.axis, i,
                     (double)((const float *)x->data)[i], (double)want, (double)have);
    }
    weir_array_free(y);
    return same;
}

static void formats_give_the_values_of_their_definitions(void **state) {
    (void)state;
    weir_archive archive;
    char *path = weir_format("%s/tests/unit/data/number_formats.npz", getenv("WEIR_SOURCE"));
    assert_true(weir_npz_read(path, &archive));
    const weir_array *cases = weir_archive_find(&archive, "cases");
    assert_non_null(cases);
    char *text = weir_format("%.*s", (int)cases->count, (const char *)cases->data), *rest = text;
    bool seen[WEIR_NUMBER_COUNT] = {false};
    size_t count = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        char *field = line;
        const long input = strtol(field, &field, 10), axis = strtol(field + 1, &field, 10);
        weir_number_layout layout = {(int)axis, -1, strtol(field + 1, &field, 10) != 0};
        const weir_array *x = find_entry(&archive, "x", (size_t)input), *wanted = find_entry(&archive, "y", count);
        weir_number n;
        assert_true(weir_number_parse(field + 1, &n));
        if (n.id == WEIR_NUMBER_AFFINE) layout.output = layout.axis;
        gives(field + 1, layout, x, wanted, true);
        seen[n.id] = true;
        if (n.id == WEIR_NUMBER_MXFP && layout.axis == 1) { /* a planted fault: another axis or another tensor */
            assert_false(gives(field + 1, (weir_number_layout){0, -1, true}, x, wanted, false) &&
                         gives("mxfp", layout, x, wanted, false));
        }
    }
    assert_true(count > 600);
    for (int i = 0; i < WEIR_NUMBER_COUNT; i++)
        if (!seen[i]) fail_msg("no case of '%s'", weir_number_name((weir_number_id)i));
    free(text);
    free(path);
    weir_archive_free(&archive);
}

/* Formats of up to 16 bits, with what elements share measured on some data. */
static const char *const small[] = {"integer width=8 frac_width=3",
                                    "integer width=1 frac_width=0",
                                    "fixed width=6 frac_width=9",
                                    "integer width=16 frac_width=-3",
                                    "scale_integer width=5",
                                    "flexround width=4",
                                    "affine symmetric=1",
                                    "affine width=5 symmetric=0",
                                    "binary",
                                    "binary bipolar=0",
                                    "binary_residual levels=2",
                                    "ternary scaling_factor=1",
                                    "minifloat_ieee",
                                    "minifloat_ieee width=16 exponent_width=5",
                                    "minifloat_ieee width=5 exponent_width=4",
                                    "minifloat_denorm",
                                    "minifloat_denorm width=6 exponent_width=2",
                                    "log width=4",
                                    "log",
                                    "block_fp width=7",
                                    "block_minifloat exponent_bias_width=8",
                                    "block_log width=4 exponent_bias_width=8",
                                    "mxint",
                                    "mxint_hardware",
                                    "mxfp exponent_width=4 frac_width=3",
                                    "mxfp exponent_width=5 frac_width=2",
                                    "mxfp exponent_width=2 frac_width=3",
                                    "mxfp exponent_width=3 frac_width=2",
                                    "mxfp exponent_width=2 frac_width=1",
                                    "mxfp exponent_width=0 frac_width=6",
                                    "nvfp4"};

/* Each code stands for its own value, in ascending order, and a value between two codes gives one of them: the nearer
 * one, but where the format rounds down or compares with a threshold. */
static void each_code_is_the_code_of_its_value(void **state) {
    (void)state;
    const float data[] = {0.3F, -1.7F, 2.9F, 0.01F, -0.6F, 1.0F, 0.0F, -3.2F};
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        weir_number n;
        assert_true(weir_number_parse(small[k], &n));
        const weir_number_shared shared = weir_number_measure(&n, data, 8, 3.2);
        int64_t low, high;
        weir_number_limits(&n, &low, &high);
        assert_true(low < high && high - low < 1 << 16);
        for (int64_t code = low; code <= high; code++) {
            const double value = weir_number_decode(&n, &shared, code);
            if (n.id != WEIR_NUMBER_TERNARY && weir_number_encode(&n, &shared, value) != code)
                fail_msg("%s: code %lld is %.9g, whose code is %lld", small[k], (long long)code, value,
                         (long long)weir_number_encode(&n, &shared, value));
            if (code == high) continue;
            const double next = weir_number_decode(&n, &shared, code + 1), between = value + (next - value) * 0.51;
            if (!(value < next)) fail_msg("%s: code %lld: %.9g, the next %.9g", small[k], (long long)code, value, next);
            const int64_t found = weir_number_encode(&n, &shared, between);
            const bool is_nearest = n.id == WEIR_NUMBER_INTEGER || n.id == WEIR_NUMBER_MINIFLOAT_IEEE ||
                                    n.id == WEIR_NUMBER_MINIFLOAT_DENORM || n.id == WEIR_NUMBER_MXFP;
            if (is_nearest ? found != code + 1 : n.id != WEIR_NUMBER_TERNARY && found != code && found != code + 1)
                fail_msg("%s: %.9g between %.9g and %.9g has code %lld", small[k], between, value, next,
                         (long long)found);
        }
        assert_int_equal(weir_number_encode(&n, &shared, 1e30), high);
        assert_int_equal(weir_number_encode(&n, &shared, -1e30), low);
        assert_int_equal(weir_number_encode(&n, &shared, INFINITY), high);
    }
}

/* Of formats that compare, counting the thresholds that a number reaches gives what NumPy computed; each is the least
 * number with its code. */
static void thresholds_count_to_the_value(void **state) {
    (void)state;
    static const char *const formats[] = {"binary", "binary_residual levels=1", "binary_residual levels=2",
                                          "binary_residual levels=3"};
    weir_archive archive;
    char *path = weir_format("%s/tests/unit/data/number_formats.npz", getenv("WEIR_SOURCE"));
    assert_true(weir_npz_read(path, &archive));
    const weir_array *cases = weir_archive_find(&archive, "cases");
    char *text = weir_format("%.*s", (int)cases->count, (const char *)cases->data), *rest = text;
    size_t count = 0, compared = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        const char *format = strrchr(line, '|') + 1;
        weir_number n;
        assert_true(weir_number_parse(format, &n));
        bool compares = false;
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            weir_number own;
            assert_true(weir_number_parse(formats[i], &own));
            compares |= memcmp(&own, &n, sizeof n) == 0;
        }
        if (!compares) continue;
        const weir_number_shared shared = weir_number_measure(&n, NULL, 0, 0);
        const weir_array *x = find_entry(&archive, "x", (size_t)strtol(line, NULL, 10)),
                         *wanted = find_entry(&archive, "y", count);
        int64_t low, high;
        weir_number_limits(&n, &low, &high);
        for (int64_t code = low + 1; code <= high; code++) {
            const float at = weir_number_threshold(&n, &shared, code);
            assert_true(weir_number_encode(&n, &shared, (double)at) >= code);
            assert_true(weir_number_encode(&n, &shared, (double)nextafterf(at, -INFINITY)) < code);
        }
        for (size_t i = 0; i < x->count; i++, compared++) {
            int64_t reached = low;
            for (int64_t code = low + 1; code <= high; code++)
                reached += weir_array_get(x, i) >= (double)weir_number_threshold(&n, &shared, code);
            const double value = weir_number_decode(&n, &shared, reached);
            if (fabs(value - weir_array_get(wanted, i)) > 1e-7)
                fail_msg("%s: %.9g reaches code %lld, %.9g, expected %.9g", format, weir_array_get(x, i),
                         (long long)reached, value, weir_array_get(wanted, i));
        }
    }
    assert_true(compared > 1000);
    free(text);
    free(path);
    weir_archive_free(&archive);
}

/* What MASE's quantizers do otherwise (DESIGN's table of its defects), one value each. */
static void defects_of_mase_are_none_here(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        float x, y, beside; /* of the same block; 0: nothing */
    } cases[] = {
        {"minifloat_denorm_keeps_powers_of_two", "minifloat_denorm width=8 exponent_width=4 exponent_bias=7", 4, 4, 0},
        {"minifloat_ieee_carries_into_the_exponent", "minifloat_ieee width=8 exponent_width=4 exponent_bias=7", 1.99F,
         2, 0},
        {"minifloat_ieee_carries_out_of_subnormals", "minifloat_ieee width=8 exponent_width=4 exponent_bias=7", 0.0155F,
         0.015625F, 0},
        {"log_keeps_the_sign_of_small_numbers", "log width=4 exponent_bias=3", -0.01F, -0.125F, 0},
        {"block_fp_keeps_a_power_of_two", "block_fp width=8 exponent_width=8", 1, 1, 0},
        {"block_minifloat_bias_is_not_inverted", "block_minifloat width=8 exponent_width=4 exponent_bias_width=8", 3000,
         3072, 0},
        {"block_log_bias_is_signed", "block_log width=4 exponent_bias_width=8", 3000, 4096, 0},
        {"mxint_hardware_uses_its_bits", "mxint_hardware width=12 exponent_width=6", 1, 2047.0F / 2048, 0},
        {"mxfp_carries", "mxfp exponent_width=4 frac_width=3", 1.99F, 2, 16},
        {"binary_residual_has_no_third_state", "binary_residual levels=2", 0, 1.0F / 3, 0},
        {"scale_integer_keeps_its_largest", "scale_integer width=8", 1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 2}});
        weir_array *y = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {1, 2}});
        ((float *)x->data)[0] = cases[i].x;
        ((float *)x->data)[1] = cases[i].beside;
        weir_number n;
        assert_true(weir_number_parse(cases[i].text, &n));
        weir_number_quantize(&n, (weir_number_layout){.axis = 1, .output = -1}, x, y);
        if (((const float *)y->data)[0] != cases[i].y)
            fail_msg("%s: %g gives %.9g, expected %.9g", cases[i].name, (double)cases[i].x,
                     (double)((const float *)y->data)[0], (double)cases[i].y);
        weir_array_free(x);
        weir_array_free(y);
    }
}

/* LeNet's pixels and first weights: MASE's rule clips the ones and has three codes for the others. */
static void fraction_bits_come_from_the_range_whatever_its_size(void **state) {
    (void)state;
    static const struct {
        double largest;
        int ours, mase;
    } cases[] = {{255, -1, 0}, {0.0119, 13, 7}, {1, 6, 6}, {0.999, 7, 7}, {0.5, 7, 7}, {0.49, 8, 7}, {3000, -5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_number n = weir_number_new(WEIR_NUMBER_FIXED), of_mase = n;
        weir_number_choose(&n, cases[i].largest, false);
        weir_number_choose(&of_mase, cases[i].largest, true);
        assert_int_equal(weir_number_get(&n, WEIR_KEY_FRAC_WIDTH), cases[i].ours);
        assert_int_equal(weir_number_get(&of_mase, WEIR_KEY_FRAC_WIDTH), cases[i].mase);
    }
}

static void what_is_printed_is_read(void **state) {
    (void)state;
    for (int i = 0; i < WEIR_NUMBER_COUNT; i++) {
        weir_number n = weir_number_new((weir_number_id)i), again;
        for (int chosen = 0; chosen < 2; chosen++) {
            char *text = weir_number_print(&n);
            assert_true(weir_number_parse(text, &again));
            assert_memory_equal(&n, &again, sizeof n);
            free(text);
            weir_number_choose(&n, 1, false);
        }
    }
    static const char *const wrong[] = {"",
                                        "int",
                                        "integer width",
                                        "integer width=",
                                        "integer width=0",
                                        "integer width=8x",
                                        "integer levels=2",
                                        "integer  width=8",
                                        "mxfp exponent_width=4 frac_width=2",
                                        "minifloat_ieee width=4 exponent_width=4",
                                        "block_fp block_size=0",
                                        "integer width=8 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_number n;
        if (weir_number_parse(wrong[i], &n)) fail_msg("'%s' is read", wrong[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_give_the_values_of_their_definitions),
        cmocka_unit_test(each_code_is_the_code_of_its_value),
        cmocka_unit_test(thresholds_count_to_the_value),
        cmocka_unit_test(defects_of_mase_are_none_here),
        cmocka_unit_test(fraction_bits_come_from_the_range_whatever_its_size),
        cmocka_unit_test(what_is_printed_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
