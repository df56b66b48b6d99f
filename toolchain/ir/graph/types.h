/* The type of a value: element type, shape, quantization and proven integer range. */
#ifndef WEIR_IR_TYPES_H
#define WEIR_IR_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "support/memory/array.h"

/* Number formats (DESIGN, "Two IRs"). WEIR_FORMAT_FLOAT: the elements are real numbers, not codes. */
typedef enum weir_number_format {
    WEIR_FORMAT_FLOAT,
    WEIR_FORMAT_INTEGER, /* real = (code - zero_point) * scale */
    WEIR_FORMAT_FIXED,   /* real = code * 2^-frac */
    WEIR_FORMAT_BINARY,  /* codes -1 and +1, real = code * scale */
    WEIR_FORMAT_TERNARY, /* codes -1, 0 and +1, real = code * scale */
    WEIR_FORMAT_MINIFLOAT,
    WEIR_FORMAT_LOG,
    WEIR_FORMAT_BLOCK,
    WEIR_FORMAT_MX,
    WEIR_FORMAT_COUNT
} weir_number_format;

/* How a real number becomes an integer code. */
typedef enum weir_rounding {
    WEIR_ROUND_FLOOR,
    WEIR_ROUND_TRUNCATE,  /* toward zero */
    WEIR_ROUND_HALF_UP,   /* floor(v + 1/2) */
    WEIR_ROUND_HALF_EVEN, /* IEEE nearest */
    WEIR_ROUND_HALF_DOWN, /* ceil(v - 1/2) */
    WEIR_ROUND_HALF_AWAY, /* nearest, ties away from zero */
    WEIR_ROUND_CEIL,
    WEIR_ROUND_AWAY,         /* away from zero */
    WEIR_ROUND_HALF_TO_ZERO, /* nearest, ties toward zero */
    WEIR_ROUND_COUNT
} weir_rounding;

/* What happens outside the code range. */
typedef enum weir_saturation {
    WEIR_SATURATE,           /* clip to [-2^(w-1), 2^(w-1)-1] or [0, 2^w-1] */
    WEIR_SATURATE_SYMMETRIC, /* clip to [-(2^(w-1)-1), 2^(w-1)-1]: the narrow range */
    WEIR_SATURATION_COUNT
} weir_saturation;

/* Quantization of a value: how its integer codes represent real numbers. Per-tensor parameters have count 1 and axis
 * -1; per-axis ones have one scale and one zero point for each index of `axis`. Arrays belong to the graph's arena. */
typedef struct weir_quant {
    weir_number_format format;
    bool is_signed;
    int width; /* bits of a code */
    int frac;  /* FIXED: fraction bits */
    weir_rounding rounding;
    weir_saturation saturation;
    int axis;
    uint32_t count;            /* number of scales; 0 for FLOAT and FIXED */
    const double *scale;       /* exactly the float32 of the model where it carries one */
    const int64_t *zero_point; /* NULL: all zero */
} weir_quant;

enum { WEIR_LAYOUT_TEXT = WEIR_MAX_RANK + 1 };

typedef struct weir_type {
    weir_dtype dtype; /* the container that the software uses for the elements */
    weir_shape shape;
    char layout[WEIR_LAYOUT_TEXT]; /* what the dimensions are, one letter each, as in "NHWC" (layout.h); "": not said */
    weir_quant quant;
    bool has_range;    /* low and high hold for every element of every frame */
    int64_t low, high; /* in codes */
} weir_type;

const char *weir_format_name(weir_number_format format);
bool weir_format_parse(const char *name, weir_number_format *format);
const char *weir_rounding_name(weir_rounding rounding);
bool weir_rounding_parse(const char *name, weir_rounding *rounding);
/* By its name in QONNX's Quant, in any case. Its HALF_UP and HALF_DOWN break ties away from and toward zero, whatever
 * the names suggest. */
bool weir_rounding_parse_qonnx(const char *name, weir_rounding *rounding);
const char *weir_saturation_name(weir_saturation saturation);
bool weir_saturation_parse(const char *name, weir_saturation *saturation);

/* Smallest and largest code of a quantization (integer, fixed, binary and ternary formats). */
void weir_quant_limits(const weir_quant *quant, int64_t *low, int64_t *high);
/* Scale and zero point of channel `index` along the axis (index ignored per tensor); FIXED gives 2^-frac and 0. */
double weir_quant_scale(const weir_quant *quant, int64_t index);
int64_t weir_quant_zero(const weir_quant *quant, int64_t index);
/* Where the scale is that of a mean of `count` elements, the scale of one of them: the float32 that was divided, if it
 * was one. */
double weir_quant_element_scale(const weir_quant *quant, int64_t index, int64_t count);
bool weir_quant_equal(const weir_quant *a, const weir_quant *b);
bool weir_type_equal(const weir_type *a, const weir_type *b);

/* Of a constant that holds it: integers have the range of the data. */
weir_type weir_type_of_data(const weir_array *data);

/* Bits that hold every integer of [low, high]: two's complement when low < 0, else unsigned; at least 1. */
int weir_bits_for(int64_t low, int64_t high);
/* The greatest common divisor, not negative; of 0 and b: the magnitude of b. */
int64_t weir_common_divisor(int64_t a, int64_t b);
/* The narrowest container for [low, high]. */
weir_dtype weir_dtype_for(int64_t low, int64_t high);

/* v rounded to an integer by the mode; the integer code of v clipped to [low, high]; NaN gives low. */
double weir_round(double v, weir_rounding rounding);

#endif
