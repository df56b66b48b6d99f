/* Machines as drawings and as tables. */
#include <stdlib.h>

#include "rtlir/core/private.h"

static void add_expr(const weir_rtl_design *design, uint32_t expr, weir_text *text) {
    weir_rtl_print_expr(design, (weir_rtl_expr){expr}, text);
}

/* ---- drawings ---- */

static void indent(weir_text *text, int levels) {
    while (levels-- > 0) weir_text_add(text, "  ");
}

/* `target = value` of the block's assignments with this between them. */
static void add_outputs(const weir_rtl_design *design, uint32_t block, const char *before, const char *between,
                        weir_text *text) {
    assert(block < design->block_count);
    bool first = true;
    for (uint32_t s = design->block[block].first; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind != WEIR_RTL_STMT_ASSIGN) continue;
        weir_text_add(text, first ? before : between);
        first = false;
        add_expr(design, design->stmt[s].a, text);
        weir_text_add(text, " = ");
        add_expr(design, design->stmt[s].b, text);
    }
}

static void draw_state(const weir_rtl_design *design, uint32_t id, uint32_t start, int level, weir_text *text) {
    assert(id < design->state_count);
    const rtl_state *state = &design->state[id];
    indent(text, level);
    weir_text_format(text, "\"%s\" [label=\"%s", weir_rtl_state_name(design, (weir_rtl_state){id}, '.'), state->name);
    add_outputs(design, design->stmt[state->stmt].body, "\\n", "\\n", text);
    weir_text_add(text, id == start ? "\", peripheries=2];\n" : "\"];\n");
}

static void draw_transition(const weir_rtl_design *design, uint32_t from, uint32_t id, weir_text *text) {
    assert(id < design->stmt_count);
    const rtl_stmt *stmt = &design->stmt[id];
    weir_text label = {0};
    if (stmt->a) add_expr(design, stmt->a, &label);
    if (stmt->body) add_outputs(design, stmt->body, stmt->a ? " / " : "/ ", ", ", &label);
    weir_text_format(text, "  \"%s\" -> ", weir_rtl_state_name(design, (weir_rtl_state){from}, '.'));
    weir_text_format(text, "\"%s\"", weir_rtl_state_name(design, (weir_rtl_state){stmt->b}, '.'));
    if (label.size) weir_text_format(text, " [label=\"%s\"]", label.data);
    weir_text_add(text, ";\n");
    weir_text_free(&label);
}

/* The content of the machine, whose name and those around it are the path; RTL_MAX_DEPTH bounds the recursion. */
static void draw_states(const weir_rtl_design *design, uint32_t fsm, const char *path, uint32_t start, int level,
                        weir_text *text) {
    assert(fsm < design->fsm_count);
    uint32_t s = design->block[design->stmt[design->fsm[fsm].stmt].body].first;
    for (; s; s = design->stmt[s].next) {
        const rtl_stmt *stmt = &design->stmt[s];
        if (stmt->kind == WEIR_RTL_STMT_STATE) draw_state(design, stmt->a, start, level, text);
        if (stmt->kind != WEIR_RTL_STMT_FSM) continue;
        char *inner = weir_format("%s.%s", path, rtl_fsm_of(design, stmt)->name);
        indent(text, level);
        weir_text_format(text, "subgraph \"cluster_%s\" {\n", inner);
        indent(text, level + 1);
        weir_text_format(text, "label=\"%s\";\n", rtl_fsm_of(design, stmt)->name);
        draw_states(design, stmt->a, inner, start, level + 1, text);
        indent(text, level);
        weir_text_add(text, "}\n");
        free(inner);
    }
}

void weir_rtl_fsm_dot(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_text *text) {
    const rtl_fsm *record = rtl_fsm_at(design, fsm.id);
    uint32_t state = 0;
    weir_text_format(text, "digraph \"%s\" {\n", record->name);
    draw_states(design, fsm.id, record->name, rtl_start_of(design, rtl_outermost(design, fsm.id)), 1, text);
    for (uint32_t s = record->stmt; s; s = rtl_walk_next(design, s, record->stmt)) {
        if (design->stmt[s].kind == WEIR_RTL_STMT_STATE) state = design->stmt[s].a;
        if (design->stmt[s].kind == WEIR_RTL_STMT_TRANSITION) draw_transition(design, state, s, text);
    }
    weir_text_add(text, "}\n");
}

/* ---- tables ---- */

typedef struct sheet {
    const weir_rtl_design *design;
    weir_text *text;
    rtl_labels columns; /* by the text of the output */
    uint32_t *value;    /* by column: expression, or 0 */
    uint32_t *base;     /* the same before the transitions of a state */
    size_t count;
} sheet;

static const char *output_name(const sheet *s, uint32_t target) {
    weir_text text = {0};
    add_expr(s->design, target, &text);
    const char *name = weir_strings_intern(s->design->strings, text.data);
    weir_text_free(&text);
    return name;
}

/* A cell in quotes where it has to be. */
static void add_cell(sheet *s, const char *cell, bool is_first) {
    if (!is_first) weir_text_char(s->text, ',');
    bool plain = !strpbrk(cell, ",\"\n");
    if (!plain) weir_text_char(s->text, '"');
    for (; *cell; cell++) {
        if (*cell == '"') weir_text_char(s->text, '"');
        weir_text_char(s->text, *cell);
    }
    if (!plain) weir_text_char(s->text, '"');
}

static void add_value(sheet *s, uint32_t expr) {
    weir_text cell = {0};
    if (expr) add_expr(s->design, expr, &cell);
    add_cell(s, expr ? cell.data : "", false);
    weir_text_free(&cell);
}

static void take_outputs(sheet *s, uint32_t block, uint32_t *value) {
    assert(block < s->design->block_count);
    for (uint32_t i = s->design->block[block].first; i; i = s->design->stmt[i].next)
        if (s->design->stmt[i].kind == WEIR_RTL_STMT_ASSIGN)
            value[rtl_labels_find(&s->columns, 0, output_name(s, s->design->stmt[i].a))->number] = s->design->stmt[i].b;
}

/* What the machines around a state give, the outermost one first. */
static void take_defaults(sheet *s, uint32_t fsm) {
    assert(fsm < s->design->fsm_count);
    if (s->design->fsm[fsm].parent) take_defaults(s, s->design->fsm[fsm].parent);
    else memset(s->base, 0, s->count * sizeof *s->base);
    take_outputs(s, s->design->stmt[s->design->fsm[fsm].stmt].body, s->base);
}

/* A row; of a Mealy machine with the condition and the next state. */
static void add_row(sheet *s, uint32_t state, uint32_t condition, uint32_t next, const uint32_t *value) {
    add_cell(s, weir_rtl_state_name(s->design, (weir_rtl_state){state}, '.'), true);
    if (next) add_value(s, condition);
    if (next) add_cell(s, weir_rtl_state_name(s->design, (weir_rtl_state){next}, '.'), false);
    for (size_t i = 0; i < s->count; i++) add_value(s, value[i]);
    weir_text_char(s->text, '\n');
}

static void add_transitions(sheet *s, uint32_t state, uint32_t block) {
    assert(block < s->design->block_count);
    bool stays = true;
    for (uint32_t i = s->design->block[block].first; i && stays; i = s->design->stmt[i].next) {
        const rtl_stmt *stmt = &s->design->stmt[i];
        if (stmt->kind != WEIR_RTL_STMT_TRANSITION) continue;
        memcpy(s->value, s->base, s->count * sizeof *s->value);
        if (stmt->body) take_outputs(s, stmt->body, s->value);
        add_row(s, state, stmt->a, stmt->b, s->value);
        stays = stmt->a != 0;
    }
    if (stays) add_row(s, state, 0, state, s->base);
}

static void add_header(sheet *s, const rtl_fsm *fsm, bool is_mealy) {
    weir_text_add(s->text, is_mealy ? "state,condition,next" : "state");
    for (uint32_t i = fsm->stmt; i; i = rtl_walk_next(s->design, i, fsm->stmt)) {
        if (s->design->stmt[i].kind != WEIR_RTL_STMT_ASSIGN) continue;
        rtl_label label = {.name = output_name(s, s->design->stmt[i].a), .number = (uint32_t)s->count};
        if (rtl_labels_find(&s->columns, 0, label.name)) continue;
        rtl_labels_set(&s->columns, &label);
        add_cell(s, label.name, false);
        s->count++;
    }
    weir_text_char(s->text, '\n');
}

void weir_rtl_fsm_csv(const weir_rtl_design *design, weir_rtl_fsm fsm, weir_text *text) {
    sheet s = {.design = design, .text = text};
    bool is_mealy = weir_rtl_get_fsm(design, fsm).is_mealy;
    add_header(&s, rtl_fsm_at(design, fsm.id), is_mealy);
    s.value = weir_calloc(2 * s.count + 1, sizeof *s.value);
    s.base = s.value + s.count;
    for (weir_rtl_state i = weir_rtl_first_state(design, fsm); i.id; i = weir_rtl_next_state(design, fsm, i)) {
        uint32_t block = weir_rtl_state_body(design, i).id;
        take_defaults(&s, rtl_state_at(design, i.id)->fsm);
        take_outputs(&s, block, s.base);
        if (is_mealy) add_transitions(&s, i.id, block);
        else add_row(&s, i.id, 0, 0, s.base);
    }
    free(s.value);
    rtl_labels_free(&s.columns);
}
