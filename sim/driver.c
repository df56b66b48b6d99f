/* Building through the cache. The key of an entry is the hash of everything that goes into it: the Verilog text, the
 * harness, the flags and the tools' versions. Memory contents ($readmemh) are read when the bench runs, so they are not
 * part of it; neither are files that `include names, which generated Verilog does not use. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "sim/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/backend.h"
#include "sim/cache.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/process.h"

static const weir_sim_backend *const backends[WEIR_SIMULATORS] = {&weir_sim_verilator, &weir_sim_icarus};

static const char *const bench_parts[] = {"clock", "service", "source",   "record", "check",
                                          "sink",  "tap",     "stimulus", "meter",  "trace"};
enum { BENCH_PARTS = sizeof bench_parts / sizeof bench_parts[0] };

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

/* What every design of this simulator shares. WEIR_EXIT_FINE and *hash. */
static int hash_support(const weir_sim_build_context *context, const weir_sim_backend *backend, weir_hash *hash) {
    weir_text identity = {0};
    int status = WEIR_EXIT_TOOL;
    *hash = weir_hash_start();
    if (backend->identify(context, &identity)) {
        char *harness = weir_path_join(context->data_folder, "sim/harness/weir_harness.c");
        weir_hash_add(hash, identity.data, identity.size);
        weir_hash_add_string(hash, context->job->trace ? "trace" : "");
        status = hash_file(hash, harness) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
        free(harness);
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
    bool (*make)(const weir_sim_build_context *context, const char *folder);
} making;

static bool make_entry(void *user, const char *folder) {
    const making *m = user;
    return m->make(m->context, folder);
}

static int build_entries(weir_sim_build_context *context, const weir_sim_backend *backend, const char *cache,
                         weir_sim_artifact *artifact) {
    weir_hash hash;
    bool made_support = false, made = false;
    int status = hash_support(context, backend, &hash);
    if (status != WEIR_EXIT_FINE) return status;
    making support = {context, backend->make_support}, program = {context, backend->make_program};
    char *name = entry_name(context->job->trace ? "trace-support" : "support", backend->name, &hash);
    artifact->support = weir_cache_entry(cache, name, true, make_entry, &support, &artifact->held[0], &made_support);
    free(name);
    if (!artifact->support) return WEIR_EXIT_TOOL;
    context->support = artifact->support;
    if (context->job->file_count == 0) {
        artifact->cached = !made_support;
        return WEIR_EXIT_FINE;
    }
    status = hash_program(context, &hash);
    if (status != WEIR_EXIT_FINE) return status;
    name = entry_name(context->job->trace ? "trace" : "bench", backend->name, &hash);
    context->quick = context->job->cycles && context->job->cycles <= backend->few_cycles;
    artifact->folder =
        weir_cache_entry(cache, name, false, context->quick ? NULL : make_entry, &program, &artifact->held[1], &made);
    free(name);
    if (!artifact->folder && context->quick) {
        name = entry_name(context->job->trace ? "quick-trace" : "quick", backend->name, &hash);
        artifact->folder = weir_cache_entry(cache, name, false, make_entry, &program, &artifact->held[1], &made);
        free(name);
    }
    artifact->cached = !made;
    if (made || made_support)
        weir_cache_trim(cache, context->job->cache_limit ? context->job->cache_limit : WEIR_SIM_CACHE_LIMIT);
    return artifact->folder ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
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
    memset(artifact, 0, sizeof *artifact);
    artifact->simulator = job->simulator;
    artifact->trace = job->trace;
    artifact->held[0] = artifact->held[1] = -1;
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
        weir_sim_build_context context = {
            .job = job, .data_folder = data, .files = (const char *const *)files, .file_count = count};
        status = build_entries(&context, backend, cache, artifact);
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
    if (artifact->support) weir_cache_release(artifact->held[0]);
    if (artifact->folder) weir_cache_release(artifact->held[1]);
    free(artifact->folder);
    free(artifact->support);
    memset(artifact, 0, sizeof *artifact);
}

/* ---- running ---- */

size_t weir_sim_command(const weir_sim_artifact *artifact, const weir_sim_run *run, const char *description,
                        char **arguments) {
    return backends[artifact->simulator]->command(artifact, run, description, arguments);
}
