/* Which bits a part of a variable is. */
#ifndef WEIR_RTLIR_BIT_RANGE_PRIVATE_H
#define WEIR_RTLIR_BIT_RANGE_PRIVATE_H

#include "rtlir/analysis/unroll_private.h"

/* The bits of a variable or a port that a part of it is. */
typedef struct rtl_bit_range {
    uint32_t base; /* expression of the variable or the port */
    uint32_t low, width;
    bool is_computed; /* it takes hardware to know which of these bits; of a memory, which element */
} rtl_bit_range;
rtl_bit_range rtl_locate(const weir_rtl_design *design, uint32_t expr);

/* The value of an index that is made of iterators and constants (unroll NULL: of constants); false when it takes
 * hardware to know. */
bool rtl_index_value(const weir_rtl_design *design, const rtl_unroll *unroll, uint32_t expr, int64_t *value);
/* The bits with the iterators as they are now. */
rtl_bit_range rtl_locate_now(const rtl_unroll *unroll, uint32_t expr);

#endif
