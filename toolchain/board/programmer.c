#include "board/programmer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "board/attached.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/tool.h"
#include "support/text/diag.h"

typedef struct row {
    const char *name, *version, *list, *choice, *remedy;
} row;

static const row rows[] = {
#define WEIR_PROGRAMMER(name, version, list, choice, remedy) {name, version, list, choice, remedy},
#include "board/programmer.def"
#undef WEIR_PROGRAMMER
};

typedef struct message {
    const char *message, *text, *remedy;
} message;

static const message messages[] = {
#define WEIR_PROGRAMMER_MESSAGE(message, text, remedy) {message, text, remedy},
#include "board/programmer.def"
#undef WEIR_PROGRAMMER_MESSAGE
};

static row row_of(const weir_board *board) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, board->programmer.program) == 0) return rows[i];
    return (row){.name = board->programmer.program,
                 .remedy = "install it: the board's file names it as its programmer"};
}

/* --- is it there --- */

static void say_missing(const char *program, const char *remedy, weir_trouble *trouble) {
    weir_trouble_set(trouble, WEIR_EXIT_TOOL, weir_format("program '%s' is missing", program),
                     weir_copy_string(remedy));
}

static char *first_line(const char *text) {
    text += strspn(text, " \r\n");
    return weir_format("%.*s", (int)strcspn(text, "\r\n"), text);
}

char *weir_programmer_ask(const char *program, const char *option, const char *remedy, weir_trouble *trouble) {
    const char *const arguments[] = {program, option, NULL};
    const weir_process process = {.arguments = arguments, .seconds = WEIR_PROGRAMMER_ANSWER};
    weir_text text = {NULL, 0, 0};
    int status;
    const weir_process_end end = weir_process_run(&process, &text, &status);
    char *answer = text.data == NULL ? weir_copy_string("") : text.data;
    if (end == WEIR_PROCESS_EXITED && status == 0) return answer;
    if (end == WEIR_PROCESS_MISSING) {
        say_missing(program, remedy, trouble);
    } else {
        char *line = first_line(answer);
        weir_trouble_set(trouble, WEIR_EXIT_TOOL,
                         end == WEIR_PROCESS_TIMEOUT ? weir_format("'%s %s' does not end within %d seconds", program,
                                                                   option, WEIR_PROGRAMMER_ANSWER)
                         : end == WEIR_PROCESS_SIGNAL
                             ? weir_format("'%s %s' was killed by signal %d", program, option, status)
                             : weir_format("'%s %s' failed with exit status %d: %s", program, option, status, line),
                         weir_format("install it again: %s", remedy));
        free(line);
    }
    free(answer);
    return NULL;
}

/* The name that this board has there: the argument behind `choice`. */
static const char *choice_of(const weir_board *board, const char *choice) {
    const weir_schema_strings *const lists[] = {&board->programmer.sram, &board->programmer.flash};
    for (size_t i = 0; choice != NULL && i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k + 1 < lists[i]->count; k++)
            if (strcmp(lists[i]->item[k], choice) == 0) return lists[i]->item[k + 1];
    return NULL;
}

/* Does a line begin with the word? */
static bool lists_word(const char *text, const char *word) {
    const size_t size = strlen(word);
    while (text != NULL) {
        text += strspn(text, " \t");
        if (strncmp(text, word, size) == 0 && strchr(" \t\r\n", text[size]) != NULL) return true; /* or at its end */
        text = strchr(text, '\n');
        if (text != NULL) text++;
    }
    return false;
}

bool weir_programmer_check(const weir_board *board, char **version, weir_trouble *trouble) {
    const row r = row_of(board);
    const char *name = choice_of(board, r.choice);
    *version = NULL;
    if (!weir_process_found(r.name)) {
        say_missing(r.name, r.remedy, trouble);
        return false;
    }
    char *said = r.version == NULL ? NULL : weir_programmer_ask(r.name, r.version, r.remedy, trouble);
    if (r.version != NULL && said == NULL) return false;
    if (said != NULL) *version = first_line(said);
    free(said);
    if (name == NULL) return true;
    assert(r.list != NULL && *version != NULL);
    char *list = weir_programmer_ask(r.name, r.list, r.remedy, trouble);
    if (list == NULL) return false;
    const bool is_known = lists_word(list, name);
    free(list);
    if (!is_known)
        weir_trouble_set(trouble, WEIR_EXIT_TOOL,
                         weir_format("'%s' is too old: %s does not know the board '%s'", r.name, *version, name),
                         weir_format("install a newer %s ('%s %s' must show '%s')", r.name, r.name, r.list, name));
    return is_known;
}

/* --- programming --- */

static char *join(char *const *command) {
    weir_text text = {NULL, 0, 0};
    for (size_t i = 0; command[i] != NULL; i++) weir_text_format(&text, "%s%s", i == 0 ? "" : " ", command[i]);
    return text.data;
}

static const message *message_in(const char *output) {
    for (size_t i = 0; output != NULL && i < sizeof messages / sizeof *messages; i++)
        if (strstr(output, messages[i].message) != NULL) return &messages[i];
    return NULL;
}

/* The pin by which an iCE40 says that it runs: as iceprog saw it last. */
static bool is_unconfigured(const char *output) {
    static const char word[] = "cdone: ";
    const char *last = NULL;
    for (const char *at = output; at != NULL && (at = strstr(at, word)) != NULL; at++) last = at;
    return last != NULL && strncmp(last + strlen(word), "low", 3) == 0;
}

static void say_failed(const weir_programmer_job *job, const weir_usb *usb, char *const *command, weir_process_end end,
                       int status, const char *output, weir_trouble *trouble) {
    const message *known = message_in(output);
    if (end == WEIR_PROCESS_TIMEOUT) {
        weir_trouble_set(trouble, WEIR_EXIT_TOOL, weir_tool_late(command[0], job->seconds),
                         weir_copy_string("unplug the board and plug it in again"));
    } else if (known != NULL) {
        weir_trouble_set(trouble, WEIR_EXIT_BOARD, weir_format("'%s': %s", command[0], known->text),
                         known->remedy != NULL ? weir_copy_string(known->remedy)
                         : usb != NULL
                             ? weir_ports_rule(usb)
                             : weir_copy_string("run it as root once: if that works, a udev rule is missing"));
    } else {
        char *line = join(command);
        weir_trouble_set(trouble, WEIR_EXIT_TOOL,
                         end == WEIR_PROCESS_SIGNAL
                             ? weir_format("'%s' was killed by signal %d", command[0], status)
                             : weir_format("'%s' failed with exit status %d", command[0], status),
                         weir_format("run it manually: %s", line));
        free(line);
    }
}

static bool run(const weir_programmer_job *job, const weir_ports *ports, const weir_usb *usb, weir_trouble *trouble) {
    size_t same = 0; /* devices that the programmer would take for this one */
    for (size_t i = 0; usb != NULL && i < ports->usb_count; i++) same += strcmp(ports->usb[i].id, usb->id) == 0;
    char **command = weir_board_program_command(job->board, job->memory, job->file, same > 1 ? usb->serial : NULL);
    const weir_process process = {
        .arguments = (const char *const *)command, .seconds = job->seconds, .progress = "programming the board"};
    weir_text output = {NULL, 0, 0};
    int status;
    const weir_process_end end = weir_process_run(&process, &output, &status);
    const bool ran = end == WEIR_PROCESS_EXITED && status == 0, fine = ran && !is_unconfigured(output.data);
    if (!ran) say_failed(job, usb, command, end, status, output.data, trouble);
    else if (!fine)
        weir_trouble_set(
            trouble, WEIR_EXIT_BOARD,
            weir_format("'%s' wrote the bitstream, but the FPGA does not start (cdone is low)", command[0]),
            weir_copy_string(weir_board_has(job->board, WEIR_BOARD_QUIRK_sram_jumper)
                                 ? weir_board_quirk_remedy(WEIR_BOARD_QUIRK_sram_jumper)
                                 : "unplug the board and plug it in again; then build for the FPGA that is on it"));
    if (!fine) trouble->output = output.data;
    else weir_text_free(&output);
    free(command);
    return fine;
}

/* Who talks to the board now would read what its neighbour's programming puts on the wire, or keep the port from coming
 * back. */
static bool is_free(const weir_port *port, weir_trouble *trouble) {
    char *holder = weir_ports_holder(port->path);
    if (holder == NULL) return true;
    weir_trouble_set(trouble, WEIR_EXIT_BOARD, weir_format("%s is open in %s", port->path, holder),
                     weir_format("close %s", holder));
    free(holder);
    return false;
}

/* Before the programmer runs; `which` is what stays true afterwards. */
static bool prepare(const weir_programmer_job *job, const weir_ports *ports, bool needs_port, const weir_usb **usb,
                    const char **which, weir_trouble *trouble) {
    const weir_port *port = NULL;
    char *version;
    const bool is_there = weir_programmer_check(job->board, &version, trouble);
    free(version);
    if (!is_there || !weir_attached_device(ports, job->board, job->which, usb, trouble)) return false;
    if (*usb != NULL && !weir_ports_may_program(*usb, trouble)) return false;
    *which = job->which;
    if (job->board->uart.adapter == WEIR_BOARD_ON_BOARD && *usb != NULL) *which = weir_attached_lasting(ports, *usb);
    if (!needs_port) return true;
    if (weir_attached_port(ports, job->board, job->which, &port, trouble)) return is_free(port, trouble);
    if (job->board->uart.adapter == WEIR_BOARD_EXTERNAL) return false;
    weir_trouble_free(trouble); /* the port may come with the design, or come back */
    return true;
}

bool weir_programmer_run(const weir_programmer_job *job, char **port, weir_trouble *trouble) {
    assert(job->file != NULL && job->seconds > 0 && job->wait > 0);
    if (port != NULL) *port = NULL;
    if (!weir_board_can_program(job->board, job->memory)) {
        const bool is_flash = job->memory == WEIR_BOARD_FLASH;
        weir_trouble_set(
            trouble, WEIR_EXIT_USAGE,
            weir_format("the %s of board '%s' cannot be programmed", is_flash ? "flash" : "SRAM", job->board->name),
            weir_copy_string(is_flash ? "leave out --flash"
                                      : "--flash programs its flash, from which the FPGA starts"));
        return false;
    }
    weir_ports *ports = weir_ports_read();
    const weir_usb *usb = NULL;
    const char *which = NULL;
    bool fine = prepare(job, ports, port != NULL, &usb, &which, trouble) && run(job, ports, usb, trouble);
    if (fine && port != NULL) {
        *port = weir_attached_wait(job->board, which, job->wait, trouble);
        fine = *port != NULL;
    }
    weir_ports_free(ports);
    return fine;
}
