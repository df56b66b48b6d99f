#include "cli/help.h"

#include <assert.h>
#include <string.h>

#include "support/text/diag.h"

#define SUMMARY                                                                                                        \
    "Compiles trained, quantized neural networks into streaming accelerators in plain Verilog and proves by\n"         \
    "co-simulation that the hardware computes the same bits as the software reference.\n"

static const char *const statuses[] = {"fine",
                                       "bad input",
                                       "bad usage",
                                       "the hardware disagrees with the reference",
                                       "an external tool is missing or failed",
                                       "a board cannot be reached or answers wrongly"};
enum { STATUSES = sizeof statuses / sizeof *statuses };

bool weir_help_is_asked(const char *argument, const char **form) {
    *form = "";
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) return true;
    if (strncmp(argument, "--help=", 7) != 0) return false;
    *form = argument + 7;
    return true;
}

/* What every command has, after its own. */
static const weir_cli_option commons[] = {
    {"color", 0, WEIR_CLI_STRING, NULL, "WHEN", "auto, always or never (auto: on terminals, unless NO_COLOR is set)"},
    {"help", 'h', WEIR_CLI_FLAG, NULL, NULL, "this text"},
    {.name = NULL}};

/* --- text --- */

static void print_options(const weir_cli_option *options, int width) {
    for (const weir_cli_option *o = options; o->name != NULL; o++) {
        const int rest = width - (int)strlen(o->name);
        printf(o->letter != 0 ? "  -%c, " : "      ", o->letter);
        printf("--%s %-*s  %s\n", o->name, rest, o->value == NULL ? "" : o->value, o->help);
    }
}

static void print_text(const weir_command *command, const weir_cli_option *options, const char *text) {
    printf("usage: weir %s [options]%s%s\n%s\n\noptions:\n", command->name, command->operands[0] == '\0' ? "" : " ",
           command->operands, command->help);
    int width = (int)strlen("colorWHEN");
    for (const weir_cli_option *o = options; o->name != NULL; o++) {
        const int wide = (int)(strlen(o->name) + (o->value == NULL ? 0 : strlen(o->value)));
        if (wide > width) width = wide;
    }
    print_options(options, width);
    print_options(commons, width);
    if (text != NULL) printf("\n%s", text);
}

static void print_all(FILE *file, const weir_command *commands, size_t count) {
    fprintf(file, "usage: weir COMMAND [options] ...\n" SUMMARY "\ncommands:\n");
    for (size_t i = 0; i < count; i++) fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(file, "\n'weir COMMAND --help' explains a command; 'weir --version' or '-V' prints the version.\n"
                  "exit status: ");
    for (int i = 0; i < STATUSES; i++) fprintf(file, "%s%d %s\n", i == 0 ? "" : "             ", i, statuses[i]);
}

/* --- a man page --- */

/* roff takes a backslash, a hyphen, and a point or an apostrophe at the start of a line as its own. */
static void put_roff(FILE *file, const char *text) {
    bool at_start = true;
    for (; *text != '\0'; text++) {
        if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", file);
        if (*text == '\\') fputs("\\e", file);
        else if (*text == '-') fputs("\\-", file);
        else fputc(*text, file);
        at_start = *text == '\n';
    }
}

/* Lines that begin with a blank are examples and tables: as they stand. */
static void put_paragraphs(FILE *file, const char *text) {
    bool filled = true;
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        char line[512];
        assert(size < sizeof line);
        memcpy(line, text, size);
        line[size] = '\0';
        const bool fills = line[0] != ' ';
        if (size == 0) fputs(filled ? ".PP\n" : "", file);
        else {
            if (fills != filled) fputs(fills ? ".fi\n.PP\n" : ".nf\n", file);
            filled = fills;
            put_roff(file, line);
        }
        if (!filled || size > 0) fputc('\n', file);
        text += size + (text[size] == '\n');
    }
    if (!filled) fputs(".fi\n", file);
}

static void put_head(FILE *file, const char *title, const char *name, const char *help) {
    fprintf(file, ".TH %s 1 \"\" \"weir " WEIR_VERSION "\" \"Weir\"\n.ad l\n.SH NAME\n", title);
    put_roff(file, name);
    fputs(" \\- ", file);
    put_roff(file, help);
    fputs("\n.SH SYNOPSIS\n.B weir ", file);
}

static void put_statuses(FILE *file) {
    fputs(".SH EXIT STATUS\n", file);
    for (int i = 0; i < STATUSES; i++) fprintf(file, ".TP\n.B %d\n%s\n", i, statuses[i]);
}

static void put_option(FILE *file, const weir_cli_option *o) {
    fputs(".TP\n", file);
    if (o->letter != 0) fprintf(file, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", file);
    put_roff(file, o->name);
    fputs("\\fR", file);
    if (o->value != NULL) {
        fputs(" \\fI", file);
        put_roff(file, o->value);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put_roff(file, o->help);
    fputc('\n', file);
}

static void print_man(const weir_command *command, const weir_cli_option *options, const char *text) {
    FILE *file = stdout;
    char name[64];
    snprintf(name, sizeof name, "weir-%s", command->name);
    put_head(file, name, name, command->help);
    fprintf(file, "%s\n[\\fIoptions\\fR] \\fI", command->name);
    put_roff(file, command->operands);
    fputs("\\fR\n", file);
    if (text != NULL) {
        fputs(".SH DESCRIPTION\n", file);
        put_paragraphs(file, text);
    }
    fputs(".SH OPTIONS\n", file);
    for (const weir_cli_option *o = options; o->name != NULL; o++) put_option(file, o);
    for (const weir_cli_option *o = commons; o->name != NULL; o++) put_option(file, o);
    put_statuses(file);
    fputs(".SH SEE ALSO\n.BR weir (1)\n", file);
}

static void print_man_of_all(FILE *file, const weir_command *commands, size_t count) {
    put_head(file, "weir", "weir", "neural networks as FPGA accelerators in Verilog, proved by simulation");
    fputs("\\fICOMMAND\\fR [\\fIoptions\\fR] ...\n.SH DESCRIPTION\n", file);
    put_paragraphs(file, SUMMARY);
    fputs(".SH COMMANDS\n", file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, ".TP\n.BR weir\\-%s (1)\n", commands[i].name);
        put_roff(file, commands[i].help);
        fputc('\n', file);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprint the version\n", file);
    put_statuses(file);
}

/* --- words: name, letter, value and help, with tabs between --- */

static void print_words(const weir_cli_option *options) {
    for (const weir_cli_option *o = options; o->name != NULL; o++) {
        const char letter = o->letter == 0 ? '-' : o->letter; /* "--": none */
        printf("--%s\t-%c\t%s\t%s\n", o->name, letter, o->value == NULL ? "-" : o->value, o->help);
    }
}

/* --- */

bool weir_help_of_command(const weir_command *command, const weir_cli_option *options, const char *text,
                          const char *form) {
    if (strcmp(form, "man") == 0) print_man(command, options, text);
    else if (strcmp(form, "words") == 0) {
        print_words(options);
        print_words(commons);
    } else if (form[0] == '\0') print_text(command, options, text);
    else return false;
    return true;
}

bool weir_help_of_all(FILE *file, const weir_command *commands, size_t count, const char *form) {
    if (strcmp(form, "man") == 0) print_man_of_all(file, commands, count);
    else if (strcmp(form, "words") == 0)
        for (size_t i = 0; i < count; i++) fprintf(file, "%s\t%s\n", commands[i].name, commands[i].help);
    else if (form[0] == '\0') print_all(file, commands, count);
    else return false;
    return true;
}
