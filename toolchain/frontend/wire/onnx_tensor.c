#include "frontend/wire/onnx_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_external.h"
#include "support/memory/arena.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw tensor data is copied as it is in the file");

typedef enum field { FLOATS, INT32S, INT64S, DOUBLES, UINT64S, STRINGS, FIELD_COUNT, NO_FIELD } field;

/* By ONNX's number; NO_FIELD: not supported. */
typedef struct type_row {
    const char *name;
    weir_dtype dtype;
    field field;
} type_row;

static const type_row types[] = {
    {"undefined", 0, NO_FIELD},
    {"float32", WEIR_FLOAT32, FLOATS},
    {"uint8", WEIR_UINT8, INT32S},
    {"int8", WEIR_INT8, INT32S},
    {"uint16", WEIR_UINT16, INT32S},
    {"int16", WEIR_INT16, INT32S},
    {"int32", WEIR_INT32, INT32S},
    {"int64", WEIR_INT64, INT64S},
    {"string", 0, NO_FIELD},
    {"bool", WEIR_BOOL, INT32S},
    {"float16", WEIR_FLOAT16, INT32S},
    {"float64", WEIR_FLOAT64, DOUBLES},
    {"uint32", WEIR_UINT32, UINT64S},
    {"uint64", WEIR_UINT64, UINT64S},
    {"complex64", 0, NO_FIELD},
    {"complex128", 0, NO_FIELD},
    {"bfloat16", WEIR_BFLOAT16, INT32S},
    {"float8e4m3fn", WEIR_FLOAT8E4M3FN, INT32S},
    {"float8e4m3fnuz", WEIR_FLOAT8E4M3FNUZ, INT32S},
    {"float8e5m2", WEIR_FLOAT8E5M2, INT32S},
    {"float8e5m2fnuz", WEIR_FLOAT8E5M2FNUZ, INT32S},
    {"uint4", WEIR_UINT4, INT32S},
    {"int4", WEIR_INT4, INT32S},
    {"float4e2m1", WEIR_FLOAT4E2M1, INT32S},
    {"float8e8m0", WEIR_FLOAT8E8M0, INT32S},
    {"uint2", WEIR_UINT2, INT32S},
    {"int2", WEIR_INT2, INT32S},
    {"float6e2m3", 0, NO_FIELD},
    {"float6e3m2", 0, NO_FIELD},
};

static const char *const field_names[FIELD_COUNT] = {"float_data",  "int32_data",  "int64_data",
                                                     "double_data", "uint64_data", "string_data"};

static const type_row *type_find(int32_t type) {
    return type >= 0 && (size_t)type < sizeof types / sizeof *types ? &types[type] : NULL;
}

const char *weir_onnx_tensor_type_name(int32_t type) {
    const type_row *row = type_find(type);
    return row == NULL ? "unknown" : row->name;
}

bool weir_onnx_tensor_type(int32_t type, weir_dtype *dtype) {
    const type_row *row = type_find(type);
    if (row == NULL || row->field == NO_FIELD) return false;
    *dtype = row->dtype;
    return true;
}

int32_t weir_onnx_tensor_number(weir_dtype dtype) {
    int32_t number = 0;
    while (types[number].field == NO_FIELD || types[number].dtype != dtype) number++;
    return number;
}

static size_t field_count(const Onnx__TensorProto *tensor, field which) {
    const size_t counts[FIELD_COUNT] = {tensor->n_float_data,  tensor->n_int32_data,  tensor->n_int64_data,
                                        tensor->n_double_data, tensor->n_uint64_data, tensor->n_string_data};
    return counts[which];
}

/* --- elements of less than a byte --- */

static bool is_packed(weir_dtype dtype) { return weir_dtype_bits(dtype) < 8; }

/* Bytes that `count` elements take in a file: those of 2 or 4 bits share a byte, the first in its low bits. */
static size_t stored_bytes(weir_dtype dtype, size_t count) {
    const size_t together = 8 / (size_t)weir_dtype_bits(dtype);
    return is_packed(dtype) ? count / together + (count % together != 0) : count * weir_dtype_size(dtype);
}

/* Elements of the typed field: for packed ones each holds a byte. */
static size_t stored_elements(weir_dtype dtype, size_t count) {
    return is_packed(dtype) ? stored_bytes(dtype, count) : count;
}

/* The bits of an element as it lies in memory. */
static void set_bits(weir_array *array, size_t i, int bits) {
    if (weir_dtype_is_float(array->dtype)) ((uint8_t *)array->data)[i] = (uint8_t)bits;
    else weir_array_set_int(array, i, bits);
}

static void unpack(weir_array *array, const uint8_t *bytes) {
    const size_t bits = (size_t)weir_dtype_bits(array->dtype), together = 8 / bits;
    for (size_t i = 0; i < array->count; i++)
        set_bits(array, i, bytes[i / together] >> (i % together * bits) & ((1 << bits) - 1));
}

uint8_t *weir_onnx_tensor_bytes(weir_arena *arena, const weir_array *array, size_t *size) {
    *size = stored_bytes(array->dtype, array->count);
    if (!is_packed(array->dtype)) return array->data;
    uint8_t *bytes = weir_arena_alloc(arena, *size + 1);
    const size_t bits = (size_t)weir_dtype_bits(array->dtype), together = 8 / bits;
    for (size_t i = 0; i < array->count; i++) {
        const int own = ((const uint8_t *)array->data)[i] & ((1 << bits) - 1);
        bytes[i / together] |= (uint8_t)(own << (i % together * bits));
    }
    return bytes;
}

static bool copy_packed(const Onnx__TensorProto *tensor, const char *name, weir_location location, weir_array *array) {
    uint8_t *bytes = weir_calloc(tensor->n_int32_data + 1, 1);
    bool fine = true;
    for (size_t i = 0; fine && i < tensor->n_int32_data; i++) {
        fine = tensor->int32_data[i] >= 0 && tensor->int32_data[i] <= UINT8_MAX;
        bytes[i] = (uint8_t)tensor->int32_data[i];
        if (!fine)
            weir_error(location, "tensor '%.100s': element %zu of 'int32_data' is %d, expected a byte of %d elements",
                       name, i, (int)tensor->int32_data[i], 8 / weir_dtype_bits(array->dtype));
    }
    if (fine) unpack(array, bytes);
    free(bytes);
    return fine;
}

/* A copy of typed elements; containers are wider than most element types, so the values are checked. */
static bool copy_typed(const Onnx__TensorProto *tensor, const char *name, weir_location location, field which,
                       weir_array *array) {
    switch (which) {
    case FLOATS: memcpy(array->data, tensor->float_data, array->count * sizeof(float)); return true;
    case DOUBLES: memcpy(array->data, tensor->double_data, array->count * sizeof(double)); return true;
    case INT64S: memcpy(array->data, tensor->int64_data, array->count * sizeof(int64_t)); return true;
    default: break;
    }
    if (is_packed(array->dtype)) return copy_packed(tensor, name, location, array);
    const bool bits = weir_dtype_is_float(array->dtype), small = weir_dtype_is_small_float(array->dtype);
    int64_t low = 0, high = small ? UINT8_MAX : UINT16_MAX; /* of real numbers the bits */
    if (array->dtype == WEIR_BOOL) high = 1;
    else if (!bits) weir_dtype_limits(array->dtype, &low, &high);
    if (array->dtype == WEIR_UINT64) {
        memcpy(array->data, tensor->uint64_data, array->count * sizeof(uint64_t));
        return true;
    }
    for (size_t i = 0; i < array->count; i++) {
        int64_t value = which == INT32S ? tensor->int32_data[i] : (int64_t)tensor->uint64_data[i];
        if (value < low || value > high) {
            weir_error(location, "tensor '%.100s': element %zu is %lld, outside the range of %s", name, i,
                       (long long)value, weir_dtype_name(array->dtype));
            return false;
        }
        if (small) set_bits(array, i, (int)value);
        else if (bits) ((uint16_t *)array->data)[i] = (uint16_t)value;
        else weir_array_set_int(array, i, value);
    }
    return true;
}

static bool check_bools(const weir_array *array, const char *name, weir_location location) {
    const uint8_t *data = array->data;
    for (size_t i = 0; array->dtype == WEIR_BOOL && i < array->count; i++) {
        if (data[i] <= 1) continue;
        weir_error(location, "tensor '%.100s': element %zu of type bool is %u", name, i, data[i]);
        return false;
    }
    return true;
}

static bool read_shape(const Onnx__TensorProto *tensor, const char *name, weir_location location, weir_shape *shape,
                       size_t *count) {
    if (tensor->n_dims > WEIR_MAX_RANK) {
        weir_error(location, "tensor '%.100s' has %zu dimensions, at most %d are supported", name, tensor->n_dims,
                   (int)WEIR_MAX_RANK);
        return false;
    }
    *shape = weir_shape_of((int)tensor->n_dims, tensor->dims);
    if (weir_shape_count(shape, count)) return true;
    char text[128];
    weir_error(location, "tensor '%.100s' has the invalid shape %s", name, weir_shape_print(shape, text, sizeof text));
    return false;
}

/* Data may be in one field only: the field that the type asks for, raw_data, or an external file. */
static bool check_fields(const Onnx__TensorProto *tensor, const char *name, weir_location location, field expected) {
    bool external = tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    bool raw = tensor->has_raw_data && tensor->raw_data.len > 0;
    if (external && raw) {
        weir_error(location, "tensor '%.100s' has data in 'raw_data' and in an external file", name);
        return false;
    }
    for (int which = 0; which < FIELD_COUNT; which++) {
        if (field_count(tensor, (field)which) == 0) continue;
        if (which == (int)expected && !raw && !external) continue;
        weir_error(location, "tensor '%.100s' of type %s has data in '%s'%s", name,
                   weir_onnx_tensor_type_name(tensor->data_type), field_names[which],
                   which == (int)expected ? " and elsewhere" : "");
        return false;
    }
    return true;
}

/* Is as much data there as the shape asks for? */
static bool check_size(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                       weir_onnx_tensor_source *source, const type_row *row, size_t count) {
    size_t size = stored_bytes(row->dtype, count), elements = stored_elements(row->dtype, count);
    if (tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        if (!weir_onnx_external_check(tensor, name, location, source->folder, size)) return false;
    } else if (tensor->has_raw_data && field_count(tensor, row->field) == 0) {
        if (tensor->raw_data.len != size) {
            weir_error(location, "tensor '%.100s' has %zu bytes of data, its shape and type need %zu", name,
                       tensor->raw_data.len, size);
            return false;
        }
    } else if (field_count(tensor, row->field) != elements) {
        weir_error(location, "tensor '%.100s' has %zu elements of data, its shape needs %zu", name,
                   field_count(tensor, row->field), elements);
        return false;
    }
    size = count * weir_dtype_size(row->dtype);
    if (size > source->left) {
        weir_error(location, "tensor '%.100s': the tensors of the model take more than %d bytes", name,
                   (int)WEIR_ONNX_TENSOR_BYTES);
        return false;
    }
    source->left -= size;
    return true;
}

static bool copy_data(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                      const weir_onnx_tensor_source *source, field which, weir_array *array) {
    const bool external = tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (array->count == 0) return true;
    if (!external && field_count(tensor, which) > 0) return copy_typed(tensor, name, location, which, array);
    const size_t size = stored_bytes(array->dtype, array->count);
    uint8_t *bytes = is_packed(array->dtype) ? weir_malloc(size) : array->data;
    bool fine = true;
    if (external) fine = weir_onnx_external_read(tensor, name, location, source->folder, bytes, size);
    else memcpy(bytes, tensor->raw_data.data, size);
    if (bytes == array->data) return fine;
    if (fine) unpack(array, bytes);
    free(bytes);
    return fine;
}

weir_dtype weir_onnx_tensor_narrowed(weir_dtype dtype) {
    return weir_dtype_is_float(dtype) && !weir_dtype_is_small_float(dtype) ? WEIR_FLOAT32 : dtype;
}

/* The array, which is freed, in the type that replaces it. */
static weir_array *to_float32(weir_array *array) {
    weir_array *result = weir_array_convert(array, weir_onnx_tensor_narrowed(array->dtype));
    weir_array_free(array);
    return result;
}

weir_array *weir_onnx_tensor_read(const Onnx__TensorProto *tensor, const char *name, weir_location location,
                                  weir_onnx_tensor_source *source) {
    const type_row *row = type_find(tensor->data_type);
    weir_shape shape;
    size_t count;
    if (row == NULL || row->field == NO_FIELD) {
        weir_error(location, "tensor '%.100s' has the element type %s (%d), which is not supported", name,
                   weir_onnx_tensor_type_name(tensor->data_type), (int)tensor->data_type);
        return NULL;
    }
    if (tensor->segment != NULL) {
        weir_error(location, "tensor '%.100s' is stored in segments, which is not supported", name);
        return NULL;
    }
    if (!read_shape(tensor, name, location, &shape, &count) || !check_fields(tensor, name, location, row->field) ||
        !check_size(tensor, name, location, source, row, count))
        return NULL;
    weir_array *array = weir_array_new(row->dtype, &shape);
    if (copy_data(tensor, name, location, source, row->field, array) && check_bools(array, name, location))
        return source->to_float32 ? to_float32(array) : array;
    weir_array_free(array);
    return NULL;
}
