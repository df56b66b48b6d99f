/* verify_assignments: both sides of an assignment agree in width and sign; a port of an instance has the width that its
 * readers and drivers count on, whatever became of the instance's module and parameters; a variable is assigned either
 * in the module's body, connections of outputs included, or in processes. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "support/memory/arena.h"

typedef struct assignments {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_net_numbers numbers;
    weir_rtl_stmt *outside, *inside; /* by net: the first one to drive it in the body, and in a process */
    bool in_process;
    size_t found;
} assignments;

static void visit_driver(weir_rtl_net net, weir_rtl_stmt stmt, void *user) {
    assignments *a = user;
    const size_t number = weir_net_number(&a->numbers, net);
    weir_rtl_stmt *own = a->in_process ? &a->inside[number] : &a->outside[number];
    const weir_rtl_stmt other = a->in_process ? a->outside[number] : a->inside[number];
    if (own->id != 0) return;
    *own = stmt;
    if (other.id == 0) return;
    weir_text name = {NULL, 0, 0};
    weir_name_net(a->design, net, &name);
    weir_error(weir_location_of_stmt(a->design, stmt),
               "%s in module '%s' is driven both in the module's body and in a process", name.data,
               weir_module_name_of(a->design, a->module));
    weir_note_at(weir_location_of_stmt(a->design, other), "%s drives it here",
                 a->in_process ? "the body" : "a process");
    weir_text_free(&name);
    a->found++;
}

static void visit_assign(assignments *a, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    const weir_rtl_expr_info target = weir_rtl_get_expr(a->design, info->target);
    const weir_rtl_expr_info value = weir_rtl_get_expr(a->design, info->value);
    if (target.kind != WEIR_RTL_EXPR_CONCAT) visit_driver((weir_rtl_net){target.var, target.instance}, stmt, a);
    else weir_visit_parts(a->design, info->target, stmt, visit_driver, a);
    if (target.width == value.width && target.is_signed == value.is_signed) return;
    weir_text left = {NULL, 0, 0}, right = {NULL, 0, 0};
    weir_rtl_print_written(a->design, info->target, &left);
    weir_rtl_print_written(a->design, info->value, &right);
    weir_error(weir_location_of_stmt(a->design, stmt), "'%s' has %u %s bits and cannot take '%s', which has %u %s ones",
               left.data, (unsigned)target.width, target.is_signed ? "signed" : "unsigned", right.data,
               (unsigned)value.width, value.is_signed ? "signed" : "unsigned");
    weir_text_free(&left);
    weir_text_free(&right);
    a->found++;
}

static void visit_outputs(assignments *a, weir_rtl_stmt stmt, weir_rtl_instance instance) {
    const weir_rtl_module module = weir_rtl_get_instance(a->design, instance).module;
    const size_t count = weir_rtl_get_module(a->design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(a->design, module, i);
        const weir_rtl_expr value = weir_rtl_connection_at(a->design, instance, i);
        if (value.id != 0 && weir_rtl_get_var(a->design, port).direction == WEIR_RTL_OUTPUT)
            weir_visit_parts(a->design, value, stmt, visit_driver, a);
    }
}

/* ---- widths of ports ---- */

static void visit_port(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user) {
    assignments *a = user;
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    if (info.kind != WEIR_RTL_EXPR_PORT) return;
    const char *port = weir_rtl_get_var(design, info.var).name;
    const uint32_t width = weir_rtl_port_width(design, info.instance, port);
    if (width == info.width) return;
    weir_error(weir_location_of_stmt(design, stmt), "'%s.%s' in module '%s' is used with %u bits, but the port has %u",
               weir_rtl_get_instance(design, info.instance).name, port, weir_module_name_of(design, a->module),
               (unsigned)info.width, (unsigned)width);
    a->found++;
}

static bool has_wired_instances(const weir_rtl_design *design, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(design, module).instance_count;
    for (size_t i = 0; i < count; i++)
        if (weir_rtl_get_instance(design, weir_rtl_instance_at(design, module, i)).is_wired) return true;
    return false;
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    static const weir_rtl_visitor ports = {.expr = visit_port};
    assignments *a = user;
    a->module = module;
    a->found = 0;
    for (weir_rtl_stmt part = weir_rtl_first_part(design, module); part.id != 0;
         part = weir_rtl_next_part(design, part)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, part);
        a->in_process = info.kind != WEIR_RTL_STMT_ASSIGN && info.kind != WEIR_RTL_STMT_INSTANCE;
        if (info.kind == WEIR_RTL_STMT_ASSIGN) visit_assign(a, part, &info);
        else if (info.kind == WEIR_RTL_STMT_INSTANCE) visit_outputs(a, part, info.instance);
        else if (info.kind != WEIR_RTL_STMT_FOR)
            for (weir_rtl_stmt s = part; s.id != 0; s = weir_rtl_inside(design, s, part)) {
                const weir_rtl_stmt_info inner = weir_rtl_get_stmt(design, s);
                if (inner.kind == WEIR_RTL_STMT_ASSIGN) visit_assign(a, s, &inner);
            }
    }
    if (has_wired_instances(design, module)) weir_rtl_visit_content(design, module, &ports, a);
    return a->found;
}

bool weir_pass_verify_assignments(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    assignments a = {.design = design, .numbers = weir_number_nets(design)};
    (void)pass;
    a.outside = weir_calloc(a.numbers.count + 1, sizeof *a.outside);
    a.inside = weir_calloc(a.numbers.count + 1, sizeof *a.inside);
    const bool fine = weir_check_modules(context, design, check_module, &a);
    free(a.outside);
    free(a.inside);
    weir_free_numbers(&a.numbers);
    return fine;
}
