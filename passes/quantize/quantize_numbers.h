/* quantize by a configuration: a quantizer before each operand for which it has a number format. */
#ifndef WEIR_PASSES_QUANTIZE_NUMBERS_H
#define WEIR_PASSES_QUANTIZE_NUMBERS_H

#include "passes/quantize/number_plan.h"
#include "passes/quantize/quantizer.h"

/* Formats whose codes are integers become quantizers that have hardware, with fraction bits from the calibration where
 * the configuration leaves them out; others FakeQuantize. Prints which nodes stay real numbers, and why. False after a
 * reported error. */
bool weir_quantize_numbers(weir_quantizer *q, weir_plan *plan);
/* Does the node get quantizers by its entry? */
bool weir_quantize_numbers_takes(const weir_graph *graph, weir_node node, const weir_plan_entry *entry);

#endif
