/* Outputs that scikit-learn's converter adds to a classifier and that no tensor of numbers can hold: string labels,
 * which become their positions, and probabilities as a sequence of maps, for which the tensor of probabilities is
 * kept. */
#ifndef WEIR_ONNX_LABEL_H
#define WEIR_ONNX_LABEL_H

#include "frontend/import/onnx_scope.h"
#include "support/memory/array.h"

/* 0, 1, ... for a vector of strings of which nodes only pick some (ArrayFeatureExtractor), after a note that lists
 * them; NULL: it is not such a tensor. */
weir_array *weir_onnx_label_positions(const Onnx__GraphProto *graph, const Onnx__TensorProto *tensor, const char *file);

/* Names the classes of the graph by the tensor's strings, unless they have names. */
void weir_onnx_label_names(weir_graph *graph, const Onnx__TensorProto *tensor);
void weir_onnx_label_words(weir_graph *graph, const ProtobufCBinaryData *words, size_t count);

/* Does the value differ from its declaration because it is made from such labels, or is a ZipMap's?
 * `dtype` is the value's element type. */
bool weir_onnx_label_differs(const Onnx__GraphProto *graph, const Onnx__ValueInfoProto *info,
                             const weir_onnx_definition *definition, weir_dtype dtype);

#endif
