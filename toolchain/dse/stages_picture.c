/* Stages that draw what passes. */
#include <stdlib.h>
#include <string.h>

#include "dse/picture.h"
#include "dse/stages.h"
#include "support/arena.h"
#include "support/file.h"

typedef struct drawer {
    weir_dse_sink *sink;
    void *user;
    weir_dse_kept drawn;
} drawer;

static bool take(void *user, const weir_dse_result *result) {
    drawer *d = user;
    if (result->evaluation != NULL) weir_dse_kept_add(&d->drawn, result);
    return d->sink(d->user, result);
}

static bool write_text(const char *path, const weir_text *text) {
    char *folder = weir_path_folder(path);
    const bool fine = weir_make_folder(folder) && weir_file_write(path, text->data, text->size);
    free(folder);
    return fine;
}

static bool write_into(const char *folder, const char *name, const weir_text *text) {
    char *path = weir_path_join(folder, name);
    const bool fine = write_text(path, text);
    free(path);
    return fine;
}

static bool run_plot(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    drawer d = {.sink = sink, .user = user};
    const char *file = weir_dse_stages_need(stage, 0);
    weir_text svg = {NULL, 0, 0};
    bool fine = file != NULL && weir_dse_stage_below(stage, context, take, &d);
    if (fine) {
        weir_dse_picture_bars(d.drawn.list, d.drawn.count, &svg);
        fine = write_text(file, &svg);
    }
    weir_text_free(&svg);
    weir_dse_kept_free(&d.drawn);
    return fine;
}

static const weir_dse_option plot_options[] = {{"file", "plot_filename_pattern", WEIR_DSE_TEXT, NULL, "an SVG file"},
                                               {.name = NULL}};

const weir_dse_stage_info weir_dse_stage_plot_temporal_mappings = {
    "plot_temporal_mappings", "PlotTemporalMappingsStage", "draw bars of energy and latency of all results",
    .options = plot_options, .run = run_plot};

static bool run_visualization(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                              void *user) {
    drawer d = {.sink = sink, .user = user};
    const char *folder = weir_dse_stages_need(stage, 0);
    weir_text loops = {NULL, 0, 0}, nests = {NULL, 0, 0}, svg = {NULL, 0, 0};
    bool fine = folder != NULL && weir_dse_stage_below(stage, context, take, &d);
    for (size_t i = 0; i < d.drawn.count; i++)
        if (d.drawn.list[i].evaluation->temporal != NULL) weir_dse_picture_loops(d.drawn.list[i].evaluation, &loops);
    if (fine && loops.size > 0) {
        weir_dse_picture_hierarchy(d.drawn.list[0].evaluation->accelerator, &svg);
        weir_dse_picture_nests(d.drawn.list, d.drawn.count, &nests);
        fine = write_into(folder, "loop_ordering.txt", &loops) && write_into(folder, "loop_ordering.svg", &nests) &&
               write_into(folder, "mem_hierarchy.svg", &svg);
    }
    weir_text_free(&loops);
    weir_text_free(&nests);
    weir_text_free(&svg);
    weir_dse_kept_free(&d.drawn);
    return fine;
}

static const weir_dse_option folder_options[] = {{"dump_folder", NULL, WEIR_DSE_TEXT, NULL, "the folder"},
                                                 {.name = NULL}};

const weir_dse_stage_info weir_dse_stage_visualization = {
    "visualization", "VisualizationStage",
    "write the loop nests of all results as text and as a picture, and draw the memories", .options = folder_options,
    .run = run_visualization};
