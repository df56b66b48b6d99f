/* Reading the YAML files of design-space exploration: each reader takes a mapping, a key and what is expected there,
 * and reports `file:line: error:` when it is not. */
#ifndef WEIR_DSE_SCHEMA_H
#define WEIR_DSE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "support/memory/types.h"
#include "support/text/yaml.h"

enum { WEIR_DSE_REQUIRED = 1 };
#define WEIR_DSE_LARGEST (INT64_C(1) << 53) /* whole numbers up to here are doubles */

/* Is it a mapping whose keys are all in the list (NULL ends it)? */
bool weir_dse_schema_keys(const weir_yaml *map, const char *what, const char *const *keys);
/* The value of a key that must be there; NULL after a reported error. */
const weir_yaml *weir_dse_schema_need(const weir_yaml *map, const char *what, const char *key);
bool weir_dse_schema_kind(const weir_yaml *node, weir_yaml_kind kind, const char *what);
/* A scalar without line ends, not empty, copied into the arena. */
bool weir_dse_schema_text(const weir_yaml *node, const char *what, weir_arena *arena, const char **into);
/* The same in capitals. */
bool weir_dse_schema_name(const weir_yaml *node, const char *what, weir_arena *arena, const char **into);
/* Number of at least 0. */
bool weir_dse_schema_real(const weir_yaml *map, const char *what, const char *key, double *into);
bool weir_dse_schema_count(const weir_yaml *map, const char *what, const char *key, int64_t low, int64_t *into);
/* true, True, false or False; an absent key keeps the value. */
bool weir_dse_schema_flag(const weir_yaml *map, const char *key, bool *into);
/* Reports "expected WHAT, found ...". Returns false. */
bool weir_dse_schema_expected(const weir_yaml *node, const char *what);
/* Index of the text in a list (NULL ends it), -1 after an error that shows what is known. */
int weir_dse_schema_word(const weir_yaml *node, const char *what, const char *const *words);

#endif
