/* The walk over statements keeps a cursor a block in the design, which follows when statements go (stmt.c). */
#include "rtlir/core/visitor.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"

/* A block that is being walked; the else of its owner and its end are not visited yet. */
typedef struct frame {
    rtl_cursor cursor;
    uint32_t owner; /* the statement whose block this is, 0 for a module's body */
} frame;

typedef struct walk {
    weir_rtl_design *design;
    const weir_rtl_visitor *visitor;
    void *user;
    frame **frame; /* cursors are linked, so frames must not move */
    size_t depth, frame_count, frame_capacity;
    uint32_t *seen; /* by expression id: number of the statement that it was last seen in */
    size_t seen_capacity;
    uint32_t stamp;
    uint32_t *stack;
    size_t stack_capacity;
} walk;

static void enter_block(walk *w, uint32_t block, uint32_t owner) {
    if (w->depth == w->frame_count) {
        w->frame = weir_grow(w->frame, &w->frame_capacity, w->frame_count + 1, sizeof *w->frame);
        w->frame[w->frame_count++] = weir_malloc(sizeof **w->frame);
    }
    frame *f = w->frame[w->depth++];
    *f = (frame){.cursor = {.outer = w->design->cursor, .block = block}, .owner = owner};
    w->design->cursor = &f->cursor;
}

static void leave_block(walk *w) {
    frame *f = w->frame[--w->depth];
    w->design->cursor = f->cursor.outer;
    if (!f->owner) return;
    const rtl_stmt *owner = &w->design->stmt[f->owner];
    bool here = w->depth > 0 && !w->frame[w->depth - 1]->cursor.is_gone;
    if (!here) return;
    if (f->cursor.block == owner->body && owner->other) enter_block(w, owner->other, f->owner);
    else if (w->visitor->leave) w->visitor->leave(w->design, (weir_rtl_stmt){f->owner}, w->user);
}

/* ---- expressions ---- */

static bool is_new(walk *w, uint32_t expr) {
    if (expr >= w->seen_capacity)
        w->seen = weir_grow_zeroed(w->seen, &w->seen_capacity, w->design->expr_count, sizeof *w->seen);
    if (w->seen[expr] == w->stamp) return false;
    w->seen[expr] = w->stamp;
    return true;
}

static void visit_expr(walk *w, uint32_t expr, uint32_t stmt, const rtl_cursor *cursor) {
    size_t depth = 0;
    if (!expr || expr == RTL_OPEN) return;
    w->stack = weir_grow(w->stack, &w->stack_capacity, 1, sizeof *w->stack);
    w->stack[depth++] = expr;
    while (depth > 0 && !cursor->is_gone) {
        weir_rtl_expr e = {w->stack[--depth]};
        if (!is_new(w, e.id)) continue;
        size_t count = weir_rtl_get_expr(w->design, e).operand_count;
        w->visitor->expr(w->design, e, (weir_rtl_stmt){stmt}, w->user);
        w->stack = weir_grow(w->stack, &w->stack_capacity, depth + count, sizeof *w->stack);
        while (count-- > 0) w->stack[depth++] = weir_rtl_operand(w->design, e, count).id;
    }
}

static void visit_instance(walk *w, uint32_t stmt, const rtl_cursor *cursor) {
    assert(stmt < w->design->stmt_count);
    uint32_t id = w->design->stmt[stmt].a;
    if (w->visitor->instance) w->visitor->instance(w->design, (weir_rtl_instance){id}, w->user);
    for (uint32_t i = 0; w->visitor->expr && i < w->design->instance[id].override_count && !cursor->is_gone; i++)
        visit_expr(w, w->design->instance[id].override[i].expr, stmt, cursor);
    for (size_t i = 0; w->visitor->expr && !cursor->is_gone; i++) {
        const rtl_instance *instance = &w->design->instance[id];
        const rtl_ids *ports = &w->design->module[instance->module].ports;
        if (i >= ports->count) break;
        uint32_t slot = w->design->var[ports->id[i]].slot;
        if (slot < instance->connection_count) visit_expr(w, instance->connection[slot], stmt, cursor);
    }
}

/* ---- statements ---- */

static void visit_stmt(walk *w, uint32_t id, const rtl_cursor *cursor) {
    assert(id < w->design->stmt_count);
    w->stamp++;
    if (w->visitor->stmt) w->visitor->stmt(w->design, (weir_rtl_stmt){id}, w->user);
    if (cursor->is_gone) return;
    weir_rtl_stmt_kind kind = w->design->stmt[id].kind;
    if (kind == WEIR_RTL_STMT_INSTANCE) visit_instance(w, id, cursor);
    for (size_t i = 0; w->visitor->expr && !cursor->is_gone && rtl_stmt_slot(w->design, id, i); i++)
        visit_expr(w, *rtl_stmt_slot(w->design, id, i), id, cursor);
    if (cursor->is_gone) return;
    if (w->design->stmt[id].body) enter_block(w, w->design->stmt[id].body, id);
    else if (w->visitor->leave) w->visitor->leave(w->design, (weir_rtl_stmt){id}, w->user);
}

static void visit_stmts(walk *w, uint32_t body) {
    enter_block(w, body, 0);
    while (w->depth > 0) {
        rtl_cursor *cursor = &w->frame[w->depth - 1]->cursor;
        uint32_t current = cursor->current;
        uint32_t next = current ? w->design->stmt[current].next : w->design->block[cursor->block].first;
        if (!next) {
            leave_block(w);
            continue;
        }
        cursor->current = next;
        cursor->is_gone = false;
        visit_stmt(w, next, cursor);
    }
}

/* ---- variables ---- */

typedef struct named {
    const char *name;
    uint32_t id;
} named;

static int by_name(const void *a, const void *b) { return strcmp(((const named *)a)->name, ((const named *)b)->name); }

static void visit_vars(walk *w, uint32_t module) {
    assert(module < w->design->module_count);
    size_t count = 0;
    named *list = weir_malloc((w->design->module[module].var_count + 1) * sizeof *list);
    for (uint32_t v = w->design->module[module].first_var; v; v = w->design->var[v].next)
        list[count++] = (named){w->design->var[v].name, v};
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++)
        if (!w->design->var[list[i].id].is_removed) w->visitor->var(w->design, (weir_rtl_var){list[i].id}, w->user);
    free(list);
}

static void visit_module(walk *w, uint32_t module) {
    assert(module < w->design->module_count);
    const rtl_module *record = &w->design->module[module];
    if (record->is_external) {
        if (w->visitor->external) w->visitor->external(w->design, (weir_rtl_module){module}, w->user);
        return;
    }
    if (w->visitor->module) w->visitor->module(w->design, (weir_rtl_module){module}, w->user);
    bool walks = w->visitor->stmt || w->visitor->leave || w->visitor->expr || w->visitor->instance;
    if (walks) visit_stmts(w, w->design->module[module].body);
    if (w->visitor->var) visit_vars(w, module);
}

static void end_walk(walk *w) {
    for (size_t i = 0; i < w->frame_count; i++) free(w->frame[i]);
    free(w->frame);
    free(w->seen);
    free(w->stack);
}

void weir_rtl_visit_content(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_visitor *visitor,
                            void *user) {
    walk w = {.design = design, .visitor = visitor, .user = user};
    if (module.id) visit_module(&w, module.id);
    end_walk(&w);
}

bool weir_rtl_visit(weir_rtl_design *design, weir_rtl_module top, weir_rtl_order order, const weir_rtl_visitor *visitor,
                    void *user) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, order, &count);
    if (!modules) return false;
    walk w = {.design = design, .visitor = visitor, .user = user};
    for (size_t i = 0; i < count; i++)
        if (!design->module[modules[i].id].is_removed) visit_module(&w, modules[i].id);
    end_walk(&w);
    free(modules);
    return true;
}
