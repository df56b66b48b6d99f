#include "frontend/import/onnx_packed.h"

#include <math.h>

#include "frontend/import/onnx_part.h"
#include "ir/shape/infer.h"

enum { BYTE = 8 };

/* Weights of `rows` results, a row of `columns` each. */
typedef struct packed {
    int64_t rows, columns, block, blocks; /* elements of a block, and blocks of a row */
    int bits;
    const weir_array *codes, *scale, *zero, *group; /* zero, group: NULL where there is none */
} packed;

/* Each below 2^31. */
static void read_sizes(const weir_onnx_form *form, packed *p) {
    p->rows = weir_onnx_part_int(form, "N", 1);
    p->columns = weir_onnx_part_int(form, "K", 1);
    p->block = weir_onnx_part_int(form, "block_size", 1);
    p->blocks = (p->columns + p->block - 1) / p->block;
}

static int64_t bytes_of(int64_t codes, int bits) { return (codes * bits + BYTE - 1) / BYTE; }

static int64_t unpack(const weir_array *bytes, int64_t row, int64_t index, int bits) {
    const int64_t bit = index * bits, byte = weir_array_get_int(bytes, (size_t)(row + bit / BYTE));
    return byte >> bit % BYTE & ((1 << bits) - 1);
}

/* Blocks are filled up, so each begins with a byte. */
static int64_t code_at(const packed *p, int64_t row, int64_t column) {
    const int64_t block = row * p->blocks + column / p->block;
    return unpack(p->codes, block * bytes_of(p->block, p->bits), column % p->block, p->bits);
}

static double zero_at(const packed *p, int64_t row, int64_t block) {
    if (p->zero == NULL) return (double)(1 << (p->bits - 1));
    if (p->zero->dtype == WEIR_UINT8)
        return (double)unpack(p->zero, row * bytes_of(p->blocks, p->bits), block, p->bits);
    return weir_array_get(p->zero, (size_t)(row * p->blocks + block));
}

static bool check_sizes(const weir_onnx_form *form, const packed *p) {
    const int64_t zeros = p->zero == NULL                ? 0
                          : p->zero->dtype == WEIR_UINT8 ? p->rows * bytes_of(p->blocks, p->bits)
                                                         : p->rows * p->blocks;
    if (p->codes->dtype != WEIR_UINT8) return weir_onnx_part_fail(form, "expected weights packed in uint8");
    if ((int64_t)p->scale->count != p->rows * p->blocks)
        return weir_onnx_part_fail(form, "expected a scale for each of %lld blocks", (long long)(p->rows * p->blocks));
    if ((int64_t)p->codes->count != p->rows * p->blocks * bytes_of(p->block, p->bits))
        return weir_onnx_part_fail(form, "the packed weights have %zu bytes, expected %lld", p->codes->count,
                                   (long long)(p->rows * p->blocks * bytes_of(p->block, p->bits)));
    if (p->zero != NULL && (int64_t)p->zero->count != zeros)
        return weir_onnx_part_fail(form, "expected a zero point for each of %lld blocks",
                                   (long long)(p->rows * p->blocks));
    if (p->group == NULL) return true;
    bool fine = (int64_t)p->group->count == p->columns || (int64_t)p->group->count == p->blocks * p->block;
    for (size_t i = 0; fine && i < (size_t)p->columns; i++) {
        const int64_t group = weir_array_get_int(p->group, i);
        fine = group >= 0 && group < p->blocks;
    }
    return fine || weir_onnx_part_fail(form, "expected a group from 0 to %lld for each of %lld columns",
                                       (long long)p->blocks - 1, (long long)p->columns);
}

/* A constant of MatMul's order of dimensions, columns before rows. */
static weir_array *new_weights(const packed *p, weir_dtype dtype) {
    return weir_array_new(dtype, &(weir_shape){2, {p->columns, p->rows}});
}

/* Of a scale and a whole zero point per row; of a negative scale, the codes and the zero point count from the other
 * end. */
static bool use_codes(const weir_onnx_form *form, const packed *p, weir_value *weights) {
    const weir_shape one = {1, {p->rows}};
    weir_array *codes = new_weights(p, WEIR_UINT8), *scale = weir_array_new(p->scale->dtype, &one),
               *zero = weir_array_new(WEIR_UINT8, &one);
    const int64_t most = (1 << p->bits) - 1;
    for (int64_t n = 0; n < p->rows; n++) {
        const double by = weir_array_get(p->scale, (size_t)n);
        const int64_t middle = (int64_t)zero_at(p, n, 0);
        for (int64_t k = 0; k < p->columns; k++) {
            const int64_t code = by == 0 ? middle : code_at(p, n, k);
            weir_array_set_int(codes, (size_t)(k * p->rows + n), by < 0 ? most - code : code);
        }
        weir_array_set(scale, (size_t)n, by == 0 ? 1 : fabs(by));
        weir_array_set_int(zero, (size_t)n, by < 0 ? most - middle : middle);
    }
    const weir_value parameters[3] = {weir_onnx_form_constant(form, "codes", codes),
                                      weir_onnx_form_constant(form, "scale", scale),
                                      weir_onnx_form_constant(form, "zero", zero)};
    const weir_value made = weir_onnx_part_add(form, WEIR_OP_DEQUANTIZE_LINEAR, "weights", parameters, 3);
    *weights = weir_onnx_part_infer(form, weir_onnx_part_with(form, made, "axis", 1));
    return weights->id != 0;
}

/* (code - zero) * scale, both operations rounded to float32, as ONNX Runtime unpacks them. */
static weir_value use_numbers(const weir_onnx_form *form, const packed *p) {
    weir_array *weights = new_weights(p, p->scale->dtype);
    for (int64_t n = 0; n < p->rows; n++) {
        for (int64_t k = 0; k < p->columns; k++) {
            const int64_t block = p->group == NULL ? k / p->block : weir_array_get_int(p->group, (size_t)k);
            const float from = (float)((double)code_at(p, n, k) - zero_at(p, n, block)),
                        scale = (float)weir_array_get(p->scale, (size_t)(n * p->blocks + block));
            weir_array_set(weights, (size_t)(k * p->rows + n), (double)(from * scale));
        }
    }
    return weir_onnx_form_constant(form, "weights", weights);
}

static bool is_whole_codes(const packed *p) {
    return p->blocks == 1 && (p->zero == NULL || p->zero->dtype == WEIR_UINT8);
}

bool weir_onnx_packed_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    packed p = {.bits = (int)weir_onnx_part_int(form, "bits", 4)};
    const weir_value zero = *count > 3 ? inputs[3] : WEIR_NO_VALUE, group = *count > 4 ? inputs[4] : WEIR_NO_VALUE;
    form->operand[0] = *count > 5 ? inputs[5] : WEIR_NO_VALUE;
    if (p.bits != 2 && p.bits != 4 && p.bits != BYTE) return weir_onnx_part_fail(form, "expected 2, 4 or 8 bits");
    read_sizes(form, &p);
    if ((p.codes = weir_onnx_part_constant(form, inputs[1], "the weights")) == NULL ||
        (p.scale = weir_onnx_part_constant(form, inputs[2], "the scales")) == NULL ||
        (zero.id != 0 && (p.zero = weir_onnx_part_constant(form, zero, "the zero points")) == NULL) ||
        (group.id != 0 && (p.group = weir_onnx_part_constant(form, group, "the groups")) == NULL) ||
        !check_sizes(form, &p))
        return false;
    *count = 2;
    if (is_whole_codes(&p)) return use_codes(form, &p, &inputs[1]);
    inputs[1] = use_numbers(form, &p);
    return true;
}

/* Of the largest magnitude in a block: FP4's and NF4's codes, as bitsandbytes has them. */
static const float fractions[2][16] = {
    {0, 0x1.555556p-8f, 0x1.555556p-1f, 1, 0x1.555556p-2f, 0.5f, 0x1.555556p-3f, 0.25f, -0.0f, -0x1.555556p-8f,
     -0x1.555556p-1f, -1, -0x1.555556p-2f, -0.5f, -0x1.555556p-3f, -0.25f},
    {-1, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f, -0.28444138169288635f,
     -0.18477343022823334f, -0.09105003625154495f, 0, 0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f,
     0.33791524171829224f, 0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1},
};

bool weir_onnx_packed_float_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    packed p = {.bits = 4};
    read_sizes(form, &p);
    if ((p.codes = weir_onnx_part_constant(form, inputs[1], "the weights")) == NULL ||
        (p.scale = weir_onnx_part_constant(form, inputs[2], "the largest magnitudes")) == NULL)
        return false;
    const int64_t all = p.rows * p.columns, bytes = all / 2 + all % 2, blocks = (all + p.block - 1) / p.block;
    if (p.codes->dtype != WEIR_UINT8 || (int64_t)p.codes->count != bytes || (int64_t)p.scale->count != blocks)
        return weir_onnx_part_fail(form, "expected %lld bytes of weights and %lld magnitudes", (long long)bytes,
                                   (long long)blocks);
    const float *table = fractions[weir_onnx_part_int(form, "quant_type", 1)];
    weir_array *weights = new_weights(&p, p.scale->dtype);
    for (int64_t i = 0; i < all; i++) { /* the first of two in the upper half of a byte; blocks do not end with rows */
        const float scale = (float)weir_array_get(p.scale, (size_t)(i / p.block));
        weir_array_set(weights, (size_t)(i % p.columns * p.rows + i / p.columns),
                       (double)(table[unpack(p.codes, 0, i ^ 1, p.bits)] * scale));
    }
    inputs[1] = weir_onnx_form_constant(form, "weights", weights);
    *count = 2;
    return true;
}
