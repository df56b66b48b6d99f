/* What the note of an error advises the user to do. */
#ifndef WEIR_TRANSFORM_REMEDY_H
#define WEIR_TRANSFORM_REMEDY_H

#include "ir/graph/graph.h"

/* The note that belongs to the error that this operator has no hardware. */
void weir_remedy_operator(weir_op op);

/* Does the model have quantizers of its own? */
bool weir_remedy_has_quantizers(const weir_graph *model);
/* Does a quantizer give the value, as it is or moved? */
bool weir_remedy_is_quantized(const weir_graph *model, weir_value value);
/* Inputs that no quantizer makes where hardware needs one: of products, convolutions, means and normalizations of
 * normalizations, and real numbers that are combined with what quantizers make, or choose among that, for other
 * quantizers or layers. The first for which `take` (NULL: any) is true, in the order of the nodes; false: there is
 * none. */
typedef bool weir_remedy_take(void *user, weir_use use);
bool weir_remedy_each_unquantized(const weir_graph *model, weir_remedy_take *take, void *user);
bool weir_remedy_unquantized(const weir_graph *model, weir_use *use);
/* Does --quantize add them? What a note then ends with. */
#define WEIR_REMEDY_COMPLETE ", or let --quantize int8 --calibration DATA add what is missing"
bool weir_remedy_completes(const weir_graph *model);

/* Reports each number format of the model that has no hardware, with the nearest that has, or quantizers without fixed
 * scales; false then. */
bool weir_remedy_formats(const weir_graph *model);

#endif
