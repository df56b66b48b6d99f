/* summarize_quantization: which nodes a quantization has changed, as MASE's two CSV files and a table. Nodes of the
 * original graph are paired with nodes of the same name; nodes that only one graph has are without a partner. A node's
 * type is its operator with the formats of its arguments where they are not float32. */
#include <stdlib.h>
#include <string.h>

#include "ir/trait/mase.h"
#include "passes/interface/interface.h"
#include "passes/mase/fx.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"
#include "support/text/table.h"

/* A row of the table; heap strings, "" for what a graph does not have. */
typedef struct pair {
    const weir_fx_node *original, *quantized; /* NULL: only the other graph has the node */
    char *from, *to;                          /* types */
    bool changed;
} pair;

/* Nodes of one original type. */
typedef struct group {
    const char *type, *op;
    int64_t total, changed;
} group;

typedef struct summary {
    weir_fx_view *original, *quantized;
    pair *pairs;
    group *groups;
    size_t pair_count, group_count;
} summary;

/* --- types --- */

static void add_format(const weir_graph *graph, weir_node node, size_t index, weir_text *text) {
    char name[WEIR_MASE_NAME_SIZE];
    weir_mase_role role = weir_mase_input(graph, node, index, name);
    if (role != WEIR_MASE_DATA && role != WEIR_MASE_PARAMETER) return;
    weir_mase_precision precision = weir_mase_precision_of(graph, weir_node_input(graph, node, index));
    if (strcmp(precision.type, "float") == 0 && precision.bits[0] == 32) return;
    bool opened = strchr(text->data, '(') != NULL;
    weir_text_format(text, "%s%s=%s", opened ? ", " : "(", name, precision.type);
    for (size_t i = 0; i < precision.count; i++)
        weir_text_format(text, "%c%lld", i == 0 ? '<' : ',', (long long)precision.bits[i]);
    if (precision.count > 0) weir_text_char(text, '>');
}

static char *type_of(const weir_graph *graph, const weir_fx_node *node) {
    if (node->node.id == 0) return weir_copy_string(weir_fx_op_name(node->op));
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, weir_node_info(graph, node->node)->full_name);
    for (size_t i = 0; i < weir_node_input_count(graph, node->node); i++) add_format(graph, node->node, i, &text);
    if (strchr(text.data, '(') != NULL) weir_text_char(&text, ')');
    return text.data;
}

/* --- matching --- */

static void add_pair(summary *s, const weir_fx_node *original, const weir_fx_node *quantized) {
    pair *new = &s->pairs[s->pair_count++];
    *new = (pair){.original = original, .quantized = quantized};
    new->from = original == NULL ? weir_copy_string("") : type_of(weir_fx_view_graph(s->original), original);
    new->to = quantized == NULL ? weir_copy_string("") : type_of(weir_fx_view_graph(s->quantized), quantized);
    new->changed = strcmp(new->from, new->to) != 0;
}

static int compare(const void *a, const void *b) {
    return strcmp((*(const weir_fx_node *const *)a)->name, (*(const weir_fx_node *const *)b)->name);
}

/* A view's nodes by name; heap memory. */
static const weir_fx_node **sorted(const weir_fx_view *view) {
    size_t count = weir_fx_view_count(view);
    const weir_fx_node **nodes = weir_calloc(count + 1, sizeof *nodes);
    for (size_t i = 0; i < count; i++) nodes[i] = weir_fx_view_at(view, i);
    qsort(nodes, count, sizeof *nodes, compare);
    return nodes;
}

static const weir_fx_node *find(const weir_fx_node *const *nodes, size_t count, const weir_fx_node *of) {
    const weir_fx_node *const *found = bsearch(&of, nodes, count, sizeof *nodes, compare);
    return found == NULL ? NULL : *found;
}

/* In the original's order; nodes that only the quantized graph has come last. O(n log n). */
static void match(summary *s) {
    size_t count = weir_fx_view_count(s->original), others = weir_fx_view_count(s->quantized);
    const weir_fx_node **before = sorted(s->original), **after = sorted(s->quantized);
    s->pairs = weir_calloc(count + others + 1, sizeof *s->pairs);
    for (size_t i = 0; i < count; i++) {
        const weir_fx_node *node = weir_fx_view_at(s->original, i);
        add_pair(s, node, find(after, others, node));
    }
    for (size_t i = 0; i < others; i++) {
        const weir_fx_node *node = weir_fx_view_at(s->quantized, i);
        if (find(before, count, node) == NULL) add_pair(s, NULL, node);
    }
    free(before);
    free(after);
}

static void count_groups(summary *s) {
    s->groups = weir_calloc(s->pair_count + 1, sizeof *s->groups);
    for (size_t i = 0; i < s->pair_count; i++) {
        const pair *p = &s->pairs[i];
        size_t at = 0;
        if (p->original == NULL) continue;
        while (at < s->group_count && strcmp(s->groups[at].type, p->from) != 0) at++;
        if (at == s->group_count) s->groups[s->group_count++] = (group){p->from, p->original->mase_op, 0, 0};
        s->groups[at].total++;
        s->groups[at].changed += p->changed;
    }
}

/* --- writing --- */

/* A field of a CSV record, quoted where it must be. */
static void add_field(weir_text *text, const char *field, char end) {
    bool quoted = strpbrk(field, ",\"\n\r") != NULL;
    if (quoted) weir_text_char(text, '"');
    for (; *field != '\0'; field++) {
        if (*field == '"') weir_text_char(text, '"');
        weir_text_char(text, *field);
    }
    if (quoted) weir_text_char(text, '"');
    weir_text_char(text, end);
}

static const char *name_of(const weir_fx_node *node) { return node == NULL ? "" : node->name; }

static void write_table(const summary *s, weir_text *text) {
    weir_text_add(text, "Ori name,New name,MASE_TYPE,Mase_OP,Original type,Quantized type,Changed\n");
    for (size_t i = 0; i < s->pair_count; i++) {
        const pair *p = &s->pairs[i];
        const weir_fx_node *known = p->original != NULL ? p->original : p->quantized;
        add_field(text, name_of(p->original), ',');
        add_field(text, name_of(p->quantized), ',');
        add_field(text, weir_mase_type_name(known->mase_type), ',');
        add_field(text, known->mase_op, ',');
        add_field(text, p->from, ',');
        add_field(text, p->to, ',');
        add_field(text, p->changed ? "True" : "False", '\n');
    }
}

static void write_histogram(const summary *s, weir_text *text) {
    weir_text_add(text, "Original type,OP,Total,Changed,Unchanged\n");
    for (size_t i = 0; i < s->group_count; i++) {
        const group *g = &s->groups[i];
        add_field(text, g->type, ',');
        add_field(text, g->op, ',');
        weir_text_format(text, "%lld,%lld,%lld\n", (long long)g->total, (long long)g->changed,
                         (long long)(g->total - g->changed));
    }
}

static bool save(const summary *s, const char *folder, const char *file, void (*write)(const summary *, weir_text *)) {
    weir_text text = {NULL, 0, 0};
    char *path = weir_path_join(folder, file);
    write(s, &text);
    bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    free(path);
    return fine;
}

/* As text and for programs. */
static void show(const summary *s, weir_text *text, json_t *record) {
    static const char *const headers[] = {"Original type", "OP", "Total", "Changed", "Unchanged"};
    weir_table *table = weir_table_new(headers, 5);
    json_t *histogram = json_object();
    for (size_t i = 0; i < s->group_count; i++) {
        const group *g = &s->groups[i];
        weir_table_add(table, g->type);
        weir_table_add(table, g->op);
        weir_table_format(table, "%lld", (long long)g->total);
        weir_table_format(table, "%lld", (long long)g->changed);
        weir_table_format(table, "%lld", (long long)(g->total - g->changed));
        json_object_set_new(histogram, g->type,
                            json_pack("{s:s, s:I, s:I, s:I}", "OP", g->op, "Total", (json_int_t)g->total, "Changed",
                                      (json_int_t)g->changed, "Unchanged", (json_int_t)(g->total - g->changed)));
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
    json_object_set_new(record, "histogram", histogram);
}

static bool summarize(const weir_graph *original, const weir_graph *quantized, const char *folder,
                      weir_pass_context *context) {
    summary s = {.original = weir_fx_view_new(original), .quantized = weir_fx_view_new(quantized)};
    match(&s);
    count_groups(&s);
    weir_folder *output = weir_folder_open(folder, WEIR_FOLDER_SHARED);
    const char *to = output == NULL ? NULL : weir_folder_staging(output);
    bool fine = output != NULL && save(&s, to, "quantize_table.csv", write_table) &&
                save(&s, to, "quantize_histogram.csv", write_histogram);
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    if (fine) show(&s, weir_pass_output(context), weir_pass_record(context));
    for (size_t i = 0; i < s.pair_count; i++) {
        free(s.pairs[i].from);
        free(s.pairs[i].to);
    }
    free(s.pairs);
    free(s.groups);
    weir_fx_view_free(s.original);
    weir_fx_view_free(s.quantized);
    return fine;
}

bool weir_pass_summarize_quantization(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const weir_graph *quantized = weir_interface_graph(module, pass);
    bool own = false;
    weir_graph *original =
        quantized == NULL ? NULL : weir_interface_find(module, pass, weir_pass_string(pass, "original_graph"), &own);
    const char *folder = weir_pass_string(pass, "save_dir");
    bool fine = original != NULL &&
                summarize(original, quantized, *folder == '\0' ? weir_module_folder(module) : folder, context);
    if (own && original != NULL) weir_graph_free(original);
    return fine;
}
