/* The first row that fits says what the file is, so more special rows come first. */
#include "support/memory/kind.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct row {
    size_t at;         /* of the magic */
    const char *magic; /* NULL: none */
    size_t length;     /* of the magic, which may hold zero bytes */
    const char *holds; /* text somewhere in the file; NULL: none */
    weir_file_kind kind;
} row;

#define AT(at, magic, holds, what, hint)                                                                               \
    {                                                                                                                  \
        at, magic, sizeof magic - 1, holds, { what, hint }                                                             \
    }
#define MAGIC(magic, holds, what, hint) AT(0, magic, holds, what, hint)

#define TORCH_HINT "export the model with torch.onnx.export, in eval mode"
#define KERAS_HINT "convert the model with tf2onnx (python3 -m tf2onnx.convert)"
#define ZIP "PK\x03\x04"

static const row rows[] = {
    MAGIC(ZIP, "constants.pkl", "a TorchScript or PyTorch model (.pt)", TORCH_HINT),
    MAGIC(ZIP, "data.pkl", "a PyTorch file (.pt, .pth)", TORCH_HINT),
    MAGIC(ZIP, "model.weights.h5", "a Keras model (.keras)", KERAS_HINT),
    MAGIC(ZIP, ".npy", "a NumPy archive (.npz)",
          "data goes to --data and --calibration; a model is an .onnx or .weir file"),
    MAGIC(ZIP, "", "a zip archive", "unpack it and pass the .onnx file in it"),
    MAGIC("PK\x05\x06", "", "an empty zip archive", NULL),
    MAGIC("\x93NUMPY", "", "a NumPy array (.npy)",
          "data goes to --data and --calibration; a model is an .onnx or .weir file"),
    MAGIC("\x89HDF\r\n\x1a\n", "keras", "a Keras model (.h5)", KERAS_HINT),
    MAGIC("\x89HDF\r\n\x1a\n", "", "an HDF5 file (.h5)", KERAS_HINT),
    AT(4, "TFL3", "", "a TensorFlow Lite model (.tflite)", "convert it with tf2onnx (--tflite FILE)"),
    AT(4, "ORTM", "", "an ONNX Runtime model (.ort)", "pass the .onnx file that it was made from"),
    MAGIC("\x08\x01\x12", "", "a TensorFlow SavedModel (saved_model.pb)",
          "convert its folder with tf2onnx (--saved-model FOLDER)"),
    MAGIC("\n", "Placeholder", "a TensorFlow graph (.pb)", "convert it with tf2onnx (--graphdef FILE)"),
    MAGIC("\x80", "torch", "a PyTorch file (.pt, .pth)", TORCH_HINT),
    MAGIC("\x80", "sklearn", "a pickled scikit-learn model", "convert the model with skl2onnx"),
    AT(1, "\x02}", "", "a Python pickle", "export the model that it holds as ONNX"),
    AT(1, "\x04\x95", "", "a Python pickle", "export the model that it holds as ONNX"),
    AT(1, "\x05\x95", "", "a Python pickle", "export the model that it holds as ONNX"),
    AT(8, "{\"", "data_offsets", "a safetensors file",
       "it holds weights alone; export the model with its graph as ONNX"),
    MAGIC("GGUF", "", "a GGUF file", "it holds a language model's weights; export the model as ONNX"),
    MAGIC("\x1f\x8b", "", "gzip-compressed data", "unpack it first"),
    MAGIC("BZh", "", "bzip2-compressed data", "unpack it first"),
    MAGIC("\xfd"
          "7zXZ",
          "", "xz-compressed data", "unpack it first"),
    MAGIC("\x28\xb5\x2f\xfd", "", "zstd-compressed data", "unpack it first"),
    MAGIC("7z\xbc\xaf", "", "a 7z archive", "unpack it first"),
    MAGIC("\x7f"
          "ELF",
          "", "a program or library", NULL),
    MAGIC("\x89PNG", "", "a picture", NULL),
    MAGIC("\xff\xd8\xff", "", "a picture", NULL),
    MAGIC("%PDF", "", "a PDF document", NULL),
    MAGIC("version https://git-lfs", "", "a Git LFS pointer, not the file itself",
          "fetch the file with 'git lfs pull'"),
    MAGIC("weir ", "graph ", "text IR", "text IR ends with .weir, its constants are in an .npz of the same name"),
    MAGIC("wrtl ", "", "a hardware design as text", "'weir rtl' reads it"),
    MAGIC("<!DOCTYPE", "", "a web page", "a download that went wrong?"),
    MAGIC("<!doctype", "", "a web page", "a download that went wrong?"),
    MAGIC("<html", "", "a web page", "a download that went wrong?"),
    MAGIC("<?xml", "<net", "an OpenVINO model", "pass the .onnx file that it was made from"),
    MAGIC("<?xml", "", "XML", NULL),
    MAGIC("ir_version", "graph", "ONNX as protobuf text",
          "'protoc --encode=onnx.ModelProto onnx.proto' makes an .onnx file of it"),
    MAGIC("{", "\"irVersion\"", "ONNX as JSON", "save the model with onnx.save, without a format"),
    MAGIC("{", "\"class_name\"", "a Keras model as JSON", KERAS_HINT),
};

static const weir_file_kind empty = {"an empty file", NULL}, json = {"JSON", NULL}, yaml = {"YAML", NULL},
                            verilog = {"Verilog", NULL}, text = {"text", NULL};

static bool holds(const char *data, size_t size, const char *wanted) {
    const size_t length = strlen(wanted);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(data + i, wanted, length) == 0) return true;
    return false;
}

static bool fits(const row *r, const char *data, size_t size) {
    return size >= r->at + r->length && memcmp(data + r->at, r->magic, r->length) == 0 && holds(data, size, r->holds);
}

/* No control characters but line ends and tabs in the first part. */
static bool is_text(const char *data, size_t size) {
    for (size_t i = 0; i < size && i < 4096; i++) {
        const unsigned char c = (unsigned char)data[i];
        if (c < 32 && c != '\n' && c != '\r' && c != '\t') return false;
        if (c == 127) return false;
    }
    return true;
}

static bool starts(const char *data, size_t size, const char *with) {
    return size >= strlen(with) && memcmp(data, with, strlen(with)) == 0;
}

static const weir_file_kind *kind_of_text(const char *data, size_t size) {
    while (size > 0 && (*data == ' ' || *data == '\t' || *data == '\r' || *data == '\n')) {
        data++;
        size--;
    }
    if (starts(data, size, "{") || starts(data, size, "[")) return &json;
    if (starts(data, size, "---") || starts(data, size, "%YAML")) return &yaml;
    return holds(data, size, "endmodule") ? &verilog : &text;
}

const weir_file_kind *weir_file_kind_of(const void *data, size_t size) {
    if (size == 0) return &empty;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fits(&rows[i], data, size)) return &rows[i].kind;
    return is_text(data, size) ? kind_of_text(data, size) : NULL;
}
