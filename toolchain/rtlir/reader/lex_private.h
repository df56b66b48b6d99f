/* The tokens of a Verilog source text, for the reader of module headers. */
#ifndef WEIR_RTLIR_LEX_H
#define WEIR_RTLIR_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum rtl_token_kind {
    RTL_TOKEN_END,
    RTL_TOKEN_NAME,   /* identifier or keyword */
    RTL_TOKEN_SYSTEM, /* $name */
    RTL_TOKEN_NUMBER,
    RTL_TOKEN_STRING, /* the text between the quotes */
    RTL_TOKEN_MACRO,  /* `name; known directives are skipped with their line */
    RTL_TOKEN_SYMBOL,
    RTL_TOKEN_BAD
} rtl_token_kind;

typedef struct rtl_token {
    rtl_token_kind kind;
    int line;
    int opens;        /* 1: begins what another token ends (begin, case, parenthesis, ...), -1: ends it */
    const char *text; /* into the source */
    size_t length;
} rtl_token;

/* Splits the text; comments, attributes and compiler directives are dropped. Heap memory that ends with a token of kind
 * END; *count does not include it. */
rtl_token *rtl_tokenize(const char *source, size_t size, size_t *count);
/* Inline, so that lengths of texts that are written out are known. */
__attribute__((always_inline)) static inline bool rtl_token_is(const rtl_token *token, const char *text) {
    if (token->length == 0 || *token->text != *text) return false; /* as most */
    const size_t length = strlen(text);
    return token->length == length && memcmp(token->text, text, length) == 0 && token->kind != RTL_TOKEN_STRING;
}

#endif
