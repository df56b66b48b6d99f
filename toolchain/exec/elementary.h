/* Elementary functions in float64, made only of additions, multiplications, divisions and exact functions of the C
 * library: unlike exp() and the like, the same bits from every compiler, library and processor. Error: a few units in
 * the last place (power: |y * log x| of them when y is not a small whole number); special cases as in C, Annex F. */
#ifndef WEIR_EXEC_ELEMENTARY_H
#define WEIR_EXEC_ELEMENTARY_H

double weir_elementary_exp(double x);
double weir_elementary_exp2(double x);
double weir_elementary_expm1(double x);
double weir_elementary_log(double x);
double weir_elementary_log10(double x);
double weir_elementary_log1p(double x);
double weir_elementary_tanh(double x);
double weir_elementary_sinh(double x);
double weir_elementary_cosh(double x);
double weir_elementary_asinh(double x);
double weir_elementary_acosh(double x);
double weir_elementary_atanh(double x);
double weir_elementary_erf(double x);
/* Exact where x^y is, for whole y from 0 to 1024. */
double weir_elementary_power(double x, double y);

#endif
