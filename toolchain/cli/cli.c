#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#if defined __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/places.h"
#include "commit.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/process/stack.h"
#include "support/text/color.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

static const weir_command commands[] = {
#define WEIR_COMMAND(name, operands, help) {#name, operands, help, weir_command_##name},
#include "cli/command.def"
#undef WEIR_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int weir_cli_misuse(const char *command, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    weir_error(WEIR_NOWHERE, "%s", text);
    weir_note("'weir %s%s--help' explains the usage", command, *command == '\0' ? "" : " ");
    return WEIR_EXIT_USAGE;
}

static int lacks_form(const char *command, const char *form) {
    return weir_cli_misuse(command, "unknown form '%s' of --help, expected man or words", form);
}

static const weir_command *find_command(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    }
    return NULL;
}

/* --- options --- */

static int unknown_option(const char *command, const weir_cli_option *options, const char *argument) {
    const char *names[64];
    size_t count = 0;
    char name[64];
    snprintf(name, sizeof name, "%s", argument + strspn(argument, "-"));
    name[strcspn(name, "=")] = '\0';
    for (const weir_cli_option *o = options; o->name != NULL && count < 64; o++) names[count++] = o->name;
    const char *near = weir_suggest(name, names, count);
    weir_error(WEIR_NOWHERE, "unknown option '%s'", argument);
    if (near != NULL) weir_note("did you mean '--%s'?", near);
    else weir_note("'weir %s --help' lists the options", command);
    return WEIR_EXIT_USAGE;
}

/* "-frames": a long option that lacks a dash, not -f with the value "rames". */
static bool lacks_dash(const weir_cli_option *options, const char *argument) {
    for (const weir_cli_option *o = options; o->name != NULL; o++) {
        if (strlen(o->name) > 1 && strncmp(argument + 1, o->name, strlen(o->name)) == 0 &&
            (argument[1 + strlen(o->name)] == '\0' || argument[1 + strlen(o->name)] == '='))
            return true;
    }
    return false;
}

static const weir_cli_option *find_option(const weir_cli_option *options, const char *argument, const char **value) {
    *value = NULL;
    if (argument[1] != '-' && lacks_dash(options, argument)) return NULL;
    for (const weir_cli_option *o = options; o->name != NULL; o++) {
        if (argument[0] == '-' && argument[1] != '-') {
            if (o->letter == 0 || argument[1] != o->letter) continue;
            if (argument[2] != '\0') *value = argument + 2;
            return o;
        }
        size_t size = strlen(o->name);
        if (strncmp(argument + 2, o->name, size) != 0) continue;
        if (argument[2 + size] == '\0') return o;
        if (argument[2 + size] == '=') {
            *value = argument + 3 + size;
            return o;
        }
    }
    return NULL;
}

static int store_number(const char *command, const weir_cli_option *o, const char *value) {
    const long long low = o->kind == WEIR_CLI_COUNT ? 1 : o->kind == WEIR_CLI_LIMIT ? -1 : 0;
    const long long high = o->kind == WEIR_CLI_COUNT ? INT32_MAX : UINT32_MAX;
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (*value == '\0' || isspace((unsigned char)*value) || *end != '\0' || errno != 0 || number < low || number > high)
        return weir_cli_misuse(command, "--%s takes a whole number from %lld to %lld, found '%s'", o->name, low, high,
                               value);
    *(int64_t *)o->into = number;
    return -1;
}

static int store(const char *command, const weir_cli_option *o, const char *value) {
    if (o->kind == WEIR_CLI_STRING && strcmp(value, "-") == 0)
        return weir_cli_misuse(command, "--%s: '-' does not mean stdout; './-' is a file of that name", o->name);
    if (o->kind == WEIR_CLI_STRING) {
        *(const char **)o->into = value;
    } else if (o->kind == WEIR_CLI_LIST) {
        weir_cli_list *list = o->into;
        list->item = weir_realloc(list->item, (list->count + 1) * sizeof *list->item);
        list->item[list->count++] = value;
    } else if (o->kind == WEIR_CLI_REAL) {
        char *end;
        double number = weir_parse_double(value, &end);
        if (end == value || *end != '\0' || !(number >= 0 && isfinite(number)))
            return weir_cli_misuse(command, "--%s takes a number of at least 0, found '%s'", o->name, value);
        *(double *)o->into = number;
    } else {
        return store_number(command, o, value);
    }
    return -1;
}

/* --color WHEN, which every command has. */
static bool is_color(const char *argument, const char *next, const char **value) {
    if (strncmp(argument, "--color", 7) != 0 || (argument[7] != '\0' && argument[7] != '=')) return false;
    *value = argument[7] == '=' ? argument + 8 : next != NULL ? next : "";
    return true;
}

static bool choose_color(const char *when) {
    const bool is_known = strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0;
    return is_known && setenv(WEIR_COLOR_VARIABLE, when, 1) == 0;
}

int weir_cli_parse(const char *command, const weir_cli_option *options, const char *text, int argc, char **argv,
                   size_t operands_min, size_t operands_max, size_t *count) {
    *count = 0;
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i], *value;
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            argv[++*count] = argv[i];
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        const char *form;
        if (weir_help_is_asked(argument, &form)) {
            const bool has_form = weir_help_of_command(find_command(command), options, text, form);
            return has_form ? WEIR_EXIT_FINE : lacks_form(command, form);
        }
        if (is_color(argument, i + 1 < argc ? argv[i + 1] : NULL, &value)) {
            if (!choose_color(value))
                return weir_cli_misuse(command, "--color takes auto, always or never, found '%s'", value);
            i += strchr(argument, '=') == NULL;
            continue;
        }
        const weir_cli_option *o = find_option(options, argument, &value);
        if (o == NULL) return unknown_option(command, options, argument);
        if (o->kind == WEIR_CLI_FLAG) {
            if (value != NULL) return weir_cli_misuse(command, "--%s takes no value", o->name);
            *(bool *)o->into = true;
            continue;
        }
        if (value == NULL && i + 1 < argc) value = argv[++i];
        if (value == NULL) return weir_cli_misuse(command, "--%s needs a value: %s", o->name, o->value);
        int status = store(command, o, value);
        if (status >= 0) return status;
    }
    if (*count >= operands_min && *count <= operands_max) return -1;
    return weir_cli_misuse(command, *count < operands_min ? "%s is missing" : "too many operands, expected %s",
                           find_command(command)->operands);
}

char *weir_cli_json(json_t *value) {
    char *text = weir_json_text(value, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(value);
    return text;
}

bool weir_cli_write_json(const char *path, json_t *value) {
    const bool fine = weir_json_write(path, value, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(value);
    return fine;
}

char *weir_cli_program(void) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return weir_format("%.*s", length > 0 ? (int)length : 4, length > 0 ? path : "weir");
}

void weir_cli_list_free(weir_cli_list *list) { free(list->item); }

char *weir_cli_list_join(const weir_cli_list *list) {
    if (list->count == 0) return NULL;
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; i < list->count; i++) weir_text_format(&text, "%s%s", i == 0 ? "" : "\n", list->item[i]);
    return text.data;
}

static int print_usage(FILE *file, int status) {
    weir_help_of_all(file, commands, COMMANDS, "");
    return status;
}

static int run(int argc, char **argv) {
    const char *form = "";
    if (argc < 2) return print_usage(stderr, WEIR_EXIT_USAGE);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        const char *commit = WEIR_COMMIT; /* "" where git does not know it */
        printf("weir %s%s%s%s\n", WEIR_VERSION, *commit == '\0' ? "" : " (", commit, *commit == '\0' ? "" : ")");
        return WEIR_EXIT_FINE;
    }
    if (weir_help_is_asked(argv[1], &form))
        return weir_help_of_all(stdout, commands, COMMANDS, form) ? WEIR_EXIT_FINE : lacks_form("", form);
    bool help = strcmp(argv[1], "help") == 0;
    const char *name = help ? (argc > 2 ? argv[2] : NULL) : argv[1];
    if (name == NULL) return print_usage(stdout, WEIR_EXIT_FINE);
    const weir_command *command = find_command(name);
    if (command == NULL) {
        const char *names[COMMANDS];
        for (size_t i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
        const char *near = weir_suggest(name, names, COMMANDS);
        weir_error(WEIR_NOWHERE, "unknown command '%s'", name);
        weir_note(near != NULL ? "did you mean '%s'?" : "'weir --help' lists the commands", near);
        return WEIR_EXIT_USAGE;
    }
    char *ask[] = {argv[0], (char[]){"--help"}, NULL};
    if (help) return command->run(2, ask);
    weir_scratch *own = weir_cli_places_prepare(name);
    const int status = command->run(argc - 1, argv + 1);
    weir_scratch_free(own);
    return status;
}

/* A closed stream's number would go to the next file that is opened, and what is printed into that. The wrong way
 * round, so that using it fails. */
static void occupy_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

typedef struct command {
    int argc, status;
    char **argv;
} command;

static void run_command(void *user) {
    command *c = user;
    c->status = weir_exit_status(run(c->argc, c->argv));
}

/* Memory comes from the system in larger pieces and is kept until the end: the C library's 128 KiB cost a command of
 * milliseconds hundreds of calls. Blocks of arenas, of a little over 1 MiB, are kept for the next arena, too. */
static void take_memory_by_the_megabyte(void) {
#if defined __GLIBC__
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
    mallopt(M_MMAP_THRESHOLD, 2 << 20);
#endif
}

int main(int argc, char **argv) {
    take_memory_by_the_megabyte();
    json_set_alloc_funcs(weir_malloc, free);
    occupy_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report */
    command c = {.argc = argc, .argv = argv};
    weir_stack_run(run_command, &c);
    return c.status;
}
