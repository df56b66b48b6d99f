#include "component/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/header.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

typedef struct timing {
    int64_t latency, interval, beat; /* cycles; beat: between two input beats at the last module */
    bool starts_late;                /* the first beat after the reset may wait for the first word of a memory */
} timing;

/* The node alone in a design of its own, with wires for what it takes. */
static weir_builder build_alone(const weir_graph *graph, weir_node node) {
    weir_builder b = {.graph = graph, .design = weir_rtl_design_new()};
    b.top = weir_rtl_add_module(b.design, "alone");
    b.clk = weir_rtl_add_clock(b.design, b.top, "clk");
    b.rst = weir_rtl_add_reset(b.design, b.top, "rst");
    b.wires = weir_calloc(weir_graph_value_limit(graph), sizeof *b.wires);
    b.is_result = weir_calloc(weir_graph_value_limit(graph), sizeof *b.is_result);
    for (size_t i = 0; i < weir_stream_count(graph, node); i++) {
        weir_value value = weir_stream_source(graph, weir_node_input(graph, node, i));
        bool is_signed;
        int bits = weir_stream_width(graph, value, &is_signed);
        char *prefix = weir_format("in_%zu_", i);
        b.wires[value.id] = weir_build_stream(&b, node, prefix, weir_stream_lanes(graph, value), bits, is_signed);
        free(prefix);
    }
    weir_component_of(graph, node)->rules->build(&b, node);
    return b;
}

static int64_t units(const weir_graph *graph, weir_node node, const char *unit) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    if (strcmp(unit, "beat") == 0) return weir_stream_beats(graph, weir_node_input(graph, node, 0), hardware->in_lanes);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    if (strcmp(unit, "row") == 0)
        return weir_stream_elements(graph, weir_node_input(graph, node, 0)) / x->dim[x->rank - 1];
    return strcmp(unit, "result") == 0 ? weir_stream_beats_of(graph, node) : 1;
}

/* A module that the stream goes through, unlike the source of its parameters. */
static bool is_on_path(const weir_rtl_design *design, weir_rtl_module module) {
    return weir_rtl_find_var(design, module, "s_ready").id != 0 ||
           weir_rtl_find_var(design, module, "s_a_ready").id != 0;
}

/* A block's own output register costs a cycle, once. */
static bool starts_late(weir_rtl_design *design, weir_rtl_instance instance) {
    int64_t registered = 0;
    return strcmp(weir_rtl_get_module(design, weir_rtl_get_instance(design, instance).module).name,
                  "weir_rom_source") == 0 &&
           weir_header_evaluate("REGISTERED", design, instance, &registered) && registered != 0;
}

/* Latencies add up, the slowest module sets the interval. */
static bool read_headers(const weir_graph *graph, weir_node node, timing *t) {
    weir_builder b = build_alone(graph, node);
    *t = (timing){0, 0, 1, false};
    bool fine = weir_rtl_errors(b.design) == 0;
    for (size_t i = 0; fine && i < weir_rtl_get_module(b.design, b.top).instance_count; i++) {
        weir_rtl_instance instance = weir_rtl_instance_at(b.design, b.top, i);
        weir_rtl_module module = weir_rtl_get_instance(b.design, instance).module;
        weir_header header = {NULL, NULL, NULL, NULL};
        int64_t latency = 0, interval = 0;
        t->starts_late |= starts_late(b.design, instance);
        if (!is_on_path(b.design, module)) continue;
        fine = weir_header_read(weir_rtl_get_module(b.design, module).name, &header) &&
               weir_header_evaluate(header.latency, b.design, instance, &latency) &&
               weir_header_evaluate(header.interval, b.design, instance, &interval);
        if (fine) {
            t->latency += latency;
            t->beat = strcmp(header.unit, "beat") == 0 ? interval : 1;
            interval *= units(graph, node, header.unit);
            if (interval > t->interval) t->interval = interval;
        }
        weir_header_free(&header);
    }
    free(b.wires);
    free(b.is_result);
    weir_rtl_design_free(b.design);
    return fine;
}

bool timing_agrees(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component *component = weir_component_of(graph, node);
        timing t;
        if (component == NULL || component->rules->streams == WEIR_COMPONENT_SOURCE) continue; /* without a module */
        if (!read_headers(graph, node, &t)) return false;
        const weir_component_timing table = component->rules->timing(graph, node);
        const int64_t folded = weir_node_metadata_of(graph, node)->hardware.interval;
        if (t.latency == table.latency && t.interval == table.interval && t.interval == folded) continue;
        fprintf(stderr,
                "%s: latency %lld and interval %lld in the headers, %lld and %lld in the table, interval %lld folded\n",
                component->name, (long long)t.latency, (long long)t.interval, (long long)table.latency,
                (long long)table.interval, (long long)folded);
        return false;
    }
    return true;
}

static weir_node only_component(const weir_graph *graph) {
    weir_node found = WEIR_NO_NODE;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_component_of(graph, node) == NULL) continue;
        if (found.id != 0) return WEIR_NO_NODE;
        found = node;
    }
    return found;
}

bool timing_is_visible(const weir_graph *graph) { return only_component(graph).id != 0; }

/* Cycles until a frame may leave: its last beat waits for those of the inputs, of which it may need only a part. */
static int64_t input_cycles(const weir_graph *graph, weir_node node) {
    int64_t most = 0;
    for (size_t i = 0; i < weir_stream_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        const int64_t beats = weir_stream_beats(graph, input, weir_stream_lanes(graph, input));
        if (beats > most) most = beats;
    }
    return most + 1;
}

bool timing_is(const weir_graph *graph, const weir_cosim *result, int64_t more) {
    weir_node node = only_component(graph);
    timing t;
    if (node.id == 0 || !read_headers(graph, node, &t)) return false;
    const int64_t own = t.interval - t.beat + t.latency + 1; /* cycles of a frame, the first included */
    const int64_t inputs = input_cycles(graph, node), expected = more + (own > inputs ? own : inputs);
    const bool may_wait = weir_component_of(graph, node)->rules->may_wait;
    if (may_wait || t.starts_late) {
        const double most = may_wait ? 1.02 * (double)t.interval + 1 : HUGE_VAL; /* but for one pause of a cycle */
        const bool fine = result->interval >= (double)t.interval && result->interval <= most;
        if (!fine && more == 0)
            fprintf(stderr, "%s: measured %g cycles a frame; its header says %lld\n",
                    weir_node_metadata_of(graph, node)->hardware.module, result->interval, (long long)t.interval);
        return more == 0 && fine && result->latency >= t.latency;
    }
    const bool fine = result->latency == expected && fabs(result->interval - (double)t.interval) < 1e-9;
    if (!fine && more == 0)
        fprintf(stderr, "%s: measured %lld cycles a frame, one each %g; its headers say %lld and %lld\n",
                weir_node_metadata_of(graph, node)->hardware.module, (long long)result->latency, result->interval,
                (long long)expected, (long long)t.interval);
    return fine;
}
