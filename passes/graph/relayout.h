/* The steps of convert_layout: which order a node is to have, and how it is rewritten for that. */
#ifndef WEIR_TRANSFORM_RELAYOUT_H
#define WEIR_TRANSFORM_RELAYOUT_H

#include "ir/trait/trait.h"
#include "passes/graph/carrier.h"

/* --- relayout_choice.c --- */

/* Does an operator of the kind have an order that its data may change? */
bool weir_relayout_is_ordered(weir_trait_order order);
/* Is the value there, and no constant? */
bool weir_relayout_is_data(const weir_relayout *c, weir_value value);
/* Do all inputs that are data have the output's rank, so that one order serves them and the output? */
bool weir_relayout_shares(const weir_relayout *c, weir_node node);
/* The order that the node's result will have behind nodes that put channels last, so that other inputs of its users
 * come in that order, too: only the host can transpose them, before the hardware. From the first node to the last. */
void weir_relayout_expect(weir_relayout *c, weir_node node);
/* The order that the users of each value prefer, from the last node to the first. */
void weir_relayout_want(weir_relayout *c, weir_node node);
/* The cheapest order for the node: the one its users prefer, an input's, or the model's. */
weir_order weir_relayout_choose(const weir_relayout *c, weir_node node);

/* --- relayout_node.c: rewriting, one function a kind --- */

void weir_relayout_node(weir_relayout *c, weir_node node);

/* --- relayout_view.c --- */

/* A Reshape, and what else gives the same elements in another shape. False: nothing was done, for the result has none
 * of the orders. */
bool weir_relayout_view(weir_relayout *c, weir_node node);

#endif
