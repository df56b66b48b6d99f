/* The stage that writes foldings: files that `weir compile --folding` takes, a table of them and a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dse/result/picture_front.h"
#include "dse/stages/stages.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

enum { FOLDER, RATE };

typedef struct saver {
    weir_dse_sink *sink;
    void *user;
    weir_dse_kept all;
} saver;

static bool take(void *user, const weir_dse_result *result) {
    saver *s = user;
    if (weir_dse_is_folding(result->evaluation)) weir_dse_kept_add(&s->all, result);
    return s->sink(s->user, result);
}

/* "ecp5-25k-3.yaml", of a user's own profile its file. Heap memory. */
static char *name_of(const weir_dse_point *point, size_t index) {
    const char *device = weir_path_name(point->device);
    return weir_format("%.*s-%zu.yaml", (int)strcspn(device, "."), device, index + 1);
}

static bool write_folding(const char *folder, const char *name, const weir_dse_point *point) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "# weir compile MODEL --device %s --clock %lld --folding %s\n%s", point->device,
                     (long long)point->clock_mhz, name, point->settings);
    const bool fine = weir_dse_stages_write_into(folder, name, &text);
    weir_text_free(&text);
    return fine;
}

static void add_row(weir_text *table, const char *name, const weir_dse_evaluation *e, bool is_chosen) {
    const weir_dse_hardware *h = &e->hardware;
    const double cycle = weir_dse_time(e) / e->cost.latency;
    weir_text_format(table, "%s,%s,%.1f,%.0f,%.1f,%lld,%.3f", name, h->point->device, 1e3 / cycle, e->cost.latency,
                     weir_dse_picture_rate(e), (long long)h->point->latency, (double)h->point->latency * cycle / 1e3);
    for (int r = 0; r < WEIR_KNAPSACK_RESOURCES; r++) weir_text_format(table, ",%lld", (long long)h->use[r]);
    weir_text_format(table, ",%.1f,%s,\"%s\"\n", e->cost.energy / 1e3, is_chosen ? "yes" : "no", h->point->budget);
}

/* The same as an object. */
static json_t *folding_json(const char *name, const weir_dse_evaluation *e, bool is_chosen) {
    static const char *const uses[WEIR_KNAPSACK_RESOURCES] = {"luts", "flip_flops", "multipliers", "memory_blocks"};
    const weir_dse_hardware *h = &e->hardware;
    const double cycle = weir_dse_time(e) / e->cost.latency;
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:f, s:I, s:f, s:I, s:f, s:f, s:b}", "folding", name, "device", h->point->device, "budget",
        h->point->budget, "clock_mhz", 1e3 / cycle, "interval", (json_int_t)e->cost.latency, "inferences_per_second",
        weir_dse_picture_rate(e), "latency", (json_int_t)h->point->latency, "latency_us",
        (double)h->point->latency * cycle / 1e3, "energy_nj", e->cost.energy / 1e3, "chosen", is_chosen);
    for (int r = 0; r < WEIR_KNAPSACK_RESOURCES; r++)
        json_object_set_new(object, uses[r], json_integer((json_int_t)h->use[r]));
    return object;
}

static bool write_all(const char *folder, const weir_dse_kept *all, double rate) {
    const size_t chosen = weir_dse_picture_choose(all->list, all->count, rate);
    weir_text table = {NULL, 0, 0}, svg = {NULL, 0, 0}, text = {NULL, 0, 0};
    json_t *front = json_array();
    weir_text_add(
        &table,
        "folding,device,clock_mhz,interval,inferences_per_second,latency,latency_us,luts,flip_flops,multipliers,"
        "memory_blocks,energy_nj,chosen,budget\n");
    bool fine = true;
    for (size_t i = 0; fine && i < all->count; i++) {
        const weir_dse_evaluation *e = all->list[i].evaluation;
        char *name = name_of(e->hardware.point, i);
        add_row(&table, name, e, i == chosen);
        json_array_append_new(front, folding_json(name, e, i == chosen));
        fine = write_folding(folder, name, e->hardware.point);
        free(name);
    }
    weir_dse_picture_front(all->list, all->count, chosen, &svg);
    char *dump = json_dumps(front, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    weir_text_format(&text, "%s\n", dump);
    free(dump);
    json_decref(front);
    fine = fine && weir_dse_stages_write_into(folder, "front.csv", &table) &&
           weir_dse_stages_write_into(folder, "front.json", &text) &&
           weir_dse_stages_write_into(folder, "front.svg", &svg);
    weir_text_free(&table);
    weir_text_free(&svg);
    weir_text_free(&text);
    return fine;
}

static bool run_save(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const char *folder = weir_dse_stages_need(stage, FOLDER);
    saver s = {.sink = sink, .user = user};
    const bool fine = folder != NULL && weir_dse_stage_below(stage, context, take, &s) &&
                      write_all(folder, &s.all, stage->value[RATE].number);
    weir_dse_kept_free(&s.all);
    return fine;
}

static const weir_dse_option save_options[] = {
    {"dump_folder", NULL, WEIR_DSE_TEXT, NULL, "the folder"},
    {"rate", NULL, WEIR_DSE_REAL, "0", "mark the smallest with so many inferences a second; 0: the fastest"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_folding_save = {.options = save_options, .run = run_save};
