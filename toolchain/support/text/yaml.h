/* YAML through libyaml: reading configuration as a tree of nodes with their lines (mappings, sequences, scalars), and
 * conversion from and to JSON values. */
#ifndef WEIR_YAML_H
#define WEIR_YAML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/text/diag.h"
#include "support/text/text.h"

typedef enum weir_yaml_kind { WEIR_YAML_SCALAR, WEIR_YAML_SEQUENCE, WEIR_YAML_MAPPING } weir_yaml_kind;

typedef struct weir_yaml {
    weir_yaml_kind kind;
    weir_location location;
    const char *text; /* scalar */
    bool quoted;      /* the scalar is quoted */
    size_t count;     /* sequence and mapping */
    struct weir_yaml **item;
    const char **key; /* mapping; keys are scalars, repeated keys are errors */
    weir_location *key_location;
} weir_yaml;

/* The document's root, or NULL after a reported error. An empty file is an empty mapping. */
weir_yaml *weir_yaml_read(const char *path);
/* The same for files of others that repeat keys: the last value counts. */
weir_yaml *weir_yaml_read_lenient(const char *path);
/* The same for text in memory; `name` stands for the file in messages. */
weir_yaml *weir_yaml_parse(const char *text, size_t size, const char *name);
void weir_yaml_free(weir_yaml *root);
const weir_yaml *weir_yaml_find(const weir_yaml *mapping, const char *key); /* NULL when absent */
/* Scalar readers; on a wrong kind or value they report what was expected and return false. */
bool weir_yaml_int(const weir_yaml *node, int64_t low, int64_t high, int64_t *value);
bool weir_yaml_bool(const weir_yaml *node, bool *value);
bool weir_yaml_double(const weir_yaml *node, double *value);

/* The tree as a JSON value. Scalars that read as null or ~, true or false, whole numbers and finite numbers become
 * such values, unless they were quoted; all others strings. */
json_t *weir_yaml_json(const weir_yaml *node);
/* The JSON value as a YAML document that reads back as the same value. */
void weir_yaml_print(const json_t *root, weir_text *text);

#endif
