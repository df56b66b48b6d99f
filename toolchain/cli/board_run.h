/* What `run` and `bringup` share: frames through a board that runs, the ladder, the report. */
#ifndef WEIR_CLI_BOARD_RUN_H
#define WEIR_CLI_BOARD_RUN_H

#include "board/ladder.h"
#include "cli/cli.h"

typedef struct weir_board_run {
    const char *command;
    const char *folder; /* that 'weir board build' wrote */
    weir_cli_list data;
    const char *port, *simulator, *record, *replay, *json, *results;
    const char *which; /* of several boards, as weir_attached_device takes it; NULL: the only one */
    int64_t frames, in_flight;
    int64_t only; /* frame of the data to run, -1: all */
    bool sim;
    bool program, flash;  /* the board gets the folder's bitstream first; into its flash */
    unsigned rungs;       /* as in weir_ladder_options */
    bool loads;           /* likewise */
    const char *memories; /* folder of the memory files that a simulated board begins with; NULL: the folder's own */
} weir_board_run;

enum { WEIR_BOARD_IN_FLIGHT = 64 };
#define WEIR_BOARD_RUN_ALL (~0u)
#define WEIR_BOARD_RUN_FRAMES                                                                                          \
    (1u << WEIR_RUNG_LAYERS | 1u << WEIR_RUNG_FRAME | 1u << WEIR_RUNG_FRAMES | 1u << WEIR_RUNG_BENCHMARK)

#define WEIR_BOARD_RUN_DEFAULTS(command_, rungs_)                                                                      \
    { .command = command_, .in_flight = WEIR_BOARD_IN_FLIGHT, .only = -1, .rungs = rungs_ }
#define WEIR_BOARD_RUN_OPTIONS(r)                                                                                      \
    WEIR_DATA_OPTION((r).data, "frames, required"),                                                                    \
        {"frames", 'n', WEIR_CLI_COUNT, &(r).frames, "N", "largest number of frames (all)"},                           \
        {"port", 0, WEIR_CLI_STRING, &(r).port, "TTY", "the board's serial port (found by its USB id)"},               \
        {"sim", 0, WEIR_CLI_FLAG, &(r).sim, NULL, "a simulated board, down to the pins of its UART"},                  \
        {"simulator", 0, WEIR_CLI_STRING, &(r).simulator, "NAME", "verilator or icarus, for --sim (verilator)"},       \
        {"in-flight", 0, WEIR_CLI_COUNT, &(r).in_flight, "N", "largest number of frames in flight (64)"},              \
        {"record", 0, WEIR_CLI_STRING, &(r).record, "FILE", "keep the conversation with the board"},                   \
        {"replay", 0, WEIR_CLI_STRING, &(r).replay, "FILE", "a recorded conversation instead of a board"}, {           \
        "json", 'j', WEIR_CLI_STRING, &(r).json, "FILE", "write the report as JSON"                                    \
    }

/* Is something missing or too much? -1: no; else the exit status after a report. */
int weir_board_run_check(const weir_board_run *run);
/* Exit status. */
int weir_board_run_folder(const weir_board_run *run);
void weir_board_run_free(weir_board_run *run);

#endif
