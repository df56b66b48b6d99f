/* check_combinational_loop: no bit depends on itself through assignments, combinational blocks and instances without a
 * register between. External modules and latches count as registers. */
#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/loops.h"

enum { MAX_STEPS = 10 }; /* that are shown of a loop */

typedef struct reporting {
    weir_rtl_design *design;
    size_t found;
} reporting;

static void report(const weir_rtl_loop *loop, void *user) {
    reporting *r = user;
    weir_text name = {NULL, 0, 0};
    weir_name_bits(r->design, loop->net, loop->low, loop->width, &name);
    weir_error(weir_location_of_stmt(r->design, loop->step[0].stmt),
               "%s in module '%s' depends on itself: a combinational loop", name.data,
               weir_module_name_of(r->design, loop->module));
    for (size_t i = 1; i < loop->step_count && i <= MAX_STEPS; i++) {
        const weir_rtl_step *step = &loop->step[i];
        const weir_rtl_instance through = weir_rtl_get_stmt(r->design, step->stmt).instance;
        name.size = 0;
        if (loop->width > 1) weir_name_net(r->design, step->net, &name); /* several paths, side by side */
        else weir_name_bits(r->design, step->net, step->low, step->width, &name);
        if (through.id != 0)
            weir_note_at(weir_location_of_stmt(r->design, step->stmt), "through %s and instance '%s'", name.data,
                         weir_rtl_get_instance(r->design, through).name);
        else weir_note_at(weir_location_of_stmt(r->design, step->stmt), "through %s", name.data);
    }
    if (loop->step_count > MAX_STEPS + 1) weir_note("and %zu more steps", loop->step_count - MAX_STEPS - 1);
    weir_text_free(&name);
    r->found++;
}

bool weir_pass_check_combinational_loop(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    reporting r = {.design = design};
    (void)pass;
    weir_pass_unchanged(context);
    return weir_rtl_find_loops(design, weir_hardware_top(context), report, &r) && r.found == 0;
}
