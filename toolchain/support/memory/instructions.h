/* Instructions that loops over numbers may use; they change the time only. */
#ifndef WEIR_SUPPORT_INSTRUCTIONS_H
#define WEIR_SUPPORT_INSTRUCTIONS_H

typedef enum weir_instructions {
    WEIR_INSTRUCTIONS_BASELINE,
    WEIR_INSTRUCTIONS_AVX2,
    WEIR_INSTRUCTIONS_AVX512 /* with BW and VNNI; for codes */
} weir_instructions;

/* What this processor has. */
weir_instructions weir_instructions_best(void);

#endif
