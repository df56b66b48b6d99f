/* Records of configuration files: a table of fields says which keys a YAML mapping has, what each may hold and where in
 * a C structure it goes. Device profiles and boards are read, checked and written as JSON by such tables. */
#ifndef WEIR_SCHEMA_H
#define WEIR_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/types.h"
#include "support/text/yaml.h"

/* What a key holds, and the member that it is read into. */
typedef enum weir_schema_kind {
    WEIR_SCHEMA_STRING,       /* text that is not empty: const char * */
    WEIR_SCHEMA_STRINGS,      /* a sequence of them, each one of `words` where there are some: weir_schema_strings */
    WEIR_SCHEMA_COUNT,        /* a whole number from 0 to 2^31 - 1: int64_t */
    WEIR_SCHEMA_FLAG,         /* true or false: bool */
    WEIR_SCHEMA_INVERSE_FLAG, /* the same, held as its opposite */
    WEIR_SCHEMA_WORD,         /* one of `words`: its index, int64_t */
    WEIR_SCHEMA_WORDS,        /* a sequence of such: a bit of uint64_t each, of value 1 << index */
    WEIR_SCHEMA_RECORD,       /* a mapping with `fields`, whose members are in the same structure */
    WEIR_SCHEMA_RECORDS,      /* a sequence of mappings with `fields`: weir_schema_list of structures of `size` bytes */
    WEIR_SCHEMA_OWN           /* what `read` reads */
} weir_schema_kind;

typedef struct weir_schema_strings {
    const char **item;
    size_t count;
} weir_schema_strings;

/* How a list of records begins, whatever the type of its items. */
typedef struct weir_schema_list {
    void *item;
    size_t count;
} weir_schema_list;

typedef struct weir_schema_field weir_schema_field;
struct weir_schema_field {
    const char *name; /* NULL ends a table, which holds at most 31 fields */
    weir_schema_kind kind;
    bool required;
    size_t at;                /* offset in the structure */
    const char *const *words; /* NULL ends them */
    const weir_schema_field *fields;
    size_t size;
    /* Reads into the member; false after a reported error. */
    bool (*read)(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *field, void *into);
    /* The member as a JSON value, a new reference; NULL: it is absent. */
    json_t *(*json)(const void *member);
};

/* The mapping into the structure, zeroed before: unknown keys, values of another kind and required keys that are
 * missing are reported with file and line, all of them; false then. `what` names the record in messages. Strings and
 * lists live in the arena. */
bool weir_schema_read(weir_arena *arena, const weir_yaml *yaml, const char *what, const weir_schema_field *fields,
                      void *into);
/* "NAME: expected WHAT, found ..."; false. For readers of kind OWN. */
bool weir_schema_expected(const weir_yaml *yaml, const weir_schema_field *field, const char *what);
/* The structure as an object with the keys of the file; members that are 0, empty or false are left out. A new
 * reference. */
json_t *weir_schema_json(const weir_schema_field *fields, const void *record);
json_t *weir_schema_json_strings(const weir_schema_strings *strings);

#endif
