/* Mapping proved right: the netlist that Yosys wrote against the design as it was just before Yosys mapped gates,
 * registers and lookup tables to cells. What comes before (Yosys' optimizations, memories, multipliers) and after
 * (netlist.h, what is fixed) is not part of it, and the insides of memories and multipliers are the same cells on both
 * sides. */
#ifndef WEIR_SYNTH_PROVE_H
#define WEIR_SYNTH_PROVE_H

#include <jansson.h>

#include "synth/netlist/check.h"
#include "synth/yosys.h"

typedef struct weir_synth_prove_job {
    const weir_program *yosys;
    const weir_device *device;
    const char *models; /* of weir_synth_cells; NULL: there are none */
    const char *folder; /* has the two files */
    const char *top;
} weir_synth_prove_job;

/* In `work`, a folder that gets files: the gates of the design before mapping, and the netlist against these. "status"
 * is "proved", "different" or "open". NULL after a reported error. */
json_t *weir_prove_unmapped(const weir_synth_prove_job *job, const char *work);
json_t *weir_prove_mapped(const weir_synth_prove_job *job, json_t *unmapped, const char *work);
/* Both through the cache. WEIR_EXIT_FINE, also when there is a reason not to; WEIR_EXIT_MISMATCH: something is
 * different; or WEIR_EXIT_TOOL after a reported error. `is_asked`: however large it is. */
int weir_synth_prove(const weir_synth_prove_job *job, const weir_synth_netlist *netlist, const char *cache,
                     bool is_asked, weir_synth_check *proof);

#endif
