#include "support/text/schema.h"

#include <assert.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/suggest.h"

enum { FIELDS_MOST = 31, WORDS_MOST = 63 };

bool weir_schema_expected(const weir_yaml *yaml, const weir_schema_field *f, const char *what) {
    if (yaml->kind == WEIR_YAML_SCALAR) {
        weir_error(yaml->location, "%s: expected %s, found '%.60s'", f->name, what, yaml->text);
    } else {
        weir_error(yaml->location, "%s: expected %s, found a %s", f->name, what,
                   yaml->kind == WEIR_YAML_MAPPING ? "mapping" : "sequence");
    }
    return false;
}

static bool read_string(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, const char **into) {
    if (yaml->kind != WEIR_YAML_SCALAR || *yaml->text == '\0') return weir_schema_expected(yaml, f, "text");
    *into = weir_arena_copy_string(arena, yaml->text);
    return true;
}

static bool read_word(const weir_yaml *yaml, const weir_schema_field *f, int64_t *into) {
    if (yaml->kind != WEIR_YAML_SCALAR) return weir_schema_expected(yaml, f, "a word");
    for (*into = 0; f->words[*into] != NULL; ++*into) {
        if (strcmp(f->words[*into], yaml->text) == 0) return true;
    }
    weir_error(yaml->location, "%s: unknown word '%s'", f->name, yaml->text);
    weir_suggest_note(yaml->text, f->words);
    return false;
}

static bool read_words(const weir_yaml *yaml, const weir_schema_field *f, uint64_t *into) {
    if (yaml->kind != WEIR_YAML_SEQUENCE) return weir_schema_expected(yaml, f, "a sequence of words");
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        int64_t word;
        if (!read_word(yaml->item[i], f, &word)) {
            fine = false;
            continue;
        }
        assert(word <= WORDS_MOST);
        *into |= UINT64_C(1) << word;
    }
    return fine;
}

static bool read_strings(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f,
                         weir_schema_strings *into) {
    if (yaml->kind != WEIR_YAML_SEQUENCE) return weir_schema_expected(yaml, f, "a sequence of strings");
    into->item = weir_arena_array(arena, yaml->count, sizeof *into->item);
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        int64_t ignored;
        fine = read_string(arena, yaml->item[i], f, &into->item[i]) && fine;
        if (fine && f->words != NULL) fine = read_word(yaml->item[i], f, &ignored);
    }
    into->count = yaml->count;
    return fine;
}

static bool read_records(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, weir_schema_list *list) {
    if (yaml->kind != WEIR_YAML_SEQUENCE) return weir_schema_expected(yaml, f, "a sequence of mappings");
    list->item = weir_arena_array(arena, yaml->count, f->size);
    list->count = yaml->count;
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++)
        fine = weir_schema_read(arena, yaml->item[i], f->name, f->fields, (char *)list->item + i * f->size) && fine;
    return fine;
}

static bool read_field(weir_arena *arena, const weir_yaml *yaml, const weir_schema_field *f, char *record) {
    void *into = record + f->at;
    switch (f->kind) {
    case WEIR_SCHEMA_STRING: return read_string(arena, yaml, f, into);
    case WEIR_SCHEMA_STRINGS: return read_strings(arena, yaml, f, into);
    case WEIR_SCHEMA_COUNT:
        return (yaml->kind == WEIR_YAML_SCALAR || weir_schema_expected(yaml, f, "a whole number")) &&
               weir_yaml_int(yaml, 0, INT32_MAX, into);
    case WEIR_SCHEMA_FLAG: return weir_yaml_bool(yaml, into);
    case WEIR_SCHEMA_INVERSE_FLAG: {
        bool fine = weir_yaml_bool(yaml, into);
        *(bool *)into = !*(bool *)into;
        return fine;
    }
    case WEIR_SCHEMA_WORD: return read_word(yaml, f, into);
    case WEIR_SCHEMA_WORDS: return read_words(yaml, f, into);
    case WEIR_SCHEMA_RECORD: return weir_schema_read(arena, yaml, f->name, f->fields, record);
    case WEIR_SCHEMA_RECORDS: return read_records(arena, yaml, f, into);
    case WEIR_SCHEMA_OWN: return f->read(arena, yaml, f, into);
    }
    return false;
}

static const weir_schema_field *find_field(const weir_schema_field *fields, const char *name) {
    while (fields->name != NULL && strcmp(fields->name, name) != 0) fields++;
    return fields->name == NULL ? NULL : fields;
}

static void unknown_key(const weir_yaml *yaml, size_t index, const char *what, const weir_schema_field *fields) {
    const char *names[FIELDS_MOST + 1] = {NULL};
    for (size_t i = 0; fields[i].name != NULL; i++) {
        assert(i < FIELDS_MOST);
        names[i] = fields[i].name;
    }
    weir_error(yaml->key_location[index], "%s: unknown key '%s'", what, yaml->key[index]);
    weir_suggest_note(yaml->key[index], names);
}

bool weir_schema_read(weir_arena *arena, const weir_yaml *yaml, const char *what, const weir_schema_field *fields,
                      void *into) {
    if (yaml->kind != WEIR_YAML_MAPPING) {
        weir_error(yaml->location, "%s: expected a mapping", what);
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        const weir_schema_field *f = find_field(fields, yaml->key[i]);
        if (f == NULL) unknown_key(yaml, i, what, fields);
        fine = f != NULL && read_field(arena, yaml->item[i], f, into) && fine;
    }
    for (const weir_schema_field *f = fields; f->name != NULL; f++) {
        if (!f->required || weir_yaml_find(yaml, f->name) != NULL) continue;
        weir_error(yaml->location, "%s: '%s' is missing", what, f->name);
        fine = false;
    }
    return fine;
}

/* --- JSON --- */

json_t *weir_schema_json_strings(const weir_schema_strings *strings) {
    json_t *list = json_array();
    for (size_t i = 0; i < strings->count; i++) json_array_append_new(list, json_string(strings->item[i]));
    return list;
}

static json_t *json_of_words(uint64_t bits, const char *const *words) {
    json_t *list = json_array();
    for (size_t i = 0; words[i] != NULL; i++)
        if ((bits >> i & 1) != 0) json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *json_of_records(const weir_schema_list *list, const weir_schema_field *f) {
    json_t *all = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(all, weir_schema_json(f->fields, (const char *)list->item + i * f->size));
    return all;
}

static json_t *unless_empty(json_t *value) {
    const bool is_empty = (json_is_array(value) && json_array_size(value) == 0) ||
                          (json_is_object(value) && json_object_size(value) == 0);
    if (!is_empty) return value;
    json_decref(value);
    return NULL;
}

static json_t *json_of_field(const weir_schema_field *f, const char *record) {
    const void *member = record + f->at;
    switch (f->kind) {
    case WEIR_SCHEMA_STRING: {
        const char *const *text = member;
        return *text == NULL ? NULL : json_string(*text);
    }
    case WEIR_SCHEMA_STRINGS: return unless_empty(weir_schema_json_strings(member));
    case WEIR_SCHEMA_COUNT: {
        const int64_t *count = member;
        return *count == 0 ? NULL : json_integer(*count);
    }
    case WEIR_SCHEMA_FLAG: return *(const bool *)member ? json_true() : NULL;
    case WEIR_SCHEMA_INVERSE_FLAG: return *(const bool *)member ? json_false() : NULL;
    case WEIR_SCHEMA_WORD: return json_string(f->words[*(const int64_t *)member]);
    case WEIR_SCHEMA_WORDS: return unless_empty(json_of_words(*(const uint64_t *)member, f->words));
    case WEIR_SCHEMA_RECORD: return unless_empty(weir_schema_json(f->fields, record));
    case WEIR_SCHEMA_RECORDS: return unless_empty(json_of_records(member, f));
    case WEIR_SCHEMA_OWN: return f->json(member);
    }
    return NULL;
}

json_t *weir_schema_json(const weir_schema_field *fields, const void *record) {
    json_t *object = json_object();
    for (const weir_schema_field *f = fields; f->name != NULL; f++) {
        json_t *value = json_of_field(f, record);
        if (value != NULL) json_object_set_new(object, f->name, value);
    }
    return object;
}
