#include "ir/shape/normalize.h"

#include <assert.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

bool weir_normalize_mode_of(const char *word, weir_normalize_mode *mode) {
    static const char *const words[] = {"mean", "square", "magnitude"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        *mode = (weir_normalize_mode)i;
        return true;
    }
    return false;
}

static int bits_of(unsigned_wide number) {
    int bits = 0;
    for (; number != 0; number >>= 1) bits++;
    return bits;
}

static unsigned_wide largest(weir_normalize_mode mode, int64_t length, int64_t least, int64_t most) {
    const unsigned_wide n = (unsigned_wide)length;
    const unsigned_wide magnitude = (unsigned_wide)(most > -least ? most : -least),
                        span = (unsigned_wide)(most - least);
    if (mode == WEIR_NORMALIZE_MEAN) return (n * span) * (n * span) / 4;
    return mode == WEIR_NORMALIZE_SQUARE ? n * magnitude * magnitude : n * magnitude * n * magnitude;
}

int weir_normalize_bits(weir_normalize_mode mode, int64_t length, int64_t least, int64_t most, int fraction,
                        int64_t epsilon) {
    assert(length >= 1 && least <= most && fraction >= 0 && epsilon >= 0);
    unsigned_wide v = largest(mode, length, least, most);
    if (bits_of(v) + fraction > WEIR_NORMALIZE_MOST_BITS) return bits_of(v) + fraction + 2;
    v <<= fraction;
    v += (uint64_t)epsilon;
    const int bits = bits_of(v);
    return bits < WEIR_NORMALIZE_LEAST_BITS ? WEIR_NORMALIZE_LEAST_BITS : bits + bits % 2;
}
