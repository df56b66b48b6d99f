#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "cli/probe.h"
#include "pass/core/registry.h"
#include "regress/history.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

static const char help_text[] =
    "Finds the first execution of a pass after which the graph is wrong, by bisection. A graph is right when it\n"
    "computes the same bits as INPUT on random inputs, or on FILE with --data. After a pass that promises\n"
    "approximate results, differences of 1e-4 of the largest value are allowed; a pass that changes results on\n"
    "purpose sets a new reference. With --check, a graph is right when COMMAND exits with 0: the file of its\n"
    "text IR replaces {}, with the constants beside it. A pass that fails or crashes is wrong too. Exit status: 0\n"
    "the whole pipeline is right, 3 a culprit was found.\n"
    "With --git GOOD..BAD, INPUT is the SUITE.yaml of 'weir regress' in a git repository: finds the commit at\n"
    "which a point of it broke, in a clone of its own; commits that do not build are skipped.\n";

/* One execution of a pass in the whole run. */
typedef struct execution {
    const char *text; /* "pass (1) NAME on UNIT" */
    bool changes;     /* the pass promises other results */
} execution;

typedef struct search {
    weir_pipeline pipeline;
    weir_probe probe;
    const char *input;
    weir_cli_list data;
    weir_job_sizes sizes;
    const char *git, *build;
    weir_cli_list only;
    int64_t samples, seed;
    weir_outcome *reference;
    char *log;
    execution *of;
    int64_t count;
} search;

/* --- the executions --- */
static void add_execution(search *s, char *line) {
    static const char start[] = "BISECT: running ";
    char *name = strchr(line, ')'), *end = name == NULL ? NULL : strstr(name, " on ");
    if (strncmp(line, start, sizeof start - 1) != 0 || end == NULL) return;
    char *only = weir_format("%.*s", (int)(end - name - 2), name + 2);
    const weir_pass_info *info = weir_pass_registry_find(s->pipeline.registry, only);
    s->of = weir_realloc(s->of, (size_t)(s->count + 1) * sizeof *s->of);
    s->of[s->count++] = (execution){line + sizeof start - 1, info != NULL && info->promise == WEIR_PASS_CHANGES};
    free(only);
}

/* Answers whether the first `limit` executions leave the graph right; tells it. */
static bool ask(search *s, int64_t limit, bool *good) {
    weir_probe_result result;
    bool fine = weir_probe_run(&s->probe, limit, &result);
    if (fine && limit < 0) {
        s->log = result.log;
        result.log = NULL;
        for (char *line = strtok(s->log, "\n"); line != NULL; line = strtok(NULL, "\n")) add_execution(s, line);
        limit = s->count;
    }
    if (fine) {
        printf("first %lld of %lld: %s%s%.*s\n", (long long)limit, (long long)s->count, result.good ? "right" : "wrong",
               result.good ? "" : ": ", (int)strcspn(result.why, "\n"), result.why);
        fflush(stdout);
    }
    *good = result.good;
    weir_probe_free(&result);
    return fine;
}

static int tell_culprit(search *s, int64_t index) {
    weir_probe_result result;
    bool fine = weir_probe_run(&s->probe, index, &result);
    if (fine) {
        printf("culprit: %s\n%s%s%s", s->of[index - 1].text, result.why, *result.why == '\0' ? "" : "\n",
               result.executed == NULL ? "" : result.executed);
    }
    weir_probe_free(&result);
    return fine ? WEIR_EXIT_MISMATCH : WEIR_EXIT_INPUT;
}

/* Right after `low` executions, wrong after `high`. */
static int halve(search *s, int64_t low, int64_t high) {
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        bool good;
        if (!ask(s, middle, &good)) return WEIR_EXIT_INPUT;
        if (good) low = middle;
        else high = middle;
    }
    return tell_culprit(s, high);
}

/* Results are compared between passes that change them on purpose, so each stretch between such passes has a question
 * of its own. */
static int find(search *s) {
    bool good, whole;
    if (!ask(s, -1, &whole)) return WEIR_EXIT_INPUT;
    if (s->count == 0) {
        weir_error(WEIR_NOWHERE, "the pipeline runs no pass that could be skipped");
        return WEIR_EXIT_USAGE;
    }
    if (!ask(s, 0, &good)) return WEIR_EXIT_INPUT;
    if (!good) {
        weir_error(weir_at(s->input, 0), "the graph is wrong before any pass");
        return WEIR_EXIT_INPUT;
    }
    int64_t low = 0;
    for (int64_t end = 1; end < s->count && s->probe.check == NULL; end++) {
        if (!s->of[end].changes) continue;
        if (!ask(s, end, &good)) return WEIR_EXIT_INPUT;
        if (!good) return halve(s, low, end);
        low = end;
    }
    if (!whole) return halve(s, low, s->count);
    printf("no culprit\n");
    return WEIR_EXIT_FINE;
}

/* --- set-up --- */
static int measure(search *s) {
    const weir_graph *graph = weir_module_graph(s->probe.module, 0);
    if (s->data.count > 0) {
        char *source = weir_cli_list_join(&s->data);
        weir_frames *frames = weir_frames_read(graph, source);
        s->reference = frames == NULL ? NULL : weir_outcome_data(graph, frames);
        weir_frames_free(frames);
        free(source);
    } else {
        s->reference = weir_outcome_random(graph, (size_t)s->samples, (uint64_t)s->seed);
    }
    if (s->reference == NULL) return WEIR_EXIT_INPUT;
    s->probe.reference = s->reference;
    if (s->reference->obstacle == NULL) return WEIR_EXIT_FINE;
    weir_error(weir_at(s->input, 0), "the graph cannot be executed: %s", s->reference->obstacle);
    weir_note("use --check COMMAND to test something else");
    return WEIR_EXIT_INPUT;
}

static int search_in(search *s) {
    s->probe.module = weir_job_read_frames(s->input, &s->sizes);
    if (s->probe.module == NULL) return WEIR_EXIT_INPUT;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "bisect-");
    int status = scratch == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    s->probe.folder = scratch == NULL ? NULL : weir_scratch_path(scratch);
    s->probe.pipeline = &s->pipeline;
    s->probe.samples = (size_t)s->samples;
    s->probe.seed = (uint64_t)s->seed;
    if (status == WEIR_EXIT_FINE && s->probe.check == NULL) status = measure(s);
    if (status == WEIR_EXIT_FINE) status = find(s);
    weir_scratch_free(scratch);
    weir_outcome_free(s->reference);
    weir_module_free(s->probe.module);
    free(s->of);
    free(s->log);
    return status;
}

static int work(void *user) {
    search *s = user;
    int status = weir_pipeline_open(&s->pipeline);
    if (status == WEIR_EXIT_FINE) status = weir_pipeline_parse(&s->pipeline, "");
    return status == WEIR_EXIT_FINE ? search_in(s) : status;
}

int weir_command_bisect(int argc, char **argv) {
    search s = {
        .pipeline = WEIR_PIPELINE_DEFAULTS("bisect"), .sizes = WEIR_JOB_SIZES_DEFAULTS, .samples = 4, .seed = 1};
    const weir_cli_option options[] = {
        WEIR_PIPELINE_TEXT_OPTION(s.pipeline),
        {"check", 'c', WEIR_CLI_STRING, &s.probe.check, "COMMAND", "shell command that checks the graph in file {}"},
        WEIR_DATA_OPTION(s.data, "frames to compare on"),
        {"samples", 0, WEIR_CLI_COUNT, &s.samples, "N", "number of random inputs to compare on (4)"},
        {"seed", 0, WEIR_CLI_INT, &s.seed, "N", "seed of the random inputs (1)"},
        {"tolerance", 0, WEIR_CLI_REAL, &s.probe.tolerance, "X",
         "difference allowed, relative to the largest value (0)"},
        {"git", 0, WEIR_CLI_STRING, &s.git, "GOOD..BAD",
         "search the commits between these for a suite's point (GOOD: to HEAD)"},
        {"build", 0, WEIR_CLI_STRING, &s.build, "COMMAND", "with --git: shell command that builds each commit"},
        {"only", 0, WEIR_CLI_LIST, &s.only, "NAME=PATTERN,...", "with --git: the points, as in 'weir regress'"},
        WEIR_JOB_SIZE_OPTIONS(s.sizes),
        WEIR_PIPELINE_OPTIONS(s.pipeline),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("bisect", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && s.git == NULL && s.pipeline.text == NULL)
        status = weir_cli_misuse("bisect", "-p TEXT is missing");
    if (status < 0 && s.probe.check != NULL && s.data.count > 0)
        status = weir_cli_misuse("bisect", "--check cannot be combined with --data");
    if (status < 0 && s.git != NULL && s.pipeline.text != NULL)
        status = weir_cli_misuse("bisect", "--git cannot be combined with -p");
    if (status < 0 && s.git == NULL && (s.build != NULL || s.only.count > 0))
        status = weir_cli_misuse("bisect", "--build and --only need --git");
    s.input = argv[1];
    if (status < 0 && s.git != NULL) {
        char *program = weir_cli_program();
        status = weir_history_search(&(weir_history){s.input, s.git, s.build, {s.only.item, s.only.count}, program});
        free(program);
    } else if (status < 0) status = weir_plugins_guard(&s.pipeline.plugins, work, &s);
    weir_cli_list_free(&s.data);
    weir_cli_list_free(&s.only);
    weir_cli_list_free(&s.sizes.shape);
    weir_pipeline_close(&s.pipeline);
    return status;
}
