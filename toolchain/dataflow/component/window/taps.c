/* Window along one dimension where a position's elements of a group are given in one beat, or those of several groups
 * or neighbouring positions: weir_taps. weir_window takes a cycle for each pixel of a position and fewer lookup tables;
 * what divides a window for a target (window.c) says which of them a node gets. A unit is what a pixel has of a group:
 * to weir_taps those of a step are lines side by side. */
#include "dataflow/component/window/sliding_private.h"

#include <assert.h>

#include "dataflow/schedule/stream.h"

/* Memories from there on: rtl/window/weir_taps.v. */
enum { MEMORY_INNER = 3, LATENCY = 3 };

typedef struct taps {
    weir_sliding_axis line;
    int64_t across, along; /* units of a beat: of neighbouring lines, of a line */
    int64_t beats;         /* of a step; 0: not along one dimension */
    int64_t lines;         /* of a frame, as many side by side as a beat has of them */
    int64_t joined;        /* steps after a line that are the first ones of the next: rtl/window/weir_taps.v */
} taps;

static bool stays(const weir_sliding_axis *a) { return a->kernel == 1 && a->in == a->out; }

/* With so many units a beat, neighbours in a row of the frame. */
static taps read_taps(const weir_sliding *w, int64_t units) {
    assert(units >= 1);
    const bool down = stays(&w->x);
    const int64_t step = down ? w->x.in * w->group : w->group, across = units < step ? units : step;
    const taps t = {
        down ? w->y : w->x, across, units / across, step / across, down ? w->frames : w->frames * w->y.in, 0};
    return stays(&w->x) != stays(&w->y) ? t : (taps){w->x, 1, 1, 0, 0, 0};
}

/* rtl/window/weir_taps.v has the same names. */
static int64_t moved_of(const taps *t) {
    assert(t->line.stride >= 1);
    return t->along > 1 ? t->along / t->line.stride : 1;
}
static int64_t move_of(const taps *t) { return t->along > 1 ? 1 : t->line.stride; }

/* Steps of a line, the one that ends its first positions, the last ones, and all that there are. */
static int64_t in_of(const taps *t) { return t->line.in / t->along; }
static int64_t out_of(const taps *t) { return t->line.out / moved_of(t); }
static int64_t first_of(const taps *t) {
    return ((moved_of(t) - 1) * t->line.stride + weir_sliding_reach(&t->line) - t->line.begin) / t->along;
}
static int64_t final_of(const taps *t) { return (out_of(t) - 1) * move_of(t) + first_of(t); }
static int64_t steps_of(const taps *t) { return in_of(t) > final_of(t) ? in_of(t) : final_of(t) + 1; }

static int64_t interval_of(const taps *t) { return t->lines * (steps_of(t) - t->joined) * t->beats; }

/* Steps from a line to the next one that no line is below: rtl/window/weir_taps.v, Bound. */
static int64_t bound_of(const taps *t) { return weir_later(in_of(t), final_of(t) + 1 - first_of(t)); }

/* And at least: no more than its steps are joined. */
static int64_t least_steps(const taps *t) { return weir_later(bound_of(t), final_of(t) + 1 - in_of(t)); }

static int64_t least_interval(const taps *t) { return t->lines * least_steps(t) * t->beats; }

/* The same with its last steps joined to the next line's first ones where a frame would take longer than `most`
 * otherwise: as many as are needed for that, or that can be. */
static taps joined_for(const taps *t, int64_t most) {
    assert(steps_of(t) >= least_steps(t));
    taps j = *t;
    for (const int64_t can = steps_of(t) - least_steps(t); j.joined < can && interval_of(&j) > most;) j.joined++;
    return j;
}

/* Units of a row. */
static int64_t row_of(const weir_sliding *w) { return w->group * (w->x.in > 1 ? w->x.in : w->y.in); }

/* Part of a pixel or whole ones, whole beats a row, and for each of them whole beats of positions. */
static bool can_take(const weir_sliding *w, int64_t units) {
    const taps one = read_taps(w, 1);
    if (units == 1 || one.beats == 0) return units == 1;
    if (units > row_of(w) || (w->group % units != 0 && units % w->group != 0)) return false;
    if (units <= one.beats) return one.beats % units == 0;
    const int64_t along = units / one.beats, stride = one.line.stride;
    return units % one.beats == 0 && one.line.in % along == 0 && along % stride == 0 &&
           one.line.out % (along / stride) == 0;
}

/* The fewest units a beat in which a frame takes no longer than `most`, or else in which it is the shortest. */
static int64_t units_for(const weir_sliding *w, int64_t most) {
    int64_t best = 1, shortest = INT64_MAX;
    for (int64_t units = 1; units <= row_of(w) && shortest > most; units++) {
        if (!can_take(w, units)) continue;
        const taps t = read_taps(w, units);
        if (least_interval(&t) >= shortest) continue;
        shortest = least_interval(&t);
        best = units;
    }
    return best;
}

/* As a node is folded with so many. */
static taps folded(const weir_graph *graph, const weir_sliding *w, int64_t units) {
    const taps t = read_taps(w, units);
    return joined_for(&t, weir_stream_pace(graph));
}

int64_t weir_taps_interval(const weir_sliding *window) {
    const taps t = read_taps(window, units_for(window, 0));
    return least_interval(&t);
}

/* As the node is folded. */
static taps taps_of(const weir_graph *graph, weir_node node) {
    const weir_sliding w = weir_sliding_of(graph, node);
    assert(weir_node_metadata_of(graph, node)->hardware.in_lanes % w.channels == 0);
    return folded(graph, &w, weir_node_metadata_of(graph, node)->hardware.in_lanes / w.channels);
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const weir_sliding w = weir_sliding_of(graph, node);
    const int64_t units = units_for(&w, weir_stream_pace(graph));
    const taps t = folded(graph, &w, units);
    hardware->in_lanes = units * w.channels;
    hardware->out_lanes = t.across * moved_of(&t) * t.line.kernel * w.channels;
    hardware->interval = interval_of(&t);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const weir_sliding w = weir_sliding_of(graph, node);
    const int64_t units = hardware->in_lanes / w.channels;
    const taps one = read_taps(&w, 1), t = read_taps(&w, units > 0 ? units : 1);
    if (one.beats == 0) {
        weir_text_add(why, "slides along two dimensions, which weir_taps does not");
        return false;
    }
    if (units * w.channels == hardware->in_lanes && units > 0 && can_take(&w, units) &&
        hardware->out_lanes == t.across * moved_of(&t) * t.line.kernel * w.channels)
        return true;
    weir_text_format(why,
                     "takes %lld and gives %lld elements per beat, expected the %lld channels of one or several groups "
                     "or neighbouring pixels, and %lld times as many a position",
                     (long long)hardware->in_lanes, (long long)hardware->out_lanes, (long long)w.channels,
                     (long long)t.line.kernel);
    return false;
}

static int64_t ideal(const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    return t.joined < steps_of(&t) - least_steps(&t) ? interval_of(&t) : t.lines * bound_of(&t) * t.beats;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    const int64_t unseen = steps_of(&t) - 1 - final_of(&t); /* steps that no position sees */
    return (weir_component_timing){LATENCY + (t.joined - unseen) * t.beats, interval_of(&t)};
}

static int64_t start(const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    return first_of(&t) * t.beats;
}

/* A beat that is to be joined and has not come is taken after those steps. */
static int64_t late(const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    return t.joined * t.beats;
}

/* --- service: registers hold when the next step can be made, and the next one after the line --- */

static void take_and_give(weir_service *s, const void *user) {
    weir_service_take_beat(s, user);
    weir_service_give(s, 0, s->time[0] + LATENCY - 1);
}

/* A step that ends a position, and those up to the next one. */
static void serve_position(weir_service *s, const void *user) {
    const taps *t = user;
    weir_service_repeat(s, t->beats, take_and_give, t);
    weir_service_repeat(s, (move_of(t) - 1) * t->beats, weir_service_take_beat, t);
}

/* The same after the line. */
static void give_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, s->time[1]++ + LATENCY);
}

static void give_position(weir_service *s, const void *user) {
    const taps *t = user;
    weir_service_repeat(s, t->beats, give_beat, t);
    s->time[1] += (move_of(t) - 1) * t->beats;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* So many steps after step `from`, which is beyond the line. */
static void serve_beyond(weir_service *s, const taps *t, int64_t from, int64_t steps) {
    assert(from >= 0 && steps >= 0);
    const int64_t first = first_of(t), move = move_of(t), past = from > first ? (from - first) % move : 0;
    const int64_t before = from < first ? first - from : past > 0 ? move - past : 0; /* that end no position */
    const int64_t positions = before < steps ? (steps - before - 1) / move + 1 : 0, end = s->time[1] + steps * t->beats;
    s->time[1] += before * t->beats;
    weir_service_repeat(s, positions, give_position, t);
    s->time[1] = end;
}

static void serve_line(weir_service *s, const void *user) {
    const taps *t = user;
    const int64_t in = in_of(t), move = move_of(t), first = first_of(t);
    const int64_t ended = first >= in ? 0 : least(out_of(t), (in - 1 - first) / move + 1); /* in the line */
    int64_t step = least(in, first);
    weir_service_repeat(s, step * t->beats, weir_service_take_beat, t);
    if (ended > 0) {
        weir_service_repeat(s, ended - 1, serve_position, t);
        weir_service_repeat(s, t->beats, take_and_give, t);
        step += (ended - 1) * move + 1;
        weir_service_repeat(s, (in - step) * t->beats, weir_service_take_beat, t);
    }
    const int64_t alone = steps_of(t) - in - t->joined;
    s->time[1] = s->time[0];
    serve_beyond(s, t, in, alone);
    s->time[0] = s->time[1];
    serve_beyond(s, t, in + alone, t->joined);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    weir_service_repeat(s, t.lines, serve_line, &t);
}

/* --- emission --- */

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    const taps t = taps_of(b->graph, node);
    assert(x->lanes % (t.across * t.along) == 0);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes / (t.across * t.along));
    if (t.across > 1) weir_build_set(b, u, "ACROSS", t.across);
    if (t.along > 1) weir_build_set(b, u, "ALONG", t.along);
    weir_build_set_element(b, u, "X", x);
    weir_build_set(b, u, "Y_W", y->element_bits);
    weir_build_set(b, u, "INNER", t.beats);
    weir_build_set(b, u, "IN", t.line.in);
    weir_build_set(b, u, "OUT", t.line.out);
    weir_build_set(b, u, "LINES", t.lines);
    weir_build_set(b, u, "KERNEL", t.line.kernel);
    weir_build_set(b, u, "STRIDE", t.line.stride);
    weir_build_set(b, u, "DILATION", t.line.dilation);
    weir_build_set(b, u, "BEGIN", t.line.begin);
    if (t.joined > 0) weir_build_set(b, u, "JOINED", t.joined);
    weir_build_set(b, u, "FILL", weir_node_int(b->graph, node, "fill", 0));
    weir_build_connect_through(b, u, x, y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const taps t = taps_of(graph, node);
    weir_text_format(text, "window %lld in one beat, stride %lld, %lld of %lld %s held", (long long)t.line.kernel,
                     (long long)t.line.stride, (long long)weir_sliding_reach(&t.line), (long long)t.line.in,
                     t.beats * t.across > 1 ? "rows" : "pixels");
    const int64_t units = t.across * t.along, group = weir_node_int(graph, node, "group", 1);
    if (units > group) weir_text_format(text, ", %lld pixels a beat", (long long)(units / group));
    else if (units < group) weir_text_format(text, ", %lld of %lld groups a beat", (long long)units, (long long)group);
}

/* --- cost --- */

static int64_t counter_bits(int64_t count) { return count > 1 ? weir_cost_bits(count) + 1 : 0; }

/* rtl/window/weir_taps.v */
/* Bits of a position's pixels that differ from each other: neighbours in a beat see some pixels both. */
typedef struct given {
    int64_t known, chosen; /* always pixels of the line, or it is said by a register which of them are */
} given;

static given given_of(const weir_cost_part *part, const taps *t) {
    const weir_sliding_axis *line = &t->line;
    const int64_t pixel = t->across * weir_cost_value(part, "LANES") * weir_cost_value(part, "X_W");
    const int64_t first = first_of(t) * t->along + line->begin,
                  common = weir_common_divisor(line->stride, line->dilation);
    const int64_t filled = t->across * weir_sliding_given_bits(part, weir_cost_value(part, "LANES"));
    given g = {0, 0};
    for (int64_t n = 0; n < moved_of(t); n++) {
        for (int64_t k = 0; k < line->kernel; k++) {
            /* an earlier position sees it, with a later tap */
            if (n >= line->dilation / common && k + line->stride / common < line->kernel) continue;
            const bool latest = n * line->stride + k * line->dilation >= first;
            if (latest && steps_of(t) == in_of(t)) g.known += pixel;
            else g.chosen += filled;
        }
    }
    return g;
}

static void cost(weir_cost_part *part) {
    const taps t = {{weir_cost_value(part, "IN"), weir_cost_value(part, "OUT"), weir_cost_value(part, "KERNEL"),
                     weir_cost_value(part, "STRIDE"), weir_cost_value(part, "DILATION"),
                     weir_cost_value(part, "BEGIN")},
                    weir_cost_value(part, "ACROSS"),
                    weir_cost_value(part, "ALONG"),
                    weir_cost_value(part, "INNER"),
                    weir_cost_value(part, "LINES"),
                    weir_cost_value(part, "JOINED")};
    const int64_t pixel = t.across * weir_cost_value(part, "LANES") * weir_cost_value(part, "X_W");
    const int64_t beat = t.along * pixel,
                  before = first_of(&t) * t.along + t.line.begin; /* pixels, of those that are seen */
    const int64_t held = before * pixel, reach = weir_ceil_divide(before, t.along);
    const given g = given_of(part, &t);
    const int64_t wait = first_of(&t) > move_of(&t) - 1 ? first_of(&t) : move_of(&t) - 1;
    const int64_t counters =
        counter_bits(t.beats) + counter_bits(steps_of(&t)) + counter_bits(t.lines) + counter_bits(wait + 1);
    const bool memory = t.beats >= MEMORY_INNER, absorbed = weir_device_memory_takes_output(part->device);
    /* Registers of the delay line; Yosys keeps one of two that are always alike. */
    const int64_t alike = held > beat ? held - beat : 0;
    const int64_t line = 2 * beat + (memory ? (absorbed ? 0 : held) : (t.beats + 2) * held - alike);
    weir_cost_term(part, counters);
    weir_cost_term(part, g.known);
    weir_cost_term(part, g.chosen);
    weir_cost_term(part, part->device->logic_cell == WEIR_DEVICE_SHARED ? line : 0); /* no tables before them */
    weir_cost_registers(part, counters + 3 * (reach + 1) + 5 + line);
    if (t.joined > 0) weir_cost_registers(part, 3 + counter_bits(t.beats) + weir_cost_bits(t.joined) + t.joined);
    if (memory) {
        weir_cost_registers(part, 2 * (weir_cost_bits(t.beats) + 1));
        weir_cost_blocks(part, held, t.beats);
        weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
    }
    weir_cost_path(part, WEIR_COST_REGISTER, 2, weir_cost_bits(steps_of(&t)), held + 2 * beat);
    weir_cost_slice(part, g.known + g.chosen);
}

const weir_component_rules weir_taps_rules = {.asks = "one dimension, a target that the window does not meet",
                                              .fits = weir_sliding_fits,
                                              .result = WEIR_RESULT_INPUTS,
                                              .legal = legal,
                                              .derive = derive,
                                              .ideal = ideal,
                                              .timing = timing,
                                              .start = start,
                                              .late = late,
                                              .service = service,
                                              .cost = cost,
                                              .build = build,
                                              .describe = describe,
                                              .pauses = true,
                                              .has_active = true};
