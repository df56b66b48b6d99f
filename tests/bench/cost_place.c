/* Synthesizes or places modules of rtl/ alone as `weir synth` does a design: the same netlist, pins and counts.
 *
 * FOLDER/rtl has the sources, in which the defaults of the modules' parameters are those to measure; files are written
 * there. cost_place FOLDER MODULE DEVICE MHZ: places MODULE between registers. Prints
 * "fmax,luts,flip_flops,multipliers,memory_blocks", then the versions of Yosys and of nextpnr, a line each. cost_place
 * FOLDER TOP DEVICE: synthesizes TOP, whose instances are to be kept apart (attributes keep and keep_hierarchy). Prints
 * "module,luts,flip_flops,multipliers,memory_blocks" for the module of each, then the version of Yosys. scripts/cost
 * calls it. Exit status: 0 fine, 1 bad input, 2 bad usage, 4 a tool is missing or failed. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cache.h"
#include "sim/driver.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "synth/netlist/family.h"
#include "synth/place.h"
#include "synth/yosys.h"

typedef struct tools {
    const weir_device *device;
    char *cache;
    weir_program yosys, nextpnr;
} tools;

static int find_tools(tools *t, bool places) {
    if (!weir_program_yosys(NULL, t->cache, &t->yosys)) return WEIR_EXIT_TOOL;
    if (t->yosys.name == NULL) weir_program_report_yosys();
    if (places && !weir_program_nextpnr(t->device, t->cache, &t->nextpnr)) return WEIR_EXIT_TOOL;
    if (places && t->nextpnr.name == NULL) weir_program_report_nextpnr(t->device);
    return t->yosys.name == NULL || (places && t->nextpnr.name == NULL) ? WEIR_EXIT_TOOL : WEIR_EXIT_FINE;
}

static void print_cost(const weir_cost *cost) {
    printf("%lld,%lld,%lld,%lld\n", (long long)cost->luts, (long long)cost->flip_flops, (long long)cost->multipliers,
           (long long)cost->memory_blocks);
}

static void count(const tools *t, const weir_synth_netlist *netlist) {
    const json_t *modules = json_object_get(netlist->json, "modules");
    json_t *cells = json_object_get(json_object_get(modules, netlist->top), "cells"), *cell;
    const char *name;
    json_object_foreach(cells, name, cell) {
        const char *module = json_string_value(json_object_get(cell, "type"));
        if (json_object_get(modules, module) == NULL) continue;
        const weir_cost cost = weir_synth_count(netlist->json, module, t->device);
        printf("%s,", module);
        print_cost(&cost);
    }
    printf("%s\n", t->yosys.version);
}

static int place(const tools *t, const weir_synth_netlist *netlist, int64_t clock_mhz) {
    json_t *pins = weir_yosys_pins(&t->yosys, t->device, t->cache, netlist);
    if (pins == NULL) return WEIR_EXIT_TOOL;
    json_t *joined = weir_yosys_join(netlist, pins);
    const weir_place_job job = {.nextpnr = &t->nextpnr,
                                .device = t->device,
                                .cache = t->cache,
                                .netlist = joined,
                                .clock_hz = clock_mhz * 1000000,
                                .seeds = 1};
    weir_placements placements = {.item = NULL};
    const int status = weir_place(&job, &placements);
    if (status == WEIR_EXIT_FINE) {
        const weir_cost cost = weir_synth_count(netlist->json, netlist->top, t->device);
        printf("%.1f,", placements.item[placements.best].fmax_mhz);
        print_cost(&cost);
        printf("%s\n%s\n", t->yosys.version, t->nextpnr.version);
    }
    weir_placements_free(&placements);
    json_decref(joined);
    json_decref(pins);
    return status;
}

static int run(const tools *t, const char *folder, const char *top, const char *clock_mhz) {
    weir_synth_netlist netlist = {.held = -1};
    const weir_synth_request request = {
        .yosys = &t->yosys, .device = t->device, .cache = t->cache, .folder = folder, .top = top};
    int status = weir_yosys_netlist(&request, &netlist);
    if (status == WEIR_EXIT_FINE && clock_mhz == NULL) count(t, &netlist);
    if (status == WEIR_EXIT_FINE && clock_mhz != NULL) status = place(t, &netlist, atoll(clock_mhz));
    weir_synth_netlist_free(&netlist);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fputs("usage: cost_place FOLDER MODULE DEVICE [MHZ]\n", stderr);
        return WEIR_EXIT_USAGE;
    }
    int status = WEIR_EXIT_FINE;
    weir_device *device = weir_device_read(argv[3], &status);
    tools t = {.device = device, .cache = device == NULL ? NULL : weir_sim_cache(NULL)};
    if (device != NULL) status = t.cache == NULL ? WEIR_EXIT_INPUT : find_tools(&t, argc == 5);
    if (status == WEIR_EXIT_FINE) status = run(&t, argv[1], argv[2], argc == 5 ? argv[4] : NULL);
    weir_program_free(&t.yosys);
    weir_program_free(&t.nextpnr);
    free(t.cache);
    if (device != NULL) weir_device_free(device);
    return status;
}
