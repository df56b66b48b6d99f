/* Threads: contexts in several threads, with a registry each or one for all, do what one context does. */
#include <pthread.h>
#include <stdio.h>

#include "test_passes_support.h"

#include "pass/run/instrument.h"
#include "test_pass_bench.h"

/* --- passes: what a pass may do, each of them --- */
static size_t number_of(const weir_graph *graph) { return (size_t)atoi(weir_graph_name(graph) + 1); }

/* Adds Relus behind the output: as many as the option says, or as the graph's number. */
static bool grow(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    int64_t count = weir_pass_int(pass, "count");
    for (int64_t i = 0; i < (count == 0 ? (int64_t)number_of(graph) % 3 + 1 : count); i++) {
        weir_graph_set_output(graph, 0, ADD(graph, WEIR_OP_RELU, "grown", weir_graph_output(graph, 0)));
        weir_pass_count(context, "nodes added", 1);
        if (number_of(graph) % 2 == 0) weir_pass_count(context, "of even graphs", 1);
    }
    return true;
}

static bool tell(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_warning(weir_at(weir_graph_name(graph), 1), "has %zu nodes", weir_graph_node_count(graph));
    weir_note("a hint");
    weir_text_format(weir_pass_output(context), "%s: %zu\n", weir_graph_name(graph), weir_graph_node_count(graph));
    json_object_set_new(weir_pass_record(context), "nodes", json_integer((json_int_t)weir_graph_node_count(graph)));
    weir_pass_unchanged(context);
    return true;
}

static bool build_anew(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    weir_graph *copy = weir_graph_copy(graph);
    weir_graph_set_output(copy, 0, ADD(copy, WEIR_OP_IDENTITY, "anew", weir_graph_output(copy, 0)));
    weir_pass_replace_graph(context, copy);
    return true;
}

static bool run_inner(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)graph;
    return run_pass_here(context, "needs-grow");
}

static bool fail_on_some(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    int64_t first = weir_pass_int(pass, "first");
    if ((int64_t)number_of(graph) < first) return tell(pass, context, graph);
    grow(pass, context, graph);
    weir_error(weir_at(weir_graph_name(graph), 3), "too large");
    return false;
}

static bool ask(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    const size_t *nodes = weir_pass_get_analysis(context, "node-count");
    const size_t *again = weir_pass_get_graph_analysis(context, "node-count", weir_pass_graph_of(context));
    if (nodes == NULL || nodes != again) return false;
    weir_text_format(weir_pass_output(context), "%s has %zu\n", weir_graph_name(graph), *nodes);
    weir_pass_unchanged(context);
    return true;
}

static bool of_module(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_text_format(weir_pass_output(context), "%s on %s\n", weir_pass_name(pass), weir_module_name(module));
    return true;
}

static void *count_nodes(weir_pass_context *context, weir_graph *graph) {
    (void)context;
    size_t *count = weir_calloc(1, sizeof *count);
    *count = weir_graph_node_count(graph);
    return count;
}

static const weir_pass_option grow_options[] = {{"count", WEIR_PASS_INT, "0", "0..9", "nodes"}, {.name = NULL}};
static const weir_pass_option fail_options[] = {
    {"count", WEIR_PASS_INT, "2", "0..9", "nodes"}, {"first", WEIR_PASS_INT, "5", NULL, "graph"}, {.name = NULL}};

#define GRAPH(name_, function, ...)                                                                                    \
    { .name = name_, .kind = WEIR_PASS_GRAPH, .run = {.graph = function}, __VA_ARGS__ }
static const weir_pass_info infos[] = {
    GRAPH("grow", grow, .options = grow_options),
    GRAPH("tell", tell, .preserves = ""),
    GRAPH("anew", build_anew, .preserves = "*"),
    GRAPH("needs-grow", tell, .requires = "grow"),
    GRAPH("inner", run_inner, .preserves = ""),
    GRAPH("fail", fail_on_some, .options = fail_options),
    GRAPH("ask", ask, .preserves = ""),
    {.name = "needs-module",
     .kind = WEIR_PASS_MODULE,
     .requires = "module-pass",
     .preserves = "*",
     .run = {.module = of_module}},
    {.name = "module-pass", .kind = WEIR_PASS_MODULE, .preserves = "*", .run = {.module = of_module}},
};
static const weir_pass_analysis node_count = {
    .name = "node-count", .kind = WEIR_PASS_GRAPH, .compute = {.graph = count_nodes}, .release = free};

static weir_pass_registry *make_registry(void) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos));
    assert_true(weir_pass_registry_add_analysis(registry, &node_count));
    assert_true(weir_pass_registry_add_pipeline(registry, WEIR_PASS_GRAPH, "tell-and-ask", "tell,ask", "both"));
    return registry;
}

/* g0, g1, ...: x -> Relu -> ... -> y of growing length. */
static weir_module *make_module(size_t graphs) {
    weir_module *module = weir_module_new("m");
    for (size_t i = 0; i < graphs; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%zu", i);
        weir_graph *graph = weir_graph_new(name);
        weir_value value = add_real_input(graph, "x", 1, 3);
        for (size_t k = 0; k <= i; k++) value = ADD(graph, WEIR_OP_RELU, "relu", value);
        weir_graph_add_output(graph, "y", value);
        weir_module_add_graph(module, graph);
    }
    return module;
}

/* Everything that a run leaves, as text. */
static char *trace(weir_pass_registry *registry, const char *pipeline, size_t graphs) {
    weir_text text = {0};
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_instrument *instrument[] = {weir_pass_verifier_new(), weir_pass_immutable_new(), weir_pass_timing_new()};
    for (size_t i = 0; i < 3; i++) weir_pass_context_add_instrument(context, instrument[i]);
    weir_pass *pass = weir_pass_parse(registry, pipeline, WEIR_NOWHERE);
    assert_non_null(pass);
    weir_module *module = make_module(graphs);
    weir_diag_log *log = weir_diag_capture();
    bool ok = weir_pass_run(context, pass, module);
    weir_text_format(&text, "ok %d, errors %zu, failed %s\n", ok, weir_diag_errors(),
                     ok ? "-" : weir_pass_failed_name(context));
    weir_diag_release(log);
    for (size_t i = 0; i < weir_diag_log_count(log); i++) {
        const weir_diagnostic *d = weir_diag_log_at(log, i);
        weir_text_format(&text, "%d %s:%d %s\n", (int)d->severity, d->location.file ? d->location.file : "-",
                         d->location.line, d->text);
    }
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        weir_pass_site site = {
            .context = context, .pass = pass, .module = module, .graph = weir_module_graph(module, i)};
        weir_pass_site_text(&site, &text);
        assert_true(weir_graph_verify(site.graph));
    }
    weir_pass_print_statistics(context, &text);
    char *records = json_dumps(weir_pass_records(context), JSON_INDENT(1));
    weir_text_add(&text, records);
    free(records);
    weir_text_add(&text, weir_pass_output(context)->size ? weir_pass_output(context)->data : "no output");
    weir_text times = {0}; /* names and numbers of runs, not times */
    weir_pass_timing_print(instrument[2], &times);
    for (char *line = strchr(times.data, '\n') + 1; *line; line = strchr(line, '\n') + 1)
        weir_text_format(&text, "%.*s\n", (int)strcspn(line, "\n") - 38, line + 38);
    weir_text_free(&times);
    weir_diag_log_free(log);
    weir_pass_context_free(context);
    for (size_t i = 0; i < 3; i++) weir_pass_instrument_free(instrument[i]);
    weir_pass_free(pass);
    weir_module_free(module);
    return text.data;
}

static const char *const pipelines[] = {
    "graph(grow,tell,anew,tell,grow{count=1})",
    "grow,tell,anew",
    "needs-grow,graph(needs-grow,ask,grow,needs-grow,ask)",
    "grow{count=3},graph(needs-grow,tell)",
    "graph(needs-grow,grow{count=2},tell),graph(anew,needs-grow)",
    "graph(inner,tell),inner",
    "graph(anew,anew,ask,anew,ask)",
    "graph(grow,fail,tell),tell",
    "graph(anew,fail{first=0},anew)",
    "tell,fail{first=3},tell",
    "module(graph(grow),graph(tell)),graph(graph(ask,anew),tell)",
    "module-pass,graph(grow,tell-and-ask),needs-module",
};

/* --- contexts in threads of their own --- */
typedef struct job {
    weir_pass_registry *registry;
    char *text;
} job;

static void *run_job(void *user) {
    job *j = user;
    weir_text all = {0};
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        char *text = trace(j->registry, pipelines[i], 5);
        weir_text_add(&all, text);
        free(text);
    }
    j->text = all.data;
    return NULL;
}

static void run_jobs(bool shared) {
    enum { JOBS = 6 };
    job jobs[JOBS + 1] = {{make_registry(), NULL}};
    pthread_t thread[JOBS + 1];
    run_job(&jobs[0]);
    weir_pass_registry *fresh = make_registry(); /* not checked yet: the first to run does it */
    for (size_t i = 1; i <= JOBS; i++) {
        jobs[i].registry = shared ? fresh : make_registry();
        assert_int_equal(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    }
    for (size_t i = 1; i <= JOBS; i++) {
        pthread_join(thread[i], NULL);
        assert_string_equal(jobs[i].text, jobs[0].text);
        free(jobs[i].text);
        if (!shared) weir_pass_registry_free(jobs[i].registry);
    }
    weir_pass_registry_free(fresh);
    weir_pass_registry_free(jobs[0].registry);
    free(jobs[0].text);
}

static void contexts_in_threads(void **state) {
    (void)state;
    run_jobs(false);
}

static void contexts_in_threads_with_one_registry(void **state) {
    (void)state;
    run_jobs(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(contexts_in_threads),
        TEST(contexts_in_threads_with_one_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
