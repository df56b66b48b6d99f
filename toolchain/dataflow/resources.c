#include "dataflow/resources.h"

#include "dataflow/memory.h"
#include "dataflow/stream.h"
#include "support/table.h"

/* "s21": sign and bits of a stream's elements. */
static void add_width(const weir_graph *graph, weir_value value, weir_table *table) {
    bool is_signed;
    int bits = weir_stream_width(graph, value, &is_signed);
    weir_table_format(table, "%c%d", is_signed ? 's' : 'u', bits);
}

/* How the node computes: folding of a Linear, multiplier of a Scale, thresholds, depth. */
static void print_detail(const weir_graph *graph, weir_node node, const weir_memory *rom, weir_text *text) {
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
    weir_resources total = {.ideal_interval = 1, .folded_interval = weir_stream_interval(graph)};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        weir_memory rom = weir_memory_of(graph, node);
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
    static const char *const headers[] = {"node", "component", "in",     "out",          "x",
                                          "y",    "cycles",    "memory", "computes with"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        weir_memory rom = weir_memory_of(graph, node);
        weir_text detail = {NULL, 0, 0};
        weir_table_add(table, weir_node_name(graph, node));
        weir_table_add(table, hardware->module);
        weir_table_format(table, "%lld", (long long)hardware->in_lanes);
        weir_table_format(table, "%lld", (long long)hardware->out_lanes);
        add_width(graph, weir_node_input(graph, node, 0), table);
        add_width(graph, weir_node_output(graph, node, 0), table);
        weir_table_format(table, "%lld", (long long)hardware->interval);
        if (rom.kind == WEIR_MEMORY_NONE) weir_table_add(table, "-");
        else weir_table_format(table, "%lldx%lld", (long long)rom.depth, (long long)rom.width);
        print_detail(graph, node, &rom, &detail);
        weir_table_take(table, &detail);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
    weir_resources total = weir_resources_of(graph);
    weir_text_format(text, "  %lld multipliers, %lld bits of parameters, %lld cycles a frame\n",
                     (long long)total.multipliers, (long long)total.memory_bits, (long long)total.folded_interval);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_HOST || weir_node_info(graph, node)->class == WEIR_CLASS_HOST)
            continue;
        weir_text_format(text, "  on the host: %s (%s)\n", weir_node_name(graph, node),
                         weir_node_info(graph, node)->full_name);
    }
}
