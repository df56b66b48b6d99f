/* array_tool: what the scripts need of array files (.npy, .npz[:key], .csv[.gz]).
 *
 *   array_tool equal A B [TOLERANCE]      same type, values equal (or within the tolerance); B may have fewer rows
 *   array_tool same A B                   the same, and as many rows
 *   array_tool elements A B               the same elements in the same order, in whatever shape
 *   array_tool accuracy OUT LABELS SHARE  share of rows whose largest value is the label, to two decimals of a percent
 *   array_tool plant IN OUT.npy INDEX     copies with one element changed by one step of its type
 *   array_tool tie IN OUT.npy INDEX A B   copies with the element, which must be A, as B, one step of its type away
 *   array_tool rows IN OUT.npy N          the first N rows
 *   array_tool columns IN OUT.npy N       the first N columns of each row
 *   array_tool affine IN OUT.npy ADD BY   (element + ADD) * BY in float32
 *   array_tool channels_first IN OUT.npy  [N,H,W,C] as [N,C,H,W]
 *   array_tool csv IN OUT.csv             as text
 *   array_tool npz IN OUT.npz KEY         as archive
 * Exit status 1 when what is asserted does not hold, 2 for bad usage. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/array.h"

static size_t rows_of(const weir_array *array) { return array->shape.rank == 0 ? 1 : (size_t)array->shape.dim[0]; }

static int compare_arrays(const char *a_path, const char *b_path, double tolerance, bool same_rows, bool flat) {
    weir_array *a = weir_array_read(a_path, NULL), *b = weir_array_read(b_path, NULL);
    if (flat && a != NULL) a->shape = (weir_shape){1, {(int64_t)a->count}};
    if (flat && b != NULL) b->shape = (weir_shape){1, {(int64_t)b->count}};
    int status = a == NULL || b == NULL || a->dtype != b->dtype || b->count == 0 || rows_of(a) < rows_of(b) ||
                 a->count / rows_of(a) != b->count / rows_of(b) || (same_rows && a->count != b->count);
    if (status != 0) fprintf(stderr, "%s: error: type or shape differs from '%s'\n", a_path, b_path);
    size_t different = 0;
    for (size_t i = 0; status == 0 && i < b->count; i++) {
        double x = weir_array_get(a, i), y = weir_array_get(b, i);
        if (x == y || fabs(x - y) <= tolerance) continue;
        if (different++ == 0)
            fprintf(stderr, "%s: error: element %zu is %.9g, expected %.9g as in '%s'\n", a_path, i, x, y, b_path);
    }
    if (different > 0) fprintf(stderr, "note: %zu of %zu elements differ\n", different, b->count);
    weir_array_free(a);
    weir_array_free(b);
    return status != 0 || different > 0;
}

static int compare(const char *a_path, const char *b_path, double tolerance, bool same_rows) {
    return compare_arrays(a_path, b_path, tolerance, same_rows, false);
}

static int accuracy(const char *path, const char *labels_path, const char *share) {
    weir_array *out = weir_array_read(path, NULL), *labels = weir_array_read(labels_path, NULL);
    if (out == NULL || labels == NULL || rows_of(out) != labels->count) return 1;
    size_t right = 0, width = out->count / labels->count;
    for (size_t row = 0; row < labels->count; row++) {
        size_t best = 0;
        for (size_t i = 1; i < width; i++) {
            if (weir_array_get(out, row * width + i) > weir_array_get(out, row * width + best)) best = i;
        }
        right += (int64_t)best == weir_array_get_int(labels, row);
    }
    char found[32];
    snprintf(found, sizeof found, "%.2f", 100.0 * (double)right / (double)labels->count);
    int status = strcmp(found, share) != 0;
    if (status != 0) fprintf(stderr, "%s: error: accuracy %s %%, expected %s %%\n", path, found, share);
    weir_array_free(out);
    weir_array_free(labels);
    return status;
}

static int plant(const char *in, const char *out, size_t index) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL || index >= array->count) return 1;
    double value = weir_array_get(array, index);
    weir_array_set(array, index,
                   weir_dtype_is_float(array->dtype) ? (double)nextafterf((float)value, INFINITY) : value + 1);
    bool fine = weir_npy_write(out, array);
    weir_array_free(array);
    return !fine;
}

/* The first `count` rows, or of each row the first `count` columns. */
static int cut(const char *in, const char *out, size_t count, bool columns) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL || array->shape.rank < 1 || rows_of(array) == 0) return 1;
    size_t width = array->count / rows_of(array), rows = columns ? rows_of(array) : count;
    if (columns ? count > width : count > rows_of(array)) return 1;
    weir_shape shape = array->shape;
    if (columns) shape = weir_shape_of(2, (int64_t[]){(int64_t)rows, (int64_t)count});
    else shape.dim[0] = (int64_t)count;
    weir_array *part = weir_array_new(array->dtype, &shape);
    size_t size = (columns ? count : width) * weir_dtype_size(array->dtype);
    for (size_t row = 0; row < rows; row++)
        memcpy((char *)part->data + row * size, (char *)array->data + row * width * weir_dtype_size(array->dtype),
               size);
    bool fine = weir_npy_write(out, part);
    weir_array_free(part);
    weir_array_free(array);
    return !fine;
}

static int tie(const char *in, const char *out, size_t index, double was, double is) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL) return 1;
    bool fine = index < array->count && weir_array_get(array, index) == was && fabs(was - is) == 1 &&
                !weir_dtype_is_float(array->dtype);
    if (!fine) fprintf(stderr, "%s: error: element %zu is not the code %g, beside %g\n", in, index, was, is);
    if (fine) weir_array_set(array, index, is);
    fine = fine && weir_npy_write(out, array);
    weir_array_free(array);
    return !fine;
}

/* Writes the result of the array; frees both. */
static int replace(const char *out, weir_array *array, weir_array *result) {
    const bool fine = weir_npy_write(out, result);
    weir_array_free(result);
    weir_array_free(array);
    return !fine;
}

static int affine(const char *in, const char *out, double add, double by) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL) return 1;
    weir_array *result = weir_array_new(WEIR_FLOAT32, &array->shape);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(result, i, (float)(weir_array_get(array, i) + add) * (float)by);
    return replace(out, array, result);
}

static int channels_first(const char *in, const char *out) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL || array->shape.rank != 4) return 1;
    const int64_t *dim = array->shape.dim, channels = dim[3], positions = dim[1] * dim[2];
    const weir_shape shape = weir_shape_of(4, (int64_t[]){dim[0], channels, dim[1], dim[2]});
    weir_array *result = weir_array_new(array->dtype, &shape);
    for (size_t i = 0; i < array->count; i++) {
        const size_t frame = i / (size_t)(channels * positions), at = i % (size_t)(channels * positions);
        const size_t position = at / (size_t)channels, channel = at % (size_t)channels;
        weir_array_set(result, (frame * (size_t)channels + channel) * (size_t)positions + position,
                       weir_array_get(array, i));
    }
    return replace(out, array, result);
}

static int to_csv(const char *in, const char *out) {
    weir_array *array = weir_array_read(in, NULL);
    FILE *file = array == NULL ? NULL : fopen(out, "w");
    if (file == NULL) return 1;
    size_t width = array->count / rows_of(array);
    for (size_t i = 0; i < array->count; i++)
        fprintf(file, "%.9g%c", weir_array_get(array, i), (i + 1) % width == 0 ? '\n' : ',');
    weir_array_free(array);
    return fclose(file) != 0;
}

static int to_npz(const char *in, const char *out, const char *key) {
    weir_array *array = weir_array_read(in, NULL);
    if (array == NULL) return 1;
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, key, array);
    bool fine = weir_npz_write(out, &archive);
    weir_archive_free(&archive);
    return !fine;
}

int main(int argc, char **argv) {
    const char *verb = argc > 3 ? argv[1] : "";
    if (strcmp(verb, "equal") == 0) return compare(argv[2], argv[3], argc > 4 ? atof(argv[4]) : 0, false);
    if (strcmp(verb, "same") == 0) return compare(argv[2], argv[3], 0, true);
    if (strcmp(verb, "elements") == 0) return compare_arrays(argv[2], argv[3], 0, true, true);
    if (strcmp(verb, "csv") == 0) return to_csv(argv[2], argv[3]);
    if (strcmp(verb, "channels_first") == 0) return channels_first(argv[2], argv[3]);
    if (strcmp(verb, "affine") == 0 && argc == 6) return affine(argv[2], argv[3], atof(argv[4]), atof(argv[5]));
    if (strcmp(verb, "tie") == 0 && argc == 7)
        return tie(argv[2], argv[3], strtoull(argv[4], NULL, 10), atof(argv[5]), atof(argv[6]));
    if (argc != 5) return 2;
    if (strcmp(verb, "accuracy") == 0) return accuracy(argv[2], argv[3], argv[4]);
    if (strcmp(verb, "plant") == 0) return plant(argv[2], argv[3], strtoull(argv[4], NULL, 10));
    if (strcmp(verb, "rows") == 0) return cut(argv[2], argv[3], strtoull(argv[4], NULL, 10), false);
    if (strcmp(verb, "columns") == 0) return cut(argv[2], argv[3], strtoull(argv[4], NULL, 10), true);
    if (strcmp(verb, "npz") == 0) return to_npz(argv[2], argv[3], argv[4]);
    return 2;
}
