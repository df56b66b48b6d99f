/* The unit of compilation: a set of graphs, the hardware design made from them, the output folder, and two tables by
 * name: typed properties (project settings and results to print) and side data that passes share. */
#ifndef WEIR_PASS_MODULE_H
#define WEIR_PASS_MODULE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pass/core/types.h"
#include "support/text/text.h"

/* What the pass manager does with a module's hardware design; NULL members are skipped. */
typedef struct weir_module_design_calls {
    void (*print)(const weir_module *module, weir_text *text);
    bool (*verify)(const weir_module *module); /* reports every violation; true when there is none */
    /* A hardware pass starts; NULL: it has ended. */
    void (*enter)(const weir_module *module, const char *pass);
    void (*release)(weir_rtl_design *design);
    /* A design with a module for each set of parameter values, to be released; the design itself if no width depends on
     * parameters. NULL after a reported error. */
    weir_rtl_design *(*with_values)(const weir_module *module);
} weir_module_design_calls;
/* The design that a hardware pass sees: the module's, or the one that replaces it (NULL: none). */
void weir_module_lend_design(weir_module *module, weir_rtl_design *design);

/* The name is copied. Freeing a module frees its graphs, its design and its side data. */
weir_module *weir_module_new(const char *name);
void weir_module_free(weir_module *module);
const char *weir_module_name(const weir_module *module);

/* The output folder, "." unless set; copied. */
const char *weir_module_folder(const weir_module *module);
void weir_module_set_folder(weir_module *module, const char *folder);

/* Graphs in the order added. Only module passes may add or remove graphs, never graph passes. */
size_t weir_module_graph_count(const weir_module *module);
weir_graph *weir_module_graph(const weir_module *module, size_t index);
weir_graph *weir_module_find_graph(const weir_module *module, const char *name); /* NULL when absent */
/* A number that identifies the graph as long as it is in the module and is never reused. */
uint32_t weir_module_graph_id(const weir_module *module, size_t index);
/* Takes over the graph. */
void weir_module_add_graph(weir_module *module, weir_graph *graph);
/* Takes over the new graph and frees the one that it replaces. */
void weir_module_replace_graph(weir_module *module, size_t index, weir_graph *graph);
/* Hands the graph to the caller. */
weir_graph *weir_module_remove_graph(weir_module *module, size_t index);

/* The hardware design, NULL until one was set. Setting takes it over and frees the previous one. The top module's name
 * becomes the string property "hardware.top"; printing and verifying start there. */
weir_rtl_design *weir_module_design(const weir_module *module);
void weir_module_set_rtl(weir_module *module, weir_rtl_design *design, const char *top);
/* The same for a design that is handled by other means; `calls` is not copied and may be NULL. */
void weir_module_set_design(weir_module *module, weir_rtl_design *design, const weir_module_design_calls *calls);
const weir_module_design_calls *weir_module_design_functions(const weir_module *module); /* never NULL */

/* Properties: set or replace (with any kind); names and strings are copied. Readers return `otherwise` when the
 * property is absent or of another kind, except that an integer may be read as a real. O(log properties). */
void weir_module_set_bool(weir_module *module, const char *name, bool value);
void weir_module_set_int(weir_module *module, const char *name, int64_t value);
void weir_module_set_real(weir_module *module, const char *name, double value);
void weir_module_set_string(weir_module *module, const char *name, const char *value);
bool weir_module_bool(const weir_module *module, const char *name, bool otherwise);
int64_t weir_module_int(const weir_module *module, const char *name, int64_t otherwise);
double weir_module_real(const weir_module *module, const char *name, double otherwise);
const char *weir_module_string(const weir_module *module, const char *name, const char *otherwise);
/* All of them as a new JSON object, and set from such an object (other kinds of values are left out). */
json_t *weir_module_properties(const weir_module *module);
void weir_module_set_properties(weir_module *module, const json_t *properties);
/* "name = value" lines in alphabetical order. */
void weir_module_print_properties(const weir_module *module, weir_text *text);

/* The integer property in which a pass leaves the exit status of the command if it is not 0. */
#define WEIR_MODULE_STATUS "exit status"

/* Side data: any object under a name, freed with `release` (NULL: the caller keeps it) when it is replaced or the
 * module is freed. Setting NULL removes it. Reading gives NULL when absent. */
void weir_module_set_data(weir_module *module, const char *name, void *data, void (*release)(void *data));
void *weir_module_data(const weir_module *module, const char *name);
/* Does everything in it have a text form: graphs, properties, a design that can be printed? */
bool weir_module_is_plain(const weir_module *module);

#endif
