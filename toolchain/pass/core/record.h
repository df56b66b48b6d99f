/* Turns a table of passes (pass.def: one row a pass) into records. A row is
 *   WEIR_PASS(kind, id, name, level, promise, requires, preserves, invalidates, help, options)
 * with kind MODULE, GRAPH or HARDWARE (`formulas` in pass.h: refused), HARDWARE_FORMULAS (taken) or HARDWARE_VALUES
 * (values), promise EXACT, APPROXIMATE or CHANGES (pass.h), lists as text, and options either WEIR_NO_OPTIONS or rows
 * one after the other:
 *   WEIR_OPTION(name, kind, default, domain, help)   with kind BOOL, INT, REAL, STRING or ENUM.
 * The function of a row is weir_pass_<id>. Each use defines WEIR_PASS as one of the macros below, includes the table
 * and undefines it:
 *   WEIR_PASS_DECLARE   prototypes, for the header that pass files include
 *   WEIR_PASS_OPTIONS   option tables, then, inside an array of weir_pass_info,
 *   WEIR_PASS_RECORD    the records. */
#ifndef WEIR_PASS_RECORD_H
#define WEIR_PASS_RECORD_H

#include "pass/core/context.h"
#include "pass/core/registry.h"

#define WEIR_NO_OPTIONS
#define WEIR_OPTION(option, type, otherwise_, domain_, help_)                                                          \
    {.name = option, .kind = WEIR_PASS_##type, .otherwise = otherwise_, .domain = domain_, .help = help_},

#define WEIR_PASS_TYPE_MODULE weir_pass_module_run
#define WEIR_PASS_TYPE_GRAPH weir_pass_graph_run
#define WEIR_PASS_TYPE_HARDWARE weir_pass_hardware_run
#define WEIR_PASS_TYPE_HARDWARE_FORMULAS weir_pass_hardware_run
#define WEIR_PASS_TYPE_HARDWARE_VALUES weir_pass_hardware_run
/* A record's kind, and the member for its function. */
#define WEIR_PASS_KIND_MODULE(function) .kind = WEIR_PASS_MODULE, .run = {.module = function}
#define WEIR_PASS_KIND_GRAPH(function) .kind = WEIR_PASS_GRAPH, .run = {.graph = function}
#define WEIR_PASS_KIND_HARDWARE(function) .kind = WEIR_PASS_HARDWARE, .run = {.hardware = function}
#define WEIR_PASS_KIND_HARDWARE_FORMULAS(function)                                                                     \
    .kind = WEIR_PASS_HARDWARE, .formulas = WEIR_PASS_FORMULAS_TAKEN, .run = {.hardware = function}
#define WEIR_PASS_KIND_HARDWARE_VALUES(function)                                                                       \
    .kind = WEIR_PASS_HARDWARE, .formulas = WEIR_PASS_FORMULAS_VALUES, .run = {.hardware = function}

#define WEIR_PASS_DECLARE(kind_, id, name_, level_, promise_, requires_, preserves_, invalidates_, help_, options_)    \
    WEIR_PASS_TYPE_##kind_ weir_pass_##id;
#define WEIR_PASS_OPTIONS(kind_, id, name_, level_, promise_, requires_, preserves_, invalidates_, help_, options_)    \
    static const weir_pass_option id##_options[] = {options_{.name = NULL}};
#define WEIR_PASS_RECORD(kind_, id, name_, level_, promise_, requires_, preserves_, invalidates_, help_, options_)     \
    {.name = name_,                                                                                                    \
     .level = level_,                                                                                                  \
     .promise = WEIR_PASS_##promise_,                                                                                  \
     .requires = requires_,                                                                                            \
     .preserves = preserves_,                                                                                          \
     .invalidates = invalidates_,                                                                                      \
     .options = id##_options,                                                                                          \
     .help = help_,                                                                                                    \
     WEIR_PASS_KIND_##kind_(weir_pass_##id)},

#endif
