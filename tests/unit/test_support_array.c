/* Arrays: element conversion, shapes, and their files.
 * data/numpy_stored.npz and data/numpy_deflated.npz were written by NumPy 2.4 from the arrays that
 * numpy_files_read_as_numpy_meant lists:
 *   a = {"half": np.array([0.0, -0.0, 1.5, 65504, 6e-8, np.inf, 0.1], np.float16),
 *        "single": np.arange(6, dtype=np.float32).reshape(2, 3) / 4, "double": np.array(np.pi),
 *        "big": np.array([[1, -2], [3, -4]], ">i4"),
 *        "fortran": np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4)),
 *        "bytes": np.array([0, 127, 255], np.uint8), "signed": np.array([-128, 127], np.int8),
 *        "flags": np.array([True, False, True]), "long": np.array([-2**63, 2**63 - 1], np.int64),
 *        "unsigned": np.array([2**64 - 1], np.uint64), "empty": np.zeros((0, 4), np.float32)}
 *   np.savez("numpy_stored.npz", **a); np.savez_compressed("numpy_deflated.npz", **a) */
/* nightly: 1 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/messages.h"
#include "common/text_pair.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/process/process.h"
#include "support/text/diag.h"
#include "support/text/text.h"
#include "test_support_scratch.h"

static void expect(const weir_text *text, const char *expected) {
    if (!text->data || !strstr(text->data, expected)) {
        fail_msg("expected '%s' in '%s'", expected, text->data ? text->data : "");
    }
}

static weir_array *make(weir_dtype dtype, int rank, const int64_t *dims) {
    weir_shape shape = weir_shape_of(rank, dims);
    return weir_array_new(dtype, &shape);
}

static void shapes_are_checked(void **state) {
    (void)state;
    size_t count;
    char text[64];
    weir_shape shape = weir_shape_of(2, (const int64_t[]){1, 64});
    assert_true(weir_shape_count(&shape, &count));
    assert_int_equal(count, 64);
    assert_string_equal(weir_shape_print(&shape, text, sizeof text), "[1,64]");
    assert_string_equal(weir_shape_print(&shape, text, 4), "[1,");
    shape.rank = 0;
    assert_true(weir_shape_count(&shape, &count));
    assert_int_equal(count, 1);
    assert_string_equal(weir_shape_print(&shape, text, sizeof text), "[]");
    static const int64_t bad[][3] = {{-1, 1, 1},
                                     {INT64_MAX, 1, 1},
                                     {INT64_C(1) << 31, INT64_C(1) << 30, 1},
                                     {0, INT64_MAX, INT64_MAX},
                                     {INT64_MAX, INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shape = weir_shape_of(3, bad[i]);
        assert_false(weir_shape_count(&shape, &count));
    }
    shape = weir_shape_of(3, (const int64_t[]){5, 0, 7});
    assert_true(weir_shape_count(&shape, &count));
    assert_int_equal(count, 0);
}

static void dtypes_have_names_and_limits(void **state) {
    (void)state;
    weir_dtype parsed;
    for (int i = 0; i < WEIR_DTYPE_COUNT; i++) {
        assert_true(weir_dtype_parse(weir_dtype_name((weir_dtype)i), &parsed));
        assert_int_equal(parsed, i);
    }
    assert_false(weir_dtype_parse("int7", &parsed));
    int64_t low, high;
    weir_dtype_limits(WEIR_INT8, &low, &high);
    assert_true(low == -128 && high == 127);
    weir_dtype_limits(WEIR_UINT16, &low, &high);
    assert_true(low == 0 && high == 65535);
    weir_dtype_limits(WEIR_INT64, &low, &high);
    assert_true(low == INT64_MIN && high == INT64_MAX);
    weir_dtype_limits(WEIR_UINT64, &low, &high);
    assert_true(low == 0 && high == INT64_MAX);
    weir_dtype_limits(WEIR_BOOL, &low, &high);
    assert_true(low == 0 && high == 1);
}

static uint16_t half_of(double value) {
    weir_array *array = make(WEIR_FLOAT16, 0, NULL);
    weir_array_set(array, 0, value);
    uint16_t half = *(const uint16_t *)array->data;
    weir_array_free(array);
    return half;
}

typedef struct coded {
    double value;
    uint16_t code;
} coded;

static void halves_round_once_to_even(void **state) {
    (void)state;
    static const coded cases[] = {
        {0, 0},
        {-0.0, 0x8000},
        {1, 0x3c00},
        {-2, 0xc000},
        {65504, 0x7bff},
        {65519.99, 0x7bff},
        {65520, 0x7c00},
        {1e300, 0x7c00},
        {-1e300, 0xfc00},
        {0x1p-24, 1},
        {0x1p-25, 0},
        {0x1.8p-25, 1},
        {0x1.8p-24, 2},
        {0x1p-26, 0},
        {0x1p-14, 0x400},
        {0x1.ff8p-15, 0x3ff},
        {0x1.ffcp-15, 0x400},
        {2049, 0x6800},
        {2051, 0x6802},
        {5e-324, 0},
        {1 + 0x1p-11, 0x3c00},
        {1 + 0x1p-11 + 0x1p-40, 0x3c01},
        {1 + 3 * 0x1p-11, 0x3c02},
        {0.1, 0x2e66},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(half_of(cases[i].value), cases[i].code);
    }
    weir_array *array = make(WEIR_FLOAT16, 1, (const int64_t[]){65536});
    for (size_t i = 0; i < array->count; i++) {
        ((uint16_t *)array->data)[i] = (uint16_t)i;
        double value = weir_array_get(array, i);
        bool is_nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff) != 0;
        assert_true(is_nan ? isnan(value) : half_of(value) == i);
    }
    weir_array_free(array);
}

/* bfloat16 is the upper half of float32: its codes are written down from there, ties go to even. */
static void bfloats_round_once_to_even(void **state) {
    (void)state;
    static const coded cases[] = {
        {0, 0},
        {-0.0, 0x8000},
        {1, 0x3f80},
        {-2, 0xc000},
        {0.1, 0x3dcd},
        {1 + 0x1p-8, 0x3f80},
        {1 + 0x1p-8 + 0x1p-40, 0x3f81},
        {1 + 3 * 0x1p-8, 0x3f82},
        {0x1.fep127, 0x7f7f},
        {0x1.fefp127, 0x7f7f},
        {0x1.ffp127, 0x7f80},
        {-1e300, 0xff80},
        {0x1p-126, 0x80},
        {0x1p-133, 1},
        {0x1p-134, 0},
        {0x1.8p-134, 1},
        {5e-324, 0},
        {(double)INFINITY, 0x7f80},
    };
    weir_array *array = make(WEIR_BFLOAT16, 1, (const int64_t[]){65536});
    uint16_t *data = array->data;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_array_set(array, 0, cases[i].value);
        assert_int_equal(data[0], cases[i].code);
    }
    for (size_t i = 0; i < array->count; i++) {
        data[i] = (uint16_t)i;
        double value = weir_array_get(array, i);
        bool is_nan = (i & 0x7f80) == 0x7f80 && (i & 0x7f) != 0;
        weir_array_set(array, i, value);
        assert_true(is_nan ? isnan(value) : data[i] == i);
    }
    weir_array_free(array);
}

/* A byte an element, of which the low four bits count. */
static void four_bits_wrap(void **state) {
    (void)state;
    weir_array *array = make(WEIR_INT4, 1, (const int64_t[]){1}), *plain = make(WEIR_UINT4, 1, (const int64_t[]){1});
    static const int64_t cases[][3] = {{7, 7, 7},    {8, -8, 8},  {15, -1, 15}, {16, 0, 0},
                                       {-1, -1, 15}, {-8, -8, 8}, {-9, 7, 7},   {100, 4, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_array_set_int(array, 0, cases[i][0]);
        weir_array_set_int(plain, 0, cases[i][0]);
        assert_int_equal(weir_array_get_int(array, 0), cases[i][1]);
        assert_int_equal(weir_array_get_int(plain, 0), cases[i][2]);
    }
    int64_t low, high;
    weir_dtype_limits(WEIR_INT4, &low, &high);
    assert_true(low == -8 && high == 7 && weir_dtype_bits(WEIR_INT4) == 4 && weir_dtype_size(WEIR_INT4) == 1);
    weir_dtype_limits(WEIR_UINT4, &low, &high);
    assert_true(low == 0 && high == 15);
    weir_array_free(array);
    weir_array_free(plain);
}

static void elements_convert(void **state) {
    (void)state;
    weir_array *real = make(WEIR_FLOAT32, 1, (const int64_t[]){6});
    static const double values[] = {1.9, -1.9, (double)NAN, 1e30, -1e30, 300};
    for (size_t i = 0; i < 6; i++) {
        weir_array_set(real, i, values[i]);
    }
    static const int64_t expected[] = {1, -1, 0, INT64_MAX, INT64_MIN, 300};
    for (size_t i = 0; i < 6; i++) {
        assert_true(weir_array_get_int(real, i) == expected[i]);
    }
    weir_array *byte = weir_array_convert(real, WEIR_UINT8);
    assert_int_equal(weir_array_get_int(byte, 5), 44);
    assert_int_equal(weir_array_get_int(byte, 1), 255);
    weir_array *flag = weir_array_convert(real, WEIR_BOOL);
    assert_int_equal(weir_array_get_int(flag, 2), 1);
    weir_array *large = make(WEIR_UINT64, 1, (const int64_t[]){2});
    weir_array_set(large, 0, 1e19);
    weir_array_set_int(large, 1, -1);
    assert_true(((const uint64_t *)large->data)[0] == UINT64_C(10000000000000000000));
    assert_true(weir_array_get_int(large, 1) == INT64_MAX);
    weir_array *narrow = weir_array_convert(large, WEIR_INT8);
    assert_int_equal(weir_array_get_int(narrow, 1), -1);
    weir_array *copy = weir_array_copy(real);
    assert_true(weir_array_equal(real, copy));
    weir_array_set(copy, 0, 2);
    assert_false(weir_array_equal(real, copy));
    weir_arena *arena = weir_arena_new();
    assert_true(weir_array_equal(weir_array_copy_in(arena, real), real));
    weir_arena_free(arena);
    weir_array *all[] = {real, byte, flag, large, narrow, copy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_array_free(all[i]);
    }
}

/* One array of every type, with values that use its range, in several ranks. */
static void make_archive(weir_archive *archive) {
    static const int64_t dims[] = {2, 3, 1};
    weir_archive_init(archive);
    for (int i = 0; i < WEIR_DTYPE_COUNT; i++) {
        weir_dtype dtype = (weir_dtype)i;
        weir_array *array = make(dtype, i % 4, dims);
        int64_t low = -1000, high = 1000;
        if (!weir_dtype_is_float(dtype)) {
            weir_dtype_limits(dtype, &low, &high);
        }
        for (size_t k = 0; k < array->count; k++) {
            weir_array_set_int(array, k, k % 2 ? low + (int64_t)k / 2 : high - (int64_t)k / 2);
        }
        weir_archive_add(archive, weir_dtype_name(dtype), array);
    }
    weir_archive_add(archive, "empty", make(WEIR_INT8, 2, (const int64_t[]){0, 4}));
    weir_archive_add(archive,
                     "gr\xc3\xb6\xc3\x9f"
                     "e/x",
                     make(WEIR_INT8, 1, (const int64_t[]){300}));
}

/* NumPy has no type of 4 bits and no bfloat16: their elements come back wider. */
static void check_in_file(const weir_array *written, const weir_array *read) {
    weir_array *wider = weir_array_convert(written, weir_dtype_in_file(written->dtype));
    assert_true(weir_array_equal(wider, read));
    weir_array_free(wider);
}

static void check_same(const weir_archive *a, const weir_archive *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->name[i], b->name[i]);
        check_in_file(a->array[i], b->array[i]);
    }
}

static void written_files_read_back(void **state) {
    (void)state;
    weir_archive archive, back;
    make_archive(&archive);
    char *path = weir_path_join(folder, "a.npz"), *again = weir_path_join(folder, "b.npz");
    char *single = weir_path_join(folder, "a.npy");
    assert_true(weir_npz_write(path, &archive));
    assert_true(weir_npz_read(path, &back));
    check_same(&archive, &back);
    assert_true(weir_npz_write(again, &back));
    size_t size, other;
    char *first = weir_file_read(path, &size), *second = weir_file_read(again, &other);
    assert_int_equal(size, other);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    for (size_t i = 0; i < archive.count; i++) {
        assert_true(weir_npy_write(single, archive.array[i]));
        weir_array *array = weir_array_read(single, NULL);
        check_in_file(archive.array[i], array);
        weir_array_free(array);
    }
    weir_archive_free(&back);
    weir_archive_free(&archive);
    assert_true(weir_npz_write(path, &archive));
    assert_true(weir_npz_read(path, &back));
    assert_int_equal(back.count, 0);
    free(path);
    free(again);
    free(single);
}

/* The first entry's content as it is in the file. */
static const char *first_entry(const char *file, size_t name, size_t *size) {
    const unsigned char *at =
        (const unsigned char *)file + 18; /* its size, in the header of 30 bytes before the name */
    *size = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16;
    return file + 30 + name;
}

/* An array is compressed as it would be alone, whatever comes before it in the archive. */
static void arrays_are_compressed_alone(void **state) {
    (void)state;
    enum { COUNT = 30000 };
    weir_array *array[3];
    const char *name[3] = {"a", "b", "c"};
    char *path = weir_path_join(folder, "many.npz"), *alone[3], *all;
    size_t size[3], whole;
    for (size_t i = 0; i < 3; i++) {
        array[i] = weir_array_new(WEIR_INT16, &(weir_shape){1, {COUNT}});
        for (uint32_t k = 0, x = 1; k < COUNT; k++, x = x * 1103515245 + 12345)
            weir_array_set_int(array[i], k, (int64_t)((x >> 16) % (20 + 10 * i)));
        char *one_name[1] = {(char *)(uintptr_t)name[i]};
        assert_true(weir_npz_write(path, &(weir_archive){.name = one_name, .array = &array[i], .count = 1}));
        alone[i] = weir_file_read(path, &size[i]);
    }
    char *names[3] = {(char *)(uintptr_t) "a", (char *)(uintptr_t) "b", (char *)(uintptr_t) "c"};
    assert_true(weir_npz_write(path, &(weir_archive){.name = names, .array = array, .count = 3}));
    all = weir_file_read(path, &whole);
    const char *at = all;
    for (size_t i = 0; i < 3; i++) {
        size_t expected, found;
        const char *one = first_entry(alone[i], 5, &expected), *content = first_entry(at, 5, &found);
        assert_true(expected > 1000 && expected < 2 * COUNT);
        assert_int_equal(found, expected);
        assert_memory_equal(content, one, expected);
        at = content + found;
        free(alone[i]);
        weir_array_free(array[i]);
    }
    free(all);
    free(path);
}

static void check_array(const weir_array *array, weir_dtype dtype, const char *shape, const double *values) {
    assert_non_null(array);
    assert_int_equal(array->dtype, dtype);
    char text[64];
    assert_string_equal(weir_shape_print(&array->shape, text, sizeof text), shape);
    for (size_t i = 0; i < array->count; i++) {
        double value = weir_array_get(array, i);
        assert_memory_equal(&value, &values[i], sizeof value);
    }
}

static void check_numpy_file(const char *path) {
    weir_archive archive;
    double counting[24];
    for (int i = 0; i < 24; i++) {
        counting[i] = i;
    }
    assert_true(weir_npz_read(path, &archive));
    assert_int_equal(archive.count, 11);
    assert_string_equal(archive.name[0], "half");
    const double half[] = {0, -0.0, 1.5, 65504, 0x1p-24, (double)INFINITY, 0.0999755859375};
    check_array(weir_archive_find(&archive, "half"), WEIR_FLOAT16, "[7]", half);
    check_array(weir_archive_find(&archive, "single"), WEIR_FLOAT32, "[2,3]",
                (const double[]){0, 0.25, 0.5, 0.75, 1, 1.25});
    check_array(weir_archive_find(&archive, "double"), WEIR_FLOAT64, "[]", (const double[]){3.141592653589793});
    check_array(weir_archive_find(&archive, "big"), WEIR_INT32, "[2,2]", (const double[]){1, -2, 3, -4});
    check_array(weir_archive_find(&archive, "fortran"), WEIR_INT16, "[2,3,4]", counting);
    check_array(weir_archive_find(&archive, "bytes"), WEIR_UINT8, "[3]", (const double[]){0, 127, 255});
    check_array(weir_archive_find(&archive, "signed"), WEIR_INT8, "[2]", (const double[]){-128, 127});
    check_array(weir_archive_find(&archive, "flags"), WEIR_BOOL, "[3]", (const double[]){1, 0, 1});
    check_array(weir_archive_find(&archive, "empty"), WEIR_FLOAT32, "[0,4]", NULL);
    const weir_array *wide = weir_archive_find(&archive, "long"), *top = weir_archive_find(&archive, "unsigned");
    assert_true(weir_array_get_int(wide, 0) == INT64_MIN && weir_array_get_int(wide, 1) == INT64_MAX);
    assert_true(((const uint64_t *)top->data)[0] == UINT64_MAX);
    weir_archive_free(&archive);
}

static void numpy_files_read_as_numpy_meant(void **state) {
    (void)state;
    const char *source = getenv("WEIR_SOURCE");
    if (!source) {
        print_message("WEIR_SOURCE is not set: no NumPy files to read\n");
        skip();
    }
    char *stored = weir_path_join(source, "tests/unit/data/numpy_stored.npz");
    char *deflated = weir_path_join(source, "tests/unit/data/numpy_deflated.npz");
    check_numpy_file(stored);
    check_numpy_file(deflated);
    char *keyed = weir_format("%s:big", deflated);
    weir_array *array = weir_array_read(keyed, NULL), *same = weir_array_read(stored, "big");
    assert_true(weir_array_equal(array, same));
    weir_array_free(array);
    weir_array_free(same);
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    assert_null(weir_array_read(stored, "bigg"));
    assert_null(weir_array_read("x.txt", NULL));
    weir_diag_set_handler(NULL, NULL);
    expect(&text, "no array 'bigg'");
    expect(&text, "did you mean 'big'?");
    expect(&text, "unknown kind of data file");
    weir_text_free(&text);
    free(keyed);
    free(stored);
    free(deflated);
}

/* NumPy itself is the judge of what the writer wrote; $WEIR_PYTHON names an interpreter that has it. */
static void numpy_reads_what_is_written(void **state) {
    (void)state;
    static const char script[] =
        "import sys\n"
        "try:\n    import numpy as np\nexcept ImportError:\n    sys.exit(77)\n"
        "a = np.load('n.npz')\n"
        "for i, n in enumerate(a.files):\n"
        "    if n in ('empty', 'gr\\u00f6\\u00dfe/x'):\n        assert a[n].size in (0, 300), n\n        continue\n"
        "    small = n.startswith(('float8', 'float4'))\n"
        "    wider = {'int4': 'int8', 'uint4': 'uint8', 'int2': 'int8', 'uint2': 'uint8', 'bfloat16': 'float32'}.get(n, n)\n"
        "    wider = 'float32' if small else wider\n"
        "    assert a[n].dtype == np.dtype(wider) and a[n].shape == (2, 3, 1)[:i % 4], n\n"
        "    if small: continue\n" /* their values: tests/op/QuantizeLinear */
        "    f = np.issubdtype(a[n].dtype, np.floating)\n"
        "    low, high = (-1000, 1000) if f else (0, 1) if n == 'bool' else (-8, 7) if n == 'int4' else \\\n"
        "        (0, 15) if n == 'uint4' else (-2, 1) if n == 'int2' else (0, 3) if n == 'uint2' else (np.iinfo(n).min, np.iinfo(n).max)\n"
        "    high = min(high, 2**63 - 1)\n"
        "    for k, v in enumerate(a[n].ravel().tolist()):\n"
        "        w = low + k // 2 if k % 2 else high - k // 2\n"
        /* 8 bits, half to even */
        "        w = bool(w) if n == 'bool' else round(w / 4) * 4 if n == 'bfloat16' else w\n"
        "        assert v == w, (n, k, v, w)\n"
        "assert len(a.files) >= 17\n"
        "assert __import__('zipfile').ZipFile('n.npz').testzip() is None\n";
    weir_archive archive;
    make_archive(&archive);
    char *path = weir_path_join(folder, "n.npz");
    assert_true(weir_npz_write(path, &archive));
    weir_archive_free(&archive);
    free(path);
    const char *given = getenv("WEIR_PYTHON");
    const char *const arguments[] = {given ? given : "python3", "-c", script, NULL};
    weir_process process = {.arguments = arguments, .folder = folder, .seconds = 60};
    weir_text output = {0};
    int status;
    weir_process_end end = weir_process_run(&process, &output, &status);
    if (end == WEIR_PROCESS_MISSING || status == 77 || status == 127) {
        weir_text_free(&output);
        print_message("no Python with NumPy: its reading of the written file is not checked\n");
        skip();
    }
    if (end != WEIR_PROCESS_EXITED || status != 0) {
        fail_msg("NumPy disagrees: %s", output.data ? output.data : "");
    }
    weir_text_free(&output);
}

static bool read_bytes(const char *name, const void *data, size_t size) {
    char *path = weir_path_join(folder, name);
    assert_true(weir_file_write(path, data, size));
    weir_array *array = weir_array_read(path, NULL);
    weir_array_free(array);
    free(path);
    return array != NULL;
}

/* Every truncation is an error; every changed byte is an error or an array, never a crash. */
static void abuse(const char *name, const unsigned char *data, size_t size) {
    weir_text text = {0};
    unsigned char *changed = malloc(size + 1);
    memcpy(changed, data, size);
    weir_diag_set_handler(keep_line, &text);
    assert_true(read_bytes(name, data, size));
    for (size_t i = 0; i < size; i++) {
        size_t before = weir_diag_errors();
        assert_false(read_bytes(name, data, i));
        assert_true(weir_diag_errors() > before);
        static const unsigned char flips[] = {0x01, 0x10, 0x80, 0xff};
        for (size_t k = 0; k < sizeof flips; k++) {
            changed[i] = data[i] ^ flips[k];
            read_bytes(name, changed, size);
        }
        changed[i] = data[i];
    }
    changed[size] = 'x';
    assert_false(read_bytes(name, changed, size + 1));
    weir_diag_set_handler(NULL, NULL);
    weir_text_free(&text);
    free(changed);
}

static void damaged_files_are_errors(void **state) {
    (void)state;
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, "a", make(WEIR_INT16, 2, (const int64_t[]){2, 3}));
    weir_archive_add(&archive, "b", make(WEIR_FLOAT32, 0, NULL));
    char *npz = weir_path_join(folder, "d.npz"), *npy = weir_path_join(folder, "d.npy");
    assert_true(weir_npz_write(npz, &archive));
    assert_true(weir_npy_write(npy, archive.array[0]));
    size_t size;
    char *data = weir_file_read(npz, &size);
    abuse("x.npz", (const unsigned char *)data, size);
    free(data);
    data = weir_file_read(npy, &size);
    abuse("x.npy", (const unsigned char *)data, size);
    free(data);
    const char *source = getenv("WEIR_SOURCE");
    if (source && getenv("WEIR_RANDOM")) { /* thousands of files: at night */
        char *stored = weir_path_join(source, "tests/unit/data/numpy_stored.npz");
        data = weir_file_read(stored, &size);
        abuse("x.npz", (const unsigned char *)data, size);
        free(data);
        free(stored);
    }
    weir_archive_free(&archive);
    free(npz);
    free(npy);
}

static void check_header(const char *dictionary, size_t bytes, const char *expected) {
    weir_text file = {0}, text = {0};
    size_t length = strlen(dictionary);
    weir_text_add_n(&file, "\x93NUMPY\x01\x00", 8);
    weir_text_char(&file, (char)(length & 255));
    weir_text_char(&file, (char)(length >> 8));
    weir_text_add(&file, dictionary);
    for (size_t i = 0; i < bytes; i++) {
        weir_text_char(&file, 0);
    }
    weir_diag_set_handler(keep_line, &text);
    bool fine = read_bytes("h.npy", file.data, file.size);
    weir_diag_set_handler(NULL, NULL);
    if (expected) {
        assert_false(fine);
        expect(&text, expected);
    } else {
        assert_true(fine);
    }
    weir_text_free(&file);
    weir_text_free(&text);
}

static void headers_are_read_strictly(void **state) {
    (void)state;
    check_header("{\"shape\":(3,),'fortran_order':False,'descr':'<f2'}", 6, NULL);
    check_header("{'descr': '|u1', 'fortran_order': True, 'shape': (), }  \n", 1, NULL);
    check_header("{'descr': '=i8', 'fortran_order': True, 'shape': (2L, 1L), }", 16, NULL);
    check_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8, "holds Python objects");
    check_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, "records are not supported");
    check_header("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, "element type '<c8'");
    check_header("{'descr': '|i4', 'fortran_order': False, 'shape': (1,), }", 4, "element type '|i4'");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", 12, "',' between dimensions");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }", 8, "',' between dimensions");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4, "expected a dimension");
    check_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", 4, "True or False");
    check_header("{'descr': '<f4', 'shape': (1,), }", 4, "the keys");
    check_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "each once");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4, "each once");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, "nothing after");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4,
                 "expected 8 bytes of data for float32[2]");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 0, "out of range");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 0, "fits 64 bits");
    check_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4, "at most 8 dimensions");
    check_header("{'descr': '<f4", 0, "an element type");
    check_header("", 0, "expected '{'");
}

/* A valid archive with a 16 KiB array of zeros, deflated, of which a field is then changed. */
static void check_patched(size_t from_end, uint32_t value, int bytes, const char *expected) {
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, "zeros", make(WEIR_INT8, 1, (const int64_t[]){16384}));
    char *path = weir_path_join(folder, "p.npz");
    assert_true(weir_npz_write(path, &archive));
    size_t size;
    char *data = weir_file_read(path, &size);
    for (int i = 0; i < bytes; i++) {
        data[size - from_end + (size_t)i] = (char)(value >> 8 * i & 255);
    }
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    assert_false(read_bytes("p.npz", data, size));
    weir_diag_set_handler(NULL, NULL);
    expect(&text, expected);
    weir_text_free(&text);
    free(data);
    free(path);
    weir_archive_free(&archive);
}

static void lying_archives_are_errors(void **state) {
    (void)state;
    enum { END = 22, ENTRY = END + 46 + 9 }; /* the entry's name is zeros.npy */
    check_patched(ENTRY - 24, 0x3fffffff, 4, "cannot have 1073741823 bytes");
    check_patched(ENTRY - 24, 0xffffffff, 4, "zip64");
    check_patched(ENTRY - 24, 16511, 4, "does not decompress to its 16511 bytes");
    check_patched(ENTRY - 24, 16513, 4, "does not decompress to its 16513 bytes");
    check_patched(ENTRY - 20, 0x3fffffff, 4, "extends past its end");
    check_patched(ENTRY - 16, 0, 4, "wrong checksum");
    check_patched(ENTRY - 8, 1, 2, "is encrypted");
    check_patched(ENTRY - 10, 12, 2, "compression method 12");
    check_patched(ENTRY - 42, 0x7fffffff, 4, "has no header");
    check_patched(ENTRY - 28, 8, 2, "is not an array");
    check_patched(ENTRY - 46, 'Z', 1, "disagree");
    check_patched(ENTRY - 46 - 8, 'x', 1, "is not an array");
    check_patched(END - 10, 2, 2, "one part of a split archive");
    check_patched(END - 8, 0x00020002, 4, "shorter than announced");
    check_patched(END - 8, 0, 4, "other entries than announced");
    check_patched(END - 10, 0xffff, 2, "zip64 archives");
    check_patched(END - 16, 0x7fffffff, 4, "does not end where");
}

static void repeated_entries_are_errors(void **state) {
    (void)state;
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, "a", make(WEIR_INT8, 0, NULL));
    weir_archive_add(&archive, "b", make(WEIR_INT8, 0, NULL));
    char *path = weir_path_join(folder, "r.npz");
    assert_true(weir_npz_write(path, &archive));
    size_t size;
    char *data = weir_file_read(path, &size);
    for (size_t i = 0; i + 5 <= size; i++) {
        if (memcmp(data + i, "b.npy", 5) == 0) {
            data[i] = 'a';
        }
    }
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    assert_false(read_bytes("r.npz", data, size));
    weir_diag_set_handler(NULL, NULL);
    expect(&text, "two entries 'a.npy'");
    weir_text_free(&text);
    weir_archive_free(&archive);
    free(data);
    free(path);
}

static void check_table(const char *content, size_t size, const char *shape, const double *values) {
    char *path = weir_path_join(folder, "t.csv");
    assert_true(weir_file_write(path, content, size));
    weir_array *array = weir_array_read(path, NULL);
    check_array(array, WEIR_FLOAT32, shape, values);
    weir_array_free(array);
    free(path);
}

static void tables_are_read(void **state) {
    (void)state;
    static const double values[] = {1, 2.5, -3, 4, 0.5, 6};
    static const char *const contents[] = {
        "1,2.5,-3\n4,.5,6\n",
        "a,b,c\n1,2.5,-3\n4,0.5,6",
        "# comment\n\"x y\";b;c\r\n1;2.5;-3\r\n\r\n4;0.5;6 # end\r\n",
        "  1 2.5\t-3\n4   5e-1 , 6\n\n",
        "\357\273\2771, 2.5 ,-3\n  # nothing\n4,0.5,6\n",
    };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        check_table(contents[i], strlen(contents[i]), "[2,3]", values);
    }
    char *path = weir_path_join(folder, "t.csv.gz");
    gzFile packed = gzopen(path, "wb");
    assert_true(gzputs(packed, contents[0]) > 0);
    assert_int_equal(gzclose(packed), Z_OK);
    size_t size;
    char *data = weir_file_read(path, &size);
    check_table(data, size, "[2,3]", values);
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    for (size_t i = 0; i < size; i++) {
        assert_false(read_bytes("u.csv.gz", data, i));
    }
    weir_diag_set_handler(NULL, NULL);
    expect(&text, "damaged gzip file");
    weir_text_free(&text);
    free(data);
    free(path);
}

static void bad_tables_name_the_line(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"1,2\n3\n", "2: expected 2 numbers as in the rows before, found 1"},
        {"1,2\n3,x\n", "2: expected a number, found 'x'"},
        {"1,2y\n", "1: expected a number, found '2y'"},
        {"a,b\nc,d\n", "2: expected a number, found 'c'"},
        {"1,,2\n", "1: expected a number, found ''"},
        {"1,2,\n", "1: expected a number, found ''"},
        {"1e39\n", "1: the number '1e39' is out of range"},
        {"1,2\r3,4\r", "1: expected a number, found '2\r3'"},
        {"a,b\n", "0: expected rows of numbers, found none"},
        {"", "0: expected rows of numbers, found none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_text text = {0};
        weir_diag_set_handler(keep_line, &text);
        assert_false(read_bytes("bad.csv", cases[i].text, strlen(cases[i].text)));
        weir_diag_set_handler(NULL, NULL);
        expect(&text, cases[i].expected);
        weir_text_free(&text);
    }
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    assert_false(read_bytes("bad.csv", "1\0002", 3));
    weir_diag_set_handler(NULL, NULL);
    expect(&text, "found a zero byte");
    weir_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(dtypes_have_names_and_limits),
        cmocka_unit_test(halves_round_once_to_even),
        cmocka_unit_test(bfloats_round_once_to_even),
        cmocka_unit_test(four_bits_wrap),
        cmocka_unit_test(elements_convert),
        cmocka_unit_test(written_files_read_back),
        cmocka_unit_test(numpy_files_read_as_numpy_meant),
        cmocka_unit_test(numpy_reads_what_is_written),
        cmocka_unit_test(damaged_files_are_errors),
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(lying_archives_are_errors),
        cmocka_unit_test(arrays_are_compressed_alone),
        cmocka_unit_test(repeated_entries_are_errors),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(bad_tables_name_the_line),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
