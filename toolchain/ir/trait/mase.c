#include "ir/trait/mase.h"

#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "support/text/unreachable.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

typedef enum setting_kind { SETTING_BOOL, SETTING_INT, SETTING_INTS, SETTING_PADS, SETTING_REAL } setting_kind;

typedef struct setting_row {
    const char *name;
    setting_kind kind;
    const char *attribute;
    const char *otherwise;
} setting_row;

typedef struct mase_row {
    weir_mase_type type;
    weir_mase_callable callable;
    const char *name, *prefix, *inputs;
    const setting_row *settings; /* ends with a NULL name */
} mase_row;

#define WEIR_OP_FACTS(id, domain, name, ...)                                                                           \
    static const setting_row id##_settings[] = {__VA_ARGS__{NULL, SETTING_BOOL, NULL, NULL}};
#define SETTING(name, kind, attribute, otherwise) {name, SETTING_##kind, attribute, otherwise},
#include "ir/graph/op.def"

static const mase_row table[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = {.settings = id##_settings, __VA_ARGS__},
#define MASE(of_type, as_name) .type = WEIR_MASE_##of_type, .name = as_name,
#define TORCH(as_callable, of_prefix, of_inputs)                                                                       \
    .callable = WEIR_MASE_##as_callable, .prefix = of_prefix, .inputs = of_inputs,
#include "ir/graph/op.def"
};

/* Names of the same operator in one dimension, in two, in three. */
static const char *const spatial[][3] = {
    {"conv1d", "conv2d", "conv3d"},
    {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"},
    {"batch_norm1d", "batch_norm2d", "batch_norm3d"},
    {"max_pool1d", "max_pool2d", "max_pool3d"},
    {"avg_pool1d", "avg_pool2d", "avg_pool3d"},
    {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"},
    {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"},
};

static const mase_row *row_of(weir_op op) {
    static const setting_row none[] = {{NULL, SETTING_BOOL, NULL, NULL}};
    static const mase_row registered = {.type = WEIR_MASE_BUILTIN_FUNC,
                                        .callable = WEIR_MASE_FUNCTION,
                                        .prefix = "weir",
                                        .inputs = "data",
                                        .settings = none};
    assert(op > WEIR_OP_NONE && op < weir_op_limit());
    return op < WEIR_OP_COUNT ? &table[op] : &registered;
}

/* ---- dense layers ---- */

/* Which input of a matrix product is its weights in a dense layer: a constant matrix on the right. 0: it is none. */
static size_t dense_weight(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    const size_t index = kind == WEIR_OP_MATMUL || kind == WEIR_OP_MATMUL_INTEGER ? 1
                         : kind == WEIR_OP_QLINEAR_MATMUL                         ? 3
                                                                                  : 0;
    if (index == 0) return 0;
    const weir_value weight = weir_node_input(graph, node, index);
    if (weight.id == 0 || weir_value_type(graph, weight)->shape.rank != 2) return 0;
    return weir_mase_constant(graph, weight) != NULL ? index : 0;
}

weir_value weir_mase_bias(const weir_graph *graph, weir_node node) {
    const bool open = weir_trait_kind(graph, node) == WEIR_OP_GEMM && weir_node_input(graph, node, 2).id == 0;
    if (dense_weight(graph, node) == 0 && !open) return WEIR_NO_VALUE;
    const weir_value result = weir_node_output(graph, node, 0);
    if (weir_value_use_count(graph, result) != 1 || weir_value_is_output(graph, result)) return WEIR_NO_VALUE;
    const weir_use use = weir_value_use(graph, result, 0);
    if (weir_trait_kind(graph, use.node) != WEIR_OP_ADD) return WEIR_NO_VALUE;
    const weir_value bias = weir_node_input(graph, use.node, 1 - use.index);
    const weir_shape *from = &weir_value_type(graph, bias)->shape, *to = &weir_value_type(graph, result)->shape;
    size_t count;
    const bool fits = from->rank > 0 && to->rank > 0 && from->dim[from->rank - 1] == to->dim[to->rank - 1] &&
                      weir_shape_count(from, &count) && (int64_t)count == from->dim[from->rank - 1];
    return fits && weir_mase_constant(graph, bias) != NULL ? bias : WEIR_NO_VALUE;
}

/* ---- nodes ---- */

weir_mase_type weir_mase_type_of(const weir_graph *graph, weir_node node) {
    const weir_meta_common *common = &weir_node_metadata_of(graph, node)->common;
    if (common->mase_op != NULL) return common->mase_type;
    if (dense_weight(graph, node) != 0) return WEIR_MASE_MODULE_RELATED_FUNC;
    return weir_mase_kind(weir_node_op(graph, node));
}

bool weir_mase_is_name(const char *a, const char *b) {
    for (;; a++, b++) {
        a += strspn(a, "_");
        b += strspn(b, "_");
        if (*a != *b) return false;
        if (*a == '\0') return true;
    }
}

weir_mase_type weir_mase_kind(weir_op op) { return row_of(op)->type; }

const char *weir_mase_inputs(weir_op op) { return row_of(op)->inputs; }

const char *weir_mase_name(weir_op op) { return op < WEIR_OP_COUNT ? table[op].name : weir_op_get(op)->name; }

const char *weir_mase_op(const weir_graph *graph, weir_node node) {
    const char *name = weir_node_metadata_of(graph, node)->common.mase_op;
    if (name == NULL && dense_weight(graph, node) != 0) return "linear";
    if (name == NULL) name = weir_mase_name(weir_node_op(graph, node));
    weir_value input = weir_node_input(graph, node, 0);
    if (input.id == 0) return name;
    int axes = weir_value_type(graph, input)->shape.rank - 2; /* without frames and channels; a matrix counts as 1-D */
    if (axes < 1) axes = 1;
    for (size_t i = 0; axes <= 3 && i < sizeof spatial / sizeof *spatial; i++)
        if (strcmp(spatial[i][1], name) == 0) return spatial[i][axes - 1];
    return name;
}

weir_mase_callable weir_mase_target(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_op op = weir_node_op(graph, node), kind = weir_trait_of(op)->kind;
    const mase_row *row = row_of(kind == WEIR_OP_MATMUL && dense_weight(graph, node) != 0 ? WEIR_OP_GEMM : op);
    weir_text_format(text, "%s.%s", row->prefix, weir_mase_op(graph, node));
    return row->callable;
}

/* The word for input `index` and its length; the last word repeats. */
static size_t word_at(const char *words, size_t index, const char **word) {
    size_t length = strcspn(words, " ");
    for (; index > 0 && words[length] != '\0'; index--) {
        words += length + 1;
        length = strcspn(words, " ");
    }
    *word = words;
    return length;
}

static bool is_data(const char *word, size_t length) { return length == 4 && strncmp(word, "data", 4) == 0; }

weir_mase_role weir_mase_input(const weir_graph *graph, weir_node node, size_t index, char name[WEIR_MASE_NAME_SIZE]) {
    if (weir_node_input(graph, node, index).id == 0) return WEIR_MASE_NOTHING;
    const char *words = row_of(weir_node_op(graph, node))->inputs, *word;
    size_t length = word_at(words, index, &word);
    if (index > 0 && index == dense_weight(graph, node)) {
        snprintf(name, WEIR_MASE_NAME_SIZE, "weight");
        return WEIR_MASE_PARAMETER;
    }
    if (is_data(word, length)) {
        size_t number = 0;
        for (size_t i = 0; i < index; i++) {
            const char *other;
            size_t size = word_at(words, i, &other);
            number += is_data(other, size) && weir_node_input(graph, node, i).id != 0;
        }
        snprintf(name, WEIR_MASE_NAME_SIZE, "data_in_%zu", number);
        return WEIR_MASE_DATA;
    }
    bool is_setting = *word == '=';
    snprintf(name, WEIR_MASE_NAME_SIZE, "%.*s", (int)length - is_setting, word + is_setting);
    return is_setting ? WEIR_MASE_SETTING : WEIR_MASE_PARAMETER;
}

void weir_mase_output(size_t index, char name[WEIR_MASE_NAME_SIZE]) {
    snprintf(name, WEIR_MASE_NAME_SIZE, "data_out_%zu", index);
}

weir_value weir_mase_find(const weir_graph *graph, weir_node node, const char *name) {
    char own[WEIR_MASE_NAME_SIZE];
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        if (weir_mase_input(graph, node, i, own) != WEIR_MASE_NOTHING && strcmp(own, name) == 0)
            return weir_node_input(graph, node, i);
    }
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_mase_output(i, own);
        if (strcmp(own, name) == 0) return weir_node_output(graph, node, i);
    }
    if (strcmp(name, "bias") == 0) return weir_mase_bias(graph, node);
    return WEIR_NO_VALUE;
}

static json_t *setting_otherwise(const setting_row *row) {
    if (*row->otherwise == '\0') return json_null();
    if (row->kind == SETTING_BOOL) return json_boolean(strcmp(row->otherwise, "True") == 0);
    if (row->kind == SETTING_REAL) return json_real(weir_parse_double(row->otherwise, NULL));
    return json_integer(strtoll(row->otherwise, NULL, 10));
}

/* How many of the numbers torch takes: pads are given before and after each axis, torch takes one of two equal ones. */
static size_t setting_count(const setting_row *row, const weir_attribute *attribute) {
    size_t half = attribute->count / 2;
    if (row->kind != SETTING_PADS || attribute->count % 2 != 0) return attribute->count;
    return memcmp(attribute->as.ints, attribute->as.ints + half, half * sizeof(int64_t)) == 0 ? half : attribute->count;
}

static json_t *setting_value(const setting_row *row, const weir_attribute *attribute) {
    if (attribute == NULL) return setting_otherwise(row);
    if (row->kind == SETTING_BOOL) return json_boolean(attribute->as.i != 0);
    if (row->kind == SETTING_INT) return json_integer(attribute->as.i);
    if (row->kind == SETTING_REAL) return json_real(attribute->as.f);
    json_t *list = json_array();
    for (size_t i = 0; i < setting_count(row, attribute); i++)
        json_array_append_new(list, json_integer(attribute->as.ints[i]));
    return list;
}

/* The attribute when it is of the setting's kind. */
static const weir_attribute *attribute_of(const weir_graph *graph, weir_node node, const setting_row *row) {
    static const weir_attribute_kind kinds[] = {[SETTING_BOOL] = WEIR_ATTRIBUTE_INT,
                                                [SETTING_INT] = WEIR_ATTRIBUTE_INT,
                                                [SETTING_INTS] = WEIR_ATTRIBUTE_INTS,
                                                [SETTING_PADS] = WEIR_ATTRIBUTE_INTS,
                                                [SETTING_REAL] = WEIR_ATTRIBUTE_FLOAT};
    const weir_attribute *attribute = row->attribute == NULL ? NULL : weir_node_attribute(graph, node, row->attribute);
    return attribute != NULL && attribute->kind == kinds[row->kind] ? attribute : NULL;
}

json_t *weir_mase_settings(const weir_graph *graph, weir_node node) {
    json_t *settings = json_object();
    for (const setting_row *row = row_of(weir_node_op(graph, node))->settings; row->name != NULL; row++) {
        json_object_set_new(settings, row->name, setting_value(row, attribute_of(graph, node, row)));
    }
    return settings;
}

bool weir_mase_is_module(const weir_graph *graph, weir_node node) {
    char name[WEIR_MASE_NAME_SIZE];
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        if (weir_mase_input(graph, node, i, name) == WEIR_MASE_PARAMETER &&
            weir_mase_constant(graph, weir_node_input(graph, node, i)) != NULL)
            return true;
    }
    return false;
}

/* ---- values ---- */

/* Moved, or some zeros. */
static bool keeps_elements(weir_op op) { return weir_index_map_reshapes(op) || op == WEIR_OP_MASK; }

bool weir_mase_carries(weir_op op) { return keeps_elements(op) || weir_trait_is_quantizer(op); }

const weir_array *weir_mase_constant(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && weir_mase_carries(weir_node_op(graph, producer))) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    return weir_value_constant(graph, value);
}

/* Fraction bits of a step, when it is a power of two. */
static bool fraction_bits(double step, int64_t *bits) {
    int exponent;
    if (frexp(step, &exponent) != 0.5) return false;
    *bits = 1 - exponent;
    return true;
}

static weir_mase_precision of_type(const weir_type *type) {
    const weir_quant *quant = &type->quant;
    weir_mase_precision precision = {weir_format_name(quant->format), 1, {quant->width}};
    switch (quant->format) {
    case WEIR_FORMAT_FLOAT:
        if (!weir_dtype_is_float(type->dtype)) precision.type = weir_dtype_name(type->dtype);
        precision.bits[0] = weir_dtype_bits(type->dtype);
        return precision;
    case WEIR_FORMAT_FIXED: return (weir_mase_precision){"fixed", 2, {quant->width, quant->frac}};
    case WEIR_FORMAT_BINARY: return (weir_mase_precision){"binary", 3, {quant->width, 0, 1}};
    case WEIR_FORMAT_INTEGER: break;
    default: return precision;
    }
    for (uint32_t i = 0; i < quant->count; i++) {
        int64_t bits;
        if ((quant->zero_point != NULL && quant->zero_point[i] != 0) || !fraction_bits(quant->scale[i], &bits) ||
            (i > 0 && bits != precision.bits[1]))
            return (weir_mase_precision){"integer", 1, {quant->width}};
        precision.bits[1] = bits;
    }
    precision.count = 2;
    return precision;
}

/* [width, frac] when all scales are the same power of two and all zero points 0 (NULL: they are), else [width]. Scales
 * that are not known count as no power of two. */
static weir_mase_precision of_grid(int64_t width, const weir_array *scale, const weir_array *zero) {
    weir_mase_precision precision = {"integer", 1, {width}};
    if (scale == NULL) return precision;
    for (size_t i = 0; i < scale->count; i++) {
        int64_t bits;
        if (!fraction_bits(weir_array_get(scale, i), &bits) || (i > 0 && bits != precision.bits[1])) return precision;
        precision.bits[1] = bits;
    }
    for (size_t i = 0; zero != NULL && i < zero->count; i++)
        if (weir_array_get(zero, i) != 0) return precision;
    precision.count = 2;
    return precision;
}

static weir_mase_precision of_dequantizer(const weir_graph *graph, weir_node node) {
    weir_value zero = weir_node_input(graph, node, 2);
    const weir_type *codes = weir_value_type(graph, weir_node_input(graph, node, 0));
    const weir_small_float *format = weir_dtype_small_float(codes->dtype);
    if (format != NULL) {
        const int bits = weir_dtype_bits(codes->dtype);
        return (weir_mase_precision){"minifloat_ieee", 3, {bits, bits - 1 - format->fraction, format->bias}};
    }
    const weir_array *zeros = zero.id == 0 ? NULL : weir_value_constant(graph, zero);
    const weir_array *scales = weir_value_constant(graph, weir_node_input(graph, node, 1));
    return of_grid(codes->quant.width, zero.id != 0 && zeros == NULL ? NULL : scales, zeros);
}

/* QONNX: MASE calls a power of two with floor "fixed", all else "integer". */
static weir_mase_precision of_quantizer(const weir_graph *graph, weir_node node) {
    const weir_array *zero = weir_value_constant(graph, weir_node_input(graph, node, 2));
    const weir_array *width = weir_value_constant(graph, weir_node_input(graph, node, 3));
    const weir_array *scale = weir_value_constant(graph, weir_node_input(graph, node, 1));
    if (width == NULL) return (weir_mase_precision){"integer", 0, {0}};
    weir_mase_precision precision = of_grid(weir_array_get_int(width, 0), zero == NULL ? NULL : scale, zero);
    const char *rounding = weir_node_string(graph, node, "rounding_mode", "ROUND");
    if (precision.count == 2 && strcmp(rounding, "FLOOR") == 0) precision.type = "fixed";
    return precision;
}

/* So many bits as number its values: of a sign, of a sign and zero, or of others. */
static weir_mase_precision of_thresholds(const weir_graph *graph, weir_node node) {
    const int64_t steps = weir_value_type(graph, weir_node_input(graph, node, 1))->shape.dim[1];
    const double scale = weir_node_float(graph, node, "out_scale", 1),
                 bias = weir_node_float(graph, node, "out_bias", 0);
    if (steps == 1) return (weir_mase_precision){"binary", 3, {1, 0, bias < 0}};
    if (steps == 2 && bias == -scale) return (weir_mase_precision){"ternary", 1, {2}};
    return (weir_mase_precision){"integer", 1, {weir_bits_for(0, steps)}};
}

/* The width of an element, then what else is set. */
static weir_mase_precision of_number(const weir_graph *graph, weir_node node) {
    weir_number number;
    if (!weir_number_parse(weir_node_string(graph, node, "format", ""), &number))
        weir_unreachable("a format that inference refuses");
    weir_mase_precision precision = {weir_number_name(number.id), 1, {weir_number_width(&number)}};
    for (int key = 0; key < WEIR_KEY_COUNT; key++) {
        const weir_number_key k = (weir_number_key)key;
        if (k == WEIR_KEY_WIDTH || !weir_number_has(&number, k) || weir_number_get(&number, k) == WEIR_NUMBER_CHOSEN)
            continue;
        precision.bits[precision.count++] = weir_number_get(&number, k);
    }
    return precision;
}

/* MASE has no other floats: what it calls one that rounds otherwise, or is bounded otherwise, is that of the widths. */
static weir_mase_precision of_float(const weir_graph *graph, weir_node node) {
    int64_t setting[3];
    for (size_t i = 0; i < 3; i++)
        setting[i] = weir_array_get_int(weir_value_constant(graph, weir_node_input(graph, node, i + 2)), 0);
    return (weir_mase_precision){"minifloat_ieee", 3, {1 + setting[0] + setting[1], setting[0], setting[2]}};
}

weir_mase_precision weir_mase_precision_of(const weir_graph *graph, weir_value value) {
    weir_node producer = weir_value_producer(graph, value);
    while (producer.id != 0 && keeps_elements(weir_node_op(graph, producer))) {
        value = weir_node_input(graph, producer, 0);
        producer = weir_value_producer(graph, value);
    }
    const weir_op kind = producer.id == 0 ? WEIR_OP_NONE : weir_trait_kind(graph, producer);
    if (kind == WEIR_OP_BIPOLAR_QUANT) return (weir_mase_precision){"binary", 3, {1, 0, 1}};
    if (kind == WEIR_OP_FAKE_QUANTIZE) return of_number(graph, producer);
    if (kind == WEIR_OP_FLOAT_QUANT) return of_float(graph, producer);
    if (kind == WEIR_OP_QUANT) return of_quantizer(graph, producer);
    if (kind == WEIR_OP_MULTI_THRESHOLD) return of_thresholds(graph, producer);
    if (kind == WEIR_OP_DEQUANTIZE_LINEAR) return of_dequantizer(graph, producer);
    return of_type(weir_value_type(graph, value));
}

const char *weir_mase_dtype(weir_dtype dtype) {
    static const char *const names[WEIR_DTYPE_COUNT] = {[WEIR_BOOL] = "torch.bool",
                                                        [WEIR_INT8] = "torch.int8",
                                                        [WEIR_INT16] = "torch.int16",
                                                        [WEIR_INT32] = "torch.int32",
                                                        [WEIR_INT64] = "torch.int64",
                                                        [WEIR_UINT8] = "torch.uint8",
                                                        [WEIR_UINT16] = "torch.uint16",
                                                        [WEIR_UINT32] = "torch.uint32",
                                                        [WEIR_UINT64] = "torch.uint64",
                                                        [WEIR_INT4] = "torch.int4",
                                                        [WEIR_UINT4] = "torch.uint4",
                                                        [WEIR_BFLOAT16] = "torch.bfloat16",
                                                        [WEIR_INT2] = "torch.int2",
                                                        [WEIR_UINT2] = "torch.uint2",
                                                        [WEIR_FLOAT4E2M1] = "torch.float4_e2m1fn_x2",
                                                        [WEIR_FLOAT8E4M3FN] = "torch.float8_e4m3fn",
                                                        [WEIR_FLOAT8E4M3FNUZ] = "torch.float8_e4m3fnuz",
                                                        [WEIR_FLOAT8E5M2] = "torch.float8_e5m2",
                                                        [WEIR_FLOAT8E5M2FNUZ] = "torch.float8_e5m2fnuz",
                                                        [WEIR_FLOAT8E8M0] = "torch.float8_e8m0fnu",
                                                        [WEIR_FLOAT16] = "torch.float16",
                                                        [WEIR_FLOAT32] = "torch.float32",
                                                        [WEIR_FLOAT64] = "torch.float64"};
    return names[dtype];
}
