/* Copies of designs for trial changes. */
#ifndef WEIR_RTLIR_SNAPSHOT_H
#define WEIR_RTLIR_SNAPSHOT_H

#include "rtlir/core/rtl.h"

/* A copy of the design whose handles are the same, to be freed before the original, which may not change until then. */
weir_rtl_design *weir_rtl_snapshot(const weir_rtl_design *design);

#endif
