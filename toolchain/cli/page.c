#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
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
