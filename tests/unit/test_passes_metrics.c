/* Metrics of classification: confusion matrices by hand, and what scikit-learn 1.9 gives for random logits
 * (accuracy_score, precision_score, recall_score and f1_score with average="weighted", log_loss of the softmax). */
#include "test_passes_support.h"

#include <math.h>

#include "cosim/metrics.h"

static weir_metrics metrics_of(int64_t frames, int64_t classes, const double *outputs, const double *labels) {
    weir_array *y = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {frames, classes}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {frames}});
    for (size_t i = 0; i < y->count; i++) weir_array_set(y, i, outputs[i]);
    for (size_t i = 0; i < t->count; i++) weir_array_set(t, i, labels[i]);
    const weir_scoring scoring = {.entries = 1, .values = classes, .scale = 1};
    weir_metrics m = weir_metrics_of(&scoring, y, t, frames);
    weir_array_free(y);
    weir_array_free(t);
    return m;
}

/* Of four frames with one value each. */
static weir_metrics score(const weir_scoring *scoring, const double *outputs, const double *labels) {
    weir_array *y = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {4, 1}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {4}});
    for (size_t i = 0; i < 4; i++) {
        weir_array_set(y, i, outputs[i]);
        weir_array_set(t, i, labels[i]);
    }
    weir_metrics m = weir_metrics_of(scoring, y, t, 4);
    weir_array_free(y);
    weir_array_free(t);
    return m;
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) < 1e-13)) fail_msg("expected %.17g, found %.17g", expected, found);
}

static void assert_metrics(const weir_metrics *m, double accuracy, double precision, double recall, double f1) {
    assert_near(m->accuracy, accuracy);
    assert_near(m->precision, precision);
    assert_near(m->recall, recall);
    assert_near(m->f1, f1);
}

/* One-hot frames from a confusion matrix, rows labels, columns what is named. */
static weir_metrics metrics_of_confusion(int64_t classes, const int *matrix) {
    double outputs[64 * 4] = {0}, labels[64] = {0};
    int64_t frames = 0;
    for (int64_t cell = 0; cell < classes * classes; cell++) {
        for (int i = 0; i < matrix[cell]; i++, frames++) {
            labels[frames] = (double)(cell / classes);
            outputs[frames * classes + cell % classes] = 1;
        }
    }
    return metrics_of(frames, classes, outputs, labels);
}

/* Precision 2/2, 1/2, 5/6 and F1 4/5, 2/4, 10/11 of classes with shares .3, .2, .5. */
static void by_hand(void **state) {
    (void)state;
    weir_metrics m = metrics_of_confusion(3, (int[]){2, 1, 0, 0, 1, 1, 0, 0, 5});
    assert_metrics(&m, 0.8, 0.3 + 0.1 + 2.5 / 6, 0.8, 0.24 + 0.1 + 5.0 / 11);
    /* one-hot: log(e + 2) - 1 where right, log(e + 2) where wrong */
    assert_near(m.loss, log(exp(1) + 2) - 0.8);
}

static void all_right_and_all_wrong(void **state) {
    (void)state;
    weir_metrics right = metrics_of_confusion(2, (int[]){3, 0, 0, 4});
    assert_metrics(&right, 1, 1, 1, 1);
    weir_metrics wrong = metrics_of_confusion(2, (int[]){0, 3, 4, 0});
    assert_metrics(&wrong, 0, 0, 0, 0);
}

/* Class 3 labels no frame, class 4 is never named. */
static void as_scikit_learn(void **state) {
    (void)state;
    static const double outputs[24 * 5] = {
        1.75,  0.5,   2.0,   -0.25, -8.25, 3.0,   -1.0,  -0.25, 1.0,  -7.5,  0.0,   0.75,  -0.75, 1.0,  -9.0,
        -1.75, 2.25,  0.75,  -0.5,  -9.0,  0.0,   0,     1.5,   0.75, -7.75, 1.0,   1.75,  -1.0,  0.5,  -7.5,
        -0.25, 1.25,  0.25,  -2.5,  -7.25, 0.5,   -1.75, 0.0,   -1.0, -7.25, -2.0,  -1.0,  0.75,  1.25, -10.25,
        -0.5,  0.25,  -0.5,  1.5,   -9.25, 2.25,  -1.0,  1.5,   0,    -8.25, -1.75, 3.75,  0.75,  0.75, -6.75,
        0.25,  -0.75, -0.75, -0.75, -6.75, -1.5,  1.5,   -0.25, 0.25, -7.5,  -1.25, -1.75, 2.0,   1.25, -7.25,
        0.25,  -0.25, 0.25,  -0.25, -5.25, -0.75, 0.25,  0,     0.5,  -7.75, 2.5,   1.5,   1.5,   -2.0, -8.25,
        -0.5,  2.5,   -2.25, 1.25,  -7.0,  0.75,  -1.0,  -0.75, 0.0,  -7.25, 4.0,   -0.25, 0.75,  0.25, -6.25,
        0.75,  1.25,  -1.0,  -0.25, -6.75, 1.5,   0.75,  -0.25, -0.5, -7.5,  1.25,  -1.0,  0.5,   2.5,  -8.25};
    static const double labels[24] = {0, 0, 2, 1, 0, 1, 1, 0, 2, 0, 0, 1, 1, 1, 2, 4, 0, 1, 1, 0, 0, 4, 0, 0};
    weir_metrics m = metrics_of(24, 5, outputs, labels);
    assert_metrics(&m, 0.5416666666666666, 0.6329365079365079, 0.5416666666666666, 0.5833333333333334);
    assert_near(m.loss, 1.5376610718381862);
}

/* exp(1000) is infinite in float64. */
static void large_logits(void **state) {
    (void)state;
    weir_metrics m = metrics_of(2, 2, (double[]){1000, 0, 0, -1000}, (double[]){0, 1});
    assert_near(m.loss, 500);
    assert_near(m.accuracy, 0.5);
}

static void label_without_an_output(void **state) {
    (void)state;
    weir_metrics m = metrics_of(2, 2, (double[]){1, 0, 1, 0}, (double[]){0, 7});
    assert_metrics(&m, 0.5, 0.25, 0.5, 1.0 / 3);
    assert_true(isnan(m.loss));
    json_t *object = weir_metrics_json(&(weir_scoring){.kind = WEIR_SCORING_LARGEST, .values = 2}, &m);
    assert_true(json_is_null(json_object_get(object, "loss")));
    assert_near(json_number_value(json_object_get(object, "precision")), 0.25);
    json_decref(object);
}

/* The first of equal outputs is named. */
static void ties(void **state) {
    (void)state;
    weir_metrics m = metrics_of(1, 3, (double[]){0, 2, 2}, (double[]){1});
    assert_metrics(&m, 1, 1, 1, 1);
}

/* Labels 1 0 1 1 of two classes, named 1 1 0 1 by values above 0: precision 2/3 and 0 of shares 3/4 and 1/4. Losses by
 * hand: softplus(-z) where the label is 1, softplus(z) where it is 0. */
static void one_logit(void **state) {
    (void)state;
    const weir_scoring scoring = {.kind = WEIR_SCORING_LOGIT, .entries = 1, .values = 1, .scale = 1};
    static const double z[4] = {2, 0.25, -1, 0.125}, label[4] = {1, 0, 1, 1};
    weir_metrics m = score(&scoring, z, label);
    assert_metrics(&m, 0.5, 0.75 * 2 / 3, 0.5, 0.75 * 2 / 3);
    assert_near(m.loss, (log1p(exp(-2)) + log1p(exp(0.25)) + log1p(exp(1)) + log1p(exp(-0.125))) / 4);
}

/* 0.5 itself is class 0, as argmax of the two probabilities has it; the logarithm of 0 counts -100, as PyTorch has it.
 * */
static void one_probability(void **state) {
    (void)state;
    const weir_scoring scoring = {.kind = WEIR_SCORING_PROBABILITY, .entries = 1, .values = 1, .scale = 1};
    static const double p[4] = {0.75, 0.5, 0, 1}, label[4] = {1, 0, 1, 1};
    weir_metrics m = score(&scoring, p, label);
    assert_near(m.accuracy, 0.75);
    assert_near(m.loss, (-log(0.75) - log(0.5) + 100) / 4);
}

/* Codes of a probability: scale 1/256, zero point 0, as ONNX Runtime quantizes a sigmoid. */
static void one_probability_in_codes(void **state) {
    (void)state;
    const weir_scoring scoring = {
        .kind = WEIR_SCORING_PROBABILITY, .entries = 1, .values = 1, .scale = 1.0 / 256, .zero = 0};
    static const double code[4] = {200, 128, 129, 0}, label[4] = {1, 0, 1, 0};
    weir_metrics m = score(&scoring, code, label);
    assert_near(m.accuracy, 1);
}

static void the_class_itself(void **state) {
    (void)state;
    const weir_scoring scoring = {.kind = WEIR_SCORING_INDEX, .entries = 1, .values = 1, .scale = 1};
    static const double named[4] = {3, 7, 3, 1000000}, label[4] = {3, 7, 7, 1000000};
    weir_metrics m = score(&scoring, named, label);
    assert_near(m.accuracy, 0.75);
    assert_true(isnan(m.loss));
}

/* Ten shares of 0.1 are less than 1 as a sum of float64; all right is 1. */
static void ten_shares(void **state) {
    (void)state;
    int counts[100] = {0};
    for (int c = 0; c < 10; c++) counts[11 * c] = 1;
    const weir_metrics m = metrics_of_confusion(10, counts);
    assert_true(m.accuracy == 1 && m.precision == 1 && m.recall == 1 && m.f1 == 1 && m.top5 == 1);
}

/* Every label its own class, every second one named right; with a search for each class this takes minutes. */
static void as_many_classes_as_frames(void **state) {
    (void)state;
    enum { FRAMES = 400000 };
    const weir_scoring scoring = {.kind = WEIR_SCORING_INDEX, .entries = 1, .values = 1, .scale = 1};
    weir_array *y = weir_array_new(WEIR_INT64, &(weir_shape){2, {FRAMES, 1}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {FRAMES}});
    for (size_t i = 0; i < FRAMES; i++) {
        const int64_t label = (int64_t)(i * 7919 % FRAMES) * 1000003;
        weir_array_set_int(t, i, label);
        weir_array_set_int(y, i, i % 2 == 0 ? label : -label - 1);
    }
    weir_metrics m = weir_metrics_of(&scoring, y, t, FRAMES);
    if (!(fabs(m.accuracy - 0.5) < 1e-9)) fail_msg("accuracy %.17g", m.accuracy);
    if (!(fabs(m.precision - 0.5) < 1e-9)) fail_msg("precision %.17g", m.precision);
    if (!(fabs(m.f1 - 0.5) < 1e-9)) fail_msg("f1 %.17g", m.f1);
    weir_array_free(y);
    weir_array_free(t);
}

/* Random numbers with ties, and what NumPy makes of them: labels among the first five of a stable sort, downwards; how
 * often each label is given each class. */
enum { NAMED = 12, CLASSES = 7 };
static const double random_outputs[NAMED * CLASSES] = {
    0.75, 1.25,  -2,    1.25,  -0.25, 0,     0.5,   -1,    2,     -2,   -1,   -0.5,  0.25,  -0.5,  -1.5, -2,    -2,
    -2,   -1.5,  2,     -1.25, 0.75,  1,     -1.25, -1,    -0.25, -1,   2,    -1.25, 1.75,  1.25,  1.5,  -1.75, -0.5,
    0.5,  0,     0.75,  0.75,  0.75,  -1.75, 2,     0.25,  1.75,  -1,   -0.5, 1.5,   -1.25, -1.75, -0.5, 0.75,  -1.5,
    1.5,  -0.75, -1.25, 0.25,  1.75,  1.75,  1.5,   -0.75, -2,    1.25, 1,    1.25,  -2,    -2,    0,    -0.75, -0.25,
    1.75, -1.25, 0,     -0.75, -0.75, 1.25,  -1.5,  -0.75, -1.5,  -1.5, -1,   0.75,  0.25,  -0.25, -1.5, 1.25};
static const double random_labels[NAMED] = {5, 1, 0, 2, 1, 5, 3, 3, 2, 3, 6, 1};

static void top5_as_numpy(void **state) {
    (void)state;
    weir_metrics m = metrics_of(NAMED, CLASSES, random_outputs, random_labels);
    assert_near(m.top5, 0.75);
    m = metrics_of_confusion(3, (int[]){2, 1, 0, 0, 1, 1, 0, 0, 5});
    assert_true(isnan(m.top5) && isnan(m.auc));
}

static void confusion_as_numpy(void **state) {
    (void)state;
    weir_array *y = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {NAMED, CLASSES}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {NAMED}});
    for (size_t i = 0; i < y->count; i++) weir_array_set(y, i, random_outputs[i]);
    for (size_t i = 0; i < t->count; i++) weir_array_set(t, i, random_labels[i]);
    const weir_scoring scoring = {.entries = 1, .values = CLASSES, .scale = 1};
    json_t *found = weir_metrics_confusion(&scoring, y, t, NAMED);
    json_t *expected =
        json_loads("{\"classes\": [0, 1, 2, 3, 5, 6], \"counts\": [[0, 0, 0, 0, 1, 0], [0, 2, 0, 0, 0, 1],"
                   "[1, 0, 0, 0, 0, 1], [1, 0, 0, 0, 1, 1], [0, 1, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0]]}",
                   0, NULL);
    assert_true(json_equal(found, expected));
    json_decref(found);
    json_decref(expected);
    const weir_scoring regression = {.kind = WEIR_SCORING_NUMBER, .entries = 1, .values = CLASSES, .scale = 1};
    assert_null(weir_metrics_confusion(&regression, y, t, NAMED));
    weir_array_free(y);
    weir_array_free(t);
}

/* Every pair of an entry of class 1 and one of class 0, compared in NumPy. */
static void auc_as_numpy(void **state) {
    (void)state;
    enum { ENTRIES = 14 };
    static const double value[ENTRIES] = {1, -2, -1, 2, 1.5, -2, 1.5, 1.5, 0, -0.5, 2, 2, 1, -0.5},
                        label[ENTRIES] = {0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0};
    weir_array *y = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {ENTRIES, 1}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {ENTRIES}});
    for (size_t i = 0; i < ENTRIES; i++) {
        weir_array_set(y, i, value[i]);
        weir_array_set(t, i, label[i]);
    }
    const weir_scoring scoring = {.kind = WEIR_SCORING_LOGIT, .entries = 1, .values = 1, .scale = 1};
    weir_metrics m = weir_metrics_of(&scoring, y, t, ENTRIES);
    assert_near(m.auc, 0.7604166666666666);
    for (size_t i = 0; i < ENTRIES; i++) weir_array_set(t, i, 1);
    m = weir_metrics_of(&scoring, y, t, ENTRIES);
    assert_true(isnan(m.auc));
    weir_array_free(y);
    weir_array_free(t);
}

/* Errors 0.5, -2, 0 and 1. */
static void largest_error(void **state) {
    (void)state;
    const weir_scoring scoring = {.kind = WEIR_SCORING_NUMBER, .entries = 1, .values = 1, .scale = 1};
    static const double found[4] = {1.5, 0, 3, 5}, label[4] = {1, 2, 3, 4};
    weir_metrics m = score(&scoring, found, label);
    assert_near(m.max_error, 2);
    assert_near(m.rmse, sqrt(5.25 / 4));
}

/* Errors 7/24, 7/6, 7/24, 33/16, 5/24, 17/48, 2/3 and 11/24 by NumPy: of 16 pairs 10 larger, 1 equal. */
static void anomaly(void **state) {
    (void)state;
    enum { ENTRIES = 8, VALUES = 3 };
    static const double in[ENTRIES * VALUES] = {-0.5, 1.5, 2, -1, -1.5, 0.5, 1,   1,    0.5, 1, 2, 2,
                                                2,    1.5, 1, 2,  -2,   -2,  1.5, -0.5, 1,   0, 2, -2},
                                     out[ENTRIES * VALUES] = {-0.25, 0.75, 1.5,  0,    -2,   2,    0.75, 1.5,
                                                              1.25,  0.25, 4.25, 2.75, 2.75, 1.25, 1,    2.5,
                                                              -1.25, -2.5, 1.5,  0.5,  2,    0.75, 1.5,  -1.25},
                                     label[ENTRIES] = {1, 0, 0, 1, 0, 1, 1, 0},
                                     error[ENTRIES] = {7.0 / 24, 7.0 / 6,   7.0 / 24, 33.0 / 16,
                                                       5.0 / 24, 17.0 / 48, 2.0 / 3,  11.0 / 24};
    weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {ENTRIES, VALUES}});
    weir_array *y = weir_array_new(WEIR_FLOAT64, &(weir_shape){2, {ENTRIES, VALUES}});
    weir_array *t = weir_array_new(WEIR_INT64, &(weir_shape){1, {ENTRIES}});
    for (size_t i = 0; i < ENTRIES * VALUES; i++) {
        weir_array_set(x, i, in[i]);
        weir_array_set(y, i, out[i]);
    }
    for (size_t i = 0; i < ENTRIES; i++) weir_array_set(t, i, label[i]);
    const weir_scoring scoring = {.kind = WEIR_SCORING_ANOMALY, .entries = 1, .values = VALUES, .scale = 1};
    weir_array *errors = weir_scoring_errors(&scoring, y, x, ENTRIES);
    for (size_t i = 0; i < ENTRIES; i++) assert_near(weir_array_get(errors, i), error[i]);
    const weir_metrics m = weir_metrics_of(&scoring, errors, t, ENTRIES);
    assert_near(m.auc, 10.5 / 16);
    assert_true(isnan(m.accuracy));
    weir_array_free(errors);
    weir_array_free(x);
    weir_array_free(y);
    weir_array_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(by_hand),
        TEST(all_right_and_all_wrong),
        TEST(ten_shares),
        TEST(as_scikit_learn),
        TEST(large_logits),
        TEST(label_without_an_output),
        TEST(ties),
        TEST(one_logit),
        TEST(one_probability),
        TEST(one_probability_in_codes),
        TEST(the_class_itself),
        TEST(as_many_classes_as_frames),
        TEST(top5_as_numpy),
        TEST(confusion_as_numpy),
        TEST(auc_as_numpy),
        TEST(largest_error),
        TEST(anomaly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
