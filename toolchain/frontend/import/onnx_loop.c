/* Loops and Scans: their bodies as nodes of the graph, once for each time that they run, which must be known. */
#include "frontend/import/onnx_importer_private.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_form.h"
#include "frontend/import/onnx_name.h"
#include "frontend/import/onnx_part.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

enum { MOST_NODES = 65536 };

/* A node that repeats its body, and an importer of that. */
typedef struct loop {
    weir_onnx_importer *outer;
    weir_onnx_importer im;
    weir_onnx_form form; /* of the node, to make others for it */
    const Onnx__NodeProto *proto;
    const Onnx__GraphProto *body;
    weir_arena *arena;
    const weir_value *in; /* inputs, then what the body reads around the node; none where left out */
    size_t given, free_count;
    const char **free_name;
    size_t states;      /* what one time leaves for the next, after the Loop's condition */
    weir_value *state;  /* before the time */
    weir_value *result; /* of the body's outputs, after the time */
    weir_value **kept;  /* by output that is collected, by time */
    size_t times;
} loop;

#define FAIL(l, ...) weir_onnx_part_fail(&(l)->form, __VA_ARGS__)

static bool is_scan(const loop *l) { return strcmp(l->proto->op_type, "Scan") == 0; }
/* Body inputs and outputs before the states: a Loop's number of the time and condition. */
static size_t extra_inputs(const loop *l) { return is_scan(l) ? 0 : 2; }
static size_t extra_outputs(const loop *l) { return is_scan(l) ? 0 : 1; }
static size_t collected(const loop *l) { return l->body->n_output - extra_outputs(l) - l->states; }

/* --- the body --- */

/* The body with what it reads around it as inputs. */
static bool open_body(loop *l) {
    const weir_onnx_importer *outer = l->outer;
    Onnx__GraphProto *whole = weir_arena_alloc(l->arena, sizeof *whole);
    Onnx__ValueInfoProto **input =
        weir_arena_array(l->arena, l->body->n_input + l->free_count, sizeof(Onnx__ValueInfoProto *));
    *whole = *l->body;
    for (size_t i = 0; i < l->body->n_input; i++) input[i] = l->body->input[i];
    for (size_t i = 0; i < l->free_count; i++) {
        Onnx__ValueInfoProto *info = weir_arena_alloc(l->arena, sizeof *info);
        onnx__value_info_proto__init(info);
        info->name = (char *)l->free_name[i];
        input[l->body->n_input + i] = info;
    }
    whole->input = input;
    whole->n_input = l->body->n_input + l->free_count;
    l->im = (weir_onnx_importer){.file = outer->file,
                                 .line = l->form.location.line,
                                 .sizes = outer->sizes,
                                 .source = outer->source,
                                 .scales_left = outer->scales_left,
                                 .errors_before = outer->errors_before,
                                 .opsets = outer->opsets,
                                 .known = outer->known,
                                 .graph = outer->graph,
                                 .build = outer->build};
    weir_onnx_importer *im = &l->im;
    const size_t before = weir_onnx_importer_errors(im);
    im->flat.graph = whole;
    if (!weir_onnx_branch_flatten(&im->flat, whole, &im->opsets, im->file, l->arena)) return false;
    im->proto = im->flat.graph;
    if (!weir_onnx_scope_build(&im->scope, im->proto, im->file)) return false;
    weir_onnx_check_all(im);
    for (size_t i = 0; i < l->body->n_output; i++) {
        const char *name = l->body->output[i]->name;
        weir_onnx_definition *d = name == NULL ? NULL : weir_onnx_scope_find(&im->scope, name);
        if (d == NULL) FAIL(l, "output %zu of its body is not defined", i);
        else d->is_used = true;
    }
    for (size_t i = 0; i < im->proto->n_node && !weir_onnx_importer_full(im); i++) weir_onnx_check_spare(im, i);
    if (weir_onnx_importer_errors(im) > before) return false;
    im->order = weir_onnx_scope_order(&im->scope, &im->flat, im->file);
    return im->order != NULL;
}

static void close_body(loop *l) {
    l->outer->known = l->im.known;
    l->outer->scales_left = l->im.scales_left;
    free(l->im.rule);
    free(l->im.own);
    free(l->im.choice);
    free(l->im.order);
    weir_onnx_scope_free(&l->im.scope);
}

/* Builds the body of values for its inputs; false after an error. */
static bool run_body(loop *l, const weir_value *inputs) {
    weir_onnx_importer *im = &l->im;
    const size_t before = weir_onnx_importer_errors(im);
    for (size_t i = 0; i < im->scope.count; i++) {
        weir_onnx_definition *d = &im->scope.definition[i];
        if (d->source == WEIR_ONNX_INITIALIZER) continue;
        d->value = WEIR_NO_VALUE;
        d->list = NULL;
    }
    memset(im->choice, 0, im->proto->n_node * sizeof *im->choice);
    for (size_t i = 0; i < im->proto->n_input; i++) {
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, im->proto->input[i]->name);
        const bool is_free = i >= l->body->n_input;
        if (d->source == WEIR_ONNX_INPUT) d->value = is_free ? l->in[l->given + i - l->body->n_input] : inputs[i];
    }
    for (size_t i = 0; i < im->proto->n_node && !weir_onnx_importer_full(im); i++) im->build(im, im->order[i]);
    for (size_t i = 0; i < l->body->n_output; i++) {
        l->result[i] = weir_onnx_importer_resolve(im, weir_onnx_scope_find(&im->scope, l->body->output[i]->name));
        if (l->result[i].id == 0 && weir_onnx_importer_errors(im) == before)
            return FAIL(l, "output %zu of its body has no value", i);
    }
    return weir_onnx_importer_errors(im) == before;
}

/* --- times --- */

/* Keeps the body's results of a time: the states for the next, the others to be put together. */
static void keep(loop *l, size_t time) {
    const size_t first = extra_outputs(l);
    for (size_t i = 0; i < l->states; i++) l->state[i] = l->result[first + i];
    for (size_t i = 0; i < collected(l); i++) l->kept[i][time] = l->result[first + l->states + i];
}

static bool make_room(loop *l, int64_t times) {
    if (times < 1 || times > MOST_NODES || (int64_t)l->im.proto->n_node * times > MOST_NODES)
        return FAIL(l, "its %zu nodes would be there %lld times, expected once or more and at most %d nodes",
                    l->im.proto->n_node, (long long)times, (int)MOST_NODES);
    for (size_t i = 0; i < collected(l); i++) l->kept[i] = weir_arena_array(l->arena, (size_t)times, sizeof **l->kept);
    return true;
}

/* What a value is in every frame: one number, or a truth value; false: it is not known. */
static bool known_number(const loop *l, weir_value value, int64_t *number) {
    const weir_array *known = value.id == 0 ? NULL : weir_onnx_known_find(&l->im.known, l->im.graph, value);
    if (known == NULL || known->count != 1 || weir_dtype_is_float(known->dtype)) return false;
    *number = weir_array_get_int(known, 0);
    return true;
}

static bool fail_unknown(const loop *l, const char *what) {
    FAIL(l, "%s depends on the data of an input, expected constants and shapes only", what);
    weir_note("hardware computes the same for every frame");
    return false;
}

static bool run_loop(loop *l) {
    const weir_value count = l->in[0], condition = l->given > 1 ? l->in[1] : WEIR_NO_VALUE;
    int64_t times = INT64_MAX, goes_on = 1;
    if (count.id != 0 && !known_number(l, count, &times)) return fail_unknown(l, "its number of times (input 0)");
    if (condition.id != 0 && !known_number(l, condition, &goes_on)) return fail_unknown(l, "its condition (input 1)");
    if (times == INT64_MAX && condition.id == 0) return FAIL(l, "it has neither a number of times nor a condition");
    const int64_t most = MOST_NODES / (int64_t)(l->im.proto->n_node + 1);
    if (times != INT64_MAX && !make_room(l, goes_on ? times : 0)) return false;
    if (times == INT64_MAX && !make_room(l, most)) return false;
    weir_value *inputs = weir_arena_array(l->arena, l->body->n_input, sizeof *inputs);
    for (int64_t t = 0; t < times && goes_on; t++) {
        if (t >= most && times == INT64_MAX) return FAIL(l, "its condition holds for too many times");
        weir_array *number = weir_array_new(WEIR_INT64, &(weir_shape){0}),
                   *yes = weir_array_new(WEIR_BOOL, &(weir_shape){0});
        weir_array_set_int(number, 0, t);
        weir_array_set_int(yes, 0, 1);
        inputs[0] = weir_onnx_form_constant(&l->form, "time", number);
        inputs[1] = weir_onnx_form_constant(&l->form, "condition", yes);
        for (size_t i = 0; i < l->states; i++) inputs[2 + i] = l->state[i];
        if (!run_body(l, inputs)) return false;
        if (!known_number(l, l->result[0], &goes_on)) return fail_unknown(l, "the condition that its body computes");
        keep(l, (size_t)t);
        l->times = (size_t)t + 1;
    }
    return true;
}

/* Entry i of a list attribute of a Scan; 0 without it. */
static int64_t entry_of(const loop *l, const char *name, size_t i) {
    const Onnx__AttributeProto *a = weir_onnx_part_attribute(&l->form, name);
    return a != NULL && i < a->n_ints ? a->ints[i] : 0;
}

/* Element t of the scanned input, in its direction, without the axis. */
static weir_value element_of(loop *l, size_t i, int64_t axis, int64_t size, int64_t t) {
    const int64_t at = entry_of(l, "scan_input_directions", i) != 0 ? size - 1 - t : t;
    const weir_value all = l->in[l->states + i], one = weir_onnx_part_slice(&l->form, "element", all, axis, at, at + 1);
    weir_shape shape = *weir_onnx_part_shape(&l->form, all);
    for (int d = (int)axis; d + 1 < shape.rank; d++) shape.dim[d] = shape.dim[d + 1];
    shape.rank--;
    return weir_onnx_part_reshape(&l->form, "at_time", one, &shape);
}

static bool run_scan(loop *l) {
    const size_t scanned = l->given - l->states;
    int64_t *axis = weir_arena_array(l->arena, scanned, sizeof *axis), times = -1;
    weir_value *inputs = weir_arena_array(l->arena, l->body->n_input, sizeof *inputs);
    for (size_t i = 0; i < scanned; i++) {
        const weir_shape *shape = weir_onnx_part_shape(&l->form, l->in[l->states + i]);
        axis[i] = weir_onnx_part_axis(&l->form, entry_of(l, "scan_input_axes", i), shape->rank);
        if (axis[i] < 0) return false;
        if (times >= 0 && shape->dim[axis[i]] != times)
            return FAIL(l, "its scanned inputs have %lld and %lld entries", (long long)times,
                        (long long)shape->dim[axis[i]]);
        times = shape->dim[axis[i]];
    }
    if (!make_room(l, times)) return false;
    for (int64_t t = 0; t < times; t++) {
        for (size_t i = 0; i < l->states; i++) inputs[i] = l->state[i];
        for (size_t i = 0; i < scanned; i++) {
            inputs[l->states + i] = element_of(l, i, axis[i], times, t);
            if (inputs[l->states + i].id == 0) return false;
        }
        if (!run_body(l, inputs)) return false;
        keep(l, (size_t)t);
        l->times = (size_t)t + 1;
    }
    return true;
}

/* --- results --- */

/* What all times gave, along a new axis. */
static weir_value together(loop *l, size_t i) {
    weir_onnx_form *form = &l->form;
    const weir_shape *one = weir_onnx_part_shape(form, l->kept[i][0]);
    const int64_t axis = weir_onnx_part_axis(form, entry_of(l, "scan_output_axes", i), one->rank + 1);
    const bool backwards = entry_of(l, "scan_output_directions", i) != 0;
    weir_value *part = weir_arena_array(l->arena, l->times, sizeof *part);
    weir_shape wide = {.rank = one->rank + 1};
    if (axis < 0 || wide.rank > WEIR_MAX_RANK) return WEIR_NO_VALUE;
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = d < axis ? one->dim[d] : d == axis ? 1 : one->dim[d - 1];
    for (size_t t = 0; t < l->times; t++) {
        const size_t at = backwards ? l->times - 1 - t : t;
        part[at] = weir_onnx_part_reshape(form, "of_time", l->kept[i][t], &wide);
    }
    if (l->times == 1) return part[0];
    const weir_value made = weir_onnx_part_add(form, WEIR_OP_CONCAT, "all_times", part, l->times);
    return weir_onnx_part_infer(form, weir_onnx_part_with(form, made, "axis", axis));
}

static void define(loop *l, size_t output, weir_value value) {
    if (output >= l->proto->n_output || *l->proto->output[output] == '\0' || value.id == 0) return;
    weir_onnx_definition *d = weir_onnx_scope_find(&l->outer->scope, l->proto->output[output]);
    d->value = value;
    const weir_node maker = weir_value_producer(l->im.graph, value);
    bool is_new = maker.id != 0 && weir_value_constant(l->im.graph, value) == NULL;
    for (size_t i = 0; i < l->given + l->free_count; i++) is_new &= l->in[i].id != value.id;
    if (is_new) weir_value_set_name(l->im.graph, value, d->name);
}

/* What the body needs: as many inputs and outputs as the node's. */
static bool check_body(loop *l) {
    const size_t scanned = is_scan(l) ? (size_t)weir_onnx_part_int(&l->form, "num_scan_inputs", 1) : 0;
    const size_t before = is_scan(l) ? 0 : 2;
    if (l->given < before + scanned || (is_scan(l) && scanned > l->given))
        return FAIL(l, "%zu inputs, expected %zu or more", l->given, before + scanned);
    l->states = l->given - before - scanned;
    if (l->body->n_sparse_initializer > 0) return FAIL(l, "its body has sparse initializers, which are not supported");
    if (l->body->n_input != extra_inputs(l) + l->states + scanned)
        return FAIL(l, "its body has %zu inputs, expected %zu", l->body->n_input,
                    extra_inputs(l) + l->states + scanned);
    if (l->body->n_output < extra_outputs(l) + l->states || l->proto->n_output > l->body->n_output - extra_outputs(l))
        return FAIL(l, "its body has %zu outputs, expected %zu or more", l->body->n_output,
                    extra_outputs(l) + (l->states > l->proto->n_output ? l->states : l->proto->n_output));
    return true;
}

static bool resolve_inputs(loop *l, weir_value *in) {
    bool fine = true;
    for (size_t i = 0; i < l->proto->n_input; i++) {
        weir_onnx_definition *d =
            *l->proto->input[i] == '\0' ? NULL : weir_onnx_scope_find(&l->outer->scope, l->proto->input[i]);
        in[i] = d == NULL ? WEIR_NO_VALUE : weir_onnx_importer_resolve(l->outer, d);
        fine &= *l->proto->input[i] == '\0' || in[i].id != 0;
    }
    l->in = in;
    return fine;
}

static void build(loop *l) {
    weir_value *in = weir_arena_array(l->arena, l->proto->n_input + 2, sizeof *in);
    if (!resolve_inputs(l, in) || !check_body(l)) return;
    const size_t first = is_scan(l) ? 0 : 2;
    l->state = weir_arena_array(l->arena, l->states, sizeof *l->state);
    l->result = weir_arena_array(l->arena, l->body->n_output, sizeof *l->result);
    l->kept = weir_arena_array(l->arena, l->body->n_output, sizeof *l->kept);
    for (size_t i = 0; i < l->states; i++) l->state[i] = l->in[first + i];
    const bool fine = open_body(l) && (is_scan(l) ? run_scan(l) : run_loop(l));
    if (fine)
        for (size_t i = 0; i < l->states; i++) define(l, i, l->state[i]);
    for (size_t i = 0; fine && i < collected(l); i++) define(l, l->states + i, together(l, i));
    close_body(l);
}

void weir_onnx_loop_build(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    static const weir_onnx_rule rules[] = {{.name = "Loop"}, {.name = "Scan"}};
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_node(proto->name, proto->op_type, name);
    loop l = {.outer = im, .proto = proto, .body = weir_onnx_branch_body(proto), .arena = weir_arena_new()};
    l.form = (weir_onnx_form){.graph = im->graph,
                              .scope = &im->scope,
                              .opsets = &im->opsets,
                              .source = &im->source,
                              .rule = &rules[is_scan(&l) ? 1 : 0],
                              .proto = proto,
                              .location = weir_onnx_importer_location(im, index),
                              .name = name};
    l.given = im->flat.place[index].inputs;
    l.free_count = weir_onnx_branch_free_names(l.body, l.arena, &l.free_name);
    build(&l);
    weir_arena_free(l.arena);
}
