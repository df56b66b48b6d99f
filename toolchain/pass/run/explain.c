/* Which passes a context would run and why, without running any: the runner's rules on one graph whose passes all
 * change something. O(passes * registered passes / 64). */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

typedef struct explainer {
    const weir_pass_context *context;
    uint64_t *root, *graph; /* what holds, as in run.c */
    weir_text *text;
    const weir_pass *direct;
} explainer;

static bool enabled(const explainer *e, const weir_pass *pass) {
    return pass == e->direct || weir_pass_enabled(e->context, pass);
}

static void tell(const explainer *e, const char *verb, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void tell(const explainer *e, const char *verb, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir_text_format(e->text, "%s %s: ", verb, name);
    weir_text_vformat(e->text, format, arguments);
    weir_text_add(e->text, "\n");
    va_end(arguments);
}

static bool holds(const explainer *e, const weir_pass_entry *entry) {
    return weir_pass_has(entry->kind == WEIR_PASS_GRAPH ? e->graph : e->root, entry->id);
}

static void update_what_holds(const explainer *e, const weir_pass_entry *entry) {
    const weir_pass_registry *registry = e->context->registry;
    for (size_t i = 0; i < registry->words && !entry->survive_all; i++) {
        uint64_t keep = entry->survive[i], hardware = registry->hardware[i];
        e->root[i] &= keep | (entry->kind == WEIR_PASS_GRAPH      ? hardware
                              : entry->kind == WEIR_PASS_HARDWARE ? ~hardware
                                                                  : 0);
        e->graph[i] &= entry->kind == WEIR_PASS_HARDWARE ? UINT64_MAX : keep;
    }
    for (size_t i = 0; i < registry->words; i++) {
        e->root[i] &= ~registry->forms[i];
    }
    weir_pass_put(entry->kind == WEIR_PASS_GRAPH ? e->graph : e->root, entry->id);
}

static bool require_all(const explainer *e, const weir_pass_entry *entry, bool in_graph);

static bool require_one(const explainer *e, const weir_pass_entry *entry, const weir_pass_entry *needed,
                        bool in_graph) {
    if (needed->what == WEIR_PASS_ENTRY_FORM) {
        tell(e, "check", needed->name, "form required by '%s'", entry->name);
        weir_pass_put(e->root, needed->id);
        return true;
    }
    if (weir_pass_flags(e->context, needed->id) & WEIR_PASS_DISABLED) {
        tell(e, "fail", entry->name, "requires '%s', which is disabled", needed->name);
        return false;
    }
    if (in_graph && needed->kind != WEIR_PASS_GRAPH) {
        tell(e, "fail", entry->name, "requires '%s', whose result was lost within graph(...)", needed->name);
        return false;
    }
    if (!require_all(e, needed, in_graph)) {
        return false;
    }
    tell(e, "run", needed->name, "required by '%s'", entry->name);
    update_what_holds(e, needed);
    return true;
}

static bool require_all(const explainer *e, const weir_pass_entry *entry, bool in_graph) {
    for (size_t round = 0; round <= entry->require_count; round++) {
        bool lost = false;
        for (size_t i = 0; i < entry->require_count; i++) {
            const weir_pass_entry *needed = entry->requires[i];
            if (!holds(e, needed)) {
                lost = true;
                if (!require_one(e, entry, needed, in_graph)) {
                    return false;
                }
            } else if (round == 0 && needed->what == WEIR_PASS_ENTRY_PASS) {
                tell(e, "keep", needed->name, "required by '%s', and its result holds", entry->name);
            }
        }
        if (!lost) {
            return true;
        }
    }
    tell(e, "fail", entry->name, "its requirements undo each other");
    return false;
}

/* The module passes that the graph passes below need: they run before the first graph is taken. */
static bool hoist(const explainer *e, const weir_pass_entry *entry) {
    for (size_t i = 0; i < entry->require_count; i++) {
        const weir_pass_entry *needed = entry->requires[i];
        if (holds(e, needed)) {
            continue;
        }
        if (needed->kind == WEIR_PASS_GRAPH ? !hoist(e, needed) : !require_one(e, entry, needed, false)) {
            return false;
        }
    }
    return true;
}

static bool hoist_all(const explainer *e, const weir_pass *pass) {
    if (!enabled(e, pass)) {
        return true;
    }
    bool ok = pass->is_sequence || hoist(e, pass->entry);
    for (size_t i = 0; i < pass->count && ok; i++) {
        ok = hoist_all(e, pass->child[i]);
    }
    return ok;
}

static bool explain(const explainer *e, const weir_pass *pass, bool in_graph) {
    unsigned flags = pass->entry ? weir_pass_flags(e->context, pass->entry->id) : 0;
    if (!enabled(e, pass)) {
        if (flags & WEIR_PASS_DISABLED) {
            tell(e, "skip", pass->name, "disabled");
        } else {
            tell(e, "skip", pass->name, "level %d > %d", pass->level, e->context->level);
        }
        return true;
    }
    bool ok = in_graph || pass->kind != WEIR_PASS_GRAPH || hoist_all(e, pass);
    in_graph = pass->kind == WEIR_PASS_GRAPH;
    for (size_t i = 0; i < pass->count && ok; i++) {
        ok = explain(e, pass->child[i], in_graph);
    }
    if (pass->is_sequence || !ok || !require_all(e, pass->entry, in_graph)) {
        return ok && pass->is_sequence;
    }
    if (pass == e->direct && !weir_pass_enabled(e->context, pass)) {
        tell(e, "run", pass->name, "asked for by itself");
    } else if (flags & WEIR_PASS_REQUIRED) {
        tell(e, "run", pass->name, "required by the context");
    } else {
        tell(e, "run", pass->name, "level %d <= %d", pass->level, e->context->level);
    }
    update_what_holds(e, pass->entry);
    return true;
}

bool weir_pass_explain(const weir_pass_context *context, const weir_pass *pass, weir_text *text) {
    if (!weir_pass_registry_check(context->registry)) {
        return false;
    }
    explainer e = {.context = context, .text = text, .direct = weir_pass_direct(pass)};
    e.root = weir_calloc(context->registry->words, sizeof *e.root);
    e.graph = weir_calloc(context->registry->words, sizeof *e.graph);
    explain(&e, pass, false);
    free(e.root);
    free(e.graph);
    return true;
}

static void list_skipped(const explainer *e, const weir_pass *pass) {
    if (!enabled(e, pass)) {
        if (!pass->entry || !(weir_pass_flags(e->context, pass->entry->id) & WEIR_PASS_DISABLED)) {
            weir_text_format(e->text, "%s%s (%d)", e->text->size ? ", " : "", pass->name, pass->level);
        }
        return;
    }
    for (size_t i = 0; i < pass->count; i++) {
        list_skipped(e, pass->child[i]);
    }
}

void weir_pass_list_skipped(const weir_pass_context *context, const weir_pass *pass, weir_text *text) {
    const explainer e = {.context = context, .text = text, .direct = weir_pass_direct(pass)};
    list_skipped(&e, pass);
}
