/* What files look like by content: the magic numbers and first words that the formats' own documents give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "support/memory/kind.h"

#define CASE(bytes, what)                                                                                              \
    { bytes, sizeof bytes - 1, what }
#define ZIP "PK\x03\x04\x14\0\0\0\x08\0"

static const struct {
    const char *bytes;
    size_t size;
    const char *what; /* NULL: nothing known */
} cases[] = {
    CASE("", "an empty file"),
    CASE(ZIP "archive/data.pkl", "a PyTorch file (.pt, .pth)"),
    CASE(ZIP "net/data.pkl net/constants.pkl", "a TorchScript or PyTorch model (.pt)"),
    CASE(ZIP "metadata.json model.weights.h5", "a Keras model (.keras)"),
    CASE(ZIP "x.npy\x93NUMPY", "a NumPy archive (.npz)"),
    CASE(ZIP "readme.txt", "a zip archive"),
    CASE("\x93NUMPY\x01\0v\0{'descr': '<f4'", "a NumPy array (.npy)"),
    CASE("\x89HDF\r\n\x1a\n....keras_version", "a Keras model (.h5)"),
    CASE("\x89HDF\r\n\x1a\n....", "an HDF5 file (.h5)"),
    CASE("\x1c\0\0\0TFL3\x14\0", "a TensorFlow Lite model (.tflite)"),
    CASE("\x18\0\0\0ORTM", "an ONNX Runtime model (.ort)"),
    CASE("\x08\x01\x12\xa0\x04\n\x05serve", "a TensorFlow SavedModel (saved_model.pb)"),
    CASE("\n\x1c\n\x01x\x12\x0bPlaceholder", "a TensorFlow graph (.pb)"),
    CASE("\x80\x02\x8a\nl\xfc\x9c torch", "a PyTorch file (.pt, .pth)"),
    CASE("\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x1bsklearn.neural", "a pickled scikit-learn model"),
    CASE("\x80\x04\x95\x10\0\0\0\0\0\0\0}", "a Python pickle"),
    CASE("\x80\x02}q\0", "a Python pickle"),
    CASE("\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "a safetensors file"),
    CASE("GGUF\x03\0\0\0", "a GGUF file"),
    CASE("\x1f\x8b\x08\0", "gzip-compressed data"),
    CASE("version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer, not the file itself"),
    CASE("weir 1\ngraph \"g\" from \"g.onnx\"\n", "text IR"),
    CASE("wrtl 1\nmodule m {\n", "a hardware design as text"),
    CASE("<!DOCTYPE html><html>", "a web page"),
    CASE("ir_version: 8\ngraph {\n}", "ONNX as protobuf text"),
    CASE("{\"irVersion\": \"8\"}", "ONNX as JSON"),
    CASE("{\"class_name\": \"Sequential\"}", "a Keras model as JSON"),
    CASE("  {\"a\": 1}", "JSON"),
    CASE("---\na: 1\n", "YAML"),
    CASE("module top(input clk);\nendmodule\n", "Verilog"),
    CASE("1,2,3\n4,5,6\n", "text"),
    CASE("\x08\x08\x12\x07pytorch:\x01", NULL),
    CASE("\0\0\0\0", NULL),
    CASE("P", "text"),
};

static void files_are_recognized(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weir_file_kind *kind = weir_file_kind_of(cases[i].bytes, cases[i].size);
        const char *what = kind == NULL ? NULL : kind->what;
        const int same =
            what == NULL || cases[i].what == NULL ? what == cases[i].what : strcmp(what, cases[i].what) == 0;
        if (!same) fail_msg("case %zu: found %s, expected %s", i, what, cases[i].what);
    }
}

/* No byte behind the size is read: each prefix of each case, without a zero byte behind it. */
static void prefixes_are_harmless(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t size = 0; size <= cases[i].size; size++) {
            char *copy = test_malloc(size + 1);
            memcpy(copy, cases[i].bytes, size);
            copy[size] = 'x'; /* no zero byte ends the data */
            weir_file_kind_of(copy, size);
            test_free(copy);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_recognized),
        cmocka_unit_test(prefixes_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
