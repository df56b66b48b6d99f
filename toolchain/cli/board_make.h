/* What `board build` and `bringup` share: a model, compiled for a board, up to its bitstream. */
#ifndef WEIR_CLI_BOARD_MAKE_H
#define WEIR_CLI_BOARD_MAKE_H

#include "board/build.h"
#include "cli/job.h"
#include "cli/synthesize.h"

typedef struct weir_board_make {
    weir_job job;
    const char *model; /* or a folder that 'weir compile' wrote */
    const char *folder, *board_name, *json;
    weir_board *board; /* of weir_board_make_check */
    int64_t clock_mhz, baud, seeds, seconds;
    const char *yosys;                          /* as in weir_program_yosys */
    int64_t clock_hz;                           /* where it is known to the hertz; 0: clock_mhz */
    bool sources_only;                          /* no bitstream */
    bool benchmark, debug, read_back, loadable; /* as in weir_board_build_options; loadable has read_back in it */
    const char *data; /* frames that what is built is tried with, as weir_frames_read takes it; NULL: random ones */
} weir_board_make;

#define WEIR_BOARD_MAKE_DEFAULTS(command)                                                                              \
    { .job = WEIR_JOB_DEFAULTS(command), .seeds = WEIR_BOARD_SEEDS, .seconds = WEIR_SYNTHESIZE_SECONDS }
#define WEIR_BOARD_MAKE_OPTIONS(r, written)                                                                            \
    {"output", 'o', WEIR_CLI_STRING, &(r).folder, "DIR", written},                                                     \
        {"board",         'b',    WEIR_CLI_STRING,                                                                     \
         &(r).board_name, "NAME", "the board: see 'weir boards'; or the path of your own"},                            \
        {"clock", 0, WEIR_CLI_COUNT, &(r).clock_mhz, "MHZ", "clock of the core (the highest that a placement meets)"}, \
        {"baud", 0, WEIR_CLI_COUNT, &(r).baud, "N", "baud of the UART (the board's highest, up to 3000000)"},          \
        {"seeds", 0, WEIR_CLI_COUNT, &(r).seeds, "N", "placements to try per clock (3)"},                              \
        {"benchmark",    0,    WEIR_CLI_FLAG,                                                                          \
         &(r).benchmark, NULL, "let the chip make frames, count them and check their sum"},                            \
        {"debug", 0, WEIR_CLI_FLAG, &(r).debug, NULL, "make the streams of all layers observable"},                    \
        {"readback", 0, WEIR_CLI_FLAG, &(r).read_back, NULL, "make parameter memories readable"},                      \
        {"loadable",    0,    WEIR_CLI_FLAG,                                                                           \
         &(r).loadable, NULL, "make parameter memories writable, too: hardware for any parameters, as --patchable"},   \
        WEIR_YOSYS_OPTION((r).yosys),                                                                                  \
        {"timeout", 0, WEIR_CLI_COUNT, &(r).seconds, "SECONDS", "for Yosys, and for each placement (1200)"},           \
        WEIR_JOB_PLUGIN_OPTIONS((r).job), WEIR_JOB_QUANTIZE_OPTIONS((r).job), WEIR_JOB_SET_OPTION((r).job),            \
        WEIR_JOB_FOLDING_OPTIONS((r).job)

/* The first option that says how to build, by its name, or NULL: what a folder that is built already would ignore. The
 * board's name is none. */
const char *weir_board_make_first_option(const weir_board_make *make);
/* The same of those that say what hardware and what bitstream a model becomes: what a patch would ignore. */
const char *weir_board_make_shaping(const weir_board_make *make);
/* Reads the board. -1: continue; else the exit status after a report. */
int weir_board_make_check(weir_board_make *make);
/* Exit status. */
int weir_board_make_run(weir_board_make *make);
/* A built board for users, and as JSON unless that is NULL; false after a reported error. */
bool weir_board_make_tell(const json_t *report, const char *json);
void weir_board_make_free(weir_board_make *make);

#endif
