#include "passes/equivalence/plain.h"

#include <stdlib.h>

#include "passes/equivalence/plain_fsm.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

typedef struct lowering {
    weir_rtl_rewriter *rewriter;
    weir_text *why;
    bool failed;
} lowering;

/* --- assignments, and properties without a clock, which nothing that is compared depends on --- */
static bool is_unclocked(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    return info->kind == WEIR_RTL_STMT_ASSERT && weir_rtl_get_property(design, stmt).clock.id == 0 &&
           weir_rtl_timing_in(design, info->block) == WEIR_RTL_CONTINUOUS;
}

static void decide(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    (void)user;
    if (info.kind == WEIR_RTL_STMT_ASSIGN && info.timing == WEIR_RTL_UNDECIDED)
        weir_rtl_set_timing(design, stmt, weir_rtl_timing_in(design, info.block));
    if (is_unclocked(design, stmt, &info)) weir_rtl_remove_stmt(design, stmt);
}

/* --- instances --- */
static weir_rtl_var add_variable(weir_rtl_design *design, weir_rtl_instance instance, weir_rtl_var port) {
    const weir_rtl_instance_info i = weir_rtl_get_instance(design, instance);
    char *wanted = weir_format("%s_%s", i.name, weir_rtl_get_var(design, port).name);
    const weir_rtl_var var = weir_rtl_add_variable_like(design, i.parent, weir_rtl_free_name(design, i.parent, wanted),
                                                        weir_rtl_port_of(design, instance, port));
    free(wanted);
    return var;
}

static bool is_in_loop(const weir_rtl_design *design, weir_rtl_instance instance) {
    const weir_rtl_stmt stmt = weir_rtl_get_instance(design, instance).stmt;
    return stmt.id != 0 && weir_rtl_owner(design, weir_rtl_get_stmt(design, stmt).block).id != 0;
}

static void wire_instance(weir_rtl_design *design, weir_rtl_instance instance, lowering *l) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    if (is_in_loop(design, instance)) {
        weir_text_format(l->why, "instance '%s' of '%s' is wired by assignments inside a loop", info.name,
                         weir_rtl_get_module(design, info.parent).name);
        l->failed = true;
        return;
    }
    weir_rtl_set_wired(design, instance, false);
    const size_t count = weir_rtl_get_module(design, info.module).port_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, info.module, i);
        const weir_rtl_connection connection = weir_rtl_connection_of(design, instance, port);
        if (connection.value.id != 0 || connection.is_open) continue;
        const weir_rtl_expr wire = weir_rtl_read(design, add_variable(design, instance, port));
        if (!weir_rtl_map_port(l->rewriter, instance, port, wire)) l->failed = true;
        weir_rtl_connect(design, instance, weir_rtl_get_var(design, port).name, wire);
    }
}

static void lower_module(weir_rtl_design *design, weir_rtl_module module, lowering *l) {
    static const weir_rtl_visitor visitor = {.stmt = decide};
    if (!weir_rtl_make_plain_machines(design, module, l->why)) {
        l->failed = true;
        return;
    }
    weir_rtl_visit_content(design, module, &visitor, l);
    const size_t count = weir_rtl_get_module(design, module).instance_count;
    bool wired = false;
    for (size_t i = 0; i < count && !l->failed; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(design, module, i);
        if (!weir_rtl_get_instance(design, instance).is_wired) continue;
        wire_instance(design, instance, l);
        wired = true;
    }
    if (wired && !l->failed && !weir_rtl_rewrite_module(l->rewriter, module)) l->failed = true;
}

bool weir_rtl_make_plain(weir_rtl_design *design, const char *prefix, weir_text *why) {
    lowering l = {.rewriter = weir_rtl_rewriter_new(design), .why = why};
    for (weir_rtl_module m = weir_rtl_first_module(design); m.id != 0 && !l.failed;
         m = weir_rtl_next_module(design, m)) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, m);
        if (info.is_external) continue;
        weir_rtl_rewriter_clear(l.rewriter);
        lower_module(design, m, &l);
        char *wanted = weir_format("%s_%s", prefix, info.name);
        weir_rtl_rename(design, WEIR_RTL_ITEM(m), weir_rtl_free_module_name(design, wanted));
        free(wanted);
    }
    weir_rtl_rewriter_free(l.rewriter);
    return !l.failed;
}
