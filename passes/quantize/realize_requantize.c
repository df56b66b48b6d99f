/* realize_requantize: each Requantize and Threshold of the integer graph becomes the cheapest component that provably
 * computes the same function of the accumulator (DESIGN "Exact requantization"):
 *   Cast        every channel is an addition and a shift (powers of two, MASE's fixed point), by its own rounding or
 *               because the search below finds multipliers of 1
 *   Threshold   few output codes
 *   Scale       floor((x * M + A) / 2^S) per channel, the narrowest M by exact search
 *   Lookup      of up to 256 codes (1,024 where ScaleFloat does not fit), many of which are ties
 *   ScaleFloat  the float32 arithmetic itself, when its double rounding makes no multiply-add-shift fit
 *   Threshold   the table of steps, when nothing else fits
 * Functions that fall (a BatchNormalization with negative factors) are made to rise: the dense layer before the
 * requantizer negates the weights of their channels. Where there is none, and channels differ, a dense layer that only
 * gives signs is added.
 * The proof (weir_staircase_proves) runs for every channel of every node, on each compile.
 * Outputs of more than WEIR_STAIRCASE_CODES codes have no tables and no search for the narrowest multiplier. What is exact by
 * construction is taken as it is: ScaleFloat for float32 arithmetic, whose operations it does one by one, and a Cast where
 * all scales are powers of two. Otherwise the Scale nearest to the ratio is proved on every step, one channel at a time.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "quant/arithmetic.h"
#include "quant/contract.h"
#include "quant/staircase.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum {
    MAX_SHIFT = 46,
    MAX_MULTIPLIER_BITS = 31,
    MAX_ADD_BITS = 56,
    FEW_CODES = 3,
    FLAT = 16,
    MAX_TABLE = 1 << 18,
    LARGE_TABLE = 1 << 18, /* bits */
    MAX_ENTRIES = 1024,
    FEW_ENTRIES = 256
};

/* The most codes of a wide output whose scale is no power of two. */
enum { MOST_CODES = 65536, WIDE_SHIFT = 62, WIDE_MULTIPLIER_BITS = 44 };

/* What rtl/cast/weir_requantize_float.v takes: the smallest shift, and the largest distance of codes from the zero
 * point. */
enum { FLOAT_SHIFT = 2, FLOAT_REACH = 1 << 22 };
/* Mantissas aligned to one shift stay below this; sums of 62 bits times that stay below 2^126. */
static const double FLOAT_MULTIPLIER = 0x1p44;

typedef struct realizer {
    weir_graph *graph;
    weir_node node;
    size_t channels; /* 1 when every channel has the same function */
    weir_staircase *staircase;
    weir_requantizer requantizer; /* Requantize only */
    const weir_array *thresholds; /* Threshold only */
    int64_t low, high, base, stride;
    bool *falling; /* by channel, while the node's function is straightened */
} realizer;

static bool fail(const realizer *r, const char *what) {
    weir_error(weir_node_location(r->graph, r->node), "node '%s': %s", weir_node_name(r->graph, r->node), what);
    return false;
}

/* --- the specification of one channel --- */

typedef struct channel_function {
    const realizer *r;
    int64_t channel;
    bool is_product; /* the requantizer is: this one */
    weir_channel_product product;
} channel_function;

static channel_function function_of(const realizer *r, size_t c) {
    channel_function f = {.r = r, .channel = (int64_t)c};
    f.is_product = r->thresholds == NULL && weir_requantizer_is_product(&r->requantizer);
    if (f.is_product) f.product = weir_requantizer_product(&r->requantizer, f.channel);
    return f;
}

static int64_t specified(const void *user, int64_t x) {
    const channel_function *f = user;
    const realizer *r = f->r;
    if (r->thresholds == NULL) {
        const int64_t code = f->is_product ? weir_channel_product_apply(&f->product, x)
                                           : weir_requantizer_apply(&r->requantizer, f->channel, x);
        return r->stride == 1 ? code : (code - r->base) / r->stride;
    }
    size_t count = (size_t)r->thresholds->shape.dim[1], below = 0;
    size_t row = r->thresholds->shape.dim[0] == 1 ? 0 : (size_t)f->channel;
    const int64_t *steps = (const int64_t *)r->thresholds->data + row * count;
    for (size_t end = count; below < end;) {
        size_t middle = below + (end - below) / 2;
        if (steps[middle] <= x) below = middle + 1;
        else end = middle;
    }
    return r->stride == 1 ? r->base + (int64_t)below : (int64_t)below;
}

/* Reads the node. Binary outputs are handled as step numbers 0, 1 with base -1 and stride 2. */
static bool read_node(realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const weir_type *out = weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    size_t last = (size_t)in->shape.dim[in->shape.rank - 1];
    if (!in->has_range) return fail(r, "its input has no proven range");
    r->stride = 1;
    r->channels = in->quant.count > 1 ? in->quant.count : 1;
    if (weir_node_op(r->graph, r->node) == WEIR_OP_THRESHOLD) {
        r->thresholds = weir_value_constant(r->graph, weir_node_input(r->graph, r->node, 1));
        r->base = weir_node_int(r->graph, r->node, "base", 0);
        r->stride = weir_node_int(r->graph, r->node, "step", 1);
        r->channels = (size_t)r->thresholds->shape.dim[0];
        int64_t steps = r->thresholds->shape.dim[1];
        r->low = r->stride == 1 ? r->base : 0;
        r->high = r->low + steps;
    } else {
        if (!weir_requantizer_of(r->graph, r->node, &r->requantizer)) return fail(r, "its contract is unknown");
        if (r->requantizer.offset != NULL && r->requantizer.offset->count > 1)
            r->channels = r->requantizer.offset->count;
        for (size_t i = 0; i < r->requantizer.step_count; i++) {
            const size_t channels = weir_step_channels(&r->requantizer.step[i]);
            if (channels > 1) r->channels = channels;
        }
        r->low = r->requantizer.low;
        r->high = r->requantizer.high;
        if (out->quant.format == WEIR_FORMAT_BINARY) {
            r->base = -1;
            r->stride = 2;
            r->low = 0;
            r->high = 1;
        }
    }
    if (r->channels > 1 && r->channels != last) return fail(r, "its parameters do not fit the last axis");
    return true;
}

static bool build_staircases(realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    r->staircase = weir_calloc(r->channels, sizeof *r->staircase);
    for (size_t c = 0; c < r->channels; c++) {
        const channel_function function = function_of(r, c);
        if (!weir_staircase_build(&r->staircase[c], specified, &function, in->low, in->high, r->low, r->high))
            return fail(r, "its function is not monotonically increasing");
    }
    return true;
}

/* --- candidates: each fills parameters a channel and is proved --- */

typedef struct candidate {
    weir_op op;
    int shift, left;
    weir_rounding rounding;
    int64_t zero, low, high; /* low, high: in the codes of the staircase */
    int64_t *multiplier, *add;
} candidate;

typedef struct channel_candidate {
    const candidate *k;
    size_t channel;
} channel_candidate;

static int64_t computed(const void *user, int64_t x) {
    const channel_candidate *c = user;
    const candidate *k = c->k;
    int64_t add = k->add[c->channel];
    switch (k->op) {
    case WEIR_OP_CAST: return weir_cast(x, add, k->left, k->shift, k->rounding, k->low, k->high);
    case WEIR_OP_SCALE: return weir_requantize_scale(x, k->multiplier[c->channel], add, k->shift, k->low, k->high);
    case WEIR_OP_SCALE_FLOAT:
        return weir_requantize_scale_float(x, k->multiplier[c->channel], add, k->shift, k->zero, k->low, k->high);
    default: weir_unreachable("no requantizer");
    }
}

static bool proved_channel(const realizer *r, const candidate *k, size_t c) {
    const channel_candidate function = {k, c};
    int64_t where;
    return weir_staircase_proves(&r->staircase[c], computed, &function, &where);
}

static bool proved(const realizer *r, const candidate *k) {
    for (size_t c = 0; c < r->channels; c++) {
        if (!proved_channel(r, k, c)) return false;
    }
    return true;
}

/* The scale ratio of the channel as a power of two, or false. */
static bool power_of_two(const realizer *r, size_t c, int *exponent) {
    double ratio = weir_quant_scale(r->requantizer.from, (int64_t)c) / weir_quant_scale(r->requantizer.to, 0);
    return frexp(ratio, exponent) == 0.5 && (*exponent -= 1, true);
}

/* Power-of-two ratio, whole additions: y = round((x + add) * 2^e) with the zero point of y inside add. */
static bool shift_of(const realizer *r, candidate *k) {
    if (r->thresholds != NULL || r->stride != 1 || r->requantizer.step_count > 0) return false;
    int exponent = 0, other;
    for (size_t c = 0; c < r->channels; c++) {
        if (!power_of_two(r, c, &other) || (c > 0 && other != exponent) || other > 16 || other < -40) return false;
        exponent = other;
    }
    if (r->requantizer.to->rounding == WEIR_ROUND_HALF_TO_ZERO) return false;
    *k = (candidate){WEIR_OP_CAST,
                     exponent < 0 ? -exponent : 0,
                     exponent > 0 ? exponent : 0,
                     r->requantizer.to->rounding,
                     0,
                     r->low,
                     r->high,
                     k->multiplier,
                     k->add};
    for (size_t c = 0; c < r->channels; c++) {
        double offset = r->requantizer.offset == NULL
                            ? 0
                            : weir_array_get(r->requantizer.offset, r->requantizer.offset->count == 1 ? 0 : c) /
                                  weir_quant_scale(r->requantizer.from, (int64_t)c);
        double zero = ldexp((double)weir_quant_zero(r->requantizer.to, 0), -exponent);
        if (offset != floor(offset) || zero != floor(zero)) return false;
        k->add[c] = (int64_t)(offset + zero) - weir_quant_zero(r->requantizer.from, (int64_t)c);
    }
    return true;
}

static bool try_cast(const realizer *r, candidate *k) { return shift_of(r, k) && proved(r, k); }

static int bits_of(int64_t value) { return weir_bits_for(value < 0 ? value : 0, value < 0 ? 0 : value); }

/* One shift for all channels: the largest of the channels' smallest. */
static bool try_scale(const realizer *r, candidate *k) {
    if (r->stride != 1) return false;
    weir_scaling scaling;
    int shift = 0;
    for (size_t c = 0; c < r->channels; c++) {
        if (!weir_staircase_scaling(&r->staircase[c], MAX_SHIFT, &scaling)) return false;
        if (scaling.shift > shift) shift = scaling.shift;
    }
    *k = (candidate){WEIR_OP_SCALE, shift, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high, k->multiplier, k->add};
    for (size_t c = 0; c < r->channels; c++) {
        if (!weir_staircase_scaling_at(&r->staircase[c], shift, &scaling)) return false;
        if (bits_of(scaling.multiplier) > MAX_MULTIPLIER_BITS || bits_of(scaling.add) > MAX_ADD_BITS) return false;
        k->multiplier[c] = scaling.multiplier;
        k->add[c] = scaling.add;
    }
    bool shifts_only = true;
    for (size_t c = 0; c < r->channels; c++) shifts_only &= k->multiplier[c] == 1;
    if (shifts_only) k->op = WEIR_OP_CAST;
    return proved(r, k);
}

/* The exponent of the last bit of the channel's float32 multiplier. */
static int last_bit(const realizer *r, size_t c) {
    int exponent;
    frexpf(weir_requantizer_multiplier(&r->requantizer, (int64_t)c), &exponent);
    return exponent - FLT_MANT_DIG;
}

/* Has the channel few codes? Those that nearly died in training have multipliers too far from the others' for one shift. */
static bool is_flat(const realizer *r, size_t c) { return r->staircase != NULL && r->staircase[c].count <= FLAT; }

static bool fits_channel(const realizer *r, candidate *k, size_t c, int64_t multiplier, int64_t add) {
    k->multiplier[c] = multiplier;
    k->add[c] = add;
    return bits_of(add) <= MAX_ADD_BITS && proved_channel(r, k, c);
}

/* Another multiplier for a flat channel, no larger than `most`: its own with fewer digits; or, where it has one code or two, 2^shift / per,
 * with the inputs between the rounding bounds of the one, around the bound of the two, or, where the clip gives the one, beyond. */
static bool flatten_channel(const realizer *r, candidate *k, size_t c, int64_t most) {
    const weir_staircase *s = &r->staircase[c];
    const double own = nearbyint(ldexp((double)weir_requantizer_multiplier(&r->requantizer, (int64_t)c), k->shift));
    if (own >= 1 && fits_channel(r, k, c, (int64_t)own, -weir_quant_zero(r->requantizer.from, (int64_t)c))) return true;
    if (s->count > 1) return false;
    const int64_t code = s->base - k->zero, one = (int64_t)1 << k->shift, range = s->x_high - s->x_low + 1;
    int64_t per = 1;
    while (one / per > most) per *= 2;
    const bool flat = s->count == 0;
    if (flat && s->base == k->low && fits_channel(r, k, c, one / per, (code - 1) * per - s->x_high)) return true;
    if (flat && s->base == k->high && fits_channel(r, k, c, one / per, (code + 1) * per - s->x_low)) return true;
    while (per < 2 * range) per *= 2;
    if (one / per == 0) return false;
    if (flat) return fits_channel(r, k, c, one / per, code * per - s->x_low - range / 2);
    const int64_t tie = code * per + per / 2 - s->step[0]; /* which goes to the even code */
    return fits_channel(r, k, c, one / per, tie) || fits_channel(r, k, c, one / per, tie + 1);
}

/* The float32 multipliers' mantissas aligned to one exponent, that of the least of the channels that keep theirs. */
static bool align(const realizer *r, const bool *keeps, candidate *k) {
    int least = -FLOAT_SHIFT;
    for (size_t c = 0; c < r->channels; c++) {
        if (keeps[c] && last_bit(r, c) < least) least = last_bit(r, c);
    }
    const int64_t zero = weir_quant_zero(r->requantizer.to, 0);
    if (least < -61 || r->high - zero >= FLOAT_REACH || zero - r->low >= FLOAT_REACH) return false;
    *k =
        (candidate){WEIR_OP_SCALE_FLOAT, -least, 0, WEIR_ROUND_HALF_EVEN, zero, r->low, r->high, k->multiplier, k->add};
    int64_t common = 0;
    for (size_t c = 0; c < r->channels; c++) {
        const float m = weir_requantizer_multiplier(&r->requantizer, (int64_t)c);
        const double mantissa = ldexp((double)m, -least);
        k->multiplier[c] = 0;
        if (last_bit(r, c) < least) continue;
        if (mantissa >= FLOAT_MULTIPLIER || !isnormal(m)) return false;
        k->multiplier[c] = (int64_t)mantissa;
        k->add[c] = -weir_quant_zero(r->requantizer.from, (int64_t)c);
        common |= k->multiplier[c];
    }
    for (; common != 0 && (common & 1) == 0 && k->shift > FLOAT_SHIFT; common >>= 1, k->shift--) {
        for (size_t c = 0; c < r->channels; c++) k->multiplier[c] >>= 1;
    }
    return true;
}

/* The flat channels among the others get multipliers that fit; those for which there is none keep their own. */
static bool float_of(const realizer *r, candidate *k) {
    if (r->thresholds != NULL || r->requantizer.contract != WEIR_CONTRACT_ONNXRUNTIME || r->stride != 1 ||
        r->requantizer.step_count > 0)
        return false;
    bool *keeps = weir_calloc(r->channels, sizeof *keeps), again = true, fine = true;
    for (size_t c = 0; c < r->channels; c++) keeps[c] = !is_flat(r, c);
    while (again && (fine = align(r, keeps, k))) {
        int64_t most = 1;
        for (size_t c = 0; c < r->channels; c++) most = k->multiplier[c] > most ? k->multiplier[c] : most;
        again = false;
        for (size_t c = 0; !again && c < r->channels; c++) {
            if (k->multiplier[c] != 0 || flatten_channel(r, k, c, most)) continue;
            again = keeps[c] = true;
        }
    }
    free(keeps);
    return fine;
}

static bool try_scale_float(const realizer *r, candidate *k) { return float_of(r, k) && proved(r, k); }

/* --- putting the winner into the graph --- */

static weir_value parameter(realizer *r, const char *suffix, const int64_t *values, size_t rows, size_t columns) {
    weir_shape shape =
        columns == 0 ? (weir_shape){1, {(int64_t)rows}} : (weir_shape){2, {(int64_t)rows, (int64_t)columns}};
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    memcpy(array->data, values, array->count * sizeof *values);
    char *name = weir_format("%s_%s", weir_node_name(r->graph, r->node), suffix);
    weir_value value = weir_graph_add_constant(r->graph, name, array);
    free(name);
    weir_array_free(array);
    return value;
}

/* The new node takes the old one's name, location, output type and users. */
static weir_node replace(realizer *r, weir_op op, const weir_value *inputs, size_t count) {
    weir_graph *graph = r->graph;
    weir_value old = weir_node_output(graph, r->node, 0);
    weir_node made = weir_graph_add_node(graph, op, "replacement", inputs, count, 1, r->node);
    weir_value value = weir_node_output(graph, made, 0);
    weir_value_set_type(graph, value, weir_value_type(graph, old));
    weir_node_set_location(graph, made, weir_node_location(graph, r->node));
    if (op == weir_node_op(graph, r->node)) weir_node_copy_attributes(graph, made, graph, r->node);
    char *name = weir_copy_string(weir_node_name(graph, r->node));
    weir_value_replace(graph, old, value);
    weir_graph_remove_node(graph, r->node);
    weir_node_rename(graph, made, name, "");
    free(name);
    return made;
}

static bool finish(realizer *r, weir_node made) { return weir_infer_node(r->graph, made); }

static bool use_candidate(realizer *r, const candidate *k) {
    bool cast = k->op == WEIR_OP_CAST, zero = true;
    for (size_t c = 0; c < r->channels; c++) zero &= k->add[c] == 0;
    weir_value inputs[3] = {weir_node_input(r->graph, r->node, 0)};
    size_t count = 1;
    /* The range of a table's results is that of its input's codes; users of the result rely on it. */
    const weir_type *out = weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    bool narrow = r->thresholds != NULL && r->stride == 1 && out->has_range;
    int64_t low = narrow && out->low > k->low ? out->low : k->low;
    int64_t high = narrow && out->high < k->high ? out->high : k->high;
    if (!cast) inputs[count++] = parameter(r, "multiplier", k->multiplier, r->channels, 0);
    if (!cast || !zero) inputs[count++] = parameter(r, "add", k->add, r->channels, 0);
    weir_node made = replace(r, k->op, inputs, count);
    weir_node_set_int(r->graph, made, "low", low);
    weir_node_set_int(r->graph, made, "high", high);
    weir_node_set_int(r->graph, made, "shift", k->shift);
    if (k->op == WEIR_OP_SCALE_FLOAT) weir_node_set_int(r->graph, made, "zero", k->zero);
    if (cast) {
        weir_node_set_int(r->graph, made, "left", k->left);
        weir_node_set_string(r->graph, made, "rounding", weir_rounding_name(k->rounding));
    }
    return finish(r, made);
}

/* What the model's author can do about a table of thresholds. */
static void note_steps(const realizer *r) {
    const char *steps = r->thresholds != NULL ? "" : weir_node_string(r->graph, r->node, "steps", "");
    if (*steps == '\0') return;
    weir_note(
        "each of '%s' rounds in float32: fold them into the layer before it is quantized, as ONNX Runtime's quant_pre_process does "
        "with a BatchNormalization",
        steps);
}

/* A memory larger than most layers' weights is worth a word. */
static void warn_table(const realizer *r, size_t count) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int width = weir_bits_for(in->low, in->high);
    if (r->thresholds != NULL || count * r->channels * (size_t)width < LARGE_TABLE) return;
    weir_warning(weir_node_location(r->graph, r->node),
                 "node '%s': no multiplication is exact; its table has %zu thresholds of %d bits",
                 weir_node_name(r->graph, r->node), count * r->channels, width);
    note_steps(r);
}

/* Steps that are never reached are one above the largest input. */
static bool use_thresholds(realizer *r) {
    int64_t base = r->staircase[0].base, top = base;
    for (size_t c = 0; c < r->channels; c++) {
        const weir_staircase *s = &r->staircase[c];
        if (s->base < base) base = s->base;
        if (s->base + (int64_t)s->count > top) top = s->base + (int64_t)s->count;
    }
    size_t count = (size_t)(top - base);
    if (count == 0) count = 1;
    if (count * r->channels > MAX_TABLE) {
        fail(r, "no multiplication is exact, and its table of thresholds is too large");
        note_steps(r);
        return false;
    }
    warn_table(r, count);
    int64_t *steps = weir_malloc(count * r->channels * sizeof *steps);
    for (size_t c = 0; c < r->channels; c++) {
        const weir_staircase *s = &r->staircase[c];
        for (size_t k = 0; k < count; k++) {
            int64_t code = base + (int64_t)k;
            bool reached = code >= s->base && code < s->base + (int64_t)s->count;
            steps[c * count + k] = code < s->base ? s->x_low : reached ? s->step[code - s->base] : s->x_high + 1;
        }
    }
    weir_value inputs[2] = {weir_node_input(r->graph, r->node, 0),
                            parameter(r, "thresholds", steps, r->channels, count)};
    free(steps);
    weir_node made = replace(r, WEIR_OP_THRESHOLD, inputs, 2);
    weir_node_set_int(r->graph, made, "base", r->stride == 1 ? base : r->base + r->stride * base);
    weir_node_set_int(r->graph, made, "step", r->stride);
    return finish(r, made);
}

/* The most steps of a channel. */
static size_t count_steps(const realizer *r) {
    size_t most = 0;
    for (size_t c = 0; c < r->channels; c++) most = r->staircase[c].count > most ? r->staircase[c].count : most;
    return most;
}

/* Has a table of no more than so many entries at most four times the bits of thresholds, which need comparisons besides? */
static bool table_is_small(const realizer *r, int64_t entries) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int64_t steps = (int64_t)count_steps(r), width = weir_bits_for(in->low, in->high);
    return in->high - in->low < entries && ((int64_t)bits_of(steps) << width) <= 4 * steps * width;
}

static bool use_table(realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int64_t low = in->low;
    const size_t codes = (size_t)(in->high - low + 1);
    int64_t *entry = weir_malloc(codes * r->channels * sizeof *entry);
    for (size_t c = 0; c < r->channels; c++) {
        const channel_function function = function_of(r, c);
        for (size_t i = 0; i < codes; i++) {
            const int64_t step = specified(&function, low + (int64_t)i);
            entry[c * codes + i] = r->stride == 1 ? step : r->base + r->stride * step;
        }
    }
    weir_value inputs[2] = {weir_node_input(r->graph, r->node, 0), parameter(r, "table", entry, r->channels, codes)};
    free(entry);
    weir_node made = replace(r, WEIR_OP_LOOKUP, inputs, 2);
    weir_node_set_int(r->graph, made, "low", low);
    return finish(r, made);
}

static bool few_codes(const realizer *r) {
    for (size_t c = 0; c < r->channels; c++) {
        if (r->staircase[c].count > FEW_CODES) return false;
    }
    return true;
}

/* --- wide outputs --- */

static bool is_wide(const realizer *r) { return r->high - r->low >= WEIR_STAIRCASE_CODES; }

static bool is_power(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5;
}

/* Is the specification exact in float64 (or float32), so that a shift can be the same without looking at each step? */
static bool is_exact(const realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    bool onnx = r->requantizer.contract == WEIR_CONTRACT_ONNXRUNTIME;
    int64_t most = onnx ? (int64_t)1 << 24 : (int64_t)1 << 50;
    bool exact = is_power(weir_quant_scale(r->requantizer.to, 0));
    for (size_t c = 0; c < r->channels; c++) {
        int64_t zero = weir_quant_zero(r->requantizer.from, (int64_t)c);
        exact &= is_power(weir_quant_scale(r->requantizer.from, (int64_t)c)) && in->high - zero <= most &&
                 zero - in->low <= most;
    }
    return exact;
}

/* The candidate on the ends of the input, and on codes spread over it; what is exact by construction differs nowhere. */
static bool agrees(const realizer *r, const candidate *k) {
    enum { SPREAD = 64 };
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    for (size_t c = 0; c < r->channels; c++) {
        const channel_function wanted = function_of(r, c);
        channel_candidate made = {k, c};
        for (int i = 0; i <= SPREAD; i++) {
            int64_t x = in->low + (int64_t)((double)(in->high - in->low) * i / SPREAD);
            x = x > in->high ? in->high : x;
            if (specified(&wanted, x) != computed(&made, x)) return false;
        }
    }
    return true;
}

/* The scaling of one channel that is nearest to the ratio at the smallest shift. False: the function does not rise, or none fits. */
static bool scale_channel(const realizer *r, size_t c, weir_scaling *scaling) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const channel_function function = function_of(r, c);
    weir_staircase s;
    if (!weir_staircase_build(&s, specified, &function, in->low, in->high, r->low, r->high)) return false;
    const bool fine =
        weir_staircase_scaling_near(&s, weir_requantizer_slope(&r->requantizer, (int64_t)c), WIDE_SHIFT, scaling);
    weir_staircase_free(&s);
    return fine;
}

/* The conditions on the add value are those of the steps, so a scaling that is found is proved; times a power of two it is the same at
 * a larger shift. */
static bool try_wide_scale(const realizer *r, candidate *k) {
    weir_scaling *scaling = weir_calloc(r->channels, sizeof *scaling);
    bool fine = true;
    int shift = 0;
    for (size_t c = 0; fine && c < r->channels; c++) {
        fine = scale_channel(r, c, &scaling[c]);
        if (scaling[c].shift > shift) shift = scaling[c].shift;
    }
    *k = (candidate){WEIR_OP_SCALE, shift, 0, WEIR_ROUND_FLOOR, 0, r->low, r->high, k->multiplier, k->add};
    for (size_t c = 0; fine && c < r->channels; c++) {
        const int more = shift - scaling[c].shift;
        fine = bits_of(scaling[c].multiplier) + more <= WIDE_MULTIPLIER_BITS &&
               bits_of(scaling[c].add) + more <= MAX_ADD_BITS;
        if (!fine) break;
        k->multiplier[c] = scaling[c].multiplier * ((int64_t)1 << more);
        k->add[c] = scaling[c].add * ((int64_t)1 << more);
    }
    free(scaling);
    return fine;
}

static bool fail_wide(const realizer *r) {
    int bits = weir_bits_for(0, r->high - r->low);
    bool many = r->high - r->low >= MOST_CODES;
    weir_error(weir_node_location(r->graph, r->node), "node '%s': no component is exact for its %d-bit codes",
               weir_node_name(r->graph, r->node), bits);
    weir_note(many ? "codes of more than 16 bits need scales that are powers of two"
                   : "codes of more than 12 bits need scales that are powers of two, or narrower sums");
    return false;
}

static bool realize_wide(realizer *r, candidate *k) {
    if (r->thresholds != NULL || r->stride != 1) return fail_wide(r);
    if (is_exact(r) && shift_of(r, k) && agrees(r, k)) return use_candidate(r, k);
    bool onnx = r->requantizer.offset == NULL;
    if (onnx && float_of(r, k) && agrees(r, k)) return use_candidate(r, k);
    if (r->high - r->low < MOST_CODES && try_wide_scale(r, k)) return use_candidate(r, k);
    return fail_wide(r);
}

/* --- functions that fall --- */

/* The dense layer that computes the node's input, possibly through Relabels; none: another operator computes it. */
static weir_node layer_of(const realizer *r) {
    weir_node maker = weir_value_producer(r->graph, weir_node_input(r->graph, r->node, 0));
    while (maker.id != 0 && weir_node_op(r->graph, maker) == WEIR_OP_RELABEL)
        maker = weir_value_producer(r->graph, weir_node_input(r->graph, maker, 0));
    return maker.id != 0 && weir_node_op(r->graph, maker) == WEIR_OP_LINEAR ? maker : WEIR_NO_NODE;
}

/* Computed before the graph changes, because it owns the requantizer's records. */
static size_t count_falling(realizer *r) {
    size_t count = 0;
    r->falling = weir_calloc(r->channels, sizeof *r->falling);
    for (size_t c = 0; r->thresholds == NULL && c < r->channels; c++) {
        r->falling[c] = weir_requantizer_slope(&r->requantizer, (int64_t)c) < 0;
        count += r->falling[c];
    }
    return count;
}

static bool falls(const realizer *r, size_t row) { return r->falling[r->channels == 1 ? 0 : row]; }

/* The weights with the rows of such channels negated, and as wide as that needs. */
static weir_value mirror_weights(const realizer *r, weir_node layer) {
    weir_value weights = weir_node_input(r->graph, layer, 1);
    const weir_array *old = weir_value_constant(r->graph, weights);
    const size_t columns = (size_t)old->shape.dim[1];
    int64_t low = -1, high = 0;
    weir_array *wide = weir_array_new(WEIR_INT64, &old->shape);
    for (size_t i = 0; i < old->count; i++) {
        const int64_t w = (falls(r, i / columns) ? -1 : 1) * weir_array_get_int(old, i);
        weir_array_set_int(wide, i, w);
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    weir_array *narrow = weir_array_convert(wide, weir_dtype_for(low, high));
    char *name = weir_format("%s_mirrored", weir_value_name(r->graph, weights));
    weir_value value = weir_graph_add_constant(r->graph, name, narrow);
    free(name);
    weir_array_free(wide);
    weir_array_free(narrow);
    return value;
}

/* Zero points with the sums' signs: one a channel, where one for all is not enough. */
static void mirror_zeros(const realizer *r, weir_type *type) {
    const bool spread = type->quant.count == 1 && r->channels > 1 && weir_quant_zero(&type->quant, 0) != 0;
    const uint32_t count = spread ? (uint32_t)r->channels : type->quant.count;
    double *scale = weir_arena_array(weir_graph_arena(r->graph), count + 1, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(r->graph), count + 1, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type->quant, (int64_t)c);
        zero[c] = (falls(r, c) ? -1 : 1) * weir_quant_zero(&type->quant, (int64_t)c);
    }
    if (count == 0) return;
    if (spread) type->quant.axis = type->shape.rank - 1;
    type->quant.scale = scale;
    type->quant.zero_point = zero;
    type->quant.count = count;
}

/* A dense layer of its own for the node, whose sums have the other sign in these channels. */
static weir_value mirror_layer(const realizer *r, weir_node layer) {
    weir_graph *graph = r->graph;
    weir_type type = *weir_value_type(graph, weir_node_input(graph, r->node, 0));
    weir_value inputs[2] = {weir_node_input(graph, layer, 0), mirror_weights(r, layer)};
    char *name = weir_format("%s_mirrored", weir_node_name(graph, layer));
    weir_node made = weir_graph_add_node(graph, WEIR_OP_LINEAR, name, inputs, 2, 1, r->node);
    free(name);
    weir_node_set_location(graph, made, weir_node_location(graph, layer));
    weir_node_copy_attributes(graph, made, graph, layer);
    mirror_zeros(r, &type);
    weir_value_set_type(graph, weir_node_output(graph, made, 0), &type);
    return weir_infer_node(graph, made) ? weir_node_output(graph, made, 0) : WEIR_NO_VALUE;
}

/* The node reads such sums, and its first step gives the numbers their sign back: all channels' functions rise. */
static bool mirror(realizer *r, weir_node layer) {
    weir_graph *graph = r->graph;
    weir_array *sign = weir_array_new(WEIR_FLOAT32, &(weir_shape){1, {(int64_t)r->channels}});
    for (size_t c = 0; c < r->channels; c++) weir_array_set(sign, c, falls(r, c) ? -1 : 1);
    char *name = weir_format("%s_sign", weir_node_name(graph, r->node));
    const size_t given = weir_node_input_count(graph, r->node), count = given < 2 ? 2 : given;
    weir_value *inputs = weir_calloc(count + 2, sizeof *inputs);
    inputs[0] = mirror_layer(r, layer);
    inputs[1] = weir_node_input(graph, r->node, 1);
    inputs[2] = weir_graph_add_constant(graph, name, sign);
    for (size_t i = 2; i < count; i++) inputs[i + 1] = weir_node_input(graph, r->node, i);
    const char *before = weir_node_string(graph, r->node, "steps", "");
    char *steps = weir_format("Mul%s%s", *before == '\0' ? "" : " ", before);
    bool fine = inputs[0].id != 0;
    if (fine) {
        r->node = replace(r, WEIR_OP_REQUANTIZE, inputs, count + 1);
        weir_node_set_string(graph, r->node, "steps", steps);
        fine = weir_infer_node(graph, r->node) && read_node(r);
    }
    free(inputs);
    free(steps);
    free(name);
    weir_array_free(sign);
    return fine;
}

/* Signs that differ by channel need weights: a dense layer before the node that passes its input on. */
static weir_node add_layer(realizer *r) {
    weir_graph *graph = r->graph;
    const int64_t channels = (int64_t)r->channels;
    weir_array *ones = weir_array_new(WEIR_INT8, &(weir_shape){2, {channels, 1}});
    for (size_t c = 0; c < r->channels; c++) weir_array_set_int(ones, c, 1);
    weir_value x = weir_node_input(graph, r->node, 0);
    char *name = weir_format("%s_signs", weir_node_name(graph, r->node));
    weir_value inputs[2] = {x, weir_graph_add_constant(graph, name, ones)};
    weir_node made = weir_graph_add_node(graph, WEIR_OP_LINEAR, name, inputs, 2, 1, r->node);
    free(name);
    weir_array_free(ones);
    weir_node_set_int(graph, made, "group", channels);
    weir_node_set_location(graph, made, weir_node_location(graph, r->node));
    weir_value_set_type(graph, weir_node_output(graph, made, 0), weir_value_type(graph, x));
    weir_node_set_input(graph, r->node, 0, weir_node_output(graph, made, 0));
    return weir_infer_node(graph, made) ? made : WEIR_NO_NODE;
}

/* Makes every channel's function rise: by the weights before it, or, where all fall, by counting codes from the top. */
static bool straighten(realizer *r) {
    const size_t count = count_falling(r);
    if (count == 0) return true;
    weir_node layer = layer_of(r);
    if (layer.id == 0 && count < r->channels) layer = add_layer(r);
    if (layer.id != 0) return mirror(r, layer);
    bool binary = r->stride == 2;
    const int64_t codes = r->high - r->low;
    r->base = binary ? 1 : r->high;
    r->stride = binary ? -2 : -1;
    r->low = 0;
    r->high = codes;
    return true;
}

static bool realize(realizer *r, weir_requantize_form form) {
    if (!read_node(r) || !straighten(r)) return false;
    if (!is_wide(r) && !build_staircases(r)) return false;
    candidate k = {.multiplier = weir_calloc(r->channels, sizeof(int64_t)),
                   .add = weir_calloc(r->channels, sizeof(int64_t))};
    bool any = form == WEIR_REQUANTIZE_AUTO;
    bool fine;
    if (is_wide(r)) fine = realize_wide(r, &k);
    else if (any && try_cast(r, &k)) fine = use_candidate(r, &k);
    else if (any && few_codes(r)) fine = use_thresholds(r);
    else if ((any || form == WEIR_REQUANTIZE_SCALE) && try_scale(r, &k)) fine = use_candidate(r, &k);
    else if (any && table_is_small(r, FEW_ENTRIES)) fine = use_table(r);
    else if (form != WEIR_REQUANTIZE_THRESHOLD && try_scale_float(r, &k)) fine = use_candidate(r, &k);
    else if (any && table_is_small(r, MAX_ENTRIES)) fine = use_table(r);
    else fine = use_thresholds(r);
    free(k.multiplier);
    free(k.add);
    return fine;
}

bool weir_realize_requantize(weir_graph *graph, weir_requantize_form form) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph), next; fine && node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        weir_op op = weir_node_op(graph, node);
        if (op != WEIR_OP_REQUANTIZE && op != WEIR_OP_THRESHOLD) continue;
        realizer r = {.graph = graph, .node = node};
        fine = realize(&r, form);
        for (size_t c = 0; r.staircase != NULL && c < r.channels; c++) weir_staircase_free(&r.staircase[c]);
        free(r.staircase);
        free(r.falling);
    }
    weir_eliminate_dead_code(graph);
    return fine;
}

bool weir_pass_realize_requantize(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context;
    weir_graph *hardware = weir_graph_copy(weir_module_find_graph(module, "integer"));
    weir_graph_set_name(hardware, "hardware");
    bool fine = weir_realize_requantize(hardware, (weir_requantize_form)weir_pass_choice(pass, "form"));
    weir_module_add_graph(module, hardware);
    return fine;
}
