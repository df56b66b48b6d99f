/* Settings of a device's PLL: the frequencies that it can make from a clock, and the wrapper's parameters
 * (boards/common/pll) for them. The ranges of its parts are the device profile's (`pll`), the dividers the family's.
 * All frequencies are exact: fractions of whole hertz. */
#ifndef WEIR_CLOCK_H
#define WEIR_CLOCK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataflow/cost/device.h"
#include "support/text/text.h"

enum { WEIR_CLOCK_PARAMETERS = 5, WEIR_CLOCK_VALUE = 24 };

typedef struct weir_clock_parameter {
    const char *name;             /* of the wrapper */
    char value[WEIR_CLOCK_VALUE]; /* as Verilog: 4'd0, "27" */
} weir_clock_parameter;

typedef struct weir_clock {
    int64_t input_hz;
    int64_t multiply, divide; /* the clock is input_hz * multiply / divide, in lowest terms */
    int64_t hz;               /* the same, rounded down, so that what is below hz is below the clock */
    const char *module;       /* the wrapper: "weir_pll_ecp5"; NULL: the clock is the input, without a PLL */
    int64_t vco_khz;
    weir_clock_parameter parameter[WEIR_CLOCK_PARAMETERS];
    size_t parameters;
} weir_clock;

/* The clock that comes nearest to the requested one; the input itself counts. `pad`: the input is the PLL's own pad
 * (iCE40). False after an error, which names the nearest possible, when `wanted_hz` is below or above all that can be
 * made. */
bool weir_clock_find(const weir_device *device, int64_t input_hz, bool pad, int64_t wanted_hz, weir_clock *clock);
/* The highest clock below `limit_hz`. False, without a report: there is none. */
bool weir_clock_below(const weir_device *device, int64_t input_hz, bool pad, int64_t limit_hz, weir_clock *clock);

void weir_clock_print(const weir_clock *clock, weir_text *text);
json_t *weir_clock_json(const weir_clock *clock);

#endif
