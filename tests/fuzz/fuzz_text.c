/* The text form under fuzzing: whatever text and arrays are, weir_graph_parse returns a graph that verifies or at least
 * one error, never both and never neither; a graph prints to a text that parses back to the same text; inference on it
 * ends. An input is the text, a zero byte, and arrays: name, zero byte, element type, rank, one byte a dimension,
 * elements. Built with WEIR_FUZZ_DRIVER the file is a deterministic stand-in for libFuzzer:
 *   run_text_mutations SEED ROUNDS [FOLDER]   mutates the seed graphs; FOLDER: writes the seeds there, for fuzz_text */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_onnx.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "support/file/file.h"
#include "support/memory/random.h"
#include "support/text/diag.h"

enum { NAME_LIMIT = 64, ELEMENT_LIMIT = 4096 };

static void ignore(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

/* One array off the front of the bytes; false at the end or when its shape is too large. */
static bool read_array(const uint8_t **at, const uint8_t *end, weir_archive *archive) {
    const uint8_t *zero = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
    if (zero == NULL || zero - *at > NAME_LIMIT || end - zero < 3) return false;
    char name[NAME_LIMIT + 1];
    memcpy(name, *at, (size_t)(zero - *at) + 1);
    weir_dtype dtype = (weir_dtype)(zero[1] % WEIR_DTYPE_COUNT);
    weir_shape shape = {zero[2] % (WEIR_MAX_RANK + 1), {0}};
    *at = zero + 3;
    for (int d = 0; d < shape.rank; d++) shape.dim[d] = *at < end ? *(*at)++ : 1;
    size_t count;
    if (!weir_shape_count(&shape, &count) || count > ELEMENT_LIMIT) return false;
    weir_array *array = weir_array_new(dtype, &shape);
    size_t size = count * weir_dtype_size(dtype), left = (size_t)(end - *at);
    if (size > left) size = left;
    memcpy(array->data, *at, size);
    *at += size;
    weir_archive_add(archive, name, array);
    return true;
}

/* Prints the graph, parses that and prints again: the same text. */
static void check_round_trip(const weir_graph *graph) {
    weir_text text = {NULL, 0, 0}, again = {NULL, 0, 0};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_print(graph, &text);
    weir_graph_collect(graph, &archive);
    weir_graph *parsed = weir_graph_parse(text.data, text.size, &archive, "again.weir");
    if (parsed == NULL || !weir_graph_verify(parsed)) abort();
    weir_graph_print(parsed, &again);
    if (text.size != again.size || memcmp(text.data, again.data, text.size) != 0) abort();
    weir_graph_free(parsed);
    weir_archive_free(&archive);
    weir_text_free(&text);
    weir_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *zero = size == 0 ? NULL : memchr(data, 0, size), *end = data + size;
    size_t text_size = zero == NULL ? size : (size_t)(zero - data);
    const uint8_t *at = zero == NULL ? end : zero + 1;
    char *text = malloc(text_size + 1); /* without a zero byte behind it */
    if (text == NULL) abort();
    if (text_size > 0) memcpy(text, data, text_size);
    weir_archive archive;
    weir_archive_init(&archive);
    while (read_array(&at, end, &archive)) continue;
    weir_diag_set_handler(ignore, NULL);
    weir_graph *graph = weir_graph_parse(text, text_size, &archive, "fuzz.weir");
    if ((graph == NULL) == (weir_diag_errors() == 0)) abort();
    if (graph != NULL) {
        if (!weir_graph_verify(graph)) abort();
        check_round_trip(graph);
        if (weir_infer_graph(graph)) check_round_trip(graph);
    }
    int accepted = graph != NULL;
    weir_graph_free(graph);
    weir_archive_free(&archive);
    free(text);
    weir_diag_set_handler(NULL, NULL);
    return accepted * WEIR_FUZZ_ACCEPTED;
}

#ifdef WEIR_FUZZ_DRIVER

enum { CAPACITY = 1 << 14 };

typedef struct buffer {
    uint8_t data[CAPACITY];
    size_t size;
} buffer;

static uint64_t random_state;

static size_t below(size_t limit) {
    const uint64_t bits = weir_random_next(&random_state);
    return limit == 0 ? 0 : (size_t)(bits % limit);
}

/* --- seeds --- */
static void append(buffer *b, const void *data, size_t size) {
    if (size > CAPACITY - b->size) abort();
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void encode(buffer *b, const char *text, const weir_archive *archive) {
    b->size = 0;
    append(b, text, strlen(text) + 1);
    for (size_t i = 0; i < archive->count; i++) {
        const weir_array *array = archive->array[i];
        append(b, archive->name[i], strlen(archive->name[i]) + 1);
        append(b, (uint8_t[2]){(uint8_t)array->dtype, (uint8_t)array->shape.rank}, 2);
        for (int d = 0; d < array->shape.rank; d++) append(b, (uint8_t[1]){(uint8_t)array->shape.dim[d]}, 1);
        append(b, array->data, array->count * weir_dtype_size(array->dtype));
    }
}

static void add_array(weir_archive *archive, const char *name, weir_dtype dtype, int rank, int64_t rows,
                      int64_t columns) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){rank, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)(i % 5));
    weir_archive_add(archive, name, array);
}

static const char *const seeds[] = {
    "weir 1\ngraph \"g\" from \"net.onnx\"\n"
    "input %x : float32[1,3]\n"
    "constant %fc_weights : int8[2,3] integer s8 range=[0,4]\n"
    "encode: %encode = weir.Encode(%x) {arithmetic = \"qlinear\"} at \"net.onnx\":1\n"
    "    : uint8[1,3] integer u8 round=half-even scale=0.5 zero=3 range=[0,255]\n"
    "fc: %fc = weir.Linear(%encode, %fc_weights) at \"net.onnx\":2"
    " hardware{module=weir_mvu simd=3 pe=1 in_lanes=3 out_lanes=1 interval=2 operations=6 storage=logic}\n"
    "    : int16[1,2] integer s12 axis=1 scale=@ zero=@ range=[-2048,2047]\n"
    "\"a b\": %\"a b\" = weir.Maximum(%fc)\n    : ?\n"
    "output y = %fc\n",
    "weir 1\ngraph \"g\" from \"\"\n"
    "input %x : float32[2,3]\n"
    "constant %w : float32[3,2]\n"
    "mm: %mm = Gemm(%x, %w) {alpha = float 0.5, transB = 0}"
    " common{type=builtin_func op=matmul} software{count=3 min=-1.5 max=1e+300}\n"
    "    : float32[2,2]\n"
    "\"t \\\"q\\\" \\u0007\": %t2 = Transpose(%mm) {perm = [1, -2]}\n    : float32[2,2]\n"
    "gelu: %gelu = Gelu(%t2) {approximate = \"\\u006eone\"}\n    : ?\n"
    "fork: %a, %b = weir.Fork(%mm)\n    : float32[2,2]\n    , float32[2,2]\n"
    "output \"out put\" = %mm\noutput g = %gelu\n",
    "# comment\nweir 1\n\ngraph \"h\" from \"\"\n"
    "input %x : int8[1,4] integer s8 round=half-even range=[-128,127]\n"
    "constant %t : int64[1,3] integer s64\n"
    "fork: %a, %b = weir.Fork(%x) hardware{module=weir_fork in_lanes=2 out_lanes=2 interval=2}\n"
    "    : int8[1,4] integer s8 round=half-even range=[-128,127]\n"
    "    , int8[1,4] integer s8 round=half-even range=[-128,127]\n"
    "sum: %sum = weir.Sum(%a, %b) {ca = 3, cb = -2}\n"
    "    : int16[1,4] fixed s11 frac=3 saturation=symmetric range=[-640,637]\n"
    "threshold: %y = weir.Threshold(%sum, %t) {base = -1}\n"
    "    : int8[1,4] integer s3 range=[-1,2]\n"
    "output y = %y\noutput z = %y\n",
};

/* Seed `index` with the arrays of all of them. */
static void make_seed(buffer *b, size_t index) {
    weir_archive archive;
    weir_archive_init(&archive);
    add_array(&archive, "fc_weights", WEIR_INT8, 2, 2, 3);
    add_array(&archive, "fc.scale", WEIR_FLOAT64, 1, 2, 0);
    weir_array_set(archive.array[1], 0, 0.25);
    add_array(&archive, "fc.zero_point", WEIR_INT64, 1, 2, 0);
    add_array(&archive, "w", WEIR_FLOAT32, 2, 3, 2);
    weir_array *steps = weir_array_new(WEIR_INT64, &(weir_shape){2, {1, 3}});
    for (size_t i = 0; i < 3; i++) weir_array_set_int(steps, i, (int64_t)i * 10);
    weir_archive_add(&archive, "t", steps);
    encode(b, seeds[index], &archive);
    weir_archive_free(&archive);
}

/* --- mutations --- */
static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Start and length of a random word, number or punctuation of the text. */
static size_t pick_token(const buffer *b, size_t text, size_t *length) {
    size_t at = below(text);
    while (at > 0 && is_word(b->data[at]) && is_word(b->data[at - 1])) at--;
    *length = 1;
    while (at + *length < text && is_word(b->data[at]) && is_word(b->data[at + *length])) (*length)++;
    return at;
}

static size_t pick_line(const buffer *b, size_t text, size_t *length) {
    size_t at = below(text);
    while (at > 0 && b->data[at - 1] != '\n') at--;
    *length = 0;
    while (at + *length < text && b->data[at + *length] != '\n') (*length)++;
    if (at + *length < text) (*length)++;
    return at;
}

/* Replaces `length` bytes at `at` by others. */
static void splice(buffer *b, size_t at, size_t length, const void *with, size_t size) {
    uint8_t copy[CAPACITY];
    if (b->size - length + size > CAPACITY) return;
    memcpy(copy, with, size);
    memmove(b->data + at + size, b->data + at + length, b->size - at - length);
    memcpy(b->data + at, copy, size);
    b->size = b->size - length + size;
}

static void mutate(buffer *b) {
    static const char *const odd[] = {"0",
                                      "-1",
                                      "1",
                                      "65",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "99999999999999999999",
                                      "nan",
                                      "-inf",
                                      "1e999",
                                      "@",
                                      "_",
                                      "%",
                                      "[",
                                      "]",
                                      "\"",
                                      "\\u0000",
                                      "\n",
                                      "#",
                                      "float",
                                      "int64",
                                      "range=",
                                      "axis=7",
                                      "scale=0",
                                      "weir.Fork",
                                      "weir.Sum",
                                      "Gemm",
                                      "Reshape"};
    const uint8_t *zero = memchr(b->data, 0, b->size);
    size_t text = zero == NULL ? b->size : (size_t)(zero - b->data), length, other_length, at, other;
    if (text == 0) return;
    switch (below(6)) {
    case 0: b->data[below(b->size)] ^= (uint8_t)(1u << below(8)); break;
    case 1:
        at = pick_token(b, text, &length);
        const char *with = odd[below(sizeof odd / sizeof *odd)];
        splice(b, at, length, with, strlen(with));
        break;
    case 2:
        at = pick_token(b, text, &length);
        other = pick_token(b, text, &other_length);
        splice(b, at, length, b->data + other, other_length);
        break;
    case 3:
        at = pick_line(b, text, &length);
        other = pick_line(b, text, &other_length);
        splice(b, at, below(2) * length, b->data + other, other_length);
        break;
    case 4:
        at = pick_line(b, text, &length);
        splice(b, at, length, "", 0);
        break;
    default: at = pick_token(b, text, &length); splice(b, at, length, "", 0);
    }
}

static int run_seed(size_t index, unsigned long long rounds, const char *folder) {
    static buffer seed, work;
    make_seed(&seed, index);
    if (folder != NULL) {
        char path[512];
        snprintf(path, sizeof path, "%s/text%zu", folder, index);
        return weir_file_write(path, seed.data, seed.size) ? 0 : 1;
    }
    size_t accepted = 0;
    int refused = !try_block(seed.data, seed.size);
    if (refused) printf("%s\n", weir_diag_last_error());
    for (size_t length = 0; length < seed.size; length++) try_block(seed.data, length);
    for (unsigned long long round = 0; round < rounds; round++) {
        work = seed;
        for (size_t more = below(4); more < 4; more++) mutate(&work);
        accepted += (size_t)try_block(work.data, work.size);
    }
    printf("seed graph %zu: %s; accepted %zu of %llu mutations\n", index, refused ? "refused" : "accepted", accepted,
           rounds);
    return refused || accepted == 0;
}

int main(int count, char **argument) {
    if (count < 3) return 2;
    random_state = strtoull(argument[1], NULL, 10);
    int failed = 0;
    printf("seed %s\n", argument[1]);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        failed |= run_seed(i, strtoull(argument[2], NULL, 10), count > 3 ? argument[3] : NULL);
    return failed;
}

#endif
