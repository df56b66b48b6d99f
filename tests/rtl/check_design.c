/* One hardware design as the tools see it: usage: check_design WEIR FOLDER NAME [--planted CHECK]
 * FOLDER/NAME.wrtl, its state machines realized, is printed and must be accepted without a message by Verilator -Wall, Icarus -Wall and Yosys
 * (`check -assert`) as Verilog-2005 and by Verilator -Wall as SystemVerilog; it must print the same in other processes (WEIR
 * is the command) with any number of threads; and what its outputs are under random inputs must be the same in Verilator
 * and Icarus, for every bit that Icarus knows. After the reset it must know all, unless the first line has "unknown".
 * Verilator compiles BATCH designs of the folder at once, through the cache of sim/, so each program is built once.
 * Exit status 0 when all holds, or with --planted, when exactly that check fails; 77 without the tools. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_case.h"
#include "passes/rtl/files.h"
#include "passes/rtl/plain.h"
#include "passes/rtl/replay.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text.h"
#include "rtlir/verify.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/process.h"

enum { BATCH = 40, CYCLES = 200, SEED = 20, SKIPPED = 77 };
#define PIPELINE "realize_fsm"

typedef struct subject {
    const char *weir, *folder, *name, *planted;
    char *path;  /* of the design */
    char *work;  /* where files are written */
    char *first; /* line of the design */
    weir_rtl_design *design;
    weir_rtl_module top;
    const char *top_name;
    weir_rtl_files externals;
} subject;

static weir_text messages;

static bool is_planted(const subject *s, const char *check) {
    return s->planted != NULL && strcmp(s->planted, check) == 0;
}

/* --- designs --- */
/* The file's design after realize_fsm, because Verilog has no state machines; NULL after a reported error. */
static weir_rtl_design *load_design(const char *path) {
    weir_rtl_design *design = weir_rtl_load_text(path);
    const weir_rtl_module top = design == NULL ? (weir_rtl_module){0} : weir_rtl_choose_top(design, NULL);
    weir_text text = {0};
    if (top.id == 0) {
        weir_rtl_design_free(design);
        return NULL;
    }
    weir_module *module = weir_module_new("design");
    weir_module_set_rtl(module, design, weir_rtl_get_module(design, top).name);
    weir_pass_registry *registry = weir_pass_registry_new();
    bool fine = weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = fine ? weir_pass_parse(registry, PIPELINE, weir_at("pipeline", 1)) : NULL;
    fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_rtl_print_text(design, &text);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    design = fine ? weir_rtl_parse_text(text.data, text.size, path) : NULL;
    weir_text_free(&text);
    return design;
}

/* --- the tools --- */
/* Anything but silence and success is a complaint, under the check's name. */
static void run_tool(const subject *s, const char *check, const char *const *arguments) {
    weir_text output = {0};
    int status = -1;
    const weir_process process = {.arguments = arguments, .folder = s->work, .seconds = 60};
    const weir_process_end end = weir_process_run(&process, &output, &status);
    if (end != WEIR_PROCESS_EXITED || status != 0 || output.size > 0)
        complain(check, output.size > 0 ? output.data : "it fails");
    weir_text_free(&output);
}

/* The top in a folder below the work, with its children there. */
static void lint_with_verilator(const subject *s, const char *check, const char *folder, const char *ending) {
    char *file = weir_format("%s/%s.%s", folder, s->top_name, ending);
    const char *arguments[64] = {"verilator_bin", "--lint-only", "-Wall", "-Wno-DECLFILENAME",
                                 "--top-module",  s->top_name,   "-y",    folder};
    size_t count = 8;
    for (size_t i = 0; i < s->externals.count && count < 60; i++) arguments[count++] = s->externals.path[i];
    arguments[count] = file;
    run_tool(s, check, arguments);
    free(file);
}

static void compile_with_icarus(const subject *s) {
    char *file = weir_format("%s.v", s->top_name);
    const char *arguments[64] = {"iverilog", "-g2005", "-Wall", "-t", "null", "-s", s->top_name, "-y", "."};
    size_t count = 9;
    for (size_t i = 0; i < s->externals.count && count < 60; i++) arguments[count++] = s->externals.path[i];
    arguments[count] = file;
    run_tool(s, "icarus", arguments);
    free(file);
}

static void check_with_yosys(const subject *s) {
    weir_text script = {0};
    for (size_t i = 0; i < s->externals.count; i++)
        weir_text_format(&script, "read_verilog \"%s\"; ", s->externals.path[i]);
    size_t count;
    weir_rtl_module *modules = weir_rtl_modules_below(s->design, s->top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(s->design, modules[i]);
        if (!info.is_external) weir_text_format(&script, "read_verilog %s.v; ", info.name);
    }
    free(modules);
    weir_text_format(&script, "hierarchy -check -top %s; proc; check -assert", s->top_name);
    const char *const arguments[] = {"yosys", "-q", "-p", script.data, NULL};
    run_tool(s, "yosys", arguments);
    weir_text_free(&script);
}

/* Puts a line into the printed top. */
static void patch(const subject *s, const char *line) {
    char *name = weir_format("%s.v", s->top_name), *path = weir_path_join(s->work, name);
    size_t size;
    char *text = weir_file_read(path, &size);
    char *end = strstr(text, "\nendmodule");
    char *patched = weir_format("%.*s\n  %s%s", (int)(end - text), text, line, end);
    weir_file_write(path, patched, strlen(patched));
    free(patched);
    free(text);
    free(path);
    free(name);
}

static void check_tools(const subject *s) {
    const weir_rtl_print_options verilog = {.dialect = WEIR_RTL_VERILOG}, system = {.dialect = WEIR_RTL_SYSTEMVERILOG};
    char *folder = weir_path_join(s->work, "system");
    const bool printed = weir_rtl_write_design(s->design, s->top, &verilog, s->work) &&
                         weir_rtl_write_design(s->design, s->top, &system, folder);
    free(folder);
    if (!printed) {
        complain("print", messages.data);
        return;
    }
    if (is_planted(s, "verilator")) patch(s, "wire [3:0] planted = 8'hff;");
    if (is_planted(s, "icarus") || is_planted(s, "yosys")) patch(s, "wire planted = missing;");
    if (!is_planted(s, "icarus") && !is_planted(s, "yosys")) lint_with_verilator(s, "verilator", ".", "v");
    if (!is_planted(s, "yosys")) compile_with_icarus(s);
    check_with_yosys(s);
    lint_with_verilator(s, "systemverilog", "system", "sv");
}

/* --- the same text everywhere --- */
static void print_elsewhere(const subject *s, const char *threads, const char *expected) {
    char *out = weir_format("%s/%s_threads_%s.v", s->work, s->name, threads);
    const char *const arguments[] = {s->weir, "rtl", s->path, "-p", PIPELINE, "--threads", threads, "-o", out, NULL};
    weir_text output = {0};
    int status = -1;
    const weir_process process = {.arguments = arguments, .seconds = 60};
    if (weir_process_run(&process, &output, &status) != WEIR_PROCESS_EXITED || status != 0) {
        complain("text", output.size > 0 ? output.data : "the command fails");
    } else {
        size_t size;
        char *text = weir_file_read(out, &size);
        check_equal("text", expected, text == NULL ? "" : text);
        free(text);
    }
    weir_text_free(&output);
    free(out);
}

static void check_text(const subject *s) {
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    weir_text text = {0};
    weir_print_hardware(s->design, s->top, &options, &text);
    if (is_planted(s, "text")) weir_text_char(&text, '\n');
    print_elsewhere(s, "1", text.data);
    print_elsewhere(s, "4", text.data);
    weir_text_free(&text);
}

/* --- simulation --- */
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of the designs of a folder, sorted. */
static char **list_designs(const char *folder, size_t *count) {
    char **names = NULL;
    size_t capacity = 0;
    DIR *entries = opendir(folder);
    *count = 0;
    for (struct dirent *e = entries ? readdir(entries) : NULL; e != NULL; e = readdir(entries)) {
        const char *end = strstr(e->d_name, ".wrtl");
        if (end == NULL || end[5] != '\0') continue;
        names = weir_grow(names, &capacity, *count + 1, sizeof *names);
        names[(*count)++] = weir_format("%.*s", (int)(end - e->d_name), e->d_name);
    }
    if (entries != NULL) closedir(entries);
    if (*count > 0) qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* What runs in one simulation. */
typedef struct batch {
    weir_replay_top top[BATCH];
    weir_trace trace[BATCH];
    size_t count;
    weir_rtl_files files;
    char *folder;
} batch;

/* A design with names of its own; false when it is not sound, which its own test reports. */
static bool add_design(batch *b, const char *folder, const char *name) {
    char *file = weir_format("%s/%s.wrtl", folder, name), *verilog = weir_format("%s/%s.v", b->folder, name);
    weir_text text = {0}, why = {0};
    weir_rtl_design *design = load_design(file);
    weir_rtl_module top = {0};
    if (design != NULL) top = weir_rtl_choose_top(design, NULL);
    bool fine = top.id != 0 && weir_rtl_make_plain(design, name, &why) && weir_rtl_verify(design, top) &&
                weir_rtl_find_files(design, top, &b->files, &why);
    if (fine) {
        weir_print_hardware(design, top, &(weir_rtl_print_options){.dialect = WEIR_RTL_VERILOG}, &text);
        fine = weir_file_write(verilog, text.data, text.size);
        b->top[b->count++] = (weir_replay_top){design, top, weir_rtl_get_module(design, top).name,
                                               weir_stimulus_new(design, top, CYCLES, SEED)};
        b->files.path = weir_grow(b->files.path, &b->files.capacity, b->files.count + 1, sizeof *b->files.path);
        b->files.path[b->files.count++] = verilog;
    } else {
        weir_rtl_design_free(design);
        free(verilog);
    }
    weir_text_free(&text);
    weir_text_free(&why);
    free(file);
    return fine;
}

static bool simulate(batch *b, weir_simulator simulator) {
    const weir_replay replay = {.simulator = simulator,
                                .tops = b->top,
                                .top_count = b->count,
                                .files = (const char *const *)b->files.path,
                                .file_count = b->files.count,
                                .folder = b->folder,
                                .seconds = 120};
    const bool fine = weir_replay_run(&replay, b->trace) == WEIR_EXIT_FINE;
    if (!fine) complain("simulation", messages.data);
    return fine;
}

static void free_batch(batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        weir_trace_free(&b->trace[i]);
        weir_stimulus_free((weir_stimulus *)(uintptr_t)b->top[i].stimulus);
        weir_rtl_design_free((weir_rtl_design *)(uintptr_t)b->top[i].design);
    }
    weir_rtl_free_files(&b->files);
    free(b->folder);
}

static batch *new_batch(const subject *s, const char *name) {
    batch *b = weir_calloc(1, sizeof *b);
    b->folder = weir_path_join(s->work, name);
    weir_make_folder(b->folder);
    return b;
}

/* The designs that are compiled with this one; its position among them. */
static batch *gather(const subject *s, size_t *own) {
    size_t count, index = 0;
    char **names = list_designs(s->folder, &count);
    batch *b = new_batch(s, "verilator");
    while (index < count && strcmp(names[index], s->name) != 0) index++;
    const size_t start = index / BATCH * BATCH;
    for (size_t i = start; i < count && i < start + BATCH; i++) {
        if (i == index) *own = b->count;
        add_design(b, s->folder, names[i]);
    }
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    return b;
}

static void compare_traces(const subject *s, const weir_trace *icarus, const weir_trace *verilator,
                           const weir_stimulus *stimulus) {
    bool has_reset = false;
    for (size_t i = 0; i < stimulus->count; i++)
        has_reset |= stimulus->input[i].kind == WEIR_RTL_RESET || stimulus->input[i].kind == WEIR_RTL_ASYNC_RESET;
    const size_t start = has_reset ? (size_t)WEIR_STIMULUS_RESET * WEIR_STIMULUS_ROWS : 0;
    size_t unknown = 0, ones = 0;
    if (is_planted(s, "simulation")) verilator->bit[start * verilator->width] ^= 1;
    for (size_t i = start * icarus->width; i < icarus->rows * icarus->width; i++) {
        const char known = icarus->bit[i];
        unknown += known == 'x' || known == 'z';
        ones += known == '1';
        if (known == 'x' || known == 'z' || known == verilator->bit[i]) continue;
        const size_t row = i / icarus->width;
        weir_text text = {0};
        weir_text_format(&text, "cycle %zu, bit %zu of the outputs: %c in icarus, %c in verilator; inputs: ",
                         row / WEIR_STIMULUS_ROWS, icarus->width - 1 - i % icarus->width, known, verilator->bit[i]);
        weir_stimulus_print_row(stimulus, row, &text);
        complain("simulation", text.data);
        weir_text_free(&text);
        return;
    }
    printf("%s: %zu rows of %u bits, %zu ones, %zu unknown\n", s->name, icarus->rows, (unsigned)icarus->width, ones,
           unknown);
    if (unknown > 0 && strstr(s->first, "unknown") == NULL) complain("unknown", "outputs are unknown after the reset");
    if (ones == 0) complain("simulation", "the outputs are never 1: this shows nothing");
}

static void check_simulation(const subject *s) {
    size_t own = 0;
    batch *all = gather(s, &own), *alone = new_batch(s, "icarus");
    if (add_design(alone, s->folder, s->name) && simulate(alone, WEIR_SIM_ICARUS) && simulate(all, WEIR_SIM_VERILATOR))
        compare_traces(s, &alone->trace[0], &all->trace[own], alone->top[0].stimulus);
    free_batch(all);
    free_batch(alone);
    free(all);
    free(alone);
}

/* --- one design --- */
static bool load(subject *s) {
    weir_text why = {0};
    size_t size;
    s->path = weir_format("%s/%s.wrtl", s->folder, s->name);
    char *text = weir_file_read(s->path, &size);
    s->first = text == NULL ? weir_copy_string("") : weir_format("%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    s->design = load_design(s->path);
    if (s->design != NULL) s->top = weir_rtl_choose_top(s->design, NULL);
    const bool fine = s->top.id != 0 && weir_rtl_verify(s->design, s->top) &&
                      weir_rtl_find_files(s->design, s->top, &s->externals, &why);
    if (!fine) complain("design", why.size > 0 ? why.data : messages.data);
    if (fine) s->top_name = weir_rtl_get_module(s->design, s->top).name;
    weir_text_free(&why);
    return fine;
}

static void check(subject *s) {
    if (!load(s)) return;
    s->work = weir_rtl_work_folder();
    check_tools(s);
    check_text(s);
    check_simulation(s);
    weir_remove_tree(s->work);
}

int main(int count, char **arguments) {
    const bool planted = count == 6 && strcmp(arguments[4], "--planted") == 0;
    if (count != 4 && !planted) {
        fprintf(stderr, "usage: check_design WEIR FOLDER NAME [--planted CHECK]\n");
        return 2;
    }
    if (!weir_process_found("yosys") || !weir_process_found("verilator_bin") ||
        !weir_simulator_found(WEIR_SIM_ICARUS) || !weir_simulator_found(WEIR_SIM_VERILATOR)) {
        fprintf(stderr, "check_design: skipped: verilator, iverilog or yosys is missing\n");
        return SKIPPED;
    }
    subject s = {.weir = arguments[1], .folder = arguments[2], .name = arguments[3]};
    if (planted) s.planted = arguments[5];
    weir_text_add(&messages, "");
    weir_diag_set_handler(keep_message, &messages);
    check(&s);
    weir_rtl_design_free(s.design);
    weir_rtl_free_files(&s.externals);
    free(s.path);
    free(s.first);
    free(s.work);
    weir_text_free(&messages);
    return case_status(s.planted);
}
