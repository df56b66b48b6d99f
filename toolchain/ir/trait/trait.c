#include "ir/trait/trait.h"

#include <stdint.h>

/* The words of op.def. */
enum { ROUNDED, EXACT };
enum { ONE, SEVERAL };
enum { HARDWARE, HOST };
#define NO_SIZES SIZE_MAX
#define SIZES_0 0
#define SIZES_1 1

static const weir_trait traits[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = {__VA_ARGS__},
#define TASK(word) .task = WEIR_TASK_##word,
#define ELEMENT(word) .element = WEIR_ELEMENT_##word,
#define CURVE(word) .curve = WEIR_CURVE_##word,
#define KIND(op) .kind = WEIR_OP_##op,
#define ORDER(word) .order = WEIR_ORDER_##word,
#define SIZES(from) .sizes = (from),
#define ROUNDING(word) .is_exact = (word),
#define FRAMES(word) .takes_frames = (word),
#define MEANING(word) .meaning = WEIR_MEANING_##word,
#define PLACE(word) .is_for_host = (word),
#include "ir/graph/op.def"
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
