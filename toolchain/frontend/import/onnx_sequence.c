/* Sequences of tensors: lists of values that are known while the file is read, so none of them is in the graph. */
#include "frontend/import/onnx_importer_private.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_form.h"
#include "frontend/import/onnx_name.h"
#include "frontend/import/onnx_part.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

enum { MOST_PARTS = 4096 };

/* An operator on sequences, and what is made for it. */
typedef struct sequence {
    weir_onnx_importer *im;
    weir_onnx_form form;
    const Onnx__NodeProto *proto;
    weir_onnx_definition *output;
} sequence;

#define FAIL(s, ...) weir_onnx_part_fail(&(s)->form, __VA_ARGS__)

/* Input i, NULL where it is left out. */
static weir_onnx_definition *input(const sequence *s, size_t i) {
    const bool is = i < s->proto->n_input && *s->proto->input[i] != '\0';
    return is ? weir_onnx_scope_find(&s->im->scope, s->proto->input[i]) : NULL;
}

/* The list; NULL: it is none, after an error. */
static const weir_onnx_list *list(const sequence *s, size_t i) {
    const weir_onnx_definition *d = input(s, i);
    if (d->list == NULL && !d->failed && d->value.id != 0)
        FAIL(s, "'%.100s' is a tensor, expected a sequence", d->name);
    return d->list;
}

static weir_onnx_list *new_list(const sequence *s, size_t count) {
    weir_onnx_list *made = weir_arena_alloc(weir_graph_arena(s->im->graph), sizeof *made);
    made->value = weir_arena_array(weir_graph_arena(s->im->graph), count + 1, sizeof *made->value);
    made->count = count;
    return made;
}

/* The whole number of input i, from the end where negative; false after an error. */
static bool position(const sequence *s, size_t i, size_t most, size_t *at) {
    const weir_value value = weir_onnx_importer_resolve(s->im, input(s, i));
    if (value.id == 0) return false;
    const weir_array *known = weir_onnx_known_find(&s->im->known, s->im->graph, value);
    if (known == NULL || known->count != 1) return FAIL(s, "its position must be constant");
    int64_t index = weir_array_get_int(known, 0);
    if (index < 0) index += (int64_t)most;
    if (index < 0 || index >= (int64_t)most)
        return FAIL(s, "position %lld is outside of its sequence", (long long)weir_array_get_int(known, 0));
    *at = (size_t)index;
    return true;
}

/* --- made of tensors --- */

static void construct(const sequence *s) {
    weir_onnx_list *made = new_list(s, s->proto->n_input);
    for (size_t i = 0; i < made->count; i++) {
        weir_onnx_definition *d = input(s, i);
        made->value[i] = d == NULL ? WEIR_NO_VALUE : weir_onnx_importer_resolve(s->im, d);
        if (d == NULL) FAIL(s, "input %zu is required but left out", i);
        if (made->value[i].id == 0) return;
    }
    s->output->list = made;
}

static void insert(const sequence *s) {
    const weir_onnx_list *of = list(s, 0);
    const weir_value value = weir_onnx_importer_resolve(s->im, input(s, 1));
    if (of == NULL || value.id == 0) return;
    size_t at = of->count;
    if (input(s, 2) != NULL && !position(s, 2, of->count + 1, &at)) return;
    weir_onnx_list *made = new_list(s, of->count + 1);
    for (size_t i = 0; i < made->count; i++) made->value[i] = i == at ? value : of->value[i - (i > at)];
    s->output->list = made;
}

static void erase(const sequence *s) {
    const weir_onnx_list *of = list(s, 0);
    if (of == NULL) return;
    if (of->count == 0) {
        FAIL(s, "its sequence is empty");
        return;
    }
    size_t at = of->count - 1;
    if (input(s, 1) != NULL && !position(s, 1, of->count, &at)) return;
    weir_onnx_list *made = new_list(s, of->count - 1);
    for (size_t i = 0; i < made->count; i++) made->value[i] = of->value[i + (i >= at)];
    s->output->list = made;
}

/* Sizes of the parts of `whole`: those of input 1, or that for all but the last; without it 1 each. NULL after an
 * error. */
static weir_array *sizes(const sequence *s, int64_t whole) {
    const weir_array *known = NULL;
    if (input(s, 1) != NULL) {
        const weir_value value = weir_onnx_importer_resolve(s->im, input(s, 1));
        known = value.id == 0 ? NULL : weir_onnx_known_find(&s->im->known, s->im->graph, value);
        if (known == NULL) {
            if (value.id != 0) FAIL(s, "its sizes must be constant");
            return NULL;
        }
    }
    const int64_t each = known == NULL ? 1 : known->count == 1 ? weir_array_get_int(known, 0) : 0;
    const bool alike = known == NULL || known->shape.rank == 0;
    const int64_t count = !alike ? (int64_t)known->count : each < 1 ? 0 : (whole + each - 1) / each;
    if (count < 1 || count > MOST_PARTS) {
        FAIL(s, "expected 1 to %d parts", MOST_PARTS);
        return NULL;
    }
    weir_array *made = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t size = alike ? each : weir_array_get_int(known, (size_t)i);
        if (alike && i == count - 1) size = whole - sum;
        weir_array_set_int(made, (size_t)i, size);
        sum += size;
    }
    return made;
}

static void split(const sequence *s) {
    const weir_value x = weir_onnx_importer_resolve(s->im, input(s, 0));
    if (x.id == 0) return;
    weir_shape shape = *weir_onnx_part_shape(&s->form, x);
    const int64_t axis = weir_onnx_part_axis(&s->form, weir_onnx_part_int(&s->form, "axis", 0), shape.rank);
    weir_array *size = axis < 0 ? NULL : sizes(s, shape.dim[axis]);
    if (size == NULL) return;
    const bool squeezes = input(s, 1) == NULL && weir_onnx_part_int(&s->form, "keepdims", 1) == 0;
    const size_t count = size->count;
    const weir_value inputs[2] = {x, weir_onnx_form_constant(&s->form, "sizes", size)};
    weir_graph *graph = s->im->graph;
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_SPLIT, s->form.name, inputs, 2, count, WEIR_NO_NODE);
    weir_node_set_location(graph, node, s->form.location);
    weir_node_set_int(graph, node, "axis", axis);
    weir_onnx_list *made = new_list(s, count);
    for (size_t i = 0; i < count; i++) {
        char part[32];
        snprintf(part, sizeof part, "part_%zu", i);
        made->value[i] = weir_onnx_part_named(&s->form, weir_node_output(graph, node, i), part);
    }
    if (!weir_infer_node(graph, node)) return;
    for (int64_t d = axis; squeezes && d + 1 < shape.rank; d++) shape.dim[d] = shape.dim[d + 1];
    shape.rank -= squeezes;
    for (size_t i = 0; squeezes && i < count; i++)
        made->value[i] = weir_onnx_part_reshape(&s->form, "squeezed", made->value[i], &shape);
    s->output->list = made;
}

/* --- tensors of one --- */

static void take(const sequence *s) {
    const weir_onnx_list *of = list(s, 0);
    size_t at;
    if (of != NULL && position(s, 1, of->count, &at)) s->output->value = of->value[at];
}

static void measure(const sequence *s) {
    const weir_onnx_list *of = list(s, 0);
    if (of == NULL) return;
    weir_array *count = weir_array_new(WEIR_INT64, &(weir_shape){.rank = 0});
    weir_array_set_int(count, 0, (int64_t)of->count);
    weir_onnx_importer_define(s->im, s->output, count, s->form.location);
}

static void concatenate(const sequence *s) {
    const weir_onnx_list *of = list(s, 0);
    if (of == NULL) return;
    if (of->count == 0) {
        FAIL(s, "its sequence is empty");
        return;
    }
    const weir_onnx_form *form = &s->form;
    const bool stacks = weir_onnx_part_int(form, "new_axis", 0) != 0;
    const int rank = weir_onnx_part_shape(form, of->value[0])->rank + stacks;
    const int64_t axis = weir_onnx_part_axis(form, weir_onnx_part_int(form, "axis", 0), rank);
    if (axis < 0) return;
    weir_value *part = weir_calloc(of->count, sizeof *part);
    bool fine = rank <= WEIR_MAX_RANK || FAIL(s, "expected a result of at most %d dimensions", WEIR_MAX_RANK);
    for (size_t i = 0; fine && i < of->count; i++) {
        const weir_shape *one = weir_onnx_part_shape(form, of->value[i]);
        weir_shape wide = {.rank = rank};
        for (int d = 0; d < rank; d++) wide.dim[d] = d < axis ? one->dim[d] : d == axis ? 1 : one->dim[d - 1];
        part[i] = stacks ? weir_onnx_part_reshape(form, "stacked", of->value[i], &wide) : of->value[i];
        fine = part[i].id != 0;
    }
    if (fine && of->count == 1) s->output->value = part[0];
    if (fine && of->count > 1) {
        const weir_value made = weir_onnx_part_add(form, WEIR_OP_CONCAT, "whole", part, of->count);
        s->output->value = weir_onnx_part_infer(form, weir_onnx_part_with(form, made, "axis", axis));
    }
    free(part);
}

/* --- the table --- */

static void empty(const sequence *s) { s->output->list = new_list(s, 0); }

static const struct {
    const char *name;
    void (*build)(const sequence *s);
} rows[] = {
    {"SequenceConstruct", construct}, {"SequenceEmpty", empty},
    {"SequenceInsert", insert},       {"SequenceErase", erase},
    {"SplitToSequence", split},       {"SequenceAt", take},
    {"SequenceLength", measure},      {"ConcatFromSequence", concatenate},
};

bool weir_onnx_sequence_is(const weir_onnx_rule *rule) {
    for (size_t i = 0; rule != NULL && rule->composed != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, rule->composed) == 0) return true;
    return false;
}

void weir_onnx_sequence_build(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_node(proto->name, proto->op_type, name);
    const sequence s = {.im = im,
                        .form = {.graph = im->graph,
                                 .scope = &im->scope,
                                 .opsets = &im->opsets,
                                 .source = &im->source,
                                 .rule = im->rule[index],
                                 .proto = proto,
                                 .location = weir_onnx_importer_location(im, index),
                                 .name = name},
                        .proto = proto,
                        .output = weir_onnx_scope_find(&im->scope, proto->output[0])};
    const size_t before = weir_onnx_importer_errors(im);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, im->rule[index]->composed) == 0) rows[i].build(&s);
    s.output->failed |= weir_onnx_importer_errors(im) > before;
}
