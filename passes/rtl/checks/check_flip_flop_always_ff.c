/* check_flip_flop_always_ff: an if at the top of a clocked block is alone there. Design Compiler takes nothing else
 * (ELAB-302) where an asynchronous reset chooses among branches. */
#include "passes/rtl/checks/check.h"

static bool counts(weir_rtl_stmt_kind kind) { return kind != WEIR_RTL_STMT_COMMENT && kind != WEIR_RTL_STMT_ASSERT; }

static size_t check_block(weir_rtl_design *design, weir_rtl_module module, weir_rtl_stmt always) {
    weir_rtl_stmt branch = {0}, other = {0};
    weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_stmt(design, always).body);
    for (; s.id != 0; s = weir_rtl_next(design, s)) {
        const weir_rtl_stmt_kind kind = weir_rtl_kind_of(design, s);
        if (branch.id == 0 && kind == WEIR_RTL_STMT_IF) branch = s;
        else if (other.id == 0 && counts(kind)) other = s;
    }
    if (branch.id == 0 || other.id == 0) return 0;
    weir_error(weir_location_of_stmt(design, branch),
               "an if is beside other statements in a clocked block of module '%s', expected it alone",
               weir_module_name_of(design, module));
    weir_note_at(weir_location_of_stmt(design, other), "another statement of the block");
    return 1;
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    const bool resets_only = *(const bool *)user;
    size_t found = 0;
    for (weir_rtl_stmt s = weir_rtl_first_part(design, module); s.id != 0; s = weir_rtl_next_part(design, s))
        if (weir_rtl_kind_of(design, s) == WEIR_RTL_STMT_ALWAYS &&
            (!resets_only || weir_rtl_event_count(design, s) > 1))
            found += check_block(design, module, s);
    return found;
}

bool weir_pass_check_flip_flop_always_ff(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    bool resets_only = weir_pass_bool(pass, "resets_only");
    return weir_check_modules(context, design, check_module, &resets_only);
}
