/* Recursive descent over the tokens of one file. The body is searched for its localparams, which port ranges may
 * name; one is parsed when something asks for it. Then it is walked for the module's instances, under the conditions of
 * the generate blocks around them. One that nobody defines states a condition of the module's parameters, with whose
 * name elaboration ends:
 *   if (VIOLATED) begin : LABEL
 *     NAME_must_BE_SO u_error ();
 * A condition whose expression is beyond this reader is left to the tools, with a warning. The first error ends the
 * reading. */
#include "rtlir/reader/read.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "rtlir/reader/lex_private.h"
#include "support/file/file.h"
#include "support/text/suggest.h"

enum { MAX_NESTING = 100 };

/* A localparam of the body: where its value starts. */
typedef struct body_local {
    const char *name; /* interned */
    size_t token;
} body_local;

typedef struct reader {
    weir_rtl_design *design;
    const char *path, *text; /* with a zero byte behind it */
    size_t text_size;
    rtl_token *token;
    size_t count, at;
    uint32_t module;
    int nesting, depth; /* of expressions, of generate blocks */
    bool failed;
    bool in_condition; /* errors are silent, localparams are replaced by their formulas */
    body_local *local;
    size_t local_count, local_capacity;
} reader;

static void fail(reader *r, const char *expected) {
    const rtl_token *t = &r->token[r->at];
    if (!r->failed && !r->in_condition) {
        if (t->kind == RTL_TOKEN_END)
            rtl_error(r->design, weir_at(r->path, t->line), "expected %s, found the end of the file", expected);
        else
            rtl_error(r->design, weir_at(r->path, t->line), "expected %s, found '%.*s'", expected,
                      (int)(t->length < 60 ? t->length : 60), t->text);
    }
    r->failed = true;
}

__attribute__((always_inline)) static inline bool next_is(const reader *r, const char *text) {
    return rtl_token_is(&r->token[r->at], text);
}

__attribute__((always_inline)) static inline bool accept(reader *r, const char *text) {
    if (r->failed || !next_is(r, text)) return false;
    r->at++;
    return true;
}

static void expect(reader *r, const char *text) {
    if (r->failed || accept(r, text)) return;
    weir_text what = {0};
    weir_text_format(&what, "'%s'", text);
    fail(r, what.data);
    weir_text_free(&what);
}

static const char *expect_name(reader *r, const char *what) {
    const rtl_token *t = &r->token[r->at];
    if (r->failed) return "";
    const char *name = weir_strings_intern_n(r->design->strings, t->text, t->length);
    if (t->kind != RTL_TOKEN_NAME || !weir_rtl_name_is_legal(name)) {
        fail(r, what);
        return "";
    }
    r->at++;
    return name;
}

/* ---- expressions ---- */

static uint32_t new_formula(reader *r, rtl_formula_kind kind, weir_rtl_operator op, uint32_t a, uint32_t b,
                            uint32_t c) {
    if (r->failed) return 0;
    rtl_formula f = {.kind = kind, .op = op, .a = a, .b = b, .c = c};
    const uint32_t operands[3] = {kind == RTL_FORMULA_PARAMETER ? 0 : a, b, c};
    for (int i = 0; i < 3; i++)
        if (operands[i] && r->design->formula[operands[i]].depth >= f.depth)
            f.depth = r->design->formula[operands[i]].depth + 1;
    if (f.depth > RTL_MAX_DEPTH) {
        fail(r, "a shorter expression");
        return 0;
    }
    uint32_t id = RTL_APPEND(r->design, formula);
    r->design->formula[id] = f;
    return id;
}

static uint32_t parse_expr(reader *r);

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Digits in a base; false when one is none, *fits tells whether the value fits 63 bits. */
static bool parse_digits(const char *text, size_t length, int base, int64_t *value, bool *fits) {
    bool any = false;
    *value = 0;
    *fits = true;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '_') continue;
        int digit = digit_value(text[i]);
        if (digit >= base) return false;
        any = true;
        if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, digit, value)) {
            *fits = false;
            *value = 0;
        }
    }
    return any;
}

/* The value of a sized signed literal is that of its two's complement bits. */
static int64_t sign_extend(int64_t value, const char *size, size_t length) {
    int64_t width = 32;
    bool fits = true;
    if (length > 0 && (!parse_digits(size, length, 10, &width, &fits) || width < 1 || width > 63)) return value;
    return value >> (width - 1) & 1 && value >> width == 0 ? value - (INT64_C(1) << width) : value;
}

static uint32_t parse_number(reader *r) {
    const rtl_token *t = &r->token[r->at];
    const char *quote = memchr(t->text, '\'', t->length);
    rtl_value value = {.kind = RTL_VALUE_INTEGER};
    const char *digits = t->text;
    size_t size = 0;
    int base = 10;
    bool is_signed = false;
    if (quote) {
        size = (size_t)(quote - t->text);
        while (size > 0 && t->text[size - 1] == ' ') size--;
        digits = quote + 1;
        is_signed = *digits == 's' || *digits == 'S';
        digits += is_signed;
        char letter = (char)(*digits++ | 0x20);
        base = letter == 'h' ? 16 : letter == 'd' ? 10 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    }
    bool fits = true;
    const char *end = t->text + t->length;
    if (base == 0 || digits >= end || !parse_digits(digits, (size_t)(end - digits), base, &value.integer, &fits)) {
        fail(r, "an integer");
        return 0;
    }
    if (!fits) value.kind = RTL_VALUE_OPAQUE;
    else if (is_signed) value.integer = sign_extend(value.integer, t->text, size);
    r->at++;
    return rtl_formula_value(r->design, value);
}

static uint32_t parse_string(reader *r) {
    const rtl_token *t = &r->token[r->at++];
    rtl_value value = {.kind = RTL_VALUE_STRING, .text = weir_strings_intern_n(r->design->strings, t->text, t->length)};
    return rtl_formula_value(r->design, value);
}

static void unknown_name(reader *r, const char *name) {
    const rtl_ids *ids = &r->design->module[r->module].parameters;
    const char **candidates = weir_malloc((ids->count + r->local_count + 1) * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < ids->count; i++) candidates[count++] = r->design->parameter[ids->id[i]].name;
    for (size_t i = 0; i < r->local_count; i++) candidates[count++] = r->local[i].name;
    const char *nearest = r->in_condition ? NULL : weir_suggest(name, candidates, count);
    if (!r->in_condition) rtl_error(r->design, weir_at(r->path, r->token[r->at].line), "unknown parameter '%s'", name);
    if (nearest) weir_note("did you mean '%s'?", nearest);
    r->failed = true;
    free(candidates);
}

/* A parameter that was declared before, or a localparam of the body, which is then read first. */
static uint32_t parse_reference(reader *r) {
    size_t here = r->at;
    const char *name = expect_name(r, "an expression");
    if (r->failed) return 0;
    rtl_name entry = rtl_names_find(r->design, r->module, name);
    if (entry.kind == RTL_NAME_PARAMETER) return new_formula(r, RTL_FORMULA_PARAMETER, 0, entry.id, 0, 0);
    for (size_t i = 0; i < r->local_count && !entry.id; i++) {
        if (r->local[i].name != name) continue;
        size_t back = r->at;
        r->at = r->local[i].token;
        uint32_t formula = parse_expr(r);
        if (r->failed) return 0;
        if (r->in_condition) {
            r->at = back;
            return formula;
        }
        if (rtl_names_find(r->design, r->module, name).id) {
            rtl_error(r->design, weir_at(r->path, r->token[back].line), "'%s' depends on itself", name);
            r->failed = true;
            return 0;
        }
        uint32_t id = rtl_new_parameter(r->design, r->module, name, formula, true);
        r->at = back;
        r->failed = id == 0;
        return new_formula(r, RTL_FORMULA_PARAMETER, 0, id, 0, 0);
    }
    r->at = here;
    unknown_name(r, name);
    return 0;
}

/* Concatenations and replications give vectors: fine as a default, of no use in a range. */
static uint32_t parse_vector(reader *r) {
    expect(r, "{");
    do {
        parse_expr(r);
        if (!r->failed && next_is(r, "{")) parse_expr(r);
    } while (accept(r, ","));
    expect(r, "}");
    rtl_value value = {.kind = RTL_VALUE_OPAQUE};
    return r->failed ? 0 : rtl_formula_value(r->design, value);
}

static uint32_t parse_system(reader *r) {
    bool clog2 = next_is(r, "$clog2");
    if (!clog2 && !next_is(r, "$signed") && !next_is(r, "$unsigned")) {
        fail(r, "'$clog2' or another expression");
        return 0;
    }
    r->at++;
    expect(r, "(");
    uint32_t a = parse_expr(r);
    expect(r, ")");
    return clog2 ? new_formula(r, RTL_FORMULA_CLOG2, 0, a, 0, 0) : a;
}

static uint32_t parse_unary(reader *r) {
    static const struct {
        const char *text;
        weir_rtl_operator op;
    } prefix[] = {{"-", WEIR_RTL_NEGATE}, {"+", WEIR_RTL_PLUS}, {"!", WEIR_RTL_LOGICAL_NOT}, {"~", WEIR_RTL_NOT}};
    if (r->failed || r->nesting > MAX_NESTING) {
        if (!r->failed) fail(r, "less nesting");
        return 0;
    }
    r->nesting++;
    const rtl_token *t = &r->token[r->at];
    uint32_t result = 0;
    for (size_t i = 0; t->kind == RTL_TOKEN_SYMBOL && i < sizeof prefix / sizeof *prefix; i++) {
        if (accept(r, prefix[i].text)) {
            result = new_formula(r, RTL_FORMULA_UNARY, prefix[i].op, parse_unary(r), 0, 0);
            r->nesting--;
            return result;
        }
    }
    if (t->kind == RTL_TOKEN_NUMBER) result = parse_number(r);
    else if (t->kind == RTL_TOKEN_STRING) result = parse_string(r);
    else if (t->kind == RTL_TOKEN_SYSTEM) result = parse_system(r);
    else if (next_is(r, "{")) result = parse_vector(r);
    else if (accept(r, "(")) {
        result = parse_expr(r);
        expect(r, ")");
    } else result = parse_reference(r);
    r->nesting--;
    return result;
}

/* The binary operator at this position, by its text; false when there is none. */
static bool binary_operator(const reader *r, weir_rtl_operator *op) {
    const rtl_token *t = &r->token[r->at];
    if (t->kind != RTL_TOKEN_SYMBOL || strchr("),;:]}", *t->text) != NULL) return false; /* as most */
    for (int i = 0; i < WEIR_RTL_OPERATOR_COUNT; i++) {
        const char *text = rtl_operators[i].text;
        if (rtl_operators[i].operands == 2 && *text == *t->text && rtl_token_is(t, text)) {
            *op = (weir_rtl_operator)i;
            return true;
        }
    }
    return false;
}

/* Operators that bind at least as tight as `least`. */
static uint32_t parse_binary(reader *r, int least) {
    uint32_t left = parse_unary(r);
    weir_rtl_operator op = WEIR_RTL_ADD;
    while (!r->failed && binary_operator(r, &op) && rtl_operators[op].precedence >= least) {
        r->at++;
        uint32_t right = parse_binary(r, rtl_operators[op].precedence + 1);
        left = new_formula(r, RTL_FORMULA_BINARY, op, left, right, 0);
    }
    return left;
}

static uint32_t parse_expr(reader *r) {
    if (r->failed || r->nesting > MAX_NESTING) {
        if (!r->failed) fail(r, "less nesting");
        return 0;
    }
    r->nesting++;
    uint32_t a = parse_binary(r, 0);
    if (accept(r, "?")) {
        uint32_t b = parse_expr(r);
        expect(r, ":");
        uint32_t c = parse_expr(r);
        a = new_formula(r, RTL_FORMULA_CONDITIONAL, 0, a, b, c);
    }
    r->nesting--;
    return a;
}

/* ---- declarations ---- */

static rtl_range parse_range(reader *r) {
    rtl_range result = {0};
    if (!accept(r, "[")) return result;
    result.high = parse_expr(r);
    expect(r, ":");
    result.low = parse_expr(r);
    expect(r, "]");
    return result;
}

/* After `parameter` or `localparam`: one declaration, up to its value. */
static void parse_parameter(reader *r, bool is_local) {
    if (next_is(r, "real") || next_is(r, "realtime") || next_is(r, "time")) {
        fail(r, "an integer or string parameter");
        return;
    }
    accept(r, "integer");
    accept(r, "signed");
    parse_range(r);
    int line = r->token[r->at].line;
    const char *name = expect_name(r, "a parameter name");
    expect(r, "=");
    uint32_t formula = parse_expr(r);
    if (r->failed) return;
    weir_rtl_set_location(r->design, weir_at(r->path, line));
    r->failed = rtl_new_parameter(r->design, r->module, name, formula, is_local) == 0;
}

static void parse_parameter_list(reader *r) {
    bool is_local = false;
    expect(r, "(");
    do {
        if (accept(r, "localparam")) is_local = true;
        else if (accept(r, "parameter")) is_local = false;
        parse_parameter(r, is_local);
    } while (!r->failed && accept(r, ","));
    expect(r, ")");
}

static weir_rtl_kind kind_of(const char *name) {
    size_t length = strlen(name);
    const char *tail = length > 4 ? name + length - 4 : "";
    if (strcmp(name, "clk") == 0 || strcmp(tail, "_clk") == 0) return WEIR_RTL_CLOCK;
    if (strcmp(name, "rst") == 0 || strcmp(tail, "_rst") == 0) return WEIR_RTL_RESET;
    return WEIR_RTL_DATA;
}

/* Direction, type and range of a port; they hold until the next direction. */
static void parse_port_type(reader *r, rtl_var *port, rtl_range *bits) {
    weir_rtl_direction direction = accept(r, "input")    ? WEIR_RTL_INPUT
                                   : accept(r, "output") ? WEIR_RTL_OUTPUT
                                   : accept(r, "inout")  ? WEIR_RTL_INOUT
                                                         : WEIR_RTL_INTERNAL;
    if (direction == WEIR_RTL_INTERNAL) {
        if (port->direction == WEIR_RTL_INTERNAL)
            fail(r, "'input', 'output' or 'inout' (ports are declared in the header)");
        return;
    }
    port->direction = direction;
    port->is_register = accept(r, "reg");
    if (!port->is_register) accept(r, "wire");
    port->is_signed = accept(r, "signed");
    *bits = parse_range(r);
}

static void parse_port(reader *r, rtl_var *port, rtl_range *bits) {
    parse_port_type(r, port, bits);
    int line = r->token[r->at].line;
    port->name = expect_name(r, "a port name");
    if (!r->failed && next_is(r, "[")) fail(r, "',' or ')' (array ports are not supported)");
    if (r->failed) return;
    rtl_var var = *port;
    if (bits->high) {
        var.range = RTL_APPEND(r->design, range);
        r->design->range[var.range] = *bits;
    }
    var.kind = WEIR_RTL_DATA;
    if (!bits->high) var.kind = kind_of(var.name);
    var.width = bits->high ? 0 : 1;
    weir_rtl_set_location(r->design, weir_at(r->path, line));
    r->failed = rtl_new_var(r->design, r->module, &var) == 0;
}

/* The widths of ports with all parameters at their defaults. */
static void default_widths(reader *r) {
    rtl_value *parameters = rtl_evaluate_parameters(r->design, r->module, NULL);
    const rtl_ids *ports = &r->design->module[r->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        const char *problem = NULL;
        r->design->var[ports->id[i]].width = rtl_port_width(r->design, ports->id[i], parameters, &problem);
    }
    free(parameters);
}

/* ---- the file ---- */

/* Collects the localparams of the module's own scope, from token `at` to the end of the module. */
static void scan_body(reader *r, size_t at) {
    int depth = 0;
    for (; at < r->count && !rtl_token_is(&r->token[at], "endmodule"); at++) {
        const rtl_token *t = &r->token[at];
        depth += t->opens;
        if (depth != 0 || !rtl_token_is(t, "localparam")) continue;
        /* The next names that '=' follows, up to the semicolon, are its names. */
        int inner = 0;
        for (at++; at + 1 < r->count && !(inner == 0 && rtl_token_is(&r->token[at], ";")); at++) {
            inner += r->token[at].opens;
            if (inner != 0 || r->token[at].kind != RTL_TOKEN_NAME || !rtl_token_is(&r->token[at + 1], "=")) continue;
            r->local = weir_grow(r->local, &r->local_capacity, r->local_count + 1, sizeof *r->local);
            r->local[r->local_count].name =
                weir_strings_intern_n(r->design->strings, r->token[at].text, r->token[at].length);
            r->local[r->local_count++].token = at + 2;
        }
    }
    r->at = at < r->count ? at : r->count;
    expect(r, "endmodule");
    if (!r->failed && next_is(r, "module")) fail(r, "one module per file");
}

/* ---- instances, and the conditions that some of them stand for ---- */

/* What must hold for a part of the body to be there; a formula of 0: nothing. */
typedef struct guard {
    uint32_t formula;
    bool is_known; /* else it is beyond the reader */
} guard;

static bool at_end(const reader *r) { return r->at >= r->count || next_is(r, "endmodule"); }

/* Behind the symbol that closes the one at this position. */
static void skip_enclosed(reader *r, const char *open, const char *close) {
    int depth = 0;
    do {
        depth += next_is(r, open);
        depth -= next_is(r, close);
        r->at++;
    } while (depth > 0 && !at_end(r));
}

/* An expression that ends before one of these: 0 where it is beyond the reader; then the position is what it was. */
static uint32_t try_expr(reader *r, const char *end, const char *other_end) {
    const size_t begin = r->at;
    r->failed = false;
    r->nesting = 0;
    const uint32_t formula = parse_expr(r);
    const bool fine = !r->failed && (next_is(r, end) || next_is(r, other_end));
    r->failed = false;
    if (fine) return formula;
    r->at = begin;
    return 0;
}

static guard both(reader *r, guard a, uint32_t formula) {
    if (formula == 0 || !a.is_known) return (guard){0, false};
    if (a.formula != 0) formula = new_formula(r, RTL_FORMULA_BINARY, WEIR_RTL_LOGICAL_AND, a.formula, formula, 0);
    const bool fine = !r->failed;
    r->failed = false;
    return (guard){formula, fine};
}

static void walk_item(reader *r, guard when);
static void skip_statement(reader *r);

/* At `if`; the parts are items of a generate block, or statements that have no instances. */
static void walk_if(reader *r, guard when, bool is_statement) {
    r->at++;
    const size_t open = r->at;
    accept(r, "(");
    const uint32_t formula = is_statement ? 0 : try_expr(r, ")", ")");
    r->at = open;
    skip_enclosed(r, "(", ")");
    if (is_statement) skip_statement(r);
    else walk_item(r, both(r, when, formula));
    if (!accept(r, "else")) return;
    const uint32_t not = formula == 0 ? 0 : new_formula(r, RTL_FORMULA_UNARY, WEIR_RTL_LOGICAL_NOT, formula, 0, 0);
    if (is_statement) skip_statement(r);
    else walk_item(r, both(r, when, not ));
}

/* Up to the end of a block of statements, which have no instances. */
static void skip_statement(reader *r) {
    if (at_end(r)) return;
    if (next_is(r, "if")) {
        walk_if(r, (guard){0, false}, true);
    } else if (next_is(r, "begin")) {
        skip_enclosed(r, "begin", "end");
    } else if (next_is(r, "for") || next_is(r, "while") || next_is(r, "repeat") || next_is(r, "@") || next_is(r, "#")) {
        r->at++;
        if (next_is(r, "(")) skip_enclosed(r, "(", ")");
        else r->at++;
        skip_statement(r);
    } else if (next_is(r, "case") || next_is(r, "casez") || next_is(r, "casex")) {
        while (!at_end(r) && !accept(r, "endcase")) r->at++;
    } else {
        while (!at_end(r) && !accept(r, ";")) r->at++;
    }
}

/* for (I = FIRST; I < END; ...): what is inside is there where the first round is. What I is, is not known there. */
static void walk_for(reader *r, guard when) {
    const size_t open = ++r->at;
    weir_rtl_operator op = WEIR_RTL_LESS;
    uint32_t first = 0, end = 0;
    r->at += 3;
    if (rtl_token_is(&r->token[open + 2], "=")) first = try_expr(r, ";", ";");
    if (first != 0) r->at += 2; /* the semicolon and the name */
    if (first != 0 && binary_operator(r, &op)) {
        r->at++;
        end = try_expr(r, ";", ";");
    }
    const uint32_t runs = end == 0 ? 0 : new_formula(r, RTL_FORMULA_BINARY, op, first, end, 0);
    r->at = open;
    skip_enclosed(r, "(", ")");
    walk_item(r, both(r, when, runs));
}

/* #(.NAME(VALUE), ...): false where they have no names. */
static bool parse_settings(reader *r, rtl_inner *inner) {
    const size_t open = r->at;
    bool named = true;
    accept(r, "(");
    while (named && accept(r, ".")) {
        const rtl_token *t = &r->token[r->at++];
        const size_t begin = r->at;
        accept(r, "(");
        const uint32_t id = RTL_APPEND(r->design, setting), formula = try_expr(r, ")", ")");
        const char *name = weir_strings_intern_n(r->design->strings, t->text, t->length);
        r->design->setting[id] = (rtl_setting){name, formula};
        if (inner->setting_count++ == 0) inner->first_setting = id;
        r->at = begin;
        skip_enclosed(r, "(", ")");
        accept(r, ",");
    }
    named = next_is(r, ")");
    r->at = open;
    skip_enclosed(r, "(", ")");
    return named;
}

static void add_condition(reader *r, guard when, const char *name, int line) {
    if (!when.is_known || when.formula == 0) {
        weir_warning(weir_at(r->path, line), "'%s' is not checked: its expression has more than parameters and numbers",
                     name);
        weir_note("simulators and synthesis check it when they elaborate the design");
        return;
    }
    const uint32_t id = RTL_APPEND(r->design, condition);
    r->design->condition[id] = (rtl_condition){when.formula, name};
    rtl_module *module = &r->design->module[r->module];
    if (module->condition_count++ == 0) module->first_condition = id;
}

/* MODULE NAME (...); or MODULE #(...) NAME (...); else a declaration or an assignment. */
static void walk_instance(reader *r, guard when) {
    const rtl_token *type = &r->token[r->at++];
    rtl_inner inner = {.guard = when.formula, .line = type->line, .has_unknown_guard = !when.is_known};
    inner.module = weir_strings_intern_n(r->design->strings, type->text, type->length);
    bool fine = type->kind == RTL_TOKEN_NAME && weir_rtl_name_is_legal(inner.module);
    if (fine && accept(r, "#")) fine = next_is(r, "(") && parse_settings(r, &inner);
    const rtl_token *name = &r->token[r->at];
    fine = fine && name->kind == RTL_TOKEN_NAME && r->at++ < r->count;
    if (fine && next_is(r, "[")) skip_enclosed(r, "[", "]");
    fine = fine && next_is(r, "(");
    while (!at_end(r) && !accept(r, ";")) r->at++;
    if (!fine) return;
    inner.name = weir_strings_intern_n(r->design->strings, name->text, name->length);
    if (strstr(inner.module, "_must_") != NULL) {
        add_condition(r, when, inner.module, type->line);
        return;
    }
    const uint32_t id = RTL_APPEND(r->design, inner);
    r->design->inner[id] = inner;
    rtl_module *module = &r->design->module[r->module];
    if (module->inner_count++ == 0) module->first_inner = id;
}

static void walk_items(reader *r, const char *end, guard when) {
    while (!at_end(r) && !accept(r, end)) walk_item(r, when);
}

static void walk_item(reader *r, guard when) {
    if (at_end(r) || ++r->depth > MAX_NESTING) r->at = r->count;
    if (accept(r, "begin")) {
        if (accept(r, ":")) r->at++;
        walk_items(r, "end", when);
    } else if (accept(r, "generate")) {
        walk_items(r, "endgenerate", when);
    } else if (next_is(r, "if")) {
        walk_if(r, when, false);
    } else if (next_is(r, "for")) {
        walk_for(r, when);
    } else if (next_is(r, "case")) {
        skip_statement(r);
    } else if (next_is(r, "function") || next_is(r, "task")) {
        const char *end = next_is(r, "task") ? "endtask" : "endfunction";
        while (!at_end(r) && !accept(r, end)) r->at++;
    } else if (accept(r, "always") || accept(r, "initial")) {
        skip_statement(r);
    } else if (!at_end(r)) {
        walk_instance(r, when);
    }
    r->depth--;
}

static void walk_body(reader *r) {
    r->in_condition = true;
    walk_items(r, "endmodule", (guard){0, true});
    r->in_condition = false;
    r->failed = false;
}

/* The token after the header's semicolon. */
static size_t header_end(const reader *r) {
    size_t at = r->at;
    while (at < r->count && !rtl_token_is(&r->token[at], ";")) at++;
    return at < r->count ? at + 1 : at;
}

static void parse_module(reader *r) {
    expect(r, "module");
    int line = r->token[r->at].line;
    const char *name = expect_name(r, "a module name");
    size_t header = r->at;
    if (!r->failed) scan_body(r, header_end(r));
    if (r->failed) return;
    r->at = header;
    weir_rtl_set_location(r->design, weir_at(r->path, line));
    r->module = weir_rtl_add_module(r->design, name).id;
    if (!r->module) {
        r->failed = true;
        return;
    }
    r->design->module[r->module].is_external = true;
    r->design->module[r->module].path = r->path;
    r->design->module[r->module].text = r->text;
    r->design->module[r->module].text_size = r->text_size;
    if (accept(r, "#")) parse_parameter_list(r);
    if (accept(r, "(") && !accept(r, ")")) {
        rtl_var port = {.direction = WEIR_RTL_INTERNAL};
        rtl_range bits = {0};
        do parse_port(r, &port, &bits);
        while (!r->failed && accept(r, ","));
        expect(r, ")");
    }
    expect(r, ";");
    if (r->failed) return;
    default_widths(r);
    walk_body(r);
}

weir_rtl_module weir_rtl_read_module(weir_rtl_design *design, const char *path) {
    const char *own = weir_strings_intern(design->strings, path);
    const rtl_label *known = rtl_labels_find(&design->paths, 0, own);
    if (known) return (weir_rtl_module){known->number};
    size_t size = 0;
    char *source = weir_file_read(path, &size);
    if (!source) {
        design->errors++;
        return (weir_rtl_module){0};
    }
    char *text = memcpy(weir_arena_alloc(design->arena, size + 1), source, size + 1);
    free(source);
    const weir_location location = design->location;
    const char *subject = design->subject;
    reader r = {.design = design, .path = own, .text = text, .text_size = size};
    r.token = rtl_tokenize(text, size, &r.count);
    parse_module(&r);
    weir_rtl_set_location(design, location);
    weir_rtl_set_subject(design, subject);
    free(r.local);
    free(r.token);
    rtl_label label = {.name = own, .number = r.failed ? 0 : r.module};
    rtl_labels_set(&design->paths, &label);
    return (weir_rtl_module){label.number};
}
