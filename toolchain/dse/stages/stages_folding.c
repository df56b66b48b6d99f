/* Stages that fold a network for FPGAs: each layer is hardware of its own, and all of them work at once. */
#include "dse/stages/stages_folding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/folding.h"
#include "dse/folding/folding_budget.h"
#include "dse/folding/folding_search.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* --- the device --- */

enum { TARGET_DEVICE, TARGET_CLOCK };

static bool run_target(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const weir_dse_source *source = weir_dse_get(context, WEIR_DSE_SOURCE);
    const char *device = weir_dse_stages_need(stage, TARGET_DEVICE);
    if (device == NULL) return false;
    weir_graph *graph = source->read(source->user, device, (int64_t)stage->value[TARGET_CLOCK].number);
    const weir_dse_context frame = {context, WEIR_DSE_HARDWARE, graph};
    const bool fine = graph != NULL && weir_dse_stage_below(stage, &frame, sink, user);
    weir_graph_free(graph);
    return fine;
}

static const weir_dse_option target_options[] = {
    {"device", NULL, WEIR_DSE_TEXT, NULL, "an FPGA, as `weir devices` lists them, or the path of a profile"},
    {"clock", NULL, WEIR_DSE_COUNT, "0", "the clock to build for in MHz; 0: the device's own goal"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_target = {.takes = WEIR_DSE_KEYS(WEIR_DSE_SOURCE),
                                                   .gives = WEIR_DSE_KEYS(WEIR_DSE_SOURCE, WEIR_DSE_HARDWARE),
                                                   .options = target_options,
                                                   .run = run_target};

/* --- foldings --- */

enum { GENERATOR_BUDGET, GENERATOR_INTERVAL, GENERATOR_POINTS };

typedef struct generator {
    const weir_dse_stage *stage;
    const weir_dse_context *context;
    weir_dse_sink *sink;
    void *user;
    weir_arena *arena; /* of points */
    const weir_graph *hardware;
    const weir_dse_source *source;
    const char *budget;
    weir_folding_request request;
    weir_folding_report last; /* that was passed on */
    weir_dse_point *point;
    int64_t static_energy;                  /* of the device, in fJ a frame */
    int64_t doors[WEIR_KNAPSACK_RESOURCES]; /* at the ports: dataflow/frame.h */
} generator;

/* All components together have the device, and its ports, to themselves. */
static bool add_static(void *user, const weir_dse_result *result) {
    const generator *g = user;
    if (result->evaluation == NULL || result->evaluation->hardware.component != NULL) return g->sink(g->user, result);
    weir_dse_evaluation e = *result->evaluation;
    weir_dse_result whole = *result;
    e.cost.energy += (double)g->static_energy / 1000;
    for (int r = 0; r < WEIR_KNAPSACK_RESOURCES; r++) e.hardware.use[r] += g->doors[r];
    whole.evaluation = &e;
    return g->sink(g->user, &whole);
}

/* Runs the stages below on the graph with these settings. */
static bool run_folded(generator *g, weir_graph *graph, const weir_folding_report *report) {
    weir_schedule_timing timing;
    if (!weir_folding_choose(graph, report->interval, INT32_MAX, NULL) ||
        !g->source->complete(graph, INT64_MAX, &timing))
        return false;
    const weir_target target = weir_target_of(graph);
    weir_dse_folding folding = {
        .graph = graph, .interval = report->interval, .device = target.device, .point = g->point, .arena = g->arena};
    folding.survey = weir_cost_survey_new(graph, target.device);
    folding.cost = weir_cost_of_graph(graph, target.device);
    weir_folding_use(&folding.cost.doors, target.device, g->doors);
    g->static_energy = weir_folding_static_energy(&target, report->interval);
    const weir_dse_context frame = {g->context, WEIR_DSE_FOLDING, &folding};
    const bool fine = weir_dse_stage_below(g->stage, &frame, add_static, g);
    weir_cost_survey_free(folding.survey);
    weir_cost_report_free(&folding.cost);
    return fine;
}

static void describe(generator *g, const weir_graph *graph, const weir_folding_report *report) {
    const weir_target target = weir_target_of(graph);
    weir_text settings = {NULL, 0, 0};
    weir_folding_write(graph, report->interval, &settings);
    g->point = weir_arena_array(g->arena, 1, sizeof *g->point);
    *g->point = (weir_dse_point){.device = weir_arena_copy_string(g->arena, weir_graph_device(graph)),
                                 .budget = weir_arena_copy_string(g->arena, g->budget),
                                 .clock_mhz = target.clock_mhz,
                                 .device_luts = target.device->luts.count,
                                 .latency = report->latency,
                                 .settings = weir_arena_copy_string(g->arena, settings.data)};
    weir_text_free(&settings);
}

/* The best folding for the request goes on, unless it is that of the call before. False after a reported error, or when
 * no more is wanted. */
static bool generate(generator *g) {
    weir_graph *graph = weir_graph_copy(g->hardware);
    weir_folding_report report;
    bool fine = weir_folding_find(graph, &g->request, &report);
    if (fine && (report.interval != g->last.interval || memcmp(report.used, g->last.used, sizeof report.used) != 0)) {
        describe(g, graph, &report);
        fine = run_folded(g, graph, &report);
        g->last = report;
    }
    weir_graph_free(graph);
    return fine || !report.fits;
}

/* The shortest interval that fits and the fewest lookup tables within it, then within longer ones, two for each
 * doubling, until there are no fewer. */
static bool generate_all(generator *g) {
    const size_t points = (size_t)g->stage->value[GENERATOR_POINTS].number;
    weir_graph *graph = weir_graph_copy(g->hardware);
    weir_folding_report smallest;
    g->request.objective = WEIR_FOLDING_AREA;
    const bool fits = weir_folding_find(graph, &g->request, &smallest);
    weir_graph_free(graph);
    if (!fits && smallest.fits) return false;
    if (!fits) {
        weir_note("%s: no folding fits%s%s", weir_graph_device(g->hardware), *g->budget == '\0' ? "" : " a budget of ",
                  g->budget);
        return g->sink(g->user, &(weir_dse_result){NULL, 0, 0, NULL, NULL});
    }
    g->request.objective = WEIR_FOLDING_THROUGHPUT;
    bool fine = generate(g);
    g->request.objective = WEIR_FOLDING_AREA;
    const int64_t shortest = g->last.interval;
    for (size_t i = 1; fine && i < points && g->last.interval < smallest.interval; i++) {
        const int64_t longer = (shortest << i / 2) * (i % 2 == 0 ? 2 : 3) / 2;
        g->request.interval = i + 1 == points || longer > smallest.interval ? smallest.interval : longer;
        fine = generate(g);
    }
    return fine;
}

static void release(void *arena) { weir_arena_free(arena); }

static bool run_generator(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                          void *user) {
    generator g = {.stage = stage, .context = context, .sink = sink, .user = user, .arena = weir_arena_new()};
    weir_dse_keep(context, g.arena, release);
    g.hardware = weir_dse_get(context, WEIR_DSE_HARDWARE);
    g.source = weir_dse_get(context, WEIR_DSE_SOURCE);
    g.budget = stage->value[GENERATOR_BUDGET].text;
    g.request.interval = (int64_t)stage->value[GENERATOR_INTERVAL].number;
    g.request.complete = g.source->complete;
    return weir_folding_budget_parse(g.budget, weir_target_of(g.hardware).device, g.request.budget) && generate_all(&g);
}

static const weir_dse_option generator_options[] = {
    {"budget", NULL, WEIR_DSE_TEXT, "",
     "what it may take: \"lut=N,ff=N,dsp=N,bram=N\", \"50%\" of everything; all of a resource that is not named"},
    {"target_interval", NULL, WEIR_DSE_COUNT, "0", "cycles that a frame may take; 0: any number"},
    {"points", NULL, WEIR_DSE_COUNT, "16", "largest number of foldings"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_folding_generator = {.takes =
                                                                  WEIR_DSE_KEYS(WEIR_DSE_SOURCE, WEIR_DSE_HARDWARE),
                                                              .gives = WEIR_DSE_KEYS(WEIR_DSE_FOLDING),
                                                              .options = generator_options,
                                                              .run = run_generator};

/* --- components --- */

static bool run_components(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                           void *user) {
    const weir_dse_folding *folding = weir_dse_get(context, WEIR_DSE_FOLDING);
    for (weir_node node = weir_graph_first(folding->graph); node.id != 0; node = weir_node_next(folding->graph, node)) {
        if (weir_component_of(folding->graph, node) == NULL) continue;
        const weir_dse_context frame = {context, WEIR_DSE_COMPONENT, &node};
        if (!weir_dse_stage_below(stage, &frame, sink, user)) return false;
    }
    return true;
}

const weir_dse_stage_body weir_dse_stage_components = {.takes = WEIR_DSE_KEYS(WEIR_DSE_FOLDING),
                                                       .gives = WEIR_DSE_KEYS(WEIR_DSE_FOLDING, WEIR_DSE_COMPONENT),
                                                       .run = run_components};

/* --- the leaf --- */

/* What a node takes, as shares of blocks with others count it. */
static weir_cost built_cost(const weir_dse_folding *folding, weir_node node) {
    size_t i = 0;
    while (i < folding->cost.count && folding->cost.item[i].node.id != node.id) i++;
    assert(i < folding->cost.count);
    return folding->cost.item[i].cost;
}

/* The energy is that of the search, which counts memories one by one. */
static bool run_model(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    (void)stage;
    const weir_dse_folding *folding = weir_dse_get(context, WEIR_DSE_FOLDING);
    const weir_node node = *(const weir_node *)weir_dse_get(context, WEIR_DSE_COMPONENT);
    const weir_cost cost = weir_cost_survey_node(folding->survey, node).cost;
    const int64_t busy = weir_node_metadata_of(folding->graph, node)->hardware.interval;
    const char *name = weir_arena_copy_string(folding->arena, weir_node_name(folding->graph, node));
    weir_dse_evaluation e = {
        .hardware = {.component = name, .delay_ps = folding->cost.total.delay_ps, .point = folding->point}};
    const weir_cost built = built_cost(folding, node);
    weir_folding_use(&cost, folding->device, e.hardware.use);
    e.cost.latency = e.cost.latency_computation = e.cost.latency_loaded = (double)busy;
    e.cost.energy = (double)weir_folding_energy(e.hardware.use, busy, folding->interval) / 1000;
    weir_folding_use(&built, folding->device, e.hardware.use);
    return sink(user, &(weir_dse_result){&e, 1, 0, NULL, NULL});
}

const weir_dse_stage_body weir_dse_stage_resource_model = {
    .is_leaf = true, .takes = WEIR_DSE_KEYS(WEIR_DSE_FOLDING, WEIR_DSE_COMPONENT), .run = run_model};
