/* Nets of a module and the cells that they are cut into. */
#include <stdlib.h>

#include "rtlir/analysis/cells_private.h"

/* ---- nets ---- */

static void add_net(rtl_numbering *n, uint32_t var, uint32_t instance, uint32_t width) {
    n->net = weir_grow(n->net, &n->capacity, n->count + 1, sizeof *n->net);
    n->net[n->count++] = (rtl_net){var, instance, width};
}

/* Ports of an instance, by slot; those that were removed have no bits. */
static void add_ports(rtl_numbering *n, uint32_t id) {
    const weir_rtl_design *design = n->design;
    const rtl_instance *instance = &design->instance[id];
    const rtl_module *module = &design->module[instance->module];
    size_t base = n->count;
    n->base[id] = (uint32_t)base;
    for (uint32_t i = 0; i < module->port_slots; i++) add_net(n, 0, id, 0);
    rtl_value *parameters = rtl_evaluate_parameters(design, instance->module, instance);
    for (size_t i = 0; i < module->ports.count; i++) {
        const char *problem = NULL;
        rtl_net *net = &n->net[base + design->var[module->ports.id[i]].slot];
        net->var = module->ports.id[i];
        net->width = rtl_port_width(design, net->var, parameters, &problem);
    }
    free(parameters);
}

void rtl_number_nets(rtl_numbering *n, const weir_rtl_design *design, uint32_t module) {
    assert(module < design->module_count);
    const rtl_module *record = &design->module[module];
    n->design = design;
    n->position = weir_grow(n->position, &n->position_capacity, design->var_count, sizeof *n->position);
    n->base = weir_grow(n->base, &n->base_capacity, design->instance_count, sizeof *n->base);
    n->count = 0;
    for (uint32_t v = record->first_var; v; v = design->var[v].next) {
        n->position[v] = (uint32_t)n->count;
        add_net(n, v, 0, design->var[v].width);
    }
    for (size_t i = 0; i < record->instances.count; i++)
        if (rtl_has_nets(&design->instance[record->instances.id[i]])) add_ports(n, record->instances.id[i]);
}

void rtl_numbering_end(rtl_numbering *n) {
    free(n->position);
    free(n->base);
    free(n->net);
}

uint32_t rtl_net_number(const rtl_numbering *n, uint32_t base) {
    assert(base < n->design->expr_count);
    const rtl_expr *e = &n->design->expr[base];
    if (e->kind == WEIR_RTL_EXPR_VAR) return n->position[e->a];
    return n->base[e->a] + n->design->var[e->b].slot;
}

/* ---- cells ---- */

static void cut(rtl_cells *c, uint32_t net, uint32_t at) {
    c->cut = weir_grow(c->cut, &c->cut_capacity, c->cut_count + 1, sizeof *c->cut);
    c->cut[c->cut_count++] = (rtl_cut){net, at};
}

void rtl_cut_cells(rtl_cells *c, const rtl_numbering *n, uint32_t net, uint32_t low, uint32_t width) {
    if (width == 0) return;
    if (low > 0) cut(c, net, low);
    if (low + width < n->net[net].width) cut(c, net, low + width);
}

static int by_place(const void *a, const void *b) {
    const rtl_cut *x = a, *y = b;
    if (x->net != y->net) return x->net < y->net ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void add_cell(rtl_cells *c, uint32_t net, uint32_t low, uint32_t end) {
    if (low >= end) return;
    c->cell = weir_grow(c->cell, &c->capacity, c->count + 1, sizeof *c->cell);
    c->cell[c->count++] = (rtl_cell){net, low, end - low};
}

void rtl_make_cells(rtl_cells *c, const rtl_numbering *n, bool by_bit) {
    size_t next = 0;
    if (c->cut_count > 1) qsort(c->cut, c->cut_count, sizeof *c->cut, by_place);
    c->first = weir_grow(c->first, &c->first_capacity, n->count + 1, sizeof *c->first);
    c->count = 0;
    for (uint32_t net = 0; net < n->count; net++) {
        uint32_t low = 0;
        c->first[net] = (uint32_t)c->count;
        for (; by_bit && low < n->net[net].width; low++) add_cell(c, net, low, low + 1);
        for (; next < c->cut_count && c->cut[next].net == net; next++) {
            if (c->cut[next].at <= low || c->cut[next].at >= n->net[net].width) continue;
            add_cell(c, net, low, c->cut[next].at);
            low = c->cut[next].at;
        }
        add_cell(c, net, low, n->net[net].width);
    }
    c->first[n->count] = (uint32_t)c->count;
    c->cut_count = 0;
}

void rtl_cells_end(rtl_cells *c) {
    free(c->cut);
    free(c->cell);
    free(c->first);
}

int rtl_by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t rtl_cell_at(const rtl_cells *c, uint32_t net, uint32_t low) {
    uint32_t from = c->first[net];
    uint32_t end = c->first[net + 1];
    while (end - from > 1) {
        uint32_t middle = from + (end - from) / 2;
        if (c->cell[middle].low <= low) from = middle;
        else end = middle;
    }
    return from;
}

/* ---- targets ---- */

static uint32_t visit_target(const rtl_unroll *walk, const rtl_numbering *n, uint32_t expr, uint32_t offset,
                             rtl_target_visitor *visit, void *user) {
    assert(expr < n->design->expr_count);
    rtl_target target = {.bits = rtl_locate_now(walk, expr), .expr = expr, .offset = offset};
    target.width = n->design->expr[expr].width;
    target.net = rtl_net_number(n, target.bits.base);
    visit(&target, user);
    return offset + target.width;
}

void rtl_visit_targets(const rtl_unroll *walk, const rtl_numbering *n, uint32_t expr, rtl_target_visitor *visit,
                       void *user) {
    const weir_rtl_design *design = n->design;
    uint32_t *stack = NULL;
    uint32_t offset = 0;
    size_t depth = 1, capacity = 0;
    if (design->expr[expr].kind != WEIR_RTL_EXPR_CONCAT) {
        visit_target(walk, n, expr, 0, visit, user);
        return;
    }
    stack = weir_grow(stack, &capacity, 1, sizeof *stack);
    stack[0] = expr;
    while (depth > 0) {
        const rtl_expr *e = &design->expr[stack[--depth]];
        if (e->kind != WEIR_RTL_EXPR_CONCAT) {
            offset = visit_target(walk, n, stack[depth], offset, visit, user);
            continue;
        }
        stack = weir_grow(stack, &capacity, depth + e->b, sizeof *stack);
        for (uint32_t i = 0; i < e->b; i++) stack[depth++] = design->operand[e->a + i];
    }
    free(stack);
}
