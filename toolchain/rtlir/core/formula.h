/* Parametrised modules: widths, depths, bounds and replication counts that are formulas of the module's parameters.
 * Whatever has a formula has a number too, which is its value with all parameters at their defaults: that is what the
 * width of a variable or an expression is wherever a number is asked for. Formulas are integers of 32 bits, as in
 * Verilog; two of them are one when they agree in a normal form (polynomials with integer coefficients over parameters
 * and over what is not a polynomial, such as clog2 of one). Where widths agree by their numbers only, each set of
 * values that the module is instantiated with is checked: weir_rtl_verify does that, weir_rtl_specialize makes modules
 * of it. */
#ifndef WEIR_RTLIR_FORMULA_H
#define WEIR_RTLIR_FORMULA_H

#include "rtlir/core/stmt.h"
#include "rtlir/core/type.h"
#include "support/text/text.h"

/* Formulas: of parameters of one module. None after a reported error, and of none. */
weir_rtl_formula weir_rtl_formula_number(weir_rtl_design *design, int64_t value);
weir_rtl_formula weir_rtl_formula_of(weir_rtl_design *design, weir_rtl_parameter parameter);
/* + - * / % << >> and what else an operator of Verilog makes of integers; a - b, and of one operand with b none. */
weir_rtl_formula weir_rtl_formula_apply(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_formula a,
                                        weir_rtl_formula b);
/* Bits that a number below `value` needs: $clog2. */
weir_rtl_formula weir_rtl_formula_clog2(weir_rtl_design *design, weir_rtl_formula value);
weir_rtl_formula weir_rtl_formula_choose(weir_rtl_design *design, weir_rtl_formula condition, weir_rtl_formula yes,
                                         weir_rtl_formula no);
/* Its number with all parameters at their defaults; false when it has none. */
bool weir_rtl_formula_value(const weir_rtl_design *design, weir_rtl_formula formula, int64_t *value);
/* As the text form says it. */
void weir_rtl_print_formula(const weir_rtl_design *design, weir_rtl_formula formula, weir_text *text);
/* Do both mean the same, whatever the parameters are? */
bool weir_rtl_same_formula(weir_rtl_design *design, weir_rtl_formula a, weir_rtl_formula b);

/* A parameter that takes low to high only; a local one that is a formula of those before it. */
weir_rtl_parameter weir_rtl_add_parameter_between(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                                  int64_t value, int64_t low, int64_t high);
weir_rtl_parameter weir_rtl_add_local_formula(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                              weir_rtl_formula value);

/* A port, or with WEIR_RTL_INTERNAL a variable (wire or register, according to its assignments), whose width is a
 * formula. For arrays whose number of elements is a formula see weir_rtl_array_by and weir_rtl_memory_by; the shape's
 * element may have a formula. */
weir_rtl_var weir_rtl_add_var_by(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                 weir_rtl_formula width, weir_rtl_direction direction, bool is_signed);
weir_rtl_type weir_rtl_array_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_shape element);
weir_rtl_type weir_rtl_memory_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_shape element);

/* Expressions: [high:low], [base +: width], {count{value}}, a constant of so many bits, a parameter as unsigned bits
 * (32 at most; its value must fit). */
weir_rtl_expr weir_rtl_slice_by(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_formula high,
                                weir_rtl_formula low);
weir_rtl_expr weir_rtl_select_by(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base,
                                 weir_rtl_formula width);
weir_rtl_expr weir_rtl_repeat_by(weir_rtl_design *design, weir_rtl_formula count, weir_rtl_expr value);
weir_rtl_expr weir_rtl_constant_by(weir_rtl_design *design, weir_rtl_formula width, uint64_t value);
weir_rtl_expr weir_rtl_parameter_bits(weir_rtl_design *design, weir_rtl_formula width, weir_rtl_parameter parameter);
/* How many bits it has, as a formula: a number where they do not depend on parameters. */
weir_rtl_formula weir_rtl_width_formula(weir_rtl_design *design, weir_rtl_expr expr);

/* weir_rtl_add_for with formulas for bounds. */
weir_rtl_block weir_rtl_add_for_by(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator,
                                   weir_rtl_formula start, weir_rtl_formula end, weir_rtl_formula step);
/* A formula of the parent's parameters; before any port of the instance is named in an expression. */
void weir_rtl_set_parameter_by(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                               weir_rtl_formula value);

/* How many bits a port of the instance has. */
weir_rtl_formula weir_rtl_port_formula(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port);

/* Does anything in the module depend on parameters beyond expressions that compute with them as numbers? */
bool weir_rtl_is_parametrised(const weir_rtl_design *design, weir_rtl_module module);
/* The first such module at or below the top, children first; none: there is none, or a module is inside itself. */
weir_rtl_module weir_rtl_find_parametrised(weir_rtl_design *design, weir_rtl_module top);

#endif
