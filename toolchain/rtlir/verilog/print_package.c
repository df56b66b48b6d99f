/* The package of a design's named types, and its interfaces: what is printed before modules in SystemVerilog. */
#include <stdlib.h>

#include "rtlir/core/visitor.h"
#include "rtlir/verilog/printer_private.h"

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
        package->type[t] = rtl_type_name(design, t, &package->scopes);
        for (uint32_t f = type->kind == WEIR_RTL_TYPE_ENUM ? type->first : 0; f; f = design->field[f].next)
            package->member[f] = rtl_member_name(design, t, f, &package->scopes);
    }
}

/* Of modules whose scopes are known. */
static void fill_package(weir_rtl_design *design, uint32_t top, const bool *used, weir_rtl_package *package) {
    static const weir_rtl_print_options system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    bool any = false;
    package->name = package_name(design, top);
    name_types(design, used, package);
    rtl_writer w = {
        .design = design, .options = &system, .is_system = true, .text = &package->text, .package = package};
    for (uint32_t t = 1; t < design->type_count; t++) {
        if (!used[t] || !design->type[t].name) continue;
        if (!any)
            weir_text_format(&package->text, "`ifndef PACKAGE_%s\n`define PACKAGE_%s\npackage %s;\n", package->name,
                             package->name, package->name);
        else rtl_put_char(&w, '\n');
        rtl_print_typedef(&w, t);
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
        rtl_mark_types(design, modules[i].id, used);
        rtl_mark_interfaces(design, modules[i].id, used);
        rtl_add_scopes(design, modules[i].id, &package->scopes);
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

void rtl_print_package(rtl_writer *w, bool *used) {
    weir_rtl_design *design = w->design;
    if (w->options->package) rtl_mark_interfaces(design, w->module, used);
    for (uint32_t t = 1; t < design->type_count; t++) w->imports = w->imports || (used[t] && design->type[t].name);
    w->package = w->options->package;
    if (w->imports && !w->package) {
        w->own = weir_calloc(1, sizeof *w->own);
        rtl_add_scopes(design, w->module, &w->own->scopes);
        fill_package(design, w->module, used, w->own);
        w->package = w->own;
    }
    if (w->imports && w->package->text.size) rtl_put(w, w->package->text.data);
}

void rtl_print_import(rtl_writer *w) {
    if (w->imports) weir_text_format(w->text, " import %s::*;", w->package->name);
}
