/* Files of an exploration under fuzzing: whatever accelerator, workload and mapping are, weir_dse_explore_run ends, and
 * either gives results or an error that says in which line of which file. An input is the three files, with a zero byte
 * between them. Built with WEIR_FUZZ_DRIVER the file is a deterministic stand-in for libFuzzer:
 *   run_dse_mutations SEED ROUNDS FOLDER   mutates the files in FOLDER (tests/dse); `planted` for ROUNDS: one whose
 *                                          refusal has no line */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dse/stages/explore.h"
#include "fuzz_onnx.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "support/text/diag.h"

enum { FILES = 3 };

static bool count_result(void *user, const weir_dse_result *result) {
    *(size_t *)user += result->evaluation != NULL;
    return true;
}

/* Errors, and of these the ones with a line of a file. */
static size_t count_errors(const weir_diag_log *log, size_t *placed) {
    size_t count = 0;
    *placed = 0;
    for (size_t i = 0; i < weir_diag_log_count(log); i++) {
        const weir_diagnostic *d = weir_diag_log_at(log, i);
        if (d->severity != WEIR_SEVERITY_ERROR) continue;
        *placed += d->location.file != NULL && d->location.line > 0;
        count++;
    }
    return count;
}

/* 1: results, 0: refused, -1: neither, both, or without a line. */
static int explore(char *const path[FILES]) {
    const weir_dse_request request = {.accelerator = path[0],
                                      .workload = path[1],
                                      .mapping = path[2],
                                      .objective = "latency",
                                      .lpf_limit = 2,
                                      .spatial_mappings = 2,
                                      .threads = 1,
                                      .mixed_spatial = true,
                                      .data_locality = true};
    weir_dse_registry *registry = weir_dse_registry_new();
    weir_dse_pipeline *pipeline = weir_dse_explore_pipeline(registry, &request);
    weir_diag_log *log = weir_diag_capture();
    size_t results = 0;
    const bool fine = weir_dse_explore_run(pipeline, &request, count_result, &results);
    weir_diag_release(log);
    size_t placed;
    const size_t errors = count_errors(log, &placed);
    const bool sound = fine ? errors == 0 && results > 0 : placed > 0;
    if (!sound)
        fprintf(stderr, "fuzz_dse: %zu results, %zu errors without a line: %s\n", results, errors - placed,
                weir_diag_log_error(log));
    weir_diag_log_free(log);
    weir_dse_pipeline_free(pipeline);
    weir_dse_registry_free(registry);
    return sound ? fine : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *path[FILES];
    for (int i = 0; i < FILES; i++) {
        const uint8_t *zero = size == 0 ? NULL : memchr(data, 0, size);
        const size_t length = zero == NULL ? size : (size_t)(zero - data);
        path[i] = weir_format("fuzz_dse.%d.%ld.yaml", i, (long)getpid());
        if (!weir_file_write(path[i], data, length)) abort();
        data += length + (zero != NULL);
        size -= length + (zero != NULL);
    }
    const int accepted = explore(path);
    if (accepted < 0) abort();
    for (int i = 0; i < FILES; i++) {
        remove(path[i]);
        free(path[i]);
    }
    return accepted * WEIR_FUZZ_ACCEPTED;
}

#ifdef WEIR_FUZZ_DRIVER

static uint64_t random_state;

static size_t below(size_t limit) { return (size_t)(weir_random_next(&random_state) % limit); }

typedef struct text {
    char *data; /* with room for what mutations add */
    size_t size;
} text;

enum { ROOM = 1 << 13 };

/* `with` in the place of `length` bytes. */
static void replace(text *t, size_t at, size_t length, const char *with, size_t size) {
    if (t->size + size - length > t->size + ROOM / 4) return;
    memmove(t->data + at + size, t->data + at + length, t->size - at - length);
    memcpy(t->data + at, with, size);
    t->size += size - length;
}

static void mutate_line(text *t, size_t at) {
    while (at > 0 && t->data[at - 1] != '\n') at--;
    const char *end = memchr(t->data + at, '\n', t->size - at);
    const size_t length = end == NULL ? t->size - at : (size_t)(end - t->data) - at + 1;
    if (below(2) == 0) {
        replace(t, at, length, "", 0);
        return;
    }
    char *copy = weir_format("%.*s", (int)length, t->data + at);
    replace(t, at, 0, copy, strlen(copy));
    free(copy);
}

static void mutate_word(text *t, size_t at) {
    static const char *const words[] = {"0",   "1",    "-1", "99999999999",  "K",     "O",   "I1", "[]",   "{}",
                                        "*",   "OX",   "D1", "D9",           "1e308", "nan", "tl", "fh",   "read",
                                        "2.5", "null", "~",  "ix=1*ox+1*ox", "O=",    "7",   "13", "\"*\""};
    while (at < t->size && (t->data[at] == ' ' || t->data[at] == '\n')) at++;
    size_t end = at;
    while (end < t->size && strchr(" \n,[]{}:", t->data[end]) == NULL) end++;
    const char *word = words[below(sizeof words / sizeof *words)];
    replace(t, at, end - at, word, strlen(word));
}

static void mutate_digit(text *t, size_t at) {
    while (at < t->size && (t->data[at] < '0' || t->data[at] > '9')) at++;
    if (at < t->size) t->data[at] = (char)('0' + below(10));
}

static void mutate(text *t) {
    for (size_t edits = 1 + below(2); edits > 0; edits--) {
        const size_t at = below(t->size + 1), left = t->size - at;
        const char letter = (char)(below(96) + 32);
        switch (below(8)) {
        case 0: replace(t, at, left > 0, &letter, 1); break;
        case 1: replace(t, at, below(left < 30 ? left + 1 : 30), "", 0); break;
        case 2: replace(t, at, 0, "  ", 2); break;
        case 3: mutate_word(t, at); break;
        case 4: mutate_line(t, at); break;
        default: mutate_digit(t, at); break; /* often a file that is taken */
        }
    }
}

static text read_seed(const char *folder, const char *kind, const char *name) {
    char *path = weir_format("%s/%s/%s.yaml", folder, kind, name);
    size_t size;
    char *data = weir_file_read(path, &size);
    if (data == NULL) abort();
    text t = {weir_malloc(size + ROOM), size};
    memcpy(t.data, data, size);
    free(data);
    free(path);
    return t;
}

static int run_round(const char *folder) {
    static const char *const kinds[FILES] = {"hardware", "workload", "mapping"};
    static const char *const seeds[][FILES] = {{"tpu_like", "gemm_layer", "tpu_like"},
                                               {"gemm_l1_l3", "gemm_layer", "gemm_l1_l3"},
                                               {"meta_prototype", "mini_resnet_layers", "meta_prototype_like_mixed"},
                                               {"eyeriss_like", "mini_resnet_layers", "default"}};
    const char *const *seed = seeds[below(sizeof seeds / sizeof *seeds)];
    const size_t mutated = below(FILES);
    text input = {NULL, 0};
    for (size_t i = 0; i < FILES; i++) {
        text t = read_seed(folder, kinds[i], seed[i]);
        if (i == mutated) mutate(&t);
        input.data = weir_realloc(input.data, input.size + t.size + 1);
        memcpy(input.data + input.size, t.data, t.size);
        input.size += t.size;
        input.data[input.size++] = '\0';
        free(t.data);
    }
    const int accepted = LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.size - 1);
    free(input.data);
    return accepted;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    random_state = strtoull(argv[1], NULL, 10);
    long rounds = atol(argv[2]), accepted = 0;
    /* Planted: a file that is not there has no line. */
    if (strcmp(argv[2], "planted") == 0) return explore((char *[]){"absent.yaml", "absent.yaml", "absent.yaml"}) < 0;
    for (long i = 0; i < rounds; i++) accepted += run_round(argv[3]);
    printf("%ld of %ld accepted\n", accepted, rounds);
    /* Mutations that nothing or everything takes test nothing. */
    return rounds > 0 && (accepted < rounds / 10 || accepted > rounds * 9 / 10);
}
#endif
