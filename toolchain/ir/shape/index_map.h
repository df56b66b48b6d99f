/* Maps each element of one tensor to an element of another: Reshape, Transpose, Slice, Pad, Gather by constants, ...,
 * alone or composed. A map is nested loops over the elements of the result in memory order, the outermost first; the
 * source's element is `start` plus each loop's contribution. Maps are normalized as far as possible: loops with a step
 * if there is one, none of size 1, none that its inner neighbour could absorb. All memory is the arena's. */
#ifndef WEIR_IR_INDEX_MAP_H
#define WEIR_IR_INDEX_MAP_H

#include "ir/graph/graph.h"

/* Instead of a position in the source: the element is none of the source's, but a fill value. */
enum { WEIR_INDEX_FILL = -1 };

typedef struct weir_index_loop {
    int64_t size;       /* iterations */
    int64_t stride;     /* elements of the source by which an iteration moves, where `at` is NULL */
    int64_t begin, end; /* iterations outside [begin, end) give the fill value, where `at` is NULL */
    const int64_t *at;  /* what iteration i adds; WEIR_INDEX_NONE: the fill value. NULL: i * stride */
} weir_index_loop;

/* In a loop's table, where what is added may be negative: iteration i gives the fill value. */
#define WEIR_INDEX_NONE INT64_MIN

typedef struct weir_index_map {
    weir_shape from, to;
    int64_t start;
    size_t count;          /* loops; the product of their sizes is the number of elements of `to` */
    weir_index_loop *loop; /* outermost first */
} weir_index_map;

/* Every element is itself, in a shape with as many. */
weir_index_map weir_index_map_keep(weir_arena *arena, const weir_shape *from, const weir_shape *to);
/* From loops over the elements of `to`; the table of a loop is copied where the map needs it. O(sum of sizes). */
weir_index_map weir_index_map_loops(weir_arena *arena, const weir_shape *from, const weir_shape *to, int64_t start,
                                    const weir_index_loop *loop, size_t count);
/* Index o of axis i of the result is index at[i][o] of that axis of the source, or WEIR_INDEX_FILL. Both have one
 * rank. */
weir_index_map weir_index_map_along(weir_arena *arena, const weir_shape *from, const weir_shape *to,
                                    const int64_t *const *at);
/* From the position of every element, or WEIR_INDEX_FILL. O(elements). */
weir_index_map weir_index_map_table(weir_arena *arena, const weir_shape *from, const weir_shape *to,
                                    const int64_t *position);
/* Dimension i of the result is dimension order[i] of the source. */
weir_index_map weir_index_map_transpose(weir_arena *arena, const weir_shape *from, const int *order);

/* First `first`, whose result is the source of `second`. Where both fill, the caller knows that it is with the same
 * value. O(elements of the result), O(loops) where one of them only reshapes. */
weir_index_map weir_index_map_then(weir_arena *arena, const weir_index_map *first, const weir_index_map *second);
/* The map back; false where an element is left out, repeated or filled. O(elements). */
bool weir_index_map_invert(weir_arena *arena, const weir_index_map *map, weir_index_map *inverse);

/* The source's element for element k of the result, or WEIR_INDEX_FILL. O(loops). */
int64_t weir_index_map_at(const weir_index_map *map, int64_t k);
/* The same for all. O(elements). */
int64_t *weir_index_map_positions(weir_arena *arena, const weir_index_map *map);
/* Copies the elements of `x` to `y`, which has the map's shape; `fill`: one element of their type, NULL: zero. */
void weir_index_map_apply(const weir_index_map *map, const weir_array *x, const weir_array *fill, weir_array *y);

/* Do the elements stay where they are, whatever the shape? */
bool weir_index_map_is_kept(const weir_index_map *map);
bool weir_index_map_fills(const weir_index_map *map);
/* Has no loop a table? */
bool weir_index_map_is_regular(const weir_index_map *map);
/* Do both give the same elements in the same shape? O(loops) where no loop has a table, else O(elements). */
bool weir_index_map_equal(const weir_index_map *a, const weir_index_map *b);

/* The map of a node from its input 0 to output `index`; false: the operator does not only move elements, or an input
 * that says how is not constant. The node's types are inferred. */
bool weir_index_map_of_node(weir_arena *arena, const weir_graph *graph, weir_node node, size_t index,
                            weir_index_map *map);
/* Has the operator index maps, where what says how is constant? Do its elements stay in their order, whatever the
 * shape? Or that, or its dimensions change their order? */
bool weir_index_map_exists(weir_op op);
bool weir_index_map_keeps(weir_op op);
bool weir_index_map_reshapes(weir_op op);

#endif
