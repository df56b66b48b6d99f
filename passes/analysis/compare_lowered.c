#include "passes/analysis/compare_lowered.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "cosim/lockstep.h"
#include "cosim/outcome.h"
#include "cosim/random_input.h"
#include "cosim/semantics.h"
#include "dataflow/schedule/stream.h"
#include "ir/graph/verify.h"
#include "ir/shape/loop.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

/* Multiplications of all frames together, and how many frames that are at least and at most. */
enum { BUDGET = 300000, LEAST_FRAMES = 6, MOST_FRAMES = 12, DATA_FRAMES = 4, STEP_FRAMES = 6, PREPARED_FRAMES = 3 };
/* A frame of so many multiplications has so many values that fewer frames show as much: the first kinds of the plan,
 * and few of steps. */
enum { LARGE = 20000000, FRAMES_OF_LARGE = 3, STEP_FRAMES_OF_LARGE = 2, DATA_FRAMES_OF_LARGE = 2 };

typedef enum fill { FILL_RANDOM, FILL_LOW, FILL_HIGH, FILL_ZERO, FILL_EDGES } fill;

/* The first frames; random ones follow. */
static const struct {
    fill fill;
    weir_drive drive;
    const char *what;
} plan[] = {{FILL_RANDOM, WEIR_DRIVE_NATURAL, "a random frame"},
            {FILL_EDGES, WEIR_DRIVE_CORNERS, "corners of every range"},
            {FILL_RANDOM, WEIR_DRIVE_UNIFORM, "random codes in every range"},
            {FILL_LOW, WEIR_DRIVE_NATURAL, "the smallest inputs"},
            {FILL_HIGH, WEIR_DRIVE_NATURAL, "the largest inputs"},
            {FILL_ZERO, WEIR_DRIVE_NATURAL, "all inputs zero"}};

typedef struct verifier {
    const weir_graph *lowered;
    weir_lockstep *lockstep;
    uint64_t seed;
    int64_t work;      /* multiplications a frame */
    bool leaves_model; /* in generated frames */
} verifier;

static double clipped(double v, double low, double high) { return v < low ? low : v > high ? high : v; }

static weir_array *make_input(const verifier *v, size_t index, fill kind, int64_t frame) {
    weir_value input = weir_graph_input(v->lowered, index);
    weir_array *array = weir_random_input(v->lowered, input, v->seed, (size_t)frame);
    double low, high;
    weir_random_range(v->lowered, input, &low, &high);
    uint64_t state = v->seed + (uint64_t)frame;
    for (size_t i = 0; kind != FILL_RANDOM && i < array->count; i++) {
        bool top = kind == FILL_HIGH || (kind == FILL_EDGES && weir_random_next(&state) & 1);
        weir_array_set(array, i, kind == FILL_ZERO ? clipped(0, low, high) : top ? high : low);
    }
    return array;
}

static bool run_frame(const verifier *v, int64_t frame, fill kind, weir_drive drive, const char *text) {
    size_t count = weir_graph_input_count(v->lowered);
    weir_array **input = weir_calloc(count + 1, sizeof *input);
    for (size_t i = 0; i < count; i++) input[i] = make_input(v, i, kind, frame);
    char *what = weir_format("generated frame %lld (%s)", (long long)frame + 1, text);
    weir_frame now = {what, drive, v->seed * 1000003 + (uint64_t)frame, v->leaves_model};
    bool fine = weir_lockstep_run(v->lockstep, (const weir_array *const *)input, &now);
    free(what);
    for (size_t i = 0; i < count; i++) weir_array_free(input[i]);
    free(input);
    return fine;
}

static bool run_generated(const verifier *v, int64_t frame) {
    const bool listed = frame < (int64_t)(sizeof plan / sizeof *plan);
    const size_t row = listed ? (size_t)frame : (size_t)(frame % 3);
    return run_frame(v, frame, plan[row].fill, plan[row].drive, plan[row].what);
}

static bool run_data(const verifier *v, const char *source) {
    if (*source == '\0') return true;
    weir_frames *data = weir_frames_read(v->lowered, source);
    bool fine = data != NULL;
    const int64_t most = v->work > LARGE ? DATA_FRAMES_OF_LARGE : DATA_FRAMES;
    for (int64_t i = 0; fine && i < weir_frames_count(data) && i < most; i++) {
        weir_array **input = weir_frames_frame(data, v->lowered, i);
        char *what = weir_format("frame %lld of '%s'", (long long)i, weir_frames_file(data));
        weir_frame now = {what, WEIR_DRIVE_NATURAL, 0, false};
        fine = input != NULL && weir_lockstep_run(v->lockstep, (const weir_array *const *)input, &now);
        free(what);
        if (input != NULL) weir_frames_free_frame(v->lowered, input);
    }
    weir_frames_free(data);
    return fine;
}

static int64_t work_of(const weir_graph *graph) {
    int64_t work = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        work += weir_loop_macs(graph, node);
    return work;
}

static int64_t frame_count(const verifier *v, int64_t wanted) {
    if (wanted > 0) return wanted;
    if (v->work > LARGE) return FRAMES_OF_LARGE;
    const int64_t frames = BUDGET / v->work;
    return frames < LEAST_FRAMES ? LEAST_FRAMES : frames > MOST_FRAMES ? MOST_FRAMES : frames;
}

/* Sums at the steps of quantizers, after `first` frames of other kinds. */
static bool run_steps(const verifier *v, int64_t first) {
    const int64_t count = v->work > LARGE ? STEP_FRAMES_OF_LARGE : STEP_FRAMES;
    bool fine = true;
    for (int64_t i = 0; fine && i < count; i++)
        fine = run_frame(v, first + i, FILL_RANDOM, WEIR_DRIVE_STEPS, "sums at the steps of quantizers");
    return fine;
}

static bool has_steps(const weir_graph *integer) {
    bool any = false;
    for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node))
        any |= weir_node_op(integer, node) == WEIR_OP_REQUANTIZE && weir_node_attribute(integer, node, "steps") != NULL;
    return any;
}

/* What was lowered beside what became of it, value by value. */
static bool compare(const weir_graph *model, const weir_lowered_graphs *of, const weir_lowered_effort *with) {
    const bool chain = of->hardware != NULL;
    verifier v = {chain ? of->hardware : of->integer, NULL, with->seed, 0, with->leaves_model};
    v.work = work_of(v.lowered);
    v.lockstep = weir_lockstep_new(model, chain ? of->integer : NULL, v.lowered, of->counterparts);
    bool fine = v.lockstep != NULL;
    const int64_t frames = frame_count(&v, with->frames);
    for (int64_t i = 0; fine && i < frames; i++) fine = run_generated(&v, i);
    if (fine && has_steps(of->integer)) fine = run_steps(&v, frames);
    if (fine) fine = run_data(&v, with->data);
    weir_lockstep_free(v.lockstep);
    return fine;
}

/* Only sums on either side of the steps of what the quantizers absorb: the model beside the integer graph, in which no
 * layer is mirrored. */
static bool compare_steps(const weir_graph *model, const weir_lowered_graphs *of, const weir_lowered_effort *with) {
    if (!has_steps(of->integer)) return true;
    verifier v = {of->integer, NULL, with->seed, work_of(of->integer), false};
    v.lockstep = weir_lockstep_new(model, NULL, of->integer, of->counterparts);
    const bool fine = v.lockstep != NULL && run_steps(&v, 0);
    weir_lockstep_free(v.lockstep);
    return fine;
}

/* --- what is lowered is the model --- */

/* Part of an output's variance by which rounding may change it: another order of elements changes all of it, twice. */
static const double ROUNDING = 0.1;

/* Does the output differ by more than codes next to a tie, which another order of float32 sums rounds to the other
 * side? */
static bool is_other(const weir_outcome *was, const weir_outcome *is, size_t output) {
    double sum = 0, squares = 0, changed = 0, count = 0;
    for (size_t s = 0; s < was->samples; s++) {
        const weir_array *a = was->output[s * was->output_count + output],
                         *b = is->output[s * is->output_count + output];
        for (size_t i = 0; i < a->count; i++) {
            const double x = weir_array_get(a, i), y = weir_array_get(b, i);
            if (!isfinite(x)) continue;
            sum += x;
            squares += x * x;
            changed += (x - y) * (x - y);
            count++;
        }
    }
    return !(changed <= ROUNDING * (squares - sum * sum / fmax(count, 1)));
}

/* Its channels are innermost, and the rest of it is as lowering takes it: that has changed no result. Elements of its
 * values may stand in another order than the model's, so that only results are compared here. */
static bool compare_prepared(const weir_graph *model, const weir_graph *prepared, uint64_t seed) {
    const size_t samples = work_of(model) > LARGE ? 1 : PREPARED_FRAMES;
    weir_outcome *was = weir_outcome_random(model, samples, seed), *is = weir_outcome_like(prepared, was);
    weir_outcome_difference d = {.kind = WEIR_OUTCOME_SAME};
    if (was->obstacle == NULL) d = weir_outcome_compare(was, is, WEIR_SEMANTICS_APPROXIMATE);
    bool fine = d.kind == WEIR_OUTCOME_SAME || d.kind == WEIR_OUTCOME_ELEMENT;
    for (size_t i = 0; fine && d.kind == WEIR_OUTCOME_ELEMENT && i < was->output_count; i++)
        fine = !is_other(was, is, i);
    if (was->obstacle != NULL) {
        weir_error(weir_at(weir_graph_source(model), 0), "graph '%s' cannot be executed: %s", was->graph,
                   was->obstacle);
        fine = false;
    } else if (!fine) {
        weir_text text = {0};
        weir_outcome_print(was, is, d, &text);
        weir_error(weir_at(weir_graph_source(model), 0), "the order of elements for streams changed %s", text.data);
        weir_text_free(&text);
    }
    weir_outcome_free(was);
    weir_outcome_free(is);
    return fine;
}

bool weir_compare_lowered(const weir_lowered_graphs *of, const weir_lowered_effort *with) {
    const bool whole = !with->leaves_model;
    const weir_graph *model =
        of->reordered ? of->prepared : of->model; /* values are compared in the order that they have */
    bool fine = weir_graph_verify(of->integer) && (of->hardware == NULL || weir_graph_verify(of->hardware));
    if (fine && whole && of->reordered) fine = compare_prepared(of->model, of->prepared, with->seed);
    fine = fine && compare(model, of, with);
    if (fine && whole && of->hardware != NULL) fine = compare_steps(model, of, with);
    if (!fine)
        weir_note("the lowered graph does not compute what the model computes: a pass is wrong, so nothing is written");
    return fine;
}
