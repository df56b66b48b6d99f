/* A sorted array rather than a hash table: no file can choose names that make it slow. */
#include "frontend/import/onnx_scope.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_schema.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static int compare(const void *a, const void *b) {
    const weir_onnx_definition *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0) order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void add(weir_onnx_scope *scope, const char *name, weir_onnx_source source, size_t index) {
    scope->definition[scope->count++] =
        (weir_onnx_definition){.name = name, .source = source, .index = (uint32_t)index};
}

static bool is_empty(const char *name) { return name == NULL || *name == '\0'; }

/* Every named definition in file order; nameless inputs and initializers are errors. */
static bool collect(weir_onnx_scope *scope, const Onnx__GraphProto *graph, const char *file) {
    size_t nameless = 0;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (is_empty(graph->initializer[i]->name)) nameless++;
        else add(scope, graph->initializer[i]->name, WEIR_ONNX_INITIALIZER, i);
    }
    for (size_t i = 0; i < graph->n_input; i++) {
        if (is_empty(graph->input[i]->name)) nameless++;
        else add(scope, graph->input[i]->name, WEIR_ONNX_INPUT, i);
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t j = 0; j < graph->node[i]->n_output; j++) {
            if (!is_empty(graph->node[i]->output[j])) add(scope, graph->node[i]->output[j], WEIR_ONNX_OUTPUT, i);
        }
    }
    if (nameless > 0)
        weir_error(weir_at(file, 0), "%zu graph input%s or initializer%s without a name", nameless,
                   nameless == 1 ? "" : "s", nameless == 1 ? "" : "s");
    return nameless == 0;
}

static void report_repeated(const weir_onnx_definition *d, const Onnx__GraphProto *graph, const char *file) {
    char label[WEIR_ONNX_LABEL_SIZE];
    switch (d->source) {
    case WEIR_ONNX_INITIALIZER: weir_error(weir_at(file, 0), "initializer '%.100s' is defined twice", d->name); break;
    case WEIR_ONNX_INPUT: weir_error(weir_at(file, 0), "graph input '%.100s' is defined twice", d->name); break;
    case WEIR_ONNX_OUTPUT:
        weir_error(weir_at(file, (int)d->index + 1), "%s: value '%.100s' has another definition",
                   weir_onnx_schema_label(graph->node[d->index], label), d->name);
    }
}

bool weir_onnx_scope_build(weir_onnx_scope *scope, const Onnx__GraphProto *graph, const char *file) {
    size_t limit = graph->n_initializer + graph->n_input;
    for (size_t i = 0; i < graph->n_node; i++) limit += graph->node[i]->n_output;
    scope->definition = weir_calloc(limit + 1, sizeof *scope->definition);
    scope->count = 0;
    if (!collect(scope, graph, file)) return false;
    qsort(scope->definition, scope->count, sizeof *scope->definition, compare);
    size_t kept = 0, repeated = 0;
    for (size_t i = 0; i < scope->count; i++) {
        weir_onnx_definition *d = &scope->definition[i];
        weir_onnx_definition *before = kept == 0 ? NULL : &scope->definition[kept - 1];
        if (before == NULL || strcmp(before->name, d->name) != 0) {
            assert(before == NULL || strcmp(before->name, d->name) < 0);
            scope->definition[kept++] = *d;
            continue;
        }
        if (before->source == WEIR_ONNX_INITIALIZER && d->source == WEIR_ONNX_INPUT &&
            scope->definition[i - 1].source == WEIR_ONNX_INITIALIZER)
            continue;
        if (repeated++ < WEIR_DIAG_LIMIT) report_repeated(d, graph, file);
    }
    scope->count = kept;
    return repeated == 0;
}

void weir_onnx_scope_free(weir_onnx_scope *scope) {
    free(scope->definition);
    *scope = (weir_onnx_scope){NULL, 0};
}

weir_onnx_definition *weir_onnx_scope_find(const weir_onnx_scope *scope, const char *name) {
    size_t low = 0, high = scope->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(scope->definition[middle].name, name);
        if (order == 0) return &scope->definition[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* A node whose inputs are being ordered before it. */
typedef struct frame {
    uint32_t node;
    uint32_t needs; /* the next to look at of what must come before it */
} frame;

enum { UNSEEN = 0, ACTIVE = 1, DONE = 2 };

/* Depth first from the node at stack[0]; appends to order. */
static bool order_from(const weir_onnx_scope *scope, const weir_onnx_flat *flat, const char *file, frame *stack,
                       uint8_t *state, uint32_t *order, size_t *count) {
    size_t depth = 1;
    while (depth > 0) {
        frame *top = &stack[depth - 1];
        const char *name = weir_onnx_branch_needs(flat, top->node, top->needs++);
        state[top->node] = ACTIVE;
        if (name == NULL) {
            state[top->node] = DONE;
            assert(*count < flat->graph->n_node);
            order[(*count)++] = top->node;
            depth--;
            continue;
        }
        const weir_onnx_definition *d = weir_onnx_scope_find(scope, name);
        if (d == NULL || d->source != WEIR_ONNX_OUTPUT || state[d->index] == DONE) continue;
        if (state[d->index] == ACTIVE) {
            char label[WEIR_ONNX_LABEL_SIZE];
            weir_error(weir_at(file, weir_onnx_branch_line(flat, top->node)),
                       "%s is on a cycle: its input '%.100s' depends on its output",
                       weir_onnx_schema_label(flat->graph->node[top->node], label), name);
            return false;
        }
        assert(depth < flat->graph->n_node && state[d->index] == UNSEEN);
        stack[depth++] = (frame){d->index, 0};
    }
    return true;
}

uint32_t *weir_onnx_scope_order(const weir_onnx_scope *scope, const weir_onnx_flat *flat, const char *file) {
    const size_t nodes = flat->graph->n_node;
    uint32_t *order = weir_calloc(nodes + 1, sizeof *order);
    uint8_t *state = weir_calloc(nodes + 1, sizeof *state);
    frame *stack = weir_calloc(nodes + 1, sizeof *stack);
    size_t count = 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < nodes; i++) {
        if (state[i] == DONE) continue;
        stack[0] = (frame){i, 0};
        fine = order_from(scope, flat, file, stack, state, order, &count);
    }
    free(state);
    free(stack);
    if (fine) return order;
    free(order);
    return NULL;
}
