/* emit_verilog_tb: the bench as a module of the hardware IR, made of the parts in sim/bench (sim/README.md gives the
 * instance names that the harness looks for): FOLDER/tb/tb.v drives and records the edges only; FOLDER/tb_debug/tb.v
 * also taps every stream between components and meters every component. For a debugger (symbols.h) it has wires for
 * what the symbol table names: whether a beat is accepted, and each of its elements in the element's own type. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/frame.h"
#include "passes/verilog/emit.h"
#include "passes/verilog/symbols.h"
#include "rtlir/reader/read.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"

enum { RING_DEPTH = 1024 };

typedef struct bench {
    const weir_pass_context *context;
    weir_graph *graph;
    const weir_rtl_design *design; /* under test */
    const weir_wires *streams;     /* its streams by value id */
    weir_rtl_design *bench;        /* the bench alone; the design under test is a module read from its file */
    weir_rtl_module tb;
    weir_rtl_instance dut;
    weir_rtl_expr clk, rst, cycle;
    weir_rtl_expr *request; /* from the parts, in order of creation */
    size_t requests, capacity;
    bool symbols; /* wires for a debugger */
} bench;

static weir_rtl_expr add_wire(bench *b, const char *base, const char *suffix, uint32_t width) {
    char *name = weir_format("%s_%s", base, suffix);
    weir_rtl_var var = weir_rtl_add_wire(b->bench, b->tb, weir_rtl_free_name(b->bench, b->tb, name), width);
    free(name);
    return weir_rtl_read(b->bench, var);
}

/* A part with clock, reset and cycle connected, named u_KIND_INDEX. */
static weir_rtl_instance add_part(bench *b, const char *kind, size_t index) {
    char *module = weir_format("weir_sim_%s", kind), *name = weir_format("u_%s_%zu", kind, index);
    weir_rtl_instance part = weir_rtl_add_instance(b->bench, b->tb, weir_library_module(b->bench, module), name);
    weir_rtl_connect(b->bench, part, "clk", b->clk);
    weir_rtl_connect(b->bench, part, "rst", b->rst);
    weir_rtl_connect(b->bench, part, "cycle", b->cycle);
    free(module);
    free(name);
    return part;
}

static void add_request(bench *b, weir_rtl_instance part, const char *kind, size_t index) {
    char *base = weir_format("%s_%zu", kind, index);
    b->request = weir_grow(b->request, &b->capacity, b->requests + 1, sizeof *b->request);
    b->request[b->requests] = add_wire(b, base, "request", 1);
    weir_rtl_connect(b->bench, part, "request", b->request[b->requests++]);
    free(base);
}

static void add_clock(bench *b) {
    weir_rtl_var clk = weir_rtl_add_wire_of(b->bench, b->tb, "clk", WEIR_RTL_CLOCK);
    weir_rtl_var rst = weir_rtl_add_wire_of(b->bench, b->tb, "rst", WEIR_RTL_RESET);
    weir_rtl_var cycle = weir_rtl_add_wire(b->bench, b->tb, "cycle", 32);
    b->clk = weir_rtl_read(b->bench, clk);
    b->rst = weir_rtl_read(b->bench, rst);
    b->cycle = weir_rtl_read(b->bench, cycle);
    weir_rtl_instance part =
        weir_rtl_add_instance(b->bench, b->tb, weir_library_module(b->bench, "weir_sim_clock"), "u_clock");
    weir_rtl_connect(b->bench, part, "clk", b->clk);
    weir_rtl_connect(b->bench, part, "rst", b->rst);
    weir_rtl_connect(b->bench, part, "cycle", b->cycle);
}

/* NAME = value, for the debugger alone: no pass removes it. */
static void show_value(bench *b, char *name, bool is_signed, uint32_t width, weir_rtl_expr value) {
    weir_rtl_var var = is_signed ? weir_rtl_add_wire_signed(b->bench, b->tb, name, width)
                                 : weir_rtl_add_wire(b->bench, b->tb, name, width);
    weir_rtl_set_attribute(b->bench, WEIR_RTL_ITEM(var), "keep");
    weir_rtl_assign(b->bench, b->tb, weir_rtl_read(b->bench, var),
                    is_signed ? weir_rtl_as_signed(b->bench, value) : value);
    free(name);
}

/* What the symbol table says of a stream (symbols.h). */
static void show_stream(bench *b, const char *part, size_t index, weir_value value, weir_rtl_expr valid,
                        weir_rtl_expr ready, weir_rtl_expr data) {
    const int64_t lanes = weir_stream_lanes(b->graph, value);
    bool is_signed;
    const uint32_t bits = (uint32_t)weir_stream_width(b->graph, value, &is_signed);
    show_value(b, weir_symbols_taken(part, index), false, 1, weir_rtl_binary(b->bench, WEIR_RTL_AND, valid, ready));
    for (uint32_t lane = 0; lane < lanes; lane++)
        show_value(b, weir_symbols_element(part, index, lane), is_signed, bits,
                   lanes == 1 ? data : weir_rtl_slice(b->bench, data, (lane + 1) * bits - 1, lane * bits));
}

/* A source or sink on a stream of the design under test. */
static void add_edge(bench *b, const char *kind, const char *prefix, size_t index, weir_value value) {
    static const char *const signals[] = {"valid", "ready", "data", "last"};
    bool is_signed;
    uint32_t width = (uint32_t)(weir_stream_lanes(b->graph, value) * weir_stream_width(b->graph, value, &is_signed));
    const char *mirror = *prefix == 's' ? "m" : "s";
    weir_rtl_instance part = add_part(b, kind, index);
    weir_rtl_set_parameter(b->bench, part, "WIDTH", width);
    weir_rtl_set_parameter(b->bench, part, "DEPTH", RING_DEPTH);
    weir_rtl_expr signal[4];
    for (size_t i = 0; i < 4; i++) {
        signal[i] = add_wire(b, prefix, signals[i], i == 2 ? width : 1);
        char *own = weir_format("%s_%s", mirror, signals[i]), *port = weir_format("%s_%s", prefix, signals[i]);
        weir_rtl_connect(b->bench, part, own, signal[i]);
        weir_rtl_connect(b->bench, b->dut, port, signal[i]);
        free(own);
        free(port);
    }
    const bool is_source = *prefix == 's', tells = is_source && index == 0 && weir_frame_states(b->graph) > 0;
    if (is_source && !tells) weir_rtl_leave_open(b->bench, part, "m_" WEIR_FRAME_RESET_STATE);
    if (tells) {
        const weir_rtl_expr reset = add_wire(b, prefix, WEIR_FRAME_RESET_STATE, 1);
        weir_rtl_connect(b->bench, part, "m_" WEIR_FRAME_RESET_STATE, reset);
        weir_rtl_connect(b->bench, b->dut, WEIR_FRAME_RESET_STATE, reset);
    }
    if (is_source && b->symbols) show_stream(b, kind, index, value, signal[0], signal[1], signal[2]);
    const char *said = is_source ? "error_count" : "error";
    weir_rtl_expr errors = add_wire(b, prefix, said, is_source ? WEIR_FRAME_COUNT_BITS : 1);
    char *own = weir_format("%s_%s", mirror, said), *port = weir_format("%s_%s", prefix, said);
    weir_rtl_connect(b->bench, part, own, errors);
    weir_rtl_connect(b->bench, b->dut, port, errors);
    free(own);
    free(port);
    add_request(b, part, kind, index);
}

/* Takes the values. */
static void add_side(bench *b, const char *kind, const char *side, weir_value *values, size_t count) {
    char **prefixes = weir_emit_prefixes(b->graph, side, values, count);
    for (size_t i = 0; i < count; i++) {
        add_edge(b, kind, prefixes[i], i, values[i]);
        free(prefixes[i]);
    }
    free(prefixes);
    free(values);
}

static void add_edges(bench *b) {
    size_t count;
    weir_value *values = weir_stream_inputs(b->graph, &count);
    add_side(b, "source", "s", values, count);
    values = weir_stream_outputs(b->graph, &count);
    add_side(b, "sink", "m", values, count);
}

/* A signal of the design under test, as the design names it; bits of a vector stay bits of it. */
static weir_rtl_expr inside(bench *b, weir_rtl_expr signal) {
    weir_rtl_expr_info info = weir_rtl_get_expr(b->design, signal);
    weir_rtl_var_info var = weir_rtl_get_var(b->design, info.var);
    char *path = weir_format("dut.%s", var.name);
    weir_rtl_expr whole = weir_rtl_read(b->bench, weir_rtl_add_path(b->bench, b->tb, path, var.width));
    free(path);
    return info.kind == WEIR_RTL_EXPR_SLICE ? weir_rtl_slice(b->bench, whole, info.low + info.width - 1, info.low)
                                            : whole;
}

static void add_taps(bench *b) {
    size_t count;
    weir_tap *taps = weir_stream_taps(b->graph, &count);
    for (size_t i = 0; i < count; i++) {
        weir_node node = taps[i].node;
        weir_value value = weir_node_output(b->graph, node, taps[i].output);
        const weir_wires *stream = &b->streams[value.id];
        int64_t width = stream->lanes * stream->element_bits;
        weir_rtl_instance part = add_part(b, "tap", i);
        weir_rtl_set_parameter(b->bench, part, "WIDTH", width);
        weir_rtl_set_parameter(b->bench, part, "DEPTH", RING_DEPTH);
        weir_rtl_expr valid = inside(b, stream->valid), ready = inside(b, stream->ready);
        weir_rtl_expr data = inside(b, stream->data);
        weir_rtl_connect(b->bench, part, "s_valid", valid);
        weir_rtl_connect(b->bench, part, "s_ready", ready);
        weir_rtl_connect(b->bench, part, "s_data", data);
        weir_rtl_connect(b->bench, part, "s_last", inside(b, stream->last));
        if (b->symbols) show_stream(b, "tap", i, value, valid, ready, data);
        add_request(b, part, "tap", i);
    }
    free(taps);
}

static json_t *name_of(const bench *b, weir_rtl_expr signal) {
    weir_text text = {NULL, 0, 0};
    weir_rtl_print_expr(b->design, signal, &text);
    json_t *name = json_string(text.data);
    weir_text_free(&text);
    return name;
}

/* What the tapped streams are called, for those who tap them elsewhere. */
static bool write_taps(const bench *b, const char *folder) {
    size_t count;
    weir_tap *taps = weir_stream_taps(b->graph, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const weir_wires *stream = &b->streams[weir_node_output(b->graph, taps[i].node, taps[i].output).id];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:I}", "node", weir_node_name(b->graph, taps[i].node), "valid",
                            name_of(b, stream->valid), "ready", name_of(b, stream->ready), "data",
                            name_of(b, stream->data), "width", (json_int_t)(stream->lanes * stream->element_bits)));
    }
    char *path = weir_path_join(folder, strrchr(WEIR_TAPS_FILE, '/') + 1);
    const bool fine = weir_json_write(path, list, JSON_INDENT(2));
    free(path);
    json_decref(list);
    free(taps);
    return fine;
}

/* The instances of the design under test that offer a stream, by the variable of its valid: their numbers. */
static weir_map find_makers(const bench *b) {
    const weir_rtl_module top = weir_rtl_first_module(b->design);
    weir_map makers = {.slot = NULL};
    for (size_t i = 0; i < weir_rtl_get_module(b->design, top).instance_count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(b->design, top, i);
        const weir_rtl_module module = weir_rtl_get_instance(b->design, instance).module;
        const weir_rtl_var port = weir_rtl_find_var(b->design, module, "m_valid");
        if (port.id == 0) continue;
        const weir_rtl_expr offered = weir_rtl_connection_of(b->design, instance, port).value;
        if (offered.id != 0) *weir_map_put(&makers, weir_rtl_get_expr(b->design, offered).var.id) = i;
    }
    return makers;
}

/* The instance that offers the stream, by its name. */
static const char *maker_of(const bench *b, const weir_map *makers, const weir_wires *stream) {
    const uint64_t *index = weir_map_find(makers, weir_rtl_get_expr(b->design, stream->valid).var.id);
    if (index == NULL) return "";
    const weir_rtl_module top = weir_rtl_first_module(b->design);
    return weir_rtl_get_instance(b->design, weir_rtl_instance_at(b->design, top, *index)).name;
}

static void add_meters(bench *b) {
    size_t index = 0;
    weir_map makers = find_makers(b);
    for (weir_node node = weir_graph_first(b->graph); node.id != 0; node = weir_node_next(b->graph, node)) {
        const weir_component *component = weir_component_of(b->graph, node);
        if (component == NULL) continue;
        const weir_component_rules *rules = component->rules;
        weir_rtl_instance part = add_part(b, "meter", index++);
        bool has_active = rules->has_active;
        weir_rtl_set_parameter(b->bench, part, "IS_FIFO", rules->has_level);
        const weir_value given = weir_node_output(b->graph, node, 0);
        const weir_value taken = weir_stream_count(b->graph, node) == 0
                                     ? given /* a source works when it gives */
                                     : weir_stream_source(b->graph, weir_node_input(b->graph, node, 0));
        const bool is_read =
            weir_stream_is_read(b->graph, given); /* else it ends here, and only what it takes is seen */
        const weir_wires *in = &b->streams[taken.id], *out = is_read ? &b->streams[given.id] : in;
        weir_rtl_expr valid = inside(b, in->valid), ready = inside(b, in->ready);
        weir_rtl_connect(b->bench, part, "in_valid", valid);
        weir_rtl_connect(b->bench, part, "in_ready", ready);
        weir_rtl_connect(b->bench, part, "out_valid", inside(b, out->valid));
        weir_rtl_connect(b->bench, part, "out_ready", inside(b, out->ready));
        char *path = has_active ? weir_format("dut.%s.active", maker_of(b, &makers, out)) : NULL;
        weir_rtl_connect(b->bench, part, "active",
                         has_active ? weir_rtl_read(b->bench, weir_rtl_add_path(b->bench, b->tb, path, 1))
                                    : weir_rtl_binary(b->bench, WEIR_RTL_AND, valid, ready));
        free(path);
    }
    weir_map_free(&makers);
}

/* One service for all parts; request bit 0 is the first part's. */
static void add_service(bench *b) {
    weir_rtl_expr *part = weir_malloc(b->requests * sizeof *part);
    for (size_t i = 0; i < b->requests; i++) part[b->requests - 1 - i] = b->request[i];
    weir_rtl_instance service =
        weir_rtl_add_instance(b->bench, b->tb, weir_library_module(b->bench, "weir_sim_service"), "u_service");
    weir_rtl_set_parameter(b->bench, service, "REQUESTS", (int64_t)b->requests);
    weir_rtl_connect(b->bench, service, "clk", b->clk);
    weir_rtl_connect(b->bench, service, "cycle", b->cycle);
    weir_rtl_connect(b->bench, service, "request", weir_rtl_concat(b->bench, b->requests, part));
    free(part);
}

/* The bench of one kind in a design of its own: both are called tb, which is where the harness looks. */
static bool emit_bench(bench *b, const char *top_file, const char *folder, bool debug, bool symbols) {
    b->symbols = symbols;
    b->bench = weir_rtl_design_new();
    if (weir_rtl_library(b->design) != NULL) weir_rtl_set_library(b->bench, weir_rtl_library(b->design));
    b->requests = 0;
    weir_rtl_module top = weir_rtl_read_module(b->bench, top_file);
    b->tb = weir_rtl_add_module(b->bench, "tb");
    weir_rtl_set_comment(b->bench, WEIR_RTL_ITEM(b->tb),
                         debug ? "Bench with a tap on every stream and a meter on every component."
                               : "Bench: sources and sinks at the edges of the design.");
    add_clock(b);
    b->dut = weir_rtl_add_instance(b->bench, b->tb, top, "dut");
    weir_rtl_connect(b->bench, b->dut, "clk", b->clk);
    weir_rtl_connect(b->bench, b->dut, "rst", b->rst);
    add_edges(b);
    if (debug) {
        add_taps(b);
        add_meters(b);
    }
    add_service(b);
    return weir_emit_design(b->context, b->bench, b->tb, folder);
}

bool weir_pass_emit_verilog_tb(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const bool symbols = weir_pass_bool(pass, "symbols");
    const char *top = weir_module_string(module, "top", NULL);
    bench b = {.context = context,
               .graph = weir_module_find_graph(module, "hardware"),
               .design = weir_module_design(module),
               .streams = weir_module_data(module, WEIR_EMIT_STREAMS)};
    char *file = weir_format("%s/rtl/%s.v", weir_module_folder(module), top);
    weir_folder *output = weir_emit_open(pass, module);
    char *fast = output == NULL ? NULL : weir_emit_folder(output, "tb");
    char *debug = output == NULL ? NULL : weir_emit_folder(output, "tb_debug");
    bool fine = fast != NULL && debug != NULL && emit_bench(&b, file, fast, false, false) &&
                emit_bench(&b, file, debug, true, symbols) && write_taps(&b, debug) &&
                (!symbols || weir_symbols_write(b.graph, debug));
    free(b.request);
    free(file);
    free(fast);
    free(debug);
    return weir_emit_close(output, fine);
}
