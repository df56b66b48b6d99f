/* Hardware passes for tests that run any of them: those that must keep what a design computes, and one that does
 * not. */
#ifndef WEIR_TESTS_HARDWARE_PASSES_H
#define WEIR_TESTS_HARDWARE_PASSES_H

#include <string.h>

#include "pass/core/registry.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/stmt.h"

/* Inverts what the first continuous assignment says. */
static inline void planted_invert(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    bool *done = (bool *)user;
    if (*done || info.kind != WEIR_RTL_STMT_ASSIGN || info.timing != WEIR_RTL_CONTINUOUS) return;
    *done = weir_rtl_set_value(design, stmt, weir_rtl_unary(design, WEIR_RTL_NOT, info.value));
}

static inline bool planted_run(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    static const weir_rtl_visitor visitor = {.stmt = planted_invert};
    bool done = false;
    (void)pass;
    return weir_rtl_visit(design, weir_hardware_top(context), WEIR_RTL_PARENTS_FIRST, &visitor, &done);
}

/* The pass that every comparison must find. */
static const weir_pass_info planted_pass = {
    .name = "planted", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = planted_run}};

/* Does the pass promise to keep what a design computes, and write no files? */
static inline bool is_exact_hardware_pass(const weir_pass_info *info) {
    return info->kind == WEIR_PASS_HARDWARE && info->promise == WEIR_PASS_EXACT &&
           strncmp(info->name, "generate_", 9) != 0 && strncmp(info->name, "extract_", 8) != 0 &&
           strncmp(info->name, "save_", 5) != 0 && info != &planted_pass;
}

#endif
