/* emit_verilog_top: the hardware graph as a module of the hardware IR, one group of instances a node: the component,
 * and for a Linear its replay buffer, for nodes with parameters the ROM that streams them. The design goes through
 * checks and clean-ups and is printed to FOLDER/rtl/TOP.v. */
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/library.h"
#include "passes/verilog/emit.h"
#include "passes/verilog/emit_frame.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static weir_wires edge_ports(weir_builder *b, const char *prefix, weir_value value, bool into) {
    weir_wires wires = {.lanes = weir_stream_lanes(b->graph, value)};
    wires.element_bits = weir_stream_width(b->graph, value, &wires.is_signed);
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
        weir_rtl_var var = ports[i].forward == into ? weir_rtl_add_input(b->design, b->top, name, ports[i].width)
                                                    : weir_rtl_add_output(b->design, b->top, name, ports[i].width);
        *ports[i].expr = weir_rtl_read(b->design, var);
        if (ports[i].expr == &wires.data) weir_build_describe(b, var, &wires);
        free(name);
    }
    return wires;
}

static void emit_inputs(weir_builder *b, weir_frame_doors *doors) {
    doors->input = weir_stream_inputs(b->graph, &doors->inputs);
    doors->signals = weir_calloc(doors->inputs + 1, sizeof *doors->signals);
    char **prefixes = weir_emit_prefixes(b->graph, "s", doors->input, doors->inputs);
    for (size_t i = 0; i < doors->inputs; i++) {
        const weir_wires ports = edge_ports(b, prefixes[i], doors->input[i], true);
        b->wires[doors->input[i].id] = weir_frame_enter(b, doors, i, prefixes[i], &ports);
        free(prefixes[i]);
    }
    weir_frame_begin(b, doors);
    free(prefixes);
}

/* A component of one output drives the stream before the door itself; what a fork or an input gives comes to it as it
 * is. */
static bool is_driven_by_component(const weir_builder *b, weir_value value) {
    weir_node node = weir_value_producer(b->graph, value);
    return node.id != 0 && weir_node_output_count(b->graph, node) == 1 &&
           weir_stream_source(b->graph, value).id == value.id;
}

typedef struct results {
    weir_value *value;
    size_t count;
    weir_wires *ports;
    char **prefix;
} results;

static results emit_result_ports(weir_builder *b) {
    results r = {.count = 0};
    r.value = weir_stream_outputs(b->graph, &r.count);
    r.ports = weir_calloc(r.count, sizeof *r.ports);
    r.prefix = weir_emit_prefixes(b->graph, "m", r.value, r.count);
    for (size_t i = 0; i < r.count; i++) {
        const weir_value value = r.value[i];
        r.ports[i] = edge_ports(b, r.prefix[i], value, false);
        if (b->is_result[value.id] || !is_driven_by_component(b, value)) continue;
        b->is_result[value.id] = true;
        b->wires[value.id] = weir_frame_before(b, r.prefix[i], &r.ports[i]);
    }
    return r;
}

static void emit_results(weir_builder *b, weir_frame_doors *doors, results *r) {
    for (size_t i = 0; i < r->count; i++) {
        const weir_wires stream = b->wires[r->value[i].id];
        weir_frame_leave(b, doors, r->value[i], r->prefix[i], &stream, &r->ports[i]);
        free(r->prefix[i]);
    }
    free(r->prefix);
    free(r->ports);
    free(r->value);
}

static void describe_top(weir_builder *b) {
    weir_text text = {NULL, 0, 0};
    if (weir_graph_patchable(b->graph)) weir_text_add(&text, "Compiled by Weir for any parameters of these types.\n");
    else weir_text_format(&text, "Compiled by Weir from %s.\n", weir_graph_source(b->graph));
    weir_text_format(&text,
                     "A frame takes %lld cycles. Streams carry elements in row-major order, element 0 in the low bits.",
                     (long long)weir_stream_interval(b->graph));
    weir_rtl_set_comment(b->design, WEIR_RTL_ITEM(b->top), text.data);
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
    const weir_component *component = weir_component_of(graph, node);
    weir_text units = {NULL, 0, 0};
    if (component != NULL && weir_component_setting_add_units(component->rules, hardware, &units))
        weir_text_format(&text, ", %s multipliers", units.data);
    weir_text_free(&units);
    return text.data;
}

static void emit_nodes(weir_builder *b) {
    for (weir_node node = weir_graph_first(b->graph); node.id != 0; node = weir_node_next(b->graph, node)) {
        const weir_component *component = weir_component_of(b->graph, node);
        if (component == NULL) continue;
        weir_rtl_set_location(b->design, weir_node_location(b->graph, node));
        char *subject =
            weir_format("node '%s' (%s)", weir_node_name(b->graph, node), weir_node_info(b->graph, node)->name);
        weir_rtl_set_subject(b->design, subject);
        free(subject);
        size_t before = weir_rtl_get_module(b->design, b->top).instance_count;
        component->rules->build(b, node);
        weir_rtl_module_info info = weir_rtl_get_module(b->design, b->top);
        if (info.instance_count == before) continue;
        char *comment = node_comment(b->graph, node);
        weir_rtl_set_comment(b->design, WEIR_RTL_ITEM(weir_rtl_instance_at(b->design, b->top, before)), comment);
        free(comment);
    }
}

bool weir_pass_emit_verilog_top(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    if (!weir_emit_wish(pass, module)) return false;
    weir_builder b = {.graph = weir_module_find_graph(module, "hardware")};
    b.design = weir_rtl_design_new();
    weir_rtl_set_pass(b.design, weir_pass_name(pass));
    b.top = weir_rtl_add_module(b.design, weir_emit_top_name(b.design, module));
    b.wires = weir_calloc(weir_graph_value_limit(b.graph), sizeof *b.wires);
    b.is_result = weir_calloc(weir_graph_value_limit(b.graph), sizeof *b.is_result);
    b.clk = weir_rtl_add_clock(b.design, b.top, "clk");
    b.rst = weir_rtl_add_reset(b.design, b.top, "rst");
    describe_top(&b);
    b.pairs = weir_pair_find(b.graph);
    b.pair = weir_calloc(b.pairs.count + 1, sizeof *b.pair);
    weir_frame_doors doors = {0};
    emit_inputs(&b, &doors);
    results leaving = emit_result_ports(&b);
    const size_t errors = weir_diag_errors();
    emit_nodes(&b);
    emit_results(&b, &doors, &leaving);
    weir_frame_finish(&b, &doors);
    free(b.is_result);
    free(b.pair);
    weir_pair_free(&b.pairs);
    weir_module_set_data(module, WEIR_EMIT_STREAMS, b.wires, free);
    const char *name = weir_rtl_get_module(b.design, b.top).name;
    weir_module_set_rtl(module, b.design, name);
    weir_module_set_string(module, "top", name);
    /* Of a design that lacks parts, checks would only tell what follows from that. */
    weir_folder *output = weir_diag_errors() == errors ? weir_emit_open(pass, module) : NULL;
    char *folder = output == NULL ? NULL : weir_emit_folder(output, "rtl");
    const bool fine = folder != NULL && weir_library_read_inside(b.design) && weir_emit_module(context, module, folder);
    free(folder);
    return weir_emit_close(output, fine);
}
