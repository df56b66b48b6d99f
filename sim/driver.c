/* Building through the cache. The key of an entry is the hash of everything that goes into it: the Verilog text, the
 * harness, the flags and the tools' versions. Memory contents ($readmemh) are read when the bench runs, so they are not
 * part of it; neither are files that `include names, which generated Verilog does not use. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "sim/driver.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "sim/cache.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

static const weir_sim_backend *const backends[WEIR_SIMULATORS] = {&weir_sim_verilator, &weir_sim_icarus};

static const char *const bench_parts[] = {"clock", "service", "source",   "record", "check",
                                          "sink",  "tap",     "stimulus", "meter",  "trace"};
enum { BENCH_PARTS = sizeof bench_parts / sizeof bench_parts[0] };

const char *const weir_sim_harness[] = {"weir_harness", "weir_serial", NULL};

const char *weir_simulator_name(weir_simulator simulator) { return backends[simulator]->name; }

/* The first program that is missing, or NULL. */
static const char *missing_program(const weir_sim_backend *backend) {
    for (const char *const *program = backend->programs; *program; program++) {
        if (!weir_process_found(*program)) return *program;
    }
    return NULL;
}

bool weir_simulator_found(weir_simulator simulator) { return !missing_program(backends[simulator]); }

/* ---- keys ---- */

static bool hash_file(weir_hash *hash, const char *path) {
    size_t size = 0;
    char *content = weir_file_read(path, &size);
    if (!content) return false;
    weir_hash_add_string(hash, weir_path_name(path));
    weir_hash_add(hash, &size, sizeof size);
    weir_hash_add(hash, content, size);
    free(content);
    return true;
}

static char *entry_name(const char *kind, const char *simulator, const weir_hash *hash) {
    char digits[33];
    weir_hash_print(hash, digits);
    return weir_format("%s-%s-%s", simulator, kind, digits);
}

static bool hash_harness(weir_hash *hash, const char *data_folder, const char *name, const char *ending) {
    char *path = weir_format("%s/sim/harness/%s%s", data_folder, name, ending);
    const bool fine = hash_file(hash, path);
    free(path);
    return fine;
}

/* What every design of this simulator shares. WEIR_EXIT_FINE and *hash. */
static int hash_shared(const weir_sim_build_context *context, weir_hash *hash) {
    weir_text identity = {0};
    int status = WEIR_EXIT_TOOL;
    *hash = weir_hash_start();
    if (context->backend->identify(context, &identity)) {
        weir_hash_add(hash, identity.data, identity.size);
        weir_hash_add_string(hash, context->job->trace ? "trace" : "");
        bool fine = hash_harness(hash, context->data_folder, WEIR_SIM_HARNESS_HEADER, "");
        for (const char *const *name = weir_sim_harness; fine && *name; name++)
            fine = hash_harness(hash, context->data_folder, *name, ".c");
        status = fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    }
    weir_text_free(&identity);
    return status;
}

static int hash_program(const weir_sim_build_context *context, weir_hash *hash) {
    for (size_t i = 0; i < context->job->define_count; i++) weir_hash_add_string(hash, context->job->defines[i]);
    for (size_t i = 0; i < context->file_count; i++) {
        if (!hash_file(hash, context->files[i])) return WEIR_EXIT_INPUT;
    }
    return WEIR_EXIT_FINE;
}

/* ---- building ---- */

typedef struct making {
    const weir_sim_build_context *context;
    weir_sim_make *make;
} making;

static bool make_entry(void *user, const char *folder) {
    const making *m = user;
    return m->make(m->context, folder);
}

/* The shared entry's folder; when it is absent and must not be made: NULL without an error. */
static const char *shared_folder(const weir_sim_build_context *context, size_t index, bool may_make) {
    weir_sim_artifact *artifact = context->artifact;
    const weir_sim_shared *shared = &context->backend->shared[index];
    if (artifact->shared[index].folder) return artifact->shared[index].folder;
    making m = {context, shared->make};
    bool made = false;
    char *kind = weir_format("%s%s", context->job->trace ? "trace-" : "", shared->kind);
    char *name = entry_name(kind, context->backend->name, &context->shared_hash);
    artifact->shared[index].folder = weir_cache_entry(context->cache, name, true, may_make ? make_entry : NULL, &m,
                                                      &artifact->shared[index].held, &made);
    *context->made |= made;
    free(kind);
    free(name);
    return artifact->shared[index].folder;
}

const char *weir_sim_shared_folder(const weir_sim_build_context *context, size_t index) {
    return shared_folder(context, index, true);
}

/* False: some are missing. */
static bool all_shared(const weir_sim_build_context *context, bool may_make) {
    bool fine = true;
    for (size_t i = 0; i < WEIR_SIM_SHARED; i++) {
        if (context->backend->shared[i].kind && (fine || !may_make))
            fine = shared_folder(context, i, may_make) != NULL && fine;
    }
    return fine;
}

/* A second thread that makes the shared entries. What it cannot make the first one tries again, and reports. */
typedef struct helper {
    weir_sim_build_context context;
    weir_sim_artifact artifact;
    bool made;
    pthread_t thread;
} helper;

static void *help(void *user) {
    helper *h = user;
    weir_diag_log *log = weir_diag_capture();
    all_shared(&h->context, true);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return NULL;
}

/* With the shared entries that are missing made at the same time. Signals are held back in both threads, and arrive
 * when both have ended, before an error of what they interrupted is told. */
static bool make_with_help(const weir_sim_build_context *context, const char *folder) {
    helper h = {.context = *context};
    const sigset_t before = weir_process_hold();
    h.context.artifact = &h.artifact;
    h.context.made = &h.made;
    const bool helped = pthread_create(&h.thread, NULL, help, &h) == 0;
    weir_diag_log *log = weir_diag_capture();
    const bool fine = context->backend->make_program(context, folder);
    weir_diag_release(log);
    if (helped) pthread_join(h.thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    weir_diag_replay(log);
    weir_diag_log_free(log);
    *context->made |= h.made;
    weir_sim_artifact_free(&h.artifact);
    return fine;
}

static int build_program(weir_sim_build_context *context) {
    const weir_sim_job *job = context->job;
    weir_sim_artifact *artifact = context->artifact;
    making m = {context, all_shared(context, false) ? context->backend->make_program : make_with_help};
    weir_hash hash = context->shared_hash;
    bool made = false;
    const int status = hash_program(context, &hash);
    if (status != WEIR_EXIT_FINE) return status;
    char *name = entry_name(job->trace ? "trace" : "bench", context->backend->name, &hash);
    context->quick = job->cycles && job->cycles <= context->backend->few_cycles;
    artifact->folder =
        weir_cache_entry(context->cache, name, false, context->quick ? NULL : make_entry, &m, &artifact->held, &made);
    free(name);
    if (!artifact->folder && context->quick) {
        name = entry_name(job->trace ? "quick-trace" : "quick", context->backend->name, &hash);
        artifact->folder = weir_cache_entry(context->cache, name, false, make_entry, &m, &artifact->held, &made);
        free(name);
    }
    artifact->cached = !made;
    *context->made |= made;
    return artifact->folder ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}

static int build_entries(weir_sim_build_context *context) {
    const weir_sim_job *job = context->job;
    int status = hash_shared(context, &context->shared_hash);
    if (status == WEIR_EXIT_FINE && job->file_count) status = build_program(context);
    if (status == WEIR_EXIT_FINE && !all_shared(context, true)) status = WEIR_EXIT_TOOL;
    if (!job->file_count) context->artifact->cached = !*context->made;
    if (*context->made) weir_cache_trim(context->cache, job->cache_limit ? job->cache_limit : WEIR_SIM_CACHE_LIMIT);
    return status;
}

/* Absolute, since tools run in folders of the cache. NULL after a reported error. */
static char *absolute(const char *path) {
    char *full = realpath(path, NULL);
    if (!full) weir_error(weir_at(path, 0), "cannot read: %s", strerror(errno));
    return full;
}

/* Bench parts, then the job's files. */
static bool collect_files(const weir_sim_job *job, const char *data, char **files) {
    for (size_t i = 0; i < BENCH_PARTS; i++) files[i] = weir_format("%s/sim/bench/weir_sim_%s.v", data, bench_parts[i]);
    for (size_t i = 0; i < job->file_count; i++) {
        files[BENCH_PARTS + i] = absolute(job->files[i]);
        if (!files[BENCH_PARTS + i]) return false;
    }
    return true;
}

char *weir_sim_cache(const char *given) {
    char *root = given ? weir_copy_string(given) : weir_cache_folder();
    char *folder = root ? weir_path_join(root, "sim") : NULL;
    char *full = folder && weir_make_folder(folder) ? absolute(folder) : NULL;
    free(root);
    free(folder);
    return full;
}

int weir_sim_build(const weir_sim_job *job, weir_sim_artifact *artifact) {
    const weir_sim_backend *backend = backends[job->simulator];
    double start = weir_seconds();
    const char *missing = missing_program(backend);
    *artifact = (weir_sim_artifact){.simulator = job->simulator, .trace = job->trace};
    if (missing) {
        weir_error(WEIR_NOWHERE, "cannot build for '%s': program '%s' is missing", backend->name, missing);
        return WEIR_EXIT_TOOL;
    }
    size_t count = BENCH_PARTS + job->file_count;
    char **files = weir_calloc(count, sizeof *files);
    char *given = job->data_folder ? weir_copy_string(job->data_folder) : weir_data_folder();
    char *data = given ? absolute(given) : NULL;
    char *cache = data ? weir_sim_cache(job->cache_folder) : NULL;
    int status = WEIR_EXIT_INPUT;
    if (cache && collect_files(job, data, files)) {
        bool made = false;
        weir_sim_build_context context = {.job = job,
                                          .backend = backend,
                                          .data_folder = data,
                                          .cache = cache,
                                          .files = (const char *const *)files,
                                          .file_count = count,
                                          .artifact = artifact,
                                          .made = &made};
        status = build_entries(&context);
    }
    for (size_t i = 0; i < count; i++) free(files[i]);
    free(files);
    free(given);
    free(data);
    free(cache);
    artifact->seconds = weir_seconds() - start;
    if (status != WEIR_EXIT_FINE) weir_sim_artifact_free(artifact);
    return status;
}

void weir_sim_artifact_free(weir_sim_artifact *artifact) {
    if (artifact->folder) weir_cache_release(artifact->held);
    free(artifact->folder);
    for (size_t i = 0; i < WEIR_SIM_SHARED; i++) {
        if (artifact->shared[i].folder) weir_cache_release(artifact->shared[i].held);
        free(artifact->shared[i].folder);
    }
    memset(artifact, 0, sizeof *artifact);
}

/* ---- running ---- */

size_t weir_sim_command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *option,
                        char **arguments) {
    return backends[artifact->simulator]->command(artifact, run, option, arguments);
}
