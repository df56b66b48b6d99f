#include "dse/mapping/schema.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"

bool weir_dse_schema_expected(const weir_yaml *node, const char *what) {
    static const char *const found[] = {"", "a sequence", "a mapping"};
    assert(node->kind >= WEIR_YAML_SCALAR && node->kind <= WEIR_YAML_MAPPING);
    if (node->kind == WEIR_YAML_SCALAR) weir_error(node->location, "expected %s, found '%.60s'", what, node->text);
    else weir_error(node->location, "expected %s, found %s", what, found[node->kind]);
    return false;
}

bool weir_dse_schema_kind(const weir_yaml *node, weir_yaml_kind kind, const char *what) {
    return node->kind == kind || weir_dse_schema_expected(node, what);
}

bool weir_dse_schema_keys(const weir_yaml *map, const char *what, const char *const *keys) {
    if (map->kind != WEIR_YAML_MAPPING) return weir_dse_schema_expected(map, what);
    for (size_t i = 0; i < map->count; i++) {
        size_t k = 0;
        while (keys[k] != NULL && strcmp(keys[k], map->key[i]) != 0) k++;
        if (keys[k] != NULL) continue;
        weir_error(map->key_location[i], "%s: unknown key '%.60s'", what, map->key[i]);
        weir_suggest_note(map->key[i], keys);
        return false;
    }
    return true;
}

const weir_yaml *weir_dse_schema_need(const weir_yaml *map, const char *what, const char *key) {
    const weir_yaml *value = weir_yaml_find(map, key);
    if (value == NULL) weir_error(map->location, "%s: expected a key '%s'", what, key);
    return value;
}

bool weir_dse_schema_text(const weir_yaml *node, const char *what, weir_arena *arena, const char **into) {
    if (node->kind != WEIR_YAML_SCALAR || *node->text == '\0' || strpbrk(node->text, "\n\r") != NULL)
        return weir_dse_schema_expected(node, what);
    *into = weir_arena_copy_string(arena, node->text);
    return true;
}

bool weir_dse_schema_name(const weir_yaml *node, const char *what, weir_arena *arena, const char **into) {
    if (!weir_dse_schema_text(node, what, arena, into)) return false;
    char *text = weir_arena_copy_string(arena, *into);
    for (char *c = text; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') return weir_dse_schema_expected(node, what);
        *c = (char)toupper((unsigned char)*c);
    }
    *into = text;
    return true;
}

bool weir_dse_schema_real(const weir_yaml *map, const char *what, const char *key, double *into) {
    const weir_yaml *value = weir_dse_schema_need(map, what, key);
    if (value == NULL || !weir_yaml_double(value, into)) return false;
    return *into >= 0 || weir_dse_schema_expected(value, "a number of at least 0");
}

bool weir_dse_schema_count(const weir_yaml *map, const char *what, const char *key, int64_t low, int64_t *into) {
    const weir_yaml *value = weir_dse_schema_need(map, what, key);
    return value != NULL && weir_yaml_int(value, low, WEIR_DSE_LARGEST, into);
}

bool weir_dse_schema_flag(const weir_yaml *map, const char *key, bool *into) {
    const weir_yaml *value = weir_yaml_find(map, key);
    if (value == NULL) return true;
    const char *text = value->kind == WEIR_YAML_SCALAR ? value->text : "";
    *into = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    return *into || strcmp(text, "false") == 0 || strcmp(text, "False") == 0 ||
           weir_dse_schema_expected(value, "true or false");
}

int weir_dse_schema_word(const weir_yaml *node, const char *what, const char *const *words) {
    for (int i = 0; node->kind == WEIR_YAML_SCALAR && words[i] != NULL; i++)
        if (strcmp(words[i], node->text) == 0) return i;
    weir_dse_schema_expected(node, what);
    weir_suggest_note(node->kind == WEIR_YAML_SCALAR ? node->text : "", words);
    return -1;
}
