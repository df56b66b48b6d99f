/* Lookup tables of a memory in logic, by the contents of its columns: each is a decision on the address, upper bits
 * first, and what columns have in common, even inverted, is built once. */
#ifndef WEIR_DATAFLOW_CONTENTS_TABLES_H
#define WEIR_DATAFLOW_CONTENTS_TABLES_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_contents_tables {
    int64_t leaves;  /* functions of as many address bits as a lookup table has inputs */
    int64_t choices; /* among these: of two if a lookup table has no room for more, or of four */
} weir_contents_tables;

/* Lines in a word of a column. */
enum { WEIR_CONTENTS_WORD = 64 };

/* For lookup tables with 4 to 6 inputs. Line i of column k is bit i % 64 of word[k * ceil(lines / 64) + i / 64]; zeros
 * follow the last line. Columns that are constant, or equal to another one, cost nothing. Cost: O(bits). */
weir_contents_tables weir_contents_tables_count(const uint64_t *word, size_t columns, int64_t lines, int64_t inputs);

#endif
