/* Window along one dimension where a position is given in one beat: weir_taps. weir_window takes a cycle for each element of a position
 * and fewer lookup tables; what divides a window for a target (window.c) says which of them a node gets. */
#include "dataflow/component/sliding_private.h"

#include "dataflow/stream.h"

/* Memories from there on: rtl/window/weir_taps.v. */
enum { MEMORY_INNER = 3, LATENCY = 3 };

typedef struct taps {
    weir_sliding_axis along;
    int64_t inner, lines; /* beats of a step, lines of a frame; inner 0: not along one dimension */
} taps;

static bool stays(const weir_sliding_axis *a) { return a->kernel == 1 && a->in == a->out; }

static taps read_taps(const weir_sliding *w) {
    if (w->group == 1 && stays(&w->x) && w->y.kernel > 1) return (taps){w->y, w->x.in, w->frames};
    if (w->group == 1 && stays(&w->y) && w->x.kernel > 1) return (taps){w->x, 1, w->frames * w->y.in};
    return (taps){w->x, 0, 0};
}

static taps taps_of(const weir_graph *graph, weir_node node) {
    const weir_sliding w = weir_sliding_of(graph, node);
    return read_taps(&w);
}

/* The step that ends the first position of a line, the last one, and all that there are. */
static int64_t first_of(const taps *t) { return weir_sliding_reach(&t->along) - t->along.begin; }
static int64_t final_of(const taps *t) { return (t->along.out - 1) * t->along.stride + first_of(t); }
static int64_t steps_of(const taps *t) { return t->along.in > final_of(t) ? t->along.in : final_of(t) + 1; }

static int64_t interval_of(const taps *t) { return t->lines * steps_of(t) * t->inner; }

int64_t weir_taps_interval(const weir_sliding *window) {
    const taps t = read_taps(window);
    return interval_of(&t);
}

static int64_t channels_of(const weir_graph *graph, weir_node node) {
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    return x->dim[x->rank - 1];
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const taps t = taps_of(graph, node);
    hardware->in_lanes = channels_of(graph, node);
    hardware->out_lanes = hardware->in_lanes * t.along.kernel;
    hardware->interval = interval_of(&t);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const taps t = taps_of(graph, node);
    const int64_t channels = channels_of(graph, node);
    if (t.inner == 0) {
        weir_text_add(why, "slides along two dimensions or by groups: weir_taps does neither");
        return false;
    }
    if (hardware->in_lanes == channels && hardware->out_lanes == channels * t.along.kernel) return true;
    weir_text_format(
        why, "takes %lld and gives %lld elements per beat, expected its %lld channels and %lld times as many",
        (long long)hardware->in_lanes, (long long)hardware->out_lanes, (long long)channels, (long long)t.along.kernel);
    return false;
}

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    return (weir_component_timing){LATENCY - (steps_of(&t) - 1 - final_of(&t)) * t.inner, interval_of(&t)};
}

/* --- service: the register holds when the next step can be made --- */

static void take_beat(weir_service *s, const void *user) {
    (void)user;
    s->time[0] = weir_service_take(s, 0, s->time[0]) + 1;
}

static void take_and_give(weir_service *s, const void *user) {
    take_beat(s, user);
    weir_service_give(s, 0, s->time[0] + LATENCY - 1);
}

static void give_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, ++s->time[0] + LATENCY - 1);
}

/* A step that ends a position, and those up to the next one. */
static void serve_position(weir_service *s, const void *user) {
    const taps *t = user;
    weir_service_repeat(s, t->inner, take_and_give, t);
    weir_service_repeat(s, (t->along.stride - 1) * t->inner, take_beat, t);
}

/* The same after the line. */
static void serve_beyond(weir_service *s, const void *user) {
    const taps *t = user;
    s->time[0] += (t->along.stride - 1) * t->inner;
    weir_service_repeat(s, t->inner, give_beat, t);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void serve_line(weir_service *s, const void *user) {
    const taps *t = user;
    const int64_t in = t->along.in, stride = t->along.stride, first = first_of(t);
    const int64_t ended = first >= in ? 0 : least(t->along.out, (in - 1 - first) / stride + 1); /* in the line */
    int64_t step = least(in, first);
    weir_service_repeat(s, step * t->inner, take_beat, t);
    if (ended > 0) {
        weir_service_repeat(s, ended - 1, serve_position, t);
        weir_service_repeat(s, t->inner, take_and_give, t);
        step += (ended - 1) * stride + 1;
        weir_service_repeat(s, (in - step) * t->inner, take_beat, t);
    }
    if (ended == t->along.out) return;
    /* the first of those after it: some of the steps to it are in the line */
    s->time[0] += (first + ended * stride - in) * t->inner;
    weir_service_repeat(s, t->inner, give_beat, t);
    weir_service_repeat(s, t->along.out - ended - 1, serve_beyond, t);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const taps t = taps_of(graph, node);
    weir_service_repeat(s, t.lines, serve_line, &t);
}

/* --- emission --- */

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    const taps t = taps_of(b->graph, node);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", x->lanes);
    weir_build_set(b, u, "X_W", x->element_bits);
    weir_build_set(b, u, "X_SIGNED", x->is_signed);
    weir_build_set(b, u, "Y_W", y->element_bits);
    weir_build_set(b, u, "INNER", t.inner);
    weir_build_set(b, u, "IN", t.along.in);
    weir_build_set(b, u, "OUT", t.along.out);
    weir_build_set(b, u, "LINES", t.lines);
    weir_build_set(b, u, "KERNEL", t.along.kernel);
    weir_build_set(b, u, "STRIDE", t.along.stride);
    weir_build_set(b, u, "DILATION", t.along.dilation);
    weir_build_set(b, u, "BEGIN", t.along.begin);
    weir_build_set(b, u, "FILL", weir_node_int(b->graph, node, "fill", 0));
    weir_build_connect(b, u, "s", x);
    weir_build_connect(b, u, "m", y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const taps t = taps_of(graph, node);
    weir_text_format(text, "window %lld in one beat, stride %lld, %lld of %lld %s held", (long long)t.along.kernel,
                     (long long)t.along.stride, (long long)weir_sliding_reach(&t.along), (long long)t.along.in,
                     t.inner > 1 ? "rows" : "pixels");
}

/* --- cost --- */

static int64_t counter_bits(int64_t count) { return count > 1 ? weir_cost_bits(count) + 1 : 0; }

/* rtl/window/weir_taps.v */
static void cost(weir_cost_part *part) {
    const taps t = {{weir_cost_value(part, "IN"), weir_cost_value(part, "OUT"), weir_cost_value(part, "KERNEL"),
                     weir_cost_value(part, "STRIDE"), weir_cost_value(part, "DILATION"),
                     weir_cost_value(part, "BEGIN")},
                    weir_cost_value(part, "INNER"),
                    weir_cost_value(part, "LINES")};
    const int64_t lanes = weir_cost_value(part, "LANES"), beat = lanes * weir_cost_value(part, "X_W");
    const int64_t held = weir_sliding_reach(&t.along) * beat,
                  given = lanes * t.along.kernel * weir_cost_value(part, "Y_W");
    const int64_t wait = first_of(&t) > t.along.stride - 1 ? first_of(&t) : t.along.stride - 1;
    const int64_t counters =
        counter_bits(t.inner) + counter_bits(steps_of(&t)) + counter_bits(t.lines) + counter_bits(wait + 1);
    const bool memory = t.inner >= MEMORY_INNER, absorbed = weir_device_memory_takes_output(part->device);
    weir_cost_term(part, counters);
    weir_cost_term(part, given);
    weir_cost_registers(part, counters + 3 * (weir_sliding_reach(&t.along) + 1) + 5 + 2 * beat);
    if (memory) {
        weir_cost_registers(part, (absorbed ? 0 : held) + 2 * (weir_cost_bits(t.inner) + 1));
        weir_cost_blocks(part, held, t.inner);
        weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
    } else {
        /* Yosys keeps one of two registers that are always alike */
        weir_cost_registers(part, (t.inner + 2) * held - (weir_sliding_reach(&t.along) - 1) * beat);
    }
    weir_cost_path(part, WEIR_COST_REGISTER, 2, weir_cost_bits(steps_of(&t)), held + 2 * beat);
    weir_cost_slice(part, given);
}

const weir_component_rules weir_taps_rules = {.asks =
                                                  "one dimension, no groups, a target that the window does not meet",
                                              .fits = weir_sliding_fits,
                                              .result = WEIR_RESULT_RANGE,
                                              .legal = legal,
                                              .derive = derive,
                                              .timing = timing,
                                              .service = service,
                                              .cost = cost,
                                              .build = build,
                                              .describe = describe,
                                              .pauses = true,
                                              .has_active = true};
