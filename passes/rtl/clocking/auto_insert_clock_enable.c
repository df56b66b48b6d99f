/* auto_insert_clock_enable: when the top module has a clock enable, all clocked processes below it hold their values
 * while it is 0, an asynchronous reset excepted. Modules get an input for it where they have none. */
#include "passes/rtl/clocking/global_input.h"
#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"

static bool has_clocked_process(const weir_rtl_design *design, weir_rtl_module module) {
    weir_stmt_list list = {NULL, 0, 0};
    bool any = false;
    weir_list_inner(design, module, &list);
    for (size_t i = 0; i < list.count && !any; i++)
        any = weir_rtl_get_stmt(design, list.stmt[i]).kind == WEIR_RTL_STMT_ALWAYS &&
              !weir_is_untouched(design, WEIR_RTL_ITEM(list.stmt[i]));
    weir_stmt_list_free(&list);
    return any;
}

/* The clock enable of the top, none when there is none; false after a reported error. */
static bool find_enable(const weir_rtl_design *design, weir_rtl_module top, weir_rtl_var *enable) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, top);
    *enable = (weir_rtl_var){0};
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, top, i);
        const weir_rtl_var_info var = weir_rtl_get_var(design, port);
        if (var.direction != WEIR_RTL_INPUT || var.kind != WEIR_RTL_CLOCK_ENABLE) continue;
        if (enable->id != 0) {
            weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(port)).location,
                       "the top module '%s' has two clock enables, '%s' and '%s', expected one", info.name,
                       weir_rtl_get_var(design, *enable).name, var.name);
            return false;
        }
        *enable = port;
    }
    return true;
}

/* Is the condition false whenever the enable is 0: the enable, or that and something else? */
static bool implies(const weir_rtl_design *design, weir_rtl_expr condition, weir_rtl_var enable) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, condition);
    if (info.kind == WEIR_RTL_EXPR_VAR) return info.var.id == enable.id;
    if (info.kind == WEIR_RTL_EXPR_CAST) return implies(design, weir_rtl_operand(design, condition, 0), enable);
    const bool is_and = info.op == WEIR_RTL_AND || info.op == WEIR_RTL_LOGICAL_AND;
    return info.kind == WEIR_RTL_EXPR_BINARY && is_and &&
           (implies(design, weir_rtl_operand(design, condition, 0), enable) ||
            implies(design, weir_rtl_operand(design, condition, 1), enable));
}

/* Does nothing in the block run while the enable is 0? */
static bool is_gated(const weir_rtl_design *design, weir_rtl_block block, weir_rtl_var enable) {
    const weir_rtl_stmt branch = weir_only_stmt(design, block);
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, branch);
    return info.kind == WEIR_RTL_STMT_IF && info.other.id == 0 && implies(design, info.value, enable);
}

static bool gate(weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_var enable, void *user) {
    weir_rtl_block reset, clocked;
    if (!weir_find_clocked_part(design, process, &reset, &clocked)) return false;
    if (clocked.id == 0 || is_gated(design, clocked, enable)) return true;
    weir_wrap_in_if(design, clocked, weir_rtl_read(design, enable), false);
    weir_rtl_touch(design, WEIR_RTL_ITEM(process));
    ++*(int64_t *)user;
    return true;
}

bool weir_pass_auto_insert_clock_enable(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    int64_t gated = 0;
    weir_global_input global = {.design = design, .root = weir_hardware_top(context), .wants = has_clocked_process};
    if (!find_enable(design, global.root, &global.source)) return false;
    bool fine = true;
    if (global.source.id != 0) {
        fine = weir_global_input_add(&global, 1);
        fine = weir_global_input_processes(&global, gate, &gated) && fine;
    }
    if ((size_t)gated + global.ports + global.wires == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "processes", gated);
    weir_pass_count(context, "ports", (int64_t)global.ports);
    weir_global_input_free(&global);
    return fine;
}
