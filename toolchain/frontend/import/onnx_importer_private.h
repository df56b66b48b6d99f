/* The importer of one file, or of a body in it, and what the parts of it share: onnx.c reads the model as a whole, its
 * inputs and outputs, onnx_check.c and onnx_node.c nodes, onnx_loop.c those that repeat a body, onnx_sequence.c those
 * of sequences, onnx_outline.c graphs of shapes alone. */
#ifndef WEIR_ONNX_IMPORTER_PRIVATE_H
#define WEIR_ONNX_IMPORTER_PRIVATE_H

#include "frontend/import/onnx.h"
#include "frontend/import/onnx_branch.h"
#include "frontend/import/onnx_known.h"
#include "frontend/import/onnx_scope.h"
#include "frontend/wire/onnx_schema.h"
#include "frontend/wire/onnx_tensor.h"
#include "frontend/wire/onnx_type.h"
#include "support/text/diag.h"

/* Of an If: which of its branches is built. */
typedef enum weir_onnx_choice {
    WEIR_ONNX_UNDECIDED,
    WEIR_ONNX_THEN,
    WEIR_ONNX_ELSE,
    WEIR_ONNX_NEITHER
} weir_onnx_choice;

typedef struct weir_onnx_importer {
    const char *file; /* its last part */
    int line;         /* of a body: that of the node that repeats it; else 0 */
    const weir_archive *bindings;
    weir_onnx_sizes sizes;
    weir_onnx_tensor_source source;
    size_t scales_left; /* that nodes may still use */
    size_t errors_before;
    weir_onnx_flat flat;
    const Onnx__GraphProto *proto; /* flat.graph */
    weir_onnx_opsets opsets;
    weir_onnx_scope scope;
    weir_onnx_known known;
    const weir_onnx_rule **rule; /* by node */
    weir_onnx_rule *own;         /* by node: its rule when the operator was registered */
    bool listed;                 /* all operators, in a message */
    weir_onnx_choice *choice;    /* by node */
    uint32_t *order;
    weir_graph *graph;
    weir_onnx_outline *outline;                                   /* NULL: the whole model */
    void (*build)(struct weir_onnx_importer *im, uint32_t index); /* weir_onnx_node_build, for the nodes of a body */
} weir_onnx_importer;

/* --- onnx_importer.c --- */
weir_location weir_onnx_importer_whole(const weir_onnx_importer *im);
weir_location weir_onnx_importer_location(const weir_onnx_importer *im, size_t node);
size_t weir_onnx_importer_errors(const weir_onnx_importer *im);
/* The limit of reported errors is reached. */
bool weir_onnx_importer_full(const weir_onnx_importer *im);
/* Notes the defined name that is most like `name`. */
void weir_onnx_importer_suggest(const weir_onnx_importer *im, const char *name);
/* Makes the definition's value from the array, which is freed; NULL or bad content fails the definition. */
void weir_onnx_importer_define(weir_onnx_importer *im, weir_onnx_definition *d, weir_array *array,
                               weir_location location);
/* A value of a declared type, of which nothing else is known. */
void weir_onnx_importer_define_opaque(weir_onnx_importer *im, weir_onnx_definition *d,
                                      const weir_onnx_declared *declared);
/* The value of a definition that was built before or is an initializer, which is read at its first use. */
weir_value weir_onnx_importer_resolve(weir_onnx_importer *im, weir_onnx_definition *d);
/* The element type that the model's has here. */
weir_dtype weir_onnx_importer_dtype(const weir_onnx_importer *im, weir_dtype dtype);
bool weir_onnx_importer_read_declared(const weir_onnx_importer *im, const Onnx__ValueInfoProto *info, const char *what,
                                      weir_location location, weir_onnx_declared *declared);

/* Ends a capture, if there is one, and reports what is in it if that is `needed`; was there an error? */
bool weir_onnx_importer_end_capture(weir_diag_log *log, bool needed);
/* May the node not be opaque in an outline? */
bool weir_onnx_importer_is_needed(const weir_onnx_importer *im, uint32_t index);
/* Reports the node's name to the outline, and takes the remarks from it. */
void weir_onnx_importer_take_remarks(const weir_onnx_importer *im, uint32_t index);

/* --- onnx_check.c --- */
/* Does the node have graphs, which the flattener has checked with it? Is it in a branch of an If? */
bool weir_onnx_check_has_graphs(const Onnx__NodeProto *node);
bool weir_onnx_check_is_in_branch(const weir_onnx_importer *im, size_t index);
/* Against the schema, which gives its rule. */
bool weir_onnx_check_node(weir_onnx_importer *im, size_t index);
/* All nodes but those in branches, and what all of them read. */
void weir_onnx_check_all(weir_onnx_importer *im);
/* Outputs that an operator may have in ONNX and has not here: nothing may use them. */
void weir_onnx_check_spare(const weir_onnx_importer *im, size_t index);

/* --- onnx_node.c --- */
void weir_onnx_node_build(weir_onnx_importer *im, uint32_t index);
weir_value weir_onnx_node_passed_on(weir_onnx_importer *im, const weir_onnx_definition *d, weir_value value);

/* --- onnx_loop.c --- */
/* Builds a Loop or Scan of the flat graph: its body once for each time. */
void weir_onnx_loop_build(weir_onnx_importer *im, uint32_t index);

/* --- onnx_sequence.c --- */
/* Does the rule's operator make a sequence of tensors, or take one? */
bool weir_onnx_sequence_is(const weir_onnx_rule *rule);
void weir_onnx_sequence_build(weir_onnx_importer *im, uint32_t index);

/* --- onnx_outline.c --- */
void weir_onnx_outline_build(weir_onnx_importer *im, uint32_t index);

#endif
