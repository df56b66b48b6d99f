/* infer_property_clocking: a property that names no clock takes the only variable of its module that is one, at the
 * edge that the processes and machines there wait for, or at the rising one when nothing does. Where the module has no
 * clock or several, or uses both edges, that is an error: which one is meant can only be written down. */
#include <stdlib.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/fsm.h"

static bool needs_clock(const weir_rtl_design *design, weir_rtl_stmt stmt) {
    return weir_rtl_kind_of(design, stmt) == WEIR_RTL_STMT_ASSERT && weir_rtl_get_property(design, stmt).clock.id == 0;
}

/* The only clock of the module; none: it has another number, and `names` lists them. */
static weir_rtl_var find_clock(const weir_rtl_design *design, weir_rtl_module module, weir_text *names) {
    weir_rtl_var found = {0};
    size_t count = 0;
    for (weir_rtl_var v = weir_rtl_first_var(design, module); v.id != 0; v = weir_rtl_next_var(design, v)) {
        const weir_rtl_var_info info = weir_rtl_get_var(design, v);
        if (info.kind != WEIR_RTL_CLOCK) continue;
        weir_text_format(names, "%s'%s'", count++ > 0 ? ", " : "", info.name);
        found = v;
    }
    return count == 1 ? found : (weir_rtl_var){0};
}

/* Which edges of the clock are waited for. */
typedef struct edges {
    bool rises, falls;
} edges;

static void add_edge(edges *found, weir_rtl_edge edge) {
    if (edge == WEIR_RTL_POSEDGE) found->rises = true;
    else found->falls = true;
}

static edges find_edges(const weir_rtl_design *design, weir_rtl_module module, weir_rtl_var clock) {
    weir_stmt_list list = {NULL, 0, 0};
    edges found = {false, false};
    weir_list_inner(design, module, &list);
    for (size_t i = 0; i < list.count; i++)
        for (size_t e = weir_rtl_event_count(design, list.stmt[i]); e-- > 0;) {
            const weir_rtl_event event = weir_rtl_event_at(design, list.stmt[i], e);
            if (event.var.id == clock.id) add_edge(&found, event.edge);
        }
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id != 0; s = weir_rtl_next_part(design, s))
        if (weir_rtl_kind_of(design, s) == WEIR_RTL_STMT_FSM)
            add_edge(&found, weir_rtl_get_fsm(design, weir_rtl_get_stmt(design, s).fsm).edge);
    weir_stmt_list_free(&list);
    return found;
}

static void report(const weir_rtl_design *design, weir_rtl_module module, weir_rtl_stmt property, weir_rtl_var clock,
                   const char *names) {
    const weir_location location = weir_rtl_get_item(design, WEIR_RTL_ITEM(property)).location;
    const char *name = weir_rtl_get_module(design, module).name;
    if (clock.id != 0)
        weir_error(location, "a property of module '%s' names no clock, and processes there wait for both edges of %s",
                   name, names);
    else if (names[0] == '\0')
        weir_error(location, "a property of module '%s' names no clock, and the module has none", name);
    else weir_error(location, "a property of module '%s' names no clock, and the module has several: %s", name, names);
}

/* How many properties were given a clock; `fine` becomes false when one was not. */
static size_t infer(weir_rtl_design *design, weir_rtl_module module, bool *fine) {
    weir_rtl_stmt s = weir_rtl_first_part(design, module);
    while (s.id != 0 && !needs_clock(design, s)) s = weir_rtl_next_part(design, s);
    if (s.id == 0) return 0;
    weir_text names = {NULL, 0, 0};
    weir_text_add(&names, "");
    const weir_rtl_var clock = find_clock(design, module, &names);
    const edges used = find_edges(design, module, clock);
    size_t count = 0;
    for (; s.id != 0; s = weir_rtl_next_part(design, s)) {
        if (!needs_clock(design, s)) continue;
        if (clock.id == 0 || (used.rises && used.falls)) {
            report(design, module, s, clock, names.data);
            *fine = false;
            continue;
        }
        weir_rtl_set_property_clock(design, s, used.falls ? WEIR_RTL_NEGEDGE : WEIR_RTL_POSEDGE, clock);
        weir_rtl_touch(design, WEIR_RTL_ITEM(s));
        count++;
    }
    weir_text_free(&names);
    return count;
}

bool weir_pass_infer_property_clocking(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0, inferred = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; i < count; i++) inferred += infer(design, modules[i], &fine);
    if (inferred == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "properties", (int64_t)inferred);
    free(modules);
    return fine;
}
