/* Options that another one is as good as. */
#include <stdlib.h>

#include "dse/folding/knapsack.h"
#include "support/memory/arena.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES };

int weir_knapsack_compare(const weir_knapsack_price *a, const weir_knapsack_price *b) {
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    for (int r = 0; r < RESOURCES; r++)
        if (a->use[r] != b->use[r]) return a->use[r] < b->use[r] ? -1 : 1;
    return 0;
}

typedef struct tagged {
    weir_knapsack_option option;
    size_t tag;
} tagged;

static int by_kind(const void *a, const void *b) {
    const tagged *x = a, *y = b;
    if (x->option.begin != y->option.begin) return x->option.begin < y->option.begin ? -1 : 1;
    if (x->option.end != y->option.end) return x->option.end < y->option.end ? -1 : 1;
    const int order = weir_knapsack_compare(&x->option.price, &y->option.price);
    if (order != 0) return order;
    if (x->option.attains != y->option.attains) return y->option.attains - x->option.attains;
    return x->tag < y->tag ? -1 : 1;
}

static bool is_as_good(const weir_knapsack_option *a, const weir_knapsack_option *b) {
    if (a->begin != b->begin || a->end != b->end || a->price.value > b->price.value || a->attains < b->attains)
        return false;
    for (int r = 0; r < RESOURCES; r++)
        if (a->price.use[r] > b->price.use[r]) return false;
    return true;
}

size_t weir_knapsack_reduce(weir_knapsack_option *option, size_t *tag, size_t count) {
    tagged *all = weir_malloc((count + 1) * sizeof *all);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) all[i] = (tagged){option[i], tag[i]};
    qsort(all, count, sizeof *all, by_kind);
    for (size_t i = 0; i < count; i++) {
        bool worse = false;
        for (size_t k = kept;
             k-- > 0 && !worse && option[k].begin == all[i].option.begin && option[k].end == all[i].option.end;)
            worse = is_as_good(&option[k], &all[i].option);
        if (worse) continue;
        option[kept] = all[i].option;
        tag[kept++] = all[i].tag;
    }
    free(all);
    return kept;
}
