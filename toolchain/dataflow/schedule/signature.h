/* When the beats of a stream move, without a record per beat: a signature is a nest of levels (count, stride); each
 * level is `count` copies of its body, `stride` cycles apart. Beat k = i1 * b1 + i2 * b2 + ... of a nest of levels (c1,
 * s1), (c2, s2), ... with b_d beats in one copy of level d moves at i1 * s1 + i2 * s2 + ... . The body of a level may
 * have several parts one after the other (a burst of three, a gap, a beat), and so does a frame: its first row differs
 * from the others. A signature says when the first frame moves, and when all later ones do, an interval apart each.
 * Times never fall within a frame. Cost: everything grows with the levels and parts, nothing with the beats. */
#ifndef WEIR_DATAFLOW_SIGNATURE_H
#define WEIR_DATAFLOW_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/memory/map.h"
#include "support/memory/types.h"

typedef struct weir_signature_level weir_signature_level;

/* A level that begins at beat `first` and cycle `at` of the whole. */
typedef struct weir_signature_part {
    int64_t first, at;
    const weir_signature_level *level;
} weir_signature_part;

struct weir_signature_level {
    int64_t count, stride;           /* copies of the body and the cycles from one to the next */
    int64_t body, beats;             /* beats of the body, of the level */
    int64_t last;                    /* cycle of the last beat, counted from the first */
    uint64_t hash;                   /* of all but its position */
    size_t parts;                    /* of the body; none: the body is one beat */
    const weir_signature_part *part; /* the first is at beat 0, cycle 0 */
};

typedef struct weir_signature {
    weir_signature_part first;  /* frame 0, in cycles from the start */
    weir_signature_part steady; /* frame f > 0, in cycles from f * interval */
} weir_signature;

static inline int64_t weir_later(int64_t a, int64_t b) { return a > b ? a : b; }

/* `beats` beats every `stride` cycles from cycle `at` of each frame. */
weir_signature weir_signature_run(weir_arena *arena, int64_t at, int64_t beats, int64_t stride);
static inline int64_t weir_signature_beats(const weir_signature *signature) { return signature->steady.level->beats; }
/* The cycle at which beat `index` of a part moves. */
int64_t weir_signature_at(const weir_signature_part *part, int64_t index);
/* How many beats of the part have moved by the cycle. */
int64_t weir_signature_count(const weir_signature_part *part, int64_t cycle);
/* For how many beats x from `from` on beat x + lag moves *stride cycles after beat x; 0 where the nest does not show
 * it. *aligned: the beats from `from` to from + lag are whole copies of a level's body. */
int64_t weir_signature_alike(const weir_signature_part *part, int64_t from, int64_t lag, int64_t *stride,
                             bool *aligned);
bool weir_signature_equal(const weir_signature_part *a, const weir_signature_part *b);
/* The signature with its levels in the arena. `copied`: levels that are there already, by address; empty at first. */
weir_signature weir_signature_copy(weir_arena *arena, weir_map *copied, const weir_signature *signature);
/* Levels below each other, and all parts of all of them. */
size_t weir_signature_depth(const weir_signature_part *part);
size_t weir_signature_parts(const weir_signature_part *part);

/* What waits between two signatures of the same beats, over all frames. */
typedef struct weir_waiting {
    int64_t beats;  /* most that are emitted but not yet accepted at one time */
    int64_t cycles; /* longest wait of one of them */
    int64_t steps;  /* of comparison that this took */
} weir_waiting;
weir_waiting weir_signature_waiting(const weir_signature *given, const weir_signature *taken, int64_t interval);

/* --- building --- */

/* Parts of a frame that is being written, one after the other; all zero but the arena is the empty list. */
typedef struct weir_signature_list {
    weir_arena *arena; /* of the levels */
    weir_map *known;   /* those that the owner of some lists has made; NULL: equal levels are made again */
    weir_signature_part *part;
    size_t count, capacity;
} weir_signature_list;

void weir_signature_add(weir_signature_list *list, int64_t at);
void weir_signature_append(weir_signature_list *list, weir_signature_part part);
/* Repeats the list from part `from` on `times` times more, `stride` cycles apart. */
void weir_signature_repeat(weir_signature_list *list, size_t from, int64_t times, int64_t stride);
/* Merges the parts from `from` on where they continue each other: the same beats in fewer levels. */
void weir_signature_merge(weir_signature_list *list, size_t from);
/* The list as one part, moved to the arena; empties the list. */
weir_signature_part weir_signature_close(weir_signature_list *list);

#endif
