#include "dse/result/result.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

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
    if (result->parameters != NULL) copy.parameters = weir_copy_string(result->parameters);
    if (result->count == 0) return copy;
    weir_dse_result *list = weir_malloc(result->count * sizeof *list);
    for (size_t i = 0; i < result->count; i++) list[i] = copy_result(&result->list[i]);
    copy.list = list;
    return copy;
}

static void free_result(const weir_dse_result *result) {
    if (result->evaluation != NULL) empty((block *)result->evaluation);
    free((void *)result->evaluation);
    free((void *)(uintptr_t)result->parameters);
    for (size_t i = 0; i < result->count; i++) free_result(&result->list[i]);
    if (result->count > 0) free((void *)result->list);
}

bool weir_dse_is_folding(const weir_dse_evaluation *e) {
    return e != NULL && e->hardware.point != NULL && e->hardware.component == NULL;
}

double weir_dse_time(const weir_dse_evaluation *e) {
    const weir_dse_hardware *h = &e->hardware;
    return e->cost.latency * (h->delay_ps > 0 ? (double)h->delay_ps / 1e3 : 1e3 / (double)h->point->clock_mhz);
}

void weir_dse_kept_add(weir_dse_kept *kept, const weir_dse_result *result) {
    kept->list = weir_grow(kept->list, &kept->capacity, kept->count + 1, sizeof *kept->list);
    kept->list[kept->count++] = copy_result(result);
}

void weir_dse_kept_replace(weir_dse_kept *kept, const weir_dse_result *result) {
    if (kept->count == 0) {
        weir_dse_kept_add(kept,
                          &(weir_dse_result){result->evaluation, result->evaluations, 0, NULL, result->parameters});
        return;
    }
    free((void *)(uintptr_t)kept->list[0].parameters);
    kept->list[0].parameters = result->parameters == NULL ? NULL : weir_copy_string(result->parameters);
    block *b = (block *)kept->list[0].evaluation;
    empty(b);
    fill(b, result->evaluation);
}

void weir_dse_kept_free(weir_dse_kept *kept) {
    for (size_t i = 0; i < kept->count; i++) free_result(&kept->list[i]);
    free(kept->list);
    *kept = (weir_dse_kept){NULL, 0, 0};
}
