/* A random hardware graph of one component (or a small network) with data for it. Everything is a function of the seed:
 * the same seed builds the same graph on every machine. */
#ifndef WEIR_TESTS_COMPONENT_CASE_H
#define WEIR_TESTS_COMPONENT_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph/graph.h"

typedef struct component_case {
    uint64_t random;    /* state of the generator */
    const char *folder; /* for files that a graph needs, such as a folding */
    const char *device; /* whose target `graph` has before it is built, or NULL */
    weir_graph *graph;  /* called "hardware": folded, components assigned, with streams where components need them */
    weir_array **data;  /* by input: int64 codes [frames, elements] */
    int64_t low, high;  /* of the last input */
} component_case;

/* What a folder's random.c gives: `const component_test component_test_FOLDER`. */
typedef struct component_test {
    const char *name; /* the folder's */
    void (*build)(component_case *c);
    const char *parameters; /* suffix of the node and its memory whose content a planted fault changes, or NULL */
    bool joins;             /* it has branches that wait for each other in Fifos */
} component_test;

/* Of all folders, in order of names, made by CMake; ends with NULL. */
extern const component_test *const component_tests[];

enum { CASE_FRAMES = 12 };

/* --- random numbers --- */
uint64_t case_bits(component_case *c);
int64_t case_range(component_case *c, int64_t low, int64_t high);
bool case_chance(component_case *c, int percent);
/* A number of random size: small ones as likely as large ones; its magnitude has at most `bits` bits. */
int64_t case_number(component_case *c, int bits, bool is_signed);
int64_t case_divisor(component_case *c, int64_t of);
/* `count` such numbers, on the heap. */
int64_t *case_numbers(component_case *c, int64_t count, int bits, bool is_signed);
int case_compare(const void *a, const void *b); /* for qsort */
/* Rows of a frame: mostly one. */
int64_t case_rows(component_case *c);

/* --- building; failures are bugs of the test and abort --- */
/* A graph input: codes of [low, high] in `width` bits, shape [1, channels] or [1, rows, channels]. */
weir_value case_input(component_case *c, int64_t rows, int64_t channels, int width, bool is_signed);
/* The same of a random width, signed in so many of a hundred cases. Draws one behind the other: arguments of one call
 * that each draw would be drawn in the compiler's order. */
weir_value case_codes(component_case *c, int64_t rows, int64_t channels, int64_t least, int64_t most, int percent);
/* `frames` frames of codes for every input, the extreme ones more often than others. */
void case_make_data(component_case *c, int64_t frames);
void case_free_data(component_case *c);
weir_value case_ints(component_case *c, const char *name, int64_t rows, int64_t columns, const int64_t *values);
weir_node case_node(component_case *c, weir_op op, const char *name, const weir_value *inputs, size_t count,
                    size_t outputs);
weir_value case_result(const component_case *c, weir_node node);
/* Infers, gives the node its component and lanes. */
void case_place(component_case *c, weir_node node, int64_t in_lanes, int64_t out_lanes, int64_t digit);
/* A frame takes as long as the node, which follows others, needs with its lanes. */
void case_take_time(component_case *c, weir_node node);
/* As many lanes as a shorter interval of its graph takes, and what else makes it faster. For the only node that has
 * been placed. */
void case_hurry(component_case *c, weir_node node);
/* Attributes low and high: a random part of the codes of `bits` bits. */
void case_clip(component_case *c, weir_node node, int bits);
/* Elements a beat for a node with `parameters` a channel (1 or the number of channels): a part of the channels, or
 * those of several rows. */
int64_t case_lanes(component_case *c, int64_t rows, int64_t channels, int64_t parameters);
void case_finish(component_case *c, weir_value output);

/* --- what several components build --- */
weir_node case_cast(component_case *c, weir_value x, const char *name, int64_t rows, int64_t channels, int64_t lanes);
/* Sorted steps inside the range of codes and beyond it, `count` for all channels or for each, and lanes that fit
 * them. */
typedef struct case_thresholds {
    weir_node node;
    int64_t lanes, count;
} case_thresholds;
case_thresholds case_threshold(component_case *c, int64_t most_channels);
/* Attributes of a window over `rank` dimensions; `pads` has 2 * rank. */
void case_set_window(component_case *c, weir_node node, int rank, const int64_t *kernel, const int64_t *strides,
                     const int64_t *dilations, const int64_t *pads);
/* A whole case: one component that passes its stream on. */
void case_stream(component_case *c, weir_op op, int64_t depth);

#endif
