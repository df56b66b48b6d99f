#include "ir/graph/graph.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/intern.h"
#include "support/memory/map.h"
#include "support/text/text.h"

/* What a name refers to: handle | suffix << 32, by the interned pointer. Handle 0: it is free again. `suffix` is the
 * number to try next when the name is taken, so that n equal names cost O(n). */
typedef weir_map name_table;

/* What a constant holds: one for a graph and its copies. */
typedef struct shared_array {
    atomic_size_t graphs;
    weir_array *array;
} shared_array;

typedef struct value_record {
    const char *name; /* NULL: removed */
    weir_type type;
    shared_array *constant; /* NULL: is none */
    bool has_data_range;
    int64_t data_low, data_high; /* of the constant's elements */
    weir_node producer;
    uint32_t output;
    weir_use *use;
    uint32_t use_count, use_capacity;
    uint32_t first_output; /* graph outputs that are this value: a list through output_record.next, by index + 1 */
    bool is_input;
} value_record;

typedef struct node_record {
    weir_op op; /* NONE: removed */
    const char *name;
    weir_value *input;
    uint32_t *use_index; /* by input: its index in the value's list of uses */
    weir_value *output;
    uint32_t input_count, output_count, attribute_count, attribute_capacity;
    weir_attribute *attribute; /* sorted by name */
    weir_node next, previous;
    weir_location location;
    weir_metadata metadata;
} node_record;

typedef struct output_record {
    const char *name;
    weir_value value;
    uint32_t next; /* index + 1 of another output with the same value; 0: none */
} output_record;

/* What is kept of the device; not const where the graph is, for readers may be the first to need it. */
typedef struct kept {
    void *data;
    void (*release)(void *data);
} kept;
typedef struct keeper {
    _Atomic(kept *) first;
} keeper;

struct weir_graph {
    weir_arena *arena;
    keeper *keeper;
    weir_strings *strings;
    const char *name, *source, *device, *batch;
    weir_graph_contract contract;
    weir_word_list classes;
    int64_t clock, interval;
    bool patchable;
    value_record *
        *value; /* by id, in the arena: a type, a record of metadata stays where it is when others are added */
    node_record **node;
    size_t value_count, value_capacity, node_count, node_capacity, live_nodes;
    weir_value *input;
    output_record *output;
    size_t input_count, input_capacity, output_count, output_capacity;
    shared_array **constant; /* all that the graph has had: whoever has read one may go on reading it */
    size_t constant_count, constant_capacity;
    weir_node first, last;
    name_table value_names, node_names;
};

/* --- names --- */

static uint64_t *name_entry(name_table *table, const char *name) { return weir_map_put(table, (uintptr_t)name); }

static uint32_t handle_of(uint64_t entry) { return (uint32_t)entry; }

static uint32_t suffix_of(uint64_t entry) { return (uint32_t)(entry >> 32); }

static uint64_t entry_of(uint32_t id, uint32_t suffix) { return (uint64_t)suffix << 32 | id; }

/* A free name made from `wanted`, registered for the handle. */
static const char *reserve_name(weir_graph *graph, name_table *table, const char *wanted, uint32_t id) {
    const char *name = weir_strings_intern(graph->strings, wanted);
    uint64_t *entry = name_entry(table, name);
    uint32_t suffix = suffix_of(*entry) == 0 ? 1 : suffix_of(*entry);
    const char *base = name;
    while (handle_of(*entry) != 0) {
        char *text = weir_format("%s_%u", base, (unsigned)suffix++);
        name = weir_strings_intern(graph->strings, text);
        free(text);
        entry = name_entry(table, name);
    }
    *entry = entry_of(id, suffix_of(*entry));
    if (name == base) return name;
    entry = name_entry(table, base);
    *entry = entry_of(handle_of(*entry), suffix);
    return name;
}

static void release_name(name_table *table, const char *name) {
    uint64_t *entry = name_entry(table, name);
    *entry = entry_of(0, suffix_of(*entry));
}

static uint32_t find_name(const weir_graph *graph, const name_table *table, const char *text) {
    return handle_of(weir_map_get(table, (uintptr_t)weir_strings_intern(graph->strings, text), 0));
}

/* --- graphs --- */

/* `count` more records, zeroed. */
static void make_values(weir_graph *graph, size_t count) {
    value_record *record = weir_arena_array(graph->arena, count, sizeof *record);
    graph->value = weir_grow(graph->value, &graph->value_capacity, graph->value_count + count, sizeof(value_record *));
    for (size_t i = 0; i < count; i++) graph->value[graph->value_count++] = record + i;
}

static void make_nodes(weir_graph *graph, size_t count) {
    node_record *record = weir_arena_array(graph->arena, count, sizeof *record);
    graph->node = weir_grow(graph->node, &graph->node_capacity, graph->node_count + count, sizeof(node_record *));
    for (size_t i = 0; i < count; i++) graph->node[graph->node_count++] = record + i;
}

weir_graph *weir_graph_new(const char *name) {
    weir_graph *graph = weir_calloc(1, sizeof *graph);
    graph->arena = weir_arena_new();
    graph->keeper = weir_arena_alloc(graph->arena, sizeof *graph->keeper);
    atomic_init(&graph->keeper->first, NULL);
    graph->strings = weir_strings_new(graph->arena);
    graph->name = weir_graph_intern(graph, name);
    graph->source = "";
    graph->device = "";
    make_values(graph, 1);
    make_nodes(graph, 1);
    return graph;
}

static void release(kept *old) {
    if (old != NULL) old->release(old->data);
    free(old);
}

static void share(weir_graph *graph, shared_array *constant) {
    atomic_fetch_add(&constant->graphs, 1);
    graph->constant =
        weir_grow(graph->constant, &graph->constant_capacity, graph->constant_count + 1, sizeof(shared_array *));
    graph->constant[graph->constant_count++] = constant;
}

static void release_constants(weir_graph *graph) {
    for (size_t i = 0; i < graph->constant_count; i++) {
        if (atomic_fetch_sub(&graph->constant[i]->graphs, 1) > 1) continue;
        weir_array_free(graph->constant[i]->array);
        free(graph->constant[i]);
    }
    free(graph->constant);
}

void weir_graph_free(weir_graph *graph) {
    if (graph == NULL) return;
    release(atomic_load(&graph->keeper->first));
    release_constants(graph);
    for (size_t id = 1; id < graph->node_count; id++) json_decref(graph->node[id]->metadata.facts);
    free(graph->value);
    free(graph->node);
    free(graph->input);
    free(graph->output);
    weir_map_free(&graph->value_names);
    weir_map_free(&graph->node_names);
    weir_strings_free(graph->strings);
    weir_arena_free(graph->arena);
    free(graph);
}

const char *weir_graph_name(const weir_graph *graph) { return graph->name; }
void weir_graph_set_name(weir_graph *graph, const char *name) { graph->name = weir_graph_intern(graph, name); }
weir_arena *weir_graph_arena(weir_graph *graph) { return graph->arena; }
const char *weir_graph_source(const weir_graph *graph) { return graph->source; }
void weir_graph_set_source(weir_graph *graph, const char *file) { graph->source = weir_graph_intern(graph, file); }
weir_graph_contract weir_graph_contract_of(const weir_graph *graph) { return graph->contract; }
void weir_graph_set_contract(weir_graph *graph, weir_graph_contract contract) { graph->contract = contract; }
const char *weir_graph_batch(const weir_graph *graph) { return graph->batch; }
weir_word_list weir_graph_classes(const weir_graph *graph) { return graph->classes; }
void weir_graph_set_classes(weir_graph *graph, const weir_word_list *names) {
    const char **own = weir_arena_array(graph->arena, names->count, sizeof *own);
    for (size_t i = 0; i < names->count; i++) own[i] = weir_graph_intern(graph, names->word[i]);
    graph->classes = (weir_word_list){own, names->count};
}
void weir_graph_set_batch(weir_graph *graph, const char *name) {
    graph->batch = name == NULL ? NULL : weir_graph_intern(graph, name);
}
const char *weir_graph_device(const weir_graph *graph) { return graph->device; }
int64_t weir_graph_clock(const weir_graph *graph) { return graph->clock; }
int64_t weir_graph_interval(const weir_graph *graph) { return graph->interval; }
bool weir_graph_patchable(const weir_graph *graph) { return graph->patchable; }
void weir_graph_set_patchable(weir_graph *graph, bool patchable) { graph->patchable = patchable; }

void weir_graph_set_interval(weir_graph *graph, int64_t cycles) {
    assert(cycles >= 0);
    graph->interval = cycles;
}

void weir_graph_set_device(weir_graph *graph, const char *device, int64_t clock_mhz) {
    assert(clock_mhz >= 0);
    graph->device = weir_graph_intern(graph, device);
    graph->clock = clock_mhz;
    release(atomic_exchange(&graph->keeper->first, NULL));
}

const void *weir_graph_kept(const weir_graph *graph) {
    const kept *first = atomic_load(&graph->keeper->first);
    return first == NULL ? NULL : first->data;
}

const void *weir_graph_keep(const weir_graph *graph, void *data, void (*release_data)(void *data)) {
    kept *mine = weir_calloc(1, sizeof *mine), *first = NULL;
    *mine = (kept){data, release_data};
    if (atomic_compare_exchange_strong(&graph->keeper->first, &first, mine)) return data;
    release(mine);
    return first->data;
}

const char *weir_graph_intern(weir_graph *graph, const char *text) { return weir_strings_intern(graph->strings, text); }

size_t weir_graph_input_count(const weir_graph *graph) { return graph->input_count; }
weir_value weir_graph_input(const weir_graph *graph, size_t index) {
    assert(index < graph->input_count);
    return graph->input[index];
}
size_t weir_graph_output_count(const weir_graph *graph) { return graph->output_count; }
weir_value weir_graph_output(const weir_graph *graph, size_t index) {
    assert(index < graph->output_count);
    return graph->output[index].value;
}
const char *weir_graph_output_name(const weir_graph *graph, size_t index) {
    assert(index < graph->output_count);
    return graph->output[index].name;
}

/* --- values --- */

static void *copy_in(weir_arena *arena, const void *data, size_t size) {
    if (data == NULL) return NULL;
    void *copy = weir_arena_alloc(arena, size);
    memcpy(copy, data, size);
    return copy;
}

static weir_quant copy_quant(weir_arena *arena, const weir_quant *quant) {
    weir_quant copy = *quant;
    copy.scale = copy_in(arena, quant->count == 0 ? NULL : quant->scale, quant->count * sizeof *quant->scale);
    copy.zero_point =
        copy_in(arena, quant->count == 0 ? NULL : quant->zero_point, quant->count * sizeof *quant->zero_point);
    return copy;
}

static value_record *value_at(const weir_graph *graph, weir_value value) {
    assert(weir_value_exists(graph, value));
    return graph->value[value.id];
}

static weir_value new_value(weir_graph *graph, const char *name) {
    weir_value value = {(uint32_t)graph->value_count};
    make_values(graph, 1);
    value_record *record = graph->value[value.id];
    record->type.dtype = WEIR_FLOAT32;
    record->type.quant.axis = -1;
    record->name = reserve_name(graph, &graph->value_names, name, value.id);
    return value;
}

weir_value weir_graph_add_input(weir_graph *graph, const char *name, const weir_type *type) {
    weir_value value = new_value(graph, name);
    weir_value_set_type(graph, value, type);
    graph->input = weir_grow(graph->input, &graph->input_capacity, graph->input_count + 1, sizeof *graph->input);
    graph->input[graph->input_count++] = value;
    value_at(graph, value)->is_input = true;
    return value;
}

/* Puts output `index` on the value's list. */
static void link_output(weir_graph *graph, weir_value value, size_t index) {
    value_record *record = value_at(graph, value);
    graph->output[index].value = value;
    graph->output[index].next = record->first_output;
    record->first_output = (uint32_t)index + 1;
}

void weir_graph_add_output(weir_graph *graph, const char *name, weir_value value) {
    assert(weir_value_exists(graph, value));
    graph->output = weir_grow(graph->output, &graph->output_capacity, graph->output_count + 1, sizeof *graph->output);
    graph->output[graph->output_count].name = weir_graph_intern(graph, name);
    link_output(graph, value, graph->output_count++);
}

/* Takes output `index` off its value's list. */
static void unlink_output(weir_graph *graph, size_t index) {
    uint32_t *link = &value_at(graph, graph->output[index].value)->first_output;
    while (*link != index + 1) link = &graph->output[*link - 1].next;
    *link = graph->output[index].next;
}

void weir_graph_set_output(weir_graph *graph, size_t index, weir_value value) {
    assert(index < graph->output_count);
    unlink_output(graph, index);
    link_output(graph, value, index);
}

void weir_graph_remove_output(weir_graph *graph, size_t index) {
    assert(index < graph->output_count);
    for (size_t i = index; i < graph->output_count; i++) unlink_output(graph, i);
    graph->output_count--;
    for (size_t i = index; i < graph->output_count; i++) {
        graph->output[i].name = graph->output[i + 1].name;
        link_output(graph, graph->output[i + 1].value, i);
    }
}

weir_value weir_graph_add_constant(weir_graph *graph, const char *name, const weir_array *data) {
    weir_value value = new_value(graph, name);
    weir_value_bind(graph, value, data);
    return value;
}

void weir_value_bind(weir_graph *graph, weir_value value, const weir_array *data) {
    value_record *record = value_at(graph, value);
    assert(record->producer.id == 0);
    for (size_t i = 0; record->is_input; i++) {
        if (graph->input[i].id != value.id) continue;
        memmove(&graph->input[i], &graph->input[i + 1], (graph->input_count - i - 1) * sizeof *graph->input);
        graph->input_count--;
        record->is_input = false;
    }
    assert(data->data != NULL);
    record->constant = weir_malloc(sizeof *record->constant);
    atomic_init(&record->constant->graphs, 0);
    record->constant->array = weir_array_copy(data);
    share(graph, record->constant);
    record->type = weir_type_of_data(data);
    record->has_data_range = record->type.has_range;
    record->data_low = record->type.low;
    record->data_high = record->type.high;
}

bool weir_value_exists(const weir_graph *graph, weir_value value) {
    return value.id > 0 && value.id < graph->value_count && graph->value[value.id]->name != NULL;
}

const char *weir_value_name(const weir_graph *graph, weir_value value) { return value_at(graph, value)->name; }

void weir_value_set_name(weir_graph *graph, weir_value value, const char *name) {
    value_record *record = value_at(graph, value);
    release_name(&graph->value_names, record->name);
    record->name = reserve_name(graph, &graph->value_names, name, value.id);
}

const weir_type *weir_value_type(const weir_graph *graph, weir_value value) { return &value_at(graph, value)->type; }

/* What a copy of the type reads; the verifier reports the rest, and names the pass that set it. */
static void assert_type(const weir_type *type) {
    const weir_quant *quant = &type->quant;
    assert(quant->format < WEIR_FORMAT_COUNT && (quant->count == 0) == (quant->scale == NULL));
    assert(quant->count <= 1 || quant->axis >= 0);
}

void weir_value_set_type(weir_graph *graph, weir_value value, const weir_type *type) {
    value_record *record = value_at(graph, value);
    assert_type(type);
    weir_quant quant = type->quant.scale == record->type.quant.scale && type->quant.scale != NULL &&
                               type->quant.zero_point == record->type.quant.zero_point
                           ? type->quant
                           : copy_quant(graph->arena, &type->quant);
    record->type = *type;
    record->type.quant = quant;
    if (strlen(type->layout) != (size_t)type->shape.rank) record->type.layout[0] = '\0';
}

const weir_array *weir_value_constant(const weir_graph *graph, weir_value value) {
    const shared_array *constant = value_at(graph, value)->constant;
    return constant == NULL ? NULL : constant->array;
}

bool weir_value_data_range(const weir_graph *graph, weir_value value, int64_t *low, int64_t *high) {
    const value_record *record = value_at(graph, value);
    *low = record->data_low;
    *high = record->data_high;
    return record->has_data_range;
}

weir_node weir_value_producer(const weir_graph *graph, weir_value value) { return value_at(graph, value)->producer; }

uint32_t weir_value_producer_output(const weir_graph *graph, weir_value value) {
    return value_at(graph, value)->output;
}

size_t weir_value_use_count(const weir_graph *graph, weir_value value) { return value_at(graph, value)->use_count; }

weir_use weir_value_use(const weir_graph *graph, weir_value value, size_t index) {
    const value_record *record = value_at(graph, value);
    assert(index < record->use_count);
    return record->use[index];
}

bool weir_value_is_output(const weir_graph *graph, weir_value value) {
    return value_at(graph, value)->first_output != 0;
}

weir_value weir_graph_find_value(const weir_graph *graph, const char *name) {
    return (weir_value){find_name(graph, &graph->value_names, name)};
}

uint32_t weir_graph_value_limit(const weir_graph *graph) { return (uint32_t)graph->value_count; }

static void add_use(weir_graph *graph, weir_value value, weir_node node, uint32_t index) {
    if (value.id == 0) return;
    value_record *record = value_at(graph, value);
    if (record->use_count == record->use_capacity) {
        uint32_t capacity = record->use_capacity == 0 ? 2 : record->use_capacity * 2;
        weir_use *use = weir_arena_array(graph->arena, capacity, sizeof *use);
        if (record->use_count > 0) memcpy(use, record->use, record->use_count * sizeof *use);
        record->use = use;
        record->use_capacity = capacity;
    }
    graph->node[node.id]->use_index[index] = record->use_count;
    record->use[record->use_count++] = (weir_use){node, index};
}

/* The last use takes the place of the dropped one. */
static void drop_use(weir_graph *graph, weir_node node, uint32_t index) {
    assert(weir_node_exists(graph, node) && index < graph->node[node.id]->input_count);
    const weir_value value = graph->node[node.id]->input[index];
    if (value.id == 0) return;
    value_record *record = value_at(graph, value);
    const uint32_t use = graph->node[node.id]->use_index[index];
    const weir_use moved = record->use[--record->use_count];
    record->use[use] = moved;
    graph->node[moved.node.id]->use_index[moved.index] = use;
}

void weir_value_replace(weir_graph *graph, weir_value old, weir_value with) {
    assert(weir_value_exists(graph, with));
    if (old.id == with.id) return;
    value_record *record = value_at(graph, old);
    for (uint32_t i = 0; i < record->use_count; i++) {
        weir_use use = record->use[i];
        graph->node[use.node.id]->input[use.index] = with;
        add_use(graph, with, use.node, use.index);
    }
    record->use_count = 0;
    while (record->first_output != 0) weir_graph_set_output(graph, record->first_output - 1, with);
}

void weir_graph_remove_value(weir_graph *graph, weir_value value) {
    value_record *record = value_at(graph, value);
    assert(record->use_count == 0 && !weir_value_is_output(graph, value));
    release_name(&graph->value_names, record->name);
    record->name = NULL;
}

/* --- nodes --- */

static node_record *node_at(const weir_graph *graph, weir_node node) {
    assert(weir_node_exists(graph, node));
    return graph->node[node.id];
}

static void link_before(weir_graph *graph, weir_node node, weir_node before) {
    node_record *record = graph->node[node.id];
    record->next = before;
    record->previous = before.id == 0 ? graph->last : node_at(graph, before)->previous;
    if (record->previous.id != 0) graph->node[record->previous.id]->next = node;
    else graph->first = node;
    if (before.id != 0) graph->node[before.id]->previous = node;
    else graph->last = node;
}

static void unlink_node(weir_graph *graph, weir_node node) {
    node_record *record = node_at(graph, node);
    if (record->previous.id != 0) graph->node[record->previous.id]->next = record->next;
    else graph->first = record->next;
    if (record->next.id != 0) graph->node[record->next.id]->previous = record->previous;
    else graph->last = record->previous;
}

weir_node weir_graph_add_node(weir_graph *graph, weir_op op, const char *name, const weir_value *inputs,
                              size_t input_count, size_t outputs, weir_node before) {
    assert(op > WEIR_OP_NONE && op < weir_op_limit());
    weir_node node = {(uint32_t)graph->node_count};
    make_nodes(graph, 1);
    node_record *record = graph->node[node.id];
    record->op = op;
    record->name = reserve_name(graph, &graph->node_names, name, node.id);
    record->input_count = (uint32_t)input_count;
    record->input = weir_arena_array(graph->arena, input_count, sizeof *record->input);
    record->use_index = weir_arena_array(graph->arena, input_count, sizeof *record->use_index);
    record->output_count = (uint32_t)outputs;
    record->output = weir_arena_array(graph->arena, outputs, sizeof *record->output);
    for (size_t i = 0; i < input_count; i++) {
        record->input[i] = inputs[i];
        add_use(graph, inputs[i], node, (uint32_t)i);
    }
    for (size_t i = 0; i < outputs; i++) {
        weir_value value = new_value(graph, record->name);
        graph->value[value.id]->producer = node;
        graph->value[value.id]->output = (uint32_t)i;
        record->output[i] = value;
    }
    link_before(graph, node, before);
    graph->live_nodes++;
    return node;
}

void weir_graph_remove_node(weir_graph *graph, weir_node node) {
    node_record *record = node_at(graph, node);
    for (uint32_t i = 0; i < record->input_count; i++) drop_use(graph, node, i);
    for (uint32_t i = 0; i < record->output_count; i++) weir_graph_remove_value(graph, record->output[i]);
    unlink_node(graph, node);
    release_name(&graph->node_names, record->name);
    weir_metadata_clear_facts(&record->metadata);
    record->op = WEIR_OP_NONE;
    record->name = NULL;
    graph->live_nodes--;
}

void weir_graph_move_before(weir_graph *graph, weir_node node, weir_node before) {
    if (node.id == before.id) return;
    unlink_node(graph, node);
    link_before(graph, node, before);
}

weir_node weir_graph_first(const weir_graph *graph) { return graph->first; }
weir_node weir_graph_last(const weir_graph *graph) { return graph->last; }
weir_node weir_node_next(const weir_graph *graph, weir_node node) { return node_at(graph, node)->next; }
weir_node weir_node_previous(const weir_graph *graph, weir_node node) { return node_at(graph, node)->previous; }
size_t weir_graph_node_count(const weir_graph *graph) { return graph->live_nodes; }
uint32_t weir_graph_node_limit(const weir_graph *graph) { return (uint32_t)graph->node_count; }

weir_node weir_graph_find_node(const weir_graph *graph, const char *name) {
    return (weir_node){find_name(graph, &graph->node_names, name)};
}

bool weir_node_exists(const weir_graph *graph, weir_node node) {
    return node.id > 0 && node.id < graph->node_count && graph->node[node.id]->op != WEIR_OP_NONE;
}

weir_op weir_node_op(const weir_graph *graph, weir_node node) { return node_at(graph, node)->op; }
const weir_op_info *weir_node_info(const weir_graph *graph, weir_node node) {
    return weir_op_get(node_at(graph, node)->op);
}
const char *weir_node_name(const weir_graph *graph, weir_node node) { return node_at(graph, node)->name; }

void weir_node_rename(weir_graph *graph, weir_node node, const char *base, const char *suffix) {
    node_record *record = node_at(graph, node);
    char *name = weir_format("%s%s", base, suffix);
    release_name(&graph->node_names, record->name);
    record->name = reserve_name(graph, &graph->node_names, name, node.id);
    for (uint32_t i = 0; i < record->output_count; i++) weir_value_set_name(graph, record->output[i], record->name);
    free(name);
}

size_t weir_node_input_count(const weir_graph *graph, weir_node node) { return node_at(graph, node)->input_count; }

weir_value weir_node_input(const weir_graph *graph, weir_node node, size_t index) {
    const node_record *record = node_at(graph, node);
    return index < record->input_count ? record->input[index] : WEIR_NO_VALUE;
}

void weir_node_set_input(weir_graph *graph, weir_node node, size_t index, weir_value value) {
    node_record *record = node_at(graph, node);
    assert(index < record->input_count);
    drop_use(graph, node, (uint32_t)index);
    record->input[index] = value;
    add_use(graph, value, node, (uint32_t)index);
}

size_t weir_node_output_count(const weir_graph *graph, weir_node node) { return node_at(graph, node)->output_count; }

weir_value weir_node_output(const weir_graph *graph, weir_node node, size_t index) {
    const node_record *record = node_at(graph, node);
    assert(index < record->output_count);
    return record->output[index];
}

weir_location weir_node_location(const weir_graph *graph, weir_node node) { return node_at(graph, node)->location; }

void weir_node_set_location(weir_graph *graph, weir_node node, weir_location location) {
    node_at(graph, node)->location =
        weir_at(location.file == NULL ? NULL : weir_graph_intern(graph, location.file), location.line);
}

bool weir_node_vfail(const weir_graph *graph, weir_node node, const char *format, va_list arguments) {
    weir_text text = {NULL, 0, 0};
    const char *file = weir_node_location(graph, node).file, *word = weir_node_info(graph, node)->full_name;
    if (strncmp(word, "weir.", 5) == 0 && file != NULL && strstr(file, ".onnx") != NULL)
        word = "hardware for the node of this line"; /* which a lowering has made of it */
    weir_text_vformat(&text, format, arguments);
    weir_error(weir_node_location(graph, node), "node '%s' (%s): %s", weir_node_name(graph, node), word, text.data);
    weir_text_free(&text);
    return false;
}

bool weir_node_fail(const weir_graph *graph, weir_node node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir_node_vfail(graph, node, format, arguments);
    va_end(arguments);
    return false;
}

weir_metadata *weir_node_metadata(weir_graph *graph, weir_node node) { return &node_at(graph, node)->metadata; }
const weir_metadata *weir_node_metadata_of(const weir_graph *graph, weir_node node) {
    return &node_at(graph, node)->metadata;
}

/* --- attributes --- */

const weir_attribute *weir_node_attribute(const weir_graph *graph, weir_node node, const char *name) {
    const node_record *record = node_at(graph, node);
    for (uint32_t i = 0; i < record->attribute_count; i++) {
        const char *found = record->attribute[i].name;
        if (found[0] == name[0] && strcmp(found, name) == 0) return &record->attribute[i];
    }
    return NULL;
}

size_t weir_node_attribute_count(const weir_graph *graph, weir_node node) {
    return node_at(graph, node)->attribute_count;
}

const weir_attribute *weir_node_attribute_at(const weir_graph *graph, weir_node node, size_t index) {
    assert(index < weir_node_attribute_count(graph, node));
    return &node_at(graph, node)->attribute[index];
}

/* The attribute of that name, made at its sorted position when absent. */
static weir_attribute *attribute_for(weir_graph *graph, weir_node node, const char *name, weir_attribute_kind kind) {
    node_record *record = node_at(graph, node);
    uint32_t at = 0;
    while (at < record->attribute_count && strcmp(record->attribute[at].name, name) < 0) at++;
    if (at == record->attribute_count || strcmp(record->attribute[at].name, name) != 0) {
        if (record->attribute_count == record->attribute_capacity) {
            uint32_t capacity = record->attribute_capacity == 0 ? 4 : record->attribute_capacity * 2;
            weir_attribute *grown = weir_arena_array(graph->arena, capacity, sizeof *grown);
            if (record->attribute_count > 0) memcpy(grown, record->attribute, record->attribute_count * sizeof *grown);
            record->attribute = grown;
            record->attribute_capacity = capacity;
        }
        memmove(record->attribute + at + 1, record->attribute + at,
                (record->attribute_count - at) * sizeof *record->attribute);
        record->attribute_count++;
    }
    weir_attribute *attribute = record->attribute + at;
    memset(attribute, 0, sizeof *attribute);
    attribute->name = weir_graph_intern(graph, name);
    attribute->kind = kind;
    return attribute;
}

void weir_node_set_int(weir_graph *graph, weir_node node, const char *name, int64_t value) {
    attribute_for(graph, node, name, WEIR_ATTRIBUTE_INT)->as.i = value;
}

void weir_node_set_float(weir_graph *graph, weir_node node, const char *name, double value) {
    attribute_for(graph, node, name, WEIR_ATTRIBUTE_FLOAT)->as.f = value;
}

void weir_node_set_string(weir_graph *graph, weir_node node, const char *name, const char *value) {
    attribute_for(graph, node, name, WEIR_ATTRIBUTE_STRING)->as.s = weir_graph_intern(graph, value);
}

void weir_node_set_ints(weir_graph *graph, weir_node node, const char *name, const int64_t *values, size_t count) {
    weir_attribute *attribute = attribute_for(graph, node, name, WEIR_ATTRIBUTE_INTS);
    attribute->count = count;
    attribute->as.ints = copy_in(graph->arena, values, count * sizeof *values);
}

void weir_node_set_floats(weir_graph *graph, weir_node node, const char *name, const double *values, size_t count) {
    weir_attribute *attribute = attribute_for(graph, node, name, WEIR_ATTRIBUTE_FLOATS);
    attribute->count = count;
    attribute->as.floats = copy_in(graph->arena, values, count * sizeof *values);
}

void weir_node_copy_attributes(weir_graph *graph, weir_node to, const weir_graph *other, weir_node from) {
    for (size_t i = 0; i < weir_node_attribute_count(other, from); i++) {
        const weir_attribute *a = weir_node_attribute_at(other, from, i);
        switch (a->kind) {
        case WEIR_ATTRIBUTE_INT: weir_node_set_int(graph, to, a->name, a->as.i); break;
        case WEIR_ATTRIBUTE_FLOAT: weir_node_set_float(graph, to, a->name, a->as.f); break;
        case WEIR_ATTRIBUTE_STRING: weir_node_set_string(graph, to, a->name, a->as.s); break;
        case WEIR_ATTRIBUTE_INTS: weir_node_set_ints(graph, to, a->name, a->as.ints, a->count); break;
        case WEIR_ATTRIBUTE_FLOATS: weir_node_set_floats(graph, to, a->name, a->as.floats, a->count); break;
        }
    }
}

void weir_node_remove_attribute(weir_graph *graph, weir_node node, const char *name) {
    node_record *record = node_at(graph, node);
    for (uint32_t i = 0; i < record->attribute_count; i++) {
        if (strcmp(record->attribute[i].name, name) != 0) continue;
        memmove(&record->attribute[i], &record->attribute[i + 1],
                (record->attribute_count - i - 1) * sizeof *record->attribute);
        record->attribute_count--;
        return;
    }
}

/* --- copying --- */

static void copy_node(weir_graph *to, const weir_graph *from, uint32_t id) {
    const node_record *old = from->node[id];
    node_record *record = to->node[id];
    *record = *old;
    if (old->op == WEIR_OP_NONE) return;
    record->name = reserve_name(to, &to->node_names, old->name, id);
    record->input = copy_in(to->arena, old->input, old->input_count * sizeof *old->input);
    record->use_index = copy_in(to->arena, old->use_index, old->input_count * sizeof *old->use_index);
    record->output = copy_in(to->arena, old->output, old->output_count * sizeof *old->output);
    record->attribute = copy_in(to->arena, old->attribute, old->attribute_capacity * sizeof *old->attribute);
    for (uint32_t i = 0; i < record->attribute_count; i++) {
        weir_attribute *attribute = &record->attribute[i];
        attribute->name = weir_graph_intern(to, attribute->name);
        if (attribute->kind == WEIR_ATTRIBUTE_STRING) attribute->as.s = weir_graph_intern(to, attribute->as.s);
        if (attribute->kind == WEIR_ATTRIBUTE_INTS)
            attribute->as.ints = copy_in(to->arena, attribute->as.ints, attribute->count * sizeof(int64_t));
        if (attribute->kind == WEIR_ATTRIBUTE_FLOATS)
            attribute->as.floats = copy_in(to->arena, attribute->as.floats, attribute->count * sizeof(double));
    }
    if (old->location.file != NULL) record->location.file = weir_graph_intern(to, old->location.file);
    if (old->metadata.common.mase_op != NULL)
        record->metadata.common.mase_op = weir_graph_intern(to, old->metadata.common.mase_op);
    if (old->metadata.hardware.module != NULL)
        record->metadata.hardware.module = weir_graph_intern(to, old->metadata.hardware.module);
    weir_settings *settings = &record->metadata.hardware.settings;
    for (uint8_t i = 0; i < settings->count; i++) settings->name[i] = weir_graph_intern(to, settings->name[i]);
    record->metadata.facts = json_deep_copy(old->metadata.facts);
}

static void copy_value(weir_graph *to, const weir_graph *from, uint32_t id) {
    const value_record *old = from->value[id];
    value_record *record = to->value[id];
    *record = *old;
    if (old->name == NULL) return;
    record->name = reserve_name(to, &to->value_names, old->name, id);
    record->type.quant = copy_quant(to->arena, &old->type.quant);
    if (old->constant != NULL) share(to, old->constant);
    record->use = copy_in(to->arena, old->use, old->use_capacity * sizeof *old->use);
}

weir_graph *weir_graph_copy(const weir_graph *graph) {
    weir_graph *copy = weir_graph_new(graph->name);
    copy->source = weir_graph_intern(copy, graph->source);
    weir_graph_set_contract(copy, graph->contract);
    weir_graph_set_batch(copy, graph->batch);
    weir_graph_set_classes(copy, &graph->classes);
    weir_graph_set_device(copy, graph->device, graph->clock);
    copy->interval = graph->interval;
    copy->patchable = graph->patchable;
    make_values(copy, graph->value_count - 1);
    make_nodes(copy, graph->node_count - 1);
    copy->live_nodes = graph->live_nodes;
    copy->first = graph->first;
    copy->last = graph->last;
    for (uint32_t id = 1; id < graph->value_count; id++) copy_value(copy, graph, id);
    for (uint32_t id = 1; id < graph->node_count; id++) copy_node(copy, graph, id);
    for (size_t i = 0; i < graph->input_count; i++) {
        copy->input = weir_grow(copy->input, &copy->input_capacity, i + 1, sizeof *copy->input);
        copy->input[copy->input_count++] = graph->input[i];
    }
    copy->output = weir_grow(copy->output, &copy->output_capacity, graph->output_count, sizeof *copy->output);
    copy->output_count = graph->output_count;
    for (size_t i = 0; i < graph->output_count; i++) {
        copy->output[i] = graph->output[i];
        copy->output[i].name = weir_graph_intern(copy, graph->output[i].name);
    }
    return copy;
}
