/* Spatial mappings: which loops are unrolled on the operational array, and how the memories of each operand see
 * them. */
#ifndef WEIR_DSE_SPATIAL_H
#define WEIR_DSE_SPATIAL_H

#include "dse/mapping/accelerator.h"
#include "dse/mapping/layer.h"

/* What runs along each array dimension. */
typedef struct weir_dse_unroll {
    int count[WEIR_DSE_ARRAY_DIMS];
    uint8_t dim[WEIR_DSE_ARRAY_DIMS][WEIR_DSE_DIMS];
    double factor[WEIR_DSE_ARRAY_DIMS][WEIR_DSE_DIMS];
    bool is_decided[WEIR_DSE_ARRAY_DIMS]; /* even if it is not unrolled */
} weir_dse_unroll;

enum { WEIR_DSE_SPATIAL_LOOPS = 32 };

/* The same as each operand's memories see it: loops of level l, from start[l] to start[l + 1], run below the operand's
 * memory l, those of the last above all. */
typedef struct weir_dse_spatial {
    int levels[3];
    int start[3][WEIR_DSE_MEMORIES + 2];
    uint8_t dim[3][WEIR_DSE_SPATIAL_LOOPS];
    double factor[3][WEIR_DSE_SPATIAL_LOOPS];
} weir_dse_spatial;

typedef struct weir_dse_spatial_options {
    int count;     /* largest number of mappings */
    bool is_mixed; /* several loops along one array dimension */
} weir_dse_spatial_options;

/* The mappings that the layer's mapping allows, the most promising first. Heap memory; NULL after a reported error. */
weir_dse_unroll *weir_dse_spatial_generate(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                                           const weir_dse_spatial_options *options, int *count);
/* What the layer's mapping says, without anything added. False after a reported error. */
bool weir_dse_spatial_stated(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                             weir_dse_unroll *into);
/* Factors become fractions where they do not divide their loop (7 over 4: 3.5 in 2 steps), or with `whole` whole
 * numbers. */
void weir_dse_spatial_convert(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                              const weir_dse_unroll *unroll, bool whole, weir_dse_spatial *spatial);

#endif
