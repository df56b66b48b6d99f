/* When the beats of a frame move with a folding, item by item: a node's output beats depend on its input beats and its
 * own folding, so foldings with a common prefix share all results for it. Without FIFOs, which only add to it. */
#ifndef WEIR_DSE_FOLDING_BEATS_PRIVATE_H
#define WEIR_DSE_FOLDING_BEATS_PRIVATE_H

#include "dataflow/schedule/signature.h"
#include "dse/folding/folding_structure_private.h"

typedef struct weir_folding_beats weir_folding_beats;

/* For the structure, with frames `interval` cycles apart. NULL: an input of the network feeds several components, or
 * leaves it unchanged. */
weir_folding_beats *weir_folding_beats_new(const weir_folding_structure *structure, int64_t interval);
void weir_folding_beats_free(weir_folding_beats *beats);

/* Gives the item this folding; `member`: its members' hardware; `built`: members with equal numbers are built alike,
 * with the same timing. */
void weir_folding_beats_fold(weir_folding_beats *beats, const weir_folding_unit *unit,
                             const weir_folding_setting *folding, const weir_meta_hardware *member,
                             const uint32_t *built);
/* stream[node id] numbers the output beats of each node before the item; fills in the members'. Equal beats on equal
 * lanes have equal numbers. False: a node does not accept the beats that arrive. */
bool weir_folding_beats_serve(weir_folding_beats *beats, const weir_folding_unit *unit, uint32_t *stream);

int64_t weir_folding_beats_lanes(const weir_folding_beats *beats, uint32_t stream);
/* The cycle in which beat `index` moves; a negative index counts from the last one. */
int64_t weir_folding_beats_at(const weir_folding_beats *beats, uint32_t stream, int64_t index);
/* No beat of stream a is later than that of b; false also if it is not known. */
bool weir_folding_beats_are_sooner(weir_folding_beats *beats, uint32_t a, uint32_t b);
/* Steps of service rules: the cost. */
int64_t weir_folding_beats_steps(const weir_folding_beats *beats);

#endif
