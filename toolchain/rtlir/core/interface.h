/* Interfaces: named sets of signals that belong together, with modports that say in which direction each one goes. A
 * group is an interface in a module: ports `<group>_<field>` through a modport, or internal variables. They are
 * ordinary ports and variables, which everything may name, rename and remove; the group only says which of them is
 * which field, and lets instances be connected as a whole. Nothing of it is left in Verilog. */
#ifndef WEIR_RTLIR_INTERFACE_H
#define WEIR_RTLIR_INTERFACE_H

#include "rtlir/core/type.h"

/* The name must be a legal identifier that no other interface has. An interface is complete, fields before modports,
 * before the first group of it is made. */
weir_rtl_interface weir_rtl_add_interface(weir_rtl_design *design, const char *name);
/* A field of this type, or a plain vector; the kind is WEIR_RTL_DATA unless it has one plain bit. No memories. */
void weir_rtl_add_interface_field(weir_rtl_design *design, weir_rtl_interface interface, const char *name,
                                  weir_rtl_shape shape, weir_rtl_kind kind);
/* A modport lists the directions of the fields that it has. */
weir_rtl_modport weir_rtl_add_modport(weir_rtl_design *design, weir_rtl_interface interface, const char *name);
void weir_rtl_set_modport(weir_rtl_design *design, weir_rtl_modport modport, const char *field,
                          weir_rtl_direction direction);

/* Ports for the fields of the modport; flipped: inputs where it says output and the other way. */
weir_rtl_group weir_rtl_add_port_group(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                       weir_rtl_modport modport, bool is_flipped);
/* Internal variables for all fields. */
weir_rtl_group weir_rtl_add_variable_group(weir_rtl_design *design, weir_rtl_module module, const char *name,
                                           weir_rtl_interface interface);
/* Forgets the group; its ports and variables stay. */
void weir_rtl_remove_group(weir_rtl_design *design, weir_rtl_group group);

/* The port or variable of a field; none after a reported error when the group does not have it. */
weir_rtl_var weir_rtl_group_var(weir_rtl_design *design, weir_rtl_group group, const char *field);
/* Connects every field of a group of ports of the instance's module to that of a group of the parent, through any
 * modports of one interface. What the instance drives must be what the parent's group drives, or internal; what it
 * reads must not be what the parent's group drives. False after reported errors. */
bool weir_rtl_connect_group(weir_rtl_design *design, weir_rtl_instance instance, const char *group, weir_rtl_group own);

/* Reading back. */
typedef struct weir_rtl_interface_info {
    const char *name;
    uint32_t field_count, modport_count;
} weir_rtl_interface_info;
weir_rtl_interface_info weir_rtl_get_interface(const weir_rtl_design *design, weir_rtl_interface interface);
weir_rtl_interface weir_rtl_find_interface(const weir_rtl_design *design, const char *name);
/* All interfaces in order of creation. */
weir_rtl_interface weir_rtl_first_interface(const weir_rtl_design *design);
weir_rtl_interface weir_rtl_next_interface(const weir_rtl_design *design, weir_rtl_interface interface);
typedef struct weir_rtl_interface_field_info {
    const char *name;
    weir_rtl_shape shape;
    weir_rtl_kind kind;
} weir_rtl_interface_field_info;
weir_rtl_interface_field_info weir_rtl_interface_field_at(const weir_rtl_design *design, weir_rtl_interface interface,
                                                          uint32_t index);
weir_rtl_modport weir_rtl_modport_at(const weir_rtl_design *design, weir_rtl_interface interface, uint32_t index);
weir_rtl_modport weir_rtl_find_modport(const weir_rtl_design *design, weir_rtl_interface interface, const char *name);
const char *weir_rtl_modport_name(const weir_rtl_design *design, weir_rtl_modport modport);
/* WEIR_RTL_INTERNAL: the modport does not have the field. */
weir_rtl_direction weir_rtl_modport_direction(const weir_rtl_design *design, weir_rtl_modport modport, uint32_t field);

typedef struct weir_rtl_group_info {
    const char *name;
    weir_rtl_module module;
    weir_rtl_interface interface;
    weir_rtl_modport modport; /* none: internal */
    bool is_flipped;
    bool is_interface; /* weir_rtl_mark_group */
} weir_rtl_group_info;
weir_rtl_group_info weir_rtl_get_group(const weir_rtl_design *design, weir_rtl_group group);
weir_rtl_group weir_rtl_find_group(const weir_rtl_design *design, weir_rtl_module module, const char *name);
/* All groups of a module in order of creation. */
size_t weir_rtl_group_count(const weir_rtl_design *design, weir_rtl_module module);
weir_rtl_group weir_rtl_group_at(const weir_rtl_design *design, weir_rtl_module module, size_t index);
/* By the field's index; none: the group has no such field, or its port was removed. */
weir_rtl_var weir_rtl_group_var_at(const weir_rtl_design *design, weir_rtl_group group, uint32_t field);

/* ---- interfaces of SystemVerilog ---- */

/* The printer makes an interface of a marked group, its ports or variables being the members, in SystemVerilog. Nothing
 * else changes. */
void weir_rtl_mark_group(weir_rtl_design *design, weir_rtl_group group, bool is_interface);
/* What analysis/group_plan.h finds. */
typedef struct weir_rtl_group_plan {
    const char *flat;  /* why the group cannot be an interface; NULL: it can */
    bool is_below;     /* of a module below top */
    bool is_connected; /* of a group that can: a group of an instance that is one is connected to it */
    bool is_idle;      /* nothing is in the way but that no instance is connected */
} weir_rtl_group_plan;

#endif
