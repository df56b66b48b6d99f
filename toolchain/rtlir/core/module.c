/* Modules with their ports, variables and parameters. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"

/* ---- modules under their names ---- */

void rtl_file_module(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    rtl_module *record = &design->module[module];
    rtl_name first = rtl_names_find(design, 0, record->name);
    record->same_next = record->same_previous = module;
    if (!first.id) {
        rtl_names_add(design, (rtl_name){RTL_NAME_MODULE, module});
        return;
    }
    rtl_module *head = rtl_module_at(design, first.id);
    record->same_next = first.id;
    record->same_previous = head->same_previous;
    design->module[head->same_previous].same_next = module;
    head->same_previous = module;
}

void rtl_unfile_module(weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    const rtl_module *record = &design->module[module];
    uint32_t next = record->same_next;
    bool is_first = rtl_names_find(design, 0, record->name).id == module;
    if (is_first) rtl_names_remove(design, (rtl_name){RTL_NAME_MODULE, module});
    if (next == module) return;
    design->module[record->same_previous].same_next = next;
    design->module[next].same_previous = record->same_previous;
    if (is_first) rtl_names_add(design, (rtl_name){RTL_NAME_MODULE, next});
}

static weir_rtl_module new_module(weir_rtl_design *design, const char *own) {
    weir_rtl_module none = {0};
    if (!own) return none;
    uint32_t id = RTL_APPEND(design, module);
    uint32_t body = rtl_new_block(design, id, 0);
    rtl_module *module = &design->module[id];
    module->common = rtl_common_now(design);
    module->name = own;
    module->body = body;
    rtl_file_module(design, id);
    return (weir_rtl_module){id};
}

weir_rtl_module weir_rtl_add_module(weir_rtl_design *design, const char *name) {
    return new_module(design, rtl_new_name(design, 0, "module", name));
}

weir_rtl_module weir_rtl_add_generator(weir_rtl_design *design, const char *name) {
    return new_module(design, rtl_legal_name(design, 0, "module", name));
}

weir_rtl_module weir_rtl_find_module(const weir_rtl_design *design, const char *name) {
    return (weir_rtl_module){rtl_names_find(design, 0, weir_strings_intern(design->strings, name)).id};
}

weir_rtl_module weir_rtl_next_namesake(const weir_rtl_design *design, weir_rtl_module module) {
    uint32_t next = rtl_module_at(design, module.id)->same_next;
    bool is_last = rtl_names_find(design, 0, rtl_module_at(design, module.id)->name).id == next;
    return (weir_rtl_module){is_last ? 0 : next};
}

size_t weir_rtl_module_count(const weir_rtl_design *design) {
    return design->module_count - 1 - design->removed_modules;
}

weir_rtl_module weir_rtl_next_module(const weir_rtl_design *design, weir_rtl_module module) {
    uint32_t id = module.id + 1;
    while (id < design->module_count && design->module[id].is_removed) id++;
    return (weir_rtl_module){id < design->module_count ? id : 0};
}

weir_rtl_module weir_rtl_first_module(const weir_rtl_design *design) {
    return weir_rtl_next_module(design, (weir_rtl_module){0});
}

void weir_rtl_set_stub(weir_rtl_design *design, weir_rtl_module module, bool is_stub) {
    if (module.id) rtl_module_at(design, module.id)->is_stub = is_stub;
}

void weir_rtl_set_external(weir_rtl_design *design, weir_rtl_module module) {
    if (module.id) rtl_module_at(design, module.id)->is_external = true;
}

/* ---- ports and variables ---- */

/* Identifiers joined by dots, or NULL after a reported error. */
static const char *rtl_path_name(weir_rtl_design *design, const char *path) {
    bool fine = true;
    for (const char *part = path; fine && part != NULL;) {
        const char *dot = strchr(part, '.');
        char *name = weir_format("%.*s", dot == NULL ? (int)strlen(part) : (int)(dot - part), part);
        fine = weir_rtl_name_is_legal(name);
        free(name);
        part = dot == NULL ? NULL : dot + 1;
    }
    if (fine) return weir_strings_intern(design->strings, path);
    rtl_error(design, design->location, "'%s' is not a hierarchical name", path);
    return NULL;
}

/* The module whose parameters the type depends on, 0: none. */
static uint32_t module_of_type(const weir_rtl_design *design, uint32_t type) {
    assert(type < design->type_count);
    uint32_t module = 0;
    for (; !module && design->type[type].kind >= WEIR_RTL_TYPE_ARRAY; type = design->type[type].element.type.id) {
        module = rtl_formula_module(design, design->type[type].formula);
        if (!module) module = rtl_formula_module(design, design->type[type].count_formula);
    }
    return module;
}

/* Widths depend on parameters of their own module only; then that is a parametrised one. */
static bool takes_formula(weir_rtl_design *design, uint32_t module, const rtl_var *model) {
    assert(module < design->module_count);
    uint32_t own = rtl_formula_module(design, model->formula);
    if (!own) own = module_of_type(design, model->type);
    if (own == module) design->module[module].is_parametrised = true;
    if (!own || own == module) return true;
    rtl_error(design, design->location, "the width of '%s' in module '%s' depends on parameters of module '%s'",
              model->name, design->module[module].name, design->module[own].name);
    return false;
}

uint32_t rtl_new_var(weir_rtl_design *design, uint32_t module, const rtl_var *model) {
    assert(module < design->module_count);
    if (!takes_formula(design, module, model)) return 0;
    const char *what = model->direction == WEIR_RTL_INTERNAL ? "variable" : "port";
    const char *name =
        model->is_path ? rtl_path_name(design, model->name) : rtl_new_name(design, module, what, model->name);
    if (!name) return 0;
    uint32_t id = RTL_APPEND(design, var);
    rtl_var *var = &design->var[id];
    *var = *model;
    var->common = rtl_common_now(design);
    var->name = name;
    var->module = module;
    rtl_module *owner = &design->module[module];
    var->previous = owner->last_var;
    if (owner->last_var) design->var[owner->last_var].next = id;
    else owner->first_var = id;
    owner->last_var = id;
    owner->var_count++;
    if (var->direction != WEIR_RTL_INTERNAL) {
        var->port = (uint32_t)owner->ports.count;
        var->slot = owner->port_slots++;
        rtl_ids_add(&owner->ports, id);
    }
    if (!model->is_path) rtl_names_add(design, (rtl_name){RTL_NAME_VAR, id});
    return id;
}

weir_rtl_var rtl_add_var(weir_rtl_design *design, weir_rtl_module module, const rtl_var *model) {
    weir_rtl_var none = {0};
    if (!module.id) return none;
    if (model->width < 1 || model->width > WEIR_RTL_MAX_WIDTH) {
        rtl_error(design, design->location, "'%s' in '%s' has %u bits, expected 1 to %d", model->name,
                  rtl_module_at(design, module.id)->name, (unsigned)model->width, WEIR_RTL_MAX_WIDTH);
        return none;
    }
    if (model->kind != WEIR_RTL_DATA && model->width != 1) {
        rtl_error(design, design->location, "'%s' in '%s' is a clock, reset or enable and has %u bits, expected 1",
                  model->name, rtl_module_at(design, module.id)->name, (unsigned)model->width);
        return none;
    }
    return (weir_rtl_var){rtl_new_var(design, module.id, model)};
}

weir_rtl_var weir_rtl_add_port(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                               weir_rtl_direction direction, weir_rtl_kind kind, bool is_signed) {
    rtl_var model = {.name = name, .width = width, .direction = direction, .kind = kind, .is_signed = is_signed};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_input(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width) {
    rtl_var model = {.name = name, .width = width, .direction = WEIR_RTL_INPUT};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_output(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width) {
    rtl_var model = {.name = name, .width = width, .direction = WEIR_RTL_OUTPUT};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_clock(weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_var model = {.name = name, .width = 1, .direction = WEIR_RTL_INPUT, .kind = WEIR_RTL_CLOCK};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_reset(weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_var model = {.name = name, .width = 1, .direction = WEIR_RTL_INPUT, .kind = WEIR_RTL_RESET};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_wire(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width) {
    rtl_var model = {.name = name, .width = width};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_wire_signed(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                      uint32_t width) {
    rtl_var model = {.name = name, .width = width, .is_signed = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_wire_of(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                  weir_rtl_kind kind) {
    rtl_var model = {.name = name, .width = 1, .kind = kind};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_register(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                                   bool is_signed) {
    rtl_var model = {.name = name, .width = width, .is_signed = is_signed, .is_register = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_variable(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                                   bool is_signed) {
    rtl_var model = {.name = name, .width = width, .is_signed = is_signed, .is_undecided = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_variable_like(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                        weir_rtl_expr like) {
    if (!like.id) return (weir_rtl_var){0};
    const rtl_expr *expr = rtl_expr_at(design, like.id);
    rtl_var model = {.name = name,
                     .width = expr->width,
                     .formula = expr->formula,
                     .kind = expr->carries,
                     .is_signed = expr->is_signed,
                     .type = rtl_type_of(design, like.id),
                     .is_undecided = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_iterator(weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_var model = {.name = name, .width = 32, .is_signed = true, .is_iterator = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_add_path(weir_rtl_design *design, weir_rtl_module module, const char *path, uint32_t width) {
    rtl_var model = {.name = path, .width = width, .is_path = true};
    return rtl_add_var(design, module, &model);
}

weir_rtl_var weir_rtl_find_var(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_name entry = rtl_names_find(design, module.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_var){entry.kind == RTL_NAME_VAR ? entry.id : 0};
}

/* ---- parameters ---- */

uint32_t rtl_new_parameter(weir_rtl_design *design, uint32_t module, const char *name, uint32_t formula,
                           bool is_local) {
    assert(module > 0 && module < design->module_count);
    const char *own = rtl_new_name(design, module, "parameter", name);
    if (!own) return 0;
    uint32_t id = RTL_APPEND(design, parameter);
    rtl_parameter *parameter = &design->parameter[id];
    parameter->common = rtl_common_now(design);
    parameter->name = own;
    parameter->module = module;
    parameter->formula = formula;
    parameter->is_local = is_local;
    parameter->slot = design->module[module].parameter_slots++;
    rtl_ids_add(&design->module[module].parameters, id);
    rtl_names_add(design, (rtl_name){RTL_NAME_PARAMETER, id});
    rtl_set_default(design, id);
    return id;
}

static weir_rtl_parameter add_parameter(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                        rtl_value value, bool is_local) {
    if (!module.id) return (weir_rtl_parameter){0};
    return (weir_rtl_parameter){rtl_new_parameter(design, module.id, name, rtl_formula_value(design, value), is_local)};
}

static rtl_value integer_value(int64_t integer) {
    rtl_value value = {.kind = RTL_VALUE_INTEGER, .integer = integer};
    return value;
}

static rtl_value string_value(weir_rtl_design *design, const char *text) {
    rtl_value value = {.kind = RTL_VALUE_STRING, .text = weir_strings_intern(design->strings, text)};
    return value;
}

weir_rtl_parameter weir_rtl_add_parameter(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                          int64_t value) {
    return add_parameter(design, module, name, integer_value(value), false);
}

weir_rtl_parameter weir_rtl_add_parameter_string(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                                 const char *value) {
    return add_parameter(design, module, name, string_value(design, value), false);
}

weir_rtl_parameter weir_rtl_add_local(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                      int64_t value) {
    return add_parameter(design, module, name, integer_value(value), true);
}

weir_rtl_parameter weir_rtl_add_local_string(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                             const char *value) {
    return add_parameter(design, module, name, string_value(design, value), true);
}

/* ---- reading back ---- */

weir_rtl_module_info weir_rtl_get_module(const weir_rtl_design *design, weir_rtl_module module) {
    const rtl_module *record = rtl_module_at(design, module.id);
    return (weir_rtl_module_info){.name = record->name,
                                  .path = record->path,
                                  .text = record->text,
                                  .text_size = record->text_size,
                                  .is_external = record->is_external,
                                  .is_stub = record->is_stub,
                                  .port_count = record->ports.count,
                                  .var_count = record->var_count,
                                  .parameter_count = record->parameters.count,
                                  .instance_count = record->instances.count,
                                  .condition_count = record->condition_count,
                                  .inner_count = record->inner_count,
                                  .body = {record->body}};
}

const char *weir_rtl_condition_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    const rtl_module *record = rtl_module_at(design, module.id);
    assert(index < record->condition_count);
    return design->condition[record->first_condition + index].name;
}

const char *weir_rtl_inner_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    const rtl_module *record = rtl_module_at(design, module.id);
    assert(index < record->inner_count);
    return design->inner[record->first_inner + index].module;
}

weir_rtl_var weir_rtl_port_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    assert(index < rtl_module_at(design, module.id)->ports.count);
    return (weir_rtl_var){rtl_module_at(design, module.id)->ports.id[index]};
}

weir_rtl_var weir_rtl_first_var(const weir_rtl_design *design, weir_rtl_module module) {
    return (weir_rtl_var){rtl_module_at(design, module.id)->first_var};
}

weir_rtl_var weir_rtl_next_var(const weir_rtl_design *design, weir_rtl_var var) {
    return (weir_rtl_var){rtl_var_at(design, var.id)->next};
}

weir_rtl_parameter weir_rtl_parameter_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    assert(index < rtl_module_at(design, module.id)->parameters.count);
    return (weir_rtl_parameter){rtl_module_at(design, module.id)->parameters.id[index]};
}

weir_rtl_instance weir_rtl_instance_at(const weir_rtl_design *design, weir_rtl_module module, size_t index) {
    assert(index < rtl_module_at(design, module.id)->instances.count);
    return (weir_rtl_instance){rtl_module_at(design, module.id)->instances.id[index]};
}

weir_rtl_var_info weir_rtl_get_var(const weir_rtl_design *design, weir_rtl_var var) {
    const rtl_var *record = rtl_var_at(design, var.id);
    return (weir_rtl_var_info){.name = record->name,
                               .module = {record->module},
                               .width = record->width,
                               .formula = {record->formula},
                               .port = record->port,
                               .direction = record->direction,
                               .kind = record->kind,
                               .is_signed = record->is_signed,
                               .is_register = record->is_register,
                               .is_undecided = record->is_undecided,
                               .is_path = record->is_path,
                               .is_iterator = record->is_iterator,
                               .type = {record->type},
                               .function = {record->function}};
}

weir_rtl_parameter weir_rtl_find_parameter(const weir_rtl_design *design, weir_rtl_module module, const char *name) {
    rtl_name entry = rtl_names_find(design, module.id, weir_strings_intern(design->strings, name));
    return (weir_rtl_parameter){entry.kind == RTL_NAME_PARAMETER ? entry.id : 0};
}

weir_rtl_parameter_info weir_rtl_get_parameter(const weir_rtl_design *design, weir_rtl_parameter parameter) {
    const rtl_parameter *record = rtl_parameter_at(design, parameter.id);
    const rtl_formula *formula = &design->formula[record->formula];
    bool is_value = formula->kind == RTL_FORMULA_VALUE;
    weir_rtl_parameter_info info = {.name = record->name,
                                    .module = {record->module},
                                    .is_local = record->is_local,
                                    .has_integer = is_value && formula->value.kind == RTL_VALUE_INTEGER,
                                    .integer = is_value ? formula->value.integer : 0,
                                    .text = is_value ? formula->value.text : NULL,
                                    .is_bounded = record->is_bounded,
                                    .low = record->low,
                                    .high = record->high,
                                    .formula = {is_value ? 0 : record->formula}};
    return info;
}

weir_rtl_var weir_rtl_add_typed(weir_rtl_design *design, weir_rtl_module module, const char *name, weir_rtl_type type,
                                weir_rtl_direction direction) {
    weir_rtl_shape shape = {.type = type};
    if (!module.id || !type.id || !rtl_complete_shape(design, name, &shape)) return (weir_rtl_var){0};
    bool is_port = direction != WEIR_RTL_INTERNAL;
    if (is_port && rtl_type_at(design, type.id)->kind == WEIR_RTL_TYPE_MEMORY) {
        rtl_error(design, design->location, "port '%s' cannot be a memory", name);
        return (weir_rtl_var){0};
    }
    rtl_var model = {.name = name,
                     .width = shape.width,
                     .formula = shape.formula.id,
                     .type = type.id,
                     .direction = direction,
                     .is_undecided = !is_port};
    return (weir_rtl_var){rtl_new_var(design, module.id, &model)};
}
