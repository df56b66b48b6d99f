/* The verifier's checks of one value. What is checked here is what rules, kernels and emission take for granted: shapes
 * have a size, codes fit their container and their range, there are as many scales as the axis has elements. */
#include "ir/graph/verify_part.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "ir/shape/layout.h"

#include "support/text/text.h"

/* Zero points inside this leave code - zero an int64. */
static const int64_t zero_limit = (int64_t)1 << 61;

typedef struct subject {
    const weir_graph *graph;
    weir_value value;
    weir_location location;
    const weir_type *type;
} subject;

static bool fail(const subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const subject *s, const char *format, ...) {
    weir_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    weir_error(s->location, "value '%s': %s", weir_value_name(s->graph, s->value), text.data);
    weir_text_free(&text);
    return false;
}

static bool verify_shape(const subject *s) {
    const weir_shape *shape = &s->type->shape;
    size_t count;
    if ((unsigned)s->type->dtype >= WEIR_DTYPE_COUNT) return fail(s, "unknown element type");
    if (shape->rank < 0 || shape->rank > WEIR_MAX_RANK)
        return fail(s, "has %d dimensions, expected 0 to %d", shape->rank, WEIR_MAX_RANK);
    return weir_shape_count(shape, &count) || fail(s, "the shape has no valid size");
}

static bool verify_layout(const subject *s) {
    int order[WEIR_MAX_RANK];
    return s->type->layout[0] == '\0' ||
           (memchr(s->type->layout, '\0', sizeof s->type->layout) != NULL &&
            weir_layout_parse(s->type->layout, s->type->shape.rank, order) &&
            !weir_layout_is_identity(order, s->type->shape.rank)) ||
           fail(s, "the layout does not fit %d dimensions", s->type->shape.rank);
}

static bool verify_scales(const subject *s) {
    const weir_quant *quant = &s->type->quant;
    const weir_shape *shape = &s->type->shape;
    if (quant->count == 0) return true;
    if (quant->format == WEIR_FORMAT_FLOAT || quant->format == WEIR_FORMAT_FIXED)
        return fail(s, "%s numbers have no scales, found %u", weir_format_name(quant->format), (unsigned)quant->count);
    const bool by_axis = quant->axis >= 0 && quant->axis < shape->rank;
    if (by_axis ? shape->dim[quant->axis] != (int64_t)quant->count : quant->axis != -1 || quant->count != 1)
        return fail(s, "%u scales do not fit axis %d", (unsigned)quant->count, quant->axis);
    for (uint32_t i = 0; i < quant->count; i++) {
        if (!(quant->scale[i] > 0) || isinf(quant->scale[i]))
            return fail(s, "scale %u is %g, expected a finite number above 0", (unsigned)i, quant->scale[i]);
        const int64_t zero = quant->zero_point == NULL ? 0 : quant->zero_point[i];
        if (zero < -zero_limit || zero > zero_limit)
            return fail(s, "zero point %u is %lld, which is too large", (unsigned)i, (long long)zero);
    }
    return true;
}

/* Codes of the format and their container. */
static bool verify_quant(const subject *s) {
    const weir_quant *quant = &s->type->quant;
    int64_t low, high, least, most;
    if ((unsigned)quant->format >= WEIR_FORMAT_COUNT || (unsigned)quant->rounding >= WEIR_ROUND_COUNT ||
        (unsigned)quant->saturation >= WEIR_SATURATION_COUNT)
        return fail(s, "unknown format, rounding or saturation");
    if ((quant->format == WEIR_FORMAT_FLOAT) != weir_dtype_is_float(s->type->dtype))
        return quant->format == WEIR_FORMAT_FLOAT
                   ? fail(s, "elements of type %s are codes and need a number format", weir_dtype_name(s->type->dtype))
                   : fail(s, "codes need an integer element type, found %s", weir_dtype_name(s->type->dtype));
    if (quant->format == WEIR_FORMAT_FLOAT) return true;
    if (quant->format > WEIR_FORMAT_TERNARY)
        return fail(s, "number format %s is reserved: nothing computes with it", weir_format_name(quant->format));
    if (quant->width < 1 || quant->width > 64) return fail(s, "the width is %d bits, expected 1 to 64", quant->width);
    weir_quant_limits(quant, &low, &high);
    weir_dtype_limits(s->type->dtype, &least, &most);
    if (s->type->dtype == WEIR_BOOL) most = UINT8_MAX; /* a byte of which one bit is used */
    if (low >= least && high <= most) return true;
    return fail(s, "codes of %d bits (%s) do not fit %s", quant->width, quant->is_signed ? "signed" : "unsigned",
                weir_dtype_name(s->type->dtype));
}

static bool verify_range(const subject *s) {
    const weir_type *type = s->type;
    int64_t least, most;
    if (!type->has_range) return true;
    if (type->quant.format == WEIR_FORMAT_FLOAT) return fail(s, "real numbers have no range of codes");
    if (type->low > type->high)
        return fail(s, "the range is empty: low %lld, high %lld", (long long)type->low, (long long)type->high);
    weir_quant_limits(&type->quant, &least, &most);
    if (type->low >= least && type->high <= most) return true;
    return fail(s, "the range [%lld,%lld] leaves the codes [%lld,%lld]", (long long)type->low, (long long)type->high,
                (long long)least, (long long)most);
}

static bool verify_constant(const subject *s) {
    const weir_array *data = weir_value_constant(s->graph, s->value);
    const weir_type *type = s->type;
    int64_t low, high, least = type->low, most = type->high;
    if (data == NULL) return true;
    if (data->dtype != type->dtype || !weir_shape_equal(&data->shape, &type->shape)) {
        char shape[WEIR_SHAPE_TEXT];
        return fail(s, "its data is %s%s", weir_dtype_name(data->dtype),
                    weir_shape_print(&data->shape, shape, sizeof shape));
    }
    if (!weir_value_data_range(s->graph, s->value, &low, &high)) return true;
    if (!type->has_range) weir_quant_limits(&type->quant, &least, &most);
    return (low >= least && high <= most) || fail(s, "its data is in [%lld,%lld], outside [%lld,%lld]", (long long)low,
                                                  (long long)high, (long long)least, (long long)most);
}

bool weir_verify_value(const weir_graph *graph, weir_value value, weir_location location) {
    const subject s = {graph, value, location, weir_value_type(graph, value)};
    return verify_shape(&s) && verify_layout(&s) && verify_quant(&s) && verify_scales(&s) && verify_range(&s) &&
           verify_constant(&s);
}
