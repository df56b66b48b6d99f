/* Number formats as data: a format's name with its settings says which real numbers there are and which of them stands
 * for another. Whoever decides (a configuration, a calibration, an importer) makes the record; whoever needs to know
 * reads it here. A new format is a row of number.def and four functions.
 *
 * A code numbers the values that a format has, in ascending order (negative zero is zero). Where elements share
 * something (the exponent of a block, the scale of a row), it is measured on them first: a weir_number_shared. */
#ifndef WEIR_IR_NUMBER_H
#define WEIR_IR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/array.h"

typedef enum weir_number_id {
#define WEIR_NUMBER(id, name, group, hardware, gradient, ...) WEIR_NUMBER_##id,
#include "ir/number/number.def"
    WEIR_NUMBER_COUNT
} weir_number_id;

typedef enum weir_number_key {
    WEIR_KEY_WIDTH,      /* bits of an element */
    WEIR_KEY_FRAC_WIDTH, /* grids: steps of 2^-frac_width; floats: bits of the fraction */
    WEIR_KEY_SIGNED,
    WEIR_KEY_FLOOR, /* rounds down; else to nearest, half to even */
    WEIR_KEY_EXPONENT_WIDTH,
    WEIR_KEY_EXPONENT_BIAS,
    WEIR_KEY_EXPONENT_BIAS_WIDTH, /* bits of the bias that a block shares, signed */
    WEIR_KEY_BLOCK_SIZE,          /* elements along the axis; -1: all */
    WEIR_KEY_STOCHASTIC,
    WEIR_KEY_BIPOLAR,
    WEIR_KEY_LEVELS,
    WEIR_KEY_SCALING_FACTOR,
    WEIR_KEY_THRESHOLD, /* of magnitudes: 0: 0.75 of the mean; 1: 0.05 of the largest; 2: 0.75 of the median */
    WEIR_KEY_SYMMETRIC, /* zero is code 0 and codes are signed; chosen: of weights */
    WEIR_KEY_CHANNEL,   /* of weights a scale an output */
    WEIR_KEY_COUNT
} weir_number_key;

/* Elements that share what is measured: all, those of an index of the first dimension, of a row of the last one, or a
 * block along the axis, or those of one output. */
typedef enum weir_number_group {
    WEIR_GROUP_WHOLE,
    WEIR_GROUP_FIRST,
    WEIR_GROUP_LAST,
    WEIR_GROUP_BLOCKS,
    WEIR_GROUP_OUTPUTS
} weir_number_group;

/* What components of rtl/ compute with it. */
typedef enum weir_number_hardware {
    WEIR_NUMBER_HARDWARE_NONE,
    WEIR_NUMBER_HARDWARE_CONSTANT, /* integer codes with a scale, of constants only */
    WEIR_NUMBER_HARDWARE_INTEGER   /* integer codes with a scale */
} weir_number_hardware;

/* The derivative that training takes for that of the rounding: 1 everywhere, or 1 only in [-1, 1]. */
typedef enum weir_number_gradient { WEIR_GRADIENT_STRAIGHT, WEIR_GRADIENT_CLIPPED } weir_number_gradient;

enum { WEIR_NUMBER_KEYS = 4, WEIR_NUMBER_CHOSEN = INT32_MIN };

/* Plain data. value[i] belongs to the i-th key of the format's row; WEIR_NUMBER_CHOSEN: chosen from the data. */
typedef struct weir_number {
    weir_number_id id;
    int32_t value[WEIR_NUMBER_KEYS];
} weir_number;

/* What elements share: an exponent, or a scale and a threshold; by the format. */
typedef struct weir_number_shared {
    int exponent;
    double scale, threshold;
    double tensor; /* of two levels: the scale of the tensor, of which `scale` is a multiple; else 0 */
    int64_t zero;  /* the code of 0 */
} weir_number_shared;

const char *weir_number_name(weir_number_id id);
bool weir_number_find(const char *name, weir_number_id *id);
weir_number_group weir_number_group_of(weir_number_id id);
weir_number_hardware weir_number_hardware_of(weir_number_id id);
weir_number_gradient weir_number_gradient_of(weir_number_id id);
/* "width", "frac_width", ...; NULL: there is no such key. */
const char *weir_number_key_name(weir_number_key key);
bool weir_number_key_find(const char *name, weir_number_key *key);

/* All settings as the row has them. */
weir_number weir_number_new(weir_number_id id);
bool weir_number_has(const weir_number *n, weir_number_key key);
/* Of a key that the format has. */
int weir_number_get(const weir_number *n, weir_number_key key);
/* The range of the setting; false: the format has no such key. */
bool weir_number_key_range(weir_number_id id, weir_number_key key, int *least, int *largest);
/* False: the format has no such key, or the value is outside of its range. */
bool weir_number_set(weir_number *n, weir_number_key key, int value);
/* Do the settings go together? NULL, or what does not: "exponent_width must be below width". */
const char *weir_number_conflict(const weir_number *n);

/* "mxfp exponent_width=4 frac_width=3 block_size=32": all settings but those that the data chooses; heap memory. */
char *weir_number_print(const weir_number *n);
/* Reads that; false without a report where it is none. */
bool weir_number_parse(const char *text, weir_number *n);

/* Does what elements share depend on them? Else the format is a function of each element. */
bool weir_number_measures(const weir_number *n);
/* What `count` elements share; `whole`: the largest magnitude of the tensor that they are of. */
weir_number_shared weir_number_measure(const weir_number *n, const float *x, size_t count, double whole);
/* The scale and the zero point of AFFINE that hold a range. */
weir_number_shared weir_number_affine(const weir_number *n, double least, double largest);
/* The code of x, and what a code stands for. NaN gives the code of 0, or the lowest where 0 has none. */
int64_t weir_number_encode(const weir_number *n, const weir_number_shared *shared, double x);
double weir_number_decode(const weir_number *n, const weir_number_shared *shared, int64_t code);
/* The least float32 number whose code is at least this one, which is above the smallest. */
float weir_number_threshold(const weir_number *n, const weir_number_shared *shared, int64_t code);
/* The smallest and the largest code. */
void weir_number_limits(const weir_number *n, int64_t *low, int64_t *high);

/* Where blocks run, and what chance decides. */
typedef struct weir_number_layout {
    int axis;      /* blocks run along this dimension */
    int output;    /* of weights, the dimension of the outputs; -1: of others */
    bool flattens; /* blocks run through the last dimensions as MASE's mxint does: on into the next row */
} weir_number_layout;

/* Is there a setting that weir_number_choose fills in? */
bool weir_number_needs_range(const weir_number *n);
/* Fills in what the data chooses for the whole tensor (fraction bits, an exponent's bias), from its largest magnitude:
 * the most precise setting that holds it. `mase`: MASE's rule for fraction bits, at least 0 and below the width. */
void weir_number_choose(weir_number *n, double largest, bool mase);

/* What codes are: places of floats (small_float.h) with some bits of fraction, whole numbers of a step, or neither. */
typedef enum weir_number_codes {
    WEIR_NUMBER_CODES_PLACES,
    WEIR_NUMBER_CODES_STEPS,
    WEIR_NUMBER_CODES_OTHER
} weir_number_codes;
weir_number_codes weir_number_codes_of(const weir_number *n, int *fraction);

/* Bits of an element. */
int weir_number_width(const weir_number *n);
/* The format itself, or, where it has no hardware for data, integers of as many bits as an element has. */
weir_number weir_number_nearest_hardware(const weir_number *n);

/* y = the value of each element's code: float32 arrays of one shape, which may be the same one. */
void weir_number_quantize(const weir_number *n, weir_number_layout layout, const weir_array *x, weir_array *y);

#endif
