#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/contract.h"
#include "cli/estimate.h"
#include "cli/job.h"
#include "cli/simulate.h"
#include "cli/synthesize.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"

static const char help_text[] =
    "Compiles the model, simulates it on both simulators and compares with the bit-exact reference: every value of "
    "every\n"
    "stream for the first frames (--debug-frames), every output for all frames. Prints accuracy, latency, interval "
    "and the\n"
    "activity of each component. With --device also synthesizes it, simulates the netlist, and places it if nextpnr "
    "is\n"
    "found. Labels are the array 'y', 'labels', 'target', ... of an .npz. Exit status 3: the hardware\n"
    "disagrees with the reference, and the report names the node.\n";

typedef struct request {
    weir_job *job;
    const char *model, *folder; /* to keep, or NULL */
    weir_simulate *simulate;
    const weir_device *device; /* NULL: neither estimate nor synthesis */
    const char *yosys;         /* as in weir_synthesize */
    int64_t seeds, seconds;
} request;

enum { NETLIST_FRAMES = 2 };

static int simulate(const request *r, const weir_module *module, const char *folder, json_t **report) {
    json_t *estimate = r->device == NULL ? NULL : weir_estimate_report(r->device, module);
    const int status =
        weir_simulate_folder(r->simulate, weir_module_name(module), weir_module_find_graph(module, "model"),
                             weir_module_find_graph(module, "quantized"), weir_module_find_graph(module, "integer"),
                             weir_module_find_graph(module, "hardware"), folder, report);
    if (estimate != NULL && *report != NULL) json_object_set(*report, "estimate", estimate);
    json_decref(estimate);
    return status;
}

static int synthesize(const request *r, const weir_module *module, json_t *report) {
    const weir_synthesize options = {.place_if_found = true,
                                     .yosys = r->yosys,
                                     .seeds = r->seeds,
                                     .clock_mhz = r->job->clock,
                                     .seconds = r->seconds,
                                     .data = r->simulate->data,
                                     .frames = NETLIST_FRAMES};
    json_t *synthesis = NULL;
    putchar('\n');
    const int status = weir_synthesize_folder(&options, r->device, weir_module_find_graph(module, "hardware"),
                                              weir_module_string(module, "top", ""), r->simulate->work, &synthesis);
    if (report != NULL && synthesis != NULL) json_object_set(report, "synthesis", synthesis);
    json_decref(synthesis);
    return status;
}

/* How many outputs the other contract would change, in the report too; takes `before` over. */
static void tell_contract(const request *r, const weir_module *module, weir_graph *before, json_t *report) {
    const weir_contract_other other =
        weir_contract_compare(r->job, module, before, &r->simulate->data, r->simulate->threads);
    char *text = weir_contract_text(&other);
    if (text != NULL) printf("\n  %s\n", text);
    if (report != NULL)
        json_object_set_new(report, "contract",
                            json_pack("{s:s, s:I, s:I}", "name", weir_graph_contract_name(other.own), "outputs",
                                      (json_int_t)other.outputs, "changed_by_other", (json_int_t)other.changed));
    free(text);
}

/* The folder that is simulated is this run's own; with `r->folder` that one gets the same files. Hardware that is wrong
 * is not synthesized. */
static int check_in(const request *r, weir_scratch *scratch) {
    const char *work = weir_scratch_path(scratch), *folder = r->folder == NULL ? work : r->folder;
    weir_module *module = weir_job_read_frames(r->model, &r->job->sizes);
    weir_graph *before = module == NULL ? NULL : weir_graph_copy(weir_module_find_graph(module, "model"));
    int status = WEIR_EXIT_INPUT;
    json_t *report = NULL;
    if (module != NULL && r->folder == NULL) status = weir_job_emit(r->job, module, work);
    else if (module != NULL) status = weir_job_compile(r->job, module, folder, work);
    r->simulate->work = work;
    if (status == WEIR_EXIT_FINE) {
        status = simulate(r, module, folder, &report);
        if (status == WEIR_EXIT_FINE) {
            tell_contract(r, module, before, report);
            before = NULL;
        }
        if (r->device != NULL && (status == WEIR_EXIT_FINE || status == WEIR_EXIT_TOOL)) {
            const int synthesized = synthesize(r, module, report);
            if (synthesized != WEIR_EXIT_FINE) status = synthesized;
        }
    }
    if (r->folder != NULL && report != NULL)
        weir_page_leave(folder, WEIR_PAGE_CHECK, weir_module_find_graph(module, "hardware"), report);
    if (report != NULL &&
        !weir_simulate_write(r->simulate, weir_module_name(module), weir_module_find_graph(module, "hardware"), report))
        status = WEIR_EXIT_INPUT;
    json_decref(report);
    weir_graph_free(before);
    weir_module_free(module);
    return status;
}

static int check(void *user) {
    const request *r = user;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "check-");
    if (scratch == NULL) return WEIR_EXIT_INPUT;
    int status = check_in(r, scratch);
    if (status == WEIR_EXIT_MISMATCH && r->folder == NULL) {
        printf("\n  the folder is kept: %s\n", weir_scratch_path(scratch));
        weir_scratch_keep(scratch);
    } else {
        weir_scratch_free(scratch);
    }
    return status;
}

int weir_command_check(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("check");
    weir_simulate simulate_options = WEIR_SIMULATE_DEFAULTS;
    const char *folder = NULL, *yosys = NULL;
    weir_device *device = NULL;
    int64_t seeds = WEIR_SYNTHESIZE_SEEDS, seconds = WEIR_SYNTHESIZE_SECONDS;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &folder, "DIR", "keep the compiled folder here"},
        WEIR_SIMULATE_OPTIONS(simulate_options),
        {"threads", 0, WEIR_CLI_INT, &simulate_options.threads, "N",
         "frames that the software engines run at a time; 0: one per processor (1)"},
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        WEIR_JOB_SET_OPTION(job),
        WEIR_JOB_HARDWARE_OPTIONS(job),
        {"seeds", 0, WEIR_CLI_COUNT, &seeds, "N",
         "with --device: placements to try until one meets the clock goal (4)"},
        WEIR_YOSYS_OPTION(yosys),
        {"timeout", 0, WEIR_CLI_COUNT, &seconds, "SECONDS", "with --device: for Yosys, and for each placement (1200)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("check", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && simulate_options.data.count == 0) status = weir_cli_misuse("check", "--data FILE is missing");
    if (status < 0 && yosys != NULL && job.device == NULL) status = weir_cli_misuse("check", "--yosys needs --device");
    const int known = status < 0 ? weir_estimate_open(job.device, &device) : WEIR_EXIT_FINE;
    if (known != WEIR_EXIT_FINE) status = known;
    if (status < 0) {
        char *missing = folder == NULL ? NULL : weir_path_missing(folder);
        status = weir_plugins_guard(
            &job.plugins, check, &(request){&job, argv[1], folder, &simulate_options, device, yosys, seeds, seconds});
        if (folder != NULL) weir_folder_clean(folder, missing);
        free(missing);
    }
    weir_cli_list_free(&simulate_options.data);
    weir_device_free(device);
    weir_job_free(&job);
    return status;
}
