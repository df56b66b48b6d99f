#include "passes/graph/fusion.h"

static const weir_fusion_pattern patterns[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = WEIR_PATTERN_OPAQUE,
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define FUSION(pattern) WEIR_PATTERN_##pattern,
#include "ir/graph/op.def"
};

weir_fusion_pattern weir_fusion_pattern_of(weir_op op) {
    return op < WEIR_OP_COUNT ? patterns[op] : WEIR_PATTERN_OPAQUE;
}
