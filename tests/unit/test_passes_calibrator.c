/* Calibrators: against ranges that NumPy computed (scripts/models/calibrators.py), and what must hold of any data. */
#include "test_passes_support.h"

#include <math.h>
#include <string.h>

#include "passes/quantize/calibrator.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"

/* A line of the cases. */
typedef struct line {
    const weir_array *x;
    weir_calibrator calibrator;
    weir_number number;
    bool is_of_elements;
} line;

static line read_line(const weir_archive *archive, char *text) {
    char *rest = text, *name = weir_format("x%s", strtok_r(rest, "|", &rest)), *calibrator = strtok_r(rest, "|", &rest);
    line l = {.x = weir_archive_find(archive, name), .number = weir_number_new(WEIR_NUMBER_AFFINE)};
    assert_non_null(l.x);
    free(name);
    char *elements = strstr(calibrator, " of elements");
    l.is_of_elements = elements != NULL;
    if (elements != NULL) *elements = '\0';
    assert_true(weir_calibrator_find(calibrator, &l.calibrator.id));
    l.calibrator.percentile = strtod(strtok_r(rest, "|", &rest), NULL);
    assert_true(weir_number_set(&l.number, WEIR_KEY_WIDTH, atoi(strtok_r(rest, "|", &rest))));
    assert_true(weir_number_set(&l.number, WEIR_KEY_SYMMETRIC, atoi(strtok_r(rest, "|", &rest))));
    return l;
}

static weir_range range_of(const line *l) {
    const float *x = l->x->data;
    if (l->is_of_elements) return weir_calibrator_elements(&l->calibrator, &l->number, x, l->x->count);
    weir_range seen = {.seen = false};
    weir_histogram *h = weir_histogram_new();
    for (size_t i = 0; i < l->x->count; i++) {
        weir_range_see(&seen, (double)x[i]);
        weir_histogram_see(h, (double)x[i]);
    }
    const weir_range range = weir_calibrator_range(&l->calibrator, &l->number, &seen, h);
    free(h);
    return range;
}

static void ranges_are_those_of_numpy(void **state) {
    (void)state;
    weir_archive archive;
    char *path = weir_format("%s/tests/unit/data/calibrators.npz", getenv("WEIR_SOURCE"));
    assert_true(weir_npz_read(path, &archive));
    const weir_array *cases = weir_archive_find(&archive, "cases"), *wanted = weir_archive_find(&archive, "ranges");
    assert_true(cases != NULL && wanted != NULL);
    char *text = weir_format("%.*s", (int)cases->count, (const char *)cases->data), *rest = text;
    size_t count = 0, clipped = 0;
    bool seen[WEIR_CALIBRATOR_COUNT] = {false};
    for (char *own; (own = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        char *what = weir_copy_string(own);
        const line l = read_line(&archive, own);
        const weir_range range = range_of(&l);
        const double low = weir_array_get(wanted, 2 * count), high = weir_array_get(wanted, 2 * count + 1);
        if (range.min != low || range.max != high)
            fail_msg("%s: expected [%.9g, %.9g], found [%.9g, %.9g]", what, low, high, range.min, range.max);
        free(what);
        seen[l.calibrator.id] = true;
        /* a planted fault: what another calibrator gives is noticed wherever anything is clipped */
        line other = l;
        other.calibrator.id = WEIR_CALIBRATOR_MAX;
        const weir_range all = range_of(&other);
        clipped += all.min != low || all.max != high;
    }
    assert_int_equal(count, 280);
    assert_true(clipped > 100);
    for (int i = 0; i < WEIR_CALIBRATOR_COUNT; i++) assert_true(seen[i]);
    free(text);
    free(path);
    weir_archive_free(&archive);
}

/* The threshold and the scale that data shares, of magnitudes in the histogram's bins. */
static void what_elements_share_is_that_of_numpy(void **state) {
    (void)state;
    weir_archive archive;
    char *path = weir_format("%s/tests/unit/data/calibrators.npz", getenv("WEIR_SOURCE"));
    assert_true(weir_npz_read(path, &archive));
    const weir_array *cases = weir_archive_find(&archive, "shared_cases"),
                     *wanted = weir_archive_find(&archive, "shared");
    assert_true(cases != NULL && wanted != NULL);
    char *text = weir_format("%.*s", (int)cases->count, (const char *)cases->data), *rest = text;
    size_t count = 0, others = 0;
    for (char *own; (own = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        char *format = strchr(own, '|'), *name;
        *format++ = '\0';
        name = weir_format("x%s", own);
        weir_number n;
        assert_true(weir_number_parse(format, &n));
        const weir_array *data = weir_archive_find(&archive, name);
        free(name);
        weir_range seen = {.seen = false};
        weir_histogram *h = weir_histogram_new();
        for (size_t i = 0; i < data->count; i++) {
            weir_range_see(&seen, weir_array_get(data, i));
            weir_histogram_see(h, weir_array_get(data, i));
        }
        const weir_number_shared shared = weir_calibrator_shared(&n, &seen, h);
        const double threshold = weir_array_get(wanted, 2 * count), scale = weir_array_get(wanted, 2 * count + 1);
        if (fabs(shared.threshold - threshold) > 1e-9 * threshold || fabs(shared.scale - scale) > 1e-9 * scale)
            fail_msg("x%s as %s: expected %.12g and %.12g, found %.12g and %.12g", own, format, threshold, scale,
                     shared.threshold, shared.scale);
        /* a planted fault: the threshold of another kind is another one */
        if (n.id == WEIR_NUMBER_TERNARY && threshold > 0) {
            weir_number_set(&n, WEIR_KEY_THRESHOLD, (weir_number_get(&n, WEIR_KEY_THRESHOLD) + 1) % 3);
            others += fabs(weir_calibrator_shared(&n, &seen, h).threshold - threshold) > 1e-9 * threshold;
        }
        free(h);
    }
    assert_int_equal(count, 70);
    assert_true(others > 40);
    free(text);
    free(path);
    weir_archive_free(&archive);
}

/* One value far from all others: max holds it, the others clip it, with 4 bits also where its squared error counts. */
static void what_is_rare_is_clipped(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    float x[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = (float)sin(i);
    x[7] = 10;
    weir_number n = weir_number_new(WEIR_NUMBER_AFFINE);
    weir_number_set(&n, WEIR_KEY_WIDTH, 4);
    for (int i = 0; i < WEIR_CALIBRATOR_COUNT; i++) {
        const weir_calibrator c = {(weir_calibrator_id)i, WEIR_CALIBRATOR_PERCENT};
        const weir_range range = weir_calibrator_elements(&c, &n, x, COUNT);
        if (i == WEIR_CALIBRATOR_MAX) assert_true(range.max == 10);
        else assert_true(range.max < 5 && range.max >= 0.8 && range.min <= -0.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(ranges_are_those_of_numpy), TEST(what_elements_share_is_that_of_numpy),
                                       TEST(what_is_rare_is_clipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
