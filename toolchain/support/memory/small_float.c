#include "support/memory/small_float.h"

#include <math.h>
#include <string.h>

int64_t weir_small_float_place(double x, int fraction, int bias, int64_t most) {
    const double size = fabs(x);
    if (!(size > 0)) return 0;
    int64_t place = most;
    int own = 0;
    if (!isinf(size)) frexp(size, &own);
    const int exponent = own - 1 > 1 - bias ? own - 1 : 1 - bias;
    if (!isinf(size) && exponent + bias - 1 <= most >> fraction)
        place = ((int64_t)(exponent + bias - 1) << fraction) + (int64_t)nearbyint(ldexp(size, fraction - exponent));
    if (place > most) place = most;
    return x < 0 ? -place : place;
}

double weir_small_float_number(int64_t place, int fraction, int bias) {
    const int64_t size = place < 0 ? -place : place, field = size >> fraction, one = (int64_t)1 << fraction;
    const double number = field == 0 ? ldexp((double)size, 1 - bias - fraction)
                                     : ldexp((double)(one + (size & (one - 1))), (int)field - bias - fraction);
    return place < 0 ? -number : number;
}

uint8_t weir_small_float_encode(const weir_small_float *f, double value, bool saturates) {
    const uint8_t sign = signbit(value) ? f->sign : 0;
    if (isnan(value)) return f->nan == 0 ? f->sign : f->has_negative_zero ? f->nan | sign : f->nan;
    int64_t place = weir_small_float_place(fabs(value), f->fraction, f->bias, f->most + 1);
    if (place > f->most && (saturates || f->nan == 0)) place = f->most;
    if (place > f->most && !f->has_negative_zero) return f->nan;
    if (place > f->most) place = f->infinity != 0 ? f->infinity : f->nan;
    return place == 0 && !f->has_negative_zero ? 0 : (uint8_t)place | sign;
}

double weir_small_float_decode(const weir_small_float *f, uint8_t bits) {
    const uint8_t place = bits & (uint8_t)(f->sign - 1);
    const double sign = (bits & f->sign) != 0 ? -1 : 1;
    if (!f->has_negative_zero && bits == f->nan) return (double)NAN;
    if (place > f->most) return place == f->infinity ? sign * (double)INFINITY : (double)NAN;
    return copysign(weir_small_float_number(place, f->fraction, f->bias), sign);
}

/* Exponents of float8e8m0 are float32's. */
enum { POWER_BIAS = 127, POWER_MOST = 254, POWER_NAN = 255 };

uint8_t weir_small_float_encode_power(float value, bool saturates, weir_small_power round) {
    enum { FRACTION = 23 };
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = bits >> FRACTION & 255, fraction = bits & ((1U << FRACTION) - 1), half = 1U << 22;
    if (exponent == POWER_NAN) return POWER_NAN;
    const bool up = round == WEIR_SMALL_POWER_UP        ? fraction > 0
                    : round == WEIR_SMALL_POWER_NEAREST ? fraction > half || (fraction == half && exponent > 0)
                                                        : false;
    return (uint8_t)(exponent + (up && !(saturates && exponent == POWER_MOST)));
}

double weir_small_float_decode_power(uint8_t bits) {
    return bits == POWER_NAN ? (double)NAN : ldexp(1, bits - POWER_BIAS);
}
