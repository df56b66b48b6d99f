/* The forms of hardware designs that passes require, and the same for who prints a design without a pass. */
#ifndef WEIR_PASSES_FORMS_H
#define WEIR_PASSES_FORMS_H

#include "pass/core/registry.h"
#include "rtlir/core/rtl.h"

bool weir_hardware_register_forms(weir_pass_registry *registry);

/* All of the forms; what is not so is reported. */
bool weir_hardware_is_printable(weir_rtl_design *design, weir_rtl_module top);
/* Is the path none of the files of external modules below top? Else that is reported. */
bool weir_hardware_may_write(weir_rtl_design *design, weir_rtl_module top, const char *path);

#endif
