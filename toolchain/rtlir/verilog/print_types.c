/* Text of named types. In SystemVerilog they stand in a package, named after the design's top (or, of a module that is
 * printed alone, after that), in front of every module that uses them and guarded, so that the files of a design can be
 * read in any order and those of two designs together. Modules import it; a type or a member whose name means something else
 * in one of the modules, or in one of their functions, has another name in the package. In Verilog-2005 members of enums are
 * localparams of the module. */
#include <stdlib.h>

#include "rtlir/core/visitor.h"
#include "rtlir/verilog/printer_private.h"

/* ---- which types ---- */

/* Marks a type and what it is made of. */
void rtl_mark_type(const weir_rtl_design *design, uint32_t type, bool *used) {
    while (design->type[type].kind >= WEIR_RTL_TYPE_ARRAY) type = design->type[type].element.type.id;
    if (!type || used[type]) return;
    used[type] = true;
    bool has_fields = design->type[type].kind != WEIR_RTL_TYPE_ENUM;
    for (uint32_t f = has_fields ? design->type[type].first : 0; f; f = design->field[f].next)
        rtl_mark_type(design, design->field[f].shape.type.id, used); /* fields are of earlier types, so this ends */
}

static void mark_expr(const weir_rtl_design *design, uint32_t expr, bool *used) {
    const rtl_expr *e = &design->expr[expr];
    if (e->kind == WEIR_RTL_EXPR_CONSTANT) rtl_mark_type(design, e->c, used);
    weir_rtl_expr handle = {expr};
    for (size_t i = weir_rtl_get_expr(design, handle).operand_count; i-- > 0;)
        mark_expr(design, weir_rtl_operand(design, handle, i).id, used);
}

/* Types of variables and of constants of the module. */
static void mark_module(const weir_rtl_design *design, uint32_t id, bool *used) {
    const rtl_module *module = &design->module[id];
    for (uint32_t v = module->first_var; v; v = design->var[v].next) rtl_mark_type(design, design->var[v].type, used);
    for (uint32_t s = design->block[module->body].first; s; s = design->stmt[s].next)
        for (uint32_t i = s; i; i = rtl_walk_next(design, i, s)) {
            for (size_t k = 0; rtl_stmt_slot(design, i, k); k++) mark_expr(design, *rtl_stmt_slot(design, i, k), used);
            if (design->stmt[i].kind != WEIR_RTL_STMT_INSTANCE) continue;
            const rtl_instance *instance = &design->instance[design->stmt[i].a];
            for (uint32_t k = 0; k < instance->connection_count; k++)
                if (instance->connection[k] != RTL_OPEN) mark_expr(design, instance->connection[k], used);
        }
}

bool *rtl_used_types(const weir_rtl_design *design, uint32_t module) {
    bool *used = weir_calloc(design->type_count, sizeof *used);
    if (design->type_count > 1) mark_module(design, module, used);
    return used;
}

/* ---- names ---- */

struct weir_rtl_package {
    char *name;
    weir_text text;             /* empty: there are no types */
    const char **type;          /* by type: its name, NULL: its own */
    const char **member;        /* by field: likewise */
    rtl_ids scopes;             /* modules that names are looked up in, and their functions */
    rtl_interfaces *interfaces; /* NULL: there are none */
};

static void add_module(const weir_rtl_design *design, uint32_t module, rtl_ids *scopes) {
    rtl_ids_add(scopes, module);
    for (uint32_t i = design->block[design->module[module].body].first; i; i = design->stmt[i].next)
        if (design->stmt[i].kind == WEIR_RTL_STMT_FUNCTION) rtl_ids_add(scopes, RTL_FUNCTION_SCOPE | design->stmt[i].a);
}

static bool is_taken(const weir_rtl_design *design, const rtl_ids *s, const char *name) {
    for (size_t i = 0; i < s->count; i++)
        if (rtl_names_find(design, s->id[i], name).id) return true;
    return false;
}

/* Do several enums have a member of the name, or is there a type of it? */
static bool is_shared(const weir_rtl_design *design, uint32_t type, const char *name) {
    return rtl_labels_find(&design->fields, 0, name)->number != type ||
           rtl_labels_find(&design->types, 0, name) != NULL;
}

/* MEMBER, or where that is taken or shared TYPE_MEMBER, or near that. */
static const char *member_name(const weir_rtl_design *design, uint32_t type, uint32_t field, const rtl_ids *s) {
    const char *own = design->field[field].name, *name = own;
    if (!is_shared(design, type, own) && !is_taken(design, s, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_%s", design->type[type].name, own);
    while (is_taken(design, s, name = weir_strings_intern(design->strings, text.data))) weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

static const char *type_name(const weir_rtl_design *design, uint32_t type, const rtl_ids *s) {
    const char *own = design->type[type].name, *name = own;
    if (!is_taken(design, s, own)) return own;
    weir_text text = {0};
    weir_text_format(&text, "%s_t", own);
    while (is_taken(design, s, name = weir_strings_intern(design->strings, text.data)) ||
           rtl_labels_find(&design->types, 0, name))
        weir_text_char(&text, '_');
    weir_text_free(&text);
    return name;
}

static const rtl_ids *own_scopes(rtl_writer *w) {
    if (w->module && !w->scopes.count) add_module(w->design, w->module, &w->scopes);
    return &w->scopes;
}

bool rtl_is_taken(rtl_writer *w, const char *name) { return is_taken(w->design, own_scopes(w), name); }

void rtl_print_member(rtl_writer *w, uint32_t type, uint32_t field) {
    if (rtl_is_system(w) && w->package) {
        rtl_put(w, w->package->member[field]);
        return;
    }
    rtl_put(w, member_name(w->design, type, field, own_scopes(w)));
}

void rtl_put_type_name(rtl_writer *w, uint32_t type) {
    rtl_put(w, w->package ? w->package->type[type] : w->design->type[type].name);
}

static void print_member_value(rtl_writer *w, const rtl_type *type, uint32_t field) {
    rtl_put(w, " = ");
    rtl_put_number(w, type->width);
    rtl_put(w, "'d");
    rtl_put_number(w, w->design->field[field].value);
}

/* Those that nothing names are not worth a warning. */
void rtl_print_members(rtl_writer *w, const bool *used) {
    bool any = false;
    for (uint32_t t = 1; t < w->design->type_count; t++) {
        const rtl_type *type = &w->design->type[t];
        if (!used[t] || type->kind != WEIR_RTL_TYPE_ENUM) continue;
        rtl_put(w, any ? "" : "\n  /* verilator lint_off UNUSEDPARAM */\n");
        any = true;
        for (uint32_t f = type->first; f; f = w->design->field[f].next) {
            rtl_put(w, "  localparam");
            rtl_print_type(w, 0, (rtl_size){.number = type->width}, false);
            rtl_put_char(w, ' ');
            rtl_print_member(w, t, f);
            print_member_value(w, type, f);
            rtl_put(w, ";\n");
        }
    }
    if (any) rtl_put(w, "  /* verilator lint_on UNUSEDPARAM */\n");
}

/* ---- definitions ---- */

/* The named type at the end of dimensions, 0: none. */
uint32_t rtl_named_type(const weir_rtl_design *design, uint32_t type) {
    while (design->type[type].kind >= WEIR_RTL_TYPE_ARRAY) type = design->type[type].element.type.id;
    return design->type[type].name ? type : 0;
}

static void print_fields(rtl_writer *w, uint32_t id) {
    const rtl_type *type = &w->design->type[id];
    for (uint32_t f = type->first; f; f = w->design->field[f].next) {
        const rtl_field *field = &w->design->field[f];
        rtl_put(w, "  ");
        if (type->kind == WEIR_RTL_TYPE_ENUM) {
            rtl_print_member(w, id, f);
            print_member_value(w, type, f);
            rtl_put(w, field->next ? ",\n" : "\n");
            continue;
        }
        const uint32_t name = rtl_named_type(w->design, field->shape.type.id);
        if (name) rtl_put_type_name(w, name);
        else rtl_put(w, "logic");
        rtl_print_type(w, field->shape.type.id, (rtl_size){.number = field->shape.width}, field->shape.is_signed);
        rtl_put_char(w, ' ');
        rtl_put(w, field->name);
        rtl_put(w, ";\n");
    }
}

static void print_typedef(rtl_writer *w, uint32_t id) {
    const rtl_type *type = &w->design->type[id];
    bool is_enum = type->kind == WEIR_RTL_TYPE_ENUM;
    rtl_put(w, is_enum                             ? "typedef enum logic"
               : type->kind == WEIR_RTL_TYPE_UNION ? "typedef union packed"
                                                   : "typedef struct packed");
    if (is_enum) rtl_print_type(w, 0, (rtl_size){.number = type->width}, false);
    rtl_put(w, " {\n");
    print_fields(w, id);
    rtl_put(w, "} ");
    rtl_put_type_name(w, id);
    rtl_put(w, ";\n");
}

void weir_rtl_print_typedef(weir_rtl_design *design, weir_rtl_type type, weir_text *text) {
    static const weir_rtl_print_options system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    rtl_writer w = {.design = design, .options = &system, .text = text};
    if (type.id && design->type[type.id].name) print_typedef(&w, type.id);
}

/* ---- packages ---- */

/* A name that no module of the design has: some tools keep both in one table. */
static char *package_name(const weir_rtl_design *design, uint32_t top) {
    weir_text name = {0};
    weir_text_format(&name, "%s_types", design->module[top].name);
    while (weir_rtl_find_module(design, name.data).id) weir_text_char(&name, '_');
    return name.data;
}

static void name_types(const weir_rtl_design *design, const bool *used, weir_rtl_package *package) {
    package->type = weir_calloc(design->type_count, sizeof *package->type);
    package->member = weir_calloc(design->field_count, sizeof *package->member);
    for (uint32_t t = 1; t < design->type_count; t++) {
        const rtl_type *type = &design->type[t];
        if (!used[t] || !type->name) continue;
        package->type[t] = type_name(design, t, &package->scopes);
        for (uint32_t f = type->kind == WEIR_RTL_TYPE_ENUM ? type->first : 0; f; f = design->field[f].next)
            package->member[f] = member_name(design, t, f, &package->scopes);
    }
}

/* Of modules whose scopes are known. */
static void fill_package(weir_rtl_design *design, uint32_t top, const bool *used, weir_rtl_package *package) {
    static const weir_rtl_print_options system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    bool any = false;
    package->name = package_name(design, top);
    name_types(design, used, package);
    rtl_writer w = {.design = design, .options = &system, .text = &package->text, .package = package};
    for (uint32_t t = 1; t < design->type_count; t++) {
        if (!used[t] || !design->type[t].name) continue;
        if (!any)
            weir_text_format(&package->text, "`ifndef PACKAGE_%s\n`define PACKAGE_%s\npackage %s;\n", package->name,
                             package->name, package->name);
        else rtl_put_char(&w, '\n');
        print_typedef(&w, t);
        any = true;
    }
    if (any) rtl_put(&w, "endpackage\n`endif\n\n");
}

weir_rtl_package *weir_rtl_package_new(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_package *package = weir_calloc(1, sizeof *package);
    bool *used = weir_calloc(design->type_count, sizeof *used);
    weir_rtl_module *modules = design->type_count > 1 || design->group_count > 1
                                   ? weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count)
                                   : NULL;
    for (size_t i = 0; i < count; i++) {
        if (design->module[modules[i].id].is_external) continue;
        mark_module(design, modules[i].id, used);
        rtl_mark_interfaces(design, modules[i].id, used);
        add_module(design, modules[i].id, &package->scopes);
    }
    fill_package(design, top.id, used, package);
    package->interfaces = rtl_interfaces_new(design, top.id, package->name, &package->scopes);
    free(modules);
    free(used);
    return package;
}

void weir_rtl_package_free(weir_rtl_package *package) {
    if (!package) return;
    free(package->name);
    free(package->type);
    free(package->member);
    free(package->scopes.id);
    rtl_interfaces_free(package->interfaces);
    weir_text_free(&package->text);
    free(package);
}

const rtl_interfaces *rtl_package_interfaces(const weir_rtl_package *package) { return package->interfaces; }

void rtl_print_package(rtl_writer *w, bool *used) {
    weir_rtl_design *design = w->design;
    if (w->options->package) rtl_mark_interfaces(design, w->module, used);
    for (uint32_t t = 1; t < design->type_count; t++) w->imports = w->imports || (used[t] && design->type[t].name);
    w->package = w->options->package;
    if (w->imports && !w->package) {
        w->own = weir_calloc(1, sizeof *w->own);
        add_module(design, w->module, &w->own->scopes);
        fill_package(design, w->module, used, w->own);
        w->package = w->own;
    }
    if (w->imports && w->package->text.size) rtl_put(w, w->package->text.data);
}

void rtl_print_import(rtl_writer *w) {
    if (w->imports) weir_text_format(w->text, " import %s::*;", w->package->name);
}
