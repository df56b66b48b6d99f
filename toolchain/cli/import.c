#include "cli/cli.h"
#include "cli/job.h"
#include "ir/print.h"

static const char help_text[] =
    "OUT.weir gets the graph as text, OUT.npz beside it the constants, readable by NumPy.\n";

int weir_command_import(int argc, char **argv) {
    const char *output = NULL;
    int64_t batch = 1;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &output, "OUT.weir", "file to write, required"},
        {"batch", 0, WEIR_CLI_COUNT, &batch, "N", "value of a symbolic first dimension (1)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("import", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && output == NULL) status = weir_cli_misuse("import", "-o OUT.weir is missing");
    if (status >= 0) return status;
    weir_module *module = weir_job_read(argv[1], batch);
    if (module == NULL) return WEIR_EXIT_INPUT;
    weir_graph *graph = weir_job_result(module, NULL);
    status = weir_graph_save(graph, output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    weir_module_free(module);
    return status;
}
