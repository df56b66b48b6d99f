/* The exact search against all orders of a small layer with all allocations, each costed by the cost model. */
/* nightly: 1 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dse/mapping/exact.h"
#include "dse/mapping/ordering.h"
#include "dse/mapping/workload.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

static const char convolution[] = "- id: 0\n"
                                  "  operator_type: Conv\n"
                                  "  equation: O[k][ox]+=W[k][c][fx]*I[c][ix]\n"
                                  "  dimension_relations: [ix=1*ox+1*fx]\n"
                                  "  loop_dims: [K, C, OX, FX]\n"
                                  "  loop_sizes: [4, 4, 6, 3]\n"
                                  "  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n"
                                  "  operand_source: {I: 0, W: 0}\n";
static const char product[] = "- id: 0\n"
                              "  operator_type: Gemm\n"
                              "  equation: O[d][k]+=I[d][c]*W[c][k]\n"
                              "  loop_dims: [C, D, K]\n"
                              "  loop_sizes: [6, 6, 4]\n"
                              "  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n"
                              "  operand_source: {I: 0, W: 0}\n";
static const char *const mappings[] = {"- {name: default}\n",
                                       "- name: default\n  spatial_mapping: {D1: [\"K, 2\"], D2: [\"C, 4\"]}\n"};

/* Bits of an operand in its memory m, by the definition: all loops below, whether sums go on above, and the next part
 * beside the present one. */
static double bits_in(const weir_dse_temporal *t, int o, int m) {
    const weir_dse_problem *p = t->problem;
    const weir_dse_operand *operand = &p->layer->operand[o];
    double size[WEIR_DSE_DIMS];
    bool goes_on = false, comes_in_parts = false;
    for (int d = 0; d < p->layer->dim_count; d++) size[d] = 1;
    for (int i = 0; i < p->spatial.start[o][p->levels[o] + 1]; i++) {
        if (i < p->spatial.start[o][m + 1]) size[p->spatial.dim[o][i]] *= p->spatial.factor[o][i];
        else goes_on = goes_on || operand->relevance[p->spatial.dim[o][i]] == WEIR_DSE_IRRELEVANT;
    }
    for (int i = 0; i < t->loops.count; i++) {
        if (i < t->start[o][m + 1]) size[t->loops.dim[i]] *= t->loops.size[i];
        else if (operand->relevance[t->loops.dim[i]] == WEIR_DSE_IRRELEVANT) goes_on = true;
        else comes_in_parts = true;
    }
    const double precision = o == 0 && !goes_on ? p->layer->final_precision : operand->precision;
    return weir_dse_operand_size(p->layer, o, size) * precision *
           (p->memory[o][m]->is_double_buffered && comes_in_parts ? 2 : 1);
}

static bool fits(const weir_dse_temporal *t) {
    for (int i = 0; i < t->problem->stop_count; i++) {
        const weir_dse_stop *stop = &t->problem->stop[i];
        double bits = 0;
        for (int k = 0; k < stop->count; k++) bits += bits_in(t, stop->operand[k], stop->level[k]);
        if (bits > stop->memory->size) return false;
    }
    return true;
}

static const weir_dse_rules rules = {.access_same_free = true};

/* All places of the ends of all memories, operand by operand. */
static void place(weir_dse_temporal *t, int o, int m, double *least) {
    const weir_dse_problem *p = t->problem;
    if (o == p->layer->operand_count) {
        weir_dse_cost cost;
        if (!fits(t)) return;
        weir_dse_cost_of(t, &rules, &cost, NULL);
        *least = fmin(*least, cost.energy);
        return;
    }
    t->start[o][0] = 0;
    if (m == p->levels[o]) {
        t->start[o][m] = (uint8_t)t->loops.count;
        place(t, o + 1, 1, least);
        return;
    }
    for (int at = t->start[o][m - 1]; at <= t->loops.count; at++) {
        t->start[o][m] = (uint8_t)at;
        place(t, o, m + 1, least);
    }
}

static double brute_force(const weir_dse_problem *p) {
    weir_dse_temporal t = {.problem = p};
    weir_dse_loops factors;
    weir_dse_ordering ordering;
    double least = INFINITY;
    weir_dse_ordering_factors(p, 0, &factors);
    weir_dse_ordering_start(&ordering, p->layer, &factors);
    do {
        weir_dse_ordering_read(&ordering, &t.loops);
        place(&t, 0, 1, &least);
    } while (weir_dse_ordering_step(&ordering));
    return least;
}

static char *write_file(const char *name, const char *text) {
    assert_true(weir_file_write(name, text, strlen(text)));
    return weir_copy_string(name);
}

/* The least energy, infinite where nothing fits. */
static double check(const char *accelerator, const char *layer, const char *map, double memory,
                    bool is_double_buffered) {
    weir_arena *arena = weir_arena_new();
    char *path = weir_format("%s/tests/dse/%s.yaml", getenv("WEIR_SOURCE"), accelerator);
    char *workload_path = write_file("exact_workload.yaml", layer),
         *mapping_path = write_file("exact_mapping.yaml", map);
    weir_dse_accelerator *a = weir_dse_accelerator_read(path, arena);
    const weir_dse_mapping *mapping = weir_dse_mapping_read(mapping_path, arena);
    assert_non_null(a);
    assert_non_null(mapping);
    const weir_dse_workload *w = weir_dse_workload_read(workload_path, mapping, arena);
    assert_non_null(w);
    for (int i = 0; i + 1 < a->memory_count; i++) {
        a->memory[i].size = fmin(a->memory[i].size, memory);
        a->memory[i].is_double_buffered = is_double_buffered;
    }
    weir_dse_unroll unroll;
    assert_true(weir_dse_spatial_stated(a, w->node[0].layer, &unroll));
    weir_dse_problem *p = weir_dse_problem_new(a, w->node[0].layer, &unroll);
    weir_dse_temporal t = {.problem = p};
    weir_dse_cost cost;
    double bound;
    bool too_many;
    const double least = brute_force(p);
    const bool found = weir_dse_exact_energy(&t, &rules, &bound, &too_many);
    assert_false(too_many);
    assert_int_equal(found, isfinite(least));
    if (found) {
        weir_dse_cost_of(&t, &rules, &cost, NULL);
        assert_true(fits(&t));
        assert_true(fabs(cost.energy - bound) <= 1e-9 * bound);
        assert_true(fabs(least - bound) <= 1e-9 * bound);
    }
    weir_dse_problem_free(p);
    weir_arena_free(arena);
    free(path);
    free(workload_path);
    free(mapping_path);
    return least;
}

static void nothing_is_better(void **state) {
    (void)state;
    static const double memories[] = {64, 512, 4096};
    const bool night = getenv("WEIR_RANDOM") != NULL;
    int found = 0, dearer = 0;
    for (size_t m = 0; m < 3; m++) {
        for (int k = night || m == 1 ? 0 : 4; k < 5; k++) {
            const char *accelerator = k < 4 ? "hardware/tpu_like" : "own/shared_ports";
            const char *layer = k == 1 || k == 3 ? convolution : product, *map = mappings[k >= 2];
            const double once = check(accelerator, layer, map, memories[m], false);
            const double twice = check(accelerator, layer, map, memories[m], true);
            assert_true(once <= twice);
            found += isfinite(once);
            dearer += isfinite(twice) && once < twice;
        }
    }
    assert_true(found >= (night ? 8 : 4));
    assert_true(dearer >= (night ? 3 : 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_better)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
