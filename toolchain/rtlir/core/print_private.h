/* The text of names and expressions, which messages quote and the Verilog printer (verilog/) builds on. */
#ifndef WEIR_RTLIR_PRINT_PRIVATE_H
#define WEIR_RTLIR_PRINT_PRIVATE_H

#include "rtlir/core/private.h"

struct weir_rtl_print_options;

/* A blank where a long line may be wrapped. It occurs in no name, number or printed string. */
#define RTL_BREAK '\x01'

/* What types and members of enums are called in a text: nothing else has these names where it is read. */
typedef struct rtl_type_names {
    const char **type;   /* by type */
    const char **member; /* by field */
    rtl_labels given;    /* all of them */
} rtl_type_names;

/* The named types of a design in SystemVerilog. */
struct weir_rtl_package {
    char *name;
    weir_text text; /* empty: there are no types */
    rtl_type_names names;
    rtl_ids scopes;                    /* modules that names are looked up in, and their functions */
    struct rtl_interfaces *interfaces; /* NULL: there are none */
};

/* The interfaces of a design in SystemVerilog. */
typedef struct rtl_interfaces {
    uint32_t top;
    char *package;             /* that has the types of fields */
    weir_rtl_group_plan *plan; /* by group */
    const char **name;         /* by interface */
} rtl_interfaces;

/* The text being written. */
typedef struct rtl_writer {
    weir_rtl_design *design;
    const struct weir_rtl_print_options *options; /* of verilog/; NULL: messages */
    bool is_system;                               /* SystemVerilog, else Verilog-2005 */
    bool is_message;                              /* neither: parts and constants as they are written in a text form */
    weir_text *text;
    uint32_t module;
    size_t columns;
    size_t line_start; /* of the line that rtl_begin_line began, and its indentation */
    int indent;
    bool is_target; /* parts keep their name: no $signed(...) */
    size_t counted; /* characters whose lines were counted, from `start` on */
    size_t start;
    int line;
    bool waits_for_nothing;     /* that process reads only what it makes itself */
    uint32_t trigger, triggers; /* number of the wire that this process waits for (0: none), and of the last one */
    const struct weir_rtl_package *package; /* that named types are in, NULL: none */
    struct weir_rtl_package *own;           /* of a module that is printed alone */
    bool imports;                           /* the module uses named types */
    const rtl_type_names *names;            /* NULL: types and members have their own */
    const bool *shared;                     /* by variable: nets with several drivers; of a module that is printed */
    rtl_type_names own_names;               /* of the enums of a module in Verilog-2005 */
    rtl_ids scopes;     /* that new names must differ in, once one is printed: the module, its functions */
    rtl_labels spares;  /* names that were made up: these, and as they were wanted */
    uint32_t exit_flag; /* statement (loop or function) whose flag a break or a return sets; 0: it needs none */
} rtl_writer;

static inline bool rtl_is_system(const rtl_writer *w) { return w->is_system; }

/* Single pieces; numbers are decimal. */
static inline void rtl_put(rtl_writer *w, const char *string) { rtl_append_string(w->text, string); }
static inline void rtl_put_char(rtl_writer *w, char c) { rtl_append_char(w->text, c); }
static inline void rtl_put_number(rtl_writer *w, uint64_t value) { rtl_append_number(w->text, value); }
/* [high:low], [bit] when they are the same. */
void rtl_put_range(rtl_writer *w, uint64_t high, uint64_t low);

/* Names (print_names.c). Of a type, of a member of an enum: as the text has them. */
void rtl_put_type_name(rtl_writer *w, uint32_t type);
void rtl_print_member(rtl_writer *w, uint32_t field);
/* Is it one of these names, or a type or a member of an enum? */
bool rtl_has_name(const weir_rtl_design *design, const rtl_labels *taken, const char *name);
bool rtl_is_taken(const rtl_labels *taken, const char *name);
/* Scopes that names are looked up in: a module and its functions. Modules count in all: one that is the top is an
 * instance around what is in it. */
bool rtl_is_in_scopes(const weir_rtl_design *design, const rtl_ids *scopes, const char *name);
void rtl_add_scopes(const weir_rtl_design *design, uint32_t module, rtl_ids *scopes);
/* The named type at the end of dimensions, 0: none. */
uint32_t rtl_named_type(const weir_rtl_design *design, uint32_t type);
/* The interfaces of the package, NULL: there are none; is the group one of them? */
const rtl_interfaces *rtl_interfaces_of(const rtl_writer *w);
bool rtl_is_planned(const rtl_interfaces *interfaces, uint32_t group);
/* The interface that the variable is a member of in the text, as a group, 0: none; is it the first member of its
 * ports? */
uint32_t rtl_interface_of(const rtl_writer *w, uint32_t var);
bool rtl_leads_interface(const weir_rtl_design *design, uint32_t var);
/* The variable's name, `group.field` of a member. */
void rtl_put_var(rtl_writer *w, uint32_t var);
void rtl_put_group_member(rtl_writer *w, const rtl_group *group, uint32_t field);
/* A name near the requested one that nothing else has: not the module, its functions, types and members, not another
 * name that was made up; the same one whenever it is asked for. */
void rtl_put_spare(rtl_writer *w, const char *wanted, const char *ending);

/* Names for types (type_names.c): those of the used types in a text that is read with the scopes (in a package of the
 * name; NULL: only members). */
rtl_type_names rtl_name_types(weir_rtl_design *design, const bool *used, const rtl_ids *scopes, const char *package);
void rtl_free_type_names(rtl_type_names *names);
/* Adds the names of one module: of it, what it declares, the functions that it calls in the simulation. What was
 * removed has none, as it has none when the design is read back. */
void rtl_take_names(const weir_rtl_design *design, uint32_t module, rtl_labels *taken);
/* Of all that is neither a type nor a member of an enum, wherever it is. */
void rtl_take_all(weir_rtl_design *design, rtl_labels *taken);

/* An expression with break marks; a target without $signed(...) around its parts. */
void rtl_print_broken(rtl_writer *w, uint32_t expr);
void rtl_print_target(rtl_writer *w, uint32_t expr);
/* A value as the target's type wants it: SystemVerilog assigns no vector to an enum. */
void rtl_print_value(rtl_writer *w, uint32_t type, uint32_t expr);
void rtl_print_string(const char *string, weir_text *text);
void rtl_print_integer(int64_t value, weir_text *text);
/* The width and dimensions of something declared: `signed [7:0]`, without a blank before it. */
void rtl_print_type(rtl_writer *w, uint32_t type, rtl_size width, bool is_signed);

/* A formula in Verilog, without blanks; as an operand, in parentheses where it is an operation. A size likewise. */
void rtl_print_formula(rtl_writer *w, uint32_t formula, bool is_operand);
void rtl_print_size(rtl_writer *w, rtl_size size, bool is_operand);
/* [high:low], the size being above the high one. */
void rtl_print_bounds(rtl_writer *w, rtl_size low, rtl_size width);

#endif
