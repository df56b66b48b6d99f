#include "cosim/grid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ir/trait/trait.h"

bool weir_grid_is_power(double number) {
    int exponent;
    return frexp(number, &exponent) == 0.5;
}

bool weir_grid_has(const weir_grid *g, weir_value value) {
    const weir_value partner = g->partner[value.id];
    const weir_counterpart *c = &g->counterparts->of[value.id];
    if (partner.id == 0 || c->offset != NULL) return false;
    const weir_quant *quant = &weir_value_type(g->lowered, partner)->quant;
    bool grid = true;
    for (uint32_t i = 0; !c->codes && i < (quant->count == 0 ? 1 : quant->count); i++)
        grid &= weir_grid_is_power(weir_quant_scale(quant, i));
    return grid;
}

bool weir_grid_computes(const weir_grid *g, weir_node node) {
    const weir_op op = weir_node_op(g->model, node), kind = weir_trait_of(op)->kind;
    const bool product = weir_trait_of(op)->task == WEIR_TASK_LAYER, sum = kind == WEIR_OP_ADD || kind == WEIR_OP_SUB;
    const bool mean = weir_trait_of(op)->task == WEIR_TASK_MEAN;
    const bool moves = mean || weir_trait_of(op)->is_exact;
    const size_t count = product || mean ? 1 : sum ? 2 : moves ? weir_node_input_count(g->model, node) : 0;
    bool grid = true;
    for (size_t i = 0; i < count; i++) {
        const weir_value x = weir_node_input(g->model, node, i);
        const weir_node maker = x.id == 0 ? WEIR_NO_NODE : weir_value_producer(g->model, x);
        if (x.id != 0 && g->partner[x.id].id != 0) grid &= weir_grid_has(g, x);
        else if (moves) grid &= maker.id == 0 || weir_grid_computes(g, maker);
        else grid &= sum;
    }
    return grid;
}

bool weir_grid_feeds(const weir_grid *g, weir_value value) {
    const weir_node maker = weir_value_producer(g->model, value);
    if (g->partner[value.id].id != 0) return weir_grid_has(g, value);
    bool grid = true;
    for (size_t i = 0; maker.id != 0 && i < weir_node_input_count(g->model, maker); i++) {
        const weir_value from = weir_node_input(g->model, maker, i);
        if (from.id != 0 && weir_trait_of(weir_node_op(g->model, maker))->is_exact) grid &= weir_grid_feeds(g, from);
    }
    return grid;
}

double weir_grid_step(const weir_grid *g, weir_value value, size_t i) {
    assert(g->partner[value.id].id != 0);
    const weir_quant *quant = &weir_value_type(g->lowered, g->partner[value.id])->quant;
    if (g->counterparts->of[value.id].codes) return 1;
    return weir_quant_scale(quant, quant->count > 1 ? (int64_t)(i % quant->count) : 0);
}

/* Does it multiply codes by numbers that are no powers of two? */
static bool rounds(const weir_graph *model, weir_node node) {
    if (!weir_trait_is_quantizer(weir_node_op(model, node)) || weir_node_input_count(model, node) < 2) return false;
    const weir_array *scale = weir_value_constant(model, weir_node_input(model, node, 1));
    bool exact = scale != NULL;
    for (size_t k = 0; exact && k < scale->count; k++) exact = weir_grid_is_power(weir_array_get(scale, k));
    return !exact;
}

bool *weir_grid_rounded_constants(const weir_graph *model, weir_arena *arena) {
    bool *rounded = weir_arena_array(arena, weir_graph_value_limit(model), sizeof *rounded);
    bool *fixed = weir_calloc(weir_graph_value_limit(model), sizeof *fixed);
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        bool all = weir_node_op(model, node) != WEIR_OP_STATE, any = rounds(model, node);
        for (size_t i = 0; i < weir_node_input_count(model, node); i++) {
            const weir_value value = weir_node_input(model, node, i);
            all &= value.id == 0 || fixed[value.id] || weir_value_constant(model, value) != NULL;
            any |= rounded[value.id];
        }
        for (size_t i = 0; all && i < weir_node_output_count(model, node); i++) {
            const weir_value value = weir_node_output(model, node, i);
            fixed[value.id] = true;
            rounded[value.id] = any && weir_dtype_is_float(weir_value_type(model, value)->dtype);
        }
    }
    free(fixed);
    return rounded;
}
