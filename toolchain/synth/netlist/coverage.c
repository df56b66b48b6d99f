#include "synth/netlist/coverage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

/* Nets of one word of the record: a long concatenation takes Icarus the square of its length. */
enum { WORD = 64, MOST_NAMED = 8 };
/* Looking at all nets takes a third of a simulation's time: after the first edges of each run it happens at each so
 * many-th, a prime, so that it meets every phase of the frames. */
enum { ALL_EDGES = 1024, SOME_EDGES = 17 };

/* A name in the netlist's text. */
typedef struct name {
    const char *text;
    int length;
} name;

/* The lines of the last module: its nets of one bit, and an output that ends frames. */
typedef struct nets {
    char *text; /* of the netlist, which names point into */
    size_t end; /* where its last "endmodule" stands */
    name *net;
    size_t count, capacity;
    name last; /* "m_last"; of no length: there is none */
} nets;

static bool is_name(const name *n, const char *text) {
    return (size_t)n->length == strlen(text) && strncmp(n->text, text, strlen(text)) == 0;
}

static bool ends_with(const name *n, const char *end) {
    const int more = (int)strlen(end);
    return n->length >= more && strncmp(n->text + n->length - more, end, (size_t)more) == 0;
}

/* The name that a line "  word NAME;" declares; false: it is another line, or of several bits. */
static bool is_declared(const char *line, const char *word, name *declared) {
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || line[length] == '[') return false;
    *declared = (name){line + length, (int)strcspn(line + length, ";\n")};
    return line[length + (size_t)declared->length] == ';';
}

static void read_line(nets *n, const char *line) {
    name found;
    if (n->last.length == 0 && is_declared(line, "  output ", &found) && ends_with(&found, "_last")) n->last = found;
    if (!is_declared(line, "  wire ", &found) || is_name(&found, "clk")) return;
    n->net = weir_grow(n->net, &n->capacity, n->count + 1, sizeof *n->net);
    n->net[n->count++] = found;
}

/* False after a reported error; free the nets in any case. */
static bool read_nets(const char *path, nets *n) {
    size_t size = 0;
    *n = (nets){.text = weir_file_read(path, &size)};
    if (n->text == NULL) return false;
    const char *from = n->text, *end = NULL;
    for (const char *at = n->text; (at = strstr(at, "\nmodule ")) != NULL; at++) from = at;
    for (const char *at = from; (at = strstr(at, "\nendmodule")) != NULL; at++) end = at;
    if (end == NULL) {
        weir_error(weir_at(path, 0), "expected a module");
        return false;
    }
    n->end = (size_t)(end - n->text) + 1;
    for (const char *line = from; line != NULL && line < end; line = strchr(line + 1, '\n')) read_line(n, line + 1);
    return true;
}

static void free_nets(nets *n) {
    free(n->net);
    free(n->text);
}

static size_t words_of(const nets *n) { return (n->count + WORD - 1) / WORD; }

/* Adds what the nets are to what they have been, a word of them after the other. */
static void put_words(const nets *n, weir_text *to) {
    for (size_t w = 0; w < words_of(n); w++) {
        const size_t end = (w + 1) * WORD < n->count ? (w + 1) * WORD : n->count;
        weir_text_add(to, "        weir_now = {");
        for (size_t i = w * WORD; i < end; i++)
            weir_text_format(to, "%s%.*s", i > w * WORD ? ", " : "", n->net[i].length, n->net[i].text);
        weir_text_format(to, "};\n        weir_ones[%zu] = weir_ones[%zu] | weir_now;\n", w, w);
        weir_text_format(to, "        weir_zeros[%zu] = weir_zeros[%zu] | ~weir_now;\n", w, w);
    }
}

static void put_watch(const nets *n, const char *record, weir_text *to) {
    const int stem = n->last.length - (int)strlen("last");
    weir_text_format(
        to,
        "    reg [%d:0] weir_ones [0:%zu], weir_zeros [0:%zu];\n    reg [%d:0] weir_now;\n"
        "    integer weir_file, weir_word, weir_read, weir_edge;\n    initial begin\n        weir_edge = 0;\n"
        "        for (weir_word = 0; weir_word < %zu; weir_word = weir_word + 1) begin\n"
        "            weir_ones[weir_word] = 0;\n            weir_zeros[weir_word] = 0;\n        end\n",
        WORD - 1, words_of(n) - 1, words_of(n) - 1, WORD - 1, words_of(n));
    weir_text_format(to, "        weir_file = $fopen(");
    weir_text_quoted(to, record);
    weir_text_format(to,
                     ", \"r\");\n        if (weir_file != 0) begin\n"
                     "            for (weir_word = 0; weir_word < %zu; weir_word = weir_word + 1)\n"
                     "                weir_read = $fscanf(weir_file, \"%%b %%b\", weir_ones[weir_word], "
                     "weir_zeros[weir_word]);\n"
                     "            $fclose(weir_file);\n        end\n    end\n    always @(posedge clk) begin\n"
                     "        weir_edge = weir_edge + 1;\n"
                     "        if (weir_edge <= %d || weir_edge %% %d == 0) begin\n",
                     words_of(n), ALL_EDGES, SOME_EDGES);
    put_words(n, to);
    weir_text_format(to,
                     "        end\n        if (%.*svalid && %.*sready && %.*s) begin\n            weir_file = $fopen(",
                     stem, n->last.text, stem, n->last.text, n->last.length, n->last.text);
    weir_text_quoted(to, record);
    weir_text_format(to,
                     ", \"w\");\n            for (weir_word = 0; weir_word < %zu; weir_word = weir_word + 1)\n"
                     "                $fdisplay(weir_file, \"%%b %%b\", weir_ones[weir_word], weir_zeros[weir_word]);\n"
                     "            $fclose(weir_file);\n        end\n    end\n",
                     words_of(n));
}

bool weir_synth_watch(const char *netlist, const char *to, const char *record) {
    nets n;
    bool fine = read_nets(netlist, &n);
    if (fine) {
        weir_text text = {0};
        weir_text_add_n(&text, n.text, n.end);
        if (n.count > 0 && n.last.length > 0) put_watch(&n, record, &text);
        weir_text_add(&text, n.text + n.end);
        fine = weir_file_write(to, text.data, text.size);
        weir_text_free(&text);
    }
    free_nets(&n);
    return fine;
}

/* The bits of the word that starts at `at`, from the last net on. */
static bool is_one(const char *word, size_t nets_in_word, size_t i) {
    assert(nets_in_word <= WORD && i < nets_in_word);
    return word[WORD - nets_in_word + i] == '1';
}

bool weir_synth_coverage_read(const char *netlist, const char *record, weir_synth_coverage *coverage) {
    nets n = {.text = NULL};
    size_t size = 0, named = 0;
    char *text = weir_file_read_quietly(record, &size);
    *coverage = (weir_synth_coverage){0};
    const bool fine = text != NULL && read_nets(netlist, &n);
    weir_text still = {0};
    coverage->nets = n.count;
    for (size_t i = 0; fine && i < n.count; i++) {
        const size_t w = i / WORD, in_word = n.count - w * WORD < WORD ? n.count - w * WORD : WORD;
        const size_t line = 2 * (WORD + 1);
        const char *ones = text + w * line, *zeros = ones + WORD + 1;
        const bool toggled =
            (w + 1) * line <= size && is_one(ones, in_word, i % WORD) && is_one(zeros, in_word, i % WORD);
        coverage->toggled += toggled;
        if (!toggled && named++ < MOST_NAMED)
            weir_text_format(&still, "%s%.*s", still.size > 0 ? " " : "", n.net[i].length, n.net[i].text);
    }
    if (fine) coverage->still = still.data != NULL ? still.data : weir_copy_string("");
    free_nets(&n);
    free(text);
    return fine;
}
