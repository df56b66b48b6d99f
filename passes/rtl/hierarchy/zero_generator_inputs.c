/* zero_generator_inputs: bits of inputs that nothing drives become zero, where the attribute zero_inputs allows it: at
 * the instance, at its module, or at the module that contains it. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "rtlir/core/formula.h"
#include "rtlir/core/type.h"
#include "rtlir/verify/verify.h"
#include "support/memory/arena.h"

typedef struct zeroing {
    weir_rtl_design *design;
    weir_rtl_gaps *gaps;
    weir_rtl_gap *tied; /* of one module: copies, because tying grows the design */
    size_t count, capacity;
    int64_t bits;
} zeroing;

static bool is_allowed(const weir_rtl_design *design, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    return weir_rtl_attribute_flag(design, WEIR_RTL_ITEM(instance), "zero_inputs", false) ||
           weir_rtl_attribute_flag(design, WEIR_RTL_ITEM(info.module), "zero_inputs", false) ||
           weir_rtl_attribute_flag(design, WEIR_RTL_ITEM(info.parent), "zero_inputs", false);
}

/* Assigns zeros to bits [low, low + width) of a port or an element of one, in the block that holds the instance.
 * Arrays are taken element by element, as deep as their types nest. */
static void tie(zeroing *z, weir_rtl_instance instance, weir_rtl_expr target, uint32_t low, uint32_t width) {
    weir_rtl_design *design = z->design;
    const weir_rtl_type_info type = weir_rtl_get_type(design, weir_rtl_type_of(design, target));
    const uint32_t all = weir_rtl_width(design, target);
    if (width < all && weir_rtl_get_expr(design, target).has_parameter) return; /* how many bits that are is open */
    if (width < all && type.kind == WEIR_RTL_TYPE_ARRAY) {
        const uint32_t each = type.element.width, end = low + width;
        for (uint32_t i = low / each; i * each < end; i++) {
            const uint32_t from = low > i * each ? low - i * each : 0;
            const uint32_t to = end < (i + 1) * each ? end - i * each : each;
            tie(z, instance, weir_rtl_element_at(design, target, i), from, to - from);
        }
        return;
    }
    if (width < all) target = weir_rtl_slice(design, target, low + width - 1, low);
    const weir_rtl_stmt at = weir_rtl_get_instance(design, instance).stmt;
    const weir_rtl_stmt made = weir_rtl_add_assign(design, weir_rtl_get_stmt(design, at).block, target,
                                                   weir_hardware_zero_like(design, target), WEIR_RTL_CONTINUOUS);
    weir_rtl_copy_location(design, WEIR_RTL_ITEM(instance), WEIR_RTL_ITEM(made));
    weir_rtl_touch(design, WEIR_RTL_ITEM(made));
    z->bits += width;
}

static void tie_wired(zeroing *z, weir_rtl_module module) {
    size_t count;
    const weir_rtl_gap *gap = weir_rtl_gaps_of(z->gaps, module, &count);
    z->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (gap[i].net.instance.id == 0 || !is_allowed(z->design, gap[i].net.instance)) continue;
        z->tied = weir_grow(z->tied, &z->capacity, z->count + 1, sizeof *z->tied);
        z->tied[z->count++] = gap[i];
    }
    for (size_t i = 0; i < z->count; i++) {
        const weir_rtl_gap *t = &z->tied[i];
        const weir_rtl_expr port = weir_rtl_port_of(z->design, t->net.instance, t->net.var);
        tie(z, t->net.instance, port, t->low, t->width);
    }
}

/* Inputs without a connection. */
static void tie_unconnected(zeroing *z, weir_rtl_instance instance) {
    weir_rtl_design *design = z->design;
    const weir_rtl_module module = weir_rtl_get_instance(design, instance).module;
    const size_t count = weir_rtl_get_module(design, module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, module, i);
        const weir_rtl_var_info info = weir_rtl_get_var(design, port);
        const weir_rtl_connection now = weir_rtl_connection_of(design, instance, port);
        if (info.direction != WEIR_RTL_INPUT || now.value.id != 0 || now.is_open) continue;
        const uint32_t width = weir_rtl_port_width(design, instance, info.name);
        const weir_rtl_formula bits = weir_rtl_port_formula(design, instance, port);
        weir_rtl_connect(design, instance, info.name, weir_rtl_constant_by(design, bits, 0));
        weir_rtl_touch(design, WEIR_RTL_ITEM(instance));
        z->bits += width;
    }
}

static void zero_module(zeroing *z, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(z->design, module).instance_count;
    bool is_wired = false;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(z->design, module, i);
        if (!is_allowed(z->design, instance)) continue;
        if (weir_rtl_get_instance(z->design, instance).is_wired) is_wired = true;
        else tie_unconnected(z, instance);
    }
    if (is_wired) tie_wired(z, module);
}

bool weir_pass_zero_generator_inputs(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    zeroing z = {.design = design, .gaps = weir_rtl_gaps_new(design)};
    size_t count;
    (void)pass;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) zero_module(&z, modules[i]);
    if (z.bits == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "bits", z.bits);
    const bool fine = modules != NULL;
    weir_rtl_gaps_free(z.gaps);
    free(z.tied);
    free(modules);
    return fine;
}
