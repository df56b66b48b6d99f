/* The hardware IR: a design owns modules; a module has parameters, ports, variables, instances of other modules and
 * statements. Everything Weir emits as Verilog is built here and printed by print.h.
 * Handles are 32-bit ids into tables of the design; id 0 is "none". A call that fails reports the error, counts it in
 * the design and returns none; calls that are handed none stay silent. So a builder checks weir_rtl_errors once, at
 * the end. Names are copied. Every call costs constant time on average, whatever the size of the design. */
#ifndef WEIR_RTLIR_RTL_H
#define WEIR_RTLIR_RTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/types.h"
#include "support/text/diag.h"

typedef struct weir_rtl_module {
    uint32_t id;
} weir_rtl_module;
typedef struct weir_rtl_var {
    uint32_t id;
} weir_rtl_var;
typedef struct weir_rtl_parameter {
    uint32_t id;
} weir_rtl_parameter;
typedef struct weir_rtl_expr {
    uint32_t id;
} weir_rtl_expr;
typedef struct weir_rtl_instance {
    uint32_t id;
} weir_rtl_instance;
typedef struct weir_rtl_stmt {
    uint32_t id;
} weir_rtl_stmt;
/* A list of statements: a module's body, the body of an always block, a branch. */
typedef struct weir_rtl_block {
    uint32_t id;
} weir_rtl_block;

typedef struct weir_rtl_type {
    uint32_t id;
} weir_rtl_type;
typedef struct weir_rtl_function {
    uint32_t id;
} weir_rtl_function;
/* interface.h */
typedef struct weir_rtl_interface {
    uint32_t id;
} weir_rtl_interface;
typedef struct weir_rtl_modport {
    uint32_t id;
} weir_rtl_modport;
typedef struct weir_rtl_group {
    uint32_t id;
} weir_rtl_group;
/* fsm.h */
typedef struct weir_rtl_fsm {
    uint32_t id;
} weir_rtl_fsm;
typedef struct weir_rtl_state {
    uint32_t id;
} weir_rtl_state;

/* formula.h */
typedef struct weir_rtl_formula {
    uint32_t id;
} weir_rtl_formula;

/* Widths are 1 to this many bits; arrays have 1 to this many elements. */
enum { WEIR_RTL_MAX_WIDTH = 1 << 20, WEIR_RTL_MAX_ELEMENTS = 1 << 24 };

typedef enum weir_rtl_direction {
    WEIR_RTL_INTERNAL, /* not a port */
    WEIR_RTL_INPUT,
    WEIR_RTL_OUTPUT,
    WEIR_RTL_INOUT
} weir_rtl_direction;

/* What a variable carries. Clocks, resets and enables have one bit; a clock or reset input takes only a variable of
 * its own kind, a constant, or an expression that weir_rtl_as says is one. */
typedef enum weir_rtl_kind {
    WEIR_RTL_DATA,
    WEIR_RTL_CLOCK,
    WEIR_RTL_RESET,
    WEIR_RTL_ASYNC_RESET,
    WEIR_RTL_CLOCK_ENABLE
} weir_rtl_kind;

/* Designs. */
weir_rtl_design *weir_rtl_design_new(void);
void weir_rtl_design_free(weir_rtl_design *design);
/* The folder of the library whose modules are read into the design, kept by whoever found it; NULL: none has. */
const char *weir_rtl_library(const weir_rtl_design *design);
void weir_rtl_set_library(weir_rtl_design *design, const char *folder);
/* Errors reported while building, reading and verifying this design. */
size_t weir_rtl_errors(const weir_rtl_design *design);

/* Provenance: items made after this call carry this source location and were touched by this pass (NULL: none). */
void weir_rtl_set_location(weir_rtl_design *design, weir_location location);
/* And until the next location this is what it is made for: "node 'fc1' (Linear)"; NULL: unknown. */
void weir_rtl_set_subject(weir_rtl_design *design, const char *subject);
void weir_rtl_set_pass(weir_rtl_design *design, const char *pass);

/* Modules. The name must be free. */
weir_rtl_module weir_rtl_add_module(weir_rtl_design *design, const char *name);
/* The name may be that of other modules, until a pass makes names unique. */
weir_rtl_module weir_rtl_add_generator(weir_rtl_design *design, const char *name);
/* The first one of the name, none when absent; the next one of the same name. */
weir_rtl_module weir_rtl_find_module(const weir_rtl_design *design, const char *name);
weir_rtl_module weir_rtl_next_namesake(const weir_rtl_design *design, weir_rtl_module module);
/* All modules in order of creation. */
size_t weir_rtl_module_count(const weir_rtl_design *design);
weir_rtl_module weir_rtl_first_module(const weir_rtl_design *design);
weir_rtl_module weir_rtl_next_module(const weir_rtl_design *design, weir_rtl_module module);
/* A stub has ports and no content yet. */
void weir_rtl_set_stub(weir_rtl_design *design, weir_rtl_module module, bool is_stub);
/* An external module has ports and parameters but its text lives elsewhere: it is neither verified nor printed. */
void weir_rtl_set_external(weir_rtl_design *design, weir_rtl_module module);

/* Names. A legal name is a simple identifier that is not a keyword of Verilog-2005 or SystemVerilog. */
bool weir_rtl_name_is_legal(const char *name);
/* A legal name near the requested text that is free in the module, or free as a module's name; lives as long as the
 * design. It is not taken by asking: declare it before asking again. */
const char *weir_rtl_free_name(weir_rtl_design *design, weir_rtl_module module, const char *wanted);
const char *weir_rtl_free_module_name(weir_rtl_design *design, const char *wanted);

/* Ports, in the order in which they are added, and internal variables. */
weir_rtl_var weir_rtl_add_port(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                               weir_rtl_direction direction, weir_rtl_kind kind, bool is_signed);
weir_rtl_var weir_rtl_add_input(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width);
weir_rtl_var weir_rtl_add_output(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width);
weir_rtl_var weir_rtl_add_clock(weir_rtl_design *design, weir_rtl_module module, const char *name);
weir_rtl_var weir_rtl_add_reset(weir_rtl_design *design, weir_rtl_module module, const char *name);
weir_rtl_var weir_rtl_add_wire(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width);
weir_rtl_var weir_rtl_add_wire_signed(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                      uint32_t width);
weir_rtl_var weir_rtl_add_wire_of(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                  weir_rtl_kind kind); /* one bit */
/* Assigned in always blocks; an output becomes a register by being assigned in one. */
weir_rtl_var weir_rtl_add_register(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                                   bool is_signed);
/* A wire or a register, as its assignments will say. */
weir_rtl_var weir_rtl_add_variable(weir_rtl_design *design, weir_rtl_module module, const char *name, uint32_t width,
                                   bool is_signed);
/* The same, of the width, sign, kind and type of an expression. */
weir_rtl_var weir_rtl_add_variable_like(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                        weir_rtl_expr like);
/* The variable of a loop (weir_rtl_add_for), a signed 32-bit integer that only its loop assigns. */
weir_rtl_var weir_rtl_add_iterator(weir_rtl_design *design, weir_rtl_module module, const char *name);
/* A signal inside an instance by its hierarchical name, such as "dut.fc1_valid": for benches. It can only be read, and
 * is neither declared nor checked: the simulator looks it up. */
weir_rtl_var weir_rtl_add_path(weir_rtl_design *design, weir_rtl_module module, const char *path, uint32_t width);
weir_rtl_var weir_rtl_find_var(const weir_rtl_design *design, weir_rtl_module module, const char *name);

/* Parameters of a module, with their defaults; a local one cannot be overridden. */
weir_rtl_parameter weir_rtl_add_parameter(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                          int64_t value);
weir_rtl_parameter weir_rtl_add_parameter_string(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                                 const char *value);
weir_rtl_parameter weir_rtl_add_local(weir_rtl_design *design, weir_rtl_module module, const char *name, int64_t value);
weir_rtl_parameter weir_rtl_add_local_string(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                             const char *value);

/* Instances: `module` of the design inside `parent`. Parameters that are not set keep their default; every
 * port is connected or, an output, left open: weir_rtl_verify says which are missing and compares widths, once all
 * overrides are known. */
weir_rtl_instance weir_rtl_add_instance(weir_rtl_design *design, weir_rtl_module parent, weir_rtl_module module,
                                        const char *name);
/* The same, wired by assignments to and from its ports (weir_rtl_read_port): outputs that nothing reads may stay
 * unconnected. A pass makes connections of the assignments. */
weir_rtl_instance weir_rtl_add_wired_instance(weir_rtl_design *design, weir_rtl_module parent, weir_rtl_module module,
                                              const char *name);
void weir_rtl_set_parameter(weir_rtl_design *design, weir_rtl_instance instance, const char *name, int64_t value);
void weir_rtl_set_parameter_string(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                                   const char *value);
/* A constant of any width, or a parameter of the parent. */
void weir_rtl_set_parameter_expr(weir_rtl_design *design, weir_rtl_instance instance, const char *name,
                                 weir_rtl_expr value);
/* An input takes any expression of the parent, an output what can be the target of an assignment. Bits are carried as
 * they are: widths must agree, signs need not. */
void weir_rtl_connect(weir_rtl_design *design, weir_rtl_instance instance, const char *port, weir_rtl_expr value);
/* Leaves the output open on purpose. */
void weir_rtl_leave_open(weir_rtl_design *design, weir_rtl_instance instance, const char *port);
/* Width of a port, value of an integer parameter under the overrides made so far; 0 and false after an error. */
uint32_t weir_rtl_port_width(weir_rtl_design *design, weir_rtl_instance instance, const char *port);
bool weir_rtl_parameter_value(weir_rtl_design *design, weir_rtl_instance instance, const char *name, int64_t *value);

/* Anything that carries a comment, attributes and provenance; make one with WEIR_RTL_ITEM(handle). */
typedef struct weir_rtl_item {
    enum weir_rtl_item_kind {
        WEIR_RTL_ITEM_MODULE,
        WEIR_RTL_ITEM_VAR,
        WEIR_RTL_ITEM_PARAMETER,
        WEIR_RTL_ITEM_INSTANCE,
        WEIR_RTL_ITEM_STMT
    } kind;
    uint32_t id;
} weir_rtl_item;

static inline weir_rtl_item weir_rtl_item_module(weir_rtl_module module) {
    return (weir_rtl_item){WEIR_RTL_ITEM_MODULE, module.id};
}
static inline weir_rtl_item weir_rtl_item_var(weir_rtl_var var) { return (weir_rtl_item){WEIR_RTL_ITEM_VAR, var.id}; }
static inline weir_rtl_item weir_rtl_item_parameter(weir_rtl_parameter parameter) {
    return (weir_rtl_item){WEIR_RTL_ITEM_PARAMETER, parameter.id};
}
static inline weir_rtl_item weir_rtl_item_instance(weir_rtl_instance instance) {
    return (weir_rtl_item){WEIR_RTL_ITEM_INSTANCE, instance.id};
}
static inline weir_rtl_item weir_rtl_item_stmt(weir_rtl_stmt stmt) {
    return (weir_rtl_item){WEIR_RTL_ITEM_STMT, stmt.id};
}
#define WEIR_RTL_ITEM(handle)                                                                                          \
    _Generic((handle), weir_rtl_module                                                                                 \
             : weir_rtl_item_module, weir_rtl_var                                                                      \
             : weir_rtl_item_var, weir_rtl_parameter                                                                   \
             : weir_rtl_item_parameter, weir_rtl_instance                                                              \
             : weir_rtl_item_instance, weir_rtl_stmt                                                                   \
             : weir_rtl_item_stmt)(handle)

/* Printed above (or, when short, beside) the item; lines are separated by '\n'. NULL removes it. */
void weir_rtl_set_comment(weir_rtl_design *design, weir_rtl_item item, const char *text);
/* (* name *) or, with a text or a number, (* name = value *); a repeated name replaces its value. */
void weir_rtl_set_attribute(weir_rtl_design *design, weir_rtl_item item, const char *name);
void weir_rtl_set_attribute_string(weir_rtl_design *design, weir_rtl_item item, const char *name, const char *value);
void weir_rtl_set_attribute_integer(weir_rtl_design *design, weir_rtl_item item, const char *name, int64_t value);
void weir_rtl_remove_attribute(weir_rtl_design *design, weir_rtl_item item, const char *name);
bool weir_rtl_has_attribute(const weir_rtl_design *design, weir_rtl_item item, const char *name);
bool weir_rtl_has_attributes(const weir_rtl_design *design, weir_rtl_item item); /* any */
const char *weir_rtl_attribute_string(const weir_rtl_design *design, weir_rtl_item item,
                                      const char *name); /* or NULL */
int64_t weir_rtl_attribute_integer(const weir_rtl_design *design, weir_rtl_item item, const char *name,
                                   int64_t otherwise);
/* Is it set, and neither to 0 nor to "false"? */
bool weir_rtl_attribute_flag(const weir_rtl_design *design, weir_rtl_item item, const char *name, bool otherwise);
typedef enum weir_rtl_attribute_kind {
    WEIR_RTL_ATTRIBUTE_FLAG,
    WEIR_RTL_ATTRIBUTE_TEXT,
    WEIR_RTL_ATTRIBUTE_INTEGER
} weir_rtl_attribute_kind;
typedef struct weir_rtl_attribute_info {
    const char *name;
    weir_rtl_attribute_kind kind;
    const char *text;
    int64_t integer;
} weir_rtl_attribute_info;
/* index < attribute_count of weir_rtl_get_item, in the order in which they were set. */
weir_rtl_attribute_info weir_rtl_attribute_at(const weir_rtl_design *design, weir_rtl_item item, size_t index);
/* Comment, attributes, location and trail of one item to another, instead of its location and trail. */
void weir_rtl_copy_item(weir_rtl_design *design, weir_rtl_item from, weir_rtl_item to);
/* Only location and trail: what was made for the sake of something else comes from where that does. */
void weir_rtl_copy_location(weir_rtl_design *design, weir_rtl_item from, weir_rtl_item to);
/* Adds the current pass to the item's trail, once. */
void weir_rtl_touch(weir_rtl_design *design, weir_rtl_item item);

/* Ids of the design's items of a kind are below this: for tables by id. */
size_t weir_rtl_id_limit(const weir_rtl_design *design, enum weir_rtl_item_kind kind);

/* Reading back. The structs are copies; their texts belong to the design. A handle must not be none. */
typedef struct weir_rtl_item_info {
    const char *comment; /* or NULL */
    weir_location location;
    size_t pass_count; /* passes that touched it, see weir_rtl_item_pass */
    size_t attribute_count;
} weir_rtl_item_info;
weir_rtl_item_info weir_rtl_get_item(const weir_rtl_design *design, weir_rtl_item item);
/* The name of pass number `index`, the first one to touch it being 0. */
const char *weir_rtl_item_pass(const weir_rtl_design *design, weir_rtl_item item, size_t index);

typedef struct weir_rtl_module_info {
    const char *name;
    const char *path; /* the file that an external module was read from, else NULL */
    const char *text; /* what the file held, with a zero byte behind it; NULL without a file */
    size_t text_size;
    bool is_external, is_stub;
    size_t port_count, var_count /* ports included */, parameter_count, instance_count;
    size_t condition_count; /* that its file states for its parameters, see reader/read.h */
    size_t inner_count;     /* instances that its file has */
    weir_rtl_block body;
} weir_rtl_module_info;
weir_rtl_module_info weir_rtl_get_module(const weir_rtl_design *design, weir_rtl_module module);
/* The name of the undefined module that stands for the condition. */
const char *weir_rtl_condition_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);
/* The name of the module of an instance in the file. */
const char *weir_rtl_inner_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);
weir_rtl_var weir_rtl_port_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);
/* All variables, ports included, in order of creation; ask for the next one before removing one. */
weir_rtl_var weir_rtl_first_var(const weir_rtl_design *design, weir_rtl_module module);
weir_rtl_var weir_rtl_next_var(const weir_rtl_design *design, weir_rtl_var var);
weir_rtl_parameter weir_rtl_parameter_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);
weir_rtl_instance weir_rtl_instance_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);

typedef struct weir_rtl_var_info {
    const char *name;
    weir_rtl_module module;
    uint32_t width; /* with all parameters at their defaults; of an external module's port, 0 when that is none */
    weir_rtl_formula formula; /* of the width (formula.h); none: it is a number */
    uint32_t port;            /* index among the ports, when it is one */
    weir_rtl_direction direction;
    weir_rtl_kind kind;
    bool is_signed;
    bool is_register;
    bool is_undecided;
    bool is_path;
    bool is_iterator;
    weir_rtl_type type;         /* none: a plain vector */
    weir_rtl_function function; /* whose argument or variable it is */
} weir_rtl_var_info;
weir_rtl_var_info weir_rtl_get_var(const weir_rtl_design *design, weir_rtl_var var);

typedef struct weir_rtl_parameter_info {
    const char *name;
    weir_rtl_module module;
    bool is_local;
    bool has_integer; /* the default is this integer */
    int64_t integer;
    const char *text; /* the default, when it is a string */
    bool is_bounded;  /* low to high is what it takes */
    int64_t low, high;
    weir_rtl_formula formula; /* that the default is of other parameters, else none */
} weir_rtl_parameter_info;
weir_rtl_parameter weir_rtl_find_parameter(const weir_rtl_design *design, weir_rtl_module module, const char *name);
weir_rtl_parameter_info weir_rtl_get_parameter(const weir_rtl_design *design, weir_rtl_parameter parameter);

typedef struct weir_rtl_instance_info {
    const char *name;
    weir_rtl_module parent, module;
    weir_rtl_stmt stmt; /* its position among the statements of the parent */
    bool is_wired;
} weir_rtl_instance_info;
weir_rtl_instance weir_rtl_find_instance(const weir_rtl_design *design, weir_rtl_module module, const char *name);
weir_rtl_instance_info weir_rtl_get_instance(const weir_rtl_design *design, weir_rtl_instance instance);
/* What a port of the instance's module is connected to; none when it is open or unconnected. */
typedef struct weir_rtl_connection {
    weir_rtl_expr value;
    bool is_open; /* on purpose */
} weir_rtl_connection;
weir_rtl_connection weir_rtl_connection_of(const weir_rtl_design *design, weir_rtl_instance instance,
                                           weir_rtl_var port);
weir_rtl_expr weir_rtl_connection_at(const weir_rtl_design *design, weir_rtl_instance instance, size_t port);
/* The value that the instance gives a parameter: an expression, a text, a formula (formula.h), or else the integer. */
typedef struct weir_rtl_override {
    bool is_set;
    weir_rtl_expr value;
    weir_rtl_formula formula;
    const char *text;
    int64_t integer;
} weir_rtl_override;
weir_rtl_override weir_rtl_override_of(const weir_rtl_design *design, weir_rtl_instance instance,
                                       weir_rtl_parameter parameter);

#endif
