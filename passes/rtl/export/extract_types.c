/* extract_struct_info, extract_enum_info: what a package for the modules would define: the types of variables and ports
 * of modules that are not external, and what these are made of, inner ones first. The text is for reports and files,
 * the record has name and text of each. A module in which the name of such a type means something else is an error,
 * because SystemVerilog would not find the type there. */
#include <stdlib.h>

#include "passes/rtl/numbers.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/function.h"
#include "rtlir/core/type.h"

typedef struct extraction {
    weir_rtl_design *design;
    weir_numbers used;
    weir_rtl_type *type; /* all of the design in the order of their creation: inner ones come first */
    size_t count, capacity;
    bool fine;
} extraction;

static weir_rtl_type innermost(const weir_rtl_design *design, weir_rtl_type type) {
    for (;;) {
        const weir_rtl_type_info info = weir_rtl_get_type(design, type);
        if (info.kind != WEIR_RTL_TYPE_ARRAY && info.kind != WEIR_RTL_TYPE_MEMORY) return type;
        type = info.element.type;
    }
}

static bool has_item(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    return weir_rtl_find_var(design, module, name).id != 0 || weir_rtl_find_instance(design, module, name).id != 0 ||
           weir_rtl_find_parameter(design, module, name).id != 0 ||
           weir_rtl_find_function(design, module, name).id != 0;
}

static void check_name(extraction *e, weir_rtl_module module, weir_rtl_var var, weir_rtl_type type) {
    const char *name = weir_rtl_get_type(e->design, type).name;
    if (!has_item(e->design, module, name)) return;
    weir_error(weir_rtl_get_item(e->design, WEIR_RTL_ITEM(var)).location,
               "variable '%s' of module '%s' is of type '%s', and '%s' is something else in that module",
               weir_rtl_get_var(e->design, var).name, weir_rtl_get_module(e->design, module).name, name, name);
    e->fine = false;
}

static void use_variables(extraction *e, weir_rtl_module module) {
    for (weir_rtl_var v = weir_rtl_first_var(e->design, module); v.id != 0; v = weir_rtl_next_var(e->design, v)) {
        const weir_rtl_type type = innermost(e->design, weir_rtl_get_var(e->design, v).type);
        if (type.id == 0) continue;
        *weir_numbers_at(&e->used, type.id) = 1;
        check_name(e, module, v, type);
    }
}

/* Fields are of earlier types, so one way back finds all. */
static void use_fields(extraction *e) {
    for (size_t t = e->count; t-- > 0;) {
        const weir_rtl_type_info info = weir_rtl_get_type(e->design, e->type[t]);
        const bool has_fields = info.kind == WEIR_RTL_TYPE_STRUCT || info.kind == WEIR_RTL_TYPE_UNION;
        if (!has_fields || *weir_numbers_at(&e->used, e->type[t].id) == 0) continue;
        for (uint32_t f = 0; f < info.count; f++)
            *weir_numbers_at(&e->used,
                             innermost(e->design, weir_rtl_field_at(e->design, e->type[t], f).shape.type).id) = 1;
    }
}

static void print_type(extraction *e, weir_pass_context *context, weir_rtl_type type, json_t *list) {
    weir_text text = {NULL, 0, 0};
    weir_rtl_print_typedef(e->design, type, &text);
    weir_text_add_n(weir_pass_output(context), text.data, text.size);
    json_array_append_new(list,
                          json_pack("{s:s, s:s}", "name", weir_rtl_get_type(e->design, type).name, "text", text.data));
    weir_text_free(&text);
}

static bool extract(weir_pass_context *context, weir_rtl_design *design, bool enums, const char *key) {
    size_t count = 0;
    extraction e = {.design = design, .fine = true};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_PARENTS_FIRST, &count);
    for (weir_rtl_type t = weir_rtl_first_type(design); t.id != 0; t = weir_rtl_next_type(design, t)) {
        e.type = weir_grow(e.type, &e.capacity, e.count + 1, sizeof *e.type);
        e.type[e.count++] = t;
    }
    for (size_t i = 0; modules != NULL && i < count; i++) use_variables(&e, modules[i]);
    use_fields(&e);
    json_t *list = json_array();
    for (size_t t = 0; e.fine && t < e.count; t++) {
        const weir_rtl_type_kind kind = weir_rtl_get_type(design, e.type[t]).kind;
        const bool fits =
            enums ? kind == WEIR_RTL_TYPE_ENUM : kind == WEIR_RTL_TYPE_STRUCT || kind == WEIR_RTL_TYPE_UNION;
        if (fits && *weir_numbers_at(&e.used, e.type[t].id) != 0) print_type(&e, context, e.type[t], list);
    }
    weir_pass_count(context, "types", (int64_t)json_array_size(list));
    json_object_set_new(weir_pass_record(context), key, list);
    weir_pass_unchanged(context);
    weir_numbers_free(&e.used);
    free(e.type);
    free(modules);
    return modules != NULL && e.fine;
}

bool weir_pass_extract_struct_info(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return extract(context, design, false, "structs");
}

bool weir_pass_extract_enum_info(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return extract(context, design, true, "enums");
}
