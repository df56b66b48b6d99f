/* A hardware design as deep as one likes. */
#ifndef WEIR_TEST_RTL_CHAIN_H
#define WEIR_TEST_RTL_CHAIN_H

#include "rtlir/core/rtl.h"

/* A chain of depth + 1 modules, "top" and below it all of the name "link": each adds one to what the next one makes of
 * its input. */
weir_rtl_design *make_chain(int depth, uint32_t width);

#endif
