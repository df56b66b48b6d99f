/* What the tests that show designs to tools and simulators share. */
#ifndef WEIR_TEST_RTL_BATCH_H
#define WEIR_TEST_RTL_BATCH_H

#include "passes/equivalence/files.h"
#include "passes/equivalence/replay.h"
#include "rtlir/verilog/print.h"
#include "support/memory/types.h"

enum { BATCH_CYCLES = 200, BATCH_SEED = 20, BATCH_SKIPPED = 77 /* exit status without the tools */ };

/* Are Verilator, Icarus and Yosys there? */
bool batch_has_tools(void);
/* Exit status, told of, of a test that cannot begin: its arguments do not fit `usage` ("NAME ARGUMENT..."), or not all
 * of these tools, Icarus alone, are there; 0: it can. */
int batch_refuses(const char *usage, bool fits, bool icarus_alone);
/* Runs a tool in a folder; anything but silence and success is a complaint (text_case.h) under the check's name. */
void batch_run_tool(const char *folder, const char *check, const char *const *arguments);

/* Designs that run in one simulation, each with a stimulus of its own. */
typedef struct batch {
    weir_replay_top *top;
    weir_trace *trace; /* after batch_simulate */
    size_t count, capacity;
    weir_rtl_files files;
    char *folder;
} batch;

/* In a new folder WORK/NAME. */
batch *batch_new(const char *work, const char *name);
void batch_free(batch *b);
/* Writes FOLDER/NAME.v, modules of it being called as in no other design, and takes the design over. False when an
 * external module has no file, or when the design has so many inputs that it gets fewer cycles. */
bool batch_add(batch *b, weir_rtl_design *design, weir_rtl_module top, const char *name);
/* The same in a dialect: FOLDER/NAME.v or .sv. */
bool batch_add_as(batch *b, weir_rtl_design *design, weir_rtl_module top, const char *name, weir_rtl_dialect dialect);
/* Plays all; complains when the simulator fails. */
bool batch_simulate(batch *b, weir_simulator simulator);

/* What comparing found; rows before the end of the reset are left out. */
typedef struct batch_result {
    size_t ones, unknown; /* bits in Icarus */
} batch_result;
/* False with the first bit that Icarus knows and Verilator has otherwise in `text`. */
bool batch_compare(const weir_trace *icarus, const weir_trace *verilator, const weir_stimulus *stimulus,
                   batch_result *result, weir_text *text);

#endif
