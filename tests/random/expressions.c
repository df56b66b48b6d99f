/* Random expressions, lowered and run by the integer engine, equal code for code what they are by definition (terms.h).
 * expressions SEED COUNT [planted] prints the seed of a failure; `expressions SEED 1` repeats it. With `planted` a
 * fault stands in for one rule of the lowering after the other (the linker's --wrap), and each must be found at least
 * once. What lowering refuses or leaves to the host counts, too, where it computes: how much of it was hardware is
 * printed, and each operator of integers that rules are to make must be among it. */
#include "terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/graph/verify.h"
#include "passes/lower/lower.h"
#include "passes/passes.h"
#include "passes/quantize/function.h"
#include "support/text/diag.h"

enum { FRAMES = 4 };

/* --- planted faults --- */

#define FAULTS(X)                                                                                                      \
    X(STEP_LEFT_OUT, "a step is left out")                                                                             \
    X(STEP_OF_NEXT_CHANNEL, "a constant of the next channel")                                                          \
    X(THROUGH_LEFT_OUT, "codes that go through float32 are rescaled by one product")                                   \
    X(RELU_LEFT_OUT, "a Relu is left out")                                                                             \
    X(BOUND_IGNORED, "a quantizer does not begin at the code of zero behind a Relu")                                   \
    X(CONSTANT_NOT_ADDED, "a constant moves no zero point")                                                            \
    X(OFFSET_LEFT_OUT, "a bias between the codes is left out")                                                         \
    X(SUM_FOR_DIFFERENCE, "a difference is a sum")                                                                     \
    X(PAIRS_SWAPPED, "the leaves of a sum that has a table are swapped, with their map")                               \
    X(EXACT_SUM_SWAPPED, "the leaves of an exact sum are swapped, with their map")                                     \
    X(SUM_FOR_PRODUCT, "a product is a sum")                                                                           \
    X(SUM_FOR_MEAN, "a mean is a sum")                                                                                 \
    X(MAX_FOR_MIN, "the smallest is the largest")                                                                      \
    X(MOVED_BACKWARDS, "a move gives its elements backwards")                                                          \
    X(MAP_LEFT_OUT, "the map of a leaf is left out")                                                                   \
    X(BROADCAST_BACKWARDS, "what is broadcast comes backwards")                                                        \
    X(TABLE_OFF_BY_ONE, "a table has the entry beside")                                                                \
    X(WEIGHTS_OF_NEXT_ROW, "a product has the weights beside")                                                         \
    X(PARTS_SWAPPED, "what is joined is swapped")                                                                      \
    X(SPREAD_BACKWARDS, "elements of a constant that changes with each of them come backwards")                        \
    X(CONSTANT_BACKWARDS, "a constant beside a stream comes backwards")                                                \
    X(ZERO_POINTS_KEPT, "integers keep the zero points of the codes that they are of")                                 \
    X(WINDOWS_BACKWARDS, "windows come backwards")                                                                     \
    X(CARRIED_BACKWARDS, "values without a quantizer come backwards")                                                  \
    X(CARRIED_DIFFERENCE, "a sum of values without a quantizer is a difference")                                       \
    X(ALIGNED_SWAPPED, "values that get one unit are swapped")

typedef enum fault {
    NO_FAULT,
#define X(name, words) name,
    FAULTS(X)
#undef X
        FAULT_COUNT
} fault;

static const char *const words_of[FAULT_COUNT] = {"none",
#define X(name, words) words,
                                                  FAULTS(X)
#undef X
};

static fault planted;

/* WRAPPED(result, name, arguments): the rule, and what stands in for it. */
#define WRAPPED(result, name, ...)                                                                                     \
    result __real_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__)

static const weir_expression *result_of(const weir_lowering *l, weir_node node) {
    return weir_lower_expression(l, weir_node_output(l->from, node, 0));
}

WRAPPED(const weir_expression *, weir_lower_step, weir_lowering *l, const weir_expression *x, weir_op op,
        const weir_array *constant) {
    const bool out = op == WEIR_OP_IDENTITY ? planted == THROUGH_LEFT_OUT : planted == STEP_LEFT_OUT;
    return out ? x : __real_weir_lower_step(l, x, op, constant);
}

WRAPPED(const weir_array *, weir_lower_by_channel, weir_lowering *l, weir_node node, weir_value codes,
        const weir_array *constant, const weir_shape *shape) {
    const weir_array *found = __real_weir_lower_by_channel(l, node, codes, constant, shape);
    if (planted != STEP_OF_NEXT_CHANNEL || found == NULL) return found;
    weir_array *turned = weir_array_copy_in(weir_graph_arena(l->to), found);
    for (size_t i = 0; i < turned->count; i++)
        weir_array_set(turned, i, weir_array_get(found, (i + 1) % turned->count));
    return turned;
}

WRAPPED(const weir_expression *, weir_expression_relu, weir_arena *arena, const weir_expression *x) {
    return planted == RELU_LEFT_OUT ? x : __real_weir_expression_relu(arena, x);
}

WRAPPED(void, weir_lower_bounds, const weir_quant *quant, bool relu, weir_contract contract, int64_t *low,
        int64_t *high) {
    __real_weir_lower_bounds(quant, relu && planted != BOUND_IGNORED, contract, low, high);
}

WRAPPED(bool, weir_lower_add_constant, weir_lowering *l, weir_node node, const weir_expression *x,
        const weir_expression *constant) {
    if (planted == CONSTANT_NOT_ADDED) weir_lower_set(l, node, x);
    return planted == CONSTANT_NOT_ADDED || __real_weir_lower_add_constant(l, node, x, constant);
}

WRAPPED(const weir_expression *, weir_expression_offset, weir_arena *arena, const weir_expression *x,
        const double *number, uint32_t count) {
    return planted == OFFSET_LEFT_OUT ? x : __real_weir_expression_offset(arena, x, number, count);
}

WRAPPED(bool, weir_lower_subtract, weir_lowering *l, weir_node node, const weir_expression *a,
        const weir_expression *b) {
    return planted == SUM_FOR_DIFFERENCE ? weir_lower_add(l, node, a, b) : __real_weir_lower_subtract(l, node, a, b);
}

static const weir_expression *swapped(const weir_lowering *l, const weir_expression *x) {
    weir_leaf_sum sum = *weir_expression_sum_of(x);
    const weir_leaf left = sum.left;
    sum.left = sum.right;
    sum.right = left;
    return weir_expression_sum(weir_graph_arena(l->to), &sum);
}

WRAPPED(bool, weir_lower_sum, weir_lowering *l, weir_node node, const weir_expression *sum, const weir_quant *quant) {
    return __real_weir_lower_sum(l, node, planted == PAIRS_SWAPPED ? swapped(l, sum) : sum, quant);
}

WRAPPED(const weir_expression *, weir_lower_sum_exact, weir_lowering *l, weir_node node, const char *suffix,
        const weir_expression *sum) {
    return __real_weir_lower_sum_exact(l, node, suffix, planted == EXACT_SUM_SWAPPED ? swapped(l, sum) : sum);
}

WRAPPED(bool, weir_lower_multiply, weir_lowering *l, weir_node node, const weir_expression *a,
        const weir_expression *b) {
    return planted == SUM_FOR_PRODUCT ? weir_lower_add(l, node, a, b) : __real_weir_lower_multiply(l, node, a, b);
}

WRAPPED(bool, weir_lower_reduce_mean, weir_lowering *l, weir_node node, const weir_quant *behind) {
    return planted == SUM_FOR_MEAN ? weir_lower_reduce_sum(l, node, behind)
                                   : __real_weir_lower_reduce_mean(l, node, behind);
}

WRAPPED(bool, weir_lower_reduce_min, weir_lowering *l, weir_node node, const weir_quant *behind) {
    return planted == MAX_FOR_MIN ? weir_lower_reduce_max(l, node, behind)
                                  : __real_weir_lower_reduce_min(l, node, behind);
}

static weir_value backwards(weir_lowering *l, weir_node node, weir_value codes) {
    size_t count = 1;
    weir_reordering r = {.shape = weir_value_type(l->to, codes)->shape, .loops = 1, .stride = {-1}};
    weir_shape_count(&r.shape, &count);
    r.size[0] = r.end[0] = (int64_t)count;
    r.start = (int64_t)count - 1;
    return weir_lower_reorder(l, node, "_backwards", codes, &r, 0);
}

WRAPPED(bool, weir_lower_move, weir_lowering *l, weir_node node, const weir_quant *behind) {
    if (!__real_weir_lower_move(l, node, behind)) return false;
    const weir_expression *x = result_of(l, node);
    if (planted != MOVED_BACKWARDS || weir_expression_source(x) != WEIR_EXPRESSION_CODES) return true;
    const weir_value codes = backwards(l, node, weir_expression_codes_of(x));
    return weir_lower_set_with_codes(l, node, x, codes);
}

WRAPPED(const weir_expression *, weir_lower_reshaped, weir_lowering *l, const weir_expression *x,
        const weir_shape *shape) {
    return planted == MAP_LEFT_OUT ? x : __real_weir_lower_reshaped(l, x, shape);
}

WRAPPED(weir_value, weir_lower_broadcast, weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
        const weir_shape *shape) {
    const weir_value made = __real_weir_lower_broadcast(l, node, suffix, codes, shape);
    return planted == BROADCAST_BACKWARDS && made.id != codes.id ? backwards(l, node, made) : made;
}

WRAPPED(void, weir_function_run, weir_function *function, const int64_t *points, size_t count, double *results) {
    __real_weir_function_run(function, points, count, results);
    for (size_t i = 0; planted == TABLE_OFF_BY_ONE && i < weir_function_rows(function) * count; i++)
        if ((i + 1) % count != 0) results[i] = results[i + 1];
}

WRAPPED(bool, weir_lower_linear, weir_lowering *l, weir_node node, const weir_expression *x,
        const weir_expression *weights, bool output_major, const weir_expression *bias) {
    if (planted == WEIGHTS_OF_NEXT_ROW && weir_expression_kind_of(weights) == WEIR_EXPRESSION_WEIGHTS) {
        const weir_array *given = weir_expression_data(weights);
        weir_array *turned = weir_array_copy_in(weir_graph_arena(l->to), given);
        for (size_t i = 0; i < turned->count; i++)
            weir_array_set_int(turned, i, weir_array_get_int(given, (i + 1) % turned->count));
        weights = weir_expression_weights(weir_graph_arena(l->to), turned, weir_expression_quant(weights));
    }
    return __real_weir_lower_linear(l, node, x, weights, output_major, bias);
}

WRAPPED(const weir_expression *, weir_expression_with_leaf, weir_arena *arena, const weir_expression *x,
        const weir_leaf *leaf) {
    weir_leaf other = *leaf;
    other.centered &= planted != ZERO_POINTS_KEPT;
    return __real_weir_expression_with_leaf(arena, x, &other);
}

WRAPPED(bool, weir_lower_max_pool, weir_lowering *l, weir_node node, const weir_quant *behind) {
    if (!__real_weir_lower_max_pool(l, node, behind)) return false;
    const weir_expression *x = result_of(l, node);
    if (planted != WINDOWS_BACKWARDS) return true;
    const weir_value codes = backwards(l, node, weir_expression_codes_of(x));
    return weir_lower_set_with_codes(l, node, x, codes);
}

WRAPPED(bool, weir_lower_unite, weir_lowering *l, weir_node node, size_t index, weir_value *before, weir_value *next) {
    const bool fine = __real_weir_lower_unite(l, node, index, before, next);
    const weir_value first = *before;
    if (planted == PARTS_SWAPPED && fine) {
        *before = *next;
        *next = first;
    }
    return fine;
}

WRAPPED(const weir_expression *, weir_lower_spread, weir_lowering *l, weir_node node, const weir_expression *x,
        const weir_array *constant, const weir_shape *shape) {
    const weir_expression *made = __real_weir_lower_spread(l, node, x, constant, shape);
    if (planted != SPREAD_BACKWARDS || made == x) return made;
    const weir_value codes = backwards(l, node, weir_expression_codes_of(made));
    return codes.id == 0 ? made : weir_expression_with_codes(weir_graph_arena(l->to), made, codes);
}

WRAPPED(weir_value, weir_lower_read_table, weir_lowering *l, weir_node node, const char *suffix, weir_value nothing,
        weir_value table, const weir_quant *quant) {
    const weir_value made = __real_weir_lower_read_table(l, node, suffix, nothing, table, quant);
    return planted == CONSTANT_BACKWARDS && made.id != 0 ? backwards(l, node, made) : made;
}

WRAPPED(weir_value, weir_lower_carried, weir_lowering *l, weir_node node, size_t index) {
    const weir_value codes = __real_weir_lower_carried(l, node, index);
    return planted == CARRIED_BACKWARDS && codes.id != 0 ? backwards(l, node, codes) : codes;
}

WRAPPED(bool, weir_lower_add_carried, weir_lowering *l, weir_node node, const weir_leaf_sum *sum) {
    weir_leaf_sum other = *sum;
    other.minus ^= planted == CARRIED_DIFFERENCE;
    return __real_weir_lower_add_carried(l, node, &other);
}

WRAPPED(bool, weir_lower_align, weir_lowering *l, weir_node node, weir_value *codes, size_t count) {
    const bool fine = __real_weir_lower_align(l, node, codes, count);
    const weir_value first = codes[0];
    if (planted == ALIGNED_SWAPPED && fine) {
        codes[0] = codes[count - 1];
        codes[count - 1] = first;
    }
    return fine;
}

/* --- one expression --- */

/* Operators of integers that the rules make, and the host's. */
static const weir_op made[] = {WEIR_OP_ENCODE,   WEIR_OP_REQUANTIZE, WEIR_OP_THRESHOLD, WEIR_OP_LOOKUP,
                               WEIR_OP_SUM,      WEIR_OP_MULTIPLY,   WEIR_OP_LINEAR,    WEIR_OP_SUM_POOL,
                               WEIR_OP_MAX_POOL, WEIR_OP_REORDER,    WEIR_OP_RELABEL,   WEIR_OP_CAST_CODES,
                               WEIR_OP_MAXIMUM,  WEIR_OP_RESHAPE,    WEIR_OP_CONCAT,    WEIR_OP_SCALE};
enum { MADE = sizeof made / sizeof *made };

typedef struct tally {
    uint64_t expressions, compared, rounded, refused, partly, steps, of[MADE];
} tally;

static void count_nodes(tally *all, const weir_graph *integer) {
    bool host = false;
    for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node)) {
        const weir_op op = weir_node_op(integer, node);
        bool known = op == WEIR_OP_DECODE;
        for (size_t i = 0; i < MADE; i++) {
            if (made[i] != op) continue;
            all->of[i]++;
            known = true;
        }
        all->steps += op == WEIR_OP_REQUANTIZE && weir_node_input_count(integer, node) > 1;
        host |= !known;
    }
    all->partly += host;
}

/* Outputs of a frame that differ from the definition; -1: float32 rounds, so that there is none. */
static int compare(const terms *t, random_source *r, weir_executor *executor, const weir_graph *integer, bool says) {
    static double element[MOST_TERMS][MOST_ELEMENTS];
    weir_array *input[MOST_INPUTS];
    int differing = 0;
    for (int i = 0; i < t->inputs; i++) input[i] = weir_array_new(WEIR_FLOAT32, &t->of[t->input[i]].shape);
    const bool defined = terms_define(t, r, input, element);
    const weir_array *given[MOST_INPUTS];
    for (int i = 0; i < t->inputs; i++) given[i] = input[i];
    if (defined && !weir_executor_run(executor, given)) abort();
    for (int o = 0; defined && o < t->outputs; o++) {
        const weir_array *y = weir_executor_value(executor, weir_graph_output(integer, (size_t)o));
        const term *q = &t->of[t->output[o]];
        bool same = weir_shape_equal(&y->shape, &q->shape);
        for (size_t k = 0; same && k < y->count; k++) {
            const double expected = terms_output(t, o, element[t->output[o]][k]), found = weir_array_get(y, k);
            same = found == expected;
            if (!same && says)
                printf("output %d, element %zu: %.9g by definition, %.9g lowered\n", o, k, expected, found);
        }
        differing += !same;
    }
    for (int i = 0; i < t->inputs; i++) weir_array_free(input[i]);
    return defined ? differing : -1;
}

/* Is it what its definition says? `what`: why not. */
static bool is_right(uint64_t seed, tally *all, const char **what) {
    static terms t;
    random_source r = random_from(seed);
    terms_make(&t, &r);
    all->expressions++;
    bool reordered, fine = true;
    weir_counterparts *counterparts = NULL;
    weir_diag_log *log = weir_diag_capture();
    weir_graph *prepared = weir_lower_prepare(t.graph, &reordered),
               *integer = prepared == NULL ? NULL : weir_lower_prepared(prepared, &counterparts);
    const bool verified = integer == NULL || weir_graph_verify(integer);
    weir_diag_release(log);
    if (integer == NULL) {
        all->refused++;
    } else if (!verified) {
        fine = false;
        *what = "the lowered graph does not verify";
    } else {
        weir_executor *executor = weir_executor_new(integer);
        int rounded = 0;
        for (int frame = 0; frame < FRAMES && fine; frame++) {
            const int differing = compare(&t, &r, executor, integer, planted == NO_FAULT);
            rounded += differing < 0;
            fine = differing <= 0;
        }
        *what = "its codes are others";
        all->rounded += rounded == FRAMES;
        all->compared += rounded < FRAMES;
        if (rounded < FRAMES) count_nodes(all, integer);
        weir_executor_free(executor);
    }
    if (!fine && planted == NO_FAULT && !verified) weir_diag_replay(log);
    weir_diag_log_free(log);
    weir_counterparts_free(counterparts);
    weir_graph_free(prepared);
    weir_graph_free(integer);
    weir_graph_free(t.graph);
    return fine;
}

/* --- all of them --- */

static int run(uint64_t seed, uint64_t count) {
    tally all = {0};
    int wrong = 0;
    for (uint64_t k = 0; k < count; k++) {
        const char *what;
        if (is_right(seed + k, &all, &what)) continue;
        printf("seed %llu: %s\n", (unsigned long long)(seed + k), what);
        wrong++;
    }
    printf(
        "%llu expressions: %llu compared (%llu in part by the host), %llu refused, %llu that float32 rounds; %d wrong\n",
        (unsigned long long)all.expressions, (unsigned long long)all.compared, (unsigned long long)all.partly,
        (unsigned long long)all.refused, (unsigned long long)all.rounded, wrong);
    printf("%llu Requantize with steps", (unsigned long long)all.steps);
    bool missing = false;
    for (size_t i = 0; i < MADE; i++) {
        printf(", %llu %s", (unsigned long long)all.of[i], weir_op_get(made[i])->name);
        missing |= all.of[i] == 0;
    }
    printf("\n");
    if (count >= 200 && (missing || 2 * all.compared < all.expressions || 2 * all.partly > all.compared)) {
        printf("too little of it is hardware\n");
        wrong++;
    }
    return wrong == 0 ? 0 : 1;
}

static int run_planted(uint64_t seed, uint64_t count) {
    int missed = 0;
    for (int i = 1; i < FAULT_COUNT; i++) {
        tally all = {0};
        uint64_t found = 0;
        const char *what;
        planted = (fault)i;
        for (uint64_t k = 0; k < count; k++) found += !is_right(seed + k, &all, &what);
        printf("%s: found in %llu of %llu expressions\n", words_of[i], (unsigned long long)found,
               (unsigned long long)count);
        missed += found == 0;
    }
    return missed == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4 || (argc == 4 && strcmp(argv[3], "planted") != 0)) {
        fprintf(stderr, "usage: %s SEED COUNT [planted]\n", argv[0]);
        return 2;
    }
    const uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    return argc == 4 ? run_planted(seed, count) : run(seed, count);
}
