#include "dse/mapping/workload_onnx.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/evaluate.h"
#include "frontend/import/onnx.h"
#include "ir/shape/loop.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/text/diag.h"

/* Bits of an operand when nothing says otherwise, as ZigZag has them, and when an attribute of the node does. */
enum { DEFAULT_BITS = 8, MOST_BITS = 1024, WEIGHT = 0, ACTIVATION, OUTPUT, PRECISIONS };
static const char *const precision_names[] = {"weight_size", "act_size", "output_size", NULL};

/* What becomes a layer there. */
static const char *const layer_types[] = {"Conv", "QLinearConv", "Gemm", "MatMul", NULL};

/* What a node of the file says of its precision. */
typedef struct precision {
    int line, which;
    int64_t bits;
} precision;

/* Nodes of the file that the importer did not build. */
typedef struct opaque {
    int line;
    size_t input_count, output_count;
    const char **input, **output;
} opaque;

typedef struct builder {
    weir_arena *arena;
    const weir_graph *graph;
    size_t data_inputs;
    weir_dse_workload *workload;
    weir_map producer; /* value to node + 1 */
    bool *is_variable; /* by node: does it depend on the model's data? */
    opaque *opaque;
    size_t opaque_count, opaque_capacity;
    precision *precision;
    size_t precision_count, precision_capacity;
    weir_map names; /* of nodes in the file, by line: a string of the arena */
} builder;

static const char **copy_names(weir_arena *arena, const char *const *names, size_t count) {
    const char **copies = weir_arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; i < count; i++) copies[i] = weir_arena_copy_string(arena, names[i]);
    return copies;
}

static void keep_opaque(void *user, const weir_onnx_opaque *node) {
    builder *b = user;
    b->opaque = weir_grow(b->opaque, &b->opaque_capacity, b->opaque_count + 1, sizeof *b->opaque);
    b->opaque[b->opaque_count++] = (opaque){node->line, node->input_count, node->output_count,
                                            copy_names(b->arena, node->input, node->input_count),
                                            copy_names(b->arena, node->output, node->output_count)};
}

static void keep_precision(void *user, int line, const char *name, int64_t bits) {
    builder *b = user;
    int which = 0;
    while (strcmp(precision_names[which], name) != 0) which++;
    b->precision = weir_grow(b->precision, &b->precision_capacity, b->precision_count + 1, sizeof *b->precision);
    b->precision[b->precision_count++] = (precision){line, which, bits};
}

static void keep_name(void *user, int line, const char *name) {
    builder *b = user;
    *weir_map_put(&b->names, (uint64_t)line) = (uint64_t)(uintptr_t)weir_arena_copy_string(b->arena, name);
}

/* --- layers --- */

/* Products have their sum first in ZigZag, then rows, columns and what is before the matrices; convolutions are in the
 * order of the nest. */
static int rank_of(const weir_loop_nest *nest, uint32_t loop) {
    assert(loop < nest->loop_count);
    static const char *const order[] = {"C", "D", "K", "B", "H"};
    if (weir_loop_find(nest, "D") == NULL) return (int)loop;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (strcmp(nest->loop[loop].name, order[i]) == 0) return (int)i;
    return 100 + (int)loop;
}

/* Fills loops; `place` gives each of the nest's its own. False: there are too many. */
static bool take_loops(const builder *b, const weir_loop_nest *nest, weir_dse_layer *layer, uint8_t *place) {
    if (nest->loop_count > WEIR_DSE_DIMS - WEIR_DSE_RELATIONS) return false;
    for (uint32_t l = 0; l < nest->loop_count; l++) {
        int at = 0;
        for (uint32_t k = 0; k < nest->loop_count; k++)
            at += rank_of(nest, k) < rank_of(nest, l) || (rank_of(nest, k) == rank_of(nest, l) && k < l);
        place[l] = (uint8_t)at;
        layer->dim[at] = weir_arena_copy_string(b->arena, nest->loop[l].name);
        layer->size[at] = nest->loop[l].size;
    }
    layer->dim_count = (int)nest->loop_count;
    return true;
}

/* An index of two loops, such as 2*ox + fx, is a relation: IX. */
static bool add_relation(const builder *b, const weir_loop_axis *axis, const uint8_t *place, weir_dse_layer *layer) {
    if (layer->relation_count == WEIR_DSE_RELATIONS) return false;
    weir_dse_relation *r = &layer->relation[layer->relation_count++];
    for (int i = 0; i < 2; i++) {
        if (axis->term[i].stride < 1) return false;
        r->dim[i] = place[axis->term[i].loop];
        r->factor[i] = axis->term[i].stride;
    }
    r->name = weir_arena_format(b->arena, "I%s", layer->dim[r->dim[0]] + 1);
    r->total = (double)axis->size;
    return true;
}

/* The channels of a group are two loops in one axis with a fixed stride: both are relevant, without overlap. */
static bool overlaps(const weir_loop_nest *nest, const weir_loop_axis *axis) {
    if (axis->terms != 2) return false;
    const bool first_reduced = nest->loop[axis->term[0].loop].is_reduced;
    return first_reduced != nest->loop[axis->term[1].loop].is_reduced &&
           nest->loop[axis->term[first_reduced ? 0 : 1].loop].name[0] == 'F';
}

static bool take_operand(const builder *b, const weir_loop_nest *nest, const weir_loop_operand *from,
                         const uint8_t *place, weir_dse_layer *layer) {
    assert(layer->operand_count < 3);
    weir_dse_operand *o = &layer->operand[layer->operand_count++];
    o->name = from->name;
    for (int a = 0; a < from->rank; a++) {
        const weir_loop_axis *axis = &from->axis[a];
        if (overlaps(nest, axis)) {
            if (!add_relation(b, axis, place, layer)) return false;
            o->relevant[o->relevant_count++] = (uint8_t)(layer->dim_count + layer->relation_count - 1);
            continue;
        }
        for (int t = 0; t < axis->terms; t++) {
            if (o->relevant_count == WEIR_DSE_DIMS) return false;
            o->relevant[o->relevant_count++] = place[axis->term[t].loop];
        }
    }
    return true;
}

/* Weights come first for a convolution and last for a product, as in ZigZag's equations. */
static bool take_operands(const builder *b, const weir_loop_nest *nest, const uint8_t *place, weir_dse_layer *layer) {
    static const char convolution[] = "OWI", product[] = "OIW";
    const char *order = weir_loop_find(nest, "D") == NULL ? convolution : product;
    for (const char *name = order; *name != '\0'; name++) {
        const weir_loop_operand *operand = weir_loop_find_operand(nest, *name);
        if (operand == NULL || !take_operand(b, nest, operand, place, layer)) return false;
    }
    return true;
}

/* Bits as the node says, or 8 and sums of twice as many. Of two computed operands both are activations. */
static bool take_precision(const builder *b, weir_dse_layer *layer) {
    int64_t bits[PRECISIONS] = {DEFAULT_BITS, DEFAULT_BITS, 0};
    for (size_t i = 0; i < b->precision_count; i++) {
        const precision *p = &b->precision[i];
        if (p->line != layer->location.line) continue;
        bits[p->which] = p->bits;
        if (p->bits >= 1 && p->bits <= MOST_BITS) continue;
        weir_error(layer->location, "node '%s': %s is %lld, expected 1 to %d bits", layer->name,
                   precision_names[p->which], (long long)p->bits, MOST_BITS);
        return false;
    }
    layer->operand[0].precision = (double)(bits[OUTPUT] > 0 ? bits[OUTPUT] : 2 * bits[ACTIVATION]);
    for (int i = 1; i < layer->operand_count; i++)
        layer->operand[i].precision =
            (double)bits[layer->operand[i].name == 'W' && layer->operand[i].is_constant ? WEIGHT : ACTIVATION];
    layer->final_precision = (double)bits[ACTIVATION];
    return true;
}

/* --- nodes --- */

/* The workload's node that makes the value, -1: none does. */
static int source_of(const builder *b, weir_value value) { return (int)weir_map_get(&b->producer, value.id, 0) - 1; }

static bool is_data(const builder *b, weir_value value) {
    for (size_t i = 0; i < b->data_inputs; i++)
        if (weir_graph_input(b->graph, i).id == value.id) return true;
    return false;
}

static void add_source(builder *b, int index, weir_value value) {
    assert(index >= 0 && index < b->workload->count);
    weir_dse_node *node = &b->workload->node[index];
    if (value.id == 0) return;
    const int source = source_of(b, value);
    b->is_variable[index] = b->is_variable[index] || (source >= 0 ? b->is_variable[source] : is_data(b, value));
    if (source < 0 || !b->is_variable[source]) return;
    for (int i = 0; i < node->source_count; i++)
        if (node->source[i] == source) return;
    node->source[node->source_count++] = source;
}

/* What the file calls the node, as ZigZag does; the graph's name for it where it has none, or one that an earlier layer
 * has. */
static const char *name_of(const builder *b, weir_node node, int line) {
    const char *name = (const char *)(uintptr_t)weir_map_get(&b->names, (uint64_t)line, 0);
    for (int i = 0; name != NULL && i < b->workload->count; i++) {
        const weir_dse_layer *layer = b->workload->node[i].layer;
        if (layer != NULL && strcmp(layer->name, name) == 0) name = NULL;
    }
    return name != NULL ? name : weir_arena_copy_string(b->arena, weir_node_name(b->graph, node));
}

static bool add_layer(builder *b, int index, weir_node node, const weir_dse_mapping *mapping) {
    const weir_loop_nest *nest = weir_loop_nest_of(b->graph, node, b->arena);
    weir_dse_layer *layer = weir_arena_alloc(b->arena, sizeof *layer);
    uint8_t place[WEIR_DSE_DIMS];
    if (nest->body != WEIR_LOOP_MULTIPLY_ACCUMULATE) return true;
    layer->location = weir_at(b->workload->path, weir_node_location(b->graph, node).line);
    layer->id = layer->location.line - 1;
    layer->name = name_of(b, node, layer->location.line);
    layer->type = weir_node_info(b->graph, node)->full_name;
    if (!take_loops(b, nest, layer, place) || !take_operands(b, nest, place, layer))
        return weir_node_fail(b->graph, node, "its loop nest cannot be explored");
    for (int i = 1; i < layer->operand_count; i++) {
        const weir_loop_operand *operand = weir_loop_find_operand(nest, layer->operand[i].name);
        const int source = source_of(b, weir_node_input(b->graph, node, operand->index));
        layer->operand[i].is_constant = source < 0 || !b->is_variable[source];
        layer->operand[i].source = source < 0 ? layer->id : source;
    }
    if (!take_precision(b, layer)) return false;
    if (!weir_dse_layer_derive(layer, true, NULL)) return weir_node_fail(b->graph, node, "more than 2^53 operations");
    b->workload->node[index].layer = layer;
    return weir_dse_workload_map(layer, mapping);
}

static bool add_node(builder *b, weir_node node, const weir_dse_mapping *mapping) {
    const int index = b->workload->count++;
    const size_t inputs = weir_node_input_count(b->graph, node);
    b->workload->node[index].source = weir_arena_array(b->arena, inputs, sizeof(int));
    for (size_t i = 0; i < inputs; i++) add_source(b, index, weir_node_input(b->graph, node, i));
    for (size_t i = 0; i < weir_node_output_count(b->graph, node); i++)
        *weir_map_put(&b->producer, weir_node_output(b->graph, node, i).id) = (uint64_t)index + 1;
    return add_layer(b, index, node, mapping);
}

static void add_opaque(builder *b, const opaque *node) {
    const int index = b->workload->count++;
    b->workload->node[index].source = weir_arena_array(b->arena, node->input_count, sizeof(int));
    for (size_t i = 0; i < node->input_count; i++)
        add_source(b, index, weir_graph_find_value(b->graph, node->input[i]));
    for (size_t i = 0; i < node->output_count; i++) {
        const weir_value value = weir_graph_find_value(b->graph, node->output[i]);
        if (value.id != 0) *weir_map_put(&b->producer, value.id) = (uint64_t)index + 1;
    }
}

/* The file's order: the importer's, with opaque nodes at their places. */
static bool add_nodes(builder *b, const weir_dse_mapping *mapping) {
    size_t next = 0;
    bool fine = true;
    const size_t count = weir_graph_node_count(b->graph) + b->opaque_count;
    b->workload->node = weir_arena_array(b->arena, count, sizeof *b->workload->node);
    b->is_variable = weir_arena_array(b->arena, count, sizeof *b->is_variable);
    for (weir_node node = weir_graph_first(b->graph); fine && node.id != 0; node = weir_node_next(b->graph, node)) {
        while (next < b->opaque_count && b->opaque[next].line < weir_node_location(b->graph, node).line)
            add_opaque(b, &b->opaque[next++]);
        fine = add_node(b, node, mapping);
    }
    return fine;
}

static bool build(builder *b, const weir_dse_mapping *mapping) {
    if (!add_nodes(b, mapping)) return false;
    bool has_layers = false;
    for (int i = 0; i < b->workload->count; i++) has_layers = has_layers || b->workload->node[i].layer != NULL;
    if (has_layers) return weir_dse_workload_sort(b->workload, b->arena);
    weir_error(weir_at(b->workload->path, 0), "the model has no convolution and no product of matrices");
    return false;
}

weir_dse_workload *weir_dse_workload_import(const char *path, const weir_dse_mapping *mapping, weir_arena *arena) {
    builder b = {.arena = arena, .workload = weir_arena_alloc(arena, sizeof(weir_dse_workload))};
    weir_onnx_outline outline = {.needed = layer_types,
                                 .remark = precision_names,
                                 .remarked = keep_precision,
                                 .named = keep_name,
                                 .opaque = keep_opaque,
                                 .user = &b};
    const weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true, .outline = &outline};
    weir_graph *graph = weir_onnx_import(path, &options);
    b.graph = graph;
    b.data_inputs = outline.data_inputs;
    b.workload->path = weir_arena_copy_string(arena, path);
    const bool fine = graph != NULL && build(&b, mapping);
    weir_map_free(&b.producer);
    weir_map_free(&b.names);
    free(b.opaque);
    free(b.precision);
    weir_graph_free(graph);
    return fine ? b.workload : NULL;
}
