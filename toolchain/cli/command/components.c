#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/plugins.h"
#include "dataflow/catalog.h"
#include "passes/passes.h"

static const char help_text[] =
    "Without NAME: every component with its operator, Verilog module, folding, and its latency and interval as formulas of\n"
    "the module's parameters. NAME is a component, a module or an operator such as weir.Linear. --device adds the\n"
    "estimated resources of an instance with default parameters; 'weir compile --device' estimates those of a design.\n";

typedef struct request {
    weir_plugins plugins;
    const char *name, *device_name;
    weir_device *device;
    bool json, markdown;
} request;

static int list(const request *r) {
    weir_text text = {NULL, 0, 0};
    bool fine;
    if (r->json) {
        json_t *value = r->name == NULL ? weir_catalog_json(r->device) : weir_catalog_json_one(r->name, r->device);
        char *lines = value == NULL ? NULL : weir_cli_json(value);
        fine = lines != NULL;
        if (fine) weir_text_add(&text, lines);
        free(lines);
    } else if (r->markdown) {
        fine = weir_catalog_markdown(&text);
    } else {
        fine =
            r->name == NULL ? weir_catalog_print(r->device, &text) : weir_catalog_print_one(r->name, r->device, &text);
    }
    if (fine) fputs(text.data, stdout);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : r->name == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_USAGE;
}

static int work(void *user) {
    request *r = user;
    int status;
    if (r->device_name != NULL && (r->device = weir_device_read(r->device_name, &status)) == NULL) return status;
    weir_pass_registry *registry = weir_pass_registry_new();
    bool fine = weir_passes_register(registry) && weir_plugins_load(&r->plugins, registry);
    status = fine ? list(r) : WEIR_EXIT_INPUT;
    weir_pass_registry_free(registry);
    weir_device_free(r->device);
    return status;
}

int weir_command_components(int argc, char **argv) {
    request r = {.name = NULL};
    const weir_cli_option options[] = {
        {"json", 'j', WEIR_CLI_FLAG, &r.json, NULL, "print JSON"},
        {"device", 0, WEIR_CLI_STRING, &r.device_name, "NAME", "add estimated resources on this device (weir devices)"},
        {"markdown", 0, WEIR_CLI_FLAG, &r.markdown, NULL, "print components and library modules as Markdown tables"},
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("components", options, help_text, argc, argv, 0, 1, &count);
    r.name = count == 1 ? argv[1] : NULL;
    if (status < 0 && r.markdown && (r.name != NULL || r.json || r.device_name != NULL))
        status = weir_cli_misuse("components", "--markdown cannot be combined with NAME, --json or --device");
    if (status < 0) status = weir_plugins_guard(&r.plugins, work, &r);
    weir_cli_list_free(&r.plugins.files);
    return status;
}
