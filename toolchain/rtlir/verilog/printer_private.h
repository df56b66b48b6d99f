/* What the files of the Verilog printer share. */
#ifndef WEIR_RTLIR_PRINTER_H
#define WEIR_RTLIR_PRINTER_H

#include "rtlir/core/private.h"
#include "rtlir/verilog/print.h"

enum { RTL_COLUMNS = 120, RTL_INDENT = 2 };

/* A blank where a long line may be wrapped. It occurs in no name, number or printed string. */
#define RTL_BREAK '\x01'

/* The text being written. */
typedef struct rtl_writer {
    weir_rtl_design *design;
    const weir_rtl_print_options *options;
    weir_text *text;
    uint32_t module;
    size_t columns;
    size_t line_start; /* of the line that rtl_begin_line began, and its indentation */
    int indent;
    bool is_target; /* parts keep their name: no $signed(...) */
    size_t counted; /* characters whose lines were counted, from `start` on */
    size_t start;
    int line;
    bool waits_for_nothing;          /* that process reads only what it makes itself */
    uint32_t trigger, triggers;      /* number of the wire that this process waits for (0: none), and of the last one */
    const weir_rtl_package *package; /* that named types are in, NULL: none */
    weir_rtl_package *own;           /* of a module that is printed alone */
    bool imports;                    /* the module uses named types */
    rtl_ids scopes;                  /* that new names must differ in, once one is printed: the module, its functions */
    uint32_t exit_flag; /* statement (loop or function) whose flag a break or a return sets; 0: it needs none */
} rtl_writer;

static inline bool rtl_is_system(const rtl_writer *w) { return w->options->dialect == WEIR_RTL_SYSTEMVERILOG; }

/* Single pieces; numbers are decimal. */
static inline void rtl_put(rtl_writer *w, const char *string) { rtl_append_string(w->text, string); }
static inline void rtl_put_char(rtl_writer *w, char c) { rtl_append_char(w->text, c); }
static inline void rtl_put_number(rtl_writer *w, uint64_t value) { rtl_append_number(w->text, value); }
void rtl_put_blanks(rtl_writer *w, size_t count);
/* [high:low], [bit] when they are the same. */
void rtl_put_range(rtl_writer *w, uint64_t high, uint64_t low);

/* A line at this indentation: what is put between the two may have break marks. Continuation lines stand one level
 * deeper. */
void rtl_begin_line(rtl_writer *w, int indent);
void rtl_end_line(rtl_writer *w);
/* A whole line. */
void rtl_put_line(rtl_writer *w, int indent, const char *line);

/* An expression with break marks; a target without $signed(...) around its parts. */
void rtl_print_broken(rtl_writer *w, uint32_t expr);
void rtl_print_target(rtl_writer *w, uint32_t expr);
/* A value as the target's type wants it: SystemVerilog assigns no vector to an enum. */
void rtl_print_value(rtl_writer *w, uint32_t type, uint32_t expr);
void rtl_print_string(const char *string, weir_text *text);
void rtl_print_integer(int64_t value, weir_text *text);
/* Named types (print_types.c). The name that a type, a member of an enum has in the text; the named type at the end of
 * dimensions, 0: none; those that the module uses, by id, heap memory. */
void rtl_put_type_name(rtl_writer *w, uint32_t type);
void rtl_print_member(rtl_writer *w, uint32_t type, uint32_t field);
uint32_t rtl_named_type(const weir_rtl_design *design, uint32_t type);
bool *rtl_used_types(const weir_rtl_design *design, uint32_t module);
/* Marks a type and what it is made of. */
void rtl_mark_type(const weir_rtl_design *design, uint32_t type, bool *used);
/* The package with the types in front of a module that uses any, which w->package is from then on, and its import behind
 * the name of the module; in Verilog-2005 the members of enums as localparams. */
void rtl_print_package(rtl_writer *w, bool *used);
void rtl_print_import(rtl_writer *w);
void rtl_print_members(rtl_writer *w, const bool *used);

/* Interfaces (print_interfaces.c): those of a design, and what they are called. NULL where no group is marked. Printing a
 * module is an error when another pass took a marked group of it apart. */
typedef struct rtl_interfaces rtl_interfaces;
rtl_interfaces *rtl_interfaces_new(weir_rtl_design *design, uint32_t top, const char *package, const rtl_ids *scopes);
void rtl_interfaces_free(rtl_interfaces *interfaces);
const rtl_interfaces *rtl_package_interfaces(const weir_rtl_package *package);
/* The interface that the variable is a member of in the text, as a group, 0: none; is it the first member of its ports? */
uint32_t rtl_interface_of(const rtl_writer *w, uint32_t var);
bool rtl_leads_interface(const weir_rtl_design *design, uint32_t var);
/* The variable's name, `group.field` of a member. */
void rtl_put_var(rtl_writer *w, uint32_t var);
/* Marks the types of the fields of marked groups; prints the definitions in front of a module, the type of a port
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
/* `for (...) begin`, of a process. */
void rtl_print_loop_head(rtl_writer *w, const rtl_loop *loop, const char *type);

/* The declaration of a loop's iterator, and of the flag that a break sets. */
void rtl_print_iterator(rtl_writer *w, uint32_t loop, int indent);
/* Has the module, or one of its functions, something of the (interned) name? */
bool rtl_is_taken(rtl_writer *w, const char *name);
/* A name near the wanted one that neither has: the same one whenever it is asked for. */
void rtl_put_spare(rtl_writer *w, const char *wanted, const char *ending);

/* `// ` and part of a comment that stands in one line: whatever its characters are, it ends there. */
void rtl_put_comment(rtl_writer *w, const char *line, size_t size);
/* The comment (NULL: none) as `// ` lines at this indentation, wrapped. */
void rtl_print_comment(rtl_writer *w, const char *comment, int indent);
/* (* ... *) and a line end, when there are attributes; tells the caller of the printer which line the item is on. */
void rtl_print_above(rtl_writer *w, weir_rtl_item item, const rtl_common *common, int indent);

/* What stands behind the name of an item with the attribute `verilator_public`, the comment of that text; NULL: nothing. */
const char *rtl_public_of(const weir_rtl_design *design, const rtl_common *common);

/* The width and dimensions of something declared: `signed [7:0]`, without a blank in front. */
void rtl_print_type(rtl_writer *w, uint32_t type, rtl_size width, bool is_signed);

/* A formula in Verilog, without blanks; as an operand, in parentheses where it is an operation. A size likewise. */
void rtl_print_formula(rtl_writer *w, uint32_t formula, bool is_operand);
void rtl_print_size(rtl_writer *w, rtl_size size, bool is_operand);
/* [high:low], the size being above the high one. */
void rtl_print_bounds(rtl_writer *w, rtl_size low, rtl_size width);

#endif
