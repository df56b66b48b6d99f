#include "ir/trait/trait.h"

#include <stdint.h>

/* The words of trait.def. */
enum { ROUNDED, EXACT };
enum { ONE, SEVERAL };
enum { HARDWARE, HOST };
#define NO_SIZES SIZE_MAX
#define SIZES_0 0
#define SIZES_1 1

static const weir_trait traits[WEIR_OP_COUNT] = {
#define WEIR_TRAIT(op, in_task, by_element, of_kind, move, in_order, from, rounding, frames, of_classes, place, rows)  \
    [WEIR_OP_##op] = {.task = WEIR_TASK_##in_task,                                                                     \
                      .element = WEIR_ELEMENT_##by_element,                                                            \
                      .kind = WEIR_OP_##of_kind,                                                                       \
                      .order = WEIR_ORDER_##in_order,                                                                  \
                      .meaning = WEIR_MEANING_##of_classes,                                                            \
                      .sizes = (from),                                                                                 \
                      .is_exact = (rounding),                                                                          \
                      .takes_frames = (frames),                                                                        \
                      .is_for_host = (place)},
#include "ir/trait/trait.def"
#undef WEIR_TRAIT
};

/* An operator without a row does not compile: "'row_of_trait_def_for_RELU' undeclared". */
enum {
#define WEIR_TRAIT(op, ...) row_of_trait_def_for_##op,
#include "ir/trait/trait.def"
#undef WEIR_TRAIT
};
enum {
#define WEIR_OP(op, ...) has_row_##op = row_of_trait_def_for_##op,
#include "ir/graph/op.def"
#undef WEIR_OP
};

const weir_trait *weir_trait_of(weir_op op) {
    static const weir_trait registered = {.sizes = NO_SIZES, .is_for_host = true},
                            in_hardware = {.sizes = NO_SIZES, .is_for_host = false};
    if (op < WEIR_OP_COUNT) return &traits[op];
    return weir_op_get(op)->class == WEIR_CLASS_TENSOR ? &registered : &in_hardware;
}

weir_op weir_trait_kind(const weir_graph *graph, weir_node node) {
    return weir_trait_of(weir_node_op(graph, node))->kind;
}

bool weir_trait_is_quantizer(weir_op op) {
    const weir_trait_task task = weir_trait_of(op)->task;
    return task == WEIR_TASK_QUANTIZER || task == WEIR_TASK_DEQUANTIZER;
}
