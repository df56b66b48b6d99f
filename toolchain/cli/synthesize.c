#include "cli/synthesize.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/text/diag.h"
#include "synth/synth.h"

/* What was done, also when a later step failed; true unless it cannot be written. */
static bool tell(const weir_synthesize *s, const weir_synth *synth, json_t **report) {
    if (synth->netlist.json == NULL) return true;
    weir_text text = {NULL, 0, 0};
    weir_synth_print(synth, &text);
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
    weir_text_free(&text);
    weir_synth_warn(synth);
    json_t *json = weir_synth_json(synth);
    bool fine = s->json == NULL || weir_cli_write_json(s->json, json_deep_copy(json));
    fine = (s->output == NULL || weir_synth_write(synth, json, s->output)) && fine;
    if (report != NULL) *report = json;
    else json_decref(json);
    return fine;
}

int weir_synthesize_folder(const weir_synthesize *s, const weir_device *device, const weir_graph *hardware,
                           const char *top, const char *work, json_t **report) {
    char *data = weir_cli_list_join(&s->data);
    const weir_synth_options options = {.device = device,
                                        .hardware = hardware,
                                        .folder = work,
                                        .top = top,
                                        .placing = s->place            ? WEIR_SYNTH_PLACED
                                                   : s->place_if_found ? WEIR_SYNTH_PLACED_IF_FOUND
                                                                       : WEIR_SYNTH_UNPLACED,
                                        .yosys = s->yosys,
                                        .placer = s->placer,
                                        .seeds = s->seeds,
                                        .clock_mhz = s->clock_mhz,
                                        .seconds = s->seconds,
                                        .simulate = s->frames != 0,
                                        .data = data,
                                        .frames = s->frames > 0 ? s->frames : 0,
                                        .prove = s->prove,
                                        .elsewhere = s->elsewhere};
    weir_synth *synth = NULL;
    if (report != NULL) *report = NULL;
    int status = weir_synth_run(&options, &synth);
    if (!tell(s, synth, report) && status == WEIR_EXIT_FINE) status = WEIR_EXIT_INPUT;
    weir_synth_free(synth);
    free(data);
    return status;
}
