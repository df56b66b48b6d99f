#include "passes/verilog/emit_frame.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/frame.h"
#include "dataflow/library.h"
#include "dataflow/schedule/stream.h"
#include "rtlir/core/stmt.h"
#include "support/memory/arena.h"

static weir_rtl_expr add_wire(weir_builder *b, const char *prefix, const char *suffix, uint32_t width) {
    char *name = weir_format("%s_%s", prefix, suffix);
    const weir_rtl_var var = weir_rtl_add_wire(b->design, b->top, weir_rtl_free_name(b->design, b->top, name), width);
    free(name);
    return weir_rtl_read(b->design, var);
}

static weir_rtl_expr add_port(weir_builder *b, const char *prefix, const char *suffix, uint32_t width) {
    char *name = weir_format("%s_%s", prefix, suffix);
    const weir_rtl_var var = weir_rtl_add_output(b->design, b->top, name, width);
    free(name);
    return weir_rtl_read(b->design, var);
}

/* u_PREFIX_frame */
static weir_rtl_instance add_door(weir_builder *b, const char *prefix, const weir_frame_door *door) {
    char *name = weir_format("u_%s_frame", prefix), *subject = weir_format("stream '%s'", prefix);
    weir_rtl_set_location(b->design, weir_at(weir_graph_source(b->graph), 0));
    weir_rtl_set_subject(b->design, subject);
    free(subject);
    const weir_rtl_instance u = weir_rtl_add_instance(b->design, b->top, weir_library_module(b->design, door->module),
                                                      weir_rtl_free_name(b->design, b->top, name));
    free(name);
    weir_rtl_connect(b->design, u, "clk", weir_rtl_read(b->design, b->clk));
    weir_rtl_connect(b->design, u, "rst", weir_rtl_read(b->design, b->rst));
    for (size_t i = 0; i < WEIR_FRAME_PARAMETERS && door->parameter[i].name != NULL; i++)
        weir_build_set(b, u, door->parameter[i].name, door->parameter[i].value);
    return u;
}

/* Data passes beside a door. */
static void connect(weir_builder *b, weir_rtl_instance u, const char *side, const weir_wires *stream) {
    weir_wires control = *stream;
    control.data = (weir_rtl_expr){0};
    weir_build_connect(b, u, side, &control);
}

weir_wires weir_frame_before(weir_builder *b, const char *prefix, const weir_wires *ports) {
    weir_wires wires = *ports;
    wires.valid = add_wire(b, prefix, "frame_valid", 1);
    wires.ready = add_wire(b, prefix, "frame_ready", 1);
    wires.last = add_wire(b, prefix, "frame_last", 1);
    return wires;
}

/* What tells the States that are kept of each frame, before the guard of the first input. */
static weir_wires add_sequence(weir_builder *b, weir_frame_doors *doors, const char *prefix, const weir_wires *ports) {
    const int64_t states = (int64_t)weir_frame_states(b->graph);
    const weir_frame_door door = weir_frame_sequence(b->graph, (int64_t)doors->inputs);
    char *name = weir_format("%s_sequence", prefix);
    doors->sequence = add_door(b, name, &door);
    const weir_wires behind = weir_frame_before(b, name, ports);
    connect(b, doors->sequence, "s", ports);
    connect(b, doors->sequence, "m", &behind);
    const weir_rtl_var reset = weir_rtl_add_input(b->design, b->top, WEIR_FRAME_RESET_STATE, 1);
    weir_rtl_connect(b->design, doors->sequence, "reset_state", weir_rtl_read(b->design, reset));
    b->begin = (weir_begin_wires){add_wire(b, name, "begin_valid", (uint32_t)states),
                                  add_wire(b, name, "begin_ready", (uint32_t)states),
                                  add_wire(b, name, "begin_first", (uint32_t)states)};
    weir_rtl_connect(b->design, doors->sequence, "t_valid", b->begin.valid);
    weir_rtl_connect(b->design, doors->sequence, "t_ready", b->begin.ready);
    weir_rtl_connect(b->design, doors->sequence, "t_first", b->begin.first);
    free(name);
    return behind;
}

weir_wires weir_frame_enter(weir_builder *b, weir_frame_doors *doors, size_t index, const char *prefix,
                            const weir_wires *ports) {
    const weir_rtl_expr count = add_port(b, prefix, "error_count", WEIR_FRAME_COUNT_BITS);
    const bool tells = index == 0 && weir_frame_states(b->graph) > 0;
    const weir_wires behind = tells ? add_sequence(b, doors, prefix, ports) : *ports;
    const weir_wires inside = weir_frame_before(b, prefix, ports);
    const weir_frame_door guard = weir_frame_guard(b->graph, doors->input[index]);
    const weir_rtl_instance u = add_door(b, prefix, &guard);
    connect(b, u, "s", &behind);
    connect(b, u, "m", &inside);
    weir_rtl_connect(b->design, u, "count", count);
    doors->signals[index] = (weir_frame_signals){.guard = u};
    return inside;
}

/* The signals of an input, once an output needs them. */
static void say(weir_builder *b, weir_frame_signals *signals) {
    if (signals->done.id != 0) return;
    char *name = weir_copy_string(weir_rtl_get_instance(b->design, signals->guard).name + strlen("u_"));
    signals->done = add_wire(b, name, "done", 1);
    signals->damaged = add_wire(b, name, "damaged", 1);
    weir_rtl_connect(b->design, signals->guard, "done", signals->done);
    weir_rtl_connect(b->design, signals->guard, "damaged", signals->damaged);
    free(name);
}

/* The inputs of `used`, input 0 in the low bit. */
static void listen(weir_builder *b, weir_frame_doors *doors, const bool *used, size_t count, weir_rtl_instance u,
                   const char *prefix) {
    weir_rtl_expr *done = weir_calloc(count, sizeof *done), *damaged = weir_calloc(count, sizeof *damaged);
    const weir_rtl_expr holds = add_wire(b, prefix, "frame_hold", (uint32_t)count);
    size_t at = 0;
    for (size_t i = 0; i < doors->inputs; i++) {
        if (!used[i]) continue;
        weir_frame_signals *signals = &doors->signals[i];
        say(b, signals);
        const weir_rtl_expr hold = count == 1 ? holds : weir_rtl_bit(b->design, holds, (uint32_t)at);
        signals->hold = signals->hold.id == 0 ? hold : weir_rtl_binary(b->design, WEIR_RTL_OR, signals->hold, hold);
        done[count - 1 - at] = signals->done; /* concatenations start at the top */
        damaged[count - 1 - at] = signals->damaged;
        at++;
    }
    weir_rtl_connect(b->design, u, "done", count == 1 ? *done : weir_rtl_concat(b->design, count, done));
    weir_rtl_connect(b->design, u, "damaged", count == 1 ? *damaged : weir_rtl_concat(b->design, count, damaged));
    weir_rtl_connect(b->design, u, "hold", holds);
    free(done);
    free(damaged);
}

void weir_frame_begin(weir_builder *b, weir_frame_doors *doors) {
    if (doors->sequence.id == 0) return;
    bool *all = weir_calloc(doors->inputs, sizeof *all);
    for (size_t i = 0; i < doors->inputs; i++) all[i] = true;
    listen(b, doors, all, doors->inputs, doors->sequence, "sequence");
    free(all);
}

/* The stream behind a register. */
static weir_wires add_slice(weir_builder *b, const char *prefix, weir_value output, const weir_wires *stream) {
    const weir_frame_door slice = weir_frame_slice(b->graph, output);
    const weir_rtl_instance u = add_door(b, prefix, &slice);
    weir_wires framed = weir_frame_before(b, prefix, stream);
    framed.data = add_wire(b, prefix, "frame_data", (uint32_t)slice.parameter[0].value);
    weir_build_connect(b, u, "s", stream);
    weir_build_connect(b, u, "m", &framed);
    return framed;
}

void weir_frame_leave(weir_builder *b, weir_frame_doors *doors, weir_value output, const char *prefix,
                      const weir_wires *before, const weir_wires *ports) {
    const weir_wires stream = weir_frame_is_bare(b->graph, output) ? add_slice(b, prefix, output, before) : *before;
    bool *used = weir_frame_inputs(b->graph, output, doors->input, doors->inputs);
    size_t count = 0;
    for (size_t i = 0; i < doors->inputs; i++) count += used[i];
    const weir_rtl_expr error = add_port(b, prefix, "error", 1);
    const weir_frame_door flags = weir_frame_flags((int64_t)count, weir_frame_depth(b->graph, output));
    const weir_rtl_instance u = add_door(b, prefix, &flags);
    listen(b, doors, used, count, u, prefix);
    connect(b, u, "s", &stream);
    connect(b, u, "m", ports);
    weir_rtl_connect(b->design, u, "m_error", error);
    if (stream.data.id != ports->data.id) weir_rtl_assign(b->design, b->top, ports->data, stream.data);
    free(used);
}

void weir_frame_finish(weir_builder *b, weir_frame_doors *doors) {
    for (size_t i = 0; i < doors->inputs; i++) {
        const weir_frame_signals *signals = &doors->signals[i];
        const bool heard = signals->hold.id != 0;
        weir_rtl_connect(b->design, signals->guard, "hold", heard ? signals->hold : weir_rtl_constant(b->design, 1, 0));
        if (heard) continue;
        weir_rtl_leave_open(b->design, signals->guard, "done");
        weir_rtl_leave_open(b->design, signals->guard, "damaged");
    }
    free(doors->input);
    free(doors->signals);
}
