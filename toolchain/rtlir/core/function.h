/* Functions of a module: arguments, variables, a body that returns a value. They are statements of the module's body,
 * so they are walked, copied and removed as those are; what they read and assign is their own. */
#ifndef WEIR_RTLIR_FUNCTION_H
#define WEIR_RTLIR_FUNCTION_H

#include "rtlir/core/stmt.h"

weir_rtl_function weir_rtl_add_function(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                        uint32_t width, bool is_signed);
weir_rtl_var weir_rtl_add_argument(weir_rtl_design *design, weir_rtl_function function, const char *name,
                                   uint32_t width, bool is_signed);
weir_rtl_var weir_rtl_add_local_var(weir_rtl_design *design, weir_rtl_function function, const char *name,
                                    uint32_t width, bool is_signed);
/* In the function's body or a branch of it. */
weir_rtl_stmt weir_rtl_add_return(weir_rtl_design *design, weir_rtl_block block, weir_rtl_expr value);
/* The arguments' widths and signs are those of the function. */
weir_rtl_expr weir_rtl_call(weir_rtl_design *design, weir_rtl_function function, size_t count,
                            const weir_rtl_expr *arguments);

typedef struct weir_rtl_function_info {
    const char *name;
    weir_rtl_module module;
    uint32_t width;
    bool is_signed;
    size_t argument_count, local_count;
    weir_rtl_stmt stmt; /* its position among the statements of the module */
    weir_rtl_block body;
} weir_rtl_function_info;
weir_rtl_function_info weir_rtl_get_function(const weir_rtl_design *design, weir_rtl_function function);
weir_rtl_var weir_rtl_argument_at(const weir_rtl_design *design, weir_rtl_function function, size_t index);
weir_rtl_var weir_rtl_local_var_at(const weir_rtl_design *design, weir_rtl_function function, size_t index);
weir_rtl_function weir_rtl_find_function(const weir_rtl_design *design, weir_rtl_module module, const char *name);
/* A variable or an argument of the function by name. */
weir_rtl_var weir_rtl_find_local(const weir_rtl_design *design, weir_rtl_function function, const char *name);

#endif
