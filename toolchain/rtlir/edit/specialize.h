/* Modules for sets of values of parameters. */
#ifndef WEIR_RTLIR_SPECIALIZE_H
#define WEIR_RTLIR_SPECIALIZE_H

#include "rtlir/core/rtl.h"

/* Makes one module without parameters of each module with parameters and each set of values that its instances at or
 * below the top give them; the top takes its defaults and keeps its name. The others are named NAME_PARAMETER_VALUE...,
 * or a free name near that. Modules that no instance names any more go. Gives the top; none after a reported error,
 * which names the instance, its values, and what does not fit. O(modules made, with what is in them). */
weir_rtl_module weir_rtl_specialize(weir_rtl_design *design, weir_rtl_module top);
/* The same with these values for parameters of the top instead of defaults. */
typedef struct weir_rtl_setting {
    weir_rtl_parameter parameter;
    int64_t value;
} weir_rtl_setting;
weir_rtl_module weir_rtl_specialize_for(weir_rtl_design *design, weir_rtl_module top, size_t count,
                                        const weir_rtl_setting *settings);

#endif
