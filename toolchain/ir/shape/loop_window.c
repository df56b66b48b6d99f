/* Loop nests of sums of products and of sliding windows. */
#include <assert.h>

#include "ir/shape/geometry.h"
#include "ir/shape/layout.h"
#include "ir/shape/loop_rule.h"

/* Operands with channels are described in ONNX's order; then their axes go where the node has them. */
typedef struct order {
    int at[WEIR_MAX_RANK];
} order;

static weir_shape data_shape(const weir_loop_builder *b, order *laid) {
    const bool fine = weir_layout_order(b->graph, b->node, laid->at);
    assert(fine);
    (void)fine;
    return weir_layout_to_onnx(weir_loop_input_shape(b, 0), laid->at);
}

static void to_onnx(weir_loop_operand *operand, const order *laid) {
    const weir_loop_operand given = *operand;
    for (int i = 0; i < given.rank; i++) operand->axis[laid->at[i]] = given.axis[i];
}

static void from_onnx(weir_loop_operand *operand, const order *laid) {
    const weir_loop_operand given = *operand;
    for (int i = 0; i < given.rank; i++) operand->axis[i] = given.axis[laid->at[i]];
}

/* "OX" for the last spatial dimension, then OY, OZ, O3, ... */
static uint32_t add_spatial(weir_loop_builder *b, char letter, int rank, int dimension, int64_t size, bool is_reduced) {
    static const char letters[] = "XYZ";
    const int from_last = rank - 1 - dimension;
    const char name[3] = {letter, from_last < 3 ? letters[from_last] : (char)('0' + from_last), '\0'};
    return weir_loop_add(b, name, size, is_reduced);
}

/* The loops over the window's positions and over its elements: o[i], f[i] for spatial dimension i. */
typedef struct spatial {
    uint32_t o[WEIR_MAX_RANK], f[WEIR_MAX_RANK];
} spatial;

static void add_positions(weir_loop_builder *b, const weir_window *w, spatial *loops) {
    for (int i = w->rank - 1; i >= 0; i--) loops->o[i] = add_spatial(b, 'O', w->rank, i, w->out[i], false);
}

static void add_kernel(weir_loop_builder *b, const weir_window *w, spatial *loops) {
    for (int i = w->rank - 1; i >= 0; i--) loops->f[i] = add_spatial(b, 'F', w->rank, i, w->kernel[i], true);
}

/* ix = stride * ox + dilation * fx - begin; o is written at ox. */
static void slide(const weir_window *w, const spatial *loops, weir_loop_operand *x, weir_loop_operand *y) {
    for (int i = 0; i < w->rank; i++) {
        weir_loop_term(x, i + 2, loops->o[i], w->stride[i]);
        weir_loop_term(x, i + 2, loops->f[i], w->dilation[i]);
        x->axis[i + 2].offset = -w->begin[i];
        weir_loop_term(y, i + 2, loops->o[i], 1);
    }
}

typedef struct convolution_sizes {
    int64_t groups, outputs, inputs; /* of each group */
    size_t weights, bias;            /* inputs of the node */
    bool is_transposed;              /* weights [g][c][k], and the window slides over the result */
} convolution_sizes;

/* O[b][g][k][oy][ox] += W[g][k][c][fy][fx] * I[b][g][c][iy][ix] */
static void convolve(weir_loop_builder *b, const weir_window *window, const order *laid, int64_t batches,
                     const convolution_sizes *n) {
    spatial loops;
    b->nest->body = WEIR_LOOP_MULTIPLY_ACCUMULATE;
    const uint32_t batch = weir_loop_add(b, "B", batches, false), k = weir_loop_add(b, "K", n->outputs, false);
    const uint32_t g = weir_loop_add(b, "G", n->groups, false);
    add_positions(b, window, &loops);
    const uint32_t c = weir_loop_add(b, "C", n->inputs, true);
    add_kernel(b, window, &loops);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_operand *weight = weir_loop_read(b, 'W', n->weights), *start = weir_loop_read(b, 'B', n->bias);
    to_onnx(in, laid);
    to_onnx(out, laid);
    weir_loop_term(out, 0, batch, 1);
    weir_loop_term(in, 0, batch, 1);
    weir_loop_term(in, 1, g, n->inputs);
    weir_loop_term(in, 1, c, 1);
    weir_loop_term(out, 1, g, n->outputs);
    weir_loop_term(out, 1, k, 1);
    weir_loop_term(weight, 0, g, n->is_transposed ? n->inputs : n->outputs);
    weir_loop_term(weight, 0, n->is_transposed ? c : k, 1);
    weir_loop_term(weight, 1, n->is_transposed ? k : c, 1);
    for (int i = 0; i < window->rank; i++) weir_loop_term(weight, i + 2, loops.f[i], 1);
    if (n->is_transposed) slide(window, &loops, out, in);
    else slide(window, &loops, in, out);
    from_onnx(in, laid);
    from_onnx(out, laid);
    if (start == NULL) return;
    weir_loop_term(start, 0, g, n->outputs);
    weir_loop_term(start, 0, k, 1);
}

static void convolution(weir_loop_builder *b, size_t weights, size_t bias) {
    order laid;
    const weir_shape *w = weir_loop_input_shape(b, weights), x = data_shape(b, &laid);
    const int64_t groups = weir_node_int(b->graph, b->node, "group", 1);
    weir_window window;
    const bool fine = weir_geometry_window(b->graph, b->node, &x, w->dim + 2, &window);
    assert(fine);
    (void)fine;
    convolve(b, &window, &laid, x.dim[0],
             &(convolution_sizes){groups, w->dim[0] / groups, w->dim[1], weights, bias, false});
}

/* The same from inputs to the positions that they reach, ox = stride * ix + dilation * fx - begin: OX, OY count
 * positions of the input here. What falls outside the result is dropped. */
void weir_loop_conv_transpose(weir_loop_builder *b) {
    order laid;
    const weir_shape *w = weir_loop_input_shape(b, 1), x = data_shape(b, &laid);
    const int64_t groups = weir_node_int(b->graph, b->node, "group", 1);
    weir_window window;
    const bool fine = weir_geometry_transposed(b->graph, b->node, &x, w->dim + 2, &window);
    assert(fine);
    (void)fine;
    convolve(b, &window, &laid, x.dim[0], &(convolution_sizes){groups, w->dim[1], x.dim[1] / groups, 1, 2, true});
}

/* The deep tensor's channels are made of a channel of the wide one, a row and a column of the block. */
static void blocks(weir_loop_builder *b, bool to_space) {
    order laid;
    weir_blocks w;
    const weir_shape x = data_shape(b, &laid);
    const bool fine = weir_geometry_blocks(b->graph, b->node, &x, to_space, &w);
    assert(fine);
    (void)fine;
    b->nest->body = WEIR_LOOP_MOVE;
    const uint32_t batch = weir_loop_add(b, "B", w.batch, false), c = weir_loop_add(b, "C", w.channels, false);
    const uint32_t y = weir_loop_add(b, "OY", w.height, false), fy = weir_loop_add(b, "FY", w.size, false);
    const uint32_t ox = weir_loop_add(b, "OX", w.width, false), fx = weir_loop_add(b, "FX", w.size, false);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_operand *deep = to_space ? in : out, *wide = to_space ? out : in;
    to_onnx(in, &laid);
    to_onnx(out, &laid);
    weir_loop_term(deep, 0, batch, 1);
    weir_loop_term(wide, 0, batch, 1);
    weir_loop_term(deep, 1, c, w.channel_stride);
    weir_loop_term(deep, 1, fy, w.row_stride);
    weir_loop_term(deep, 1, fx, w.column_stride);
    weir_loop_term(deep, 2, y, 1);
    weir_loop_term(deep, 3, ox, 1);
    weir_loop_term(wide, 1, c, 1);
    weir_loop_term(wide, 2, y, w.size);
    weir_loop_term(wide, 2, fy, 1);
    weir_loop_term(wide, 3, ox, w.size);
    weir_loop_term(wide, 3, fx, 1);
    from_onnx(in, &laid);
    from_onnx(out, &laid);
}

void weir_loop_depth_to_space(weir_loop_builder *b) { blocks(b, true); }
void weir_loop_space_to_depth(weir_loop_builder *b) { blocks(b, false); }

enum { NO_BIAS = 1000 }; /* an input that no operator has */

void weir_loop_conv(weir_loop_builder *b) { convolution(b, 1, 2); }
void weir_loop_conv_integer(weir_loop_builder *b) { convolution(b, 1, NO_BIAS); }
void weir_loop_qlinear_conv(weir_loop_builder *b) { convolution(b, 3, 8); }

/* O[b][oy][ox][g][fx][fy][c] = I[b][iy][ix][g][c], the last four in one dimension */
void weir_loop_window(weir_loop_builder *b) {
    const weir_shape *x = weir_loop_input_shape(b, 0);
    const int64_t group = weir_node_int(b->graph, b->node, "group", 1), channels = x->dim[x->rank - 1] / group;
    weir_window window;
    spatial loops;
    const bool fine = weir_geometry_window_innermost(b->graph, b->node, &window);
    assert(fine);
    (void)fine;
    b->nest->body = WEIR_LOOP_MOVE;
    const uint32_t batch = weir_loop_add(b, "B", x->dim[0], false);
    add_positions(b, &window, &loops);
    const uint32_t g = weir_loop_add(b, "G", group, false);
    for (int i = window.rank - 1; i >= 0; i--)
        loops.f[i] = add_spatial(b, 'F', window.rank, i, window.kernel[i], false);
    const uint32_t c = weir_loop_add(b, "C", channels, false);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    const int last = x->rank - 1;
    int64_t stride = channels;
    weir_loop_term(out, 0, batch, 1);
    weir_loop_term(in, 0, batch, 1);
    weir_loop_term(in, last, g, channels);
    weir_loop_term(in, last, c, 1);
    for (int i = 0; i < window.rank; i++) {
        weir_loop_term(in, i + 1, loops.o[i], window.stride[i]);
        weir_loop_term(in, i + 1, loops.f[i], window.dilation[i]);
        in->axis[i + 1].offset = -window.begin[i];
        weir_loop_term(out, i + 1, loops.o[i], 1);
        weir_loop_term(out, last, loops.f[i], stride);
        stride *= window.kernel[i];
    }
    weir_loop_term(out, last, c, 1);
    weir_loop_term(out, last, g, stride);
}

/* A pool is a reduction of each channel by itself: ZigZag's G. */
static void pool_channels(weir_loop_builder *b, const weir_shape *x, uint32_t *batch, uint32_t *g) {
    b->nest->body = WEIR_LOOP_REDUCE;
    *batch = weir_loop_add(b, "B", x->dim[0], false);
    *g = weir_loop_add(b, "G", x->dim[1], false);
}

static void pool(weir_loop_builder *b, const weir_window *window, const weir_shape *x, const order *laid) {
    spatial loops;
    uint32_t batch, g;
    pool_channels(b, x, &batch, &g);
    add_positions(b, window, &loops);
    add_kernel(b, window, &loops);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    to_onnx(in, laid);
    to_onnx(out, laid);
    weir_loop_term(out, 0, batch, 1);
    weir_loop_term(in, 0, batch, 1);
    weir_loop_term(out, 1, g, 1);
    weir_loop_term(in, 1, g, 1);
    slide(window, &loops, in, out);
    from_onnx(in, laid);
    from_onnx(out, laid);
}

void weir_loop_sliding_pool(weir_loop_builder *b) {
    order laid;
    weir_window window;
    const weir_shape x = data_shape(b, &laid);
    const bool fine = weir_geometry_window(b->graph, b->node, &x, NULL, &window);
    assert(fine);
    (void)fine;
    pool(b, &window, &x, &laid);
}

void weir_loop_global_pool(weir_loop_builder *b) {
    order laid;
    const weir_shape x = data_shape(b, &laid);
    weir_window window = {.rank = x.rank - 2};
    for (int i = 0; i < window.rank; i++) {
        window.in[i] = window.kernel[i] = x.dim[i + 2];
        window.out[i] = window.stride[i] = window.dilation[i] = 1;
    }
    pool(b, &window, &x, &laid);
}

/* ---- products ---- */

/* The dimensions before the matrices: B, or B and H; between them B1, B2, ... */
static uint32_t add_leading(weir_loop_builder *b, const weir_shape *shape, int count) {
    const uint32_t first = b->nest->loop_count;
    for (int i = 0; i < count; i++) {
        const char middle[] = {'B', (char)('0' + i), '\0'};
        weir_loop_add(b, i == 0 ? "B" : i == count - 1 ? "H" : middle, shape->dim[i], false);
    }
    return first;
}

/* O[b][h][d][k] += I[b][h][d][c] * W[b][h][c][k], with vectors and broadcasting as NumPy has them */
static void product(weir_loop_builder *b, size_t left, size_t right) {
    const weir_shape *x = weir_loop_input_shape(b, left), *w = weir_loop_input_shape(b, right);
    const weir_shape *y = weir_loop_output_shape(b, 0);
    const bool rows = x->rank > 1, columns = w->rank > 1;
    const int leading = y->rank - rows - columns;
    b->nest->body = WEIR_LOOP_MULTIPLY_ACCUMULATE;
    const uint32_t first = add_leading(b, y, leading);
    const uint32_t d = weir_loop_add(b, "D", rows ? x->dim[x->rank - 2] : 1, false);
    const uint32_t k = weir_loop_add(b, "K", columns ? w->dim[w->rank - 1] : 1, false);
    const uint32_t c = weir_loop_add(b, "C", x->dim[x->rank - 1], true);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', left);
    weir_loop_operand *weight = weir_loop_read(b, 'W', right);
    for (int i = 0; i < leading; i++) weir_loop_term(out, i, first + (uint32_t)i, 1);
    if (rows) weir_loop_term(out, leading, d, 1);
    if (columns) weir_loop_term(out, leading + rows, k, 1);
    for (int i = 0; i + 2 < x->rank; i++)
        if (x->dim[i] != 1) weir_loop_term(in, i, first + (uint32_t)(leading - (x->rank - 2) + i), 1);
    if (rows) weir_loop_term(in, x->rank - 2, d, 1);
    weir_loop_term(in, x->rank - 1, c, 1);
    for (int i = 0; i + 2 < w->rank; i++)
        if (w->dim[i] != 1) weir_loop_term(weight, i, first + (uint32_t)(leading - (w->rank - 2) + i), 1);
    weir_loop_term(weight, columns ? w->rank - 2 : 0, c, 1);
    if (columns) weir_loop_term(weight, w->rank - 1, k, 1);
}

void weir_loop_matmul(weir_loop_builder *b) { product(b, 0, 1); }
void weir_loop_matmul_integer(weir_loop_builder *b) { product(b, 0, 1); }
void weir_loop_qlinear_matmul(weir_loop_builder *b) { product(b, 0, 3); }

/* O[d][k] += I[d][c] * W[c][k], each matrix transposed where the node says so, C broadcast to O */
static void general_product(weir_loop_builder *b, size_t right, size_t bias) {
    const weir_shape *x = weir_loop_input_shape(b, 0), *y = weir_loop_output_shape(b, 0);
    const int left_flip = weir_node_int(b->graph, b->node, "transA", 0) != 0;
    const int right_flip = weir_node_int(b->graph, b->node, "transB", 0) != 0;
    b->nest->body = WEIR_LOOP_MULTIPLY_ACCUMULATE;
    const uint32_t d = weir_loop_add(b, "D", y->dim[0], false), k = weir_loop_add(b, "K", y->dim[1], false);
    const uint32_t c = weir_loop_add(b, "C", x->dim[1 - left_flip], true);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_operand *weight = weir_loop_read(b, 'W', right), *start = weir_loop_read(b, 'B', bias);
    weir_loop_term(out, 0, d, 1);
    weir_loop_term(out, 1, k, 1);
    weir_loop_term(in, left_flip, d, 1);
    weir_loop_term(in, 1 - left_flip, c, 1);
    weir_loop_term(weight, right_flip, c, 1);
    weir_loop_term(weight, 1 - right_flip, k, 1);
    if (start != NULL) weir_loop_broadcast(b, start, d, 2);
}

void weir_loop_gemm(weir_loop_builder *b) { general_product(b, 1, 2); }
void weir_loop_qgemm(weir_loop_builder *b) { general_product(b, 3, 6); }

/* O[b][h][d][g][i][k] += I[b][h][d][g][c][i] * W[g][i][k][c] */
void weir_loop_linear(weir_loop_builder *b) {
    const weir_shape *x = weir_loop_input_shape(b, 0), *w = weir_loop_input_shape(b, 1);
    const int leading = x->rank < 2 ? 0 : x->rank - 2;
    b->nest->body = WEIR_LOOP_MULTIPLY_ACCUMULATE;
    const uint32_t first = add_leading(b, x, leading);
    const uint32_t d = weir_loop_add(b, "D", x->rank < 2 ? 1 : x->dim[x->rank - 2], false);
    const int64_t group = weir_node_int(b->graph, b->node, "group", 1), outputs = w->dim[0] / group;
    const int64_t interleave = weir_node_int(b->graph, b->node, "interleave", 1);
    const uint32_t k = weir_loop_add(b, "K", outputs, false);
    const uint32_t g = group > 1 ? weir_loop_add(b, "G", group / interleave, false) : 0;
    const uint32_t i = interleave > 1 ? weir_loop_add(b, "GI", interleave, false) : 0;
    const uint32_t c = weir_loop_add(b, "C", w->dim[1], true);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_operand *weight = weir_loop_read(b, 'W', 1);
    for (int l = 0; l < leading; l++) {
        weir_loop_term(out, l, first + (uint32_t)l, 1);
        weir_loop_term(in, l, first + (uint32_t)l, 1);
    }
    if (x->rank > 1) {
        weir_loop_term(out, leading, d, 1);
        weir_loop_term(in, leading, d, 1);
    }
    weir_loop_term(out, out->rank - 1, k, 1);
    weir_loop_term(in, in->rank - 1, c, interleave);
    weir_loop_term(weight, 0, k, 1);
    weir_loop_term(weight, 1, c, 1);
    if (group == 1) return;
    weir_loop_term(out, out->rank - 1, g, interleave * outputs);
    weir_loop_term(in, in->rank - 1, g, interleave * w->dim[1]);
    weir_loop_term(weight, 0, g, interleave * outputs);
    if (interleave == 1) return;
    weir_loop_term(out, out->rank - 1, i, outputs);
    weir_loop_term(in, in->rank - 1, i, 1);
    weir_loop_term(weight, 0, i, outputs);
}

/* Loops of one dimension of the matrices, the outermost first: those of strides from `unit` to below `unit * size`.
 * They read input 1 where it brings them. */
static void add_matrix_loops(weir_loop_builder *b, const weir_matrices *p, const char *name, int64_t unit, int64_t size,
                             weir_loop_operand *weight, weir_loop_operand *other, bool is_reduced) {
    int count = 0;
    for (int64_t below = unit * size; below > unit; count++) {
        int at = 0;
        int64_t brought = 1;
        while (p->size[at] == 1 || p->stride[at] * p->size[at] != below) at++;
        for (int i = at + 1; i < p->loops; i++) brought *= p->size[i];
        const char own[] = {name[0], (char)('0' + count), '\0'};
        const uint32_t loop = weir_loop_add(b, count == 0 ? name : own, p->size[at], is_reduced);
        weir_loop_term(weight, 0, loop, brought);
        weir_loop_term(other, 0, loop, p->stride[at] / unit);
        below = p->stride[at];
    }
}

/* Elements of input 1 from one matrix to that `stride` matrices on, which one of its loops brings. */
static int64_t brought_by(const weir_matrices *p, int64_t stride) {
    const int64_t matrix = p->columns * p->inner;
    int64_t brought = 1;
    for (int i = p->loops - 1; i >= 0; i--) {
        const int64_t own = p->stride[i] / matrix;
        if (own > 0 && stride % own == 0 && stride < own * p->size[i]) return stride / own * brought;
        brought *= p->size[i];
    }
    return 0;
}

/* O[b][d][k] += I[b][d][c] * W[b][k][c of d], with W in the order in which it comes */
void weir_loop_product(weir_loop_builder *b) {
    weir_matrices p;
    const bool fine = weir_geometry_matrices(b->graph, b->node, &p);
    assert(fine);
    (void)fine;
    b->nest->body = WEIR_LOOP_MULTIPLY_ACCUMULATE;
    const uint32_t page = weir_loop_add(b, "B", p.pages, false), first = b->nest->loop_count;
    for (int i = 0; i < p.row_loops; i++) {
        const char name[] = {'D', (char)('0' + i), '\0'};
        weir_loop_add(b, name, p.row_size[i], false);
    }
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_operand *weight = weir_loop_read(b, 'W', 1), *const all[] = {out, in, weight};
    const int64_t size[] = {p.rows * p.columns, p.rows * p.inner, p.matrices * p.columns * p.inner};
    for (size_t i = 0; i < 3; i++) {
        all[i]->is_flat = true;
        all[i]->rank = 1;
        all[i]->axis[0] = (weir_loop_axis){.size = p.pages * size[i]};
        weir_loop_term(all[i], 0, page, size[i]);
    }
    int64_t rows = 1;
    for (int i = p.row_loops - 1; i >= 0; i--) {
        weir_loop_term(out, 0, first + (uint32_t)i, rows * p.columns);
        weir_loop_term(in, 0, first + (uint32_t)i, rows * p.inner);
        if (p.row_stride[i] != 0 && p.row_size[i] > 1)
            weir_loop_term(weight, 0, first + (uint32_t)i, brought_by(&p, p.row_stride[i]));
        rows *= p.row_size[i];
    }
    add_matrix_loops(b, &p, "K", p.inner, p.columns, weight, out, false);
    add_matrix_loops(b, &p, "C", 1, p.inner, weight, in, true);
}
