#include "ir/graph/op.h"

#include <assert.h>
#include <string.h>

#include "support/memory/arena.h"

#define FULL_NAME(domain, name) (sizeof domain == 1 ? name : domain "." name)

static const weir_op_info table[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = {.domain = "", .name = "None", .full_name = "None"},
#define WEIR_OP(id, in_domain, as_name, low, high, output_count, of_class)                                             \
    [WEIR_OP_##id] = {.domain = in_domain,                                                                             \
                      .name = as_name,                                                                                 \
                      .full_name = FULL_NAME(in_domain, as_name),                                                      \
                      .inputs_min = low,                                                                               \
                      .inputs_max = high,                                                                              \
                      .outputs = output_count,                                                                         \
                      .class = WEIR_CLASS_##of_class},
#include "ir/graph/op.def"
#undef WEIR_OP
};

/* What operator.c registers, from WEIR_OP_COUNT on; written to before any graph is made. */
static struct {
    const weir_op_info **info;
    size_t count, capacity;
} added;

weir_op weir_op_add(const weir_op_info *info) {
    added.info = weir_grow(added.info, &added.capacity, added.count + 1, sizeof *added.info);
    added.info[added.count] = info;
    return (weir_op)(WEIR_OP_COUNT + added.count++);
}

weir_op weir_op_limit(void) { return (weir_op)(WEIR_OP_COUNT + added.count); }

const weir_op_info *weir_op_get(weir_op op) {
    assert(op < weir_op_limit());
    return op < WEIR_OP_COUNT ? &table[op] : added.info[op - WEIR_OP_COUNT];
}

weir_op weir_op_find(const char *domain, const char *name) {
    if (strcmp(domain, "ai.onnx") == 0) domain = "";
    for (weir_op op = 1; op < weir_op_limit(); op++) {
        const weir_op_info *info = weir_op_get(op);
        if (strcmp(info->name, name) == 0 && strcmp(info->domain, domain) == 0) return op;
    }
    return WEIR_OP_NONE;
}

weir_op weir_op_find_full(const char *full_name) {
    for (weir_op op = 1; op < weir_op_limit(); op++) {
        if (strcmp(weir_op_get(op)->full_name, full_name) == 0) return op;
    }
    return WEIR_OP_NONE;
}

weir_op weir_op_step(const char **text, bool *takes_constant) {
    static const struct {
        weir_op op;
        bool takes_constant;
    } steps[] = {{WEIR_OP_MUL, true},      {WEIR_OP_DIV, true},
                 {WEIR_OP_ADD, true},      {WEIR_OP_SUB, true},
                 {WEIR_OP_MAX, true},      {WEIR_OP_MIN, true},
                 {WEIR_OP_NEG, false},     {WEIR_OP_RELU, false},
                 {WEIR_OP_ROUND, false},   {WEIR_OP_MULTI_THRESHOLD, true},
                 {WEIR_OP_IDENTITY, false}};
    const char *word = *text;
    const size_t size = strcspn(word, " ");
    *text += size + (word[size] == ' ');
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *name = table[steps[i].op].name;
        if (strlen(name) != size || strncmp(name, word, size) != 0) continue;
        *takes_constant = steps[i].takes_constant;
        return steps[i].op;
    }
    return WEIR_OP_NONE;
}

const void *weir_op_row(const void *rows, size_t count, size_t size, weir_op op) {
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * size;
        if (*(const weir_op *)(const void *)row == op) return row;
    }
    return NULL;
}
