/* Which value of the lowered graph represents a value of the model, and how, for comparisons of the two graphs. Values
 * of the lowered graph are identified by name, which the passes after lower_integer keep. */
#ifndef WEIR_COSIM_COUNTERPART_H
#define WEIR_COSIM_COUNTERPART_H

#include "ir/graph/graph.h"
#include "ir/shape/index_map.h"
#include "quant/contract.h"

typedef struct weir_counterpart {
    const char *name; /* of the lowered graph's value; NULL: there is none */
    const char *sums; /* of the value that holds the sums, where the model's node adds and quantizes; NULL: none */
    bool follows;     /* it has no codes: float32 arithmetic on an earlier value that has codes, in both graphs */
    bool codes;       /* the model's elements are the codes themselves; else (code - zero) * scale + offset */
    bool relu;        /* ... and max(., 0) of that */
    bool is_kept;     /* its codes must not be replaced: values that carry a function of them would not follow */
    bool windows;     /* means of windows, whose quantizer may round ties otherwise than the model's */
    bool is_cut;      /* numbers beyond these may be the nearer end, or anything beyond it */
    double least, most;
    const weir_index_map *map; /* from the codes to the model's elements; NULL: they are in one order */
    const double *offset;      /* one or one a channel; NULL: none */
    uint32_t offset_count;
    /* how far the codes' numbers may be from the model's own arithmetic: of fixed point; 0: not at all */
    double rounding;
} weir_counterpart;

typedef struct weir_counterparts {
    weir_arena *arena; /* owns all of this */
    weir_contract contract;
    uint32_t limit;
    weir_counterpart *of; /* by value id of the model */
} weir_counterparts;

void weir_counterparts_free(weir_counterparts *counterparts);

/* Real number or code, according to the counterpart, for element `i` of the model's value, from the codes of this
 * type. */
double weir_counterpart_decode(const weir_counterpart *counterpart, const weir_type *type, const weir_array *codes,
                               size_t i);

#endif
