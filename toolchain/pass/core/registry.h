/* The known passes, analyses, forms, named pipelines and configuration keys; not a global. Records are not copied and
 * must outlive the registry. Nothing may be added while a context runs a pass. Contexts in several threads may share
 * one. */
#ifndef WEIR_PASS_REGISTRY_H
#define WEIR_PASS_REGISTRY_H

#include <jansson.h>

#include "pass/core/pass.h"

weir_pass_registry *weir_pass_registry_new(void);
void weir_pass_registry_free(weir_pass_registry *registry);

/* Each checks its arguments (names, duplicates, defaults and domains of options) and returns false after a reported
 * error. Passes, analyses, forms and pipelines share one space of names. */
bool weir_pass_registry_add(weir_pass_registry *registry, const weir_pass_info *info);
bool weir_pass_registry_add_all(weir_pass_registry *registry, const weir_pass_info *infos, size_t count);
bool weir_pass_registry_add_analysis(weir_pass_registry *registry, const weir_pass_analysis *analysis);
bool weir_pass_registry_add_form(weir_pass_registry *registry, const weir_pass_form *form);
bool weir_pass_registry_add_forms(weir_pass_registry *registry, const weir_pass_form *forms, size_t count);
/* Names a pipeline's text; the text is copied, and read when the name is used. */
bool weir_pass_registry_add_pipeline(weir_pass_registry *registry, weir_pass_kind kind, const char *name,
                                     const char *text, const char *help);
/* A key of contexts' configuration. */
bool weir_pass_registry_add_config(weir_pass_registry *registry, const weir_pass_option *option);
/* The passes of a shared object (plugin.h), which stays loaded: operators that it registers may be in graphs. False
 * after a reported error: no shared object, not made for passes, compiled with other headers, a name that is taken. */
bool weir_pass_registry_load(weir_pass_registry *registry, const char *path);
/* The absolute folder of the object whose passes are being registered, for files beside it; else NULL. */
const char *weir_pass_registry_folder(const weir_pass_registry *registry);

/* Resolves every name in the records' lists; reports unknown names, mismatched kinds and cycles of requirements (with
 * the cycle). Running a pass does this first; repeating it costs nothing. O(passes^2). */
bool weir_pass_registry_check(weir_pass_registry *registry);

/* NULL when there is no such pass. */
const weir_pass_info *weir_pass_registry_find(const weir_pass_registry *registry, const char *name);
/* Is each name of the list "a, b" a pass or pipeline? Reports those that are not, with the nearest known name. */
bool weir_pass_registry_knows(const weir_pass_registry *registry, const char *names);
/* Passes in registration order. */
size_t weir_pass_registry_count(const weir_pass_registry *registry);
const weir_pass_info *weir_pass_registry_at(const weir_pass_registry *registry, size_t index);
/* The listing of `weir passes`: passes, options, pipelines, analyses, configuration keys. */
void weir_pass_registry_print(const weir_pass_registry *registry, weir_text *text);
/* One of them in full; false after reporting an unknown name, with the nearest known one. */
bool weir_pass_registry_print_one(const weir_pass_registry *registry, const char *name, weir_text *text);
/* One section per pass, pipeline, analysis and configuration key, as Markdown. */
void weir_pass_registry_markdown(const weir_pass_registry *registry, weir_text *text);
/* The same as new JSON objects: {"entries": [...], "configuration": [...]}, and one entry (NULL: unknown). */
json_t *weir_pass_registry_json(const weir_pass_registry *registry);
json_t *weir_pass_registry_json_one(const weir_pass_registry *registry, const char *name);

#endif
