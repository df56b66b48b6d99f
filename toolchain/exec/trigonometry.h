/* Trigonometric functions and their inverses in float64, as elementary.h's: the same bits everywhere. Error: a few
 * units in the last place, for arguments of any size; special cases as in C, Annex F. */
#ifndef WEIR_EXEC_TRIGONOMETRY_H
#define WEIR_EXEC_TRIGONOMETRY_H

double weir_trigonometry_sin(double x);
double weir_trigonometry_cos(double x);
double weir_trigonometry_tan(double x);
double weir_trigonometry_asin(double x);
double weir_trigonometry_acos(double x);
double weir_trigonometry_atan(double x);

#endif
