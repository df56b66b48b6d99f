#include "passes/rtl/checks/check.h"

#include <stdlib.h>

#include "support/memory/arena.h"

bool weir_check_modules(weir_pass_context *context, weir_rtl_design *design, weir_check_module *check, void *user) {
    size_t count, found = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    weir_pass_unchanged(context);
    for (size_t i = 0; modules != NULL && i < count; i++) found += check(design, modules[i], user);
    const bool fine = modules != NULL && found == 0;
    free(modules);
    return fine;
}

weir_location weir_location_of_stmt(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    const weir_rtl_instance instance = weir_rtl_get_stmt(design, stmt).instance;
    return weir_rtl_get_item(design, instance.id != 0 ? WEIR_RTL_ITEM(instance) : WEIR_RTL_ITEM(stmt)).location;
}

weir_location weir_location_of_var(const weir_rtl_design *design, weir_rtl_var var) {
    return weir_rtl_get_item(design, WEIR_RTL_ITEM(var)).location;
}

const char *weir_module_name_of(const weir_rtl_design *design, weir_rtl_module module) {
    return weir_rtl_get_module(design, module).name;
}

/* ---- nets ---- */

weir_net_numbers weir_number_nets(const weir_rtl_design *design) {
    const size_t limit = weir_rtl_id_limit(design, WEIR_RTL_ITEM_INSTANCE);
    weir_net_numbers numbers = {.design = design, .base = weir_calloc(limit + 1, sizeof *numbers.base)};
    numbers.count = weir_rtl_id_limit(design, WEIR_RTL_ITEM_VAR);
    for (uint32_t i = 1; i < limit; i++) {
        const weir_rtl_module module = weir_rtl_get_instance(design, (weir_rtl_instance){i}).module;
        numbers.base[i] = (uint32_t)numbers.count;
        numbers.count += weir_rtl_get_module(design, module).port_count;
    }
    return numbers;
}

void weir_free_numbers(weir_net_numbers *numbers) { free(numbers->base); }

size_t weir_net_number(const weir_net_numbers *numbers, weir_rtl_net net) {
    if (net.instance.id == 0) return net.var.id;
    return numbers->base[net.instance.id] + weir_rtl_get_var(numbers->design, net.var).port;
}

void weir_name_bits(const weir_rtl_design *design, weir_rtl_net net, uint32_t low, uint32_t width, weir_text *text) {
    const uint32_t all = weir_rtl_get_var(design, net.var).width;
    weir_name_net(design, net, text);
    if (width == all) return;
    text->data[--text->size] = '\0'; /* the quote */
    if (width == 1) weir_text_format(text, "[%u]'", (unsigned)low);
    else weir_text_format(text, "[%u:%u]'", (unsigned)(low + width - 1), (unsigned)low);
}

void weir_name_net(const weir_rtl_design *design, weir_rtl_net net, weir_text *text) {
    weir_text_char(text, '\'');
    if (net.instance.id != 0) weir_text_format(text, "%s.", weir_rtl_get_instance(design, net.instance).name);
    weir_text_format(text, "%s'", weir_rtl_get_var(design, net.var).name);
}

/* Concatenations are rare, so their parts wait on a small heap stack. */
void weir_visit_parts(const weir_rtl_design *design, weir_rtl_expr target, weir_rtl_stmt stmt,
                      weir_target_visitor *visit, void *user) {
    const weir_rtl_expr_info whole = weir_rtl_get_expr(design, target);
    weir_rtl_expr *stack = NULL;
    size_t depth = 0, capacity = 0;
    if (whole.kind != WEIR_RTL_EXPR_CONCAT) {
        visit((weir_rtl_net){whole.var, whole.instance}, stmt, user);
        return;
    }
    stack = weir_grow(stack, &capacity, 1, sizeof *stack);
    stack[depth++] = target;
    while (depth > 0) {
        const weir_rtl_expr expr = stack[--depth];
        const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
        if (info.kind != WEIR_RTL_EXPR_CONCAT) {
            visit((weir_rtl_net){info.var, info.instance}, stmt, user);
            continue;
        }
        stack = weir_grow(stack, &capacity, depth + info.operand_count, sizeof *stack);
        for (size_t i = info.operand_count; i-- > 0;) stack[depth++] = weir_rtl_operand(design, expr, i);
    }
    free(stack);
}
