/* ssa_transform: combinational processes in static single assignment form. Each assignment gets a version of its
 * variable (a_0, a_1, ...) that nothing else assigns, branches become assignments without condition, conditions
 * variables (taken_0, ...), and where branches meet, a conditional chooses the version; at the end, the variable takes
 * its last one. An assignment to a part copies the version before it first. Versions say in attributes what they are
 * (versions.h) and keep the location of their assignment, so that a debugger can stop at each. A process is looked at
 * first, along all paths; one with loops, assertions, latches, or reads of bits that are not assigned by then is left
 * alone, as is one whose variables have other drivers. A process costs statements, and variables times branches. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/debug/versions.h"
#include "passes/rtl/inner.h"
#include "passes/rtl/numbers.h"
#include "passes/rtl/rtl.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/type.h"
#include "rtlir/edit/rewrite.h"
#include "support/memory/arena.h"

enum { MOST_ITEMS = 256 /* of a case: as deep are the conditionals that choose */ };

typedef enum obstacle {
    NOTHING,
    DONE, /* it has the form already */
    LOOPS,
    ASSERTIONS,
    OPEN_BITS,
    DRIVERS,
    TARGETS,
    BRANCHES,
    OBSTACLES
} obstacle;

static const char *const obstacles[OBSTACLES] = {
    [LOOPS] = "left alone: in or with loops",
    [ASSERTIONS] = "left alone: assertions",
    [OPEN_BITS] = "left alone: latches, or bits read before they are assigned",
    [DRIVERS] = "left alone: variables with other drivers",
    [TARGETS] = "left alone: memories, ports, indices that the same assignment changes",
    [BRANCHES] = "left alone: repeated labels, or more than 256",
};

/* What a variable holds at a point: a version (none so far), and which bits of that are assigned on all paths. Of wide
 * variables only all or none. */
typedef struct held {
    weir_rtl_expr version;
    uint64_t known;
} held;

typedef struct slot {
    weir_rtl_var var;
    uint64_t all;
    uint32_t versions, assignments;
    bool is_partial, is_target, is_read; /* of the current statement */
    bool is_number;                      /* so many bits, whatever parameters are */
} slot;

typedef struct ssa {
    weir_rtl_design *design;
    weir_rtl_module module;
    weir_rtl_block body;
    weir_rtl_rewriter *rewriter;
    weir_rtl_uses *uses;
    slot *slot;
    size_t count, capacity;
    held *now;
    size_t now_capacity;
    weir_numbers slot_of; /* by variable, from 1 */
    weir_numbers seen;    /* by expression: the statement that visited it */
    uint32_t stamp, conditions;
    bool builds, has_branches;
    obstacle obstacle;
} ssa;

static void refuse(ssa *s, obstacle why) {
    if (s->obstacle == NOTHING) s->obstacle = why;
}

/* ---- what a statement reads and assigns ---- */

static void visit_reads(ssa *s, weir_rtl_expr expr);

/* The slot of what the part is of; NULL when that is no variable of the process. */
static slot *slot_of(const ssa *s, weir_rtl_expr part) {
    const weir_rtl_expr_info base = weir_rtl_get_expr(s->design, weir_rtl_bits_of(s->design, part).base);
    const uint32_t index = base.kind == WEIR_RTL_EXPR_VAR ? weir_numbers_get(&s->slot_of, base.var.id) : 0;
    return index != 0 ? &s->slot[index - 1] : NULL;
}

/* The bits of the variable that the part surely is; `otherwise` when hardware or parameters decide. */
static uint64_t bits_of(const ssa *s, const slot *v, weir_rtl_expr part, uint64_t otherwise) {
    const weir_rtl_bits bits = weir_rtl_bits_of(s->design, part);
    if (weir_rtl_get_expr(s->design, part).kind == WEIR_RTL_EXPR_VAR) return v->all;
    if (bits.is_computed || !v->is_number || v->all == UINT64_MAX) return otherwise;
    return ((UINT64_C(1) << bits.width) - 1) << bits.low; /* fewer than 64 */
}

static void visit_indices(ssa *s, weir_rtl_expr part) {
    for (weir_rtl_expr_info info = weir_rtl_get_expr(s->design, part);
         info.kind != WEIR_RTL_EXPR_VAR && info.kind != WEIR_RTL_EXPR_PORT; info = weir_rtl_get_expr(s->design, part)) {
        if (info.operand_count > 1) visit_reads(s, weir_rtl_operand(s->design, part, 1));
        part = weir_rtl_operand(s->design, part, 0);
    }
}

static void visit_part(ssa *s, weir_rtl_expr part) {
    slot *v = slot_of(s, part);
    visit_indices(s, part);
    if (v == NULL) return;
    v->is_read = true;
    const uint64_t bits = bits_of(s, v, part, v->all);
    if (!s->builds && (s->now[v - s->slot].known & bits) != bits) refuse(s, OPEN_BITS);
}

/* Recursion is bounded by the depth of expressions. */
static void visit_reads(ssa *s, weir_rtl_expr expr) {
    uint32_t *seen = weir_numbers_at(&s->seen, expr.id);
    const weir_rtl_expr_info info = weir_rtl_get_expr(s->design, expr);
    if (*seen == s->stamp) return;
    *seen = s->stamp;
    switch (info.kind) {
    case WEIR_RTL_EXPR_VAR:
    case WEIR_RTL_EXPR_SLICE:
    case WEIR_RTL_EXPR_SELECT:
    case WEIR_RTL_EXPR_ELEMENT:
    case WEIR_RTL_EXPR_FIELD: visit_part(s, expr); break;
    default:
        for (size_t i = 0; i < info.operand_count; i++) visit_reads(s, weir_rtl_operand(s->design, expr, i));
    }
}

static void visit_target(ssa *s, weir_rtl_expr target) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(s->design, target);
    if (info.kind == WEIR_RTL_EXPR_CONCAT) {
        for (size_t i = 0; i < info.operand_count; i++) visit_target(s, weir_rtl_operand(s->design, target, i));
        return;
    }
    slot *v = slot_of(s, target);
    if (v == NULL) {
        refuse(s, TARGETS);
        return;
    }
    v->is_target = true;
    v->is_partial = v->is_partial || info.kind != WEIR_RTL_EXPR_VAR;
    visit_indices(s, target);
}

static void begin(ssa *s) {
    s->stamp++;
    for (size_t i = 0; i < s->count; i++) s->slot[i].is_partial = s->slot[i].is_target = s->slot[i].is_read = false;
}

/* The expression with versions in the place of variables. */
static weir_rtl_expr versioned(ssa *s, weir_rtl_expr expr) {
    weir_rtl_rewriter_clear(s->rewriter);
    for (size_t i = 0; i < s->count; i++)
        if (s->slot[i].is_read) weir_rtl_map_var(s->rewriter, s->slot[i].var, s->now[i].version);
    return weir_rtl_rewrite_expr(s->rewriter, expr);
}

/* ---- building ---- */

static weir_rtl_var add_variable(ssa *s, const char *wanted, weir_rtl_expr like, weir_rtl_stmt origin) {
    const char *name = weir_rtl_free_name(s->design, s->module, wanted);
    const weir_rtl_var var = like.id != 0 ? weir_rtl_add_variable_like(s->design, s->module, name, like)
                                          : weir_rtl_add_variable(s->design, s->module, name, 1, false);
    if (var.id == 0) return var;
    weir_rtl_copy_location(s->design, WEIR_RTL_ITEM(origin), WEIR_RTL_ITEM(var));
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(var));
    weir_rtl_set_attribute_string(s->design, WEIR_RTL_ITEM(var), "verilator_public", "flat_rd");
    return var;
}

/* The next version of a variable; `when` is empty outside of branches. */
static weir_rtl_expr add_version(ssa *s, slot *v, const char *when, bool merges, weir_rtl_stmt origin) {
    const char *name = weir_rtl_get_var(s->design, v->var).name;
    char *wanted = weir_format("%s_%u", name, v->versions++);
    const weir_rtl_var var = add_variable(s, wanted, weir_rtl_read(s->design, v->var), origin);
    free(wanted);
    if (var.id == 0) return (weir_rtl_expr){0};
    weir_rtl_set_attribute_string(s->design, WEIR_RTL_ITEM(var), WEIR_VERSION_OF, name);
    if (*when != '\0') weir_rtl_set_attribute_string(s->design, WEIR_RTL_ITEM(var), WEIR_VERSION_WHEN, when);
    if (merges) weir_rtl_set_attribute(s->design, WEIR_RTL_ITEM(var), WEIR_VERSION_MERGES);
    return weir_rtl_read(s->design, var);
}

static weir_rtl_stmt set(ssa *s, weir_rtl_expr target, weir_rtl_expr value, weir_rtl_stmt origin) {
    const weir_rtl_stmt made = weir_rtl_set(s->design, s->body, target, value);
    if (made.id == 0) return made;
    weir_rtl_copy_location(s->design, WEIR_RTL_ITEM(origin), WEIR_RTL_ITEM(made));
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(made));
    return made;
}

/* A variable that is 1 where a condition holds, which stands for `origin`: as an if does, it takes an unknown one for
 * 0. */
static weir_rtl_expr add_condition(ssa *s, weir_rtl_expr value, weir_rtl_stmt origin) {
    char *wanted = weir_format("taken_%u", s->conditions++);
    const weir_rtl_var var = add_variable(s, wanted, (weir_rtl_expr){0}, origin);
    free(wanted);
    if (var.id == 0) return (weir_rtl_expr){0};
    weir_rtl_set_attribute(s->design, WEIR_RTL_ITEM(var), WEIR_VERSION_CONDITION);
    const weir_rtl_expr read = weir_rtl_read(s->design, var);
    const weir_rtl_stmt made = set(s, read, weir_rtl_constant(s->design, 1, 0), origin);
    const weir_rtl_stmt branch = weir_rtl_add_if(s->design, s->body, value);
    const weir_rtl_block then = weir_rtl_then(s->design, branch);
    const weir_rtl_stmt taken = weir_rtl_set(s->design, then, read, weir_rtl_constant(s->design, 1, 1));
    if (taken.id == 0) return read;
    weir_rtl_copy_location(s->design, WEIR_RTL_ITEM(origin), WEIR_RTL_ITEM(branch));
    weir_rtl_copy_location(s->design, WEIR_RTL_ITEM(origin), WEIR_RTL_ITEM(taken));
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(branch));
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(taken));
    const char *comment = weir_rtl_get_item(s->design, WEIR_RTL_ITEM(origin)).comment;
    if (made.id != 0 && comment != NULL) weir_rtl_set_comment(s->design, WEIR_RTL_ITEM(made), comment);
    return read;
}

static void build_assign(ssa *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info, const char *when) {
    const weir_rtl_expr value = versioned(s, info->value);
    weir_rtl_rewriter_clear(s->rewriter);
    for (size_t i = 0; i < s->count; i++) {
        slot *v = &s->slot[i];
        if (v->is_read && !v->is_target) weir_rtl_map_var(s->rewriter, v->var, s->now[i].version);
        if (!v->is_target) continue;
        const weir_rtl_expr before = s->now[i].version, version = add_version(s, v, when, false, stmt);
        if (v->is_partial) set(s, version, before.id != 0 ? before : weir_hardware_zero_like(s->design, version), stmt);
        weir_rtl_map_var(s->rewriter, v->var, version);
        s->now[i].version = version;
    }
    const weir_rtl_stmt made =
        weir_rtl_set(s->design, s->body, weir_rtl_rewrite_expr(s->rewriter, info->target), value);
    if (made.id == 0) return;
    weir_rtl_copy_item(s->design, WEIR_RTL_ITEM(stmt), WEIR_RTL_ITEM(made));
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(made));
}

/* ---- paths ---- */

/* The bits that the target is, of each variable in it. */
static void know_target(ssa *s, weir_rtl_expr target) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(s->design, target);
    if (info.kind == WEIR_RTL_EXPR_CONCAT) {
        for (size_t i = 0; i < info.operand_count; i++) know_target(s, weir_rtl_operand(s->design, target, i));
        return;
    }
    slot *v = slot_of(s, target);
    if (v == NULL) return;
    s->now[v - s->slot].known |= bits_of(s, v, target, 0);
    v->assignments++;
}

static void walk_assign(ssa *s, weir_rtl_stmt stmt, const char *when) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, stmt);
    begin(s);
    if (info.timing == WEIR_RTL_NONBLOCKING) refuse(s, TARGETS);
    visit_target(s, info.target);
    for (size_t i = 0; i < s->count; i++)
        if (s->slot[i].is_target && s->slot[i].is_read) refuse(s, TARGETS); /* as an index */
    visit_reads(s, info.value);
    if (s->obstacle != NOTHING) return;
    if (s->builds) {
        build_assign(s, stmt, &info, when);
        return;
    }
    know_target(s, info.target);
    for (size_t i = 0; i < s->count; i++) s->slot[i].assignments += s->slot[i].is_partial && s->slot[i].is_target;
}

static void walk(ssa *s, weir_rtl_block block, const char *when);

static held *save(const ssa *s) {
    held *copy = weir_calloc(s->count + 1, sizeof *copy);
    memcpy(copy, s->now, s->count * sizeof *copy);
    return copy;
}

/* A branch from what holds before it; returns what holds after it. */
static held *walk_branch(ssa *s, const held *before, weir_rtl_block block, const char *when, const char *sign,
                         weir_rtl_expr taken) {
    char *inner = NULL;
    memcpy(s->now, before, s->count * sizeof *before);
    if (s->builds) {
        const char *name = weir_rtl_get_var(s->design, weir_rtl_get_expr(s->design, taken).var).name;
        inner = weir_format("%s%s%s%s", when, *when != '\0' ? " && " : "", sign, name);
    }
    if (block.id != 0) walk(s, block, inner != NULL ? inner : "");
    free(inner);
    return save(s);
}

/* The paths of a statement: the version of each where its condition holds, otherwise that of the last one. */
typedef struct meeting {
    held *end[MOST_ITEMS + 2];
    weir_rtl_expr taken[MOST_ITEMS + 2];
    size_t count;
} meeting;

static void meet(ssa *s, meeting *m, weir_rtl_stmt stmt, const char *when) {
    for (size_t i = 0; i < s->count; i++) {
        weir_rtl_expr value = {0};
        uint64_t known = UINT64_MAX;
        for (size_t k = m->count; k-- > 0;) {
            const held end = m->end[k][i];
            known &= end.known;
            if (value.id == 0) value = end.version;
            else if (end.version.id != 0 && end.version.id != value.id)
                value = weir_rtl_conditional(s->design, m->taken[k], end.version, value);
        }
        s->now[i].known = known;
        s->now[i].version = value;
        if (value.id == 0 || weir_rtl_get_expr(s->design, value).kind != WEIR_RTL_EXPR_CONDITIONAL) continue;
        s->now[i].version = add_version(s, &s->slot[i], when, true, stmt);
        set(s, s->now[i].version, value, stmt);
    }
    for (size_t k = 0; k < m->count; k++) free(m->end[k]);
}

static void walk_if(ssa *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info, const char *when, meeting *m) {
    weir_rtl_expr taken = {0};
    begin(s);
    visit_reads(s, info->value);
    if (s->builds) taken = add_condition(s, versioned(s, info->value), stmt);
    held *before = save(s);
    m->count = 2;
    m->taken[0] = taken;
    m->end[0] = walk_branch(s, before, info->body, when, "", taken);
    m->end[1] = walk_branch(s, before, info->other, when, "!", taken);
    free(before);
}

/* Labels in order, then the default. False when it is too long, or labels repeat. */
static bool list_items(const ssa *s, const weir_rtl_stmt_info *info, weir_stmt_list *items, weir_rtl_stmt *otherwise) {
    weir_rtl_expr labels[MOST_ITEMS];
    size_t distinct = 0;
    for (weir_rtl_stmt i = weir_rtl_first(s->design, info->body); i.id != 0; i = weir_rtl_next(s->design, i)) {
        const weir_rtl_expr label = weir_rtl_get_stmt(s->design, i).value;
        if (label.id == 0) {
            *otherwise = i;
            continue;
        }
        if (items->count == MOST_ITEMS) return false;
        labels[items->count] = label;
        weir_stmt_list_add(items, i);
    }
    free(weir_find_repeated(s->design, labels, items->count, &distinct));
    return distinct == items->count;
}

static weir_rtl_expr add_default_condition(ssa *s, const meeting *m, weir_rtl_stmt origin) {
    weir_rtl_expr any = m->count > 1 ? weir_rtl_concat(s->design, m->count, m->taken) : m->taken[0];
    if (m->count > 1) any = weir_rtl_unary(s->design, WEIR_RTL_REDUCE_OR, any);
    return add_condition(s, weir_rtl_unary(s->design, WEIR_RTL_LOGICAL_NOT, any), origin);
}

static void walk_items(ssa *s, const weir_rtl_stmt_info *info, const weir_stmt_list *items, weir_rtl_stmt otherwise,
                       const char *when, meeting *m) {
    const weir_rtl_expr_info value = weir_rtl_get_expr(s->design, info->value);
    const bool is_full =
        otherwise.id == 0 && value.formula.id == 0 && value.width < 16 && items->count == (size_t)1 << value.width;
    held *before = save(s);
    for (size_t i = 0; s->builds && i < items->count; i++) {
        const weir_rtl_expr label = weir_rtl_get_stmt(s->design, items->stmt[i]).value;
        m->taken[i] = add_condition(s, weir_rtl_binary(s->design, WEIR_RTL_EQUAL, versioned(s, info->value), label),
                                    items->stmt[i]);
    }
    m->count = items->count;
    if (s->builds && otherwise.id != 0) m->taken[m->count] = add_default_condition(s, m, otherwise);
    for (size_t i = 0; i < items->count; i++)
        m->end[i] = walk_branch(s, before, weir_rtl_get_stmt(s->design, items->stmt[i]).body, when, "", m->taken[i]);
    if (otherwise.id != 0) {
        m->end[m->count] =
            walk_branch(s, before, weir_rtl_get_stmt(s->design, otherwise).body, when, "", m->taken[m->count]);
        m->count++;
    } else if (!is_full) {
        memcpy(s->now, before, s->count * sizeof *before);
        m->end[m->count++] = save(s);
    }
    free(before);
}

static void walk_case(ssa *s, const weir_rtl_stmt_info *info, const char *when, meeting *m) {
    weir_stmt_list items = {NULL, 0, 0};
    weir_rtl_stmt otherwise = {0};
    begin(s);
    visit_reads(s, info->value);
    m->count = 0;
    if (!list_items(s, info, &items, &otherwise)) {
        refuse(s, BRANCHES);
    } else if (items.count == 0 && otherwise.id != 0) {
        walk(s, weir_rtl_get_stmt(s->design, otherwise).body, when);
    } else if (items.count > 0) {
        walk_items(s, info, &items, otherwise, when, m);
    }
    weir_stmt_list_free(&items);
}

/* Nesting of blocks is bounded by the IR. New statements are appended to the process: its old statements end with
 * `last`. */
static void walk(ssa *s, weir_rtl_block block, const char *when) {
    const weir_rtl_stmt last = weir_rtl_last(s->design, block);
    for (weir_rtl_stmt i = weir_rtl_first(s->design, block); i.id != 0 && s->obstacle == NOTHING;
         i = weir_rtl_next(s->design, i)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, i);
        if (info.kind == WEIR_RTL_STMT_ASSIGN) {
            walk_assign(s, i, when);
        } else if (info.kind == WEIR_RTL_STMT_IF || info.kind == WEIR_RTL_STMT_CASE) {
            meeting *m = weir_calloc(1, sizeof *m);
            s->has_branches = true;
            if (info.kind == WEIR_RTL_STMT_IF) walk_if(s, i, &info, when, m);
            else walk_case(s, &info, when, m);
            if (m->count > 0) meet(s, m, i, when);
            free(m);
        } else {
            refuse(s, info.kind == WEIR_RTL_STMT_ASSERT ? ASSERTIONS : LOOPS);
        }
        if (i.id == last.id) break;
    }
}

/* ---- processes ---- */

static void add_slot(ssa *s, weir_rtl_expr base) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(s->design, base);
    if (info.kind != WEIR_RTL_EXPR_VAR) {
        refuse(s, TARGETS);
        return;
    }
    uint32_t *index = weir_numbers_at(&s->slot_of, info.var.id);
    if (*index != 0) return;
    const weir_rtl_var_info var = weir_rtl_get_var(s->design, info.var);
    const bool is_number = var.formula.id == 0;
    if (weir_rtl_has_attribute(s->design, WEIR_RTL_ITEM(info.var), WEIR_VERSION_OF)) refuse(s, DONE);
    if (var.direction == WEIR_RTL_INOUT ||
        (var.type.id != 0 && weir_rtl_get_type(s->design, var.type).kind == WEIR_RTL_TYPE_MEMORY))
        refuse(s, TARGETS);
    s->slot = weir_grow(s->slot, &s->capacity, s->count + 1, sizeof *s->slot);
    s->slot[s->count++] = (slot){.var = info.var,
                                 .is_number = is_number,
                                 .all = is_number && var.width < 64 ? (UINT64_C(1) << var.width) - 1 : UINT64_MAX};
    *index = (uint32_t)s->count;
}

static void add_slots(ssa *s, weir_rtl_expr target) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(s->design, target);
    if (info.kind != WEIR_RTL_EXPR_CONCAT) {
        add_slot(s, weir_rtl_bits_of(s->design, target).base);
        return;
    }
    for (size_t i = 0; i < info.operand_count; i++) add_slots(s, weir_rtl_operand(s->design, target, i));
}

/* Is the statement, or what contains it, the process? */
static bool is_within(const ssa *s, weir_rtl_stmt stmt, weir_rtl_stmt process) {
    while (stmt.id != 0 && stmt.id != process.id)
        stmt = weir_rtl_owner(s->design, weir_rtl_get_stmt(s->design, stmt).block);
    return stmt.id != 0;
}

static void check_drivers(ssa *s, weir_rtl_stmt process) {
    for (size_t i = 0; i < s->count; i++) {
        const weir_rtl_net net = weir_rtl_net_of(s->slot[i].var);
        for (size_t k = 0; k < weir_rtl_driver_count(s->uses, net); k++) {
            const weir_rtl_use use = weir_rtl_driver_at(s->uses, net, k);
            if (use.is_connection || !is_within(s, use.stmt, process)) refuse(s, DRIVERS);
        }
    }
}

static void prepare(ssa *s, weir_rtl_stmt process, weir_stmt_list *inner) {
    for (size_t i = 0; i < s->count; i++) *weir_numbers_at(&s->slot_of, s->slot[i].var.id) = 0;
    s->count = 0;
    s->obstacle = NOTHING;
    s->has_branches = s->builds = false;
    s->body = weir_rtl_get_stmt(s->design, process).body;
    weir_list_inside(s->design, process, inner);
    for (size_t i = 0; i < inner->count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, inner->stmt[i]);
        if (info.kind == WEIR_RTL_STMT_ASSIGN) add_slots(s, info.target);
    }
    s->now = weir_grow(s->now, &s->now_capacity, s->count + 1, sizeof *s->now);
}

static void look(ssa *s) {
    bool is_single = true;
    memset(s->now, 0, s->count * sizeof *s->now);
    walk(s, s->body, "");
    for (size_t i = 0; i < s->count; i++) {
        if (s->now[i].known != s->slot[i].all) refuse(s, OPEN_BITS);
        is_single = is_single && s->slot[i].assignments == 1;
    }
    if (is_single && !s->has_branches) refuse(s, DONE);
}

/* A variable that only its process reads has no reader any more: it stays for the debugger. */
static void keep_unread(ssa *s, const slot *v, weir_rtl_stmt process) {
    const weir_rtl_net net = weir_rtl_net_of(v->var);
    bool is_read = weir_rtl_get_var(s->design, v->var).direction != WEIR_RTL_INTERNAL;
    for (size_t i = 0; !is_read && i < weir_rtl_reader_count(s->uses, net); i++)
        is_read = !is_within(s, weir_rtl_reader_at(s->uses, net, i).stmt, process);
    if (!is_read && !weir_is_kept(s->design, WEIR_RTL_ITEM(v->var)))
        weir_rtl_set_attribute_string(s->design, WEIR_RTL_ITEM(v->var), "verilator_public", "flat_rd");
}

static void build(ssa *s, weir_rtl_stmt process) {
    const weir_rtl_stmt last = weir_rtl_last(s->design, s->body);
    memset(s->now, 0, s->count * sizeof *s->now);
    s->builds = true;
    for (size_t i = 0; i < s->count; i++) keep_unread(s, &s->slot[i], process);
    walk(s, s->body, "");
    for (size_t i = 0; i < s->count; i++) set(s, weir_rtl_read(s->design, s->slot[i].var), s->now[i].version, process);
    for (weir_rtl_stmt i = weir_rtl_first(s->design, s->body), next; i.id != 0; i = next) {
        next = i.id == last.id ? (weir_rtl_stmt){0} : weir_rtl_next(s->design, i);
        weir_rtl_remove_stmt(s->design, i);
    }
    weir_rtl_touch(s->design, WEIR_RTL_ITEM(process));
}

static void transform_module(ssa *s, weir_rtl_module module, int64_t *found, weir_stmt_list *inner) {
    s->module = module;
    s->conditions = 0;
    weir_rtl_uses_build(s->uses, module);
    const weir_rtl_stmt last = weir_rtl_last(s->design, weir_rtl_get_module(s->design, module).body);
    for (weir_rtl_stmt i = last.id != 0 ? weir_rtl_first_part(s->design, module) : last; i.id != 0;
         i = weir_rtl_next_part(s->design, i)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, i);
        if (info.kind != WEIR_RTL_STMT_COMBINATIONAL) continue;
        prepare(s, i, inner);
        if (weir_rtl_owner(s->design, info.block).id != 0) refuse(s, LOOPS);
        if (s->obstacle == NOTHING) look(s);
        if (s->obstacle == NOTHING) check_drivers(s, i);
        found[s->obstacle]++;
        if (s->obstacle == NOTHING) build(s, i);
    }
}

bool weir_pass_ssa_transform(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    size_t count = 0;
    int64_t found[OBSTACLES] = {0};
    weir_stmt_list inner = {NULL, 0, 0};
    ssa s = {.design = design, .rewriter = weir_rtl_rewriter_new(design), .uses = weir_rtl_uses_new(design)};
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) transform_module(&s, modules[i], found, &inner);
    if (found[NOTHING] == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "processes", found[NOTHING]);
    for (size_t i = LOOPS; i < OBSTACLES; i++)
        if (found[i] > 0) weir_pass_count(context, obstacles[i], found[i]);
    weir_stmt_list_free(&inner);
    weir_numbers_free(&s.slot_of);
    weir_numbers_free(&s.seen);
    weir_rtl_rewriter_free(s.rewriter);
    weir_rtl_uses_free(s.uses);
    free(s.slot);
    free(s.now);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == 0;
}
