/* The words of the text form, by what they mean; shared by its printer and its parser. */
#ifndef WEIR_RTLIR_WORDS_H
#define WEIR_RTLIR_WORDS_H

enum { RTL_KIND_WORDS = 5, RTL_TIMING_WORDS = 4, RTL_ASSERTION_WORDS = 3 };

extern const char *const rtl_kind_words[RTL_KIND_WORDS];           /* weir_rtl_kind */
extern const char *const rtl_timing_words[RTL_TIMING_WORDS];       /* weir_rtl_timing */
extern const char *const rtl_direction_words[4];                   /* weir_rtl_direction */
extern const char *const rtl_edge_words[2];                        /* weir_rtl_edge */
extern const char *const rtl_assertion_words[RTL_ASSERTION_WORDS]; /* weir_rtl_assertion */
/* weir_rtl_stmt_kind; "" where the rest of the line says it. */
extern const char *const rtl_stmt_words[];

#endif
