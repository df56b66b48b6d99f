/* schema_check FOLDER NAME [plant] FILE...: is each file what FOLDER/NAME.schema.json says? Findings go to stderr, a
 * line each with the place as a JSON pointer; exit status 1 then. With `plant`, every value of a file that is right is
 * replaced by one of another type, every key is removed and an unknown one added, one at a time; each must be found,
 * but for keys that need not be there. The last line of stdout says how many were.
 * schema_check FOLDER: are the schemas themselves sound? They use only what is checked here, describe every key in a
 * sentence, close every object, and their references lead somewhere.
 *
 * The subset of JSON Schema (draft 2020-12): type, properties, required, additionalProperties, items, enum, const,
 * anyOf, $ref ("#...", "FILE", "FILE#..." within the folder), minimum, maximum. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, DEPTH = 64 };
#define ENDING ".schema.json"

typedef struct checker {
    const char *folder, *file; /* the file that is checked, for messages */
    json_t *schemas;           /* those read, by file name */
    size_t findings;
    bool is_quiet;
    char place[PATH]; /* JSON pointer of what is checked */
} checker;

static void find(checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void find(checker *c, const char *format, ...) {
    c->findings++;
    if (c->is_quiet) return;
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s: %s: ", c->file, *c->place == '\0' ? "/" : c->place);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static void fail(const char *file, const char *text) {
    fprintf(stderr, "%s: %s\n", file, text);
    exit(1);
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* --- schemas --- */

/* NULL: there is none, or it is no JSON. */
static json_t *schema_of(checker *c, const char *file) {
    json_t *schema = json_object_get(c->schemas, file);
    if (schema != NULL) return schema;
    char path[PATH];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL) fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    else json_object_set_new(c->schemas, file, schema);
    return schema;
}

/* A part of a schema, and the schema that "#" means in it. */
typedef struct part {
    const json_t *at, *root;
} part;

/* What the reference leads to; NULL: nothing. */
static part resolve(checker *c, part from, const char *reference) {
    char file[PATH];
    const size_t size = strcspn(reference, "#");
    snprintf(file, sizeof file, "%.*s", (int)size, reference);
    const json_t *root = size == 0 ? from.root : schema_of(c, file);
    part to = {root, root};
    for (const char *at = reference + size + (reference[size] == '#'); *at == '/' && to.at != NULL;) {
        const size_t length = strcspn(++at, "/");
        snprintf(file, sizeof file, "%.*s", (int)length, at);
        to.at = json_object_get(to.at, file);
        at += length;
    }
    return to;
}

/* --- documents --- */

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "object";
    case JSON_ARRAY: return "array";
    case JSON_STRING: return "string";
    case JSON_INTEGER: return "integer";
    case JSON_REAL: return "number";
    case JSON_TRUE:
    case JSON_FALSE: return "boolean";
    case JSON_NULL: return "null";
    }
    return "nothing";
}

/* A real without a fraction is an integer, too. */
static bool has_type(const json_t *value, const char *type) {
    if (strcmp(type, "number") == 0) return json_is_number(value);
    if (strcmp(type, "integer") == 0 && json_is_real(value))
        return json_real_value(value) == trunc(json_real_value(value));
    return strcmp(type, type_name(value)) == 0;
}

static void check_type(checker *c, const json_t *type, const json_t *value) {
    const json_t *one;
    size_t i;
    if (json_is_string(type)) {
        if (!has_type(value, json_string_value(type)))
            find(c, "expected %s, found %s", json_string_value(type), type_name(value));
        return;
    }
    json_array_foreach(type, i, one) {
        if (has_type(value, json_string_value(one))) return;
    }
    char *text = json_dumps(type, JSON_COMPACT);
    find(c, "expected one of %s, found %s", text, type_name(value));
    free(text);
}

static void check_words(checker *c, const part *schema, const json_t *value) {
    const json_t *one, *list = json_object_get(schema->at, "enum"), *fixed = json_object_get(schema->at, "const");
    size_t i;
    bool is_one = list == NULL;
    json_array_foreach(list, i, one) { is_one = is_one || json_equal(one, value); }
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (!is_one) find(c, "%s is none of the values of enum", text);
    if (fixed != NULL && !json_equal(fixed, value)) find(c, "%s is not the value of const", text);
    free(text);
}

static void check_range(checker *c, const part *schema, const json_t *value) {
    const json_t *least = json_object_get(schema->at, "minimum"), *most = json_object_get(schema->at, "maximum");
    if (!json_is_number(value)) return;
    const double number = json_number_value(value);
    if (least != NULL && number < json_number_value(least))
        find(c, "%g is less than %g", number, json_number_value(least));
    if (most != NULL && number > json_number_value(most))
        find(c, "%g is more than %g", number, json_number_value(most));
}

static void check(checker *c, part schema, const json_t *value, int depth);

/* With the key or index at the end of the place. */
static void check_at(checker *c, part schema, const json_t *value, const char *key, int depth) {
    const size_t size = strlen(c->place);
    snprintf(c->place + size, sizeof c->place - size, "/%s", key);
    check(c, schema, value, depth);
    c->place[size] = '\0';
}

static void check_object(checker *c, const part *schema, const json_t *value, int depth) {
    const json_t *properties = json_object_get(schema->at, "properties"), *name,
                 *others = json_object_get(schema->at, "additionalProperties");
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach(json_object_get(schema->at, "required"), i, name) {
        if (json_object_get(value, json_string_value(name)) == NULL) find(c, "no key '%s'", json_string_value(name));
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        const json_t *own = json_object_get(properties, key);
        if (own != NULL) check_at(c, (part){own, schema->root}, member, key, depth);
        else if (json_is_false(others)) find(c, "unknown key '%s'", key);
        else if (json_is_object(others)) check_at(c, (part){others, schema->root}, member, key, depth);
    }
}

/* Is the value at least of the type that the schema asks for? */
static bool fits(checker *c, part schema, const json_t *value) {
    const json_t *type = NULL, *one;
    size_t i;
    for (int depth = 0; schema.at != NULL && depth < DEPTH; depth++) {
        const char *reference = text_of(schema.at, "$ref");
        type = json_object_get(schema.at, "type");
        if (reference == NULL) break;
        schema = resolve(c, schema, reference);
    }
    json_array_foreach(type, i, one) {
        if (has_type(value, json_string_value(one))) return true;
    }
    return type == NULL || (json_is_string(type) && has_type(value, json_string_value(type)));
}

/* Findings of the alternative that has the fewest of those whose type fits, when none fits as a whole. */
static void check_any(checker *c, const part *schema, const json_t *list, const json_t *value, int depth) {
    const json_t *one, *best = json_array_get(list, 0);
    const size_t before = c->findings;
    const bool was_quiet = c->is_quiet;
    size_t i, least = SIZE_MAX;
    c->is_quiet = true;
    json_array_foreach(list, i, one) {
        const part alternative = {one, schema->root};
        c->findings = 0;
        if (!fits(c, alternative, value)) continue;
        check(c, alternative, value, depth);
        if (c->findings < least) best = one, least = c->findings;
    }
    c->findings = before;
    c->is_quiet = was_quiet;
    if (least > 0) check(c, (part){best, schema->root}, value, depth);
}

static void check(checker *c, part schema, const json_t *value, int depth) {
    const json_t *type = json_object_get(schema.at, "type"), *any = json_object_get(schema.at, "anyOf"),
                 *items = json_object_get(schema.at, "items"), *item;
    const char *reference = text_of(schema.at, "$ref");
    size_t i;
    if (depth > DEPTH) fail(c->file, "references that lead nowhere but to themselves, or too deep");
    if (reference != NULL) {
        const part to = resolve(c, schema, reference);
        if (to.at == NULL) fail(reference, "the reference leads nowhere");
        check(c, to, value, depth + 1);
    }
    if (type != NULL) check_type(c, type, value);
    if (any != NULL) check_any(c, &schema, any, value, depth + 1);
    check_words(c, &schema, value);
    check_range(c, &schema, value);
    if (json_is_object(value)) check_object(c, &schema, value, depth + 1);
    if (items == NULL) return;
    json_array_foreach(value, i, item) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        check_at(c, (part){items, schema.root}, item, index, depth + 1);
    }
}

/* --- faults --- */

typedef struct planting {
    checker *c;
    part schema;
    json_t *whole;
    size_t types, unknown, missing, optional;
    bool fine;
} planting;

/* Lists in lists, deeper than those of any schema. */
static json_t *wrong_type(void) { return json_pack("[[[[[[[]]]]]]]"); }

static bool is_found(const planting *p) {
    p->c->findings = 0;
    p->c->is_quiet = true;
    check(p->c, p->schema, p->whole, 0);
    p->c->is_quiet = false;
    return p->c->findings > 0;
}

static void want_found(planting *p, const char *what, const char *key) {
    if (is_found(p)) return;
    fprintf(stderr, "%s: the planted %s at '%s' is not found\n", p->c->file, what, key);
    p->fine = false;
}

static void plant(planting *p, json_t *value);

static void plant_object(planting *p, json_t *object) {
    json_t *keys = json_array(), *name;
    const char *key;
    size_t i;
    json_t *member;
    json_object_foreach(object, key, member) { json_array_append_new(keys, json_string(key)); }
    json_object_set_new(object, "planted", wrong_type());
    want_found(p, "key", "planted");
    json_object_del(object, "planted");
    p->unknown++;
    json_array_foreach(keys, i, name) {
        key = json_string_value(name);
        member = json_incref(json_object_get(object, key));
        json_object_del(object, key);
        if (is_found(p)) p->missing++;
        else p->optional++;
        json_object_set_new(object, key, wrong_type());
        want_found(p, "type", key);
        p->types++;
        json_object_set_new(object, key, member);
        plant(p, member);
    }
    json_decref(keys);
}

/* Of a list, only the first item and the last. */
static void plant(planting *p, json_t *value) {
    if (json_is_object(value)) plant_object(p, value);
    const size_t count = json_array_size(value);
    for (size_t i = 0; i<count; i += count> 1 ? count - 1 : 1) plant(p, json_array_get(value, i));
}

static bool plant_file(checker *c, part schema, json_t *value) {
    planting p = {c, schema, value, .fine = true};
    plant(&p, value);
    printf("%zu types, %zu unknown keys, %zu missing ones found; %zu need not be there\n", p.types, p.unknown,
           p.missing, p.optional);
    return p.fine && p.types + p.unknown > 0;
}

/* --- the schemas themselves --- */

static bool is_keyword(const char *key, bool is_root) {
    static const char *const words[] = {"type",  "properties", "required", "additionalProperties",
                                        "items", "enum",       "const",    "anyOf",
                                        "$ref",  "minimum",    "maximum",  "description"},
                             *const roots[] = {"$schema", "$id", "title", "$defs"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(key, words[i]) == 0) return true;
    for (size_t i = 0; is_root && i < sizeof roots / sizeof *roots; i++)
        if (strcmp(key, roots[i]) == 0) return true;
    return false;
}

static bool is_type(const char *name) {
    static const char *const types[] = {"object", "array", "string", "integer", "number", "boolean", "null"};
    for (size_t i = 0; name != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i]) == 0) return true;
    return false;
}

static void lint(checker *c, part schema, bool is_root);

static void lint_at(checker *c, part schema, const char *key) {
    const size_t size = strlen(c->place);
    snprintf(c->place + size, sizeof c->place - size, "/%s", key);
    lint(c, schema, false);
    c->place[size] = '\0';
}

static void lint_object(checker *c, const part *schema) {
    const json_t *properties = json_object_get(schema->at, "properties"), *name,
                 *others = json_object_get(schema->at, "additionalProperties");
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)properties, key, member) {
        const char *text = text_of(member, "description");
        if (text == NULL || *text == '\0' || text[strlen(text) - 1] != '.')
            find(c, "'%s' is not described in a sentence", key);
        lint_at(c, (part){member, schema->root}, key);
    }
    if (properties != NULL && (!json_is_false(others) || !json_is_array(json_object_get(schema->at, "required"))))
        find(c, "an object with properties, but not required and additionalProperties false");
    json_array_foreach(json_object_get(schema->at, "required"), i, name) {
        const char *text = json_string_value(name);
        if (text == NULL || json_object_get(properties, text) == NULL) find(c, "a required key that is no property");
    }
    if (json_is_object(others)) lint_at(c, (part){others, schema->root}, "additionalProperties");
}

static void lint_type(checker *c, const json_t *type) {
    const json_t *one;
    size_t i;
    if (type == NULL) return;
    if (!json_is_array(type) && !is_type(json_string_value(type))) find(c, "an unknown type");
    json_array_foreach(type, i, one) {
        if (!is_type(json_string_value(one))) find(c, "an unknown type");
    }
}

static void lint(checker *c, part schema, bool is_root) {
    const char *key, *reference = text_of(schema.at, "$ref");
    json_t *member;
    size_t i;
    if (!json_is_object(schema.at)) {
        find(c, "expected a schema");
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)schema.at, key, member) {
        if (!is_keyword(key, is_root)) find(c, "'%s' is not of the subset", key);
    }
    if (reference != NULL && resolve(c, schema, reference).at == NULL) find(c, "'%s' leads nowhere", reference);
    lint_type(c, json_object_get(schema.at, "type"));
    lint_object(c, &schema);
    member = json_object_get(schema.at, "items");
    if (member != NULL) lint_at(c, (part){member, schema.root}, "items");
    json_array_foreach(json_object_get(schema.at, "anyOf"), i, member) {
        lint_at(c, (part){member, schema.root}, "anyOf");
    }
    json_object_foreach(json_object_get(schema.at, "$defs"), key, member) {
        lint_at(c, (part){member, schema.root}, key);
    }
}

static void lint_file(checker *c, const char *file) {
    const json_t *schema = schema_of(c, file);
    c->file = file;
    if (schema == NULL) fail(file, "cannot be read");
    const char *draft = text_of(schema, "$schema"), *id = text_of(schema, "$id"), *title = text_of(schema, "title");
    if (draft == NULL || strcmp(draft, "https://json-schema.org/draft/2020-12/schema") != 0)
        find(c, "expected draft 2020-12");
    if (id == NULL || strcmp(id, file) != 0) find(c, "$id is not the file's name");
    if (title == NULL) find(c, "no title");
    lint(c, (part){schema, schema}, true);
}

static size_t lint_folder(checker *c) {
    const struct dirent *item;
    size_t count = 0;
    DIR *listing = opendir(c->folder);
    if (listing == NULL) fail(c->folder, "cannot be read");
    while ((item = readdir(listing)) != NULL) {
        const char *end = strstr(item->d_name, ENDING);
        if (end == NULL || end[strlen(ENDING)] != '\0') continue;
        lint_file(c, item->d_name);
        count++;
    }
    closedir(listing);
    if (count == 0) fail(c->folder, "has no schemas");
    return count;
}

static bool check_file(checker *c, part schema, const char *file, bool plants) {
    json_error_t error;
    c->file = file;
    json_t *value = json_load_file(file, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (value == NULL) fprintf(stderr, "%s:%d: %s\n", file, error.line, error.text);
    const size_t before = c->findings;
    if (value != NULL) check(c, schema, value, 0);
    bool fine = value != NULL && c->findings == before;
    if (fine && plants) fine = plant_file(c, schema, value);
    c->findings = before;
    json_decref(value);
    return fine;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc == 3) fail("schema_check", "expected FOLDER, or FOLDER NAME [plant] FILE...");
    checker c = {.folder = argv[1], .file = argv[1], .schemas = json_object()};
    bool fine = true;
    if (argc == 2) {
        printf("%zu schemas\n", lint_folder(&c));
        fine = c.findings == 0;
    } else {
        char name[PATH];
        snprintf(name, sizeof name, "%s" ENDING, argv[2]);
        const json_t *schema = schema_of(&c, name);
        if (schema == NULL) fail(name, "cannot be read");
        const bool plants = strcmp(argv[3], "plant") == 0;
        for (int i = 3 + plants; i < argc; i++) fine = check_file(&c, (part){schema, schema}, argv[i], plants) && fine;
    }
    json_decref(c.schemas);
    return fine ? 0 : 1;
}
