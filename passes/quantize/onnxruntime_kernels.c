/* onnxruntime_kernels: where ONNX Runtime 1.32 at its default level runs a kernel on codes, that operator takes the
 * place of DequantizeLinear, the float operator and QuantizeLinear. What it computes then differs from the model's own
 * meaning next to ties, because its float steps round otherwise (quant/contract.h, QLinearAdd and its like). Its
 * conditions are those of ONNX Runtime:
 *   pairs        of quantizers, one behind the other, with nothing else that reads what is between, become one
 *   codes        int8 of a QuantizeLinear that one DequantizeLinear reads become uint8, 128 larger; each reader of what
 *                is dequantized has a DequantizeLinear of its own there
 *   operands     all from DequantizeLinear, of one type of 8 bits, with one scale each
 *   result       read by one QuantizeLinear of that type alone; a Relu or Clip before it that its range makes redundant
 *                goes
 *   between      what only moves elements changes places with quantizers: Reshape, Transpose, Squeeze, Unsqueeze, Slice
 * Products of codes (Conv, Gemm, MatMul) and Concat mean the same under both contracts. Two kernels are not followed,
 * which a warning says: AveragePool's, which adds dequantized float32 numbers one by one, what is no function of the
 * sum of codes that hardware has (what it divides by is, also where ceil_mode lets windows go beyond the padding); and
 * those of layers whose bias is of real numbers, which ONNX Runtime rounds to int32. O(size). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"

enum { MOST_MOVES = 16, MOST_MOVE_INPUTS = 5 };

typedef struct kernel {
    weir_op from, to;
    size_t operands;
} kernel;

static const kernel kernels[] = {
    {WEIR_OP_ADD, WEIR_OP_QLINEAR_ADD, 2},
    {WEIR_OP_MUL, WEIR_OP_QLINEAR_MUL, 2},
    {WEIR_OP_SIGMOID, WEIR_OP_QLINEAR_SIGMOID, 1},
    {WEIR_OP_LEAKY_RELU, WEIR_OP_QLINEAR_LEAKY_RELU, 1},
    {WEIR_OP_SOFTMAX, WEIR_OP_QLINEAR_SOFTMAX, 1},
    {WEIR_OP_GLOBAL_AVERAGE_POOL, WEIR_OP_QLINEAR_GLOBAL_AVERAGE_POOL, 1},
    {WEIR_OP_AVERAGE_POOL, WEIR_OP_QLINEAR_AVERAGE_POOL, 1},
};

static const kernel *kernel_of(weir_op op) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].from == op) return &kernels[i];
    return NULL;
}

/* But for an Update: a loop remembers numbers. */
static bool moves(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind == WEIR_OP_UPDATE) return false;
    return weir_index_map_reshapes(kind) || kind == WEIR_OP_TRANSPOSE || kind == WEIR_OP_SLICE;
}

/* The scale of a quantizer, which is one; NULL: there are several, or none that is known. */
static const weir_array *one_scale(const weir_graph *graph, weir_node quantizer) {
    const weir_value zero = weir_node_input(graph, quantizer, 2);
    const weir_array *scale = weir_value_constant(graph, weir_node_input(graph, quantizer, 1));
    if (scale == NULL || scale->count != 1 || (zero.id != 0 && weir_value_constant(graph, zero) == NULL)) return NULL;
    return scale;
}

static bool is_byte(weir_dtype dtype) { return dtype == WEIR_INT8 || dtype == WEIR_UINT8; }

/* The DequantizeLinear that gives the operand, also before moves; none: another operator does. */
static weir_node dequantizer_of(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    while (maker.id != 0 && moves(graph, maker)) maker = weir_value_producer(graph, weir_node_input(graph, maker, 0));
    const bool is =
        maker.id != 0 && weir_trait_kind(graph, maker) == WEIR_OP_DEQUANTIZE_LINEAR && one_scale(graph, maker) != NULL;
    return is ? maker : WEIR_NO_NODE;
}

/* The value moved as the node moves another one. */
static weir_value moved_by(weir_rewrite *r, weir_node move, weir_value value) {
    weir_value inputs[MOST_MOVE_INPUTS] = {value};
    const size_t count = weir_node_input_count(r->graph, move);
    assert(count <= MOST_MOVE_INPUTS);
    for (size_t i = 1; i < count; i++) inputs[i] = weir_node_input(r->graph, move, i);
    const weir_value moved = weir_rewrite_start(r, weir_node_op(r->graph, move), "moved", inputs, count);
    weir_rewrite_copy_attributes(r, moved, move);
    return weir_rewrite_infer(r, moved);
}

/* The operand's codes: moves of what is dequantized are moves of its codes. */
static weir_value codes_of(weir_rewrite *r, weir_value value) {
    const weir_node maker = weir_value_producer(r->graph, value);
    const weir_value input = weir_node_input(r->graph, maker, 0);
    return moves(r->graph, maker) ? moved_by(r, maker, codes_of(r, input)) : input;
}

/* What reads a result: moves, then a quantizer. */
typedef struct reading {
    weir_node move[MOST_MOVES], quantizer;
    size_t count;
} reading;

/* The numbers that the quantizer's codes stand for. */
static void range_of(const weir_graph *graph, weir_node quantizer, weir_dtype dtype, float *low, float *high) {
    const weir_value zero = weir_node_input(graph, quantizer, 2);
    const int64_t least = dtype == WEIR_INT8 ? -128 : 0;
    const int64_t z = zero.id == 0 ? 0 : weir_array_get_int(weir_value_constant(graph, zero), 0);
    const float scale = (float)weir_array_get(one_scale(graph, quantizer), 0);
    *low = scale * (float)(least - z);
    *high = scale * (float)(least + 255 - z);
}

/* Does the quantizer clip all that the Relu or Clip before it does? Bounds within ONNX Runtime's tolerance. */
static bool is_redundant(const weir_graph *graph, weir_node node, weir_node quantizer, weir_dtype dtype) {
    float low, high, least = -FLT_MAX, most = FLT_MAX;
    range_of(graph, quantizer, dtype, &low, &high);
    if (weir_trait_kind(graph, node) == WEIR_OP_RELU) return low >= 0;
    for (size_t i = 1; i < 3; i++) {
        const weir_value bound = weir_node_input(graph, node, i);
        const weir_array *data = bound.id == 0 ? NULL : weir_value_constant(graph, bound);
        if (bound.id != 0 && data == NULL) return false;
        if (data != NULL) *(i == 1 ? &least : &most) = (float)weir_array_get(data, 0);
    }
    return least - low <= FLT_EPSILON && high - most <= FLT_EPSILON;
}

static bool is_clip(weir_op kind) { return kind == WEIR_OP_RELU || kind == WEIR_OP_CLIP; }

/* False: it is read in another way. */
static bool read_result(const weir_graph *graph, weir_value value, weir_dtype dtype, reading *to) {
    weir_node clip = WEIR_NO_NODE;
    to->count = 0;
    for (;;) {
        if (weir_value_use_count(graph, value) != 1 || weir_value_is_output(graph, value)) return false;
        const weir_use use = weir_value_use(graph, value, 0);
        const weir_op kind = weir_trait_kind(graph, use.node);
        if (use.index != 0) return false;
        if (kind == WEIR_OP_QUANTIZE_LINEAR) {
            to->quantizer = use.node;
            return one_scale(graph, use.node) != NULL &&
                   weir_value_type(graph, weir_node_output(graph, use.node, 0))->dtype == dtype &&
                   (clip.id == 0 || is_redundant(graph, clip, use.node, dtype));
        }
        if (clip.id == 0 && is_clip(kind)) clip = use.node;
        else if (clip.id == 0 && moves(graph, use.node) && to->count < MOST_MOVES) to->move[to->count++] = use.node;
        else return false;
        value = weir_node_output(graph, use.node, 0);
    }
}

/* Softmax over the last axis: what the kernels do. Of pools those that divide by other numbers than the operator does:
 * by all of a window, also where it goes beyond the padding. */
static bool has_kernel(const weir_graph *graph, weir_node node) {
    if (weir_trait_kind(graph, node) == WEIR_OP_AVERAGE_POOL)
        return weir_node_int(graph, node, "ceil_mode", 0) != 0 &&
               weir_node_int(graph, node, "count_include_pad", 0) != 0 &&
               weir_node_attribute(graph, node, "dilations") == NULL;
    const int rank = weir_value_type(graph, weir_node_output(graph, node, 0))->shape.rank;
    const int64_t axis = weir_node_int(graph, node, "axis", -1);
    return weir_trait_kind(graph, node) != WEIR_OP_SOFTMAX || axis == -1 || axis == rank - 1;
}

static void set_attributes(weir_rewrite *r, weir_node from, weir_value made) {
    weir_rewrite_copy_attributes(r, made, from);
    if (weir_trait_kind(r->graph, from) == WEIR_OP_SOFTMAX) weir_rewrite_set_int(r, made, "opset", 13);
}

/* The quantizer's scale and zero point as inputs of the kernel, which has them all. */
static size_t add_parameters(weir_rewrite *r, weir_node quantizer, weir_dtype dtype, weir_value *inputs) {
    inputs[0] = weir_node_input(r->graph, quantizer, 1);
    inputs[1] = weir_node_input(r->graph, quantizer, 2);
    if (inputs[1].id == 0) inputs[1] = weir_rewrite_number(r, "zero_point", dtype, 0);
    return 2;
}

static bool fuse(weir_rewrite *r, const kernel *k) {
    weir_graph *graph = r->graph;
    const weir_node node = r->at;
    weir_node from[2];
    reading result;
    weir_dtype dtype = WEIR_UINT8;
    for (size_t i = 0; i < k->operands; i++) {
        from[i] = dequantizer_of(graph, weir_node_input(graph, node, i));
        if (from[i].id == 0) return false;
        const weir_dtype own = weir_value_type(graph, weir_node_input(graph, from[i], 0))->dtype;
        if (!is_byte(own) || (i > 0 && own != dtype)) return false;
        dtype = own;
    }
    if (!has_kernel(graph, node) || !read_result(graph, weir_node_output(graph, node, 0), dtype, &result)) return false;
    weir_value inputs[8];
    size_t count = 0;
    for (size_t i = 0; i < k->operands; i++) {
        inputs[count++] = codes_of(r, weir_node_input(graph, node, i));
        count += add_parameters(r, from[i], dtype, &inputs[count]);
    }
    count += add_parameters(r, result.quantizer, dtype, &inputs[count]);
    weir_value value = weir_rewrite_start(r, k->to, "codes", inputs, count);
    set_attributes(r, node, value);
    value = weir_rewrite_infer(r, value);
    for (size_t i = 0; i < result.count; i++) value = moved_by(r, result.move[i], value);
    weir_rewrite_replace(r, weir_node_output(graph, result.quantizer, 0), value);
    return true;
}

/* A QuantizeLinear and the DequantizeLinear that alone reads it, with one scale and zero point, which both state. */
typedef struct pair {
    weir_node quantizer, dequantizer;
    weir_dtype dtype;
    float scale, zero;
} pair;

/* The node that alone reads the value, at its first input; none: others do, or it is a result. */
static weir_node lone_reader(const weir_graph *graph, weir_value value) {
    if (weir_value_use_count(graph, value) != 1 || weir_value_is_output(graph, value)) return WEIR_NO_NODE;
    const weir_use use = weir_value_use(graph, value, 0);
    return use.index == 0 ? use.node : WEIR_NO_NODE;
}

static bool is_a(const weir_graph *graph, weir_node node, weir_op kind) {
    return node.id != 0 && weir_trait_kind(graph, node) == kind;
}

/* Is it a part of a node of the file (QLinearConcat), whose parts all have its line? */
static bool is_part(const weir_graph *graph, weir_node quantizer) {
    const weir_node maker = weir_value_producer(graph, weir_node_input(graph, quantizer, 0));
    const int line = weir_node_location(graph, quantizer).line;
    return maker.id != 0 && line != 0 && line == weir_node_location(graph, maker).line;
}

static bool find_pair(const weir_graph *graph, weir_node quantizer, pair *p) {
    if (!is_a(graph, quantizer, WEIR_OP_QUANTIZE_LINEAR) || is_part(graph, quantizer)) return false;
    const weir_value codes = weir_node_output(graph, quantizer, 0);
    const weir_node both[2] = {quantizer, lone_reader(graph, codes)};
    if (!is_a(graph, both[1], WEIR_OP_DEQUANTIZE_LINEAR)) return false;
    float scale[2], zero[2];
    for (size_t i = 0; i < 2; i++) {
        if (one_scale(graph, both[i]) == NULL || weir_node_input(graph, both[i], 2).id == 0) return false;
        scale[i] = (float)weir_array_get(one_scale(graph, both[i]), 0);
        zero[i] = (float)weir_array_get_int(weir_value_constant(graph, weir_node_input(graph, both[i], 2)), 0);
    }
    *p = (pair){both[0], both[1], weir_value_type(graph, codes)->dtype, scale[0], zero[0]};
    return scale[0] == scale[1] && zero[0] == zero[1];
}

/* Of two pairs, the second alone behind the first, one remains, with the numbers that both have codes for, in float32
 * as ONNX Runtime computes them. False: there are no two. */
static bool merge_pairs(weir_rewrite *r) {
    weir_graph *graph = r->graph;
    pair first, next;
    int64_t least, most;
    if (!find_pair(graph, r->at, &first)) return false;
    const weir_value codes = weir_node_output(graph, first.quantizer, 0);
    if (!find_pair(graph, lone_reader(graph, weir_node_output(graph, first.dequantizer, 0)), &next)) return false;
    if (next.dtype != first.dtype) return false;
    weir_node_set_input(graph, next.dequantizer, 0, codes);
    weir_rewrite_remove(r, next.quantizer);
    weir_rewrite_remove(r, first.dequantizer);
    r->is_stale = true;
    if (first.scale == next.scale && first.zero == next.zero) return true;
    weir_quant_limits(&weir_value_type(graph, codes)->quant, &least, &most);
    const float low = fmaxf(((float)least - first.zero) * first.scale, ((float)least - next.zero) * next.scale),
                high = fminf(((float)most - first.zero) * first.scale, ((float)most - next.zero) * next.scale),
                scale = (high - low) / (float)(most - least), zero = roundf((float)least - low / scale);
    const weir_node left[2] = {first.quantizer, next.dequantizer};
    for (size_t i = 0; i < 2; i++) {
        weir_node_set_input(graph, left[i], 1, weir_rewrite_number(r, "scale", WEIR_FLOAT32, (double)scale));
        weir_node_set_input(graph, left[i], 2, weir_rewrite_number(r, "zero_point", first.dtype, (double)zero));
    }
    return true;
}

/* The codes of a pair of quantizers in int8, which go nowhere else, as uint8. */
static void shift_codes(weir_rewrite *r) {
    weir_graph *graph = r->graph;
    const weir_value codes = weir_node_output(graph, r->at, 0), zero = weir_node_input(graph, r->at, 2);
    if (weir_value_type(graph, codes)->dtype != WEIR_INT8 || zero.id == 0 || one_scale(graph, r->at) == NULL) return;
    if (weir_value_use_count(graph, codes) != 1 || weir_value_is_output(graph, codes)) return;
    const weir_node reader = weir_value_use(graph, codes, 0).node;
    const weir_value other = weir_node_input(graph, reader, 2), numbers = weir_node_output(graph, reader, 0);
    if (weir_trait_kind(graph, reader) != WEIR_OP_DEQUANTIZE_LINEAR || other.id == 0 ||
        one_scale(graph, reader) == NULL)
        return;
    if (weir_value_use_count(graph, numbers) + weir_value_is_output(graph, numbers) > 1) return;
    const weir_value zeros[2] = {zero, other};
    const weir_node both[2] = {r->at, reader};
    for (size_t i = 0; i < 2; i++) {
        const double z = (double)weir_array_get_int(weir_value_constant(graph, zeros[i]), 0);
        weir_node_set_input(graph, both[i], 2, weir_rewrite_number(r, "zero_point", WEIR_UINT8, z + 128));
    }
    r->is_stale = true;
}

/* Why the node's kernel is not followed; NULL: it has none, or it is. A layer's bias is rounded before a kernel is
 * looked for, which may not be there. */
static const char *why_not(const weir_graph *graph, weir_node node) {
    reading result;
    const weir_node from = dequantizer_of(graph, weir_node_input(graph, node, 0));
    if (from.id == 0) return NULL;
    const weir_dtype dtype = weir_value_type(graph, weir_node_input(graph, from, 0))->dtype,
                     other = dtype == WEIR_INT8 ? WEIR_UINT8 : WEIR_INT8;
    const weir_value y = weir_node_output(graph, node, 0), bias = weir_node_input(graph, node, 2);
    const weir_trait *trait = weir_trait_of(weir_node_op(graph, node));
    const bool is_real = bias.id != 0 && weir_value_constant(graph, bias) != NULL,
               is_rounded = trait->task == WEIR_TASK_LAYER && is_real && is_byte(dtype);
    if (is_rounded && (read_result(graph, y, dtype, &result) || read_result(graph, y, other, &result)))
        return "ONNX Runtime rounds its bias of real numbers to int32";
    if (!is_byte(dtype) || !read_result(graph, y, dtype, &result)) return NULL;
    const bool is_pool = trait->task == WEIR_TASK_MEAN && trait->order == WEIR_ORDER_CHANNELS;
    return is_pool && trait->kind != WEIR_OP_GLOBAL_AVERAGE_POOL
               ? "its kernel adds float32 numbers one by one, which is not a function of a sum of codes"
               : NULL;
}

/* A warning for the first node of each reason. */
static void warn_of(const weir_graph *graph, weir_node node, const char *why, const char **before) {
    for (; *before != NULL; before++)
        if (*before == why) return;
    *before = why;
    weir_warning(weir_node_location(graph, node), "node '%s' (%s) keeps the model's contract: %s",
                 weir_node_name(graph, node), weir_node_info(graph, node)->full_name, why);
}

bool weir_onnxruntime_kernels(weir_graph *graph, size_t *count) {
    weir_rewrite r = {.graph = graph};
    const char *said[4] = {NULL};
    *count = 0;
    for (r.at = weir_graph_first(graph); r.at.id != 0; r.at = weir_node_next(graph, r.at))
        while (merge_pairs(&r)) continue;
    if (!weir_rewrite_finish(&r)) return false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        r.at = node;
        if (weir_trait_kind(graph, node) == WEIR_OP_QUANTIZE_LINEAR) shift_codes(&r);
    }
    if (!weir_rewrite_finish(&r)) return false;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        const kernel *k = kernel_of(weir_node_op(graph, node));
        const char *why = weir_node_input_count(graph, node) == 0 ? NULL : why_not(graph, node);
        if (why != NULL) warn_of(graph, node, why, said);
        r.at = node;
        *count += k != NULL && fuse(&r, k);
    }
    const bool fine = weir_rewrite_finish(&r);
    weir_eliminate_dead_code(graph);
    return fine;
}

bool weir_pass_onnxruntime_kernels(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    size_t count;
    const weir_graph *source = weir_lower_source(module);
    weir_graph *graph = weir_module_find_graph(module, weir_graph_name(source));
    weir_graph_set_contract(graph, WEIR_GRAPH_ONNXRUNTIME);
    const bool fine = weir_onnxruntime_kernels(graph, &count);
    weir_pass_count(context, "kernels on codes", (int64_t)count);
    return fine;
}
