#include "dse/mapping/mapping.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/accelerator.h"
#include "dse/mapping/schema.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

typedef struct reader {
    weir_arena *arena;
} reader;

/* "K, 32" */
static bool read_factor(const reader *r, const weir_yaml *node, weir_dse_factor *factor) {
    static const char expected[] = "a loop and its factor, such as 'K, 32'";
    const char *comma = node->kind == WEIR_YAML_SCALAR ? strchr(node->text, ',') : NULL;
    if (comma == NULL) return weir_dse_schema_expected(node, expected);
    char *name = weir_arena_format(r->arena, "%.*s", (int)(comma - node->text), node->text);
    name[strcspn(name, " ")] = '\0';
    const char *digits = comma + 1 + strspn(comma + 1, " ");
    const weir_yaml part = {.kind = WEIR_YAML_SCALAR, .location = node->location, .text = name};
    const weir_yaml number = {.kind = WEIR_YAML_SCALAR, .location = node->location, .text = digits};
    return weir_dse_schema_name(&part, expected, r->arena, &factor->dim) &&
           weir_yaml_int(&number, 1, INT32_MAX, &factor->size);
}

static bool read_unrolling(const reader *r, const weir_yaml *node, bool hints, weir_dse_unrolling *unrolling) {
    assert(unrolling->count == 0);
    if (!weir_dse_schema_kind(node, WEIR_YAML_SEQUENCE, hints ? "a list of loops" : "a list of loops with factors"))
        return false;
    weir_dse_factor *factors = weir_arena_array(r->arena, node->count, sizeof *factors);
    for (size_t i = 0; i < node->count; i++) {
        weir_dse_factor *f = &factors[unrolling->count];
        if (hints ? !weir_dse_schema_name(node->item[i], "the name of a loop", r->arena, &f->dim)
                  : !read_factor(r, node->item[i], f))
            return false;
        for (int k = 0; k < unrolling->count; k++)
            if (strcmp(factors[k].dim, f->dim) == 0) return weir_dse_schema_expected(node->item[i], "each loop once");
        unrolling->count++;
    }
    unrolling->factor = factors;
    return true;
}

static bool read_unrollings(const reader *r, const weir_yaml *node, bool hints, int *count,
                            const weir_dse_unrolling **into) {
    if (node == NULL) return true;
    if (!weir_dse_schema_kind(node, WEIR_YAML_MAPPING, "a mapping of array dimensions (D1, D2, ...)")) return false;
    if (node->count > WEIR_DSE_ARRAY_DIMS) return weir_dse_schema_expected(node, "at most 8 array dimensions");
    weir_dse_unrolling *unrollings = weir_arena_array(r->arena, node->count, sizeof *unrollings);
    for (size_t i = 0; i < node->count; i++) {
        unrollings[i].dimension = weir_arena_copy_string(r->arena, node->key[i]);
        if (!read_unrolling(r, node->item[i], hints, &unrollings[i])) return false;
    }
    *into = unrollings;
    *count = (int)node->count;
    return true;
}

/* [K, 4], [K, "*"] or ["*", "*"] */
static bool read_loop(const reader *r, const weir_yaml *node, weir_dse_factor *loop) {
    static const char expected[] = "a loop and its size or \"*\", such as [K, 4]";
    if (node->kind != WEIR_YAML_SEQUENCE || node->count != 2) return weir_dse_schema_expected(node, expected);
    const weir_yaml *dim = node->item[0], *size = node->item[1];
    const bool any = size->kind == WEIR_YAML_SCALAR && strcmp(size->text, "*") == 0;
    loop->size = WEIR_DSE_ANY;
    if (any && dim->kind == WEIR_YAML_SCALAR && strcmp(dim->text, "*") == 0) return true;
    return weir_dse_schema_name(dim, expected, r->arena, &loop->dim) &&
           (any || weir_yaml_int(size, 1, INT32_MAX, &loop->size));
}

static bool read_ordering(const reader *r, const weir_yaml *node, weir_dse_mapping_entry *entry) {
    if (node == NULL) return true;
    if (node->kind != WEIR_YAML_SEQUENCE || node->count > 48)
        return weir_dse_schema_expected(node, "a list of at most 48 loops, the innermost first");
    weir_dse_factor *loops = weir_arena_array(r->arena, node->count, sizeof *loops);
    for (size_t i = 0; i < node->count; i++)
        if (!read_loop(r, node->item[i], &loops[i])) return false;
    entry->ordering = loops;
    entry->ordering_count = (int)node->count;
    return true;
}

static bool read_links(const weir_yaml *node, weir_dse_mapping_entry *entry) {
    static const char *const operands[] = {"I1", "I2", "O", NULL};
    for (int i = 0; i < 256; i++) entry->link[i] = -1;
    entry->link['O'] = WEIR_DSE_O;
    entry->link['W'] = WEIR_DSE_I2;
    entry->link['I'] = WEIR_DSE_I1;
    if (node == NULL) return true;
    if (!weir_dse_schema_kind(node, WEIR_YAML_MAPPING, "a mapping such as {O: O, W: I2, I: I1}")) return false;
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->key[i];
        const int operand = weir_dse_schema_word(node->item[i], "an operand (I1, I2 or O)", operands);
        if (operand < 0) return false;
        if (strlen(key) != 1 || strchr("OWI", *key) == NULL || (*key == 'O') != (operand == WEIR_DSE_O)) {
            weir_error(node->key_location[i], "expected O linked to O, W and I to I1 and I2, found '%.20s'", key);
            return false;
        }
        entry->link[(unsigned char)*key] = operand;
    }
    return entry->link['W'] != entry->link['I'] ||
           weir_dse_schema_expected(node, "W and I linked to different operands");
}

static bool read_entry(const reader *r, const weir_yaml *node, weir_dse_mapping_entry *entry) {
    static const char *const keys[] = {
        "name", "spatial_mapping", "spatial_mapping_hint", "memory_operand_links", "temporal_ordering", NULL};
    if (!weir_dse_schema_keys(node, "mapping", keys)) return false;
    const weir_yaml *name = weir_dse_schema_need(node, "mapping", "name");
    return name != NULL &&
           weir_dse_schema_text(name, "the name of a layer or operator, or default", r->arena, &entry->name) &&
           read_unrollings(r, weir_yaml_find(node, "spatial_mapping"), false, &entry->spatial_count, &entry->spatial) &&
           read_unrollings(r, weir_yaml_find(node, "spatial_mapping_hint"), true, &entry->hint_count, &entry->hint) &&
           read_links(weir_yaml_find(node, "memory_operand_links"), entry) &&
           read_ordering(r, weir_yaml_find(node, "temporal_ordering"), entry);
}

static bool read_root(const reader *r, const weir_yaml *root, weir_dse_mapping *mapping) {
    if (!weir_dse_schema_kind(root, WEIR_YAML_SEQUENCE, "a list of mappings, one with the name default")) return false;
    weir_dse_mapping_entry *entries = weir_arena_array(r->arena, root->count, sizeof *entries);
    bool has_default = false;
    for (size_t i = 0; i < root->count; i++) {
        if (!read_entry(r, root->item[i], &entries[i])) return false;
        has_default = has_default || strcmp(entries[i].name, "default") == 0;
    }
    mapping->entry = entries;
    mapping->count = (int)root->count;
    return has_default || weir_dse_schema_expected(root, "a mapping with the name default");
}

weir_dse_mapping *weir_dse_mapping_read(const char *path, weir_arena *arena) {
    weir_dse_mapping *mapping = weir_arena_alloc(arena, sizeof *mapping);
    mapping->path = weir_arena_copy_string(arena, path);
    weir_yaml *root = weir_yaml_read_lenient(path);
    const bool fine = root != NULL && read_root(&(reader){arena}, root, mapping);
    weir_yaml_free(root);
    return fine ? mapping : NULL;
}

const weir_dse_mapping_entry *weir_dse_mapping_find(const weir_dse_mapping *mapping, const char *layer,
                                                    const char *type) {
    const char *const names[] = {layer, type, "default"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int i = 0; i < mapping->count; i++)
            if (strcmp(mapping->entry[i].name, names[n]) == 0) return &mapping->entry[i];
    return NULL;
}
