/* Checks of a node that importer and exporter share: opsets, operators, inputs and attributes, by the tables of
 * onnx_table.h. */
#ifndef WEIR_ONNX_SCHEMA_H
#define WEIR_ONNX_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/import/onnx_table.h"
#include "ir/graph/graph.h"
#include "onnx.pb-c.h"

/* The opset version of each domain that the model imports; 0: none. */
typedef struct weir_onnx_opsets {
    int64_t version[WEIR_ONNX_DOMAIN_COUNT];
} weir_onnx_opsets;

enum { WEIR_ONNX_LABEL_SIZE = 256 };

/* "node 'fc1' (Gemm)" into text; returns text. */
const char *weir_onnx_schema_label(const Onnx__NodeProto *node, char text[WEIR_ONNX_LABEL_SIZE]);

/* Reads the model's opset imports; errors for versions out of the supported range. */
bool weir_onnx_schema_import(const Onnx__ModelProto *model, const char *file, weir_onnx_opsets *opsets);

/* The rule for a node, or NULL after an error that names the operator, with a note: the nearest known name, or all
 * supported ones unless *listed, which is set then. For an operator that was registered the rule is *own, which is
 * set. */
const weir_onnx_rule *weir_onnx_schema_find(const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                                            weir_location location, bool *listed, weir_onnx_rule *own);

/* Are the numbers of inputs and outputs and all attributes as the rule says? Reports every violation. */
bool weir_onnx_schema_check(const weir_onnx_rule *rule, const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                            weir_location location);

/* Outputs up to the last that has a name. */
size_t weir_onnx_schema_outputs(const Onnx__NodeProto *node);
/* The rule's next attribute; for NULL the first; NULL: there is none. */
const weir_onnx_attribute_rule *weir_onnx_schema_next(const weir_onnx_rule *rule, const weir_onnx_attribute_rule *row);
/* The attribute of that name, or NULL. */
const Onnx__AttributeProto *weir_onnx_schema_attribute(const Onnx__NodeProto *node, const char *name);
/* The row for a checked attribute. */
const weir_onnx_attribute_rule *weir_onnx_schema_attribute_rule(const weir_onnx_rule *rule, const char *name,
                                                                const weir_onnx_opsets *opsets);

/* Of `count` inputs of a rule with codes: first and end of the operands', and the index of the result's scale. */
void weir_onnx_schema_codes(const weir_onnx_rule *rule, size_t count, size_t *begin, size_t *end, size_t *result);
/* Is input `index` of `count` a scale? */
bool weir_onnx_schema_is_scale(const weir_onnx_rule *rule, size_t index, size_t count);

/* Copies the checked attributes that stay attributes to the graph's node. */
void weir_onnx_schema_attach(const weir_onnx_rule *rule, const Onnx__NodeProto *from, const weir_onnx_opsets *opsets,
                             weir_graph *graph, weir_node node);

/* Does the imported version of the node's operator have its element types? Reports it if not. */
bool weir_onnx_schema_check_types(const weir_onnx_rule *rule, const weir_graph *graph, weir_node node,
                                  const weir_onnx_opsets *opsets);

/* --- export: from the graph to the file --- */

/* The domain that an operator of class TENSOR belongs to, its spelling, the versions that this table describes. */
weir_onnx_domain weir_onnx_schema_domain(weir_op op);
const char *weir_onnx_schema_spelling(weir_onnx_domain domain);
void weir_onnx_schema_versions(weir_onnx_domain domain, int *low, int *high);

/* Does that version of the operator's domain have it with these inputs, element types and attributes? */
bool weir_onnx_schema_allows(const weir_graph *graph, weir_node node, int64_t version);
/* Is the graph's STRING attribute the name of an element type, which the file holds as a number? */
bool weir_onnx_schema_is_dtype(weir_op op, const char *name, const char *text, weir_dtype *dtype);
/* The attribute that input `index` of the operator is in all of its versions, or NULL. */
const char *weir_onnx_schema_attribute_of_input(weir_op op, size_t index);
/* Is that attribute a list of integers, not a tensor? */
bool weir_onnx_schema_is_ints(weir_op op, const char *name);
/* The file's word for the graph's text of a STRING attribute. */
const char *weir_onnx_schema_word(weir_op op, const char *name, const char *text);

#endif
