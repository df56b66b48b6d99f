/* What the formats' own files give to the table. */
#ifndef WEIR_IR_NUMBER_PRIVATE_H
#define WEIR_IR_NUMBER_PRIVATE_H

#include "ir/number/number.h"
#include "ir/number/number_base.h"

#define WEIR_NUMBER(id, name, group, hardware, gradient, ...)                                                          \
    weir_number_shared weir_number_##id##_measure(const weir_number *n, const float *x, size_t count, double whole);   \
    int64_t weir_number_##id##_encode(const weir_number *n, const weir_number_shared *shared, double x);               \
    double weir_number_##id##_decode(const weir_number *n, const weir_number_shared *shared, int64_t code);            \
    number_limits weir_number_##id##_limits(const weir_number *n);
#include "ir/number/number.def"

#endif
