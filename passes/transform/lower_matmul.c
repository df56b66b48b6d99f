/* Lowering of MatMul. By a constant matrix it is a dense layer. Of two matrices that are both computed, a weir.Reorder of each gives its
 * elements in the order of all products, weir.Multiply makes these, and a product with ones adds those of each result: as many cycles as
 * products. */
#include "ir/infer.h"
#include "passes/transform/view.h"

/* The loops of all products: batches, rows, columns, and inside those that are added. */
static void add_loop(weir_reordering *r, int64_t size, int64_t stride) {
    r->shape.dim[r->shape.rank++] = size;
    r->size[r->loops] = r->end[r->loops] = size;
    r->stride[r->loops++] = stride;
}

/* Batches broadcast: one that serves several is read again. */
static void add_batches(weir_reordering *r, const weir_shape *result, const weir_shape *own) {
    for (int i = 0; i < result->rank - 2; i++) {
        const int at = i - result->rank + own->rank;
        int64_t stride = 1;
        for (int d = at + 1; d < own->rank; d++) stride *= d < 0 ? 1 : own->dim[d];
        add_loop(r, result->dim[i], at < 0 || own->dim[at] == 1 ? 0 : stride);
    }
}

/* Does the order leave everything in its place? */
static bool keeps_order(const weir_reordering *r) {
    int64_t next = 1;
    bool same = true;
    for (int i = r->loops - 1; i >= 0; i--) {
        same &= r->size[i] == 1 || r->stride[i] == next;
        next *= r->size[i];
    }
    return same;
}

static weir_value arrange(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                          const weir_reordering *r) {
    return keeps_order(r) ? weir_lower_reshape_as(l, node, suffix, codes, &r->shape)
                          : weir_lower_reorder(l, node, suffix, codes, r, 0);
}

static bool lower_computed(weir_lowering *l, weir_node node, const weir_view *a, const weir_view *b) {
    weir_value pair[2] = {weir_lower_codes(l, node, a), WEIR_NO_VALUE};
    if (pair[0].id != 0) pair[1] = weir_lower_codes(l, node, b);
    if (pair[1].id == 0) return false;
    const weir_shape *left = &weir_value_type(l->to, pair[0])->shape, *right = &weir_value_type(l->to, pair[1])->shape;
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (left->rank < 2 || right->rank < 2 || result->rank >= WEIR_MAX_RANK)
        return weir_lower_fail(l, node, "hardware multiplies computed matrices, not vectors, of up to %d dimensions",
                               WEIR_MAX_RANK - 1);
    if (weir_value_type(l->to, pair[0])->quant.count > 1 || weir_value_type(l->to, pair[1])->quant.count > 1)
        return weir_lower_fail(l, node, "hardware multiplies tensors with one scale each");
    const int64_t rows = left->dim[left->rank - 2], inner = left->dim[left->rank - 1],
                  columns = right->dim[right->rank - 1];
    weir_reordering of_left = {.loops = 0}, of_right = {.loops = 0};
    add_batches(&of_left, result, left);
    add_batches(&of_right, result, right);
    add_loop(&of_left, rows, inner);
    add_loop(&of_right, rows, 0);
    add_loop(&of_left, columns, 0);
    add_loop(&of_right, columns, 1);
    add_loop(&of_left, inner, 1);
    add_loop(&of_right, inner, columns);
    pair[0] = arrange(l, node, "_left", pair[0], &of_left);
    if (pair[0].id != 0) pair[1] = arrange(l, node, "_right", pair[1], &of_right);
    if (pair[0].id == 0 || pair[1].id == 0) return false;
    const weir_value products = weir_lower_products(l, node, "_products", pair);
    weir_value totals = products.id == 0 ? products : weir_lower_totals(l, node, products);
    if (totals.id == 0) return false;
    const weir_view view = {.kind = WEIR_VIEW_CODES, .value = weir_lower_reshape(l, node, totals, result)};
    weir_lower_set(l, node, &view);
    return true;
}

bool weir_lower_matrices(weir_lowering *l, weir_node node, const weir_view *a, const weir_view *b) {
    const bool computed = weir_lower_has_codes(a) && weir_lower_has_codes(b);
    return computed ? lower_computed(l, node, a, b) : weir_lower_linear(l, node, a, b, false, NULL);
}

bool weir_lower_matmul(weir_lowering *l, weir_node node) {
    return weir_lower_matrices(l, node, &l->view[weir_node_input(l->from, node, 0).id],
                               &l->view[weir_node_input(l->from, node, 1).id]);
}
