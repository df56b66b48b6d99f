/* ONNX in: reads a model file as a graph of op.def operators with inferred types. The file is untrusted input:
 * everything wrong with it is reported (up to WEIR_DIAG_LIMIT errors, then the import stops), and nothing is
 * returned. */
#ifndef WEIR_ONNX_H
#define WEIR_ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/import/onnx_evaluate.h"
#include "ir/graph/graph.h"
#include "support/memory/array.h"
#include "support/memory/types.h"
#include "support/text/text.h"

/* The shape of a graph input whose sizes the file leaves open. */
typedef struct weir_onnx_shape {
    const char *input; /* NULL: the model's only one */
    weir_shape shape;
} weir_onnx_shape;

/* Values for sizes that the file leaves open. */
typedef struct weir_onnx_sizes {
    int64_t batch;                /* a symbolic or missing first dimension of an input; below 1: 1 */
    const weir_onnx_shape *shape; /* each must agree with the file */
    size_t shape_count;
} weir_onnx_sizes;

/* A node that is not known or cannot be built; its outputs, where the file declares their types, become graph inputs.
 * Names are those of values. */
typedef struct weir_onnx_opaque {
    int line; /* 1-based position in the file */
    const char *type;
    const char *const *input, *const *output;
    size_t input_count, output_count;
} weir_onnx_opaque;

/* A graph of shapes, for exploration: tensors with two dimensions or more, or in external files, are not read and
 * become graph inputs, as do results of opaque nodes, each reported here. Data inputs are first. */
typedef struct weir_onnx_outline {
    size_t data_inputs;
    const char *const *needed; /* operator types that must not be opaque; NULL ends each of these lists */
    const char *const *remark; /* integer attributes for the caller, not the operator's; each one found is reported */
    void (*remarked)(void *user, int line, const char *remark, int64_t value);
    void (*named)(void *user, int line, const char *name); /* a node's name in the file */
    void (*opaque)(void *user, const weir_onnx_opaque *node);
    void *user;
} weir_onnx_outline;

typedef struct weir_onnx_options {
    const weir_archive *bindings; /* graph inputs to turn into constants, by name; NULL: none */
    weir_onnx_sizes sizes;
    weir_onnx_evaluate
        *evaluate;   /* computes shapes and parameters that the file computes; NULL: they must be constants */
    bool to_float32; /* a model that computes in float16, bfloat16 or float64 is converted, with a note */
    weir_onnx_outline *outline; /* NULL: the whole model */
} weir_onnx_options;

/* The model at `path`; options may be NULL. Value names are the file's, node names are legal Verilog identifiers made
 * from the file's (README.md), node locations are the 1-based positions in the file. External tensor data is read from
 * the model's folder only. NULL after reported errors; else free with weir_graph_free. */
weir_graph *weir_onnx_import(const char *path, const weir_onnx_options *options);

/* The same from memory. Messages call the file `name`; external data is in `folder` (NULL: external data is an
 * error). */
weir_graph *weir_onnx_import_bytes(const void *data, size_t size, const char *name, const char *folder,
                                   const weir_onnx_options *options);

/* A file that holds one TensorProto, as in ONNX's conformance data. Infinities and NaNs are kept. NULL after a reported
 * error; else weir_array_free. */
weir_array *weir_onnx_read_tensor(const char *path);
/* The opset version of its domain from which files may have the operator; 0: no file has it. */
int weir_onnx_since(weir_op op);
/* The operators of files as a Markdown table, those with the same attributes in one row: first and last opset,
 * attributes (with their opsets if the operator has others), and what they become. */
void weir_onnx_listing(weir_text *text);

#endif
