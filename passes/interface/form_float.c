/* Number formats in files. QONNX's FloatQuant has any minifloat; ONNX's floats of 8 and 4 bits are these where all of
 * their codes are numbers, scaled by a power of two, which no rounding sees. Blocks are those of constants: their
 * scales are known. What is written is compared with what the graph has, element by element. */
#include <math.h>
#include <stdlib.h>

#include "ir/number/number.h"
#include "ir/trait/trait.h"
#include "passes/interface/form.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/unreachable.h"

/* --- formats --- */

/* Magnitudes by small_float.h's places; what is larger than the largest becomes that, or `beyond`. */
typedef struct minifloat {
    int exponent, mantissa, bias; /* bits, bits, bias */
    double largest;
    bool saturates, has_infinity, has_nan;
} minifloat;

/* False: the format is no minifloat of one bias. */
static bool minifloat_of(const weir_number *n, minifloat *f) {
    const bool is_denorm = n->id == WEIR_NUMBER_MINIFLOAT_DENORM;
    if (n->id != WEIR_NUMBER_MINIFLOAT_IEEE && !is_denorm) return false;
    const weir_number_shared shared = weir_number_measure(n, NULL, 0, 0);
    int64_t low, high;
    weir_number_limits(n, &low, &high);
    const int exponent = weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH), width = weir_number_get(n, WEIR_KEY_WIDTH);
    *f = (minifloat){.exponent = exponent + is_denorm, /* one more for the fields that are left out */
                     .mantissa = width - exponent - 1 - is_denorm,
                     .bias = shared.exponent + 2 * is_denorm,
                     .largest = weir_number_decode(n, &shared, high),
                     .saturates = true};
    return true;
}

/* The element type whose places are those of `mantissa` bits up to `most`. */
static bool find_float(int mantissa, int64_t most, weir_dtype *dtype) {
    for (int d = 0; d < WEIR_DTYPE_COUNT; d++) {
        const weir_small_float *format = weir_dtype_small_float((weir_dtype)d);
        if (format == NULL || format->fraction != mantissa || format->most != most) continue;
        *dtype = (weir_dtype)d;
        return true;
    }
    return false;
}

static bool find_integer(int64_t low, int64_t high, weir_dtype *dtype) {
    static const weir_dtype types[] = {WEIR_INT2, WEIR_INT4, WEIR_INT8, WEIR_INT16};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t least, most;
        weir_dtype_limits(types[i], &least, &most);
        *dtype = types[i];
        if (least <= low && most >= high) return true;
    }
    return false;
}

/* The number of code 1 of an element type. */
static double unit_of(weir_dtype dtype) {
    const weir_small_float *format = weir_dtype_small_float(dtype);
    return format == NULL ? 1 : weir_small_float_number(1, format->fraction, format->bias);
}

/* The element type that has a format's codes, which are then scaled; false: there is none. */
static bool find_dtype(const weir_number *n, weir_dtype *dtype) {
    int fraction;
    int64_t low, high;
    weir_number_limits(n, &low, &high);
    switch (weir_number_codes_of(n, &fraction)) {
    case WEIR_NUMBER_CODES_PLACES: return find_float(fraction, high, dtype);
    case WEIR_NUMBER_CODES_STEPS: return find_integer(low, high, dtype);
    case WEIR_NUMBER_CODES_OTHER: return false;
    }
    weir_unreachable("no kind of codes");
}

static bool is_float32(double scale) {
    return scale >= (double)0x1p-126F && !isinf((float)scale) && fabs((double)(float)scale - scale) <= 0;
}

/* --- to FloatQuant --- */

static bool put_float_quant(weir_graph *graph, weir_node node, weir_value x, weir_value scale, const minifloat *f) {
    const weir_value inputs[] = {x,
                                 scale,
                                 weir_form_number(graph, node, "exponent_bits", f->exponent),
                                 weir_form_number(graph, node, "mantissa_bits", f->mantissa),
                                 weir_form_number(graph, node, "exponent_bias", f->bias),
                                 weir_form_number(graph, node, "largest", f->largest)};
    const weir_value value = weir_form_add(graph, node, WEIR_OP_FLOAT_QUANT, "quant", inputs, 6);
    const weir_node quant = weir_value_producer(graph, value);
    weir_node_set_string(graph, quant, "rounding_mode", "ROUND");
    weir_node_set_int(graph, quant, "has_inf", f->has_infinity);
    weir_node_set_int(graph, quant, "has_nan", f->has_nan);
    weir_node_set_int(graph, quant, "has_subnormal", 1);
    weir_node_set_int(graph, quant, "saturation", f->saturates);
    return weir_form_replace(graph, node, value, quant);
}

static bool refuse(const weir_graph *graph, weir_node node, const char *format, const char *why) {
    weir_error(weir_node_location(graph, node), "node '%s': '%s' cannot be exported: %s", weir_node_name(graph, node),
               format, why);
    return false;
}

static bool number_of(const weir_graph *graph, weir_node node, weir_number *n, const char **format) {
    *format = weir_node_string(graph, node, "format", "");
    return weir_number_parse(*format, n) || refuse(graph, node, *format, "it has no settings yet");
}

bool weir_form_number_to_qonnx(weir_graph *graph, weir_node node) {
    weir_number n;
    minifloat f;
    const char *format;
    if (!number_of(graph, node, &n, &format)) return false;
    if (!minifloat_of(&n, &f) || f.exponent > 8) return refuse(graph, node, format, "QONNX has no form of it");
    return put_float_quant(graph, node, weir_node_input(graph, node, 0), weir_form_number(graph, node, "scale", 1), &f);
}

bool weir_form_join_float(weir_graph *graph, weir_node node) {
    const weir_value codes = weir_node_input(graph, node, 0);
    const weir_type *type = weir_value_type(graph, codes);
    const weir_small_float *own = weir_dtype_small_float(type->dtype);
    const weir_node source = weir_value_producer(graph, codes);
    const weir_array *constant = weir_value_constant(graph, codes), *scale;
    const bool has_source = source.id != 0 && weir_trait_kind(graph, source) == WEIR_OP_QUANTIZE_LINEAR;
    if (weir_node_int(graph, node, "block_size", 0) != 0)
        return weir_node_fail(graph, node, "QONNX has no scales of blocks");
    if (!weir_form_parameter(graph, node, 1, "scale", &scale)) return false;
    if (constant == NULL && (!has_source || weir_value_constant(graph, weir_node_input(graph, source, 1)) == NULL ||
                             !weir_array_equal(weir_value_constant(graph, weir_node_input(graph, source, 1)), scale)))
        return weir_node_fail(graph, node, "its codes '%s' are not those of a QuantizeLinear with its scale",
                              weir_value_name(graph, codes));
    int exponent = 1;
    while (own->most >> own->fraction >= 1 << exponent) exponent++;
    const minifloat f = {.exponent = exponent,
                         .mantissa = own->fraction,
                         .bias = own->bias,
                         .largest = weir_small_float_number(own->most, own->fraction, own->bias),
                         .saturates = own->nan == 0 || !has_source || weir_node_int(graph, source, "saturate", 1) != 0,
                         .has_infinity = own->infinity != 0,
                         .has_nan = own->nan != 0};
    const int64_t axis = weir_node_int(graph, node, "axis", 1);
    weir_array *scales = weir_form_along(scale, axis < 0 ? axis + type->shape.rank : axis, type->shape.rank);
    const weir_value at = weir_form_constant(graph, node, "scale", scales);
    weir_array_free(scales);
    if (constant == NULL) return put_float_quant(graph, node, weir_node_input(graph, source, 0), at, &f);
    weir_array *reals = weir_array_convert(constant, WEIR_FLOAT32);
    const weir_value units = weir_form_constant(graph, node, "codes", reals);
    weir_array_free(reals);
    const weir_value x = weir_form_add(graph, node, WEIR_OP_MUL, "real", (const weir_value[2]){units, at}, 2);
    return put_float_quant(graph, node, x, at, &f);
}

/* --- to QuantizeLinear and DequantizeLinear --- */

/* Codes of constants, with a scale or one a block along the axis (size 0: one), and a scale of these where they are
 * float32 numbers only times it. */
typedef struct coded {
    weir_array *codes, *scales;
    float tensor;
    int axis;
    int64_t size;
} coded;

static void free_coded(coded *c) {
    weir_array_free(c->codes);
    weir_array_free(c->scales);
}

/* The elements of a block: every `inner`-th from `first` on. */
typedef struct block {
    size_t first, inner, count;
} block;

static bool code_block(const weir_number *n, const weir_array *x, block b, double whole, size_t index, coded *c) {
    const weir_small_float *format = weir_dtype_small_float(c->codes->dtype);
    float *own = weir_malloc(b.count * sizeof *own);
    for (size_t i = 0; i < b.count; i++) own[i] = ((const float *)x->data)[b.first + i * b.inner];
    const weir_number_shared shared = weir_number_measure(n, own, b.count, whole);
    if (shared.tensor > 0) c->tensor = (float)shared.tensor;
    double scale = weir_number_decode(n, &shared, 1) / unit_of(c->codes->dtype) / (double)c->tensor;
    bool has_codes = false;
    for (size_t i = 0; i < b.count; i++) {
        const int64_t code = weir_number_encode(n, &shared, (double)own[i]);
        if (format == NULL) weir_array_set_int(c->codes, b.first + i * b.inner, code);
        else
            weir_array_set(c->codes, b.first + i * b.inner,
                           weir_small_float_number(code, format->fraction, format->bias));
        has_codes |= code != 0;
    }
    if (!has_codes) scale = 1; /* a block of zeros has any */
    bool same = is_float32(scale);
    weir_array_set(c->scales, index, scale);
    for (size_t i = 0; i < b.count; i++) {
        const float number = (float)weir_array_get(c->codes, b.first + i * b.inner) * (float)scale * c->tensor;
        const double wanted = weir_number_decode(n, &shared, weir_number_encode(n, &shared, (double)own[i]));
        same = same && fabs((double)(number - (float)wanted)) <= 0;
    }
    free(own);
    return same;
}

/* False: these are not exactly the format's numbers. */
static bool code_constant(const weir_number *n, const weir_array *x, weir_dtype dtype, coded *c) {
    weir_shape shape = {.rank = 0};
    const bool has_blocks = c->size > 0;
    const size_t length = has_blocks ? (size_t)x->shape.dim[c->axis] : x->count;
    const size_t size = has_blocks && (size_t)c->size < length ? (size_t)c->size : length;
    if (has_blocks) {
        shape = x->shape;
        shape.dim[c->axis] = (int64_t)((length + size - 1) / size);
    }
    size_t inner = 1;
    for (int d = c->axis + 1; has_blocks && d < x->shape.rank; d++) inner *= (size_t)x->shape.dim[d];
    c->codes = weir_array_new(dtype, &x->shape);
    c->scales = weir_array_new(WEIR_FLOAT32, &shape);
    c->tensor = 1;
    double whole = 0;
    for (size_t i = 0; i < x->count; i++) whole = fmax(whole, fabs(weir_array_get(x, i)));
    const size_t blocks = (length + size - 1) / size;
    bool same = true;
    for (size_t i = 0; same && i < c->scales->count; i++) {
        const size_t outer = i / (blocks * inner), place = i / inner % blocks, rest = i % inner;
        const size_t begin = place * size, count = length - begin < size ? length - begin : size;
        same = code_block(n, x, (block){(outer * length + begin) * inner + rest, inner, count}, whole, i, c);
    }
    return same;
}

static weir_value put_dequantize(weir_graph *graph, weir_node node, const coded *c) {
    const weir_value inputs[] = {weir_form_constant(graph, node, "codes", c->codes),
                                 weir_form_constant(graph, node, "scale", c->scales)};
    const weir_value value = weir_form_add(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", inputs, 2);
    if (c->size > 0) {
        weir_node_set_int(graph, weir_value_producer(graph, value), "axis", c->axis);
        weir_node_set_int(graph, weir_value_producer(graph, value), "block_size", c->size);
    }
    return value;
}

static bool split_constant(weir_graph *graph, weir_node node, const weir_number *n, const char *format,
                           const weir_array *x) {
    const bool has_blocks = weir_number_group_of(n->id) == WEIR_GROUP_BLOCKS;
    const int64_t axis = weir_node_int(graph, node, "axis", 0);
    coded c = {.axis = (int)(axis < 0 ? axis + x->shape.rank : axis)};
    weir_dtype dtype;
    if (!find_dtype(n, &dtype)) return refuse(graph, node, format, "no element type of ONNX has its codes");
    if (has_blocks && (x->shape.rank == 0 || (x->shape.rank > 1 && weir_node_int(graph, node, "flattens", 0) != 0)))
        return refuse(graph, node, format, "its blocks do not run along an axis, as those of QuantizeLinear do");
    if (has_blocks) {
        const int size = weir_number_get(n, WEIR_KEY_BLOCK_SIZE);
        c.size = size < 0 ? x->shape.dim[c.axis] : size;
    }
    const bool same = code_constant(n, x, dtype, &c);
    if (!same) {
        free_coded(&c);
        return refuse(graph, node, format, "its scales are beyond float32's");
    }
    weir_value value = put_dequantize(graph, node, &c);
    const weir_node heir = weir_value_producer(graph, value);
    if (c.tensor < 1 || c.tensor > 1) {
        const weir_value inputs[] = {value, weir_form_number(graph, node, "tensor_scale", (double)c.tensor)};
        value = weir_form_add(graph, node, WEIR_OP_MUL, "scaled", inputs, 2);
    }
    free_coded(&c);
    return weir_form_replace(graph, node, value, heir);
}

/* Quantized to a float of that scale, and back. */
static bool put_pair(weir_graph *graph, weir_node node, weir_dtype dtype, weir_value scale, int64_t axis,
                     bool saturates) {
    const weir_value inputs[] = {weir_node_input(graph, node, 0), scale};
    const weir_value codes = weir_form_add(graph, node, WEIR_OP_QUANTIZE_LINEAR, "quantize", inputs, 2);
    const weir_node quantize = weir_value_producer(graph, codes);
    weir_node_set_string(graph, quantize, "output_dtype", weir_dtype_name(dtype));
    if (!saturates) weir_node_set_int(graph, quantize, "saturate", 0);
    const weir_value pair[] = {codes, scale};
    const weir_value value = weir_form_add(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "dequantize", pair, 2);
    if (axis >= 0) {
        weir_node_set_int(graph, quantize, "axis", axis);
        weir_node_set_int(graph, weir_value_producer(graph, value), "axis", axis);
    }
    return weir_form_replace(graph, node, value, weir_value_producer(graph, value));
}

bool weir_form_number_to_onnx(weir_graph *graph, weir_node node) {
    weir_number n;
    minifloat f;
    weir_dtype dtype;
    const char *format;
    if (!number_of(graph, node, &n, &format)) return false;
    const weir_array *x = weir_value_constant(graph, weir_node_input(graph, node, 0));
    if (x != NULL && x->count > 0) return split_constant(graph, node, &n, format, x);
    if (!minifloat_of(&n, &f))
        return refuse(graph, node, format, "its scales depend on the data, those of QuantizeLinear are given");
    if (!find_dtype(&n, &dtype)) return refuse(graph, node, format, "no element type of ONNX has its codes");
    const double scale = ldexp(1, weir_dtype_small_float(dtype)->bias - f.bias);
    if (!is_float32(scale) || isinf((float)f.largest))
        return refuse(graph, node, format, "its scales are beyond float32's");
    return put_pair(graph, node, dtype, weir_form_number(graph, node, "scale", scale), -1, true);
}

bool weir_form_number_native(weir_graph *graph, weir_node node) {
    weir_number n;
    minifloat f;
    const char *format;
    if (!number_of(graph, node, &n, &format)) return false;
    return minifloat_of(&n, &f) && f.exponent <= 8 ? weir_form_number_to_qonnx(graph, node)
                                                   : weir_form_number_to_onnx(graph, node);
}

/* --- FloatQuant to ONNX --- */

static bool is_alike(const minifloat *f, weir_dtype dtype) {
    const weir_small_float *own = weir_dtype_small_float(dtype);
    if (own == NULL || own->fraction != f->mantissa) return false;
    const double largest = weir_small_float_number(own->most, own->fraction, f->bias);
    const bool beyond = f->saturates || (f->has_infinity ? own->infinity != 0 : own->nan != 0 && own->infinity == 0);
    return beyond && fabs(largest - f->largest) <= 0;
}

static bool read_float_quant(weir_graph *graph, weir_node node, minifloat *f, const weir_array **scale) {
    double setting[4];
    for (size_t i = 0; i < 4; i++)
        setting[i] = weir_array_get(weir_value_constant(graph, weir_node_input(graph, node, i + 2)), 0);
    *f = (minifloat){.exponent = (int)setting[0],
                     .mantissa = (int)setting[1],
                     .bias = (int)setting[2],
                     .saturates = weir_node_int(graph, node, "saturation", 1) != 0,
                     .has_infinity = weir_node_int(graph, node, "has_inf", 0) != 0,
                     .has_nan = weir_node_int(graph, node, "has_nan", 0) != 0};
    const int64_t most = ((int64_t)1 << (f->exponent + f->mantissa)) - 1;
    f->largest = fmin(weir_small_float_number(most, f->mantissa, f->bias), setting[3]);
    if (weir_node_int(graph, node, "signed", 1) == 0)
        return weir_node_fail(graph, node, "its numbers are not negative, but ONNX's floats have a sign");
    const char *mode = weir_node_string(graph, node, "rounding_mode", "ROUND");
    weir_rounding rounding;
    if (weir_rounding_parse_qonnx(mode, &rounding) && rounding != WEIR_ROUND_HALF_EVEN)
        return weir_node_fail(graph, node, "its rounding mode is %s, but QuantizeLinear only rounds half to even",
                              mode);
    return weir_form_parameter(graph, node, 1, "scale", scale);
}

bool weir_form_split_float(weir_graph *graph, weir_node node) {
    const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
    const weir_array *scale;
    minifloat f;
    int dtype = 0;
    if (!read_float_quant(graph, node, &f, &scale)) return false;
    while (dtype < WEIR_DTYPE_COUNT && !is_alike(&f, (weir_dtype)dtype)) dtype++;
    if (dtype == WEIR_DTYPE_COUNT)
        return weir_node_fail(
            graph, node,
            "no element type of ONNX is a float with %d bits of exponent, %d of mantissa, bias %d and "
            "numbers up to %g",
            f.exponent, f.mantissa, f.bias, f.largest);
    const int64_t axis = weir_form_axis(scale, shape);
    if (axis == WEIR_FORM_NO_AXIS) return weir_node_fail(graph, node, "its scales change along more than one axis");
    const double factor = ldexp(1, weir_dtype_small_float((weir_dtype)dtype)->bias - f.bias);
    weir_array *scales = weir_array_new(WEIR_FLOAT32, &(weir_shape){axis >= 0, {(int64_t)scale->count}});
    bool fits = true;
    for (size_t i = 0; i < scales->count; i++) {
        fits = fits && is_float32(weir_array_get(scale, i) * factor);
        weir_array_set(scales, i, weir_array_get(scale, i) * factor);
    }
    const weir_value value = weir_form_constant(graph, node, "scale", scales);
    weir_array_free(scales);
    if (!fits) return weir_node_fail(graph, node, "its scales are beyond float32's");
    return put_pair(graph, node, (weir_dtype)dtype, value, axis, f.saturates);
}
