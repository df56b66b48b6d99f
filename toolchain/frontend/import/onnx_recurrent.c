#include "frontend/import/onnx_recurrent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "frontend/import/onnx_part.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

#define PART WEIR_ONNX_PART

enum { MOST_GATES = 4, NAME = 64 };

/* Inputs of the file's node; P of an LSTM alone. */
enum { X, W, R, B, LENGTHS, INITIAL_H, INITIAL_C, PEEPHOLES, INPUTS };

/* What the layers differ in: their gates, in the order of their weights, and functions. */
typedef struct cell {
    const char *gate[MOST_GATES];
    int gates, states, functions;
    const char *function[3]; /* without the attribute */
} cell;

static const cell lstm = {{"input", "output", "forget", "cell"}, 4, 2, 3, {"Sigmoid", "Tanh", "Tanh"}};
static const cell gru = {{"update", "reset", "hidden"}, 3, 1, 2, {"Sigmoid", "Tanh"}};
static const cell rnn = {{"hidden"}, 1, 1, 1, {"Tanh"}};

typedef struct function {
    const char *name;
    double alpha, beta;
} function;

/* A layer that is written out, and the direction of it that is. */
typedef struct layer {
    weir_onnx_form *form;
    const cell *cell;
    weir_value in[INPUTS];
    weir_dtype dtype;
    int64_t steps, batch, width, hidden, directions;
    bool by_batch; /* the file's tensors have the batch first */
    function function[6];
    weir_value inside; /* per step: is it before the sequence's end; none: all are */
    int64_t direction;
    weir_value x; /* [steps, batch, width] */
    char name[8][NAME];
    unsigned names;
} layer;

/* "input_sum": of a gate or a state of the direction. */
static const char *name_of(layer *l, const char *of, const char *what) {
    char *text = l->name[l->names++ % 8];
    const bool reverse = l->direction == 1 || weir_onnx_part_word_is(l->form, "direction", "reverse");
    snprintf(text, NAME, "%s%s%s%s", reverse ? "back_" : "", of, *of == '\0' || *what == '\0' ? "" : "_", what);
    return text;
}

static weir_value number(layer *l, const char *part, double value) {
    return weir_onnx_part_number(l->form, name_of(l, part, ""), l->dtype, value);
}

/* --- functions --- */

/* The operator, the parameters that it takes and what they are without the attributes; NAN: ONNX does not say. */
typedef struct known_function {
    const char *name;
    weir_op op; /* NONE: a product and a sum */
    const char *alpha_name, *beta_name;
    bool takes_alpha, takes_beta;
    double alpha, beta;
} known_function;

static const known_function known_functions[] = {
    {"Sigmoid", WEIR_OP_SIGMOID, NULL, NULL, false, false, 0, 0},
    {"Tanh", WEIR_OP_TANH, NULL, NULL, false, false, 0, 0},
    {"Relu", WEIR_OP_RELU, NULL, NULL, false, false, 0, 0},
    {"Affine", WEIR_OP_NONE, NULL, NULL, true, true, NAN, NAN},
    {"LeakyRelu", WEIR_OP_LEAKY_RELU, "alpha", NULL, true, false, 0.01, 0},
    {"ThresholdedRelu", WEIR_OP_THRESHOLDED_RELU, "alpha", NULL, true, false, 1, 0},
    {"ScaledTanh", WEIR_OP_NONE, NULL, NULL, true, true, NAN, NAN},
    {"HardSigmoid", WEIR_OP_HARD_SIGMOID, "alpha", "beta", true, true, 0.2, 0.5},
    {"Elu", WEIR_OP_ELU, "alpha", NULL, true, false, 1, 0},
    {"Softsign", WEIR_OP_SOFTSIGN, NULL, NULL, false, false, 0, 0},
    {"Softplus", WEIR_OP_SOFTPLUS, NULL, NULL, false, false, 0, 0},
};

static const known_function *known_of(const char *name) {
    for (size_t i = 0; i < sizeof known_functions / sizeof *known_functions; i++)
        if (strcasecmp(known_functions[i].name, name) == 0) return &known_functions[i];
    return NULL;
}

/* The next parameter of the attribute, which those functions share that take one, in their order. */
static double next_of(const weir_onnx_form *form, const char *attribute, bool takes, size_t *used, double otherwise) {
    const Onnx__AttributeProto *a = weir_onnx_part_attribute(form, attribute);
    return takes && a != NULL && *used < a->n_floats ? (double)a->floats[(*used)++] : otherwise;
}

static bool read_functions(layer *l) {
    const Onnx__AttributeProto *names = weir_onnx_part_attribute(l->form, "activations");
    const size_t count = (size_t)l->cell->functions * (size_t)l->directions;
    size_t alphas = 0, betas = 0;
    if (names != NULL && names->n_strings != count)
        return weir_onnx_part_fail(l->form, "%zu activations, expected %zu", names->n_strings, count);
    for (size_t i = 0; i < count; i++) {
        char name[NAME];
        const char *standard = l->cell->function[i % (size_t)l->cell->functions];
        if (names == NULL) snprintf(name, sizeof name, "%s", standard);
        else snprintf(name, sizeof name, "%.*s", (int)names->strings[i].len, (const char *)names->strings[i].data);
        const known_function *known = known_of(name);
        if (known == NULL) return weir_onnx_part_fail(l->form, "activation '%s' is not one of ONNX's", name);
        l->function[i] =
            (function){known->name, next_of(l->form, "activation_alpha", known->takes_alpha, &alphas, known->alpha),
                       next_of(l->form, "activation_beta", known->takes_beta, &betas, known->beta)};
        if (isnan(l->function[i].alpha) || isnan(l->function[i].beta))
            return weir_onnx_part_fail(l->form, "activation '%s' needs activation_alpha and activation_beta", name);
    }
    return true;
}

/* Function `index` of the direction, of the value. */
static weir_value apply(layer *l, const char *part, int index, weir_value value) {
    weir_onnx_form *form = l->form;
    const function *f = &l->function[l->direction * l->cell->functions + index];
    const known_function *known = known_of(f->name);
    if (strcmp(f->name, "Affine") == 0)
        return PART(ADD, name_of(l, part, "moved"),
                    PART(MUL, name_of(l, part, "scaled"), value, number(l, "alpha", f->alpha)),
                    number(l, "beta", f->beta));
    if (strcmp(f->name, "ScaledTanh") == 0)
        return PART(MUL, name_of(l, part, "scaled"),
                    PART(TANH, name_of(l, part, "tanh"),
                         PART(MUL, name_of(l, part, "steep"), value, number(l, "beta", f->beta))),
                    number(l, "alpha", f->alpha));
    const weir_value made = weir_onnx_part_add(form, known->op, name_of(l, part, ""), &value, 1);
    if (made.id == 0) return made;
    const weir_node node = weir_value_producer(form->graph, made);
    if (known->alpha_name != NULL) weir_node_set_float(form->graph, node, known->alpha_name, f->alpha);
    if (known->beta_name != NULL) weir_node_set_float(form->graph, node, known->beta_name, f->beta);
    return weir_onnx_part_infer(form, made);
}

/* --- parameters of a gate --- */

/* Rows from `first` on, `rows` of them, of the direction's part of [directions, all rows, columns]; a vector where
 * there are no columns. */
static weir_value part_of(layer *l, const char *name, weir_value all, int64_t first, int64_t rows, int64_t columns) {
    const weir_array *data = weir_value_constant(l->form->graph, all);
    const int64_t width = columns == 0 ? 1 : columns;
    const weir_shape shape = {columns == 0 ? 1 : 2, {rows, columns}};
    if (data != NULL) {
        weir_array *part = weir_array_new(data->dtype, &shape);
        const size_t size = weir_dtype_size(data->dtype),
                     from = (size_t)((l->direction * weir_onnx_part_shape(l->form, all)->dim[1] + first) * width);
        memcpy(part->data, (const char *)data->data + from * size, part->count * size);
        return weir_onnx_form_constant(l->form, name_of(l, name, ""), part);
    }
    const weir_value own =
        weir_onnx_part_slice(l->form, name_of(l, name, "direction"), all, 0, l->direction, l->direction + 1);
    if (own.id == 0) return own;
    return weir_onnx_part_reshape(l->form, name_of(l, name, "rows"),
                                  weir_onnx_part_slice(l->form, name_of(l, name, "gate"), own, 1, first, first + rows),
                                  &shape);
}

/* The gate's weights as a product takes them: [columns, hidden]. */
static weir_value weights(layer *l, const char *part, weir_value all, int gate) {
    const char *of = l->cell->gate[gate];
    const weir_value rows =
        part_of(l, name_of(l, of, part), all, gate * l->hidden, l->hidden, weir_onnx_part_shape(l->form, all)->dim[2]);
    const weir_array *data = rows.id == 0 ? NULL : weir_value_constant(l->form->graph, rows);
    if (data == NULL) return rows.id == 0 ? rows : weir_onnx_part_swap(l->form, name_of(l, of, "turned"), rows, 0, 1);
    const int64_t columns = data->shape.dim[1];
    weir_array *turned = weir_array_new(data->dtype, &(weir_shape){2, {columns, l->hidden}});
    for (int64_t r = 0; r < l->hidden; r++)
        for (int64_t c = 0; c < columns; c++)
            weir_array_set(turned, (size_t)(c * l->hidden + r), weir_array_get(data, (size_t)(r * columns + c)));
    const weir_value made = weir_onnx_form_constant(l->form, name_of(l, of, part), turned);
    weir_graph_remove_value(l->form->graph, rows);
    return made;
}

/* The bias of the gate's product with the input, of that with the state, or their sum. */
static weir_value bias(layer *l, int gate, bool input, bool state) {
    weir_onnx_form *form = l->form;
    const char *of = l->cell->gate[gate];
    const weir_value w =
        input ? part_of(l, name_of(l, of, "bias"), l->in[B], gate * l->hidden, l->hidden, 0) : WEIR_NO_VALUE;
    const weir_value r =
        state ? part_of(l, name_of(l, of, "state_bias"), l->in[B], (l->cell->gates + gate) * l->hidden, l->hidden, 0)
              : WEIR_NO_VALUE;
    if (!input || !state) return input ? w : r;
    const weir_array *a = weir_value_constant(form->graph, w), *b = weir_value_constant(form->graph, r);
    if (a == NULL || b == NULL) return PART(ADD, name_of(l, of, "biases"), w, r);
    weir_array *sum = weir_array_new(a->dtype, &a->shape);
    for (size_t i = 0; i < sum->count; i++) weir_array_set(sum, i, weir_array_get(a, i) + weir_array_get(b, i));
    const weir_value made = weir_onnx_form_constant(form, name_of(l, of, "biases"), sum);
    weir_graph_remove_value(form->graph, w);
    weir_graph_remove_value(form->graph, r);
    return made;
}

/* What the input gives to a gate in all steps, with its bias and, where it may be added there, the state's. */
static weir_value of_input(layer *l, int gate, bool with_state_bias) {
    weir_onnx_form *form = l->form;
    const char *of = l->cell->gate[gate];
    const weir_value product = PART(MATMUL, name_of(l, of, "input"), l->x, weights(l, "weights", l->in[W], gate));
    if (l->in[B].id == 0) return product;
    return PART(ADD, name_of(l, of, "biased"), product, bias(l, gate, true, with_state_bias));
}

static weir_value of_state(layer *l, int gate, weir_value h) {
    weir_onnx_form *form = l->form;
    return PART(MATMUL, name_of(l, l->cell->gate[gate], "state"), h, weights(l, "state_weights", l->in[R], gate));
}

static weir_value clipped(layer *l, int gate, weir_value value) {
    weir_onnx_form *form = l->form;
    const double bound = weir_onnx_part_float(form, "clip", 0);
    if (bound <= 0) return value;
    return PART(CLIP, name_of(l, l->cell->gate[gate], "clipped"), value, number(l, "least", -bound),
                number(l, "most", bound));
}

static weir_value sum_of(layer *l, int gate, weir_value h) {
    weir_onnx_form *form = l->form;
    return PART(ADD, name_of(l, l->cell->gate[gate], "sum"), of_input(l, gate, true), of_state(l, gate, h));
}

/* --- states --- */

/* What it starts from: of [directions, batch, hidden], the direction's, or 0. */
static weir_value initial(layer *l, const char *name, weir_value given) {
    const weir_shape shape = {3, {1, l->batch, l->hidden}};
    if (given.id != 0)
        return weir_onnx_part_slice(l->form, name_of(l, name, "initial"), given, 0, l->direction, l->direction + 1);
    return weir_onnx_form_constant(l->form, name_of(l, name, "initial"), weir_array_new(l->dtype, &shape));
}

/* Of one step it is what it starts from. */
static weir_value state(layer *l, const char *name, weir_value given) {
    const weir_value start = initial(l, name, given);
    if (l->steps == 1) return start;
    const weir_value made = weir_onnx_part_add(l->form, WEIR_OP_STATE, name_of(l, name, "before"), &start, 1);
    return weir_onnx_part_infer(l->form, weir_onnx_part_with(l->form, made, "steps", l->steps));
}

/* What it is in the next step: behind the end of a sequence, as it was. */
static weir_value update(layer *l, const char *name, weir_value next, weir_value before) {
    weir_onnx_form *form = l->form;
    if (l->inside.id != 0) next = PART(WHERE, name_of(l, name, "or_before"), l->inside, next, before);
    return l->steps == 1 ? next : PART(UPDATE, name_of(l, name, ""), next, before);
}

/* --- cells: the result of each step, and what the states are after it --- */

typedef struct results {
    weir_value y, h, c;
} results;

static weir_value with_peephole(layer *l, int gate, int index, weir_value sum, weir_value c) {
    weir_onnx_form *form = l->form;
    const char *of = l->cell->gate[gate];
    if (l->in[PEEPHOLES].id == 0) return sum;
    const weir_value weight = part_of(l, name_of(l, of, "peephole"), l->in[PEEPHOLES], index * l->hidden, l->hidden, 0);
    return PART(ADD, name_of(l, of, "with_peephole"), sum, PART(MUL, name_of(l, of, "peep"), c, weight));
}

static results lstm_cell(layer *l) {
    weir_onnx_form *form = l->form;
    const weir_value h = state(l, "h", l->in[INITIAL_H]), c = state(l, "c", l->in[INITIAL_C]);
    const bool coupled = weir_onnx_part_int(form, "input_forget", 0) != 0;
    const weir_value i = apply(l, "input_gate", 0, clipped(l, 0, with_peephole(l, 0, 0, sum_of(l, 0, h), c)));
    const weir_value f = coupled
                             ? PART(SUB, name_of(l, "forget_gate", ""), number(l, "one", 1), i)
                             : apply(l, "forget_gate", 0, clipped(l, 2, with_peephole(l, 2, 2, sum_of(l, 2, h), c)));
    const weir_value g = apply(l, "cell_gate", 1, clipped(l, 3, sum_of(l, 3, h)));
    const weir_value next = PART(ADD, name_of(l, "c", "next"), PART(MUL, name_of(l, "c", "kept"), f, c),
                                 PART(MUL, name_of(l, "c", "new"), i, g));
    const weir_value kept = update(l, "c", next, c), now = l->inside.id == 0 ? kept : next;
    const weir_value o = apply(l, "output_gate", 0, clipped(l, 1, with_peephole(l, 1, 1, sum_of(l, 1, h), now)));
    const weir_value y = PART(MUL, name_of(l, "h", "next"), o, apply(l, "cell_out", 2, now));
    const weir_value last = update(l, "h", y, h);
    return (results){l->inside.id == 0 ? last : y, last, kept};
}

static results gru_cell(layer *l) {
    weir_onnx_form *form = l->form;
    const weir_value h = state(l, "h", l->in[INITIAL_H]);
    const bool late = weir_onnx_part_int(form, "linear_before_reset", 0) != 0;
    const weir_value z = apply(l, "update_gate", 0, clipped(l, 0, sum_of(l, 0, h)));
    const weir_value r = apply(l, "reset_gate", 0, clipped(l, 1, sum_of(l, 1, h)));
    weir_value part;
    if (late) {
        part = of_state(l, 2, h);
        if (l->in[B].id != 0) part = PART(ADD, name_of(l, "hidden", "state_biased"), part, bias(l, 2, false, true));
        part = PART(MUL, name_of(l, "hidden", "reset"), r, part);
    } else {
        part = of_state(l, 2, PART(MUL, name_of(l, "h", "reset"), r, h));
    }
    const weir_value sum = PART(ADD, name_of(l, "hidden", "sum"), of_input(l, 2, !late), part);
    const weir_value n = apply(l, "hidden_gate", 1, clipped(l, 2, sum));
    const weir_value rest = PART(SUB, name_of(l, "update", "rest"), number(l, "one", 1), z);
    const weir_value y = PART(ADD, name_of(l, "h", "next"), PART(MUL, name_of(l, "h", "new"), rest, n),
                              PART(MUL, name_of(l, "h", "kept"), z, h));
    const weir_value last = update(l, "h", y, h);
    return (results){l->inside.id == 0 ? last : y, last, WEIR_NO_VALUE};
}

static results rnn_cell(layer *l) {
    const weir_value h = state(l, "h", l->in[INITIAL_H]);
    const weir_value y = apply(l, "h_next", 0, clipped(l, 0, sum_of(l, 0, h))), last = update(l, "h", y, h);
    return (results){l->inside.id == 0 ? last : y, last, WEIR_NO_VALUE};
}

/* --- the layer --- */

static bool check_shape(const layer *l, int index, const char *name, int rank, const int64_t *expected) {
    if (l->in[index].id == 0) return true;
    const weir_shape *shape = weir_onnx_part_shape(l->form, l->in[index]);
    const weir_shape wanted = weir_shape_of(rank, expected);
    char found[WEIR_SHAPE_TEXT], right[WEIR_SHAPE_TEXT];
    return weir_shape_equal(shape, &wanted) ||
           weir_onnx_part_fail(l->form, "%s (input %d) has shape %s, expected %s", name, index,
                               weir_shape_print(shape, found, sizeof found),
                               weir_shape_print(&wanted, right, sizeof right));
}

/* The sizes of all inputs; those of the file with the batch first are turned. */
static bool read_sizes(layer *l) {
    weir_onnx_form *form = l->form;
    const weir_shape *x = weir_onnx_part_shape(form, l->in[X]), *r = weir_onnx_part_shape(form, l->in[R]);
    l->by_batch = weir_onnx_part_int(form, "layout", 0) != 0;
    l->directions = weir_onnx_part_word_is(form, "direction", "bidirectional") ? 2 : 1;
    if (x->rank != 3 || r->rank != 3)
        return weir_onnx_part_fail(form, "expected tensors of 3 dimensions as inputs 0 to 2");
    l->dtype = weir_onnx_part_dtype(form, l->in[X]);
    if (!weir_dtype_is_float(l->dtype)) return weir_onnx_part_fail(form, "expected floating-point numbers");
    if (l->by_batch) {
        l->in[X] = weir_onnx_part_swap(form, "steps_first", l->in[X], 0, 1);
        if (l->in[INITIAL_H].id != 0) l->in[INITIAL_H] = weir_onnx_part_swap(form, "h_given", l->in[INITIAL_H], 0, 1);
        if (l->in[INITIAL_C].id != 0) l->in[INITIAL_C] = weir_onnx_part_swap(form, "c_given", l->in[INITIAL_C], 0, 1);
        x = weir_onnx_part_shape(form, l->in[X]);
    }
    l->steps = x->dim[0];
    l->batch = x->dim[1];
    l->width = x->dim[2];
    l->hidden = r->dim[2];
    const int64_t d = l->directions, h = l->hidden, rows = l->cell->gates * h;
    if (weir_onnx_part_int(form, "hidden_size", h) != h)
        return weir_onnx_part_fail(form, "attribute 'hidden_size' is not that of R (input 2), %lld", (long long)h);
    return check_shape(l, W, "W", 3, (const int64_t[]){d, rows, l->width}) &&
           check_shape(l, R, "R", 3, (const int64_t[]){d, rows, h}) &&
           check_shape(l, B, "B", 2, (const int64_t[]){d, 2 * rows}) &&
           check_shape(l, LENGTHS, "sequence_lens", 1, (const int64_t[]){l->batch}) &&
           check_shape(l, INITIAL_H, "initial_h", 3, (const int64_t[]){d, l->batch, h}) &&
           check_shape(l, INITIAL_C, "initial_c", 3, (const int64_t[]){d, l->batch, h}) &&
           check_shape(l, PEEPHOLES, "P", 2, (const int64_t[]){d, 3 * h});
}

/* Which steps are before their sequences' ends: [steps, batch, 1]. */
static bool read_lengths(layer *l) {
    weir_onnx_form *form = l->form;
    if (l->in[LENGTHS].id == 0) return true;
    const weir_array *known = weir_value_constant(form->graph, l->in[LENGTHS]);
    bool all = known != NULL;
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const int64_t length = weir_array_get_int(known, i);
        all &= length == l->steps;
        if (length < 0 || length > l->steps)
            return weir_onnx_part_fail(form, "a sequence of %lld steps, expected 0 to %lld", (long long)length,
                                       (long long)l->steps);
    }
    if (all) return true;
    weir_array *at = weir_array_new(weir_onnx_part_dtype(form, l->in[LENGTHS]), &(weir_shape){3, {l->steps, 1, 1}});
    for (int64_t t = 0; t < l->steps; t++) weir_array_set_int(at, (size_t)t, t);
    const weir_value lengths =
        weir_onnx_part_reshape(form, "lengths", l->in[LENGTHS], &(weir_shape){3, {1, l->batch, 1}});
    l->inside = PART(LESS, "inside", weir_onnx_form_constant(form, "step", at), lengths);
    return l->inside.id != 0;
}

/* The steps of each sequence from its end to its begin. */
static weir_value backwards(layer *l, const char *part, weir_value value) {
    weir_onnx_form *form = l->form;
    if (l->inside.id != 0) {
        const weir_array *given = weir_value_constant(form->graph, l->in[LENGTHS]);
        if (given == NULL) {
            weir_onnx_part_fail(form, "sequence_lens (input 4) must be constant where a direction is reverse");
            return WEIR_NO_VALUE;
        }
        weir_array *lengths = weir_array_convert(given, WEIR_INT64);
        const weir_value inputs[2] = {value, weir_onnx_form_constant(form, name_of(l, part, "lengths"), lengths)};
        const weir_value made = weir_onnx_part_add(form, WEIR_OP_REVERSE_SEQUENCE, name_of(l, part, ""), inputs, 2);
        return weir_onnx_part_infer(form, made);
    }
    int64_t *index = weir_calloc((size_t)l->steps, sizeof *index);
    for (int64_t t = 0; t < l->steps; t++) index[t] = l->steps - 1 - t;
    value = weir_onnx_part_pick(form, name_of(l, part, ""), value, 0, index, (size_t)l->steps);
    free(index);
    return value;
}

/* The results of a direction: y as [steps, 1, batch, hidden], the last h and c. */
static results direction(layer *l, results (*write)(layer *l), bool backward) {
    weir_onnx_form *form = l->form;
    const weir_shape wide = {4, {l->steps, 1, l->batch, l->hidden}};
    l->x = backward ? backwards(l, "x", l->in[X]) : l->in[X];
    results r = write(l);
    if (l->inside.id != 0) r.y = PART(WHERE, name_of(l, "h", "or_zero"), l->inside, r.y, number(l, "zero", 0));
    if (r.y.id == 0) return r;
    if (backward) r.y = backwards(l, "y", r.y);
    r.y = weir_onnx_part_reshape(form, name_of(l, "y", "wide"), r.y, &wide);
    r.h = weir_onnx_part_slice(form, name_of(l, "h", "last"), r.h, 0, l->steps - 1, l->steps);
    r.c = weir_onnx_part_slice(form, name_of(l, "c", "last"), r.c, 0, l->steps - 1, l->steps);
    return r;
}

/* Both directions' last states in the file's order. */
static weir_value last_of(layer *l, const char *part, weir_value a, weir_value b) {
    if (a.id != 0 && b.id != 0) a = weir_onnx_part_concat(l->form, part, a, b, 0);
    return l->by_batch && a.id != 0 ? weir_onnx_part_swap(l->form, "batch_first", a, 0, 1) : a;
}

static bool is_wanted(const weir_onnx_form *form, size_t output) {
    return output < form->proto->n_output && *form->proto->output[output] != '\0';
}

static bool write_layer(weir_onnx_form *form, const cell *kind, results (*write)(layer *l), weir_value *inputs,
                        size_t *count) {
    layer l = {.form = form, .cell = kind};
    for (size_t i = 0; i < *count && i < INPUTS; i++) l.in[i] = inputs[i];
    if (kind->states == 1 && *count > INITIAL_C)
        return weir_onnx_part_fail(form, "%zu inputs, expected at most 6", *count);
    if (!read_sizes(&l) || !read_functions(&l) || !read_lengths(&l)) return false;
    results r[2] = {{WEIR_NO_VALUE, WEIR_NO_VALUE, WEIR_NO_VALUE}, {WEIR_NO_VALUE, WEIR_NO_VALUE, WEIR_NO_VALUE}};
    for (l.direction = 0; l.direction < l.directions; l.direction++) {
        r[l.direction] = direction(&l, write, l.direction == 1 || weir_onnx_part_word_is(form, "direction", "reverse"));
        if (r[l.direction].y.id == 0) return false;
    }
    if (is_wanted(form, 1)) form->more[0] = last_of(&l, "h_last", r[0].h, r[1].h);
    if (is_wanted(form, 2)) form->more[1] = last_of(&l, "c_last", r[0].c, r[1].c);
    inputs[0] = r[0].y;
    inputs[1] = r[1].y;
    *count = (size_t)l.directions;
    form->op = l.directions == 2 ? WEIR_OP_CONCAT : WEIR_OP_IDENTITY;
    form->has_result = l.by_batch;
    form->shape = (weir_shape){4, {l.steps, l.directions, l.batch, l.hidden}};
    memcpy(form->perm, (const int64_t[]){2, 0, 1, 3}, 4 * sizeof *form->perm);
    return true;
}

bool weir_onnx_recurrent_lstm(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return write_layer(form, &lstm, lstm_cell, inputs, count);
}

bool weir_onnx_recurrent_gru(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return write_layer(form, &gru, gru_cell, inputs, count);
}

bool weir_onnx_recurrent_rnn(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return write_layer(form, &rnn, rnn_cell, inputs, count);
}

void weir_onnx_recurrent_attributes(const weir_onnx_form *form, weir_node node) {
    if (weir_node_input_count(form->graph, node) == 2) weir_node_set_int(form->graph, node, "axis", 1);
}
