/* The passes of pass.def in threads: models imported, optimized and compiled to hardware graphs at the same time give
 * what each gives alone, byte for byte. */
#include <pthread.h>

#include "test_passes_support.h"

#include "cosim/semantics.h"
#include "frontend/import/onnx.h"
#include "pass/run/instrument.h"
#include "support/file/file.h"

static const char *const models[] = {"mlp_float",   "mlp_qdq",        "mlp_qoperator",    "mlp_qlinearmatmul",
                                     "mlp_bipolar", "mlp_qonnx_w4a4", "mlp_residual_qdq", "mlp_residual_qdq_relu"};
enum { MODELS = sizeof models / sizeof *models };

static weir_graph *import_model(const char *name) {
    char *path = weir_format("%s/tests/models/digits/%s.onnx", getenv("WEIR_SOURCE"), name);
    weir_graph *graph = weir_onnx_import(path, &(weir_onnx_options){.sizes.batch = 1});
    free(path);
    return graph;
}

static void print_module(const weir_module *module, const weir_pass *pass, weir_text *text) {
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        weir_pass_site site = {.pass = pass, .graph = weir_module_graph(module, i)};
        weir_pass_site_text(&site, text);
    }
}

/* Runs the pipeline at level 3 under verifier and semantic check; what is left, as text, which begins with "ok". */
static char *run(const char *pipeline, weir_module *module) {
    weir_text text = {0};
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_context_set_level(context, 3);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_instrument *semantics = weir_semantics_new(&(weir_semantics)WEIR_SEMANTICS_DEFAULTS);
    weir_pass_context_add_instrument(context, verifier);
    weir_pass_context_add_instrument(context, semantics);
    weir_pass *pass = weir_pass_parse(registry, pipeline, WEIR_NOWHERE);
    weir_diag_log *log = weir_diag_capture();
    bool ok = pass != NULL && weir_pass_run(context, pass, module);
    weir_diag_release(log);
    weir_text_add(&text, ok ? "ok\n" : "failed\n");
    for (size_t i = 0; i < weir_diag_log_count(log); i++)
        weir_text_format(&text, "%s\n", weir_diag_log_at(log, i)->text);
    if (ok) print_module(module, pass, &text);
    weir_pass_print_statistics(context, &text);
    weir_diag_log_free(log);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_pass_instrument_free(verifier);
    weir_pass_instrument_free(semantics);
    return text.data;
}

static char *compile(const char *name) {
    weir_module *module = weir_module_new(name);
    weir_graph *graph = import_model(name);
    weir_graph_set_name(graph, "model");
    weir_module_add_graph(module, graph);
    bool is_float = strcmp(name, "mlp_float") == 0;
    char *data = weir_format("%s/tests/models/digits/digits_calib.npz", getenv("WEIR_SOURCE"));
    char *pipeline =
        weir_format("%s%s%slower_integer,realize_requantize,choose_folding,insert_streams,size_fifos,default",
                    is_float ? "quantize{calibration=\"" : "", is_float ? data : "", is_float ? "\"}," : "");
    char *text = run(pipeline, module);
    free(pipeline);
    free(data);
    weir_module_free(module);
    return text;
}

static void *compile_in_thread(void *name) { return compile(name); }

static void models_compile_at_the_same_time(void **state) {
    (void)state;
    if (getenv("WEIR_SOURCE") == NULL) skip();
    char *alone[MODELS];
    pthread_t thread[2 * MODELS];
    for (size_t i = 0; i < MODELS; i++) {
        alone[i] = compile(models[i]);
        assert_memory_equal(alone[i], "ok\n", 3);
    }
    for (size_t i = 0; i < 2 * (size_t)MODELS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, compile_in_thread, (void *)(uintptr_t)models[i % MODELS]), 0);
    for (size_t i = 0; i < 2 * (size_t)MODELS; i++) {
        void *text;
        pthread_join(thread[i], &text);
        assert_string_equal(text, alone[i % MODELS]);
        free(text);
    }
    for (size_t i = 0; i < MODELS; i++) free(alone[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(models_compile_at_the_same_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
