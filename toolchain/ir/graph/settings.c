#include "ir/graph/settings.h"

#include <assert.h>
#include <string.h>

#include "support/memory/hash.h"

static const char *const fields[] = {"module", "host", "implicit",
#define WEIR_HARDWARE_SETTINGS
#define WEIR_HARDWARE_FIELD(name) #name,
#include "ir/trait/hardware.def"
#undef WEIR_HARDWARE_FIELD
#undef WEIR_HARDWARE_SETTINGS
                                     "storage"};

bool weir_settings_may_have(const char *name) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i], name) == 0) return false;
    const char *letter = name;
    while ((*letter >= 'a' && *letter <= 'z') || *letter == '_' || (letter > name && *letter >= '0' && *letter <= '9'))
        letter++;
    return letter > name && *letter == '\0';
}

/* Mostly it is the same text, which is looked for first: searches of foldings ask often. */
static uint8_t find(const weir_settings *settings, const char *name) {
    for (uint8_t i = 0; i < settings->count; i++)
        if (settings->name[i] == name) return i;
    uint8_t i = 0;
    while (i < settings->count && (settings->name[i][0] != name[0] || strcmp(settings->name[i], name) != 0)) i++;
    return i;
}

int64_t weir_settings_get(const weir_settings *settings, const char *name) {
    const uint8_t i = find(settings, name);
    return i < settings->count ? settings->value[i] : 0;
}

void weir_settings_set(weir_settings *settings, const char *name, weir_settings_place place, int64_t value) {
    const uint8_t i = find(settings, name);
    assert(i < WEIR_SETTINGS_MOST);
    if (i == settings->count) settings->name[settings->count++] = name;
    settings->place[i] = (uint8_t)place;
    settings->value[i] = value;
}

uint64_t weir_settings_hash(const weir_settings *settings, uint64_t hash) {
    for (uint8_t i = 0; i < settings->count; i++)
        if (settings->value[i] != 0 && settings->place[i] != WEIR_SETTINGS_STORAGE)
            hash = weir_hash_mix(weir_hash_mix_text(hash, settings->name[i]), (uint64_t)settings->value[i]);
    return hash;
}
