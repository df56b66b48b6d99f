/* What weir_requantize and weir_requantize_float have in common: (x + a) * m or x * m + a, DIGIT multiplier bits a
 * cycle. Parameters: word g holds for lane l {add, multiplier} of channel g * LANES + l, the multiplier in the low
 * bits. */
#ifndef WEIR_DATAFLOW_MULTIPLIER_PRIVATE_H
#define WEIR_DATAFLOW_MULTIPLIER_PRIVATE_H

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"

/* What folding sets, multiplier bits a cycle, and where products are formed. */
enum { WEIR_MULTIPLIER_SETTINGS = 2 };
extern const weir_component_setting weir_multiplier_settings[WEIR_MULTIPLIER_SETTINGS];
/* Multipliers of 0 or more. */
bool weir_multiplier_fits(const weir_graph *graph, weir_node node, weir_text *why);
/* Bits of the multiplier. */
int64_t weir_multiplier_pieces(const weir_graph *graph, weir_node node);
/* Whether there is a product a cycle, out of multiplier blocks (rtl/linear/weir_scale_multiply.v). */
bool weir_multiplier_in_blocks(const weir_graph *graph, weir_node node);
/* Of the multiplication alone, with elements of `x` bits and so many addends after the product (0 or 1). */
weir_component_timing weir_multiplier_timing(const weir_graph *graph, weir_node node, int64_t x, int64_t addends);
/* Signed bits of an element of the input. */
int64_t weir_multiplier_element_bits(const weir_graph *graph, weir_node node);
bool weir_multiplier_memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory);
weir_memory_content weir_multiplier_content;
/* The instance with what both have. */
weir_rtl_instance weir_multiplier_build(weir_builder *b, weir_node node, int64_t low, int64_t high);
/* What weir_scale_multiply takes with elements of `x` bits and addends of `add` bits (0: none), and weir_pipeline with
 * results of `out` bits around arithmetic of `before` and `behind` more cycles: three terms and one that `cells` more
 * count in. */
void weir_multiplier_cost(weir_cost_part *part, int64_t x, int64_t add, int64_t out, int64_t before, int64_t after,
                          int64_t rest, int64_t cells);
/* What the multipliers and addends are, lane by lane. */
size_t weir_multiplier_facts(const weir_graph *graph, weir_node node, weir_cost_parameter *fact);
void weir_multiplier_describe(const weir_graph *graph, weir_node node, weir_text *text);

#endif
