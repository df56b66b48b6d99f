/* Each memory that can be written goes through: pattern; pattern read, its complement written; that read, the pattern
 * written; that read, the parameters written. When all have theirs, all are read, so that one that is written with
 * another is seen. */
#include "board/parameters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "board/memories.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/text/text.h"
#include "wire/packet.h"

typedef struct trying {
    weir_wire *wire;
    const weir_parameters_options *options;
    weir_parameters *result;
    weir_failure *why;
} trying;

static weir_wire_memory memory_of(const trying *t, size_t index) {
    const weir_board_manifest_memory *m = &t->options->manifest->memory[index];
    return (weir_wire_memory){(unsigned)index, (size_t)m->words, (size_t)((m->width + 7) / 8)};
}

static char *name_of(const weir_board_manifest_memory *m) {
    return weir_format("memory '%s' of layer '%s'", m->file, m->layer);
}

static void print_word(const weir_board_manifest_memory *m, const uint8_t *content, int64_t word, weir_text *text) {
    const int64_t bytes = (m->width + 7) / 8;
    for (int64_t i = bytes - 1; i >= 0; i--) weir_text_format(text, "%02x", content[word * bytes + i]);
}

static weir_wire_error tell(trying *t, char *expected, char *found) {
    assert(!t->result->differs);
    t->result->differs = true;
    t->result->expected = expected;
    t->result->found = found;
    return WEIR_WIRE_OK;
}

/* Where `came` is not `written`: the first word. False: it is. */
static bool compare(trying *t, size_t index, const char *what, const uint8_t *written, const uint8_t *came) {
    const weir_board_manifest_memory *m = &t->options->manifest->memory[index];
    const int64_t bytes = (m->width + 7) / 8;
    int64_t first = -1, wrong = 0;
    for (int64_t word = 0; word < m->words; word++) {
        if (memcmp(written + word * bytes, came + word * bytes, (size_t)bytes) == 0) continue;
        if (wrong++ == 0) first = word;
    }
    if (wrong == 0) return false;
    weir_text expected = {NULL, 0, 0}, found = {NULL, 0, 0};
    char *name = name_of(m);
    weir_text_format(&expected, "word %lld of %s to be ", (long long)first, name);
    print_word(m, written, first, &expected);
    weir_text_format(&expected, ", %s", what);
    print_word(m, came, first, &found);
    weir_text_format(&found, "; %lld of %lld words are wrong", (long long)wrong, (long long)m->words);
    tell(t, expected.data, found.data);
    free(name);
    return true;
}

/* What was there before anything was written, or is there now; `content` NULL: the file is another than the
 * compilation's. */
static void check(trying *t, size_t index, const uint8_t *content, const uint8_t *came) {
    const weir_board_manifest_memory *m = &t->options->manifest->memory[index];
    const uint32_t crc = weir_packet_crc(0, came, weir_board_memory_size(m));
    if (crc == m->crc || (content != NULL && compare(t, index, "as compiled", content, came))) return;
    char *name = name_of(m);
    tell(t, weir_format("CRC %08x of %s", m->crc, name), weir_format("CRC %08x", crc));
    free(name);
}

/* The parameters; NULL: the file is not there, or not the compilation's. */
static uint8_t *content_of(const trying *t, size_t index) {
    const weir_board_manifest_memory *m = &t->options->manifest->memory[index];
    uint8_t *content = weir_board_memory_content(m, t->options->sources);
    if (content != NULL && weir_packet_crc(0, content, weir_board_memory_size(m)) == m->crc) return content;
    free(content);
    return NULL;
}

/* Bits that no other word, and no other memory, has (SplitMix64, S. Vigna). */
static void make_pattern(const weir_board_manifest_memory *m, size_t index, bool is_inverted, uint8_t *pattern) {
    const int64_t bytes = (m->width + 7) / 8;
    uint64_t state = (uint64_t)index << 32;
    for (int64_t i = 0; i < m->words * bytes; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        const int64_t unused = i % bytes == bytes - 1 ? bytes * 8 - m->width : 0;
        pattern[i] = (uint8_t)((is_inverted ? ~(z >> 56) : z >> 56) & 0xff >> unused);
    }
}

/* Writes one memory, tried before where that is wanted. */
static weir_wire_error load(trying *t, size_t index) {
    const weir_parameters_options *o = t->options;
    const weir_board_manifest_memory *m = &o->manifest->memory[index];
    const weir_wire_memory memory = memory_of(t, index);
    const size_t size = weir_board_memory_size(m);
    uint8_t *content = content_of(t, index);
    if (content == NULL) {
        return weir_failure_set(t->why, WEIR_WIRE_NOT_FOUND,
                                "what '%s' of layer '%s' should hold is not in %s: another file, or none", m->file,
                                m->layer, o->sources);
    }
    uint8_t *before = weir_malloc(size), *written = weir_malloc(size), *first = weir_calloc(size, 1);
    weir_wire_error error = WEIR_WIRE_OK;
    for (int pass = o->marches ? 0 : 3; error == WEIR_WIRE_OK && !t->result->differs && pass < 4; pass++) {
        uint8_t *next = pass < 3 ? weir_malloc(size) : content;
        if (pass < 3) make_pattern(m, index, pass == 1, next);
        error = weir_wire_write_memory(t->wire, &memory, next, before, o->limit, t->why);
        const bool is_first = pass == 0 || !o->marches;
        if (error == WEIR_WIRE_OK && is_first) memcpy(first, before, size);
        if (error == WEIR_WIRE_OK && !is_first) compare(t, index, "as written", written, before);
        memcpy(written, next, size);
        if (pass < 3) free(next);
    }
    if (error == WEIR_WIRE_OK && !t->result->differs && o->is_known) check(t, index, content, first);
    free(first);
    free(written);
    free(before);
    free(content);
    return error;
}

static weir_wire_error read_back(trying *t, size_t index) {
    const weir_wire_memory memory = memory_of(t, index);
    const size_t size = weir_board_memory_size(&t->options->manifest->memory[index]);
    uint8_t *content = content_of(t, index), *came = weir_malloc(size);
    const weir_wire_error error = weir_wire_read_memory(t->wire, &memory, came, t->options->limit, t->why);
    if (error == WEIR_WIRE_OK) check(t, index, content, came);
    if (error == WEIR_WIRE_OK && !t->result->differs) {
        t->result->memories++;
        t->result->bytes += size;
    }
    free(came);
    free(content);
    return error;
}

weir_wire_error weir_parameters_run(weir_wire *wire, const weir_parameters_options *options,
                                    weir_parameters *parameters, weir_failure *why) {
    trying t = {wire, options, parameters, why};
    const weir_board_manifest *m = options->manifest;
    *parameters = (weir_parameters){.differs = false};
    assert(m->memories > 0 && (!options->loads || m->loadable));
    weir_wire_error error = options->loads ? weir_wire_set_model(wire, 0, why) : WEIR_WIRE_OK;
    for (size_t i = 0; options->loads && error == WEIR_WIRE_OK && !parameters->differs && i < m->memories; i++)
        error = load(&t, i);
    for (size_t i = 0; error == WEIR_WIRE_OK && !parameters->differs && i < m->memories; i++) error = read_back(&t, i);
    if (options->loads && error == WEIR_WIRE_OK && !parameters->differs)
        error = weir_wire_set_model(wire, m->model, why);
    return error;
}

void weir_parameters_free(weir_parameters *parameters) {
    free(parameters->expected);
    free(parameters->found);
}
