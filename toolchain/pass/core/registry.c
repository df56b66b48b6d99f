/* The registry: entries in registration order; lists of names become pointers and bit sets in one checking step. */
#include "pass/core/private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

static const char *const kind_names[WEIR_PASS_KIND_COUNT] = {
    [WEIR_PASS_MODULE] = "module",
    [WEIR_PASS_GRAPH] = "graph",
    [WEIR_PASS_HARDWARE] = "hardware",
};

const char *weir_pass_kind_name(weir_pass_kind kind) { return kind_names[kind]; }

const char *weir_pass_promise_name(weir_pass_promise promise) {
    static const char *const names[] = {"exact", "approximate", "changes"};
    return names[promise];
}

weir_pass_registry *weir_pass_registry_new(void) {
    weir_pass_registry *registry = weir_calloc(1, sizeof *registry);
    pthread_mutex_init(&registry->lock, NULL);
    return registry;
}

static void forget_check(weir_pass_registry *registry) {
    for (size_t i = 0; i < registry->count; i++) {
        weir_pass_entry *entry = registry->entry[i];
        free(entry->requires);
        free(entry->survive);
        entry->requires = NULL;
        entry->require_count = 0;
        entry->survive = NULL;
    }
    free(registry->hardware);
    free(registry->forms);
    registry->hardware = registry->forms = NULL;
    registry->checked = false;
}

static void free_entry(weir_pass_entry *entry) {
    if (entry->what == WEIR_PASS_ENTRY_PIPELINE) {
        free((char *)(uintptr_t)entry->name);
    }
    free(entry->pipeline);
    free(entry->help);
    weir_pass_specs_free(&entry->specs);
    free(entry);
}

static void unload(weir_pass_registry *registry) {
    while (registry->object_count > 0) {
        dlclose(registry->object[--registry->object_count]);
    }
    free(registry->object);
}

void weir_pass_registry_free(weir_pass_registry *registry) {
    if (!registry) {
        return;
    }
    forget_check(registry);
    for (size_t i = 0; i < registry->count; i++) {
        free_entry(registry->entry[i]);
    }
    free(registry->entry);
    weir_pass_specs_free(&registry->config);
    unload(registry);
    pthread_mutex_destroy(&registry->lock);
    free(registry);
}

static weir_pass_entry *find_entry(const weir_pass_registry *registry, const char *name, size_t size) {
    for (size_t i = 0; i < registry->count; i++) {
        const char *own = registry->entry[i]->name;
        if (strlen(own) == size && memcmp(own, name, size) == 0) return registry->entry[i];
    }
    return NULL;
}

/* MASE's functions have the names of its passes with one of these. */
weir_pass_entry *weir_pass_registry_entry(const weir_pass_registry *registry, const char *name) {
    static const char *const endings[] = {"_transform_pass", "_analysis_pass", "_interface_pass"};
    const size_t size = strlen(name);
    weir_pass_entry *entry = find_entry(registry, name, size);
    for (size_t i = 0; entry == NULL && i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (size > length && strcmp(name + size - length, endings[i]) == 0)
            entry = find_entry(registry, name, size - length);
    }
    return entry;
}

/* --- adding --- */
static bool good_name(const char *name) {
    if (!name || *name < 'a' || *name > 'z' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != strlen(name)) {
        return false;
    }
    for (int kind = 0; kind < WEIR_PASS_KIND_COUNT; kind++) {
        if (strcmp(name, kind_names[kind]) == 0) {
            return false;
        }
    }
    return true;
}

static bool may_add(const weir_pass_registry *registry, const char *name) {
    if (registry->running) {
        weir_error(WEIR_NOWHERE, "'%s' cannot be registered while passes run", name ? name : "");
        return false;
    }
    if (!good_name(name)) {
        weir_error(
            WEIR_NOWHERE,
            "'%s' is not a pass name: expected lower case letters, digits, '-', '_' and '.', other than 'module', "
            "'graph' and 'hardware'",
            name ? name : "");
        return false;
    }
    if (weir_pass_registry_entry(registry, name)) {
        weir_error(WEIR_NOWHERE, "'%s' is registered twice", name);
        return false;
    }
    return true;
}

static void append(weir_pass_registry *registry, weir_pass_entry *entry) {
    forget_check(registry);
    entry->registry = registry;
    entry->id = (uint32_t)registry->count;
    registry->entry = weir_grow(registry->entry, &registry->capacity, registry->count + 1, sizeof *registry->entry);
    registry->entry[registry->count++] = entry;
}

static bool good_info(const weir_pass_info *info) {
    if (info->level < 0 || info->level > WEIR_PASS_LEVEL_MAX) {
        weir_error(WEIR_NOWHERE, "pass '%s' has level %d, expected 0 to %d", info->name, info->level,
                   WEIR_PASS_LEVEL_MAX);
        return false;
    }
    if ((info->kind == WEIR_PASS_MODULE && !info->run.module) || (info->kind == WEIR_PASS_GRAPH && !info->run.graph) ||
        (info->kind == WEIR_PASS_HARDWARE && !info->run.hardware)) {
        weir_error(WEIR_NOWHERE, "pass '%s' has no function to run", info->name);
        return false;
    }
    return true;
}

bool weir_pass_registry_add(weir_pass_registry *registry, const weir_pass_info *info) {
    if (!may_add(registry, info->name) || !good_info(info)) {
        return false;
    }
    weir_pass_entry *entry = weir_calloc(1, sizeof *entry);
    entry->what = WEIR_PASS_ENTRY_PASS;
    entry->kind = info->kind;
    entry->name = info->name;
    entry->info = info;
    char *owner = weir_format("pass '%s'", info->name);
    bool ok = true;
    for (const weir_pass_option *option = info->options; ok && option && option->name; option++) {
        ok = weir_pass_specs_add(&entry->specs, option, owner);
    }
    free(owner);
    if (!ok) {
        free_entry(entry);
        return false;
    }
    append(registry, entry);
    return true;
}

bool weir_pass_registry_add_all(weir_pass_registry *registry, const weir_pass_info *infos, size_t count) {
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        ok = weir_pass_registry_add(registry, &infos[i]) && ok;
    }
    return ok;
}

/* An entry whose texts belong to the caller; NULL after a reported error. */
static weir_pass_entry *add_entry(weir_pass_registry *registry, weir_pass_entry_kind what, weir_pass_kind kind,
                                  const char *name) {
    if (!may_add(registry, name)) {
        return NULL;
    }
    weir_pass_entry *entry = weir_calloc(1, sizeof *entry);
    entry->what = what;
    entry->kind = kind;
    entry->name = name;
    append(registry, entry);
    return entry;
}

bool weir_pass_registry_add_analysis(weir_pass_registry *registry, const weir_pass_analysis *analysis) {
    weir_pass_entry *entry = add_entry(registry, WEIR_PASS_ENTRY_ANALYSIS, analysis->kind, analysis->name);
    if (entry) {
        entry->analysis = analysis;
    }
    return entry != NULL;
}

bool weir_pass_registry_add_form(weir_pass_registry *registry, const weir_pass_form *form) {
    if (form->kind == WEIR_PASS_GRAPH) {
        weir_error(WEIR_NOWHERE, "form '%s' is of a graph, expected one of a module or of hardware", form->name);
        return false;
    }
    weir_pass_entry *entry = add_entry(registry, WEIR_PASS_ENTRY_FORM, form->kind, form->name);
    if (entry) {
        entry->form = form;
    }
    return entry != NULL;
}

bool weir_pass_registry_add_forms(weir_pass_registry *registry, const weir_pass_form *forms, size_t count) {
    bool fine = true;
    for (size_t i = 0; i < count; i++) fine = weir_pass_registry_add_form(registry, &forms[i]) && fine;
    return fine;
}

bool weir_pass_registry_add_pipeline(weir_pass_registry *registry, weir_pass_kind kind, const char *name,
                                     const char *text, const char *help) {
    if (!may_add(registry, name)) {
        return false;
    }
    weir_pass_entry *entry = weir_calloc(1, sizeof *entry);
    entry->what = WEIR_PASS_ENTRY_PIPELINE;
    entry->kind = kind;
    entry->name = weir_copy_string(name);
    entry->pipeline = weir_copy_string(text);
    entry->help = weir_copy_string(help ? help : "");
    append(registry, entry);
    return true;
}

bool weir_pass_registry_add_config(weir_pass_registry *registry, const weir_pass_option *option) {
    return weir_pass_specs_add(&registry->config, option, "the configuration");
}

/* --- checking --- */
char *weir_pass_next_name(const char **list) {
    if (!*list) {
        return NULL;
    }
    *list += strspn(*list, " ,\t\n");
    size_t length = strcspn(*list, " ,\t\n");
    if (length == 0) {
        return NULL;
    }
    char *name = weir_format("%.*s", (int)length, *list);
    *list += length;
    return name;
}

void weir_pass_registry_unknown(const weir_pass_registry *registry, const char *name, weir_pass_position position) {
    weir_pass_complain(position, "unknown pass '%s'", name);
    const char **names = weir_calloc(registry->count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < registry->count; i++) {
        if (weir_pass_can_run(registry->entry[i])) {
            names[count++] = registry->entry[i]->name;
        }
    }
    weir_pass_hint(name, names, count);
    free(names);
}

static weir_pass_entry *resolve(const weir_pass_registry *registry, const weir_pass_entry *entry, const char *list,
                                const char *name) {
    weir_pass_entry *found = weir_pass_registry_entry(registry, name);
    if (!found || found->what == WEIR_PASS_ENTRY_PIPELINE) {
        weir_error(WEIR_NOWHERE, "pass '%s' %s '%s', which is not a pass%s", entry->name, list, name,
                   strcmp(list, "requires") == 0 ? " or form" : " or analysis");
        const char **names = weir_calloc(registry->count + 1, sizeof *names);
        for (size_t i = 0; i < registry->count; i++) {
            names[i] = registry->entry[i]->name;
        }
        weir_pass_hint(name, names, registry->count);
        free(names);
        return NULL;
    }
    return found;
}

/* Hardware passes that do not take formulas require the form in which there are none, where it is known. */
static char *required_names(const weir_pass_registry *registry, const weir_pass_info *info) {
    static const char form[] = "fixed_widths";
    const char *list = info->requires ? info->requires : "";
    bool refuses = info->kind == WEIR_PASS_HARDWARE && info->formulas == WEIR_PASS_FORMULAS_REFUSED &&
                   weir_pass_registry_entry(registry, form);
    return refuses ? weir_format("%s%s%s", form, *list ? ", " : "", list) : weir_copy_string(list);
}

static bool resolve_requires(weir_pass_registry *registry, weir_pass_entry *entry) {
    size_t capacity = 0;
    bool ok = true;
    char *names = required_names(registry, entry->info);
    const char *list = names;
    for (char *name; (name = weir_pass_next_name(&list)); free(name)) {
        weir_pass_entry *found = resolve(registry, entry, "requires", name);
        if (found && found->what == WEIR_PASS_ENTRY_ANALYSIS) {
            weir_error(WEIR_NOWHERE, "pass '%s' requires '%s', which is an analysis", entry->name, name);
            weir_note("request analyses with weir_pass_get_analysis");
            found = NULL;
        }
        if (found && entry->kind == WEIR_PASS_GRAPH && found->kind == WEIR_PASS_HARDWARE) {
            weir_error(WEIR_NOWHERE, "graph pass '%s' cannot require hardware %s '%s'", entry->name,
                       found->what == WEIR_PASS_ENTRY_FORM ? "form" : "pass", name);
            found = NULL;
        }
        ok = ok && found;
        if (found) {
            entry->requires = weir_grow(entry->requires, &capacity, entry->require_count + 1, sizeof *entry->requires);
            entry->requires[entry->require_count++] = found;
        }
    }
    free(names);
    return ok;
}

/* survive = (preserves, or all when only invalidates is given) - invalidates */
static bool resolve_survivors(weir_pass_registry *registry, weir_pass_entry *entry) {
    const char *preserves = entry->info->preserves, *invalidates = entry->info->invalidates;
    bool has_preserves = preserves && *preserves, has_invalidates = invalidates && *invalidates;
    bool ok = true;
    entry->survive = weir_calloc(registry->words, sizeof *entry->survive);
    bool all = !has_preserves && has_invalidates;
    for (char *name; (name = weir_pass_next_name(&preserves)); free(name)) {
        weir_pass_entry *found = NULL;
        if (strcmp(name, "*") == 0) {
            all = true;
        } else if ((found = resolve(registry, entry, "preserves", name))) {
            weir_pass_put(entry->survive, found->id);
        } else {
            ok = false;
        }
    }
    if (all) {
        memset(entry->survive, 0xff, registry->words * sizeof *entry->survive);
    }
    entry->survive_all = all;
    for (char *name; (name = weir_pass_next_name(&invalidates)); free(name)) {
        if (strcmp(name, "*") == 0) {
            memset(entry->survive, 0, registry->words * sizeof *entry->survive);
            entry->survive_all = false;
            continue;
        }
        weir_pass_entry *found = resolve(registry, entry, "invalidates", name);
        if (found) {
            weir_pass_take(entry->survive, found->id);
            entry->survive_all = false;
        }
        ok = ok && found;
    }
    return ok;
}

static void report_cycle(const weir_pass_entry *const *path, size_t length, const weir_pass_entry *again) {
    size_t start = 0;
    while (path[start] != again) {
        start++;
    }
    weir_text text = {0};
    for (size_t i = start; i < length; i++) {
        weir_text_format(&text, "%s -> ", path[i]->name);
    }
    weir_error(WEIR_NOWHERE, "passes require each other in a cycle: %s%s", text.data, again->name);
    weir_text_free(&text);
}

/* Depth first; state 1: on the path, 2: done. */
static bool find_cycles(const weir_pass_entry *entry, uint8_t *state, const weir_pass_entry **path, size_t length) {
    bool ok = true;
    state[entry->id] = 1;
    path[length++] = entry;
    for (size_t i = 0; i < entry->require_count; i++) {
        const weir_pass_entry *next = entry->requires[i];
        if (state[next->id] == 1) {
            report_cycle(path, length, next);
            ok = false;
        } else if (state[next->id] == 0) {
            ok = find_cycles(next, state, path, length) && ok;
        }
    }
    state[entry->id] = 2;
    return ok;
}

static bool check_cycles(weir_pass_registry *registry) {
    uint8_t *state = weir_calloc(registry->count + 1, 1);
    const weir_pass_entry **path = weir_calloc(registry->count + 1, sizeof(*path));
    bool ok = true;
    for (size_t i = 0; i < registry->count; i++) {
        if (state[i] == 0) {
            ok = find_cycles(registry->entry[i], state, path, 0) && ok;
        }
    }
    free(path);
    free(state);
    return ok;
}

static bool check(weir_pass_registry *registry) {
    forget_check(registry);
    registry->words = registry->count / 64 + 1;
    registry->hardware = weir_calloc(registry->words, sizeof *registry->hardware);
    registry->forms = weir_calloc(registry->words, sizeof *registry->forms);
    bool ok = true;
    for (size_t i = 0; i < registry->count; i++) {
        weir_pass_entry *entry = registry->entry[i];
        if (entry->kind == WEIR_PASS_HARDWARE) {
            weir_pass_put(registry->hardware, entry->id);
        }
        if (entry->what == WEIR_PASS_ENTRY_FORM) {
            weir_pass_put(registry->forms, entry->id);
        }
        if (entry->what == WEIR_PASS_ENTRY_PASS) {
            ok = resolve_requires(registry, entry) && ok;
            ok = resolve_survivors(registry, entry) && ok;
        }
    }
    ok = check_cycles(registry) && ok;
    registry->checked = ok;
    return ok;
}

bool weir_pass_registry_check(weir_pass_registry *registry) {
    if (registry->checked) {
        return true;
    }
    pthread_mutex_lock(&registry->lock);
    bool ok = registry->checked || check(registry);
    pthread_mutex_unlock(&registry->lock);
    return ok;
}

/* --- looking up --- */
const weir_pass_info *weir_pass_registry_find(const weir_pass_registry *registry, const char *name) {
    const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
    return entry ? entry->info : NULL;
}

bool weir_pass_registry_knows(const weir_pass_registry *registry, const char *names) {
    bool ok = true;
    for (char *name; (name = weir_pass_next_name(&names)); free(name)) {
        const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
        if (!entry || !weir_pass_can_run(entry)) {
            weir_pass_registry_unknown(registry, name, (weir_pass_position){WEIR_NOWHERE, 0});
            ok = false;
        }
    }
    return ok;
}

size_t weir_pass_registry_count(const weir_pass_registry *registry) {
    size_t count = 0;
    for (size_t i = 0; i < registry->count; i++) {
        count += registry->entry[i]->what == WEIR_PASS_ENTRY_PASS;
    }
    return count;
}

const weir_pass_info *weir_pass_registry_at(const weir_pass_registry *registry, size_t index) {
    for (size_t i = 0; i < registry->count; i++) {
        if (registry->entry[i]->what == WEIR_PASS_ENTRY_PASS && index-- == 0) {
            return registry->entry[i]->info;
        }
    }
    return NULL;
}
