/* Builder calls with formulas in place of numbers. */
#include "rtlir/core/formula.h"
#include "rtlir/core/private.h"
#include "rtlir/core/visitor.h"

#include <stdlib.h>

static const weir_rtl_expr none = {0};

/* ---- formulas ---- */

weir_rtl_formula weir_rtl_formula_number(weir_rtl_design *design, int64_t value) {
    return (weir_rtl_formula){rtl_number(design, value)};
}

weir_rtl_formula weir_rtl_formula_of(weir_rtl_design *design, weir_rtl_parameter parameter) {
    return (weir_rtl_formula){parameter.id ? rtl_of_parameter(design, parameter.id) : 0};
}

static weir_rtl_formula apply(weir_rtl_design *design, rtl_formula f) {
    const uint32_t operand[3] = {f.a, f.b, f.c};
    uint32_t module = 0;
    for (int i = 0; i < 3 && operand[i]; i++) {
        const uint32_t own = rtl_formula_module(design, operand[i]);
        if (own && module && own != module) {
            rtl_error(design, design->location, "a formula has parameters of the modules '%s' and '%s'",
                      design->module[module].name, design->module[own].name);
            return (weir_rtl_formula){0};
        }
        module = own ? own : module;
    }
    return (weir_rtl_formula){rtl_normalize(design, rtl_formula_apply(design, f))};
}

weir_rtl_formula weir_rtl_formula_apply(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_formula a,
                                        weir_rtl_formula b) {
    const bool is_binary = rtl_operators[op].operands == 2;
    if (!a.id || (is_binary && !b.id)) return (weir_rtl_formula){0};
    return apply(design, (rtl_formula){.kind = is_binary ? RTL_FORMULA_BINARY : RTL_FORMULA_UNARY,
                                       .op = op,
                                       .a = a.id,
                                       .b = is_binary ? b.id : 0});
}

weir_rtl_formula weir_rtl_formula_clog2(weir_rtl_design *design, weir_rtl_formula value) {
    return value.id ? apply(design, (rtl_formula){.kind = RTL_FORMULA_CLOG2, .a = value.id}) : value;
}

weir_rtl_formula weir_rtl_formula_choose(weir_rtl_design *design, weir_rtl_formula condition, weir_rtl_formula yes,
                                         weir_rtl_formula no) {
    if (!condition.id || !yes.id || !no.id) return (weir_rtl_formula){0};
    return apply(design, (rtl_formula){.kind = RTL_FORMULA_CONDITIONAL, .a = condition.id, .b = yes.id, .c = no.id});
}

bool weir_rtl_formula_value(const weir_rtl_design *design, weir_rtl_formula formula, int64_t *value) {
    *value = rtl_formula_at(design, formula.id)->number;
    return formula.id && rtl_formula_at(design, formula.id)->has_number;
}

bool weir_rtl_same_formula(weir_rtl_design *design, weir_rtl_formula a, weir_rtl_formula b) {
    return rtl_same_formula(design, a.id, b.id);
}

/* A formula's size; false after a reported error: it has no number by default. */
static bool size_of(weir_rtl_design *design, weir_rtl_formula formula, rtl_size *size) {
    if (!formula.id) return false;
    *size = rtl_size_of(design, formula.id);
    if (rtl_formula_at(design, formula.id)->has_number) return true;
    rtl_error(design, design->location, "a formula has no value of 32 bits with the default parameters");
    return false;
}

/* ---- parameters ---- */

bool rtl_bound_parameter(weir_rtl_design *design, uint32_t parameter, int64_t low, int64_t high) {
    assert(parameter < design->parameter_count);
    rtl_parameter *record = &design->parameter[parameter];
    const int64_t value = record->value.integer;
    if (record->value.kind != RTL_VALUE_INTEGER || value < low || value > high || low < INT32_MIN || high > INT32_MAX) {
        rtl_error(design, design->location, "parameter '%s' is %lld by default, expected %lld to %lld", record->name,
                  (long long)value, (long long)low, (long long)high);
        return false;
    }
    record->is_bounded = true;
    record->low = low;
    record->high = high;
    return true;
}

weir_rtl_parameter weir_rtl_add_parameter_between(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                                  int64_t value, int64_t low, int64_t high) {
    weir_rtl_parameter parameter = weir_rtl_add_parameter(design, module, name, value);
    if (parameter.id && !rtl_bound_parameter(design, parameter.id, low, high)) parameter.id = 0;
    return parameter;
}

weir_rtl_parameter weir_rtl_add_local_formula(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                              weir_rtl_formula value) {
    rtl_size size;
    weir_rtl_parameter parameter = {0};
    if (!module.id || !size_of(design, value, &size)) return parameter;
    const uint32_t own = rtl_formula_module(design, value.id);
    if (own && own != module.id) {
        rtl_error(design, design->location, "parameter '%s' of module '%s' depends on parameters of module '%s'", name,
                  rtl_module_at(design, module.id)->name, design->module[own].name);
        return parameter;
    }
    parameter.id = rtl_new_parameter(design, module.id, name, value.id, true);
    return parameter;
}

/* ---- variables ---- */

weir_rtl_var weir_rtl_add_var_by(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                 weir_rtl_formula width, weir_rtl_direction direction, bool is_signed) {
    rtl_size size;
    if (!size_of(design, width, &size)) return (weir_rtl_var){0};
    const bool fits = size.number >= 1 && size.number <= WEIR_RTL_MAX_WIDTH;
    rtl_var model = {.name = name,
                     .width = fits ? (uint32_t)size.number : 0,
                     .formula = size.formula,
                     .direction = direction,
                     .is_signed = is_signed,
                     .is_undecided = direction == WEIR_RTL_INTERNAL};
    return rtl_add_var(design, module, &model);
}

weir_rtl_type weir_rtl_array_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_shape element) {
    rtl_size size;
    if (!size_of(design, count, &size)) return (weir_rtl_type){0};
    return rtl_new_array(design, WEIR_RTL_TYPE_ARRAY, size, element);
}

weir_rtl_type weir_rtl_memory_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_shape element) {
    rtl_size size;
    if (!size_of(design, count, &size)) return (weir_rtl_type){0};
    return rtl_new_array(design, WEIR_RTL_TYPE_MEMORY, size, element);
}

/* ---- expressions ---- */

weir_rtl_expr weir_rtl_slice_by(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_formula high,
                                weir_rtl_formula low) {
    rtl_size top, bottom;
    if (!value.id || !size_of(design, high, &top) || !size_of(design, low, &bottom)) return none;
    const rtl_size above = rtl_size_apply(design, WEIR_RTL_ADD, top, (rtl_size){.number = 1});
    return rtl_slice(design, value, bottom, rtl_size_apply(design, WEIR_RTL_SUBTRACT, above, bottom));
}

weir_rtl_expr weir_rtl_select_by(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base,
                                 weir_rtl_formula width) {
    rtl_size size;
    return value.id && size_of(design, width, &size) ? rtl_select(design, value, base, size) : none;
}

weir_rtl_expr weir_rtl_repeat_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_expr value) {
    rtl_size size;
    return value.id && size_of(design, count, &size) ? rtl_repeat(design, size, value) : none;
}

static uint32_t significant(uint64_t value) {
    uint32_t bits = 0;
    for (; value; value >>= 1) bits++;
    return bits;
}

weir_rtl_expr rtl_sized_constant(weir_rtl_design *design, rtl_size width, bool is_signed, uint64_t value,
                                 uint32_t parameter) {
    assert(parameter < design->parameter_count);
    if (parameter) {
        const rtl_value *own = &design->parameter[parameter].value;
        if (own->kind != RTL_VALUE_INTEGER || own->integer < 0 || own->integer > INT32_MAX || width.number > 32) {
            rtl_error(design, design->location,
                      "'%s' cannot be %lld unsigned bits, expected a value of at least 0 and at most 32 bits",
                      rtl_describe_parameter(design, parameter), (long long)width.number);
            return none;
        }
        value = (uint64_t)own->integer;
    }
    if (width.number < 1 || width.number > WEIR_RTL_MAX_WIDTH || significant(value) > width.number) {
        const unsigned long long wanted = value;
        if (parameter)
            rtl_error(design, design->location, "'%s' is %llu and does not fit in %lld unsigned bits",
                      rtl_describe_parameter(design, parameter), wanted, (long long)width.number);
        else
            rtl_error(design, design->location, "constant %llu does not fit in %lld unsigned bits", wanted,
                      (long long)width.number);
        return none;
    }
    uint64_t *words = weir_calloc((size_t)(width.number + 63) / 64, sizeof *words);
    words[0] = value;
    rtl_expr expr = {.kind = WEIR_RTL_EXPR_CONSTANT,
                     .width = (uint32_t)width.number,
                     .formula = width.formula,
                     .is_signed = is_signed,
                     .has_parameter = parameter != 0,
                     .module = parameter ? design->parameter[parameter].module : 0,
                     .b = parameter};
    if (parameter) design->module[expr.module].is_parametrised = true;
    weir_rtl_expr result = parameter || width.formula ? rtl_new_constant(design, expr, words)
                                                      : rtl_add_constant(design, expr.width, is_signed, words, 0);
    free(words);
    return result;
}

weir_rtl_expr weir_rtl_constant_by(weir_rtl_design *design, weir_rtl_formula width, uint64_t value) {
    rtl_size size;
    return size_of(design, width, &size) ? rtl_sized_constant(design, size, false, value, 0) : none;
}

weir_rtl_expr weir_rtl_parameter_bits(weir_rtl_design *design, weir_rtl_formula width, weir_rtl_parameter parameter) {
    rtl_size size;
    if (!parameter.id || !size_of(design, width, &size)) return none;
    return rtl_sized_constant(design, size, false, 0, parameter.id);
}

weir_rtl_formula weir_rtl_width_formula(weir_rtl_design *design, weir_rtl_expr expr) {
    if (!expr.id) return (weir_rtl_formula){0};
    const rtl_size size = rtl_width_of(design, expr.id);
    return (weir_rtl_formula){size.formula ? size.formula : rtl_number(design, size.number)};
}

weir_rtl_formula weir_rtl_port_formula(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port) {
    rtl_size size;
    if (!instance.id || !port.id || !rtl_port_size(design, instance.id, port.id, &size)) return (weir_rtl_formula){0};
    return (weir_rtl_formula){size.formula ? size.formula : rtl_number(design, size.number)};
}

weir_rtl_block weir_rtl_add_for_by(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator,
                                   weir_rtl_formula start, weir_rtl_formula end, weir_rtl_formula step) {
    rtl_size bound[3];
    const bool fine =
        size_of(design, start, &bound[0]) && size_of(design, end, &bound[1]) && size_of(design, step, &bound[2]);
    return fine ? rtl_add_for(design, block, iterator, bound) : (weir_rtl_block){0};
}

/* ---- modules ---- */

bool weir_rtl_is_parametrised(const weir_rtl_design *design, weir_rtl_module module) {
    return rtl_module_at(design, module.id)->is_parametrised;
}

weir_rtl_module weir_rtl_find_parametrised(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    weir_rtl_module found = {0};
    bool any = false;
    for (size_t m = 1; m < design->module_count && !any; m++) any = design->module[m].is_parametrised;
    if (!any) return found;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules && i < count && !found.id; i++)
        if (design->module[modules[i].id].is_parametrised) found = modules[i];
    free(modules);
    return found;
}
