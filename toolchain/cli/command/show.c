#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "cli/plugins.h"
#include "dataflow/cost/resources.h"
#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "ir/trait/trait.h"
#include "passes/mase/report.h"
#include "support/text/table.h"
#include "support/text/text.h"

static const char help_text[] =
    "Without options: the text IR, then the tables nodes, quantization and, for DIR/hardware.weir of a compiled folder,\n"
    "hardware. The tables graph, nodes, shapes and meta are the reports of the passes report_*.\n";

static void add_range(weir_table *table, int64_t low, int64_t high) {
    weir_table_format(table, "%lld..%lld", (long long)low, (long long)high);
}

/* A value of codes, by its type. */
static void add_codes(weir_table *table, const weir_type *type) {
    const weir_quant *quant = &type->quant;
    weir_table_add(table, weir_format_name(quant->format));
    weir_table_format(table, "%c%d", quant->is_signed ? 's' : 'u', quant->width);
    weir_table_format(table, "%u", (unsigned)quant->count);
    weir_table_add(table, weir_rounding_name(quant->rounding));
    if (type->has_range) add_range(table, type->low, type->high);
    else weir_table_add(table, "");
}

/* A real value after QONNX's quantizers, by the node's parameters; unknown ones are "?". */
static void add_grid(weir_table *table, const weir_graph *graph, weir_node node) {
    const weir_array *scale = weir_value_constant(graph, weir_node_input(graph, node, 1));
    const bool bipolar = weir_trait_kind(graph, node) == WEIR_OP_BIPOLAR_QUANT;
    const weir_array *width = bipolar ? NULL : weir_value_constant(graph, weir_node_input(graph, node, 3));
    const bool is_signed = bipolar || weir_node_int(graph, node, "signed", 1) != 0;
    const int64_t bits = bipolar ? 1 : width == NULL || width->count != 1 ? 0 : weir_array_get_int(width, 0);
    weir_table_add(table, bipolar ? "binary" : "integer");
    if (bits > 0) weir_table_format(table, "%c%lld", is_signed ? 's' : 'u', (long long)bits);
    else weir_table_add(table, "?");
    if (scale != NULL) weir_table_format(table, "%zu", scale->count);
    else weir_table_add(table, "?");
    weir_table_add(table, bipolar ? "" : weir_node_string(graph, node, "rounding_mode", "ROUND"));
    if (bits < 1 || bits > 62) {
        weir_table_add(table, "");
        return;
    }
    const int64_t half = (int64_t)1 << (bits - 1), narrow = weir_node_int(graph, node, "narrow", 0) != 0;
    if (!is_signed) add_range(table, 0, 2 * half - 1 - narrow);
    else if (bits == 1) add_range(table, -1, 1);
    else add_range(table, narrow - half, half - 1);
}

static void add_real(weir_table *table, const weir_type *type) {
    weir_table_add(table, weir_format_name(type->quant.format));
    weir_table_add(table, weir_dtype_name(type->dtype));
    for (int i = 0; i < 3; i++) weir_table_add(table, "");
}

/* Does a value have its dimensions in another order than ONNX's? */
static bool has_layouts(const weir_graph *graph) {
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++)
        if (weir_value_exists(graph, (weir_value){id}) && weir_value_type(graph, (weir_value){id})->layout[0] != '\0')
            return true;
    return false;
}

/* With the layouts, where there are any: then also of real values. */
static void print_quantization(const weir_graph *graph) {
    static const char *const headers[] = {"value", "format", "bits", "scales", "rounding", "range of codes", "layout"};
    const bool layouts = has_layouts(graph);
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers - !layouts);
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        const weir_value value = {id};
        if (!weir_value_exists(graph, value)) continue;
        const weir_type *type = weir_value_type(graph, value);
        const weir_node node = weir_value_producer(graph, value);
        const weir_op kind = node.id == 0 ? WEIR_OP_NONE : weir_trait_kind(graph, node);
        const bool codes = type->quant.format != WEIR_FORMAT_FLOAT;
        const bool on_grid = kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT;
        if (!codes && !on_grid && type->layout[0] == '\0') continue;
        weir_table_add(table, weir_value_name(graph, value));
        if (codes) add_codes(table, type);
        else if (on_grid) add_grid(table, graph, node);
        else add_real(table, type);
        if (layouts) weir_table_add(table, type->layout);
    }
    weir_text text = {NULL, 0, 0};
    weir_table_print(table, WEIR_TABLE_PLAIN, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    weir_table_free(table);
}

static bool always(const weir_graph *graph) {
    (void)graph;
    return true;
}

/* Has the graph been folded, so that components have widths and memories? */
static bool is_assigned(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (weir_node_metadata_of(graph, node)->hardware.module != NULL) return true;
    return false;
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
    {"hardware", print_hardware, is_assigned},
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

typedef struct request {
    weir_plugins plugins;
    const char *model, *table;
    weir_job_sizes sizes;
} request;

static int show(void *user) {
    const request *r = user;
    weir_module *module = weir_job_read(r->model, &r->sizes);
    if (module == NULL) return WEIR_EXIT_INPUT;
    const weir_graph *graph = weir_job_result(module, NULL);
    const bool fine = weir_folding_verify(graph);
    if (fine) print_tables(graph, r->table);
    weir_module_free(module);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_command_show(int argc, char **argv) {
    request r = {.sizes = WEIR_JOB_SIZES_DEFAULTS};
    const weir_cli_option options[] = {{"table", 't', WEIR_CLI_STRING, &r.table, "NAME",
                                        "print only this: text, graph, nodes, shapes, meta, quantization or hardware"},
                                       WEIR_JOB_SIZE_OPTIONS(r.sizes),
                                       WEIR_PLUGINS_OPTION(r.plugins),
                                       {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("show", options, help_text, argc, argv, 1, 1, &count);
    r.model = argv[1];
    if (status < 0 && r.table != NULL && !known(r.table))
        status = weir_cli_misuse(
            "show", "unknown table '%s', expected text, graph, nodes, shapes, meta, quantization or hardware", r.table);
    if (status < 0) status = weir_plugins_guard(&r.plugins, show, &r);
    weir_cli_list_free(&r.plugins.files);
    weir_cli_list_free(&r.sizes.shape);
    return status;
}
