/* What placing and the tasks of other processes share. Jobs have their pins. */
#ifndef WEIR_SYNTH_PLACE_PRIVATE_H
#define WEIR_SYNTH_PLACE_PRIVATE_H

#include "support/text/diag.h"
#include "synth/place.h"

/* MHz of the slowest clock of nextpnr's report. */
double weir_place_clock(const json_t *report);
/* Places one seed, from the cache if it is there. */
void weir_place_one(const weir_place_job *job, int64_t seed, weir_placement *placement);

/* All that decides how the job's seeds end, a new object. */
json_t *weir_place_task(const weir_place_job *job);
/* How a seed ended, and what was said of it; false after a reported error. */
bool weir_place_task_read(const json_t *result, weir_placement *placement, weir_diag_log **log);

#endif
