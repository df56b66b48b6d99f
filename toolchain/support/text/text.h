/* A growing text buffer with formatted output that does not depend on the locale. */
#ifndef WEIR_TEXT_H
#define WEIR_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_text {
    char *data; /* zero-terminated once anything was added; NULL before */
    size_t size;
    size_t capacity;
} weir_text;

void weir_text_add(weir_text *text, const char *string);
void weir_text_add_n(weir_text *text, const char *data, size_t size);
void weir_text_char(weir_text *text, char c);
/* printf formatting; for numbers with a fraction use weir_text_double, which ignores the locale. */
void weir_text_format(weir_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_text_vformat(weir_text *text, const char *format, va_list arguments);
/* The shortest decimal that reads back as the same double. */
void weir_text_double(weir_text *text, double value);
/* A JSON/C string literal: quotes, with escapes for what is not printable ASCII or is not valid UTF-8. */
void weir_text_quoted(weir_text *text, const char *string);
/* Part of a printed line: control characters become blanks, what is not UTF-8, ends a line or turns the writing '?'. */
void weir_text_plain(weir_text *text, const char *string, size_t size);
void weir_text_free(weir_text *text);

/* strtod in the C locale. */
double weir_parse_double(const char *text, char **end);

#endif
