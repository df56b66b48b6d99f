/* What is read of folders that Weir wrote, as a board's commands read them, under fuzzing: host.json of a compiled
 * design (board/wrap.h) and board.json of a built board (graph/manifest.h). The first byte chooses which, the rest is
 * the file. It is refused with its line, or what it says keeps the bounds that everything behind it relies on. Built
 * with WEIR_FUZZ_DRIVER the file is a deterministic stand-in for libFuzzer: run_board_mutations SEED ROUNDS; `planted`
 * for ROUNDS: a refusal without a line, which must be noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board/wrap.h"
#include "fuzz_onnx.h"
#include "graph/manifest.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"
#include "support/text/diag.h"
#include "wire/memory.h"

static void need(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_board: %s\n", what);
    abort();
}

static void need_streams(const weir_board_stream *streams, size_t count) {
    need(count > 0, "no stream");
    for (size_t i = 0; i < count; i++) {
        need(streams[i].prefix != NULL, "a stream without a prefix");
        need(streams[i].width > 0 && streams[i].width <= WEIR_BOARD_MOST_BITS, "a stream's width");
        need(streams[i].beats > 0 && streams[i].beats <= INT32_MAX, "a stream's beats");
    }
    need(weir_board_frame_bytes(streams, count) > 0, "a frame's bytes");
}

static bool read_design(const char *folder) {
    weir_board_design design;
    const bool fine = weir_board_design_read(folder, &design);
    if (fine) {
        need(design.top != NULL, "no top");
        need_streams(design.input, design.inputs);
        need_streams(design.output, design.outputs);
    }
    weir_board_design_free(&design);
    return fine;
}

static bool read_manifest(const char *folder) {
    weir_board_manifest manifest;
    const bool fine = weir_board_manifest_read(folder, &manifest);
    if (fine) {
        need(manifest.board != NULL && manifest.report != NULL, "no board");
        need(manifest.clock_hz > 0 && manifest.clock_hz <= UINT32_MAX, "a clock");
        need(manifest.baud > 0 && manifest.baud <= UINT32_MAX, "a baud");
        need(manifest.memories <= WEIR_WIRE_MOST_MEMORIES, "memories");
        for (size_t i = 0; i < manifest.memories; i++) {
            const weir_board_manifest_memory *m = &manifest.memory[i];
            need(m->file != NULL && m->layer != NULL, "a memory without a file or a layer");
            need(m->width > 0 && m->width <= WEIR_BOARD_MOST_WIDTH, "a memory's width");
            need(m->words > 0 && m->words <= WEIR_WIRE_MOST_WORDS, "a memory's words");
        }
    }
    weir_board_manifest_free(&manifest);
    return fine;
}

/* 1: taken, 0: refused with its line, -1: refused without. */
static int read_folder(const char *folder, bool design) {
    weir_diag_log *log = weir_diag_capture();
    const bool fine = design ? read_design(folder) : read_manifest(folder);
    weir_diag_release(log);
    size_t errors = 0, placed = 0;
    for (size_t i = 0; i < weir_diag_log_count(log); i++) {
        const weir_diagnostic *d = weir_diag_log_at(log, i);
        if (d->severity != WEIR_SEVERITY_ERROR) continue;
        placed += d->location.file != NULL && d->location.line > 0;
        errors++;
    }
    weir_diag_log_free(log);
    return fine && errors == 0 ? 1 : !fine && placed > 0 ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const bool design = data[0] % 2 == 0;
    char *folder = weir_format("fuzz_board.%ld", (long)getpid());
    char *path = weir_path_join(folder, design ? "host.json" : WEIR_BOARD_MANIFEST);
    (void)mkdir(folder, 0700);
    need(weir_file_write(path, data + 1, size - 1), "a file cannot be written");
    const int read = read_folder(folder, design);
    need(read >= 0, "neither taken nor refused with a line");
    remove(path);
    rmdir(folder);
    free(path);
    free(folder);
    return read * WEIR_FUZZ_ACCEPTED;
}

#ifdef WEIR_FUZZ_DRIVER

enum { ROOM = 4096 };

static const char *const seeds[2] = {
    "{\"top\": \"accelerator\", \"head\": {\"graph\": \"head.weir\", \"outputs\": [{\"name\": \"x\", \"stream\": \"s\", \"type\": \"int8\",\n"
    "\"width\": 8, \"lanes\": 2, \"beats\": 32}]}, \"tail\": {\"inputs\": [{\"stream\": \"m_a\", \"width\": 11, \"lanes\": 1, \"beats\": 10},\n"
    "{\"stream\": \"m_b\", \"width\": 32, \"lanes\": 4, \"beats\": 1}]}}\n",
    "{\"board\": \"icebreaker\", \"bitstream\": \"board.bin\", \"clock_hz\": 24000000, \"baud\": 3000000,\n\"build\": \"0x01234567\", "
    "\"model\": \"0x89abcdef\", \"used\": {\"luts\": 899}, \"simulated\": false,\n"
    "\"memories\": [{\"file\": \"a.hex\", \"layer\": \"a\", \"width\": 43, \"words\": 64, \"crc\": \"0x02728b86\"}], \"loadable\": true}\n",
};

static uint64_t random_state;

static size_t below(size_t limit) { return (size_t)((weir_random_next(&random_state) >> 11) % limit); }

/* `with` in the place of `length` bytes. */
static size_t replace(char *text, size_t size, size_t at, size_t length, const char *with) {
    const size_t more = strlen(with);
    if (size + more - length > ROOM) return size;
    memmove(text + at + more, text + at + length, size - at - length);
    memcpy(text + at, with, more);
    return size + more - length;
}

static size_t change(char *text, size_t size) {
    static const char *const words[] = {"0",      "1",    "-1",   "4294967296", "2147483648", "9223372036854775807",
                                        "1e9",    "null", "true", "\"\"",       "[]",         "{}",
                                        "\"0x\"", "[[[["};
    size_t at = below(size), end;
    switch (below(6)) {
    case 0: text[at] = (char)below(256); return size;
    case 1: return replace(text, size, at, 0, below(2) == 0 ? "," : "\"");
    case 2: return replace(text, size, at, below(size - at) % 30, "");
    case 3: /* a value */
        while (at < size && text[at] != ':') at++;
        if (at == size) return size;
        for (end = ++at; end < size && strchr(",}]", text[end]) == NULL;) end++;
        return replace(text, size, at, end - at, words[below(sizeof words / sizeof *words)]);
    default: /* a digit: often a file that is taken */
        while (at < size && (text[at] < '0' || text[at] > '9')) at++;
        if (at < size) text[at] = (char)('0' + below(10));
        return size;
    }
}

int main(int count, char **argument) {
    if (count < 3) return 2;
    random_state = strtoull(argument[1], NULL, 10);
    if (strcmp(argument[2], "planted") == 0)
        return read_folder("absent", true) < 0; /* a file that is not there has no line */
    const unsigned long long rounds = strtoull(argument[2], NULL, 10);
    int failed = 0;
    printf("seed %s\n", argument[1]);
    for (int kind = 0; kind < 2; kind++) {
        unsigned long long accepted = 0;
        for (unsigned long long round = 0; round < rounds; round++) {
            static char work[1 + ROOM];
            size_t size = strlen(seeds[kind]);
            work[0] = (char)kind;
            memcpy(work + 1, seeds[kind], size);
            for (size_t more = 1 + below(3); more > 0 && size > 0; more--) size = change(work + 1, size);
            accepted += (unsigned long long)try_block((const uint8_t *)work, size + 1);
        }
        printf("%s: accepted %llu of %llu\n", kind == 0 ? "host.json" : WEIR_BOARD_MANIFEST, accepted, rounds);
        /* Mutations that nothing or everything takes test nothing. */
        failed |= accepted < rounds / 10 || accepted > rounds * 9 / 10;
    }
    return failed;
}

#endif
