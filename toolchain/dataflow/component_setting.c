#include "dataflow/component_setting.h"

#include <string.h>

#include "dataflow/component.h"
#include "support/text/diag.h"
#include "support/text/unreachable.h"

const weir_component_setting weir_component_setting_digit = {"digit", WEIR_SETTING_PIECES, NULL};

static weir_settings_place place_of(weir_setting_role role) {
    switch (role) {
    case WEIR_SETTING_UNITS:
    case WEIR_SETTING_OWN: return WEIR_SETTINGS_BEFORE_LANES;
    case WEIR_SETTING_PIECES:
    case WEIR_SETTING_FOUND: return WEIR_SETTINGS_AFTER_LANES;
    case WEIR_SETTING_PRODUCTS: return WEIR_SETTINGS_STORAGE;
    }
    weir_unreachable("a role without a place");
}

int64_t weir_component_setting_of(const weir_meta_hardware *hardware, const weir_component_setting *setting) {
    return weir_settings_get(&hardware->settings, setting->name);
}

void weir_component_setting_set(weir_meta_hardware *hardware, const weir_component_setting *setting, int64_t value) {
    weir_settings_set(&hardware->settings, setting->name, place_of(setting->role), value);
}

bool weir_component_setting_is_open(const weir_component_setting *setting) {
    return setting->role != WEIR_SETTING_PIECES && setting->role != WEIR_SETTING_FOUND;
}

int64_t weir_component_setting_most(const weir_component_setting *setting, const weir_graph *graph, weir_node node) {
    if (setting->role == WEIR_SETTING_PRODUCTS) return WEIR_STORAGE_LOGIC;
    return setting->most == NULL ? INT32_MAX : setting->most(graph, node);
}

int64_t weir_component_setting_digit_of(const weir_graph *graph, weir_node node) {
    return weir_component_setting_of(&weir_node_metadata_of(graph, node)->hardware, &weir_component_setting_digit);
}

const weir_component_setting *weir_component_setting_list(const weir_component_rules *rules, size_t *count) {
    const bool by_default = rules != NULL && rules->setting_count == 0 && rules->foldings == NULL;
    *count = rules == NULL ? 0 : by_default ? 1 : rules->setting_count;
    return rules == NULL ? NULL : by_default ? &weir_component_setting_digit : rules->settings;
}

const weir_component_setting *weir_component_setting_as(const weir_component_rules *rules, weir_setting_role role,
                                                        size_t index) {
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    for (size_t i = 0; i < count; i++)
        if (settings[i].role == role && index-- == 0) return &settings[i];
    return NULL;
}

const weir_component_setting *weir_component_setting_called(const weir_component_rules *rules, const char *name) {
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    for (size_t i = 0; i < count; i++)
        if (settings[i].name == name || strcmp(settings[i].name, name) == 0) return &settings[i];
    return NULL;
}

int64_t weir_component_setting_units(const weir_component_rules *rules, const weir_meta_hardware *hardware) {
    const weir_component_setting *setting = weir_component_setting_as(rules, WEIR_SETTING_UNITS, 0);
    int64_t units = setting != NULL;
    for (size_t i = 1; setting != NULL; setting = weir_component_setting_as(rules, WEIR_SETTING_UNITS, i++))
        units *= weir_component_setting_of(hardware, setting);
    return units;
}

bool weir_component_setting_add_units(const weir_component_rules *rules, const weir_meta_hardware *hardware,
                                      weir_text *text) {
    if (weir_component_setting_units(rules, hardware) == 0) return false;
    const weir_component_setting *setting;
    for (size_t i = 0; (setting = weir_component_setting_as(rules, WEIR_SETTING_UNITS, i)) != NULL; i++)
        weir_text_format(text, "%s%lld", i == 0 ? "" : " x ", (long long)weir_component_setting_of(hardware, setting));
    return true;
}

int64_t weir_component_setting_value_as(const weir_component_rules *rules, const weir_meta_hardware *hardware,
                                        weir_setting_role role) {
    const weir_component_setting *setting = weir_component_setting_as(rules, role, 0);
    return setting == NULL ? 0 : weir_component_setting_of(hardware, setting);
}

void weir_component_setting_set_as(const weir_component_rules *rules, weir_meta_hardware *hardware,
                                   weir_setting_role role, int64_t value) {
    const weir_component_setting *setting = weir_component_setting_as(rules, role, 0);
    if (setting != NULL) weir_component_setting_set(hardware, setting, value);
}

/* --- what a node may have --- */

static void add_name(weir_text *text, const char *name) {
    weir_text_format(text, "%s%s", text->size == 0 ? "" : ", ", name);
}

size_t weir_component_setting_open_names(const weir_component_rules *rules,
                                         const char *name[WEIR_COMPONENT_SETTING_OPEN_MOST]) {
    size_t count, names = 0;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    for (size_t i = 0; i < count; i++)
        if (weir_component_setting_is_open(&settings[i]) && settings[i].role != WEIR_SETTING_PRODUCTS)
            name[names++] = settings[i].name;
    if (rules != NULL && rules->memory != NULL) name[names++] = "storage";
    for (size_t i = 0; i < count; i++)
        if (settings[i].role == WEIR_SETTING_PRODUCTS) name[names++] = settings[i].name;
    return names;
}

void weir_component_setting_add_open(const weir_component_rules *rules, weir_text *text) {
    const char *name[WEIR_COMPONENT_SETTING_OPEN_MOST];
    const size_t count = weir_component_setting_open_names(rules, name);
    for (size_t i = 0; i < count; i++) add_name(text, name[i]);
}

json_t *weir_component_setting_json(const weir_component_rules *rules, const weir_meta_hardware *hardware) {
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        const int64_t value = weir_component_setting_of(hardware, &settings[i]);
        const bool is_place = settings[i].role == WEIR_SETTING_PRODUCTS;
        json_object_set_new(object, settings[i].name,
                            is_place ? json_string(weir_storage_name((weir_storage)value)) : json_integer(value));
    }
    return object;
}

static bool is_declared(const weir_graph *graph, weir_node node, const weir_component_rules *rules, const char *name) {
    if (weir_component_setting_called(rules, name) != NULL) return true;
    weir_node_fail(graph, node, "hardware: %s has no setting '%s'", weir_node_metadata_of(graph, node)->hardware.module,
                   name);
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) add_name(&text, settings[i].name);
    if (count == 0) weir_note("it has none");
    else weir_note("its settings: %s", text.data);
    weir_text_free(&text);
    return false;
}

bool weir_component_setting_are_declared(const weir_component_rules *rules, const weir_graph *graph, weir_node node) {
    const weir_settings *settings = &weir_node_metadata_of(graph, node)->hardware.settings;
    for (uint8_t i = 0; i < settings->count; i++)
        if (!is_declared(graph, node, rules, settings->name[i])) return false;
    return true;
}

bool weir_component_setting_verify(const weir_component_rules *rules, const weir_graph *graph, weir_node node) {
    if (!weir_component_setting_are_declared(rules, graph, node)) return false;
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = weir_component_setting_of(&weir_node_metadata_of(graph, node)->hardware, &settings[i]);
        const int64_t least = settings[i].role == WEIR_SETTING_UNITS;
        const int64_t most = weir_component_setting_most(&settings[i], graph, node);
        if (value < least || value > most)
            return weir_node_fail(graph, node, "%s is %lld, expected %lld to %lld", settings[i].name, (long long)value,
                                  (long long)least, (long long)most);
    }
    return true;
}

void weir_component_setting_lay_out(const weir_component_rules *rules, weir_meta_hardware *hardware) {
    weir_meta_hardware laid_out = *hardware;
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    laid_out.settings = (weir_settings){.count = 0};
    for (size_t i = 0; i < count; i++)
        weir_component_setting_set(&laid_out, &settings[i], weir_component_setting_of(hardware, &settings[i]));
    hardware->settings = laid_out.settings;
}
