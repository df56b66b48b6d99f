/* Combinational loops: strongly connected parts of the graph of each module, children first, so that instances are
 * known by their paths. Modules whose statements are not simply in order are looked at; first what is assigned together
 * is one node; where that finds a loop, the module and all below it are looked at bit by bit, and what is left is a
 * loop. Linear, without recursion; sets of inputs cost a word a node for each 64 of them. */
#include "rtlir/analysis/loops.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/topological_order_private.h"
#include "rtlir/core/visitor.h"
#include "support/memory/hash.h"

/* Of a module with more inputs times outputs, paths are known by what is assigned together, not by bits. */
enum { MAX_PATHS = 1 << 18 };

typedef struct step {
    uint32_t node, edge; /* the next edge of the node to follow */
} step;

typedef struct search {
    weir_rtl_design *design;
    rtl_graph graph;
    rtl_paths paths;
    uint32_t top, module;
    /* Edges by where they come from: first[node] to first[node + 1]. */
    rtl_edge *out;
    uint32_t *first;
    size_t out_capacity, first_capacity;
    /* Parts: by node its part, counted from 1, in the order in which Tarjan's algorithm leaves them: what depends on
     * others comes before them. */
    uint32_t *part, *low, *index, *order, *stack;
    step *path;
    size_t part_capacity, low_capacity, index_capacity, order_capacity, stack_capacity, path_capacity;
    uint32_t parts;
    bool *is_loop; /* by part */
    size_t is_loop_capacity;
    uint64_t *set; /* by part: inputs that it depends on */
    size_t set_capacity;
    uint32_t *input, *output; /* cells */
    size_t input_count, input_capacity, output_count, output_capacity;
    uint32_t *table, *next; /* outputs by their sets, and those of the same set */
    size_t table_capacity, next_capacity;
    uint32_t *came_by; /* by node: the edge that a path from the start came by, plus 1 */
    size_t came_by_capacity;
    weir_rtl_step *step;
    size_t step_count, step_capacity;
    weir_rtl_loop loop; /* found, not yet reported */
    weir_rtl_loop_visitor *visit;
    void *user;
} search;

/* ---- strongly connected parts ---- */

static void sort_edges(search *s) {
    const rtl_graph *g = &s->graph;
    s->first = weir_grow(s->first, &s->first_capacity, g->nodes + (size_t)2, sizeof *s->first);
    s->out = weir_grow(s->out, &s->out_capacity, g->edge_count + 1, sizeof *s->out);
    memset(s->first, 0, (g->nodes + (size_t)2) * sizeof *s->first);
    for (size_t i = 0; i < g->edge_count; i++) s->first[g->edge[i].from + 2]++;
    for (uint32_t n = 0; n < g->nodes; n++) s->first[n + 1] += s->first[n];
    for (size_t i = 0; i < g->edge_count; i++) s->out[s->first[g->edge[i].from + 1]++] = g->edge[i];
}

static void grow_parts(search *s) {
    size_t nodes = s->graph.nodes;
    s->part = weir_grow(s->part, &s->part_capacity, nodes, sizeof *s->part);
    s->low = weir_grow(s->low, &s->low_capacity, nodes, sizeof *s->low);
    s->index = weir_grow(s->index, &s->index_capacity, nodes, sizeof *s->index);
    s->order = weir_grow(s->order, &s->order_capacity, nodes, sizeof *s->order);
    s->stack = weir_grow(s->stack, &s->stack_capacity, nodes, sizeof *s->stack);
    s->path = weir_grow(s->path, &s->path_capacity, nodes, sizeof *s->path);
    s->is_loop = weir_grow(s->is_loop, &s->is_loop_capacity, nodes + 1, sizeof *s->is_loop);
    memset(s->part, 0, nodes * sizeof *s->part);
    memset(s->index, 0, nodes * sizeof *s->index);
    s->parts = 0;
}

/* The nodes on the stack down to this one are a part. */
static size_t close_part(search *s, uint32_t node, size_t depth, size_t *ordered) {
    uint32_t number = ++s->parts, member;
    size_t top = depth;
    do {
        member = s->stack[--depth];
        s->part[member] = number;
        s->order[(*ordered)++] = member;
    } while (member != node);
    s->is_loop[number] = top - depth > 1;
    for (uint32_t e = s->first[node]; e < s->first[node + 1]; e++)
        s->is_loop[number] = s->is_loop[number] || s->out[e].to == node;
    return depth;
}

static void find_parts(search *s) {
    uint32_t visited = 0;
    size_t waiting = 0, ordered = 0;
    grow_parts(s);
    for (uint32_t root = 1; root < s->graph.nodes; root++) {
        size_t depth = 0;
        if (s->index[root]) continue;
        s->path[depth++] = (step){root, s->first[root]};
        s->index[root] = s->low[root] = ++visited;
        s->stack[waiting++] = root;
        while (depth > 0) {
            step *at = &s->path[depth - 1];
            uint32_t node = at->node;
            if (at->edge < s->first[node + 1]) {
                uint32_t to = s->out[at->edge++].to;
                if (!s->index[to]) {
                    s->index[to] = s->low[to] = ++visited;
                    s->stack[waiting++] = to;
                    s->path[depth++] = (step){to, s->first[to]};
                } else if (!s->part[to] && s->index[to] < s->low[node]) {
                    s->low[node] = s->index[to];
                }
                continue;
            }
            if (s->low[node] == s->index[node]) waiting = close_part(s, node, waiting, &ordered);
            depth--;
            uint32_t around = depth > 0 ? s->path[depth - 1].node : 0;
            if (around && s->low[node] < s->low[around]) s->low[around] = s->low[node];
        }
    }
}

/* ---- paths from inputs to outputs ---- */

/* Cells of inputs on which something depends, cells of outputs; those of inout ports are both. */
static void list_ports(search *s) {
    const rtl_graph *g = &s->graph;
    const rtl_ids *ports = &s->design->module[s->module].ports;
    s->input_count = s->output_count = 0;
    for (size_t i = 0; i < ports->count; i++) {
        weir_rtl_direction direction = s->design->var[ports->id[i]].direction;
        uint32_t net = g->numbering.position[ports->id[i]];
        for (uint32_t c = g->cells.first[net]; c < g->cells.first[net + 1]; c++) {
            if (direction != WEIR_RTL_OUTPUT && s->first[c + 1] < s->first[c + 2]) {
                s->input = weir_grow(s->input, &s->input_capacity, s->input_count + 1, sizeof *s->input);
                s->input[s->input_count++] = c;
            }
            if (direction != WEIR_RTL_INPUT) {
                s->output = weir_grow(s->output, &s->output_capacity, s->output_count + 1, sizeof *s->output);
                s->output[s->output_count++] = c;
            }
        }
    }
}

/* Sets go from parts to what depends on them. */
static void spread_inputs(search *s, size_t words) {
    size_t size = (s->parts + (size_t)1) * words;
    s->set = weir_grow(s->set, &s->set_capacity, size, sizeof *s->set);
    memset(s->set, 0, size * sizeof *s->set);
    for (size_t i = 0; i < s->input_count; i++)
        s->set[s->part[s->input[i] + 1] * words + i / 64] |= UINT64_C(1) << i % 64;
    for (size_t i = s->graph.nodes - (size_t)1; i-- > 0;) {
        uint32_t node = s->order[i];
        const uint64_t *from = s->set + s->part[node] * words;
        for (uint32_t e = s->first[node]; e < s->first[node + 1]; e++) {
            uint64_t *to = s->set + s->part[s->out[e].to] * words;
            for (size_t w = 0; to != from && w < words; w++) to[w] |= from[w];
        }
    }
    for (size_t i = 0; i < s->input_count; i++) { /* what an inout port drives is not what it reads */
        const uint32_t port = s->graph.numbering.net[s->graph.cells.cell[s->input[i]].net].var;
        if (s->design->var[port].direction == WEIR_RTL_INOUT)
            s->set[s->part[s->input[i] + 1] * words + i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

/* Appends a range, or makes the last one of the group longer. */
static void add_range(search *s, uint32_t group, size_t since, uint32_t cell, bool is_output) {
    const rtl_cell *c = &s->graph.cells.cell[cell];
    uint32_t port = s->graph.numbering.net[c->net].var;
    rtl_path *last = s->paths.count > since ? &s->paths.path[s->paths.count - 1] : NULL;
    if (last && last->port == port && last->is_output == is_output && last->low + last->width == c->low) {
        last->width += c->width;
        return;
    }
    s->paths.path = weir_grow(s->paths.path, &s->paths.capacity, s->paths.count + 1, sizeof *s->paths.path);
    s->paths.path[s->paths.count++] = (rtl_path){group, port, c->low, c->width, is_output};
}

static bool is_empty(const uint64_t *set, size_t words) {
    for (size_t w = 0; w < words; w++)
        if (set[w]) return false;
    return true;
}

/* Chains the outputs of the same set: the first one of each set is in the table. */
static void group_outputs(search *s, size_t words) {
    size_t slots = 8;
    while (slots < 2 * s->output_count) slots *= 2;
    s->table = weir_grow(s->table, &s->table_capacity, slots, sizeof *s->table);
    s->next = weir_grow(s->next, &s->next_capacity, 2 * s->output_count, sizeof *s->next);
    memset(s->table, 0, slots * sizeof *s->table);
    uint32_t *last = s->next + s->output_count; /* by the first one of a set */
    for (uint32_t i = 0; i < s->output_count; i++) {
        const uint64_t *set = s->set + s->part[s->output[i] + 1] * words;
        weir_hash hash = weir_hash_start();
        weir_hash_add(&hash, set, words * sizeof *set);
        size_t at = (size_t)hash.low & (slots - 1);
        s->next[i] = UINT32_MAX;
        last[i] = i;
        while (s->table[at] &&
               memcmp(set, s->set + s->part[s->output[s->table[at] - 1] + 1] * words, words * sizeof *set) != 0)
            at = (at + 1) & (slots - 1);
        if (!s->table[at]) {
            s->table[at] = i + 1;
            continue;
        }
        s->next[last[s->table[at] - 1]] = i;
        last[s->table[at] - 1] = i;
        last[i] = UINT32_MAX; /* no first one */
    }
}

static void keep_paths(search *s) {
    size_t words = (s->input_count + 63) / 64;
    uint32_t group = 0;
    s->paths.first[s->module] = (uint32_t)s->paths.count;
    if (s->input_count > 0 && s->output_count > 0) {
        spread_inputs(s, words);
        group_outputs(s, words);
    }
    for (uint32_t i = 0; s->input_count > 0 && i < s->output_count; i++) {
        const uint64_t *set = s->set + s->part[s->output[i] + 1] * words;
        size_t since = s->paths.count;
        if (s->next[s->output_count + i] == UINT32_MAX || is_empty(set, words)) continue;
        for (size_t k = 0; k < s->input_count; k++)
            if (set[k / 64] >> k % 64 & 1) add_range(s, group, since, s->input[k], false);
        for (uint32_t k = i; k != UINT32_MAX; k = s->next[k]) add_range(s, group, since, s->output[k], true);
        group++;
    }
    s->paths.end[s->module] = (uint32_t)s->paths.count;
}

/* ---- telling of loops ---- */

static void tell(search *s) {
    if (!s->loop.step_count) return;
    s->loop.step = s->step;
    s->visit(&s->loop, s->user);
    s->loop.step_count = 0;
}

/* A shortest path from the node back to itself: the edge that it ends with; `came_by` leads along it. */
static uint32_t find_way(search *s, uint32_t start) {
    size_t from = 0, end = 0;
    s->came_by = weir_grow(s->came_by, &s->came_by_capacity, s->graph.nodes, sizeof *s->came_by);
    for (s->stack[end++] = start; from < end;) {
        uint32_t node = s->stack[from++];
        for (uint32_t e = s->first[node]; e < s->first[node + 1]; e++) {
            uint32_t to = s->out[e].to;
            if (to == start) return e;
            if (s->part[to] != s->part[start] || s->index[to] == 0) continue;
            s->index[to] = 0; /* seen */
            s->came_by[to] = e;
            s->stack[end++] = to;
        }
    }
    return 0;
}

static weir_rtl_step step_of(const search *s, uint32_t node, uint32_t stmt) {
    const rtl_cell *cell = &s->graph.cells.cell[node - 1];
    const rtl_net *net = &s->graph.numbering.net[cell->net];
    return (weir_rtl_step){{{net->var}, {net->instance}}, cell->low, cell->width, {stmt}};
}

/* The steps of a loop, from the node on: those that are cells, each with the statement that makes it depend on the one
 * before. */
static void find_steps(search *s, uint32_t start, uint32_t last) {
    uint32_t cells = (uint32_t)s->graph.cells.count;
    s->step_count = 0;
    for (uint32_t e = last, node = start;; e = s->came_by[node]) {
        if (node <= cells) {
            s->step = weir_grow(s->step, &s->step_capacity, s->step_count + 1, sizeof *s->step);
            s->step[s->step_count++] = step_of(s, node, s->out[e].stmt);
        }
        node = s->out[e].from;
        if (node == start) break;
    }
    for (size_t i = 1, k = s->step_count - 1; i < k; i++, k--) {
        weir_rtl_step other = s->step[i];
        s->step[i] = s->step[k];
        s->step[k] = other;
    }
}

/* Loops of neighbouring bits that start with one statement are one. */
static void tell_loop(search *s, uint32_t start) {
    uint32_t last = find_way(s, start);
    weir_rtl_step first = step_of(s, start, s->out[last].stmt);
    weir_rtl_loop *loop = &s->loop;
    bool continues = loop->step_count > 0 && loop->net.var.id == first.net.var.id &&
                     loop->net.instance.id == first.net.instance.id && loop->low + loop->width == first.low &&
                     s->step[0].stmt.id == first.stmt.id;
    if (continues) {
        loop->width += first.width;
        return;
    }
    tell(s);
    find_steps(s, start, last);
    *loop = (weir_rtl_loop){{s->module}, first.net, first.low, first.width, NULL, s->step_count};
}

static void tell_loops(search *s) {
    for (uint32_t node = 1; node <= s->graph.cells.count; node++) {
        if (!s->is_loop[s->part[node]]) continue;
        s->is_loop[s->part[node]] = false;
        tell_loop(s, node);
    }
    tell(s);
}

/* ---- modules ---- */

static bool has_loop(const search *s) {
    for (uint32_t p = 1; p <= s->parts; p++)
        if (s->is_loop[p]) return true;
    return false;
}

static void look_at(search *s, uint32_t module, bool by_bit) {
    s->module = module;
    rtl_build_graph(&s->graph, module, by_bit);
    sort_edges(s);
    find_parts(s);
    list_ports(s);
    bool is_large = by_bit && (uint64_t)s->input_count * s->output_count > MAX_PATHS;
    if (module != s->top && !is_large) keep_paths(s);
}

/* Marks the modules below those that are marked; order: children first. */
static void mark_below(const weir_rtl_design *design, const weir_rtl_module *modules, size_t count, bool *is_marked) {
    for (size_t i = count; i-- > 0;) {
        const rtl_ids *instances = &design->module[modules[i].id].instances;
        for (size_t k = 0; is_marked[modules[i].id] && k < instances->count; k++)
            is_marked[design->instance[instances->id[k]].module] = true;
    }
}

static void look_at_all(search *s, const weir_rtl_module *modules, size_t count) {
    bool *is_marked = weir_calloc(s->design->module_count, sizeof *is_marked);
    bool found = false;
    rtl_order order = {0};
    rtl_order_start(&order, s->design);
    for (size_t i = 0; i < count; i++) {
        if (s->design->module[modules[i].id].is_external) continue;
        if (rtl_is_topological(&order, modules[i].id, &s->paths)) continue;
        look_at(s, modules[i].id, false);
        is_marked[modules[i].id] = has_loop(s);
        found = found || is_marked[modules[i].id];
    }
    rtl_order_end(&order);
    if (found) mark_below(s->design, modules, count, is_marked);
    for (size_t i = 0; found && i < count; i++) {
        if (!is_marked[modules[i].id] || s->design->module[modules[i].id].is_external) continue;
        look_at(s, modules[i].id, true);
        tell_loops(s);
    }
    free(is_marked);
}

static void end_search(search *s) {
    void *const tables[] = {s->out,     s->first,   s->part,       s->low,         s->index,    s->order, s->stack,
                            s->path,    s->is_loop, s->set,        s->input,       s->output,   s->table, s->next,
                            s->came_by, s->step,    s->paths.path, s->paths.first, s->paths.end};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]);
    rtl_graph_end(&s->graph);
}

bool weir_rtl_find_loops(weir_rtl_design *design, weir_rtl_module top, weir_rtl_loop_visitor *visit, void *user) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    if (!modules) return false;
    search s = {.design = design, .top = top.id, .visit = visit, .user = user};
    s.graph.design = design;
    s.graph.paths = &s.paths;
    s.paths.first = weir_calloc(design->module_count, sizeof *s.paths.first);
    s.paths.end = weir_calloc(design->module_count, sizeof *s.paths.end);
    look_at_all(&s, modules, count);
    end_search(&s);
    free(modules);
    return true;
}
