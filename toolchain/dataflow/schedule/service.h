/* The service rule of a component as a small program: the order in which it takes (accepts) and gives (emits) beats,
 * and what each waits for. The program is executed except for loops that have become periodic: iterations that repeat
 * earlier ones, only later, are done in one step. The result is exact; the cost is the number of levels of loops and
 * arrivals, and for a rule that never becomes periodic the number of beats.
 *
 * A rule keeps times only in registers, combines them only by maximum and by adding constants, and reads the arrival of
 * a beat only by taking it; what an iteration does must not depend on its number. So each time of an iteration is a
 * maximum of registers and arrivals plus constants, f(x) = max(x_i + c_i), for which two things hold:
 *   - f(x + d) = f(x) + d: when all registers and arrivals of an iteration are those of an earlier one plus d, so are
 *   its
 *     beats and the registers after it, and all further ones as long as arrivals continue alike.
 *   - f is convex: where registers and arrivals each move by a stride of their own an iteration, x_j = x_0 + j * s, a
 *   time
 *     that is on one line at iterations 0, 1 and m is on this line at all iterations between. So two iterations and the
 *     execution of a distant one prove all of them; where it is off the line, bisection finds how far the line goes.
 *
 * Example, a component that works CYCLES on each beat:
 *     static void beat(weir_service *s, const void *user) {
 *         int64_t at = weir_service_take_all(s, s->time[0]);
 *         weir_service_give(s, 0, at + LATENCY);
 *         s->time[0] = at + CYCLES;
 *     }
 *     weir_service_repeat(s, beats, beat, NULL); */
#ifndef WEIR_DATAFLOW_SERVICE_H
#define WEIR_DATAFLOW_SERVICE_H

#include "dataflow/schedule/signature.h"

enum { WEIR_SERVICE_REGISTERS = 12, WEIR_SERVICE_PORTS = 8 };

typedef struct weir_service_state weir_service_state;
typedef struct weir_service {
    int64_t time[WEIR_SERVICE_REGISTERS]; /* cycles; kept from frame to frame; at first long before any beat */
    weir_service_state *state;
} weir_service;

/* A part of a rule; `user` holds its parameters. */
typedef void weir_service_body(weir_service *service, const void *user);

/* Takes the next beat of an input, not before it has arrived nor before `earliest`: returns the cycle. */
int64_t weir_service_take(weir_service *service, size_t input, int64_t earliest);
/* A body: takes a beat of input 0 per cycle; register 0 holds when the next one can be taken. */
void weir_service_take_beat(weir_service *service, const void *user);
/* Takes the next beat of every input, all in one cycle. */
int64_t weir_service_take_all(weir_service *service, int64_t earliest);
/* The next beat of an output appears at the cycle. */
void weir_service_give(weir_service *service, size_t output, int64_t at);
/* Does the body `count` times. */
void weir_service_repeat(weir_service *service, int64_t count, weir_service_body *body, const void *user);

typedef struct weir_service_ports {
    const weir_signature *const *arrive; /* by input */
    size_t inputs, outputs;              /* at most WEIR_SERVICE_PORTS each */
    int64_t interval;                    /* cycles between frames */
} weir_service_ports;

typedef enum weir_service_status {
    WEIR_SERVICE_FINE,
    /* falls behind by `late` cycles each frame: its own interval is longer than that of the frames */
    WEIR_SERVICE_SLOW,
    /* takes more or fewer beats than arrive (`port`: of which input), or gives no beat (inputs + output) */
    WEIR_SERVICE_WRONG,
} weir_service_status;

typedef struct weir_service_result {
    weir_service_status status;
    int64_t late;
    size_t port;
    int64_t steps; /* iterations that were executed one by one */
} weir_service_result;

/* Executes a rule frame by frame until a frame is like the one before it: `taken` by input and `given` by output,
 * levels in the arena. */
weir_service_result weir_service_run(weir_arena *arena, const weir_service_ports *ports, weir_service_body *rule,
                                     const void *user, weir_signature *taken, weir_signature *given);

#endif
