/* Bits that parts of variables are, and the walk that knows the iterators of loops. */
#include <stdlib.h>

#include "rtlir/core/private.h"

/* Loops of more iterations, those around them multiplied in, are taken once: those with a break earlier, because what
 * holds there is remembered for each. */
enum { MAX_ITERATIONS = 1 << 16, MAX_BREAKS = 1 << 10 };

/* ---- values of indices ---- */

static int64_t cut(uint64_t value, uint32_t width, bool is_signed) {
    uint32_t above = 64 - width;
    if (above == 0) return (int64_t)value;
    value <<= above;
    return is_signed ? (int64_t)value >> above : (int64_t)(value >> above);
}

static bool compute(weir_rtl_operator op, int64_t a, int64_t b, int64_t *value) {
    switch (op) {
    case WEIR_RTL_PLUS: *value = a; return true;
    case WEIR_RTL_NEGATE: *value = (int64_t)(0 - (uint64_t)a); return true;
    case WEIR_RTL_NOT: *value = ~a; return true;
    case WEIR_RTL_ADD: *value = (int64_t)((uint64_t)a + (uint64_t)b); return true;
    case WEIR_RTL_SUBTRACT: *value = (int64_t)((uint64_t)a - (uint64_t)b); return true;
    case WEIR_RTL_MULTIPLY: *value = (int64_t)((uint64_t)a * (uint64_t)b); return true;
    case WEIR_RTL_AND: *value = a & b; return true;
    case WEIR_RTL_OR: *value = a | b; return true;
    case WEIR_RTL_XOR: *value = a ^ b; return true;
    case WEIR_RTL_SHIFT_LEFT: *value = b < 64 ? (int64_t)((uint64_t)a << b) : 0; return b >= 0;
    default: return false;
    }
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
bool rtl_index_value(const weir_rtl_design *design, const rtl_unroll *unroll, uint32_t expr, int64_t *value) {
    const rtl_expr *e = &design->expr[expr];
    int64_t a = 0, b = 0;
    if (e->width > 64) return false;
    switch (e->kind) {
    case WEIR_RTL_EXPR_PARAMETER: /* by default: other values are looked at in specialised modules */
        *value = design->parameter[e->a].value.integer;
        return true;
    case WEIR_RTL_EXPR_CONSTANT: *value = cut(design->word[e->a], e->width, e->is_signed); return true;
    case WEIR_RTL_EXPR_VAR:
        for (size_t i = unroll ? unroll->depth : 0; i-- > 0;) {
            if (unroll->turn[i].iterator != e->a) continue;
            *value = unroll->turn[i].value;
            return unroll->turn[i].is_known;
        }
        return false;
    case WEIR_RTL_EXPR_SLICE:
        if (!rtl_index_value(design, unroll, e->a, &a) || e->b >= 64) return false;
        *value = cut((uint64_t)a >> e->b, e->width, false);
        return true;
    case WEIR_RTL_EXPR_CAST:
        if (!rtl_index_value(design, unroll, e->a, &a)) return false;
        *value = cut((uint64_t)a, e->width, e->is_signed);
        return true;
    case WEIR_RTL_EXPR_UNARY:
    case WEIR_RTL_EXPR_BINARY:
        if (!rtl_index_value(design, unroll, e->a, &a)) return false;
        if (e->kind == WEIR_RTL_EXPR_BINARY && !rtl_index_value(design, unroll, e->b, &b)) return false;
        if (!compute(e->op, a, b, value)) return false;
        *value = cut((uint64_t)*value, e->width, e->is_signed);
        return true;
    default: return false;
    }
}

/* ---- places ---- */

/* One step outwards: from bits of a part to bits of what it is a part of. */
static void step_out(const weir_rtl_design *design, const rtl_unroll *unroll, const rtl_expr *e, rtl_place *place) {
    const rtl_expr *whole = &design->expr[e->a];
    int64_t index = 0, low = 0;
    bool is_known = true;
    switch (e->kind) {
    case WEIR_RTL_EXPR_SLICE: low = e->b; break;
    case WEIR_RTL_EXPR_FIELD:
        low =
            design->type[rtl_type_of(design, e->a)].width - design->field[e->b].above - design->field[e->b].shape.width;
        break;
    case WEIR_RTL_EXPR_SELECT:
        is_known = rtl_index_value(design, unroll, e->b, &index);
        low = index;
        break;
    default: /* an element */
        if (design->type[rtl_type_of(design, e->a)].kind == WEIR_RTL_TYPE_MEMORY) {
            place->low = 0;
            place->width = whole->width;
            place->is_computed = true;
            return;
        }
        is_known = rtl_index_value(design, unroll, e->b, &index) && index < INT32_MAX && index > INT32_MIN;
        low = is_known ? index * (int64_t)e->width : 0;
        break;
    }
    if (!is_known) {
        place->low = 0;
        place->width = whole->width;
        place->is_computed = true;
        return;
    }
    int64_t from = low + place->low, end = from + place->width;
    if (from < 0) from = 0;
    if (end > whole->width) end = whole->width;
    place->low = from < end ? (uint32_t)from : 0;
    place->width = from < end ? (uint32_t)(end - from) : 0; /* an iterator that runs too far names nothing */
}

static rtl_place locate(const weir_rtl_design *design, const rtl_unroll *unroll, uint32_t expr) {
    const rtl_expr *e = &design->expr[expr];
    rtl_place place = {.base = expr, .width = e->width};
    while (rtl_is_part(e->kind)) {
        step_out(design, unroll, e, &place);
        place.base = e->a;
        e = &design->expr[e->a];
    }
    return place;
}

rtl_place rtl_locate(const weir_rtl_design *design, uint32_t expr) { return locate(design, NULL, expr); }

weir_rtl_bits weir_rtl_bits_of(const weir_rtl_design *design, weir_rtl_expr part) {
    rtl_place place = rtl_locate(design, part.id);
    return (weir_rtl_bits){{place.base}, place.low, place.width, place.is_computed};
}

rtl_place rtl_locate_now(const rtl_unroll *unroll, uint32_t expr) { return locate(unroll->design, unroll, expr); }

/* ---- the walk ---- */

static uint64_t trips(const rtl_loop *loop) {
    int64_t distance = loop->step > 0 ? loop->end - loop->start : loop->start - loop->end;
    int64_t step = loop->step > 0 ? loop->step : -loop->step;
    return distance > 0 ? (uint64_t)((distance + step - 1) / step) : 0;
}

/* Is there nothing around the statement but loops of the body? The turns of those are the first ones. */
static bool is_part(const rtl_unroll *u, uint32_t stmt) {
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
    const rtl_loop *loop = &design->loop[record->a];
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
    const rtl_loop *loop = &u->design->loop[record->a];
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
