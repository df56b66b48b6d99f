/* Instances: overrides and connections, kept by the index of the parameter or port in the instance's module. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"

static const weir_rtl_expr none = {0};

static weir_rtl_instance new_instance(weir_rtl_design *design, weir_rtl_module parent, weir_rtl_module module,
                                      const char *name, bool is_wired) {
    weir_rtl_instance failed = {0};
    if (!parent.id || !module.id) return failed;
    if (rtl_module_at(design, parent.id)->is_external) {
        rtl_error(design, design->location, "instance '%s' cannot be added to the external module '%s'", name,
                  rtl_module_at(design, parent.id)->name);
        return failed;
    }
    const char *own = rtl_new_name(design, parent.id, "instance", name);
    if (!own) return failed;
    uint32_t id = RTL_APPEND(design, instance);
    uint32_t stmt = rtl_new_stmt(design, rtl_module_at(design, parent.id)->body, WEIR_RTL_STMT_INSTANCE);
    design->stmt[stmt].a = id;
    rtl_instance *instance = &design->instance[id];
    instance->common = rtl_common_now(design);
    instance->name = own;
    instance->parent = parent.id;
    instance->module = module.id;
    instance->stmt = stmt;
    instance->is_wired = is_wired;
    rtl_ids_add(&rtl_module_at(design, parent.id)->instances, id);
    rtl_names_add(design, (rtl_name){RTL_NAME_INSTANCE, id});
    return (weir_rtl_instance){id};
}

weir_rtl_instance weir_rtl_add_instance(weir_rtl_design *design, weir_rtl_module parent, weir_rtl_module module,
                                        const char *name) {
    return new_instance(design, parent, module, name, false);
}

weir_rtl_instance weir_rtl_add_wired_instance(weir_rtl_design *design, weir_rtl_module parent, weir_rtl_module module,
                                              const char *name) {
    return new_instance(design, parent, module, name, true);
}

/* ---- parameters ---- */

static uint32_t find_parameter(weir_rtl_design *design, const rtl_instance *instance, const char *name) {
    const rtl_module *module = &design->module[instance->module];
    rtl_name entry = rtl_names_find(design, instance->module, weir_strings_intern(design->strings, name));
    if (entry.kind == RTL_NAME_PARAMETER) return entry.id;
    rtl_error(design, design->location, "module '%s' of instance '%s' has no parameter '%s'", module->name,
              instance->name, name);
    const char *nearest = rtl_nearest_parameter(design, instance->module, name);
    if (nearest) weir_note("did you mean '%s'?", nearest);
    return 0;
}

static bool named_too_late(weir_rtl_design *design, const rtl_instance *instance, const char *name) {
    rtl_error(
        design, design->location,
        "parameter '%s' of instance '%s' is set after a port of the instance was named, whose width it may decide",
        name, instance->name);
    return false;
}

/* Ports of library modules have ranges: what is set after one was named must leave their widths as they were. Takes the
 * value back where it does not. */
static void keep_widths(weir_rtl_design *design, uint32_t id, rtl_value *slot, rtl_value value, const char *name) {
    assert(id < design->instance_count);
    const rtl_ids *ports = &design->module[design->instance[id].module].ports;
    const rtl_value before = *slot;
    bool fine = true;
    for (size_t i = 0; fine && i < ports->count; i++) {
        rtl_size old, now;
        if (!design->var[ports->id[i]].range) continue;
        *slot = before;
        fine = rtl_port_size(design, id, ports->id[i], &old);
        *slot = value;
        fine = fine && rtl_port_size(design, id, ports->id[i], &now) &&
               (rtl_same_size(design, old, now) || named_too_late(design, &design->instance[id], name));
    }
    *slot = fine ? value : before;
}

static void override(weir_rtl_design *design, uint32_t id, const char *name, rtl_value value) {
    assert(id < design->instance_count);
    rtl_instance *instance = &design->instance[id];
    uint32_t found = find_parameter(design, instance, name);
    if (!found) return;
    const rtl_parameter *parameter = &design->parameter[found];
    const char *module = design->module[instance->module].name;
    if (parameter->is_local) {
        rtl_error(design, design->location, "parameter '%s' of module '%s' is local and cannot be set by instance '%s'",
                  name, module, instance->name);
        return;
    }
    bool is_string = parameter->value.kind == RTL_VALUE_STRING;
    if (instance->is_named && design->module[instance->module].is_parametrised) {
        named_too_late(design, instance, name);
        return;
    }
    if (is_string != (value.kind == RTL_VALUE_STRING) && value.kind != RTL_VALUE_EXPR &&
        value.kind != RTL_VALUE_FORMULA) {
        rtl_error(design, design->location, "parameter '%s' of instance '%s' (module '%s') is %s, found %s", name,
                  instance->name, module, is_string ? "a string" : "a number", is_string ? "a number" : "a string");
        return;
    }
    if (parameter->slot >= instance->override_count) {
        uint32_t count = design->module[instance->module].parameter_slots;
        rtl_value *bigger = weir_arena_array(design->arena, count, sizeof *bigger);
        if (instance->override_count) memcpy(bigger, instance->override, instance->override_count * sizeof *bigger);
        instance->override = bigger;
        instance->override_count = count;
    }
    if (instance->override[parameter->slot].kind != RTL_VALUE_NONE) {
        rtl_error(design, design->location, "parameter '%s' of instance '%s' is set twice", name, instance->name);
        return;
    }
    if (instance->is_named) keep_widths(design, id, &instance->override[parameter->slot], value, name);
    else instance->override[parameter->slot] = value;
}

void weir_rtl_set_parameter(weir_rtl_design *design, weir_rtl_instance instance, const char *name, int64_t value) {
    rtl_value integer = {.kind = RTL_VALUE_INTEGER, .integer = value};
    if (instance.id) override(design, instance.id, name, integer);
}

void weir_rtl_set_parameter_by(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                               weir_rtl_formula value) {
    if (!instance.id || !value.id) return;
    const uint32_t parent = rtl_instance_at(design, instance.id)->parent;
    const uint32_t module = rtl_formula_module(design, value.id);
    rtl_value formula = {.kind = RTL_VALUE_FORMULA, .formula = value.id};
    int64_t number;
    if (module && module != parent) {
        rtl_error(design, design->location,
                  "parameter '%s' of instance '%s' depends on parameters of module '%s', not '%s'", name,
                  rtl_instance_at(design, instance.id)->name, design->module[module].name, design->module[parent].name);
        return;
    }
    const rtl_formula *f = rtl_formula_at(design, value.id);
    const bool is_alias = f->kind == RTL_FORMULA_PARAMETER &&
                          !design->module[rtl_instance_at(design, instance.id)->module].is_parametrised;
    if (is_alias)
        formula =
            (rtl_value){.kind = RTL_VALUE_EXPR, .expr = weir_rtl_read_parameter(design, (weir_rtl_parameter){f->a}).id};
    else if (rtl_formula_number(design, value.id, &number))
        formula = (rtl_value){.kind = RTL_VALUE_INTEGER, .integer = number};
    else design->module[parent].is_parametrised = true;
    override(design, instance.id, name, formula);
}

void weir_rtl_set_parameter_string(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                                   const char *value) {
    rtl_value text = {.kind = RTL_VALUE_STRING, .text = weir_strings_intern(design->strings, value)};
    if (instance.id) override(design, instance.id, name, text);
}

void weir_rtl_set_parameter_expr(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                                 weir_rtl_expr value) {
    if (!instance.id || !value.id) return;
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    rtl_value constant = {.kind = RTL_VALUE_EXPR, .expr = value.id};
    bool own = expr->kind == WEIR_RTL_EXPR_PARAMETER && expr->module == rtl_instance_at(design, instance.id)->parent;
    if (own && design->module[rtl_instance_at(design, instance.id)->module].is_parametrised)
        weir_rtl_set_parameter_by(design, instance, name, (weir_rtl_formula){rtl_of_parameter(design, expr->a)});
    else if (own || (expr->kind == WEIR_RTL_EXPR_CONSTANT && !expr->formula))
        override(design, instance.id, name, constant);
    else
        rtl_error(design, design->location,
                  "parameter '%s' of instance '%s': expected a constant or a parameter of module '%s', found '%s'",
                  name, rtl_instance_at(design, instance.id)->name,
                  design->module[rtl_instance_at(design, instance.id)->parent].name, rtl_describe(design, value.id));
}

/* ---- ports ---- */

uint32_t rtl_find_port(weir_rtl_design *design, uint32_t id, const char *name) {
    assert(id < design->instance_count);
    const rtl_instance *instance = &design->instance[id];
    rtl_name entry = rtl_names_find(design, instance->module, weir_strings_intern(design->strings, name));
    if (entry.kind == RTL_NAME_VAR && rtl_var_at(design, entry.id)->direction != WEIR_RTL_INTERNAL) return entry.id;
    rtl_error(design, design->location, "module '%s' of instance '%s' has no port '%s'",
              design->module[instance->module].name, instance->name, name);
    const char *nearest = rtl_nearest_port(design, instance->module, name);
    if (nearest) weir_note("did you mean '%s'?", nearest);
    return 0;
}

static void set_connection(weir_rtl_design *design, rtl_instance *instance, const rtl_var *port, uint32_t value) {
    assert(port->direction != WEIR_RTL_INTERNAL);
    if (port->slot >= instance->connection_count) {
        uint32_t count = design->module[instance->module].port_slots;
        uint32_t *bigger = weir_arena_array(design->arena, count, sizeof *bigger);
        if (instance->connection_count)
            memcpy(bigger, instance->connection, instance->connection_count * sizeof *bigger);
        instance->connection = bigger;
        instance->connection_count = count;
    }
    if (instance->connection[port->slot])
        rtl_error(design, design->location, "port '%s' of instance '%s' is connected twice", port->name,
                  instance->name);
    else instance->connection[port->slot] = value;
}

static const char *const kind_names[] = {"data", "clock", "reset", "asynchronous reset", "clock enable"};

static bool kind_fits(const rtl_expr *expr, const rtl_var *port) {
    bool is_special =
        port->kind == WEIR_RTL_CLOCK || port->kind == WEIR_RTL_RESET || port->kind == WEIR_RTL_ASYNC_RESET;
    return port->direction != WEIR_RTL_INPUT || !is_special || expr->carries == port->kind ||
           expr->kind == WEIR_RTL_EXPR_CONSTANT;
}

void weir_rtl_connect(weir_rtl_design *design, weir_rtl_instance instance, const char *port, weir_rtl_expr value) {
    if (!instance.id || !value.id) return;
    rtl_instance *record = rtl_instance_at(design, instance.id);
    uint32_t id = rtl_find_port(design, instance.id, port);
    if (!id) return;
    const rtl_var *var = &design->var[id];
    const rtl_expr *expr = rtl_expr_at(design, value.id);
    if (expr->module && expr->module != record->parent)
        rtl_error(design, design->location, "port '%s' of instance '%s' in module '%s': '%s' belongs to module '%s'",
                  port, record->name, design->module[record->parent].name, rtl_describe(design, value.id),
                  design->module[expr->module].name);
    else if (var->direction == WEIR_RTL_INOUT && !weir_rtl_is_target(design, value))
        rtl_error(
            design, design->location,
            "inout '%s' of instance '%s' cannot be connected to '%s': connect a wire, and assign it what is to be "
            "on it",
            port, record->name, rtl_describe(design, value.id));
    else if (var->direction != WEIR_RTL_INPUT && !weir_rtl_is_target(design, value))
        rtl_error(design, design->location, "output '%s' of instance '%s' cannot drive '%s'", port, record->name,
                  rtl_describe(design, value.id));
    else if (!kind_fits(expr, var))
        rtl_error(design, design->location, "port '%s' of instance '%s' is a %s, found '%s', which is %s", port,
                  record->name, kind_names[var->kind], rtl_describe(design, value.id), kind_names[expr->carries]);
    else set_connection(design, record, var, value.id);
}

void weir_rtl_leave_open(weir_rtl_design *design, weir_rtl_instance instance, const char *port) {
    if (!instance.id) return;
    rtl_instance *record = rtl_instance_at(design, instance.id);
    uint32_t id = rtl_find_port(design, instance.id, port);
    if (!id) return;
    if (design->var[id].direction == WEIR_RTL_INPUT)
        rtl_error(design, design->location, "input '%s' of instance '%s' cannot be left open", port, record->name);
    else set_connection(design, record, &design->var[id], RTL_OPEN);
}

uint32_t rtl_range_formula(weir_rtl_design *design, uint32_t range) {
    assert(range < design->range_count);
    const uint32_t high = rtl_normalize(design, design->range[range].high);
    const uint32_t low = rtl_normalize(design, design->range[range].low);
    if (!high || !low) return 0;
    const rtl_size above = rtl_size_apply(design, WEIR_RTL_ADD, rtl_size_of(design, high), (rtl_size){.number = 1});
    const rtl_size width = rtl_size_apply(design, WEIR_RTL_SUBTRACT, above, rtl_size_of(design, low));
    return width.formula ? width.formula : rtl_number(design, width.number);
}

/* Of what the parent's parameters decide; only then the formula is looked at. */
static bool depends_on_parent(const weir_rtl_design *design, const rtl_instance *instance) {
    for (uint32_t i = 0; i < instance->override_count; i++) {
        const rtl_value *value = &instance->override[i];
        if (value->kind == RTL_VALUE_FORMULA) return true;
        if (value->kind == RTL_VALUE_EXPR && design->expr[value->expr].kind == WEIR_RTL_EXPR_PARAMETER) return true;
    }
    return false;
}

bool rtl_port_size(weir_rtl_design *design, uint32_t id, uint32_t port, rtl_size *size) {
    assert(id < design->instance_count);
    assert(port < design->var_count);
    const uint32_t range = design->var[port].range;
    *size = (rtl_size){.number = design->var[port].width};
    if (range && !depends_on_parent(design, &design->instance[id])) {
        size->number = weir_rtl_port_width(design, (weir_rtl_instance){id}, design->var[port].name);
        return size->number > 0;
    }
    const uint32_t formula = range ? rtl_range_formula(design, range) : design->var[port].formula;
    if (!formula) return size->number > 0;
    rtl_substitution s = rtl_substitution_of(design, id);
    const uint32_t result = rtl_substitute(&s, formula);
    rtl_substitution_end(&s);
    *size = rtl_size_of(design, result);
    if (design->formula[result].has_number && size->number >= 1 && size->number <= WEIR_RTL_MAX_WIDTH) return true;
    rtl_error(design, design->location, "port '%s' of instance '%s' (module '%s') has no width: expected 1 to %d bits",
              design->var[port].name, design->instance[id].name, design->module[design->instance[id].module].name,
              WEIR_RTL_MAX_WIDTH);
    return false;
}

uint32_t weir_rtl_port_width(weir_rtl_design *design, weir_rtl_instance instance, const char *port) {
    if (!instance.id) return 0;
    uint32_t id = rtl_find_port(design, instance.id, port);
    if (!id) return 0;
    if (!design->var[id].range) {
        rtl_size size;
        return rtl_port_size(design, instance.id, id, &size) ? (uint32_t)size.number : 0;
    }
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    const char *problem = NULL;
    rtl_value *parameters = rtl_evaluate_parameters(design, record->module, record);
    uint32_t width = rtl_port_width(design, id, parameters, &problem);
    free(parameters);
    if (problem)
        rtl_error(design, design->location, "port '%s' of instance '%s' (module '%s') has no width: %s", port,
                  record->name, design->module[record->module].name, problem);
    return width;
}

bool weir_rtl_parameter_value(weir_rtl_design *design, weir_rtl_instance instance, const char *name, int64_t *value) {
    if (!instance.id) return false;
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    uint32_t id = find_parameter(design, record, name);
    if (!id) return false;
    rtl_value *parameters = rtl_evaluate_parameters(design, record->module, record);
    rtl_value result = parameters[design->parameter[id].slot];
    free(parameters);
    if (result.kind != RTL_VALUE_INTEGER) {
        rtl_error(design, design->location, "parameter '%s' of instance '%s' has no integer value", name, record->name);
        return false;
    }
    *value = result.integer;
    return true;
}

weir_rtl_instance_info weir_rtl_get_instance(const weir_rtl_design *design, weir_rtl_instance instance) {
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    return (weir_rtl_instance_info){.name = record->name,
                                    .parent = {record->parent},
                                    .module = {record->module},
                                    .stmt = {record->stmt},
                                    .is_wired = record->is_wired};
}

weir_rtl_instance weir_rtl_find_instance(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_name entry = rtl_names_find(design, module.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_instance){entry.kind == RTL_NAME_INSTANCE ? entry.id : 0};
}

weir_rtl_connection weir_rtl_connection_of(const weir_rtl_design *design, weir_rtl_instance instance,
                                           weir_rtl_var port) {
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    uint32_t slot = rtl_var_at(design, port.id)->slot;
    uint32_t id = slot < record->connection_count ? record->connection[slot] : 0;
    return (weir_rtl_connection){.value = {id == RTL_OPEN ? 0 : id}, .is_open = id == RTL_OPEN};
}

weir_rtl_expr weir_rtl_connection_at(const weir_rtl_design *design, weir_rtl_instance instance, size_t port) {
    assert(port < rtl_module_at(design, rtl_instance_at(design, instance.id)->module)->ports.count);
    weir_rtl_var var = {design->module[rtl_instance_at(design, instance.id)->module].ports.id[port]};
    return weir_rtl_connection_of(design, instance, var).value;
}

weir_rtl_override weir_rtl_override_of(const weir_rtl_design *design, weir_rtl_instance instance,
                                       weir_rtl_parameter parameter) {
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    uint32_t slot = rtl_parameter_at(design, parameter.id)->slot;
    weir_rtl_override result = {0};
    if (slot >= record->override_count || record->override[slot].kind == RTL_VALUE_NONE) return result;
    const rtl_value *value = &record->override[slot];
    result.is_set = true;
    result.integer = value->integer;
    result.text = value->text;
    result.value.id = value->expr;
    result.formula.id = value->formula;
    return result;
}

weir_rtl_expr weir_rtl_port_of(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port) {
    if (!instance.id || !port.id) return none;
    const rtl_instance *record = rtl_instance_at(design, instance.id);
    const rtl_var *var = rtl_var_at(design, port.id);
    if (var->module != record->module || var->direction == WEIR_RTL_INTERNAL) {
        rtl_error(design, design->location, "'%s' is not a port of module '%s' of instance '%s'", var->name,
                  design->module[record->module].name, record->name);
        return none;
    }
    rtl_size size;
    if (!rtl_port_size(design, instance.id, port.id, &size)) return none;
    record = rtl_instance_at(design, instance.id);
    var = rtl_var_at(design, port.id);
    rtl_instance_at(design, instance.id)->is_named = true;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_PORT,
                     .width = (uint32_t)size.number,
                     .formula = size.formula,
                     .is_signed = var->is_signed,
                     .carries = var->kind,
                     .module = record->parent,
                     .a = instance.id,
                     .b = port.id};
    return rtl_add_expr(design, expr, 0, 0, 0);
}

weir_rtl_expr weir_rtl_read_port(weir_rtl_design *design, weir_rtl_instance instance, const char *port) {
    if (!instance.id) return none;
    return weir_rtl_port_of(design, instance, (weir_rtl_var){rtl_find_port(design, instance.id, port)});
}
