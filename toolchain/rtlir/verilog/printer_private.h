/* What the files of the Verilog printer share; names and expressions are in core/print_private.h. */
#ifndef WEIR_RTLIR_PRINTER_H
#define WEIR_RTLIR_PRINTER_H

#include "rtlir/core/print_private.h"
#include "rtlir/verilog/print.h"

enum { RTL_COLUMNS = 120, RTL_INDENT = 2 };

void rtl_put_blanks(rtl_writer *w, size_t count);
/* A line at this indentation: what is put between the two may have break marks. Continuation lines are one level
 * deeper. */
void rtl_begin_line(rtl_writer *w, int indent);
void rtl_end_line(rtl_writer *w);
/* A whole line. */
void rtl_put_line(rtl_writer *w, int indent, const char *line);

/* Named types (print_types.c): those that the module uses, by id, heap memory; marks them; prints the definition of
 * one. */
bool *rtl_used_types(const weir_rtl_design *design, uint32_t module);
void rtl_mark_types(const weir_rtl_design *design, uint32_t module, bool *used);
void rtl_print_typedef(rtl_writer *w, uint32_t type);
/* Marks a type and what it is made of. */
void rtl_mark_type(const weir_rtl_design *design, uint32_t type, bool *used);
/* Packages (print_package.c). The package with the types before a module that uses any, which w->package is from then
 * on, and its import after the name of the module; in Verilog-2005 the members of enums as localparams. */
void rtl_print_package(rtl_writer *w, bool *used);
void rtl_print_import(rtl_writer *w);
void rtl_print_members(rtl_writer *w, const bool *used);

/* Interfaces (print_interfaces.c): those of a design, and what they are called: nothing that was given is. NULL where
 * no group is marked. Printing a module is an error when another pass took a marked group of it apart. */
rtl_interfaces *rtl_interfaces_new(weir_rtl_design *design, uint32_t top, const char *package, const rtl_labels *given);
void rtl_interfaces_free(rtl_interfaces *interfaces);
/* Marks the types of the fields of marked groups; prints the definitions before a module, the type of a port
 * (`NAME.modport`), the interfaces that a module declares, with what is between them and ports of the top. */
void rtl_mark_interfaces(const weir_rtl_design *design, uint32_t module, bool *used);
void rtl_print_interfaces(rtl_writer *w);
void rtl_put_interface_type(rtl_writer *w, uint32_t group);
void rtl_print_links(rtl_writer *w);
/* The comments of the members; tells the caller of the printer where they are. */
void rtl_print_member_comments(rtl_writer *w, uint32_t group);

/* The statements of a module's body (print_stmt.c), processes and functions (print_process.c). */
void rtl_print_body(rtl_writer *w, const rtl_module *module);
void rtl_print_process(rtl_writer *w, uint32_t stmt, int indent);
/* Before a process: the wire that it waits for if it reads nothing, so that it runs once. */
void rtl_print_trigger(rtl_writer *w, uint32_t stmt, int indent);
void rtl_print_assign(rtl_writer *w, uint32_t stmt, int indent);
void rtl_print_property(rtl_writer *w, uint32_t stmt, int indent);
/* Does the combinational process read nothing but what it assigns itself (print_sense.c)? O(its size). */
bool rtl_waits_for_nothing(const weir_rtl_design *design, uint32_t process);
/* Tri-state drivers (print_tristate.c): the value of an assignment, of one condition and one value where it is one; by
 * id, heap memory, the variables of a module that several drivers may share, which must be nets. */
uint32_t rtl_driver_value(weir_rtl_design *design, uint32_t value);
bool *rtl_shared_nets(const weir_rtl_design *design, uint32_t module);
/* `for (...) begin`, of a process. */
void rtl_print_loop_head(rtl_writer *w, const rtl_loop *loop, const char *type);

/* The declaration of a loop's iterator, and of the flag that a break sets. */
void rtl_print_iterator(rtl_writer *w, uint32_t loop, int indent);
/* `// ` and part of a comment that is on one line: whatever its characters are, it ends there. */
void rtl_put_comment(rtl_writer *w, const char *line, size_t size);
/* The comment (NULL: none) as `// ` lines at this indentation, wrapped. */
void rtl_print_comment(rtl_writer *w, const char *comment, int indent);
/* (* ... *) and a line end, when there are attributes; tells the caller of the printer which line the item is on. */
void rtl_print_above(rtl_writer *w, weir_rtl_item item, const rtl_common *common, int indent);

/* What follows the name of an item with the attribute `verilator_public`, the comment of that text; NULL: nothing. */
const char *rtl_public_of(const weir_rtl_design *design, const rtl_common *common);

#endif
