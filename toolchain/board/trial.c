/* The host's side is that of a real board: the same wire, frames and comparison. Only its time ends: no answer costs
 * more than its limit of cycles. */
#include "board/trial.h"

#include <stdlib.h>
#include <string.h>

#include "board/exchange.h"
#include "board/pins.h"
#include "board/simulated_transport.h"
#include "cosim/frames.h"
#include "dataflow/cost/resources.h"
#include "sim/cache_json.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/text/diag.h"
#include "synth/netlist/simulate.h"

/* Changes when the same inputs shall be tried again. */
#define FORM "1"

enum {
    BOOT_CYCLES = 1200,    /* of the core: its reset, and some */
    LOCK_CYCLES = 64,      /* of the oscillator: what models of PLLs measure */
    GREETING_BYTES = 400,  /* until frames begin, both ways and with what surrounds them */
    PACKET_BYTES = 24,     /* around a frame and its result */
    BITS = 10,             /* of a byte on the wire */
    ICARUS_WORK = 40000000 /* cells * cycles up to which Icarus is done before Verilator has compiled */
};

typedef struct trying {
    const weir_trial *trial;
    weir_reference *reference;
    weir_simulator simulator;
    int64_t frames, expected_cycles, limit; /* cycles */
    json_t *result;
    /* The transport, which ends with its time. */
    weir_transport inner;
    uint64_t end; /* microseconds */
} trying;

/* --- time --- */

static double cycles_of(const weir_trial *t, int64_t bytes) {
    return (double)bytes * BITS * (double)t->manifest->clock_hz / (double)t->manifest->baud;
}

static int64_t greeting_cycles(const weir_trial *t) { return BOOT_CYCLES + (int64_t)cycles_of(t, GREETING_BYTES); }

/* The first result comes when the whole frame is in, and has been computed. */
static int64_t frame_cycles(const weir_trial *t) {
    const int64_t interval = weir_resources_of(t->hardware).folded_interval;
    return 2 * interval + (int64_t)cycles_of(t, t->bytes_in + t->bytes_out + PACKET_BYTES);
}

static uint64_t boot_time(const weir_trial *t) {
    return (uint64_t)(1e12 * BOOT_CYCLES / (double)t->manifest->clock_hz +
                      1e12 * LOCK_CYCLES / (double)t->board->clock.hz);
}

static int read_in_time(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    trying *t = user;
    const int got = t->inner.read(t->inner.user, data, size, until < t->end ? until : t->end, why);
    if (got != 0 || t->inner.now(t->inner.user) < t->end) return got;
    weir_failure_set(why, WEIR_WIRE_GONE, "no answer within %lld cycles", (long long)t->limit);
    return -1;
}

static int write_in_time(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    trying *t = user;
    return t->inner.write(t->inner.user, data, size, why);
}

static uint64_t now_of(void *user) {
    const trying *t = user;
    return t->inner.now(t->inner.user);
}

static weir_wire_error set_baud(void *user, unsigned baud, weir_failure *why) {
    trying *t = user;
    return t->inner.set_baud(t->inner.user, baud, why);
}

static void close_inner(void *user) {
    trying *t = user;
    t->inner.close(t->inner.user);
}

/* --- one run --- */

static int disagree(const trying *t, const char *expected, char *found) {
    weir_error(WEIR_NOWHERE, "the %s answers wrongly through the board's pins: expected %s, found %s", t->trial->what,
               expected, found);
    free(found);
    return WEIR_EXIT_MISMATCH;
}

static int identify(const trying *t, weir_wire *wire, weir_failure *why) {
    const weir_board_manifest *m = t->trial->manifest;
    uint32_t build = 0, model = 0;
    if (weir_wire_read(wire, WEIR_REGISTER_BUILD, &build, why) != WEIR_WIRE_OK ||
        weir_wire_read(wire, WEIR_REGISTER_MODEL, &model, why) != WEIR_WIRE_OK)
        return disagree(t, "its ids", weir_copy_string(why->text));
    if (build == m->build && model == m->model) return WEIR_EXIT_FINE;
    char *expected = weir_format("build %08x, model %08x", m->build, m->model);
    const int status = disagree(t, expected, weir_format("build %08x, model %08x", build, model));
    free(expected);
    return status;
}

static int compare(const trying *t, const weir_board_exchange *e) {
    if (e->mismatches == 0) return WEIR_EXIT_FINE;
    char *expected = weir_format("%lld", (long long)e->expected);
    const int status = disagree(
        t, expected,
        weir_format("%lld in frame %lld, output '%s', element %lld; %llu of %llu values differ", (long long)e->found,
                    (long long)e->frame, weir_value_name(t->trial->hardware, t->reference->outputs[e->output].value),
                    (long long)e->element, (unsigned long long)e->mismatches, (unsigned long long)e->compared));
    free(expected);
    return status;
}

static int talk(const trying *t, const weir_transport *transport, weir_wire *wire, weir_board_exchange *e) {
    weir_failure why = {.error = WEIR_WIRE_OK};
    const int status = identify(t, wire, &why);
    if (status != WEIR_EXIT_FINE) return status;
    weir_wire_error error = weir_board_exchange_run(wire, transport, t->trial->hardware, t->reference, t->frames,
                                                    (size_t)t->frames, t->end, e, &why);
    if (error == WEIR_WIRE_OK) error = weir_wire_check(wire, NULL, &why);
    if (error != WEIR_WIRE_OK) return disagree(t, "results of frames", weir_copy_string(why.text));
    return compare(t, e);
}

static int converse(trying *t, weir_board_sim *sim, json_t **result) {
    const weir_board_manifest *m = t->trial->manifest;
    const weir_transport transport = {t, read_in_time, write_in_time, now_of, set_baud, close_inner};
    weir_board_exchange e = {.frames = 0};
    weir_failure why = {.error = WEIR_WIRE_OK};
    weir_wire *wire;
    t->end = (uint64_t)(1e6 * (double)t->limit / (double)m->clock_hz);
    if (weir_simulated_transport_open(&t->inner, sim, (unsigned)m->baud, &why) != WEIR_WIRE_OK ||
        weir_wire_open(&wire, &transport, (unsigned)m->baud, &why) != WEIR_WIRE_OK) {
        weir_error(WEIR_NOWHERE, "cannot simulate: %s", why.text);
        return WEIR_EXIT_TOOL;
    }
    const int status = talk(t, &transport, wire, &e);
    const double cycles = (double)weir_sim_serial_now(weir_board_sim_line(sim)) * (double)m->clock_hz / 1e12;
    weir_wire_close(wire);
    if (status == WEIR_EXIT_FINE)
        *result = json_pack("{s:I, s:I, s:I, s:I, s:I, s:s}", "frames", (json_int_t)e.frames, "values",
                            (json_int_t)e.compared, "mismatches", (json_int_t)e.mismatches, "cycles",
                            (json_int_t)(cycles + 0.5), "limit", (json_int_t)t->limit, "simulator",
                            weir_simulator_name(t->simulator));
    weir_board_exchange_free(&e);
    return status;
}

static int simulate(void *user, json_t **result) {
    trying *t = user;
    const weir_trial *trial = t->trial;
    char *folder = weir_path_join(trial->folder, trial->what), *file = weir_format("%s/top.v", folder);
    const weir_sim_serial_options line = {.clock_hz = (double)trial->board->clock.hz, .seconds = trial->seconds};
    const weir_board_sim_options options = {.folder = folder,
                                            .cells = trial->models,
                                            .simulator = t->simulator,
                                            .cycles = 1, /* few: optimizing a netlist takes longer than it saves */
                                            .boot = boot_time(trial),
                                            .seconds = trial->seconds,
                                            .line = line};
    int status = WEIR_EXIT_INPUT;
    weir_board_sim *sim = NULL;
    if (weir_make_folder(folder) && weir_file_copy(trial->verilog, file))
        sim = weir_simulated_start_with(&options, trial->board, &status);
    if (sim != NULL) status = converse(t, sim, result);
    weir_board_sim_stop(sim);
    free(file);
    free(folder);
    return status;
}

/* --- the cache --- */

static void add_codes(weir_hash *hash, const weir_codes *codes, size_t count, int64_t frames) {
    for (size_t i = 0; i < count; i++)
        weir_hash_add(hash, codes[i].code, (size_t)(frames * codes[i].elements) * sizeof *codes[i].code);
}

/* Of what is simulated and of what must come: the frames and their results, not where they were read. False after a
 * reported error. */
static bool name_entry(const trying *t, char **name) {
    const weir_trial *trial = t->trial;
    const weir_board_manifest *m = trial->manifest;
    char digits[33], *data = weir_data_folder(), *plls = data == NULL ? NULL : weir_path_join(data, "boards/cells/pll");
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, FORM);
    const uint64_t numbers[] = {
        (uint64_t)m->clock_hz, (uint64_t)m->baud, m->build, m->model, (uint64_t)trial->board->clock.hz,
        (uint64_t)t->frames};
    weir_hash_add(&hash, numbers, sizeof numbers);
    const bool fine = plls != NULL && weir_file_hash(trial->verilog, &hash) && weir_file_hash(trial->models, &hash) &&
                      weir_tree_hash(plls, &hash);
    add_codes(&hash, t->reference->inputs, t->reference->input_count, t->frames);
    add_codes(&hash, t->reference->outputs, t->reference->output_count, t->frames);
    weir_hash_print(&hash, digits);
    *name = weir_format("%s-%s-%s", weir_simulator_name(t->simulator), trial->what, digits);
    free(plls);
    free(data);
    return fine;
}

static int run(trying *t) {
    char *name = NULL;
    int status = WEIR_EXIT_INPUT;
    if (name_entry(t, &name)) status = weir_cache_json(t->trial->cache, name, "trial.json", simulate, t, &t->result);
    free(name);
    return status;
}

/* --- how much, and with what --- */

static char *reason_against(const trying *t) {
    const weir_trial *trial = t->trial;
    if (trial->models == NULL)
        return weir_format("there are no models of the cells of %s",
                           weir_device_family_name((weir_device_family)trial->board->device->family));
    if (!weir_simulator_found(t->simulator)) return weir_format("'%s' is missing", weir_simulator_name(t->simulator));
    if (t->frames < 1)
        return weir_format("a frame takes %lld cycles through the UART, of at most %lld",
                           (long long)frame_cycles(trial), (long long)t->limit);
    return NULL;
}

static void plan(trying *t) {
    const weir_trial *trial = t->trial;
    const int64_t greeting = greeting_cycles(trial), frame = frame_cycles(trial);
    const bool has_verilator = weir_simulator_found(WEIR_SIM_VERILATOR);
    const bool is_slow = has_verilator && (WEIR_TRIAL_CYCLES / 2 - greeting) / frame < 1;
    t->limit = is_slow ? WEIR_TRIAL_LONG : WEIR_TRIAL_CYCLES;
    t->frames = (t->limit / 2 - greeting) / frame;
    if (is_slow && t->frames > 1) t->frames = 1;
    if (t->frames > WEIR_TRIAL_FRAMES) t->frames = WEIR_TRIAL_FRAMES;
    t->expected_cycles = greeting + t->frames * frame;
    const bool is_long = trial->cells > 0 && t->expected_cycles > ICARUS_WORK / (int64_t)trial->cells;
    t->simulator = has_verilator && (is_slow || is_long) ? WEIR_SIM_VERILATOR : WEIR_SIM_ICARUS;
}

static bool read_reference(trying *t) {
    const weir_trial *trial = t->trial;
    char *random = trial->data == NULL ? weir_synth_random_frames(trial->hardware, trial->folder, t->frames) : NULL;
    const char *source = trial->data == NULL ? random : trial->data;
    weir_frames *frames = source == NULL ? NULL : weir_frames_read(trial->hardware, source);
    if (frames != NULL && weir_frames_count(frames) < t->frames) t->frames = weir_frames_count(frames);
    if (frames != NULL && t->frames > 0)
        t->reference = weir_reference_new(trial->hardware, weir_frames_arrays(frames), t->frames, 0);
    if (frames != NULL) weir_frames_free(frames);
    free(random);
    return t->reference != NULL;
}

json_t *weir_trial_none(char *why_not) {
    json_t *none = json_pack("{s:s}", "why_not", why_not);
    free(why_not);
    return none;
}

int weir_trial_run(const weir_trial *trial, json_t **result) {
    trying t = {.trial = trial};
    plan(&t);
    char *why_not = reason_against(&t);
    *result = NULL;
    if (why_not != NULL) {
        *result = weir_trial_none(why_not);
        return WEIR_EXIT_FINE;
    }
    const int status = read_reference(&t) ? run(&t) : WEIR_EXIT_INPUT;
    weir_reference_free(t.reference);
    if (status == WEIR_EXIT_FINE)
        json_object_set_new(t.result, "data", json_string(trial->data == NULL ? "random" : trial->data));
    *result = t.result;
    return status;
}

void weir_trial_print(const char *what, const json_t *result, weir_text *text) {
    const char *why_not = json_string_value(json_object_get(result, "why_not"));
    if (why_not != NULL) {
        weir_text_format(text, "  the %s was not simulated: %s\n", what, why_not);
        return;
    }
    weir_text_format(
        text, "  the %s, simulated through its pins by %s: %lld of %lld values differ (%lld frames, %lld cycles)\n",
        what, json_string_value(json_object_get(result, "simulator")),
        (long long)json_integer_value(json_object_get(result, "mismatches")),
        (long long)json_integer_value(json_object_get(result, "values")),
        (long long)json_integer_value(json_object_get(result, "frames")),
        (long long)json_integer_value(json_object_get(result, "cycles")));
}
