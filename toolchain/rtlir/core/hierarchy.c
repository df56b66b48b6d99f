/* The order of modules: one walk over the hierarchy with an explicit stack. */
#include <stdlib.h>

#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"

enum { UNSEEN, OPEN, DONE };

typedef struct visit {
    uint32_t module;
    size_t next;       /* instance to look at */
    uint32_t instance; /* the one before */
} visit;

static void report_cycle(weir_rtl_design *design, const visit *stack, size_t depth, uint32_t id) {
    assert(id < design->instance_count);
    const rtl_instance *instance = &design->instance[id];
    const rtl_module *parent = &design->module[instance->parent];
    uint32_t module = instance->module;
    rtl_error(design, rtl_location_of(design, &instance->common),
              "module '%s' contains itself through instance '%s' of module '%s'", design->module[module].name,
              instance->name, parent->name);
    size_t from = depth;
    while (from > 1 && stack[from - 1].module != module) from--;
    from--;
    enum { MOST_NOTES = 10 };
    for (size_t i = from; i + 1 < depth && i < from + MOST_NOTES; i++) {
        const rtl_instance *next = &design->instance[stack[i].instance];
        weir_note_at(rtl_location_of(design, &next->common), "'%s' has instance '%s' of '%s'",
                     design->module[stack[i].module].name, next->name, design->module[next->module].name);
    }
    if (from + MOST_NOTES + 1 < depth) weir_note("and %zu more", depth - 1 - from - MOST_NOTES);
}

/* Modules in the order in which the walk leaves them, so children first; instances are taken from the first to the
 * last, or the other way round. */
static weir_rtl_module *walk_modules(weir_rtl_design *design, weir_rtl_module top, bool backward, size_t *count) {
    weir_rtl_module *order = weir_malloc(design->module_count * sizeof *order);
    unsigned char *state = weir_calloc(design->module_count, 1);
    visit *stack = weir_malloc(design->module_count * sizeof *stack);
    size_t depth = 0;
    bool sound = true;
    *count = 0;
    stack[depth++] = (visit){.module = top.id};
    state[top.id] = OPEN;
    while (depth > 0 && sound) {
        visit *v = &stack[depth - 1];
        const rtl_ids *instances = &design->module[v->module].instances;
        if (v->next == instances->count) {
            state[v->module] = DONE;
            order[(*count)++] = (weir_rtl_module){v->module};
            depth--;
            continue;
        }
        size_t index = backward ? instances->count - 1 - v->next : v->next;
        uint32_t instance = instances->id[index];
        uint32_t child = design->instance[instance].module;
        v->next++;
        v->instance = instance;
        if (state[child] == OPEN) {
            report_cycle(design, stack, depth, instance);
            sound = false;
        } else if (state[child] == UNSEEN) {
            state[child] = OPEN;
            stack[depth++] = (visit){.module = child};
        }
    }
    free(stack);
    free(state);
    if (sound) return order;
    free(order);
    return NULL;
}

static void reverse(weir_rtl_module *order, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        weir_rtl_module other = order[count - 1 - i];
        order[count - 1 - i] = order[i];
        order[i] = other;
    }
}

/* Sorts modules, which are given parents first, by level, the deepest one first; stable. */
static void sort_by_level(const weir_rtl_design *design, weir_rtl_module *order, size_t count) {
    uint32_t *level = weir_calloc(design->module_count, sizeof *level);
    size_t *start = weir_calloc(count + 2, sizeof *start);
    weir_rtl_module *sorted = weir_malloc((count + 1) * sizeof *sorted);
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        const rtl_ids *instances = &design->module[order[i].id].instances;
        uint32_t below = level[order[i].id] + 1;
        for (size_t k = 0; k < instances->count; k++) {
            uint32_t child = design->instance[instances->id[k]].module;
            if (level[child] < below) level[child] = below;
        }
        if (level[order[i].id] > deepest) deepest = level[order[i].id];
    }
    for (size_t i = 0; i < count; i++) start[deepest - level[order[i].id] + 1]++;
    for (size_t k = 0; k < deepest; k++) start[k + 1] += start[k];
    for (size_t i = 0; i < count; i++) sorted[start[deepest - level[order[i].id]]++] = order[i];
    for (size_t i = 0; i < count; i++) order[i] = sorted[i];
    free(level);
    free(start);
    free(sorted);
}

weir_rtl_module *weir_rtl_modules_below(weir_rtl_design *design, weir_rtl_module top, weir_rtl_order order,
                                        size_t *count) {
    *count = 0;
    weir_rtl_module *modules = top.id ? walk_modules(design, top, order != WEIR_RTL_CHILDREN_FIRST, count) : NULL;
    if (!modules || order == WEIR_RTL_CHILDREN_FIRST) return modules;
    reverse(modules, *count);
    if (order == WEIR_RTL_DEEPEST_FIRST) sort_by_level(design, modules, *count);
    return modules;
}

/* By module id: does an instance name it? Heap memory. */
static unsigned char *used_modules(const weir_rtl_design *design) {
    unsigned char *is_used = weir_calloc(design->module_count, 1);
    for (uint32_t i = 1; i < design->instance_count; i++) {
        const rtl_instance *instance = &design->instance[i];
        if (!instance->is_removed && !design->module[instance->parent].is_removed) is_used[instance->module] = 1;
    }
    return is_used;
}

weir_rtl_module weir_rtl_find_top(const weir_rtl_design *design, const char *name) {
    weir_rtl_module first = weir_rtl_find_module(design, name), top = first;
    if (!first.id || !weir_rtl_next_namesake(design, first).id) return first;
    unsigned char *is_used = used_modules(design);
    while (top.id && is_used[top.id]) top = weir_rtl_next_namesake(design, top);
    free(is_used);
    return top.id ? top : first;
}

/* Where every module has a parent, going up never ends: a module that contains itself, or 0. */
static uint32_t find_recursive(const weir_rtl_design *design) {
    uint32_t *parent = weir_calloc(design->module_count, sizeof *parent);
    uint32_t at = 0;
    for (size_t i = design->instance_count; i-- > 1;) {
        const rtl_instance *instance = &design->instance[i];
        if (instance->is_removed || design->module[instance->parent].is_removed) continue;
        parent[instance->module] = instance->parent;
        at = instance->parent;
    }
    for (size_t i = 0; at && i < design->module_count; i++) at = parent[at];
    free(parent);
    return at;
}

weir_rtl_module weir_rtl_choose_top(weir_rtl_design *design, const char *name) {
    weir_rtl_module top = {0}, found = name ? weir_rtl_find_top(design, name) : top;
    size_t count = 0;
    if (name && !found.id) weir_error(WEIR_NOWHERE, "there is no module '%s'", name);
    if (name) return found;
    unsigned char *is_used = used_modules(design);
    for (uint32_t m = 1; m < design->module_count; m++) {
        const rtl_module *module = &design->module[m];
        if (is_used[m] || module->is_external || module->is_removed) continue;
        if (top.id) {
            weir_error(WEIR_NOWHERE, "both '%s' and '%s' could be the top module: name one",
                       rtl_module_at(design, top.id)->name, module->name);
            top.id = 0;
            break;
        }
        top.id = m;
        found = top;
    }
    uint32_t recursive = found.id ? 0 : find_recursive(design);
    if (recursive) free(walk_modules(design, (weir_rtl_module){recursive}, false, &count));
    else if (!found.id) weir_error(WEIR_NOWHERE, "the design has no module that could be the top");
    free(is_used);
    return top;
}
