#include "passes/lower/expression.h"

#include <assert.h>

#include "support/memory/arena.h"

struct weir_expression {
    weir_expression_kind kind;
    const weir_expression *operand; /* OFFSET, RELU, STEP; else NULL */
    union {
        struct {
            weir_value value;
            const weir_diag_log *cause; /* REAL, HOST */
        } numbers;                      /* REAL, HOST, FUNCTION */
        struct {
            const weir_array *data;
            weir_quant quant; /* WEIGHTS */
        } constant;           /* CONSTANT, WEIGHTS */
        weir_leaf leaf;       /* CODES */
        struct {
            const double *number;
            uint32_t count;
        } offset;          /* OFFSET */
        weir_step step;    /* STEP */
        weir_leaf_sum sum; /* SUM */
    } as;
};

static weir_expression *new_expression(weir_arena *arena, weir_expression_kind kind, const weir_expression *operand) {
    weir_expression *made = weir_arena_alloc(arena, sizeof *made);
    made->kind = kind;
    made->operand = operand;
    return made;
}

/* --- reading --- */

weir_expression_kind weir_expression_kind_of(const weir_expression *x) {
    return x == NULL ? WEIR_EXPRESSION_NONE : x->kind;
}

static bool is_operator(const weir_expression *x) { return x != NULL && x->operand != NULL; }

static const weir_expression *below(const weir_expression *x) {
    while (is_operator(x)) x = x->operand;
    return x;
}

weir_expression_kind weir_expression_source(const weir_expression *x) { return weir_expression_kind_of(below(x)); }

const weir_expression *weir_expression_operand(const weir_expression *x) {
    assert(is_operator(x));
    return x->operand;
}

static bool is_numbers(const weir_expression *x) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    return kind == WEIR_EXPRESSION_REAL || kind == WEIR_EXPRESSION_HOST;
}

weir_value weir_expression_value(const weir_expression *x) {
    assert(is_numbers(x) || weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION);
    return x->as.numbers.value;
}

const weir_diag_log *weir_expression_cause(const weir_expression *x) {
    assert(is_numbers(x));
    return x->as.numbers.cause;
}

const weir_array *weir_expression_data(const weir_expression *x) {
    assert(weir_expression_has_data(x));
    return x->as.constant.data;
}

const weir_quant *weir_expression_quant(const weir_expression *x) {
    assert(weir_expression_kind_of(x) == WEIR_EXPRESSION_WEIGHTS);
    return &x->as.constant.quant;
}

const weir_step *weir_expression_step_of(const weir_expression *x) {
    assert(weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP);
    return &x->as.step;
}

const weir_leaf *weir_expression_leaf(const weir_expression *x) {
    assert(weir_expression_source(x) == WEIR_EXPRESSION_CODES);
    return &below(x)->as.leaf;
}

weir_value weir_expression_codes_of(const weir_expression *x) { return weir_expression_leaf(x)->codes; }

const weir_leaf_sum *weir_expression_sum_of(const weir_expression *x) {
    assert(weir_expression_source(x) == WEIR_EXPRESSION_SUM);
    return &below(x)->as.sum;
}

const weir_leaf *weir_expression_first(const weir_expression *x) {
    const bool sum = weir_expression_source(x) == WEIR_EXPRESSION_SUM;
    return sum ? &weir_expression_sum_of(x)->left : weir_expression_leaf(x);
}

const double *weir_expression_numbers(const weir_expression *x, uint32_t *count) {
    while (is_operator(x) && x->kind != WEIR_EXPRESSION_OFFSET) x = x->operand;
    const bool found = weir_expression_kind_of(x) == WEIR_EXPRESSION_OFFSET;
    *count = found ? x->as.offset.count : 0;
    return found ? x->as.offset.number : NULL;
}

size_t weir_expression_count_steps(const weir_expression *x) {
    size_t count = 0;
    for (; weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP; x = x->operand) count++;
    return count;
}

bool weir_expression_has_data(const weir_expression *x) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    return kind == WEIR_EXPRESSION_CONSTANT || kind == WEIR_EXPRESSION_WEIGHTS;
}

bool weir_expression_has_codes(const weir_expression *x) {
    const weir_expression_kind source = weir_expression_source(x);
    return source == WEIR_EXPRESSION_CODES || source == WEIR_EXPRESSION_SUM;
}

bool weir_expression_is_hardware(const weir_expression *x) {
    return weir_expression_has_codes(x) || weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION;
}

/* --- making --- */

static const weir_expression *make_numbers(weir_arena *arena, weir_expression_kind kind, weir_value value,
                                           const weir_diag_log *cause) {
    assert(value.id != 0);
    weir_expression *made = new_expression(arena, kind, NULL);
    made->as.numbers.value = value;
    made->as.numbers.cause = cause;
    return made;
}

const weir_expression *weir_expression_real(weir_arena *arena, weir_value value, const weir_diag_log *cause) {
    return make_numbers(arena, WEIR_EXPRESSION_REAL, value, cause);
}

const weir_expression *weir_expression_host(weir_arena *arena, weir_value value, const weir_diag_log *cause) {
    return make_numbers(arena, WEIR_EXPRESSION_HOST, value, cause);
}

const weir_expression *weir_expression_constant(weir_arena *arena, const weir_array *data) {
    assert(data != NULL);
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_CONSTANT, NULL);
    made->as.constant.data = data;
    return made;
}

const weir_expression *weir_expression_weights(weir_arena *arena, const weir_array *codes, const weir_quant *quant) {
    assert(codes != NULL && quant->format != WEIR_FORMAT_FLOAT);
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_WEIGHTS, NULL);
    made->as.constant.data = codes;
    made->as.constant.quant = *quant;
    return made;
}

const weir_expression *weir_expression_of_leaf(weir_arena *arena, const weir_leaf *leaf) {
    assert(leaf->codes.id != 0);
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_CODES, NULL);
    made->as.leaf = *leaf;
    return made;
}

const weir_expression *weir_expression_codes(weir_arena *arena, weir_value codes) {
    return weir_expression_of_leaf(arena, &(weir_leaf){.codes = codes});
}

const weir_expression *weir_expression_offset(weir_arena *arena, const weir_expression *x, const double *number,
                                              uint32_t count) {
    assert(weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES && number != NULL && count > 0);
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_OFFSET, x);
    made->as.offset.number = number;
    made->as.offset.count = count;
    return made;
}

const weir_expression *weir_expression_relu(weir_arena *arena, const weir_expression *x) {
    assert(weir_expression_has_codes(x));
    if (x->kind == WEIR_EXPRESSION_RELU) return x;
    if (x->kind == WEIR_EXPRESSION_STEP) return weir_expression_step(arena, x, WEIR_OP_RELU, NULL);
    return new_expression(arena, WEIR_EXPRESSION_RELU, x);
}

const weir_expression *weir_expression_step(weir_arena *arena, const weir_expression *x, weir_op op,
                                            const weir_array *constant) {
    assert(weir_expression_source(x) == WEIR_EXPRESSION_CODES && op != WEIR_OP_NONE);
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_STEP, weir_expression_in_steps(arena, x));
    made->as.step = (weir_step){op, constant};
    return made;
}

const weir_expression *weir_expression_in_steps(weir_arena *arena, const weir_expression *x) {
    return weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU
               ? weir_expression_step(arena, x->operand, WEIR_OP_RELU, NULL)
               : x;
}

const weir_expression *weir_expression_sum(weir_arena *arena, const weir_leaf_sum *sum) {
    assert(sum->left.codes.id != 0 && sum->right.codes.id != 0 && (sum->left.map == NULL) == (sum->right.map == NULL));
    weir_expression *made = new_expression(arena, WEIR_EXPRESSION_SUM, NULL);
    made->as.sum = *sum;
    return made;
}

const weir_expression *weir_expression_function(weir_arena *arena, weir_value value) {
    return make_numbers(arena, WEIR_EXPRESSION_FUNCTION, value, NULL);
}

/* The operators of x, of another expression below them. */
static const weir_expression *with_source(weir_arena *arena, const weir_expression *x, const weir_expression *source) {
    if (!is_operator(x)) return source;
    weir_expression *made = new_expression(arena, x->kind, with_source(arena, x->operand, source));
    made->as = x->as;
    return made;
}

const weir_expression *weir_expression_with_leaf(weir_arena *arena, const weir_expression *x, const weir_leaf *leaf) {
    assert(weir_expression_has_codes(x));
    return with_source(arena, x, weir_expression_of_leaf(arena, leaf));
}

const weir_expression *weir_expression_with_codes(weir_arena *arena, const weir_expression *x, weir_value codes) {
    weir_leaf leaf = *weir_expression_leaf(x);
    leaf.codes = codes;
    return weir_expression_with_leaf(arena, x, &leaf);
}

const weir_expression *weir_expression_moved(weir_arena *arena, const weir_expression *x, const weir_shape *own,
                                             const weir_index_map *map) {
    const weir_leaf *first = weir_expression_first(x);
    const weir_index_map before = first->map == NULL ? weir_index_map_keep(arena, own, &map->from) : *first->map;
    weir_index_map *whole = weir_arena_alloc(arena, sizeof *whole);
    *whole = weir_index_map_then(arena, &before, map);
    if (weir_expression_source(x) == WEIR_EXPRESSION_CODES) {
        weir_leaf leaf = *first;
        leaf.map = whole;
        return weir_expression_with_leaf(arena, x, &leaf);
    }
    weir_leaf_sum sum = *weir_expression_sum_of(x);
    sum.left.map = sum.right.map = whole;
    return with_source(arena, x, weir_expression_sum(arena, &sum));
}
