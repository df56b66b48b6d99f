#include "cli/cli.h"
#include "cli/job.h"
#include "cli/plugins.h"
#include "ir/graph/print.h"

static const char help_text[] =
    "OUT.weir gets the graph as text; its constants go to OUT.npz beside it, which NumPy can read.\n";

typedef struct request {
    weir_plugins plugins;
    const char *model, *output;
    weir_job_sizes sizes;
} request;

static int import(void *user) {
    const request *r = user;
    weir_module *module = weir_job_read(r->model, &r->sizes);
    if (module == NULL) return WEIR_EXIT_INPUT;
    weir_graph *graph = weir_job_result(module, NULL);
    int status = weir_graph_save(graph, r->output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    weir_module_free(module);
    return status;
}

int weir_command_import(int argc, char **argv) {
    request r = {.sizes = WEIR_JOB_SIZES_DEFAULTS};
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &r.output, "OUT.weir", "file to write, required"},
        WEIR_JOB_SIZE_OPTIONS(r.sizes),
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("import", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && r.output == NULL) status = weir_cli_misuse("import", "-o OUT.weir is missing");
    r.model = argv[1];
    if (status < 0) status = weir_plugins_guard(&r.plugins, import, &r);
    weir_cli_list_free(&r.plugins.files);
    weir_cli_list_free(&r.sizes.shape);
    return status;
}
