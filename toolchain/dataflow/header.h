/* Latency and interval from a library module's header, as formulas of the module's parameters:
 *   // Latency:   2 + clog2(SIMD) cycles from the beat with s_end to m_valid.
 *   // Interval:  BEATS cycles a result.
 * A formula is before "cycle" or "cycles" and has numbers, parameters, + - * / ( ), comparisons, c ? a : b, and
 * ceil(x), clog2(x), max(a, b), min(a, b), digits(x), of the canonical signed form other than 0; quotients are exact
 * until ceil, comparisons are 1 or 0. The unit of an interval is a beat of the input, a result (a beat of the output),
 * a frame, or another unit of the module. When nothing stalls, the last result of a frame leaves (interval of a frame)
 * - (cycles a beat) + latency cycles after the first beat is accepted; cycles a beat are the interval if the unit is a
 * beat, else 1. tests/component measures both. */
#ifndef WEIR_DATAFLOW_HEADER_H
#define WEIR_DATAFLOW_HEADER_H

#include "rtlir/core/rtl.h"

typedef struct weir_header {
    char *latency, *interval, *unit; /* heap */
    char *mapping;                   /* how it maps to a device, to the end of the first sentence; heap, or NULL */
} weir_header;

/* Of a module of the library; false after a reported error: there is none, or a line is missing or wrong. */
bool weir_header_read(const char *module, weir_header *header);
void weir_header_free(weir_header *header);
/* The formula's value for an instance; false after a reported error that names its module. */
bool weir_header_evaluate(const char *formula, weir_rtl_design *design, weir_rtl_instance instance, int64_t *value);

#endif
