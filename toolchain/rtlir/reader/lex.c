/* Tokens of Verilog. Anything that is no token becomes one of kind BAD, which the parser then refuses. */
#include "rtlir/reader/lex_private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { BYTES_A_TOKEN = 8 }; /* roughly, with comments */

typedef struct lexer {
    const char *at, *end;
    int line;
    rtl_token *token;
    size_t count, capacity;
} lexer;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A letter, a digit, _ or $. */
static bool is_word(char c) {
    static const uint32_t words[8] = {0, 1u << 4 | 0x3ffu << 16, 0x87fffffe, 0x07fffffe};
    const unsigned char byte = (unsigned char)c;
    return words[byte / 32] >> byte % 32 & 1;
}

static char peek(const lexer *l, size_t offset) { return offset < (size_t)(l->end - l->at) ? l->at[offset] : 0; }

static void skip(lexer *l, size_t count) {
    for (; count > 0 && l->at < l->end; count--) l->line += *l->at++ == '\n';
}

static void skip_line(lexer *l) {
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->at = newline != NULL ? newline : l->end;
}

static void skip_past(lexer *l, const char *two) {
    skip(l, 2);
    while (l->at < l->end && !(l->at[0] == two[0] && peek(l, 1) == two[1])) skip(l, 1);
    skip(l, 2);
}

/* (* opens an attribute, but (*) is an event list. */
static bool at_attribute(const lexer *l) {
    if (peek(l, 0) != '(' || peek(l, 1) != '*') return false;
    size_t i = 2;
    while (peek(l, i) == ' ') i++;
    return peek(l, i) != ')';
}

static bool skip_blank(lexer *l) {
    const char c = peek(l, 0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') skip(l, 1);
    else if (c == '/' && peek(l, 1) == '/') skip_line(l);
    else if (c == '/' && peek(l, 1) == '*') skip_past(l, "*/");
    else if (at_attribute(l)) skip_past(l, "*)");
    else return false;
    return true;
}

/* By the first letter, which few words share. */
static inline int opens(const rtl_token *t) {
    if (t->kind != RTL_TOKEN_NAME && t->kind != RTL_TOKEN_SYMBOL) return 0;
    switch (*t->text) {
    case '(':
    case '{': return 1;
    case ')':
    case '}': return -1;
    case 'b': return rtl_token_is(t, "begin");
    case 'c': return rtl_token_is(t, "case") || rtl_token_is(t, "casez") || rtl_token_is(t, "casex");
    case 'e':
        return -(rtl_token_is(t, "end") || rtl_token_is(t, "endcase") || rtl_token_is(t, "endfunction") ||
                 rtl_token_is(t, "endtask"));
    case 'f': return rtl_token_is(t, "function") || rtl_token_is(t, "fork");
    case 'j': return -rtl_token_is(t, "join");
    case 't': return rtl_token_is(t, "task");
    default: return 0;
    }
}

static void add(lexer *l, rtl_token_kind kind, const char *text, size_t length, int line) {
    if (l->count == l->capacity) l->token = weir_grow(l->token, &l->capacity, l->count + 1, sizeof *l->token);
    rtl_token token = {kind, line, 0, text, length};
    token.opens = opens(&token);
    l->token[l->count++] = token;
}

static void add_word(lexer *l, rtl_token_kind kind, size_t prefix) {
    const char *start = l->at, *end = start + prefix;
    while (end < l->end && is_word(*end)) end++;
    l->at = end;
    add(l, kind, start, (size_t)(end - start), l->line);
}

/* 12, 8'hff, 'd3, 4 'b1: digits, then a base and its digits. */
static void add_number(lexer *l) {
    const char *start = l->at;
    while (is_digit(peek(l, 0)) || peek(l, 0) == '_') l->at++;
    const char *size_end = l->at;
    while (peek(l, 0) == ' ') l->at++;
    if (peek(l, 0) == '\'') {
        l->at++;
        while (is_word(peek(l, 0)) || peek(l, 0) == '?') l->at++;
    } else {
        l->at = size_end;
        while (is_word(peek(l, 0)) || (peek(l, 0) == '.' && is_digit(peek(l, 1)))) l->at++;
    }
    add(l, RTL_TOKEN_NUMBER, start, (size_t)(l->at - start), l->line);
}

static void add_string(lexer *l) {
    int line = l->line;
    const char *start = l->at + 1;
    skip(l, 1);
    while (l->at < l->end && *l->at != '"' && *l->at != '\n') skip(l, *l->at == '\\' ? 2 : 1);
    bool closed = l->at < l->end && *l->at == '"';
    add(l, closed ? RTL_TOKEN_STRING : RTL_TOKEN_BAD, start, (size_t)(l->at - start), line);
    skip(l, 1);
}

static bool is_at(const lexer *l, const char *word) {
    const size_t size = strlen(word);
    return (size_t)(l->end - l->at) >= size && memcmp(l->at, word, size) == 0;
}

/* Up to the `endif of the conditional that stands here; false when the text ends before it, and nothing is skipped. */
static bool skip_conditional(lexer *l) {
    const lexer before = *l;
    int depth = 0;
    while (l->at < l->end) {
        if (is_at(l, "`ifdef") || is_at(l, "`ifndef")) depth++;
        const bool ends = is_at(l, "`endif") && --depth == 0;
        skip_line(l);
        if (ends) return true;
        while (skip_blank(l)) {
        }
    }
    *l = before;
    return false;
}

/* Directives that do not change what the reader sees are dropped with their line, and so are the assertions of the
 * simulation, which are no hardware. */
static void add_directive(lexer *l) {
    if (is_at(l, "`ifdef WEIR_CHECK\n") && skip_conditional(l)) return;
    static const char *const dropped[] = {"`default_nettype", "`timescale",   "`resetall", "`define",
                                          "`undef",           "`celldefine",  "`line",     "`endcelldefine",
                                          "`begin_keywords",  "`end_keywords"};
    add_word(l, RTL_TOKEN_MACRO, 1);
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        if (rtl_token_is(&l->token[l->count - 1], dropped[i])) {
            l->count--;
            skip_line(l);
            return;
        }
    }
}

/* Characters of the symbol that begins at `at`, of which `left` are there: those of more than one are all named
 * here. */
static size_t symbol_length(const char *at, size_t left) {
    const char first = at[0], second = left > 1 ? at[1] : '\0', third = left > 2 ? at[2] : '\0';
    switch (first) {
    case '<':
    case '>': return second == first ? third == first ? 3 : 2 : second == '=' ? 2 : 1;
    case '=':
    case '!': return second != '=' ? 1 : third == '=' ? 3 : 2;
    case '*':
    case '&':
    case '|': return second == first ? 2 : 1;
    case '+': return second == ':' ? 2 : 1;
    case '-': return second == ':' || second == '>' ? 2 : 1;
    default: return 1;
    }
}

static void add_symbol(lexer *l) {
    const size_t length = symbol_length(l->at, (size_t)(l->end - l->at));
    const unsigned char c = (unsigned char)*l->at;
    add(l, c > 0x20 && c < 0x7f ? RTL_TOKEN_SYMBOL : RTL_TOKEN_BAD, l->at, length, l->line);
    l->at += length;
}

rtl_token *rtl_tokenize(const char *source, size_t size, size_t *count) {
    lexer l = {.at = source, .end = source + size, .line = 1};
    l.token = weir_grow(NULL, &l.capacity, size / BYTES_A_TOKEN + 1, sizeof *l.token);
    while (l.at < l.end) {
        while (l.at < l.end && (*l.at == ' ' || *l.at == '\n')) l.line += *l.at++ == '\n';
        if (l.at == l.end) break;
        const char c = *l.at;
        if ((c < ' ' || c == '/' || c == '(') && skip_blank(&l)) continue;
        if (c == '"') add_string(&l);
        else if (c == '`') add_directive(&l);
        else if (c == '$') add_word(&l, RTL_TOKEN_SYSTEM, 1);
        else if (is_digit(c) || c == '\'') add_number(&l);
        else if (is_word(c)) add_word(&l, RTL_TOKEN_NAME, 1);
        else add_symbol(&l);
    }
    add(&l, RTL_TOKEN_END, "", 0, l.line);
    *count = l.count - 1;
    return l.token;
}
