/* Functions. Their variables are in no list of the module and have a scope of their own. */
#include "rtlir/core/function.h"

#include "rtlir/core/private.h"

weir_rtl_function weir_rtl_add_function(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                        uint32_t width, bool is_signed) {
    weir_rtl_function none = {0};
    if (!module.id) return none;
    const char *own = rtl_new_name(design, module.id, "function", name);
    if (!own || !rtl_in_own_module(design, module.id)) return none;
    if (width < 1 || width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "function '%s' has %u bits, expected 1 to %d", own, (unsigned)width,
                  WEIR_RTL_MAX_WIDTH);
        return none;
    }
    uint32_t id = RTL_APPEND(design, function);
    uint32_t stmt = rtl_new_stmt(design, rtl_module_at(design, module.id)->body, WEIR_RTL_STMT_FUNCTION);
    uint32_t body = rtl_new_block(design, module.id, stmt);
    design->stmt[stmt].a = id;
    design->stmt[stmt].body = body;
    rtl_function *function = &design->function[id];
    function->name = own;
    function->module = module.id;
    function->stmt = stmt;
    function->width = width;
    function->is_signed = is_signed;
    rtl_names_add(design, (rtl_name){RTL_NAME_FUNCTION, id});
    return (weir_rtl_function){id};
}

static weir_rtl_var new_local(weir_rtl_design *design, uint32_t function, const rtl_var *model) {
    assert(function < design->function_count);
    weir_rtl_var none = {0};
    if (!function) return none;
    const rtl_function *record = &design->function[function];
    if (model->width < 1 || model->width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "'%s' in function '%s' has %u bits, expected 1 to %d", model->name,
                  record->name, (unsigned)model->width, WEIR_RTL_MAX_WIDTH);
        return none;
    }
    const char *name = rtl_new_name(design, RTL_FUNCTION_SCOPE | function, "variable", model->name);
    if (!name) return none;
    uint32_t id = RTL_APPEND(design, var);
    design->var[id] = *model;
    design->var[id].common = rtl_common_now(design);
    design->var[id].name = name;
    design->var[id].module = record->module;
    design->var[id].function = function;
    rtl_names_add(design, (rtl_name){RTL_NAME_VAR, id});
    return (weir_rtl_var){id};
}

weir_rtl_var weir_rtl_add_argument(weir_rtl_design *design, weir_rtl_function function, const char *name,
                                   uint32_t width, bool is_signed) {
    rtl_var model = {.name = name, .width = width, .is_signed = is_signed, .direction = WEIR_RTL_INPUT};
    weir_rtl_var var = new_local(design, function.id, &model);
    if (var.id) rtl_ids_add(&rtl_function_at(design, function.id)->arguments, var.id);
    return var;
}

weir_rtl_var weir_rtl_add_local_var(weir_rtl_design *design, weir_rtl_function function, const char *name,
                                    uint32_t width, bool is_signed) {
    rtl_var model = {.name = name, .width = width, .is_signed = is_signed, .is_undecided = true};
    weir_rtl_var var = new_local(design, function.id, &model);
    if (var.id) rtl_ids_add(&rtl_function_at(design, function.id)->locals, var.id);
    return var;
}

weir_rtl_stmt weir_rtl_add_return(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr value) {
    weir_rtl_stmt none = {0};
    if (!block.id || !value.id) return none;
    uint32_t process = rtl_process_of(design, block.id);
    if (!process || design->stmt[process].kind != WEIR_RTL_STMT_FUNCTION || !rtl_in_process(design, block.id)) {
        rtl_error(design, design->location, "a return belongs in a function");
        return none;
    }
    const rtl_function *function = rtl_function_of(design, &design->stmt[process]);
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    bool is_constant = expr->kind == WEIR_RTL_EXPR_CONSTANT;
    if (expr->width != function->width || (expr->is_signed != function->is_signed && !is_constant)) {
        rtl_error(design, design->location, "function '%s' has %u %s bits and cannot return '%s', which has %u %s",
                  function->name, (unsigned)function->width, function->is_signed ? "signed" : "unsigned",
                  rtl_describe(design, value.id), (unsigned)expr->width, expr->is_signed ? "signed" : "unsigned");
        return none;
    }
    uint32_t fitted =
        function->is_signed ? weir_rtl_as_signed(design, value).id : weir_rtl_as_unsigned(design, value).id;
    uint32_t id = rtl_new_stmt(design, block.id, WEIR_RTL_STMT_RETURN);
    design->stmt[id].a = fitted;
    return (weir_rtl_stmt){id};
}

weir_rtl_expr weir_rtl_call(weir_rtl_design *design, weir_rtl_function function, size_t count,
                            const weir_rtl_expr *arguments) {
    weir_rtl_expr none = {0};
    if (!function.id) return none;
    const rtl_function *record = rtl_function_at(design, function.id);
    if (count != record->arguments.count) {
        rtl_error(design, design->location, "function '%s' takes %zu arguments, found %zu", record->name,
                  record->arguments.count, count);
        return none;
    }
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].id) return none;
        const rtl_var *var = &design->var[record->arguments.id[i]];
        const rtl_expr *expr = &design->expr[arguments[i].id];
        if (expr->width == var->width && expr->is_signed == var->is_signed) continue;
        rtl_error(design, design->location, "argument '%s' of function '%s' has %u %s bits, found '%s' with %u %s",
                  var->name, record->name, (unsigned)var->width, var->is_signed ? "signed" : "unsigned",
                  rtl_describe(design, arguments[i].id), (unsigned)expr->width,
                  expr->is_signed ? "signed" : "unsigned");
        return none;
    }
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_CALL,
                     .width = record->width,
                     .is_signed = record->is_signed,
                     .module = record->module,
                     .c = function.id};
    return rtl_add_list(design, expr, count, arguments);
}

/* ---- reading back ---- */

weir_rtl_function_info weir_rtl_get_function(const weir_rtl_design *design, weir_rtl_function function) {
    const rtl_function *record = rtl_function_at(design, function.id);
    return (weir_rtl_function_info){.name = record->name,
                                    .module = {record->module},
                                    .width = record->width,
                                    .is_signed = record->is_signed,
                                    .argument_count = record->arguments.count,
                                    .local_count = record->locals.count,
                                    .stmt = {record->stmt},
                                    .body = {design->stmt[record->stmt].body}};
}

weir_rtl_var weir_rtl_argument_at(const weir_rtl_design *design, weir_rtl_function function, size_t index) {
    assert(index < rtl_function_at(design, function.id)->arguments.count);
    return (weir_rtl_var){rtl_function_at(design, function.id)->arguments.id[index]};
}

weir_rtl_var weir_rtl_local_var_at(const weir_rtl_design *design, weir_rtl_function function, size_t index) {
    assert(index < rtl_function_at(design, function.id)->locals.count);
    return (weir_rtl_var){rtl_function_at(design, function.id)->locals.id[index]};
}

weir_rtl_function weir_rtl_find_function(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_name entry = rtl_names_find(design, module.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_function){entry.kind == RTL_NAME_FUNCTION ? entry.id : 0};
}

weir_rtl_var weir_rtl_find_local(const weir_rtl_design *design, weir_rtl_function function, const char *name) {
    rtl_name entry =
        rtl_names_find(design, RTL_FUNCTION_SCOPE | function.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_var){entry.kind == RTL_NAME_VAR ? entry.id : 0};
}
