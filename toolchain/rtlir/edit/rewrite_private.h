/* What copies and specialization need of a rewriter. */
#ifndef WEIR_RTLIR_REWRITE_PRIVATE_H
#define WEIR_RTLIR_REWRITE_PRIVATE_H

#include "rtlir/core/private.h"
#include "rtlir/edit/rewrite.h"

/* What a rewriter works on, and what it has for an instance. */
struct weir_rtl_rewriter;
weir_rtl_design *rtl_rewriter_design(const struct weir_rtl_rewriter *rewriter);
uint32_t rtl_mapped_instance(const struct weir_rtl_rewriter *rewriter, uint32_t instance);
void rtl_map_function(struct weir_rtl_rewriter *rewriter, uint32_t function, uint32_t other);
uint32_t rtl_mapped_function(const struct weir_rtl_rewriter *rewriter, uint32_t function);
/* Widths need not agree. */
void rtl_map_var(struct weir_rtl_rewriter *rewriter, uint32_t var, uint32_t value);
/* Formulas instead of the parameters of the module that is copied; NULL: they stay. */
void rtl_rewriter_substitute(struct weir_rtl_rewriter *rewriter, rtl_substitution *substitution);
rtl_substitution *rtl_rewriter_substitution(const struct weir_rtl_rewriter *rewriter);
rtl_size rtl_rewritten_size(const struct weir_rtl_rewriter *rewriter, int64_t number, uint32_t formula);
/* The module that the copy of an instance is of; 0: the same. */
void rtl_map_module(struct weir_rtl_rewriter *rewriter, uint32_t instance, uint32_t module);
uint32_t rtl_mapped_module(const struct weir_rtl_rewriter *rewriter, uint32_t instance);
/* Copies content into an empty module. With a substitution of numbers, parameters are left out and become those;
 * without one they are copied (copy.c). False after a reported error. */
bool rtl_copy_module(struct weir_rtl_rewriter *rewriter, uint32_t from, uint32_t to);
void rtl_map_state(struct weir_rtl_rewriter *rewriter, uint32_t state, uint32_t other);
uint32_t rtl_mapped_state(const struct weir_rtl_rewriter *rewriter, uint32_t state);

#endif
