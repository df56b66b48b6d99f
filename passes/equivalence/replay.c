#include "passes/equivalence/replay.h"

#include <stdlib.h>
#include <string.h>

#include "passes/verilog/emit.h"
#include "rtlir/core/stmt.h"
#include "rtlir/verilog/print.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

/* --- the bench --- */
typedef struct bench {
    weir_rtl_design *design;
    weir_rtl_module tb;
} bench;

static weir_rtl_expr add_wire(const bench *b, const char *name, size_t index, uint32_t width) {
    char *text = weir_format("%s_%zu", name, index);
    const weir_rtl_var wire = weir_rtl_add_wire(b->design, b->tb, text, width);
    free(text);
    return weir_rtl_read(b->design, wire);
}

static weir_rtl_expr bits(const bench *b, weir_rtl_expr wire, uint32_t low, uint32_t width) {
    return weir_rtl_width(b->design, wire) == width ? wire : weir_rtl_slice(b->design, wire, low + width - 1, low);
}

static weir_rtl_instance add_part(const bench *b, const char *module, const char *name, size_t index) {
    char *text = weir_format("%s_%zu", name, index);
    const weir_rtl_instance part =
        weir_rtl_add_instance(b->design, b->tb, weir_library_module(b->design, module), text);
    free(text);
    return part;
}

/* The top's ports as vectors of data: the bench gives bits. */
static weir_rtl_module declare(const bench *b, const weir_replay_top *top, uint32_t *outputs) {
    const weir_rtl_module_info info = weir_rtl_get_module(top->design, top->module);
    const weir_rtl_module module = weir_rtl_add_module(b->design, top->name);
    for (size_t i = 0; i < info.port_count; i++) {
        const weir_rtl_var_info p = weir_rtl_get_var(top->design, weir_rtl_port_at(top->design, top->module, i));
        weir_rtl_add_port(b->design, module, p.name, p.width, p.direction, WEIR_RTL_DATA, false);
        if (p.direction == WEIR_RTL_OUTPUT) *outputs += p.width;
    }
    weir_rtl_set_external(b->design, module);
    return module;
}

static void add_stimulus(const bench *b, size_t index, const weir_stimulus *stimulus, weir_rtl_expr data,
                         weir_rtl_expr stable) {
    const weir_rtl_instance part = add_part(b, "weir_sim_stimulus", "u_stimulus", index);
    char *file = weir_format("stimulus_%zu.hex", index);
    weir_rtl_set_parameter(b->design, part, "WIDTH", weir_rtl_width(b->design, data));
    weir_rtl_set_parameter(b->design, part, "ROWS", (int64_t)stimulus->rows);
    weir_rtl_set_parameter_string(b->design, part, "FILE", file);
    weir_rtl_connect(b->design, part, "data", data);
    weir_rtl_connect(b->design, part, "stable", stable);
    free(file);
}

static void add_trace(const bench *b, size_t index, weir_rtl_expr data, weir_rtl_expr stable) {
    const weir_rtl_instance part = add_part(b, "weir_sim_trace", "u_trace", index);
    weir_rtl_set_parameter(b->design, part, "WIDTH", weir_rtl_width(b->design, data));
    weir_rtl_set_parameter(b->design, part, "INDEX", (int64_t)index);
    weir_rtl_connect(b->design, part, "data", data);
    weir_rtl_connect(b->design, part, "stable", stable);
}

static void connect_ports(const bench *b, size_t index, weir_rtl_instance dut, weir_rtl_expr in, weir_rtl_expr out) {
    const weir_rtl_module module = weir_rtl_get_instance(b->design, dut).module;
    const size_t ports = weir_rtl_get_module(b->design, module).port_count;
    uint32_t low_in = 0, low_out = 0;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info p = weir_rtl_get_var(b->design, weir_rtl_port_at(b->design, module, i));
        if (p.direction == WEIR_RTL_INOUT) {
            char *name = weir_format("pad_%zu", i);
            weir_rtl_connect(b->design, dut, p.name, add_wire(b, name, index, p.width));
            free(name);
            continue;
        }
        uint32_t *low = p.direction == WEIR_RTL_INPUT ? &low_in : &low_out;
        weir_rtl_connect(b->design, dut, p.name, bits(b, p.direction == WEIR_RTL_INPUT ? in : out, *low, p.width));
        *low += p.width;
    }
}

static void add_top(const bench *b, size_t index, const weir_replay_top *top, weir_trace *trace) {
    const weir_rtl_module module = declare(b, top, &trace->width);
    trace->rows = top->stimulus->rows;
    const weir_rtl_expr in = add_wire(b, "in", index, top->stimulus->width > 0 ? top->stimulus->width : 1);
    const weir_rtl_expr stable = add_wire(b, "stable", index, 1);
    weir_rtl_expr out = {0};
    add_stimulus(b, index, top->stimulus, in, stable);
    if (trace->width > 0) out = add_wire(b, "out", index, trace->width);
    char *name = weir_format("u_dut_%zu", index);
    connect_ports(b, index, weir_rtl_add_instance(b->design, b->tb, module, name), in, out);
    free(name);
    if (trace->width > 0) add_trace(b, index, out, stable);
}

/* Writes the bench and the stimuli. */
static bool write_bench(const weir_replay *replay, weir_trace *traces) {
    bench b = {.design = weir_rtl_design_new()};
    b.tb = weir_rtl_add_module(b.design, "tb");
    bool fine = true;
    for (size_t i = 0; fine && i < replay->top_count; i++) {
        weir_text text = {0};
        char *name = weir_format("stimulus_%zu.hex", i), *path = weir_path_join(replay->folder, name);
        add_top(&b, i, &replay->tops[i], &traces[i]);
        weir_stimulus_print(replay->tops[i].stimulus, &text);
        fine = weir_file_write(path, text.data, text.size);
        weir_text_free(&text);
        free(name);
        free(path);
    }
    fine = fine && weir_rtl_errors(b.design) == 0 && weir_rtl_write_module(b.design, b.tb, NULL, replay->folder);
    weir_rtl_design_free(b.design);
    return fine;
}

/* --- the run --- */
/* Takes the lines `trace INDEX BITS` apart; false when rows are missing. */
static bool read_traces(const weir_replay *replay, const char *output, weir_trace *traces) {
    size_t *rows = weir_calloc(replay->top_count, sizeof *rows);
    for (size_t i = 0; i < replay->top_count; i++) traces[i].bit = weir_malloc(traces[i].rows * traces[i].width + 1);
    for (const char *line = output; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *end;
        const size_t index = strncmp(line, "trace ", 6) == 0 ? strtoul(line + 6, &end, 10) : replay->top_count;
        if (index < replay->top_count && rows[index] < traces[index].rows && *end == ' ' &&
            length == (size_t)(end - line) + 1 + traces[index].width)
            memcpy(traces[index].bit + rows[index]++ * traces[index].width, end + 1, traces[index].width);
        line += length + (line[length] != '\0');
    }
    bool whole = true;
    for (size_t i = 0; i < replay->top_count; i++) whole = whole && (traces[i].width == 0 || rows[i] == traces[i].rows);
    free(rows);
    return whole;
}

static int simulate(const weir_replay *replay, weir_trace *traces) {
    const char **files = weir_calloc(replay->file_count + 1, sizeof *files);
    char *tb = weir_path_join(replay->folder, "tb.v");
    memcpy(files, replay->files, replay->file_count * sizeof *files);
    files[replay->file_count] = tb;
    const char *const defines[] = {"SYNTHESIS"}; /* assumptions are about the design's environment */
    const weir_sim_job job = {.simulator = replay->simulator,
                              .files = files,
                              .file_count = replay->file_count + 1,
                              .defines = defines,
                              .define_count = 1,
                              .cycles = replay->top_count > 0 ? replay->tops[0].stimulus->rows : 0,
                              .seconds = replay->seconds};
    weir_sim_artifact artifact = {0};
    weir_text output = {0};
    int status = weir_sim_build(&job, &artifact);
    if (status == WEIR_EXIT_FINE) status = weir_sim_run_alone(&artifact, replay->folder, replay->seconds, &output);
    if (status == WEIR_EXIT_FINE && !read_traces(replay, output.data, traces)) {
        weir_error(weir_at(replay->folder, 0), "the simulation ended before its last row");
        if (output.size > 0) weir_note("its messages:\n%.2000s", output.data);
        status = WEIR_EXIT_TOOL;
    }
    weir_sim_artifact_free(&artifact);
    weir_text_free(&output);
    free(tb);
    free(files);
    return status;
}

int weir_replay_run(const weir_replay *replay, weir_trace *traces) {
    memset(traces, 0, replay->top_count * sizeof *traces);
    return write_bench(replay, traces) ? simulate(replay, traces) : WEIR_EXIT_INPUT;
}

void weir_trace_free(weir_trace *trace) {
    free(trace->bit);
    *trace = (weir_trace){0};
}
