/* What scikit-learn's converter puts behind a classifier and no tensor of numbers can be: labels that are strings,
 * whose positions stand for them, and probabilities as a sequence of maps, which stay the tensor that they are made
 * of. */
#ifndef WEIR_ONNX_LABEL_H
#define WEIR_ONNX_LABEL_H

#include "frontend/import/onnx_scope.h"
#include "support/memory/array.h"

/* 0, 1, ... for a vector of strings of which nodes only pick some (ArrayFeatureExtractor), after a note that lists
 * them; NULL: the tensor is none such. */
weir_array *weir_onnx_label_positions(const Onnx__GraphProto *graph, const Onnx__TensorProto *tensor, const char *file);

/* The classes of the graph are called as the tensor's strings, unless they have names. */
void weir_onnx_label_names(weir_graph *graph, const Onnx__TensorProto *tensor);
void weir_onnx_label_words(weir_graph *graph, const ProtobufCBinaryData *words, size_t count);

/* Is the value something else than it is declared to be, because it is made of such labels or is that of a ZipMap?
 * `dtype` is the value's element type. */
bool weir_onnx_label_differs(const Onnx__GraphProto *graph, const Onnx__ValueInfoProto *info,
                             const weir_onnx_definition *definition, weir_dtype dtype);

#endif
