#include "passes/rtl/clocking/global_input.h"

#include <string.h>

#include "passes/rtl/inner.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/mutate.h"

bool weir_is_untouched(const weir_rtl_design *design, weir_rtl_item item) {
    return weir_rtl_has_attribute(design, item, "dont_touch");
}

/* ---- where it goes ---- */

static bool needs(weir_global_input *t, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(t->design, module);
    if (info.is_external || info.is_stub || weir_is_untouched(t->design, WEIR_RTL_ITEM(module))) return false;
    if (t->wants(t->design, module)) return true;
    for (size_t i = 0; i < info.instance_count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(t->design, module, i);
        if (!weir_is_untouched(t->design, WEIR_RTL_ITEM(instance)) &&
            *weir_numbers_at(&t->needs, weir_rtl_get_instance(t->design, instance).module.id) != 0)
            return true;
    }
    return false;
}

/* The input that the module has for it already; none when there is none. */
static weir_rtl_var find_input(const weir_global_input *t, weir_rtl_module module) {
    const weir_rtl_var_info source = weir_rtl_get_var(t->design, t->source);
    const size_t ports = weir_rtl_get_module(t->design, module).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(t->design, module, i);
        const weir_rtl_var_info info = weir_rtl_get_var(t->design, port);
        const bool fits = info.direction == WEIR_RTL_INPUT && info.kind == source.kind && info.width == 1;
        if (fits && (info.kind == WEIR_RTL_CLOCK_ENABLE || strcmp(info.name, source.name) == 0)) return port;
    }
    return (weir_rtl_var){0};
}

static void reach(weir_global_input *t, weir_rtl_module module) {
    uint32_t *input = weir_numbers_at(&t->input, module.id);
    if (*input != 0) return;
    *input = find_input(t, module).id;
    if (*input != 0) return;
    const weir_rtl_var_info source = weir_rtl_get_var(t->design, t->source);
    const char *name = weir_rtl_free_name(t->design, module, source.name);
    *input = weir_rtl_add_port(t->design, module, name, 1, WEIR_RTL_INPUT, source.kind, false).id;
    *weir_numbers_at(&t->is_new, module.id) = 1;
    t->ports++;
}

/* Modules of the root, children first; a module is reached from one that is. */
static void spread(weir_global_input *t, const weir_rtl_module *modules, size_t count) {
    for (size_t i = 0; i < count; i++) *weir_numbers_at(&t->needs, modules[i].id) = needs(t, modules[i]);
    if (!weir_is_untouched(t->design, WEIR_RTL_ITEM(t->root))) *weir_numbers_at(&t->input, t->root.id) = t->source.id;
    for (size_t m = count; m-- > 0;) {
        if (*weir_numbers_at(&t->input, modules[m].id) == 0) continue;
        const size_t instances = weir_rtl_get_module(t->design, modules[m]).instance_count;
        for (size_t i = 0; i < instances; i++) {
            const weir_rtl_instance instance = weir_rtl_instance_at(t->design, modules[m], i);
            const weir_rtl_module child = weir_rtl_get_instance(t->design, instance).module;
            if (*weir_numbers_at(&t->needs, child.id) != 0 && !weir_is_untouched(t->design, WEIR_RTL_ITEM(instance)))
                reach(t, child);
        }
    }
}

/* ---- wires ---- */

/* The assignments to the inputs of the module's wired instances, by instance; those to its variables, by variable. */
static void find_wires(weir_global_input *t, weir_rtl_module module) {
    const weir_rtl_block body = weir_rtl_get_module(t->design, module).body;
    for (weir_rtl_stmt s = weir_rtl_first(t->design, body); s.id != 0; s = weir_rtl_next(t->design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(t->design, s);
        if (info.kind != WEIR_RTL_STMT_ASSIGN) continue;
        const weir_rtl_expr_info target = weir_rtl_get_expr(t->design, info.target);
        if (target.kind == WEIR_RTL_EXPR_VAR) *weir_numbers_at(&t->assigned, target.var.id) = s.id;
        if (target.kind != WEIR_RTL_EXPR_PORT) continue;
        const weir_rtl_module child = weir_rtl_get_instance(t->design, target.instance).module;
        if (target.var.id == *weir_numbers_at(&t->input, child.id))
            *weir_numbers_at(&t->wired, target.instance.id) = s.id;
    }
}

/* Does the value depend on nothing that changes: constants and parameters, under casts and operators and by way of
 * variables? Recursion is bounded by the depth of expressions and by `hops` from variable to variable. */
static bool is_constant(weir_global_input *t, weir_rtl_expr value, int hops) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(t->design, value);
    if (info.kind == WEIR_RTL_EXPR_VAR) {
        const weir_rtl_stmt stmt = {*weir_numbers_at(&t->assigned, info.var.id)};
        return hops > 0 && stmt.id != 0 && is_constant(t, weir_rtl_get_stmt(t->design, stmt).value, hops - 1);
    }
    bool is_one = info.kind != WEIR_RTL_EXPR_PORT && info.kind != WEIR_RTL_EXPR_CALL;
    for (size_t i = 0; i < info.operand_count && is_one; i++)
        is_one = is_constant(t, weir_rtl_operand(t->design, value, i), hops);
    return is_one;
}

/* Does the value depend on the variable, in the same way? */
static bool depends_on(weir_global_input *t, weir_rtl_expr value, weir_rtl_var var, int hops) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(t->design, value);
    if (info.kind == WEIR_RTL_EXPR_VAR) {
        const weir_rtl_stmt stmt = {*weir_numbers_at(&t->assigned, info.var.id)};
        return info.var.id == var.id ||
               (hops > 0 && stmt.id != 0 && depends_on(t, weir_rtl_get_stmt(t->design, stmt).value, var, hops - 1));
    }
    bool any = false;
    for (size_t i = 0; i < info.operand_count && !any; i++)
        any = depends_on(t, weir_rtl_operand(t->design, value, i), var, hops);
    return any;
}

/* Does what is passed down take the place of the value? A child that is given something else keeps it, which is
 * said. */
static bool may_replace(weir_global_input *t, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr value) {
    enum { HOPS = 100 };
    const weir_rtl_instance_info info = weir_rtl_get_instance(t->design, instance);
    const weir_rtl_var own = {*weir_numbers_at(&t->input, info.parent.id)};
    if (is_constant(t, value, HOPS)) return true;
    if (own.id != 0 && !depends_on(t, value, own, HOPS))
        weir_warning(
            weir_rtl_get_item(t->design, WEIR_RTL_ITEM(instance)).location,
            "input '%s' of instance '%s' in module '%s' is connected to something else: '%s' does not reach it",
            weir_rtl_get_var(t->design, port).name, info.name, weir_rtl_get_module(t->design, info.parent).name,
            weir_rtl_get_var(t->design, own).name);
    return false;
}

static void wire(weir_global_input *t, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr value) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(t->design, instance);
    const weir_rtl_expr connected = weir_rtl_connection_of(t->design, instance, port).value;
    const weir_rtl_stmt stmt = {*weir_numbers_at(&t->wired, instance.id)};
    const bool is_assigned = connected.id == 0 && stmt.id != 0;
    if (connected.id != 0 && !may_replace(t, instance, port, connected)) return;
    if (is_assigned && !may_replace(t, instance, port, weir_rtl_get_stmt(t->design, stmt).value)) return;
    if (is_assigned) {
        weir_rtl_set_value(t->design, stmt, value);
    } else if (info.is_wired && connected.id == 0) {
        weir_rtl_add_assign(t->design, weir_rtl_get_stmt(t->design, info.stmt).block,
                            weir_rtl_port_of(t->design, instance, port), value, WEIR_RTL_UNDECIDED);
    } else {
        weir_rtl_disconnect(t->design, instance, port);
        weir_rtl_connect(t->design, instance, weir_rtl_get_var(t->design, port).name, value);
    }
    weir_rtl_touch(t->design, WEIR_RTL_ITEM(instance));
    t->wires++;
}

static void wire_module(weir_global_input *t, weir_rtl_module module, uint64_t idle) {
    const size_t instances = weir_rtl_get_module(t->design, module).instance_count;
    const weir_rtl_var own = {*weir_numbers_at(&t->input, module.id)};
    find_wires(t, module);
    for (size_t i = 0; i < instances; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(t->design, module, i);
        const weir_rtl_module child = weir_rtl_get_instance(t->design, instance).module;
        const weir_rtl_var port = {*weir_numbers_at(&t->input, child.id)};
        const bool is_reached = own.id != 0 && !weir_is_untouched(t->design, WEIR_RTL_ITEM(instance));
        if (port.id == 0 || child.id == t->root.id) continue;
        if (is_reached) wire(t, instance, port, weir_rtl_read(t->design, own));
        else if (*weir_numbers_at(&t->is_new, child.id) != 0)
            wire(t, instance, port, weir_rtl_constant(t->design, 1, idle));
    }
}

bool weir_global_input_add(weir_global_input *t, uint64_t idle) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(t->design, t->root, WEIR_RTL_CHILDREN_FIRST, &count);
    if (modules == NULL) return false;
    spread(t, modules, count);
    for (weir_rtl_module m = weir_rtl_first_module(t->design); m.id != 0; m = weir_rtl_next_module(t->design, m))
        if (!weir_rtl_get_module(t->design, m).is_external) wire_module(t, m, idle);
    free(modules);
    return weir_rtl_errors(t->design) == 0;
}

void weir_global_input_free(weir_global_input *t) {
    weir_numbers_free(&t->input);
    weir_numbers_free(&t->needs);
    weir_numbers_free(&t->is_new);
    weir_numbers_free(&t->wired);
    weir_numbers_free(&t->assigned);
}

/* ---- processes ---- */

bool weir_global_input_processes(weir_global_input *t, weir_global_input_process *function, void *user) {
    weir_stmt_list list = {NULL, 0, 0};
    bool fine = true;
    for (weir_rtl_module m = weir_rtl_first_module(t->design); m.id != 0; m = weir_rtl_next_module(t->design, m)) {
        const weir_rtl_var input = {*weir_numbers_at(&t->input, m.id)};
        if (input.id == 0) continue;
        weir_list_inner(t->design, m, &list);
        for (size_t i = 0; i < list.count; i++)
            if (weir_rtl_get_stmt(t->design, list.stmt[i]).kind == WEIR_RTL_STMT_ALWAYS &&
                !weir_is_untouched(t->design, WEIR_RTL_ITEM(list.stmt[i])))
                fine = function(t->design, list.stmt[i], input, user) && fine;
    }
    weir_stmt_list_free(&list);
    return fine;
}

bool weir_find_clocked_part(weir_rtl_design *design, weir_rtl_stmt process, weir_rtl_block *reset,
                            weir_rtl_block *clocked) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, process);
    const size_t events = weir_rtl_event_count(design, process);
    *reset = (weir_rtl_block){0};
    *clocked = info.body;
    for (size_t level = 1; level < events && clocked->id != 0; level++) {
        const weir_rtl_stmt branch = weir_only_stmt(design, *clocked);
        const weir_rtl_stmt_info part = weir_rtl_get_stmt(design, branch);
        if (part.kind != WEIR_RTL_STMT_IF) {
            weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(process)).location,
                       "a process of module '%s' waits for %zu events, expected one if for each but the clock",
                       weir_rtl_get_module(design, weir_rtl_block_module(design, info.body)).name, events);
            return false;
        }
        if (level == 1) *reset = part.body;
        *clocked = part.other;
    }
    if (clocked->id != 0 && weir_rtl_first(design, *clocked).id == 0) *clocked = (weir_rtl_block){0};
    return true;
}

weir_rtl_stmt weir_wrap_in_if(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr condition, bool into_else) {
    const weir_rtl_stmt branch = weir_rtl_add_if(design, block, condition);
    const weir_rtl_block to = into_else ? weir_rtl_else(design, branch) : weir_rtl_then(design, branch);
    for (weir_rtl_stmt s = weir_rtl_first(design, block), next; s.id != branch.id; s = next) {
        next = weir_rtl_next(design, s);
        weir_rtl_move_stmt(design, s, to, (weir_rtl_stmt){0});
    }
    return branch;
}
