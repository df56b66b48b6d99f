#include "cosim/steps.h"

#include <assert.h>
#include <stdlib.h>

#include "support/memory/arena.h"

enum { MOST_STEPS = 256 }; /* that are kept */

weir_steps weir_steps_of(const weir_type *type, const weir_requantizer *r, int64_t channel) {
    assert(type->low <= type->high);
    weir_steps f = {.is_known = true, .from = type->low, .to = type->high};
    f.least = weir_requantizer_apply(r, channel, f.from);
    f.most = weir_requantizer_apply(r, channel, f.to);
    if (f.most < f.least) f = (weir_steps){true, f.to, f.from, f.most, f.least, NULL, NULL};
    if (f.most == f.least || f.most - f.least > MOST_STEPS) return f;
    f.step = weir_calloc((size_t)(f.most - f.least), sizeof *f.step);
    f.is_found = weir_calloc((size_t)(f.most - f.least), sizeof *f.is_found);
    return f;
}

int64_t weir_steps_find(const weir_steps *f, const weir_requantizer *r, int64_t channel, int64_t wanted) {
    assert(wanted > f->least && wanted <= f->most);
    const int64_t at = wanted - f->least - 1;
    if (f->step != NULL && f->is_found[at]) return f->step[at];
    int64_t from = f->from, to = f->to;
    while (to - from > 1 || from - to > 1) {
        const int64_t middle = from + (to - from) / 2;
        if (weir_requantizer_apply(r, channel, middle) >= wanted) to = middle;
        else from = middle;
    }
    if (f->step != NULL) {
        f->step[at] = to;
        f->is_found[at] = true;
    }
    return to;
}

void weir_steps_free(weir_steps *steps) {
    free(steps->step);
    free(steps->is_found);
}
