/* What convert_layout does to values: a value of the model may be carried by one whose dimensions are in another order,
 * or whose last dimension is in another sequence. Transposes are made once for all users. */
#ifndef WEIR_TRANSFORM_CARRIER_H
#define WEIR_TRANSFORM_CARRIER_H

#include "ir/graph/graph.h"
#include "ir/graph/side.h"

/* Dimension i of what carries a value is the model's dimension at[i]. */
typedef struct weir_order {
    int rank, at[WEIR_MAX_RANK];
} weir_order;

weir_order weir_order_plain(int rank);
weir_order weir_order_channels_last(int rank);
bool weir_order_equal(const weir_order *a, const weir_order *b);
bool weir_order_is_plain(const weir_order *order);
/* The position of the model's dimension. */
int weir_order_position(const weir_order *order, int64_t dimension);
/* Dimension i of the result is dimension at[i] of a tensor in order `from`. */
weir_order weir_order_permutation(const weir_order *from, const weir_order *to);

/* A last dimension in another sequence than the model's: element j is the model's element map[j]. */
typedef struct weir_shuffle {
    int64_t count;
    const int64_t *map;
    weir_shape shape; /* of the value before it was flattened, in memory */
    weir_order order; /* and how */
} weir_shuffle;

/* What carries a value of the model. */
typedef struct weir_carrier {
    weir_value value;
    weir_order order;
    const weir_shuffle *shuffled; /* the last dimension; then the order is the model's */
} weir_carrier;

/* A value of the model in another order. */
typedef struct weir_moved {
    uint32_t id;
    weir_order order;
    weir_value value;
} weir_moved;

/* What is known of a value of the model. */
typedef struct weir_model_value {
    weir_carrier carrier;
    weir_shape shape;  /* the model's */
    weir_order wanted; /* the order that the users prefer; rank 0: nothing */
    bool is_fixed;     /* depends on constants only */
    bool comes_in;     /* an input, or made of inputs without sums and windows */
    bool is_row;       /* of a loop over time: each step reads its entry of the first dimension, which stays first */
} weir_model_value;

/* State of one conversion. */
typedef struct weir_relayout {
    weir_graph *graph;
    weir_arena *arena;
    weir_side known; /* of values of the model: weir_model_value */
    weir_moved *moved;
    size_t moved_count, moved_capacity;
    weir_node at; /* new nodes are inserted before it */
    bool fine;
} weir_relayout;

static inline weir_model_value *weir_known(const weir_relayout *c, weir_value value) {
    return weir_side_at(&c->known, value.id);
}

/* Data in an order; `plain`: the model's. */
weir_value weir_carrier_fetch(weir_relayout *c, weir_value value, const weir_order *want);
weir_value weir_carrier_fetch_plain(weir_relayout *c, weir_value value);
/* Has it been fetched in this order? NULL: no. */
weir_moved *weir_carrier_find(const weir_relayout *c, uint32_t id, const weir_order *want);
/* A shuffled value continues in the model's sequence. */
void weir_carrier_restore(weir_relayout *c, weir_value value);
weir_value weir_carrier_reshape(weir_relayout *c, weir_value value, const weir_shape *shape);
/* A value that depends on constants only, broadcast from the last dimension to the order's rank, in that order. */
weir_value weir_carrier_fixed(weir_relayout *c, weir_value value, const weir_order *want);
/* The same value with the elements of an axis in the shuffled sequence. */
weir_value weir_carrier_taken(weir_relayout *c, weir_value value, int axis, const weir_shuffle *s);
weir_value weir_carrier_integers(weir_relayout *c, const char *name, const int64_t *values, size_t count);
bool weir_carrier_is_one(const weir_graph *graph, weir_value value); /* one element */
/* The axis along which a QuantizeLinear or DequantizeLinear has its parameters. */
int weir_carrier_quantizer_axis(const weir_relayout *c, weir_node node, int rank);

#endif
