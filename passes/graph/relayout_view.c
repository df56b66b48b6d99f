#include <string.h>

#include "ir/shape/layout.h"
#include "passes/graph/relayout.h"
#include "support/memory/arena.h"

enum { FACTORS = 2 * WEIR_MAX_RANK };

/* Factors of the element count that are parts of dimensions of both shapes: factor k, outermost first, belongs to
 * dimension from[k] of one and to[k] of the other. */
typedef struct factors {
    int count, from[FACTORS], to[FACTORS];
    int64_t size[FACTORS];
    int in_memory[FACTORS]; /* the factors in their sequence in memory */
} factors;

static bool split(const weir_shape *a, const weir_shape *b, factors *f) {
    int i = 0, k = 0;
    int64_t left = a->rank > 0 ? a->dim[0] : 1, right = b->rank > 0 ? b->dim[0] : 1;
    f->count = 0;
    while (i < a->rank || k < b->rank) {
        if (left == 1 && i < a->rank) {
            left = ++i < a->rank ? a->dim[i] : 1;
        } else if (right == 1 && k < b->rank) {
            right = ++k < b->rank ? b->dim[k] : 1;
        } else {
            const int64_t size = left < right ? left : right;
            if (size < 2 || left % size != 0 || right % size != 0) return false;
            f->from[f->count] = i;
            f->to[f->count] = k;
            f->size[f->count++] = size;
            left /= size;
            right /= size;
        }
    }
    return true;
}

static void order_factors(factors *f, const weir_order *order) {
    int count = 0;
    for (int i = 0; i < order->rank; i++) {
        for (int k = 0; k < f->count; k++)
            if (f->from[k] == order->at[i]) f->in_memory[count++] = k;
    }
}

/* The order of the new dimensions, when the factors of each are adjacent and in sequence. */
static bool view_order(const factors *f, int rank, weir_order *to) {
    bool used[WEIR_MAX_RANK] = {false};
    to->rank = 0;
    for (int k = 0; k < f->count; k++) {
        const int dimension = f->to[f->in_memory[k]];
        const bool goes_on = k > 0 && dimension == f->to[f->in_memory[k - 1]];
        if (goes_on ? f->in_memory[k] != f->in_memory[k - 1] + 1 : used[dimension]) return false;
        if (!goes_on) to->at[to->rank++] = dimension;
        used[dimension] = true;
    }
    for (int d = 0; d < rank; d++) { /* dimensions of 1 come before the first larger one */
        int at = 0;
        if (used[d]) continue;
        while (at < to->rank && to->at[at] < d) at++;
        memmove(&to->at[at + 1], &to->at[at], (size_t)(to->rank - at) * sizeof *to->at);
        to->at[at] = d;
        to->rank++;
    }
    return true;
}

/* The last dimension as it is in memory, when the others come before it as in the model. */
static const weir_shuffle *shuffled_last(weir_relayout *c, const factors *f, const weir_shape *to,
                                         const weir_carrier *from) {
    int first = 0;
    while (first < f->count && f->to[first] != to->rank - 1) {
        if (f->in_memory[first] != first) return NULL;
        first++;
    }
    const int64_t count = to->dim[to->rank - 1];
    int64_t *map = weir_arena_array(c->arena, (size_t)count, sizeof *map);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, digit[FACTORS];
        for (int k = f->count - 1; k >= first; k--) {
            digit[f->in_memory[k]] = rest % f->size[f->in_memory[k]];
            rest /= f->size[f->in_memory[k]];
        }
        for (int k = first; k < f->count; k++) map[i] = map[i] * f->size[k] + digit[k];
    }
    weir_shuffle *s = weir_arena_alloc(c->arena, sizeof *s);
    *s = (weir_shuffle){count, map, weir_value_type(c->graph, from->value)->shape, from->order};
    return s;
}

bool weir_relayout_view(weir_relayout *c, weir_node node) {
    const weir_value x = weir_node_input(c->graph, node, 0), y = weir_node_output(c->graph, node, 0);
    const weir_shape *to = &weir_known(c, y)->shape;
    const weir_carrier *from = &weir_known(c, x)->carrier;
    const weir_shuffle *s = from->shuffled;
    factors f;
    weir_order order;
    if (s != NULL && to->rank > 0 && to->dim[to->rank - 1] == s->count) {
        weir_known(c, y)->carrier =
            (weir_carrier){weir_carrier_reshape(c, from->value, to), weir_order_plain(to->rank), s};
        return true;
    }
    weir_carrier_restore(c, x);
    if (weir_order_is_plain(&from->order) || !split(&weir_known(c, x)->shape, to, &f)) return false;
    order_factors(&f, &from->order);
    if (view_order(&f, to->rank, &order)) {
        const weir_shape shape = weir_layout_from_onnx(to, order.at);
        weir_known(c, y)->carrier = (weir_carrier){weir_carrier_reshape(c, from->value, &shape), order, NULL};
        return true;
    }
    s = to->rank > 0 ? shuffled_last(c, &f, to, from) : NULL;
    if (s == NULL) return false;
    weir_known(c, y)->carrier = (weir_carrier){weir_carrier_reshape(c, from->value, to), weir_order_plain(to->rank), s};
    return true;
}
