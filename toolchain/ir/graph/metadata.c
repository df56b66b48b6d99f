#include "ir/graph/metadata.h"

#include <assert.h>
#include <string.h>

static const char *const storage_names[] = {"auto", "block", "logic"};

static const char *const host_names[] = {"none", "head", "tail"};

const char *weir_host_name(weir_host host) { return host_names[host]; }

bool weir_host_parse(const char *name, weir_host *host) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(host_names[i], name) != 0) continue;
        *host = (weir_host)i;
        return true;
    }
    return false;
}

const char *weir_storage_name(weir_storage storage) { return storage_names[storage]; }

bool weir_storage_parse(const char *name, weir_storage *storage) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(storage_names[i], name) == 0) {
            *storage = (weir_storage)i;
            return true;
        }
    }
    return false;
}

const char *weir_mase_type_name(weir_mase_type type) {
    static const char *const names[WEIR_MASE_TYPE_COUNT] = {
        "module", "module_related_func", "builtin_func", "implicit_func", "placeholder", "get_attr", "output"};
    return names[type];
}

const char *weir_meta_group_name(weir_meta_group group) {
    assert(group < WEIR_META_GROUPS);
    static const char *const names[WEIR_META_GROUPS] = {"common", "software", "hardware"};
    return names[group];
}

json_t *weir_metadata_facts(weir_metadata *metadata, weir_meta_group group) {
    json_t *old = metadata->facts, *facts = json_object_get(old, weir_meta_group_name(group));
    if (facts != NULL) return facts;
    metadata->facts = json_object(); /* groups in one order, so that equal facts print alike */
    for (int i = 0; i < WEIR_META_GROUPS; i++) {
        const char *name = weir_meta_group_name((weir_meta_group)i);
        if (i == (int)group) json_object_set_new(metadata->facts, name, facts = json_object());
        else if (json_object_get(old, name) != NULL) json_object_set(metadata->facts, name, json_object_get(old, name));
    }
    json_decref(old);
    return facts;
}

const json_t *weir_metadata_facts_of(const weir_metadata *metadata, weir_meta_group group) {
    return json_object_get(metadata->facts, weir_meta_group_name(group));
}

void weir_metadata_clear_facts(weir_metadata *metadata) {
    json_decref(metadata->facts);
    metadata->facts = NULL;
}
