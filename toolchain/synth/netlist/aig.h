/* And-inverter graphs: combinational logic as AND gates of two inputs and complements, each made once. */
#ifndef WEIR_SYNTH_AIG_H
#define WEIR_SYNTH_AIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node and whether it is complemented: 2 * node + complement. Node 0 is the constant. */
typedef uint32_t weir_literal;
enum { WEIR_LITERAL_FALSE, WEIR_LITERAL_TRUE };
static inline weir_literal weir_literal_not(weir_literal a) { return a ^ 1; }

/* Each node has its values under so many random patterns, 64 a word. */
enum { WEIR_AIG_WORDS = 8 };

typedef struct weir_aig weir_aig;

weir_aig *weir_aig_new(void);
void weir_aig_free(weir_aig *aig);
weir_literal weir_aig_input(weir_aig *aig);
/* Equal functions of the same operands are one node; constants are folded. Amortized constant time. */
weir_literal weir_aig_and(weir_aig *aig, weir_literal a, weir_literal b);
weir_literal weir_aig_or(weir_aig *aig, weir_literal a, weir_literal b);
weir_literal weir_aig_xor(weir_aig *aig, weir_literal a, weir_literal b);
weir_literal weir_aig_mux(weir_aig *aig, weir_literal select, weir_literal when_1, weir_literal when_0);
/* The literal is an input, or the complement of one. */
bool weir_aig_is_input(const weir_aig *aig, weir_literal literal);
/* 64 of its values. */
uint64_t weir_aig_word(const weir_aig *aig, weir_literal literal, size_t word);
/* They have the same values under all patterns. */
bool weir_aig_looks_equal(const weir_aig *aig, weir_literal a, weir_literal b);
/* Other patterns for an input; and for the logic what follows from these. */
void weir_aig_set_words(weir_aig *aig, weir_literal input, const uint64_t words[WEIR_AIG_WORDS]);
void weir_aig_simulate(weir_aig *aig);
/* By node: does it depend on an input that is marked? `marked`: by node, of inputs only; filled. */
void weir_aig_mark(const weir_aig *aig, bool *marked);
/* By node: its function with the inputs that are marked at 0, as a literal. Heap memory. */
weir_literal *weir_aig_without(weir_aig *aig, const bool *marked);
size_t weir_aig_nodes(const weir_aig *aig);
/* All inputs and the logic as binary AIGER (A. Biere, "The AIGER And-Inverter Graph format", version 20070427). False
 * after a reported error. */
bool weir_aig_write(const weir_aig *aig, const weir_literal *outputs, size_t count, const char *path);

#endif
