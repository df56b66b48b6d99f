#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/launch.h"
#include "cli/page.h"
#include "cli/plugins.h"
#include "cli/synthesize.h"
#include "cosim/cosim.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "sim/cache.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"

static const char help_text[] =
    "DIR is what 'weir compile' wrote. Yosys maps it to the cells of the device; the netlist is simulated against the\n"
    "reference on random frames, or on --data, if there are models of its cells; with --place nextpnr places and\n"
    "routes it between registers, with seeds 1, 2, ... until the clock goal is met; with --on all of them, on other\n"
    "machines, and OUT.seeds keeps the results. Results are cached. OUT gets\n"
    "netlist.json, netlist.v, synthesis.json (the report) and the messages of the tools.\n"
    "Exit status 1: it does not fit, with --place; 3: the netlist disagrees with the reference; 4: a program is "
    "missing or failed.\n";

/* What a run needs of the compiled folder: it may not change meanwhile. */
typedef struct reading {
    const char *folder, *work;
    weir_graph *hardware;
    char *top;
} reading;

static char *read_top(const char *folder) {
    char *path = weir_path_join(folder, "host.json");
    size_t size = 0;
    char *text = weir_file_read(path, &size), *top = NULL;
    json_t *host = text == NULL ? NULL : json_loadb(text, size, 0, NULL);
    const char *name = json_string_value(json_object_get(host, "top"));
    if (name != NULL) top = strdup(name);
    else if (text != NULL) weir_error(weir_at(path, 0), "expected the name of the top module");
    json_decref(host);
    free(text);
    free(path);
    return top;
}

static int read_folder(void *user) {
    reading *r = user;
    char *path = weir_path_join(r->folder, "hardware.weir");
    weir_graph_free(r->hardware);
    free(r->top);
    r->top = NULL;
    r->hardware = weir_graph_load(path);
    if (r->hardware != NULL && weir_folding_verify(r->hardware)) r->top = read_top(r->folder);
    const bool is_found = r->top != NULL;
    free(path);
    if (!is_found) weir_note("expected '%s' to be a folder that 'weir compile' wrote", r->folder);
    return is_found && weir_cosim_copy(r->folder, r->work) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

typedef struct request {
    weir_plugins plugins;
    weir_launch launch;
    const char *folder;
    int64_t seed; /* 0: none, else `folder` is a task's file */
    weir_synthesize synthesize;
    weir_device *device; /* NULL: that for which the folder was compiled */
} request;

/* --- seeds on other machines --- */

typedef struct taker {
    weir_place_taker *take;
    void *user;
} taker;

static bool take_seed(void *user, size_t point, const json_t *result) {
    const taker *t = user;
    return t->take(t->user, (int64_t)point + 1, result);
}

static json_t *suite_of(const char *path, int64_t seeds) {
    weir_text command = {NULL, 0, 0};
    weir_text_add(&command, "{weir} synth --seed {seed} --json {result}");
    weir_launch_word(&command, path);
    json_t *suite = json_pack("{s:s, s:{s:{s:i, s:I}}, s:[{s:s, s:[s]}]}", "name", "seeds", "matrix", "seed", "from", 1,
                              "to", (json_int_t)seeds, "steps", "run", command.data, "inputs", path);
    weir_text_free(&command);
    return suite;
}

/* In OUT.seeds, or DIR.seeds without an output. */
static int place_elsewhere(void *user, const json_t *task, int64_t seeds, weir_place_taker *take, void *take_user) {
    const request *r = user;
    const char *beside = r->synthesize.output == NULL ? r->folder : r->synthesize.output;
    char *folder = weir_launch_folder(beside, "seeds"), *path = weir_path_join(folder, "placement.json");
    taker t = {take, take_user};
    const bool fine = weir_make_folder(folder) && weir_cli_write_json(path, json_deep_copy(task));
    const int status =
        fine ? weir_launch_suite(&r->launch, folder, suite_of(path, seeds), take_seed, &t) : WEIR_EXIT_INPUT;
    free(path);
    free(folder);
    return status;
}

/* There: one seed of the task. */
static int place_seed(const request *r) {
    json_error_t error;
    json_t *task = json_load_file(r->folder, 0, &error), *result = NULL;
    char *cache = task == NULL ? NULL : weir_sim_cache(NULL);
    if (task == NULL) weir_error(weir_at(r->folder, error.line), "cannot be read: %s", error.text);
    int status = cache == NULL ? WEIR_EXIT_INPUT : weir_place_task_run(task, cache, r->seed, &result);
    if (result != NULL && !weir_cli_write_json(r->synthesize.json, result)) status = WEIR_EXIT_INPUT;
    free(cache);
    json_decref(task);
    return status;
}

/* Files of OUT that Weir wrote are replaced: a compiled design's shall not be. */
static bool is_compiled(const char *output) {
    char *path = output == NULL ? NULL : weir_path_join(output, "hardware.weir");
    const bool found = path != NULL && weir_file_exists(path);
    if (found) {
        weir_error(weir_at(output, 0), "holds a compiled design, which the files of '--output' would replace");
        weir_note("use a new or empty folder");
    }
    free(path);
    return found;
}

/* Exit status. */
static int choose_device(request *r, const weir_graph *hardware) {
    const char *own = weir_graph_device(hardware);
    if (r->device == NULL && *own == '\0') {
        const int status = weir_cli_misuse("synth", "--device NAME is missing");
        weir_note("'%s' was compiled for no device; 'weir devices' lists them", r->folder);
        return status;
    }
    if (r->device == NULL) return weir_estimate_open(own, &r->device);
    const weir_device *built = weir_target_of(hardware).device;
    if (built != NULL && strcmp(built->name, r->device->name) != 0)
        weir_warning(weir_at(r->folder, 0), "compiled for %s, but synthesized for %s", built->name, r->device->name);
    return WEIR_EXIT_FINE;
}

static int run_in(request *r, const char *work) {
    reading in = {r->folder, work, NULL, NULL};
    json_t *report = NULL;
    int status = weir_folder_read(r->folder, read_folder, &in);
    if (status == WEIR_EXIT_FINE) status = choose_device(r, in.hardware);
    if (status == WEIR_EXIT_FINE)
        status = weir_synthesize_folder(&r->synthesize, r->device, in.hardware, in.top, work, &report);
    weir_page_leave(r->folder, WEIR_PAGE_SYNTHESIS, in.hardware, report);
    const weir_report_run page = {.name = r->folder,
                                  .hardware = in.hardware,
                                  .synthesis = report,
                                  .estimate = json_object_get(report, "estimate")};
    if (report != NULL && r->synthesize.html != NULL && !weir_page_write(r->synthesize.html, &page, 1))
        status = WEIR_EXIT_INPUT;
    json_decref(report);
    weir_graph_free(in.hardware);
    free(in.top);
    return status;
}

static int run(void *user) {
    request *r = user;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "synth-");
    const int status = scratch == NULL ? WEIR_EXIT_INPUT : run_in(r, weir_scratch_path(scratch));
    weir_scratch_free(scratch);
    return status;
}

int weir_command_synth(int argc, char **argv) {
    request r = {.synthesize = WEIR_SYNTHESIZE_DEFAULTS};
    const char *device_name = NULL;
    const weir_cli_option options[] = {
        {"device", 0, WEIR_CLI_STRING, &device_name, "NAME", "the FPGA (that of 'weir compile'): see 'weir devices'"},
        {"place", 'p', WEIR_CLI_FLAG, &r.synthesize.place, NULL, "place and route with nextpnr, for the clock"},
        {"seeds", 0, WEIR_CLI_COUNT, &r.synthesize.seeds, "N", "placements to try until one meets the clock goal (4)"},
        WEIR_LAUNCH_OPTIONS(r.launch, "1 seed"),
        {"seed", 0, WEIR_CLI_COUNT, &r.seed, "N", "place seed N of the file DIR and write --json, as --on does"},
        {"placer", 0, WEIR_CLI_STRING, &r.synthesize.placer, "NAME",
         "nextpnr's placer: heap, sa or, in recent versions, static (its default)"},
        WEIR_YOSYS_OPTION(r.synthesize.yosys),
        {"timeout", 0, WEIR_CLI_COUNT, &r.synthesize.seconds, "SECONDS", "for Yosys, and for each placement (1200)"},
        {"clock", 0, WEIR_CLI_COUNT, &r.synthesize.clock_mhz, "MHZ", "the clock goal (that of 'weir compile')"},
        WEIR_DATA_OPTION(r.synthesize.data, "frames to simulate the netlist on (random ones)"),
        {"frames", 'n', WEIR_CLI_INT, &r.synthesize.frames, "N", "number of frames, 0: none (2 to 16; all of --data)"},
        {"prove", 0, WEIR_CLI_FLAG, &r.synthesize.prove, NULL, "prove the mapping to cells also of a large netlist"},
        {"output", 'o', WEIR_CLI_STRING, &r.synthesize.output, "OUT", "folder for netlist, report and messages"},
        {"json", 'j', WEIR_CLI_STRING, &r.synthesize.json, "FILE", "write the report as JSON"},
        WEIR_HTML_OPTION(r.synthesize.html),
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("synth", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && r.synthesize.data.count > 0 && r.synthesize.frames == 0)
        status = weir_cli_misuse("synth", "--data cannot be combined with --frames 0");
    if (status < 0 && r.synthesize.placer != NULL && !r.synthesize.place)
        status = weir_cli_misuse("synth", "--placer needs --place");
    if (status < 0) status = weir_launch_check("synth", &r.launch);
    if (status < 0 && r.launch.on != NULL && !r.synthesize.place)
        status = weir_cli_misuse("synth", "--on needs --place");
    if (status < 0 && r.seed > 0 && r.synthesize.json == NULL) status = weir_cli_misuse("synth", "--seed needs --json");
    r.folder = argv[1];
    if (status < 0 && r.seed > 0) status = place_seed(&r);
    const weir_place_elsewhere elsewhere = {place_elsewhere, &r};
    if (r.launch.on != NULL) r.synthesize.elsewhere = &elsewhere;
    const int known = status < 0 ? weir_estimate_open(device_name, &r.device) : WEIR_EXIT_FINE;
    if (known != WEIR_EXIT_FINE) status = known;
    if (status < 0 && is_compiled(r.synthesize.output)) status = WEIR_EXIT_INPUT;
    if (status < 0) {
        const char *output = r.synthesize.output;
        char *missing = output == NULL ? NULL : weir_path_missing(output);
        status = weir_plugins_guard(&r.plugins, run, &r);
        if (output != NULL) weir_folder_clean(output, missing);
        free(missing);
    }
    weir_device_free(r.device);
    weir_cli_list_free(&r.plugins.files);
    weir_cli_list_free(&r.synthesize.data);
    return status;
}
