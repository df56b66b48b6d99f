/* Stages that draw what passes. */
#include "dse/result/picture.h"
#include "dse/stages/stages.h"

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

static bool run_plot(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    drawer d = {.sink = sink, .user = user};
    const char *file = weir_dse_stages_need(stage, 0);
    weir_text svg = {NULL, 0, 0};
    bool fine = file != NULL && weir_dse_stage_below(stage, context, take, &d);
    if (fine) {
        weir_dse_picture_bars(d.drawn.list, d.drawn.count, &svg);
        fine = weir_dse_stages_write_text(file, &svg);
    }
    weir_text_free(&svg);
    weir_dse_kept_free(&d.drawn);
    return fine;
}

static const weir_dse_option plot_options[] = {{"file", "plot_filename_pattern", WEIR_DSE_TEXT, NULL, "an SVG file"},
                                               {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_plot_temporal_mappings = {.options = plot_options, .run = run_plot};

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
        fine = weir_dse_stages_write_into(folder, "loop_ordering.txt", &loops) &&
               weir_dse_stages_write_into(folder, "loop_ordering.svg", &nests) &&
               weir_dse_stages_write_into(folder, "mem_hierarchy.svg", &svg);
    }
    weir_text_free(&loops);
    weir_text_free(&nests);
    weir_text_free(&svg);
    weir_dse_kept_free(&d.drawn);
    return fine;
}

static const weir_dse_option folder_options[] = {{"dump_folder", NULL, WEIR_DSE_TEXT, NULL, "the folder"},
                                                 {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_visualization = {.options = folder_options, .run = run_visualization};
