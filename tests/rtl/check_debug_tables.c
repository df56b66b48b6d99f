/* Symbol tables as the hgdb debugger reads them: usage: check_debug_tables FOLDER [--planted CHECK]
 * For every FOLDER/designs/NAME.wrtl, as it is and in static single assignment form, and the input of every
 * FOLDER/PASS/CASE.txt that the pipeline `verilog` takes: entries have what the debugger's schema asks of their type,
 * and a line; conditions are in the language of its expressions, which a parser made from its grammar reads; and for
 * the designs, in Icarus, each condition computed from the signals as the debugger reads them (signed numbers of 32
 * bits) is what the condition in the Verilog is, for random values. Exit status 0 when all holds, or with --planted,
 * when exactly that check fails (grammar, results, schema); 77 without Icarus. */
#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { MOST_SYMBOLS = 64, ROUNDS = 12 };

/* ---- the language: integers, sized hexadecimal integers, names with [..] and '.', and C's operators by precedence
 * ---- */

typedef struct parser {
    const char *at;
    bool failed;
    const char *name[MOST_SYMBOLS]; /* heap */
    int64_t value[MOST_SYMBOLS];
    size_t count;
} parser;

static int64_t parse_level(parser *p, int level);

static void skip(parser *p) { p->at += strspn(p->at, " \t\n"); }

static bool is_head(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$'; }

static const char *name_end(const char *c) {
    while (is_head(*c) || isdigit((unsigned char)*c)) c++;
    return c;
}

/* [name] or [7] or [7:0], each any number of times. */
static const char *tails_end(parser *p, const char *c) {
    while (*c == '[') {
        const char *from = ++c;
        if (is_head(*c)) c = name_end(c);
        else
            while (isdigit((unsigned char)*c) || (*c == ':' && c > from)) c++;
        p->failed |= c == from || *c != ']';
        c += *c == ']';
    }
    return c;
}

static int64_t parse_name(parser *p) {
    const char *end = tails_end(p, name_end(p->at));
    while (*end == '.' && is_head(end[1])) end = tails_end(p, name_end(end + 1));
    const size_t size = (size_t)(end - p->at);
    size_t i = 0;
    while (i < p->count && (strncmp(p->name[i], p->at, size) != 0 || p->name[i][size] != '\0')) i++;
    if (i == p->count && i < MOST_SYMBOLS) p->name[p->count++] = weir_format("%.*s", (int)size, p->at);
    p->failed |= i == MOST_SYMBOLS;
    p->at = end;
    return p->failed ? 0 : p->value[i];
}

static int64_t parse_value(parser *p) {
    skip(p);
    int64_t value = 0;
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        value = strtoll(p->at, &end, 10);
        const bool is_hex = end[0] == '\'' && end[1] == 'h' && isxdigit((unsigned char)end[2]);
        if (is_hex) value = strtoll(end + 2, &end, 16);
        p->at = end;
    } else if (is_head(*p->at)) {
        value = parse_name(p);
    } else if (*p->at == '(') {
        p->at++;
        value = parse_level(p, 0);
        p->failed |= *p->at != ')';
        p->at += *p->at == ')';
    } else if (*p->at != '\0' && strchr("!~+-", *p->at) != NULL) {
        const char op = *p->at++;
        value = parse_value(p);
        value = op == '!' ? !value : op == '~' ? ~value : op == '-' ? -value : value;
    } else {
        p->failed = true;
    }
    skip(p);
    return value;
}

static const char *const operators[][5] = {
    {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};

/* The operator of the level that stands here; a longer one of another level does not count. */
static const char *operator_at(const parser *p, int level) {
    for (size_t i = 0; i < 5 && operators[level][i] != NULL; i++) {
        const char *op = operators[level][i];
        const size_t size = strlen(op);
        if (strncmp(p->at, op, size) != 0) continue;
        const bool is_double = size == 1 && (*op == '|' || *op == '&') && p->at[1] == *op;
        if (!is_double) return op;
    }
    return NULL;
}

static int64_t compute(parser *p, const char *op, int64_t a, int64_t b) {
    const bool divides = *op == '/' || *op == '%';
    if (divides && b == 0) p->failed = true; /* the debugger would crash */
    if (p->failed) return 0;
    switch (*op) {
    case '|': return op[1] ? a || b : (a | b);
    case '&': return op[1] ? a && b : (a & b);
    case '^': return a ^ b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] ? a <= b : a < b;
    case '>': return op[1] ? a >= b : a > b;
    case '+': return (int64_t)((uint64_t)a + (uint64_t)b);
    case '-': return (int64_t)((uint64_t)a - (uint64_t)b);
    case '*': return (int64_t)((uint64_t)a * (uint64_t)b);
    case '/': return a / b;
    default: return a % b;
    }
}

static int64_t parse_level(parser *p, int level) {
    if (level == (int)(sizeof operators / sizeof *operators)) return parse_value(p);
    int64_t value = parse_level(p, level + 1);
    for (const char *op; !p->failed && (op = operator_at(p, level)) != NULL;) {
        p->at += strlen(op);
        value = compute(p, op, value, parse_level(p, level + 1));
    }
    return value;
}

/* Names that the text has are added to the parser's; false when the text is not of the language. */
static bool parse(parser *p, const char *text, int64_t *value) {
    p->at = text;
    p->failed = false;
    *value = parse_level(p, 0);
    return !p->failed && *p->at == '\0';
}

static void free_names(parser *p) {
    for (size_t i = 0; i < p->count; i++) free((char *)(uintptr_t)p->name[i]);
    *p = (parser){.count = 0};
}

/* ---- tables ---- */

typedef struct subject {
    const char *planted;
    const char *work;
    weir_text verilog;        /* of all modules, with the bench in each */
    const json_t **condition; /* those in it */
    size_t count, capacity;
    size_t said, unsaid, entries;
} subject;

static weir_text messages;

static bool is_planted(const subject *s, const char *check) {
    return s->planted != NULL && strcmp(s->planted, check) == 0;
}

static void check_text(const json_t *e, const char *key, const char *what) {
    if (!json_is_string(json_object_get(e, key))) complain("schema", what);
}

/* What the schema requires of the type; a line, which may be none there, is one here. */
static void check_entry(subject *s, const json_t *e, bool is_file) {
    const char *type = json_string_value(json_object_get(e, "type"));
    const json_int_t line = json_integer_value(json_object_get(e, "line"));
    const json_t *variable = json_object_get(e, "variable");
    s->entries++;
    if (is_file) check_text(e, "filename", "a scope of a file without its name");
    else if (line < 1) complain("schema", "an entry without a line");
    if (type != NULL && (strcmp(type, "block") == 0 || strcmp(type, "module") == 0)) {
        if (!json_is_array(json_object_get(e, "scope"))) complain("schema", "a block without a scope");
    } else if (type != NULL && (strcmp(type, "assign") == 0 || strcmp(type, "decl") == 0)) {
        check_text(variable, "name", "an assignment without a variable");
        check_text(variable, "value", "an assignment without a signal");
        if (!json_is_boolean(json_object_get(variable, "rtl"))) complain("schema", "a variable without 'rtl'");
    } else if (type == NULL || strcmp(type, "none") != 0) {
        complain("schema", "an entry of an unknown type");
    }
}

static void check_condition(subject *s, const json_t *e) {
    const char *text = json_string_value(json_object_get(e, "condition"));
    parser p = {.count = 0};
    int64_t value;
    const bool has_both = json_object_get(e, "rtl_condition") != NULL;
    s->unsaid += has_both && text == NULL;
    if (text == NULL) return;
    if (is_planted(s, "grammar")) text = "{a, 2'd1} == b ? c : d";
    for (size_t i = 0; i < MOST_SYMBOLS; i++) p.value[i] = 1;
    s->said++;
    if (!parse(&p, text, &value)) complain("grammar", text);
    free_names(&p);
    s->condition = weir_grow(s->condition, &s->capacity, s->count + 1, sizeof *s->condition);
    s->condition[s->count++] = e;
}

/* Nesting is bounded by the IR. */
static void check_scope(subject *s, const json_t *scope, bool is_file) {
    size_t index;
    json_t *e;
    json_array_foreach(scope, index, e) {
        check_entry(s, e, is_file);
        check_condition(s, e);
        check_scope(s, json_object_get(e, "scope"), false);
    }
}

/* ---- simulation ---- */

/* Forces the signals of each condition to random values, and prints the condition and them as the debugger reads
 * them. */
static void add_bench(subject *s, size_t first) {
    weir_text_add(&s->verilog, "\n  integer debug_round, debug_signal;\n  initial begin\n");
    weir_text_format(&s->verilog, "    for (debug_round = 0; debug_round < %d; debug_round = debug_round + 1) begin\n",
                     ROUNDS);
    for (size_t i = first; i < s->count; i++) {
        parser p = {.count = 0};
        int64_t value;
        parse(&p, json_string_value(json_object_get(s->condition[i], "condition")), &value);
        for (size_t k = 0; k < p.count; k++)
            weir_text_format(&s->verilog, "      force %s = {$random, $random} >> ($random & 63);\n", p.name[k]);
        weir_text_format(&s->verilog, "      #1 if (%s) $write(\"%zu 1\"); else $write(\"%zu 0\");\n",
                         json_string_value(json_object_get(s->condition[i], "rtl_condition")), i, i);
        for (size_t k = 0; k < p.count; k++)
            weir_text_format(&s->verilog, "      debug_signal = %s;\n      $write(\" %%0d\", debug_signal);\n",
                             p.name[k]);
        weir_text_add(&s->verilog, "      $write(\"\\n\");\n");
        free_names(&p);
    }
    weir_text_add(&s->verilog, "    end\n    #1000 $finish;\n  end\n");
}

static void check_line(const subject *s, char *line) {
    char *at;
    const size_t index = (size_t)strtoull(line, &at, 10);
    if (at == line || index >= s->count) return;
    const char *text = json_string_value(json_object_get(s->condition[index], "condition"));
    parser p = {.count = 0};
    int64_t value;
    const bool expected = strtoll(at, &at, 10) != 0;
    for (size_t i = 0; i < MOST_SYMBOLS; i++) p.value[i] = strtoll(at, &at, 10);
    const bool parsed = parse(&p, text, &value);
    if (!parsed || (value != 0) != (expected != is_planted(s, "results"))) {
        char *why =
            weir_format("%s is %lld, '%s' is %d\n  %s", text, (long long)value,
                        json_string_value(json_object_get(s->condition[index], "rtl_condition")), expected, line);
        complain("results", why);
        free(why);
    }
    free_names(&p);
}

static void simulate(subject *s, weir_rtl_design *design, weir_rtl_module top, const char *name) {
    weir_text output = {0}, why = {0};
    weir_rtl_files files = {NULL, 0, 0};
    char *file = weir_path_join(s->work, "debug.v"), *program = weir_path_join(s->work, "debug.vvp");
    const char *compile[64] = {"iverilog", "-g2005", "-o", program, "-s", weir_rtl_get_module(design, top).name};
    const char *const start[] = {"vvp", "-N", program, NULL};
    size_t count = 6;
    int status = 1;
    weir_rtl_find_files(design, top, &files, &why);
    for (size_t i = 0; i < files.count && count < 60; i++) compile[count++] = files.path[i];
    compile[count] = file;
    weir_text_add(&output, "");
    bool fine = weir_file_write(file, s->verilog.data, s->verilog.size);
    fine = fine && weir_process_run(&(weir_process){.arguments = compile, .seconds = 60}, &output, &status) ==
                       WEIR_PROCESS_EXITED;
    fine = fine && status == 0;
    fine = fine && weir_process_run(&(weir_process){.arguments = start, .seconds = 60}, &output, &status) ==
                       WEIR_PROCESS_EXITED;
    if (!fine || status != 0) complain(name, output.data);
    for (char *line, *rest = output.data; fine && (line = strtok_r(rest, "\n", &rest)) != NULL;) check_line(s, line);
    weir_rtl_free_files(&files);
    weir_text_free(&output);
    weir_text_free(&why);
    free(file);
    free(program);
}

/* ---- designs ---- */

static void check_table(subject *s, weir_rtl_design *design, weir_rtl_module top, const json_t *table, bool simulates,
                        const char *name) {
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    size_t index;
    json_t *module;
    s->verilog.size = s->count = 0;
    json_array_foreach(table, index, module) {
        const size_t first = s->count;
        check_entry(s, module, false);
        check_text(module, "name", "a module without a name");
        if (!json_is_array(json_object_get(module, "variables"))) complain("schema", "a module without variables");
        check_scope(s, json_object_get(module, "scope"), true);
        if (!simulates) continue;
        const char *own = json_string_value(json_object_get(module, "name"));
        weir_rtl_print_module(design, weir_rtl_find_module(design, own), &options, &s->verilog);
        char *end = s->verilog.data;
        for (char *next = end; (next = strstr(next, "\nendmodule")) != NULL; next++) end = next;
        s->verilog.size = (size_t)(end - s->verilog.data);
        if (s->count > first) add_bench(s, first);
        weir_text_add(&s->verilog, "\nendmodule\n`default_nettype wire\n");
    }
    if (simulates && s->count > 0 && s->planted == NULL) simulate(s, design, top, name);
    else if (simulates && s->count > 0 && is_planted(s, "results")) simulate(s, design, top, name);
}

static void check_design(subject *s, weir_rtl_design *design, const char *top_name, const char *before, bool simulates,
                         const char *name) {
    const weir_rtl_module top = design != NULL ? weir_rtl_choose_top(design, top_name) : (weir_rtl_module){0};
    if (top.id == 0) {
        weir_rtl_design_free(design);
        return;
    }
    char *own = weir_copy_string(weir_rtl_get_module(design, top).name), *file = weir_path_join(s->work, "debug.json");
    weir_module *module = weir_module_new("design");
    weir_module_set_rtl(module, design, own);
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    char *steps = weir_format("verilog,%sextract_debug_info{file=\"%s\"}", before, file);
    weir_pass *pass = weir_pass_parse(registry, steps, WEIR_NOWHERE);
    if (weir_pass_run(context, pass, module)) {
        json_t *whole = json_load_file(file, 0, NULL);
        if (whole == NULL || json_object_get(whole, "top") == NULL) complain("schema", name);
        const json_t *table = json_object_get(whole, "table");
        if (is_planted(s, "schema")) json_object_del(json_array_get(table, 0), "variables");
        check_table(s, design, weir_rtl_find_top(design, own), table, simulates, name);
        json_decref(whole);
    } else if (simulates) {
        complain("design", messages.data);
    }
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    free(steps);
    free(own);
    free(file);
}

static void check_file(subject *s, const char *path) {
    const size_t size = strlen(path);
    messages.size = 0;
    weir_text_add(&messages, "");
    if (size > 5 && strcmp(path + size - 5, ".wrtl") == 0) {
        check_design(s, weir_rtl_load_text(path), NULL, "", true, path);
        if (s->planted == NULL)
            check_design(s, weir_rtl_load_text(path), NULL, "ssa_transform,propagate_scope_variable,", true, path);
        return;
    }
    size_t length;
    char *text = weir_file_read(path, &length);
    char *input = strstr(text, "--- input\n"), *end = input == NULL ? NULL : strstr(input + 1, "\n--- ");
    char *top = strstr(text, "\ntop: ");
    if (end != NULL && (top == NULL || top < input)) {
        char *name = top == NULL ? NULL : weir_format("%.*s", (int)strcspn(top + 6, "\n"), top + 6);
        check_design(s, weir_rtl_parse_text(input + 10, (size_t)(end + 1 - input - 10), path), name, "", false, path);
        free(name);
    }
    free(text);
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* The files of a folder and of those in it. */
static void check_folder(subject *s, const char *folder, int depth) {
    struct dirent **entry;
    const int count = scandir(folder, &entry, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = weir_path_join(folder, entry[i]->d_name);
        const char *dot = strrchr(entry[i]->d_name, '.');
        if (dot == NULL && depth > 0) check_folder(s, path, depth - 1);
        else if (dot != NULL && depth == 0 && (strcmp(dot, ".wrtl") == 0 || strcmp(dot, ".txt") == 0))
            check_file(s, path);
        free(path);
        free(entry[i]);
    }
    if (count >= 0) free(entry);
}

int main(int count, char **arguments) {
    const bool planted = count == 4 && strcmp(arguments[2], "--planted") == 0;
    subject s = {.planted = planted ? arguments[3] : NULL};
    const int refused = batch_refuses("check_debug_tables FOLDER [--planted CHECK]", count == 2 || planted, true);
    if (refused != 0) return refused;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "debug-");
    s.work = scratch == NULL ? NULL : weir_scratch_path(scratch);
    weir_diag_set_handler(keep_message, &messages);
    check_folder(&s, arguments[1], 1);
    printf("%zu entries, %zu conditions, %zu that the debugger's language cannot say\n", s.entries, s.said, s.unsaid);
    if (s.said < 100 || s.unsaid * 10 > s.said) complain("conditions", "too few are said");
    weir_scratch_free(scratch);
    free(s.condition);
    weir_text_free(&s.verilog);
    weir_text_free(&messages);
    return case_status(s.planted);
}
