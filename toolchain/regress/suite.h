/* A suite of regressions: SUITE.yaml, expanded into its points in the order of the file, the last name fastest.
 * Values are lists, globs and ranges (`step` or `times`).
 *     matrix:  {model: [a.onnx, "b*.onnx"], data: [test.npz], seed: {from: 1, to: 3}}
 *     include: [{model: big.onnx, seed: 1}]      matrices of their own, whose points are added
 *     exclude: [{model: "*big*", seed: [2, 3]}]  patterns; a point that fits all names of an entry is left out
 *     steps:   [check, {run: "make {model}", inputs: ["*.v"]}]
 * Cost: O(points * names). */
#ifndef WEIR_REGRESS_SUITE_H
#define WEIR_REGRESS_SUITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/types.h"
#include "support/text/diag.h"

typedef enum weir_step_kind {
#define WEIR_STEP(name, operand, output, report, programs) WEIR_STEP_##name,
#include "regress/step.def"
#undef WEIR_STEP
    WEIR_STEP_run /* a command of the user's own, for the shell */
} weir_step_kind;

/* A list of texts in the arena. */
typedef struct weir_suite_texts {
    const char **item;
    size_t count;
} weir_suite_texts;

typedef struct weir_suite_step {
    weir_step_kind kind;
    weir_location location;
    const char *command;      /* of `run`, with placeholders {NAME} */
    weir_suite_texts options; /* of the others: further options, with placeholders */
    weir_suite_texts inputs;  /* files, folders and globs whose content counts, with placeholders */
    bool has_inputs;          /* the file says so, if only that there are none */
} weir_suite_step;

/* How far a number may move before a point is worse than its baseline. */
typedef struct weir_suite_tolerance {
    const char *metric;
    bool is_upwards; /* it is worse when it grows */
    bool is_relative;
    double amount;
} weir_suite_tolerance;

typedef struct weir_suite_point {
    const char **value; /* by name of the suite; NULL: not given */
} weir_suite_point;

typedef struct weir_suite {
    weir_arena *arena;
    const char *path, *folder, *name; /* its steps run in its folder */
    weir_suite_texts names;           /* of the matrix, in the order of the file */
    weir_suite_step *step;
    size_t steps;
    double seconds;    /* limit of a point, 0: none */
    int64_t megabytes; /* the same */
    int64_t retries;   /* of points that were lost to the machine */
    const char *baseline;
    weir_location baseline_location;
    weir_suite_tolerance *tolerance;
    size_t tolerances;
    weir_suite_point *point;
    size_t points;
} weir_suite;

/* From the command line. `define`: NAME=VALUE,... replaces values of the matrix, or adds a name; `only`:
 * NAME=PATTERN,...: the points that fit all patterns of one of them. */
typedef struct weir_suite_choice {
    weir_suite_texts define, only;
} weir_suite_choice;

void weir_suite_free(weir_suite *suite);

/* The index of a name; -1: there is none. */
int weir_suite_name(const weir_suite *suite, const char *name);
/* "model=a.onnx,seed=1": who a point is, whatever the order of the matrix. Heap memory. */
char *weir_suite_point_text(const weir_suite *suite, const weir_suite_point *point);
/* The values by name, a new object. */
json_t *weir_suite_point_json(const weir_suite *suite, const weir_suite_point *point);
/* Adds the names of an array, in its order. */
void weir_suite_add_names(weir_suite *suite, const json_t *names);
/* The point of such an object, of names that the suite has; others are left out. */
weir_suite_point weir_suite_point_of(const weir_suite *suite, const json_t *values);
/* Is the name's value a file, whose content counts? */
bool weir_suite_is_file(const char *name);

#endif
