/* One seed: nextpnr's run, kept in the cache. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cache.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "synth/place_private.h"

/* Changes when the same netlist shall give another result. */
#define FORM "2"

typedef struct making {
    const weir_place_netlist *netlist;
    int64_t seed;
    const char *progress; /* NULL: another thread says how long it takes */
    weir_place_end end;
} making;

static bool write_pins(const weir_place_pins *pins, const char *folder) {
    if (pins->file == NULL) return true;
    char *path = weir_path_join(folder, pins->file);
    const bool fine = weir_file_write(path, pins->text, strlen(pins->text));
    free(path);
    return fine;
}

/* How nextpnr ends when it finds no place for a cell. */
static bool says_full(const char *messages) {
    static const char *const words[] = {"Unable to find legal placement", "no BELs remaining", "ERROR: failed to place",
                                        "Unable to find a placement location", "Unable to place cell"};
    bool full = false;
    for (size_t i = 0; messages != NULL && i < sizeof words / sizeof *words; i++)
        full |= strstr(messages, words[i]) != NULL;
    return full;
}

/* Its own errors begin a line with this word; a fault of its own (a signal, a trap, a failed assertion) has none. */
static bool names_error(const char *messages) {
    return messages != NULL && (strncmp(messages, "ERROR: ", 7) == 0 || strstr(messages, "\nERROR: ") != NULL);
}

static weir_place_end end_of(weir_tool_end end, const char *messages) {
    switch (end) {
    case WEIR_TOOL_FINE: return WEIR_PLACE_PLACED;
    case WEIR_TOOL_LATE: return WEIR_PLACE_LATE;
    case WEIR_TOOL_FAILED: break;
    }
    if (says_full(messages)) return WEIR_PLACE_FULL;
    return names_error(messages) ? WEIR_PLACE_FAILED : WEIR_PLACE_BROKEN;
}

static bool make_placement(void *user, const char *folder) {
    making *m = user;
    const weir_place_job *job = m->netlist->job;
    char *netlist = weir_path_join(folder, "placed.json"), *log = weir_path_join(folder, "nextpnr.log");
    weir_arguments arguments = {0};
    weir_text output = {NULL, 0, 0};
    weir_arguments_add(&arguments, "%s", job->nextpnr->name);
    for (size_t i = 0; i < job->pins->option_count; i++) weir_arguments_add(&arguments, "%s", job->pins->option[i]);
    static const char *const files[] = {"--json", "placed.json", "--report", "report.json", "--timing-allow-fail"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) weir_arguments_add(&arguments, "%s", files[i]);
    if (job->placer != NULL) {
        weir_arguments_add(&arguments, "--placer");
        weir_arguments_add(&arguments, "%s", job->placer);
    }
    weir_arguments_add(&arguments, "--freq");
    weir_arguments_add(&arguments, "%.9g", (double)job->clock_hz / 1e6);
    weir_arguments_add(&arguments, "--seed");
    weir_arguments_add(&arguments, "%lld", (long long)m->seed);
    bool fine = weir_file_write(netlist, m->netlist->text, strlen(m->netlist->text)) && write_pins(job->pins, folder);
    if (fine) {
        const double seconds = job->nextpnr->seconds;
        const weir_tool_end end = weir_tool_wait(&arguments, folder, seconds, m->progress, &output);
        m->end = end_of(end, output.data);
        fine = m->end == WEIR_PLACE_PLACED;
    }
    fine = fine && weir_file_write(log, output.data == NULL ? "" : output.data, output.size);
    unlink(netlist);
    weir_text_free(&output);
    weir_arguments_free(&arguments);
    free(netlist);
    free(log);
    return fine;
}

double weir_place_clock(const json_t *report) {
    const char *name;
    json_t *clock;
    double slowest = 0;
    json_object_foreach(json_object_get(report, "fmax"), name, clock) {
        const double mhz = json_number_value(json_object_get(clock, "achieved"));
        if (slowest == 0 || mhz < slowest) slowest = mhz;
    }
    return slowest;
}

static bool read_output(const char *folder, const weir_place_pins *pins, weir_placement *placement) {
    if (pins->output == NULL) return true;
    char *path = weir_path_join(folder, pins->output);
    placement->output = weir_file_read(path, &placement->output_size);
    free(path);
    return placement->output != NULL;
}

static bool read_placement(const char *folder, const weir_place_pins *pins, weir_placement *placement) {
    char *path = weir_path_join(folder, "report.json"), *log = weir_path_join(folder, "nextpnr.log");
    size_t size = 0;
    json_error_t error = {.line = 0};
    char *text = weir_file_read(path, &size);
    placement->report = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    placement->fmax_mhz = weir_place_clock(placement->report);
    placement->log = weir_file_read(log, &size);
    bool fine = placement->report != NULL && placement->fmax_mhz > 0 && placement->log != NULL;
    if (!fine && text != NULL) weir_error(weir_at(path, error.line), "nextpnr reported no clock: %s", error.text);
    free(text);
    free(path);
    free(log);
    return fine && read_output(folder, pins, placement);
}

void weir_place_seed(const weir_place_netlist *n, int64_t seed, const char *progress, weir_placement *placement) {
    assert(seed >= 1 && seed <= n->job->seeds);
    making m = {.netlist = n, .seed = seed, .progress = progress, .end = WEIR_PLACE_FAILED};
    weir_hash hash = n->key;
    weir_hash_add_number(&hash, (uint64_t)seed);
    char digits[33];
    weir_hash_print(&hash, digits);
    char *name = weir_format("nextpnr-placement-%s", digits);
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(n->job->cache, name, true, make_placement, &m, &held, &made);
    if (folder != NULL) m.end = WEIR_PLACE_FAILED;
    if (folder != NULL && read_placement(folder, n->job->pins, placement)) m.end = WEIR_PLACE_PLACED;
    placement->seed = seed;
    placement->cached = !made;
    placement->end = m.end;
    if (folder != NULL) weir_cache_release(held);
    free(folder);
    free(name);
}

static weir_hash key_of(const weir_place_job *job, const char *netlist) {
    weir_hash key = weir_hash_start();
    weir_hash_add_string(&key, FORM);
    weir_hash_add_string(&key, job->nextpnr->name);
    weir_hash_add_string(&key, job->nextpnr->version);
    for (size_t i = 0; i < job->pins->option_count; i++) weir_hash_add_string(&key, job->pins->option[i]);
    if (job->pins->text != NULL) weir_hash_add_string(&key, job->pins->text);
    if (job->placer != NULL) weir_hash_add_string(&key, job->placer);
    weir_hash_add_number(&key, (uint64_t)job->clock_hz);
    weir_hash_add_string(&key, netlist);
    return key;
}

void weir_place_netlist_open(const weir_place_job *job, weir_place_netlist *netlist) {
    char *text = json_dumps(job->netlist, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    *netlist = (weir_place_netlist){.job = job, .text = text, .key = key_of(job, text)};
}

void weir_place_netlist_close(weir_place_netlist *netlist) { free(netlist->text); }
