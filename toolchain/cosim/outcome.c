/* Graphs are verified before they are executed, because the executor trusts them. */
#include "cosim/outcome.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/random_input.h"
#include "exec/exec.h"
#include "ir/graph/verify.h"
#include "support/memory/arena.h"

static void free_arrays(weir_array **array, size_t count) {
    for (size_t i = 0; array && i < count; i++) {
        weir_array_free(array[i]);
    }
    free(array);
}

void weir_outcome_free(weir_outcome *o) {
    if (!o) {
        return;
    }
    free_arrays(o->input, o->input_count * o->samples);
    free_arrays(o->output, o->output_count * o->samples);
    for (size_t i = 0; i < o->output_count; i++) {
        free(o->output_name[i]);
    }
    free(o->output_name);
    free(o->graph);
    free(o->obstacle);
    free(o);
}

bool weir_outcome_fits(const weir_graph *graph, const weir_outcome *other) {
    bool same = weir_graph_input_count(graph) == other->input_count;
    for (size_t i = 0; same && i < other->input_count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        same = type->dtype == other->input[i]->dtype && weir_shape_equal(&type->shape, &other->input[i]->shape);
    }
    return same;
}

/* With room for the inputs of so many samples. */
static weir_outcome *new_outcome(const weir_graph *graph, size_t samples) {
    weir_outcome *o = weir_calloc(1, sizeof *o);
    o->graph = weir_copy_string(weir_graph_name(graph));
    o->samples = samples;
    o->input_count = weir_graph_input_count(graph);
    o->output_count = weir_graph_output_count(graph);
    o->input = weir_calloc(o->input_count * samples + 1, sizeof(*o->input));
    o->output = weir_calloc(o->output_count * samples + 1, sizeof(*o->output));
    o->output_name = weir_calloc(o->output_count + 1, sizeof(*o->output_name));
    for (size_t i = 0; i < o->output_count; i++) {
        o->output_name[i] = weir_copy_string(weir_graph_output_name(graph, i));
    }
    return o;
}

static bool run_samples(const weir_graph *graph, weir_outcome *o) {
    weir_executor *executor = weir_executor_new(graph);
    bool ok = executor;
    for (size_t s = 0; ok && s < o->samples; s++) {
        ok = weir_executor_run(executor, (const weir_array *const *)(o->input + s * o->input_count));
        for (size_t i = 0; ok && i < o->output_count; i++) {
            o->output[s * o->output_count + i] =
                weir_array_copy(weir_executor_value(executor, weir_graph_output(graph, i)));
        }
    }
    weir_executor_free(executor);
    return ok;
}

static weir_outcome *execute(const weir_graph *graph, weir_outcome *o) {
    weir_diag_log *log = weir_diag_capture();
    bool ok = weir_graph_verify(graph) && run_samples(graph, o);
    weir_diag_release(log);
    o->obstacle = ok ? NULL : weir_copy_string(weir_diag_log_error(log));
    weir_diag_log_free(log);
    return o;
}

weir_outcome *weir_outcome_random(const weir_graph *graph, size_t samples, uint64_t seed) {
    weir_outcome *o = new_outcome(graph, samples);
    for (size_t i = 0; i < o->input_count * samples; i++) {
        o->input[i] = weir_random_input(graph, weir_graph_input(graph, i % o->input_count), seed, i / o->input_count);
    }
    return execute(graph, o);
}

weir_outcome *weir_outcome_like(const weir_graph *graph, const weir_outcome *other) {
    weir_outcome *o = new_outcome(graph, other->samples);
    for (size_t i = 0; i < o->input_count * o->samples; i++) {
        o->input[i] = weir_array_copy(other->input[i]);
    }
    return execute(graph, o);
}

weir_outcome *weir_outcome_data(const weir_graph *graph, const weir_frames *frames) {
    weir_outcome *o = new_outcome(graph, (size_t)weir_frames_count(frames));
    for (size_t s = 0; s < o->samples; s++) {
        weir_array **frame = weir_frames_frame(frames, graph, (int64_t)s);
        if (frame == NULL) {
            weir_outcome_free(o);
            return NULL;
        }
        for (size_t i = 0; i < o->input_count; i++) {
            o->input[s * o->input_count + i] = frame[i];
            frame[i] = NULL;
        }
        weir_frames_free_frame(graph, frame);
    }
    return execute(graph, o);
}

/* --- comparing --- */
static bool close_enough(const weir_array *before, const weir_array *after, size_t index, double allowed) {
    assert(before->dtype == after->dtype && index < before->count && index < after->count);
    if (!weir_dtype_is_float(before->dtype)) {
        int64_t a = weir_array_get_int(before, index), b = weir_array_get_int(after, index);
        return a == b || fabs((double)a - (double)b) <= allowed;
    }
    double a = weir_array_get(before, index), b = weir_array_get(after, index);
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed;
}

static double largest(const weir_array *array) {
    double found = 0;
    for (size_t i = 0; i < array->count; i++) {
        double size = fabs(weir_array_get(array, i));
        found = isfinite(size) && size > found ? size : found;
    }
    return found;
}

static const weir_array *output_of(const weir_outcome *o, size_t sample, size_t output) {
    assert(sample < o->samples && output < o->output_count);
    return o->output[sample * o->output_count + output];
}

static bool compare_output(const weir_outcome *before, const weir_outcome *after, double part,
                           weir_outcome_difference *d) {
    const weir_array *was = output_of(before, d->sample, d->output), *is = output_of(after, d->sample, d->output);
    if (was->dtype != is->dtype || !weir_shape_equal(&was->shape, &is->shape)) {
        d->kind = WEIR_OUTCOME_TYPE;
        return false;
    }
    double allowed = part > 0 ? part * fmax(1, largest(was)) : 0;
    for (d->element = 0; d->element < was->count; d->element++) {
        if (!close_enough(was, is, d->element, allowed)) {
            d->kind = WEIR_OUTCOME_ELEMENT;
            return false;
        }
    }
    return true;
}

weir_outcome_difference weir_outcome_compare(const weir_outcome *before, const weir_outcome *after, double part) {
    assert(before->samples == after->samples && part >= 0);
    weir_outcome_difference d = {WEIR_OUTCOME_SAME, 0, 0, 0};
    if (after->obstacle || before->output_count != after->output_count) {
        d.kind = after->obstacle ? WEIR_OUTCOME_OBSTACLE : WEIR_OUTCOME_COUNT;
        return d;
    }
    for (d.sample = 0; d.sample < before->samples; d.sample++) {
        for (d.output = 0; d.output < before->output_count; d.output++) {
            if (!compare_output(before, after, part, &d)) {
                return d;
            }
        }
    }
    return d;
}

static void print_element(const weir_array *array, size_t index, weir_text *text) {
    assert(index < array->count);
    if (weir_dtype_is_float(array->dtype)) {
        weir_text_double(text, weir_array_get(array, index));
    } else {
        weir_text_format(text, "%lld", (long long)weir_array_get_int(array, index));
    }
}

void weir_outcome_print_index(const weir_shape *shape, size_t index, weir_text *text) {
    int64_t at[WEIR_MAX_RANK];
    for (int axis = shape->rank; axis-- > 0;) {
        at[axis] = (int64_t)(index % (size_t)shape->dim[axis]);
        index /= (size_t)shape->dim[axis];
    }
    weir_text_char(text, '[');
    for (int axis = 0; axis < shape->rank; axis++) {
        weir_text_format(text, "%s%lld", axis ? "," : "", (long long)at[axis]);
    }
    weir_text_char(text, ']');
}

void weir_outcome_print(const weir_outcome *before, const weir_outcome *after, weir_outcome_difference d,
                        weir_text *text) {
    if (d.kind == WEIR_OUTCOME_OBSTACLE) {
        weir_text_format(text, "graph '%s' cannot be executed: %s", after->graph, after->obstacle);
    } else if (d.kind == WEIR_OUTCOME_COUNT) {
        weir_text_format(text, "graph '%s' from %zu outputs to %zu", after->graph, before->output_count,
                         after->output_count);
    } else if (d.kind == WEIR_OUTCOME_TYPE) {
        const weir_array *was = output_of(before, d.sample, d.output), *is = output_of(after, d.sample, d.output);
        char from[96], to[96];
        weir_text_format(text, "output '%s' of graph '%s' from %s%s to %s%s", after->output_name[d.output],
                         after->graph, weir_dtype_name(was->dtype), weir_shape_print(&was->shape, from, sizeof from),
                         weir_dtype_name(is->dtype), weir_shape_print(&is->shape, to, sizeof to));
    } else if (d.kind == WEIR_OUTCOME_ELEMENT) {
        const weir_array *was = output_of(before, d.sample, d.output), *is = output_of(after, d.sample, d.output);
        weir_text_format(text, "output '%s', element ", after->output_name[d.output]);
        weir_outcome_print_index(&is->shape, d.element, text);
        weir_text_add(text, ": before ");
        print_element(was, d.element, text);
        weir_text_add(text, ", after ");
        print_element(is, d.element, text);
    }
}
