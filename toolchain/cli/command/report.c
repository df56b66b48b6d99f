#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/page.h"
#include "cli/plugins.h"
#include "dataflow/cost/cost.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const char help_text[] =
    "DIR is a folder that 'weir compile', 'weir check -o' or 'weir dse --sweep' wrote: the page has the network as a graph, and\n"
    "what 'weir check', 'weir sim' and 'weir synth' left there: schedule, resources, roofline, accuracy. Several folders are\n"
    "compared with the first. The page needs no other file and no network; Graphviz lays the graph out where it is installed.\n";

/* A folder's content; what is not there is NULL. */
typedef struct folder {
    const char *path;
    weir_graph *hardware;
    json_t *check, *synthesis, *estimate, *front;
} folder;

typedef struct request {
    weir_plugins plugins;
    const char *output;
    char **paths;
    size_t count;
} request;

/* NULL where there is no such file; false after a reported error. */
static bool read_json(const char *path, const char *name, json_t **json) {
    char *full = weir_path_join(path, name);
    bool fine = true;
    json_decref(*json);
    *json = NULL;
    if (weir_file_exists(full)) {
        size_t size = 0;
        json_error_t error = {.line = 0};
        char *text = weir_file_read(full, &size);
        if (text != NULL) *json = json_loadb(text, size, 0, &error);
        fine = *json != NULL;
        if (text != NULL && !fine) weir_error(weir_at(full, error.line), "%s", error.text);
        free(text);
    }
    free(full);
    return fine;
}

static bool read_hardware(folder *f) {
    char *path = weir_path_join(f->path, "hardware.weir");
    weir_graph_free(f->hardware);
    f->hardware = NULL;
    bool fine = true;
    if (weir_file_exists(path)) {
        f->hardware = weir_graph_load(path);
        fine = f->hardware != NULL && weir_folding_verify(f->hardware);
    }
    free(path);
    return fine;
}

static int read_folder(void *user) {
    folder *f = user;
    bool fine = read_hardware(f) && read_json(f->path, WEIR_PAGE_CHECK, &f->check);
    if (fine && f->check == NULL) fine = read_json(f->path, WEIR_PAGE_SIMULATION, &f->check);
    fine = fine && read_json(f->path, WEIR_PAGE_SYNTHESIS, &f->synthesis) &&
           read_json(f->path, WEIR_PAGE_FRONT, &f->front);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

/* Of the device for which it was compiled. */
static void estimate(folder *f) {
    weir_device *device = NULL;
    const char *name = f->hardware == NULL ? "" : weir_graph_device(f->hardware);
    if (f->synthesis == NULL) f->synthesis = json_incref(json_object_get(f->check, "synthesis"));
    if (json_is_object(json_object_get(f->synthesis, "estimate"))) {
        f->estimate = json_incref(json_object_get(f->synthesis, "estimate"));
    } else if (*name != '\0' && weir_estimate_open(name, &device) == WEIR_EXIT_FINE) {
        weir_cost_report report = weir_cost_of_graph(f->hardware, device);
        f->estimate = weir_cost_json(f->hardware, &report, device);
        weir_cost_report_free(&report);
    }
    weir_device_free(device);
}

static int read(folder *f) {
    int status = weir_folder_read(f->path, read_folder, f);
    if (status == WEIR_EXIT_FINE && f->hardware == NULL && f->front == NULL && f->synthesis == NULL) {
        weir_error(weir_at(f->path, 0), "has nothing to report on");
        weir_note("expected a folder that 'weir compile', 'weir check -o' or 'weir dse --sweep' wrote");
        status = WEIR_EXIT_INPUT;
    }
    if (status == WEIR_EXIT_FINE) estimate(f);
    return status;
}

static int report(void *user) {
    const request *r = user;
    folder *folders = weir_calloc(r->count, sizeof *folders);
    weir_report_run *runs = weir_calloc(r->count, sizeof *runs);
    int status = weir_file_is_writable(r->output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    for (size_t i = 0; status == WEIR_EXIT_FINE && i < r->count; i++) {
        folders[i].path = r->paths[i];
        status = read(&folders[i]);
        runs[i] = (weir_report_run){.name = folders[i].path,
                                    .hardware = folders[i].hardware,
                                    .check = folders[i].check,
                                    .synthesis = folders[i].synthesis,
                                    .estimate = folders[i].estimate,
                                    .front = folders[i].front};
    }
    if (status == WEIR_EXIT_FINE && !weir_page_write(r->output, runs, r->count)) status = WEIR_EXIT_INPUT;
    for (size_t i = 0; i < r->count; i++) {
        weir_graph_free(folders[i].hardware);
        json_decref(folders[i].check);
        json_decref(folders[i].synthesis);
        json_decref(folders[i].estimate);
        json_decref(folders[i].front);
    }
    free(runs);
    free(folders);
    return status;
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
