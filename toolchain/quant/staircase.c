#include "quant/staircase.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "support/memory/arena.h"

/* x * M and k * 2^s stay below this. */
__extension__ typedef __int128 wide;

/* An input and the code there. */
typedef struct place {
    int64_t x, code;
} place;

enum { BLOCK = 64 }; /* steps that are evaluated at once */

static int64_t code_at(weir_step_function *function, const void *user, int64_t x) {
    int64_t code;
    function(user, &x, 1, &code);
    return code;
}

/* The smallest input in (below, reached] that gives `wanted` or more, and the code there. */
static place find_step(weir_step_function *function, const void *user, int64_t wanted, int64_t below, place reached) {
    while (reached.x - below > 1) {
        const int64_t middle = below + (reached.x - below) / 2, code = code_at(function, user, middle);
        if (code >= wanted) reached = (place){middle, code};
        else below = middle;
    }
    return reached;
}

/* The next `count` steps, behind `at`, the step before them, as if all up to the last one, at `last`, were evenly
 * spaced: the inputs of a line between those that a real line begins at are within one of its own. What is elsewhere is
 * searched for. How many were where they were looked for. */
static size_t find_block(const weir_staircase *s, weir_step_function *function, const void *user, place *at,
                         size_t first, size_t count, int64_t last) {
    assert(count > 0 && count <= BLOCK);
    int64_t x[3 * BLOCK], code[3 * BLOCK];
    const double spacing = (double)(last - at->x) / (double)(s->count - first), from = (double)at->x;
    for (size_t i = 0; i < count; i++) {
        int64_t guess = (int64_t)floor(from + spacing * (double)(i + 1));
        if (guess <= s->x_low) guess = s->x_low + 1;
        if (guess >= s->x_high) guess = s->x_high - 1;
        for (int k = 0; k < 3; k++) x[3 * i + (size_t)k] = guess + k - 1;
    }
    function(user, x, 3 * count, code);
    const place top = {s->x_high, s->base + (int64_t)s->count};
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t wanted = s->base + (int64_t)(first + i) + 1, *c = code + 3 * i;
        const bool hit = c[0] < wanted && wanted <= c[2];
        if (hit) *at = c[1] >= wanted ? (place){x[3 * i + 1], c[1]} : (place){x[3 * i + 2], c[2]};
        else if (at->code < wanted) *at = find_step(function, user, wanted, at->x, top);
        hits += hit;
        s->step[first + i] = at->x;
    }
    return hits;
}

bool weir_staircase_build(weir_staircase *staircase, weir_step_function *function, const void *user, int64_t x_low,
                          int64_t x_high, int64_t low, int64_t high) {
    weir_staircase *s = staircase;
    *s = (weir_staircase){x_low, x_high, low, high, code_at(function, user, x_low), 0, NULL, NULL};
    const place top = {x_high, code_at(function, user, x_high)};
    if (top.code < s->base) return false;
    s->count = (size_t)(top.code - s->base);
    s->step = weir_malloc((s->count + 1) * sizeof *s->step);
    if (s->count == 0) return true;
    place at = find_step(function, user, s->base + 1, x_low, top);
    s->step[0] = at.x;
    const int64_t last = at.code == top.code ? at.x : find_step(function, user, top.code, at.x, top).x;
    bool even = x_high - x_low > 1;
    for (size_t k = 1; k < s->count;) {
        if (even) {
            const size_t count = s->count - k > BLOCK ? BLOCK : s->count - k;
            even = 2 * find_block(s, function, user, &at, k, count, last) >= count;
            k += count;
            continue;
        }
        if (at.code <= s->base + (int64_t)k) at = find_step(function, user, s->base + (int64_t)k + 1, at.x, top);
        s->step[k++] = at.x;
    }
    return true;
}

void weir_staircase_free(weir_staircase *staircase) {
    free(staircase->step);
    free(staircase->corners);
    staircase->step = NULL;
    staircase->corners = NULL;
}

/* Inputs, and the codes there. */
typedef struct places {
    int64_t x[2 * BLOCK], code[2 * BLOCK];
    size_t count;
} places;

static bool agrees(const places *wanted, weir_step_function *candidate, const void *user, int64_t *where) {
    int64_t code[2 * BLOCK];
    candidate(user, wanted->x, wanted->count, code);
    for (size_t i = 0; i < wanted->count; i++) {
        if (code[i] == wanted->code[i]) continue;
        *where = wanted->x[i];
        return false;
    }
    return true;
}

static void want(places *wanted, int64_t x, int64_t code) {
    wanted->x[wanted->count] = x;
    wanted->code[wanted->count++] = code;
}

/* Of several steps at one input the last one gives the code. */
bool weir_staircase_proves(const weir_staircase *staircase, weir_step_function *candidate, const void *user,
                           int64_t *where) {
    const weir_staircase *s = staircase;
    places wanted = {.count = 0};
    want(&wanted, s->x_low, s->base);
    want(&wanted, s->x_high, s->base + (int64_t)s->count);
    for (size_t k = 0; k < s->count; k++) {
        if (wanted.count == 2 * BLOCK) {
            if (!agrees(&wanted, candidate, user, where)) return false;
            wanted.count = 0;
        }
        const int64_t x = s->step[k], before = s->base + (int64_t)k;
        while (k + 1 < s->count && s->step[k + 1] == x) k++;
        want(&wanted, x - 1, before);
        want(&wanted, x, s->base + (int64_t)k + 1);
    }
    return agrees(&wanted, candidate, user, where);
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
static inline bool is_inside(corner a, corner b, corner c, int side, bool is_narrow) {
    if (is_narrow) {
        const int64_t turn = (b.code - a.code) * (c.x - a.x) - (c.code - a.code) * (b.x - a.x);
        return side > 0 ? turn <= 0 : turn >= 0;
    }
    const wide turn = (wide)(b.code - a.code) * (c.x - a.x) - (wide)(c.code - a.code) * (b.x - a.x);
    return side > 0 ? turn <= 0 : turn >= 0;
}

/* Narrow: products of codes and inputs stay below 2^62. */
static inline size_t chain(const weir_staircase *s, int side, bool is_narrow, corner *to) {
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) {
        const corner next = {s->step[k], s->base + (int64_t)k + 1};
        while (count >= 2 && is_inside(to[count - 2], to[count - 1], next, side, is_narrow)) count--;
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
    const bool is_narrow = (uint64_t)s->x_high - (uint64_t)s->x_low < UINT64_C(1) << 31 && s->count < 1u << 31;
    c->uppers = is_narrow ? chain(s, 1, true, c->upper) : chain(s, 1, false, c->upper);
    c->lowers = is_narrow ? chain(s, -1, true, c->lower) : chain(s, -1, false, c->lower);
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
