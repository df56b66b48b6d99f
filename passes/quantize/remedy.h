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
/* The first input of a product or convolution that no quantizer makes; false: there is none. */
bool weir_remedy_unquantized(const weir_graph *model, weir_use *use);

#endif
