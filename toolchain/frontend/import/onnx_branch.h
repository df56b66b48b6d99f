/* The branches of a file's If nodes, nested ones too, as nodes of one graph, and what bodies of Loops and Scans read.
 * Once a condition is known, while the graph is being built, only the chosen branch is. An If then reads its condition,
 * the outputs of then_branch and those of else_branch. */
#ifndef WEIR_ONNX_BRANCH_H
#define WEIR_ONNX_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/wire/onnx_schema.h"
#include "onnx.pb-c.h"
#include "support/memory/types.h"

#define WEIR_ONNX_NO_IF UINT32_MAX

/* Where a node of the flat graph is in the file. */
typedef struct weir_onnx_place {
    uint32_t top;    /* the file's top-level node that it is, or in whose branch it is */
    uint32_t inside; /* the If in whose branch it is, as a node of the flat graph; WEIR_ONNX_NO_IF: in none */
    bool otherwise;  /* in its else_branch */
    uint32_t inputs; /* of a Loop or Scan: how many the file gives it; names around it that its body reads follow */
} weir_onnx_place;

typedef struct weir_onnx_flat {
    const Onnx__GraphProto *graph; /* the file's own if it has no If, Loop or Scan */
    weir_onnx_place *place;        /* by node; NULL: the graph is the file's */
} weir_onnx_flat;

/* The file's graph followed by the nodes and initializers of branches, with repeated names changed there; bodies of
 * Loops and Scans are not copied. Everything is in the arena. False after reported errors: a node with graphs that
 * violates the schema, a branch with inputs, with other outputs than the If, with a name that is undefined or defined
 * twice. O(n log n) for n names, times the nesting depth. */
bool weir_onnx_branch_flatten(weir_onnx_flat *flat, const Onnx__GraphProto *graph, const weir_onnx_opsets *opsets,
                              const char *file, weir_arena *arena);

bool weir_onnx_branch_is_if(const Onnx__NodeProto *node);
/* Does the node repeat a body: a Loop or a Scan? */
bool weir_onnx_branch_repeats(const Onnx__NodeProto *node);
const Onnx__GraphProto *weir_onnx_branch_body(const Onnx__NodeProto *node);
/* Names around it that a body reads, each once, in the arena. */
size_t weir_onnx_branch_free_names(const Onnx__GraphProto *body, weir_arena *arena, const char ***names);
/* The node's position in the file, from 1 on. */
int weir_onnx_branch_line(const weir_onnx_flat *flat, uint32_t node);
/* The If in whose branch the node is; WEIR_ONNX_NO_IF: in none. */
uint32_t weir_onnx_branch_around(const weir_onnx_flat *flat, uint32_t node);
/* Name `index` of those that must be defined before the node: its inputs, then the conditions of the enclosing Ifs;
 * NULL: no more. */
const char *weir_onnx_branch_needs(const weir_onnx_flat *flat, uint32_t node, uint32_t index);
/* The chosen branch's value for output `index` of an If of the flat graph. */
const char *weir_onnx_branch_result(const Onnx__NodeProto *node, bool otherwise, size_t index);

#endif
