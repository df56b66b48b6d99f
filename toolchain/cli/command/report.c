#include "cli/cli.h"
#include "cli/page.h"
#include "cli/plugins.h"

static const char help_text[] =
    "DIR is a folder that 'weir compile', 'weir check -o', 'weir board build' or 'weir dse --sweep' wrote: the page "
    "has the\n"
    "network as a graph, and what 'weir check', 'weir sim' and 'weir synth' left there: schedule, resources, "
    "roofline,\n"
    "accuracy. Further folders are compared with the first. The page needs no other file and no network; Graphviz "
    "lays the\n"
    "graph out where it is installed.\n";

typedef struct request {
    weir_plugins plugins;
    const char *output;
    char **paths;
    size_t count;
} request;

static int report(void *user) {
    const request *r = user;
    return weir_page_of_folders(r->output, (const char *const *)r->paths, r->count);
}

int weir_command_report(int argc, char **argv) {
    request r = {.output = "report.html"};
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &r.output, "FILE.html", "the page (report.html)"},
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL}};
    int status = weir_cli_parse("report", options, help_text, argc, argv, 1, SIZE_MAX, &r.count);
    r.paths = argv + 1;
    if (status < 0) status = weir_plugins_guard(&r.plugins, report, &r);
    weir_cli_list_free(&r.plugins.files);
    return status;
}
