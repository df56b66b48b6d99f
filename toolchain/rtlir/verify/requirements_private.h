/* What parameters must fulfil. */
#ifndef WEIR_RTLIR_REQUIREMENTS_PRIVATE_H
#define WEIR_RTLIR_REQUIREMENTS_PRIVATE_H

#include "rtlir/core/private.h"

/* What the parameters of a module must fulfil beyond their bounds: the formula is 0, or at least 0. Heap
 * memory; NULL: nothing. */
typedef struct rtl_requirement {
    uint32_t formula;
    bool is_zero;
} rtl_requirement;
rtl_requirement *rtl_requirements(weir_rtl_design *design, uint32_t module, size_t *count);

#endif
