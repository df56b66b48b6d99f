/* Two walks over the graphs in the same order, so that a graph has the same number in both: the first collects all
 * names, the second copies. A name of a branch stays when no other graph has it. A sorted array, as in onnx_scope: no
 * file can make it slow. */
#include "frontend/import/onnx_branch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* A name that a graph has: the file's is number 0. */
typedef struct mention {
    const char *name;
    uint32_t graph;
    uint32_t top; /* see weir_onnx_place */
    bool is_used; /* in the file's own graph; it is no definition */
    const char *flat;
} mention;

typedef struct flattener {
    const weir_onnx_opsets *opsets;
    const char *file;
    weir_arena *arena;
    size_t errors_before;
    size_t names, nodes, initializers; /* so far */
    mention *mention;
    uint32_t *parent; /* by graph */
    uint32_t graphs, loops;
    Onnx__NodeProto **node;
    Onnx__TensorProto **initializer;
    weir_onnx_place *place;
    bool listed;
} flattener;

static const char *text_of(const char *text) { return text == NULL ? "" : text; }
static size_t errors(const flattener *f) { return weir_diag_errors() - f->errors_before; }
static bool full(const flattener *f) { return errors(f) >= WEIR_DIAG_LIMIT; }
static weir_location at(const flattener *f, uint32_t top) { return weir_at(f->file, (int)top + 1); }

static bool is_of_onnx(const Onnx__NodeProto *node, const char *type) {
    const char *domain = text_of(node->domain);
    return strcmp(text_of(node->op_type), type) == 0 && (*domain == '\0' || strcmp(domain, "ai.onnx") == 0);
}

bool weir_onnx_branch_is_if(const Onnx__NodeProto *node) { return is_of_onnx(node, "If"); }

bool weir_onnx_branch_repeats(const Onnx__NodeProto *node) {
    return is_of_onnx(node, "Loop") || is_of_onnx(node, "Scan");
}

const Onnx__GraphProto *weir_onnx_branch_body(const Onnx__NodeProto *node) {
    assert(weir_onnx_branch_repeats(node));
    return weir_onnx_schema_attribute(node, "body")->g;
}

/* --- names that a body reads --- */

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

typedef struct name_list {
    const char **name;
    size_t count, capacity;
} name_list;

static void put_name(name_list *list, const char *name) {
    if (*text_of(name) == '\0') return;
    list->name = weir_grow(list->name, &list->capacity, list->count + 1, sizeof *list->name);
    list->name[list->count++] = name;
}

static bool has_name(const name_list *sorted, const char *name) {
    return sorted->count > 0 &&
           bsearch(&name, sorted->name, sorted->count, sizeof *sorted->name, compare_texts) != NULL;
}

/* Those that the graph reads and does not define; graphs in it read what it defines. */
static void put_free_names(const Onnx__GraphProto *graph, name_list *found) {
    name_list own = {0}, used = {0};
    for (size_t i = 0; i < graph->n_initializer; i++) put_name(&own, graph->initializer[i]->name);
    for (size_t i = 0; i < graph->n_input; i++) put_name(&own, graph->input[i]->name);
    for (size_t i = 0; i < graph->n_output; i++) put_name(&used, graph->output[i]->name);
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; k < node->n_output; k++) put_name(&own, node->output[k]);
        for (size_t k = 0; k < node->n_input; k++) put_name(&used, node->input[k]);
        for (size_t k = 0; k < node->n_attribute; k++)
            if (node->attribute[k]->g != NULL) put_free_names(node->attribute[k]->g, &used);
    }
    if (own.count > 0) qsort(own.name, own.count, sizeof *own.name, compare_texts);
    for (size_t i = 0; i < used.count; i++)
        if (!has_name(&own, used.name[i])) put_name(found, used.name[i]);
    free(own.name);
    free(used.name);
}

size_t weir_onnx_branch_free_names(const Onnx__GraphProto *body, weir_arena *arena, const char ***names) {
    name_list found = {0};
    size_t count = 0;
    put_free_names(body, &found);
    if (found.count > 0) qsort(found.name, found.count, sizeof *found.name, compare_texts);
    *names = weir_arena_array(arena, found.count, sizeof **names);
    for (size_t i = 0; i < found.count; i++)
        if (i == 0 || strcmp(found.name[i], found.name[i - 1]) != 0) (*names)[count++] = found.name[i];
    free(found.name);
    return count;
}

static const Onnx__GraphProto *branch_of(const Onnx__NodeProto *node, bool otherwise) {
    return weir_onnx_schema_attribute(node, otherwise ? "else_branch" : "then_branch")->g;
}

/* --- what there is --- */

static bool check_branch(const flattener *f, const Onnx__NodeProto *node, uint32_t top, bool otherwise) {
    const Onnx__GraphProto *branch = branch_of(node, otherwise);
    const char *what = otherwise ? "else_branch" : "then_branch";
    char label[WEIR_ONNX_LABEL_SIZE];
    weir_onnx_schema_label(node, label);
    size_t nameless = 0;
    for (size_t i = 0; i < branch->n_initializer; i++) nameless += *text_of(branch->initializer[i]->name) == '\0';
    for (size_t i = 0; i < branch->n_output; i++) nameless += *text_of(branch->output[i]->name) == '\0';
    if (branch->n_input > 0) weir_error(at(f, top), "%s: its %s has inputs, expected none", label, what);
    else if (branch->n_output != node->n_output)
        weir_error(at(f, top), "%s: its %s has %zu outputs, expected %zu", label, what, branch->n_output,
                   node->n_output);
    else if (branch->n_sparse_initializer > 0)
        weir_error(at(f, top), "%s: its %s has sparse initializers, which are not supported", label, what);
    else if (nameless > 0)
        weir_error(at(f, top), "%s: its %s has an initializer or output without a name", label, what);
    else return true;
    return false;
}

static bool check_node(flattener *f, const Onnx__NodeProto *node, uint32_t top) {
    weir_onnx_rule own;
    const weir_onnx_rule *rule = weir_onnx_schema_find(node, f->opsets, at(f, top), &f->listed, &own);
    return rule != NULL && weir_onnx_schema_check(rule, node, f->opsets, at(f, top));
}

static bool check_if(flattener *f, const Onnx__NodeProto *node, uint32_t top) {
    return check_node(f, node, top) && check_branch(f, node, top, false) && check_branch(f, node, top, true);
}

static void add_name(flattener *f, const char *name, uint32_t graph, uint32_t top, bool is_used) {
    if (*text_of(name) == '\0') return;
    if (f->mention != NULL) f->mention[f->names] = (mention){name, graph, top, is_used, name};
    f->names++;
}

/* The graph's names and, in order, those of its branches; without room for them they are counted. */
static void collect(flattener *f, const Onnx__GraphProto *graph, uint32_t parent, uint32_t top) {
    const uint32_t self = f->graphs++;
    if (f->parent != NULL) f->parent[self] = parent;
    f->nodes += graph->n_node;
    f->initializers += graph->n_initializer;
    for (size_t i = 0; i < graph->n_initializer; i++) add_name(f, graph->initializer[i]->name, self, top, false);
    for (size_t i = 0; i < graph->n_input; i++) add_name(f, graph->input[i]->name, self, top, false);
    for (size_t i = 0; self == 0 && i < graph->n_output; i++) add_name(f, graph->output[i]->name, 0, 0, true);
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; k < node->n_output; k++) add_name(f, node->output[k], self, top, false);
        for (size_t k = 0; self == 0 && k < node->n_input; k++) add_name(f, node->input[k], 0, 0, true);
    }
    for (size_t i = 0; i < graph->n_node && !full(f); i++) {
        const uint32_t line = self == 0 ? (uint32_t)i : top;
        f->loops += weir_onnx_branch_repeats(graph->node[i]);
        if (f->mention == NULL && weir_onnx_branch_repeats(graph->node[i])) check_node(f, graph->node[i], line);
        if (!weir_onnx_branch_is_if(graph->node[i]) || (f->mention == NULL && !check_if(f, graph->node[i], line)))
            continue;
        collect(f, branch_of(graph->node[i], false), self, line);
        collect(f, branch_of(graph->node[i], true), self, line);
    }
}

static int compare(const void *a, const void *b) {
    const mention *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0) order = (x->graph > y->graph) - (x->graph < y->graph);
    return order != 0 ? order : x->is_used - y->is_used;
}

/* The first with the name that is of the graph or a later one; the number of all where there is none. */
static size_t lower_bound(const flattener *f, const char *name, uint32_t graph) {
    const mention wanted = {.name = name, .graph = graph};
    size_t low = 0, high = f->names;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&f->mention[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool has(const flattener *f, const char *name) {
    const size_t i = lower_bound(f, name, 0);
    return i < f->names && strcmp(f->mention[i].name, name) == 0;
}

/* Of a branch: its name with the graph's number, which no other graph's can be. */
static const char *renamed(const flattener *f, const mention *m) {
    const char *name = weir_arena_format(f->arena, "%s.%u", m->name, (unsigned)m->graph);
    while (has(f, name)) name = weir_arena_format(f->arena, "%s_", name);
    return name;
}

/* Those of the same name have one number, or all but the file's own get another name. */
static void rename_all(flattener *f) {
    for (size_t i = 0, end; i < f->names; i = end) {
        for (end = i + 1; end < f->names && strcmp(f->mention[end].name, f->mention[i].name) == 0;) end++;
        const bool alone = f->mention[i].graph == f->mention[end - 1].graph;
        for (size_t k = i; k < end && !full(f); k++) {
            mention *m = &f->mention[k];
            if (m->graph == 0) continue;
            if (k > i && m[-1].graph == m->graph)
                weir_error(at(f, m->top), "value '%.100s' is defined twice in a branch of this If", m->name);
            if (!alone) m->flat = renamed(f, m);
        }
    }
}

/* --- the flat graph --- */

/* What a name in a graph is in the flat one; NULL: nothing defines it. */
static const char *resolve(const flattener *f, const char *name, uint32_t graph) {
    if (*name == '\0') return name;
    for (;; graph = f->parent[graph]) {
        const size_t i = lower_bound(f, name, graph);
        const mention *m = &f->mention[i];
        if (i < f->names && m->graph == graph && !m->is_used && strcmp(m->name, name) == 0) return m->flat;
        if (graph == 0) return NULL;
    }
}

static char *resolve_input(const flattener *f, const Onnx__NodeProto *node, const char *name, uint32_t graph,
                           uint32_t top) {
    const char *found = resolve(f, name, graph);
    char label[WEIR_ONNX_LABEL_SIZE];
    if (found == NULL && graph == 0) return (char *)name; /* the importer's check tells of it */
    if (found == NULL && !full(f))
        weir_error(at(f, top), "%s: '%.100s' is defined neither in its branch nor around it",
                   weir_onnx_schema_label(node, label), name);
    return (char *)found;
}

/* An If's inputs: the condition, the results of both branches, whose graphs have those numbers. */
static void attach_results(const flattener *f, Onnx__NodeProto *copy, uint32_t then_graph, uint32_t else_graph,
                           uint32_t top) {
    const size_t count = copy->n_output;
    char **input = weir_arena_array(f->arena, 1 + 2 * count, sizeof *input);
    input[0] = copy->input[0];
    for (size_t i = 0; i < 2 * count; i++) {
        const bool otherwise = i >= count;
        const char *name = text_of(branch_of(copy, otherwise)->output[otherwise ? i - count : i]->name);
        input[1 + i] = resolve_input(f, copy, name, otherwise ? else_graph : then_graph, top);
    }
    copy->input = input;
    copy->n_input = 1 + 2 * count;
}

static Onnx__NodeProto *copy_node(const flattener *f, const Onnx__NodeProto *node, uint32_t graph, uint32_t top) {
    Onnx__NodeProto *copy = weir_arena_alloc(f->arena, sizeof *copy);
    *copy = *node;
    copy->input = weir_arena_array(f->arena, node->n_input, sizeof *copy->input);
    copy->output = weir_arena_array(f->arena, node->n_output, sizeof *copy->output);
    for (size_t i = 0; i < node->n_input; i++) copy->input[i] = resolve_input(f, node, node->input[i], graph, top);
    for (size_t i = 0; i < node->n_output; i++) copy->output[i] = (char *)resolve(f, node->output[i], graph);
    return copy;
}

static void copy_initializers(flattener *f, const Onnx__GraphProto *graph, uint32_t self) {
    for (size_t i = 0; i < graph->n_initializer; i++) {
        Onnx__TensorProto *tensor = graph->initializer[i];
        if (self > 0) {
            tensor = weir_arena_alloc(f->arena, sizeof *tensor);
            *tensor = *graph->initializer[i];
            tensor->name = (char *)resolve(f, tensor->name, self);
        }
        f->initializer[f->initializers++] = tensor;
    }
}

/* A Loop's or Scan's inputs, then what its body reads around it. */
static void attach_free_names(const flattener *f, Onnx__NodeProto *copy, uint32_t graph, uint32_t top) {
    const char **names;
    const size_t given = copy->n_input,
                 count = weir_onnx_branch_free_names(weir_onnx_branch_body(copy), f->arena, &names);
    char **input = weir_arena_array(f->arena, given + count, sizeof *input);
    for (size_t i = 0; i < given; i++) input[i] = copy->input[i];
    for (size_t i = 0; i < count; i++) {
        input[given + i] = resolve_input(f, copy, names[i], graph, top);
        if (input[given + i] == NULL) input[given + i] = (char *)names[i];
    }
    copy->input = input;
    copy->n_input = given + count;
}

/* In the order of `collect`. */
static void copy_graph(flattener *f, const Onnx__GraphProto *graph, const weir_onnx_place *place) {
    const uint32_t self = f->graphs++;
    const size_t first = f->nodes;
    copy_initializers(f, graph, self);
    for (size_t i = 0; i < graph->n_node; i++) {
        weir_onnx_place own = *place;
        if (self == 0) own.top = (uint32_t)i;
        const bool repeats = weir_onnx_branch_repeats(graph->node[i]);
        const bool stays = self == 0 && !weir_onnx_branch_is_if(graph->node[i]) && !repeats;
        own.inputs = (uint32_t)graph->node[i]->n_input;
        f->place[f->nodes] = own;
        f->node[f->nodes++] = stays ? graph->node[i] : copy_node(f, graph->node[i], self, own.top);
        if (repeats) attach_free_names(f, f->node[f->nodes - 1], self, own.top);
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        if (!weir_onnx_branch_is_if(graph->node[i])) continue;
        const uint32_t top = f->place[first + i].top, then_graph = f->graphs;
        copy_graph(f, branch_of(graph->node[i], false), &(weir_onnx_place){top, (uint32_t)(first + i), false, 0});
        const uint32_t else_graph = f->graphs;
        copy_graph(f, branch_of(graph->node[i], true), &(weir_onnx_place){top, (uint32_t)(first + i), true, 0});
        attach_results(f, f->node[first + i], then_graph, else_graph, top);
    }
}

static void flatten(flattener *f, weir_onnx_flat *flat, const Onnx__GraphProto *graph) {
    Onnx__GraphProto *whole = weir_arena_alloc(f->arena, sizeof *whole);
    f->mention = weir_arena_array(f->arena, f->names, sizeof *f->mention);
    f->parent = weir_arena_array(f->arena, f->graphs, sizeof *f->parent);
    f->node = weir_arena_array(f->arena, f->nodes, sizeof *f->node);
    f->place = weir_arena_array(f->arena, f->nodes, sizeof *f->place);
    f->initializer = weir_arena_array(f->arena, f->initializers, sizeof *f->initializer);
    f->names = f->nodes = f->initializers = f->graphs = 0;
    collect(f, graph, 0, 0);
    qsort(f->mention, f->names, sizeof *f->mention, compare);
    rename_all(f);
    if (errors(f) > 0) return;
    f->nodes = f->initializers = f->graphs = 0;
    copy_graph(f, graph, &(weir_onnx_place){.inside = WEIR_ONNX_NO_IF});
    *whole = *graph;
    whole->node = f->node;
    whole->n_node = f->nodes;
    whole->initializer = f->initializer;
    whole->n_initializer = f->initializers;
    *flat = (weir_onnx_flat){whole, f->place};
}

bool weir_onnx_branch_flatten(weir_onnx_flat *flat, const Onnx__GraphProto *graph, const weir_onnx_opsets *opsets,
                              const char *file, weir_arena *arena) {
    flattener f = {.opsets = opsets, .file = file, .arena = arena, .errors_before = weir_diag_errors()};
    *flat = (weir_onnx_flat){graph, NULL};
    collect(&f, graph, 0, 0);
    if (errors(&f) == 0 && (f.graphs > 1 || f.loops > 0)) flatten(&f, flat, graph);
    return errors(&f) == 0;
}

/* --- what the importer asks --- */

int weir_onnx_branch_line(const weir_onnx_flat *flat, uint32_t node) {
    return (int)(flat->place == NULL ? node : flat->place[node].top) + 1;
}

uint32_t weir_onnx_branch_around(const weir_onnx_flat *flat, uint32_t node) {
    return flat->place == NULL ? WEIR_ONNX_NO_IF : flat->place[node].inside;
}

const char *weir_onnx_branch_needs(const weir_onnx_flat *flat, uint32_t node, uint32_t index) {
    const Onnx__NodeProto *proto = flat->graph->node[node];
    if (index < proto->n_input) return proto->input[index];
    uint32_t around = weir_onnx_branch_around(flat, node);
    for (index -= (uint32_t)proto->n_input; around != WEIR_ONNX_NO_IF && index > 0; index--)
        around = weir_onnx_branch_around(flat, around);
    return around == WEIR_ONNX_NO_IF ? NULL : flat->graph->node[around]->input[0];
}

const char *weir_onnx_branch_result(const Onnx__NodeProto *node, bool otherwise, size_t index) {
    assert(index < node->n_output && node->n_input == 1 + 2 * node->n_output);
    return node->input[1 + (otherwise ? node->n_output : 0) + index];
}
