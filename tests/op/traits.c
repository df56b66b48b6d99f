/* Facts of ir/graph/op.def against what kernels do: traits_op ROOT, ROOT being tests/op. Every node of an operator in a
 * case of its folder is computed again with inputs that are changed, and what that shows must not contradict the row;
 * and a row that claims more than it does (that is every change of one that would let a pass go wrong) must be
 * contradicted by some case. Exit status 0 or 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph_case.h"
#include "exec/kernel.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/shape/loop.h"
#include "ir/trait/trait.h"
#include "op/case.h"
#include "op/subject.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { MOST_INPUTS = 16, STEPS = 12, PLACES = 12 };

/* What was seen of an operator that a claim would deny. */
typedef struct evidence {
    size_t nodes;
    bool elsewhere;                    /* an element of the result depends on one at another place */
    bool both_ways;                    /* a result went up and down while an input went up */
    bool rises, falls;                 /* a result went up, one went down */
    bool computed;                     /* an element of the result is none of the inputs' */
    bool other_map;                    /* the map of the row gives something else */
    bool has_map;                      /* there is one for some node */
    bool multiplies, reduces, is_real; /* its nest does; input 0 is of real numbers */
    bool no_share, no_position;        /* output 0 is not of numbers from 0 to 1, and none of integers */
    bool mixed;                        /* two frames at once are not two results */
    bool sizes; /* an input that must be a constant is computed, or inference refuses that of another one */
} evidence;

/* A node with the arrays that it takes and gives. */
typedef struct trial {
    const weir_graph *graph;
    weir_node node;
    size_t inputs, outputs;
    const weir_array *input[MOST_INPUTS];
    weir_array *output[MOST_INPUTS];
} trial;

static weir_array **run(const trial *t, size_t changed, const weir_array *with) {
    const weir_array *input[MOST_INPUTS] = {NULL};
    weir_array **output = weir_calloc(t->outputs + 1, sizeof *output);
    for (size_t i = 0; i < t->inputs; i++) input[i] = i == changed ? with : t->input[i];
    for (size_t i = 0; i < t->outputs; i++) output[i] = weir_array_new(t->output[i]->dtype, &t->output[i]->shape);
    weir_kernel_run(t->graph, t->node, input, output);
    return output;
}

static void free_all(weir_array **array, size_t count) {
    for (size_t i = 0; i < count; i++) weir_array_free(array[i]);
    free(array);
}

static bool differs(const weir_array *a, const weir_array *b, size_t i) {
    const size_t size = weir_dtype_size(a->dtype);
    return memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size) != 0;
}

/* Does element i of the result stand where element `place` of the operand does, which is broadcast? */
static bool is_at(const weir_shape *operand, size_t place, const weir_shape *result, size_t i) {
    size_t at = 0, stride = 1, rest = i;
    for (int d = result->rank - 1; d >= 0; d--) {
        const int own = d - result->rank + operand->rank;
        const size_t index = rest % (size_t)result->dim[d];
        rest /= (size_t)result->dim[d];
        if (own < 0) continue;
        if (operand->dim[own] != 1) at += index * stride;
        stride *= (size_t)operand->dim[own];
    }
    return at == place;
}

static void move_element(weir_array *x, size_t place, double by) {
    double low = -INFINITY, high = INFINITY, v = weir_array_get(x, place) + by;
    if (!weir_dtype_is_float(x->dtype)) {
        int64_t least, most;
        weir_dtype_limits(x->dtype, &least, &most);
        low = (double)least;
        high = (double)most;
    }
    weir_array_set(x, place, v < low || v > high ? weir_array_get(x, place) - by : v);
}

/* Codes stay in the range that their type states, which tables are made for. */
static void keep_range(const trial *t, size_t operand, weir_array *x) {
    const weir_type *type = weir_value_type(t->graph, weir_node_input(t->graph, t->node, operand));
    for (size_t i = 0; type->has_range && !weir_dtype_is_float(x->dtype) && i < x->count; i++) {
        const int64_t v = weir_array_get_int(x, i);
        weir_array_set_int(x, i, v < type->low ? type->low : v > type->high ? type->high : v);
    }
}

/* One element of an operand changes: does any result elsewhere? */
static void look_elsewhere(const trial *t, size_t operand, evidence *e) {
    const weir_array *x = t->input[operand], *y = t->output[0];
    for (size_t n = 0; n < PLACES && n < x->count; n++) {
        const size_t place = n * x->count / (x->count < PLACES ? x->count : PLACES);
        weir_array *changed = weir_array_copy(x);
        move_element(changed, place, n % 2 == 0 ? 3 : -2);
        keep_range(t, operand, changed);
        weir_array **now = run(t, operand, changed);
        for (size_t i = 0; i < y->count; i++)
            e->elsewhere |= differs(now[0], y, i) && !is_at(&x->shape, place, &y->shape, i);
        free_all(now, t->outputs);
        weir_array_free(changed);
    }
}

static bool has_negative_parameters(const trial *t) {
    bool any = false;
    for (size_t i = 1; i < t->inputs; i++)
        for (size_t k = 0; t->input[i] != NULL && k < t->input[i]->count; k++)
            any |= weir_array_get(t->input[i], k) < 0;
    for (size_t i = 0; i < weir_node_attribute_count(t->graph, t->node); i++) {
        const weir_attribute *attribute = weir_node_attribute_at(t->graph, t->node, i);
        any |= attribute->kind == WEIR_ATTRIBUTE_FLOAT && !(attribute->as.f >= 0);
    }
    return any;
}

/* The code of a step, of those that the type has. */
static int64_t code_of_step(weir_dtype dtype, int step) {
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    const int64_t code = weir_dtype_is_signed(dtype) ? step : step + STEPS;
    return code < low ? low : code > high ? high : code;
}

/* All elements of input 0 go up in steps, from far below to far above: does each result go up, or each down? */
static void look_both_ways(const trial *t, evidence *e) {
    const weir_array *x = t->input[0], *y = t->output[0];
    if (has_negative_parameters(t)) return;
    weir_array *before = weir_array_copy(y);
    signed char *way = weir_calloc(y->count + 1, sizeof *way);
    for (int step = -STEPS; step <= STEPS; step++) {
        weir_array *moved = weir_array_new(x->dtype, &x->shape);
        for (size_t i = 0; i < x->count; i++)
            if (weir_dtype_is_float(x->dtype)) weir_array_set(moved, i, step * 0.75 + (double)(i % 3) * 0.2);
            else weir_array_set_int(moved, i, code_of_step(x->dtype, step));
        keep_range(t, 0, moved);
        weir_array **now = run(t, 0, moved);
        for (size_t i = 0; i < y->count; i++) {
            const double was = weir_array_get(before, i), is = weir_array_get(now[0], i);
            const signed char way_now = step == -STEPS ? 0 : is > was ? 1 : is < was ? -1 : 0;
            e->both_ways |= isnan(is) || way[i] * way_now < 0;
            e->rises |= way_now > 0;
            e->falls |= way_now < 0;
            if (way_now != 0) way[i] = way_now;
            weir_array_set(before, i, is);
        }
        free_all(now, t->outputs);
        weir_array_free(moved);
    }
    free(way);
    weir_array_free(before);
}

static bool is_among(const trial *t, double v) {
    bool found = v == 0;
    for (size_t i = 0; i < t->inputs && !found; i++)
        for (size_t k = 0; t->input[i] != NULL && k < t->input[i]->count && !found; k++)
            found = fabs(weir_array_get(t->input[i], k)) == fabs(v);
    return found;
}

static void look_for_computed(const trial *t, evidence *e) {
    for (size_t o = 0; o < t->outputs; o++)
        for (size_t i = 0; i < t->output[o]->count; i++) {
            const double v = weir_array_get(t->output[o], i);
            e->computed |= !isnan(v) && !is_among(t, v);
        }
}

static void look_at_map(const trial *t, evidence *e) {
    weir_arena *arena = weir_arena_new();
    for (size_t o = 0; o < t->outputs; o++) {
        weir_index_map map;
        if (!weir_index_map_of_node(arena, t->graph, t->node, o, &map)) continue;
        e->has_map = true;
        weir_array *moved = weir_array_copy(t->output[o]);
        const weir_array *fill = weir_node_op(t->graph, t->node) == WEIR_OP_PAD ? t->input[2] : NULL;
        if (!weir_index_map_fills(&map) || weir_node_op(t->graph, t->node) != WEIR_OP_REORDER) {
            weir_index_map_apply(&map, t->input[0], fill, moved);
            e->other_map |= !weir_array_equal(moved, t->output[o]);
        }
        weir_array_free(moved);
    }
    weir_arena_free(arena);
}

/* The array twice, as frames one after the other. */
static weir_array *twice(const weir_array *array) {
    weir_shape shape = array->shape;
    shape.dim[0] *= 2;
    weir_array *both = weir_array_new(array->dtype, &shape);
    const size_t size = array->count * weir_dtype_size(array->dtype);
    memcpy(both->data, array->data, size);
    memcpy((char *)both->data + size, array->data, size);
    return both;
}

/* A node that takes several frames gives of two that are the same twice what it gives of one. */
static void look_at_frames(const trial *t, evidence *e) {
    if (!weir_kernel_is_joint(t->graph, t->node) || t->outputs != 1) return;
    const weir_array *input[MOST_INPUTS] = {NULL};
    weir_array *own[MOST_INPUTS] = {NULL}, *expected = twice(t->output[0]);
    for (size_t i = 0; i < t->inputs; i++) {
        const bool flows = t->input[i] != NULL && t->input[i]->shape.rank > 0 &&
                           weir_value_constant(t->graph, weir_node_input(t->graph, t->node, i)) == NULL;
        if (flows) own[i] = twice(t->input[i]);
        input[i] = flows ? own[i] : t->input[i];
    }
    weir_array *output = weir_array_new(expected->dtype, &expected->shape);
    weir_kernel_run(t->graph, t->node, input, &output);
    e->mixed |= !weir_array_equal(output, expected);
    weir_array_free(output);
    weir_array_free(expected);
    for (size_t i = 0; i < t->inputs; i++) weir_array_free(own[i]);
}

/* Would inference take the node with a computed operand there? */
static bool may_flow(const trial *t, size_t operand) {
    weir_graph *graph = weir_graph_copy(t->graph);
    const weir_value given = weir_node_input(graph, t->node, operand);
    const weir_value computed = weir_graph_add_input(graph, "computed", weir_value_type(graph, given));
    weir_node_set_input(graph, t->node, operand, computed);
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_infer_node(graph, t->node);
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_graph_free(graph);
    return fine;
}

static void look_at_sizes(const trial *t, evidence *e) {
    const weir_op op = weir_node_op(t->graph, t->node);
    for (size_t i = 0; i < t->inputs && weir_op_get(op)->class == WEIR_CLASS_TENSOR; i++) {
        const weir_value input = weir_node_input(t->graph, t->node, i);
        if (input.id == 0) continue;
        const bool flows = weir_value_constant(t->graph, input) == NULL, may = flows || may_flow(t, i);
        if (i >= weir_trait_of(op)->sizes ? flows : !may) {
            if (!e->sizes) fprintf(stderr, "%s: input %zu\n", weir_node_name(t->graph, t->node), i);
            e->sizes = true;
        }
    }
}

/* What the result might say about classes. */
static void look_at_meaning(const trial *t, evidence *e) {
    const weir_array *y = t->output[0];
    e->no_position |= weir_dtype_is_float(y->dtype);
    for (size_t i = 0; i < y->count; i++)
        e->no_share |= !(weir_array_get(y, i) >= 0 && weir_array_get(y, i) <= 1) && !isnan(weir_array_get(y, i));
}

/* May its result mean that? What says the same of classes does not reverse them. Only a constant that is moved is
 * picked from, and only an operator with more outputs has an output 1. */
static bool may_mean(weir_op op, const evidence *e) {
    switch (weir_trait_of(op)->meaning) {
    case WEIR_MEANING_SHARE: return !e->no_share;
    case WEIR_MEANING_POSITION: return !e->no_position;
    case WEIR_MEANING_POSITION_1: return weir_op_get(op)->outputs != 1;
    case WEIR_MEANING_PICK: return weir_index_map_exists(op) && weir_op_get(op)->inputs_min > 1;
    case WEIR_MEANING_SAME: return e->rises || !e->falls;
    case WEIR_MEANING_OTHER: return true;
    }
    return false;
}

static void look_at_nest(const trial *t, evidence *e) {
    weir_arena *arena = weir_arena_new();
    const weir_loop_nest *nest = weir_loop_nest_of(t->graph, t->node, arena);
    e->multiplies |= nest != NULL && nest->body == WEIR_LOOP_MULTIPLY_ACCUMULATE;
    e->reduces |= nest != NULL && nest->body == WEIR_LOOP_REDUCE;
    e->is_real |= weir_dtype_is_float(t->input[0]->dtype) && !weir_dtype_is_small_float(t->input[0]->dtype);
    weir_arena_free(arena);
}

/* Is that its task, by what its loop nest and its kernel do? Only what files have has one. */
static bool may_do(weir_op op, const evidence *e) {
    const weir_trait_task task = weir_trait_of(op)->task;
    if (weir_op_get(op)->class != WEIR_CLASS_TENSOR) return task == WEIR_TASK_NONE;
    if ((task == WEIR_TASK_LAYER || task == WEIR_TASK_CODE_LAYER) != e->multiplies) return false;
    switch (task) {
    case WEIR_TASK_LAYER: return e->is_real;
    case WEIR_TASK_CODE_LAYER:
    case WEIR_TASK_CODE_OPERATOR:
    case WEIR_TASK_DEQUANTIZER: return !e->is_real;
    case WEIR_TASK_EXTREME:
    case WEIR_TASK_MEAN: return e->reduces;
    case WEIR_TASK_SOFTMAX:
    case WEIR_TASK_NORMALIZATION: return e->elsewhere;
    case WEIR_TASK_QUANTIZER:
    case WEIR_TASK_NONE: return true;
    }
    return false;
}

/* The host takes what files have, without the work of hardware: products by weights, arithmetic of codes, and that of
 * integer networks. */
static bool may_stand(weir_op op) {
    const weir_trait *trait = weir_trait_of(op);
    const bool is_work = trait->task == WEIR_TASK_LAYER || trait->task == WEIR_TASK_CODE_LAYER ||
                         trait->task == WEIR_TASK_CODE_OPERATOR || strcmp(weir_op_get(op)->domain, "PACTOps") == 0 ||
                         trait->kind == WEIR_OP_STATE || trait->kind == WEIR_OP_UPDATE;
    return weir_op_get(op)->class != WEIR_CLASS_TENSOR ? !trait->is_for_host : trait->is_for_host || is_work;
}

/* Would the node take real numbers of these shapes? */
static bool takes_reals(const trial *t) {
    weir_value in[MOST_INPUTS];
    weir_graph *graph = weir_graph_new("reals");
    for (size_t i = 0; i < t->inputs; i++) {
        in[i] = WEIR_NO_VALUE;
        if (t->input[i] == NULL) continue;
        const weir_type type = {.dtype = WEIR_FLOAT32, .shape = t->input[i]->shape, .quant = {.axis = -1}};
        char *name = weir_format("x%zu", i);
        in[i] = weir_graph_add_input(graph, name, &type);
        free(name);
    }
    const weir_node node =
        weir_graph_add_node(graph, weir_node_op(t->graph, t->node), "subject", in, t->inputs, t->outputs, WEIR_NO_NODE);
    weir_node_copy_attributes(graph, node, t->graph, t->node);
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_infer_node(graph, node);
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_graph_free(graph);
    return fine;
}

/* Arithmetic of integers wraps around; that of codes does not, nor what is only of integers. */
static bool has_order(const trial *t) {
    const bool plain = weir_node_info(t->graph, t->node)->domain[0] == '\0';
    return t->input[0]->shape.rank == t->output[0]->shape.rank &&
           (!plain || weir_dtype_is_float(t->input[0]->dtype) || weir_dtype_is_float(t->output[0]->dtype) ||
            !takes_reals(t));
}

static void look(const trial *t, evidence *e) {
    const weir_op op = weir_node_op(t->graph, t->node);
    const size_t sizes = weir_trait_of(op)->sizes;
    e->nodes++;
    const bool all = op == WEIR_OP_CONCAT || weir_trait_of(op)->order == WEIR_ORDER_ELEMENTWISE;
    for (size_t i = 0; i < (all ? t->inputs : 1) && i < sizes; i++)
        if (t->input[i] != NULL) look_elsewhere(t, i, e);
    if (has_order(t)) look_both_ways(t, e);
    look_for_computed(t, e);
    look_at_map(t, e);
    look_at_frames(t, e);
    look_at_sizes(t, e);
    look_at_meaning(t, e);
    look_at_nest(t, e);
}

/* --- the cases of a folder --- */

/* Computes the graph's nodes in order, and looks at those of the operator. */
static void run_graph(const weir_graph *graph, weir_array **value, weir_op op, evidence *e) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        trial t = {.graph = graph,
                   .node = node,
                   .inputs = weir_node_input_count(graph, node),
                   .outputs = weir_node_output_count(graph, node)};
        if (t.inputs >= MOST_INPUTS || t.outputs >= MOST_INPUTS ||
            (!weir_kernel_exists(weir_node_op(graph, node)) && weir_node_op(graph, node) != WEIR_OP_STATE))
            return;
        for (size_t i = 0; i < t.inputs; i++) t.input[i] = value[weir_node_input(graph, node, i).id];
        for (size_t i = 0; i < t.outputs; i++) {
            const weir_value output = weir_node_output(graph, node, i);
            const weir_type *type = weir_value_type(graph, output);
            value[output.id] = t.output[i] = weir_array_new(type->dtype, &type->shape);
        }
        if (weir_node_op(graph, node) == WEIR_OP_STATE) continue; /* its value, all 0, is as good as another */
        weir_kernel_run(graph, node, t.input, t.output);
        if (weir_node_op(graph, node) == op && t.inputs > 0 && t.input[0]->count > 0) look(&t, e);
    }
}

static bool run_case(char *text, weir_op op, evidence *e) {
    op_case c;
    if (!op_case_read(text, &c)) return false;
    if (c.values == NULL) return true; /* it is refused */
    weir_graph *graph = case_read_graph(c.graph, c.data);
    if (graph == NULL) return false;
    const uint32_t limit = weir_graph_value_limit(graph);
    weir_array **value = weir_calloc(limit, sizeof *value);
    for (uint32_t id = 1; id < limit; id++) {
        const weir_value v = {id};
        if (weir_value_exists(graph, v) && weir_value_constant(graph, v) != NULL)
            value[id] = weir_array_copy(weir_value_constant(graph, v));
    }
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_value input = weir_graph_input(graph, i);
        const weir_type *type = weir_value_type(graph, input);
        char *line = case_find_line(c.data, weir_value_name(graph, input));
        value[input.id] = weir_array_new(type->dtype, &type->shape);
        case_fill(value[input.id], weir_value_name(graph, input), line);
        free(line);
    }
    run_graph(graph, value, op, e);
    for (uint32_t id = 0; id < limit; id++) weir_array_free(value[id]);
    free(value);
    weir_graph_free(graph);
    return true;
}

typedef struct folder_run {
    weir_op op;
    evidence *evidence;
    bool fine;
} folder_run;

static void run_file(void *user, const char *path) {
    folder_run *r = user;
    size_t size;
    char *text = weir_file_read(path, &size);
    if (text != NULL && !run_case(text, r->op, r->evidence)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        r->fine = false;
    }
    free(text);
}

static bool run_folder(const char *folder, weir_op op, evidence *e) {
    folder_run r = {op, e, true};
    return op_folder_visit(folder, run_file, &r) >= 0 && r.fine;
}

/* --- the rows --- */

typedef struct claim {
    bool by_element, is_monotone, is_exact, moves, stays_in_place;
} claim;

static claim claim_of(weir_op op) {
    const weir_trait *trait = weir_trait_of(op);
    return (claim){trait->element != WEIR_ELEMENT_NONE, trait->element >= WEIR_ELEMENT_MONOTONE, trait->is_exact,
                   weir_index_map_exists(op), trait->order == WEIR_ORDER_ELEMENTWISE};
}

/* The fact that the evidence denies; NULL: none. */
static const char *denied(const claim *c, const evidence *e) {
    return e->other_map || (c->moves && !e->has_map) ? "move"
           : c->by_element && e->elsewhere           ? "element"
           : c->stays_in_place && e->elsewhere       ? "order"
           : c->is_monotone && e->both_ways          ? "element (monotone)"
           : c->is_exact && e->computed              ? "rounding"
           : e->mixed                                ? "frames"
           : e->sizes                                ? "sizes"
                                                     : NULL;
}

/* Claims more than the row says about one fact; false: it says all. */
static bool overstate(claim *c, int fact) {
    bool *const facts[] = {&c->by_element, &c->is_monotone, &c->is_exact};
    const bool was = *facts[fact];
    *facts[fact] = true;
    return !was;
}

/* Facts that are true and yet not claimed. */
static bool is_modest(weir_op op, int fact) {
    static const struct {
        weir_op op;
        int fact;
    } known[] = {/* one threshold: realized as a table, which is as small */
                 {WEIR_OP_GREATER, 1},
                 {WEIR_OP_LESS, 1},
                 {WEIR_OP_GREATER_OR_EQUAL, 1},
                 {WEIR_OP_LESS_OR_EQUAL, 1},
                 {WEIR_OP_AND, 1},
                 {WEIR_OP_OR, 1},
                 {WEIR_OP_XOR, 1},
                 {WEIR_OP_NOT, 1},
                 {WEIR_OP_WHERE, 1},
                 {WEIR_OP_IS_NAN, 1},
                 {WEIR_OP_THRESHOLDED_RELU, 1},
                 {WEIR_OP_MASK, 1},
                 {WEIR_OP_IS_INF, 1}, /* of finite numbers */
                                      /* 0 and 1, or constants, are exact in any case */
                 {WEIR_OP_AND, 2},
                 {WEIR_OP_OR, 2},
                 {WEIR_OP_XOR, 2},
                 {WEIR_OP_NOT, 2},
                 {WEIR_OP_WHERE, 2},
                 {WEIR_OP_CONSTANT_OF_SHAPE, 2},
                 {WEIR_OP_BIPOLAR_QUANT, 2},
                 {WEIR_OP_MASK, 2},
                 /* a step, whose bounds are compared as such */
                 {WEIR_OP_NEG, 2},
                 {WEIR_OP_CLIP, 2},
                 {WEIR_OP_THRESHOLDED_RELU, 2},
                 /* its cases have all codes as inputs */
                 {WEIR_OP_QLINEAR_SIGMOID, 2},
                 {WEIR_OP_QLINEAR_LEAKY_RELU, 2},
                 /* no data, or the host's alone */
                 {WEIR_OP_SHAPE, 0},
                 {WEIR_OP_SIZE, 0},
                 {WEIR_OP_CONSTANT_OF_SHAPE, 0},
                 {WEIR_OP_RANGE, 0},
                 {WEIR_OP_SCALER, 0},
                 /* reductions are taken for sums */
                 {WEIR_OP_REDUCE_MAX, 2},
                 {WEIR_OP_REDUCE_MIN, 2},
                 {WEIR_OP_ARRAY_FEATURE_EXTRACTOR, 2}};
    const weir_trait *trait = weir_trait_of(op);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op && known[i].fact == fact) return true;
    if (weir_op_get(op)->class != WEIR_CLASS_TENSOR) return true; /* of integer operators passes ask nothing of this */
    if (fact == 1) return trait->element == WEIR_ELEMENT_NONE;    /* and so nobody asks if it is monotone */
    return fact == 0 && (weir_index_map_exists(op) || trait->order == WEIR_ORDER_ELEMENTWISE ||
                         trait->order == WEIR_ORDER_THRESHOLDS);
}

int main(int count, char **argument) {
    int wrong = 0, seen = 0, overstated = 0, modest = 0;
    static const char *const fact_name[] = {"element", "element (monotone)", "rounding"};
    if (count != 2) {
        fprintf(stderr, "usage: traits_op ROOT\n");
        return 2;
    }
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        if (!weir_kernel_exists((weir_op)op)) continue;
        char *name = subject_folder((weir_op)op), *folder = weir_path_join(argument[1], name);
        evidence e = {0};
        const claim row = claim_of((weir_op)op);
        wrong += !run_folder(folder, (weir_op)op, &e);
        const char *fact = !may_do((weir_op)op, &e)     ? "task"
                           : !may_mean((weir_op)op, &e) ? "meaning"
                           : !may_stand((weir_op)op)    ? "place"
                                                        : denied(&row, &e);
        if (fact != NULL || e.nodes == 0) {
            fprintf(stderr, "%s: op.def: %s is wrong\n", name, fact == NULL ? "nothing is known: its row" : fact);
            wrong++;
        }
        seen += (int)e.nodes;
        for (int f = 0; f < 3; f++) {
            claim more = row;
            if (!overstate(&more, f)) continue;
            if (denied(&more, &e) != NULL) {
                overstated++;
            } else if (is_modest((weir_op)op, f)) {
                modest++;
            } else {
                fprintf(stderr, "%s: op.def: %s could claim more, or no case denies that\n", name, fact_name[f]);
                wrong++;
            }
        }
        free(folder);
        free(name);
    }
    printf("%d nodes, %d overstated facts denied, %d not asked for, %d wrong\n", seen, overstated, modest, wrong);
    return wrong > 0;
}
