/* Building the messages of an ONNX graph: nodes, attributes, tensors, declared types, unique names. All of it lives in
 * the builder's arena; strings and tensor data that are passed in are not copied and must outlive it. */
#ifndef WEIR_ONNX_BUILD_H
#define WEIR_ONNX_BUILD_H

#include "ir/graph/graph.h"
#include "ir/trait/batch.h"
#include "onnx.pb-c.h"
#include "support/memory/types.h"

/* Capacities of the growing lists of message pointers in `proto`. */
typedef struct weir_onnx_capacity {
    size_t nodes, initializers, inputs, outputs, values;
} weir_onnx_capacity;

typedef struct weir_onnx_builder {
    weir_arena *arena;
    const weir_graph *graph; /* its names are taken */
    Onnx__GraphProto *proto;
    weir_onnx_capacity capacity;
    uint64_t fresh;              /* names made so far */
    const weir_batch_open *open; /* `graph` is its graph; NULL: all dimensions are numbers */
    const char *batch;           /* name of the open dimension; "": none */
} weir_onnx_builder;

void weir_onnx_build_start(weir_onnx_builder *builder, const weir_graph *graph);
void weir_onnx_build_free(weir_onnx_builder *builder);

/* A node at the end; domain "" is ONNX's own, a NULL input is left out. */
Onnx__NodeProto *weir_onnx_build_node(weir_onnx_builder *builder, weir_op op, const char *name,
                                      const char *const *inputs, size_t input_count, const char *const *outputs,
                                      size_t output_count);
void weir_onnx_build_int(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, int64_t value);
void weir_onnx_build_float(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, double value);
void weir_onnx_build_string(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const char *value);
void weir_onnx_build_ints(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const int64_t *values,
                          size_t count);
void weir_onnx_build_floats(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const double *values,
                            size_t count);
void weir_onnx_build_array(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name,
                           const weir_array *array);

/* Is the value's first dimension an open batch? */
bool weir_onnx_build_has_rows(const weir_onnx_builder *builder, weir_value value);

/* An initializer with the array's type, shape and data. */
void weir_onnx_build_tensor(weir_onnx_builder *builder, const char *name, const weir_array *array);
/* Declared types of a graph input, a graph output, any other value: `name` is declared as `value`. */
void weir_onnx_build_input(weir_onnx_builder *builder, const char *name, weir_value value);
void weir_onnx_build_output(weir_onnx_builder *builder, const char *name, weir_value value);
void weir_onnx_build_value(weir_onnx_builder *builder, const char *name, weir_value value);

/* "base.1" or the like: neither a value nor an output of the graph has that name. */
const char *weir_onnx_build_name(weir_onnx_builder *builder, const char *base);

#endif
