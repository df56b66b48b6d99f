/* Which codes a comparison of two graphs may replace. */
#ifndef WEIR_COSIM_SOURCES_H
#define WEIR_COSIM_SOURCES_H

#include "ir/graph/graph.h"

/* Codes from which only one of the lowered graph and the model computes a value, or an output, would change one of them
 * alone: they are removed from `may_replace`, by value id of the lowered graph. A mean over one element, for example,
 * has the codes of its operand, which the model's other readers do not take from the mean. So are codes that stand for
 * several values of the model of which none is computed from the others. `partner`, by value id of the model: the codes
 * that stand for it; none: it is computed from those in front. */
void weir_sources_keep_unshared(const weir_graph *model, const weir_graph *lowered, const weir_value *partner,
                                bool *may_replace);

#endif
