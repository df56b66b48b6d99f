/* A node's entry is a block with the condition that its beat is accepted; in it are declarations (elements of the beat,
 * its number, types and settings), and an assignment, at which the debugger stops. Declarations have no line (0), since
 * hgdb stops at them too, without their values. All names are of the bench `tb`, and each value is a wire of its own,
 * since hgdb reads 32 bits of a signal. A node that only renames a stream has an entry like its producer. */
#include "passes/verilog/symbols.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/stream.h"
#include "ir/graph/metadata.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"

/* Where the bench has a stream; part NULL: nowhere. */
typedef struct probe {
    const char *part; /* "source" or "tap" */
    size_t index;
} probe;

char *weir_symbols_taken(const char *part, size_t index) { return weir_format("%s_%zu_taken", part, index); }

char *weir_symbols_element(const char *part, size_t index, uint32_t lane) {
    return weir_format("%s_%zu_element_%" PRIu32, part, index, lane);
}

/* By value id. Heap memory. */
static probe *find_probes(const weir_graph *graph) {
    probe *probes = weir_calloc(weir_graph_value_limit(graph), sizeof *probes);
    size_t count;
    weir_value *inputs = weir_stream_inputs(graph, &count);
    for (size_t i = 0; i < count; i++) probes[inputs[i].id] = (probe){"source", i};
    free(inputs);
    weir_tap *taps = weir_stream_taps(graph, &count);
    for (size_t i = 0; i < count; i++)
        probes[weir_node_output(graph, taps[i].node, taps[i].output).id] = (probe){"tap", i};
    free(taps);
    return probes;
}

/* A signal of the bench, or a value that does not change. Takes the value over. */
static json_t *variable(const char *name, char *value, bool is_signal) {
    weir_text text = {0};
    weir_text_plain(&text, value, strlen(value));
    json_t *made = json_pack("{s:s, s:s, s:b}", "name", name, "value", text.data, "rtl", is_signal);
    weir_text_free(&text);
    free(value);
    return made;
}

static void declare(json_t *scope, const char *name, char *value, bool is_signal) {
    json_array_append_new(
        scope, json_pack("{s:s, s:i, s:o}", "type", "decl", "line", 0, "variable", variable(name, value, is_signal)));
}

static void declare_integer(json_t *scope, const char *name, int64_t value) {
    if (value != 0) declare(scope, name, weir_format("%" PRId64, value), false);
}

static void declare_settings(json_t *scope, const weir_meta_hardware *hardware) {
    const weir_settings *settings = &hardware->settings;
    if (hardware->module != NULL) declare(scope, "module", weir_copy_string(hardware->module), false);
    for (uint8_t i = 0; i < settings->count; i++) {
        if (settings->place[i] != WEIR_SETTINGS_STORAGE) declare_integer(scope, settings->name[i], settings->value[i]);
        else if (settings->value[i] != 0)
            declare(scope, settings->name[i], weir_copy_string(weir_storage_name((weir_storage)settings->value[i])),
                    false);
    }
#define WEIR_HARDWARE_SETTINGS
#define WEIR_HARDWARE_FIELD(name) declare_integer(scope, #name, hardware->name);
#include "ir/trait/hardware.def"
#undef WEIR_HARDWARE_FIELD
#undef WEIR_HARDWARE_SETTINGS
    if (hardware->storage != WEIR_STORAGE_AUTO)
        declare(scope, "storage", weir_copy_string(weir_storage_name(hardware->storage)), false);
}

/* The entry of a node's output, whose stream is that of `source`. */
static json_t *entry(const weir_graph *graph, weir_node node, uint32_t output, weir_value source, probe at, int line) {
    const weir_value value = weir_node_output(graph, node, output);
    const int64_t lanes = weir_stream_lanes(graph, source);
    json_t *scope = json_array();
    weir_text type = {0};
    for (uint32_t lane = 0; lane < lanes; lane++) {
        char *name = weir_format("element[%" PRIu32 "]", lane);
        declare(scope, name, weir_symbols_element(at.part, at.index, lane), true);
        free(name);
    }
    const char *counter = strcmp(at.part, "tap") == 0 ? "u_record.count" : "count";
    declare(scope, "beat", weir_format("u_%s_%zu.%s", at.part, at.index, counter), true);
    declare(scope, "beats", weir_format("%" PRId64, weir_stream_beats(graph, source, lanes)), false);
    declare(scope, "node", weir_copy_string(weir_node_name(graph, node)), false);
    declare(scope, "operator", weir_copy_string(weir_node_info(graph, node)->full_name), false);
    if (weir_node_output_count(graph, node) > 1) declare(scope, "output", weir_format("%" PRIu32, output), false);
    weir_type_print(weir_value_type(graph, value), &type);
    declare(scope, "type", type.data, false);
    declare_settings(scope, &weir_node_metadata_of(graph, node)->hardware);
    json_array_append_new(scope, json_pack("{s:s, s:i, s:o}", "type", "assign", "line", line, "variable",
                                           variable("taken", weir_symbols_taken(at.part, at.index), true)));
    char *condition = weir_symbols_taken(at.part, at.index);
    json_t *made = json_pack("{s:s, s:s, s:o}", "type", "block", "condition", condition, "scope", scope);
    free(condition);
    return made;
}

static json_t *entries(const weir_graph *graph) {
    probe *probes = find_probes(graph);
    int *line = weir_graph_lines(graph);
    json_t *list = json_array();
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        for (uint32_t i = 0; i < weir_node_output_count(graph, node); i++) {
            const weir_value source = weir_stream_source(graph, weir_node_output(graph, node, i));
            if (probes[source.id].part != NULL)
                json_array_append_new(list, entry(graph, node, i, source, probes[source.id], line[node.id]));
        }
    free(line);
    free(probes);
    return list;
}

bool weir_symbols_write(const weir_graph *graph, const char *folder) {
    json_t *table = json_pack("{s:s, s:s, s:[{s:s, s:s, s:[o], s:[], s:[{s:s, s:s, s:o}]}]}", "generator", "weir",
                              "top", "tb", "table", "type", "module", "name", "tb", "variables",
                              variable("cycle", weir_copy_string("cycle"), true), "instances", "scope", "type", "block",
                              "filename", "hardware.weir", "scope", entries(graph));
    char *path = weir_path_join(folder, "hgdb.json");
    const bool fine = weir_json_write(path, table, JSON_INDENT(2));
    free(path);
    json_decref(table);
    return fine;
}
