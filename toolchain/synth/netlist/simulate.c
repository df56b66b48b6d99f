/* What agreed once is kept in the cache: netlist, models, bench and data make its key. */
#include "synth/netlist/simulate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/random_input.h"
#include "cosim/runtime.h"
#include "sim/cache_json.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"
#include "synth/netlist/coverage.h"
#include "synth/netlist/extent.h"
#include "synth/netlist/family.h"

/* Changes when the same inputs shall be simulated again. */
#define FORM "6"

enum { SEED = 1 };

char *weir_synth_cells(const weir_device *device, const weir_program *yosys) {
    char *data = weir_data_folder();
    char *own = data == NULL ? NULL
                             : weir_format("%s/boards/cells/%s.v", data,
                                           weir_device_family_name((weir_device_family)device->family));
    free(data);
    if (own != NULL && weir_file_exists(own)) return own;
    free(own);
    const char *name = weir_synth_family_of(device)->models;
    char *share = name == NULL || yosys->name == NULL ? NULL : weir_program_share(yosys);
    char *path = share == NULL ? NULL : weir_path_join(share, name);
    free(share);
    if (path != NULL && weir_file_exists(path)) return path;
    free(path);
    return NULL;
}

/* --- inputs --- */

static weir_array *random_frames(const weir_graph *graph, weir_value input, int64_t frames) {
    assert(frames > 0);
    weir_array *all = NULL;
    for (int64_t f = 0; f < frames; f++) {
        weir_array *one = weir_random_input(graph, input, SEED, (size_t)f);
        if (all == NULL) all = weir_array_new(one->dtype, &(weir_shape){2, {frames, (int64_t)one->count}});
        for (size_t i = 0; i < one->count; i++) {
            const size_t at = (size_t)f * one->count + i;
            if (weir_dtype_is_float(one->dtype)) weir_array_set(all, at, weir_array_get(one, i));
            else weir_array_set_int(all, at, weir_array_get_int(one, i));
        }
        weir_array_free(one);
    }
    return all;
}

char *weir_synth_random_frames(const weir_graph *hardware, const char *folder, int64_t frames) {
    char *path = weir_path_join(folder, "random.npz");
    weir_archive archive;
    weir_archive_init(&archive);
    for (size_t i = 0; i < weir_graph_input_count(hardware); i++) {
        const weir_value input = weir_graph_input(hardware, i);
        weir_archive_add(&archive, weir_value_name(hardware, input), random_frames(hardware, input, frames));
    }
    const bool fine = weir_npz_write(path, &archive);
    weir_archive_free(&archive);
    if (fine) return path;
    free(path);
    return NULL;
}

/* --- running --- */

typedef struct running {
    const weir_synth_simulate_job *job;
    const char *netlist, *models, *data;
    weir_simulator simulator;
} running;

/* Adds to the number under the key. */
static void add_to(json_t *sums, const char *key, const json_t *number) {
    json_object_set_new(sums, key,
                        json_integer(json_integer_value(json_object_get(sums, key)) + json_integer_value(number)));
}

/* Of several runs the sums, those of malformed frames apart, and what the first wrong one found. */
static json_t *pick(const json_t *runs) {
    static const char *const firsts[] = {"first_divergence", "protocol", "miscounted"};
    json_t *run, *profiles = json_array(), *damaged = NULL, *status = NULL;
    json_t *picked =
        json_pack("{s:O, s:o}", "frames", json_object_get(json_array_get(runs, 0), "frames"), "profiles", profiles);
    size_t i;
    json_array_foreach(runs, i, run) {
        json_t *malformed = json_object_get(run, "malformed"), *sums = picked;
        if (malformed == NULL) json_array_append(profiles, json_object_get(run, "profile"));
        else if (damaged == NULL) damaged = json_pack("{s:O}", "damaged", malformed);
        if (malformed != NULL) sums = damaged;
        add_to(sums, "compared", json_object_get(run, "compared"));
        add_to(sums, "mismatches", json_object_get(run, "mismatches"));
        for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++) {
            if (!json_is_object(json_object_get(picked, firsts[k])) &&
                !json_is_string(json_object_get(picked, firsts[k])))
                json_object_set(picked, firsts[k], json_object_get(run, firsts[k]));
        }
        json_t *own = json_object_get(run, "status");
        if (status == NULL || strcmp(json_string_value(status), "done") == 0) status = own;
    }
    json_object_set_new(picked, "malformed", damaged == NULL ? json_null() : damaged);
    json_object_set(picked, "status", status);
    return picked;
}

/* Adds what the runs together moved. */
static void add_coverage(json_t *result, const running *r, const char *record) {
    weir_synth_coverage coverage;
    if (!weir_synth_coverage_read(r->netlist, record, &coverage)) return;
    json_object_set_new(result, "nets", json_integer((json_int_t)coverage.nets));
    json_object_set_new(result, "toggled", json_integer((json_int_t)coverage.toggled));
    json_object_set_new(result, "still", json_string(coverage.still));
    free(coverage.still);
}

static int simulate_watched(const running *r, const char *watched, json_t **result) {
    weir_runtime_options options = {.data = r->data,
                                    .work = r->job->folder,
                                    .frames = r->job->frames,
                                    .malformed = true,
                                    .netlist = watched,
                                    .cells = {r->models, NULL},
                                    .seed = SEED};
    options.simulate[r->simulator] = true;
    options.profile[WEIR_SIM_ALWAYS] = options.profile[WEIR_SIM_HALF] = true;
    weir_runtime *runtime = NULL;
    const int status = weir_runtime_run("netlist", NULL, NULL, r->job->hardware, r->job->folder, &options, &runtime);
    if (runtime == NULL) return status;
    json_t *report = weir_runtime_json(runtime);
    const json_t *runs = json_object_get(report, "runs");
    if (json_array_size(runs) > 0) *result = pick(runs);
    json_decref(report);
    weir_runtime_free(runtime);
    return status;
}

static int simulate(void *user, json_t **result) {
    const running *r = user;
    char *watched = weir_path_join(r->job->folder, "watched.v"),
         *record = weir_path_join(r->job->folder, "watched.txt");
    int status = WEIR_EXIT_INPUT;
    if (weir_synth_watch(r->netlist, watched, record)) status = simulate_watched(r, watched, result);
    if (*result != NULL) add_coverage(*result, r, record);
    free(watched);
    free(record);
    return status;
}

static void add_file(weir_hash *hash, const char *path) {
    size_t size = 0;
    char *text = weir_file_read_quietly(path, &size);
    weir_hash_add_number(hash, size);
    if (text != NULL) weir_hash_add(hash, text, size);
    free(text);
}

/* The files of "a.npz\nname=b.csv\nc.npz:key". What is not found as a file is read, and reported, by the run itself. */
static void add_data(weir_hash *hash, const char *data) {
    weir_hash_add_string(hash, data);
    for (const char *item = data; *item != '\0';) {
        const size_t size = strcspn(item, "\n");
        char *one = weir_format("%.*s", (int)size, item), *equals = strchr(one, '='), *key = NULL;
        add_file(hash, one);
        if (equals != NULL) add_file(hash, equals + 1);
        char *archive = weir_array_split_path(equals == NULL ? one : equals + 1, &key);
        if (archive != NULL) add_file(hash, archive);
        free(archive);
        free(key);
        free(one);
        item += size + (item[size] == '\n');
    }
}

static weir_hash key_of(const running *r, const weir_synth_netlist *netlist) {
    weir_hash hash = netlist->key;
    weir_hash_add_string(&hash, FORM);
    weir_hash_add_number(&hash, (uint64_t)r->job->frames);
    weir_hash_add_number(&hash, (uint64_t)r->simulator);
    add_file(&hash, r->netlist);
    add_file(&hash, r->models);
    static const char *const files[] = {"tb/tb.v", "hardware.weir", "hardware.npz"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = weir_path_join(r->job->folder, files[i]);
        add_file(&hash, path);
        free(path);
    }
    if (r->job->data != NULL) add_data(&hash, r->job->data);
    else add_file(&hash, r->data); /* wherever it is */
    return hash;
}

/* Not in the cache when the reference disagrees. */
static int run(running *r, const weir_synth_netlist *netlist, weir_synth_check *simulation) {
    const weir_hash hash = key_of(r, netlist);
    char digits[33];
    weir_hash_print(&hash, digits);
    char *name = weir_format("%s-netlist-%s", weir_simulator_name(r->simulator), digits);
    json_t *result = NULL;
    const int status = weir_cache_json(r->job->cache, name, "simulation.json", simulate, r, &result);
    if (result != NULL)
        json_object_set_new(result, "data", json_string(r->job->data == NULL ? "random" : r->job->data));
    simulation->result = result;
    free(name);
    return status;
}

/* --- how much --- */

static weir_synth_extent extent_of(const weir_synth_simulate_job *job, const weir_synth_netlist *netlist) {
    return weir_synth_extent_of(weir_resources_of(job->hardware).folded_interval,
                                (int64_t)weir_synth_netlist_cells(netlist), job->frames, job->data != NULL,
                                weir_simulator_found(WEIR_SIM_VERILATOR));
}

static char *reason_against(const char *models, const weir_synth_extent *e, const weir_device *device) {
    if (models == NULL)
        return weir_format("there are no models of the cells of %s for simulation",
                           weir_device_family_name((weir_device_family)device->family));
    if (!weir_simulator_found(e->simulator)) return weir_copy_string("'iverilog' is missing");
    if (e->frames == 0)
        return weir_format("a frame is %lld cycles of %lld cells, which is long; --frames 1 simulates one",
                           (long long)e->cycles, (long long)e->cells);
    return NULL;
}

/* Why no more frames were simulated; null: they were asked for, or the data has no more. */
static json_t *limit_of(const weir_synth_simulate_job *job, const weir_synth_extent *e, const json_t *result) {
    const bool is_full = json_integer_value(json_object_get(result, "frames")) >= e->frames;
    if (job->frames > 0 || !is_full) return json_null();
    char *text = weir_synth_extent_limit(e);
    json_t *limit = json_string(text);
    free(text);
    return limit;
}

int weir_synth_simulate(const weir_synth_simulate_job *job, const weir_synth_netlist *netlist,
                        const weir_device *device, const weir_program *yosys, weir_synth_check *simulation) {
    weir_synth_simulate_job own = *job;
    char *models = weir_synth_cells(device, yosys), *random = NULL;
    int status = WEIR_EXIT_FINE;
    const weir_synth_extent e = extent_of(job, netlist);
    own.frames = e.frames == INT64_MAX ? 0 : e.frames;
    *simulation = (weir_synth_check){reason_against(models, &e, device), NULL};
    if (simulation->why_not == NULL && own.data == NULL) {
        random = weir_synth_random_frames(job->hardware, job->folder, own.frames);
        if (random == NULL) status = WEIR_EXIT_INPUT;
    }
    if (simulation->why_not == NULL && status == WEIR_EXIT_FINE) {
        char *path = weir_path_join(netlist->folder, "netlist.v");
        running r = {.job = &own,
                     .netlist = path,
                     .models = models,
                     .data = random != NULL ? random : own.data,
                     .simulator = e.simulator};
        status = run(&r, netlist, simulation);
        json_t *result = simulation->result;
        if (result != NULL) json_object_set_new(result, "limit", limit_of(job, &e, result));
        free(path);
    }
    free(random);
    free(models);
    return status;
}
