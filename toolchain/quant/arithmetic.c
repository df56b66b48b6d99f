/* The scalar contracts. Integer ones are exact in 128 bits; float ones are a fixed sequence of IEEE float32 operations
 * (the library is compiled without contraction), so a result does not depend on the compiler or the machine. */
#include "quant/arithmetic.h"

#include <assert.h>
#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float32 expressions must be evaluated in float32");

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static int64_t clip(wide v, int64_t low, int64_t high) {
    if (v < low) return low;
    return v > high ? high : (int64_t)v;
}

/* The clip of a real number that is integral or beyond any code; NaN gives low. */
static int64_t clip_real(double v, int64_t low, int64_t high) {
    if (!(v > (double)low)) return low;
    return v >= (double)high ? high : (int64_t)v;
}

/* Half to even. Below 2^22, what a sum with 1.5 * 2^23 has room for are the whole numbers. */
static float round_half_even(float x) {
    const float whole = 0x1.8p23f;
    return fabsf(x) < 0x1p22f ? (x + whole) - whole : nearbyintf(x);
}

int64_t weir_encode_onnx(float x, float scale, int64_t zero, int64_t low, int64_t high) {
    assert(low <= high);
    const float quotient = x / scale;
    return clip_real((double)round_half_even(quotient) + (double)zero, low, high);
}

int64_t weir_encode_qonnx(float x, float scale, float zero, weir_rounding rounding, int64_t low, int64_t high) {
    assert(low <= high && rounding < WEIR_ROUND_COUNT);
    const float quotient = x / scale;
    const float shifted = quotient + zero;
    return clip_real(weir_round((double)shifted, rounding), low, high);
}

int64_t weir_encode_real(double x, double scale, double zero, weir_rounding rounding, int64_t low, int64_t high) {
    assert(low <= high && rounding < WEIR_ROUND_COUNT);
    return clip_real(weir_round(x / scale + zero, rounding), low, high);
}

int64_t weir_requantize_onnx(int64_t accumulator, float multiplier, int64_t zero, int64_t low, int64_t high) {
    assert(low <= high);
    const float product = (float)accumulator * multiplier;
    return clip_real((double)round_half_even(product) + (double)zero, low, high);
}

void weir_requantize_onnx_each(const int64_t *accumulator, size_t count, int64_t centre, float multiplier, int64_t zero,
                               int64_t low, int64_t high, int64_t *code) {
    for (size_t i = 0; i < count; i++)
        code[i] = weir_requantize_onnx(accumulator[i] - centre, multiplier, zero, low, high);
}

bool weir_narrow_of(int64_t zero, int64_t low, int64_t high, weir_narrow *narrow) {
    const int64_t most = WEIR_NARROW;
    if (zero < -most || zero > most || low < -most || low > most || high < -most || high > most) return false;
    *narrow = (weir_narrow){(int32_t)zero, (int32_t)low, (int32_t)high};
    return true;
}

/* What is clipped to whole numbers first rounds to what is clipped afterwards. */
static inline int32_t narrow_code(float x, float low, float high, int32_t zero) {
    const float whole = 0x1.8p23f, raised = x > low ? x : low, clipped = raised < high ? raised : high;
    return (int32_t)((clipped + whole) - whole) + zero;
}

void weir_encode_onnx_all(const float *x, size_t count, float scale, weir_narrow to, int32_t *code) {
    const float low = (float)(to.low - to.zero), high = (float)(to.high - to.zero);
    for (size_t i = 0; i < count; i++) code[i] = narrow_code(x[i] / scale, low, high, to.zero);
}

#define REQUANTIZE(c_type)                                                                                             \
    do {                                                                                                               \
        const float low = (float)(to.low - to.zero), high = (float)(to.high - to.zero);                                \
        for (size_t i = 0; i < count; i++)                                                                             \
            code[i] = (c_type)narrow_code((float)(accumulator[i] - centre[i]) * multiplier[i], low, high, to.zero);    \
    } while (0)

void weir_requantize_onnx_all(const int32_t *accumulator, const int32_t *centre, const float *multiplier, size_t count,
                              weir_narrow to, int32_t *code) {
    REQUANTIZE(int32_t);
}

static void bytes_baseline(const int32_t *accumulator, const int32_t *centre, const float *multiplier, size_t count,
                           weir_narrow to, uint8_t *restrict code) {
    REQUANTIZE(uint8_t);
}

#if defined __x86_64__
__attribute__((target("avx2"))) static void bytes_avx2(const int32_t *accumulator, const int32_t *centre,
                                                       const float *multiplier, size_t count, weir_narrow to,
                                                       uint8_t *restrict code) {
    REQUANTIZE(uint8_t);
}
#endif

void weir_requantize_onnx_bytes(const int32_t *accumulator, const int32_t *centre, const float *multiplier,
                                size_t count, weir_narrow to, uint8_t *code, weir_instructions level) {
#if defined __x86_64__
    if (level >= WEIR_INSTRUCTIONS_AVX2) {
        bytes_avx2(accumulator, centre, multiplier, count, to, code);
        return;
    }
#endif
    (void)level;
    bytes_baseline(accumulator, centre, multiplier, count, to, code);
}

/* floor(v / 2^shift) and what is left; shift < 127. */
static wide floor_shift(wide v, int shift, unsigned_wide *rest) {
    const unsigned_wide one = 1;
    const unsigned_wide mask = (one << shift) - one;
    *rest = (unsigned_wide)v & mask;
    return v < 0 ? ~(wide)(~(unsigned_wide)v >> shift) : (wide)((unsigned_wide)v >> shift);
}

static inline int64_t floor_shift_narrow(int64_t v, int shift) {
    return v < 0 ? (int64_t) ~(~(uint64_t)v >> shift) : (int64_t)((uint64_t)v >> shift);
}

static inline bool is_narrow(int64_t v, int bits) { return v >= -(INT64_C(1) << bits) && v < INT64_C(1) << bits; }

static inline int64_t requantize_scale(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t low,
                                       int64_t high) {
    assert(shift >= 0 && low <= high);
    if (is_narrow(x, 31) && is_narrow(multiplier, 31) && is_narrow(add, 61) && shift < 64) { /* the sum is below 2^63 */
        const int64_t v = floor_shift_narrow(x * multiplier + add, shift);
        return v < low ? low : v > high ? high : v;
    }
    unsigned_wide rest;
    return clip(floor_shift((wide)x * multiplier + add, shift, &rest), low, high);
}

int64_t weir_requantize_scale(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t low, int64_t high) {
    return requantize_scale(x, multiplier, add, shift, low, high);
}

void weir_requantize_scale_each(const int64_t *x, size_t count, int64_t multiplier, int64_t add, int shift, int64_t low,
                                int64_t high, int64_t *code) {
    for (size_t i = 0; i < count; i++) code[i] = requantize_scale(x[i], multiplier, add, shift, low, high);
}

static int narrow_length(uint64_t v) { return v != 0 ? 64 - __builtin_clzll(v) : 0; }

static int wide_length(unsigned_wide v) {
    const uint64_t high = (uint64_t)(v >> 64);
    return high != 0 ? 64 + narrow_length(high) : narrow_length((uint64_t)v);
}

/* Of unsigned numbers below 2^`below`: v / 2^shift rounded half to even, where shift may exceed the width of v; v
 * rounded half to even to the significant bits of float32; and a float32 product, scaled. */
#define SCALE_FLOAT(type, below, length, shift_name, significant_name, name)                                           \
    static inline type shift_name(type v, int shift) {                                                                 \
        if (shift == 0) return v;                                                                                      \
        if (shift > (below)) return 0;                                                                                 \
        const type floor = v >> shift, half = (type)1 << (shift - 1), rest = v & (half + half - 1);                    \
        return floor + (rest > half - (floor & 1));                                                                    \
    }                                                                                                                  \
    static inline type significant_name(type v) {                                                                      \
        if (v < (type)1 << FLT_MANT_DIG) return v;                                                                     \
        const int excess = length(v) - FLT_MANT_DIG;                                                                   \
        return shift_name(v, excess) << excess;                                                                        \
    }                                                                                                                  \
    static inline type name(type a, type factor, int shift) {                                                          \
        return shift_name(significant_name(significant_name(a) * factor), shift);                                      \
    }

SCALE_FLOAT(unsigned_wide, 126, wide_length, wide_shift, wide_significant, wide_scale)
SCALE_FLOAT(uint64_t, 63, narrow_length, narrow_shift, narrow_significant, narrow_scale)

static inline int64_t scale_float_wide(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t zero, int64_t low,
                                       int64_t high) {
    const wide sum = (wide)x + add;
    const bool negative = (sum < 0) != (multiplier < 0);
    const unsigned_wide size = sum < 0 ? (unsigned_wide)-sum : (unsigned_wide)sum;
    const uint64_t factor = multiplier < 0 ? -(uint64_t)multiplier : (uint64_t)multiplier;
    const wide rounded = (wide)wide_scale(size, factor, shift);
    return clip((negative ? -rounded : rounded) + zero, low, high);
}

int64_t weir_requantize_scale_float(int64_t x, int64_t multiplier, int64_t add, int shift, int64_t zero, int64_t low,
                                    int64_t high) {
    int64_t code;
    weir_requantize_scale_float_each(&x, 1, multiplier, add, shift, zero, low, high, &code);
    return code;
}

/* In 128 bits, or in 64, where the sum and the multiplier are below 2^31, as their product is below 2^62. */
void weir_requantize_scale_float_each(const int64_t *x, size_t count, int64_t multiplier, int64_t add, int shift,
                                      int64_t zero, int64_t low, int64_t high, int64_t *code) {
    assert(shift >= 0 && low <= high);
    const bool falls = multiplier < 0, narrow = is_narrow(multiplier, 31) && is_narrow(add, 30) && is_narrow(zero, 62);
    const uint64_t factor = falls ? -(uint64_t)multiplier : (uint64_t)multiplier;
    for (size_t i = 0; i < count; i++) {
        if (!narrow || !is_narrow(x[i], 30)) {
            code[i] = scale_float_wide(x[i], multiplier, add, shift, zero, low, high);
            continue;
        }
        const int64_t sum = x[i] + add;
        const int64_t size = (int64_t)narrow_scale((uint64_t)(sum < 0 ? -sum : sum), factor, shift);
        const int64_t v = ((sum < 0) != falls ? -size : size) + zero;
        code[i] = v < low ? low : v > high ? high : v;
    }
}

int64_t weir_cast(int64_t x, int64_t add, int left, int shift, weir_rounding rounding, int64_t low, int64_t high) {
    assert(left >= 0 && shift >= 0 && low <= high && rounding < WEIR_ROUND_COUNT);
    const unsigned_wide one = 1;
    const wide v = ((wide)x + add) * (wide)(one << left);
    unsigned_wide rest;
    const wide floor = floor_shift(v, shift, &rest);
    const unsigned_wide twice = rest << 1;
    const unsigned_wide whole = one << shift;
    bool up = false;
    switch (rounding) {
    case WEIR_ROUND_FLOOR: break;
    case WEIR_ROUND_TRUNCATE: up = rest != 0 && v < 0; break;
    case WEIR_ROUND_HALF_UP: up = twice >= whole; break;
    case WEIR_ROUND_HALF_EVEN: up = twice > whole || (twice == whole && (floor & 1) != 0); break;
    case WEIR_ROUND_HALF_DOWN: up = twice > whole; break;
    case WEIR_ROUND_HALF_AWAY: up = twice > whole || (twice == whole && v > 0); break;
    case WEIR_ROUND_HALF_TO_ZERO: up = twice > whole || (twice == whole && v < 0); break;
    case WEIR_ROUND_CEIL: up = rest != 0; break;
    case WEIR_ROUND_AWAY: up = rest != 0 && v > 0; break;
    case WEIR_ROUND_COUNT: break;
    }
    return clip(floor + (up ? 1 : 0), low, high);
}

weir_normalization weir_normalization_of(float scale, float shift, float mean, float variance, float epsilon) {
    const float sum = variance + epsilon;
    const float inverse = 1 / sqrtf(sum);
    const float factor = inverse * scale, moved = mean * factor;
    return (weir_normalization){factor, shift - moved};
}

size_t weir_count_reached(const float *threshold, size_t count, float x) {
    size_t reached = 0;
    for (size_t i = 0; i < count; i++) reached += x >= threshold[i];
    return reached;
}

int weir_trunc_exponent(float from, float to) {
    static const double root = 0.70710678118654752440; /* of one half */
    int exponent;
    const double mantissa = frexp((double)(to / from), &exponent);
    return mantissa < root ? exponent - 1 : exponent;
}
