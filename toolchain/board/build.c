#include "board/build.h"

#include <stdlib.h>
#include <string.h>

#include "board/decode.h"
#include "board/flow.h"
#include "board/memories.h"
#include "board/patch.h"
#include "board/pins.h"
#include "board/project.h"
#include "board/taps.h"
#include "board/trial.h"
#include "board/wrap.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/resources.h"
#include "graph/manifest.h"
#include "sim/cache.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/text/diag.h"
#include "synth/netlist/family.h"
#include "synth/netlist/simulate.h"
#include "synth/place.h"
#include "synth/synth.h"
#include "synth/yosys.h"

/* Cycles a bit of the UART at least, unless the user says another baud; and the baud at most. */
enum { BIT_CYCLES = 8, LEAST_BIT_CYCLES = 4, MOST_BIT_CYCLES = 32768 /* below */, MAX_BAUD = 3000000, SCHEMA = 1 };

typedef struct building {
    const weir_board_build_options *options;
    const weir_board_flow *flow;
    char *cache;
    weir_board_design design;
    weir_program yosys, nextpnr, packer;
    int64_t clock_hz, baud;
    uint32_t build, model;
    weir_synth_netlist netlist;
    weir_cost cost, accelerator; /* of the netlist, and of the model's part of it */
    bool lacks_room;
    weir_placements placements;
    json_t *simulated;           /* what was tried before the board */
    weir_fill_memories memories; /* of a patchable design: it is placed with marks in them */
    weir_board_memories reached; /* that the board reads back */
    json_t *parameters;          /* what the report says of them */
} building;

static const weir_placement *best_of(const building *b) {
    return b->placements.count == 0 ? NULL : &b->placements.item[b->placements.best];
}

static int find_programs(building *b) {
    const weir_board_build_options *o = b->options;
    if (!o->place) return WEIR_EXIT_FINE;
    b->flow = weir_board_flow_of(o->board);
    if (b->flow == NULL) return WEIR_EXIT_TOOL;
    if (!weir_program_yosys(o->yosys, b->cache, &b->yosys) ||
        !weir_program_nextpnr(o->board->device, b->cache, &b->nextpnr))
        return WEIR_EXIT_TOOL;
    if (b->yosys.name == NULL) weir_program_report_yosys();
    else if (b->nextpnr.name == NULL) weir_program_report_nextpnr(o->board->device);
    if (b->yosys.name == NULL || b->nextpnr.name == NULL || !weir_board_flow_packer(b->flow, &b->packer))
        return WEIR_EXIT_TOOL;
    b->yosys.seconds = b->nextpnr.seconds = b->packer.seconds = (double)o->seconds;
    return WEIR_EXIT_FINE;
}

/* --- one clock --- */

static int64_t default_baud(const building *b) {
    int64_t most = b->options->board->uart.max_baud;
    if (most == 0 || most > MAX_BAUD) most = MAX_BAUD;
    return most > b->clock_hz / BIT_CYCLES ? b->clock_hz / BIT_CYCLES : most;
}

/* What may have to be repeated: a block RAM of iCE40, where they are few, else what 4 ms of 3 Mbaud need. */
static int64_t buffer_of(const weir_board *board) {
    return board->device->family == WEIR_DEVICE_ICE40 ? WEIR_BOARD_BUFFER : 4096;
}

/* The sources of the bitstream at the clock into WORK/rtl, ids included. */
static bool write_sources(building *b, const weir_clock *clock) {
    const weir_board_build_options *o = b->options;
    char *sources = weir_path_join(o->work, WEIR_BOARD_SOURCES),
         *design = weir_path_join(o->folder, WEIR_BOARD_DESIGN "/rtl");
    b->baud = o->baud > 0 ? o->baud : default_baud(b);
    weir_board_wrap wrap = {.board = o->board,
                            .design = &b->design,
                            .hardware = o->hardware,
                            .clock = clock,
                            .baud = b->baud,
                            .receive_bytes = WEIR_BOARD_BUFFER,
                            .send_bytes = buffer_of(o->board),
                            .benchmark = o->benchmark};
    weir_board_taps taps = {0, 0};
    char *compiled = weir_path_join(o->folder, WEIR_BOARD_DESIGN);
    weir_board_memories_free(&b->reached);
    bool fine = weir_remove_tree(sources) && weir_tree_copy(design, sources) &&
                (!o->debug || weir_board_taps_add(compiled, &b->design, sources, &taps));
    wrap.taps = taps.count;
    wrap.tap_bytes = taps.bytes;
    if (o->read_back) {
        wrap.memories = &b->reached;
        wrap.loadable = o->loadable;
        fine = fine && weir_board_memories_add(o->hardware, b->design.top, sources, o->loadable, &b->reached) &&
               weir_board_memories_tell(&b->reached, sources, o->loadable, b->parameters);
    }
    fine = fine && weir_board_wrap_write(&wrap, sources) && weir_board_wrap_ids(sources, &wrap.build, &wrap.model) &&
           weir_board_wrap_write(&wrap, sources);
    b->build = wrap.build;
    b->model = wrap.model;
    free(compiled);
    free(sources);
    free(design);
    return fine;
}

/* What fits by its numbers may find no places: carry chains and memories lie where they can. */
static void report_full(const building *b) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_text text = {NULL, 0, 0};
    weir_cost_uses(&b->cost, b->options->board->device, uses);
    for (size_t i = 0; i < WEIR_COST_USES; i++)
        weir_text_format(&text, "%s%lld %s of %lld", i == 0 ? "" : ", ", (long long)uses[i].used, uses[i].name,
                         (long long)uses[i].available);
    weir_error(WEIR_NOWHERE, "the netlist does not fit %s: %s", b->options->board->device->name, text.data);
    weir_note("a longer --target-interval needs less");
    weir_text_free(&text);
}

static int place(building *b, const char *constraints) {
    const weir_board_build_options *o = b->options;
    weir_place_pins pins = {
        .file = weir_board_pins_file(o->board), .text = constraints, .output = weir_board_flow_placed(b->flow)};
    pins.option = weir_board_flow_options(b->flow, o->board, &pins.option_count);
    const weir_place_job job = {.nextpnr = &b->nextpnr,
                                .device = o->board->device,
                                .cache = b->cache,
                                .netlist = b->netlist.json,
                                .pins = &pins,
                                .clock_hz = b->clock_hz,
                                .seeds = o->seeds};
    weir_placements_free(&b->placements);
    const int status = weir_place(&job, &b->placements);
    b->lacks_room = b->placements.lacks_room;
    if (b->lacks_room) report_full(b);
    free((void *)pins.option);
    return status;
}

static int implement(building *b, const char *constraints) {
    const weir_board_build_options *o = b->options;
    const weir_synth_request request = {.yosys = &b->yosys,
                                        .device = o->board->device,
                                        .cache = b->cache,
                                        .folder = o->work,
                                        .top = WEIR_BOARD_TOP,
                                        .pads = true};
    weir_synth_netlist_free(&b->netlist);
    int status = weir_yosys_netlist(&request, &b->netlist);
    weir_progress_end();
    if (status == WEIR_EXIT_FINE) {
        b->cost = weir_synth_count(b->netlist.json, WEIR_BOARD_TOP, o->board->device);
        b->accelerator =
            weir_synth_count_within(b->netlist.json, WEIR_BOARD_TOP, o->board->device, WEIR_BOARD_ACCELERATOR);
        b->lacks_room = !weir_synth_fits(&b->cost, o->board->device, true);
        if (b->lacks_room) status = WEIR_EXIT_INPUT;
    }
    if (status == WEIR_EXIT_FINE) status = place(b, constraints);
    return status;
}

/* Heap memory. */
static char *constraints_of(const weir_board *board, const weir_clock *clock) {
    weir_board_ports ports = weir_board_ports_of(board, 1);
    const weir_board_net_clock core = {WEIR_BOARD_CORE_CLOCK, clock->hz};
    weir_text text = {NULL, 0, 0};
    weir_board_pins_print(board, &ports, &core, clock->module != NULL, &text);
    free(ports.item);
    return text.data;
}

static bool is_marked(const building *b) {
    return b->options->place && weir_graph_patchable(b->options->hardware) &&
           weir_fill_is_known(b->options->board->device);
}

static int try_clock(building *b, const weir_clock *clock, char **constraints) {
    const weir_board_build_options *o = b->options;
    b->clock_hz = clock->hz;
    if (o->baud > b->clock_hz / LEAST_BIT_CYCLES) {
        weir_error(WEIR_NOWHERE, "a UART of %lld baud needs a core clock of at least %.3f MHz, found %.3f MHz",
                   (long long)o->baud, (double)(o->baud * LEAST_BIT_CYCLES) / 1e6, (double)b->clock_hz / 1e6);
        weir_note("use a lower --baud or a higher --clock");
        return WEIR_EXIT_INPUT;
    }
    if (o->baud > 0 && b->clock_hz >= MOST_BIT_CYCLES * o->baud) {
        weir_error(WEIR_NOWHERE, "a UART divides a core clock of %.3f MHz down to at least %lld baud, found %lld",
                   (double)b->clock_hz / 1e6, (long long)(b->clock_hz / MOST_BIT_CYCLES + 1), (long long)o->baud);
        weir_note("use a higher --baud or a lower --clock");
        return WEIR_EXIT_INPUT;
    }
    if (!write_sources(b, clock)) return WEIR_EXIT_INPUT;
    if (is_marked(b) && !weir_board_patch_mark(o->board->device, &b->memories, o->work)) return WEIR_EXIT_INPUT;
    free(*constraints);
    *constraints = o->place || weir_board_has_project(o->board) ? constraints_of(o->board, clock) : NULL;
    return o->place ? implement(b, *constraints) : WEIR_EXIT_FINE;
}

static bool is_met(const building *b) {
    const weir_placement *best = best_of(b);
    return !b->options->place || (best != NULL && best->fmax_mhz * 1e6 >= (double)b->clock_hz);
}

/* Of the design, and of the board's own logic. */
static double estimated_hz(const building *b) {
    weir_cost_report report = weir_cost_of_graph(b->options->hardware, b->options->board->device);
    const weir_device *device = b->options->board->device;
    const double mhz = weir_cost_mhz(&report.total), most = (double)device->clocks.board_mhz;
    weir_cost_report_free(&report);
    if (most > 0 && mhz > most) return most * 1e6;
    return (mhz > 0 ? mhz : (double)device->clocks.goal_mhz) * 1e6;
}

static int report_missed(const building *b) {
    const weir_placement *best = best_of(b);
    if (best == NULL) {
        weir_error(WEIR_NOWHERE, "the board makes no clock below %.2f MHz, the estimate for the design",
                   estimated_hz(b) / 1e6);
        return WEIR_EXIT_INPUT;
    }
    weir_error(WEIR_NOWHERE, "no placement meets the clock: %.2f MHz of %.2f MHz with the best of %zu seeds",
               best->fmax_mhz, (double)b->clock_hz / 1e6, b->placements.count);
    weir_note("use a lower --clock, or more --seeds for a better placement");
    return WEIR_EXIT_INPUT;
}

/* The highest clock below the estimate, then the highest below a share of what a placement reached, since another one
 * for a lower goal may reach less, and the last one should be kept; or the user's own. */
static int find_clock(building *b, char **constraints) {
    const weir_board_build_options *o = b->options;
    const weir_device *device = o->board->device;
    const int64_t input = o->board->clock.hz, wanted = o->clock_hz;
    static const double share[WEIR_BOARD_CLOCKS - 1] = {0.99, 0.94};
    int64_t limit = (int64_t)estimated_hz(b);
    for (int tried = 0; tried < WEIR_BOARD_CLOCKS; tried++) {
        weir_clock clock;
        if (wanted > 0 && !weir_clock_find(device, input, o->board->clock.pad, wanted, &clock)) return WEIR_EXIT_INPUT;
        if (wanted == 0 && !weir_clock_below(device, input, o->board->clock.pad, limit, &clock)) break;
        const int status = try_clock(b, &clock, constraints);
        if (status != WEIR_EXIT_FINE || is_met(b)) return status;
        if (wanted > 0 || tried + 1 == WEIR_BOARD_CLOCKS) break;
        limit = (int64_t)(best_of(b)->fmax_mhz * 1e6 * share[tried]);
        weir_note("%.2f MHz is missed: %.2f MHz with the best of %zu seeds", (double)b->clock_hz / 1e6,
                  best_of(b)->fmax_mhz, b->placements.count);
    }
    return report_missed(b);
}

/* --- what it answers --- */

static int try_verilog(const building *b, const char *what, const char *verilog, json_t **result) {
    const weir_board_build_options *o = b->options;
    const weir_board_manifest manifest = {
        .build = b->build, .model = b->model, .clock_hz = b->clock_hz, .baud = b->baud};
    char *models = weir_synth_cells(o->board->device, &b->yosys);
    const weir_trial trial = {.what = what,
                              .verilog = verilog,
                              .cells = weir_synth_netlist_cells(&b->netlist),
                              .models = models,
                              .board = o->board,
                              .hardware = o->hardware,
                              .manifest = &manifest,
                              .bytes_in = weir_board_frame_bytes(b->design.input, b->design.inputs),
                              .bytes_out = weir_board_frame_bytes(b->design.output, b->design.outputs),
                              .data = o->data,
                              .folder = o->work,
                              .cache = b->cache,
                              .seconds = (double)o->seconds};
    const int status = weir_trial_run(&trial, result);
    free(models);
    return status;
}

/* The netlist that was placed; with marks in its memories it answers nothing that is known. */
static int try_netlist(building *b) {
    json_t *result = NULL;
    if (is_marked(b)) {
        json_object_set_new(b->simulated, "netlist",
                            weir_trial_none(weir_copy_string("it was placed with marks in its memories")));
        return WEIR_EXIT_FINE;
    }
    char *verilog = weir_path_join(b->netlist.folder, "netlist.v");
    const int status = try_verilog(b, "netlist", verilog, &result);
    if (result != NULL) json_object_set_new(b->simulated, "netlist", result);
    free(verilog);
    return status;
}

static int try_bitstream(const building *b, const char *bitstream) {
    const weir_board_build_options *o = b->options;
    json_t *result = NULL;
    char *path = weir_path_join(o->folder, bitstream), *verilog = weir_path_join(o->work, "decoded.v"), *why_not = NULL;
    int status = weir_board_decode(o->board, &b->cost, path, o->work, verilog, (double)o->seconds, &why_not);
    if (why_not != NULL) result = weir_trial_none(why_not);
    else if (status == WEIR_EXIT_FINE) status = try_verilog(b, "bitstream", verilog, &result);
    if (result != NULL) json_object_set_new(b->simulated, "bitstream", result);
    free(verilog);
    free(path);
    return status;
}

/* --- what is kept --- */

static json_t *resources_json(const building *b) {
    weir_cost_use uses[WEIR_COST_USES], inner[WEIR_COST_USES];
    json_t *json = json_object();
    weir_cost_uses(&b->cost, b->options->board->device, uses);
    weir_cost_uses(&b->accelerator, b->options->board->device, inner);
    for (size_t i = 0; i < WEIR_COST_USES; i++)
        json_object_set_new(json, uses[i].key,
                            json_pack("{s:s, s:I, s:I, s:I}", "name", uses[i].name, "used", (json_int_t)uses[i].used,
                                      "available", (json_int_t)uses[i].available, "board",
                                      (json_int_t)(uses[i].used - inner[i].used)));
    return json;
}

/* Paths of which nextpnr says that they are shorter than the hold time. */
static int64_t count_short(const weir_placement *placement) {
    static const char words[] = "Hold/min time violation";
    int64_t count = 0;
    for (const char *at = placement->log; (at = strstr(at, words)) != NULL; at += sizeof words - 1) count++;
    return count;
}

static json_t *id_json(uint32_t id) { return json_sprintf("0x%08x", id); }

static json_t *report_json(const building *b, const char *bitstream, size_t bytes) {
    const weir_placement *best = best_of(b);
    const int64_t interval = weir_resources_of(b->options->hardware).folded_interval;
    json_t *json =
        json_pack("{s:i, s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:f}", "schema", SCHEMA, "board", b->options->name,
                  "device", b->options->board->device->name, "top", b->design.top, "build", id_json(b->build), "model",
                  id_json(b->model), "clock_hz", (json_int_t)b->clock_hz, "baud", (json_int_t)b->baud, "interval",
                  (json_int_t)interval, "inferences_per_second", (double)b->clock_hz / (double)interval);
    json_object_set_new(json, "bytes_in", json_integer(weir_board_frame_bytes(b->design.input, b->design.inputs)));
    json_object_set_new(json, "bytes_out", json_integer(weir_board_frame_bytes(b->design.output, b->design.outputs)));
    json_object_set_new(json, "bitstream", bitstream == NULL ? json_null() : json_string(bitstream));
    json_object_update(json, b->parameters);
    if (bytes == 0) return json;
    json_object_set_new(json, "bitstream_bytes", json_integer((json_int_t)bytes));
    json_object_set_new(json, "fmax_mhz", json_real(best->fmax_mhz));
    json_object_set_new(json, "seed", json_integer((json_int_t)best->seed));
    json_object_set_new(json, "short_paths", json_integer(count_short(best)));
    json_object_set_new(json, "resources", resources_json(b));
    json_object_set_new(json, "simulated", json_incref(b->simulated));
    json_object_set_new(json, "tools",
                        json_pack("{s:s, s:s, s:s}", "yosys", b->yosys.version, "nextpnr", b->nextpnr.version, "packer",
                                  b->packer.name));
    return json;
}

static bool write_text(const char *folder, const char *name, const char *text, size_t size) {
    char *path = weir_path_join(folder, name);
    const bool fine = weir_file_write(path, text, size);
    free(path);
    return fine;
}

/* What makes the bitstream elsewhere. */
static int write_project(const building *b, const char *constraints, char **bitstream) {
    const weir_board_build_options *o = b->options;
    *bitstream = weir_board_project_bitstream(o->board);
    return write_text(o->folder, weir_board_pins_file(o->board), constraints, strlen(constraints)) &&
                   weir_board_project_write(o->board, o->folder)
               ? WEIR_EXIT_FINE
               : WEIR_EXIT_INPUT;
}

/* Constraints, placement, bitstream and nextpnr's messages. */
static int pack(const building *b, const char *constraints, char **bitstream, size_t *bytes) {
    const char *folder = b->options->folder;
    const weir_placement *best = best_of(b);
    const weir_board *board = b->options->board;
    if (!write_text(folder, weir_board_pins_file(board), constraints, strlen(constraints)) ||
        !write_text(folder, "nextpnr.log", best->log, strlen(best->log)))
        return WEIR_EXIT_INPUT;
    const bool placed = is_marked(b)
                            ? weir_board_patch_keep(board->device, &b->memories, b->flow, best->output,
                                                    best->output_size, b->options->work, folder)
                            : write_text(folder, weir_board_flow_placed(b->flow), best->output, best->output_size);
    if (!placed) return WEIR_EXIT_INPUT;
    *bitstream = weir_board_flow_bitstream(b->flow, board);
    return weir_board_flow_pack(b->flow, board, &b->packer, folder, bytes);
}

static int keep(const building *b, const char *constraints, json_t **report) {
    const weir_board_build_options *o = b->options;
    char *from = weir_path_join(o->work, WEIR_BOARD_SOURCES), *to = weir_path_join(o->folder, WEIR_BOARD_SOURCES);
    char *bitstream = NULL;
    size_t bytes = 0;
    int status = weir_tree_copy(from, to) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && o->place) status = pack(b, constraints, &bitstream, &bytes);
    else if (status == WEIR_EXIT_FINE && constraints != NULL) status = write_project(b, constraints, &bitstream);
    if (status == WEIR_EXIT_FINE && o->place) status = try_bitstream(b, bitstream);
    if (status == WEIR_EXIT_FINE) {
        *report = report_json(b, bitstream, bytes);
        if (!weir_board_manifest_write(o->folder, *report)) status = WEIR_EXIT_INPUT;
    }
    free(bitstream);
    free(from);
    free(to);
    return status;
}

int weir_board_build(const weir_board_build_options *options, json_t **report, bool *lacks_room) {
    building b = {.options = options,
                  .cache = weir_sim_cache(NULL),
                  .netlist = {.held = -1},
                  .simulated = json_object(),
                  .parameters = json_object()};
    char *constraints = NULL, *design = weir_path_join(options->folder, WEIR_BOARD_DESIGN);
    int status = b.cache != NULL && weir_board_design_read(design, &b.design) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    *report = NULL;
    if (options->loadable && !weir_graph_patchable(options->hardware)) {
        weir_error(weir_at(design, 0), "its hardware depends on the parameters that it was compiled with");
        weir_note("'weir compile --patchable' makes hardware that takes others");
        status = WEIR_EXIT_INPUT;
    }
    if (weir_graph_patchable(options->hardware)) {
        if (!options->loadable && !options->debug && !weir_fill_is_known(options->board->device)) {
            weir_fill_report_unknown(options->board->device);
            status = WEIR_EXIT_INPUT;
        }
        b.memories = weir_board_patch_memories(options->hardware);
    }
    if (status == WEIR_EXIT_FINE) status = find_programs(&b);
    if (status == WEIR_EXIT_FINE) status = find_clock(&b, &constraints);
    if (status == WEIR_EXIT_FINE && options->place) status = try_netlist(&b);
    if (status == WEIR_EXIT_FINE) status = keep(&b, constraints, report);
    *lacks_room = b.lacks_room;
    weir_board_design_free(&b.design);
    weir_placements_free(&b.placements);
    weir_synth_netlist_free(&b.netlist);
    json_decref(b.simulated);
    json_decref(b.parameters);
    weir_board_memories_free(&b.reached);
    weir_fill_free(&b.memories);
    weir_program_free(&b.yosys);
    weir_program_free(&b.nextpnr);
    weir_program_free(&b.packer);
    free(constraints);
    free(design);
    free(b.cache);
    return status;
}

void weir_board_build_print(const json_t *report, weir_text *text) {
    const char *key, *bitstream = json_string_value(json_object_get(report, "bitstream"));
    json_t *use;
    weir_text_format(text, "board %s: core clock %.3f MHz, UART %lld baud, build %s, model %s\n",
                     json_string_value(json_object_get(report, "board")),
                     (double)json_integer_value(json_object_get(report, "clock_hz")) / 1e6,
                     (long long)json_integer_value(json_object_get(report, "baud")),
                     json_string_value(json_object_get(report, "build")),
                     json_string_value(json_object_get(report, "model")));
    json_object_foreach(json_object_get(report, "resources"), key, use) {
        const long long used = json_integer_value(json_object_get(use, "used")),
                        available = json_integer_value(json_object_get(use, "available"));
        weir_text_format(text, "  %-14s %7lld of %7lld  %5.1f %%, the board's share %lld\n",
                         json_string_value(json_object_get(use, "name")), used, available,
                         available == 0 ? 0 : 100.0 * (double)used / (double)available,
                         json_integer_value(json_object_get(use, "board")));
    }
    weir_text_format(text, "  a frame every %lld cycles: %.0f inferences a second on the chip\n",
                     (long long)json_integer_value(json_object_get(report, "interval")),
                     json_number_value(json_object_get(report, "inferences_per_second")));
    if (bitstream == NULL) return;
    if (json_object_get(report, "bitstream_bytes") == NULL) {
        weir_text_format(text,
                         "  %s is to be made in the folder: vivado -mode batch -source vivado.tcl, or openxc7.sh\n",
                         bitstream);
        return;
    }
    weir_text_format(text, "  placed at %.2f MHz with seed %lld; %s has %lld bytes\n",
                     json_number_value(json_object_get(report, "fmax_mhz")),
                     (long long)json_integer_value(json_object_get(report, "seed")), bitstream,
                     (long long)json_integer_value(json_object_get(report, "bitstream_bytes")));
    const long long short_paths = json_integer_value(json_object_get(report, "short_paths"));
    if (short_paths > 0)
        weir_text_format(text,
                         "  nextpnr finds %lld paths shorter than the hold time, by its estimate: see nextpnr.log\n",
                         short_paths);
    json_t *trial;
    json_object_foreach(json_object_get(report, "simulated"), key, trial) { weir_trial_print(key, trial, text); }
}
