/* git decides which commit is next, in a clone that shares the repository's objects, so that nothing is left there.
 * A commit is bad when its first point that is not right has the state and step of the bad end's; one that fails
 * otherwise (it does not build, the suite is not there yet) is skipped. Results are kept by content between commits. */
#include "regress/history.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/tool.h"
#include "support/text/diag.h"
#include "support/text/text.h"

typedef struct search {
    const weir_history *history;
    char *tree, *results, *report, *suite; /* in the scratch folder; the suite in the tree */
    char *good, *bad;
    char *state, *step; /* of the first point that is not right at the bad end */
} search;

typedef enum verdict { GOOD, BAD, SKIP } verdict;

/* --- git --- */

/* Its exit status; what it prints without the last line end. */
static int git(const char *folder, char **output, const char *const *words) {
    weir_arguments arguments = {NULL, 0, 0};
    weir_text text = {NULL, 0, 0};
    int status = 127;
    weir_arguments_add(&arguments, "git");
    weir_arguments_add(&arguments, "-C");
    weir_arguments_add(&arguments, "%s", folder);
    for (; *words != NULL; words++) weir_arguments_add(&arguments, "%s", *words);
    const char *environment[] = {"LC_ALL=C", NULL};
    const weir_process process = {.arguments = (const char *const *)arguments.list, .environment = environment};
    if (weir_process_run(&process, &text, &status) != WEIR_PROCESS_EXITED) status = 127;
    *output = text.data == NULL ? weir_copy_string("") : text.data;
    const size_t size = strlen(*output);
    if (size > 0 && (*output)[size - 1] == '\n') (*output)[size - 1] = '\0';
    weir_arguments_free(&arguments);
    return status;
}
#define GIT(folder, output, ...) git(folder, output, (const char *const[]){__VA_ARGS__, NULL})

static bool git_failed(const char *what, const char *output) {
    weir_error(WEIR_NOWHERE, "git cannot %s: %s", what, output);
    return false;
}

/* --- one commit --- */
static bool build(const search *s) {
    if (s->history->build == NULL) return true;
    const char *arguments[] = {"/bin/sh", "-c", s->history->build, NULL};
    int status = 127;
    return weir_process_run(&(weir_process){.arguments = arguments, .folder = s->tree}, NULL, &status) ==
               WEIR_PROCESS_EXITED &&
           status == 0;
}

static json_t *run_suite(const search *s) {
    weir_arguments arguments = {NULL, 0, 0};
    weir_arguments_add(&arguments, "%s", s->history->program);
    weir_arguments_add(&arguments, "regress");
    for (size_t i = 0; i < s->history->only.count; i++) {
        weir_arguments_add(&arguments, "--only");
        weir_arguments_add(&arguments, "%s", s->history->only.item[i]);
    }
    const char *const options[] = {"--output", s->results, "--json", s->report, "--", s->suite};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) weir_arguments_add(&arguments, "%s", options[i]);
    remove(s->report);
    weir_process_run(&(weir_process){.arguments = (const char *const *)arguments.list}, NULL, NULL);
    weir_arguments_free(&arguments);
    return json_load_file(s->report, 0, NULL);
}

/* The first point that is not right; NULL: all are. */
static const json_t *first_bad(const json_t *report) {
    const json_t *points = json_object_get(report, "points");
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        const char *state = json_string_value(json_object_get(point, "state"));
        if (state == NULL || strcmp(state, "right") != 0 || json_array_size(json_object_get(point, "worse")) > 0)
            return point;
    }
    return NULL;
}

static const char *word(const json_t *point, const char *name) {
    const char *text = json_string_value(json_object_get(point, name));
    return text == NULL ? "" : text;
}

/* Prints the commit with its verdict. At the bad end (no state yet) what is not right is what is looked for. */
static verdict try_commit(search *s) {
    char *subject;
    GIT(s->tree, &subject, "log", "-1", "--format=%h %s");
    json_t *report = build(s) ? run_suite(s) : NULL;
    const json_t *point = first_bad(report);
    const char *why = report == NULL ? "it does not build, or its suite cannot be read" : word(point, "message");
    verdict v = report == NULL ? SKIP : point == NULL ? GOOD : BAD;
    if (v == BAD && strcmp(word(point, "state"), "lost") == 0) v = SKIP;
    if (v == BAD && s->state == NULL) {
        s->state = weir_copy_string(word(point, "state"));
        s->step = weir_copy_string(word(point, "step"));
    } else if (v == BAD && (strcmp(word(point, "state"), s->state) != 0 || strcmp(word(point, "step"), s->step) != 0)) {
        v = SKIP;
    }
    printf("%s: %s%s%s\n",
           v == GOOD  ? "right"
           : v == BAD ? s->state
                      : "skipped",
           subject, *why == '\0' ? "" : ": ", why);
    fflush(stdout);
    json_decref(report);
    free(subject);
    return v;
}

/* --- the search --- */
static bool check_out(const search *s, const char *commit) {
    char *output;
    const bool fine = GIT(s->tree, &output, "checkout", "--quiet", "--force", "--detach", commit) == 0;
    if (!fine) git_failed("check out the commit", output);
    free(output);
    return fine;
}

static bool check_ends(search *s) {
    if (!check_out(s, s->bad)) return false;
    const verdict bad = try_commit(s);
    if (bad != BAD) {
        weir_error(WEIR_NOWHERE, "'%s' is %s: expected a commit at which a point is not right", s->bad,
                   bad == GOOD ? "right" : "skipped");
        return false;
    }
    if (!check_out(s, s->good)) return false;
    if (try_commit(s) == GOOD) return true;
    weir_error(WEIR_NOWHERE, "'%s' is not right: expected a commit before the point broke", s->good);
    return false;
}

/* Exit status. */
static int follow_git(search *s) {
    char *output;
    if (GIT(s->tree, &output, "bisect", "start", s->bad, s->good) != 0) {
        git_failed("start the search", output);
        free(output);
        return WEIR_EXIT_INPUT;
    }
    static const char *const words[] = {[GOOD] = "good", [BAD] = "bad", [SKIP] = "skip"};
    int status = 0;
    while (status == 0 && strstr(output, "is the first bad commit") == NULL && !weir_process_interrupted()) {
        free(output);
        const verdict v = try_commit(s);
        status = GIT(s->tree, &output, "bisect", words[v]);
    }
    const bool is_found = strstr(output, "is the first bad commit") != NULL;
    const bool is_among = strstr(output, "The first bad commit could be any of") != NULL;
    if (is_found || is_among) printf("\n%s\n", output);
    else git_failed("continue the search", output);
    free(output);
    return is_found || is_among ? WEIR_EXIT_MISMATCH : WEIR_EXIT_INPUT;
}

static int search_in(search *s, const char *top, const char *folder) {
    char *output;
    s->tree = weir_path_join(folder, "tree");
    s->results = weir_path_join(folder, "results");
    s->report = weir_path_join(folder, "report.json");
    int status = WEIR_EXIT_INPUT;
    const bool is_there = GIT(top, &output, "clone", "--quiet", "--shared", "--no-checkout", ".", s->tree) == 0;
    if (!is_there) git_failed("share the repository", output);
    free(output);
    char *relative = s->suite;
    s->suite = weir_path_join(s->tree, relative);
    free(relative);
    if (is_there && check_ends(s)) status = follow_git(s);
    return status;
}

/* The suite's path from the top of its repository; false after a reported error. */
static bool find_repository(search *s, char **top) {
    char *folder = weir_path_folder(s->history->suite), *prefix = NULL;
    const bool fine = GIT(folder, top, "rev-parse", "--show-toplevel") == 0;
    if (!fine) weir_error(weir_at(s->history->suite, 0), "is not in a git repository: %s", *top);
    else GIT(folder, &prefix, "rev-parse", "--show-prefix");
    s->suite = weir_format("%s%s", prefix == NULL ? "" : prefix, weir_path_name(s->history->suite));
    free(prefix);
    free(folder);
    return fine;
}

/* Names of the user's repository, which the clone need not have. */
static bool resolve(const char *top, const char *name, char **commit) {
    char *full = weir_format("%s^{commit}", name);
    const bool fine = GIT(top, commit, "rev-parse", "--verify", "--quiet", full) == 0;
    if (!fine) weir_error(WEIR_NOWHERE, "'%s' names no commit of '%s'", name, top);
    free(full);
    return fine;
}

int weir_history_search(const weir_history *history) {
    search s = {.history = history};
    const char *dots = strstr(history->range, "..");
    char *top = NULL;
    char *good = dots == NULL ? weir_copy_string(history->range)
                              : weir_format("%.*s", (int)(dots - history->range), history->range);
    char *bad = weir_copy_string(dots == NULL || dots[2] == '\0' ? "HEAD" : dots + 2);
    weir_scratch *scratch = NULL;
    int status = WEIR_EXIT_INPUT;
    if (find_repository(&s, &top) && resolve(top, good, &s.good) && resolve(top, bad, &s.bad))
        scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "bisect-");
    if (scratch != NULL) status = search_in(&s, top, weir_scratch_path(scratch));
    weir_scratch_free(scratch);
    char *const texts[] = {s.tree, s.results, s.report, s.suite, s.good, s.bad, s.state, s.step, top, good, bad};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    return status;
}
