/* One pass over the tags checks lengths, wire types, nesting and that no embedded message appears twice; payloads are
 * skipped, so the cost is the number of fields. Decoding then runs with an allocator that has a budget. */
#include "frontend/wire/onnx_wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

enum {
    DEPTH_LIMIT = 64,           /* nested messages; a plain model needs 6 */
    BUDGET_BASE = 32 * 1 << 20, /* bytes of decoded form for any file */
    BUDGET_FACTOR = 48          /* and for each byte of the file: an unpacked repeated integer costs most */
};

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

typedef struct reader {
    const uint8_t *data;
    size_t size;
    const char *file;
} reader;

static bool fail(const reader *r, size_t at, const char *message, const char *field, const char *what) {
    weir_error(weir_at(r->file, 0), "not a valid ONNX file: %s at byte %zu of %zu (field '%s' of '%s')", what, at,
               r->size, field, message);
    return false;
}

/* A varint in [*at, end); false when it does not end there or has over 10 bytes. */
static bool read_varint(const reader *r, size_t *at, size_t end, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 70 && *at < end; shift += 7) {
        uint8_t byte = r->data[(*at)++];
        *value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80) return true;
    }
    return false;
}

static int wire_of(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return WIRE_FIXED32;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
    default: return WIRE_VARINT;
    }
}

static bool wire_fits(const ProtobufCFieldDescriptor *field, int wire) {
    int expected = wire_of(field->type);
    return wire == expected || (wire == WIRE_BYTES && field->label == PROTOBUF_C_LABEL_REPEATED);
}

/* The payload's size, *at being its start (after the length of a WIRE_BYTES one). */
static bool read_payload(const reader *r, size_t *at, size_t end, int wire, size_t *size) {
    uint64_t value = 0;
    size_t start = *at;
    switch (wire) {
    case WIRE_VARINT:
        if (!read_varint(r, at, end, &value)) return false;
        value = *at - start;
        *at = start;
        break;
    case WIRE_FIXED64: value = 8; break;
    case WIRE_FIXED32: value = 4; break;
    default:
        if (!read_varint(r, at, end, &value)) return false;
    }
    if (value > end - *at) return false;
    *size = (size_t)value;
    return true;
}

static bool check_message(const reader *r, const ProtobufCMessageDescriptor *type, size_t at, size_t end, int depth);

static bool check_field(const reader *r, const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field,
                        size_t at, size_t size, int depth) {
    if (field->type == PROTOBUF_C_TYPE_STRING && memchr(r->data + at, 0, size) != NULL)
        return fail(r, at, type->short_name, field->name, "a zero byte in a string");
    if (field->type != PROTOBUF_C_TYPE_MESSAGE) return true;
    if (depth == DEPTH_LIMIT) return fail(r, at, type->short_name, field->name, "messages nested too deeply");
    return check_message(r, field->descriptor, at, at + size, depth + 1);
}

static bool check_message(const reader *r, const ProtobufCMessageDescriptor *type, size_t at, size_t end, int depth) {
    uint64_t seen = 0; /* embedded messages that may occur once */
    while (at < end) {
        size_t start = at, size;
        uint64_t tag;
        if (!read_varint(r, &at, end, &tag)) return fail(r, start, type->short_name, "?", "a malformed tag");
        int wire = (int)(tag & 7);
        if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff || (wire > WIRE_BYTES && wire != WIRE_FIXED32))
            return fail(r, start, type->short_name, "?", "a malformed tag");
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        const char *name = field == NULL ? "?" : field->name;
        if (!read_payload(r, &at, end, wire, &size))
            return fail(r, start, type->short_name, name, "the data ends too early");
        if (field != NULL) {
            if (!wire_fits(field, wire)) return fail(r, start, type->short_name, name, "an unexpected wire type");
            uint64_t bit = (uint64_t)1 << (unsigned)(field - type->fields);
            if (field->type == PROTOBUF_C_TYPE_MESSAGE && field->label != PROTOBUF_C_LABEL_REPEATED && (seen & bit))
                return fail(r, start, type->short_name, name, "a repeated message");
            seen |= bit;
            if (!check_field(r, type, field, at, size, depth)) return false;
        }
        at += size;
    }
    return true;
}

typedef struct budget {
    weir_arena *arena;
    size_t left;
} budget;

static void *allocate(void *user, size_t size) {
    budget *b = user;
    if (size > b->left) {
        b->left = 0;
        return NULL;
    }
    b->left -= size;
    return weir_arena_alloc(b->arena, size);
}

static void release(void *user, void *pointer) {
    (void)user;
    (void)pointer;
}

const ProtobufCMessage *weir_onnx_wire_decode(weir_arena *arena, const ProtobufCMessageDescriptor *type,
                                              const void *data, size_t size, const char *file) {
    reader r = {data, size, file};
    if (size > INT32_MAX) {
        weir_error(weir_at(file, 0), "not a valid ONNX file: %zu bytes, protobuf allows 2147483647", size);
        return NULL;
    }
    if (!check_message(&r, type, 0, size, 0)) return NULL;
    budget b = {arena, BUDGET_BASE + BUDGET_FACTOR * size};
    ProtobufCAllocator allocator = {allocate, release, &b};
    const ProtobufCMessage *message = protobuf_c_message_unpack(type, &allocator, size, data);
    if (message == NULL) {
        weir_error(weir_at(file, 0), "not a valid ONNX file: %s",
                   b.left == 0 ? "its decoded form is too large" : "it does not decode");
    }
    return message;
}
