/* mutate FILE SCOPE SEARCH REPLACE: prints the Verilog of FILE with a fault in it: the tokens of SEARCH become REPLACE.
 * Blanks and comments mean nothing. SEARCH must occur exactly once; with a SCOPE (the `in` of a list) that is not
 * empty, which must occur exactly once itself, the first SEARCH behind it is meant. Exit status: 0 done, 1 not so (said
 * on standard error), 2 bad usage. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"

typedef struct token {
    const char *start;
    size_t size;
} token;

typedef struct tokens {
    token *list;
    size_t count;
} tokens;

static const char *skip_blanks(const char *at) {
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end == NULL ? at + strlen(at) : end + 2;
        } else {
            return at;
        }
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '`'; }

/* Bytes of the token at `at`: a word, a number with its base, a string, the longest operator, or one character. */
static size_t token_size(const char *at) {
    static const char *const operators[] = {"<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=",
                                            "&&",  "||",  "**",  "~&",  "~|", "~^", "+:", "-:", "(*", "*)"};
    size_t size = 0;
    if (is_word(*at)) {
        while (is_word(at[size])) size++;
        if (isdigit((unsigned char)*at) && at[size] == '\'') {
            size++;
            while (is_word(at[size])) size++;
        }
        return size;
    }
    if (*at == '"') {
        for (size = 1; at[size] != '\0' && at[size] != '"';) size += at[size] == '\\' && at[size + 1] != '\0' ? 2 : 1;
        return size + (at[size] == '"');
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strncmp(at, operators[i], strlen(operators[i])) == 0) return strlen(operators[i]);
    }
    return 1;
}

static tokens cut(const char *text) {
    tokens result = {weir_malloc((strlen(text) + 1) * sizeof(token)), 0};
    for (const char *at = skip_blanks(text); *at != '\0'; at = skip_blanks(at)) {
        result.list[result.count++] = (token){at, token_size(at)};
        at += token_size(at);
    }
    return result;
}

static bool matches(const tokens *in, size_t at, const tokens *what) {
    if (what->count == 0 || at + what->count > in->count) return false;
    for (size_t i = 0; i < what->count; i++) {
        const token *a = &in->list[at + i], *b = &what->list[i];
        if (a->size != b->size || memcmp(a->start, b->start, a->size) != 0) return false;
    }
    return true;
}

static size_t find(const tokens *in, size_t from, const tokens *what) {
    while (from < in->count && !matches(in, from, what)) from++;
    return from;
}

static size_t occurrences(const tokens *in, const tokens *what) {
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++) count += matches(in, i, what);
    return count;
}

/* The index of the one place; false after saying why there is none. */
static bool place(const tokens *in, const tokens *scope, const tokens *search, size_t *at) {
    const tokens *once = scope->count > 0 ? scope : search;
    const size_t count = occurrences(in, once);
    if (count != 1) {
        fprintf(stderr, "expected its %s once, found it %zu times\n", once == scope ? "scope" : "tokens", count);
        return false;
    }
    *at = find(in, scope->count > 0 ? find(in, 0, scope) + scope->count : 0, search);
    if (*at == in->count) fprintf(stderr, "its tokens are not behind its scope\n");
    return *at < in->count;
}

int main(int count, char **argument) {
    if (count != 5) {
        fprintf(stderr, "usage: mutate FILE SCOPE SEARCH REPLACE\n");
        return 2;
    }
    size_t size, at = 0;
    char *text = weir_file_read(argument[1], &size);
    if (text == NULL) return 1;
    tokens in = cut(text), scope = cut(argument[2]), search = cut(argument[3]);
    const bool fine = place(&in, &scope, &search, &at);
    if (fine) {
        const token *last = &in.list[at + search.count - 1];
        printf("%.*s %s %s", (int)(in.list[at].start - text), text, argument[4], last->start + last->size);
    }
    free(in.list);
    free(scope.list);
    free(search.list);
    free(text);
    return fine ? 0 : 1;
}
