#include "cosim/tolerance.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* A few roundings of float32 in a row, relative to the largest number involved. */
static const double ROUNDING = 0x1p-22;

/* --- the kernel on other inputs --- */

static weir_array **run(const weir_operands *o, const weir_array *const *input) {
    size_t count = weir_node_output_count(o->graph, o->node);
    weir_array **output = weir_calloc(count, sizeof *output);
    for (size_t i = 0; i < count; i++) {
        const weir_type *type = weir_value_type(o->graph, weir_node_output(o->graph, o->node, i));
        output[i] = weir_array_new(type->dtype, &type->shape);
    }
    weir_kernel_run(o->graph, o->node, input, output);
    return output;
}

/* The output `index` of those, alone. */
static weir_array *take(const weir_operands *o, weir_array **output, size_t index) {
    assert(index < weir_node_output_count(o->graph, o->node));
    weir_array *taken = output[index];
    for (size_t i = 0; i < weir_node_output_count(o->graph, o->node); i++) {
        if (i != index) weir_array_free(output[i]);
    }
    free(output);
    return taken;
}

/* input + by * slack where there is slack, and one number of the element type beyond, for that sum is rounded too. */
static weir_array *shifted(const weir_array *input, const double *slack, double by) {
    weir_array *moved = weir_array_copy(input);
    for (size_t i = 0; i < moved->count; i++) {
        double sum = weir_array_get(input, i) + by * slack[i];
        bool real = weir_dtype_is_float(input->dtype) && slack[i] > 0;
        weir_array_set(moved, i, real ? (double)nextafterf((float)sum, by > 0 ? INFINITY : -INFINITY) : sum);
    }
    return moved;
}

weir_array *weir_tolerance_moved(const weir_operands *o, const double *reach, double by) {
    const weir_array **input = weir_calloc(o->slots, sizeof *input);
    memcpy(input, o->input, o->slots * sizeof *input);
    weir_array *moved = shifted(o->input[0], reach, by);
    input[0] = moved;
    weir_array *output = take(o, run(o, input), 0);
    weir_array_free(moved);
    free(input);
    return output;
}

/* --- products --- */

/* Magnitudes, or with `slack` the errors, of input `index`; NULL where there is none. */
static weir_array *magnitudes(const weir_operands *o, size_t index, bool slack) {
    assert(index < o->slots);
    if (o->input[index] == NULL) return NULL;
    weir_array *made = weir_array_copy(o->input[index]);
    for (size_t i = 0; i < made->count; i++) {
        double error = o->slack[index] == NULL ? 0 : o->slack[index][i];
        weir_array_set(made, i, slack ? error : fabs(weir_array_get(made, i)));
    }
    return made;
}

/* The product of the magnitudes; those inputs whose bit is in `errors` stand with their errors instead. */
static weir_array *product(const weir_operands *o, unsigned errors) {
    const weir_array **input = weir_calloc(o->slots, sizeof *input);
    for (size_t i = 0; i < o->slots; i++) input[i] = magnitudes(o, i, errors >> i & 1);
    weir_array *made = take(o, run(o, input), 0);
    for (size_t i = 0; i < made->count; i++) weir_array_set(made, i, fabs(weir_array_get(made, i)));
    for (size_t i = 0; i < o->slots; i++) weir_array_free((weir_array *)(uintptr_t)input[i]);
    free(input);
    return made;
}

weir_array *weir_tolerance_magnitude(const weir_operands *o) { return product(o, 0); }

/* How many terms an output of a product has, or more. */
static int64_t terms(const weir_operands *o) {
    assert(o->slots > 1);
    const weir_op kind = weir_trait_kind(o->graph, o->node);
    const weir_array *weights = o->input[1];
    if (kind == WEIR_OP_CONV) return (int64_t)weights->count / weights->shape.dim[0];
    if (kind == WEIR_OP_CONV_TRANSPOSE) return (int64_t)weights->count / weights->shape.dim[1];
    const weir_shape *shape = &o->input[0]->shape;
    bool transposed =
        weir_trait_kind(o->graph, o->node) == WEIR_OP_GEMM && weir_node_int(o->graph, o->node, "transA", 0);
    return shape->rank == 0 ? 1 : shape->dim[transposed ? 0 : shape->rank - 1];
}

/* How far float32 may be off in an output whose terms' magnitudes add up to that: each term and each sum is rounded,
 * and below the normal numbers by half of the least one. */
static double rounding_of(const weir_operands *o, double magnitude) {
    return (double)(terms(o) + 8) * (0x1.03p-24 * magnitude + (double)FLT_TRUE_MIN);
}

static void propagate_product(const weir_operands *o, double *error) {
    weir_array *size = product(o, 0), *from = o->slack[0] == NULL ? NULL : product(o, 1);
    for (size_t i = 0; i < size->count; i++)
        error[i] = rounding_of(o, weir_array_get(size, i)) + (from == NULL ? 0 : weir_array_get(from, i));
    weir_array_free(size);
    weir_array_free(from);
}

/* --- any other node --- */

/* Of those that are finite: a mask has others. */
static double largest(const weir_array *array) {
    double found = 0;
    for (size_t i = 0; i < array->count; i++) {
        const double number = fabs(weir_array_get(array, i));
        if (isfinite(number)) found = fmax(found, number);
    }
    return found;
}

/* The error is at least how far output `index` is with these inputs from what it is. */
static void add_distance(const weir_operands *o, size_t index, const weir_array *const *input, const weir_array *output,
                         double *error) {
    assert(index < weir_node_output_count(o->graph, o->node));
    weir_array *moved = take(o, run(o, input), index);
    for (size_t i = 0; i < moved->count; i++)
        error[i] = fmax(error[i], fabs(weir_array_get(moved, i) - weir_array_get(output, i)));
    weir_array_free(moved);
}

/* How far output `index` moves when all inputs are off at once; odd ones in the other direction with `against`. */
static void add_movement(const weir_operands *o, size_t index, const weir_array *output, double by, bool against,
                         double *error) {
    const weir_array **input = weir_calloc(o->slots, sizeof *input);
    for (size_t i = 0; i < o->slots; i++) {
        bool moves = o->input[i] != NULL && o->slack[i] != NULL;
        input[i] = moves ? shifted(o->input[i], o->slack[i], against && i % 2 == 1 ? -by : by) : o->input[i];
    }
    add_distance(o, index, input, output, error);
    for (size_t i = 0; i < o->slots; i++) {
        if (input[i] != o->input[i]) weir_array_free((weir_array *)(uintptr_t)input[i]);
    }
    free(input);
}

/* Does float32 add these two exactly? */
static bool is_exact_sum(const weir_operands *o, const weir_array *output) {
    if (weir_trait_kind(o->graph, o->node) != WEIR_OP_ADD || o->input[0]->count != output->count ||
        o->input[1]->count != output->count)
        return false;
    for (size_t i = 0; i < output->count; i++) {
        if (weir_array_get(o->input[0], i) + weir_array_get(o->input[1], i) != weir_array_get(output, i)) return false;
    }
    return true;
}

bool weir_tolerance_amplifies(const weir_graph *graph, weir_node node) {
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, node))->task;
    return task == WEIR_TASK_NORMALIZATION ||
           (task == WEIR_TASK_SOFTMAX &&
            weir_dtype_is_float(weir_value_type(graph, weir_node_output(graph, node, 0))->dtype));
}

/* A normalization of a row that is nearly constant amplifies what its elements differ by, a softmax of large numbers,
 * too: neighbours are off in opposite directions, by their own slack and by roundings of the largest. */
static void add_differences(const weir_operands *o, size_t index, const weir_array *output, double *error) {
    const weir_array *data = o->input[0];
    const double rounding = ROUNDING * largest(data);
    for (int direction = -1; direction <= 1; direction += 2) {
        const weir_array **input = weir_calloc(o->slots, sizeof *input);
        memcpy(input, o->input, o->slots * sizeof *input);
        weir_array *moved = weir_array_copy(data);
        for (size_t i = 0; i < data->count; i++) {
            const double by = rounding + (o->slack[0] == NULL ? 0 : o->slack[0][i]);
            weir_array_set(moved, i, weir_array_get(data, i) + (i % 2 == 0 ? direction : -direction) * by);
        }
        input[0] = moved;
        add_distance(o, index, input, output, error);
        weir_array_free(moved);
        free(input);
    }
}

double *weir_tolerance_propagate(const weir_operands *o, size_t index, const weir_array *output) {
    assert(index < weir_node_output_count(o->graph, o->node));
    double *error = weir_calloc(output->count + 1, sizeof *error);
    weir_op op = weir_node_op(o->graph, o->node);
    if (weir_trait_of(op)->task == WEIR_TASK_LAYER) {
        propagate_product(o, error);
        return error;
    }
    for (int direction = 0; direction < 4; direction++)
        add_movement(o, index, output, direction % 2 == 0 ? 1 : -1, direction / 2 == 1, error);
    if (weir_trait_of(op)->is_exact || is_exact_sum(o, output)) return error;
    if (weir_tolerance_amplifies(o->graph, o->node)) add_differences(o, index, output, error);
    double size = largest(output);
    for (size_t i = 0; i < o->slots; i++) size = fmax(size, o->input[i] == NULL ? 0 : largest(o->input[i]));
    for (size_t i = 0; i < output->count; i++) error[i] += ROUNDING * size;
    return error;
}
