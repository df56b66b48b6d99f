/* faults DEVICE FOLDER TOP SEED COUNT: COUNT faults, one at a time, in the netlist of FOLDER/rtl as Yosys wrote it, and
 * what the proof says of each. A fault that is proved to change nothing is explained, and so is one that ties the only
 * input that reads a register: Yosys drops the register as it reads the netlist, and what depends on it is left open
 * and named. Any other must be noticed. Prints each fault that is not noticed, and a line of sums. Exit status 0: all
 * are noticed or explained, and the netlist without a fault is proved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_program.h"
#include "plant.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "synth/netlist/prove.h"
#include "synth/netlist/simulate.h"

typedef struct session {
    weir_synth_prove_job job;
    weir_synth_netlist netlist;
    json_t *mapped, *unmapped;
    const char *work;
    size_t planted[PLANT_KINDS], noticed[PLANT_KINDS], equal[PLANT_KINDS], open[PLANT_KINDS];
} session;

/* What the proof says of the netlist; NULL after a reported error. */
static json_t *judge(session *s, const json_t *mapped) {
    char *path = weir_path_join(s->work, "planted/" WEIR_SYNTH_MAPPED);
    const bool fine = weir_make_folder(s->job.folder) && json_dump_file(mapped, path, 0) == 0;
    json_t *result = fine ? weir_prove_mapped(&s->job, s->unmapped, s->work) : NULL;
    free(path);
    return result;
}

static bool is(const json_t *result, const char *status) {
    const char *found = json_string_value(json_object_get(result, "status"));
    return found != NULL && strcmp(found, status) == 0;
}

/* The function that is open because the netlist lacks a register; NULL: there is none. */
static const char *open_function(const json_t *result) {
    const bool lacks = json_integer_value(json_object_get(result, "registers_matched")) <
                       json_integer_value(json_object_get(result, "registers"));
    return is(result, "open") && lacks ? json_string_value(json_array_get(json_object_get(result, "open"), 0)) : NULL;
}

static void count(session *s, plant_kind kind, const char *what, const json_t *result) {
    const char *open = open_function(result);
    const bool is_noticed = is(result, "different"), is_equal = is(result, "proved");
    s->planted[kind]++;
    s->noticed[kind] += is_noticed;
    s->equal[kind] += is_equal;
    s->open[kind] += open != NULL;
    if (!is_noticed)
        printf("not noticed: %s, %s: %s%s\n", plant_names[kind], what,
               is_equal         ? "proved to change nothing"
               : open != NULL   ? "without a register, open is "
               : result == NULL ? "not compared"
                                : "open",
               open != NULL ? open : "");
    fflush(stdout);
}

static bool plant_one(session *s, plant_kind kind, uint64_t number) {
    json_t *mapped = json_deep_copy(s->mapped);
    json_t *cells = json_object_get(json_object_get(json_object_get(mapped, "modules"), s->netlist.top), "cells");
    char *what = plant(cells, s->job.device, kind, number);
    json_t *result = what == NULL ? NULL : judge(s, mapped);
    const bool fine = result != NULL || what == NULL;
    if (what != NULL) count(s, kind, what, result);
    free(what);
    json_decref(result);
    json_decref(mapped);
    return fine;
}

static size_t sum_of(const size_t *kinds) {
    size_t sum = 0;
    for (int k = 0; k < PLANT_KINDS; k++) sum += kinds[k];
    return sum;
}

/* Exit status. */
static int run(session *s, uint64_t seed, size_t faults) {
    json_t *result = judge(s, s->mapped);
    bool fine = is(result, "proved");
    printf("without a fault: %s\n",
           result == NULL ? "not compared" : json_string_value(json_object_get(result, "status")));
    json_decref(result);
    for (size_t i = 0; fine && i < faults; i++)
        fine = plant_one(s, (plant_kind)(i % PLANT_KINDS), weir_random_next(&seed));
    for (int k = 0; k < PLANT_KINDS; k++)
        printf("%s: %zu planted, %zu noticed, %zu proved to change nothing, %zu without a register\n", plant_names[k],
               s->planted[k], s->noticed[k], s->equal[k], s->open[k]);
    const size_t planted = sum_of(s->planted), noticed = sum_of(s->noticed), equal = sum_of(s->equal),
                 open = sum_of(s->open), explained = noticed + equal + open;
    printf("%zu planted, %zu noticed, %zu proved to change nothing, %zu without a register, %zu not explained\n",
           planted, noticed, equal, open, planted - explained);
    return fine && planted > 0 && explained == planted ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int open_and_run(const weir_device *device, char **argv) {
    weir_program yosys = {NULL, NULL, 0};
    char *cache = weir_sim_cache(NULL);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "faults-");
    session s = {.netlist = {.held = -1}, .work = weir_scratch_path(scratch)};
    const weir_synth_request request = {
        .yosys = &yosys, .device = device, .cache = cache, .folder = argv[2], .top = argv[3]};
    bool fine = cache != NULL && weir_program_yosys(NULL, cache, &yosys) && yosys.name != NULL &&
                weir_yosys_netlist(&request, &s.netlist) == 0;
    char *models = weir_synth_cells(device, &yosys), *planted = weir_path_join(s.work, "planted");
    if (fine) {
        char *path = weir_path_join(s.netlist.folder, WEIR_SYNTH_MAPPED);
        s.job = (weir_synth_prove_job){&yosys, device, models, s.netlist.folder, argv[3]};
        s.mapped = json_load_file(path, 0, NULL);
        s.unmapped = weir_prove_unmapped(&s.job, s.work);
        s.job.folder = planted;
        fine = s.mapped != NULL && s.unmapped != NULL;
        free(path);
    }
    const int status = fine ? run(&s, strtoull(argv[4], NULL, 10), (size_t)strtoull(argv[5], NULL, 10)) : EXIT_FAILURE;
    json_decref(s.mapped);
    json_decref(s.unmapped);
    free(planted);
    free(models);
    weir_synth_netlist_free(&s.netlist);
    weir_program_free(&yosys);
    weir_scratch_free(scratch);
    free(cache);
    return status;
}

int main(int argc, char **argv) {
    return run_with_device(argc, argv, 5, "faults DEVICE FOLDER TOP SEED COUNT", open_and_run);
}
