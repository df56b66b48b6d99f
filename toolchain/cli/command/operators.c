#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plugins.h"
#include "exec/kernel.h"
#include "frontend/import/onnx.h"
#include "ir/trait/op_listing.h"
#include "ir/trait/trait.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/table.h"
#include "support/text/text.h"

static const char help_text[] =
    "Every operator that can be imported, the dialects that use it, and what supports it: the float engine, the\n"
    "exact integer engine, hardware. 'host': the host computes it before the first quantizer and after the last, but "
    "not between\n"
    "them. 'removed': nothing to compute.\n"
    "Nodes whose inputs are all constants or shapes are computed by the compiler.\n"
    "A node may still have attributes or shapes that are not supported: the error names it and the reason.\n";

/* What is known about an operator. */
typedef struct facts {
    weir_op op;
    int since;
    const char *dialects, *real, *integer, *hardware;
} facts;

static const char *dialects_of(weir_op op) {
    const weir_trait_task task = weir_trait_of(op)->task;
    if (strncmp(weir_op_get(op)->domain, "qonnx", 5) == 0) return "QONNX";
    if (strcmp(weir_op_get(op)->domain, "PACTOps") == 0) return "RequantShift";
    if (weir_trait_is_quantizer(op)) return "QDQ, QOperator";
    const bool codes = task == WEIR_TASK_CODE_LAYER || task == WEIR_TASK_CODE_OPERATOR;
    return codes ? "QOperator" : "float, QDQ, QONNX";
}

static facts facts_of(weir_op op) {
    static const char *const integer[] = {"no", "yes", "no", "yes"};
    static const char *const hardware[] = {"no", "yes", "host", "removed"};
    const weir_lowered lowered = weir_lower_integer_takes(op);
    return (facts){op,
                   weir_onnx_since(op),
                   dialects_of(op),
                   weir_kernel_exists(op) ? "yes" : "no",
                   integer[lowered],
                   hardware[lowered]};
}

/* Those of the user's own by domain and name. */
static const char *name_of(weir_op op) {
    return op < WEIR_OP_COUNT ? weir_op_get(op)->name : weir_op_get(op)->full_name;
}

/* One an operator that files may have, in the order of op.def, then the user's own; heap memory. */
static facts *collect(size_t *count) {
    facts *list = weir_calloc((size_t)weir_op_limit(), sizeof *list);
    *count = 0;
    for (int op = 1; op < (int)weir_op_limit(); op++) {
        const bool is_own = op >= WEIR_OP_COUNT && weir_op_get((weir_op)op)->class == WEIR_CLASS_TENSOR;
        if (!is_own && (op >= WEIR_OP_COUNT || weir_onnx_since((weir_op)op) == 0)) continue;
        list[*count] = facts_of((weir_op)op);
        if (is_own) list[*count].since = 1; /* of its domain: any */
        ++*count;
    }
    return list;
}

static void print_list(const facts *list, size_t count, weir_text *text) {
    static const char *const headers[] = {"Operator",     "Dialects",       "From opset",
                                          "Float engine", "Integer engine", "Hardware"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < count; i++) {
        weir_table_add(table, name_of(list[i].op));
        weir_table_add(table, list[i].dialects);
        weir_table_format(table, "%d", list[i].since);
        weir_table_add(table, list[i].real);
        weir_table_add(table, list[i].integer);
        weir_table_add(table, list[i].hardware);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
}

static void print_json(const facts *list, size_t count, weir_text *text) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const weir_op_info *info = weir_op_get(list[i].op);
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s}", "name", info->name, "domain",
                                        info->domain, "dialects", list[i].dialects, "since", list[i].since, "float",
                                        list[i].real, "integer", list[i].integer, "hardware", list[i].hardware));
    }
    char *json = weir_cli_json(array);
    weir_text_add(text, json);
    free(json);
}

/* Index of the operator called so; `count` after an error. */
static size_t find(const facts *list, size_t count, const char *name) {
    const char **names = weir_calloc(count, sizeof *names);
    size_t at = 0;
    while (at < count && strcmp(name_of(list[at].op), name) != 0) at++;
    for (size_t i = 0; i < count; i++) names[i] = name_of(list[i].op);
    if (at == count) {
        const char *nearest = weir_suggest(name, names, count);
        weir_cli_misuse("operators", "no operator '%s'%s%s%s", name, nearest == NULL ? "" : "; did you mean '",
                        nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
    }
    free(names);
    return at;
}

typedef struct request {
    weir_plugins plugins;
    const char *name; /* NULL: all */
    bool json, import, graph;
} request;

/* The pages that are about tables as they are: files' operators and attributes, the graph's operators. */
static int print_page(const request *r) {
    weir_text text = {NULL, 0, 0};
    (r->import ? weir_onnx_listing : weir_op_listing)(&text);
    fputs(text.data, stdout);
    weir_text_free(&text);
    return WEIR_EXIT_FINE;
}

static int print(void *user) {
    const request *r = user;
    if (r->import || r->graph) return print_page(r);
    size_t count;
    facts *list = collect(&count);
    const size_t at = r->name == NULL ? 0 : find(list, count, r->name);
    if (r->name != NULL) count = at < count;
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    if (count > 0) (r->json ? print_json : print_list)(list + at, count, &text);
    fputs(text.data, stdout);
    weir_text_free(&text);
    free(list);
    return count > 0 ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

int weir_command_operators(int argc, char **argv) {
    request r = {.name = NULL};
    const weir_cli_option options[] = {
        {"json", 'j', WEIR_CLI_FLAG, &r.json, NULL, "print JSON"},
        {"import", 0, WEIR_CLI_FLAG, &r.import, NULL,
         "print as Markdown what files may have: operators and attributes by opset"},
        {"graph", 0, WEIR_CLI_FLAG, &r.graph, NULL,
         "print as Markdown the graph's operators, this IR's own too, with inputs and MASE's names"},
        WEIR_PLUGINS_OPTION(r.plugins),
        {.name = NULL},
    };
    size_t given;
    int status = weir_cli_parse("operators", options, help_text, argc, argv, 0, 1, &given);
    if (status < 0 && given > 0) r.name = argv[1];
    const int pages = r.import + r.graph;
    if (status < 0 && (pages > 1 || (pages == 1 && (r.json || r.name != NULL))))
        status =
            weir_cli_misuse("operators", "--import and --graph cannot be combined with NAME, --json or each other");
    if (status < 0) status = weir_plugins_guard(&r.plugins, print, &r);
    weir_cli_list_free(&r.plugins.files);
    return status;
}
