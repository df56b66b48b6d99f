/* Constants of the model by channel of the codes that they meet. */
#include <string.h>

#include "exec/arithmetic.h"
#include "exec/kernel_common.h"
#include "ir/layout.h"
#include "passes/transform/view.h"
#include "support/arena.h"

/* Elements in row-major order belong to channels in turn. */
const weir_array *weir_lower_by_channel(weir_lowering *l, weir_node node, weir_value codes, const weir_array *constant,
                                        const weir_shape *shape) {
    const weir_shape *own = &weir_value_type(l->to, codes)->shape;
    const size_t channels = own->rank == 0 ? 1 : (size_t)own->dim[own->rank - 1],
                 size = weir_dtype_size(constant->dtype);
    size_t elements = 1, wanted = 1;
    weir_shape_count(shape, &elements);
    weir_shape_count(own, &wanted);
    if (elements != wanted) {
        weir_lower_fail(l, node, "its constant broadcasts its input to more elements");
        return NULL;
    }
    const weir_broadcast from = weir_broadcast_of(&constant->shape, shape);
    const int64_t count = constant->count == 1 ? 1 : (int64_t)channels;
    weir_array *result = weir_array_in(weir_graph_arena(l->to), constant->dtype, &(weir_shape){1, {count}});
    for (size_t i = 0; i < elements; i++) {
        const char *element = (const char *)constant->data + weir_broadcast_index(&from, i) * size;
        char *to = (char *)result->data + (count == 1 ? 0 : i % channels) * size;
        if (i < channels) memcpy(to, element, size);
        if (memcmp(to, element, size) == 0) continue;
        weir_lower_fail(l, node, "its constant must change along the channels only, the last axis of the dense layer");
        return NULL;
    }
    return result;
}

bool weir_lower_normalization(weir_lowering *l, weir_node node, weir_value codes, const weir_array **factor,
                              const weir_array **term) {
    const weir_array *p[5] = {NULL};
    for (size_t i = 1; i < 5; i++) {
        p[i] = weir_lower_constant(l, weir_node_input(l->from, node, i));
        if (p[i] == NULL) return weir_lower_fail(l, node, "input %zu must be a constant", i);
    }
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    weir_shape wide = {.rank = shape->rank};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = 1;
    wide.dim[weir_layout_channel_axis(l->from, node)] = (int64_t)p[1]->count;
    weir_array *factors = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &wide);
    weir_array *terms = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &wide);
    const float epsilon = (float)weir_node_float(l->from, node, "epsilon", 1e-5);
    for (size_t c = 0; c < factors->count; c++) {
        const weir_normalization n =
            weir_normalization_of((float)weir_array_get(p[1], c), (float)weir_array_get(p[2], c),
                                  (float)weir_array_get(p[3], c), (float)weir_array_get(p[4], c), epsilon);
        weir_array_set(factors, c, (double)n.factor);
        weir_array_set(terms, c, (double)n.term);
    }
    *factor = weir_lower_by_channel(l, node, codes, factors, shape);
    *term = *factor == NULL ? NULL : weir_lower_by_channel(l, node, codes, terms, shape);
    return *term != NULL;
}
