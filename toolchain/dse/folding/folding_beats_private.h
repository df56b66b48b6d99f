/* When the beats of a frame move with a folding, item by item: what a node gives depends on what comes to it and on its
 * own folding, so foldings that begin alike share all that is known of their beginnings. Without FIFOs, which only add
 * to it. */
#ifndef WEIR_DSE_FOLDING_BEATS_PRIVATE_H
#define WEIR_DSE_FOLDING_BEATS_PRIVATE_H

#include "dataflow/schedule/signature.h"
#include "dse/folding/folding_structure_private.h"

typedef struct weir_folding_beats weir_folding_beats;

/* Of the structure, where frames are `interval` cycles apart. NULL: an input of the network feeds several components or
 * leaves it as it is. */
weir_folding_beats *weir_folding_beats_new(const weir_folding_structure *structure, int64_t interval);
void weir_folding_beats_free(weir_folding_beats *beats);

/* From now on the item has this folding; `member`: its members' hardware; `built`: where equal, members are built
 * alike, with the same timing. */
void weir_folding_beats_fold(weir_folding_beats *beats, const weir_folding_unit *unit,
                             const weir_folding_setting *folding, const weir_meta_hardware *member,
                             const uint32_t *built);
/* stream[node id] is the number of what each node before the item gives; gets those of the members. Equal beats on
 * equal lanes have equal numbers. False: a node does not take the beats that come to it. */
bool weir_folding_beats_serve(weir_folding_beats *beats, const weir_folding_unit *unit, uint32_t *stream);

int64_t weir_folding_beats_lanes(const weir_folding_beats *beats, uint32_t stream);
/* The cycle in which beat `index` moves, from the last one on where it is negative. */
int64_t weir_folding_beats_at(const weir_folding_beats *beats, uint32_t stream, int64_t index);
/* No beat of stream a is later than that of b; false also where it is not known. */
bool weir_folding_beats_are_sooner(weir_folding_beats *beats, uint32_t a, uint32_t b);
/* Steps of service rules: the cost. */
int64_t weir_folding_beats_steps(const weir_folding_beats *beats);

#endif
