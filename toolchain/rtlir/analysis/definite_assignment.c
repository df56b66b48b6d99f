/* Definite assignment: which cells all paths through a process assign, which only some, and what they hold at its end.
 * Every change of a cell is put down with what the cell held before; at the end of a branch the changes are taken back
 * and kept as its outcome, and after the last branch the join of the outcomes is what the cells hold. A break makes an
 * outcome of its loop, and the rest of its branch dead. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/branch.h"
#include "rtlir/analysis/cells_private.h"
#include "rtlir/analysis/definite_assignment_private.h"

static void append(rtl_changes *list, uint32_t cell, rtl_held held) {
    list->at = weir_grow(list->at, &list->capacity, list->count + 1, sizeof *list->at);
    assert((held.state == RTL_UNASSIGNED) == (held.node == 0));
    list->at[list->count++] = (rtl_change){cell, held};
}

void rtl_assignments_set(rtl_assignments *w, uint32_t cell, rtl_held held) {
    append(&w->journal, cell, w->held[cell]);
    w->held[cell] = held;
}

/* Appends what every cell that changed since the mark holds now, once each. */
static void keep_changes(rtl_assignments *w, size_t mark, rtl_changes *list) {
    w->stamp++;
    for (size_t i = w->journal.count; i-- > mark;) {
        uint32_t cell = w->journal.at[i].cell;
        if (w->seen[cell] == w->stamp) continue;
        w->seen[cell] = w->stamp;
        append(list, cell, w->held[cell]);
    }
}

static void take_back(rtl_assignments *w, size_t mark) {
    while (w->journal.count > mark) {
        const rtl_change *change = &w->journal.at[--w->journal.count];
        w->held[change->cell] = change->held;
    }
}

/* ---- joining ---- */

static rtl_assignment join_states(rtl_assignment a, rtl_assignment b) { return a == b ? a : RTL_PARTLY_ASSIGNED; }

static void group_change(rtl_assignments *w, const rtl_change *change, size_t *groups, uint32_t condition) {
    if (w->seen[change->cell] != w->stamp) {
        w->seen[change->cell] = w->stamp;
        w->group_of[change->cell] = (uint32_t)*groups;
        w->group = weir_grow(w->group, &w->group_capacity, *groups + 1, sizeof *w->group);
        w->group[(*groups)++] = (rtl_joined){change->cell, change->held.node, 1, change->held.state, false};
        return;
    }
    rtl_joined *group = &w->group[w->group_of[change->cell]];
    group->count++;
    group->state = join_states(group->state, change->held.state);
    if (group->node == change->held.node) return;
    if (!group->is_join) {
        uint32_t node = w->join(w->user, condition);
        w->add(w->user, node, group->node);
        group->node = node;
        group->is_join = true;
    }
    w->add(w->user, group->node, change->held.node);
}

/* Cells hold what the outcomes say, of which there is one a path; on paths without one they hold what they held. */
static void join(rtl_assignments *w, const rtl_changes *list, size_t from, uint32_t paths, uint32_t condition) {
    size_t groups = 0;
    w->stamp++;
    for (size_t i = from; i < list->count; i++) group_change(w, &list->at[i], &groups, condition);
    for (size_t i = 0; i < groups; i++) {
        rtl_joined *group = &w->group[i];
        rtl_held before = w->held[group->cell];
        if (!group->is_join) {
            uint32_t node = w->join(w->user, condition);
            w->add(w->user, node, group->node);
            group->node = node;
        }
        if (group->count < paths && before.node) w->add(w->user, group->node, before.node);
        if (group->count < paths) group->state = join_states(group->state, before.state);
        rtl_assignments_set(w, group->cell, (rtl_held){group->node, group->state});
    }
}

/* ---- branches ---- */

/* The current branch of the frame is over; its outcome belongs to the frame `of`. */
static void end_branch(rtl_assignments *w, const rtl_branching *frame, rtl_branching *of) {
    if (!frame->is_dead) {
        keep_changes(w, frame->mark, &w->outcome);
        of->alive++;
    }
    take_back(w, frame->mark);
    of->entered++;
}

static uint32_t count_items(const weir_rtl_design *design, uint32_t branch) {
    assert(branch < design->stmt_count);
    uint32_t count = 0;
    for (uint32_t i = design->block[design->stmt[branch].body].first; i; i = design->stmt[i].next) count++;
    return count;
}

/* Branches that were not walked: they are empty. */
static uint32_t count_empty(const rtl_assignments *w, const rtl_branching *frame) {
    const weir_rtl_design *design = w->design;
    const rtl_stmt *stmt = &design->stmt[frame->owner];
    if (stmt->kind == WEIR_RTL_STMT_CASE) {
        bool is_full = weir_rtl_case_is_full(design, (weir_rtl_stmt){frame->owner});
        return count_items(design, frame->owner) + (is_full ? 0 : 1) - frame->entered;
    }
    bool has_then = !design->block[stmt->body].first && frame->never != stmt->body;
    bool has_else = !design->block[stmt->other].first && (!frame->never || frame->never == stmt->body);
    return (uint32_t)has_then + (uint32_t)has_else;
}

/* After an if or a case. */
static void join_branches(rtl_assignments *w, const rtl_branching *frame, rtl_branching *around) {
    uint32_t paths = frame->alive + count_empty(w, frame);
    if (paths > 0) join(w, &w->outcome, frame->outcomes, paths, frame->condition);
    else around->is_dead = true;
    w->outcome.count = frame->outcomes;
}

/* After a loop that may be left early. */
static void join_breaks(rtl_assignments *w, const rtl_branching *frame) {
    uint32_t paths = frame->broken;
    if (!frame->is_dead) {
        keep_changes(w, frame->mark, &w->brk);
        paths++;
    }
    take_back(w, frame->mark);
    join(w, &w->brk, frame->breaks, paths, frame->condition);
    w->brk.count = frame->breaks;
}

static void close_frame(rtl_assignments *w) {
    rtl_branching frame = w->frame[--w->depth];
    rtl_branching *around = &w->frame[w->depth - 1];
    switch (w->design->stmt[frame.owner].kind) {
    case WEIR_RTL_STMT_CASE_ITEM: end_branch(w, &frame, around); break;
    case WEIR_RTL_STMT_IF:
        end_branch(w, &frame, &frame);
        join_branches(w, &frame, around);
        break;
    case WEIR_RTL_STMT_CASE: join_branches(w, &frame, around); break;
    default: /* a loop */
        if (frame.broken) join_breaks(w, &frame);
        break;
    }
}

/* The block of an if that its constant condition rules out: UINT32_MAX for an else that is not there; 0: none. */
static uint32_t ruled_out(const weir_rtl_design *design, const rtl_stmt *stmt) {
    if (stmt->kind != WEIR_RTL_STMT_IF || design->expr[stmt->a].kind != WEIR_RTL_EXPR_CONSTANT) return 0;
    if (!design->word[design->expr[stmt->a].a]) return stmt->body;
    return stmt->other ? stmt->other : UINT32_MAX;
}

static void open_frame(rtl_assignments *w, uint32_t owner, uint32_t block) {
    assert(owner < w->design->stmt_count);
    weir_rtl_stmt_kind kind = w->design->stmt[owner].kind;
    bool is_dead = w->depth > 0 && w->frame[w->depth - 1].is_dead;
    w->frame = weir_grow(w->frame, &w->frame_capacity, w->depth + 1, sizeof *w->frame);
    rtl_branching *frame = &w->frame[w->depth++];
    *frame = (rtl_branching){.owner = owner,
                             .block = block,
                             .mark = w->journal.count,
                             .outcomes = w->outcome.count,
                             .breaks = w->brk.count,
                             .never = ruled_out(w->design, &w->design->stmt[owner])};
    frame->is_dead = is_dead || frame->never == block;
    if (!is_dead && (kind == WEIR_RTL_STMT_IF || kind == WEIR_RTL_STMT_CASE))
        frame->condition = w->condition(w->user, owner);
}

/* From the then of an if to its else. */
static void change_branch(rtl_assignments *w, uint32_t block) {
    rtl_branching *frame = &w->frame[w->depth - 1];
    end_branch(w, frame, frame);
    frame->block = block;
    frame->mark = w->journal.count;
    frame->is_dead = w->frame[w->depth - 2].is_dead || frame->never == block;
}

static void take_break(rtl_assignments *w) {
    size_t at = w->depth;
    while (w->design->stmt[w->frame[at - 1].owner].kind != WEIR_RTL_STMT_FOR) at--;
    rtl_branching *loop = &w->frame[at - 1];
    if (!loop->condition) loop->condition = w->join(w->user, 0);
    for (size_t i = at; i < w->depth; i++)
        if (w->frame[i].condition) w->add(w->user, loop->condition, w->frame[i].condition);
    keep_changes(w, loop->mark, &w->brk);
    loop->broken++;
    w->frame[w->depth - 1].is_dead = true;
}

bool rtl_assignments_arrive(rtl_assignments *w, uint32_t stmt) {
    assert(stmt < w->design->stmt_count);
    uint32_t block = w->design->stmt[stmt].block;
    uint32_t owner = w->design->block[block].owner;
    if (owner == w->previous && w->frame[w->depth - 1].owner != owner) open_frame(w, owner, block);
    while (w->frame[w->depth - 1].owner != owner) close_frame(w);
    if (w->frame[w->depth - 1].block != block) change_branch(w, block);
    w->previous = stmt;
    bool is_alive = !w->frame[w->depth - 1].is_dead;
    if (is_alive && w->design->stmt[stmt].kind == WEIR_RTL_STMT_BREAK) take_break(w);
    return is_alive;
}

/* ---- processes ---- */

void rtl_assignments_start(rtl_assignments *w, const weir_rtl_design *design, uint32_t process, size_t cells) {
    assert(process < design->stmt_count);
    w->design = design;
    w->held = weir_grow_zeroed(w->held, &w->held_capacity, cells, sizeof *w->held);
    w->seen = weir_grow_zeroed(w->seen, &w->seen_capacity, cells, sizeof *w->seen);
    w->group_of = weir_grow(w->group_of, &w->group_of_capacity, cells, sizeof *w->group_of);
    w->journal.count = w->outcome.count = w->brk.count = 0;
    w->depth = 0;
    w->previous = process;
    open_frame(w, process, design->stmt[process].body);
}

const uint32_t *rtl_assignments_end(rtl_assignments *w, size_t *count) {
    while (w->depth > 1) close_frame(w);
    w->stamp++;
    *count = 0;
    for (size_t i = 0; i < w->journal.count; i++) {
        uint32_t cell = w->journal.at[i].cell;
        if (w->seen[cell] == w->stamp) continue;
        w->seen[cell] = w->stamp;
        w->touched = weir_grow(w->touched, &w->touched_capacity, *count + 1, sizeof *w->touched);
        w->touched[(*count)++] = cell;
    }
    if (*count > 1) qsort(w->touched, *count, sizeof *w->touched, rtl_by_number);
    return w->touched;
}

void rtl_assignments_forget(rtl_assignments *w) { take_back(w, 0); }

void rtl_assignments_free(rtl_assignments *w) {
    free(w->held);
    free(w->seen);
    free(w->group_of);
    free(w->journal.at);
    free(w->outcome.at);
    free(w->brk.at);
    free(w->frame);
    free(w->group);
    free(w->touched);
}
