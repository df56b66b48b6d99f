/* create_wrapper_flatten: a new top around the top, whose ports are vectors where those of the old one are arrays: `a`
 * of 3 times 2 elements becomes a_0_0, a_0_1, a_1_0, ... in its place, with the comment and the attributes of `a`.
 * Parameters that are numbers are handed on. Where no port is an array there is nothing to do. Linear in the
 * elements. */
#include <stdlib.h>

#include "passes/rtl/rtl.h"
#include "rtlir/core/type.h"

enum { MAX_DIMENSIONS = 32, MAX_ELEMENTS = 1 << 16 };

/* A port that is an array of arrays of ... of something else. */
typedef struct grid {
    uint32_t size[MAX_DIMENSIONS];
    size_t dimensions;
    uint64_t elements;
    weir_rtl_shape leaf;
} grid;

typedef struct wrapper {
    weir_rtl_design *design;
    weir_rtl_module inner, module;
    weir_rtl_instance instance;
} wrapper;

static grid grid_of(const weir_rtl_design *design, weir_rtl_var port) {
    const weir_rtl_var_info info = weir_rtl_get_var(design, port);
    grid g = {.elements = 1, .leaf = {.type = info.type, .width = info.width, .is_signed = info.is_signed}};
    while (g.leaf.type.id != 0 && g.dimensions < MAX_DIMENSIONS) {
        const weir_rtl_type_info type = weir_rtl_get_type(design, g.leaf.type);
        if (type.kind != WEIR_RTL_TYPE_ARRAY) break;
        g.size[g.dimensions++] = type.count;
        g.elements *= type.count;
        g.leaf = type.element;
        if (g.elements > MAX_ELEMENTS) break;
    }
    return g;
}

static bool refuse(const weir_rtl_design *design, weir_rtl_var port, const char *why) {
    weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(port)).location,
               "port '%s' of module '%s' cannot be flattened: %s", weir_rtl_get_var(design, port).name,
               weir_rtl_get_module(design, weir_rtl_get_var(design, port).module).name, why);
    return false;
}

/* Reports what is in the way; *any says whether there is anything to do. */
static bool can_flatten(const weir_rtl_design *design, weir_rtl_module module, bool *any) {
    const size_t ports = weir_rtl_get_module(design, module).port_count;
    bool fine = true;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, module, i);
        const grid g = grid_of(design, port);
        if (g.dimensions == 0) continue;
        *any = true;
        if (weir_rtl_get_var(design, port).direction == WEIR_RTL_INOUT)
            fine = refuse(design, port, "it is an inout port");
        else if (g.elements > MAX_ELEMENTS || g.dimensions == MAX_DIMENSIONS)
            fine = refuse(design, port, "it has more than 65536 elements or 31 dimensions");
    }
    return fine;
}

/* A port of the new top like that of the old one, or like an element of it. */
static weir_rtl_expr add_port(const wrapper *w, weir_rtl_var port, const char *name, weir_rtl_shape shape) {
    const weir_rtl_var_info info = weir_rtl_get_var(w->design, port);
    const char *own = weir_rtl_free_name(w->design, w->module, name);
    const weir_rtl_var made =
        shape.type.id != 0
            ? weir_rtl_add_typed(w->design, w->module, own, shape.type, info.direction)
            : weir_rtl_add_port(w->design, w->module, own, shape.width, info.direction, info.kind, shape.is_signed);
    weir_rtl_copy_item(w->design, WEIR_RTL_ITEM(port), WEIR_RTL_ITEM(made));
    return weir_rtl_read(w->design, made);
}

/* Element number `index`, the last dimension counting fastest: its port, and an assignment from or to it. */
static void add_element(const wrapper *w, weir_rtl_var port, const grid *g, uint64_t index, weir_rtl_expr array) {
    uint32_t at[MAX_DIMENSIONS];
    weir_text name = {NULL, 0, 0};
    weir_rtl_expr element = array;
    for (size_t d = g->dimensions; d-- > 0; index /= g->size[d]) at[d] = (uint32_t)(index % g->size[d]);
    weir_text_add(&name, weir_rtl_get_var(w->design, port).name);
    for (size_t d = 0; d < g->dimensions; d++) {
        weir_text_format(&name, "_%u", (unsigned)at[d]);
        element = weir_rtl_element_at(w->design, element, at[d]);
    }
    const weir_rtl_expr outside = add_port(w, port, name.data, g->leaf);
    const bool is_input = weir_rtl_get_var(w->design, port).direction == WEIR_RTL_INPUT;
    weir_rtl_assign(w->design, w->module, is_input ? element : outside, is_input ? outside : element);
    weir_text_free(&name);
}

static void wrap_port(const wrapper *w, weir_rtl_var port) {
    const weir_rtl_var_info info = weir_rtl_get_var(w->design, port);
    const grid g = grid_of(w->design, port);
    weir_rtl_expr value;
    if (g.dimensions == 0) {
        value = add_port(w, port, info.name, g.leaf);
    } else {
        const char *name = weir_rtl_free_name(w->design, w->module, info.name);
        value = weir_rtl_read(w->design, weir_rtl_add_typed(w->design, w->module, name, info.type, WEIR_RTL_INTERNAL));
        for (uint64_t i = 0; i < g.elements; i++) add_element(w, port, &g, i, value);
    }
    weir_rtl_connect(w->design, w->instance, info.name, value);
}

static void hand_on_parameters(const wrapper *w) {
    const size_t count = weir_rtl_get_module(w->design, w->inner).parameter_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_parameter parameter = weir_rtl_parameter_at(w->design, w->inner, i);
        const weir_rtl_parameter_info info = weir_rtl_get_parameter(w->design, parameter);
        const bool is_read = info.has_integer && info.integer >= INT32_MIN && info.integer <= INT32_MAX;
        if (info.is_local || !is_read) continue;
        const weir_rtl_parameter own = weir_rtl_add_parameter(w->design, w->module, info.name, info.integer);
        weir_rtl_copy_item(w->design, WEIR_RTL_ITEM(parameter), WEIR_RTL_ITEM(own));
        weir_rtl_set_parameter_expr(w->design, w->instance, info.name, weir_rtl_read_parameter(w->design, own));
    }
}

static bool wrap(weir_rtl_design *design, weir_rtl_module inner, const char *name, weir_module *unit) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, inner);
    weir_text text = {NULL, 0, 0};
    wrapper w = {.design = design, .inner = inner, .module = weir_rtl_add_module(design, name)};
    weir_text_format(&text, "u_%s", info.name);
    w.instance = weir_rtl_add_instance(design, w.module, inner, text.data);
    text.size = 0;
    weir_text_format(&text, "%s with a port for each element of an array", info.name);
    weir_rtl_set_comment(design, WEIR_RTL_ITEM(w.module), text.data);
    weir_text_free(&text);
    if (w.instance.id == 0) return false;
    hand_on_parameters(&w);
    for (size_t i = 0; i < info.port_count; i++) wrap_port(&w, weir_rtl_port_at(design, inner, i));
    weir_module_set_string(unit, "hardware.top", name);
    return weir_rtl_errors(design) == 0;
}

bool weir_pass_create_wrapper_flatten(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_rtl_module top = weir_hardware_top(context);
    bool any = false;
    if (!can_flatten(design, top, &any)) return false;
    if (!any) {
        weir_pass_unchanged(context);
        return true;
    }
    weir_text name = {NULL, 0, 0};
    if (weir_pass_is_set(pass, "name")) weir_text_add(&name, weir_pass_string(pass, "name"));
    else weir_text_format(&name, "%s_wrapper", weir_rtl_get_module(design, top).name);
    const bool fine = wrap(design, top, name.data, weir_pass_module_of(context));
    weir_text_free(&name);
    return fine;
}
