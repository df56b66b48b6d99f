#include "wire/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 20 };

static weir_wire_error need(weir_wire *wire, uint32_t feature, const char *option, weir_failure *why) {
    uint32_t version = 0;
    const weir_wire_error error = weir_wire_read(wire, WEIR_REGISTER_VERSION, &version, why);
    if (error != WEIR_WIRE_OK || (version & feature) != 0) return error;
    return weir_failure_set(why, WEIR_WIRE_ABSENT, "the board was built without %s", option);
}

static weir_wire_error check(const weir_wire_memory *memory, weir_failure *why) {
    if (memory->index < WEIR_WIRE_MOST_MEMORIES && memory->words >= 1 && memory->words <= WEIR_WIRE_MOST_WORDS &&
        memory->bytes >= 1 && memory->bytes <= SIZE_MAX / memory->words)
        return WEIR_WIRE_OK;
    return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "no memory has number %u and %zu words of %zu bytes",
                            memory->index, memory->words, memory->bytes);
}

/* On the wire the last word comes first. */
static void turn(const weir_wire_memory *memory, const uint8_t *from, uint8_t *to) {
    for (size_t word = 0; word < memory->words; word++)
        memcpy(to + (memory->words - 1 - word) * memory->bytes, from + word * memory->bytes, memory->bytes);
}

/* From the last word on in the mode; `content` NULL: nothing is written. */
static weir_wire_error move(weir_wire *wire, const weir_wire_memory *memory, weir_mode mode, const uint8_t *content,
                            uint8_t *before, uint64_t limit, weir_failure *why) {
    const size_t size = memory->words * memory->bytes;
    uint8_t *out = malloc(size), *in = malloc(size);
    weir_wire_error error =
        out == NULL || in == NULL
            ? weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for %zu bytes", size)
            : weir_wire_write(wire, WEIR_REGISTER_MEMORY,
                              (uint32_t)memory->index << WORD_BITS | (uint32_t)(memory->words - 1), why);
    if (error == WEIR_WIRE_OK) error = weir_wire_begin(wire, mode, NULL, why);
    if (error == WEIR_WIRE_OK) {
        if (content != NULL) turn(memory, content, out);
        error = weir_wire_exchange(wire, out, content == NULL ? 0 : size, in, size, limit, why);
    }
    if (error == WEIR_WIRE_OK && before != NULL) turn(memory, in, before);
    free(out);
    free(in);
    return error;
}

weir_wire_error weir_wire_read_memory(weir_wire *wire, const weir_wire_memory *memory, uint8_t *content, uint64_t limit,
                                      weir_failure *why) {
    weir_wire_error error = check(memory, why);
    if (error == WEIR_WIRE_OK) error = need(wire, WEIR_FEATURE_READ_BACK, "read-back", why);
    return error == WEIR_WIRE_OK ? move(wire, memory, WEIR_MODE_READ, NULL, content, limit, why) : error;
}

weir_wire_error weir_wire_write_memory(weir_wire *wire, const weir_wire_memory *memory, const uint8_t *content,
                                       uint8_t *before, uint64_t limit, weir_failure *why) {
    weir_wire_error error = check(memory, why);
    if (error == WEIR_WIRE_OK) error = need(wire, WEIR_FEATURE_LOADABLE, "loadable memories", why);
    return error == WEIR_WIRE_OK ? move(wire, memory, WEIR_MODE_LOAD, content, before, limit, why) : error;
}

weir_wire_error weir_wire_set_model(weir_wire *wire, uint32_t model, weir_failure *why) {
    const weir_wire_error error = need(wire, WEIR_FEATURE_LOADABLE, "loadable memories", why);
    return error == WEIR_WIRE_OK ? weir_wire_write(wire, WEIR_REGISTER_MODEL, model, why) : error;
}
