/* What `sim` and `check` share: simulating a compiled folder and reporting. */
#ifndef WEIR_CLI_SIMULATE_H
#define WEIR_CLI_SIMULATE_H

#include "cli/cli.h"
#include "cli/page.h"
#include "cosim/metrics.h"
#include "ir/graph/graph.h"

typedef struct weir_simulate {
    weir_cli_list data;
    const char *simulator, *profile, *json, *picture, *results, *html, *task, *output;
    const char *netlist, *cells; /* `sim` only: a synthesized netlist instead of rtl/, models of its cells */
    const char *work;            /* this run's own copy of the folder's rtl/, tb/ and tb_debug/ */
    int64_t frames, debug_frames, seed;
    /* `check` only, whose software engines run frames: at a time; 0: as many as there are processors */
    int64_t threads;
    bool stop, malformed;
} weir_simulate;

enum { WEIR_DEBUG_FRAMES = 16, WEIR_DEBUG_FRAMES_OPEN = INT32_MIN }; /* of `check`; the user has not said how many */

#define WEIR_SIMULATE_DEFAULTS                                                                                         \
    { .simulator = "both", .profile = "always", .debug_frames = WEIR_DEBUG_FRAMES, .seed = 1, .threads = 1 }
#define WEIR_SIMULATE_OPTIONS(s)                                                                                       \
    WEIR_DATA_OPTION((s).data, "frames"),                                                                              \
        {"simulator", 0, WEIR_CLI_STRING, &(s).simulator, "NAME", "icarus, verilator or both (both)"},                 \
        {"profile", 'p', WEIR_CLI_STRING, &(s).profile, "NAME", "always, half, eighth, after-valid or all (always)"},  \
        {"frames", 'n', WEIR_CLI_COUNT, &(s).frames, "N", "largest number of frames (all)"},                           \
        {"debug-frames",    0,   WEIR_CLI_INT,                                                                         \
         &(s).debug_frames, "N", "frames on which every stream is compared (check, sim --draw: 16, sim: 0)"},          \
        {"seed", 0, WEIR_CLI_INT, &(s).seed, "N", "seed of stalls and idle data (1)"},                                 \
        {"task",    0,      WEIR_CLI_STRING,                                                                           \
         &(s).task, "NAME", "what is scored: " WEIR_SCORING_TASKS " (from model and labels)"},                         \
        {"output-of", 0, WEIR_CLI_STRING, &(s).output, "NAME", "the output that is scored (the first)"},               \
        {"malformed", 0, WEIR_CLI_FLAG, &(s).malformed, NULL, "run again with frames that are too short or too long"}, \
        {"stop", 0, WEIR_CLI_FLAG, &(s).stop, NULL, "stop at the first wrong simulation; no waveform"},                \
        {"json", 'j', WEIR_CLI_STRING, &(s).json, "FILE", "write the report as JSON"}, WEIR_HTML_OPTION((s).html), {   \
        "draw", 0, WEIR_CLI_STRING, &(s).picture, "FILE.svg",                                                          \
            "draw the components with their activity in debug frames"                                                  \
    }

/* Exit status. `model`, `quantized` and `integer` may be NULL. *report is a new JSON object, NULL without one. */
int weir_simulate_folder(const weir_simulate *simulate, const char *name, const weir_graph *model,
                         const weir_graph *quantized, const weir_graph *integer, const weir_graph *hardware,
                         const char *folder, json_t **report);
/* Writes it where --json, --html and --draw say; false after a reported error. NULL is fine. */
bool weir_simulate_write(const weir_simulate *simulate, const char *name, const weir_graph *hardware,
                         const json_t *report);

#endif
