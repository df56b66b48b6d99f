/* The child tells its verdict through files, which outlive a crash: the log of executions, the last one's change, and
 * last of all the verdict. What passes print is thrown away. */
#include "cli/probe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/semantics.h"
#include "ir/graph/print.h"
#include "pass/run/guard.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

typedef struct child {
    const weir_probe *probe;
    int64_t limit;
    FILE *log;
    const weir_pass_instrument *bisect;
    char *before;            /* text of the last execution's unit; NULL: it is not that far */
    weir_outcome *restarted; /* the reference since a pass that promises other results; NULL: the probe's */
    bool approximate;        /* a pass since then promises approximate results */
    bool cut;                /* the last execution has been seen */
} child;

static char *file_of(const weir_probe *probe, const char *name) { return weir_path_join(probe->folder, name); }

static bool put(const weir_probe *probe, const char *name, const char *text) {
    char *path = file_of(probe, name);
    bool fine = weir_file_write(path, text, strlen(text));
    free(path);
    return fine;
}

/* --- in the child: watching --- */
static const weir_outcome *reference_of(const child *c) {
    return c->restarted != NULL ? c->restarted : c->probe->reference;
}

static bool before_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    child *c = instrument->user;
    if (!c->cut && !weir_pass_is_sequence(site->pass) && weir_pass_bisect_count(c->bisect) == c->limit) {
        weir_text text = {NULL, 0, 0};
        weir_pass_site_text(site, &text);
        c->before = text.data;
        c->cut = true;
    }
    return true;
}

static void tell_change(child *c, const weir_pass_site *site) {
    weir_text after = {NULL, 0, 0}, change = {NULL, 0, 0};
    weir_pass_site_text(site, &after);
    weir_text_format(&change, "*** %s on ", weir_pass_name(site->pass));
    weir_pass_site_name(site, &change);
    weir_text_char(&change, '\n');
    weir_pass_diff(c->before, after.data, 3, &change);
    put(c->probe, "change", change.data);
    weir_text_free(&change);
    weir_text_free(&after);
    free(c->before);
    c->before = NULL;
}

static bool after_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    child *c = instrument->user;
    const weir_pass_info *info = weir_pass_info_of(site->pass);
    if (info == NULL) return true;
    if (c->before != NULL) tell_change(c, site);
    if (c->probe->check == NULL && info->promise == WEIR_PASS_CHANGES) {
        const weir_graph *last = weir_module_graph(site->module, weir_module_graph_count(site->module) - 1);
        weir_outcome *anew = weir_outcome_fits(last, reference_of(c))
                                 ? weir_outcome_like(last, reference_of(c))
                                 : weir_outcome_random(last, c->probe->samples, c->probe->seed);
        weir_outcome_free(c->restarted);
        c->restarted = anew;
        c->approximate = false;
    }
    c->approximate |= info->promise == WEIR_PASS_APPROXIMATE;
    return true;
}

/* --- in the child: checking; NULL: good, else why not, heap --- */
static char *compare(const child *c, const weir_graph *graph) {
    const weir_outcome *before = reference_of(c);
    if (!weir_outcome_fits(graph, before)) return weir_format("graph '%s' has other inputs", weir_graph_name(graph));
    weir_outcome *after = weir_outcome_like(graph, before);
    double part = fmax(c->probe->tolerance, c->approximate ? WEIR_SEMANTICS_APPROXIMATE : 0);
    weir_outcome_difference difference = weir_outcome_compare(before, after, part);
    weir_text text = {NULL, 0, 0};
    weir_outcome_print(before, after, difference, &text);
    weir_outcome_free(after);
    return text.data;
}

/* The command with the file's name, quoted for the shell, in place of each {}. */
static char *command_of(const char *check, const char *path) {
    weir_text text = {NULL, 0, 0};
    for (const char *at = check, *next; *at != '\0'; at = next) {
        next = strstr(at, "{}");
        if (next == at) {
            weir_text_char(&text, '\'');
            for (const char *c = path; *c != '\0'; c++)
                weir_text_add_n(&text, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
            weir_text_char(&text, '\'');
            next = at + 2;
        } else {
            if (next == NULL) next = at + strlen(at);
            weir_text_add_n(&text, at, (size_t)(next - at));
        }
    }
    return text.data;
}

static char *ask_command(const weir_probe *probe, const weir_graph *graph) {
    char *path = file_of(probe, "cut.weir"), *command = command_of(probe->check, path), *why = NULL;
    const char *const arguments[] = {"sh", "-c", command, NULL};
    int status = 0;
    if (!weir_graph_save(graph, path)) {
        why = weir_format("the graph cannot be written");
    } else {
        weir_text output = {NULL, 0, 0};
        weir_process_end end = weir_process_run(&(weir_process){.arguments = arguments}, &output, &status);
        if (end != WEIR_PROCESS_EXITED || status != 0)
            why = weir_format("the check ends with %s %d%s%s", end == WEIR_PROCESS_EXITED ? "status" : "signal", status,
                              output.size > 0 ? "\n" : "", output.size > 0 ? output.data : "");
        weir_text_free(&output);
    }
    free(command);
    free(path);
    return why;
}

static char *run_passes(child *c, weir_pass_instrument *witness) {
    const weir_pipeline *p = c->probe->pipeline;
    weir_pass_instrument *bisect = weir_pass_bisect_new(c->log, c->limit), *verifier = weir_pass_verifier_new();
    weir_pass_instrument watch = {.name = "probe", .user = c, .before_pass = before_pass, .after_pass = after_pass};
    weir_pass_instrument *const all[] = {witness, bisect, verifier, &watch};
    c->bisect = bisect;
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_pass_context_override(p->context, all, sizeof all / sizeof *all) &&
                weir_pass_run(p->context, p->pass, c->probe->module);
    weir_diag_release(log);
    const char *error = weir_diag_log_error(log), *name = weir_pass_failed_name(p->context);
    char *why = fine ? NULL : weir_format("pass '%s' fails: %s", name == NULL ? "" : name, error);
    weir_diag_log_free(log);
    weir_pass_context_override(p->context, NULL, 0);
    weir_pass_instrument_free(verifier);
    weir_pass_instrument_free(bisect);
    return why;
}

static int body(weir_pass_instrument *witness, void *user) {
    child *c = user;
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) return WEIR_EXIT_INPUT;
    weir_module_set_folder(c->probe->module, c->probe->folder);
    char *why = run_passes(c, witness);
    if (why == NULL) {
        size_t last = weir_module_graph_count(c->probe->module) - 1;
        const weir_graph *graph = weir_module_graph(c->probe->module, last);
        why = c->probe->check != NULL ? ask_command(c->probe, graph) : compare(c, graph);
    }
    bool fine = fflush(c->log) == 0 && ferror(c->log) == 0 && put(c->probe, "verdict", why == NULL ? "" : why);
    free(why);
    free(c->before);
    weir_outcome_free(c->restarted);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

/* --- in the parent --- */
static char *take(const weir_probe *probe, const char *name) {
    char *path = file_of(probe, name);
    size_t size;
    char *text = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    remove(path);
    free(path);
    return text;
}

bool weir_probe_run(const weir_probe *probe, int64_t limit, weir_probe_result *result) {
    *result = (weir_probe_result){.good = false};
    child c = {.probe = probe, .limit = limit};
    char *path = file_of(probe, "log");
    c.log = fopen(path, "w");
    free(path);
    if (c.log == NULL) {
        weir_error(weir_at(probe->folder, 0), "cannot write here: %s", strerror(errno));
        return false;
    }
    setvbuf(c.log, NULL, _IOLBF, 0);
    weir_diag_log *log = weir_diag_capture();
    const int status = weir_pass_guard(body, &c);
    weir_diag_release(log);
    fclose(c.log);
    result->log = take(probe, "log");
    result->executed = take(probe, "change");
    result->why = take(probe, "verdict");
    if (result->why == NULL && *weir_diag_log_error(log) == '\0') {
        weir_error(weir_at(probe->folder, 0), "cannot write here: a run ended with status %d and no result", status);
        weir_diag_log_free(log);
        return false;
    }
    if (result->why == NULL) result->why = weir_copy_string(weir_diag_log_error(log));
    weir_diag_log_free(log);
    result->good = *result->why == '\0';
    return result->log != NULL;
}

void weir_probe_free(weir_probe_result *result) {
    free(result->why);
    free(result->log);
    free(result->executed);
}
