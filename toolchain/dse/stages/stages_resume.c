/* The stage that keeps the best mapping of each layer in a folder, so that a run that was ended goes on from there. */
#include <stdlib.h>
#include <string.h>

#include "dse/result/saved.h"
#include "dse/stages/stages.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

static void add_real(weir_hash *hash, double value) { weir_hash_add(hash, &value, sizeof value); }

static void add_layer(weir_hash *hash, const weir_dse_layer *l) {
    weir_hash_add_string(hash, l->name);
    for (int d = 0; d < l->dim_count; d++) {
        weir_hash_add_string(hash, l->dim[d]);
        add_real(hash, (double)l->size[d]);
    }
    for (int o = 0; o < l->operand_count; o++) {
        add_real(hash, l->operand[o].precision);
        add_real(hash, l->operand[o].elements);
        add_real(hash, l->operand[o].memory_operand);
        weir_hash_add(hash, l->operand[o].relevance, (size_t)l->dim_count);
    }
    for (int r = 0; r < l->relation_count; r++) {
        weir_hash_add(hash, l->relation[r].factor, sizeof l->relation[r].factor);
        add_real(hash, l->relation[r].total);
    }
    add_real(hash, l->final_precision);
}

static void add_unrollings(weir_hash *hash, const weir_dse_unrolling *list, int count) {
    for (int i = 0; i < count; i++) {
        weir_hash_add_string(hash, list[i].dimension);
        for (int k = 0; k < list[i].count; k++) {
            weir_hash_add_string(hash, list[i].factor[k].dim);
            add_real(hash, (double)list[i].factor[k].size);
        }
    }
}

static void add_mapping(weir_hash *hash, const weir_dse_mapping_entry *m) {
    add_unrollings(hash, m->spatial, m->spatial_count);
    add_unrollings(hash, m->hint, m->hint_count);
    for (int i = 0; i < m->ordering_count; i++) {
        weir_hash_add_string(hash, m->ordering[i].dim == NULL ? "*" : m->ordering[i].dim);
        add_real(hash, (double)m->ordering[i].size);
    }
}

static void add_memory(weir_hash *hash, const weir_dse_memory *m) {
    add_real(hash, m->size);
    add_real(hash, m->read_energy);
    add_real(hash, m->write_energy);
    add_real(hash, m->serves);
    add_real(hash, m->is_double_buffered);
    weir_hash_add(hash, m->operand, (size_t)m->operand_count);
    for (int p = 0; p < m->port_count; p++) {
        add_real(hash, m->port[p].bandwidth_min);
        add_real(hash, m->port[p].bandwidth_max);
        weir_hash_add(hash, m->port[p].serves, (size_t)m->port[p].served * sizeof *m->port[p].serves);
    }
}

static void add_accelerator(weir_hash *hash, const weir_dse_accelerator *a) {
    for (int m = 0; m < a->memory_count; m++) add_memory(hash, &a->memory[m]);
    for (int d = 0; d < a->dimension_count; d++) {
        weir_hash_add_string(hash, a->dimension[d]);
        add_real(hash, (double)a->dimension_size[d]);
    }
    add_real(hash, a->unit_energy);
}

/* FOLDER/HASH.json of all that decides the layer's best mapping. Heap memory. */
static char *path_of(const weir_dse_stage *stage, const weir_dse_context *context) {
    weir_hash hash = weir_hash_start();
    char text[33];
    const weir_dse_layer *layer = weir_dse_get(context, WEIR_DSE_LAYER);
    add_layer(&hash, layer);
    add_mapping(&hash, layer->mapping);
    add_accelerator(&hash, weir_dse_get(context, WEIR_DSE_ACCELERATOR));
    for (const weir_dse_stage *s = stage->below; s != NULL; s = s->below) {
        weir_hash_add_string(&hash, s->info->name);
        for (int i = 0; s->info->body->options != NULL && s->info->body->options[i].name != NULL; i++)
            weir_hash_add_string(&hash, s->value[i].text == NULL ? "" : s->value[i].text);
    }
    weir_hash_print(&hash, text);
    return weir_format("%s/%s.json", stage->value[0].text, text);
}

typedef struct target {
    weir_dse_sink *sink;
    void *user;
    const char *path;
    double evaluations;
} target;

/* The leaf's cost of the loaded mapping, with the evaluations that found it. */
static bool pass_loaded(void *user, const weir_dse_result *result) {
    const target *t = user;
    return t->sink(t->user, &(weir_dse_result){result->evaluation, t->evaluations, 0, NULL, NULL});
}

static bool load(const weir_dse_stage *stage, const weir_dse_context *context, const json_t *saved, target *t) {
    const weir_dse_stage *leaf = stage->below;
    weir_dse_temporal temporal;
    while (leaf->below != NULL) leaf = leaf->below;
    const weir_dse_layer *layer = weir_dse_get(context, WEIR_DSE_LAYER);
    if (!weir_dse_saved_mapping(saved, t->path, weir_dse_get(context, WEIR_DSE_ACCELERATOR), layer, &temporal))
        return false;
    t->evaluations = weir_dse_saved_evaluations(saved, layer);
    const weir_dse_context whole = {context, WEIR_DSE_SPATIAL_WHOLE, &temporal.problem->whole};
    const weir_dse_context spatial = {&whole, WEIR_DSE_SPATIAL, temporal.problem};
    const weir_dse_context frame = {&spatial, WEIR_DSE_TEMPORAL, &temporal};
    const bool fine = leaf->info->body->run(leaf, &frame, pass_loaded, t);
    weir_dse_problem_free(temporal.problem);
    return fine;
}

static bool keep(void *user, const weir_dse_result *result) {
    const target *t = user;
    const bool is_mapping = result->evaluation != NULL && result->evaluation->temporal != NULL && result->count == 0;
    if (is_mapping && !weir_dse_stages_write(t->path, weir_dse_saved_json(result))) return false;
    return t->sink(t->user, result);
}

static bool run_checkpoint(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                           void *user) {
    if (weir_dse_stages_need(stage, 0) == NULL) return false;
    char *path = path_of(stage, context);
    target t = {sink, user, path, 0};
    json_t *saved = weir_file_exists(path) ? json_load_file(path, 0, NULL) : NULL;
    const bool fine = saved != NULL ? load(stage, context, saved, &t) : weir_dse_stage_below(stage, context, keep, &t);
    json_decref(saved);
    free(path);
    return fine;
}

static const weir_dse_option checkpoint_options[] = {{"folder", NULL, WEIR_DSE_TEXT, NULL, "where the mappings are"},
                                                     {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_checkpoint = {.takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
                                                       .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
                                                       .options = checkpoint_options,
                                                       .run = run_checkpoint};
