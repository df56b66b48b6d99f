/* Products of matrices as the float engine computes them beside BLAS, one thread each: product [REPETITIONS]. A line a
 * shape: billions of operations (multiplications and additions) a second, and their ratio where BLAS was found. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "exec/product.h"
#include "support/memory/arena.h"

#ifdef WEIR_BENCH_BLAS
#include <cblas.h>
#endif

typedef struct shape {
    const char *what;
    size_t rows, inner, columns;
    bool transposed;
} shape;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void product(const shape *s, const float *a, const float *b, float *y) {
    const weir_product_call call = {
        .transpose_b = s->transposed, .rows = s->rows, .inner = s->inner, .columns = s->columns, .alpha = 1};
    weir_product_float32(&call, a, b, y, weir_instructions_best());
}

#ifdef WEIR_BENCH_BLAS
static void blas(const shape *s, const float *a, const float *b, float *y) {
    const int rows = (int)s->rows, inner = (int)s->inner, columns = (int)s->columns;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, s->transposed ? CblasTrans : CblasNoTrans, rows, columns, inner, 1, a,
                inner, b, s->transposed ? inner : columns, 0, y, columns);
}
#endif

static double speed(const shape *s, double operations,
                    void (*multiply)(const shape *, const float *, const float *, float *)) {
    float *a = weir_calloc(s->rows * s->inner, sizeof *a), *b = weir_calloc(s->inner * s->columns, sizeof *b);
    float *y = weir_calloc(s->rows * s->columns, sizeof *y);
    for (size_t i = 0; i < s->rows * s->inner; i++) a[i] = (float)(i % 17) - 8;
    for (size_t i = 0; i < s->inner * s->columns; i++) b[i] = (float)(i % 13) - 6;
    const double each = 2.0 * (double)(s->rows * s->inner * s->columns);
    const size_t times = (size_t)(operations / each) + 1;
    multiply(s, a, b, y);
    const double start = now();
    for (size_t i = 0; i < times; i++) multiply(s, a, b, y);
    const double seconds = now() - start;
    free(a);
    free(b);
    free(y);
    return 1e-9 * each * (double)times / seconds;
}

int main(int argc, char **argv) {
    static const shape shapes[] = {{"digits, first layer", 1, 64, 64, true},
                                   {"a layer of 784 x 256", 1, 784, 256, true},
                                   {"weights as Keras has them", 1, 64, 64, false},
                                   {"convolution 3x3, 16 channels", 16, 144, 512, false},
                                   {"convolution 3x3, 64 channels", 64, 576, 64, false},
                                   {"pointwise, 64 channels", 64, 64, 512, false},
                                   {"a batch of 128", 128, 512, 512, true}};
    const double operations = argc > 1 ? atof(argv[1]) : 5e8;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const double ours = speed(&shapes[i], operations, product);
        printf("%-30s %4zu x %3zu x %3zu  %6.1f", shapes[i].what, shapes[i].rows, shapes[i].inner, shapes[i].columns,
               ours);
#ifdef WEIR_BENCH_BLAS
        const double theirs = speed(&shapes[i], operations, blas);
        printf("  BLAS %6.1f  ratio %.2f", theirs, ours / theirs);
#endif
        printf("\n");
    }
    return 0;
}
