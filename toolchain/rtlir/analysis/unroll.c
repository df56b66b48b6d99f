/* The walk over the statements of a module that unrolls loops. */
#include <stdlib.h>

#include "rtlir/analysis/unroll_private.h"

/* Loops of more iterations, those around them multiplied in, are taken once: those with a break earlier, because what
 * holds there is remembered for each. */
enum { MAX_ITERATIONS = 1 << 16, MAX_BREAKS = 1 << 10 };

static uint64_t trips(const rtl_loop *loop) {
    int64_t distance = loop->step > 0 ? loop->end - loop->start : loop->start - loop->end;
    int64_t step = loop->step > 0 ? loop->step : -loop->step;
    return distance > 0 ? (uint64_t)((distance + step - 1) / step) : 0;
}

/* Is there nothing around the statement but loops of the body? The turns of those are the first ones. */
static bool is_part(const rtl_unroll *u, uint32_t stmt) {
    assert(stmt < u->design->stmt_count);
    uint32_t owner = u->design->block[u->design->stmt[stmt].block].owner;
    return !owner || (u->depth > 0 && u->depth == u->body_depth && u->turn[u->depth - 1].stmt == owner);
}

/* At a part of the body, a unit begins. */
static void arrive(rtl_unroll *u, uint32_t stmt) {
    u->stmt = stmt;
    if (!is_part(u, stmt)) return;
    u->part = stmt;
    u->unit++;
}

static bool has_break(const weir_rtl_design *design, uint32_t loop) {
    uint32_t s = rtl_walk_next(design, loop, loop);
    while (s && design->stmt[s].kind != WEIR_RTL_STMT_BREAK) s = rtl_walk_next(design, s, loop);
    return s != 0;
}

/* The first statement inside the current one, or 0; a loop takes its first turn. */
static uint32_t descend(rtl_unroll *u) {
    const weir_rtl_design *design = u->design;
    const rtl_stmt *record = &design->stmt[u->stmt];
    uint32_t down = design->block[record->body].first;
    if (record->kind != WEIR_RTL_STMT_FOR) return down ? down : design->block[record->other].first;
    const rtl_loop *loop = rtl_loop_of(design, record);
    uint64_t count = trips(loop);
    if (!down || count == 0) return 0;
    bool in_body = is_part(u, u->stmt);
    uint64_t weight = u->weight * count;
    bool is_known = weight <= MAX_BREAKS || (weight <= MAX_ITERATIONS && !has_break(design, u->stmt));
    u->turn = weir_grow(u->turn, &u->capacity, u->depth + 1, sizeof *u->turn);
    u->turn[u->depth++] = (rtl_turn){u->stmt, loop->iterator, loop->start, is_known, u->is_first};
    if (in_body) u->body_depth = u->depth;
    if (is_known) u->weight = weight;
    return down;
}

/* One more turn of the innermost loop: its first statement, or 0 when it is over. */
static uint32_t turn_again(rtl_unroll *u) {
    rtl_turn *turn = &u->turn[u->depth - 1];
    const rtl_stmt *record = &u->design->stmt[turn->stmt];
    const rtl_loop *loop = rtl_loop_of(u->design, record);
    int64_t next = turn->value + loop->step;
    bool in_body = u->depth == u->body_depth;
    if (turn->is_known && (loop->step > 0 ? next < loop->end : next > loop->end)) {
        turn->value = next;
        if (in_body) u->is_first = false;
        return u->design->block[record->body].first;
    }
    if (turn->is_known) u->weight /= trips(loop);
    u->is_first = turn->was_first;
    u->depth--;
    if (in_body) u->body_depth = u->depth;
    return 0;
}

void rtl_unroll_skip(rtl_unroll *u) {
    const weir_rtl_design *design = u->design;
    for (uint32_t stmt = u->stmt; stmt;) {
        const rtl_stmt *record = &design->stmt[stmt];
        uint32_t owner = design->block[record->block].owner;
        uint32_t next = record->next;
        while (next && design->stmt[next].kind == WEIR_RTL_STMT_FUNCTION) next = design->stmt[next].next;
        if (!next && owner && design->stmt[owner].kind == WEIR_RTL_STMT_FOR) next = turn_again(u);
        else if (!next && owner && record->block == design->stmt[owner].body)
            next = design->block[design->stmt[owner].other].first;
        if (next) {
            arrive(u, next);
            return;
        }
        stmt = owner;
    }
    u->stmt = 0;
}

void rtl_unroll_next(rtl_unroll *u) {
    uint32_t down = descend(u);
    if (down) arrive(u, down);
    else rtl_unroll_skip(u);
}

void rtl_unroll_start(rtl_unroll *u, const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    uint32_t first = design->block[design->module[module].body].first;
    while (first && design->stmt[first].kind == WEIR_RTL_STMT_FUNCTION) first = design->stmt[first].next;
    u->design = design;
    u->depth = u->body_depth = 0;
    u->weight = 1;
    u->unit = 0;
    u->is_first = true;
    u->stmt = 0;
    if (first) arrive(u, first);
}

void rtl_unroll_end(rtl_unroll *u) { free(u->turn); }
