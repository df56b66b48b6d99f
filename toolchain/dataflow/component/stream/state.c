/* State: rows of a frame, a step of time each, that its Update gives it: it has the stream, the Update the hardware.
 * The rows of a frame are `step` cycles apart: what the nodes between the two take for one. The next frame's first
 * row comes `rest` cycles after the last one, for it waits for nothing that is computed; of a State that is kept, a
 * step. */
#include "dataflow/state.h"

#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/schedule/stream.h"
#include "ir/trait/recurrence.h"

enum { STEP, REST };
static const weir_component_setting settings[] = {
    [STEP] = {"step", WEIR_SETTING_FOUND, NULL}, [REST] = {"rest", WEIR_SETTING_FOUND, NULL}};

int64_t weir_state_steps(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_STATE);
    return weir_node_int(graph, node, "steps", 1);
}

int64_t weir_state_step(const weir_graph *graph, weir_node node) {
    return weir_component_setting_of(&weir_node_metadata_of(graph, node)->hardware, &settings[STEP]);
}

int64_t weir_state_row(const weir_graph *graph, weir_node node) {
    const int64_t lanes = weir_node_metadata_of(graph, node)->hardware.out_lanes;
    return weir_stream_beats(graph, weir_node_output(graph, node, 0), lanes) / weir_state_steps(graph, node);
}

static void set_interval(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware, int64_t row) {
    const int64_t steps = weir_state_steps(graph, node);
    assert(steps >= 1 && row >= 1);
    const int64_t step = weir_component_setting_of(hardware, &settings[STEP]),
                  rest = weir_component_setting_of(hardware, &settings[REST]),
                  next = weir_recurrence_is_kept(graph, node) ? step : rest;
    hardware->interval = (steps - 1) * weir_later(step, row) + weir_later(next, row);
}

/* The lanes that are asked for, as far as a row has so many. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const weir_value value = weir_node_output(graph, node, 0);
    const int64_t steps = weir_state_steps(graph, node), elements = weir_stream_elements(graph, value) / steps;
    int64_t lanes = 1;
    for (int64_t more = 1; more > 0 && more <= elements && lanes < hardware->out_lanes;
         more = weir_stream_more_lanes(graph, value, more))
        if (elements % more == 0) lanes = more;
    hardware->in_lanes = hardware->out_lanes = lanes;
    set_interval(graph, node, hardware, elements / lanes);
}

void weir_state_set_step(weir_graph *graph, weir_node node, int64_t step, int64_t rest) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    weir_component_setting_set(hardware, &settings[STEP], step);
    weir_component_setting_set(hardware, &settings[REST], rest);
    set_interval(graph, node, hardware, weir_state_row(graph, node));
}

/* Each step waits for the one before. */
static int64_t ideal(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.interval;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){1, weir_stream_beats_of(graph, node)};
}

/* --- the initial row --- */

/* Of one that is kept few frames take the initial row. */
static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const bool fine =
        !weir_recurrence_is_kept(graph, node) || weir_value_constant(graph, weir_node_input(graph, node, 0)) != NULL;
    if (!fine) weir_text_add(why, "hardware keeps from frame to frame what begins with a constant");
    return fine;
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0 || weir_stream_count(graph, node) > 0) return false;
    const weir_value value = weir_node_output(graph, node, 0);
    bool is_signed;
    *memory = (weir_memory){.depth = weir_state_row(graph, node),
                            .fields = weir_node_metadata_of(graph, node)->hardware.out_lanes,
                            .field_bits = weir_stream_width(graph, value, &is_signed)};
    strcpy(memory->suffix, "initial");
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    (void)upper;
    const weir_array *row = weir_value_constant(graph, weir_node_input(graph, node, 0));
    assert(row != NULL && word >= 0 && word < memory->depth);
    for (int64_t f = 0; f < memory->fields; f++)
        lower[f] = weir_array_get_int(row, (size_t)(word * memory->fields + f));
}

/* The Update's instance drives it. */
static void build(weir_builder *b, weir_node node) { weir_build_output(b, node); }

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const int64_t steps = weir_state_steps(graph, node);
    weir_text_format(text, "%lld step%s of %lld cycles%s", (long long)steps, steps == 1 ? "" : "s",
                     (long long)weir_state_step(graph, node),
                     weir_recurrence_is_kept(graph, node) ? ", kept from frame to frame" : "");
}

const weir_component_rules weir_state_rules = {.asks = "an Update; a constant initial value where it is kept",
                                               .fits = fits,
                                               .streams = WEIR_COMPONENT_SOURCE,
                                               .settings = settings,
                                               .setting_count = sizeof settings / sizeof *settings,
                                               .derive = derive,
                                               .ideal = ideal,
                                               .timing = timing,
                                               .memory = memory,
                                               .content = content,
                                               .build = build,
                                               .describe = describe,
                                               .may_wait = true};
