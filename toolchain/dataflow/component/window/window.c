/* Window: what a sliding window sees at each of its positions, from a ring of rows: weir_window. A frame of one spatial
 * dimension has rows of one pixel. A group's channels are whole beats. Where positions of KY x KX beats are too slow
 * for the pace (OY * OX * KY * KX cycles a frame and group), two of them follow each other, in OY * IX * KY and OY * OX
 * * KX cycles: divide. */
#include "dataflow/component/window/sliding_private.h"

#include <assert.h>
#include <stdlib.h>

#include "dataflow/depthwise.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

static int64_t beats_a_pixel(const weir_sliding *w, int64_t lanes) {
    assert(lanes >= 1);
    return w->group * weir_ceil_divide(w->channels, lanes);
}

/* A cycle for each beat that is taken, and for each that is given. */
static int64_t interval_at(const weir_sliding *w, int64_t lanes) {
    const int64_t taken = w->x.in * w->y.in, given = w->x.out * w->y.out * w->x.kernel * w->y.kernel;
    return w->frames * (taken > given ? taken : given) * beats_a_pixel(w, lanes);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t positive(int64_t a) { return a > 0 ? a : 0; }

/* Rows that the last positions of a frame see, and that the first ones need. */
static int64_t kept_rows(const weir_sliding_axis *y) { return y->in - positive((y->out - 1) * y->stride - y->begin); }
static int64_t needed_rows(const weir_sliding_axis *y) { return least(y->in, weir_sliding_reach(y) + 1 - y->begin); }

/* Rows in the ring without spare ones. */
static int64_t least_rows(const weir_sliding_axis *y) { return weir_sliding_reach(y) + y->stride; }

/* Pixels before a frame's first position while nothing is given: rows that it needs and that the last positions of the
 * frame before leave no room for. The first of them is taken as those positions leave the pixels that it replaces,
 * unless they begin above the frame. */
static int64_t start_of(const weir_sliding *w) {
    const weir_sliding_axis *y = &w->y;
    const int64_t rows = needed_rows(y) - positive(least_rows(y) - kept_rows(y));
    const int64_t first = weir_sliding_reach(&w->x) + 1 - w->x.begin, early = (y->out - 1) * y->stride >= y->begin;
    return rows <= early ? 0 : (rows - 1 - early) * w->x.in + least(first, w->x.in);
}

/* --- spare rows: rtl/window/weir_window.v, Interval --- */

/* Cycles before a row of positions while nothing is given, with so many beats a pixel: what its first position needs of
 * its newest row is taken as the last positions of the row before leave the pixels in whose place it goes. The service
 * rule counts them so; the module does not wait for all of them. */
static int64_t row_pause(const weir_sliding *w, int64_t pixel) {
    const weir_sliding_axis *x = &w->x;
    const int64_t first = least(x->in, weir_sliding_reach(x) + 1 - x->begin);
    const int64_t left = weir_ceil_divide(positive(first - x->stride) + x->begin, x->stride); /* by these positions */
    const int64_t positions = x->out - least(x->out, left);
    return positive(1 + (first - 1 - positions * x->kernel * w->y.kernel) * pixel);
}

/* Cycles a frame without spare rows, at most, but for one. */
static int64_t interval_with_pauses(const weir_sliding *w, int64_t lanes) {
    enum { LEAST_PAUSE = 1 };
    const int64_t pixel = beats_a_pixel(w, lanes);
    const int64_t given = w->x.out * w->y.out * w->x.kernel * w->y.kernel * pixel;
    const int64_t pauses = start_of(w) * pixel + w->y.out * row_pause(w, pixel) + LEAST_PAUSE;
    return weir_later(interval_at(w, lanes), w->frames * (given + pauses));
}

/* With these a frame takes no pause: rows that are kept and needed, and one to be taken while those are seen. */
static int64_t spare_rows(const weir_sliding *w) {
    return weir_later(1, kept_rows(&w->y) + needed_rows(&w->y) - least_rows(&w->y));
}

/* Does a frame take no more cycles, with those before its first position, but for 2 %? */
static bool keeps_pace(const weir_sliding *w, int64_t lanes, int64_t interval) {
    const int64_t given = w->x.out * w->y.out * w->x.kernel * w->y.kernel;
    const int64_t whole = w->frames * (given + start_of(w)) * beats_a_pixel(w, lanes);
    return interval_at(w, lanes) <= interval && whole <= interval + interval / 50;
}

/* Whole beats a group, and as many lanes as what sets the pace needs. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const weir_sliding w = weir_sliding_of(graph, node);
    const int64_t most = weir_stream_pace(graph);
    int64_t lanes = 1;
    while (lanes < w.channels && (w.channels % lanes != 0 || !keeps_pace(&w, lanes, most))) lanes++;
    assert(w.channels % lanes == 0);
    hardware->in_lanes = hardware->out_lanes = lanes;
    hardware->interval = interval_at(&w, lanes);
}

/* The node, from here on, slides along one dimension of `w` only. */
static void slide_along(weir_graph *graph, weir_node node, const weir_window *w, int dimension) {
    assert(dimension >= 0 && dimension < w->rank && dimension < 2);
    int64_t kernel[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1}, pads[4] = {0, 0, 0, 0};
    kernel[dimension] = w->kernel[dimension];
    strides[dimension] = w->stride[dimension];
    dilations[dimension] = w->dilation[dimension];
    pads[dimension] = w->begin[dimension];
    pads[dimension + 2] = w->end[dimension];
    weir_node_set_ints(graph, node, "kernel_shape", kernel, 2);
    weir_node_set_ints(graph, node, "strides", strides, 2);
    weir_node_set_ints(graph, node, "dilations", dilations, 2);
    weir_node_set_ints(graph, node, "pads", pads, 4);
    const bool fine = weir_infer_node(graph, node);
    assert(fine);
    (void)fine;
}

/* What slides down the columns, before the node. */
static weir_node insert_columns(weir_graph *graph, weir_node node, const weir_window *windows) {
    const weir_value x = weir_node_input(graph, node, 0);
    char *name = weir_format("%s_columns", weir_node_name(graph, node));
    const weir_node columns = weir_graph_add_node(graph, WEIR_OP_WINDOW, name, &x, 1, 1, node);
    free(name);
    weir_node_set_location(graph, columns, weir_node_location(graph, node));
    weir_node_set_int(graph, columns, "fill", weir_node_int(graph, node, "fill", 0));
    const int64_t group = weir_node_int(graph, node, "group", 1);
    if (group > 1) weir_node_set_int(graph, columns, "group", group);
    weir_node_metadata(graph, columns)->hardware = weir_node_metadata_of(graph, node)->hardware;
    slide_along(graph, columns, windows, 0);
    weir_node_set_input(graph, node, 0, weir_node_output(graph, columns, 0));
    return columns;
}

/* In the faster one of the two modules. */
static int64_t fastest(const weir_sliding *w) {
    const int64_t window = interval_at(w, w->channels), taps = weir_taps_interval(w);
    return taps > 0 && taps < window ? taps : window;
}

static void hurry(weir_graph *graph, weir_node node, int64_t interval) {
    const weir_sliding w = weir_sliding_of(graph, node);
    const int64_t window = interval_at(&w, w.channels);
    if (!keeps_pace(&w, w.channels, interval) && fastest(&w) < window)
        weir_node_metadata(graph, node)->hardware.module = "weir_taps";
}

/* Down the columns, then along the rows: what the first sees at a position is one pixel for the second, and a column of
 * the kernel a beat. The elements come in the order of the node. Each that is still too slow gets them all at once
 * (weir_taps), and so does each before a depthwise node: weir_window would keep up with the fewest groups only. */
static void divide(weir_graph *graph, weir_node node, int64_t interval) {
    const weir_sliding w = weir_sliding_of(graph, node);
    weir_sliding down = w, along = w;
    down.x = (weir_sliding_axis){w.x.in, w.x.in, 1, 1, 1, 0};
    along.y = (weir_sliding_axis){w.y.out, w.y.out, 1, 1, 1, 0};
    along.channels *= w.y.kernel;
    const int64_t alone = interval_at(&w, w.channels);
    const bool depthwise = weir_depthwise_has_window(graph, node);
    if (depthwise ? alone <= interval : keeps_pace(&w, w.channels, interval)) return;
    if (depthwise) interval = 0;
    if (weir_taps_interval(&w) == 0 && fastest(&down) < alone && fastest(&along) < alone) {
        weir_window windows;
        weir_geometry_window_innermost(graph, node, &windows);
        hurry(graph, insert_columns(graph, node, &windows), interval);
        slide_along(graph, node, &windows, 1);
    }
    hurry(graph, node, interval);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const weir_sliding w = weir_sliding_of(graph, node);
    if (hardware->in_lanes == hardware->out_lanes && w.channels % hardware->in_lanes == 0) return true;
    weir_text_format(why, "takes %lld elements per beat, which do not divide the %lld channels of a group",
                     (long long)hardware->in_lanes, (long long)w.channels);
    return false;
}

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.in_lanes;
}

/* Of a folded graph: none where a frame keeps the pace without, but for 1 %. */
static int64_t spare_of(const weir_graph *graph, weir_node node) {
    const weir_sliding w = weir_sliding_of(graph, node);
    const int64_t most = weir_stream_pace(graph);
    return interval_with_pauses(&w, lanes_of(graph, node)) <= most + most / 100 ? 0 : spare_rows(&w);
}

enum { LATENCY = 3 };

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const weir_sliding w = weir_sliding_of(graph, node);
    return (weir_component_timing){LATENCY, interval_at(&w, lanes_of(graph, node))};
}

static int64_t start(const weir_graph *graph, weir_node node) {
    const weir_sliding w = weir_sliding_of(graph, node);
    if (spare_of(graph, node) > 0) return 0;
    return start_of(&w) * beats_a_pixel(&w, lanes_of(graph, node));
}

/* --- service --- */

/* Registers: when the next beat can be taken and given, when the pixel to be replaced is released, and the ends of the
 * last rows of positions, the latest first. */
enum { TAKE, GIVE, RELEASED, ENDS, HISTORY = 8 };

typedef struct service_rule {
    weir_sliding window;
    int64_t run;      /* beats of a pixel's channels of a group */
    int64_t ring;     /* rows */
    int64_t position; /* beats */
    int64_t rows;     /* taken before a row of positions */
    int64_t newest;   /* the row of the kernel that sees the last of them */
    int64_t pixels;   /* taken before a position, or with it */
    int64_t lag[2];   /* rows of positions after which the first and the last of them are released */
    bool follows;     /* the last one is taken as the positions of `lag` leave the pixels it replaces */
} service_rule;

static void take_beat(weir_service *s, const void *user) {
    (void)user;
    s->time[TAKE] = weir_service_take(s, 0, weir_later(s->time[TAKE], s->time[RELEASED])) + 1;
}

static void take_pixel(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_repeat(s, r->window.group * r->run, take_beat, r);
}

static void give_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, s->time[GIVE] + LATENCY - 1);
    s->time[GIVE]++;
}

static void give_position(weir_service *s, const void *user) {
    const service_rule *r = user;
    s->time[GIVE] = weir_later(s->time[GIVE], s->time[TAKE]);
    weir_service_repeat(s, r->position, give_beat, r);
}

static void pass_beat(weir_service *s, const void *user) {
    take_beat(s, user);
    s->time[GIVE] = weir_later(s->time[GIVE], s->time[TAKE]);
    give_beat(s, user);
}

/* Of a group, column by column: the newest pixel's beats are given as they come, and what lies before them without
 * them. */
static void pass_group(weir_service *s, const void *user) {
    const service_rule *r = user;
    const int64_t column = r->window.y.kernel * r->run, before = column * (r->window.x.kernel - 1) + r->newest * r->run;
    weir_service_repeat(s, before, give_beat, r);
    weir_service_repeat(s, r->run, pass_beat, r);
    weir_service_repeat(s, column * r->window.x.kernel - before - r->run, give_beat, r);
}

/* A position with the pixels of the last row by which it moves on; those that these replace were left a position
 * later. */
static void follow(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_repeat(s, r->pixels - 1, take_pixel, r);
    s->time[GIVE] = weir_later(s->time[GIVE], s->time[TAKE]);
    weir_service_repeat(s, r->window.group, pass_group, r);
    if (r->follows) s->time[RELEASED] += r->position;
}

static void take_row(weir_service *s, const void *user) {
    const service_rule *r = user;
    weir_service_repeat(s, r->window.x.in, take_pixel, r);
}

/* The positions of a row with the last of its rows: the first of them needs so many pixels, the others `stride`
 * more. */
static void serve_newest(weir_service *s, const service_rule *r) {
    const weir_sliding_axis *x = &r->window.x;
    service_rule each = *r;
    each.pixels = least(x->in, weir_sliding_reach(x) + 1 - x->begin);
    const int64_t moves = least(x->out, 1 + (x->in - each.pixels) / x->stride);
    const int64_t taken = each.pixels + (moves - 1) * x->stride;
    const int64_t free = each.pixels > x->stride ? each.pixels - x->stride : 0; /* by the first positions */
    s->time[RELEASED] = s->time[ENDS + r->lag[1]];
    if (r->follows)
        s->time[RELEASED] -= (x->out - least(x->out, weir_ceil_divide(free + x->begin, x->stride))) * r->position;
    weir_service_repeat(s, 1, follow, &each);
    each.pixels = x->stride;
    weir_service_repeat(s, moves - 1, follow, &each);
    if (r->follows) s->time[RELEASED] = s->time[ENDS + r->lag[1]];
    weir_service_repeat(s, x->in - taken, take_pixel, r);
    weir_service_repeat(s, x->out - moves, give_position, r);
}

/* The rows that a row of positions needs, then these: the last row's pixels as the positions come to them. */
static void serve_row(weir_service *s, const void *user) {
    const service_rule *r = user;
    if (r->rows > 1) {
        s->time[RELEASED] = s->time[ENDS + r->lag[0]];
        weir_service_repeat(s, r->rows - 1, take_row, r);
    }
    if (r->rows == 0) weir_service_repeat(s, r->window.x.out, give_position, r);
    else serve_newest(s, r);
    for (int i = HISTORY - 1; i > 0; i--) s->time[ENDS + i] = s->time[ENDS + i - 1];
    s->time[ENDS] = s->time[GIVE];
}

/* Rows of the frame that the first `o` rows of positions need. */
static int64_t needed(const weir_sliding_axis *y, int64_t o) {
    assert(o >= 0 && o <= y->out);
    return o == 0 ? 0 : least(y->in, (o - 1) * y->stride - y->begin + weir_sliding_reach(y) + 1);
}

/* After how many more rows of positions, from 0 for the last one, the place of row `row` is free, when `done` of a
 * frame are over; *follows: its place is that of the first row which that one sees. */
static int64_t lag_of(const weir_sliding_axis *y, int64_t ring, int64_t row, int64_t done, bool *follows) {
    assert(ring >= 1 && row >= 0);
    int64_t old = row - ring, over = done;
    for (; old < 0; old += y->in) over += y->out;                   /* of the frame before */
    int64_t last = least(y->out - 1, (old + y->begin) / y->stride); /* the last row of positions that sees it */
    if (last < 0) last = 0;
    const int64_t lag = over - 1 - last;
    *follows = last * y->stride - y->begin == old && lag >= 0;
    return lag < 0 ? 0 : lag < HISTORY ? lag : HISTORY - 1;
}

static void serve_frame(weir_service *s, const void *user) {
    service_rule r = *(const service_rule *)user;
    const weir_sliding_axis *y = &r.window.y;
    for (int64_t o = 0; o < y->out;) {
        int64_t same = 0;
        service_rule next = r;
        for (; o + same < y->out; same++) {
            const int64_t from = needed(y, o + same), to = needed(y, o + same + 1);
            bool follows;
            next.rows = to - from;
            next.lag[0] = next.rows > 1 ? lag_of(y, r.ring, to - 2, o + same, &follows) : 0;
            next.lag[1] = next.rows > 0 ? lag_of(y, r.ring, to - 1, o + same, &next.follows) : 0;
            if (next.rows == 0) next.follows = false;
            next.newest = least(y->kernel - 1, (to - 1 + y->begin - (o + same) * y->stride) / y->dilation);
            if (same == 0) r = next;
            else if (next.rows != r.rows || next.lag[0] != r.lag[0] || next.lag[1] != r.lag[1] ||
                     next.follows != r.follows || next.newest != r.newest)
                break;
        }
        weir_service_repeat(s, same, serve_row, &r);
        o += same;
    }
    bool follows;
    const int64_t rest = y->in - needed(y, y->out);
    if (rest == 0) return;
    s->time[RELEASED] = s->time[ENDS + lag_of(y, r.ring, y->in - 1, y->out, &follows)];
    weir_service_repeat(s, rest, take_row, &r);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    service_rule r = {.window = weir_sliding_of(graph, node)};
    r.ring = least_rows(&r.window.y) + spare_of(graph, node);
    r.run = weir_ceil_divide(r.window.channels, lanes_of(graph, node));
    r.position = beats_a_pixel(&r.window, lanes_of(graph, node)) * r.window.x.kernel * r.window.y.kernel;
    weir_service_repeat(s, r.window.frames, serve_frame, &r);
}

/* --- emission --- */

static void set_axis(weir_builder *b, weir_rtl_instance u, const weir_sliding_axis *a, char letter) {
    assert(letter == 'X' || letter == 'Y');
    const struct {
        const char *name;
        int64_t value;
    } parameters[] = {{"IN", a->in},         {"OUT", a->out},           {"KERNEL", a->kernel},
                      {"STRIDE", a->stride}, {"DILATION", a->dilation}, {"BEGIN", a->begin}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        char *name = weir_format("%s_%c", parameters[i].name, letter);
        weir_build_set(b, u, name, parameters[i].value);
        free(name);
    }
}

static void build(weir_builder *b, weir_node node) {
    const weir_sliding w = weir_sliding_of(b->graph, node);
    const weir_wires *x, *y;
    weir_rtl_instance u = weir_build_moved(b, node, &x, &y);
    weir_build_set(b, u, "FRAMES", w.frames);
    weir_build_set(b, u, "GROUPS", w.group);
    weir_build_set(b, u, "RUN", w.channels / x->lanes);
    set_axis(b, u, &w.x, 'X');
    set_axis(b, u, &w.y, 'Y');
    const int64_t spare = spare_of(b->graph, node);
    if (spare > 0) weir_build_set(b, u, "SPARE", spare);
    weir_build_set(b, u, "FILL", weir_node_int(b->graph, node, "fill", 0));
    weir_build_connect_through(b, u, x, y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_sliding w = weir_sliding_of(graph, node);
    weir_text_format(text, "window %lldx%lld, stride %lldx%lld, %lld of %lld rows held", (long long)w.y.kernel,
                     (long long)w.x.kernel, (long long)w.y.stride, (long long)w.x.stride,
                     (long long)(least_rows(&w.y) + spare_of(graph, node)), (long long)w.y.in);
}

/* --- cost --- */

static int64_t counter_bits(int64_t most) { return most < 1 ? 1 : weir_cost_bits(most + 1); }

/* The counter of a loop and whether it is at its end. */
static int64_t loop_bits(int64_t count) {
    assert(count >= 1);
    return count == 1 ? 0 : counter_bits(count - 1) + 1;
}

static int64_t value_of(weir_cost_part *part, const char *name) { return weir_cost_value(part, name); }

/* The column of a pixel, that of the first one of its window, and is the pixel in the frame? The column of a kernel of
 * one is the position's number times the stride: no register of its own where that is a shift. */
static int64_t place_bits(int64_t kernel, bool moves, int64_t positions, int64_t stride, int64_t most) {
    assert(kernel >= 1 && stride >= 1);
    const int64_t bits = counter_bits(most), shift = weir_clog2(stride);
    if (kernel > 1) return (1 + moves) * bits + 1;
    if (positions == 1) return 0;
    const int64_t known = (int64_t)1 << shift == stride ? counter_bits(positions - 1) + shift : 0;
    return 1 + (bits > known ? bits - known : 0);
}

/* Are the first column of a window and that of the next one in the frame? */
static int64_t first_flags(int64_t begin, int64_t stride) { return (begin > 0) + (begin > stride); }

/* rtl/window/weir_window.v */
static void cost(weir_cost_part *part) {
    const int64_t bits = value_of(part, "LANES") * value_of(part, "X_W");
    const int64_t given = weir_sliding_given_bits(part, value_of(part, "LANES"));
    const int64_t row = value_of(part, "GROUPS") * value_of(part, "RUN") * value_of(part, "IN_X");
    const int64_t reach_x = (value_of(part, "KERNEL_X") - 1) * value_of(part, "DILATION_X");
    const int64_t reach_y = (value_of(part, "KERNEL_Y") - 1) * value_of(part, "DILATION_Y");
    const int64_t ring = (reach_y + value_of(part, "STRIDE_Y") + value_of(part, "SPARE")) * row;
    const int64_t at = counter_bits(ring - 1), count = 1 + counter_bits(value_of(part, "IN_Y") * row + ring);
    const int64_t loops = loop_bits(value_of(part, "RUN")) + loop_bits(value_of(part, "GROUPS")) +
                          loop_bits(value_of(part, "KERNEL_X")) + loop_bits(value_of(part, "KERNEL_Y")) +
                          loop_bits(value_of(part, "OUT_X")) + loop_bits(value_of(part, "OUT_Y"));
    const int64_t kernel_x = value_of(part, "KERNEL_X"), kernel_y = value_of(part, "KERNEL_Y");
    const int64_t stride_x = value_of(part, "STRIDE_X"), stride_y = value_of(part, "STRIDE_Y");
    const int64_t begin_x = value_of(part, "BEGIN_X"), begin_y = value_of(part, "BEGIN_Y");
    const bool moves_x = value_of(part, "OUT_X") > 1 || value_of(part, "GROUPS") > 1;
    const int64_t places =
        place_bits(kernel_x, moves_x, value_of(part, "OUT_X"), stride_x, begin_x + value_of(part, "IN_X") + reach_x) +
        place_bits(kernel_y, true, value_of(part, "OUT_Y"), stride_y, begin_y + value_of(part, "IN_Y") + reach_y);
    const bool absorbed = weir_device_memory_takes_output(part->device);
    weir_cost_term(part, at);
    weir_cost_term(part, kernel_x > 1 || kernel_y > 1 ? count : 0); /* else steps are alike */
    weir_cost_term(part, loops + places);
    weir_cost_term(part, given);
    /* of the bits of registered steps about half are alike */
    weir_cost_registers(part, 3 * (at + count) + places + loops + (absorbed ? 0 : bits) + 11 +
                                  first_flags(moves_x ? begin_x : 0, stride_x) + first_flags(begin_y, stride_y) +
                                  weir_clog2(value_of(part, "FRAMES")));
    weir_cost_blocks(part, bits, ring);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, count, 2 * (at + count));
    weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
    weir_cost_slice(part, given);
}

const weir_component_rules weir_window_rules = {.asks = "1 or 2 spatial dimensions",
                                                .fits = weir_sliding_fits,
                                                .result = WEIR_RESULT_INPUTS,
                                                .divide = divide,
                                                .legal = legal,
                                                .derive = derive,
                                                .timing = timing,
                                                .start = start,
                                                .service = service,
                                                .cost = cost,
                                                .build = build,
                                                .describe = describe,
                                                .may_wait = true,
                                                .has_active = true};
