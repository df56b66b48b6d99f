/* Formulas of the text form: expressions over parameters, and numbers that are known while the text is read. */
#include <stdlib.h>

#include "rtlir/text/text_scan_private.h"

/* Digits as an integer. */
static bool number_value(rtl_scan *s, const rtl_node *node, int64_t *value) {
    uint64_t magnitude = 0, most = (uint64_t)INT64_MAX + node->is_negative;
    for (size_t i = 0; i < node->size; i++) {
        if (node->text[i] == '_') continue;
        uint64_t digit = (uint64_t)(node->text[i] - '0');
        if (magnitude > (most - digit) / 10) return rtl_scan_fail(s, "a smaller number before this");
        magnitude = magnitude * 10 + digit;
    }
    *value = node->is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static uint32_t find_parameter(rtl_scan *s, const char *name) {
    rtl_name entry = rtl_names_find(s->design, s->module, name);
    if (entry.kind != RTL_NAME_PARAMETER) rtl_scan_fail_name(s, "unknown parameter", name);
    return entry.kind == RTL_NAME_PARAMETER ? entry.id : 0;
}

/* ---- formulas ---- */

static bool make_operation(rtl_scan *s, const rtl_node *node, rtl_formula *f) {
    const rtl_tree *t = &s->tree;
    uint32_t operand[3] = {node->a, node->b, node->c};
    int count = node->kind == RTL_NODE_UNARY ? 1 : node->kind == RTL_NODE_BINARY ? 2 : 3;
    f->kind = node->kind == RTL_NODE_UNARY    ? RTL_FORMULA_UNARY
              : node->kind == RTL_NODE_BINARY ? RTL_FORMULA_BINARY
                                              : RTL_FORMULA_CONDITIONAL;
    f->op = node->op;
    if (node->kind == RTL_NODE_CALL) {
        if (strcmp(node->text, "clog2") != 0 || node->b != 1)
            return rtl_scan_fail_name(s, "a formula knows 'clog2' of one value, not", node->text);
        operand[0] = t->list[node->a];
        count = 1;
        f->kind = RTL_FORMULA_CLOG2;
    }
    uint32_t id[3] = {0};
    for (int i = 0; i < count; i++) {
        id[i] = t->node[operand[i]].expr;
        if (s->design->formula[id[i]].depth >= f->depth) f->depth = s->design->formula[id[i]].depth + 1;
    }
    if (f->depth > RTL_MAX_DEPTH) return rtl_scan_fail_depth(s, "operators of a formula");
    f->a = id[0];
    f->b = id[1];
    f->c = id[2];
    return true;
}

static bool make_formula(rtl_scan *s, const rtl_node *node, rtl_formula *f) {
    switch (node->kind) {
    case RTL_NODE_NUMBER: f->value.kind = RTL_VALUE_INTEGER; return number_value(s, node, &f->value.integer);
    case RTL_NODE_STRING: f->value = (rtl_value){.kind = RTL_VALUE_STRING, .text = node->text}; return true;
    case RTL_NODE_OPAQUE: f->value.kind = RTL_VALUE_OPAQUE; return true;
    case RTL_NODE_NAME:
        f->kind = RTL_FORMULA_PARAMETER;
        f->a = find_parameter(s, node->text);
        return f->a != 0;
    case RTL_NODE_UNARY:
    case RTL_NODE_BINARY:
    case RTL_NODE_CONDITIONAL:
    case RTL_NODE_CALL: return make_operation(s, node, f);
    default: return rtl_scan_fail(s, "a formula before this");
    }
}

static uint32_t scan(rtl_scan *s, rtl_tree_mode mode) {
    if (!rtl_read_tree(s, mode)) return 0;
    rtl_tree *t = &s->tree;
    for (size_t i = 0; i < t->nodes; i++) {
        rtl_formula f = {.kind = RTL_FORMULA_VALUE};
        if (!make_formula(s, &t->node[i], &f)) return 0;
        t->node[i].expr = RTL_APPEND(s->design, formula);
        s->design->formula[t->node[i].expr] = f;
    }
    return t->node[t->nodes - 1].expr;
}

uint32_t rtl_scan_formula(rtl_scan *s) { return scan(s, RTL_TREE_FORMULA); }

uint32_t rtl_scan_operand(rtl_scan *s) { return scan(s, RTL_TREE_OPERAND); }

/* ---- numbers ---- */

/* The value of a local parameter; one that instances may override, or that depends on such a one, has none here. */
static bool parameter_value(rtl_scan *s, const char *name, rtl_value *value, const char **problem) {
    const weir_rtl_design *design = s->design;
    uint32_t id = find_parameter(s, name);
    if (!id) return false;
    const rtl_ids *ids = &design->module[s->module].parameters;
    rtl_value *values = weir_calloc(design->module[s->module].parameter_slots + 1, sizeof *values);
    const char *ignored = NULL;
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_parameter *parameter = &design->parameter[ids->id[i]];
        if (parameter->is_local) values[parameter->slot] = rtl_evaluate(design, parameter->formula, values, &ignored);
    }
    *value = values[design->parameter[id].slot];
    if (value->kind != RTL_VALUE_INTEGER) *problem = "a parameter has no fixed integer value";
    free(values);
    return true;
}

/* Node `i`, its operands being known; values by node. False after an error; what has no value is none, for *problem. */
static bool node_value(rtl_scan *s, uint32_t i, rtl_value *values, uint32_t first, const char **problem) {
    const rtl_node *node = &s->tree.node[i];
    rtl_value *value = &values[i - first];
    switch (node->kind) {
    case RTL_NODE_NUMBER: value->kind = RTL_VALUE_INTEGER; return number_value(s, node, &value->integer);
    case RTL_NODE_NAME: return parameter_value(s, node->text, value, problem);
    case RTL_NODE_UNARY: *value = rtl_evaluate_unary(node->op, &values[node->a - first], problem); return true;
    case RTL_NODE_BINARY:
        *value = rtl_evaluate_binary(node->op, &values[node->a - first], &values[node->b - first], problem);
        return true;
    case RTL_NODE_CONDITIONAL:
        if (values[node->a - first].kind == RTL_VALUE_INTEGER)
            *value = values[(values[node->a - first].integer ? node->b : node->c) - first];
        return true;
    case RTL_NODE_CALL:
        if (strcmp(node->text, "clog2") != 0 || node->b != 1)
            return rtl_scan_fail_name(s, "a number is needed; this is a call of", node->text);
        *value = rtl_evaluate_clog2(&values[s->tree.list[node->a] - first], problem);
        return true;
    default: return rtl_scan_fail(s, "a number before this");
    }
}

bool rtl_tree_integer(rtl_scan *s, uint32_t root, int64_t *value) {
    const rtl_tree *t = &s->tree;
    uint32_t first = t->node[root].first;
    if (first == root && t->node[root].kind == RTL_NODE_NUMBER) return number_value(s, &t->node[root], value);
    rtl_value *values = weir_calloc(root - first + 1, sizeof *values);
    const char *problem = NULL;
    bool fine = true;
    for (uint32_t i = first; fine && i <= root; i++) fine = node_value(s, i, values, first, &problem);
    rtl_value result = values[root - first];
    free(values);
    *value = result.integer;
    if (fine && result.kind != RTL_VALUE_INTEGER) {
        rtl_error(s->design, s->design->location, "expected a number that is known here: %s",
                  problem ? problem : "this is not an integer");
        s->failed = true;
    }
    return !s->failed;
}

/* Does the subtree name a parameter whose value is not fixed? */
static bool is_variable(rtl_scan *s, uint32_t root) {
    for (uint32_t i = s->tree.node[root].first; i <= root && !s->failed; i++) {
        rtl_value value = {0};
        const char *problem = NULL;
        if (s->tree.node[i].kind != RTL_NODE_NAME) continue;
        if (parameter_value(s, s->tree.node[i].text, &value, &problem) && problem) return true;
    }
    return false;
}

bool rtl_tree_size(rtl_scan *s, uint32_t root, rtl_size *size) {
    rtl_tree *t = &s->tree;
    *size = (rtl_size){0};
    if (!is_variable(s, root)) {
        if (s->failed || !rtl_tree_integer(s, root, &size->number)) return false;
        if (size->number >= INT32_MIN && size->number <= INT32_MAX) return true;
        return rtl_scan_fail(s, "a number of 32 bits before this");
    }
    for (uint32_t i = t->node[root].first; i <= root; i++) {
        rtl_formula f = {.kind = RTL_FORMULA_VALUE};
        if (!make_formula(s, &t->node[i], &f)) return false;
        t->node[i].expr = RTL_APPEND(s->design, formula);
        s->design->formula[t->node[i].expr] = f;
    }
    const uint32_t formula = rtl_normalize(s->design, t->node[root].expr);
    *size = rtl_size_of(s->design, formula);
    if (formula && s->design->formula[formula].has_number) return true;
    if (formula)
        rtl_error(s->design, s->design->location, "a formula has no value of 32 bits with the default parameters");
    s->failed = true;
    return false;
}

bool rtl_scan_size(rtl_scan *s, rtl_size *size) {
    *size = (rtl_size){0};
    return rtl_read_tree(s, RTL_TREE_FORMULA) && rtl_tree_size(s, (uint32_t)s->tree.nodes - 1, size);
}

bool rtl_scan_integer(rtl_scan *s, int64_t *value) {
    *value = 0;
    return rtl_read_tree(s, RTL_TREE_FORMULA) && rtl_tree_integer(s, (uint32_t)s->tree.nodes - 1, value);
}

bool rtl_scan_count(rtl_scan *s, uint64_t most, uint64_t *value) {
    const char *start = s->at;
    int64_t integer = 0;
    *value = 0;
    if (!rtl_scan_integer(s, &integer)) return false;
    *value = (uint64_t)integer;
    if (integer >= 0 && *value <= most) return true;
    s->at = start;
    return rtl_scan_fail(s, integer < 0 ? "a number that is not negative" : "a smaller number");
}
