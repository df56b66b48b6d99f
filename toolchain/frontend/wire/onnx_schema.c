#include "frontend/wire/onnx_schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_tensor.h"
#include "ir/graph/operator.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

/* --- domains --- */

/* Spellings of each domain and the versions whose semantics the tables describe. Later versions are taken too:
 * operators change by attributes and element types, which are checked one by one. A domain that is not required may be
 * used without an import: exporters of QONNX forget it. */
typedef struct domain_row {
    const char *spelling;
    weir_onnx_domain domain;
    int low, high;
    bool required;
} domain_row;

static const domain_row domains[] = {
    {"", WEIR_ONNX_DOMAIN_ONNX, 1, 28, true},
    {"ai.onnx", WEIR_ONNX_DOMAIN_ONNX, 1, 28, true},
    {"com.microsoft", WEIR_ONNX_DOMAIN_MICROSOFT, 1, 1, false},
    {"qonnx.custom_op.general", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false}, /* version 2 changes Trunc only */
    {"finn.custom_op.general", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false},
    {"onnx.brevitas", WEIR_ONNX_DOMAIN_QONNX, 1, 2, false},
    {"ai.onnx.ml", WEIR_ONNX_DOMAIN_ML, 1, 5, false},
    {"mct_quantizers", WEIR_ONNX_DOMAIN_MCT, 1, 1, false},
    {"PACTOps", WEIR_ONNX_DOMAIN_PACT, 1, 1, false},
    {"ai.onnx.contrib", WEIR_ONNX_DOMAIN_PACT, 1, 1, false},
};

static const domain_row *domain_find(const char *spelling) {
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        if (strcmp(domains[i].spelling, spelling == NULL ? "" : spelling) == 0) return &domains[i];
    }
    return NULL;
}

/* --- kinds of attributes --- */

/* ONNX's AttributeType by number. */
static const char *const kind_names[] = {"undefined",      "float", "int",     "string",  "tensor", "graph",
                                         "floats",         "ints",  "strings", "tensors", "graphs", "sparse tensor",
                                         "sparse tensors", "type",  "types"};

static int onnx_kind(weir_onnx_kind kind) {
    static const int kinds[] = {[WEIR_ONNX_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
                                [WEIR_ONNX_NUMBER] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
                                [WEIR_ONNX_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
                                [WEIR_ONNX_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
                                [WEIR_ONNX_TENSOR] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
                                [WEIR_ONNX_GRAPH] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH,
                                [WEIR_ONNX_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                                [WEIR_ONNX_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
                                [WEIR_ONNX_STRINGS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS,
                                [WEIR_ONNX_PERMUTATION] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                                [WEIR_ONNX_DTYPE] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT};
    return kinds[kind];
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
    if (import->version < row->low) {
        weir_error(weir_at(file, 0), "opset %lld of domain '%s' is not supported, expected %d or later",
                   (long long)import->version, name, row->low);
        return false;
    }
    if (import->version > row->high && *version != import->version)
        weir_note("%s: opset %lld of domain '%s' is newer than %d, the latest that was checked", file,
                  (long long)import->version, name, row->high);
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
    const char **names = NULL;
    weir_text list = {0};
    size_t count = 0, capacity = 0;
    for (const weir_onnx_rule *rule = NULL; (rule = weir_onnx_rule_next(rule)) != NULL;) {
        if (count > 0 && strcmp(names[count - 1], rule->name) == 0) continue;
        names = weir_grow(names, &capacity, count + 1, sizeof *names);
        names[count++] = rule->name;
        weir_text_format(&list, "%s%s", count == 1 ? "" : ", ", rule->name);
    }
    const char *nearest = weir_suggest(name, names, count);
    if (nearest != NULL && strcmp(nearest, name) == 0) weir_note("'%s' is supported in another domain", nearest);
    else if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
    else if (!*listed) weir_note("supported operators: %s", list.data);
    *listed = *listed || nearest == NULL;
    weir_text_free(&list);
    free(names);
}

/* What a user can do about an operator that is missing on purpose. */
static const struct {
    const char *name, *hint;
} hints[] = {
#define LABEL_HINT "it turns scores into labels: cut the model after its Softmax or Sigmoid (onnx.utils.extract_model)"
#define TREE_HINT "Weir compiles networks and linear models, not decision trees"
#define SVM_HINT                                                                                                       \
    "Weir compiles networks and linear models (such as scikit-learn's LinearSVC), not support vector machines with a " \
    "kernel"
    {"DynamicQuantizeLSTM", "its scales are computed from each input, hardware needs fixed ones: " WEIR_DYNAMIC_REMEDY},
    {"LabelEncoder", LABEL_HINT},
    {"Imputer", "it fills in missing numbers: do that before the model, and cut it off (onnx.utils.extract_model)"},
    {"OneHotEncoder",
     "it turns categories into numbers: do that before the model, and cut it off (onnx.utils.extract_model)"},
    {"TreeEnsembleClassifier", TREE_HINT},
    {"TreeEnsembleRegressor", TREE_HINT},
    {"TreeEnsemble", TREE_HINT},
    {"SVMClassifier", SVM_HINT},
    {"SVMRegressor", SVM_HINT},
    {"CDist", "it compares with stored samples: Weir compiles neither nearest neighbours nor kernels"},
};

static const char *find_hint(const char *op) {
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].name, op) == 0) return hints[i].hint;
    return NULL;
}

static void report_unknown(const Onnx__NodeProto *node, weir_location location, bool *listed) {
    const char *domain = node->domain == NULL || *node->domain == '\0' ? "ai.onnx" : node->domain;
    const char *type = node->op_type == NULL ? "" : node->op_type;
    if (node->name != NULL && *node->name != '\0')
        weir_error(location, "operator '%.80s' of domain '%.80s' is not supported (node '%.80s')", type, domain,
                   node->name);
    else weir_error(location, "operator '%.80s' of domain '%.80s' is not supported (unnamed node)", type, domain);
    const char *hint = find_hint(type);
    if (hint != NULL) weir_note("%s", hint);
    else suggest_operator(type, listed);
    if (domain_find(node->domain == NULL ? "" : node->domain) == NULL) weir_note(WEIR_OPERATOR_REMEDY);
}

static bool find_own(const Onnx__NodeProto *node, weir_onnx_rule *own) {
    const weir_op op =
        node->domain == NULL || node->op_type == NULL ? WEIR_OP_NONE : weir_op_find(node->domain, node->op_type);
    if (op < WEIR_OP_COUNT) return false;
    *own = (weir_onnx_rule){.domain = WEIR_ONNX_DOMAIN_OWN, .name = weir_op_get(op)->name, .op = op, .since = 1};
    return true;
}

/* The rule of the domain that holds in the model's version, and the first that would in a later one. */
static const weir_onnx_rule *find_rule(weir_onnx_domain domain, const char *name, const weir_onnx_opsets *opsets,
                                       const weir_onnx_rule **later) {
    const weir_onnx_rule *found = NULL;
    for (const weir_onnx_rule *rule = NULL; name != NULL && (rule = weir_onnx_rule_next(rule)) != NULL;) {
        if (rule->domain != domain || strcmp(rule->name, name) != 0) continue;
        if (rule->since <= opsets->version[domain]) found = rule;
        else if (*later == NULL) *later = rule;
    }
    return found;
}

const weir_onnx_rule *weir_onnx_schema_find(const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                                            weir_location location, bool *listed, weir_onnx_rule *own) {
    if (find_own(node, own)) return own;
    const domain_row *domain = domain_find(node->domain);
    const weir_onnx_rule *found = NULL, *later = NULL;
    if (domain != NULL) found = find_rule(domain->domain, node->op_type, opsets, &later);
    static const weir_onnx_domain unsaid[] = {WEIR_ONNX_DOMAIN_QONNX, WEIR_ONNX_DOMAIN_PACT};
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++) /* those written without a domain */
        if (domain != NULL && domain->required && found == NULL && later == NULL)
            found = find_rule(unsaid[i], node->op_type, opsets, &later);
    if (found != NULL && !found->is_gone) return found;
    char label[WEIR_ONNX_LABEL_SIZE];
    if (found != NULL) {
        weir_error(location, "%s was last part of opset %d, the model imports opset %lld",
                   weir_onnx_schema_label(node, label), found->since - 1, (long long)opsets->version[domain->domain]);
        weir_note("export it again: %s replaced it", weir_op_get(found->op)->name);
        return NULL;
    }
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

size_t weir_onnx_schema_outputs(const Onnx__NodeProto *node) { return last_named(node->output, node->n_output); }

/* `count` inputs or outputs where `low` to `high` are allowed; high -1: any number. */
static bool check_count(const check *c, const char *what, size_t count, int low, int high) {
    const char *plural = count == 1 ? "" : "s";
    if (count >= (size_t)low && (high < 0 || count <= (size_t)high)) return true;
    if (low == high) weir_error(c->location, "%s has %zu %s%s, expected %d", c->label, count, what, plural, low);
    else if (high < 0)
        weir_error(c->location, "%s has %zu %s%s, expected %d or more", c->label, count, what, plural, low);
    else weir_error(c->location, "%s has %zu %s%s, expected %d to %d", c->label, count, what, plural, low, high);
    return false;
}

/* Operands in threes: codes, scale, zero point. */
static bool check_codes(const check *c, const Onnx__NodeProto *node) {
    size_t begin, end, result, count = last_named(node->input, node->n_input);
    weir_onnx_schema_codes(c->rule, count, &begin, &end, &result);
    for (size_t i = begin; i < end; i++) {
        if (*node->input[i] != '\0' && (end - begin) % 3 == 0) continue;
        weir_error(c->location, "%s: each operand needs codes, a scale and a zero point", c->label);
        return false;
    }
    return true;
}

static bool check_arity(const check *c, const Onnx__NodeProto *node) {
    const weir_op_info *info = c->rule->op == WEIR_OP_NONE ? NULL : weir_op_get(c->rule->op);
    int low = info == NULL ? 0 : info->inputs_min, high = info == NULL ? 0 : info->inputs_max;
    int outputs = info == NULL ? 1 : info->outputs;
    if (c->rule->inputs_min != 0) low = c->rule->inputs_min;
    if (c->rule->inputs_max != 0) high = c->rule->inputs_max;
    if (c->rule->outputs_max != 0) outputs = c->rule->outputs_max;
    if (!check_count(c, "input", last_named(node->input, node->n_input), low, high)) return false;
    for (int i = 0; i < low; i++) {
        if (*node->input[i] != '\0') continue;
        weir_error(c->location, "%s: input %d is required but left out", c->label, i);
        return false;
    }
    if (c->rule->codes != NULL && !check_codes(c, node)) return false;
    if (!check_count(c, "output", last_named(node->output, node->n_output), 1, outputs)) return false;
    if (*node->output[0] != '\0' || (c->rule->composed != NULL && outputs > 1)) return true;
    weir_error(c->location, "%s: output 0 is required but left out", c->label);
    return false;
}

/* The opset whose attributes and element types the operator has. */
static int64_t version_of(const weir_onnx_rule *rule, const weir_onnx_opsets *opsets) {
    return rule->opset != 0 ? rule->opset : opsets->version[rule->domain];
}

const weir_onnx_attribute_rule *weir_onnx_schema_next(const weir_onnx_rule *rule, const weir_onnx_attribute_rule *row) {
    row = row == NULL ? weir_onnx_attributes_of(rule->op, rule->composed != NULL) : row + 1;
    while (row->name != NULL && rule->composed != NULL && strcmp(row->only, rule->composed) != 0) row++;
    return row->name == NULL ? NULL : row;
}

/* The row that holds in a version, and the first later one. */
static const weir_onnx_attribute_rule *effective(const weir_onnx_rule *rule, const char *name, int64_t version,
                                                 const weir_onnx_attribute_rule **later) {
    const weir_onnx_attribute_rule *found = NULL;
    *later = NULL;
    for (const weir_onnx_attribute_rule *row = NULL; (row = weir_onnx_schema_next(rule, row)) != NULL;) {
        if (strcmp(row->name, name) != 0) continue;
        if (row->since <= version) found = row;
        else if (*later == NULL) *later = row;
    }
    return found;
}

static void suggest_attribute(const weir_onnx_rule *rule, const char *name) {
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    for (const weir_onnx_attribute_rule *row = NULL; (row = weir_onnx_schema_next(rule, row)) != NULL;) {
        names = weir_grow(names, &capacity, count + 1, sizeof *names);
        names[count++] = row->name;
    }
    const char *nearest = weir_suggest(name, names, count);
    if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
    free(names);
}

/* The row that holds in the model's version; NULL after an error. */
static const weir_onnx_attribute_rule *find_attribute(const check *c, const char *name) {
    const weir_onnx_attribute_rule *later, *found = effective(c->rule, name, c->version, &later);
    if (found != NULL && found->kind != WEIR_ONNX_REMOVED) return found;
    if (found != NULL) {
        weir_error(c->location, "%s: attribute '%s' was last part of opset %d, the model imports opset %lld", c->label,
                   name, found->since - 1, (long long)c->version);
        return NULL;
    }
    if (later != NULL) {
        weir_error(c->location, "%s: attribute '%s' needs opset %d, the model imports opset %lld", c->label, name,
                   later->since, (long long)c->version);
        return NULL;
    }
    weir_error(c->location, "%s: unknown attribute '%.80s'", c->label, name);
    suggest_attribute(c->rule, name);
    return NULL;
}

static bool check_int(const check *c, const weir_onnx_attribute_rule *row, int64_t value) {
    if (value >= row->low && value <= row->high) return true;
    if (row->low == row->high) {
        weir_error(c->location, "%s: attribute '%s' is %lld, only %lld is supported", c->label, row->name,
                   (long long)value, (long long)row->low);
        if (strcmp(row->name, "block_size") == 0)
            weir_note("hardware has a scale per tensor or per channel, not per block; quantize per channel");
    } else
        weir_error(c->location, "%s: attribute '%s' is %lld, expected %lld to %lld", c->label, row->name,
                   (long long)value, (long long)row->low, (long long)row->high);
    return false;
}

/* A whole number, however it is written. */
static bool read_number(const Onnx__AttributeProto *attribute, weir_location location, int64_t *number) {
    weir_onnx_tensor_source single_only = {.left = sizeof(double)};
    double value = (double)attribute->f;
    *number = attribute->i;
    if (attribute->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT) return true;
    if (attribute->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR && attribute->t != NULL) {
        weir_array *array = weir_onnx_tensor_read(attribute->t, attribute->name, location, &single_only);
        const bool single = array != NULL && array->count == 1;
        value = single ? weir_array_get(array, 0) : (double)NAN;
        weir_array_free(array);
        if (!single) return false;
    } else if (attribute->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT) {
        return false;
    }
    if (!(fabs(value) < 0x1p62) || floor(value) != value) return false;
    *number = (int64_t)value;
    return true;
}

static bool check_number(const check *c, const weir_onnx_attribute_rule *row, const Onnx__AttributeProto *attribute) {
    int64_t number;
    if (read_number(attribute, c->location, &number)) return check_int(c, row, number);
    weir_error(c->location, "%s: attribute '%s' is not a whole number", c->label, row->name);
    return false;
}

static bool check_dtype(const check *c, const weir_onnx_attribute_rule *row, int64_t value) {
    const int32_t type = value < 0 || value > INT32_MAX ? -1 : (int32_t)value;
    weir_dtype dtype;
    if (weir_onnx_tensor_type(type, &dtype) || (type == 0 && !row->required)) return true;
    weir_error(c->location, "%s: attribute '%s' names element type %lld (%s), which is not supported", c->label,
               row->name, (long long)value, weir_onnx_tensor_type_name(type));
    return false;
}

static bool check_ints(const check *c, const weir_onnx_attribute_rule *row, const Onnx__AttributeProto *attribute) {
    uint64_t seen = 0;
    for (size_t i = 0; i < attribute->n_ints; i++) {
        if (!check_int(c, row, attribute->ints[i])) return false;
        if (row->kind != WEIR_ONNX_PERMUTATION) continue;
        uint64_t bit = (uint64_t)1 << attribute->ints[i];
        if (attribute->ints[i] >= (int64_t)attribute->n_ints || (seen & bit) != 0) {
            weir_error(c->location, "%s: attribute '%s' is not a permutation", c->label, row->name);
            return false;
        }
        seen |= bit;
    }
    return true;
}

static bool check_floats(const check *c, const weir_onnx_attribute_rule *row, const float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool is_operand = row->input > 0; /* a bound that is infinite bounds nothing */
        if (isfinite(values[i]) || (is_operand && !isnan(values[i]))) continue;
        weir_error(c->location, "%s: attribute '%s' is not finite", c->label, row->name);
        return false;
    }
    return true;
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

/* QONNX ignores letter case. */
static const weir_onnx_word *find_word(weir_op op, const weir_onnx_attribute_rule *row,
                                       const ProtobufCBinaryData *text) {
    const bool any_case = weir_onnx_schema_domain(op) == WEIR_ONNX_DOMAIN_QONNX;
    for (const weir_onnx_word *words = row->words; words->from != NULL; words++) {
        size_t i = 0;
        while (i < text->len && words->from[i] != '\0' &&
               ((char)text->data[i] == words->from[i] || (any_case && upper((char)text->data[i]) == words->from[i])))
            i++;
        if (i == text->len && words->from[i] == '\0') return words;
    }
    return NULL;
}

/* Free text: short and printable. */
static bool check_text(const check *c, const weir_onnx_attribute_rule *row, const ProtobufCBinaryData *text) {
    enum { LONGEST = 80 };
    bool fine = text->len <= LONGEST;
    for (size_t i = 0; fine && i < text->len; i++) fine = text->data[i] >= ' ' && text->data[i] <= '~';
    if (!fine) weir_error(c->location, "%s: attribute '%s' is not a short text", c->label, row->name);
    return fine;
}

static bool check_word(const check *c, const weir_onnx_attribute_rule *row, const ProtobufCBinaryData *text) {
    if (row->words == NULL) return check_text(c, row, text);
    if (find_word(c->rule->op, row, text) != NULL) return true;
    weir_text list = {0};
    for (const weir_onnx_word *w = row->words; w->from != NULL; w++)
        weir_text_format(&list, "%s%s", w == row->words ? "" : ", ", w->from);
    weir_error(c->location, "%s: attribute '%s' is '%.*s', expected one of %s", c->label, row->name,
               (int)(text->len > 40 ? 40 : text->len), text->data == NULL ? "" : (const char *)text->data, list.data);
    weir_text_free(&list);
    return false;
}

static bool check_value(const check *c, const weir_onnx_attribute_rule *row, const Onnx__AttributeProto *attribute) {
    if (row->kind == WEIR_ONNX_REFUSED) {
        weir_error(c->location, "%s: attribute '%s' is not supported", c->label, row->name);
        return false;
    }
    if (row->kind == WEIR_ONNX_NUMBER) return check_number(c, row, attribute);
    if ((int)attribute->type != onnx_kind(row->kind)) {
        weir_error(c->location, "%s: attribute '%s' is of kind %s, expected %s", c->label, row->name,
                   kind_name((int)attribute->type), kind_name(onnx_kind(row->kind)));
        return false;
    }
    switch (row->kind) {
    case WEIR_ONNX_INT: return check_int(c, row, attribute->i);
    case WEIR_ONNX_DTYPE: return check_dtype(c, row, attribute->i);
    case WEIR_ONNX_FLOAT: return check_floats(c, row, &attribute->f, 1);
    case WEIR_ONNX_FLOATS: return check_floats(c, row, attribute->floats, attribute->n_floats);
    case WEIR_ONNX_STRING: return check_word(c, row, &attribute->s);
    case WEIR_ONNX_INTS:
    case WEIR_ONNX_PERMUTATION: return check_ints(c, row, attribute);
    case WEIR_ONNX_TENSOR:
        if (attribute->t != NULL) return true;
        weir_error(c->location, "%s: attribute '%s' has no tensor", c->label, row->name);
        return false;
    case WEIR_ONNX_GRAPH:
        if (attribute->g != NULL) return true;
        weir_error(c->location, "%s: attribute '%s' has no graph", c->label, row->name);
        return false;
    case WEIR_ONNX_STRINGS: return true;
    case WEIR_ONNX_NUMBER:
    case WEIR_ONNX_REFUSED:
    case WEIR_ONNX_REMOVED: break; /* told of before this */
    }
    return true;
}

/* Of an operator that was registered: a known name, and the kind that its row says. */
static bool check_own(const check *c, const Onnx__AttributeProto *attribute) {
    static const int kinds[] = {[WEIR_ATTRIBUTE_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
                                [WEIR_ATTRIBUTE_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
                                [WEIR_ATTRIBUTE_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
                                [WEIR_ATTRIBUTE_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                                [WEIR_ATTRIBUTE_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS};
    const weir_operator *row = weir_operator_of(c->rule->op);
    const char *name = attribute->name == NULL ? "" : attribute->name;
    for (size_t i = 0; i < row->attribute_count; i++) {
        if (strcmp(row->attributes[i].name, name) != 0) continue;
        const int kind = kinds[row->attributes[i].kind];
        if ((int)attribute->type == kind) return true;
        weir_error(c->location, "%s: attribute '%s' is of kind %s, expected %s", c->label, name,
                   kind_name((int)attribute->type), kind_name(kind));
        return false;
    }
    weir_error(c->location, "%s: unknown attribute '%.80s'", c->label, name);
    return false;
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
        weir_error(c->location, "%s: attribute '%.80s' is given twice", c->label, name);
        return false;
    }
    if (c->rule->op >= WEIR_OP_COUNT) return check_own(c, attribute);
    const weir_onnx_attribute_rule *row = find_attribute(c, name);
    return row != NULL && check_value(c, row, attribute);
}

const Onnx__AttributeProto *weir_onnx_schema_attribute(const Onnx__NodeProto *node, const char *name) {
    for (size_t i = 0; i < node->n_attribute; i++) {
        if (node->attribute[i]->name != NULL && strcmp(node->attribute[i]->name, name) == 0) return node->attribute[i];
    }
    return NULL;
}

static bool check_required(const check *c, const Onnx__NodeProto *node) {
    bool fine = true;
    const weir_operator *own = weir_operator_of(c->rule->op);
    for (size_t i = 0; own != NULL && i < own->attribute_count; i++) {
        if (!own->attributes[i].required || weir_onnx_schema_attribute(node, own->attributes[i].name) != NULL) continue;
        weir_error(c->location, "%s: attribute '%s' is missing", c->label, own->attributes[i].name);
        fine = false;
    }
    for (const weir_onnx_attribute_rule *later, *row = NULL; (row = weir_onnx_schema_next(c->rule, row)) != NULL;) {
        if (!row->required || weir_onnx_schema_attribute(node, row->name) != NULL ||
            effective(c->rule, row->name, c->version, &later) != row)
            continue;
        weir_error(c->location, "%s: attribute '%s' is missing", c->label, row->name);
        fine = false;
    }
    if (c->rule->op != WEIR_OP_NONE || c->rule->composed != NULL || node->n_attribute == 1) return fine;
    weir_error(c->location, "%s has %zu attributes, expected 1", c->label, node->n_attribute);
    return false;
}

bool weir_onnx_schema_check(const weir_onnx_rule *rule, const Onnx__NodeProto *node, const weir_onnx_opsets *opsets,
                            weir_location location) {
    char label[WEIR_ONNX_LABEL_SIZE];
    check c = {rule, version_of(rule, opsets), location, weir_onnx_schema_label(node, label)};
    bool fine = check_arity(&c, node);
    size_t bad = 0;
    for (size_t i = 0; !rule->plain && i < node->n_attribute && bad < WEIR_DIAG_LIMIT; i++)
        bad += !check_attribute(&c, node, i);
    return bad == 0 && (rule->plain || check_required(&c, node)) && fine;
}

void weir_onnx_schema_codes(const weir_onnx_rule *rule, size_t count, size_t *begin, size_t *end, size_t *result) {
    const bool first = rule->codes->result_first;
    *begin = rule->codes->plain + (first ? 2 : 0);
    *end = first ? count : count - 2;
    *result = first ? 0 : *end;
}

bool weir_onnx_schema_is_scale(const weir_onnx_rule *rule, size_t index, size_t count) {
    size_t begin, end, result;
    if (rule->codes == NULL) return index < 32 && (rule->scales >> index & 1) != 0;
    weir_onnx_schema_codes(rule, count, &begin, &end, &result);
    return index == result || (index >= begin && index < end && (index - begin) % 3 == 1);
}

const weir_onnx_attribute_rule *weir_onnx_schema_attribute_rule(const weir_onnx_rule *rule, const char *name,
                                                                const weir_onnx_opsets *opsets) {
    const weir_onnx_attribute_rule *later;
    return effective(rule, name, version_of(rule, opsets), &later);
}

/* Free text, or what the table has for the word. */
static void attach_text(const weir_onnx_attribute_rule *row, const ProtobufCBinaryData *text, weir_graph *graph,
                        weir_node node) {
    char *own =
        row->words != NULL ? NULL : weir_format("%.*s", (int)text->len, text->len == 0 ? "" : (char *)text->data);
    weir_node_set_string(graph, node, row->name,
                         own != NULL ? own : find_word(weir_node_op(graph, node), row, text)->to);
    free(own);
}

static void attach_floats(const Onnx__AttributeProto *a, weir_graph *graph, weir_node node) {
    double *floats = weir_calloc(a->n_floats + 1, sizeof *floats);
    for (size_t i = 0; i < a->n_floats; i++) floats[i] = (double)a->floats[i];
    weir_node_set_floats(graph, node, a->name, floats, a->n_floats);
    free(floats);
}

static void attach(const weir_onnx_attribute_rule *row, const Onnx__AttributeProto *attribute, weir_graph *graph,
                   weir_node node) {
    weir_dtype dtype;
    int64_t number;
    switch (row->kind) {
    case WEIR_ONNX_NUMBER:
        if (read_number(attribute, weir_node_location(graph, node), &number))
            weir_node_set_int(graph, node, row->name, number);
        break;
    case WEIR_ONNX_INT: weir_node_set_int(graph, node, row->name, attribute->i); break;
    case WEIR_ONNX_FLOAT: weir_node_set_float(graph, node, row->name, (double)attribute->f); break;
    case WEIR_ONNX_STRING: attach_text(row, &attribute->s, graph, node); break;
    case WEIR_ONNX_INTS:
    case WEIR_ONNX_PERMUTATION: weir_node_set_ints(graph, node, row->name, attribute->ints, attribute->n_ints); break;
    case WEIR_ONNX_FLOATS: attach_floats(attribute, graph, node); break;
    case WEIR_ONNX_DTYPE:
        if (weir_onnx_tensor_type((int32_t)attribute->i, &dtype))
            weir_node_set_string(graph, node, row->name, weir_dtype_name(dtype));
        break;
    case WEIR_ONNX_GRAPH:
    case WEIR_ONNX_TENSOR:
    case WEIR_ONNX_STRINGS:
    case WEIR_ONNX_REFUSED:
    case WEIR_ONNX_REMOVED: break;
    }
}

static void attach_own(const Onnx__AttributeProto *a, weir_graph *graph, weir_node node) {
    char *text;
    switch (a->type) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT: weir_node_set_int(graph, node, a->name, a->i); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT: weir_node_set_float(graph, node, a->name, (double)a->f); break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        weir_node_set_ints(graph, node, a->name, a->ints, a->n_ints);
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS: attach_floats(a, graph, node); break;
    default:
        text = weir_format("%.*s", (int)a->s.len, a->s.data == NULL ? "" : (const char *)a->s.data);
        weir_node_set_string(graph, node, a->name, text);
        free(text);
        break;
    }
}

void weir_onnx_schema_attach(const weir_onnx_rule *rule, const Onnx__NodeProto *from, const weir_onnx_opsets *opsets,
                             weir_graph *graph, weir_node node) {
    for (size_t i = 0; !rule->plain && i < from->n_attribute; i++) {
        if (rule->op >= WEIR_OP_COUNT) {
            attach_own(from->attribute[i], graph, node);
            continue;
        }
        const weir_onnx_attribute_rule *row = weir_onnx_schema_attribute_rule(rule, from->attribute[i]->name, opsets);
        if (row->input == WEIR_ONNX_STAYS) attach(row, from->attribute[i], graph, node);
    }
}

/* --- from the graph to the file --- */

weir_onnx_domain weir_onnx_schema_domain(weir_op op) {
    return op >= WEIR_OP_COUNT ? WEIR_ONNX_DOMAIN_OWN : domain_find(weir_op_get(op)->domain)->domain;
}

static const domain_row *first_row(weir_onnx_domain domain) {
    const domain_row *row = domains;
    while (row->domain != domain) row++;
    return row;
}

const char *weir_onnx_schema_spelling(weir_onnx_domain domain) { return first_row(domain)->spelling; }

void weir_onnx_schema_versions(weir_onnx_domain domain, int *low, int *high) {
    *low = domain == WEIR_ONNX_DOMAIN_OWN ? 1 : first_row(domain)->low;
    *high = domain == WEIR_ONNX_DOMAIN_OWN ? 1 : first_row(domain)->high;
}

/* The row of an element type that this version of the node's operator does not have, or NULL. */
static const weir_onnx_type_rule *refused_type_of(weir_op op, const weir_graph *graph, weir_node node,
                                                  int64_t version) {
    for (const weir_onnx_type_rule *row = weir_onnx_types_of(op); row->since != 0; row++) {
        if (row->since <= version) continue;
        if (row->unless != NULL && weir_node_int(graph, node, row->unless, 0) != 0) continue;
        const weir_value input = weir_node_input(graph, node, 0);
        if ((input.id != 0 && weir_value_type(graph, input)->dtype == row->dtype) ||
            weir_value_type(graph, weir_node_output(graph, node, 0))->dtype == row->dtype)
            return row;
    }
    return NULL;
}

static const weir_onnx_type_rule *refused_type(const weir_graph *graph, weir_node node, int64_t version) {
    const weir_onnx_type_rule *row = refused_type_of(weir_node_op(graph, node), graph, node, version);
    return row != NULL ? row : refused_type_of(WEIR_OP_NONE, graph, node, version);
}

bool weir_onnx_schema_check_types(const weir_onnx_rule *rule, const weir_graph *graph, weir_node node,
                                  const weir_onnx_opsets *opsets) {
    const weir_op op = weir_node_op(graph, node);
    if (op >= WEIR_OP_COUNT || weir_onnx_schema_domain(op) != WEIR_ONNX_DOMAIN_ONNX) return true;
    const int64_t version = version_of(rule, opsets);
    const weir_onnx_type_rule *row = refused_type(graph, node, version);
    if (row == NULL) return true;
    if (row->since == WEIR_ONNX_NEVER)
        weir_node_fail(graph, node, "does not accept %s in ONNX: put a Cast before it", weir_dtype_name(row->dtype));
    else
        weir_node_fail(graph, node, "element type %s needs opset %d, the model imports opset %lld",
                       weir_dtype_name(row->dtype), row->since, (long long)version);
    return false;
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

static bool has_word(const weir_onnx_word *words, const char *text) {
    while (words->from != NULL && strcmp(words->to, text) != 0) words++;
    return words->from != NULL;
}

bool weir_onnx_schema_allows(const weir_graph *graph, weir_node node, int64_t version) {
    const weir_op_info *info = weir_node_info(graph, node);
    const weir_onnx_rule *rule = NULL;
    if (weir_node_op(graph, node) >= WEIR_OP_COUNT) return true;
    for (const weir_onnx_rule *row = NULL; (row = weir_onnx_rule_next(row)) != NULL;) {
        if (row->op == weir_node_op(graph, node) && row->domain == weir_onnx_schema_domain(row->op) &&
            strcmp(row->name, info->name) == 0 && row->since <= version)
            rule = row;
    }
    size_t inputs = weir_node_input_count(graph, node);
    while (inputs > 0 && weir_onnx_schema_attribute_of_input(weir_node_op(graph, node), inputs - 1) != NULL) inputs--;
    if (rule == NULL || inputs < (size_t)rule->inputs_min) return false;
    if (rule->inputs_max != 0 && inputs > (size_t)rule->inputs_max) return false;
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++) {
        const weir_attribute *attribute = weir_node_attribute_at(graph, node, i);
        const weir_onnx_attribute_rule *later, *row = effective(rule, attribute->name, version, &later);
        if (row == NULL || row->input != WEIR_ONNX_STAYS || row->kind == WEIR_ONNX_REMOVED) return false;
        if ((row->kind == WEIR_ONNX_INT || row->kind == WEIR_ONNX_NUMBER) &&
            (attribute->as.i < row->low || attribute->as.i > row->high))
            return false;
        if (row->words != NULL && !has_word(row->words, attribute->as.s)) return false;
    }
    return refused_type(graph, node, version) == NULL && allows_scales(graph, node, rule);
}

const char *weir_onnx_schema_word(weir_op op, const char *name, const char *text) {
    const weir_onnx_attribute_rule *later, *row = effective(&(weir_onnx_rule){.op = op}, name, INT64_MAX, &later);
    for (size_t i = 0; row != NULL && row->words != NULL && row->words[i].from != NULL; i++) {
        if (strcmp(row->words[i].to, text) == 0) return row->words[i].from;
    }
    return text;
}

bool weir_onnx_schema_is_dtype(weir_op op, const char *name, const char *text, weir_dtype *dtype) {
    const weir_onnx_attribute_rule *later, *row = effective(&(weir_onnx_rule){.op = op}, name, INT64_MAX, &later);
    return row != NULL && row->kind == WEIR_ONNX_DTYPE && weir_dtype_parse(text, dtype);
}

const char *weir_onnx_schema_attribute_of_input(weir_op op, size_t index) {
    const weir_onnx_rule rule = {.op = op};
    for (const weir_onnx_attribute_rule *later, *row = NULL; (row = weir_onnx_schema_next(&rule, row)) != NULL;) {
        if (row->input == (int)index && index > 0 && effective(&rule, row->name, INT64_MAX, &later) == row)
            return row->name;
    }
    return NULL;
}

bool weir_onnx_schema_is_ints(weir_op op, const char *name) {
    const weir_onnx_attribute_rule *later, *row = effective(&(weir_onnx_rule){.op = op}, name, INT64_MAX, &later);
    return row != NULL && row->kind == WEIR_ONNX_INTS;
}
