/* check_mixed_assignment: a variable is assigned in one way, continuous, blocking or nonblocking. Initial blocks only say
 * where a variable starts, and undecided assignments have no way yet. Whose variables an assignment may name is certain
 * since it was built. */
#include <stdlib.h>

#include "passes/rtl/check.h"
#include "support/arena.h"

typedef struct mixing {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_net_numbers numbers;
    weir_rtl_stmt *first; /* by net: its first assignment */
    size_t found;
} mixing;

static void visit(weir_rtl_net net, weir_rtl_stmt assign, void *user) {
    mixing *m = user;
    weir_rtl_stmt *first = &m->first[weir_net_number(&m->numbers, net)];
    if (first->id == 0) *first = assign;
    const weir_rtl_timing before = weir_rtl_get_stmt(m->design, *first).timing;
    const weir_rtl_timing now = weir_rtl_get_stmt(m->design, assign).timing;
    if (before == now) return;
    weir_text name = {NULL, 0, 0};
    weir_name_net(m->design, net, &name);
    weir_error(weir_place_of_stmt(m->design, assign), "%s in module '%s' is assigned in two ways: %s and %s", name.data,
               weir_module_name_of(m->design, m->module), weir_rtl_timing_name(before), weir_rtl_timing_name(now));
    weir_note_at(weir_place_of_stmt(m->design, *first), "the %s assignment is here", weir_rtl_timing_name(before));
    weir_text_free(&name);
    m->found++;
}

static size_t check_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    mixing *m = user;
    m->module = module;
    m->found = 0;
    for (weir_rtl_stmt part = weir_first_part(design, module); part.id != 0; part = weir_next_part(design, part)) {
        const weir_rtl_stmt_kind kind = weir_rtl_get_stmt(design, part).kind;
        if (kind == WEIR_RTL_STMT_INITIAL || kind == WEIR_RTL_STMT_FUNCTION) continue;
        const bool is_loop = kind == WEIR_RTL_STMT_FOR;
        for (weir_rtl_stmt s = part; s.id != 0; s = is_loop ? (weir_rtl_stmt){0} : weir_rtl_inside(design, s, part)) {
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
            if (info.kind == WEIR_RTL_STMT_ASSIGN && info.timing != WEIR_RTL_UNDECIDED)
                weir_visit_parts(design, info.target, s, visit, m);
        }
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
