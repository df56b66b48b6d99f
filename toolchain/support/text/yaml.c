/* YAML through libyaml's events. The subset that configuration needs: one document, plain mappings, sequences and
 * scalars. Anchors, aliases and tags are rejected, so the tree is as large as the file and means what it
 * shows. The whole tree lives in one arena, which the root's holder owns. */
#include "support/text/yaml.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

enum { DEEPEST = 64, LARGEST_FILE = 16 * 1024 * 1024, SHOWN = 60 };

/* The root's node comes first, so that weir_yaml_free finds the arena. */
typedef struct holder {
    weir_yaml root;
    weir_arena *arena;
} holder;

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; type YAML_NO_EVENT: none */
    weir_arena *arena;
    const char *file, *text;
    bool is_lenient; /* of repeated keys the last counts */
} reader;

/* The items of a collection while they are read. */
typedef struct items {
    weir_yaml **item;
    const char **key;
    weir_location *key_location;
    size_t count, capacity;
} items;

static weir_location location_of(const reader *r, yaml_mark_t mark) { return weir_at(r->file, (int)mark.line + 1); }

static bool next_event(reader *r) {
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event)) {
        return true;
    }
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not valid YAML";
    if (p->error == YAML_READER_ERROR) {
        int line = 1;
        for (size_t i = 0; i < p->problem_offset; i++) line += r->text[i] == '\n';
        weir_error(weir_at(r->file, line), "%s", problem);
    } else {
        weir_error(location_of(r, p->problem_mark), "%s", problem);
        if (p->context) {
            weir_note("%s that starts at line %zu", p->context, p->context_mark.line + 1);
        }
    }
    return false;
}

static bool reject_extras(const reader *r, const yaml_char_t *anchor, const yaml_char_t *tag) {
    if (anchor || tag) {
        weir_error(location_of(r, r->event.start_mark), "%s '%s' is not supported: expected plain values",
                   anchor ? "anchor" : "tag", (const char *)(anchor ? anchor : tag));
        return false;
    }
    return true;
}

/* The scalar of the current event, or NULL after an error. */
static const char *read_scalar(reader *r) {
    const char *text = (const char *)r->event.data.scalar.value;
    if (!reject_extras(r, r->event.data.scalar.anchor, r->event.data.scalar.tag)) {
        return NULL;
    }
    if (strlen(text) != r->event.data.scalar.length) {
        weir_error(location_of(r, r->event.start_mark), "expected text, found a zero character in '%.*s'", (int)SHOWN,
                   text);
        return NULL;
    }
    return weir_arena_copy_string(r->arena, text);
}

/* Its place in the list goes to *at. */
static bool read_key(reader *r, items *list, size_t *at) {
    weir_location location = location_of(r, r->event.start_mark);
    if (r->event.type != YAML_SCALAR_EVENT) {
        weir_error(location, "expected a name as the key of a mapping");
        return false;
    }
    const char *key = read_scalar(r);
    for (*at = 0; key && *at < list->count && strcmp(list->key[*at], key) != 0;) {
        ++*at;
    }
    if (key && *at < list->count && !r->is_lenient) {
        weir_error(location, "key '%.*s' is repeated", (int)SHOWN, key);
        weir_note("first given at line %d", list->key_location[*at].line);
        return false;
    }
    if (key) {
        list->key[*at] = key;
        list->key_location[*at] = location;
    }
    return key != NULL;
}

static void reserve(items *list, bool keyed) {
    if (list->count < list->capacity) {
        return;
    }
    size_t keys = list->capacity, locations = list->capacity;
    if (keyed) {
        list->key = weir_grow(list->key, &keys, list->count + 1, sizeof *list->key);
        list->key_location = weir_grow(list->key_location, &locations, list->count + 1, sizeof *list->key_location);
    }
    list->item = weir_grow(list->item, &list->capacity, list->count + 1, sizeof(weir_yaml *));
}

static void *keep(reader *r, const void *memory, size_t count, size_t size) {
    void *copy = weir_arena_array(r->arena, count, size);
    return count ? memcpy(copy, memory, count * size) : copy;
}

static bool read_node(reader *r, weir_yaml *node, int depth);

/* The items up to the event that ends the collection; each starts with the current event. */
static bool read_items(reader *r, weir_yaml *node, items *list, yaml_event_type_t end, int depth) {
    assert(depth >= 0 && depth <= DEEPEST);
    bool keyed = node->kind == WEIR_YAML_MAPPING;
    while (next_event(r)) {
        if (r->event.type == end) {
            node->count = list->count;
            node->item = keep(r, list->item, list->count, sizeof(weir_yaml *));
            if (keyed) {
                node->key = keep(r, list->key, list->count, sizeof *list->key);
                node->key_location = keep(r, list->key_location, list->count, sizeof *list->key_location);
            }
            return true;
        }
        reserve(list, keyed);
        size_t at = list->count;
        if (keyed && (!read_key(r, list, &at) || !next_event(r))) {
            return false;
        }
        weir_yaml *item = weir_arena_alloc(r->arena, sizeof *item);
        if (!read_node(r, item, depth + 1)) {
            return false;
        }
        list->item[at] = item;
        list->count += at == list->count;
    }
    return false;
}

static bool read_collection(reader *r, weir_yaml *node, yaml_event_type_t end, int depth) {
    items list = {0};
    if (depth >= DEEPEST) {
        weir_error(node->location, "expected at most %d nested levels", (int)DEEPEST);
        return false;
    }
    bool fine = read_items(r, node, &list, end, depth);
    free(list.item);
    free(list.key);
    free(list.key_location);
    return fine;
}

/* The node that starts with the current event. */
static bool read_node(reader *r, weir_yaml *node, int depth) {
    const yaml_event_t *event = &r->event;
    node->location = location_of(r, event->start_mark);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->kind = WEIR_YAML_SCALAR;
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        node->text = read_scalar(r);
        return node->text != NULL;
    case YAML_SEQUENCE_START_EVENT:
        node->kind = WEIR_YAML_SEQUENCE;
        return reject_extras(r, event->data.sequence_start.anchor, event->data.sequence_start.tag) &&
               read_collection(r, node, YAML_SEQUENCE_END_EVENT, depth);
    case YAML_MAPPING_START_EVENT:
        node->kind = WEIR_YAML_MAPPING;
        return reject_extras(r, event->data.mapping_start.anchor, event->data.mapping_start.tag) &&
               read_collection(r, node, YAML_MAPPING_END_EVENT, depth);
    default:
        weir_error(node->location, "alias '%s' is not supported: expected the value itself",
                   event->type == YAML_ALIAS_EVENT ? (const char *)event->data.alias.anchor : "");
        return false;
    }
}

/* stream start, document start, node, document end, stream end */
static bool read_document(reader *r, weir_yaml *root) {
    root->kind = WEIR_YAML_MAPPING;
    root->location = weir_at(r->file, 1);
    if (!next_event(r) || !next_event(r)) {
        return false;
    }
    if (r->event.type == YAML_STREAM_END_EVENT) {
        return true;
    }
    if (!next_event(r) || !read_node(r, root, 0) || !next_event(r) || !next_event(r)) {
        return false;
    }
    if (r->event.type != YAML_STREAM_END_EVENT) {
        weir_error(location_of(r, r->event.start_mark), "expected one document, found another");
        return false;
    }
    return true;
}

static weir_yaml *parse(const char *text, size_t size, const char *name, bool is_lenient) {
    reader r = {.text = text, .is_lenient = is_lenient};
    bool fine = size <= LARGEST_FILE && yaml_parser_initialize(&r.parser);
    if (!fine) {
        weir_error(weir_at(name, 0), "expected a configuration of at most %d bytes", (int)LARGEST_FILE);
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    r.arena = weir_arena_new();
    r.file = weir_arena_copy_string(r.arena, name);
    holder *h = weir_arena_alloc(r.arena, sizeof *h);
    h->arena = r.arena;
    fine = read_document(&r, &h->root);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    if (!fine) {
        weir_arena_free(r.arena);
        return NULL;
    }
    return &h->root;
}

weir_yaml *weir_yaml_parse(const char *text, size_t size, const char *name) { return parse(text, size, name, false); }

static weir_yaml *read_file(const char *path, bool is_lenient) {
    size_t size;
    char *data = weir_file_read(path, &size);
    weir_yaml *root = data == NULL ? NULL : parse(data, size, path, is_lenient);
    free(data);
    return root;
}

weir_yaml *weir_yaml_read(const char *path) { return read_file(path, false); }
weir_yaml *weir_yaml_read_lenient(const char *path) { return read_file(path, true); }

void weir_yaml_free(weir_yaml *root) {
    if (root) {
        weir_arena_free(((holder *)root)->arena);
    }
}

const weir_yaml *weir_yaml_find(const weir_yaml *mapping, const char *key) {
    if (!mapping || mapping->kind != WEIR_YAML_MAPPING) {
        return NULL;
    }
    for (size_t i = 0; i < mapping->count; i++) {
        if (strcmp(mapping->key[i], key) == 0) {
            return mapping->item[i];
        }
    }
    return NULL;
}

/* Reports "expected WHAT, found ...". */
static bool unexpected(const weir_yaml *node, const char *what) {
    if (node->kind == WEIR_YAML_SCALAR) {
        weir_error(node->location, "expected %s, found '%.*s'", what, (int)SHOWN, node->text);
    } else {
        weir_error(node->location, "expected %s, found a %s", what,
                   node->kind == WEIR_YAML_SEQUENCE ? "sequence" : "mapping");
    }
    return false;
}

/* A decimal, or hexadecimal with 0x. A leading zero is refused: YAML 1.1 would read octal, YAML 1.2 decimal. */
static bool parse_int(const char *text, int64_t *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const char *known = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    const char *first = hexadecimal ? digits + 2 : digits;
    if (*first == 0 || first[strspn(first, known)] != 0 || (!hexadecimal && first[0] == '0' && first[1] != 0)) {
        return false;
    }
    errno = 0;
    long long parsed = strtoll(text, NULL, hexadecimal ? 16 : 10);
    *value = parsed;
    return errno == 0;
}

bool weir_yaml_int(const weir_yaml *node, int64_t low, int64_t high, int64_t *value) {
    assert(low <= high);
    int64_t parsed;
    if (node->kind == WEIR_YAML_SCALAR && parse_int(node->text, &parsed) && parsed >= low && parsed <= high) {
        *value = parsed;
        return true;
    }
    char *what = high == INT64_MAX && low == INT64_MIN ? weir_format("a whole number")
                 : high == INT64_MAX                   ? weir_format("a whole number of at least %lld", (long long)low)
                                     : weir_format("a whole number from %lld to %lld", (long long)low, (long long)high);
    unexpected(node, what);
    free(what);
    return false;
}

bool weir_yaml_bool(const weir_yaml *node, bool *value) {
    bool is_true = node->kind == WEIR_YAML_SCALAR && strcmp(node->text, "true") == 0;
    if (!is_true && (node->kind != WEIR_YAML_SCALAR || strcmp(node->text, "false") != 0)) {
        return unexpected(node, "true or false");
    }
    *value = is_true;
    return true;
}

static bool parse_double(const char *text, double *value) {
    if (text[0] == 0 || text[strspn(text, "+-.0123456789eE")] != 0) {
        return false;
    }
    char *end;
    *value = weir_parse_double(text, &end);
    return *end == 0 && isfinite(*value);
}

bool weir_yaml_double(const weir_yaml *node, double *value) {
    return (node->kind == WEIR_YAML_SCALAR && parse_double(node->text, value)) || unexpected(node, "a number");
}

static json_t *scalar_json(const char *text) {
    int64_t whole;
    double real;
    if (strcmp(text, "null") == 0 || strcmp(text, "~") == 0) {
        return json_null();
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        return json_boolean(text[0] == 't');
    }
    if (parse_int(text, &whole)) {
        return json_integer(whole);
    }
    return parse_double(text, &real) ? json_real(real) : json_string(text);
}

json_t *weir_yaml_json(const weir_yaml *node) {
    if (node->kind == WEIR_YAML_SCALAR) {
        return node->quoted ? json_string(node->text) : scalar_json(node->text);
    }
    json_t *value = node->kind == WEIR_YAML_SEQUENCE ? json_array() : json_object();
    for (size_t i = 0; i < node->count; i++) {
        json_t *item = weir_yaml_json(node->item[i]);
        if (node->kind == WEIR_YAML_SEQUENCE) {
            json_array_append_new(value, item);
        } else {
            json_object_set_new(value, node->key[i], item);
        }
    }
    return value;
}

/* --- writing --- */

static int append(void *text, unsigned char *data, size_t size) {
    weir_text_add_n(text, (const char *)data, size);
    return 1;
}

/* Might a reader of YAML 1.1 or 1.2 take the plain text for something else than a string? */
static bool needs_quotes(const char *text) {
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return text[0] == 0 || strchr("+-.~0123456789", text[0]) != NULL;
}

/* Texts of several lines are written as such where YAML can keep every character of them. */
static void emit_scalar(yaml_emitter_t *emitter, const char *text, bool quoted) {
    yaml_event_t event;
    yaml_scalar_style_t style = strchr(text, '\n') ? YAML_LITERAL_SCALAR_STYLE
                                : quoted           ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                                                   : YAML_ANY_SCALAR_STYLE;
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1, style);
    yaml_emitter_emit(emitter, &event);
}

/* Lists of plain values are written on one line. */
static bool is_flat(const json_t *array) {
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        if (json_is_array(item) || json_is_object(item)) {
            return false;
        }
    }
    return true;
}

static void emit_value(yaml_emitter_t *emitter, const json_t *value);

static void emit_array(yaml_emitter_t *emitter, const json_t *array) {
    yaml_event_t event;
    yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                         is_flat(array) ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    yaml_emitter_emit(emitter, &event);
    for (size_t i = 0; i < json_array_size(array); i++) {
        emit_value(emitter, json_array_get(array, i));
    }
    yaml_sequence_end_event_initialize(&event);
    yaml_emitter_emit(emitter, &event);
}

static void emit_object(yaml_emitter_t *emitter, const json_t *object) {
    yaml_event_t event;
    const char *key;
    json_t *item;
    yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
    yaml_emitter_emit(emitter, &event);
    json_object_foreach((json_t *)object, key, item) {
        emit_scalar(emitter, key, needs_quotes(key));
        emit_value(emitter, item);
    }
    yaml_mapping_end_event_initialize(&event);
    yaml_emitter_emit(emitter, &event);
}

/* A real number keeps its point, with which every reader knows it from a whole number and from a string. */
static void emit_real(yaml_emitter_t *emitter, double value) {
    weir_text digits = {NULL, 0, 0}, full = {NULL, 0, 0};
    weir_text_double(&digits, value);
    size_t mantissa = strcspn(digits.data, "e");
    weir_text_add_n(&full, digits.data, mantissa);
    if (memchr(digits.data, '.', mantissa) == NULL) {
        weir_text_add(&full, ".0");
    }
    weir_text_add(&full, digits.data + mantissa);
    emit_scalar(emitter, full.data, false);
    weir_text_free(&digits);
    weir_text_free(&full);
}

static void emit_value(yaml_emitter_t *emitter, const json_t *value) {
    if (json_is_real(value)) {
        emit_real(emitter, json_real_value(value));
    } else if (json_is_array(value)) {
        emit_array(emitter, value);
    } else if (json_is_object(value)) {
        emit_object(emitter, value);
    } else if (json_is_string(value)) {
        emit_scalar(emitter, json_string_value(value), needs_quotes(json_string_value(value)));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        emit_scalar(emitter, text, false);
        free(text);
    }
}

void weir_yaml_print(const json_t *root, weir_text *text) {
    yaml_emitter_t emitter;
    yaml_event_t event;
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, append, text);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    yaml_emitter_emit(&emitter, &event);
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
    yaml_emitter_emit(&emitter, &event);
    emit_value(&emitter, root);
    yaml_document_end_event_initialize(&event, 1);
    yaml_emitter_emit(&emitter, &event);
    yaml_stream_end_event_initialize(&event);
    yaml_emitter_emit(&emitter, &event);
    yaml_emitter_delete(&emitter);
}
