#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "common/text_case.h"
#include "passes/rtl/rtl.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

bool batch_has_tools(void) {
    return weir_process_found("yosys") && weir_process_found("verilator_bin") &&
           weir_simulator_found(WEIR_SIM_ICARUS) && weir_simulator_found(WEIR_SIM_VERILATOR);
}

int batch_refuses(const char *usage, bool fits, bool icarus_alone) {
    if (!fits) {
        fprintf(stderr, "usage: %s\n", usage);
        return 2;
    }
    if (icarus_alone ? weir_simulator_found(WEIR_SIM_ICARUS) : batch_has_tools()) return 0;
    fprintf(stderr, "%.*s: skipped: %s missing\n", (int)strcspn(usage, " "), usage,
            icarus_alone ? "iverilog is" : "verilator, iverilog or yosys is");
    return BATCH_SKIPPED;
}

void batch_run_tool(const char *folder, const char *check, const char *const *arguments) {
    weir_text output = {0};
    int status = -1;
    const weir_process process = {.arguments = arguments, .folder = folder, .seconds = 60};
    const weir_process_end end = weir_process_run(&process, &output, &status);
    if (end != WEIR_PROCESS_EXITED || status != 0 || output.size > 0)
        complain(check, output.size > 0 ? output.data : "it fails");
    weir_text_free(&output);
}

batch *batch_new(const char *work, const char *name) {
    batch *b = weir_calloc(1, sizeof *b);
    b->folder = weir_path_join(work, name);
    weir_make_folder(b->folder);
    return b;
}

void batch_free(batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        if (b->trace != NULL) weir_trace_free(&b->trace[i]);
        weir_stimulus_free((weir_stimulus *)(uintptr_t)b->top[i].stimulus);
        weir_rtl_design_free((weir_rtl_design *)(uintptr_t)b->top[i].design);
    }
    weir_rtl_free_files(&b->files);
    free(b->top);
    free(b->trace);
    free(b->folder);
    free(b);
}

bool batch_add(batch *b, weir_rtl_design *design, weir_rtl_module top, const char *name) {
    return batch_add_as(b, design, top, name, WEIR_RTL_VERILOG);
}

bool batch_add_as(batch *b, weir_rtl_design *design, weir_rtl_module top, const char *name, weir_rtl_dialect dialect) {
    weir_text text = {0}, why = {0};
    weir_stimulus *stimulus = weir_stimulus_new(design, top, BATCH_CYCLES, BATCH_SEED);
    const bool fine = stimulus->rows == (size_t)BATCH_CYCLES * WEIR_STIMULUS_ROWS &&
                      weir_rtl_find_files(design, top, &b->files, &why);
    if (fine) {
        char *path = weir_format("%s/%s.%s", b->folder, name, dialect == WEIR_RTL_VERILOG ? "v" : "sv");
        const weir_rtl_print_options options = {.dialect = dialect};
        weir_print_hardware(design, top, &options, &text);
        weir_file_write(path, text.data, text.size);
        b->top = weir_grow(b->top, &b->capacity, b->count + 1, sizeof *b->top);
        b->top[b->count++] = (weir_replay_top){design, top, weir_rtl_get_module(design, top).name, stimulus};
        b->files.path = weir_grow(b->files.path, &b->files.capacity, b->files.count + 1, sizeof *b->files.path);
        b->files.path[b->files.count++] = path;
    } else {
        weir_stimulus_free(stimulus);
    }
    weir_text_free(&text);
    weir_text_free(&why);
    return fine;
}

bool batch_simulate(batch *b, weir_simulator simulator) {
    const weir_replay replay = {.simulator = simulator,
                                .tops = b->top,
                                .top_count = b->count,
                                .files = (const char *const *)b->files.path,
                                .file_count = b->files.count,
                                .folder = b->folder,
                                .seconds = 240};
    b->trace = weir_calloc(b->count + 1, sizeof *b->trace);
    const bool fine = weir_replay_run(&replay, b->trace) == WEIR_EXIT_FINE;
    if (!fine) complain("simulation", weir_simulator_name(simulator));
    return fine;
}

bool batch_compare(const weir_trace *icarus, const weir_trace *verilator, const weir_stimulus *stimulus,
                   batch_result *result, weir_text *text) {
    bool has_reset = false;
    for (size_t i = 0; i < stimulus->count; i++)
        has_reset |= stimulus->input[i].kind == WEIR_RTL_RESET || stimulus->input[i].kind == WEIR_RTL_ASYNC_RESET;
    const size_t start = has_reset ? (size_t)WEIR_STIMULUS_RESET * WEIR_STIMULUS_ROWS : 0;
    *result = (batch_result){0};
    for (size_t i = start * icarus->width; i < icarus->rows * icarus->width; i++) {
        const char known = icarus->bit[i];
        const bool is_unknown = known == 'x' || known == 'z';
        result->unknown += is_unknown;
        result->ones += known == '1';
        if (is_unknown || known == verilator->bit[i]) continue;
        const size_t row = i / icarus->width;
        weir_text_format(text, "cycle %zu, bit %zu of the outputs: %c in icarus, %c in verilator; inputs: ",
                         row / WEIR_STIMULUS_ROWS, icarus->width - 1 - i % icarus->width, known, verilator->bit[i]);
        weir_stimulus_print_row(stimulus, row, text);
        return false;
    }
    return true;
}
