#include "support/text/base64.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
enum { LINE = 100, GROUPS = LINE / 4 };

void weir_base64_encode(const void *data, size_t size, weir_text *text) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        weir_text_char(text, digits[group >> 18]);
        weir_text_char(text, digits[group >> 12 & 63]);
        weir_text_char(text, left > 1 ? digits[group >> 6 & 63] : '=');
        weir_text_char(text, left > 2 ? digits[group & 63] : '=');
        if (i / 3 % GROUPS == GROUPS - 1 || left <= 3) {
            weir_text_char(text, '\n');
        }
    }
}

/* Appends the bytes of four digits, of which the last `padding` are '='. Bits beyond the bytes must be 0. */
static bool put_group(uint32_t group, unsigned padding, weir_text *data) {
    assert(group >> 24 == 0);
    if (padding > 2 || (group & ((1U << (8 * padding)) - 1)) != 0) {
        return false;
    }
    for (unsigned i = 0; i < 3 - padding; i++) {
        weir_text_char(data, (char)(group >> (16 - 8 * i) & 255));
    }
    return true;
}

bool weir_base64_decode(const char *text, weir_text *data) {
    uint32_t group = 0;
    unsigned count = 0, padding = 0;
    for (const char *c = text; *c; c++) {
        const char *digit = strchr(digits, *c);
        if (strchr(" \t\r\n", *c)) {
            continue;
        }
        if ((!digit && *c != '=') || (digit && padding > 0)) {
            return false;
        }
        padding += !digit;
        group = group << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        if (++count == 4) {
            if (!put_group(group, padding, data)) {
                return false;
            }
            group = count = 0;
            if (padding > 0) {
                return c[1 + strspn(c + 1, " \t\r\n")] == 0;
            }
        }
    }
    return count == 0;
}
