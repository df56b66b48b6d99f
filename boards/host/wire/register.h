/* The registers of a board: addresses, and the bits that a host needs. boards/common/README.md says what each holds. */
#ifndef WEIR_REGISTER_H
#define WEIR_REGISTER_H

enum {
    WEIR_REGISTER_MAGIC = 0,
    WEIR_REGISTER_VERSION = 1,
    WEIR_REGISTER_BUILD = 2,
    WEIR_REGISTER_MODEL = 3,
    WEIR_REGISTER_CLOCK_HZ = 4,
    WEIR_REGISTER_TIME = 5,
    WEIR_REGISTER_FRAMES = 6,
    WEIR_REGISTER_CYCLES = 7,
    WEIR_REGISTER_ERRORS = 8,
    WEIR_REGISTER_CONTROL = 9,
    WEIR_REGISTER_SHORTEST = 16,
    WEIR_REGISTER_LONGEST = 17,
    WEIR_REGISTER_INTERVAL = 18,
    WEIR_REGISTER_INTERVAL_LEAST = 19,
    WEIR_REGISTER_INTERVAL_GREATEST = 20,
    WEIR_REGISTER_STALLED_IN = 24,
    WEIR_REGISTER_STALLED_OUT = 25,
    WEIR_REGISTER_BENCH_FRAMES = 32,
    WEIR_REGISTER_BENCH_CYCLES = 33,
    WEIR_REGISTER_BENCH_CRC = 34,
    WEIR_REGISTER_MEMORY = 40,
    WEIR_REGISTER_TAP = 64,
    WEIR_REGISTER_TAP_CRC = 65,
    WEIR_REGISTER_TAP_BEATS = 66,

    WEIR_MAGIC = 0x57454952,
    WEIR_PROTOCOL = 1,
};

/* `version`: what is there. */
enum {
    WEIR_FEATURE_EXTREMES = 1 << 8,
    WEIR_FEATURE_STALLS = 1 << 9,
    WEIR_FEATURE_BENCHMARK = 1 << 10,
    WEIR_FEATURE_READ_BACK = 1 << 11,
    WEIR_FEATURE_LOADABLE = 1 << 12,
    WEIR_FEATURE_TAPS = 1 << 13,
};

/* `errors` */
enum {
    WEIR_BOARD_FRAMING = 1 << 0,
    WEIR_BOARD_CRC = 1 << 1,
    WEIR_BOARD_PLACE = 1 << 2,
    WEIR_BOARD_ROOM = 1 << 3,
    WEIR_BOARD_LAST = 1 << 4,
    WEIR_BOARD_FLAGGED = 1 << 5,
    WEIR_BOARD_DAMAGED = 1 << 6,
};

/* `control`: 2:0 is the mode. */
typedef enum weir_mode {
    WEIR_MODE_ACCELERATOR = 0,
    WEIR_MODE_ECHO = 1,
    WEIR_MODE_SINK = 2,
    WEIR_MODE_SOURCE = 3,
    WEIR_MODE_BENCHMARK = 4,
    WEIR_MODE_READ = 5, /* a parameter memory (memory.h), and */
    WEIR_MODE_LOAD = 6, /* another content for it */
} weir_mode;
enum { WEIR_CONTROL_LED = 1 << 8, WEIR_CONTROL_LED_IS_BIT = 1 << 9 };

#endif
