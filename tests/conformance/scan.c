#include "conformance/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Field numbers of onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    GRAPH_NODE = 1,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_OP = 4,
    NODE_DOMAIN = 7,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_ELEMENT = 1,
    TENSOR_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1
};

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

typedef struct field {
    unsigned number;
    uint64_t value; /* varint fields */
    bytes content;  /* length-delimited fields */
} field;

static bool read_varint(bytes *from, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        const uint8_t byte = *from->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

/* The next field; false at the end and at nonsense. */
static bool next_field(bytes *from, field *next) {
    uint64_t key, length;
    if (!read_varint(from, &key)) return false;
    next->number = (unsigned)(key >> 3);
    next->content = (bytes){from->at, from->at};
    switch (key & 7) {
    case 0: return read_varint(from, &next->value);
    case 1: length = 8; break;
    case 5: length = 4; break;
    case 2:
        if (!read_varint(from, &length)) return false;
        break;
    default: return false;
    }
    if (length > (uint64_t)(from->end - from->at)) return false;
    next->content = (bytes){from->at, from->at + length};
    from->at += length;
    return true;
}

static void copy_text(bytes text, char *to) {
    size_t size = (size_t)(text.end - text.at);
    if (size >= SCAN_NAME) size = SCAN_NAME - 1;
    memcpy(to, text.at, size);
    to[size] = 0;
}

static bool scan_node(bytes node, scan *result) {
    char op[SCAN_NAME] = "", domain[SCAN_NAME] = "";
    field next;
    if (result->node_count == SCAN_MAX) return false;
    while (next_field(&node, &next)) {
        if (next.number == NODE_OP) copy_text(next.content, op);
        if (next.number == NODE_DOMAIN) copy_text(next.content, domain);
    }
    const bool own = domain[0] == 0 || strcmp(domain, "ai.onnx") == 0;
    snprintf(result->op[result->node_count++], SCAN_OP, "%s%s%s", own ? "" : domain, own ? "" : ".", op);
    return true;
}

static bool holds_nothing(bytes shape) {
    field dim, value;
    while (next_field(&shape, &dim)) {
        if (dim.number != SHAPE_DIM || !next_field(&dim.content, &value)) continue;
        if (value.number == DIM_VALUE && value.value == 0) return true;
    }
    return false;
}

static void scan_tensor(bytes tensor, scan *result) {
    static const uint64_t elements[] = {1,  2,  3,  4,  5,  6,  7,  9,  10, 11, 12, 13,
                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26};
    field next;
    while (next_field(&tensor, &next)) {
        if (next.number == TENSOR_SHAPE && holds_nothing(next.content)) result->obstacle = "tensor without elements";
        if (next.number != TENSOR_ELEMENT) continue;
        bool known = false;
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) known = known || elements[i] == next.value;
        if (!known) result->obstacle = "element type without arithmetic here";
    }
}

/* The ValueInfoProto's name; notes what is not a tensor of numbers. */
static void scan_value(bytes value, char *name, scan *result) {
    field next, kind;
    name[0] = 0;
    while (next_field(&value, &next)) {
        if (next.number == VALUE_NAME) copy_text(next.content, name);
        if (next.number != VALUE_TYPE || !next_field(&next.content, &kind)) continue;
        if (kind.number == TYPE_TENSOR) {
            scan_tensor(kind.content, result);
        } else {
            result->obstacle = "sequence, map or optional type";
        }
    }
}

static bool scan_graph(bytes graph, scan *result) {
    char ignored[SCAN_NAME];
    field next;
    while (next_field(&graph, &next)) {
        if (next.number == GRAPH_NODE && !scan_node(next.content, result)) return false;
        if (next.number == GRAPH_OUTPUT) {
            scan_value(next.content, ignored, result);
            result->output_count++;
        }
        if (next.number != GRAPH_INPUT) continue;
        if (result->input_count == SCAN_MAX) return false;
        scan_value(next.content, result->input[result->input_count++], result);
    }
    return graph.at == graph.end;
}

bool scan_model(const void *data, size_t size, scan *result) {
    bytes model = {data, (const uint8_t *)data + size};
    field next;
    bool found = false;
    memset(result, 0, sizeof *result);
    while (next_field(&model, &next)) {
        if (next.number != MODEL_GRAPH) continue;
        found = true;
        if (!scan_graph(next.content, result)) return false;
    }
    return found && model.at == model.end;
}
