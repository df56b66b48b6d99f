/* Normalizations that exporters write as arithmetic become one node again:
 *   (x - mean) / sqrt(variance + epsilon) * scale + bias    LayerNormalization
 *   x / sqrt(mean of squares + epsilon) * scale             RMSNormalization
 *   x / max(length along an axis, a tiny number)            LpNormalization, of numbers that are larger
 * Means are ReduceMean along the same axes, which keep them; squares are Mul or Pow; the root is Sqrt or Pow, and it
 * divides, or its Reciprocal, 1 / root or Pow multiplies, also after the scale; scale and bias are constants. The Keras
 * form x * factor + (bias - mean * factor), factor = scale / root, is the same. Nothing else may use what is between x
 * and the result, so a quantizer anywhere inside keeps the nodes as they are. Other axes than the last ones are moved
 * there and back. Sums are no longer rounded one by one. O(size). */
#include <math.h>
#include <stdlib.h>

#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

enum { MOST_NODES = 16 };

/* A normalization so far: what it is of, along which axes, and the nodes in it. */
typedef struct normal {
    weir_value x, scale, bias;
    weir_value result; /* the value that it computes */
    bool axes[WEIR_MAX_RANK];
    bool centred, by_length;
    double epsilon;
    weir_node node[MOST_NODES];
    size_t count;
} normal;

static bool is_kind(const weir_graph *graph, weir_value value, weir_op kind, weir_node *maker) {
    *maker = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
    return maker->id != 0 && weir_node_op(graph, *maker) == kind && weir_rewrite_may(graph, *maker);
}

static weir_value input(const weir_graph *graph, weir_node node, size_t i) { return weir_node_input(graph, node, i); }

static bool take(normal *n, weir_node node) {
    for (size_t i = 0; i < n->count; i++)
        if (n->node[i].id == node.id) return true;
    if (n->count == MOST_NODES) return false;
    n->node[n->count++] = node;
    return true;
}

/* Is it one number everywhere? */
static bool is_number(const weir_graph *graph, weir_value value, double *number) {
    const weir_array *array = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (array == NULL || array->count != 1) return false;
    *number = weir_array_get(array, 0);
    return true;
}

static bool is_constant(const weir_graph *graph, weir_value value) {
    return value.id != 0 && weir_value_constant(graph, value) != NULL;
}

static bool has_power(const weir_graph *graph, weir_value value, double power, weir_node *maker) {
    double number;
    return is_kind(graph, value, WEIR_OP_POW, maker) && is_number(graph, input(graph, *maker, 1), &number) &&
           number == power;
}

/* A number times itself, or its power of two. */
static bool is_square(const weir_graph *graph, weir_value value, weir_node *square) {
    return (is_kind(graph, value, WEIR_OP_MUL, square) && input(graph, *square, 0).id == input(graph, *square, 1).id) ||
           has_power(graph, value, 2, square);
}

/* The axes of a ReduceMean that keeps them; false: they are not known. */
static bool axes_of(const weir_graph *graph, weir_node mean, bool *axes) {
    const int rank = weir_value_type(graph, input(graph, mean, 0))->shape.rank;
    const weir_value given = weir_node_input_count(graph, mean) > 1 ? input(graph, mean, 1) : WEIR_NO_VALUE;
    const weir_array *array = given.id == 0 ? NULL : weir_value_constant(graph, given);
    for (int i = 0; i < WEIR_MAX_RANK; i++) axes[i] = false;
    if (array == NULL || array->count == 0 || weir_node_int(graph, mean, "keepdims", 1) == 0) return false;
    for (size_t i = 0; i < array->count; i++) {
        const int64_t axis = weir_array_get_int(array, i);
        axes[axis < 0 ? axis + rank : axis] = true;
    }
    return true;
}

/* Is the value the mean of x along the axes? */
static bool is_mean_of(const weir_graph *graph, weir_value value, weir_value x, normal *n) {
    weir_node mean;
    bool axes[WEIR_MAX_RANK];
    if (!is_kind(graph, value, WEIR_OP_REDUCE_MEAN, &mean) || input(graph, mean, 0).id != x.id) return false;
    if (!axes_of(graph, mean, axes)) return false;
    for (int i = 0; i < WEIR_MAX_RANK; i++)
        if (axes[i] != n->axes[i]) return false;
    return take(n, mean);
}

/* x - mean, of the normalization's x, or where it has none yet, of any. */
static bool is_centred(const weir_graph *graph, weir_value value, normal *n) {
    weir_node difference;
    if (!is_kind(graph, value, WEIR_OP_SUB, &difference)) return false;
    const weir_value x = input(graph, difference, 0);
    if ((n->x.id != 0 && n->x.id != x.id) || !is_mean_of(graph, input(graph, difference, 1), x, n)) return false;
    n->x = x;
    return take(n, difference);
}

/* The sum of the variance, or the mean of squares, and epsilon. */
static bool match_power(const weir_graph *graph, weir_value value, normal *n) {
    weir_node sum, mean, square;
    if (!is_kind(graph, value, WEIR_OP_ADD, &sum)) return false;
    const bool second = is_number(graph, input(graph, sum, 1), &n->epsilon);
    if (!second && !is_number(graph, input(graph, sum, 0), &n->epsilon)) return false;
    if (!(n->epsilon >= 0) || isinf(n->epsilon)) return false;
    if (!is_kind(graph, input(graph, sum, second ? 0 : 1), WEIR_OP_REDUCE_MEAN, &mean) ||
        !axes_of(graph, mean, n->axes))
        return false;
    if (!is_square(graph, input(graph, mean, 0), &square)) return false;
    if (!take(n, sum) || !take(n, mean) || !take(n, square)) return false;
    n->x = WEIR_NO_VALUE;
    n->centred = is_centred(graph, input(graph, square, 0), n);
    if (!n->centred) n->x = input(graph, square, 0);
    return true;
}

static bool match_root(const weir_graph *graph, weir_value value, normal *n) {
    weir_node root;
    if (!is_kind(graph, value, WEIR_OP_SQRT, &root) && !has_power(graph, value, 0.5, &root)) return false;
    return take(n, root) && match_power(graph, input(graph, root, 0), n);
}

/* 1 / root. */
static bool match_reciprocal(const weir_graph *graph, weir_value value, normal *n) {
    weir_node node;
    double one;
    if (has_power(graph, value, -0.5, &node)) return take(n, node) && match_power(graph, input(graph, node, 0), n);
    if (is_kind(graph, value, WEIR_OP_RECIPROCAL, &node))
        return take(n, node) && match_root(graph, input(graph, node, 0), n);
    return is_kind(graph, value, WEIR_OP_DIV, &node) && is_number(graph, input(graph, node, 0), &one) && one == 1 &&
           take(n, node) && match_root(graph, input(graph, node, 1), n);
}

/* 1 / root, or that times the scale. */
static bool match_factor(const weir_graph *graph, weir_value value, normal *n) {
    weir_node product;
    normal plain = *n;
    if (match_reciprocal(graph, value, &plain)) {
        *n = plain;
        return true;
    }
    if (!is_kind(graph, value, WEIR_OP_MUL, &product) || !take(n, product)) return false;
    const bool second = is_constant(graph, input(graph, product, 1));
    n->scale = input(graph, product, second ? 1 : 0);
    return is_constant(graph, n->scale) && match_reciprocal(graph, input(graph, product, second ? 0 : 1), n);
}

/* Is the value what the normalization divides by the root? */
static bool is_numerator(const weir_graph *graph, weir_value value, normal *n) {
    return n->centred ? is_centred(graph, value, n) : value.id == n->x.id;
}

/* What is normalized: a quotient, or a product with a factor. */
static bool match_quotient(const weir_graph *graph, weir_value value, normal *n) {
    weir_node node;
    if (is_kind(graph, value, WEIR_OP_DIV, &node)) {
        if (!take(n, node) || !match_root(graph, input(graph, node, 1), n)) return false;
        return is_numerator(graph, input(graph, node, 0), n);
    }
    if (!is_kind(graph, value, WEIR_OP_MUL, &node) || !take(n, node)) return false;
    for (size_t i = 0; i < 2; i++) {
        normal tried = *n;
        if (!match_factor(graph, input(graph, node, i), &tried) ||
            !is_numerator(graph, input(graph, node, 1 - i), &tried))
            continue;
        *n = tried;
        return true;
    }
    return false;
}

/* x * factor + (bias - mean * factor). */
static bool match_keras(const weir_graph *graph, weir_value value, normal *n) {
    weir_node sum, product, rest, shift;
    if (!is_kind(graph, value, WEIR_OP_ADD, &sum) || !take(n, sum)) return false;
    for (size_t i = 0; i < 2; i++) {
        if (!is_kind(graph, input(graph, sum, i), WEIR_OP_MUL, &product) ||
            !is_kind(graph, input(graph, sum, 1 - i), WEIR_OP_SUB, &rest) ||
            !is_constant(graph, input(graph, rest, 0)) || !is_kind(graph, input(graph, rest, 1), WEIR_OP_MUL, &shift))
            continue;
        for (size_t k = 0; k < 4; k++) {
            normal tried = *n;
            const weir_value factor = input(graph, product, k / 2), x = input(graph, product, 1 - k / 2);
            if (input(graph, shift, k % 2).id != factor.id || !match_factor(graph, factor, &tried) || !tried.centred ||
                tried.x.id != x.id || !is_mean_of(graph, input(graph, shift, 1 - k % 2), x, &tried) ||
                !take(&tried, product) || !take(&tried, rest) || !take(&tried, shift))
                continue;
            *n = tried;
            n->bias = input(graph, rest, 0);
            return true;
        }
    }
    return false;
}

/* A quotient by the length, or a tiny number where that is 0. */
static bool match_length(const weir_graph *graph, weir_value value, normal *n) {
    const double tiny = 1e-6;
    weir_node quotient, spread, bound, root, sum, square;
    double least = 0;
    if (!is_kind(graph, value, WEIR_OP_DIV, &quotient) || !take(n, quotient)) return false;
    weir_value divisor = input(graph, quotient, 1);
    if (is_kind(graph, divisor, WEIR_OP_EXPAND, &spread)) {
        if (!take(n, spread)) return false;
        divisor = input(graph, spread, 0);
    }
    const bool clips = is_kind(graph, divisor, WEIR_OP_CLIP, &bound);
    if (!clips && !is_kind(graph, divisor, WEIR_OP_MAX, &bound)) return false;
    if (weir_node_input_count(graph, bound) < 2 || !is_number(graph, input(graph, bound, 1), &least) ||
        !(least > 0 && least <= tiny) ||
        (clips && weir_node_input_count(graph, bound) > 2 && input(graph, bound, 2).id != 0))
        return false;
    n->x = input(graph, quotient, 0);
    if (!take(n, bound) || !is_kind(graph, input(graph, bound, 0), WEIR_OP_SQRT, &root) || !take(n, root) ||
        !is_kind(graph, input(graph, root, 0), WEIR_OP_REDUCE_SUM, &sum) || !axes_of(graph, sum, n->axes) ||
        !take(n, sum) || !is_square(graph, input(graph, sum, 0), &square) || input(graph, square, 0).id != n->x.id ||
        !take(n, square))
        return false;
    int axes = 0;
    for (int i = 0; i < WEIR_MAX_RANK; i++) axes += n->axes[i];
    n->by_length = true;
    return axes == 1;
}

/* Has the value one use, of a node that is neither an output of the graph nor has several of it? */
static weir_node only_user(const weir_graph *graph, weir_value value) {
    if (weir_value_use_count(graph, value) != 1 || weir_value_is_output(graph, value)) return WEIR_NO_NODE;
    return weir_value_use(graph, value, 0).node;
}

/* Does the constant broadcast to the shape without changing it? */
static bool fits(const weir_graph *graph, weir_value constant, const weir_shape *to) {
    const weir_shape *from = &weir_value_type(graph, constant)->shape;
    if (from->rank > to->rank) return false;
    for (int i = 1; i <= from->rank; i++)
        if (from->dim[from->rank - i] != 1 && from->dim[from->rank - i] != to->dim[to->rank - i]) return false;
    return true;
}

/* Takes a product with the scale, then a sum with the bias, where they follow. */
static void extend(const weir_graph *graph, normal *n, weir_op kind, weir_value *parameter) {
    const weir_node node = only_user(graph, n->result);
    if (parameter->id != 0 || node.id == 0 || weir_node_op(graph, node) != kind || !weir_rewrite_may(graph, node))
        return;
    const weir_value other = input(graph, node, input(graph, node, 0).id == n->result.id ? 1 : 0);
    if (!is_constant(graph, other) || !fits(graph, other, &weir_value_type(graph, n->x)->shape) || !take(n, node))
        return;
    *parameter = other;
    n->result = weir_node_output(graph, node, 0);
}

/* Is what is inside used inside alone? */
static bool is_closed(const weir_graph *graph, const normal *n) {
    for (size_t i = 0; i < n->count; i++) {
        const weir_value value = weir_node_output(graph, n->node[i], 0);
        if (value.id == n->result.id) continue;
        if (weir_value_is_output(graph, value)) return false;
        for (size_t u = 0; u < weir_value_use_count(graph, value); u++) {
            size_t at = 0;
            while (at < n->count && n->node[at].id != weir_value_use(graph, value, u).node.id) at++;
            if (at == n->count) return false;
        }
    }
    return true;
}

static bool match(const weir_graph *graph, weir_value value, normal *n) {
    const weir_dtype dtype = weir_value_type(graph, value)->dtype;
    *n = (normal){.result = value};
    if (!weir_dtype_is_float(dtype)) return false;
    if (!match_keras(graph, value, n)) {
        *n = (normal){.result = value};
        if (!match_quotient(graph, value, n)) {
            *n = (normal){.result = value};
            return match_length(graph, value, n) && is_closed(graph, n);
        }
    }
    const weir_shape *shape = &weir_value_type(graph, n->x)->shape;
    if ((n->scale.id != 0 && !fits(graph, n->scale, shape)) || (n->bias.id != 0 && !fits(graph, n->bias, shape)))
        return false;
    if (n->bias.id == 0) {
        extend(graph, n, WEIR_OP_MUL, &n->scale);
        if (n->centred) extend(graph, n, WEIR_OP_ADD, &n->bias);
    }
    return is_closed(graph, n);
}

/* ---- the node ---- */

/* The parameter with all dimensions of x, in the order of the axes. */
static weir_value arranged(weir_rewrite *r, const char *suffix, weir_value parameter, int rank, const int64_t *perm) {
    bool moves = false;
    for (int i = 0; i < rank; i++) moves |= perm[i] != i;
    if (!moves || parameter.id == 0) return parameter;
    const weir_shape *own = &weir_value_type(r->graph, parameter)->shape;
    weir_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++) shape.dim[i] = i < rank - own->rank ? 1 : own->dim[i - (rank - own->rank)];
    return weir_rewrite_transpose(r, suffix, weir_rewrite_reshape(r, suffix, parameter, &shape), perm);
}

/* Ones along the axes from `first` on. */
static weir_value ones(weir_rewrite *r, weir_value x, int first) {
    const weir_type *type = weir_value_type(r->graph, x);
    weir_shape shape = {.rank = 0};
    for (int i = first; i < type->shape.rank; i++) shape.dim[shape.rank++] = type->shape.dim[i];
    weir_array *array = weir_array_new(type->dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, 1);
    return weir_rewrite_constant(r, "scale", array);
}

static void fuse_length(weir_rewrite *r, const normal *n) {
    int axis = 0;
    while (!n->axes[axis]) axis++;
    r->at = weir_value_producer(r->graph, n->result);
    const weir_value made = weir_rewrite_start(r, WEIR_OP_LP_NORMALIZATION, "normal", &n->x, 1);
    weir_rewrite_set_int(r, made, "axis", axis);
    weir_rewrite_become(r, weir_rewrite_infer(r, made));
}

static void fuse(weir_rewrite *r, const normal *n) {
    const int rank = weir_value_type(r->graph, n->x)->shape.rank;
    int64_t perm[WEIR_MAX_RANK], back[WEIR_MAX_RANK];
    int first = 0, at;
    for (int i = 0; i < rank; i++)
        if (!n->axes[i]) perm[first++] = i;
    at = first;
    for (int i = 0; i < rank; i++)
        if (n->axes[i]) perm[at++] = i;
    for (int i = 0; i < rank; i++) back[perm[i]] = i;
    r->at = weir_value_producer(r->graph, n->result);
    const weir_value x = weir_rewrite_transpose(r, "last", n->x, perm),
                     given = arranged(r, "scale_last", n->scale, rank, perm),
                     bias = arranged(r, "bias_last", n->bias, rank, perm);
    const weir_value inputs[3] = {x, given.id != 0 ? given : ones(r, x, first), bias};
    weir_value made = weir_rewrite_start(r, n->centred ? WEIR_OP_LAYER_NORMALIZATION : WEIR_OP_RMS_NORMALIZATION,
                                         "normal", inputs, bias.id != 0 ? 3 : 2);
    if (first != rank - 1) weir_rewrite_set_int(r, made, "axis", first - rank);
    weir_node_set_float(r->graph, weir_value_producer(r->graph, made), "epsilon", n->epsilon);
    made = weir_rewrite_transpose(r, "back", weir_rewrite_infer(r, made), back);
    weir_rewrite_become(r, made);
}

/* ---- where ---- */

/* Of each value: does it depend on an input, is it behind a quantizer of what does, and before one? */
typedef struct place {
    bool *data, *behind, *before;
} place;

static void mark_behind(const weir_graph *graph, const place *p) {
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) p->data[weir_graph_input(graph, i).id] = true;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        bool data = false, behind = false;
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            data |= p->data[input(graph, node, i).id];
            behind |= p->behind[input(graph, node, i).id];
        }
        behind |= data && weir_trait_is_quantizer(weir_node_op(graph, node));
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
            p->data[weir_node_output(graph, node, i).id] = data;
            p->behind[weir_node_output(graph, node, i).id] = behind;
        }
    }
}

/* Nodes from the last to the first. */
static void mark_before(const weir_graph *graph, bool *before) {
    size_t count = 0;
    weir_node *order = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *order);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        order[count++] = node;
    while (count-- > 0) {
        const weir_node node = order[count];
        bool is = weir_trait_is_quantizer(weir_node_op(graph, node));
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
            is |= before[weir_node_output(graph, node, i).id];
        for (size_t i = 0; is && i < weir_node_input_count(graph, node); i++) before[input(graph, node, i).id] = true;
    }
    free(order);
}

static place places_of(const weir_graph *graph) {
    const size_t limit = weir_graph_value_limit(graph);
    const place p = {weir_calloc(limit, sizeof(bool)), weir_calloc(limit, sizeof(bool)),
                     weir_calloc(limit, sizeof(bool))};
    mark_behind(graph, &p);
    mark_before(graph, p.before);
    return p;
}

bool weir_fuse_normalizations(weir_graph *graph, bool between, size_t *count) {
    weir_rewrite r = {.graph = graph};
    place p = {NULL, NULL, NULL};
    if (between) p = places_of(graph);
    *count = 0;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        normal n;
        next = weir_node_next(graph, node);
        if (weir_node_output_count(graph, node) != 1 || !match(graph, weir_node_output(graph, node, 0), &n)) continue;
        next = weir_node_next(graph, weir_value_producer(graph, n.result));
        if (between && (!p.behind[n.x.id] || !p.before[n.result.id])) continue;
        if (n.by_length) fuse_length(&r, &n);
        else fuse(&r, &n);
        ++*count;
    }
    free(p.data);
    free(p.behind);
    free(p.before);
    if (*count > 0) weir_eliminate_dead_code(graph);
    return weir_rewrite_finish(&r);
}

bool weir_pass_fuse_normalization(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    size_t count = 0;
    (void)pass;
    const bool fine = weir_fuse_normalizations(graph, false, &count);
    weir_pass_count(context, "normalizations", (int64_t)count);
    if (count == 0) weir_pass_unchanged(context);
    return fine;
}
