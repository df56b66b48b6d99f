/* The tables of onnx_table.h as a page: what holds is asked opset by opset, as the importer asks it. */
#include "frontend/import/onnx.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_schema.h"
#include "support/memory/arena.h"
#include "support/text/table.h"

typedef struct span {
    int first, last; /* opsets; 0: none */
} span;

static void widen(span *opsets, int version) {
    if (opsets->first == 0) opsets->first = version;
    opsets->last = version;
}

/* Versions of a domain that are read. */
static span known(weir_onnx_domain domain) {
    span versions;
    weir_onnx_schema_versions(domain, &versions.first, &versions.last);
    return versions;
}

/* The rule that a node of this name has in a version of its domain, or NULL. */
static const weir_onnx_rule *rule_at(const weir_onnx_rule *named, int version) {
    const weir_onnx_rule *found = NULL;
    for (const weir_onnx_rule *rule = NULL; (rule = weir_onnx_rule_next(rule)) != NULL;) {
        if (rule->domain == named->domain && strcmp(rule->name, named->name) == 0 && rule->since <= version)
            found = rule;
    }
    return found == NULL || found->is_gone ? NULL : found;
}

/* The row of an attribute in a version of the operator's domain, or NULL. */
static const weir_onnx_attribute_rule *attribute_at(const weir_onnx_rule *rule, const char *name, int version) {
    const weir_onnx_attribute_rule *found = NULL;
    if (rule == NULL) return NULL;
    for (const weir_onnx_attribute_rule *row = NULL; (row = weir_onnx_schema_next(rule, row)) != NULL;)
        if (strcmp(row->name, name) == 0 && row->since <= (rule->opset != 0 ? rule->opset : version)) found = row;
    return found == NULL || found->kind == WEIR_ONNX_REMOVED ? NULL : found;
}

/* Adds " (from 11)", " (until 9)", " (11 to 17)", or nothing where the opsets are all of those. */
static void add_opsets(weir_text *text, span opsets, span all) {
    if (opsets.first > all.first && opsets.last < all.last)
        weir_text_format(text, " (%d to %d)", opsets.first, opsets.last);
    else if (opsets.first > all.first) weir_text_format(text, " (from %d)", opsets.first);
    else if (opsets.last < all.last) weir_text_format(text, " (until %d)", opsets.last);
}

static void add_attribute(weir_text *text, const weir_onnx_rule *named, const char *name, span all) {
    const span versions = known(named->domain);
    const weir_onnx_attribute_rule *row = NULL;
    span opsets = {0, 0};
    for (int version = versions.first; version <= versions.last; version++) {
        const weir_onnx_attribute_rule *here = attribute_at(rule_at(named, version), name, version);
        if (here == NULL) continue;
        row = here;
        widen(&opsets, version);
    }
    if (row == NULL) return;
    weir_text_format(text, "%s%s", text->size == 0 ? "" : ", ", name);
    add_opsets(text, opsets, all);
    if (row->kind == WEIR_ONNX_REFUSED) weir_text_add(text, " (refused)");
}

static void add_attributes(weir_text *text, const weir_onnx_rule *named, span all) {
    for (const weir_onnx_attribute_rule *row = NULL; (row = weir_onnx_schema_next(named, row)) != NULL;) {
        const weir_onnx_attribute_rule *first = weir_onnx_schema_next(named, NULL);
        while (strcmp(first->name, row->name) != 0) first = weir_onnx_schema_next(named, first);
        if (first == row) add_attribute(text, named, row->name, all);
    }
}

/* What the file's operator is in the graph, where its name does not say it. */
static const char *becomes(const weir_onnx_rule *rule) {
    if (rule->op == WEIR_OP_NONE) return rule->composed != NULL ? "the nodes of a branch" : "a constant";
    return strcmp(weir_op_get(rule->op)->name, rule->name) == 0 ? "" : weir_op_get(rule->op)->name;
}

static void add_operator(weir_table *table, const weir_onnx_rule *named) {
    const span versions = known(named->domain);
    span all = {0, 0};
    for (int version = versions.first; version <= versions.last; version++)
        if (rule_at(named, version) != NULL) widen(&all, version);
    weir_text name = {NULL, 0, 0}, attributes = {NULL, 0, 0};
    const char *domain = weir_onnx_schema_spelling(named->domain);
    weir_text_format(&name, "%s%s%s", domain, *domain == '\0' ? "" : ".", named->name);
    add_opsets(&name, all, versions);
    add_attributes(&attributes, named, all);
    weir_table_take(table, &name);
    weir_table_take(table, &attributes);
    weir_table_add(table, becomes(named));
}

void weir_onnx_listing(weir_text *text) {
    static const char *const headers[] = {"operators", "attributes", "becomes"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (const weir_onnx_rule *rule = NULL; (rule = weir_onnx_rule_next(rule)) != NULL;) {
        const weir_onnx_rule *first = weir_onnx_rule_next(NULL);
        while (first->domain != rule->domain || strcmp(first->name, rule->name) != 0)
            first = weir_onnx_rule_next(first);
        if (first == rule) add_operator(table, rule);
    }
    weir_table_print_groups(table, text);
    weir_table_free(table);
}

int weir_onnx_since(weir_op op) {
    int since = 0;
    for (const weir_onnx_rule *rule = NULL; (rule = weir_onnx_rule_next(rule)) != NULL;) {
        if (rule->op == op && rule->opset == 0 && (since == 0 || rule->since < since)) since = rule->since;
    }
    return since;
}
