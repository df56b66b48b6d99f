/* Update: gives its State what it takes, a step later, and passes it on. */
#include <assert.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/fifo.h"
#include "dataflow/frame.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "dataflow/state.h"
#include "ir/trait/recurrence.h"
#include "rtlir/core/stmt.h"

static weir_node state_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_UPDATE);
    return weir_value_producer(graph, weir_node_input(graph, node, 1));
}

/* At the lanes of its State. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    hardware->in_lanes = hardware->out_lanes = weir_node_metadata_of(graph, state_of(graph, node))->hardware.out_lanes;
    hardware->interval = weir_stream_beats(graph, weir_node_output(graph, node, 0), hardware->out_lanes);
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    return (weir_component_timing){0, weir_stream_beats_of(graph, node)};
}

/* A State that is kept hears when a sequence begins; another has nothing to hear. */
static void connect_begin(weir_builder *b, weir_node state, weir_rtl_instance u) {
    if (b->shared != NULL) return;
    const bool hears = weir_recurrence_is_kept(b->graph, state) && b->begin.valid.id != 0;
    const uint32_t index = hears ? (uint32_t)weir_frame_state_index(b->graph, state) : 0;
    const weir_rtl_expr none = weir_rtl_constant(b->design, 1, 0);
    weir_rtl_connect(b->design, u, "t_valid", hears ? weir_rtl_bit(b->design, b->begin.valid, index) : none);
    weir_rtl_connect(b->design, u, "t_first", hears ? weir_rtl_bit(b->design, b->begin.first, index) : none);
    if (hears) weir_rtl_connect(b->design, u, "t_ready", weir_rtl_bit(b->design, b->begin.ready, index));
    else weir_rtl_leave_open(b->design, u, "t_ready");
}

/* What the State begins a frame with: a constant again and again, or a stream's rows, one a frame. */
static weir_wires initial_row(weir_builder *b, weir_node state, int element_bits) {
    if (weir_stream_count(b->graph, state) > 0) {
        const weir_wires *x = weir_build_input(b, state, 0);
        return x->lanes == 0 ? *x /* of the Update alone */ : weir_build_widened(b, x, element_bits);
    }
    weir_memory initial;
    weir_memory_get(b->graph, state, 0, &initial);
    weir_wires row = weir_build_memory(b, state, &initial);
    if (b->shared == NULL) row.last = weir_rtl_constant(b->design, 1, 0);
    return row;
}

/* The module passes on what it takes; where the State has more bits than that, by way of the State's codes. */
static void pass_on(weir_builder *b, weir_node node, weir_rtl_instance u, const weir_wires *x, bool is_wide) {
    if (!weir_stream_is_read(b->graph, weir_node_output(b->graph, node, 0))) { /* but by its State */
        weir_build_leave_open(b, u, "m");
        return;
    }
    weir_wires y = *weir_build_output(b, node);
    if (is_wide && b->shared == NULL) {
        weir_rtl_assign(b->design, b->top, y.data, x->data);
        weir_rtl_leave_open(b->design, u, "m_data");
        y.data.id = 0;
    }
    weir_build_connect(b, u, "m", &y);
}

static void build(weir_builder *b, weir_node node) {
    const weir_node state = state_of(b->graph, node);
    const weir_wires *x = weir_build_input(b, node, 0), *row = weir_build_output(b, state);
    assert(x->lanes == row->lanes);
    const weir_wires first = initial_row(b, state, row->element_bits),
                     next = weir_build_widened(b, x, row->element_bits);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "WIDTH", row->lanes * row->element_bits);
    weir_build_set(b, u, "BEATS", weir_state_row(b->graph, state));
    weir_build_set(b, u, "STEPS", weir_state_steps(b->graph, state));
    weir_build_set(b, u, "KEPT", weir_recurrence_is_kept(b->graph, state));
    const weir_target target = weir_target_of(b->graph);
    weir_build_set(b, u, "SPREAD", weir_target_has_distributed_ram(&target));
    weir_build_connect(b, u, "s", &next);
    pass_on(b, node, u, x, next.element_bits > x->element_bits);
    weir_build_connect(b, u, "i", &first);
    weir_build_connect(b, u, "r", row);
    connect_begin(b, state, u);
}

static void cost(weir_cost_part *part) {
    const int64_t width = weir_cost_value(part, "WIDTH"), beats = weir_cost_value(part, "BEATS"),
                  steps = weir_cost_value(part, "STEPS");
    const bool kept = weir_cost_value(part, "KEPT") != 0, holds = kept || steps > 1;
    /* The position of what is taken tells which row is dropped. */
    const int64_t counters = (kept ? 1 : 2) * (weir_cost_bits(beats) + weir_cost_bits(steps));
    if (holds) weir_fifo_cost(part, width, weir_later(beats, 2), 0);
    weir_cost_term(part, holds ? width : 0);
    weir_cost_term(part, holds ? counters : 0);
    weir_cost_registers(part, holds ? counters + 3 : 0);
    /* A row is given: its end, the end of the frame, the position. */
    weir_cost_path(part, WEIR_COST_REGISTER, holds ? 2 + weir_cost_levels(part, weir_cost_bits(steps)) : 1,
                   weir_cost_bits(beats), width + counters);
}

const weir_component_rules weir_update_rules = {
    .asks = "a State", .result = WEIR_RESULT_INPUT, .derive = derive, .timing = timing, .cost = cost, .build = build};
