/* A simulated board with a planted fault, climbed.
 *   ladder_tool FOLDER DATA FRAMES [FAULT=VALUE ...]
 * prints the ladder and exits as 'weir bringup' does. Faults: clock and baud are factors of the oscillator and of the
 * rate on the wire; lost, changed, doubled are probabilities of a byte on the way to the host; silent=1; reset and
 * unplug are bytes to the board after which it happens; memories is a folder whose memory files the board begins with.
 * frames=1, benchmark=1, parameters=1: only these rungs; load=1: parameters are written, not tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/ladder.h"
#include "board/session.h"
#include "board/simulated_transport.h"
#include "support/file/file.h"

typedef struct planted {
    const char *folder;
    const weir_board *board;
    weir_sim_serial_options line;
    weir_board_sim *sim;
} planted;

static weir_wire_error open_board(void *user, unsigned baud, weir_transport *transport, weir_failure *why) {
    planted *p = user;
    int status = 0;
    p->sim = weir_simulated_start(p->folder, p->board, WEIR_SIM_VERILATOR, &p->line, &status);
    if (p->sim == NULL) return weir_failure_set(why, WEIR_WIRE_NOT_FOUND, "the simulator does not start");
    return weir_simulated_transport_open(transport, p->sim, baud, why);
}

static bool plant(weir_sim_serial_options *line, const char *fault) {
    const char *equals = strchr(fault, '=');
    const double value = equals == NULL ? 0 : strtod(equals + 1, NULL);
    const size_t size = equals == NULL ? 0 : (size_t)(equals - fault);
    const struct {
        const char *name;
        double *real;
        uint64_t *count;
    } faults[] = {{"clock", &line->clock_hz, NULL},          {"baud", &line->baud_ratio, NULL},
                  {"lost", &line->to_host.lost, NULL},       {"changed", &line->to_host.changed, NULL},
                  {"doubled", &line->to_host.doubled, NULL}, {"reset", NULL, &line->reset_at},
                  {"unplug", NULL, &line->unplug_at}};
    if (strcmp(fault, "silent=1") == 0) return line->to_board.is_silent = true;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strlen(faults[i].name) != size || strncmp(faults[i].name, fault, size) != 0) continue;
        if (faults[i].count != NULL) *faults[i].count = (uint64_t)value;
        else if (i == 0) *faults[i].real *= value;
        else *faults[i].real = value;
        return true;
    }
    fprintf(stderr, "ladder_tool: unknown fault '%s'\n", fault);
    return false;
}

int main(int argc, char **argv) {
    weir_board_session session;
    if (argc < 4) return WEIR_EXIT_USAGE;
    int status = weir_board_session_open(argv[1], argv[2], atoll(argv[3]), -1, &session);
    if (status != WEIR_EXIT_FINE) return status;
    planted p = {.folder = argv[1], .board = session.board, .line = {.clock_hz = (double)session.board->clock.hz}};
    p.line.away = UINT64_C(1000000000); /* a millisecond */
    p.line.to_host.seed = p.line.to_board.seed = 1;
    unsigned rungs = ~0u;
    bool loads = false;
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "frames=1") == 0) rungs = 1u << WEIR_RUNG_FRAME | 1u << WEIR_RUNG_FRAMES;
        else if (strcmp(argv[i], "benchmark=1") == 0) rungs = 1u << WEIR_RUNG_BENCHMARK;
        else if (strcmp(argv[i], "parameters=1") == 0) rungs = 1u << WEIR_RUNG_PARAMETERS;
        else if (strcmp(argv[i], "load=1") == 0) loads = true;
        else if (strncmp(argv[i], "memories=", 9) == 0) p.line.folder = argv[i] + 9;
        else if (!plant(&p.line, argv[i])) return WEIR_EXIT_USAGE;
    }
    weir_ladder ladder;
    char *sources = weir_path_join(argv[1], WEIR_BOARD_SOURCES);
    const weir_ladder_options options = {.manifest = &session.manifest,
                                         .hardware = session.hardware,
                                         .reference = session.reference,
                                         .open = open_board,
                                         .user = &p,
                                         .sources = sources,
                                         .loads = loads,
                                         .in_flight = 64,
                                         .rungs = rungs};
    status = weir_ladder_climb(&options, &ladder);
    weir_text text = {NULL, 0, 0};
    weir_ladder_print(&ladder, &text);
    fputs(text.data == NULL ? "" : text.data, stdout);
    weir_text_free(&text);
    weir_ladder_free(&ladder);
    if (p.sim != NULL) weir_board_sim_stop(p.sim);
    weir_board_session_free(&session);
    free(sources);
    return status;
}
