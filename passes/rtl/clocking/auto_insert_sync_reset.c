/* auto_insert_sync_reset: in a module with the attribute `sync_reset = "NAME"` and all below it, processes with an
 * asynchronous reset do the same at the clock's edge when the input NAME is 1: while the clock is enabled, or always
 * with the attribute `sync_reset_over_enable`. Modules below get an input for it where they have none of that name. */
#include "passes/rtl/clocking/global_input.h"
#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/edit/rewrite.h"

typedef struct insertion {
    weir_rtl_rewriter *rewriter; /* one for all, because a new one costs as much as the design has expressions */
    bool over_enable;
    int64_t processes;
} insertion;

static bool has_reset_process(const weir_rtl_design *design, weir_rtl_module module) {
    weir_stmt_list list = {NULL, 0, 0};
    bool any = false;
    weir_list_inner(design, module, &list);
    for (size_t i = 0; i < list.count && !any; i++)
        any = weir_rtl_event_count(design, list.stmt[i]) > 1 && !weir_is_untouched(design, WEIR_RTL_ITEM(list.stmt[i]));
    weir_stmt_list_free(&list);
    return any;
}

/* The input that the module's attribute names; none after an error. */
static weir_rtl_var find_reset(weir_rtl_design *design, weir_rtl_module module) {
    const char *name = weir_rtl_attribute_string(design, WEIR_RTL_ITEM(module), "sync_reset");
    const weir_rtl_var var = name != NULL ? weir_rtl_find_var(design, module, name) : (weir_rtl_var){0};
    if (var.id != 0) {
        const weir_rtl_var_info info = weir_rtl_get_var(design, var);
        const bool is_plain = info.kind == WEIR_RTL_RESET || info.kind == WEIR_RTL_DATA;
        if (info.direction == WEIR_RTL_INPUT && is_plain && info.width == 1 && !info.is_signed) return var;
    }
    weir_error(
        weir_rtl_get_item(design, WEIR_RTL_ITEM(module)).location,
        "attribute 'sync_reset' of module '%s': expected the name of a one-bit input that is a reset or data%s%s%s",
        weir_rtl_get_module(design, module).name, name != NULL ? ", found '" : "", name != NULL ? name : "",
        name != NULL ? "'" : "");
    return (weir_rtl_var){0};
}

/* What runs while the clock is enabled: the body of the only if in the block when that is about a clock enable. */
static weir_rtl_block enabled_part(const weir_rtl_design *design, weir_rtl_block block) {
    const weir_rtl_stmt branch = weir_only_stmt(design, block);
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, branch);
    if (info.kind != WEIR_RTL_STMT_IF || info.other.id != 0) return block;
    return weir_rtl_get_expr(design, info.value).carries == WEIR_RTL_CLOCK_ENABLE ? info.body : block;
}

static bool has_condition(const weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_var input) {
    weir_stmt_list inside = {NULL, 0, 0};
    bool any = false;
    weir_list_inside(design, process, &inside);
    for (size_t i = 0; i < inside.count && !any; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, inside.stmt[i]);
        any = info.kind == WEIR_RTL_STMT_IF && weir_reads_var(design, info.value, input);
    }
    weir_stmt_list_free(&inside);
    return any;
}

static bool add_reset(weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_var input, void *user) {
    insertion *job = user;
    weir_rtl_block reset, clocked;
    if (weir_rtl_event_count(design, process) < 2 || has_condition(design, process, input)) return true;
    if (!weir_find_clocked_part(design, process, &reset, &clocked)) return false;
    if (clocked.id == 0) return true;
    if (!job->over_enable) clocked = enabled_part(design, clocked);
    const weir_rtl_stmt branch = weir_wrap_in_if(design, clocked, weir_rtl_read(design, input), true);
    weir_rtl_touch(design, WEIR_RTL_ITEM(process));
    job->processes++;
    return weir_rtl_copy_stmts(job->rewriter, reset, weir_rtl_then(design, branch));
}

bool weir_pass_auto_insert_sync_reset(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, ports = 0, wires = 0;
    insertion job = {.rewriter = weir_rtl_rewriter_new(design)};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_PARENTS_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; modules != NULL && i < count; i++) {
        const weir_rtl_item item = WEIR_RTL_ITEM(modules[i]);
        if (!weir_rtl_has_attribute(design, item, "sync_reset")) continue;
        weir_global_input global = {
            .design = design, .root = modules[i], .source = find_reset(design, modules[i]), .wants = has_reset_process};
        job.over_enable = weir_rtl_has_attribute(design, item, "sync_reset_over_enable");
        bool done = global.source.id != 0 && weir_global_input_add(&global, 0);
        done = done && weir_global_input_processes(&global, add_reset, &job);
        fine = fine && done;
        ports += global.ports;
        wires += global.wires;
        weir_global_input_free(&global);
    }
    if ((size_t)job.processes + ports + wires == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "processes", job.processes);
    weir_pass_count(context, "ports", (int64_t)ports);
    weir_rtl_rewriter_free(job.rewriter);
    free(modules);
    return fine;
}
