/* Three runs a frame: the lowered graph, in which codes are replaced as the frame says; the integer graph with the same
 * replacements, compared in every code; the model, each of whose values that has a counterpart is compared and then set
 * to what the counterpart's codes stand for. */
#include "cosim/lockstep.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/grid.h"
#include "cosim/outcome.h"
#include "cosim/sources.h"
#include "cosim/steps.h"
#include "cosim/tolerance.h"
#include "dataflow/component.h"
#include "exec/exec.h"
#include "exec/kernel.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

/* Roundings of float32 in a chain of scale, multiplication and division, relative to the number. */
static const double CHAIN = 0x1p-21;
/* What the host's operators after the hardware may make of that, relative to the largest result. */
static const double BEHIND = 0x1p-18;
/* Codes up to here are exact in float32. */
static const double EXACT = 0x1p24;

struct weir_lockstep {
    weir_arena *arena; /* owns the arrays by value id, not the executors */
    const weir_graph *model, *integer, *lowered;
    const weir_counterparts *counterparts;
    weir_executor *model_run, *integer_run, *lowered_run; /* of graphs with States: open, so that all is feed-forward */
    weir_executor *closed_run;                            /* of the lowered graph with States; else NULL */
    weir_value *partner;                                  /* by value of the model: in the lowered graph */
    weir_grid grid;
    bool *is_rounded;  /* by value of the model: a constant other than its codes stand for */
    double **slack;    /* by value of the model: how far its elements may be off; heap */
    weir_value *same;  /* by value of the integer graph: in the lowered graph */
    bool *may_replace; /* by value of the lowered graph */
    weir_node
        *requantizer; /* by value of the lowered graph, of sums: the Requantize with steps that takes them; else none */
    int64_t *low, *high;   /* by value of the lowered graph: the proven range, as the passes behind use it */
    weir_array **computed; /* by value of the lowered graph: what was computed before codes were replaced */
    bool *is_compared; /* by value of the lowered graph: that was compared, and the model goes on with the new codes */
    const weir_frame *frame;
    uint64_t random;
    bool fine;
};

/* --- the lowered graph --- */

static bool makes_codes(weir_op op) {
    const weir_component *component = weir_component_for(op);
    return op == WEIR_OP_ENCODE || op == WEIR_OP_REQUANTIZE || (component != NULL && component->rules->quantizes);
}

static int64_t random_code(weir_lockstep *l, weir_value value, size_t i) {
    assert(value.id < weir_graph_value_limit(l->lowered) && l->low[value.id] <= l->high[value.id]);
    const weir_quant *quant = &weir_value_type(l->lowered, value)->quant;
    int64_t low = l->low[value.id], high = l->high[value.id];
    uint64_t bits = weir_random_next(&l->random);
    bool binary = quant->format == WEIR_FORMAT_BINARY;
    if (l->frame->drive == WEIR_DRIVE_UNIFORM && !binary)
        return low + (int64_t)((bits >> 1) % ((uint64_t)high - (uint64_t)low + 1));
    int64_t zero = weir_quant_zero(quant, quant->count > 1 ? (int64_t)(i % quant->count) : 0);
    if (bits % 4 == 0 && !binary && zero >= low && zero <= high) return zero;
    return bits & 8 ? low : high;
}

/* Where quantizers are as the model has them. */
static const weir_graph *plain_graph(const weir_lockstep *l) { return l->integer != NULL ? l->integer : l->lowered; }

/* The sum at a random step of the function, or the one before it; any sum where it has no step. */
static int64_t step_code(weir_lockstep *l, const weir_type *type, const weir_requantizer *r, int64_t channel,
                         weir_steps *f) {
    const uint64_t bits = weir_random_next(&l->random), span = (uint64_t)type->high - (uint64_t)type->low + 1;
    if (!f->is_known) *f = weir_steps_of(type, r, channel);
    if (f->least == f->most) return type->low + (int64_t)((bits >> 1) % span);
    const int64_t wanted = f->least + 1 + (int64_t)((bits >> 1) % (uint64_t)(f->most - f->least));
    const int64_t step = weir_steps_find(f, r, channel, wanted);
    return bits & 1 ? step : step - (f->from < f->to ? 1 : -1);
}

/* Is what was computed for the value replaced in this frame? */
static bool is_replaced(const weir_lockstep *l, weir_value value) {
    assert(value.id < weir_graph_value_limit(l->lowered));
    if (l->frame->drive == WEIR_DRIVE_NATURAL) return false;
    return l->frame->drive == WEIR_DRIVE_STEPS ? l->requantizer[value.id].id != 0 : l->may_replace[value.id];
}

static void replace_by_steps(weir_lockstep *l, weir_value value, weir_array *codes) {
    const weir_shape *shape = &codes->shape;
    const size_t channels = shape->rank == 0 ? 1 : (size_t)shape->dim[shape->rank - 1];
    const weir_type *type = weir_value_type(l->lowered, value);
    weir_requantizer r;
    if (!weir_requantizer_of(plain_graph(l), l->requantizer[value.id], &r)) return;
    weir_steps *of = weir_calloc(channels, sizeof *of);
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(codes, i, step_code(l, type, &r, (int64_t)(i % channels), &of[i % channels]));
    for (size_t c = 0; c < channels; c++) weir_steps_free(&of[c]);
    free(of);
}

static void replace(weir_lockstep *l, weir_value value, weir_array *codes) {
    if (l->frame->drive == WEIR_DRIVE_STEPS) {
        replace_by_steps(l, value, codes);
        return;
    }
    for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, random_code(l, value, i));
}

static void watch_lowered(void *user, weir_node node, weir_array *const *outputs) {
    weir_lockstep *l = user;
    if (l->frame->drive == WEIR_DRIVE_NATURAL) return;
    for (size_t k = 0; k < weir_node_output_count(l->lowered, node); k++) {
        weir_value value = weir_node_output(l->lowered, node, k);
        if (!is_replaced(l, value)) continue;
        if (l->computed[value.id] == NULL) l->computed[value.id] = weir_array_copy_in(l->arena, outputs[k]);
        else
            memcpy(l->computed[value.id]->data, outputs[k]->data,
                   outputs[k]->count * weir_dtype_size(outputs[k]->dtype));
        replace(l, value, outputs[k]);
    }
}

/* What the lowered graph computed for the value in this frame. */
static const weir_array *computed(const weir_lockstep *l, weir_value value) {
    return is_replaced(l, value) ? l->computed[value.id] : weir_executor_value(l->lowered_run, value);
}

/* What the model goes on with where it was compared before under another name, else what the lowered graph computed. */
static const weir_array *known(const weir_lockstep *l, weir_value value) {
    return l->is_compared[value.id] ? weir_executor_value(l->lowered_run, value) : computed(l, value);
}

/* --- messages --- */

static const char *op_name(const weir_graph *graph, weir_node node) { return weir_node_info(graph, node)->full_name; }

/* The first difference is told; nothing is compared after it. */
static void tell(weir_lockstep *l, const weir_graph *graph, weir_node node, weir_value value, size_t element,
                 const char *found, const char *expected) {
    weir_text at = {NULL, 0, 0};
    weir_outcome_print_index(&weir_value_type(graph, value)->shape, element, &at);
    weir_error(weir_node_location(graph, node), "node '%s' (%s): expected %s, found %s at element %s of '%s'",
               weir_node_name(graph, node), op_name(graph, node), expected, found, at.data,
               weir_value_name(graph, value));
    weir_text_free(&at);
    l->fine = false;
}

static void tell_codes(weir_lockstep *l, weir_node node, weir_value value, size_t element, int64_t expected,
                       int64_t found) {
    char want[32], have[32];
    snprintf(want, sizeof want, "%lld", (long long)expected);
    snprintf(have, sizeof have, "%lld", (long long)found);
    tell(l, l->integer, node, value, element, have, want);
    weir_note("%s: a pass after lower_integer changed what is computed", l->frame->what);
}

static void tell_reals(weir_lockstep *l, weir_node node, weir_value value, weir_value partner, size_t element,
                       double expected, double found) {
    char want[40], have[40];
    snprintf(want, sizeof want, "%.9g", expected);
    snprintf(have, sizeof have, "%.9g", found);
    tell(l, l->model, node, value, element, have, want);
    weir_node maker = weir_value_producer(l->lowered, partner);
    if (maker.id == 0) weir_note("%s", l->frame->what);
    else
        weir_note("%s: it implements '%s' (%s) of the lowered graph", l->frame->what, weir_node_name(l->lowered, maker),
                  op_name(l->lowered, maker));
}

/* --- the integer graph: the same codes --- */

/* All at once, where the three are of one type: the usual case. False: not tried, or they differ. */
static bool replace_all(weir_array *output, const weir_array *found, const weir_array *next) {
    assert(output->count == found->count && output->count == next->count);
    const size_t size = output->count * weir_dtype_size(output->dtype);
    if (found->dtype != output->dtype || next->dtype != output->dtype || memcmp(output->data, found->data, size) != 0)
        return false;
    memcpy(output->data, next->data, size);
    return true;
}

static void watch_integer(void *user, weir_node node, weir_array *const *outputs) {
    weir_lockstep *l = user;
    for (size_t k = 0; l->fine && k < weir_node_output_count(l->integer, node); k++) {
        weir_value value = weir_node_output(l->integer, node, k), other = l->same[value.id];
        if (other.id == 0) continue;
        const weir_array *found = computed(l, other), *next = weir_executor_value(l->lowered_run, other);
        if (replace_all(outputs[k], found, next)) continue;
        for (size_t i = 0; l->fine && i < outputs[k]->count; i++) {
            int64_t want = weir_array_get_int(outputs[k], i), have = weir_array_get_int(found, i);
            if (want != have) tell_codes(l, node, value, i, want, have);
            else weir_array_set_int(outputs[k], i, weir_array_get_int(next, i));
        }
    }
}

/* --- the model --- */

/* Of a value whose operations the lowered graph makes exact, as scales of the codes that it reads: what float32 rounds
 * in a few. */
static const double FEW_ROUNDINGS = 0x1p-22;

static double *roundings_of(const weir_array *array) {
    double *slack = weir_calloc(array->count + 1, sizeof *slack);
    for (size_t i = 0; i < array->count; i++) slack[i] = FEW_ROUNDINGS * fabs(weir_array_get(array, i));
    return slack;
}

/* Does the node read codes, where the model computes on real numbers? Quantizers and what they absorb do the model's
 * arithmetic. */
static bool reads_codes(const weir_lockstep *l, weir_node node) {
    return weir_trait_of(weir_node_op(l->model, node))->task != WEIR_TASK_QUANTIZER &&
           !l->counterparts->of[weir_node_output(l->model, node, 0).id].follows;
}

/* Are the numbers that the node reads there others than those of the lowered graph's codes? A product's bound has what
 * its weights lack. */
static bool stands_for_others(const weir_lockstep *l, weir_node node, size_t index) {
    const weir_value value = weir_node_input(l->model, node, index);
    if (l->counterparts->of[value.id].follows) return weir_dtype_is_float(weir_value_type(l->model, value)->dtype);
    const bool product = weir_trait_of(weir_node_op(l->model, node))->task == WEIR_TASK_LAYER;
    return !product && l->is_rounded[value.id];
}

static weir_operands operands_of(const weir_lockstep *l, weir_node node) {
    size_t given = weir_node_input_count(l->model, node);
    int most = weir_node_info(l->model, node)->inputs_max;
    weir_operands o = {.graph = l->model, .node = node, .slots = most > (int)given ? (size_t)most : given};
    o.input = weir_calloc(o.slots + 1, sizeof *o.input);
    o.slack = weir_calloc(o.slots + 1, sizeof *o.slack);
    for (size_t i = 0; i < given; i++) {
        weir_value value = weir_node_input(l->model, node, i);
        if (value.id == 0) continue;
        o.input[i] = weir_executor_value(l->model_run, value);
        o.slack[i] = l->slack[value.id];
        if (o.slack[i] == NULL && reads_codes(l, node) && stands_for_others(l, node, i))
            o.slack[i] = roundings_of(o.input[i]);
    }
    return o;
}

static void free_operands(const weir_lockstep *l, weir_operands *o) {
    for (size_t i = 0; i < weir_node_input_count(l->model, o->node); i++) {
        if (o->slack[i] != l->slack[weir_node_input(l->model, o->node, i).id]) free((double *)(uintptr_t)o->slack[i]);
    }
    free(o->input);
    free(o->slack);
}

/* What a quantizer adds to a number before it rounds it, in units of the number: the zero point where that is a real
 * number (QONNX's Quant); that of codes is added to the rounded one. */
static double added_by(const weir_operands *o) {
    const weir_array *scale = o->input[1], *zero = o->slots > 2 ? o->input[2] : NULL;
    double most = 0;
    if (zero == NULL || !weir_dtype_is_float(zero->dtype)) return 0;
    for (size_t k = 0; k < zero->count || k < scale->count; k++)
        most = fmax(most, fabs(weir_array_get(zero, k % zero->count) * weir_array_get(scale, k % scale->count)));
    return most;
}

/* How far the input of a quantizer may be off: nothing where both are powers of two (its thresholds may be any
 * numbers), or where the lowered graph has the same input. */
static double *reach_of(const weir_lockstep *l, weir_node node, const weir_operands *o) {
    const weir_value value = weir_node_input(l->model, node, 0);
    const weir_counterpart *c = &l->counterparts->of[value.id];
    double *reach = weir_calloc(o->input[0]->count + 1, sizeof *reach), offset = 0;
    for (uint32_t k = 0; k < c->offset_count; k++) offset = fmax(offset, fabs(c->offset[k]));
    bool grid = weir_grid_feeds(&l->grid, value);
    grid &= !c->windows;
    const bool compares = weir_trait_kind(l->model, node) == WEIR_OP_MULTI_THRESHOLD;
    for (size_t k = 0; !compares && k < o->input[1]->count; k++)
        grid &= weir_grid_is_power(weir_array_get(o->input[1], k));
    const double added = compares ? 0 : added_by(o);
    for (size_t i = 0; o->slack[0] != NULL && i < o->input[0]->count; i++)
        reach[i] = o->slack[0][i] + (grid ? 0 : CHAIN * (fabs(weir_array_get(o->input[0], i)) + 2 * offset + added));
    const double rounding = l->counterparts->of[weir_node_output(l->model, node, 0).id].rounding;
    for (size_t i = 0; i < o->input[0]->count; i++) reach[i] += rounding;
    return reach;
}

static bool is_pool(weir_op kind) {
    return kind == WEIR_OP_QLINEAR_AVERAGE_POOL || kind == WEIR_OP_QLINEAR_GLOBAL_AVERAGE_POOL;
}

/* A node that adds and quantizes at once: without the scale of the result, its kernel gives the sums as real numbers.
 * Takes the scale and the zero point away, which other inputs may follow. */
static weir_array *sums_of(const weir_lockstep *l, weir_node node, weir_operands *o, const weir_array *out) {
    const weir_op kind = weir_trait_kind(l->model, node);
    const size_t scale = is_pool(kind) ? 3 : kind == WEIR_OP_QGEMM ? 7 : 6;
    for (size_t i = scale; i < scale + 2 && i < o->slots; i++) o->input[i] = NULL;
    weir_array *sums = weir_array_new(WEIR_FLOAT32, &out->shape);
    weir_kernel_run(l->model, node, o->input, &sums);
    return sums;
}

/* A mean of float32 numbers that are added one after the other: a tie that lies within their rounding may go either
 * way. */
static void widen_pool(const weir_lockstep *l, weir_node node, weir_operands *o, const weir_array *out, double *low,
                       double *high) {
    const weir_attribute *kernel = weir_node_attribute(l->model, node, "kernel_shape");
    const weir_quant quant = weir_value_type(l->model, weir_node_output(l->model, node, 0))->quant;
    double reach = 0x1p-16 * weir_array_get(o->input[1], 0); /* 2^8 codes, each sum rounded by 2^-24 of itself */
    for (size_t i = 0; i < kernel->count; i++) reach *= (double)kernel->as.ints[i];
    weir_array *mean = sums_of(l, node, o, out);
    for (size_t i = 0; i < out->count; i++) {
        const double at = weir_array_get(mean, i), by = reach + CHAIN * fabs(at);
        low[i] = (double)weir_encode_sum(at - by, &quant, 0, WEIR_CONTRACT_REAL);
        high[i] = (double)weir_encode_sum(at + by, &quant, 0, WEIR_CONTRACT_REAL);
    }
    weir_array_free(mean);
}

/* Are the inputs what the lowered graph has, to the last bit? */
static bool have_all_digits(const weir_operands *o) {
    bool all = true;
    for (size_t i = 0; i < o->slots; i++)
        for (size_t k = 0; all && o->slack[i] != NULL && k < o->input[i]->count; k++) all = o->slack[i][k] == 0;
    return all;
}

/* Least and most that the model may give, element by element, in place of `low` and `high`, which hold what it
 * gives. */
static void widen(const weir_lockstep *l, weir_node node, size_t index, const weir_array *out, double *low,
                  double *high) {
    weir_operands o = operands_of(l, node);
    const weir_op op = weir_node_op(l->model, node), kind = weir_trait_of(op)->kind;
    const weir_value y = weir_node_output(l->model, node, index);
    if (weir_trait_of(op)->task == WEIR_TASK_QUANTIZER) {
        double *reach = reach_of(l, node, &o);
        weir_array *below = weir_tolerance_moved(&o, reach, -1), *above = weir_tolerance_moved(&o, reach, 1);
        for (size_t i = 0; i < out->count; i++) {
            low[i] = weir_array_get(below, i);
            high[i] = weir_array_get(above, i);
        }
        weir_array_free(below);
        weir_array_free(above);
        free(reach);
    } else if (kind == WEIR_OP_QLINEAR_AVERAGE_POOL) {
        widen_pool(l, node, &o, out, low, high);
    } else if (weir_dtype_is_float(out->dtype)) {
        bool product = weir_trait_of(op)->task == WEIR_TASK_LAYER,
             grid = weir_grid_has(&l->grid, y) && weir_grid_computes(&l->grid, node);
        /* What a number that was set lacks of float32's digits is among the roundings of a product. */
        if (product && l->partner[weir_node_input(l->model, node, 0).id].id != 0) o.slack[0] = NULL;
        grid = grid && have_all_digits(&o);
        weir_array *size = product && grid ? weir_tolerance_magnitude(&o) : NULL;
        double *error = weir_tolerance_propagate(&o, index, out);
        for (size_t i = 0; i < out->count; i++) {
            double by = error[i], reached = size != NULL ? weir_array_get(size, i) : fabs(weir_array_get(out, i));
            if (grid && reached <= EXACT * weir_grid_step(&l->grid, y, i)) by = 0;
            by += l->counterparts->of[y.id].rounding;
            low[i] -= by;
            high[i] += by;
        }
        free(error);
        weir_array_free(size);
    }
    free_operands(l, &o);
}

/* The number that what reads the value makes no difference to. */
static double within(const weir_counterpart *c, double number) {
    return c->is_cut ? fmax(c->least, fmin(c->most, number)) : number;
}

/* The elements differ; does rounding explain it? */
static void judge(weir_lockstep *l, weir_node node, size_t index, const weir_array *out, const double *found) {
    assert(index < weir_node_output_count(l->model, node));
    weir_value value = weir_node_output(l->model, node, index);
    double *low = weir_malloc(2 * out->count * sizeof *low), *high = low + out->count;
    for (size_t i = 0; i < out->count; i++) low[i] = high[i] = weir_array_get(out, i);
    widen(l, node, index, out, low, high);
    bool real = weir_dtype_is_float(out->dtype);
    const weir_counterpart *c = &l->counterparts->of[value.id];
    for (size_t i = 0; l->fine && i < out->count; i++) {
        const double have = within(c, found[i]);
        double ulp = real ? 0x1p-23 * fabs(found[i]) : 0;
        if (isnan(weir_array_get(out, i))) continue; /* the root of a negative number: any code stands for it */
        if (!(have >= within(c, low[i]) - ulp && have <= within(c, high[i]) + ulp))
            tell_reals(l, node, value, l->partner[value.id], i, weir_array_get(out, i), found[i]);
    }
    free(low);
}

/* The model's value becomes what the codes behind it stand for. */
static void force(weir_lockstep *l, weir_value value, weir_array *out) {
    assert(l->partner[value.id].id != 0);
    const weir_type *type = weir_value_type(l->lowered, l->partner[value.id]);
    const weir_array *codes = weir_executor_value(l->lowered_run, l->partner[value.id]);
    bool real = weir_dtype_is_float(out->dtype);
    if (real && l->slack[value.id] == NULL) l->slack[value.id] = weir_calloc(out->count + 1, sizeof(double));
    for (size_t i = 0; i < out->count; i++) {
        double number = weir_counterpart_decode(&l->counterparts->of[value.id], type, codes, i);
        if (!real) {
            weir_array_set_int(out, i, (int64_t)number);
            continue;
        }
        weir_array_set(out, i, number);
        l->slack[value.id][i] = fabs(number - weir_array_get(out, i));
    }
}

static void compare_sums(weir_lockstep *l, weir_node node, weir_value value, const weir_array *out) {
    const weir_counterpart reals = {.name = l->counterparts->of[value.id].sums};
    weir_value partner = weir_graph_find_value(l->lowered, reals.name);
    const weir_array *sums = partner.id == 0 ? NULL : known(l, partner);
    if (sums == NULL || sums->count != out->count) return;
    weir_operands o = operands_of(l, node);
    weir_array *want = sums_of(l, node, &o, out);
    const weir_type *type = weir_value_type(l->lowered, partner);
    for (size_t i = 0; l->fine && i < want->count; i++) {
        double found = weir_counterpart_decode(&reals, type, sums, i);
        double expected = weir_array_get(want, i);
        if (!(fabs(found - expected) <= 0x1p-22 * fabs(expected)))
            tell_reals(l, node, value, partner, i, expected, found);
    }
    weir_array_free(want);
    free_operands(l, &o);
}

static void compare(weir_lockstep *l, weir_node node, size_t index, weir_array *out) {
    assert(index < weir_node_output_count(l->model, node));
    weir_value value = weir_node_output(l->model, node, index), partner = l->partner[value.id];
    const weir_counterpart *c = &l->counterparts->of[value.id];
    const weir_type *type = weir_value_type(l->lowered, partner);
    const weir_array *codes = known(l, partner);
    double *found = weir_malloc((out->count + 1) * sizeof *found);
    bool equal = true;
    for (size_t i = 0; i < out->count; i++) {
        found[i] = weir_counterpart_decode(c, type, codes, i);
        equal &= (out->dtype == WEIR_FLOAT32 ? (double)(float)found[i] : found[i]) == weir_array_get(out, i);
    }
    if (c->sums != NULL) compare_sums(l, node, value, out);
    if (l->fine && !equal) judge(l, node, index, out, found);
    free(found);
    l->is_compared[partner.id] = true;
    if (l->fine) force(l, value, out);
}

/* Of codes that follow: how far others may be that the exact sums give next to a tie, which float32 numbers of them,
 * with 24 bits, may round to the other side. NULL: none is next to a tie. */
static double *tie_error(const weir_operands *o, const weir_array *out) {
    double *reach = roundings_of(o->input[0]), *error = weir_calloc(out->count + 1, sizeof *error);
    weir_array *below = weir_tolerance_moved(o, reach, -1), *above = weir_tolerance_moved(o, reach, 1);
    bool any = false;
    for (size_t i = 0; i < out->count; i++) {
        const double code = weir_array_get(out, i);
        error[i] = fmax(fabs(weir_array_get(below, i) - code), fabs(weir_array_get(above, i) - code));
        any |= error[i] > 0;
    }
    weir_array_free(below);
    weir_array_free(above);
    free(reach);
    if (any) return error;
    free(error);
    return NULL;
}

/* A value without a counterpart: its error follows from those of the inputs, and from what its codes lacked where a
 * pass has made them part of those behind it. Of inputs that were set, none does where both graphs do the same float32
 * arithmetic on them; but a pass may have taken the codes in front away. */
static void propagate(weir_lockstep *l, weir_node node, size_t index, const weir_array *out) {
    assert(index < weir_node_output_count(l->model, node));
    weir_value value = weir_node_output(l->model, node, index);
    const weir_counterpart *c = &l->counterparts->of[value.id];
    weir_operands o = operands_of(l, node);
    const bool same = c->follows && !weir_trait_of(weir_node_op(l->model, node))->is_exact;
    const double rounding = c->follows ? 0 : c->rounding;
    bool any = weir_tolerance_amplifies(l->model, node);
    for (size_t i = 0; i < weir_node_input_count(l->model, node); i++)
        any |= o.slack[i] != NULL && !(same && l->partner[weir_node_input(l->model, node, i).id].id != 0);
    free(l->slack[value.id]);
    double *error = any            ? weir_tolerance_propagate(&o, index, out)
                    : rounding > 0 ? weir_calloc(out->count + 1, sizeof *error)
                                   : NULL;
    for (size_t i = 0; error != NULL && i < out->count; i++) error[i] += rounding;
    const bool quantizes = weir_trait_of(weir_node_op(l->model, node))->task == WEIR_TASK_QUANTIZER;
    if (error == NULL && same && quantizes && weir_dtype_is_float(o.input[0]->dtype)) error = tie_error(&o, out);
    l->slack[value.id] = error;
    free_operands(l, &o);
}

/* What was known of the errors of values that nothing reads any more. */
static void forget_slack(weir_lockstep *l, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(l->model, node); i++) {
        const weir_value value = weir_node_input(l->model, node, i);
        if (value.id == 0 || weir_value_is_output(l->model, value) ||
            !weir_executor_reads_last(l->model_run, node, value))
            continue;
        free(l->slack[value.id]);
        l->slack[value.id] = NULL;
    }
}

static void watch_model(void *user, weir_node node, weir_array *const *outputs) {
    weir_lockstep *l = user;
    for (size_t k = 0; l->fine && k < weir_node_output_count(l->model, node); k++) {
        const weir_value partner = l->partner[weir_node_output(l->model, node, k).id];
        if (partner.id != 0 && known(l, partner) != NULL) compare(l, node, k, outputs[k]);
        else propagate(l, node, k, outputs[k]);
    }
    forget_slack(l, node);
}

/* --- results --- */

static void compare_output(weir_lockstep *l, size_t index) {
    assert(index < weir_graph_output_count(l->model) && index < weir_graph_output_count(l->lowered));
    weir_value value = weir_graph_output(l->model, index);
    const weir_array *want = weir_executor_value(l->model_run, value);
    const weir_array *have = weir_executor_value(l->lowered_run, weir_graph_output(l->lowered, index));
    const double *slack = l->slack[value.id];
    double largest = 0;
    bool real = weir_dtype_is_float(want->dtype);
    for (size_t i = 0; i < want->count; i++) largest = fmax(largest, fabs(weir_array_get(want, i)));
    for (size_t i = 0; l->fine && i < want->count; i++) {
        double by = !real ? 0 : BEHIND * largest + (slack == NULL ? 0 : slack[i]);
        double a = weir_array_get(want, i), b = weir_array_get(have, i);
        if (a == b || fabs(a - b) <= by || (isnan(a) && isnan(b))) continue;
        weir_error(weir_at(weir_graph_source(l->model), 0), "output '%s': expected %.9g, found %.9g at element %zu",
                   weir_graph_output_name(l->model, index), a, b, i);
        weir_note("%s", l->frame->what);
        l->fine = false;
    }
}

/* The integer graph's result beside that of the graph behind it: the host's operators are the same. */
static void compare_integer_output(weir_lockstep *l, size_t index) {
    assert(index < weir_graph_output_count(l->integer));
    const weir_array *want = weir_executor_value(l->integer_run, weir_graph_output(l->integer, index));
    const weir_array *have = weir_executor_value(l->lowered_run, weir_graph_output(l->lowered, index));
    for (size_t i = 0; l->fine && i < want->count; i++) {
        const double a = weir_array_get(want, i), b = weir_array_get(have, i);
        if (a == b || (isnan(a) && isnan(b))) continue;
        weir_error(weir_at(weir_graph_source(l->model), 0), "output '%s': expected %.9g, found %.9g at element %zu",
                   weir_graph_output_name(l->model, index), a, b, i);
        weir_note("%s: a pass after lower_integer changed what is computed", l->frame->what);
        l->fine = false;
    }
}

/* --- States: the lowered graph's in all three --- */

/* What the State has in this frame: as the lowered graph computes it, or codes of the frame's drive. */
static void give_state(weir_lockstep *l, weir_node node) {
    const weir_value value = weir_node_output(l->lowered, node, 0);
    weir_array *codes = weir_array_copy(weir_executor_value(l->closed_run, value));
    if (l->frame->drive != WEIR_DRIVE_NATURAL && !weir_dtype_is_float(codes->dtype))
        for (size_t i = 0; i < codes->count; i++) weir_array_set_int(codes, i, random_code(l, value, i));
    weir_executor_give(l->lowered_run, value, codes);
    const weir_value same =
        l->integer == NULL ? WEIR_NO_VALUE : weir_graph_find_value(l->integer, weir_value_name(l->lowered, value));
    if (same.id != 0) weir_executor_give(l->integer_run, same, codes);
    weir_array_free(codes);
}

static void give_to_model(weir_lockstep *l, weir_node node) {
    const weir_value value = weir_node_output(l->model, node, 0), own = l->partner[value.id],
                     partner = own.id != 0 ? own : weir_graph_find_value(l->lowered, weir_value_name(l->model, value));
    if (partner.id == 0) return; /* nothing of it is left */
    const weir_type *type = weir_value_type(l->lowered, partner);
    weir_array *numbers =
        weir_array_new(weir_value_type(l->model, value)->dtype, &weir_value_type(l->model, value)->shape);
    const weir_array *codes = weir_executor_value(l->lowered_run, partner);
    for (size_t i = 0; i < numbers->count; i++) {
        if (own.id == 0) weir_array_set(numbers, i, weir_array_get(codes, i));
        else if (weir_dtype_is_float(numbers->dtype))
            weir_array_set(numbers, i, weir_counterpart_decode(&l->counterparts->of[value.id], type, codes, i));
        else weir_array_set_int(numbers, i, weir_array_get_int(codes, i));
    }
    weir_executor_give(l->model_run, value, numbers);
    weir_array_free(numbers);
}

/* Runs the lowered graph as it is, for what is in its States. */
static bool give_states(weir_lockstep *l, const weir_array *const *inputs) {
    if (l->closed_run == NULL) return true;
    if (!weir_executor_run(l->closed_run, inputs)) return false;
    for (weir_node node = weir_graph_first(l->lowered); node.id != 0; node = weir_node_next(l->lowered, node))
        if (weir_node_op(l->lowered, node) == WEIR_OP_STATE) give_state(l, node);
    for (weir_node node = weir_graph_first(l->model); node.id != 0; node = weir_node_next(l->model, node))
        if (weir_node_op(l->model, node) == WEIR_OP_STATE) give_to_model(l, node);
    return true;
}

bool weir_lockstep_run(weir_lockstep *l, const weir_array *const *inputs, const weir_frame *frame) {
    l->frame = frame;
    l->random = frame->seed;
    if (!give_states(l, inputs)) return false;
    l->fine = weir_executor_run_watched(l->lowered_run, inputs, watch_lowered, l);
    if (l->fine && l->integer_run != NULL)
        l->fine = weir_executor_run_watched(l->integer_run, inputs, watch_integer, l) && l->fine;
    if (frame->leaves_model && l->integer_run != NULL) {
        for (size_t i = 0; l->fine && i < weir_graph_output_count(l->model); i++) compare_integer_output(l, i);
        return l->fine;
    }
    memset(l->is_compared, 0, weir_graph_value_limit(l->lowered) * sizeof *l->is_compared);
    if (l->fine) l->fine = weir_executor_run_watched(l->model_run, inputs, watch_model, l) && l->fine;
    for (size_t i = 0; l->fine && i < weir_graph_output_count(l->model); i++) compare_output(l, i);
    return l->fine;
}

/* --- set-up --- */

static bool same_interface(const weir_graph *model, const weir_graph *other) {
    bool same = weir_graph_input_count(model) == weir_graph_input_count(other) &&
                weir_graph_output_count(model) == weir_graph_output_count(other);
    for (size_t i = 0; same && i < weir_graph_input_count(model); i++) {
        const weir_type *a = weir_value_type(model, weir_graph_input(model, i));
        const weir_type *b = weir_value_type(other, weir_graph_input(other, i));
        same = a->dtype == b->dtype && weir_shape_equal(&a->shape, &b->shape);
    }
    for (size_t i = 0; same && i < weir_graph_output_count(model); i++) {
        const weir_type *a = weir_value_type(model, weir_graph_output(model, i));
        const weir_type *b = weir_value_type(other, weir_graph_output(other, i));
        same = a->dtype == b->dtype && weir_shape_equal(&a->shape, &b->shape);
    }
    if (!same)
        weir_error(weir_at(weir_graph_source(model), 0), "graph '%s' has other inputs or outputs than '%s'",
                   weir_graph_name(other), weir_graph_name(model));
    return same;
}

/* A value of that name with as many elements. */
static weir_value find(const weir_graph *graph, const char *name, const weir_shape *shape) {
    weir_value value = weir_graph_find_value(graph, name);
    size_t count, wanted;
    if (value.id == 0 || !weir_shape_count(&weir_value_type(graph, value)->shape, &count) ||
        !weir_shape_count(shape, &wanted) || count != wanted ||
        weir_dtype_is_float(weir_value_type(graph, value)->dtype))
        return WEIR_NO_VALUE;
    return value;
}

/* The only user of sums, past other names of them, when it is a Requantize with steps. */
static weir_node requantizer_of(const weir_graph *graph, weir_value value) {
    const weir_node maker = weir_value_producer(graph, value);
    if (maker.id == 0 || !weir_value_type(graph, value)->has_range) return WEIR_NO_NODE;
    if (weir_node_op(graph, maker) != WEIR_OP_LINEAR && weir_node_op(graph, maker) != WEIR_OP_SUM) return WEIR_NO_NODE;
    weir_node user = WEIR_NO_NODE;
    do {
        if (user.id != 0) value = weir_node_output(graph, user, 0);
        if (weir_value_use_count(graph, value) != 1) return WEIR_NO_NODE;
        user = weir_value_use(graph, value, 0).node;
    } while (weir_node_op(graph, user) == WEIR_OP_RELABEL);
    const bool steps =
        weir_node_op(graph, user) == WEIR_OP_REQUANTIZE && weir_node_attribute(graph, user, "steps") != NULL;
    return steps ? user : WEIR_NO_NODE;
}

/* The lowered graph's value of that name, unless a folding has made its window give the elements in another order. */
static weir_value same_value(const weir_lockstep *l, weir_value value) {
    const weir_value same =
        find(l->lowered, weir_value_name(l->integer, value), &weir_value_type(l->integer, value)->shape);
    const weir_node plain = weir_value_producer(l->integer, value);
    const weir_node maker = same.id == 0 ? WEIR_NO_NODE : weir_value_producer(l->lowered, same);
    if (maker.id == 0 || plain.id == 0 || weir_node_op(l->lowered, maker) != WEIR_OP_WINDOW) return same;
    return weir_node_int(l->lowered, maker, "group", 1) == weir_node_int(l->integer, plain, "group", 1) ? same
                                                                                                        : WEIR_NO_VALUE;
}

static void pair_values(weir_lockstep *l) {
    /* What was lowered is a copy of the model without some of its nodes: its values keep their ids. */
    assert(l->counterparts->limit >= weir_graph_value_limit(l->model));
    for (uint32_t id = 1; id < weir_graph_value_limit(l->model); id++) {
        const weir_counterpart *c = &l->counterparts->of[id];
        if (c->name == NULL || !weir_value_exists(l->model, (weir_value){id})) continue;
        weir_value partner = find(l->lowered, c->name, &weir_value_type(l->model, (weir_value){id})->shape);
        weir_node maker = partner.id == 0 ? WEIR_NO_NODE : weir_value_producer(l->lowered, partner);
        l->partner[id] = partner;
        const weir_type *type = partner.id == 0 ? NULL : weir_value_type(l->lowered, partner);
        const weir_graph *plain = plain_graph(l);
        const weir_value sums = partner.id == 0 ? WEIR_NO_VALUE : weir_graph_find_value(plain, c->name);
        if (sums.id != 0) l->requantizer[partner.id] = requantizer_of(plain, sums);
        if (maker.id == 0 || !type->has_range || !makes_codes(weir_node_op(l->lowered, maker))) continue;
        l->may_replace[partner.id] = true;
        l->low[partner.id] = type->low;
        l->high[partner.id] = type->high;
    }
    for (uint32_t id = 1; id < weir_graph_value_limit(l->model); id++)
        if (l->counterparts->of[id].is_kept) l->may_replace[l->partner[id].id] = false;
    for (uint32_t id = 1; l->integer != NULL && id < weir_graph_value_limit(l->integer); id++) {
        weir_value value = {id};
        if (!weir_value_exists(l->integer, value) || weir_value_constant(l->integer, value) != NULL) continue;
        const weir_type *type = weir_value_type(l->integer, value);
        if (weir_dtype_is_float(type->dtype)) continue;
        weir_value same = l->same[id] = same_value(l, value);
        if (same.id == 0 || !type->has_range) continue;
        if (type->low > l->low[same.id]) l->low[same.id] = type->low;
        if (type->high < l->high[same.id]) l->high[same.id] = type->high;
    }
}

weir_lockstep *weir_lockstep_new(const weir_graph *model, const weir_graph *integer, const weir_graph *lowered,
                                 const weir_counterparts *counterparts) {
    if (!same_interface(model, lowered) || (integer != NULL && !same_interface(model, integer))) return NULL;
    weir_arena *arena = weir_arena_new();
    weir_lockstep *l = weir_arena_alloc(arena, sizeof *l);
    *l = (weir_lockstep){.arena = arena, .model = model, .integer = integer, .lowered = lowered};
    l->counterparts = counterparts;
    size_t limit = weir_graph_value_limit(model), hardware = weir_graph_value_limit(lowered);
    l->partner = weir_arena_array(arena, limit, sizeof *l->partner);
    l->slack = weir_arena_array(arena, limit, sizeof *l->slack);
    l->may_replace = weir_arena_array(arena, hardware, sizeof *l->may_replace);
    l->requantizer = weir_arena_array(arena, hardware, sizeof *l->requantizer);
    l->low = weir_arena_array(arena, hardware, sizeof *l->low);
    l->high = weir_arena_array(arena, hardware, sizeof *l->high);
    l->computed = weir_arena_array(arena, hardware, sizeof *l->computed);
    l->is_compared = weir_arena_array(arena, hardware, sizeof *l->is_compared);
    if (integer != NULL) l->same = weir_arena_array(arena, weir_graph_value_limit(integer), sizeof *l->same);
    pair_values(l);
    l->grid = (weir_grid){model, lowered, l->partner, counterparts};
    l->is_rounded = weir_grid_rounded_constants(model, arena);
    weir_sources_keep_unshared(model, lowered, l->partner, l->may_replace);
    const bool has_states = weir_recurrence_any(lowered);
    l->model_run = weir_executor_new_open(model, true);
    l->lowered_run = weir_executor_new_open(lowered, false);
    l->integer_run = integer == NULL ? NULL : weir_executor_new_open(integer, true);
    l->closed_run = has_states ? weir_executor_new(lowered) : NULL;
    if (l->model_run != NULL && l->lowered_run != NULL && (integer == NULL || l->integer_run != NULL) &&
        (!has_states || l->closed_run != NULL))
        return l;
    weir_lockstep_free(l);
    return NULL;
}

void weir_lockstep_free(weir_lockstep *l) {
    if (l == NULL) return;
    for (uint32_t id = 0; id < weir_graph_value_limit(l->model); id++) free(l->slack[id]);
    weir_executor_free(l->model_run);
    weir_executor_free(l->lowered_run);
    weir_executor_free(l->integer_run);
    weir_executor_free(l->closed_run);
    weir_arena_free(l->arena);
}
