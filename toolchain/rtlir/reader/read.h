/* Reads the header of a Verilog-2005 library file, so that instances of its module can be checked. */
#ifndef WEIR_RTLIR_READ_H
#define WEIR_RTLIR_READ_H

#include "rtlir/core/rtl.h"

/* The external module of the file, or none after a reported `file:line: error:`. The file holds one module with ANSI
 * ports; parameter defaults are integer or string expressions; ranges are constant expressions of parameters and of the
 * localparams of the module. Ports named clk or *_clk are clocks, rst or *_rst resets. Reading a file again gives the
 * same module. Of the body only the module's conditions are read, which weir_rtl_verify checks for each instance: in
 * the scope of the module, not inside of a generate block,
 *   if (VIOLATED) begin : LABEL
 *     NAME_must_BE_SO u_error ();
 * where nobody defines a module of that name. Instances inside are checked likewise where their modules have been read;
 * of one of which the reader cannot know whether it is there, a warning says that it is not. */
weir_rtl_module weir_rtl_read_module(weir_rtl_design *design, const char *path);

#endif
