/* Expressions of the hardware IR. Every expression has a width and a sign from the moment it is made; nothing is
 * extended, cut or converted implicitly: where Verilog would, the constructor reports an error that names both widths.
 * So an expression means the same in any context. Expressions are immutable and may be used several times. */
#ifndef WEIR_RTLIR_EXPR_H
#define WEIR_RTLIR_EXPR_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

typedef enum weir_rtl_operator {
#define WEIR_RTL_OPERATOR(name, text, operands, rule, precedence) WEIR_RTL_##name,
#include "rtlir/core/operator.def"
#undef WEIR_RTL_OPERATOR
    WEIR_RTL_OPERATOR_COUNT
} weir_rtl_operator;

typedef enum weir_rtl_expr_kind {
    WEIR_RTL_EXPR_NONE,
    WEIR_RTL_EXPR_CONSTANT,
    WEIR_RTL_EXPR_VAR,
    WEIR_RTL_EXPR_PARAMETER,
    WEIR_RTL_EXPR_HIGH_Z,  /* drives nothing: a branch of a conditional that a net is driven with */
    WEIR_RTL_EXPR_PORT,    /* a port of an instance in the module: instance.port */
    WEIR_RTL_EXPR_SLICE,   /* operand[low + width - 1 : low], the operand being a variable */
    WEIR_RTL_EXPR_SELECT,  /* operand[index +: width], the operand being a variable */
    WEIR_RTL_EXPR_ELEMENT, /* type.h: element of an array */
    WEIR_RTL_EXPR_FIELD,   /* type.h: field of a struct or a union */
    WEIR_RTL_EXPR_CALL,    /* function.h: of a function */
    WEIR_RTL_EXPR_CONCAT,
    WEIR_RTL_EXPR_REPEAT,
    WEIR_RTL_EXPR_UNARY,
    WEIR_RTL_EXPR_BINARY,
    WEIR_RTL_EXPR_CONDITIONAL,
    WEIR_RTL_EXPR_CAST /* the same bits with another sign or kind */
} weir_rtl_expr_kind;

/* Variables and parameters of a module; a parameter is a signed 32-bit integer. */
weir_rtl_expr weir_rtl_read(weir_rtl_design *design, weir_rtl_var var);
weir_rtl_expr weir_rtl_read_parameter(weir_rtl_design *design, weir_rtl_parameter parameter);

/* A port of an instance of the module: an input can be assigned to, an output read. */
weir_rtl_expr weir_rtl_read_port(weir_rtl_design *design, weir_rtl_instance instance, const char *port);
weir_rtl_expr weir_rtl_port_of(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port);

/* Constants. The value must fit: [0, 2^width) or [-2^(width-1), 2^(width-1)). */
weir_rtl_expr weir_rtl_constant(weir_rtl_design *design, uint32_t width, uint64_t value);
weir_rtl_expr weir_rtl_constant_signed(weir_rtl_design *design, uint32_t width, int64_t value);
/* (width + 63) / 64 words, least significant first; bits beyond the width must be zero. */
weir_rtl_expr weir_rtl_constant_words(weir_rtl_design *design, uint32_t width, bool is_signed, const uint64_t *words);

/* High impedance, for tri-state drivers: a branch of a conditional, or all, of a value that floats, which only
 * continuous assignments to inout ports and to wires take (weir_rtl_takes_floating). */
weir_rtl_expr weir_rtl_high_z(weir_rtl_design *design, uint32_t width);
bool weir_rtl_floats(const weir_rtl_design *design, weir_rtl_expr value);
/* Can several tri-state drivers share the target: an inout port, a variable that is not a register, parts of those? */
bool weir_rtl_takes_floating(const weir_rtl_design *design, weir_rtl_expr target);

/* Parts of a variable or of a port of an instance: [high:low], one bit, and width bits from a base that the hardware
 * computes. Unsigned. */
weir_rtl_expr weir_rtl_slice(weir_rtl_design *design, weir_rtl_expr value, uint32_t high, uint32_t low);
weir_rtl_expr weir_rtl_bit(weir_rtl_design *design, weir_rtl_expr value, uint32_t index);
weir_rtl_expr weir_rtl_select(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr base, uint32_t width);

/* {parts[0], parts[1], ...}: the first part is the most significant one. Unsigned. */
weir_rtl_expr weir_rtl_concat(weir_rtl_design *design, size_t count, const weir_rtl_expr *parts);
weir_rtl_expr weir_rtl_concat2(weir_rtl_design *design, weir_rtl_expr high, weir_rtl_expr low);
weir_rtl_expr weir_rtl_repeat(weir_rtl_design *design, uint32_t count, weir_rtl_expr value);

weir_rtl_expr weir_rtl_unary(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_expr value);
weir_rtl_expr weir_rtl_binary(weir_rtl_design *design, weir_rtl_operator op, weir_rtl_expr left, weir_rtl_expr right);
/* The condition has one bit; both branches agree in width and sign. */
weir_rtl_expr weir_rtl_conditional(weir_rtl_design *design, weir_rtl_expr condition, weir_rtl_expr yes,
                                   weir_rtl_expr no);

/* The same bits, signed or unsigned; one bit as a clock, a reset, ... */
weir_rtl_expr weir_rtl_as_signed(weir_rtl_design *design, weir_rtl_expr value);
weir_rtl_expr weir_rtl_as_unsigned(weir_rtl_design *design, weir_rtl_expr value);
weir_rtl_expr weir_rtl_as(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_kind kind);
/* To at least as many bits, with zeros or copies of the sign as the operand's sign says. A signed operand must be a
 * constant or a variable, because the sign bit of anything else has no name in Verilog. */
weir_rtl_expr weir_rtl_extend(weir_rtl_design *design, weir_rtl_expr value, uint32_t width);

/* Reading back. */
typedef struct weir_rtl_expr_info {
    weir_rtl_expr_kind kind;
    weir_rtl_operator op; /* unary and binary */
    uint32_t width;
    bool is_signed;
    weir_rtl_kind carries;        /* clock, reset, ... when it is a variable of that kind or was cast to it */
    weir_rtl_module module;       /* whose variables it reads; none for constants */
    weir_rtl_var var;             /* variable, port, slice, select */
    weir_rtl_instance instance;   /* when that is a port of this instance */
    weir_rtl_parameter parameter; /* parameter; constant: whose bits it is, or none */
    weir_rtl_function function;   /* call */
    const char *field;            /* field */
    uint32_t low;                 /* slice */
    bool has_parameter;           /* it computes with a parameter, or has a formula in it */
    weir_rtl_formula formula;     /* of the width (formula.h); none: it is a number; likewise of `low` and `repeat` */
    weir_rtl_formula low_formula, repeat_formula;
    size_t operand_count;  /* see weir_rtl_operand; of a select or an element the variable and the index */
    uint32_t repeat;       /* repeat */
    const uint64_t *words; /* constant: two's complement, bits beyond the width zero; until the next one is made */
} weir_rtl_expr_info;
weir_rtl_expr_info weir_rtl_get_expr(const weir_rtl_design *design, weir_rtl_expr expr);
weir_rtl_expr weir_rtl_operand(const weir_rtl_design *design, weir_rtl_expr expr, size_t index);
uint32_t weir_rtl_width(const weir_rtl_design *design, weir_rtl_expr expr); /* 0 for none */
/* Can it be the target of an assignment: variables other than inputs, their parts, concatenations of those? */
bool weir_rtl_is_target(const weir_rtl_design *design, weir_rtl_expr expr);

/* Appends the expression on one line: in Verilog-2005; as it is written in the text form, which messages quote
 * (print_expr.c). */
void weir_rtl_print_written(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text);
void weir_rtl_print_expr(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text);

#endif
