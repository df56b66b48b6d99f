/* remove_fanout_one_wires: of a chain of at least three variables, each of them read only by the assignment of a
 * module's body that copies it as a whole to the next one, the first one's driver moves to the last one and what lies
 * between is left without uses, for remove_unused_vars. Where it cannot move (a port, a part of the variable, a process
 * that would assign a wire) the last one becomes a copy of the first one. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/type.h"

typedef struct chains {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_keeper keeper;
    size_t removed;
} chains;

/* Copies from variable to variable in the module's body: without two of them there is no chain. */
static size_t count_copies(const weir_rtl_design *design, weir_rtl_module module) {
    size_t copies = 0;
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0;
         s = weir_rtl_next(design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        copies += info.kind == WEIR_RTL_STMT_ASSIGN &&
                  weir_rtl_get_expr(design, info.value).kind == WEIR_RTL_EXPR_VAR &&
                  weir_rtl_get_expr(design, info.target).kind == WEIR_RTL_EXPR_VAR;
    }
    return copies;
}

static bool alike(const weir_rtl_design *design, weir_rtl_var a, weir_rtl_var b) {
    const weir_rtl_var_info x = weir_rtl_get_var(design, a), y = weir_rtl_get_var(design, b);
    return x.kind == y.kind && weir_rtl_same_type(design, x.type, y.type);
}

/* The assignment that is the only reader of the variable and copies it to another one, which nothing else drives; none
 * when it is used otherwise. The table says how things were at first, so what it names is looked at again. */
static weir_rtl_stmt copy_of(const chains *c, weir_rtl_var var) {
    const weir_rtl_stmt none = {0};
    const weir_rtl_net net = weir_rtl_net_of(var);
    const weir_rtl_direction direction = weir_rtl_get_var(c->design, var).direction;
    if (direction == WEIR_RTL_OUTPUT || direction == WEIR_RTL_INOUT || weir_rtl_reader_count(c->uses, net) != 1)
        return none;
    const weir_rtl_use use = weir_rtl_reader_at(c->uses, net, 0);
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(c->design, use.stmt);
    if (stmt.kind != WEIR_RTL_STMT_ASSIGN || stmt.block.id == 0 || weir_rtl_owner(c->design, stmt.block).id != 0 ||
        stmt.value.id != weir_rtl_read(c->design, var).id || weir_is_kept(c->design, WEIR_RTL_ITEM(use.stmt)))
        return none;
    const weir_rtl_expr_info target = weir_rtl_get_expr(c->design, stmt.target);
    const bool fits = target.kind == WEIR_RTL_EXPR_VAR && target.var.id != var.id &&
                      weir_rtl_driver_count(c->uses, weir_rtl_net_of(target.var)) == 1 &&
                      weir_rtl_get_var(c->design, target.var).direction != WEIR_RTL_INOUT &&
                      alike(c->design, var, target.var);
    return fits ? use.stmt : none;
}

static weir_rtl_var target_of(const weir_rtl_design *design, weir_rtl_stmt copy) {
    return weir_rtl_get_expr(design, weir_rtl_get_stmt(design, copy).target).var;
}

/* Is the variable inside a chain: a copy of one that only this copy reads? */
static bool comes_after(const chains *c, weir_rtl_var var) {
    const weir_rtl_net net = weir_rtl_net_of(var);
    if (weir_rtl_driver_count(c->uses, net) != 1) return false;
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(c->design, weir_rtl_driver_at(c->uses, net, 0).stmt);
    if (stmt.kind != WEIR_RTL_STMT_ASSIGN) return false;
    const weir_rtl_expr_info value = weir_rtl_get_expr(c->design, stmt.value);
    if (value.kind != WEIR_RTL_EXPR_VAR) return false;
    const weir_rtl_stmt copy = copy_of(c, value.var);
    return copy.id != 0 && target_of(c->design, copy).id == var.id;
}

/* Lets what drives the first variable drive the last one. False when that cannot be said: nothing has changed then. */
static bool move_driver(chains *c, weir_rtl_var first, weir_rtl_var last) {
    weir_rtl_design *design = c->design;
    const weir_rtl_net net = weir_rtl_net_of(first);
    if (weir_rtl_get_var(design, first).direction != WEIR_RTL_INTERNAL || weir_rtl_driver_count(c->uses, net) != 1 ||
        weir_keeps(&c->keeper, first))
        return false;
    const weir_rtl_use use = weir_rtl_driver_at(c->uses, net, 0);
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(design, use.stmt);
    const weir_rtl_var_info to = weir_rtl_get_var(design, last);
    if (!use.is_whole || use.expr.id == 0 || weir_rtl_get_expr(design, use.expr).kind != WEIR_RTL_EXPR_VAR ||
        stmt.kind != WEIR_RTL_STMT_ASSIGN || weir_rtl_floats(design, stmt.value))
        return false;
    const bool in_process = weir_rtl_owner(design, stmt.block).id != 0;
    if (in_process != to.is_register && !to.is_undecided && to.direction == WEIR_RTL_INTERNAL) return false;
    weir_rtl_touch(design, WEIR_RTL_ITEM(use.stmt));
    return weir_rtl_set_target(design, use.stmt, weir_rtl_read(design, last));
}

/* The chain that starts at the variable. Its copies go from the back, the last one being kept when the driver stays. */
static void shorten(chains *c, weir_rtl_var first, weir_stmt_list *copies) {
    weir_rtl_design *design = c->design;
    copies->count = 0;
    for (weir_rtl_stmt copy = copy_of(c, first); copy.id != 0;) {
        weir_stmt_list_add(copies, copy);
        const weir_rtl_var next = target_of(design, copy);
        copy = weir_keeps(&c->keeper, next) ? (weir_rtl_stmt){0} : copy_of(c, next);
    }
    if (copies->count < 2) return;
    const weir_rtl_stmt final = copies->stmt[copies->count - 1];
    for (size_t i = 0; i + 1 < copies->count; i++) weir_rtl_remove_stmt(design, copies->stmt[i]);
    c->removed += copies->count - 1;
    if (move_driver(c, first, target_of(design, final))) {
        weir_rtl_remove_stmt(design, final);
        c->removed++;
    } else {
        weir_rtl_set_value(design, final, weir_rtl_read(design, first));
        weir_rtl_touch(design, WEIR_RTL_ITEM(final));
    }
}

static void shorten_module(chains *c, weir_rtl_module module, weir_stmt_list *copies) {
    if (count_copies(c->design, module) < 2) return;
    weir_rtl_uses_build(c->uses, module);
    for (weir_rtl_var v = weir_rtl_first_var(c->design, module); v.id != 0; v = weir_rtl_next_var(c->design, v))
        if (copy_of(c, v).id != 0 && !comes_after(c, v)) shorten(c, v, copies);
}

bool weir_pass_remove_fanout_one_wires(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    weir_stmt_list copies = {NULL, 0, 0};
    chains c = {.design = design, .uses = weir_rtl_uses_new(design), .keeper = {.design = design}};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) shorten_module(&c, modules[i], &copies);
    if (c.removed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "copies removed", (int64_t)c.removed);
    weir_rtl_uses_free(c.uses);
    weir_keeper_free(&c.keeper);
    weir_stmt_list_free(&copies);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
