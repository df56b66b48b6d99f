#include "cli/board_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "board/programmer.h"
#include "board/session.h"
#include "board/simulated_transport.h"
#include "cli/results.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "wire/port.h"
#include "wire/recording.h"

int weir_board_run_check(const weir_board_run *r) {
    if (r->data.count == 0) return weir_cli_misuse(r->command, "--data FILE is missing");
    if ((r->sim ? 1 : 0) + (r->port != NULL) + (r->replay != NULL) > 1)
        return weir_cli_misuse(r->command, "--port, --sim and --replay name different boards");
    if (r->record != NULL && r->replay != NULL)
        return weir_cli_misuse(r->command, "--record cannot be combined with --replay");
    if (!r->sim && r->simulator != NULL) return weir_cli_misuse(r->command, "--simulator needs --sim");
    if (r->sim && (r->which != NULL || r->flash))
        return weir_cli_misuse(r->command, "%s is about a board on the table, --sim about none",
                               r->flash ? "--flash" : "which one of several boards is meant");
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
    const weir_sim_serial_options line = {.clock_hz = (double)board->clock.hz};
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
        weir_note("make it: the folder has the scripts, or 'weir board build' makes it anew");
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
                         (double)(e->frames * e->bytes_out) / e->seconds, (unsigned long long)l->link.repeated);
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
    const bool known = weir_board_session_metrics(s, e->code, e->frames, &metrics);
    json_object_set_new(json, "metrics", known ? weir_metrics_json(&s->scoring, &metrics) : json_null());
    json_object_set_new(json, "clock_hz", l->clock.hz > 0 ? json_real(l->clock.hz) : json_null());
    json_object_set_new(json, "benchmark", benchmark_json(s, l));
    json_object_set_new(json, "repeated", json_integer((json_int_t)l->link.repeated));
    return json;
}

static bool write_json(const char *path, json_t *report) {
    char *text = weir_cli_json(report);
    const bool fine = weir_file_write(path, text, strlen(text));
    free(text);
    return fine;
}

static int tell(const weir_board_run *r, const weir_board_session *s, const weir_ladder *l, const char *where,
                int status) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s: board %s, %s\n", r->folder, s->manifest.board, where == NULL ? "not reached" : where);
    weir_ladder_print(l, &text);
    print_numbers(s, l, &text);
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
    weir_text_free(&text);
    bool fine = r->json == NULL || write_json(r->json, report_json(s, l, where));
    if (r->results != NULL && l->exchange.frames > 0)
        fine = weir_results_write_codes(r->results, s->hardware, s->reference, (const int64_t *const *)l->exchange.code,
                                        l->exchange.frames) &&
               fine;
    return fine || status != WEIR_EXIT_FINE ? status : WEIR_EXIT_INPUT;
}

int weir_board_run_folder(const weir_board_run *r) {
    weir_board_session session;
    char *data = weir_cli_list_join(&r->data);
    int status = weir_board_session_open(r->folder, data, r->frames, &session);
    if (status == WEIR_EXIT_FINE) {
        opening way = {.run = r, .session = &session};
        weir_ladder ladder;
        const weir_ladder_options options = {.manifest = &session.manifest,
                                             .hardware = session.hardware,
                                             .reference = session.reference,
                                             .open = open_transport,
                                             .user = &way,
                                             .may_quadruple = weir_board_has(session.board, WEIR_BOARD_QUIRK_baud_4x),
                                             .in_flight = (size_t)r->in_flight,
                                             .rungs = r->rungs};
        if (r->sim) status = simulate(&way);
        else if (r->program && r->replay == NULL) status = program(&way);
        if (status == WEIR_EXIT_FINE) {
            status = weir_ladder_climb(&options, &ladder);
            status = tell(r, &session, &ladder, way.where, status);
            weir_ladder_free(&ladder);
        }
        if (way.sim != NULL) weir_board_sim_stop(way.sim);
        free(way.port);
        free(way.where);
    }
    weir_board_session_free(&session);
    free(data);
    return status;
}
