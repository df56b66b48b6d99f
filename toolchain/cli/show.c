#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "ir/print.h"
#include "passes/analysis/report.h"
#include "passes/analysis/resources.h"
#include "support/text.h"

static const char help_text[] =
    "Without options: the text IR, then the tables text, nodes, quantization and hardware; graph, nodes, shapes and meta\n"
    "are the reports of the passes report_*. Hardware is for DIR/hardware.weir of a compiled folder.\n";

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

static bool always(const weir_graph *graph) {
    (void)graph;
    return true;
}

/* Has the graph been folded, so that components have widths and memories? */
static bool is_placed(const weir_graph *graph) {
    weir_node first = weir_graph_first(graph);
    return first.id != 0 && weir_node_metadata_of(graph, first)->hardware.placed;
}

static void print_text(const weir_graph *graph) {
    weir_text text = {NULL, 0, 0};
    weir_graph_print(graph, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

static void print_report(const weir_graph *graph, weir_report_writer *write) {
    weir_text text = {NULL, 0, 0};
    weir_fx_view *view = weir_fx_view_new(graph);
    write(view, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_fx_view_free(view);
    weir_text_free(&text);
}

static void print_graph(const weir_graph *graph) { print_report(graph, weir_report_graph); }
static void print_nodes(const weir_graph *graph) { print_report(graph, weir_report_node_type); }
static void print_shapes(const weir_graph *graph) { print_report(graph, weir_report_node_shape); }

static void print_meta(const weir_graph *graph) {
    static const bool all[WEIR_META_GROUPS] = {true, true, true};
    weir_text text = {NULL, 0, 0};
    weir_fx_view *view = weir_fx_view_new(graph);
    weir_report_node_meta_param(view, all, NULL, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_fx_view_free(view);
    weir_text_free(&text);
}

static void print_hardware(const weir_graph *graph) {
    weir_text text = {NULL, 0, 0};
    weir_resources_print(graph, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

static const struct {
    const char *name;
    void (*print)(const weir_graph *graph);
    bool (*shown)(const weir_graph *graph); /* without --table; NULL: never */
} tables[] = {
    {"text", print_text, always},
    {"graph", print_graph, NULL},
    {"nodes", print_nodes, always},
    {"shapes", print_shapes, NULL},
    {"meta", print_meta, NULL},
    {"quantization", print_quantization, always},
    {"hardware", print_hardware, is_placed},
};
enum { TABLES = sizeof tables / sizeof *tables };

static bool known(const char *name) {
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0) return true;
    return false;
}

static void print_tables(const weir_graph *graph, const char *name) {
    bool first = true;
    for (size_t i = 0; i < TABLES; i++) {
        if (name == NULL ? tables[i].shown == NULL || !tables[i].shown(graph) : strcmp(tables[i].name, name) != 0)
            continue;
        if (!first) putchar('\n');
        first = false;
        tables[i].print(graph);
    }
}

int weir_command_show(int argc, char **argv) {
    const char *table = NULL;
    int64_t batch = 1;
    const weir_cli_option options[] = {
        {"table", 't', WEIR_CLI_STRING, &table, "NAME",
         "only text, graph, nodes, shapes, meta, quantization or hardware"},
        {"batch", 0, WEIR_CLI_COUNT, &batch, "N", "value of a symbolic first dimension (1)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("show", options, help_text, argc, argv, 1, 1, &count);
    if (status >= 0) return status;
    if (table != NULL && !known(table))
        return weir_cli_misuse(
            "show", "unknown table '%s', expected text, graph, nodes, shapes, meta, quantization or hardware", table);
    weir_module *module = weir_job_read(argv[1], batch);
    if (module == NULL) return WEIR_EXIT_INPUT;
    print_tables(weir_job_result(module, NULL), table);
    weir_module_free(module);
    return WEIR_EXIT_FINE;
}
