/* Lowering of functions of one code (function.h): the quantizer after one becomes
 *   Lookup               of all codes, where the input has few
 *   Threshold            of sums, where the function is monotone: its steps by bisection
 *   Threshold and Lookup of sums, for any other function: of the pieces on which its results are equal, found by
 *   looking at all sums, or at bounds
 *                        of the results on ever smaller ranges of them
 * Every entry is what the model's own float32 operations give, quantized as the contract says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/quantize/function.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

/* Codes that a table has, and where thresholds would be as many; entries of a table or thresholds of a node, over all
 * channels; sums that are looked at one by one. */
enum {
    MOST_CODES = 4096,
    MOST_WIDE_CODES = 1 << 16,
    MOST_ENTRIES = 1 << 20,
    MOST_THRESHOLDS = 1 << 18,
    MOST_SUMS = 1 << 22,
    MOST_RANGES = 1 << 21
};

/* --- the rule --- */

static bool has_fewer(const weir_lowering *l, weir_value root, int64_t count) {
    const weir_type *codes = weir_value_type(l->to, weir_expression_codes_of(weir_lower_expression(l, root)));
    return codes->has_range && codes->high - codes->low < count;
}

bool weir_lower_is_narrow(const weir_lowering *l, weir_value root) { return has_fewer(l, root, MOST_CODES); }

bool weir_lower_has_table(const weir_lowering *l, weir_value root) { return has_fewer(l, root, MOST_WIDE_CODES); }

bool weir_lower_is_function(const weir_lowering *l, weir_node node) {
    size_t computed = 0;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id == 0) continue;
        const weir_expression *x = weir_lower_expression(l, input);
        if (weir_expression_kind_of(x) == WEIR_EXPRESSION_FUNCTION) return true;
        computed += weir_expression_has_codes(x);
    }
    const weir_value root = computed < 2 ? WEIR_NO_VALUE : weir_function_root(l, weir_node_output(l->from, node, 0));
    const weir_op kind = weir_trait_kind(l->from, node);
    return root.id != 0 && ((kind != WEIR_OP_ADD && kind != WEIR_OP_SUB && kind != WEIR_OP_QLINEAR_ADD) ||
                            weir_lower_is_narrow(l, root));
}

/* Why the node is no function of one code. */
static bool refuse(weir_lowering *l, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id == 0) continue;
        const weir_expression *x = weir_lower_expression(l, input);
        if (!weir_expression_has_data(x) && !weir_expression_is_hardware(x))
            return weir_lower_fail_unquantized(l, node, i, "its input is not quantized");
        if (weir_expression_source(x) == WEIR_EXPRESSION_SUM) return weir_lower_fail_sum(l, node, x);
    }
    weir_lower_fail(l, node, "hardware computes functions of one quantized tensor, but it has several");
    weir_note("of several computed operands, hardware supports the sum, the difference, the product, Max and Min");
    return false;
}

weir_value weir_lower_function_root(weir_lowering *l, weir_node node) {
    const weir_value value = weir_node_output(l->from, node, 0);
    weir_value root = weir_function_root(l, value);
    for (size_t i = 0; root.id == 0 && i < weir_node_input_count(l->from, node); i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        const weir_expression *x = weir_lower_expression(l, input);
        if (weir_expression_source(x) != WEIR_EXPRESSION_SUM) continue;
        x = weir_lower_sum_single(l, node, "_input", x, weir_lower_needed(l, input));
        if (x == NULL) continue;
        weir_lower_become(l, input, x);
        root = weir_function_root(l, value);
    }
    return root;
}

bool weir_lower_function(weir_lowering *l, weir_node node) {
    if (weir_lower_function_root(l, node).id == 0) return refuse(l, node);
    weir_lower_set(l, node, weir_expression_function(weir_graph_arena(l->to), weir_node_output(l->from, node, 0)));
    return true;
}

/* --- the function in codes --- */

typedef struct tabulation {
    weir_lowering *l;
    weir_node node;  /* the quantizer, for messages */
    weir_node maker; /* what hardware is named after */
    weir_function *function;
    const weir_quant *quant; /* NULL: the function's results are codes */
    weir_value x;
    int64_t low, high; /* of the points: codes less their zero points, over all channels */
    weir_type type;    /* of the result */
} tabulation;

static int64_t code_of(const tabulation *t, double result) {
    return t->quant == NULL ? (int64_t)result : weir_encode(result, t->quant, 0, t->l->contract);
}

/* The codes of all rows at their points. */
static void run(const tabulation *t, const int64_t *points, size_t count, int64_t *codes) {
    const size_t all = weir_function_rows(t->function) * count;
    double *results = weir_malloc(all * sizeof *results);
    weir_function_run(t->function, points, count, results);
    for (size_t i = 0; i < all; i++) codes[i] = code_of(t, results[i]);
    free(results);
}

/* The codes of all rows at `count` points from `first` on. */
static void run_span(const tabulation *t, int64_t first, size_t count, int64_t *codes) {
    const size_t rows = weir_function_rows(t->function);
    int64_t *points = weir_malloc(rows * count * sizeof *points);
    for (size_t i = 0; i < rows * count; i++) points[i] = first + (int64_t)(i % count);
    run(t, points, count, codes);
    free(points);
}

static weir_value add_table(const tabulation *t, const char *suffix, const weir_array *array) {
    char *name = weir_format("%s_%s", weir_node_name(t->l->from, t->maker), suffix);
    const weir_value value = weir_graph_add_constant(t->l->to, name, array);
    free(name);
    return value;
}

static weir_value finish(const tabulation *t, weir_node made) {
    return weir_infer_node(t->l->to, made) ? weir_node_output(t->l->to, made, 0) : WEIR_NO_VALUE;
}

static weir_value add_lookup(const tabulation *t, weir_value x, int64_t low, const weir_array *table) {
    const weir_value inputs[2] = {x, add_table(t, "table", table)};
    const weir_node made = weir_lower_add_node(t->l, t->maker, WEIR_OP_LOOKUP, "", inputs, 2, &t->type);
    weir_node_set_int(t->l->to, made, "low", low);
    return finish(t, made);
}

static weir_value tabulate(const tabulation *t) {
    const weir_type *x = weir_value_type(t->l->to, t->x);
    const size_t channels = weir_function_channels(t->function), points = (size_t)(t->high - t->low + 1);
    const size_t codes = (size_t)(x->high - x->low + 1);
    if (channels * codes > MOST_ENTRIES || weir_function_rows(t->function) * points > MOST_SUMS) {
        weir_lower_fail(t->l, t->node, "a table per channel needs %zu entries, at most %d are supported",
                        channels * codes, MOST_ENTRIES);
        return WEIR_NO_VALUE;
    }
    int64_t *found = weir_malloc(weir_function_rows(t->function) * points * sizeof *found);
    run_span(t, t->low, points, found);
    weir_array *table = weir_array_new(WEIR_INT64, &(weir_shape){2, {(int64_t)channels, (int64_t)codes}});
    for (size_t c = 0; c < channels; c++) {
        const int64_t *row = found + weir_function_row(t->function, c) * points;
        const int64_t first = x->low - weir_function_zero(t->function, c) - t->low;
        for (size_t i = 0; i < codes; i++) weir_array_set_int(table, c * codes + i, row[first + (int64_t)i]);
    }
    const weir_value result = add_lookup(t, t->x, x->low, table);
    weir_array_free(table);
    free(found);
    return result;
}

/* --- functions of sums --- */

/* Are there few enough codes for a table of all, where thresholds would be too many? */
static bool has_table(const tabulation *t) {
    const weir_type *x = weir_value_type(t->l->to, t->x);
    return x->high - x->low < MOST_WIDE_CODES;
}

static void advise(const tabulation *t) {
    weir_note("put a quantizer of up to 16 bits between the sums and the function, before '%s'",
              weir_node_name(t->l->from, t->maker));
}

static void fail_thresholds(const tabulation *t, double count, int most) {
    weir_lower_fail(t->l, t->node, "hardware for it needs %.0f thresholds, at most %d are supported", count, most);
    advise(t);
}

/* The results of one row, piece by piece: result[i] from point start[i] on. */
typedef struct pieces {
    int64_t *start, *result;
    size_t count, start_capacity, result_capacity;
} pieces;

static void add_piece(pieces *p, int64_t start, int64_t result) {
    if (p->count > 0 && p->result[p->count - 1] == result) return;
    p->start = weir_grow(p->start, &p->start_capacity, p->count + 1, sizeof *p->start);
    p->result = weir_grow(p->result, &p->result_capacity, p->count + 1, sizeof *p->result);
    p->start[p->count] = start;
    p->result[p->count++] = result;
}

static void look_at_all(const tabulation *t, pieces *row) {
    enum { CHUNK = 4096 };
    const size_t rows = weir_function_rows(t->function);
    int64_t *codes = weir_malloc(rows * CHUNK * sizeof *codes);
    for (int64_t first = t->low; first <= t->high; first += CHUNK) {
        const int64_t left = t->high - first + 1;
        const size_t count = left < CHUNK ? (size_t)left : CHUNK;
        run_span(t, first, count, codes);
        for (size_t i = 0; i < rows * count; i++) add_piece(&row[i / count], first + (int64_t)(i % count), codes[i]);
    }
    free(codes);
}

/* Where each row reaches result k of those between its ends: the least point that gives it or a result beyond it. */
typedef struct bisection {
    size_t rows, steps;                   /* the most of a row */
    int64_t *end;                         /* [rows, 2]: results at both ends */
    int64_t *before, *at, *middle, *code; /* [rows, steps] */
} bisection;

static int64_t wanted(const bisection *b, size_t row, size_t step) {
    const int64_t from = b->end[2 * row], to = b->end[2 * row + 1], by = (int64_t)step + 1;
    if (from <= to) return from + by < to ? from + by : to;
    return from - by > to ? from - by : to;
}

static bool reaches(const bisection *b, size_t row, size_t step, int64_t code) {
    return b->end[2 * row] <= b->end[2 * row + 1] ? code >= wanted(b, row, step) : code <= wanted(b, row, step);
}

static void bisect(const tabulation *t, bisection *b, pieces *row) {
    const size_t all = b->rows * b->steps;
    b->before = weir_malloc(4 * (all + 1) * sizeof *b->before);
    b->at = b->before + all;
    b->middle = b->at + all;
    b->code = b->middle + all;
    for (size_t i = 0; i < all; i++) {
        b->before[i] = t->low;
        b->at[i] = t->high;
    }
    for (bool open = all > 0; open;) {
        open = false;
        for (size_t i = 0; i < all; i++) b->middle[i] = b->before[i] + (b->at[i] - b->before[i]) / 2;
        run(t, b->middle, b->steps, b->code);
        for (size_t i = 0; i < all; i++) {
            if (b->at[i] - b->before[i] < 2) continue;
            if (reaches(b, i / b->steps, i % b->steps, b->code[i])) b->at[i] = b->middle[i];
            else b->before[i] = b->middle[i];
            open |= b->at[i] - b->before[i] > 1;
        }
    }
    for (size_t i = 0; i < all; i++) b->middle[i] = b->at[i];
    if (all > 0) run(t, b->middle, b->steps, b->code);
    for (size_t r = 0; r < b->rows; r++) add_piece(&row[r], t->low, b->end[2 * r]);
    for (size_t i = 0; i < all; i++) add_piece(&row[i / b->steps], b->at[i], b->code[i]);
    free(b->before);
}

static bool find_steps(const tabulation *t, pieces *row) {
    bisection b = {.rows = weir_function_rows(t->function)};
    int64_t *point = weir_malloc(2 * b.rows * sizeof *point);
    b.end = weir_malloc(2 * b.rows * sizeof *b.end);
    for (size_t r = 0; r < b.rows; r++) {
        point[2 * r] = t->low;
        point[2 * r + 1] = t->high;
    }
    run(t, point, 2, b.end);
    for (size_t r = 0; r < b.rows; r++) {
        const int64_t span = llabs(b.end[2 * r + 1] - b.end[2 * r]);
        if ((size_t)span > b.steps) b.steps = (size_t)span;
    }
    const bool fine = b.steps * b.rows <= MOST_THRESHOLDS;
    if (fine) bisect(t, &b, row);
    else if (!has_table(t)) fail_thresholds(t, (double)b.steps * (double)b.rows, MOST_THRESHOLDS);
    free(b.end);
    free(point);
    return fine;
}

/* Sums from `first` to `last`, and what all of them give where that is known. */
typedef struct range {
    int64_t first, last, result;
} range;

/* Of one row: those that are to be looked at, and those of which the result is known. */
typedef struct ranges {
    range *open, *known;
    size_t open_count, known_count, open_capacity, known_capacity;
} ranges;

static void push(range **list, size_t *count, size_t *capacity, range r) {
    *list = weir_grow(*list, capacity, *count + 1, sizeof **list);
    (*list)[(*count)++] = r;
}

enum { RANGES = 256 }; /* of each row at a time */

/* The least and the most code of RANGES ranges of each row: those of the results at all corners, of as many dimensions
 * as the root is read, and what float32 may be off. */
static void bound(const tabulation *t, const range *at, int64_t *low, int64_t *high) {
    const size_t rows = weir_function_rows(t->function), leaves = weir_function_leaves(t->function),
                 all = rows * RANGES;
    int64_t *point = weir_malloc(leaves * all * sizeof *point);
    double *result = weir_malloc(3 * all * sizeof *result), *least = result + all, *most = least + all;
    for (size_t corner = 0; corner < (size_t)1 << leaves; corner++) {
        for (size_t leaf = 0; leaf < leaves; leaf++)
            for (size_t i = 0; i < all; i++) point[leaf * all + i] = corner >> leaf & 1 ? at[i].last : at[i].first;
        weir_function_run_apart(t->function, point, RANGES, result);
        for (size_t i = 0; i < all; i++) {
            least[i] = corner == 0 ? result[i] : fmin(least[i], result[i]);
            most[i] = corner == 0 ? result[i] : fmax(most[i], result[i]);
        }
    }
    for (size_t i = 0; i < all; i++) {
        const double off = 0x1p-20 * fmax(fabs(least[i]), fabs(most[i]));
        low[i] = code_of(t, least[i] - off);
        high[i] = code_of(t, most[i] + off);
        point[i] = at[i].first;
    }
    int64_t *code = weir_malloc(all * sizeof *code); /* of one sum: its own */
    run(t, point, RANGES, code);
    for (size_t i = 0; i < all; i++)
        if (at[i].first == at[i].last) low[i] = high[i] = code[i];
    free(code);
    free(point);
    free(result);
}

/* One more look at ranges of each row; false: none is open. */
static bool look(const tabulation *t, ranges *row, int64_t *scratch) {
    const size_t rows = weir_function_rows(t->function);
    int64_t *low = scratch, *high = scratch + rows * RANGES;
    range *at = weir_malloc(rows * RANGES * sizeof *at);
    size_t *taken = weir_calloc(rows, sizeof *taken);
    bool any = false;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < RANGES; i++) {
            const bool open = row[r].open_count > 0;
            at[r * RANGES + i] = open ? row[r].open[--row[r].open_count] : (range){t->low, t->low, 0};
            taken[r] += open;
            any |= open;
        }
    }
    if (any) bound(t, at, low, high);
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < taken[r]; i++) {
            range x = at[r * RANGES + i];
            const int64_t middle = x.first + (x.last - x.first) / 2;
            x.result = low[r * RANGES + i];
            if (x.result == high[r * RANGES + i]) {
                push(&row[r].known, &row[r].known_count, &row[r].known_capacity, x);
                continue;
            }
            push(&row[r].open, &row[r].open_count, &row[r].open_capacity, (range){x.first, middle, 0});
            push(&row[r].open, &row[r].open_count, &row[r].open_capacity, (range){middle + 1, x.last, 0});
        }
    }
    free(taken);
    free(at);
    return any;
}

static int by_first(const void *a, const void *b) {
    const range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* By bounds on ranges of sums, which are halved until they give one code; false: there are too many. */
static bool halve(const tabulation *t, pieces *row) {
    const size_t rows = weir_function_rows(t->function);
    ranges *of = weir_calloc(rows, sizeof *of);
    int64_t *scratch = weir_malloc(2 * rows * RANGES * sizeof *scratch);
    size_t looks = 0;
    bool open = true;
    for (size_t r = 0; r < rows; r++)
        push(&of[r].open, &of[r].open_count, &of[r].open_capacity, (range){t->low, t->high, 0});
    while (open && looks++ * rows * RANGES < MOST_RANGES) open = look(t, of, scratch);
    for (size_t r = 0; r < rows; r++) {
        qsort(of[r].known, of[r].known_count, sizeof *of[r].known, by_first);
        for (size_t i = 0; !open && i < of[r].known_count; i++)
            add_piece(&row[r], of[r].known[i].first, of[r].known[i].result);
        free(of[r].open);
        free(of[r].known);
    }
    free(scratch);
    free(of);
    return !open;
}

static bool find_pieces(const tabulation *t, pieces *row) {
    if (weir_function_is_monotone(t->function)) return find_steps(t, row);
    const double sums = (double)(t->high - t->low + 1) * (double)weir_function_rows(t->function);
    if (sums <= MOST_SUMS) {
        look_at_all(t, row);
        return true;
    }
    if (weir_function_leaves(t->function) > 0 && halve(t, row)) return true;
    weir_lower_fail(t->l, t->node, "its input is a function of sums of %d bits that both rises and falls",
                    weir_bits_for(t->low, t->high));
    advise(t);
    return false;
}

/* --- thresholds --- */

/* Results base, base + step, ... up to `count` steps; every row rises, or falls where the step is negative. */
typedef struct staircase {
    int64_t base, step, count;
} staircase;

static bool is_staircase(const tabulation *t, const pieces *row, staircase *s) {
    bool rises = true, falls = true;
    int64_t low = row[0].result[0], high = low;
    *s = (staircase){.step = 0};
    for (size_t r = 0; r < weir_function_rows(t->function); r++) {
        for (size_t i = 0; i < row[r].count; i++) {
            const int64_t result = row[r].result[i], before = i == 0 ? result : row[r].result[i - 1];
            rises &= before <= result;
            falls &= before >= result;
            s->step = weir_common_divisor(s->step, result - row[0].result[0]);
            low = result < low ? result : low;
            high = result > high ? result : high;
        }
    }
    if (s->step == 0) s->step = 1;
    s->count = (high - low) / s->step;
    s->base = rises ? low : high;
    if (!rises) s->step = -s->step;
    return rises || falls;
}

/* The channel's sum at which piece i begins, as far as sums reach. */
static int64_t sum_at(const tabulation *t, const pieces *p, size_t channel, size_t i) {
    const weir_type *x = weir_value_type(t->l->to, t->x);
    const int64_t sum = i < p->count ? p->start[i] + weir_function_zero(t->function, channel) : x->high + 1;
    return sum < x->low ? x->low : sum > x->high ? x->high + 1 : sum;
}

/* Threshold k of a channel: where its result is k + 1 steps away from the base, or more. */
static void fill_steps(const tabulation *t, const pieces *p, size_t channel, const staircase *s, int64_t *to) {
    size_t i = 0;
    for (int64_t k = 0; k < s->count; k++) {
        while (i < p->count && (p->result[i] - s->base) / s->step <= k) i++;
        to[k] = sum_at(t, p, channel, i);
    }
}

static weir_value add_thresholds(const tabulation *t, const char *suffix, const weir_array *steps,
                                 const weir_type *type, int64_t base, int64_t step) {
    const weir_value inputs[2] = {t->x, add_table(t, "thresholds", steps)};
    const weir_node made = weir_lower_add_node(t->l, t->maker, WEIR_OP_THRESHOLD, suffix, inputs, 2, type);
    weir_node_set_int(t->l->to, made, "base", base);
    weir_node_set_int(t->l->to, made, "step", step);
    return finish(t, made);
}

/* One threshold that no sum reaches stands for none. */
static weir_array *new_thresholds(const tabulation *t, int64_t count) {
    const int64_t channels = (int64_t)weir_function_channels(t->function);
    weir_array *steps = weir_array_new(WEIR_INT64, &(weir_shape){2, {channels, count < 1 ? 1 : count}});
    for (size_t i = 0; i < steps->count; i++) weir_array_set_int(steps, i, weir_value_type(t->l->to, t->x)->high + 1);
    return steps;
}

static weir_value use_staircase(const tabulation *t, const pieces *row, const staircase *s) {
    weir_array *steps = new_thresholds(t, s->count);
    for (size_t c = 0; c < weir_function_channels(t->function) && s->count > 0; c++)
        fill_steps(t, &row[weir_function_row(t->function, c)], c, s, (int64_t *)steps->data + c * (size_t)s->count);
    const weir_value result = add_thresholds(t, "", steps, &t->type, s->base, s->step);
    weir_array_free(steps);
    return result;
}

/* Thresholds count the piece, of which a table has the result. */
static weir_value use_pieces(const tabulation *t, const pieces *row) {
    const size_t rows = weir_function_rows(t->function), channels = weir_function_channels(t->function);
    size_t most = 0;
    for (size_t r = 0; r < rows; r++) most = row[r].count > most ? row[r].count : most;
    weir_array *steps = new_thresholds(t, (int64_t)most - 1);
    weir_array *table =
        weir_array_new(WEIR_INT64, &(weir_shape){2, {(int64_t)rows == 1 ? 1 : (int64_t)channels, (int64_t)most}});
    const size_t per = (size_t)steps->shape.dim[1];
    for (size_t c = 0; c < channels; c++) {
        const pieces *p = &row[weir_function_row(t->function, c)];
        for (size_t i = 1; i < most; i++) weir_array_set_int(steps, c * per + i - 1, sum_at(t, p, c, i));
        for (size_t i = 0; i < most && (int64_t)c < table->shape.dim[0]; i++)
            weir_array_set_int(table, c * most + i, p->result[i < p->count ? i : p->count - 1]);
    }
    const weir_type type = {
        .dtype = WEIR_INT32, .shape = t->type.shape, .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .width = 32}};
    const weir_value piece = add_thresholds(t, "_piece", steps, &type, 0, 1);
    const weir_value result = piece.id == 0 ? WEIR_NO_VALUE : add_lookup(t, piece, 0, table);
    weir_array_free(steps);
    weir_array_free(table);
    return result;
}

/* Of more pieces than thresholds are built for? */
static bool has_many(const tabulation *t, const pieces *row) {
    bool many = false;
    for (size_t r = 0; r < weir_function_rows(t->function); r++) many |= row[r].count > MOST_CODES;
    return many;
}

static weir_value use_thresholds(const tabulation *t) {
    const size_t rows = weir_function_rows(t->function);
    pieces *row = weir_calloc(rows, sizeof *row);
    weir_value result = WEIR_NO_VALUE;
    if (find_pieces(t, row)) {
        staircase s;
        const bool one = is_staircase(t, row, &s);
        const double steps = (double)weir_function_channels(t->function) * (double)(one ? s.count : (int64_t)0);
        const bool many = has_many(t, row);
        if (many && has_table(t)) result = tabulate(t);
        else if (!many && steps <= MOST_THRESHOLDS)
            result = one && s.count < MOST_CODES ? use_staircase(t, row, &s) : use_pieces(t, row);
        else if (many) fail_thresholds(t, (double)row[0].count, MOST_CODES);
        else fail_thresholds(t, steps, MOST_THRESHOLDS);
    } else if (has_table(t)) {
        result = tabulate(t);
    }
    for (size_t r = 0; r < rows; r++) {
        free(row[r].start);
        free(row[r].result);
    }
    free(row);
    return result;
}

/* --- the quantizer --- */

bool weir_lower_tabulate(weir_lowering *l, weir_node node, weir_value value, const weir_quant *quant) {
    const weir_value root = weir_function_root(l, value);
    tabulation t = {.l = l, .node = node, .maker = weir_value_producer(l->from, value), .quant = quant};
    t.function = weir_function_new(l, value, root);
    if (t.function == NULL) return false;
    t.x = weir_function_codes(t.function);
    const weir_type *codes = weir_value_type(l->to, t.x);
    if (!codes->has_range) {
        weir_function_free(t.function);
        return weir_lower_fail(l, node, "its input has no proven range");
    }
    t.low = INT64_MAX;
    t.high = INT64_MIN;
    for (size_t c = 0; c < weir_function_channels(t.function); c++) {
        const int64_t zero = weir_function_zero(t.function, c);
        if (codes->low - zero < t.low) t.low = codes->low - zero;
        if (codes->high - zero > t.high) t.high = codes->high - zero;
    }
    int64_t low, high;
    const weir_quant *to = quant != NULL ? quant : &weir_value_type(l->from, value)->quant;
    weir_quant_limits(to, &low, &high);
    t.type = weir_lower_codes_type(to, &codes->shape, low, high);
    weir_value made = weir_lower_is_narrow(l, root) ? tabulate(&t) : use_thresholds(&t);
    weir_function_free(t.function);
    if (made.id == 0) return false;
    const weir_shape *shape = &weir_value_type(l->from, value)->shape;
    if (!weir_shape_equal(shape, &codes->shape)) made = weir_lower_reshape(l, node, made, shape);
    return weir_lower_set_codes(l, node, made);
}

bool weir_lower_quantized_function(weir_lowering *l, weir_node node) {
    const weir_value value = weir_node_output(l->from, node, 0);
    return weir_function_root(l, value).id != 0 ? weir_lower_tabulate(l, node, value, NULL) : refuse(l, node);
}
