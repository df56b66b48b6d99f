/* Networks of abstract stream components and when their beats move, followed beat by beat: the oracle of the periodic
 * schedule, written without it. Queues between the nodes are without bound unless the network is run with depths. */
#ifndef WEIR_TESTS_NETWORK_H
#define WEIR_TESTS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum network_kind {
    NETWORK_SOURCE, /* `beats` beats back to back at the start of each interval */
    NETWORK_WORK,   /* a beat of every input for a beat: `cycles` each, given `latency` later */
    NETWORK_LANES,  /* frames of `elements`, `in_lanes` a beat to `out_lanes` a beat, `latency` behind the buffer */
    NETWORK_LINEAR, /* rows of `in_beats` beats to `groups` beats, `in_beats` cycles each, two rows buffered */
    NETWORK_WINDOW, /* rows x columns of pixels to sums of `kernel` x `kernel`, all of its inside ones, `cycles` each */
} network_kind;

enum { NETWORK_INPUTS = 3 };

typedef struct network_node {
    network_kind kind;
    size_t input[NETWORK_INPUTS], inputs; /* nodes before this one */
    int64_t beats;                        /* a frame, given */
    int64_t cycles, latency;
    int64_t elements, in_lanes, out_lanes;
    int64_t rows, in_beats, groups;
    int64_t columns, kernel;
} network_node;

typedef struct network {
    network_node *node;
    size_t count;
    int64_t interval;
} network;

/* Cycles of frames * beats beats. */
typedef struct network_times {
    int64_t *at;
    int64_t count;
} network_times;

typedef struct network_run {
    int64_t frames;
    network_times *given;               /* by node */
    network_times *taken;               /* by node: the beats of all its inputs are taken at one time */
    int64_t (*waiting)[NETWORK_INPUTS]; /* most beats between two nodes, by node and input */
} network_run;

/* Beats a frame that input 0 of the node takes; cycles a frame that it needs at least. */
int64_t network_beats_in(const network *net, size_t node);
int64_t network_busy(const network_node *node, int64_t beats_in);
/* Follows the frames with unbounded queues. */
network_run network_follow(const network *net, int64_t frames);
void network_run_free(const network *net, network_run *run);
void network_free(network *net);
/* Most beats that have been given and not taken; a beat that is taken when it comes does not wait. */
int64_t network_waiting(const network_times *given, const network_times *taken);

/* A network of about `size` nodes behind one source, with forks, joins, changes of rate, bursts and slow units; the
 * interval is that of its slowest node, or longer. */
network network_random(uint32_t seed, size_t size);

#endif
