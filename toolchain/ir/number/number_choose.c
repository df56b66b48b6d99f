/* Settings that the data chooses. */
#include <assert.h>
#include <math.h>

#include "ir/number/number_private.h"

/* MASE's rule: what the integer part of at least one half and the sign leave of the width. */
static int mase_fraction(double largest, int width) {
    const int integer = number_floor_log2(largest > 0.5 ? largest : 0.5) + 2;
    return width > integer ? width - integer : 0;
}

/* A bias that gives the largest magnitude the largest exponent; of floats IEEE's. */
static int chosen_bias(const weir_number *n, double largest) {
    if (n->id != WEIR_NUMBER_LOG) return (1 << (weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) - 1)) - 1;
    const int most = (1 << (weir_number_get(n, WEIR_KEY_WIDTH) - 1)) - 1;
    return largest > 0 && !isinf(largest) ? most - (int)number_log_encode(largest, 1 << 12, 1 << 13) + (1 << 12) : most;
}

static bool is_chosen(const weir_number *n, weir_number_key key) {
    return weir_number_has(n, key) && weir_number_get(n, key) == WEIR_NUMBER_CHOSEN;
}

bool weir_number_needs_range(const weir_number *n) {
    return is_chosen(n, WEIR_KEY_EXPONENT_BIAS) || is_chosen(n, WEIR_KEY_FRAC_WIDTH);
}

/* The value, or what is nearest to it in the setting's range. */
static void set_nearest(weir_number *n, weir_number_key key, int value) {
    int least, most;
    const bool has = weir_number_key_range(n->id, key, &least, &most) && weir_number_set(n, key,
                                                                                         value < least  ? least
                                                                                         : value > most ? most
                                                                                                        : value);
    assert(has);
    (void)has;
}

void weir_number_choose(weir_number *n, double largest, bool mase) {
    if (is_chosen(n, WEIR_KEY_EXPONENT_BIAS)) set_nearest(n, WEIR_KEY_EXPONENT_BIAS, chosen_bias(n, largest));
    if (!is_chosen(n, WEIR_KEY_FRAC_WIDTH) || n->id == WEIR_NUMBER_FLEXROUND) return; /* which looks for its scale */
    const int width = weir_number_get(n, WEIR_KEY_WIDTH);
    const bool is_signed = weir_number_get(n, WEIR_KEY_SIGNED) != 0;
    set_nearest(n, WEIR_KEY_FRAC_WIDTH,
                mase ? mase_fraction(largest, width) : number_fraction(largest, width, is_signed));
}
