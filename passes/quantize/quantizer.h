/* State and steps of quantize: what is known of the float model's values, and the quantizers that are put behind
 * them. */
#ifndef WEIR_PASSES_QUANTIZER_H
#define WEIR_PASSES_QUANTIZER_H

#include "ir/graph/graph.h"
#include "ir/graph/side.h"
#include "pass/core/pass.h"
#include "passes/quantize/calibrator.h"

/* What was seen of one channel. */
typedef struct weir_seen_channel {
    weir_range range;
    weir_histogram *histogram;
} weir_seen_channel;

typedef struct weir_quantized_value {
    weir_range range;
    weir_histogram *histogram;  /* where one is kept; NULL: nothing was seen */
    weir_seen_channel *channel; /* NULL: they are not watched each on its own */
    size_t channels;            /* of dimension 1 */
    weir_value quantized;       /* none: not made yet */
    bool before, after;         /* does hardware compute from it, is it computed by hardware */
    bool wide;                  /* its codes have 16 bits (quantize_recurrence.c) */
    uint32_t scale_of;          /* the id of a value with whose numbers it has one scale, and so on; 0: none */
    bool is_sequence;           /* a loop over time reads it through weights: what its numbers are like decides */
    double squares, seen;       /* of those: the sum of their squares, and how many were seen */
    bool is_numbers;            /* of what may be a mask: some of its numbers are neither 0 nor far below */
    uint32_t root;              /* of functions of one quantized value, the id of that; 0: of all others */
} weir_quantized_value;

typedef struct weir_quantizer {
    weir_graph *graph;
    const weir_pass *pass;
    bool fixed;
    bool partial;     /* the model has quantizers, and layers without: these get theirs */
    bool everywhere;  /* nothing of the model has to be hardware: all of it is to be */
    int64_t frame;    /* of the calibration */
    weir_side values; /* of the float graph: weir_quantized_value */
    uint32_t node_limit;
    bool keeps_histograms;
    weir_calibrator calibrator;       /* of a scheme */
    struct weir_layer_inputs *inputs; /* of layers whose weights are rounded by data, or NULL */
} weir_quantizer;

/* --- of values --- */

/* Values of the float graph have records; those that the pass makes have none, for quantizers give them. */
bool weir_quantizer_is_float(const weir_quantizer *q, weir_value value);
weir_quantized_value *weir_quantizer_value(const weir_quantizer *q, weir_value value);
bool weir_quantizer_is_constant(const weir_quantizer *q, weir_value value);
/* Of the float graph, and no constant? */
bool weir_quantizer_is_computed(const weir_quantizer *q, weir_value value);
/* Is the value computed by hardware, and hardware computes from it? */
bool weir_quantizer_is_between(const weir_quantizer *q, weir_value value);
bool weir_quantizer_is_pool(weir_op op);

/* --- calibrate.c --- */

/* The ranges of all values on the frames of the file. False after a reported error. */
bool weir_quantizer_calibrate(weir_quantizer *q, const char *path);

/* --- quantizer.c: building quantizers; WEIR_NO_VALUE after a reported error --- */

/* The value in uint8 codes of the range, before the node. */
weir_value weir_quantizer_of_range(weir_quantizer *q, weir_value value, const weir_range *range, weir_node before);
/* The quantized value; its quantizer is made at the first use. */
weir_value weir_quantizer_activation(weir_quantizer *q, weir_value value, weir_node before);
/* A value in the codes of another one, which is of the float graph. */
weir_value weir_quantizer_like(weir_quantizer *q, weir_value value, weir_value other, weir_node before);
/* Scale of an activation that was quantized to int8. */
double weir_quantizer_scale(const weir_quantizer *q, weir_value dequantized);
/* The axis of a layer's weights, input `index`, along which they have scales, that of its results; -1: one scale, of a
 * vector and of a matrix for each batch, whose results are in another order. And how many scales there are. */
int weir_quantizer_axis(const weir_quantizer *q, weir_node node, size_t index);
size_t weir_quantizer_scales(const weir_quantizer *q, weir_value weights, int axis);
/* int8 weights with a scale an output, which is returned for the bias, and no smaller than `least` of the output. An
 * output without weights has the largest one of the others: any is right, and that is not far from them. */
weir_value weir_quantizer_weights(weir_quantizer *q, weir_node node, weir_value value, int axis, const double *least,
                                  double *scale);
/* The least scales of weights for a bias whose codes are float32 numbers; heap memory. Results of groups share those of
 * the weights. */
double *weir_quantizer_least_scales(const weir_array *bias, double input_scale, size_t outputs, size_t results);
weir_value weir_quantizer_bias(weir_quantizer *q, weir_node node, weir_value value, double input_scale,
                               const double *weight_scale, size_t outputs);
/* A constant in MASE's fixed point; `kind`: "weight" or "bias". */
weir_value weir_quantizer_fixed(weir_quantizer *q, weir_node node, weir_value value, const char *kind);

/* --- complete.c --- */

/* Of a model with quantizers: those that layers lack. False after a reported error. */
bool weir_quantizer_complete(weir_quantizer *q);

/* --- quantize_node.c: where quantizers go; false after a reported error --- */

bool weir_quantizer_node(weir_quantizer *q, weir_node node);
/* A sum that leaves the model has codes of its own, since those of its terms do not add up, and so has a function where
 * there are no layers. */
bool weir_quantizer_outputs(weir_quantizer *q);

/* --- quantize_recurrence.c --- */

/* Marks what of loops over time gets 16 bits, before the calibration. After it: those that are added up get one
 * range. */
void weir_quantizer_widen(const weir_quantizer *q);
void weir_quantizer_join_wide(const weir_quantizer *q);

/* --- quantize_mask.c --- */

struct weir_computed_mask;
/* Is the node a mask of what hardware computes, by what it does not, as far as the calibration has seen it? */
bool weir_quantizer_masks(const weir_quantizer *q, weir_node node, struct weir_computed_mask *mask);
/* Quantizes both, as a sum. */
bool weir_quantizer_mask(weir_quantizer *q, weir_node node, const struct weir_computed_mask *mask);

#endif
