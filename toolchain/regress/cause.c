#include "regress/cause.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/memory/arena.h"
#include "support/text/text.h"

enum { LOG_KEPT = 4000, MESSAGE_MOST = 300 };

/* --- the message --- */

/* Words that begin the line that says why, the surest first: Weir's and compilers' form, then what benches and Python
 * print. */
static const char *const signs[] = {"error:", "error", "mismatch", "assert", "fatal", "fail", "traceback"};

static bool contains(const char *line, size_t size, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (strncasecmp(line + i, word, length) == 0) return true;
    return false;
}

static size_t line_size(const char *line, const char *end) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return (size_t)((newline == NULL ? end : newline) - line);
}

static char *line_text(const char *line, size_t size) {
    weir_text text = {NULL, 0, 0};
    while (size > 0 && isspace((unsigned char)*line)) line++, size--;
    while (size > 0 && isspace((unsigned char)line[size - 1])) size--;
    weir_text_plain(&text, line, size < MESSAGE_MOST ? size : MESSAGE_MOST);
    return text.data == NULL ? weir_copy_string("") : text.data;
}

/* The first line with the surest sign; without any the last that is not blank. */
static char *find_line(const char *printed, size_t size) {
    const char *end = printed + size, *last = printed;
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        for (const char *line = printed; line < end; line += line_size(line, end) + 1)
            if (contains(line, line_size(line, end), signs[s])) return line_text(line, line_size(line, end));
    for (const char *line = printed; line < end; line += line_size(line, end) + 1) {
        const size_t length = line_size(line, end);
        for (size_t i = 0; i < length; i++)
            if (!isspace((unsigned char)line[i])) last = line;
    }
    return last < end ? line_text(last, line_size(last, end)) : weir_copy_string("");
}

/* The text between quotes behind "node ". */
static char *find_node(const char *message) {
    const char *at = strstr(message, "node '");
    if (at == NULL) return weir_copy_string("");
    at += strlen("node '");
    return weir_format("%.*s", (int)strcspn(at, "'"), at);
}

/* The first run that diverged; the keys are of `weir check --json` (cosim). */
static const json_t *divergence_of(const json_t *report) {
    const json_t *run, *runs = json_object_get(report, "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        run = json_object_get(json_array_get(runs, i), "first_divergence");
        if (json_is_object(run)) return run;
    }
    run = json_object_get(json_object_get(report, "simulation"), "first_divergence");
    return json_is_object(run) ? run : NULL;
}

void weir_cause_find(weir_record *record, const char *printed, size_t size, const json_t *report) {
    const json_t *divergence = divergence_of(report);
    const char *node = json_string_value(json_object_get(divergence, "node"));
    const char *kind = json_string_value(json_object_get(divergence, "kind"));
    if (record->message == NULL && divergence != NULL)
        record->message = weir_format(
            "the hardware differs from the reference: %s in frame %lld, element %lld, cycle %lld",
            kind == NULL ? "a value" : kind, (long long)json_integer_value(json_object_get(divergence, "frame")),
            (long long)json_integer_value(json_object_get(divergence, "element")),
            (long long)json_integer_value(json_object_get(divergence, "cycle")));
    else if (record->message == NULL) record->message = find_line(printed, size);
    record->node = node != NULL ? weir_copy_string(node) : find_node(record->message);
    const size_t kept = size < LOG_KEPT ? size : LOG_KEPT;
    weir_text log = {NULL, 0, 0};
    weir_text_add_n(&log, printed + size - kept, kept);
    for (size_t i = 0; i < log.size; i++)
        if (log.data[i] == '\0') log.data[i] = ' ';
    record->log = log.data == NULL ? weir_copy_string("") : log.data;
}

bool weir_cause_is_machine(const char *printed, size_t size) {
    static const char *const faults[] = {"No space left on device", "Disk quota exceeded", "Stale file handle",
                                         "Cannot allocate memory", "Read-only file system"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (contains(printed, size, faults[i])) return true;
    return false;
}

/* --- metrics --- */
static void set(weir_record *record, const char *name, const json_t *value) {
    if (json_is_number(value)) json_object_set_new(record->metrics, name, json_deep_copy(value));
}

static void add_synthesis(weir_record *record, const json_t *report) {
    static const char *const resources[] = {"luts", "flip_flops", "multipliers", "memory_blocks"};
    const json_t *utilization = json_object_get(report, "utilization");
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        set(record, resources[i], json_object_get(json_object_get(utilization, resources[i]), "used"));
    set(record, "fmax_mhz", json_object_get(report, "fmax_mhz"));
}

/* The slowest run counts: profiles of stalls differ. */
static void add_check(weir_record *record, const json_t *report) {
    const json_t *runs = json_object_get(report, "runs"), *accuracy = NULL;
    json_int_t latency = 0;
    double interval = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i),
                     *own = json_object_get(json_object_get(run, "metrics"), "accuracy");
        const json_int_t beats = json_integer_value(json_object_get(run, "latency"));
        const double cycles = json_number_value(json_object_get(run, "interval"));
        if (own != NULL) accuracy = own;
        if (beats > latency) latency = beats;
        if (cycles > interval) interval = cycles;
    }
    set(record, "accuracy", accuracy);
    if (latency > 0) json_object_set_new(record->metrics, "latency", json_integer(latency));
    if (interval > 0) json_object_set_new(record->metrics, "interval", json_real(interval));
    add_synthesis(record, json_object_get(report, "synthesis"));
}

void weir_cause_metrics(weir_record *record, weir_step_kind kind, const json_t *report) {
    const char *name;
    json_t *value;
    if (kind == WEIR_STEP_check) add_check(record, report);
    else if (kind == WEIR_STEP_synth) add_synthesis(record, report);
    if (kind != WEIR_STEP_run) return;
    json_object_foreach((json_t *)(uintptr_t)report, name, value) { set(record, name, value); }
}

/* --- groups --- */

/* The message without file and line in front, with {NAME} for the point's values and # for numbers. */
char *weir_cause_group(const weir_suite *suite, const weir_suite_point *point, const weir_record *record) {
    weir_text text = {NULL, 0, 0};
    const char *message = record->message, *error = strstr(message, "error: ");
    weir_text_format(&text, "%d\n%s\n%s\n", (int)record->state, record->step, record->node);
    for (const char *c = error == NULL ? message : error; *c != '\0';) {
        size_t length = 0;
        for (size_t i = 0; i < suite->names.count; i++) {
            const char *value = point->value[i];
            const size_t size = value == NULL ? 0 : strlen(value);
            const bool is_number = value != NULL && strspn(value, "0123456789.-") == size;
            if (size < 2 || is_number || size <= length || strncmp(c, value, size) != 0) continue;
            length = size;
        }
        if (length > 0) weir_text_char(&text, '{');
        else if (isdigit((unsigned char)*c)) weir_text_char(&text, '#');
        else weir_text_char(&text, *c);
        if (length == 0 && isdigit((unsigned char)*c)) length = strspn(c, "0123456789");
        c += length == 0 ? 1 : length;
    }
    return text.data;
}
