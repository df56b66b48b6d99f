#include "ir/shape/normalize_integer.h"

#include <assert.h>
#include <math.h>

int64_t weir_normalize_integer_root(int64_t square) {
    assert(square >= 0);
    int64_t root = (int64_t)sqrt((double)square);
    while (root * root > square) root--;
    while ((root + 1) * (root + 1) <= square) root++;
    return root;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

weir_normalize_integer weir_normalize_integer_of(int64_t length, bool centred, int64_t low, int64_t high,
                                                 int64_t gain) {
    assert(length > 0 && low <= high && gain >= 0);
    const int64_t size = larger(high < 0 ? -high : high, low < 0 ? -low : low), range = high - low;
    weir_normalize_integer n = {.length = length, .centred = centred, .gain = gain};
    n.mean = centred ? size : 0;
    n.away = centred ? range : size;
    /* half the range is the most that squares from the real mean have on average; the one toward 0 is less than 1
     * off */
    const int64_t square = centred ? range * range / 4 + 3 : size * size + 1;
    n.deviation = weir_normalize_integer_root(square);
    int64_t reach = weir_normalize_integer_root(4 * length - 1) + 1;
    if (reach > n.away) reach = n.away;
    n.quotient = reach * gain;
    return n;
}
