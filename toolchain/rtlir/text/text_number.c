/* Constants of the text form: digits of any base into words. Linear in the digits; decimal ones cost as many steps a
 * word as the constant has words. */
#include <stdlib.h>

#include "rtlir/text/text_scan_private.h"

__extension__ typedef unsigned __int128 unsigned_wide;

static const weir_rtl_expr none = {0};

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* words = words * factor + digit; false when it has more bits than words. */
static bool shift_in(uint64_t *words, size_t count, uint64_t factor, uint64_t digit) {
    uint64_t carry = digit;
    for (size_t i = 0; i < count; i++) {
        unsigned_wide product = (unsigned_wide)words[i] * factor + carry;
        words[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    return carry == 0;
}

static bool fits(const uint64_t *words, uint32_t width) {
    return width % 64 == 0 || words[(width - 1) / 64] >> (width % 64) == 0;
}

/* Digits of a base that is a power of two, the least significant one first. */
static bool place_bits(const char *digits, size_t size, int bits, uint32_t width, uint64_t *words) {
    uint64_t at = 0;
    for (size_t i = size; i-- > 0;) {
        if (digits[i] == '_') continue;
        uint64_t value = (uint64_t)digit_value(digits[i]);
        for (int b = 0; b < bits; b++, at++) {
            if (!(value >> b & 1)) continue;
            if (at >= width) return false;
            words[at / 64] |= UINT64_C(1) << (at % 64);
        }
    }
    return true;
}

static bool place_decimal(const char *digits, size_t size, uint32_t width, uint64_t *words) {
    enum { CHUNK = 18 };
    size_t count = (width + 63) / 64;
    uint64_t factor = 1, chunk = 0;
    size_t at = 0, held = 0;
    while (at < size && (digits[at] == '0' || digits[at] == '_')) at++;
    if (size - at > count * 64) return false; /* underscores apart, a digit has more than three bits */
    for (; at < size; at++) {
        if (digits[at] == '_') continue;
        chunk = chunk * 10 + (uint64_t)(digits[at] - '0');
        factor *= 10;
        if (++held < CHUNK) continue;
        if (!shift_in(words, count, factor, chunk)) return false;
        factor = 1;
        chunk = held = 0;
    }
    return shift_in(words, count, factor, chunk) && fits(words, width);
}

/* Says which constant does not fit; long ones are shortened. */
static void fail_fit(rtl_scan *s, const char *start, size_t size, const char *sign, uint32_t width) {
    enum { LONGEST = 40 };
    if (!s->failed)
        rtl_error(s->design, s->design->location, "constant %.*s%s does not fit in %u%s bit%s",
                  size > LONGEST ? LONGEST : (int)size, start, size > LONGEST ? "..." : "", (unsigned)width, sign,
                  width == 1 ? "" : "s");
    s->failed = true;
}

static rtl_base base_of(char c) {
    switch (c) {
    case 'h':
    case 'H': return RTL_BASE_HEX;
    case 'o':
    case 'O': return RTL_BASE_OCTAL;
    case 'b':
    case 'B': return RTL_BASE_BINARY;
    case 'd':
    case 'D': return RTL_BASE_DECIMAL;
    default: return RTL_BASE_NONE;
    }
}

/* The base is missing, or 'z stands there, which has none. */
static bool fail_base(rtl_scan *s, const char *others) {
    const bool is_high_z = s->at < s->end && (*s->at == 'z' || *s->at == 'Z');
    char *text = weir_format("the base of a constant ('h', 'd', 'o' or 'b'%s)%s", others,
                             is_high_z ? "; high impedance is 'z, without a width" : "");
    rtl_scan_fail(s, text);
    free(text);
    return false;
}

/* Digits that have so many bits (0: decimal ones), and underscores. */
static void skip_digits(rtl_scan *s, int bits) {
    const int base = bits ? 1 << bits : 10;
    while (s->at < s->end && (*s->at == '_' || (digit_value(*s->at) >= 0 && digit_value(*s->at) < base))) s->at++;
}

/* `start` is where its width starts, of `size` digits; the quote comes next. */
weir_rtl_expr rtl_scan_sized(rtl_scan *s, const char *start, size_t size) {
    uint64_t width = 0;
    for (size_t i = 0; i < size && width <= WEIR_RTL_MAX_WIDTH; i++)
        if (start[i] != '_') width = width * 10 + (uint64_t)(start[i] - '0');
    if (width < 1 || width > WEIR_RTL_MAX_WIDTH) {
        s->at = start;
        rtl_scan_fail(s, "a constant of 1 to 1048576 bits");
        return none;
    }
    s->at++; /* the quote */
    bool is_signed = s->at < s->end && (*s->at == 's' || *s->at == 'S');
    s->at += is_signed;
    const rtl_base base = s->at < s->end ? base_of(*s->at) : RTL_BASE_NONE;
    if (base == RTL_BASE_NONE) {
        fail_base(s, ", as in 8'hff");
        return none;
    }
    const int bits = rtl_base_bits(base);
    const char *digits = ++s->at;
    skip_digits(s, bits);
    if (s->at == digits || *digits == '_') {
        const bool is_high_z = s->at < s->end && (*s->at == 'z' || *s->at == 'Z');
        rtl_scan_fail(s,
                      is_high_z ? "digits (high impedance is 'z, without a width and a base)" : "digits of a constant");
        return none;
    }
    uint64_t *words = weir_calloc((width + 63) / 64, sizeof *words);
    bool fine = bits ? place_bits(digits, (size_t)(s->at - digits), bits, (uint32_t)width, words)
                     : place_decimal(digits, (size_t)(s->at - digits), (uint32_t)width, words);
    bool is_negative = !bits && is_signed && (words[(width - 1) / 64] >> ((width - 1) % 64) & 1);
    weir_rtl_expr expr = none;
    if (fine && !is_negative)
        expr = rtl_in_base(s->design, weir_rtl_constant_words(s->design, (uint32_t)width, is_signed, words), base);
    else fail_fit(s, start, (size_t)(s->at - start), is_negative ? " signed" : "", (uint32_t)width);
    free(words);
    return expr;
}

bool rtl_scan_digits(rtl_scan *s, uint64_t *value, bool *is_signed, rtl_base *base) {
    *value = 0;
    *is_signed = s->at < s->end && (*s->at == 's' || *s->at == 'S');
    s->at += *is_signed;
    *base = s->at < s->end ? base_of(*s->at) : RTL_BASE_NONE;
    if (*base == RTL_BASE_NONE) return fail_base(s, "), or '(' and a parameter (as in W'(N)");
    const char *digits = ++s->at;
    const int bits = rtl_base_bits(*base);
    skip_digits(s, bits);
    if (s->at == digits || *digits == '_') return rtl_scan_fail(s, "digits of a constant");
    const size_t size = (size_t)(s->at - digits);
    bool fine = bits ? place_bits(digits, size, bits, 64, value) : place_decimal(digits, size, 64, value);
    return fine || rtl_scan_fail(s, "a constant of at most 64 bits before this");
}

/* The two's complement of what was read. */
static void negate(uint64_t *words, uint32_t width) {
    size_t count = (width + 63) / 64;
    for (size_t i = 0; i < count; i++) words[i] = ~words[i];
    for (size_t i = 0; i < count && ++words[i] == 0; i++) continue;
    if (width % 64) words[count - 1] &= (UINT64_C(1) << (width % 64)) - 1;
}

weir_rtl_expr rtl_number_constant(rtl_scan *s, const rtl_node *number, uint32_t width, bool is_signed) {
    size_t count = (width + 63) / 64;
    uint64_t *words = weir_calloc(count, sizeof *words);
    bool fine = place_decimal(number->text, number->size, width, words);
    bool is_zero = true;
    for (size_t i = 0; i < count; i++) is_zero = is_zero && words[i] == 0;
    bool negates = number->is_negative && !is_zero;
    if (negates) negate(words, width);
    bool top = words[(width - 1) / 64] >> ((width - 1) % 64) & 1;
    fine = fine && (is_signed ? top == negates : !negates);
    weir_rtl_expr expr = none;
    if (fine) {
        expr = rtl_in_base(s->design, weir_rtl_constant_words(s->design, width, is_signed, words), RTL_BASE_DECIMAL);
    } else {
        const char *start = number->is_negative ? "-" : "";
        char *text = weir_format("%s%.*s", start, (int)(number->size > 60 ? 60 : number->size), number->text);
        fail_fit(s, text, strlen(text), is_signed ? " signed" : " unsigned", width);
        free(text);
    }
    free(words);
    return expr;
}
