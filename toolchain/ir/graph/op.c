#include "ir/graph/op.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "support/memory/arena.h"

#define FULL_NAME(domain, name) (sizeof domain == 1 ? name : domain "." name)

/* The words of op.def. */
#define DOMAIN_ONNX ""
#define DOMAIN_MICROSOFT "com.microsoft"
#define DOMAIN_QONNX "qonnx.custom_op.general"
#define DOMAIN_ML "ai.onnx.ml"
#define DOMAIN_PACT "PACTOps"
#define DOMAIN_WEIR "weir"

static const weir_op_info table[WEIR_OP_COUNT] = {
    [WEIR_OP_NONE] = {.domain = "", .name = "None", .full_name = "None"},
#define WEIR_OP_FACTS(id, of_domain, as_name, ...)                                                                     \
    [WEIR_OP_##id] = {.domain = DOMAIN_##of_domain,                                                                    \
                      .name = as_name,                                                                                 \
                      .full_name = FULL_NAME(DOMAIN_##of_domain, as_name),                                             \
                      __VA_ARGS__},
#define INPUTS(least, most) .inputs_min = least, .inputs_max = most,
#define OUTPUTS(count) .outputs = count,
#define LEVEL(word) .class = WEIR_CLASS_##word,
#include "ir/graph/op.def"
};

/* Each fact is in the class or in the row, and once: how often is counted in two bits a fact, SINCE in those above. */
enum {
    FACT_INPUTS,
    FACT_OUTPUTS,
    FACT_LEVEL,
    FACT_TASK,
    FACT_ELEMENT,
    FACT_KIND,
    FACT_MOVE,
    FACT_ORDER,
    FACT_SIZES,
    FACT_ROUNDING,
    FACT_FRAMES,
    FACT_MEANING,
    FACT_PLACE,
    FACT_BATCH,
    FACT_INFER,
    FACT_LOOPS,
    FACT_KERNEL,
    FACT_FUSION,
    FACT_LOWER,
    FACT_MASE,
    FACT_TORCH,
    FACT_NO_FILES,
    FACT_SINCE
};
#define COUNT(fact) +(UINT64_C(1) << 2 * FACT_##fact)
#define COUNTED(fact, ...) (((UINT64_C(0) __VA_ARGS__) >> 2 * FACT_##fact) & 3)
#define ONE(id, fact, ...) _Static_assert(COUNTED(fact, __VA_ARGS__) == 1, "operator " #id ": expected one " #fact);
#define WEIR_OP_FACTS(id, domain, name, ...)                                                                           \
    ONE(id, INPUTS, __VA_ARGS__)                                                                                       \
    ONE(id, OUTPUTS, __VA_ARGS__)                                                                                      \
    ONE(id, LEVEL, __VA_ARGS__)                                                                                        \
    ONE(id, TASK, __VA_ARGS__)                                                                                         \
    ONE(id, ELEMENT, __VA_ARGS__)                                                                                      \
    ONE(id, KIND, __VA_ARGS__)                                                                                         \
    ONE(id, MOVE, __VA_ARGS__)                                                                                         \
    ONE(id, ORDER, __VA_ARGS__)                                                                                        \
    ONE(id, SIZES, __VA_ARGS__)                                                                                        \
    ONE(id, ROUNDING, __VA_ARGS__)                                                                                     \
    ONE(id, FRAMES, __VA_ARGS__)                                                                                       \
    ONE(id, MEANING, __VA_ARGS__)                                                                                      \
    ONE(id, PLACE, __VA_ARGS__)                                                                                        \
    ONE(id, BATCH, __VA_ARGS__)                                                                                        \
    ONE(id, INFER, __VA_ARGS__)                                                                                        \
    ONE(id, LOOPS, __VA_ARGS__)                                                                                        \
    ONE(id, KERNEL, __VA_ARGS__)                                                                                       \
    ONE(id, FUSION, __VA_ARGS__)                                                                                       \
    ONE(id, LOWER, __VA_ARGS__)                                                                                        \
    ONE(id, MASE, __VA_ARGS__)                                                                                         \
    ONE(id, TORCH, __VA_ARGS__)                                                                                        \
    _Static_assert((COUNTED(NO_FILES, __VA_ARGS__) == 1) != ((UINT64_C(0) __VA_ARGS__) >> 2 * FACT_SINCE >= 1),        \
                   "operator " #id ": expected SINCE or NO_FILES");
#define INPUTS(...) COUNT(INPUTS)
#define OUTPUTS(...) COUNT(OUTPUTS)
#define LEVEL(...) COUNT(LEVEL)
#define TASK(...) COUNT(TASK)
#define ELEMENT(...) COUNT(ELEMENT)
#define KIND(...) COUNT(KIND)
#define MOVE(...) COUNT(MOVE)
#define ORDER(...) COUNT(ORDER)
#define SIZES(...) COUNT(SIZES)
#define ROUNDING(...) COUNT(ROUNDING)
#define FRAMES(...) COUNT(FRAMES)
#define MEANING(...) COUNT(MEANING)
#define PLACE(...) COUNT(PLACE)
#define BATCH(...) COUNT(BATCH)
#define INFER(...) COUNT(INFER)
#define LOOPS(...) COUNT(LOOPS)
#define KERNEL(...) COUNT(KERNEL)
#define FUSION(...) COUNT(FUSION)
#define LOWER(...) COUNT(LOWER)
#define LOWER_BEFORE(...) COUNT(LOWER)
#define MASE(...) COUNT(MASE)
#define TORCH(...) COUNT(TORCH)
#define NO_FILES() COUNT(NO_FILES)
#define SINCE(...) COUNT(SINCE)
#include "ir/graph/op.def"

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
