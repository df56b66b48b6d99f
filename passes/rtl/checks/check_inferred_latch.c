/* check_inferred_latch: a combinational block assigns what it assigns on every path, and a clocked block does not
 * assign only where an asynchronous reset is active. Bit by bit: half a variable here and half of it there are two
 * latches. */
#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/latches.h"

static void report(const weir_rtl_design *design, weir_rtl_module module, const weir_rtl_latch *latch) {
    const char *name = weir_module_name_of(design, module);
    weir_text net = {NULL, 0, 0};
    weir_name_bits(design, latch->net, latch->low, latch->width, &net);
    if (latch->reset.id != 0)
        weir_error(weir_location_of_stmt(design, latch->stmt),
                   "%s in module '%s' is a latch: only the reset '%s' assigns it in a clocked block", net.data, name,
                   weir_rtl_get_var(design, latch->reset).name);
    else
        weir_error(weir_location_of_stmt(design, latch->stmt),
                   "%s in module '%s' is a latch: it is not assigned on every path through a combinational block",
                   net.data, name);
    weir_note_at(weir_location_of_stmt(design, latch->process), "the block starts here");
    weir_text_free(&net);
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    size_t count;
    const weir_rtl_latch *latch = weir_rtl_find_latches(user, module, &count);
    for (size_t i = 0; i < count; i++) report(design, module, &latch[i]);
    return count;
}

bool weir_pass_check_inferred_latch(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    weir_rtl_latches *flow = weir_rtl_latches_new(design);
    (void)pass;
    const bool fine = weir_check_modules(context, design, check_module, flow);
    weir_rtl_latches_free(flow);
    return fine;
}
