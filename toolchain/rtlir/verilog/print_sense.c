/* Combinational processes with an empty sensitivity list: `always @*` of Verilog-2005 runs when something that it reads
 * changes, so one that reads only what it assigns itself would never run. */
#include <stdlib.h>

#include "rtlir/verilog/printer_private.h"

typedef struct reads {
    const weir_rtl_design *design;
    uint32_t *assigned; /* variables, sorted */
    size_t count, capacity;
    uint32_t *waiting; /* expressions */
    size_t waiting_count, waiting_capacity;
} reads;

static void wait_for(reads *r, uint32_t expr) {
    if (!expr) return;
    r->waiting = weir_grow(r->waiting, &r->waiting_capacity, r->waiting_count + 1, sizeof *r->waiting);
    r->waiting[r->waiting_count++] = expr;
}

static void assign(reads *r, uint32_t var) {
    r->assigned = weir_grow(r->assigned, &r->capacity, r->count + 1, sizeof *r->assigned);
    r->assigned[r->count++] = var;
}

/* The variables of a target are assigned; the indices in it are read. */
static void take_target(reads *r, uint32_t target) {
    const size_t start = r->waiting_count;
    size_t indices = 0, capacity = 0;
    uint32_t *index = NULL;
    for (wait_for(r, target); r->waiting_count > start;) {
        const weir_rtl_expr e = {r->waiting[--r->waiting_count]};
        const weir_rtl_expr_info info = weir_rtl_get_expr(r->design, e);
        if (info.kind == WEIR_RTL_EXPR_VAR) assign(r, info.var.id);
        const bool is_concat = info.kind == WEIR_RTL_EXPR_CONCAT;
        for (size_t i = 0; i < info.operand_count; i++) {
            const uint32_t operand = weir_rtl_operand(r->design, e, i).id;
            if (i == 0 || is_concat) {
                wait_for(r, operand);
            } else {
                index = weir_grow(index, &capacity, indices + 1, sizeof *index);
                index[indices++] = operand;
            }
        }
    }
    for (size_t i = 0; i < indices; i++) wait_for(r, index[i]);
    free(index);
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Does one of the waiting expressions read what the process does not make itself? */
static bool reads_others(reads *r) {
    while (r->waiting_count > 0) {
        const weir_rtl_expr e = {r->waiting[--r->waiting_count]};
        const weir_rtl_expr_info info = weir_rtl_get_expr(r->design, e);
        if (info.kind == WEIR_RTL_EXPR_PORT) return true;
        if (info.kind == WEIR_RTL_EXPR_VAR && !r->design->var[info.var.id].is_iterator &&
            (r->count == 0 || !bsearch(&info.var.id, r->assigned, r->count, sizeof *r->assigned, by_number)))
            return true;
        for (size_t i = 0; i < info.operand_count; i++) wait_for(r, weir_rtl_operand(r->design, e, i).id);
    }
    return false;
}

bool rtl_waits_for_nothing(const weir_rtl_design *design, uint32_t process) {
    reads r = {.design = design};
    for (uint32_t s = rtl_walk_next(design, process, process); s; s = rtl_walk_next(design, s, process)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, (weir_rtl_stmt){s});
        if (info.kind == WEIR_RTL_STMT_ASSERT) continue;
        if (info.kind == WEIR_RTL_STMT_ASSIGN) take_target(&r, info.target.id);
        wait_for(&r, info.value.id);
    }
    if (r.count > 0) qsort(r.assigned, r.count, sizeof *r.assigned, by_number);
    const bool nothing = !reads_others(&r);
    free(r.assigned);
    free(r.waiting);
    return nothing;
}
