#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/fit.h"
#include "cli/job.h"
#include "dataflow/cost/resources.h"
#include "dse/folding/folding_search.h"
#include "dse/result/picture_roofline.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/file/folder.h"

static const char help_text[] =
    "DIR gets rtl/ (top module, components, parameter memories), tb/ and tb_debug/ (benches), and the graphs as text "
    "IR\n"
    "(model.weir, integer.weir, hardware.weir). Float operators before the first quantizer and after the last run on "
    "the\n"
    "host: host.json describes them and the streams, head.weir and tail.weir are their graphs. DIR must be new, "
    "empty or an\n"
    "earlier result; files that weir did not write are an error. Useful options for --set:\n"
    "  quantize.data_in_width, .data_in_frac_width, .weight_width, .weight_frac_width, .bias_width, .bias_frac_width,\n"
    "  .fraction_rule, .constant_rounding (all with --quantize fixed)\n"
    "A folding file reads 'nodes: {fc1: {simd: 8, pe: 4, storage: block}}'.\n";

/* What the folding is the best of, if it was to be; NULL: nothing was said. A new reference. */
static json_t *folding_report(const weir_module *module) {
    return json_loads(weir_module_string(module, WEIR_FOLDING_REPORT, ""), 0, NULL);
}

static void report(const weir_module *module, const char *model, const char *folder) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s: top module %s in %s/rtl\n", model, weir_module_string(module, "top", ""), folder);
    weir_resources_print(weir_module_find_graph(module, "hardware"), &text);
    json_t *folding = folding_report(module);
    if (folding != NULL) weir_folding_report_print(folding, &text);
    json_decref(folding);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

typedef struct request {
    weir_job *job;
    const char *model, *folder;
    const weir_device *device; /* NULL: no estimate */
    const char *json;          /* of the estimate, or NULL */
    const char *roofline;      /* NULL: none */
} request;

static int draw(const request *r, const weir_module *module) {
    weir_text svg = {NULL, 0, 0};
    weir_dse_picture_roofline(weir_module_find_graph(module, "hardware"), &svg);
    const bool fine = weir_file_write(r->roofline, svg.data, svg.size);
    weir_text_free(&svg);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int estimate(const request *r, const weir_module *module) {
    json_t *value = weir_estimate_report(r->device, module), *folding = folding_report(module);
    if (folding != NULL) json_object_set_new(value, "folding", folding);
    if (r->json == NULL) {
        json_decref(value);
        return WEIR_EXIT_FINE;
    }
    return weir_cli_write_json(r->json, value) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int compile(void *user) {
    const request *r = user;
    weir_module *module = weir_job_read_frames(r->model, &r->job->sizes);
    int status = WEIR_EXIT_INPUT;
    if (module != NULL && r->job->whole) status = weir_fit_compile(r->job, &module, r->folder, r->device);
    else if (module != NULL) status = weir_job_compile(r->job, module, r->folder, NULL);
    if (status == WEIR_EXIT_FINE) report(module, r->model, r->folder);
    if (status == WEIR_EXIT_FINE && r->device != NULL) status = estimate(r, module);
    if (status == WEIR_EXIT_FINE && r->roofline != NULL) status = draw(r, module);
    weir_module_free(module);
    return status;
}

int weir_command_compile(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("compile");
    const char *folder = NULL, *json = NULL, *roofline = NULL;
    weir_device *device = NULL;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &folder, "DIR", "folder to write, required"},
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        WEIR_JOB_SET_OPTION(job),
        WEIR_JOB_HARDWARE_OPTIONS(job),
        {"check", 0, WEIR_CLI_FLAG, &job.whole, NULL, "let Yosys check that it fits, else try the next best"},
        {"json", 'j', WEIR_CLI_STRING, &json, "FILE", "write the estimate as JSON"},
        {"roofline", 0, WEIR_CLI_STRING, &roofline, "FILE.svg", "draw the throughput of each component and its roof"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("compile", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && folder == NULL) status = weir_cli_misuse("compile", "-o DIR is missing");
    if (status < 0 && json != NULL && job.device == NULL)
        status = weir_cli_misuse("compile", "--json writes the estimate: --device NAME is missing");
    if (status < 0 && job.whole && job.device == NULL)
        status = weir_cli_misuse("compile", "--check maps the design to a device: --device NAME is missing");
    const int known = status < 0 ? weir_estimate_open(job.device, &device) : WEIR_EXIT_FINE;
    if (known != WEIR_EXIT_FINE) status = known;
    if (status < 0) {
        char *missing = weir_path_missing(folder);
        status = weir_plugins_guard(&job.plugins, compile, &(request){&job, argv[1], folder, device, json, roofline});
        weir_folder_clean(folder, missing);
        free(missing);
    }
    weir_device_free(device);
    weir_job_free(&job);
    return status;
}
