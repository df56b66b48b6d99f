/* merge_const_port_assignment: a variable that only carries a constant to one input of an instance makes way for the
 * constant, `.b(1'h1)`, whether the port is wired by an assignment or connected. Variables that are marked to stay do.
 * Linear; modules without instances are not looked at. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"

typedef struct merger {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_rtl_module module; /* that is worked on */
    int64_t merged;
} merger;

/* The assignment in the module's body that gives all of the variable a constant, when it is the only driver. */
static weir_rtl_stmt find_constant(const merger *m, weir_rtl_var var) {
    const weir_rtl_stmt none = {0};
    const weir_rtl_net net = weir_rtl_net_of(var);
    if (weir_rtl_driver_count(m->uses, net) != 1) return none;
    const weir_rtl_use use = weir_rtl_driver_at(m->uses, net, 0);
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(m->design, use.stmt);
    const bool fits = stmt.kind == WEIR_RTL_STMT_ASSIGN && use.is_whole &&
                      stmt.block.id == weir_rtl_get_module(m->design, m->module).body.id &&
                      weir_rtl_get_expr(m->design, stmt.target).kind == WEIR_RTL_EXPR_VAR &&
                      weir_rtl_get_expr(m->design, stmt.value).kind == WEIR_RTL_EXPR_CONSTANT;
    return fits ? use.stmt : none;
}

/* The input that the instance of a connection takes all of the variable with; none when there is no such one. */
static weir_rtl_var find_port(const merger *m, weir_rtl_instance instance, weir_rtl_expr value) {
    const weir_rtl_module module = weir_rtl_get_instance(m->design, instance).module;
    const size_t count = weir_rtl_get_module(m->design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(m->design, module, i);
        if (weir_rtl_get_var(m->design, port).direction == WEIR_RTL_INPUT &&
            weir_rtl_connection_of(m->design, instance, port).value.id == value.id)
            return port;
    }
    return (weir_rtl_var){0};
}

/* Puts the constant where the variable is read; false when that is no whole input of an instance. */
static bool replace(const merger *m, weir_rtl_use reader, weir_rtl_expr constant) {
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(m->design, reader.stmt);
    if (!reader.is_whole || weir_rtl_get_expr(m->design, reader.expr).kind != WEIR_RTL_EXPR_VAR) return false;
    if (reader.is_connection) {
        const weir_rtl_var port = find_port(m, stmt.instance, reader.expr);
        if (port.id == 0) return false;
        weir_rtl_disconnect(m->design, stmt.instance, port);
        weir_rtl_connect(m->design, stmt.instance, weir_rtl_get_var(m->design, port).name, constant);
        weir_rtl_touch(m->design, WEIR_RTL_ITEM(stmt.instance));
        return true;
    }
    if (stmt.kind != WEIR_RTL_STMT_ASSIGN || stmt.block.id != weir_rtl_get_module(m->design, m->module).body.id ||
        weir_rtl_get_expr(m->design, stmt.target).kind != WEIR_RTL_EXPR_PORT)
        return false;
    weir_rtl_touch(m->design, WEIR_RTL_ITEM(reader.stmt));
    return weir_rtl_set_value(m->design, reader.stmt, constant);
}

static void merge(merger *m, weir_rtl_var var) {
    const weir_rtl_net net = weir_rtl_net_of(var);
    if (weir_rtl_get_var(m->design, var).direction != WEIR_RTL_INTERNAL || weir_rtl_reader_count(m->uses, net) != 1 ||
        weir_is_kept(m->design, WEIR_RTL_ITEM(var)))
        return;
    const weir_rtl_stmt stmt = find_constant(m, var);
    if (stmt.id == 0 || !replace(m, weir_rtl_reader_at(m->uses, net, 0), weir_rtl_get_stmt(m->design, stmt).value))
        return;
    weir_rtl_remove_stmt(m->design, stmt);
    weir_rtl_remove_var(m->design, var);
    m->merged++;
}

bool weir_pass_merge_const_port_assignment(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    merger m = {.design = design, .uses = weir_rtl_uses_new(design)};
    for (size_t i = 0; modules != NULL && i < count; i++) {
        m.module = modules[i];
        if (weir_rtl_get_module(design, m.module).instance_count == 0) continue;
        weir_rtl_uses_build(m.uses, m.module);
        for (weir_rtl_var v = weir_rtl_first_var(design, m.module), next; v.id != 0; v = next) {
            next = weir_rtl_next_var(design, v);
            merge(&m, v);
        }
    }
    if (m.merged == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "constants merged", m.merged);
    weir_rtl_uses_free(m.uses);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
