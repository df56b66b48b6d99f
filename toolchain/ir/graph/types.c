#include "ir/graph/types.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "support/text/unreachable.h"

static const char *const format_names[WEIR_FORMAT_COUNT] = {"float",     "integer", "fixed", "binary", "ternary",
                                                            "minifloat", "log",     "block", "mx"};
static const char *const rounding_names[WEIR_ROUND_COUNT] = {
    "floor", "truncate", "half-up", "half-even", "half-down", "half-away", "ceil", "away", "half-to-zero"};
static const char *const saturation_names[WEIR_SATURATION_COUNT] = {"saturate", "symmetric"};

static bool find_name(const char *const *names, int count, const char *name, int *index) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *name;
    weir_rounding rounding;
} qonnx_roundings[] = {{"ROUND", WEIR_ROUND_HALF_EVEN},   {"HALF_EVEN", WEIR_ROUND_HALF_EVEN},
                       {"CEIL", WEIR_ROUND_CEIL},         {"FLOOR", WEIR_ROUND_FLOOR},
                       {"UP", WEIR_ROUND_AWAY},           {"DOWN", WEIR_ROUND_TRUNCATE},
                       {"HALF_UP", WEIR_ROUND_HALF_AWAY}, {"HALF_DOWN", WEIR_ROUND_HALF_TO_ZERO}};

const char *weir_format_name(weir_number_format format) {
    assert(format < WEIR_FORMAT_COUNT);
    return format_names[format];
}
const char *weir_rounding_name(weir_rounding rounding) {
    assert(rounding < WEIR_ROUND_COUNT);
    return rounding_names[rounding];
}
bool weir_rounding_parse_qonnx(const char *name, weir_rounding *rounding) {
    for (size_t i = 0; i < sizeof qonnx_roundings / sizeof *qonnx_roundings; i++) {
        if (strcasecmp(qonnx_roundings[i].name, name) != 0) continue;
        *rounding = qonnx_roundings[i].rounding;
        return true;
    }
    return false;
}

const char *weir_saturation_name(weir_saturation saturation) {
    assert(saturation < WEIR_SATURATION_COUNT);
    return saturation_names[saturation];
}

bool weir_format_parse(const char *name, weir_number_format *format) {
    int index;
    if (!find_name(format_names, WEIR_FORMAT_COUNT, name, &index)) return false;
    *format = (weir_number_format)index;
    return true;
}

bool weir_rounding_parse(const char *name, weir_rounding *rounding) {
    int index;
    if (!find_name(rounding_names, WEIR_ROUND_COUNT, name, &index)) return false;
    *rounding = (weir_rounding)index;
    return true;
}

bool weir_saturation_parse(const char *name, weir_saturation *saturation) {
    int index;
    if (!find_name(saturation_names, WEIR_SATURATION_COUNT, name, &index)) return false;
    *saturation = (weir_saturation)index;
    return true;
}

void weir_quant_limits(const weir_quant *quant, int64_t *low, int64_t *high) {
    assert(quant->format >= WEIR_FORMAT_INTEGER && quant->format <= WEIR_FORMAT_TERNARY);
    if (quant->format == WEIR_FORMAT_BINARY || quant->format == WEIR_FORMAT_TERNARY) {
        *low = -1;
        *high = 1;
        return;
    }
    assert(quant->width >= 1 && quant->width <= 64);
    int bits = quant->is_signed ? quant->width - 1 : quant->width;
    int64_t top = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    *high = top;
    *low = quant->is_signed ? -top - (quant->saturation == WEIR_SATURATE) : 0;
    if (!quant->is_signed && quant->saturation == WEIR_SATURATE_SYMMETRIC) *high = top - 1; /* QONNX's narrow range */
}

double weir_quant_scale(const weir_quant *quant, int64_t index) {
    if (quant->format == WEIR_FORMAT_FIXED) return ldexp(1.0, -quant->frac);
    if (quant->count == 0) return 1.0;
    assert(quant->count == 1 || (index >= 0 && index < quant->count));
    return quant->scale[quant->count == 1 ? 0 : index];
}

double weir_quant_element_scale(const weir_quant *quant, int64_t index, int64_t count) {
    assert(count > 0);
    const double scale = weir_quant_scale(quant, index) * (double)count, nearest = (double)(float)scale;
    return count > 1 && fabs(nearest - scale) <= scale * 0x1p-50 ? nearest : scale;
}

int64_t weir_quant_zero(const weir_quant *quant, int64_t index) {
    if (quant->zero_point == NULL || quant->count == 0) return 0;
    assert(quant->count == 1 || (index >= 0 && index < quant->count));
    return quant->zero_point[quant->count == 1 ? 0 : index];
}

bool weir_quant_equal(const weir_quant *a, const weir_quant *b) {
    if (a->format != b->format || a->is_signed != b->is_signed || a->width != b->width || a->frac != b->frac ||
        a->rounding != b->rounding || a->saturation != b->saturation || a->axis != b->axis || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->scale[i] != b->scale[i] || weir_quant_zero(a, i) != weir_quant_zero(b, i)) return false;
    }
    return true;
}

bool weir_type_equal(const weir_type *a, const weir_type *b) {
    return a->dtype == b->dtype && weir_shape_equal(&a->shape, &b->shape) && strcmp(a->layout, b->layout) == 0 &&
           weir_quant_equal(&a->quant, &b->quant) && a->has_range == b->has_range &&
           (!a->has_range || (a->low == b->low && a->high == b->high));
}

weir_type weir_type_of_data(const weir_array *data) {
    weir_type type = {.dtype = data->dtype, .shape = data->shape, .quant = {.axis = -1}};
    if (weir_dtype_is_float(data->dtype)) return type;
    type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.is_signed = weir_dtype_is_signed(data->dtype);
    type.quant.width = weir_dtype_bits(data->dtype);
    if (data->count == 0) return type;
    type.has_range = true;
    type.low = type.high = weir_array_get_int(data, 0);
    for (size_t i = 1; i < data->count; i++) {
        const int64_t code = weir_array_get_int(data, i);
        if (code < type.low) type.low = code;
        if (code > type.high) type.high = code;
    }
    return type;
}

int weir_bits_for(int64_t low, int64_t high) {
    assert(low <= high);
    bool is_signed = low < 0;
    uint64_t magnitude = (uint64_t)(high < 0 ? -(high + 1) : high);
    if (is_signed && (uint64_t) - (low + 1) > magnitude) magnitude = (uint64_t) - (low + 1);
    int bits = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude); /* at most 63 */
    if (is_signed) bits++;
    return bits < 1 ? 1 : bits;
}

int64_t weir_common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

weir_dtype weir_dtype_for(int64_t low, int64_t high) {
    assert(low <= high);
    static const weir_dtype containers[] = {WEIR_UINT8, WEIR_INT8, WEIR_UINT16, WEIR_INT16, WEIR_UINT32, WEIR_INT32};
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        int64_t least, most;
        weir_dtype_limits(containers[i], &least, &most);
        if (low >= least && high <= most) return containers[i];
    }
    return WEIR_INT64;
}

/* Works on the magnitude, where the distance to the integer below is exact. */
double weir_round(double v, weir_rounding rounding) {
    double size = fabs(v), down = floor(size), rest = size - down;
    bool up = rest > 0.5;
    switch (rounding) {
    case WEIR_ROUND_FLOOR: return floor(v);
    case WEIR_ROUND_TRUNCATE: return trunc(v);
    case WEIR_ROUND_CEIL: return ceil(v);
    case WEIR_ROUND_AWAY: return v < 0 ? floor(v) : ceil(v);
    case WEIR_ROUND_HALF_UP: up |= rest == 0.5 && v > 0; break;
    case WEIR_ROUND_HALF_DOWN: up |= rest == 0.5 && v < 0; break;
    case WEIR_ROUND_HALF_AWAY: up |= rest == 0.5; break;
    case WEIR_ROUND_HALF_TO_ZERO: break;
    case WEIR_ROUND_HALF_EVEN: up |= rest == 0.5 && fmod(down, 2.0) != 0; break;
    case WEIR_ROUND_COUNT: weir_unreachable("a rounding");
    }
    return copysign(up ? down + 1 : down, v);
}
