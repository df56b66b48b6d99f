/* Random inputs for a hardware design. A row is one bit for each bit of each input; a clock cycle is three rows: new
 * data while clocks are low, clocks high, clocks low. So nothing changes at the same time as a clock. */
#ifndef WEIR_PASSES_EQUIVALENCE_STIMULUS_H
#define WEIR_PASSES_EQUIVALENCE_STIMULUS_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

enum { WEIR_STIMULUS_ROWS = 3 /* of a cycle */, WEIR_STIMULUS_RESET = 4 /* cycles at the start */ };

/* One input: `width` bits from `low`. */
typedef struct weir_stimulus_input {
    char *name;
    uint32_t low, width;
    weir_rtl_kind kind;
    bool is_low; /* a reset that is active when 0 */
} weir_stimulus_input;

typedef struct weir_stimulus {
    weir_stimulus_input *input;
    size_t count;
    uint32_t width; /* of a row; 0: no inputs */
    size_t rows;
    uint8_t *bit; /* rows x width */
} weir_stimulus;

/* Resets are active for the first cycles and rarely later; clocks tick in every cycle, of several ones a random part.
 * Data are random, with zeros, ones, single bits, repetitions and equal inputs more often than chance has them.
 * Fewer cycles for very wide designs. The same design, cycles and seed give the same bits. */
weir_stimulus *weir_stimulus_new(weir_rtl_design *design, weir_rtl_module top, size_t cycles, uint64_t seed);
void weir_stimulus_free(weir_stimulus *stimulus);

/* Rows of hexadecimal digits, as $readmemh takes them. */
void weir_stimulus_print(const weir_stimulus *stimulus, weir_text *text);
/* "a = 4'hc, b = 1'h0": the inputs of one row, clocks left out. */
void weir_stimulus_print_row(const weir_stimulus *stimulus, size_t row, weir_text *text);
/* "4'hc", or "4'b1x00" when bits are unknown: characters 0, 1, x, z, the most significant one first. */
void weir_stimulus_print_bits(const char *bits, uint32_t width, weir_text *text);

#endif
