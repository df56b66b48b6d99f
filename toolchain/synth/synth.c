#include "synth/synth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/resources.h"
#include "dataflow/cost/target.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/text/diag.h"
#include "synth/netlist/family.h"

/* What the hardware was built for, if it was for this device; else what the device's profile says. */
static int64_t default_clock(const weir_device *device, const weir_graph *hardware) {
    const weir_target target = weir_target_of(hardware);
    if (target.device != NULL && strcmp(target.device->name, device->name) == 0) return target.clock_mhz;
    return device->clocks.goal_mhz > 0 ? device->clocks.goal_mhz : WEIR_TARGET_MHZ;
}

/* --- steps --- */

static int find_programs(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    if (!weir_program_yosys(options->yosys, cache, &synth->yosys)) return WEIR_EXIT_TOOL;
    synth->yosys.seconds = (double)options->seconds;
    if (synth->yosys.name == NULL) {
        weir_program_report_yosys();
        return WEIR_EXIT_TOOL;
    }
    if (options->placing == WEIR_SYNTH_UNPLACED) return WEIR_EXIT_FINE;
    if (!weir_program_nextpnr(options->device, cache, &synth->nextpnr)) return WEIR_EXIT_TOOL;
    synth->nextpnr.seconds = (double)options->seconds;
    if (synth->nextpnr.name != NULL || options->placing == WEIR_SYNTH_PLACED_IF_FOUND) return WEIR_EXIT_FINE;
    weir_program_report_nextpnr(options->device);
    return WEIR_EXIT_TOOL;
}

static size_t count_ports(const weir_synth_netlist *netlist) {
    const char *name;
    json_t *port;
    size_t bits = 0;
    json_object_foreach(
        json_object_get(json_object_get(json_object_get(netlist->json, "modules"), netlist->top), "ports"), name, port)
        bits += strcmp(name, "clk") == 0 ? 0 : json_array_size(json_object_get(port, "bits"));
    return bits;
}

static int synthesize(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    const weir_synth_request request = {.yosys = &synth->yosys,
                                        .device = options->device,
                                        .cache = cache,
                                        .folder = options->folder,
                                        .top = synth->top};
    const int status = weir_yosys_netlist(&request, &synth->netlist);
    weir_progress_end();
    if (status != WEIR_EXIT_FINE) return status;
    synth->cost = weir_synth_count(synth->netlist.json, synth->top, options->device);
    synth->ports = count_ports(&synth->netlist);
    return WEIR_EXIT_FINE;
}

/* nextpnr would say it later, if at all, and in its own words. */
bool weir_synth_fits(const weir_cost *cost, const weir_device *device, bool must) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(cost, device, uses);
    bool fits = true;
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        if (uses[i].used <= uses[i].available) continue;
        fits = false;
        (must ? weir_error : weir_warning)(WEIR_NOWHERE, "the netlist does not fit %s: %lld %s of %lld, %lld too many",
                                           device->name, (long long)uses[i].used, uses[i].name,
                                           (long long)uses[i].available, (long long)(uses[i].used - uses[i].available));
    }
    if (!fits)
        weir_note("compile it with '--objective throughput', which finds a folding that fits, or with a longer "
                  "--target-interval");
    return fits;
}

static int place(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    json_t *pins = weir_yosys_pins(&synth->yosys, options->device, cache, &synth->netlist);
    if (pins == NULL) return WEIR_EXIT_TOOL;
    synth->pins = weir_synth_count(pins, WEIR_SYNTH_PINS, options->device);
    json_t *joined = weir_yosys_join(&synth->netlist, pins);
    const weir_place_job job = {.nextpnr = &synth->nextpnr,
                                .device = options->device,
                                .cache = cache,
                                .netlist = joined,
                                .placer = options->placer,
                                .clock_hz = synth->clock_mhz * 1000000,
                                .seeds = options->seeds,
                                .elsewhere = options->elsewhere};
    const int status = weir_place(&job, &synth->placements);
    if (status == WEIR_EXIT_FINE)
        synth->has_path = weir_synth_path_read(weir_synth_best(synth)->report, &synth->netlist, options->hardware,
                                               options->device, &synth->path);
    json_decref(joined);
    json_decref(pins);
    return status;
}

static int simulate(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    const weir_synth_simulate_job job = {.hardware = options->hardware,
                                         .folder = options->folder,
                                         .data = options->data,
                                         .frames = options->frames,
                                         .cache = cache};
    synth->is_simulated = true;
    return weir_synth_simulate(&job, &synth->netlist, options->device, &synth->yosys, &synth->simulation);
}

static int prove(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    char *models = weir_synth_cells(options->device, &synth->yosys);
    const weir_synth_prove_job job = {&synth->yosys, options->device, models, synth->netlist.folder, synth->top};
    synth->is_proved = true;
    const int status = weir_synth_prove(&job, &synth->netlist, cache, options->prove, &synth->proof);
    weir_progress_end();
    free(models);
    return status;
}

/* A disagreement does not keep the rest from being told. */
static int run(const weir_synth_options *options, const char *cache, weir_synth *synth) {
    int status = find_programs(options, cache, synth), proved = WEIR_EXIT_FINE, simulated = WEIR_EXIT_FINE;
    if (status == WEIR_EXIT_FINE) status = synthesize(options, cache, synth);
    if (status == WEIR_EXIT_FINE &&
        !weir_synth_fits(&synth->cost, synth->device, options->placing != WEIR_SYNTH_UNPLACED) &&
        options->placing != WEIR_SYNTH_UNPLACED)
        status = WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && (options->simulate || options->prove)) proved = prove(options, cache, synth);
    if (proved == WEIR_EXIT_TOOL) status = proved;
    if (status == WEIR_EXIT_FINE && options->simulate) simulated = simulate(options, cache, synth);
    if (simulated == WEIR_EXIT_INPUT || simulated == WEIR_EXIT_TOOL) status = simulated;
    if (status == WEIR_EXIT_FINE && synth->nextpnr.name != NULL) status = place(options, cache, synth);
    return simulated == WEIR_EXIT_MISMATCH || proved == WEIR_EXIT_MISMATCH ? WEIR_EXIT_MISMATCH : status;
}

int weir_synth_run(const weir_synth_options *options, weir_synth **result) {
    weir_synth *synth = *result = weir_calloc(1, sizeof *synth);
    char *cache = weir_sim_cache(NULL);
    synth->device = options->device;
    synth->placer = options->placer;
    synth->hardware = options->hardware;
    synth->top = weir_copy_string(options->top);
    synth->clock_mhz = options->clock_mhz > 0 ? options->clock_mhz : default_clock(options->device, options->hardware);
    synth->interval = weir_resources_of(options->hardware).folded_interval;
    synth->estimate = weir_cost_of_graph(options->hardware, options->device);
    synth->netlist.held = -1;
    const int status = cache == NULL ? WEIR_EXIT_INPUT : run(options, cache, synth);
    free(cache);
    return status;
}

void weir_synth_free(weir_synth *synth) {
    if (synth == NULL) return;
    weir_program_free(&synth->yosys);
    weir_program_free(&synth->nextpnr);
    weir_cost_report_free(&synth->estimate);
    weir_synth_netlist_free(&synth->netlist);
    weir_placements_free(&synth->placements);
    weir_synth_path_free(&synth->path);
    weir_synth_check_free(&synth->simulation);
    weir_synth_check_free(&synth->proof);
    free(synth->top);
    free(synth);
}

const weir_placement *weir_synth_best(const weir_synth *synth) {
    assert(synth->placements.count == 0 || synth->placements.best < synth->placements.count);
    const weir_placement *best = synth->placements.count == 0 ? NULL : &synth->placements.item[synth->placements.best];
    return best == NULL || best->report == NULL ? NULL : best;
}

double weir_synth_inferences(const weir_synth *synth) {
    assert(synth->interval >= 1);
    const weir_placement *best = weir_synth_best(synth);
    return best == NULL ? 0 : best->fmax_mhz * 1e6 / (double)synth->interval;
}
