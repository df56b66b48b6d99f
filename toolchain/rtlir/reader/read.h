/* Reads the header of a Verilog-2005 library file, so that instances of its module can be checked. */
#ifndef WEIR_RTLIR_READ_H
#define WEIR_RTLIR_READ_H

#include "rtlir/core/rtl.h"

/* The external module of the file, or none after a reported `file:line: error:`. The file holds one module with ANSI
 * ports; parameter defaults are integer or string expressions; ranges are constant expressions of parameters and of the
 * localparams of the module. Ports named clk or *_clk are clocks, rst or *_rst resets. Reading a file again gives the
 * same module. The body is skipped. */
weir_rtl_module weir_rtl_read_module(weir_rtl_design *design, const char *path);

#endif
