/* A link and the fake board at its other end. After <cmocka.h>. */
#ifndef WEIR_WIRE_BENCH_H
#define WEIR_WIRE_BENCH_H

#include "fake_wire.h"
#include "wire/wire.h"

#define SECOND UINT64_C(1000000)

/* Settings of a wire without faults. */
#define GOOD_WIRE(receive_log2_, send_log2_)                                                                           \
    {                                                                                                                  \
        .board = {.receive_log2 = receive_log2_,                                                                       \
                  .send_log2 = send_log2_,                                                                             \
                  .bytes_in = 64,                                                                                      \
                  .bytes_out = 10,                                                                                     \
                  .clock_hz = 48e6,                                                                                    \
                  .real_clock_hz = 48e6},                                                                              \
        .baud = 3e6, .delay = 2000000                                                                                  \
    }

typedef struct bench {
    fake_wire *fake;
    weir_transport transport;
    weir_wire *wire;
    uint64_t random;
} bench;

static inline bench open_bench(const fake_wire_settings *settings) {
    bench it = {.random = settings->seed};
    weir_failure why;
    it.fake = fake_wire_new(settings, &it.transport);
    assert_int_equal(weir_wire_open(&it.wire, &it.transport, (unsigned)settings->baud, &why), WEIR_WIRE_OK);
    return it;
}

static inline void close_bench(bench *it) {
    weir_wire_close(it->wire);
    fake_wire_free(it->fake);
}

/* Fails with the text of the failure. */
static inline void check_fine(weir_wire_error error, const weir_failure *why) {
    if (error != WEIR_WIRE_OK) fail_msg("%s: %s", weir_failure_name(error), why->text);
}

#endif
