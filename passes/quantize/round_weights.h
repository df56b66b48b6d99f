/* Weights rounded by data: of the codes around a layer's weights those that change its results least on the
 * calibration, for each output alone. With H the second moments of the layer's inputs about their mean, the error of an
 * output whose weights are q instead of w is (w - q)' H (w - q), once its bias has taken (w - q)' mean. From H = R' R,
 * upper triangular, the nearest plane of each coordinate is found from the last to the first (Babai 1986; in the other
 * order GPTQ, Frantar et al. 2023). Where the nearest codes are as good, they stay. */
#ifndef WEIR_PASSES_ROUND_WEIGHTS_H
#define WEIR_PASSES_ROUND_WEIGHTS_H

#include "exec/exec.h"
#include "ir/graph/graph.h"

/* What the calibration shows of the inputs of some layers: for each group of channels the sums of their values and
 * products. */
typedef struct weir_layer_inputs weir_layer_inputs;

weir_layer_inputs *weir_layer_inputs_new(const weir_graph *graph);
void weir_layer_inputs_free(weir_layer_inputs *inputs);
/* Gemm, MatMul or Conv with constant float32 weights as input 1, at most WEIR_LAYER_INPUTS_MOST inputs an output;
 * others are left out. */
void weir_layer_inputs_add(weir_layer_inputs *inputs, weir_node node);
enum { WEIR_LAYER_INPUTS_MOST = 2048 };
/* A frame of the calibration. O(inputs^2) a layer and position; of a convolution's positions some, evenly spread. */
void weir_layer_inputs_see(weir_layer_inputs *inputs, const weir_executor *executor);

/* Was the layer seen? */
bool weir_layer_inputs_has(const weir_layer_inputs *inputs, weir_node node);

/* What weights may become. */
typedef struct weir_weight_grid {
    weir_array *scale; /* one an output, or one for all; float32 */
    int64_t low, high; /* of codes */
    bool searches;     /* of an output's scale, parts down to a half are tried, and that with the least error is put */
    bool has_bias;     /* that can take what changes on average */
} weir_weight_grid;

/* The weights of a layer that was seen, on their grids: a new array. bias[o]: what the output's bias takes; zeros where
 * it cannot. O(outputs * inputs^2 + inputs^3). */
weir_array *weir_round_weights(const weir_layer_inputs *inputs, weir_node node, const weir_weight_grid *grid,
                               double *bias);

#endif
