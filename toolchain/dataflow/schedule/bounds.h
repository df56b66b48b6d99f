/* Signatures of few parts that are never later and never earlier than one of many: if nests of neighbours do not fit
 * each other, parts multiply from node to node, and a schedule with all of them would cost as much as its beats.
 * Service rules are monotone: early arrivals are served early, late ones late; a FIFO for the beats that wait between
 * early emission and late acceptance is deep enough. */
#ifndef WEIR_DATAFLOW_BOUNDS_H
#define WEIR_DATAFLOW_BOUNDS_H

#include "dataflow/schedule/service.h"
#include "dataflow/schedule/signature.h"

/* A stream's beats move no earlier and no later than these; exact: at these times, and both are equal. */
typedef struct weir_bounds {
    weir_signature early, late;
    bool exact;
} weir_bounds;

/* The signature itself when both of its frames have at most `most_parts` parts, else bounds of fewer. */
weir_bounds weir_bounds_of(weir_arena *arena, const weir_signature *signature, size_t most_parts);

typedef struct weir_bounds_ports {
    const weir_bounds *const *arrive; /* by input */
    size_t inputs, outputs;
    int64_t interval;
    size_t most_parts; /* of a frame of a signature, at least 64 */
} weir_bounds_ports;

/* As weir_service_run, with bounds where signatures would have too many parts. */
weir_service_result weir_bounds_serve(weir_arena *arena, const weir_bounds_ports *ports, weir_service_body *rule,
                                      const void *user, weir_bounds *taken, weir_bounds *given);

#endif
