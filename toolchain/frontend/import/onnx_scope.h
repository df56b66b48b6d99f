/* The names of a graph: what defines each value, and an order of the nodes in which definitions come before uses. */
#ifndef WEIR_ONNX_SCOPE_H
#define WEIR_ONNX_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/import/onnx_branch.h"
#include "ir/graph/graph.h"
#include "onnx.pb-c.h"

/* In order of precedence: an initializer that is also a graph input is a constant. */
typedef enum weir_onnx_source {
    WEIR_ONNX_INITIALIZER,
    WEIR_ONNX_INPUT,
    WEIR_ONNX_OUTPUT /* of a node */
} weir_onnx_source;

/* What a sequence of tensors has. */
typedef struct weir_onnx_list {
    weir_value *value;
    size_t count;
} weir_onnx_list;

typedef struct weir_onnx_definition {
    const char *name;
    weir_onnx_source source;
    uint32_t index;             /* of the initializer, input or node */
    weir_value value;           /* once it is made */
    const weir_onnx_list *list; /* of a sequence, which has no value */
    bool failed;                /* an error about it was reported */
    bool is_used;               /* by a node or as a graph output */
} weir_onnx_definition;

typedef struct weir_onnx_scope {
    weir_onnx_definition *definition; /* sorted by name */
    size_t count;
} weir_onnx_scope;

/* Collects all definitions; a repeated or empty name is an error. Release with weir_onnx_scope_free in any case.
 * O(n log n). */
bool weir_onnx_scope_build(weir_onnx_scope *scope, const Onnx__GraphProto *graph, const char *file);
void weir_onnx_scope_free(weir_onnx_scope *scope);
weir_onnx_definition *weir_onnx_scope_find(const weir_onnx_scope *scope, const char *name); /* NULL: none */

/* Node indices in execution order: the file's order as far as possible, nodes of a branch after the condition; heap
 * memory. NULL after an error that names a node of a cycle. O(n log n). */
uint32_t *weir_onnx_scope_order(const weir_onnx_scope *scope, const weir_onnx_flat *flat, const char *file);

#endif
