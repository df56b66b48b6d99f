#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "ir/print.h"
#include "passes/analysis/resources.h"
#include "support/text.h"

static const char help_text[] =
    "Without options: the text IR, then the tables; hardware is for DIR/hardware.weir of a compiled folder.\n";

static void print_nodes(const weir_graph *graph) {
    printf("%-28s %-28s %-20s %-10s %s\n", "node", "operator", "mase type", "mase op", "result");
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, 0));
        const weir_meta_common *common = &weir_node_metadata_of(graph, node)->common;
        char shape[96];
        printf("%-28s %-28s %-20s %-10s %s%s\n", weir_node_name(graph, node), weir_node_info(graph, node)->full_name,
               weir_mase_type_name(common->mase_type), common->mase_op, weir_dtype_name(type->dtype),
               weir_shape_print(&type->shape, shape, sizeof shape));
    }
}

static void print_quantization(const weir_graph *graph) {
    printf("%-32s %-10s %5s %6s %-12s %s\n", "value", "format", "bits", "scales", "rounding", "range of codes");
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        weir_value value = {id};
        if (!weir_value_exists(graph, value)) continue;
        const weir_type *type = weir_value_type(graph, value);
        const weir_quant *quant = &type->quant;
        if (quant->format == WEIR_FORMAT_FLOAT) continue;
        printf("%-32s %-10s %c%-4d %6u %-12s", weir_value_name(graph, value), weir_format_name(quant->format),
               quant->is_signed ? 's' : 'u', quant->width, (unsigned)quant->count, weir_rounding_name(quant->rounding));
        if (type->has_range) printf(" %lld..%lld", (long long)type->low, (long long)type->high);
        putchar('\n');
    }
}

/* Has the graph been folded, so that components have widths and memories? */
static bool is_placed(const weir_graph *graph) {
    weir_node first = weir_graph_first(graph);
    return first.id != 0 && weir_node_metadata_of(graph, first)->hardware.placed;
}

static void print_hardware(const weir_graph *graph, bool separate) {
    weir_text text = {NULL, 0, 0};
    if (separate) weir_text_char(&text, '\n');
    weir_resources_print(graph, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

int weir_command_show(int argc, char **argv) {
    const char *table = "all";
    int64_t batch = 1;
    const weir_cli_option options[] = {
        {"table", 't', WEIR_CLI_STRING, &table, "NAME", "only this: text, nodes, quantization or hardware"},
        {"batch", 0, WEIR_CLI_INT, &batch, "N", "value of a symbolic first dimension (1)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("show", options, help_text, argc, argv, 1, 1, &count);
    if (status >= 0) return status;
    bool all = strcmp(table, "all") == 0, text = strcmp(table, "text") == 0, nodes = strcmp(table, "nodes") == 0;
    bool hardware = strcmp(table, "hardware") == 0, quantization = strcmp(table, "quantization") == 0;
    if (!all && !text && !nodes && !quantization && !hardware)
        return weir_cli_misuse("show", "unknown table '%s', expected text, nodes, quantization or hardware", table);
    weir_module *module = weir_job_read(argv[1], batch);
    if (module == NULL) return WEIR_EXIT_INPUT;
    weir_graph *graph = weir_job_result(module, NULL);
    if (all || text) {
        weir_text printed = {NULL, 0, 0};
        weir_graph_print(graph, &printed);
        fwrite(printed.data, 1, printed.size, stdout);
        weir_text_free(&printed);
    }
    if (all) putchar('\n');
    if (all || nodes) print_nodes(graph);
    if (all) putchar('\n');
    if (all || quantization) print_quantization(graph);
    if (hardware || (all && is_placed(graph))) print_hardware(graph, all);
    weir_module_free(module);
    return WEIR_EXIT_FINE;
}
