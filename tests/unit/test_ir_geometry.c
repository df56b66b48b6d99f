/* Windows without the elements that see padding only, against what each position of all small windows sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ir/shape/geometry.h"

enum { MOST_IN = 4, MOST_KERNEL = 4, MOST_DILATION = 4, MOST_STRIDE = 3 };

/* Bit x: a position sees element x of the input. */
static unsigned seen_at(const weir_window *w, int64_t o) {
    unsigned seen = 0;
    for (int64_t k = 0; k < w->kernel[0]; k++) {
        const int64_t x = o * w->stride[0] + k * w->dilation[0] - w->begin[0];
        if (x >= 0 && x < w->in[0]) seen |= 1U << x;
    }
    return seen;
}

static bool sees(const weir_window *w, int64_t k) {
    weir_window one = *w;
    unsigned seen = 0;
    one.kernel[0] = 1;
    one.begin[0] -= k * w->dilation[0];
    for (int64_t o = 0; o < w->out[0]; o++) seen |= seen_at(&one, o);
    return seen != 0;
}

/* How many elements were dropped. */
static int64_t check(const weir_window *given) {
    weir_window w = *given;
    const int64_t first = weir_geometry_trim(&w, 0), last = w.kernel[0] - 1;
    bool any = false;
    for (int64_t k = 0; k < given->kernel[0]; k++) any |= sees(given, k);
    for (int64_t o = 0; o < w.out[0]; o++) assert_int_equal(seen_at(&w, o), seen_at(given, o));
    if (!any) assert_true(w.kernel[0] == 1 && first == 0);
    else assert_true(sees(&w, 0) && sees(&w, last) && given->begin[0] - w.begin[0] == first * w.dilation[0]);
    if (w.kernel[0] != given->kernel[0])
        assert_int_equal(w.end[0], (w.out[0] - 1) * w.stride[0] + last * w.dilation[0] - w.begin[0] - (w.in[0] - 1));
    return given->kernel[0] - w.kernel[0];
}

static void sees_the_same(void **state) {
    (void)state;
    int64_t dropped = 0;
    for (int64_t number = 0; number < MOST_IN * MOST_KERNEL * MOST_DILATION * MOST_STRIDE; number++) {
        weir_window w = {.rank = 1};
        w.in[0] = 1 + number % MOST_IN;
        w.kernel[0] = 1 + number / MOST_IN % MOST_KERNEL;
        w.dilation[0] = 1 + number / (MOST_IN * MOST_KERNEL) % MOST_DILATION;
        w.stride[0] = 1 + number / (MOST_IN * MOST_KERNEL * MOST_DILATION);
        const int64_t reach = (w.kernel[0] - 1) * w.dilation[0];
        for (w.begin[0] = 0; w.begin[0] <= reach + 2; w.begin[0]++) {
            for (w.end[0] = 0; w.end[0] <= reach + 2; w.end[0]++) {
                const int64_t slack = w.in[0] + w.begin[0] + w.end[0] - reach - 1;
                if (slack < 0) continue;
                w.out[0] = slack / w.stride[0] + 1;
                dropped += check(&w);
            }
        }
    }
    assert_true(dropped > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sees_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
