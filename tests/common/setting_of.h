/* Settings of a node by their names, as its component declares them, or before it has one the first that does. */
#ifndef WEIR_TESTS_SETTING_OF_H
#define WEIR_TESTS_SETTING_OF_H

#include <assert.h>
#include <string.h>

#include "dataflow/component.h"

static inline int64_t setting_of(const weir_meta_hardware *hardware, const char *name) {
    return weir_settings_get(&hardware->settings, name);
}

static inline void set_setting(weir_meta_hardware *hardware, const char *name, int64_t value) {
    const weir_component_setting *setting = NULL;
    for (size_t i = 0; setting == NULL && i < weir_component_count(); i++)
        if (hardware->module == NULL || strcmp(weir_component_at(i)->module, hardware->module) == 0)
            setting = weir_component_setting_called(weir_component_at(i)->rules, name);
    assert(setting != NULL);
    weir_component_setting_set(hardware, setting, value);
}

#endif
