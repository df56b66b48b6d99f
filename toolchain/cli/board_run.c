#include "cli/board_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "board/programmer.h"
#include "board/session.h"
#include "board/simulated_transport.h"
#include "cli/board_make.h"
#include "cli/results.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "wire/port.h"
#include "wire/recording.h"

int weir_board_run_check(const weir_board_run *r) {
    if (r->data.count == 0 && !r->loads) return weir_cli_misuse(r->command, "--data FILE is missing");
    if ((r->sim ? 1 : 0) + (r->port != NULL) + (r->replay != NULL) > 1)
        return weir_cli_misuse(r->command, "--port, --sim and --replay name different boards");
    if (r->record != NULL && r->replay != NULL)
        return weir_cli_misuse(r->command, "--record cannot be combined with --replay");
    if (!r->sim && r->simulator != NULL) return weir_cli_misuse(r->command, "--simulator needs --sim");
    if (r->sim && (r->which != NULL || r->flash))
        return weir_cli_misuse(r->command, "%s is for a real board, but --sim simulates one",
                               r->flash ? "--flash" : "a choice among several boards");
    if (r->simulator != NULL && strcmp(r->simulator, "verilator") != 0 && strcmp(r->simulator, "icarus") != 0)
        return weir_cli_misuse(r->command, "unknown simulator '%s', expected verilator or icarus", r->simulator);
    return -1;
}

void weir_board_run_free(weir_board_run *r) { weir_cli_list_free(&r->data); }

/* That a port may take to come. */
enum { PORT_SECONDS = 2 };

/* --- the way to the board --- */

static weir_simulator simulator_of(const weir_board_run *r) {
    return r->simulator != NULL && strcmp(r->simulator, "icarus") == 0 ? WEIR_SIM_ICARUS : WEIR_SIM_VERILATOR;
}

typedef struct opening {
    const weir_board_run *run;
    const weir_board_session *session;
    weir_board_sim *sim;
    char *port;  /* of the board, once it is known; heap */
    char *where; /* for the report; heap */
} opening;

/* Exit status. */
static int simulate(opening *o) {
    const weir_board *board = o->session->board;
    const weir_sim_serial_options line = {.clock_hz = (double)board->clock.hz, .folder = o->run->memories};
    int status = WEIR_EXIT_FINE;
    o->sim = weir_simulated_start(o->run->folder, board, simulator_of(o->run), &line, &status);
    o->where = weir_format("simulated by %s", weir_simulator_name(simulator_of(o->run)));
    return o->sim != NULL ? WEIR_EXIT_FINE : status;
}

static weir_wire_error open_port(opening *o, unsigned baud, weir_transport *transport, weir_failure *why) {
    weir_port_facts facts;
    char advice[200];
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    if (o->port == NULL && o->run->port != NULL) o->port = weir_copy_string(o->run->port);
    if (o->port == NULL) o->port = weir_attached_wait(o->session->board, o->run->which, PORT_SECONDS, &trouble);
    const char *path = o->port;
    if (path == NULL) {
        weir_failure_set(why, WEIR_WIRE_NOT_FOUND, "%s; %s", trouble.text, trouble.remedy);
        weir_trouble_free(&trouble);
        return why->error;
    }
    const weir_wire_error error = weir_port_open(transport, path, baud, getenv(WEIR_PORTS_SYS), &facts, why);
    if (error == WEIR_WIRE_OK && weir_port_advice(&facts, path, advice, sizeof advice)) weir_note("%s", advice);
    o->where = weir_copy_string(path);
    return error;
}

static weir_wire_error open_transport(void *user, unsigned baud, weir_transport *transport, weir_failure *why) {
    opening *o = user;
    if (o->run->replay != NULL) {
        o->where = weir_format("replayed from %s", o->run->replay);
        return weir_recording_play(transport, o->run->replay, why);
    }
    const weir_wire_error error = o->sim != NULL ? weir_simulated_transport_open(transport, o->sim, baud, why)
                                                 : open_port(o, baud, transport, why);
    if (error != WEIR_WIRE_OK || o->run->record == NULL) return error;
    const weir_wire_error recorded = weir_recording_write(transport, o->run->record, why);
    if (recorded != WEIR_WIRE_OK) transport->close(transport->user);
    return recorded;
}

/* Puts the bitstream into the board, which then has a port. Exit status. */
static int program(opening *o) {
    const weir_board_session *s = o->session;
    if (s->manifest.bitstream == NULL) {
        weir_error(weir_at(o->run->folder, 0), "holds no bitstream: it was built for simulation");
        weir_note("build it without --sources, or use --sim");
        return WEIR_EXIT_INPUT;
    }
    weir_trouble trouble = {.status = WEIR_EXIT_FINE};
    char *file = weir_path_join(o->run->folder, s->manifest.bitstream);
    if (!weir_file_exists(file)) {
        weir_error(weir_at(file, 0), "is not there");
        weir_note("make it: the folder has the scripts, or 'weir board build' makes it again");
        free(file);
        return WEIR_EXIT_INPUT;
    }
    const weir_programmer_job job = {.board = s->board,
                                     .which = o->run->which,
                                     .memory = o->run->flash ? WEIR_BOARD_FLASH : WEIR_BOARD_SRAM,
                                     .file = file,
                                     .seconds = WEIR_PROGRAMMER_SECONDS,
                                     .wait = WEIR_PROGRAMMER_RETURN};
    const bool fine = weir_programmer_run(&job, o->run->port == NULL ? &o->port : NULL, &trouble);
    const int status = fine ? WEIR_EXIT_FINE : weir_trouble_report(&trouble);
    weir_trouble_free(&trouble);
    free(file);
    return status;
}

/* --- the report --- */

static void print_numbers(const weir_board_session *s, const weir_ladder *l, weir_text *text) {
    const weir_board_exchange *e = &l->exchange;
    weir_metrics board, reference;
    if (s->reference == NULL) return;
    int64_t **codes = weir_calloc(s->reference->output_count + 1, sizeof *codes);
    for (size_t i = 0; i < s->reference->output_count; i++) codes[i] = s->reference->outputs[i].code;
    if (weir_board_session_metrics(s, e->code, e->frames, &board) &&
        weir_board_session_metrics(s, codes, e->frames, &reference)) {
        char found[64], expected[64];
        weir_text_format(text, "  accuracy   board %s, reference %s\n",
                         weir_metrics_print(&s->scoring, &board, found, sizeof found),
                         weir_metrics_print(&s->scoring, &reference, expected, sizeof expected));
    }
    free(codes);
    const double built = (double)json_integer_value(json_object_get(s->manifest.report, "interval"));
    const double interval = l->benchmark.interval > 0 ? l->benchmark.interval : built;
    const double hz = l->clock.hz > 0 ? l->clock.hz : (double)s->manifest.clock_hz;
    if (l->cycles > 0)
        weir_text_format(text,
                         "  on chip    a frame alone %u cycles, %.1f us; one every %.0f cycles%s: %.0f a second\n",
                         l->cycles, (double)l->cycles / hz * 1e6, interval,
                         l->benchmark.interval > 0 ? ", measured" : " as built", hz / interval);
    if (e->frames > 0)
        weir_text_format(text,
                         "  wire       %.0f frames a second, %.0f bytes/s there and %.0f back; %llu bytes repeated\n",
                         (double)e->frames / e->seconds, (double)(e->frames * e->bytes_in) / e->seconds,
                         (double)(e->frames * e->bytes_out) / e->seconds, (unsigned long long)l->repeated);
}

/* null: there was none. */
static json_t *benchmark_json(const weir_board_session *s, const weir_ladder *l) {
    const weir_ladder_benchmark *b = &l->benchmark;
    const double hz = l->clock.hz > 0 ? l->clock.hz : (double)s->manifest.clock_hz;
    if (b->frames == 0) return json_null();
    json_t *json =
        json_pack("{s:I, s:I, s:o, s:o}", "frames", (json_int_t)b->frames, "cycles", (json_int_t)b->cycles, "expected",
                  json_sprintf("0x%08x", b->expected), "found", json_sprintf("0x%08x", b->found));
    if (b->interval > 0) {
        json_object_set_new(json, "interval", json_real(b->interval));
        json_object_set_new(json, "inferences_per_second", json_real(hz / b->interval));
    }
    return json;
}

static json_t *report_json(const weir_board_session *s, const weir_ladder *l, const char *where) {
    const weir_board_exchange *e = &l->exchange;
    weir_metrics metrics;
    json_t *json = json_pack("{s:i, s:s, s:s, s:o, s:I, s:I, s:I, s:f, s:I}", "schema", 1, "board", s->manifest.board,
                             "port", where == NULL ? "" : where, "rungs", weir_ladder_json(l), "frames",
                             (json_int_t)e->frames, "compared", (json_int_t)e->compared, "mismatches",
                             (json_int_t)e->mismatches, "seconds", e->seconds, "cycles", (json_int_t)l->cycles);
    const bool known = s->reference != NULL && weir_board_session_metrics(s, e->code, e->frames, &metrics);
    json_object_set_new(json, "metrics", known ? weir_metrics_json(&s->scoring, &metrics) : json_null());
    json_object_set_new(json, "clock_hz", l->clock.hz > 0 ? json_real(l->clock.hz) : json_null());
    json_object_set_new(json, "layer", l->layers.diverged ? json_string(l->layers.name) : json_null());
    json_object_set_new(json, "benchmark", benchmark_json(s, l));
    json_object_set_new(json, "repeated", json_integer((json_int_t)l->repeated));
    return json;
}

/* Results by name; false after a reported error. */
static bool tell(const weir_board_run *r, const weir_board_session *s, const weir_ladder *l, const char *where) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s: board %s, %s\n", r->folder, s->manifest.board, where == NULL ? "not reached" : where);
    weir_ladder_print(l, &text);
    print_numbers(s, l, &text);
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
    weir_text_free(&text);
    if (r->results == NULL || l->exchange.frames == 0) return true;
    return weir_results_write_codes(r->results, s->hardware, s->reference, (const int64_t *const *)l->exchange.code,
                                    l->exchange.frames);
}

/* --- a climb --- */

typedef struct outcome {
    json_t *report;
    int64_t wrong;    /* the first frame that came out wrong, or not at all, while nobody has looked inside; -1: none */
    bool names_layer; /* the streams of layers were looked at, and one is wrong */
} outcome;

static int64_t wrong_frame(const weir_ladder *l) {
    const bool is_red =
        l->rung[WEIR_RUNG_FRAME].state == WEIR_RUNG_RED || l->rung[WEIR_RUNG_FRAMES].state == WEIR_RUNG_RED;
    if (!is_red || l->layers.streams > 0) return -1;
    return l->exchange.diverged ? l->exchange.frame : l->hangs ? l->exchange.frames : -1;
}

/* Exit status. */
static int climb(const weir_board_run *r, outcome *to) {
    weir_board_session session;
    char *data = r->data.count == 0 ? NULL : weir_cli_list_join(&r->data);
    int status = weir_board_session_open(r->folder, data, r->frames, r->only, &session);
    *to = (outcome){.wrong = -1};
    if (status == WEIR_EXIT_FINE) {
        opening way = {.run = r, .session = &session};
        char *sources = weir_path_join(r->folder, WEIR_BOARD_SOURCES);
        weir_ladder ladder;
        const weir_ladder_options options = {.manifest = &session.manifest,
                                             .hardware = session.hardware,
                                             .reference = session.reference,
                                             .open = open_transport,
                                             .user = &way,
                                             .sources = sources,
                                             .loads = r->loads,
                                             .may_quadruple = weir_board_has(session.board, WEIR_BOARD_QUIRK_baud_4x),
                                             .in_flight = (size_t)r->in_flight,
                                             .rungs = r->rungs};
        if (r->sim) status = simulate(&way);
        else if (r->program && r->replay == NULL) status = program(&way);
        if (status == WEIR_EXIT_FINE) {
            status = weir_ladder_climb(&options, &ladder);
            to->report = report_json(&session, &ladder, way.where);
            to->names_layer = ladder.layers.diverged;
            to->wrong = wrong_frame(&ladder);
            if (!tell(r, &session, &ladder, way.where) && status == WEIR_EXIT_FINE) status = WEIR_EXIT_INPUT;
            weir_ladder_free(&ladder);
        }
        if (way.sim != NULL) weir_board_sim_stop(way.sim);
        free(sources);
        free(way.port);
        free(way.where);
    }
    weir_board_session_free(&session);
    free(data);
    return status;
}

/* --- which layer --- */

/* The same design at the same clock with taps, into `folder`; when that clock is not kept, at one that is. Exit
 * status. */
static int make_debug(const weir_board_run *r, const char *folder) {
    weir_board_manifest manifest;
    int status = weir_board_manifest_read(r->folder, &manifest) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    char *design = weir_path_join(r->folder, WEIR_BOARD_DESIGN);
    for (int tried = 0; tried < 2; tried++) {
        weir_board_make make = WEIR_BOARD_MAKE_DEFAULTS(r->command);
        make.model = design;
        make.folder = folder;
        make.board_name = manifest.board;
        make.clock_hz = tried == 0 ? manifest.clock_hz : 0;
        make.baud = tried == 0 ? manifest.baud : 0;
        make.sources_only = r->sim;
        make.debug = true;
        if (status == WEIR_EXIT_FINE) status = weir_board_make_check(&make) < 0 ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
        const bool try_it = status == WEIR_EXIT_FINE;
        if (try_it) status = weir_board_make_run(&make);
        weir_board_make_free(&make);
        if (!try_it || status != WEIR_EXIT_INPUT || r->sim) break;
        if (tried == 0) status = WEIR_EXIT_FINE;
    }
    free(design);
    weir_board_manifest_free(&manifest);
    return status;
}

/* FOLDER-debug, beside it; of a folder that is named by dots alone, a folder in it. Heap memory. */
static char *debug_folder(const char *folder) {
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/') size--;
    const bool is_dots = size > 0 && (folder[size - 1] == '.' || folder[size - 1] == '/');
    return weir_format("%.*s%sdebug", (int)size, folder, is_dots ? "/" : "-");
}

/* Results are wrong: a debug build names the layer, or says that it is none. What it finds goes into the report. */
static void look_inside(const weir_board_run *r, int64_t frame, json_t *report) {
    char *folder = debug_folder(r->folder);
    weir_board_run inside = *r;
    outcome found = {.wrong = -1};
    inside.folder = folder;
    inside.only = frame;
    inside.record = inside.json = inside.results = NULL;
    inside.rungs = 1u << WEIR_RUNG_LAYERS | 1u << WEIR_RUNG_FRAME;
    printf("\na debug build of the same design, to name the layer in which frame %lld goes wrong:\n", (long long)frame);
    fflush(stdout);
    int status = make_debug(r, folder);
    const bool is_built = status == WEIR_EXIT_FINE;
    if (is_built) status = climb(&inside, &found);
    const char *verdict = !is_built           ? "there is no debug build: it does not fit, or a tool failed"
                          : found.names_layer ? "the layer is named above"
                          : status == WEIR_EXIT_FINE
                              ? "the debug build is right: look at the first bitstream, its placement or its parameters"
                          : status == WEIR_EXIT_MISMATCH
                              ? "all layers are right: look at what is between the last layer and the wire"
                              : "the debug build did not get to its layers";
    printf("  verdict    %s\n", verdict);
    fflush(stdout);
    if (report != NULL)
        json_object_set_new(report, "debug",
                            json_pack("{s:s, s:s, s:o}", "folder", folder, "verdict", verdict, "report",
                                      found.report == NULL ? json_null() : json_incref(found.report)));
    json_decref(found.report);
    free(folder);
}

int weir_board_run_folder(const weir_board_run *r) {
    outcome found;
    int status = climb(r, &found);
    if (found.wrong >= 0 && r->program && r->replay == NULL) look_inside(r, found.wrong, found.report);
    if (found.report != NULL && r->json != NULL && !weir_cli_write_json(r->json, json_incref(found.report)) &&
        status == WEIR_EXIT_FINE)
        status = WEIR_EXIT_INPUT;
    json_decref(found.report);
    return status;
}
