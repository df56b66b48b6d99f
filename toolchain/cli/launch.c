#include "cli/launch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "regress/kept.h"
#include "regress/suite_read.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

int weir_launch_check(const char *command, const weir_launch *launch) {
    if (launch->on != NULL || (launch->scheduler == NULL && launch->each == 0)) return -1;
    return weir_cli_misuse(command, "--scheduler and --each need --on");
}

weir_runner_end weir_launch_session(const weir_launch *launch, size_t jobs, weir_session *session) {
    weir_launcher launcher;
    weir_arena *arena = weir_arena_new();
    weir_runner_end end = WEIR_RUNNER_STOPPED;
    char *program = weir_cli_program();
    if (weir_launcher_read(arena, launch->on, &launcher)) {
        const weir_remote remote = {.launcher = &launcher,
                                    .options = launch->scheduler == NULL ? "" : launch->scheduler,
                                    .each = (size_t)launch->each,
                                    .jobs = jobs,
                                    .program = program};
        end = weir_remote_run(&remote, session);
    }
    free(program);
    weir_arena_free(arena);
    return end;
}

void weir_launch_word(weir_text *command, const char *word) {
    if (command->size > 0) weir_text_char(command, ' ');
    weir_commands_quote(command, word);
}

/* --- suites that a command makes --- */

char *weir_launch_folder(const char *output, const char *what) {
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/') length--;
    return weir_format("%.*s.%s", (int)length, output, what);
}

/* The first point that is not right, and how many are not. */
static int report_bad(const weir_session *session, const weir_tally *tally) {
    size_t first = 0, bad = 0, lost = 0;
    for (size_t i = session->suite->points; i-- > 0;) {
        if (tally->record[i].state == WEIR_POINT_RIGHT) continue;
        first = i;
        bad++;
        lost += tally->record[i].state == WEIR_POINT_LOST || tally->record[i].state == WEIR_POINT_OPEN;
    }
    if (bad == 0) return WEIR_EXIT_FINE;
    const weir_record *record = &tally->record[first];
    char *name = weir_suite_point_text(session->suite, &session->suite->point[first]);
    const char *message = record->message == NULL ? "" : record->message;
    weir_error(WEIR_NOWHERE, "%s is %s: %s", name, weir_point_state_name(record->state), message);
    weir_note("%zu of %zu points are not right; the same command runs them again", bad, session->suite->points);
    free(name);
    return lost > 0 ? WEIR_EXIT_TOOL : WEIR_EXIT_INPUT;
}

static bool take_all(const weir_session *session, weir_launch_taker *take, void *user) {
    bool fine = true;
    for (size_t i = 0; fine && i < session->suite->points; i++) {
        char *path = weir_kept_path(WEIR_KEPT_RESULT, session->folder, &session->key[i]);
        json_error_t error;
        json_t *result = json_load_file(path, 0, &error);
        if (result == NULL) weir_error(weir_at(path, error.line), "cannot be read: %s", error.text);
        fine = result != NULL && take(user, i, result);
        json_decref(result);
        free(path);
    }
    return fine;
}

static int run(const weir_launch *launch, weir_session *session, weir_launch_taker *take, void *user) {
    const weir_runner_end end = weir_launch_session(launch, 1, session);
    int status = WEIR_EXIT_INPUT;
    if (end == WEIR_RUNNER_INTERRUPTED)
        weir_note("interrupted: %zu of %zu points are done; the same command continues", session->ended,
                  session->count);
    if (end != WEIR_RUNNER_DONE) return status;
    weir_tally tally = weir_session_tally(session);
    status = report_bad(session, &tally);
    if (status == WEIR_EXIT_FINE && !take_all(session, take, user)) status = WEIR_EXIT_INPUT;
    weir_tally_free(&tally);
    return status;
}

int weir_launch_suite(const weir_launch *launch, const char *folder, json_t *suite, weir_launch_taker *take,
                      void *user) {
    const weir_suite_choice all = {{NULL, 0}, {NULL, 0}};
    const weir_launch one = {launch->on, launch->scheduler, launch->each == 0 ? 1 : launch->each};
    char *path = weir_path_join(folder, "suite.yaml"), *program = weir_cli_program();
    const bool fine = weir_make_folder(folder) && weir_json_write(path, suite, JSON_PRESERVE_ORDER); /* YAML too */
    weir_suite *read = fine ? weir_suite_read(path, ".", &all) : NULL;
    weir_commands *commands = read == NULL ? NULL : weir_commands_new(read, program);
    int status = WEIR_EXIT_INPUT;
    if (commands != NULL) {
        weir_session session;
        const sigset_t mask = weir_process_hold();
        if (weir_session_open(&session, read, commands, folder, WEIR_AGAIN_FAILED))
            status = run(&one, &session, take, user);
        weir_session_close(&session);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    }
    weir_commands_free(commands);
    weir_suite_free(read);
    json_decref(suite);
    free(program);
    free(path);
    return status;
}
