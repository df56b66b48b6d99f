/* insert_pipeline_stages: a module with the attribute `pipeline = N` gets N registers after each of its outputs,
 * clocked by the clock that the attribute `pipeline_clk` names, or its only one. Inside the module the outputs keep
 * their cycle: what drove and read `out` drives and reads `out_stage_0` now. Clocks and resets that leave the module
 * are not delayed. Both attributes go, so that the registers come once. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/type.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

enum { MOST = 1024 /* stages */ };

/* A variable like a port, under a name near NAME_stage_NUMBER. */
static weir_rtl_var add_stage(weir_rtl_design *design, const weir_rtl_var_info *port, int64_t number) {
    char *wanted = weir_format("%s_stage_%lld", port->name, (long long)number);
    const char *name = weir_rtl_free_name(design, port->module, wanted);
    weir_rtl_var var;
    if (port->type.id != 0) var = weir_rtl_add_typed(design, port->module, name, port->type, WEIR_RTL_INTERNAL);
    else
        var = weir_rtl_add_variable_like(design, port->module, name,
                                         weir_rtl_read(design, weir_rtl_find_var(design, port->module, port->name)));
    free(wanted);
    return var;
}

/* The clock of the registers; none after an error. */
static weir_rtl_var find_clock(weir_rtl_design *design, weir_rtl_module module) {
    const weir_rtl_item item = WEIR_RTL_ITEM(module);
    const char *wanted = weir_rtl_attribute_string(design, item, "pipeline_clk");
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    const weir_location location = weir_rtl_get_item(design, item).location;
    weir_rtl_var clock = {0};
    size_t clocks = 0;
    if (wanted != NULL) {
        clock = weir_rtl_find_var(design, module, wanted);
        if (clock.id != 0 && weir_rtl_get_var(design, clock).kind == WEIR_RTL_CLOCK) return clock;
        weir_error(location, "attribute 'pipeline_clk' of module '%s': expected the name of a clock, found '%s'",
                   info.name, wanted);
        return (weir_rtl_var){0};
    }
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, module, i);
        const weir_rtl_var_info var = weir_rtl_get_var(design, port);
        if (var.kind != WEIR_RTL_CLOCK || var.direction != WEIR_RTL_INPUT) continue;
        clock = port;
        clocks++;
    }
    if (clocks == 1) return clock;
    weir_error(location, "module '%s' has the attribute 'pipeline' and %zu clocks, expected one", info.name, clocks);
    if (clocks > 1) weir_note("name the clock to use with the attribute 'pipeline_clk'");
    return (weir_rtl_var){0};
}

/* The ports of the module that are delayed. */
static size_t list_outputs(const weir_rtl_design *design, weir_rtl_module module, weir_rtl_var *output) {
    size_t count = 0;
    const size_t ports = weir_rtl_get_module(design, module).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, module, i);
        const weir_rtl_var_info info = weir_rtl_get_var(design, port);
        if (info.direction == WEIR_RTL_OUTPUT && info.kind == WEIR_RTL_DATA) output[count++] = port;
    }
    return count;
}

static bool add_stages(weir_rtl_design *design, weir_rtl_module module, weir_rtl_var clock, int64_t stages,
                       const weir_rtl_var *output, size_t count) {
    weir_rtl_rewriter *rewriter = weir_rtl_rewriter_new(design);
    weir_rtl_var *last = weir_calloc(count + 1, sizeof *last);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(design, output[i]);
        last[i] = add_stage(design, &port, 0);
        fine = weir_rtl_map_var(rewriter, output[i], weir_rtl_read(design, last[i]));
    }
    fine = fine && weir_rtl_rewrite_module(rewriter, module);
    weir_rtl_rewriter_free(rewriter);
    for (int64_t stage = 1; fine && stage <= stages; stage++) {
        const weir_rtl_block always = weir_rtl_add_always(design, module, WEIR_RTL_POSEDGE, clock);
        for (size_t i = 0; i < count; i++) {
            const weir_rtl_var_info port = weir_rtl_get_var(design, output[i]);
            const weir_rtl_var next = stage == stages ? output[i] : add_stage(design, &port, stage);
            weir_rtl_set_next(design, always, weir_rtl_read(design, next), weir_rtl_read(design, last[i]));
            last[i] = next;
        }
    }
    free(last);
    return fine && weir_rtl_errors(design) == 0;
}

/* Registers would delay what the outputs say, but not what tri-state drivers do. */
static bool has_inout(const weir_rtl_design *design, weir_rtl_module module) {
    const size_t ports = weir_rtl_get_module(design, module).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, module, i));
        if (port.direction != WEIR_RTL_INOUT) continue;
        weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(module)).location,
                   "module '%s' has the attribute 'pipeline' and the inout port '%s', which no register can delay: put "
                   "what is to be delayed into a module without it",
                   weir_rtl_get_module(design, module).name, port.name);
        return true;
    }
    return false;
}

/* Adds the registers of a module; 0 when it asks for none, -1 after an error. */
static int64_t insert(weir_rtl_design *design, weir_rtl_module module) {
    const weir_rtl_item item = WEIR_RTL_ITEM(module);
    if (!weir_rtl_has_attribute(design, item, "pipeline")) return 0;
    const int64_t stages = weir_rtl_attribute_integer(design, item, "pipeline", 0);
    if (stages < 1 || stages > MOST) {
        weir_error(weir_rtl_get_item(design, item).location,
                   "attribute 'pipeline' of module '%s': expected a number of stages from 1 to %d",
                   weir_rtl_get_module(design, module).name, MOST);
        return -1;
    }
    const weir_rtl_var clock = find_clock(design, module);
    if (clock.id == 0 || has_inout(design, module)) return -1;
    weir_rtl_var *output = weir_calloc(weir_rtl_get_module(design, module).port_count + 1, sizeof *output);
    const size_t count = list_outputs(design, module, output);
    const bool fine = count == 0 || add_stages(design, module, clock, stages, output, count);
    free(output);
    weir_rtl_remove_attribute(design, item, "pipeline");
    weir_rtl_remove_attribute(design, item, "pipeline_clk");
    weir_rtl_touch(design, item);
    return fine ? stages * (int64_t)count : -1;
}

bool weir_pass_insert_pipeline_stages(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, changed = 0;
    int64_t registers = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; modules != NULL && i < count; i++) {
        changed += weir_rtl_has_attribute(design, WEIR_RTL_ITEM(modules[i]), "pipeline");
        const int64_t added = insert(design, modules[i]);
        fine = fine && added >= 0;
        registers += added > 0 ? added : 0;
    }
    if (changed == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "registers", registers);
    free(modules);
    return fine;
}
