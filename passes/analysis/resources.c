#include "passes/analysis/resources.h"

#include "passes/hardware.h"
#include "passes/verilog/rom.h"

/* "s21": sign and bits of a stream's elements. */
static void print_width(const weir_graph *graph, weir_value value, weir_text *text) {
    bool is_signed;
    int bits = weir_hardware_width(graph, value, &is_signed);
    weir_text_format(text, "   %c%-3d", is_signed ? 's' : 'u', bits);
}

/* How the node computes: folding of a Linear, multiplier of a Scale, thresholds, depth. */
static void print_detail(const weir_graph *graph, weir_node node, const weir_rom *rom, weir_text *text) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    switch (weir_node_op(graph, node)) {
    case WEIR_OP_LINEAR:
        weir_text_format(text, "simd %lld, pe %lld, %d-bit weights", (long long)hardware->simd, (long long)hardware->pe,
                         rom->field_bits);
        break;
    case WEIR_OP_SCALE:
    case WEIR_OP_SCALE_FLOAT:
        weir_text_format(text, "%d-bit multiplier, %lld of them a cycle, shift %lld%s", rom->low_bits,
                         (long long)hardware->digit, (long long)weir_node_int(graph, node, "shift", 0),
                         weir_node_op(graph, node) == WEIR_OP_SCALE_FLOAT ? ", float32 rounding" : "");
        break;
    case WEIR_OP_THRESHOLD:
        weir_text_format(text, "%lld thresholds, %lld a cycle",
                         (long long)weir_value_type(graph, weir_node_input(graph, node, 1))->shape.dim[1],
                         (long long)hardware->digit);
        break;
    case WEIR_OP_CAST:
        weir_text_format(text, "shift %lld, %s", (long long)weir_node_int(graph, node, "shift", 0),
                         weir_node_string(graph, node, "rounding", "floor"));
        break;
    case WEIR_OP_FIFO: weir_text_format(text, "%lld beats", (long long)hardware->depth); break;
    default: break;
    }
}

weir_resources weir_resources_of(const weir_graph *graph) {
    weir_resources total = {.ideal_interval = 1, .folded_interval = weir_hardware_interval(graph)};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_hardware_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        weir_rom rom = weir_rom_of(graph, node);
        total.memory_bits += rom.width * rom.depth;
        if (hardware->operations == 0) continue;
        int64_t multipliers = hardware->simd * hardware->pe;
        int64_t ideal = weir_ceil_divide(hardware->operations, multipliers);
        if (ideal > total.ideal_interval) total.ideal_interval = ideal;
        total.multipliers += multipliers;
        total.operations += hardware->operations;
    }
    return total;
}

void weir_resources_print(const weir_graph *graph, weir_text *text) {
    weir_text_format(text, "  %-28s %-22s %5s %5s  %-6s %-6s %9s %13s  %s\n", "node", "component", "in", "out", "x",
                     "y", "cycles", "memory", "computes with");
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_hardware_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        weir_rom rom = weir_rom_of(graph, node);
        weir_text_format(text, "  %-28s %-22s %5lld %5lld", weir_node_name(graph, node), hardware->module,
                         (long long)hardware->in_lanes, (long long)hardware->out_lanes);
        print_width(graph, weir_node_input(graph, node, 0), text);
        print_width(graph, weir_node_output(graph, node, 0), text);
        weir_text_format(text, " %8lld ", (long long)hardware->interval);
        if (rom.kind == WEIR_ROM_NONE) weir_text_format(text, "%13s  ", "-");
        else weir_text_format(text, "%6lldx%-6lld  ", (long long)rom.depth, (long long)rom.width);
        print_detail(graph, node, &rom, text);
        weir_text_char(text, '\n');
    }
    weir_resources total = weir_resources_of(graph);
    weir_text_format(text, "  %lld multipliers, %lld bits of parameters, %lld cycles a frame\n",
                     (long long)total.multipliers, (long long)total.memory_bits, (long long)total.folded_interval);
}
