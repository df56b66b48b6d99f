#include "ir/op.h"

#include <string.h>

#include "ir/metadata.h"

#define FULL_NAME(domain, name) (sizeof domain == 1 ? name : domain "." name)

static const weir_op_info table[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = {"", "None", "None", 0, 0, 0, WEIR_CLASS_TENSOR, WEIR_MASE_MODULE, "none"},
#define WEIR_OP(id, domain, name, low, high, outputs, class, mase_type, mase_op)                                       \
    [WEIR_OP_##id] = {domain, name,    FULL_NAME(domain, name), low,                                                   \
                      high,   outputs, WEIR_CLASS_##class,      WEIR_MASE_##mase_type,                                 \
                      mase_op},
#include "ir/op.def"
#undef WEIR_OP
};

const weir_op_info *weir_op_get(weir_op op) { return &table[op]; }

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

static const char *const storage_names[] = {"auto", "block", "logic"};

const char *weir_storage_name(weir_storage storage) { return storage_names[storage]; }

bool weir_storage_parse(const char *name, weir_storage *storage) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(storage_names[i], name) == 0) {
            *storage = (weir_storage)i;
            return true;
        }
    }
    return false;
}
