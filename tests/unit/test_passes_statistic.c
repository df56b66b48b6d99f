/* The seven statistics: values of NumPy 2.4 (mean, var, quantile, min, max with their axis and ddof) on small data, and
 * closed forms on nasty data. Tests named defect_ hold what MASE does wrong. */
#include "test_passes_support.h"

#include <math.h>

#include "common/text_pair.h"
#include "passes/mase/statistic.h"

/* Three samples [1, 2, 3]. */
static const double small[18] = {0.5,  -1.25, 3.0, 2.0,  0.0,  -0.125, 1.5, -2.0,  4.0,
                                 -3.5, 0.75,  1.0, -0.5, 2.25, 3.5,    6.0, -0.25, 0.5};

static weir_array *sample_of(weir_dtype dtype, weir_shape shape, const double *values) {
    weir_array *sample = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < sample->count; i++) weir_array_set(sample, i, values[i]);
    return sample;
}

static weir_statistic *new_statistic(const char *name, const char *arguments) {
    json_t *object = json_loads(arguments, 0, NULL);
    assert_non_null(object);
    weir_statistic *s = weir_statistic_new(name, object, "test");
    json_decref(object);
    return s;
}

/* Feeds `samples` of the shape and gives the result. */
static json_t *compute(const char *name, const char *arguments, weir_shape shape, size_t samples,
                       const double *values) {
    weir_statistic *s = new_statistic(name, arguments);
    assert_non_null(s);
    for (size_t i = 0; i < samples; i++) {
        weir_array *sample = sample_of(WEIR_FLOAT64, shape, values);
        assert_true(weir_statistic_update(s, sample));
        values += sample->count;
        weir_array_free(sample);
    }
    json_t *result = weir_statistic_result(s);
    weir_statistic_free(s);
    return result;
}

static json_t *compute_small(const char *name, const char *arguments) {
    return compute(name, arguments, (weir_shape){3, {1, 2, 3}}, 3, small);
}

/* The numbers of nested lists one after the other must be these. */
static void assert_flat(const json_t *value, const double **expected) {
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) assert_flat(json_array_get(value, i), expected);
        return;
    }
    assert_true(json_is_number(value));
    double wanted = *(*expected)++, found = json_number_value(value);
    if (fabs(found - wanted) > 1e-14 * fmax(1, fabs(wanted))) fail_msg("expected %.17g, found %.17g", wanted, found);
}

/* Checks one key: how many numbers, how deep, which. */
static void assert_values(const json_t *result, const char *key, size_t depth, size_t count, const double *expected) {
    const json_t *value = json_object_get(result, key), *inner = value;
    assert_non_null(value);
    for (size_t d = 0; d < depth; d++) {
        assert_true(json_is_array(inner));
        inner = json_array_get(inner, 0);
    }
    const double *end = expected;
    assert_flat(value, &end);
    assert_int_equal(end - expected, count);
}

#define VALUES(result, key, depth, ...)                                                                                \
    assert_values(result, key, depth, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void assert_count(const json_t *result, json_int_t count) {
    assert_int_equal(json_integer_value(json_object_get(result, "count")), count);
}

static void record_keeps_all(void **state) {
    (void)state;
    json_t *r = compute_small("record", "{}");
    assert_values(r, "data", 3, 18, small);
    assert_int_equal(json_array_size(json_object_get(r, "data")), 3);
    assert_count(r, 3);
    assert_int_equal(json_integer_value(json_object_get(r, "size_in_bytes")), 18 * 8);
    json_decref(r);
    r = compute_small("record", "{\"add_new_dim_before_concat\": true, \"device\": \"cpu\"}");
    assert_values(r, "data", 4, 18, small);
    json_decref(r);
    weir_statistic *s = new_statistic("record", "{}");
    weir_array *codes = sample_of(WEIR_INT8, (weir_shape){1, {2}}, (double[]){-128, 127});
    assert_true(weir_statistic_update(s, codes));
    r = weir_statistic_result(s);
    char *text = json_dumps(r, JSON_COMPACT);
    assert_string_equal(text, "{\"data\":[-128,127],\"count\":1,\"size_in_bytes\":2}");
    free(text);
    json_decref(r);
    weir_array_free(codes);
    weir_statistic_free(s);
}

/* MASE merges batches with their unbiased variance into one that divides by n. */
static void defect_online_variance_is_the_populations(void **state) {
    (void)state;
    json_t *r = compute_small("variance_online", "{}");
    VALUES(r, "mean", 0, 0.9652777777777778);
    VALUES(r, "variance", 0, 4.888551311728395);
    assert_count(r, 18);
    json_decref(r);
    r = compute_small("variance_online", "{\"dims\": null}");
    VALUES(r, "mean", 3, 0.5, -1.0 / 3, 3.5, 1.5, 1.0 / 6, 0.4583333333333333);
    VALUES(r, "variance", 3, 2.0 / 3, 3.430555555555556, 1.0 / 6, 15.166666666666666, 0.18055555555555558,
           0.21180555555555558);
    assert_count(r, 3);
    json_decref(r);
}

/* Axes count from the end too, and one result remains for each index of the other axes. */
static void defect_lists_of_dims_work_everywhere(void **state) {
    (void)state;
    json_t *r = compute_small("variance_precise", "{\"dims\": [-1]}");
    VALUES(r, "mean", 2, 1.2222222222222223, 0.7083333333333334);
    VALUES(r, "variance", 2, 4.647569444444445, 6.203125);
    assert_count(r, 9);
    json_decref(r);
    r = compute_small("variance_online", "{\"dims\": [0, 1]}");
    VALUES(r, "mean", 1, 1.0, -0.08333333333333333, 1.9791666666666667);
    VALUES(r, "variance", 1, 8.166666666666666, 1.868055555555556, 2.5021701388888893);
    assert_count(r, 6);
    json_decref(r);
    r = compute_small("range_min_max", "{\"dims\": [2]}");
    VALUES(r, "min", 2, -2.0, -3.5);
    VALUES(r, "max", 2, 4.0, 6.0);
    VALUES(r, "range", 2, 6.0, 9.5);
    json_decref(r);
    r = compute_small("range_quantile", "{\"dims\": [2], \"quantile\": 0.9}");
    VALUES(r, "min", 2, -1.4, -0.9);
    VALUES(r, "max", 2, 3.6, 2.8);
    json_decref(r);
    r = compute_small("abs_mean", "{\"dims\": [2]}");
    VALUES(r, "abs_mean", 2, 2.0555555555555554, 1.5694444444444444);
    json_decref(r);
    r = compute_small("range_n_sigma", "{\"dims\": [-1], \"num_sigma\": 0}");
    VALUES(r, "min", 2, 1.2222222222222223, 0.7083333333333334);
    json_decref(r);
}

static void precise_variance_is_unbiased(void **state) {
    (void)state;
    json_t *r = compute_small("variance_precise", "{\"dims\": \"all\"}");
    VALUES(r, "mean", 0, 0.9652777777777778);
    VALUES(r, "variance", 0, 5.176113153594771);
    json_decref(r);
    r = compute_small("variance_precise", "{\"dims\": \"None\"}");
    VALUES(r, "variance", 3, 1.0, 5.145833333333334, 0.25, 22.75, 0.27083333333333337, 0.31770833333333337);
    json_decref(r);
}

static void ranges(void **state) {
    (void)state;
    json_t *r = compute_small("range_n_sigma", "{\"num_sigma\": 2}");
    VALUES(r, "min", 0, -3.456735931711778);
    VALUES(r, "max", 0, 5.387291487267333);
    VALUES(r, "range", 0, 5.387291487267333 + 3.456735931711778);
    json_decref(r);
    r = compute_small("range_n_sigma", "{\"abs\": true, \"var_mode\": \"precise\"}");
    VALUES(r, "min", 0, -3.1026345652095477);
    VALUES(r, "max", 0, 6.727634565209548);
    json_decref(r);
    r = compute_small("range_min_max", "{}");
    VALUES(r, "min", 0, -3.5);
    VALUES(r, "max", 0, 6.0);
    VALUES(r, "range", 0, 9.5);
    assert_count(r, 18);
    json_decref(r);
    r = compute_small("range_min_max", "{\"abs\": true, \"dims\": null}");
    VALUES(r, "min", 3, 0.5, 1.25, 3, 2, 0, 0.125);
    VALUES(r, "max", 3, 1.5, 2.25, 4, 6, 0.75, 1);
    json_decref(r);
    r = compute_small("range_quantile", "{}");
    VALUES(r, "min", 0, -2.8625);
    VALUES(r, "max", 0, 5.15);
    VALUES(r, "range", 0, 8.0125);
    json_decref(r);
    r = compute_small("range_quantile", "{\"abs\": true, \"quantile\": 0.9}");
    VALUES(r, "min", 0, 0.2125);
    VALUES(r, "max", 0, 3.65);
    assert_count(r, 18);
    json_decref(r);
    r = compute_small("abs_mean", "{}");
    VALUES(r, "abs_mean", 0, 1.8125);
    json_decref(r);
}

/* Too few values: one element, or one sample without axes to span. */
static void fewer_than_two_values(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"variance_online", "{\"mean\":\"NA\",\"variance\":\"NA\",\"count\":1}"},
        {"variance_precise", "{\"mean\":\"NA\",\"variance\":\"NA\",\"count\":1}"},
        {"range_n_sigma", "{\"min\":\"NA\",\"max\":\"NA\",\"range\":\"NA\",\"count\":1}"},
        {"range_min_max", "{\"min\":\"NA\",\"max\":\"NA\",\"range\":\"NA\",\"count\":1}"},
        {"range_quantile", "{\"min\":\"NA\",\"max\":\"NA\",\"range\":\"NA\",\"count\":1}"},
        {"abs_mean", "{\"abs_mean\":\"NA\",\"count\":1}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *one = compute(cases[i].text, "{}", (weir_shape){1, {1}}, 1, small);
        json_t *apart = compute(cases[i].text, "{\"dims\": null}", (weir_shape){1, {18}}, 1, small);
        char *text = json_dumps(one, JSON_COMPACT);
        assert_string_equal(text, cases[i].expected);
        assert_true(json_equal(one, apart));
        free(text);
        json_decref(one);
        json_decref(apart);
        json_t *none = compute(cases[i].text, "{}", (weir_shape){1, {18}}, 0, small);
        assert_count(none, 0);
        json_decref(none);
    }
}

/* {4, 7, 13, 16} has mean 10 and squares 90; 1e9 and 1e15 on top (exact in float64) must not be felt, whether the data
 * comes at once or one by one. Sums of squares would be off by far more. */
static void large_mean_small_variance(void **state) {
    (void)state;
    static const double base[4] = {4, 7, 13, 16}, offsets[] = {0, 1e9, -1e12, 1e15};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        double values[4];
        for (size_t k = 0; k < 4; k++) values[k] = base[k] + offsets[i];
        for (size_t parts = 1; parts <= 4; parts += parts) {
            weir_shape shape = {1, {(int64_t)(4 / parts)}};
            json_t *online = compute("variance_online", "{}", shape, parts, values);
            json_t *precise = compute("variance_precise", "{}", shape, parts, values);
            VALUES(online, "mean", 0, 10 + offsets[i]);
            VALUES(precise, "mean", 0, 10 + offsets[i]);
            VALUES(online, "variance", 0, 22.5);
            VALUES(precise, "variance", 0, 30);
            json_decref(online);
            json_decref(precise);
        }
    }
}

/* k * 2^-30 above 1 for k below 1024: variance (n^2 - 1) / 12 * 2^-60. */
static void tiny_variance(void **state) {
    (void)state;
    double values[1024];
    for (size_t k = 0; k < 1024; k++) values[k] = 1 + ldexp((double)k, -30);
    double expected = (1024.0 * 1024 - 1) / 12 * ldexp(1, -60);
    for (size_t parts = 1; parts <= 1024; parts *= 4) {
        json_t *r = compute("variance_online", "{}", (weir_shape){1, {(int64_t)(1024 / parts)}}, parts, values);
        double found = json_number_value(json_object_get(r, "variance"));
        assert_true(fabs(found / expected - 1) < 1e-9);
        json_decref(r);
    }
}

/* Any split of random data into batches gives what the whole gives. */
static void batches_are_the_whole(void **state) {
    (void)state;
    double values[240];
    for (size_t i = 0; i < 240; i++) values[i] = (double)random_int(-1000000, 1000000) / 4096;
    static const char *const names[] = {"variance_online", "variance_precise", "range_n_sigma",
                                        "range_min_max",   "range_quantile",   "abs_mean"};
    static const char *const keys[] = {"mean", "variance", "min", "max", "range", "abs_mean", "count"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        json_t *whole = compute(names[n], "{}", (weir_shape){1, {240}}, 1, values);
        static const int64_t sizes[] = {1, 2, 3, 8, 60, 120};
        for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++) {
            json_t *parts = compute(names[n], "{}", (weir_shape){1, {sizes[p]}}, (size_t)(240 / sizes[p]), values);
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                const json_t *a = json_object_get(whole, keys[k]), *b = json_object_get(parts, keys[k]);
                if (a == NULL) continue;
                double x = json_number_value(a), y = json_number_value(b);
                if (fabs(x - y) > 1e-13 * fabs(x)) fail_msg("%s %s: %.17g, %.17g", names[n], keys[k], x, y);
            }
            json_decref(parts);
        }
        json_decref(whole);
    }
}

/* JSON has no such numbers. */
static void not_finite(void **state) {
    (void)state;
    static const double values[4] = {1, NAN, INFINITY, 2};
    json_t *r = compute("range_min_max", "{\"dims\": null}", (weir_shape){1, {2}}, 2, values);
    char *text = json_dumps(r, JSON_COMPACT);
    assert_string_equal(text, "{\"min\":[1.0,\"nan\"],\"max\":[\"inf\",\"nan\"],\"range\":[\"inf\",\"nan\"],"
                              "\"count\":2}");
    free(text);
    json_decref(r);
    r = compute("range_quantile", "{}", (weir_shape){1, {4}}, 1, values);
    assert_string_equal(json_string_value(json_object_get(r, "max")), "nan");
    json_decref(r);
}

static void refuse(const char *name, const char *arguments, const char *message) {
    weir_text_free(&test_messages);
    weir_text_add(&test_messages, "");
    weir_diag_reset();
    assert_null(new_statistic(name, arguments));
    assert_error(message);
}

static void bad_arguments(void **state) {
    (void)state;
    refuse("range_minmax", "{}", "test: unknown statistic 'range_minmax'\nnote: did you mean 'range_min_max'?");
    refuse("soft_range", "{}", "unknown statistic 'soft_range'");
    refuse("abs_mean", "{\"dim\": 0}", "'abs_mean' has no argument 'dim'\nnote: did you mean 'dims'?");
    refuse("abs_mean", "{\"abs\": true}", "'abs_mean' has no argument 'abs'");
    refuse("range_min_max", "{\"abs\": 1}", "'abs' of 'range_min_max' must be true or false");
    refuse("variance_online", "{\"dims\": [0.5]}", "'dims' of 'variance_online' must be all, null or a list of axes");
    refuse("variance_online", "{\"device\": \"cuda\"}", "'device' of 'variance_online' must be null or cpu");
    refuse("range_quantile", "{\"quantile\": 1.5}", "must be a number from 0.5 to 1");
    refuse("range_n_sigma", "{\"var_mode\": \"fast\"}", "must be online or precise");
    refuse("range_n_sigma", "[3]", "expected a mapping of arguments after 'range_n_sigma'");
}

static void bad_samples(void **state) {
    (void)state;
    weir_statistic *s = new_statistic("abs_mean", "{\"dims\": [2]}");
    weir_array *flat = sample_of(WEIR_FLOAT32, (weir_shape){2, {2, 3}}, small);
    weir_array *other = sample_of(WEIR_FLOAT32, (weir_shape){2, {3, 2}}, small);
    assert_false(weir_statistic_update(s, flat));
    assert_error("test: 'abs_mean' over axis 2 of a tensor with 2");
    weir_statistic_free(s);
    weir_diag_reset();
    s = new_statistic("abs_mean", "{}");
    assert_true(weir_statistic_update(s, flat));
    assert_false(weir_statistic_update(s, other));
    assert_error("samples of one type, found first float32 [2,3], then float32 [3,2]");
    weir_statistic_free(s);
    weir_array_free(flat);
    weir_array_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(record_keeps_all),
        TEST(defect_online_variance_is_the_populations),
        TEST(defect_lists_of_dims_work_everywhere),
        TEST(precise_variance_is_unbiased),
        TEST(ranges),
        TEST(fewer_than_two_values),
        TEST(large_mean_small_variance),
        TEST(tiny_variance),
        TEST(batches_are_the_whole),
        TEST(not_finite),
        TEST(bad_arguments),
        TEST(bad_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
