/* Networks between quantizers, compared with their lowered graphs on random frames. */
#ifndef WEIR_TEST_PASSES_FRAMES_H
#define WEIR_TEST_PASSES_FRAMES_H

#include "test_passes_lowering.h"

enum { FRAMES = 24 };

static inline double real(double low, double high) {
    return low + (high - low) * (double)random_int(0, 1 << 20) / (1 << 20);
}

static inline bool chance(int percent) { return random_int(0, 99) < percent; }

/* How many elements of the first results are not the same, on FRAMES random frames. */
static inline size_t differing(const weir_graph *model, const weir_graph *other) {
    weir_executor *a = weir_executor_new(model), *b = weir_executor_new(other);
    assert_true(a != NULL && b != NULL);
    size_t different = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        weir_array *x = weir_array_new(WEIR_FLOAT32, &weir_value_type(model, weir_graph_input(model, 0))->shape);
        for (size_t i = 0; i < x->count; i++) weir_array_set(x, i, real(-6, 6));
        const weir_array *inputs[1] = {x};
        assert_true(weir_executor_run(a, inputs) && weir_executor_run(b, inputs));
        const weir_array *ya = weir_executor_value(a, weir_graph_output(model, 0));
        const weir_array *yb = weir_executor_value(b, weir_graph_output(other, 0));
        assert_int_equal(ya->count, yb->count);
        for (size_t i = 0; i < ya->count; i++) different += weir_array_get(ya, i) != weir_array_get(yb, i);
        weir_array_free(x);
    }
    weir_executor_free(a);
    weir_executor_free(b);
    return different;
}

#endif
