/* What passes that take instances out of their parents share. */
#ifndef WEIR_PASSES_RTL_CHILDREN_H
#define WEIR_PASSES_RTL_CHILDREN_H

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/edit/rewrite.h"

/* Must the instance stay? It or its module has the attribute `keep_hierarchy`, `keep` or `public`, or a path names
 * it. */
bool weir_child_is_kept(weir_keeper *keeper, weir_rtl_instance instance);

/* Instances to be removed, and their modules. */
typedef struct weir_children {
    weir_rtl_instance *instance; /* heap */
    weir_rtl_module *module;
    size_t count, instance_capacity, module_capacity;
    weir_rtl_stmt *wiring; /* assignments to and from ports of those in the module that is worked on, to be removed */
    size_t wirings, wiring_capacity;
} weir_children;

void weir_children_add(weir_children *children, const weir_rtl_design *design, weir_rtl_instance instance);
void weir_children_add_wiring(weir_children *children, weir_rtl_stmt stmt);
/* Removes what the parent has of the instances from `first` on: wirings and instances, after the rewriter's run. False
 * after a reported error. */
bool weir_children_detach(weir_children *children, size_t first, weir_rtl_rewriter *rewriter, weir_rtl_design *design,
                          weir_rtl_module parent);
/* Removes the instances; then their modules that no instance names any more, and what only those contained. Frees the
 * list. O(instances of the design). */
void weir_children_remove(weir_children *children, weir_rtl_design *design);

/* What a pass has that takes instances out. */
typedef struct weir_uprooting {
    weir_rtl_design *design;
    weir_rtl_uses *uses;
    weir_rtl_rewriter *rewriter;
    weir_keeper keeper;
    weir_children children; /* to be removed */
} weir_uprooting;
/* Adds children of a module to those to be removed, and detaches them; false after a reported error. */
typedef bool weir_uproot_visit(weir_uprooting *u, void *user, weir_rtl_module parent);
/* The pass: visits the modules, children before their parents, and removes what was added, which it counts under this
 * name. False after a reported error: all modules are visited nevertheless. */
bool weir_uproot(weir_pass_context *context, weir_rtl_design *design, weir_uproot_visit *visit, void *user,
                 const char *counted);

/* Takes all content of the module away but its ports and parameters; instances are added to the list (NULL:
 * forgotten). */
void weir_children_clear(weir_children *children, weir_rtl_design *design, weir_rtl_module module);

#endif
