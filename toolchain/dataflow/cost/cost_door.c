#include "dataflow/cost/cost_door.h"

/* The bits of a counter that goes down by one: a carry chain, or where it is short tables of the bits below each. */
static int64_t counting(const weir_cost_part *part, int64_t bits) {
    int64_t tables = 0;
    if (weir_cost_joined(part, bits) == 0) return bits;
    for (int64_t bit = 1; bit <= bits; bit++) tables += weir_cost_joined(part, bit);
    return tables;
}

/* A counter of places, whether it is at its end and held, the number of damaged frames. */
void weir_cost_door_guard(weir_cost_part *part) {
    const int64_t beats = weir_cost_value(part, "BEATS"), count = weir_cost_value(part, "COUNT_W");
    const int64_t places = beats > 1 ? weir_cost_bits(beats) : 0;
    weir_cost_term(part, counting(part, places));
    weir_cost_term(part, count);
    weir_cost_term(part, places > 0);
    weir_cost_registers(part, places + 2 * (places > 0) + count + 1);
    weir_cost_path(part, WEIR_COST_REGISTER, 1, weir_later(places, count), count);
}

/* For each input a flag a frame, one-hot how many there are, and what chooses the next flag. */
void weir_cost_door_flags(weir_cost_part *part) {
    const int64_t inputs = weir_cost_value(part, "INPUTS"), depth = weir_cost_value(part, "DEPTH");
    weir_cost_term(part, inputs * depth);
    weir_cost_term(part, inputs);
    weir_cost_registers(part, inputs * (2 * depth + 1));
    weir_cost_path(part, WEIR_COST_REGISTER, 2 + weir_cost_levels(part, inputs), 0, inputs * depth);
}

/* A weir_frame_flags of two frames, a ring with a flag a frame, and for each State where it is in that. */
void weir_cost_door_sequence(weir_cost_part *part) {
    const int64_t inputs = weir_cost_value(part, "INPUTS"), states = weir_cost_value(part, "STATES"),
                  depth = weir_cost_value(part, "DEPTH"), bits = weir_cost_bits(depth);
    weir_cost_term(part, inputs);
    weir_cost_term(part, states * (bits + 1));
    weir_cost_term(part, states * depth);
    weir_cost_registers(part, inputs * 5 + depth + bits + states * (bits + 2) + 4);
    weir_cost_path(part, WEIR_COST_REGISTER,
                   3 + weir_cost_levels(part, inputs + states) + weir_cost_levels(part, depth), 0, states);
}
