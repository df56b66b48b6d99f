#include "frontend/import/onnx_attention.h"

#include <math.h>
#include <stdlib.h>

#include "frontend/import/onnx_part.h"
#include "support/memory/arena.h"

#define PART WEIR_ONNX_PART

/* Queries [batch, heads, queries, size], keys and values [batch, kv_heads, keys, ...]. */
typedef struct attention {
    weir_value q, k, v;
    int64_t batch, heads, kv_heads, queries, keys, size, v_size, past;
    double scale, cap; /* cap 0: none */
    weir_value bias;   /* added to the scores; none: nothing */
    weir_value hidden; /* rows of which all keys are hidden; none: there are none */
    bool flat;         /* the result's heads are side by side, in three dimensions */
} attention;

static weir_shape shape_of4(int64_t a, int64_t b, int64_t c, int64_t d) { return (weir_shape){4, {a, b, c, d}}; }

static weir_value input(const weir_value *inputs, size_t count, size_t i) {
    return i < count ? inputs[i] : WEIR_NO_VALUE;
}

/* --- heads --- */

/* [batch, length, heads * size] as [batch, heads, length, size]. */
static weir_value split_heads(const weir_onnx_form *form, const char *part, const char *order, weir_value value,
                              int64_t heads) {
    const weir_shape s = *weir_onnx_part_shape(form, value);
    const weir_shape wide = shape_of4(s.dim[0], s.dim[1], heads, s.dim[2] / heads);
    return weir_onnx_part_swap(form, order, weir_onnx_part_reshape(form, part, value, &wide), 1, 2);
}

static bool divides(const weir_onnx_form *form, const char *name, int64_t heads, const char *what, weir_value value) {
    const weir_shape *s = weir_onnx_part_shape(form, value);
    if (heads < 1)
        return weir_onnx_part_fail(form, "expected attribute '%s', 1 or more, where its %s have 3 dimensions", name,
                                   what);
    return s->dim[2] % heads == 0 ||
           weir_onnx_part_fail(form,
                               "its %s have %lld elements, which %lld heads ('%s') do not divide; expected a "
                               "multiple",
                               what, (long long)s->dim[2], (long long)heads, name);
}

/* From the file's form of three dimensions. */
static bool to_heads(const weir_onnx_form *form, attention *a, int64_t heads, int64_t kv_heads, const char *name,
                     const char *kv_name) {
    if (!divides(form, name, heads, "queries", a->q) || !divides(form, kv_name, kv_heads, "keys", a->k) ||
        !divides(form, kv_name, kv_heads, "values", a->v))
        return false;
    a->q = split_heads(form, "q_heads", "q", a->q, heads);
    a->k = split_heads(form, "k_heads", "k", a->k, kv_heads);
    a->v = split_heads(form, "v_heads", "v", a->v, kv_heads);
    a->flat = true;
    return a->q.id != 0 && a->k.id != 0 && a->v.id != 0;
}

/* Behind those of the past, where there are some. */
static weir_value with_past(const weir_onnx_form *form, const char *part, weir_value past, weir_value now) {
    return past.id == 0 ? now : weir_onnx_part_concat(form, part, past, now, 2);
}

static bool measure(const weir_onnx_form *form, attention *a) {
    const weir_shape *q = weir_onnx_part_shape(form, a->q), *k = weir_onnx_part_shape(form, a->k),
                     *v = weir_onnx_part_shape(form, a->v);
    if (q->rank != 4 || k->rank != 4 || v->rank != 4)
        return weir_onnx_part_fail(form, "expected queries, keys and values of 3 dimensions, or of 4");
    a->batch = q->dim[0];
    a->heads = q->dim[1];
    a->queries = q->dim[2];
    a->size = q->dim[3];
    a->kv_heads = k->dim[1];
    a->keys = k->dim[2];
    a->v_size = v->dim[3];
    if (k->dim[3] != a->size || k->dim[0] != a->batch || v->dim[0] != a->batch)
        return weir_onnx_part_fail(form, "expected keys of the size of queries (%lld), and equal batches",
                                   (long long)a->size);
    if (v->dim[1] != a->kv_heads || v->dim[2] != a->keys)
        return weir_onnx_part_fail(form, "expected as many values as keys: %lld heads of %lld", (long long)a->kv_heads,
                                   (long long)a->keys);
    return a->heads % a->kv_heads == 0 ||
           weir_onnx_part_fail(form, "expected heads of queries (%lld) that are a multiple of those of keys (%lld)",
                               (long long)a->heads, (long long)a->kv_heads);
}

/* --- masks --- */

static weir_value add_to(const weir_onnx_form *form, const char *part, weir_value bias, weir_value more) {
    return bias.id == 0 ? more : PART(ADD, part, bias, more);
}

/* 0 where the condition holds, `hidden` elsewhere. */
static weir_value chosen(const weir_onnx_form *form, const char *part, weir_value condition, weir_dtype dtype,
                         double hidden) {
    return PART(WHERE, part, condition, weir_onnx_part_number(form, "seen", dtype, 0),
                weir_onnx_part_number(form, "hidden", dtype, hidden));
}

/* By position: keys up to the query's own (causal), or in a window around it; -1: open on that side. */
typedef struct reach {
    bool causal;
    int64_t left, right;
} reach;

static bool is_limited(const reach *r) { return r->causal || r->left >= 0 || r->right >= 0; }

/* A number for each query and key, as the constant `part`: key - query + offset. */
static weir_value distances(const weir_onnx_form *form, const attention *a, const char *part, int64_t offset) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){2, {a->queries, a->keys}});
    for (int64_t i = 0; i < a->queries; i++)
        for (int64_t j = 0; j < a->keys; j++) weir_array_set_int(array, (size_t)(i * a->keys + j), j - i + offset);
    return weir_onnx_form_constant(form, part, array);
}

/* The same for all frames: the queries are behind `past` keys. */
static weir_value reach_bias(const weir_onnx_form *form, const attention *a, const reach *r) {
    weir_array *array = weir_array_new(weir_onnx_part_dtype(form, a->q), &(weir_shape){2, {a->queries, a->keys}});
    for (int64_t i = 0; i < a->queries; i++) {
        for (int64_t j = 0; j < a->keys; j++) {
            const int64_t ahead = j - i - a->past;
            const bool seen =
                (!r->causal || ahead <= 0) && (r->left < 0 || -ahead <= r->left) && (r->right < 0 || ahead <= r->right);
            weir_array_set(array, (size_t)(i * a->keys + j), seen ? 0 : -(double)INFINITY);
        }
    }
    return weir_onnx_form_constant(form, "reach", array);
}

/* Of the first `filled` keys of each frame, which the queries are the last of. */
static weir_value filled_bias(const weir_onnx_form *form, const attention *a, const reach *r, weir_value filled) {
    const weir_dtype dtype = weir_onnx_part_dtype(form, a->q);
    const weir_shape column = shape_of4(a->batch, 1, 1, 1);
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {a->keys}});
    for (int64_t j = 0; j < a->keys; j++) weir_array_set_int(array, (size_t)j, j);
    const weir_value position = weir_onnx_form_constant(form, "positions", array),
                     end = weir_onnx_part_reshape(form, "filled", filled, &column);
    weir_value seen = PART(LESS, "is_filled", position, end);
    if (r->causal)
        seen =
            PART(AND, "causal", seen, PART(LESS_OR_EQUAL, "is_before", distances(form, a, "ahead", a->queries), end));
    if (r->left >= 0)
        seen = PART(AND, "left", seen,
                    PART(GREATER_OR_EQUAL, "is_near", distances(form, a, "behind", a->queries + r->left), end));
    if (r->right >= 0)
        seen = PART(AND, "right", seen,
                    PART(LESS_OR_EQUAL, "is_next", distances(form, a, "beyond", a->queries - r->right), end));
    return chosen(form, "filled_bias", seen, dtype, -(double)INFINITY);
}

/* The mask as numbers to add, as long as the keys: those behind it are hidden. */
static weir_value mask_bias(const weir_onnx_form *form, const attention *a, weir_value mask) {
    const weir_dtype dtype = weir_onnx_part_dtype(form, a->q);
    if (mask.id != 0 && weir_onnx_part_dtype(form, mask) == WEIR_BOOL)
        mask = chosen(form, "mask", mask, dtype, -(double)INFINITY);
    weir_shape rest = *weir_onnx_part_shape(form, mask);
    if (mask.id == 0 || rest.rank == 0 || rest.dim[rest.rank - 1] == 1 || rest.dim[rest.rank - 1] >= a->keys)
        return mask;
    rest.dim[rest.rank - 1] = a->keys - rest.dim[rest.rank - 1];
    weir_array *hidden = weir_array_new(dtype, &rest);
    for (size_t i = 0; i < hidden->count; i++) weir_array_set(hidden, i, -(double)INFINITY);
    return weir_onnx_part_concat(form, "mask_padded", mask, weir_onnx_form_constant(form, "padding", hidden),
                                 rest.rank - 1);
}

/* Rows of the bias that are all -infinity. */
static void find_hidden(const weir_onnx_form *form, attention *a) {
    const weir_array *known = a->bias.id == 0 ? NULL : weir_value_constant(form->graph, a->bias);
    const weir_dtype dtype = weir_onnx_part_dtype(form, a->q);
    if (a->bias.id == 0) return;
    const int rank = weir_onnx_part_shape(form, a->bias)->rank;
    bool any = known == NULL;
    for (size_t row = 0; known != NULL && rank > 0 && row < known->count; row += (size_t)known->shape.dim[rank - 1]) {
        bool all = true;
        for (int64_t j = 0; j < known->shape.dim[rank - 1]; j++)
            all &= weir_array_get(known, row + (size_t)j) == -(double)INFINITY;
        any |= all;
    }
    if (!any || rank == 0) return;
    const int64_t last = -1;
    const weir_value most = PART(REDUCE_MAX, "most", a->bias, weir_onnx_part_vector(form, "last", &last, 1));
    a->hidden = PART(EQUAL, "all_hidden", most, weir_onnx_part_number(form, "nothing", dtype, -(double)INFINITY));
}

/* --- the product --- */

/* Up to the shares of values; what the file has of the steps goes to more[2]: 0 the scores, 1 capped, 2 with the
 * bias, 3 the shares. */
static bool attend(weir_onnx_form *form, const attention *a, int64_t shown, weir_value *inputs, size_t *count) {
    const weir_dtype dtype = weir_onnx_part_dtype(form, a->q);
    const int64_t rows = a->heads / a->kv_heads * a->queries;
    const weir_shape grouped = shape_of4(a->batch, a->kv_heads, rows, a->size),
                     single = shape_of4(a->batch, a->heads, a->queries, a->keys),
                     shared = shape_of4(a->batch, a->kv_heads, rows, a->keys);
    weir_value x = PART(MATMUL, "scores", weir_onnx_part_reshape(form, "q_grouped", a->q, &grouped),
                        weir_onnx_part_swap(form, "k_transposed", a->k, 2, 3));
    if (a->scale != 1) x = PART(MUL, "scaled", x, weir_onnx_part_number(form, "scale", dtype, a->scale));
    x = weir_onnx_part_reshape(form, "scores_by_head", x, &single);
    if (shown == 0) form->more[2] = x;
    if (a->cap > 0) {
        const weir_value cap = weir_onnx_part_number(form, "cap", dtype, a->cap);
        x = PART(MUL, "capped", PART(TANH, "bent", PART(DIV, "by_cap", x, cap)), cap);
    }
    if (shown == 1) form->more[2] = x;
    if (a->bias.id != 0) x = PART(ADD, "masked", x, a->bias);
    if (shown == 2) form->more[2] = x;
    x = PART(SOFTMAX, "shares", x);
    if (a->hidden.id != 0)
        x = PART(WHERE, "shares_or_none", a->hidden, weir_onnx_part_number(form, "none", dtype, 0), x);
    if (shown == 3) form->more[2] = x;
    inputs[0] = weir_onnx_part_reshape(form, "shares_grouped", x, &shared);
    inputs[1] = a->v;
    *count = 2;
    form->shape = a->flat ? (weir_shape){3, {a->batch, a->queries, a->heads * a->v_size}}
                          : shape_of4(a->batch, a->heads, a->queries, a->v_size);
    return inputs[0].id != 0 && inputs[1].id != 0;
}

weir_value weir_onnx_attention_finish(weir_onnx_form *form, weir_value value) {
    const weir_shape *made = weir_onnx_part_shape(form, value);
    const int64_t size = made->dim[3], queries = form->shape.rank == 3 ? form->shape.dim[1] : form->shape.dim[2];
    const weir_shape single = shape_of4(made->dim[0], made->dim[1] * made->dim[2] / queries, queries, size);
    if (form->shape.rank == 4 && weir_shape_equal(made, &single)) return value;
    value = weir_onnx_part_reshape(form, "by_head", weir_onnx_part_named(form, value, "product"), &single);
    if (form->shape.rank == 3) value = weir_onnx_part_swap(form, "by_query", value, 1, 2);
    return weir_onnx_part_reshape(form, "joined", value, &form->shape);
}

/* Keys and values for the next frame; an input of the file stays what it is. */
static weir_value present(const weir_onnx_form *form, const char *part, weir_value value) {
    const bool computed = value.id != 0 && weir_value_producer(form->graph, value).id != 0;
    return computed ? value : PART(IDENTITY, part, value);
}

/* --- ai.onnx --- */

bool weir_onnx_attention_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_value mask = input(inputs, *count, 3), past_k = input(inputs, *count, 4),
                     past_v = input(inputs, *count, 5), filled = input(inputs, *count, 6);
    const reach r = {weir_onnx_part_int(form, "is_causal", 0) != 0, weir_onnx_part_int(form, "left_window_size", -1),
                     weir_onnx_part_int(form, "right_window_size", -1)};
    attention a = {.q = inputs[0], .k = inputs[1], .v = inputs[2], .cap = weir_onnx_part_float(form, "softcap", 0)};
    if ((past_k.id == 0) != (past_v.id == 0) || (past_k.id != 0 && filled.id != 0))
        return weir_onnx_part_fail(form, "expected past keys and values together, or 'nonpad_kv_seqlen'");
    if (weir_onnx_part_shape(form, a.q)->rank == 3 && weir_onnx_part_shape(form, a.k)->rank == 3 &&
        weir_onnx_part_shape(form, a.v)->rank == 3 &&
        !to_heads(form, &a, weir_onnx_part_int(form, "q_num_heads", 0), weir_onnx_part_int(form, "kv_num_heads", 0),
                  "q_num_heads", "kv_num_heads"))
        return false;
    a.past = past_k.id == 0 ? 0 : weir_onnx_part_shape(form, past_k)->dim[2];
    a.k = with_past(form, "present_key", past_k, a.k);
    a.v = with_past(form, "present_value", past_v, a.v);
    if (a.k.id == 0 || a.v.id == 0 || !measure(form, &a)) return false;
    if (form->proto->n_output > 1) form->more[0] = present(form, "key", a.k);
    if (form->proto->n_output > 2) form->more[1] = present(form, "value", a.v);
    a.scale = weir_onnx_part_float(form, "scale", 1 / sqrt((double)a.size));
    a.bias = mask_bias(form, &a, mask);
    if (mask.id != 0 && a.bias.id == 0) return false;
    if (filled.id == 0 && is_limited(&r)) a.bias = add_to(form, "bias", a.bias, reach_bias(form, &a, &r));
    if (filled.id != 0) a.bias = add_to(form, "bias", a.bias, filled_bias(form, &a, &r, filled));
    find_hidden(form, &a);
    return attend(form, &a, weir_onnx_part_int(form, "qk_matmul_output_mode", 0), inputs, count);
}

/* --- com.microsoft --- */

/* 0 or the filter's value, by a mask that is 1 where keys are seen: of [batch, keys], [batch, queries, keys] or
 * [batch], how many are. */
static bool key_mask(const weir_onnx_form *form, attention *a, weir_value mask) {
    if (mask.id == 0) return true;
    const weir_shape s = *weir_onnx_part_shape(form, mask);
    const weir_dtype dtype = weir_onnx_part_dtype(form, a->q), own = weir_onnx_part_dtype(form, mask);
    const double filter = weir_onnx_part_float(form, "mask_filter_value", -10000);
    weir_value seen;
    if (s.rank == 1 && s.dim[0] == a->batch) {
        const weir_shape column = shape_of4(a->batch, 1, 1, 1);
        weir_array *array = weir_array_new(own, &(weir_shape){1, {a->keys}});
        for (int64_t j = 0; j < a->keys; j++) weir_array_set_int(array, (size_t)j, j);
        seen = PART(LESS, "is_key", weir_onnx_form_constant(form, "positions", array),
                    weir_onnx_part_reshape(form, "lengths", mask, &column));
    } else if ((s.rank == 2 || s.rank == 3) && s.dim[0] == a->batch && s.dim[s.rank - 1] == a->keys &&
               (s.rank == 2 || s.dim[1] == a->queries)) {
        const weir_shape wide = shape_of4(a->batch, 1, s.rank == 2 ? 1 : a->queries, a->keys);
        seen = PART(GREATER, "is_key", weir_onnx_part_reshape(form, "mask", mask, &wide),
                    weir_onnx_part_number(form, "zero", own, 0));
    } else {
        return weir_onnx_part_fail(form, "expected a mask of [%lld], [%lld, %lld] or [%lld, %lld, %lld]",
                                   (long long)a->batch, (long long)a->batch, (long long)a->keys, (long long)a->batch,
                                   (long long)a->queries, (long long)a->keys);
    }
    a->bias = add_to(form, "bias", a->bias, chosen(form, "mask_bias", seen, dtype, filter));
    return a->bias.id != 0;
}

/* What both operators say alike: the sum with the scores, the masks, the scale. */
static bool attend_keys(weir_onnx_form *form, attention *a, weir_value mask, weir_value bias, weir_value *inputs,
                        size_t *count) {
    const reach causal = {weir_onnx_part_int(form, "unidirectional", 0) != 0, -1, -1};
    const double given = weir_onnx_part_float(form, "scale", 0);
    if (!measure(form, a)) return false;
    a->scale = given != 0 ? given : 1 / sqrt((double)a->size);
    a->bias = bias;
    if (causal.causal) a->bias = add_to(form, "bias", a->bias, reach_bias(form, a, &causal));
    return key_mask(form, a, mask) && attend(form, a, -1, inputs, count);
}

/* Part `index` of two, along the first dimension. */
static weir_value half_of(const weir_onnx_form *form, const char *part, weir_value both, int64_t index) {
    weir_shape shape = *weir_onnx_part_shape(form, both);
    for (int i = 1; i < shape.rank; i++) shape.dim[i - 1] = shape.dim[i];
    shape.rank--;
    return weir_onnx_part_reshape(form, part, weir_onnx_part_slice(form, part, both, 0, index, index + 1), &shape);
}

static weir_value both_of(const weir_onnx_form *form, weir_value k, weir_value v) {
    weir_shape shape = {.rank = 1, .dim = {1}};
    const weir_shape *s = weir_onnx_part_shape(form, k);
    for (int i = 0; i < s->rank; i++) shape.dim[shape.rank++] = s->dim[i];
    return weir_onnx_part_concat(form, "present", weir_onnx_part_reshape(form, "present_key", k, &shape),
                                 weir_onnx_part_reshape(form, "present_value", v, &shape), 0);
}

/* One product makes queries, keys and values of its input. */
bool weir_onnx_attention_of_projection(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_value bias = input(inputs, *count, 2), mask = input(inputs, *count, 3), past = input(inputs, *count, 4),
                     more = input(inputs, *count, 5);
    const Onnx__AttributeProto *given = weir_onnx_part_attribute(form, "qkv_hidden_sizes");
    const int64_t heads = weir_onnx_part_int(form, "num_heads", 0);
    if (input(inputs, *count, 6).id != 0)
        return weir_onnx_part_fail(form, "a shared buffer of the past is not supported");
    weir_value all = PART(MATMUL, "projection", inputs[0], inputs[1]);
    if (bias.id != 0) all = PART(ADD, "projected", all, bias);
    const weir_shape *s = weir_onnx_part_shape(form, all);
    if (s->rank != 3) return weir_onnx_part_fail(form, "expected an input of 3 dimensions, and a matrix of weights");
    const int64_t width = s->dim[2],
                  size = given == NULL        ? width / 3
                         : given->n_ints == 3 ? given->ints[0]
                                              : -1,
                  key = given == NULL        ? width / 3
                        : given->n_ints == 3 ? given->ints[1]
                                             : -1;
    if (size < 1 || key != size || width - 2 * size < 1 || (given != NULL && given->ints[2] != width - 2 * size))
        return weir_onnx_part_fail(form,
                                   "expected 'qkv_hidden_sizes' of the weights' %lld columns: queries and keys "
                                   "of one size, then values",
                                   (long long)width);
    attention a = {.q = weir_onnx_part_slice(form, "queries", all, 2, 0, size),
                   .k = weir_onnx_part_slice(form, "keys", all, 2, size, 2 * size),
                   .v = weir_onnx_part_slice(form, "values", all, 2, 2 * size, width)};
    if (!to_heads(form, &a, heads, heads, "num_heads", "num_heads")) return false;
    if (past.id != 0) {
        a.past = weir_onnx_part_shape(form, past)->dim[3];
        a.k = with_past(form, "all_keys", half_of(form, "past_key", past, 0), a.k);
        a.v = with_past(form, "all_values", half_of(form, "past_value", past, 1), a.v);
    }
    if (form->proto->n_output > 1 && *form->proto->output[1] != '\0') form->more[0] = both_of(form, a.k, a.v);
    return attend_keys(form, &a, mask, more, inputs, count);
}

/* The biases of queries, keys and values, one after the other. */
static void add_biases(const weir_onnx_form *form, attention *a, weir_value bias) {
    const int64_t q = weir_onnx_part_shape(form, a->q)->dim[2], k = weir_onnx_part_shape(form, a->k)->dim[2],
                  v = weir_onnx_part_shape(form, a->v)->dim[2];
    a->q = PART(ADD, "q_biased", a->q, weir_onnx_part_slice(form, "q_bias", bias, 0, 0, q));
    a->k = PART(ADD, "k_biased", a->k, weir_onnx_part_slice(form, "k_bias", bias, 0, q, q + k));
    a->v = PART(ADD, "v_biased", a->v, weir_onnx_part_slice(form, "v_bias", bias, 0, q + k, q + k + v));
}

bool weir_onnx_attention_multi_head(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_value bias = input(inputs, *count, 3), mask = input(inputs, *count, 4), more = input(inputs, *count, 5),
                     past_k = input(inputs, *count, 6), past_v = input(inputs, *count, 7);
    const int64_t heads = weir_onnx_part_int(form, "num_heads", 0);
    attention a = {.q = inputs[0], .k = input(inputs, *count, 1), .v = input(inputs, *count, 2)};
    for (size_t i = 8; i < *count; i++)
        if (inputs[i].id != 0) return weir_onnx_part_fail(form, "a shared buffer of the past is not supported");
    if (a.k.id == 0 || a.v.id == 0)
        return weir_onnx_part_fail(form, "expected keys and values, not packed with the queries");
    const bool crossed = weir_onnx_part_shape(form, a.k)->rank == 4; /* keys of another sequence, as they are */
    if (weir_onnx_part_shape(form, a.q)->rank != 3 || (!crossed && weir_onnx_part_shape(form, a.k)->rank != 3) ||
        weir_onnx_part_shape(form, a.v)->rank != (crossed ? 4 : 3))
        return weir_onnx_part_fail(form, "expected queries, keys and values of 3 dimensions");
    if (bias.id != 0 && crossed) return weir_onnx_part_fail(form, "keys of 4 dimensions have no bias");
    if (bias.id != 0) add_biases(form, &a, bias);
    if (crossed) {
        if (!divides(form, "num_heads", heads, "queries", a.q)) return false;
        a.q = split_heads(form, "q_heads", "q", a.q, heads);
        a.flat = true;
    } else if (!to_heads(form, &a, heads, heads, "num_heads", "num_heads")) {
        return false;
    }
    a.past = past_k.id == 0 ? 0 : weir_onnx_part_shape(form, past_k)->dim[2];
    a.k = with_past(form, "all_keys", past_k, a.k);
    a.v = with_past(form, "all_values", past_v, a.v);
    if (form->proto->n_output > 1) form->more[0] = present(form, "key", a.k);
    if (form->proto->n_output > 2) form->more[1] = present(form, "value", a.v);
    return attend_keys(form, &a, mask, more, inputs, count);
}
