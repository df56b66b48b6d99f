/* Constant expressions over parameters, in 64-bit integers: an overflow is an error, not a wrap. A module's parameters
 * only name earlier ones, so evaluating them in order needs each value once. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"

uint32_t rtl_formula_value(weir_rtl_design *design, rtl_value value) {
    uint32_t id = RTL_APPEND(design, formula);
    design->formula[id].kind = RTL_FORMULA_VALUE;
    design->formula[id].value = value;
    return id;
}

static rtl_value integer_value(int64_t integer) {
    rtl_value value = {.kind = RTL_VALUE_INTEGER, .integer = integer};
    return value;
}

static rtl_value no_value(const char **problem, const char *text) {
    rtl_value value = {.kind = RTL_VALUE_NONE};
    *problem = text;
    return value;
}

static int64_t clog2(int64_t value) {
    int64_t bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < value) bits++;
    return bits;
}

static rtl_value power(int64_t base, int64_t exponent, const char **problem) {
    if (exponent < 0 || (exponent > 63 && base != 0 && base != 1 && base != -1))
        return no_value(problem, "a power is out of range");
    int64_t result = 1;
    for (int64_t i = exponent > 63 ? 62 + (exponent & 1) : 0; i < (exponent > 63 ? 64 : exponent); i++)
        if (__builtin_mul_overflow(result, base, &result)) return no_value(problem, "a power overflows 64 bits");
    return integer_value(result);
}

static rtl_value shift(int64_t a, int64_t b, bool left, const char **problem) {
    if (b < 0 || b > 62) return no_value(problem, "a shift is out of range");
    if (!left) return integer_value(a >= 0 ? a >> b : ~(~a >> b));
    if (__builtin_mul_overflow(a, INT64_C(1) << b, &a)) return no_value(problem, "a shift overflows 64 bits");
    return integer_value(a);
}

static rtl_value arithmetic(weir_rtl_operator op, int64_t a, int64_t b, const char **problem) {
    int64_t result = 0;
    bool overflow = false;
    switch (op) {
    case WEIR_RTL_ADD: overflow = __builtin_add_overflow(a, b, &result); break;
    case WEIR_RTL_SUBTRACT: overflow = __builtin_sub_overflow(a, b, &result); break;
    case WEIR_RTL_MULTIPLY: overflow = __builtin_mul_overflow(a, b, &result); break;
    case WEIR_RTL_DIVIDE:
    case WEIR_RTL_MODULO:
        if (b == 0) return no_value(problem, "division by zero");
        if (b == -1) overflow = op == WEIR_RTL_DIVIDE && __builtin_sub_overflow(0, a, &result);
        else result = op == WEIR_RTL_DIVIDE ? a / b : a % b;
        break;
    case WEIR_RTL_POWER: return power(a, b, problem);
    case WEIR_RTL_SHIFT_LEFT: return shift(a, b, true, problem);
    case WEIR_RTL_SHIFT_RIGHT:
    case WEIR_RTL_SHIFT_RIGHT_ARITHMETIC: return shift(a, b, false, problem);
    case WEIR_RTL_AND: result = a & b; break;
    case WEIR_RTL_OR: result = a | b; break;
    case WEIR_RTL_XOR: result = a ^ b; break;
    case WEIR_RTL_LESS: result = a < b; break;
    case WEIR_RTL_LESS_EQUAL: result = a <= b; break;
    case WEIR_RTL_GREATER: result = a > b; break;
    case WEIR_RTL_GREATER_EQUAL: result = a >= b; break;
    case WEIR_RTL_EQUAL: result = a == b; break;
    case WEIR_RTL_NOT_EQUAL: result = a != b; break;
    case WEIR_RTL_LOGICAL_AND: result = a && b; break;
    case WEIR_RTL_LOGICAL_OR: result = a || b; break;
    default: return no_value(problem, "an operator that constant expressions do not have");
    }
    return overflow ? no_value(problem, "a value overflows 64 bits") : integer_value(result);
}

/* A problem that an operand has already is kept. */
static rtl_value no_integer(const char **problem) {
    return no_value(problem, *problem ? *problem : "a string or a vector is used where an integer is needed");
}

rtl_value rtl_evaluate_clog2(const rtl_value *a, const char **problem) {
    return a->kind == RTL_VALUE_INTEGER ? integer_value(clog2(a->integer)) : no_integer(problem);
}

rtl_value rtl_evaluate_unary(weir_rtl_operator op, const rtl_value *value, const char **problem) {
    if (value->kind != RTL_VALUE_INTEGER) return no_integer(problem);
    int64_t a = value->integer;
    switch (op) {
    case WEIR_RTL_PLUS: return integer_value(a);
    case WEIR_RTL_NEGATE: return arithmetic(WEIR_RTL_SUBTRACT, 0, a, problem);
    case WEIR_RTL_NOT: return integer_value(~a);
    case WEIR_RTL_LOGICAL_NOT: return integer_value(!a);
    default: return no_value(problem, "an operator that constant expressions do not have");
    }
}

rtl_value rtl_evaluate_binary(weir_rtl_operator op, const rtl_value *a, const rtl_value *b, const char **problem) {
    if (a->kind == RTL_VALUE_STRING && b->kind == RTL_VALUE_STRING &&
        (op == WEIR_RTL_EQUAL || op == WEIR_RTL_NOT_EQUAL))
        return integer_value((strcmp(a->text, b->text) == 0) == (op == WEIR_RTL_EQUAL));
    if (a->kind != RTL_VALUE_INTEGER || b->kind != RTL_VALUE_INTEGER) return no_integer(problem);
    return arithmetic(op, a->integer, b->integer, problem);
}

rtl_value rtl_compute(const rtl_formula *f, const rtl_value operand[3], const char **problem) {
    if (f->kind == RTL_FORMULA_BINARY) return rtl_evaluate_binary(f->op, &operand[0], &operand[1], problem);
    if (f->kind == RTL_FORMULA_CLOG2) return rtl_evaluate_clog2(&operand[0], problem);
    if (f->kind == RTL_FORMULA_UNARY) return rtl_evaluate_unary(f->op, &operand[0], problem);
    return operand[0].kind == RTL_VALUE_INTEGER ? operand[operand[0].integer ? 1 : 2] : no_integer(problem);
}

/* && and || as Verilog has them: an operand that decides makes the other irrelevant, whether that has a value or
 * not. */
static rtl_value evaluate_logical(const weir_rtl_design *design, const rtl_formula *f, const rtl_value *parameters,
                                  const char **problem) {
    const bool deciding = f->op == WEIR_RTL_LOGICAL_OR;
    const uint32_t operand[2] = {f->a, f->b};
    const char *problems[2] = {NULL, NULL};
    rtl_value value[2];
    for (int i = 0; i < 2; i++) {
        value[i] = rtl_evaluate(design, operand[i], parameters, &problems[i]);
        if (value[i].kind == RTL_VALUE_INTEGER && (value[i].integer != 0) == deciding) return integer_value(deciding);
    }
    for (int i = 0; i < 2; i++) {
        if (value[i].kind == RTL_VALUE_INTEGER) continue;
        *problem = problems[i];
        return value[i].kind == RTL_VALUE_NONE ? value[i] : no_integer(problem);
    }
    return integer_value(!deciding);
}

/* Recursion is bounded by the nesting that the reader accepts. */
rtl_value rtl_evaluate(const weir_rtl_design *design, uint32_t formula, const rtl_value *parameters,
                       const char **problem) {
    assert(formula < design->formula_count);
    const rtl_formula *f = &design->formula[formula];
    if (f->kind == RTL_FORMULA_VALUE) return f->value;
    if (f->kind == RTL_FORMULA_PARAMETER) {
        rtl_value value = parameters[design->parameter[f->a].slot];
        return value.kind == RTL_VALUE_NONE ? no_value(problem, "a parameter that it needs has no value") : value;
    }
    if (f->kind == RTL_FORMULA_BINARY && (f->op == WEIR_RTL_LOGICAL_AND || f->op == WEIR_RTL_LOGICAL_OR))
        return evaluate_logical(design, f, parameters, problem);
    rtl_value operand[3] = {rtl_evaluate(design, f->a, parameters, problem)};
    if (operand[0].kind == RTL_VALUE_NONE) return operand[0];
    if (f->kind == RTL_FORMULA_CONDITIONAL && operand[0].kind == RTL_VALUE_INTEGER)
        return rtl_evaluate(design, operand[0].integer ? f->b : f->c, parameters, problem);
    if (f->kind == RTL_FORMULA_BINARY) operand[1] = rtl_evaluate(design, f->b, parameters, problem);
    return operand[1].kind == RTL_VALUE_NONE && f->kind == RTL_FORMULA_BINARY ? operand[1]
                                                                              : rtl_compute(f, operand, problem);
}

bool rtl_formula_depends_on(const weir_rtl_design *design, uint32_t formula, uint32_t parameter) {
    assert(formula < design->formula_count);
    const rtl_formula *f = &design->formula[formula];
    if (f->kind == RTL_FORMULA_VALUE) return false;
    if (f->kind == RTL_FORMULA_PARAMETER) return f->a == parameter;
    return (f->a && rtl_formula_depends_on(design, f->a, parameter)) ||
           (f->b && rtl_formula_depends_on(design, f->b, parameter)) ||
           (f->c && rtl_formula_depends_on(design, f->c, parameter));
}

/* Overrides by an expression: a constant that fits 64 bits is an integer, a parameter what it is by default, anything
 * else is opaque here. */
rtl_value rtl_plain_value(const weir_rtl_design *design, const rtl_value *value) {
    rtl_value result = {.kind = RTL_VALUE_OPAQUE};
    if (value->kind == RTL_VALUE_FORMULA) {
        const rtl_formula *f = &design->formula[value->formula];
        return f->has_number ? integer_value(f->number) : result;
    }
    if (value->kind != RTL_VALUE_EXPR) return *value;
    const rtl_expr *expr = &design->expr[value->expr];
    if (expr->kind == WEIR_RTL_EXPR_PARAMETER) {
        const rtl_value *own = &design->parameter[expr->a].value;
        return own->kind == RTL_VALUE_NONE ? result : *own;
    }
    if (expr->width > 64) return result;
    uint64_t word = rtl_words_of(design, expr)[0];
    if (expr->is_signed && expr->width < 64 && (word >> (expr->width - 1) & 1)) word |= UINT64_MAX << expr->width;
    if (!expr->is_signed && word > INT64_MAX) return result;
    memcpy(&result.integer, &word, sizeof word);
    result.kind = RTL_VALUE_INTEGER;
    return result;
}

rtl_value *rtl_evaluate_with(const weir_rtl_design *design, uint32_t module, const rtl_value *given) {
    assert(module < design->module_count);
    const rtl_ids *ids = &design->module[module].parameters;
    rtl_value *values = weir_calloc(design->module[module].parameter_slots + 1, sizeof *values);
    for (size_t i = 0; i < ids->count; i++) {
        const char *problem = NULL;
        const uint32_t slot = design->parameter[ids->id[i]].slot;
        if (given[slot].kind != RTL_VALUE_NONE) values[slot] = given[slot];
        else values[slot] = rtl_evaluate(design, design->parameter[ids->id[i]].formula, values, &problem);
    }
    return values;
}

rtl_value *rtl_evaluate_parameters(const weir_rtl_design *design, uint32_t module, const rtl_instance *instance) {
    assert(module < design->module_count);
    const uint32_t slots = design->module[module].parameter_slots;
    rtl_value *given = weir_calloc(slots + 1, sizeof *given);
    for (uint32_t slot = 0; instance && slot < slots && slot < instance->override_count; slot++)
        if (instance->override[slot].kind != RTL_VALUE_NONE)
            given[slot] = rtl_plain_value(design, &instance->override[slot]);
    rtl_value *values = rtl_evaluate_with(design, module, given);
    free(given);
    return values;
}

uint32_t rtl_port_width(const weir_rtl_design *design, uint32_t var, const rtl_value *parameters,
                        const char **problem) {
    assert(var < design->var_count);
    const rtl_var *port = &design->var[var];
    if (!port->range) return port->width;
    rtl_value high = rtl_evaluate(design, design->range[port->range].high, parameters, problem);
    rtl_value low = rtl_evaluate(design, design->range[port->range].low, parameters, problem);
    if (high.kind == RTL_VALUE_INTEGER && low.kind == RTL_VALUE_INTEGER) {
        if (low.integer >= 0 && high.integer >= low.integer && high.integer - low.integer < WEIR_RTL_MAX_WIDTH)
            return (uint32_t)(high.integer - low.integer + 1);
        *problem = "its range is empty, negative or too large";
    } else if (!*problem) {
        *problem = "its range needs a parameter that is not an integer";
    }
    return 0;
}
