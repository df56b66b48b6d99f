/* propagate_scope_variable: which version of each variable holds at each assignment of a process that ssa_transform has
 * been at, as the attribute version_scope of the version that is assigned there (versions.h). A version holds behind
 * its assignment until the branch ends that it belongs to, or until the next one. The text of each is as long as the
 * list of variables that are assigned before it. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/debug/versions.h"
#include "passes/rtl/numbers.h"
#include "passes/rtl/rtl.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

typedef struct change {
    uint32_t source, before;
} change;

/* A branch that the walk is in: its condition as version_when has it, and where its changes begin. */
typedef struct branch {
    const char *term;
    size_t size, mark;
} branch;

typedef struct scope {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_numbers last;     /* by version: the statement that gives it its value */
    weir_numbers holds;    /* by variable: the version that holds */
    weir_numbers is_known; /* by variable: it is in the list */
    uint32_t *source;      /* variables in order of their first versions */
    size_t source_count, source_capacity;
    change *journal;
    size_t change_count, change_capacity;
    branch *branch;
    size_t depth, branch_capacity;
    size_t changed;
    weir_text text; /* what holds before the current statement */
} scope;

static void leave(scope *s, size_t depth) {
    if (depth >= s->depth) return;
    while (s->change_count > s->branch[depth].mark) {
        const change c = s->journal[--s->change_count];
        *weir_numbers_at(&s->holds, c.source) = c.before;
    }
    s->depth = depth;
}

/* Goes to the branch that the conditions lead to, out of those that they do not. */
static void go_to(scope *s, const char *when) {
    static const char and[] = " && ";
    size_t depth = 0;
    while (*when != '\0') {
        const char *end = strstr(when, and);
        const size_t size = end != NULL ? (size_t)(end - when) : strlen(when);
        const bool is_there =
            depth < s->depth && s->branch[depth].size == size && memcmp(s->branch[depth].term, when, size) == 0;
        if (!is_there) {
            leave(s, depth);
            s->branch = weir_grow(s->branch, &s->branch_capacity, depth + 1, sizeof *s->branch);
            s->branch[s->depth++] = (branch){when, size, s->change_count};
        }
        depth++;
        when += end != NULL ? size + sizeof and-1 : size;
    }
    leave(s, depth);
}

static void describe(scope *s) {
    s->text.size = 0;
    weir_text_add(&s->text, "");
    for (size_t i = 0; i < s->source_count; i++) {
        const weir_rtl_var source = {s->source[i]}, version = {weir_numbers_get(&s->holds, s->source[i])};
        if (version.id == 0) continue;
        weir_text_format(&s->text, "%s%s=%s", s->text.size > 0 ? " " : "", weir_rtl_get_var(s->design, source).name,
                         weir_rtl_get_var(s->design, version).name);
    }
}

static void enter_branch(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    scope *s = user;
    const char *when = weir_version_text(s->design, version, WEIR_VERSION_WHEN);
    (void)stmt;
    go_to(s, when != NULL ? when : "");
}

static void mark(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    scope *s = user;
    const char *is = weir_version_text(s->design, version, WEIR_VERSION_SCOPE);
    const weir_rtl_item item = WEIR_RTL_ITEM(version);
    (void)stmt;
    if (weir_rtl_has_attribute(s->design, item, WEIR_VERSION_MERGES)) return;
    if (strcmp(is != NULL ? is : "", s->text.data) == 0) return;
    if (s->text.size > 0) weir_rtl_set_attribute_string(s->design, item, WEIR_VERSION_SCOPE, s->text.data);
    else weir_rtl_remove_attribute(s->design, item, WEIR_VERSION_SCOPE);
    weir_rtl_touch(s->design, item);
    s->changed++;
}

static void hold(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    scope *s = user;
    const weir_rtl_var source =
        weir_rtl_find_var(s->design, s->module, weir_version_text(s->design, version, WEIR_VERSION_OF));
    (void)stmt;
    if (source.id == 0) return; /* renamed or removed since */
    uint32_t *is_known = weir_numbers_at(&s->is_known, source.id), *holds = weir_numbers_at(&s->holds, source.id);
    if (*is_known == 0) {
        s->source = weir_grow(s->source, &s->source_capacity, s->source_count + 1, sizeof *s->source);
        s->source[s->source_count++] = source.id;
        *is_known = 1;
    }
    s->journal = weir_grow(s->journal, &s->change_capacity, s->change_count + 1, sizeof *s->journal);
    s->journal[s->change_count++] = (change){source.id, *holds};
    *holds = version.id;
}

static void walk_process(scope *s, weir_rtl_block body) {
    for (size_t i = 0; i < s->source_count; i++)
        *weir_numbers_at(&s->holds, s->source[i]) = *weir_numbers_at(&s->is_known, s->source[i]) = 0;
    s->source_count = s->change_count = s->depth = 0;
    for (weir_rtl_stmt i = weir_rtl_first(s->design, body); i.id != 0; i = weir_rtl_next(s->design, i)) {
        weir_visit_versions(s->design, i, &s->last, enter_branch, s);
        describe(s);
        weir_visit_versions(s->design, i, &s->last, mark, s);
        weir_visit_versions(s->design, i, &s->last, hold, s);
    }
}

bool weir_pass_propagate_scope_variable(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    scope s = {.design = design};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        s.module = modules[i];
        weir_list_versions(design, modules[i], &s.last);
        for (weir_rtl_stmt p = weir_rtl_first_part(design, modules[i]); p.id != 0; p = weir_rtl_next_part(design, p)) {
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, p);
            if (info.kind == WEIR_RTL_STMT_COMBINATIONAL) walk_process(&s, info.body);
        }
    }
    if (s.changed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "versions", (int64_t)s.changed);
    weir_numbers_free(&s.last);
    weir_numbers_free(&s.holds);
    weir_numbers_free(&s.is_known);
    weir_text_free(&s.text);
    free(s.source);
    free(s.journal);
    free(s.branch);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
