#include "cli/board_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/manifest.h"
#include "dataflow/cost/cost.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"

static bool is_compiled(const char *path) {
    char *file = weir_path_join(path, "hardware.weir");
    const bool found = weir_file_exists(file);
    free(file);
    return found;
}

/* Of those that say how to compile. */
static const char *compiling(const weir_board_make *r) {
    const weir_job *job = &r->job;
    const struct {
        const char *name;
        bool is_given;
    } options[] = {{"quantize", job->quantize != NULL},
                   {"calibration", job->calibration.count > 0},
                   {"input-quantizer", job->input_quantizers.count > 0},
                   {"contract", job->contract != NULL},
                   {"batch", job->sizes.batch != 1},
                   {"shape", job->sizes.shape.count > 0},
                   {"passes", job->passes != NULL},
                   {"level", job->level >= 0},
                   {"set", job->set.count > 0},
                   {"target-interval", job->target_interval != 0},
                   {"max-macs", job->max_macs != 0},
                   {"folding", job->folding != NULL},
                   {"objective", job->objective != NULL},
                   {"budget", job->budget != NULL},
                   {"requantize", strcmp(job->requantize, "auto") != 0},
                   {"top", job->top != NULL}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].is_given) return options[i].name;
    }
    return NULL;
}

/* What the board's logic takes is no part of what the folding may. */
static char *budget_of(const weir_board *board) {
    static const struct {
        const char *key, *word; /* of weir_cost_uses, of --budget */
        int64_t share;
    } rows[] = {{"luts", "lut", WEIR_BOARD_SHARE_LUTS},
                {"flip_flops", "ff", WEIR_BOARD_SHARE_FLIP_FLOPS},
                {"memory_blocks", "bram", WEIR_BOARD_SHARE_BLOCKS}};
    const weir_cost nothing = {0};
    weir_cost_use uses[WEIR_COST_USES];
    weir_text text = {NULL, 0, 0};
    weir_cost_uses(&nothing, board->device, uses);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < WEIR_COST_USES; k++) {
            if (strcmp(uses[k].key, rows[i].key) != 0) continue;
            const int64_t left = uses[k].available - rows[i].share;
            weir_text_format(&text, "%s%s=%lld", text.size == 0 ? "" : ",", rows[i].word,
                             (long long)(left > 0 ? left : 0));
        }
    }
    return text.data;
}

/* Compiles into, or copies to, `design`. Exit status. */
static int make_design(weir_board_make *r, const char *design) {
    const char *given = compiling(r);
    if (is_compiled(r->model) && given != NULL)
        return weir_cli_misuse(r->job.command, "'%s' is compiled already: --%s would change nothing", r->model, given);
    if (is_compiled(r->model)) return weir_tree_copy(r->model, design) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    char *budget =
        r->job.budget == NULL && r->job.folding == NULL && r->job.target_interval == 0 && r->job.max_macs == 0
            ? budget_of(r->board)
            : NULL;
    if (budget != NULL) r->job.budget = budget;
    r->job.device = r->board->device_name;
    weir_module *module = weir_job_read_frames(r->model, &r->job.sizes);
    const int status = module == NULL ? WEIR_EXIT_INPUT : weir_job_emit(&r->job, module, design);
    weir_module_free(module);
    if (budget != NULL) r->job.budget = NULL;
    free(budget);
    return status;
}

static int build_in(weir_board_make *r, const char *folder, const char *work) {
    char *design = weir_path_join(folder, WEIR_BOARD_DESIGN), *path = weir_path_join(design, "hardware.weir");
    weir_graph *hardware = NULL;
    json_t *report = NULL;
    int status = weir_make_folder(design) ? make_design(r, design) : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE) {
        hardware = weir_graph_load(path);
        if (hardware == NULL || !weir_folding_verify(hardware)) status = WEIR_EXIT_INPUT;
    }
    const char *own = hardware == NULL ? "" : weir_graph_device(hardware);
    if (*own != '\0' && strcmp(own, r->board->device->name) != 0)
        weir_warning(weir_at(r->model, 0), "compiled for %s, but the board has %s", own, r->board->device->name);
    if (status == WEIR_EXIT_FINE) {
        const weir_board_build_options options = {.board = r->board,
                                                  .name = r->board_name,
                                                  .hardware = hardware,
                                                  .folder = folder,
                                                  .work = work,
                                                  .clock_hz = r->clock_mhz * 1000000,
                                                  .baud = r->baud,
                                                  .seeds = r->seeds,
                                                  .seconds = r->seconds,
                                                  .place = !r->sources_only};
        status = weir_board_build(&options, &report);
    }
    if (status == WEIR_EXIT_FINE) {
        weir_text text = {NULL, 0, 0};
        weir_board_build_print(report, &text);
        fwrite(text.data, 1, text.size, stdout);
        weir_text_free(&text);
        char *json = r->json == NULL ? NULL : weir_cli_json(json_deep_copy(report));
        if (json != NULL && !weir_file_write(r->json, json, strlen(json))) status = WEIR_EXIT_INPUT;
        free(json);
    }
    json_decref(report);
    weir_graph_free(hardware);
    free(path);
    free(design);
    return status;
}

static int build(void *user) {
    weir_board_make *r = user;
    weir_folder *output = weir_folder_open(r->folder, WEIR_FOLDER_WHOLE);
    weir_scratch *scratch = output == NULL ? NULL : weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "board-");
    int status =
        scratch == NULL ? WEIR_EXIT_INPUT : build_in(r, weir_folder_staging(output), weir_scratch_path(scratch));
    weir_scratch_free(scratch);
    if (output != NULL && status != WEIR_EXIT_FINE) weir_folder_abandon(output);
    else if (output != NULL && !weir_folder_commit(output)) status = WEIR_EXIT_INPUT;
    return status;
}

const char *weir_board_make_given(const weir_board_make *r) {
    if (r->folder != NULL) return "output";
    if (r->clock_mhz != 0) return "clock";
    if (r->baud != 0) return "baud";
    return r->seeds != WEIR_BOARD_SEEDS ? "seeds" : compiling(r);
}

int weir_board_make_check(weir_board_make *r) {
    int status = WEIR_EXIT_FINE;
    if (r->folder == NULL) return weir_cli_misuse(r->job.command, "-o DIR is missing");
    if (r->board_name == NULL) return weir_cli_misuse(r->job.command, "--board NAME is missing");
    r->board = weir_board_read(r->board_name, &status);
    return r->board == NULL ? status : -1;
}

int weir_board_make_run(weir_board_make *r) {
    char *missing = weir_path_missing(r->folder);
    const int status = weir_plugins_guard(&r->job.plugins, build, r);
    weir_folder_clean(r->folder, missing);
    free(missing);
    return status;
}

void weir_board_make_free(weir_board_make *r) {
    weir_board_free(r->board);
    weir_job_free(&r->job);
}
