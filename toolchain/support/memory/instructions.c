#include "support/memory/instructions.h"

weir_instructions weir_instructions_best(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) return WEIR_INSTRUCTIONS_AVX512;
    if (__builtin_cpu_supports("avx2")) return WEIR_INSTRUCTIONS_AVX2;
#endif
    return WEIR_INSTRUCTIONS_BASELINE;
}
