/* The package of a design's named types, and its interfaces: what is printed before modules in SystemVerilog. */
#include <stdlib.h>

#include "rtlir/core/visitor.h"
#include "rtlir/verilog/printer_private.h"

/* A name that nothing else has: some tools keep all in one table. */
static char *package_name(weir_rtl_design *design, uint32_t top) {
    assert(top < design->module_count);
    weir_text name = {0};
    weir_text_format(&name, "%s_types", design->module[top].name);
    if (design->type_count > 1 || design->group_count > 1) {
        rtl_labels taken = {0};
        rtl_take_all(design, &taken);
        while (rtl_has_name(design, &taken, weir_strings_intern(design->strings, name.data)))
            weir_text_char(&name, '_');
        rtl_labels_free(&taken);
    }
    return name.data;
}

/* Of modules whose scopes are known. */
static void fill_package(weir_rtl_design *design, uint32_t top, const bool *used, weir_rtl_package *package) {
    static const weir_rtl_print_options system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    bool any = false;
    package->name = package_name(design, top);
    package->names = rtl_name_types(design, used, &package->scopes, package->name);
    rtl_writer w = {.design = design,
                    .options = &system,
                    .is_system = true,
                    .text = &package->text,
                    .package = package,
                    .names = &package->names};
    for (uint32_t t = 1; t < design->type_count; t++) {
        if (!used[t] || !design->type[t].name) continue;
        if (!any)
            weir_text_format(
                &package->text,
                "`ifndef PACKAGE_%s\n`define PACKAGE_%s\n`ifndef YOSYS // all modules see the types there\n"
                "/* verilator lint_off DECLFILENAME */ // many files have it\npackage %s;\n`endif\n",
                package->name, package->name, package->name);
        else rtl_put_char(&w, '\n');
        rtl_print_typedef(&w, t);
        any = true;
    }
    if (any) rtl_put(&w, "`ifndef YOSYS\nendpackage /* verilator lint_on DECLFILENAME */\n`endif\n`endif\n\n");
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
    package->interfaces = rtl_interfaces_new(design, top.id, package->name, &package->names.given);
    free(modules);
    free(used);
    return package;
}

void weir_rtl_package_free(weir_rtl_package *package) {
    if (!package) return;
    free(package->name);
    rtl_free_type_names(&package->names);
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
    if (w->package && w->package->names.type) w->names = &w->package->names;
    if (w->imports && w->package->text.size) rtl_put(w, w->package->text.data);
}

void rtl_print_import(rtl_writer *w) {
    if (w->imports)
        weir_text_format(w->text, "\n`ifndef YOSYS // which knows no imports\n  import %s::*;\n`endif\n ",
                         w->package->name);
}
