/* ONNX out: writes a graph as a valid ONNX file. ONNX-level operators (class TENSOR) are unchanged, so importing the
 * file gives the same graph again (README.md says what "same" means). */
#ifndef WEIR_ONNX_EXPORT_H
#define WEIR_ONNX_EXPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/types.h"

typedef struct weir_onnx_export_options {
    int64_t opset;    /* of ai.onnx, from 13 on; 0: the oldest from 17 on that supports the nodes */
    const char *name; /* of the graph in the file; NULL: the graph's own */
    bool one_frame;   /* the first dimension is 1 even if the model leaves it open */
    /* Annotations for viewers: an object of node names, each an object of plain values. They go into the nodes'
     * doc_string, as lines "key: value", and into the model's metadata_props, as "node.key"; attributes would make
     * standard operators invalid. NULL: nothing. */
    const json_t *annotations;
} weir_onnx_export_options;

/* The file's bytes, heap memory; options may be NULL. The graph must verify and its types must be inferred. NULL after
 * an error that names the node and what ONNX cannot express. O(size). */
void *weir_onnx_export_bytes(const weir_graph *graph, const weir_onnx_export_options *options, size_t *size);

/* The same into a file, written atomically. */
bool weir_onnx_export(const weir_graph *graph, const char *path, const weir_onnx_export_options *options);

#endif
