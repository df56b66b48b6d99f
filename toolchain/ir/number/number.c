#include "ir/number/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number/number_base.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

/* --- the table --- */

typedef struct key_row {
    weir_number_key key;
    int32_t preset, least, largest;
} key_row;

typedef struct number_row {
    const char *name;
    weir_number_group group;
    weir_number_hardware hardware;
    weir_number_gradient gradient;
    size_t key_count;
    key_row key[WEIR_NUMBER_KEYS];
} number_row;

#define CHOSEN WEIR_NUMBER_CHOSEN
#define KEY(key, preset, least, largest) {WEIR_KEY_##key, preset, least, largest},
#define WEIR_NUMBER(id, text, group_, hardware_, gradient_, ...)                                                       \
    [WEIR_NUMBER_##id] = {text,                                                                                        \
                          WEIR_GROUP_##group_,                                                                         \
                          WEIR_NUMBER_HARDWARE_##hardware_,                                                            \
                          WEIR_GRADIENT_##gradient_,                                                                   \
                          sizeof(const key_row[]){__VA_ARGS__} / sizeof(key_row),                                      \
                          {__VA_ARGS__}},
static const number_row rows[WEIR_NUMBER_COUNT] = {
#include "ir/number/number.def"
};

static const char *const key_names[WEIR_KEY_COUNT] = {
    [WEIR_KEY_WIDTH] = "width",
    [WEIR_KEY_FRAC_WIDTH] = "frac_width",
    [WEIR_KEY_SIGNED] = "signed",
    [WEIR_KEY_FLOOR] = "floor",
    [WEIR_KEY_EXPONENT_WIDTH] = "exponent_width",
    [WEIR_KEY_EXPONENT_BIAS] = "exponent_bias",
    [WEIR_KEY_EXPONENT_BIAS_WIDTH] = "exponent_bias_width",
    [WEIR_KEY_BLOCK_SIZE] = "block_size",
    [WEIR_KEY_BIPOLAR] = "bipolar",
    [WEIR_KEY_STOCHASTIC] = "stochastic",
    [WEIR_KEY_LEVELS] = "levels",
    [WEIR_KEY_SCALING_FACTOR] = "scaling_factor",
    [WEIR_KEY_THRESHOLD] = "threshold",
    [WEIR_KEY_SYMMETRIC] = "symmetric",
    [WEIR_KEY_CHANNEL] = "channel",
};

static const number_row *row_of(weir_number_id id) {
    assert(id < WEIR_NUMBER_COUNT);
    return &rows[id];
}

const char *weir_number_name(weir_number_id id) { return row_of(id)->name; }
weir_number_group weir_number_group_of(weir_number_id id) { return row_of(id)->group; }
weir_number_hardware weir_number_hardware_of(weir_number_id id) { return row_of(id)->hardware; }
weir_number_gradient weir_number_gradient_of(weir_number_id id) { return row_of(id)->gradient; }

bool weir_number_find(const char *name, weir_number_id *id) {
    for (int i = 0; i < WEIR_NUMBER_COUNT; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *id = (weir_number_id)i;
        return true;
    }
    return false;
}

const char *weir_number_key_name(weir_number_key key) { return key < WEIR_KEY_COUNT ? key_names[key] : NULL; }

bool weir_number_key_find(const char *name, weir_number_key *key) {
    for (int i = 0; i < WEIR_KEY_COUNT; i++) {
        if (strcmp(key_names[i], name) != 0) continue;
        *key = (weir_number_key)i;
        return true;
    }
    return false;
}

/* --- settings --- */

weir_number weir_number_new(weir_number_id id) {
    const number_row *row = row_of(id);
    weir_number n = {.id = id};
    for (size_t i = 0; i < row->key_count; i++) n.value[i] = row->key[i].preset;
    return n;
}

/* The place of the key in the format's row; its number of keys: it has none such. */
static size_t place_of(weir_number_id id, weir_number_key key) {
    const number_row *row = row_of(id);
    size_t i = 0;
    while (i < row->key_count && row->key[i].key != key) i++;
    return i;
}

bool weir_number_has(const weir_number *n, weir_number_key key) {
    return place_of(n->id, key) < row_of(n->id)->key_count;
}

int weir_number_get(const weir_number *n, weir_number_key key) {
    const size_t place = place_of(n->id, key);
    assert(place < row_of(n->id)->key_count);
    return n->value[place];
}

bool weir_number_key_range(weir_number_id id, weir_number_key key, int *least, int *largest) {
    const size_t place = place_of(id, key);
    if (place == row_of(id)->key_count) return false;
    *least = row_of(id)->key[place].least;
    *largest = row_of(id)->key[place].largest;
    return true;
}

bool weir_number_set(weir_number *n, weir_number_key key, int value) {
    int least, largest;
    if (!weir_number_key_range(n->id, key, &least, &largest) || value < least || value > largest) return false;
    if (key == WEIR_KEY_BLOCK_SIZE && value == 0) return false;
    n->value[place_of(n->id, key)] = value;
    return true;
}

const char *weir_number_conflict(const weir_number *n) {
    switch (n->id) {
    case WEIR_NUMBER_MINIFLOAT_IEEE:
    case WEIR_NUMBER_BLOCK_MINIFLOAT:
        if (weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) < weir_number_get(n, WEIR_KEY_WIDTH)) return NULL;
        return "exponent_width must be less than width, for a sign";
    case WEIR_NUMBER_MINIFLOAT_DENORM:
        if (weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) + 1 < weir_number_get(n, WEIR_KEY_WIDTH)) return NULL;
        return "exponent_width must be less than width - 1, for a sign and a bit of fraction";
    case WEIR_NUMBER_MXFP:
        if (number_mx_element_of(weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH),
                                 weir_number_get(n, WEIR_KEY_FRAC_WIDTH)) != NULL)
            return NULL;
        return "exponent_width and frac_width must be an element of OCP's: 4 and 3, 5 and 2, 2 and 3, 3 and 2, 2 and 1, or, "
               "for INT8, 0 and 6";
    default: return NULL;
    }
}

char *weir_number_print(const weir_number *n) {
    const number_row *row = row_of(n->id);
    weir_text text = {0};
    weir_text_add(&text, row->name);
    for (size_t i = 0; i < row->key_count; i++)
        if (n->value[i] != CHOSEN) weir_text_format(&text, " %s=%d", key_names[row->key[i].key], (int)n->value[i]);
    return text.data;
}

bool weir_number_parse(const char *text, weir_number *n) {
    const size_t name = strcspn(text, " ");
    char *word = weir_format("%.*s", (int)name, text);
    weir_number_id id = WEIR_NUMBER_INTEGER;
    bool fine = weir_number_find(word, &id);
    free(word);
    *n = weir_number_new(id);
    for (text += name; fine && *text == ' '; text += strcspn(text, " ")) {
        const size_t size = strcspn(++text, "=");
        weir_number_key key;
        char *end, *name_text = weir_format("%.*s", (int)size, text);
        fine = text[size] == '=' && weir_number_key_find(name_text, &key);
        free(name_text);
        if (!fine) break;
        const long value = strtol(text + size + 1, &end, 10);
        fine = end != text + size + 1 && (*end == ' ' || *end == '\0') && value >= INT32_MIN && value <= INT32_MAX &&
               weir_number_set(n, key, (int)value);
    }
    return fine && *text == '\0' && weir_number_conflict(n) == NULL;
}
