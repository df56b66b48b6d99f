/* What the rules of loop nests share; used by toolchain/ir/loop*.c only. */
#ifndef WEIR_IR_LOOP_RULE_H
#define WEIR_IR_LOOP_RULE_H

#include "ir/shape/loop.h"

typedef struct weir_loop_builder {
    const weir_graph *graph;
    weir_node node;
    weir_arena *arena;
    weir_loop_nest *nest;
} weir_loop_builder;

/* States the nest of the node; rows of op.def name theirs. */
typedef void weir_loop_rule(weir_loop_builder *b);

#define WEIR_OP_FACTS(id, domain, name, ...) __VA_ARGS__
#define LOOPS(rule) weir_loop_rule weir_loop_##rule;
#include "ir/graph/op.def"

/* Adds a loop and returns its number. */
uint32_t weir_loop_add(weir_loop_builder *b, const char *name, int64_t size, bool is_reduced);
/* A loop D0, D1, ... for each dimension of the shape; returns the first one's number. */
uint32_t weir_loop_add_shape(weir_loop_builder *b, const weir_shape *shape);
/* Adds an operand with one constant index 0 an axis; NULL when the input is left out. */
weir_loop_operand *weir_loop_read(weir_loop_builder *b, char name, size_t input);
weir_loop_operand *weir_loop_write(weir_loop_builder *b, size_t output);
/* The index along `axis` has the term stride * loop. */
void weir_loop_term(weir_loop_operand *operand, int axis, uint32_t loop, int64_t stride);
/* The operand's dimensions are those of the loops from `first` on for a tensor with `rank`, broadcast from the last
 * one. */
void weir_loop_broadcast(weir_loop_builder *b, weir_loop_operand *operand, uint32_t first, int rank);
const weir_shape *weir_loop_input_shape(const weir_loop_builder *b, size_t index);
const weir_shape *weir_loop_output_shape(const weir_loop_builder *b, size_t index);

#endif
