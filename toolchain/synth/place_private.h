/* What placing and the tasks of other processes share. Jobs have their pins. */
#ifndef WEIR_SYNTH_PLACE_PRIVATE_H
#define WEIR_SYNTH_PLACE_PRIVATE_H

#include "support/memory/hash.h"
#include "support/text/diag.h"
#include "synth/place.h"

/* A job's netlist as nextpnr reads it, and the key of what it gives. */
typedef struct weir_place_netlist {
    const weir_place_job *job;
    char *text;
    weir_hash key;
} weir_place_netlist;

void weir_place_netlist_open(const weir_place_job *job, weir_place_netlist *netlist);
void weir_place_netlist_close(weir_place_netlist *netlist);
/* MHz of the slowest clock of nextpnr's report. */
double weir_place_clock(const json_t *report);
/* Places one seed, or finds it in the cache; `progress` NULL: another thread says how long it takes. */
void weir_place_seed(const weir_place_netlist *netlist, int64_t seed, const char *progress, weir_placement *placement);

/* All that decides how the job's seeds end, a new object. */
json_t *weir_place_task(const weir_place_job *job);
/* How a seed ended, and its messages; false after a reported error. */
bool weir_place_task_read(const json_t *result, weir_placement *placement, weir_diag_log **log);

#endif
