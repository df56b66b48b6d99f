/* Checks of a whole design below a top module. */
#ifndef WEIR_RTLIR_VERIFY_H
#define WEIR_RTLIR_VERIFY_H

#include "rtlir/rtl.h"

/* True when building reported no errors and every module below top is sound: no module contains itself; every input of
 * every instance is connected, every output too or left open explicitly; every connection has the port's width under
 * the instance's overrides; every bit that an output, an instance or a statement reads is driven; no bit has two
 * drivers. Everything found is reported at the place of its item. Cost: linear in modules, instances, statements and
 * bits. */
bool weir_rtl_verify(weir_rtl_design *design, weir_rtl_module top);

/* Only what every pass may rely on, whatever state the design is in: building reported no errors, no module contains
 * itself, nothing that was removed is named, everything stands where it may. */
bool weir_rtl_verify_form(weir_rtl_design *design, weir_rtl_module top);

#endif
