#include "board/flow.h"

#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* Words that stand for files and for the board's own options in the packer's command. */
#define PLACED "<placed>"
#define BITSTREAM "<bitstream>"
#define OPTIONS "<options>"

struct weir_board_flow {
    int64_t family;         /* weir_device_family */
    const char *placed;     /* written by it */
    const char *options[5]; /* that name both */
    const char *packer;
    const char *pack[6];
    const char *suffix; /* of the bitstream */
};

static const weir_board_flow flows[] = {
    {WEIR_DEVICE_ICE40,
     "board.asc",
     {"--pcf", "pins.pcf", "--asc", "board.asc"},
     "icepack",
     {OPTIONS, PLACED, BITSTREAM},
     "bin"},
    {WEIR_DEVICE_ECP5,
     "board.config",
     {"--lpf", "pins.lpf", "--textcfg", "board.config"},
     "ecppack",
     {OPTIONS, PLACED, BITSTREAM},
     "bit"},
    {WEIR_DEVICE_GOWIN,
     "board_placed.json",
     {"--vopt", "cst=pins.cst", "--write", "board_placed.json"},
     "gowin_pack",
     {OPTIONS, "-o", BITSTREAM, PLACED},
     "fs"},
    {WEIR_DEVICE_GATEMATE,
     "board.txt",
     {"--vopt", "ccf=pins.ccf", "--vopt", "out=board.txt"},
     "gmpack",
     {OPTIONS, PLACED, BITSTREAM},
     "bit"},
};

static const weir_board_flow *find(const weir_device *device) {
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        if (flows[i].family == device->family) return &flows[i];
    }
    return NULL;
}

const weir_board_flow *weir_board_flow_of(const weir_board *board) {
    const weir_board_flow *flow = find(board->device);
    if (flow != NULL) return flow;
    weir_error(WEIR_NOWHERE, "no free tools make a bitstream for board '%s' (%s)", board->name, board->device->title);
    weir_note("--sources writes Verilog, pins, and scripts for Vivado and openXC7, which make it elsewhere");
    return NULL;
}

const char *weir_board_flow_packer_name(const weir_device *device) {
    const weir_board_flow *flow = find(device);
    return flow == NULL ? NULL : flow->packer;
}

const char *weir_board_flow_placed(const weir_board_flow *flow) { return flow->placed; }

char *weir_board_flow_bitstream(const weir_board_flow *flow, const weir_board *board) {
    return weir_format("%s.%s", board->name, flow->suffix);
}

const char **weir_board_flow_options(const weir_board_flow *flow, const weir_board *board, size_t *count) {
    const char **options =
        weir_calloc(board->nextpnr.count + sizeof flow->options / sizeof *flow->options + 1, sizeof *options);
    *count = 0;
    for (size_t i = 0; i < board->nextpnr.count; i++) options[(*count)++] = board->nextpnr.item[i];
    for (size_t i = 0; flow->options[i] != NULL; i++) options[(*count)++] = flow->options[i];
    return options;
}

bool weir_board_flow_packer(const weir_board_flow *flow, weir_program *packer) {
    return weir_program_packer(flow->packer, packer);
}

int weir_board_flow_pack(const weir_board_flow *flow, const weir_board *board, const weir_program *packer,
                         const char *folder, size_t *bytes) {
    char *bitstream = weir_board_flow_bitstream(flow, board), *path = weir_path_join(folder, bitstream);
    weir_arguments arguments = {0};
    weir_arguments_add(&arguments, "%s", packer->name);
    for (size_t i = 0; flow->pack[i] != NULL; i++) {
        const char *word = flow->pack[i];
        if (strcmp(word, OPTIONS) == 0) {
            for (size_t k = 0; k < board->pack.count; k++) weir_arguments_add(&arguments, "%s", board->pack.item[k]);
            continue;
        }
        const bool is_placed = strcmp(word, PLACED) == 0, is_bitstream = strcmp(word, BITSTREAM) == 0;
        weir_arguments_add(&arguments, "%s", is_placed ? flow->placed : is_bitstream ? bitstream : word);
    }
    bool fine = weir_tool_run(&arguments, folder, packer->seconds, NULL);
    char *text = fine ? weir_file_read(path, bytes) : NULL;
    if (text != NULL && *bytes == 0) weir_error(weir_at(path, 0), "'%s' wrote an empty bitstream", packer->name);
    fine = text != NULL && *bytes > 0;
    weir_arguments_free(&arguments);
    free(text);
    free(path);
    free(bitstream);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_TOOL;
}
