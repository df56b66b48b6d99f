/* The characters of the text form: words, numbers, strings, and the expressions made of them. */
#ifndef WEIR_RTLIR_TEXT_SCAN_H
#define WEIR_RTLIR_TEXT_SCAN_H

#include "rtlir/core/private.h"
#include "rtlir/text/text_tree_private.h"

typedef struct rtl_scan {
    weir_rtl_design *design;
    const char *at, *end;
    const char *file;
    int line;
    int nesting;
    bool failed;
    uint32_t module, function; /* whose names are meant; function: 0 for none */
    rtl_labels paths;          /* variables by hierarchical name, by module */
    weir_text word;            /* the last string */
    rtl_tree tree;             /* the last expression */
    rtl_labels suspects;       /* names in what could not be read: errors about them follow from that */
} rtl_scan;

/* Reports what was expected where the scan is, once. Always false. */
bool rtl_scan_fail(rtl_scan *s, const char *expected);
bool rtl_scan_fail_name(rtl_scan *s, const char *what, const char *name);
/* Something nests deeper than RTL_MAX_DEPTH; that ends reading. */
bool rtl_scan_fail_depth(rtl_scan *s, const char *what);
bool rtl_scan_is_suspect(const rtl_scan *s, const char *name);
/* Blanks and line ends; false at the end of the text. */
bool rtl_scan_space(rtl_scan *s);
void rtl_scan_blanks(rtl_scan *s); /* on the line */
/* Each skips blanks on the line first. */
bool rtl_scan_peek(rtl_scan *s, char c);
bool rtl_scan_accept(rtl_scan *s, char c);
bool rtl_scan_expect(rtl_scan *s, char c);
bool rtl_scan_accept_word(rtl_scan *s, const char *word);
bool rtl_scan_expect_word(rtl_scan *s, const char *word);
/* Number of the word of a list that comes next, `count` after an error. */
size_t rtl_scan_choice(rtl_scan *s, const char *const *words, size_t count, const char *expected);
/* An identifier, interned; NULL after an error. */
const char *rtl_scan_name(rtl_scan *s);
const char *rtl_scan_word(rtl_scan *s); /* NULL when none comes next */
/* A string in quotes, into s->word. */
bool rtl_scan_string(rtl_scan *s);
bool rtl_scan_unsigned(rtl_scan *s, uint64_t most, uint64_t *value);
bool rtl_scan_signed(rtl_scan *s, int64_t *value);
/* The end of a line, or a bracket that counts as one: after '{', before '}'. */
bool rtl_scan_end_line(rtl_scan *s);
/* Is there nothing more in this line? */
bool rtl_scan_ends_line(rtl_scan *s);

/* text_expr.c: none after a reported error. */
weir_rtl_expr rtl_scan_expr(rtl_scan *s);
/* Numbers without a width get this one where nothing else in the expression gives them theirs. */
weir_rtl_expr rtl_scan_expr_as(rtl_scan *s, uint32_t width, bool is_signed);
weir_rtl_expr rtl_scan_expr_by(rtl_scan *s, rtl_size width, bool is_signed);
weir_rtl_expr rtl_scan_expr_like(rtl_scan *s, weir_rtl_expr like);
weir_rtl_expr rtl_scan_target(rtl_scan *s); /* without operators */
uint32_t rtl_scan_var(rtl_scan *s);         /* a variable of the module by name */

/* text_formula.c: a formula, one without operators outside of brackets; 0 after an error. */
uint32_t rtl_scan_formula(rtl_scan *s);
uint32_t rtl_scan_operand(rtl_scan *s);
/* A formula with a value known now, of numbers and of local parameters of the module. */
bool rtl_scan_integer(rtl_scan *s, int64_t *value);
bool rtl_scan_count(rtl_scan *s, uint64_t most, uint64_t *value);
/* The same of a subtree of the expression. */
bool rtl_tree_integer(rtl_scan *s, uint32_t root, int64_t *value);
/* A formula of parameters that instances may set, with its number by default, or a number. */
bool rtl_scan_size(rtl_scan *s, rtl_size *size);
bool rtl_tree_size(rtl_scan *s, uint32_t root, rtl_size *size);

#endif
