#include "cli/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/synthesize.h"
#include "cosim/cosim.h"
#include "dataflow/cost/cost.h"
#include "dse/folding/folding_budget.h"
#include "passes/passes.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "support/text/diag.h"
#include "synth/synth.h"

enum { MOST_CANDIDATES = 8 };

/* A candidate: what it was estimated to take, and what Yosys makes of it. */
typedef struct candidate {
    weir_cost_use estimate[WEIR_COST_USES], mapped[WEIR_COST_USES];
} candidate;

static int synthesize(const weir_device *device, const weir_module *module, const char *work, candidate *c) {
    const weir_synth_options options = {.device = device,
                                        .hardware = weir_module_find_graph(module, "hardware"),
                                        .folder = work,
                                        .top = weir_module_string(module, "top", ""),
                                        .placing = WEIR_SYNTH_UNPLACED,
                                        .seconds = WEIR_SYNTHESIZE_SECONDS};
    weir_synth *synth = NULL;
    const int status = weir_synth_run(&options, &synth);
    weir_cost_uses(&synth->estimate.total, device, c->estimate);
    weir_cost_uses(&synth->cost, device, c->mapped);
    weir_synth_free(synth);
    return status;
}

static int measure(const weir_device *device, const weir_module *module, const char *folder, candidate *c) {
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "fit-");
    int status = WEIR_EXIT_INPUT;
    if (scratch != NULL && weir_cosim_copy(folder, weir_scratch_path(scratch)))
        status = synthesize(device, module, weir_scratch_path(scratch), c);
    weir_scratch_free(scratch);
    return status;
}

static bool fits(const candidate *c) {
    bool all = true;
    for (size_t i = 0; i < WEIR_COST_USES; i++) all &= c->mapped[i].used <= c->mapped[i].available;
    return all;
}

/* "7748 LUTs of 7680 (7174 estimated), ..." */
static char *text_of(const candidate *c) {
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; i < WEIR_COST_USES; i++)
        weir_text_format(&text, "%s%lld %s of %lld (%lld estimated)", i == 0 ? "" : ", ", (long long)c->mapped[i].used,
                         c->mapped[i].name, (long long)c->mapped[i].available, (long long)c->estimate[i].used);
    return text.data;
}

/* For the next candidate: of what was too much, less than this one's estimate by as much; of the rest what was left
 * before. */
static void tighten(const candidate *c, int64_t *budget) {
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        const weir_cost_use *mapped = &c->mapped[i];
        if (mapped->used <= mapped->available) continue;
        budget[i] = c->estimate[i].used * mapped->available / mapped->used;
        if (budget[i] >= c->estimate[i].used) budget[i] = c->estimate[i].used - 1;
    }
}

/* As --budget has it, in heap memory. */
static char *budget_text(const int64_t *budget) {
    static const char *const keys[WEIR_COST_USES] = {"lut", "ff", "dsp", "bram"};
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    for (size_t i = 0; i < WEIR_COST_USES; i++)
        if (budget[i] != -1)
            weir_text_format(&text, "%s%s=%lld", text.size == 0 ? "" : ",", keys[i],
                             (long long)(budget[i] < 0 ? budget[i] + 1 : budget[i]));
    return text.data;
}

/* A folding of the user's own is told of, and stays. */
static bool is_searched(const weir_module *module) {
    return *weir_module_string(module, WEIR_FOLDING_REPORT, "") != '\0';
}

/* Compiles and checks one candidate; *is_done: it was put in place. */
static int try_candidate(weir_job *job, weir_module *module, const char *folder, const weir_device *device,
                         candidate *c, bool *is_done) {
    weir_folder *output = weir_folder_open(folder, WEIR_FOLDER_WHOLE);
    if (output == NULL) return WEIR_EXIT_INPUT;
    int status = weir_job_emit(job, module, weir_folder_staging(output));
    if (status == WEIR_EXIT_FINE) status = measure(device, module, weir_folder_staging(output), c);
    *is_done = status == WEIR_EXIT_FINE && (fits(c) || !is_searched(module));
    if (!*is_done) weir_folder_abandon(output);
    else if (!weir_folder_commit(output)) status = WEIR_EXIT_INPUT;
    return status;
}

static int tell(const weir_device *device, int count, bool is_done, const candidate *c) {
    char *text = text_of(c);
    if (is_done && fits(c)) printf("candidate %d fits by Yosys: %s\n", count, text);
    else if (is_done) weir_warning(WEIR_NOWHERE, "the design does not fit %s by Yosys: %s", device->name, text);
    else if (count < MOST_CANDIDATES) weir_note("candidate %d does not fit by Yosys: %s", count, text);
    else
        weir_error(WEIR_NOWHERE, "none of %d candidates fits %s by Yosys; the last takes %s", count, device->name,
                   text);
    free(text);
    return is_done || count < MOST_CANDIDATES ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_fit_compile(weir_job *job, weir_module **module, const char *folder, const weir_device *device) {
    const char *asked = job->budget;
    int64_t budget[WEIR_COST_USES];
    if (!weir_folding_budget_parse(asked == NULL ? "" : asked, device, budget)) return WEIR_EXIT_INPUT;
    weir_graph *model = weir_graph_copy(weir_module_find_graph(*module, "model"));
    char *tightened = NULL;
    candidate c = {.mapped = {{.used = 0}}};
    int status = WEIR_EXIT_FINE;
    bool is_done = false;
    for (int count = 1; status == WEIR_EXIT_FINE && !is_done; count++) {
        status = try_candidate(job, *module, folder, device, &c, &is_done);
        if (status != WEIR_EXIT_FINE) break;
        status = tell(device, count, is_done, &c);
        if (is_done || status != WEIR_EXIT_FINE) break;
        tighten(&c, budget);
        free(tightened);
        job->budget = tightened = budget_text(budget);
        weir_module *again = weir_job_again(*module, weir_graph_copy(model));
        weir_module_free(*module);
        *module = again;
    }
    weir_module_set_folder(*module, folder);
    weir_graph_free(model);
    job->budget = asked;
    free(tightened);
    return status;
}
