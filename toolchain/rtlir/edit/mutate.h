/* Changing a design: statements and items come and go, move, and get other names. Everything here may be called while a
 * visitor (visitor.h) walks over the module. What is removed must not be named any more when the design is verified or
 * printed; its handle stays valid and is never used again. */
#ifndef WEIR_RTLIR_MUTATE_H
#define WEIR_RTLIR_MUTATE_H

#include "rtlir/core/stmt.h"

/* --- statements: each costs constant time, moving one whatever it contains --- */
/* With everything inside; an instance goes with its statement. */
void weir_rtl_remove_stmt(weir_rtl_design *design, weir_rtl_stmt stmt);
/* Before `before`, or to the end of the block when that is none. The block belongs to the same module; it may hold what
 * it may hold while building. False after a reported error. */
bool weir_rtl_move_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_block block, weir_rtl_stmt before);
/* The new statement replaces the old one, which is removed. A visitor at the old one visits the new one. */
bool weir_rtl_replace_stmt(weir_rtl_design *design, weir_rtl_stmt old, weir_rtl_stmt other);
/* All statements of a block to another one of the module, before `before` or at its end. */
bool weir_rtl_move_stmts(weir_rtl_design *design, weir_rtl_block from, weir_rtl_block to, weir_rtl_stmt before);
/* Removes the else with its content. */
void weir_rtl_remove_else(weir_rtl_design *design, weir_rtl_stmt branch);
/* Says what an assignment is; only weir_rtl_verify checks whether that fits its block. */
void weir_rtl_set_timing(weir_rtl_design *design, weir_rtl_stmt assign, weir_rtl_timing timing);
/* Another expression in a statement, checked as for building: the target of an assignment; its value, the condition of
 * an if, a case or a transition that has one, the label of an item. False after a reported error. */
bool weir_rtl_set_target(weir_rtl_design *design, weir_rtl_stmt assign, weir_rtl_expr target);
bool weir_rtl_set_value(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_expr value);
/* What happens when an assertion fails: other texts than before, or NULL. False after a reported error: no legal
 * name. */
bool weir_rtl_set_failure(weir_rtl_design *design, weir_rtl_stmt stmt, const char *message, const char *call);
/* What a property waits for. */
void weir_rtl_set_property_clock(weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_edge edge, weir_rtl_var clock);
/* Removes all events of an always block; give it others with weir_rtl_add_event. */
void weir_rtl_clear_events(weir_rtl_design *design, weir_rtl_stmt always);

/* --- items --- */
/* A variable or a port: O(ports after it) for a port. Connections of instances to a removed port are forgotten. */
void weir_rtl_remove_var(weir_rtl_design *design, weir_rtl_var var);
void weir_rtl_remove_parameter(weir_rtl_design *design, weir_rtl_parameter parameter);
/* All variables of one kind become another, fields of interfaces too; what reads them carries it. `stays` says by the
 * id of a variable which ones do not; the fields that those are stay as well. Values that the others are given are not
 * looked at. O(variables + expressions). */
void weir_rtl_replace_kind(weir_rtl_design *design, weir_rtl_kind from, weir_rtl_kind to, const bool *stays);
/* O(instances of the parent). */
void weir_rtl_remove_instance(weir_rtl_design *design, weir_rtl_instance instance);
/* A module that no instance names any more. */
void weir_rtl_remove_module(weir_rtl_design *design, weir_rtl_module module);
/* A legal name that is free in the item's scope; statements have none. False after a reported error. */
bool weir_rtl_rename(weir_rtl_design *design, weir_rtl_item item, const char *name);
/* Gives the port the position `index` among the ports. */
void weir_rtl_move_port(weir_rtl_design *design, weir_rtl_var port, size_t index);
/* Instance of another module: connections and overrides are kept by name. Expressions that read a port of the instance
 * follow. False after a reported error: a connected or read port that the other module does not have. O(ports of both,
 * expressions of the design when the instance is wired). */
bool weir_rtl_set_instance_module(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_module module);
/* The same for several different instances, each with its module: the expressions of the design are looked at once. */
bool weir_rtl_set_instance_modules(weir_rtl_design *design, size_t count, const weir_rtl_instance *instances,
                                   const weir_rtl_module *modules);
/* From assignments to connections, or back: only says so. */
void weir_rtl_set_wired(weir_rtl_design *design, weir_rtl_instance instance, bool is_wired);
/* Forgets what the port is connected to, or that it was left open. */
void weir_rtl_disconnect(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port);

#endif
