#include "passes/rtl/hierarchy/wiring.h"

/* Constants, iterators of loops in space and what is computed of them. Recursion is bounded by the depth of
 * expressions. */
static bool is_static(const weir_rtl_design *design, weir_rtl_expr expr) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    if (info.kind == WEIR_RTL_EXPR_VAR) return weir_rtl_get_var(design, info.var).is_iterator;
    if (info.kind == WEIR_RTL_EXPR_PORT) return false;
    for (size_t i = 0; i < info.operand_count; i++)
        if (!is_static(design, weir_rtl_operand(design, expr, i))) return false;
    return true;
}

/* A variable of the module or a part of one; `fixed`: no part whose index the hardware computes. */
static bool is_own_part(const weir_rtl_design *design, weir_rtl_expr expr, bool fixed) {
    for (;;) {
        const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
        switch (info.kind) {
        case WEIR_RTL_EXPR_VAR: return true;
        case WEIR_RTL_EXPR_ELEMENT:
        case WEIR_RTL_EXPR_SELECT:
            if (fixed && !is_static(design, weir_rtl_operand(design, expr, 1))) return false;
            break;
        case WEIR_RTL_EXPR_SLICE:
        case WEIR_RTL_EXPR_FIELD: break;
        default: return false;
        }
        expr = weir_rtl_operand(design, expr, 0);
    }
}

static bool is_plain_value(const weir_rtl_design *design, weir_rtl_expr expr) {
    weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    while (info.kind == WEIR_RTL_EXPR_CAST) {
        expr = weir_rtl_operand(design, expr, 0);
        info = weir_rtl_get_expr(design, expr);
    }
    return info.kind == WEIR_RTL_EXPR_CONSTANT || info.kind == WEIR_RTL_EXPR_PARAMETER ||
           is_own_part(design, expr, false);
}

/* May the assignment's target be what an output is connected to? A port of another instance may: an input that a port
 * drives gets a variable of its own. */
static bool is_plain_target(const weir_rtl_design *design, weir_rtl_expr expr) {
    return weir_rtl_get_expr(design, expr).kind == WEIR_RTL_EXPR_PORT || is_own_part(design, expr, true);
}

static weir_rtl_block block_of(const weir_rtl_design *design, weir_rtl_instance instance) {
    return weir_rtl_get_stmt(design, weir_rtl_get_instance(design, instance).stmt).block;
}

bool weir_wiring_in_loop(const weir_rtl_design *design, weir_rtl_instance instance) {
    return weir_rtl_owner(design, block_of(design, instance)).id != 0;
}

bool weir_wiring_refuse_in_loop(const weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port,
                                const char *is) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(instance)).location,
               "port '%s' of instance '%s' in module '%s', which is in a loop, is %s",
               weir_rtl_get_var(design, port).name, info.name, weir_rtl_get_module(design, info.parent).name, is);
    return false;
}

/* Is the use all of one side of an assignment in the instance's block? */
static bool is_whole(const weir_rtl_design *design, const weir_rtl_use *use, weir_rtl_instance instance) {
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(design, use->stmt);
    return stmt.kind == WEIR_RTL_STMT_ASSIGN && use->is_whole && stmt.block.id == block_of(design, instance).id &&
           weir_rtl_get_expr(design, use->expr).kind == WEIR_RTL_EXPR_PORT;
}

weir_wiring weir_wiring_of(weir_rtl_design *design, const weir_rtl_uses *uses, weir_rtl_instance instance,
                           weir_rtl_var port) {
    const weir_rtl_connection connection = weir_rtl_connection_of(design, instance, port);
    const weir_rtl_direction direction = weir_rtl_get_var(design, port).direction;
    const weir_rtl_net net = {port, instance};
    const size_t drivers = weir_rtl_driver_count(uses, net), readers = weir_rtl_reader_count(uses, net);
    weir_wiring wiring = {.kind = WEIR_WIRING_OTHER};
    if (connection.value.id != 0 || connection.is_open) wiring.kind = WEIR_WIRING_CONNECTED;
    else if (drivers + readers == 0) wiring.kind = WEIR_WIRING_NONE;
    if (wiring.kind != WEIR_WIRING_OTHER || drivers + readers != 1) return wiring;
    if (direction == WEIR_RTL_INPUT ? drivers == 0 : direction == WEIR_RTL_OUTPUT && drivers == 1) return wiring;
    const weir_rtl_use use = drivers == 1 ? weir_rtl_driver_at(uses, net, 0) : weir_rtl_reader_at(uses, net, 0);
    const weir_rtl_stmt_info stmt = weir_rtl_get_stmt(design, use.stmt);
    if (!is_whole(design, &use, instance)) return wiring;
    const weir_rtl_expr other = drivers == 1 ? stmt.value : stmt.target;
    const bool plain = direction == WEIR_RTL_INPUT ? is_plain_value(design, other)
                       : drivers == 0              ? is_plain_target(design, other)
                                      : is_own_part(design, other, true) && weir_rtl_is_target(design, other);
    if (plain) wiring = (weir_wiring){WEIR_WIRING_DIRECT, use.stmt, other};
    return wiring;
}

bool weir_wiring_any(const weir_rtl_design *design, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(design, module).instance_count;
    for (size_t i = 0; i < count; i++)
        if (weir_rtl_get_instance(design, weir_rtl_instance_at(design, module, i)).is_wired) return true;
    return false;
}

weir_rtl_expr weir_wiring_add_var(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_instance_info owner = weir_rtl_get_instance(design, instance);
    weir_text name = {NULL, 0, 0};
    weir_text_format(&name, "%s_%s", owner.name, weir_rtl_get_var(design, port).name);
    const weir_rtl_var var =
        weir_rtl_add_variable_like(design, owner.parent, weir_rtl_free_name(design, owner.parent, name.data),
                                   weir_rtl_port_of(design, instance, port));
    weir_text_free(&name);
    weir_rtl_copy_location(design, WEIR_RTL_ITEM(instance), WEIR_RTL_ITEM(var));
    return weir_rtl_read(design, var);
}

weir_rtl_expr weir_wiring_fit(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr target) {
    const weir_rtl_expr_info to = weir_rtl_get_expr(design, target);
    value = to.is_signed ? weir_rtl_as_signed(design, value) : weir_rtl_as_unsigned(design, value);
    return to.carries == WEIR_RTL_DATA ? value : weir_rtl_as(design, value, to.carries);
}

void weir_wiring_touch(weir_rtl_design *design, const weir_rtl_uses *uses, weir_rtl_instance instance,
                       weir_rtl_var port) {
    const weir_rtl_net net = {port, instance};
    for (size_t i = 0; i < weir_rtl_driver_count(uses, net); i++)
        weir_rtl_touch(design, WEIR_RTL_ITEM(weir_rtl_driver_at(uses, net, i).stmt));
    for (size_t i = 0; i < weir_rtl_reader_count(uses, net); i++)
        weir_rtl_touch(design, WEIR_RTL_ITEM(weir_rtl_reader_at(uses, net, i).stmt));
}
