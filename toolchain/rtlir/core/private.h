/* The records of the handles of rtl.h, expr.h and stmt.h; included by the files of this folder only. Record tables are
 * heap arrays indexed by id, with an unused record 0; texts and fixed-size payloads live in the design's arena. Records
 * are never moved between ids and never freed one by one. */
#ifndef WEIR_RTLIR_PRIVATE_H
#define WEIR_RTLIR_PRIVATE_H

#include <assert.h>
#include <string.h>

#include "rtlir/core/expr.h"
#include "rtlir/core/fsm.h"
#include "rtlir/core/function.h"
#include "rtlir/core/interface.h"
#include "rtlir/core/rtl.h"
#include "rtlir/core/stmt.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"
#include "support/memory/intern.h"
#include "support/memory/map.h"
#include "support/text/text.h"

enum {
    RTL_MAX_EXPR_SIZE = UINT16_MAX, /* nodes of one expression, shared ones counted each time */
    RTL_MAX_DEPTH = 2000            /* nesting of expressions and of blocks: bounds the recursion over them */
};

/* Scopes of names other than a module's: those of functions, machines; of types, interfaces among the types. */
#define RTL_FUNCTION_SCOPE (UINT32_C(1) << 31)
#define RTL_FSM_SCOPE (UINT32_C(1) << 30)
#define RTL_TYPE_SCOPE (UINT32_C(3) << 30)
#define RTL_INTERFACE_SCOPE UINT32_C(1)

#define RTL_OPEN UINT32_MAX /* a connection that was left open on purpose */

/* A growing array of ids. */
typedef struct rtl_ids {
    uint32_t *id;
    size_t count, capacity;
} rtl_ids;

/* What every item starts with: where it comes from, and an entry for what few items have. */
typedef struct rtl_common {
    uint32_t origin, extra;
} rtl_common;

/* Shared by all items made at one location by one pass. */
typedef struct rtl_origin {
    const char *file;
    int line;
    const char *subject; /* what of that location it is made for, or NULL */
    uint32_t trail;      /* list of rtl_trail, the last pass first; lists alike have one id */
    bool is_implicit;    /* the location is that in a text form, which does not name it */
    bool is_from;        /* the file is the one that the text form says it was written from */
} rtl_origin;

typedef struct rtl_extra {
    const char *comment;
    uint32_t attributes; /* list of rtl_attribute */
} rtl_extra;

typedef struct rtl_attribute {
    const char *name;
    const char *text;
    int64_t integer;
    weir_rtl_attribute_kind kind;
    uint32_t next;
} rtl_attribute;

typedef struct rtl_trail {
    const char *pass;
    uint32_t previous;
} rtl_trail;

typedef struct rtl_module {
    rtl_common common;
    const char *name;
    const char *path, *text; /* of its file */
    size_t text_size;
    rtl_ids ports, parameters, instances, groups;
    bool is_parametrised;                    /* something in it has a formula: never taken back */
    uint32_t first_var, last_var, var_count; /* a list, so that variables can be removed at any time */
    uint32_t port_slots, parameter_slots;    /* used so far: a slot does not change when ports are added or removed */
    uint32_t first_condition, condition_count;
    uint32_t first_inner, inner_count;
    uint32_t same_next, same_previous; /* ring of the modules that share the name; itself when it is unique */
    uint32_t body;
    bool is_external, is_stub, is_removed;
} rtl_module;

typedef struct rtl_var {
    rtl_common common;
    const char *name;
    uint32_t module, width, next, previous;
    uint32_t port, slot; /* of a port: position in the list, index into the connections of instances */
    uint32_t range;      /* formulas of the range of a library module's port; 0 when the width is fixed */
    uint32_t read;       /* the expression that reads it, once made */
    uint32_t formula;    /* of its width, in normal form; 0: `width` is all there is */
    uint32_t type;       /* 0: a plain vector */
    uint32_t function;   /* whose argument or variable it is; 0: the module's */
    uint32_t group;      /* that it is a field of, or 0 */
    weir_rtl_direction direction;
    weir_rtl_kind kind : 8;
    bool is_signed : 1;
    bool is_register : 1;
    bool is_undecided : 1; /* wire or register, as its assignments say */
    bool is_path : 1;      /* named by a hierarchical path: read here, declared and driven below */
    bool is_iterator : 1;  /* only its loop assigns it */
    bool is_removed : 1;
} rtl_var;

/* A field of a struct or a union, a member of an enum. */
typedef struct rtl_field {
    const char *name;
    weir_rtl_shape shape;
    uint32_t above; /* bits of the struct above it */
    uint32_t next;
    uint64_t value;
} rtl_field;

typedef struct rtl_type {
    weir_rtl_type_kind kind;
    const char *name; /* NULL: an array */
    uint32_t width, count;
    uint32_t first, last;            /* fields or members */
    uint64_t top;                    /* the largest value of a member */
    uint32_t formula, count_formula; /* of an array: formulas of width and count, or 0; the element's is in its shape */
    weir_rtl_shape element;
    bool is_used; /* by a variable, a field or an array: complete */
} rtl_type;

/* A field of an interface. */
typedef struct rtl_signal {
    const char *name;
    weir_rtl_shape shape;
    weir_rtl_kind kind;
} rtl_signal;

typedef struct rtl_interface {
    const char *name;
    rtl_signal *field;
    uint32_t count;
    size_t capacity;
    rtl_ids modports;
    bool is_used; /* by a group: complete */
} rtl_interface;

typedef struct rtl_modport {
    const char *name;
    uint32_t interface;
    unsigned char *direction; /* by field; WEIR_RTL_INTERNAL: not there */
} rtl_modport;

typedef struct rtl_group {
    const char *name;
    uint32_t module, interface;
    uint32_t modport; /* 0: internal variables */
    uint32_t *var;    /* by field; 0: not there */
    bool is_flipped, is_removed;
    bool is_interface; /* becomes one in SystemVerilog */
} rtl_group;

typedef struct rtl_function {
    const char *name;
    uint32_t module, stmt, width;
    bool is_signed, is_removed;
    rtl_ids arguments, locals;
} rtl_function;

typedef struct rtl_fsm {
    const char *name;
    uint32_t module, stmt;
    uint32_t parent; /* the machine that it is in, 0 for an outermost one, which has what follows */
    uint32_t clock, reset;
    uint32_t start;   /* state; 0 or a removed one: the first one */
    uint32_t current; /* the variable that holds the state; 0 until it is asked for */
    weir_rtl_edge edge;
    bool is_low, is_mealy, is_removed;
    bool is_warned; /* about what is odd but no error, which is said once */
} rtl_fsm;

typedef struct rtl_state {
    const char *name;
    uint32_t fsm, stmt;
    bool is_removed;
} rtl_state;

typedef struct rtl_loop {
    uint32_t iterator;
    int64_t start, end, step;
    uint32_t formula[3]; /* of these three, or 0 */
} rtl_loop;

typedef struct rtl_assertion {
    weir_rtl_assertion kind;
    weir_rtl_edge edge;
    bool is_property;                         /* at the edges of a clock, else when its process reaches it */
    uint32_t clock;                           /* of a property; 0: the only one of the module */
    uint32_t disable, antecedent, consequent; /* expressions; only the last one is never 0 */
    uint32_t low, high;
    const char *message; /* or NULL */
    const char *call;    /* a function of the simulation that is called on failure, or NULL */
} rtl_assertion;

/* Formulas of the bounds of a port's range. */
typedef struct rtl_range {
    uint32_t high, low;
} rtl_range;

/* What a library module's parameters must fulfil, as its file says it: the formula is not 0 where they do not. */
typedef struct rtl_condition {
    uint32_t formula;
    const char *name; /* of the undefined module that the file instantiates then */
} rtl_condition;

/* An instance inside a module that was read, where `guard` holds (0: always), and what it sets of the parameters; a
 * formula of 0 is beyond the reader. */
typedef struct rtl_inner {
    const char *module, *name; /* interned */
    uint32_t guard, first_setting, setting_count;
    int line;
    bool has_unknown_guard; /* is it there? That is beyond the reader */
    bool is_told;           /* that it is not checked */
} rtl_inner;

typedef struct rtl_setting {
    const char *parameter; /* interned */
    uint32_t formula;
} rtl_setting;

/* The value of a parameter. An opaque one is right for Verilog but of no use in a range. */
typedef struct rtl_value {
    enum {
        RTL_VALUE_NONE,
        RTL_VALUE_INTEGER,
        RTL_VALUE_STRING,
        RTL_VALUE_EXPR,
        RTL_VALUE_FORMULA, /* an override: of the parent's parameters */
        RTL_VALUE_OPAQUE
    } kind;
    uint32_t expr, formula; /* of these kinds, else 0 */
    int64_t integer;
    const char *text;
} rtl_value;

typedef struct rtl_parameter {
    rtl_common common;
    const char *name;
    uint32_t module, slot, formula;
    uint32_t deep;   /* of a local one: what it stands for, without local parameters; 0: itself */
    rtl_value value; /* the default, none when it cannot be computed */
    int64_t low, high;
    bool is_local, is_removed;
    bool is_made;    /* stands for a formula in a cast, which messages quote */
    bool is_bounded; /* low to high is what it takes */
} rtl_parameter;

typedef enum rtl_formula_kind {
    RTL_FORMULA_VALUE,
    RTL_FORMULA_PARAMETER, /* a: parameter */
    RTL_FORMULA_CLOG2,     /* a */
    RTL_FORMULA_UNARY,
    RTL_FORMULA_BINARY,
    RTL_FORMULA_CONDITIONAL /* a ? b : c */
} rtl_formula_kind;

/* A constant expression over the parameters of one module. */
typedef struct rtl_formula {
    rtl_formula_kind kind;
    weir_rtl_operator op;
    uint32_t a, b, c;
    uint32_t depth; /* levels: bounds the recursion of the evaluation */
    rtl_value value;
    /* symbolic.c: the record in normal form, once known (itself: it is one); of one in normal form, that without local
     * parameters, once known, and its number with all parameters at their defaults */
    uint32_t normal, deep;
    int64_t number;
    bool has_number;
} rtl_formula;

/* A number, or a formula with the number that it is by default. */
typedef struct rtl_size {
    int64_t number;
    uint32_t formula;
} rtl_size;

/* In which base a constant is written; no part of what it is. Of none: as its printer likes it. */
typedef enum rtl_base { RTL_BASE_NONE, RTL_BASE_BINARY, RTL_BASE_OCTAL, RTL_BASE_DECIMAL, RTL_BASE_HEX } rtl_base;
static inline int rtl_base_bits(rtl_base base) { /* of a digit; 0: decimal */
    return base == RTL_BASE_BINARY ? 1 : base == RTL_BASE_OCTAL ? 3 : base == RTL_BASE_DECIMAL ? 0 : 4;
}
/* A digit in a base that is a power of two; digit 0 is the lowest. */
static inline char rtl_digit(const uint64_t *words, uint32_t width, uint32_t digit, rtl_base base) {
    const uint32_t bits = (uint32_t)rtl_base_bits(base), low = digit * bits;
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits && low + i < width; i++)
        value |= (uint32_t)(words[(low + i) / 64] >> ((low + i) % 64) & 1) << i;
    return "0123456789abcdef"[value];
}

typedef struct rtl_expr {
    weir_rtl_expr_kind kind : 8;
    weir_rtl_operator op : 8;
    weir_rtl_kind carries : 8;
    bool is_signed : 1;
    bool has_parameter : 1; /* it computes with one, or has a formula in it */
    bool floats : 1;        /* it may be high impedance */
    rtl_base base : 8;      /* of a constant */
    uint32_t width, module;
    uint32_t formula; /* of the width; 0: it is a number */
    uint16_t size, depth;
    /* constant: a = first word; var, parameter: a = its id; port: a = instance, b = port; slice: a = variable or port
     * expression, b = low; select: a, b = base; element: a, b = index, c = type; field: a, b = the field, c = type;
     * concat, call: operands a to a + b - 1 of the operand table; call: c = function; constant: c = its enum; repeat:
     * a, b times; others: operands. Formulas: slice: c = that of low; repeat: c = that of times; constant: b = the
     * parameter whose bits it is */
    uint32_t a, b, c;
} rtl_expr;

typedef struct rtl_instance {
    rtl_common common;
    const char *name;
    uint32_t parent, module, stmt;
    uint32_t connection_count, override_count;
    uint32_t *connection; /* by the port's slot: expression, 0 or RTL_OPEN */
    rtl_value *override;  /* by the parameter's slot */
    bool is_wired, is_removed;
    bool is_named; /* there are expressions of its ports */
} rtl_instance;

typedef struct rtl_stmt {
    rtl_common common;
    weir_rtl_stmt_kind kind : 8;
    weir_rtl_timing timing : 8;
    uint32_t block; /* 0: removed */
    uint32_t next, previous;
    /* assign: target, value; instance, function, loop, assertion: a; if, case, item, return: a = condition, label or
     * value; always: a = events; machine, state: a; transition: a = condition or 0, b = state */
    uint32_t a, b;
    uint32_t body, other;
} rtl_stmt;

typedef struct rtl_event {
    weir_rtl_edge edge;
    uint32_t var, next;
} rtl_event;

typedef struct rtl_block {
    uint32_t module, owner, first, last, depth;
} rtl_block;

/* A walk over a block: when `current` is taken out of it, the cursor moves back to the one before it. */
typedef struct rtl_cursor {
    struct rtl_cursor *outer;
    uint32_t block, current;
    bool is_gone;
} rtl_cursor;

/* What a name means. The name and its scope are those of the record. */
typedef enum rtl_name_kind {
    RTL_NAME_NONE,
    RTL_NAME_MODULE, /* the first of those that share it */
    RTL_NAME_VAR,
    RTL_NAME_PARAMETER,
    RTL_NAME_INSTANCE,
    RTL_NAME_FUNCTION,
    RTL_NAME_FSM,
    RTL_NAME_STATE,
    RTL_NAME_GROUP
} rtl_name_kind;

typedef struct rtl_name {
    rtl_name_kind kind;
    uint32_t id;
} rtl_name;

/* Numbers by scope and text: the counters of weir_rtl_free_name, the files that were read. */
typedef struct rtl_label {
    const char *name; /* interned */
    uint32_t scope, number;
} rtl_label;

typedef struct rtl_labels {
    weir_map map; /* to the index in the list */
    rtl_label *label;
    size_t count, capacity;
} rtl_labels;

/* Every table of a design. */
#define RTL_TABLES(TABLE)                                                                                              \
    TABLE(rtl_module, module)                                                                                          \
    TABLE(rtl_var, var)                                                                                                \
    TABLE(rtl_range, range)                                                                                            \
    TABLE(rtl_condition, condition)                                                                                    \
    TABLE(rtl_inner, inner)                                                                                            \
    TABLE(rtl_setting, setting)                                                                                        \
    TABLE(rtl_parameter, parameter)                                                                                    \
    TABLE(rtl_formula, formula)                                                                                        \
    TABLE(rtl_expr, expr)                                                                                              \
    TABLE(rtl_instance, instance)                                                                                      \
    TABLE(rtl_stmt, stmt)                                                                                              \
    TABLE(rtl_block, block)                                                                                            \
    TABLE(rtl_event, event)                                                                                            \
    TABLE(rtl_type, type)                                                                                              \
    TABLE(rtl_field, field)                                                                                            \
    TABLE(rtl_function, function)                                                                                      \
    TABLE(rtl_interface, interface)                                                                                    \
    TABLE(rtl_modport, modport)                                                                                        \
    TABLE(rtl_group, group)                                                                                            \
    TABLE(rtl_fsm, fsm)                                                                                                \
    TABLE(rtl_state, state)                                                                                            \
    TABLE(rtl_loop, loop)                                                                                              \
    TABLE(rtl_assertion, assertion)                                                                                    \
    TABLE(rtl_origin, origin_entry)                                                                                    \
    TABLE(rtl_extra, extra)                                                                                            \
    TABLE(rtl_attribute, attribute)                                                                                    \
    TABLE(rtl_trail, trail_entry)                                                                                      \
    TABLE(uint32_t, operand)                                                                                           \
    TABLE(uint64_t, word)

/* And what is found by names and numbers:
 *   types     by name, interfaces in a scope of their own
 *   fields    members, by name and type; of members under 0 the type, 0 when several have the name
 *   touched   origins by the origin before and the pass
 *   trails    by the trail before and the pass
 *   formulas  those in normal form, by what they are made of */
#define RTL_LABELS(LABELS)                                                                                             \
    LABELS(types)                                                                                                      \
    LABELS(fields)                                                                                                     \
    LABELS(counters)                                                                                                   \
    LABELS(paths)                                                                                                      \
    LABELS(touched)                                                                                                    \
    LABELS(trails)                                                                                                     \
    LABELS(formulas)

struct weir_rtl_design {
    weir_arena *arena;
    weir_strings *strings;
    size_t errors;
    bool is_muted; /* errors follow from others, which are reported */
    weir_location location;
    const char *subject;
    const char *pass;
    const char *library;  /* the folder that modules are read from by name; NULL: not known yet */
    const char *from;     /* the file that the text form says it was written from, or NULL */
    uint32_t origin;      /* of items made now; 0: to be made */
    bool keeps_origin;    /* `origin` is what it is, 0 for none */
    bool borrows_strings; /* a snapshot */
    weir_map names;       /* what a name in a scope stands for: kind and id */
    weir_map constants;   /* the expressions of those of up to 64 bits, by value */
    rtl_cursor *cursor;   /* the innermost walk that runs */
    size_t removed_modules;
#define RTL_TABLE(type, name)                                                                                          \
    type *name;                                                                                                        \
    size_t name##_count, name##_capacity;
    RTL_TABLES(RTL_TABLE)
#undef RTL_TABLE
#define RTL_LABEL_LIST(name) rtl_labels name;
    RTL_LABELS(RTL_LABEL_LIST)
#undef RTL_LABEL_LIST
};

/* The record of a handle or an id, 0 included; asserts that the design has it. */
#define RTL_RECORD(table)                                                                                              \
    static inline rtl_##table *rtl_##table##_at(const weir_rtl_design *design, uint32_t id) {                          \
        assert(id < design->table##_count);                                                                            \
        return &design->table[id];                                                                                     \
    }
RTL_RECORD(module)
RTL_RECORD(var)
RTL_RECORD(expr)
RTL_RECORD(stmt)
RTL_RECORD(instance)
RTL_RECORD(parameter)
RTL_RECORD(function)
RTL_RECORD(fsm)
RTL_RECORD(state)
RTL_RECORD(interface)
RTL_RECORD(modport)
RTL_RECORD(group)
RTL_RECORD(type)
RTL_RECORD(formula)
RTL_RECORD(block)
#undef RTL_RECORD

/* What `a` of a statement or an expression names: asserts that it is of the kind that has it. */
static inline rtl_loop *rtl_loop_of(const weir_rtl_design *design, const rtl_stmt *stmt) {
    assert(stmt->kind == WEIR_RTL_STMT_FOR && stmt->a < design->loop_count);
    return &design->loop[stmt->a];
}
static inline rtl_assertion *rtl_assertion_of(const weir_rtl_design *design, const rtl_stmt *stmt) {
    assert(stmt->kind == WEIR_RTL_STMT_ASSERT && stmt->a < design->assertion_count);
    return &design->assertion[stmt->a];
}
static inline rtl_fsm *rtl_fsm_of(const weir_rtl_design *design, const rtl_stmt *stmt) {
    assert(stmt->kind == WEIR_RTL_STMT_FSM && stmt->a < design->fsm_count);
    return &design->fsm[stmt->a];
}
static inline rtl_state *rtl_state_of(const weir_rtl_design *design, const rtl_stmt *stmt) {
    assert(stmt->kind == WEIR_RTL_STMT_STATE && stmt->a < design->state_count);
    return &design->state[stmt->a];
}
static inline rtl_function *rtl_function_of(const weir_rtl_design *design, const rtl_stmt *stmt) {
    assert(stmt->kind == WEIR_RTL_STMT_FUNCTION && stmt->a < design->function_count);
    return &design->function[stmt->a];
}
static inline rtl_var *rtl_var_of(const weir_rtl_design *design, const rtl_expr *expr) {
    assert(expr->kind == WEIR_RTL_EXPR_VAR && expr->a < design->var_count);
    return &design->var[expr->a];
}
static inline const uint64_t *rtl_words_of(const weir_rtl_design *design, const rtl_expr *expr) {
    assert(expr->kind == WEIR_RTL_EXPR_CONSTANT && expr->a < design->word_count);
    return &design->word[expr->a];
}

/* Appends a zeroed record to a table and gives its id. */
#define RTL_APPEND(design, table)                                                                                      \
    ((design)->table = weir_grow((design)->table, &(design)->table##_capacity, (design)->table##_count + 1,            \
                                 sizeof *(design)->table),                                                             \
     memset((design)->table + (design)->table##_count, 0, sizeof *(design)->table),                                    \
     (uint32_t)(design)->table##_count++)

/* weir_text_add_n and weir_text_char for texts of many short pieces: in place while the buffer has room. */
static inline void rtl_append(weir_text *text, const char *data, size_t size) {
    if (text->capacity - text->size <= size) {
        weir_text_add_n(text, data, size);
        return;
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}
static inline void rtl_append_char(weir_text *text, char c) { rtl_append(text, &c, 1); }
static inline void rtl_append_string(weir_text *text, const char *string) { rtl_append(text, string, strlen(string)); }
void rtl_append_number(weir_text *text, uint64_t value); /* decimal */

/* Reports an error and counts it. */
void rtl_error(weir_rtl_design *design, weir_location location, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The common part of a record made now. */
uint32_t rtl_add_trail(weir_rtl_design *design, const char *pass, uint32_t previous);
rtl_common rtl_common_now(weir_rtl_design *design);
void rtl_ids_add(rtl_ids *ids, uint32_t id);
void rtl_ids_remove(rtl_ids *ids, uint32_t id);
rtl_common *rtl_common_of(const weir_rtl_design *design, weir_rtl_item item);
weir_location rtl_location_of(const weir_rtl_design *design, const rtl_common *common);
const char *rtl_subject_of(const weir_rtl_design *design, const rtl_common *common);
const char *rtl_comment_of(const weir_rtl_design *design, const rtl_common *common); /* or NULL */
uint32_t rtl_attributes_of(const weir_rtl_design *design, const rtl_common *common); /* the first one */

/* Names (names.c). Names must be interned. Scope 0 holds modules, a module's id its own names. */
rtl_name rtl_names_find(const weir_rtl_design *design, uint32_t scope, const char *name);
void rtl_names_add(weir_rtl_design *design, rtl_name entry);
void rtl_names_remove(weir_rtl_design *design, rtl_name entry);
/* Interns the name and checks that it is legal and free in the scope; NULL after an error, which names `what`. */
const char *rtl_new_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name);
/* Only interns it and checks that it is legal. */
const char *rtl_legal_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name);
const rtl_label *rtl_labels_find(const rtl_labels *labels, uint32_t scope, const char *name); /* NULL: none */
void rtl_labels_set(rtl_labels *labels, const rtl_label *label);
void rtl_labels_free(rtl_labels *labels);
/* The nearest name of a port or a parameter of the module, or NULL. */
const char *rtl_nearest_port(const weir_rtl_design *design, uint32_t module, const char *name);
const char *rtl_nearest_parameter(const weir_rtl_design *design, uint32_t module, const char *name);

/* Files a module under its name: alone, or in the ring of those that have it already. */
void rtl_file_module(weir_rtl_design *design, uint32_t module);
void rtl_unfile_module(weir_rtl_design *design, uint32_t module);

uint32_t rtl_new_block(weir_rtl_design *design, uint32_t module, uint32_t owner);
/* Appends a statement of the kind to the block. */
uint32_t rtl_new_stmt(weir_rtl_design *design, uint32_t block, weir_rtl_stmt_kind kind);
/* Inserts a statement that is in no block before another one (0: at the end); takes it out of its block. */
void rtl_link_stmt(weir_rtl_design *design, uint32_t stmt, uint32_t block, uint32_t before);
void rtl_unlink_stmt(weir_rtl_design *design, uint32_t stmt);
/* The statement after this one inside `root`, outer ones first; 0 at the end. */
uint32_t rtl_walk_next(const weir_rtl_design *design, uint32_t stmt, uint32_t root);
/* The statement in a body of a module that this one is in: itself, or a process. */
uint32_t rtl_root_stmt(const weir_rtl_design *design, uint32_t stmt);
/* Brings a value to what an assignment to the target needs; 0 after an error. */
uint32_t rtl_fit_value(weir_rtl_design *design, uint32_t module, weir_rtl_expr target, weir_rtl_expr value);
/* Variables that a process assigns must not be wires; an output or an undecided one becomes a register. */
bool rtl_make_registers(weir_rtl_design *design, uint32_t target);
/* The process or function that the block is in, 0 for none; whether the module takes statements at all. */
uint32_t rtl_process_of(const weir_rtl_design *design, uint32_t block);
bool rtl_in_own_module(weir_rtl_design *design, uint32_t module);
/* May an assignment in the block give the target this value? Only tri-state drivers may be high impedance. Reports
 * it. */
bool rtl_check_floating(weir_rtl_design *design, weir_location location, uint32_t block, uint32_t target,
                        uint32_t value);
static inline bool rtl_is_process(weir_rtl_stmt_kind kind) {
    return kind == WEIR_RTL_STMT_ALWAYS || kind == WEIR_RTL_STMT_COMBINATIONAL || kind == WEIR_RTL_STMT_LATCH ||
           kind == WEIR_RTL_STMT_INITIAL || kind == WEIR_RTL_STMT_FINAL || kind == WEIR_RTL_STMT_FUNCTION ||
           kind == WEIR_RTL_STMT_FSM;
}
/* A machine or a part of one: takes assignments, and parts that fit. */
static inline bool rtl_is_machine(weir_rtl_stmt_kind kind) {
    return kind == WEIR_RTL_STMT_FSM || kind == WEIR_RTL_STMT_STATE || kind == WEIR_RTL_STMT_TRANSITION;
}
/* Where expression number `index` of a statement is kept, NULL after the last one; an assignment's target is the first
 * one. Connections of instances are not among them. */
uint32_t *rtl_stmt_slot(const weir_rtl_design *design, uint32_t stmt, size_t index);

/* May this statement's blocks hold statements? */
bool rtl_in_process(weir_rtl_design *design, uint32_t block);
uint32_t rtl_new_parameter(weir_rtl_design *design, uint32_t module, const char *name, uint32_t formula, bool is_local);
/* The port of an instance's module, 0 after an error that suggests the nearest name. */
uint32_t rtl_find_port(weir_rtl_design *design, uint32_t instance, const char *name);
uint32_t rtl_new_var(weir_rtl_design *design, uint32_t module, const rtl_var *model);

/* Stores an expression after accounting for its operands (0: none); a list takes any number (expr.c). */
weir_rtl_expr rtl_add_expr(weir_rtl_design *design, rtl_expr expr, uint32_t a, uint32_t b, uint32_t c);
/* A constant that fits; `type`: the enum whose member it is, or 0. */
weir_rtl_expr rtl_add_constant(weir_rtl_design *design, uint32_t width, bool is_signed, const uint64_t *words,
                               uint32_t type);
/* The constant, to be written in this base. */
weir_rtl_expr rtl_in_base(weir_rtl_design *design, weir_rtl_expr constant, rtl_base base);
weir_rtl_expr rtl_add_list(weir_rtl_design *design, rtl_expr expr, size_t count, const weir_rtl_expr *operands);
weir_rtl_expr rtl_new_constant(weir_rtl_design *design, rtl_expr expr, const uint64_t *words); /* not shared */
weir_rtl_expr rtl_slice(weir_rtl_design *design, weir_rtl_expr value, rtl_size low, rtl_size width);
weir_rtl_expr rtl_select(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base, rtl_size width);
weir_rtl_expr rtl_repeat(weir_rtl_design *design, rtl_size count, weir_rtl_expr value);
weir_rtl_expr rtl_high_z(weir_rtl_design *design, rtl_size width, bool is_signed);
/* A constant of so many bits, or (parameter not 0) the bits of a parameter. */
weir_rtl_expr rtl_sized_constant(weir_rtl_design *design, rtl_size width, bool is_signed, uint64_t value,
                                 uint32_t parameter);
weir_rtl_type rtl_new_array(weir_rtl_design *design, weir_rtl_type_kind kind, rtl_size count, weir_rtl_shape element);
weir_rtl_block rtl_add_for(weir_rtl_design *design, weir_rtl_block block, weir_rtl_var iterator,
                           const rtl_size bound[3]);
weir_rtl_var rtl_add_var(weir_rtl_design *design, weir_rtl_module module, const rtl_var *model);
/* Something that has parts: a variable, a port of an instance, an element, a field. */
static inline bool rtl_has_parts(weir_rtl_expr_kind kind) {
    return kind == WEIR_RTL_EXPR_VAR || kind == WEIR_RTL_EXPR_PORT || kind == WEIR_RTL_EXPR_ELEMENT ||
           kind == WEIR_RTL_EXPR_FIELD;
}
static inline bool rtl_is_part(weir_rtl_expr_kind kind) {
    return kind == WEIR_RTL_EXPR_SLICE || kind == WEIR_RTL_EXPR_SELECT || kind == WEIR_RTL_EXPR_ELEMENT ||
           kind == WEIR_RTL_EXPR_FIELD;
}
/* The operands of an expression from left to right; of a select or an element the variable and the index. */
size_t rtl_operand_count(const rtl_expr *expr);
uint32_t rtl_operand_at(const weir_rtl_design *design, const rtl_expr *expr, size_t index);

/* Types (type.c). Width and sign of a shape whose type decides them, false after an error; a field or a member by its
 * interned name, or 0. */
bool rtl_complete_shape(weir_rtl_design *design, const char *what, weir_rtl_shape *shape);
uint32_t rtl_find_field(const weir_rtl_design *design, uint32_t type, const char *name);
uint32_t rtl_type_of(const weir_rtl_design *design, uint32_t expr);
bool rtl_type_has_formula(const weir_rtl_design *design, uint32_t type);
uint32_t rtl_index_bits(uint32_t count); /* that the largest index of so many elements needs */
uint32_t rtl_member_of(const weir_rtl_design *design, uint32_t expr); /* the field that a constant names, or 0 */

/* Formulas (formula.c). */
uint32_t rtl_formula_value(weir_rtl_design *design, rtl_value value);
/* Parameter values of a module under the overrides (NULL: none), one a parameter, into heap memory. A value that cannot
 * be computed is none or opaque. */
rtl_value *rtl_evaluate_parameters(const weir_rtl_design *design, uint32_t module, const rtl_instance *instance);
/* The same under `given`, one a slot; of kind none where the module's own value counts. */
rtl_value *rtl_evaluate_with(const weir_rtl_design *design, uint32_t module, const rtl_value *given);
/* The formula's value; on failure *problem says what is wrong, and the value is none. What && and || make irrelevant
 * needs no value. */
rtl_value rtl_evaluate(const weir_rtl_design *design, uint32_t formula, const rtl_value *parameters,
                       const char **problem);
bool rtl_formula_depends_on(const weir_rtl_design *design, uint32_t formula, uint32_t parameter);
/* The same of an operator and its values. A problem that is known already stays when a value is none because of it. */
rtl_value rtl_evaluate_unary(weir_rtl_operator op, const rtl_value *a, const char **problem);
rtl_value rtl_evaluate_binary(weir_rtl_operator op, const rtl_value *a, const rtl_value *b, const char **problem);
rtl_value rtl_evaluate_clog2(const rtl_value *a, const char **problem);
/* The width of a port under these parameter values; 0 and a problem when there is none. */
uint32_t rtl_port_width(const weir_rtl_design *design, uint32_t var, const rtl_value *parameters, const char **problem);

/* The value of one operation; operands that are missing are none. */
rtl_value rtl_compute(const rtl_formula *formula, const rtl_value operand[3], const char **problem);
/* An override: an expression that is a constant becomes an integer. */
rtl_value rtl_plain_value(const weir_rtl_design *design, const rtl_value *value);

/* Formulas in normal form (symbolic.c): 0 after a reported error. */
uint32_t rtl_normalize(weir_rtl_design *design, uint32_t formula);
uint32_t rtl_number(weir_rtl_design *design, int64_t value);
uint32_t rtl_of_parameter(weir_rtl_design *design, uint32_t parameter);
uint32_t rtl_formula_apply(weir_rtl_design *design, rtl_formula operation);               /* operands in normal form */
bool rtl_formula_number(const weir_rtl_design *design, uint32_t formula, int64_t *value); /* false: no constant */
bool rtl_same_formula(weir_rtl_design *design, uint32_t a, uint32_t b);
uint32_t rtl_formula_module(const weir_rtl_design *design, uint32_t formula); /* 0: it has no parameters */
/* Says which values a parameter takes; false after a reported error. */
bool rtl_bound_parameter(weir_rtl_design *design, uint32_t parameter, int64_t low, int64_t high);
/* Default and deep form of a parameter that was just made. */
void rtl_set_default(weir_rtl_design *design, uint32_t parameter);
rtl_size rtl_size_of(const weir_rtl_design *design, uint32_t formula);
rtl_size rtl_size_apply(weir_rtl_design *design, weir_rtl_operator op, rtl_size a, rtl_size b);
bool rtl_same_size(weir_rtl_design *design, rtl_size a, rtl_size b);
/* The formula without local parameters. */
uint32_t rtl_deep_formula(weir_rtl_design *design, uint32_t formula);
/* Formulas instead of the parameters of a module, by slot; `made` remembers results. */
typedef struct rtl_substitution {
    weir_rtl_design *design;
    uint32_t module;
    uint32_t slots;
    uint32_t *value, *made;
    size_t capacity;
} rtl_substitution;
uint32_t rtl_substitute(rtl_substitution *substitution, uint32_t formula);
/* What the instance gives its module's parameters: formulas of those of the parent. */
rtl_substitution rtl_substitution_of(weir_rtl_design *design, uint32_t instance);
void rtl_substitution_end(rtl_substitution *substitution);
/* The width of a port of an instance; false after a reported error. */
bool rtl_port_size(weir_rtl_design *design, uint32_t instance, uint32_t port, rtl_size *size);
/* The width of the external module's port whose range is a formula. */
uint32_t rtl_range_formula(weir_rtl_design *design, uint32_t range);
static inline rtl_size rtl_width_of(const weir_rtl_design *design, uint32_t expr) {
    return (rtl_size){design->expr[expr].width, design->expr[expr].formula};
}

/* What follows the width of a constant as the text form writes it: quote, sign, base and digits. */
void rtl_append_based(weir_text *text, const rtl_expr *constant, const uint64_t *words);
/* The text of an expression, shortened for messages; belongs to the arena. */
const char *rtl_describe(weir_rtl_design *design, uint32_t expr);
const char *rtl_describe_parameter(weir_rtl_design *design, uint32_t parameter);

/* Groups (interface.c): a new one without variables; the direction of a field, and whether there is one; a variable
 * that becomes a field, a new one, one that goes. False after a reported error. */
uint32_t rtl_new_group(weir_rtl_design *design, const rtl_group *model);
weir_rtl_direction rtl_group_direction(const weir_rtl_design *design, const rtl_group *group, uint32_t field);
bool rtl_group_has(const weir_rtl_design *design, const rtl_group *group, uint32_t field);
bool rtl_join_group(weir_rtl_design *design, uint32_t group, uint32_t field, uint32_t var);
bool rtl_make_field(weir_rtl_design *design, uint32_t group, uint32_t field);
void rtl_leave_group(weir_rtl_design *design, uint32_t var);
/* Of a module whose variables were copied under their names. */
void rtl_copy_groups(weir_rtl_design *design, uint32_t from, uint32_t to);

/* Machines (fsm.c). A new one is at the end of the block, which is that of a body or, for a child, of a machine. */
uint32_t rtl_new_fsm(weir_rtl_design *design, uint32_t block, const rtl_fsm *model);
uint32_t rtl_new_state(weir_rtl_design *design, uint32_t fsm, const char *name);
uint32_t rtl_outermost(const weir_rtl_design *design, uint32_t fsm);
uint32_t rtl_start_of(const weir_rtl_design *design, uint32_t outermost); /* 0: there are no states */
/* Are the members of the type the states of the machine, in their order? */
bool rtl_states_are_members(const weir_rtl_design *design, uint32_t outermost, uint32_t type);
/* Says that the variable holds the state; false after an error. */
bool rtl_bind_current(weir_rtl_design *design, uint32_t outermost, uint32_t var);
/* Decides whether outputs and undecided variables are registers: whether a process assigns them. */
void rtl_infer_registers(weir_rtl_design *design, uint32_t module);

/* Operators (expr.c). */
typedef enum rtl_rule { RTL_SAME, RTL_SHIFT, RTL_COMPARE, RTL_REDUCE, RTL_LOGICAL } rtl_rule;
typedef struct rtl_operator_row {
    const char *text;
    int operands;
    rtl_rule rule;
    int precedence;
} rtl_operator_row;
extern const rtl_operator_row rtl_operators[WEIR_RTL_OPERATOR_COUNT];

#endif
