/* What the tests of analyses share: a pipeline run on a graph, and the record that its last pass left. */
#ifndef WEIR_TEST_PASSES_ANALYSIS_H
#define WEIR_TEST_PASSES_ANALYSIS_H

#include <math.h>

#include "support/file/file.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

/* Of a run; free with analysis_free. The module owns the graph. */
typedef struct analysis {
    weir_module *module;
    json_t *info; /* NULL when the run failed */
} analysis;

/* Runs the pipeline with an instrument on (NULL: none) and on the graphs (at most two), which it takes. */
static inline analysis analyse_with(weir_graph *first, weir_graph *second, const char *pipeline,
                                    weir_pass_instrument *instrument) {
    analysis a = {module_of_graph(first), NULL};
    if (second != NULL) weir_module_add_graph(a.module, second);
    pass_bench b = pass_bench_of_weir(a.module);
    if (instrument != NULL) weir_pass_context_add_instrument(b.context, instrument);
    if (pass_bench_run(&b, pipeline)) {
        const json_t *records = weir_pass_records(b.context);
        a.info = json_deep_copy(json_object_get(json_array_get(records, json_array_size(records) - 1), "info"));
    }
    pass_bench_stop(&b);
    return a;
}

static inline analysis analyse(weir_graph *graph, const char *pipeline) {
    analysis a = analyse_with(graph, NULL, pipeline, NULL);
    if (a.info == NULL) fail_msg("%s", test_messages.data);
    return a;
}

static inline void analysis_free(analysis *a) {
    json_decref(a->info);
    weir_module_free(a->module);
}

/* The pipeline fails with this one message from the pass (and one that names the pass). */
static inline void assert_refused(weir_graph *graph, const char *pipeline, const char *message) {
    test_setup(NULL);
    analysis a = analyse_with(graph, NULL, pipeline, NULL);
    assert_null(a.info);
    if (strstr(test_messages.data, message) == NULL) fail_msg("expected '%s', found '%s'", message, test_messages.data);
    analysis_free(&a);
}

/* Equal, but for the rounding of real numbers. */
static inline bool json_near(const json_t *a, const json_t *b) {
    if (json_is_real(a) && json_is_real(b))
        return fabs(json_real_value(a) - json_real_value(b)) <= 1e-12 * fabs(json_real_value(b));
    if (json_typeof(a) != json_typeof(b) || json_array_size(a) != json_array_size(b) ||
        json_object_size(a) != json_object_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++) {
        if (!json_near(json_array_get(a, i), json_array_get(b, i))) return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value) {
        const json_t *other = json_object_get(b, key);
        if (other == NULL || !json_near(value, other)) return false;
    }
    return json_is_array(a) || json_is_object(a) || json_equal((json_t *)a, (json_t *)b);
}

static inline void assert_json(const json_t *found, const char *expected) {
    json_t *wanted = json_loads(expected, JSON_DECODE_ANY, NULL);
    assert_non_null(wanted);
    if (found == NULL || !json_near(found, wanted)) {
        char *text = json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
        fail_msg("expected %s, found %s", expected, text == NULL ? "nothing" : text);
    }
    json_decref(wanted);
}

/* A file of the working folder. */
static inline void write_file(const char *path, const char *text) {
    assert_true(weir_file_write(path, text, strlen(text)));
}

#endif
