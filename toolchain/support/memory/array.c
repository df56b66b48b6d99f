/* Dense arrays: element types, shapes, element access with conversion, named sets of arrays.
 * A bool element is the byte 0 or 1; one of 2 or 4 bits has a byte of its own. Integers stored into a narrower type
 * keep their low bits, as ONNX Cast does. Element access costs a switch on the type: loops that matter work on `data`
 * directly. */
#include "support/memory/array.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/text.h"
#include "support/text/unreachable.h"

static const struct {
    const char *name;
    unsigned char size;
    bool is_float, is_signed;
    unsigned char bits;
} dtypes[WEIR_DTYPE_COUNT] = {
    [WEIR_BOOL] = {"bool", 1, false, false, 8},
    [WEIR_INT8] = {"int8", 1, false, true, 8},
    [WEIR_INT16] = {"int16", 2, false, true, 16},
    [WEIR_INT32] = {"int32", 4, false, true, 32},
    [WEIR_INT64] = {"int64", 8, false, true, 64},
    [WEIR_UINT8] = {"uint8", 1, false, false, 8},
    [WEIR_UINT16] = {"uint16", 2, false, false, 16},
    [WEIR_UINT32] = {"uint32", 4, false, false, 32},
    [WEIR_UINT64] = {"uint64", 8, false, false, 64},
    [WEIR_INT4] = {"int4", 1, false, true, 4},
    [WEIR_UINT4] = {"uint4", 1, false, false, 4},
    [WEIR_INT2] = {"int2", 1, false, true, 2},
    [WEIR_UINT2] = {"uint2", 1, false, false, 2},
    [WEIR_FLOAT4E2M1] = {"float4e2m1", 1, true, true, 4},
    [WEIR_FLOAT8E4M3FN] = {"float8e4m3fn", 1, true, true, 8},
    [WEIR_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", 1, true, true, 8},
    [WEIR_FLOAT8E5M2] = {"float8e5m2", 1, true, true, 8},
    [WEIR_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", 1, true, true, 8},
    [WEIR_FLOAT8E8M0] = {"float8e8m0", 1, true, false, 8},
    [WEIR_FLOAT16] = {"float16", 2, true, true, 16},
    [WEIR_BFLOAT16] = {"bfloat16", 2, true, true, 16},
    [WEIR_FLOAT32] = {"float32", 4, true, true, 32},
    [WEIR_FLOAT64] = {"float64", 8, true, true, 64},
};

size_t weir_dtype_size(weir_dtype dtype) {
    assert(dtype < WEIR_DTYPE_COUNT);
    return dtypes[dtype].size;
}

int weir_dtype_bits(weir_dtype dtype) {
    assert(dtype < WEIR_DTYPE_COUNT);
    return dtypes[dtype].bits;
}

const char *weir_dtype_name(weir_dtype dtype) {
    assert(dtype < WEIR_DTYPE_COUNT);
    return dtypes[dtype].name;
}

bool weir_dtype_parse(const char *name, weir_dtype *dtype) {
    for (int i = 0; i < WEIR_DTYPE_COUNT; i++) {
        if (strcmp(dtypes[i].name, name) == 0) {
            *dtype = (weir_dtype)i;
            return true;
        }
    }
    return false;
}

weir_dtype weir_dtype_in_file(weir_dtype dtype) {
    switch (dtype) {
    case WEIR_INT2:
    case WEIR_INT4: return WEIR_INT8;
    case WEIR_UINT2:
    case WEIR_UINT4: return WEIR_UINT8;
    default: return dtype == WEIR_BFLOAT16 || weir_dtype_is_small_float(dtype) ? WEIR_FLOAT32 : dtype;
    }
}

bool weir_dtype_is_float(weir_dtype dtype) {
    assert(dtype < WEIR_DTYPE_COUNT);
    return dtypes[dtype].is_float;
}

bool weir_dtype_is_small_float(weir_dtype dtype) { return weir_dtype_is_float(dtype) && dtypes[dtype].size == 1; }

const weir_small_float *weir_dtype_small_float(weir_dtype dtype) {
    static const weir_small_float formats[WEIR_DTYPE_COUNT] = {
        [WEIR_FLOAT4E2M1] = {1, 1, 7, 0, 0, 8, true},
        [WEIR_FLOAT8E4M3FN] = {3, 7, 0x7e, 0, 0x7f, 0x80, true},
        [WEIR_FLOAT8E4M3FNUZ] = {3, 8, 0x7f, 0, 0x80, 0x80, false},
        [WEIR_FLOAT8E5M2] = {2, 15, 0x7b, 0x7c, 0x7e, 0x80, true},
        [WEIR_FLOAT8E5M2FNUZ] = {2, 16, 0x7f, 0, 0x80, 0x80, false},
    };
    assert(dtype < WEIR_DTYPE_COUNT);
    return formats[dtype].most != 0 ? &formats[dtype] : NULL;
}

bool weir_dtype_is_signed(weir_dtype dtype) {
    assert(dtype < WEIR_DTYPE_COUNT);
    return dtypes[dtype].is_signed;
}

void weir_dtype_limits(weir_dtype dtype, int64_t *low, int64_t *high) {
    assert(!weir_dtype_is_float(dtype));
    int bits = weir_dtype_bits(dtype);
    if (dtype == WEIR_BOOL) {
        *low = 0;
        *high = 1;
    } else if (dtypes[dtype].is_signed) {
        *high = INT64_MAX >> (64 - bits);
        *low = -*high - 1;
    } else {
        *low = 0;
        *high = bits == 64 ? INT64_MAX : INT64_MAX >> (63 - bits);
    }
}

weir_shape weir_shape_of(int rank, const int64_t *dims) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    weir_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        shape.dim[i] = dims[i];
    }
    return shape;
}

/* A zero dimension makes the count zero, but the others must still be in range: strides stay computable. */
bool weir_shape_count(const weir_shape *shape, size_t *count) {
    const uint64_t limit = (SIZE_MAX < INT64_MAX ? SIZE_MAX : INT64_MAX) / 8;
    uint64_t product = 1;
    bool empty = false;
    if (shape->rank < 0 || shape->rank > WEIR_MAX_RANK) {
        return false;
    }
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] < 0) {
            return false;
        }
        uint64_t dim = (uint64_t)shape->dim[i];
        if (dim == 0) {
            empty = true;
        } else if (dim > limit / product) {
            return false;
        } else {
            product *= dim;
        }
    }
    *count = empty ? 0 : (size_t)product;
    return true;
}

bool weir_shape_equal(const weir_shape *a, const weir_shape *b) {
    assert(a->rank <= WEIR_MAX_RANK && b->rank <= WEIR_MAX_RANK);
    for (int i = 0; i < a->rank && i < b->rank; i++) {
        if (a->dim[i] != b->dim[i]) {
            return false;
        }
    }
    return a->rank == b->rank;
}

char *weir_shape_print(const weir_shape *shape, char *text, size_t size) {
    assert(shape->rank >= 0 && shape->rank <= WEIR_MAX_RANK);
    weir_text whole = {0};
    weir_text_char(&whole, '[');
    for (int i = 0; i < shape->rank; i++) {
        weir_text_format(&whole, "%s%lld", i ? "," : "", (long long)shape->dim[i]);
    }
    weir_text_char(&whole, ']');
    if (size > 0) {
        size_t length = whole.size < size ? whole.size : size - 1;
        memcpy(text, whole.data, length);
        text[length] = 0;
    }
    weir_text_free(&whole);
    return text;
}

static void fill(weir_array *array, weir_dtype dtype, const weir_shape *shape) {
    array->dtype = dtype;
    array->shape = *shape;
    bool valid = weir_shape_count(shape, &array->count);
    assert(valid);
    (void)valid;
}

weir_array *weir_array_new(weir_dtype dtype, const weir_shape *shape) {
    weir_array *array = weir_calloc(1, sizeof *array);
    fill(array, dtype, shape);
    array->data = weir_calloc(array->count, weir_dtype_size(dtype));
    return array;
}

weir_array *weir_array_in(weir_arena *arena, weir_dtype dtype, const weir_shape *shape) {
    weir_array *array = weir_arena_alloc(arena, sizeof *array);
    fill(array, dtype, shape);
    array->data = weir_arena_array(arena, array->count, weir_dtype_size(dtype));
    return array;
}

weir_array *weir_array_copy(const weir_array *array) {
    weir_array *copy = weir_array_new(array->dtype, &array->shape);
    memcpy(copy->data, array->data, array->count * weir_dtype_size(array->dtype));
    return copy;
}

weir_array *weir_array_copy_in(weir_arena *arena, const weir_array *array) {
    weir_array *copy = weir_array_in(arena, array->dtype, &array->shape);
    memcpy(copy->data, array->data, array->count * weir_dtype_size(array->dtype));
    return copy;
}

void weir_array_free(weir_array *array) {
    if (array) {
        if (array->release != NULL) array->release(array);
        else free(array->data);
        free(array);
    }
}

/* IEEE 754 binary16: sign, 5 bits of exponent biased by 15, 10 bits of fraction. */
static double half_to_double(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude;
    if (exponent == 31) {
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(1024 + fraction, exponent - 25);
    }
    return half & 0x8000 ? -magnitude : magnitude;
}

/* Rounds once, to nearest, ties to even; what is too large becomes infinite. */
static uint16_t half_from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 48 & 0x8000, fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    uint64_t kept;
    int shift = 42; /* fraction bits that do not fit */
    if (exponent == 1024) {
        return (uint16_t)(sign | (fraction ? 0x7e00 : 0x7c00));
    }
    if (exponent > 15) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (exponent < -25) {
        return (uint16_t)sign;
    }
    if (exponent < -14) { /* subnormal: the leading one becomes a fraction bit */
        fraction |= UINT64_C(1) << 52;
        shift += -14 - exponent;
        kept = fraction >> shift;
    } else {
        kept = (uint64_t)(exponent + 15) << 10 | fraction >> shift;
    }
    uint64_t rest = fraction & ((UINT64_C(1) << shift) - 1), tie = UINT64_C(1) << (shift - 1);
    if (rest > tie || (rest == tie && (kept & 1))) {
        kept++; /* a carry moves into the exponent, as it should */
    }
    return (uint16_t)(sign | kept);
}

/* The upper half of an IEEE 754 binary32. */
static double bfloat_to_double(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The two nearest neighbours of a double have 8 significant bits: rounds once, to nearest, ties to even. */
static uint16_t bfloat_from_double(double value) {
    if (isnan(value)) {
        return (uint16_t)(0x7fc0 | (signbit(value) ? 0x8000 : 0));
    }
    int exponent;
    double magnitude = fabs(value);
    frexp(magnitude, &exponent); /* magnitude in [2^(exponent-1), 2^exponent) */
    int last = exponent < -125 ? -133 : exponent - 8;
    float kept = isinf(magnitude) ? INFINITY : (float)ldexp(nearbyint(ldexp(magnitude, -last)), last);
    uint32_t bits;
    memcpy(&bits, &kept, sizeof bits);
    return (uint16_t)(bits >> 16 | (signbit(value) ? 0x8000 : 0));
}

static int64_t saturate(double value) {
    if (isnan(value)) {
        return 0;
    }
    if (value >= 9223372036854775808.0) {
        return INT64_MAX;
    }
    return value < -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

double weir_array_get(const weir_array *array, size_t index) {
    assert(index < array->count);
    switch (array->dtype) {
    case WEIR_FLOAT16: return half_to_double(((const uint16_t *)array->data)[index]);
    case WEIR_BFLOAT16: return bfloat_to_double(((const uint16_t *)array->data)[index]);
    case WEIR_FLOAT32: return (double)((const float *)array->data)[index];
    case WEIR_FLOAT64: return ((const double *)array->data)[index];
    case WEIR_UINT64: return (double)((const uint64_t *)array->data)[index];
    case WEIR_FLOAT8E8M0: return weir_small_float_decode_power(((const uint8_t *)array->data)[index]);
    default:
        if (weir_dtype_small_float(array->dtype) != NULL)
            return weir_small_float_decode(weir_dtype_small_float(array->dtype), ((const uint8_t *)array->data)[index]);
        return (double)weir_array_get_int(array, index);
    }
}

int64_t weir_array_get_int(const weir_array *array, size_t index) {
    assert(index < array->count);
    const void *data = array->data;
    switch (array->dtype) {
    case WEIR_BOOL: return ((const uint8_t *)data)[index] != 0;
    case WEIR_INT2:
    case WEIR_INT4:
    case WEIR_INT8: return ((const int8_t *)data)[index];
    case WEIR_INT16: return ((const int16_t *)data)[index];
    case WEIR_INT32: return ((const int32_t *)data)[index];
    case WEIR_INT64: return ((const int64_t *)data)[index];
    case WEIR_UINT2:
    case WEIR_UINT4:
    case WEIR_UINT8: return ((const uint8_t *)data)[index];
    case WEIR_UINT16: return ((const uint16_t *)data)[index];
    case WEIR_UINT32: return ((const uint32_t *)data)[index];
    case WEIR_UINT64: {
        uint64_t value = ((const uint64_t *)data)[index];
        return value > INT64_MAX ? INT64_MAX : (int64_t)value;
    }
    default: return saturate(weir_array_get(array, index));
    }
}

void weir_array_get_ints(const weir_array *array, size_t first, size_t count, int64_t *value) {
    assert(first <= array->count && count <= array->count - first);
    if (array->dtype == WEIR_INT8 || array->dtype == WEIR_INT4 || array->dtype == WEIR_INT2) {
        const int8_t *data = (const int8_t *)array->data + first;
        for (size_t i = 0; i < count; i++) value[i] = data[i];
        return;
    }
    for (size_t i = 0; i < count; i++) value[i] = weir_array_get_int(array, first + i);
}

bool weir_array_is_odd(const weir_array *array) {
    size_t i = 0;
    if (weir_dtype_size(array->dtype) == 1 && !weir_dtype_is_float(array->dtype))
        while (i < array->count && (((const uint8_t *)array->data)[i] & 1) != 0) i++;
    else
        while (i < array->count && weir_array_get_int(array, i) % 2 != 0) i++;
    return i == array->count;
}

void weir_array_set(weir_array *array, size_t index, double value) {
    assert(index < array->count);
    switch (array->dtype) {
    case WEIR_BOOL: ((uint8_t *)array->data)[index] = value < 0 || value > 0 || isnan(value); break;
    case WEIR_FLOAT16: ((uint16_t *)array->data)[index] = half_from_double(value); break;
    case WEIR_BFLOAT16: ((uint16_t *)array->data)[index] = bfloat_from_double(value); break;
    case WEIR_FLOAT32: ((float *)array->data)[index] = (float)value; break;
    case WEIR_FLOAT64: ((double *)array->data)[index] = value; break;
    case WEIR_UINT64:
        if (value >= 9223372036854775808.0) { /* the upper half of the range, which int64 lacks */
            bool fits = value < 18446744073709551616.0;
            ((uint64_t *)array->data)[index] = fits ? (uint64_t)value : UINT64_MAX;
            break;
        }
        weir_array_set_int(array, index, saturate(value));
        break;
    case WEIR_FLOAT8E8M0:
        ((uint8_t *)array->data)[index] = weir_small_float_encode_power((float)value, false, WEIR_SMALL_POWER_UP);
        break;
    default:
        if (weir_dtype_small_float(array->dtype) != NULL)
            ((uint8_t *)array->data)[index] =
                weir_small_float_encode(weir_dtype_small_float(array->dtype), value, false);
        else weir_array_set_int(array, index, saturate(value));
        break;
    }
}

void weir_array_set_int(weir_array *array, size_t index, int64_t value) {
    assert(index < array->count);
    void *data = array->data;
    uint64_t bits = (uint64_t)value;
    switch (array->dtype) {
    case WEIR_BOOL: ((uint8_t *)data)[index] = value != 0; break;
    case WEIR_INT4: ((uint8_t *)data)[index] = (uint8_t)((bits & 15) - (bits << 1 & 16)); break;
    case WEIR_UINT4: ((uint8_t *)data)[index] = (uint8_t)(bits & 15); break;
    case WEIR_INT2: ((uint8_t *)data)[index] = (uint8_t)((bits & 3) - (bits << 1 & 4)); break;
    case WEIR_UINT2: ((uint8_t *)data)[index] = (uint8_t)(bits & 3); break;
    case WEIR_FLOAT4E2M1:
    case WEIR_FLOAT8E4M3FN:
    case WEIR_FLOAT8E4M3FNUZ:
    case WEIR_FLOAT8E5M2:
    case WEIR_FLOAT8E5M2FNUZ:
    case WEIR_FLOAT8E8M0: weir_array_set(array, index, (double)value); break;
    case WEIR_INT8:
    case WEIR_UINT8: ((uint8_t *)data)[index] = (uint8_t)bits; break;
    case WEIR_INT16:
    case WEIR_UINT16: ((uint16_t *)data)[index] = (uint16_t)bits; break;
    case WEIR_INT32:
    case WEIR_UINT32: ((uint32_t *)data)[index] = (uint32_t)bits; break;
    case WEIR_INT64:
    case WEIR_UINT64: ((uint64_t *)data)[index] = bits; break;
    case WEIR_FLOAT16: ((uint16_t *)data)[index] = half_from_double((double)value); break;
    case WEIR_BFLOAT16: ((uint16_t *)data)[index] = bfloat_from_double((double)value); break;
    case WEIR_FLOAT32: ((float *)data)[index] = (float)value; break;
    case WEIR_FLOAT64: ((double *)data)[index] = (double)value; break;
    case WEIR_DTYPE_COUNT: weir_unreachable("an element type");
    }
}

weir_array *weir_array_convert(const weir_array *array, weir_dtype dtype) {
    if (array->dtype == dtype) {
        return weir_array_copy(array);
    }
    weir_array *result = weir_array_new(dtype, &array->shape);
    bool through_double =
        weir_dtype_is_float(array->dtype) || (array->dtype == WEIR_UINT64 && weir_dtype_is_float(dtype));
    for (size_t i = 0; i < array->count; i++) {
        if (through_double) {
            weir_array_set(result, i, weir_array_get(array, i));
        } else if (array->dtype == WEIR_UINT64) {
            weir_array_set_int(result, i, (int64_t)((const uint64_t *)array->data)[i]); /* get_int would clip it */
        } else {
            weir_array_set_int(result, i, weir_array_get_int(array, i));
        }
    }
    return result;
}

/* Same type, shape and bytes: a NaN equals itself, 0 and -0 differ. */
bool weir_array_equal(const weir_array *a, const weir_array *b) {
    return a->dtype == b->dtype && weir_shape_equal(&a->shape, &b->shape) &&
           memcmp(a->data, b->data, a->count * weir_dtype_size(a->dtype)) == 0;
}

int64_t weir_text_reader_find(weir_text_reader *reader, const char *text, size_t length) {
    for (size_t i = 0; i < reader->words.count; i++) {
        const char *word = reader->words.word[i];
        if (strlen(word) == length && memcmp(word, text, length) == 0) return (int64_t)i;
    }
    if (reader->unknown++ == 0)
        snprintf(reader->first, sizeof reader->first, "%.*s", (int)(length < 60 ? length : 60), text);
    return WEIR_NO_WORD;
}

void weir_archive_init(weir_archive *archive) { *archive = (weir_archive){0}; }

typedef struct wanted_name {
    const weir_archive *archive;
    const char *name;
} wanted_name;

static bool is_called(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const wanted_name *w = user;
    return strcmp(w->archive->name[value], w->name) == 0;
}

static uint32_t hash_of(const char *name) { return weir_map_hash_text(name, strlen(name)); }

/* A name that is there already keeps its place and gets the new array. */
void weir_archive_add(weir_archive *archive, const char *name, weir_array *array) {
    assert(array != NULL);
    bool is_new;
    weir_map_entry *entry =
        weir_map_put_as(&archive->place, hash_of(name), is_called, &(wanted_name){archive, name}, &is_new);
    if (!is_new) {
        weir_array_free(archive->array[entry->value]);
        archive->array[entry->value] = array;
        return;
    }
    entry->value = archive->count;
    size_t capacity = archive->capacity;
    archive->name = weir_grow(archive->name, &capacity, archive->count + 1, sizeof *archive->name);
    archive->array = weir_grow(archive->array, &archive->capacity, archive->count + 1, sizeof(weir_array *));
    archive->name[archive->count] = weir_copy_string(name);
    archive->array[archive->count++] = array;
}

weir_array *weir_archive_find(const weir_archive *archive, const char *name) {
    const weir_map_entry *entry =
        weir_map_find_as(&archive->place, hash_of(name), is_called, &(wanted_name){archive, name});
    return entry == NULL ? NULL : archive->array[entry->value];
}

void weir_archive_free(weir_archive *archive) {
    for (size_t i = 0; i < archive->count; i++) {
        free(archive->name[i]);
        weir_array_free(archive->array[i]);
    }
    free(archive->name);
    free(archive->array);
    weir_map_free(&archive->place);
    weir_archive_init(archive);
}
