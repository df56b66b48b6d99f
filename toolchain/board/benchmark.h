/* A benchmark on the chip: frames generated there by weir_board_generator, and the reference's results for them. */
#ifndef WEIR_BOARD_BENCHMARK_H
#define WEIR_BOARD_BENCHMARK_H

#include "ir/graph/graph.h"

/* Of each element of a hardware input's beats, the bits that vary, and those that are 1: so all codes are in the
 * input's proven range, outside of which results are undefined. */
typedef struct weir_benchmark_mask {
    uint64_t vary, ones;
} weir_benchmark_mask;
weir_benchmark_mask weir_benchmark_mask_of_range(int64_t low, int64_t high);
weir_benchmark_mask weir_benchmark_mask_of(const weir_graph *hardware, weir_value input);

/* A number of frames that is enough to measure and few enough to wait for: even, at least 4. */
int64_t weir_benchmark_frames(const weir_graph *hardware);
/* The CRC-32 of the results of the first frames / 2 frames, and of all `frames`, even. False after a reported error. */
bool weir_benchmark_predict(const weir_graph *hardware, int64_t frames, uint32_t *half, uint32_t *all);

#endif
