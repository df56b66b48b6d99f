/* The parameter memories of a node: words of equal fields, field 0 in the low bits. Each component's file documents the
 * order of its memories' contents. */
#ifndef WEIR_DATAFLOW_MEMORY_H
#define WEIR_DATAFLOW_MEMORY_H

#include "dataflow/component.h"

/* Memory `index` of a node that has its component and folding; false: it has no such memory. */
bool weir_memory_get(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory);
/* Is a memory of that size in blocks by default? */
bool weir_memory_wants_blocks(int64_t width, int64_t depth);
/* Bits of all memories of the node. */
int64_t weir_memory_bits(const weir_graph *graph, weir_node node);
/* Whether a word of each fits in one vector of hardware. */
bool weir_memory_fits_vectors(const weir_graph *graph, weir_node node);
/* Content for $readmemh: `side` words a line, the first in the low bits, most significant digit first. */
void weir_memory_print(const weir_graph *graph, weir_node node, const weir_memory *memory, weir_text *text);
/* "NODE_SUFFIX.hex" in heap memory; a name that is too long for a file, or has other characters than letters, digits
 * and "_", is cut, has "_" for these, and gets its hash. */
char *weir_memory_file(const weir_graph *graph, weir_node node, const weir_memory *memory);

/* --- for components --- */

/* Bits of a constant as two's complement. */
int weir_memory_signed_bits(const weir_graph *graph, weir_value constant);
/* Words for the rows of a constant, `lanes` rows a word. */
int64_t weir_memory_words(const weir_graph *graph, weir_value constant, int64_t lanes);
/* Element [row, column] of a constant of so many columns, `outside` beyond a row's end; after its last row follows the
 * first. */
int64_t weir_memory_element(const weir_graph *graph, weir_value constant, int64_t row, int64_t column, int64_t columns,
                            int64_t outside);

#endif
