/* MASE's vocabulary for a graph: operators by rank, arguments and results by name, precisions. Everything here is
 * derived from the graph and op.def; nothing is stored. How the graph as a whole looks to MASE: passes/mase/fx.h. */
#ifndef WEIR_IR_MASE_H
#define WEIR_IR_MASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/graph/graph.h"
#include "ir/number/number.h"
#include "support/text/text.h"

/* --- nodes of the graph --- */
/* A dense layer that is written as a product (MatMul, QLinearMatMul, MatMulInteger) with a constant matrix on the right
 * is MASE's linear: a module-related function whose parameter `weight` is that matrix, [K, N], and whose `bias` is the
 * constant, one element a column, that an Add, its only user, adds. The Add stays a node. */
weir_mase_type weir_mase_type_of(const weir_graph *graph, weir_node node);
/* That vector for a product, or for a Gemm without a bias of its own; none: there is none. */
weir_value weir_mase_bias(const weir_graph *graph, weir_node node);

/* MASE's operator of one of op.def, in two dimensions where it works in any number. */
const char *weir_mase_name(weir_op op);
/* Its type there, and what the operator takes, a word an input as op.def says: "data weight =dim", the last one
 * repeats. */
weir_mase_type weir_mase_kind(weir_op op);
const char *weir_mase_inputs(weir_op op);
/* MASE's operator: what the metadata says, and linear for dense layers, with the dimensions that the first input has
 * ("conv1d" for three axes). */
const char *weir_mase_op(const weir_graph *graph, weir_node node);
/* The same operator? MASE's own names have underscores in some places and not in others: convtranspose2d,
 * conv_transpose2d. */
bool weir_mase_is_name(const char *a, const char *b);

/* What the operator's target is to Python. */
typedef enum weir_mase_callable { WEIR_MASE_BUILTIN, WEIR_MASE_FUNCTION } weir_mase_callable;
/* Adds the function that torch.fx would call: "torch.flatten". */
weir_mase_callable weir_mase_target(const weir_graph *graph, weir_node node, weir_text *text);

typedef enum weir_mase_role {
    WEIR_MASE_NOTHING,   /* an optional input left out */
    WEIR_MASE_DATA,      /* data_in_0, data_in_1, ... */
    WEIR_MASE_PARAMETER, /* weight, bias, running_mean, ... */
    WEIR_MASE_SETTING    /* shape, axes, scale, ... */
} weir_mase_role;

enum { WEIR_MASE_NAME_SIZE = 48 };
/* The role of input `index`, and MASE's name of the argument (unchanged for NOTHING). Numbers count data inputs only.
 * O(index). */
weir_mase_role weir_mase_input(const weir_graph *graph, weir_node node, size_t index, char name[WEIR_MASE_NAME_SIZE]);
/* "data_out_<index>" */
void weir_mase_output(size_t index, char name[WEIR_MASE_NAME_SIZE]);
/* The value that the node takes under an argument's name or gives under a result's; none when it has no such. */
weir_value weir_mase_find(const weir_graph *graph, weir_node node, const char *name);
/* Settings that are attributes here, {"start_dim": 1, "end_dim": -1}: a new object in torch's order. */
json_t *weir_mase_settings(const weir_graph *graph, weir_node node);
/* Has the node constant parameters, so that torch.fx would call a module? */
bool weir_mase_is_module(const weir_graph *graph, weir_node node);

/* --- values --- */
/* The numbers that a value can hold: MASE's name of the format and its list of widths, the storage width first:
 * [width, frac_width] on a grid of a power of two, [width, stochastic, bipolar] for binary, else [width]; of other
 * formats their settings (ir/number/number.def). Real numbers
 * that a quantizer has put on a grid have the grid's precision; without a constant width there is none (count 0). */
typedef struct weir_mase_precision {
    const char *type; /* "float", "integer", "fixed", "binary", ... */
    size_t count;
    int64_t bits[1 + WEIR_NUMBER_KEYS];
} weir_mase_precision;
weir_mase_precision weir_mase_precision_of(const weir_graph *graph, weir_value value);
/* Does the operator carry its first input on: moved, on a grid, or with some zeros? */
bool weir_mase_carries(weir_op op);
/* The constant that a value comes from, past quantizers and masks; NULL when data flows into it. A dequantized one is
 * given in codes. */
const weir_array *weir_mase_constant(const weir_graph *graph, weir_value value);
const char *weir_mase_dtype(weir_dtype dtype); /* "torch.float32" */

#endif
