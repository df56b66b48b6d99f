#include "round_trip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/export/onnx_export.h"
#include "frontend/import/onnx.h"
#include "ir/graph/print.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/text/text.h"

typedef struct lines {
    char *text;
    const char **line;
    size_t count, capacity;
} lines;

static int compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The graph's lines, constants sorted. */
static lines lines_of(const weir_graph *graph) {
    weir_text text = {0};
    weir_graph_print(graph, &text);
    lines result = {.text = text.data};
    size_t first = 0, last = 0;
    for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        result.line = weir_grow(result.line, &result.capacity, result.count + 1, sizeof *result.line);
        result.line[result.count++] = line;
        if (strncmp(line, "constant ", 9) != 0) continue;
        if (last == 0) first = result.count - 1;
        last = result.count;
    }
    if (last > 0) qsort(result.line + first, last - first, sizeof *result.line, compare);
    return result;
}

static void free_lines(lines *l) {
    free(l->line);
    free(l->text);
}

/* A copy without what does not count. */
static weir_graph *plain_copy(const weir_graph *graph) {
    weir_graph *copy = weir_graph_copy(graph);
    weir_graph_set_name(copy, "");
    weir_graph_set_source(copy, "");
    for (weir_node node = weir_graph_first(copy); node.id != 0; node = weir_node_next(copy, node))
        weir_node_set_location(copy, node, WEIR_NOWHERE);
    for (uint32_t id = 1; id < weir_graph_value_limit(copy); id++) {
        weir_value value = {id};
        if (weir_value_exists(copy, value) && weir_value_constant(copy, value) != NULL &&
            weir_value_use_count(copy, value) == 0 && !weir_value_is_output(copy, value))
            weir_graph_remove_value(copy, value);
    }
    return copy;
}

static bool same_lines(const weir_graph *a, const weir_graph *b) {
    lines left = lines_of(a), right = lines_of(b);
    size_t i = 0;
    while (i < left.count && i < right.count && strcmp(left.line[i], right.line[i]) == 0) i++;
    bool same = i == left.count && i == right.count;
    if (!same)
        printf("graphs differ in line %zu:\n  %s\n  %s\n", i + 1, i < left.count ? left.line[i] : "(end)",
               i < right.count ? right.line[i] : "(end)");
    free_lines(&left);
    free_lines(&right);
    return same;
}

static bool same_constants(const weir_graph *a, const weir_graph *b) {
    weir_archive left, right;
    weir_archive_init(&left);
    weir_archive_init(&right);
    weir_graph_collect(a, &left);
    weir_graph_collect(b, &right);
    bool same = left.count == right.count;
    for (size_t i = 0; same && i < left.count; i++) {
        const weir_array *other = weir_archive_find(&right, left.name[i]);
        same = other != NULL && weir_array_equal(left.array[i], other);
        if (!same) printf("constant '%s' differs\n", left.name[i]);
    }
    weir_archive_free(&left);
    weir_archive_free(&right);
    return same;
}

bool same_graph(const weir_graph *a, const weir_graph *b) {
    weir_graph *left = plain_copy(a), *right = plain_copy(b);
    bool same = same_lines(left, right) && same_constants(left, right);
    weir_graph_free(left);
    weir_graph_free(right);
    return same;
}

weir_graph *read_back(const weir_graph *graph) {
    size_t size = 0;
    void *bytes = weir_onnx_export_bytes(graph, NULL, &size);
    weir_graph *again = bytes == NULL ? NULL : weir_onnx_import_bytes(bytes, size, "again.onnx", NULL, NULL);
    free(bytes);
    return again;
}

bool text_round_trips(const weir_graph *graph) {
    weir_text first = {0}, second = {0};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_print(graph, &first);
    weir_graph_collect(graph, &archive);
    weir_graph *parsed = weir_graph_parse(first.data, first.size, &archive, "again.weir");
    if (parsed != NULL) weir_graph_print(parsed, &second);
    bool equal = parsed != NULL && strcmp(first.data, second.data) == 0;
    weir_graph_free(parsed);
    weir_archive_free(&archive);
    weir_text_free(&first);
    weir_text_free(&second);
    return equal;
}
