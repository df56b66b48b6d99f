#include "passes/quantize/mask.h"

#include <math.h>

#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"

enum { FAR = 64 }; /* below all others: exp(-64) is no share of any quantizer */

static bool only_softmaxes_read(const weir_graph *graph, weir_value value) {
    const size_t count = weir_value_use_count(graph, value);
    bool all = count > 0 && !weir_value_is_output(graph, value);
    for (size_t i = 0; all && i < count; i++)
        all = weir_trait_kind(graph, weir_value_use(graph, value, i).node) == WEIR_OP_SOFTMAX;
    return all;
}

/* Are all numbers 0 or far below, some of these? */
static bool is_far(const weir_array *numbers, bool zeros, double *least) {
    bool fine = weir_dtype_is_float(numbers->dtype);
    *least = INFINITY;
    for (size_t i = 0; fine && i < numbers->count; i++) {
        const double number = weir_array_get(numbers, i);
        if (zeros && number == 0) continue;
        fine = number <= -FAR;
        *least = fmin(*least, -number);
    }
    return fine;
}

/* Numbers from here on are nobody's. */
static const double NO_NUMBER = -1e4;

/* Has the constant both? */
static bool is_both(const weir_array *array) {
    bool numbers = false, far = false;
    for (size_t i = 0; weir_dtype_is_float(array->dtype) && i < array->count; i++) {
        const double number = weir_array_get(array, i);
        far |= number <= NO_NUMBER;
        numbers |= number > NO_NUMBER && number != 0;
    }
    return numbers && far;
}

static void split(weir_rewrite *r, size_t index) {
    const weir_array *both = weir_value_constant(r->graph, weir_node_input(r->graph, r->at, index));
    weir_array *numbers = weir_array_copy(both), *mask = weir_array_copy(both);
    for (size_t i = 0; i < both->count; i++)
        weir_array_set(weir_array_get(both, i) <= NO_NUMBER ? numbers : mask, i, 0);
    const weir_value scores = weir_node_input(r->graph, r->at, 1 - index),
                     sum = WEIR_REWRITE_NODE(r, WEIR_OP_ADD, "numbers", scores,
                                             weir_rewrite_constant(r, "numbers", numbers));
    weir_node_set_input(r->graph, r->at, 1 - index, sum);
    weir_node_set_input(r->graph, r->at, index, weir_rewrite_constant(r, "mask", mask));
}

bool weir_mask_split(weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    for (r.at = weir_graph_first(graph); r.at.id != 0; r.at = weir_node_next(graph, r.at)) {
        if (weir_trait_kind(graph, r.at) != WEIR_OP_ADD ||
            !only_softmaxes_read(graph, weir_node_output(graph, r.at, 0)))
            continue;
        for (size_t i = 0; i < 2; i++) {
            const weir_array *array = weir_value_constant(graph, weir_node_input(graph, r.at, i));
            if (array != NULL && is_both(array)) split(&r, i);
        }
    }
    return weir_rewrite_finish(&r);
}

bool weir_mask_of(const weir_graph *graph, weir_node node, weir_mask *mask) {
    const weir_op kind = weir_trait_kind(graph, node);
    const bool where = kind == WEIR_OP_WHERE;
    if ((kind != WEIR_OP_ADD && !where) || !only_softmaxes_read(graph, weir_node_output(graph, node, 0))) return false;
    const uint32_t first = where ? 1 : 0;
    for (uint32_t i = first; i < first + 2; i++) {
        const weir_value value = weir_node_input(graph, node, i),
                         other = weir_node_input(graph, node, 2 * first + 1 - i);
        const weir_array *far = weir_value_constant(graph, other),
                         *pattern = where ? weir_value_constant(graph, weir_node_input(graph, node, 0)) : far;
        const weir_shape *shape = &weir_value_type(graph, weir_node_output(graph, node, 0))->shape;
        *mask = (weir_mask){.data = i, .pattern = pattern, .sum = !where, .leaves_true = i == 2};
        if (far != NULL && pattern != NULL && weir_value_constant(graph, value) == NULL &&
            weir_shape_equal(&weir_value_type(graph, value)->shape, shape) && is_far(far, !where, &mask->least))
            return true;
    }
    return false;
}

bool weir_mask_leaves_out(const weir_mask *mask, size_t i) {
    const double number = weir_array_get(mask->pattern, i);
    return mask->sum ? number < 0 : (number != 0) == mask->leaves_true;
}

bool weir_mask_is_far(const weir_array *numbers) {
    double least;
    return is_far(numbers, true, &least);
}

bool weir_mask_is_kept(const weir_graph *graph, weir_value value) {
    if (value.id == 0 || weir_value_constant(graph, value) != NULL) return true;
    const weir_node maker = weir_value_producer(graph, value);
    if (maker.id == 0) return false;
    if (weir_node_op(graph, maker) == WEIR_OP_STATE) return weir_recurrence_is_kept(graph, maker);
    const weir_op op = weir_node_op(graph, maker);
    bool kept = weir_trait_of(op)->is_exact || weir_trait_is_quantizer(op);
    for (size_t i = 0; kept && i < weir_node_input_count(graph, maker); i++)
        kept = weir_mask_is_kept(graph, weir_node_input(graph, maker, i));
    return kept;
}

bool weir_mask_may_be(const weir_graph *graph, weir_node node, uint32_t data, weir_computed_mask *mask) {
    const weir_op kind = weir_trait_kind(graph, node);
    const bool where = kind == WEIR_OP_WHERE;
    const weir_value result = weir_node_output(graph, node, 0);
    if ((kind != WEIR_OP_ADD && !where) || data < where || data > where + 1u || !only_softmaxes_read(graph, result))
        return false;
    const uint32_t last = where ? 3 - data : 1 - data;
    const weir_array *far = weir_value_constant(graph, weir_node_input(graph, node, last));
    double least;
    *mask = (weir_computed_mask){data, where ? 0 : last, !where};
    return weir_value_constant(graph, weir_node_input(graph, node, data)) == NULL &&
           weir_value_constant(graph, weir_node_input(graph, node, mask->other)) == NULL &&
           weir_shape_equal(&weir_value_type(graph, weir_node_input(graph, node, data))->shape,
                            &weir_value_type(graph, result)->shape) &&
           (!where || (far != NULL && far->count == 1 && is_far(far, false, &least)));
}
