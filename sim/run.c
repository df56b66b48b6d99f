/* One run: the description and stimulus are written into the run's folder, the simulator runs there, and what the
 * harness wrote is read back and checked as any other input. Formats: harness/weir_harness.c. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/backend.h"
#include "sim/driver.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

typedef enum port_kind { PORT_SOURCE, PORT_SINK, PORT_TAP, PORT_KINDS } port_kind;

static const char *const port_names[PORT_KINDS] = {"source", "sink", "tap"};
static const char *const status_names[] = {"done", "deadlock", "limit", "window"};
enum { STATUSES = sizeof status_names / sizeof status_names[0] };

const char *weir_sim_status_name(weir_sim_status status) { return status_names[status]; }

const char *weir_sim_violation_name(uint32_t violation) {
    static const char *const names[] = {"", "valid dropped", "data changed", "last or error changed",
                                        "valid or ready unknown"};
    return violation < sizeof names / sizeof names[0] ? names[violation] : "unknown violation";
}

static const weir_sim_port *ports(const weir_sim_run *run, port_kind kind, size_t *count) {
    *count = kind == PORT_SOURCE ? run->source_count : kind == PORT_SINK ? run->sink_count : run->tap_count;
    return kind == PORT_SOURCE ? run->sources : kind == PORT_SINK ? run->sinks : run->taps;
}

static weir_sim_stream *streams(const weir_sim_result *result, port_kind kind) {
    return kind == PORT_SOURCE ? result->sources : kind == PORT_SINK ? result->sinks : result->taps;
}

/* ---- files of a run ---- */

static const char *stem(const weir_sim_run *run) { return run->name ? run->name : "weir_run"; }

static char *file_name(const weir_sim_run *run, port_kind kind, uint32_t index) {
    return weir_format("%s.%s_%" PRIu32 ".bin", stem(run), port_names[kind], index);
}

static char *in_folder(const weir_sim_run *run, const char *ending) {
    char *name = weir_format("%s%s", stem(run), ending);
    char *path = weir_path_join(run->folder, name);
    free(name);
    return path;
}

static char *port_path(const weir_sim_run *run, port_kind kind, uint32_t index, const char *ending) {
    char *name = file_name(run, kind, index);
    char *full = weir_format("%s%s", name, ending);
    char *path = weir_path_join(run->folder, full);
    free(name);
    free(full);
    return path;
}

static void remove_path(char *path) {
    unlink(path);
    free(path);
}

static void remove_files(const weir_sim_run *run, bool inputs) {
    for (int kind = 0; kind < PORT_KINDS; kind++) {
        size_t count;
        const weir_sim_port *port = ports(run, (port_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            if (kind == PORT_SOURCE && !inputs) continue;
            remove_path(port_path(run, (port_kind)kind, port[i].index, ""));
            remove_path(port_path(run, (port_kind)kind, port[i].index, ".unknown"));
        }
    }
    if (inputs) remove_path(in_folder(run, ".txt"));
    remove_path(in_folder(run, ".statistics.txt"));
}

static bool write_description(const weir_sim_run *run) {
    weir_text text = {0};
    weir_text_format(&text, "seed %" PRIu32 "\n", run->seed);
    if (run->cycle_limit) weir_text_format(&text, "limit %" PRIu32 "\n", run->cycle_limit);
    if (run->watchdog) weir_text_format(&text, "watchdog %" PRIu32 "\n", run->watchdog);
    if (run->drain) weir_text_format(&text, "drain %" PRIu32 "\n", run->drain);
    if (run->dump) weir_text_format(&text, "dump %" PRIu32 " %" PRIu32 "\n", run->dump_from, run->dump_to);
    for (int kind = 0; kind < PORT_KINDS; kind++) {
        size_t count;
        const weir_sim_port *port = ports(run, (port_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            char *name = file_name(run, (port_kind)kind, port[i].index);
            weir_text_format(&text, "%s %" PRIu32, port_names[kind], port[i].index);
            if (kind != PORT_TAP) weir_text_format(&text, " profile %d", (int)port[i].profile);
            if (kind != PORT_SOURCE) weir_text_format(&text, " beats %zu", port[i].beats);
            weir_text_format(&text, " file %s\n", name);
            free(name);
        }
    }
    for (size_t i = 0; i < run->meter_count; i++) weir_text_format(&text, "meter %zu\n", i);
    weir_text_format(&text, "statistics %s.statistics.txt\n", stem(run));
    char *path = in_folder(run, ".txt");
    bool fine = weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

static void swap_words(uint32_t *words, size_t count) {
    const union {
        uint32_t word;
        unsigned char bytes[4];
    } probe = {1};
    if (probe.bytes[0]) return;
    for (size_t i = 0; i < count; i++) {
        uint32_t w = words[i];
        words[i] = w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24;
    }
}

static bool write_stimulus(const weir_sim_run *run) {
    bool fine = true;
    for (size_t i = 0; fine && i < run->source_count; i++) {
        const weir_sim_port *port = &run->sources[i];
        size_t count = port->beats * ((size_t)weir_words(port->width) + 1);
        char *path = port_path(run, PORT_SOURCE, port->index, "");
        uint32_t *words = weir_malloc(count * sizeof *words + 1);
        if (count) memcpy(words, port->records, count * sizeof *words);
        swap_words(words, count);
        fine = weir_file_write(path, words, count * sizeof *words);
        free(words);
        free(path);
    }
    return fine;
}

/* ---- what came back ---- */

/* Whole records of `size` words. False after a reported error. */
static bool read_words(const char *path, size_t size, uint32_t **words, size_t *count) {
    size_t bytes = 0;
    *words = (uint32_t *)(void *)weir_file_read(path, &bytes);
    if (!*words) return false;
    *count = bytes / (size * sizeof **words);
    if (bytes % (size * sizeof **words)) {
        weir_error(weir_at(path, 0), "expected records of %zu bytes, found %zu bytes", size * sizeof **words, bytes);
        return false;
    }
    swap_words(*words, *count * size);
    return true;
}

static bool read_beats(const weir_sim_run *run, port_kind kind, const weir_sim_port *port, weir_sim_stream *stream) {
    weir_beats *beats = &stream->recorded;
    beats->words = weir_words(port->width);
    char *path = port_path(run, kind, port->index, "");
    char *unknown = port_path(run, kind, port->index, ".unknown");
    bool fine = read_words(path, (size_t)beats->words + 2, &beats->records, &beats->count);
    if (fine && stream->unknown)
        fine = read_words(unknown, (size_t)beats->words + 1, &beats->unknown, &beats->unknown_count);
    if (fine && beats->count != stream->beats) {
        weir_error(weir_at(path, 0), "expected %" PRIu32 " beats, found %zu", stream->beats, beats->count);
        fine = false;
    }
    free(path);
    free(unknown);
    return fine;
}

/* The value after " key " in a line; false when it is not there. */
static bool find_value(const char *line, const char *key, uint32_t *value) {
    size_t length = strlen(key);
    for (const char *at = line; (at = strstr(at, key)); at += length) {
        if (at > line && at[-1] == ' ' && at[length] == ' ') {
            char *end;
            *value = (uint32_t)strtoul(at + length + 1, &end, 10);
            return end != at + length + 1;
        }
    }
    return false;
}

static bool parse_stream(const char *line, port_kind kind, weir_sim_stream *s) {
    bool fine = find_value(line, "beats", &s->beats) && find_value(line, "expected", &s->expected) &&
                find_value(line, "first", &s->first_cycle) && find_value(line, "last", &s->last_cycle);
    if (kind == PORT_SOURCE) return fine && find_value(line, "errors", &s->errors);
    return fine && find_value(line, "unknown", &s->unknown) && find_value(line, "violation", &s->violation) &&
           find_value(line, "violation_cycle", &s->violation_cycle);
}

static bool parse_meter(const char *line, weir_sim_meter *m) {
    return find_value(line, "busy", &m->busy) && find_value(line, "starved", &m->starved) &&
           find_value(line, "blocked", &m->blocked) && find_value(line, "occupancy", &m->occupancy) &&
           find_value(line, "in_beats", &m->in_beats) && find_value(line, "out_beats", &m->out_beats) &&
           find_value(line, "first_in", &m->first_in) && find_value(line, "last_out", &m->last_out);
}

static bool parse_status(const char *line, weir_sim_status *status) {
    for (int i = 0; i < STATUSES; i++) {
        if (!strcmp(line + strlen("status "), status_names[i])) {
            *status = (weir_sim_status)i;
            return true;
        }
    }
    return false;
}

/* The statistics have their lines in the order of the description. */
typedef struct reader {
    char *next;
    char *line;
    int number;
} reader;

static bool next_line(reader *r, const char *start) {
    r->line = r->next;
    r->number++;
    char *end = strchr(r->line, '\n');
    if (!end) return false;
    *end = '\0';
    r->next = end + 1;
    return !strncmp(r->line, start, strlen(start));
}

static bool parse_head(reader *r, weir_sim_result *result) {
    char scratch[64];
    if (!next_line(r, "status ") || !parse_status(r->line, &result->status)) return false;
    if (!next_line(r, "cycles ")) return false;
    snprintf(scratch, sizeof scratch, " %s", r->line);
    if (!find_value(scratch, "cycles", &result->cycles) || !next_line(r, "services ")) return false;
    snprintf(scratch, sizeof scratch, " %s", r->line);
    return find_value(scratch, "services", &result->services);
}

static bool parse_lines(reader *r, const weir_sim_run *run, weir_sim_result *result) {
    if (!parse_head(r, result)) return false;
    for (int kind = 0; kind < PORT_KINDS; kind++) {
        size_t count;
        ports(run, (port_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            if (!next_line(r, port_names[kind]) ||
                !parse_stream(r->line, (port_kind)kind, &streams(result, (port_kind)kind)[i]))
                return false;
        }
    }
    for (size_t i = 0; i < run->meter_count; i++) {
        if (!next_line(r, "meter ") || !parse_meter(r->line, &result->meters[i])) return false;
    }
    return next_line(r, "end");
}

static bool read_statistics(const weir_sim_run *run, weir_sim_result *result) {
    size_t size = 0;
    char *path = in_folder(run, ".statistics.txt");
    char *content = weir_file_read(path, &size);
    reader r = {content, content, 0};
    bool fine = content && parse_lines(&r, run, result);
    if (content && !fine) weir_error(weir_at(path, r.number), "unexpected statistics '%s'", r.line);
    free(content);
    free(path);
    return fine;
}

static bool read_results(const weir_sim_run *run, weir_sim_result *result) {
    if (!read_statistics(run, result)) return false;
    for (int kind = PORT_SINK; kind < PORT_KINDS; kind++) {
        size_t count;
        const weir_sim_port *port = ports(run, (port_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            if (!read_beats(run, (port_kind)kind, &port[i], &streams(result, (port_kind)kind)[i])) return false;
        }
    }
    return true;
}

/* ---- the run ---- */

/* What the hardware's Verilog says of the first assertion that failed, with the line ended; NULL: none has. */
static const char *failed_assertion(weir_text *messages) {
    static const char head[] = "assertion: ", above[] = "TOP."; /* Verilator's name for what has the bench in it */
    char *found = messages->data ? strstr(messages->data, head) : NULL;
    if (!found) return NULL;
    found += strlen(head);
    found[strcspn(found, "\r\n")] = '\0';
    return strncmp(found, above, strlen(above)) ? found : found + strlen(above);
}

static int simulate(const weir_sim_artifact *artifact, const weir_sim_run *run, weir_sim_result *result) {
    char *command[WEIR_SIM_MAX_ARGUMENTS + 1] = {0};
    char *option = weir_format("+weir_run=%s.txt", stem(run));
    size_t count = weir_sim_command(artifact, run, option, command);
    weir_arguments arguments = {command, count, WEIR_SIM_MAX_ARGUMENTS + 1};
    weir_text messages = {0};
    double start = weir_seconds();
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_tool_run(&arguments, run->folder, run->seconds, &messages);
    weir_diag_release(log);
    result->seconds = weir_seconds() - start;
    char *statistics = in_folder(run, ".statistics.txt");
    const bool is_complete = fine && weir_file_exists(statistics);
    const char *assertion = is_complete ? NULL : failed_assertion(&messages);
    if (assertion) {
        weir_error(WEIR_NOWHERE, "an assertion fails in the hardware: %s", assertion);
    } else if (!fine) {
        weir_diag_replay(log);
    } else if (!is_complete) {
        weir_error(weir_at(statistics, 0), "the simulation ended without results");
        if (messages.data) weir_note("its messages:\n%s", messages.data);
    }
    const int status = assertion ? WEIR_EXIT_MISMATCH : is_complete ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
    for (size_t i = 0; i < count; i++) free(command[i]);
    free(option);
    free(statistics);
    weir_diag_log_free(log);
    weir_text_free(&messages);
    return status;
}

/* The bench can only name it weir.fst. */
static void rename_dump(const weir_sim_run *run) {
    char *from = weir_path_join(run->folder, "weir.fst"), *to = in_folder(run, ".fst");
    if (rename(from, to) != 0) weir_warning(weir_at(to, 0), "no waveforms: %s", strerror(errno));
    free(from);
    free(to);
}

int weir_sim_run_bench(const weir_sim_artifact *artifact, const weir_sim_run *run, weir_sim_result *result) {
    memset(result, 0, sizeof *result);
    result->source_count = run->source_count;
    result->sink_count = run->sink_count;
    result->tap_count = run->tap_count;
    result->meter_count = run->meter_count;
    result->sources = weir_calloc(run->source_count, sizeof *result->sources);
    result->sinks = weir_calloc(run->sink_count, sizeof *result->sinks);
    result->taps = weir_calloc(run->tap_count, sizeof *result->taps);
    result->meters = weir_calloc(run->meter_count, sizeof *result->meters);
    remove_files(run, false);
    if (!write_description(run) || !write_stimulus(run)) return WEIR_EXIT_INPUT;
    const int status = simulate(artifact, run, result);
    if (status != WEIR_EXIT_FINE) return status;
    if (!read_results(run, result)) return WEIR_EXIT_TOOL;
    if (run->dump) rename_dump(run);
    if (!run->keep_files) remove_files(run, true);
    return WEIR_EXIT_FINE;
}

void weir_sim_result_free(weir_sim_result *result) {
    for (size_t i = 0; i < result->sink_count; i++) weir_beats_free(&result->sinks[i].recorded);
    for (size_t i = 0; i < result->tap_count; i++) weir_beats_free(&result->taps[i].recorded);
    free(result->sources);
    free(result->sinks);
    free(result->taps);
    free(result->meters);
    memset(result, 0, sizeof *result);
}

/* ---- benches that play themselves ---- */

int weir_sim_run_alone(const weir_sim_artifact *artifact, const char *folder, double seconds, weir_text *output) {
    char *command[WEIR_SIM_MAX_ARGUMENTS + 1] = {0};
    const weir_sim_run run = {.folder = folder};
    const size_t count = weir_sim_command(artifact, &run, NULL, command);
    const weir_arguments arguments = {command, count, WEIR_SIM_MAX_ARGUMENTS + 1};
    const bool fine = weir_tool_run(&arguments, folder, seconds, output);
    for (size_t i = 0; i < count; i++) free(command[i]);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}
