#include "synth/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/file.h"
#include "support/text.h"

/* Nets of one word of the record: a long concatenation takes Icarus the square of its length. */
enum { WORD = 64, MOST_NAMED = 8 };
/* Looking at all nets takes a third of a simulation's time: after the first edges of each run it happens at each so many-th, a prime, so that it meets
 * every phase of the frames. */
enum { ALL_EDGES = 1024, SOME_EDGES = 17 };

/* The lines of the last module: its nets of one bit, and an output that ends frames. */
typedef struct nets {
    char *text; /* of the netlist; names are cut out of it */
    size_t end; /* where its last "endmodule" stands */
    const char **name;
    size_t count, capacity;
    const char *last; /* "m_last"; NULL: there is none */
} nets;

/* The name that a line "  word NAME;" declares, zero-terminated there; NULL: it is another line, or of several bits. */
static char *declared(char *line, const char *word) {
    const size_t length = strlen(word);
    char *end = strchr(line, ';');
    if (strncmp(line, word, length) != 0 || line[length] == '[' || end == NULL) return NULL;
    *end = '\0';
    return line + length;
}

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), more = strlen(end);
    return length >= more && strcmp(name + length - more, end) == 0;
}

static bool read_nets(const char *path, nets *n) {
    size_t size = 0;
    *n = (nets){.text = weir_file_read(path, &size)};
    if (n->text == NULL) return false;
    char *from = n->text, *end = NULL;
    for (char *at = n->text; (at = strstr(at, "\nmodule ")) != NULL; at++) from = at;
    for (char *at = from; (at = strstr(at, "\nendmodule")) != NULL; at++) end = at;
    if (end == NULL) {
        weir_error(weir_at(path, 0), "expected a module");
        return false;
    }
    n->end = (size_t)(end - n->text) + 1;
    for (char *line = from; line != NULL && line < end; line = strchr(line, '\n')) {
        line += *line == '\n';
        char *next = strchr(line, '\n'), *output = declared(line, "  output "), *net = declared(line, "  wire ");
        if (next != NULL && output != NULL && n->last == NULL && ends_with(output, "_last")) n->last = output;
        if (net != NULL && strcmp(net, "clk") != 0) {
            n->name = weir_grow(n->name, &n->capacity, n->count + 1, sizeof *n->name);
            n->name[n->count++] = net;
        }
        line = next;
        if (line == NULL) break;
    }
    return true;
}

static void free_nets(nets *n) {
    free(n->name);
    free(n->text);
}

static size_t words_of(const nets *n) { return (n->count + WORD - 1) / WORD; }

/* The words of nets, each of which the next edge adds to what they have been. */
static void put_words(const nets *n, weir_text *to) {
    for (size_t w = 0; w < words_of(n); w++) {
        const size_t end = (w + 1) * WORD < n->count ? (w + 1) * WORD : n->count;
        weir_text_add(to, "        weir_now = {");
        for (size_t i = w * WORD; i < end; i++) weir_text_format(to, "%s%s", i > w * WORD ? ", " : "", n->name[i]);
        weir_text_format(to, "};\n        weir_ones[%zu] = weir_ones[%zu] | weir_now;\n", w, w);
        weir_text_format(to, "        weir_zeros[%zu] = weir_zeros[%zu] | ~weir_now;\n", w, w);
    }
}

static void put_watch(const nets *n, const char *record, weir_text *to) {
    const int stem = (int)(strlen(n->last) - strlen("last"));
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
                     "        end\n        if (%.*svalid && %.*sready && %s) begin\n            weir_file = $fopen(",
                     stem, n->last, stem, n->last, n->last);
    weir_text_quoted(to, record);
    weir_text_format(to,
                     ", \"w\");\n            for (weir_word = 0; weir_word < %zu; weir_word = weir_word + 1)\n"
                     "                $fdisplay(weir_file, \"%%b %%b\", weir_ones[weir_word], weir_zeros[weir_word]);\n"
                     "            $fclose(weir_file);\n        end\n    end\n",
                     words_of(n));
}

bool weir_synth_watch(const char *netlist, const char *to, const char *record) {
    nets n;
    size_t size = 0;
    char *original = weir_file_read(netlist, &size);
    bool fine = original != NULL && read_nets(netlist, &n);
    if (fine) {
        weir_text text = {0};
        weir_text_add_n(&text, original, n.end);
        if (n.count > 0 && n.last != NULL) put_watch(&n, record, &text);
        weir_text_add(&text, original + n.end);
        fine = weir_file_write(to, text.data, text.size);
        weir_text_free(&text);
        free_nets(&n);
    }
    free(original);
    return fine;
}

/* The bits of the word that starts at `at`, from the last net on. */
static bool is_one(const char *word, size_t nets_in_word, size_t i) { return word[WORD - nets_in_word + i] == '1'; }

bool weir_synth_coverage_read(const char *netlist, const char *record, weir_synth_coverage *coverage) {
    nets n;
    size_t size = 0, named = 0;
    char *text = weir_file_read_quietly(record, &size);
    *coverage = (weir_synth_coverage){0};
    if (text == NULL || !read_nets(netlist, &n)) {
        free(text);
        return false;
    }
    weir_text still = {0};
    coverage->nets = n.count;
    for (size_t i = 0; i < n.count; i++) {
        const size_t w = i / WORD, in_word = n.count - w * WORD < WORD ? n.count - w * WORD : WORD;
        const size_t line = 2 * (WORD + 1);
        const char *ones = text + w * line, *zeros = ones + WORD + 1;
        const bool toggled =
            (w + 1) * line <= size && is_one(ones, in_word, i % WORD) && is_one(zeros, in_word, i % WORD);
        coverage->toggled += toggled;
        if (!toggled && named++ < MOST_NAMED) weir_text_format(&still, "%s%s", still.size > 0 ? " " : "", n.name[i]);
    }
    coverage->still = still.data != NULL ? still.data : weir_copy_string("");
    free_nets(&n);
    free(text);
    return true;
}
