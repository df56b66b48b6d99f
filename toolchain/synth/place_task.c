/* A task is {"program", "version", "seconds", "options", "constraints", "placer", "clock_hz", "netlist"}; a result
 * {"end", "report", "log", "diagnostics"}, of which the middle two are nextpnr's and only there when it placed. */
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "synth/place_private.h"

static const char *const ends[] = {[WEIR_PLACE_PLACED] = "placed",
                                   [WEIR_PLACE_LATE] = "late",
                                   [WEIR_PLACE_BROKEN] = "broken",
                                   [WEIR_PLACE_FULL] = "full",
                                   [WEIR_PLACE_FAILED] = "failed"};
enum { ENDS = sizeof ends / sizeof *ends };

json_t *weir_place_task(const weir_place_job *job) {
    const weir_place_pins *pins = job->pins;
    json_t *options = json_array();
    for (size_t i = 0; i < pins->option_count; i++) json_array_append_new(options, json_string(pins->option[i]));
    return json_pack("{s:s, s:s, s:f, s:o, s:{s:s?, s:s?}, s:s?, s:I, s:O}", "program", job->nextpnr->name, "version",
                     job->nextpnr->version, "seconds", job->nextpnr->seconds, "options", options, "constraints", "file",
                     pins->file, "text", pins->text, "placer", job->placer, "clock_hz", (json_int_t)job->clock_hz,
                     "netlist", job->netlist);
}

/* --- there --- */

/* What a program printed need not be UTF-8. */
static json_t *text_json(const char *text) {
    json_t *value = json_string(text == NULL ? "" : text);
    if (value != NULL) return value;
    char *copy = weir_copy_string(text);
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

static json_t *log_json(const weir_diag_log *log) {
    json_t *list = json_array();
    for (size_t i = 0; i < weir_diag_log_count(log); i++) {
        const weir_diagnostic *d = weir_diag_log_at(log, i);
        json_array_append_new(list, json_pack("{s:i, s:s?, s:i, s:o}", "severity", (int)d->severity, "file",
                                              d->location.file, "line", d->location.line, "text", text_json(d->text)));
    }
    return list;
}

static json_t *place(const weir_place_job *job, int64_t seed) {
    weir_placement placement = {.seed = seed};
    weir_place_netlist netlist;
    weir_diag_log *log = weir_diag_capture();
    weir_place_netlist_open(job, &netlist);
    weir_place_seed(&netlist, seed, NULL, &placement);
    weir_place_netlist_close(&netlist);
    weir_diag_release(log);
    json_t *result = json_pack("{s:s, s:o?, s:o, s:o}", "end", ends[placement.end], "report", placement.report, "log",
                               text_json(placement.log), "diagnostics", log_json(log));
    weir_diag_log_free(log);
    free(placement.log);
    return result;
}

int weir_place_task_run(const json_t *task, const char *cache, int64_t seed, json_t **result) {
    const char *program, *version;
    json_t *options, *constraints, *netlist;
    json_int_t clock_hz;
    double seconds;
    *result = NULL;
    if (json_unpack((json_t *)(uintptr_t)task, "{s:s, s:s, s:F, s:o, s:o, s:I, s:o}", "program", &program, "version",
                    &version, "seconds", &seconds, "options", &options, "constraints", &constraints, "clock_hz",
                    &clock_hz, "netlist", &netlist) != 0) {
        weir_error(WEIR_NOWHERE, "expected the task of a run with --on");
        return WEIR_EXIT_INPUT;
    }
    weir_program nextpnr;
    if (!weir_program_same(program, version, cache, &nextpnr)) {
        weir_program_free(&nextpnr);
        return WEIR_EXIT_TOOL;
    }
    nextpnr.seconds = seconds;
    const size_t count = json_array_size(options);
    const char **option = weir_calloc(count + 1, sizeof *option);
    for (size_t i = 0; i < count; i++) option[i] = json_string_value(json_array_get(options, i));
    const weir_place_pins pins = {.file = json_string_value(json_object_get(constraints, "file")),
                                  .text = json_string_value(json_object_get(constraints, "text")),
                                  .option = option,
                                  .option_count = count};
    const weir_place_job job = {.nextpnr = &nextpnr,
                                .cache = cache,
                                .netlist = netlist,
                                .pins = &pins,
                                .placer = json_string_value(json_object_get(task, "placer")),
                                .clock_hz = (int64_t)clock_hz,
                                .seeds = seed};
    *result = place(&job, seed);
    free(option);
    weir_program_free(&nextpnr);
    return WEIR_EXIT_FINE;
}

/* --- here --- */

static weir_diag_log *read_log(const json_t *list) {
    weir_diag_log *log = weir_diag_capture();
    json_t *item;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)list, i, item) {
        const char *text = json_string_value(json_object_get(item, "text"));
        const weir_location location = weir_at(json_string_value(json_object_get(item, "file")),
                                               (int)json_integer_value(json_object_get(item, "line")));
        switch ((weir_severity)json_integer_value(json_object_get(item, "severity"))) {
        case WEIR_SEVERITY_NOTE: weir_note_at(location, "%s", text); break;
        case WEIR_SEVERITY_WARNING: weir_warning(location, "%s", text); break;
        case WEIR_SEVERITY_ERROR: weir_error(location, "%s", text); break;
        }
    }
    weir_diag_release(log);
    return log;
}

bool weir_place_task_read(const json_t *result, weir_placement *placement, weir_diag_log **log) {
    const char *end = json_string_value(json_object_get(result, "end"));
    const char *printed = json_string_value(json_object_get(result, "log"));
    json_t *report = json_object_get(result, "report");
    size_t i = 0;
    while (i < ENDS && (end == NULL || strcmp(ends[i], end) != 0)) i++;
    placement->end = i < ENDS ? (weir_place_end)i : WEIR_PLACE_FAILED;
    if (i < ENDS && placement->end == WEIR_PLACE_PLACED) {
        placement->report = json_incref(report);
        placement->fmax_mhz = weir_place_clock(report);
        placement->log = weir_copy_string(printed == NULL ? "" : printed);
    }
    if (i == ENDS || (placement->end == WEIR_PLACE_PLACED && placement->fmax_mhz <= 0)) {
        weir_error(WEIR_NOWHERE, "seed %lld left no placement that can be read", (long long)placement->seed);
        return false;
    }
    *log = read_log(json_object_get(result, "diagnostics"));
    return true;
}
