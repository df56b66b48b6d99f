#include "passes/equivalence/registers.h"

#include <stdlib.h>
#include <string.h>

#include "passes/rtl/checks/check.h"
#include "passes/rtl/numbers.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/stmt.h"
#include "rtlir/core/type.h"
#include "rtlir/core/visitor.h"
#include "support/memory/arena.h"

/* --- clocks --- */
typedef struct clocking {
    weir_text *why;
    weir_rtl_uses *uses; /* of the module that is visited */
    bool has_edge;
    weir_rtl_edge edge;
} clocking;

enum { MAX_ALIASES = 100 };

/* A clock input of the module, or a wire that is nothing but another name of one. */
static bool is_clock(const weir_rtl_design *design, const clocking *c, weir_rtl_var var) {
    for (int i = 0; i < MAX_ALIASES; i++) {
        const weir_rtl_var_info info = weir_rtl_get_var(design, var);
        const weir_rtl_net net = weir_rtl_net_of(var);
        if (info.kind != WEIR_RTL_CLOCK) return false;
        if (info.direction != WEIR_RTL_INTERNAL) return info.direction == WEIR_RTL_INPUT;
        if (weir_rtl_driver_count(c->uses, net) != 1) return false;
        const weir_rtl_stmt_info driver = weir_rtl_get_stmt(design, weir_rtl_driver_at(c->uses, net, 0).stmt);
        if (driver.kind != WEIR_RTL_STMT_ASSIGN || driver.timing != WEIR_RTL_CONTINUOUS) return false;
        const weir_rtl_expr_info value = weir_rtl_get_expr(design, driver.value);
        if (value.kind != WEIR_RTL_EXPR_VAR) return false;
        var = value.var;
    }
    return false;
}

static void enter_module(weir_rtl_design *design, weir_rtl_module module, void *user) {
    (void)design;
    weir_rtl_uses_build(((clocking *)user)->uses, module);
}

static void complain(clocking *c, const weir_rtl_design *design, weir_rtl_module module, const char *what) {
    if (c->why->size == 0) weir_text_format(c->why, "'%s' has %s", weir_rtl_get_module(design, module).name, what);
}

static void check_events(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    clocking *c = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    const weir_rtl_module module = weir_rtl_block_module(design, info.block);
    if (weir_rtl_floats(design, info.value)) complain(c, design, module, "tri-state drivers");
    if (info.kind != WEIR_RTL_STMT_ALWAYS) return;
    size_t clocks = 0;
    for (size_t i = 0; i < weir_rtl_event_count(design, stmt); i++) {
        const weir_rtl_event event = weir_rtl_event_at(design, stmt, i);
        if (!is_clock(design, c, event.var)) continue;
        if (clocks++ > 0 || (c->has_edge && c->edge != event.edge))
            complain(c, design, module, "processes on both edges of a clock, or on several");
        c->edge = event.edge;
        c->has_edge = true;
    }
    if (clocks == 0) complain(c, design, module, "a process whose clock is not an input");
}

static void check_instance(weir_rtl_design *design, weir_rtl_instance instance, void *user) {
    clocking *c = user;
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    const size_t ports = weir_rtl_get_module(design, info.module).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(design, info.module, i);
        const weir_rtl_expr value = weir_rtl_connection_of(design, instance, port).value;
        const weir_rtl_var_info p = weir_rtl_get_var(design, port);
        if (p.direction == WEIR_RTL_OUTPUT && p.kind == WEIR_RTL_CLOCK)
            complain(c, design, info.parent, "an instance that makes a clock");
        if (p.direction != WEIR_RTL_INPUT || p.kind != WEIR_RTL_CLOCK || value.id == 0) continue;
        const weir_rtl_expr_info v = weir_rtl_get_expr(design, value);
        if (v.kind != WEIR_RTL_EXPR_VAR || !is_clock(design, c, v.var))
            complain(c, design, info.parent, "an instance whose clock is not an input");
    }
}

bool weir_rtl_has_one_clock(weir_rtl_design *design, weir_rtl_module top, weir_text *why) {
    static const weir_rtl_visitor visitor = {.module = enter_module, .stmt = check_events, .instance = check_instance};
    clocking c = {.why = why, .uses = weir_rtl_uses_new(design)};
    size_t clocks = 0;
    const size_t ports = weir_rtl_get_module(design, top).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, top, i));
        clocks += port.kind == WEIR_RTL_CLOCK;
        if (port.direction == WEIR_RTL_INOUT) complain(&c, design, top, "inout ports");
    }
    if (clocks > 1) complain(&c, design, top, "several clocks");
    const bool fine = weir_rtl_visit(design, top, WEIR_RTL_PARENTS_FIRST, &visitor, &c) && why->size == 0;
    weir_rtl_uses_free(c.uses);
    return fine;
}

/* --- registers --- */
typedef struct marking {
    weir_numbers mark; /* of variables */
    bool inside;       /* a clocked process or a latch */
} marking;

static void mark_net(weir_rtl_net net, weir_rtl_stmt stmt, void *user) {
    (void)stmt;
    if (net.instance.id == 0) *weir_numbers_at(&((marking *)user)->mark, net.var.id) = 1;
}

static bool holds(weir_rtl_stmt_kind kind) { return kind == WEIR_RTL_STMT_ALWAYS || kind == WEIR_RTL_STMT_LATCH; }

static void enter_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    marking *m = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (holds(info.kind)) m->inside = true;
    if (info.kind == WEIR_RTL_STMT_ASSIGN && m->inside) weir_visit_parts(design, info.target, stmt, mark_net, m);
}

static void leave_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    if (holds(weir_rtl_get_stmt(design, stmt).kind)) ((marking *)user)->inside = false;
}

static void add_register(weir_rtl_register_list *list, char *path, uint32_t width) {
    list->entry = weir_grow(list->entry, &list->capacity, list->count + 1, sizeof *list->entry);
    list->entry[list->count++] = (struct weir_rtl_register){path, width};
}

static void add_variable(const weir_rtl_design *design, weir_rtl_var var, const char *prefix, size_t limit,
                         weir_rtl_register_list *list) {
    const weir_rtl_var_info info = weir_rtl_get_var(design, var);
    uint64_t elements = 0;
    for (weir_rtl_type type = info.type; type.id != 0;) {
        const weir_rtl_type_info t = weir_rtl_get_type(design, type);
        if (t.kind != WEIR_RTL_TYPE_MEMORY) break;
        elements = (elements == 0 ? 1 : elements) * t.count;
        type = t.element.type;
    }
    if (elements == 0 && list->count < limit) add_register(list, weir_format("%s%s", prefix, info.name), info.width);
    for (uint64_t i = 0; i < elements && list->count < limit; i++)
        add_register(list, weir_format("%s%s[%llu]", prefix, info.name, (unsigned long long)i), info.width);
}

/* Modules that are still to be listed, each with the path of its instance. */
typedef struct scope {
    weir_rtl_module module;
    char *prefix;
} scope;

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct weir_rtl_register *)a)->path, ((const struct weir_rtl_register *)b)->path);
}

void weir_rtl_list_registers(weir_rtl_design *design, weir_rtl_module top, size_t limit, weir_rtl_register_list *list) {
    static const weir_rtl_visitor visitor = {.stmt = enter_stmt, .leave = leave_stmt};
    marking m = {.inside = false};
    size_t count = 1, capacity = 0;
    scope *waiting = weir_grow(NULL, &capacity, 1, sizeof *waiting);
    waiting[0] = (scope){top, weir_copy_string("")};
    weir_rtl_visit(design, top, WEIR_RTL_PARENTS_FIRST, &visitor, &m);
    while (count > 0) {
        const scope at = waiting[--count];
        for (weir_rtl_var v = weir_rtl_first_var(design, at.module); v.id != 0; v = weir_rtl_next_var(design, v))
            if (weir_numbers_get(&m.mark, v.id) != 0) add_variable(design, v, at.prefix, limit, list);
        const size_t instances = weir_rtl_get_module(design, at.module).instance_count;
        for (size_t i = 0; i < instances && list->count < limit; i++) {
            const weir_rtl_instance_info info =
                weir_rtl_get_instance(design, weir_rtl_instance_at(design, at.module, i));
            if (info.stmt.id == 0 || weir_rtl_owner(design, weir_rtl_get_stmt(design, info.stmt).block).id != 0 ||
                weir_rtl_get_module(design, info.module).is_external)
                continue;
            waiting = weir_grow(waiting, &capacity, count + 1, sizeof *waiting);
            waiting[count++] = (scope){info.module, weir_format("%s%s.", at.prefix, info.name)};
        }
        free(at.prefix);
    }
    free(waiting);
    weir_numbers_free(&m.mark);
    if (list->count > 0) qsort(list->entry, list->count, sizeof *list->entry, by_path);
}

void weir_rtl_free_registers(weir_rtl_register_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->entry[i].path);
    free(list->entry);
    *list = (weir_rtl_register_list){0};
}

/* --- unknown bits --- */
typedef struct unknowns {
    weir_numbers mark;  /* by variable: HELD, KNOWN */
    weir_rtl_stmt part; /* the process that the walk is in */
    bool starts;        /* it is an initial block */
    int resets;         /* ifs about a reset around */
    size_t prefix;
    weir_text *why;
} unknowns;

enum { HELD = 1, KNOWN = 2 };

static void mark_held(weir_rtl_net net, weir_rtl_stmt stmt, void *user) {
    unknowns *u = user;
    (void)stmt;
    if (net.instance.id != 0) return;
    *weir_numbers_at(&u->mark, net.var.id) |= u->starts || u->resets > 0 ? KNOWN : HELD;
}

/* Does the expression read a reset? Recursion is bounded by the depth of expressions. */
static bool reads_reset(const weir_rtl_design *design, weir_rtl_expr expr) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    const weir_rtl_kind kind = info.kind == WEIR_RTL_EXPR_VAR ? weir_rtl_get_var(design, info.var).kind : WEIR_RTL_DATA;
    bool any = kind == WEIR_RTL_RESET || kind == WEIR_RTL_ASYNC_RESET;
    for (size_t i = 0; i < info.operand_count && !any; i++)
        any = reads_reset(design, weir_rtl_operand(design, expr, i));
    return any;
}

static bool is_about_reset(const weir_rtl_design *design, const weir_rtl_stmt_info *info) {
    return info->kind == WEIR_RTL_STMT_IF && reads_reset(design, info->value);
}

static void enter_part(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    unknowns *u = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (u->part.id == 0 && (holds(info.kind) || info.kind == WEIR_RTL_STMT_INITIAL)) {
        u->part = stmt;
        u->starts = info.kind == WEIR_RTL_STMT_INITIAL;
    }
    u->resets += is_about_reset(design, &info);
    if (info.kind == WEIR_RTL_STMT_ASSIGN && u->part.id != 0) weir_visit_parts(design, info.target, stmt, mark_held, u);
}

static void leave_part(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    unknowns *u = user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    u->resets -= is_about_reset(design, &info);
    if (stmt.id == u->part.id) u->part.id = 0;
}

static void say_unknown(unknowns *u, const weir_rtl_design *design, weir_rtl_module module, const char *what) {
    const char *name = weir_rtl_get_module(design, module).name;
    if (u->why->size == 0)
        weir_text_format(u->why, "%s in module '%s'", what, name + (strlen(name) > u->prefix ? u->prefix : 0));
}

static void look_at_expr(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    (void)stmt;
    const bool divides =
        info.kind == WEIR_RTL_EXPR_BINARY && (info.op == WEIR_RTL_DIVIDE || info.op == WEIR_RTL_MODULO);
    const bool indexes = info.kind == WEIR_RTL_EXPR_SELECT || info.kind == WEIR_RTL_EXPR_ELEMENT;
    if (!divides && !indexes) return;
    const weir_rtl_expr_info other = weir_rtl_get_expr(design, weir_rtl_operand(design, expr, 1));
    if (other.kind == WEIR_RTL_EXPR_CONSTANT) return;
    if (divides) say_unknown(user, design, info.module, "a division whose divisor may be zero");
    if (!indexes || other.width >= 32 || other.is_signed) return; /* loops are checked by the verifier */
    const weir_rtl_expr whole = weir_rtl_operand(design, expr, 0);
    const uint64_t entries = info.kind == WEIR_RTL_EXPR_SELECT
                                 ? (uint64_t)weir_rtl_width(design, whole) - info.width + 1
                                 : weir_rtl_get_type(design, weir_rtl_type_of(design, whole)).count;
    if (UINT64_C(1) << other.width > entries)
        say_unknown(user, design, info.module, "an index that may be out of range");
}

static void look_at_var(weir_rtl_design *design, weir_rtl_var var, void *user) {
    unknowns *u = user;
    const weir_rtl_var_info info = weir_rtl_get_var(design, var);
    if (weir_numbers_get(&u->mark, var.id) != HELD) return;
    char *what = weir_format("register '%s' has neither a reset nor an initial value", info.name);
    say_unknown(u, design, info.module, what);
    free(what);
}

void weir_rtl_find_unknown(weir_rtl_design *design, weir_rtl_module top, size_t prefix, weir_text *why) {
    static const weir_rtl_visitor statements = {.stmt = enter_part, .leave = leave_part, .expr = look_at_expr};
    static const weir_rtl_visitor variables = {.var = look_at_var};
    unknowns u = {.prefix = prefix, .why = why};
    weir_rtl_visit(design, top, WEIR_RTL_PARENTS_FIRST, &statements, &u);
    weir_rtl_visit(design, top, WEIR_RTL_PARENTS_FIRST, &variables, &u);
    weir_numbers_free(&u.mark);
}
