/* Float products take two paths, both of the order that product.h defines. Where op(b) has its columns in memory
 * (transpose_b: weights by output), vectors run along k, one for each of four columns. Where it has its rows, they run
 * along columns: for one row, a vector for each partial sum; for four rows, a tile of 4 x 16 results, one partial sum
 * after the other. Columns are first gathered into a panel, unless one row reads them as they are. What k lacks to a
 * multiple of eight is filled with zeros, which change no partial sum: none is ever -0. Cost: one multiplication and
 * one addition a product, eight at a time; scratch of sixteen columns, and of op(a) when it is transposed. */
#include "exec/product.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "support/memory/arena.h"

#if defined __FAST_MATH__
#error "the reference needs IEEE arithmetic: compile without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "float32 must be computed in float32");

/* Partial sums; columns at a time where they are in memory; rows and vectors of a tile; rows of codes at a time. */
enum { LANES = 8, COLUMNS = 4, ROWS = 4, VECTORS = 2, CODE_ROWS = 2 };
/* With AVX-512: columns of a block, blocks and rows of codes at a time. */
enum { BLOCK = 16, BLOCKS = 2, BLOCK_ROWS = 6 };

#define INLINE static inline __attribute__((always_inline))
#if defined __clang__
#define UNROLL /* does so by itself, and better */
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define LOAD(v, from) memcpy(&(v), from, sizeof(v))
#define TREE(s) (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))

/* The operands of one product: rows of op(a), and op(b), in memory. */
typedef struct operands {
    const weir_product_call *call;
    const float *a, *b;
    float *y;
    size_t pitch; /* of y */
} operands;

/* The last step of a product. */
INLINE void finish(const weir_product_call *call, const float *sums, size_t count, float *y) {
    const float alpha = (float)call->alpha, beta = (float)call->beta;
    for (size_t i = 0; i < count; i++) {
        float sum = sums[i];
        if (alpha != 1) sum *= alpha;
        if (beta != 0) sum += beta == 1 ? y[i] : beta * y[i];
        y[i] = sum;
    }
}

#define WIDTH 4
#define NAME(x) x##_4
#define SPLAT(x) ((vector_4){x, x, x, x})
#include "exec/product.inc"
#undef WIDTH
#undef NAME
#undef SPLAT

static void product_baseline(const weir_product_call *call, const float *a, const float *b, float *y) {
    product_4(call, a, b, y);
}

#if defined __x86_64__
#define WIDTH 8
#define NAME(x) x##_8
#define SPLAT(x) ((vector_8){x, x, x, x, x, x, x, x})
#include "exec/product.inc"
#undef WIDTH
#undef NAME
#undef SPLAT

/* Without fused multiply-add, which would leave out a rounding. */
__attribute__((target("avx2"))) static void product_avx2(const weir_product_call *call, const float *a, const float *b,
                                                         float *y) {
    product_8(call, a, b, y);
}
#endif

/* --- codes --- */

static void codes_baseline(const int16_t *x, size_t rows, const int16_t *w, size_t columns, size_t inner,
                           int32_t *sum) {
    for (size_t r = 0; r < rows; r++, x += inner, sum += columns) {
        for (size_t n = 0; n < columns; n++) {
            const int16_t *weight = w + n * inner;
            sum[n] = 0;
            for (size_t k = 0; k < inner; k++) sum[n] += (int32_t)x[k] * weight[k];
        }
    }
}

static void lines_baseline(const int16_t *x, size_t step, const int16_t *w, size_t inner, size_t rows, int32_t *sum) {
    for (size_t r = 0; r < rows; r++, x += step, w += inner) {
        sum[r] = 0;
        for (size_t k = 0; k < inner; k++) sum[r] += (int32_t)x[k] * w[k];
    }
}

/* Channels from `first` on. */
static void taps_baseline(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w, size_t channels,
                          size_t first, int32_t *sum) {
    for (size_t c = first; c < channels; c++) sum[c] = 0;
    for (size_t k = 0; k < taps; k++, w += channels) {
        const int8_t *codes = (const int8_t *)x[k];
        for (size_t c = first; c < channels; c++) sum[c] += (is_signed ? (int32_t)codes[c] : (int32_t)x[k][c]) * w[c];
    }
}

#if defined __x86_64__
#define AVX2 __attribute__((target("avx2")))

AVX2 INLINE __m256i load_codes(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)(const void *)from); }

AVX2 INLINE int32_t sum_lanes(__m256i lanes) {
    int32_t lane[LANES];
    memcpy(lane, &lanes, sizeof lane);
    return TREE(lane);
}

AVX2 INLINE void sum_columns(const __m256i *part, int32_t *sum) {
    const __m256i halves = _mm256_hadd_epi32(_mm256_hadd_epi32(part[0], part[1]), _mm256_hadd_epi32(part[2], part[3]));
    const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    memcpy(sum, &sums, sizeof sums);
}

/* `rows` of x with `columns` of w (both known when compiled): pairs of products are added as they are made. */
AVX2 INLINE void codes_tile(const int16_t *x, int rows, const int16_t *w, int columns, size_t inner, int32_t *sum,
                            size_t pitch) {
    __m256i part[CODE_ROWS][COLUMNS], code[CODE_ROWS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int n = 0; n < columns; n++) part[r][n] = _mm256_setzero_si256();
    }
    for (size_t k = 0; k < inner; k += WEIR_PRODUCT_STEP) {
        UNROLL
        for (int r = 0; r < rows; r++) code[r] = load_codes(x + (size_t)r * inner + k);
        UNROLL
        for (int n = 0; n < columns; n++) {
            const __m256i weight = load_codes(w + (size_t)n * inner + k);
            UNROLL
            for (int r = 0; r < rows; r++)
                part[r][n] = _mm256_add_epi32(part[r][n], _mm256_madd_epi16(code[r], weight));
        }
    }
    for (int r = 0; r < rows; r++, sum += pitch) {
        if (columns == COLUMNS) sum_columns(part[r], sum);
        else sum[0] = sum_lanes(part[r][0]);
    }
}

/* All rows of x with `columns` of w (COLUMNS or 1). */
AVX2 INLINE void codes_columns(const int16_t *x, size_t rows, const int16_t *w, int columns, size_t inner, int32_t *sum,
                               size_t pitch) {
    size_t r = 0;
    for (; r + CODE_ROWS <= rows; r += CODE_ROWS)
        codes_tile(x + r * inner, CODE_ROWS, w, columns, inner, sum + r * pitch, pitch);
    for (; r < rows; r++) codes_tile(x + r * inner, 1, w, columns, inner, sum + r * pitch, pitch);
}

/* Columns from `n` on. */
AVX2 static void codes_avx2(const int16_t *x, size_t rows, const int16_t *w, size_t n, size_t columns, size_t inner,
                            int32_t *sum) {
    for (; n + COLUMNS <= columns; n += COLUMNS)
        codes_columns(x, rows, w + n * inner, COLUMNS, inner, sum + n, columns);
    for (; n < columns; n++) codes_columns(x, rows, w + n * inner, 1, inner, sum + n, columns);
}

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni,avx2")))

/* `rows` of x with `blocks` of BLOCK columns (both known when compiled), each arranged pair of codes by pair: a vector
 * has a pair for each column, and its products are added to a sum a column. */
AVX512 INLINE void codes_blocks(const int16_t *x, int rows, const int16_t *w, int blocks, size_t inner, int32_t *sum,
                                size_t pitch) {
    __m512i part[BLOCK_ROWS][BLOCKS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int b = 0; b < blocks; b++) part[r][b] = _mm512_setzero_si512();
    }
    for (size_t k = 0; k < inner; k += 2) {
        __m512i weight[BLOCKS];
        UNROLL
        for (int b = 0; b < blocks; b++) weight[b] = _mm512_loadu_si512(w + ((size_t)b * inner + k) * BLOCK);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, x + (size_t)r * inner + k, sizeof pair);
            UNROLL
            for (int b = 0; b < blocks; b++)
                part[r][b] = _mm512_dpwssd_epi32(part[r][b], _mm512_set1_epi32(pair), weight[b]);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int b = 0; b < blocks; b++) _mm512_storeu_si512(sum + (size_t)r * pitch + b * BLOCK, part[r][b]);
    }
}

/* All rows of x with `blocks` of columns (BLOCKS or 1). */
AVX512 INLINE void codes_rows(const int16_t *x, size_t rows, const int16_t *w, int blocks, size_t inner, int32_t *sum,
                              size_t pitch) {
    size_t r = 0;
    for (; r + BLOCK_ROWS <= rows; r += BLOCK_ROWS)
        codes_blocks(x + r * inner, BLOCK_ROWS, w, blocks, inner, sum + r * pitch, pitch);
    for (; r < rows; r++) codes_blocks(x + r * inner, 1, w, blocks, inner, sum + r * pitch, pitch);
}

AVX512 static void codes_avx512(const int16_t *x, size_t rows, const int16_t *w, size_t columns, size_t inner,
                                int32_t *sum) {
    size_t n = 0;
    for (; n + BLOCKS * BLOCK <= columns; n += BLOCKS * BLOCK)
        codes_rows(x, rows, w + n * inner, BLOCKS, inner, sum + n, columns);
    for (; n + BLOCK <= columns; n += BLOCK) codes_rows(x, rows, w + n * inner, 1, inner, sum + n, columns);
    codes_avx2(x, rows, w, n, columns, inner, sum);
}

AVX512 INLINE __m512i load_bytes_512(const uint8_t *from, bool is_signed) {
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

/* Of 32 channels the products of two taps with their weights, added: the first four of each eight, and the others. */
AVX512 INLINE void add_taps_512(__m512i *part, __m512i x0, __m512i x1, __m512i w0, __m512i w1) {
    part[0] = _mm512_dpwssd_epi32(part[0], _mm512_unpacklo_epi16(x0, x1), _mm512_unpacklo_epi16(w0, w1));
    part[1] = _mm512_dpwssd_epi32(part[1], _mm512_unpackhi_epi16(x0, x1), _mm512_unpackhi_epi16(w0, w1));
}

AVX512 INLINE size_t taps_of_512(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w,
                                 size_t channels, int32_t *sum) {
    const __m512i none = _mm512_setzero_si512(), front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    size_t c = 0;
    for (; c + 2 * BLOCK <= channels; c += 2 * BLOCK) {
        __m512i part[2] = {none, none};
        size_t k = 0;
        for (; k + 2 <= taps; k += 2)
            add_taps_512(part, load_bytes_512(x[k] + c, is_signed), load_bytes_512(x[k + 1] + c, is_signed),
                         _mm512_loadu_si512(w + k * channels + c), _mm512_loadu_si512(w + (k + 1) * channels + c));
        if (k < taps)
            add_taps_512(part, load_bytes_512(x[k] + c, is_signed), none, _mm512_loadu_si512(w + k * channels + c),
                         none);
        _mm512_storeu_si512(sum + c, _mm512_permutex2var_epi64(part[0], front, part[1]));
        _mm512_storeu_si512(sum + c + BLOCK, _mm512_permutex2var_epi64(part[0], back, part[1]));
    }
    return c;
}

AVX512 static size_t taps_avx512(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w,
                                 size_t channels, int32_t *sum) {
    return is_signed ? taps_of_512(x, true, taps, w, channels, sum) : taps_of_512(x, false, taps, w, channels, sum);
}

AVX2 INLINE __m256i line(const int16_t *x, const int16_t *w, size_t inner) {
    __m256i part = _mm256_setzero_si256();
    for (size_t k = 0; k < inner; k += WEIR_PRODUCT_STEP)
        part = _mm256_add_epi32(part, _mm256_madd_epi16(load_codes(x + k), load_codes(w + k)));
    return part;
}

AVX2 static void lines_avx2(const int16_t *x, size_t step, const int16_t *w, size_t inner, size_t rows, int32_t *sum) {
    size_t r = 0;
    for (; r + COLUMNS <= rows; r += COLUMNS) {
        __m256i part[COLUMNS];
        UNROLL
        for (size_t i = 0; i < COLUMNS; i++) part[i] = line(x + (r + i) * step, w + (r + i) * inner, inner);
        sum_columns(part, sum + r);
    }
    for (; r < rows; r++) sum[r] = sum_lanes(line(x + r * step, w + r * inner, inner));
}

AVX2 INLINE __m256i load_bytes(const uint8_t *from, bool is_signed) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

/* The products of two taps with their weights, added; 16 channels: 0 to 3 and 8 to 11, and the others. */
AVX2 INLINE void add_taps(__m256i *part, __m256i x0, __m256i x1, __m256i w0, __m256i w1) {
    part[0] =
        _mm256_add_epi32(part[0], _mm256_madd_epi16(_mm256_unpacklo_epi16(x0, x1), _mm256_unpacklo_epi16(w0, w1)));
    part[1] =
        _mm256_add_epi32(part[1], _mm256_madd_epi16(_mm256_unpackhi_epi16(x0, x1), _mm256_unpackhi_epi16(w0, w1)));
}

/* Returns how many channels it has made. */
AVX2 INLINE size_t taps_of(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w, size_t channels,
                           int32_t *sum) {
    size_t c = 0;
    for (; c + WEIR_PRODUCT_STEP <= channels; c += WEIR_PRODUCT_STEP) {
        const __m256i none = _mm256_setzero_si256();
        __m256i part[2] = {none, none};
        size_t k = 0;
        for (; k + 2 <= taps; k += 2)
            add_taps(part, load_bytes(x[k] + c, is_signed), load_bytes(x[k + 1] + c, is_signed),
                     load_codes(w + k * channels + c), load_codes(w + (k + 1) * channels + c));
        if (k < taps) add_taps(part, load_bytes(x[k] + c, is_signed), none, load_codes(w + k * channels + c), none);
        const __m256i ordered[2] = {_mm256_permute2x128_si256(part[0], part[1], 0x20),
                                    _mm256_permute2x128_si256(part[0], part[1], 0x31)};
        memcpy(sum + c, ordered, sizeof ordered);
    }
    return c;
}

AVX2 static size_t taps_avx2(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w, size_t channels,
                             int32_t *sum) {
    return is_signed ? taps_of(x, true, taps, w, channels, sum) : taps_of(x, false, taps, w, channels, sum);
}
#endif

void weir_product_taps(const uint8_t *const *x, bool is_signed, size_t taps, const int16_t *w, size_t channels,
                       int32_t *sum, weir_instructions level) {
    size_t done = 0;
#if defined __x86_64__
    if (level == WEIR_INSTRUCTIONS_AVX512) done = taps_avx512(x, is_signed, taps, w, channels, sum);
    if (level == WEIR_INSTRUCTIONS_AVX2) done = taps_avx2(x, is_signed, taps, w, channels, sum);
#endif
    (void)level;
    if (done < channels) taps_baseline(x, is_signed, taps, w, channels, done, sum);
}

void weir_product_lines(const int16_t *x, size_t step, const int16_t *w, size_t inner, size_t rows, int32_t *sum,
                        weir_instructions level) {
    assert(inner % WEIR_PRODUCT_STEP == 0);
#if defined __x86_64__
    if (level >= WEIR_INSTRUCTIONS_AVX2) {
        lines_avx2(x, step, w, inner, rows, sum);
        return;
    }
#endif
    (void)level;
    lines_baseline(x, step, w, inner, rows, sum);
}

void weir_product_arrange(int16_t *w, size_t columns, size_t inner, weir_instructions level) {
    assert(inner % 2 == 0);
    if (level < WEIR_INSTRUCTIONS_AVX512) return;
    int32_t *block = weir_malloc(BLOCK * inner / 2 * sizeof *block); /* a pair an element */
    for (; columns >= BLOCK; columns -= BLOCK, w += BLOCK * inner) {
        for (size_t n = 0; n < BLOCK; n++) {
            for (size_t k = 0; k < inner; k += 2) memcpy(block + k / 2 * BLOCK + n, w + n * inner + k, sizeof *block);
        }
        memcpy(w, block, BLOCK * inner * sizeof *w);
    }
    free(block);
}

void weir_product_codes(const int16_t *x, size_t rows, const int16_t *w, size_t columns, size_t inner, int32_t *sum,
                        weir_instructions level) {
    assert(inner % WEIR_PRODUCT_STEP == 0);
#if defined __x86_64__
    if (level == WEIR_INSTRUCTIONS_AVX512) {
        codes_avx512(x, rows, w, columns, inner, sum);
        return;
    }
    if (level == WEIR_INSTRUCTIONS_AVX2) {
        codes_avx2(x, rows, w, 0, columns, inner, sum);
        return;
    }
#endif
    (void)level;
    codes_baseline(x, rows, w, columns, inner, sum);
}

void weir_product_float32(const weir_product_call *call, const float *a, const float *b, float *y,
                          weir_instructions level) {
    assert(call->pitch == 0 || call->pitch >= call->columns);
#if defined __x86_64__
    if (level >= WEIR_INSTRUCTIONS_AVX2) {
        product_avx2(call, a, b, y);
        return;
    }
#endif
    (void)level;
    product_baseline(call, a, b, y);
}

void weir_product_float64(const weir_product_call *call, const double *a, const double *b, double *y) {
    assert(call->pitch == 0 || call->pitch >= call->columns);
    const size_t pitch = call->pitch == 0 ? call->columns : call->pitch;
    const size_t a_row = call->transpose_a ? 1 : call->inner, a_k = call->transpose_a ? call->rows : 1;
    const size_t b_column = call->transpose_b ? call->inner : 1, b_k = call->transpose_b ? 1 : call->columns;
    for (size_t r = 0; r < call->rows; r++) {
        for (size_t c = 0; c < call->columns; c++) {
            double s[LANES] = {0}, *to = y + r * pitch + c;
            for (size_t k = 0; k < call->inner; k++) s[k % LANES] += a[r * a_row + k * a_k] * b[c * b_column + k * b_k];
            double sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
            if (call->alpha != 1) sum *= call->alpha;
            if (call->beta != 0) sum += call->beta == 1 ? *to : call->beta * *to;
            *to = sum;
        }
    }
}
