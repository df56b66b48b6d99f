/* change_port_bundle_struct: of each group of ports, the fields that go in one direction become one port of a packed
 * struct `<interface>_<direction>`, the direction being that of the modport, so that both ends of a connection have one
 * type. Fields that are not data (clocks, resets), inouts and arrays stay as they are. In the module an input is read
 * through the struct; an output stays a variable under its name, and the port is made of all of them, because one
 * struct cannot be half a register. Instances follow: they connect the fields' values joined, or a struct as it is. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/rtl.h"
#include "rtlir/core/interface.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

typedef struct field {
    const char *name;
    weir_rtl_var port; /* that it was */
    weir_rtl_shape shape;
} field;

/* The fields of one group that go in one direction. */
typedef struct bundle {
    weir_rtl_group group;
    weir_rtl_module module;
    weir_rtl_direction direction;
    field *field;
    size_t count;
    weir_rtl_type type;
    weir_rtl_var port;
} bundle;

typedef struct changer {
    weir_rtl_design *design;
    weir_rtl_rewriter *rewriter;
    bundle *bundle;
    size_t bundles, capacity;
    weir_rtl_instance *instance; /* all of the design, those of one module together */
    size_t instances;
    size_t *first; /* by module id: its first instance; one more at the end */
    size_t modules;
} changer;

/* ---- which fields ---- */

static bool is_scalar(const weir_rtl_design *design, const weir_rtl_var_info *var) {
    return var->kind == WEIR_RTL_DATA &&
           (var->type.id == 0 || weir_rtl_get_type(design, var->type).kind != WEIR_RTL_TYPE_ARRAY);
}

static void add_bundle(changer *c, weir_rtl_group group, weir_rtl_direction direction) {
    const weir_rtl_group_info info = weir_rtl_get_group(c->design, group);
    const uint32_t count = weir_rtl_get_interface(c->design, info.interface).field_count;
    bundle b = {.group = group, .module = info.module, .direction = direction};
    b.field = weir_calloc(count + 1, sizeof *b.field);
    for (uint32_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_group_var_at(c->design, group, i);
        if (port.id == 0) continue;
        const weir_rtl_var_info var = weir_rtl_get_var(c->design, port);
        if (var.direction != direction || !is_scalar(c->design, &var)) continue;
        const weir_rtl_interface_field_info of = weir_rtl_interface_field_at(c->design, info.interface, i);
        b.field[b.count++] = (field){of.name, port, of.shape};
    }
    if (b.count == 0) {
        free(b.field);
        return;
    }
    c->bundle = weir_grow(c->bundle, &c->capacity, c->bundles + 1, sizeof *c->bundle);
    c->bundle[c->bundles++] = b;
}

static void find_bundles(changer *c, weir_rtl_module module) {
    for (size_t i = 0; i < weir_rtl_group_count(c->design, module); i++) {
        const weir_rtl_group group = weir_rtl_group_at(c->design, module, i);
        if (weir_rtl_get_group(c->design, group).modport.id == 0) continue;
        add_bundle(c, group, WEIR_RTL_INPUT);
        add_bundle(c, group, WEIR_RTL_OUTPUT);
    }
}

/* ---- the type ---- */

static bool has_fields(const weir_rtl_design *design, weir_rtl_type type, const bundle *b) {
    const weir_rtl_type_info info = weir_rtl_get_type(design, type);
    bool same = info.kind == WEIR_RTL_TYPE_STRUCT && info.count == b->count;
    for (uint32_t i = 0; same && i < info.count; i++) {
        const weir_rtl_field_info f = weir_rtl_field_at(design, type, i);
        const weir_rtl_shape *shape = &b->field[i].shape;
        same = strcmp(f.name, b->field[i].name) == 0 && f.shape.width == shape->width &&
               f.shape.is_signed == shape->is_signed && weir_rtl_same_type(design, f.shape.type, shape->type);
    }
    return same;
}

/* A struct with these very fields: one that is there already, or a new one near the wanted name. */
static weir_rtl_type struct_of(weir_rtl_design *design, const bundle *b) {
    const weir_rtl_group_info info = weir_rtl_get_group(design, b->group);
    const bool is_output = (b->direction == WEIR_RTL_OUTPUT) != info.is_flipped;
    const char *interface = weir_rtl_get_interface(design, info.interface).name;
    weir_rtl_type type = {0};
    for (unsigned i = 0; type.id == 0; i++) {
        char *number = i > 1 ? weir_format("_%u", i - 2) : weir_format("%s", "");
        char *name = weir_format("%s%s%s_%s%s", interface, i > 0 ? "_" : "",
                                 i > 0 ? weir_rtl_modport_name(design, info.modport) : "",
                                 is_output ? "output" : "input", number);
        const weir_rtl_type known = weir_rtl_find_type(design, name);
        if (known.id != 0 && has_fields(design, known, b)) type = known;
        if (known.id == 0) {
            type = weir_rtl_add_struct(design, name);
            for (size_t f = 0; f < b->count; f++) weir_rtl_add_field(design, type, b->field[f].name, b->field[f].shape);
        }
        free(name);
        free(number);
    }
    return type;
}

/* ---- the module ---- */

/* A port where the first field was, under the name of the group when nothing else is left of it. */
static void add_port(changer *c, bundle *b) {
    weir_rtl_design *d = c->design;
    const weir_rtl_group_info info = weir_rtl_get_group(d, b->group);
    const uint32_t index = weir_rtl_get_var(d, b->field[0].port).port;
    size_t left = 0;
    for (uint32_t i = 0; i < weir_rtl_get_interface(d, info.interface).field_count; i++)
        left += weir_rtl_group_var_at(d, b->group, i).id != 0;
    char *name = left == b->count
                     ? weir_format("%s", info.name)
                     : weir_format("%s_%s", info.name, b->direction == WEIR_RTL_INPUT ? "input" : "output");
    b->type = struct_of(d, b);
    if (left == b->count) weir_rtl_remove_group(d, b->group);
    b->port = weir_rtl_add_typed(d, b->module, weir_rtl_free_name(d, b->module, name), b->type, b->direction);
    weir_rtl_move_port(d, b->port, index);
    free(name);
}

static void change_input(changer *c, const bundle *b) {
    const weir_rtl_expr whole = weir_rtl_read(c->design, b->port);
    for (size_t i = 0; i < b->count; i++)
        weir_rtl_map_var(c->rewriter, b->field[i].port, weir_rtl_field(c->design, whole, b->field[i].name));
}

static void change_output(changer *c, const bundle *b) {
    weir_rtl_design *d = c->design;
    weir_rtl_expr *part = weir_calloc(b->count, sizeof *part);
    for (size_t i = 0; i < b->count; i++) {
        const weir_rtl_var port = b->field[i].port;
        const char *name = weir_rtl_get_var(d, port).name;
        char *away = weir_format("%s_port", name);
        weir_rtl_rename(d, WEIR_RTL_ITEM(port), weir_rtl_free_name(d, b->module, away));
        free(away);
        const weir_rtl_var var = weir_rtl_add_variable_like(d, b->module, name, weir_rtl_read(d, port));
        weir_rtl_copy_item(d, WEIR_RTL_ITEM(port), WEIR_RTL_ITEM(var));
        part[i] = weir_rtl_read(d, var);
        weir_rtl_map_var(c->rewriter, port, part[i]);
    }
    if (!weir_rtl_get_module(d, b->module).is_stub)
        weir_rtl_assign(d, b->module, weir_rtl_read(d, b->port), weir_rtl_concat(d, b->count, part));
    free(part);
}

/* ---- its instances ---- */

/* Assignments instead of the connections of the fields, which then are parts of a port like other ones. */
static void change_wired(changer *c, const bundle *b, weir_rtl_instance instance) {
    weir_rtl_design *d = c->design;
    const weir_rtl_expr whole = weir_rtl_port_of(d, instance, b->port);
    const weir_rtl_block block = weir_rtl_get_stmt(d, weir_rtl_get_instance(d, instance).stmt).block;
    for (size_t i = 0; i < b->count; i++) {
        const weir_rtl_expr part = weir_rtl_field(d, whole, b->field[i].name);
        const weir_rtl_expr value = weir_rtl_connection_of(d, instance, b->field[i].port).value;
        weir_rtl_map_port(c->rewriter, instance, b->field[i].port, part);
        weir_rtl_disconnect(d, instance, b->field[i].port);
        if (value.id == 0) continue;
        if (b->direction == WEIR_RTL_INPUT) weir_rtl_add_assign(d, block, part, value, WEIR_RTL_UNDECIDED);
        else weir_rtl_add_assign(d, block, value, part, WEIR_RTL_UNDECIDED);
    }
}

static char *spare_name(const changer *c, weir_rtl_instance instance, const char *port) {
    return weir_format("%s_%s", weir_rtl_get_instance(c->design, instance).name, port);
}

/* An output of which some fields are open goes to a variable, and the others from there. */
static void connect_partly(changer *c, const bundle *b, weir_rtl_instance instance, const weir_rtl_expr *value) {
    weir_rtl_design *d = c->design;
    const weir_rtl_instance_info info = weir_rtl_get_instance(d, instance);
    const weir_rtl_block block = weir_rtl_get_stmt(d, info.stmt).block;
    char *name = spare_name(c, instance, weir_rtl_get_var(d, b->port).name);
    const weir_rtl_var var =
        weir_rtl_add_typed(d, info.parent, weir_rtl_free_name(d, info.parent, name), b->type, WEIR_RTL_INTERNAL);
    const weir_rtl_expr whole = weir_rtl_read(d, var);
    weir_rtl_connect(d, instance, weir_rtl_get_var(d, b->port).name, whole);
    for (size_t i = 0; i < b->count; i++) {
        if (value[i].id == 0) continue;
        weir_rtl_expr part = weir_rtl_field(d, whole, b->field[i].name);
        const weir_rtl_expr_info target = weir_rtl_get_expr(d, value[i]);
        part = target.is_signed ? weir_rtl_as_signed(d, part) : weir_rtl_as_unsigned(d, part);
        if (target.carries != WEIR_RTL_DATA) part = weir_rtl_as(d, part, target.carries);
        weir_rtl_add_assign(d, block, value[i], part, WEIR_RTL_CONTINUOUS);
    }
    free(name);
}

/* An input that was not connected stays without a driver. */
static void connect_joined(changer *c, const bundle *b, weir_rtl_instance instance, weir_rtl_expr *value) {
    weir_rtl_design *d = c->design;
    const weir_rtl_module parent = weir_rtl_get_instance(d, instance).parent;
    for (size_t i = 0; i < b->count; i++) {
        if (value[i].id != 0) continue;
        char *name = spare_name(c, instance, weir_rtl_get_var(d, b->field[i].port).name);
        value[i] = weir_rtl_read(d, weir_rtl_add_variable_like(d, parent, weir_rtl_free_name(d, parent, name),
                                                               weir_rtl_port_of(d, instance, b->field[i].port)));
        free(name);
    }
    weir_rtl_connect(d, instance, weir_rtl_get_var(d, b->port).name,
                     b->count == 1 ? value[0] : weir_rtl_concat(d, b->count, value));
}

static void change_connected(changer *c, const bundle *b, weir_rtl_instance instance) {
    weir_rtl_design *d = c->design;
    weir_rtl_expr *value = weir_calloc(b->count, sizeof *value);
    size_t connected = 0, open = 0;
    for (size_t i = 0; i < b->count; i++) {
        const weir_rtl_connection connection = weir_rtl_connection_of(d, instance, b->field[i].port);
        value[i] = connection.value;
        connected += value[i].id != 0;
        open += connection.is_open;
    }
    const bool is_input = b->direction == WEIR_RTL_INPUT;
    if (connected == b->count || (connected > 0 && is_input)) connect_joined(c, b, instance, value);
    else if (connected > 0) connect_partly(c, b, instance, value);
    else if (open > 0) weir_rtl_leave_open(d, instance, weir_rtl_get_var(d, b->port).name);
    free(value);
}

/* {s.a, s.b} of all fields of one struct is the struct. */
static void join_fields(changer *c, const bundle *b, weir_rtl_instance instance) {
    weir_rtl_design *d = c->design;
    const weir_rtl_expr value = weir_rtl_connection_of(d, instance, b->port).value;
    if (value.id == 0) return;
    const bool is_list = weir_rtl_get_expr(d, value).kind == WEIR_RTL_EXPR_CONCAT;
    weir_rtl_expr whole = {0};
    if (is_list && weir_rtl_get_expr(d, value).operand_count != b->count) return;
    for (size_t i = 0; i < b->count; i++) {
        const weir_rtl_expr part = is_list ? weir_rtl_operand(d, value, i) : value;
        const weir_rtl_expr_info info = weir_rtl_get_expr(d, part);
        if (info.kind != WEIR_RTL_EXPR_FIELD || strcmp(info.field, b->field[i].name) != 0) return;
        const weir_rtl_expr from = weir_rtl_operand(d, part, 0);
        if (weir_rtl_get_expr(d, from).kind != WEIR_RTL_EXPR_VAR || weir_rtl_type_of(d, from).id != b->type.id) return;
        if (i > 0 && from.id != whole.id) return;
        whole = from;
    }
    weir_rtl_disconnect(d, instance, b->port);
    weir_rtl_connect(d, instance, weir_rtl_get_var(d, b->port).name, whole);
}

/* ---- all of it ---- */

/* Instances by their module: counted, then put in their places. */
static void list_instances(changer *c) {
    weir_rtl_design *d = c->design;
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id != 0; m = weir_rtl_next_module(d, m)) c->modules = m.id + 1;
    c->first = weir_calloc(c->modules + 2, sizeof *c->first);
    for (int round = 0; round < 2; round++) {
        for (weir_rtl_module m = weir_rtl_first_module(d); m.id != 0; m = weir_rtl_next_module(d, m)) {
            const size_t count = weir_rtl_get_module(d, m).instance_count;
            for (size_t i = 0; i < count; i++) {
                const weir_rtl_instance instance = weir_rtl_instance_at(d, m, i);
                const uint32_t of = weir_rtl_get_instance(d, instance).module.id;
                if (round == 0) c->first[of + 2]++, c->instances++;
                else c->instance[c->first[of + 1]++] = instance;
            }
        }
        for (size_t i = 2; round == 0 && i < c->modules + 2; i++) c->first[i] += c->first[i - 1];
        if (round == 0) c->instance = weir_calloc(c->instances + 1, sizeof *c->instance);
    }
}

static void each_instance(changer *c, const bundle *b, void (*call)(changer *, const bundle *, weir_rtl_instance)) {
    for (size_t i = c->first[b->module.id]; i < c->first[b->module.id + 1]; i++) call(c, b, c->instance[i]);
}

static void change_instance(changer *c, const bundle *b, weir_rtl_instance instance) {
    if (weir_rtl_get_instance(c->design, instance).is_wired) change_wired(c, b, instance);
    else change_connected(c, b, instance);
    weir_rtl_touch(c->design, WEIR_RTL_ITEM(instance));
}

static bool change(changer *c) {
    weir_rtl_design *d = c->design;
    bool fine = true;
    for (size_t i = 0; i < c->bundles; i++) {
        bundle *b = &c->bundle[i];
        add_port(c, b);
        if (b->direction == WEIR_RTL_INPUT) change_input(c, b);
        else change_output(c, b);
        each_instance(c, b, change_instance);
    }
    for (weir_rtl_module m = weir_rtl_first_module(d); fine && m.id != 0; m = weir_rtl_next_module(d, m))
        fine = weir_rtl_get_module(d, m).is_external || weir_rtl_rewrite_module(c->rewriter, m);
    for (size_t i = 0; i < c->bundles; i++) {
        if (c->bundle[i].direction == WEIR_RTL_INPUT) each_instance(c, &c->bundle[i], join_fields);
        for (size_t f = 0; f < c->bundle[i].count; f++) weir_rtl_remove_var(d, c->bundle[i].field[f].port);
    }
    return fine;
}

bool weir_pass_change_port_bundle_struct(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    changer c = {.design = design};
    const size_t errors = weir_rtl_errors(design);
    const weir_rtl_module top = weir_hardware_top(context);
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; i < count; i++)
        if (modules[i].id != top.id || weir_pass_bool(pass, "top")) find_bundles(&c, modules[i]);
    if (c.bundles > 0) {
        c.rewriter = weir_rtl_rewriter_new(design);
        list_instances(&c);
        fine = change(&c);
        weir_rtl_rewriter_free(c.rewriter);
    } else {
        weir_pass_unchanged(context);
    }
    weir_pass_count(context, "struct ports", (int64_t)c.bundles);
    for (size_t i = 0; i < c.bundles; i++) free(c.bundle[i].field);
    free(c.bundle);
    free(c.instance);
    free(c.first);
    free(modules);
    return fine && weir_rtl_errors(design) == errors;
}
