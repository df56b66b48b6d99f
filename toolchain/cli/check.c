#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "cli/simulate.h"
#include "passes/analysis/runtime.h"
#include "passes/passes.h"
#include "support/arena.h"
#include "support/file.h"

static const char help_text[] =
    "Compares every value of every stream (on --debug-frames frames) and of the outputs (on all frames) with the\n"
    "bit-exact reference, on both simulators, and prints accuracy, latency, interval and what each component did.\n"
    "Labels are the array 'y', 'labels', 'target', ... of an .npz. Exit status 3: the hardware disagrees, the report names the node.\n";

typedef struct request {
    weir_job *job;
    const char *model, *folder;
    const weir_simulate *simulate;
} request;

static int check(void *user) {
    const request *r = user;
    weir_module *module = weir_job_read_frames(r->model, r->job->batch);
    int status = module == NULL ? WEIR_EXIT_INPUT : weir_job_compile(r->job, module, r->folder);
    if (status == WEIR_EXIT_FINE)
        status = weir_simulate_folder(r->simulate, weir_module_name(module), weir_module_find_graph(module, "model"),
                                      weir_module_find_graph(module, "integer"),
                                      weir_module_find_graph(module, "hardware"), r->folder);
    weir_module_free(module);
    return status;
}

int weir_command_check(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("check");
    weir_simulate simulate = WEIR_SIMULATE_DEFAULTS;
    const char *folder = NULL;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &folder, "DIR", "keep the compiled folder here"},
        WEIR_SIMULATE_OPTIONS(simulate),
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        WEIR_JOB_HARDWARE_OPTIONS(job),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("check", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && simulate.data.count == 0) status = weir_cli_misuse("check", "--data FILE is missing");
    if (status < 0) {
        const char *kept = folder, *temporary = getenv("TMPDIR");
        char *own = weir_format("%s/weir_check_XXXXXX", temporary == NULL ? "/tmp" : temporary);
        if (folder == NULL) folder = mkdtemp(own);
        if (folder == NULL) weir_error(weir_at(own, 0), "cannot make a temporary folder: %s", strerror(errno));
        bool was_there = folder != NULL && weir_file_exists(folder);
        status = folder == NULL ? WEIR_EXIT_INPUT
                                : weir_plugins_guard(&job.plugins, check, &(request){&job, argv[1], folder, &simulate});
        if (folder != NULL) weir_job_clean(folder, was_there);
        if (kept == NULL && folder != NULL && status == WEIR_EXIT_MISMATCH)
            printf("\n  the folder is kept: %s\n", folder);
        else if (kept == NULL && folder != NULL) weir_remove_tree(folder);
        free(own);
    }
    weir_cli_list_free(&simulate.data);
    weir_job_free(&job);
    return status;
}
