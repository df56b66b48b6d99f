#include "terms.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/verify.h"
#include "ir/shape/infer.h"

typedef struct maker {
    terms *t;
    random_source *r;
} maker;

/* --- the graph --- */

static weir_value add_numbers(const maker *m, weir_dtype dtype, const weir_shape *shape, const double *number) {
    weir_array *array = weir_array_new(dtype, shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, number[i]);
    const weir_value value = weir_graph_add_constant(m->t->graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value add_number(const maker *m, weir_dtype dtype, double number) {
    return add_numbers(m, dtype, &(weir_shape){.rank = 0}, &number);
}

static weir_value add_ints(const maker *m, const int64_t *number, int count) {
    double as[WEIR_MAX_RANK];
    for (int i = 0; i < count; i++) as[i] = (double)number[i];
    return add_numbers(m, WEIR_INT64, &(weir_shape){1, {count}}, as);
}

static weir_node add_node(const maker *m, weir_op op, const weir_value *inputs, size_t count) {
    char name[32];
    snprintf(name, sizeof name, "n%d", m->t->count);
    return weir_graph_add_node(m->t->graph, op, name, inputs, count, 1, WEIR_NO_NODE);
}

static weir_value finish(const maker *m, weir_node node) {
    if (!weir_infer_node(m->t->graph, node)) abort();
    return weir_node_output(m->t->graph, node, 0);
}

static weir_value finish_quant(const maker *m, const weir_value *inputs, bool is_signed) {
    const weir_node node = add_node(m, WEIR_OP_QUANT, inputs, 4);
    weir_node_set_int(m->t->graph, node, "signed", is_signed);
    weir_node_set_int(m->t->graph, node, "narrow", 0);
    weir_node_set_string(m->t->graph, node, "rounding_mode", "ROUND");
    return finish(m, node);
}

static term *new_term(const maker *m, term_kind kind, int a) {
    assert(m->t->count < MOST_TERMS);
    term *made = &m->t->of[m->t->count];
    *made = (term){.kind = kind, .a = a, .b = -1};
    if (a >= 0) {
        made->shape = m->t->of[a].shape;
        made->reach = m->t->of[a].reach;
        if (kind != TERM_QUANTIZE && kind != TERM_REDUCE && kind != TERM_DENSE) made->grid = m->t->of[a].grid;
    }
    return made;
}

static int64_t last_of(const weir_shape *shape) { return shape->dim[shape->rank - 1]; }

static int64_t count_of(const weir_shape *shape) {
    size_t count = 1;
    weir_shape_count(shape, &count);
    return (int64_t)count;
}

/* The term has its value now: its place. */
static int keep(const maker *m, term *made, weir_value value) {
    made->value = value;
    assert(weir_shape_equal(&weir_value_type(m->t->graph, value)->shape, &made->shape));
    assert(count_of(&made->shape) <= MOST_ELEMENTS);
    return m->t->count++;
}

/* --- terms --- */

/* A whole number of units, none of them 0: sixteenths, or any real number. */
static double some_number(const maker *m, double reach) {
    if (!m->t->exact) return (double)(float)(reach * (double)(2 * random_range(m->r, 1, 2000) - 2001) / 2000);
    const double number = (double)random_range(m->r, -12, 12) / 4;
    return number == 0 ? 0.25 : number;
}

static double power(const maker *m, int low, int high) { return ldexp(1, (int)random_range(m->r, low, high)); }

static int quantize(const maker *m, int a) {
    terms *t = m->t;
    term *q = new_term(m, TERM_QUANTIZE, a);
    const double reach = q->reach < 1e-3 ? 1e-3 : q->reach > 1e5 ? 1e5 : q->reach;
    const bool is_signed = random_chance(m->r, 50);
    q->scale = t->exact ? exp2(ceil(log2(reach / 100)) + (double)random_range(m->r, -1, 1))
                        : (double)(float)(reach / 100 * (double)random_range(m->r, 400, 1600) / 1000);
    const double grid = t->of[a].grid; /* of which every second number, or sixth, is a tie */
    if (!t->exact && grid > 0 && random_chance(m->r, 50))
        q->scale = (double)(float)(grid * (double)(2 * random_range(m->r, 1, 3)));
    q->grid = q->scale;
    q->zero = random_chance(m->r, 40) ? 0 : is_signed ? random_range(m->r, -30, 30) : random_range(m->r, 0, 255);
    q->low = is_signed ? -128 : 0;
    q->high = is_signed ? 127 : 255;
    q->reach = fmax(fabs((double)(q->low - q->zero)), fabs((double)(q->high - q->zero))) * q->scale;
    const weir_dtype dtype = is_signed ? WEIR_INT8 : WEIR_UINT8;
    const weir_value scale = add_number(m, WEIR_FLOAT32, q->scale), x = t->of[a].value;
    if (t->qonnx) {
        const weir_value inputs[4] = {x, scale, add_number(m, WEIR_FLOAT32, (double)q->zero),
                                      add_number(m, WEIR_FLOAT32, 8)};
        q->codes = finish_quant(m, inputs, is_signed);
        return keep(m, q, q->codes);
    }
    const weir_value inputs[3] = {x, scale, add_number(m, dtype, (double)q->zero)};
    q->codes = finish(m, add_node(m, WEIR_OP_QUANTIZE_LINEAR, inputs, 3));
    const weir_value codes[3] = {q->codes, inputs[1], inputs[2]};
    return keep(m, q, finish(m, add_node(m, WEIR_OP_DEQUANTIZE_LINEAR, codes, 3)));
}

/* Codes that nothing is pending on. */
static int settled(const maker *m, int a, int percent) {
    return m->t->of[a].kind != TERM_QUANTIZE && random_chance(m->r, percent) ? quantize(m, a) : a;
}

static int new_leaf(const maker *m, const weir_shape *shape) {
    terms *t = m->t;
    char name[8];
    term *made = new_term(m, TERM_INPUT, -1);
    made->shape = *shape;
    made->reach = power(m, 0, 4);
    snprintf(name, sizeof name, "x%d", t->inputs);
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = *shape, .quant = {.axis = -1}};
    t->input[t->inputs++] = t->count;
    return quantize(m, keep(m, made, weir_graph_add_input(t->graph, name, &type)));
}

/* A leaf that is there, or one more: of the shape, where it is not NULL. */
static int leaf(const maker *m, const weir_shape *wanted) {
    terms *t = m->t;
    weir_shape shape = {3, {1, random_range(m->r, 1, 4), random_range(m->r, 1, 4)}};
    if (t->inputs > 0 && (t->inputs == MOST_INPUTS || random_chance(m->r, 40))) {
        const int shared = t->input[random_range(m->r, 0, t->inputs - 1)] + 1; /* its quantizer */
        if (wanted == NULL || weir_shape_equal(&t->of[shared].shape, wanted)) return shared;
    }
    if (t->inputs == MOST_INPUTS) return t->input[0] + 1;
    return new_leaf(m, wanted != NULL ? wanted : &shape);
}

/* Codes that the model gives, as numbers. */
static int constant(const maker *m, const weir_shape *shape) {
    term *made = new_term(m, TERM_CONSTANT, -1);
    double code[MOST_ELEMENTS];
    made->shape = *shape;
    made->grid = power(m, -4, 2);
    made->reach = 127 * made->grid;
    for (int64_t i = 0; i < count_of(shape); i++) {
        code[i] = (double)random_range(m->r, -128, 127);
        made->constant[i] = code[i] * made->grid;
    }
    const weir_value scale = add_number(m, WEIR_FLOAT32, made->grid);
    if (m->t->qonnx) {
        const weir_value inputs[4] = {add_numbers(m, WEIR_FLOAT32, shape, made->constant), scale,
                                      add_number(m, WEIR_FLOAT32, 0), add_number(m, WEIR_FLOAT32, 8)};
        return keep(m, made, finish_quant(m, inputs, true));
    }
    const weir_value inputs[3] = {add_numbers(m, WEIR_INT8, shape, code), scale, add_number(m, WEIR_INT8, 0)};
    return keep(m, made, finish(m, add_node(m, WEIR_OP_DEQUANTIZE_LINEAR, inputs, 3)));
}

static int step(const maker *m, int a) {
    static const weir_op with[] = {WEIR_OP_MUL, WEIR_OP_ADD, WEIR_OP_SUB, WEIR_OP_DIV, WEIR_OP_MAX, WEIR_OP_MIN},
                         without[] = {WEIR_OP_RELU, WEIR_OP_RELU, WEIR_OP_NEG, WEIR_OP_ABS};
    term *s = new_term(m, TERM_STEP, a);
    const weir_value x = m->t->of[a].value;
    if (random_chance(m->r, 40)) {
        s->op = without[random_range(m->r, 0, 3)];
        if (s->op != WEIR_OP_RELU) s->grid = 0;
        return keep(m, s, finish(m, add_node(m, s->op, &x, 1)));
    }
    s->op = with[random_range(m->r, 0, 5)];
    const bool one = random_chance(m->r, 50), all = !one && random_chance(m->r, 30),
               products = s->op == WEIR_OP_MUL || s->op == WEIR_OP_DIV;
    s->constants = one ? 1 : (size_t)(all ? count_of(&s->shape) : last_of(&s->shape));
    s->grid = 0;
    for (size_t i = 0; i < s->constants; i++)
        s->constant[i] =
            s->op == WEIR_OP_DIV && m->t->exact ? power(m, -2, 2) : some_number(m, products ? 3 : s->reach);
    s->constant_first = s->op == WEIR_OP_SUB && random_chance(m->r, 50);
    s->reach = products ? 3 * s->reach : s->reach + 3;
    const weir_shape shape = {one ? 0 : 1, {(int64_t)s->constants}};
    const weir_value c = add_numbers(m, WEIR_FLOAT32, all ? &s->shape : &shape, s->constant);
    const weir_value inputs[2] = {s->constant_first ? c : x, s->constant_first ? x : c};
    return keep(m, s, finish(m, add_node(m, s->op, inputs, 2)));
}

static int reshape(const maker *m, int a, const weir_shape *to) {
    term *s = new_term(m, TERM_RESHAPE, a);
    s->shape = *to;
    const weir_value inputs[2] = {m->t->of[a].value, add_ints(m, to->dim, to->rank)};
    return keep(m, s, finish(m, add_node(m, WEIR_OP_RESHAPE, inputs, 2)));
}

static int transpose(const maker *m, int a) {
    term *s = new_term(m, TERM_TRANSPOSE, a);
    const int rank = s->shape.rank;
    int64_t order[WEIR_MAX_RANK] = {0, 1, 2};
    if (rank == 3) {
        order[1] = 2;
        order[2] = 1;
        s->shape.dim[1] = m->t->of[a].shape.dim[2];
        s->shape.dim[2] = m->t->of[a].shape.dim[1];
    }
    const weir_node node = add_node(m, WEIR_OP_TRANSPOSE, &m->t->of[a].value, 1);
    weir_node_set_ints(m->t->graph, node, "perm", order, (size_t)rank);
    return keep(m, s, finish(m, node));
}

static int slice(const maker *m, int a) {
    term *s = new_term(m, TERM_SLICE, a);
    s->axis = (int)random_range(m->r, 1, s->shape.rank - 1);
    const int64_t size = s->shape.dim[s->axis];
    s->step = random_chance(m->r, 30) ? -1 : random_range(m->r, 1, 2);
    s->start = s->step < 0 ? size - 1 : random_range(m->r, 0, size - 1);
    const int64_t end = s->step < 0 ? -size - 1 : size, axis = s->axis;
    s->shape.dim[s->axis] = s->step < 0 ? size : (size - s->start + s->step - 1) / s->step;
    const weir_value inputs[5] = {m->t->of[a].value, add_ints(m, &s->start, 1), add_ints(m, &end, 1),
                                  add_ints(m, &axis, 1), add_ints(m, &s->step, 1)};
    return keep(m, s, finish(m, add_node(m, WEIR_OP_SLICE, inputs, 5)));
}

static int move(const maker *m, int a) {
    const int64_t count = count_of(&m->t->of[a].shape);
    weir_shape to = {3, {1, random_range(m->r, 1, 4), 1}};
    if (count % to.dim[1] != 0) to.dim[1] = 1;
    to.dim[2] = count / to.dim[1];
    if (random_chance(m->r, 20)) to = (weir_shape){2, {1, count}};
    switch (random_range(m->r, 0, 2)) {
    case 0: return reshape(m, a, &to);
    case 1: return transpose(m, a);
    }
    return slice(m, a);
}

static int reduce(const maker *m, int a) {
    static const weir_op ops[] = {WEIR_OP_REDUCE_SUM, WEIR_OP_REDUCE_MEAN, WEIR_OP_REDUCE_MAX, WEIR_OP_REDUCE_MIN};
    term *s = new_term(m, TERM_REDUCE, a);
    s->axis = (int)random_range(m->r, 1, s->shape.rank - 1);
    s->op = ops[random_range(m->r, 0, 3)];
    const int64_t size = s->shape.dim[s->axis], axis = s->axis;
    if (s->op == WEIR_OP_REDUCE_MEAN && (size & (size - 1)) != 0) s->op = WEIR_OP_REDUCE_SUM;
    if (s->op == WEIR_OP_REDUCE_SUM) s->reach *= (double)size;
    s->shape.dim[s->axis] = 1;
    const weir_value inputs[2] = {m->t->of[a].value, add_ints(m, &axis, 1)};
    const weir_node node = add_node(m, s->op, inputs, 2);
    weir_node_set_int(m->t->graph, node, "keepdims", 1);
    return keep(m, s, finish(m, node));
}

static int pool(const maker *m, int a) {
    term *s = new_term(m, TERM_POOL, a);
    const int64_t kernel = 2;
    s->shape.dim[2]--;
    const weir_node node = add_node(m, WEIR_OP_MAX_POOL, &m->t->of[a].value, 1);
    weir_node_set_ints(m->t->graph, node, "kernel_shape", &kernel, 1);
    return keep(m, s, finish(m, node));
}

/* Products of codes, which are made numbers by their scales: of weights [k, n] with a scale for each of the `n`, or
 * one. */
static weir_value multiply_codes(const maker *m, const term *x, weir_value weights, const double *scale, int64_t n,
                                 bool one) {
    const weir_dtype dtype = x->low < 0 ? WEIR_INT8 : WEIR_UINT8;
    const weir_value inputs[3] = {x->codes, weights, add_number(m, dtype, (double)x->zero)};
    const weir_value sums = finish(m, add_node(m, WEIR_OP_MATMUL_INTEGER, inputs, 3));
    const weir_node node = add_node(m, WEIR_OP_CAST, &sums, 1);
    weir_node_set_string(m->t->graph, node, "to", "float32");
    double both[4];
    for (int64_t c = 0; c < n; c++) both[c] = scale[c] * x->scale;
    const weir_shape shape = {one ? 0 : 1, {n}};
    const weir_value factors[2] = {finish(m, node), add_numbers(m, WEIR_FLOAT32, &shape, both)};
    return finish(m, add_node(m, WEIR_OP_MUL, factors, 2));
}

/* Weights of codes up to 7 of one scale, or of one a column, of which there are `outputs`; 0: any number. */
static int dense(const maker *m, int a, int64_t outputs) {
    term *s = new_term(m, TERM_DENSE, a);
    const int64_t k = last_of(&s->shape), rows = count_of(&s->shape) / k, wanted = random_range(m->r, 1, 4),
                  most = MOST_ELEMENTS / (k > rows ? k : rows),
                  n = outputs > 0     ? outputs
                      : wanted < most ? wanted
                                      : most;
    const bool one = random_chance(m->r, 50);
    double scale[4], code[MOST_ELEMENTS], zero[4] = {0};
    for (int64_t c = 0; c < n; c++) scale[c] = c > 0 && one ? scale[0] : power(m, -4, -2);
    for (int64_t i = 0; i < k * n; i++) {
        code[i] = (double)random_range(m->r, -7, 7);
        s->constant[i] = code[i] * scale[i % n];
    }
    s->constants = (size_t)(k * n);
    s->shape.dim[s->shape.rank - 1] = n;
    s->reach *= (double)k;
    const weir_shape scales = {one ? 0 : 1, {n}};
    weir_value w[4] = {WEIR_NO_VALUE}, real;
    if (m->t->qonnx) {
        const weir_shape columns = {2, {1, n}}, number = {.rank = 0};
        w[0] = add_numbers(m, WEIR_FLOAT32, &(weir_shape){2, {k, n}}, s->constant);
        w[1] = add_numbers(m, WEIR_FLOAT32, one ? &number : &columns, scale);
        w[2] = add_number(m, WEIR_FLOAT32, 0);
        w[3] = add_number(m, WEIR_FLOAT32, 4);
        real = finish_quant(m, w, true);
    } else {
        w[0] = add_numbers(m, WEIR_INT8, &(weir_shape){2, {k, n}}, code);
        if (m->t->of[a].kind == TERM_QUANTIZE && random_chance(m->r, 40))
            return keep(m, s, multiply_codes(m, &m->t->of[a], w[0], scale, n, one));
        w[1] = add_numbers(m, WEIR_FLOAT32, &scales, scale);
        w[2] = add_numbers(m, WEIR_INT8, &scales, zero);
        const weir_node node = add_node(m, WEIR_OP_DEQUANTIZE_LINEAR, w, 3);
        weir_node_set_int(m->t->graph, node, "axis", 1);
        real = finish(m, node);
    }
    const weir_value inputs[2] = {m->t->of[a].value, real};
    return keep(m, s, finish(m, add_node(m, WEIR_OP_MATMUL, inputs, 2)));
}

static int grow(const maker *m, int depth);

/* b in a shape that broadcasts to that of a: its own, another one of as many elements, or another leaf. */
static int fitting(const maker *m, int a, int b) {
    const weir_shape to = m->t->of[a].shape, from = m->t->of[b].shape;
    if (weir_shape_equal(&to, &from)) return b;
    if (count_of(&to) == count_of(&from)) return reshape(m, b, &to);
    weir_shape row = to;
    if (random_chance(m->r, 40)) row.dim[to.rank == 3 ? random_range(m->r, 1, 2) : 1] = 1;
    const int other = leaf(m, &row);
    const weir_shape given = m->t->of[other].shape;
    bool broadcasts = given.rank == to.rank;
    for (int i = 0; broadcasts && i < to.rank; i++) broadcasts = given.dim[i] == to.dim[i] || given.dim[i] == 1;
    return broadcasts ? other : a;
}

static int concat(const maker *m, int a, int b) {
    term *s = new_term(m, TERM_CONCAT, a);
    const weir_shape *x = &s->shape, *y = &m->t->of[b].shape;
    s->axis = (int)random_range(m->r, 1, x->rank - 1);
    for (int i = 0; i < x->rank; i++)
        if (i != s->axis && x->dim[i] != y->dim[i]) b = a;
    if (2 * count_of(x) > MOST_ELEMENTS) return a;
    s->b = b;
    s->shape.dim[s->axis] += m->t->of[b].shape.dim[s->axis];
    s->reach = fmax(s->reach, m->t->of[b].reach);
    s->grid = 0;
    const weir_value inputs[2] = {m->t->of[a].value, m->t->of[b].value};
    const weir_node node = add_node(m, WEIR_OP_CONCAT, inputs, 2);
    weir_node_set_int(m->t->graph, node, "axis", s->axis);
    return keep(m, s, finish(m, node));
}

static int pair(const maker *m, int a, int depth) {
    static const weir_op ops[] = {WEIR_OP_ADD, WEIR_OP_ADD, WEIR_OP_SUB, WEIR_OP_MUL, WEIR_OP_MAX, WEIR_OP_MIN};
    a = settled(m, a, 80);
    int b = random_chance(m->r, 60) ? grow(m, depth) : leaf(m, &m->t->of[a].shape);
    b = settled(m, fitting(m, a, settled(m, b, 80)), 80);
    if (random_chance(m->r, 15)) b = constant(m, &m->t->of[a].shape);
    if (random_chance(m->r, 20)) return concat(m, a, b);
    term *s = new_term(m, TERM_PAIR, a);
    s->b = b;
    s->grid = 0;
    s->op = ops[random_range(m->r, 0, 5)];
    s->reach = s->op == WEIR_OP_MUL ? s->reach * m->t->of[b].reach : s->reach + m->t->of[b].reach;
    const weir_value inputs[2] = {m->t->of[a].value, m->t->of[b].value};
    return keep(m, s, finish(m, add_node(m, s->op, inputs, 2)));
}

/* Two products of the same codes, added or joined without quantizers. */
static int products(const maker *m, int a) {
    a = settled(m, a, 100);
    const int x = dense(m, a, 0), y = dense(m, a, last_of(&m->t->of[x].shape));
    if (random_chance(m->r, 60)) return concat(m, x, y);
    term *s = new_term(m, TERM_PAIR, x);
    s->b = y;
    s->grid = 0;
    s->op = random_chance(m->r, 50) ? WEIR_OP_ADD : WEIR_OP_SUB;
    s->reach += m->t->of[y].reach;
    const weir_value inputs[2] = {m->t->of[x].value, m->t->of[y].value};
    return keep(m, s, finish(m, add_node(m, s->op, inputs, 2)));
}

/* Room for what one of these adds, with its quantizers. */
static bool is_full(const terms *t) { return t->count + 14 > MOST_TERMS; }

static int grow(const maker *m, int depth) {
    if (depth == 0 || is_full(m->t)) return leaf(m, NULL);
    int a = grow(m, depth - 1);
    if (is_full(m->t)) return a;
    const int64_t kind = random_range(m->r, 0, 99);
    if (kind < 40 || (!m->t->exact && kind < 70)) a = step(m, a);
    else if (kind < 60 || !m->t->exact) a = move(m, a);
    else if (kind < 80) a = pair(m, a, (int)random_range(m->r, 0, depth - 1));
    else if (kind < 90) a = reduce(m, settled(m, a, 70));
    else if (kind < 93 && m->t->of[a].shape.rank == 3 && m->t->of[a].shape.dim[2] > 1) a = pool(m, a);
    else if (kind < 97) a = dense(m, settled(m, a, 90), 0);
    else a = products(m, a);
    return settled(m, a, 30);
}

void terms_make(terms *t, random_source *r) {
    *t = (terms){.graph = weir_graph_new("model"), .exact = random_chance(r, 75)};
    t->qonnx = t->exact && random_chance(r, 30);
    const maker m = {t, r};
    int root = grow(&m, (int)random_range(r, 1, 6));
    if (t->of[root].kind != TERM_QUANTIZE) root = quantize(&m, root);
    t->output[t->outputs++] = root;
    for (int i = 0; i < t->count && t->outputs < MOST_OUTPUTS; i++) /* not the inputs' own */
        if (t->of[i].kind == TERM_QUANTIZE && t->of[t->of[i].a].kind != TERM_INPUT && i != root)
            t->output[t->outputs++] = i;
    for (int i = 0; i < t->outputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "y%d", i);
        weir_graph_add_output(t->graph, name, t->of[t->output[i]].codes);
    }
    if (!weir_graph_verify(t->graph)) abort();
}

/* --- the definition --- */

typedef struct definer {
    const terms *t;
    double (*element)[MOST_ELEMENTS];
    bool rounds; /* float32 has rounded something */
} definer;

/* A result of float32 arithmetic, of which `exact` is the real number. */
static double rounded(definer *d, double exact) {
    const float result = (float)exact;
    d->rounds |= (double)result != exact;
    return (double)result;
}

static double apply(definer *d, weir_op op, double x, double y) {
    switch (op) {
    case WEIR_OP_MUL: return rounded(d, x * y); /* of two float32 exact in float64 */
    case WEIR_OP_DIV: return (double)((float)x / (float)y);
    case WEIR_OP_ADD: return d->t->exact ? rounded(d, x + y) : (double)((float)x + (float)y);
    case WEIR_OP_SUB: return d->t->exact ? rounded(d, x - y) : (double)((float)x - (float)y);
    case WEIR_OP_MAX: return x > y ? x : y;
    case WEIR_OP_MIN: return x < y ? x : y;
    case WEIR_OP_NEG: return -x;
    case WEIR_OP_RELU: return x > 0 ? x : 0;
    case WEIR_OP_ABS: return fabs(x);
    default: abort();
    }
}

/* round(x / s) + z of ONNX, round(x / s + z) of QONNX, halves to even. */
static double code_of(const terms *t, const term *q, double x) {
    const float quotient = (float)x / (float)q->scale, zero = (float)q->zero;
    const double code = t->qonnx ? (double)nearbyintf(quotient + zero) : (double)nearbyintf(quotient) + (double)zero;
    return fmin(fmax(code, (double)q->low), (double)q->high);
}

/* The element of a term that broadcasts to the shape, at element i of that. */
static double broadcast(const definer *d, int of, const weir_shape *to, int64_t i) {
    const weir_shape *own = &d->t->of[of].shape;
    int64_t at = 0, stride = 1;
    for (int k = to->rank - 1, o = own->rank - 1; o >= 0; k--, o--) {
        const int64_t index = i % to->dim[k];
        i /= to->dim[k];
        if (own->dim[o] > 1) at += index * stride;
        stride *= own->dim[o];
    }
    return d->element[of][at];
}

/* Elements before, along and behind an axis: element [outer, index, inner]. */
static int64_t place(const weir_shape *shape, int axis, int64_t outer, int64_t index, int64_t inner) {
    int64_t behind = 1;
    for (int i = axis + 1; i < shape->rank; i++) behind *= shape->dim[i];
    return (outer * shape->dim[axis] + index) * behind + inner;
}

/* Where element i of a shape is along the axis, and before and behind it. */
static int64_t split(const weir_shape *shape, int axis, int64_t i, int64_t *outer, int64_t *inner) {
    int64_t behind = 1;
    for (int k = axis + 1; k < shape->rank; k++) behind *= shape->dim[k];
    *inner = i % behind;
    *outer = i / behind / shape->dim[axis];
    return i / behind % shape->dim[axis];
}

static double joined(const definer *d, const term *s, int64_t i) {
    const weir_shape *first = &d->t->of[s->a].shape, *second = &d->t->of[s->b].shape;
    int64_t outer, inner, at = split(&s->shape, s->axis, i, &outer, &inner) - first->dim[s->axis];
    return at < 0 ? d->element[s->a][place(first, s->axis, outer, at + first->dim[s->axis], inner)]
                  : d->element[s->b][place(second, s->axis, outer, at, inner)];
}

static void define_along(definer *d, const term *s, double *y) {
    const weir_shape *from = &d->t->of[s->a].shape;
    const double *x = d->element[s->a];
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < from->rank; i++) *(i < s->axis ? &outer : &inner) *= i == s->axis ? 1 : from->dim[i];
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t in = 0; in < inner; in++) {
            if (s->kind == TERM_SLICE) {
                for (int64_t k = 0; k < s->shape.dim[s->axis]; k++)
                    y[place(&s->shape, s->axis, o, k, in)] = x[place(from, s->axis, o, s->start + k * s->step, in)];
                continue;
            }
            const int64_t size = from->dim[s->axis];
            double all = x[place(from, s->axis, o, 0, in)];
            for (int64_t k = 1; k < size; k++) {
                const double next = x[place(from, s->axis, o, k, in)];
                if (s->op == WEIR_OP_REDUCE_MAX) all = fmax(all, next);
                else if (s->op == WEIR_OP_REDUCE_MIN) all = fmin(all, next);
                else all += next;
            }
            if (s->op == WEIR_OP_REDUCE_MEAN) all /= (double)size;
            y[place(&s->shape, s->axis, o, 0, in)] = rounded(d, all);
        }
    }
}

static void define(definer *d, const term *s, double *y) {
    const terms *t = d->t;
    const int64_t count = count_of(&s->shape), last = s->shape.rank == 0 ? 1 : last_of(&s->shape);
    const double *x = s->a < 0 ? NULL : d->element[s->a];
    switch (s->kind) {
    case TERM_INPUT: break;
    case TERM_CONSTANT: memcpy(y, s->constant, (size_t)count * sizeof *y); break;
    case TERM_QUANTIZE:
        for (int64_t i = 0; i < count; i++) y[i] = rounded(d, (code_of(t, s, x[i]) - (double)s->zero) * s->scale);
        break;
    case TERM_STEP:
        for (int64_t i = 0; i < count; i++) {
            const double c = s->constants == 0 ? 0 : s->constant[i % (int64_t)s->constants];
            y[i] = apply(d, s->op, s->constant_first ? c : x[i], s->constant_first ? x[i] : c);
        }
        break;
    case TERM_PAIR:
        for (int64_t i = 0; i < count; i++) y[i] = apply(d, s->op, x[i], broadcast(d, s->b, &s->shape, i));
        break;
    case TERM_CONCAT:
        for (int64_t i = 0; i < count; i++) y[i] = joined(d, s, i);
        break;
    case TERM_RESHAPE: memcpy(y, x, (size_t)count * sizeof *y); break;
    case TERM_TRANSPOSE:
        for (int64_t i = 0; i < count; i++) y[i] = s->shape.rank == 3 ? x[i % last * s->shape.dim[1] + i / last] : x[i];
        break;
    case TERM_SLICE:
    case TERM_REDUCE: define_along(d, s, y); break;
    case TERM_POOL:
        for (int64_t i = 0; i < count; i++)
            y[i] = fmax(x[i / last * (last + 1) + i % last], x[i / last * (last + 1) + i % last + 1]);
        break;
    case TERM_DENSE: {
        const int64_t k = (int64_t)s->constants / last;
        for (int64_t i = 0; i < count; i++) {
            double sum = 0;
            for (int64_t j = 0; j < k; j++) sum += x[i / last * k + j] * s->constant[j * last + i % last];
            y[i] = rounded(d, sum);
        }
        break;
    }
    }
}

bool terms_define(const terms *t, random_source *r, weir_array *const *input, double (*element)[MOST_ELEMENTS]) {
    definer d = {.t = t, .element = element};
    for (int i = 0; i < t->inputs; i++) {
        const term *q = &t->of[t->input[i] + 1];
        for (size_t k = 0; k < input[i]->count; k++) { /* codes, numbers next to them and beyond */
            const double halves = (double)random_range(r, 2 * q->low - 6, 2 * q->high + 6) / 2;
            element[t->input[i]][k] = (double)(float)((halves - (double)q->zero) * q->scale);
            weir_array_set(input[i], k, element[t->input[i]][k]);
        }
    }
    for (int i = 0; i < t->count; i++) define(&d, &t->of[i], element[i]);
    return !t->exact || !d.rounds;
}

double terms_output(const terms *t, int i, double element) {
    const term *q = &t->of[t->output[i]];
    return t->qonnx ? element : nearbyint(element / q->scale) + (double)q->zero;
}
