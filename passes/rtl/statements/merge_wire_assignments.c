/* merge_wire_assignments: assignments that copy neighbouring bits, fields or elements of one variable to those of
 * another one become one assignment, of the whole variables where they cover them, else of slices. Bits must keep their
 * order: a reversal is not a copy. In a process only assignments that follow each other are taken, and none whose
 * variables are the same unless they take effect later. O(n * log(n)) in the assignments of a block. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"

/* An assignment that copies a part to a part. */
typedef struct piece {
    weir_rtl_stmt stmt;
    weir_rtl_expr target, value; /* without casts */
    weir_rtl_net to, from;
    uint32_t to_low, from_low, width;
    weir_rtl_timing timing;
    size_t order;
} piece;

typedef struct pieces {
    piece *item;
    size_t count, capacity;
    size_t merged;
} pieces;

static bool is_part(weir_rtl_expr_kind kind) {
    return kind == WEIR_RTL_EXPR_SLICE || kind == WEIR_RTL_EXPR_FIELD || kind == WEIR_RTL_EXPR_ELEMENT;
}

/* What the assignment copies; false when it is of another kind, or carries attributes. */
static bool read_piece(const weir_rtl_design *design, weir_rtl_stmt stmt, piece *p) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (info.kind != WEIR_RTL_STMT_ASSIGN || !is_part(weir_rtl_get_expr(design, info.target).kind)) return false;
    weir_rtl_expr value = info.value;
    while (weir_rtl_get_expr(design, value).kind == WEIR_RTL_EXPR_CAST) value = weir_rtl_operand(design, value, 0);
    if (!is_part(weir_rtl_get_expr(design, value).kind)) return false;
    if (weir_rtl_get_expr(design, info.target).has_parameter || weir_rtl_get_expr(design, value).has_parameter)
        return false; /* which bits these are, and of how many, depends on parameters */
    const weir_rtl_bits to = weir_rtl_bits_of(design, info.target), from = weir_rtl_bits_of(design, value);
    if (to.is_computed || from.is_computed || weir_rtl_get_item(design, WEIR_RTL_ITEM(stmt)).attribute_count > 0)
        return false;
    *p = (piece){.stmt = stmt,
                 .target = info.target,
                 .value = value,
                 .to = weir_rtl_net_of_expr(design, to.base),
                 .from = weir_rtl_net_of_expr(design, from.base),
                 .to_low = to.low,
                 .from_low = from.low,
                 .width = to.width,
                 .timing = info.timing};
    return true;
}

static bool same_net(weir_rtl_net a, weir_rtl_net b) { return a.var.id == b.var.id && a.instance.id == b.instance.id; }

static int compare(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

/* By what is copied to what, then by where it goes. */
static int by_place(const void *a, const void *b) {
    const piece *x = a, *y = b;
    int order = compare(x->to.var.id, y->to.var.id);
    if (order == 0) order = compare(x->to.instance.id, y->to.instance.id);
    if (order == 0) order = compare(x->from.var.id, y->from.var.id);
    if (order == 0) order = compare(x->from.instance.id, y->from.instance.id);
    if (order == 0) order = compare(x->timing, y->timing);
    if (order == 0) order = compare(x->to_low, y->to_low);
    return order != 0 ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* The expression of bits [low, low + width) of what `part` is a part of: something around it that is exactly these
 * bits, or a slice of a plain vector; none when there is neither. */
static weir_rtl_expr cover(weir_rtl_design *design, weir_rtl_expr part, uint32_t low, uint32_t width) {
    weir_rtl_bits bits = weir_rtl_bits_of(design, part);
    while (bits.low > low || bits.low + bits.width < low + width) {
        part = weir_rtl_operand(design, part, 0);
        bits = weir_rtl_bits_of(design, part);
    }
    if (bits.width == width) return part;
    const bool is_slice = weir_rtl_get_expr(design, part).kind == WEIR_RTL_EXPR_SLICE;
    if (!is_slice && weir_rtl_type_of(design, part).id != 0) return (weir_rtl_expr){0};
    return weir_rtl_slice(design, part, low - bits.low + width - 1, low - bits.low);
}

static void join_comments(weir_rtl_design *design, weir_rtl_stmt from, weir_rtl_stmt to) {
    const char *more = weir_rtl_get_item(design, WEIR_RTL_ITEM(from)).comment;
    const char *comment = weir_rtl_get_item(design, WEIR_RTL_ITEM(to)).comment;
    if (more == NULL || (comment != NULL && strcmp(comment, more) == 0)) return;
    char *both = weir_format("%s%s%s", comment != NULL ? comment : "", comment != NULL ? "\n" : "", more);
    weir_rtl_set_comment(design, WEIR_RTL_ITEM(to), both);
    free(both);
}

static int by_order(const void *a, const void *b) {
    const piece *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Pieces that follow each other without a gap: one assignment in the place of the first one written. False when no
 * expression says so. */
static bool join_run(weir_rtl_design *design, piece *run, size_t count) {
    const uint32_t width = run[count - 1].to_low + run[count - 1].width - run[0].to_low;
    const weir_rtl_expr target = cover(design, run[0].target, run[0].to_low, width);
    weir_rtl_expr value = cover(design, run[0].value, run[0].from_low, width);
    if (target.id == 0 || value.id == 0) return false;
    const bool is_signed = weir_rtl_get_expr(design, target).is_signed;
    value = is_signed ? weir_rtl_as_signed(design, value) : weir_rtl_as_unsigned(design, value);
    qsort(run, count, sizeof *run, by_order);
    const weir_rtl_block block = weir_rtl_get_stmt(design, run[0].stmt).block;
    const weir_rtl_stmt merged = weir_rtl_add_assign(design, block, target, value, run[0].timing);
    weir_rtl_move_stmt(design, merged, block, run[0].stmt);
    weir_rtl_copy_item(design, WEIR_RTL_ITEM(run[0].stmt), WEIR_RTL_ITEM(merged));
    for (size_t i = 0; i < count; i++) {
        join_comments(design, run[i].stmt, merged);
        weir_rtl_remove_stmt(design, run[i].stmt);
    }
    return true;
}

/* What the part is a part of, `level` steps from the variable: itself when it is nearer. */
static weir_rtl_expr part_at(const weir_rtl_design *design, weir_rtl_expr part, size_t level) {
    size_t depth = 0;
    for (weir_rtl_expr e = part; is_part(weir_rtl_get_expr(design, e).kind); e = weir_rtl_operand(design, e, 0))
        depth++;
    while (depth-- > level) part = weir_rtl_operand(design, part, 0);
    return part;
}

/* As one, or else those that are parts of the same part by themselves. Recursion is bounded by the nesting of types. */
static size_t merge_run(weir_rtl_design *design, piece *run, size_t count, size_t level) {
    size_t merged = 0;
    if (count < 2) return 0;
    if (join_run(design, run, count)) return count;
    for (size_t first = 0, end; first < count; first = end) {
        const weir_rtl_bits bits = weir_rtl_bits_of(design, part_at(design, run[first].target, level + 1));
        end = first + 1;
        while (end < count && run[end].to_low < bits.low + bits.width) end++;
        merged += merge_run(design, run + first, end - first, level + 1);
    }
    return merged;
}

/* Do two pieces of a sorted group give a value to one bit? Then their order matters. */
static bool overlap(const piece *group, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (group[i].to_low < group[i - 1].to_low + group[i - 1].width) return true;
    return false;
}

static bool same_group(const piece *a, const piece *b) {
    return same_net(a->to, b->to) && same_net(a->from, b->from) && a->timing == b->timing;
}

/* All pieces that copy one variable to another one, sorted. */
static void merge_group(weir_rtl_design *design, pieces *p, piece *group, size_t count) {
    if (overlap(group, count)) return;
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && group[end].to_low == group[end - 1].to_low + group[end - 1].width &&
               group[end].from_low == group[end - 1].from_low + group[end - 1].width)
            end++;
        p->merged += merge_run(design, group + first, end - first, 0);
    }
}

static void merge_pieces(weir_rtl_design *design, pieces *p) {
    if (p->count > 1) qsort(p->item, p->count, sizeof *p->item, by_place);
    for (size_t first = 0, end; first < p->count; first = end) {
        end = first + 1;
        while (end < p->count && same_group(&p->item[first], &p->item[end])) end++;
        merge_group(design, p, p->item + first, end - first);
    }
    p->count = 0;
}

static void merge_block(weir_rtl_design *design, weir_rtl_block block, pieces *p) {
    const weir_rtl_timing timing = weir_rtl_timing_in(design, block);
    const bool is_ordered = timing != WEIR_RTL_CONTINUOUS; /* the statements run one after the other */
    const bool is_late = timing == WEIR_RTL_NONBLOCKING;   /* what they assign is read as it was before */
    p->count = 0;
    for (weir_rtl_stmt s = weir_rtl_first(design, block), next; s.id != 0; s = next) {
        piece found;
        next = weir_rtl_next(design, s);
        bool fits = read_piece(design, s, &found) && (is_late || !same_net(found.to, found.from));
        if (is_ordered && p->count > 0 && !(fits && same_group(&p->item[0], &found))) merge_pieces(design, p);
        if (!fits) continue;
        found.order = p->count;
        p->item = weir_grow(p->item, &p->capacity, p->count + 1, sizeof *p->item);
        p->item[p->count++] = found;
    }
    merge_pieces(design, p);
}

static void merge_module(weir_rtl_design *design, weir_rtl_module module, weir_stmt_list *list, pieces *p) {
    weir_list_inner(design, module, list);
    merge_block(design, weir_rtl_get_module(design, module).body, p);
    for (size_t i = 0; i < list->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, list->stmt[i]);
        if (info.body.id != 0 && info.kind != WEIR_RTL_STMT_CASE) merge_block(design, info.body, p);
        if (info.other.id != 0) merge_block(design, info.other, p);
    }
}

bool weir_pass_merge_wire_assignments(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    pieces p = {NULL, 0, 0, 0};
    weir_stmt_list list = {NULL, 0, 0};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) merge_module(design, modules[i], &list, &p);
    if (p.merged == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "assignments merged", (int64_t)p.merged);
    weir_stmt_list_free(&list);
    free(p.item);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
