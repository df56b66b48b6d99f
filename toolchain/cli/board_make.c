#include "cli/board_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/fill.h"
#include "board/flow.h"
#include "cosim/frames.h"
#include "dataflow/cost/cost.h"
#include "dataflow/folding.h"
#include "graph/manifest.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static bool is_compiled(const char *path) {
    char *file = weir_path_join(path, "hardware.weir");
    const bool found = weir_file_exists(file);
    free(file);
    return found;
}

typedef struct option_use {
    const char *name;
    bool is_set;
} option_use;

static const char *first_set(const option_use *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (options[i].is_set) return options[i].name;
    }
    return NULL;
}

/* Of those that say what hardware a model becomes. */
static const char *shaping(const weir_job *job) {
    const option_use options[] = {{"target-interval", job->target_interval != 0},
                                  {"max-macs", job->max_macs != 0},
                                  {"folding", job->folding != NULL},
                                  {"objective", job->objective != NULL},
                                  {"budget", job->budget != NULL},
                                  {"requantize", strcmp(job->requantize, "auto") != 0},
                                  {"patchable", job->patchable},
                                  {"top", job->top != NULL}};
    return first_set(options, sizeof options / sizeof *options);
}

/* Of those that say how to compile. */
static const char *compiling(const weir_board_make *r) {
    const weir_job *job = &r->job;
    const option_use options[] = {{"quantize", job->quantize != NULL},
                                  {"calibration", job->calibration.count > 0},
                                  {"calibrator", job->calibrator != NULL},
                                  {"target", job->target != NULL},
                                  {"input-quantizer", job->input_quantizers.count > 0},
                                  {"state", job->states.count > 0},
                                  {"decode", job->decode != NULL},
                                  {"sequence", job->sequence > 0},
                                  {"contract", job->contract != NULL},
                                  {"batch", job->sizes.batch != 1},
                                  {"shape", job->sizes.shape.count > 0},
                                  {"passes", job->passes != NULL},
                                  {"level", job->level >= 0},
                                  {"set", job->set.count > 0}};
    const char *first = first_set(options, sizeof options / sizeof *options);
    return first != NULL ? first : shaping(job);
}

/* What the board's logic takes is no part of what a folding that is searched for may. Heap memory; NULL: the user's own
 * budget. */
static char *budget_of(const weir_board_make *r) {
    const int more = (r->benchmark ? WEIR_BOARD_BENCHMARK_LUTS : 0) + (r->debug ? WEIR_BOARD_DEBUG_LUTS : 0) +
                     (r->read_back || r->loadable ? WEIR_BOARD_READ_BACK_LUTS : 0) +
                     (r->loadable ? WEIR_BOARD_LOADABLE_LUTS : 0);
    if (r->job.budget != NULL) return NULL;
    return weir_format("lut=-%d,ff=-%d,bram=-%d", WEIR_BOARD_SHARE_LUTS + more, WEIR_BOARD_SHARE_FLIP_FLOPS + more,
                       WEIR_BOARD_SHARE_BLOCKS);
}

/* Are the frames that it will be tried with there, and do they fit? A build takes long: this is asked before. */
static bool has_frames(const weir_board_make *r, const weir_module *module) {
    weir_graph *graph = r->data == NULL ? NULL : weir_job_kept_model(&r->job, module);
    weir_frames *frames = graph == NULL ? NULL : weir_frames_read(graph, r->data);
    weir_graph_free(graph);
    if (frames == NULL) return r->data == NULL;
    weir_frames_free(frames);
    return true;
}

/* For a device; NULL: whatever it takes. Exit status. */
static int compile(weir_board_make *r, const char *device, const char *design) {
    weir_job job = r->job;
    char *budget = device == NULL ? NULL : budget_of(r);
    if (budget != NULL) job.budget = budget;
    job.device = device;
    job.patchable |= r->loadable;
    weir_module *module = weir_job_read_frames(r->model, &job.sizes);
    const bool readable = module != NULL && has_frames(r, module);
    const int status = readable ? weir_job_emit(&job, module, design) : WEIR_EXIT_INPUT;
    weir_module_free(module);
    free(budget);
    return status;
}

/* --- where there is room --- */

/* Does the model compile for the device, NULL: any? Nothing is reported. */
static bool has_room(weir_board_make *r, const char *device) {
    weir_diag_log *log = weir_diag_capture();
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "room-");
    const bool room = scratch != NULL && compile(r, device, weir_scratch_path(scratch)) == WEIR_EXIT_FINE;
    weir_scratch_free(scratch);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return room;
}

static int by_size(const void *a, const void *b) {
    const weir_board *x = *(weir_board *const *)a, *y = *(weir_board *const *)b;
    const int64_t of_x = weir_device_luts(x->device), of_y = weir_device_luts(y->device);
    return of_x != of_y ? (of_x > of_y) - (of_x < of_y) : strcmp(x->name, y->name);
}

/* Of all boards that free tools make bitstreams for those that have another device than this one, the smallest
 * first. */
static weir_board **others(const weir_board *board, size_t *count) {
    size_t names;
    int status;
    char **name = weir_board_names(&names);
    weir_board **other = weir_calloc(names + 1, sizeof(weir_board *));
    *count = 0;
    for (size_t i = 0; name != NULL && i < names; i++) {
        weir_board *b = weir_board_read(name[i], &status);
        const bool counts = b != NULL && weir_board_flow_packer_name(b->device) != NULL &&
                            strcmp(b->device->name, board->device->name) != 0;
        if (counts) other[(*count)++] = b;
        else weir_board_free(b);
    }
    qsort(other, *count, sizeof(weir_board *), by_size);
    free(name);
    return other;
}

/* The boards with the smallest device that has room. After netlists that were too large that is one of more lookup
 * tables than this one's. */
static void note_room(weir_board_make *r, bool larger) {
    size_t count;
    weir_diag_log *log = weir_diag_capture();
    weir_board **other = others(r->board, &count);
    weir_diag_release(log);
    weir_diag_log_free(log);
    const weir_board *found = NULL, *tried = NULL;
    weir_text names = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const weir_board *b = other[i];
        if (found != NULL && strcmp(b->device->name, found->device->name) == 0)
            weir_text_format(&names, ", %s", b->name);
        if (found != NULL || (tried != NULL && strcmp(b->device->name, tried->device->name) == 0)) continue;
        tried = b;
        if (larger && weir_device_luts(b->device) <= weir_device_luts(r->board->device)) continue;
        if (!has_room(r, b->device_name)) continue;
        found = b;
        weir_text_add(&names, b->name);
    }
    if (found != NULL)
        weir_note("the smallest device of a board that has room, by estimate, is %s: %s", found->device->name,
                  names.data);
    else weir_note("no board for which free tools make bitstreams has room");
    weir_text_free(&names);
    for (size_t i = 0; i < count; i++) weir_board_free(other[i]);
    free(other);
}

/* --- what a patchable design costs --- */

typedef struct price {
    int64_t luts, blocks;
} price;

static price price_of(const weir_graph *hardware, const weir_device *device) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_report report = weir_cost_of_graph(hardware, device);
    price p = {0, 0};
    weir_cost_uses(&report.total, device, uses);
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        if (strcmp(uses[i].key, "luts") == 0) p.luts = uses[i].used;
        if (strcmp(uses[i].key, "memory_blocks") == 0) p.blocks = uses[i].used;
    }
    weir_cost_report_free(&report);
    return p;
}

/* Beside the same model for its own parameters alone, at the same pace; nothing is said where that does not compile. */
static void print_price(weir_board_make *r, const weir_graph *hardware) {
    weir_diag_log *log = weir_diag_capture();
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "price-");
    const weir_job asked = r->job;
    const bool loadable = r->loadable;
    r->job.patchable = r->loadable = false;
    r->job.objective = r->job.folding = NULL;
    r->job.target_interval = weir_graph_interval(hardware);
    const int status =
        scratch == NULL ? WEIR_EXIT_INPUT : compile(r, r->board->device_name, weir_scratch_path(scratch));
    r->job = asked;
    r->loadable = loadable;
    char *path = scratch == NULL ? NULL : weir_path_join(weir_scratch_path(scratch), "hardware.weir");
    weir_graph *plain = status == WEIR_EXIT_FINE ? weir_graph_load(path) : NULL;
    weir_diag_release(log);
    weir_diag_log_free(log);
    if (plain != NULL) {
        const price with = price_of(hardware, r->board->device), without = price_of(plain, r->board->device);
        printf("patchable, by estimate: %lld LUTs and %lld memory blocks; for these parameters alone %lld and %lld\n",
               (long long)with.luts, (long long)with.blocks, (long long)without.luts, (long long)without.blocks);
    }
    weir_graph_free(plain);
    weir_scratch_free(scratch);
    free(path);
}

/* --- building --- */

/* Compiles into, or copies to, `design`. Exit status. */
static int make_design(weir_board_make *r, const char *design) {
    const char *option = compiling(r);
    if (is_compiled(r->model) && option != NULL)
        return weir_cli_misuse(r->job.command, "'%s' is already compiled: --%s would have no effect", r->model, option);
    if (is_compiled(r->model)) return weir_tree_copy(r->model, design) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    const int status = compile(r, r->board->device_name, design);
    if (status == WEIR_EXIT_INPUT && has_room(r, NULL)) note_room(r, false);
    return status;
}

bool weir_board_make_tell(const json_t *report, const char *json) {
    weir_text text = {NULL, 0, 0};
    weir_board_build_print(report, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return json == NULL || weir_cli_write_json(json, json_deep_copy(report));
}

static int build_in(weir_board_make *r, const char *folder, const char *work) {
    char *design = weir_path_join(folder, WEIR_BOARD_DESIGN), *path = weir_path_join(design, "hardware.weir");
    weir_graph *hardware = NULL;
    json_t *report = NULL;
    int status = weir_make_folder(design) ? make_design(r, design) : WEIR_EXIT_INPUT;
    bool lacks_room = false;
    if (status == WEIR_EXIT_FINE) {
        hardware = weir_graph_load(path);
        if (hardware == NULL || !weir_folding_verify(hardware)) status = WEIR_EXIT_INPUT;
    }
    const char *own = hardware == NULL ? "" : weir_graph_device(hardware);
    if (is_compiled(r->model) && *own != '\0' && strcmp(own, r->board->device->name) != 0)
        weir_warning(weir_at(r->model, 0), "compiled for %s, but the board has %s", own, r->board->device->name);
    if (status == WEIR_EXIT_FINE) {
        const weir_board_build_options options = {.board = r->board,
                                                  .name = r->board_name,
                                                  .hardware = hardware,
                                                  .folder = folder,
                                                  .work = work,
                                                  .data = r->data,
                                                  .clock_hz = r->clock_hz > 0 ? r->clock_hz : r->clock_mhz * 1000000,
                                                  .baud = r->baud,
                                                  .seeds = r->seeds,
                                                  .seconds = r->seconds,
                                                  .yosys = r->yosys,
                                                  .place = !r->sources_only,
                                                  .benchmark = r->benchmark,
                                                  .debug = r->debug,
                                                  .read_back = r->read_back || r->loadable,
                                                  .loadable = r->loadable};
        status = weir_board_build(&options, &report, &lacks_room);
    }
    if (lacks_room && !is_compiled(r->model)) note_room(r, true);
    if (status == WEIR_EXIT_FINE && !is_compiled(r->model) && (r->job.patchable || r->loadable))
        print_price(r, hardware);
    if (status == WEIR_EXIT_FINE && !weir_board_make_tell(report, r->json)) status = WEIR_EXIT_INPUT;
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

static const char *placing(const weir_board_make *r) {
    const option_use options[] = {{"seeds", r->seeds != WEIR_BOARD_SEEDS}, {"yosys", r->yosys != NULL}};
    return first_set(options, sizeof options / sizeof *options);
}

static const char *building(const weir_board_make *r) {
    const option_use options[] = {{"output", r->folder != NULL}, {"clock", r->clock_mhz != 0},
                                  {"baud", r->baud != 0},        {"benchmark", r->benchmark},
                                  {"debug", r->debug},           {"readback", r->read_back},
                                  {"loadable", r->loadable}};
    const char *first = first_set(options, sizeof options / sizeof *options);
    return first != NULL ? first : placing(r);
}

/* What no sources depend on. */
static const char *needing_bitstream(const weir_board_make *r) {
    const char *first = placing(r);
    return first != NULL ? first : r->seconds != WEIR_SYNTHESIZE_SECONDS ? "timeout" : NULL;
}

const char *weir_board_make_first_option(const weir_board_make *r) {
    const char *first = building(r);
    return first != NULL ? first : compiling(r);
}

const char *weir_board_make_shaping(const weir_board_make *r) {
    const char *first = building(r);
    if (first != NULL) return first;
    if (r->board_name != NULL) return "board";
    return r->sources_only ? "sources" : shaping(&r->job);
}

int weir_board_make_check(weir_board_make *r) {
    int status = WEIR_EXIT_FINE;
    if (r->board_name == NULL) return weir_cli_misuse(r->job.command, "--board NAME is missing");
    if (r->folder == NULL) return weir_cli_misuse(r->job.command, "-o DIR is missing");
    const char *unneeded = r->sources_only ? needing_bitstream(r) : NULL;
    if (unneeded != NULL)
        return weir_cli_misuse(r->job.command, "--%s is for a bitstream, but --sources makes none", unneeded);
    r->board = weir_board_read(r->board_name, &status);
    if (r->board == NULL) return status;
    if (!r->job.patchable || r->loadable || weir_fill_is_known(r->board->device)) return -1;
    weir_fill_report_unknown(r->board->device);
    return WEIR_EXIT_INPUT;
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
