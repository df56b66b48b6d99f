/* emit_host: what a driver of the hardware has to run and how it talks to it: FOLDER/host.json, and the host's parts as
 * graphs, FOLDER/head.weir from the model's inputs to codes and FOLDER/tail.weir from codes to the model's outputs. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/frame.h"
#include "dataflow/host.h"
#include "dataflow/host_graph.h"
#include "dataflow/state.h"
#include "exec/normalize.h"
#include "ir/graph/print.h"
#include "ir/trait/recurrence.h"
#include "passes/verilog/emit.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"

enum { SCHEMA = 1 };

static json_t *shape_json(const weir_shape *shape) {
    json_t *list = json_array();
    for (int d = 0; d < shape->rank; d++) json_array_append_new(list, json_integer((json_int_t)shape->dim[d]));
    return list;
}

static json_t *tensor_json(const weir_graph *graph, weir_value value, const char *name) {
    const weir_type *type = weir_value_type(graph, value);
    return json_pack("{s:s, s:s, s:o}", "name", name, "type", weir_dtype_name(type->dtype), "shape",
                     shape_json(&type->shape));
}

/* A stream of codes at the edge, with the name of its value in head or tail. */
static json_t *stream_json(const weir_graph *graph, weir_value value, const char *prefix) {
    bool is_signed;
    const int width = weir_stream_width(graph, value, &is_signed);
    const int64_t lanes = weir_stream_lanes(graph, value);
    json_t *stream = tensor_json(graph, value, weir_value_name(graph, value));
    json_object_set_new(stream, "stream", json_string(prefix));
    json_object_set_new(stream, "elements", json_integer((json_int_t)weir_stream_elements(graph, value)));
    json_object_set_new(stream, "width", json_integer(width));
    json_object_set_new(stream, "signed", json_boolean(is_signed));
    json_object_set_new(stream, "lanes", json_integer((json_int_t)lanes));
    json_object_set_new(stream, "beats", json_integer((json_int_t)weir_stream_beats(graph, value, lanes)));
    return stream;
}

/* The port that tells of damaged frames. */
static void add_port(json_t *stream, const char *prefix, const char *what) {
    json_object_set_new(stream, what, json_sprintf("%s_%s", prefix, what));
}

static json_t *streams_json(const weir_graph *graph, const char *side, const weir_value *values, size_t count) {
    json_t *list = json_array();
    char **prefixes = weir_emit_prefixes(graph, side, values, count);
    for (size_t i = 0; i < count; i++) {
        json_t *stream = stream_json(graph, values[i], prefixes[i]);
        add_port(stream, prefixes[i], *side == 's' ? "error_count" : "error");
        json_array_append_new(list, stream);
        free(prefixes[i]);
    }
    free(prefixes);
    return list;
}

static json_t *nodes_json(const weir_graph *graph, weir_host part) {
    json_t *list = json_array();
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_host_of(graph, node) != part) continue;
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", weir_node_name(graph, node), "operator",
                                              weir_node_info(graph, node)->full_name));
    }
    return list;
}

/* What goes from the head to the tail past the hardware. */
static json_t *carried_json(const weir_graph *graph) {
    size_t count;
    weir_value *values = weir_stream_carried(graph, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, tensor_json(graph, values[i], weir_value_name(graph, values[i])));
    free(values);
    return list;
}

static json_t *head_json(const weir_graph *graph) {
    size_t count;
    weir_value *values = weir_stream_inputs(graph, &count);
    json_t *inputs = json_array();
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_value value = weir_graph_input(graph, i);
        json_array_append_new(inputs, tensor_json(graph, value, weir_value_name(graph, value)));
    }
    json_t *head = json_pack("{s:s, s:o, s:o, s:o}", "graph", "head.weir", "nodes", nodes_json(graph, WEIR_HOST_HEAD),
                             "inputs", inputs, "outputs", streams_json(graph, "s", values, count));
    json_object_set_new(head, "carried", carried_json(graph));
    free(values);
    return head;
}

static json_t *tail_json(const weir_graph *graph) {
    size_t count;
    weir_value *values = weir_stream_outputs(graph, &count);
    json_t *outputs = json_array();
    for (size_t i = 0; i < weir_graph_output_count(graph); i++)
        json_array_append_new(outputs,
                              tensor_json(graph, weir_graph_output(graph, i), weir_graph_output_name(graph, i)));
    json_t *tail = json_pack("{s:s, s:o, s:o, s:o}", "graph", "tail.weir", "nodes", nodes_json(graph, WEIR_HOST_TAIL),
                             "inputs", streams_json(graph, "m", values, count), "outputs", outputs);
    json_object_set_new(tail, "carried", carried_json(graph));
    free(values);
    return tail;
}

static bool save(weir_graph *part, const weir_folder *output, const char *name) {
    char *path = weir_path_join(weir_folder_staging(output), name);
    const bool fine = weir_graph_save(part, path);
    free(path);
    weir_graph_free(part);
    return fine;
}

static bool write_json(const weir_folder *output, json_t *root) {
    char *path = weir_path_join(weir_folder_staging(output), "host.json");
    const bool fine = weir_json_write(path, root, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    free(path);
    json_decref(root);
    return fine;
}

/* What defines results beside the contract, by name: {"exact-norm": {"k": 26}}; NULL: nothing does. `integer`: as
 * lower_integer made it, or NULL. */
static json_t *arithmetic_json(const weir_graph *graph, const weir_graph *integer) {
    json_t *found = json_object();
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_op op = weir_node_op(graph, node);
        const int64_t bits = op == WEIR_OP_SOFTMAX_INTEGER ? weir_node_int(graph, node, "bits", 0) : 0;
        if (op == WEIR_OP_NORMALIZE_CODES)
            json_object_set_new(found, "exact-norm", json_pack("{s:i}", "k", WEIR_NORMALIZE_EXACT));
        if (bits > 0) json_object_set_new(found, "exact-softmax", json_pack("{s:I}", "k", (json_int_t)bits));
    }
    for (weir_node node = integer == NULL ? WEIR_NO_NODE : weir_graph_first(integer); node.id != 0;
         node = weir_node_next(integer, node))
        if (strcmp(weir_node_string(integer, node, "arithmetic", ""), "requantshift") == 0)
            json_object_set_new(found, "requantshift", json_object());
    if (json_object_size(found) > 0) return found;
    json_decref(found);
    return NULL;
}

/* What the hardware remembers; NULL: nothing. */
static json_t *states_json(const weir_graph *graph) {
    json_t *list = NULL;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE) continue;
        if (list == NULL) list = json_array();
        const weir_value value = weir_node_output(graph, node, 0);
        bool is_signed;
        const int width = weir_stream_width(graph, value, &is_signed);
        json_t *state = tensor_json(graph, value, weir_node_name(graph, node));
        json_object_set_new(state, "next", json_string(weir_node_name(graph, weir_recurrence_update(graph, node))));
        json_object_set_new(state, "width", json_integer(width));
        json_object_set_new(state, "signed", json_boolean(is_signed));
        json_object_set_new(state, "steps", json_integer((json_int_t)weir_state_steps(graph, node)));
        json_object_set_new(state, "kept", json_boolean(weir_recurrence_is_kept(graph, node)));
        const int64_t longest = weir_node_int(graph, node, "longest", 0);
        if (longest > 0) json_object_set_new(state, "longest", json_integer((json_int_t)longest));
        json_array_append_new(list, state);
    }
    return list;
}

bool weir_pass_emit_host(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *graph = weir_module_find_graph(module, "hardware");
    const char *top = weir_module_string(module, "top", NULL);
    (void)context;
    weir_folder *output = weir_emit_open(pass, module);
    bool fine = output != NULL && save(weir_host_graph_head(graph), output, "head.weir") &&
                save(weir_host_graph_tail(graph), output, "tail.weir");
    if (fine) {
        json_t *root = json_pack("{s:i, s:s, s:s, s:o, s:o}", "schema", SCHEMA, "top", top, "contract",
                                 weir_graph_contract_name(weir_graph_contract_of(graph)), "head", head_json(graph),
                                 "tail", tail_json(graph)),
               *arithmetic = arithmetic_json(graph, weir_module_find_graph(module, "integer"));
        json_t *states = states_json(graph);
        if (arithmetic != NULL) json_object_set_new(root, "arithmetic", arithmetic);
        if (states != NULL) json_object_set_new(root, "states", states);
        if (weir_frame_states(graph) > 0)
            json_object_set_new(root, WEIR_FRAME_RESET_STATE, json_string(WEIR_FRAME_RESET_STATE));
        fine = write_json(output, root);
    }
    return weir_emit_close(output, fine);
}
