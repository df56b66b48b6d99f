/* Reads expressions by precedence with two stacks: of operands, and of operators and brackets that are open. So neither
 * the nesting of the text nor the length of a chain costs recursion. */
#include "rtlir/text/text_tree_private.h"

#include <stdlib.h>

#include "rtlir/text/text_scan_private.h"
#include "rtlir/text/words_private.h"

/* What may be pending; from QUESTION on it stops what is reduced. */
enum {
    UNARY,
    BINARY,
    COLON,    /* both sides of it are read */
    QUESTION, /* waits for its colon */
    PAREN,
    PREFIX, /* (op a b): formulas as they were written before they were infix */
    BRACE,
    REPEAT, /* {count{ */
    CALL,
    CAST,
    INDEX,
    RANGE,  /* [high: */
    SELECT, /* [base +: */
    SIZED   /* width'( */
};
enum { CONDITIONAL_PRECEDENCE = 1, UNARY_PRECEDENCE = 13 };

void rtl_free_tree(rtl_tree *tree) {
    free(tree->node);
    free(tree->operand);
    free(tree->list);
    free(tree->pending);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_formula(const rtl_tree *t) { return t->mode == RTL_TREE_FORMULA || t->mode == RTL_TREE_OPERAND; }

static bool next_is(const rtl_scan *s, const char *text) {
    size_t size = strlen(text);
    return (size_t)(s->end - s->at) >= size && memcmp(s->at, text, size) == 0;
}

/* ---- stacks ---- */

static rtl_pending *top(rtl_tree *t) { return t->pendings ? &t->pending[t->pendings - 1] : NULL; }

static rtl_pending *push(rtl_scan *s, int kind, weir_rtl_operator op) {
    rtl_tree *t = &s->tree;
    t->pending = weir_grow(t->pending, &t->pending_capacity, t->pendings + 1, sizeof *t->pending);
    t->pending[t->pendings] = (rtl_pending){.kind = kind, .op = op, .line = s->line};
    t->brackets += kind > QUESTION;
    return &t->pending[t->pendings++];
}

static void add_operand(rtl_tree *t, uint32_t node) {
    t->operand = weir_grow(t->operand, &t->operand_capacity, t->operands + 1, sizeof *t->operand);
    t->operand[t->operands++] = node;
}

/* A node over the last `count` operands, which it takes. */
static rtl_node *add_node(rtl_scan *s, rtl_node_kind kind, uint32_t count) {
    rtl_tree *t = &s->tree;
    t->node = weir_grow(t->node, &t->node_capacity, t->nodes + 1, sizeof *t->node);
    uint32_t id = (uint32_t)t->nodes++;
    rtl_node *node = &t->node[id];
    *node = (rtl_node){.kind = kind, .first = id, .line = s->line};
    t->operands -= count;
    const uint32_t *operand = count > 0 ? t->operand + t->operands : NULL;
    if (count > 0) {
        node->first = t->node[operand[0]].first;
        node->line = t->node[operand[0]].line;
    }
    if (kind == RTL_NODE_CALL || kind == RTL_NODE_CONCAT) {
        t->list = weir_grow(t->list, &t->list_capacity, t->lists + count + 1, sizeof *t->list);
        for (uint32_t i = 0; i < count; i++) t->list[t->lists + i] = operand[i];
        node->a = (uint32_t)t->lists;
        node->b = count;
        t->lists += count;
    } else {
        node->a = count > 0 ? operand[0] : 0;
        node->b = count > 1 ? operand[1] : 0;
        node->c = count > 2 ? operand[2] : 0;
    }
    add_operand(t, id);
    return node;
}

static uint32_t last_operand(const rtl_tree *t) { return t->operand[t->operands - 1]; }

static void mark_number(rtl_tree *t, uint32_t root) {
    for (uint32_t i = t->node[root].first; i <= root; i++) t->node[i].is_number = true;
}

static bool is_parameter(const rtl_scan *s, const char *name) {
    const bool is_hidden = s->function && rtl_names_find(s->design, RTL_FUNCTION_SCOPE | s->function, name).id;
    return !is_hidden && rtl_names_find(s->design, s->module, name).kind == RTL_NAME_PARAMETER;
}

/* Made of digits and parameters? */
static bool is_plain_number(const rtl_scan *s, uint32_t root) {
    const rtl_tree *t = &s->tree;
    for (uint32_t i = t->node[root].first; i <= root; i++) {
        rtl_node_kind kind = t->node[i].kind;
        bool is_call = kind == RTL_NODE_CALL && strcmp(t->node[i].text, "clog2") == 0;
        bool is_name = kind == RTL_NODE_NAME && is_parameter(s, t->node[i].text);
        if (kind != RTL_NODE_NUMBER && kind != RTL_NODE_UNARY && kind != RTL_NODE_BINARY &&
            kind != RTL_NODE_CONDITIONAL && !is_call && !is_name)
            return false;
    }
    return true;
}

static int precedence(const rtl_pending *p) {
    return p->kind == UNARY    ? UNARY_PRECEDENCE
           : p->kind == BINARY ? rtl_operators[p->op].precedence
                               : CONDITIONAL_PRECEDENCE;
}

/* Makes nodes of the operators on top that bind at least as tight. */
static void reduce(rtl_scan *s, int least) {
    rtl_tree *t = &s->tree;
    for (rtl_pending *p = top(t); p && p->kind < QUESTION && precedence(p) >= least; p = top(t)) {
        t->pendings--;
        rtl_node *node = p->kind == UNARY    ? add_node(s, RTL_NODE_UNARY, 1)
                         : p->kind == BINARY ? add_node(s, RTL_NODE_BINARY, 2)
                                             : add_node(s, RTL_NODE_CONDITIONAL, 3);
        node->op = p->op;
    }
}

/* ---- operators ---- */

/* The longest operator with so many operands that comes next; where both kinds share a text, either. */
static bool find_operator(const rtl_scan *s, int operands, weir_rtl_operator *op, size_t *size) {
    *size = 0;
    for (int i = 0; i < WEIR_RTL_OPERATOR_COUNT; i++) {
        if (rtl_operators[i].operands != operands || rtl_operators[i].text[0] != *s->at) continue;
        size_t length = strlen(rtl_operators[i].text);
        if (length <= *size || !next_is(s, rtl_operators[i].text)) continue;
        *size = length;
        *op = (weir_rtl_operator)i;
    }
    return *size > 0;
}

/* In a formula, "(-" and "(*" may start the old form, which what follows the first operand decides. */
static bool read_paren(rtl_scan *s) {
    size_t one = 0, two = 0;
    weir_rtl_operator unary = WEIR_RTL_OPERATOR_COUNT, binary = WEIR_RTL_OPERATOR_COUNT;
    s->at++;
    rtl_pending *p = push(s, PAREN, WEIR_RTL_OPERATOR_COUNT);
    if (!is_formula(&s->tree) || !rtl_scan_space(s)) return true;
    if (*s->at == '-' && s->end - s->at > 1 && is_digit(s->at[1])) return true;
    const char *start = s->at;
    bool is_clog2 = rtl_scan_accept_word(s, "clog2") && s->at < s->end && *s->at == ' ';
    bool is_choice = !is_clog2 && (s->at = start, *s->at == '?');
    find_operator(s, 1, &unary, &one);
    find_operator(s, 2, &binary, &two);
    if (!is_clog2 && !is_choice && one == 0 && two == 0) return true;
    p->kind = PREFIX;
    p->text = is_clog2 ? "clog2" : is_choice ? "?" : one >= two ? "-" : "*"; /* '-': with one operand or two */
    p->op = two >= one ? binary : unary;
    s->at += is_clog2 ? 0 : is_choice ? 1 : one > two ? one : two;
    return true;
}

static weir_rtl_operator as_unary(weir_rtl_operator op) {
    for (int i = 0; i < WEIR_RTL_OPERATOR_COUNT; i++)
        if (rtl_operators[i].operands == 1 && strcmp(rtl_operators[i].text, rtl_operators[op].text) == 0)
            return (weir_rtl_operator)i;
    return WEIR_RTL_OPERATOR_COUNT;
}

/* clog2 a, op a or op a b in prefix form, of all operands that were read. */
static bool close_prefix(rtl_scan *s, const rtl_pending *p) {
    rtl_node *node = NULL;
    bool is_choice = *p->text == '?', is_clog2 = *p->text == 'c';
    weir_rtl_operator unary = is_choice || is_clog2 ? WEIR_RTL_OPERATOR_COUNT : as_unary(p->op);
    if (is_clog2 && p->count == 0) {
        node = add_node(s, RTL_NODE_CALL, 1);
        node->text = weir_strings_intern(s->design->strings, p->text);
    } else if (is_choice && p->count == 2) {
        add_node(s, RTL_NODE_CONDITIONAL, 3);
    } else if (!is_choice && !is_clog2 && p->count == 1 && rtl_operators[p->op].operands == 2) {
        add_node(s, RTL_NODE_BINARY, 2)->op = p->op;
    } else if (p->count == 0 && unary != WEIR_RTL_OPERATOR_COUNT) {
        add_node(s, RTL_NODE_UNARY, 1)->op = unary;
    } else {
        return rtl_scan_fail(s, "the operator's operands");
    }
    return true;
}

/* ---- operands ---- */

static bool starts_operand(const rtl_scan *s) {
    char c = s->at < s->end ? *s->at : '\0';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '(' || c == '"' ||
           c == '$';
}

static bool read_number(rtl_scan *s) {
    bool is_negative = *s->at == '-';
    const char *start = s->at += is_negative;
    while (s->at < s->end && (is_digit(*s->at) || *s->at == '_')) s->at++;
    rtl_node *node = add_node(s, RTL_NODE_NUMBER, 0);
    node->text = start;
    node->size = (size_t)(s->at - start);
    node->is_negative = is_negative;
    if (s->at >= s->end || *s->at != '\'') return true;
    if (is_formula(&s->tree)) return rtl_scan_fail(s, "a number without a width");
    if (next_is(s, "'(")) return true; /* read_sized goes on */
    node->kind = RTL_NODE_VALUE;
    node->expr = rtl_scan_sized(s, start, node->size).id;
    return !s->failed && node->expr != 0;
}

static bool read_high_z(rtl_scan *s) {
    if (!next_is(s, "'z") && !next_is(s, "'Z")) return rtl_scan_fail(s, "an expression, or 'z");
    s->at += 2;
    if (starts_operand(s)) return rtl_scan_fail(s, "nothing right after 'z");
    add_node(s, RTL_NODE_HIGH_Z, 0);
    return true;
}

/* A minus and digits that no width makes a constant of: a number. */
static bool is_negative_number(const rtl_scan *s) {
    const char *c = s->at + 1;
    if (*s->at != '-' || c >= s->end || !is_digit(*c)) return false;
    while (c < s->end && (is_digit(*c) || *c == '_')) c++;
    return c >= s->end || *c != '\'';
}

/* $path("..."), $opaque, or a cast. */
static bool read_dollar(rtl_scan *s) {
    weir_rtl_design *design = s->design;
    s->at++;
    if (is_formula(&s->tree)) {
        add_node(s, RTL_NODE_OPAQUE, 0);
        return rtl_scan_expect_word(s, "opaque");
    }
    if (rtl_scan_accept_word(s, "path")) {
        if (!rtl_scan_expect(s, '(') || !rtl_scan_string(s)) return false;
        const rtl_label *label =
            rtl_labels_find(&s->paths, s->module, weir_strings_intern(design->strings, s->word.data));
        if (!label) return rtl_scan_fail_name(s, "unknown path", s->word.data);
        add_node(s, RTL_NODE_VALUE, 0)->expr = weir_rtl_read(design, (weir_rtl_var){label->number}).id;
        return rtl_scan_expect(s, ')');
    }
    static const char *const words[] = {"signed", "unsigned"};
    const char *word = NULL;
    for (size_t i = 0; i < 2 && !word; i++)
        if (rtl_scan_accept_word(s, words[i])) word = words[i];
    if (!word) {
        size_t kind = rtl_scan_choice(s, rtl_kind_words, RTL_KIND_WORDS, "a cast");
        if (s->failed) return false;
        word = rtl_kind_words[kind];
    }
    push(s, CAST, WEIR_RTL_OPERATOR_COUNT)->text = word;
    return rtl_scan_expect(s, '(');
}

static bool read_name(rtl_scan *s, bool *is_operand) {
    const char *name = rtl_scan_name(s);
    if (!name) return false;
    if (next_is(s, "::") && !is_formula(&s->tree)) {
        s->at += 2;
        weir_rtl_type type = weir_rtl_find_type(s->design, name);
        const char *member = rtl_scan_name(s);
        if (!member) return false;
        if (!type.id) return rtl_scan_fail_name(s, "unknown type", name);
        uint32_t expr = weir_rtl_member(s->design, type, member).id;
        add_node(s, RTL_NODE_VALUE, 0)->expr = expr;
        s->failed = s->failed || !expr;
    } else if (rtl_scan_accept(s, '(')) {
        push(s, CALL, WEIR_RTL_OPERATOR_COUNT)->text = name;
        *is_operand = false;
    } else {
        add_node(s, RTL_NODE_NAME, 0)->text = name;
    }
    return !s->failed;
}

/* An operand, or what may come before one; *is_operand says which. */
static bool read_operand(rtl_scan *s, bool *is_operand) {
    rtl_tree *t = &s->tree;
    weir_rtl_operator op = WEIR_RTL_OPERATOR_COUNT;
    size_t size = 0;
    *is_operand = false;
    char c = s->at < s->end ? *s->at : '\0';
    if (c == '(') return read_paren(s);
    if (c == '$') {
        size_t before = t->operands;
        bool fine = read_dollar(s);
        *is_operand = t->operands > before;
        return fine;
    }
    if (c == '{' && !is_formula(t)) {
        s->at++;
        push(s, BRACE, WEIR_RTL_OPERATOR_COUNT);
        return true;
    }
    bool is_empty = (c == '}' && top(t) && top(t)->kind == BRACE) || (c == ')' && top(t) && top(t)->kind == CALL);
    if (is_empty && top(t)->count == 0) {
        s->at++;
        rtl_node *node = add_node(s, c == '}' ? RTL_NODE_CONCAT : RTL_NODE_CALL, 0);
        node->text = top(t)->text;
        t->pendings--;
        t->brackets--;
        *is_operand = true;
        return true;
    }
    *is_operand = true;
    if (is_digit(c) || is_negative_number(s)) return read_number(s);
    if (c == '\'' && !is_formula(t)) return read_high_z(s);
    if (c == '"' && is_formula(t)) {
        if (!rtl_scan_string(s)) return false;
        add_node(s, RTL_NODE_STRING, 0)->text = weir_strings_intern(s->design->strings, s->word.data);
        return true;
    }
    if (c && find_operator(s, 1, &op, &size)) {
        if (t->mode == RTL_TREE_TARGET && t->brackets == 0) return rtl_scan_fail(s, "something to assign to");
        s->at += size;
        push(s, UNARY, op);
        *is_operand = false;
        return true;
    }
    return starts_operand(s) ? read_name(s, is_operand) : rtl_scan_fail(s, "an expression");
}

/* ---- what follows an operand ---- */

static const char closes[] = {
    [QUESTION] = ':', [PAREN] = ')', [PREFIX] = ')', [BRACE] = '}',  [REPEAT] = '}', [CALL] = ')',
    [CAST] = ')',     [INDEX] = ']', [RANGE] = ']',  [SELECT] = ']', [SIZED] = ')'};

static bool read_close(rtl_scan *s) {
    rtl_tree *t = &s->tree;
    rtl_pending p = *top(t);
    s->at++;
    t->pendings--;
    t->brackets--;
    uint32_t last = last_operand(t);
    switch (p.kind) {
    case PREFIX: return close_prefix(s, &p);
    case BRACE: add_node(s, RTL_NODE_CONCAT, p.count + 1); break;
    case REPEAT:
        if (p.count > 0) add_node(s, RTL_NODE_CONCAT, p.count + 1);
        add_node(s, RTL_NODE_REPEAT, 2);
        return rtl_scan_expect(s, '}');
    case CALL: add_node(s, RTL_NODE_CALL, p.count + 1)->text = p.text; break;
    case CAST: add_node(s, RTL_NODE_CAST, 1)->text = p.text; break;
    case INDEX:
        if (is_plain_number(s, last)) mark_number(t, last);
        add_node(s, RTL_NODE_INDEX, 2);
        break;
    case RANGE:
    case SELECT:
        mark_number(t, last);
        if (p.kind == RANGE) mark_number(t, t->operand[t->operands - 2]);
        add_node(s, p.kind == RANGE ? RTL_NODE_RANGE : RTL_NODE_SELECT, 3);
        break;
    case SIZED:
        if (is_plain_number(s, last)) mark_number(t, last);
        add_node(s, RTL_NODE_SIZED, 2);
        break;
    default: break;
    }
    return true;
}

/* ':' of a conditional or a range; false: of neither. */
static bool read_colon(rtl_scan *s, bool *fine) {
    rtl_tree *t = &s->tree;
    rtl_pending *p = top(t);
    if (!p) return false;
    if (p->kind == QUESTION) p->kind = COLON;
    else if (p->kind == INDEX) p->kind = RANGE;
    else if (p->kind > QUESTION) *fine = rtl_scan_fail(s, "what closes a bracket");
    else return false;
    s->at++;
    return true;
}

/* W'd5, and the beginning of W'(...), W being the last operand. */
static bool read_sized(rtl_scan *s, bool *is_operand) {
    rtl_tree *t = &s->tree;
    uint64_t value = 0;
    bool is_signed = false;
    rtl_base base = RTL_BASE_NONE;
    s->at++;
    mark_number(t, last_operand(t));
    if (s->at < s->end && *s->at == '(') {
        s->at++;
        push(s, SIZED, WEIR_RTL_OPERATOR_COUNT);
        *is_operand = false;
        return true;
    }
    *is_operand = true;
    if (!rtl_scan_digits(s, &value, &is_signed, &base)) return false;
    rtl_node *node = add_node(s, RTL_NODE_SIZED, 1);
    node->size = value;
    node->base = base;
    node->is_signed = is_signed;
    return true;
}

static bool read_postfix(rtl_scan *s, bool *fine, bool *is_operand) {
    if (is_formula(&s->tree) || s->at >= s->end) return false;
    if (*s->at == '\'') {
        *fine = read_sized(s, is_operand);
        return true;
    }
    if (*s->at == '.') {
        s->at++;
        const char *name = rtl_scan_name(s);
        *fine = name != NULL;
        if (name) add_node(s, RTL_NODE_FIELD, 1)->text = name;
        *is_operand = true;
        return true;
    }
    if (*s->at != '[') return false;
    s->at++;
    push(s, INDEX, WEIR_RTL_OPERATOR_COUNT);
    *is_operand = false;
    return true;
}

/* `(- W + 1)` was no prefix form after all. */
static void end_prefix(rtl_scan *s) {
    rtl_pending *p = top(&s->tree);
    if (!p || p->kind != PREFIX || p->count > 0) return;
    bool is_clog2 = *p->text == 'c';
    weir_rtl_operator unary = is_clog2 || *p->text == '?' ? WEIR_RTL_OPERATOR_COUNT : as_unary(p->op);
    if (is_clog2 || unary != WEIR_RTL_OPERATOR_COUNT) {
        close_prefix(s, &(rtl_pending){.text = p->text, .op = p->op});
        p->kind = PAREN;
    }
}

/* A binary operator or '?'; false: none of these. */
static bool read_infix(rtl_scan *s) {
    weir_rtl_operator op = WEIR_RTL_OPERATOR_COUNT;
    size_t size = 1;
    bool is_choice = *s->at == '?';
    if (next_is(s, "+:") || (!is_choice && !find_operator(s, 2, &op, &size))) return false;
    end_prefix(s);
    reduce(s, is_choice ? CONDITIONAL_PRECEDENCE + 1 : rtl_operators[op].precedence);
    s->at += size;
    push(s, is_choice ? QUESTION : BINARY, op);
    return true;
}

/* Tokens that continue the innermost bracket: ',', '+:', the brace of a repetition, another operand of a prefix
 * operator. */
static bool read_more(rtl_scan *s) {
    rtl_tree *t = &s->tree;
    rtl_pending *p = top(t);
    if (!p) return false;
    if (p->kind == PREFIX && starts_operand(s)) {
        p->count++;
    } else if (p->kind == INDEX && next_is(s, "+:")) {
        p->kind = SELECT;
        s->at += 2;
    } else if ((p->kind == BRACE || p->kind == REPEAT || p->kind == CALL) && *s->at == ',') {
        p->count++;
        s->at++;
    } else if (p->kind == BRACE && p->count == 0 && *s->at == '{') {
        p->kind = REPEAT;
        mark_number(t, last_operand(t));
        s->at++;
    } else {
        return false;
    }
    return true;
}

/* What follows an operand; *ends: nothing that belongs to the expression. */
static bool read_operator(rtl_scan *s, bool *is_operand, bool *ends) {
    rtl_tree *t = &s->tree;
    bool fine = true;
    const char *at = s->at;
    int line = s->line;
    *is_operand = false;
    if (read_postfix(s, &fine, is_operand)) return fine;
    if (t->brackets) rtl_scan_space(s);
    else rtl_scan_blanks(s);
    bool is_bare = t->brackets == 0 && (t->mode == RTL_TREE_TARGET || t->mode == RTL_TREE_OPERAND);
    if (s->at < s->end && !is_bare) {
        if (read_infix(s)) return true;
        reduce(s, CONDITIONAL_PRECEDENCE);
        if ((*s->at == ':' && read_colon(s, &fine)) || read_more(s)) return fine;
        *is_operand = true;
        if (t->brackets && top(t)->kind > QUESTION && *s->at == closes[top(t)->kind]) return read_close(s);
    }
    *ends = t->brackets == 0 && !(top(t) && top(t)->kind == QUESTION);
    if (*ends) return true;
    if (s->line != line) { /* something is missing where the line ended */
        s->at = at;
        s->line = line;
    }
    char *expected = weir_format("an operator or '%c'", closes[top(t)->kind]);
    rtl_scan_fail(s, expected);
    free(expected);
    return false;
}

bool rtl_read_tree(rtl_scan *s, rtl_tree_mode mode) {
    rtl_tree *t = &s->tree;
    t->nodes = t->operands = t->lists = t->pendings = t->brackets = 0;
    t->mode = (int)mode;
    bool is_operand = false, ends = false, fine = !s->failed;
    while (fine && !ends) {
        if (is_operand) {
            fine = read_operator(s, &is_operand, &ends);
        } else {
            if (t->brackets) rtl_scan_space(s);
            else rtl_scan_blanks(s);
            fine = read_operand(s, &is_operand);
        }
    }
    if (fine) reduce(s, CONDITIONAL_PRECEDENCE);
    return fine;
}
