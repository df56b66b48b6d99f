/* Replacing variables by expressions. A rewriter keeps the substitution and memoizes its results, so shared parts are
 * rewritten once. Expressions are immutable; changed ones are new. */
#ifndef WEIR_RTLIR_REWRITE_H
#define WEIR_RTLIR_REWRITE_H

#include "rtlir/core/stmt.h"

typedef struct weir_rtl_rewriter weir_rtl_rewriter;

weir_rtl_rewriter *weir_rtl_rewriter_new(weir_rtl_design *design);
void weir_rtl_rewriter_free(weir_rtl_rewriter *rewriter);
/* Forgets everything. */
void weir_rtl_rewriter_clear(weir_rtl_rewriter *rewriter);

/* What stands for a variable, for a parameter in expressions, for a port of an instance (before its instance), for an
 * instance in those. Width and sign agree; false after a reported error. The values may belong to another module: that
 * of the statements that will use them. */
bool weir_rtl_map_var(weir_rtl_rewriter *rewriter, weir_rtl_var var, weir_rtl_expr value);
bool weir_rtl_map_parameter(weir_rtl_rewriter *rewriter, weir_rtl_parameter parameter, weir_rtl_expr value);
bool weir_rtl_map_port(weir_rtl_rewriter *rewriter, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr value);
bool weir_rtl_map_instance(weir_rtl_rewriter *rewriter, weir_rtl_instance instance, weir_rtl_instance other);
/* Only what is read changes; targets of assignments keep their variables. */
void weir_rtl_rewrite_reads_only(weir_rtl_rewriter *rewriter, bool reads_only);

/* The expression after rewriting: itself when nothing in it changes. None after a reported error: parts of a variable
 * need something that has parts. */
weir_rtl_expr weir_rtl_rewrite_expr(weir_rtl_rewriter *rewriter, weir_rtl_expr expr);
/* The expressions of a statement and of everything inside it: events, connections and overrides too. */
bool weir_rtl_rewrite_stmt(weir_rtl_rewriter *rewriter, weir_rtl_stmt stmt);
/* All statements of a module. */
bool weir_rtl_rewrite_module(weir_rtl_rewriter *rewriter, weir_rtl_module module);

/* Appends rewritten copies of the statements of one block to another one, which may be in another module. Instances are
 * copied under their name, or a free one near it, and mapped. Comments, attributes, locations and trails are copied. */
bool weir_rtl_copy_stmts(weir_rtl_rewriter *rewriter, weir_rtl_block from, weir_rtl_block to);
/* A module like this one under the same name: ports, variables, parameters, statements, instances of the same
 * modules. */
weir_rtl_module weir_rtl_clone_module(weir_rtl_design *design, weir_rtl_module module);

#endif
