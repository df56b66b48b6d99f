/* icebox_vlog writes a port's name twice, in the module's head with a direction and below as a wire or register; the head becomes a list of names here,
 * and directions of their own, which Verilog takes beside the others. */
#include "board/decode.h"

#include <stdlib.h>
#include <string.h>

#include "board/pins.h"
#include "board/simulated.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/tool.h"
#include "support/text/diag.h"

#define UNPACK "iceunpack"
#define DECODE "icebox_vlog"

static char *reason_against(const weir_board *board, const weir_cost *cost) {
    if (board->device->family != WEIR_DEVICE_ICE40)
        return weir_format("no free program makes Verilog of a bitstream of %s",
                           weir_device_family_name((weir_device_family)board->device->family));
    if (cost->multipliers > 0) return weir_copy_string(DECODE " does not decode the multipliers SB_MAC16");
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

/* "module weir_board (input clk, output tx);" as "module weir_board (clk, tx);" and "input clk;" and so on. NULL: there is no such head. */
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

static int decode(const weir_board *board, const char *bitstream, const char *folder, const char *verilog,
                  double seconds) {
    char *copy = weir_path_join(folder, "packed.bin"), *pins = weir_path_join(folder, "decoded.pcf");
    weir_arguments unpack = {0}, tell = {0};
    weir_text text = {0};
    const char *const first[] = {UNPACK, "packed.bin", "decoded.asc"};
    const char *const second[] = {DECODE, "-s",           "-l", "-n",          WEIR_SIMULATED_TOP,
                                  "-d",   board->package, "-p", "decoded.pcf", "decoded.asc"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) weir_arguments_add(&unpack, "%s", first[i]);
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) weir_arguments_add(&tell, "%s", second[i]);
    int status = weir_file_copy(bitstream, copy) && write_pins(board, pins) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE &&
        (!weir_tool_run(&unpack, folder, seconds, NULL) || !weir_tool_run(&tell, folder, seconds, &text)))
        status = WEIR_EXIT_TOOL;
    char *plain = status != WEIR_EXIT_FINE || text.data == NULL ? NULL : with_plain_head(text.data);
    if (status == WEIR_EXIT_FINE && plain == NULL) {
        weir_error(WEIR_NOWHERE, "'" DECODE "' wrote no module '" WEIR_SIMULATED_TOP "'");
        status = WEIR_EXIT_TOOL;
    }
    if (status == WEIR_EXIT_FINE && !weir_file_write(verilog, plain, strlen(plain))) status = WEIR_EXIT_INPUT;
    free(plain);
    weir_text_free(&text);
    weir_arguments_free(&unpack);
    weir_arguments_free(&tell);
    free(pins);
    free(copy);
    return status;
}

int weir_board_decode(const weir_board *board, const weir_cost *cost, const char *bitstream, const char *folder,
                      const char *verilog, double seconds, char **why_not) {
    *why_not = reason_against(board, cost);
    if (*why_not != NULL) return WEIR_EXIT_FINE;
    return decode(board, bitstream, folder, verilog, seconds);
}
