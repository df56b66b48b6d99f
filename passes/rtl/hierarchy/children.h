/* What passes that take instances out of their parents share. */
#ifndef WEIR_PASSES_RTL_CHILDREN_H
#define WEIR_PASSES_RTL_CHILDREN_H

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
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

/* Takes all content of the module away but its ports and parameters; instances are added to the list (NULL:
 * forgotten). */
void weir_children_clear(weir_children *children, weir_rtl_design *design, weir_rtl_module module);

#endif
