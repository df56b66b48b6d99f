#include "passes/rtl/inner.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/type.h"
#include "support/memory/arena.h"

void weir_stmt_list_add(weir_stmt_list *list, weir_rtl_stmt stmt) {
    list->stmt = weir_grow(list->stmt, &list->capacity, list->count + 1, sizeof *list->stmt);
    list->stmt[list->count++] = stmt;
}

void weir_stmt_list_free(weir_stmt_list *list) {
    free(list->stmt);
    *list = (weir_stmt_list){NULL, 0, 0};
}

static weir_rtl_stmt first_of(const weir_rtl_design *design, weir_rtl_block block) {
    return block.id != 0 ? weir_rtl_first(design, block) : (weir_rtl_stmt){0};
}

/* The statement after this one inside `root`, outer ones first; none at the end. */
static weir_rtl_stmt next_inside(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_rtl_stmt root) {
    weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    weir_rtl_stmt next = first_of(design, info.body);
    if (next.id == 0) next = first_of(design, info.other);
    while (next.id == 0 && stmt.id != root.id) {
        next = weir_rtl_next(design, stmt);
        if (next.id != 0) return next;
        const weir_rtl_block block = weir_rtl_get_stmt(design, stmt).block;
        stmt = weir_rtl_owner(design, block);
        info = weir_rtl_get_stmt(design, stmt);
        if (block.id == info.body.id) next = first_of(design, info.other);
    }
    return next;
}

void weir_list_inner(const weir_rtl_design *design, weir_rtl_module module, weir_stmt_list *list) {
    list->count = 0;
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0;
         s = weir_rtl_next(design, s)) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
        if (info.body.id == 0 || info.kind == WEIR_RTL_STMT_FSM) continue;
        for (weir_rtl_stmt inner = s; inner.id != 0; inner = next_inside(design, inner, s))
            weir_stmt_list_add(list, inner);
    }
}

void weir_list_inside(const weir_rtl_design *design, weir_rtl_stmt stmt, weir_stmt_list *list) {
    list->count = 0;
    for (weir_rtl_stmt s = next_inside(design, stmt, stmt); s.id != 0; s = next_inside(design, s, stmt))
        weir_stmt_list_add(list, s);
}

bool weir_is_process(weir_rtl_stmt_kind kind) {
    return kind == WEIR_RTL_STMT_ALWAYS || kind == WEIR_RTL_STMT_COMBINATIONAL || kind == WEIR_RTL_STMT_LATCH ||
           kind == WEIR_RTL_STMT_INITIAL || kind == WEIR_RTL_STMT_FINAL || kind == WEIR_RTL_STMT_FUNCTION;
}

weir_rtl_stmt weir_only_stmt(const weir_rtl_design *design, weir_rtl_block block) {
    const weir_rtl_stmt first = first_of(design, block);
    return first.id != 0 && weir_rtl_next(design, first).id == 0 ? first : (weir_rtl_stmt){0};
}

/* Recursion is bounded by the depth of expressions. */
bool weir_same_expr(const weir_rtl_design *design, weir_rtl_expr a, weir_rtl_expr b) {
    if (a.id == b.id) return true;
    const weir_rtl_expr_info x = weir_rtl_get_expr(design, a), y = weir_rtl_get_expr(design, b);
    if (x.kind != y.kind || x.width != y.width || x.is_signed != y.is_signed || x.operand_count != y.operand_count ||
        x.carries != y.carries || x.formula.id != y.formula.id || x.parameter.id != y.parameter.id ||
        x.low_formula.id != y.low_formula.id || x.repeat_formula.id != y.repeat_formula.id)
        return false;
    if (x.kind == WEIR_RTL_EXPR_CONSTANT) return memcmp(x.words, y.words, (x.width + 63) / 64 * sizeof *x.words) == 0;
    if (x.op != y.op || x.var.id != y.var.id || x.instance.id != y.instance.id || x.parameter.id != y.parameter.id ||
        x.function.id != y.function.id || x.low != y.low || x.repeat != y.repeat ||
        (x.field != NULL && strcmp(x.field, y.field) != 0))
        return false;
    for (size_t i = 0; i < x.operand_count; i++)
        if (!weir_same_expr(design, weir_rtl_operand(design, a, i), weir_rtl_operand(design, b, i))) return false;
    return true;
}

/* Recursion is bounded by the depth of expressions. */
bool weir_reads_var(const weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_var var) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    if (info.var.id == var.id && info.instance.id == 0) return true;
    for (size_t i = 0; i < info.operand_count; i++)
        if (weir_reads_var(design, weir_rtl_operand(design, expr, i), var)) return true;
    return false;
}

/* A constant, and not the bits of a parameter, which may become equal to other ones. */
static bool is_number(const weir_rtl_design *design, weir_rtl_expr expr) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    return info.kind == WEIR_RTL_EXPR_CONSTANT && info.parameter.id == 0;
}

weir_equality weir_equality_of(const weir_rtl_design *design, weir_rtl_expr condition) {
    const weir_equality none = {{0}, {0}};
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, condition);
    if (info.kind != WEIR_RTL_EXPR_BINARY || info.op != WEIR_RTL_EQUAL) return none;
    const weir_rtl_expr left = weir_rtl_operand(design, condition, 0), right = weir_rtl_operand(design, condition, 1);
    const bool is_left = is_number(design, left), is_right = is_number(design, right);
    if (is_left == is_right) return none;
    return is_right ? (weir_equality){left, right} : (weir_equality){right, left};
}

typedef struct label {
    const uint64_t *words;
    size_t word_count, index;
} label;

/* By value, equal ones by index. */
static int by_value(const void *a, const void *b) {
    const label *x = a, *y = b;
    const int order = memcmp(x->words, y->words, x->word_count * sizeof *x->words);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

bool *weir_find_repeated(const weir_rtl_design *design, const weir_rtl_expr *constants, size_t count,
                         size_t *distinct) {
    bool *repeated = weir_calloc(count + 1, sizeof *repeated);
    label *labels = weir_calloc(count + 1, sizeof *labels);
    size_t labelled = 0;
    for (size_t i = 0; i < count; i++) {
        if (constants[i].id == 0) continue;
        const weir_rtl_expr_info info = weir_rtl_get_expr(design, constants[i]);
        labels[labelled++] = (label){info.words, (info.width + 63) / 64, i};
    }
    qsort(labels, labelled, sizeof *labels, by_value);
    *distinct = labelled;
    for (size_t i = 1; i < labelled; i++) {
        const size_t size = labels[i].word_count * sizeof *labels[i].words;
        if (memcmp(labels[i - 1].words, labels[i].words, size) != 0) continue;
        repeated[labels[i].index] = true;
        --*distinct;
    }
    free(labels);
    return repeated;
}

void weir_warn_dropped(const weir_rtl_design *design, weir_rtl_stmt arm, weir_rtl_expr value, weir_rtl_expr constant) {
    if (weir_rtl_first(design, weir_rtl_get_stmt(design, arm).body).id == 0) return;
    weir_text text = {NULL, 0, 0};
    weir_rtl_print_written(design, value, &text);
    weir_text_add(&text, " == ");
    weir_rtl_print_written(design, constant, &text);
    weir_warning(weir_rtl_get_item(design, WEIR_RTL_ITEM(arm)).location,
                 "the branch for '%s' is removed: an earlier one has the same value", text.data);
    weir_text_free(&text);
}

bool weir_is_kept(const weir_rtl_design *design, weir_rtl_item item) {
    static const char *const names[] = {"keep", "public", "verilator_public"};
    bool is_kept = false;
    if (!weir_rtl_has_attributes(design, item)) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_kept = is_kept || weir_rtl_has_attribute(design, item, names[i]);
    return is_kept;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Takes the names that a path is made of; indices of loops in space are none. */
static void add_names(weir_keeper *k, const char *path) {
    while (*path != '\0') {
        const size_t size = strcspn(path, ".[]");
        k->name = weir_grow(k->name, &k->capacity, k->count + 1, sizeof *k->name);
        if (size > 0) k->name[k->count++] = weir_format("%.*s", (int)size, path);
        path += size;
        path += *path != '\0';
    }
}

static void find_paths(weir_keeper *k) {
    const weir_rtl_design *design = k->design;
    for (weir_rtl_module m = weir_rtl_first_module(design); m.id != 0; m = weir_rtl_next_module(design, m))
        for (weir_rtl_var v = weir_rtl_first_var(design, m); v.id != 0; v = weir_rtl_next_var(design, v)) {
            const weir_rtl_var_info info = weir_rtl_get_var(design, v);
            if (info.is_path) add_names(k, info.name);
        }
    if (k->count > 1) qsort(k->name, k->count, sizeof *k->name, by_name);
    k->is_known = true;
}

static bool is_in_path(weir_keeper *keeper, const char *name) {
    if (!keeper->is_known) find_paths(keeper);
    return keeper->count > 0 && bsearch(&name, keeper->name, keeper->count, sizeof *keeper->name, by_name) != NULL;
}

bool weir_keeps(weir_keeper *keeper, weir_rtl_var var) {
    return weir_is_kept(keeper->design, WEIR_RTL_ITEM(var)) ||
           is_in_path(keeper, weir_rtl_get_var(keeper->design, var).name);
}

bool weir_keeps_instance(weir_keeper *keeper, weir_rtl_instance instance) {
    return weir_is_kept(keeper->design, WEIR_RTL_ITEM(instance)) ||
           is_in_path(keeper, weir_rtl_get_instance(keeper->design, instance).name);
}

void weir_keeper_free(weir_keeper *keeper) {
    for (size_t i = 0; i < keeper->count; i++) free(keeper->name[i]);
    free(keeper->name);
}
