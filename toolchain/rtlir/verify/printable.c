/* What must hold of a design before it is printed: the printer takes names, instances and statements as they are, so a
 * design as elaborated would become a netlist of something else. */
#include <stdlib.h>
#include <strings.h>

#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verify/verify_private.h"

/* ---- names ---- */

typedef struct named_module {
    const char *name;
    uint32_t module;
} named_module;

static int compare_names(const void *a, const void *b) {
    const named_module *x = a, *y = b;
    int order = strcasecmp(x->name, y->name);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : x->module < y->module ? -1 : x->module > y->module;
}

static void report_names(weir_rtl_design *design, uint32_t first, uint32_t second) {
    assert(first < design->module_count);
    assert(second < design->module_count);
    const rtl_module *a = &design->module[first], *b = &design->module[second];
    const weir_location location = rtl_location_of(design, &a->common);
    if (a->name == b->name)
        rtl_error(design, rtl_location_of(design, &b->common), "two modules are called '%s'%s", b->name,
                  a->is_external || b->is_external ? ", one of them in a file of its own" : "");
    else
        rtl_error(design, rtl_location_of(design, &b->common),
                  "modules '%s' and '%s' would share a file on a file system without case", a->name, b->name);
    if (location.file) weir_note_at(location, "the other one is here");
}

/* Verilator makes an instance of the top, beside which nothing in it may have the name. */
static void check_top_name(weir_rtl_design *design, uint32_t top) {
    assert(top < design->module_count);
    const rtl_module *module = &design->module[top];
    const rtl_name inside = rtl_names_find(design, top, module->name);
    if (!inside.id || inside.kind == RTL_NAME_GROUP) return;
    const rtl_common *common = inside.kind == RTL_NAME_VAR ? &design->var[inside.id].common : &module->common;
    rtl_error(design, rtl_location_of(design, common),
              "an item in the top module '%s' has the module's name, which Verilator rejects", module->name);
}

static bool check_names(weir_rtl_design *design, weir_rtl_module top, bool in_files) {
    size_t count = 0, errors = design->errors;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    named_module *names = weir_malloc((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = (named_module){design->module[modules[i].id].name, modules[i].id};
    if (count > 0) qsort(names, count, sizeof *names, compare_names);
    if (modules) check_top_name(design, top.id);
    for (size_t i = 1; i < count; i++) {
        const bool is_same = names[i].name == names[i - 1].name;
        const bool is_near = in_files && strcasecmp(names[i].name, names[i - 1].name) == 0;
        if (is_same || is_near) report_names(design, names[i - 1].module, names[i].module);
    }
    const bool fine = modules && design->errors == errors;
    free(names);
    free(modules);
    return fine;
}

bool weir_rtl_check_names(weir_rtl_design *design, weir_rtl_module top) { return check_names(design, top, false); }

bool weir_rtl_check_file_names(weir_rtl_design *design, weir_rtl_module top) { return check_names(design, top, true); }

/* ---- instances and machines ---- */

static void check_instance(weir_rtl_design *design, weir_rtl_instance instance, void *user) {
    const rtl_instance *record = &design->instance[instance.id];
    (void)user;
    if (record->is_wired)
        rtl_error(design, rtl_location_of(design, &record->common),
                  "instance '%s' in module '%s' is wired by assignments and has no connections to print", record->name,
                  design->module[record->parent].name);
}

/* Ports of instances have no name in Verilog that every tool knows. */
static void check_port(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user) {
    const rtl_expr *e = &design->expr[expr.id];
    (void)user;
    if (e->kind == WEIR_RTL_EXPR_PORT && !design->instance[e->a].is_wired)
        rtl_error(design, rtl_location_of(design, &design->stmt[stmt.id].common),
                  "a statement of module '%s' names the port '%s.%s' instead of what is connected to it",
                  design->module[e->module].name, design->instance[e->a].name, design->var[e->b].name);
}

bool weir_rtl_check_instances(weir_rtl_design *design, weir_rtl_module top) {
    static const weir_rtl_visitor visitor = {.expr = check_port, .instance = check_instance};
    const size_t errors = design->errors;
    return weir_rtl_visit(design, top, WEIR_RTL_CHILDREN_FIRST, &visitor, NULL) && design->errors == errors;
}

/* Machines are allowed in the bodies of modules only. */
static bool has_no_machine(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    uint32_t s = design->block[design->module[module].body].first;
    while (s && design->stmt[s].kind != WEIR_RTL_STMT_FSM) s = design->stmt[s].next;
    if (s)
        rtl_error(design, rtl_location_of(design, &design->stmt[s].common),
                  "module '%s' has the state machine '%s' and cannot be printed before realize_fsm has run",
                  design->module[module].name, rtl_fsm_of(design, &design->stmt[s])->name);
    return s == 0;
}

bool weir_rtl_check_machines(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; modules && i < count; i++)
        if (!design->module[modules[i].id].is_external) fine = has_no_machine(design, modules[i].id) && fine;
    free(modules);
    return fine;
}

/* Properties are allowed in bodies and in the loops there. */
static bool has_clocks(weir_rtl_design *design, weir_rtl_module module) {
    const size_t errors = design->errors;
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id; s = weir_rtl_next_part(design, s)) {
        const rtl_stmt *stmt = &design->stmt[s.id];
        if (stmt->kind == WEIR_RTL_STMT_ASSERT && !rtl_assertion_of(design, stmt)->clock)
            rtl_error(design, rtl_location_of(design, &stmt->common),
                      "a property of module '%s' names no clock and cannot be printed before infer_property_clocking "
                      "has run",
                      design->module[module.id].name);
    }
    return design->errors == errors;
}

bool weir_rtl_check_properties(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; modules && i < count; i++)
        if (!design->module[modules[i].id].is_external) fine = has_clocks(design, modules[i]) && fine;
    free(modules);
    return fine;
}

/* ---- one module ---- */

bool rtl_is_printable(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    const rtl_ids *instances = &design->module[module].instances;
    const size_t errors = design->errors;
    for (size_t i = 0; i < instances->count; i++) check_instance(design, (weir_rtl_instance){instances->id[i]}, NULL);
    return has_no_machine(design, module) && has_clocks(design, (weir_rtl_module){module}) && design->errors == errors;
}
