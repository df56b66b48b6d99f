/* The graph IR: values (tensors with type, quantization and range) and nodes (operators of op.def) in single
 * assignment. Handles are 32-bit indices into arrays of the graph and stay valid until the object is removed; handle 0
 * is "none". Nodes form a list in execution order; the verifier checks that definitions come before uses.
 * A graph owns one arena and one string table: freeing the graph frees everything in it. Not safe for concurrent
 * change; concurrent reading is fine. Every operation below is O(1) amortised unless it says otherwise. */
#ifndef WEIR_IR_GRAPH_H
#define WEIR_IR_GRAPH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/graph/metadata.h"
#include "ir/graph/op.h"
#include "ir/graph/types.h"
#include "support/memory/types.h"
#include "support/text/diag.h"

typedef struct weir_node {
    uint32_t id;
} weir_node;
typedef struct weir_value {
    uint32_t id;
} weir_value;

#define WEIR_NO_NODE ((weir_node){0})
#define WEIR_NO_VALUE ((weir_value){0})

/* One use of a value: input `index` of `node`. */
typedef struct weir_use {
    weir_node node;
    uint32_t index;
} weir_use;

typedef enum weir_attribute_kind {
    WEIR_ATTRIBUTE_INT,
    WEIR_ATTRIBUTE_FLOAT,
    WEIR_ATTRIBUTE_STRING,
    WEIR_ATTRIBUTE_INTS,
    WEIR_ATTRIBUTE_FLOATS
} weir_attribute_kind;

typedef struct weir_attribute {
    const char *name;
    weir_attribute_kind kind;
    size_t count; /* INTS, FLOATS */
    union {
        int64_t i;
        double f;
        const char *s;
        const int64_t *ints;
        const double *floats;
    } as;
} weir_attribute;

/* --- graphs --- */
weir_graph *weir_graph_new(const char *name);
void weir_graph_free(weir_graph *graph);
/* A deep copy with the same handles; what constants hold, which never changes, is shared. O(size without the constants'
 * data). */
weir_graph *weir_graph_copy(const weir_graph *graph);
const char *weir_graph_name(const weir_graph *graph);
void weir_graph_set_name(weir_graph *graph, const char *name);
weir_arena *weir_graph_arena(weir_graph *graph);
const char *weir_graph_intern(weir_graph *graph, const char *text);
/* The file that the graph came from (its last part only), for locations; "" when unknown. */
const char *weir_graph_source(const weir_graph *graph);
void weir_graph_set_source(weir_graph *graph, const char *file);
/* Whose rounding the results follow: the model's own meaning, or what ONNX Runtime computes at its default level. */
typedef enum weir_graph_contract { WEIR_GRAPH_MODEL, WEIR_GRAPH_ONNXRUNTIME } weir_graph_contract;
const char *weir_graph_contract_name(weir_graph_contract contract);
bool weir_graph_contract_parse(const char *name, weir_graph_contract *contract);
weir_graph_contract weir_graph_contract_of(const weir_graph *graph);
void weir_graph_set_contract(weir_graph *graph, weir_graph_contract contract);
/* What the model calls the first dimension of all of its inputs where it leaves that open: the graph takes one of its
 * rows, a frame. "": it has no name; NULL: the dimension is a number. */
const char *weir_graph_batch(const weir_graph *graph);
void weir_graph_set_batch(weir_graph *graph, const char *name);
/* What the model calls its classes, in their order, where it names them by strings; count 0: it does not. */
weir_word_list weir_graph_classes(const weir_graph *graph);
void weir_graph_set_classes(weir_graph *graph, const weir_word_list *names);
/* What the graph is built for: a device's name or profile ("": any) and a clock in MHz (0: the device's own goal).
 * Names only, not looked up; dataflow/cost/target.h gives the profile. */
const char *weir_graph_device(const weir_graph *graph);
int64_t weir_graph_clock(const weir_graph *graph);
void weir_graph_set_device(weir_graph *graph, const char *device, int64_t clock_mhz);
/* May parameters change after the hardware is made? Then widths are those of their types, not of their values, and
 * memories keep them. */
bool weir_graph_patchable(const weir_graph *graph);
void weir_graph_set_patchable(weir_graph *graph, bool patchable);
/* Cycles between two frames that the graph is folded for; 0: it is not folded. */
int64_t weir_graph_interval(const weir_graph *graph);
void weir_graph_set_interval(weir_graph *graph, int64_t cycles);
/* What a higher library stores about the device with the graph, until the device is set again or the graph freed; a
 * copy starts with NULL. Several threads may read and keep it: the first one's is kept, those of others are released,
 * and each gets the kept one. */
const void *weir_graph_kept(const weir_graph *graph);
const void *weir_graph_keep(const weir_graph *graph, void *data, void (*release_data)(void *data));

/* Inputs and outputs in declared order. An output keeps the name the model gave it, whatever value carries it. */
size_t weir_graph_input_count(const weir_graph *graph);
weir_value weir_graph_input(const weir_graph *graph, size_t index);
size_t weir_graph_output_count(const weir_graph *graph);
weir_value weir_graph_output(const weir_graph *graph, size_t index);
const char *weir_graph_output_name(const weir_graph *graph, size_t index);
void weir_graph_set_output(weir_graph *graph, size_t index, weir_value value);
/* Those behind it move up by one. */
void weir_graph_remove_output(weir_graph *graph, size_t index);

/* --- values --- */
/* Names are unique in a graph: a taken name gets the suffix _1, _2, ... */
weir_value weir_graph_add_input(weir_graph *graph, const char *name, const weir_type *type);
void weir_graph_add_output(weir_graph *graph, const char *name, weir_value value);
/* A constant; the array is copied into the graph. The type's dtype and shape are the array's; a float constant has
 * format FLOAT, an integer one the plain integer format, and its range is that of the data. */
weir_value weir_graph_add_constant(weir_graph *graph, const char *name, const weir_array *data);
/* A graph input becomes a constant (used to bind an input at import). */
void weir_value_bind(weir_graph *graph, weir_value value, const weir_array *data);
bool weir_value_exists(const weir_graph *graph, weir_value value);
const char *weir_value_name(const weir_graph *graph, weir_value value);
void weir_value_set_name(weir_graph *graph, weir_value value, const char *name);
/* Stays where it is as long as the graph exists. */
const weir_type *weir_value_type(const weir_graph *graph, weir_value value);
/* Copies the type; quantization arrays are copied into the graph's arena, a layout of another rank is dropped. */
void weir_value_set_type(weir_graph *graph, weir_value value, const weir_type *type);
const weir_array *weir_value_constant(const weir_graph *graph, weir_value value); /* NULL: not constant */
/* Least and largest element of an integer constant; false for others and empty ones. O(1): found when it is bound. */
bool weir_value_data_range(const weir_graph *graph, weir_value value, int64_t *low, int64_t *high);
weir_node weir_value_producer(const weir_graph *graph, weir_value value); /* none: input or constant */
uint32_t weir_value_producer_output(const weir_graph *graph, weir_value value);
size_t weir_value_use_count(const weir_graph *graph, weir_value value); /* by nodes; graph outputs not counted */
/* In the order in which the uses were made, until one is removed: then the last one replaces it. */
weir_use weir_value_use(const weir_graph *graph, weir_value value, size_t index);
bool weir_value_is_output(const weir_graph *graph, weir_value value);
weir_value weir_graph_find_value(const weir_graph *graph, const char *name);
uint32_t weir_graph_value_limit(const weir_graph *graph); /* handles are 1 .. limit-1, with holes */
/* Every use of `old`, graph outputs included, becomes one of `with`. O(uses of old). */
void weir_value_replace(weir_graph *graph, weir_value old, weir_value with);
/* Removes an unused constant or input-less value. */
void weir_graph_remove_value(weir_graph *graph, weir_value value);

/* --- nodes --- */
/* A node before `before` (none: at the end) with its inputs (none handles for left-out optional inputs) and `outputs`
 * fresh values of unknown type (rank 0, FLOAT). Outputs are named after the node ("name", "name_1"). Node names are
 * unique like value names, in a space of their own. */
weir_node weir_graph_add_node(weir_graph *graph, weir_op op, const char *name, const weir_value *inputs,
                              size_t input_count, size_t outputs, weir_node before);
/* Removes a node whose outputs are unused, and its outputs. */
void weir_graph_remove_node(weir_graph *graph, weir_node node);
void weir_graph_move_before(weir_graph *graph, weir_node node, weir_node before);
weir_node weir_graph_first(const weir_graph *graph);
weir_node weir_graph_last(const weir_graph *graph);
weir_node weir_node_next(const weir_graph *graph, weir_node node);
weir_node weir_node_previous(const weir_graph *graph, weir_node node);
size_t weir_graph_node_count(const weir_graph *graph);
uint32_t weir_graph_node_limit(const weir_graph *graph);
weir_node weir_graph_find_node(const weir_graph *graph, const char *name);
bool weir_node_exists(const weir_graph *graph, weir_node node);
weir_op weir_node_op(const weir_graph *graph, weir_node node);
const weir_op_info *weir_node_info(const weir_graph *graph, weir_node node);
const char *weir_node_name(const weir_graph *graph, weir_node node);
/* Names the node and its outputs "base" + "suffix"; taken names get numbers. */
void weir_node_rename(weir_graph *graph, weir_node node, const char *base, const char *suffix);
size_t weir_node_input_count(const weir_graph *graph, weir_node node);
weir_value weir_node_input(const weir_graph *graph, weir_node node, size_t index); /* none beyond the last */
void weir_node_set_input(weir_graph *graph, weir_node node, size_t index, weir_value value);
size_t weir_node_output_count(const weir_graph *graph, weir_node node);
weir_value weir_node_output(const weir_graph *graph, weir_node node, size_t index);
weir_location weir_node_location(const weir_graph *graph, weir_node node);
void weir_node_set_location(weir_graph *graph, weir_node node, weir_location location);
/* Reports "node 'fc' (Gemm): ..." at the node's location; false. */
bool weir_node_fail(const weir_graph *graph, weir_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool weir_node_vfail(const weir_graph *graph, weir_node node, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
/* Stays where it is as long as the graph exists. */
weir_metadata *weir_node_metadata(weir_graph *graph, weir_node node);
const weir_metadata *weir_node_metadata_of(const weir_graph *graph, weir_node node);

/* --- attributes: O(attributes of the node) --- */
const weir_attribute *weir_node_attribute(const weir_graph *graph, weir_node node, const char *name);
size_t weir_node_attribute_count(const weir_graph *graph, weir_node node);
const weir_attribute *weir_node_attribute_at(const weir_graph *graph, weir_node node, size_t index); /* by name */
/* The attribute, or the default when it is absent or of another kind. */
int64_t weir_node_int(const weir_graph *graph, weir_node node, const char *name, int64_t otherwise);
double weir_node_float(const weir_graph *graph, weir_node node, const char *name, double otherwise);
const char *weir_node_string(const weir_graph *graph, weir_node node, const char *name, const char *otherwise);
/* Set or replace; data is copied. */
void weir_node_set_int(weir_graph *graph, weir_node node, const char *name, int64_t value);
void weir_node_set_float(weir_graph *graph, weir_node node, const char *name, double value);
void weir_node_set_string(weir_graph *graph, weir_node node, const char *name, const char *value);
void weir_node_set_ints(weir_graph *graph, weir_node node, const char *name, const int64_t *values, size_t count);
void weir_node_set_floats(weir_graph *graph, weir_node node, const char *name, const double *values, size_t count);
/* All attributes of a node of the same or another graph. */
void weir_node_copy_attributes(weir_graph *graph, weir_node to, const weir_graph *other, weir_node from);
void weir_node_remove_attribute(weir_graph *graph, weir_node node, const char *name);

#endif
