#include "onnx_schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/suggest.h"
#include "support/text.h"

/* --- domains --- */

/* Spellings of each domain and the versions whose semantics the tables below describe. A domain that is not required
 * may be used without an import: exporters of QONNX forget it. */
typedef struct domain_row {
    const char *spelling;
    weir_onnx_domain domain;
    int low, high;
    bool required;
} domain_row;

static const domain_row domains[] = {
    {"", WEIR_ONNX_DOMAIN_ONNX, 7, 21, true},
    {"ai.onnx", WEIR_ONNX_DOMAIN_ONNX, 7, 21, true},
    {"com.microsoft", WEIR_ONNX_DOMAIN_MICROSOFT, 1, 1, false},
    {"qonnx.custom_op.general", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false}, /* version 2 changes Trunc only */
    {"finn.custom_op.general", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false},
    {"onnx.brevitas", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false},
};

static const domain_row *domain_find(const char *spelling) {
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        if (strcmp(domains[i].spelling, spelling == NULL ? "" : spelling) == 0) return &domains[i];
    }
    return NULL;
}

/* --- operators --- */

#define ONNX WEIR_ONNX_DOMAIN_ONNX
#define MICROSOFT WEIR_ONNX_DOMAIN_MICROSOFT
#define QONNX WEIR_ONNX_DOMAIN_QONNX
#define INPUT(i) (1u << (i))

/* A later row of the same operator holds from its version on. Rows stand only where something changes that this
 * importer can see; new element types are the affair of type inference. */
static const weir_onnx_rule rules[] = {
    {ONNX, "Gemm", WEIR_OP_GEMM, 7, 3, 0, false},
    {ONNX, "Gemm", WEIR_OP_GEMM, 11, 0, 0, false}, /* C may be left out */
    {ONNX, "MatMul", WEIR_OP_MATMUL, 1, 0, 0, false},
    {ONNX, "Add", WEIR_OP_ADD, 7, 0, 0, false},
    {ONNX, "Relu", WEIR_OP_RELU, 6, 0, 0, false},
    {ONNX, "Flatten", WEIR_OP_FLATTEN, 1, 0, 0, false},
    {ONNX, "Reshape", WEIR_OP_RESHAPE, 5, 0, 0, false},
    {ONNX, "Transpose", WEIR_OP_TRANSPOSE, 1, 0, 0, false},
    {ONNX, "Identity", WEIR_OP_IDENTITY, 1, 0, 0, false},
    {ONNX, "Constant", WEIR_OP_NONE, 1, 0, 0, false},
    {ONNX, "QuantizeLinear", WEIR_OP_QUANTIZE_LINEAR, 10, 0, INPUT(1), false},
    {ONNX, "QuantizeLinear", WEIR_OP_QUANTIZE_LINEAR, 13, 0, INPUT(1), true},
    {ONNX, "DequantizeLinear", WEIR_OP_DEQUANTIZE_LINEAR, 10, 0, INPUT(1), false},
    {ONNX, "DequantizeLinear", WEIR_OP_DEQUANTIZE_LINEAR, 13, 0, INPUT(1), true},
    {ONNX, "QLinearMatMul", WEIR_OP_QLINEAR_MATMUL, 10, 0, INPUT(1) | INPUT(4) | INPUT(6), true},
    {ONNX, "MatMulInteger", WEIR_OP_MATMUL_INTEGER, 10, 0, 0, false},
    {MICROSOFT, "QGemm", WEIR_OP_QGEMM, 1, 0, INPUT(1) | INPUT(4) | INPUT(7), true},
    {QONNX, "Quant", WEIR_OP_QUANT, 1, 0, INPUT(1), true},
    {QONNX, "IntQuant", WEIR_OP_QUANT, 1, 0, INPUT(1), true}, /* its later name */
    {QONNX, "BipolarQuant", WEIR_OP_BIPOLAR_QUANT, 1, 0, INPUT(1), true},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* --- attributes --- */

typedef enum kind { INT, FLOAT, STRING, TENSOR, INTS, FLOATS, PERMUTATION, REFUSED } kind;

/* A word and the one that the graph gets for it. */
typedef struct word {
    const char *from, *to;
} word;

static const word roundings[] = {
    {"ROUND", "ROUND"}, {"HALF_EVEN", "ROUND"}, {"CEIL", "CEIL"},           {"FLOOR", "FLOOR"}, {"UP", "UP"},
    {"DOWN", "DOWN"},   {"HALF_UP", "HALF_UP"}, {"HALF_DOWN", "HALF_DOWN"}, {NULL, NULL},
};

typedef struct attribute_row {
    weir_op op;
    const char *name;
    kind kind;
    int since; /* as with rules, a later row replaces an earlier one */
    bool required;
    int64_t low, high; /* INT, INTS and PERMUTATION */
    const word *words; /* STRING */
} attribute_row;

static const attribute_row attributes[] = {
    {WEIR_OP_GEMM, "alpha", FLOAT, 1, false, 0, 0, NULL},
    {WEIR_OP_GEMM, "beta", FLOAT, 1, false, 0, 0, NULL},
    {WEIR_OP_GEMM, "transA", INT, 1, false, 0, 1, NULL},
    {WEIR_OP_GEMM, "transB", INT, 1, false, 0, 1, NULL},
    {WEIR_OP_FLATTEN, "axis", INT, 1, false, 0, WEIR_MAX_RANK, NULL},
    {WEIR_OP_FLATTEN, "axis", INT, 11, false, -WEIR_MAX_RANK, WEIR_MAX_RANK, NULL},
    {WEIR_OP_RESHAPE, "allowzero", INT, 14, false, 0, 1, NULL},
    {WEIR_OP_TRANSPOSE, "perm", PERMUTATION, 1, false, 0, WEIR_MAX_RANK - 1, NULL},
    {WEIR_OP_QUANTIZE_LINEAR, "axis", INT, 13, false, -WEIR_MAX_RANK, WEIR_MAX_RANK - 1, NULL},
    {WEIR_OP_QUANTIZE_LINEAR, "saturate", INT, 19, false, 0, 1, NULL}, /* concerns float8 alone */
    {WEIR_OP_QUANTIZE_LINEAR, "block_size", INT, 21, false, 0, 0, NULL},
    {WEIR_OP_QUANTIZE_LINEAR, "output_dtype", INT, 21, false, 0, ONNX__TENSOR_PROTO__DATA_TYPE__INT16, NULL},
    {WEIR_OP_DEQUANTIZE_LINEAR, "axis", INT, 13, false, -WEIR_MAX_RANK, WEIR_MAX_RANK - 1, NULL},
    {WEIR_OP_DEQUANTIZE_LINEAR, "block_size", INT, 21, false, 0, 0, NULL},
    {WEIR_OP_QGEMM, "alpha", FLOAT, 1, false, 0, 0, NULL},
    {WEIR_OP_QGEMM, "transA", INT, 1, false, 0, 1, NULL},
    {WEIR_OP_QGEMM, "transB", INT, 1, false, 0, 1, NULL},
    {WEIR_OP_QUANT, "signed", INT, 1, true, 0, 1, NULL},
    {WEIR_OP_QUANT, "narrow", INT, 1, true, 0, 1, NULL},
    {WEIR_OP_QUANT, "rounding_mode", STRING, 1, false, 0, 0, roundings},
    {WEIR_OP_NONE, "value", TENSOR, 1, false, 0, 0, NULL},
    {WEIR_OP_NONE, "sparse_value", REFUSED, 11, false, 0, 0, NULL},
    {WEIR_OP_NONE, "value_float", FLOAT, 12, false, 0, 0, NULL},
    {WEIR_OP_NONE, "value_floats", FLOATS, 12, false, 0, 0, NULL},
    {WEIR_OP_NONE, "value_int", INT, 12, false, INT64_MIN, INT64_MAX, NULL},
    {WEIR_OP_NONE, "value_ints", INTS, 12, false, INT64_MIN, INT64_MAX, NULL},
    {WEIR_OP_NONE, "value_string", REFUSED, 12, false, 0, 0, NULL},
    {WEIR_OP_NONE, "value_strings", REFUSED, 12, false, 0, 0, NULL},
};
enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof *attributes };

/* Element types that an operator has from a later version on than itself. */
typedef struct type_row {
    weir_op op;
    weir_dtype dtype;
    int since;
} type_row;

static const type_row types[] = {
    {WEIR_OP_QUANTIZE_LINEAR, WEIR_INT16, 21},
    {WEIR_OP_QUANTIZE_LINEAR, WEIR_UINT16, 21},
    {WEIR_OP_DEQUANTIZE_LINEAR, WEIR_INT16, 21},
    {WEIR_OP_DEQUANTIZE_LINEAR, WEIR_UINT16, 21},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* ONNX's AttributeType by number. */
static const char *const kind_names[] = {"undefined",      "float", "int",     "string",  "tensor", "graph",
                                         "floats",         "ints",  "strings", "tensors", "graphs", "sparse tensor",
                                         "sparse tensors", "type",  "types"};

static int onnx_kind(kind k) {
    static const int kinds[] = {[INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
                                [FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
                                [STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
                                [TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
                                [INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                                [FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
                                [PERMUTATION] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS};
    return kinds[k];
}

static const char *kind_name(int number) {
    return number >= 0 && (size_t)number < sizeof kind_names / sizeof *kind_names ? kind_names[number] : "unknown";
}

/* --- names in messages --- */

const char *weir_onnx_schema_label(const Onnx__NodeProto *node, char text[WEIR_ONNX_LABEL_SIZE]) {
    const char *domain = node->domain == NULL || strcmp(node->domain, "ai.onnx") == 0 ? "" : node->domain;
    const char *type = node->op_type == NULL ? "" : node->op_type;
    if (node->name == NULL || *node->name == '\0')
        snprintf(text, WEIR_ONNX_LABEL_SIZE, "unnamed node (%.60s%s%.60s)", domain, *domain == '\0' ? "" : ".", type);
    else
        snprintf(text, WEIR_ONNX_LABEL_SIZE, "node '%.80s' (%.60s%s%.60s)", node->name, domain,
                 *domain == '\0' ? "" : ".", type);
    return text;
}

/* --- opset imports --- */

static bool import_one(const Onnx__OperatorSetIdProto *import, const char *file, weir_onnx_opsets *opsets) {
    const domain_row *row = domain_find(import->domain);
    if (row == NULL) return true; /* harmless unless an operator of it is used */
    const char *name = *row->spelling == '\0' ? "ai.onnx" : row->spelling;
    int64_t *version = &opsets->version[row->domain];
    if (import->version < row->low || import->version > row->high) {
        weir_error(weir_at(file, 0), "opset %lld of domain '%s' is not supported, expected %d to %d",
                   (long long)import->version, name, row->low, row->high);
        return false;
    }
    if (*version != 0 && *version != import->version) {
        weir_error(weir_at(file, 0), "domain '%s' is imported with opset %lld and with opset %lld", name,
                   (long long)*version, (long long)import->version);
        return false;
    }
    *version = import->version;
    return true;
}

bool weir_onnx_schema_import(const Onnx__ModelProto *model, const char *file, weir_onnx_opsets *opsets) {
    bool fine = true;
    memset(opsets, 0, sizeof *opsets);
    for (size_t i = 0; i < model->n_opset_import && fine; i++) fine = import_one(model->opset_import[i], file, opsets);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        int64_t *version = &opsets->version[domains[i].domain];
        if (*version == 0 && !domains[i].required) *version = domains[i].high;
    }
    return fine;
}

/* --- finding an operator --- */

/* The nearest name, or once a model the list of all. */
static void suggest_operator(const char *name, bool *listed) {
    const char *names[RULE_COUNT];
    weir_text list = {0};
    size_t count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (count > 0 && strcmp(names[count - 1], rules[i].name) == 0) continue;
        names[count++] = rules[i].name;
        weir_text_format(&list, "%s%s", count == 1 ? "" : ", ", rules[i].name);
    }
    const char *nearest = weir_suggest(name, names, count);
    if (nearest != NULL && strcmp(nearest, name) == 0) weir_note("'%s' is supported in another domain", nearest);
    else if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
    else if (!*listed) weir_note("supported operators: %s", list.data);
    *listed = *listed || nearest == NULL;
    weir_text_free(&list);
}

static void report_unknown(const Onnx__NodeProto *node, weir_location location, bool *listed) {
    const char *domain = node->domain == NULL || *node->domain == '\0' ? "ai.onnx" : node->domain;
    const char *type = node->op_type == NULL ? "" : node->op_type;
    if (node->name != NULL && *node->name != '\0')
        weir_error(location, "operator '%.80s' of domain '%.80s' is not supported (node '%.80s')", type, domain,
                   node->name);
    else weir_error(location, "operator '%.80s' of domain '%.80s' is not supported (unnamed node)", type, domain);
    suggest_operator(type, listed);
}

const weir_onnx_rule *weir_onnx_schema_find(const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                                            weir_location location, bool *listed) {
    const domain_row *domain = domain_find(node->domain);
    const weir_onnx_rule *found = NULL, *later = NULL;
    for (size_t i = 0; domain != NULL && node->op_type != NULL && i < RULE_COUNT; i++) {
        if (rules[i].domain != domain->domain || strcmp(rules[i].name, node->op_type) != 0) continue;
        if (rules[i].since <= opsets->version[domain->domain]) found = &rules[i];
        else if (later == NULL) later = &rules[i];
    }
    if (found != NULL) return found;
    char label[WEIR_ONNX_LABEL_SIZE];
    if (later != NULL && opsets->version[domain->domain] == 0)
        weir_error(location, "%s: the model imports no opset of domain 'ai.onnx'", weir_onnx_schema_label(node, label));
    else if (later != NULL)
        weir_error(location, "%s needs opset %d, the model imports opset %lld", weir_onnx_schema_label(node, label),
                   later->since, (long long)opsets->version[domain->domain]);
    else report_unknown(node, location, listed);
    return NULL;
}

/* --- checking a node --- */

/* What the checks of one node share. */
typedef struct check {
    const weir_onnx_rule *rule;
    int64_t version;
    weir_location location;
    const char *label;
} check;

static size_t last_named(char *const *names, size_t count) {
    while (count > 0 && *names[count - 1] == '\0') count--;
    return count;
}

static bool check_arity(const check *c, const Onnx__NodeProto *node) {
    const weir_op_info *info = c->rule->op == WEIR_OP_NONE ? NULL : weir_op_get(c->rule->op);
    size_t low = info == NULL ? 0 : (size_t)info->inputs_min, high = info == NULL ? 0 : (size_t)info->inputs_max;
    if (c->rule->inputs_min != 0) low = c->rule->inputs_min;
    size_t inputs = last_named(node->input, node->n_input), outputs = last_named(node->output, node->n_output);
    if (inputs < low || inputs > high) {
        const char *plural = inputs == 1 ? "" : "s";
        if (low == high) weir_error(c->location, "%s has %zu input%s, expected %zu", c->label, inputs, plural, low);
        else weir_error(c->location, "%s has %zu input%s, expected %zu to %zu", c->label, inputs, plural, low, high);
        return false;
    }
    for (size_t i = 0; i < low; i++) {
        if (*node->input[i] != '\0') continue;
        weir_error(c->location, "%s: input %zu is left out but needed", c->label, i);
        return false;
    }
    if (outputs == 1) return true;
    weir_error(c->location, "%s has %zu outputs, expected 1", c->label, outputs);
    return false;
}

/* The row that holds in the model's version; NULL after an error. */
static const attribute_row *find_attribute(const check *c, const char *name) {
    const attribute_row *found = NULL, *later = NULL;
    const char *names[ATTRIBUTE_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        if (attributes[i].op != c->rule->op) continue;
        names[count++] = attributes[i].name;
        if (strcmp(attributes[i].name, name) != 0) continue;
        if (attributes[i].since <= c->version) found = &attributes[i];
        else if (later == NULL) later = &attributes[i];
    }
    if (found != NULL) return found;
    if (later != NULL) {
        weir_error(c->location, "%s: attribute '%s' needs opset %d, the model imports opset %lld", c->label, name,
                   later->since, (long long)c->version);
        return NULL;
    }
    weir_error(c->location, "%s: unknown attribute '%.80s'", c->label, name);
    const char *nearest = weir_suggest(name, names, count);
    if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
    return NULL;
}

static bool check_int(const check *c, const attribute_row *row, int64_t value) {
    if (value >= row->low && value <= row->high) return true;
    if (row->low == row->high)
        weir_error(c->location, "%s: attribute '%s' is %lld, only %lld is supported", c->label, row->name,
                   (long long)value, (long long)row->low);
    else
        weir_error(c->location, "%s: attribute '%s' is %lld, expected %lld to %lld", c->label, row->name,
                   (long long)value, (long long)row->low, (long long)row->high);
    return false;
}

static bool check_ints(const check *c, const attribute_row *row, const Onnx__AttributeProto *attribute) {
    uint64_t seen = 0;
    for (size_t i = 0; i < attribute->n_ints; i++) {
        if (!check_int(c, row, attribute->ints[i])) return false;
        if (row->kind != PERMUTATION) continue;
        uint64_t bit = (uint64_t)1 << attribute->ints[i];
        if (attribute->ints[i] >= (int64_t)attribute->n_ints || (seen & bit) != 0) {
            weir_error(c->location, "%s: attribute '%s' is no permutation", c->label, row->name);
            return false;
        }
        seen |= bit;
    }
    return true;
}

static bool check_floats(const check *c, const attribute_row *row, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) continue;
        weir_error(c->location, "%s: attribute '%s' is not finite", c->label, row->name);
        return false;
    }
    return true;
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

/* Letter case does not count, as in QONNX. */
static const word *find_word(const word *words, const ProtobufCBinaryData *text) {
    for (; words->from != NULL; words++) {
        size_t i = 0;
        while (i < text->len && words->from[i] != '\0' && upper((char)text->data[i]) == words->from[i]) i++;
        if (i == text->len && words->from[i] == '\0') return words;
    }
    return NULL;
}

static bool check_word(const check *c, const attribute_row *row, const ProtobufCBinaryData *text) {
    if (find_word(row->words, text) != NULL) return true;
    weir_text list = {0};
    for (const word *w = row->words; w->from != NULL; w++)
        weir_text_format(&list, "%s%s", w == row->words ? "" : ", ", w->from);
    weir_error(c->location, "%s: attribute '%s' is '%.*s', expected one of %s", c->label, row->name,
               (int)(text->len > 40 ? 40 : text->len), text->data == NULL ? "" : (const char *)text->data, list.data);
    weir_text_free(&list);
    return false;
}

static bool check_value(const check *c, const attribute_row *row, const Onnx__AttributeProto *attribute) {
    if (row->kind == REFUSED) {
        weir_error(c->location, "%s: attribute '%s' is not supported", c->label, row->name);
        return false;
    }
    if ((int)attribute->type != onnx_kind(row->kind)) {
        weir_error(c->location, "%s: attribute '%s' is of kind %s, expected %s", c->label, row->name,
                   kind_name((int)attribute->type), kind_name(onnx_kind(row->kind)));
        return false;
    }
    switch (row->kind) {
    case INT: return check_int(c, row, attribute->i);
    case FLOAT: return check_floats(c, row, &attribute->f, 1);
    case FLOATS: return check_floats(c, row, attribute->floats, attribute->n_floats);
    case STRING: return check_word(c, row, &attribute->s);
    case INTS:
    case PERMUTATION: return check_ints(c, row, attribute);
    case TENSOR:
        if (attribute->t != NULL) return true;
        weir_error(c->location, "%s: attribute '%s' has no tensor", c->label, row->name);
        return false;
    default: return true;
    }
}

static bool check_attribute(const check *c, const Onnx__NodeProto *node, size_t index) {
    const Onnx__AttributeProto *attribute = node->attribute[index];
    const char *name = attribute->name == NULL ? "" : attribute->name;
    if (attribute->ref_attr_name != NULL && *attribute->ref_attr_name != '\0') {
        weir_error(c->location, "%s: attribute '%.80s' refers to an attribute of a function", c->label, name);
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (node->attribute[i]->name == NULL || strcmp(node->attribute[i]->name, name) != 0) continue;
        weir_error(c->location, "%s: attribute '%.80s' stands twice", c->label, name);
        return false;
    }
    const attribute_row *row = find_attribute(c, name);
    return row != NULL && check_value(c, row, attribute);
}

static const Onnx__AttributeProto *node_attribute(const Onnx__NodeProto *node, const char *name) {
    for (size_t i = 0; i < node->n_attribute; i++) {
        if (node->attribute[i]->name != NULL && strcmp(node->attribute[i]->name, name) == 0) return node->attribute[i];
    }
    return NULL;
}

static bool check_required(const check *c, const Onnx__NodeProto *node) {
    bool fine = true;
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        const attribute_row *row = &attributes[i];
        if (row->op != c->rule->op || !row->required || node_attribute(node, row->name) != NULL) continue;
        weir_error(c->location, "%s: attribute '%s' is missing", c->label, row->name);
        fine = false;
    }
    if (c->rule->op != WEIR_OP_NONE || node->n_attribute == 1) return fine;
    weir_error(c->location, "%s has %zu attributes, expected 1", c->label, node->n_attribute);
    return false;
}

bool weir_onnx_schema_check(const weir_onnx_rule *rule, const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                            weir_location location) {
    char label[WEIR_ONNX_LABEL_SIZE];
    check c = {rule, opsets->version[rule->domain], location, weir_onnx_schema_label(node, label)};
    bool fine = check_arity(&c, node);
    size_t bad = 0;
    for (size_t i = 0; i < node->n_attribute && bad < WEIR_DIAG_LIMIT; i++) bad += !check_attribute(&c, node, i);
    return bad == 0 && check_required(&c, node) && fine;
}

void weir_onnx_schema_attach(const weir_onnx_rule *rule, const Onnx__NodeProto *from, weir_graph *graph,
                             weir_node node) {
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        const attribute_row *row = &attributes[i];
        const Onnx__AttributeProto *attribute = row->op == rule->op ? node_attribute(from, row->name) : NULL;
        if (attribute == NULL) continue;
        switch (row->kind) {
        case INT: weir_node_set_int(graph, node, row->name, attribute->i); break;
        case FLOAT: weir_node_set_float(graph, node, row->name, (double)attribute->f); break;
        case STRING: weir_node_set_string(graph, node, row->name, find_word(row->words, &attribute->s)->to); break;
        case INTS:
        case PERMUTATION: weir_node_set_ints(graph, node, row->name, attribute->ints, attribute->n_ints); break;
        default: break;
        }
    }
}

/* --- from the graph to the file --- */

weir_onnx_domain weir_onnx_schema_domain(weir_op op) { return domain_find(weir_op_get(op)->domain)->domain; }

static const domain_row *first_row(weir_onnx_domain domain) {
    const domain_row *row = domains;
    while (row->domain != domain) row++;
    return row;
}

const char *weir_onnx_schema_spelling(weir_onnx_domain domain) { return first_row(domain)->spelling; }

void weir_onnx_schema_versions(weir_onnx_domain domain, int *low, int *high) {
    *low = first_row(domain)->low;
    *high = first_row(domain)->high;
}

/* The last row for the attribute that the version has; NULL: none. */
static const attribute_row *attribute_in(weir_op op, const char *name, int64_t version) {
    const attribute_row *found = NULL;
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        const attribute_row *row = &attributes[i];
        if (row->op == op && row->since <= version && strcmp(row->name, name) == 0) found = row;
    }
    return found;
}

static bool allows_types(const weir_graph *graph, weir_node node, int64_t version) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].op != weir_node_op(graph, node) || types[i].since <= version) continue;
        if (weir_value_type(graph, weir_node_input(graph, node, 0))->dtype == types[i].dtype ||
            weir_value_type(graph, weir_node_output(graph, node, 0))->dtype == types[i].dtype)
            return false;
    }
    return true;
}

/* Constants that are scales have more than one element. */
static bool allows_scales(const weir_graph *graph, weir_node node, const weir_onnx_rule *rule) {
    for (size_t i = 0; !rule->per_axis && i < weir_node_input_count(graph, node); i++) {
        weir_value value = weir_node_input(graph, node, i);
        size_t count = 0;
        if ((rule->scales >> i & 1) == 0 || value.id == 0) continue;
        if (weir_shape_count(&weir_value_type(graph, value)->shape, &count) && count > 1) return false;
    }
    return true;
}

bool weir_onnx_schema_allows(const weir_graph *graph, weir_node node, int64_t version) {
    const weir_op_info *info = weir_node_info(graph, node);
    const weir_onnx_rule *rule = NULL;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (rules[i].op == weir_node_op(graph, node) && strcmp(rules[i].name, info->name) == 0 &&
            rules[i].since <= version)
            rule = &rules[i];
    }
    if (rule == NULL || weir_node_input_count(graph, node) < rule->inputs_min) return false;
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++) {
        const weir_attribute *attribute = weir_node_attribute_at(graph, node, i);
        const attribute_row *row = attribute_in(rule->op, attribute->name, version);
        if (row == NULL) return false;
        if (row->kind == INT && (attribute->as.i < row->low || attribute->as.i > row->high)) return false;
    }
    return allows_types(graph, node, version) && allows_scales(graph, node, rule);
}

const char *weir_onnx_schema_word(weir_op op, const char *name, const char *text) {
    const attribute_row *row = attribute_in(op, name, INT64_MAX);
    for (size_t i = 0; row != NULL && row->words != NULL && row->words[i].from != NULL; i++) {
        if (strcmp(row->words[i].to, text) == 0) return row->words[i].from;
    }
    return text;
}
