#include "dse/result/saved.h"

#include <math.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* --- writing --- */

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

static json_t *hardware_json(const weir_dse_evaluation *e) {
    const weir_dse_hardware *h = &e->hardware;
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:I, s:I}", "device", h->point->device, "luts", (json_int_t)h->use[0], "flip_flops",
                  (json_int_t)h->use[1], "multipliers", (json_int_t)h->use[2], "memory_blocks", (json_int_t)h->use[3]);
    if (h->component != NULL) {
        json_object_set_new(object, "component", json_string(h->component));
        return object;
    }
    json_object_set_new(object, "budget", json_string(h->point->budget));
    json_object_set_new(object, "clock_goal_mhz", json_integer((json_int_t)h->point->clock_mhz));
    json_object_set_new(object, "delay_ps", json_integer((json_int_t)h->delay_ps));
    json_object_set_new(object, "device_luts", json_integer((json_int_t)h->point->device_luts));
    json_object_set_new(object, "frame_ns", json_real(weir_dse_time(e)));
    json_object_set_new(object, "first_to_last_cycles", json_integer((json_int_t)h->point->latency));
    json_object_set_new(object, "folding", json_string(h->point->settings));
    return object;
}

json_t *weir_dse_saved_json(const weir_dse_result *result) {
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
    if (e != NULL && e->hardware.point != NULL) json_object_set_new(object, "hardware", hardware_json(e));
    if (result->parameters != NULL) json_object_set_new(object, "parameters", json_string(result->parameters));
    if (result->count == 0) return object;
    json_t *list = json_array();
    for (size_t i = 0; i < result->count; i++) json_array_append_new(list, weir_dse_saved_json(&result->list[i]));
    json_object_set_new(object, "results", list);
    return object;
}

/* --- what ZigZag saves of a result --- */

static const char *const direction_names[] = {"rd_out_to_low", "wr_in_by_low", "rd_out_to_high", "wr_in_by_high"};

static json_t *words_json(const double *words) {
    json_t *object = json_object();
    for (int d = 0; d < WEIR_DSE_DIRECTIONS; d++) json_object_set_new(object, direction_names[d], json_real(words[d]));
    return object;
}

/* By operand and level: utilization, words, energies. */
static void add_detail(const weir_dse_temporal *t, const weir_dse_detail *detail, json_t *memory, json_t *energy) {
    json_t *utilization = json_object(), *words = json_object(), *levels = json_object();
    for (int o = 0; o < t->problem->layer->operand_count; o++) {
        const char name[] = {t->problem->layer->operand[o].name, '\0'};
        json_t *u = json_array(), *w = json_array(), *e = json_array();
        for (int m = 0; m < t->problem->levels[o]; m++) {
            json_array_append_new(u, json_real(detail->utilization[o][m]));
            json_array_append_new(w, words_json(detail->words[o][m]));
            json_array_append_new(e, json_real(detail->energy[o][m]));
        }
        json_object_set_new(utilization, name, u);
        json_object_set_new(words, name, w);
        json_object_set_new(levels, name, e);
    }
    json_object_set_new(memory, "utilization", utilization);
    json_object_set_new(memory, "word_accesses", words);
    json_object_set_new(energy, "memory_energy_breakdown_per_level", levels);
}

static json_t *inputs_json(const weir_dse_evaluation *e) {
    json_t *object = json_object();
    json_object_set_new(object, "accelerator", json_string(e->accelerator == NULL ? "" : e->accelerator->name));
    if (e->temporal == NULL) return object;
    json_object_set_new(object, "layer", json_string(e->layer->name));
    json_object_set_new(object, "spatial_mapping", unroll_json(e->temporal->problem));
    json_object_set_new(object, "temporal_mapping", temporal_json(e->temporal, e->temporal->start));
    return object;
}

json_t *weir_dse_saved_complete(const weir_dse_evaluation *e) {
    const weir_dse_cost *c = &e->cost;
    json_t *memory = json_object();
    json_t *energy = json_pack("{s:f, s:f, s:f}", "energy_total", c->energy, "operational_energy", c->mac_energy,
                               "memory_energy", c->memory_energy);
    if (e->temporal != NULL) {
        weir_dse_detail detail;
        weir_dse_cost cost;
        weir_dse_cost_of(e->temporal, &e->rules, &cost, &detail);
        add_detail(e->temporal, &detail, memory, energy);
    }
    json_t *use = json_pack("{s:f, s:f, s:f, s:f}", "ideal", c->ideal / c->ideal_temporal, "stalls",
                            c->ideal / c->latency_computation, "stalls_onloading", c->ideal / c->latency_loaded,
                            "stalls_onloading_offloading", c->ideal / c->latency);
    return json_pack("{s:{s:o, s:o, s:o, s:{s:o}}, s:o}", "outputs", "memory", memory, "energy", energy, "latency",
                     latency_json(c), "spatial", "mac_utilization", use, "inputs", inputs_json(e));
}

/* --- reading --- */

/* The object with "layer" and "temporal_mapping" of this name. */
static const json_t *find_layer(const json_t *value, const char *name) {
    const char *key;
    json_t *item;
    size_t i;
    const json_t *found = NULL;
    if (json_is_object(value)) {
        const char *layer = json_string_value(json_object_get(value, "layer"));
        if (layer != NULL && strcmp(layer, name) == 0 && json_object_get(value, "temporal_mapping") != NULL)
            return value;
        json_object_foreach((json_t *)value, key, item) if ((found = find_layer(item, name)) != NULL) return found;
    }
    json_array_foreach(value, i, item) if ((found = find_layer(item, name)) != NULL) return found;
    return NULL;
}

static bool read_loop(const json_t *value, const weir_dse_layer *layer, uint8_t *dim, double *size) {
    const char *name = json_string_value(json_array_get(value, 0));
    const int index = name == NULL ? -1 : weir_dse_layer_dim(layer, name);
    *size = json_number_value(json_array_get(value, 1));
    *dim = (uint8_t)index;
    return index >= 0 && *size >= 1 && *size <= (double)layer->size[index] && *size == trunc(*size);
}

static bool read_unroll(const json_t *value, const weir_dse_accelerator *a, const weir_dse_layer *layer,
                        weir_dse_unroll *unroll) {
    memset(unroll, 0, sizeof *unroll);
    for (int d = 0; d < a->dimension_count; d++) {
        const json_t *loops = json_object_get(value, a->dimension[d]);
        if (!json_is_array(loops) || json_array_size(loops) > WEIR_DSE_DIMS) return false;
        for (size_t i = 0; i < json_array_size(loops); i++)
            if (!read_loop(json_array_get(loops, i), layer, &unroll->dim[d][i], &unroll->factor[d][i])) return false;
        unroll->count[d] = (int)json_array_size(loops);
        unroll->is_decided[d] = true;
    }
    return true;
}

/* Loops of one operand; `loops` has `count` of them already or gets them. */
static bool read_levels(const json_t *levels, const weir_dse_layer *layer, int level_count, bool is_first,
                        weir_dse_loops *loops, uint8_t *start) {
    int at = 0;
    if (!json_is_array(levels) || json_array_size(levels) != (size_t)level_count) return false;
    for (int m = 0; m < level_count; m++) {
        const json_t *list = json_array_get(levels, (size_t)m);
        start[m] = (uint8_t)at;
        for (size_t i = 0; i < json_array_size(list); i++, at++) {
            uint8_t dim;
            double size;
            if (at == WEIR_DSE_LOOPS || !read_loop(json_array_get(list, i), layer, &dim, &size)) return false;
            if (!is_first && (at >= loops->count || loops->dim[at] != dim || loops->size[at] != size)) return false;
            loops->dim[at] = dim;
            loops->size[at] = size;
        }
    }
    start[level_count] = (uint8_t)at;
    if (is_first) loops->count = at;
    return at == loops->count && at > 0;
}

/* Do the loops do all that the spatial mapping leaves? */
static bool covers(const weir_dse_problem *p, const weir_dse_loops *loops) {
    weir_dse_loops needed;
    double size[WEIR_DSE_DIMS];
    weir_dse_temporal_sizes(p, &needed);
    for (int d = 0; d < p->layer->dim_count; d++) size[d] = 1;
    for (int i = 0; i < loops->count; i++) size[loops->dim[i]] *= loops->size[i];
    for (int i = 0; i < needed.count; i++) {
        if (size[needed.dim[i]] != needed.size[i]) return false;
        size[needed.dim[i]] = 1;
    }
    for (int d = 0; d < p->layer->dim_count; d++)
        if (size[d] != 1) return false;
    return true;
}

bool weir_dse_saved_mapping(const json_t *value, const char *file, const weir_dse_accelerator *a,
                            const weir_dse_layer *layer, weir_dse_temporal *t) {
    const json_t *record = find_layer(value, layer->name);
    weir_dse_unroll unroll;
    if (record == NULL) {
        weir_error(weir_at(file, 0), "no mapping of layer '%s' is saved", layer->name);
        return false;
    }
    t->problem = NULL;
    bool fine = read_unroll(json_object_get(record, "spatial_mapping"), a, layer, &unroll);
    if (fine) t->problem = weir_dse_problem_new(a, layer, &unroll);
    for (int o = 0; fine && o < layer->operand_count; o++) {
        const char name[] = {layer->operand[o].name, '\0'};
        const json_t *levels = json_object_get(json_object_get(record, "temporal_mapping"), name);
        fine = read_levels(levels, layer, t->problem->levels[o], o == 0, &t->loops, t->start[o]);
    }
    if (fine && covers(t->problem, &t->loops)) return true;
    weir_error(weir_at(file, 0), "the saved mapping of layer '%s' does not fit it or the accelerator '%s'", layer->name,
               a->name);
    weir_dse_problem_free(t->problem);
    return false;
}

static bool read_latencies(const json_t *latencies, double latency, weir_dse_cost *c) {
    double onloading, offloading;
    const bool fine = json_unpack((json_t *)(uintptr_t)latencies, "{s:F, s:F, s:F, s:F, s:F, s:F}", "data_onloading",
                                  &onloading, "computation", &c->latency_computation, "data_offloading", &offloading,
                                  "ideal", &c->ideal, "ideal_temporal", &c->ideal_temporal, "stall", &c->stall) == 0;
    c->latency = latency;
    c->latency_loaded = latency - (fine ? offloading : 0);
    return fine;
}

static bool read_uses(const json_t *hardware, weir_dse_hardware *h) {
    json_int_t use[WEIR_KNAPSACK_RESOURCES];
    const bool fine = json_unpack((json_t *)(uintptr_t)hardware, "{s:I, s:I, s:I, s:I}", "luts", &use[0], "flip_flops",
                                  &use[1], "multipliers", &use[2], "memory_blocks", &use[3]) == 0;
    for (int r = 0; fine && r < WEIR_KNAPSACK_RESOURCES; r++) h->use[r] = (int64_t)use[r];
    return fine;
}

/* Of a whole folding. */
static bool read_point(const json_t *hardware, weir_arena *arena, weir_dse_hardware *h) {
    weir_dse_point *point = weir_arena_array(arena, 1, sizeof *point);
    const char *device, *budget, *settings;
    json_int_t delay, clock, luts, latency;
    const bool fine =
        json_unpack((json_t *)(uintptr_t)hardware, "{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "device", &device, "budget",
                    &budget, "folding", &settings, "delay_ps", &delay, "clock_goal_mhz", &clock, "device_luts", &luts,
                    "first_to_last_cycles", &latency) == 0;
    if (!fine) return false;
    h->delay_ps = (int64_t)delay;
    h->point = point;
    *point = (weir_dse_point){.device = weir_arena_copy_string(arena, device),
                              .budget = weir_arena_copy_string(arena, budget),
                              .clock_mhz = (int64_t)clock,
                              .device_luts = (int64_t)luts,
                              .latency = (int64_t)latency,
                              .settings = weir_arena_copy_string(arena, settings)};
    return true;
}

/* `whole`: the folding that it is a component of, NULL: it is one itself. */
static bool read_evaluation(const json_t *value, const weir_dse_hardware *whole, weir_arena *arena,
                            weir_dse_evaluation *e) {
    const json_t *hardware = json_object_get(value, "hardware");
    const char *component = json_string_value(json_object_get(hardware, "component"));
    double latency = 0;
    *e = (weir_dse_evaluation){.layer = NULL};
    if (json_unpack((json_t *)(uintptr_t)value, "{s:F, s:F, s:F, s:F}", "energy", &e->cost.energy, "latency", &latency,
                    "mac_energy", &e->cost.mac_energy, "memory_energy", &e->cost.memory_energy) != 0 ||
        latency <= 0 || !read_latencies(json_object_get(value, "latencies"), latency, &e->cost) ||
        !read_uses(hardware, &e->hardware) || (component == NULL) != (whole == NULL))
        return false;
    if (whole == NULL) return read_point(hardware, arena, &e->hardware);
    e->hardware.component = weir_arena_copy_string(arena, component);
    e->hardware.point = whole->point;
    e->hardware.delay_ps = whole->delay_ps;
    return true;
}

static bool read_folding(const json_t *value, const weir_dse_hardware *whole, weir_arena *arena,
                         weir_dse_result *result) {
    const json_t *parts = json_object_get(value, "results");
    const char *parameters = json_string_value(json_object_get(value, "parameters"));
    weir_dse_evaluation *e = weir_arena_array(arena, 1, sizeof *e);
    weir_dse_result *list = weir_arena_array(arena, json_array_size(parts) + 1, sizeof *list);
    *result = (weir_dse_result){.evaluations = json_number_value(json_object_get(value, "evaluations")),
                                .count = json_array_size(parts),
                                .list = list,
                                .parameters = parameters == NULL ? NULL : weir_arena_copy_string(arena, parameters)};
    if (whole == NULL && json_object_get(value, "hardware") == NULL && result->count == 0) return true;
    bool fine = read_evaluation(value, whole, arena, e) && (whole == NULL || result->count == 0);
    for (size_t i = 0; fine && i < result->count; i++)
        fine = read_folding(json_array_get(parts, i), &e->hardware, arena, &list[i]);
    result->evaluation = e;
    return fine;
}

bool weir_dse_saved_folding(const json_t *value, const char *file, weir_arena *arena, weir_dse_result *result) {
    const bool fine = read_folding(value, NULL, arena, result);
    if (!fine) weir_error(weir_at(file, 0), "expected foldings as 'weir dse --json' writes them");
    return fine;
}

double weir_dse_saved_evaluations(const json_t *value, const weir_dse_layer *layer) {
    const json_t *record = find_layer(value, layer->name);
    return json_number_value(json_object_get(record, "evaluations"));
}
