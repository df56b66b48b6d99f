#include "cli/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results.h"
#include "cosim/runtime.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

static bool read_choices(const weir_simulate *s, weir_runtime_options *options) {
    bool any = false;
    for (int i = 0; i < WEIR_SIMULATORS; i++) {
        options->simulate[i] =
            strcmp(s->simulator, "both") == 0 || strcmp(s->simulator, weir_simulator_name((weir_simulator)i)) == 0;
        any |= options->simulate[i];
    }
    if (!any) {
        weir_error(WEIR_NOWHERE, "unknown simulator '%s', expected icarus, verilator or both", s->simulator);
        return false;
    }
    any = false;
    for (int i = 0; i < WEIR_SIM_PROFILES; i++) {
        options->profile[i] =
            strcmp(s->profile, "all") == 0 || strcmp(s->profile, weir_profile_name((weir_sim_profile)i)) == 0;
        any |= options->profile[i];
    }
    if (!any)
        weir_error(WEIR_NOWHERE, "unknown profile '%s', expected always, half, eighth, after-valid or all", s->profile);
    return any;
}

/* OUT: the model's outputs as the last fast run gave them. */
static bool write_results(const weir_simulate *s, const weir_graph *hardware, const weir_runtime *runtime) {
    const weir_cosim *run = weir_runtime_fast_run(runtime);
    if (run == NULL) return true;
    return weir_results_write_codes(s->results, hardware, runtime->reference, (const int64_t *const *)run->output,
                                    run->frames);
}

/* Can all files be written that the options ask for? */
static bool check_files(const weir_simulate *s) {
    return (s->json == NULL || weir_file_is_writable(s->json)) &&
           (s->picture == NULL || weir_file_is_writable(s->picture)) &&
           (s->html == NULL || weir_file_is_writable(s->html)) &&
           (s->results == NULL || weir_file_is_writable(s->results));
}

bool weir_simulate_write(const weir_simulate *s, const char *name, const weir_graph *hardware, const json_t *report) {
    if (report == NULL) return true;
    const bool fine = s->json == NULL || weir_cli_write_json(s->json, json_deep_copy(report));
    const json_t *synthesis = json_object_get(report, "synthesis"), *estimate = json_object_get(report, "estimate");
    const weir_report_run run = {
        .name = name, .hardware = hardware, .check = report, .synthesis = synthesis, .estimate = estimate};
    if (s->picture != NULL && s->debug_frames == 0)
        weir_note("'%s' shows no activity, which debug frames measure: --debug-frames N", s->picture);
    return (s->html == NULL || weir_page_write(s->html, &run, 1)) &&
           (s->picture == NULL || weir_page_draw(s->picture, &run)) && fine;
}

int weir_simulate_folder(const weir_simulate *s, const char *name, const weir_graph *model, const weir_graph *quantized,
                         const weir_graph *integer, const weir_graph *hardware, const char *folder, json_t **report) {
    char *data = weir_cli_list_join(&s->data);
    weir_runtime_options options = {.data = data,
                                    .work = s->work,
                                    .frames = s->frames,
                                    .debug_frames = s->debug_frames,
                                    .quantized = quantized,
                                    .task = s->task,
                                    .output = s->output,
                                    .stop = s->stop,
                                    .threads = (size_t)s->threads,
                                    .malformed = s->malformed,
                                    .netlist = s->netlist,
                                    .cells = {s->cells, NULL},
                                    .seed = (uint32_t)s->seed};
    weir_runtime *runtime = NULL;
    const bool chosen = read_choices(s, &options);
    int status = chosen ? WEIR_EXIT_INPUT : WEIR_EXIT_USAGE;
    *report = NULL;
    if (chosen && check_files(s)) status = weir_runtime_run(name, model, integer, hardware, folder, &options, &runtime);
    free(data);
    if (runtime == NULL) return status;
    weir_text text = {NULL, 0, 0};
    weir_runtime_print(runtime, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    *report = weir_runtime_json(runtime);
    if (s->results != NULL && !write_results(s, hardware, runtime)) status = WEIR_EXIT_INPUT;
    weir_runtime_free(runtime);
    return status;
}
