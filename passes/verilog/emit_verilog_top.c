/* emit_verilog_top: the hardware graph as a module of the hardware IR, one group of instances a node: the component, and
 * for a Linear its replay buffer, for nodes with parameters the ROM that streams them. The design goes through
 * checks and clean-ups and is printed to FOLDER/rtl/TOP.v. */
#include <stdlib.h>
#include <string.h>

#include "dataflow/memory.h"
#include "passes/verilog/emit.h"
#include "support/arena.h"

typedef struct emitter {
    weir_graph *graph;
    weir_rtl_design *design;
    weir_rtl_module top;
    weir_rtl_var clk, rst;
    weir_wires *wires; /* by value id */
    bool *is_result;   /* by value id: the wires are ports, from the start */
} emitter;

/* Values are `(text, ...)` formatted names; freed at once because the design copies them. */
static weir_rtl_var wire(emitter *e, const char *base, const char *suffix, int64_t width) {
    char *wanted = weir_format("%s_%s", base, suffix);
    const char *name = weir_rtl_free_name(e->design, e->top, wanted);
    free(wanted);
    return weir_rtl_add_wire(e->design, e->top, name, (uint32_t)width);
}

static weir_rtl_instance instance(emitter *e, const char *module, const char *node, const char *suffix) {
    char *wanted = weir_format("u_%s%s%s", node, *suffix == '\0' ? "" : "_", suffix);
    weir_rtl_instance made = weir_rtl_add_instance(e->design, e->top, weir_emit_library(e->design, module),
                                                   weir_rtl_free_name(e->design, e->top, wanted));
    free(wanted);
    return made;
}

static void set(emitter *e, weir_rtl_instance u, const char *name, int64_t value) {
    weir_rtl_set_parameter(e->design, u, name, value);
}

static void clocked(emitter *e, weir_rtl_instance u) {
    weir_rtl_connect(e->design, u, "clk", weir_rtl_read(e->design, e->clk));
    weir_rtl_connect(e->design, u, "rst", weir_rtl_read(e->design, e->rst));
}

/* Connects prefix_valid, prefix_ready, prefix_data and, unless `last` is none, prefix_last. */
static void connect_stream(emitter *e, weir_rtl_instance u, const char *prefix, const weir_wires *stream) {
    const struct {
        const char *name;
        weir_rtl_expr expr;
    } ports[] = {{"valid", stream->valid}, {"ready", stream->ready}, {"data", stream->data}, {"last", stream->last}};
    for (size_t i = 0; i < 4; i++) {
        if (ports[i].expr.id == 0) continue;
        char *port = weir_format("%s_%s", prefix, ports[i].name);
        weir_rtl_connect(e->design, u, port, ports[i].expr);
        free(port);
    }
}

/* "16 x u8": what a beat carries. */
static void describe_stream(emitter *e, weir_rtl_var data, int64_t lanes, int element_bits, bool is_signed) {
    char *text = weir_format("%lld x %c%d", (long long)lanes, is_signed ? 's' : 'u', element_bits);
    weir_rtl_set_comment(e->design, WEIR_RTL_ITEM(data), text);
    free(text);
}

static weir_wires make_wires(emitter *e, const char *base, int64_t lanes, int element_bits, bool is_signed) {
    weir_wires wires = {.lanes = lanes, .element_bits = element_bits, .is_signed = is_signed};
    wires.valid = weir_rtl_read(e->design, wire(e, base, "valid", 1));
    wires.ready = weir_rtl_read(e->design, wire(e, base, "ready", 1));
    weir_rtl_var data = wire(e, base, "data", lanes * element_bits);
    wires.data = weir_rtl_read(e->design, data);
    wires.last = weir_rtl_read(e->design, wire(e, base, "last", 1));
    describe_stream(e, data, lanes, element_bits, is_signed);
    return wires;
}

static const weir_wires *input_wires(const emitter *e, weir_node node, size_t index) {
    return &e->wires[weir_stream_source(e->graph, weir_node_input(e->graph, node, index)).id];
}

/* Wires for output 0 of the node, entered under its value; ports when it is a result. */
static const weir_wires *output_wires(emitter *e, weir_node node) {
    weir_value value = weir_node_output(e->graph, node, 0);
    bool is_signed;
    if (e->is_result[value.id]) return &e->wires[value.id];
    int bits = weir_stream_width(e->graph, value, &is_signed);
    e->wires[value.id] = make_wires(e, weir_node_name(e->graph, node),
                                    weir_node_metadata_of(e->graph, node)->hardware.out_lanes, bits, is_signed);
    return &e->wires[value.id];
}

/* Each element of a beat extended by a zero, so that unsigned codes read as signed ones. */
static weir_wires as_signed(emitter *e, const weir_wires *stream) {
    weir_wires wide = *stream;
    if (stream->is_signed) return wide;
    weir_rtl_expr *part = weir_malloc((size_t)stream->lanes * 2 * sizeof *part);
    for (int64_t lane = 0; lane < stream->lanes; lane++) {
        uint32_t low = (uint32_t)(lane * stream->element_bits), high = low + (uint32_t)stream->element_bits - 1;
        size_t at = (size_t)(stream->lanes - 1 - lane) * 2; /* concatenations start at the top */
        part[at] = weir_rtl_constant(e->design, 1, 0);
        part[at + 1] = weir_rtl_slice(e->design, stream->data, high, low);
    }
    wide.data = weir_rtl_concat(e->design, (size_t)stream->lanes * 2, part);
    wide.element_bits++;
    wide.is_signed = true;
    free(part);
    return wide;
}

/* The node's ROM as a stream without last. */
static weir_wires parameter_stream(emitter *e, weir_node node, const weir_memory *rom) {
    const char *name = weir_node_name(e->graph, node);
    char *base = weir_format("%s_%s", name, rom->suffix), *file = weir_memory_file(e->graph, node, rom);
    weir_wires wires = {.lanes = 1, .element_bits = (int)rom->width};
    wires.valid = weir_rtl_read(e->design, wire(e, base, "valid", 1));
    wires.ready = weir_rtl_read(e->design, wire(e, base, "ready", 1));
    wires.data = weir_rtl_read(e->design, wire(e, base, "data", rom->width));
    weir_rtl_instance u = instance(e, "weir_rom_source", name, rom->suffix);
    set(e, u, "WIDTH", rom->width);
    set(e, u, "DEPTH", rom->depth);
    weir_rtl_set_parameter_string(e->design, u, "INIT", file);
    weir_rtl_set_parameter_string(e->design, u, "STYLE", weir_storage_name(rom->storage));
    clocked(e, u);
    connect_stream(e, u, "m", &wires);
    free(base);
    free(file);
    return wires;
}

/* --- one function a component --- */

static void emit_linear(emitter *e, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(e->graph, node)->hardware;
    const char *name = weir_node_name(e->graph, node);
    int64_t rows, k, n;
    weir_stream_linear(e->graph, node, &rows, &k, &n);
    int64_t beats = weir_ceil_divide(k, hardware->simd), groups = weir_ceil_divide(n, hardware->pe);
    const weir_wires *x = input_wires(e, node, 0);
    char *base = weir_format("%s_replay", name);
    weir_wires replayed = make_wires(e, base, x->lanes, x->element_bits, x->is_signed);
    weir_rtl_expr end = weir_rtl_read(e->design, wire(e, base, "end", 1));
    free(base);
    weir_rtl_instance u = instance(e, "weir_replay", name, "replay");
    set(e, u, "WIDTH", x->lanes * x->element_bits);
    set(e, u, "BEATS", beats);
    set(e, u, "TIMES", groups);
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "m", &replayed);
    weir_rtl_connect(e->design, u, "m_end", end);
    weir_memory rom = weir_memory_of(e->graph, node);
    weir_wires weights = parameter_stream(e, node, &rom);
    const weir_wires *y = output_wires(e, node);
    u = instance(e, "weir_mvu", name, "");
    set(e, u, "X_W", x->element_bits);
    set(e, u, "X_SIGNED", x->is_signed);
    set(e, u, "W_W", rom.field_bits);
    set(e, u, "ACC_W", y->element_bits);
    set(e, u, "SIMD", hardware->simd);
    set(e, u, "PE", hardware->pe);
    set(e, u, "BEATS", beats);
    clocked(e, u);
    connect_stream(e, u, "s", &replayed);
    weir_rtl_connect(e->design, u, "s_end", end);
    connect_stream(e, u, "w", &weights);
    connect_stream(e, u, "m", y);
}

static void emit_sum(emitter *e, weir_node node) {
    const weir_wires *a = input_wires(e, node, 0), *b = input_wires(e, node, 1), *y = output_wires(e, node);
    weir_rtl_instance u = instance(e, "weir_add", weir_node_name(e->graph, node), "");
    set(e, u, "A_W", a->element_bits);
    set(e, u, "A_SIGNED", a->is_signed);
    set(e, u, "B_W", b->element_bits);
    set(e, u, "B_SIGNED", b->is_signed);
    set(e, u, "CA", weir_node_int(e->graph, node, "ca", 1));
    set(e, u, "CB", weir_node_int(e->graph, node, "cb", 1));
    set(e, u, "OUT_W", y->element_bits);
    set(e, u, "LANES", y->lanes);
    clocked(e, u);
    connect_stream(e, u, "s_a", a);
    connect_stream(e, u, "s_b", b);
    connect_stream(e, u, "m", y);
}

static void emit_cast(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_rounding rounding = WEIR_ROUND_FLOOR;
    weir_rounding_parse(weir_node_string(e->graph, node, "rounding", "floor"), &rounding);
    weir_memory rom = weir_memory_of(e->graph, node);
    weir_rtl_instance u = instance(e, "weir_cast", weir_node_name(e->graph, node), "");
    set(e, u, "LANES", x->lanes);
    set(e, u, "IN_W", x->element_bits);
    set(e, u, "IN_SIGNED", x->is_signed);
    set(e, u, "OUT_W", y->element_bits);
    set(e, u, "SHIFT", weir_node_int(e->graph, node, "shift", 0));
    set(e, u, "LEFT", weir_node_int(e->graph, node, "left", 0));
    set(e, u, "ROUND", rounding); /* the enumeration is the module's */
    set(e, u, "LO", weir_node_int(e->graph, node, "low", 0));
    set(e, u, "HI", weir_node_int(e->graph, node, "high", 0));
    set(e, u, "ADD_W", rom.kind == WEIR_MEMORY_NONE ? 0 : rom.field_bits);
    clocked(e, u);
    connect_stream(e, u, "s", x);
    if (rom.kind == WEIR_MEMORY_NONE) {
        weir_rtl_connect(e->design, u, "p_valid", weir_rtl_constant(e->design, 1, 1));
        weir_rtl_connect(e->design, u, "p_data", weir_rtl_constant(e->design, 1, 0));
        weir_rtl_leave_open(e->design, u, "p_ready");
    } else {
        weir_wires add = parameter_stream(e, node, &rom);
        connect_stream(e, u, "p", &add);
    }
    connect_stream(e, u, "m", y);
}

static void emit_scale(emitter *e, weir_node node) {
    weir_wires x = as_signed(e, input_wires(e, node, 0));
    const weir_wires *y = output_wires(e, node);
    bool in_float = weir_node_op(e->graph, node) == WEIR_OP_SCALE_FLOAT;
    weir_memory rom = weir_memory_of(e->graph, node);
    weir_wires parameters = parameter_stream(e, node, &rom);
    const weir_meta_hardware *hardware = &weir_node_metadata_of(e->graph, node)->hardware;
    weir_rtl_instance u = instance(e, hardware->module, weir_node_name(e->graph, node), "");
    set(e, u, "LANES", x.lanes);
    set(e, u, "X_W", x.element_bits);
    set(e, u, "OUT_W", y->element_bits);
    set(e, u, "M_W", rom.low_bits);
    set(e, u, "A_W", rom.field_bits - rom.low_bits);
    set(e, u, "SHIFT", weir_node_int(e->graph, node, "shift", 0));
    set(e, u, "DIGIT", hardware->digit);
    if (in_float) set(e, u, "ZERO", weir_node_int(e->graph, node, "zero", 0));
    set(e, u, "LO", weir_node_int(e->graph, node, "low", 0));
    set(e, u, "HI", weir_node_int(e->graph, node, "high", 0));
    clocked(e, u);
    connect_stream(e, u, "s", &x);
    connect_stream(e, u, "p", &parameters);
    connect_stream(e, u, "m", y);
}

static void emit_threshold(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_memory rom = weir_memory_of(e->graph, node);
    weir_wires thresholds = parameter_stream(e, node, &rom);
    weir_rtl_instance u = instance(e, "weir_threshold", weir_node_name(e->graph, node), "");
    set(e, u, "LANES", x->lanes);
    set(e, u, "IN_W", x->element_bits);
    set(e, u, "IN_SIGNED", x->is_signed);
    set(e, u, "OUT_W", y->element_bits);
    set(e, u, "COUNT", weir_value_type(e->graph, weir_node_input(e->graph, node, 1))->shape.dim[1]);
    set(e, u, "PARALLEL", weir_node_metadata_of(e->graph, node)->hardware.digit);
    set(e, u, "T_W", rom.field_bits);
    set(e, u, "BASE", weir_node_int(e->graph, node, "base", 0));
    set(e, u, "STEP", weir_node_int(e->graph, node, "step", 1));
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "p", &thresholds);
    connect_stream(e, u, "m", y);
}

static void emit_maximum(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_rtl_instance u = instance(e, "weir_relu", weir_node_name(e->graph, node), "");
    set(e, u, "LANES", x->lanes);
    set(e, u, "WIDTH", x->element_bits);
    set(e, u, "SIGNED", x->is_signed);
    set(e, u, "ZERO", weir_node_int(e->graph, node, "zero", 0));
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "m", y);
}

static void emit_fork(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0);
    const char *name = weir_node_name(e->graph, node);
    size_t outputs = weir_node_output_count(e->graph, node);
    weir_wires shared = {.lanes = x->lanes, .element_bits = x->element_bits, .is_signed = x->is_signed};
    weir_rtl_var valid = wire(e, name, "valid", (int64_t)outputs), ready = wire(e, name, "ready", (int64_t)outputs);
    shared.data = weir_rtl_read(e->design, wire(e, name, "data", x->lanes * x->element_bits));
    shared.last = weir_rtl_read(e->design, wire(e, name, "last", 1));
    weir_rtl_instance u = instance(e, "weir_fork", name, "");
    set(e, u, "WIDTH", x->lanes * x->element_bits);
    set(e, u, "OUTPUTS", (int64_t)outputs);
    clocked(e, u);
    connect_stream(e, u, "s", x);
    weir_wires whole = shared;
    whole.valid = weir_rtl_read(e->design, valid);
    whole.ready = weir_rtl_read(e->design, ready);
    connect_stream(e, u, "m", &whole);
    for (size_t i = 0; i < outputs; i++) {
        weir_wires *branch = &e->wires[weir_node_output(e->graph, node, i).id];
        *branch = shared;
        branch->valid = weir_rtl_bit(e->design, weir_rtl_read(e->design, valid), (uint32_t)i);
        branch->ready = weir_rtl_bit(e->design, weir_rtl_read(e->design, ready), (uint32_t)i);
    }
}

static void emit_fifo(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_rtl_instance u = instance(e, "weir_fifo", weir_node_name(e->graph, node), "");
    set(e, u, "WIDTH", x->lanes * x->element_bits);
    set(e, u, "DEPTH", weir_node_metadata_of(e->graph, node)->hardware.depth);
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "m", y);
}

static void emit_register_slice(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_rtl_instance u = instance(e, "weir_register_slice", weir_node_name(e->graph, node), "");
    set(e, u, "WIDTH", x->lanes * x->element_bits);
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "m", y);
}

static void emit_lanes(emitter *e, weir_node node) {
    const weir_wires *x = input_wires(e, node, 0), *y = output_wires(e, node);
    weir_rtl_instance u = instance(e, "weir_lane_converter", weir_node_name(e->graph, node), "");
    set(e, u, "WIDTH", x->element_bits);
    set(e, u, "IN_LANES", x->lanes);
    set(e, u, "OUT_LANES", y->lanes);
    set(e, u, "FRAME", weir_stream_elements(e->graph, weir_node_output(e->graph, node, 0)));
    clocked(e, u);
    connect_stream(e, u, "s", x);
    connect_stream(e, u, "m", y);
}

typedef void emit_rule(emitter *e, weir_node node);
static emit_rule *const rules[WEIR_OP_COUNT] = {
    [WEIR_OP_LINEAR] = emit_linear,     [WEIR_OP_SUM] = emit_sum,
    [WEIR_OP_CAST] = emit_cast,         [WEIR_OP_SCALE] = emit_scale,
    [WEIR_OP_SCALE_FLOAT] = emit_scale, [WEIR_OP_THRESHOLD] = emit_threshold,
    [WEIR_OP_MAXIMUM] = emit_maximum,   [WEIR_OP_FORK] = emit_fork,
    [WEIR_OP_FIFO] = emit_fifo,         [WEIR_OP_REGISTER_SLICE] = emit_register_slice,
    [WEIR_OP_LANES] = emit_lanes,
};

/* --- the top module --- */

static weir_wires edge_ports(emitter *e, const char *prefix, weir_value value, bool into) {
    weir_wires wires = {.lanes = weir_stream_lanes(e->graph, value)};
    wires.element_bits = weir_stream_width(e->graph, value, &wires.is_signed);
    uint32_t width = (uint32_t)(wires.lanes * wires.element_bits);
    const struct {
        const char *name;
        uint32_t width;
        bool forward;
        weir_rtl_expr *expr;
    } ports[] = {{"valid", 1, true, &wires.valid},
                 {"ready", 1, false, &wires.ready},
                 {"data", width, true, &wires.data},
                 {"last", 1, true, &wires.last}};
    for (size_t i = 0; i < 4; i++) {
        char *name = weir_format("%s_%s", prefix, ports[i].name);
        weir_rtl_var var = ports[i].forward == into ? weir_rtl_add_input(e->design, e->top, name, ports[i].width)
                                                    : weir_rtl_add_output(e->design, e->top, name, ports[i].width);
        *ports[i].expr = weir_rtl_read(e->design, var);
        if (ports[i].expr == &wires.data) describe_stream(e, var, wires.lanes, wires.element_bits, wires.is_signed);
        free(name);
    }
    return wires;
}

static void emit_edges(emitter *e) {
    size_t count;
    weir_value *values = weir_stream_inputs(e->graph, &count);
    char **prefixes = weir_emit_prefixes(e->graph, "s", values, count);
    for (size_t i = 0; i < count; i++) {
        e->wires[values[i].id] = edge_ports(e, prefixes[i], values[i], true);
        free(prefixes[i]);
    }
    free(prefixes);
    free(values);
}

/* A component drives the ports of its result itself; what a fork or an input gives leaves through assigns. */
static bool is_driven_by_component(const emitter *e, weir_value value) {
    weir_node node = weir_value_producer(e->graph, value);
    return node.id != 0 && weir_node_op(e->graph, node) != WEIR_OP_FORK &&
           weir_stream_source(e->graph, value).id == value.id;
}

/* The ports of each result; heap memory. */
static weir_wires *emit_result_ports(emitter *e, const weir_value *values, size_t count) {
    weir_wires *ports = weir_calloc(count, sizeof *ports);
    char **prefixes = weir_emit_prefixes(e->graph, "m", values, count);
    for (size_t i = 0; i < count; i++) {
        ports[i] = edge_ports(e, prefixes[i], values[i], false);
        free(prefixes[i]);
        if (e->is_result[values[i].id] || !is_driven_by_component(e, values[i])) continue;
        e->is_result[values[i].id] = true;
        e->wires[values[i].id] = ports[i];
    }
    free(prefixes);
    return ports;
}

static void emit_results(emitter *e, const weir_wires *ports, const weir_value *values, size_t count) {
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        const weir_wires *stream = &e->wires[values[i].id];
        if (stream->valid.id == ports[i].valid.id) continue;
        if (is_first) weir_rtl_add_comment(e->design, e->top, "results");
        is_first = false;
        weir_rtl_assign(e->design, e->top, ports[i].valid, stream->valid);
        weir_rtl_assign(e->design, e->top, stream->ready, ports[i].ready);
        weir_rtl_assign(e->design, e->top, ports[i].data, stream->data);
        weir_rtl_assign(e->design, e->top, ports[i].last, stream->last);
    }
}

static void describe_top(emitter *e) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "Compiled by Weir from %s.\n", weir_graph_source(e->graph));
    weir_text_format(&text,
                     "A frame takes %lld cycles. Streams carry elements in row-major order, element 0 in the low bits.",
                     (long long)weir_stream_interval(e->graph));
    weir_rtl_set_comment(e->design, WEIR_RTL_ITEM(e->top), text.data);
    weir_text_free(&text);
}

/* "fc1: Linear -> [1,64], 32 x 1 multipliers": heap memory. */
static char *node_comment(const weir_graph *graph, weir_node node) {
    char shape[96];
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, 0));
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s: %s -> %s", weir_node_name(graph, node), weir_node_info(graph, node)->name,
                     weir_shape_print(&type->shape, shape, sizeof shape));
    if (weir_node_op(graph, node) == WEIR_OP_LINEAR)
        weir_text_format(&text, ", %lld x %lld multipliers", (long long)hardware->simd, (long long)hardware->pe);
    return text.data;
}

static void emit_nodes(emitter *e) {
    for (weir_node node = weir_graph_first(e->graph); node.id != 0; node = weir_node_next(e->graph, node)) {
        if (weir_stream_role(e->graph, node) != WEIR_ROLE_COMPONENT) continue;
        weir_rtl_set_place(e->design, weir_node_location(e->graph, node));
        size_t before = weir_rtl_get_module(e->design, e->top).instance_count;
        rules[weir_node_op(e->graph, node)](e, node);
        weir_rtl_module_info info = weir_rtl_get_module(e->design, e->top);
        if (info.instance_count == before) continue;
        char *comment = node_comment(e->graph, node);
        weir_rtl_set_comment(e->design, WEIR_RTL_ITEM(weir_rtl_instance_at(e->design, e->top, before)), comment);
        free(comment);
    }
}

bool weir_pass_emit_verilog_top(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    emitter e = {.graph = weir_emit_graph(module, pass)};
    if (e.graph == NULL) return false;
    e.design = weir_rtl_design_new();
    weir_rtl_set_pass(e.design, weir_pass_name(pass));
    e.top = weir_rtl_add_module(e.design, weir_emit_top_name(e.design, module));
    e.wires = weir_calloc(weir_graph_value_limit(e.graph), sizeof *e.wires);
    e.is_result = weir_calloc(weir_graph_value_limit(e.graph), sizeof *e.is_result);
    e.clk = weir_rtl_add_clock(e.design, e.top, "clk");
    e.rst = weir_rtl_add_reset(e.design, e.top, "rst");
    describe_top(&e);
    emit_edges(&e);
    size_t count;
    weir_value *results = weir_stream_outputs(e.graph, &count);
    weir_wires *ports = emit_result_ports(&e, results, count);
    emit_nodes(&e);
    emit_results(&e, ports, results, count);
    free(results);
    free(ports);
    free(e.is_result);
    weir_module_set_data(module, WEIR_EMIT_STREAMS, e.wires, free);
    const char *name = weir_rtl_get_module(e.design, e.top).name;
    weir_module_set_rtl(module, e.design, name);
    weir_module_set_string(module, "top", name);
    weir_folder *output = weir_emit_open(module);
    char *folder = output == NULL ? NULL : weir_emit_folder(output, "rtl");
    const bool fine = folder != NULL && weir_emit_module(context, module, folder);
    free(folder);
    return weir_emit_close(output, fine);
}
