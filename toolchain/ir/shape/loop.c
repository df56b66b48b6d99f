#include "ir/shape/loop.h"

#include <assert.h>
#include <string.h>

#include "ir/graph/operator.h"
#include "ir/shape/loop_rule.h"
#include "support/memory/arena.h"

/* A rule adds at most four loops and two a dimension, and as many operands as the node has inputs and outputs. */
enum { LOOPS = 4 + 2 * WEIR_MAX_RANK };

uint32_t weir_loop_add(weir_loop_builder *b, const char *name, int64_t size, bool is_reduced) {
    weir_loop_nest *nest = b->nest;
    assert(nest->loop_count < LOOPS && size >= 0);
    weir_loop *loop = &nest->loop[nest->loop_count];
    assert(strlen(name) < sizeof loop->name);
    strcpy(loop->name, name);
    loop->size = size;
    loop->is_reduced = is_reduced;
    return nest->loop_count++;
}

uint32_t weir_loop_add_shape(weir_loop_builder *b, const weir_shape *shape) {
    const uint32_t first = b->nest->loop_count;
    for (int i = 0; i < shape->rank; i++) {
        const char name[] = {'D', (char)('0' + i), '\0'};
        weir_loop_add(b, name, shape->dim[i], false);
    }
    return first;
}

const weir_shape *weir_loop_input_shape(const weir_loop_builder *b, size_t index) {
    return &weir_value_type(b->graph, weir_node_input(b->graph, b->node, index))->shape;
}

const weir_shape *weir_loop_output_shape(const weir_loop_builder *b, size_t index) {
    return &weir_value_type(b->graph, weir_node_output(b->graph, b->node, index))->shape;
}

static weir_loop_operand *add_operand(weir_loop_builder *b, char name, bool is_output, size_t index,
                                      const weir_shape *shape) {
    weir_loop_operand *operand = &b->nest->operand[b->nest->operand_count++];
    *operand = (weir_loop_operand){.name = name, .is_output = is_output, .index = (uint32_t)index, .rank = shape->rank};
    for (int i = 0; i < shape->rank; i++) operand->axis[i].size = shape->dim[i];
    return operand;
}

weir_loop_operand *weir_loop_read(weir_loop_builder *b, char name, size_t input) {
    if (weir_node_input(b->graph, b->node, input).id == 0) return NULL;
    return add_operand(b, name, false, input, weir_loop_input_shape(b, input));
}

weir_loop_operand *weir_loop_write(weir_loop_builder *b, size_t output) {
    return add_operand(b, 'O', true, output, weir_loop_output_shape(b, output));
}

void weir_loop_term(weir_loop_operand *operand, int axis, uint32_t loop, int64_t stride) {
    weir_loop_axis *at = &operand->axis[axis];
    assert(axis >= 0 && axis < operand->rank && at->terms < WEIR_LOOP_TERMS);
    at->term[at->terms].loop = loop;
    at->term[at->terms++].stride = stride;
}

void weir_loop_broadcast(weir_loop_builder *b, weir_loop_operand *operand, uint32_t first, int rank) {
    assert(operand->rank <= rank);
    for (int i = 0; i < operand->rank; i++) {
        const uint32_t loop = first + (uint32_t)(rank - operand->rank + i);
        if (operand->axis[i].size != 1 || b->nest->loop[loop].size == 1) weir_loop_term(operand, i, loop, 1);
    }
}

static weir_loop_rule *const rules[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define LOOPS(rule) weir_loop_##rule,
#include "ir/graph/op.def"
};

const weir_loop_nest *weir_loop_nest_of(const weir_graph *graph, weir_node node, weir_arena *arena) {
    const size_t operands = weir_node_input_count(graph, node) + weir_node_output_count(graph, node);
    weir_loop_nest *nest = weir_arena_alloc(arena, sizeof *nest);
    nest->loop = weir_arena_array(arena, LOOPS, sizeof *nest->loop);
    nest->operand = weir_arena_array(arena, operands, sizeof *nest->operand);
    weir_loop_builder builder = {graph, node, arena, nest};
    const weir_op op = weir_node_op(graph, node);
    weir_loop_rule *rule = op < WEIR_OP_COUNT ? rules[op] : weir_operator_of(op)->loops;
    if (rule != NULL) rule(&builder);
    assert(nest->operand_count <= operands);
    return nest;
}

const weir_loop *weir_loop_find(const weir_loop_nest *nest, const char *name) {
    for (uint32_t i = 0; i < nest->loop_count; i++)
        if (strcmp(nest->loop[i].name, name) == 0) return &nest->loop[i];
    return NULL;
}

const weir_loop_operand *weir_loop_find_operand(const weir_loop_nest *nest, char name) {
    for (uint32_t i = 0; i < nest->operand_count; i++)
        if (nest->operand[i].name == name) return &nest->operand[i];
    return NULL;
}

bool weir_loop_uses(const weir_loop_operand *operand, uint32_t loop) {
    assert(operand->rank >= 0 && operand->rank <= WEIR_MAX_RANK);
    for (int i = 0; i < operand->rank; i++) {
        for (int t = 0; t < operand->axis[i].terms; t++)
            if (operand->axis[i].term[t].loop == loop) return true;
    }
    return false;
}

int64_t weir_loop_iterations(const weir_loop_nest *nest) {
    int64_t product = 1;
    for (uint32_t i = 0; i < nest->loop_count; i++)
        if (nest->loop[i].size == 0) return 0;
    for (uint32_t i = 0; i < nest->loop_count; i++) {
        if (product > INT64_MAX / nest->loop[i].size) return INT64_MAX;
        product *= nest->loop[i].size;
    }
    return product;
}

int64_t weir_loop_macs(const weir_graph *graph, weir_node node) {
    weir_arena *arena = weir_arena_new();
    const weir_loop_nest *nest = weir_loop_nest_of(graph, node, arena);
    const int64_t macs = nest->body == WEIR_LOOP_MULTIPLY_ACCUMULATE ? weir_loop_iterations(nest) : 0;
    weir_arena_free(arena);
    return macs;
}

int64_t weir_loop_element(const weir_loop_operand *operand, const int64_t *iteration) {
    int64_t element = 0;
    for (int i = 0; i < operand->rank; i++) {
        const weir_loop_axis *axis = &operand->axis[i];
        assert(!axis->is_indirect);
        int64_t index = axis->offset;
        for (int t = 0; t < axis->terms; t++) index += axis->term[t].stride * iteration[axis->term[t].loop];
        if (index < 0 || index >= axis->size) return -1;
        element = element * axis->size + index;
    }
    return element;
}
