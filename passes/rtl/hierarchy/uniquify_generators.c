/* uniquify_generators: one module a name, by the hashes of modules. Of the modules that share a name the top keeps it,
 * else the first one made; each further one of another hash is named NAME_unqN, and those of equal hashes become one.
 * External modules keep theirs; what is not below the top is left alone. Since a hash covers what is below a module,
 * parents are alike when their children are, whatever those are named afterwards.
 *
 * With a file of what was emitted before (names and hashes), modules in it have their name and are external from now
 * on; the names in it are taken for others, the top too. Linear. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/hierarchy/children.h"
#include "passes/rtl/hierarchy/module_hash.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"

/* What is below the top, by module id, and what becomes of it. */
typedef struct entry {
    bool is_below, is_done;
    weir_rtl_module same; /* the one of equal hash that stays */
    const char *name;     /* the new one, or NULL */
} entry;

typedef struct uniquifier {
    weir_rtl_design *design;
    const weir_module_hashes *hashes;
    weir_rtl_module top;
    weir_rtl_module *module; /* below the top, in order of creation */
    size_t count;
    entry *entry;
    size_t entries;
    json_t *tracked, *by_hash; /* names to hashes, hashes to names; NULL: not asked for */
    weir_rtl_module *group;
    size_t group_capacity;
    weir_map variants; /* the modules of one name whose hashes differ, by hash */
    int64_t renamed, merged, known;
} uniquifier;

static int compare_ids(const void *a, const void *b) {
    const uint32_t x = ((const weir_rtl_module *)a)->id, y = ((const weir_rtl_module *)b)->id;
    return x < y ? -1 : x > y;
}

static const char *name_of(const uniquifier *u, weir_rtl_module module) {
    return weir_rtl_get_module(u->design, module).name;
}

static bool is_below(const uniquifier *u, weir_rtl_module module) {
    return module.id < u->entries && u->entry[module.id].is_below &&
           !weir_rtl_get_module(u->design, module).is_external;
}

/* The name under which the module was emitted before, or NULL. */
static const char *tracked_name(const uniquifier *u, weir_rtl_module module) {
    char text[33];
    const weir_hash hash = weir_module_hash(u->hashes, module);
    weir_hash_print(&hash, text);
    return u->by_hash != NULL ? json_string_value(json_object_get(u->by_hash, text)) : NULL;
}

/* ---- one name ---- */

/* The modules of the name that are to be told apart, in order of creation, the top first. Says whether an external one
 * has the name too. */
static size_t collect(uniquifier *u, const char *name, bool *is_taken) {
    size_t count = 0;
    for (weir_rtl_module m = weir_rtl_find_module(u->design, name); m.id != 0;
         m = weir_rtl_next_namesake(u->design, m)) {
        *is_taken = *is_taken || weir_rtl_get_module(u->design, m).is_external;
        if (!is_below(u, m)) continue;
        u->group = weir_grow(u->group, &u->group_capacity, count + 1, sizeof *u->group);
        u->group[count++] = m;
    }
    qsort(u->group, count, sizeof *u->group, compare_ids);
    for (size_t i = 1; i < count; i++) {
        if (u->group[i].id != u->top.id) continue;
        memmove(u->group + 1, u->group, i * sizeof *u->group);
        u->group[0] = u->top;
    }
    return count;
}

typedef struct wanted {
    const uniquifier *uniquifier;
    weir_hash hash;
} wanted;

static bool is_variant(const void *user, uint64_t module, uint64_t value) {
    (void)value;
    const wanted *w = user;
    return weir_hash_equal(weir_module_hash(w->uniquifier->hashes, (weir_rtl_module){(uint32_t)module}), w->hash);
}

/* The first module with the hash of this one, which it may be itself. */
static weir_rtl_module find_variant(uniquifier *u, weir_rtl_module module) {
    const wanted w = {u, weir_module_hash(u->hashes, module)};
    bool is_new;
    weir_map_entry *first = weir_map_put_as(&u->variants, (uint32_t)w.hash.low, is_variant, &w, &is_new);
    if (is_new) first->key = module.id;
    return (weir_rtl_module){(uint32_t)first->key};
}

/* The next unused name of the form NAME_unqN. */
static const char *next_name(uniquifier *u, const char *name, unsigned *number) {
    weir_text text = {NULL, 0, 0};
    do {
        text.size = 0;
        weir_text_format(&text, "%s_unq%u", name, (*number)++);
    } while (weir_rtl_find_module(u->design, text.data).id != 0 ||
             (u->tracked != NULL && json_object_get(u->tracked, text.data) != NULL));
    const char *result = weir_rtl_free_module_name(u->design, text.data);
    weir_text_free(&text);
    return result;
}

/* Decides about all modules of one name. */
static void uniquify(uniquifier *u, const char *name) {
    bool is_taken = u->tracked != NULL && json_object_get(u->tracked, name) != NULL;
    unsigned number = 0;
    const size_t count = collect(u, name, &is_taken);
    weir_map_clear(&u->variants);
    for (size_t i = 0; i < count; i++) {
        entry *e = &u->entry[u->group[i].id];
        e->is_done = true;
        e->same = count > 1 ? find_variant(u, u->group[i]) : u->group[i];
        if (e->same.id != u->group[i].id) continue;
        const char *before = tracked_name(u, u->group[i]);
        if (before != NULL) {
            e->name = before;
        } else if (is_taken) {
            e->name = next_name(u, name, &number);
        }
        is_taken = is_taken || before == NULL;
    }
}

/* ---- the changes ---- */

/* Instances of modules that go become instances of those that stay. */
static bool merge(uniquifier *u) {
    weir_rtl_instance *instance = NULL;
    weir_rtl_module *to = NULL;
    size_t count = 0, capacity = 0, to_capacity = 0;
    for (size_t i = 0; i < u->count; i++) {
        if (u->entry[u->module[i].id].same.id != u->module[i].id) continue;
        const size_t instances = weir_rtl_get_module(u->design, u->module[i]).instance_count;
        for (size_t k = 0; k < instances; k++) {
            const weir_rtl_instance found = weir_rtl_instance_at(u->design, u->module[i], k);
            const weir_rtl_module old = weir_rtl_get_instance(u->design, found).module;
            const weir_rtl_module same = u->entry[old.id].same;
            if (same.id == 0 || same.id == old.id) continue;
            instance = weir_grow(instance, &capacity, count + 1, sizeof *instance);
            to = weir_grow(to, &to_capacity, count + 1, sizeof *to);
            instance[count] = found;
            to[count++] = same;
            weir_rtl_touch(u->design, WEIR_RTL_ITEM(found));
        }
    }
    const bool fine = weir_rtl_set_instance_modules(u->design, count, instance, to);
    for (size_t i = 0; fine && i < u->count; i++) {
        if (u->entry[u->module[i].id].same.id == u->module[i].id) continue;
        weir_rtl_remove_module(u->design, u->module[i]);
        u->merged++;
    }
    free(instance);
    free(to);
    return fine;
}

static bool rename_module(uniquifier *u, weir_rtl_module module, const char *name) {
    if (strcmp(name_of(u, module), name) == 0) return true;
    /* Whoever has a name that was emitted for another one gets its own later. */
    const weir_rtl_module owner = weir_rtl_find_module(u->design, name);
    if (owner.id != 0 && is_below(u, owner) && u->entry[owner.id].name != NULL &&
        !weir_rtl_rename(u->design, WEIR_RTL_ITEM(owner), weir_rtl_free_module_name(u->design, name)))
        return false;
    weir_rtl_touch(u->design, WEIR_RTL_ITEM(module));
    u->renamed++;
    return weir_rtl_rename(u->design, WEIR_RTL_ITEM(module), name);
}

static bool rename_modules(uniquifier *u) {
    bool fine = true;
    for (size_t i = 0; fine && i < u->count; i++) {
        const char *name = u->entry[u->module[i].id].name;
        if (name != NULL) fine = rename_module(u, u->module[i], name);
    }
    return fine;
}

/* ---- what was emitted before ---- */

/* False after a reported error. */
static bool read_tracked(uniquifier *u, const char *path) {
    json_error_t error;
    const char *name;
    json_t *hash;
    u->tracked = weir_file_exists(path) ? json_load_file(path, JSON_REJECT_DUPLICATES, &error) : json_object();
    u->by_hash = json_object();
    if (u->tracked == NULL) {
        weir_error(weir_at(path, error.line), "%s", error.text);
        return false;
    }
    bool fine = json_is_object(u->tracked);
    json_object_foreach(u->tracked, name, hash) {
        fine = fine && weir_rtl_name_is_legal(name) && json_is_string(hash);
        if (fine) json_object_set_new(u->by_hash, json_string_value(hash), json_string(name));
    }
    if (!fine) weir_error(weir_at(path, 1), "expected an object that maps names of modules to their hashes");
    return fine;
}

/* The text of the module is in the folder already: nothing of it is needed but its ports. */
static void make_external(uniquifier *u, weir_rtl_module module) {
    weir_children_clear(NULL, u->design, module);
    weir_rtl_set_external(u->design, module);
    u->known++;
}

/* Remembers the modules that will be emitted, and marks those that were. */
static bool track(uniquifier *u, weir_pass_context *context, const char *path) {
    weir_module_set_string(weir_pass_module_of(context), "hardware.top", name_of(u, u->top));
    for (size_t i = 0; i < u->count; i++) {
        char text[33];
        const weir_hash hash = weir_module_hash(u->hashes, u->module[i]);
        if (u->entry[u->module[i].id].same.id != u->module[i].id) continue;
        weir_hash_print(&hash, text);
        if (tracked_name(u, u->module[i]) != NULL) make_external(u, u->module[i]);
        else json_object_set_new(u->tracked, name_of(u, u->module[i]), json_string(text));
    }
    char *dump = json_dumps(u->tracked, JSON_INDENT(2) | JSON_SORT_KEYS);
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s\n", dump);
    char *folder = weir_path_folder(path);
    const bool fine = weir_make_folder(folder) && weir_file_write_changed(path, text.data, text.size);
    free(folder);
    weir_text_free(&text);
    free(dump);
    return fine;
}

/* ---- the pass ---- */

static bool prepare(uniquifier *u, const weir_pass *pass, weir_pass_context *context, const char *path) {
    size_t below = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(u->design, u->top, WEIR_RTL_CHILDREN_FIRST, &below);
    u->hashes = weir_pass_get_analysis(context, WEIR_MODULE_HASHES);
    for (size_t i = 0; modules != NULL && i < below; i++)
        if (modules[i].id >= u->entries) u->entries = modules[i].id + 1;
    u->entry = weir_calloc(u->entries, sizeof *u->entry);
    u->module = weir_calloc(below, sizeof *u->module);
    for (size_t i = 0; modules != NULL && i < below; i++) {
        u->entry[modules[i].id].is_below = true;
        if (is_below(u, modules[i])) u->module[u->count++] = modules[i];
    }
    qsort(u->module, u->count, sizeof *u->module, compare_ids);
    free(modules);
    return modules != NULL && u->hashes != NULL && (!weir_pass_is_set(pass, "tracked") || read_tracked(u, path));
}

bool weir_pass_uniquify_generators(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    uniquifier u = {.design = design, .top = weir_hardware_top(context)};
    char *path = weir_path_join(weir_module_folder(weir_pass_module_of(context)), weir_pass_string(pass, "tracked"));
    bool fine = prepare(&u, pass, context, path);
    for (size_t i = 0; fine && i < u.count; i++)
        if (!u.entry[u.module[i].id].is_done) uniquify(&u, name_of(&u, u.module[i]));
    fine = fine && merge(&u) && rename_modules(&u) && (u.tracked == NULL || track(&u, context, path));
    if (fine && u.renamed + u.merged + u.known == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "modules renamed", u.renamed);
    weir_pass_count(context, "modules merged", u.merged);
    weir_pass_count(context, "modules emitted before", u.known);
    json_decref(u.tracked);
    json_decref(u.by_hash);
    free(u.module);
    free(u.entry);
    free(u.group);
    weir_map_free(&u.variants);
    free(path);
    return fine;
}
