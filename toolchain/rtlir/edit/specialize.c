/* Modules without parameters in the place of parametrised ones. Parents come before children to find the values of each
 * instance, children before parents to make the modules, so that hierarchies cost no recursion. */
#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/edit/rewrite_private.h"
#include "rtlir/edit/specialize.h"

enum { LONGEST_NAME = 200 };

/* A module with values for its parameters. */
typedef struct variant {
    uint32_t module, instance; /* the first one that asks for it, 0: it is the top */
    uint32_t next;             /* of the same module, 0: the last one */
    uint32_t made;             /* the module for these values: itself when it has no parameters */
    uint32_t *value;           /* by slot: formulas that are numbers or texts */
    uint32_t *child;           /* variants by position of the instance in the module */
} variant;

typedef struct specializer {
    weir_rtl_design *design;
    variant *variant;
    size_t count, capacity;
    uint32_t *first; /* by module */
} specializer;

static bool has_parameters(const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    return !design->module[module].is_external && design->module[module].parameters.count > 0;
}

/* ---- values ---- */

static void add_value(weir_text *text, const rtl_formula *f, const char *minus) {
    if (f->value.kind == RTL_VALUE_STRING) weir_text_add(text, f->value.text);
    else
        weir_text_format(
            text, "%s%llu", f->value.integer < 0 ? minus : "",
            (unsigned long long)(f->value.integer < 0 ? 0 - (uint64_t)f->value.integer : (uint64_t)f->value.integer));
}

/* Each parameter that is not local: `_WIDTH_8` for names, `, WIDTH = 8` for messages. */
static void add_values(const weir_rtl_design *design, const variant *v, bool is_name, weir_text *text) {
    const rtl_ids *ids = &design->module[v->module].parameters;
    bool any = false;
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_parameter *parameter = &design->parameter[ids->id[i]];
        if (parameter->is_local) continue;
        weir_text_format(text, is_name ? "_%s_" : any ? ", %s = " : "%s = ", parameter->name);
        add_value(text, &design->formula[v->value[parameter->slot]], is_name ? "m" : "-");
        any = true;
    }
}

static void note(const specializer *s, const variant *v) {
    const weir_rtl_design *design = s->design;
    weir_text text = {0};
    weir_text_add(&text, "");
    add_values(design, v, false, &text);
    if (v->instance)
        weir_note("instance '%s' in module '%s' gives module '%s' %s", design->instance[v->instance].name,
                  design->module[design->instance[v->instance].parent].name, design->module[v->module].name, text.data);
    else weir_note("module '%s' is the top, with %s", design->module[v->module].name, text.data);
    weir_text_free(&text);
}

static weir_location location_of(const weir_rtl_design *design, const variant *v) {
    return rtl_location_of(design,
                           v->instance ? &design->instance[v->instance].common : &design->module[v->module].common);
}

/* Has each parameter a value that it takes? */
static bool check_values(const specializer *s, const variant *v) {
    weir_rtl_design *design = s->design;
    if (!has_parameters(design, v->module)) return true;
    const rtl_ids *ids = &design->module[v->module].parameters;
    const char *module = design->module[v->module].name;
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_parameter *parameter = &design->parameter[ids->id[i]];
        const rtl_formula *f = &design->formula[v->value[parameter->slot]];
        const bool is_text = f->kind == RTL_FORMULA_VALUE && f->value.kind == RTL_VALUE_STRING;
        const bool is_integer = f->kind == RTL_FORMULA_VALUE && f->value.kind == RTL_VALUE_INTEGER;
        const int64_t value = f->value.integer;
        if (!is_integer && !is_text) {
            rtl_error(design, location_of(design, v), "parameter '%s' of module '%s' has no value of 32 bits",
                      parameter->name, module);
            if (v->instance)
                weir_note("instance '%s' in module '%s' gives it no such value", design->instance[v->instance].name,
                          design->module[design->instance[v->instance].parent].name);
            return false;
        }
        if (parameter->is_bounded && is_integer && (value < parameter->low || value > parameter->high)) {
            rtl_error(design, location_of(design, v), "parameter '%s' of module '%s' is %lld, expected %lld to %lld",
                      parameter->name, module, (long long)value, (long long)parameter->low, (long long)parameter->high);
            note(s, v);
            return false;
        }
    }
    return true;
}

/* ---- variants ---- */

/* Equal texts are one record only when they are of one parameter: compared by what they say. */
static bool same_value(const weir_rtl_design *design, uint32_t a, uint32_t b) {
    assert(a < design->formula_count);
    assert(b < design->formula_count);
    const rtl_formula *x = &design->formula[a], *y = &design->formula[b];
    return a == b ||
           (x->kind == RTL_FORMULA_VALUE && y->kind == RTL_FORMULA_VALUE && x->value.kind == RTL_VALUE_STRING &&
            y->value.kind == RTL_VALUE_STRING && x->value.text == y->value.text);
}

static uint32_t find_variant(const specializer *s, uint32_t module, const uint32_t *value) {
    assert(module < s->design->module_count);
    const uint32_t slots = s->design->module[module].parameter_slots;
    for (uint32_t v = s->first[module]; v; v = s->variant[v].next) {
        uint32_t i = 0;
        while (i < slots && same_value(s->design, value[i], s->variant[v].value[i])) i++;
        if (i == slots) return v;
    }
    return 0;
}

/* Takes the values over. 0 after a reported error. */
static uint32_t add_variant(specializer *s, uint32_t module, uint32_t instance, uint32_t *value) {
    assert(module < s->design->module_count);
    uint32_t known = find_variant(s, module, value);
    if (known) {
        free(value);
        return known;
    }
    s->variant = weir_grow(s->variant, &s->capacity, s->count + 1, sizeof *s->variant);
    uint32_t *end = &s->first[module];
    while (*end) end = &s->variant[*end].next;
    *end = (uint32_t)s->count;
    variant *v = &s->variant[s->count++];
    *v = (variant){.module = module, .instance = instance, .value = value};
    v->child = weir_calloc(s->design->module[module].instances.count + 1, sizeof *v->child);
    return check_values(s, v) ? (uint32_t)s->count - 1 : 0;
}

/* What the instance gives its module when the parent has the values of the variant. */
static bool add_child(specializer *s, uint32_t parent, size_t position) {
    weir_rtl_design *design = s->design;
    const uint32_t id = design->module[s->variant[parent].module].instances.id[position];
    const uint32_t module = design->instance[id].module, slots = design->module[module].parameter_slots;
    uint32_t *value = weir_calloc(slots + 1, sizeof *value);
    if (has_parameters(design, module)) {
        rtl_substitution given = rtl_substitution_of(design, id);
        rtl_substitution own = {.design = design,
                                .module = s->variant[parent].module,
                                .slots = design->module[s->variant[parent].module].parameter_slots,
                                .value = s->variant[parent].value};
        for (uint32_t i = 0; i < slots; i++) value[i] = rtl_substitute(&own, given.value[i]);
        free(own.made);
        rtl_substitution_end(&given);
    }
    const uint32_t child = add_variant(s, module, id, value);
    if (child) s->variant[parent].child[position] = child;
    return child != 0;
}

static bool add_children(specializer *s, uint32_t module) {
    assert(module < s->design->module_count);
    bool fine = true;
    for (uint32_t v = s->first[module]; v; v = s->variant[v].next)
        for (size_t i = 0; i < s->design->module[module].instances.count; i++) fine = add_child(s, v, i) && fine;
    return fine;
}

static bool add_top(specializer *s, uint32_t top, size_t count, const weir_rtl_setting *settings) {
    weir_rtl_design *design = s->design;
    const rtl_ids *ids = &design->module[top].parameters;
    rtl_substitution own = {.design = design, .module = top, .slots = design->module[top].parameter_slots};
    own.value = weir_calloc(own.slots + 1, sizeof *own.value);
    for (size_t i = 0; i < count; i++)
        own.value[design->parameter[settings[i].parameter.id].slot] = rtl_number(design, settings[i].value);
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_parameter *parameter = &design->parameter[ids->id[i]];
        uint32_t *value = &own.value[parameter->slot];
        const uint32_t formula = parameter->formula;
        if (!*value) *value = rtl_substitute(&own, formula);
    }
    free(own.made);
    return add_variant(s, top, 0, own.value) != 0;
}

/* ---- modules ---- */

static const char *name_of(const specializer *s, const variant *v) {
    weir_text text = {0};
    weir_text_add(&text, s->design->module[v->module].name);
    add_values(s->design, v, true, &text);
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!is_fine) text.data[i] = '_';
    }
    if (text.size > LONGEST_NAME) text.data[LONGEST_NAME] = 0;
    const char *name = weir_rtl_free_module_name(s->design, text.data);
    weir_text_free(&text);
    return name;
}

static bool make_variant(specializer *s, uint32_t id) {
    weir_rtl_design *design = s->design;
    variant *v = &s->variant[id];
    const uint32_t from = v->module;
    const size_t errors = design->errors;
    const weir_rtl_module made = weir_rtl_add_module(design, name_of(s, v));
    if (!made.id) return false;
    v->made = made.id;
    design->module[made.id].is_stub = design->module[from].is_stub;
    weir_rtl_copy_item(design, WEIR_RTL_ITEM((weir_rtl_module){from}), WEIR_RTL_ITEM(made));
    weir_rtl_rewriter *rewriter = weir_rtl_rewriter_new(design);
    rtl_substitution own = {
        .design = design, .module = from, .slots = design->module[from].parameter_slots, .value = v->value};
    rtl_rewriter_substitute(rewriter, &own);
    for (size_t i = 0; i < design->module[from].instances.count; i++) {
        const variant *child = &s->variant[v->child[i]];
        if (child->made != child->module) rtl_map_module(rewriter, design->module[from].instances.id[i], child->made);
    }
    const bool fine = rtl_copy_module(rewriter, from, made.id) && design->errors == errors;
    weir_rtl_rewriter_free(rewriter);
    free(own.made);
    if (!fine) note(s, v);
    return fine;
}

/* Instances in a module without parameters, which stays what it is. */
static bool retarget(specializer *s, uint32_t id) {
    weir_rtl_design *design = s->design;
    const variant *v = &s->variant[id];
    const size_t count = design->module[v->module].instances.count;
    weir_rtl_instance *instances = weir_calloc(count + 1, sizeof *instances);
    weir_rtl_module *modules = weir_calloc(count + 1, sizeof *modules);
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        const variant *child = &s->variant[v->child[i]];
        if (child->made == child->module) continue;
        instances[changed].id = design->module[v->module].instances.id[i];
        design->instance[instances[changed].id].override_count = 0;
        modules[changed++].id = child->made;
    }
    const bool fine = changed == 0 || weir_rtl_set_instance_modules(design, changed, instances, modules);
    free(instances);
    free(modules);
    return fine;
}

/* Connections have the widths of their ports: in this module, whose instances have numbers only. */
static bool check_connections(weir_rtl_design *design, uint32_t module) {
    const size_t errors = design->errors;
    for (size_t i = 0; i < design->module[module].instances.count; i++) {
        const rtl_instance *instance = &design->instance[design->module[module].instances.id[i]];
        const rtl_ids *ports = &design->module[instance->module].ports;
        for (size_t k = 0; !design->module[instance->module].is_external && k < ports->count; k++) {
            const rtl_var *port = &design->var[ports->id[k]];
            const uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
            if (!expr || expr == RTL_OPEN || design->expr[expr].width == port->width) continue;
            rtl_error(design, rtl_location_of(design, &instance->common),
                      "port '%s' of instance '%s' (module '%s') has %u bits and is connected to '%s', which has %u",
                      port->name, instance->name, design->module[instance->module].name, (unsigned)port->width,
                      rtl_describe(design, expr), (unsigned)design->expr[expr].width);
        }
    }
    return design->errors == errors;
}

static bool make_module(specializer *s, uint32_t module) {
    bool fine = true;
    const bool is_made = has_parameters(s->design, module);
    for (uint32_t v = s->first[module]; v; v = s->variant[v].next) {
        s->variant[v].made = module;
        const bool one = is_made ? make_variant(s, v) : retarget(s, v);
        if (one && !check_connections(s->design, s->variant[v].made)) {
            if (is_made) note(s, &s->variant[v]);
            fine = false;
        }
        fine = fine && one;
    }
    return fine;
}

/* Parametrised modules that were below the top, from the top down, as far as nobody else has instances of them. */
static void remove_originals(weir_rtl_design *design, const weir_rtl_module *modules, size_t count) {
    uint32_t *uses = weir_calloc(design->module_count, sizeof *uses);
    for (size_t m = 1; m < design->module_count; m++)
        for (size_t i = 0; !design->module[m].is_removed && i < design->module[m].instances.count; i++)
            uses[design->instance[design->module[m].instances.id[i]].module]++;
    for (size_t i = 0; i < count; i++) {
        const uint32_t m = modules[i].id;
        if (!has_parameters(design, m) || uses[m]) continue;
        for (size_t k = 0; k < design->module[m].instances.count; k++)
            uses[design->instance[design->module[m].instances.id[k]].module]--;
        weir_rtl_remove_module(design, modules[i]);
    }
    free(uses);
}

static weir_rtl_module finish(specializer *s, weir_rtl_module top, const weir_rtl_module *parents_first, size_t count) {
    weir_rtl_design *design = s->design;
    const weir_rtl_module made = {s->variant[s->first[top.id]].made};
    remove_originals(design, parents_first, count);
    if (made.id != top.id && design->module[top.id].is_removed)
        weir_rtl_rename(design, WEIR_RTL_ITEM(made), design->module[top.id].name);
    return made;
}

weir_rtl_module weir_rtl_specialize(weir_rtl_design *design, weir_rtl_module top) {
    return weir_rtl_specialize_for(design, top, 0, NULL);
}

weir_rtl_module weir_rtl_specialize_for(weir_rtl_design *design, weir_rtl_module top, size_t settings,
                                        const weir_rtl_setting *setting) {
    size_t count = 0;
    weir_rtl_module none = {0};
    weir_rtl_module *parents = weir_rtl_modules_below(design, top, WEIR_RTL_PARENTS_FIRST, &count);
    weir_rtl_module *children = parents ? weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count) : NULL;
    specializer s = {.design = design, .count = 1};
    s.variant = weir_grow(s.variant, &s.capacity, 1, sizeof *s.variant);
    s.variant[0] = (variant){0};
    s.first = weir_calloc(design->module_count, sizeof *s.first);
    bool fine = children && add_top(&s, top.id, settings, setting);
    for (size_t i = 0; fine && i < count; i++)
        fine = design->module[parents[i].id].is_external || add_children(&s, parents[i].id);
    for (size_t i = 0; fine && i < count; i++) fine = make_module(&s, children[i].id);
    weir_rtl_module made = fine ? finish(&s, top, parents, count) : none;
    for (size_t i = 1; i < s.count; i++) {
        free(s.variant[i].value);
        free(s.variant[i].child);
    }
    free(s.variant);
    free(s.first);
    free(parents);
    free(children);
    return made;
}
