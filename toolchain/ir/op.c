#include "ir/op.h"

#include <string.h>

#include "ir/metadata.h"

#define FULL_NAME(domain, name) (sizeof domain == 1 ? name : domain "." name)

enum { ORDERED = false, COMMUTES = true };

static const weir_op_info table[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] =
        {.domain = "", .name = "None", .full_name = "None", .pattern = WEIR_PATTERN_OPAQUE, .mase_op = "none"},
#define WEIR_OP(id, in_domain, as_name, low, high, output_count, of_class, fusion, symmetry, type, operation)          \
    [WEIR_OP_##id] = {.domain = in_domain,                                                                             \
                      .name = as_name,                                                                                 \
                      .full_name = FULL_NAME(in_domain, as_name),                                                      \
                      .inputs_min = low,                                                                               \
                      .inputs_max = high,                                                                              \
                      .outputs = output_count,                                                                         \
                      .class = WEIR_CLASS_##of_class,                                                                  \
                      .pattern = WEIR_PATTERN_##fusion,                                                                \
                      .is_commutative = symmetry,                                                                      \
                      .mase_type = WEIR_MASE_##type,                                                                   \
                      .mase_op = operation},
#include "ir/op.def"
#undef WEIR_OP
};

const weir_op_info *weir_op_get(weir_op op) { return &table[op]; }

weir_op_pattern_class weir_op_pattern(weir_op op) { return table[op].pattern; }

bool weir_op_is_commutative(weir_op op) { return table[op].is_commutative; }

weir_op weir_op_find(const char *domain, const char *name) {
    if (strcmp(domain, "ai.onnx") == 0) domain = "";
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        if (strcmp(table[op].name, name) == 0 && strcmp(table[op].domain, domain) == 0) return (weir_op)op;
    }
    return WEIR_OP_NONE;
}

weir_op weir_op_find_full(const char *full_name) {
    for (int op = 1; op < WEIR_OP_COUNT; op++) {
        if (strcmp(table[op].full_name, full_name) == 0) return (weir_op)op;
    }
    return WEIR_OP_NONE;
}

const char *weir_mase_type_name(weir_mase_type type) {
    static const char *const names[WEIR_MASE_TYPE_COUNT] = {
        "module", "module_related_func", "builtin_func", "implicit_func", "placeholder", "get_attr", "output"};
    return names[type];
}

const char *weir_op_pattern_name(weir_op_pattern_class pattern) {
    static const char *const names[] = {[WEIR_PATTERN_ELEMWISE] = "elemwise",
                                        [WEIR_PATTERN_BROADCAST] = "broadcast",
                                        [WEIR_PATTERN_INJECTIVE] = "injective",
                                        [WEIR_PATTERN_REDUCE] = "reduce",
                                        [WEIR_PATTERN_OUT_ELEMWISE] = "out-elemwise",
                                        [WEIR_PATTERN_TUPLE] = "tuple",
                                        [WEIR_PATTERN_OPAQUE] = "opaque"};
    return names[pattern];
}
