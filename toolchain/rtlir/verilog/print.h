/* Verilog text of modules and expressions: the only place where Weir writes Verilog. The same module gives the same
 * bytes. Lines are no longer than the margin unless one name, string or number is. Attributes are printed as they are,
 * except `verilator_public` of variables and modules, which is a comment for Verilator after the name. */
#ifndef WEIR_RTLIR_PRINT_H
#define WEIR_RTLIR_PRINT_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

typedef enum weir_rtl_dialect {
    WEIR_RTL_VERILOG,      /* Verilog-2005: packed types as vectors, enums as localparams */
    WEIR_RTL_SYSTEMVERILOG /* the subset of IEEE 1800 that DESIGN.md's tools share */
} weir_rtl_dialect;

/* The named types of a design in SystemVerilog, `package TOP_types;`, and the interfaces `TOP_NAME` that its marked
 * groups are (interface.h). They are printed, guarded, before each module that uses one, whose header imports the
 * package. */
typedef struct weir_rtl_package weir_rtl_package;
/* Of all modules below top. Free it with weir_rtl_package_free. O(design). */
weir_rtl_package *weir_rtl_package_new(weir_rtl_design *design, weir_rtl_module top);
void weir_rtl_package_free(weir_rtl_package *package);

typedef struct weir_rtl_print_options {
    weir_rtl_dialect dialect;
    const weir_rtl_package *package; /* NULL: a module has one of its own, and its groups are flat */
    int columns;                     /* right margin; 0: 120 */
    bool source;                     /* (* src = "file:line" *) on items that have a location, as Yosys writes it */
    bool plain_case;                 /* no `unique case` */
    bool starts; /* combinational processes and latches of Verilog-2005 run at the start, as SystemVerilog's do */
    /* NULL, or called for each item that is printed, with the line that it starts on, from 1. */
    void (*line)(void *user, int line, weir_rtl_item item);
    void *user;
} weir_rtl_print_options;

/* Appends the module's text, with a header comment and `default_nettype none. The design should verify. Says which
 * outputs are registers as it goes. A module that has a state machine or an instance wired by assignments
 * is not printed: that is an error. Whether the design as a whole can be, verify.h says. */
void weir_rtl_print_verilog(weir_rtl_design *design, weir_rtl_module module, weir_text *text);
void weir_rtl_print_module(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_print_options *options,
                           weir_text *text);
/* Appends the definition of a named type in SystemVerilog, such as `typedef struct packed { ... } name;`. */
void weir_rtl_print_typedef(weir_rtl_design *design, weir_rtl_type type, weir_text *text);

/* folder/<name>.v (.sv), left alone when its content is already right; the folder is made. options: NULL for the
 * default. False after a reported error. */
bool weir_rtl_write_module(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_print_options *options,
                           const char *folder);
/* Every module below top that is not external. */
bool weir_rtl_write_design(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                           const char *folder);

#endif
