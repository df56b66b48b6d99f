/* The command line: one file a subcommand, one table of options a subcommand, from which parsing and help both come. */
#ifndef WEIR_CLI_H
#define WEIR_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum weir_cli_kind {
    WEIR_CLI_FLAG,
    WEIR_CLI_STRING,
    WEIR_CLI_INT,   /* from 0 on */
    WEIR_CLI_COUNT, /* from 1 on */
    WEIR_CLI_LIMIT, /* the same, or -1: none */
    WEIR_CLI_REAL,  /* not negative */
    WEIR_CLI_LIST
} weir_cli_kind;

/* Row of an option table for files of frames. */
#define WEIR_DATA_OPTION(list, what)                                                                                   \
    {                                                                                                                  \
        "data", 'd', WEIR_CLI_LIST, &(list), "[INPUT=]FILE",                                                           \
            what ": .npy, .npz[:key] or .csv[.gz]; once for each input, or an .npz with their names"                   \
    }

/* Strings given several times. */
typedef struct weir_cli_list {
    const char **item;
    size_t count;
} weir_cli_list;

/* --name VALUE or --name=VALUE; `letter` makes -l VALUE or -lVALUE, 0: none. Whole numbers have 32 bits, counts 31.
 * `into` points to bool, const char *, int64_t, double or weir_cli_list. A NULL name ends the table. */
typedef struct weir_cli_option {
    const char *name;
    char letter;
    weir_cli_kind kind;
    void *into;
    const char *value; /* name of the value in the help */
    const char *help;
} weir_cli_option;

typedef struct weir_command {
    const char *name;
    const char *operands; /* "MODEL", for the help */
    const char *help;     /* one line */
    int (*run)(int argc, char **argv);
} weir_command;

#define WEIR_COMMAND(name, operands, help) int weir_command_##name(int argc, char **argv);
#include "cli/command.def"
#undef WEIR_COMMAND

/* Reads options; operands are left in argv[1..*count]. Returns -1 to continue, or the exit status: after --help, or a
 * reported misuse (unknown options come with the nearest known one). `text` follows the options in the help. */
int weir_cli_parse(const char *command, const weir_cli_option *options, const char *text, int argc, char **argv,
                   size_t operands_min, size_t operands_max, size_t *count);
void weir_cli_list_free(weir_cli_list *list);
/* The items with a line end between them, as weir_frames_read takes files. Heap memory; NULL without any. */
char *weir_cli_list_join(const weir_cli_list *list);
/* Reports misuse with a pointer to the help; returns the exit status. */
int weir_cli_misuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The path of this program, to run it as a child. Heap memory. */
char *weir_cli_program(void);
/* The value as indented text with a line end; takes the value over. Heap memory. */
char *weir_cli_json(json_t *value);
/* The same into a file; false after a reported error. */
bool weir_cli_write_json(const char *path, json_t *value);

#endif
