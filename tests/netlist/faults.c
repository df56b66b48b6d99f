/* faults DEVICE FOLDER TOP SEED COUNT: COUNT faults, one at a time, in the netlist of FOLDER/rtl as Yosys wrote it, and what the
 * proof says of each. A fault that is proved to change nothing is explained; any other must be noticed. Prints each fault that is
 * not noticed, and a line of sums. Exit status 0: all are noticed or explained, and the netlist without a fault is proved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_program.h"
#include "plant.h"
#include "sim/driver.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/random.h"
#include "support/scratch.h"
#include "synth/prove.h"
#include "synth/simulate.h"

typedef struct session {
    weir_synth_prove_job job;
    weir_synth_netlist netlist;
    json_t *mapped, *unmapped;
    const char *work;
    size_t planted[PLANT_KINDS], noticed[PLANT_KINDS], equal[PLANT_KINDS];
} session;

/* "proved", "different" or "open"; NULL after a reported error. */
static char *judge(session *s, const json_t *mapped) {
    char *path = weir_path_join(s->work, "planted/" WEIR_SYNTH_MAPPED);
    const bool fine = weir_make_folder(s->job.folder) && json_dump_file(mapped, path, 0) == 0;
    json_t *result = fine ? weir_prove_mapped(&s->job, s->unmapped, s->work) : NULL;
    const char *status = json_string_value(json_object_get(result, "status"));
    char *copy = status == NULL ? NULL : weir_copy_string(status);
    json_decref(result);
    free(path);
    return copy;
}

static bool plant_one(session *s, plant_kind kind, uint64_t number) {
    json_t *mapped = json_deep_copy(s->mapped);
    json_t *cells = json_object_get(json_object_get(json_object_get(mapped, "modules"), s->netlist.top), "cells");
    char *what = plant(cells, s->job.device, kind, number), *status = what == NULL ? NULL : judge(s, mapped);
    if (what != NULL) {
        const bool is_noticed = status != NULL && strcmp(status, "different") == 0;
        const bool is_equal = status != NULL && strcmp(status, "proved") == 0;
        s->planted[kind]++;
        s->noticed[kind] += is_noticed;
        s->equal[kind] += is_equal;
        if (!is_noticed)
            printf("not noticed: %s, %s: %s\n", plant_names[kind], what,
                   is_equal         ? "proved to change nothing"
                   : status == NULL ? "not compared"
                                    : status);
        fflush(stdout);
    }
    free(what);
    free(status);
    json_decref(mapped);
    return status != NULL || what == NULL;
}

/* Exit status. */
static int run(session *s, uint64_t seed, size_t count) {
    char *status = judge(s, s->mapped);
    const bool is_proved = status != NULL && strcmp(status, "proved") == 0;
    bool fine = is_proved;
    printf("without a fault: %s\n", status == NULL ? "not compared" : status);
    free(status);
    for (size_t i = 0; fine && i < count; i++)
        fine = plant_one(s, (plant_kind)(i % PLANT_KINDS), weir_random_next(&seed));
    size_t planted = 0, noticed = 0, equal = 0;
    for (int k = 0; k < PLANT_KINDS; k++) {
        printf("%s: %zu planted, %zu noticed, %zu proved to change nothing\n", plant_names[k], s->planted[k],
               s->noticed[k], s->equal[k]);
        planted += s->planted[k];
        noticed += s->noticed[k];
        equal += s->equal[k];
    }
    printf("%zu planted, %zu noticed, %zu proved to change nothing, %zu not explained\n", planted, noticed, equal,
           planted - noticed - equal);
    return fine && planted > 0 && noticed + equal == planted ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int open_and_run(const weir_device *device, char **argv) {
    weir_program yosys = {NULL, NULL, 0};
    char *cache = weir_sim_cache(NULL);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "faults-");
    session s = {.netlist = {.held = -1}, .work = weir_scratch_path(scratch)};
    bool fine = cache != NULL && weir_program_yosys(cache, &yosys) && yosys.name != NULL &&
                weir_yosys_netlist(&yosys, device, cache, argv[2], argv[3], &s.netlist) == 0;
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
