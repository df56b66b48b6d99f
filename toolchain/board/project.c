/* Commands: Vivado Design Suite Tcl Command Reference (UG835), non-project flow (UG892, "Using Non-Project Mode Tcl
 * Commands"); openXC7's demo projects. */
#include "board/project.h"

#include <stdlib.h>
#include <string.h>

#include "board/pins.h"
#include "board/wrap.h"
#include "graph/manifest.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

bool weir_board_has_project(const weir_board *board) { return board->device->family == WEIR_DEVICE_XILINX7; }

char *weir_board_project_bitstream(const weir_board *board) { return weir_format("%s.bit", board->name); }

/* Memory files are read beside the sources. */
static void print_vivado(const weir_board *board, weir_text *text) {
    weir_text_format(
        text, "# vivado -mode batch -source vivado.tcl: makes %s.bit. Vivado has not been run on this script here.\n",
        board->name);
    weir_text_format(text, "set folder [file dirname [file normalize [info script]]]\n");
    weir_text_format(text, "cd [file join $folder " WEIR_BOARD_SOURCES "]\n");
    weir_text_format(text, "read_verilog [lsort [glob *.v]]\n");
    weir_text_format(text, "read_xdc [file join $folder %s]\n", weir_board_pins_file(board));
    weir_text_format(text, "synth_design -top " WEIR_BOARD_TOP " -part %s\n", board->part);
    weir_text_format(text, "opt_design\nplace_design\nphys_opt_design\nroute_design\n");
    weir_text_format(text, "report_utilization -file [file join $folder utilization.rpt]\n");
    weir_text_format(text, "report_timing_summary -file [file join $folder timing.rpt]\n");
    weir_text_format(text, "set slack [get_property SLACK [get_timing_paths -delay_type max]]\n");
    weir_text_format(
        text,
        "if {$slack < 0} {\n"
        "    puts stderr \"%s: error: the clock is missed by [expr {-$slack}] ns: build with a lower --clock\"\n"
        "    exit 1\n"
        "}\n",
        board->name);
    weir_text_format(text, "write_bitstream -force [file join $folder %s.bit]\n", board->name);
}

/* prjxray knows commercial parts: of xc7a35ticsg324-1L it has xc7a35tcsg324-1. */
static void print_commercial(const char *part, weir_text *text) {
    const char *speed = strrchr(part, '-'), *industrial = strstr(part, "ti");
    for (const char *c = part; *c != '\0'; c++) {
        if (industrial != NULL && c == industrial + 1) continue;
        if (speed != NULL && c > speed && *c == 'L') continue;
        weir_text_format(text, "%c", *c);
    }
}

static void print_openxc7(const weir_board *board, weir_text *text) {
    weir_text_format(
        text,
        "#!/bin/sh\n"
        "# Makes %s.bit with openXC7: CHIPDB is nextpnr-xilinx's database of the device, PRJXRAY_DB_DIR the folder of prjxray-db, both as whole paths.\n"
        "# openXC7 has not been run on this script here.\n"
        "set -eu\n"
        "part=${PART:-",
        board->name);
    print_commercial(board->part, text);
    weir_text_format(
        text,
        "}\n"
        "for tool in yosys nextpnr-xilinx fasm2frames xc7frames2bit; do\n"
        "    command -v \"$tool\" >/dev/null || { echo \"openxc7.sh: error: '$tool' is not on PATH\" >&2; exit 4; }\n"
        "done\n"
        ": \"${CHIPDB:?is the file that nextpnr-xilinx reads: $part.bin}\" \"${PRJXRAY_DB_DIR:?is the folder that has artix7}\"\n"
        "cd \"$(dirname \"$0\")\"\n"
        "family=$PRJXRAY_DB_DIR/artix7\n"
        "(cd " WEIR_BOARD_SOURCES " && yosys -q -p \"synth_xilinx -flatten -abc9 -arch xc7 -top " WEIR_BOARD_TOP
        "; write_json ../netlist.json\" *.v)\n"
        "nextpnr-xilinx --chipdb \"$CHIPDB\" --xdc %s --json netlist.json --fasm board.fasm\n"
        "fasm2frames --part \"$part\" --db-root \"$family\" board.fasm >board.frames\n"
        "xc7frames2bit --part_file \"$family/$part/part.yaml\" --part_name \"$part\" --frm_file board.frames --output_file %s.bit\n",
        weir_board_pins_file(board), board->name);
}

static bool write(const char *folder, const char *name, weir_text *text) {
    char *path = weir_path_join(folder, name);
    const bool fine = weir_file_write(path, text->data, text->size);
    free(path);
    weir_text_free(text);
    return fine;
}

bool weir_board_project_write(const weir_board *board, const char *folder) {
    weir_text vivado = {NULL, 0, 0}, openxc7 = {NULL, 0, 0};
    print_vivado(board, &vivado);
    print_openxc7(board, &openxc7);
    return (int)write(folder, "vivado.tcl", &vivado) + (int)write(folder, "openxc7.sh", &openxc7) == 2;
}
