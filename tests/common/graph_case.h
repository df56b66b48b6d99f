/* The graph and the data of a text case: what tests of passes over graphs and of operators share. */
#ifndef WEIR_TEST_GRAPH_CASE_H
#define WEIR_TEST_GRAPH_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph/graph.h"

uint64_t case_seed(const char *text);
/* Real numbers are uniform with some zeros of both signs among them, integers whole. */
void case_fill_random(weir_array *array, uint64_t seed, double low, double high);
/* The rest of the line "NAME = ..." in a section, on the heap, or NULL. */
char *case_find_line(const char *section, const char *name);
/* Fills the array from `line`: "1 2 3" (repeated until it is full) or "random LOW HIGH", seeded by the name; NULL:
 * random in [-1, 1] or [-8, 8]. False when the line is something else. */
bool case_fill(weir_array *array, const char *name, const char *line);
/* The graph of a text whose constants, and scales and zero points by axis (`w.scale`, `w.zero_point`), are as the lines
 * of the section `data` say (NULL: none). NULL after reported errors, which call the text "input". */
weir_graph *case_read_graph(const char *text, const char *data);

#endif
