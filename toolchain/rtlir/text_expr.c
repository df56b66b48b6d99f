/* Expressions and formulas of the text form. Nesting is limited, so that recursion is. */
#include <stdlib.h>

#include "rtlir/text_scan.h"
#include "rtlir/words.h"

static const weir_rtl_expr none = {0};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* W'hDIGITS or W'shDIGITS, the width having been read. */
static weir_rtl_expr scan_constant(rtl_scan *s, uint64_t width) {
    s->at++; /* the quote */
    bool is_signed = s->at < s->end && *s->at == 's';
    s->at += is_signed;
    if (s->at >= s->end || *s->at != 'h' || width < 1 || width > WEIR_RTL_MAX_WIDTH) {
        rtl_scan_fail(s, "a constant WIDTH'hDIGITS");
        return none;
    }
    const char *start = ++s->at;
    while (s->at < s->end && (is_digit(*s->at) || (*s->at >= 'a' && *s->at <= 'f'))) s->at++;
    size_t digits = (size_t)(s->at - start);
    if (digits == 0 || digits > (width + 3) / 4) {
        rtl_scan_fail(s, "digits 0 to 9 and a to f, no more than the constant has");
        return none;
    }
    uint64_t *words = weir_calloc((width + 63) / 64, sizeof *words);
    for (size_t i = 0; i < digits; i++) {
        char c = start[digits - 1 - i];
        words[i / 16] |= (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10) << (i % 16 * 4);
    }
    weir_rtl_expr expr = weir_rtl_constant_words(s->design, (uint32_t)width, is_signed, words);
    free(words);
    return expr;
}

static weir_rtl_expr scan_number(rtl_scan *s) {
    uint64_t width = 0;
    if (!rtl_scan_unsigned(s, WEIR_RTL_MAX_WIDTH, &width)) return none;
    if (s->at < s->end && *s->at == '\'') return scan_constant(s, width);
    rtl_scan_fail(s, "a constant WIDTH'hDIGITS");
    return none;
}

/* Expressions up to the closing bracket; heap memory. */
static weir_rtl_expr *scan_list(rtl_scan *s, char close, size_t *count) {
    weir_rtl_expr *list = NULL;
    size_t capacity = 0;
    *count = 0;
    if (rtl_scan_accept(s, close)) return NULL;
    do {
        list = weir_grow(list, &capacity, *count + 1, sizeof *list);
        list[*count] = rtl_scan_expr(s);
        if (!list[*count].id) s->failed = true;
        ++*count;
    } while (!s->failed && rtl_scan_accept(s, ','));
    rtl_scan_expect(s, close);
    return list;
}

static weir_rtl_expr scan_braces(rtl_scan *s) {
    const char *start = s->at;
    uint64_t times = 0;
    if (s->at < s->end && is_digit(*s->at)) {
        while (s->at < s->end && is_digit(*s->at)) s->at++;
        bool is_repeat = s->at < s->end && *s->at == '{';
        s->at = start;
        if (is_repeat && rtl_scan_unsigned(s, UINT32_MAX, &times) && rtl_scan_expect(s, '{')) {
            weir_rtl_expr value = rtl_scan_expr(s);
            if (!rtl_scan_expect(s, '}') || !rtl_scan_expect(s, '}')) return none;
            return weir_rtl_repeat(s->design, (uint32_t)times, value);
        }
    }
    size_t count = 0;
    weir_rtl_expr *list = scan_list(s, '}', &count);
    weir_rtl_expr expr = s->failed ? none : weir_rtl_concat(s->design, count, list);
    free(list);
    return expr;
}

static bool next_operator(rtl_scan *s, int operands, weir_rtl_operator *op) {
    size_t best = 0;
    for (int i = 0; i < WEIR_RTL_OPERATOR_COUNT; i++) {
        size_t length = strlen(rtl_operators[i].text);
        if (rtl_operators[i].operands != operands || length <= best || (size_t)(s->end - s->at) < length) continue;
        if (memcmp(s->at, rtl_operators[i].text, length) != 0) continue;
        best = length;
        *op = (weir_rtl_operator)i;
    }
    s->at += best;
    return best > 0;
}

/* (op a), (a op b) or (a ? b : c). */
static weir_rtl_expr scan_operation(rtl_scan *s) {
    weir_rtl_operator op = WEIR_RTL_ADD;
    weir_rtl_expr result = none;
    if (next_operator(s, 1, &op)) {
        result = weir_rtl_unary(s->design, op, rtl_scan_expr(s));
    } else {
        weir_rtl_expr a = rtl_scan_expr(s);
        bool is_choice = rtl_scan_accept(s, '?');
        if (!is_choice && !s->failed && !next_operator(s, 2, &op)) rtl_scan_fail(s, "an operator");
        weir_rtl_expr b = s->failed ? none : rtl_scan_expr(s);
        if (is_choice && rtl_scan_expect(s, ':')) result = weir_rtl_conditional(s->design, a, b, rtl_scan_expr(s));
        else if (!s->failed) result = weir_rtl_binary(s->design, op, a, b);
    }
    return rtl_scan_expect(s, ')') ? result : none;
}

/* $path("..."), $signed(a), $unsigned(a), or the name of a kind of signal. */
static weir_rtl_expr scan_cast(rtl_scan *s) {
    weir_rtl_design *design = s->design;
    if (rtl_scan_accept_word(s, "path")) {
        if (!rtl_scan_expect(s, '(') || !rtl_scan_string(s)) return none;
        const rtl_label *label =
            rtl_labels_find(&s->paths, s->module, weir_strings_intern(design->strings, s->word.data));
        if (!label) rtl_scan_fail_name(s, "unknown path", s->word.data);
        return rtl_scan_expect(s, ')') ? weir_rtl_read(design, (weir_rtl_var){label->number}) : none;
    }
    bool to_signed = rtl_scan_accept_word(s, "signed");
    bool to_unsigned = !to_signed && rtl_scan_accept_word(s, "unsigned");
    size_t kind = 0;
    if (!to_signed && !to_unsigned) kind = rtl_scan_choice(s, rtl_kind_words, RTL_KIND_WORDS, "a cast");
    if (!rtl_scan_expect(s, '(')) return none;
    weir_rtl_expr value = rtl_scan_expr(s);
    if (!rtl_scan_expect(s, ')')) return none;
    if (to_signed) return weir_rtl_as_signed(design, value);
    return to_unsigned ? weir_rtl_as_unsigned(design, value) : weir_rtl_as(design, value, (weir_rtl_kind)kind);
}

/* [high:low], [bit], [base +: width] or [index]. */
static weir_rtl_expr scan_brackets(rtl_scan *s, weir_rtl_expr value) {
    const char *start = s->at;
    while (s->at < s->end && is_digit(*s->at)) s->at++;
    bool is_plain = s->at > start && s->at < s->end && (*s->at == ':' || *s->at == ']');
    s->at = start;
    weir_rtl_expr result = none;
    if (is_plain) {
        uint64_t high = 0, low = 0;
        if (!rtl_scan_unsigned(s, WEIR_RTL_MAX_WIDTH, &high)) return none;
        low = high;
        if (rtl_scan_accept(s, ':') && !rtl_scan_unsigned(s, WEIR_RTL_MAX_WIDTH, &low)) return none;
        bool is_array = s->design->type[rtl_type_of(s->design, value.id)].kind >= WEIR_RTL_TYPE_ARRAY;
        result = is_array && high == low ? weir_rtl_element_at(s->design, value, (uint32_t)high)
                                         : weir_rtl_slice(s->design, value, (uint32_t)high, (uint32_t)low);
    } else {
        weir_rtl_expr index = rtl_scan_expr(s);
        uint64_t width = 0;
        if (rtl_scan_accept(s, '+')) {
            if (!rtl_scan_expect(s, ':') || !rtl_scan_unsigned(s, WEIR_RTL_MAX_WIDTH, &width)) return none;
            result = weir_rtl_select(s->design, value, index, (uint32_t)width);
        } else if (!s->failed) {
            result = weir_rtl_element(s->design, value, index);
        }
    }
    return rtl_scan_expect(s, ']') ? result : none;
}

static weir_rtl_expr scan_parts(rtl_scan *s, weir_rtl_expr value) {
    while (value.id && !s->failed && s->at < s->end && (*s->at == '[' || *s->at == '.')) {
        bool is_field = *s->at++ == '.';
        const char *name = is_field ? rtl_scan_name(s) : NULL;
        if (!is_field) value = scan_brackets(s, value);
        else value = name ? weir_rtl_field(s->design, value, name) : none;
    }
    return value;
}

/* What a name means: an argument or variable of the function, else something of the module. */
static rtl_name look_up(const rtl_scan *s, const char *name) {
    rtl_name entry = {RTL_NAME_NONE, 0};
    if (s->function) entry = rtl_names_find(s->design, RTL_FUNCTION_SCOPE | s->function, name);
    return entry.id ? entry : rtl_names_find(s->design, s->module, name);
}

static weir_rtl_expr scan_call(rtl_scan *s, uint32_t function) {
    size_t count = 0;
    if (!rtl_scan_expect(s, '(')) return none;
    weir_rtl_expr *arguments = scan_list(s, ')', &count);
    weir_rtl_expr expr = s->failed ? none : weir_rtl_call(s->design, (weir_rtl_function){function}, count, arguments);
    free(arguments);
    return expr;
}

static weir_rtl_expr scan_reference(rtl_scan *s) {
    weir_rtl_design *design = s->design;
    const char *name = rtl_scan_name(s);
    if (!name) return none;
    if (s->end - s->at >= 2 && s->at[0] == ':' && s->at[1] == ':') {
        s->at += 2;
        weir_rtl_type type = weir_rtl_find_type(design, name);
        const char *member = rtl_scan_name(s);
        if (!type.id) rtl_scan_fail_name(s, "unknown type", name);
        return member && type.id ? weir_rtl_member(design, type, member) : none;
    }
    rtl_name entry = look_up(s, name);
    switch (entry.kind) {
    case RTL_NAME_VAR: return scan_parts(s, weir_rtl_read(design, (weir_rtl_var){entry.id}));
    case RTL_NAME_PARAMETER: return weir_rtl_read_parameter(design, (weir_rtl_parameter){entry.id});
    case RTL_NAME_FUNCTION: return scan_call(s, entry.id);
    case RTL_NAME_INSTANCE: {
        const char *port = rtl_scan_expect(s, '.') ? rtl_scan_name(s) : NULL;
        if (!port) return none;
        return scan_parts(s, weir_rtl_read_port(design, (weir_rtl_instance){entry.id}, port));
    }
    default: rtl_scan_fail_name(s, "unknown name", name); return none;
    }
}

weir_rtl_expr rtl_scan_expr(rtl_scan *s) {
    if (s->nesting >= RTL_MAX_DEPTH) rtl_scan_fail(s, "less nesting");
    if (s->failed) return none;
    s->nesting++;
    weir_rtl_expr expr = none;
    if (rtl_scan_accept(s, '(')) expr = scan_operation(s);
    else if (rtl_scan_accept(s, '{')) expr = scan_braces(s);
    else if (rtl_scan_accept(s, '$')) expr = scan_cast(s);
    else if (s->at < s->end && is_digit(*s->at)) expr = scan_number(s);
    else expr = scan_reference(s);
    s->nesting--;
    if (!expr.id) s->failed = true; /* its constructor has said why */
    return expr;
}

uint32_t rtl_scan_var(rtl_scan *s) {
    const char *name = rtl_scan_name(s);
    rtl_name entry = name ? rtl_names_find(s->design, s->module, name) : (rtl_name){RTL_NAME_NONE, 0};
    if (name && entry.kind != RTL_NAME_VAR) rtl_scan_fail_name(s, "unknown variable", name);
    return entry.kind == RTL_NAME_VAR ? entry.id : 0;
}

/* ---- formulas ---- */

static uint32_t formula_operation(rtl_scan *s) {
    rtl_formula f = {0};
    uint32_t operand[3] = {0};
    int count = 0;
    weir_rtl_operator unary = WEIR_RTL_OPERATOR_COUNT, binary = WEIR_RTL_OPERATOR_COUNT;
    const char *start = s->at;
    bool is_choice = rtl_scan_accept(s, '?');
    bool is_clog2 = !is_choice && rtl_scan_accept_word(s, "clog2");
    if (!is_choice && !is_clog2) {
        bool any = next_operator(s, 1, &unary);
        const char *after = s->at;
        s->at = start;
        if (!next_operator(s, 2, &binary)) {
            if (!any) return (uint32_t)rtl_scan_fail(s, "an operator");
            s->at = after;
        }
    }
    for (; count < 3 && !s->failed && !rtl_scan_peek(s, ')'); count++) {
        operand[count] = rtl_scan_formula(s);
        if (operand[count] && s->design->formula[operand[count]].depth >= f.depth)
            f.depth = s->design->formula[operand[count]].depth + 1;
    }
    f.kind = is_choice    ? RTL_FORMULA_CONDITIONAL
             : is_clog2   ? RTL_FORMULA_CLOG2
             : count == 1 ? RTL_FORMULA_UNARY
                          : RTL_FORMULA_BINARY;
    f.op = count == 1 ? unary : binary;
    int expected = is_choice ? 3 : is_clog2 || count == 1 ? 1 : 2;
    bool has_operator = is_choice || is_clog2 || f.op != WEIR_RTL_OPERATOR_COUNT;
    if (count != expected || !has_operator) return (uint32_t)rtl_scan_fail(s, "the operator's operands");
    if (!rtl_scan_expect(s, ')')) return 0;
    f.a = operand[0];
    f.b = operand[1];
    f.c = operand[2];
    uint32_t id = RTL_APPEND(s->design, formula);
    s->design->formula[id] = f;
    return id;
}

uint32_t rtl_scan_formula(rtl_scan *s) {
    if (s->nesting >= RTL_MAX_DEPTH) rtl_scan_fail(s, "less nesting");
    if (s->failed) return 0;
    rtl_value value = {.kind = RTL_VALUE_OPAQUE};
    uint32_t result = 0;
    s->nesting++;
    if (rtl_scan_accept(s, '(')) {
        result = formula_operation(s);
    } else if (rtl_scan_peek(s, '"')) {
        value.kind = RTL_VALUE_STRING;
        if (rtl_scan_string(s)) value.text = weir_strings_intern(s->design->strings, s->word.data);
        result = s->failed ? 0 : rtl_formula_value(s->design, value);
    } else if (rtl_scan_accept_word(s, "$opaque")) {
        result = rtl_formula_value(s->design, value);
    } else if (rtl_scan_peek(s, '-') || (s->at < s->end && is_digit(*s->at))) {
        value.kind = RTL_VALUE_INTEGER;
        result = rtl_scan_signed(s, &value.integer) ? rtl_formula_value(s->design, value) : 0;
    } else {
        const char *name = rtl_scan_name(s);
        rtl_name entry = name ? rtl_names_find(s->design, s->module, name) : (rtl_name){RTL_NAME_NONE, 0};
        if (name && entry.kind != RTL_NAME_PARAMETER) rtl_scan_fail_name(s, "unknown parameter", name);
        if (entry.kind == RTL_NAME_PARAMETER) {
            result = RTL_APPEND(s->design, formula);
            s->design->formula[result] = (rtl_formula){.kind = RTL_FORMULA_PARAMETER, .a = entry.id};
        }
    }
    s->nesting--;
    return result;
}
