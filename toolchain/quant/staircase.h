/* Monotone integer functions as staircases, and the search for hardware that computes them (DESIGN "Exact
 * requantization"). A staircase over inputs [x_low, x_high] starts at code `base`; step[k] is the smallest input that
 * gives base + k + 1 or more. Checking a monotone candidate at each step and just before it is a proof for every
 * input. */
#ifndef WEIR_QUANT_STAIRCASE_H
#define WEIR_QUANT_STAIRCASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_STAIRCASE_CODES = 4096 }; /* outputs of more codes have no staircases */

typedef struct weir_staircase_corners weir_staircase_corners;

typedef struct weir_staircase {
    int64_t x_low, x_high; /* inputs that can occur */
    int64_t low, high;     /* clip bounds: no code is outside them after clipping */
    int64_t base;          /* code of x_low */
    size_t count;          /* code of x_high is base + count */
    int64_t *step;         /* ascending, each in (x_low, x_high] */
    /* the steps that decide which scalings fit, from the first search on; NULL: not yet */
    weir_staircase_corners *corners;
} weir_staircase;

/* A monotone function, at `count` inputs. */
typedef void weir_step_function(const void *user, const int64_t *x, size_t count, int64_t *code);

/* Finds the steps of the function: at three inputs each where they are evenly spaced, else by bisection,
 * O(log(x_high - x_low)). `step` is heap memory. False if the function is not monotone at the evaluated inputs. */
bool weir_staircase_build(weir_staircase *staircase, weir_step_function *function, const void *user, int64_t x_low,
                          int64_t x_high, int64_t low, int64_t high);
void weir_staircase_free(weir_staircase *staircase);

/* Does the monotone candidate equal the staircase on every input? On failure *where is an input at which it differs. */
bool weir_staircase_proves(const weir_staircase *staircase, weir_step_function *candidate, const void *user,
                           int64_t *where);

/* y = clip(floor((x * multiplier + add) / 2^shift), low, high) */
typedef struct weir_scaling {
    int64_t multiplier, add;
    int shift;
} weir_scaling;

/* The exact search at one shift: for a multiplier M the fitting values of add form the interval
 * [max(k * 2^s - x * M) over inputs x that must give k or more, min((k + 1) * 2^s - x * M) - 1 over those that must
 * give k or less]; its length is concave in M, so a ternary search decides whether any M fits. Feasibility at a shift
 * implies it at the next one. */
bool weir_staircase_scaling_at(weir_staircase *staircase, int shift, weir_scaling *scaling);
/* The smallest shift up to `max_shift` that works, or false. */
bool weir_staircase_scaling(weir_staircase *staircase, int max_shift, weir_scaling *scaling);
/* The same with one of the two multipliers next to ratio * 2^shift, without a search: O(steps) a shift. */
bool weir_staircase_scaling_near(weir_staircase *staircase, double ratio, int max_shift, weir_scaling *scaling);

#endif
