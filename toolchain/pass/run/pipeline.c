/* Pipelines as text: a recursive descent parser that knows positions, and the printer. */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { DEEPEST = 64 };

/* Named pipelines that are being expanded, innermost first. */
typedef struct expansion {
    const weir_pass_entry *entry;
    const struct expansion *around;
} expansion;

typedef struct cursor {
    weir_pass_registry *registry;
    const char *at;
    const char *line_start;
    const char *file;
    int line;
    int depth;
    const expansion *inside;
} cursor;

static bool parse_list(cursor *c, weir_pass *sequence, char end);

static weir_pass_position here(const cursor *c) {
    return (weir_pass_position){weir_at(c->file, c->line), (int)(c->at - c->line_start) + 1};
}

static void skip_blanks(cursor *c) {
    for (;; c->at++) {
        if (*c->at == '#') {
            c->at += strcspn(c->at, "\n");
        }
        if (*c->at == '\n') {
            c->line++;
            c->line_start = c->at + 1;
        } else if (*c->at == 0 || !strchr(" \t\r", *c->at)) {
            return;
        }
    }
}

static void expected(const cursor *c, const char *what) {
    if (*c->at == 0) {
        weir_pass_complain(here(c), "expected %s, found the end", what);
    } else if ((unsigned char)*c->at < ' ' || (unsigned char)*c->at > '~') {
        weir_pass_complain(here(c), "expected %s, found byte 0x%02x", what, (unsigned)(unsigned char)*c->at);
    } else {
        weir_pass_complain(here(c), "expected %s, found '%c'", what, *c->at);
    }
}

static bool expect(cursor *c, char wanted, const char *what) {
    skip_blanks(c);
    if (*c->at != wanted) {
        expected(c, what);
        return false;
    }
    c->at++;
    return true;
}

/* A run of the characters, on the heap; NULL after an error when it is empty. */
static char *parse_word(cursor *c, const char *characters, const char *what) {
    skip_blanks(c);
    size_t length = strspn(c->at, characters);
    if (length == 0) {
        expected(c, what);
        return NULL;
    }
    char *word = weir_format("%.*s", (int)length, c->at);
    c->at += length;
    return word;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME LETTERS "0123456789-_."

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* One character of a string literal after the backslash, as weir_text_quoted writes them (JSON's, with code points up
 * to 0xff for bytes); -1 when there is no such escape. */
static int parse_escape(cursor *c) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char letter = *c->at;
    const char *found = letter ? strchr(from, letter) : NULL;
    if (found) {
        c->at++;
        return (unsigned char)to[found - from];
    }
    int value = 0;
    for (int i = 1; letter == 'u' && i <= 4; i++) {
        int digit = hex_digit(c->at[i]);
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    if (value == 0 || value > 0xff) {
        return -1;
    }
    c->at += 5;
    return value;
}

static char *parse_string(cursor *c) {
    weir_text text = {0};
    const cursor start = *c;
    c->at++;
    while (*c->at != '"') {
        int character = (unsigned char)*c->at;
        if (character == 0 || character == '\n') {
            weir_pass_complain(here(&start), "the string has no end on its line");
            weir_text_free(&text);
            return NULL;
        }
        c->at++;
        if (character == '\\') {
            character = parse_escape(c);
            if (character < 0) {
                weir_pass_complain(here(c), "unknown escape in a string");
                weir_text_free(&text);
                return NULL;
            }
        }
        weir_text_char(&text, (char)character);
    }
    c->at++;
    return text.data ? text.data : weir_copy_string("");
}

/* After the '{'. */
static bool parse_options(cursor *c, weir_pass *pass) {
    char *owner = weir_format("pass '%s'", pass->name);
    bool ok = true;
    for (skip_blanks(c); ok && *c->at != '}'; skip_blanks(c)) {
        weir_pass_position position = here(c);
        char *name = parse_word(c, NAME, "an option name or '}'");
        if (!name) {
            ok = false;
            break;
        }
        char *value = NULL;
        if (weir_pass_is_set(pass, name)) {
            weir_pass_complain(position, "option '%s' of %s is given twice", name, owner);
        } else if (expect(c, '=', "'=' and a value")) {
            skip_blanks(c);
            value = *c->at == '"' ? parse_string(c) : parse_word(c, NAME "+/:", "a value");
        }
        ok = value && weir_pass_values_set(&pass->values, name, value, owner, position);
        free(value);
        free(name);
        if (ok) {
            skip_blanks(c);
            c->at += *c->at == ',';
        }
    }
    free(owner);
    if (ok) {
        c->at++;
    }
    return ok;
}

static weir_pass *expand(const cursor *c, weir_pass_entry *entry, weir_pass_position position) {
    const expansion inside = {entry, c->inside};
    for (const expansion *e = c->inside; e; e = e->around) {
        if (e->entry == entry) {
            weir_pass_complain(position, "pipeline '%s' contains itself", entry->name);
            return NULL;
        }
    }
    weir_pass *pass = weir_pass_instance(entry);
    cursor inner = {.registry = c->registry, .at = entry->pipeline, .line_start = entry->pipeline};
    inner.file = entry->name;
    inner.line = 1;
    inner.depth = c->depth + 1;
    inner.inside = &inside;
    if (!parse_list(&inner, pass, 0)) {
        weir_note("in the text of pipeline '%s'", entry->name);
        weir_pass_free(pass);
        return NULL;
    }
    return pass;
}

static weir_pass *parse_named(cursor *c, const char *name, weir_pass_position position) {
    weir_pass_entry *entry = weir_pass_registry_entry(c->registry, name);
    if (!entry || !weir_pass_can_run(entry)) {
        weir_pass_registry_unknown(c->registry, name, position);
        return NULL;
    }
    if (entry->what == WEIR_PASS_ENTRY_PIPELINE) {
        return expand(c, entry, position);
    }
    weir_pass *pass = weir_pass_instance(entry);
    skip_blanks(c);
    if (*c->at == '{') {
        c->at++;
        if (!parse_options(c, pass)) {
            weir_pass_free(pass);
            return NULL;
        }
    }
    return pass;
}

static weir_pass *parse_group(cursor *c, weir_pass_kind kind) {
    if (!expect(c, '(', "'(' after the kind of unit")) {
        return NULL;
    }
    weir_pass *group = weir_pass_sequence_new(kind, NULL, 0);
    if (!parse_list(c, group, ')')) {
        weir_pass_free(group);
        return NULL;
    }
    c->at++;
    return group;
}

static bool parse_element(cursor *c, weir_pass *sequence) {
    skip_blanks(c);
    weir_pass_position position = here(c);
    char *name = parse_word(c, NAME, "a pass");
    if (!name) {
        return false;
    }
    int kind = 0;
    while (kind < WEIR_PASS_KIND_COUNT && strcmp(name, weir_pass_kind_name((weir_pass_kind)kind)) != 0) {
        kind++;
    }
    weir_pass *pass =
        kind < WEIR_PASS_KIND_COUNT ? parse_group(c, (weir_pass_kind)kind) : parse_named(c, name, position);
    if (pass && sequence->kind != WEIR_PASS_MODULE && sequence->kind != pass->kind) {
        weir_pass_complain(position, "%s '%s' does not fit into %s(...)",
                           pass->is_sequence ? "sequence" : weir_pass_kind_name(pass->kind), name,
                           weir_pass_kind_name(sequence->kind));
        weir_pass_free(pass);
        pass = NULL;
    }
    free(name);
    return pass && weir_pass_sequence_add(sequence, pass);
}

/* Up to `end`, which is not taken; an empty list is fine. */
static bool parse_list(cursor *c, weir_pass *sequence, char end) {
    skip_blanks(c);
    if (*c->at == end) {
        return true;
    }
    if (++c->depth > DEEPEST) {
        weir_pass_complain(here(c), "the pipeline nests deeper than %d", DEEPEST);
        return false;
    }
    for (;;) {
        if (!parse_element(c, sequence)) {
            return false;
        }
        skip_blanks(c);
        if (*c->at == end) {
            c->depth--;
            return true;
        }
        if (!expect(c, ',', end ? "',' or ')'" : "','")) {
            return false;
        }
    }
}

weir_pass *weir_pass_parse(weir_pass_registry *registry, const char *text, weir_location where) {
    cursor c = {.registry = registry, .at = text, .line_start = text, .file = where.file};
    c.line = where.line > 0 ? where.line : 1;
    weir_pass *sequence = weir_pass_sequence_new(WEIR_PASS_MODULE, "pipeline", 0);
    sequence->is_open = true;
    if (!parse_list(&c, sequence, 0)) {
        weir_pass_free(sequence);
        return NULL;
    }
    return sequence;
}

static void print_element(const weir_pass *pass, weir_text *text);

static void print_list(const weir_pass *pass, weir_text *text) {
    for (size_t i = 0; i < pass->count; i++) {
        if (i) {
            weir_text_char(text, ',');
        }
        print_element(pass->child[i], text);
    }
}

static void print_element(const weir_pass *pass, weir_text *text) {
    if (pass->entry) {
        weir_text_add(text, pass->name);
        weir_pass_values_print(&pass->values, text);
    } else {
        weir_text_format(text, "%s(", weir_pass_kind_name(pass->kind));
        print_list(pass, text);
        weir_text_char(text, ')');
    }
}

void weir_pass_print(const weir_pass *pass, weir_text *text) {
    weir_text_add(text, "");
    if (pass->is_open) {
        print_list(pass, text);
    } else {
        print_element(pass, text);
    }
}

weir_pass *weir_pass_new(weir_pass_registry *registry, const char *name) {
    weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
    if (!entry || !weir_pass_can_run(entry)) {
        weir_pass_registry_unknown(registry, name, (weir_pass_position){WEIR_NOWHERE, 0});
        return NULL;
    }
    if (entry->what == WEIR_PASS_ENTRY_PASS) {
        return weir_pass_instance(entry);
    }
    /* The parser expands pipelines; its result holds exactly this one. */
    weir_pass *open = weir_pass_parse(registry, name, WEIR_NOWHERE);
    if (!open) {
        return NULL;
    }
    weir_pass *pass = open->child[0];
    open->count = 0;
    weir_pass_free(open);
    return pass;
}
