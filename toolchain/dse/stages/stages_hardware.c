/* The stage that varies hardware: the array and the inner memory of ZigZag's accelerator gemm_l1_l3, for one product of
 * matrices. What varies is copied; results refer to the copies until the run ends. */
#include <math.h>
#include <string.h>

#include "dse/mapping/workload.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { SIDES = 3 }; /* of the array */

/* Inner memories: KiB, and pJ to read 64 bytes; writing takes a fifth more. */
static const struct {
    int kib;
    double read_energy;
} l1_sizes[] = {{32, 95}, {64, 104}, {128, 118}, {256, 132}, {512, 147}};
static const int side_sizes[] = {8, 16};
static const double usable = 0.8; /* of the memory: the rest is the stack of the core that drives it */

typedef struct best {
    weir_dse_kept result;
    double evaluations;
    const char *parameters; /* of the variant that runs */
} best;

static bool take_better(void *user, const weir_dse_result *result) {
    best *b = user;
    b->evaluations += result->evaluations;
    if (result->evaluation == NULL) return true;
    const weir_dse_cost *cost = &result->evaluation->cost;
    const weir_dse_cost *old = b->result.count > 0 ? &b->result.list[0].evaluation->cost : NULL;
    const bool is_less =
        old == NULL || cost->latency < old->latency || (cost->latency == old->latency && cost->energy < old->energy);
    weir_dse_result named = *result;
    named.parameters = b->parameters;
    if (is_less) weir_dse_kept_replace(&b->result, &named);
    return true;
}

/* The memory l1 with its ports for the two inputs and the output, -1 after an error. */
static int find_l1(const weir_dse_accelerator *a) {
    static const char *const ports[SIDES] = {"rw_port_1", "rw_port_2", "rw_port_3"};
    for (int m = 0; strstr(a->name, "gemm_l1_l3") != NULL && a->dimension_count == SIDES && m < a->memory_count; m++) {
        const weir_dse_memory *memory = &a->memory[m];
        bool fits = strcmp(memory->name, "l1") == 0 && memory->port_count >= SIDES;
        for (int p = 0; fits && p < SIDES; p++) fits = strcmp(memory->port[p].name, ports[p]) == 0;
        if (fits) return m;
    }
    weir_error(WEIR_NOWHERE,
               "stage 'hardware_optimizer': expected the accelerator gemm_l1_l3, three dimensions and a memory l1 with "
               "ports rw_port_1 to rw_port_3; found '%s'",
               a->name);
    return -1;
}

/* The only layer, which must be a product of matrices; NULL after an error. */
static const weir_dse_layer *only_product(const weir_dse_workload *w) {
    const weir_dse_layer *layer = NULL;
    int layers = 0;
    for (int i = 0; i < w->count; i++) {
        if (w->node[i].layer == NULL) continue;
        layer = w->node[i].layer;
        layers++;
    }
    if (layers == 1 && strcmp(layer->type, "Gemm") == 0) return layer;
    weir_error(weir_at(w->path, 0), "stage 'hardware_optimizer': expected one layer, a Gemm; found %d", layers);
    return NULL;
}

/* Named by its number, as the files that ZigZag writes. Ports carry what the array takes at once: 8 bits an input, 32
 * bits a sum. */
static weir_dse_accelerator *vary_accelerator(const weir_dse_accelerator *from, int number, int l1, size_t size,
                                              const int *side, weir_arena *arena) {
    weir_dse_accelerator *a = weir_arena_array(arena, 1, sizeof *a);
    *a = *from;
    a->name = weir_arena_format(arena, "%s_%d", from->name, number);
    weir_dse_memory *memory = &a->memory[l1];
    memory->size = floor(l1_sizes[size].kib * 1024 * 8 * usable);
    memory->read_energy = l1_sizes[size].read_energy;
    memory->write_energy = 1.2 * l1_sizes[size].read_energy;
    for (int d = 0; d < SIDES; d++) a->dimension_size[d] = side[d];
    memory->port[0].bandwidth_max = side[0] * side[1] * 8;
    memory->port[1].bandwidth_max = side[1] * side[2] * 8;
    memory->port[2].bandwidth_max = side[0] * side[2] * 32;
    weir_dse_accelerator_link(a);
    return a;
}

/* Each dimension of the array is unrolled over all of its units, which must divide the loop; NULL after an error. */
static weir_dse_mapping_entry *vary_mapping(const weir_dse_layer *layer, const weir_dse_accelerator *a,
                                            weir_arena *arena) {
    weir_dse_mapping_entry *entry = weir_arena_array(arena, 1, sizeof *entry);
    *entry = *layer->mapping;
    weir_dse_unrolling *spatial = weir_arena_array(arena, (size_t)entry->spatial_count + 1, sizeof *spatial);
    for (int i = 0; i < entry->spatial_count; i++) {
        spatial[i] = entry->spatial[i];
        const int d = weir_dse_accelerator_dimension(a, spatial[i].dimension);
        const char *name = spatial[i].count > 0 ? spatial[i].factor[0].dim : NULL;
        const int loop = name == NULL ? -1 : weir_dse_layer_dim(layer, name);
        if (d < 0 || loop < 0 || layer->size[loop] % a->dimension_size[d] != 0) {
            weir_error(layer->location,
                       "stage 'hardware_optimizer': layer '%s' has a loop over '%s' that %lld units do not divide",
                       layer->name, spatial[i].dimension, d < 0 ? 0LL : (long long)a->dimension_size[d]);
            return NULL;
        }
        weir_dse_factor *factor = weir_arena_array(arena, 1, sizeof *factor);
        *factor = (weir_dse_factor){name, a->dimension_size[d]};
        spatial[i].factor = factor;
        spatial[i].count = 1;
    }
    entry->spatial = spatial;
    return entry;
}

static weir_dse_workload *vary_workload(const weir_dse_workload *from, const weir_dse_mapping_entry *mapping,
                                        weir_arena *arena) {
    weir_dse_workload *w = weir_arena_array(arena, 1, sizeof *w);
    *w = *from;
    w->node = weir_arena_array(arena, (size_t)from->count, sizeof *w->node);
    for (int i = 0; i < from->count; i++) {
        w->node[i] = from->node[i];
        if (from->node[i].layer == NULL) continue;
        w->node[i].layer = weir_arena_array(arena, 1, sizeof *w->node[i].layer);
        *w->node[i].layer = *from->node[i].layer;
        w->node[i].layer->mapping = mapping;
    }
    return w;
}

typedef struct optimizer {
    const weir_dse_stage *stage;
    const weir_dse_context *context;
    const weir_dse_accelerator *accelerator;
    const weir_dse_workload *workload;
    const weir_dse_layer *layer;
    int l1, variants;
    weir_arena *arena;
    best best;
} optimizer;

static bool run_variant(optimizer *o, size_t size, const int *side) {
    const weir_dse_accelerator *a = vary_accelerator(o->accelerator, o->variants++, o->l1, size, side, o->arena);
    const weir_dse_mapping_entry *mapping = vary_mapping(o->layer, a, o->arena);
    if (mapping == NULL) return false;
    const weir_dse_context hardware = {o->context, WEIR_DSE_ACCELERATOR, a};
    const weir_dse_context frame = {&hardware, WEIR_DSE_WORKLOAD, vary_workload(o->workload, mapping, o->arena)};
    o->best.parameters =
        weir_arena_format(o->arena, "l1=%dKiB array=%dx%dx%d", l1_sizes[size].kib, side[0], side[1], side[2]);
    return weir_dse_stage_below(o->stage, &frame, take_better, &o->best);
}

static void release(void *arena) { weir_arena_free(arena); }

static bool run_optimizer(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                          void *user) {
    optimizer o = {.stage = stage,
                   .context = context,
                   .accelerator = weir_dse_get(context, WEIR_DSE_ACCELERATOR),
                   .workload = weir_dse_get(context, WEIR_DSE_WORKLOAD),
                   .arena = weir_arena_new()};
    weir_dse_keep(context, o.arena, release);
    o.l1 = find_l1(o.accelerator);
    o.layer = o.l1 < 0 ? NULL : only_product(o.workload);
    bool fine = o.layer != NULL;
    for (size_t i = 0; fine && i < sizeof l1_sizes / sizeof *l1_sizes; i++) {
        for (int k = 0; fine && k < 1 << SIDES; k++) { /* the last side changes first */
            const int side[SIDES] = {side_sizes[k >> 2 & 1], side_sizes[k >> 1 & 1], side_sizes[k & 1]};
            fine = run_variant(&o, i, side);
        }
    }
    if (fine && o.best.result.count > 0) {
        const weir_dse_result *found = &o.best.result.list[0];
        fine = sink(user, &(weir_dse_result){found->evaluation, o.best.evaluations, 0, NULL, found->parameters});
    }
    weir_dse_kept_free(&o.best.result);
    return fine;
}

const weir_dse_stage_body weir_dse_stage_hardware_optimizer = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD, WEIR_DSE_ACCELERATOR),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD, WEIR_DSE_ACCELERATOR),
    .run = run_optimizer};
