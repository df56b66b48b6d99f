#include "regress/command.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/process/process.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

enum {
    COMPILE = 1 << WEIR_STEP_compile,
    CHECK = 1 << WEIR_STEP_check,
    SYNTH = 1 << WEIR_STEP_synth,
    RTL = 1 << WEIR_STEP_rtl
};

static const struct {
    const char *name;
    int steps;
} parameters[] = {
#define WEIR_PARAMETER(name, kind, steps) {name, steps},
#include "regress/parameter.def"
#undef WEIR_PARAMETER
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static const struct {
    const char *name, *operand, *output, *report, *programs;
} steps[] = {
#define WEIR_STEP(name, operand, output, report, programs) {#name, operand, output, report, programs},
#include "regress/step.def"
#undef WEIR_STEP
    {"run", NULL, NULL, NULL, ""}};

struct weir_commands {
    const weir_suite *suite;
    char *program;
};

const char *weir_step_name(weir_step_kind kind) { return steps[kind].name; }

/* --- placeholders: {NAME} is a value, {work} the point's own folder, {weir} this program, {report} a file for numbers
 * --- */
static const char *const own_names[] = {"work", "weir", "report", "coverage", "result", NULL};

typedef struct places {
    const weir_commands *commands;
    const weir_suite_point *point;
    const char *work;
} places;

/* The length of "{name}" that begins here, 0: it is something else. */
static size_t placeholder(const char *text, char *name, size_t size) {
    if (*text != '{') return 0;
    const size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || length >= size || text[1 + length] != '}') return 0;
    memcpy(name, text + 1, length);
    name[length] = '\0';
    return length + 2;
}

static const char *value_of(const weir_suite *suite, const weir_suite_point *point, const char *name) {
    const int at = weir_suite_name(suite, name);
    return at < 0 ? NULL : point->value[at];
}

/* The word without quotes where the shell needs none. */
void weir_commands_quote(weir_text *text, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        weir_text_add(text, word);
        return;
    }
    weir_text_char(text, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') weir_text_add(text, "'\\''");
        else weir_text_char(text, *word);
    }
    weir_text_char(text, '\'');
}

/* Values are words of the shell's where `is_shell`, so that no value runs as a command. */
static char *fill(const places *p, const char *pattern, bool is_shell) {
    weir_text text = {NULL, 0, 0};
    char name[64];
    for (const char *c = pattern; *c != '\0';) {
        const size_t length = placeholder(c, name, sizeof name);
        if (length == 0) {
            weir_text_char(&text, *c++);
            continue;
        }
        char *made = strcmp(name, "work") == 0       ? weir_copy_string(p->work)
                     : strcmp(name, "report") == 0   ? weir_path_join(p->work, "report.json")
                     : strcmp(name, "coverage") == 0 ? weir_kept_source(WEIR_KEPT_COVERAGE, p->work)
                     : strcmp(name, "result") == 0   ? weir_kept_source(WEIR_KEPT_RESULT, p->work)
                     : strcmp(name, "weir") == 0     ? weir_copy_string(p->commands->program)
                                                     : NULL;
        const char *value = made != NULL ? made : value_of(p->commands->suite, p->point, name);
        if (is_shell) weir_commands_quote(&text, value == NULL ? "" : value);
        else weir_text_add(&text, value == NULL ? "" : value);
        free(made);
        c += length;
    }
    return text.data == NULL ? weir_copy_string("") : text.data;
}

/* --- checks --- */
static bool check_text(const weir_suite *suite, const weir_suite_step *step, const char *text) {
    char name[64];
    for (const char *c = text; *c != '\0'; c++) {
        if (placeholder(c, name, sizeof name) == 0 || weir_suite_name(suite, name) >= 0) continue;
        size_t at = 0;
        while (own_names[at] != NULL && strcmp(own_names[at], name) != 0) at++;
        if (own_names[at] != NULL) continue;
        weir_error(step->location, "no matrix has the name '%s' of the placeholder '{%s}'", name, name);
        const char *near = weir_suggest(name, suite->names.item, suite->names.count);
        if (near != NULL) weir_note("did you mean '{%s}'?", near);
        else
            weir_note(
                "{work} is the point's own folder, {weir} this program, {report} a JSON file of numbers to compare, "
                "{coverage} a file for Verilator's coverage, {result} one that the run keeps");
        return false;
    }
    return true;
}

static bool check_texts(const weir_suite *suite, const weir_suite_step *step, const weir_suite_texts *texts) {
    bool fine = true;
    for (size_t i = 0; i < texts->count; i++) fine = check_text(suite, step, texts->item[i]) && fine;
    return fine;
}

/* A name that neither a step of Weir's takes nor a command says makes points that are all alike: a slip of the pen. */
static bool is_used(const weir_suite *suite, const char *name) {
    char *place = weir_format("{%s}", name);
    bool used = false;
    for (size_t i = 0; i < suite->steps && !used; i++) {
        const weir_suite_step *step = &suite->step[i];
        for (size_t k = 0; k < PARAMETERS; k++)
            used = used || ((parameters[k].steps >> step->kind & 1) != 0 && strcmp(parameters[k].name, name) == 0);
        used = used || (step->command != NULL && strstr(step->command, place) != NULL);
        for (size_t k = 0; k < step->options.count; k++) used = used || strstr(step->options.item[k], place) != NULL;
        for (size_t k = 0; k < step->inputs.count; k++) used = used || strstr(step->inputs.item[k], place) != NULL;
    }
    free(place);
    return used;
}

static bool check_names(const weir_suite *suite) {
    bool fine = true;
    for (size_t i = 0; i < suite->names.count; i++) {
        const char *name = suite->names.item[i], *known[PARAMETERS];
        if (is_used(suite, name)) continue;
        for (size_t k = 0; k < PARAMETERS; k++) known[k] = parameters[k].name;
        weir_error(weir_at(suite->path, 0), "no step uses the name '%s'", name);
        const char *near = weir_suggest(name, known, PARAMETERS);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        else weir_note("'run' commands use it as {%s}", name);
        fine = false;
    }
    return fine;
}

static bool check_operand(const weir_suite *suite, const weir_suite_step *step) {
    const char *operand = steps[step->kind].operand;
    char name[64];
    if (operand == NULL || placeholder(operand, name, sizeof name) == 0 || strcmp(name, "work") == 0) return true;
    for (size_t i = 0; i < suite->points; i++) {
        if (value_of(suite, &suite->point[i], name) != NULL) continue;
        char *text = weir_suite_point_text(suite, &suite->point[i]);
        weir_error(step->location, "step '%s' has no '%s' in the point '%s'", steps[step->kind].name, name, text);
        weir_note("add '%s' to the matrix", name);
        free(text);
        return false;
    }
    return true;
}

weir_commands *weir_commands_new(const weir_suite *suite, const char *program) {
    bool fine = true;
    for (size_t i = 0; i < suite->steps; i++) {
        const weir_suite_step *step = &suite->step[i];
        fine = check_operand(suite, step) && fine;
        fine = (step->command == NULL || check_text(suite, step, step->command)) && fine;
        fine = check_texts(suite, step, &step->options) && check_texts(suite, step, &step->inputs) && fine;
    }
    if (!check_names(suite) || !fine) return NULL;
    weir_commands *c = weir_calloc(1, sizeof *c);
    c->suite = suite;
    c->program = weir_copy_string(program);
    return c;
}

void weir_commands_free(weir_commands *commands) {
    if (commands == NULL) return;
    free(commands->program);
    free(commands);
}

/* --- arguments --- */
static void add_filled(const places *p, const char *pattern, weir_arguments *arguments) {
    char *text = fill(p, pattern, false);
    weir_arguments_add(arguments, "%s", text);
    free(text);
}

bool weir_commands_leave(const weir_commands *c, weir_kept_kind kind) {
    const char *place = weir_kept_placeholder(kind);
    for (size_t i = 0; i < c->suite->steps; i++)
        if (c->suite->step[i].command != NULL && strstr(c->suite->step[i].command, place) != NULL) return true;
    return false;
}

char *weir_commands_report(const weir_commands *c, size_t step, const char *work) {
    const weir_step_kind kind = c->suite->step[step].kind;
    if (kind == WEIR_STEP_run) return weir_path_join(work, "report.json");
    return steps[kind].report == NULL ? NULL : weir_format("%s/%s.json", work, steps[kind].name);
}

static void add_parameters(const weir_commands *c, const weir_suite_point *point, weir_step_kind kind,
                           weir_arguments *arguments) {
    for (size_t i = 0; i < PARAMETERS; i++) {
        const char *value = value_of(c->suite, point, parameters[i].name);
        char operand[64];
        const bool is_operand =
            placeholder(steps[kind].operand, operand, sizeof operand) > 0 && strcmp(operand, parameters[i].name) == 0;
        if (value == NULL || is_operand || (parameters[i].steps >> kind & 1) == 0) continue;
        weir_arguments_add(arguments, "--%s", parameters[i].name);
        weir_arguments_add(arguments, "%s", value);
    }
}

void weir_commands_arguments(const weir_commands *c, const weir_suite_point *point, size_t at, const char *work,
                             weir_arguments *arguments) {
    const weir_suite_step *step = &c->suite->step[at];
    const places p = {c, point, work};
    if (step->kind == WEIR_STEP_run) {
        char *command = fill(&p, step->command, true);
        weir_arguments_add(arguments, "/bin/sh");
        weir_arguments_add(arguments, "-c");
        weir_arguments_add(arguments, "%s", command);
        free(command);
        return;
    }
    char *report = weir_commands_report(c, at, work);
    weir_arguments_add(arguments, "%s", c->program);
    weir_arguments_add(arguments, "%s", steps[step->kind].name);
    add_parameters(c, point, step->kind, arguments);
    for (size_t i = 0; i < step->options.count; i++) add_filled(&p, step->options.item[i], arguments);
    weir_arguments_add(arguments, "--output");
    add_filled(&p, steps[step->kind].output, arguments);
    if (report != NULL) {
        weir_arguments_add(arguments, "%s", steps[step->kind].report);
        weir_arguments_add(arguments, "%s", report);
    }
    weir_arguments_add(arguments, "--");
    add_filled(&p, steps[step->kind].operand, arguments);
    free(report);
}

char *weir_commands_repeat(const weir_commands *c, const weir_suite_point *point, size_t last) {
    weir_text text = {NULL, 0, 0};
    if (strcmp(c->suite->folder, ".") != 0) {
        weir_text_add(&text, "cd ");
        weir_commands_quote(&text, c->suite->folder);
        weir_text_add(&text, " && ");
    }
    weir_text_add(&text, "mkdir -p repeat");
    for (size_t i = 0; i <= last && i < c->suite->steps; i++) {
        weir_text_add(&text, " && ");
        weir_arguments arguments = {NULL, 0, 0};
        weir_commands_arguments(c, point, i, "repeat", &arguments);
        const bool is_own = c->suite->step[i].kind == WEIR_STEP_run;
        if (is_own && i == last && i == 0 && strchr(arguments.list[2], '\n') == NULL)
            weir_text_add(&text, arguments.list[2]);
        else if (is_own) weir_text_format(&text, "( %s )", arguments.list[2]);
        for (size_t k = 0; !is_own && k < arguments.count; k++) {
            if (k > 0) weir_text_char(&text, ' ');
            weir_commands_quote(&text, arguments.list[k]);
        }
        weir_arguments_free(&arguments);
    }
    return text.data;
}

/* --- keys --- */
typedef struct keying {
    const weir_commands *commands;
    const weir_suite_point *point;
    weir_fingerprints *fingerprints;
    weir_hash *key;
} keying;

static char *in_folder(const weir_suite *suite, const char *path) {
    return *path == '/' || strcmp(suite->folder, ".") == 0 ? weir_copy_string(path)
                                                           : weir_path_join(suite->folder, path);
}

/* Files beside a model that belong to it: FILE.data, FILE_data, STEM.npz, ... */
static void add_companions(const keying *k, const char *path) {
    const char *name = weir_path_name(path), *dot = strchr(name, '.');
    const int stem = dot == NULL ? (int)strlen(path) : (int)(dot - path);
    char *pattern = weir_format("%.*s[._]*", stem, path);
    glob_t found;
    if (strpbrk(path, "*?[\\") == NULL && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (strcmp(found.gl_pathv[i], path) != 0) weir_fingerprints_add(k->fingerprints, found.gl_pathv[i], k->key);
        globfree(&found);
    }
    free(pattern);
}

/* "INPUT=FILE.npz:KEY" names a file. */
static bool add_value(const keying *k, const char *name, const char *value) {
    const char *equals = strchr(value, '='), *given = equals == NULL ? value : equals + 1;
    char *array = NULL, *split = weir_array_split_path(given, &array);
    char *path = in_folder(k->commands->suite, split == NULL ? given : split);
    const bool fine = weir_fingerprints_add(k->fingerprints, path, k->key);
    if (fine && strcmp(name, "model") == 0) add_companions(k, path);
    if (!fine) {
        weir_error(weir_at(k->commands->suite->path, 0), "%s: there is no file '%s'", name, path);
        weir_note("paths count from the suite's folder, '%s'", k->commands->suite->folder);
    }
    free(path);
    free(split);
    free(array);
    return fine;
}

/* Values of the user's own names that are files count too. */
static void add_if_file(const keying *k, const char *word) {
    char *path = in_folder(k->commands->suite, word);
    struct stat state;
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode)) weir_fingerprints_add(k->fingerprints, path, k->key);
    free(path);
}

/* The first word of a command: a script that is called by its path. What else the command reads only the user knows. */
static void add_script(const keying *k, const char *command) {
    char *word = weir_format("%.*s", (int)strcspn(command, " \t\n;|&<>()'\"`$"), command);
    if (strchr(word, '/') != NULL) add_if_file(k, word);
    free(word);
}

static bool add_input(const keying *k, const weir_suite_step *step, const char *pattern) {
    const places p = {k->commands, k->point, "{work}"};
    char *name = fill(&p, pattern, false), *path = in_folder(k->commands->suite, name);
    glob_t found;
    const bool fine = glob(path, 0, NULL, &found) == 0;
    for (size_t i = 0; fine && i < found.gl_pathc; i++) {
        weir_hash_add_string(k->key, found.gl_pathv[i] + (strlen(path) - strlen(name)));
        weir_fingerprints_add(k->fingerprints, found.gl_pathv[i], k->key);
    }
    if (fine) globfree(&found);
    else weir_error(step->location, "inputs: no file fits '%s'", path);
    free(path);
    free(name);
    return fine;
}

static void add_programs(const keying *k, const char *programs) {
    char *copy = weir_copy_string(programs), *rest = NULL;
    for (char *name = strtok_r(copy, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        char *path = weir_process_find(name);
        weir_hash_add_string(k->key, name);
        if (path != NULL) weir_fingerprints_add(k->fingerprints, path, k->key);
        free(path);
    }
    free(copy);
}

static bool add_step(const keying *k, size_t at) {
    const weir_suite_step *step = &k->commands->suite->step[at];
    const bool is_own = step->kind == WEIR_STEP_run;
    weir_arguments arguments = {NULL, 0, 0};
    weir_commands_arguments(k->commands, k->point, at, "{work}", &arguments);
    bool fine = true;
    for (size_t i = is_own ? 0 : 1; i < arguments.count; i++) weir_hash_add_string(k->key, arguments.list[i]);
    if (is_own) add_script(k, arguments.list[2]);
    if (!is_own || strstr(step->command, "{weir}") != NULL)
        fine = weir_fingerprints_add_program(k->fingerprints, k->key);
    add_programs(k, steps[step->kind].programs);
    for (size_t i = 0; i < step->inputs.count; i++) fine = add_input(k, step, step->inputs.item[i]) && fine;
    weir_arguments_free(&arguments);
    return fine;
}

bool weir_commands_key(const weir_commands *commands, const weir_suite_point *point, weir_fingerprints *fingerprints,
                       weir_hash *key) {
    const keying k = {commands, point, fingerprints, key};
    const weir_suite *suite = commands->suite;
    *key = weir_hash_start();
    bool fine = true;
    for (size_t i = 0; i < suite->names.count; i++) {
        const char *value = point->value[i];
        if (value == NULL) continue;
        weir_hash_add_string(key, suite->names.item[i]);
        weir_hash_add_string(key, value);
        if (weir_suite_is_file(suite->names.item[i])) fine = add_value(&k, suite->names.item[i], value) && fine;
        else add_if_file(&k, value);
    }
    for (size_t i = 0; fine && i < suite->steps; i++) fine = add_step(&k, i);
    return fine;
}
