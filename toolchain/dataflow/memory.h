/* The parameter memories of the hardware graph: which ROMs a node has, their shape and their content. One documented
 * order for each kind:
 *   weights  word (group g, beat b) holds, for output p and input s of the fold, w[g * PE + p, b * SIMD + s] at index
 *            p * SIMD + s; words in the order g, then b. Outputs and inputs beyond the matrix are zero.
 *   scale    word g holds for lane l {add, multiplier} of channel g * LANES + l, the multiplier in the low bits.
 *   add      word g holds for lane l the addition of channel g * LANES + l.
 *   thresholds  for group g, ceil(COUNT / PARALLEL) words; lane l's thresholds at index l * PARALLEL + i; unused ones
 *            are the largest value, which no input reaches. */
#ifndef WEIR_DATAFLOW_MEMORY_H
#define WEIR_DATAFLOW_MEMORY_H

#include "ir/graph.h"
#include "support/text.h"

typedef enum weir_memory_kind {
    WEIR_MEMORY_NONE,
    WEIR_MEMORY_WEIGHTS,
    WEIR_MEMORY_SCALE,
    WEIR_MEMORY_ADD,
    WEIR_MEMORY_THRESHOLDS
} weir_memory_kind;

typedef struct weir_memory {
    weir_memory_kind kind;
    const char *suffix;   /* "weights", "scale", "add", "thresholds" */
    int64_t width, depth; /* bits of a word, words */
    int64_t fields;       /* of equal width, element 0 in the low bits */
    int field_bits;       /* bits of a weight, addition or threshold; scale: of both parts */
    int low_bits;         /* scale: bits of the multiplier */
    weir_storage storage; /* block or logic: never auto */
} weir_memory;

/* The node's ROM; kind NONE when it has none. The node must be folded. */
weir_memory weir_memory_of(const weir_graph *graph, weir_node node);
/* Content for $readmemh: one word a line, most significant digit first. */
void weir_memory_print(const weir_graph *graph, weir_node node, const weir_memory *rom, weir_text *text);
/* "NODE_SUFFIX.hex" in heap memory; a name that is too long for a file is cut and gets its hash. */
char *weir_memory_file(const weir_graph *graph, weir_node node, const weir_memory *rom);

#endif
