#include "frontend/wire/onnx_type.h"

#include <string.h>

#include "frontend/wire/onnx_tensor.h"

static bool read_dim(const Onnx__TensorShapeProto__Dimension *dim, int index, const char *what, weir_location location,
                     weir_onnx_declared *declared) {
    declared->dim[index] = -1;
    declared->symbol[index] = NULL;
    if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM) {
        declared->symbol[index] = dim->dim_param != NULL && *dim->dim_param != '\0' ? dim->dim_param : NULL;
        return true;
    }
    if (dim->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) return true;
    declared->dim[index] = dim->dim_value;
    if (dim->dim_value >= -1) return true;
    weir_error(location, "%s: dimension %d is %lld, expected at least 1", what, index, (long long)dim->dim_value);
    return false;
}

bool weir_onnx_type_read(const Onnx__ValueInfoProto *info, const char *what, weir_location location,
                         weir_onnx_declared *declared) {
    static const char *const kinds[] = {[ONNX__TYPE_PROTO__VALUE__NOT_SET] = "no type",
                                        [ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE] = "a sequence type",
                                        [ONNX__TYPE_PROTO__VALUE_MAP_TYPE] = "a map type",
                                        [ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE] = "a sparse tensor type",
                                        [ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE] = "an optional type"};
    const Onnx__TypeProto *type = info->type;
    if (type == NULL || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
        int kind = type == NULL ? 0 : (int)type->value_case;
        weir_error(location, "%s has %s, expected a tensor type", what, kinds[kind]);
        return false;
    }
    const Onnx__TypeProto__Tensor *tensor = type->tensor_type;
    if (!weir_onnx_tensor_type(tensor->elem_type, &declared->dtype)) {
        weir_error(location, "%s has the element type %s (%d), which is not supported", what,
                   weir_onnx_tensor_type_name(tensor->elem_type), (int)tensor->elem_type);
        return false;
    }
    declared->rank = -1;
    if (tensor->shape == NULL) return true;
    if (tensor->shape->n_dim > WEIR_MAX_RANK) {
        weir_error(location, "%s has %zu dimensions, at most %d are supported", what, tensor->shape->n_dim,
                   (int)WEIR_MAX_RANK);
        return false;
    }
    declared->rank = (int)tensor->shape->n_dim;
    for (int i = 0; i < declared->rank; i++) {
        if (!read_dim(tensor->shape->dim[i], i, what, location, declared)) return false;
    }
    return true;
}

static void plain_quant(weir_type *type) {
    type->quant.axis = -1;
    if (weir_dtype_is_float(type->dtype)) return;
    type->quant.format = WEIR_FORMAT_INTEGER;
    type->quant.is_signed = weir_dtype_is_signed(type->dtype);
    type->quant.width = type->dtype == WEIR_BOOL ? 1 : weir_dtype_bits(type->dtype);
    type->has_range = true;
    weir_quant_limits(&type->quant, &type->low, &type->high);
}

static bool agrees_with(const weir_onnx_declared *declared, const char *what, weir_location location,
                        const weir_shape *given) {
    bool fine = declared->rank == given->rank;
    for (int i = 0; fine && i < given->rank; i++) fine = declared->dim[i] == -1 || declared->dim[i] == given->dim[i];
    char text[128];
    if (!fine) weir_error(location, "%s does not have the shape %s", what, weir_shape_print(given, text, sizeof text));
    return fine;
}

bool weir_onnx_type_input(const weir_onnx_declared *declared, const char *what, weir_location location, int64_t batch,
                          const weir_shape *given, weir_type *type) {
    memset(type, 0, sizeof *type);
    type->dtype = declared->dtype;
    if (declared->rank < 0 && given == NULL) {
        weir_error(location, "%s has no shape", what);
        weir_note("--shape gives it one");
        return false;
    }
    if (given != NULL && declared->rank >= 0 && !agrees_with(declared, what, location, given)) return false;
    type->shape.rank = given != NULL ? given->rank : declared->rank;
    for (int i = 0; i < type->shape.rank; i++) {
        const bool open = declared->rank < 0 || declared->dim[i] == -1;
        type->shape.dim[i] = !open ? declared->dim[i] : given != NULL ? given->dim[i] : i == 0 ? batch : -1;
        if (type->shape.dim[i] > 0) continue;
        if (type->shape.dim[i] == 0) weir_error(location, "%s: dimension %d is 0, expected at least 1", what, i);
        else if (declared->symbol[i] != NULL)
            weir_error(location, "%s: dimension %d is the symbol '%.80s', only the first may be symbolic", what, i,
                       declared->symbol[i]);
        else weir_error(location, "%s: dimension %d has no size, only the first may be left open", what, i);
        if (type->shape.dim[i] < 0) weir_note("--shape gives the input's shape, such as 1,3,224,224");
        return false;
    }
    size_t count;
    if (!weir_shape_count(&type->shape, &count)) {
        char text[128];
        weir_error(location, "%s has the invalid shape %s", what, weir_shape_print(&type->shape, text, sizeof text));
        return false;
    }
    plain_quant(type);
    return true;
}

static bool has_dtype(const weir_onnx_declared *declared, const char *what, weir_location location, weir_dtype dtype) {
    if (dtype == declared->dtype) return true;
    weir_error(location, "%s is declared as %s, found %s", what, weir_dtype_name(declared->dtype),
               weir_dtype_name(dtype));
    return false;
}

static bool has_shape(const weir_onnx_declared *declared, const weir_shape *shape) {
    bool same = declared->rank < 0 || declared->rank == shape->rank;
    for (int i = 0; same && i < declared->rank; i++) same = declared->dim[i] == -1 || declared->dim[i] == shape->dim[i];
    return same;
}

bool weir_onnx_type_agrees(const weir_onnx_declared *declared, const char *what, weir_location location,
                           weir_dtype dtype, const weir_shape *shape) {
    char expected[128], text[128];
    const weir_shape given = weir_shape_of(declared->rank < 0 ? 0 : declared->rank, declared->dim);
    if (!has_dtype(declared, what, location, dtype)) return false;
    if (has_shape(declared, shape)) return true;
    weir_error(location, "%s is declared with shape %s, found %s", what,
               weir_shape_print(&given, expected, sizeof expected), weir_shape_print(shape, text, sizeof text));
    return false;
}

void weir_onnx_type_remark(const weir_onnx_declared *declared, const char *what, weir_location location,
                           weir_dtype dtype, const weir_shape *shape, size_t *others) {
    char expected[128], text[128];
    const weir_shape given = weir_shape_of(declared->rank < 0 ? 0 : declared->rank, declared->dim);
    if (!has_dtype(declared, what, location, dtype) || has_shape(declared, shape)) return;
    if ((*others)++ == 0)
        weir_warning(location, "%s is declared with shape %s, found %s: the declaration is ignored", what,
                     weir_shape_print(&given, expected, sizeof expected), weir_shape_print(shape, text, sizeof text));
}
