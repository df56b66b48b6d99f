#include "passes/graph/fusion.h"

static const weir_fusion_pattern patterns[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = WEIR_PATTERN_OPAQUE,
#define WEIR_FUSION(op, pattern) [WEIR_OP_##op] = WEIR_PATTERN_##pattern,
#include "passes/graph/fusion.def"
#undef WEIR_FUSION
};

/* An operator without a row does not compile: "'row_of_fusion_def_for_RELU' undeclared". */
enum {
#define WEIR_FUSION(op, pattern) row_of_fusion_def_for_##op,
#include "passes/graph/fusion.def"
#undef WEIR_FUSION
};
enum {
#define WEIR_OP(op, ...) has_row_##op = row_of_fusion_def_for_##op,
#include "ir/graph/op.def"
#undef WEIR_OP
};

weir_fusion_pattern weir_fusion_pattern_of(weir_op op) {
    return op < WEIR_OP_COUNT ? patterns[op] : WEIR_PATTERN_OPAQUE;
}
