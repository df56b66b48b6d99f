/* QLinearSoftmax: weir.Softmax of rows that are innermost. It is hardware where a node that only hardware computes
 * needs its result; at the end of a network it stays the host's. */
#include <float.h>
#include <stdlib.h>

#include "exec/softmax.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* Only hardware computes it, not the host behind hardware. */
static bool is_hardware(weir_op op) {
    return !weir_trait_of(op)->is_for_host || weir_trait_of(op)->task == WEIR_TASK_LAYER;
}

/* Does such a node depend on the node's result? */
static bool is_needed(const weir_graph *model, weir_node node) {
    bool *depends = weir_calloc(weir_graph_value_limit(model), sizeof *depends), needed = false;
    depends[weir_node_output(model, node, 0).id] = true;
    for (weir_node user = weir_node_next(model, node); user.id != 0 && !needed; user = weir_node_next(model, user)) {
        bool any = false;
        for (size_t i = 0; i < weir_node_input_count(model, user); i++)
            any |= depends[weir_node_input(model, user, i).id];
        for (size_t i = 0; any && i < weir_node_output_count(model, user); i++)
            depends[weir_node_output(model, user, i).id] = true;
        needed = any && is_hardware(weir_node_op(model, user));
    }
    free(depends);
    return needed;
}

/* The powers of the codes' distances in rows of `length`; no value after a reported error. */
static weir_value add_powers(weir_lowering *l, weir_node node, const weir_type *codes, double scale, int64_t length,
                             float steps) {
    const int64_t count = codes->high - codes->low + 1;
    weir_array *power = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {count}});
    weir_softmax_powers((float)scale, (size_t)length, (float *)power->data, (size_t)count);
    const double most = weir_array_get(power, 0) * (double)steps;
    if (most > FLT_MAX) {
        weir_lower_fail(l, node, "its scale allows %g steps, but ONNX Runtime's arithmetic at most %g in rows of %lld",
                        (double)steps, (double)FLT_MAX / weir_array_get(power, 0), (long long)length);
        weir_note("its codes would be meaningless; a softmax is at most 1, so 256 steps, a scale of 1/256, are enough");
        return WEIR_NO_VALUE;
    }
    char *name = weir_format("%s_powers", weir_node_name(l->from, node));
    const weir_value constant = weir_graph_add_constant(l->to, name, power);
    free(name);
    return constant;
}

bool weir_lower_softmax(weir_lowering *l, weir_node node) {
    const weir_type *from = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    weir_quant x, y;
    if (!is_needed(l->from, node))
        return weir_lower_fail(l, node, "no node that only hardware computes needs it: the host computes it");
    if (!weir_lower_read_quant(l, node, 1, 2, from->dtype, 0, &x) ||
        !weir_lower_read_quant(l, node, 3, 4, from->dtype, 0, &y))
        return false;
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_read_codes(l, node, 0, NULL));
    if (codes.id == 0) return false;
    const weir_shape shape = weir_value_type(l->to, codes)->shape;
    const int64_t given = weir_node_int(l->from, node, "axis", -1);
    const int axis = (int)(given < 0 ? given + shape.rank : given);
    const bool innermost = axis == shape.rank - 1;
    const float steps = weir_softmax_steps((float)weir_quant_scale(&y, 0));
    if (!innermost) codes = weir_lower_rows(l, node, codes, axis);
    if (codes.id == 0) return false;
    const weir_type *type = weir_value_type(l->to, codes);
    const weir_value powers = add_powers(l, node, type, weir_quant_scale(&x, 0), shape.dim[axis], steps);
    if (powers.id == 0) return false;
    int64_t low, high;
    weir_quant_limits(&y, &low, &high);
    const weir_type made_type = weir_lower_codes_type(&y, &type->shape, low, high);
    const weir_value inputs[2] = {codes, powers};
    const weir_node made =
        weir_lower_add_node(l, node, WEIR_OP_SOFTMAX_CODES, innermost ? "" : "_softmax", inputs, 2, &made_type);
    weir_node_set_int(l->to, made, "steps", (int64_t)steps);
    weir_node_set_int(l->to, made, "zero", weir_quant_zero(&y, 0));
    if (!weir_infer_node(l->to, made)) return false;
    const weir_value result = weir_node_output(l->to, made, 0);
    return weir_lower_set_codes(l, node, innermost ? result : weir_lower_from_rows(l, node, result, &shape, axis));
}
