/* A layer as a loop nest: named loops, up to two inputs and an output, which loops each of them depends on, and
 * relations such as IX = 2*OX + 1*FX through which two loops share an index. */
#ifndef WEIR_DSE_LAYER_H
#define WEIR_DSE_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "dse/mapping/mapping.h"
#include "support/text/diag.h"

enum { WEIR_DSE_DIMS = 16, WEIR_DSE_RELATIONS = 4 };

/* What a loop is to an operand. */
typedef enum weir_dse_relevance {
    WEIR_DSE_NEITHER, /* one iteration */
    WEIR_DSE_RELEVANT,
    WEIR_DSE_IRRELEVANT, /* the same data again */
    WEIR_DSE_PARTIAL     /* in a relation: each iteration brings some new data */
} weir_dse_relevance;

/* index = factor[0] * dim[0] + factor[1] * dim[1], of `total` different values at most */
typedef struct weir_dse_relation {
    const char *name;
    uint8_t dim[2];
    int64_t factor[2];
    double total;
} weir_dse_relation;

typedef struct weir_dse_operand {
    char name;                        /* O, W or I */
    uint8_t memory_operand;           /* weir_dse_memory_operand */
    uint8_t relevance[WEIR_DSE_DIMS]; /* weir_dse_relevance */
    int relevant_count;
    uint8_t relevant[WEIR_DSE_DIMS]; /* in the order of the equation */
    bool is_partial;                 /* has the indices of the relations */
    bool is_constant;
    int64_t source; /* id of the layer that makes it, unless it is constant */
    double precision, elements, bits;
} weir_dse_operand;

typedef struct weir_dse_layer {
    int64_t id;
    const char *name, *type, *equation;
    weir_location location; /* in the workload's file */
    int dim_count, relation_count, operand_count;
    const char *dim[WEIR_DSE_DIMS];
    int64_t size[WEIR_DSE_DIMS];
    weir_dse_relation relation[WEIR_DSE_RELATIONS];
    weir_dse_operand operand[3]; /* the output, then the inputs in the order of the equation */
    double final_precision;      /* of the finished output; operand[0].precision is that of partial sums */
    double macs;
    const weir_dse_mapping_entry *mapping;
} weir_dse_layer;

/* Index of the loop, -1: the layer has none of that name. */
int weir_dse_layer_dim(const weir_dse_layer *layer, const char *name);
/* Derives sizes and relevance from loops, relations and `relevant` (with indices from dim_count on for those of
 * relations, which are taken out). False: too many operations to count. */
bool weir_dse_layer_derive(weir_dse_layer *layer, bool has_totals, const int64_t *padding);
/* Different indices of a relation for so many iterations of its two loops, whose fractions are dropped. */
double weir_dse_relation_size(const weir_dse_relation *relation, double first, double second);
/* Elements of the operand for so many iterations of each loop. */
double weir_dse_operand_size(const weir_dse_layer *layer, int operand, const double *size);
/* The operand that is activations and the one that is weights (0: none), as for data that stays between layers. */
int weir_dse_layer_activations(const weir_dse_layer *layer);
int weir_dse_layer_weights(const weir_dse_layer *layer);
int weir_dse_layer_constants(const weir_dse_layer *layer);

#endif
