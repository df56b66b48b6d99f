/* The operators of expressions and formulas. */
#include "rtlir/core/private.h"

const rtl_operator_row rtl_operators[WEIR_RTL_OPERATOR_COUNT] = {
#define WEIR_RTL_OPERATOR(name, text, operands, rule, precedence) {text, operands, RTL_##rule, precedence},
#include "rtlir/core/operator.def"
#undef WEIR_RTL_OPERATOR
};
