/* What the expressions of the text form mean. Operands come before their operators in a tree, so one pass over it makes
 * everything that has a width; a number without one, and what is only made of such numbers, waits for its neighbour.
 * Linear, without recursion. */
#include <stdlib.h>

#include "rtlir/text/text_parser_private.h"
#include "rtlir/text/words_private.h"
#include "support/text/unreachable.h"

static const weir_rtl_expr none = {0};

static rtl_node *node_of(const rtl_scan *s, uint32_t i) { return &s->tree.node[i]; }

static weir_rtl_expr expr_of(const rtl_scan *s, uint32_t i) { return (weir_rtl_expr){s->tree.node[i].expr}; }

/* ---- numbers without a width ---- */

/* Says which number of the subtree has no width, or that 'z has none. */
static bool fail_width(rtl_scan *s, uint32_t root) {
    uint32_t i = node_of(s, root)->first;
    while (i < root && node_of(s, i)->kind != RTL_NODE_NUMBER && node_of(s, i)->kind != RTL_NODE_HIGH_Z) i++;
    const rtl_node *number = node_of(s, i);
    int size = number->size > 40 ? 40 : (int)number->size;
    if (!s->failed && number->kind == RTL_NODE_HIGH_Z)
        rtl_error(
            s->design, weir_at(s->file, number->line),
            "'z is not allowed here: expected it as a branch of 'CONDITION ? VALUE : 'z', assigned as a whole to an "
            "inout port or a wire");
    else if (!s->failed)
        rtl_error(s->design, weir_at(s->file, number->line),
                  "the width of '%s%.*s' is not known here; write WIDTH'd%.*s", number->is_negative ? "-" : "", size,
                  number->text, size, number->text);
    s->failed = true;
    return false;
}

/* Which operands of a flexible node are as wide as it is. */
static bool is_like(const rtl_node *node, int operand) {
    if (node->kind == RTL_NODE_CONDITIONAL) return operand > 0;
    return operand == 0 || (operand == 1 && node->kind == RTL_NODE_BINARY && rtl_operators[node->op].rule == RTL_SAME);
}

/* A number that is as wide as a formula says must fit whatever the parameters are, so it is not negative. */
static weir_rtl_expr build_number(rtl_scan *s, const rtl_node *node) {
    int64_t value = 0;
    if (!node->formula) return rtl_number_constant(s, node, node->width, node->is_signed);
    if (!rtl_tree_integer(s, (uint32_t)(node - s->tree.node), &value)) return none;
    if (value < 0) {
        rtl_scan_fail(s, "a number that is not negative before this, where a width depends on parameters");
        return none;
    }
    const rtl_size width = {node->width, node->formula};
    return rtl_in_base(s->design, rtl_sized_constant(s->design, width, node->is_signed, (uint64_t)value, 0),
                       RTL_BASE_DECIMAL);
}

static weir_rtl_expr build_flexible(rtl_scan *s, const rtl_node *node) {
    weir_rtl_design *design = s->design;
    switch (node->kind) {
    case RTL_NODE_NUMBER: return build_number(s, node);
    case RTL_NODE_HIGH_Z: return rtl_high_z(design, (rtl_size){node->width, node->formula}, node->is_signed);
    case RTL_NODE_UNARY: return weir_rtl_unary(design, node->op, expr_of(s, node->a));
    case RTL_NODE_BINARY: return weir_rtl_binary(design, node->op, expr_of(s, node->a), expr_of(s, node->b));
    case RTL_NODE_CONDITIONAL:
        return weir_rtl_conditional(design, expr_of(s, node->a), expr_of(s, node->b), expr_of(s, node->c));
    default: weir_unreachable("a flexible node that has a width of its own");
    }
}

/* Gives a flexible subtree its width. */
static bool size_by(rtl_scan *s, uint32_t root, rtl_size width, bool is_signed) {
    uint32_t first = node_of(s, root)->first;
    node_of(s, root)->width = (uint32_t)width.number;
    node_of(s, root)->formula = width.formula;
    node_of(s, root)->is_signed = is_signed;
    for (uint32_t i = root + 1; i-- > first;) {
        const rtl_node *node = node_of(s, i);
        if (!node->is_flexible) {
            i = node->first;
            continue;
        }
        const uint32_t operand[3] = {node->a, node->b, node->c};
        const bool is_leaf = node->kind == RTL_NODE_NUMBER || node->kind == RTL_NODE_HIGH_Z;
        for (int o = 0; !is_leaf && o < 3; o++) {
            if (!is_like(node, o)) continue;
            node_of(s, operand[o])->width = (uint32_t)width.number;
            node_of(s, operand[o])->formula = width.formula;
            node_of(s, operand[o])->is_signed = is_signed;
        }
    }
    for (uint32_t i = first; i <= root && !s->failed; i++) {
        rtl_node *node = node_of(s, i);
        if (!node->is_flexible) continue;
        node->expr = build_flexible(s, node).id;
        node->is_flexible = false;
        if (!node->expr) s->failed = true;
    }
    return !s->failed;
}

static bool size_to(rtl_scan *s, uint32_t root, uint32_t width, bool is_signed) {
    return size_by(s, root, (rtl_size){.number = width}, is_signed);
}

static bool size_like(rtl_scan *s, uint32_t i, uint32_t like) {
    const uint32_t e = node_of(s, like)->expr;
    return !node_of(s, i)->is_flexible || size_by(s, i, rtl_width_of(s->design, e), s->design->expr[e].is_signed);
}

static bool size_bit(rtl_scan *s, uint32_t i) { return !node_of(s, i)->is_flexible || size_to(s, i, 1, false); }

/* Where any width does: as many bits as the number has. */
static bool size_least(rtl_scan *s, uint32_t i) {
    if (!node_of(s, i)->is_flexible) return true;
    int64_t value = 0;
    if (node_of(s, i)->kind != RTL_NODE_NUMBER) return fail_width(s, i);
    if (!rtl_tree_integer(s, i, &value)) return false;
    uint32_t bits = 1;
    while (bits < 63 && value >> bits) bits++;
    return size_to(s, i, bits, false);
}

/* ---- names ---- */

/* What a name means: an argument or variable of the function, else something of the module. */
static rtl_name look_up(const rtl_scan *s, const char *name) {
    rtl_name entry = {RTL_NAME_NONE, 0};
    if (s->function) entry = rtl_names_find(s->design, RTL_FUNCTION_SCOPE | s->function, name);
    return entry.id ? entry : rtl_names_find(s->design, s->module, name);
}

static weir_rtl_expr build_name(rtl_scan *s, const rtl_node *node) {
    rtl_name entry = look_up(s, node->text);
    switch (entry.kind) {
    case RTL_NAME_VAR: return weir_rtl_read(s->design, (weir_rtl_var){entry.id});
    case RTL_NAME_PARAMETER: return weir_rtl_read_parameter(s->design, (weir_rtl_parameter){entry.id});
    case RTL_NAME_NONE: rtl_scan_fail_name(s, "unknown name", node->text); return none;
    default:
        rtl_scan_fail_name(s,
                           entry.kind == RTL_NAME_FUNCTION ? "expected '(' and arguments after function"
                                                           : "expected a part of it after the name of",
                           node->text);
        return none;
    }
}

/* What a node names that is no value: an instance, a group, a group of an instance. */
static rtl_group_ref scope_of(const rtl_scan *s, uint32_t i) {
    const rtl_node *node = node_of(s, i);
    rtl_group_ref ref = {0, 0};
    rtl_name entry = {RTL_NAME_NONE, 0};
    if (node->kind == RTL_NODE_NAME) {
        entry = look_up(s, node->text);
    } else if (node->kind == RTL_NODE_FIELD && node_of(s, node->a)->kind == RTL_NODE_NAME) {
        rtl_name from = look_up(s, node_of(s, node->a)->text);
        if (from.kind != RTL_NAME_INSTANCE) return ref;
        entry = rtl_names_find(s->design, s->design->instance[from.id].module, node->text);
        if (entry.kind == RTL_NAME_GROUP) ref.instance = from.id;
        else entry.kind = RTL_NAME_NONE;
    }
    if (entry.kind == RTL_NAME_INSTANCE) ref.instance = entry.id;
    if (entry.kind == RTL_NAME_GROUP) ref.group = entry.id;
    return ref;
}

/* Is it such a name, with the parts that follow it? */
static bool is_scope(const rtl_scan *s, uint32_t i) {
    if (i + 1 >= s->tree.nodes || node_of(s, i + 1)->kind != RTL_NODE_FIELD) return false;
    rtl_group_ref ref = scope_of(s, i);
    return ref.group || ref.instance;
}

/* `struct.field`, or `instance.port`, `group.field` and `instance.group.field`, whose first part is no value. */
static weir_rtl_expr build_named_field(rtl_scan *s, const rtl_node *node) {
    weir_rtl_design *design = s->design;
    const rtl_node *from = node_of(s, node->a);
    if (from->expr) return weir_rtl_field(design, (weir_rtl_expr){from->expr}, node->text);
    rtl_group_ref ref = scope_of(s, node->a);
    weir_rtl_instance instance = {ref.instance};
    uint32_t module = design->instance[instance.id].module;
    if (!ref.group && rtl_names_find(design, module, node->text).kind == RTL_NAME_GROUP)
        return rtl_scan_fail_name(s, "expected a field after the name of group", node->text), none;
    if (!ref.group) return weir_rtl_read_port(design, instance, node->text);
    weir_rtl_var var = weir_rtl_group_var(design, (weir_rtl_group){ref.group}, node->text);
    return instance.id ? weir_rtl_port_of(design, instance, var) : weir_rtl_read(design, var);
}

/* What could not be read may have had the field. */
static weir_rtl_expr build_field(rtl_scan *s, const rtl_node *node) {
    weir_rtl_design *design = s->design;
    bool was_muted = design->is_muted;
    design->is_muted = was_muted || rtl_scan_is_suspect(s, node->text);
    weir_rtl_expr expr = build_named_field(s, node);
    design->is_muted = was_muted;
    return expr;
}

/* ---- parts ---- */

static bool part_size(rtl_scan *s, uint32_t i, rtl_size *size) {
    if (!rtl_tree_size(s, i, size)) return false;
    if (size->number >= 0 && size->number <= WEIR_RTL_MAX_ELEMENTS) return true;
    rtl_error(s->design, s->design->location, "%lld is not an index or a width", (long long)size->number);
    s->failed = true;
    return false;
}

/* A formula as an expression that computes it, of 32 bits. Recursion is bounded by the depth of formulas. */
static weir_rtl_expr compute(rtl_scan *s, uint32_t formula) {
    assert(formula < s->design->formula_count);
    const rtl_formula f = s->design->formula[formula];
    switch (f.kind) {
    case RTL_FORMULA_PARAMETER: return weir_rtl_read_parameter(s->design, (weir_rtl_parameter){f.a});
    case RTL_FORMULA_VALUE: return weir_rtl_constant_signed(s->design, 32, f.value.integer);
    case RTL_FORMULA_BINARY: return weir_rtl_binary(s->design, f.op, compute(s, f.a), compute(s, f.b));
    default: rtl_scan_fail(s, "sums and products of parameters as the index of an element before this"); return none;
    }
}

static weir_rtl_expr build_index(rtl_scan *s, const rtl_node *node) {
    weir_rtl_design *design = s->design;
    weir_rtl_expr value = expr_of(s, node->a);
    const rtl_type *type = &design->type[rtl_type_of(design, value.id)];
    bool is_array = type->kind >= WEIR_RTL_TYPE_ARRAY;
    if (node_of(s, node->b)->is_number) {
        rtl_size index;
        if (!part_size(s, node->b, &index)) return none;
        if (!is_array) return rtl_slice(design, value, index, (rtl_size){.number = 1});
        return index.formula ? weir_rtl_element(design, value, compute(s, index.formula))
                             : weir_rtl_element_at(design, value, (uint32_t)index.number);
    }
    uint32_t bits = rtl_index_bits(is_array ? type->count : weir_rtl_width(design, value));
    if (node_of(s, node->b)->is_flexible && !size_to(s, node->b, bits, false)) return none;
    weir_rtl_expr index = expr_of(s, node->b);
    return is_array ? weir_rtl_element(design, value, index) : weir_rtl_select(design, value, index, 1);
}

static weir_rtl_expr build_range(rtl_scan *s, const rtl_node *node) {
    weir_rtl_design *design = s->design;
    rtl_size high, low;
    if (!part_size(s, node->b, &high) || !part_size(s, node->c, &low)) return none;
    weir_rtl_expr value = expr_of(s, node->a);
    bool is_array = design->type[rtl_type_of(design, value.id)].kind >= WEIR_RTL_TYPE_ARRAY;
    if (is_array && high.number == low.number && !high.formula && !low.formula)
        return weir_rtl_element_at(design, value, (uint32_t)high.number);
    rtl_size above = rtl_size_apply(design, WEIR_RTL_ADD, high, (rtl_size){.number = 1});
    return rtl_slice(design, value, low, rtl_size_apply(design, WEIR_RTL_SUBTRACT, above, low));
}

static weir_rtl_expr build_select(rtl_scan *s, const rtl_node *node) {
    rtl_size width;
    weir_rtl_expr value = expr_of(s, node->a);
    if (!part_size(s, node->c, &width)) return none;
    if (node_of(s, node->b)->is_flexible &&
        !size_to(s, node->b, rtl_index_bits(weir_rtl_width(s->design, value)), false))
        return none;
    return rtl_select(s->design, value, expr_of(s, node->b), width);
}

/* The module's local parameter for the value of casts, a new one if it has none; `formula` as it is written, and in
 * normal form. */
static uint32_t local_of(rtl_scan *s, uint32_t formula, uint32_t normal) {
    weir_rtl_design *design = s->design;
    for (size_t i = 0; i < design->module[s->module].parameters.count; i++) {
        const uint32_t local = design->module[s->module].parameters.id[i];
        if (!design->parameter[local].is_made) continue;
        if (rtl_same_formula(design, rtl_normalize(design, design->parameter[local].formula), normal)) return local;
    }
    const char *name = weir_rtl_free_name(design, (weir_rtl_module){s->module}, "value");
    const uint32_t made = rtl_new_parameter(design, s->module, name, formula, true);
    design->parameter[made].is_made = true;
    return made;
}

/* The low bits of a parameter, a formula of some, a number, or a variable. */
static weir_rtl_expr build_bits(rtl_scan *s, rtl_size width, uint32_t root) {
    const rtl_node *value = node_of(s, root);
    rtl_size size;
    if (!value->is_number) {
        const weir_rtl_expr whole = expr_of(s, root);
        if (!whole.id) return rtl_scan_fail(s, "a variable, a parameter or a formula in the parentheses"), none;
        return rtl_slice(s->design, whole, (rtl_size){0}, width);
    }
    if (value->kind == RTL_NODE_NAME) {
        const uint32_t parameter = rtl_names_find(s->design, s->module, value->text).id;
        return rtl_sized_constant(s->design, width, false, 0, parameter);
    }
    if (!rtl_tree_size(s, root, &size)) return none;
    if (!size.formula && size.number < 0)
        return rtl_scan_fail(s, "a number that is not negative in the parentheses"), none;
    if (!size.formula) return rtl_sized_constant(s->design, width, false, (uint64_t)size.number, 0);
    return rtl_sized_constant(s->design, width, false, 0, local_of(s, value->expr, size.formula));
}

/* A constant whose width is a formula, or so many bits of something. */
static weir_rtl_expr build_sized(rtl_scan *s, const rtl_node *node) {
    rtl_size width;
    if (!rtl_tree_size(s, node->a, &width)) return none;
    if (node->b) return build_bits(s, width, node->b);
    return rtl_in_base(s->design, rtl_sized_constant(s->design, width, node->is_signed, node->size, 0), node->base);
}

/* ---- operators ---- */

static weir_rtl_expr build_unary(rtl_scan *s, rtl_node *node) {
    rtl_node *value = node_of(s, node->a);
    if (value->is_flexible && rtl_operators[node->op].rule == RTL_SAME) {
        node->is_flexible = true;
        return none;
    }
    if (value->is_flexible && rtl_operators[node->op].rule != RTL_LOGICAL) return fail_width(s, node->a), none;
    return size_bit(s, node->a) ? weir_rtl_unary(s->design, node->op, expr_of(s, node->a)) : none;
}

static weir_rtl_expr build_binary(rtl_scan *s, rtl_node *node) {
    bool left = node_of(s, node->a)->is_flexible, right = node_of(s, node->b)->is_flexible;
    switch (rtl_operators[node->op].rule) {
    case RTL_LOGICAL:
        if (!size_bit(s, node->a) || !size_bit(s, node->b)) return none;
        break;
    case RTL_SHIFT:
        if (!size_least(s, node->b)) return none;
        node->is_flexible = left;
        break;
    default:
        if (left && right && rtl_operators[node->op].rule == RTL_COMPARE) return fail_width(s, node->a), none;
        node->is_flexible = left && right;
        if (left && !right && !size_like(s, node->a, node->b)) return none;
        if (right && !left && !size_like(s, node->b, node->a)) return none;
        break;
    }
    if (node->is_flexible) return none;
    return weir_rtl_binary(s->design, node->op, expr_of(s, node->a), expr_of(s, node->b));
}

static weir_rtl_expr build_conditional(rtl_scan *s, rtl_node *node) {
    if (!size_bit(s, node->a)) return none;
    bool yes = node_of(s, node->b)->is_flexible, no = node_of(s, node->c)->is_flexible;
    node->is_flexible = yes && no;
    if (node->is_flexible) return none;
    if ((yes && !size_like(s, node->b, node->c)) || (no && !size_like(s, node->c, node->b))) return none;
    return weir_rtl_conditional(s->design, expr_of(s, node->a), expr_of(s, node->b), expr_of(s, node->c));
}

static weir_rtl_expr build_cast(rtl_scan *s, const rtl_node *node) {
    weir_rtl_expr value = expr_of(s, node->a);
    if (strcmp(node->text, "signed") == 0) return weir_rtl_as_signed(s->design, value);
    if (strcmp(node->text, "unsigned") == 0) return weir_rtl_as_unsigned(s->design, value);
    size_t kind = 0;
    while (strcmp(rtl_kind_words[kind], node->text) != 0) kind++;
    return size_bit(s, node->a) ? weir_rtl_as(s->design, expr_of(s, node->a), (weir_rtl_kind)kind) : none;
}

static weir_rtl_expr build_list(rtl_scan *s, const rtl_node *node) {
    rtl_name function = {RTL_NAME_NONE, 0};
    if (node->kind == RTL_NODE_CALL) {
        function = look_up(s, node->text);
        if (function.kind != RTL_NAME_FUNCTION) return rtl_scan_fail_name(s, "unknown function", node->text), none;
    }
    weir_rtl_expr *part = weir_calloc(node->b + 1, sizeof *part);
    for (uint32_t i = 0; i < node->b && !s->failed; i++) {
        uint32_t operand = s->tree.list[node->a + i];
        if (node_of(s, operand)->is_flexible) {
            const rtl_function *f = &s->design->function[function.id];
            bool has_width = function.id && i < f->arguments.count;
            const rtl_var *var = &s->design->var[has_width ? f->arguments.id[i] : 0];
            const rtl_size width = {var->width, var->formula};
            if (has_width ? !size_by(s, operand, width, var->is_signed) : !fail_width(s, operand)) break;
        }
        part[i] = expr_of(s, operand);
    }
    weir_rtl_expr expr = none;
    if (!s->failed)
        expr = function.id ? weir_rtl_call(s->design, (weir_rtl_function){function.id}, node->b, part)
                           : weir_rtl_concat(s->design, node->b, part);
    free(part);
    return expr;
}

static weir_rtl_expr build_repeat(rtl_scan *s, const rtl_node *node) {
    rtl_size count;
    return rtl_tree_size(s, node->a, &count) ? rtl_repeat(s->design, count, expr_of(s, node->b)) : none;
}

static weir_rtl_expr build(rtl_scan *s, rtl_node *node) {
    switch (node->kind) {
    case RTL_NODE_NUMBER:
    case RTL_NODE_HIGH_Z: node->is_flexible = true; return none;
    case RTL_NODE_VALUE: return (weir_rtl_expr){node->expr};
    case RTL_NODE_NAME: return build_name(s, node);
    case RTL_NODE_FIELD: return build_field(s, node);
    case RTL_NODE_INDEX: return build_index(s, node);
    case RTL_NODE_RANGE: return build_range(s, node);
    case RTL_NODE_SELECT: return build_select(s, node);
    case RTL_NODE_CALL:
    case RTL_NODE_CONCAT: return build_list(s, node);
    case RTL_NODE_REPEAT: return build_repeat(s, node);
    case RTL_NODE_UNARY: return build_unary(s, node);
    case RTL_NODE_BINARY: return build_binary(s, node);
    case RTL_NODE_CONDITIONAL: return build_conditional(s, node);
    case RTL_NODE_CAST: return build_cast(s, node);
    case RTL_NODE_SIZED: return build_sized(s, node);
    default: return none; /* what only formulas have is not read */
    }
}

/* Which operand of a node must have a width of its own. */
static bool check_operand(rtl_scan *s, const rtl_node *node) {
    bool is_part = node->kind >= RTL_NODE_FIELD && node->kind <= RTL_NODE_SELECT;
    bool is_cast = node->kind == RTL_NODE_CAST && (*node->text == 's' || *node->text == 'u');
    uint32_t operand = node->kind == RTL_NODE_REPEAT ? node->b : node->a;
    bool needs = is_part || is_cast || node->kind == RTL_NODE_REPEAT;
    return !needs || !node_of(s, operand)->is_flexible || fail_width(s, operand);
}

static bool build_all(rtl_scan *s) {
    int line = s->design->location.line;
    for (uint32_t i = 0; i < s->tree.nodes && !s->failed; i++) {
        rtl_node *node = node_of(s, i);
        if (node->is_number || is_scope(s, i)) continue;
        s->design->location.line = node->line;
        if (!check_operand(s, node)) break;
        node->expr = build(s, node).id;
        if (!node->expr && !node->is_flexible) s->failed = true; /* its constructor has said why */
    }
    s->design->location.line = line;
    return !s->failed;
}

/* ---- entry points ---- */

weir_rtl_expr rtl_scan_expr_by(rtl_scan *s, rtl_size width, bool is_signed) {
    if (!rtl_read_tree(s, RTL_TREE_EXPR) || !build_all(s)) return none;
    uint32_t root = (uint32_t)s->tree.nodes - 1;
    if (node_of(s, root)->is_flexible && !(width.number ? size_by(s, root, width, is_signed) : fail_width(s, root)))
        return none;
    return expr_of(s, root);
}

weir_rtl_expr rtl_scan_expr_as(rtl_scan *s, uint32_t width, bool is_signed) {
    return rtl_scan_expr_by(s, (rtl_size){.number = width}, is_signed);
}

weir_rtl_expr rtl_scan_expr(rtl_scan *s) { return rtl_scan_expr_as(s, 0, false); }

weir_rtl_expr rtl_scan_expr_like(rtl_scan *s, weir_rtl_expr like) {
    return rtl_scan_expr_by(s, rtl_width_of(s->design, like.id), s->design->expr[like.id].is_signed);
}

weir_rtl_expr rtl_scan_target(rtl_scan *s) {
    if (!rtl_read_tree(s, RTL_TREE_TARGET) || !build_all(s)) return none;
    uint32_t root = (uint32_t)s->tree.nodes - 1;
    return node_of(s, root)->is_flexible && !fail_width(s, root) ? none : expr_of(s, root);
}

uint32_t rtl_scan_var(rtl_scan *s) {
    const char *name = rtl_scan_name(s);
    rtl_name entry = name ? rtl_names_find(s->design, s->module, name) : (rtl_name){RTL_NAME_NONE, 0};
    if (name && entry.kind != RTL_NAME_VAR) rtl_scan_fail_name(s, "unknown variable", name);
    return entry.kind == RTL_NAME_VAR ? entry.id : 0;
}
