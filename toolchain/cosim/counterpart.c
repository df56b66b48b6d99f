#include "cosim/counterpart.h"

#include <assert.h>

#include "support/memory/arena.h"

void weir_counterparts_free(weir_counterparts *counterparts) {
    if (counterparts != NULL) weir_arena_free(counterparts->arena);
}

double weir_counterpart_decode(const weir_counterpart *c, const weir_type *type, const weir_array *codes, size_t i) {
    assert(c->offset_count == 0 || c->offset != NULL);
    assert(c->codes || type->quant.format != WEIR_FORMAT_FLOAT);
    if (c->map != NULL) i = (size_t)weir_index_map_at(c->map, (int64_t)i);
    const int64_t code = weir_array_get_int(codes, i);
    if (c->codes) return (double)code;
    const weir_quant *quant = &type->quant;
    int64_t channel = quant->count > 1 ? (int64_t)(i % quant->count) : 0;
    double real = (double)(code - weir_quant_zero(quant, channel)) * weir_quant_scale(quant, channel);
    /* The model adds in float32. */
    if (c->offset != NULL)
        real = (double)((float)real + (float)c->offset[c->offset_count == 1 ? 0 : i % c->offset_count]);
    return c->relu && real < 0 ? 0 : real;
}
