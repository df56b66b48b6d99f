/* Walks over a design, without recursion: any depth of hierarchy and of statements will do. Orders are deterministic,
 * and callbacks may change what they visit (mutate.h): a statement that is removed or moved is not entered any more;
 * one that takes its place, or is inserted after it, is visited in turn. */
#ifndef WEIR_RTLIR_VISITOR_H
#define WEIR_RTLIR_VISITOR_H

#include "rtlir/core/stmt.h"

typedef enum weir_rtl_order {
    WEIR_RTL_CHILDREN_FIRST, /* every module after all that it has instances of */
    WEIR_RTL_PARENTS_FIRST,  /* before them; instances in their order where there is a choice */
    WEIR_RTL_DEEPEST_FIRST   /* level by level, a module's level being its longest path from the top */
} weir_rtl_order;

/* The modules below and including top, each once; heap memory, free() it. NULL after a reported error when a module
 * contains itself. O(modules + instances). */
weir_rtl_module *weir_rtl_modules_below(weir_rtl_design *design, weir_rtl_module top, weir_rtl_order order,
                                        size_t *count);

/* The module of that name, none when absent; of several the first one that no instance names, else the first one. */
weir_rtl_module weir_rtl_find_top(const weir_rtl_design *design, const char *name);
/* The same, or when the name is NULL the only one that has content and no instances. None after a reported error.
 * O(modules + instances). */
weir_rtl_module weir_rtl_choose_top(weir_rtl_design *design, const char *name);

/* What to do with what is found; NULL: nothing. `user` is the caller's own. */
typedef struct weir_rtl_visitor {
    void (*module)(weir_rtl_design *design, weir_rtl_module module, void *user);   /* before its content */
    void (*external)(weir_rtl_design *design, weir_rtl_module module, void *user); /* has no content */
    void (*stmt)(weir_rtl_design *design, weir_rtl_stmt stmt, void *user);         /* before what is inside */
    void (*leave)(weir_rtl_design *design, weir_rtl_stmt stmt, void *user);        /* after it */
    /* Every expression of a statement (connections included), an operand after what it is an operand of, shared ones
     * once a statement. */
    void (*expr)(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user);
    void (*instance)(weir_rtl_design *design, weir_rtl_instance instance, void *user); /* after its statement */
    void (*var)(weir_rtl_design *design, weir_rtl_var var, void *user);
} weir_rtl_visitor;

/* One module: its statements, outer ones before inner ones, then its variables by name. */
void weir_rtl_visit_content(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_visitor *visitor,
                            void *user);
/* Every module below and including top that was there at the start and was not removed. False after a reported error
 * when a module contains itself. */
bool weir_rtl_visit(weir_rtl_design *design, weir_rtl_module top, weir_rtl_order order, const weir_rtl_visitor *visitor,
                    void *user);

#endif
