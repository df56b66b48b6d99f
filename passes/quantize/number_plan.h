/* Which number formats a configuration gives to the operands of a node: MASE's YAML,
 *   by: type                      or name, or regex_name (POSIX extended, the whole name; the first that fits)
 *   default: {config: {name: fixed, weight_width: 8, ...}}
 *   linear: {config: {name: NA}}  an operator of MASE, a node's name, or an expression, by `by`
 * A configuration has a format's `name` (null or NA: the node is left alone) and its settings, KEY or weight_KEY,
 * data_in_KEY, bias_KEY and data_out_KEY (ir/number/number.def); keys that are left out have the format's own value.
 * KEY may also be `calibrator` (max, percentile, entropy, mse) and `percentile` where the format is fitted to a range;
 * left out it is mse of affine weights and of affine data below 8 bits, else max.
 * `data_in_channel: 1` gives affine data a scale a channel, which a depthwise convolution takes into its weights;
 * without a prefix `channel` is the weights'.
 * MASE's files run as they are: `report`, what is of training alone, and of binary and ternary formats `frac_width`
 * change nothing; an operand of these whose `width` is 32 stays real.
 * `bypass: true` leaves the node alone, too. Results are quantized only where a data_out_KEY is there. */
#ifndef WEIR_PASSES_NUMBER_PLAN_H
#define WEIR_PASSES_NUMBER_PLAN_H

#include "ir/graph/graph.h"
#include "ir/number/number.h"
#include "passes/quantize/calibrator.h"

typedef enum weir_plan_role {
    WEIR_PLAN_DATA_IN,
    WEIR_PLAN_WEIGHT,
    WEIR_PLAN_BIAS,
    WEIR_PLAN_DATA_OUT,
    WEIR_PLAN_ROLE_COUNT
} weir_plan_role;

typedef struct weir_plan_entry {
    const char *selector; /* NULL: the default */
    weir_location location;
    bool is_quantized;              /* else nodes are left alone */
    weir_number_id id;              /* of its name; operands may have others */
    bool has[WEIR_PLAN_ROLE_COUNT]; /* the configuration has a format for it */
    weir_number number[WEIR_PLAN_ROLE_COUNT];
    weir_calibrator calibrator[WEIR_PLAN_ROLE_COUNT]; /* of formats that are fitted to a range */
    bool is_used;                                     /* a node was given it */
} weir_plan_entry;

typedef struct weir_plan weir_plan;

/* NULL after reported errors. */
weir_plan *weir_plan_read(const char *path);
void weir_plan_free(weir_plan *plan);
/* Does any operand have the format? */
bool weir_plan_uses(const weir_plan *plan, weir_number_id id);
/* Does any operand need the range that calibration data shows? */
bool weir_plan_needs_ranges(const weir_plan *plan);
/* Does a calibrator need to know how often values were where? */
bool weir_plan_needs_histograms(const weir_plan *plan);
/* What the node is given: its entry, or the default; NULL: it has none. */
const weir_plan_entry *weir_plan_find(weir_plan *plan, const weir_graph *graph, weir_node node);
/* Reports entries that no node was given, which are mistakes in names; false then. */
bool weir_plan_check(const weir_plan *plan, const weir_graph *graph);

#endif
