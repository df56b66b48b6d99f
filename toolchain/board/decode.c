/* icebox_vlog writes a port's name twice, in the module's head with a direction and below as a wire or register; the
 * head becomes a list of names here, and directions of their own, which Verilog takes beside the others. */
#include "board/decode.h"

#include <stdlib.h>
#include <string.h>

#include "board/decode_multipliers.h"
#include "board/pins.h"
#include "board/simulated.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/tool.h"
#include "support/text/diag.h"

#define UNPACK "iceunpack"
#define DECODE "icebox_vlog"
#define ASC "decoded.asc"

static char *reason_against(const weir_board *board) {
    if (board->device->family != WEIR_DEVICE_ICE40)
        return weir_format("no free program makes Verilog of a bitstream of %s",
                           weir_device_family_name((weir_device_family)board->device->family));
    /* It looks for a bit that this device's PLL has not, where the PLL is an SB_PLL40_CORE. */
    if (strcmp(board->device->name, "ice40up5k") == 0 && !board->clock.pad)
        return weir_format("'" DECODE "' cannot read the PLL of an UP5K but at its own pad");
    static const char *const programs[] = {UNPACK, DECODE};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!weir_process_found(programs[i])) return weir_format("'%s' is missing", programs[i]);
    }
    return NULL;
}

/* Pins by the names of the ports; icebox_vlog knows no options. */
static bool write_pins(const weir_board *board, const char *path) {
    weir_board_ports ports = weir_board_ports_of(board, 1);
    weir_text text = {0};
    for (size_t i = 0; i < ports.count; i++)
        weir_text_format(&text, "set_io %s %s\n", ports.item[i].name, ports.item[i].pin);
    const bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    free(ports.item);
    return fine;
}

/* "module weir_board (input clk, output tx);" as "module weir_board (clk, tx);" and "input clk;" and so on. NULL: there
 * is no such head. */
static char *with_plain_head(const char *text) {
    static const char head[] = "module " WEIR_SIMULATED_TOP " (";
    const char *start = strstr(text, head), *end = start == NULL ? NULL : strstr(start, ");\n");
    if (end == NULL) return NULL;
    weir_text names = {0}, directions = {0};
    for (const char *port = start + sizeof head - 1; port < end;) {
        const char *comma = strstr(port, ", ");
        const size_t size = comma == NULL || comma > end ? (size_t)(end - port) : (size_t)(comma - port);
        const size_t word = strcspn(port, " ");
        if (word >= size) break;
        weir_text_format(&names, "%s%.*s", names.size == 0 ? "" : ", ", (int)(size - word - 1), port + word + 1);
        weir_text_format(&directions, "%.*s;\n", (int)size, port);
        port += size + 2;
    }
    char *plain = weir_format("%s%s);\n%s%s", head, names.data == NULL ? "" : names.data,
                              directions.data == NULL ? "" : directions.data, end + 3);
    weir_text_free(&names);
    weir_text_free(&directions);
    return plain;
}

/* icebox_vlog finds no port at the pad of an SB_PLL40_PAD, which is where the clock comes in then; takes the text
 * over. */
static char *with_clock(char *text) {
    static const char lost[] = "unmatched port 'clk'", port[] = ".PACKAGEPIN(";
    char *pad = strstr(text, lost) == NULL ? NULL : strstr(text, port);
    if (pad == NULL) return text;
    pad += sizeof port - 1;
    char *led = weir_format("%.*sclk%s", (int)(pad - text), text, pad + strcspn(pad, ")"));
    free(text);
    return led;
}

/* With the multipliers, if there are any; takes the text over. NULL after *why_not was set. */
static char *with_multipliers(char *text, const char *asc, bool has_any, char **why_not) {
    weir_text whole = {0};
    if (!has_any) return text;
    const char *reason = weir_decode_multipliers(text, asc, &whole);
    free(text);
    if (reason == NULL) return whole.data;
    *why_not = weir_copy_string(reason);
    weir_text_free(&whole);
    return NULL;
}

/* Comments, and the names of wires in them, are for multipliers. */
static bool tell(const weir_board *board, const char *folder, bool has_multipliers, double seconds, weir_text *text) {
    const char *const words[] = {DECODE,
                                 "-l",
                                 "-n",
                                 WEIR_SIMULATED_TOP,
                                 "-d",
                                 board->package,
                                 "-p",
                                 "decoded.pcf",
                                 has_multipliers ? NULL : "-s",
                                 ASC};
    weir_arguments arguments = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i] != NULL) weir_arguments_add(&arguments, "%s", words[i]);
    }
    const bool fine = weir_tool_run(&arguments, folder, seconds, text);
    weir_arguments_free(&arguments);
    return fine;
}

static bool unpack(const char *folder, double seconds) {
    weir_arguments arguments = {0};
    static const char *const words[] = {UNPACK, "packed.bin", ASC};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) weir_arguments_add(&arguments, "%s", words[i]);
    const bool fine = weir_tool_run(&arguments, folder, seconds, NULL);
    weir_arguments_free(&arguments);
    return fine;
}

static int write(char *text, const char *asc, bool has_multipliers, const char *verilog, char **why_not) {
    char *plain = text == NULL ? NULL : with_plain_head(text);
    free(text);
    if (plain == NULL) {
        weir_error(WEIR_NOWHERE, "'" DECODE "' wrote no module '" WEIR_SIMULATED_TOP "'");
        return WEIR_EXIT_TOOL;
    }
    char *whole = with_multipliers(with_clock(plain), asc, has_multipliers, why_not);
    const bool fine = whole == NULL || weir_file_write(verilog, whole, strlen(whole));
    free(whole);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int decode(const weir_board *board, bool has_multipliers, const char *bitstream, const char *folder,
                  const char *verilog, double seconds, char **why_not) {
    char *copy = weir_path_join(folder, "packed.bin"), *pins = weir_path_join(folder, "decoded.pcf"),
         *path = weir_path_join(folder, ASC), *asc = NULL;
    weir_text text = {0};
    size_t size;
    int status = weir_file_copy(bitstream, copy) && write_pins(board, pins) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && (!unpack(folder, seconds) || !tell(board, folder, has_multipliers, seconds, &text)))
        status = WEIR_EXIT_TOOL;
    if (status == WEIR_EXIT_FINE) asc = weir_file_read(path, &size);
    if (status == WEIR_EXIT_FINE && asc == NULL) status = WEIR_EXIT_TOOL;
    if (status == WEIR_EXIT_FINE) status = write(text.data, asc, has_multipliers, verilog, why_not);
    else weir_text_free(&text);
    free(asc);
    free(path);
    free(pins);
    free(copy);
    return status;
}

int weir_board_decode(const weir_board *board, const weir_cost *cost, const char *bitstream, const char *folder,
                      const char *verilog, double seconds, char **why_not) {
    *why_not = reason_against(board);
    if (*why_not != NULL) return WEIR_EXIT_FINE;
    return decode(board, cost->multipliers > 0, bitstream, folder, verilog, seconds, why_not);
}
