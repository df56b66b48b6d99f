/* Stages that decide what runs, and where: threads, parameters, files that are there already. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dse/stages/pipeline.h"
#include "dse/stages/stages.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* --- threads --- */

#define POOL "multiprocessing_callback"
enum { MOST_THREADS = 64 };

/* What a spawning stage was called for, run later. */
typedef struct job {
    const weir_dse_stage *stage;
    weir_dse_context *context; /* copies of all frames */
    weir_dse_kept results;
    weir_diag_log *log;
    bool fine;
} job;

typedef struct pool {
    job *job;
    size_t count, capacity;
    int threads;
    atomic_size_t next;
} pool;

/* Frames of stages that return before the job runs; what they point to stays until the run ends. */
static weir_dse_context *copy_context(const weir_dse_context *context) {
    size_t count = 0;
    for (const weir_dse_context *c = context; c != NULL; c = c->up) count++;
    weir_dse_context *copy = weir_malloc((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++, context = context->up)
        copy[i] = (weir_dse_context){i + 1 < count ? &copy[i + 1] : NULL, context->key, context->value};
    return copy;
}

static bool collect(void *user, const weir_dse_result *result) {
    weir_dse_kept_add(user, result);
    return true;
}

static void *work(void *user) {
    pool *p = user;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->count;) {
        job *j = &p->job[i];
        j->log = weir_diag_capture();
        j->fine = weir_dse_stages_run_layer(j->stage, j->context, collect, &j->results);
        weir_diag_release(j->log);
    }
    return NULL;
}

static void run_jobs(pool *p) {
    pthread_t thread[MOST_THREADS];
    int started = 0;
    while (started + 1 < p->threads && (size_t)started + 1 < p->count &&
           pthread_create(&thread[started], NULL, work, p) == 0)
        started++;
    work(p);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
}

/* In the order in which the jobs were spawned, whatever ran first. */
static bool deliver(const pool *p, weir_dse_sink *sink, void *user) {
    bool fine = true;
    for (size_t i = 0; i < p->count; i++) {
        job *j = &p->job[i];
        if (fine) weir_diag_replay(j->log);
        fine = fine && j->fine;
        for (size_t k = 0; fine && k < j->results.count; k++) fine = sink(user, &j->results.list[k]);
        weir_dse_kept_free(&j->results);
        weir_diag_log_free(j->log);
        free(j->context);
    }
    return fine;
}

static bool ignore(void *user, const weir_dse_result *result) {
    (void)user;
    (void)result;
    return true;
}

static bool run_gather(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    pool p = {.threads = 1};
    const weir_dse_context frame = {context, POOL, &p};
    const bool fine = weir_dse_stage_below(stage, &frame, ignore, NULL);
    if (fine) run_jobs(&p);
    const bool delivered = deliver(&p, sink, user);
    free(p.job);
    return fine && delivered;
}

static bool run_spawn(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    pool *p = (pool *)weir_dse_get(context, POOL);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), asked = (long)stage->value[0].number;
    const long threads = asked > 0 ? asked : processors > 0 ? processors : 1;
    p->threads = threads < MOST_THREADS ? (int)threads : MOST_THREADS;
    p->job = weir_grow(p->job, &p->capacity, p->count + 1, sizeof *p->job);
    p->job[p->count++] = (job){.stage = stage, .context = copy_context(context), .log = NULL, .fine = false};
    return sink(user, &(weir_dse_result){NULL, 0, 0, NULL, NULL});
}

const weir_dse_stage_body weir_dse_stage_multi_processing_gather = {.gives = WEIR_DSE_KEYS(POOL), .run = run_gather};

static const weir_dse_option spawn_options[] = {
    {"threads", "nb_multiprocessing_threads", WEIR_DSE_COUNT, "0", "threads; 0: as many as there are processors"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_multi_processing_spawn = {
    .takes = WEIR_DSE_KEYS(POOL, WEIR_DSE_LAYER, WEIR_DSE_ACCELERATOR),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_LAYER, WEIR_DSE_ACCELERATOR),
    .excludes = WEIR_DSE_KEYS(WEIR_DSE_SPATIAL),
    .options = spawn_options,
    .run = run_spawn};

/* --- parameters --- */

/* "a=1|2;(b,c)=3,x|4,y": a takes its values in turn, for each of them b and c theirs together; commas in the last of
 * them are its own. */
typedef struct iteration {
    const weir_dse_context *context;
    weir_dse_sink *sink;
    void *user;
    weir_arena *arena;
    const char *values; /* that were set, "a=1 b=3" */
} iteration;

static bool iterate(const iteration *it, const weir_dse_stage *below, const weir_dse_context *context,
                    const char *text);

/* The result with the values behind it, after those of an iterator above. */
static bool name_values(void *user, const weir_dse_result *result) {
    const iteration *it = user;
    weir_dse_result named = *result;
    named.parameters =
        result->parameters == NULL ? it->values : weir_arena_format(it->arena, "%s %s", it->values, result->parameters);
    return it->sink(it->user, &named);
}

/* Up to the stop, without parentheses; *at goes behind it. */
static char *take_part(weir_arena *arena, const char **at, const char *stops) {
    *at += strspn(*at, " (");
    const size_t length = strcspn(*at, stops);
    char *part = weir_arena_format(arena, "%.*s", (int)length, *at);
    *at += length;
    part[strcspn(part, " )")] = '\0';
    return part;
}

/* Sets the names one by one to the values, then goes on with the next key. */
static bool set_values(const iteration *it, const weir_dse_stage *below, const weir_dse_context *context,
                       const char *names, const char *values, const char *rest) {
    if (*names == '\0') return iterate(it, below, context, rest);
    const char *name = take_part(it->arena, &names, ",");
    const char *value = take_part(it->arena, &values, *names == ',' ? "," : "");
    names += *names == ',';
    values += *values == ',';
    iteration named = *it;
    named.values = weir_arena_format(it->arena, "%s%s%s=%s", it->values, *it->values == '\0' ? "" : " ", name, value);
    const bool is_path =
        strcmp(name, "accelerator") == 0 || strcmp(name, "workload") == 0 || strcmp(name, "mapping") == 0;
    if (is_path) {
        const weir_dse_context frame = {context, weir_arena_format(it->arena, "%s_path", name), value};
        return set_values(&named, below, &frame, names, values, rest);
    }
    bool known;
    weir_dse_stage *changed = weir_dse_pipeline_vary(below, name, value, &known);
    if (changed != NULL && !known)
        weir_error(WEIR_NOWHERE, "stage 'general_parameter_iterator': no stage below has an option '%s'", name);
    const bool fine = changed != NULL && known && set_values(&named, changed, context, names, values, rest);
    free(changed);
    return fine;
}

static bool iterate(const iteration *it, const weir_dse_stage *below, const weir_dse_context *context,
                    const char *text) {
    text += strspn(text, " ;");
    if (*text == '\0') return below->info->body->run(below, context, name_values, (void *)(uintptr_t)it);
    const size_t names_length = strcspn(text, "=");
    char *names = weir_arena_format(it->arena, "%.*s", (int)names_length, text + (*text == '('));
    names[strcspn(names, ")=")] = '\0';
    if (text[names_length] != '=') {
        weir_error(WEIR_NOWHERE, "stage 'general_parameter_iterator': expected KEY=VALUE|VALUE..., found '%.60s'",
                   text);
        return false;
    }
    const char *at = text + names_length + 1, *rest = at + strcspn(at, ";");
    for (bool fine = true; fine;) {
        const size_t length = strcspn(at, "|;");
        const char *values = weir_arena_format(it->arena, "%.*s", (int)length, at);
        fine = set_values(it, below, context, names, values, rest);
        at += length;
        if (!fine || *at != '|') return fine;
        at++;
    }
    return false;
}

static bool run_iterator(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user) {
    const char *text = weir_dse_stages_need(stage, 0);
    if (text == NULL) return false;
    const iteration it = {context, sink, user, weir_arena_new(), ""};
    const bool fine = iterate(&it, stage->below, context, text);
    weir_arena_free(it.arena);
    return fine;
}

static const weir_dse_option iterator_options[] = {
    {"iterations", "general_parameter_iterations", WEIR_DSE_TEXT, NULL,
     "options of stages below, or files: \"lpf_limit=4|6;(count,mixed)=1,false|3,true\""},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_general_parameter_iterator = {.options = iterator_options,
                                                                       .run = run_iterator};

/* --- files that are there --- */

static bool run_skip(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const char *pattern = weir_dse_stages_need(stage, 0);
    if (pattern == NULL) return false;
    char *path = weir_dse_stages_path(context, pattern);
    const bool there = weir_file_exists(path);
    free(path);
    return there ? sink(user, &(weir_dse_result){NULL, 0, 0, NULL, NULL})
                 : weir_dse_stage_below(stage, context, sink, user);
}

static const weir_dse_option skip_options[] = {
    {"dump_folder", NULL, WEIR_DSE_TEXT, NULL, "a file, with {layer} and {accelerator} for their names"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_skip_if_dump_exists = {.options = skip_options, .run = run_skip};
