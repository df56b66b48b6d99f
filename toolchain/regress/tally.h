/* The results of all points of a run: how they compare with a baseline, which failed alike, and reports as text, JSON,
 * CSV and JUnit XML. */
#ifndef WEIR_REGRESS_TALLY_H
#define WEIR_REGRESS_TALLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "regress/command.h"
#include "regress/coverage.h"
#include "regress/record.h"
#include "regress/suite.h"
#include "support/text/text.h"

/* A number that is worse than the baseline's by more than its tolerance. */
typedef struct weir_worse {
    size_t point;
    const weir_suite_tolerance *tolerance;
    double before, now;
} weir_worse;

typedef struct weir_tally {
    const weir_suite *suite;
    const weir_commands *commands;
    weir_record *record; /* by point; state open: not done */
    bool *is_kept;       /* by point: from an earlier run */
    double seconds;      /* of this run */
    weir_worse *worse;   /* by point */
    size_t worses, worse_capacity;
    size_t fresh; /* points that the baseline does not have */
    bool has_baseline;
    weir_coverage coverage;
} weir_tally;

void weir_tally_free(weir_tally *results);
size_t weir_tally_count(const weir_tally *results, weir_point_state state);
/* 3: a point is wrong; 1: one failed or is worse than the baseline; 4: some were lost; else 0. */
int weir_tally_status(const weir_tally *results);

/* --- baselines: {"points": {"model=a.onnx,seed=1": {"accuracy": 0.9, ...}}} of the points that were right --- */
/* False after a reported error. `asker` names the file in the suite, or nowhere. */
bool weir_tally_compare(weir_tally *results, const char *path, weir_location asker);
bool weir_tally_save_baseline(const weir_tally *results, const char *path);

/* What of a point is worse, in the order of the tolerances; *count of them. O(log(worse numbers)). */
const weir_worse *weir_tally_worse(const weir_tally *tally, size_t point, size_t *count);

/* --- reports --- */
/* The table (of all points, of up to `most` of them or of the bad ones), groups of failures, what got worse, and a last
 * line. */
void weir_tally_print(const weir_tally *results, bool all, weir_text *text);
json_t *weir_tally_json(const weir_tally *results);
void weir_tally_csv(const weir_tally *results, weir_text *text);
void weir_tally_junit(const weir_tally *results, weir_text *text);

/* Points that failed alike, in the order of the first of each. */
typedef struct weir_group {
    char *text; /* what they have in common */
    size_t *point;
    size_t count, capacity;
} weir_group;
weir_group *weir_tally_groups(const weir_tally *results, size_t *count);
void weir_groups_free(weir_group *group, size_t count);

#endif
