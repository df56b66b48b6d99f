#include "passes/quantize/round_weights.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/product.h"
#include "ir/shape/geometry.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/memory/instructions.h"

/* Numbers that are looked at in one frame: positions times inputs. */
enum { LOOKED_AT = 65536 };

typedef struct layer {
    weir_node node;
    size_t groups, width; /* inputs of an output */
    size_t outputs;       /* of a group */
    size_t count;         /* positions seen */
    double *sum, *moment; /* groups x width, groups x width x width */
} layer;

struct weir_layer_inputs {
    const weir_graph *graph;
    layer *item;
    size_t count, capacity;
};

weir_layer_inputs *weir_layer_inputs_new(const weir_graph *graph) {
    weir_layer_inputs *inputs = weir_calloc(1, sizeof *inputs);
    inputs->graph = graph;
    return inputs;
}

void weir_layer_inputs_free(weir_layer_inputs *inputs) {
    if (inputs == NULL) return;
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->item[i].sum);
        free(inputs->item[i].moment);
    }
    free(inputs->item);
    free(inputs);
}

/* --- where a layer's weights are --- */

/* Weight k of output o of group g. */
typedef struct place {
    size_t group, output, input; /* steps */
} place;

/* The layer without its sums; false: it is none of those. */
static bool describe(const weir_graph *graph, weir_node node, layer *l, place *p) {
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_value value = weir_node_input(graph, node, 1);
    const weir_array *w = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (w == NULL || w->dtype != WEIR_FLOAT32 || w->count == 0) return false;
    *l = (layer){.node = node, .groups = 1};
    if (kind == WEIR_OP_CONV) {
        l->groups = (size_t)weir_node_int(graph, node, "group", 1);
        l->outputs = (size_t)w->shape.dim[0] / l->groups;
        l->width = w->count / (size_t)w->shape.dim[0];
        *p = (place){l->outputs * l->width, l->width, 1};
        return true;
    }
    const bool turned = kind == WEIR_OP_GEMM && weir_node_int(graph, node, "transB", 0) != 0;
    const bool other = kind == WEIR_OP_GEMM && weir_node_int(graph, node, "transA", 0) != 0;
    if ((kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL) || w->shape.rank != 2 || other) return false;
    l->outputs = (size_t)w->shape.dim[turned ? 0 : 1];
    l->width = (size_t)w->shape.dim[turned ? 1 : 0];
    *p = turned ? (place){0, l->width, 1} : (place){0, 1, l->outputs};
    return true;
}

void weir_layer_inputs_add(weir_layer_inputs *inputs, weir_node node) {
    layer l;
    place p;
    if (!describe(inputs->graph, node, &l, &p) || l.width > WEIR_LAYER_INPUTS_MOST) return;
    l.sum = weir_calloc(l.groups * l.width, sizeof *l.sum);
    l.moment = weir_calloc(l.groups * l.width * l.width, sizeof *l.moment);
    inputs->item = weir_grow(inputs->item, &inputs->capacity, inputs->count + 1, sizeof *inputs->item);
    inputs->item[inputs->count++] = l;
}

/* --- frames --- */

/* Adds rows of the group's inputs. */
static void add_rows(layer *l, size_t group, const float *rows, size_t count) {
    const weir_product_call call = {
        .transpose_a = true, .rows = l->width, .inner = count, .columns = l->width, .alpha = 1};
    float *product = weir_malloc(l->width * l->width * sizeof *product);
    double *sum = l->sum + group * l->width, *moment = l->moment + group * l->width * l->width;
    weir_product_float32(&call, rows, rows, product, weir_instructions_best());
    for (size_t i = 0; i < l->width * l->width; i++) moment[i] += (double)product[i];
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < l->width; k++) sum[k] += (double)rows[r * l->width + k];
    free(product);
}

/* How many of `count` positions are looked at. */
static size_t some_of(const layer *l, size_t count) {
    const size_t most = LOOKED_AT / l->width + 1;
    return count < most ? count : most;
}

static void see_product(layer *l, const weir_array *x) {
    const size_t rows = x->count / l->width, some = some_of(l, rows);
    float *seen = weir_malloc(some * l->width * sizeof *seen);
    for (size_t r = 0; r < some; r++)
        memcpy(seen + r * l->width, (const float *)x->data + rows * r / some * l->width, l->width * sizeof *seen);
    add_rows(l, 0, seen, some);
    l->count += some;
    free(seen);
}

/* What the window sees of channel `c` at a position, in the kernel's order. */
static void see_window(const weir_window *window, const float *channel, const int64_t *at, float *to) {
    int64_t k[WEIR_MAX_RANK] = {0}, kernel = 1;
    for (int i = 0; i < window->rank; i++) kernel *= window->kernel[i];
    for (int64_t n = 0; n < kernel; n++) {
        int64_t index = 0;
        bool inside = true;
        for (int i = 0; i < window->rank; i++) {
            const int64_t in = at[i] * window->stride[i] + k[i] * window->dilation[i] - window->begin[i];
            inside &= in >= 0 && in < window->in[i];
            index = index * window->in[i] + in;
        }
        to[n] = inside ? channel[index] : 0;
        for (int i = window->rank - 1; i >= 0 && ++k[i] == window->kernel[i]; i--) k[i] = 0;
    }
}

static void see_convolution(const weir_graph *graph, layer *l, const weir_array *x) {
    weir_window window;
    const weir_shape *kernel = &weir_value_constant(graph, weir_node_input(graph, l->node, 1))->shape;
    if (!weir_geometry_window(graph, l->node, &x->shape, kernel->dim + 2, &window)) return;
    size_t positions = 1, pixels = 1;
    for (int i = 0; i < window.rank; i++) {
        positions *= (size_t)window.out[i];
        pixels *= (size_t)window.in[i];
    }
    const size_t batch = (size_t)x->shape.dim[0], channels = (size_t)x->shape.dim[1], own = channels / l->groups;
    const size_t size = l->width / own, all = batch * positions, some = some_of(l, all);
    float *rows = weir_malloc(some * l->width * sizeof *rows);
    for (size_t g = 0; g < l->groups; g++) {
        for (size_t r = 0; r < some; r++) {
            const size_t position = all * r / some;
            int64_t at[WEIR_MAX_RANK];
            size_t rest = position % positions;
            for (int i = window.rank - 1; i >= 0; rest /= (size_t)window.out[i--])
                at[i] = (int64_t)(rest % (size_t)window.out[i]);
            const float *first = (const float *)x->data + (position / positions * channels + g * own) * pixels;
            for (size_t c = 0; c < own; c++)
                see_window(&window, first + c * pixels, at, rows + r * l->width + c * size);
        }
        add_rows(l, g, rows, some);
    }
    l->count += some;
    free(rows);
}

void weir_layer_inputs_see(weir_layer_inputs *inputs, const weir_executor *executor) {
    for (size_t i = 0; i < inputs->count; i++) {
        layer *l = &inputs->item[i];
        const weir_array *x = weir_executor_value(executor, weir_node_input(inputs->graph, l->node, 0));
        if (x == NULL || x->dtype != WEIR_FLOAT32 || x->count == 0) continue;
        if (weir_trait_kind(inputs->graph, l->node) == WEIR_OP_CONV) see_convolution(inputs->graph, l, x);
        else see_product(l, x);
    }
}

/* --- rounding --- */

/* R of H = R' R, in place of H's upper half; rows that depend on those before get a small R, for inputs that are always
 * the same number or a sum of others. */
static void factor(double *h, size_t width) {
    double mean = 0;
    for (size_t i = 0; i < width; i++) mean += h[i * width + i] / (double)width;
    const double least = mean > 0 ? mean / 100 : 1; /* GPTQ's damping */
    for (size_t i = 0; i < width; i++) h[i * width + i] += least;
    for (size_t i = 0; i < width; i++) {
        double *row = h + i * width;
        const double root = sqrt(row[i]);
        for (size_t k = i; k < width; k++) row[k] /= root;
        for (size_t j = i + 1; j < width; j++) {
            double *other = h + j * width;
            const double by = row[j];
            for (size_t k = j; k < width; k++) other[k] -= by * row[k];
            if (other[j] < least / 2) other[j] = least / 2;
        }
    }
}

typedef struct grid {
    double scale;
    int64_t low, high;
} grid;

static double nearest(const grid *g, double v) {
    return fmin(fmax(nearbyint(v / g->scale), (double)g->low), (double)g->high) * g->scale;
}

/* The squared length of R times the difference. */
static double error_of(const double *r, size_t width, const double *difference) {
    double error = 0;
    for (size_t i = 0; i < width; i++) {
        double sum = 0;
        for (size_t k = i; k < width; k++) sum += r[i * width + k] * difference[k];
        error += sum * sum;
    }
    return error;
}

/* q of w by planes, or the nearest codes where these are as good; the error. `scratch`: 3 * width. */
static double round_row(const double *r, size_t width, const grid *g, const double *w, double *q, double *scratch) {
    double *difference = scratch, *plain = scratch + width, *plain_difference = scratch + 2 * width;
    for (size_t i = width; i-- > 0;) {
        double sum = 0;
        for (size_t k = i + 1; k < width; k++) sum += r[i * width + k] * difference[k];
        q[i] = nearest(g, w[i] + sum / r[i * width + i]);
        difference[i] = w[i] - q[i];
        plain[i] = nearest(g, w[i]);
        plain_difference[i] = w[i] - plain[i];
    }
    const double error = error_of(r, width, difference), plain_error = error_of(r, width, plain_difference);
    if (plain_error <= error) memcpy(q, plain, width * sizeof *q);
    return fmin(error, plain_error);
}

/* The same with the part of the scale, from all of it down to a half, for which the error is least; the scale. */
static double search_row(const double *r, size_t width, grid g, const double *w, double *q, double *scratch) {
    enum { PARTS = 20, LEAST = 10 };
    double *own = scratch + 3 * width, least = INFINITY, best = g.scale;
    const double whole = g.scale;
    for (int part = PARTS; part >= LEAST; part--) {
        g.scale = (double)(float)(whole * part / PARTS);
        const double error = round_row(r, width, &g, w, own, scratch);
        if (!(error < least)) continue;
        least = error;
        best = g.scale;
        memcpy(q, own, width * sizeof *q);
    }
    return best;
}

static const layer *find(const weir_layer_inputs *inputs, weir_node node) {
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->item[i].node.id == node.id && inputs->item[i].count > 0) return &inputs->item[i];
    return NULL;
}

/* Second moments of a group's inputs, about their mean where a bias can take that; heap memory. */
static double *moments_of(const layer *l, size_t group, bool has_bias, double *mean) {
    const size_t width = l->width;
    double *h = weir_malloc(width * width * sizeof *h);
    for (size_t k = 0; k < width; k++) mean[k] = has_bias ? l->sum[group * width + k] / (double)l->count : 0;
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k < width; k++)
            h[i * width + k] = l->moment[(group * width + i) * width + k] / (double)l->count - mean[i] * mean[k];
    return h;
}

bool weir_layer_inputs_has(const weir_layer_inputs *inputs, weir_node node) { return find(inputs, node) != NULL; }

weir_array *weir_round_weights(const weir_layer_inputs *inputs, weir_node node, const weir_weight_grid *grids,
                               double *bias) {
    const layer *l = find(inputs, node);
    layer own;
    place p;
    const bool is_seen = l != NULL && describe(inputs->graph, node, &own, &p);
    assert(is_seen);
    (void)is_seen;
    weir_array *scale = grids->scale;
    assert(!grids->searches || scale->count > 1 || l->groups * l->outputs == 1);
    const weir_array *from = weir_value_constant(inputs->graph, weir_node_input(inputs->graph, node, 1));
    weir_array *to = weir_array_copy(from);
    const size_t width = l->width;
    double *row = weir_malloc(7 * width * sizeof *row), *q = row + width, *mean = q + width, *scratch = mean + width;
    for (size_t g = 0; g < l->groups; g++) {
        double *r = moments_of(l, g, grids->has_bias, mean);
        factor(r, width);
        for (size_t o = 0; o < l->outputs; o++) {
            const size_t output = g * l->outputs + o, first = g * p.group + o * p.output;
            const size_t at = scale->count == 1 ? 0 : output;
            const grid codes = {weir_array_get(scale, at), grids->low, grids->high};
            for (size_t k = 0; k < width; k++) row[k] = weir_array_get(from, first + k * p.input);
            if (grids->searches) weir_array_set(scale, at, search_row(r, width, codes, row, q, scratch));
            else round_row(r, width, &codes, row, q, scratch);
            bias[output] = 0;
            for (size_t k = 0; k < width; k++) {
                weir_array_set(to, first + k * p.input, q[k]);
                bias[output] += (row[k] - q[k]) * mean[k];
            }
        }
        free(r);
    }
    free(row);
    return to;
}
