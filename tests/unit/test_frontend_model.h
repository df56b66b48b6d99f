/* ONNX messages written byte by byte, independent of the protobuf code under test. A message is a weir_text; adding it
 * to another one as a field releases it. Field numbers are those of onnx.proto. */
#ifndef TEST_FRONTEND_MODEL_H
#define TEST_FRONTEND_MODEL_H

#include <stdint.h>
#include <string.h>

#include "support/text/text.h"

static inline void put_varint(weir_text *to, uint64_t value) {
    for (; value >= 0x80; value >>= 7) weir_text_char(to, (char)(value | 0x80));
    weir_text_char(to, (char)value);
}

static inline void put_int(weir_text *to, unsigned field, int64_t value) {
    put_varint(to, field << 3);
    put_varint(to, (uint64_t)value);
}

static inline void put_float(weir_text *to, unsigned field, float value) {
    put_varint(to, field << 3 | 5);
    weir_text_add_n(to, (const char *)&value, sizeof value);
}

static inline void put_bytes(weir_text *to, unsigned field, const void *data, size_t size) {
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    if (size > 0) weir_text_add_n(to, data, size);
}

static inline void put_text(weir_text *to, unsigned field, const char *text) {
    put_bytes(to, field, text, strlen(text));
}

static inline void put_message(weir_text *to, unsigned field, weir_text message) {
    put_bytes(to, field, message.data, message.size);
    weir_text_free(&message);
}

enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum {
    TENSOR_DIM = 1,
    TENSOR_TYPE = 2,
    TENSOR_FLOATS = 4,
    TENSOR_INT32S = 5,
    TENSOR_INT64S = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_DOUBLES = 10,
    TENSOR_UINT64S = 11,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14
};
enum {
    ONNX_FLOAT = 1,
    ONNX_UINT8,
    ONNX_INT8,
    ONNX_UINT16,
    ONNX_INT16,
    ONNX_INT32,
    ONNX_INT64,
    ONNX_BOOL = 9,
    ONNX_FLOAT16,
    ONNX_DOUBLE,
    ONNX_UINT32,
    ONNX_UINT64
};

/* A ValueInfoProto; a negative dimension is symbolic ("N"). */
static inline weir_text make_value(const char *name, int type, int rank, const int64_t *dims) {
    weir_text shape = {0}, tensor = {0}, outer = {0}, value = {0};
    for (int i = 0; i < rank; i++) {
        weir_text dim = {0};
        if (dims[i] < 0) put_text(&dim, 2, "N");
        else put_int(&dim, 1, dims[i]);
        put_message(&shape, 1, dim);
    }
    put_int(&tensor, 1, type);
    put_message(&tensor, 2, shape);
    put_message(&outer, 1, tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, outer);
    return value;
}

/* A NodeProto with up to two inputs (NULL: none) and one output. */
static inline weir_text make_node(const char *op, const char *name, const char *a, const char *b, const char *output) {
    weir_text node = {0};
    if (a != NULL) put_text(&node, NODE_INPUT, a);
    if (b != NULL) put_text(&node, NODE_INPUT, b);
    if (output != NULL) put_text(&node, NODE_OUTPUT, output);
    if (name != NULL) put_text(&node, NODE_NAME, name);
    put_text(&node, NODE_OP, op);
    return node;
}

/* A TensorProto without its data. */
static inline weir_text make_tensor(const char *name, int type, int rank, const int64_t *dims) {
    weir_text tensor = {0};
    for (int i = 0; i < rank; i++) put_int(&tensor, TENSOR_DIM, dims[i]);
    put_int(&tensor, TENSOR_TYPE, type);
    put_text(&tensor, TENSOR_NAME, name);
    return tensor;
}

static inline weir_text make_floats(const char *name, int rank, const int64_t *dims, const float *data, size_t count) {
    weir_text tensor = make_tensor(name, ONNX_FLOAT, rank, dims);
    put_bytes(&tensor, TENSOR_FLOATS, data, count * sizeof *data);
    return tensor;
}

static inline weir_text make_entry(const char *key, const char *value) {
    weir_text entry = {0};
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    return entry;
}

/* A ModelProto of opset 17 around the graph. */
static inline weir_text make_model(weir_text graph) {
    weir_text model = {0}, opset = {0};
    put_int(&model, MODEL_IR_VERSION, 8);
    put_int(&opset, 2, 17);
    put_message(&model, MODEL_OPSET, opset);
    put_message(&model, MODEL_GRAPH, graph);
    return model;
}

#endif
