/* QLinearSoftmax as in ONNX Runtime's CPU kernel: in float32, each operation rounded, elements in order. */
#ifndef WEIR_EXEC_SOFTMAX_H
#define WEIR_EXEC_SOFTMAX_H

#include "ir/graph/graph.h"

/* Of rows of `length` codes with a scale: power[d] = float32(exp((b / scale - d) * scale)) of a code that is d below
 * the largest of its row, where b = max(0, log(largest float32 / length) - 5) makes the powers large and has no other
 * meaning (onnxruntime contrib_ops/cpu/quantization/qlinear_softmax.cc). */
void weir_softmax_powers(float scale, size_t length, float *power, size_t count);
/* Steps of the result in one: floor(1 / scale) in float32. */
float weir_softmax_steps(float scale);

typedef struct weir_softmax {
    const float *power; /* by distance from the largest code of a row */
    float steps;
    int64_t zero, high; /* of the result */
} weir_softmax;

/* `count` codes of x from `first` on, `stride` apart, into those of y: min(half_even(power * steps / sum) + zero,
 * high), the sum that of the row's powers, in order. A product beyond float32, for which ONNX Runtime computes
 * meaningless codes, is exact. */
void weir_softmax_row(const weir_softmax *softmax, const weir_array *x, weir_array *y, size_t first, size_t count,
                      size_t stride);

#endif
