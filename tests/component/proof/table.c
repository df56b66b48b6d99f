/* table FUNCTION PARAMETER=VALUE ...: the software reference's function for every input, as the Verilog module `table`
 * from `key` to `value`. The parameters are named as those of the function's module; further ones mean nothing here.
 *   cast             key {add, x}       IN_W IN_SIGNED ADD_W LEFT SHIFT ROUND LO HI OUT_W
 *   requantize       key {a, m, x}      X_W M_W A_W SHIFT LO HI OUT_W
 *   requantize_float key {a, m, x}      X_W M_W A_W SHIFT ZERO LO HI OUT_W
 * Exit status: 0 done, 2 bad usage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quant/arithmetic.h"

enum { KEY_MOST = 20 };

typedef struct parameters {
    char **text;
    int count;
} parameters;

static int64_t get(const parameters *p, const char *name, int64_t otherwise) {
    const size_t size = strlen(name);
    for (int i = 0; i < p->count; i++) {
        if (strncmp(p->text[i], name, size) == 0 && p->text[i][size] == '=')
            return strtoll(p->text[i] + size + 1, NULL, 10);
    }
    return otherwise;
}

/* The number in `width` bits of the key from bit `at` on. */
static int64_t field(uint64_t key, int64_t at, int64_t width, bool is_signed) {
    if (width == 0) return 0;
    const uint64_t bits = key >> at & ((UINT64_C(1) << width) - 1);
    return is_signed && bits >> (width - 1) != 0 ? (int64_t)bits - (INT64_C(1) << width) : (int64_t)bits;
}

/* In the order of weir_cast's ROUND. */
static const weir_rounding roundings[] = {WEIR_ROUND_FLOOR,     WEIR_ROUND_TRUNCATE,  WEIR_ROUND_HALF_UP,
                                          WEIR_ROUND_HALF_EVEN, WEIR_ROUND_HALF_DOWN, WEIR_ROUND_HALF_AWAY,
                                          WEIR_ROUND_CEIL,      WEIR_ROUND_AWAY};

static int64_t cast(const parameters *p, uint64_t key) {
    const int64_t width = get(p, "IN_W", 1);
    return weir_cast(field(key, 0, width, get(p, "IN_SIGNED", 1) != 0), field(key, width, get(p, "ADD_W", 0), true),
                     (int)get(p, "LEFT", 0), (int)get(p, "SHIFT", 0), roundings[get(p, "ROUND", 0) & 7],
                     get(p, "LO", 0), get(p, "HI", 0));
}

static int64_t requantize(const parameters *p, uint64_t key) {
    const int64_t x_w = get(p, "X_W", 1), m_w = get(p, "M_W", 1);
    return weir_requantize_scale(field(key, 0, x_w, true), field(key, x_w, m_w, false),
                                 field(key, x_w + m_w, get(p, "A_W", 1), true), (int)get(p, "SHIFT", 0),
                                 get(p, "LO", 0), get(p, "HI", 0));
}

static int64_t requantize_float(const parameters *p, uint64_t key) {
    const int64_t x_w = get(p, "X_W", 1), m_w = get(p, "M_W", 1);
    return weir_requantize_scale_float(field(key, 0, x_w, true), field(key, x_w, m_w, false),
                                       field(key, x_w + m_w, get(p, "A_W", 1), true), (int)get(p, "SHIFT", 0),
                                       get(p, "ZERO", 0), get(p, "LO", 0), get(p, "HI", 0));
}

int main(int count, char **argument) {
    const parameters p = {argument + 2, count - 2};
    const char *name = count > 1 ? argument[1] : "";
    int64_t (*function)(const parameters *, uint64_t) = NULL;
    int64_t key_width = get(&p, "X_W", 1) + get(&p, "M_W", 1) + get(&p, "A_W", 1);
    if (strcmp(name, "cast") == 0) {
        function = cast;
        key_width = get(&p, "IN_W", 1) + get(&p, "ADD_W", 0);
    } else if (strcmp(name, "requantize") == 0) {
        function = requantize;
    } else if (strcmp(name, "requantize_float") == 0) {
        function = requantize_float;
    }
    const int64_t width = get(&p, "OUT_W", 1);
    if (function == NULL || key_width < 1 || key_width > KEY_MOST || width < 1 || width > 32) {
        fprintf(stderr, "usage: table cast|requantize|requantize_float PARAMETER=VALUE ..., a key of at most %d bits\n",
                KEY_MOST);
        return 2;
    }
    printf("module table (input wire [%" PRId64 ":0] key, output reg [%" PRId64 ":0] value);\n  always @* case (key)\n",
           key_width - 1, width - 1);
    for (uint64_t key = 0; key >> key_width == 0; key++) {
        const uint64_t value = (uint64_t)function(&p, key) & ((UINT64_C(1) << width) - 1);
        printf("    %" PRId64 "'d%" PRIu64 ": value = %" PRId64 "'d%" PRIu64 ";\n", key_width, key, width, value);
    }
    printf("  endcase\nendmodule\n");
    return 0;
}
