/* Each watched pass keeps what the graphs computed before it; passes nest, so these records form a stack. Inputs are
 * made for the graph before the pass and given to both. Cost: two executions of every graph a pass and sample. */
#include "passes/analysis/semantics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/graph.h"
#include "ir/verify.h"
#include "passes/analysis/random_input.h"
#include "support/arena.h"

/* --- what a graph computes --- */
typedef struct outcome {
    char *graph;
    size_t input_count, output_count, samples;
    weir_array **input, **output; /* by sample, then by position; NULL: not executed */
    char **output_name;
    char *obstacle; /* why it could not be executed; NULL: it was */
} outcome;

static void free_arrays(weir_array **array, size_t count) {
    for (size_t i = 0; array && i < count; i++) {
        weir_array_free(array[i]);
    }
    free(array);
}

static void free_outcome(outcome *o) {
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

static bool run_samples(const weir_graph *graph, outcome *o) {
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

static bool takes(const weir_graph *graph, const outcome *like) {
    bool same = weir_graph_input_count(graph) == like->input_count;
    for (size_t i = 0; same && i < like->input_count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        same = type->dtype == like->input[i]->dtype && weir_shape_equal(&type->shape, &like->input[i]->shape);
    }
    return same;
}

/* What the graph makes of the inputs of `like`, or of its own when that is NULL. */
static outcome *execute(const weir_graph *graph, const weir_semantics *semantics, const outcome *like) {
    outcome *o = weir_calloc(1, sizeof *o);
    o->graph = weir_copy_string(weir_graph_name(graph));
    o->samples = semantics->samples;
    o->input_count = weir_graph_input_count(graph);
    o->output_count = weir_graph_output_count(graph);
    o->input = weir_calloc(o->input_count * o->samples + 1, sizeof(*o->input));
    o->output = weir_calloc(o->output_count * o->samples + 1, sizeof(*o->output));
    o->output_name = weir_calloc(o->output_count + 1, sizeof(*o->output_name));
    for (size_t i = 0; i < o->output_count; i++) {
        o->output_name[i] = weir_copy_string(weir_graph_output_name(graph, i));
    }
    for (size_t i = 0; i < o->input_count * o->samples; i++) {
        o->input[i] = like ? weir_array_copy(like->input[i])
                           : weir_random_input(graph, weir_graph_input(graph, i % o->input_count), semantics->seed,
                                               i / o->input_count);
    }
    weir_diag_log *log = weir_diag_capture();
    bool ok = weir_graph_verify(graph) && run_samples(graph, o);
    weir_diag_release(log);
    o->obstacle = ok ? NULL : weir_copy_string(weir_diag_log_error(log));
    weir_diag_log_free(log);
    return o;
}

/* --- comparing --- */
static bool close_enough(const weir_array *before, const weir_array *after, size_t index, double allowed) {
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

static void print_element(const weir_array *array, size_t index, weir_text *text) {
    if (weir_dtype_is_float(array->dtype)) {
        weir_text_double(text, weir_array_get(array, index));
    } else {
        weir_text_format(text, "%lld", (long long)weir_array_get_int(array, index));
    }
}

/* "[0,3]" from a position in row-major order. */
static void print_index(const weir_shape *shape, size_t index, weir_text *text) {
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

typedef struct comparison {
    const weir_semantics *semantics;
    const weir_pass *pass;
    const outcome *before, *after;
} comparison;

static void report_element(const comparison *c, size_t sample, size_t output, size_t index) {
    const weir_array *before = c->before->output[sample * c->before->output_count + output];
    const weir_array *after = c->after->output[sample * c->after->output_count + output];
    weir_text text = {0};
    weir_text_format(&text, "pass '%s' changed what graph '%s' computes: output '%s', element ",
                     weir_pass_name(c->pass), c->after->graph, c->after->output_name[output]);
    print_index(&after->shape, index, &text);
    weir_text_add(&text, ": before ");
    print_element(before, index, &text);
    weir_text_add(&text, ", after ");
    print_element(after, index, &text);
    weir_error(WEIR_NOWHERE, "%s", text.data);
    weir_text_free(&text);
    weir_note("random inputs %zu of %zu, seed %llu; the pass promises '%s' results", sample + 1, c->before->samples,
              (unsigned long long)c->semantics->seed, weir_pass_promise_name(weir_pass_info_of(c->pass)->promise));
}

static bool compare_output(const comparison *c, size_t sample, size_t output) {
    const weir_array *before = c->before->output[sample * c->before->output_count + output];
    const weir_array *after = c->after->output[sample * c->after->output_count + output];
    bool approximate = weir_pass_info_of(c->pass)->promise == WEIR_PASS_APPROXIMATE;
    if (before->dtype != after->dtype || !weir_shape_equal(&before->shape, &after->shape)) {
        char was[96], is[96];
        weir_error(WEIR_NOWHERE, "pass '%s' changed output '%s' of graph '%s' from %s%s to %s%s",
                   weir_pass_name(c->pass), c->after->output_name[output], c->after->graph,
                   weir_dtype_name(before->dtype), weir_shape_print(&before->shape, was, sizeof was),
                   weir_dtype_name(after->dtype), weir_shape_print(&after->shape, is, sizeof is));
        return false;
    }
    double part = fmax(c->semantics->tolerance, approximate ? WEIR_SEMANTICS_APPROXIMATE : 0);
    double allowed = part > 0 ? part * fmax(1, largest(before)) : 0;
    for (size_t i = 0; i < before->count; i++) {
        if (!close_enough(before, after, i, allowed)) {
            report_element(c, sample, output, i);
            return false;
        }
    }
    return true;
}

static bool compare(const comparison *c) {
    if (c->after->obstacle) {
        weir_error(WEIR_NOWHERE, "after pass '%s' graph '%s' cannot be executed: %s", weir_pass_name(c->pass),
                   c->after->graph, c->after->obstacle);
        return false;
    }
    if (c->before->output_count != c->after->output_count) {
        weir_error(WEIR_NOWHERE, "pass '%s' changed graph '%s' from %zu outputs to %zu", weir_pass_name(c->pass),
                   c->after->graph, c->before->output_count, c->after->output_count);
        return false;
    }
    for (size_t s = 0; s < c->before->samples; s++) {
        for (size_t i = 0; i < c->before->output_count; i++) {
            if (!compare_output(c, s, i)) {
                return false;
            }
        }
    }
    return true;
}

/* --- the instrument --- */
/* What the graphs of a pass that runs computed before it. */
typedef struct record {
    outcome **of;
    size_t count;
    struct record *around;
} record;

typedef struct state {
    weir_semantics semantics;
    record *now;
    char **warned; /* names of graphs */
    size_t warned_count, warned_capacity;
} state;

static bool watched(const weir_pass_site *site) {
    const weir_pass_info *info = weir_pass_info_of(site->pass);
    return info && info->promise != WEIR_PASS_CHANGES && info->kind != WEIR_PASS_HARDWARE;
}

static size_t graph_count(const weir_pass_site *site) {
    return site->graph ? 1 : weir_module_graph_count(site->module);
}

static const weir_graph *graph_at(const weir_pass_site *site, size_t index) {
    return site->graph ? site->graph : weir_module_graph(site->module, index);
}

static void warn(state *s, const outcome *o) {
    for (size_t i = 0; i < s->warned_count; i++) {
        if (strcmp(s->warned[i], o->graph) == 0) {
            return;
        }
    }
    s->warned = weir_grow(s->warned, &s->warned_capacity, s->warned_count + 1, sizeof(*s->warned));
    s->warned[s->warned_count++] = weir_copy_string(o->graph);
    weir_warning(WEIR_NOWHERE, "what graph '%s' computes is not checked, because it cannot be executed: %s", o->graph,
                 o->obstacle);
}

static bool before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    if (!watched(site)) {
        return true;
    }
    record *r = weir_calloc(1, sizeof *r);
    r->count = graph_count(site);
    r->of = weir_calloc(r->count + 1, sizeof(*r->of));
    for (size_t i = 0; i < r->count; i++) {
        r->of[i] = execute(graph_at(site, i), &s->semantics, NULL);
        if (r->of[i]->obstacle) {
            warn(s, r->of[i]);
        }
    }
    r->around = s->now;
    s->now = r;
    return true;
}

static void pop(state *s) {
    record *r = s->now;
    s->now = r->around;
    for (size_t i = 0; i < r->count; i++) {
        free_outcome(r->of[i]);
    }
    free(r->of);
    free(r);
}

/* The graph before the pass that this one is compared with; NULL: none. */
static const outcome *partner(const record *r, const weir_pass_site *site, const weir_graph *graph) {
    for (size_t i = 0; i < r->count; i++) {
        if (site->graph || strcmp(r->of[i]->graph, weir_graph_name(graph)) == 0) {
            return r->of[i];
        }
    }
    const outcome *last = r->count ? r->of[r->count - 1] : NULL;
    return last && takes(graph, last) && weir_graph_output_count(graph) == last->output_count ? last : NULL;
}

static bool check(const state *s, const weir_pass_site *site, const weir_graph *graph) {
    const outcome *then = partner(s->now, site, graph);
    if (!then || then->obstacle) {
        return true;
    }
    if (!takes(graph, then)) {
        weir_error(WEIR_NOWHERE, "pass '%s' changed the inputs of graph '%s'", weir_pass_name(site->pass),
                   weir_graph_name(graph));
        return false;
    }
    outcome *now = execute(graph, &s->semantics, then);
    bool ok = compare(&(comparison){&s->semantics, site->pass, then, now});
    free_outcome(now);
    return ok;
}

static bool after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    bool ok = true;
    if (watched(site)) {
        for (size_t i = 0; ok && i < graph_count(site); i++) {
            ok = check(s, site, graph_at(site, i));
        }
        pop(s);
    }
    return ok;
}

static void failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (watched(site)) {
        pop(instrument->user);
    }
}

static void release(weir_pass_instrument *instrument) {
    state *s = instrument->user;
    for (size_t i = 0; i < s->warned_count; i++) {
        free(s->warned[i]);
    }
    free(s->warned);
    free(s);
    free(instrument);
}

weir_pass_instrument *weir_semantics_new(const weir_semantics *semantics) {
    weir_pass_instrument *instrument = weir_calloc(1, sizeof *instrument);
    state *s = weir_calloc(1, sizeof *s);
    s->semantics = *semantics;
    *instrument = (weir_pass_instrument){.name = "semantics",
                                         .user = s,
                                         .before_pass = before,
                                         .after_pass = after,
                                         .pass_failed = failed,
                                         .release = release};
    return instrument;
}
