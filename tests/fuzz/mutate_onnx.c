/* Works on any protobuf-c message through its descriptor: lists every field of the tree, picks one, and changes it by
 * its type. Messages live in an arena, so that fields may share memory. */
#include "mutate_onnx.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "onnx.pb-c.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { SLOT_LIMIT = 4096, SIZE_LIMIT = 1 << 16 };

typedef struct slot {
    ProtobufCMessage *message;
    const ProtobufCFieldDescriptor *field;
} slot;

typedef struct tree {
    weir_arena *arena;
    uint64_t *state;
    slot slots[SLOT_LIMIT];
    size_t count;
} tree;

static size_t below(tree *t, size_t limit) { return limit == 0 ? 0 : (size_t)(weir_random_next(t->state) % limit); }

static void *allocate(void *arena, size_t size) { return weir_arena_alloc(arena, size); }
static void release(void *arena, void *memory) {
    (void)arena;
    (void)memory;
}

static char *member(const ProtobufCMessage *message, unsigned offset) { return (char *)(uintptr_t)message + offset; }
static bool is_repeated(const ProtobufCFieldDescriptor *field) { return field->label == PROTOBUF_C_LABEL_REPEATED; }
static bool is_oneof(const ProtobufCFieldDescriptor *field) {
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

static size_t *repeat_count(const slot *s) { return (size_t *)(void *)member(s->message, s->field->quantifier_offset); }

/* Is a pointer field's member in use? */
static bool is_set(const slot *s) {
    return !is_oneof(s->field) || *(uint32_t *)(void *)member(s->message, s->field->quantifier_offset) == s->field->id;
}

static void collect(tree *t, ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    for (unsigned i = 0; i < type->n_fields && t->count < SLOT_LIMIT; i++) {
        slot s = {message, &type->fields[i]};
        t->slots[t->count++] = s;
        if (s.field->type != PROTOBUF_C_TYPE_MESSAGE || !is_set(&s)) continue;
        if (!is_repeated(s.field)) {
            ProtobufCMessage *child = *(ProtobufCMessage **)(void *)member(message, s.field->offset);
            if (child != NULL) collect(t, child);
            continue;
        }
        ProtobufCMessage **children = *(ProtobufCMessage ***)(void *)member(message, s.field->offset);
        for (size_t j = 0; j < *repeat_count(&s); j++) collect(t, children[j]);
    }
}

static size_t element_size(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    default: return 4;
    }
}

static int64_t odd_integer(tree *t, int64_t old) {
    static const int64_t odd[] = {0,         1,         -1,      2,         3,         7,           8,
                                  13,        16,        255,     -128,      1 << 16,   INT32_MAX,   INT32_MIN,
                                  INT64_MAX, INT64_MIN, 1 << 30, 1LL << 40, 1LL << 62, 4294967296LL};
    switch (below(t, 4)) {
    case 0: return (int64_t)((uint64_t)old + 1);
    case 1: return (int64_t)((uint64_t)old - 1);
    case 2: return (int64_t)below(t, 32);
    default: return odd[below(t, sizeof odd / sizeof *odd)];
    }
}

static double odd_number(tree *t) {
    static const double odd[] = {
        0, -0.0, 1, -1, 0.5, 1e-45, 1e38, -1e38, (double)NAN, (double)INFINITY, -(double)INFINITY};
    return odd[below(t, sizeof odd / sizeof *odd)];
}

/* A text of the same kind from somewhere else in the model: joins, repeats and cycles. */
static char *other_text(tree *t) {
    for (int tries = 0; tries < 64; tries++) {
        slot *s = &t->slots[below(t, t->count)];
        if (s->field->type != PROTOBUF_C_TYPE_STRING || !is_set(s)) continue;
        if (!is_repeated(s->field)) {
            char *text = *(char **)(void *)member(s->message, s->field->offset);
            if (text != NULL) return text;
        } else if (*repeat_count(s) > 0) {
            return (*(char ***)(void *)member(s->message, s->field->offset))[below(t, *repeat_count(s))];
        }
    }
    return weir_arena_copy_string(t->arena, "");
}

static void *other_message(tree *t, const ProtobufCMessageDescriptor *type, void *otherwise) {
    for (int tries = 0; tries < 64; tries++) {
        ProtobufCMessage *message = t->slots[below(t, t->count)].message;
        if (message->descriptor == type) return message;
    }
    return otherwise;
}

static void change_bytes(tree *t, ProtobufCBinaryData *bytes) {
    size_t length = below(t, 4) == 0 ? below(t, 64) : bytes->len;
    uint8_t *data = weir_arena_alloc(t->arena, length + 1);
    if (bytes->data != NULL) memcpy(data, bytes->data, length < bytes->len ? length : bytes->len);
    if (length > 0) data[below(t, length)] = (uint8_t)weir_random_next(t->state);
    *bytes = (ProtobufCBinaryData){length, data};
}

static void change_element(tree *t, const ProtobufCFieldDescriptor *field, void *element) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64: *(int64_t *)element = odd_integer(t, *(int64_t *)element); break;
    case PROTOBUF_C_TYPE_FLOAT: *(float *)element = (float)odd_number(t); break;
    case PROTOBUF_C_TYPE_DOUBLE: *(double *)element = odd_number(t); break;
    case PROTOBUF_C_TYPE_STRING: *(char **)element = other_text(t); break;
    case PROTOBUF_C_TYPE_BYTES: change_bytes(t, element); break;
    case PROTOBUF_C_TYPE_MESSAGE: *(void **)element = other_message(t, field->descriptor, *(void **)element); break;
    default: *(int32_t *)element = (int32_t)odd_integer(t, *(int32_t *)element);
    }
}

/* Drops, repeats, swaps or changes an element. */
static void change_repeated(tree *t, const slot *s) {
    size_t *count = repeat_count(s), size = element_size(s->field->type);
    char **array = (char **)(void *)member(s->message, s->field->offset);
    if (*count == 0) return;
    size_t i = below(t, *count), j = below(t, *count);
    char *copy = weir_arena_alloc(t->arena, (*count + 1) * size);
    memcpy(copy, *array, *count * size);
    switch (below(t, 4)) {
    case 0: memmove(copy + i * size, copy + (i + 1) * size, (--*count - i) * size); break;
    case 1: memcpy(copy + (*count)++ * size, *array + i * size, size); break;
    case 2: memcpy(copy + i * size, *array + j * size, size); break;
    default: change_element(t, s->field, copy + i * size);
    }
    *array = copy;
}

static void change(tree *t) {
    const slot *s = &t->slots[below(t, t->count)];
    const ProtobufCFieldDescriptor *field = s->field;
    void *element = member(s->message, field->offset);
    if (is_repeated(field)) {
        change_repeated(t, s);
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (!is_set(s)) return;
        *(void **)element =
            below(t, 4) == 0 && !is_oneof(field) ? NULL : other_message(t, field->descriptor, *(void **)element);
    } else if (is_oneof(field)) {
        if (is_set(s)) change_element(t, field, element);
    } else {
        if (field->type != PROTOBUF_C_TYPE_STRING) *(int *)(void *)member(s->message, field->quantifier_offset) = 1;
        change_element(t, field, element);
    }
}

/* Mutation shares messages; a shared ancestor would make the tree endless. */
static bool is_finite(const ProtobufCMessage *message, int depth, size_t *left) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    if (depth == 0 || *left == 0) return false;
    --*left;
    for (unsigned i = 0; i < type->n_fields; i++) {
        slot s = {(ProtobufCMessage *)(uintptr_t)message, &type->fields[i]};
        if (s.field->type != PROTOBUF_C_TYPE_MESSAGE || !is_set(&s)) continue;
        char *place = member(message, s.field->offset);
        if (!is_repeated(s.field)) {
            const ProtobufCMessage *child = *(ProtobufCMessage **)(void *)place;
            if (child != NULL && !is_finite(child, depth - 1, left)) return false;
            continue;
        }
        ProtobufCMessage **children = *(ProtobufCMessage ***)(void *)place;
        for (size_t j = 0; j < *repeat_count(&s); j++)
            if (!is_finite(children[j], depth - 1, left)) return false;
    }
    return true;
}

size_t weir_mutate_onnx(uint8_t *data, size_t size, size_t capacity, uint64_t *state) {
    if (size == 0 || size > SIZE_LIMIT) return 0;
    static tree t;
    t = (tree){.arena = weir_arena_new(), .state = state};
    ProtobufCAllocator allocator = {allocate, release, t.arena};
    ProtobufCMessage *model = protobuf_c_message_unpack(&onnx__model_proto__descriptor, &allocator, size, data);
    size_t packed = 0, left = SLOT_LIMIT;
    if (model != NULL) {
        collect(&t, model);
        for (size_t changes = 1 + below(&t, 4); changes > 0; changes--) change(&t);
        if (is_finite(model, 32, &left)) packed = protobuf_c_message_get_packed_size(model);
        if (packed > 0 && packed <= capacity) protobuf_c_message_pack(model, data);
        else packed = 0;
    }
    weir_arena_free(t.arena);
    return packed;
}
