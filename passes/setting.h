/* Options of passes with a structure: lists and mappings as YAML text, and all options of a pass from a file. */
#ifndef WEIR_PASSES_SETTING_H
#define WEIR_PASSES_SETTING_H

#include <jansson.h>

#include "pass/core/context.h"

/* The pass with its options from the YAML mapping that its option "config" names, except those that were set; without a
 * file, a copy. NULL after a reported error (an unknown key, a value out of its domain). Free it with
 * weir_pass_free. */
weir_pass *weir_setting_read(const weir_pass *pass, weir_pass_context *context);
/* A STRING option as an array of words: "[fc1, fc2]" in YAML or "fc1, fc2"; empty for "". A new array; NULL after a
 * reported error. */
json_t *weir_setting_list(const weir_pass *pass, const char *option);
/* A STRING option as an object: YAML, {key: value}; empty for "". A new object; NULL after a reported error. */
json_t *weir_setting_mapping(const weir_pass *pass, const char *option);
/* Is the word among the strings of the array? */
bool weir_setting_has(const json_t *list, const char *word);

#endif
