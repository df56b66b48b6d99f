/* Dense arrays with an element type and a shape, and the files that hold them: .npy, .npz (zlib), .csv and .csv.gz.
 * Element order is row-major; files are little-endian. */
#ifndef WEIR_ARRAY_H
#define WEIR_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/map.h"
#include "support/memory/small_float.h"
#include "support/memory/types.h"

typedef enum weir_dtype {
    WEIR_BOOL,
    WEIR_INT8,
    WEIR_INT16,
    WEIR_INT32,
    WEIR_INT64,
    WEIR_UINT8,
    WEIR_UINT16,
    WEIR_UINT32,
    WEIR_UINT64,
    WEIR_INT4, /* a byte an element, sign-extended */
    WEIR_UINT4,
    WEIR_INT2, /* the same */
    WEIR_UINT2,
    WEIR_FLOAT4E2M1, /* a byte an element; small_float.h */
    WEIR_FLOAT8E4M3FN,
    WEIR_FLOAT8E4M3FNUZ,
    WEIR_FLOAT8E5M2,
    WEIR_FLOAT8E5M2FNUZ,
    WEIR_FLOAT8E8M0,
    WEIR_FLOAT16,  /* storage only: arithmetic converts */
    WEIR_BFLOAT16, /* the same */
    WEIR_FLOAT32,
    WEIR_FLOAT64,
    WEIR_DTYPE_COUNT
} weir_dtype;

enum { WEIR_MAX_RANK = 8 };

typedef struct weir_shape {
    int rank; /* 0: a scalar */
    int64_t dim[WEIR_MAX_RANK];
} weir_shape;

/* Plain data: dtype, shape, `count` elements at `data`. Whoever allocated it frees it: weir_array_new uses the heap
 * (weir_array_free), weir_array_in an arena. */
struct weir_array {
    weir_dtype dtype;
    weir_shape shape;
    size_t count;
    void *data;
    void (*release)(weir_array *array); /* frees the data; NULL: it is heap memory */
};

size_t weir_dtype_size(weir_dtype dtype);                   /* bytes of an element in memory */
int weir_dtype_bits(weir_dtype dtype);                      /* bits of a code or a number: 4 for int4, 8 for bool */
const char *weir_dtype_name(weir_dtype dtype);              /* "int8", "float32", ... */
bool weir_dtype_parse(const char *name, weir_dtype *dtype); /* the same names */
bool weir_dtype_is_float(weir_dtype dtype);
bool weir_dtype_is_small_float(weir_dtype dtype); /* of at most 8 bits: codes of quantizers, no arithmetic */
/* Its format; NULL: it has none, or is one of powers of two. */
const weir_small_float *weir_dtype_small_float(weir_dtype dtype);
bool weir_dtype_is_signed(weir_dtype dtype);
/* The type in files: itself, or the next wider one that NumPy has (int4, uint2, bfloat16, float8e5m2, ...). */
weir_dtype weir_dtype_in_file(weir_dtype dtype);
/* Smallest and largest code of an integer type (uint64 is clipped to INT64_MAX). */
void weir_dtype_limits(weir_dtype dtype, int64_t *low, int64_t *high);

weir_shape weir_shape_of(int rank, const int64_t *dims);
/* Product of the dimensions, or false when one is negative or the product times 8 overflows. */
bool weir_shape_count(const weir_shape *shape, size_t *count);
bool weir_shape_equal(const weir_shape *a, const weir_shape *b);
/* Holds the text of any shape. */
enum { WEIR_SHAPE_TEXT = WEIR_MAX_RANK * 21 + 3 };
/* "[1,64]" into text, truncated to size; returns text. */
char *weir_shape_print(const weir_shape *shape, char *text, size_t size);

/* Zeroed array. The shape must have a valid count. */
weir_array *weir_array_new(weir_dtype dtype, const weir_shape *shape);
weir_array *weir_array_in(weir_arena *arena, weir_dtype dtype, const weir_shape *shape);
weir_array *weir_array_copy(const weir_array *array);
weir_array *weir_array_copy_in(weir_arena *arena, const weir_array *array);
void weir_array_free(weir_array *array);

/* Element access with conversion. Integers from floats truncate toward zero and saturate at the int64 range. */
double weir_array_get(const weir_array *array, size_t index);
int64_t weir_array_get_int(const weir_array *array, size_t index);
/* The same of elements [first, first + count), faster. */
void weir_array_get_ints(const weir_array *array, size_t first, size_t count, int64_t *value);
/* Are all elements, integers, odd? */
bool weir_array_is_odd(const weir_array *array);
void weir_array_set(weir_array *array, size_t index, double value);
void weir_array_set_int(weir_array *array, size_t index, int64_t value);
/* A heap copy with another element type. */
weir_array *weir_array_convert(const weir_array *array, weir_dtype dtype);
bool weir_array_equal(const weir_array *a, const weir_array *b);

/* Strings that arrays of text may have, each of which becomes its position here. */
typedef struct weir_word_list {
    const char *const *word;
    size_t count;
} weir_word_list;
/* Stands for text that is none of the words. */
#define WEIR_NO_WORD INT64_MIN

/* Reading text: which arrays may have it, and what was met that is not a word. */
typedef struct weir_text_reader {
    weir_word_list words;
    bool (*takes)(const char *name); /* may an archive's array of this name have text? */
    size_t unknown;                  /* elements that are none of the words */
    char first[64];                  /* the first of them, cut to this length */
    const weir_array **made;         /* arrays that were text; freed by whoever has the reader */
    size_t made_count;
} weir_text_reader;
/* The position of the first `length` characters among the words, or WEIR_NO_WORD, which is counted. O(words). */
int64_t weir_text_reader_find(weir_text_reader *reader, const char *text, size_t length);

/* An ordered set of named arrays: the content of an .npz file. */
typedef struct weir_archive {
    size_t count;
    size_t capacity;
    char **name;
    weir_array **array;
    weir_map place; /* by name */
} weir_archive;

void weir_archive_init(weir_archive *archive);
/* Takes over the array. */
void weir_archive_add(weir_archive *archive, const char *name, weir_array *array);
weir_array *weir_archive_find(const weir_archive *archive, const char *name); /* NULL when absent */
void weir_archive_free(weir_archive *archive);
/* Hands the array over and leaves NULL in its place; NULL after an error that cites the archive's path. */
weir_array *weir_archive_take(weir_archive *archive, const char *path, const char *key);

/* Read and write. Every reader treats the file as hostile; on failure it reports `file:line: error:` and returns
 * NULL/false. Writers replace the file atomically and are byte-reproducible (fixed time stamps in the zip). */
weir_array *weir_npy_read(const char *path);
bool weir_npy_write(const char *path, const weir_array *array);
bool weir_npz_read(const char *path, weir_archive *archive);
/* The same, but arrays whose elements are not numbers are left out with a warning; those of strings that `text` takes
 * (NULL: none) become int64 positions among its words. */
bool weir_npz_read_numbers(const char *path, weir_text_reader *text, weir_archive *archive);
bool weir_npz_write(const char *path, const weir_archive *archive);
/* Comma, semicolon or blank separated numbers, one row a frame; '#' starts a comment; a first row of names is skipped.
 * Gives float32 [rows, columns]. Reads plain and gzipped text alike. */
weir_array *weir_csv_read(const char *path);
/* By the file's ending: .npy, .npz (key, or the first array when key is NULL; "file.npz:key" names a key), .csv,
 * .csv.gz. */
weir_array *weir_array_read(const char *path, const char *key);
/* The same of a file without key, which may have text where it is an .npy file. */
weir_array *weir_array_read_text(const char *path, weir_text_reader *text);
/* "FILE.npz" and "FILE.npz:KEY" in their parts, both heap memory, *key NULL without one; NULL for another kind of
 * file. */
char *weir_array_split_path(const char *path, char **key);

#endif
