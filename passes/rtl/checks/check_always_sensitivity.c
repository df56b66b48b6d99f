/* check_always_sensitivity: a clocked block waits for one clock and for asynchronous resets, for each once, and tests
 * the resets in the ifs that it begins with: the edge of any other signal would be a second clock. */
#include "passes/rtl/checks/check.h"
#include "rtlir/analysis/branch.h"

typedef struct waiting {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_rtl_stmt always;
} waiting;

static size_t complain(const waiting *w, const char *what, weir_rtl_var var) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "a clocked block of module '%s' waits ", weir_module_name_of(w->design, w->module));
    weir_text_add(&text, what);
    if (var.id != 0) weir_text_format(&text, " '%s'", weir_rtl_get_var(w->design, var).name);
    weir_error(weir_location_of_stmt(w->design, w->always), "%s", text.data);
    weir_text_free(&text);
    return 1;
}

/* Is the reset tested by one of the ifs that the block begins with, each in the else of the one before? */
static bool is_tested(const weir_rtl_design *design, weir_rtl_stmt always, weir_rtl_var reset) {
    weir_rtl_block block = weir_rtl_get_stmt(design, always).body;
    for (;;) {
        const weir_rtl_stmt branch = weir_rtl_first_effect(design, block);
        if (branch.id == 0) return false;
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, branch);
        if (info.kind != WEIR_RTL_STMT_IF) return false;
        const weir_rtl_var tested = weir_rtl_tested_reset(design, info.value).reset;
        if (tested.id == 0 || tested.id == reset.id) return tested.id != 0;
        block = info.other;
    }
}

static size_t check_events(const waiting *w) {
    const size_t count = weir_rtl_event_count(w->design, w->always);
    weir_rtl_var clock = {0};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var var = weir_rtl_event_at(w->design, w->always, i).var;
        bool again = false;
        for (size_t k = 0; k < i; k++) again = again || weir_rtl_event_at(w->design, w->always, k).var.id == var.id;
        if (again) found += complain(w, "twice for", var);
        else if (weir_rtl_get_var(w->design, var).kind != WEIR_RTL_CLOCK) {
            if (!is_tested(w->design, w->always, var))
                found += complain(w, "for a reset that it does not test first:", var);
        } else if (clock.id == 0) clock = var;
        else found += complain(w, "for one more clock:", var);
    }
    return found + (clock.id == 0 ? complain(w, "for no clock", clock) : 0);
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    size_t found = 0;
    (void)user;
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id != 0; s = weir_rtl_next_part(design, s)) {
        const waiting w = {design, module, s};
        if (weir_rtl_kind_of(design, s) == WEIR_RTL_STMT_ALWAYS) found += check_events(&w);
    }
    return found;
}

bool weir_pass_check_always_sensitivity(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    return weir_check_modules(context, design, check_module, NULL);
}
