/* lift_genvar_instances: instances of one module whose connections go from one to the next by constant steps, over
 * bits, slices or elements of arrays, become one instance in a loop:
 *   child_0 (.a(x[1:0]), .y(y[0])), child_1 (.a(x[3:2]), .y(y[1])), ...   -> for child_i: child (.a(x[child_i * 2 +:
 *                                                                         2]), ...)
 * What does not go on is the same in all of them: other connections, parameters, comments. The loop and the instance
 * are named after what their names have in common. An output must go on. Instances with attributes stay; so do those
 * that a path names, and those that are still wired by assignments. Best after uniquify_generators, which makes equal
 * modules one. Linear. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/type.h"
#include "support/memory/arena.h"

/* By how much the offsets of a connection's parts differ between an instance and the next, ports in their order, parts
 * from outside to inside. */
typedef struct steps {
    int64_t *step;
    size_t count, capacity;
} steps;

typedef struct child {
    weir_rtl_module module;
    weir_rtl_instance instance;
} child;

typedef struct lifter {
    weir_rtl_design *design;
    size_t least;
    child *child; /* of the module that is worked on */
    size_t capacity;
    steps first, other;
    weir_keeper keeper;
    weir_rtl_instance *gone; /* to be removed */
    size_t gone_count, gone_capacity;
    int64_t loops;
} lifter;

/* ---- how connections go on ---- */

static void add_step(steps *s, int64_t step) {
    s->step = weir_grow(s->step, &s->capacity, s->count + 1, sizeof *s->step);
    s->step[s->count++] = step;
}

static bool same_steps(const steps *a, const steps *b) {
    return a->count == b->count && memcmp(a->step, b->step, a->count * sizeof *a->step) == 0;
}

static bool constant_of(const weir_rtl_design *design, weir_rtl_expr expr, int64_t *value) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    if (info.kind != WEIR_RTL_EXPR_CONSTANT || info.width > 32) return false;
    *value = (int64_t)info.words[0];
    return true;
}

/* The step between the indices of two elements; false when there is none that a constant could be. */
static bool match_index(const weir_rtl_design *design, weir_rtl_expr a, weir_rtl_expr b, steps *s) {
    int64_t from = 0, to = 0;
    const bool fixed = constant_of(design, a, &from) && constant_of(design, b, &to);
    add_step(s, to - from);
    return fixed || weir_same_expr(design, a, b);
}

static bool match(const weir_rtl_design *design, weir_rtl_expr a, weir_rtl_expr b, steps *s) {
    for (;;) {
        const weir_rtl_expr_info x = weir_rtl_get_expr(design, a), y = weir_rtl_get_expr(design, b);
        if (x.kind != y.kind || x.width != y.width || x.is_signed != y.is_signed || x.carries != y.carries)
            return false;
        switch (x.kind) {
        case WEIR_RTL_EXPR_SLICE: add_step(s, (int64_t)y.low - (int64_t)x.low); break;
        case WEIR_RTL_EXPR_ELEMENT:
            if (!match_index(design, weir_rtl_operand(design, a, 1), weir_rtl_operand(design, b, 1), s)) return false;
            break;
        case WEIR_RTL_EXPR_FIELD:
            if (strcmp(x.field, y.field) != 0) return false;
            break;
        case WEIR_RTL_EXPR_CAST: break;
        default: return weir_same_expr(design, a, b);
        }
        a = weir_rtl_operand(design, a, 0);
        b = weir_rtl_operand(design, b, 0);
    }
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static bool same_overrides(const weir_rtl_design *design, weir_rtl_instance a, weir_rtl_instance b) {
    const weir_rtl_module module = weir_rtl_get_instance(design, a).module;
    const size_t count = weir_rtl_get_module(design, module).parameter_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_parameter parameter = weir_rtl_parameter_at(design, module, i);
        const weir_rtl_override x = weir_rtl_override_of(design, a, parameter);
        const weir_rtl_override y = weir_rtl_override_of(design, b, parameter);
        if (x.is_set != y.is_set || x.integer != y.integer || !same_text(x.text, y.text) ||
            (x.value.id != 0) != (y.value.id != 0) || (x.value.id != 0 && !weir_same_expr(design, x.value, y.value)))
            return false;
    }
    return true;
}

/* Does the port go on from one instance to the next as a loop could say it? */
static bool match_port(const lifter *l, weir_rtl_instance a, weir_rtl_instance b, weir_rtl_var port, steps *s) {
    const weir_rtl_connection x = weir_rtl_connection_of(l->design, a, port);
    const weir_rtl_connection y = weir_rtl_connection_of(l->design, b, port);
    const size_t before = s->count;
    if (x.value.id == 0 || y.value.id == 0) return x.is_open && y.is_open;
    if (!match(l->design, x.value, y.value, s)) return false;
    bool moves = weir_rtl_get_var(l->design, port).direction == WEIR_RTL_INPUT;
    for (size_t i = before; i < s->count; i++) moves = moves || s->step[i] != 0;
    return moves;
}

static bool match_instances(const lifter *l, weir_rtl_instance a, weir_rtl_instance b, steps *s) {
    const weir_rtl_item_info x = weir_rtl_get_item(l->design, WEIR_RTL_ITEM(a));
    const weir_rtl_item_info y = weir_rtl_get_item(l->design, WEIR_RTL_ITEM(b));
    const weir_rtl_module module = weir_rtl_get_instance(l->design, a).module;
    const size_t ports = weir_rtl_get_module(l->design, module).port_count;
    bool any = false;
    s->count = 0;
    if (x.attribute_count + y.attribute_count > 0 || !same_text(x.comment, y.comment) ||
        !same_overrides(l->design, a, b))
        return false;
    for (size_t i = 0; i < ports; i++)
        if (!match_port(l, a, b, weir_rtl_port_at(l->design, module, i), s)) return false;
    for (size_t i = 0; i < s->count; i++) any = any || s->step[i] != 0;
    return any;
}

/* ---- loops ---- */

/* offset + step * iterator */
static weir_rtl_expr index_expr(weir_rtl_design *design, weir_rtl_expr iterator, int64_t offset, int64_t step) {
    const weir_rtl_expr base = weir_rtl_constant_signed(design, 32, offset);
    const int64_t size = step < 0 ? -step : step;
    if (size != 1)
        iterator = weir_rtl_binary(design, WEIR_RTL_MULTIPLY, iterator, weir_rtl_constant_signed(design, 32, size));
    if (step < 0) return weir_rtl_binary(design, WEIR_RTL_SUBTRACT, base, iterator);
    return offset == 0 ? iterator : weir_rtl_binary(design, WEIR_RTL_ADD, iterator, base);
}

/* The connection inside the loop; takes the steps of its parts. Recursion is bounded by the depth of expressions. */
static weir_rtl_expr lift(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_expr iterator, const int64_t **step) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    const bool moves = info.kind == WEIR_RTL_EXPR_SLICE || info.kind == WEIR_RTL_EXPR_ELEMENT;
    const int64_t own = moves ? *(*step)++ : 0;
    if (!moves && info.kind != WEIR_RTL_EXPR_FIELD && info.kind != WEIR_RTL_EXPR_CAST) return expr;
    const weir_rtl_expr inner = weir_rtl_operand(design, expr, 0), base = lift(design, inner, iterator, step);
    int64_t offset = info.low;
    if (own == 0 && base.id == inner.id) return expr;
    switch (info.kind) {
    case WEIR_RTL_EXPR_SLICE:
        if (own == 0) return weir_rtl_slice(design, base, info.low + info.width - 1, info.low);
        return weir_rtl_select(design, base, index_expr(design, iterator, offset, own), info.width);
    case WEIR_RTL_EXPR_ELEMENT:
        if (own == 0) return weir_rtl_element(design, base, weir_rtl_operand(design, expr, 1));
        constant_of(design, weir_rtl_operand(design, expr, 1), &offset);
        return weir_rtl_element(design, base, index_expr(design, iterator, offset, own));
    case WEIR_RTL_EXPR_FIELD: return weir_rtl_field(design, base, info.field);
    default: break;
    }
    if (info.is_signed != weir_rtl_get_expr(design, base).is_signed)
        return info.is_signed ? weir_rtl_as_signed(design, base) : weir_rtl_as_unsigned(design, base);
    return weir_rtl_as(design, base, info.carries);
}

/* What the names of the instances begin with, without numbers at its end; u_MODULE when that is nothing. A variable of
 * the module has another name than the instance, since Verilator warns of that. */
static char *common_name(const weir_rtl_design *design, const child *children, size_t count) {
    const char *name = weir_rtl_get_instance(design, children[0].instance).name;
    size_t size = strlen(name);
    for (size_t i = 1; i < count; i++) {
        const char *other = weir_rtl_get_instance(design, children[i].instance).name;
        size_t same = 0;
        while (same < size && name[same] == other[same]) same++;
        size = same;
    }
    while (size > 0 && strchr("0123456789_", name[size - 1]) != NULL) size--;
    if (size == 0) return weir_format("u_%s", weir_rtl_get_module(design, children[0].module).name);
    char *common = weir_format("%.*s", (int)size, name);
    if (weir_rtl_find_var(design, children[0].module, common).id == 0) return common;
    free(common);
    return weir_format("u_%.*s", (int)size, name);
}

static bool reconnect(lifter *l, weir_rtl_instance instance, weir_rtl_expr iterator) {
    const weir_rtl_module module = weir_rtl_get_instance(l->design, instance).module;
    const size_t ports = weir_rtl_get_module(l->design, module).port_count;
    const int64_t *step = l->first.step;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var port = weir_rtl_port_at(l->design, module, i);
        const weir_rtl_expr old = weir_rtl_connection_of(l->design, instance, port).value;
        if (old.id == 0) continue;
        const weir_rtl_expr value = lift(l->design, old, iterator, &step);
        if (value.id == 0) return false;
        if (value.id == old.id) continue;
        weir_rtl_disconnect(l->design, instance, port);
        weir_rtl_connect(l->design, instance, weir_rtl_get_var(l->design, port).name, value);
    }
    return true;
}

static bool make_loop(lifter *l, const child *children, size_t count) {
    const weir_rtl_instance first = children[0].instance;
    const weir_rtl_instance_info info = weir_rtl_get_instance(l->design, first);
    const weir_rtl_block body = weir_rtl_get_module(l->design, info.parent).body;
    char *name = common_name(l->design, children, count), *wanted = weir_format("%s_i", name);
    const weir_rtl_var iterator =
        weir_rtl_add_iterator(l->design, info.parent, weir_rtl_free_name(l->design, info.parent, wanted));
    const weir_rtl_block inside = weir_rtl_add_for(l->design, body, iterator, 0, (int64_t)count, 1);
    const weir_rtl_stmt loop = weir_rtl_owner(l->design, inside), none = {0};
    weir_rtl_copy_location(l->design, WEIR_RTL_ITEM(first), WEIR_RTL_ITEM(iterator));
    weir_rtl_copy_location(l->design, WEIR_RTL_ITEM(first), WEIR_RTL_ITEM(loop));
    bool fine = weir_rtl_move_stmt(l->design, loop, body, info.stmt) &&
                weir_rtl_move_stmt(l->design, info.stmt, inside, none) &&
                reconnect(l, first, weir_rtl_read(l->design, iterator)) &&
                weir_rtl_rename(l->design, WEIR_RTL_ITEM(first), weir_rtl_free_name(l->design, info.parent, name));
    weir_rtl_touch(l->design, WEIR_RTL_ITEM(first));
    for (size_t i = 1; i < count; i++) {
        l->gone = weir_grow(l->gone, &l->gone_capacity, l->gone_count + 1, sizeof *l->gone);
        l->gone[l->gone_count++] = children[i].instance;
    }
    l->loops++;
    free(name);
    free(wanted);
    return fine;
}

/* ---- modules ---- */

/* Instances of one module, in order: the longest runs from the front. */
static bool lift_runs(lifter *l, const child *children, size_t count) {
    for (size_t i = 0, size; i + 1 < count; i += size) {
        size = 1;
        if (match_instances(l, children[i].instance, children[i + 1].instance, &l->first)) size++;
        while (size > 1 && i + size < count &&
               match_instances(l, children[i + size - 1].instance, children[i + size].instance, &l->other) &&
               same_steps(&l->first, &l->other))
            size++;
        if (size < 2) continue;
        if (size >= l->least && !make_loop(l, children + i, size)) return false;
        if (size < l->least) size--; /* the last one may go on to the next one in another way */
    }
    return true;
}

static int compare_children(const void *a, const void *b) {
    const child *x = a, *y = b;
    if (x->module.id != y->module.id) return x->module.id < y->module.id ? -1 : 1;
    return x->instance.id < y->instance.id ? -1 : x->instance.id > y->instance.id;
}

/* The connected instances in the module's body, those of one module together in order of creation. */
static size_t collect(lifter *l, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(l->design, module);
    size_t count = 0;
    for (size_t i = 0; i < info.instance_count; i++) {
        const weir_rtl_instance instance = weir_rtl_instance_at(l->design, module, i);
        const weir_rtl_instance_info found = weir_rtl_get_instance(l->design, instance);
        if (found.is_wired || weir_keeps_instance(&l->keeper, instance) ||
            weir_rtl_get_stmt(l->design, found.stmt).block.id != info.body.id)
            continue;
        l->child = weir_grow(l->child, &l->capacity, count + 1, sizeof *l->child);
        l->child[count++] = (child){found.module, instance};
    }
    if (count > 1) qsort(l->child, count, sizeof *l->child, compare_children);
    return count;
}

static bool lift_module(lifter *l, weir_rtl_module module) {
    if (weir_rtl_get_module(l->design, module).instance_count < l->least) return true;
    const size_t count = collect(l, module);
    bool fine = true;
    l->gone_count = 0;
    for (size_t from = 0, to; fine && from < count; from = to) {
        for (to = from; to < count && l->child[to].module.id == l->child[from].module.id;) to++;
        fine = lift_runs(l, l->child + from, to - from);
    }
    for (size_t i = l->gone_count; i-- > 0;) weir_rtl_remove_instance(l->design, l->gone[i]);
    return fine;
}

bool weir_pass_lift_genvar_instances(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    lifter l = {.design = design, .least = (size_t)weir_pass_int(pass, "least"), .keeper = {.design = design}};
    bool fine = modules != NULL;
    for (size_t i = 0; fine && i < count; i++) fine = lift_module(&l, modules[i]);
    if (fine && l.loops == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "loops made", l.loops);
    weir_keeper_free(&l.keeper);
    free(l.child);
    free(l.first.step);
    free(l.other.step);
    free(l.gone);
    free(modules);
    return fine && weir_rtl_errors(design) == 0;
}
