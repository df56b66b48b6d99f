#include "dse/result.h"

#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

/* One block of memory with all of an evaluation but its problem, which is shared. */
typedef struct block {
    weir_dse_evaluation evaluation;
    weir_dse_temporal temporal;
} block;

static void fill(block *b, const weir_dse_evaluation *e) {
    b->evaluation = *e;
    if (e->temporal == NULL) return;
    b->temporal = *e->temporal;
    b->evaluation.temporal = &b->temporal;
    weir_dse_problem_hold(b->temporal.problem);
}

static void empty(block *b) {
    if (b->evaluation.temporal != NULL) weir_dse_problem_free(b->temporal.problem);
}

static weir_dse_result copy_result(const weir_dse_result *result) {
    weir_dse_result copy = *result;
    if (result->evaluation != NULL) {
        block *b = weir_malloc(sizeof *b);
        fill(b, result->evaluation);
        copy.evaluation = &b->evaluation;
    }
    if (result->count == 0) return copy;
    weir_dse_result *list = weir_malloc(result->count * sizeof *list);
    for (size_t i = 0; i < result->count; i++) list[i] = copy_result(&result->list[i]);
    copy.list = list;
    return copy;
}

static void free_result(const weir_dse_result *result) {
    if (result->evaluation != NULL) empty((block *)result->evaluation);
    free((void *)result->evaluation);
    for (size_t i = 0; i < result->count; i++) free_result(&result->list[i]);
    if (result->count > 0) free((void *)result->list);
}

void weir_dse_kept_add(weir_dse_kept *kept, const weir_dse_result *result) {
    kept->list = weir_grow(kept->list, &kept->capacity, kept->count + 1, sizeof *kept->list);
    kept->list[kept->count++] = copy_result(result);
}

void weir_dse_kept_replace(weir_dse_kept *kept, const weir_dse_result *result) {
    if (kept->count == 0) {
        weir_dse_kept_add(kept, &(weir_dse_result){result->evaluation, result->evaluations, 0, NULL});
        return;
    }
    block *b = (block *)kept->list[0].evaluation;
    empty(b);
    fill(b, result->evaluation);
}

void weir_dse_kept_free(weir_dse_kept *kept) {
    for (size_t i = 0; i < kept->count; i++) free_result(&kept->list[i]);
    free(kept->list);
    *kept = (weir_dse_kept){NULL, 0, 0};
}

/* --- JSON --- */

static json_t *loop_json(const weir_dse_layer *layer, int dim, double size) {
    return json_pack("[s, o]", layer->dim[dim],
                     size == (double)(json_int_t)size ? json_integer((json_int_t)size) : json_real(size));
}

/* {"O": [[["FX", 3]], ...]}: loops of each memory, the innermost first. */
static json_t *temporal_json(const weir_dse_temporal *t, const uint8_t start[3][WEIR_DSE_LEVELS]) {
    const weir_dse_layer *layer = t->problem->layer;
    json_t *object = json_object();
    for (int o = 0; o < layer->operand_count; o++) {
        json_t *levels = json_array();
        for (int m = 0; m < t->problem->levels[o]; m++) {
            json_t *loops = json_array();
            for (int i = start[o][m]; i < start[o][m + 1]; i++)
                json_array_append_new(loops, loop_json(layer, t->loops.dim[i], t->loops.size[i]));
            json_array_append_new(levels, loops);
        }
        const char name[] = {layer->operand[o].name, '\0'};
        json_object_set_new(object, name, levels);
    }
    return object;
}

/* {"D1": [["K", 32]], ...} */
static json_t *unroll_json(const weir_dse_problem *p) {
    json_t *object = json_object();
    for (int a = 0; a < p->accelerator->dimension_count; a++) {
        json_t *loops = json_array();
        for (int i = 0; i < p->unroll.count[a]; i++)
            json_array_append_new(loops, loop_json(p->layer, p->unroll.dim[a][i], p->unroll.factor[a][i]));
        json_object_set_new(object, p->accelerator->dimension[a], loops);
    }
    return object;
}

static json_t *latency_json(const weir_dse_cost *c) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "data_onloading", c->latency_loaded - c->latency_computation,
                     "computation", c->latency_computation, "data_offloading", c->latency - c->latency_loaded, "ideal",
                     c->ideal, "ideal_temporal", c->ideal_temporal, "stall", c->stall);
}

json_t *weir_dse_result_json(const weir_dse_result *result) {
    json_t *object = json_object();
    const weir_dse_evaluation *e = result->evaluation;
    if (e != NULL) {
        json_object_set_new(object, "energy", json_real(e->cost.energy));
        json_object_set_new(object, "latency", json_real(e->cost.latency));
        json_object_set_new(object, "evaluations", json_integer((json_int_t)result->evaluations));
        json_object_set_new(object, "mac_energy", json_real(e->cost.mac_energy));
        json_object_set_new(object, "memory_energy", json_real(e->cost.memory_energy));
        json_object_set_new(object, "latencies", latency_json(&e->cost));
    }
    if (e != NULL && e->temporal != NULL) {
        json_object_set_new(object, "id", json_integer(e->layer->id));
        json_object_set_new(object, "layer", json_string(e->layer->name));
        json_object_set_new(object, "spatial_mapping", unroll_json(e->temporal->problem));
        json_object_set_new(object, "temporal_mapping", temporal_json(e->temporal, e->temporal->start));
    }
    if (result->count == 0) return object;
    json_t *list = json_array();
    for (size_t i = 0; i < result->count; i++) json_array_append_new(list, weir_dse_result_json(&result->list[i]));
    json_object_set_new(object, "results", list);
    return object;
}
