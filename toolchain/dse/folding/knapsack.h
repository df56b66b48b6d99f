/* A multiple-choice knapsack over a forest: chooses an option of each item so that the sum of values is minimal and no
 * budget is exceeded. Each edge of the forest has a price, which depends on how the parent's option ends and the
 * child's begins. Independent of hardware; folding_space.h builds one from a graph. */
#ifndef WEIR_DSE_KNAPSACK_H
#define WEIR_DSE_KNAPSACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEIR_KNAPSACK_RESOURCES = 4,
    WEIR_KNAPSACK_MOST_USE = (1 << 25) - 1 /* of a resource in a choice: no budget is larger */
};

/* Nonnegative; sums of values and of uses stay below 2^60. */
typedef struct weir_knapsack_price {
    int64_t use[WEIR_KNAPSACK_RESOURCES], value;
} weir_knapsack_price;

typedef struct weir_knapsack_option {
    weir_knapsack_price price;
    uint32_t begin, end; /* kinds, from 0, by which neighbours know the option */
    bool attains;        /* one of the chosen options has to, where the knapsack says so */
} weir_knapsack_option;

#define WEIR_KNAPSACK_ROOT SIZE_MAX

typedef struct weir_knapsack_item {
    const weir_knapsack_option *option; /* at least one */
    size_t count, parent;               /* an earlier item, or WEIR_KNAPSACK_ROOT */
    uint32_t begins, ends;              /* kinds */
    const weir_knapsack_price *meet;    /* at [parent's end * begins + begin]; of a root: not read */
} weir_knapsack_item;

typedef struct weir_knapsack {
    const weir_knapsack_item *item; /* parents first */
    size_t count;
    int64_t budget[WEIR_KNAPSACK_RESOURCES];
    bool attain;
    int64_t limit; /* values from here on are of no interest */
    /* partial choices kept for an item; 0: a default that is enough for an exact result in practice */
    size_t capacity;
    /* Steps that it may take, one comparison of two partial choices each; 0: any number. If they are too few for the
     * items, fewer partial choices are kept, and the result may not be exact. */
    int64_t work;
} weir_knapsack;

typedef struct weir_knapsack_result {
    bool fits;                 /* a choice below the limit was found */
    weir_knapsack_price total; /* of it */
    /* No choice within the budgets has less value: equal to total.value if the result is exact; the limit if it is
     * known that nothing below fits. */
    int64_t bound;
    int64_t least[WEIR_KNAPSACK_RESOURCES]; /* no choice uses less of the resource */
    int64_t work;                           /* steps that it took, at least a few for each option */
} weir_knapsack_result;

/* `chosen` gets an option by item where it fits. Exact: partial choices, items of a subtree decided, are dropped only
 * if another one dominates them, or if bounds for the rest (of each resource, and of the Lagrangian relaxation, whose
 * multipliers a subgradient search finds) show that they lead to nothing better. */
weir_knapsack_result weir_knapsack_solve(const weir_knapsack *knapsack, size_t *chosen);

/* By value, then by use: below 0, 0 or above. */
int weir_knapsack_compare(const weir_knapsack_price *a, const weir_knapsack_price *b);
/* Drops options that are dominated by another one of the same kinds, and orders the rest. Returns how many are left. */
size_t weir_knapsack_reduce(weir_knapsack_option *option, size_t *tag, size_t count);

#endif
