#include "regress/suite_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/expand.h"
#include "regress/suite_private.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/text.h"
#include "support/text/yaml.h"

enum { RETRIES = 1, MOST_RETRIES = 100, MOST_MEGABYTES = 1 << 30 };

static const char *const step_names[] = {
#define WEIR_STEP(name, operand, output, report, programs) #name,
#include "regress/step.def"
#undef WEIR_STEP
    "run", NULL};

/* --- readers of keys; false after a reported error --- */
static bool is_text(const weir_yaml *yaml, const char *what) {
    if (yaml->kind == WEIR_YAML_SCALAR && *yaml->text != '\0') return true;
    weir_error(yaml->location, "expected %s, found %s", what,
               yaml->kind == WEIR_YAML_SCALAR     ? "nothing"
               : yaml->kind == WEIR_YAML_SEQUENCE ? "a sequence"
                                                  : "a mapping");
    return false;
}

static bool unknown_key(const weir_yaml *yaml, size_t at, const char *what, const char *const *keys) {
    weir_error(yaml->key_location[at], "%s: unknown key '%s'", what, yaml->key[at]);
    weir_suggest_note(yaml->key[at], keys);
    return false;
}

static bool read_texts(weir_suite *suite, const weir_yaml *yaml, const char *what, weir_suite_texts *texts) {
    if (yaml->kind == WEIR_YAML_MAPPING) return is_text(yaml, what);
    for (size_t i = 0; i < (yaml->kind == WEIR_YAML_SCALAR ? 1 : yaml->count); i++) {
        const weir_yaml *item = yaml->kind == WEIR_YAML_SCALAR ? yaml : yaml->item[i];
        if (!is_text(item, what)) return false;
        weir_suite_texts_add(suite, texts, weir_arena_copy_string(suite->arena, item->text));
    }
    return true;
}

static int step_of(const char *name) {
    for (int i = 0; step_names[i] != NULL; i++)
        if (strcmp(step_names[i], name) == 0) return i;
    return -1;
}

static bool read_step_key(weir_suite *suite, const weir_yaml *yaml, size_t at, weir_suite_step *step, bool *has_kind) {
    static const char *const keys[] = {"compile", "check", "synth", "rtl", "run", "inputs", NULL};
    const weir_yaml *value = yaml->item[at];
    if (strcmp(yaml->key[at], "inputs") == 0) {
        step->has_inputs = true;
        return read_texts(suite, value, "files, folders or globs", &step->inputs);
    }
    const int kind = step_of(yaml->key[at]);
    if (kind < 0) return unknown_key(yaml, at, "step", keys);
    if (*has_kind) {
        weir_error(yaml->key_location[at], "a step is one of compile, check, synth, rtl and run, found two");
        weir_note("begin another item of 'steps' with '- '");
        return false;
    }
    *has_kind = true;
    step->kind = (weir_step_kind)kind;
    if (step->kind != WEIR_STEP_run) return read_texts(suite, value, "further options of the command", &step->options);
    if (!is_text(value, "a command for the shell")) return false;
    step->command = weir_arena_copy_string(suite->arena, value->text);
    return true;
}

static bool read_step(weir_suite *suite, const weir_yaml *yaml, weir_suite_step *step) {
    step->location = yaml->location;
    step->location.file = suite->path;
    if (yaml->kind == WEIR_YAML_SCALAR) {
        const int kind = step_of(yaml->text);
        step->kind = (weir_step_kind)kind;
        if (kind >= 0 && step->kind != WEIR_STEP_run) return true;
        weir_error(yaml->location, "unknown step '%.60s'", yaml->text);
        weir_note("a step is compile, check, synth, rtl, or a command of your own: {run: \"make {model}\"}");
        return false;
    }
    if (yaml->kind == WEIR_YAML_SEQUENCE) return is_text(yaml, "a step");
    bool has_kind = false, fine = true;
    for (size_t i = 0; i < yaml->count; i++) fine = read_step_key(suite, yaml, i, step, &has_kind) && fine;
    if (fine && !has_kind) {
        weir_error(yaml->location, "the step has neither a command nor the name of one");
        weir_note("a step is compile, check, synth, rtl, or a command of your own: {run: \"make {model}\"}");
    }
    if (fine && has_kind && step->kind == WEIR_STEP_run && !step->has_inputs) {
        weir_warning(step->location,
                     "the command has no 'inputs': results are kept even if the files that it reads change");
        weir_note("name them, inputs: [\"tb/*.v\", run.sh], or say that there are none: inputs: []");
    }
    return fine && has_kind;
}

/* A netlist is made of what another step compiled. */
static bool check_order(const weir_suite *suite) {
    bool has_design = false;
    for (size_t i = 0; i < suite->steps; i++) {
        const weir_suite_step *step = &suite->step[i];
        if (step->kind == WEIR_STEP_synth && !has_design) {
            weir_error(step->location, "synth has no compiled folder to synthesize");
            weir_note("put compile or check before it");
            return false;
        }
        has_design = has_design || step->kind == WEIR_STEP_compile || step->kind == WEIR_STEP_check;
    }
    return true;
}

static bool read_steps(weir_suite *suite, const weir_yaml *yaml) {
    const bool is_list = yaml->kind == WEIR_YAML_SEQUENCE;
    suite->steps = is_list ? yaml->count : 1;
    suite->step = weir_arena_array(suite->arena, suite->steps, sizeof *suite->step);
    bool fine = true;
    for (size_t i = 0; i < suite->steps; i++)
        fine = read_step(suite, is_list ? yaml->item[i] : yaml, &suite->step[i]) && fine;
    return fine && check_order(suite);
}

static bool read_limits(weir_suite *suite, const weir_yaml *yaml) {
    static const char *const keys[] = {"seconds", "memory", NULL};
    if (yaml->kind != WEIR_YAML_MAPPING) {
        weir_error(yaml->location, "limits: expected 'seconds' and 'memory' (in MB)");
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < yaml->count; i++) {
        if (strcmp(yaml->key[i], "seconds") == 0) {
            fine = weir_yaml_double(yaml->item[i], &suite->seconds) && fine;
            if (fine && !(suite->seconds > 0)) {
                weir_error(yaml->item[i]->location, "expected more than 0 seconds");
                fine = false;
            }
        } else if (strcmp(yaml->key[i], "memory") == 0) {
            fine = weir_yaml_int(yaml->item[i], 1, MOST_MEGABYTES, &suite->megabytes) && fine;
        } else {
            fine = unknown_key(yaml, i, "limits", keys);
        }
    }
    return fine;
}

/* "+2%", "-0.5", "+0": sign, number, percent or not. */
static bool read_tolerance(const weir_yaml *yaml, weir_suite_tolerance *tolerance) {
    if (yaml->kind == WEIR_YAML_SCALAR && (*yaml->text == '+' || *yaml->text == '-') &&
        (isdigit((unsigned char)yaml->text[1]) || yaml->text[1] == '.')) {
        char *end;
        tolerance->is_upwards = *yaml->text == '+';
        tolerance->amount = weir_parse_double(yaml->text + 1, &end);
        tolerance->is_relative = *end == '%';
        if (end[tolerance->is_relative ? 1 : 0] == '\0' && isfinite(tolerance->amount)) return true;
    }
    weir_error(yaml->location, "expected a tolerance as +2%% or -0.5%s%.60s%s",
               yaml->kind == WEIR_YAML_SCALAR ? ", found '" : "", yaml->kind == WEIR_YAML_SCALAR ? yaml->text : "",
               yaml->kind == WEIR_YAML_SCALAR ? "'" : "");
    weir_note("the sign says in which direction the number gets worse: LUTs '+', accuracy '-'");
    return false;
}

static const weir_suite_tolerance defaults[] = {
    {"accuracy", false, false, 0}, {"fmax_mhz", false, false, 0},   {"interval", true, false, 0},
    {"latency", true, false, 0},   {"luts", true, false, 0},        {"flip_flops", true, false, 0},
    {"cycles", true, false, 0},    {"multipliers", true, false, 0}, {"memory_blocks", true, false, 0},
};
enum { DEFAULTS = sizeof defaults / sizeof *defaults };

static bool read_tolerances(weir_suite *suite, const weir_yaml *yaml) {
    if (yaml->kind != WEIR_YAML_MAPPING) {
        weir_error(yaml->location, "tolerances: expected a mapping of metrics, as {luts: +2%%, accuracy: -0.5}");
        return false;
    }
    bool fine = true;
    weir_suite_tolerance *all = weir_arena_array(suite->arena, DEFAULTS + yaml->count, sizeof *all);
    memcpy(all, defaults, sizeof defaults);
    size_t count = DEFAULTS;
    for (size_t i = 0; i < yaml->count; i++) {
        size_t at = 0;
        while (at < count && strcmp(all[at].metric, yaml->key[i]) != 0) at++;
        if (at == count) all[count++].metric = weir_arena_copy_string(suite->arena, yaml->key[i]);
        fine = read_tolerance(yaml->item[i], &all[at]) && fine;
    }
    suite->tolerance = all;
    suite->tolerances = count;
    return fine;
}

static const char *const suite_keys[] = {"name",   "matrix",  "include",  "exclude",    "steps",
                                         "limits", "retries", "baseline", "tolerances", NULL};

static bool read_key(weir_suite *suite, const weir_yaml *root, size_t at) {
    const char *key = root->key[at];
    const weir_yaml *value = root->item[at];
    if (strcmp(key, "matrix") == 0 || strcmp(key, "include") == 0 || strcmp(key, "exclude") == 0) return true;
    if (strcmp(key, "steps") == 0) return read_steps(suite, value);
    if (strcmp(key, "limits") == 0) return read_limits(suite, value);
    if (strcmp(key, "retries") == 0) return weir_yaml_int(value, 0, MOST_RETRIES, &suite->retries);
    if (strcmp(key, "tolerances") == 0) return read_tolerances(suite, value);
    if (strcmp(key, "name") == 0) {
        if (!is_text(value, "a name")) return false;
        suite->name = weir_arena_copy_string(suite->arena, value->text);
        return true;
    }
    if (strcmp(key, "baseline") == 0) {
        if (!is_text(value, "a file")) return false;
        suite->baseline = weir_arena_copy_string(suite->arena, value->text);
        suite->baseline_location = weir_at(suite->path, value->location.line);
        return true;
    }
    return unknown_key(root, at, "suite", suite_keys);
}

static bool read_root(weir_suite *suite, const weir_yaml *root) {
    if (root->kind != WEIR_YAML_MAPPING) {
        weir_error(root->location, "expected a mapping with 'matrix' and 'steps'");
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < root->count; i++) fine = read_key(suite, root, i) && fine;
    if (weir_yaml_find(root, "steps") == NULL) {
        weir_error(weir_at(suite->path, 0), "'steps' is missing: what each point does");
        weir_note("'steps: [check]' checks every point; {run: \"make {model}\"} is a command of your own");
        return false;
    }
    return fine;
}

static char *stem_of(const char *path) {
    char *stem = weir_copy_string(weir_path_name(path)), *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) *dot = '\0';
    return stem;
}

static weir_suite *start(const char *path, const char *folder) {
    weir_arena *arena = weir_arena_new();
    weir_suite *suite = weir_arena_alloc(arena, sizeof *suite);
    char *own = weir_path_folder(path), *stem = stem_of(path);
    *suite = (weir_suite){.arena = arena, .retries = RETRIES, .tolerances = DEFAULTS};
    suite->tolerance = weir_arena_array(arena, DEFAULTS, sizeof *suite->tolerance);
    memcpy(suite->tolerance, defaults, sizeof defaults);
    suite->path = weir_arena_copy_string(arena, path);
    suite->folder = weir_arena_copy_string(arena, folder == NULL ? own : folder);
    suite->name = weir_arena_copy_string(arena, stem);
    free(own);
    free(stem);
    return suite;
}

static weir_suite *read_suite(const char *path, const char *folder, bool with_points, const weir_suite_choice *choice) {
    weir_yaml *root = weir_yaml_read(path);
    if (root == NULL) return NULL;
    weir_suite *suite = start(path, folder);
    const bool fine = read_root(suite, root) && (!with_points || weir_suite_expand(suite, root, choice));
    weir_yaml_free(root);
    if (fine) return suite;
    weir_suite_free(suite);
    return NULL;
}

weir_suite *weir_suite_read(const char *path, const char *folder, const weir_suite_choice *choice) {
    return read_suite(path, folder, true, choice);
}

weir_suite *weir_suite_read_steps(const char *path, const char *folder) {
    return read_suite(path, folder, false, NULL);
}
