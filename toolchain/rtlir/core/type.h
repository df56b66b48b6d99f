/* Types of variables beyond plain vectors: packed structs and unions, enums, arrays. Named ones belong to the design,
 * whatever module uses them; a type is complete before the first variable, field or array of it is made. Bits are laid
 * out as in SystemVerilog: the first field and the last element are the most significant ones. */
#ifndef WEIR_RTLIR_TYPE_H
#define WEIR_RTLIR_TYPE_H

#include "rtlir/core/expr.h"

typedef enum weir_rtl_type_kind {
    WEIR_RTL_TYPE_NONE, /* a plain vector */
    WEIR_RTL_TYPE_STRUCT,
    WEIR_RTL_TYPE_UNION, /* fields of one width, over each other */
    WEIR_RTL_TYPE_ENUM,
    WEIR_RTL_TYPE_ARRAY,
    WEIR_RTL_TYPE_MEMORY /* an unpacked array: only its elements can be read and assigned */
} weir_rtl_type_kind;

/* What a field or an element is: of a type, or a plain vector when that is none. */
typedef struct weir_rtl_shape {
    weir_rtl_type type;
    uint32_t width;
    bool is_signed;
    weir_rtl_formula formula; /* of the width (formula.h); none: it is `width` */
} weir_rtl_shape;

/* The name must be a legal identifier that no other type has. */
weir_rtl_type weir_rtl_add_struct(weir_rtl_design *design, const char *name);
weir_rtl_type weir_rtl_add_union(weir_rtl_design *design, const char *name);
void weir_rtl_add_field(weir_rtl_design *design, weir_rtl_type type, const char *name, weir_rtl_shape shape);
weir_rtl_type weir_rtl_add_enum(weir_rtl_design *design, const char *name, uint32_t width);
/* Names and values of a type differ; at most 64 bits. */
void weir_rtl_add_member(weir_rtl_design *design, weir_rtl_type type, const char *name, uint64_t value);
/* Elements 0 to count - 1; several dimensions are arrays of arrays. Memories hold anything but fields of structs. */
weir_rtl_type weir_rtl_array_of(weir_rtl_design *design, uint32_t count, weir_rtl_shape element);
weir_rtl_type weir_rtl_memory_of(weir_rtl_design *design, uint32_t count, weir_rtl_shape element);
weir_rtl_type weir_rtl_find_type(const weir_rtl_design *design, const char *name); /* none when absent */
/* All types in order of creation. */
weir_rtl_type weir_rtl_first_type(const weir_rtl_design *design);
weir_rtl_type weir_rtl_next_type(const weir_rtl_design *design, weir_rtl_type type);

/* A port, or with WEIR_RTL_INTERNAL a variable, which is wire or register as its assignments say. Ports are not
 * memories. */
weir_rtl_var weir_rtl_add_typed(weir_rtl_design *design, weir_rtl_module module, const char *name, weir_rtl_type type,
                                weir_rtl_direction direction);

/* Parts of variables of such types, which can be assigned to as the variable can. An index is unsigned and has no more
 * bits than the largest index needs, or is made of iterators and constants. */
weir_rtl_expr weir_rtl_element(weir_rtl_design *design, weir_rtl_expr value, weir_rtl_expr index);
weir_rtl_expr weir_rtl_element_at(weir_rtl_design *design, weir_rtl_expr value, uint32_t index);
weir_rtl_expr weir_rtl_field(weir_rtl_design *design, weir_rtl_expr value, const char *name);
/* The constant that a member of an enum stands for. */
weir_rtl_expr weir_rtl_member(weir_rtl_design *design, weir_rtl_type type, const char *name);

/* Reading back. */
typedef struct weir_rtl_type_info {
    weir_rtl_type_kind kind;
    const char *name; /* NULL: an array */
    uint32_t width;   /* of a memory: of one element in the end */
    uint32_t count;   /* fields, members or elements */
    weir_rtl_shape element;
    weir_rtl_formula formula, count_formula; /* of width and count (formula.h); none: they are numbers */
} weir_rtl_type_info;
weir_rtl_type_info weir_rtl_get_type(const weir_rtl_design *design, weir_rtl_type type);
typedef struct weir_rtl_field_info {
    const char *name;
    weir_rtl_shape shape;
    uint32_t low;   /* its lowest bit in the struct */
    uint64_t value; /* of a member */
} weir_rtl_field_info;
/* A field or a member, index < count: O(index). */
weir_rtl_field_info weir_rtl_field_at(const weir_rtl_design *design, weir_rtl_type type, uint32_t index);
weir_rtl_type weir_rtl_type_of(const weir_rtl_design *design, weir_rtl_expr expr); /* none: a plain vector */
bool weir_rtl_same_type(const weir_rtl_design *design, weir_rtl_type a, weir_rtl_type b);

#endif
