/* A graph as torch.fx shows it to MASE: placeholders, calls of modules and functions, one output. */
#ifndef WEIR_PASSES_MASE_FX_H
#define WEIR_PASSES_MASE_FX_H

#include <stddef.h>

#include "ir/graph/graph.h"
#include "support/text/text.h"

typedef enum weir_fx_op {
    WEIR_FX_PLACEHOLDER,
    WEIR_FX_GET_ATTR, /* a constant by itself: no parameter and no setting */
    WEIR_FX_CALL_FUNCTION,
    WEIR_FX_CALL_METHOD, /* no operator here is one */
    WEIR_FX_CALL_MODULE, /* a node with constant parameters */
    WEIR_FX_OUTPUT,
    WEIR_FX_OP_COUNT
} weir_fx_op;

typedef struct weir_fx_node {
    weir_fx_op op;
    const char *name; /* the node's own for calls, else the value's, with a number when a node has it; unique */
    weir_node node;   /* of calls, else none */
    weir_value value; /* of placeholder and get_attr, else none */
    weir_mase_type mase_type;
    const char *mase_op;
} weir_fx_node;

typedef struct weir_fx_view weir_fx_view;

/* Inputs, then nodes in order with each single constant before its first user, then one output for all results. The
 * view must not outlive the graph or a change of it. O(nodes + values). */
weir_fx_view *weir_fx_view_new(const weir_graph *graph);
void weir_fx_view_free(weir_fx_view *view);
const weir_graph *weir_fx_view_graph(const weir_fx_view *view);
size_t weir_fx_view_count(const weir_fx_view *view);
const weir_fx_node *weir_fx_view_at(const weir_fx_view *view, size_t index);
const weir_fx_node *weir_fx_view_of(const weir_fx_view *view, weir_node node);
const weir_fx_node *weir_fx_view_find(const weir_fx_view *view, const char *name); /* O(nodes); NULL: none */

const char *weir_fx_op_name(weir_fx_op op); /* "placeholder", ... */
/* The values that the node takes from other nodes, in order: no constant parameters, no settings. */
size_t weir_fx_operand_count(const weir_fx_view *view, const weir_fx_node *node);
weir_value weir_fx_operand(const weir_fx_view *view, const weir_fx_node *node, size_t index);
/* How many nodes take a result of this one. */
size_t weir_fx_user_count(const weir_fx_view *view, const weir_fx_node *node);
/* Adds the value's name: its node's, "split[1]" for a later result. */
void weir_fx_value_name(const weir_fx_view *view, weir_value value, weir_text *text);
/* Adds the target: the function "torch.flatten" of a call, else the node's name. */
void weir_fx_target(const weir_fx_view *view, const weir_fx_node *node, weir_text *text);
/* The same as Python shows the object, without its address: "<built-in flatten>", "<function relu>". */
void weir_fx_target_shown(const weir_fx_view *view, const weir_fx_node *node, weir_text *text);

#endif
