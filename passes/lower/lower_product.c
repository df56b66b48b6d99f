/* Lowering of a product of two computed matrices, also in batches: weir.Product. The left one gives rows, the right one
 * the matrices that they meet, both as their streams bring them: what moves elements in front of the product becomes
 * part of its loops, and what must be moved behind it is left to the quantizer. Only where rows do not come element by
 * element, or matrices neither row by row nor column by column, a weir.Reorder is needed in front. */
#include <assert.h>
#include <stdlib.h>

#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* Dimensions of the product: those of batches are numbered by the result's. */
enum { ROW = WEIR_MAX_RANK, COLUMN, INNER, DIMENSIONS, PARTS = 2 * WEIR_MAX_RANK };

/* A loop over a dimension, or a part of one, from one index to the `inner`th one behind it. */
typedef struct part {
    int dimension;
    int64_t size, inner, stride; /* stride: elements of the stream */
} part;

typedef struct parts {
    int count;
    part part[PARTS];
} parts;

typedef struct side {
    weir_value operand;        /* its codes, before they are moved */
    const weir_index_map *map; /* to the operand; NULL: they are it */
    weir_value codes;          /* as they come */
    int rank;                  /* of the operand, a vector as a matrix */
    int64_t size[WEIR_MAX_RANK + 1];
    int dimension[WEIR_MAX_RANK + 1];
    parts of; /* in the order of the stream, the outermost first */
} side;

static int64_t elements_of(const weir_lowering *l, weir_value value) {
    size_t count = 0;
    weir_shape_count(&weir_value_type(l->to, value)->shape, &count);
    return (int64_t)count;
}

/* --- how the elements of an operand come --- */

static void set_dimensions(side *s, const weir_shape *own, int batches, bool is_left) {
    s->rank = own->rank < 2 ? 2 : own->rank;
    for (int i = 0; i < s->rank - 2; i++) {
        s->size[i] = own->dim[i];
        s->dimension[i] = batches - (s->rank - 2) + i;
    }
    int64_t *last = s->size + s->rank - 2;
    last[0] = own->rank > 1 ? own->dim[own->rank - 2] : is_left ? 1 : own->dim[0];
    last[1] = own->rank > 1 || is_left ? own->dim[own->rank - 1] : 1;
    s->dimension[s->rank - 2] = is_left ? ROW : INNER;
    s->dimension[s->rank - 1] = is_left ? INNER : COLUMN;
}

/* The loops of the map, innermost first, as parts of dimensions; false: one goes through parts of two. */
static bool divide(side *s, const weir_index_map *map) {
    int d = s->rank - 1;
    int64_t inner = 1;
    s->of.count = 0;
    if (!weir_index_map_is_regular(map) || weir_index_map_fills(map) || map->start != 0) return false;
    for (size_t i = map->count; i-- > 0;) {
        int64_t size = map->loop[i].size, stride = map->loop[i].stride;
        while (size > 1) {
            while (inner == s->size[d]) {
                d--;
                inner = 1;
            }
            const int64_t left = s->size[d] / inner, now = size < left ? size : left;
            if (left % now != 0 || size % now != 0 || s->of.count == PARTS) return false;
            s->of.part[s->of.count++] = (part){s->dimension[d], now, inner, stride};
            inner *= now;
            size /= now;
            stride *= now;
        }
    }
    return true;
}

static int by_stride(const void *a, const void *b) {
    const part *x = a, *y = b;
    return (x->stride < y->stride) - (x->stride > y->stride);
}

/* Does the stream bring each element of the operand once? Then the parts are in its order. */
static bool sort(side *s, int64_t elements) {
    int64_t next = 1;
    qsort(s->of.part, (size_t)s->of.count, sizeof *s->of.part, by_stride);
    for (int i = s->of.count - 1; i >= 0; i--) {
        if (s->of.part[i].stride != next) return false;
        next *= s->of.part[i].size;
    }
    return next == elements;
}

/* The value that brings the operand, before what only moves its elements. */
static weir_value source_of(const weir_lowering *l, weir_arena *arena, weir_value codes, weir_index_map *map) {
    for (;;) {
        const weir_node maker = weir_value_producer(l->to, codes);
        if (maker.id == 0) return codes;
        const weir_op op = weir_node_op(l->to, maker);
        weir_index_map before;
        if ((op != WEIR_OP_REORDER && !weir_index_map_keeps(op)) ||
            !weir_index_map_of_node(arena, l->to, maker, 0, &before) || weir_index_map_fills(&before))
            return codes;
        *map = weir_index_map_then(arena, &before, map);
        codes = weir_node_input(l->to, maker, 0);
    }
}

/* The operand in its own order. */
static bool read_plain(weir_lowering *l, weir_node node, side *s) {
    weir_arena *arena = weir_arena_new();
    s->operand = weir_lower_mapped(l, node, s->operand, s->map);
    s->map = NULL;
    s->codes = s->operand;
    bool fine = s->codes.id != 0;
    if (fine) {
        const weir_shape *own = &weir_value_type(l->to, s->codes)->shape;
        const weir_index_map map = weir_index_map_keep(arena, own, own);
        fine = divide(s, &map) && sort(s, elements_of(l, s->codes));
        assert(fine);
    }
    weir_arena_free(arena);
    return fine;
}

/* The operand as its stream brings it, or, where that is not each element once or `plain`, in its own order. */
static bool read_side(weir_lowering *l, weir_node node, side *s, bool plain) {
    weir_arena *arena = weir_arena_new();
    const weir_shape *own = &weir_value_type(l->to, s->operand)->shape;
    weir_index_map map = s->map != NULL ? *s->map : weir_index_map_keep(arena, own, own);
    s->codes = source_of(l, arena, s->operand, &map);
    const bool fine = !plain && divide(s, &map) && sort(s, elements_of(l, s->codes));
    weir_arena_free(arena);
    return fine || read_plain(l, node, s);
}

static bool has(const side *s, int dimension) {
    for (int i = 0; i < s->of.count; i++)
        if (s->of.part[i].dimension == dimension) return true;
    return false;
}

/* Divides parts of a where b's parts of the same dimension end; false: they overlap. */
static bool refine(side *a, const side *b) {
    for (int k = 0; k < b->of.count; k++) {
        const part *q = &b->of.part[k];
        for (int i = 0; i < a->of.count; i++) {
            part *p = &a->of.part[i];
            const int64_t end = p->inner * p->size;
            if (p->dimension != q->dimension || q->inner <= p->inner || q->inner >= end) continue;
            if (q->inner % p->inner != 0 || end % q->inner != 0 || a->of.count == PARTS) return false;
            for (int n = a->of.count++; n > i + 1; n--) a->of.part[n] = a->of.part[n - 1];
            const int64_t below = q->inner / p->inner;
            a->of.part[i + 1] = (part){p->dimension, below, p->inner, p->stride};
            *p = (part){p->dimension, p->size / below, q->inner, p->stride * below};
        }
    }
    return true;
}

/* --- the loops of the product --- */

typedef struct product {
    side left, right;
    weir_matrices m;
    weir_reordering result; /* from the product to the result */
} product;

static bool is_matrix(const product *p, const part *of) {
    return of->dimension < WEIR_MAX_RANK && has(&p->left, of->dimension) && has(&p->right, of->dimension);
}

static bool is_same(const part *a, const part *b) {
    return a->dimension == b->dimension && a->inner == b->inner && a->size == b->size;
}

/* Parts that both streams have outermost, in one order: products one after the other. */
static int find_pages(product *p) {
    int pages = 0;
    p->m.pages = 1;
    while (pages < p->left.of.count && pages < p->right.of.count && is_matrix(p, &p->left.of.part[pages]) &&
           is_same(&p->left.of.part[pages], &p->right.of.part[pages]))
        p->m.pages *= p->left.of.part[pages++].size;
    return pages;
}

/* One more loop, the inner of two that are one. False: there are too many. */
static bool add_loop(int *loops, int most, int64_t *sizes, int64_t *strides, int64_t size, int64_t stride, bool joins) {
    const int last = *loops - 1;
    if (joins && last >= 0 && strides[last] == stride * size) {
        sizes[last] *= size;
        strides[last] = stride;
        return true;
    }
    if (*loops == most) return false;
    sizes[*loops] = size;
    strides[(*loops)++] = stride;
    return true;
}

/* From one index of a batch dimension that only matrices have to the next, in columns. */
static int64_t column_stride(const product *p, const part *of) {
    int64_t stride = of->inner;
    for (int i = 0; i < p->right.of.count; i++) {
        const part *q = &p->right.of.part[i];
        const bool below = q->dimension == COLUMN || (q->dimension > of->dimension && !is_matrix(p, q));
        if (q->dimension != INNER && below) stride *= q->size;
    }
    return stride;
}

/* Where a part of the matrices is among [matrices, columns, inner], after `pages` parts. */
static int64_t place_of(const product *p, int index, int pages) {
    const part *of = &p->right.of.part[index];
    const int64_t matrix = p->m.columns * p->m.inner;
    int64_t matrices = 1;
    if (of->dimension == INNER) return of->inner;
    if (of->dimension == COLUMN) return of->inner * p->m.inner;
    if (!is_matrix(p, of)) return column_stride(p, of) * p->m.inner;
    for (int i = p->right.of.count - 1; i > index && i >= pages; i--)
        if (is_matrix(p, &p->right.of.part[i])) matrices *= p->right.of.part[i].size;
    return matrices * matrix;
}

static bool set_matrices(product *p, int pages) {
    int kind = -1;
    for (int i = pages; i < p->right.of.count; i++) {
        const part *of = &p->right.of.part[i];
        const int now = is_matrix(p, of) ? DIMENSIONS : of->dimension == INNER ? INNER : COLUMN;
        if (!add_loop(&p->m.loops, WEIR_MATRICES_LOOPS, p->m.size, p->m.stride, of->size, place_of(p, i, pages),
                      now == kind))
            return false;
        kind = now;
    }
    return true;
}

static bool set_rows(product *p, int pages) {
    p->m.rows = 1;
    for (int i = pages; i < p->left.of.count; i++) {
        const part *of = &p->left.of.part[i];
        int64_t stride = 0;
        if (of->dimension == INNER) continue;
        for (int k = pages; k < p->right.of.count && is_matrix(p, of); k++)
            if (is_same(of, &p->right.of.part[k])) stride = place_of(p, k, pages) / (p->m.columns * p->m.inner);
        p->m.rows *= of->size;
        if (!add_loop(&p->m.row_loops, WEIR_MATRICES_ROW_LOOPS, p->m.row_size, p->m.row_stride, of->size, stride, true))
            return false;
    }
    return true;
}

/* Do rows come element by element, and elements of matrices side by side, with one sort of part for each batch? */
static bool are_rows(const side *left) {
    bool fine = true;
    for (int i = 0; i < left->of.count; i++)
        fine &= left->of.part[i].dimension != INNER || left->of.part[i].stride == left->of.part[i].inner;
    return fine;
}

static bool are_runs(const side *right) {
    const part *last = right->of.count == 0 ? NULL : &right->of.part[right->of.count - 1];
    const bool are_numbers = !has(right, INNER) && !has(right, COLUMN); /* matrices of one element */
    return are_numbers || ((last->dimension == INNER || last->dimension == COLUMN) && last->inner == 1);
}

static bool have_same_parts(const product *p) {
    for (int i = 0; i < p->left.of.count; i++) {
        bool found = !is_matrix(p, &p->left.of.part[i]);
        for (int k = 0; k < p->right.of.count; k++) found |= is_same(&p->left.of.part[i], &p->right.of.part[k]);
        if (!found) return false;
    }
    return true;
}

static int64_t size_of(const side *s, int dimension) {
    int64_t size = 1;
    for (int i = 0; i < s->of.count; i++)
        if (s->of.part[i].dimension == dimension) size *= s->of.part[i].size;
    return size;
}

static bool set_loops(product *p) {
    if (!refine(&p->left, &p->right) || !refine(&p->right, &p->left) || !are_rows(&p->left) || !are_runs(&p->right) ||
        !have_same_parts(p))
        return false;
    p->m = (weir_matrices){.inner = size_of(&p->left, INNER), .columns = 1};
    for (int i = 0; i < p->right.of.count; i++) {
        const part *of = &p->right.of.part[i];
        if (of->dimension != INNER && !is_matrix(p, of)) p->m.columns *= of->size;
    }
    const int pages = find_pages(p);
    return set_matrices(p, pages) && set_rows(p, pages);
}

/* --- the result --- */

static int by_dimension(const void *a, const void *b) {
    const part *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension - y->dimension;
    return (x->inner < y->inner) - (x->inner > y->inner);
}

/* The parts of the result in the order of its own elements, with their strides in that of the product. */
static parts parts_of_result(const product *p) {
    parts of = {.count = 0};
    int64_t stride = p->m.columns;
    for (int i = p->left.of.count - 1; i >= 0; i--) {
        const part *q = &p->left.of.part[i];
        if (q->dimension == INNER) continue;
        of.part[of.count++] = (part){q->dimension, q->size, q->inner, stride};
        stride *= q->size;
    }
    for (int i = 0; i < p->right.of.count; i++) {
        const part *q = &p->right.of.part[i];
        if (q->dimension == INNER || is_matrix(p, q)) continue;
        of.part[of.count++] =
            (part){q->dimension, q->size, q->inner, q->dimension == COLUMN ? q->inner : column_stride(p, q)};
    }
    qsort(of.part, (size_t)of.count, sizeof *of.part, by_dimension);
    return of;
}

/* The rows as they come, then the columns. */
static weir_shape shape_of_product(const product *p) {
    weir_shape shape = {.rank = 0};
    for (int i = 0; i < p->left.of.count; i++) {
        if (p->left.of.part[i].dimension == INNER) continue;
        if (shape.rank == WEIR_MAX_RANK - 1) shape.dim[shape.rank - 1] *= p->left.of.part[i].size;
        else shape.dim[shape.rank++] = p->left.of.part[i].size;
    }
    if (shape.rank == 0) shape.dim[shape.rank++] = 1;
    shape.dim[shape.rank++] = p->m.columns;
    return shape;
}

/* Does a node only do the same with each element, by one number, before a quantizer? */
static bool does_same(const weir_lowering *l, weir_node node) {
    const weir_op kind = weir_trait_kind(l->from, node);
    const size_t inputs = weir_node_input_count(l->from, node);
    size_t numbers = 0;
    if (kind == WEIR_OP_RELU || kind == WEIR_OP_IDENTITY) return true;
    if (kind != WEIR_OP_MUL && kind != WEIR_OP_DIV && kind != WEIR_OP_ADD && kind != WEIR_OP_SUB) return false;
    for (size_t i = 0; i < inputs; i++) {
        const weir_array *constant = weir_value_constant(l->from, weir_node_input(l->from, node, i));
        numbers += constant != NULL && constant->count == 1;
    }
    return numbers + 1 == inputs;
}

/* Do only quantizers take the value, or what does the same with each element? */
static bool meets_quantizers(const weir_lowering *l, weir_value value) {
    bool fine = weir_value_use_count(l->from, value) > 0 && !weir_value_is_output(l->from, value);
    for (size_t i = 0; i < weir_value_use_count(l->from, value) && fine; i++) {
        const weir_use use = weir_value_use(l->from, value, i);
        const bool shifts = weir_trait_kind(l->from, use.node) == WEIR_OP_REQUANT_SHIFT;
        fine = ((shifts || weir_trait_is_quantizer(weir_node_op(l->from, use.node))) && use.index == 0) ||
               (does_same(l, use.node) && meets_quantizers(l, weir_node_output(l->from, use.node, 0)));
    }
    return fine;
}

/* The codes in the order of the result: as they are, by a map that is left to the quantizers, or at once. */
static bool give(weir_lowering *l, weir_node node, const product *p, weir_value sums, const weir_shape *result,
                 bool is_quantized) {
    const parts of = parts_of_result(p);
    weir_arena *arena = weir_graph_arena(l->to);
    weir_index_loop loop[PARTS];
    for (int i = 0; i < of.count; i++)
        loop[i] = (weir_index_loop){of.part[i].size, of.part[i].stride, 0, of.part[i].size, NULL};
    const weir_shape *own = &weir_value_type(l->to, sums)->shape;
    weir_index_map *map = weir_arena_alloc(arena, sizeof *map);
    *map = weir_index_map_loops(arena, own, result, 0, loop, (size_t)of.count);
    const weir_expression *x = weir_expression_codes(arena, sums);
    if (!weir_index_map_is_kept(map) && !is_quantized && !meets_quantizers(l, weir_node_output(l->from, node, 0)))
        return weir_lower_set_codes(l, node, weir_lower_mapped(l, node, sums, map));
    weir_lower_set(l, node, weir_expression_moved(arena, x, own, map));
    return true;
}

/* --- the operator --- */

/* The operand's codes less its zero point, before what moves them. */
static weir_value centered(weir_lowering *l, weir_node node, const char *suffix, const side *s, weir_value operand) {
    const weir_quant *quant = &weir_value_type(l->to, operand)->quant;
    return weir_quant_zero(quant, 0) == 0 ? s->codes : weir_lower_less(l, node, suffix, s->codes, quant);
}

static weir_value add_product(weir_lowering *l, weir_node node, const product *p, const weir_value *pair,
                              const weir_quant *quant) {
    const weir_shape shape = shape_of_product(p), rows = {2, {p->m.pages * p->m.rows, p->m.inner}};
    weir_value inputs[2] = {pair[0], pair[1]};
    const weir_shape *own = &weir_value_type(l->to, pair[0])->shape;
    if (own->rank == 0 || own->dim[own->rank - 1] != p->m.inner)
        inputs[0] = weir_lower_reshape_as(l, node, "_rows", pair[0], &rows);
    const weir_type type = {.dtype = WEIR_INT64, .shape = shape, .quant = *quant};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_PRODUCT, "", inputs, 2, &type);
    weir_node_set_ints(l->to, made, "shape", shape.dim, (size_t)shape.rank);
    if (p->m.pages > 1) weir_node_set_int(l->to, made, "pages", p->m.pages);
    weir_node_set_ints(l->to, made, "row_sizes", p->m.row_size, (size_t)p->m.row_loops);
    weir_node_set_ints(l->to, made, "row_strides", p->m.row_stride, (size_t)p->m.row_loops);
    weir_node_set_ints(l->to, made, "sizes", p->m.size, (size_t)p->m.loops);
    weir_node_set_ints(l->to, made, "strides", p->m.stride, (size_t)p->m.loops);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* As streams bring both, or one of them or both in their own order. */
static bool find_loops(weir_lowering *l, weir_node node, product *p) {
    for (int plain = 0; plain < 4; plain++) {
        if (!read_side(l, node, &p->left, (plain & 1) != 0) || !read_side(l, node, &p->right, (plain & 2) != 0))
            return false;
        if (set_loops(p)) return true;
    }
    return weir_lower_fail(l, node, "hardware takes batches of matrices in at most %d loops of rows, found more",
                           WEIR_MATRICES_ROW_LOOPS);
}

static side side_of(weir_lowering *l, weir_value operand) {
    side s = {.operand = operand};
    weir_index_map map;
    if (weir_lower_pull(l, operand, &map)) {
        weir_index_map *kept = weir_arena_alloc(weir_graph_arena(l->to), sizeof *kept);
        *kept = map;
        s.map = kept;
    }
    return s;
}

bool weir_lower_product_of_two(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b,
                               bool is_quantized) {
    weir_value pair[2] = {weir_lower_operand(l, node, a, false), WEIR_NO_VALUE};
    if (pair[0].id != 0) pair[1] = weir_lower_operand(l, node, b, false);
    if (pair[1].id == 0) return false;
    const weir_type *left = weir_value_type(l->to, pair[0]), *right = weir_value_type(l->to, pair[1]);
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (left->quant.count > 1 || right->quant.count > 1)
        return weir_lower_fail(l, node, "hardware multiplies tensors with one scale each");
    const weir_shape of_left = left->shape, of_right = right->shape;
    const int batches = (of_left.rank > of_right.rank ? of_left.rank : of_right.rank) - 2;
    const weir_quant quant = weir_lower_product_quant(l, left, right);
    product p = {.left = side_of(l, pair[0]), .right = side_of(l, pair[1])};
    set_dimensions(&p.left, &of_left, batches, true);
    set_dimensions(&p.right, &of_right, batches, false);
    if (!find_loops(l, node, &p)) return false;
    l->rounding *= (double)p.m.inner;
    const weir_value rows = centered(l, node, "_left", &p.left, pair[0]);
    const weir_value matrices = rows.id == 0 ? rows : centered(l, node, "_right", &p.right, pair[1]);
    if (matrices.id == 0) return false;
    const weir_value sums = add_product(l, node, &p, (const weir_value[]){rows, matrices}, &quant);
    return sums.id != 0 && give(l, node, &p, sums, result, is_quantized);
}
