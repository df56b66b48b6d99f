/* Every evaluation of the cost model against ZigZag's own, in its order (tests/dse/README.md), and what pipelines
 * refuse. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "common/text_pair.h"
#include "dse/stages/explore.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static char *path_of(const char *folder, const char *name, const char *end) {
    return weir_format("%s/tests/dse/%s/%s%s", getenv("WEIR_SOURCE"), folder, name, end);
}

typedef struct reader {
    gzFile file;
    int rows, wrong;
    double fault; /* added to what is expected: a planted fault */
} reader;

static bool close_to(double found, double expected) { return fabs(found - expected) <= 1e-12 * fabs(expected); }

static bool compare(void *user, const weir_dse_result *result) {
    reader *r = user;
    char line[256];
    double e[4];
    const weir_dse_cost *c = &result->evaluation->cost;
    if (gzgets(r->file, line, sizeof line) == NULL) return false;
    if (sscanf(line, "%lf %lf %lf %lf", &e[0], &e[1], &e[2], &e[3]) != 4) return false;
    r->rows++;
    r->wrong += !close_to(c->energy, e[0] + r->fault) || !close_to(c->latency_computation, e[1]) ||
                !close_to(c->latency_loaded, e[2]) || !close_to(c->latency, e[3]);
    return true;
}

/* Rows that differ; *rows: how many there are. */
static int compare_file(const char *name, double fault, int *rows) {
    char *path = path_of("evaluations", name, ""), line[256], word[4][64], type[16], objective[16];
    reader r = {.file = gzopen(path, "rb"), .fault = fault};
    int limit;
    assert_non_null(r.file);
    assert_non_null(gzgets(r.file, line, sizeof line));
    assert_int_equal(sscanf(line, "%63s %63s %63s %d %15s %15s", word[0], word[1], word[2], &limit, objective, type),
                     6);
    char *accelerator = path_of("hardware", word[0], ".yaml"), *workload = path_of("workload", word[1], ".yaml");
    char *mapping = path_of("mapping", word[2], ".yaml");
    const weir_dse_request request = {.accelerator = accelerator,
                                      .workload = workload,
                                      .mapping = mapping,
                                      .stages = "workload,spatial_mapping_generator,loma,cost_model",
                                      .lpf_limit = limit,
                                      .spatial_mappings = 3,
                                      .even = strcmp(type, "even") == 0,
                                      .compatible = true};
    weir_dse_registry *registry = weir_dse_registry_new();
    weir_dse_pipeline *pipeline = weir_dse_explore_pipeline(registry, &request);
    assert_non_null(pipeline);
    assert_true(weir_dse_explore_run(pipeline, &request, compare, &r));
    assert_null(gzgets(r.file, line, sizeof line));
    weir_dse_pipeline_free(pipeline);
    weir_dse_registry_free(registry);
    gzclose(r.file);
    free(path);
    free(accelerator);
    free(workload);
    free(mapping);
    *rows = r.rows;
    return r.wrong;
}

static void every_evaluation_is_zigzags(void **state) {
    (void)state;
    char *folder = path_of("evaluations", "", "");
    DIR *directory = opendir(folder);
    int files = 0, rows = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strstr(entry->d_name, ".txt.gz") == NULL) continue;
        assert_int_equal(compare_file(entry->d_name, 0, &rows), 0);
        files++;
    }
    closedir(directory);
    free(folder);
    assert_int_equal(files, 8);
}

static void a_wrong_energy_is_found(void **state) {
    (void)state;
    int rows;
    assert_int_equal(compare_file("g_gemm_l1_l3.txt.gz", 1, &rows), 6);
    assert_int_equal(rows, 6);
}

/* Text of stages, and the error that it gives. */
static void wrong_compositions_are_refused(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"workload,cost_model", "stage 4 'cost_model' needs 'spatial_mapping', which no stage above it gives"},
        {"workload,sum", "stage 4 'sum' makes no results of its own: expected a stage below it"},
        {"workload,spatial_mapping_generator,loma,cost_model,sum",
         "stage 6 'cost_model' makes results: expected it last, found 'sum' below it"},
        {"workload,workload,cost_model", "stage 4 'workload' needs 'workload', which no stage above it gives"},
        {"workload,MinimalLatencyStag", "unknown stage 'MinimalLatencyStag'"},
        {"workload,loma{lpf_limit=x},cost_model",
         "stage 'temporal_mapping_generator': lpf_limit: expected a whole number of at least 0, found 'x'"},
        {"workload,loma{lpf_limits=3},cost_model", "stage 'temporal_mapping_generator' has no option 'lpf_limits'"},
        {"workload,loma{lpf_limit", "stages: expected 'lpf_limit=VALUE' or '}'"},
        {"workload,main,cost_model", "stage 4 'main': expected it first"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weir_dse_request request = {
            .accelerator = "a", .workload = "w.yaml", .mapping = "m", .stages = cases[i].text, .spatial_mappings = 3};
        weir_dse_registry *registry = weir_dse_registry_new();
        weir_diag_log *log = weir_diag_capture();
        assert_null(weir_dse_explore_pipeline(registry, &request));
        weir_diag_release(log);
        assert_string_equal(weir_diag_log_error(log), cases[i].expected);
        weir_diag_log_free(log);
        weir_dse_registry_free(registry);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_evaluation_is_zigzags),
                                       cmocka_unit_test(a_wrong_energy_is_found),
                                       cmocka_unit_test(wrong_compositions_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
