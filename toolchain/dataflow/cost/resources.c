#include "dataflow/cost/resources.h"

#include "dataflow/component.h"
#include "dataflow/host.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/text/table.h"

/* "s21": sign and bits of a stream's elements. */
static void add_width(const weir_graph *graph, weir_value value, weir_table *table) {
    bool is_signed;
    int bits = weir_stream_width(graph, value, &is_signed);
    weir_table_format(table, "%c%d", is_signed ? 's' : 'u', bits);
}

/* "128x40", one memory after the other, "2 of 128x40" where some are alike. */
static void add_memories(const weir_graph *graph, weir_node node, weir_table *table) {
    weir_text text = {NULL, 0, 0};
    weir_memory memory, next;
    int64_t alike = 1;
    for (size_t i = 0; weir_memory_get(graph, node, i, &memory); i++, alike++) {
        if (weir_memory_get(graph, node, i + 1, &next) && next.depth == memory.depth && next.width == memory.width)
            continue;
        if (text.size > 0) weir_text_add(&text, " + ");
        if (alike > 1) weir_text_format(&text, "%lld of ", (long long)alike);
        weir_text_format(&text, "%lldx%lld", (long long)memory.depth, (long long)memory.width);
        alike = 0;
    }
    if (text.size == 0) weir_text_add(&text, "-");
    weir_table_take(table, &text);
}

/* What components do that state their work as pieces, and no other rule of their own. */
static int64_t pieces_ideal(const weir_graph *graph, weir_node node, const weir_component_rules *rules) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const int64_t each = weir_component_setting_value_as(rules, hardware, WEIR_SETTING_PIECES);
    if (rules->pieces == NULL || each == 0) return 1;
    return weir_stream_beats_of(graph, node) * weir_ceil_divide(rules->pieces(graph, node), each);
}

int64_t weir_resources_ideal(const weir_graph *graph, weir_node node) {
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    int64_t ideal = rules->ideal != NULL ? rules->ideal(graph, node) : pieces_ideal(graph, node, rules);
    if (weir_stream_beats_of(graph, node) > ideal) ideal = weir_stream_beats_of(graph, node);
    for (size_t i = 0; i < weir_stream_count(graph, node); i++) {
        const int64_t beats = weir_stream_beats(graph, weir_node_input(graph, node, i),
                                                weir_stream_lanes_taken(graph, node, hardware, i));
        if (beats > ideal) ideal = beats;
    }
    return ideal;
}

weir_resources weir_resources_of(const weir_graph *graph) {
    weir_resources total = {.ideal_interval = 1, .folded_interval = weir_stream_interval(graph)};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_stream_role(graph, node) != WEIR_ROLE_COMPONENT) continue;
        const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
        total.memory_bits += weir_memory_bits(graph, node);
        const int64_t ideal = weir_resources_ideal(graph, node);
        if (ideal > total.ideal_interval) total.ideal_interval = ideal;
        if (hardware->operations == 0) continue;
        total.multipliers += weir_component_setting_units(weir_component_of(graph, node)->rules, hardware);
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
        const weir_component_rules *rules = weir_component_of(graph, node)->rules;
        weir_text detail = {NULL, 0, 0};
        weir_table_add(table, weir_node_name(graph, node));
        weir_table_add(table, hardware->module);
        weir_table_format(table, "%lld", (long long)hardware->in_lanes);
        weir_table_format(table, "%lld", (long long)hardware->out_lanes);
        add_width(graph, weir_node_input(graph, node, 0), table);
        add_width(graph, weir_node_output(graph, node, 0), table);
        weir_table_format(table, "%lld", (long long)hardware->interval);
        add_memories(graph, node, table);
        if (rules->describe != NULL) rules->describe(graph, node, &detail);
        weir_table_take(table, &detail);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
    weir_resources total = weir_resources_of(graph);
    weir_text_format(text, "  %lld multipliers, %lld bits of parameters, %lld cycles a frame\n",
                     (long long)total.multipliers, (long long)total.memory_bits, (long long)total.folded_interval);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_host_computes(graph, node)) continue;
        weir_text_format(text, "  on the host, %s the hardware: %s (%s)\n",
                         weir_host_of(graph, node) == WEIR_HOST_HEAD ? "before" : "after", weir_node_name(graph, node),
                         weir_node_info(graph, node)->full_name);
    }
}
