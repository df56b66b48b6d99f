#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "dataflow/cost/cost.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/manifest.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

/* Graphviz takes half a minute for some thousand nodes. */
enum { LAYOUT_NODES = 1500, LAYOUT_SECONDS = 20 };

/* Is it the graph of the folder? */
static bool is_of(const char *folder, const weir_graph *hardware) {
    weir_text text = {NULL, 0, 0};
    weir_graph_print(hardware, &text);
    char *path = weir_path_join(folder, "hardware.weir");
    size_t size = 0;
    char *found = weir_file_read_quietly(path, &size);
    const bool is_same = found != NULL && size == text.size && memcmp(found, text.data, size) == 0;
    free(found);
    free(path);
    weir_text_free(&text);
    return is_same;
}

/* Is it a part of a folder that Weir wrote, as the design of a board? Its manifest names all that may be there. */
static bool is_part(const char *folder) {
    char *path = weir_path_join(folder, "../" WEIR_MANIFEST);
    const bool found = weir_file_exists(path);
    free(path);
    return found;
}

void weir_page_leave(const char *folder, const char *name, const weir_graph *hardware, const json_t *report) {
    if (report == NULL || is_part(folder) || !is_of(folder, hardware)) return;
    weir_diag_log *log = weir_diag_capture();
    weir_folder *held = weir_folder_open(folder, WEIR_FOLDER_SHARED);
    if (held != NULL && is_of(folder, hardware)) { /* nobody else compiles into it while it is held */
        char *path = weir_path_join(weir_folder_staging(held), name);
        if (weir_cli_write_json(path, json_deep_copy(report))) weir_folder_commit(held);
        else weir_folder_abandon(held);
        free(path);
    } else {
        weir_folder_abandon(held);
    }
    weir_diag_release(log);
    weir_diag_log_free(log);
}

/* What dot says of the graph; NULL: it is not there, or fails. Heap memory. */
static char *ask_graphviz(const weir_graph *hardware) {
    if (weir_graph_node_count(hardware) > LAYOUT_NODES || !weir_process_found("dot")) return NULL;
    weir_text dot = {NULL, 0, 0}, answer = {NULL, 0, 0};
    weir_report_dot(hardware, &dot);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "report-");
    char *path = scratch == NULL ? NULL : weir_path_join(weir_scratch_path(scratch), "graph.dot");
    int status = 1;
    if (path != NULL && weir_file_write(path, dot.data, dot.size)) {
        const char *const arguments[] = {"dot", "-Tplain", path, NULL};
        const weir_process process = {.arguments = arguments, .seconds = LAYOUT_SECONDS};
        if (weir_process_run(&process, &answer, &status) != WEIR_PROCESS_EXITED) status = 1;
    }
    if (status != 0) weir_text_free(&answer);
    free(path);
    weir_scratch_free(scratch);
    weir_text_free(&dot);
    return answer.data;
}

bool weir_page_draw(const char *path, const weir_report_run *run) {
    weir_report_run drawn = *run;
    char *layout = ask_graphviz(run->hardware);
    weir_text svg = {NULL, 0, 0};
    drawn.layout = layout;
    weir_report_draw(&drawn, &svg);
    const bool fine = weir_file_write(path, svg.data, svg.size);
    weir_text_free(&svg);
    free(layout);
    return fine;
}

bool weir_page_write(const char *path, const weir_report_run *runs, size_t count) {
    weir_report_run *drawn = weir_calloc(count + 1, sizeof *drawn);
    weir_text html = {NULL, 0, 0};
    char **layout = weir_calloc(count + 1, sizeof *layout);
    for (size_t i = 0; i < count; i++) {
        drawn[i] = runs[i];
        if (runs[i].hardware != NULL) layout[i] = ask_graphviz(runs[i].hardware);
        drawn[i].layout = layout[i];
    }
    weir_report_page(drawn, count, &html);
    const bool fine = weir_file_write(path, html.data, html.size);
    weir_text_free(&html);
    for (size_t i = 0; i < count; i++) free(layout[i]);
    free(layout);
    free(drawn);
    return fine;
}

/* --- of folders --- */

/* A folder's content; what is not there is NULL. */
typedef struct folder {
    const char *path;
    weir_graph *hardware;
    json_t *check, *synthesis, *estimate, *front, *board;
} folder;

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
    char *path = weir_path_join(f->path, f->board == NULL ? "hardware.weir" : "design/hardware.weir");
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

/* What a board's folder says of its accelerator, without the board's own logic, as `weir synth` does. */
static void take_board(folder *f) {
    json_t *resources = json_deep_copy(json_object_get(f->board, "resources")), *use;
    const char *key;
    json_decref(f->synthesis);
    f->synthesis = NULL;
    if (resources == NULL) return; /* sources alone */
    json_object_foreach(resources, key, use) {
        const json_int_t used = json_integer_value(json_object_get(use, "used")),
                         board = json_integer_value(json_object_get(use, "board"));
        json_object_set_new(use, "used", json_integer(used - board));
    }
    const double clock = json_number_value(json_object_get(f->board, "clock_hz")) / 1e6;
    f->synthesis =
        json_pack("{s:O, s:o, s:O, s:f, s:f, s:O}", "device", json_object_get(f->board, "device"), "utilization",
                  resources, "fmax_mhz", json_object_get(f->board, "fmax_mhz"), "clock_goal_mhz", clock, "clock_mhz",
                  clock, "inferences_per_second", json_object_get(f->board, "inferences_per_second"));
}

static int read_folder(void *user) {
    folder *f = user;
    bool fine = read_json(f->path, "board.json", &f->board) && read_hardware(f) &&
                read_json(f->path, WEIR_PAGE_CHECK, &f->check);
    if (fine && f->check == NULL) fine = read_json(f->path, WEIR_PAGE_SIMULATION, &f->check);
    fine = fine && read_json(f->path, WEIR_PAGE_SYNTHESIS, &f->synthesis) &&
           read_json(f->path, WEIR_PAGE_FRONT, &f->front);
    if (fine && f->board != NULL) take_board(f);
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
        weir_note(
            "expected a folder that 'weir compile', 'weir check -o', 'weir board build' or 'weir dse --sweep' wrote");
        status = WEIR_EXIT_INPUT;
    }
    if (status == WEIR_EXIT_FINE) estimate(f);
    return status;
}

int weir_page_of_folders(const char *output, const char *const *paths, size_t count) {
    folder *folders = weir_calloc(count, sizeof *folders);
    weir_report_run *runs = weir_calloc(count, sizeof *runs);
    int status = weir_file_is_writable(output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    for (size_t i = 0; status == WEIR_EXIT_FINE && i < count; i++) {
        folders[i].path = paths[i];
        status = read(&folders[i]);
        runs[i] = (weir_report_run){.name = folders[i].path,
                                    .hardware = folders[i].hardware,
                                    .check = folders[i].check,
                                    .synthesis = folders[i].synthesis,
                                    .estimate = folders[i].estimate,
                                    .front = folders[i].front};
    }
    if (status == WEIR_EXIT_FINE && !weir_page_write(output, runs, count)) status = WEIR_EXIT_INPUT;
    for (size_t i = 0; i < count; i++) {
        weir_graph_free(folders[i].hardware);
        json_decref(folders[i].check);
        json_decref(folders[i].synthesis);
        json_decref(folders[i].estimate);
        json_decref(folders[i].front);
        json_decref(folders[i].board);
    }
    free(runs);
    free(folders);
    return status;
}
