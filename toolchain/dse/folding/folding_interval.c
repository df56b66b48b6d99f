#include <assert.h>
#include <string.h>

#include "dse/folding/folding_search_private.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, ROUNDS = 12 };

/* Does a folding for the interval, of which that with no room for FIFOs is solved, fit with them? With more or less
 * room, where the first one's take too much. */
static bool fits_built(weir_folding_finder *s, size_t index) {
    assert(index < weir_folding_space_count(s->space));
    weir_folding_spare tried = {.has_high = false};
    for (int round = 0; round < ROUNDS && (s->work > 0 || round < WEIR_FOLDING_FEW_ROUNDS); round++) {
        int64_t bound;
        if (round > 0) s->fits = weir_folding_solve(s, index, WEIR_FOLDING_NEVER, &bound);
        if (s->fits && !weir_folding_try_out(s, INT64_MAX)) return false;
        if (s->fits && weir_folding_is_within(s)) return true;
        if (!weir_folding_try_room(s, &tried)) return false;
    }
    return false;
}

static bool is_hopeless(weir_folding_finder *s, size_t index) {
    assert(index < weir_folding_space_count(s->space));
    int64_t bound;
    for (int r = 0; r < RESOURCES; r++) s->least[r] = INT64_MAX;
    weir_folding_solve(s, index, -WEIR_FOLDING_NEVER, &bound);
    return weir_folding_is_short(s);
}

/* Is one short for all intervals below `count`? Most foldings are looked at only where the slowest ones say so. */
static bool is_short_for_all(weir_folding_finder *s, size_t count) {
    assert(count > 0);
    weir_folding_space_relax(s->space, true);
    const bool seems = is_hopeless(s, count - 1);
    weir_folding_space_relax(s->space, false);
    return seems && is_hopeless(s, count - 1);
}

/* The shortest interval below `count` for which no resource is short by itself, as none is for longer ones; `count`:
 * there is none. */
static size_t first_not_short(weir_folding_finder *s, size_t count) {
    assert(count > 0 && count <= weir_folding_space_count(s->space));
    if (is_short_for_all(s, count)) return count;
    size_t low = 0, high = 0;
    for (size_t step = 1; high + 1 < count && is_hopeless(s, high); step *= 2) {
        low = high + 1;
        high = high + step < count ? high + step : count - 1;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_hopeless(s, middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Intervals in increasing order until one fits; larger and larger steps when no work is left. */
void weir_folding_find_fastest(weir_folding_finder *s, size_t count) {
    assert(count > 0 && count <= weir_folding_space_count(s->space));
    int64_t unproven = WEIR_FOLDING_NEVER;
    memset(s->reserve, 0, sizeof s->reserve);
    s->bound = WEIR_FOLDING_NEVER;
    for (size_t i = first_not_short(s, count), step = 1; i<count; i += s->work> 0 || i + 1 == count ? 1 : step) {
        if (s->work <= 0) step = i + 2 * step < count ? 2 * step : count - 1 - i;
        if (step == 0) step = 1;
        const int64_t interval = weir_folding_space_interval(s->space, i);
        int64_t bound;
        memset(s->reserve, 0, sizeof s->reserve);
        s->fits = weir_folding_solve(s, i, WEIR_FOLDING_NEVER, &bound);
        const bool may_fit = s->fits || bound < WEIR_FOLDING_NEVER;
        if (may_fit && interval < unproven) s->bound = unproven = interval;
        if (may_fit && fits_built(s, i)) {
            s->value = interval;
            return;
        }
        s->fits = false;
    }
}

/* What no folding for a shorter interval takes less than, where that for the longest takes at least `least`: area grows
 * as intervals shrink, and energy is at least that of the device itself. */
static int64_t least_of_shorter(const weir_folding_finder *s, int64_t least) {
    if (s->request->objective == WEIR_FOLDING_AREA) return least;
    const int64_t device = weir_folding_static_energy(&s->target, weir_folding_space_interval(s->space, 0));
    return device < least ? device : least;
}

/* All intervals, long ones first, which take little; when no work is left only that of the time before, if there was
 * one. */
void weir_folding_find_least(weir_folding_finder *s, size_t count) {
    assert(count > 0 && count <= weir_folding_space_count(s->space));
    if (is_hopeless(s, count - 1)) return;
    const size_t before = s->index;
    s->value = s->bound = WEIR_FOLDING_NEVER;
    for (size_t i = count; i-- > 0;) {
        int64_t bound;
        if (s->work <= 0 && s->is_again && i != before) continue;
        if (s->work <= 0 && !s->is_again && s->fits) {
            s->bound = least_of_shorter(s, s->bound);
            break;
        }
        if (weir_folding_solve(s, i, s->value, &bound)) s->value = s->total.value;
        if (bound < s->bound) s->bound = bound;
    }
}
