#include "frontend/import/onnx_einsum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_part.h"
#include "support/memory/arena.h"

/* A letter a dimension; those of an ellipsis are '9', '8', ... up to the last one, '0'. */
typedef struct term {
    char letter[WEIR_MAX_RANK + 1];
    size_t count;
} term;

static bool has(const term *t, char c) { return memchr(t->letter, c, t->count) != NULL; }
static size_t place(const term *t, char c) {
    return (size_t)((const char *)memchr(t->letter, c, t->count) - t->letter);
}

static bool add(term *t, char c) {
    if (t->count == WEIR_MAX_RANK) return false;
    t->letter[t->count++] = c;
    return true;
}

/* The letters in both, or in `a` alone, in the order of `a`. */
static term common(const term *a, const term *b, bool both) {
    term result = {.count = 0};
    for (size_t i = 0; i < a->count; i++)
        if (has(b, a->letter[i]) == both) add(&result, a->letter[i]);
    return result;
}

static term joined(term a, const term *b) {
    for (size_t i = 0; i < b->count; i++)
        if (!has(&a, b->letter[i])) add(&a, b->letter[i]);
    return a;
}

/* --- the equation --- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* From *text on up to a ',', an arrow or the end; `hidden` dimensions are the ellipsis'. */
static bool parse_term(const char **text, const char *end, size_t hidden, term *to) {
    bool fine = true;
    for (; fine && *text < end && **text != ',' && **text != '-'; ++*text) {
        if (**text == ' ') continue;
        if (end - *text >= 3 && memcmp(*text, "...", 3) == 0) {
            for (size_t i = hidden; i > 0; i--) fine &= add(to, (char)('0' + i - 1));
            *text += 2;
        } else {
            fine = is_letter(**text) && add(to, **text);
        }
    }
    return fine;
}

static size_t letters_before(const char *text, const char *end) {
    size_t count = 0;
    for (; text < end && *text != ',' && *text != '-'; text++) count += is_letter(*text);
    return count;
}

static size_t times(const term *operands, size_t count, char c) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < operands[i].count; k++) sum += operands[i].letter[k] == c;
    return sum;
}

/* Without an arrow the result has the ellipsis, then the letters that are there once, in order of the alphabet. */
static bool imply_result(const term *operands, size_t count, term *result) {
    bool fine = true;
    for (char c = '9'; c >= '0'; c--)
        if (times(operands, count, c) > 0) fine &= add(result, c);
    for (char c = 'A'; c <= 'z'; c++)
        if (is_letter(c) && times(operands, count, c) == 1) fine &= add(result, c);
    return fine;
}

/* A term for each operand, of as many dimensions, and one for the result. */
static bool parse(const weir_onnx_form *form, const weir_value *inputs, size_t count, term *terms) {
    const ProtobufCBinaryData *equation = &weir_onnx_part_attribute(form, "equation")->s;
    const char *text = (const char *)equation->data, *end = text + equation->len;
    size_t most = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        const size_t rank = (size_t)weir_onnx_part_shape(form, inputs[i])->rank, letters = letters_before(text, end);
        const size_t hidden = rank < letters ? 0 : rank - letters;
        if (hidden > most) most = hidden;
        fine = parse_term(&text, end, hidden, &terms[i]) && terms[i].count == rank &&
               (i + 1 == count ? text == end || *text == '-' : text < end && *text++ == ',');
    }
    if (fine && text == end) return imply_result(terms, count, &terms[count]);
    fine = fine && end - text >= 2 && text[1] == '>';
    text += 2;
    fine = fine && parse_term(&text, end, most, &terms[count]) && text == end;
    for (size_t i = 0; fine && i < terms[count].count; i++)
        fine = times(terms, count, terms[count].letter[i]) > 0 && times(&terms[count], 1, terms[count].letter[i]) == 1;
    return fine;
}

/* --- one operand --- */

/* The elements where dimensions `a` and `b`, of one letter, are equal: they become the last dimension. */
static weir_value take_diagonal(const weir_onnx_form *form, weir_value value, term *t, size_t a, size_t b) {
    const weir_shape from = *weir_onnx_part_shape(form, value);
    const char c = t->letter[a];
    const int64_t size = from.dim[a];
    weir_shape shape = {.rank = 0};
    int64_t perm[WEIR_MAX_RANK];
    size_t rank = 0;
    if (from.dim[b] != size) {
        weir_onnx_part_fail(form, "an operand has different sizes of '%c'", c);
        return WEIR_NO_VALUE;
    }
    for (size_t d = 0; d < t->count; d++) {
        if (d == a || d == b) continue;
        t->letter[rank] = t->letter[d];
        shape.dim[shape.rank++] = from.dim[d];
        perm[rank++] = (int64_t)d;
    }
    perm[rank] = (int64_t)a;
    perm[rank + 1] = (int64_t)b;
    shape.dim[shape.rank++] = size * size;
    t->letter[rank] = c;
    t->count = rank + 1;
    int64_t *index = weir_calloc((size_t)size, sizeof *index);
    for (int64_t k = 0; k < size; k++) index[k] = k * (size + 1);
    value = weir_onnx_part_transpose(form, "diagonal_last", value, perm);
    value = weir_onnx_part_reshape(form, "diagonal_flat", value, &shape);
    value = weir_onnx_part_pick(form, "diagonal", value, (int64_t)rank, index, (size_t)size);
    free(index);
    return value;
}

static weir_value take_diagonals(const weir_onnx_form *form, weir_value value, term *t) {
    for (size_t b = 1; value.id != 0 && b < t->count; b++) {
        const size_t a = place(t, t->letter[b]);
        if (a == b) continue;
        value = take_diagonal(form, value, t, a, b);
        b = 0;
    }
    return value;
}

/* The axes of the letters that are not `kept`, summed. */
static weir_value sum_others(const weir_onnx_form *form, const char *part, weir_value value, term *t,
                             const term *kept) {
    int64_t axes[WEIR_MAX_RANK];
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (!has(kept, t->letter[i])) axes[count++] = (int64_t)i;
    if (count == 0) return value;
    *t = common(t, kept, true);
    const weir_value inputs[2] = {value, weir_onnx_part_vector(form, "axes", axes, count)};
    return weir_onnx_part_infer(
        form, weir_onnx_part_with(form, weir_onnx_part_add(form, WEIR_OP_REDUCE_SUM, part, inputs, 2), "keepdims", 0));
}

/* --- two operands --- */

typedef struct operand {
    weir_value value;
    term letters;
} operand;

static int64_t size_of(const weir_onnx_form *form, const operand *o, char c) {
    return weir_onnx_part_shape(form, o->value)->dim[place(&o->letters, c)];
}

/* A dimension of one element that is longer in the other operand is left out: it is the same for each of them. */
static void drop_ones(const weir_onnx_form *form, operand *o, const operand *other, const char *part) {
    weir_shape shape = {.rank = 0};
    term letters = {.count = 0};
    for (size_t i = 0; i < o->letters.count; i++) {
        const char c = o->letters.letter[i];
        const int64_t size = size_of(form, o, c);
        if (size == 1 && has(&other->letters, c) && size_of(form, other, c) != 1) continue;
        shape.dim[shape.rank++] = size;
        add(&letters, c);
    }
    o->value = weir_onnx_part_reshape(form, part, o->value, &shape);
    o->letters = letters;
}

/* The dimensions of the groups of letters in order, those of each from `joined_from` on as one. */
static weir_value arrange(const weir_onnx_form *form, const operand *o, const term groups[3], size_t joined_from,
                          const char *part, const char *order) {
    int64_t perm[WEIR_MAX_RANK];
    weir_shape shape = {.rank = 0};
    size_t rank = 0;
    for (size_t g = 0; g < 3; g++) {
        int64_t all = 1;
        for (size_t i = 0; i < groups[g].count; i++) {
            const int64_t size = size_of(form, o, groups[g].letter[i]);
            perm[rank++] = (int64_t)place(&o->letters, groups[g].letter[i]);
            if (g < joined_from) shape.dim[shape.rank++] = size;
            else all *= size;
        }
        if (g >= joined_from) shape.dim[shape.rank++] = all;
    }
    return weir_onnx_part_reshape(form, part, weir_onnx_part_transpose(form, order, o->value, perm), &shape);
}

/* The product of two operands, `kept` being the letters that are used later: its operator and inputs, and what its
 * result becomes. */
static bool pair(weir_onnx_form *form, operand *a, operand *b, const term *kept, weir_op *op, operand *result) {
    term needed_a = joined(*kept, &b->letters), needed_b = joined(*kept, &a->letters);
    a->value = sum_others(form, "left_sum", a->value, &a->letters, &needed_a);
    b->value = sum_others(form, "right_sum", b->value, &b->letters, &needed_b);
    drop_ones(form, a, b, "left_dropped");
    drop_ones(form, b, a, "right_dropped");
    const term shared = common(&a->letters, &b->letters, true), batch = common(&shared, kept, true),
               inner = common(&shared, kept, false), left = common(&a->letters, &b->letters, false),
               right = common(&b->letters, &a->letters, false);
    for (size_t i = 0; i < shared.count; i++)
        if (size_of(form, a, shared.letter[i]) != size_of(form, b, shared.letter[i]))
            return weir_onnx_part_fail(form, "its operands have different sizes of '%c'", shared.letter[i]);
    if (batch.count + 2 > WEIR_MAX_RANK || batch.count + left.count + right.count > WEIR_MAX_RANK)
        return weir_onnx_part_fail(form, "expected at most %d dimensions", WEIR_MAX_RANK);
    const bool by_element = inner.count + left.count + right.count == 0;
    const size_t joined_from = by_element ? 3 : 1;
    *op = by_element ? WEIR_OP_MUL : WEIR_OP_MATMUL;
    form->shape = (weir_shape){.rank = 0};
    result->letters = joined(joined(batch, &left), &right);
    for (size_t i = 0; i < result->letters.count; i++)
        form->shape.dim[form->shape.rank++] =
            size_of(form, has(&a->letters, result->letters.letter[i]) ? a : b, result->letters.letter[i]);
    a->value = arrange(form, a, (const term[3]){batch, left, inner}, joined_from, "left", "left_order");
    b->value = arrange(form, b, (const term[3]){batch, inner, right}, joined_from, "right", "right_order");
    return a->value.id != 0 && b->value.id != 0;
}

/* --- the node --- */

static bool finish_alone(weir_onnx_form *form, operand *o, const term *result, weir_value *inputs, size_t *count) {
    int64_t perm[WEIR_MAX_RANK], axes[WEIR_MAX_RANK];
    const term summed = common(&o->letters, result, false), order = joined(*result, &summed);
    for (size_t i = 0; i < order.count; i++) perm[i] = (int64_t)place(&o->letters, order.letter[i]);
    for (size_t i = 0; i < summed.count; i++) axes[i] = (int64_t)(result->count + i);
    inputs[0] = weir_onnx_part_transpose(form, "order", o->value, perm);
    form->op = summed.count == 0 ? WEIR_OP_IDENTITY : WEIR_OP_REDUCE_SUM;
    if (summed.count > 0) inputs[1] = weir_onnx_part_vector(form, "axes", axes, summed.count);
    *count = summed.count == 0 ? 1 : 2;
    return inputs[0].id != 0;
}

/* Joins the operands but the last two, whose product is the node's. */
static bool join(weir_onnx_form *form, const term *terms, weir_value *inputs, size_t *count) {
    const term *result = &terms[*count];
    operand joint = {inputs[0], terms[0]};
    joint.value = take_diagonals(form, joint.value, &joint.letters);
    if (*count == 1) return joint.value.id != 0 && finish_alone(form, &joint, result, inputs, count);
    for (size_t i = 1; i < *count; i++) {
        operand next = {inputs[i], terms[i]}, made = {WEIR_NO_VALUE, {.count = 0}};
        term kept = *result;
        weir_op op = WEIR_OP_NONE;
        for (size_t k = i + 1; k < *count; k++) kept = joined(kept, &terms[k]);
        next.value = take_diagonals(form, next.value, &next.letters);
        if (joint.value.id == 0 || next.value.id == 0 || !pair(form, &joint, &next, &kept, &op, &made)) return false;
        inputs[0] = joint.value;
        inputs[1] = next.value;
        form->op = op;
        if (i + 1 < *count) {
            char part[32];
            snprintf(part, sizeof part, "product_%zu", i);
            made.value = weir_onnx_part_infer(form, weir_onnx_part_add(form, op, part, inputs, 2));
            made.value = weir_onnx_part_reshape(form, "joint", made.value, &form->shape);
        }
        joint = made;
    }
    for (size_t i = 0; i < result->count; i++) form->perm[i] = (int64_t)place(&joint.letters, result->letter[i]);
    form->has_result = true;
    *count = 2;
    return true;
}

bool weir_onnx_einsum_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    term *terms = weir_calloc(*count + 1, sizeof *terms);
    const bool fine = parse(form, inputs, *count, terms)
                          ? join(form, terms, inputs, count)
                          : weir_onnx_part_fail(form, "expected an equation with a letter for each dimension of its "
                                                      "operands, or '...', then '->' and letters of these");
    free(terms);
    return fine;
}

void weir_onnx_einsum_attributes(const weir_onnx_form *form, weir_node node) {
    const bool sums = !form->has_result && weir_node_input_count(form->graph, node) == 2; /* their axes */
    if (sums) weir_node_set_int(form->graph, node, "keepdims", 0);
}
