#include "quant/staircase.h"

#include <math.h>
#include <stdlib.h>

#include "support/memory/arena.h"

/* x * M and k * 2^s stay below this. */
__extension__ typedef __int128 wide;

/* An input and the code there. */
typedef struct place {
    int64_t x, code;
} place;

/* The smallest input in (below, reached] that gives `wanted` or more. Steps of a scaling are evenly spaced, so the
 * first probes are `guess` and the input next to it; bisection does the rest. */
static place find_step(weir_step_function *function, const void *user, int64_t wanted, int64_t below, place reached,
                       int64_t guess) {
    for (int probe = 0; probe < 3 && guess > below && guess < reached.x; probe++) {
        const int64_t code = function(user, guess);
        if (code >= wanted) reached = (place){guess--, code};
        else below = guess++;
    }
    while (reached.x - below > 1) {
        const int64_t middle = below + (reached.x - below) / 2, code = function(user, middle);
        if (code >= wanted) reached = (place){middle, code};
        else below = middle;
    }
    return reached;
}

bool weir_staircase_build(weir_staircase *staircase, weir_step_function *function, const void *user, int64_t x_low,
                          int64_t x_high, int64_t low, int64_t high) {
    *staircase = (weir_staircase){x_low, x_high, low, high, function(user, x_low), 0, NULL, NULL};
    const place top = {x_high, function(user, x_high)};
    if (top.code < staircase->base) return false;
    staircase->count = (size_t)(top.code - staircase->base);
    staircase->step = weir_malloc((staircase->count + 1) * sizeof *staircase->step);
    place at = {x_low, staircase->base};
    int64_t stride = 0;
    for (size_t k = 0; k < staircase->count; k++) {
        const int64_t wanted = staircase->base + (int64_t)k + 1, from = at.x;
        if (at.code < wanted) at = find_step(function, user, wanted, from, top, from + stride);
        stride = k > 0 ? at.x - from : 0;
        staircase->step[k] = at.x;
    }
    return true;
}

void weir_staircase_free(weir_staircase *staircase) {
    free(staircase->step);
    free(staircase->corners);
    staircase->step = NULL;
    staircase->corners = NULL;
}

/* Of several steps at one input the last one gives the code. */
static bool proves_step(const weir_staircase *staircase, size_t k, weir_step_function *candidate, const void *user,
                        int64_t *where) {
    int64_t x = staircase->step[k], code = staircase->base + (int64_t)k;
    if (k > 0 && staircase->step[k - 1] == x) return true;
    *where = x - 1;
    if (candidate(user, x - 1) != code) return false;
    while (k < staircase->count && staircase->step[k] == x) k++;
    *where = x;
    return candidate(user, x) == staircase->base + (int64_t)k;
}

bool weir_staircase_proves(const weir_staircase *staircase, weir_step_function *candidate, const void *user,
                           int64_t *where) {
    *where = staircase->x_low;
    if (candidate(user, staircase->x_low) != staircase->base) return false;
    for (size_t k = 0; k < staircase->count; k++) {
        if (!proves_step(staircase, k, candidate, user, where)) return false;
    }
    *where = staircase->x_high;
    return candidate(user, staircase->x_high) == staircase->base + (int64_t)staircase->count;
}

/* What decides which scalings fit. Step k at input x asks for code * 2^s - x * M, code = base + k + 1: linear in the
 * point (x, code), so that the largest and the smallest of these, whatever M and s are, are at corners of the points'
 * convex hull. */
typedef place corner;

struct weir_staircase_corners {
    const weir_staircase *staircase;
    corner *upper, *lower; /* where code * 2^s - x * M may be largest, smallest */
    size_t uppers, lowers;
};

/* Is `b` on the chord from `a` to `c` or, for side 1, below it, for side -1 above it? x ascends. */
static inline bool is_inside(corner a, corner b, corner c, int side) {
    const wide turn = (wide)(b.code - a.code) * (c.x - a.x) - (wide)(c.code - a.code) * (b.x - a.x);
    return side > 0 ? turn <= 0 : turn >= 0;
}

static inline size_t chain(const weir_staircase *s, int side, corner *to) {
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) {
        const corner next = {s->step[k], s->base + (int64_t)k + 1};
        while (count >= 2 && is_inside(to[count - 2], to[count - 1], next, side)) count--;
        to[count++] = next;
    }
    return count;
}

static const weir_staircase_corners *corners_of(weir_staircase *s) {
    if (s->corners != NULL) return s->corners;
    weir_staircase_corners *c = s->corners = weir_malloc(sizeof *c + 2 * (s->count + 1) * sizeof *c->upper);
    c->staircase = s;
    c->upper = (corner *)(c + 1);
    c->lower = c->upper + s->count + 1;
    c->uppers = chain(s, 1, c->upper);
    c->lowers = chain(s, -1, c->lower);
    return c;
}

/* The interval of add values for a multiplier; its high end - its low end, *least. */
static wide add_interval(const weir_staircase_corners *c, int shift, int64_t multiplier, wide *least) {
    const weir_staircase *s = c->staircase;
    const wide unit = (wide)1 << shift;
    wide most = (wide)1 << 126;
    *least = -((wide)1 << 126);
    for (size_t k = 0; k < c->uppers; k++) {
        const wide from = c->upper[k].code * unit - (wide)c->upper[k].x * multiplier;
        if (from > *least) *least = from;
    }
    for (size_t k = 0; k < c->lowers; k++) {
        const wide to = c->lower[k].code * unit - (wide)c->lower[k].x * multiplier + multiplier - 1;
        if (to < most) most = to;
    }
    if (s->base > s->low) {
        const wide from = (wide)s->base * unit - (wide)s->x_low * multiplier;
        if (from > *least) *least = from;
    }
    const int64_t top = s->base + (int64_t)s->count;
    if (top < s->high) {
        const wide to = (wide)(top + 1) * unit - (wide)s->x_high * multiplier - 1;
        if (to < most) most = to;
    }
    return most - *least;
}

/* The real slope is between (count - 1) and (count + 1) codes over the distance of the outer steps. */
static void slope_bounds(const weir_staircase *s, int shift, int64_t *low, int64_t *high) {
    double unit = (double)((wide)1 << shift);
    double first = (double)s->step[0], last = (double)s->step[s->count - 1];
    double codes = (double)(s->count - 1);
    double top = last - first > 1 ? codes * unit / (last - first - 1) : (codes + 1) * unit;
    double bottom = codes * unit / (last - first + 1);
    *low = bottom < 2 ? 1 : (int64_t)bottom - 1;
    *high = (int64_t)(top < 4e18 ? top : 4e18) + 2;
}

static bool scaling_at(const weir_staircase_corners *c, int shift, weir_scaling *scaling) {
    const weir_staircase *s = c->staircase;
    wide least;
    if (s->count == 0) {
        *scaling = (weir_scaling){0, s->base * ((int64_t)1 << shift), shift};
        return true;
    }
    int64_t low, high;
    slope_bounds(s, shift, &low, &high);
    while (high - low > 2) {
        int64_t third = (high - low) / 3, left = low + third, right = high - third;
        wide a = add_interval(c, shift, left, &least), b = add_interval(c, shift, right, &least);
        if (a >= 0 || b >= 0) {
            low = high = a >= 0 ? left : right;
        } else if (a < b) {
            low = left + 1;
        } else {
            high = right - 1;
        }
    }
    for (int64_t multiplier = low; multiplier <= high; multiplier++) {
        wide length = add_interval(c, shift, multiplier, &least);
        if (length < 0) continue;
        wide add = least + length / 2;
        if (add > INT64_MAX / 4 || add < -(INT64_MAX / 4)) return false;
        *scaling = (weir_scaling){multiplier, (int64_t)add, shift};
        return true;
    }
    return false;
}

bool weir_staircase_scaling_at(weir_staircase *staircase, int shift, weir_scaling *scaling) {
    return scaling_at(corners_of(staircase), shift, scaling);
}

static bool smallest_scaling(const weir_staircase_corners *c, int max_shift, weir_scaling *scaling) {
    int low = 0, high = max_shift;
    if (!scaling_at(c, high, scaling)) return false;
    while (low < high) {
        int middle = (low + high) / 2;
        if (scaling_at(c, middle, scaling)) high = middle;
        else low = middle + 1;
    }
    return scaling_at(c, high, scaling);
}

bool weir_staircase_scaling(weir_staircase *staircase, int max_shift, weir_scaling *scaling) {
    return smallest_scaling(corners_of(staircase), max_shift, scaling);
}

static bool scaling_near_at(const weir_staircase_corners *c, double ratio, int shift, weir_scaling *scaling) {
    if (c->staircase->count == 0) return scaling_at(c, shift, scaling);
    double wanted = ldexp(ratio, shift);
    if (!(wanted < 4e18)) return false;
    for (int i = 0; i < 3; i++) {
        int64_t multiplier = (int64_t)nearbyint(wanted) + (i == 1 ? 1 : i == 2 ? -1 : 0);
        wide least, length = multiplier < 1 ? -1 : add_interval(c, shift, multiplier, &least);
        wide add = length < 0 ? 0 : least + length / 2;
        if (length < 0 || add > INT64_MAX / 4 || add < -(INT64_MAX / 4)) continue;
        *scaling = (weir_scaling){multiplier, (int64_t)add, shift};
        return true;
    }
    return false;
}

bool weir_staircase_scaling_near(weir_staircase *staircase, double ratio, int max_shift, weir_scaling *scaling) {
    const weir_staircase_corners *c = corners_of(staircase);
    int low = 0, high = max_shift;
    while (high >= 0 && !scaling_near_at(c, ratio, high, scaling)) high--;
    while (low < high) {
        int middle = (low + high) / 2;
        if (scaling_near_at(c, ratio, middle, scaling)) high = middle;
        else low = middle + 1;
    }
    return high >= 0 && scaling_near_at(c, ratio, high, scaling);
}
