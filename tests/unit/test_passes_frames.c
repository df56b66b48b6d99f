/* Data files for the inputs of a graph: which array is which input's, which are labels and what labels say, and data
 * that is refused. Expected values are written out by hand. */
#include <math.h>

#include "cosim/metrics.h"
#include "test_passes_support.h"

#define FILE_NPZ "test_passes_frames.npz"
#define FILE_A "test_passes_frames_a.npy"
#define FILE_B "test_passes_frames_b.npy"

enum { FRAMES = 6 };

static weir_array *numbers(weir_dtype dtype, int64_t rows, int64_t columns, const double *values, double first) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, values != NULL ? values[i] : first + (double)i);
    return array;
}

/* Logits: y [1,columns] is the input x. */
static weir_graph *identity(int64_t columns, weir_op op) {
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "image", 1, columns);
    weir_graph_add_output(g, "result", ADD(g, op, "last", x));
    return g;
}

static weir_graph *sum(void) {
    weir_graph *g = weir_graph_new("g");
    weir_value a = add_real_input(g, "a", 1, 2), b = add_real_input(g, "b", 1, 2);
    weir_graph_add_output(g, "s", ADD(g, WEIR_OP_ADD, "add", a, b));
    return g;
}

/* An archive of arrays with the given names. */
static void write_archive(const char *const *names, const weir_array *const *arrays, size_t count) {
    weir_archive archive;
    weir_archive_init(&archive);
    for (size_t i = 0; i < count; i++) weir_archive_add(&archive, names[i], weir_array_copy(arrays[i]));
    assert_true(weir_npz_write(FILE_NPZ, &archive));
    weir_archive_free(&archive);
}

static double first_of(const weir_graph *g, const char *source) {
    weir_frames *frames = weir_frames_read(g, source);
    if (frames == NULL) fail_msg("%s", test_messages.data);
    double value = weir_array_get(weir_frames_arrays(frames)[0], 0);
    weir_frames_free(frames);
    return value;
}

/* Labels first in the file, data under several names: the input's own name comes first, then x, then the only one. */
static void the_array_of_data(void **state) {
    (void)state;
    static const struct {
        const char *names[3];
        double first; /* of the array that is read; each starts with 100 times its place */
    } cases[] = {{{"y", "x", "image"}, 200},  {{"y", "x", "other"}, 100},        {{"labels", "other", "y_test"}, 100},
                 {{"Target", "X", "u"}, 100}, {{"other", "features", "u"}, 100}, {{"y", "y_train", "image"}, 200}};
    weir_graph *g = identity(2, WEIR_OP_IDENTITY);
    const weir_array *arrays[3];
    for (size_t i = 0; i < 3; i++) arrays[i] = numbers(WEIR_FLOAT32, FRAMES, 2, NULL, 100 * (double)i);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_archive(cases[i].names, arrays, 3);
        if (first_of(g, FILE_NPZ) != cases[i].first) fail_msg("case %zu: %g", i, first_of(g, FILE_NPZ));
    }
    write_archive((const char *const[]){"u", "v", "y"}, arrays, 3);
    assert_true(first_of(g, FILE_NPZ ":v") == 100);
    assert_true(first_of(g, FILE_NPZ ":y") == 200);
    assert_null(weir_frames_read(g, FILE_NPZ));
    assert_error("no array matches input 'image': found 'u', 'v', 'y'");
    for (size_t i = 0; i < 3; i++) weir_array_free((weir_array *)(uintptr_t)arrays[i]);
    weir_graph_free(g);
}

/* --- labels --- */

typedef struct label_case {
    const char *name;
    weir_dtype dtype;
    int64_t rows, columns;
    double value[3 * FRAMES];
    double expected[FRAMES]; /* classes; -9: none are used */
    const char *message;     /* part of what is said; NULL: nothing */
} label_case;

static void check_labels(const weir_graph *g, const label_case *c, int64_t columns) {
    test_setup(NULL);
    weir_array *x = numbers(WEIR_FLOAT32, FRAMES, columns, NULL, 0);
    weir_array *y = numbers(c->dtype, c->rows, c->columns, c->value, 0);
    write_archive((const char *const[]){c->name, "x"}, (const weir_array *const[]){y, x}, 2);
    weir_frames *frames = weir_frames_read(g, FILE_NPZ);
    assert_non_null(frames);
    weir_scoring scoring = weir_scoring_of(g);
    weir_array *labels = weir_labels_read(frames, &scoring);
    const char *said = test_messages.data;
    if (c->message == NULL ? *said != '\0' : strstr(said, c->message) == NULL) fail_msg("%s: '%s'", c->name, said);
    if ((labels == NULL) != (c->expected[0] == -9)) fail_msg("%s: labels are %s", c->name, labels ? "used" : "left");
    for (size_t i = 0; labels != NULL && i < FRAMES; i++)
        assert_int_equal(weir_array_get_int(labels, i), (int64_t)c->expected[i]);
    weir_array_free(labels);
    weir_frames_free(frames);
    weir_array_free(x);
    weir_array_free(y);
}

/* Of a graph with so many columns. */
static void check_all_labels(int64_t columns, weir_op op, const label_case *cases, size_t count) {
    weir_graph *g = identity(columns, op);
    for (size_t i = 0; i < count; i++) check_labels(g, &cases[i], columns);
    weir_graph_free(g);
}

static void labels_of_three_classes(void **state) {
    (void)state;
    static const label_case cases[] = {
        {"y", WEIR_INT64, 6, 1, {0, 1, 2, 2, 1, 0}, {0, 1, 2, 2, 1, 0}, NULL},
        {"labels", WEIR_FLOAT64, 6, 1, {0, 1, 2, 2, 1, 0}, {0, 1, 2, 2, 1, 0}, NULL},
        {"Label", WEIR_UINT8, 1, 6, {0, 1, 2, 2, 1, 0}, {0, 1, 2, 2, 1, 0}, NULL},
        {"targets",
         WEIR_FLOAT32,
         6,
         3,
         {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0},
         {0, 1, 2, 2, 1, 0},
         NULL},
        {"y", WEIR_INT8, 6, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1}, {-9}, "frame 3 has a row other than one 1"},
        {"y", WEIR_FLOAT32, 6, 1, {0, 1, 2, 0.5}, {-9}, "frame 3 has 0.5, expected a whole number"},
        {"y",
         WEIR_INT64,
         5,
         1,
         {0, 1, 2, 2, 1},
         {-9},
         "labels 'y' of shape [5,1] are not used: expected one for each of 6"},
        {"y", WEIR_INT64, 7, 1, {0}, {-9}, "labels 'y' of shape [7,1] are not used"},
        {"y",
         WEIR_INT64,
         6,
         1,
         {0, 1, 7, 2, -1, 0},
         {0, 1, 7, 2, -1, 0},
         "2 of 6 name no class, the first at frame 2: 7, expected 0 to 2"},
        {"y", WEIR_INT64, 6, 1, {3, 1, 2, 2, 1, 3}, {3, 1, 2, 2, 1, 3}, "are the classes counted from 1?"},
    };
    check_all_labels(3, WEIR_OP_IDENTITY, cases, sizeof cases / sizeof *cases);
}

static void labels_of_two_classes(void **state) {
    (void)state;
    static const label_case cases[] = {
        {"class", WEIR_INT64, 6, 1, {0, 1, 1, 0, 1, 0}, {0, 1, 1, 0, 1, 0}, NULL},
        {"y", WEIR_FLOAT32, 6, 1, {-1, 1, 1, -1, 1, -1}, {0, 1, 1, 0, 1, 0}, NULL},
        {"y", WEIR_BOOL, 6, 1, {0, 1, 1, 0, 1, 0}, {0, 1, 1, 0, 1, 0}, NULL},
        {"y", WEIR_FLOAT64, 6, 2, {1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0}, {0, 1, 1, 0, 1, 0}, NULL},
        {"y", WEIR_INT64, 6, 1, {1, 2, 2, 1, 2, 1}, {1, 2, 2, 1, 2, 1}, "are the classes counted from 1?"},
    };
    check_all_labels(1, WEIR_OP_SIGMOID, cases, sizeof cases / sizeof *cases);
}

/* x_test goes with y_test. */
static void labels_of_the_same_part(void **state) {
    (void)state;
    weir_graph *g = identity(2, WEIR_OP_IDENTITY);
    weir_array *x = numbers(WEIR_FLOAT32, FRAMES, 2, NULL, 0), *y = numbers(WEIR_INT64, FRAMES, 1, NULL, 0);
    write_archive((const char *const[]){"y", "y_train", "y_test", "x_train", "x_test"},
                  (const weir_array *const[]){x, x, y, x, x}, 5);
    weir_frames *frames = weir_frames_read(g, FILE_NPZ ":x_test");
    const char *name = NULL;
    assert_non_null(frames);
    assert_non_null(weir_frames_labels(frames, &name));
    assert_string_equal(name, "y_test");
    weir_frames_free(frames);
    weir_array_free(x);
    weir_array_free(y);
    weir_graph_free(g);
}

/* Labels that are named come before those that come along; an archive of labels needs no name. */
static void labels_from_another_file(void **state) {
    (void)state;
    static const char *const sources[] = {FILE_NPZ ":x\ny=" FILE_A, "y=" FILE_A "\n" FILE_NPZ,
                                          FILE_NPZ ",labels=" FILE_A};
    weir_graph *g = identity(2, WEIR_OP_IDENTITY);
    weir_array *x = numbers(WEIR_FLOAT32, FRAMES, 2, NULL, 0), *y = numbers(WEIR_INT64, FRAMES, 1, NULL, 7);
    weir_array *other = numbers(WEIR_INT64, FRAMES, 1, NULL, 0);
    assert_true(weir_npy_write(FILE_A, y));
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        write_archive((const char *const[]){i == 2 ? "z" : "y", "x"}, (const weir_array *const[]){other, x}, 2);
        weir_frames *frames = weir_frames_read(g, sources[i]);
        if (frames == NULL) fail_msg("%s: %s", sources[i], test_messages.data);
        const char *name = NULL;
        const weir_array *found = weir_frames_labels(frames, &name);
        assert_non_null(found);
        assert_true(weir_array_get(found, 0) == 7);
        assert_true(weir_array_get(weir_frames_arrays(frames)[0], 1) == 1);
        weir_frames_free(frames);
    }
    weir_array_free(x);
    weir_array_free(y);
    weir_array_free(other);
    weir_graph_free(g);
}

/* NumPy's: names of classes and an array of objects beside x, which starts with 3. */
static void arrays_of_strings_are_left_out(void **state) {
    (void)state;
    weir_graph *g = identity(2, WEIR_OP_IDENTITY);
    char *path = weir_format("%s/tests/unit/data/numpy_strings.npz", getenv("WEIR_SOURCE"));
    assert_true(first_of(g, path) == 3);
    static const char *const said[] = {"warning: left out: 'names.npy': element type '<U3' is not supported",
                                       "warning: left out: 'objects.npy': the array holds Python objects"};
    for (size_t i = 0; i < 2; i++)
        if (strstr(test_messages.data, said[i]) == NULL) fail_msg("%s", test_messages.data);
    free(path);
    weir_graph_free(g);
}

/* --- outputs --- */

/* Above 0.5 behind a sigmoid and in codes that stand for 0 to 1; above 0 elsewhere. */
static void thresholds_come_from_the_graph(void **state) {
    (void)state;
    static const struct {
        weir_op op;
        double scale; /* of QuantizeLinear and DequantizeLinear behind it, 0: none */
        weir_dtype dtype;
        weir_scoring_kind kind;
    } cases[] = {{WEIR_OP_SIGMOID, 0, WEIR_UINT8, WEIR_SCORING_PROBABILITY},
                 {WEIR_OP_HARD_SIGMOID, 0.1, WEIR_INT8, WEIR_SCORING_PROBABILITY},
                 {WEIR_OP_SIGMOID, 1.0 / 256, WEIR_UINT8, WEIR_SCORING_PROBABILITY},
                 {WEIR_OP_IDENTITY, 1.0 / 256, WEIR_UINT8, WEIR_SCORING_PROBABILITY},
                 {WEIR_OP_IDENTITY, 0, WEIR_UINT8, WEIR_SCORING_LOGIT},
                 {WEIR_OP_TANH, 0, WEIR_UINT8, WEIR_SCORING_LOGIT},
                 {WEIR_OP_SIGN, 0, WEIR_UINT8, WEIR_SCORING_LOGIT},
                 {WEIR_OP_RELU, 0.25, WEIR_UINT8, WEIR_SCORING_LOGIT},
                 {WEIR_OP_IDENTITY, 0.25, WEIR_INT8, WEIR_SCORING_LOGIT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = weir_graph_new("g");
        weir_value v = ADD(g, cases[i].op, "last", add_real_input(g, "x", 1, 1));
        if (cases[i].scale > 0) v = add_qdq(g, "q", v, cases[i].scale, cases[i].dtype, 0);
        weir_graph_add_output(g, "y", v);
        weir_scoring scoring = weir_scoring_of(g);
        if (scoring.kind != cases[i].kind) fail_msg("case %zu: kind %d", i, (int)scoring.kind);
        weir_graph_free(g);
    }
}

/* --- several inputs, and data that is refused --- */

static void several_inputs(void **state) {
    (void)state;
    weir_graph *g = sum();
    weir_array *a = numbers(WEIR_FLOAT32, FRAMES, 2, NULL, 10), *b = numbers(WEIR_INT64, FRAMES, 2, NULL, 500);
    assert_true(weir_npy_write(FILE_A, a) && weir_npy_write(FILE_B, b));
    write_archive((const char *const[]){"b", "y", "a"}, (const weir_array *const[]){b, b, a}, 3);
    static const char *const sources[] = {FILE_NPZ,
                                          "a=" FILE_A ",b=" FILE_B,
                                          "b=" FILE_B "\na=" FILE_A,
                                          "a=" FILE_NPZ ",b=" FILE_NPZ ":b",
                                          FILE_NPZ ",b=" FILE_B,
                                          "a=" FILE_A "\n" FILE_NPZ};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        weir_frames *frames = weir_frames_read(g, sources[i]);
        if (frames == NULL) fail_msg("%s: %s", sources[i], test_messages.data);
        weir_executor *executor = weir_executor_new(g);
        weir_array *s;
        assert_true(weir_executor_run_batch(executor, weir_frames_arrays(frames), 0, &s));
        for (size_t e = 0; e < s->count; e++) assert_true(weir_array_get(s, e) == 510 + 2 * (double)e);
        weir_array_free(s);
        weir_executor_free(executor);
        weir_frames_free(frames);
    }
    weir_array_free(a);
    weir_array_free(b);
    weir_graph_free(g);
}

static void assert_not_read(const weir_graph *g, const char *source, const char *message) {
    test_setup(NULL);
    assert_null(weir_frames_read(g, source));
    if (strstr(test_messages.data, message) == NULL) fail_msg("expected '%s', found '%s'", message, test_messages.data);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    weir_graph *g = sum(), *one = identity(2, WEIR_OP_IDENTITY);
    weir_array *a = numbers(WEIR_FLOAT32, FRAMES, 2, NULL, 0), *b = numbers(WEIR_FLOAT32, FRAMES - 1, 2, NULL, 0);
    assert_true(weir_npy_write(FILE_A, a) && weir_npy_write(FILE_B, b));
    assert_not_read(g, FILE_A, "no data for input 'a', one of the model's 2");
    assert_not_read(g, "a=" FILE_A, "no data for input 'b'");
    assert_not_read(g, "a=" FILE_A ",c=" FILE_A, "the model has no input 'c'");
    assert_not_read(g, "a=" FILE_A ",a=" FILE_A, "a second array 'a'");
    assert_not_read(g, "a=" FILE_A ",b=" FILE_B, "6 frames of input 'a', but 5 of input 'b'");
    assert_not_read(one, FILE_A "\n" FILE_B, "more than one file without NAME=");
    weir_array_free(a);
    weir_array_free(b);
    weir_graph_free(g);
    weir_graph_free(one);
}

static void data_must_be_finite(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *message;
    } cases[] = {{NAN, "array 'x', frame 4, element 1 is nan, expected a finite number"},
                 {INFINITY, "array 'x', frame 4, element 1 is inf"},
                 {-INFINITY, "array 'x', frame 4, element 1 is -inf"},
                 {1e300, "array 'x', frame 4, element 1 is 1e+300, expected a finite number that float32 holds"}};
    weir_graph *g = identity(2, WEIR_OP_IDENTITY);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_array *x = numbers(WEIR_FLOAT64, FRAMES, 2, NULL, 0);
        weir_array_set(x, 9, cases[i].value);
        write_archive((const char *const[]){"x"}, (const weir_array *const[]){x}, 1);
        assert_not_read(g, FILE_NPZ, cases[i].message);
        weir_array_free(x);
    }
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_array_of_data),
        TEST(labels_of_three_classes),
        TEST(labels_of_two_classes),
        TEST(labels_of_the_same_part),
        TEST(thresholds_come_from_the_graph),
        TEST(several_inputs),
        TEST(what_is_missing_is_named),
        TEST(data_must_be_finite),
        TEST(labels_from_another_file),
        TEST(arrays_of_strings_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
