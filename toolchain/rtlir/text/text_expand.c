/* What a text may leave to its reader: the reset of a process by the values that its registers are declared with, one
 * body for several labels of a case, groups of ports connected whole. The design gets what would have been written. */
#include <stdlib.h>

#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/text/text_parser_private.h"

/* ---- resets ---- */

static rtl_start *start_of(rtl_parser *p, uint32_t var) { return var < p->starts ? &p->start[var] : NULL; }

/* `= 7` after the type of a register or an output. */
bool rtl_parse_start(rtl_parser *p, rtl_var *model, uint32_t *start) {
    rtl_scan *s = &p->scan;
    *start = 0;
    if (!rtl_scan_accept(s, '=')) return !s->failed;
    bool takes_one = model->is_register || model->is_undecided || model->direction == WEIR_RTL_OUTPUT;
    if (!takes_one || model->range) return rtl_scan_fail(s, "no reset value: only registers and outputs have one");
    weir_rtl_expr value = rtl_scan_expr_by(s, (rtl_size){model->width, model->formula}, model->is_signed);
    if (!value.id) return false;
    const rtl_expr *e = &s->design->expr[value.id];
    if (e->module && e->kind != WEIR_RTL_EXPR_PARAMETER && e->kind != WEIR_RTL_EXPR_CONSTANT)
        return rtl_scan_fail(s, "a constant reset value before this");
    *start = value.id;
    return true;
}

void rtl_declare_start(rtl_parser *p, uint32_t var, uint32_t value) {
    if (!value) return;
    p->start = weir_grow_zeroed(p->start, &p->start_capacity, var + 1, sizeof *p->start);
    p->start[var] = (rtl_start){.value = value, .line = p->scan.line};
    if (p->starts <= var) p->starts = var + 1;
}

/* The variable that a target is a part of; 0 for a concatenation. */
static uint32_t root_var(const weir_rtl_design *design, uint32_t target) {
    assert(target < design->expr_count);
    while (rtl_is_part(design->expr[target].kind)) target = design->expr[target].a;
    return design->expr[target].kind == WEIR_RTL_EXPR_VAR ? design->expr[target].a : 0;
}

/* Sets the variables of the target that have a value and were not set yet. */
static bool add_start(rtl_parser *p, uint32_t target, weir_rtl_block resets) {
    weir_rtl_design *design = p->scan.design;
    if (design->expr[target].kind == WEIR_RTL_EXPR_CONCAT) {
        bool fine = true;
        for (uint32_t i = 0; fine && i < design->expr[target].b; i++)
            fine = add_start(p, design->operand[design->expr[target].a + i], resets);
        return fine;
    }
    weir_rtl_var var = {root_var(design, target)};
    rtl_start *start = start_of(p, var.id);
    if (!start || !start->value || start->is_used) return true;
    start->is_used = true;
    design->origin = design->var[var.id].common.origin;
    return weir_rtl_set_next(design, resets, weir_rtl_read(design, var), (weir_rtl_expr){start->value}).id != 0;
}

/* The end of a process with a reset: `rest` is what it does otherwise, in the else of the test. */
bool rtl_close_reset(rtl_parser *p, uint32_t rest) {
    rtl_scan *s = &p->scan;
    weir_rtl_design *design = s->design;
    uint32_t branch = design->block[rest].owner;
    weir_rtl_block resets = {design->stmt[branch].body};
    uint32_t origin = design->origin;
    for (uint32_t i = rtl_walk_next(design, branch, branch); i; i = rtl_walk_next(design, i, branch)) {
        if (design->stmt[i].kind != WEIR_RTL_STMT_ASSIGN) continue;
        if (!add_start(p, design->stmt[i].a, resets)) s->failed = true;
    }
    design->origin = origin;
    if (!s->failed && !design->block[resets.id].first) {
        rtl_error(design, rtl_location_of(design, &design->stmt[branch].common),
                  "this process has a reset, but no register that it assigns is declared with a value");
        s->failed = true;
    }
    return !s->failed;
}

bool rtl_check_starts(rtl_parser *p) {
    weir_rtl_design *design = p->scan.design;
    bool fine = true;
    for (uint32_t v = 0; v < p->starts; v++) {
        if (!p->start[v].value || p->start[v].is_used) continue;
        rtl_error(design, weir_at(p->scan.file, p->start[v].line),
                  "'%s' is declared with a reset value, but no process with a reset assigns it", design->var[v].name);
        fine = false;
    }
    return fine;
}

/* ---- several labels ---- */

/* Loops of the copy get iterators of their own: one serves one loop. */
static bool fresh_iterators(weir_rtl_design *design, weir_rtl_rewriter *rewriter, uint32_t item) {
    for (uint32_t i = rtl_walk_next(design, item, item); i; i = rtl_walk_next(design, i, item)) {
        if (design->stmt[i].kind != WEIR_RTL_STMT_FOR) continue;
        weir_rtl_var old = {rtl_loop_of(design, &design->stmt[i])->iterator};
        weir_rtl_module module = {design->var[old.id].module};
        const char *name = weir_rtl_free_name(design, module, design->var[old.id].name);
        weir_rtl_var own = weir_rtl_add_iterator(design, module, name);
        if (!own.id || !weir_rtl_map_var(rewriter, old, weir_rtl_read(design, own))) return false;
    }
    return true;
}

/* The end of an item: `count` items with the labels after its own get copies of what it does. */
bool rtl_close_labels(rtl_parser *p, uint32_t body, uint32_t count) {
    enum { MOST_COPIES = 1000000 };
    rtl_scan *s = &p->scan;
    weir_rtl_design *design = s->design;
    uint32_t item = design->block[body].owner;
    size_t size = 0;
    for (uint32_t i = item; i; i = rtl_walk_next(design, i, item)) size++;
    p->copies += size * count;
    if (p->copies > MOST_COPIES) return rtl_scan_fail(s, "fewer labels that share a body");
    for (uint32_t other = design->stmt[item].next; count-- > 0; other = design->stmt[other].next) {
        weir_rtl_rewriter *rewriter = weir_rtl_rewriter_new(design);
        weir_rtl_block to = {design->stmt[other].body};
        if (!fresh_iterators(design, rewriter, item) || !weir_rtl_copy_stmts(rewriter, (weir_rtl_block){body}, to))
            s->failed = true;
        weir_rtl_rewriter_free(rewriter);
    }
    return !s->failed;
}

/* ---- groups ---- */

/* `group` or `instance.group`; false, where nothing was read, when it is no group or a field follows. */
bool rtl_scan_group(rtl_scan *s, rtl_group_ref *ref) {
    const weir_rtl_design *design = s->design;
    const char *start = s->at;
    *ref = (rtl_group_ref){0, 0};
    rtl_scan_blanks(s);
    const char *name = rtl_scan_word(s);
    rtl_name entry = name ? rtl_names_find(design, s->module, name) : (rtl_name){RTL_NAME_NONE, 0};
    if (entry.kind == RTL_NAME_INSTANCE && s->at < s->end && *s->at == '.') {
        s->at++;
        ref->instance = entry.id;
        name = rtl_scan_word(s);
        if (name) entry = rtl_names_find(design, design->instance[ref->instance].module, name);
    }
    if (name && entry.kind == RTL_NAME_GROUP && !(s->at < s->end && *s->at == '.')) {
        ref->group = entry.id;
        return true;
    }
    s->at = start;
    return false;
}

/* Where a field of the group comes from and goes to: 1 it takes a value here, -1 it has one, 0 either. */
static int flow_of(const weir_rtl_design *design, const rtl_group_ref *ref, uint32_t var) {
    assert(var < design->var_count);
    weir_rtl_direction direction = design->var[var].direction;
    if (direction == WEIR_RTL_INTERNAL || direction == WEIR_RTL_INOUT) return 0;
    return (direction == WEIR_RTL_INPUT) == (ref->instance != 0) ? 1 : -1;
}

static weir_rtl_expr read_field(weir_rtl_design *design, const rtl_group_ref *ref, uint32_t var) {
    return ref->instance ? weir_rtl_port_of(design, (weir_rtl_instance){ref->instance}, (weir_rtl_var){var})
                         : weir_rtl_read(design, (weir_rtl_var){var});
}

/* One field: from where it has a value to where it takes one. */
static bool assign_field(rtl_parser *p, const rtl_group_ref *left, const rtl_group_ref *right, uint32_t field,
                         const rtl_assignment *how) {
    weir_rtl_design *design = p->scan.design;
    uint32_t to = design->group[left->group].var[field], from = design->group[right->group].var[field];
    const char *name = design->interface[design->group[left->group].interface].field[field].name;
    int flow = to && from ? flow_of(design, left, to) - flow_of(design, right, from) : 0;
    bool collides = to && from && flow == 0 && flow_of(design, left, to) != 0;
    if (!to != !from || collides) {
        const rtl_group_ref *missing = to ? right : left;
        if (collides)
            rtl_error(design, design->location, "field '%s' of both groups %s", name,
                      flow_of(design, left, to) > 0 ? "takes a value" : "has a value already");
        else
            rtl_error(design, design->location, "group '%s' has no field '%s'", design->group[missing->group].name,
                      name);
        return false;
    }
    if (!to) return true;
    weir_rtl_expr target = flow >= 0 ? read_field(design, left, to) : read_field(design, right, from);
    weir_rtl_expr value = flow >= 0 ? read_field(design, right, from) : read_field(design, left, to);
    weir_rtl_stmt made = weir_rtl_add_assign(design, how->block, target, value, WEIR_RTL_UNDECIDED);
    weir_rtl_set_timing(design, made, how->timing);
    return made.id != 0;
}

/* `let u.in = out`: an assignment a field, in the direction that the field has. */
bool rtl_assign_groups(rtl_parser *p, const rtl_group_ref *left, const rtl_assignment *how) {
    rtl_scan *s = &p->scan;
    rtl_group_ref right;
    if (!rtl_scan_expect(s, '=')) return false;
    if (!rtl_scan_group(s, &right)) return rtl_scan_fail(s, "a group, as the left side is one");
    if (!rtl_parse_origin(p)) return false;
    const rtl_group *to = &s->design->group[left->group], *from = &s->design->group[right.group];
    if (to->interface != from->interface)
        return rtl_scan_fail_name(s, "another interface than that of group", to->name);
    for (uint32_t f = 0; f < s->design->interface[to->interface].count; f++)
        if (!assign_field(p, left, &right, f, how)) s->failed = true;
    return !s->failed;
}
