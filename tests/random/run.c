/* Random graphs through random legal pipelines of graph passes: the verifier is clean after each pass, the text forms
 * of graph and pipeline round-trip, and results are what every pass promised: the same bits, or the same but for
 * rounding. run SEED COUNT [planted] prints the seed of a failure; `run SEED 1` repeats it. With `planted` a pass that
 * drops a Relu, one that breaks the IR and one that is out of its promise by an ulp run in between: all must be
 * found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/pass_stubs.h"
#include "common/round_trip.h"
#include "exec/exec.h"
#include "generator.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "pass/run/instrument.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

enum { MAX_PASSES = 7, MAX_OUTPUTS = 8, MAX_REGISTERED = 256 };

/* Relative error that a pass may add by rounding; a pipeline of several adds up. */
static const double rounding = 2e-4;

typedef struct outcome {
    size_t count;
    weir_array *output[MAX_OUTPUTS];
} outcome;

typedef struct trial {
    random_source r;
    weir_pass_registry *registry;
    weir_module *module;
    weir_array *input[4];
    weir_text pipeline;
    const char *what;                /* the failure */
    bool exact;                      /* all passes of the pipeline promise the same bits */
    uint64_t chosen[MAX_REGISTERED]; /* how often, by registration */
} trial;

static const weir_graph *graph_of(const trial *t) { return weir_module_graph(t->module, 0); }

static bool fails(trial *t, const char *what) {
    t->what = what;
    return false;
}

/* --- results --- */

static bool execute(const weir_graph *graph, weir_array *const *inputs, outcome *result) {
    weir_executor *executor = weir_executor_new(graph);
    result->count = 0;
    if (executor == NULL) return false;
    bool fine = weir_executor_run(executor, (const weir_array *const *)inputs);
    for (size_t i = 0; fine && i < weir_graph_output_count(graph) && i < MAX_OUTPUTS; i++)
        result->output[result->count++] = weir_array_copy(weir_executor_value(executor, weir_graph_output(graph, i)));
    weir_executor_free(executor);
    return fine;
}

static void release(outcome *result) {
    for (size_t i = 0; i < result->count; i++) weir_array_free(result->output[i]);
    result->count = 0;
}

static double magnitude(const weir_array *array) {
    double largest = 0;
    for (size_t i = 0; i < array->count; i++) {
        double value = fabs(weir_array_get(array, i));
        if (isfinite(value)) largest = fmax(largest, value);
    }
    return largest;
}

static bool same(const weir_array *a, const weir_array *b, bool exact) {
    if (a->dtype != b->dtype || !weir_shape_equal(&a->shape, &b->shape)) return false;
    if (exact) return memcmp(a->data, b->data, a->count * weir_dtype_size(a->dtype)) == 0;
    double most = rounding * (1 + fmax(magnitude(a), magnitude(b)));
    for (size_t i = 0; i < a->count; i++) {
        double x = weir_array_get(a, i), y = weir_array_get(b, i);
        if (isnan(x) != isnan(y) || (!isnan(x) && x != y && !(fabs(x - y) <= most))) return false;
    }
    return true;
}

static bool agree(const outcome *a, const outcome *b, bool exact) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!same(a->output[i], b->output[i], exact)) return false;
    }
    return true;
}

/* --- pipelines --- */

static void add_options(trial *t, const weir_pass_info *info, weir_text *text) {
    bool open = false;
    for (const weir_pass_option *o = info->options; o != NULL && o->name != NULL; o++) {
        if (!random_chance(&t->r, 30)) continue;
        char value[64] = "";
        if (o->kind == WEIR_PASS_BOOL) snprintf(value, sizeof value, "%s", random_chance(&t->r, 50) ? "true" : "false");
        if (o->kind == WEIR_PASS_INT && o->domain != NULL) {
            long long low = strtoll(o->domain, NULL, 10);
            const char *dots = strstr(o->domain, "..");
            long long high = dots != NULL && dots[2] != '\0' ? strtoll(dots + 2, NULL, 10) : low + 20;
            if (high > low + 20) high = low + 20;
            snprintf(value, sizeof value, "%lld", (long long)random_range(&t->r, low, high));
        }
        if (o->kind == WEIR_PASS_ENUM) {
            size_t words = 1;
            for (const char *c = o->domain; *c != '\0'; c++) words += *c == '|';
            const char *word = o->domain;
            for (int64_t i = random_range(&t->r, 0, (int64_t)words - 1); i > 0; i--) word = strchr(word, '|') + 1;
            snprintf(value, sizeof value, "%.*s", (int)strcspn(word, "|"), word);
        }
        if (value[0] == '\0') continue;
        weir_text_format(text, "%s%s=%s", open ? " " : "{", o->name, value);
        open = true;
    }
    if (open) weir_text_char(text, '}');
}

/* Passes that work on any graph, without files: those of graphs, of which reports would only print. */
static bool is_usable(const weir_pass_info *info) {
    return info->kind == WEIR_PASS_GRAPH && info->promise != WEIR_PASS_CHANGES &&
           strncmp(info->name, "report_", 7) != 0 && strncmp(info->name, "print_", 6) != 0;
}

static void make_pipeline(trial *t) {
    size_t count = weir_pass_registry_count(t->registry), usable = 0, list[MAX_REGISTERED];
    for (size_t i = 0; i < count && i < MAX_REGISTERED; i++) {
        if (is_usable(weir_pass_registry_at(t->registry, i))) list[usable++] = i;
    }
    bool nested = random_chance(&t->r, 60);
    t->exact = true;
    weir_text_add(&t->pipeline, nested ? "graph(" : "");
    int64_t length = random_range(&t->r, 1, MAX_PASSES);
    for (int64_t i = 0; i < length; i++) {
        size_t which = list[random_range(&t->r, 0, (int64_t)usable - 1)];
        const weir_pass_info *info = weir_pass_registry_at(t->registry, which);
        t->chosen[which]++;
        t->exact = t->exact && info->promise == WEIR_PASS_EXACT;
        weir_text_format(&t->pipeline, "%s%s", i > 0 ? "," : "", info->name);
        add_options(t, info, &t->pipeline);
    }
    if (nested) weir_text_char(&t->pipeline, ')');
}

/* Parses, checks that printing gives a text that parses to the same, runs. */
static bool run_pipeline(trial *t) {
    weir_pass *pass = weir_pass_parse(t->registry, t->pipeline.data, weir_at("pipeline", 1));
    if (pass == NULL) return fails(t, "the pipeline does not parse");
    weir_text once = {NULL, 0, 0}, twice = {NULL, 0, 0};
    weir_pass_print(pass, &once);
    weir_pass *again = weir_pass_parse(t->registry, once.data, weir_at("pipeline", 1));
    if (again != NULL) weir_pass_print(again, &twice);
    bool fine = again != NULL && strcmp(once.data, twice.data) == 0;
    weir_pass_free(again);
    weir_text_free(&once);
    weir_text_free(&twice);
    weir_pass_context *context = weir_pass_context_new(t->registry);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(context, verifier);
    weir_pass_context_set_level(context, (int)random_range(&t->r, 0, WEIR_PASS_LEVEL_MAX));
    if (!fine) fails(t, "the pipeline's text does not round-trip");
    else if (!weir_pass_run(context, pass, t->module)) fine = fails(t, "a pass fails");
    weir_pass_context_free(context);
    weir_pass_instrument_free(verifier);
    weir_pass_free(pass);
    return fine;
}

/* --- planted faults --- */

/* Drops the first Relu. */
static bool drop_relu(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_RELU) continue;
        weir_value_replace(graph, weir_node_output(graph, node, 0), weir_node_input(graph, node, 0));
        weir_graph_remove_node(graph, node);
        return true;
    }
    return true;
}

/* Off by a bit: every real constant one step up. */
static bool nudge(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    for (uint32_t id = 1, limit = weir_graph_value_limit(graph); id < limit; id++) {
        weir_value value = {id};
        if (!weir_value_exists(graph, value)) continue;
        const weir_array *old = weir_value_constant(graph, value);
        if (old == NULL || old->dtype != WEIR_FLOAT32) continue;
        weir_array *array = weir_array_copy(old);
        for (size_t i = 0; i < array->count; i++)
            weir_array_set(array, i, nextafterf((float)weir_array_get(array, i), INFINITY));
        weir_value with = weir_graph_add_constant(graph, "nudged", array);
        weir_array_free(array);
        weir_value_replace(graph, value, with);
    }
    return true;
}

static const weir_pass_info planted[] = {
    {.name = "drop_relu", .kind = WEIR_PASS_GRAPH, .run = {.graph = drop_relu}},
    {.name = "break_order", .kind = WEIR_PASS_GRAPH, .run = {.graph = break_order}},
    {.name = "nudge", .kind = WEIR_PASS_GRAPH, .run = {.graph = nudge}}};

/* --- trials --- */

static bool try(trial *t, uint64_t seed, const char *fault) {
    t->r = random_from(seed);
    weir_graph *graph = random_chance(&t->r, 75) ? random_float_graph(&t->r) : random_integer_graph(&t->r);
    t->module = weir_module_new("random");
    weir_module_add_graph(t->module, graph);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) t->input[i] = random_input(&t->r, graph, i);
    make_pipeline(t);
    if (fault != NULL) {
        weir_text_free(&t->pipeline);
        weir_text_add(&t->pipeline, fault);
        t->exact = true;
    }
    outcome before = {0}, after = {0};
    bool fine = text_round_trips(graph_of(t)) || fails(t, "the text form does not round-trip before the pipeline");
    fine = fine && (execute(graph_of(t), t->input, &before) || fails(t, "the graph does not execute"));
    fine = fine && run_pipeline(t);
    fine = fine && (text_round_trips(graph_of(t)) || fails(t, "the text form does not round-trip after the pipeline"));
    fine = fine && (execute(graph_of(t), t->input, &after) || fails(t, "the result does not execute"));
    fine = fine && (agree(&before, &after, t->exact) ||
                    fails(t, t->exact ? "results are not the same bits" : "results differ by more than rounding"));
    release(&before);
    release(&after);
    return fine;
}

static void finish(trial *t) {
    for (size_t i = 0; i < 4; i++) {
        weir_array_free(t->input[i]);
        t->input[i] = NULL;
    }
    weir_module_free(t->module);
    weir_text_free(&t->pipeline);
    t->module = NULL;
    t->what = NULL;
}

static void silent(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

/* Not the warnings: passes give some on random numbers. */
static void print_errors(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    if (diagnostic->severity != WEIR_SEVERITY_WARNING) printf("%s\n", diagnostic->text);
}

/* Every planted fault must be found at least once in these trials. */
static int run_planted(trial *t, uint64_t seed, uint64_t count) {
    int missed = 0;
    if (!weir_pass_registry_add_all(t->registry, planted, sizeof planted / sizeof *planted)) return 1;
    weir_diag_set_handler(silent, NULL);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        uint64_t found = 0;
        for (uint64_t k = 0; k < count; k++) {
            found += !try(t, seed + k, planted[i].name);
            finish(t);
        }
        printf("%s: found in %llu of %llu graphs\n", planted[i].name, (unsigned long long)found,
               (unsigned long long)count);
        missed += found == 0;
    }
    return missed > 0;
}

static void print_chosen(const trial *t) {
    printf("passes in the pipelines:");
    for (size_t i = 0; i < weir_pass_registry_count(t->registry) && i < MAX_REGISTERED; i++) {
        const weir_pass_info *info = weir_pass_registry_at(t->registry, i);
        if (is_usable(info)) printf(" %s %llu", info->name, (unsigned long long)t->chosen[i]);
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4 || (argc == 4 && strcmp(argv[3], "planted") != 0)) {
        fprintf(stderr, "usage: %s SEED COUNT [planted]\n", argv[0]);
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), wrong = 0, nodes = 0;
    trial t = {.registry = weir_pass_registry_new()};
    if (!weir_passes_register(t.registry)) return 1;
    if (argc == 4) {
        int status = run_planted(&t, seed, count);
        weir_pass_registry_free(t.registry);
        return status;
    }
    weir_diag_set_handler(print_errors, NULL);
    printf("random graphs, seeds %llu to %llu\n", (unsigned long long)seed, (unsigned long long)(seed + count - 1));
    clock_t start = clock();
    for (uint64_t k = 0; k < count && wrong < 10; k++) {
        if (!try(&t, seed + k, NULL)) {
            wrong++;
            printf("seed %llu: %s; pipeline %s\n", (unsigned long long)(seed + k), t.what,
                   t.pipeline.data == NULL ? "" : t.pipeline.data);
            fflush(stdout);
        }
        nodes += weir_graph_node_count(graph_of(&t));
        finish(&t);
    }
    print_chosen(&t);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%llu graphs, %llu nodes after their pipelines, %.3f ms of processor a graph, %llu wrong\n",
           (unsigned long long)count, (unsigned long long)nodes, 1000 * seconds / (double)count,
           (unsigned long long)wrong);
    weir_pass_registry_free(t.registry);
    return wrong > 0;
}
