/* check_mixed_assignment: the assignments of a variable are of one kind: continuous, blocking or nonblocking. Initial
 * blocks only say where a variable starts, and undecided assignments have no kind yet. Whose variables an assignment
 * may name is certain since it was built. */
#include <stdlib.h>

#include "passes/rtl/checks/check.h"
#include "support/memory/arena.h"

typedef struct mixing {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_net_numbers numbers;
    struct first {
        weir_rtl_stmt stmt;
        weir_rtl_timing timing;
    } * first;              /* by net: its first assignment */
    weir_rtl_timing timing; /* of the assignment that is looked at */
    size_t found;
} mixing;

static void visit(weir_rtl_net net, weir_rtl_stmt assign, void *user) {
    mixing *m = user;
    struct first *first = &m->first[weir_net_number(&m->numbers, net)];
    if (first->stmt.id == 0) *first = (struct first){assign, m->timing};
    if (first->timing == m->timing) return;
    weir_text name = {NULL, 0, 0};
    weir_name_net(m->design, net, &name);
    weir_error(weir_location_of_stmt(m->design, assign), "%s in module '%s' has assignments of two kinds: %s and %s",
               name.data, weir_module_name_of(m->design, m->module), weir_rtl_timing_name(first->timing),
               weir_rtl_timing_name(m->timing));
    weir_note_at(weir_location_of_stmt(m->design, first->stmt), "the %s assignment is here",
                 weir_rtl_timing_name(first->timing));
    weir_text_free(&name);
    m->found++;
}

static void visit_stmt(mixing *m, weir_rtl_stmt stmt) {
    if (weir_rtl_kind_of(m->design, stmt) != WEIR_RTL_STMT_ASSIGN) return;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(m->design, stmt);
    m->timing = info.timing;
    if (info.timing != WEIR_RTL_UNDECIDED) weir_visit_parts(m->design, info.target, stmt, visit, m);
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    mixing *m = user;
    m->module = module;
    m->found = 0;
    weir_rtl_stmt part = weir_rtl_first_part(design, module);
    for (; part.id != 0; part = weir_rtl_next_part(design, part)) {
        const weir_rtl_stmt_kind kind = weir_rtl_kind_of(design, part);
        if (kind == WEIR_RTL_STMT_ASSIGN) visit_stmt(m, part);
        else if (kind != WEIR_RTL_STMT_INITIAL && kind != WEIR_RTL_STMT_FUNCTION && kind != WEIR_RTL_STMT_FOR)
            for (weir_rtl_stmt s = part; s.id != 0; s = weir_rtl_inside(design, s, part)) visit_stmt(m, s);
    }
    return m->found;
}

bool weir_pass_check_mixed_assignment(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    mixing m = {.design = design, .numbers = weir_number_nets(design)};
    (void)pass;
    m.first = weir_calloc(m.numbers.count + 1, sizeof *m.first);
    const bool fine = weir_check_modules(context, design, check_module, &m);
    free(m.first);
    weir_free_numbers(&m.numbers);
    return fine;
}
