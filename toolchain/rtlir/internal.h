/* The records behind the handles of rtl.h, expr.h and stmt.h; included by the files of this folder only.
 * Record tables are heap arrays indexed by id, with an unused record 0; texts and fixed-size payloads live in the
 * design's arena. Records are never moved between ids and never freed one by one. */
#ifndef WEIR_RTLIR_INTERNAL_H
#define WEIR_RTLIR_INTERNAL_H

#include "rtlir/expr.h"
#include "rtlir/rtl.h"
#include "rtlir/stmt.h"
#include "support/arena.h"
#include "support/intern.h"
#include "support/text.h"

enum {
    RTL_MAX_EXPR_SIZE = 1 << 16, /* nodes of one expression, shared ones counted each time */
    RTL_MAX_DEPTH = 1000         /* nesting of expressions and of blocks: bounds the recursion over them */
};

#define RTL_OPEN UINT32_MAX /* a connection that was left open on purpose */

/* A growing array of ids. */
typedef struct rtl_ids {
    uint32_t *id;
    size_t count, capacity;
} rtl_ids;

/* What every commentable record starts with. */
typedef struct rtl_common {
    const char *comment;
    uint32_t attributes; /* list of rtl_attribute */
    uint32_t trail;      /* list of rtl_trail, the last pass first */
    weir_location place;
} rtl_common;

typedef struct rtl_attribute {
    const char *name;
    const char *text;
    int64_t integer;
    enum { RTL_ATTRIBUTE_FLAG, RTL_ATTRIBUTE_TEXT, RTL_ATTRIBUTE_INTEGER } kind;
    uint32_t next;
} rtl_attribute;

typedef struct rtl_trail {
    const char *pass;
    uint32_t previous;
} rtl_trail;

typedef struct rtl_module {
    rtl_common common;
    const char *name;
    const char *path;
    bool is_external;
    rtl_ids ports, vars, parameters, instances;
    uint32_t body;
} rtl_module;

typedef struct rtl_var {
    rtl_common common;
    const char *name;
    uint32_t module, width, port;
    uint32_t high, low; /* formulas of the range, 0 when the width is fixed */
    uint32_t read;      /* the expression that reads it, once made */
    weir_rtl_direction direction;
    weir_rtl_kind kind;
    bool is_signed, is_register;
    bool is_path; /* named by a hierarchical path: read here, declared and driven below */
} rtl_var;

/* The value of a parameter. An opaque one is right for Verilog but of no use in a range. */
typedef struct rtl_value {
    enum { RTL_VALUE_NONE, RTL_VALUE_INTEGER, RTL_VALUE_STRING, RTL_VALUE_EXPR, RTL_VALUE_OPAQUE } kind;
    uint32_t expr;
    int64_t integer;
    const char *text;
} rtl_value;

typedef struct rtl_parameter {
    rtl_common common;
    const char *name;
    uint32_t module, index, formula;
    bool is_local;
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
} rtl_formula;

typedef struct rtl_expr {
    weir_rtl_expr_kind kind;
    weir_rtl_operator op;
    uint32_t width, module, size, depth;
    /* constant: a = first word; var, parameter: a = its id; slice: a = variable expression, b = low; select: a,
     * b = base; concat: operands a to a + b - 1 of the operand table; repeat: a, b times; others: operands */
    uint32_t a, b, c;
    weir_rtl_kind carries;
    bool is_signed;
} rtl_expr;

typedef struct rtl_instance {
    rtl_common common;
    const char *name;
    uint32_t parent, module, stmt;
    uint32_t *connection; /* by port index: expression, 0 or RTL_OPEN */
    size_t connection_count;
    rtl_value *override; /* by parameter index */
    size_t override_count;
} rtl_instance;

typedef struct rtl_stmt {
    rtl_common common;
    weir_rtl_stmt_kind kind;
    weir_rtl_timing timing;
    uint32_t block, next, previous;
    uint32_t a, b; /* assign: target, value; instance: a; if, case, item: a = condition or label; always: a = events */
    uint32_t body, other;
} rtl_stmt;

typedef struct rtl_event {
    weir_rtl_edge edge;
    uint32_t var, next;
} rtl_event;

typedef struct rtl_block {
    uint32_t module, owner, first, last, depth;
} rtl_block;

/* Names by scope: a module's own names, module names (scope 0), and the counters behind weir_rtl_free_name. */
typedef struct rtl_name {
    const char *name; /* interned; NULL: free slot */
    uint32_t scope, id;
    enum { RTL_NAME_MODULE, RTL_NAME_VAR, RTL_NAME_PARAMETER, RTL_NAME_INSTANCE, RTL_NAME_COUNTER, RTL_NAME_PATH } kind;
} rtl_name;

typedef struct rtl_names {
    rtl_name *slot;
    size_t count, capacity; /* a power of two, or 0 */
} rtl_names;

struct weir_rtl_design {
    weir_arena *arena;
    weir_strings *strings;
    size_t errors;
    weir_location place;
    const char *pass;
    uint32_t trail;                   /* of items made now */
    rtl_names names, counters, paths; /* paths: of the files that were read */
#define RTL_TABLE(type, name)                                                                                          \
    type *name;                                                                                                        \
    size_t name##_count, name##_capacity;
    RTL_TABLE(rtl_module, module)
    RTL_TABLE(rtl_var, var)
    RTL_TABLE(rtl_parameter, parameter)
    RTL_TABLE(rtl_formula, formula)
    RTL_TABLE(rtl_expr, expr)
    RTL_TABLE(rtl_instance, instance)
    RTL_TABLE(rtl_stmt, stmt)
    RTL_TABLE(rtl_block, block)
    RTL_TABLE(rtl_event, event)
    RTL_TABLE(rtl_attribute, attribute)
    RTL_TABLE(rtl_trail, trail_entry)
    RTL_TABLE(uint32_t, operand)
    RTL_TABLE(uint64_t, word)
#undef RTL_TABLE
};

/* Appends a zeroed record to a table and gives its id. */
#define RTL_APPEND(design, table)                                                                                      \
    ((design)->table = weir_grow((design)->table, &(design)->table##_capacity, (design)->table##_count + 1,            \
                                 sizeof *(design)->table),                                                             \
     memset((design)->table + (design)->table##_count, 0, sizeof *(design)->table),                                    \
     (uint32_t)(design)->table##_count++)

/* Reports an error and counts it. */
void rtl_error(weir_rtl_design *design, weir_location place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The common part of a record made now. */
rtl_common rtl_common_now(const weir_rtl_design *design);
void rtl_ids_add(rtl_ids *ids, uint32_t id);
rtl_common *rtl_common_of(const weir_rtl_design *design, weir_rtl_item item);

/* Names (names.c). The name must be interned. NULL when it is not there. */
const rtl_name *rtl_names_find(const rtl_names *names, uint32_t scope, const char *name);
void rtl_names_set(rtl_names *names, const rtl_name *entry);
/* Interns the name and checks that it is legal and free in the scope; NULL after an error, which names `what`. */
const char *rtl_new_name(weir_rtl_design *design, uint32_t scope, const char *what, const char *name);
/* The nearest name of a port or a parameter of the module, or NULL. */
const char *rtl_nearest_port(const weir_rtl_design *design, uint32_t module, const char *name);
const char *rtl_nearest_parameter(const weir_rtl_design *design, uint32_t module, const char *name);

uint32_t rtl_new_block(weir_rtl_design *design, uint32_t module, uint32_t owner);
/* Appends a statement of the kind to the block. */
uint32_t rtl_new_stmt(weir_rtl_design *design, uint32_t block, weir_rtl_stmt_kind kind);
uint32_t rtl_new_parameter(weir_rtl_design *design, uint32_t module, const char *name, uint32_t formula, bool is_local);
uint32_t rtl_new_var(weir_rtl_design *design, uint32_t module, const rtl_var *model);

/* Formulas (formula.c). */
uint32_t rtl_formula_value(weir_rtl_design *design, rtl_value value);
/* Parameter values of a module under the overrides (NULL: none), one a parameter, into heap memory. A value that cannot
 * be computed is none or opaque. */
rtl_value *rtl_evaluate_parameters(const weir_rtl_design *design, uint32_t module, const rtl_instance *instance);
/* The formula's value; on failure *problem says what is wrong, and the value is none. */
rtl_value rtl_evaluate(const weir_rtl_design *design, uint32_t formula, const rtl_value *parameters,
                       const char **problem);
/* The width of a port under these parameter values; 0 and a problem when there is none. */
uint32_t rtl_port_width(const weir_rtl_design *design, uint32_t var, const rtl_value *parameters, const char **problem);

/* The text of an expression, shortened for messages; belongs to the arena. */
const char *rtl_describe(weir_rtl_design *design, uint32_t expr);

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
