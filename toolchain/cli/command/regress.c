#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/page.h"
#include "regress/runner.h"
#include "regress/session.h"
#include "regress/suite_read.h"
#include "regress/task.h"
#include "report/report.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static const char help_text[] =
    "SUITE.yaml lists what varies (matrix), what is left out or added (exclude, include) and what each point does\n"
    "(steps): compile, check, synth, rtl, or a command of your own with {name} for a value. A point whose program,\n"
    "arguments and files are those of an earlier run keeps its result; an interrupted run continues. Failures are\n"
    "grouped by their first cause. Exit status 3: a point is wrong; 1: one failed or got worse than the baseline;\n"
    "4: points were lost to the machine.\n";

typedef struct request {
    const char *suite, *folder, *again, *junit, *json, *csv, *html, *save, *against;
    weir_cli_list define, only;
    weir_launch launch;
    const char *task;
    int64_t jobs;
    bool list, all;
} request;

static bool write_text(const char *path, weir_text *text) {
    const bool fine = path == NULL || weir_file_write(path, text->data, text->size);
    weir_text_free(text);
    return fine;
}

static bool write_reports(const request *r, const weir_tally *results) {
    weir_text csv = {NULL, 0, 0}, junit = {NULL, 0, 0}, html = {NULL, 0, 0};
    json_t *json = r->json != NULL || r->html != NULL ? weir_tally_json(results) : NULL;
    if (r->csv != NULL) weir_tally_csv(results, &csv);
    if (r->junit != NULL) weir_tally_junit(results, &junit);
    bool fine = write_text(r->csv, &csv);
    fine = write_text(r->junit, &junit) && fine;
    if (r->html != NULL) weir_report_suite(json, &html);
    fine = write_text(r->html, &html) && fine;
    if (r->json != NULL) fine = weir_cli_write_json(r->json, json_incref(json)) && fine;
    json_decref(json);
    if (r->save != NULL) fine = weir_tally_save_baseline(results, r->save) && fine;
    return fine;
}

/* Paths in the suite count from its folder, those of the command line from here. */
static bool compare(const request *r, weir_tally *results) {
    const weir_suite *suite = results->suite;
    if (r->against != NULL) return weir_tally_compare(results, r->against, WEIR_NOWHERE);
    if (suite->baseline == NULL || r->save != NULL) return true;
    char *path =
        *suite->baseline == '/' ? weir_copy_string(suite->baseline) : weir_path_join(suite->folder, suite->baseline);
    const bool fine = weir_tally_compare(results, path, suite->baseline_location);
    free(path);
    return fine;
}

static int report(const request *r, const weir_session *session, weir_runner_end end) {
    weir_tally results = weir_session_tally(session);
    int status = WEIR_EXIT_INPUT;
    bool fine = end == WEIR_RUNNER_DONE && compare(r, &results);
    if (fine && weir_commands_leave(session->commands, WEIR_KEPT_COVERAGE))
        fine = weir_coverage_merge(session->folder, session->key, session->suite->points, &results.coverage);
    if (fine) {
        weir_text text = {NULL, 0, 0};
        weir_tally_print(&results, r->all, &text);
        fputs(text.data, stdout);
        weir_text_free(&text);
        if (write_reports(r, &results)) status = weir_tally_status(&results);
    }
    weir_tally_free(&results);
    return status;
}

static bool ended(void *user, size_t point, weir_record *record) { return weir_session_take(user, point, record); }

static weir_runner_end run_here(const request *r, weir_session *session, const sigset_t *mask) {
    const weir_runner runner = {.suite = session->suite,
                                .commands = session->commands,
                                .point = session->suite->point,
                                .key = session->key,
                                .todo = session->todo,
                                .count = session->count,
                                .folder = session->folder,
                                .jobs = (size_t)r->jobs,
                                .ended = ended,
                                .user = session};
    return weir_runner_run(&runner, mask);
}

static int run(const request *r, const weir_suite *suite, const weir_commands *commands, const sigset_t *mask) {
    char *folder = r->folder == NULL ? weir_format("%s.regress", suite->name) : weir_copy_string(r->folder);
    const weir_again again = r->again == NULL                  ? WEIR_AGAIN_NOTHING
                             : strcmp(r->again, "failed") == 0 ? WEIR_AGAIN_FAILED
                                                               : WEIR_AGAIN_ALL;
    weir_session session;
    int status = WEIR_EXIT_INPUT;
    if (weir_session_open(&session, suite, commands, folder, again)) {
        const weir_runner_end end = r->launch.on == NULL
                                        ? run_here(r, &session, mask)
                                        : weir_launch_session(&r->launch, r->jobs == 0 ? 1 : (size_t)r->jobs, &session);
        status = report(r, &session, end);
        if (end == WEIR_RUNNER_INTERRUPTED)
            weir_note("interrupted: %zu of %zu points are done; the same command continues", session.ended,
                      session.count);
    }
    weir_session_close(&session);
    free(folder);
    return status;
}

static int list(const weir_suite *suite) {
    for (size_t i = 0; i < suite->points; i++) {
        char *name = weir_suite_point_text(suite, &suite->point[i]);
        printf("%s\n", name);
        free(name);
    }
    return WEIR_EXIT_FINE;
}

static int start(const request *r) {
    const weir_suite_choice choice = {{r->define.item, r->define.count}, {r->only.item, r->only.count}};
    weir_suite *suite = weir_suite_read(r->suite, NULL, &choice);
    char *program = weir_cli_program();
    weir_commands *commands = suite == NULL ? NULL : weir_commands_new(suite, program);
    int status = WEIR_EXIT_INPUT;
    if (commands != NULL && r->list) {
        status = list(suite);
    } else if (commands != NULL) {
        /* A signal waits until the children have ended and the results are in their file, and then ends this process
         * too. */
        const sigset_t mask = weir_process_hold();
        status = run(r, suite, commands, &mask);
        fflush(stdout);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    }
    weir_commands_free(commands);
    weir_suite_free(suite);
    free(program);
    return status;
}

static int run_task(const request *r) {
    char *end, *program = weir_cli_program();
    const unsigned long number = strtoul(r->task, &end, 10);
    const bool is_number = *r->task >= '0' && *r->task <= '9' && *end == '\0';
    const int status = is_number ? weir_task_run(r->suite, number, program)
                                 : weir_cli_misuse("regress", "--task takes a number, found '%s'", r->task);
    free(program);
    return status;
}

int weir_command_regress(int argc, char **argv) {
    request r = {.folder = NULL};
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &r.folder, "DIR", "folder of results (SUITE.regress)"},
        {"define", 'D', WEIR_CLI_LIST, &r.define, "NAME=VALUE,...", "replaces values of the matrix, or adds a name"},
        {"only", 0, WEIR_CLI_LIST, &r.only, "NAME=PATTERN,...",
         "only points that match all of these; repeated: or these"},
        {"jobs", 0, WEIR_CLI_COUNT, &r.jobs, "N", "points at a time (make's jobserver, else the processors)"},
        WEIR_LAUNCH_OPTIONS(r.launch, "about a minute's worth"),
        {"task", 0, WEIR_CLI_STRING, &r.task, "N", "run task N of the run in the folder SUITE, as --on does"},
        {"again", 0, WEIR_CLI_STRING, &r.again, "WHICH", "run again: failed or all"},
        {"list", 0, WEIR_CLI_FLAG, &r.list, NULL, "print the points and run none"},
        {"all", 0, WEIR_CLI_FLAG, &r.all, NULL, "a row for each point, however many"},
        {"junit", 0, WEIR_CLI_STRING, &r.junit, "FILE", "write the results as JUnit XML"},
        {"json", 'j', WEIR_CLI_STRING, &r.json, "FILE", "write them as JSON"},
        {"csv", 0, WEIR_CLI_STRING, &r.csv, "FILE", "write them as CSV"},
        WEIR_HTML_OPTION(r.html),
        {"save-baseline", 0, WEIR_CLI_STRING, &r.save, "FILE",
         "write the numbers of the right points to compare with later"},
        {"against", 0, WEIR_CLI_STRING, &r.against, "FILE", "compare with a saved baseline (the suite's 'baseline')"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("regress", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && r.again != NULL && strcmp(r.again, "failed") != 0 && strcmp(r.again, "all") != 0)
        status = weir_cli_misuse("regress", "--again takes 'failed' or 'all', found '%s'", r.again);
    if (status < 0) status = weir_launch_check("regress", &r.launch);
    r.suite = argv[1];
    if (status < 0) status = r.task == NULL ? start(&r) : run_task(&r);
    weir_cli_list_free(&r.define);
    weir_cli_list_free(&r.only);
    return status;
}
